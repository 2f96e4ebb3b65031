//! Time, and what goes by it, in whole numbers: seconds that add up in single precision are wrong by whole steps within a minute.
//!
//! ```text
//! elapsed   whole nanoseconds: sub-steps end at the nearest one, so that those of a step add up to the step
//! due       a delay D is over at the end of the first sub-step by which it has passed: the fewest nanoseconds that are D in single precision are enough
//! ramp      share' = share ± dt/T, in 2⁻⁶¹, rounded so that it arrives in time: −1 … 1
//! ```
//! So a time that is a whole number of steps takes as many, however it is rounded. No division but where something is built, and no doubles.

use super::state::persist;
use crate::error::Error;

/// A moment within a step: the end of a sub-step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// From the step's start. s
    pub(super) at: f32,
    /// Length of the sub-step. s
    pub(super) h: f32,
    /// The same. ns
    pub(super) elapsed: u64,
}

/// The longest time there is, 292 years: signed sums do not overflow. ns
const LONGEST: u64 = i64::MAX as u64;

/// Whole nanoseconds nearest to so many seconds; none where that is negative or no number.
pub(super) fn nanoseconds(seconds: f32) -> u64 {
    let (m, e) = mantissa_and_exponent(seconds);
    shifted(u64::from(m).saturating_mul(1_000_000_000), e, |down| 1_u64.wrapping_shl(down) / 2)
}

/// The fewest nanoseconds that are so many seconds in single precision: half a unit in the last place before the nearest.
pub(super) fn fewest_nanoseconds(seconds: f32) -> u64 {
    let (m, e) = mantissa_and_exponent(seconds);
    let product = u64::from(m).saturating_mul(2).saturating_sub(1).saturating_mul(1_000_000_000);
    // (2m − 1) 2^(e − 1), upwards
    shifted(if m > 0 { product } else { 0 }, e.saturating_sub(1), |down| 1_u64.wrapping_shl(down).wrapping_sub(1))
}

/// `x = m 2^e` of a positive x, with m < 2²⁴; 0 of any other.
fn mantissa_and_exponent(x: f32) -> (u32, i32) {
    const HIDDEN: u32 = 1 << 23;
    let bits = if x > 0.0 { x.to_bits() } else { 0 };
    match (bits >> 23).cast_signed() {
        0 => (bits, -149),
        exponent => (bits & (HIDDEN - 1) | HIDDEN, exponent.saturating_sub(150)),
    }
}

/// `x 2^e` as a whole number, after adding what rounds it: of so many digits behind the point.
fn shifted(x: u64, e: i32, rounding: impl Fn(u32) -> u64) -> u64 {
    let by = e.unsigned_abs();
    if e < 0 {
        // x is below 2⁵⁵: all of it is behind the point
        let down = by.min(62);
        x.saturating_add(rounding(down)).wrapping_shr(down)
    } else if by < x.leading_zeros() {
        x.wrapping_shl(by)
    } else {
        LONGEST
    }
}

/// Waits for what comes again and again: a hopper's next part, a camera's next frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timer {
    /// less than nothing where it should have come just before now. ns
    wait: i64,
}
persist!(Timer { wait });

impl Timer {
    /// Is it due within half of what elapses, either way? Then it waits for the next: `period` nanoseconds from when it was, or for as long as this takes where that is longer.
    pub(super) fn is_due(&mut self, elapsed: u64, period: impl FnOnce() -> i64) -> bool {
        let (elapsed, half) = (elapsed.cast_signed(), (elapsed >> 1).cast_signed());
        let is_due = self.wait <= half;
        self.wait = self.wait.saturating_sub(elapsed);
        if is_due {
            self.wait = self.wait.saturating_add(period()).max(half.saturating_neg());
        }
        is_due
    }
}

/// How fast a ramp goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// From 0 to 1. ns
    time: u64,
    /// 2⁻⁶¹/ns
    per_nanosecond: u64,
}

impl Pace {
    /// From 0 to 1 in so many seconds.
    pub(super) fn new(seconds: f32) -> Self {
        let time = fewest_nanoseconds(seconds);
        Self { time, per_nanosecond: FULL.unsigned_abs().div_ceil(time.max(1)) }
    }
}

/// A share that moves evenly: how far out a cylinder is, how fast a belt goes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ramp {
    /// 2⁻⁶¹
    share: i64,
}
persist!(Ramp { share }, |ramp| {
    if ramp.share.unsigned_abs() > FULL.unsigned_abs() { Err(Error::OutOfRange("share")) } else { Ok(()) }
});

const FULL: i64 = 1 << 61;
/// What the upper half of that counts in.
const UPPER: f32 = (FULL >> 32) as f32;

impl Ramp {
    /// Move on towards a target, −1 … 1.
    pub(super) fn advance(&mut self, target: f32, elapsed: u64, pace: &Pace) {
        let target = i64::from((target * UPPER) as i32) << 32;
        // most are where they are to be
        if self.share == target {
            return;
        }
        // shorter than the whole way, the product is hardly more than FULL
        let most = if elapsed < pace.time {
            pace.per_nanosecond.wrapping_mul(elapsed).cast_signed()
        } else {
            FULL.saturating_mul(2)
        };
        let off = target.saturating_sub(self.share);
        self.share = if off > most {
            self.share.saturating_add(most)
        } else if off < most.saturating_neg() {
            self.share.saturating_sub(most)
        } else {
            target
        };
    }

    /// −1 … 1
    pub(super) fn share(&self) -> f32 {
        // what is left has 30 bits: 64 take a library call on Cortex-M
        ((self.share >> 32) as i32) as f32 * (1.0 / UPPER)
    }

    /// Has it got to 1?
    pub(super) const fn is_full(&self) -> bool {
        self.share >= FULL
    }

    /// Is it back at 0?
    pub(super) const fn is_zero(&self) -> bool {
        self.share == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_are_the_nearest() {
        for (seconds, expected) in [
            (1e-3, 1_000_000),
            (60.0, 60_000_000_000),
            (1e-9, 1),
            (0.4e-9, 0),
            (0.0, 0),
            (-1.0, 0),
            (f32::NAN, 0),
            (1e-45, 0),
            (f32::INFINITY, LONGEST),
            (3e38, LONGEST),
        ] {
            assert_eq!(nanoseconds(seconds), expected, "{seconds}");
        }
        // against doubles: to 0.01 ns here
        let mut seconds = 1e-9_f32;
        while seconds < 1e6 {
            let exact = f64::from(seconds) * 1e9;
            assert!((nanoseconds(seconds) as f64 - exact).abs() <= 0.51, "{seconds}");
            let fewest = fewest_nanoseconds(seconds);
            // a tie may go either way
            assert!(((fewest as f64 + 1.0) * 1e-9) as f32 >= seconds, "{seconds}");
            assert!(((fewest as f64 - 1.0) * 1e-9) as f32 <= seconds, "{seconds}");
            assert!((fewest as f64 - exact).abs() <= exact * 6e-8 + 1.0, "{seconds}");
            seconds *= 1.01;
        }
        // decimals that round upwards and downwards: never more than they are
        for (seconds, whole) in [(0.1, 100_000_000), (0.7, 700_000_000), (45.7, 45_700_000_000), (3.3e-3, 3_300_000)] {
            let fewest = fewest_nanoseconds(seconds);
            assert!(fewest <= whole && whole - fewest < 1 + whole / 8_000_000, "{seconds} {fewest}");
        }
        assert_eq!([0.0, -1.0, f32::NAN, 1e-45].map(fewest_nanoseconds), [0, 0, 0, 1]);
    }

    /// How many sub-steps a ramp takes from one end to the other.
    fn sub_steps(seconds: f32, elapsed: u64) -> u32 {
        let (pace, mut ramp, mut count) = (Pace::new(seconds), Ramp::default(), 0);
        while !ramp.is_full() {
            ramp.advance(1.0, elapsed, &pace);
            count += 1;
        }
        let up = count;
        while !ramp.is_zero() {
            ramp.advance(0.0, elapsed, &pace);
            count -= 1;
        }
        assert_eq!(count, 0, "as long back as there");
        up
    }

    #[test]
    fn ramps_take_as_long_as_they_are_told() {
        assert_eq!(sub_steps(0.0, 1_000_000), 1);
        assert_eq!(sub_steps(1e-9, 1_000_000), 1);
        assert_eq!(sub_steps(0.1, 1_000_000), 100);
        assert_eq!(sub_steps(0.7, 1_000_000), 700);
        assert_eq!(sub_steps(10.0, 10_000), 1_000_000);
        assert_eq!(sub_steps(60.0, 5_000), 12_000_000);
        // what is no whole number takes the next
        assert_eq!(sub_steps(0.1005, 1_000_000), 101);
    }

    #[test]
    fn a_ramp_stops_at_its_target_to_the_bit() {
        let (pace, mut ramp) = (Pace::new(1.0), Ramp::default());
        for (target, steps) in [(0.6_f32, 600), (-1.0, 1600), (0.01, 1010)] {
            for step in 1..=steps + 1 {
                ramp.advance(target, 1_000_000, &pace);
                assert_eq!(ramp.share() == target, step >= steps, "{target} {step}");
            }
        }
    }
}
