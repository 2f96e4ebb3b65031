//! An open chain of links on hinges, five rows each, hung from the ground at one end, with a stop at the other: what one row more or less at the end costs.

use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Admissible, InverseMass, RowInput};
use tumble::twin::Random;
use tumble::{Error, Problem};

/// Rods of steel, 0.1 m. kg, kg·m²
const MASS: f64 = 0.2;
const INERTIA: [f64; 3] = [1.7e-4, 1.7e-4, 1e-5];
const HALF: f64 = 0.05;
/// m/s
const FALL: f64 = -9.81e-3;

/// Rows of a hinge.
pub const HINGE_ROWS: usize = 5;

pub(super) fn chain<R: Real, const BODIES: usize, const ROWS: usize>(
    problem: &mut Problem<R, BODIES, ROWS>,
    links: u16,
    seed: u32,
) -> Result<(), Error> {
    let r = R::from_f64;
    problem.clear();
    let mut random = Random::new(seed);
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(|[x, y, z]| Vec3::new(r(x), r(y), r(z)));
    let [x, _, z] = axes;
    let inverse_mass = InverseMass::new(r(MASS), INERTIA.map(r))?;
    let (top, bottom) = (z * r(HALF), z * r(-HALF));
    let mut above = None;
    for _ in 0..links {
        let [push, swing] = [random.within_one(), random.within_one()].map(|number| r(0.1 * f64::from(number)));
        let free = Vec6::new(Vec3::new(push, R::ZERO, r(FALL)), Vec3::new(R::ZERO, swing, R::ZERO));
        let link = problem.add_body(inverse_mass, free)?;
        for axis in axes {
            problem.add_row(link, above, &RowInput::at_point(axis, top, bottom), Admissible::Bilateral)?;
        }
        // free about y alone
        for axis in [x, z] {
            let about = Vec6::new(Vec3::default(), axis);
            problem.add_row(link, above, &RowInput::new(about, -about), Admissible::Bilateral)?;
        }
        above = Some(link);
    }
    if let Some(last) = above {
        problem.add_row(last, None, &RowInput::at_point(x, bottom, bottom), Admissible::Unilateral)?;
    }
    Ok(())
}
