//! Ten boxes of 1 kg and 0.1 m on each other, at rest, in the first millisecond of gravity: `v_free = −g h`.

use super::CaseProblem;
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error};

pub(super) fn build<R: Real>(problem: &mut CaseProblem<R>) -> Result<(), Error> {
    let r = R::from_f64;
    // a cube's inertia is m a²/6
    let inverse_mass = InverseMass::new(R::ONE, [r(0.01 / 6.0); 3])?;
    let up = Vec3::new(R::ZERO, R::ZERO, R::ONE);
    let mut below: Option<BodyIndex> = None;
    for level in 0..10 {
        // a breath of sideways motion, another at each level, so that friction has work to do
        let drift = r(0.002) * r(f64::from(level));
        let v_free = Vec6::from([drift, -drift, r(-9.81e-3), R::ZERO, R::ZERO, drift]);
        let cube = problem.add_body(inverse_mass, v_free)?;
        for (x, y) in [(0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05), (0.05, -0.05)] {
            let arm = |z| Vec3::new(r(x), r(y), r(z));
            let inputs = RowInput::contact(up, arm(-0.05), arm(0.05));
            problem.add_contact(cube, below, &inputs, Friction::Cone { mu: r(0.4) })?;
        }
        below = Some(cube);
    }
    Ok(())
}
