//! A part on a vibrating track, and how fast it gets along.
//!
//! ```text
//! θ   incline, the way the track conveys         tan θ
//! ψ   vibration angle, from the track            tan ψ = a_n / a_t
//! Γ   throw number a_n (2πf)² / (g cos θ)        1
//! K   mean speed over the track's peak speed     1
//! ```
//! The part is a point: a ball whose inertia is too large for it to roll, so that what is left is what textbooks solve.

use core::f32::consts::TAU;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Real, Vec3, Vec6, max};
use tumble::shape::{MassProperties, Shape};
use tumble::twin::{Actuators, Drive, Setpoint, Swing, Twin, Vibrator};
use tumble::world::{Collider, Material, StepSettings};

/// Acceleration of free fall. m/s²
pub const GRAVITY: f32 = 9.81;
/// Radius of the ball. m
const RADIUS: f32 = 2e-3;
/// Mass of the ball. kg So much that what a step's tolerance leaves over, in joule, is no creep to speak of.
const MASS: f32 = 1.0;
/// kg·m² Friction at a lever of 2 mm turns it by nothing to speak of.
const INERTIA: f32 = 1000.0 * MASS;
const POINT: (Shape<f32>, MassProperties<f32>) =
    (Shape::Sphere { radius: RADIUS }, MassProperties { mass: MASS, inertia: Vec3::new(INERTIA, INERTIA, INERTIA) });
/// Cycles until a part moves the same way in every one, and cycles of which the mean is taken. Numbers of Fibonacci: with the golden ratio's share of a step more
/// than a whole number of steps a cycle, both are whole numbers of steps to a hundredth of one.
const SETTLE: f32 = 21.0;
const CYCLES: f32 = 34.0;

/// Steps a cycle so that where in a step things happen is another one in every cycle: what depends on it averages out, as it does on a drive that keeps no step with the controller.
pub fn out_of_step(samples: u16) -> f32 {
    f32::from(samples) + 0.618_034
}

/// A track and what lies on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Track {
    /// tan θ: how much it rises the way it conveys.
    pub rise: f32,
    /// tan ψ
    pub tangent: f32,
    /// Γ
    pub throw: f32,
    /// μ between track and part
    pub friction: f32,
    /// Hz
    pub frequency: f32,
}

impl Track {
    /// How it swings at 100 %.
    pub fn swing(&self) -> Swing {
        let omega = TAU * self.frequency;
        let normal = self.throw * GRAVITY * self.up().z / (omega * omega);
        Swing { normal, tangential: normal / self.tangent, frequency: self.frequency }
    }

    /// Peak speed of the track along itself. m/s
    pub fn peak_speed(&self) -> f32 {
        self.swing().tangential * TAU * self.frequency
    }

    fn orientation(&self) -> Quat<f32> {
        // tan θ/2
        let half = self.rise / (1.0 + Real::sqrt(1.0 + self.rise * self.rise));
        Quat::new(1.0, 0.0, -half, 0.0).unwrap_or(Quat::IDENTITY)
    }

    /// Off the track.
    fn up(&self) -> Vec3<f32> {
        self.orientation().turn(Vec3::new(0.0, 0.0, 1.0))
    }

    /// One of all the tracks that have this throw number, hold and slope, as [`FeedTable`](tumble::twin::FeedTable) has them. One that does not throw at all
    /// throws a little: nothing changes any more below a thousandth.
    pub fn like(throw: f32, hold: f32, slope: f32) -> Self {
        let (friction, throw) = (0.3, max(throw, 1e-3));
        let tangent = throw * hold / (1.0 - hold) / friction;
        Self { rise: slope * friction, tangent, throw, friction, frequency: 50.0 }
    }

    /// K of the resolved drive, once it is as it will be. Where nothing swings nothing moves.
    ///
    /// # Errors
    /// What a world or a plant refuses.
    pub fn resolved_share(&self, samples: f32) -> Result<f64, Error> {
        let peak = self.peak_speed();
        if peak <= 0.0 {
            return Ok(0.0);
        }
        // friction brings a part to the track's speed in Γ/2πm cycles
        let slow = self.throw / (TAU * self.friction * self.tangent);
        let settle = SETTLE + ((4.0 * slow) as u32) as f32;
        Ok(self.resolved_speed_for(samples, settle, CYCLES)? / f64::from(peak))
    }

    /// Mean speed of a part with the drive resolved by so many steps a cycle. m/s
    ///
    /// # Errors
    /// What a world or a plant refuses.
    pub fn resolved_speed(&self, samples: f32) -> Result<f64, Error> {
        self.resolved_speed_for(samples, SETTLE, CYCLES)
    }

    /// The same, after so many cycles the mean of so many: where parts come round once in many cycles, or never.
    ///
    /// # Errors
    /// As [`resolved_speed`](Self::resolved_speed).
    pub fn resolved_speed_for(&self, samples: f32, settle: f32, cycles: f32) -> Result<f64, Error> {
        self.conveyed(Conveyor::new(self, Drive::Resolved)?, samples, settle, cycles)
    }

    /// As [`resolved_speed`](Self::resolved_speed), but the track's surface has so many times the friction of the pair, and the part so much less.
    ///
    /// # Errors
    /// As [`resolved_speed`](Self::resolved_speed).
    pub fn resolved_speed_of_unlike(&self, samples: f32, times: f32) -> Result<f64, Error> {
        let conveyor = Conveyor::with_surfaces(self, Drive::Resolved, POINT, RADIUS, times)?;
        self.conveyed(conveyor, samples, SETTLE, CYCLES)
    }

    fn conveyed(&self, mut conveyor: Conveyor, samples: f32, settle: f32, cycles: f32) -> Result<f64, Error> {
        let h = 1.0 / (self.frequency * samples);
        let nearest = |steps: f32| (steps + 0.5) as u32;
        conveyor.run(h, nearest(settle * samples))?;
        let steps = nearest(cycles * samples);
        let way = conveyor.run(h, steps)?;
        Ok(way / (f64::from(steps) * f64::from(h)))
    }

    /// Mean speed of a part on a surface that stands for the track, by steps of `h` seconds. m/s
    ///
    /// # Errors
    /// As [`resolved_speed`](Self::resolved_speed).
    pub fn averaged_speed(&self, drive: Drive, h: f32) -> Result<f64, Error> {
        let mut conveyor = Conveyor::new(self, drive)?;
        // friction brings the part to this speed, and the slope takes its share
        let push = GRAVITY * (self.friction - Real::abs(self.rise));
        let settle = 0.1 + if push > 0.0 { 1.5 * self.peak_speed() / push } else { 1.0 };
        conveyor.run(h, (settle / h) as u32)?;
        let steps = (0.25 / h) as u32;
        let way = conveyor.run(h, steps)?;
        Ok(way / (f64::from(steps) * f64::from(h)))
    }
}

/// The track in a twin, with a part on it, switched on.
#[derive(Clone, Debug)]
pub struct Conveyor {
    twin: Twin<2, 4, 12, 2, 0>,
    part: BodyId,
    actuators: Actuators,
    /// Along the track.
    along: Vec3<f32>,
}

impl Conveyor {
    /// A point on a track.
    ///
    /// # Errors
    /// What a world or a plant refuses.
    pub fn new(track: &Track, drive: Drive) -> Result<Self, Error> {
        Self::with_part(track, drive, POINT, RADIUS)
    }

    /// A part on a track, its middle so high above it. m
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_part(
        track: &Track,
        drive: Drive,
        part: (Shape<f32>, MassProperties<f32>),
        height: f32,
    ) -> Result<Self, Error> {
        Self::with_surfaces(track, drive, part, height, 1.0)
    }

    /// The same, the friction of the track's own surface so many times that of the pair.
    fn with_surfaces(
        track: &Track,
        drive: Drive,
        (shape, mass): (Shape<f32>, MassProperties<f32>),
        height: f32,
        times: f32,
    ) -> Result<Self, Error> {
        let mut twin = Twin::new();
        let (orientation, up) = (track.orientation(), track.up());
        let along = orientation.turn(Vec3::new(1.0, 0.0, 0.0));
        let material = |friction: f32| Material { friction, ..Material::default() };
        let (of_track, of_part) = (material(track.friction * times), material(track.friction / times));
        let place = Pose { position: Vec3::default(), orientation };
        let body = twin.world.add_body(Body::new(Motion::Kinematic, place)?)?;
        twin.world.add_collider(body, Collider { material: of_track, ..Collider::new(Shape::HalfSpace) })?;
        let swing = track.swing();
        let swing = Vec6::new(along * swing.tangential + up * swing.normal, Vec3::default());
        twin.plant.add_vibrator(&twin.world, Vibrator { body, swing, phase: 0.0, ramp_time: 0.0, drive })?;
        let place = Pose { position: up * height, orientation };
        let part = twin.world.add_body(Body::new(Motion::Dynamic(mass), place)?)?;
        twin.world.add_collider(part, Collider { material: of_part, ..Collider::new(shape) })?;
        let mut actuators = Actuators::OFF;
        actuators.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: track.frequency };
        Ok(Self { twin, part, actuators, along })
    }

    /// So many steps of `h` seconds; how far the part got along the track. m
    ///
    /// # Errors
    /// What a world or a plant refuses.
    pub fn run(&mut self, h: f32, steps: u32) -> Result<f64, Error> {
        let settings = StepSettings::default();
        let mut way = 0.0;
        for _ in 0..steps {
            let _ = self.twin.step(h, &settings, &self.actuators)?;
            let body = self.twin.world.body_mut(self.part)?;
            let position = body.pose().position;
            let along = position.dot(self.along);
            // back to where numbers are fine: a track looks the same everywhere
            if Real::abs(along) > 1e-2 {
                way += f64::from(along);
                let pose = Pose { position: position - self.along * along, ..*body.pose() };
                body.set_pose(pose)?;
            }
        }
        let body = self.twin.world.body_mut(self.part)?;
        let position = body.pose().position;
        let along = position.dot(self.along);
        body.set_pose(Pose { position: position - self.along * along, ..*body.pose() })?;
        Ok(way + f64::from(along))
    }
}
