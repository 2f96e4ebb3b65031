//! Convex polyhedra: tables in flash.
//!
//! ```text
//! P = { x : n_i·x ≤ b_i }        n_i unit vectors, outward;  b_i > 0: the origin, its centre of mass, is inside       m
//! ```
//! Tables are `static`: of corners, of facets with the corners round each, of edges with the two facets that meet there. The host program
//! prints them, `tumble hull FILE`; [`Hull`](super::Hull) makes them of points at run time.

use super::tables::Tables;
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
    /// m³
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
    /// Refuse tables that are not those of a convex polyhedron about its centre of mass and along its principal axes.
    ///
    /// Corners may be off by 2⁻¹⁷ of the radius, which is what rounding to single precision leaves; volume, moments and radius by 64
    /// roundings from those of the corners; facets must keep 2⁻¹³ of the radius from the origin. Takes time with corners times facets: when a
    /// shape is given to a world, not when it steps.
    ///
    /// # Errors
    /// * [`Error::CapacityExceeded`]`("vertices")`, `("facets")` or `("edges")` for more than 128 each, [`Error::OutOfRange`] of the same
    ///   for fewer than 4, 4 and 6.
    /// * [`Error::OutOfRange`]`("rims")` or `("edges")`: a facet whose corners are too few, or twice the same, or not there, or not where
    ///   those of the one before end; an edge of a facet that is not there.
    /// * [`Error::NotClosed`], [`Error::NotConvex`], [`Error::NotCentred`], [`Error::Flat`].
    /// * [`Error::NonFinite`]`("vertices")` or `("facets")`; [`Error::OutOfRange`]`("normal")` if not of length one.
    /// * [`Error::NonFinite`], [`Error::NonPositive`] or [`Error::OutOfRange`], naming `volume`, `moments` or `radius`, where they are not
    ///   those of the corners.
    pub fn check(&self) -> Result<(), Error> {
        self.tables().check()
    }

    /// Corners round a facet; none if there is no such facet.
    pub fn rim(&self, facet: &Facet<R>) -> &'static [u8] {
        self.tables().rim(facet)
    }

    const fn tables(&self) -> Tables<'static, R> {
        Tables {
            vertices: self.vertices,
            facets: self.facets,
            rims: self.rims,
            edges: self.edges,
            volume: self.volume,
            moments: self.moments,
            radius: self.radius,
        }
    }
}
