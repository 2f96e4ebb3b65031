//! Shapes on bodies, their surfaces, and whom they touch.
//!
//! ```text
//! friction      μ     |γ_t| ≤ μ γ_n                                   1
//! rolling       ρ     |γ_r| ≤ ρ γ_n about both tangents together      m
//! spinning      σ     |γ_s| ≤ σ γ_n about the normal                  m
//! restitution   ε     v_n' = −ε v_n                                   1
//! compliance    C     force = −gap/C − damping · d gap/dt, never pulls  m/N
//! ```

use crate::body::BodyId;
use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::{Pose, Real, Vec3, max};
use crate::rows::coefficient;
use crate::shape::Shape;

/// How a surface rubs, bounces and gives way. What counts is the pair that touches: each field says how two make one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Material<R> {
    /// Coefficient of friction ≥ 0; a pair has the geometric mean. (1) Default 0.5.
    pub friction: R,
    /// Rolling friction ≥ 0: how far the normal force moves ahead of a rolling body, whichever way it rolls; a pair has the larger. m Default 0.
    pub rolling_friction: R,
    /// Friction against spinning about the normal ≥ 0: torque per normal force; a pair has the larger. m Default 0.
    pub spinning_friction: R,
    /// Coefficient of restitution, 0 … 1; a pair has the larger. (1) Default 0. Of no effect where there is compliance: springs bounce by
    /// themselves.
    pub restitution: R,
    /// How far the surface gives way to a force, at each point of contact; a pair has the sum. m/N Default 0: rigid.
    pub compliance: R,
    /// Damper beside that spring; a pair has the larger. Of no effect without compliance. N·s/m Default 0.
    pub damping: R,
}

impl<R: Real> Default for Material<R> {
    fn default() -> Self {
        Self {
            friction: R::from_f64(0.5),
            rolling_friction: R::ZERO,
            spinning_friction: R::ZERO,
            restitution: R::ZERO,
            compliance: R::ZERO,
            damping: R::ZERO,
        }
    }
}

impl<R: Real> Material<R> {
    /// What two surfaces are to each other.
    pub(super) fn pair(&self, other: &Self) -> Self {
        Self {
            // √x² is x to the last bit
            friction: if self.friction == other.friction {
                self.friction
            } else {
                (self.friction * other.friction).sqrt()
            },
            rolling_friction: max(self.rolling_friction, other.rolling_friction),
            spinning_friction: max(self.spinning_friction, other.spinning_friction),
            restitution: max(self.restitution, other.restitution),
            compliance: self.compliance + other.compliance,
            damping: max(self.damping, other.damping),
        }
    }

    fn check(&self) -> Result<(), Error> {
        for (mu, name) in [
            (self.friction, "friction"),
            (self.rolling_friction, "rolling_friction"),
            (self.spinning_friction, "spinning_friction"),
        ] {
            non_negative(mu, name)?;
            coefficient(mu).map_err(|_| Error::OutOfRange(name))?;
        }
        if !(R::ZERO..=R::ONE).contains(&self.restitution) {
            return Err(Error::OutOfRange("restitution"));
        }
        non_negative(self.compliance, "compliance")?;
        // its stiffness must be a number, too
        let of_pair = self.compliance + self.compliance;
        if self.compliance > R::ZERO && !((R::ONE / self.compliance).is_finite() && of_pair.is_finite()) {
            return Err(Error::OutOfRange("compliance"));
        }
        non_negative(self.damping, "damping")
    }
}

/// Two colliders touch when each is in a group that the other touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Filter {
    /// Groups it is in, a bit each. Default the first.
    pub groups: u16,
    /// Groups it touches, a bit each. Default all.
    pub touches: u16,
}

impl Default for Filter {
    fn default() -> Self {
        Self { groups: 1, touches: u16::MAX }
    }
}

impl Filter {
    pub(super) const fn admits(self, other: Self) -> bool {
        self.groups & other.touches != 0 && other.groups & self.touches != 0
    }
}

/// A shape on a body, with its surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Collider<R: 'static> {
    /// Its shape.
    pub shape: Shape<R>,
    /// Where it is in the body's frame.
    pub pose: Pose<R>,
    /// Its surface.
    pub material: Material<R>,
    /// Velocity of the surface along itself, in the collider's frame: a conveyor belt. m/s
    pub surface_velocity: Vec3<R>,
    /// Whom it touches.
    pub filter: Filter,
}

impl<R: Real> Collider<R> {
    /// A shape in the body's frame with a default surface that stands still.
    pub fn new(shape: Shape<R>) -> Self {
        Self {
            shape,
            pose: Pose::IDENTITY,
            material: Material::default(),
            surface_velocity: Vec3::default(),
            filter: Filter::default(),
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        self.shape.check()?;
        self.pose.check("pose")?;
        for speed in <[R; 3]>::from(self.surface_velocity) {
            finite(speed, "surface_velocity")?;
        }
        self.material.check()
    }
}

/// A collider and whose it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned<R: 'static> {
    pub(super) collider: Collider<R>,
    pub(super) body: BodyId,
}
