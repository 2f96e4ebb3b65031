//! Sparse `L D Lᵀ` in static storage, with rows that come and go (Tasora 2005 §3).
//!
//! ```text
//! A = L D Lᵀ     unknowns in an order with little fill (`order`); L D is kept by rows
//! y_ji = A_ji − Σ_k y_ik l_jk,   l_ji = y_ji / D_i,   D_j = A_jj − Σ_i y_ji l_ji        k < i < j
//! ```
//! An unknown that is left out has `1/D = 0`: all `l` of its column are zero then, and nothing feels it. So the pattern never changes. To put a row in or to
//! leave it out is to set one number and to mend the rows that feel it, on its way to the root of the elimination tree, and of these only what has moved.
//!
//! No pivoting: the order is such that rows have positive pivots and hubs negative ones, for any matrix `[N Eᵀ; E −1]` with N positive definite.

mod few;
mod order;
#[cfg(test)]
mod tests;

pub(super) use order::{Failure, HUBS, Order, Unknown};

use super::budget::Watch;
use crate::math::Real;
use core::ops::Range;
use few::{FEW, Words};
use heapless::Vec;
use order::{Group, Side};

/// One place of the factor.
#[derive(Clone, Copy, Debug)]
struct Entry<R> {
    /// `A_ji`
    a: R,
    /// `y_ji = L_ji D_i`
    y: R,
    /// i
    column: u16,
    /// for the layout alone, and not of this place: a group that feels another
    met: u16,
}

impl<R: Real> Entry<R> {
    const EMPTY: Self = Self { a: R::ZERO, y: R::ZERO, column: 0, met: 0 };
}

/// One unknown.
#[derive(Clone, Copy, Debug)]
struct Pivot<R> {
    /// `A_jj`
    diagonal: R,
    /// `1/D_j`; zero if it is left out
    inverse: R,
    /// where its row of entries begins
    start: u32,
    /// how many they are
    length: u16,
    /// first unknown behind it that feels it; itself at a root
    parent: u16,
    /// its pivot is another than before the change at hand
    moved: bool,
}

impl<R: Real> Pivot<R> {
    const EMPTY: Self = Self { diagonal: R::ZERO, inverse: R::ZERO, start: 0, length: 0, parent: 0, moved: false };

    /// Where its entries are.
    fn span(&self) -> Range<usize> {
        let start = usize::try_from(self.start).unwrap_or(0);
        start..start.saturating_add(self.length.into())
    }
}

/// Factor of a symmetric matrix with at most `N` unknowns and `NONZEROS` places below its diagonal, fill included.
#[derive(Clone, Debug)]
pub(super) struct Ldl<R, const N: usize, const NONZEROS: usize> {
    entries: Vec<Entry<R>, NONZEROS>,
    pivots: Vec<Pivot<R>, N>,
    /// zero but while a row is made
    work: Vec<R, N>,
}

impl<R: Real, const N: usize, const NONZEROS: usize> Ldl<R, N, NONZEROS> {
    pub(super) const fn new() -> Self {
        Self { entries: Vec::new(), pivots: Vec::new(), work: Vec::new() }
    }

    /// Find the order of the rows that were told, and room for its pattern; all numbers are zero, every unknown left out. If it fails, the order is of no use.
    pub(super) fn lay_out<const BODIES: usize>(
        &mut self,
        order: &mut Order<BODIES, N>,
        watch: &mut Watch<'_, '_>,
    ) -> Result<(), Failure> {
        self.entries.clear();
        self.pivots.clear();
        self.work.clear();
        if let Some(felt) = order.analyse_few(watch) {
            return self.lay_out_few(order, &felt?, watch);
        }
        let Self { entries, pivots, work } = self;
        // who feels whom, in the first entries: there are no more of them than places
        order.analyse(|met| entries.push(Entry { met, ..Entry::EMPTY }).is_ok(), watch)?;
        let mut end = 0_u32;
        for Side { position, size, felt, .. } in order.sides() {
            for own in 0..size {
                let at = position.saturating_add(own);
                // the next of its side; for now, of the last one, itself
                let parent = if own.saturating_add(1) < size { at.saturating_add(1) } else { at };
                // none yet: each place makes it longer
                let pivot = Pivot { diagonal: R::ZERO, inverse: R::ZERO, start: end, length: 0, parent, moved: false };
                pivots.push(pivot).map_err(|_| Failure::Rows)?;
                end = end.saturating_add(felt.into()).saturating_add(own.into());
            }
        }
        // as much room as for pivots
        let _ = work.resize(pivots.len(), R::ZERO);
        let places = usize::try_from(end).unwrap_or(usize::MAX);
        entries.resize(places, Entry::EMPTY).map_err(|_| Failure::Places)?;
        let mut record = 0_usize;
        for Side { position, size, meets, .. } in order.sides() {
            let columns = position..position.saturating_add(size);
            if size > 1 {
                for row in columns.clone() {
                    add_places(entries, pivots, row, position..row);
                    if watch.spend(row.saturating_sub(position).into()) {
                        return Err(Failure::Late);
                    }
                }
            }
            let mut first = u16::MAX;
            for _ in 0..meets {
                let Some(&Entry { met, .. }) = entries.get(record) else { break };
                record = record.saturating_add(1);
                let Some(Side { position, size, .. }) = order.side(met) else { break };
                first = if position < first { position } else { first };
                for row in position..position.saturating_add(size) {
                    add_places(entries, pivots, row, columns.clone());
                }
                let added = u32::from(size).saturating_mul(u32::from(columns.end.saturating_sub(columns.start)));
                if watch.spend(added) {
                    return Err(Failure::Late);
                }
            }
            let last = usize::from(columns.end).saturating_sub(1);
            if let Some(pivot) = pivots.get_mut(last).filter(|_| meets > 0) {
                pivot.parent = first;
            }
        }
        Ok(())
    }

    /// The same of few groups, by what each feels.
    fn lay_out_few<const BODIES: usize>(
        &mut self,
        order: &Order<BODIES, N>,
        felt: &Words,
        watch: &mut Watch<'_, '_>,
    ) -> Result<(), Failure> {
        let Self { entries, pivots, work } = self;
        // first and last unknown of each place, and those that nobody behind them feels so far
        let mut spans = [(0_u16, 0_u16); FEW];
        let (mut alone, mut first) = (0_u32, 0_u16);
        for (place, (group, &Group { size, .. })) in (0..u32::MAX).zip(order.groups()) {
            let columns = felt[usize::from(group) % FEW];
            let last = first.saturating_add(size).saturating_sub(1);
            for row in first..=last {
                let start = entries.len();
                let mut rest = columns;
                while rest != 0 {
                    let (from, to) = spans[rest.trailing_zeros() as usize % FEW];
                    rest &= rest.wrapping_sub(1);
                    for column in from..=to {
                        entries.push(Entry { column, ..Entry::EMPTY }).map_err(|_| Failure::Places)?;
                    }
                }
                for column in first..row {
                    entries.push(Entry { column, ..Entry::EMPTY }).map_err(|_| Failure::Places)?;
                }
                let length = u16::try_from(entries.len().saturating_sub(start)).unwrap_or(u16::MAX);
                let start = u32::try_from(start).unwrap_or(u32::MAX);
                let parent = if row < last { row.saturating_add(1) } else { row };
                pivots.push(Pivot { start, length, parent, ..Pivot::EMPTY }).map_err(|_| Failure::Rows)?;
                if watch.spend(length.into()) {
                    return Err(Failure::Late);
                }
            }
            let mut found = columns & alone;
            alone = alone & !found | few::bit(place);
            while found != 0 {
                let (_, last) = spans[found.trailing_zeros() as usize % FEW];
                found &= found.wrapping_sub(1);
                if let Some(pivot) = pivots.get_mut(usize::from(last)) {
                    pivot.parent = first;
                }
            }
            spans[place as usize % FEW] = (first, last);
            first = last.saturating_add(1);
        }
        // as much room as for pivots
        let _ = work.resize(pivots.len(), R::ZERO);
        Ok(())
    }

    /// How many unknowns there are.
    pub(super) fn unknowns(&self) -> usize {
        self.pivots.len()
    }

    /// Places below the diagonal.
    pub(super) fn nonzeros(&self) -> usize {
        self.entries.len()
    }

    /// To work on.
    pub(super) fn view(&mut self) -> Factor<'_, R> {
        Factor { entries: &mut self.entries, pivots: &mut self.pivots, work: &mut self.work }
    }
}

/// The next places of a row.
fn add_places<R: Real>(entries: &mut [Entry<R>], pivots: &mut [Pivot<R>], row: u16, columns: Range<u16>) {
    let Some(pivot) = pivots.get_mut(usize::from(row)) else { return };
    let places = entries.get_mut(pivot.span().end..).unwrap_or_default();
    for (entry, column) in places.iter_mut().zip(columns) {
        entry.column = column;
        pivot.length = pivot.length.saturating_add(1);
    }
}

/// Slice core: one copy of the code however many sizes there are.
pub(super) struct Factor<'a, R> {
    entries: &'a mut [Entry<R>],
    pivots: &'a mut [Pivot<R>],
    work: &'a mut [R],
}

impl<R: Real> Factor<'_, R> {
    /// Is this unknown in?
    pub(super) fn has(&self, unknown: u16) -> bool {
        self.pivots.get(usize::from(unknown)).is_some_and(|pivot| pivot.inverse != R::ZERO)
    }

    /// Write an unknown's row of A, and its column as far as later rows feel it.
    pub(super) fn set(&mut self, unknown: u16, diagonal: R, element: impl Fn(u16) -> R) {
        let _ = self.set_row(unknown, diagonal, &element);
        let mut at = unknown;
        while let Some(row) = self.above(at) {
            at = row;
            let places = self.entries.get_mut(self.span(row)).unwrap_or_default();
            if let Ok(place) = places.binary_search_by_key(&unknown, |entry| entry.column)
                && let Some(entry) = places.get_mut(place)
            {
                entry.a = element(row);
            }
        }
    }

    /// Write an unknown's row of A. Returns how many places it has.
    pub(super) fn set_row(&mut self, unknown: u16, diagonal: R, element: impl Fn(u16) -> R) -> u16 {
        let Some(pivot) = self.pivots.get_mut(usize::from(unknown)) else { return 0 };
        pivot.diagonal = diagonal;
        for entry in self.entries.get_mut(pivot.span()).unwrap_or_default() {
            entry.a = element(entry.column);
        }
        pivot.length
    }

    /// Everything anew, with those that are wanted. False if time runs out on the way: then it is of no use.
    pub(super) fn factorise(&mut self, watch: &mut Watch<'_, '_>, wanted: impl Fn(u16) -> bool) -> bool {
        for unknown in (0..u16::MAX).take(self.pivots.len()) {
            if wanted(unknown) {
                if !self.make_row::<true>(unknown, watch) {
                    return false;
                }
            } else {
                self.set_inverse(unknown, R::ZERO);
            }
        }
        true
    }

    /// Put an unknown in. False as [`factorise`](Self::factorise).
    pub(super) fn put_in(&mut self, unknown: u16, watch: &mut Watch<'_, '_>) -> bool {
        self.make_row::<true>(unknown, watch) && self.mend_above(unknown, watch)
    }

    /// Leave an unknown out. False as [`factorise`](Self::factorise).
    pub(super) fn leave_out(&mut self, unknown: u16, watch: &mut Watch<'_, '_>) -> bool {
        self.set_inverse(unknown, R::ZERO);
        self.mend_above(unknown, watch)
    }

    /// `x ← A⁻¹ x` over those that are in; zero for all others. `sums` is scratch of the same length. False if time runs out on the way: then x is nothing.
    #[inline(never)]
    pub(super) fn solve(&mut self, x: &mut [R], sums: &mut [R], watch: &mut Watch<'_, '_>) -> bool {
        // u = (L D)⁻¹ b
        for (j, pivot) in (0..x.len()).zip(&*self.pivots) {
            let mut sum = R::ZERO;
            if pivot.inverse != R::ZERO {
                for entry in self.entries.get(pivot.span()).unwrap_or_default() {
                    sum += entry.y * x.get(usize::from(entry.column)).copied().unwrap_or(R::ZERO);
                }
            }
            if let Some(x) = x.get_mut(j) {
                *x = (*x - sum) * pivot.inverse;
            }
            if watch.spend(u32::from(pivot.length).saturating_add(1)) {
                return false;
            }
        }
        // Lᵀ x = u
        sums.iter_mut().for_each(|sum| *sum = R::ZERO);
        for ((pivot, x), j) in self.pivots.iter().zip(x).zip(0..sums.len()).rev() {
            if pivot.inverse == R::ZERO {
                continue;
            }
            *x -= pivot.inverse * sums.get(j).copied().unwrap_or(R::ZERO);
            for entry in self.entries.get(pivot.span()).unwrap_or_default() {
                if let Some(sum) = sums.get_mut(usize::from(entry.column)) {
                    *sum += entry.y * *x;
                }
            }
            if watch.spend(u32::from(pivot.length).saturating_add(1)) {
                return false;
            }
        }
        true
    }

    fn set_inverse(&mut self, unknown: u16, inverse: R) {
        if let Some(pivot) = self.pivots.get_mut(usize::from(unknown)) {
            pivot.inverse = inverse;
        }
    }

    /// First unknown behind it that feels it.
    fn above(&self, unknown: u16) -> Option<u16> {
        self.pivots.get(usize::from(unknown)).map(|pivot| pivot.parent).filter(|parent| *parent > unknown)
    }

    /// Where its entries are.
    fn span(&self, unknown: u16) -> Range<usize> {
        self.pivots.get(usize::from(unknown)).map_or(0..0, Pivot::span)
    }

    /// Mend all rows that feel an unknown which has come or gone.
    fn mend_above(&mut self, unknown: u16, watch: &mut Watch<'_, '_>) -> bool {
        self.set_moved(unknown, true);
        let (mut at, mut in_time) = (unknown, true);
        while let Some(row) = self.above(at) {
            at = row;
            if self.has(row) && !self.make_row::<false>(row, watch) {
                in_time = false;
                break;
            }
        }
        self.set_moved(unknown, false);
        let mut at = unknown;
        while let Some(row) = self.above(at) {
            at = row;
            self.set_moved(row, false);
        }
        in_time
    }

    fn set_moved(&mut self, unknown: u16, moved: bool) {
        if let Some(pivot) = self.pivots.get_mut(usize::from(unknown)) {
            pivot.moved = moved;
        }
    }

    /// A row of `L D` and its pivot: all of it, or what has moved. False if time runs out on the way.
    #[inline(never)]
    fn make_row<const ALL: bool>(&mut self, unknown: u16, watch: &mut Watch<'_, '_>) -> bool {
        let Self { entries, pivots, work } = self;
        let Some(pivot) = pivots.get(usize::from(unknown)) else { return true };
        let (diagonal, Range { start, end }) = (pivot.diagonal, pivot.span());
        let Some((before, rest)) = entries.split_at_mut_checked(start) else { return true };
        let Some(row) = rest.get_mut(..end.saturating_sub(start)) else { return true };
        if watch.spend(u32::from(pivot.length).saturating_add(1)) {
            return false;
        }
        if !ALL && !row.iter().any(|entry| pivots.get(usize::from(entry.column)).is_some_and(|pivot| pivot.moved)) {
            return true;
        }
        let (mut left, mut in_time) = (diagonal, true);
        for entry in row.iter_mut() {
            let at = usize::from(entry.column);
            let Some(pivot) = pivots.get(at) else { break };
            let inverse = pivot.inverse;
            if inverse == R::ZERO {
                continue;
            }
            if ALL || pivot.moved {
                let mut y = entry.a;
                for earlier in before.get(pivot.span()).unwrap_or_default() {
                    y -= earlier.y * work.get(usize::from(earlier.column)).copied().unwrap_or(R::ZERO);
                }
                entry.y = y;
                if watch.spend(pivot.length.into()) {
                    in_time = false;
                    break;
                }
            }
            let l = entry.y * inverse;
            if let Some(work) = work.get_mut(at) {
                *work = l;
            }
            left -= entry.y * l;
        }
        for entry in row.iter() {
            if let Some(work) = work.get_mut(usize::from(entry.column)) {
                *work = R::ZERO;
            }
        }
        let Some(pivot) = pivots.get_mut(usize::from(unknown)) else { return true };
        pivot.moved = !ALL;
        let inverse = R::ONE / left;
        // rows have positive pivots, hubs negative ones. Rounded away: left out
        let kept = (diagonal >= R::ZERO) == (left > R::ZERO) && inverse.is_finite();
        pivot.inverse = if kept { inverse } else { R::ZERO };
        in_time
    }
}
