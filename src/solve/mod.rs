//! The solvers: they know rows, not bodies.
//!
//! `prepare → start → sweep → mix → certify`. A solve returns within its cap and its time with the best answer found, and says how wrong it still is;
//! running out of either is a [`Status`], not an error.
//!
//! # Methods
//! * [`Method::Anderson`]: every contact is solved by itself in its turn, exactly where it sticks; what the sweep makes of the
//!   impulses is extrapolated from the last three (Anderson's method, memory two). Fewer sweeps, a little more work in each.
//! * [`Method::Hybrid`], **the default**: the same, and by pivots what sweeps take long for, if there is memory for that ([`Exact`]): heavy bodies on light ones,
//!   mechanisms, high stacks.
//! * [`Method::Simplex`]: by pivots.
//! * [`Method::Nesterov`], [`Method::Block`]: the same sweeps accelerated otherwise, and not at all: to compare with.
//! * [`Method::Psor`]: the plain sweep of Tasora 2006 in the order in which rows were added, from the start it is told, to the last iterate: to compare
//!   with.
//!
//! Tried at the same price and lost; times less error than plain PSOR leaves on the recorded problems after 20 sweeps, geometric mean:
//!
//! | change | `ccp` | `ncp` | |
//! | --- | --- | --- | --- |
//! | none | 998 | 147 | |
//! | two Newton steps instead of one towards a sliding contact's direction | 1029 | | 3 % more instructions in `ccp`: 53 instead of 65 times less error at equal instructions |
//! | with these two, and | | | |
//! | sticking contacts over-relaxed by 1.1, 1.2, 1.3 | 517, 375, 318 | 81, 93, 74 | at best a quarter less error on piles of 36 cubes or 100 spheres |
//! | memory of one | 292 | 88 | |
//! | guard of 1, 2, 4 instead of 1.5 | 1061, 998, 702 | 92, 145, 145 | 1 and 4 are worse than plain on some |
//! | Nesterov's method for the first 8, 15 sweeps | 871, 726 | 115, 78 | |
//! | the same after 8 sweeps, if five of them left more than a tenth of `‖f‖²` | 650 | 141 | a sixth to a half less error on rough piles; from 20 sweeps on: at 50 up to six times less on them, a third more here |
//! | `z` made of γ anew at every look | 1029 | 147 | in f32 a third more error after 20 sweeps; it is done where it may matter, see [below](#consistency) |
//!
//! # The best iterate
//! Of all methods but the plain one, and of that when time runs out:
//!
//! After four sweeps, after every ten, at the start and at the end, the exact energy error is taken (Enzenhöfer eq. 4–6), and the best iterate is kept. The start
//! is the better of a warm start and no impulses at all. So an answer is never worse than either, and at caps of 4, 10, 20, 30, … a larger cap is
//! never worse than a smaller one; caps between are rounded down. Caps of 1 to 3 certify their last sweep only: there a larger one was never worse on any recorded problem, but
//! may be on others.
//!
//! # How wrong
//! | what | when | what it means |
//! | --- | --- | --- |
//! | running estimate | in every sweep | `½ a &#124;Δγ&#124;²` of each block at its turn: inside its bounds the block's energy error at that moment. Decides when to look closer |
//! | [`Report::energy`] | every ten sweeps, and at the end | the exact energy error: zero exactly at a solution. Decides what is best, and when to stop |
//! | [`Report::bound`] | with it | rigorous, where theory gives a bound: the distance from the solution in kinetic energy is no larger |
//! | [`Report::gain`] | with it | rigorous: the kinetic energy of the answer is at most `½&#124;v_free&#124;² + γ·e + gain`, whatever is wrong with its impulses |
//!
//! Compare [`energy`](Report::energy) and [`gain`](Report::gain) with the kinetic energy at stake, [`violation`](Report::violation) with the speeds that
//! matter. Too large: more sweeps, a warm start, or the direct solver ([`Exact`]).
//!
//! # Consistency
//! Part of what is certified: velocities and impulses of an answer belong together, `M v = M v_free + Eᵀγ`.
//! The energy error is that of the impulses, whatever the sweeps have rounded by on the way.
//!
//! Sweeps keep `z = Σ Ē_iᵀ γ_i` up to date and the accelerated methods mix it apart from γ, so that it drifts by
//! rounding. The variance of that drift is followed from sweep to sweep through the weights of the mixtures, some
//! thirty operations a sweep. z is summed up anew before the drift is as large as the energy error found, and before
//! it is half the digits of z.
//!
//! What remains is rounding. For every answer
//!
//! ```text
//! ½ |v − v_free − M⁻¹Eᵀγ|²_M ≤ 10 energy + ½ (32 ε)² Σ_rows (s_a + s_b)²
//!     s_b = |v_free,b|_M + |v_b|_M + Σ_i |E_i|_{M⁻¹} |γ_i|      what the velocity of body b is summed up from
//! ```
//! `cargo xtask attack consistency` looks for an answer that breaks this in 10⁵ random problems of joints, contacts
//! and both, and `tests/consistency.rs` in some hundreds.
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
mod anderson;
mod budget;
mod drift;
mod energy;
mod joined;
mod ldl;
mod local;
mod looks;
mod mixture;
mod nesterov;
mod polygon;
mod prepare;
mod report;
mod settings;
mod simplex;
mod start;
mod state;
mod sweep;

pub use budget::{Budget, Clock, ClockHealth, PLACES_BETWEEN_READINGS, ROWS_BETWEEN_READINGS};
pub use energy::energy_error;
pub use report::{Report, Status};
pub use settings::{Answer, FrictionModel, Method, Settings, Start, StepRule};
pub use simplex::{Exact, ExactMemory};

use budget::Pace;
pub(crate) use budget::Watch;
pub(crate) use state::Change;
pub(crate) use sweep::row_velocity;

use crate::error::Error;
use crate::math::{Real, Vec6};
use crate::rows::{Problem, Row};
use anderson::Anderson;
use drift::Drift;
use energy::{Certificate, certify};
use looks::Looks;
use mixture::Mixture;
use nesterov::Nesterov;

impl<R: Real, const BODIES: usize, const ROWS: usize> Problem<R, BODIES, ROWS> {
    /// Solve, at most `settings.iterations` sweeps.
    ///
    /// Never panics, allocates or recurses. Cost, all linear in the number of rows: one pass to prepare, two or three to start, one a sweep,
    /// one in ten sweeps and one at the end to certify the answer, and, where velocities may have drifted from impulses by rounding, up to three more
    /// with a certificate and one with a sweep, to sum them up anew. Velocities and impulses are the best found, with every impulse
    /// inside its set.
    ///
    /// # Errors
    /// Only for unusable settings ([`Settings::check`]); then nothing has changed.
    pub fn solve(&mut self, settings: &Settings<R>) -> Result<Report<R>, Error> {
        self.solve_watched(settings, &mut Watch::none())
    }

    /// Solve until time is up, or as [`solve`](Self::solve).
    ///
    /// To prepare and to start takes about the time of two sweeps, to put the rows of a new problem into order as long again, and is always done. From then on the clock is read after at most
    /// [`ROWS_BETWEEN_READINGS`] rows, sweeping or taking the exact energy error: past the deadline comes no more than the work on these, and a last look at the velocity
    /// of every body. The energy error is taken
    /// only where there seems to be time for it, by what it took before, or by what the sweep took. Time for going back to the best answer is set aside. After the reading that finds
    /// time up there are at most two more. How many sweeps there is time for depends on the clock: where the same bits are to come out again, plan the
    /// sweeps instead ([`Settings::iterations`]).
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solve_within(&mut self, settings: &Settings<R>, budget: &mut Budget<'_>) -> Result<Report<R>, Error> {
        let deadline = budget.ticks();
        self.solve_watched(settings, &mut Watch::until(budget, deadline))
    }

    fn solve_watched(&mut self, settings: &Settings<R>, watch: &mut Watch<'_, '_>) -> Result<Report<R>, Error> {
        settings.check()?;
        if settings.method == Method::Psor {
            self.order_as_added();
        } else {
            self.order_outwards();
        }
        let (changes, rows) = self.buffers();
        let report = solve_rows(changes, rows, settings, watch);
        Ok(self.if_finite(report))
    }

    /// The report of a solve, unless its answer is none: z may be a number where G z is none.
    fn if_finite(&mut self, report: Report<R>) -> Report<R> {
        // Σ 0 v: no number as soon as one of them is not finite
        let nothing = self.velocities().fold(R::ZERO, |sum, velocity| sum + velocity.dot(Vec6::ZERO));
        if nothing == R::ZERO {
            return report;
        }
        let (changes, rows) = self.buffers();
        start::fall_back(changes, rows);
        let (status, nothing) = (Status::NonFinite, R::INFINITY);
        Report { status, energy: nothing, bound: nothing, violation: nothing, gain: nothing, ..report }
    }

    /// `max_i |γ_i − P_K(γ_i − w_i)|` of the present state: zero exactly at a solution, infinite where a number overflows.
    ///
    /// The residual solver papers report. It adds N·s to m/s, so it only compares methods on one problem; for a physical
    /// measure see [`Report::energy`].
    pub fn natural_residual(&self, friction: FrictionModel) -> R {
        let (changes, rows) = self.state();
        energy::natural_residual(changes, rows, friction)
    }
}

/// The last iterate has gone astray when its error is so many times that of the best.
const ASTRAY: f64 = 16.0;

/// Slice core: one copy of the kernel however many problem sizes a firmware has. `changes` are those of the rows' bodies and no others.
pub(crate) fn solve_rows<R: Real>(
    changes: &mut [Change<R>],
    rows: &mut [Row<R>],
    settings: &Settings<R>,
    watch: &mut Watch<'_, '_>,
) -> Report<R> {
    solve_rows_with(changes, rows, settings, watch, None)
}

/// The first so many rows, solved exactly in every sweep.
pub(crate) struct Joints<'a, R> {
    pub(crate) exact: &'a mut dyn ExactMemory<R>,
    pub(crate) rows: usize,
}

/// The same, with joints that are solved exactly if there is room.
pub(crate) fn solve_rows_with<R: Real>(
    changes: &mut [Change<R>],
    rows: &mut [Row<R>],
    settings: &Settings<R>,
    watch: &mut Watch<'_, '_>,
    mut joints: Option<Joints<'_, R>>,
) -> Report<R> {
    let answer = settings.answer;
    let turns = prepare::prepare(rows, settings);
    let plain = settings.method == Method::Psor;
    // what neither mixes nor turns has a kernel without memory
    let mixes = turns || !matches!(settings.method, Method::Psor | Method::Block);
    // after a sweep at the latest an answer is known
    let trusts = settings.start == Start::Trusted
        && (plain || answer == Answer::Last)
        && (joints.is_none() && settings.iterations > 0 && !watch.is_running());
    let mut best = if trusts { start::trust(changes, rows) } else { start::start(changes, rows, settings) };
    if !best.finite {
        start::fall_back(changes, rows);
        return best.report(Status::NonFinite, 0, watch);
    }
    // going back to the best takes as long as keeping it
    let before = watch.left();
    if mixes {
        state::begin(changes, rows);
    } else {
        state::keep(changes, rows);
    }
    let after = watch.left();
    watch.set_aside(before.saturating_sub(after));

    joints = joints.and_then(|joints| {
        let rows = rows.get_mut(..joints.rows)?;
        joints.exact.begin_joints(changes, rows, best.energy, watch).then_some(joints)
    });
    let mut looks = Looks::new(settings, best.energy, watch.is_running());
    let cap = looks.cap(settings.iterations);
    let solved = |energy: R| energy <= settings.tolerance;
    // at least one sweep: without impulses a light part is always near enough
    let mut status = if cap == 0 && solved(best.energy) { Status::Converged } else { Status::Cap };
    let (mut sweeps, mut at_best) = (0_u32, true);
    let mut pace = Pace::default();
    let (mut anderson, mut nesterov) = (Anderson::NEW, Nesterov::NEW);
    let mut mixture = Mixture::NONE;
    let mut drift = Drift::NEW;
    while status == Status::Cap && sweeps < cap {
        let left = watch.left();
        pace.begin(left);
        // nor is what was mixed
        at_best = false;
        // without this a problem too small for a look within its sweep would never stop
        if left == 0 {
            status = Status::Deadline;
            break;
        }
        let solved_joints = joints.as_mut().map(|joints| joints.solve(changes, rows, mixture, watch));
        let (first, missed) = match solved_joints {
            Some(Some(swept)) => swept,
            Some(None) => {
                // from the best there is, by sweeps alone
                state::restore(changes, rows);
                (joints, mixture, anderson) = (None, Mixture::NONE, Anderson::NEW);
                (0, R::ZERO)
            }
            None => (0, R::ZERO),
        };
        let others = rows.get_mut(first..).unwrap_or_default();
        let sweep = match (plain, turns, mixes) {
            (true, ..) => sweep::sweep::<R, false, false, false>,
            (false, true, _) => sweep::sweep::<R, true, true, false>,
            (false, false, true) => sweep::sweep::<R, true, true, true>,
            (false, false, false) => sweep::sweep::<R, true, false, true>,
        };
        let swept = sweep(changes, others, settings.friction, mixture, watch);
        let Some(mut sums) = swept else {
            status = Status::Deadline;
            break;
        };
        sums.estimate += missed;
        drift.sweep(mixture, sums.estimate + sums.estimate);
        if drift.is_too_large() {
            if start::refresh(changes, rows, watch).is_none() {
                status = Status::Deadline;
                break;
            }
            drift.reset();
        }
        sweeps = sweeps.saturating_add(1);
        let mut hurry = false;
        if watch.is_running() {
            let still_left = watch.left();
            pace.swept(left, still_left);
            // the sweep goes for nothing, but an answer must be known
            if still_left < pace.certificate() {
                status = Status::Deadline;
                break;
            }
            hurry = sweeps < cap && still_left < pace.certificate_of_next(!drift.is_small());
        }
        // nothing moved, so nothing ever will; and what has overflowed does not come back
        let over = sums.estimate == R::ZERO || !sums.estimate.is_finite();
        let look = looks.due(sweeps, sums.estimate);
        if look || over || hurry || sweeps == cap {
            pace.certifies();
            let Some(now) = certify_impulses(changes, rows, settings, &mut drift, sums.estimate, watch) else {
                status = Status::Deadline;
                break;
            };
            // of plain sweeps the last is the answer, unless time may still cut them off
            let plain_last = plain && (!watch.is_running() || sweeps == cap || over && !hurry);
            let last = plain_last || answer == Answer::Last && now.energy <= R::from_f64(ASTRAY) * best.energy;
            at_best = now.finite && (last || now.energy < best.energy);
            if at_best {
                best = now;
            }
            status = if !now.finite {
                Status::NonFinite
            } else if solved(best.energy) {
                Status::Converged
            } else if over || now.rounded && !plain {
                Status::Stalled
            } else if hurry {
                Status::Deadline
            } else {
                Status::Cap
            };
            looks.found(sums.estimate, now.energy);
            // while there is something to come back from
            if at_best && status == Status::Cap && sweeps < cap {
                state::keep(changes, rows);
            }
        }
        // what is mixed is no answer
        if status == Status::Cap && sweeps < cap {
            mixture = match settings.method {
                Method::Psor | Method::Block => Mixture::NONE,
                Method::Nesterov => nesterov.mix(rows),
                Method::Anderson | Method::Simplex | Method::Hybrid => anderson.mix(&sums),
            };
            if !matches!(settings.method, Method::Psor | Method::Block) {
                mixture.begin_bodies(changes, turns);
            }
        }
    }
    if !at_best && best.energy.is_finite() {
        state::restore(changes, rows);
    } else if !at_best {
        // numbers overflowed, and nobody knows whether they had at the start
        start::fall_back(changes, rows);
    }
    if status == Status::Deadline && solved(best.energy) {
        status = Status::Converged;
    }
    best.report(status, sweeps, watch)
}

/// Certifies the impulses, whatever z has rounded by: z is summed up anew where its drift may be more
/// than the error that the last sweep estimates, or that the certificate finds.
fn certify_impulses<R: Real>(
    changes: &mut [Change<R>],
    rows: &[Row<R>],
    settings: &Settings<R>,
    drift: &mut Drift<R>,
    estimate: R,
    watch: &mut Watch<'_, '_>,
) -> Option<Certificate<R>> {
    let refresh = |changes: &mut [Change<R>], drift: &mut Drift<R>, watch: &mut Watch<'_, '_>| {
        drift.reset();
        start::refresh(changes, rows, watch)
    };
    if !drift.is_likely_within(estimate) {
        refresh(changes, drift, watch)?;
    }
    let found = certify(changes, rows, settings, watch)?;
    if drift.is_within(found.square, found.energy) {
        return Some(found);
    }
    refresh(changes, drift, watch)?;
    certify(changes, rows, settings, watch)
}

impl<R: Real> Joints<'_, R> {
    /// Solve the joints, whatever all others carry; these are swept next, and Anderson's method goes by them: joints follow. Returns how many rows that were
    /// and the energy error they had, in J; `None` if they could not be solved.
    fn solve(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        mixture: Mixture<R>,
        watch: &mut Watch<'_, '_>,
    ) -> Option<(usize, R)> {
        let joints = rows.get_mut(..self.rows)?;
        Some((self.rows, self.exact.sweep_joints(changes, joints, mixture, watch)?))
    }
}

impl<R: Real> Certificate<R> {
    fn report(self, status: Status, iterations: u32, watch: &Watch<'_, '_>) -> Report<R> {
        let Self { energy, bound, violation, gain, .. } = self;
        Report { status, iterations, energy, bound, violation, gain, clock: watch.health() }
    }
}
