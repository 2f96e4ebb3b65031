//! A linear feeder: round caps queue up in a vibrating rail, an escapement hands them over one by one, a hopper fills up what has gone.
//!
//! ```text
//! cap          round outline r = 8 mm, 2 g, μ = 0.3; the rail keeps it upright
//! rail         channel along x, 17 mm wide, 50 Hz, averaged drive, soft start 0.1 s; full beam at x = 108 mm, escapement at x = 300 mm
//! hopper       5 caps a second into the rail at x = 0, while the beam at x = 20 mm is clear
//! escapement   stop and separator, 20 ms each; beams in front of the stop and behind it
//! demand       one cap every 700 ms; where none waits at its time, the machine starves until one does
//! ```
//! Twelve caps stand between the full beam and the stop. Track control stops the rail when the beam has been interrupted for t_off and starts it when it has been
//! clear for t_on.

use crate::control::{Escapement, EscapementPins, TrackControl};
use crate::scene::AnyWorld;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use embedded_hal::pwm::SetDutyCycle;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Cylinder, Drive, FEED_TABLE, Hopper, LightBarrier, PartKind, Plant, Region, Sensors, Switching,
    Terminals, Vibrator, Zone, track,
};
use tumble::world::{Collider, Material, StepReport, StepSettings};
use tumble::{Error, Method, Settings, Start};

/// A linear feeder with its controller.
#[derive(Clone, Copy, Debug)]
pub struct LinearFeeder<C = FeederControl> {
    /// Its controller.
    pub control: C,
    steps: u32,
    track_steps: u32,
    /// m
    penetration: f32,
}

/// 16 caps: fits a microcontroller.
pub type SmallLinearFeeder = TwinStage<LinearFeeder, 19, 44, 132, 22>;

/// Controls a linear feeder through its terminals.
pub trait ControlFeeder {
    /// Before the first tick.
    const NEW: Self;

    /// One tick.
    ///
    /// # Errors
    /// As [`TwinScript::control`].
    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error>;

    /// Caps that it believes to have let go, and those that were not there when they were wanted.
    fn released_and_missed(&self) -> (u32, u32);
}

/// Radius of a cap. m
pub const RADIUS: f32 = 8e-3;
const DENSITY: f32 = 932.0;
const FRICTION: f32 = 0.3;
/// The rail's closed end. m
const BACK: f32 = -0.014;
/// Height of a cap's centre over the floor of the rail. m
const CENTRE: f32 = RADIUS;
/// Face of the stop. m
const STOP: f32 = 0.3;
/// Beams. m
const FULL_BEAM: f32 = 0.108;
const HOPPER_BEAM: f32 = 0.02;
/// How far the stop goes up. m
const LIFT: f32 = 0.02;
/// The separator comes down between two caps to so much above their centres, where they are 2.8 mm apart; it is 2 mm thick. m
const SEPARATOR: (f32, f32) = (4.5e-3, 1e-3);

/// Channels of terminals.
mod channel {
    pub(super) const RAIL: usize = 0;
    pub(super) const HOPPER: usize = 0;
    pub(super) const STOP: usize = 0;
    pub(super) const SEPARATOR: usize = 1;
    pub(super) const FULL: usize = 0;
    pub(super) const HOPPER_BEAM: usize = 1;
    pub(super) const WAITING: usize = 2;
    pub(super) const LEAVING: usize = 3;
    pub(super) const OUT: usize = 0;
}

impl<C: ControlFeeder> TwinScript for LinearFeeder<C> {
    const NEW: Self = Self { control: C::NEW, steps: 0, track_steps: 0, penetration: 0.0 };
    const STEPS: u32 = 30_000;
    const ITERATIONS: u32 = 3;

    /// Few sweeps, each of them cheap: a queue goes on from the impulses of the step before, without a look at them, and acceleration has nothing to work on in
    /// three sweeps.
    fn settings() -> StepSettings<f32> {
        let usual = StepSettings::default();
        let (method, start) = (Method::Block, Start::Trusted);
        let solve = Settings { iterations: Self::ITERATIONS, method, start, ..usual.solve };
        StepSettings { solve, ..usual }
    }

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant) -> Result<(), Error> {
        let surface = Material { friction: FRICTION, ..Material::default() };
        let rail = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        track::add_channel(world, rail, 2.0 * RADIUS + 1e-3, surface)?;
        let (back, half) = (Pose::at(Vec3::new(BACK, 0.0, 0.0)), Vec3::new(1e-3, 0.03, 0.05));
        world.add_collider(rail, Collider { pose: back, material: surface, ..Collider::new(Shape::Box { half }) })?;
        let swing = Vec6::new(Vec3::new(0.6e-3, 0.0, 0.22e-3), Vec3::default());
        let drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION };
        plant.add_vibrator(world, Vibrator { body: rail, swing, phase: 0.0, ramp_time: 0.1, drive })?;

        let smooth = Material { friction: 0.1, ..Material::default() };
        let mut add_pin = |x: f32, z: f32, half: Vec3<f32>, stroke: f32| {
            let body = world.add_body(Body::new(Motion::Kinematic, Pose::at(Vec3::new(x, 0.0, z)))?)?;
            let collider = Collider { material: smooth, ..Collider::new(Shape::Box { half }) };
            world.add_collider(body, collider)?;
            let stroke = Vec6::new(Vec3::new(0.0, 0.0, stroke), Vec3::default());
            plant.add_cylinder(world, Cylinder { body, stroke, extend_time: 0.02, retract_time: 0.02 }).map(drop)
        };
        add_pin(STOP + 1e-3, CENTRE, Vec3::new(1e-3, 4e-3, 4e-3), LIFT)?;
        let (above, half) = SEPARATOR;
        let depth = 4e-3;
        let down = CENTRE + above + depth;
        add_pin(STOP - 2.0 * RADIUS, down + LIFT, Vec3::new(half, 4e-3, depth), -LIFT)?;

        let material = surface;
        let shape = Shape::Sphere { radius: RADIUS };
        let part = PartKind { shape, density: DENSITY, material, is_guided: true };
        plant.add_hopper(Hopper {
            part,
            outlet: Vec3::new(0.0, 0.0, CENTRE),
            spread: Vec3::new(3e-3, 0.0, 0.0),
            velocity: Vec3::default(),
            parts_per_second: 5.0,
            jitter: 0.5,
            tumbles: false,
            seed: 1,
        })?;
        // just before the stop: a cap there is within a millimetre of it, and the separator comes down behind it, not on it
        for x in [FULL_BEAM, HOPPER_BEAM, STOP - 1e-3, STOP + 1.25 * RADIUS] {
            let [from, to] = [-0.03, 0.03].map(|y| Vec3::new(x, y, CENTRE));
            let (hysteresis, output) = (Vec3::new(0.2e-3, 0.0, 0.0), Switching::default());
            plant.add_barrier(LightBarrier { from, to, hysteresis, output })?;
        }
        let region = Region { centre: Vec3::new(STOP + 0.1185, 0.0, 0.0), half: Vec3::new(0.1, 1.0, 1.0) };
        plant.add_zone(Zone { region, level: 1, output: Switching::default(), is_sink: true })?;
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.control.tick(terminals)
    }

    fn watch(&mut self, _world: &dyn AnyWorld, actuators: &Actuators, _sensors: &Sensors, report: &StepReport<f32>) {
        self.penetration = max(report.penetration, self.penetration);
        self.steps = self.steps.saturating_add(1);
        if actuators.vibrators.get(channel::RAIL).is_some_and(|rail| rail.run) {
            self.track_steps = self.track_steps.saturating_add(1);
        }
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        let sensors = plant.sensors();
        let out = sensors.zones.get(channel::OUT).map_or(0, |zone| zone.count);
        let minutes = plant.seconds() / 60.0;
        let (released, missed) = self.control.released_and_missed();
        let mut in_rail = 0.0;
        world.for_each_body(&mut |_, body| in_rail += if body.is_dynamic() { 1.0 } else { 0.0 });
        tell("caps_out", out as f32);
        tell("caps_per_minute", if minutes > 0.0 { out as f32 / minutes } else { 0.0 });
        tell("caps_in_rail", in_rail);
        tell("starved", missed as f32);
        tell("miscounted", released as f32 - out as f32);
        tell("rail_on_share", self.track_steps as f32 / if self.steps > 0 { self.steps as f32 } else { 1.0 });
        tell("deepest_penetration_m", self.penetration);
        let refused = sensors.hoppers.get(channel::HOPPER).map_or(0, |hopper| hopper.refused);
        tell("hopper_refused", refused as f32);
    }
}

/// The example controller.
#[derive(Clone, Copy, Debug)]
pub struct FeederControl {
    /// Rail by the full beam.
    pub rail: TrackControl,
    /// Hopper by its own beam: the same control.
    pub hopper: TrackControl,
    /// One cap at a time.
    pub escapement: Escapement,
    /// Ticks from demand to demand.
    pub cycle: u32,
    /// Ticks until the next demand.
    pub wait: u32,
    /// a cap is due
    wanted: bool,
    /// caps that were not there at their time
    missed: u32,
}

impl ControlFeeder for FeederControl {
    const NEW: Self = Self {
        rail: TrackControl::new(300, 400),
        hopper: TrackControl::new(100, 200),
        escapement: Escapement::new(3),
        cycle: 700,
        // time to fill the rail
        wait: 5000,
        wanted: false,
        missed: 0,
    };

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        let mut amplitude = terminals.amplitude(channel::RAIL)?;
        amplitude.set_duty_cycle_percent(100).map_err(|never| match never {})?;
        let (mut beam, mut run) = (terminals.barrier(channel::FULL)?, terminals.vibrator(channel::RAIL)?);
        self.rail.tick(&mut beam, &mut run, self.escapement.is_busy()).map_err(pin_failed)?;
        let (mut beam, mut run) = (terminals.barrier(channel::HOPPER_BEAM)?, terminals.hopper(channel::HOPPER)?);
        self.hopper.tick(&mut beam, &mut run, false).map_err(pin_failed)?;

        self.wait = self.wait.saturating_sub(1);
        if self.wait == 0 {
            self.wait = self.cycle;
            // the one before has not come yet
            self.missed = self.missed.saturating_add(u32::from(self.wanted));
            self.wanted = true;
        }
        let mut pins = EscapementPins {
            waiting: terminals.barrier(channel::WAITING)?,
            leaving: terminals.barrier(channel::LEAVING)?,
            stop_is_down: terminals.retracted(channel::STOP)?,
            separator_is_down: terminals.extended(channel::SEPARATOR)?,
            lift_stop: terminals.valve(channel::STOP)?,
            lower_separator: terminals.valve(channel::SEPARATOR)?,
        };
        if self.escapement.tick(&mut pins, self.wanted).map_err(pin_failed)? {
            self.wanted = false;
        }
        Ok(())
    }

    fn released_and_missed(&self) -> (u32, u32) {
        (self.escapement.released, self.missed)
    }
}
