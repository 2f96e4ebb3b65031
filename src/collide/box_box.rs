//! Box on box: separating axes, then the incident face clipped by the sides of the reference face.
//!
//! ```text
//! s(l) = |d·l| − Σ h_i |a_i·l| − Σ h_j |b_j·l|,  d = c_a − c_b,  l ∈ {a_i, b_j, a_i × b_j}     (15 axes)
//! g = max s(l),  n = l with d·n ≥ 0
//! ```
//! A face of a is preferred to one of b, a face to an edge, each by `FACE_BIAS` of the smallest half-width: that much the gap may be too small.
//! Faces laid flat on each other, parallel within `PARALLEL`: the reference is a's. (Tilted, the narrow box's face seems worse by the tilt times
//! the wide one's width, far more than the bias: choosing by separation would flicker while a part trembles on a table.)
//! The reference face counts as larger by the same length, so that boxes stacked flush keep their vertices' ids. Apart with a corner
//! towards a corner (no axis reaches the true distance): [`convex::ascend`]. Edges parallel within 1e-3 have no axis of their own.
//!
//! Feature, face: `0 r fff iii pppppp`: r reference is b, faces, place on the clipped polygon (`0000vv` vertex, `1lllpp` line × plane). Edge: `1 …`.

use super::convex::{self, Solid};
use super::patch::Candidates;
use super::round_box::reach;
use super::segment::{self, Segment};
use super::{ContactPoint, FACE_BIAS, Frame, Manifold, after, component, sign, smallest, unit_or};
use crate::math::{Real, Vec3, max, min};
use heapless::Vec;

const EDGE: u16 = 1 << 13;
const POINT: u16 = 1 << 14;
/// A corner that clipping made.
const CROSSING: u16 = 1 << 5;

pub(super) fn collide<R: Real>(
    a: &Frame<R>,
    half_a: Vec3<R>,
    b: &Frame<R>,
    half_b: Vec3<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let d = a.centre - b.centre;
    let bias = R::from_f64(FACE_BIAS) * min(smallest(half_a), smallest(half_b));
    let separation = |l: Vec3<R>| d.dot(l).abs() - reach(half_a, a.inward(l)) - reach(half_b, b.inward(l));

    // the best face of either: (s, axis)
    let [face_a, face_b] = [a, b].map(|frame| {
        let mut best = (-R::INFINITY, 0);
        for i in 0..3 {
            let s = separation(frame.axis(i));
            if s > best.0 {
                best = (s, i);
            }
        }
        best
    });
    let face = max(face_a.0, face_b.0);
    // edges: (s, axis, a's edge, b's edge)
    let mut edge = (face + bias, None);
    for i in 0..3 {
        for j in 0..3 {
            let (l, sine) = unit_or(a.axis(i).cross(b.axis(j)), Vec3::default());
            if sine > R::from_f64(1e-3) {
                let s = separation(l);
                if s > edge.0 {
                    edge = (s, Some((l * sign(d.dot(l)), i, j)));
                }
            }
        }
    }
    if face >= margin || (edge.1.is_some() && edge.0 >= margin) {
        return;
    }

    let (s, normal) = match edge.1 {
        Some((n, i, j)) => {
            let (edge_a, id_a) = edge_towards(a, half_a, -n, i);
            let (edge_b, id_b) = edge_towards(b, half_b, n, j);
            let (t, u) = segment::nearest(&edge_a, &edge_b);
            let (on_a, on_b) = (edge_a.at(t), edge_b.at(u));
            let apart = on_a - on_b;
            // the edges face each other: their distance is the separation
            if edge.0 <= R::ZERO || apart.dot(apart).sqrt() <= edge.0 + bias {
                out.touch(on_a, on_b, n, EDGE | (i as u16) << 6 | (j as u16) << 4 | id_a << 2 | id_b, margin);
                return;
            }
            (edge.0, n)
        }
        None => {
            let is_b = face_b.0 > face_a.0 + bias;
            let (s, axis) = if is_b { (face_b.0, b.axis(face_b.1)) } else { (face_a.0, a.axis(face_a.1)) };
            let side = sign(d.dot(axis));
            let n = axis * side;
            let (of_a, of_b) = if is_b {
                (Face::facing(a, half_a, n), Face::new(b, half_b, face_b.1, side))
            } else {
                (Face::new(a, half_a, face_a.1, -side), Face::facing(b, half_b, -n))
            };
            let is_b = is_b && !segment::parallel(of_a.normal, of_b.normal);
            let (reference, incident) = if is_b { (of_b, of_a) } else { (of_a, of_b) };
            let flip = if is_b { R::ONE } else { -R::ONE };
            let mut candidates = Candidates::new();
            let base = u16::from(is_b) << 12 | reference.id << 9 | incident.id << 6;
            for corner in &clip(&reference, &incident, bias) {
                let gap = (corner.x - reference.centre).dot(reference.normal);
                let position = corner.x - reference.normal * (gap * R::from_f64(0.5));
                let point = ContactPoint { position, normal: reference.normal * flip, gap, feature: base | corner.id };
                candidates.add(point, margin);
            }
            // some point is as near as the axis says: a face contact
            if candidates.smallest_gap() <= face + bias || (face <= R::ZERO && !candidates.is_empty()) {
                candidates.reduce_into(out);
                return;
            }
            (s, n)
        }
    };
    // corner to corner or corner to edge: the axes fall short of the distance
    let best = convex::ascend(&Solid::cuboid(a, half_a), &Solid::cuboid(b, half_b), normal, s);
    out.passes = best.passes;
    if best.gap < margin {
        out.touch(best.on_a, best.on_b, best.normal, POINT, margin);
    }
}

/// The edge along axis `k` farthest along `towards`, and which of the four it is.
pub(super) fn edge_towards<R: Real>(frame: &Frame<R>, half: Vec3<R>, towards: Vec3<R>, k: usize) -> (Segment<R>, u16) {
    let mut centre = frame.centre;
    let mut id = 0;
    for i in after(k) {
        let side = sign(frame.axis(i).dot(towards));
        centre = centre + frame.axis(i) * (side * component(half, i));
        id = id << 1 | u16::from(side > R::ZERO);
    }
    (Segment { centre, half: frame.axis(k) * component(half, k) }, id)
}

/// One face of a box: a rectangle in space.
pub(super) struct Face<R> {
    pub(super) centre: Vec3<R>,
    /// Out of the box.
    pub(super) normal: Vec3<R>,
    /// Unit vectors along its edges.
    pub(super) along: [Vec3<R>; 2],
    /// Half its edges. m
    pub(super) half: [R; 2],
    /// 0 … 5
    pub(super) id: u16,
}

impl<R: Real> Face<R> {
    pub(super) fn new(frame: &Frame<R>, half: Vec3<R>, i: usize, side: R) -> Self {
        let [j, k] = after(i);
        let normal = frame.axis(i) * side;
        Self {
            centre: frame.centre + normal * component(half, i),
            normal,
            along: [frame.axis(j), frame.axis(k)],
            half: [component(half, j), component(half, k)],
            id: (i as u16) << 1 | u16::from(side > R::ZERO),
        }
    }

    /// The face most against `towards`.
    pub(super) fn facing(frame: &Frame<R>, half: Vec3<R>, towards: Vec3<R>) -> Self {
        let mut best = (-R::ONE, 0);
        for i in 0..3 {
            let cosine = frame.axis(i).dot(towards).abs();
            // clearly steeper, not by rounding
            if cosine > best.0 + R::from_f64(1e-5) {
                best = (cosine, i);
            }
        }
        Self::new(frame, half, best.1, -sign(frame.axis(best.1).dot(towards)))
    }

    /// The corners around.
    pub(super) fn corners(&self) -> [Vec3<R>; 4] {
        let (u, v) = (self.along[0] * self.half[0], self.along[1] * self.half[1]);
        [self.centre + u + v, self.centre - u + v, self.centre - u - v, self.centre + u - v]
    }
}

/// A corner of the clipped polygon, and the line (0–3 incident edge, 4–7 clip plane) from it to the next corner.
#[derive(Clone, Copy)]
struct Corner<R> {
    x: Vec3<R>,
    id: u16,
    line: u16,
}

/// The incident face between the four side planes of the reference face, moved outwards by `room`. (Sutherland and Hodgman)
fn clip<R: Real>(reference: &Face<R>, incident: &Face<R>, room: R) -> Vec<Corner<R>, 8> {
    let mut polygon: Vec<Corner<R>, 8> = Vec::new();
    for (i, x) in (0..4).zip(incident.corners()) {
        let _ = polygon.push(Corner { x, id: i, line: i });
    }
    let [u, v] = reference.along;
    let [hu, hv] = reference.half;
    // a rectangle has four corners, each plane adds at most one
    for (plane, (outward, h)) in (0..4).zip([(u, hu), (-u, hu), (v, hv), (-v, hv)]) {
        let over = |x: Vec3<R>| (x - reference.centre).dot(outward) - h - room;
        let mut clipped = Vec::new();
        let next = polygon.iter().cycle().skip(1);
        for (p, q) in polygon.iter().zip(next) {
            let (over_p, over_q) = (over(p.x), over(q.x));
            let crossing = || p.x + (q.x - p.x) * (over_p / (over_p - over_q));
            let id = CROSSING | p.line << 2 | plane;
            match (over_p <= R::ZERO, over_q <= R::ZERO) {
                (true, true) => {
                    let _ = clipped.push(*p);
                }
                // leaving: from the crossing on along the plane
                (true, false) => {
                    let _ = clipped.push(*p);
                    let _ = clipped.push(Corner { x: crossing(), id, line: 4 | plane });
                }
                (false, true) => {
                    let _ = clipped.push(Corner { x: crossing(), id, line: p.line });
                }
                (false, false) => {}
            }
        }
        polygon = clipped;
    }
    polygon
}
