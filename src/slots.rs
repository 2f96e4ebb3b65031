//! Storage with room for `N`, ids that go stale safely.
//!
//! A removed item's place is used again; its generation goes up, so that the old id finds nothing. After 65 536 removals from
//! one place an id of the first generation would find the newcomer.

use crate::error::Error;
use heapless::Vec;

/// Place and generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Key {
    pub(crate) index: u16,
    pub(crate) generation: u16,
}

#[derive(Clone, Debug)]
struct Slot<T> {
    generation: u16,
    content: Content<T>,
}

#[derive(Clone, Debug)]
enum Content<T> {
    Item(T),
    /// The next free place.
    Free(Link),
}

/// One more than an index, or 0 for none: an empty storage is all zeros, so that a static takes no flash.
type Link = u16;

/// Indices are below this.
const MOST: u16 = u16::MAX;

/// At most `N` items; adding, finding and removing take constant time.
#[derive(Clone, Debug)]
pub(crate) struct Slots<T, const N: usize> {
    slots: Vec<Slot<T>, N>,
    /// The place freed last.
    free: Link,
    count: u16,
}

impl<T, const N: usize> Slots<T, N> {
    pub(crate) const fn new() -> Self {
        const { assert!(N < MOST as usize, "an index is 16 bits, and one value means none") }
        Self { slots: Vec::new(), free: 0, count: 0 }
    }

    /// As new: every place and generation is forgotten.
    pub(crate) fn clear(&mut self) {
        self.slots.clear();
        (self.free, self.count) = (0, 0);
    }

    /// How many items there are.
    pub(crate) const fn count(&self) -> usize {
        self.count as usize
    }

    /// How many places have ever been used: every index is below this.
    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn get(&self, key: Key) -> Option<&T> {
        self.slots.get(usize::from(key.index)).filter(|slot| slot.generation == key.generation)?.item()
    }

    pub(crate) fn get_mut(&mut self, key: Key) -> Option<&mut T> {
        self.slots.get_mut(usize::from(key.index)).filter(|slot| slot.generation == key.generation)?.item_mut()
    }

    /// What is at a place, whatever its generation.
    pub(crate) fn at(&self, index: u16) -> Option<&T> {
        self.slots.get(usize::from(index))?.item()
    }

    /// What is at a place, to change it.
    pub(crate) fn at_mut(&mut self, index: u16) -> Option<&mut T> {
        self.slots.get_mut(usize::from(index))?.item_mut()
    }

    /// What is at a place, and its id.
    pub(crate) fn entry(&self, index: u16) -> Option<(Key, &T)> {
        let slot = self.slots.get(usize::from(index))?;
        Some((Key { index, generation: slot.generation }, slot.item()?))
    }

    /// Items with their places, in order of place.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u16, &T)> {
        (0..MOST).zip(&self.slots).filter_map(|(index, slot)| Some((index, slot.item()?)))
    }

    /// Items with their places, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (u16, &mut T)> {
        (0..MOST).zip(&mut self.slots).filter_map(|(index, slot)| Some((index, slot.item_mut()?)))
    }

    /// Ids of all items, in order of place.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        (0..MOST).zip(&self.slots).filter_map(|(index, slot)| {
            slot.item()?;
            Some(Key { index, generation: slot.generation })
        })
    }

    /// # Errors
    /// [`Error::CapacityExceeded`] with this name.
    pub(crate) fn add(&mut self, item: T, name: &'static str) -> Result<Key, Error> {
        let full = Error::CapacityExceeded(name);
        if let Some(index) = self.free.checked_sub(1)
            && let Some(slot) = self.slots.get_mut(usize::from(index))
            && let Content::Free(next) = slot.content
        {
            let key = Key { index, generation: slot.generation };
            slot.content = Content::Item(item);
            self.free = next;
            self.count = self.count.saturating_add(1);
            return Ok(key);
        }
        let index = u16::try_from(self.slots.len()).map_err(|_| full)?;
        self.slots.push(Slot { generation: 0, content: Content::Item(item) }).map_err(|_| full)?;
        self.count = self.count.saturating_add(1);
        Ok(Key { index, generation: 0 })
    }

    /// Remove every item that says so.
    pub(crate) fn remove_where(&mut self, gone: impl Fn(&T) -> bool) {
        for index in 0..MOST {
            let Some(slot) = self.slots.get(usize::from(index)) else { return };
            if slot.item().is_some_and(&gone) {
                self.remove(Key { index, generation: slot.generation });
            }
        }
    }

    pub(crate) fn remove(&mut self, key: Key) -> Option<T> {
        self.get(key)?;
        let slot = self.slots.get_mut(usize::from(key.index))?;
        let content = core::mem::replace(&mut slot.content, Content::Free(self.free));
        slot.generation = slot.generation.wrapping_add(1);
        self.free = key.index.saturating_add(1);
        self.count = self.count.saturating_sub(1);
        match content {
            Content::Item(item) => Some(item),
            Content::Free(_) => None,
        }
    }
}

impl<T> Slot<T> {
    fn item(&self) -> Option<&T> {
        match &self.content {
            Content::Item(item) => Some(item),
            Content::Free(_) => None,
        }
    }

    fn item_mut(&mut self) -> Option<&mut T> {
        match &mut self.content {
            Content::Item(item) => Some(item),
            Content::Free(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_used_again_and_old_ids_find_nothing() {
        let mut slots = Slots::<char, 2>::new();
        let a = slots.add('a', "letters").unwrap();
        let b = slots.add('b', "letters").unwrap();
        assert_eq!(slots.add('c', "letters"), Err(Error::CapacityExceeded("letters")));
        assert_eq!(slots.remove(a), Some('a'));
        assert_eq!((slots.remove(a), slots.get(a), slots.count()), (None, None, 1));
        let c = slots.add('c', "letters").unwrap();
        assert_eq!((c.index, slots.get(a), slots.get(c), slots.get(b)), (a.index, None, Some(&'c'), Some(&'b')));
        assert_eq!(slots.keys().collect::<std::vec::Vec<_>>(), [c, b]);
        assert_eq!(slots.iter().map(|(_, item)| *item).collect::<std::string::String>(), "cb");
    }
}
