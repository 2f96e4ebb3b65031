//! Blocks, pins, balls and discs pour down over three boards into a bin (Tasora 2005, fig. 4).
//!
//! ```text
//! parts     8 to 18 mm long, 1200 kg/m³, μ = 0.3, as many as there are places for bodies less one
//! boards    slopes of 0.5, one below the other to either side: tan 27° > μ, so nothing stays on them
//! bin       0.3 m × 0.12 m
//! ```
//! They begin as layers above the highest board, each turned at random.

use crate::parts::{WALLS, add_part, add_walls, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::Collider;

/// Parts of four shapes on their way down.
#[derive(Clone, Copy, Debug)]
pub struct Cascade {
    machine: Option<BodyId>,
}

/// 20 parts: fits a microcontroller.
pub type SmallCascade = Stage<Cascade, 21, 112, 336, { 20 + COLLIDERS }, 0>;
/// 150 parts.
pub type LargeCascade = Stage<Cascade, 151, 900, 2700, { 150 + COLLIDERS }, 0>;

/// Of the machine.
const COLLIDERS: usize = WALLS + BOARDS.len();

const HALF_X: f32 = 0.15;
const HALF_Y: f32 = 0.06;
/// Middle of a board (x, z), and the slope of its normal along x.
const BOARDS: [(f32, f32, f32); 3] = [(-0.08, 0.31, 0.5), (0.08, 0.20, -0.5), (-0.08, 0.11, 0.5)];
const BOARD_HALF: Vec3<f32> = Vec3::new(0.12, HALF_Y, 4e-3);

const SHAPES: [Shape<f32>; 4] = [
    Shape::Box { half: Vec3::new(7e-3, 5e-3, 4e-3) },
    Shape::Capsule { radius: 4e-3, half_length: 5e-3 },
    Shape::Sphere { radius: 6e-3 },
    Shape::Cylinder { radius: 6e-3, half_length: 4e-3 },
];
/// No two parts touch at this distance, whichever way they are turned. m
const PITCH: f32 = 0.0195;
/// Parts a layer.
const ALONG: u16 = 5;
const ACROSS: u16 = 5;
/// Above the left half of the highest board. m
const FIRST: Vec3<f32> = Vec3::new(-0.127, -0.039, 0.38);

/// The lowest board ends above this. m
const BIN_HEIGHT: f32 = 0.045;

impl Script for Cascade {
    const NEW: Self = Self { machine: None };
    const STEPS: u32 = 2500;
    const ITERATIONS: u32 = 30;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let material = rough(0.3);
        let machine = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        add_walls(world, machine, HALF_X, HALF_Y, material)?;
        for (x, z, slope) in BOARDS {
            let pose = Joint::frame(Vec3::new(x, 0.0, z), Vec3::new(slope, 0.0, 1.0))?;
            world
                .add_collider(machine, Collider { pose, material, ..Collider::new(Shape::Box { half: BOARD_HALF }) })?;
        }
        let mut random = Random::new(2005);
        let parts = world.body_capacity().saturating_sub(1);
        for (place, shape) in lattice(ALONG, ACROSS).zip(SHAPES.into_iter().cycle()).take(parts) {
            let Vec3 { x, y, z } = random.vector();
            let orientation = Quat::new(random.within_one(), x, y, z).unwrap_or(Quat::IDENTITY);
            let position = FIRST + place * PITCH;
            add_part(world, shape, 1200.0, material, Pose { position, orientation })?;
        }
        self.machine = Some(machine);
        Ok(())
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        if self.machine.is_none() {
            return;
        }
        let (mut parts, mut in_bin, mut height) = (0.0, 0.0, 0.0);
        world.for_each_body(&mut |id, body| {
            let Vec3 { x, y, z } = body.pose().position;
            let inside = x.abs() < HALF_X && y.abs() < HALF_Y && z > 0.0 && z < BIN_HEIGHT;
            if Some(id) != self.machine {
                parts += 1.0;
                height += z;
                in_bin += if inside { 1.0 } else { 0.0 };
            }
        });
        tell("parts", parts);
        tell("parts_in_bin", in_bin);
        tell("mean_height_m", height / parts);
    }
}
