//! A chain of eight links hung from the ground by ball joints, driven by a motor with a torque limit, braked by joint friction,
//! its last link against a compliant stop: bilateral, bounded, friction and unilateral rows together.

use super::CaseProblem;
use tumble::Error;
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Admissible, InverseMass, RowInput};

const LINKS: u8 = 8;

pub(super) fn build<R: Real>(problem: &mut CaseProblem<R>) -> Result<(), Error> {
    let r = R::from_f64;
    let axes =
        [Vec3::new(R::ONE, R::ZERO, R::ZERO), Vec3::new(R::ZERO, R::ONE, R::ZERO), Vec3::new(R::ZERO, R::ZERO, R::ONE)];
    // rods of 0.2 kg and 0.1 m along z
    let inverse_mass = InverseMass::new(r(0.2), [r(1.7e-4), r(1.7e-4), r(1e-5)])?;
    let (top, bottom) = (axes[2] * r(0.05), axes[2] * r(-0.05));
    let mut above = None;
    for k in 0..LINKS {
        let swing = r(0.1) * r(f64::from(k));
        let v_free = Vec6::from([swing, R::ZERO, r(-9.81e-3), R::ZERO, swing, r(0.3)]);
        let link = problem.add_body(inverse_mass, v_free)?;
        for axis in axes {
            problem.add_row(link, above, &RowInput::at_point(axis, top, bottom), Admissible::Bilateral)?;
        }
        // the last joint row carries the weight: friction about the link's axis goes with it, over 5 mm
        let about_z = turning(axes[2]);
        problem.add_row(link, above, &about_z, Admissible::Friction { mu: r(5e-4) })?;
        if k == 0 {
            let motor = RowInput { target_velocity: r(2.0), ..turning(axes[1]) };
            let limit = r(2e-4);
            problem.add_row(link, None, &motor, Admissible::Bounded { lo: -limit, hi: limit })?;
        }
        if k == LINKS - 1 {
            let stop = RowInput { compliance: r(0.5), ..RowInput::at_point(-axes[0], bottom, bottom) };
            problem.add_row(link, None, &stop, Admissible::Unilateral)?;
        }
        above = Some(link);
    }
    Ok(())
}

/// Relative angular velocity about `axis`.
fn turning<R: Real>(axis: Vec3<R>) -> RowInput<R> {
    let about = Vec6::new(Vec3::default(), axis);
    RowInput::new(about, -about)
}
