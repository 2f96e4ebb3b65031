//! The solvers: they know rows, not bodies.
//!
//! `prepare → warm_start → sweep → certify`. A solve returns within its cap and says how wrong it still is; running out of
//! iterations is a [`Status`], not an error.
//!
//! # Two friction models
//! They are different problems with different answers; nothing here ever mixes them.
//!
//! * [`FrictionModel::Ncp`], **the default**: exact Coulomb friction. `γ ∈ K`, `w̃ ∈ K*`, `γ·w̃ = 0` with De Saxcé's correction
//!   `w̃_n = w_n + μ|w_t|`. A sliding contact stays closed. It is the default because it is what a part on a feeder
//!   feels, and its sweep is also the cheapest: normal row first, then both tangents onto the disc of radius `μγ_n`.
//!   Not a convex problem: no theorem promises convergence, the energy error certifies each answer.
//! * [`FrictionModel::Ccp`]: cone complementarity, `γ ∈ K`, `w ∈ K*`, `γ·w = 0`. Convex, `v` unique, convergence proved; but
//!   a sliding contact opens at `w_n = μ|w_t|`, so a part conveyed by sliding floats.
//!
//! # Step sizes
//! Rows that are projected together share one step. [`StepRule::Average`] takes ω over the mean of their diagonal, as
//! Chrono does; in a `Ccp` contact it diverges where `ω λ_max(N_ii)/g > 2`, which lever arms of real parts reach.
//! [`StepRule::Safe`], **the default**, never exceeds 1.5/λ_max there (λ_max bounded from above), so that every update lowers
//! the dual objective whatever ω. In `Ncp` it takes ω over a bound on λ_max of the two tangents, and keeps the normal's step
//! below 1.5 over what the normal row feels of itself through the friction it allows, `N_nn + μ|N_nt|`: without that the impulse
//! of a contact with a long lever arm goes back and forth for ever. A friction pair, such as rolling friction, has the step
//! of two tangents in either model; friction of every kind counts in what its lead feels, if that has a step of its own.

pub(crate) mod admissible;
mod energy;
mod psor;
mod report;
mod settings;

pub(crate) use psor::{row_velocity, start_again};
pub use report::{Report, Status};
pub use settings::{FrictionModel, Settings, Start, StepRule};

use crate::error::Error;
use crate::math::{Real, Vec6};
use crate::rows::{Problem, Row};

impl<R: Real, const BODIES: usize, const ROWS: usize> Problem<R, BODIES, ROWS> {
    /// Solve by projected SOR (Tasora 2006, Alg. 4.1), at most `settings.iterations` sweeps.
    ///
    /// Never panics, allocates or recurses. Cost, all linear in the number of rows: one pass to prepare, one to start, one a sweep,
    /// one to certify the answer, and at most one more certificate in eight sweeps to know when to stop. Cut off by the cap, velocities and impulses are those of the last sweep, with every
    /// impulse inside its set.
    ///
    /// # Errors
    /// Only for unusable settings ([`Settings::check`]); then nothing has changed.
    pub fn solve(&mut self, settings: &Settings<R>) -> Result<Report<R>, Error> {
        settings.check()?;
        let (z, rows) = self.buffers();
        z.iter_mut().for_each(|z| *z = Vec6::ZERO);
        let report = solve_rows(z, rows, settings);
        // z may be a number where G z is none
        if !self.velocities().all(Vec6::is_finite) {
            let (z, rows) = self.buffers();
            psor::fall_back(z, rows);
            return Ok(Report { status: Status::NonFinite, energy: R::INFINITY, violation: R::INFINITY, ..report });
        }
        Ok(report)
    }

    /// `max_i |γ_i − P_K(γ_i − w_i)|` of the present state: zero exactly at a solution, infinite where a number overflows.
    ///
    /// The residual solver papers report. It adds N·s to m/s, so it only compares methods on one problem; for a physical
    /// measure see [`Report::energy`].
    pub fn natural_residual(&self, friction: FrictionModel) -> R {
        let (z, rows) = self.state();
        energy::natural_residual(z, rows, friction)
    }
}

/// Sweeps between two certificates that the running estimate asks for.
const CERTIFY_AGAIN: u32 = 8;
/// Sweeps between two certificates that it does not ask for: in single precision redundant impulses may wander for ever without
/// doing harm.
const CERTIFY_ANYWAY: u32 = 64;

/// Slice core: one copy of the kernel however many problem sizes a firmware has. `z` comes in as zero; only bodies of these rows are
/// read or written.
pub(crate) fn solve_rows<R: Real>(z: &mut [Vec6<R>], rows: &mut [Row<R>], settings: &Settings<R>) -> Report<R> {
    psor::prepare(rows, settings);
    psor::warm_start(z, rows, settings.start);

    let (mut iterations, mut stalled) = (0, false);
    let mut certificate = None;
    // sweeps until another certificate may be asked for
    let mut wait = 0_u32;
    for sweep in 1..=settings.iterations {
        iterations = sweep;
        let estimate = psor::sweep(z, rows, settings.friction);
        // nothing moved, so nothing ever will; and what has overflowed does not come back
        stalled = estimate == R::ZERO;
        let over = stalled || !estimate.is_finite();
        wait = wait.saturating_sub(1);
        certificate = None;
        if over || (estimate <= settings.tolerance && wait == 0) || sweep % CERTIFY_ANYWAY == 0 {
            let exact = energy::certify(z, rows, settings.friction);
            certificate = Some(exact);
            wait = CERTIFY_AGAIN;
            if stalled || !exact.finite || exact.energy <= settings.tolerance {
                break;
            }
        }
    }
    let exact = match certificate {
        Some(exact) => exact,
        None => energy::certify(z, rows, settings.friction),
    };

    let status = if !exact.finite {
        psor::fall_back(z, rows);
        Status::NonFinite
    } else if exact.energy <= settings.tolerance {
        Status::Converged
    } else if stalled {
        Status::Stalled
    } else {
        Status::Cap
    };
    Report { status, iterations, energy: exact.energy, violation: exact.violation }
}
