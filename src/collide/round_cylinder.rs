//! Sphere and capsule on a cylinder, in the cylinder's frame.
//!
//! ```text
//! e(x) = x − q(x), q the nearest point of the solid: ρ clamped to r_c, z to ±h    outside: g = |e| − r, n = e/|e|
//! along an axis x(t) = c + t u:  |e|²/2 is convex with the slope e(t)·u; its zero by bisection, down to the last bit of t
//! ```
//! Exact to rounding while the capsule's axis stays outside; inside (or within 1e-4 r of it) [`convex::ascend`] from the cap's and the sides' normals. A
//! sphere's centre inside: the nearer of side and cap, the side on a tie, towards x from the axis.

use super::convex::{self, Nearest, Solid};
use super::round::Round;
use super::segment::{self, Segment};
use super::{Frame, Manifold, sign, unit_or};
use crate::math::{Real, Vec3, clamp, min};

/// Halvings of an interval of length two until the last bit of a double.
const HALVINGS: usize = 54;

/// Sine of the angle within which a normal is a cap's or a side's.
pub(super) const FACE_ANGLE: f64 = 3e-3;

/// Both ends of the stretch along the side.
const STRETCH: u16 = 1 << 4;

/// A cylinder's size. m
#[derive(Clone, Copy, Debug)]
pub(super) struct Drum<R> {
    pub(super) radius: R,
    pub(super) half_length: R,
}

impl<R: Real> Drum<R> {
    /// The point of the solid nearest to `x`.
    fn nearest(&self, x: Vec3<R>) -> Vec3<R> {
        let across = (x.x * x.x + x.y * x.y).sqrt();
        let shrink = if across > self.radius { self.radius / across } else { R::ONE };
        Vec3::new(x.x * shrink, x.y * shrink, clamp(x.z, -self.half_length, self.half_length))
    }
}

pub(super) fn sphere<R: Real>(
    centre: Vec3<R>,
    radius: R,
    frame: &Frame<R>,
    drum: Drum<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let x = frame.inward(centre - frame.centre);
    let q = drum.nearest(x);
    let (outwards, distance) = unit_or(x - q, Vec3::default());
    let (normal, on_drum) = if distance > R::ZERO {
        (outwards, q)
    } else {
        let (radial, across) = unit_or(Vec3::new(x.x, x.y, R::ZERO), Vec3::new(R::ONE, R::ZERO, R::ZERO));
        let (to_side, to_cap) = (drum.radius - across, drum.half_length - x.z.abs());
        if to_cap < to_side {
            let up = Vec3::new(R::ZERO, R::ZERO, sign(x.z));
            (up, x + up * to_cap)
        } else {
            (radial, x + radial * to_side)
        }
    };
    let normal = frame.outward(normal);
    out.touch(centre - normal * radius, frame.point(on_drum), normal, 0, margin);
}

pub(super) fn capsule<R: Real>(a: &Round<R>, frame: &Frame<R>, drum: Drum<R>, margin: R, out: &mut Manifold<R>) {
    let axis = Segment { centre: frame.inward(a.axis.centre - frame.centre), half: frame.inward(a.axis.half) };
    let x = axis.at(nearest(&axis, drum));
    let q = drum.nearest(x);
    let (outwards, distance) = unit_or(x - q, Vec3::default());
    let (normal, on_axis, on_drum) = if distance > a.radius * R::from_f64(1e-4) {
        (outwards, x, q)
    } else {
        let best = pierced(&axis, drum);
        out.passes = best.passes;
        (best.normal, best.on_a, best.on_b)
    };
    let mut touch = |on_axis: Vec3<R>, on_drum: Vec3<R>, normal: Vec3<R>, feature: u16| {
        let n = frame.outward(normal);
        out.touch(frame.point(on_axis) - n * a.radius, frame.point(on_drum), n, feature, margin);
    };

    let across_squared = normal.x * normal.x + normal.y * normal.y;
    let flat = R::from_f64(FACE_ANGLE * FACE_ANGLE);
    if across_squared <= flat {
        // over a cap: both ends of the part above it
        let up = Vec3::new(R::ZERO, R::ZERO, sign(normal.z));
        if let Some((low, high)) = over_disc(&axis, Vec3::default(), drum.radius) {
            let cap = if normal.z < R::ZERO { 8 } else { 4 };
            let height = |x: Vec3<R>| x.z * up.z - drum.half_length;
            let (x0, x1) = (axis.at(low), axis.at(high));
            touch(x0, x0 - up * height(x0), up, cap);
            if (high - low) * axis.half.dot(axis.half).sqrt() > a.radius * R::from_f64(1e-3) {
                touch(x1, x1 - up * height(x1), up, cap | 1);
            }
            return;
        }
    }
    if normal.z * normal.z <= flat && segment::parallel(axis.half, Vec3::new(R::ZERO, R::ZERO, R::ONE)) {
        // along the side: both ends of the common stretch
        let side = Vec3::new(normal.x, normal.y, R::ZERO);
        let (side, _) = unit_or(side, normal);
        let line = Segment { centre: side * drum.radius, half: Vec3::new(R::ZERO, R::ZERO, drum.half_length) };
        if let Some(ends) = segment::overlap(&axis, &line) {
            for (t, s, feature) in ends {
                touch(axis.at(t), line.at(s), side, STRETCH | feature);
            }
            return;
        }
    }
    touch(on_axis, on_drum, normal, 0);
}

/// Parameter of the segment's point nearest to the cylinder.
fn nearest<R: Real>(axis: &Segment<R>, drum: Drum<R>) -> R {
    let slope = |t: R| {
        let x = axis.at(t);
        (x - drum.nearest(x)).dot(axis.half)
    };
    let (mut low, mut high) = (-R::ONE, R::ONE);
    if slope(low) >= R::ZERO {
        return low;
    }
    if slope(high) <= R::ZERO {
        return high;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) * R::from_f64(0.5);
        if middle <= low || middle >= high {
            break;
        }
        if slope(middle) <= R::ZERO {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Direction that separates best an axis inside the cylinder, and the points on both.
fn pierced<R: Real>(axis: &Segment<R>, drum: Drum<R>) -> Nearest<R> {
    let origin = Frame {
        centre: Vec3::default(),
        x: Vec3::new(R::ONE, R::ZERO, R::ZERO),
        y: Vec3::new(R::ZERO, R::ONE, R::ZERO),
        z: Vec3::new(R::ZERO, R::ZERO, R::ONE),
    };
    let (along, length) = unit_or(axis.half, origin.z);
    let (t1, t2) = along.tangents();
    let frame = Frame { centre: axis.centre, x: t1, y: t2, z: along };
    let (a, b) = (Solid::segment(&frame, length), Solid::drum(&origin, drum));
    let directions =
        [origin.z, segment::across(along, origin.z), radial(axis.centre, origin.x), radial(along, origin.x)];
    let width = min(drum.radius, drum.half_length);
    convex::ascend_from(&a, &b, directions, width, R::INFINITY)
}

/// The direction of `v` across z.
fn radial<R: Real>(v: Vec3<R>, otherwise: Vec3<R>) -> Vec3<R> {
    unit_or(Vec3::new(v.x, v.y, R::ZERO), otherwise).0
}

/// Parameters between which the segment is over the disc of this radius in the plane z = 0 about `centre`.
pub(super) fn over_disc<R: Real>(line: &Segment<R>, centre: Vec3<R>, radius: R) -> Option<(R, R)> {
    // |c + t u|² = r² across z: t = (−c·u ± √((c·u)² − u·u (c·c − r²))) / u·u
    let (c, u) = (line.centre - centre, line.half);
    let (cu, uu) = (c.x * u.x + c.y * u.y, u.x * u.x + u.y * u.y);
    let inside = radius * radius - c.x * c.x - c.y * c.y;
    let discriminant = cu * cu + uu * inside;
    if uu <= R::EPSILON * R::EPSILON * radius * radius {
        return (inside >= R::ZERO).then_some((-R::ONE, R::ONE));
    }
    if discriminant < R::ZERO {
        return None;
    }
    let root = discriminant.sqrt();
    let low = (-cu - root) / uu;
    let high = (-cu + root) / uu;
    let low = if low > -R::ONE { low } else { -R::ONE };
    let high = if high < R::ONE { high } else { R::ONE };
    (low <= high).then_some((low, high))
}
