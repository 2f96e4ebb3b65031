//! Orientation as a unit quaternion.

use super::unit::unit;
use super::{Mat3, Real, Vec3};
use core::ops::Mul;

/// A unit quaternion: turns vectors of the body's frame into the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Quat<R> {
    w: R,
    v: Vec3<R>,
}

impl<R: Real> Quat<R> {
    /// No rotation.
    pub const IDENTITY: Self = Self { w: R::ONE, v: Vec3::new(R::ZERO, R::ZERO, R::ZERO) };

    /// From four components of any size, scaled to length one; `None` where all are zero or one is not finite.
    pub fn new(w: R, x: R, y: R, z: R) -> Option<Self> {
        let ([w, x, y, z], _) = unit([w, x, y, z], w * w + x * x + y * y + z * z)?;
        Some(Self { w, v: Vec3::new(x, y, z) })
    }

    /// From components of length one but for rounding, as they are: what products and snapshots hold. `None` for any other length.
    pub(crate) fn of_unit([w, x, y, z]: [R; 4]) -> Option<Self> {
        let error = w * w + x * x + y * y + z * z - R::ONE;
        // a million products are off by less; written so that NaN is refused
        let unit = error.abs() <= R::from_f64(1.0 / 64.0);
        unit.then_some(Self { w, v: Vec3::new(x, y, z) })
    }

    /// Its components w, x, y, z.
    pub fn components(self) -> [R; 4] {
        [self.w, self.v.x, self.v.y, self.v.z]
    }

    /// The rotation back.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        Self { w: self.w, v: -self.v }
    }

    /// `self` turned: a vector of the body's frame in the world's.
    #[inline(always)]
    pub fn turn(self, u: Vec3<R>) -> Vec3<R> {
        // u + 2w (v × u) + 2 v × (v × u)
        let t = self.v.cross(u);
        let t = t + t;
        u + t * self.w + self.v.cross(t)
    }

    /// The same rotation as a matrix.
    pub fn matrix(self) -> Mat3<R> {
        let (w, Vec3 { x, y, z }) = (self.w, self.v);
        let double = |a: R| a + a;
        Mat3 {
            x: Vec3::new(R::ONE - double(y * y + z * z), double(x * y - w * z), double(x * z + w * y)),
            y: Vec3::new(double(x * y + w * z), R::ONE - double(x * x + z * z), double(y * z - w * x)),
            z: Vec3::new(double(x * z - w * y), double(y * z + w * x), R::ONE - double(x * x + y * y)),
        }
    }

    /// The orientation after turning by the rotation vector `turn` (rad, world frame).
    ///
    /// The exact rotation is `(cos θ/2, sin θ/2 · axis)`, that is `(1, tan(θ/2)/θ · turn)` scaled to length one. With
    /// `tan(θ/2)/θ = ½ + θ²/24 + O(θ⁴)` no trigonometry is needed: the angle is off by θ⁵/120, 1e-7 rad at a turn of 6° a step;
    /// the length is always one.
    pub fn turned(self, turn: Vec3<R>) -> Self {
        // of most parts of a machine neither
        if turn == Vec3::default() && self == Self::IDENTITY {
            return self;
        }
        let half = R::from_f64(0.5);
        let twelfth = R::from_f64(1.0 / 12.0);
        let scale = half * (R::ONE + turn.dot(turn) * twelfth);
        let step = Self { w: R::ONE, v: turn * scale };
        let next = step * self;
        // a non-finite product leaves the orientation as it is
        Self::new(next.w, next.v.x, next.v.y, next.v.z).unwrap_or(self)
    }
}

impl<R: Real> Quat<R> {
    /// As [`turned`](Self::turned), for turns of any size: in 32 parts, off by 1e-7 rad at a full turn. For building, not for steps.
    pub fn turned_far(self, turn: Vec3<R>) -> Self {
        let part = turn * R::from_f64(1.0 / 32.0);
        (0..32).fold(self, |orientation, _| orientation.turned(part))
    }

    /// The rotation vector (rad, world frame) that turns `from` into this: what [`turned`](Self::turned) takes. For small turns: off by
    /// `θ⁵/80`; beyond a quarter turn the right way, and not as far: 2 rad at most.
    pub fn turn_since(self, from: Self) -> Vec3<R> {
        let Self { w, v } = self * from.inverse();
        if v.dot(v) > w * w {
            return if w < R::ZERO { -(v + v) } else { v + v };
        }
        // tan θ/2 = |v|/w;  θ = 2 atan t = 2t (1 − t²/3 + …)
        let t = v * (R::ONE / w);
        let third = R::from_f64(1.0 / 3.0);
        (t + t) * (R::ONE - t.dot(t) * third)
    }
}

impl<R: Real> Mul for Quat<R> {
    type Output = Self;
    /// `self` after `other`.
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self {
            w: self.w * other.w - self.v.dot(other.v),
            v: other.v * self.w + self.v * other.w + self.v.cross(other.v),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Vec3<f64>, b: Vec3<f64>, tolerance: f64) -> bool {
        let d = a - b;
        d.dot(d) <= tolerance * tolerance
    }

    #[test]
    fn a_quarter_turn_is_one() {
        let q = Quat::<f64>::IDENTITY.turned_far(Vec3::new(0.0, 0.0, core::f64::consts::FRAC_PI_2));
        assert!(close(q.turn(Vec3::new(1.0, 0.0, 0.0)), Vec3::new(0.0, 1.0, 0.0), 1e-7));
    }

    #[test]
    fn a_small_turn_is_found_again() {
        let from = Quat::new(0.3, -0.5, 0.7, 0.2).unwrap();
        for turn in [Vec3::new(0.05, -0.1, 0.02), Vec3::new(0.0, 0.0, -0.12), Vec3::default()] {
            assert!(close(from.turned(turn).turn_since(from), turn, 1e-6));
        }
    }

    #[test]
    fn a_large_turn_is_found_in_a_few() {
        for angle in [1.5, 2.0, 3.0, core::f32::consts::PI, 3.2, 4.0, -3.0] {
            let target = Quat::<f32>::IDENTITY.turned_far(Vec3::new(0.0, 0.0, angle));
            let mut q = Quat::IDENTITY;
            for _ in 0..5 {
                let turn = target.turn_since(q);
                assert!(turn.dot(turn) <= 4.0 + 1e-5, "{angle}: {turn:?}");
                q = q.turned(turn);
            }
            let left = target.turn_since(q);
            assert!(left.dot(left) < 1e-10, "{angle}: {left:?}");
        }
    }

    #[test]
    fn quaternion_and_matrix_turn_alike() {
        let q = Quat::new(0.3, -0.5, 0.7, 0.2).unwrap();
        let u = Vec3::new(1.0, -2.0, 3.0);
        assert!(close(q.turn(u), q.matrix() * u, 1e-14));
        assert!(close(q.inverse().turn(q.turn(u)), u, 1e-14));
        assert!(close(q.matrix().transposed() * (q.matrix() * u), u, 1e-14));
        let p = Quat::new(0.1, 0.2, -0.4, 0.9).unwrap();
        assert!(close((p * q).turn(u), p.turn(q.turn(u)), 1e-13));
    }

    #[test]
    fn many_small_turns_make_the_exact_large_one() {
        // 100 turns of 0.05 rad about z; each is off by θ⁵/120 = 2.6e-9
        let mut q = Quat::<f64>::IDENTITY;
        for _ in 0..100 {
            q = q.turned(Vec3::new(0.0, 0.0, 0.05));
        }
        let exact = Vec3::new(libm::cos(5.0), libm::sin(5.0), 0.0);
        assert!(close(q.turn(Vec3::new(1.0, 0.0, 0.0)), exact, 100.0 * 2.7e-9));
        let [w, x, y, z] = q.components();
        assert!((w * w + x * x + y * y + z * z - 1.0).abs() < 4.0 * f64::EPSILON);
    }

    #[test]
    fn no_direction_is_refused_and_no_turn_breaks_it() {
        assert_eq!(Quat::new(0.0, 0.0, 0.0, 0.0), None);
        assert_eq!(Quat::new(f64::NAN, 0.0, 0.0, 1.0), None);
        assert_eq!(Quat::new(f64::INFINITY, 0.0, 0.0, 1.0), None);
        let q = Quat::<f32>::IDENTITY;
        assert_eq!(q.turned(Vec3::new(f32::MAX, 0.0, 0.0)), q);
        assert_eq!(q.turned(Vec3::new(f32::NAN, 0.0, 0.0)), q);
    }
}
