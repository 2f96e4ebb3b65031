//! A convex polyhedron in space: its tables, seen from a frame. A box is one, with tables made on the spot.
//!
//! ```text
//! h(n) = max over corners v of n·v        how far it reaches from its centre along n, m
//! ```
//! Work is counted in looks at a corner, a product and a comparison: 16 instructions on a Cortex-M4F. What else is done is so many of these, by instructions
//! counted there over pairs of a cube and a wheel of 24 sides with everything.

use super::{Frame, along_axis, component};
use crate::math::{Real, Vec3, clamp, max, min};
use crate::shape::{Edge, Facet, Polyhedron};

/// Looks that a way uphill takes at every corner for each of its passes: one on the way, up to two where it starts and ends.
pub(super) const LOOKS_PER_PASS: u32 = 3;
/// A point that may become one of a contact, in looks.
pub(super) const CANDIDATE: u32 = 28;

/// Tables and where they are.
#[derive(Clone, Copy)]
pub(super) struct Hull<'a, R> {
    pub(super) frame: Frame<R>,
    pub(super) vertices: &'a [Vec3<R>],
    pub(super) facets: &'a [Facet<R>],
    pub(super) edges: &'a [Edge],
    rims: &'a [u8],
    /// No corner is farther from the centre. m
    pub(super) radius: R,
}

// loops over tables are called, not inlined: a world without polyhedra pays for their code too
impl<'a, R: Real> Hull<'a, R> {
    pub(super) fn new(frame: &Frame<R>, tables: &'a Polyhedron<R>) -> Self {
        let Polyhedron { vertices, facets, rims, edges, radius, .. } = *tables;
        Self { frame: *frame, vertices, facets, edges, rims, radius }
    }

    pub(super) fn cuboid(frame: &Frame<R>, tables: &'a Cuboid<R>) -> Self {
        let Cuboid { vertices, facets, radius } = tables;
        Self { frame: *frame, vertices, facets, edges: &EDGES, rims: &RIMS, radius: *radius }
    }

    /// The corner farthest along a direction of its own frame, the first of equals.
    #[inline(never)]
    pub(super) fn farthest_within(&self, direction: Vec3<R>) -> (u8, Vec3<R>) {
        let (mut most, mut best) = (-R::INFINITY, 0);
        // a counter, not a zip: this loop is where the time goes
        let mut i = 0_usize;
        for v in self.vertices {
            let reach = v.dot(direction);
            if reach > most {
                (most, best) = (reach, i);
            }
            i = i.wrapping_add(1);
        }
        (best as u8, self.vertices.get(best).copied().unwrap_or_default())
    }

    /// The corner farthest along a direction of the world, and where it is from the centre.
    pub(super) fn farthest(&self, direction: Vec3<R>) -> (u8, Vec3<R>) {
        let (i, v) = self.farthest_within(self.frame.inward(direction));
        (i, self.frame.outward(v))
    }

    /// h(n)
    pub(super) fn reach(&self, n: Vec3<R>) -> R {
        let l = self.frame.inward(n);
        self.farthest_within(l).1.dot(l)
    }

    /// The facet most along a direction of the world, of almost equals the first.
    pub(super) fn facing(&self, direction: Vec3<R>) -> Option<Side<'a, R>> {
        self.facing_within(self.frame.inward(direction))
    }

    /// The facet most along a direction of its own frame.
    #[inline(never)]
    pub(super) fn facing_within(&self, l: Vec3<R>) -> Option<Side<'a, R>> {
        // clearly steeper, not by rounding
        let clearly = R::from_f64(1e-5);
        self.best_side(clearly, |facet| facet.normal.dot(l))
    }

    /// The facet of the largest measure, the first of those that are equal to `step`.
    fn best_side(&self, step: R, measure: impl Fn(&Facet<R>) -> R) -> Option<Side<'a, R>> {
        let (mut most, mut best) = (-R::INFINITY, 0);
        for (i, facet) in (0..u16::MAX).zip(self.facets) {
            let value = measure(facet);
            if value > most + step {
                (most, best) = (value, i);
            }
        }
        self.facets.get(usize::from(best)).map(|facet| self.side(best as u8, facet))
    }

    /// The facet most along a direction of the world, of those at the corner that is farthest along it.
    ///
    /// The facet most along it of all need not have that corner: a blunt tip may lean less than the facets round it.
    #[inline(never)]
    pub(super) fn farthest_facet(&self, direction: Vec3<R>) -> Option<Side<'a, R>> {
        let l = self.frame.inward(direction);
        let (corner, _) = self.farthest_within(l);
        let clearly = R::from_f64(1e-5);
        let mut best: Option<(R, u8, &'a Facet<R>)> = None;
        for i in self.edges.iter().filter(|edge| edge.vertices.contains(&corner)).flat_map(|edge| edge.facets) {
            let Some(facet) = self.facets.get(usize::from(i)) else { continue };
            let cosine = facet.normal.dot(l);
            // of almost equals the first, whatever corner it is
            let better = |(most, least, _)| cosine > most + clearly || (i < least && cosine > most - clearly);
            if best.is_none_or(better) {
                best = Some((cosine, i, facet));
            }
        }
        best.map(|(_, index, facet)| self.side(index, facet))
    }

    /// The facet nearest to a point of the world inside, or the one that it is farthest outside of.
    pub(super) fn nearest(&self, point: Vec3<R>) -> Option<Side<'a, R>> {
        self.nearest_within(self.frame.inward(point - self.frame.centre))
    }

    /// The same, for a point of its own frame.
    #[inline(never)]
    pub(super) fn nearest_within(&self, x: Vec3<R>) -> Option<Side<'a, R>> {
        self.best_side(R::ZERO, |facet| facet.normal.dot(x) - facet.offset)
    }

    /// All facets.
    pub(super) fn all_sides(&self) -> impl Iterator<Item = Side<'a, R>> {
        (0..u16::MAX).zip(self.facets).map(|(index, facet)| self.side(index as u8, facet))
    }

    /// Is a point of its own frame over the facet, seen along its normal, to `room`?
    #[inline(never)]
    pub(super) fn is_over(&self, side: &Side<'a, R>, x: Vec3<R>, room: R) -> bool {
        self.sides(side.rim).all(|(f, g)| (x - f).dot((g - f).cross(side.facet.normal)) <= room * stretch(g - f))
    }

    fn side(&self, index: u8, facet: &'a Facet<R>) -> Side<'a, R> {
        Side { index, facet, normal: self.frame.outward(facet.normal), rim: self.rim(facet) }
    }

    /// Corners round a facet.
    pub(super) fn rim(&self, facet: &Facet<R>) -> &'a [u8] {
        let first = usize::from(facet.first);
        self.rims.get(first..first.saturating_add(usize::from(facet.corners))).unwrap_or_default()
    }

    /// A corner, in its own frame.
    pub(super) fn vertex(&self, i: u8) -> Vec3<R> {
        self.vertices.get(usize::from(i)).copied().unwrap_or_default()
    }

    /// How many corners it has.
    pub(super) fn corners(&self) -> u32 {
        u32::try_from(self.vertices.len()).unwrap_or(u32::MAX)
    }

    /// How many corners, facets and edges it has.
    pub(super) fn parts(&self) -> u32 {
        let parts = self.vertices.len().saturating_add(self.facets.len()).saturating_add(self.edges.len());
        u32::try_from(parts).unwrap_or(u32::MAX)
    }

    /// Radius of the ball about its centre that it holds. m
    #[inline(never)]
    pub(super) fn width(&self) -> R {
        self.facets.iter().fold(R::INFINITY, |least, facet| min(facet.offset, least))
    }

    /// Corners round a facet, each with the next.
    pub(super) fn sides(&self, rim: &'a [u8]) -> impl Iterator<Item = (Vec3<R>, Vec3<R>)> {
        let (this, next) = (rim.iter(), rim.iter().cycle().skip(1));
        this.zip(next).map(|(&p, &q)| (self.vertex(p), self.vertex(q)))
    }
}

/// Circles about a facet's middle, in its plane: what is nearer than `inner` is over it, what is farther than `outer` is not. m
pub(super) struct Disc<R> {
    centre: Vec3<R>,
    inner: R,
    outer: R,
}

/// From so many corners on the circles save more than they cost.
const ROUND: usize = 9;

impl<R: Real> Disc<R> {
    /// Of a facet; with few corners circles that say nothing.
    pub(super) fn new(hull: &Hull<'_, R>, side: &Side<'_, R>, room: R) -> Self {
        let nothing = Self { centre: Vec3::default(), inner: -R::ONE, outer: R::INFINITY };
        if side.rim.len() < ROUND {
            return nothing;
        }
        let sum = side.rim.iter().fold(Vec3::default(), |sum, &i| sum + hull.vertex(i));
        let centre = sum * (R::ONE / R::from_u16(side.rim.len() as u16));
        let (mut inner, mut outer) = (R::INFINITY, R::ZERO);
        for (f, g) in hull.sides(side.rim) {
            let (outward, arm) = ((g - f).cross(side.facet.normal), f - centre);
            let reach = arm.dot(outward);
            inner = min(reach * reach / outward.dot(outward), inner);
            outer = max(arm.dot(arm), outer);
        }
        // the outline counts as larger, or must be left by as much
        let edge = R::from_f64(2.0) * room;
        Self { centre, inner: inner.sqrt() - edge, outer: outer.sqrt() + edge }
    }

    /// Both ends of a line well over the facet (some), or all of it well beside (some); else unknown. Points of the facet's frame.
    pub(super) fn holds(&self, m: Vec3<R>, p: Vec3<R>, q: Vec3<R>) -> Option<bool> {
        if self.inner < R::ZERO {
            return None;
        }
        let flat = |x: Vec3<R>| {
            let d = x - self.centre;
            d - m * d.dot(m)
        };
        let (p, q) = (flat(p), flat(q));
        let inner = self.inner * self.inner;
        if p.dot(p) < inner && q.dot(q) < inner {
            return Some(true);
        }
        let along = q - p;
        let t = clamp(-p.dot(along) / max(along.dot(along), R::EPSILON * inner), R::ZERO, R::ONE);
        let nearest = p + along * t;
        (nearest.dot(nearest) > self.outer * self.outer).then_some(false)
    }
}

/// One facet of a hull in space.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, R> {
    pub(super) index: u8,
    pub(super) facet: &'a Facet<R>,
    /// Outward, in the world.
    pub(super) normal: Vec3<R>,
    /// Its corners.
    pub(super) rim: &'a [u8],
}

/// What a box is as a polyhedron: corners by the bits x, y, z of their number, facets −x, +x, −y, +y, −z, +z.
pub(super) struct Cuboid<R> {
    vertices: [Vec3<R>; 8],
    facets: [Facet<R>; 6],
    radius: R,
}

const RIMS: [u8; 24] = [0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6];

const EDGES: [Edge; 12] = [
    Edge { vertices: [0, 4], facets: [0, 2] },
    Edge { vertices: [4, 6], facets: [0, 5] },
    Edge { vertices: [6, 2], facets: [0, 3] },
    Edge { vertices: [2, 0], facets: [0, 4] },
    Edge { vertices: [1, 3], facets: [1, 4] },
    Edge { vertices: [3, 7], facets: [1, 3] },
    Edge { vertices: [7, 5], facets: [1, 5] },
    Edge { vertices: [5, 1], facets: [1, 2] },
    Edge { vertices: [0, 1], facets: [2, 4] },
    Edge { vertices: [5, 4], facets: [2, 5] },
    Edge { vertices: [6, 7], facets: [3, 5] },
    Edge { vertices: [3, 2], facets: [3, 4] },
];

impl<R: Real> Cuboid<R> {
    pub(super) fn new(half: Vec3<R>) -> Self {
        let corner = |i: u8| {
            let side = |bit: u8, h: R| if i & bit == 0 { -h } else { h };
            Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z))
        };
        let facet = |first: u16, i: usize, sign: R| Facet {
            normal: along_axis(i, sign),
            offset: component(half, i),
            first,
            corners: 4,
        };
        let (low, high) = (-R::ONE, R::ONE);
        Self {
            vertices: [0, 1, 2, 3, 4, 5, 6, 7].map(corner),
            facets: [
                facet(0, 0, low),
                facet(4, 0, high),
                facet(8, 1, low),
                facet(12, 1, high),
                facet(16, 2, low),
                facet(20, 2, high),
            ],
            radius: half.dot(half).sqrt(),
        }
    }
}
/// Is a direction of the hull's frame between the normals of the two facets at an edge? Then it reaches farthest there.
pub(super) fn is_over_edge<R: Real>(hull: &Hull<'_, R>, edge: &Edge, l: Vec3<R>) -> bool {
    let [i, j] = edge.facets;
    let normal = |i: u8| hull.facets.get(usize::from(i)).map(|facet| facet.normal);
    let (Some(m), Some(n)) = (normal(i), normal(j)) else { return false };
    // across the edge, l is a sum of both with no negative weight
    let axis = m.cross(n);
    m.cross(l).dot(axis) >= R::ZERO && l.cross(n).dot(axis) >= R::ZERO && (m + n).dot(l) > R::ZERO
}

/// The length of an edge, or up to √3 of it: no root for a width that is a choice.
pub(super) fn stretch<R: Real>(e: Vec3<R>) -> R {
    e.x.abs() + e.y.abs() + e.z.abs()
}
