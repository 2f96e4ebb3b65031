//! Heavy bodies on light ones, the hardest thing for an iteration (product).
//!
//! ```text
//! pair      20 kg on 20 g: 1000 : 1
//! stack     2 kg on four of 20 g: 100 : 1
//! sink      how much lower the heavy one is than if nothing gave way     m
//! ```
//! A sweep hands on no more than what the light body can take: it takes many to carry the weight. With three hundred a step both stand still (plain
//! projected SOR needs a thousand); with twenty, warm starts and all, the pair rocks until it falls.

use crate::parts::{add_part, rough};
use crate::scene::{AnyWorld, Script, Stage};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, max};
use tumble::shape::Shape;
use tumble::world::{Collider, StepReport};

/// A pair and a stack.
#[derive(Clone, Copy, Debug)]
pub struct MassRatio {
    /// Each heavy body.
    heavy: [Option<BodyId>; 2],
    /// Its deepest so far. m
    deepest: [f32; 2],
}

/// Fits a microcontroller.
pub type SmallMassRatio = Stage<MassRatio, 8, 32, 96, 8, 0>;

/// Where each stands, how many light ones carry it, half its edge (m) and its density (kg/m³).
const TOWERS: [Tower; 2] = [
    Tower { x: -0.1, light: 1, half: 0.05, density: 20.0 / (8.0 * 0.05 * 0.05 * 0.05) },
    Tower { x: 0.1, light: 4, half: 0.04, density: 2.0 / (8.0 * 0.04 * 0.04 * 0.04) },
];

#[derive(Clone, Copy, Debug)]
struct Tower {
    x: f32,
    light: u8,
    half: f32,
    density: f32,
}

const LIGHT_HALF: f32 = 0.02;
const LIGHT_DENSITY: f32 = 0.02 / (8.0 * LIGHT_HALF * LIGHT_HALF * LIGHT_HALF);

impl Tower {
    /// Of the heavy body's middle. m
    fn height(&self) -> f32 {
        2.0 * LIGHT_HALF * f32::from(self.light) + self.half
    }
}

impl Script for MassRatio {
    const NEW: Self = Self { heavy: [None; 2], deepest: [0.0; 2] };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 300;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let material = rough(0.5);
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        world.add_collider(floor, Collider { material, ..Collider::new(Shape::HalfSpace) })?;
        let cube = |half| Shape::Box { half: Vec3::new(half, half, half) };
        for (tower, heavy) in TOWERS.iter().zip(&mut self.heavy) {
            for level in 0..tower.light {
                let z = LIGHT_HALF * (2.0 * f32::from(level) + 1.0);
                add_part(world, cube(LIGHT_HALF), LIGHT_DENSITY, material, Pose::at(Vec3::new(tower.x, 0.0, z)))?;
            }
            let top = Pose::at(Vec3::new(tower.x, 0.0, tower.height()));
            *heavy = Some(add_part(world, cube(tower.half), tower.density, material, top)?);
        }
        Ok(())
    }

    fn sense(&mut self, world: &dyn AnyWorld, _report: &StepReport<f32>) {
        let sinks = self.sinks(world);
        for (deepest, sink) in self.deepest.iter_mut().zip(sinks) {
            *deepest = max(sink, *deepest);
        }
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let ([pair, stack], [pair_deepest, stack_deepest]) = (self.sinks(world), self.deepest);
        tell("pair_sink_m", pair);
        tell("pair_sink_max_m", pair_deepest);
        tell("stack_sink_m", stack);
        tell("stack_sink_max_m", stack_deepest);
    }
}

impl MassRatio {
    /// How much lower each heavy body is than it would be on rigid ones. m
    fn sinks(&self, world: &dyn AnyWorld) -> [f32; 2] {
        let mut sinks = [0.0; 2];
        for ((sink, tower), heavy) in sinks.iter_mut().zip(&TOWERS).zip(self.heavy) {
            if let Some(Ok(heavy)) = heavy.map(|id| world.body(id)) {
                *sink = tower.height() - heavy.pose().position.z;
            }
        }
        sinks
    }
}
