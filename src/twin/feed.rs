//! How fast a vibrating track conveys: a table of what the resolved drive comes to.
//!
//! ```text
//! a_n, a_t   amplitudes off the track and along it                                        m
//! Γ          throw number a_n (2πf)² / (g cos θ): above 1 parts leave the track           1
//! ψ          vibration angle, tan ψ = a_n / a_t                                           rad
//! v          (g cos θ / f) · F(Γ, ψ, μ)                                                   m/s
//! ```
//! Lengths scale with g/f² and nothing else has a time in it, so that frequency needs no axis: at one throw number the speed goes with 1/f. F is linear between
//! the table's nodes; beyond its ends it stays as at the end. `tumble feed-table` writes tables.

use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::{Real, clamp};
use core::f32::consts::TAU;

/// `F(Γ, ψ, μ)` at the nodes of a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FeedTable {
    /// θ: the track rises by this angle the way it conveys. rad
    pub incline: f32,
    /// Γ of the nodes, rising. (1)
    pub throws: &'static [f32],
    /// tan ψ of the nodes, rising. (1)
    pub angles: &'static [f32],
    /// μ of the nodes, rising. (1)
    pub frictions: &'static [f32],
    /// F: the last axis, Γ, runs fastest, then ψ, then μ. (1)
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

impl FeedTable {
    /// Refuse a table whose axes do not rise or that has too few or too many speeds.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::OutOfRange`] with the name of what is wrong.
    pub fn check(&self) -> Result<(), Error> {
        finite(self.incline, "incline")?;
        for (axis, name) in [(self.throws, "throws"), (self.angles, "angles"), (self.frictions, "frictions")] {
            axis.iter().try_for_each(|&x| non_negative(x, name))?;
            let rises = axis.iter().zip(axis.iter().skip(1)).all(|(a, b)| a < b);
            if axis.is_empty() || !rises {
                return Err(Error::OutOfRange(name));
            }
        }
        self.speeds.iter().try_for_each(|&x| finite(x, "speeds"))?;
        let nodes = self.throws.len().saturating_mul(self.angles.len()).saturating_mul(self.frictions.len());
        if self.speeds.len() == nodes { Ok(()) } else { Err(Error::OutOfRange("speeds")) }
    }

    /// Mean speed of a part along the track, negative where it goes back. m/s
    ///
    /// `gravity` is g, m/s². Never panics; nothing vibrates at a frequency of zero or less.
    pub fn speed(&self, swing: &Swing, friction: f32, gravity: f32) -> f32 {
        let Swing { normal, tangential, frequency } = *swing;
        // cos θ of a slope that parts still climb, to 1e-6
        let slope = self.incline * self.incline;
        let g = gravity * (1.0 - slope * 0.5 + slope * slope * (1.0 / 24.0));
        if frequency <= 0.0 || g <= 0.0 || tangential <= 0.0 {
            return 0.0;
        }
        let omega = TAU * frequency;
        let throw = normal * omega * omega / g;
        let (throw, throw_at) = place(self.throws, throw);
        let (angle, angle_at) = place(self.angles, normal / tangential);
        let (mu, mu_at) = place(self.frictions, friction);
        let row = |mu: usize, angle: usize| {
            let index = mu.saturating_mul(self.angles.len()).saturating_add(angle).saturating_mul(self.throws.len());
            let at = |k: usize| self.speeds.get(index.saturating_add(k)).copied().unwrap_or(0.0);
            between(at(throw), at(next(throw, self.throws)), throw_at)
        };
        let sheet = |mu: usize| between(row(mu, angle), row(mu, next(angle, self.angles)), angle_at);
        let f = between(sheet(mu), sheet(next(mu, self.frictions)), mu_at);
        f * g / frequency
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
        incline: 0.0,
        throws: &[0.0, 1.0, 3.0],
        angles: &[0.5, 1.0],
        frictions: &[0.1, 0.3],
        speeds: &[0.0, 1.0, 5.0, 0.0, 2.0, 6.0, 10.0, 11.0, 15.0, 10.0, 12.0, 16.0],
    };

    /// F at a throw number, a tangent and a friction.
    fn f(throw: f32, tangent: f32, friction: f32) -> f32 {
        let (g, frequency) = (9.81, 50.0);
        let normal = throw * g / (TAU * frequency * TAU * frequency);
        TABLE.speed(&Swing { normal, tangential: normal / tangent, frequency }, friction, g) * frequency / g
    }

    #[test]
    fn speeds_are_linear_between_nodes_and_stay_at_the_ends() {
        for (got, expected) in [
            (f(1.0, 0.5, 0.1), 1.0),
            (f(2.0, 0.5, 0.1), 3.0),
            (f(2.0, 0.75, 0.1), 3.5),
            (f(2.0, 0.75, 0.2), 8.5),
            (f(9.0, 9.0, 9.0), 16.0),
            (f(1.0, 0.1, 0.0), 1.0),
        ] {
            assert!((got - expected).abs() < 1e-4, "{got} {expected}");
        }
    }

    #[test]
    fn tables_that_are_none_are_refused() {
        assert_eq!(TABLE.check(), Ok(()));
        assert_eq!(FeedTable { throws: &[1.0, 0.5], ..TABLE }.check(), Err(Error::OutOfRange("throws")));
        assert_eq!(FeedTable { angles: &[], ..TABLE }.check(), Err(Error::OutOfRange("angles")));
        assert_eq!(FeedTable { speeds: &[1.0], ..TABLE }.check(), Err(Error::OutOfRange("speeds")));
        assert_eq!(FeedTable { frictions: &[f32::NAN], ..TABLE }.check(), Err(Error::NonFinite("frictions")));
    }
}
