//! Every capacity hit at once by design: steps go on, say what they dropped, and stay finite (product).
//!
//! ```text
//! bodies, colliders, joints   full: one more of each is refused when the scene is built
//! contacts, rows              cubes fall onto a heap that needs more of both than there are
//! ```
//! Cubes of 20 mm, each turned at random, in pairs on ball joints, fall into a bin of 80 mm × 80 mm. Joints come first and the deepest contacts
//! after them; what finds no row sinks into what it lies on until it is among the deepest.

use crate::parts::{WALLS, add_part, add_walls, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3, min};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::{Collider, StepReport};

/// More blocks than fit.
#[derive(Clone, Copy, Debug)]
pub struct StressDrop {
    bin: Option<BodyId>,
    /// What was refused when it was built.
    refused: u32,
    /// Points of contact without a row, of all steps.
    dropped: u32,
    /// Steps in which there were some.
    steps: u32,
}

/// 24 cubes in 12 pairs, 64 points of contact, in a heap rows for 38 of them. Fits a microcontroller.
pub type SmallStressDrop = Stage<StressDrop, 25, 64, 150, { 24 + WALLS }, 12>;

const HALF: f32 = 0.01;
const BIN_HALF: f32 = 0.04;
/// No two cubes touch at this distance, whichever way they are turned. m
const PITCH: f32 = 3.6 * HALF;

impl Script for StressDrop {
    const NEW: Self = Self { bin: None, refused: 0, dropped: 0, steps: 0 };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 20;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let material = rough(0.4);
        let bin = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        add_walls(world, bin, BIN_HALF, BIN_HALF, material)?;
        let shape = Shape::Box { half: Vec3::new(HALF, HALF, HALF) };
        let mut random = Random::new(1);
        let mut single: Option<(BodyId, Pose<f32>)> = None;
        // two by two, side by side along x: a ball joint sits between them
        for place in lattice(2, 2).take(world.body_capacity().saturating_sub(1)) {
            let Vec3 { x, y, z } = random.vector();
            let orientation = Quat::new(random.within_one(), x, y, z).unwrap_or(Quat::IDENTITY);
            let pose = Pose { position: (place + Vec3::new(-0.5, -0.5, 0.5)) * PITCH, orientation };
            let cube = add_part(world, shape, 1000.0, material, pose)?;
            single = match single {
                None => Some((cube, pose)),
                Some((left, left_pose)) => {
                    let middle = (left_pose.position + pose.position) * 0.5;
                    let ball = Joint::ball(left_pose.point_within(middle), pose.point_within(middle))?;
                    world.add_joint(left, Some(cube), ball)?;
                    None
                }
            };
        }
        self.bin = Some(bin);
        self.refused = refusals(world, bin)?;
        Ok(())
    }

    fn sense(&mut self, _world: &dyn AnyWorld, report: &StepReport<f32>) {
        self.dropped = self.dropped.saturating_add(report.contacts_dropped);
        self.steps = self.steps.saturating_add(u32::from(report.contacts_dropped > 0));
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let (mut lowest, mut finite) = (f32::INFINITY, 0.0);
        world.for_each_body(&mut |id, body| {
            if Some(id) != self.bin {
                lowest = min(body.pose().position.z, lowest);
            }
            if body.pose().is_finite() && body.velocity().is_finite() {
                finite += 1.0;
            }
        });
        tell("refused", self.refused as f32);
        tell("contacts_dropped", self.dropped as f32);
        tell("steps_with_drops", self.steps as f32);
        tell("bodies_finite", finite);
        tell("lowest_m", lowest);
    }
}

/// How many of a body, a collider and a joint are refused for want of room; none may be added.
fn refusals(world: &mut dyn AnyWorld, bin: BodyId) -> Result<u32, Error> {
    let mut last = bin;
    world.for_each_body(&mut |id, _| last = id);
    let joint = Joint::ball(Vec3::default(), Vec3::default())?;
    let attempts = [
        world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?).map(|_| ()),
        world.add_collider(bin, Collider::new(Shape::HalfSpace)).map(|_| ()),
        world.add_joint(last, None, joint).map(|_| ()),
    ];
    let mut refused = 0;
    for attempt in attempts {
        match attempt {
            Err(Error::CapacityExceeded(_)) => refused += 1,
            Err(error) => return Err(error),
            Ok(()) => return Err(Error::OutOfRange("capacity")),
        }
    }
    Ok(refused)
}
