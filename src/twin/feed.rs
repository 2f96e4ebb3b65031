//! How fast a vibrating track conveys: a table of what the resolved drive comes to.
//!
//! ```text
//! a_n, a_t   amplitudes off the track and along it                                        m
//! ω          2πf                                                                          rad/s
//! Γ          throw number a_n ω² / (g cos θ): above 1 parts leave the track               1
//! κ          hold μ g cos θ / (μ g cos θ + a_t ω²): how well friction holds what is shaken   0 … 1
//! s          slope tan θ / μ, θ how much the track rises: at 1 parts slide back by themselves  1
//! v          a_t ω · K(Γ, κ, s)                                                           m/s
//! ```
//! Amplitude, frequency, angle, friction and incline are three numbers. In units of a_n and ω a part leaves the track's surface by `z'' = −1/Γ`, pressed on by
//! `N = 1/Γ − sin ωt`; in units of a_t and ω friction drives it by `m N` at most and the slope by `−m s/Γ`, with `m = μ a_n/a_t = Γ κ/(1 − κ)`. Nothing else is in the
//! equations: K is a share of the track's peak speed along itself, whatever the frequency. K is linear between the table's nodes; beyond its ends it stays as at the end.
//! `tumble feed-table` writes tables.
//!
//! Why κ and not m: K has kinks, where a part begins to slip, to fly, or lands on the other side of the swing. It slips above `κ = 1/(2 − |s| − Γ)`: by κ that lies nearly along the
//! grid, and a track that shakes gently is κ and s alone; by m it is a wedge that closes towards Γ = 0, and no grid is fine enough for it.

use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::{Real, clamp};
use core::f32::consts::TAU;

/// `K(Γ, κ, s)` at the nodes of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedTable {
    /// s of the nodes, rising. (1)
    pub slopes: &'static [f32],
    /// κ of the nodes, rising. (1)
    pub holds: &'static [f32],
    /// Γ of the nodes, rising. (1)
    pub throws: &'static [f32],
    /// K: the last axis, Γ, runs fastest, then κ, then s. (1)
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
        self.holds.iter().try_for_each(|&x| non_negative(x, "holds"))?;
        self.throws.iter().try_for_each(|&x| non_negative(x, "throws"))?;
        for (axis, name) in [(self.slopes, "slopes"), (self.holds, "holds"), (self.throws, "throws")] {
            let rises = axis.iter().zip(axis.iter().skip(1)).all(|(a, b)| a < b);
            if axis.is_empty() || !rises {
                return Err(Error::OutOfRange(name));
            }
        }
        self.speeds.iter().try_for_each(|&x| finite(x, "speeds"))?;
        let nodes = self.throws.len().saturating_mul(self.holds.len()).saturating_mul(self.slopes.len());
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
        let (square, held) = (omega * omega, friction * press);
        let share = self.share(normal * square / press, held / (held + tangential * square), pull / held);
        share * tangential * omega
    }

    /// K: mean speed of a part in times the track's peak speed along itself, from Γ, κ and s. (1)
    pub fn share(&self, throw: f32, hold: f32, slope: f32) -> f32 {
        let row = self.throws.len();
        let throw = Between::find(self.throws, throw, 1);
        let hold = Between::find(self.holds, hold, row);
        let slope = Between::find(self.slopes, slope, row.saturating_mul(self.holds.len()));
        let speed = |start: usize| throw.mean(|at| self.speeds.get(start.saturating_add(at)).copied().unwrap_or(0.0));
        slope.mean(|sheet| hold.mean(|at| speed(sheet.saturating_add(at))))
    }
}

/// Between two nodes of an axis.
struct Between {
    /// Where their speeds begin: the last node that is not above, and the next or the last.
    low: usize,
    high: usize,
    /// Which share of the way from one to the other. (1)
    share: f32,
}

impl Between {
    /// `stride` speeds are there for every node.
    fn find(axis: &[f32], x: f32, stride: usize) -> Self {
        let low = axis.partition_point(|&node| node <= x).saturating_sub(1);
        let high = low.saturating_add(1).min(axis.len().saturating_sub(1));
        let at = |index: usize| axis.get(index).copied().unwrap_or(0.0);
        let (from, to) = (at(low), at(high));
        let share = if to > from { clamp((x - from) / (to - from), f32::ZERO, f32::ONE) } else { 0.0 };
        Self { low: low.saturating_mul(stride), high: high.saturating_mul(stride), share }
    }

    fn mean(&self, at: impl Fn(usize) -> f32) -> f32 {
        let (low, high) = (at(self.low), at(self.high));
        low + (high - low) * self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: FeedTable = FeedTable {
        slopes: &[-0.2, 0.2],
        holds: &[0.5, 1.0],
        throws: &[0.0, 1.0, 3.0],
        speeds: &[0.0, 1.0, 5.0, 0.0, 2.0, 6.0, 10.0, 11.0, 15.0, 10.0, 12.0, 16.0],
    };

    #[test]
    fn shares_are_linear_between_nodes_and_stay_at_the_ends() {
        for (throw, hold, slope, expected) in [
            (1.0, 0.5, -0.2, 1.0),
            (2.0, 0.5, -0.2, 3.0),
            (2.0, 0.75, -0.2, 3.5),
            (2.0, 0.75, 0.0, 8.5),
            (9.0, 9.0, 9.0, 16.0),
            (1.0, 0.1, -9.0, 1.0),
        ] {
            let got = TABLE.share(throw, hold, slope);
            assert!((got - expected).abs() < 1e-4, "{got} {expected}");
        }
    }

    #[test]
    fn speeds_are_shares_of_the_peak_speed() {
        // Γ = 2, κ = 0.75, s = −0.2
        let (frequency, press, friction) = (50.0, 9.0, 0.5);
        let square = TAU * frequency * TAU * frequency;
        let swing = Swing { normal: 2.0 * press / square, tangential: friction * press / 3.0 / square, frequency };
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
        assert_eq!(FeedTable { holds: &[], ..TABLE }.check(), Err(Error::OutOfRange("holds")));
        assert_eq!(FeedTable { speeds: &[1.0], ..TABLE }.check(), Err(Error::OutOfRange("speeds")));
        assert_eq!(FeedTable { slopes: &[f32::NAN], ..TABLE }.check(), Err(Error::NonFinite("slopes")));
    }
}
