//! Two wheels at a fixed distance roll down a ramp (Hart 2007, the joint example).
//!
//! ```text
//! wheels    prisms of 24 sides, 40 mm, 12 mm wide, their centres held 60 mm apart
//! ramp      0.2 falling, over a metre long
//! ```

use crate::hart::{House, Infeasibility, Piece, Placed, add_house, add_placed, settings};
use crate::scene::{AnyWorld, Script, Stage};
use crate::solids::WHEEL;
use tumble::Error;
use tumble::body::BodyId;
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Real, Vec3, max};
use tumble::world::{StepReport, StepSettings};

/// Wheels on a ramp.
#[derive(Clone, Copy, Debug)]
pub struct Wheels {
    wheels: [Option<BodyId>; 2],
    /// largest error of the distance. m
    stretch: f32,
    infeasibility: Infeasibility,
}

/// Ramp and wheels.
pub type SmallWheels = Stage<Wheels, 3, 16, 64, 3, 1>;

/// Corners are this far from the middle, sides a little less. m
const RADIUS: f32 = 0.02;
const DISTANCE: f32 = 0.06;
/// Upwards from the ramp.
const SLOPE: Vec3<f32> = Vec3::new(0.2, 0.0, 1.0);

static RAMP: [(Vec3<f32>, Vec3<f32>); 1] = [(Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0))];
static DISC: [Piece; 1] = [(&WHEEL, Vec3::new(0.0, 0.0, 0.0))];

impl Script for Wheels {
    const NEW: Self = Self { wheels: [None; 2], stretch: 0.0, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let ramp =
            House { pose: Joint::frame(Vec3::default(), SLOPE)?, spin: Vec3::default(), walls: &RAMP, solids: &[] };
        add_house(world, &ramp)?;
        // axles across
        let half = core::f32::consts::FRAC_1_SQRT_2;
        let across = Quat::new(half, half, 0.0, 0.0).unwrap_or(Quat::IDENTITY);
        let mut wheel = |x: f32| {
            let pose = Pose { position: Vec3::new(x, 0.0, RADIUS), orientation: across };
            add_placed(world, &ramp, &Placed::at(&DISC, pose))
        };
        let (first, second) = (wheel(0.0)?, wheel(DISTANCE)?);
        let middle = Vec3::default();
        world.add_joint(first, Some(second), Joint::distance(middle, middle, DISTANCE)?)?;
        self.wheels = [Some(first), Some(second)];
        Ok(())
    }

    fn sense(&mut self, world: &dyn AnyWorld, report: &StepReport<f32>) {
        let stretch = self.distance(world).map_or(0.0, |distance| (distance - DISTANCE).abs());
        self.stretch = max(stretch, self.stretch);
        self.infeasibility.add(max(stretch, report.penetration));
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let [first, _] = self.wheels.map(|id| id.and_then(|id| world.body(id).ok()));
        let Some(first) = first else { return };
        tell("mean_infeasibility_m", self.infeasibility.mean());
        tell("largest_stretch_m", self.stretch);
        let at = first.pose().position;
        tell("rolled_m", Real::sqrt(at.dot(at)));
    }
}

impl Wheels {
    fn distance(&self, world: &dyn AnyWorld) -> Option<f32> {
        let [first, second] = self.wheels;
        let apart = world.body(first?).ok()?.pose().position - world.body(second?).ok()?.pose().position;
        Some(Real::sqrt(apart.dot(apart)))
    }
}
