//! A plank on the edge of a wedge: dice fall on its ends, and it tips to and fro (Hart 2007, Balance2).
//!
//! ```text
//! wedge     fixed, its edge 20 mm above the ground
//! plank     120 mm × 20 mm × 5 mm, level on the edge
//! dice      16 mm, one set down 45 mm left of the edge, one falling from 60 mm on the right end
//! ```

use crate::hart::{GROUND, Infeasibility, add_ground, add_solid, settings, tell_heights, upright};
use crate::parts::rough;
use crate::scene::{AnyWorld, Script, Stage};
use crate::solids::{CUBE, PLANK, WEDGE};
use tumble::Error;
use tumble::body::BodyId;
use tumble::math::{Pose, Vec3};
use tumble::shape::Shape;
use tumble::world::{Collider, StepReport, StepSettings};

/// A see-saw.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    ground: Option<BodyId>,
    infeasibility: Infeasibility,
}

/// Ground, plank, two dice.
pub type SmallBalance = Stage<Balance, 4, 32, 96, { 4 + GROUND }, 0>;

/// The wedge's centre of mass, a third up. m
const WEDGE_HEIGHT: f32 = 0.02;

impl Script for Balance {
    const NEW: Self = Self { ground: None, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let ground = add_ground(world, 0.2)?;
        let pose = Pose::at(Vec3::new(0.0, 0.0, WEDGE_HEIGHT / 3.0));
        let wedge = Collider { pose, material: rough(0.4), ..Collider::new(Shape::Polyhedron(&WEDGE)) };
        world.add_collider(ground, wedge)?;
        let plank = WEDGE_HEIGHT + 2.5e-3;
        add_solid(world, &PLANK, Pose::at(Vec3::new(0.0, 0.0, plank)))?;
        let on_plank = plank + 2.5e-3 + 8e-3;
        add_solid(world, &CUBE, upright(Vec3::new(-0.045, 0.0, on_plank), 0.3))?;
        add_solid(world, &CUBE, upright(Vec3::new(0.048, 1e-3, on_plank + 0.06), 0.5))?;
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
