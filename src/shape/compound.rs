//! Bodies of several shapes: their mass together, and the frame in which a body wants it.
//!
//! ```text
//! m = Σ m_i        x_c = Σ m_i x_i / m
//! C = Σ A_i diag(c_i) A_iᵀ + m_i d_i d_iᵀ      c_x = (I_y + I_z − I_x)/2, …;  d_i = x_i − x_c      = ∫ d dᵀ dm
//! C = A diag(c) Aᵀ                             I_x = c_y + c_z, …                                  kg·m²
//! ```
//! A body's frame lies at its centre of mass along its principal axes: at `x_c`, turned by `A`. Shapes that overlap count twice where they do.

use super::integrals::sum;
use super::principal::principal_axes;
use super::{MassProperties, Shape};
use crate::error::Error;
use crate::math::{Pose, Real, Sym3, Vec3};

/// One shape of several.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Part<R: 'static> {
    /// What it is.
    pub shape: Shape<R>,
    /// Where it is in the drawing, whatever frame that has.
    pub pose: Pose<R>,
    /// kg/m³
    pub density: R,
}

/// Several shapes as one body.
///
/// ```
/// use tumble::body::{Body, Motion};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::{Compound, Part, Shape};
/// use tumble::world::{Collider, World};
///
/// // an L-shaped bracket of aluminium: a foot of 60 × 20 × 4 mm, a wall of 4 × 20 × 40 mm on its end
/// let block = |half: [f32; 3], at: [f32; 3]| Part {
///     shape: Shape::Box { half: half.into() },
///     pose: Pose::at(at.into()),
///     density: 2700.0,
/// };
/// let parts = [block([0.03, 0.01, 0.002], [0.03, 0.0, 0.002]), block([0.002, 0.01, 0.02], [0.002, 0.0, 0.024])];
/// let bracket = Compound::of(&parts)?;
/// assert!((bracket.mass.mass - 0.02160).abs() < 1e-6);
///
/// // placed where it was drawn; its shapes keep their places in the drawing
/// let mut world = World::<f32, 1, 4, 12, 2, 0>::new(); // one body, two shapes
/// let id = world.add_body(Body::new(Motion::Dynamic(bracket.mass), bracket.frame)?)?;
/// for part in &parts {
///     world.add_collider(id, Collider { pose: bracket.place(&part.pose), ..Collider::new(part.shape) })?;
/// }
/// let wall = world.body(id)?.pose().then(&bracket.place(&parts[1].pose));
/// assert!((wall.position.z - 0.024).abs() < 1e-8);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Compound<R> {
    /// Of all parts together.
    pub mass: MassProperties<R>,
    /// The body's frame in that of the drawing: at the centre of mass, along the principal axes.
    pub frame: Pose<R>,
}

impl<R: Real> Compound<R> {
    /// Take these parts as one body.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("parts")` if there are none; [`Error::NonFinite`]`("pose")`; what [`Shape::mass_properties`] says of a part;
    /// [`Error::OutOfRange`]`("mass")` where mass or moments are too large or too small for a number.
    pub fn of(parts: &[Part<R>]) -> Result<Self, Error> {
        let first = parts.first().ok_or(Error::OutOfRange("parts"))?.pose.position;
        let (mut mass, mut moment) = (R::ZERO, Vec3::default());
        for part in parts {
            if !part.pose.is_finite() {
                return Err(Error::NonFinite("pose"));
            }
            let own = part.shape.mass_properties(part.density)?.mass;
            mass += own;
            // from the first part, not from a far origin: sums keep their digits
            moment = moment + (part.pose.position - first) * own;
        }
        let centre = first + moment * (R::ONE / mass);
        let mut second = Sym3::default();
        for part in parts {
            let own = part.shape.mass_properties(part.density)?;
            second = sum(second, about(centre, &part.pose, &own));
        }
        let (orientation, c) = principal_axes(second, R::from_f64(16.0) * R::EPSILON);
        let inertia = Vec3::new(c.y + c.z, c.x + c.z, c.x + c.y);
        let properties = MassProperties { mass, inertia };
        properties.check().map_err(|_| Error::OutOfRange("mass"))?;
        Ok(Self { mass: properties, frame: Pose { position: centre, orientation } })
    }

    /// A pose in the drawing, seen from the body: where a collider goes.
    pub fn place(&self, pose: &Pose<R>) -> Pose<R> {
        Pose {
            position: self.frame.point_within(pose.position),
            orientation: self.frame.orientation.inverse() * pose.orientation,
        }
    }
}

/// `∫ d dᵀ dm` of one part.
fn about<R: Real>(centre: Vec3<R>, pose: &Pose<R>, own: &MassProperties<R>) -> Sym3<R> {
    let (half, Vec3 { x, y, z }) = (R::from_f64(0.5), own.inertia);
    let diagonal = Vec3::new(y + z - x, x + z - y, x + y - z) * half;
    let turned = pose.orientation.matrix().turn_diagonal(diagonal);
    let (d, m) = (pose.position - centre, own.mass);
    let moved = Sym3 {
        xx: m * d.x * d.x,
        yy: m * d.y * d.y,
        zz: m * d.z * d.z,
        xy: m * d.x * d.y,
        xz: m * d.x * d.z,
        yz: m * d.y * d.z,
    };
    sum(turned, moved)
}
