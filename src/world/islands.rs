//! Islands: bodies that touch or are joined, directly or through others that can move.
//!
//! What is not connected has nothing to do with each other within a step: each island is solved by itself, stops when it has converged, and may
//! sleep.
//!
//! A union-find over places: each contact and joint costs two walks up a tree, shortened on the way; a walk is at most as long as there are
//! bodies. An island is named in order of its first body, so that names do not depend on the order of contacts.

use super::contact::Link;
use crate::rows::LEVELS;
use heapless::Vec;

/// A set of bodies with the contacts and joints among them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Island {
    /// Chain of its contacts, in order.
    pub(super) first_contact: Link,
    pub(super) last_contact: Link,
    /// Chain of its joints, in order.
    pub(super) first_joint: Link,
    pub(super) last_joint: Link,
    /// Slots of its bodies: so many from this one.
    pub(super) first_slot: u16,
    pub(super) bodies: u16,
    /// How far out from what cannot move its farthest contact is: of a stack, how many stand on the lowest.
    pub(super) height: u16,
    /// Something in it, or something that touches it, moves.
    pub(super) awake: bool,
    /// Something moves that is too fast to sleep on.
    pub(super) restless: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Islands<const BODIES: usize> {
    /// Some body of the same island with a lower or the same place.
    parents: Vec<u16, BODIES>,
    /// Island of each body, one more than its index; 0 for none.
    of_body: Vec<u16, BODIES>,
    list: Vec<Island, BODIES>,
    /// Slot of each body, islands one after the other; `NONE` of one that has none.
    slots: Vec<u16, BODIES>,
    /// Body of each slot.
    places: Vec<u16, BODIES>,
    /// How far out from what cannot move each body is; `NONE` of what cannot.
    levels: Vec<u16, BODIES>,
}

/// The slot of a body in no island, and its level.
const NONE: u16 = u16::MAX;

impl<const BODIES: usize> Islands<BODIES> {
    pub(super) const fn new() -> Self {
        Self {
            parents: Vec::new(),
            of_body: Vec::new(),
            list: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// Every place is an island.
    pub(super) fn begin(&mut self, places: u16) {
        self.parents.clear();
        self.of_body.clear();
        self.list.clear();
        for place in 0..places {
            // as much room as there are places
            let _ = self.parents.push(place);
        }
    }

    /// These two bodies are of one island.
    pub(super) fn join(&mut self, a: u16, b: u16) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if let Some(parent) = self.parents.get_mut(usize::from(high)) {
            *parent = low;
        }
    }

    fn root(&mut self, body: u16) -> u16 {
        let mut at = body;
        // parents only get lower: as many steps as bodies at most
        for _ in 0..BODIES {
            let parent = self.parent(at);
            if parent == at {
                break;
            }
            // path halving
            let grandparent = self.parent(parent);
            if let Some(slot) = self.parents.get_mut(usize::from(at)) {
                *slot = grandparent;
            }
            at = grandparent;
        }
        at
    }

    fn parent(&self, body: u16) -> u16 {
        self.parents.get(usize::from(body)).copied().unwrap_or(body)
    }

    /// Name the islands of all bodies that count.
    pub(super) fn name(&mut self, counts: impl Fn(u16) -> bool) {
        for place in (0..u16::MAX).take(self.parents.len()) {
            let root = self.root(place);
            let name = if !counts(place) {
                0
            } else if root == place {
                // as much room as there are places
                let _ = self.list.push(Island::default());
                u16::try_from(self.list.len()).unwrap_or(u16::MAX)
            } else {
                self.of_body.get(usize::from(root)).copied().unwrap_or(0)
            };
            let _ = self.of_body.push(name);
        }
        self.seat();
    }

    /// Give every body a slot, those of one island side by side, in order.
    fn seat(&mut self) {
        self.slots.clear();
        self.places.clear();
        for place in (0..u16::MAX).take(self.of_body.len()) {
            if let Some(island) = self.of_body_mut(place) {
                island.bodies = island.bodies.saturating_add(1);
            }
        }
        let mut next = 0_u16;
        for island in &mut self.list {
            island.first_slot = next;
            next = next.saturating_add(island.bodies);
            island.bodies = 0;
        }
        for _ in 0..next {
            // as much room as there are bodies
            let _ = self.places.push(NONE);
        }
        for place in (0..u16::MAX).take(self.of_body.len()) {
            let slot = self.of_body_mut(place).map(|island| {
                let slot = island.first_slot.saturating_add(island.bodies);
                island.bodies = island.bodies.saturating_add(1);
                slot
            });
            if let Some(place_of) = slot.and_then(|slot| self.places.get_mut(usize::from(slot))) {
                *place_of = place;
            }
            let _ = self.slots.push(slot.unwrap_or(NONE));
        }
    }

    /// Slot of a body.
    pub(super) fn slot(&self, place: u16) -> Option<u16> {
        self.slots.get(usize::from(place)).copied().filter(|slot| *slot != NONE)
    }

    /// Body of a slot.
    pub(super) fn place(&self, slot: u16) -> Option<u16> {
        self.places.get(usize::from(slot)).copied()
    }

    /// Find every body's level: 0 if it touches or is joined to what cannot move, else one more than the lowest of its neighbours'.
    /// `neighbours` walks over all pairs, with `None` for the world itself. Returns how many it looked at, again and again.
    pub(super) fn find_levels<P: Iterator<Item = (u16, Option<u16>)>>(&mut self, neighbours: impl Fn() -> P) -> u32 {
        let mut looks = 0_u32;
        let farthest = LEVELS.saturating_sub(1);
        self.levels.clear();
        for island in &self.of_body {
            // as much room as there are places
            let _ = self.levels.push(if *island == 0 { NONE } else { farthest });
        }
        for pass in 0..LEVELS {
            let mut settled = true;
            for (a, b) in neighbours() {
                looks = looks.saturating_add(1);
                let (level_a, level_b) = (self.level(a), b.map_or(NONE, |b| self.level(b)));
                // wrapped: on what cannot move, and has no level, is level 0
                let (from_a, from_b) = (level_a.wrapping_add(1), level_b.wrapping_add(1));
                if level_a != NONE && level_a > from_b {
                    settled = false;
                    self.set_level(a, from_b);
                }
                if let Some(b) = b
                    && level_b != NONE
                    && level_b > from_a
                {
                    settled = false;
                    self.set_level(b, from_a);
                }
            }
            // a pass more, a level more that is final
            if settled || self.levels.iter().all(|level| *level == NONE || *level <= pass.saturating_add(1)) {
                break;
            }
        }
        looks
    }

    /// Of two bodies one that can move, and how far out what is between them is: one more than the lower. None if neither can.
    pub(super) fn level_of_pair(&self, a: u16, b: u16) -> Option<(u16, u16)> {
        match (self.level(a), self.level(b)) {
            (NONE, NONE) => None,
            (NONE, _) => Some((b, 0)),
            (_, NONE) => Some((a, 0)),
            (level_a, level_b) => Some((a, level_a.min(level_b).saturating_add(1))),
        }
    }

    /// A body's level; `NONE` of one that cannot move.
    fn level(&self, place: u16) -> u16 {
        self.levels.get(usize::from(place)).copied().unwrap_or(NONE)
    }

    fn set_level(&mut self, place: u16, level: u16) {
        if let Some(known) = self.levels.get_mut(usize::from(place)) {
            *known = level;
        }
    }

    /// How many bodies have slots.
    pub(super) fn slots(&self) -> usize {
        self.places.len()
    }

    /// How many there are.
    pub(super) fn count(&self) -> u16 {
        u16::try_from(self.list.len()).unwrap_or(u16::MAX)
    }

    /// By index.
    pub(super) fn get(&self, index: u16) -> Option<&Island> {
        self.list.get(usize::from(index))
    }

    /// The island of a body, and its index.
    pub(super) fn of_body(&self, place: u16) -> Option<u16> {
        self.of_body.get(usize::from(place))?.checked_sub(1)
    }

    /// The island of a body, to change it.
    pub(super) fn of_body_mut(&mut self, place: u16) -> Option<&mut Island> {
        let index = self.of_body(place)?;
        self.list.get_mut(usize::from(index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_by_the_first_body_whatever_the_order_of_contacts() {
        let pairs = [(5, 3), (1, 5), (6, 2)];
        let mut orders = [pairs; 3];
        orders[1].reverse();
        orders[2].swap(0, 1);
        for order in orders {
            let mut islands = Islands::<8>::new();
            islands.begin(8);
            for (a, b) in order {
                islands.join(a, b);
            }
            // 4 is the ground
            islands.name(|body| body != 4);
            let names: std::vec::Vec<_> = (0..8).map(|body| islands.of_body(body)).collect();
            let expected = [Some(0), Some(1), Some(2), Some(1), None, Some(1), Some(2), Some(3)];
            assert_eq!((names, islands.count()), (expected.to_vec(), 4));
            let slots: std::vec::Vec<_> = (0..8).map(|body| islands.slot(body)).collect();
            // islands {0}, {1, 3, 5}, {2, 6}, {7}
            let seats = [Some(0), Some(1), Some(4), Some(2), None, Some(3), Some(5), Some(6)];
            assert_eq!((slots, islands.slots()), (seats.to_vec(), 7));
            assert!((0..8).all(|body| islands.slot(body).is_none_or(|slot| islands.place(slot) == Some(body))));
        }
    }
}
