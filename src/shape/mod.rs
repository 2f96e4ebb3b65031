//! What parts are made of: shapes, their mass, and how large they are.
//!
//! ```text
//! sphere     |x| ≤ r                        V = 4/3 π r³            I = 2/5 m r²
//! capsule    segment ±a along z, radius r   V = π r² (2a + 4/3 r)   sums of both parts
//! cylinder   |z| ≤ a, x² + y² ≤ r²          V = 2π r² a             I_z = m r²/2, I_x = m (3r² + 4a²)/12
//! box        |x| ≤ h                        V = 8 h_x h_y h_z       I_x = m (h_y² + h_z²)/3
//! polyhedron n_i·x ≤ b_i                    V, I from its tables
//! half-space z ≤ 0                          no mass: ground, walls
//! ```
//! Lengths in m, densities in kg/m³. Each shape is centred at its own centre of mass with its principal axes along x, y, z: [`Hull`] puts
//! polyhedra there, [`Compound`] bodies of several shapes.

mod compound;
mod hull;
mod integrals;
mod polyhedron;
mod principal;
mod ray;
mod solids;
mod tables;

pub use compound::{Compound, Part};
pub use hull::Hull;
pub use polyhedron::{Edge, Facet, Polyhedron};

use crate::check::positive;
use crate::error::Error;
use crate::math::{Real, Vec3, max};

/// A shape in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Shape<R: 'static> {
    /// A ball.
    Sphere {
        /// m
        radius: R,
    },
    /// A cylinder along z with round ends.
    Capsule {
        /// m
        radius: R,
        /// Half the distance between the centres of its ends. m
        half_length: R,
    },
    /// A cylinder along z with flat ends.
    Cylinder {
        /// m
        radius: R,
        /// Half its height. m
        half_length: R,
    },
    /// A block.
    Box {
        /// Half its edges. m
        half: Vec3<R>,
    },
    /// A convex polyhedron, by its tables.
    Polyhedron(&'static Polyhedron<R>),
    /// Everything below z = 0.
    HalfSpace,
}

/// Mass and principal moments about the centre of mass.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct MassProperties<R> {
    /// kg
    pub mass: R,
    /// Along the body's x, y, z; above 1e37 the body does not turn about that axis. kg·m²
    pub inertia: Vec3<R>,
}

impl<R: Real> Shape<R> {
    /// Refuse sizes that are not positive finite numbers, and tables that are not those of a convex polyhedron.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`] with the name of the size; those of [`Polyhedron::check`].
    pub fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Sphere { radius } => positive(radius, "radius"),
            Self::Capsule { radius, half_length } | Self::Cylinder { radius, half_length } => {
                positive(radius, "radius").and(positive(half_length, "half_length"))
            }
            Self::Box { half } => positive(half.x, "half").and(positive(half.y, "half")).and(positive(half.z, "half")),
            Self::Polyhedron(polyhedron) => polyhedron.check(),
            Self::HalfSpace => Ok(()),
        }
    }

    /// Mass and moments of a solid of this density (kg/m³).
    ///
    /// # Errors
    /// As [`check`](Self::check); [`Error::NonPositive`]`("density")`; [`Error::OutOfRange`]`("mass")` for a half-space, and where the
    /// mass or a moment is too large or too small for a number.
    ///
    /// ```
    /// use tumble::shape::Shape;
    /// let ball = Shape::Sphere { radius: 0.005_f32 }.mass_properties(7850.0)?;
    /// assert!((ball.mass - 4.11e-3).abs() < 1e-5);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn mass_properties(&self, density: R) -> Result<MassProperties<R>, Error> {
        self.check()?;
        positive(density, "density")?;
        let r = R::from_f64;
        let pi = r(core::f64::consts::PI);
        let properties = match *self {
            Self::Sphere { radius } => {
                let mass = r(4.0 / 3.0) * pi * radius * radius * radius * density;
                let i = r(0.4) * mass * radius * radius;
                MassProperties { mass, inertia: Vec3::new(i, i, i) }
            }
            Self::Cylinder { radius, half_length } => cylinder(radius, half_length, density),
            Self::Capsule { radius, half_length } => {
                let middle = cylinder(radius, half_length, density);
                // two half balls; the centre of mass of each lies 3/8 r beyond its flat side
                let ends = r(4.0 / 3.0) * pi * radius * radius * radius * density;
                let about_axis = r(0.4) * ends * radius * radius;
                let across = about_axis + ends * half_length * (half_length + r(0.75) * radius);
                MassProperties {
                    mass: middle.mass + ends,
                    inertia: middle.inertia + Vec3::new(across, across, about_axis),
                }
            }
            Self::Box { half } => {
                let mass = r(8.0) * half.x * half.y * half.z * density;
                let (xx, yy, zz) = (half.x * half.x, half.y * half.y, half.z * half.z);
                let third = mass * r(1.0 / 3.0);
                MassProperties { mass, inertia: Vec3::new(yy + zz, xx + zz, xx + yy) * third }
            }
            Self::Polyhedron(polyhedron) => {
                MassProperties { mass: polyhedron.volume * density, inertia: polyhedron.moments * density }
            }
            Self::HalfSpace => return Err(Error::OutOfRange("mass")),
        };
        properties.check().map_err(|_| Error::OutOfRange("mass"))?;
        Ok(properties)
    }

    /// Largest distance of a point from the centre; infinite for a half-space. m
    pub fn bounding_radius(&self) -> R {
        match *self {
            Self::Sphere { radius } => radius,
            Self::Capsule { radius, half_length } => radius + half_length,
            Self::Cylinder { radius, half_length } => (radius * radius + half_length * half_length).sqrt(),
            Self::Box { half } => half.dot(half).sqrt(),
            Self::Polyhedron(polyhedron) => polyhedron.radius,
            Self::HalfSpace => R::INFINITY,
        }
    }
}

impl<R: Real> MassProperties<R> {
    /// Refuse what no body can have.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `mass` or `inertia`; [`Error::OutOfRange`]`("inertia")` where one
    /// moment is larger than the other two together.
    pub fn check(&self) -> Result<(), Error> {
        let Vec3 { x, y, z } = self.inertia;
        positive(self.mass, "mass")?;
        positive(x, "inertia").and(positive(y, "inertia")).and(positive(z, "inertia"))?;
        // flat bodies reach equality: leave room for rounding
        let largest = max(x, max(y, z));
        let room = R::ONE + R::from_f64(16.0) * R::EPSILON;
        if largest + largest > (x + y + z) * room {
            return Err(Error::OutOfRange("inertia"));
        }
        Ok(())
    }
}

fn cylinder<R: Real>(radius: R, half_length: R, density: R) -> MassProperties<R> {
    let r = R::from_f64;
    let mass = r(2.0 * core::f64::consts::PI) * radius * radius * half_length * density;
    let across = mass * (r(3.0) * radius * radius + r(4.0) * half_length * half_length) * r(1.0 / 12.0);
    MassProperties { mass, inertia: Vec3::new(across, across, r(0.5) * mass * radius * radius) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPES: [Shape<f64>; 4] = [
        Shape::Sphere { radius: 0.3 },
        Shape::Capsule { radius: 0.2, half_length: 0.3 },
        Shape::Cylinder { radius: 0.2, half_length: 0.3 },
        Shape::Box { half: Vec3::new(0.1, 0.2, 0.3) },
    ];

    fn inside(shape: &Shape<f64>, p: Vec3<f64>) -> bool {
        let across = p.x * p.x + p.y * p.y;
        match *shape {
            Shape::Sphere { radius } => p.dot(p) <= radius * radius,
            Shape::Capsule { radius, half_length } => {
                let beyond = max(p.z.abs() - half_length, 0.0);
                across + beyond * beyond <= radius * radius
            }
            Shape::Cylinder { radius, half_length } => p.z.abs() <= half_length && across <= radius * radius,
            Shape::Box { half } => p.x.abs() <= half.x && p.y.abs() <= half.y && p.z.abs() <= half.z,
            Shape::Polyhedron(polyhedron) => polyhedron.facets.iter().all(|f| f.normal.dot(p) <= f.offset),
            Shape::HalfSpace => p.z <= 0.0,
        }
    }

    #[test]
    fn mass_and_moments_are_the_integrals() {
        // midpoints of 100³ cells over a cube of 1 m that holds every shape: a circle of 20 cells' radius holds its area, and
        // its moment, to about 1 %
        let (n, cell) = (100, 0.01);
        for shape in SHAPES {
            let (mut mass, mut inertia, mut farthest) = (0.0, Vec3::default(), 0.0);
            let centre = |k: i32| (f64::from(k) + 0.5) * cell - 0.5;
            for p in (0..n * n * n).map(|k| Vec3::new(centre(k % n), centre(k / n % n), centre(k / n / n))) {
                if inside(&shape, p) {
                    let (xx, yy, zz) = (p.x * p.x, p.y * p.y, p.z * p.z);
                    mass += cell * cell * cell;
                    inertia = inertia + Vec3::new(yy + zz, xx + zz, xx + yy) * (cell * cell * cell);
                    farthest = max(p.dot(p), farthest);
                }
            }
            let exact = shape.mass_properties(1.0).unwrap();
            let close = |sum: f64, exact: f64| (sum / exact - 1.0).abs() < 2e-2;
            assert!(close(mass, exact.mass), "{shape:?}: {mass}, {exact:?}");
            for (sum, exact) in <[f64; 3]>::from(inertia).into_iter().zip(<[f64; 3]>::from(exact.inertia)) {
                assert!(close(sum, exact), "{shape:?}: {sum}, not {exact}");
            }
            // no cell's middle lies farther out, and one within a cell's diagonal of it does
            let radius = shape.bounding_radius();
            let farthest = Real::sqrt(farthest);
            assert!(farthest <= radius && farthest > radius - 2.0 * cell, "{shape:?}: {farthest} {radius}");
        }
    }

    #[test]
    fn sizes_and_densities_are_refused_by_name() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Shape::Sphere { radius: bad }.check().is_err());
            assert!(Shape::Capsule { radius: 1.0, half_length: bad }.check().is_err());
            assert!(Shape::Cylinder { radius: bad, half_length: 1.0 }.check().is_err());
            assert!(Shape::Box { half: Vec3::new(1.0, bad, 1.0) }.check().is_err());
            assert!(SHAPES[0].mass_properties(bad).is_err());
        }
        assert_eq!(Shape::<f64>::HalfSpace.mass_properties(1.0), Err(Error::OutOfRange("mass")));
        assert_eq!(Shape::Sphere { radius: 1e-30_f32 }.mass_properties(1.0), Err(Error::OutOfRange("mass")));
    }
}
