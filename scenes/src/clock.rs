//! Time of a scene, and phases of what swings in it.
//!
//! ```text
//! t = Σ h, each h rounded to whole nanoseconds         s
//! φ = 2π (t mod 1/f) f                                 rad
//! ```
//! Integers: after an hour a phase is as exact as in the first second. A single-precision sum of seconds would be off by a millisecond.

use core::f32::consts::TAU;
use tumble::math::clamp;

/// Time since the scene was reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clock {
    nanoseconds: u64,
}

impl Clock {
    /// The beginning.
    pub const ZERO: Self = Self { nanoseconds: 0 };

    /// The nearest single-precision number. s
    pub fn seconds(self) -> f32 {
        self.nanoseconds as f32 / 1e9
    }

    /// Time within the present cycle of `period` seconds; zero where the period is none. s
    pub fn within(self, period: f32) -> Self {
        let period = Self::ZERO.after(period);
        Self { nanoseconds: self.nanoseconds.checked_rem(period.nanoseconds).unwrap_or(0) }
    }

    /// Phase of a swing of `frequency` (Hz), `0 ≤ φ ≤ 2π`. rad
    pub fn phase(self, frequency: f32) -> f32 {
        self.within(1.0 / frequency).seconds() * frequency * TAU
    }

    /// From 0 at `begin` to 1 at `end` (s) and smooth at both: `s² (3 − 2s)`. (1)
    pub fn ramp(self, begin: f32, end: f32) -> f32 {
        let s = clamp((self.seconds() - begin) / (end - begin), 0.0, 1.0);
        s * s * (3.0 - 2.0 * s)
    }

    /// `h` seconds later.
    #[must_use]
    pub fn after(self, h: f32) -> Self {
        // a cast saturates: no number is too large or too odd
        let nanoseconds = (h * 1e9 + 0.5) as u64;
        Self { nanoseconds: self.nanoseconds.saturating_add(nanoseconds) }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn an_hour_of_milliseconds_is_an_hour() {
        let mut clock = Clock::ZERO;
        for _ in 0..3_600_000 {
            clock = clock.after(1e-3);
        }
        assert!((clock.seconds() / 3600.0 - 1.0).abs() <= f32::EPSILON);
        // a quarter of a cycle of 8 Hz later the phase is π/2, to the rounding of a single
        let phase = clock.after(1.0 / 32.0).phase(8.0);
        assert!((phase - core::f32::consts::FRAC_PI_2).abs() < 1e-6, "{phase}");
    }

    #[test]
    fn a_ramp_is_smooth_and_stays_where_it_arrives() {
        let at = |t: f32| Clock::ZERO.after(t).ramp(1.0, 3.0);
        assert_eq!([at(0.0), at(1.0), at(2.0), at(3.0), at(9.0)], [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert!(at(1.01) < 1e-4 && at(2.99) > 1.0 - 1e-4);
    }

    #[test]
    fn what_is_no_time_counts_as_none() {
        for h in [f32::NAN, -1.0, 0.0] {
            assert_eq!(Clock::ZERO.after(h), Clock::ZERO);
            assert_eq!(Clock::ZERO.after(1.0).within(h), Clock::ZERO);
        }
        assert_eq!(Clock::ZERO.after(1.0).after(f32::INFINITY), Clock::ZERO.after(f32::INFINITY));
    }
}
