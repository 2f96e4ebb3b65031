//! Cylinder on polyhedron.
//!
//! ```text
//! g = max s(n): over the facets' normals, the cap's, the directions across the axis and an edge, radially and from centre to centre;
//! then uphill from the best (convex::ascend)
//! ```
//! As [`cylinder`](super::cylinder) on a box, with any outline for the rectangle: laid flat, parallel within `PARALLEL`, the cap is the reference;
//! within `FACE_BIAS` of a face's separation it is a face contact with the points of the patch that both share, along the face's normal. Lying on a
//! facet: both ends of the part above it; beside a parallel edge: both ends of the common stretch. Otherwise the one nearest point.
//!
//! Feature: `kind facet id`, 2 + 7 + 7 bits: a rim point of the cylinder, a corner at a place of the facet's rim, the first and the second
//! crossing of a side with the cap's rim.

use super::convex::{self, Nearest, Solid};
use super::cylinder::{Cap, between, is_across, is_standing, lift, lowest, side as side_of};
use super::events;
use super::hull::{Hull, LOOKS_PER_PASS, Side, is_over_edge};
use super::patch::Candidates;
use super::round_cylinder::{Drum, over_disc};
use super::segment::{self, Segment};
use super::{FACE_BIAS, Frame, Manifold, facing, unit_or};
use crate::math::{Real, Vec3, max, min};

/// What a corner, facet or edge takes at most, in looks at a corner.
const PART: u32 = 12;

const CORNER: u16 = 1 << 14;
const CROSSING: u16 = 2 << 14;
const SECOND: u16 = 1 << 14;
/// Ends of a common stretch; a single point: no facet has that many.
const STRETCH: u16 = 0x3ff8;
const POINT: u16 = 0x3fff;

pub(super) fn collide<R: Real>(frame: &Frame<R>, drum: Drum<R>, hull: &Hull<'_, R>, margin: R, out: &mut Manifold<R>) {
    let (solid_a, solid_b) = (Solid::drum(frame, drum), Solid::hull(hull));
    let d = frame.centre - hull.frame.centre;
    let width = min(hull.width(), min(drum.radius, drum.half_length));
    let bias = R::from_f64(FACE_BIAS) * width;
    let separation = |n: Vec3<R>| convex::separation(&solid_a, &solid_b, n);

    let Some((facet, s_facet)) = best_facet(hull, &solid_a) else { return };
    let [up, down] = [frame.z, -frame.z].map(|n| (n, separation(n)));
    let (n_cap, s_cap) = if down.1 > up.1 { down } else { up };
    let across = best_edge(hull, frame, drum);
    let (radial, _) = unit_or(d - frame.z * d.dot(frame.z), frame.x);
    let (centres, _) = unit_or(d, frame.x);
    let edge = across.map_or((n_cap, s_cap), |(n, s, _)| (n, s));
    let starts =
        [(facet.normal, s_facet), (n_cap, s_cap), edge, (radial, separation(radial)), (centres, separation(centres))];
    let best = convex::ascend_from_known(&solid_a, &solid_b, starts, width, margin);
    let uphill = best.passes.saturating_mul(hull.corners()).saturating_mul(LOOKS_PER_PASS);
    (out.passes, out.corners) = (best.passes, hull.parts().saturating_mul(PART).saturating_add(uphill));
    if best.gap >= margin {
        return;
    }
    if best.gap <= max(s_facet, s_cap) + bias {
        // the cap, unless the facet is clearly better
        let of_hull = s_facet > s_cap + bias && !segment::parallel(facet.normal, frame.z);
        let (t1, t2) = n_cap.tangents();
        let mut patch = Patch { candidates: Candidates::new(), axes: [t1, t2], margin, facet: facet.index.into() };
        if of_hull {
            let centre = hull.frame.centre + facet.normal * facet.facet.offset;
            drum_on_facet(frame, drum, hull, &facet, bias, &mut |x, id| patch.add_above(x, centre, facet.normal, id));
        } else {
            let cap = Cap::towards(frame, drum, -n_cap);
            let Some(incident) = hull.farthest_facet(-cap.normal) else { return };
            patch.facet = incident.index.into();
            facet_on_cap(&cap, hull, &incident, bias, &mut |x, id| {
                patch.add_below(x, cap.centre, cap.normal, id);
            });
        }
        if patch.settle(bias, &best, out) {
            return;
        }
    }
    // along the side: both ends of the common stretch
    let n = best.normal;
    if let Some((_, s, edge)) = across
        && is_across(frame.z, n)
        && segment::parallel(edge.half, frame.z)
        && best.gap <= s + bias
        && let Some(ends) = segment::overlap(&side_of(frame, drum, -n), &edge)
    {
        for (t, s, end) in ends {
            out.touch(side_of(frame, drum, -n).at(t), edge.at(s), n, STRETCH | end, margin);
        }
        return;
    }
    out.touch(best.on_a, best.on_b, n, POINT, margin);
}

/// The facet that separates best from the cylinder, and by how much.
fn best_facet<'a, R: Real>(hull: &Hull<'a, R>, solid: &Solid<'_, R>) -> Option<(Side<'a, R>, R)> {
    let mut best: Option<(Side<'a, R>, R)> = None;
    for side in hull.all_sides() {
        let s = (solid.farthest(-side.normal) - hull.frame.centre).dot(side.normal) - side.facet.offset;
        if best.as_ref().is_none_or(|(_, most)| s > *most) {
            best = Some((side, s));
        }
    }
    best
}

/// The edge that separates best from the cylinder's side: direction, by how much, where. Edges along the axis have the radial direction.
fn best_edge<R: Real>(hull: &Hull<'_, R>, frame: &Frame<R>, drum: Drum<R>) -> Option<(Vec3<R>, R, Segment<R>)> {
    let mut best: Option<(Vec3<R>, R, Segment<R>)> = None;
    for edge in hull.edges {
        let [p, q] = edge.vertices.map(|i| hull.frame.point(hull.vertex(i)));
        let line = between(p, q);
        let to_axis = frame.centre - line.centre;
        let aside = to_axis - frame.z * to_axis.dot(frame.z);
        let direction = if segment::parallel(line.half, frame.z) { aside } else { line.half.cross(frame.z) };
        let (l, length) = unit_or(direction, Vec3::default());
        for n in [l, -l] {
            let s = to_axis.dot(n) - drum.radius;
            let better = best.as_ref().is_none_or(|(_, most, _)| s > *most);
            if length > R::ZERO && better && is_over_edge(hull, edge, hull.frame.inward(n)) {
                best = Some((n, s, line));
            }
        }
    }
    best
}

/// Points of a patch, b's facet below a's cylinder.
struct Patch<R> {
    candidates: Candidates<R>,
    axes: [Vec3<R>; 2],
    margin: R,
    facet: u16,
}

impl<R: Real> Patch<R> {
    fn id(&self, id: u16) -> u16 {
        id | (self.facet & 0x7f) << 7
    }

    /// A point of the cylinder above the facet through `centre`.
    fn add_above(&mut self, x: Vec3<R>, centre: Vec3<R>, m: Vec3<R>, id: u16) {
        let below = x - m * (x - centre).dot(m);
        self.candidates.add_spread(facing(x, below, m, self.id(id)), self.margin, self.axes);
    }

    /// A point of the facet below the cap through `centre`.
    fn add_below(&mut self, x: Vec3<R>, centre: Vec3<R>, m: Vec3<R>, id: u16) {
        let above = x - m * (x - centre).dot(m);
        self.candidates.add_spread(facing(above, x, -m, self.id(id)), self.margin, self.axes);
    }

    /// Hand the points over, if the patch is where the shapes are nearest; overlapping, with the deepest place beside it.
    fn settle(&mut self, bias: R, best: &Nearest<R>, out: &mut Manifold<R>) -> bool {
        let realised = self.candidates.smallest_gap() <= best.gap + bias;
        if !realised && (best.gap > R::ZERO || self.candidates.is_empty()) {
            return false;
        }
        if !realised {
            let deepest = facing(best.on_a, best.on_b, best.normal, POINT);
            self.candidates.add_spread(deepest, self.margin, self.axes);
        }
        self.candidates.reduce_into(out);
        true
    }
}

/// The cylinder's points over a facet, its own corners below the cap, and where outlines cross.
fn drum_on_facet<R: Real>(
    frame: &Frame<R>,
    drum: Drum<R>,
    hull: &Hull<'_, R>,
    facet: &Side<'_, R>,
    room: R,
    add: &mut dyn FnMut(Vec3<R>, u16),
) {
    let m = facet.normal;
    let inward = |x: Vec3<R>| hull.frame.inward(x - hull.frame.centre);
    let rim = lowest(frame, drum, m);
    if !is_standing(frame, m) {
        if let [(p, _), (q, _)] = rim.as_slice()
            && let Some((low, high)) = events::clip(hull, facet, inward(*p), inward(*q), room)
        {
            add(*p + (*q - *p) * low.0, 8);
            add(*p + (*q - *p) * high.0, 9);
        }
        return;
    }
    let cap = Cap::towards(frame, drum, -m);
    for &(x, id) in &rim {
        if hull.is_over(facet, inward(x), room) {
            add(x, id);
        }
    }
    let lifted = |v: Vec3<R>| lift(hull.frame.point(v), m, cap.centre, cap.normal);
    crossings(&cap, hull, facet, &lifted, R::ZERO, add);
}

/// The facet's points below a cap, the cap's rim points over it, and where outlines cross.
fn facet_on_cap<R: Real>(
    cap: &Cap<'_, R>,
    hull: &Hull<'_, R>,
    facet: &Side<'_, R>,
    room: R,
    add: &mut dyn FnMut(Vec3<R>, u16),
) {
    let centre = hull.frame.centre + facet.normal * facet.facet.offset;
    for &(x, id) in &lowest(cap.frame, cap.drum, facet.normal) {
        let on_facet = lift(x, cap.normal, centre, facet.normal);
        // strictly inside: what lies on the outline is a corner or a crossing
        if hull.is_over(facet, hull.frame.inward(on_facet - hull.frame.centre), -room) {
            add(on_facet, id & 3);
        }
    }
    crossings(cap, hull, facet, &|v| hull.frame.point(v), room, add);
}

/// Corners of a facet over the cap, and where its sides cross the rim; `place` says where a corner is.
// one copy for both ways round
#[inline(never)]
fn crossings<R: Real>(
    cap: &Cap<'_, R>,
    hull: &Hull<'_, R>,
    facet: &Side<'_, R>,
    place: &dyn Fn(Vec3<R>) -> Vec3<R>,
    room: R,
    add: &mut dyn FnMut(Vec3<R>, u16),
) {
    let inward = |x: Vec3<R>| cap.frame.inward(x - cap.centre);
    for (k, (f, g)) in (0..u16::MAX).zip(hull.sides(facet.rim)) {
        let k: u16 = k & 0x7f;
        let (p, q) = (place(f), place(g));
        if cap.is_over(p, room) {
            add(p, CORNER | k);
        }
        let (line, seen) = (between(p, q), between(inward(p), inward(q)));
        if let Some((low, high)) = over_disc(&seen, Vec3::default(), cap.drum.radius) {
            if low > -R::ONE {
                add(line.at(low), CROSSING | k);
            }
            if high < R::ONE {
                add(line.at(high), CROSSING | SECOND | k);
            }
        }
    }
}
