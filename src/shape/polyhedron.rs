//! Convex polyhedra: tables in flash.
//!
//! ```text
//! P = { x : n_i·x ≤ b_i }        n_i unit vectors, outward;  b_i > 0: the origin, its centre of mass, is inside       m
//! ```
//! Tables are `static`: of corners, of facets with the corners round each, of edges with the two facets that meet there.

use crate::check::positive;
use crate::error::Error;
use crate::math::{Real, Vec3};

/// A convex polyhedron, its centre of mass at the origin and its principal axes along x, y, z.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Polyhedron<R: 'static> {
    /// Its corners. m
    pub vertices: &'static [Vec3<R>],
    /// Its planes.
    pub facets: &'static [Facet<R>],
    /// Corners round every facet, one facet after the other, each counter-clockwise as seen from outside.
    pub rims: &'static [u8],
    /// Where two facets meet, each once.
    pub edges: &'static [Edge],
    /// Volume, and moments of inertia at density 1 about x, y, z. m³, m⁵
    pub volume: R,
    /// Moments of inertia at density 1 about x, y, z. m⁵
    pub moments: Vec3<R>,
    /// Largest distance of a corner from the origin. m
    pub radius: R,
}

/// One side of a polyhedron: `normal·x = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Facet<R> {
    /// Outward unit vector.
    pub normal: Vec3<R>,
    /// Distance from the origin, positive. m
    pub offset: R,
    /// Where its rim begins in [`Polyhedron::rims`].
    pub first: u16,
    /// How many corners it has, at least 3.
    pub corners: u8,
}

/// One edge of a polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Edge {
    /// Its ends, in the order in which the first of its facets goes round.
    pub vertices: [u8; 2],
    /// The facets that meet here: the first has it counter-clockwise, the second the other way.
    pub facets: [u8; 2],
}

impl<R: Real> Polyhedron<R> {
    pub(super) fn check(&self) -> Result<(), Error> {
        positive(self.volume, "volume")
    }

    /// Corners round a facet; none if there is no such facet.
    pub fn rim(&self, facet: &Facet<R>) -> &'static [u8] {
        let first = usize::from(facet.first);
        self.rims.get(first..first.saturating_add(usize::from(facet.corners))).unwrap_or_default()
    }
}
