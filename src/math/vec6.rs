//! Six numbers of one body: a velocity, one half of a Jacobian row, or the answer of a body to an impulse.

use super::{Real, Vec3};
use core::ops::{Add, Mul, Neg, Sub};

/// Linear and angular part together.
///
/// As a velocity: m/s and rad/s. As half a row `E_i`: the row's velocity per body velocity. As `s_i = M⁻¹E_iᵀ`: the
/// body's change of velocity per N·s of row impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vec6<R> {
    /// Linear part.
    pub linear: Vec3<R>,
    /// Angular part.
    pub angular: Vec3<R>,
}

impl<R: Real> Vec6<R> {
    /// All six zero.
    pub const ZERO: Self =
        Self { linear: Vec3::new(R::ZERO, R::ZERO, R::ZERO), angular: Vec3::new(R::ZERO, R::ZERO, R::ZERO) };

    /// The vector with these two parts.
    #[inline(always)]
    pub const fn new(linear: Vec3<R>, angular: Vec3<R>) -> Self {
        Self { linear, angular }
    }

    /// The half row that measures the velocity of a point along `direction`, the point being at `arm` (m) from the
    /// body's centre of mass: `(n, r × n)`.
    ///
    /// ```
    /// use tumble::math::{Vec3, Vec6};
    /// let up = Vec3::new(0.0_f32, 0.0, 1.0);
    /// let corner = Vec3::new(0.1, 0.0, 0.0);
    /// assert_eq!(Vec6::along(up, corner), Vec6::from([0.0, 0.0, 1.0, 0.0, -0.1, 0.0]));
    /// ```
    #[inline(always)]
    pub fn along(direction: Vec3<R>, arm: Vec3<R>) -> Self {
        Self::new(direction, arm.cross(direction))
    }

    /// `self · other` over all six.
    // two chains of three: dependent multiply and add stall on Cortex-M4
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    /// Are all six components finite?
    pub fn is_finite(self) -> bool {
        self.linear.is_finite() && self.angular.is_finite()
    }
}

impl<R: Real> Add for Vec6<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.linear + other.linear, self.angular + other.angular)
    }
}

impl<R: Real> Sub for Vec6<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.linear - other.linear, self.angular - other.angular)
    }
}

impl<R: Real> Mul<R> for Vec6<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        Self::new(self.linear * factor, self.angular * factor)
    }
}

impl<R: Real> Neg for Vec6<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.linear, -self.angular)
    }
}

impl<R> From<[R; 6]> for Vec6<R> {
    #[inline(always)]
    fn from([x, y, z, rx, ry, rz]: [R; 6]) -> Self {
        Self { linear: Vec3::new(x, y, z), angular: Vec3::new(rx, ry, rz) }
    }
}

impl<R> From<Vec6<R>> for [R; 6] {
    #[inline(always)]
    fn from(v: Vec6<R>) -> Self {
        let ([x, y, z], [rx, ry, rz]) = (v.linear.into(), v.angular.into());
        [x, y, z, rx, ry, rz]
    }
}
