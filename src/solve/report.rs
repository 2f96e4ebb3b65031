//! What every solve says of itself.

use super::ClockHealth;
use crate::math::{Real, max};

/// Verdict of one solve, returned by value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[must_use = "a solve may have been cut off: look at the status or the energy"]
pub struct Report<R> {
    /// What stopped it.
    pub status: Status,
    /// Sweeps made, or pivots of the exact solver; in a world's step by [`Method::Hybrid`](super::Method::Hybrid) both together.
    pub iterations: u32,
    /// Exact energy error of the answer: zero exactly at a solution (Enzenhöfer eq. 4–6, extended to cones). J
    pub energy: R,
    /// Infinite by default wherever there are contacts: it takes [`FrictionModel::Ccp`](super::FrictionModel::Ccp) and an impulse ceiling.
    ///
    /// Rigorous: `½ |v − v*|²_M` is no larger, v* being the solution's velocities. The duality gap of the convex problem, for solutions whose impulses are within
    /// [`Settings::impulse_ceiling`](super::Settings::impulse_ceiling); infinite where there is no such bound: velocities outside their dual
    /// cone without a ceiling, exact Coulomb friction, friction bounded by another row. J
    pub bound: R,
    /// Largest velocity by which a row, a contact or a friction pair misses its law: `max_i a|γ_i − P_K(γ_i − w_i/a)|`, a = g + c, of rows that are projected
    /// together their mean. m/s
    pub violation: R,
    /// `max(γ·w, 0)`: the kinetic energy of the answer is at most `½|v_free|²_M + γ·e + gain`. Zero at a solution, unless a
    /// bounded row excludes zero (lo > 0 or hi < 0): such a row drives, and its work counts.
    ///
    /// Compare it with the kinetic energy, not with [`energy`](Self::energy): that is of second order in the error and measures each
    /// row by itself, while in a chain that was cut off the errors of many rows act together. Zero does not mean solved: impulses that are
    /// too small add nothing. J
    pub gain: R,
    /// What was seen of the clock, if one was given.
    pub clock: ClockHealth,
}

impl<R: Real> Report<R> {
    /// Of nothing to solve.
    pub(crate) const NOTHING: Self = Self {
        status: Status::Converged,
        iterations: 0,
        energy: R::ZERO,
        bound: R::ZERO,
        violation: R::ZERO,
        gain: R::ZERO,
        clock: ClockHealth::Good,
    };

    /// Of two problems that have nothing to do with each other, solved side by side.
    pub(crate) fn beside(self, other: Self) -> Self {
        let energy = self.energy + other.energy;
        let worse = if other.status.rank() > self.status.rank() { other.status } else { self.status };
        Self {
            status: if energy.is_finite() { worse } else { Status::NonFinite },
            iterations: if other.iterations > self.iterations { other.iterations } else { self.iterations },
            energy,
            bound: self.bound + other.bound,
            violation: max(other.violation, self.violation),
            gain: self.gain + other.gain,
            clock: if other.clock == ClockHealth::Good { self.clock } else { other.clock },
        }
    }

    /// Of one problem and the next.
    pub(crate) fn followed_by(self, other: Self) -> Self {
        Self { iterations: self.iterations.saturating_add(other.iterations), ..self.beside(other) }
    }
}

/// What stopped a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Status {
    /// The energy error is within the tolerance.
    Converged,
    /// The cap on iterations; the answer is the best found, the energy says how good it is.
    Cap,
    /// Time was up; the answer is the best found, the energy says how good it is.
    Deadline,
    /// The last sweep moved nothing any more, or no row misses its law by more than its impulse rounds, above the tolerance: as near as this precision, or
    /// this ω, gets.
    Stalled,
    /// Rows contradict each other, or seem to in this precision (masses more than about 1e5 apart in single precision, 1e10 in double): the last
    /// moves changed nothing of what is still wrong. The answer is the best found. Of the exact solver.
    Infeasible,
    /// Numbers overflowed on the way. The answer is the best before that; if even the start overflowed, the safe one: `v = v_free`, impulses
    /// are zero projected onto their sets, energy and violation infinite.
    NonFinite,
}

impl Status {
    /// The worse, the higher.
    const fn rank(self) -> u8 {
        match self {
            Self::Converged => 0,
            Self::Stalled => 1,
            Self::Cap => 2,
            Self::Deadline => 3,
            Self::Infeasible => 4,
            Self::NonFinite => 5,
        }
    }
}

impl core::fmt::Display for Status {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // pad, so that a width in the format string works
        f.pad(match self {
            Self::Converged => "converged",
            Self::Cap => "cap",
            Self::Deadline => "deadline",
            Self::Stalled => "stalled",
            Self::Infeasible => "infeasible",
            Self::NonFinite => "non_finite",
        })
    }
}
