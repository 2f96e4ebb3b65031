//! Rejection on a belt: measure where parts pass two beams, remember where bad ones are, push each off when it is in front of the pusher.
//!
//! ```text
//! part       low beam interrupted: from count p_0 to count p_1; its middle passes at (p_0 + p_1)/2
//! bad        high beam interrupted meanwhile
//! push       at count (p_0 + p_1)/2 + distance, and `latency` ticks later; until the pusher is out
//! ```
//! Positions are counts of the belt's encoder: stop the belt or change its speed, and parts are still where they are believed to be.

use super::timer::{Debounced, Lasting};
use super::{read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};

/// Most bad parts between the beams and the pusher.
const PLACES: usize = 8;
/// A pusher that is not out after so many ticks does not come out.
const STUCK: u32 = 150;

/// What it is wired to.
pub struct RejectPins<I, O> {
    /// Low beam: high while any part is in it.
    pub low: I,
    /// High beam, above the low one: high while a bad part is in it.
    pub high: I,
    /// End switch: the pusher is all the way out.
    pub pusher_is_out: I,
    /// Valve: high pushes.
    pub push: O,
}

/// A bad part on its way to the pusher.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// count at which to push
    due: i32,
    /// ticks since then
    late: u32,
}

/// Pushes bad parts off a belt.
#[derive(Clone, Copy, Debug)]
pub struct Rejector {
    /// From the beams to where a part's middle is to be when the pusher starts. Counts
    pub distance: i32,
    /// Ticks from the decision to the valve: a slow bus, a slow cycle. Default 0.
    pub latency: u32,
    low: Debounced,
    high: Debounced,
    /// count at which the part in the beam came
    came: i32,
    /// the part in the beam is bad
    is_bad: bool,
    /// the first is the next
    places: [Option<Place>; PLACES],
    pushing: bool,
    stuck: Lasting,
    /// Parts measured.
    pub measured: u32,
    /// Bad ones among them.
    pub bad: u32,
    /// Bad parts that there was no place for.
    pub forgotten: u32,
    /// Strokes after which the pusher was not out in time.
    pub failed: u32,
}

impl Rejector {
    /// Beams count once they have not changed for `debounce` ticks.
    pub const fn new(distance: i32, debounce: u32) -> Self {
        Self {
            distance,
            latency: 0,
            low: Debounced::new(debounce),
            high: Debounced::new(debounce),
            came: 0,
            is_bad: false,
            places: [None; PLACES],
            pushing: false,
            stuck: Lasting::NEW,
            measured: 0,
            bad: 0,
            forgotten: 0,
            failed: 0,
        }
    }

    /// One tick, with the belt at `count`.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick<I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut RejectPins<I, O>,
        count: i32,
    ) -> Result<(), ErrorKind> {
        self.measure(read(&mut pins.low)?, read(&mut pins.high)?, count);
        self.pushing |= self.take_due(count);
        let is_out = read(&mut pins.pusher_is_out)?;
        if self.stuck.has_lasted(self.pushing && !is_out, STUCK) {
            self.failed = self.failed.saturating_add(1);
            self.pushing = false;
        }
        self.pushing &= !is_out;
        write(&mut pins.push, self.pushing)
    }

    fn measure(&mut self, low: bool, high: bool, count: i32) {
        let was = self.low.level();
        let (low, high) = (self.low.read(low), self.high.read(high));
        if low && !was {
            (self.came, self.is_bad) = (count, false);
        }
        // both beams clear at once: what the high one saw until now is this part's
        self.is_bad |= high;
        if !low && was {
            self.measured = self.measured.saturating_add(1);
            if self.is_bad {
                let length = count.wrapping_sub(self.came);
                let due = self.came.wrapping_add(length / 2).wrapping_add(self.distance);
                self.remember(due);
            }
            self.is_bad = false;
        }
    }

    fn remember(&mut self, due: i32) {
        self.bad = self.bad.saturating_add(1);
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(Place { due, late: 0 }),
            None => self.forgotten = self.forgotten.saturating_add(1),
        }
    }

    /// Is it time to push the first one? Then it is no longer remembered.
    fn take_due(&mut self, count: i32) -> bool {
        let mut now = false;
        for place in &mut self.places {
            if let Some(Place { due, late }) = place {
                if count.wrapping_sub(*due) < 0 {
                    continue;
                }
                if *late >= self.latency {
                    *place = None;
                    now = true;
                } else {
                    *late = late.saturating_add(1);
                }
            }
        }
        now
    }
}

/// Lets parts onto a belt only into gaps between those that are on it already.
#[derive(Clone, Copy, Debug)]
pub struct Merge {
    /// So many counts after the beam ahead has become clear there is room. Counts
    pub gap: i32,
    /// count at which the beam was interrupted last
    busy: Option<i32>,
}

impl Merge {
    /// At first there is room.
    pub const fn new(gap: i32) -> Self {
        Self { gap, busy: None }
    }

    /// One tick, with the belt at `count`. `beam` is high while a part comes, `supply` high while parts may be let on.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick(&mut self, beam: &mut impl InputPin, supply: &mut impl OutputPin, count: i32) -> Result<(), ErrorKind> {
        if read(beam)? {
            self.busy = Some(count);
        }
        let clear = self.busy.is_none_or(|busy| count.wrapping_sub(busy) >= self.gap);
        write(supply, clear)
    }
}
