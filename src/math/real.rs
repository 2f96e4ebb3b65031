//! The scalar: `f32` on a microcontroller, `f64` on the host.

use crate::record::Persist;
use core::fmt::{Debug, Display};
use core::hint::black_box;
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A scalar: [`f32`] or [`f64`], and no other type.
///
/// `f32` is for targets: on a Cortex-M4F a double is software and some forty times slower. Both give the same bits on every
/// machine, each its own.
pub trait Real:
    sealed::Sealed
    + Copy
    + Default
    + PartialOrd
    + Debug
    + Display
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Persist
    + 'static
{
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;
    /// +∞, the bound that is none.
    const INFINITY: Self;
    /// Distance from 1 to the next larger number.
    const EPSILON: Self;
    /// Smallest positive number that is not subnormal.
    const MIN_POSITIVE: Self;
    /// How many bytes it takes.
    const BYTES: usize;

    /// The number nearest to `x`. For constants and host code: on an FPU without doubles this is a library call unless
    /// the compiler folds it.
    fn from_f64(x: f64) -> Self;
    /// A small integer, exactly.
    fn from_u16(x: u16) -> Self;
    /// The same number as a double, exactly.
    fn to_f64(self) -> f64;
    /// |x|
    fn abs(self) -> Self;
    /// √x, correctly rounded, the same bits everywhere.
    fn sqrt(self) -> Self;
    /// False for ±∞ and NaN.
    fn is_finite(self) -> bool;
    /// The largest integer not above x; the nearest there is where it has no place, 0 for NaN.
    fn floor_to_i32(self) -> i32;
    /// From exactly [`BYTES`](Self::BYTES) bytes, little-endian: whatever number, infinity or NaN they are.
    fn from_le_bytes(bytes: &[u8]) -> Option<Self>;
}

macro_rules! real {
    ($real:ident, $sqrt:path) => {
        impl Real for $real {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const INFINITY: Self = $real::INFINITY;
            const EPSILON: Self = $real::EPSILON;
            const MIN_POSITIVE: Self = $real::MIN_POSITIVE;
            const BYTES: usize = size_of::<$real>();

            #[inline(always)]
            fn from_f64(x: f64) -> Self {
                x as $real
            }
            #[inline(always)]
            fn from_u16(x: u16) -> Self {
                $real::from(x)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self as f64
            }
            #[inline(always)]
            fn abs(self) -> Self {
                $real::abs(self)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $sqrt(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                $real::is_finite(self)
            }
            // a conversion and a select, not `floor`: that is a library call on Cortex-M4
            #[inline(always)]
            fn floor_to_i32(self) -> i32 {
                let towards_zero = self as i32;
                if (towards_zero as $real) > self { towards_zero.saturating_sub(1) } else { towards_zero }
            }
            fn from_le_bytes(bytes: &[u8]) -> Option<Self> {
                bytes.try_into().ok().map($real::from_le_bytes)
            }
        }
    };
}
real!(f32, sqrt_f32);
real!(f64, libm::sqrt);

/// √x to the nearest, half the instructions of libm's: `core` has no root, though the FPU does.
///
/// ```text
/// y ≈ 1/√x     from the exponent halved, then a step of third order: to 1e-4
/// s = x y + (x − (x y)²) y/2     to a unit in the last place
/// X = m² + r   mantissas as integers, X on the scale of m²: s is the nearest for −m < r ≤ m
/// ```
#[inline(never)]
fn sqrt_f32(x: f32) -> f32 {
    const MANTISSA: u32 = 0x007f_ffff;
    let bits = x.to_bits();
    // zero, subnormal, negative, infinite or no number
    if bits.wrapping_sub(MANTISSA + 1) >= f32::INFINITY.to_bits() - (MANTISSA + 1) {
        return if x == 0.0 { x } else { libm::sqrtf(x) };
    }
    let y = f32::from_bits(0x5f37_5a86_u32.wrapping_sub(bits >> 1));
    let c = x * y * y;
    let y = y * (1.875 - c * (1.25 - 0.375 * c));
    let s = x * y;
    let s = s + (x - s * s) * (0.5 * y);

    let near = s.to_bits();
    let mantissa = |bits: u32| bits & MANTISSA | (MANTISSA + 1);
    let m = mantissa(near);
    // 2^(e_x − 2 e_s + 23)
    let shift = (bits >> 23).wrapping_sub(near >> 23 << 1).wrapping_add(127 + 23);
    // small: whatever overflows in both terms is the same
    let r = mantissa(bits).wrapping_shl(shift).wrapping_sub(m.wrapping_mul(m)).cast_signed();
    let m = m.cast_signed();
    f32::from_bits(if r > m {
        near.wrapping_add(1)
    } else if r <= -m {
        near.wrapping_sub(1)
    } else {
        near
    })
}

/// The larger of two numbers; `b` when they compare equal or when `a` is NaN.
// select, not f32::max: that is a library call on Cortex-M4, and its ±0 ties differ between CPUs
#[inline(always)]
pub fn max<R: Real>(a: R, b: R) -> R {
    if a > b { a } else { b }
}

/// The smaller of two numbers; `b` when they compare equal or when `a` is NaN.
#[inline(always)]
pub fn min<R: Real>(a: R, b: R) -> R {
    if a < b { a } else { b }
}

/// The number in `[lo, hi]` nearest to `x`. A NaN stays a NaN; with `lo > hi` the answer is one of the bounds, never a panic.
#[inline(always)]
pub fn clamp<R: Real>(x: R, lo: R, hi: R) -> R {
    if x < lo {
        lo
    } else if x > hi {
        hi
    } else {
        x
    }
}

/// Does this machine's floating point obey the contract of "same bits everywhere"?
///
/// Checks at run time what start-up code or a ROM can spoil: subnormals kept (no flush-to-zero), round to nearest even, no
/// fused multiply-add, square root correctly rounded. Call it once after reset; `false` means results will differ from
/// the host's.
///
/// ```
/// assert!(tumble::math::float_env_ok());
/// ```
pub fn float_env_ok() -> bool {
    // black_box: the compiler would answer for its own machine
    let tiny = black_box(f32::MIN_POSITIVE);
    let keeps_subnormals = (tiny * black_box(0.5)).to_bits() == 0x0040_0000;

    let half_ulp = black_box(f32::EPSILON) * 0.5;
    let nearest_even =
        black_box(1.0_f32) + half_ulp == 1.0 && (black_box(1.0_f32 + f32::EPSILON) + half_ulp).to_bits() == 0x3f80_0002;

    // (1 + ε)² = 1 + 2ε + ε²: the product rounds ε² away, a fused operation would keep it
    let x = black_box(1.0_f32 + f32::EPSILON);
    let unfused = x * x - black_box(1.0_f32 + 2.0 * f32::EPSILON) == 0.0;

    let root = Real::sqrt(black_box(2.0_f32)).to_bits() == 0x3fb5_04f3;
    keeps_subnormals && nearest_even && unfused && root
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_do_not_depend_on_the_sign_of_zero_by_chance() {
        // b wins a tie: written down because it decides bits
        assert_eq!(max(0.0_f32, -0.0).to_bits(), (-0.0_f32).to_bits());
        assert_eq!(min(-0.0_f32, 0.0).to_bits(), 0);
        assert_eq!(max(1.0, f32::NAN).to_bits(), f32::NAN.to_bits());
        assert_eq!(max(f32::NAN, 1.0), 1.0);
    }

    #[test]
    fn clamp_never_panics_and_keeps_what_is_inside() {
        assert_eq!(clamp(2.0, 0.0, 1.0), 1.0);
        assert_eq!(clamp(-2.0, 0.0, 1.0), 0.0);
        assert_eq!(clamp(0.5, 0.0, 1.0), 0.5);
        assert_eq!(clamp(0.5, 1.0, 0.0), 1.0);
        assert!(clamp(f32::NAN, 0.0, 1.0).is_nan());
    }

    #[test]
    fn square_roots_of_what_has_none_or_is_special() {
        for x in [0.0, -0.0, 1e-45, 1e-40, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY] {
            assert_eq!(Real::sqrt(x).to_bits(), libm::sqrtf(x).to_bits(), "{x}");
        }
        for x in [-1.0, -1e-45, f32::NEG_INFINITY, f32::NAN] {
            assert!(Real::sqrt(x).is_nan());
        }
    }

    #[test]
    #[ignore = "all 2^32 numbers: a minute; cargo test --release -- --ignored square_root"]
    fn square_root_of_every_number_is_libms() {
        for bits in 0..=u32::MAX {
            let x = f32::from_bits(bits);
            let (ours, theirs) = (Real::sqrt(x), libm::sqrtf(x));
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "sqrt({x})");
        }
    }

    #[test]
    fn square_root_is_correctly_rounded() {
        // √x = y is correctly rounded when x lies between the squares of y's neighbouring midpoints (exact in f64)
        let mut x = 1.0e-30_f32;
        while x < 1.0e30 {
            let y = Real::sqrt(x);
            let below = (f64::from(y) + f64::from(f32::from_bits(y.to_bits() - 1))) * 0.5;
            let above = (f64::from(y) + f64::from(f32::from_bits(y.to_bits() + 1))) * 0.5;
            assert!(below * below <= f64::from(x) && f64::from(x) <= above * above, "sqrt({x})");
            x *= 1.000_37;
        }
    }
}
