//! How fast a vibrating track conveys: a table of what the resolved drive comes to.
//!
//! ```text
//! a_n, a_t   amplitudes off the track and along it                                        m
//! ω          2πf                                                                          rad/s
//! Γ          throw number a_n ω² / (g cos θ): above 1 parts leave the track               1
//! m          grip μ tan ψ = μ a_n / a_t, ψ the vibration angle from the track             1
//! s          slope tan θ / μ, θ how much the track rises: at 1 parts slide back by themselves  1
//! v          a_t ω · K(Γ, m, s)                                                           m/s
//! ```
//! Amplitude, frequency, angle, friction and incline are three numbers. In units of a_n and ω a part leaves the track's surface by `z'' = −1/Γ`, pressed on by
//! `N = 1/Γ − sin ωt`; in units of a_t and ω friction drives it by `m N` at most and the slope by `−m s/Γ`. Nothing else is in the equations: K is a share of the track's
//! peak speed along itself, whatever the frequency. K is linear between the table's nodes; beyond its ends it stays as at the end. `tumble feed-table` writes tables.

use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::{Real, clamp};
use core::f32::consts::TAU;

/// `K(Γ, m, s)` at the nodes of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedTable {
    /// s of the nodes, rising. (1)
    pub slopes: &'static [f32],
    /// m of the nodes, rising. (1)
    pub grips: &'static [f32],
    /// Γ of the nodes, rising. (1)
    pub throws: &'static [f32],
    /// K: the last axis, Γ, runs fastest, then m, then s. (1)
    pub speeds: &'static [f32],
}

/// How a track swings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swing {
    /// Amplitude off the track. m
    pub normal: f32,
    /// Amplitude along the track. m
    pub tangential: f32,
    /// Hz
    pub frequency: f32,
}

/// How a part lies on a track.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Footing {
    /// μ between the two. (1)
    pub friction: f32,
    /// g cos θ: what presses the part on. m/s²
    pub press: f32,
    /// g sin θ: what pulls it back, the way opposite to where the track conveys. m/s²
    pub pull: f32,
}

impl FeedTable {
    /// Refuse a table whose axes do not rise or that has too few or too many speeds.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`] or [`Error::OutOfRange`] with the name of what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        self.slopes.iter().try_for_each(|&x| finite(x, "slopes"))?;
        self.grips.iter().try_for_each(|&x| non_negative(x, "grips"))?;
        self.throws.iter().try_for_each(|&x| non_negative(x, "throws"))?;
        for (axis, name) in [(self.slopes, "slopes"), (self.grips, "grips"), (self.throws, "throws")] {
            let rises = axis.iter().zip(axis.iter().skip(1)).all(|(a, b)| a < b);
            if axis.is_empty() || !rises {
                return Err(Error::OutOfRange(name));
            }
        }
        self.speeds.iter().try_for_each(|&x| finite(x, "speeds"))?;
        let nodes = self.throws.len().saturating_mul(self.grips.len()).saturating_mul(self.slopes.len());
        if self.speeds.len() == nodes { Ok(()) } else { Err(Error::OutOfRange("speeds")) }
    }

    /// Mean speed of a part along the track, negative where it goes back. m/s
    ///
    /// Never panics. Nothing is conveyed at a frequency of zero or less, without friction, or where nothing presses parts on.
    pub fn speed(&self, swing: &Swing, footing: &Footing) -> f32 {
        let Swing { normal, tangential, frequency } = *swing;
        let Footing { friction, press, pull } = *footing;
        if !(frequency > 0.0 && press > 0.0 && tangential > 0.0 && friction > 0.0) {
            return 0.0;
        }
        let omega = TAU * frequency;
        let share =
            self.share(normal * omega * omega / press, friction * normal / tangential, pull / (friction * press));
        share * tangential * omega
    }

    /// K: mean speed of a part in times the track's peak speed along itself, from Γ, m and s. (1)
    pub fn share(&self, throw: f32, grip: f32, slope: f32) -> f32 {
        let (throw, throw_at) = place(self.throws, throw);
        let (grip, grip_at) = place(self.grips, grip);
        let (slope, slope_at) = place(self.slopes, slope);
        let row = |slope: usize, grip: usize| {
            let index = slope.saturating_mul(self.grips.len()).saturating_add(grip).saturating_mul(self.throws.len());
            let at = |k: usize| self.speeds.get(index.saturating_add(k)).copied().unwrap_or(0.0);
            between(at(throw), at(next(throw, self.throws)), throw_at)
        };
        let sheet = |slope: usize| between(row(slope, grip), row(slope, next(grip, self.grips)), grip_at);
        between(sheet(slope), sheet(next(slope, self.slopes)), slope_at)
    }
}

fn between(a: f32, b: f32, share: f32) -> f32 {
    a + (b - a) * share
}

/// The node after this one, or the last.
fn next(index: usize, axis: &[f32]) -> usize {
    index.saturating_add(1).min(axis.len().saturating_sub(1))
}

/// The last node that is not above `x`, and which share of the way to the next `x` is.
fn place(axis: &[f32], x: f32) -> (usize, f32) {
    let index = axis.iter().take_while(|&&node| node <= x).count().saturating_sub(1);
    let at = |index: usize| axis.get(index).copied().unwrap_or(0.0);
    let (low, high) = (at(index), at(next(index, axis)));
    let share = if high > low { clamp((x - low) / (high - low), f32::ZERO, f32::ONE) } else { 0.0 };
    (index, share)
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: FeedTable = FeedTable {
        slopes: &[-0.2, 0.2],
        grips: &[0.5, 1.0],
        throws: &[0.0, 1.0, 3.0],
        speeds: &[0.0, 1.0, 5.0, 0.0, 2.0, 6.0, 10.0, 11.0, 15.0, 10.0, 12.0, 16.0],
    };

    #[test]
    fn shares_are_linear_between_nodes_and_stay_at_the_ends() {
        for (throw, grip, slope, expected) in [
            (1.0, 0.5, -0.2, 1.0),
            (2.0, 0.5, -0.2, 3.0),
            (2.0, 0.75, -0.2, 3.5),
            (2.0, 0.75, 0.0, 8.5),
            (9.0, 9.0, 9.0, 16.0),
            (1.0, 0.1, -9.0, 1.0),
        ] {
            let got = TABLE.share(throw, grip, slope);
            assert!((got - expected).abs() < 1e-4, "{got} {expected}");
        }
    }

    #[test]
    fn speeds_are_shares_of_the_peak_speed() {
        // Γ = 2, m = 0.75, s = −0.2
        let (frequency, press, friction) = (50.0, 9.0, 0.5);
        let normal = 2.0 * press / (TAU * frequency * TAU * frequency);
        let swing = Swing { normal, tangential: normal * friction / 0.75, frequency };
        let footing = Footing { friction, press, pull: -0.2 * friction * press };
        let (got, expected) = (TABLE.speed(&swing, &footing), 3.5 * swing.tangential * TAU * frequency);
        assert!((got - expected).abs() < 1e-4 * expected, "{got} {expected}");
        for nothing in [
            TABLE.speed(&Swing { frequency: 0.0, ..swing }, &footing),
            TABLE.speed(&Swing { tangential: 0.0, ..swing }, &footing),
            TABLE.speed(&swing, &Footing { friction: 0.0, ..footing }),
            TABLE.speed(&swing, &Footing { press: 0.0, ..footing }),
            TABLE.speed(&swing, &Footing { press: f32::NAN, ..footing }),
        ] {
            assert_eq!(nothing, 0.0);
        }
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        assert_eq!(TABLE.check(), Ok(()));
        assert_eq!(FeedTable { throws: &[1.0, 0.5], ..TABLE }.check(), Err(Error::OutOfRange("throws")));
        assert_eq!(FeedTable { throws: &[-1.0, 0.5, 1.0], ..TABLE }.check(), Err(Error::Negative("throws")));
        assert_eq!(FeedTable { grips: &[], ..TABLE }.check(), Err(Error::OutOfRange("grips")));
        assert_eq!(FeedTable { speeds: &[1.0], ..TABLE }.check(), Err(Error::OutOfRange("speeds")));
        assert_eq!(FeedTable { slopes: &[f32::NAN], ..TABLE }.check(), Err(Error::NonFinite("slopes")));
    }
}
