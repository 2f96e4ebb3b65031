//! Vibratory drives: how a controller's set point moves a track, a plate or a bowl.
//!
//! ```text
//! level     d(level)/dt = ± 1/ramp time, towards the set point, there in time         soft start, soft stop      1
//! φ         φ' = φ + f h, a whole number of 2⁻³² turns                              no drift, no jump when f changes
//! swing     q(t) = q_0 + level · A sin 2π(φ + φ_0)                                   A: m along, rad about axes of the world
//!
//! resolved  the body moves as told, at v = (q(t + h) − q(t))/h of every sub-step, of the swing alone: places far from the origin are rounded too coarsely
//!           its surfaces move besides, at h a'/2                                     friction's share of a step, below
//! averaged  the body stands still; its surfaces move at the mean speed that a table has for parts on such a track
//! ```
//! A step judges friction by which way a part slides at the step's end. Where sliding turns round within the step, at a rate of −a before and a' after, that is too early:
//! by a'h/2 · (1 − a'/a) in velocity, an error of first order in every cycle that does not average out. Seen from a surface that is ahead by h a'/2 it is, and what is left is of
//! second order on the mean over where in a step sliding turns. From what is known of a part that has just stopped sliding,
//!
//! ```text
//! c = g − q''    how a part that nothing holds would leave the track; N = −c·n presses it on, c_t pulls it along          m/s²
//! a' = c_t (1 − μN/|c_t|), or nothing where friction holds it: what sticks does not creep
//! ```
//! with μ of the track's surface, as if parts had the same. (With μ wrong by 40 % most of the gain is left, and what sticks may creep by h|a'|/2 at most.)
//!
//! A linear track swings along one slanted line, a bowl turns about z and rises at once, a plate has a vibrator for each of its axes: the swings of all
//! vibrators of a body add up. So they do averaged: those of one frequency are one swing, with one place in the table; others go on their own, and speeds add up.

use super::feed::{FeedTable, Footing, Swing};
use super::image::Setpoint;
use super::state::persist;
use super::time::{Moment, Pace, Ramp};
use crate::body::{BodyId, Motion};
use crate::check::{from_zero_to_one, moderate, moderate_vector, non_negative, positive};
use crate::error::Error;
use crate::math::{Pose, Real, Vec3, Vec6, waveform};
use crate::shape::Shape;
use crate::world::{AnyWorld, ColliderId};
use core::f32::consts::TAU;
use heapless::Vec;

/// A vibratory drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vibrator {
    /// What it moves: a kinematic body; where it is when it is added is the middle of the swing.
    pub body: BodyId,
    /// Amplitude at 100 %, along and about the world's axes: m, rad, the latter 0.5 at most. A bowl that turns by `angular.z` as it rises by `linear.z`.
    pub swing: Vec6<f32>,
    /// φ_0: how far ahead of the first it swings, of another axis of the same plate. Turns, 0 … 1. Averaged only 0, ½ or 1: with others a plate goes round
    /// ellipses, and the table is of straight swings.
    pub phase: f32,
    /// How long a soft start takes from nothing to 100 %, and a stop. s
    pub ramp_time: f32,
    /// How the track moves parts.
    pub drive: Drive,
}

/// How a vibrating track moves parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// By its swing, with sub-steps that resolve it: 200 a cycle, better not a whole number, so that what depends on where in a step things happen averages
    /// out (50.1 Hz at 0.1 ms, say). What is set as velocity of the body's surfaces is overwritten.
    Resolved,
    /// By surface velocities from a table, at steps of any length. What is set as velocity of the body's surfaces is overwritten.
    ///
    /// A surface has one velocity, that of its middle: what turns is to be made of plates that are short beside their radius, as [`BowlTrack`](super::track::BowlTrack) makes them. A floor that is one plane round
    /// the axis of a bowl conveys nothing.
    ///
    /// Vibrators of a body that are set to the same frequency swing together, as their [`phase`](Vibrator::phase) says, whatever they were set to before: they are one swing,
    /// and the first of them says table and friction. Beyond its ends a table's share of the peak speed stays as at the end: [`FEED_TABLE`](super::FEED_TABLE) has throw numbers up to 3.2,
    /// holds of 0.004 to 0.7, and tracks that climb or fall by up to 0.6 of what friction holds.
    Averaged {
        /// What the resolved drive comes to.
        table: &'static FeedTable,
        /// Between track and parts, as if they stood on level ground: μ. In a groove tilted by t to either side they are pressed on more, as by μ/cos t, and on a track
        /// banked by β, leaning on a wall, as by μ (cos β + sin β). (1)
        friction: f32,
    },
}

/// What turns further is off its arc by more than 2 · 10⁻⁴ rad. rad
const WIDEST: f32 = 0.5;

/// Surfaces that are looked up in one go.
const SURFACES: usize = 8;

/// A surface of a body that vibrates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Surface {
    pub(super) id: ColliderId,
    /// in the world, at the middle of the swing
    pose: Pose<f32>,
    /// it has a top to stand on: its own z is off it
    is_flat: bool,
    pub(super) friction: f32,
    /// as it is set, in the collider's frame. m/s
    velocity: Vec3<f32>,
}

const Z: Vec3<f32> = Vec3::new(0.0, 0.0, 1.0);
/// cos 25°: what is steeper is a wall, or the side of a groove.
const NEARLY_LEVEL: f32 = 0.9;
/// Square of the sine of 10⁻⁵ rad: what leans to the side by less stands upright.
const LEANING: f32 = 1e-10;

impl Surface {
    /// Where parts that `swing` moves are thrown off it: its own z where that is nearly the track's, as on plates of a bowl that climb; the track's where it only leads them.
    /// What leans to the side of the way parts go, a bank or a groove, does not climb.
    fn up(&self, track_up: Vec3<f32>, swing: Vec3<f32>) -> Vec3<f32> {
        if !self.is_flat {
            return track_up;
        }
        let own = self.pose.orientation.turn(Z);
        let side = track_up.cross(swing);
        let (square, lean) = (side.dot(side), own.dot(side));
        // what rounding makes is no lean
        let own = if lean * lean > LEANING * square {
            let upright = own - side * (lean / square);
            // vertical wall: nothing is left of it
            upright.unit().map_or(track_up, |(up, _)| up)
        } else {
            own
        };
        if own.dot(track_up) > NEARLY_LEVEL { own } else { track_up }
    }
}

/// A vibrator in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vibrating {
    pub(super) settings: Vibrator,
    /// Middle of the swing.
    pub(super) rest: Pose<f32>,
    starting: Pace,
    pub(super) state: Phase,
    /// As it was set last. Hz
    frequency: f32,
    /// What is left of the amplitude it is to have in this step, 0 … 1: faults take the rest.
    pub(super) health: f32,
    /// Where it was off the middle a sub-step ago: m, rad.
    was: Vec6<f32>,
    /// What the speed of its surfaces was computed from; none if that is to be done anew.
    told: Option<Told>,
}

/// All that the speed of an averaged drive depends on: level, frequency, wear; gravity.
type Told = ([f32; 3], Vec3<f32>);

/// How far it is in its swing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    /// φ, in 2⁻³² turns
    turn: u32,
    /// share of the amplitude at 100 %, 0 … 1
    level: Ramp,
    /// By how much the friction of its surfaces has changed: that of parts on them by the root of it, for two frictions make their geometric mean. (1)
    pub(super) wear: f32,
}
persist!(Phase { turn, level, wear }, |phase| {
    from_zero_to_one(phase.level.share(), "level")?;
    non_negative(phase.wear, "wear")
});

impl Vibrator {
    fn check(&self) -> Result<(), Error> {
        moderate_vector(self.swing.linear, "swing")?;
        moderate_vector(self.swing.angular, "swing")?;
        if length(self.swing.angular) > WIDEST {
            return Err(Error::OutOfRange("swing"));
        }
        if !(0.0..=1.0).contains(&self.phase) {
            return Err(Error::OutOfRange("phase"));
        }
        non_negative(self.ramp_time, "ramp_time")?;
        match self.drive {
            Drive::Resolved => Ok(()),
            Drive::Averaged { table, friction } => {
                if ![0.0, 0.5, 1.0].contains(&self.phase) {
                    return Err(Error::OutOfRange("phase"));
                }
                non_negative(friction, "friction")?;
                moderate(friction, "friction")?;
                table.check()
            }
        }
    }
}

impl Vibrating {
    pub(super) fn new(settings: Vibrator, world: &dyn AnyWorld) -> Result<Self, Error> {
        settings.check()?;
        let rest = rest_of(world, settings.body)?;
        Ok(Self {
            settings,
            rest,
            starting: Pace::new(settings.ramp_time),
            state: Phase { turn: 0, level: Ramp::default(), wear: 1.0 },
            frequency: 0.0,
            health: 1.0,
            was: Vec6::ZERO,
            told: None,
        })
    }

    /// Tell all surfaces again: there may be others.
    pub(super) fn forget(&mut self) {
        self.told = None;
    }

    /// Move on by a sub-step towards a set point.
    pub(super) fn advance(&mut self, setpoint: &Setpoint, now: Moment) {
        self.was = self.displacement();
        // what is lost fades as a soft stop does
        let target = if setpoint.run { setpoint.amplitude_percent * 0.01 * self.health } else { 0.0 };
        self.state.level.advance(target, now.elapsed, &self.starting);
        self.frequency = setpoint.frequency_hz;
        // a cast saturates, a frequency of more than one turn a sub-step is aliased: only the fraction counts
        let turns = self.frequency * now.h;
        let whole = libm::floorf(turns);
        let advance = ((turns - whole) * 4_294_967_296.0) as u32;
        self.state.turn = self.state.turn.wrapping_add(advance);
    }

    /// Where it is off the middle now: m, rad.
    fn displacement(&self) -> Vec6<f32> {
        if self.settings.drive != Drive::Resolved {
            return Vec6::ZERO;
        }
        let phase = self.state.turn as f32 / 4_294_967_296.0 + self.settings.phase;
        self.settings.swing * (self.state.level.share() * waveform::sin(phase * TAU))
    }

    /// How that accelerates: m/s², rad/s².
    fn acceleration(&self) -> Vec6<f32> {
        let omega = TAU * self.frequency;
        self.displacement() * -(omega * omega)
    }

    /// Amplitude of an averaged drive: m, rad. Half a turn ahead is the other way.
    fn amplitude(&self) -> Vec6<f32> {
        let sign = if self.settings.phase == 0.5 { -1.0 } else { 1.0 };
        self.settings.swing * (sign * self.state.level.share())
    }

    /// Velocity of a surface that all averaged drives `of_body` with this one's frequency come to, if it is the first of them; world frame. m/s
    fn surface_velocity<'a>(
        &self,
        of_body: impl Iterator<Item = &'a Self> + Clone,
        surface: &Surface,
        gravity: Vec3<f32>,
    ) -> Vec3<f32> {
        let Drive::Averaged { table, friction } = self.settings.drive else { return Vec3::default() };
        let together = of_body.filter(|other| {
            matches!(other.settings.drive, Drive::Averaged { .. }) && other.frequency == self.frequency
        });
        if !together.clone().next().is_some_and(|first| core::ptr::eq(first, self)) {
            return Vec3::default();
        }
        let Vec6 { linear, angular } = together.fold(Vec6::ZERO, |sum, other| sum + other.amplitude());
        let swing = linear + angular.cross(surface.pose.position - self.rest.position);
        let up = surface.up(self.rest.orientation.turn(Z), swing);
        let normal = swing.dot(up);
        let along = swing - up * normal;
        let tangential = length(along);
        if tangential <= 0.0 {
            return Vec3::default();
        }
        // forward is where it goes as it rises
        let forward = along * (if normal < 0.0 { -1.0 } else { 1.0 } / tangential);
        let swing = Swing { normal: normal.abs(), tangential, frequency: self.frequency };
        let friction = friction * Real::sqrt(self.state.wear);
        let footing = Footing { friction, press: -gravity.dot(up), pull: -gravity.dot(forward) };
        forward * table.speed(&swing, &footing)
    }
}

/// Tell every body that vibrates how to move within the next `h` seconds, and every surface that stands for one.
pub(super) fn drive(
    vibrators: &mut [Vibrating],
    world: &mut dyn AnyWorld,
    gravity: Vec3<f32>,
    h: f32,
) -> Result<(), Error> {
    let now = |vibrator: &Vibrating| {
        let Phase { level, wear, .. } = vibrator.state;
        Some(([level.share(), vibrator.frequency, wear], gravity))
    };
    let is_news =
        vibrators.iter().any(|vibrator| vibrator.settings.drive == Drive::Resolved || vibrator.told != now(vibrator));
    move_bodies(vibrators, world, gravity, h, is_news)?;
    // now they have been told
    for vibrator in vibrators.iter_mut() {
        vibrator.told = now(vibrator);
    }
    Ok(())
}

fn move_bodies(
    vibrators: &[Vibrating],
    world: &mut dyn AnyWorld,
    gravity: Vec3<f32>,
    h: f32,
    is_news: bool,
) -> Result<(), Error> {
    for (index, first) in (0_usize..).zip(vibrators) {
        let body = first.settings.body;
        let same = |other: &&Vibrating| other.settings.body == body;
        if vibrators.iter().take(index).any(|other| same(&other)) {
            continue;
        }
        let all = || vibrators.iter().filter(same);
        let was = all().fold(Vec6::ZERO, |sum, vibrator| sum + vibrator.was);
        let off = all().fold(Vec6::ZERO, |sum, vibrator| sum + vibrator.displacement());
        follow(world, body, &first.rest.moved(was, 1.0), off - was, h)?;

        if !is_news {
            continue;
        }
        // at rest nothing is ahead of anything
        let swings =
            all().any(|vibrator| vibrator.settings.drive == Drive::Resolved && !vibrator.state.level.is_zero());
        let swing = swings.then(|| all().fold(Vec6::ZERO, |sum, vibrator| sum + vibrator.acceleration()));
        for_each_surface(world, body, &first.rest, &mut |world, surface| {
            let ahead = swing.map_or_else(Vec3::default, |swing| {
                let acceleration = swing.linear + swing.angular.cross(surface.pose.position - first.rest.position);
                let up = surface.up(first.rest.orientation.turn(Z), acceleration);
                slipping(gravity - acceleration, up, surface.friction) * (0.5 * h)
            });
            let velocity = all().fold(ahead, |sum, vibrator| sum + vibrator.surface_velocity(all(), surface, gravity));
            let velocity = surface.pose.orientation.inverse().turn(velocity);
            // what overflows, of a surface at the end of the world, is left as it is
            let is_news = velocity != surface.velocity && velocity.is_finite();
            if is_news { world.set_surface_velocity(surface.id, velocity) } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// a': how a part on a surface that `free` pulls it off begins to slide, or nothing where it sticks or flies. m/s²
fn slipping(free: Vec3<f32>, up: Vec3<f32>, friction: f32) -> Vec3<f32> {
    let press = -free.dot(up);
    let along = free + up * press;
    let pull = length(along);
    let held = friction * press;
    if press > 0.0 && pull > held { along * (1.0 - held / pull) } else { Vec3::default() }
}

/// Do something for every surface of a body, a few at a time: whoever looks at a world cannot change it.
pub(super) fn for_each_surface(
    world: &mut dyn AnyWorld,
    body: BodyId,
    rest: &Pose<f32>,
    change: &mut dyn FnMut(&mut dyn AnyWorld, &Surface) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut done = 0_usize;
    loop {
        let mut some = Vec::<Surface, SURFACES>::new();
        let mut seen = 0_usize;
        world.for_each_collider(&mut |id, of, collider| {
            if of != body {
                return;
            }
            if seen >= done {
                let (pose, friction) = (rest.then(&collider.pose), collider.material.friction);
                let is_flat = matches!(collider.shape, Shape::Box { .. } | Shape::HalfSpace);
                // the rest when these are done
                let _ = some.push(Surface { id, pose, is_flat, friction, velocity: collider.surface_velocity });
            }
            seen = seen.saturating_add(1);
        });
        some.iter().try_for_each(|surface| change(world, surface))?;
        done = done.saturating_add(some.len());
        if done >= seen {
            return Ok(());
        }
    }
}

fn length(v: Vec3<f32>) -> f32 {
    Real::sqrt(v.dot(v))
}

/// Where a body is that is to move as told: nothing else may move it, and something must.
pub(super) fn rest_of(world: &dyn AnyWorld, id: BodyId) -> Result<Pose<f32>, Error> {
    let body = world.body(id)?;
    if *body.motion() == Motion::Kinematic { Ok(*body.pose()) } else { Err(Error::OutOfRange("motion")) }
}

/// Share of what a body is off its path that is put right in a sub-step. All of it would be the rounding of its place over `h`: at 1 m and 0.05 ms, a millimetre a second of noise.
const PUT_RIGHT: f32 = 1.0 / 64.0;

/// Move a kinematic body that should be at `from` now by `way` within `h` seconds: the finite difference of its path. No error adds up.
pub(super) fn follow(
    world: &mut dyn AnyWorld,
    id: BodyId,
    from: &Pose<f32>,
    way: Vec6<f32>,
    h: f32,
) -> Result<(), Error> {
    positive(h, "h")?;
    let body = world.body_mut(id)?;
    let pose = body.pose();
    let off = Vec6::new(from.position - pose.position, from.orientation.turn_since(pose.orientation));
    // what stands still stands where it should
    let share = if way == Vec6::ZERO { 1.0 } else { PUT_RIGHT };
    let velocity = (way + off * share) * (1.0 / h);
    // nothing comes back from the end of the world
    body.set_velocity(if velocity.is_finite() { velocity } else { Vec6::ZERO })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::twin::{Actuators, Twin};
    use crate::world::{Collider, Material, StepSettings};

    const H: f32 = 1e-4;
    const NOW: Moment = Moment { at: H, h: H, elapsed: 100_000 };
    /// What a sine is off by, of an amplitude.
    const SINE: f32 = if cfg!(feature = "micromath") { 2e-3 } else { 1e-6 };

    type Plate = Twin<1, 1, 3, 1, 0>;

    fn plate(vibrators: &[Vibrator]) -> (Plate, BodyId) {
        let mut twin = Plate::new();
        let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        let material = Material { friction: 0.3, ..Material::default() };
        twin.world.add_collider(body, Collider { material, ..Collider::new(Shape::HalfSpace) }).unwrap();
        for vibrator in vibrators {
            twin.plant.add_vibrator(&twin.world, Vibrator { body, ..*vibrator }).unwrap();
        }
        (twin, body)
    }

    fn vibrator(linear: Vec3<f32>, ramp_time: f32) -> Vibrator {
        // the only body of a plate, whichever plate
        let (_, body) = plate(&[]);
        Vibrator { body, swing: Vec6::new(linear, Vec3::default()), phase: 0.0, ramp_time, drive: Drive::Resolved }
    }

    fn on(amplitude_percent: f32, frequency_hz: f32) -> Actuators {
        let setpoint = Setpoint { run: true, amplitude_percent, frequency_hz };
        Actuators { vibrators: [setpoint; 4], ..Actuators::OFF }
    }

    /// Where the plate is after every step.
    fn path(twin: &mut Plate, body: BodyId, steps: u32, actuators: &Actuators) -> std::vec::Vec<Vec3<f32>> {
        let settings = StepSettings::default();
        (0..steps)
            .map(|_| {
                let _ = twin.step(H, &settings, actuators).unwrap();
                twin.world.body(body).unwrap().pose().position
            })
            .collect()
    }

    fn largest(path: &[Vec3<f32>]) -> f32 {
        path.iter().fold(0.0, |most, at| if at.x.abs() > most { at.x.abs() } else { most })
    }

    #[test]
    fn a_soft_start_rises_evenly_and_a_stop_falls_evenly() {
        let setpoint = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
        let mut vibrating = Vibrating::new(vibrator(Vec3::new(1e-3, 0.0, 0.0), 0.1), &plate(&[]).0.world).unwrap();
        for k in 1_u16..=1200 {
            vibrating.advance(&setpoint, NOW);
            let expected = if k < 1000 { f32::from(k) * 1e-3 } else { 1.0 };
            assert!((vibrating.state.level.share() - expected).abs() < 1e-7, "{k}: {}", vibrating.state.level.share());
        }
        for k in 1_u16..=1200 {
            vibrating.advance(&Setpoint { run: false, ..setpoint }, NOW);
            let expected = if k < 1000 { 1.0 - f32::from(k) * 1e-3 } else { 0.0 };
            assert!((vibrating.state.level.share() - expected).abs() < 1e-7, "{k}: {}", vibrating.state.level.share());
        }
        assert_eq!(vibrating.state.level.share(), 0.0);
    }

    #[test]
    fn the_body_is_where_the_sine_is_and_half_the_set_point_is_half_the_swing() {
        let swing = 1e-3;
        for percent in [100.0, 50.0] {
            let (mut twin, body) = plate(&[vibrator(Vec3::new(swing, 0.0, 0.0), 0.0)]);
            let path = path(&mut twin, body, 400, &on(percent, 50.0));
            let amplitude = swing * percent * 0.01;
            for (k, at) in (1_u16..).zip(&path) {
                let exact = f64::from(amplitude) * libm::sin(f64::from(k) * core::f64::consts::TAU / 200.0);
                assert!((f64::from(at.x) - exact).abs() < f64::from(swing * SINE * 2.0), "{k}: {at:?}");
            }
            assert!((largest(&path) / amplitude - 1.0).abs() < SINE * 2.0);
        }
    }

    /// Wherever it stands: single precision has 0.06 µm at a metre, which over a sub-step is a speed that a part would feel.
    #[test]
    fn a_track_swings_far_from_the_origin_as_it_does_there() {
        let swing = 0.1e-3;
        let speeds = |place: Vec3<f32>| {
            let (mut twin, body) = plate(&[]);
            twin.world.body_mut(body).unwrap().set_pose(Pose::at(place)).unwrap();
            let vibrator = Vibrator { body, ..vibrator(Vec3::new(swing, 0.0, swing), 0.0) };
            twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
            let settings = StepSettings::default();
            (0..4000)
                .map(|_| {
                    let _ = twin.step(5e-5, &settings, &on(100.0, 100.0)).unwrap();
                    let body = twin.world.body(body).unwrap();
                    assert!((body.pose().position.z - place.z).abs() < 1.01 * swing, "{:?}", body.pose());
                    body.velocity().linear.z
                })
                .collect::<std::vec::Vec<_>>()
        };
        let here = speeds(Vec3::default());
        for place in [Vec3::new(0.7, 0.0, 0.7), Vec3::new(1.5, -2.0, 1.5), Vec3::new(0.0, 0.0, 7.0)] {
            for (far, near) in speeds(place).into_iter().zip(&here) {
                // of 0.06 m/s; the place alone would be off by 0.01 m/s at 7 m
                assert!((far - near).abs() < 1e-3, "{place:?}: {far} {near}");
            }
        }
    }

    #[test]
    fn what_is_lost_of_an_amplitude_fades() {
        let (mut twin, body) = plate(&[vibrator(Vec3::new(0.3e-3, 0.0, 0.0), 0.1)]);
        let fastest = |twin: &mut Plate, health: f32| {
            (0..3000).fold(0.0, |most, _| {
                twin.plant.vibrators[0].health = health;
                let _ = twin.step(H, &StepSettings::default(), &on(100.0, 50.0)).unwrap();
                let speed = twin.world.body(body).unwrap().velocity().linear.x.abs();
                if speed > most { speed } else { most }
            })
        };
        let sound = fastest(&mut twin, 1.0);
        assert!((sound - 0.0942).abs() < 1e-3, "{sound}");
        // no blow as it begins, nor as it ends
        assert!(fastest(&mut twin, 0.5) < 1.02 * sound);
        assert!((fastest(&mut twin, 0.5) / sound - 0.5).abs() < 0.01);
        assert!(fastest(&mut twin, 1.0) < 1.02 * sound);
    }

    #[test]
    fn another_frequency_goes_on_where_the_last_one_was() {
        let swing = 1e-3;
        let (mut twin, body) = plate(&[vibrator(Vec3::new(swing, 0.0, 0.0), 0.0)]);
        let mut places = path(&mut twin, body, 333, &on(100.0, 50.0));
        places.extend(path(&mut twin, body, 500, &on(100.0, 61.0)));
        // no step is longer than the faster drive's fastest
        let most = swing * TAU * 61.0 * H;
        for pair in places.windows(2) {
            let step = (pair[1].x - pair[0].x).abs();
            assert!(step <= most + swing * SINE * 4.0, "{step} {most}");
        }
        // a whole turn later: 333 steps of 0.005 turns and k of 0.0061
        let exact = |k: f64| f64::from(swing) * libm::sin((333.0 * 0.005 + k * 0.0061) * core::f64::consts::TAU);
        let at = f64::from(places[333 + 499].x);
        assert!((at - exact(500.0)).abs() < f64::from(swing) * (f64::from(SINE) + 1e-4), "{at}");
    }

    #[test]
    fn vibrators_of_one_body_add_up() {
        let x = vibrator(Vec3::new(1e-3, 0.0, 0.0), 0.0);
        let y = vibrator(Vec3::new(0.0, 2e-3, 0.0), 0.0);
        let z = Vibrator { phase: 0.25, ..vibrator(Vec3::new(0.0, 0.0, 3e-3), 0.0) };
        let together = {
            let (mut twin, body) = plate(&[x, y, z]);
            path(&mut twin, body, 300, &on(100.0, 50.0))
        };
        let alone = [x, y, z].map(|one| {
            let (mut twin, body) = plate(&[one]);
            path(&mut twin, body, 300, &on(100.0, 50.0))
        });
        for (k, at) in together.iter().enumerate() {
            let sum = alone[0][k] + alone[1][k] + alone[2][k];
            let off = *at - sum;
            assert!(off.dot(off) < 1e-16, "{k}: {at:?} {sum:?}");
        }
    }

    #[test]
    fn surfaces_are_ahead_only_where_parts_slip() {
        let up = Vec3::new(0.0, 0.0, 1.0);
        let slips = |x: f32, z: f32| slipping(Vec3::new(x, 0.0, z), up, 0.3);
        // friction holds 3 m/s² of a pull, and gives what is beyond it
        assert_eq!(slips(2.9, -10.0), Vec3::default());
        assert!((slips(5.0, -10.0).x - 2.0).abs() < 1e-6);
        assert!((slips(-5.0, -10.0).x + 2.0).abs() < 1e-6);
        // nothing holds what flies, and nothing slips that is not there
        assert_eq!(slips(5.0, 1.0), Vec3::default());
        // at rest every surface is still
        let (mut twin, _) = plate(&[vibrator(Vec3::new(1e-3, 0.0, 0.0), 0.0)]);
        let settings = StepSettings { gravity: Vec3::new(-8.0, 0.0, -9.0), ..StepSettings::default() };
        let surface = |twin: &Plate| {
            let mut velocity = Vec3::default();
            twin.world.for_each_collider(&mut |_, _, collider| velocity = collider.surface_velocity);
            velocity
        };
        let _ = twin.step(H, &settings, &on(100.0, 50.0)).unwrap();
        assert!(surface(&twin).x < 0.0);
        let _ = twin.step(H, &settings, &Actuators::OFF).unwrap();
        assert_eq!(surface(&twin), Vec3::default());
    }
}
