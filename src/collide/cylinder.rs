//! Cylinders on what is flat, and on each other.
//!
//! ```text
//! g = max s(n): over the faces' normals, the directions across the axes and edges, the direction between the axes' nearest points;
//! then uphill from the best (convex::ascend)
//! ```
//! Laid flat, parallel within `PARALLEL`, the cap (of two caps a's) is the reference, whatever separates better: see [`box_box`](super::box_box).
//! Within `FACE_BIAS` of a face's separation it is a face contact: points of the patch that both faces share, measured along the face's normal. A cap's patch
//! with a rectangle or another cap: rim points of the one inside the other, corners, and where the outlines cross. A cylinder lying on a face, or
//! beside a parallel one, or along a parallel edge: both ends of the common stretch. Otherwise the one nearest point.
//!
//! The gap is exact where the best direction is one of those tried (standing, lying, side by side). Else the climb: 1e-6 of the size apart or
//! barely overlapping, some 1e-3 of it where a rim cuts deep into an edge or a rim (a lower maximum). A face contact may be too small by `FACE_BIAS`.

use super::box_box::{Face, edge_towards};
use super::convex::{self, Nearest, Solid};
use super::patch::Candidates;
use super::round_box::{self, above, excess};
use super::round_cylinder::{Drum, FACE_ANGLE, over_disc};
use super::segment::{self, Segment};
use super::{FACE_BIAS, Frame, Manifold, after, facing, sign, smallest, unit_or};
use crate::math::{Real, Vec3, min};
use heapless::Vec;

/// Tilt (sine) below which a cap counts as lying flat: its four points stay where they are on the rim.
const FLAT: f64 = 1e-4;

/// First id of the points a reference face brings in, and of the crossings of two outlines.
const OF_REFERENCE: u16 = 16;
const CROSSING: u16 = 24;
/// Set when the reference is shape b.
const REFERENCE_B: u16 = 1 << 10;
/// Both ends of a common stretch; a single point.
const STRETCH: u16 = 1 << 11;
const POINT: u16 = 1 << 12;

/// The lowest points of a cylinder against `up`, each with a feature id.
///
/// Standing (axis within 45° of `up`): four points of the lower rim, a quarter turn apart, the first one the lowest. Tilted by less than
/// 1e-4 rad the lowest is a matter of rounding: then the first is the body's x, and the gap is too large by up to 3e-5 of the radius.
/// Lying: the lowest point of either rim.
pub(super) fn lowest<R: Real>(frame: &Frame<R>, drum: Drum<R>, up: Vec3<R>) -> Vec<(Vec3<R>, u16), 4> {
    let mut points = Vec::new();
    // in the cylinder's frame: `z cos − up` would lose the small tilt to rounding
    let l = frame.inward(up);
    let sine = (l.x * l.x + l.y * l.y).sqrt();
    let downhill = if sine < R::from_f64(FLAT) { frame.x } else { frame.x * (-l.x / sine) + frame.y * (-l.y / sine) };
    let rim =
        |side: R, direction: Vec3<R>| frame.centre + frame.z * (side * drum.half_length) + direction * drum.radius;
    if is_standing(frame, up) {
        let sideways = frame.z.cross(downhill);
        let (below, first) = if l.z < R::ZERO { (R::ONE, 4) } else { (-R::ONE, 0) };
        for (k, direction) in (0..4).zip([downhill, sideways, -downhill, -sideways]) {
            let _ = points.push((rim(below, direction), first | k));
        }
    } else {
        let _ = points.push((rim(-R::ONE, downhill), 8));
        let _ = points.push((rim(R::ONE, downhill), 9));
    }
    points
}

pub(super) fn is_standing<R: Real>(frame: &Frame<R>, up: Vec3<R>) -> bool {
    let cosine = frame.z.dot(up);
    cosine * cosine > R::from_f64(0.5)
}

/// The flat end of a cylinder that faces along `normal` (unit, along the axis or against it).
pub(super) struct Cap<'a, R> {
    pub(super) frame: &'a Frame<R>,
    pub(super) drum: Drum<R>,
    pub(super) centre: Vec3<R>,
    pub(super) normal: Vec3<R>,
}

impl<'a, R: Real> Cap<'a, R> {
    /// The end most along `towards`.
    pub(super) fn towards(frame: &'a Frame<R>, drum: Drum<R>, towards: Vec3<R>) -> Self {
        let normal = frame.z * sign(frame.z.dot(towards));
        Self { frame, drum, centre: frame.centre + normal * drum.half_length, normal }
    }

    /// Is the point over the cap, seen along the axis, to `room`?
    pub(super) fn is_over(&self, x: Vec3<R>, room: R) -> bool {
        let l = self.frame.inward(x - self.centre);
        let reach = self.drum.radius + room;
        l.x * l.x + l.y * l.y <= reach * reach
    }
}

/// The point of the plane through `centre` reached from `x` along `m`.
pub(super) fn lift<R: Real>(x: Vec3<R>, m: Vec3<R>, centre: Vec3<R>, normal: Vec3<R>) -> Vec3<R> {
    x + m * ((centre - x).dot(normal) / m.dot(normal))
}

/// Is the point over the rectangle, seen along its normal, to `room`?
fn is_over_face<R: Real>(face: &Face<R>, x: Vec3<R>, room: R) -> bool {
    let d = x - face.centre;
    d.dot(face.along[0]).abs() <= face.half[0] + room && d.dot(face.along[1]).abs() <= face.half[1] + room
}

/// Points of a patch: each on the incident surface, the reference plane below it along `m`.
struct Patch<R> {
    candidates: Candidates<R>,
    centre: Vec3<R>,
    /// Out of the reference face.
    m: Vec3<R>,
    reference_is_b: bool,
    base: u16,
    margin: R,
}

impl<R: Real> Patch<R> {
    fn new(centre: Vec3<R>, m: Vec3<R>, reference_is_b: bool, id: u16, margin: R) -> Self {
        let base = if reference_is_b { REFERENCE_B } else { 0 } | id << 6;
        Self { candidates: Candidates::new(), centre, m, reference_is_b, base, margin }
    }

    fn add(&mut self, x: Vec3<R>, id: u16) {
        let below = x - self.m * (x - self.centre).dot(self.m);
        let feature = self.base | id;
        let point =
            if self.reference_is_b { facing(x, below, self.m, feature) } else { facing(below, x, -self.m, feature) };
        self.candidates.add(point, self.margin);
    }

    /// Hand the points over, if the patch is where the shapes are nearest.
    ///
    /// Overlapping, with the deepest place beside the patch (on a curved side): that one joins the others.
    fn settle(&mut self, bias: R, best: &Nearest<R>, out: &mut Manifold<R>) -> bool {
        let realised = self.candidates.smallest_gap() <= best.gap + bias;
        if !realised && (best.gap > R::ZERO || self.candidates.is_empty()) {
            return false;
        }
        if !realised {
            self.candidates.add(facing(best.on_a, best.on_b, best.normal, POINT), self.margin);
        }
        self.candidates.reduce_into(out);
        true
    }
}

/// A cylinder on a face of a box.
fn drum_on_face<R: Real>(face: &Face<R>, frame: &Frame<R>, drum: Drum<R>, room: R, patch: &mut Patch<R>) {
    let m = face.normal;
    let rim = lowest(frame, drum, m);
    if !is_standing(frame, m) {
        let ends: [Vec3<R>; 2] = match rim.as_slice() {
            [(low, _), (high, _)] => [*low, *high],
            _ => return,
        };
        let flat = |x: Vec3<R>| {
            let d = x - face.centre;
            Vec3::new(d.dot(face.along[0]), d.dot(face.along[1]), d.dot(m))
        };
        let (line, seen) = (between(ends[0], ends[1]), between(flat(ends[0]), flat(ends[1])));
        let half = Vec3::new(face.half[0] + room, face.half[1] + room, R::ZERO);
        if let Some((low, high)) = above(&seen, half, 2) {
            patch.add(line.at(low.0), 8);
            patch.add(line.at(high.0), 9);
        }
        return;
    }
    let cap = Cap::towards(frame, drum, -m);
    for &(x, id) in &rim {
        if is_over_face(face, x, room) {
            patch.add(x, id);
        }
    }
    for (k, corner) in (0..4).zip(face.corners()) {
        let x = lift(corner, m, cap.centre, cap.normal);
        if cap.is_over(x, R::ZERO) {
            patch.add(x, OF_REFERENCE | k);
        }
    }
    // sides of the rectangle across the rim: A cos φ + B sin φ = C
    let [u, v] = face.along;
    let [hu, hv] = face.half;
    for (k, (o, h)) in (0..4).zip([(u, hu), (-u, hu), (v, hv), (-v, hv)]) {
        let (a, b) = (drum.radius * frame.x.dot(o), drum.radius * frame.y.dot(o));
        let c = h - (cap.centre - face.centre).dot(o);
        let square = a * a + b * b;
        let under = square - c * c;
        if under > R::ZERO {
            let root = under.sqrt();
            for (which, s) in [(0, root), (1, -root)] {
                let (cos, sin) = ((a * c - b * s) / square, (b * c + a * s) / square);
                let x = cap.centre + (frame.x * cos + frame.y * sin) * drum.radius;
                if is_over_face(face, x, room) {
                    patch.add(x, CROSSING | k << 1 | which);
                }
            }
        }
    }
}

/// A face of a box on the cap of a cylinder.
fn face_on_cap<R: Real>(cap: &Cap<'_, R>, face: &Face<R>, room: R, patch: &mut Patch<R>) {
    let corners = face.corners();
    for (k, x) in (0..4).zip(corners) {
        if cap.is_over(x, room) {
            patch.add(x, k);
        }
    }
    for (k, (p, q)) in (0..4).zip(corners.into_iter().zip(corners.into_iter().cycle().skip(1))) {
        let inward = |x: Vec3<R>| cap.frame.inward(x - cap.centre);
        let (line, seen) = (between(p, q), between(inward(p), inward(q)));
        if let Some((low, high)) = over_disc(&seen, Vec3::default(), cap.drum.radius) {
            if low > -R::ONE {
                patch.add(line.at(low), CROSSING | k << 1);
            }
            if high < R::ONE {
                patch.add(line.at(high), CROSSING | k << 1 | 1);
            }
        }
    }
    for &(x, id) in &lowest(cap.frame, cap.drum, face.normal) {
        let lifted = lift(x, cap.normal, face.centre, face.normal);
        if is_over_face(face, lifted, R::ZERO) {
            patch.add(lifted, OF_REFERENCE | id & 3);
        }
    }
}

/// A cylinder on the cap of another.
fn drum_on_cap<R: Real>(cap: &Cap<'_, R>, frame: &Frame<R>, drum: Drum<R>, room: R, patch: &mut Patch<R>) {
    let m = cap.normal;
    let rim = lowest(frame, drum, m);
    let inward = |x: Vec3<R>| cap.frame.inward(x - cap.centre);
    if !is_standing(frame, m) {
        if let [(p, _), (q, _)] = rim.as_slice() {
            let (line, seen) = (between(*p, *q), between(inward(*p), inward(*q)));
            if let Some((low, high)) = over_disc(&seen, Vec3::default(), cap.drum.radius + room) {
                patch.add(line.at(low), 8);
                patch.add(line.at(high), 9);
            }
        }
        return;
    }
    let other = Cap::towards(frame, drum, -m);
    for &(x, id) in &rim {
        if cap.is_over(x, room) {
            patch.add(x, id);
        }
    }
    for &(x, id) in &lowest(cap.frame, cap.drum, other.normal) {
        let lifted = lift(x, m, other.centre, other.normal);
        if other.is_over(lifted, R::ZERO) {
            patch.add(lifted, OF_REFERENCE | id & 3);
        }
    }
    // two circles cross: at a along the line of centres, ±√(r² − a²) across; a tilted rim is no circle here: left out
    let d = inward(other.centre);
    let (r, s) = (cap.drum.radius, drum.radius);
    let (towards, distance) = unit_or(Vec3::new(d.x, d.y, R::ZERO), Vec3::default());
    if distance > r * R::from_f64(FLAT) {
        let a = (distance * distance + r * r - s * s) / (distance + distance);
        let under = r * r - a * a;
        if under > R::ZERO {
            let across = Vec3::new(-towards.y, towards.x, R::ZERO) * under.sqrt();
            for (which, side) in [(0, across), (1, -across)] {
                let x = cap.centre + cap.frame.outward(towards * a + side);
                let lifted = lift(x, m, other.centre, other.normal);
                if other.is_over(lifted, room) {
                    patch.add(lifted, CROSSING | which);
                }
            }
        }
    }
}

pub(super) fn between<R: Real>(p: Vec3<R>, q: Vec3<R>) -> Segment<R> {
    let half = R::from_f64(0.5);
    Segment { centre: (p + q) * half, half: (q - p) * half }
}

/// Both ends of the stretch along which two lines on the surfaces face each other; false without one.
fn stretch<R: Real>(a: &Segment<R>, b: &Segment<R>, normal: Vec3<R>, margin: R, out: &mut Manifold<R>) -> bool {
    let Some(ends) = segment::overlap(a, b) else { return false };
    for (t, s, feature) in ends {
        out.touch(a.at(t), b.at(s), normal, STRETCH | feature, margin);
    }
    true
}

pub(super) fn is_across<R: Real>(axis: Vec3<R>, normal: Vec3<R>) -> bool {
    axis.dot(normal).abs() <= R::from_f64(FACE_ANGLE)
}

/// The cylinder's line farthest along `normal`.
pub(super) fn side<R: Real>(frame: &Frame<R>, drum: Drum<R>, normal: Vec3<R>) -> Segment<R> {
    Segment { centre: frame.centre + normal * drum.radius, half: frame.z * drum.half_length }
}

fn single<R: Real>(best: &Nearest<R>, margin: R, out: &mut Manifold<R>) {
    out.touch(best.on_a, best.on_b, best.normal, POINT, margin);
}

/// Box a, cylinder b.
pub(super) fn with_box<R: Real>(
    a: &Frame<R>,
    half: Vec3<R>,
    b: &Frame<R>,
    drum: Drum<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let (solid_a, solid_b) = (Solid::cuboid(a, half), Solid::drum(b, drum));
    let width = min(smallest(half), min(drum.radius, drum.half_length));
    let bias = R::from_f64(FACE_BIAS) * width;
    // the face that separates best; the cap first
    let (n_cap, s_cap) = convex::best_of(&solid_a, &solid_b, [b.z]);
    let mut face = (s_cap, n_cap, None);
    for i in 0..3 {
        let (n, s) = convex::best_of(&solid_a, &solid_b, [a.axis(i)]);
        if s > face.0 {
            face = (s, n, Some(i));
        }
    }
    let d = a.centre - b.centre;
    let (radial, _) = unit_or(d - b.z * d.dot(b.z), b.x);
    let directions = [
        face.1,
        segment::across(b.z, a.x),
        segment::across(b.z, a.y),
        segment::across(b.z, a.z),
        axis_to_box(a, half, b, drum),
        radial,
        unit_or(d, b.x).0,
    ];
    let best = convex::ascend_from(&solid_a, &solid_b, directions, width, margin);
    out.passes = best.passes;
    if best.gap >= margin {
        return;
    }
    if best.gap <= face.0 + bias {
        // the cap, unless the box's face is clearly better
        let of_box = face.2.filter(|&i| face.0 > s_cap + bias && !segment::parallel(a.axis(i), b.z));
        let settled = if let Some(i) = of_box {
            let reference = Face::new(a, half, i, -sign(a.axis(i).dot(face.1)));
            let mut patch = Patch::new(reference.centre, reference.normal, false, reference.id, margin);
            drum_on_face(&reference, b, drum, bias, &mut patch);
            patch.settle(bias, &best, out)
        } else {
            let cap = Cap::towards(b, drum, n_cap);
            let incident = Face::facing(a, half, cap.normal);
            let mut patch = Patch::new(cap.centre, cap.normal, true, incident.id, margin);
            face_on_cap(&cap, &incident, bias, &mut patch);
            patch.settle(bias, &best, out)
        };
        if settled {
            return;
        }
    }
    let n = best.normal;
    let parallel_edge = (0..3).find(|&k| segment::parallel(a.axis(k), b.z));
    if let Some(k) = parallel_edge.filter(|_| is_across(b.z, n)) {
        let edge = edge_towards(a, half, -n, k).0;
        let leans = |i: usize| !is_across(a.axis(i), n);
        if after(k).into_iter().all(leans) && stretch(&edge, &side(b, drum, n), n, margin, out) {
            return;
        }
    }
    single(&best, margin, out);
}

/// Direction to the box from the nearest point of the cylinder's axis; across x of the cylinder where the axis is inside.
fn axis_to_box<R: Real>(a: &Frame<R>, half: Vec3<R>, b: &Frame<R>, drum: Drum<R>) -> Vec3<R> {
    let axis = Segment { centre: a.inward(b.centre - a.centre), half: a.inward(b.z * drum.half_length) };
    let e = excess(axis.at(round_box::nearest(&axis, half)), half);
    unit_or(-a.outward(e), b.x).0
}

/// Cylinder a, cylinder b.
pub(super) fn with_cylinder<R: Real>(
    a: &Frame<R>,
    drum_a: Drum<R>,
    b: &Frame<R>,
    drum_b: Drum<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let (solid_a, solid_b) = (Solid::drum(a, drum_a), Solid::drum(b, drum_b));
    let smallest = min(min(drum_a.radius, drum_a.half_length), min(drum_b.radius, drum_b.half_length));
    let bias = R::from_f64(FACE_BIAS) * smallest;
    let (n_a, s_a) = convex::best_of(&solid_a, &solid_b, [a.z]);
    let (n_b, s_b) = convex::best_of(&solid_a, &solid_b, [b.z]);
    let face = if s_b > s_a { (n_b, s_b) } else { (n_a, s_a) };
    // a's cap, unless b's is clearly better
    let reference_is_b = s_b > s_a + bias && !segment::parallel(a.z, b.z);

    let d = a.centre - b.centre;
    let (axis_a, axis_b) = (side_axis(a, drum_a), side_axis(b, drum_b));
    let (t, s) = segment::nearest(&axis_a, &axis_b);
    let across = segment::across(a.z, b.z);
    let radial = |axis: Vec3<R>| unit_or(d - axis * d.dot(axis), across).0;
    let nearest = unit_or(axis_a.at(t) - axis_b.at(s), across).0;
    let directions = [face.0, radial(b.z), radial(a.z), across, nearest, unit_or(d, across).0];
    let best = convex::ascend_from(&solid_a, &solid_b, directions, smallest, margin);
    out.passes = best.passes;
    if best.gap >= margin {
        return;
    }
    if best.gap <= face.1 + bias {
        let (cap, frame, drum) = if reference_is_b {
            (Cap::towards(b, drum_b, n_b), a, drum_a)
        } else {
            (Cap::towards(a, drum_a, -n_a), b, drum_b)
        };
        let end = u16::from(cap.normal.dot(cap.frame.z) > R::ZERO);
        let mut patch = Patch::new(cap.centre, cap.normal, reference_is_b, end, margin);
        drum_on_cap(&cap, frame, drum, bias, &mut patch);
        if patch.settle(bias, &best, out) {
            return;
        }
    }
    let n = best.normal;
    let beside = is_across(a.z, n) && is_across(b.z, n) && segment::parallel(a.z, b.z);
    if !(beside && stretch(&side(a, drum_a, -n), &side(b, drum_b, n), n, margin, out)) {
        single(&best, margin, out);
    }
}

fn side_axis<R: Real>(frame: &Frame<R>, drum: Drum<R>) -> Segment<R> {
    Segment { centre: frame.centre, half: frame.z * drum.half_length }
}
