//! Polyhedron on polyhedron: the events of their contact. (Hart 2007)
//!
//! ```text
//! corner on face   gap = m·(c + u − c') − β              corner u of the body at c, facet m·x = β of the one at c'
//!                  t = m·(c − c') / (β − m·u)            scaled by t, the corner lies on the facet
//! edge on edge     gap = N·(c_a + p_a − c_b − p_b),      N = e_a × e_b towards a, p a point of either edge
//!                  t = N·(c_a − c_b) / N·(p_b − p_a)
//! Φ = (t − 1)/t = gap / (direction·(difference of the centres))      zero together with the gap; ρ is the largest Φ of all events
//! ```
//! Rows are the derivatives of Φ by place and rotation of both bodies, in closed form.
//!
//! The contact region of polyhedra that touch is the convex hull of its events. With the direction of the ratio's dual solution:
//! * Faces: the facet of either that lies most along it. One of them is the reference; the events are the other's corners above it, its
//!   own corners below the other, and where edges cross, each found by clipping an edge by the planes round the other facet. All within the
//!   margin, and up to ε_x = `FACE_BIAS` of the width outside the reference (so that parts stacked flush keep their corners).
//! * Edges: where they separate better than both facets by more than `FACE_BIAS`.
//! * Neither, apart with a corner towards a corner: [`convex::ascend`].
//!
//! Points of a face contact are all measured along the reference facet's normal: facets nearly parallel have edges nearly parallel, whose own
//! direction is a matter of rounding. The reference is a's unless b's separates better by `FACE_BIAS` and they are not parallel within `PARALLEL`, as for
//! [boxes](super::box_box). Overlapping, the ratio may prefer a facet far away to one near by, when centres are far from it (a part near the end
//! of a thin plate): then the facets nearest to the touching point are tried too.
//!
//! Feature: `kind first second`, 2 + 7 + 7 bits. Corner of b on facet of a, corner of a on facet of b: facet, corner; edge on edge: a's and b's;
//! crossing in a face contact: places on the rims of a's and b's facet.

use super::convex::{self, Solid};
use super::hull::{CANDIDATE, Disc, Hull, LOOKS_PER_PASS, Side, stretch};
use super::patch::Candidates;
use super::ratio::{self, Pair, Ratio};
use super::segment::{self, Segment};
use super::{ContactPoint, FACE_BIAS, Frame, Manifold, sign, unit_or};
use crate::math::{Pose, Real, Vec3, Vec6, max, min};
use crate::shape::Polyhedron;

const CORNER_OF_A: u16 = 1 << 14;
const EDGES: u16 = 2 << 14;
const CROSSING: u16 = 3 << 14;
/// A corner towards a corner or an edge.
const POINT: u16 = EDGES | 0x3fff;

/// In looks at a corner: an exchange, those at corners aside; what follows where they touch, for every corner and facet; a plane that an edge is clipped by.
const EXCHANGE: u32 = 28;
const TOUCH: u32 = 6;
const PLANE: u32 = 5;

const fn feature(kind: u16, first: u16, second: u16) -> u16 {
    kind | (first & 0x7f) << 7 | second & 0x7f
}

/// Two features that touch, and how far they are from it.
#[derive(Clone, Copy, Debug)]
pub struct Event<R> {
    features: Features<R>,
    /// c_a − c_b, m
    d: Vec3<R>,
    point: ContactPoint<R>,
}

/// Vectors of the world, from the centres of their bodies. m
#[derive(Clone, Copy, Debug)]
enum Features<R> {
    /// Corner of one, facet of the other.
    Corner { of_a: bool, corner: Vec3<R>, normal: Vec3<R>, offset: R },
    /// A point of each edge and its direction, a's and b's.
    Edges { points: [Vec3<R>; 2], along: [Vec3<R>; 2] },
}

impl<R: Real> Event<R> {
    /// Midway between the features. m
    pub const fn position(&self) -> Vec3<R> {
        self.point.position
    }

    /// Unit vector from b to a.
    pub const fn normal(&self) -> Vec3<R> {
        self.point.normal
    }

    /// Distance along the normal, negative when they penetrate. m
    pub const fn gap(&self) -> R {
        self.point.gap
    }

    /// Which features touch, the same from step to step while they do; numbers above 127 are cut to seven bits.
    pub const fn feature(&self) -> u16 {
        self.point.feature
    }

    /// Φ: the ratio metric of these two features alone. Its sign means something while each centre is on its own side.
    pub fn phi(&self) -> R {
        let (gap, apart) = self.parts();
        gap / apart
    }

    /// Derivatives of [`phi`](Self::phi) by place (1/m) and rotation (1/rad, world frame) of a and of b.
    pub fn row(&self) -> [Vec6<R>; 2] {
        let (gap, apart) = self.parts();
        let (scale, phi) = (R::ONE / apart, gap / apart);
        // δΦ = (δgap − Φ δapart) / apart
        let row = |gap: Vec6<R>, apart: Vec6<R>| (gap - apart * phi) * scale;
        match self.features {
            Features::Corner { of_a, corner, normal: m, .. } => {
                // from the facet's body to the corner's
                let d = if of_a { self.d } else { -self.d };
                let zero = Vec3::default();
                let corner_row = row(Vec6::new(m, corner.cross(m)), Vec6::new(m, zero));
                let facet_row = row(Vec6::new(-m, m.cross(d + corner)), Vec6::new(-m, m.cross(d)));
                if of_a { [corner_row, facet_row] } else { [facet_row, corner_row] }
            }
            Features::Edges { points: [p_a, p_b], along: [e_a, e_b] } => {
                let n = e_a.cross(e_b);
                let y = self.d + p_a - p_b;
                // δN·y for a rotation of a, of b
                let turn_a = |y: Vec3<R>| e_a.cross(e_b.cross(y));
                let turn_b = |y: Vec3<R>| e_b.cross(y.cross(e_a));
                let a = row(Vec6::new(n, p_a.cross(n) + turn_a(y)), Vec6::new(n, turn_a(self.d)));
                let b = row(Vec6::new(-n, turn_b(y) - p_b.cross(n)), Vec6::new(-n, turn_b(self.d)));
                [a, b]
            }
        }
    }

    /// Gap and distance of the centres, both along the event's own direction, of whatever length that is.
    fn parts(&self) -> (R, R) {
        match self.features {
            Features::Corner { of_a, corner, normal: m, offset } => {
                let d = if of_a { self.d } else { -self.d };
                (m.dot(d + corner) - offset, m.dot(d))
            }
            Features::Edges { points: [p_a, p_b], along: [e_a, e_b] } => {
                let n = e_a.cross(e_b);
                (n.dot(self.d + p_a - p_b), n.dot(self.d))
            }
        }
    }
}

/// What touches what.
enum Touch<'a, R> {
    Nothing,
    Edges(Event<R>),
    Faces(Faces<'a, R>),
    /// No face and no edge: a direction to start from.
    Corners,
}

pub(super) fn collide<R: Real>(a: &Hull<'_, R>, b: &Hull<'_, R>, margin: R, out: &mut Manifold<R>) {
    let found = ratio::of_hulls(a, b, margin);
    let corners = a.corners().saturating_add(b.corners());
    let rounds = found.exchanges.saturating_add(1);
    out.corners = rounds.saturating_mul(corners.saturating_add(EXCHANGE));
    if found.gap < margin {
        let facets = a.facets.len().saturating_add(b.facets.len());
        let parts = corners.saturating_add(u32::try_from(facets).unwrap_or(u32::MAX));
        out.corners = out.corners.saturating_add(parts.saturating_mul(TOUCH));
    }
    match touch(a, b, margin, &found) {
        Touch::Nothing => return,
        Touch::Edges(event) => {
            out.push(event.point);
            return;
        }
        Touch::Faces(faces) => {
            let mut candidates = Candidates::new();
            let axes = faces.axes();
            let planes = faces.events(|event| {
                out.corners = out.corners.saturating_add(CANDIDATE);
                candidates.add_spread(event.point, margin, axes);
            });
            out.corners = out.corners.saturating_add(planes.saturating_mul(PLANE));
            // some point is as near as the facet says: a face contact
            if candidates.smallest_gap() <= faces.gap + faces.room || (faces.gap <= R::ZERO && !candidates.is_empty()) {
                candidates.reduce_into(out);
                return;
            }
        }
        Touch::Corners => {}
    }
    let best = convex::ascend(&Solid::hull(a), &Solid::hull(b), found.normal, found.gap);
    out.passes = best.passes;
    out.corners = out.corners.saturating_add(best.passes.saturating_mul(corners).saturating_mul(LOOKS_PER_PASS));
    if best.gap < margin {
        out.touch(best.on_a, best.on_b, best.normal, POINT, margin);
    }
}

/// Hand over every event of two polyhedra closer than `margin` (m), in the order of the corners and edges of one facet.
///
/// None where they are apart with a corner towards a corner or an edge. Never panics.
pub fn events<R: Real>(
    (a, pose_a): (&Polyhedron<R>, &Pose<R>),
    (b, pose_b): (&Polyhedron<R>, &Pose<R>),
    margin: R,
    mut each: impl FnMut(&Event<R>),
) {
    let (a, b) = (Hull::new(&Frame::new(pose_a), a), Hull::new(&Frame::new(pose_b), b));
    match touch(&a, &b, margin, &ratio::of_hulls(&a, &b, margin)) {
        Touch::Edges(event) => each(&event),
        Touch::Faces(faces) => {
            faces.events(|event| {
                if event.point.gap < margin {
                    each(event);
                }
            });
        }
        Touch::Nothing | Touch::Corners => {}
    }
}

fn touch<'a, R: Real>(a: &Hull<'a, R>, b: &Hull<'a, R>, margin: R, found: &Ratio<R>) -> Touch<'a, R> {
    if found.gap >= margin {
        return Touch::Nothing;
    }
    let (n, d) = (found.normal, a.frame.centre - b.frame.centre);
    let bias = R::from_f64(FACE_BIAS) * min(a.width(), b.width());
    let (Some(mut of_a), Some(mut of_b)) = (a.facing(-n), b.facing(n)) else { return Touch::Nothing };
    let gap_a = |side: &Side<'a, R>| -(side.normal.dot(d) + side.facet.offset + b.reach(-side.normal));
    let gap_b = |side: &Side<'a, R>| side.normal.dot(d) - side.facet.offset - a.reach(-side.normal);
    let (mut s_a, mut s_b) = (gap_a(&of_a), gap_b(&of_b));
    let mut nearby = false;
    let overlap = max(found.gap, max(s_a, s_b));
    if overlap < R::ZERO {
        // what is nearest to the point where they touch may overlap less: a part that slides over the end of a plate lies on it, however far its centre is. Clearly
        // less, so that rounding decides nothing
        let least = overlap * R::from_f64(1.0 - FACE_BIAS);
        if let (Some(other_a), Some(other_b)) = (a.nearest(found.point), b.nearest(found.point)) {
            let (other_s_a, other_s_b) = (gap_a(&other_a), gap_b(&other_b));
            nearby = max(other_s_a, other_s_b) > least;
            if nearby && other_s_b > other_s_a {
                let n = other_b.normal;
                (of_b, s_b) = (other_b, other_s_b);
                if let Some(side) = a.facing(-n) {
                    (of_a, s_a) = (side, gap_a(&side));
                }
            } else if nearby {
                let n = -other_a.normal;
                (of_a, s_a) = (other_a, other_s_a);
                if let Some(side) = b.facing(n) {
                    (of_b, s_b) = (side, gap_b(&side));
                }
            }
        }
    }
    let face = max(s_a, s_b);
    if face >= margin {
        return Touch::Nothing;
    }
    if found.gap > face + bias && !nearby {
        let edges = found.pairs.and_then(|pairs| edges(a, b, pairs, n));
        return match edges {
            Some((event, distance)) if event.point.gap >= margin && distance >= margin => Touch::Nothing,
            // they face each other: their distance is the separation
            Some((event, distance)) if event.point.gap <= R::ZERO || distance <= event.point.gap + bias => {
                Touch::Edges(event)
            }
            _ => Touch::Corners,
        };
    }
    let is_b = s_b > s_a + bias && !segment::parallel(of_a.normal, of_b.normal);
    let (reference, incident) = if is_b { ((*b, of_b), *a) } else { ((*a, of_a), *b) };
    let Some(side) = incident.farthest_facet(-reference.1.normal) else { return Touch::Nothing };
    let incident = (incident, side);
    Touch::Faces(Faces { reference, incident, is_b, gap: face, room: bias })
}

/// The two edges of an optimal basis, if that is what it is made of; and their distance, m.
fn edges<R: Real>(a: &Hull<'_, R>, b: &Hull<'_, R>, pairs: [Pair; 3], n: Vec3<R>) -> Option<(Event<R>, R)> {
    let [[a0, b0], [a1, b1], [a2, b2]] = pairs;
    let ends = |p: u8, q: u8, r: u8| {
        let other = if q == p { r } else { q };
        (other != p && (r == p || r == other)).then_some([p, other])
    };
    let (ends_a, ends_b) = (ends(a0, a1, a2)?, ends(b0, b1, b2)?);
    let half = R::from_f64(0.5);
    let line = |hull: &Hull<'_, R>, [i, j]: [u8; 2]| {
        let (p, q) = (hull.vertex(i), hull.vertex(j));
        let (p, along) = (hull.frame.outward(p), hull.frame.outward(q - p));
        (p, along, Segment { centre: hull.frame.centre + p + along * half, half: along * half })
    };
    let ((p_a, e_a, line_a), (p_b, e_b, line_b)) = (line(a, ends_a), line(b, ends_b));
    let cross = e_a.cross(e_b);
    // parallel within 1e-3 they have no direction of their own
    let lengths = e_a.dot(e_a) * e_b.dot(e_b);
    if cross.dot(cross) <= R::from_f64(1e-6) * lengths {
        return None;
    }
    let (normal, _) = unit_or(cross, n);
    let normal = normal * sign(normal.dot(n));
    let number = |hull: &Hull<'_, R>, [i, j]: [u8; 2]| {
        let same = |edge: &[u8; 2]| *edge == [i, j] || *edge == [j, i];
        (0..u16::MAX)
            .zip(hull.edges)
            .find(|(_, edge)| same(&edge.vertices))
            .map_or(0x7f, |(number, _): (u16, _)| number)
    };
    let (t, s) = segment::nearest(&line_a, &line_b);
    let (on_a, on_b) = (line_a.at(t), line_b.at(s));
    let id = feature(EDGES, number(a, ends_a), number(b, ends_b));
    let d = a.frame.centre - b.frame.centre;
    let event = Event {
        features: Features::Edges { points: [p_a, p_b], along: [e_a, e_b] },
        d,
        point: super::facing(on_a, on_b, normal, id),
    };
    let apart = on_a - on_b;
    Some((event, apart.dot(apart).sqrt()))
}

/// Two facets that lie on each other.
struct Faces<'a, R> {
    reference: (Hull<'a, R>, Side<'a, R>),
    incident: (Hull<'a, R>, Side<'a, R>),
    /// The reference is b's.
    is_b: bool,
    /// How far the better of both separates. m
    gap: R,
    /// How much larger the reference counts. m
    room: R,
}

impl<R: Real> Faces<'_, R> {
    /// Two directions along the reference that turn with it.
    fn axes(&self) -> [Vec3<R>; 2] {
        let (hull, side) = &self.reference;
        let (t1, t2) = side.facet.normal.tangents();
        [hull.frame.outward(t1), hull.frame.outward(t2)]
    }

    /// All events, each measured along the reference's normal. Returns how many planes were looked at.
    fn events(&self, mut each: impl FnMut(&Event<R>)) -> u32 {
        let mut looks = 0_u32;
        let count = |rim: &[u8]| u32::try_from(rim.len()).unwrap_or(u32::MAX);
        let ((hull, side), (other, incident)) = (&self.reference, &self.incident);
        let (m, beta) = (side.facet.normal, side.facet.offset);
        let d = hull.frame.centre - other.frame.centre;
        let to_a = if self.is_b { R::ONE } else { -R::ONE };
        let half = R::from_f64(0.5);
        // the event at x (from the reference's centre, along its axes) on the other's surface
        let event = |x: Vec3<R>, gap: R, features: Features<R>, feature: u16| Event {
            features,
            d: d * -to_a,
            point: ContactPoint {
                position: hull.frame.point(x - m * (gap * half)),
                normal: side.normal * to_a,
                gap,
                feature,
            },
        };
        // the other's frame, seen from the reference's
        let seen = Frame {
            centre: hull.frame.inward(-d),
            x: hull.frame.inward(other.frame.x),
            y: hull.frame.inward(other.frame.y),
            z: hull.frame.inward(other.frame.z),
        };
        let (kind, kind_back) = if self.is_b { (CORNER_OF_A, 0) } else { (0, CORNER_OF_A) };
        let disc = Disc::new(hull, side, self.room);
        let next = incident.rim.iter().cycle().skip(1);
        for (place, (&i, &j)) in (0..u16::MAX).zip(incident.rim.iter().zip(next)) {
            let (v_i, v_j) = (other.vertex(i), other.vertex(j));
            let (p, q) = (seen.point(v_i), seen.point(v_j));
            let part = match disc.holds(m, p, q) {
                Some(true) => Some(((R::ZERO, None), (R::ONE, None))),
                Some(false) => None,
                None => {
                    looks = looks.saturating_add(count(side.rim));
                    clip(hull, side, p, q, self.room)
                }
            };
            let Some((enters, leaves)) = part else { continue };
            if enters.1.is_none() {
                let corner = other.frame.outward(v_i);
                let features = Features::Corner { of_a: self.is_b, corner, normal: side.normal, offset: beta };
                let id = feature(kind, side.index.into(), i.into());
                each(&event(p, p.dot(m) - beta, features, id));
            }
            for (t, plane) in [enters, leaves] {
                let Some(plane) = plane else { continue };
                let x = p + (q - p) * t;
                let features = self.crossing(other.frame.outward(v_i), other.frame.outward(v_j - v_i), plane);
                let (on_a, on_b) = if self.is_b { (place, plane) } else { (plane, place) };
                each(&event(x, x.dot(m) - beta, features, feature(CROSSING, on_a, on_b)));
            }
        }

        // the reference's corners below the other facet, but those that count as its corners already
        let l = incident.facet.normal;
        let up = seen.inward(m);
        let steep = l.dot(up);
        if steep > -R::from_f64(0.1) {
            return looks;
        }
        let disc = Disc::new(other, incident, self.room);
        for &i in side.rim {
            let v = hull.vertex(i);
            let y = seen.inward(v - seen.centre);
            let below = y + up * ((incident.facet.offset - l.dot(y)) / steep);
            let inside = disc.holds(l, below, below).unwrap_or_else(|| {
                looks = looks.saturating_add(count(incident.rim));
                let mut sides = other.sides(incident.rim);
                sides.all(|(f, g)| (y - f).dot(up.cross(g - f)) < -self.room * stretch(g - f))
            });
            if inside {
                let gap = (incident.facet.offset - l.dot(y)) / steep;
                let corner = hull.frame.outward(v);
                let normal = incident.normal;
                let features = Features::Corner { of_a: !self.is_b, corner, normal, offset: incident.facet.offset };
                let id = feature(kind_back, incident.index.into(), i.into());
                each(&event(v + m * gap, gap, features, id));
            }
        }
        looks
    }

    /// An edge of the incident facet (a point and its direction) with the side of the reference at this place of its rim.
    fn crossing(&self, point: Vec3<R>, along: Vec3<R>, place: u16) -> Features<R> {
        let (hull, side) = &self.reference;
        let (f, g) = hull.sides(side.rim).nth(usize::from(place)).unwrap_or_default();
        let (own, own_along) = (hull.frame.outward(f), hull.frame.outward(g - f));
        if self.is_b {
            Features::Edges { points: [point, own], along: [along, own_along] }
        } else {
            Features::Edges { points: [own, point], along: [own_along, along] }
        }
    }
}

/// A parameter between 0 and 1, and the plane that ends the part there, or none where the line itself ends.
pub(super) type End<R> = (R, Option<u16>);

/// The part of the line from p to q above a facet: between the planes round it, moved outwards by `room`. (Cyrus and Beck)
#[inline(never)]
pub(super) fn clip<R: Real>(
    hull: &Hull<'_, R>,
    side: &Side<'_, R>,
    p: Vec3<R>,
    q: Vec3<R>,
    room: R,
) -> Option<(End<R>, End<R>)> {
    let (mut enters, mut leaves) = ((R::ZERO, None), (R::ONE, None));
    for (plane, (f, g)) in (0..u16::MAX).zip(hull.sides(side.rim)) {
        let outward = (g - f).cross(side.facet.normal);
        let width = room * stretch(g - f);
        let (over_p, over_q) = ((p - f).dot(outward) - width, (q - f).dot(outward) - width);
        if over_p > R::ZERO && over_q > R::ZERO {
            return None;
        }
        let t = over_p / (over_p - over_q);
        if over_p > R::ZERO && t > enters.0 {
            enters = (t, Some(plane));
        } else if over_q > R::ZERO && t < leaves.0 {
            leaves = (t, Some(plane));
        }
    }
    (enters.0 <= leaves.0).then_some((enters, leaves))
}
