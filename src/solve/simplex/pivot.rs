//! The pivots: one row comes in or is left out, velocities follow, until every law is obeyed.
//!
//! ```text
//! look     w of every unknown; those that are in should have none
//! enter    of those left out the one that misses its law by most, by w²/a; after a move that gained nothing the first
//! move     (A + δ diag A) Δγ = −w over all that are in, as far as bounds allow; who meets its bound first is left out
//! ```
//! Impulses never leave their sets, and every move lowers the dual objective `½ γᵀNγ + qᵀγ`: whenever it is cut off, what there is is admissible and the best so far.
//!
//! With δ no row depends on others (a proximal point method): rows that contradict nothing but are too many share what they carry, and nothing is ever
//! singular. What δ leaves out is found by the next look, for moves go by what is still wrong; where rows are not too many, it is less than δ times that.

use super::column::{Column, Kind, steepest};
use crate::math::{Real, Vec6, max};
use crate::rows::{Block, GROUND, Row, Section, next_block_mut};
use crate::solve::budget::{PLACES_OF_A_ROW, Watch};
use crate::solve::ldl::Factor;
use crate::solve::state::Change;

/// What a row's velocity is computed to, in roundings of its largest part.
const ROUNDING: f64 = 16.0;
/// Bounds give way by so many roundings of the largest impulse.
const GIVE: f64 = 64.0;
/// Moves that only refine, at most, before the next row may enter.
const REFINEMENTS: u32 = 3;
/// Rows that are in are nearly at rest if they miss their laws by no more than this share of what the next one does.
const NEARLY: f64 = 1e-3;
/// The same when none is left to enter.
const REFINEMENTS_AT_LAST: u32 = 32;
/// A row hardly parts if its `w²/a` is less than so many times a row's share of the energy of the start.
const HARDLY: f64 = 2.0;
/// To refine helps if it leaves less than this …
const HELPS: f64 = 0.5;
/// … and helps at all if it leaves less than this. Of rows that contradict each other it leaves everything.
const HELPS_AT_ALL: f64 = 0.98;

/// Everything a pivot works on.
pub(super) struct Tableau<'a, R> {
    pub(super) rows: &'a mut [Row<R>],
    pub(super) changes: &'a mut [Change<R>],
    pub(super) columns: &'a mut [Column<R>],
    /// column of each row
    pub(super) places: &'a [u16],
    pub(super) hubs: &'a [u16],
    pub(super) factor: Factor<'a, R>,
    /// `Δγ`, and scratch of the same length
    pub(super) x: &'a mut [R],
    pub(super) sums: &'a mut [R],
    /// of the start. J
    pub(super) energy: R,
    /// `w²/a` below this is no more than rounding. J
    pub(super) floor: R,
    /// `w²/a` of rows that are in above this is a contradiction. J
    pub(super) contradiction: R,
    /// `Σ w²/a` of rows that were in at the first look. J
    pub(super) missed: R,
    /// the same at the last
    pub(super) left: R,
    pub(super) pivots: u32,
    /// times that impulses were changed
    pub(super) moves: u32,
}

/// Why no pivot follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Every law is obeyed, as near as numbers round.
    Solved,
    Cap,
    Deadline,
    /// Some rows contradict each other; all others are obeyed.
    Infeasible,
    NonFinite,
}

/// What is to come in.
#[derive(Clone, Copy)]
struct Candidate<R> {
    column: u16,
    /// a ray that no unknown is yet: the direction, its contact's μ and first row
    ray: Option<([R; 2], R, usize)>,
    /// `w²/2a`
    worth: R,
}

/// What a look at all unknowns finds.
pub(super) struct Look<R> {
    candidate: Option<Candidate<R>>,
    /// those that are in are at rest, as near as numbers round
    at_rest: bool,
    /// `Σ w²/a` over them. J
    residual: R,
    finite: bool,
    floor: R,
    /// those left out that miss their laws, and what they miss them by, `Σ w²/a`. J
    waiting: u32,
    missed: R,
}

/// How a guess ends.
pub(super) enum Guess<R> {
    /// What is left to do is for pivots; the last look, if nothing has changed since.
    Good(Option<Look<R>>),
    /// Farther off than the start.
    Bad,
    Late,
}

/// A contact, and the places of its rays.
struct Contact<R> {
    rays: [u16; 3],
    mu: R,
    section: Section,
    /// of its normal
    diagonal: R,
    first_row: usize,
}

/// A velocity and the size of its largest part, both m/s.
#[derive(Clone, Copy)]
pub(super) struct Velocity<R> {
    pub(super) w: R,
    parts: R,
}

impl<R: Real> Tableau<'_, R> {
    /// Pivot until nothing is left to do; `look` was the last, if nothing has changed since.
    pub(super) fn run(&mut self, look: Option<Look<R>>, cap: u32, watch: &mut Watch<'_, '_>) -> End {
        let (mut refinements, mut idle) = (0_u32, 0_usize);
        let mut residual = R::INFINITY;
        let mut known = look;
        loop {
            let seen = known.take().or_else(|| self.look(idle > 0, watch));
            let Some(look) = seen else { return End::Deadline };
            if residual == R::INFINITY {
                self.missed = look.residual;
            }
            self.left = look.residual;
            if !look.finite {
                return End::NonFinite;
            }
            // as long as it helps much, and when nobody waits at all. Less, not as much: an error that has overflowed or vanished stays what it is
            let enough = R::from_f64(if look.candidate.is_none() { HELPS_AT_ALL } else { HELPS });
            let helps = refinements == 0 || look.residual < enough * residual;
            // what enters moves all others, too: those nearly at rest need no move of their own
            let first = look.candidate.is_none_or(|candidate| R::from_f64(NEARLY) * candidate.worth < look.residual);
            let most = if look.candidate.is_none() { REFINEMENTS_AT_LAST } else { REFINEMENTS };
            let refines = !look.at_rest && helps && first && refinements < most;
            residual = look.residual;
            if !refines && look.candidate.is_none() || idle > self.columns.len() {
                let contradiction = !look.at_rest && !helps && residual > self.contradiction;
                return if contradiction { End::Infeasible } else { End::Solved };
            }
            if watch.expired() {
                return End::Deadline;
            }
            if self.pivots >= cap {
                return End::Cap;
            }
            if refines {
                refinements = refinements.saturating_add(1);
            } else if let Some(candidate) = look.candidate {
                refinements = 0;
                self.become_ray(&candidate);
                if !self.factor.put_in(candidate.column, watch) {
                    return End::Deadline;
                }
            }
            let Some(Step { gain, blocked }) = self.advance(watch) else { return End::Deadline };
            idle = if gain <= self.floor { idle.saturating_add(1) } else { 0 };
            if blocked {
                refinements = 0;
            }
            // one in, one out, or one for another: one pivot
            if blocked || !refines {
                self.pivots = self.pivots.saturating_add(1);
            }
        }
    }

    /// The matrix of all unknowns as they are. False if time runs out on the way.
    pub(super) fn fill(&mut self, watch: &mut Watch<'_, '_>) -> bool {
        // hubs are rare: without any nothing asks for them
        if self.hubs.is_empty() {
            return self.fill_with(|_| false, watch);
        }
        let hubs = self.hubs;
        self.fill_with(|body| hubs.contains(&body), watch)
    }

    fn fill_with(&mut self, is_hub: impl Fn(u16) -> bool, watch: &mut Watch<'_, '_>) -> bool {
        let Self { columns, factor, .. } = self;
        for (index, column) in (0..u16::MAX).zip(&**columns) {
            let places = factor.set_row(index, column.own_element(&is_hub), |other| {
                columns.get(usize::from(other)).map_or(R::ZERO, |other| column.element(other, &is_hub))
            });
            // an element takes half as long as a row does
            if watch.spend(u32::from(places).saturating_add(1).saturating_mul(PLACES_OF_A_ROW / 2)) {
                return false;
            }
        }
        true
    }

    /// A first guess and its factor: all that carry or hardly part are in. Those that would have to pull then are left out, those that miss their laws put in, all at once, while
    /// fewer and fewer do (Kostreva 1978, Portugal and Júdice 1994): what remains is for pivots, one at a time, which always come to an end. `carries`: something does at the start.
    pub(super) fn guess(&mut self, carries: bool, cap: u32, watch: &mut Watch<'_, '_>) -> Guess<R> {
        if carries && self.look(false, watch).is_none() {
            return Guess::Late;
        }
        let rows = R::from_u16(u16::try_from(self.columns.len()).unwrap_or(u16::MAX));
        let most = R::from_f64(HARDLY) * self.energy / rows;
        let hardly = |column: &Column<R>| column.w <= R::ZERO || column.w * column.w <= most * column.diagonal;
        if !self.factorise(watch, |column| column.is_inside() || hardly(column)) {
            return Guess::Late;
        }
        let mut wrong = u32::MAX;
        // ever fewer, so that it comes to an end
        loop {
            if !self.aim(watch) {
                return Guess::Late;
            }
            let past = self.walk(R::ONE, None).past;
            let Some(look) = self.look(false, watch) else { return Guess::Late };
            let now = past.saturating_add(look.waiting);
            // written so that what is no number is bad
            let good = look.finite && (look.residual + look.missed) * R::from_f64(0.5) <= self.energy;
            if !good {
                return Guess::Bad;
            }
            if now == 0 {
                return Guess::Good(Some(look));
            }
            let goes_on = now < wrong && self.pivots < cap;
            let wanted = |column: &Column<R>| column.is_inside() || goes_on && column.waits;
            // one is mended for less than all of it is made anew; of more it depends
            if !(if now == 1 { self.mend(watch, wanted) } else { self.factorise(watch, wanted) }) {
                return Guess::Late;
            }
            if !goes_on {
                return Guess::Good(None);
            }
            wrong = now;
            self.pivots = self.pivots.saturating_add(1);
        }
    }

    /// The factor of those that are wanted. False if time runs out on the way.
    fn factorise(&mut self, watch: &mut Watch<'_, '_>, wanted: impl Fn(&Column<R>) -> bool) -> bool {
        let Self { columns, factor, .. } = self;
        factor.factorise(watch, |index| columns.get(usize::from(index)).is_some_and(&wanted))
    }

    /// The same where few come or go.
    fn mend(&mut self, watch: &mut Watch<'_, '_>, wanted: impl Fn(&Column<R>) -> bool) -> bool {
        let Self { columns, factor, .. } = self;
        (0..u16::MAX).zip(&**columns).all(|(index, column)| match (factor.has(index), wanted(column)) {
            (false, true) => factor.put_in(index, watch),
            (true, false) if !column.is_hub() => factor.leave_out(index, watch),
            _ => true,
        })
    }

    /// The factor of those strictly inside their bounds. False if time runs out on the way.
    pub(super) fn factorise_inside(&mut self, watch: &mut Watch<'_, '_>) -> bool {
        self.factorise(watch, Column::is_inside)
    }

    /// For benchmarks: see [`Exact`](super::Exact).
    pub(super) fn toggle_unilateral(&mut self) {
        let Self { columns, factor, x, sums, .. } = self;
        let unilateral = |(_, column): &(u16, &Column<R>)| column.lo == R::ZERO && column.hi == R::INFINITY;
        let Some((row, _)) = (0..u16::MAX).zip(&**columns).find(unilateral) else { return };
        let watch = &mut Watch::none();
        let _ = if factor.has(row) { factor.leave_out(row, watch) } else { factor.put_in(row, watch) };
        for (column, x) in columns.iter().zip(&mut **x) {
            *x = column.w;
        }
        let _ = factor.solve(x, sums, watch);
    }

    /// `z = Σ Ēᵀ γ`
    pub(super) fn refresh(&mut self) {
        self.changes.iter_mut().for_each(|change| change.z = Vec6::ZERO);
        for column in self.columns.iter().filter(|column| column.gamma != R::ZERO) {
            respond(self.changes, column, column.gamma);
        }
    }

    /// Look at every unknown; rows get the impulses of theirs. `first`: the first that misses its law is as good as the worst. None when time runs out.
    fn look(&mut self, first: bool, watch: &mut Watch<'_, '_>) -> Option<Look<R>> {
        let mut look = Look {
            candidate: None,
            at_rest: true,
            residual: R::ZERO,
            finite: true,
            floor: self.floor,
            waiting: 0,
            missed: R::ZERO,
        };
        let Self { rows, changes, columns, places, factor, .. } = self;
        let mut rest = &mut **rows;
        let mut places = places.iter().copied();
        let mut index = 0_usize;
        while let Some(block) = next_block_mut(&mut rest) {
            match block {
                Block::Interval { row, .. } | Block::Friction { row, .. } => {
                    let Some(place) = places.next() else { break };
                    let Some(column) = columns.get_mut(usize::from(place)) else { break };
                    row.gamma = column.gamma;
                    let velocity = velocity(changes, row);
                    look.see(column, place, velocity, factor, first);
                    index = index.saturating_add(1);
                }
                Block::Disc { r1, r2, .. } => {
                    for row in [r1, r2] {
                        let Some(place) = places.next() else { break };
                        let Some(column) = columns.get_mut(usize::from(place)) else { break };
                        row.gamma = column.gamma;
                        let velocity = velocity(changes, row);
                        look.see(column, place, velocity, factor, first);
                    }
                    index = index.saturating_add(2);
                }
                Block::Contact { n, t1, t2, mu, section } => {
                    let (Some(p0), Some(p1), Some(p2)) = (places.next(), places.next(), places.next()) else { break };
                    let rays = [p0, p1, p2];
                    gather([&mut *n, &mut *t1, &mut *t2], columns, rays);
                    let base = contact_velocities(changes, [n, t1, t2]);
                    let contact = Contact { rays, mu, section, diagonal: n.diagonal, first_row: index };
                    look.see_contact(&contact, base, columns, factor, first);
                    index = index.saturating_add(3);
                }
            }
            if watch.spend(PLACES_OF_A_ROW) {
                return None;
            }
        }
        Some(look)
    }

    /// Every row gets the impulses of its unknowns, whatever the time.
    pub(super) fn store(&mut self) {
        let Self { rows, columns, places, .. } = self;
        let gamma = |place: u16| columns.get(usize::from(place)).map(|column| column.gamma);
        let mut places = places.iter().copied();
        let mut rest = &mut **rows;
        while let Some(block) = next_block_mut(&mut rest) {
            match block {
                Block::Interval { row, .. } | Block::Friction { row, .. } => {
                    row.gamma = places.next().and_then(gamma).unwrap_or(row.gamma);
                }
                Block::Disc { r1, r2, .. } => {
                    for row in [r1, r2] {
                        row.gamma = places.next().and_then(gamma).unwrap_or(row.gamma);
                    }
                }
                Block::Contact { n, t1, t2, .. } => {
                    let (Some(p0), Some(p1), Some(p2)) = (places.next(), places.next(), places.next()) else { break };
                    gather([n, t1, t2], columns, [p0, p1, p2]);
                }
            }
        }
    }

    /// The unknown becomes the ray that is to come in.
    fn become_ray(&mut self, candidate: &Candidate<R>) {
        let Some((direction, mu, first_row)) = candidate.ray else { return };
        let Self { rows, columns, hubs, factor, .. } = self;
        let Some([n, t1, t2, ..]) = rows.get(first_row..) else { return };
        let Some(column) = columns.get_mut(usize::from(candidate.column)) else { return };
        let [d1, d2] = direction.map(|d| mu * d);
        column.turn([n, t1, t2], mu, direction);
        let [w0, w1, w2] = contact_velocities(self.changes, [n, t1, t2]).map(|velocity| velocity.w);
        column.w = w0 + d1 * w1 + d2 * w2;
        let column = *column;
        let is_hub = |body: u16| hubs.contains(&body);
        factor.set(candidate.column, column.own_element(&is_hub), |other| {
            columns.get(usize::from(other)).map_or(R::ZERO, |other| column.element(other, &is_hub))
        });
    }

    /// `A Δγ = −w` over all that are in. None when time runs out; the last part may be done then.
    fn advance(&mut self, watch: &mut Watch<'_, '_>) -> Option<Step<R>> {
        if !self.aim(watch) {
            return None;
        }
        let (length, blocking) = self.room(R::ONE);
        let gain = self.walk(length, blocking).gain;
        let in_time = match blocking.filter(|blocking| self.factor.has(*blocking)) {
            Some(blocking) => self.factor.leave_out(blocking, watch),
            None => true,
        };
        in_time.then_some(Step { gain, blocked: blocking.is_some() })
    }

    /// `A x = −w` over all that are in.
    fn aim(&mut self, watch: &mut Watch<'_, '_>) -> bool {
        let Self { columns, factor, x, sums, .. } = self;
        for ((index, column), x) in (0..u16::MAX).zip(&**columns).zip(&mut **x) {
            *x = if !column.is_hub() && factor.has(index) { -column.w } else { R::ZERO };
        }
        factor.solve(x, sums, watch)
    }

    fn reach(&self) -> Reach<R> {
        let (mut largest, mut fastest) = (R::ZERO, R::ZERO);
        for (column, x) in self.columns.iter().zip(&*self.x).filter(|(column, _)| !column.is_hub()) {
            largest = max(column.gamma.abs(), largest);
            fastest = max(x.abs(), fastest);
        }
        Reach { largest, fastest }
    }

    /// How far `x` may be followed, at most `most`, and who is in the way: of those that meet their bounds at about the same time the one that moves most, for the others may only
    /// seem to move (Harris's test).
    fn room(&self, most: R) -> (R, Option<u16>) {
        let Reach { largest, fastest } = self.reach();
        let rounding = R::from_f64(GIVE) * R::EPSILON;
        let (give, slow) = (rounding * largest, rounding * fastest);
        let moving = || {
            let columns = (0..u16::MAX).zip(&*self.columns).zip(&*self.x);
            columns.filter(|((_, column), x)| x.abs() > slow && !column.is_hub()).map(|((index, column), &x)| {
                let bound = if x > R::ZERO { column.hi } else { column.lo };
                (index, (bound - column.gamma).abs(), x.abs())
            })
        };
        let mut reach = most;
        for (_, room, x) in moving() {
            let within = (room + give) / x;
            reach = if within < reach { within } else { reach };
        }
        let (mut length, mut blocking, mut speed) = (most, None, R::ZERO);
        for (index, room, x) in moving() {
            if room <= reach * x && x > speed && room < most * x {
                (length, blocking, speed) = (room / x, Some(index), x);
            }
        }
        (length, blocking)
    }

    /// Follow `x`; who is in the way stays at its bound.
    fn walk(&mut self, length: R, blocking: Option<u16>) -> Walk<R> {
        self.moves = self.moves.saturating_add(1);
        let (mut gain, mut past) = (R::ZERO, 0_u32);
        for ((index, column), &x) in (0..u16::MAX).zip(&mut *self.columns).zip(&*self.x) {
            if x == R::ZERO || column.is_hub() {
                continue;
            }
            let bound = if x > R::ZERO { column.hi } else { column.lo };
            let after = column.gamma + length * x;
            let is_past = if x > R::ZERO { after > bound } else { after < bound };
            let after = if is_past || blocking == Some(index) { bound } else { after };
            let change = after - column.gamma;
            past = past.saturating_add(is_past.into());
            column.gamma = after;
            gain -= column.w * change;
            respond(self.changes, column, change);
        }
        Walk { gain, past }
    }
}

/// What came of following `x`.
struct Walk<R> {
    /// by which the objective falls, about. J
    gain: R,
    /// how many would have gone past their bounds
    past: u32,
}

/// Largest impulse, and largest change of one. N·s
struct Reach<R> {
    largest: R,
    fastest: R,
}

/// What a move came to.
struct Step<R> {
    /// by which the objective falls, about. J
    gain: R,
    blocked: bool,
}

impl<R: Real> Look<R> {
    /// An unknown with its velocity. Returns whether it misses its law.
    fn see(
        &mut self,
        column: &mut Column<R>,
        place: u16,
        Velocity { w, parts }: Velocity<R>,
        factor: &Factor<'_, R>,
        first: bool,
    ) -> bool {
        (column.w, column.waits) = (w, false);
        self.finite &= w.is_finite() && column.gamma.is_finite();
        let off = w.abs() > R::from_f64(ROUNDING) * R::EPSILON * parts && w * w > self.floor * column.diagonal;
        if factor.has(place) {
            self.at_rest &= !off;
            self.residual += w * w / column.diagonal;
            return false;
        }
        let wants = if w > R::ZERO { column.gamma > column.lo } else { column.gamma < column.hi };
        let misses = off && wants;
        if misses {
            column.waits = true;
            self.waiting = self.waiting.saturating_add(1);
            let worth = w * w / column.diagonal;
            self.missed += worth;
            self.propose(Candidate { column: place, ray: None, worth }, first);
        }
        misses
    }

    fn propose(&mut self, candidate: Candidate<R>, first: bool) {
        let better = |known: Candidate<R>| if first { false } else { candidate.worth > known.worth };
        if self.candidate.is_none_or(better) {
            self.candidate = Some(candidate);
        }
    }

    /// The rays of a contact, and the one that would help most.
    fn see_contact(
        &mut self,
        contact: &Contact<R>,
        [n, t1, t2]: [Velocity<R>; 3],
        columns: &mut [Column<R>],
        factor: &Factor<'_, R>,
        first: bool,
    ) {
        let &Contact { rays, mu, section, diagonal, first_row } = contact;
        let mut empty = None;
        let mut known = false;
        for place in rays {
            let Some(column) = columns.get_mut(usize::from(place)) else { return };
            let Kind::Ray([d1, d2]) = column.kind else { return };
            if column.gamma == R::ZERO && !factor.has(place) {
                empty = empty.or(Some(place));
                continue;
            }
            let w = n.w + d1 * t1.w + d2 * t2.w;
            let parts = n.parts + d1.abs() * t1.parts + d2.abs() * t2.parts;
            known |= self.see(column, place, Velocity { w, parts }, factor, first);
        }
        self.finite &= n.w.is_finite() && t1.w.is_finite() && t2.w.is_finite();
        let Some(place) = empty.filter(|_| !known) else { return };
        let [d1, d2] = steepest(section, [t1.w, t2.w]);
        let w = n.w + mu * (d1 * t1.w + d2 * t2.w);
        let parts = n.parts + mu * (t1.parts + t2.parts);
        if w < -(R::from_f64(ROUNDING) * R::EPSILON * parts) && w * w > self.floor * diagonal {
            let ray = Some(([d1, d2], mu, first_row));
            self.propose(Candidate { column: place, ray, worth: w * w / diagonal }, first);
        }
    }
}

/// A contact's impulses from those of its rays.
fn gather<R: Real>([n, t1, t2]: [&mut Row<R>; 3], columns: &[Column<R>], rays: [u16; 3]) {
    let (mut normal, mut first, mut second) = (R::ZERO, R::ZERO, R::ZERO);
    for place in rays {
        let Some(column) = columns.get(usize::from(place)) else { return };
        let Kind::Ray([d1, d2]) = column.kind else { return };
        normal += column.gamma;
        first += d1 * column.gamma;
        second += d2 * column.gamma;
    }
    (n.gamma, t1.gamma, t2.gamma) = (normal, first, second);
}

/// `w = Ē z − ē + c γ` of a row.
fn velocity<R: Real>(changes: &[Change<R>], row: &Row<R>) -> Velocity<R> {
    // the ground is no body
    let along = |half: &Vec6<R>, body: u16| changes.get(usize::from(body)).map_or(R::ZERO, |change| half.dot(change.z));
    let (of_a, of_b) = (along(&row.ea, row.a), along(&row.eb, row.b));
    let own = row.c * row.gamma;
    Velocity { w: of_a + of_b + (own - row.e), parts: of_a.abs() + of_b.abs() + own.abs() + row.e.abs() }
}

/// The same of a contact, its normal with what friction adds to it.
pub(super) fn contact_velocities<R: Real>(changes: &[Change<R>], [n, t1, t2]: [&Row<R>; 3]) -> [Velocity<R>; 3] {
    let normal = velocity(changes, n);
    let shift = n.shift();
    [Velocity { w: normal.w + shift, parts: normal.parts + shift }, velocity(changes, t1), velocity(changes, t2)]
}

/// `z += Ēᵀ Δγ`
pub(super) fn respond<R: Real>(changes: &mut [Change<R>], column: &Column<R>, change: R) {
    if let Some(of_a) = changes.get_mut(usize::from(column.a)) {
        of_a.z = of_a.z + column.ea * change;
    }
    if column.b != GROUND
        && let Some(of_b) = changes.get_mut(usize::from(column.b))
    {
        of_b.z = of_b.z + column.eb * change;
    }
}
