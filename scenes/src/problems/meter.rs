//! One kind of row only, in a ring of eight bodies, so that instructions of a sweep divide evenly by rows.

use super::CaseProblem;
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error};

/// The kind of row.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    TwoBodyRow,
    GroundRow,
    Stick,
    Slide,
}

const RING: u8 = 8;

pub(super) fn build<R: Real>(problem: &mut CaseProblem<R>, kind: Kind) -> Result<(), Error> {
    let r = R::from_f64;
    let inverse_mass = InverseMass::new(r(0.3), [r(1e-4), r(2e-4), r(3e-4)])?;
    let mut ring: [Option<BodyIndex>; RING as usize] = [None; RING as usize];
    for (k, slot) in (0..RING).zip(&mut ring) {
        // neighbours approach each other, fall onto the ground, and slip by 1 m/s past each other
        let odd = k % 2 == 1;
        let approach = r(if odd { -0.1 } else { 0.1 }) + r(1e-3 * f64::from(k));
        let slip = r(if odd { -0.5 } else { 0.5 });
        *slot = Some(problem.add_body(inverse_mass, Vec6::from([approach, slip, approach, R::ZERO, R::ZERO, slip]))?);
    }
    let next = ring.iter().cycle().skip(1);
    for ((k, this), next) in (0..RING).zip(&ring).zip(next) {
        let Some(a) = *this else { continue };
        let away = Vec3::new(r(if k % 2 == 1 { 1.0 } else { -1.0 }), R::ZERO, R::ZERO);
        let arm = Vec3::new(R::ZERO, r(0.01), r(0.02));
        // four rows a pair, so that what a sweep costs beside its rows hardly counts
        let corners = [arm, -arm, Vec3::new(R::ZERO, r(0.02), r(-0.01)), Vec3::new(R::ZERO, r(-0.02), r(0.01))];
        match kind {
            Kind::TwoBodyRow | Kind::GroundRow => {
                let b = if matches!(kind, Kind::TwoBodyRow) { *next } else { None };
                for arm in corners {
                    problem.add_row(a, b, &RowInput::at_point(away, arm, -arm), Admissible::Unilateral)?;
                }
            }
            Kind::Stick | Kind::Slide => {
                let mu = r(if matches!(kind, Kind::Stick) { 100.0 } else { 0.1 });
                problem.add_contact(a, *next, &RowInput::contact(away, arm, -arm), Friction::Cone { mu })?;
            }
        }
    }
    Ok(())
}
