//! What Hart's scenes share: his way to step, and how far bodies are in each other on average.

use crate::parts::{WALLS, add_part, add_walls, rough};
use crate::scene::AnyWorld;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::{Polyhedron, Shape};
use tumble::world::{StepReport, StepSettings};
use tumble::{Error, Settings};

/// Share of a violation that is mended in a step.
pub const STABILISATION: f32 = 0.5;
/// kg/m³
const WOOD: f32 = 700.0;
const FRICTION: f32 = 0.4;

/// His way to step, with so many sweeps.
pub(crate) fn settings(iterations: u32) -> StepSettings<f32> {
    let hart = StepSettings::hart(STABILISATION);
    StepSettings { solve: Settings { iterations, tolerance: 1e-15, ..hart.solve }, ..hart }
}

/// Mean of what steps found of `I(q) = max Φ⁻`, here in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Infeasibility {
    sum: f32,
    steps: f32,
}

impl Infeasibility {
    pub(crate) const NONE: Self = Self { sum: 0.0, steps: 0.0 };

    pub(crate) fn see(&mut self, report: &StepReport<f32>) {
        self.add(report.penetration);
    }

    /// So much in this step. m
    pub(crate) fn add(&mut self, infeasibility: f32) {
        self.sum += infeasibility;
        self.steps += 1.0;
    }

    /// m
    pub(crate) fn mean(&self) -> f32 {
        if self.steps > 0.0 { self.sum / self.steps } else { 0.0 }
    }
}

/// What all but the ground do: the highest of them, and how many have fallen asleep or out of the world.
pub(crate) fn tell_heights(world: &dyn AnyWorld, ground: Option<BodyId>, tell: &mut dyn FnMut(&'static str, f32)) {
    let (mut bodies, mut top, mut below) = (0.0, 0.0, 0.0);
    world.for_each_body(&mut |id, body| {
        if Some(id) != ground {
            let z = body.pose().position.z;
            bodies += 1.0;
            top = if z > top { z } else { top };
            below += if z < 0.0 { 1.0 } else { 0.0 };
        }
    });
    tell("bodies", bodies);
    tell("bodies_below_ground", below);
    tell("highest_centre_m", top);
}

/// Floor and walls.
pub(crate) const GROUND: usize = WALLS;

/// A floor with walls this far out. m
pub(crate) fn add_ground(world: &mut dyn AnyWorld, half: f32) -> Result<BodyId, Error> {
    let ground = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
    add_walls(world, ground, half, half, rough(FRICTION))?;
    Ok(ground)
}

/// A wooden part.
pub(crate) fn add_solid(
    world: &mut dyn AnyWorld,
    solid: &'static Polyhedron<f32>,
    pose: Pose<f32>,
) -> Result<BodyId, Error> {
    add_part(world, Shape::Polyhedron(solid), WOOD, rough(FRICTION), pose)
}

/// Upright, turned about z by an angle (rad).
pub(crate) fn upright(position: Vec3<f32>, angle: f32) -> Pose<f32> {
    Pose { position, orientation: Quat::IDENTITY.turned(Vec3::new(0.0, 0.0, angle)) }
}
