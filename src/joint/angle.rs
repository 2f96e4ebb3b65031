//! Angles of a rotation about z, and how often it has gone round.
//!
//! ```text
//! q = (w, x, y, z)                     frame a seen from frame b
//! n = zₐ seen from b                   n_x = 2(xz + wy), n_y = 2(yz − wx), 1 + n_z = 2(w² + z²)
//! θ = 2 atan2(z, w)                    twist about z, rad
//! θ̇ = ω·(n + ẑ)/(1 + n_z)              ω of a relative to b, seen from b; from q̇ = ½ ω q
//! ```

use crate::error::Error;
use crate::math::{Quat, Real, Vec3};
use crate::record::{Persist, Reader, Sink};

/// Twist of one frame about z of another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twist<R> {
    /// θ in (−π, π]
    pub(super) angle: R,
    /// `∂θ̇/∂ω` in the world: along the bisector of both z axes, z itself where they coincide
    pub(super) rate: Vec3<R>,
}

impl<R: Real> Twist<R> {
    /// Of `moved` about z of `base`, both turning into the world.
    pub(super) fn of(base: Quat<R>, moved: Quat<R>) -> Self {
        let [w, x, y, z] = near(base.inverse() * moved);
        let cos2 = w * w + z * z;
        // opposite axes have no twist: any direction does, as long as it is finite
        let lean = if cos2 > tiny() { R::ONE / cos2 } else { R::ZERO };
        let rate = Vec3::new((x * z + w * y) * lean, (y * z - w * x) * lean, R::ONE);
        let half = atan2(z, w);
        Self { angle: half + half, rate: base.turn(rate) }
    }
}

/// The four components on the near branch of the double cover: w ≥ 0, so that θ ≤ π.
pub(super) fn near<R: Real>(q: Quat<R>) -> [R; 4] {
    let [w, x, y, z] = q.components();
    if w < R::ZERO { [-w, -x, -y, -z] } else { [w, x, y, z] }
}

/// What counts as zero for a squared cosine.
pub(super) fn tiny<R: Real>() -> R {
    R::EPSILON * R::EPSILON
}

/// Counts full turns, so that an angle stays continuous as long as it changes by less than half a turn between two looks.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Counter<R> {
    /// A whole number; as a real, because converting an integer goes through a double.
    turns: R,
    /// the last angle, in (−π, π]
    last: R,
}

impl<R: Real> Counter<R> {
    /// No turn yet.
    pub(super) const ZERO: Self = Self { turns: R::ZERO, last: R::ZERO };

    /// After the angle has come to `angle`, in (−π, π].
    pub(super) fn moved(&self, angle: R) -> Self {
        let pi = R::from_f64(core::f64::consts::PI);
        let change = angle - self.last;
        let turns = if change > pi {
            self.turns - R::ONE
        } else if change < -pi {
            self.turns + R::ONE
        } else {
            self.turns
        };
        Self { turns, last: angle }
    }

    /// The angle over all turns. rad
    pub(super) fn angle(&self) -> R {
        self.last + R::from_f64(core::f64::consts::TAU) * self.turns
    }

    /// Full turns and the last angle, for a snapshot.
    pub(super) fn state(&self) -> [R; 2] {
        [self.turns, self.last]
    }
}

impl<R: Real> Persist for Counter<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.state().save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let [turns, last] = input.load::<[R; 2]>()?;
        // a little more than half a turn: angles round
        if last.abs() > R::from_f64(3.15) { Err(Error::OutOfRange("turn")) } else { Ok(Self { turns, last }) }
    }
}

/// `atan2(y, x)` in (−π, π], to two or three units in the last place; 0 for (0, 0).
///
/// Only additions, multiplications, divisions and comparisons, so the same bits everywhere. Taking off a known angle twice
/// brings the tangent below tan(π/16) = 0.199; there twelve terms of the series leave 0.199²⁴/25 < 2⁻⁵³.
pub(super) fn atan2<R: Real>(y: R, x: R) -> R {
    const TAN_8TH: f64 = 0.414_213_562_373_095_03;
    const TAN_16TH: f64 = 0.198_912_367_379_658;
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_8, PI};
    let constant = R::from_f64;

    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (low, high) = if steep { (ax, ay) } else { (ay, ax) };
    let mut t = if high > R::ZERO { low / high } else { R::ZERO };
    let mut angle = R::ZERO;
    // atan t = atan k + atan((t − k)/(1 + t k)), k = tan π/4: then |t| ≤ tan π/8
    if t > constant(TAN_8TH) {
        t = (t - R::ONE) / (t + R::ONE);
        angle = constant(FRAC_PI_4);
    }
    // k = ± tan π/8: then |t| ≤ tan π/16
    let k = constant(TAN_8TH);
    if t > constant(TAN_16TH) {
        t = (t - k) / (R::ONE + t * k);
        angle += constant(FRAC_PI_8);
    } else if t < -constant(TAN_16TH) {
        t = (t + k) / (R::ONE - t * k);
        angle -= constant(FRAC_PI_8);
    }
    // atan t = t (1 − t²/3 + t⁴/5 − …), written out: constants fold, no double at run time
    let square = t * t;
    let mut series = constant(1.0 / 23.0);
    series = constant(1.0 / 21.0) - square * series;
    series = constant(1.0 / 19.0) - square * series;
    series = constant(1.0 / 17.0) - square * series;
    series = constant(1.0 / 15.0) - square * series;
    series = constant(1.0 / 13.0) - square * series;
    series = constant(1.0 / 11.0) - square * series;
    series = constant(1.0 / 9.0) - square * series;
    series = constant(1.0 / 7.0) - square * series;
    series = constant(1.0 / 5.0) - square * series;
    series = constant(1.0 / 3.0) - square * series;
    angle += t - t * (square * series);
    if steep {
        angle = constant(FRAC_PI_2) - angle;
    }
    if x < R::ZERO {
        angle = constant(PI) - angle;
    }
    if y < R::ZERO { -angle } else { angle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atan2_agrees_with_libm() {
        for k in -720..=720_i32 {
            let angle = f64::from(k) * 0.25_f64.to_radians();
            for radius in [1e-30, 0.3, 1.0, 7e20] {
                let (y, x) = (radius * libm::sin(angle), radius * libm::cos(angle));
                // three roundings of numbers up to π
                assert!((atan2(y, x) - libm::atan2(y, x)).abs() < 3.0 * 4.5e-16, "{k}");
                let (y, x) = (y as f32, x as f32);
                if radius > 1e-20 {
                    let exact = libm::atan2(f64::from(y), f64::from(x));
                    assert!((f64::from(atan2(y, x)) - exact).abs() < 3.0 * 2.4e-7, "{k}");
                }
            }
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(atan2(0.0, -1.0), core::f64::consts::PI);
        assert_eq!(atan2(1.0, 0.0), core::f64::consts::FRAC_PI_2);
        assert_eq!(atan2(-1.0_f32, 0.0), -core::f32::consts::FRAC_PI_2);
    }

    #[test]
    fn turns_are_counted_both_ways() {
        let mut counter = Counter::<f64>::ZERO;
        for k in 0..=100 {
            let wrapped = |x: f64| libm::atan2(libm::sin(x), libm::cos(x));
            counter = counter.moved(wrapped(0.4 * f64::from(k)));
            assert!((counter.angle() - 0.4 * f64::from(k)).abs() < 1e-12);
        }
        for k in (-100..=100).rev() {
            let wrapped = |x: f64| libm::atan2(libm::sin(x), libm::cos(x));
            counter = counter.moved(wrapped(0.4 * f64::from(k)));
            assert!((counter.angle() - 0.4 * f64::from(k)).abs() < 1e-12);
        }
        assert_eq!(counter.state()[0], -6.0);
    }
}
