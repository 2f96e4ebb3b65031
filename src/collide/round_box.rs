//! Sphere and capsule on a box, in the box's frame.
//!
//! ```text
//! e(x) = x − clamp(x, −h, h),  d² = |e|²          outside: g = |e| − r, n = e/|e|
//! along an axis x(t) = c + t u:  d²/2 has the slope e(t)·u, piecewise linear and rising: its zero lies between the breakpoints
//! t = (±h_i − c_i)/u_i next to it, where it is a straight line
//! ```
//! Exact while the axis stays outside. An axis inside the box (or within 1e-4 r of it): separating axes, the three face normals and the three
//! across the axis and an edge. A sphere's centre inside: the nearest face; x before y before z, the positive side first.

use super::round::Round;
use super::segment::{self, Segment};
use super::{FACE_BIAS, Frame, Manifold, after, along_axis, component, sign, smallest, unit_or};
use crate::math::{Real, Vec3, clamp};

/// Sine of the angle within which a normal is a face's: axes over a face by rounding are over it. The gap is too small by half its
/// square, 5e-6 of the distance to the axis.
const FACE_ANGLE: f64 = 3e-3;

/// Both ends of the stretch along an edge; of the part above a face, whose far end is told apart.
const EDGE: u16 = 1 << 4;
const FACE: u16 = 1 << 6;
const FAR: u16 = 1 << 8;

pub(super) fn sphere<R: Real>(
    centre: Vec3<R>,
    radius: R,
    frame: &Frame<R>,
    half: Vec3<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let x = frame.inward(centre - frame.centre);
    let q = clamped(x, half);
    let (nearest, distance) = unit_or(x - q, Vec3::default());
    let (normal, on_box) = if distance > R::ZERO {
        (nearest, q)
    } else {
        let (mut axis, mut depth) = (0, half.x - x.x.abs());
        for i in 1..3 {
            let other = component(half, i) - component(x, i).abs();
            if other < depth {
                (axis, depth) = (i, other);
            }
        }
        let normal = along_axis(axis, sign(component(x, axis)));
        (normal, x + normal * depth)
    };
    let normal = frame.outward(normal);
    out.touch(centre - normal * radius, frame.point(on_box), normal, 0, margin);
}

pub(super) fn capsule<R: Real>(a: &Round<R>, frame: &Frame<R>, half: Vec3<R>, margin: R, out: &mut Manifold<R>) {
    let axis = Segment { centre: frame.inward(a.axis.centre - frame.centre), half: frame.inward(a.axis.half) };
    let t = nearest(&axis, half);
    let x = axis.at(t);
    let e = excess(x, half);
    let (mut normal, distance) = unit_or(e, Vec3::default());
    let mut touch = |on_axis: Vec3<R>, on_box: Vec3<R>, normal: Vec3<R>, feature: u16| {
        let n = frame.outward(normal);
        out.touch(frame.point(on_axis) - n * a.radius, frame.point(on_box), n, feature, margin);
    };

    let outside = distance > a.radius * R::from_f64(1e-4);
    let mut face = if outside { face_of(normal) } else { None };
    if !outside {
        let (through, pierced_face) = pierced(&axis, half);
        (normal, face) = (through, pierced_face);
    }
    if let Some(i) = face {
        // over a face: both ends of the part above it
        normal = along_axis(i, sign(component(normal, i)));
        let plane = component(half, i);
        if let Some((low, high)) = above(&axis, half, i) {
            let side = if component(normal, i) < R::ZERO { 8 } else { 0 };
            let base = FACE | (i as u16) << 4 | side;
            let lift = |t: R| {
                let x = axis.at(t);
                let height = component(x, i) * component(normal, i) - plane;
                (x, x - normal * height)
            };
            let ((x0, q0), (x1, q1)) = (lift(low.0), lift(high.0));
            touch(x0, q0, normal, base | low.1);
            if (high.0 - low.0) * axis.half.dot(axis.half).sqrt() > a.radius * R::from_f64(1e-3) {
                // ends clipped by different planes or different ends: never the same id; FAR tells them apart anyway
                touch(x1, q1, normal, FAR | base | high.1);
            }
            return;
        }
    }
    // along an edge: both ends of the common stretch
    let edge_axis = (0..3).find(|&k| segment::parallel(axis.half, along_axis(k, R::ONE)));
    // an edge along k is between two faces the normal leans on
    let leans = |i: usize| component(normal, i).abs() > R::from_f64(FACE_ANGLE);
    let corner = |k: usize| after(k).into_iter().all(leans) && component(normal, k).abs() < R::from_f64(0.5);
    if let Some(k) = edge_axis.filter(|&k| corner(k)) {
        let edge = edge(half, normal, k);
        if let Some(ends) = segment::overlap(&axis, &edge) {
            for (t, s, feature) in ends {
                touch(axis.at(t), edge.at(s), normal, EDGE | (k as u16) << 2 | feature);
            }
            return;
        }
    }
    let on_box = if outside { x - e } else { deepest(&axis, half, normal) };
    let x = if outside { x } else { axis.at(axis.nearest(on_box)) };
    touch(x, on_box, normal, 0);
}

fn clamped<R: Real>(x: Vec3<R>, half: Vec3<R>) -> Vec3<R> {
    Vec3::new(clamp(x.x, -half.x, half.x), clamp(x.y, -half.y, half.y), clamp(x.z, -half.z, half.z))
}

/// e(x)
pub(super) fn excess<R: Real>(x: Vec3<R>, half: Vec3<R>) -> Vec3<R> {
    x - clamped(x, half)
}

/// The axis along which the unit vector points, to [`FACE_ANGLE`].
fn face_of<R: Real>(n: Vec3<R>) -> Option<usize> {
    let across = R::from_f64(FACE_ANGLE * FACE_ANGLE);
    (0..3).find(|&i| n.dot(n) - component(n, i) * component(n, i) <= across)
}

/// Parameter of the segment's point nearest to the box.
pub(super) fn nearest<R: Real>(axis: &Segment<R>, half: Vec3<R>) -> R {
    let slope = |t: R| excess(axis.at(t), half).dot(axis.half);
    let (mut low, mut high) = ((-R::ONE, slope(-R::ONE)), (R::ONE, slope(R::ONE)));
    if low.1 >= R::ZERO {
        return low.0;
    }
    if high.1 <= R::ZERO {
        return high.0;
    }
    for i in 0..3 {
        let (c, u, h) = (component(axis.centre, i), component(axis.half, i), component(half, i));
        for side in [-h, h] {
            let t = (side - c) / u;
            // u = 0 gives an infinity or no number: no breakpoint
            if t > low.0 && t < high.0 {
                let g = slope(t);
                if g <= R::ZERO {
                    low = (t, g);
                } else {
                    high = (t, g);
                }
            }
        }
    }
    let rise = high.1 - low.1;
    if rise > R::ZERO { low.0 + (high.0 - low.0) * (-low.1 / rise) } else { low.0 }
}

/// Direction that separates best an axis inside the box, and the face it belongs to.
fn pierced<R: Real>(axis: &Segment<R>, half: Vec3<R>) -> (Vec3<R>, Option<usize>) {
    let (c, u) = (axis.centre, axis.half);
    let mut best = (-R::INFINITY, along_axis(0, R::ONE), None);
    for i in 0..3 {
        let s = component(c, i).abs() - component(u, i).abs() - component(half, i);
        if s > best.0 {
            best = (s, along_axis(i, sign(component(c, i))), Some(i));
        }
    }
    // an edge must be clearly better than a face
    best.0 += R::from_f64(FACE_BIAS) * smallest(half);
    for i in 0..3 {
        let (l, length) = unit_or(along_axis(i, R::ONE).cross(u), Vec3::default());
        let s = c.dot(l).abs() - reach(half, l);
        if length > R::ZERO && s > best.0 {
            best = (s, l * sign(c.dot(l)), None);
        }
    }
    (best.1, best.2)
}

/// A parameter, and which end (0, 1) or which side plane (2 … 7) ends the part there.
pub(super) type End<R> = (R, u16);

/// The part of the segment above face `i`: between the four planes around it.
pub(super) fn above<R: Real>(axis: &Segment<R>, half: Vec3<R>, i: usize) -> Option<(End<R>, End<R>)> {
    let (mut low, mut high) = ((-R::ONE, 0), (R::ONE, 1));
    // the first pair of planes is 2 and 3, the second 4 and 5
    for (id, j) in [2, 4].into_iter().zip(after(i)) {
        let (c, u, h) = (component(axis.centre, j), component(axis.half, j), component(half, j));
        let (enter, leave) = if u < R::ZERO { ((h - c) / u, (-h - c) / u) } else { ((-h - c) / u, (h - c) / u) };
        if u == R::ZERO {
            if c.abs() > h {
                return None;
            }
            continue;
        }
        if enter > low.0 {
            low = (enter, id);
        }
        if leave < high.0 {
            high = (leave, id | 1);
        }
    }
    (low.0 <= high.0).then_some((low, high))
}

/// The edge along axis `k` farthest along `normal`.
fn edge<R: Real>(half: Vec3<R>, normal: Vec3<R>, k: usize) -> Segment<R> {
    let corner = Vec3::new(half.x * sign(normal.x), half.y * sign(normal.y), half.z * sign(normal.z));
    let along = along_axis(k, component(half, k));
    let centre = corner - along * sign(component(normal, k));
    Segment { centre, half: along }
}

/// Point of the box's edge that a piercing axis comes nearest to.
fn deepest<R: Real>(axis: &Segment<R>, half: Vec3<R>, normal: Vec3<R>) -> Vec3<R> {
    // the edge the normal is across
    let mut k = 0;
    for i in 1..3 {
        if component(normal, i).abs() < component(normal, k).abs() {
            k = i;
        }
    }
    let edge = edge(half, normal, k);
    edge.at(segment::nearest(axis, &edge).1)
}

/// Largest half-width of the box along a unit vector of its frame.
pub(super) fn reach<R: Real>(half: Vec3<R>, l: Vec3<R>) -> R {
    half.x * l.x.abs() + half.y * l.y.abs() + half.z * l.z.abs()
}
