//! A 3×3 matrix: the rotation of a body.

use super::{Real, Sym3, Vec3};
use core::ops::Mul;

/// 3×3 matrix by rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Mat3<R> {
    /// First row.
    pub x: Vec3<R>,
    /// Second row.
    pub y: Vec3<R>,
    /// Third row.
    pub z: Vec3<R>,
}

impl<R: Real> Mat3<R> {
    /// The transposed matrix; of a rotation, its inverse.
    pub fn transposed(&self) -> Self {
        let (x, y, z) = (self.x, self.y, self.z);
        Self { x: Vec3::new(x.x, y.x, z.x), y: Vec3::new(x.y, y.y, z.y), z: Vec3::new(x.z, y.z, z.z) }
    }

    /// `A diag(d) Aᵀ`: principal moments seen from the world.
    pub fn turn_diagonal(&self, d: Vec3<R>) -> Sym3<R> {
        let scaled = |row: Vec3<R>| Vec3::new(row.x * d.x, row.y * d.y, row.z * d.z);
        let (x, y) = (scaled(self.x), scaled(self.y));
        Sym3 {
            xx: x.dot(self.x),
            yy: y.dot(self.y),
            zz: scaled(self.z).dot(self.z),
            xy: x.dot(self.y),
            xz: x.dot(self.z),
            yz: y.dot(self.z),
        }
    }
}

impl<R: Real> Mul<Vec3<R>> for Mat3<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
}
