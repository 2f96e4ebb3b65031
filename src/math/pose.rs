//! Where something is and how it is turned.

use super::{Quat, Real, Vec3, Vec6};
use crate::error::Error;

/// Position (m) and orientation of one frame in another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Pose<R> {
    /// Origin of the inner frame. m
    pub position: Vec3<R>,
    /// Turns vectors of the inner frame into the outer.
    pub orientation: Quat<R>,
}

impl<R: Real> Pose<R> {
    /// The frames coincide.
    pub const IDENTITY: Self = Self { position: Vec3::new(R::ZERO, R::ZERO, R::ZERO), orientation: Quat::IDENTITY };

    /// Moved, not turned.
    pub const fn at(position: Vec3<R>) -> Self {
        Self { position, orientation: Quat::IDENTITY }
    }

    /// A point of the inner frame, seen from the outer. m
    #[inline(always)]
    pub fn point(&self, inner: Vec3<R>) -> Vec3<R> {
        self.position + self.orientation.turn(inner)
    }

    /// A point of the outer frame, seen from the inner. m
    #[inline(always)]
    pub fn point_within(&self, outer: Vec3<R>) -> Vec3<R> {
        self.orientation.inverse().turn(outer - self.position)
    }

    /// `inner`, a pose in this frame, seen from the outer frame.
    pub fn then(&self, inner: &Self) -> Self {
        Self { position: self.point(inner.position), orientation: self.orientation * inner.orientation }
    }

    /// Where a body at this pose is after `h` seconds at a constant velocity (m/s and rad/s, outer frame).
    pub fn moved(&self, velocity: Vec6<R>, h: R) -> Self {
        Self {
            position: self.position + velocity.linear * h,
            orientation: self.orientation.turned(velocity.angular * h),
        }
    }

    /// Refuses a pose that a snapshot could not hold: non-finite, or an orientation whose length is off by 1 % after very many
    /// products. [`Quat::new`] of its components makes it one again.
    pub(crate) fn check(&self, name: &'static str) -> Result<(), Error> {
        if !self.is_finite() {
            return Err(Error::NonFinite(name));
        }
        Quat::of_unit(self.orientation.components()).map(drop).ok_or(Error::OutOfRange("orientation"))
    }

    /// Are position and orientation finite numbers?
    pub fn is_finite(&self) -> bool {
        self.position.is_finite() && self.orientation.components().into_iter().all(Real::is_finite)
    }
}

impl<R: Real> Default for Pose<R> {
    fn default() -> Self {
        Self::IDENTITY
    }
}
