//! Are these the tables of a convex polyhedron? Every number is checked against the others.
//!
//! ```text
//! closed       every side of every facet is one edge's, once each way;  V − E + F = 2
//! convex       n·v = b for the corners of a facet, n·v ≤ b for all others;  corners turn left, seen from outside
//! solid        b > 0, the origin is inside;  V, moments and radius are those of the corners
//! centred      ∫ x = 0,  ∫ x y = ∫ x z = ∫ y z = 0
//! ```
//! Two tolerances, relative to the radius: [`ROOM`] by which corners may be off, which is what rounding to single precision leaves,
//! and 64 roundings for what follows from the corners. An integral may be off by what it changes when the whole surface moves that far.

use super::integrals::Integrals;
use super::polyhedron::{Edge, Facet};
use crate::check::positive;
use crate::error::Error;
use crate::math::{Real, Vec3, max};

/// At most so many corners, facets and edges each: an id of a contact has seven bits for either.
pub(super) const LIMIT: usize = 128;

/// By how much of the radius a corner may lie off a facet's plane: 2⁻¹⁷, 64 roundings of single precision, 0.1 µm on a part of 1 cm.
/// The same in double precision, whose tables may come from a file of single.
pub(super) const ROOM: f64 = 1.0 / 131_072.0;

/// The least distance of a facet from the origin, of the radius: 2⁻¹³, so that its plane is known to 6 %.
const THINNEST: f64 = 16.0 * ROOM;

/// Roundings that a sum over all facets may be off by.
const ROUNDINGS: f64 = 64.0;

/// The tables of a polyhedron, wherever they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tables<'a, R> {
    pub(super) vertices: &'a [Vec3<R>],
    pub(super) facets: &'a [Facet<R>],
    pub(super) rims: &'a [u8],
    pub(super) edges: &'a [Edge],
    pub(super) volume: R,
    pub(super) moments: Vec3<R>,
    pub(super) radius: R,
}

impl<'a, R: Real> Tables<'a, R> {
    /// Corners round a facet; none if there is no such facet.
    pub(super) fn rim(&self, facet: &Facet<R>) -> &'a [u8] {
        let first = usize::from(facet.first);
        self.rims.get(first..first.saturating_add(usize::from(facet.corners))).unwrap_or_default()
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_counts()?;
        self.check_rims()?;
        self.check_edges()?;
        self.check_finite()?;
        self.check_planes()?;
        self.check_integrals()
    }

    /// Within limits, and as many as Euler says.
    fn check_counts(&self) -> Result<(), Error> {
        let counts =
            [(self.vertices.len(), "vertices", 4), (self.facets.len(), "facets", 4), (self.edges.len(), "edges", 6)];
        for (count, name, least) in counts {
            if count > LIMIT {
                return Err(Error::CapacityExceeded(name));
            }
            if count < least {
                return Err(Error::OutOfRange(name));
            }
        }
        let [vertices, facets, edges] = counts.map(|(count, ..)| count);
        // every edge is a side of two facets
        if vertices.saturating_add(facets) != edges.saturating_add(2) || self.rims.len() != edges.saturating_mul(2) {
            return Err(Error::NotClosed);
        }
        Ok(())
    }

    /// One after the other, of three corners and more, each of them once; together all there are.
    fn check_rims(&self) -> Result<(), Error> {
        let refused = Error::OutOfRange("rims");
        let (mut next, mut seen) = (0_usize, Corners::default());
        for facet in self.facets {
            let mut own = Corners::default();
            let rim = self.rim(facet);
            if usize::from(facet.first) != next || rim.len() < 3 {
                return Err(refused);
            }
            for &corner in rim {
                if usize::from(corner) >= self.vertices.len() || !own.insert(corner) {
                    return Err(refused);
                }
                seen.insert(corner);
            }
            next = next.saturating_add(rim.len());
        }
        if next != self.rims.len() {
            return Err(refused);
        }
        if seen.count() == self.vertices.len() { Ok(()) } else { Err(Error::NotClosed) }
    }

    /// Each is a side of its two facets, there and back, and no side is two edges'.
    fn check_edges(&self) -> Result<(), Error> {
        let mut taken = [Corners::default(); 2];
        for edge in self.edges {
            let ([a, b], [left, right]) = (edge.vertices, edge.facets);
            for (facet, ends) in [(left, [a, b]), (right, [b, a])] {
                let facet = self.facets.get(usize::from(facet)).ok_or(Error::OutOfRange("edges"))?;
                let rim = self.rim(facet);
                let at = (0..u16::MAX).zip(sides(rim)).find(|(_, side)| *side == ends).map(|(at, _)| at);
                let place = at.ok_or(Error::NotClosed)?.saturating_add(facet.first);
                // at most 256 sides: 128 edges
                let [low, high] = &mut taken;
                let half = if place < 128 { low } else { high };
                if !half.insert((place & 127) as u8) {
                    return Err(Error::NotClosed);
                }
            }
        }
        // twice as many sides as edges, none taken twice: all are taken
        Ok(())
    }

    fn check_finite(&self) -> Result<(), Error> {
        if !self.vertices.iter().all(|v| v.is_finite()) {
            return Err(Error::NonFinite("vertices"));
        }
        if !self.facets.iter().all(|f| f.normal.is_finite() && f.offset.is_finite()) {
            return Err(Error::NonFinite("facets"));
        }
        let Vec3 { x, y, z } = self.moments;
        positive(self.volume, "volume")?;
        positive(x, "moments").and(positive(y, "moments")).and(positive(z, "moments"))?;
        positive(self.radius, "radius")?;
        let farthest = self.vertices.iter().fold(R::ZERO, |most, v| max(most, v.dot(*v))).sqrt();
        if within(farthest - self.radius, self.radius * rounding()) { Ok(()) } else { Err(Error::OutOfRange("radius")) }
    }

    fn check_planes(&self) -> Result<(), Error> {
        let room = self.radius * R::from_f64(ROOM);
        for facet in self.facets {
            let Facet { normal, offset, .. } = *facet;
            if !within(normal.dot(normal) - R::ONE, rounding()) {
                return Err(Error::OutOfRange("normal"));
            }
            if offset <= R::ZERO {
                return Err(Error::NotCentred);
            }
            if offset < self.radius * R::from_f64(THINNEST) {
                return Err(Error::Flat);
            }
            let rim = self.rim(facet);
            let mut own = Corners::default();
            for &corner in rim {
                own.insert(corner);
            }
            for (corner, vertex) in (0..u8::MAX).zip(self.vertices) {
                let above = normal.dot(*vertex) - offset;
                if above > room || (above < -room && own.contains(corner)) {
                    return Err(Error::NotConvex);
                }
            }
            let onward = rim.iter().cycle().skip(2);
            for ([a, b], &c) in sides(rim).zip(onward) {
                let [a, b, c] = self.corners([a, b, c]);
                let (from, to) = (b - a, c - b);
                let length = |v: Vec3<R>| v.x.abs() + v.y.abs() + v.z.abs();
                if normal.dot(from.cross(to)) < -room * (length(from) + length(to)) {
                    return Err(Error::NotConvex);
                }
            }
        }
        Ok(())
    }

    fn check_integrals(&self) -> Result<(), Error> {
        let (solid, surface) = self.integrals();
        let rounded = self.radius * rounding();
        if !within(solid.volume - self.volume, surface.volume * rounded) {
            return Err(Error::OutOfRange("volume"));
        }
        let (off, most) = (solid.moments() - self.moments, surface.moments() * rounded);
        if !(within(off.x, most.x) && within(off.y, most.y) && within(off.z, most.z)) {
            return Err(Error::OutOfRange("moments"));
        }
        let room = self.radius * R::from_f64(ROOM);
        let pairs = [
            (solid.first.x, surface.first.x),
            (solid.first.y, surface.first.y),
            (solid.first.z, surface.first.z),
            (solid.second.xy, surface.second.xy),
            (solid.second.xz, surface.second.xz),
            (solid.second.yz, surface.second.yz),
        ];
        if pairs.iter().all(|(off, most)| within(*off, *most * room)) { Ok(()) } else { Err(Error::NotCentred) }
    }

    /// Over the solid; and over its surface, how far they can be off.
    pub(super) fn integrals(&self) -> (Integrals<R>, Integrals<R>) {
        let (mut solid, mut surface) = (Integrals::default(), Integrals::default());
        for facet in self.facets {
            for triangle in fan(self.rim(facet)) {
                let triangle = self.corners(triangle);
                solid = solid.plus(&Integrals::of_tetrahedron(triangle));
                surface = surface.plus(&Integrals::of_surface(triangle, facet.normal));
            }
        }
        (solid, surface)
    }

    /// Where these corners are; the origin for one there is not.
    fn corners(&self, corners: [u8; 3]) -> [Vec3<R>; 3] {
        corners.map(|corner| self.vertices.get(usize::from(corner)).copied().unwrap_or_default())
    }
}

/// From corner to corner, all the way round.
pub(super) fn sides(rim: &[u8]) -> impl Iterator<Item = [u8; 2]> {
    rim.iter().zip(rim.iter().skip(1).chain(rim.first())).map(|(&a, &b)| [a, b])
}

/// Triangles that a facet is made of.
pub(super) fn fan(rim: &[u8]) -> impl Iterator<Item = [u8; 3]> {
    let first = rim.first().copied().unwrap_or_default();
    rim.iter().skip(1).zip(rim.iter().skip(2)).map(move |(&b, &c)| [first, b, c])
}

fn rounding<R: Real>() -> R {
    R::from_f64(ROUNDINGS) * R::EPSILON
}

/// `|x| ≤ most`, and both are numbers.
fn within<R: Real>(x: R, most: R) -> bool {
    x.abs() <= most
}

/// A set of up to 128.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Corners(u128);

impl Corners {
    /// Is it new?
    pub(super) fn insert(&mut self, corner: u8) -> bool {
        let bit = 1_u128.wrapping_shl(u32::from(corner));
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }

    pub(super) fn contains(self, corner: u8) -> bool {
        self.0 & 1_u128.wrapping_shl(u32::from(corner)) != 0
    }

    pub(super) fn count(self) -> usize {
        self.0.count_ones() as usize
    }
}
