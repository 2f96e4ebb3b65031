//! Six polyhedra of as many kinds fall into a bin (Hart 2007, Setup6).
//!
//! ```text
//! parts     tetrahedron, octahedron, dodecahedron, nut, block, wedge: 16 to 32 mm
//! bin       80 mm × 80 mm
//! ```

use crate::hart::{GROUND, Infeasibility, add_ground, add_solid, settings, tell_heights};
use crate::parts::lattice;
use crate::random::Random;
use crate::scene::{AnyWorld, Script, Stage};
use crate::solids::{BLOCK, DODECAHEDRON, NUT, OCTAHEDRON, TETRAHEDRON, WEDGE};
use tumble::Error;
use tumble::body::BodyId;
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::Polyhedron;
use tumble::world::{StepReport, StepSettings};

/// One of each.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    ground: Option<BodyId>,
    infeasibility: Infeasibility,
}

/// Six parts.
pub type SmallSetup = Stage<Setup, 7, 80, 240, { 6 + GROUND }, 0>;

const SOLIDS: [&Polyhedron<f32>; 6] = [&TETRAHEDRON, &OCTAHEDRON, &DODECAHEDRON, &NUT, &BLOCK, &WEDGE];
const HALF: f32 = 0.04;
/// m
const PITCH: f32 = 0.045;

impl Script for Setup {
    const NEW: Self = Self { ground: None, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let ground = add_ground(world, HALF)?;
        let mut random = Random::new(6);
        let parts = world.body_capacity().saturating_sub(1);
        for (place, solid) in lattice(2, 1).zip(SOLIDS.into_iter().cycle()).take(parts) {
            let position = Vec3::new(-0.018, 0.0, 0.03) + Vec3::new(0.8 * place.x, 0.0, place.z) * PITCH;
            let orientation = Quat::IDENTITY.turned(random.vector() * 3.0);
            add_solid(world, solid, Pose { position, orientation })?;
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
