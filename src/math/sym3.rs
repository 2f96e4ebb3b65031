//! A symmetric 3×3 matrix: an inertia, its inverse, or a contact's own block of `N`.

use super::{Real, Vec3};
use core::ops::Mul;

/// Symmetric 3×3 matrix, six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sym3<R> {
    /// Diagonal element.
    pub xx: R,
    /// Diagonal element.
    pub yy: R,
    /// Diagonal element.
    pub zz: R,
    /// Off-diagonal element, both places.
    pub xy: R,
    /// Off-diagonal element, both places.
    pub xz: R,
    /// Off-diagonal element, both places.
    pub yz: R,
}

impl<R: Real> Sym3<R> {
    /// The diagonal matrix with these elements.
    pub const fn diagonal(xx: R, yy: R, zz: R) -> Self {
        Self { xx, yy, zz, xy: R::ZERO, xz: R::ZERO, yz: R::ZERO }
    }

    /// Sum of the diagonal.
    pub fn trace(&self) -> R {
        self.xx + self.yy + self.zz
    }

    /// A bound on the largest eigenvalue of a positive semi-definite matrix: never below it (but for rounding), at most 15 %
    /// above it.
    ///
    /// `λ_max ≤ ‖A⁴‖_F^¼ ≤ 3^⅛ λ_max`, with A scaled by its trace so that no power overflows. No iteration, no
    /// trigonometry: three square roots.
    pub fn largest_eigenvalue_bound(&self) -> R {
        let trace = self.trace();
        let scale = R::ONE / trace;
        let unit = Self {
            xx: self.xx * scale,
            yy: self.yy * scale,
            zz: self.zz * scale,
            xy: self.xy * scale,
            xz: self.xz * scale,
            yz: self.yz * scale,
        };
        let fourth = unit.squared().squared();
        let off_diagonal = fourth.xy * fourth.xy + fourth.xz * fourth.xz + fourth.yz * fourth.yz;
        let frobenius_squared =
            fourth.xx * fourth.xx + fourth.yy * fourth.yy + fourth.zz * fourth.zz + (off_diagonal + off_diagonal);
        trace * frobenius_squared.sqrt().sqrt().sqrt()
    }

    fn squared(&self) -> Self {
        let Self { xx, yy, zz, xy, xz, yz } = *self;
        Self {
            xx: xx * xx + xy * xy + xz * xz,
            yy: xy * xy + yy * yy + yz * yz,
            zz: xz * xz + yz * yz + zz * zz,
            xy: xx * xy + xy * yy + xz * yz,
            xz: xx * xz + xy * yz + xz * zz,
            yz: xy * xz + yy * yz + yz * zz,
        }
    }
}

impl<R: Real> Mul<Vec3<R>> for Sym3<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvalue_bound_of_known_matrices() {
        // equal eigenvalues are the worst case of the bound: exactly 3^(1/8)
        let worst = Sym3::diagonal(2.0_f64, 2.0, 2.0).largest_eigenvalue_bound();
        assert!((worst / 2.0 - 1.147_202_690_439_877).abs() < 1e-14, "{worst}");
        // one dominant direction (1, 1, 1)/√3 with eigenvalue 3, the trap of the averaged step
        let one = Sym3 { xx: 1.0, yy: 1.0, zz: 1.0, xy: 1.0, xz: 1.0, yz: 1.0 };
        assert!((one.largest_eigenvalue_bound() - 3.0_f64).abs() < 1e-14);
        // eigenvalues 3 and 1 (and 0.5), no overflow of powers in single precision
        let scaled = Sym3 { xx: 2e30_f32, yy: 2e30, zz: 0.5e30, xy: 1e30, xz: 0.0, yz: 0.0 };
        let bound = scaled.largest_eigenvalue_bound();
        assert!((3e30..3.003e30).contains(&bound), "{bound}");
    }
}
