//! The exact solver: a sparse simplex method with an incremental `L D Lᵀ` (Tasora 2005).
//!
//! ```text
//! lay out → load → guess → pivot → store → certify            rows that only push or hold
//! lay out → sweep → load → factorise → pivot → store → certify  all others
//! ```
//! A guess, or a few sweeps, find nearly all rows that carry; the factor of these is made, and what is still wrong is put right by pivots, one row at a time, each an update of
//! the factor. What comes out obeys every law as near as numbers round, however long the chain and however unlike the masses.
//!
//! # What it solves
//! Rows with bounds of their own, and contacts with a pyramid or a cone: convex problems, by pivots alone. A pyramid is what its edges span, and so is a cone, but any line on it may be
//! an edge: a contact that slides takes the nearest to its velocity, again and again.
//!
//! What bounds each other is solved in rounds, each a convex problem that starts where the last one ended: exact Coulomb friction ([`FrictionModel::Ncp`]) by what it adds to the
//! normal velocity (De Saxcé), `w_n + μ|w_t|`; friction bounded by another row by that row's impulse; rolling friction as a rectangle in its disc. Rounds
//! go on while they help: no theorem promises that they do, and the energy error certifies each answer.

mod column;
mod memory;
mod pivot;

pub use memory::ExactMemory;

use super::admissible::support;
use super::energy::{Certificate, certify};
use super::ldl::{Failure, Ldl, Order, Unknown};
use super::mixture::Mixture;
use super::state::{self, Change};
use super::{Budget, FrictionModel, Method, Report, Settings, Status, Watch, prepare, row_velocity, start, sweep};
use crate::error::Error;
use crate::math::{Real, clamp};
use crate::rows::{self, Block, Problem, Row, next_block, next_block_mut};
use column::{Column, rays};
use heapless::Vec;
use pivot::{End, Guess, Look, Tableau, contact_velocities};

/// Sweeps that look for rows which carry, where a guess does not find them.
const SWEEPS: u32 = 4;
/// Moves after which velocities are still what impulses make of them, but for a rounding each.
const EXACT_MOVES: u32 = 4;
/// Rounds at most in which bounds follow the answer that they depend on.
const ROUNDS: u32 = 64;
/// Rounds without a better answer after which to stop.
const IN_VAIN: u32 = 8;
/// An energy of (so many roundings)² times that of the start is all rounding.
const ROUNDED: f64 = 64.0;
/// What rows that carry may miss their laws by, as a share of the energy of the start; if it is more, they contradict each other.
const CONTRADICTION: f64 = 1e-3;

/// Working memory of the exact solver, for problems of at most `BODIES` bodies and `ROWS` rows whose factor has at most `NONZEROS` places, fill included.
///
/// A body with very many rows takes six of `ROWS`. How many places a problem needs is known after it was solved once, [`nonzeros`](Self::nonzeros): of a
/// stack or a chain a few for each row; of a pile in a box about ten times as many as rows. Nothing of a problem is kept: one can serve many. `const` to make, so that it
/// can be a `static`.
///
/// ```
/// use tumble::{Problem, Settings, Status, math::Vec6, rows::{Admissible, InverseMass, RowInput}, solve::Exact};
///
/// // 1 kg on 1 g on the floor, one millisecond of gravity: sweeps need thousands, pivots none
/// let mut problem = Problem::<f32, 2, 2>::new();
/// let mut exact = Exact::<f32, 2, 2, 1>::new();
/// let fall = Vec6::from([0.0, 0.0, -9.81e-3, 0.0, 0.0, 0.0]);
/// let light = problem.add_body(InverseMass::new(0.001, [1e-8; 3])?, fall)?;
/// let heavy = problem.add_body(InverseMass::new(1.0, [1e-4; 3])?, fall)?;
/// let up = Vec6::from([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
/// problem.add_row(light, None, &RowInput::new(up, Vec6::ZERO), Admissible::Unilateral)?;
/// problem.add_row(heavy, Some(light), &RowInput::new(up, -up), Admissible::Unilateral)?;
///
/// let report = problem.solve_exactly(&mut exact, &Settings::default())?;
/// assert_eq!(report.status, Status::Converged);
/// assert!(problem.velocity(heavy)?.linear.z.abs() < 1e-6);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exact<R, const BODIES: usize, const ROWS: usize, const NONZEROS: usize> {
    order: Order<BODIES, ROWS>,
    factor: Ldl<R, ROWS, NONZEROS>,
    columns: Vec<Column<R>, ROWS>,
    /// column of each row
    places: Vec<u16, ROWS>,
    hubs: Vec<u16, { super::ldl::HUBS }>,
    x: Vec<R, ROWS>,
    sums: Vec<R, ROWS>,
    /// of the start of the solve at hand. J
    energy: R,
}

impl<R: Real, const BODIES: usize, const ROWS: usize> Problem<R, BODIES, ROWS> {
    /// Solve exactly, by at most `settings.iterations` pivots; [`Report::iterations`] counts them. Method, ω and step rule are of no effect.
    ///
    /// Never panics, allocates or recurses. Cost: to find an order, `ROWS²` at most; the factor, the sum of squares of its rows' lengths; a pivot, as much for the rows above
    /// it, two walks over the factor and one over all rows. Cut off by its cap it returns the best by the energy error of all it has certified, with every impulse inside its
    /// set; rows that contradict each other end in [`Status::Infeasible`].
    ///
    /// # Errors
    /// Unusable settings ([`Settings::check`]) and [`Error::CapacityExceeded`], naming `rows of the exact solver` or `non-zeros`; then nothing has changed.
    pub fn solve_exactly<const UNKNOWNS: usize, const NONZEROS: usize>(
        &mut self,
        exact: &mut Exact<R, BODIES, UNKNOWNS, NONZEROS>,
        settings: &Settings<R>,
    ) -> Result<Report<R>, Error> {
        self.solve_exactly_watched(exact, settings, &mut Watch::none())
    }

    /// Solves like [`solve_exactly`](Self::solve_exactly), but stops at the deadline of `budget`.
    ///
    /// The start (warm or cold, whichever has the lower energy error) is always computed and certified, however short the budget. It takes about the time
    /// of a sweep; ordering the rows of a new problem takes as long again. The answer is the start or a better iterate, so [`Status::Deadline`] always comes
    /// with impulses inside their sets and a finite energy error. Where even the start overflows, the status is [`Status::NonFinite`] and the answer
    /// `v = v_free`, whatever the clock says.
    ///
    /// After the start the clock is read after at most [`PLACES_BETWEEN_READINGS`](super::PLACES_BETWEEN_READINGS) places of the factor. Between two phases
    /// or rounds there are also passes over all rows that take no longer than three sweeps. Where rows have friction, the sweeps before the first pivot
    /// read the clock as [`solve_within`](Self::solve_within) does. There are no pivots after the deadline. The time that the start took is set aside for
    /// certifying the last iterate.
    ///
    /// # Errors
    /// As [`solve_exactly`](Self::solve_exactly).
    pub fn solve_exactly_within<const UNKNOWNS: usize, const NONZEROS: usize>(
        &mut self,
        exact: &mut Exact<R, BODIES, UNKNOWNS, NONZEROS>,
        settings: &Settings<R>,
        budget: &mut Budget<'_>,
    ) -> Result<Report<R>, Error> {
        let deadline = budget.ticks();
        self.solve_exactly_watched(exact, settings, &mut Watch::until(budget, deadline))
    }

    fn solve_exactly_watched<const UNKNOWNS: usize, const NONZEROS: usize>(
        &mut self,
        exact: &mut Exact<R, BODIES, UNKNOWNS, NONZEROS>,
        settings: &Settings<R>,
        watch: &mut Watch<'_, '_>,
    ) -> Result<Report<R>, Error> {
        settings.check()?;
        // a guess needs no order
        let simple = is_simple(self.state().1);
        if simple {
            self.order_as_added();
        } else {
            self.order_outwards();
        }
        let (changes, rows) = self.buffers();
        // in a hurry there must be an answer first, whatever becomes of the order
        let begun = watch.is_running().then(|| {
            state::set_aside(changes, rows);
            start(changes, rows, settings, watch)
        });
        let laid_out = exact.lay_out(rows, watch);
        if let Err(failure @ (Failure::Rows | Failure::Places)) = laid_out {
            if begun.is_some() {
                state::bring_back(changes, rows);
            }
            let what = if failure == Failure::Rows { "rows of the exact solver" } else { "non-zeros" };
            return Err(Error::CapacityExceeded(what));
        }
        let start = begun.unwrap_or_else(|| start(changes, rows, settings, watch));
        let report = match laid_out {
            Ok(()) => exact.solve(changes, rows, simple, settings, start, watch),
            // an overflow must not pass for a deadline: its energy error is infinite
            Err(_) if !start.finite => {
                start::fall_back(changes, rows);
                start.report(Status::NonFinite, 0, watch)
            }
            Err(_) if start.energy <= settings.tolerance => start.report(Status::Converged, 0, watch),
            Err(_) => start.report(Status::Deadline, 0, watch),
        };
        Ok(self.if_finite(report))
    }
}

impl<R: Real, const BODIES: usize, const ROWS: usize, const NONZEROS: usize> Exact<R, BODIES, ROWS, NONZEROS> {
    /// Empty.
    pub const fn new() -> Self {
        Self {
            order: Order::new(),
            factor: Ldl::new(),
            columns: Vec::new(),
            places: Vec::new(),
            hubs: Vec::new(),
            x: Vec::new(),
            sums: Vec::new(),
            energy: R::ZERO,
        }
    }

    /// Places that the factor of the last problem took.
    pub fn nonzeros(&self) -> usize {
        self.factor.nonzeros()
    }

    /// For benchmarks: the matrix of the last problem and its factor from scratch.
    #[doc(hidden)]
    pub fn factorise_again(&mut self) {
        let mut tableau = self.tableau(&mut [], &mut [], R::ZERO);
        let _ = tableau.fill(&mut Watch::none()) && tableau.factorise_inside(&mut Watch::none());
    }

    /// For benchmarks: what a pivot does to the factor of the last problem. Its first unilateral row is put in or left out, and the system solved.
    #[doc(hidden)]
    pub fn toggle_unilateral(&mut self) {
        self.tableau(&mut [], &mut [], R::ZERO).toggle_unilateral();
    }

    /// Find an order and room for everything: the symbolic phase. Only what rows join matters, not their numbers.
    fn lay_out(&mut self, rows: &[Row<R>], watch: &mut Watch<'_, '_>) -> Result<(), Failure> {
        if rows.len() > ROWS {
            return Err(Failure::Rows);
        }
        self.order.begin();
        for (index, row) in (0..u16::MAX).zip(rows) {
            if !self.order.add(index, [row.a, row.b]) {
                return Err(Failure::Rows);
            }
        }
        // the same rows between the same bodies as before have the same pattern
        if self.order.is_known() {
            return Ok(());
        }
        let laid_out = self.factor.lay_out(&mut self.order, watch);
        let laid_out = laid_out.and_then(|()| self.seat(rows.len()).ok_or(Failure::Rows));
        if laid_out.is_err() {
            self.order.forget();
        }
        laid_out
    }

    /// One unknown for each row and each number of a hub.
    fn seat(&mut self, rows: usize) -> Option<()> {
        let Self { order, factor, columns, places, hubs, x, sums, .. } = self;
        hubs.clear();
        let mut seated = 0_usize;
        // each is told below
        places.resize(rows, 0).ok()?;
        // only hubs stay as they are: rows load themselves
        let _ = columns.resize(factor.unknowns(), Column::of_hub(0, 0));
        for unknown in order.unknowns() {
            match unknown {
                Unknown::Hub(body) => {
                    hubs.push(body).ok()?;
                    for number in 0..6 {
                        *columns.get_mut(seated)? = Column::of_hub(body, number);
                        seated = seated.saturating_add(1);
                    }
                }
                Unknown::Rows(group) => {
                    for index in group.first_row..group.first_row.saturating_add(group.size) {
                        let seat = places.get_mut(usize::from(index))?;
                        *seat = u16::try_from(seated).ok()?;
                        seated = seated.saturating_add(1);
                    }
                }
            }
        }
        // scratch, whatever it holds
        for vector in [x, sums] {
            vector.resize(columns.len(), R::ZERO).ok()?;
        }
        Some(())
    }

    /// Impulses, bounds and rays of all unknowns from the rows as they are. Does anything carry?
    fn load(&mut self, rows: &[Row<R>]) -> bool {
        let Self { columns, places, .. } = self;
        let mut seats = (0..u16::MAX).zip(places.iter().map(|place| usize::from(*place)));
        let (mut lead, mut carries) = (R::ZERO, false);
        let mut rest = rows;
        while let Some(block) = next_block(&mut rest) {
            let mut set = |row: &Row<R>, bounds: [R; 2]| {
                carries |= row.gamma != R::ZERO;
                let seat = seats.next().and_then(|(index, place)| Some((index, columns.get_mut(place)?)));
                if let Some((index, column)) = seat {
                    column.set(row, index, bounds);
                }
            };
            match block {
                Block::Interval { row, lo, hi } => {
                    lead = row.gamma;
                    set(row, [lo, hi]);
                }
                Block::Friction { row, mu } => set(row, plus_minus(mu * lead.abs())),
                Block::Disc { r1, r2, mu } => {
                    let [bound_1, bound_2] = rectangle_within(mu * lead.abs(), [r1.gamma, r2.gamma]);
                    set(r1, plus_minus(bound_1));
                    set(r2, plus_minus(bound_2));
                }
                Block::Contact { n, t1, t2, mu, section } => {
                    lead = n.gamma;
                    let contact = seats.clone().next().map_or(0, |(index, _)| index);
                    let rays = rays(section, mu, [n.gamma, t1.gamma, t2.gamma]);
                    for ((_, place), (direction, gamma)) in seats.by_ref().take(3).zip(rays) {
                        if let Some(column) = columns.get_mut(place) {
                            column.set(n, contact, [R::ZERO, R::INFINITY]);
                            column.turn([n, t1, t2], mu, direction);
                            column.gamma = gamma;
                        }
                    }
                }
            }
        }
        carries
    }

    /// What depends on the answer follows it: what friction adds to the normal velocity of a contact, and bounds of friction. Has anything changed?
    fn follow(&mut self, changes: &[Change<R>], rows: &mut [Row<R>], model: FrictionModel) -> bool {
        let Self { columns, places, .. } = self;
        let mut seats = places.iter().map(|place| usize::from(*place));
        let (mut lead, mut changed) = (R::ZERO, false);
        let mut rest = rows;
        while let Some(block) = next_block_mut(&mut rest) {
            let mut bound = |bound: R| {
                if let Some(column) = seats.next().and_then(|place| columns.get_mut(place)) {
                    changed |= column.hi != bound;
                    [column.lo, column.hi] = plus_minus(bound);
                    column.gamma = clamp(column.gamma, column.lo, column.hi);
                }
            };
            match block {
                Block::Interval { row, .. } => {
                    lead = row.gamma;
                    let _ = seats.next();
                }
                Block::Friction { mu, .. } => bound(mu * lead.abs()),
                Block::Disc { r1, r2, mu } => {
                    // towards where its velocity would move it: along γ itself every direction would stay what it is
                    let towards = |row: &Row<R>| row.gamma - row_velocity(changes, row) / row.diagonal;
                    let [bound_1, bound_2] = rectangle_within(mu * lead.abs(), [towards(r1), towards(r2)]);
                    bound(bound_1);
                    bound(bound_2);
                }
                Block::Contact { n, t1, t2, mu, section } => {
                    lead = n.gamma;
                    seats.by_ref().take(3).for_each(drop);
                    if model == FrictionModel::Ncp {
                        let [_, w1, w2] = contact_velocities(changes, [n, t1, t2]).map(|velocity| velocity.w);
                        let shift = mu * support(section, [-w1, -w2]);
                        changed |= shift != n.shift();
                        n.set_shift(shift);
                    }
                }
            }
        }
        changed
    }

    fn tableau<'a>(&'a mut self, changes: &'a mut [Change<R>], rows: &'a mut [Row<R>], energy: R) -> Tableau<'a, R> {
        let Self { factor, columns, places, hubs, x, sums, .. } = self;
        let rounded = R::from_f64(ROUNDED) * R::EPSILON;
        Tableau {
            rows,
            changes,
            columns,
            places,
            hubs,
            factor: factor.view(),
            x,
            sums,
            energy,
            floor: rounded * rounded * energy,
            contradiction: R::from_f64(CONTRADICTION) * energy,
            missed: R::ZERO,
            left: R::ZERO,
            pivots: 0,
            moves: 0,
        }
    }

    /// Rows that were laid out, from the start, whose certificate this is.
    fn solve(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        simple: bool,
        settings: &Settings<R>,
        start: Certificate<R>,
        watch: &mut Watch<'_, '_>,
    ) -> Report<R> {
        if !start.finite {
            start::fall_back(changes, rows);
            return start.report(Status::NonFinite, 0, watch);
        }
        if settings.iterations == 0 {
            let solved = start.energy <= settings.tolerance;
            return start.report(if solved { Status::Converged } else { Status::Cap }, 0, watch);
        }
        let mut best = start;
        let (mut pivots, mut in_vain) = (0_u32, 0_u32);
        let begun = self.begin(changes, rows, simple, settings, start.energy, watch);
        let (mut end, mut look, mut moves) = match begun {
            Some(Begun { look, pivots: guesses, moves }) => {
                pivots = guesses;
                (End::Solved, look, moves)
            }
            None => (End::Deadline, None, 0),
        };
        // nothing depends on the answer, or nothing any more; and it is the best
        let (mut settled, mut at_best) = (false, false);
        for _ in 0..ROUNDS {
            if end == End::Deadline {
                break;
            }
            let mut tableau = self.tableau(changes, rows, start.energy);
            end = tableau.run(look.take(), settings.iterations.saturating_sub(pivots), watch);
            pivots = pivots.saturating_add(tableau.pivots);
            moves = moves.saturating_add(tableau.moves);
            // a look that was cut off has told some rows only
            if end == End::Deadline {
                tableau.store();
            }
            // inside their sets to the last bit, and velocities to match: after a few moves from nothing they are
            if moves > EXACT_MOVES || end == End::Deadline {
                start::begin(changes, rows);
            }
            let now = certify(changes, rows, settings, &mut Watch::none()).unwrap_or(Certificate::NONE);
            in_vain = if now.energy < best.energy { 0 } else { in_vain.saturating_add(1) };
            at_best = now.finite && now.energy <= best.energy;
            if at_best {
                best = now;
            }
            let goes_on = matches!(end, End::Solved | End::Infeasible) && in_vain < IN_VAIN;
            if !goes_on || best.energy <= settings.tolerance || best.rounded {
                break;
            }
            // while there is something to come back from
            if at_best {
                state::keep(changes, rows);
            }
            settled = !self.follow(changes, rows, settings.friction);
            if settled {
                break;
            }
            self.tableau(changes, rows, start.energy).refresh();
            at_best = false;
        }
        if !at_best {
            state::restore(changes, rows);
        }
        let status = match end {
            _ if best.energy <= settings.tolerance => Status::Converged,
            // rounds have come to an end, not to an answer
            End::Solved if !settled && !best.rounded => Status::Cap,
            End::Solved => Status::Stalled,
            End::Cap => Status::Cap,
            End::Deadline => Status::Deadline,
            End::Infeasible => Status::Infeasible,
            End::NonFinite => Status::NonFinite,
        };
        best.report(status, pivots, watch)
    }

    /// Where pivots begin, and the factor of what carries there. None when time runs out.
    fn begin(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        simple: bool,
        settings: &Settings<R>,
        energy: R,
        watch: &mut Watch<'_, '_>,
    ) -> Option<Begun<R>> {
        let mut pivots = 0;
        if simple {
            state::keep(changes, rows);
            let carries = self.load(rows);
            let mut tableau = self.tableau(changes, rows, energy);
            if !tableau.fill(watch) {
                return None;
            }
            let guess = tableau.guess(carries, settings.iterations, watch);
            pivots = tableau.pivots;
            match guess {
                Guess::Good(look) => {
                    let moves = tableau.moves.saturating_add(carries.into());
                    return Some(Begun { look, pivots, moves });
                }
                Guess::Bad => state::restore(changes, rows),
                Guess::Late => return None,
            }
        }
        let settings = &Settings { method: Method::Block, ..*settings };
        state::begin(changes, rows);
        prepare::prepare(rows, settings);
        for _ in 0..SWEEPS {
            sweep::sweep::<R, true, true, false>(changes, rows, settings.friction, Mixture::NONE, watch)?;
        }
        rows.iter_mut().filter(|row| row.leads()).for_each(|row| row.set_shift(R::ZERO));
        let _ = self.load(rows);
        self.follow(changes, rows, settings.friction);
        let mut tableau = self.tableau(changes, rows, energy);
        tableau.refresh();
        let made = (simple || tableau.fill(watch)) && tableau.factorise_inside(watch);
        made.then_some(Begun { look: None, pivots, moves: u32::MAX })
    }
}

/// Rows that only push or hold.
fn is_simple<R: Real>(rows: &[Row<R>]) -> bool {
    rows.iter().all(|row| row.kind == rows::Kind::Interval && row.numbers[1] == R::INFINITY)
}

/// The better of a warm and a cold start. As much time as it takes is set aside for the last certificate.
fn start<R: Real>(
    changes: &mut [Change<R>],
    rows: &mut [Row<R>],
    settings: &Settings<R>,
    watch: &mut Watch<'_, '_>,
) -> Certificate<R> {
    let before = watch.left();
    let start = start::start(changes, rows, &Settings { method: Method::Block, ..*settings });
    let after = watch.left();
    watch.set_aside(before.saturating_sub(after));
    start
}

/// Where pivots begin.
struct Begun<R> {
    /// the last look, if there was one
    look: Option<Look<R>>,
    /// so many were guessed
    pivots: u32,
    /// times that impulses were changed, to begin with something included
    moves: u32,
}

impl<R: Real, const BODIES: usize, const ROWS: usize, const NONZEROS: usize> Default
    for Exact<R, BODIES, ROWS, NONZEROS>
{
    fn default() -> Self {
        Self::new()
    }
}

fn plus_minus<R: Real>(bound: R) -> [R; 2] {
    [-bound, bound]
}

/// Half widths of a rectangle inside a disc, with a corner in this direction.
fn rectangle_within<R: Real>(radius: R, [g1, g2]: [R; 2]) -> [R; 2] {
    let size = (g1 * g1 + g2 * g2).sqrt();
    let half = R::from_f64(core::f64::consts::FRAC_1_SQRT_2) * radius;
    if size > R::ZERO { [radius * (g1.abs() / size), radius * (g2.abs() / size)] } else { [half; 2] }
}
