//! Outwards from the ground: the order in which rows are swept.
//!
//! ```text
//! level of a body    0 if a row joins it to the ground, else one more than its lowest neighbour's
//! key of a row       0 at the ground, else one more than the lower level of its two bodies
//! ```
//! What the ground holds is known first, and what rests on it next: one sweep carries the ground's answer all the way up. Friction stays behind the row that
//! bounds it; rows of one key stay in their order.

use super::row::{GROUND, Row};
use crate::math::Real;
use heapless::Vec;

/// Levels told apart; everything farther out counts as this far.
pub(crate) const LEVELS: u16 = 32;

/// Where rows lie that were added in another order.
#[derive(Clone, Debug)]
pub(super) struct Order<const BODIES: usize, const ROWS: usize> {
    levels: Vec<u16, BODIES>,
    /// place of each row by index; meaningless unless `ordered`
    places: Vec<u32, ROWS>,
    /// which row is to come to each place
    sources: Vec<u32, ROWS>,
    ordered: bool,
}

impl<const BODIES: usize, const ROWS: usize> Order<BODIES, ROWS> {
    pub(super) const fn new() -> Self {
        Self { levels: Vec::new(), places: Vec::new(), sources: Vec::new(), ordered: false }
    }

    /// There are no rows.
    pub(super) fn clear(&mut self) {
        self.ordered = false;
    }

    /// Where the row of this index lies.
    pub(super) fn place(&self, index: usize) -> usize {
        if !self.ordered {
            return index;
        }
        self.places.get(index).and_then(|place| usize::try_from(*place).ok()).unwrap_or(index)
    }

    /// Put rows in order, unless they are.
    pub(super) fn outwards<R: Real>(&mut self, rows: &mut [Row<R>], bodies: usize) {
        if self.ordered {
            return;
        }
        self.find_levels(rows, bodies);
        // a counting sort: how many rows come before each key's, then where each goes
        let mut next = [0_u32; LEVELS as usize + 2];
        let mut key = 0;
        for row in rows.iter() {
            key = self.key(row, key);
            if let Some(count) = next.get_mut(usize::from(key).saturating_add(1)) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0_u32;
        for count in &mut next {
            sum = sum.saturating_add(*count);
            *count = sum;
        }
        self.sources.clear();
        self.places.clear();
        for (index, row) in (0..u32::MAX).zip(rows.iter()) {
            key = self.key(row, key);
            let Some(next) = next.get_mut(usize::from(key)) else { return };
            // as much room as there are rows
            let _ = (self.places.push(*next), self.sources.push(index));
            *next = next.saturating_add(1);
        }
        for (index, place) in (0..u32::MAX).zip(&self.places) {
            if let Some(source) = usize::try_from(*place).ok().and_then(|place| self.sources.get_mut(place)) {
                *source = index;
            }
        }
        self.go(rows);
        self.ordered = true;
    }

    /// Put rows back as they were added.
    pub(super) fn restore<R: Copy>(&mut self, rows: &mut [Row<R>]) {
        if !self.ordered {
            return;
        }
        self.sources.iter_mut().zip(&self.places).for_each(|(source, place)| *source = *place);
        self.go(rows);
        self.ordered = false;
    }

    /// Every row to its place: each is copied once, but for the first of a cycle.
    fn go<R: Copy>(&mut self, rows: &mut [Row<R>]) {
        for first in 0..rows.len() {
            if self.sources.get(first).is_none_or(|source| usize::try_from(*source) == Ok(first)) {
                continue;
            }
            let Some(&held) = rows.get(first) else { return };
            let mut place = first;
            // no cycle is longer than all of them
            for _ in 0..rows.len() {
                let Some(source) = self.sources.get_mut(place) else { return };
                let Ok(from) = usize::try_from(*source) else { return };
                // home, so that it is not met again; as many places as there are rows, which fit
                *source = u32::try_from(place).unwrap_or(u32::MAX);
                if from == first {
                    if let Some(row) = rows.get_mut(place).filter(|_| place != first) {
                        *row = held;
                    }
                    break;
                }
                let Ok([row, next]) = rows.get_disjoint_mut([place, from]) else { return };
                *row = *next;
                place = from;
            }
        }
    }

    fn key<R: Real>(&self, row: &Row<R>, lead: u16) -> u16 {
        if !row.leads() {
            return lead;
        }
        if row.b == GROUND {
            return 0;
        }
        let (a, b) = (self.level(row.a), self.level(row.b));
        if a < b { a.saturating_add(1) } else { b.saturating_add(1) }
    }

    fn level(&self, body: u16) -> u16 {
        self.levels.get(usize::from(body)).copied().unwrap_or(LEVELS.saturating_sub(1))
    }

    fn find_levels<R: Real>(&mut self, rows: &[Row<R>], bodies: usize) {
        let last = LEVELS.saturating_sub(1);
        self.levels.clear();
        for _ in 0..bodies {
            // as much room as there are bodies
            let _ = self.levels.push(last);
        }
        for row in rows.iter().filter(|row| row.b == GROUND) {
            if let Some(level) = self.levels.get_mut(usize::from(row.a)) {
                *level = 0;
            }
        }
        for _ in 0..LEVELS {
            let mut settled = true;
            for row in rows.iter().filter(|row| row.b != GROUND && row.leads()) {
                for (from, to) in [(row.a, row.b), (row.b, row.a)] {
                    let level = self.level(from).saturating_add(1);
                    if let Some(farther) = self.levels.get_mut(usize::from(to)).filter(|farther| **farther > level) {
                        *farther = level;
                        settled = false;
                    }
                }
            }
            if settled {
                break;
            }
        }
    }
}
