//! Hoppers: sources of parts, as regular or random as told, the same for the same seed.
//!
//! ```text
//! next part in   T (1 + jitter · u), T = 1/rate, u evenly in −1 … 1                 s, of the time that it is on; in the sub-step that begins nearest
//! where          outlet + spread · (u, u, u), turned at random or not at all        m
//! ```
//! A part that finds no room, in the world or because another is in its place, is refused and counted; the next one is due a turn later.

use super::image::HopperSignal;
use super::random::Random;
use super::state::persist;
use super::time::{Timer, nanoseconds};
use crate::body::{Body, Motion};
use crate::check::{moderate_vector, non_negative, positive};
use crate::error::Error;
use crate::math::{Pose, Quat, Vec3, Vec6};
use crate::shape::Shape;
use crate::world::{AnyWorld, Collider, Material};

/// What a hopper delivers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartKind {
    /// Its shape.
    pub shape: Shape<f32>,
    /// kg/m³
    pub density: f32,
    /// Its surface.
    pub material: Material<f32>,
    /// The track keeps it from turning, as rails do with what hangs or stands in them: it moves, and that is all.
    pub is_guided: bool,
}

/// Moments of inertia of what does not turn: more than any body has that does. kg·m²
const GUIDED: f32 = 1e38;

impl PartKind {
    /// Put one into a world.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`] naming what there is no room for, and the name of what is wrong with it; then nothing has changed.
    pub fn add(&self, world: &mut dyn AnyWorld, pose: Pose<f32>, velocity: Vec6<f32>) -> Result<(), Error> {
        let (body, collider) = self.at(pose, velocity)?;
        collider.check()?;
        // before the body: half a part is none
        if world.collider_count() >= world.collider_capacity() {
            return Err(Error::CapacityExceeded("colliders"));
        }
        let id = world.add_body(body)?;
        world.add_collider(id, collider).map(drop)
    }

    /// One of them; a world checks its shape.
    fn at(&self, pose: Pose<f32>, velocity: Vec6<f32>) -> Result<(Body<f32>, Collider<f32>), Error> {
        let mut properties = self.shape.mass_properties(self.density)?;
        if self.is_guided {
            properties.inertia = Vec3::new(GUIDED, GUIDED, GUIDED);
        }
        let mut body = Body::new(Motion::Dynamic(properties), pose)?;
        body.set_velocity(velocity)?;
        let collider = Collider { material: self.material, ..Collider::new(self.shape) };
        Ok((body, collider))
    }
}

/// A source of parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hopper {
    /// What it delivers.
    pub part: PartKind,
    /// Where, world frame. m
    pub outlet: Vec3<f32>,
    /// How far off to either side. m
    pub spread: Vec3<f32>,
    /// How fast they come. m/s
    pub velocity: Vec3<f32>,
    /// Mean rate while it is on.
    pub parts_per_second: f32,
    /// How irregular: 0 like clockwork, up to 1. (1)
    pub jitter: f32,
    /// Parts come out turned at random.
    pub tumbles: bool,
    /// Another seed, another order of events.
    pub seed: u32,
}

/// A hopper in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivering {
    pub(super) settings: Hopper,
    /// T, ns
    period: i64,
    pub(super) state: Delivery,
    /// How often two come at once in this step: a fault. (1)
    pub(super) doubles: f32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Delivery {
    random: Random,
    next: Timer,
    delivered: u32,
    refused: u32,
}
persist!(Delivery { random, next, delivered, refused });

impl Delivering {
    pub(super) fn new(settings: Hopper) -> Result<Self, Error> {
        let (_, collider) = settings.part.at(Pose::IDENTITY, Vec6::ZERO)?;
        collider.check()?;
        for (vector, name) in
            [(settings.outlet, "outlet"), (settings.spread, "spread"), (settings.velocity, "velocity")]
        {
            moderate_vector(vector, name)?;
        }
        positive(settings.parts_per_second, "parts_per_second")?;
        non_negative(settings.jitter, "jitter")?;
        if settings.jitter > 1.0 {
            return Err(Error::OutOfRange("jitter"));
        }
        let random = Random::new(settings.seed);
        let period = nanoseconds(1.0 / settings.parts_per_second).cast_signed();
        let state = Delivery { random, next: Timer::default(), delivered: 0, refused: 0 };
        Ok(Self { settings, period, state, doubles: 0.0 })
    }

    pub(super) fn drive(&mut self, on: bool, world: &mut dyn AnyWorld, elapsed: u64) -> Result<(), Error> {
        if !on {
            return Ok(());
        }
        let Self { settings, period, state, doubles } = self;
        // a rate faster than the sub-steps is one part a sub-step
        let random = &mut state.random;
        let is_due = state.next.is_due(elapsed, || {
            let jitter = settings.jitter * random.within_one() / settings.parts_per_second;
            period.saturating_add((jitter * 1e9) as i64)
        });
        if !is_due {
            return Ok(());
        }
        let two = *doubles > 0.0 && state.random.chance(*doubles);
        let first = self.deliver(world, Vec3::default())?;
        if two && first {
            // on top of the first
            let radius = self.settings.part.shape.bounding_radius();
            self.deliver(world, Vec3::new(0.0, 0.0, 2.1 * radius))?;
        } else if two {
            // there is no room for one, let alone two
            self.state.refused = self.state.refused.saturating_add(1);
        }
        Ok(())
    }

    /// Deliver a part if there is room for it.
    fn deliver(&mut self, world: &mut dyn AnyWorld, above: Vec3<f32>) -> Result<bool, Error> {
        let Self { settings, state, .. } = self;
        let Vec3 { x, y, z } = state.random.vector();
        let spread = settings.spread;
        let position = settings.outlet + above + Vec3::new(spread.x * x, spread.y * y, spread.z * z);
        let orientation = if settings.tumbles {
            // of four normal numbers every direction is as likely; these are nearly normal
            let [w, x, y, z] = core::array::from_fn(|_| state.random.normal());
            Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY)
        } else {
            Quat::IDENTITY
        };
        let velocity = Vec6::new(settings.velocity, Vec3::default());
        let added = !is_occupied(world, position, settings.part.shape.bounding_radius())
            && match settings.part.add(world, Pose { position, orientation }, velocity) {
                Ok(()) => true,
                Err(Error::CapacityExceeded(_)) => false,
                Err(error) => return Err(error),
            };
        if added {
            state.delivered = state.delivered.saturating_add(1);
        } else {
            state.refused = state.refused.saturating_add(1);
        }
        Ok(added)
    }

    pub(super) fn signal(&self) -> HopperSignal {
        HopperSignal { delivered: self.state.delivered, refused: self.state.refused }
    }
}

/// Is a part so near that one of this radius would touch it?
fn is_occupied(world: &dyn AnyWorld, place: Vec3<f32>, radius: f32) -> bool {
    let mut occupied = false;
    world.for_each_collider(&mut |_, of, collider| {
        let Ok(body) = world.body(of) else { return };
        if body.is_dynamic() {
            let off = body.pose().point(collider.pose.position) - place;
            let reach = radius + collider.shape.bounding_radius();
            occupied |= off.dot(off) < reach * reach;
        }
    });
    occupied
}
