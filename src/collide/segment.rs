//! Straight lines between two ends: axes of capsules and cylinders, edges of boxes.
//!
//! ```text
//! x(t) = c + t u,  −1 ≤ t ≤ 1
//! nearest of two:  t* = −(u × w)·(c × w) / |u × w|²,  c = c_a − c_b; then clamped, s from t, t from s
//! ```

use super::{PARALLEL, unit_or};
use crate::math::{Real, Vec3, clamp};

#[derive(Clone, Copy, Debug)]
pub(super) struct Segment<R> {
    /// c, m
    pub(super) centre: Vec3<R>,
    /// u, from the centre to the end t = 1, m
    pub(super) half: Vec3<R>,
}

impl<R: Real> Segment<R> {
    pub(super) fn at(&self, t: R) -> Vec3<R> {
        self.centre + self.half * t
    }

    /// Parameter of the point nearest to `p`; 0 for a segment without length.
    pub(super) fn nearest(&self, p: Vec3<R>) -> R {
        clamp(self.project(p), -R::ONE, R::ONE)
    }

    fn project(&self, p: Vec3<R>) -> R {
        let uu = self.half.dot(self.half);
        if uu > R::ZERO { (p - self.centre).dot(self.half) / uu } else { R::ZERO }
    }
}

/// Parameters (t, s) of the nearest points of two segments.
///
/// Parallel ones: the middle of a, its nearest on b, and back: one of many answers, always the same.
pub(super) fn nearest<R: Real>(a: &Segment<R>, b: &Segment<R>) -> (R, R) {
    let (u, w) = (a.half, b.half);
    let cross = u.cross(w);
    let det = cross.dot(cross);
    // no cancellation: |u × w|², not uu ww − (uw)²
    let t = if det > R::EPSILON * R::EPSILON * u.dot(u) * w.dot(w) {
        clamp(-cross.dot((a.centre - b.centre).cross(w)) / det, -R::ONE, R::ONE)
    } else {
        R::ZERO
    };
    let s = b.nearest(a.at(t));
    let t = a.nearest(b.at(s));
    (t, b.nearest(a.at(t)))
}

/// Parallel within [`PARALLEL`], and both with a length?
pub(super) fn parallel<R: Real>(u: Vec3<R>, w: Vec3<R>) -> bool {
    let cross = u.cross(w);
    let lengths = u.dot(u) * w.dot(w);
    lengths > R::ZERO && cross.dot(cross) <= R::from_f64(PARALLEL * PARALLEL) * lengths
}

/// Both ends of the stretch along which two parallel segments face each other: `(t, s, feature)` each.
///
/// The feature says whose end it is: 0, 1 of a, 2, 3 of b. `None` where the stretch is shorter than a thousandth of a.
pub(super) fn overlap<R: Real>(a: &Segment<R>, b: &Segment<R>) -> Option<[(R, R, u16); 2]> {
    let (first, second) = (a.project(b.at(-R::ONE)), a.project(b.at(R::ONE)));
    let (low, high) = if first < second { ((first, 2), (second, 3)) } else { ((second, 3), (first, 2)) };
    let low = if low.0 < -R::ONE { (-R::ONE, 0) } else { low };
    let high = if high.0 > R::ONE { (R::ONE, 1) } else { high };
    let with_b = |(t, feature): (R, u16)| (t, b.nearest(a.at(t)), feature);
    (high.0 - low.0 > R::from_f64(1e-3)).then(|| [with_b(low), with_b(high)])
}

/// A direction across both: `u × w`, or any across the one that has a length, or z.
pub(super) fn across<R: Real>(u: Vec3<R>, w: Vec3<R>) -> Vec3<R> {
    let up = Vec3::new(R::ZERO, R::ZERO, R::ONE);
    let (ua, length_a) = unit_or(u, up);
    let (ub, length_b) = unit_or(w, up);
    let any = if length_a > R::ZERO {
        ua.tangents().0
    } else if length_b > R::ZERO {
        ub.tangents().0
    } else {
        up
    };
    let cross = ua.cross(ub);
    if parallel(ua, ub) { any } else { unit_or(cross, any).0 }
}
