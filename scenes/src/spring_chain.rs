//! A chain of masses on springs, let go unstretched: it falls, swings and hangs (product; springs as compliant rows: Tournier 2013).
//!
//! ```text
//! masses    m = 0.1 kg, 50 mm apart, as many as there are places for bodies
//! springs   k = 400 N/m, damper d = 40 N·s/m, one row each
//! at rest   spring i of n carries what hangs on it: sag Σ (n + 1 − i) m g/k = m g n(n + 1)/(2k)
//! ```

use crate::scene::{AnyWorld, Script, Stage};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Spring};
use tumble::math::{Pose, Vec3};
use tumble::shape::MassProperties;

/// A hanging chain of springs.
#[derive(Clone, Copy, Debug)]
pub struct SpringChain {
    last: Option<BodyId>,
}

/// Sixteen masses. Fits a microcontroller.
pub type SmallSpringChain = Stage<SpringChain, 16, 0, 16, 0, 16>;

const MASS: f32 = 0.1;
const SPACING: f32 = 0.05;
const STIFFNESS: f32 = 400.0;
const DAMPING: f32 = 40.0;
/// That of the default settings. m/s²
const GRAVITY: f32 = 9.81;

impl Script for SpringChain {
    const NEW: Self = Self { last: None };
    const STEPS: u32 = 3000;
    const ITERATIONS: u32 = 50;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        // a ball of 10 mm; it does not turn
        let inertia = 0.4 * MASS * 0.01 * 0.01;
        let properties = MassProperties { mass: MASS, inertia: Vec3::new(inertia, inertia, inertia) };
        for k in 1..=u16::try_from(world.body_capacity()).unwrap_or(u16::MAX) {
            let at = Pose::at(Vec3::new(0.0, 0.0, -SPACING * f32::from(k)));
            let mass = world.add_body(Body::new(Motion::Dynamic(properties), at)?)?;
            let spring = Joint::distance(Vec3::default(), Vec3::default(), SPACING)?
                .with_spring(Coordinate::Slide, Spring::new(STIFFNESS, DAMPING, 0.0)?)?;
            world.add_joint(mass, self.last, spring)?;
            self.last = Some(mass);
        }
        Ok(())
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let Some(Ok(last)) = self.last.map(|id| world.body(id)) else { return };
        let n = world.body_count() as f32;
        let at_rest = MASS * GRAVITY * n * (n + 1.0) / (2.0 * STIFFNESS);
        tell("sag_m", -last.pose().position.z - SPACING * n);
        tell("static_sag_m", at_rest);
    }
}
