//! A self-centring gripper: an annular cam slides down its axis and closes eight fingers (Tasora 2005, fig. 1).
//!
//! ```text
//! cam       0.4 kg, slides along z, pushed down at 30 mm/s by at most F = 20 N; inner faces slope by tan β = 0.4
//! finger    steel rod r = 4 mm with a soft pad, slides along its radius, spring of 100 N/m outwards; its roller (r = 6 mm) runs on the cam
//! part      aluminium cylinder r = 15 mm, 24 mm high, 46 g, at first 2.3 mm off centre on a table
//! 0.8 s     the table goes down: friction of the fingers holds the part
//! grip      N on a roller with 8 N sin β = F + weight of the cam; its finger presses with N cos β less its spring
//! ```
//! Only contacts and joints: all fingers are at one radius because they run on one cam, so what they hold is centred.

use crate::clock::Clock;
use crate::parts::{STEEL, add_part, rough};
use crate::scene::{AnyWorld, Script, Stage, follow};
use core::f32::consts::FRAC_1_SQRT_2;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Motor, Spring};
use tumble::math::{Pose, Real, Vec3};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Filter, Material};

/// Eight fingers closed by one cam.
#[derive(Clone, Copy, Debug)]
pub struct Gripper {
    table: Option<BodyId>,
    part: Option<BodyId>,
    fingers: [Option<BodyId>; FINGERS],
}

/// Table, part, cam; a finger and a roller eight times. Fits a microcontroller.
pub type SmallGripper = Stage<Gripper, 19, 32, 192, 26, 17>;

const FINGERS: usize = 8;
/// Where they come from, seen from the middle.
const DIRECTIONS: [(f32, f32); FINGERS] = [
    (1.0, 0.0),
    (FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    (0.0, 1.0),
    (-FRAC_1_SQRT_2, FRAC_1_SQRT_2),
    (-1.0, 0.0),
    (-FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
    (0.0, -1.0),
    (FRAC_1_SQRT_2, -FRAC_1_SQRT_2),
];

/// kg/m³
const ALUMINIUM: f32 = 2700.0;
const PART_RADIUS: f32 = 0.015;
const PART_HALF: f32 = 0.012;
const OFF_CENTRE: Vec3<f32> = Vec3::new(2.0e-3, -1.2e-3, 0.0);

const FINGER_RADIUS: f32 = 4e-3;
const FINGER_HALF: f32 = 0.014;
const ROLLER_RADIUS: f32 = 6e-3;
/// From the middle of a finger out to its roller's. m
const ROLLER_AT: f32 = 0.016;
/// Clearance between the fingers and a centred part, open. m
const OPEN: f32 = 5e-3;

/// How far a finger's pad gives way, and what damps it: 0.06 mm under 6 N. m/N, N·s/m
const PAD_COMPLIANCE: f32 = 1e-5;
const PAD_DAMPING: f32 = 20.0;

const CAM_SLOPE: f32 = 0.4;
const CAM_SPEED: f32 = 0.03;
const CAM_FORCE: f32 = 20.0;
/// Half a face of the cam, and half its thickness. m
const FACE: f32 = 0.02;
const FACE_HALF_THICKNESS: f32 = 4e-3;

/// The table goes down by this. m
const TABLE_STROKE: f32 = 0.01;
/// From when to when. s
const TABLE_TIME: (f32, f32) = (0.8, 1.0);

/// What the cam and its rollers touch: each other.
const CAM_GROUP: Filter = Filter { groups: 2, touches: 2 };

impl Script for Gripper {
    const NEW: Self = Self { table: None, part: None, fingers: [None; FINGERS] };
    const STEPS: u32 = 1500;
    const ITERATIONS: u32 = 60;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let table = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        world.add_collider(table, Collider { material: rough(0.2), ..Collider::new(Shape::HalfSpace) })?;

        let shape = Shape::Cylinder { radius: PART_RADIUS, half_length: PART_HALF };
        let pose = Pose::at(OFF_CENTRE + Vec3::new(0.0, 0.0, PART_HALF));
        let part = add_part(world, shape, ALUMINIUM, rough(0.5), pose)?;

        add_cam(world)?;
        for (&(x, y), finger) in DIRECTIONS.iter().zip(&mut self.fingers) {
            *finger = Some(add_finger(world, Vec3::new(x, y, 0.0))?);
        }
        (self.table, self.part) = (Some(table), Some(part));
        Ok(())
    }

    fn drive(&mut self, world: &mut dyn AnyWorld, clock: Clock, h: f32) -> Result<(), Error> {
        let Some(table) = self.table else { return Ok(()) };
        let (begin, end) = TABLE_TIME;
        follow(world, table, Vec3::new(0.0, 0.0, -TABLE_STROKE * clock.ramp(begin, end)), h)
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let Some(Ok(part)) = self.part.map(|id| world.body(id)) else { return };
        let Vec3 { x, y, z } = part.pose().position;
        tell("off_centre_m", Real::sqrt(x * x + y * y));
        tell("drop_m", PART_HALF - z);
        let (mut holding, mut sum) = (0.0, 0.0);
        for (&(x, y), finger) in DIRECTIONS.iter().zip(self.fingers) {
            // the part pushes it outwards; nothing else touches it, the cam only its roller
            let pushed = finger.and_then(|id| world.contact_force(id).ok()).unwrap_or_default();
            let force = pushed.dot(Vec3::new(x, y, 0.0));
            holding += if force > 0.1 { 1.0 } else { 0.0 };
            sum += force;
        }
        tell("fingers_holding", holding);
        tell("grip_force_mean_n", sum / FINGERS as f32);
    }
}

/// Where a roller's middle is at first, as far out along its direction. m
const fn roller_radius() -> f32 {
    PART_RADIUS + OPEN + FINGER_RADIUS + FINGER_HALF + ROLLER_AT
}

/// A ring of eight sloping faces that slides along z.
fn add_cam(world: &mut dyn AnyWorld) -> Result<(), Error> {
    // a ring of mean radius 60 mm: m r² about its axis, a little more than half of it across
    let ring = MassProperties { mass: 0.4, inertia: Vec3::new(8.0e-4, 8.0e-4, 1.44e-3) };
    let pose = Pose::at(Vec3::new(0.0, 0.0, PART_HALF));
    let cam = world.add_body(Body::new(Motion::Dynamic(ring), pose)?)?;
    for (x, y) in DIRECTIONS {
        let outwards = Vec3::new(x, y, 0.0);
        // seen from the roller; the ring narrows upwards, so that going down closes it
        let normal = Vec3::new(-x, -y, -CAM_SLOPE) * (1.0 / Real::sqrt(1.0 + CAM_SLOPE * CAM_SLOPE));
        let middle = outwards * roller_radius() - normal * (ROLLER_RADIUS + FACE_HALF_THICKNESS);
        let half = Vec3::new(FACE, FACE, FACE_HALF_THICKNESS);
        let collider = Collider {
            pose: Joint::frame(middle, normal)?,
            material: rough(0.1),
            filter: CAM_GROUP,
            ..Collider::new(Shape::Box { half })
        };
        world.add_collider(cam, collider)?;
    }
    let guide = Joint::prismatic(Pose::IDENTITY, pose)?
        .with_motor(Coordinate::Slide, Motor::velocity(-CAM_SPEED, CAM_FORCE)?)?;
    world.add_joint(cam, None, guide)?;
    Ok(())
}

/// A rod on a slide with its roller; returns the rod.
fn add_finger(world: &mut dyn AnyWorld, outwards: Vec3<f32>) -> Result<BodyId, Error> {
    let height = Vec3::new(0.0, 0.0, PART_HALF);
    let rod = Shape::Capsule { radius: FINGER_RADIUS, half_length: FINGER_HALF };
    let at = Joint::frame(height + outwards * (roller_radius() - ROLLER_AT), outwards)?;
    // a pad of rubber: eight stiff fingers would not share what they hold
    let pad = Material { compliance: PAD_COMPLIANCE, damping: PAD_DAMPING, ..rough(0.5) };
    let finger = add_part(world, rod, STEEL, pad, at)?;
    // pulled outwards as if to 10 mm beyond where it begins
    let slide = Joint::prismatic(Pose::IDENTITY, at)?.with_spring(Coordinate::Slide, Spring::new(100.0, 1.0, 0.01)?)?;
    world.add_joint(finger, None, slide)?;

    let ball = Shape::Sphere { radius: ROLLER_RADIUS };
    let at_roller = Pose::at(height + outwards * roller_radius());
    let roller = world.add_body(Body::new(Motion::Dynamic(ball.mass_properties(STEEL)?), at_roller)?)?;
    world.add_collider(roller, Collider { material: rough(0.1), filter: CAM_GROUP, ..Collider::new(ball) })?;
    let axle = Joint::frame(at_roller.position, Vec3::new(-outwards.y, outwards.x, 0.0))?;
    let bearing = Joint::revolute(Joint::within(&at_roller, &axle), Joint::within(&at, &axle))?;
    world.add_joint(roller, Some(finger), bearing)?;
    Ok(finger)
}
