//! Light barriers: a beam from one point to another, interrupted by parts.
//!
//! ```text
//! raw      some shape of a part meets the beam now
//! edge     the moment within the sub-step at which that changed: parts moved straight, q(t − s) = q − s v, halved ten times
//! ```
//! Parts are bodies that forces move; what stands or moves as told belongs to the machine. A part that passes the beam whole between two looks is
//! not seen: beams look once a sub-step. A part that gains speed within the sub-step did not move straight at its last: in free fall an edge is early or late by up to half a
//! sub-step, or by a hundredth with β = ½.

use super::image::SwitchSignal;
use super::switch::{Switch, Switching};
use super::time::Moment;
use crate::body::Body;
use crate::check::moderate_vector;
use crate::error::Error;
use crate::math::{Real, Vec3, clamp};
use crate::shape::Shape;
use crate::world::{AnyWorld, Collider};
use heapless::Vec;

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

impl LightBarrier {
    /// Is some point of its beams within reach, by a box round them?
    fn is_near(&self, place: Vec3<f32>, reach: f32) -> bool {
        let Self { from, to, hysteresis, .. } = *self;
        let off = |x: f32, from: f32, to: f32, aside: f32| {
            (x - (from + to) * 0.5).abs() <= (to - from).abs() * 0.5 + aside.abs() + reach
        };
        off(place.x, from.x, to.x, hysteresis.x)
            && off(place.y, from.y, to.y, hysteresis.y)
            && off(place.z, from.z, to.z, hysteresis.z)
    }
}

/// A barrier in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watching {
    pub(super) settings: LightBarrier,
    pub(super) state: Switch,
}

/// A sub-step is halved so often to find an edge: to a thousandth.
const HALVINGS: u32 = 10;

impl Watching {
    pub(super) fn new(settings: LightBarrier) -> Result<Self, Error> {
        for (point, name) in [(settings.from, "from"), (settings.to, "to"), (settings.hysteresis, "hysteresis")] {
            moderate_vector(point, name)?;
        }
        settings.output.check()?;
        Ok(Self { settings, state: Switch::default() })
    }

    /// Look at the world at the end of a sub-step.
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, near: &Near<'_>, now: Moment, signal: &mut SwitchSignal) {
        let LightBarrier { from, to, hysteresis, output } = self.settings;
        let was = self.state.raw();
        let sees = |age: f32| {
            near.any(world, &Ray { from, to, age })
                || (was
                    && hysteresis != Vec3::default()
                    && [hysteresis, -hysteresis]
                        .into_iter()
                        .any(|off| near.any(world, &Ray { from: from + off, to: to + off, age })))
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
        self.state.see(raw, age, now, &output, signal);
    }
}

/// Parts that a beam may have met within a sub-step: looked for once, however often the sub-step is halved.
pub(super) struct Near<'w> {
    parts: Vec<(&'w Body<f32>, &'w Collider<f32>), NEAR>,
    /// there are more: all of the world are looked at
    more: bool,
}

/// So many are remembered.
const NEAR: usize = 8;

impl<'w> Near<'w> {
    pub(super) const NONE: Self = Self { parts: Vec::new(), more: false };

    /// Of every barrier, in one walk through the world.
    pub(super) fn find(world: &'w dyn AnyWorld, barriers: &[Watching], h: f32, near: &mut [Self]) {
        if barriers.is_empty() {
            return;
        }
        world.for_each_collider(&mut |id, of, collider| {
            let Ok(body) = world.body(of) else { return };
            if !body.is_dynamic() {
                return;
            }
            let moved = span(body.velocity().linear) * h;
            let reach = collider.shape.bounding_radius() + span(collider.pose.position) + moved;
            for (Watching { settings, .. }, near) in barriers.iter().zip(near.iter_mut()) {
                if settings.is_near(body.pose().position, reach)
                    && let Ok(collider) = world.collider(id)
                {
                    near.more |= near.parts.push((body, collider)).is_err();
                }
            }
        });
    }

    /// Does one of them meet it?
    fn any(&self, world: &dyn AnyWorld, ray: &Ray) -> bool {
        if !self.more {
            return self.parts.iter().any(|(body, collider)| ray.meets(body, collider));
        }
        let mut met = false;
        world.for_each_collider(&mut |_, of, collider| {
            let part = world.body(of).ok().filter(|body| body.is_dynamic() && !met);
            met |= part.is_some_and(|body| ray.meets(body, collider));
        });
        met
    }
}

/// At least as long as the vector, without a root.
fn span(v: Vec3<f32>) -> f32 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// A beam some time ago.
struct Ray {
    from: Vec3<f32>,
    to: Vec3<f32>,
    /// s
    age: f32,
}

impl Ray {
    /// Did it meet the part's shape?
    fn meets(&self, body: &Body<f32>, collider: &Collider<f32>) -> bool {
        let Self { from, to, age } = *self;
        let pose = body.pose();
        let position = pose.position - body.velocity().linear * age;
        // as far as any point of the shape is from the body's centre, wherever it is turned to
        let offset = collider.pose.position;
        let centred = offset == Vec3::default();
        let off_centre = if centred { 0.0 } else { Real::sqrt(offset.dot(offset)) };
        let reach = collider.shape.bounding_radius() + off_centre;
        let arm = position - from;
        let along = to - from;
        let square = along.dot(along);
        let share = if square > 0.0 { clamp(arm.dot(along) / square, 0.0, 1.0) } else { 0.0 };
        let off = arm - along * share;
        if off.dot(off) > reach * reach {
            return false;
        }
        // that was all there is to a ball
        if centred && matches!(collider.shape, Shape::Sphere { .. }) {
            return true;
        }
        let pose = if age > 0.0 { pose.moved(body.velocity(), -age) } else { *pose }.then(&collider.pose);
        collider.shape.first_hit(pose.point_within(from), pose.point_within(to)).is_some()
    }
}
