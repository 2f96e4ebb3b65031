//! Light barriers: a beam from one point to another, interrupted by parts.
//!
//! ```text
//! raw      some shape of a part meets the beam now
//! edge     the moment within the sub-step at which that changed: parts moved straight, q(t − s) = q − s v, halved ten times
//! ```
//! Parts are bodies that forces move; what stands or moves as told belongs to the machine. A part that passes the beam whole between two looks is
//! not seen: beams look once a sub-step.

use super::image::SwitchSignal;
use super::state::persist;
use super::switch::{Moment, Switch, Switching};
use crate::error::Error;
use crate::math::{Real, Vec3, clamp};
use crate::world::AnyWorld;

/// A light barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LightBarrier {
    /// Where the beam begins, world frame. m
    pub from: Vec3<f32>,
    /// Where it ends. m
    pub to: Vec3<f32>,
    /// Once interrupted, it counts as clear only when beams moved by this, and by its opposite, are clear too. m
    pub hysteresis: Vec3<f32>,
    /// Its output: on while the beam is interrupted, unless it is normally closed.
    pub output: Switching,
}

/// A barrier in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watching {
    pub(super) settings: LightBarrier,
    pub(super) state: Beam,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Beam {
    switch: Switch,
}
persist!(Beam { switch });

/// A sub-step is halved so often to find an edge: to a thousandth.
const HALVINGS: u32 = 10;

impl Watching {
    pub(super) fn new(settings: LightBarrier) -> Result<Self, Error> {
        for (point, name) in [(settings.from, "from"), (settings.to, "to"), (settings.hysteresis, "hysteresis")] {
            if !point.is_finite() {
                return Err(Error::NonFinite(name));
            }
        }
        settings.output.check()?;
        Ok(Self { settings, state: Beam::default() })
    }

    /// Look at the world at the end of a sub-step.
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, now: Moment, signal: &mut SwitchSignal) {
        let LightBarrier { from, to, hysteresis, output } = self.settings;
        let was = self.state.switch.raw();
        let sees = |age: f32| {
            is_interrupted(world, from, to, age)
                || (was
                    && hysteresis != Vec3::default()
                    && [hysteresis, -hysteresis]
                        .into_iter()
                        .any(|off| is_interrupted(world, from + off, to + off, age)))
        };
        let raw = sees(0.0);
        let mut age = 0.0;
        if raw != was {
            // what is seen now has been so since some moment of the sub-step
            let mut before = now.h;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (age + before);
                if sees(middle) == raw {
                    age = middle;
                } else {
                    before = middle;
                }
            }
        }
        self.state.switch.see(raw, age, now, &output, signal);
    }
}

/// Did a part meet the beam `age` seconds ago?
fn is_interrupted(world: &dyn AnyWorld, from: Vec3<f32>, to: Vec3<f32>, age: f32) -> bool {
    let along = to - from;
    let square = along.dot(along);
    let mut met = false;
    world.for_each_collider(&mut |_, of, collider| {
        let Ok(body) = world.body(of) else { return };
        if met || !body.is_dynamic() {
            return;
        }
        let pose = body.pose();
        let position = pose.position - body.velocity().linear * age;
        // as far as any point of the shape is from the body's centre, wherever it is turned to
        let offset = collider.pose.position;
        let reach = collider.shape.bounding_radius() + Real::sqrt(offset.dot(offset));
        let arm = position - from;
        let share = if square > 0.0 { clamp(arm.dot(along) / square, 0.0, 1.0) } else { 0.0 };
        let off = arm - along * share;
        if off.dot(off) > reach * reach {
            return;
        }
        let pose = if age > 0.0 { pose.moved(body.velocity(), -age) } else { *pose }.then(&collider.pose);
        met = collider.shape.first_hit(pose.point_within(from), pose.point_within(to)).is_some();
    });
    met
}
