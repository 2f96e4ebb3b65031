//! A packaging machine: a belt carries bottles between rails into a row, a pusher shoves the row onto a table (Tasora 2005, fig. 5).
//!
//! ```text
//! bottle    cylinder r = 30 mm, 140 mm high, with a neck r = 14 mm, 30 mm; full of water, 0.41 kg; μ = 0.25
//! belt      0.4 m/s along x, ends at a stop at x = 0
//! row       six bottles, 0.36 m
//! cycle     3 s: the gate goes down, the pusher moves the row by 0.13 m along −y and comes back, the gate comes up
//! ```
//! Bottles come in groups of six, a cycle apart. The belt's surface is z = 0, the table lies 1 mm below. Beside the row the pusher's face is one
//! rail and the gate the other.

use crate::clock::Clock;
use crate::parts::{block, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage, follow};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, max, min};
use tumble::shape::{MassProperties, Shape};
use tumble::world::Collider;

/// Bottles on a belt.
#[derive(Clone, Copy, Debug)]
pub struct Bottles {
    machine: Option<BodyId>,
    gate: Option<BodyId>,
    pusher: Option<BodyId>,
}

/// One row of six: fits a microcontroller.
pub type SmallBottles = Stage<Bottles, 9, 80, 240, { 2 * 6 + MACHINE_COLLIDERS }, 0>;
/// Three rows of six.
pub type LargeBottles = Stage<Bottles, 21, 240, 720, { 2 * 18 + MACHINE_COLLIDERS }, 0>;

/// Belt, table, stop, two rails; gate, pusher.
const MACHINE_COLLIDERS: usize = 7;
/// Machine, gate, pusher.
const MACHINE_BODIES: usize = 3;

const RADIUS: f32 = 0.03;
const HALF: f32 = 0.07;
const NECK: (f32, f32) = (0.014, 0.015);
const WATER: f32 = 1000.0;

const ROW: u16 = 6;
const BELT_SPEED: f32 = 0.4;
/// s
const CYCLE: f32 = 3.0;
/// From bottle to bottle on the belt. m
const SPACING: f32 = 0.075;
/// Play of a bottle between rails, to either side. m
const PLAY: f32 = 1e-3;
/// The row ends here; the rails begin. m
const ROW_END: f32 = -0.37;
/// Half the belt's width. m
const BELT_HALF: f32 = 0.045;
/// How far the table lies below the belt. m
const TABLE_BELOW: f32 = 1e-3;
const PUSH: f32 = 0.13;
const GATE_STROKE: f32 = 0.11;

/// Upright: the axis is within 6° of z.
const UPRIGHT: f32 = 0.995;

impl Script for Bottles {
    const NEW: Self = Self { machine: None, gate: None, pusher: None };
    const STEPS: u32 = 9000;
    const ITERATIONS: u32 = 40;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let bottles = world.body_capacity().saturating_sub(MACHINE_BODIES);
        let groups = bottles.div_ceil(usize::from(ROW));
        let belt_length = 0.6 + CYCLE * BELT_SPEED * groups as f32;
        self.machine = Some(add_machine(world, belt_length)?);

        let rail = rough(0.05);
        let side = RADIUS + PLAY;
        // in the row both reach from its end to the stop, 40 mm to 100 mm high
        let half = Vec3::new(-0.5 * ROW_END, 0.01, 0.03);
        let middle = |y| Vec3::new(0.5 * ROW_END, y, 0.07);
        let gate = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        world.add_collider(gate, block(middle(-side - 0.01), half, rail))?;
        let pusher = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        world.add_collider(pusher, block(middle(side + 0.01), half, rail))?;
        (self.gate, self.pusher) = (Some(gate), Some(pusher));

        // places in a row, row after row
        for Vec3 { x: place, z: row, .. } in lattice(ROW, 1).take(bottles) {
            add_bottle(world, -0.1 - SPACING * place - CYCLE * BELT_SPEED * row)?;
        }
        Ok(())
    }

    fn drive(&mut self, world: &mut dyn AnyWorld, clock: Clock, h: f32) -> Result<(), Error> {
        let (Some(gate), Some(pusher)) = (self.gate, self.pusher) else { return Ok(()) };
        let now = clock.within(CYCLE);
        // out and back
        let down = now.ramp(0.9, 1.1) - now.ramp(2.2, 2.4);
        let out = now.ramp(1.1, 1.7) - now.ramp(1.7, 2.1);
        follow(world, gate, Vec3::new(0.0, 0.0, -GATE_STROKE * down), h)?;
        follow(world, pusher, Vec3::new(0.0, -PUSH * out, 0.0), h)
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let (mut upright, mut packed, mut queued) = (0.0, 0.0, 0.0);
        let (mut first, mut last) = (f32::NEG_INFINITY, f32::INFINITY);
        world.for_each_body(&mut |id, body| {
            if [self.machine, self.gate, self.pusher].contains(&Some(id)) {
                return;
            }
            let pose = body.pose();
            let Vec3 { x, y, .. } = pose.position;
            if pose.orientation.turn(Vec3::new(0.0, 0.0, 1.0)).z > UPRIGHT {
                upright += 1.0;
            }
            if y < -BELT_HALF {
                packed += 1.0;
            } else if x > ROW_END {
                queued += 1.0;
                (first, last) = (max(x, first), min(x, last));
            }
        });
        tell("bottles_upright", upright);
        tell("bottles_packed", packed);
        tell("bottles_queued", queued);
        tell("queue_length_m", if queued > 0.0 { first - last + 2.0 * RADIUS } else { 0.0 });
    }
}

/// Belt, table, stop and rails.
fn add_machine(world: &mut dyn AnyWorld, belt_length: f32) -> Result<BodyId, Error> {
    let machine = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
    let (half_length, side) = (0.5 * belt_length, RADIUS + PLAY);
    let belt = block(Vec3::new(-half_length, 0.0, -0.02), Vec3::new(half_length, BELT_HALF, 0.02), rough(0.25));
    world.add_collider(machine, Collider { surface_velocity: Vec3::new(BELT_SPEED, 0.0, 0.0), ..belt })?;
    // a little below: over the edges of two flush boxes bottles would trip
    let table = Pose::at(Vec3::new(0.0, 0.0, -TABLE_BELOW));
    world.add_collider(machine, Collider { pose: table, material: rough(0.25), ..Collider::new(Shape::HalfSpace) })?;
    // beside belt and table
    let stop = block(Vec3::new(0.02, -0.3, 0.05), Vec3::new(0.02, 0.36, 0.05), rough(0.05));
    world.add_collider(machine, stop)?;
    let rail_half = Vec3::new(half_length + 0.5 * ROW_END, 0.01, 0.03);
    for y in [-side - 0.01, side + 0.01] {
        let middle = Vec3::new(ROW_END - rail_half.x, y, 0.07);
        world.add_collider(machine, block(middle, rail_half, rough(0.05)))?;
    }
    Ok(machine)
}

/// A bottle that stands on the belt at `x`. Two cylinders on one axis, its frame at their common centre of mass.
fn add_bottle(world: &mut dyn AnyWorld, x: f32) -> Result<BodyId, Error> {
    let (neck_radius, neck_half) = NECK;
    let body = Shape::Cylinder { radius: RADIUS, half_length: HALF };
    let neck = Shape::Cylinder { radius: neck_radius, half_length: neck_half };
    let (of_body, of_neck) = (body.mass_properties(WATER)?, neck.mass_properties(WATER)?);
    let mass = of_body.mass + of_neck.mass;
    // seen from the middle of the body
    let neck_at = HALF + neck_half;
    let centre = of_neck.mass * neck_at / mass;
    // Huygens–Steiner: m a² across the axis
    let across = of_body.mass * centre * centre + of_neck.mass * (neck_at - centre) * (neck_at - centre);
    let inertia = of_body.inertia + of_neck.inertia + Vec3::new(across, across, 0.0);

    let pose = Pose::at(Vec3::new(x, 0.0, HALF + centre));
    let bottle = world.add_body(Body::new(Motion::Dynamic(MassProperties { mass, inertia }), pose)?)?;
    for (shape, z) in [(body, -centre), (neck, neck_at - centre)] {
        let pose = Pose::at(Vec3::new(0.0, 0.0, z));
        world.add_collider(bottle, Collider { pose, material: rough(0.25), ..Collider::new(shape) })?;
    }
    Ok(bottle)
}
