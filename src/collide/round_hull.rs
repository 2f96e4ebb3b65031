//! Sphere and capsule on a polyhedron, in the polyhedron's frame.
//!
//! ```text
//! sphere    outside: the foot of its centre on a facet above which it is, else on the nearest edge      g = |x − foot| − r
//!           inside: the facet nearest to its centre
//! capsule   outside: the nearest of the feet of its ends and of its axis on every edge
//!           pierced: max over facets of the lower end's height, and over edges e of the height along e × axis where that is between
//!           the normals of the facets at the edge
//! ```
//! Exact; a look at every facet, its corners and every edge. A capsule over a facet (to `FACE_ANGLE`) touches at both ends of the part above it,
//! along an edge parallel within `PARALLEL` at both ends of the common stretch. On an edge by less than rounding the nearest facet's normal is taken.
//!
//! Feature: single point 0; over a facet `1 fffffff eeeeeeee`, e 0, 1 the axis' ends, 2 … sides; along an edge `01 edge ee`.

use super::events::{self, End};
use super::hull::{Hull, Side, is_over_edge};
use super::round::Round;
use super::segment::{self, Segment};
use super::{FACE_BIAS, Manifold, unit_or};
use crate::math::{Real, Vec3, min};

/// Sine of the angle within which a normal is a facet's.
const FACE_ANGLE: f64 = 3e-3;

/// What a corner, facet or edge takes at most, in looks at a corner.
const SPHERE: u32 = 4;
const CAPSULE: u32 = 10;

const FACE: u16 = 1 << 15;
const EDGE: u16 = 1 << 14;

/// Where a point outside is nearest.
struct Foot<R> {
    /// On the surface, and the unit vector from there to the point.
    on_hull: Vec3<R>,
    normal: Vec3<R>,
    distance: R,
    /// The edge it is on, if it is on none of the facets.
    edge: Option<u16>,
}

/// The foot of `x`, a point of the hull's frame; inside, on the nearest facet, at a negative distance.
fn foot<R: Real>(hull: &Hull<'_, R>, x: Vec3<R>) -> Option<Foot<R>> {
    let top = hull.nearest_within(x)?;
    let height = |side: &Side<'_, R>| side.facet.normal.dot(x) - side.facet.offset;
    let on = |side: &Side<'_, R>| {
        let (normal, distance) = (side.facet.normal, height(side));
        Foot { on_hull: x - normal * distance, normal, distance, edge: None }
    };
    if height(&top) <= R::ZERO {
        return Some(on(&top));
    }
    for facet in hull.facets {
        let height = facet.normal.dot(x) - facet.offset;
        if height > R::ZERO
            && hull.sides(hull.rim(facet)).all(|(f, g)| (x - f).dot((g - f).cross(facet.normal)) <= R::ZERO)
        {
            let on_hull = x - facet.normal * height;
            return Some(Foot { on_hull, normal: facet.normal, distance: height, edge: None });
        }
    }
    let mut best: Option<(R, Vec3<R>, u16)> = None;
    for (number, edge) in (0..u16::MAX).zip(hull.edges) {
        let line = line(hull, edge.vertices);
        let on_edge = line.at(line.nearest(x));
        let square = (x - on_edge).dot(x - on_edge);
        if best.is_none_or(|(least, ..)| square < least) {
            best = Some((square, on_edge, number));
        }
    }
    let (_, on_hull, number) = best?;
    let (normal, distance) = unit_or(x - on_hull, Vec3::default());
    // by less than rounding: no direction of its own
    if distance > R::from_f64(16.0) * R::EPSILON * hull.radius {
        Some(Foot { on_hull, normal, distance, edge: Some(number) })
    } else {
        Some(on(&top))
    }
}

fn line<R: Real>(hull: &Hull<'_, R>, [i, j]: [u8; 2]) -> Segment<R> {
    let (p, q, half) = (hull.vertex(i), hull.vertex(j), R::from_f64(0.5));
    Segment { centre: (p + q) * half, half: (q - p) * half }
}

pub(super) fn sphere<R: Real>(centre: Vec3<R>, radius: R, hull: &Hull<'_, R>, margin: R, out: &mut Manifold<R>) {
    let frame = &hull.frame;
    out.corners = hull.parts().saturating_mul(SPHERE);
    let Some(foot) = foot(hull, frame.inward(centre - frame.centre)) else { return };
    let normal = frame.outward(foot.normal);
    out.touch(centre - normal * radius, frame.point(foot.on_hull), normal, 0, margin);
}

pub(super) fn capsule<R: Real>(a: &Round<R>, hull: &Hull<'_, R>, margin: R, out: &mut Manifold<R>) {
    let frame = &hull.frame;
    out.corners = hull.parts().saturating_mul(CAPSULE);
    let axis = Segment { centre: frame.inward(a.axis.centre - frame.centre), half: frame.inward(a.axis.half) };
    let mut touch = |on_axis: Vec3<R>, on_hull: Vec3<R>, normal: Vec3<R>, feature: u16| {
        let n = frame.outward(normal);
        out.touch(frame.point(on_axis) - n * a.radius, frame.point(on_hull), n, feature, margin);
    };
    let nearest = if pierces(hull, &axis) { None } else { outside(hull, &axis) };
    let nearest = nearest.filter(|(_, foot)| foot.distance > a.radius * R::from_f64(1e-4));
    let Some((on_axis, foot)) = nearest.or_else(|| pierced(hull, &axis)) else { return };
    let normal = foot.normal;

    // over a facet: both ends of the part above it
    let side = hull.facing_within(normal);
    let tilt = |side: &Side<'_, R>| side.facet.normal.cross(normal);
    let flat = |side: &Side<'_, R>| tilt(side).dot(tilt(side)) <= R::from_f64(FACE_ANGLE * FACE_ANGLE);
    if let Some(side) = side.filter(flat) {
        let (p, q) = (axis.at(-R::ONE), axis.at(R::ONE));
        if let Some((low, high)) = events::clip(hull, &side, p, q, R::ZERO) {
            let normal = side.facet.normal;
            let mut lift = |(t, plane): End<R>, end: u16| {
                let x = p + (q - p) * t;
                let on_hull = x - normal * (normal.dot(x) - side.facet.offset);
                let id = plane.map_or(end, |plane| plane.saturating_add(2)) & 0xff;
                touch(x, on_hull, normal, FACE | u16::from(side.index & 0x7f) << 8 | id);
            };
            lift(low, 0);
            if (high.0 - low.0) * (q - p).dot(q - p).sqrt() > a.radius * R::from_f64(1e-3) {
                lift(high, 1);
            }
            return;
        }
    }
    // along an edge: both ends of the common stretch
    if let Some(number) = foot.edge
        && let Some(edge) = hull.edges.get(usize::from(number))
    {
        let edge = line(hull, edge.vertices);
        let along = normal.dot(edge.half);
        let beside = along * along < edge.half.dot(edge.half) * R::from_f64(0.25);
        if beside
            && segment::parallel(axis.half, edge.half)
            && let Some(ends) = segment::overlap(&axis, &edge)
        {
            for (t, s, end) in ends {
                touch(axis.at(t), edge.at(s), normal, EDGE | (number & 0xfff) << 2 | end);
            }
            return;
        }
    }
    touch(on_axis, foot.on_hull, normal, 0);
}

/// Is part of the axis inside?
fn pierces<R: Real>(hull: &Hull<'_, R>, axis: &Segment<R>) -> bool {
    let (p, q) = (axis.at(-R::ONE), axis.at(R::ONE));
    let (mut enters, mut leaves) = (R::ZERO, R::ONE);
    for facet in hull.facets {
        let (over_p, over_q) = (facet.normal.dot(p) - facet.offset, facet.normal.dot(q) - facet.offset);
        if over_p > R::ZERO && over_q > R::ZERO {
            return false;
        }
        let t = over_p / (over_p - over_q);
        if over_p > R::ZERO && t > enters {
            enters = t;
        } else if over_q > R::ZERO && t < leaves {
            leaves = t;
        }
    }
    enters < leaves
}

/// Where an axis outside is nearest: the point on it, and its foot.
fn outside<R: Real>(hull: &Hull<'_, R>, axis: &Segment<R>) -> Option<(Vec3<R>, Foot<R>)> {
    let mut best: Option<(Vec3<R>, Foot<R>)> = None;
    for end in [axis.at(-R::ONE), axis.at(R::ONE)] {
        if let Some(foot) = foot(hull, end)
            && best.as_ref().is_none_or(|(_, least)| foot.distance < least.distance)
        {
            best = Some((end, foot));
        }
    }
    for (number, edge) in (0..u16::MAX).zip(hull.edges) {
        let edge = line(hull, edge.vertices);
        let (t, s) = segment::nearest(axis, &edge);
        let (on_axis, on_hull) = (axis.at(t), edge.at(s));
        let (normal, distance) = unit_or(on_axis - on_hull, Vec3::default());
        // an end is as near: it stays, unless by more than rounding
        if best.as_ref().is_none_or(|(_, least)| distance < least.distance * (R::ONE - R::from_f64(8.0) * R::EPSILON)) {
            best = Some((on_axis, Foot { on_hull, normal, distance, edge: Some(number) }));
        }
    }
    best
}

/// Direction that separates best an axis inside, and the points on both.
fn pierced<R: Real>(hull: &Hull<'_, R>, axis: &Segment<R>) -> Option<(Vec3<R>, Foot<R>)> {
    let (p, q) = (axis.at(-R::ONE), axis.at(R::ONE));
    let mut best: Option<(Vec3<R>, Foot<R>)> = None;
    for facet in hull.facets {
        let (over_p, over_q) = (facet.normal.dot(p) - facet.offset, facet.normal.dot(q) - facet.offset);
        let (distance, x) = if over_q < over_p { (over_q, q) } else { (over_p, p) };
        if best.as_ref().is_none_or(|(_, most)| distance > most.distance) {
            let normal = facet.normal;
            best = Some((x, Foot { on_hull: x - normal * distance, normal, distance, edge: None }));
        }
    }
    // an edge must be clearly better than a facet
    let mut least = best.as_ref()?.1.distance + R::from_f64(FACE_BIAS) * min(hull.width(), hull.radius);
    for (number, edge) in (0..u16::MAX).zip(hull.edges) {
        let line = line(hull, edge.vertices);
        let (l, length) = unit_or(line.half.cross(axis.half), Vec3::default());
        for normal in [l, -l] {
            let distance = (axis.centre - line.centre).dot(normal);
            if length > R::ZERO && distance > least && is_over_edge(hull, edge, normal) {
                least = distance;
                let (t, s) = segment::nearest(axis, &line);
                best = Some((axis.at(t), Foot { on_hull: line.at(s), normal, distance, edge: Some(number) }));
            }
        }
    }
    best
}
