//! Sensors that measure: weigh cells, accelerometers, a camera.
//!
//! ```text
//! weigh cell      F = −z·(contact impulses on the platform)/h, averaged by y' = y + (F − y) h/(τ + h); noise is added to what is read     N
//! accelerometer   f = Rᵀ (dv/dt − g) at a point of a body, in its frame: specific force, as MEMS sensors read it                      m/s²
//! camera          poses of the parts in its field, once every period: in the step whose end is nearest
//! ```
//! On a part that a sink has taken they read nothing.

use super::image::{Frame, POSES};
use super::random::Random;
use super::state::persist;
use super::time::{Timer, nanoseconds};
use super::zone::Region;
use crate::body::BodyId;
use crate::check::{moderate, moderate_vector, non_negative, positive};
use crate::error::Error;
use crate::math::{Pose, Vec3};
use crate::world::AnyWorld;

/// A weigh cell under a platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeighCell {
    /// The platform: a body on which parts lie, fixed or moved as told.
    pub platform: BodyId,
    /// τ of its filter. s
    pub filter_time: f32,
    /// Standard deviation of its noise. N
    pub noise: f32,
    /// Another seed, other noise.
    pub seed: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Weighing {
    pub(super) settings: WeighCell,
    pub(super) state: Weight,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Weight {
    random: Random,
    /// y, N
    filtered: f32,
    /// what y could not take for its size: else a slow filter would stand still before it is there. N
    rest: f32,
}
persist!(Weight { random, filtered, rest });

impl Weighing {
    pub(super) fn new(settings: WeighCell, world: &dyn AnyWorld) -> Result<Self, Error> {
        if world.body(settings.platform)?.is_dynamic() {
            return Err(Error::OutOfRange("motion"));
        }
        non_negative(settings.filter_time, "filter_time")?;
        non_negative(settings.noise, "noise")?;
        moderate(settings.noise, "noise")?;
        Ok(Self { settings, state: Weight { random: Random::new(settings.seed), filtered: 0.0, rest: 0.0 } })
    }

    /// Once a sub-step.
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, h: f32) {
        let force = world.contact_force(self.settings.platform).map_or(0.0, |force| -force.z);
        let Weight { filtered, rest, .. } = &mut self.state;
        let change = (force - *filtered) * (h / (self.settings.filter_time + h)) + *rest;
        let sum = *filtered + change;
        // what is beyond all numbers is not weighed
        if sum.is_finite() {
            *rest = change - (sum - *filtered);
            *filtered = sum;
        }
    }

    /// Once a step. N
    pub(super) fn read(&mut self) -> f32 {
        self.state.filtered + self.settings.noise * self.state.random.normal()
    }
}

/// An accelerometer on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accelerometer {
    /// What it sits on. A track with an averaged drive stands still: there it reads gravity and nothing else.
    pub body: BodyId,
    /// Where, in the body's frame. m
    pub point: Vec3<f32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Accelerating {
    pub(super) settings: Accelerometer,
    pub(super) state: Velocity,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Velocity {
    /// a sub-step ago; none before the first. m/s
    before: Option<Vec3<f32>>,
}
persist!(Velocity { before });

impl Accelerating {
    pub(super) fn new(settings: Accelerometer, world: &dyn AnyWorld) -> Result<Self, Error> {
        world.body(settings.body)?;
        moderate_vector(settings.point, "point")?;
        Ok(Self { settings, state: Velocity::default() })
    }

    /// Once a sub-step. m/s²
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, gravity: Vec3<f32>, h: f32) -> Vec3<f32> {
        let Ok(body) = world.body(self.settings.body) else { return Vec3::default() };
        let pose = body.pose();
        let velocity = body.point_velocity(pose.point(self.settings.point));
        let change = velocity - self.state.before.unwrap_or(velocity);
        self.state.before = Some(velocity).filter(|velocity| velocity.is_finite());
        let reading = pose.orientation.inverse().turn(change * (1.0 / h) - gravity);
        // nothing where that is beyond all numbers
        if reading.is_finite() { reading } else { Vec3::default() }
    }
}

/// A camera over a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// What it sees: parts whose centre is in here.
    pub field: Region,
    /// From frame to frame. s
    pub period: f32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Filming {
    pub(super) settings: Camera,
    /// ns
    period: i64,
    pub(super) state: Timer,
}

impl Filming {
    pub(super) fn new(settings: Camera) -> Result<Self, Error> {
        settings.field.check()?;
        positive(settings.period, "period")?;
        Ok(Self { settings, period: nanoseconds(settings.period).cast_signed(), state: Timer::default() })
    }

    /// Once a step of so many nanoseconds.
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, elapsed: u64, frame: &mut Frame) {
        // a period shorter than the steps is a frame a step
        if !self.state.is_due(elapsed, || self.period) {
            return;
        }
        let mut poses = [Pose::IDENTITY; POSES];
        let (mut free, mut seen, mut unseen) = (poses.iter_mut(), 0_u8, 0_u16);
        world.for_each_body(&mut |_, body| {
            if !body.is_dynamic() || !self.settings.field.contains(body.pose().position) {
                return;
            }
            if let Some(pose) = free.next() {
                *pose = *body.pose();
                seen = seen.saturating_add(1);
            } else {
                unseen = unseen.saturating_add(1);
            }
        });
        *frame = Frame { number: frame.number.saturating_add(1), seen, unseen, poses };
    }
}
