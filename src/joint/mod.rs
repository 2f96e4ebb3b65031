//! Joints, their limits, motors and springs: each turns into rows.
//!
//! A joint is plain data: a [`Kind`], one frame fixed in body a and one fixed in body b (or in the ground), and what drives its
//! free coordinates. It knows poses and velocities, not bodies or worlds.
//!
//! ```text
//! p, x y z   origin and axes of a joint frame in the world; ₐ ᵦ say whose                     m
//! d          pₐ − pᵦ                                                                          m
//! q          orientation of frame a seen from frame b, q = Qᵦ⁻¹ Qₐ = (w, x, y, z), w ≥ 0
//! slide      s = d·zᵦ, how far a has moved along z of b                                       m
//! turn       θ = 2 atan2(q_z, q_w), how far a has turned about z of b; counted over full turns rad
//! rigid row  E v = −(K/h) C − ∂C/∂t                        any impulse (fully implicit; see [`StepContext`])
//! limit row  E v ≥ −(K/h) D;  where D > 0 (a gap) K = 1    γ ≥ 0
//! ```
//!
//! | kind | rows | what is zero | free |
//! | --- | --- | --- | --- |
//! | ball | 3 | d | 3 turns |
//! | revolute | 5 | d; swing of zₐ from zᵦ | turn |
//! | prismatic | 5 | d·xᵦ, d·yᵦ; the whole rotation | slide |
//! | cylindrical | 4 | d·xᵦ, d·yᵦ; swing | turn, slide |
//! | universal | 4 | d; xₐ·yᵦ | turns about xₐ and yᵦ |
//! | fixed | 6 | d; the whole rotation | |
//! | distance | 1 | abs(d) − length | 5 |
//! | rope | ≤ 1 | abs(d) ≤ length | 6 or 5 |
//! | screw | 5 | cylindrical; slide − pitch · turn/2π | 1 |
//! | gear | 1 | turnₐ − ratio · turnᵦ, each about its own bearing in the ground | 11 of both |
//! | rack | 1 | slideₐ − radius · turnᵦ, along its guide and about its bearing in the ground | 11 of both |
//!
//! Signs: coordinates say how a moves relative to b. A positive row impulse pushes a along the positive coordinate and b the
//! other way. Every row acts on both bodies along one line or as one couple, so that a violated joint still
//! conserves angular momentum.
//!
//! # Angular errors
//! A rotation by θ about the unit vector u is measured by `C = 4 tan(θ/4) u` (modified Rodrigues parameters), taken on the near
//! branch of the double cover, so that θ ≤ π. Its Jacobian is `sec²(θ/4)` times a rotation by θ/2 about u: perfectly
//! conditioned up to half a turn. With both taken off, which leaves u alone, rows are the axes of frame b and the error is
//! `C cos²(θ/4) = 2 sin(θ/2) u`, twice the vector part of q: no trigonometry. Swing and Cardan angle are measured in the same way.
//! Only zₐ = −zᵦ has no way back that is better than another; one is chosen.

mod angle;
mod build;
mod coordinate;
mod persist;
mod rows;
#[cfg(test)]
mod tests;

pub use coordinate::{Coordinate, Limit, Motor, Spring, Target};
pub use rows::Reaction;

use crate::check::{non_negative, positive, share};
use crate::error::Error;
use crate::math::{Pose, Real};
use angle::Counter;
use coordinate::Freedom;

/// What a joint forbids; see the [module](self) for its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Kind<R> {
    /// The origins coincide.
    Ball,
    /// A hinge about z.
    Revolute,
    /// A slider along z of b.
    Prismatic,
    /// Turns about z and slides along it.
    Cylindrical,
    /// A Cardan joint: x of frame a stays perpendicular to y of frame b.
    Universal,
    /// A weld.
    Fixed,
    /// A massless rod between the origins.
    Distance {
        /// Positive. m
        length: R,
        /// ∂length/∂t, a rheonomic target. m/s
        rate: R,
    },
    /// A massless rope between the origins: never longer than this.
    Rope {
        /// Positive. m
        length: R,
        /// ∂length/∂t, a winch. m/s
        rate: R,
    },
    /// A nut on a spindle along z: slides as it turns.
    Screw {
        /// Slide per full turn, right-handed when positive. m
        pitch: R,
    },
    /// Two wheels in mesh. Their bearings are fixed in the ground.
    Gear {
        /// Turns of a per turn of b; negative for wheels that mesh outside, with parallel axes.
        ratio: R,
        /// World pose at which frame a has turned by zero; its z is the axle.
        bearing_a: Pose<R>,
        /// World pose at which frame b has turned by zero; its z is the axle.
        bearing_b: Pose<R>,
    },
    /// A rack a on a pinion b. Guide and bearing are fixed in the ground.
    Rack {
        /// Slide of a per radian of b. m
        radius: R,
        /// World pose at which frame a has slid by zero; it slides along z.
        guide_a: Pose<R>,
        /// World pose at which frame b has turned by zero; its z is the axle.
        bearing_b: Pose<R>,
    },
}

/// What a step tells a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StepContext<R> {
    /// Length of the step, positive. s
    pub h: R,
    /// K: the part of an error that a rigid row takes back in one step, `0 < K ≤ 1`.
    pub stabilisation: R,
    /// α: how implicit springs and dampers are in forces, `0 < α ≤ 1` (Tournier 2013, eq. 8). 1 is fully implicit.
    pub alpha: R,
    /// β: how implicit positions are, `0 < β ≤ 1` (Tournier 2013, eq. 11): `q' = q + h ((1 − β) v + β v')`, with rows measured at
    /// `q + (1 − β) h v`. 1 is fully implicit; ½ is Moreau's midpoint rule, of second order while motion is smooth.
    pub beta: R,
    /// Rayleigh damping of every spring: damper per stiffness, ≥ 0. s
    pub stiffness_damping: R,
}

impl<R: Real> Joint<R> {
    /// Does it move what it joins, however slowly: a motor with a speed, a rod or rope that changes its length?
    pub(crate) fn is_driven(&self) -> bool {
        let changes = match self.kind {
            Kind::Distance { rate, .. } | Kind::Rope { rate, .. } => rate != R::ZERO,
            _ => false,
        };
        changes || self.turn.is_driven() || self.slide.is_driven()
    }
}

impl<R: Real> StepContext<R> {
    /// A fully implicit step of `h` seconds that takes back the part `stabilisation` of every error.
    pub const fn implicit(h: R, stabilisation: R) -> Self {
        Self { h, stabilisation, alpha: R::ONE, beta: R::ONE, stiffness_damping: R::ZERO }
    }

    /// Are these usable?
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`]`("h")`; [`Error::OutOfRange`] naming `stabilisation`, `alpha` or `beta`;
    /// [`Error::NonFinite`] or [`Error::Negative`]`("stiffness_damping")`.
    pub fn check(&self) -> Result<(), Error> {
        positive(self.h, "h")?;
        share(self.stabilisation, "stabilisation")?;
        share(self.alpha, "alpha")?;
        share(self.beta, "beta")?;
        non_negative(self.stiffness_damping, "stiffness_damping")
    }

    /// How long bodies move at their old velocity before rows are measured. s
    pub(crate) fn drift(&self) -> R {
        (R::ONE - self.beta) * self.h
    }

    /// `e` of a rigid row whose error was `error` before the step and whose rate was `rate`, both measured against what it is after.
    fn rigid(&self, error: R, rate: R) -> R {
        // g' = g + h ((1 − β) ġ + β ġ') = (1 − K) g  →  ġ' = −(K/hβ) g − ((1 − β)/β) ġ   (Tournier 2013, eq. 38 without compliance)
        -(self.stabilisation * error + self.drift() * rate) / (self.h * self.beta)
    }
}

/// A joint between body a and body b, or the ground.
///
/// ```
/// use tumble::joint::{Coordinate, Joint, Motor};
/// use tumble::math::{Pose, Vec3};
///
/// // a flap hinged to the ground about y, 10 cm from its centre of mass, driven at 2 rad/s by up to 0.5 N·m
/// let flap = Pose::at(Vec3::new(0.1_f32, 0.0, 0.3));
/// let hinge = Joint::frame(Vec3::new(0.0, 0.0, 0.3), Vec3::new(0.0, 1.0, 0.0))?;
/// let joint = Joint::revolute(Joint::within(&flap, &hinge), hinge)?
///     .with_limit(Coordinate::Turn, -0.2, 1.5)?
///     .with_motor(Coordinate::Turn, Motor::velocity(2.0, 0.5)?)?;
/// assert_eq!(joint.turn(&flap, &Pose::IDENTITY), 0.0);
/// assert_eq!(joint.max_rows(), 8);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Joint<R> {
    kind: Kind<R>,
    /// in body a, about its centre of mass
    frame_a: Pose<R>,
    /// in body b, about its centre of mass, or in the world
    frame_b: Pose<R>,
    turn: Freedom<R>,
    slide: Freedom<R>,
    /// largest angle between zₐ and zᵦ
    cone: Option<R>,
    /// full turns of θ; of a gear: of a
    turns_a: Counter<R>,
    /// full turns of a gear's or rack's b
    turns_b: Counter<R>,
}
