//! Fourteen steel spheres (r = 5 mm, 4.1 g) as a square pyramid of 9 + 4 + 1 on a plate that moves sideways beneath them.

use super::CaseProblem;
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error};

const RADIUS: f64 = 5e-3;
const MASS: f64 = 4.1e-3;

pub(super) fn build<R: Real>(problem: &mut CaseProblem<R>) -> Result<(), Error> {
    let r = R::from_f64;
    let mu = r(0.3);
    // 2/5 m r²
    let inverse_mass = InverseMass::new(r(MASS), [r(0.4 * MASS * RADIUS * RADIUS); 3])?;
    let mut sphere = |problem: &mut CaseProblem<R>, k: u8| {
        let spin = r(0.1) * r(f64::from(k));
        problem.add_body(inverse_mass, Vec6::from([R::ZERO, R::ZERO, r(-0.02), spin, R::ZERO, -spin]))
    };

    let mut floor: [[Option<BodyIndex>; 3]; 3] = [[None; 3]; 3];
    let up = Vec3::new(R::ZERO, R::ZERO, R::ONE);
    for (k, slot) in (0..).zip(floor.iter_mut().flatten()) {
        let id = sphere(problem, k)?;
        *slot = Some(id);
        // the plate moves at 0.05 m/s: what a conveyor is to the rows
        let mut inputs = RowInput::contact(up, up * r(-RADIUS), Vec3::default());
        inputs[1].target_velocity = r(0.05);
        problem.add_contact(id, None, &inputs, Friction::Cone { mu })?;
    }
    let middle: [[Option<BodyIndex>; 2]; 2] = rest_on_four(problem, &floor, &mut sphere, mu)?;
    let _top: [[Option<BodyIndex>; 1]; 1] = rest_on_four(problem, &middle, &mut sphere, mu)?;
    Ok(())
}

/// A sphere in each hollow of a layer; each touches the four below it along (±1, ±1, √2)/2.
fn rest_on_four<R: Real, const N: usize, const M: usize>(
    problem: &mut CaseProblem<R>,
    below: &[[Option<BodyIndex>; N]; N],
    sphere: &mut impl FnMut(&mut CaseProblem<R>, u8) -> Result<BodyIndex, Error>,
    mu: R,
) -> Result<[[Option<BodyIndex>; M]; M], Error> {
    let r = R::from_f64;
    let mut layer = [[None; M]; M];
    for (rows_below, slots) in below.windows(2).zip(&mut layer) {
        let [south, north] = rows_below else { continue };
        for ((south, north), slot) in south.windows(2).zip(north.windows(2)).zip(slots) {
            let id = sphere(problem, 3)?;
            *slot = Some(id);
            let ([sw, se], [nw, ne]) = (south, north) else { continue };
            for (support, x, y) in [(sw, 0.5, 0.5), (se, -0.5, 0.5), (nw, 0.5, -0.5), (ne, -0.5, -0.5)] {
                let normal = Vec3::new(r(x), r(y), r(core::f64::consts::FRAC_1_SQRT_2));
                let inputs = RowInput::contact(normal, normal * r(-RADIUS), normal * r(RADIUS));
                problem.add_contact(id, *support, &inputs, Friction::Cone { mu })?;
            }
        }
    }
    Ok(layer)
}
