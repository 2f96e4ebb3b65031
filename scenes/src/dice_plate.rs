//! Dice dance on a vibrating plate with walls.
//!
//! ```text
//! dice      16 mm, 4.9 g, as many as there are places for bodies less one; at first side by side, the same face up
//! plate     n by n dice with some play, n² ≥ their number; walls without end
//! drive     z(t) = A sin 2πft, x(t) = A/2 sin 2πf_x t; A = 1.9 mm, f = 20 Hz, f_x = 8 Hz: throw number A (2πf)²/g = 3
//! stuff     μ = 0.3, restitution 0.3, 1200 kg/m³
//! ```
//! The plate moves as told, at the finite difference of its path over each step, so that it is where the path is: fifty steps a cycle. Each cycle throws the dice up by a
//! millimetre or two; they land on edges and corners, strike each other, and now and then one turns over.

use crate::clock::Clock;
use crate::parts::{WALLS, add_part, add_walls, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage, follow};
use crate::solids::CUBE;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, max, waveform};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::{Material, StepReport};

/// Dice on a vibrating plate.
#[derive(Clone, Copy, Debug)]
pub struct DicePlate {
    plate: Option<BodyId>,
    /// half the plate. m
    half: f32,
    /// deepest so far. m
    penetration: f32,
}

/// 16 dice: fits a microcontroller.
pub type SmallDicePlate = Stage<DicePlate, 17, 96, 288, { 16 + WALLS }, 0>;
/// 100 dice.
pub type LargeDicePlate = Stage<DicePlate, 101, 600, 1800, { 100 + WALLS }, 0>;

/// kg/m³
const DENSITY: f32 = 1200.0;
/// m
const HALF_EDGE: f32 = 8e-3;
/// From die to die at first, and what each has of the plate. m
const PITCH: f32 = 0.022;
/// m
const STROKE: f32 = 1.9e-3;
const FREQUENCY: f32 = 20.0;
/// Slower, so that no way is ahead.
const FREQUENCY_ACROSS: f32 = 8.0;
/// Cosine of the tilt up to which a die lies on a face: 5°.
const FLAT: f32 = 0.9962;

impl Script for DicePlate {
    const NEW: Self = Self { plate: None, half: 0.0, penetration: 0.0 };
    const STEPS: u32 = 5000;
    const ITERATIONS: u32 = 30;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let dice = world.body_capacity().saturating_sub(1);
        let side = (1..u16::MAX).find(|&side| usize::from(side).saturating_pow(2) >= dice).unwrap_or(u16::MAX);
        self.half = 0.5 * PITCH * f32::from(side);

        let material = Material { restitution: 0.3, ..rough(0.3) };
        let plate = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        self.plate = Some(plate);
        add_walls(world, plate, self.half, self.half, material)?;
        let mut random = Random::new(16);
        let first = Vec3::new(0.5 * PITCH - self.half, 0.5 * PITCH - self.half, HALF_EDGE);
        for place in lattice(side, side).take(dice) {
            // turned by up to 15°, which keeps them apart
            let turn = Vec3::new(0.0, 0.0, 0.26 * random.within_one());
            let pose = Pose { position: first + place * PITCH, orientation: Quat::IDENTITY.turned(turn) };
            add_part(world, Shape::Polyhedron(&CUBE), DENSITY, material, pose)?;
        }
        Ok(())
    }

    fn drive(&mut self, world: &mut dyn AnyWorld, clock: Clock, h: f32) -> Result<(), Error> {
        let Some(plate) = self.plate else { return Ok(()) };
        let (up, across) = (clock.phase(FREQUENCY), clock.phase(FREQUENCY_ACROSS));
        let path = Vec3::new(0.5 * STROKE * waveform::sin(across), 0.0, STROKE * waveform::sin(up));
        follow(world, plate, path, h)
    }

    fn sense(&mut self, _world: &dyn AnyWorld, report: &StepReport<f32>) {
        self.penetration = max(report.penetration, self.penetration);
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let Some(Ok(plate)) = self.plate.map(|id| world.body(id)) else { return };
        let floor = plate.pose().position;
        let (mut dice, mut inside, mut height, mut flat, mut turned) = (0.0, 0.0, 0.0, 0.0, 0.0);
        let one_if = |is: bool| if is { 1.0 } else { 0.0 };
        world.for_each_body(&mut |id, body| {
            if Some(id) == self.plate {
                return;
            }
            let Pose { position, orientation } = *body.pose();
            let at = position - floor;
            let up = orientation.inverse().turn(Vec3::new(0.0, 0.0, 1.0));
            let most = max(up.x.abs(), max(up.y.abs(), up.z.abs()));
            dice += 1.0;
            inside += one_if(at.x.abs() < self.half && at.y.abs() < self.half && at.z > 0.0);
            height += at.z;
            flat += one_if(most > FLAT);
            // which face is up
            turned += one_if(up.z < most);
        });
        tell("dice", dice);
        tell("dice_on_plate", inside);
        tell("mean_height_m", if dice > 0.0 { height / dice } else { 0.0 });
        tell("dice_on_a_face", flat);
        tell("dice_turned", turned);
        tell("deepest_penetration_m", self.penetration);
    }
}
