//! Convex hulls: from points to the tables of a polyhedron, about its centre of mass and along its principal axes.
//!
//! ```text
//! points → triangles round them → facets, edges → ∫ 1, ∫ x, ∫ x xᵀ → frame → corners in it, rounded → planes, moments
//! ```
//! Computed in double precision for either scalar: done once, when things are set up, and on a target best not at all but by the host program,
//! `tumble hull`, which prints tables for flash.

mod facets;
mod skin;

use super::integrals::Integrals;
use super::polyhedron::{Edge, Facet, Polyhedron};
use super::principal::principal_axes;
use super::tables::{LIMIT, Tables, fan, sides};
use crate::check::non_negative;
use crate::error::Error;
use crate::math::{Pose, Quat, Real, Vec3, max};
use facets::{Facets, Rims};
use heapless::Vec;
use skin::{CLOSE, Grid, Skin, length};

/// Moments that differ by this share are the same, their corners rounded: axes stay as they are.
const NOISE: f64 = 1.0 / 1_048_576.0;

/// The convex hull of points, with room for so many corners, facets and edges; `EDGES = VERTICES + FACETS − 2` is enough, and
/// no polyhedron may have more than 128 of each.
///
/// Points that lie less than 2⁻²⁰ of the longest side of their bounding box outside are left out, and facets whose corners are that close
/// to one plane are one: what single precision cannot tell apart.
///
/// Building it takes some 14 KB of stack, and time with points times corners; on a target double precision is software.
///
/// # To a world
/// A shape needs tables that are `static`. On a target they come as source from the host program, `tumble hull FILE`, and lie in
/// flash. A program that makes them as it runs has to keep them for ever, on a host by `Box::leak`, on a target in a `static` cell:
///
/// ```
/// use tumble::math::Vec3;
/// use tumble::shape::{Hull, Polyhedron, Shape};
///
/// // a wedge, its corner at the origin
/// let points = [
///     Vec3::new(0.00, 0.00, 0.00), Vec3::new(0.03, 0.00, 0.00), Vec3::new(0.00, 0.00, 0.01),
///     Vec3::new(0.00, 0.02, 0.00), Vec3::new(0.03, 0.02, 0.00), Vec3::new(0.00, 0.02, 0.01),
/// ];
/// let hull: &'static Hull<f32, 6, 5, 9> = Box::leak(Box::new(Hull::of(&points)?));
/// let wedge: &'static Polyhedron<f32> = Box::leak(Box::new(hull.polyhedron()));
/// let mass = Shape::Polyhedron(wedge).mass_properties(7850.0)?; // steel
/// assert!((mass.mass - 0.02355).abs() < 1e-6);
/// // the shape's frame lies at its centre of mass, a third up
/// assert!((hull.frame().position.z - 0.01 / 3.0).abs() < 1e-8);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Hull<R: 'static, const VERTICES: usize, const FACETS: usize, const EDGES: usize> {
    vertices: Vec<Vec3<R>, VERTICES>,
    facets: Vec<Facet<R>, FACETS>,
    edges: Vec<Edge, EDGES>,
    /// as long as twice the edges
    rims: [[u8; 2]; EDGES],
    volume: R,
    moments: Vec3<R>,
    radius: R,
    frame: Pose<R>,
}

impl<R: Real, const VERTICES: usize, const FACETS: usize, const EDGES: usize> Hull<R, VERTICES, FACETS, EDGES> {
    /// The convex hull of these points (m), which may be of the other scalar.
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("points")`; [`Error::OutOfRange`]`("points")` for fewer than four, or so far apart that their distance is no
    /// number; [`Error::Flat`] for points on a line or in a plane or nearly so; [`Error::CapacityExceeded`]`("vertices")`, `("facets")` or
    /// `("edges")` where there is no room; and what [`Polyhedron::check`] says of what comes out.
    pub fn of<S: Real>(points: &[Vec3<S>]) -> Result<Self, Error> {
        Self::within(points, S::ZERO)
    }

    /// The convex hull, but for points that lie less than `tolerance` (m) outside: of a fine mesh, fewer corners.
    ///
    /// # Errors
    /// As [`of`](Self::of); [`Error::NonFinite`] or [`Error::Negative`], naming `tolerance`; [`Error::OutOfRange`]`("tolerance")` unless it is less than the
    /// shortest side of the points' bounding box.
    pub fn within<S: Real>(points: &[Vec3<S>], tolerance: S) -> Result<Self, Error> {
        non_negative(tolerance, "tolerance")?;
        if points.len() < 4 {
            return Err(Error::OutOfRange("points"));
        }
        let grid = Grid::over(points)?;
        // flat points are refused as such below
        if grid.shortest_side() > 0.0 && tolerance.to_f64() >= grid.shortest_side() {
            return Err(Error::OutOfRange("tolerance"));
        }
        let mut skin = Skin::new();
        skin.grow(points, &grid, max(grid.cells(tolerance.to_f64()), CLOSE))?;
        let mut close = CLOSE;
        loop {
            match Self::from_skin(&skin, points, &grid, close) {
                // noise about as large as what is close: a facet was joined to one with a dent. Join less, at last nothing but what is
                // exactly in one plane
                Err(Error::NotConvex) if close >= 1.0 => close *= 1.0 / 32.0,
                found => return found,
            }
        }
    }

    /// Join triangles that lie in one plane to `close` cells.
    fn from_skin<S: Real>(skin: &Skin, points: &[Vec3<S>], grid: &Grid, close: f64) -> Result<Self, Error> {
        let facets = Facets::of(skin, close);
        let rims = facets.rims()?;
        let mut corners: Vec<Vec3<f64>, LIMIT> = Vec::new();
        for number in 0..facets.corner_count() {
            let own = (0..u8::MAX)
                .zip(skin.points())
                .find(|(corner, _)| facets.is_corner(*corner) && usize::from(facets.number(*corner)) == number);
            let at = own.and_then(|(_, point)| points.get(point)).map(|point| grid.relative(*point));
            corners.push(at.ok_or(Error::NotClosed)?).map_err(|_| Error::CapacityExceeded("vertices"))?;
        }
        Self::from_corners(&mut corners, &rims, grid.low())
    }

    /// Move corners to the frame of their solid, round, and make the tables.
    fn from_corners(corners: &mut [Vec3<f64>], rims: &Rims, low: Vec3<f64>) -> Result<Self, Error> {
        // about a point inside first, so that the frame's own moments are not lost
        let middle = centre_of(corners, rims);
        corners.iter_mut().for_each(|corner| *corner = *corner - middle);
        let solid = integrals(corners, rims);
        let shift = solid.first * (1.0 / solid.volume);
        if !(solid.volume > 0.0 && shift.is_finite()) {
            return Err(Error::Flat);
        }
        corners.iter_mut().for_each(|corner| *corner = *corner - shift);
        let (axes, _) = principal_axes(integrals(corners, rims).second, NOISE);
        let back = axes.matrix().transposed();
        corners.iter_mut().for_each(|corner| *corner = back * *corner);

        let [w, x, y, z] = axes.components().map(R::from_f64);
        let orientation = Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY);
        let mut hull = Self {
            vertices: Vec::new(),
            facets: Vec::new(),
            edges: Vec::new(),
            rims: [[0; 2]; EDGES],
            volume: R::ZERO,
            moments: Vec3::default(),
            radius: R::ZERO,
            frame: Pose { position: rounded(low + middle + shift), orientation },
        };
        for corner in &*corners {
            hull.vertices.push(rounded(*corner)).map_err(|_| Error::CapacityExceeded("vertices"))?;
        }
        hull.make_facets(corners, rims)?;
        // from here on the solid is the rounded one
        corners.iter_mut().zip(&hull.vertices).for_each(|(corner, vertex)| *corner = exact(*vertex));
        for edge in rims.edges() {
            hull.edges.push(edge).map_err(|_| Error::CapacityExceeded("edges"))?;
        }
        let solid = integrals(corners, rims);
        hull.volume = R::from_f64(solid.volume);
        hull.moments = rounded(solid.moments());
        hull.radius = R::from_f64(corners.iter().fold(0.0, |most, v| max(most, length(*v))));
        hull.tables().check()?;
        Ok(hull)
    }

    /// Planes along facets, far enough out that no rounded corner lies above. Their normals are those before rounding, which would tilt a
    /// narrow facet.
    fn make_facets(&mut self, corners: &[Vec3<f64>], rims: &Rims) -> Result<(), Error> {
        let places = self.rims.as_flattened_mut();
        if rims.corners.len() > places.len() {
            return Err(Error::CapacityExceeded("edges"));
        }
        places.iter_mut().zip(&rims.corners).for_each(|(place, corner)| *place = *corner);
        for (first, rim) in rims.each() {
            let area = area(corners, rim);
            let normal = rounded::<R>(area.unit().ok_or(Error::Flat)?.0);
            let offset = self.vertices.iter().fold(0.0, |most, vertex| max(most, exact(normal).dot(exact(*vertex))));
            let facet = Facet { normal, offset: R::from_f64(offset), first, corners: rim.len() as u8 };
            self.facets.push(facet).map_err(|_| Error::CapacityExceeded("facets"))?;
        }
        Ok(())
    }

    /// Where the polyhedron's frame lies in that of the points.
    pub const fn frame(&self) -> &Pose<R> {
        &self.frame
    }

    /// The polyhedron of these tables, which have to stay where they are.
    pub fn polyhedron(&'static self) -> Polyhedron<R> {
        let Tables { vertices, facets, rims, edges, volume, moments, radius } = self.tables();
        Polyhedron { vertices, facets, rims, edges, volume, moments, radius }
    }

    /// Corners, in the hull's own frame and in the order in which they were among the points. m
    pub fn vertices(&self) -> &[Vec3<R>] {
        &self.vertices
    }

    /// Facets, see [`Polyhedron::facets`].
    pub fn facets(&self) -> &[Facet<R>] {
        &self.facets
    }

    /// Corners round every facet, see [`Polyhedron::rims`].
    pub fn rims(&self) -> &[u8] {
        self.rims.as_flattened().get(..self.edges.len().saturating_mul(2)).unwrap_or_default()
    }

    /// Edges, see [`Polyhedron::edges`].
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// m³
    pub const fn volume(&self) -> R {
        self.volume
    }

    /// Moments of inertia at density 1 about x, y, z. m⁵
    pub const fn moments(&self) -> Vec3<R> {
        self.moments
    }

    /// Largest distance of a corner from the origin. m
    pub const fn radius(&self) -> R {
        self.radius
    }

    fn tables(&self) -> Tables<'_, R> {
        Tables {
            vertices: self.vertices(),
            facets: self.facets(),
            rims: self.rims(),
            edges: self.edges(),
            volume: self.volume,
            moments: self.moments,
            radius: self.radius,
        }
    }
}

fn at(corners: &[Vec3<f64>], corner: u8) -> Vec3<f64> {
    corners.get(usize::from(corner)).copied().unwrap_or_default()
}

/// Their mean.
fn centre_of(corners: &[Vec3<f64>], rims: &Rims) -> Vec3<f64> {
    let all = rims.corners.iter().map(|corner| at(corners, *corner));
    let (sum, count) = all.fold((Vec3::default(), 0.0), |(sum, count), corner| (sum + corner, count + 1.0));
    sum * (1.0 / count)
}

/// Over the solid within these rims.
fn integrals(corners: &[Vec3<f64>], rims: &Rims) -> Integrals<f64> {
    let triangles = rims.each().flat_map(|(_, rim)| fan(rim));
    let each = triangles.map(|triangle| Integrals::of_tetrahedron(triangle.map(|corner| at(corners, corner))));
    each.fold(Integrals::default(), |sum, one| sum.plus(&one))
}

/// Twice a facet's area, along its normal: `Σ (a − o) × (b − o)` round it, from one of its corners.
fn area(corners: &[Vec3<f64>], rim: &[u8]) -> Vec3<f64> {
    let origin = rim.first().map_or_else(Vec3::default, |corner| at(corners, *corner));
    sides(rim).fold(Vec3::default(), |sum, [a, b]| sum + (at(corners, a) - origin).cross(at(corners, b) - origin))
}

fn rounded<R: Real>(v: Vec3<f64>) -> Vec3<R> {
    Vec3::new(R::from_f64(v.x), R::from_f64(v.y), R::from_f64(v.z))
}

fn exact<R: Real>(v: Vec3<R>) -> Vec3<f64> {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}
