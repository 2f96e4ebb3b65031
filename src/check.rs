//! Checks of what comes in, each with the name of what is wrong.

use crate::error::Error;
use crate::math::{Real, Vec3};

pub(crate) fn finite<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    if x.is_finite() { Ok(()) } else { Err(Error::NonFinite(name)) }
}

pub(crate) fn non_negative<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    finite(x, name)?;
    if x < R::ZERO { Err(Error::Negative(name)) } else { Ok(()) }
}

/// Positive, and not so small that its inverse overflows.
pub(crate) fn positive<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    finite(x, name)?;
    if x > R::ZERO && (R::ONE / x).is_finite() { Ok(()) } else { Err(Error::NonPositive(name)) }
}

/// No machine has more of anything, in SI units, and products of a few such numbers are far from overflow.
pub(crate) const LARGE: f32 = 1e6;

/// `−LARGE ≤ x ≤ LARGE`
pub(crate) fn moderate(x: f32, name: &'static str) -> Result<(), Error> {
    finite(x, name)?;
    if x.abs() > LARGE { Err(Error::OutOfRange(name)) } else { Ok(()) }
}

/// Each component moderate.
pub(crate) fn moderate_vector(v: Vec3<f32>, name: &'static str) -> Result<(), Error> {
    <[f32; 3]>::from(v).into_iter().try_for_each(|x| moderate(x, name))
}

/// `0 < x ≤ 1`
pub(crate) fn share<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    // written so that NaN is refused
    if x > R::ZERO && x <= R::ONE { Ok(()) } else { Err(Error::OutOfRange(name)) }
}

/// `0 ≤ x ≤ 1`
pub(crate) fn from_zero_to_one<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    non_negative(x, name)?;
    if x > R::ONE { Err(Error::OutOfRange(name)) } else { Ok(()) }
}
