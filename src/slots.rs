//! Storage with room for `N`, ids that go stale safely.
//!
//! A removed item's place is used again; its generation goes up, so that the old id finds nothing. After 65 536 removals from
//! one place an id of the first generation would find the newcomer.

use crate::error::Error;
use crate::record::{Persist, Reader, Sink};
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

    /// Items with their ids, in order of place.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Key, &T)> {
        (0..MOST).zip(&self.slots).filter_map(|(index, slot)| {
            let key = Key { index, generation: slot.generation };
            Some((key, slot.item()?))
        })
    }

    /// Ids of all items, in order of place.
    pub(crate) fn keys(&self) -> impl Iterator<Item = Key> {
        self.entries().map(|(key, _)| key)
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

/// In a snapshot: the link of a place that is taken. No free place has it: there are fewer places.
const TAKEN: Link = Link::MAX;

impl<T, const N: usize> Slots<T, N> {
    /// The places, then the items, by `save`, in order of place.
    ///
    /// ```text
    /// first free link u16 · places u16 · (generation u16 · next free link, or TAKEN, u16) of every place · items
    /// ```
    pub(crate) fn save(&self, out: &mut dyn Sink, mut save: impl FnMut(&T, &mut dyn Sink)) {
        self.free.save(out);
        u16::try_from(self.slots.len()).unwrap_or(MOST).save(out);
        for slot in &self.slots {
            slot.generation.save(out);
            match slot.content {
                Content::Item(_) => TAKEN.save(out),
                Content::Free(next) => next.save(out),
            }
        }
        self.iter().for_each(|(_, item)| save(item, out));
    }

    /// What a snapshot says, in place of whatever was here.
    ///
    /// # Errors
    /// Those of `load`; then items are missing.
    pub(crate) fn restore(
        &mut self,
        places: &Places<'_>,
        mut load: impl FnMut() -> Result<T, Error>,
    ) -> Result<(), Error> {
        self.clear();
        for index in 0..places.len() {
            let Some((generation, link)) = places.entry(index) else { break };
            let content = if link == TAKEN { Content::Item(load()?) } else { Content::Free(link) };
            self.count = self.count.saturating_add(u16::from(link == TAKEN));
            // as much room as there are places: they were counted when they were read
            let _ = self.slots.push(Slot { generation, content });
        }
        self.free = places.free;
        Ok(())
    }
}

/// The places of a storage in a snapshot: which are taken, by what generation, and in what order the others are used next.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    free: Link,
    /// four bytes a place
    entries: &'a [u8],
}

impl<'a> Places<'a> {
    /// Read them; the items come next.
    ///
    /// # Errors
    /// [`Error::Truncated`]; [`Error::CapacityExceeded`] with this name for more than `most`; [`Error::OutOfRange`] with it where the chain of free places is none.
    pub(crate) fn load(input: &mut Reader<'a>, most: usize, name: &'static str) -> Result<Self, Error> {
        let (free, places) = (input.load()?, usize::from(input.load::<u16>()?));
        if places > most {
            return Err(Error::CapacityExceeded(name));
        }
        let places = Self { free, entries: input.take(places.saturating_mul(4))? };
        // a chain that ends after as many steps as there are free places passes through each of them once
        let mut link = free;
        for _ in 0..places.len().saturating_sub(places.taken()) {
            let next = link.checked_sub(1).and_then(|index| places.entry(index)).map(|(_, next)| next);
            link = next.filter(|next| *next != TAKEN).ok_or(Error::OutOfRange(name))?;
        }
        if link == 0 { Ok(places) } else { Err(Error::OutOfRange(name)) }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u16 {
        u16::try_from(self.entries.len() / 4).unwrap_or(MOST)
    }

    /// How many items.
    pub(crate) fn taken(&self) -> u16 {
        let taken =
            |sum: u16, index| sum.saturating_add(self.entry(index).is_some_and(|(_, link)| link == TAKEN).into());
        (0..self.len()).fold(0, taken)
    }

    /// Does this id find an item?
    pub(crate) fn has(&self, key: Key) -> bool {
        self.entry(key.index) == Some((key.generation, TAKEN))
    }

    /// Generation and link of a place.
    fn entry(&self, index: u16) -> Option<(u16, Link)> {
        let at = usize::from(index).saturating_mul(4);
        let mut entry = Reader::new(self.entries.get(at..)?);
        Some((entry.load().ok()?, entry.load().ok()?))
    }
}

impl Persist for Key {
    fn save(&self, out: &mut dyn Sink) {
        self.index.save(out);
        self.generation.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { index: input.load()?, generation: input.load()? })
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
