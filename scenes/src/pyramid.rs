//! A pyramid of dice, struck by another (Hart 2007, Pyramid1).
//!
//! ```text
//! pyramid   dice of 16 mm, 4 + 3 + 2 + 1, each over the gap between two
//! shot      another one from the left, 1.2 m/s, at the second row
//! ```

use crate::hart::{GROUND, Infeasibility, add_ground, add_solid, settings, tell_heights, upright};
use crate::scene::{AnyWorld, Script, Stage};
use crate::solids::CUBE;
use tumble::Error;
use tumble::body::BodyId;
use tumble::math::{Pose, Vec3, Vec6};
use tumble::world::{StepReport, StepSettings};

/// A pyramid that is shot at.
#[derive(Clone, Copy, Debug)]
pub struct Pyramid {
    ground: Option<BodyId>,
    infeasibility: Infeasibility,
}

/// Ten dice and one more.
pub type SmallPyramid = Stage<Pyramid, 12, 120, 360, { 11 + GROUND }, 0>;

/// Dice in the lowest row.
const ROWS: u16 = 4;
/// m
const EDGE: f32 = 0.016;
/// From die to die. m
const PITCH: f32 = 0.020;

impl Script for Pyramid {
    const NEW: Self = Self { ground: None, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let ground = add_ground(world, 0.2)?;
        for row in 0..ROWS {
            let dice = ROWS.saturating_sub(row);
            let z = EDGE * (f32::from(row) + 0.5);
            for die in 0..dice {
                let x = PITCH * (f32::from(die) - 0.5 * f32::from(dice.saturating_sub(1)));
                add_solid(world, &CUBE, Pose::at(Vec3::new(x, 0.0, z)))?;
            }
        }
        let shot = add_solid(world, &CUBE, upright(Vec3::new(-0.08, 2e-3, 1.9 * EDGE), 0.4))?;
        world.body_mut(shot)?.set_velocity(Vec6::from([1.2, 0.0, 0.25, 0.0, 8.0, 5.0]))?;
        self.ground = Some(ground);
        Ok(())
    }

    fn sense(&mut self, _world: &dyn AnyWorld, report: &StepReport<f32>) {
        self.infeasibility.see(report);
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        tell("mean_infeasibility_m", self.infeasibility.mean());
        tell_heights(world, self.ground, tell);
    }
}
