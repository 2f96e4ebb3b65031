//! Dice are thrown onto a table (Hart 2007, Dice3).
//!
//! ```text
//! dice      16 mm, as many as there are places for bodies less one, thrown at 0.3 m/s with some turns a second
//! ```

use crate::hart::{GROUND, Infeasibility, add_ground, add_solid, settings, tell_heights};
use crate::parts::lattice;
use crate::random::Random;
use crate::scene::{AnyWorld, Script, Stage};
use crate::solids::CUBE;
use tumble::Error;
use tumble::body::BodyId;
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::world::{StepReport, StepSettings};

/// Dice on their way.
#[derive(Clone, Copy, Debug)]
pub struct Dice {
    ground: Option<BodyId>,
    infeasibility: Infeasibility,
}

/// Three dice.
pub type SmallDice = Stage<Dice, 4, 40, 120, { 3 + GROUND }, 0>;

/// Far enough from each other, whichever way they are turned. m
const PITCH: f32 = 0.03;

impl Script for Dice {
    const NEW: Self = Self { ground: None, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let ground = add_ground(world, 0.15)?;
        let mut random = Random::new(2007);
        let dice = world.body_capacity().saturating_sub(1);
        for place in lattice(2, 2).take(dice) {
            let position = Vec3::new(-0.1, -0.03, 0.04) + place * PITCH;
            let orientation = Quat::IDENTITY.turned(random.vector() * 3.0);
            let die = add_solid(world, &CUBE, Pose { position, orientation })?;
            let (linear, angular) = (Vec3::new(0.3, 0.05, 0.0) + random.vector() * 0.05, random.vector() * 20.0);
            world.body_mut(die)?.set_velocity(Vec6::new(linear, angular))?;
        }
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
