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
    /// where each row is to go
    targets: Vec<u32, ROWS>,
    ordered: bool,
}

impl<const BODIES: usize, const ROWS: usize> Order<BODIES, ROWS> {
    pub(super) const fn new() -> Self {
        Self { levels: Vec::new(), places: Vec::new(), targets: Vec::new(), ordered: false }
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
        self.targets.clear();
        self.places.clear();
        for row in rows.iter() {
            key = self.key(row, key);
            let Some(next) = next.get_mut(usize::from(key)) else { return };
            // as much room as there are rows
            let _ = (self.targets.push(*next), self.places.push(*next));
            *next = next.saturating_add(1);
        }
        self.go(rows);
        self.ordered = true;
    }

    /// Put rows back as they were added.
    pub(super) fn restore<R>(&mut self, rows: &mut [Row<R>]) {
        if !self.ordered {
            return;
        }
        for (index, place) in (0..u32::MAX).zip(&self.places) {
            if let Some(target) = usize::try_from(*place).ok().and_then(|place| self.targets.get_mut(place)) {
                *target = index;
            }
        }
        self.go(rows);
        self.ordered = false;
    }

    /// Every row to its target.
    fn go<R>(&mut self, rows: &mut [Row<R>]) {
        for place in 0..rows.len() {
            // each exchange brings a row home: no cycle is longer than all of them
            for _ in 0..rows.len() {
                let Some(&target) = self.targets.get(place) else { return };
                let Ok(target) = usize::try_from(target) else { return };
                // a target for every row, which the optimiser cannot know
                if target == place || target >= rows.len() || target >= self.targets.len() {
                    break;
                }
                rows.swap(place, target);
                self.targets.swap(place, target);
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
