//! When a solve looks at the exact energy error, which takes nearly as long as a sweep.
//!
//! ```text
//! every round          the best iterate must be known, or whether the estimate hides an end
//! estimate ≤ ask       ask = tolerance;  after a look in vain  ask = estimate · tolerance/energy
//! estimate ≤ rounded   what is left may be rounding; after a look in vain not for some sweeps
//! ```
//! The plain method always asks by the tolerance, and after a look in vain not for some sweeps.
//!
//! The estimate adds up what blocks missed at their turn, the exact error what they miss after the sweep: their ratio is a matter of the problem and changes
//! little. Where the estimate was too hopeful, the next look waits until it has fallen by as much as the error still has to.

use super::{Answer, Method, Settings};
use crate::math::Real;

/// Sweeps between two looks, at most.
const ROUND: u32 = 10;
/// What a cap from here up to a round counts as: sweeps between may make the energy error a little larger.
const FIRST: u32 = 4;
/// The round of the plain method, to which it only says when to stop.
const PLAIN_ROUND: u32 = 64;
/// Sweeps between two looks for rounding, or of the plain method.
const LOOK_AGAIN: u32 = 8;
/// Within a round a step's solve may stop when its error has fallen to this share of the start's: all modes are mended, not only the visible ones.
const MENDED: f64 = 1e-6;
/// An error of so many ε² times the start's may be all rounding.
const ROUNDED: f64 = 64.0;

pub(super) struct Looks<R> {
    plain: bool,
    answer: Answer,
    round: u32,
    in_round: u32,
    tolerance: R,
    /// the estimate that asks for a look
    ask: R,
    mended: R,
    rounded: R,
    /// sweep of the next look for rounding, or of the plain method
    next_look: u32,
}

impl<R: Real> Looks<R> {
    /// Of a solve that begins with this energy error, and may or may not be cut off by a clock.
    pub(super) fn new(settings: &Settings<R>, start: R, timed: bool) -> Self {
        let plain = settings.method == Method::Psor;
        Self {
            plain,
            answer: settings.answer,
            round: if plain && !timed { PLAIN_ROUND } else { ROUND },
            in_round: 0,
            tolerance: settings.tolerance,
            ask: settings.tolerance,
            // of a start that nobody looked at no share is known: whole rounds
            mended: if start.is_finite() { R::from_f64(MENDED) * start } else { R::ZERO },
            rounded: R::from_f64(ROUNDED) * R::EPSILON * R::EPSILON * start,
            next_look: 0,
        }
    }

    /// Sweeps to make: the best iterate comes in whole rounds, so that of every sweep at which a cap could end it is known how good it was.
    pub(super) fn cap(&self, iterations: u32) -> u32 {
        match iterations {
            all if self.plain || self.answer == Answer::Last => all,
            ROUND.. => iterations / ROUND * ROUND,
            FIRST..ROUND => FIRST,
            few => few,
        }
    }

    /// Is there reason to look after that many sweeps, the last of which estimates this much?
    pub(super) fn due(&mut self, sweeps: u32, estimate: R) -> bool {
        self.in_round = self.in_round.saturating_add(1);
        let round_over = self.in_round == self.round;
        if round_over {
            self.in_round = 0;
        }
        let may_be_rounding = self.answer == Answer::Best && !self.plain && estimate <= self.rounded;
        let rested = sweeps >= self.next_look;
        let asked = match self.answer {
            Answer::Best => estimate <= self.ask && (rested || !self.plain) || may_be_rounding && rested,
            Answer::Last => estimate <= self.ask && estimate <= self.mended,
        };
        let due = match self.answer {
            _ if self.plain => round_over,
            Answer::Best => round_over || sweeps == FIRST,
            Answer::Last => round_over && estimate <= self.tolerance,
        };
        let look = asked || due;
        if look && (may_be_rounding || self.plain) {
            self.next_look = sweeps.saturating_add(LOOK_AGAIN);
        }
        look
    }

    /// A look at what estimates this much found so much.
    pub(super) fn found(&mut self, estimate: R, energy: R) {
        let hope = self.tolerance / energy;
        // others are compared with the plain method: it ends where it always has
        if !self.plain && estimate <= self.tolerance && hope < R::ONE {
            self.ask = estimate * hope;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(answer: Answer, tolerance: f64) -> Looks<f64> {
        Looks::new(&Settings { answer, tolerance, ..Settings::default() }, 1.0, false)
    }

    /// The sweeps of so many after which it looks, each told its estimate and found what is given.
    fn sweeps_with_looks(looks: &mut Looks<f64>, error: impl Fn(u32) -> (f64, f64)) -> std::vec::Vec<u32> {
        let look = |sweep: &u32| {
            let (estimate, energy) = error(*sweep);
            let due = looks.due(*sweep, estimate);
            if due {
                looks.found(estimate, energy);
            }
            due
        };
        (1..=40).filter(look).collect()
    }

    #[test]
    fn an_estimate_that_is_too_hopeful_is_asked_once_more_and_rightly() {
        // tenfold less with each sweep; the exact error is a hundred times the estimate, and small enough two sweeps later
        let error = |sweep: u32| (0.1_f64.powi(sweep as i32), 100.0 * 0.1_f64.powi(sweep as i32));
        let sweeps = sweeps_with_looks(&mut looks(Answer::Last, 1.1e-7), error);
        assert_eq!(sweeps[..2], [7, 9]);
    }

    #[test]
    fn whatever_was_found_a_round_is_the_longest_without_a_look() {
        for answer in [Answer::Best, Answer::Last] {
            for energy in [1.0, 1e300, f64::INFINITY, f64::NAN] {
                let mut looks = looks(answer, 1e-3);
                let sweeps = sweeps_with_looks(&mut looks, |_| (5e-4, energy));
                assert!([10, 20, 30, 40].iter().all(|round| sweeps.contains(round)), "{sweeps:?}");
            }
        }
    }

    #[test]
    fn of_a_start_that_nobody_looked_at_whole_rounds_are_made() {
        let settings = Settings { answer: Answer::Last, tolerance: 1e-3, ..Settings::default() };
        let sweeps = sweeps_with_looks(&mut Looks::new(&settings, f64::INFINITY, false), |_| (1e-9, 1e-9));
        assert_eq!(sweeps, [10, 20, 30, 40]);
    }

    #[test]
    fn nothing_asks_where_no_error_is_small_enough() {
        // the first, whole rounds, and rounding now and then
        assert_eq!(sweeps_with_looks(&mut looks(Answer::Best, 0.0), |_| (1e-3, 1.0)), [4, 10, 20, 30, 40]);
        assert_eq!(
            sweeps_with_looks(&mut looks(Answer::Best, 0.0), |_| (1e-40, 1.0)),
            [1, 4, 10, 18, 20, 28, 30, 38, 40]
        );
        assert!(sweeps_with_looks(&mut looks(Answer::Last, 0.0), |_| (1e-40, 1.0)).is_empty());
        assert!(sweeps_with_looks(&mut looks(Answer::Last, 1e-3), |_| (f64::NAN, 1.0)).is_empty());
    }
}
