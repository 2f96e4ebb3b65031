//! Sphere and capsule among themselves: two segments with a radius.
//!
//! ```text
//! g = |x_a − x_b| − r_a − r_b,  n = (x_a − x_b)/|x_a − x_b|,  x_a, x_b the nearest points of the axes
//! ```
//! Axes parallel within [`PARALLEL`](super::PARALLEL): both ends of the stretch where they face each other, along the
//! same n. Axes that meet: n across both (`u × w`), or any direction across a single axis, or z.

use super::segment::{self, Segment};
use super::{Frame, Manifold, unit_or};
use crate::math::{Real, Vec3};

/// Both ends of a common stretch; else 0.
const STRETCH: u16 = 1 << 2;

#[derive(Clone, Copy, Debug)]
pub(super) struct Round<R> {
    pub(super) axis: Segment<R>,
    pub(super) radius: R,
}

impl<R: Real> Round<R> {
    pub(super) fn sphere(frame: &Frame<R>, radius: R) -> Self {
        Self { axis: Segment { centre: frame.centre, half: Vec3::default() }, radius }
    }

    pub(super) fn capsule(frame: &Frame<R>, radius: R, half_length: R) -> Self {
        Self { axis: Segment { centre: frame.centre, half: frame.z * half_length }, radius }
    }
}

/// Two balls, each a centre and a radius.
pub(super) fn balls<R: Real>(
    (a, radius_a): (Vec3<R>, R),
    (b, radius_b): (Vec3<R>, R),
    margin: R,
    out: &mut Manifold<R>,
) {
    let (normal, _) = unit_or(a - b, Vec3::new(R::ZERO, R::ZERO, R::ONE));
    out.touch(a - normal * radius_a, b + normal * radius_b, normal, 0, margin);
}

pub(super) fn collide<R: Real>(a: &Round<R>, b: &Round<R>, margin: R, out: &mut Manifold<R>) {
    let (t, s) = segment::nearest(&a.axis, &b.axis);
    let (normal, _) = unit_or(a.axis.at(t) - b.axis.at(s), segment::across(a.axis.half, b.axis.half));
    let mut touch = |t: R, s: R, feature: u16| {
        let (on_a, on_b) = (a.axis.at(t) - normal * a.radius, b.axis.at(s) + normal * b.radius);
        out.touch(on_a, on_b, normal, feature, margin);
    };
    // end to end there is no stretch to spread over: n lies along the axes
    let stretch = if segment::parallel(a.axis.half, b.axis.half) && beside(normal, a.axis.half) {
        segment::overlap(&a.axis, &b.axis)
    } else {
        None
    };
    match stretch {
        Some(ends) => ends.into_iter().for_each(|(t, s, feature)| touch(t, s, STRETCH | feature)),
        None => touch(t, s, 0),
    }
}

/// Is the normal across this axis, to 45°?
fn beside<R: Real>(normal: Vec3<R>, axis: Vec3<R>) -> bool {
    let along = normal.dot(axis);
    along * along < axis.dot(axis) * R::from_f64(0.5)
}
