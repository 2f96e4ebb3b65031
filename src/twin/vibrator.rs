//! Vibratory drives: how a controller's set point moves a track, a plate or a bowl.
//!
//! ```text
//! level     d(level)/dt = ± 1/ramp time, towards the set point                       soft start, soft stop      1
//! φ         φ' = φ + f h, a whole number of 2⁻³² turns                              no drift, no jump when f changes
//! swing     q(t) = q_0 + level · A sin 2π(φ + φ_0)                                   A: m along, rad about axes of the world
//!
//! resolved  the body moves as told, at v = (q(t + h) − q(t))/h of every sub-step: it is where the path is
//! averaged  the body stands still; its surfaces move at the mean speed that a table has for parts on such a track
//! ```
//! A linear track swings along one slanted line, a bowl turns about z and rises at once, a plate has a vibrator for each of its axes: the swings of all
//! vibrators of a body add up.

use super::feed::{FeedTable, Swing};
use super::image::Setpoint;
use super::state::persist;
use crate::body::BodyId;
use crate::check::{non_negative, positive};
use crate::error::Error;
use crate::math::{Pose, Vec3, Vec6, clamp, waveform};
use crate::world::{AnyWorld, Collider, ColliderId};
use core::f32::consts::TAU;
use heapless::Vec;

/// A vibratory drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vibrator {
    /// What it moves: a kinematic body; where it is when it is added is the middle of the swing.
    pub body: BodyId,
    /// Amplitude at 100 %, along and about the world's axes: m, rad. A bowl that turns by `angular.z` as it rises by `linear.z`.
    pub swing: Vec6<f32>,
    /// φ_0: how far ahead of the first it swings, of another axis of the same plate. Turns, 0 … 1.
    pub phase: f32,
    /// How long a soft start takes from nothing to 100 %, and a stop. s
    pub ramp_time: f32,
    /// How the track moves parts.
    pub drive: Drive,
}

/// How a vibrating track moves parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// By its swing, with sub-steps that resolve it: 200 a cycle.
    Resolved,
    /// By surface velocities from a table, at steps of any length.
    Averaged {
        /// What the resolved drive comes to.
        table: &'static FeedTable,
        /// Between track and parts. (1)
        friction: f32,
    },
}

/// Most surfaces of a body whose drive is averaged.
pub const SURFACES: usize = 24;

/// A vibrator in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vibrating {
    pub(super) settings: Vibrator,
    /// Middle of the swing.
    rest: Pose<f32>,
    pub(super) state: Phase,
}

/// How far it is in its swing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    /// φ, in 2⁻³² turns
    turn: u32,
    /// share of the amplitude at 100 %, 0 … 1
    level: f32,
    /// Hz
    frequency: f32,
    /// What is left of the amplitude when something is broken, 0 … 1.
    pub(super) health: f32,
}
persist!(Phase { turn, level, frequency, health });

impl Vibrator {
    fn check(&self) -> Result<(), Error> {
        if !self.swing.is_finite() {
            return Err(Error::NonFinite("swing"));
        }
        non_negative(self.phase, "phase")?;
        non_negative(self.ramp_time, "ramp_time")?;
        match self.drive {
            Drive::Resolved => Ok(()),
            Drive::Averaged { table, friction } => {
                non_negative(friction, "friction")?;
                table.check()
            }
        }
    }
}

impl Vibrating {
    pub(super) fn new(settings: Vibrator, world: &dyn AnyWorld) -> Result<Self, Error> {
        settings.check()?;
        let rest = *world.body(settings.body)?.pose();
        Ok(Self { settings, rest, state: Phase { turn: 0, level: 0.0, frequency: 0.0, health: 1.0 } })
    }

    /// Move on by `h` seconds towards a set point.
    pub(super) fn advance(&mut self, setpoint: &Setpoint, h: f32) {
        let target = if setpoint.run { setpoint.amplitude_percent * 0.01 } else { 0.0 };
        self.state.level = ramped(self.state.level, target, h, self.settings.ramp_time);
        self.state.frequency = setpoint.frequency_hz;
        // a cast saturates, a frequency of more than one turn a sub-step is aliased: only the fraction counts
        let turns = self.state.frequency * h;
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
        self.settings.swing * (self.state.level * self.state.health * waveform::sin(phase * TAU))
    }

    /// Velocity of a surface of the averaged drive at `place` (m, world frame), world frame. m/s
    fn surface_velocity(&self, place: Vec3<f32>, gravity: f32) -> Vec3<f32> {
        let Drive::Averaged { table, friction } = self.settings.drive else { return Vec3::default() };
        let Vec6 { linear, angular } = self.settings.swing * (self.state.level * self.state.health);
        let swing = linear + angular.cross(place - self.rest.position);
        // parts are thrown off the track's surface, along the body's z
        let up = self.rest.orientation.turn(Vec3::new(0.0, 0.0, 1.0));
        let normal = swing.dot(up);
        let along = swing - up * normal;
        let tangential = crate::math::Real::sqrt(along.dot(along));
        if tangential <= 0.0 {
            return Vec3::default();
        }
        let swing = Swing { normal: normal.abs(), tangential, frequency: self.state.frequency };
        let speed = table.speed(&swing, friction, gravity);
        // forward is where it goes as it rises
        along * (if normal < 0.0 { -speed } else { speed } / tangential)
    }
}

/// `level`, moved towards `target` by what a ramp of `time` seconds from 0 to 1 allows within `h`.
pub(super) fn ramped(level: f32, target: f32, h: f32, time: f32) -> f32 {
    let most = if time > 0.0 { h / time } else { 1.0 };
    level + clamp(target - level, -most, most)
}

/// Tell every body that vibrates how to move within the next `h` seconds, and every surface that stands for one.
pub(super) fn drive(vibrators: &[Vibrating], world: &mut dyn AnyWorld, gravity: f32, h: f32) -> Result<(), Error> {
    for (index, first) in (0_usize..).zip(vibrators) {
        let body = first.settings.body;
        let same = |other: &&Vibrating| other.settings.body == body;
        if vibrators.iter().take(index).any(|other| same(&other)) {
            continue;
        }
        let all = || vibrators.iter().filter(same);
        let off = all().fold(Vec6::ZERO, |sum, vibrator| sum + vibrator.displacement());
        follow(world, body, &first.rest.moved(off, 1.0), h)?;

        if !all().any(|vibrator| vibrator.settings.drive != Drive::Resolved) {
            continue;
        }
        let mut surfaces = Vec::<ColliderId, SURFACES>::new();
        world.for_each_collider(&mut |id, of, _| {
            if of == body {
                // checked when it was added
                let _ = surfaces.push(id);
            }
        });
        for &id in &surfaces {
            let collider = *world.collider(id)?;
            let pose = first.rest.then(&collider.pose);
            let velocity =
                all().fold(Vec3::default(), |sum, vibrator| sum + vibrator.surface_velocity(pose.position, gravity));
            let surface_velocity = pose.orientation.inverse().turn(velocity);
            if surface_velocity != collider.surface_velocity {
                world.set_collider(id, Collider { surface_velocity, ..collider })?;
            }
        }
    }
    Ok(())
}

/// Move a kinematic body so that it is at `target` after `h` seconds: the finite difference of its path. No error adds up.
pub(super) fn follow(world: &mut dyn AnyWorld, id: BodyId, target: &Pose<f32>, h: f32) -> Result<(), Error> {
    positive(h, "h")?;
    let body = world.body_mut(id)?;
    let from = body.pose();
    let off = Vec6::new(target.position - from.position, target.orientation.turn_since(from.orientation));
    body.set_velocity(off * (1.0 / h))
}
