//! Light barriers: a beam from one point to another, interrupted by parts and by kinematic bodies.
//!
//! ```text
//! raw      some shape that the barrier sees meets the beam now
//! edge     the time within the sub-step at which that changed: bisected ten times,
//!          bodies moving straight, q(t − s) = q − s v
//! ```
//! Dynamic bodies always interrupt the beam; [`LightBarrier::sees_kinematic`] and
//! [`LightBarrier::sees_fixed`] choose the others. Beams are sampled once a sub-step: a body that
//! crosses the whole beam between two samples is missed. The edges of a kinematic body that moves
//! along a line are exact: its velocity is constant within a sub-step. A body in free fall is not on
//! the line assumed: its edges are off by up to half a sub-step, or by a hundredth with β = ½.

use super::image::SwitchSignal;
use super::switch::{Switch, Switching};
use super::time::Moment;
use crate::body::{Body, Motion};
use crate::check::moderate_vector;
use crate::error::Error;
use crate::math::{Real, Vec3, Vec6, clamp};
use crate::shape::Shape;
use crate::world::{AnyWorld, Collider};
use heapless::Vec;

/// A light barrier: its output changes while some body interrupts the beam.
///
/// Dynamic bodies always interrupt it. It is sampled once a sub-step: a body that crosses the whole beam between two samples is
/// missed. Before the first step it reads clear; interrupted from the start, it switches in the first step.
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
    /// Kinematic bodies interrupt the beam: gate blades, pushers, vibrating tracks. Default yes.
    /// Switch it off for a beam through a hole in a kinematic wall that is modelled without the hole.
    pub sees_kinematic: bool,
    /// Fixed bodies interrupt the beam. Default no.
    pub sees_fixed: bool,
}

impl LightBarrier {
    /// A beam between two points (m, world frame): no hysteresis, no delays, normally open; sees
    /// dynamic and kinematic bodies.
    ///
    /// ```
    /// use tumble::math::Vec3;
    /// use tumble::twin::LightBarrier;
    /// let [from, to] = [-0.01, 0.01].map(|y| Vec3::new(0.1, y, 0.005));
    /// let parts_only = LightBarrier { sees_kinematic: false, ..LightBarrier::new(from, to) };
    /// assert!(LightBarrier::new(from, to).sees_kinematic && !parts_only.sees_fixed);
    /// ```
    pub const fn new(from: Vec3<f32>, to: Vec3<f32>) -> Self {
        let output = Switching { normally_closed: false, on_delay: 0.0, off_delay: 0.0 };
        Self { from, to, hysteresis: Vec3::new(0.0, 0.0, 0.0), output, sees_kinematic: true, sees_fixed: false }
    }

    const fn sees(&self, body: &Body<f32>) -> bool {
        match body.motion() {
            Motion::Dynamic(_) => true,
            Motion::Kinematic => self.sees_kinematic,
            Motion::Fixed => self.sees_fixed,
        }
    }

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

    /// Sample the beam at the end of a sub-step.
    pub(super) fn sense(&mut self, world: &dyn AnyWorld, near: &Near<'_>, now: Moment, signal: &mut SwitchSignal) {
        let was = self.state.raw();
        let sees = |age: f32| self.is_interrupted(age, |ray| near.any(world, &self.settings, ray));
        let raw = sees(0.0);
        let mut age = 0.0;
        if raw != was {
            // the state changed at some time within the sub-step
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
        self.state.see(raw, age, now, &self.settings.output, signal);
    }

    /// Does `meets` hold for the beam of `age` seconds ago or, once interrupted, for one of its
    /// hysteresis beams?
    fn is_interrupted(&self, age: f32, mut meets: impl FnMut(&Ray) -> bool) -> bool {
        let LightBarrier { from, to, hysteresis, .. } = self.settings;
        meets(&Ray { from, to, age })
            || (self.state.raw()
                && hysteresis != Vec3::default()
                && [hysteresis, -hysteresis].into_iter().any(|off| meets(&Ray { from: from + off, to: to + off, age })))
    }
}

/// Colliders that may meet a beam within a sub-step: searched once, however often the sub-step is
/// bisected.
pub(super) struct Near<'w> {
    parts: Vec<(&'w Body<f32>, &'w Collider<f32>), NEAR>,
    /// the list is full: every look searches the whole world
    more: bool,
}

/// Capacity of the list.
const NEAR: usize = 8;

impl<'w> Near<'w> {
    pub(super) const NONE: Self = Self { parts: Vec::new(), more: false };

    /// Searches for all barriers in one pass over the world.
    pub(super) fn find(world: &'w dyn AnyWorld, barriers: &[Watching], h: f32, near: &mut [Self]) {
        if barriers.is_empty() {
            return;
        }
        // most often no barrier sees the machine, which has most of the colliders
        let any = |sees: fn(&LightBarrier) -> bool| barriers.iter().any(|barrier| sees(&barrier.settings));
        let (any_sees_kinematic, any_sees_fixed) =
            (any(|barrier| barrier.sees_kinematic), any(|barrier| barrier.sees_fixed));
        world.for_each_collider(&mut |id, of, collider| {
            let Ok(body) = world.body(of) else { return };
            let is_seen = match body.motion() {
                Motion::Dynamic(_) => true,
                Motion::Kinematic => any_sees_kinematic,
                Motion::Fixed => any_sees_fixed,
            };
            if !is_seen {
                return;
            }
            let (centre, offset, velocity) = (body.pose().position, collider.pose.position, body.velocity());
            let mut reach = collider.shape.bounding_radius() + span(velocity.linear) * h;
            // a bounding sphere about the collider: one about the body would reach every beam near
            // a large compound
            let centre = if offset == Vec3::default() {
                centre
            } else {
                reach += span(velocity.angular) * span(offset) * h;
                body.pose().point(offset)
            };
            // a still machine part meets the beam all through the sub-step or not at all: one that
            // misses takes no place in the list
            let is_still = !body.is_dynamic() && velocity == Vec6::ZERO;
            for (barrier, near) in barriers.iter().zip(near.iter_mut()) {
                if barrier.settings.sees(body)
                    && barrier.settings.is_near(centre, reach)
                    && (!is_still || barrier.is_interrupted(0.0, |ray| ray.meets(body, collider)))
                    && let Ok(collider) = world.collider(id)
                {
                    near.more |= near.parts.push((body, collider)).is_err();
                }
            }
        });
    }

    /// Does any collider that the barrier sees meet the ray?
    fn any(&self, world: &dyn AnyWorld, settings: &LightBarrier, ray: &Ray) -> bool {
        if !self.more {
            return self.parts.iter().any(|(body, collider)| ray.meets(body, collider));
        }
        let mut met = false;
        world.for_each_collider(&mut |_, of, collider| {
            let part = world.body(of).ok().filter(|body| !met && settings.sees(body));
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
