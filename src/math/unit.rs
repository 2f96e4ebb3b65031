//! Scaling to length one, for components of any size.

use super::{Real, max};

/// Scales components to Euclidean length one; also returns their length. `None` for zero and for non-finite components.
///
/// `square` is the sum of their squares: the caller has it in the order of summation that its bits depend on.
///
/// A sum below `MIN_POSITIVE/ε` has lost digits to subnormal squares, an infinite one has overflowed. Then the components are
/// divided by the largest of them first, so that the result has length one within rounding whatever their size.
#[inline(always)]
pub(crate) fn unit<R: Real, const N: usize>(components: [R; N], square: R) -> Option<([R; N], R)> {
    // written so that NaN is rescaled, and refused there
    if square >= R::MIN_POSITIVE / R::EPSILON && square < R::INFINITY {
        let length = square.sqrt();
        let scale = R::ONE / length;
        Some((components.map(|x| x * scale), length))
    } else {
        rescaled(components)
    }
}

#[cold]
#[inline(never)]
fn rescaled<R: Real, const N: usize>(components: [R; N]) -> Option<([R; N], R)> {
    let largest = components.iter().fold(R::ZERO, |most, x| max(x.abs(), most));
    // divided, not multiplied by the inverse: that of a subnormal number is infinite
    let scaled = components.map(|x| x / largest);
    let square = scaled.iter().fold(R::ZERO, |sum, x| sum + *x * *x);
    // zero by zero and infinity by infinity are NaN
    if !square.is_finite() {
        return None;
    }
    let length = square.sqrt();
    let scale = R::ONE / length;
    Some((scaled.map(|x| x * scale), largest * length))
}

#[cfg(test)]
mod tests {
    use super::super::{Quat, Vec3};
    use super::*;
    use proptest::prelude::*;

    /// Length one within rounding: root, quotient and products are rounded, ½ ε each.
    fn is_unit<R: Real>(components: &[R]) -> bool {
        let square: f64 = components.iter().map(|x| x.to_f64() * x.to_f64()).sum();
        (square - 1.0).abs() <= 4.0 * R::EPSILON.to_f64()
    }

    /// Zero, infinite, NaN, or of any magnitude the scalar has, subnormal ones included.
    fn any_size(decades: std::ops::Range<f64>) -> impl Strategy<Value = f64> {
        let sized = (any::<bool>(), decades).prop_map(|(minus, x)| {
            let size = libm::exp10(x);
            if minus { -size } else { size }
        });
        prop_oneof![2 => Just(0.0), 1 => prop_oneof![Just(f64::NAN), Just(f64::INFINITY)], 20 => sized]
    }

    fn check<R: Real>(components: [f64; 4]) -> Result<(), TestCaseError> {
        let [w, x, y, z] = components.map(R::from_f64);
        let has_direction = |of: &[R]| of.iter().all(|x| x.is_finite()) && of.iter().any(|x| *x != R::ZERO);
        match Quat::new(w, x, y, z) {
            Some(q) => prop_assert!(is_unit(&q.components()) && has_direction(&[w, x, y, z]), "{q:?}"),
            None => prop_assert!(!has_direction(&[w, x, y, z]), "refused {components:?}"),
        }
        match Vec3::new(x, y, z).unit() {
            Some((n, _)) => prop_assert!(is_unit(&<[R; 3]>::from(n)) && has_direction(&[x, y, z]), "{n:?}"),
            None => prop_assert!(!has_direction(&[x, y, z]), "refused {components:?}"),
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_finite_nonzero_vector_gets_length_one(
            single in prop::array::uniform4(any_size(-46.0..38.5)),
            double in prop::array::uniform4(any_size(-324.0..308.2)),
            // all of one size, where squares lose digits or overflow
            size in any_size(-46.0..38.5),
            shares in prop::array::uniform4(-1.0..1.0),
        ) {
            check::<f32>(single)?;
            check::<f64>(double)?;
            check::<f32>(shares.map(|share: f64| share * size))?;
            check::<f64>(shares.map(|share: f64| share * size * size * size * size))?;
        }
    }

    #[test]
    fn squares_that_underflow_or_overflow_cost_no_digits() {
        for size in [1e-45_f32, 4e-23, 3e-23, 1e-20, 1e-15, 1.0, 1e15, 1e19, 1e20, 3e38] {
            let (n, length) = Vec3::new(size, -size, 0.0).unit().unwrap();
            assert!((n.x - core::f32::consts::FRAC_1_SQRT_2).abs() < 1e-7, "{size}: {n:?}");
            assert_eq!((n.y, n.z), (-n.x, 0.0));
            let exact = f64::from(size) * core::f64::consts::SQRT_2;
            let near = (f64::from(length) - exact).abs() <= 1e-7 * exact + f64::from(f32::from_bits(1));
            assert!(near || exact > f64::from(f32::MAX), "{size}: {length}");
        }
        assert_eq!(Vec3::new(0.0_f32, 0.0, -0.0).unit(), None);
        assert_eq!(Vec3::new(0.0_f32, f32::INFINITY, 1.0).unit(), None);
        assert_eq!(Vec3::new(1.0_f32, f32::NAN, 1.0).unit(), None);
    }
}
