//! What a caller chooses.

use crate::error::Error;
use crate::math::Real;

/// How to solve. Plain data: [`check`](Settings::check)ed at every solve.
///
/// ```
/// use tumble::{FrictionModel, Settings};
/// let settings = Settings::<f32> { iterations: 20, friction: FrictionModel::Ccp, ..Settings::default() };
/// assert_eq!(settings.omega, 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(default, deny_unknown_fields, bound(deserialize = "R: Real + serde::Deserialize<'de>"))
)]
pub struct Settings<R> {
    /// How to solve. Default [`Method::Hybrid`].
    pub method: Method,
    /// ω of [`Method::Psor`], over- or under-relaxation: `0 < ω < 2`. (1) Default 1.
    pub omega: R,
    /// Cap on the number of sweeps, and on that of pivots. Default 100. For [`Answer::Best`] sweeps are made in whole rounds of ten: a cap of 19
    /// is one of 10, and one of 9 is one of 4 (see [`solve`](super)). Where few sweeps leave more error than the start had, the answer is the start.
    pub iterations: u32,
    /// Energy error at which to stop early, ≥ 0. (J) Default 1e-12: a part of 1 g that is off by 0.05 mm/s.
    pub tolerance: R,
    /// Friction model of cone and pyramid contacts. Default [`FrictionModel::Ncp`].
    pub friction: FrictionModel,
    /// Step size of rows that are projected together, of [`Method::Psor`]. Default [`StepRule::Safe`].
    pub step: StepRule,
    /// Where to start. Default [`Start::Warm`].
    pub start: Start,
    /// Which iterate to return. Default [`Answer::Best`]; a world's steps go on from the last, whatever it says here.
    pub answer: Answer,
    /// No impulse of the solution is larger than this: what the parts can take. Only [`Report::bound`](super::Report::bound) asks. (N·s) Default
    /// infinite.
    pub impulse_ceiling: R,
}

/// How to iterate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Method {
    /// Projected SOR as it is (Tasora 2006, Alg. 4.1).
    Psor,
    /// Every contact solved by itself in its turn, outwards from the ground; no acceleration.
    Block,
    /// The same, accelerated by Nesterov's method with restarts.
    Nesterov,
    /// The same, accelerated by Anderson's method with a memory of two sweeps.
    Anderson,
    /// By pivots ([`Exact`](super::Exact)). In a world, islands that the memory given has no room for are swept as by `Anderson`.
    Simplex,
    /// By pivots where sweeps take long and there is room: islands with joints, with bodies in touch of which one has eight times the other's mass, or five high and higher. Everything else is swept as
    /// by `Anderson`; so is what pivots have not solved within the cap. Of an island with joints that is too large the joints alone are solved exactly, in every sweep. Without
    /// memory for pivots ([`World::step_with`](crate::world::World::step_with)) it is `Anderson`.
    #[default]
    Hybrid,
}

impl Method {
    /// Does it take pivots?
    pub(crate) const fn is_exact(self) -> bool {
        matches!(self, Self::Simplex | Self::Hybrid)
    }
}

/// Which law a frictional contact obeys; see the [module](crate::solve) for the difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum FrictionModel {
    /// Cone complementarity: convex, and a sliding contact opens at `w_n = μ|w_t|`.
    Ccp,
    /// Exact Coulomb friction with De Saxcé's correction: a sliding contact stays closed.
    #[default]
    Ncp,
}

/// Step size of rows that are projected together (three in `Ccp`; two, the tangents, in `Ncp`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum StepRule {
    /// Kept below the limit at which one contact by itself would not converge.
    #[default]
    Safe,
    /// ω over the mean of their diagonal: plain PSOR as in Chrono; may diverge.
    Average,
}

/// Impulses to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Start {
    /// Those the rows hold, projected onto their sets, or none, whichever is nearer the solution; a new row holds zero. [`Method::Psor`] does not compare.
    #[default]
    Warm,
    /// Zero, projected onto the sets.
    Cold,
    /// Those the rows hold, projected onto their sets, without a look at how good they are: two passes over all rows less. As nobody knows how much of an error there was to
    /// mend, sweeps end by tolerance in whole rounds of ten only. For steps of few sweeps that follow each other closely. Wherever an answer may be needed before a sweep has ended, or must not be worse than the start, it is `Warm`: with a clock, with
    /// [`Answer::Best`] (but not [`Method::Psor`]), with a cap of 0, by pivots.
    Trusted,
}

/// Which iterate is the answer when no tolerance is reached. [`Method::Psor`] has the last, unless time runs out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Answer {
    /// The one with the least energy error, of whole rounds of sweeps: never worse than the start, than no impulses, or, from a cap of four up, than with a smaller
    /// one (see [`solve`](super)).
    #[default]
    Best,
    /// That of the last sweep, unless it has gone astray: every sweep counts, and the exact energy error is taken once. For a step whose impulses the next one
    /// starts from: the energy error hardly sees slow modes. A step that goes back to its start because nothing looks better mends nothing of them, and
    /// what is never mended adds up: a stack of ten boxes falls.
    Last,
}

impl<R: Real> Default for Settings<R> {
    fn default() -> Self {
        Self {
            method: Method::default(),
            omega: R::ONE,
            iterations: 100,
            tolerance: R::from_f64(1e-12),
            friction: FrictionModel::default(),
            step: StepRule::default(),
            start: Start::default(),
            answer: Answer::default(),
            impulse_ceiling: R::INFINITY,
        }
    }
}

impl<R: Real> Settings<R> {
    /// Are these settings usable?
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::OutOfRange`]`("omega")`, [`Error::Negative`]`("tolerance")` or [`Error::NonPositive`]`("impulse_ceiling")`.
    pub fn check(&self) -> Result<(), Error> {
        if !self.omega.is_finite() {
            return Err(Error::NonFinite("omega"));
        }
        if self.omega <= R::ZERO || self.omega >= R::ONE + R::ONE {
            return Err(Error::OutOfRange("omega"));
        }
        if !self.tolerance.is_finite() {
            return Err(Error::NonFinite("tolerance"));
        }
        if self.tolerance < R::ZERO {
            return Err(Error::Negative("tolerance"));
        }
        // x != x only for NaN; an infinite ceiling is none
        #[allow(clippy::eq_op)]
        if self.impulse_ceiling != self.impulse_ceiling {
            return Err(Error::NonFinite("impulse_ceiling"));
        }
        if self.impulse_ceiling <= R::ZERO {
            return Err(Error::NonPositive("impulse_ceiling"));
        }
        Ok(())
    }
}
