//! A block of 0.5 kg slides over three points of the ground at 0.2 m/s and turns: the same under each shape of friction.

use super::CaseProblem;
use tumble::Error;
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Friction, InverseMass, RowInput};

/// Shape of the friction law.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Cone,
    Pyramid,
    Box,
}

pub(super) fn build<R: Real>(problem: &mut CaseProblem<R>, shape: Shape) -> Result<(), Error> {
    let r = R::from_f64;
    let mu = r(0.25);
    let inverse_mass = InverseMass::new(r(0.5), [r(4e-4), r(5e-4), r(6e-4)])?;
    let block = problem.add_body(inverse_mass, Vec6::from([0.2, 0.05, -0.04, 0.1, -0.2, 1.5].map(r)))?;
    for (x, y) in [(0.04, 0.0), (-0.03, 0.03), (-0.02, -0.04)] {
        let normal = Vec3::new(R::ZERO, R::ZERO, R::ONE);
        let inputs = RowInput::contact(normal, Vec3::new(r(x), r(y), r(-0.02)), Vec3::default());
        let friction = match shape {
            Shape::Cone => Friction::Cone { mu },
            Shape::Pyramid => Friction::Pyramid { mu },
            Shape::Box => Friction::Box { mu },
        };
        problem.add_contact(block, None, &inputs, friction)?;
    }
    Ok(())
}
