//! Three numbers in space.

use super::Real;
use super::unit::unit;
use core::ops::{Add, Mul, Neg, Sub};

/// A vector in space; its unit is that of what it measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Vec3<R> {
    /// First component.
    pub x: R,
    /// Second component.
    pub y: R,
    /// Third component.
    pub z: R,
}

impl<R> Vec3<R> {
    /// The vector `(x, y, z)`.
    #[inline(always)]
    pub const fn new(x: R, y: R, z: R) -> Self {
        Self { x, y, z }
    }
}

impl<R: Real> Vec3<R> {
    /// `self · other`
    #[inline(always)]
    pub fn dot(self, other: Self) -> R {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// `self × other`
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// Are all three components finite?
    pub fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite() && self.z.is_finite()
    }

    /// Direction as a unit vector, and length; `None` where all components are zero or one is not finite.
    ///
    /// The length is infinite where it exceeds the largest number; the direction is good even then.
    #[inline(always)]
    pub(crate) fn unit(self) -> Option<(Self, R)> {
        let (direction, length) = unit([self.x, self.y, self.z], self.dot(self))?;
        Some((Self::from(direction), length))
    }

    /// Two unit vectors that complete the unit vector `self` to a right-handed frame `(self, t1, t2)`.
    ///
    /// Without a branch on direction except the sign of z: close normals get close tangents, but on walls, where z changes its sign, both turn round
    /// (Duff et al. 2017, *Building an Orthonormal Basis, Revisited*).
    ///
    /// ```
    /// use tumble::math::Vec3;
    /// let (t1, t2) = Vec3::new(0.0_f32, 0.0, 1.0).tangents();
    /// assert_eq!((t1, t2), (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0)));
    /// ```
    pub fn tangents(self) -> (Self, Self) {
        let sign = if self.z < R::ZERO { -R::ONE } else { R::ONE };
        let a = -R::ONE / (sign + self.z);
        let b = self.x * self.y * a;
        (
            Self::new(R::ONE + sign * self.x * self.x * a, sign * b, -sign * self.x),
            Self::new(b, sign + self.y * self.y * a, -self.y),
        )
    }
}

impl<R: Real> Add for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl<R: Real> Sub for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl<R: Real> Mul<R> for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: R) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

impl<R: Real> Neg for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y, -self.z)
    }
}

impl<R> From<[R; 3]> for Vec3<R> {
    #[inline(always)]
    fn from([x, y, z]: [R; 3]) -> Self {
        Self { x, y, z }
    }
}

impl<R> From<Vec3<R>> for [R; 3] {
    #[inline(always)]
    fn from(v: Vec3<R>) -> Self {
        [v.x, v.y, v.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_complete_a_right_handed_orthonormal_frame() {
        for n in [
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
            [0.0, -1.0, 0.0],
            [0.6, 0.0, -0.8],
            [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0],
        ] {
            let n = Vec3::<f64>::from(n);
            let (t1, t2) = n.tangents();
            // a few roundings of numbers of size one
            let tolerance = 8.0 * f64::EPSILON;
            let twist = t1.cross(t2) - n;
            assert!(twist.dot(twist) < tolerance * tolerance, "{n:?}");
            assert!((t1.dot(t1) - 1.0).abs() < tolerance);
            assert!((t2.dot(t2) - 1.0).abs() < tolerance);
            assert!(t1.dot(t2).abs() < tolerance);
        }
    }
}
