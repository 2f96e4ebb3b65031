//! An escapement: lets one part go at a time.
//!
//! ```text
//! hold      stop in front of the first part, separator up; a part is there and one is wanted:
//! divide    separator down behind the first part; once it is there:
//! open      stop up; once the part has passed the exit beam:
//! close     stop down; once it is there: separator up, the next part moves up to the stop
//! ```
//! It goes on only while both cylinders are where it has sent them. A cylinder or a part that is not where it should be after a while is an alarm until it is, at rest too;
//! a part that leaves while the stop is to be down is one at once. The stop is down while its cylinder is in; the separator is down while its cylinder is out.

use super::timer::{Debounced, Lasting, Overdue};
use super::{read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};

/// Ticks from a part's arrival at the beam until it stands at the stop.
const SETTLE: u32 = 30;
/// Ticks in which a cylinder has moved, or a part has passed, many times over.
const STUCK: u32 = 1000;

/// What it is wired to.
pub struct EscapementPins<I, O> {
    /// Beam in front of the stop: high while a part waits there.
    pub waiting: I,
    /// Beam behind the stop: high while a part passes.
    pub leaving: I,
    /// End switch: the stop is all the way down.
    pub stop_is_down: I,
    /// End switch: the separator is all the way down.
    pub separator_is_down: I,
    /// Valve: high lifts the stop.
    pub lift_stop: O,
    /// Valve: high lowers the separator.
    pub lower_separator: O,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Hold,
    Divide,
    Open,
    Passing,
    Close,
}

impl State {
    fn lifts_stop(self) -> bool {
        matches!(self, Self::Open | Self::Passing)
    }

    fn lowers_separator(self) -> bool {
        self != Self::Hold
    }
}

/// Lets one part go at a time.
#[derive(Clone, Copy, Debug)]
pub struct Escapement {
    state: State,
    waiting: Debounced,
    leaving: Debounced,
    settled: Lasting,
    stuck: Overdue,
    /// a part leaves that nobody let go
    stray: Overdue,
    /// Parts it has let go.
    pub released: u32,
}

impl Escapement {
    /// Beams count once they have not changed for `debounce` ticks.
    pub const fn new(debounce: u32) -> Self {
        Self {
            state: State::Hold,
            waiting: Debounced::new(debounce),
            leaving: Debounced::new(debounce),
            settled: Lasting::NEW,
            stuck: Overdue::new(STUCK),
            stray: Overdue::new(0),
            released: 0,
        }
    }

    /// Does a part wait at the stop?
    pub const fn has_part(&self) -> bool {
        self.waiting.level()
    }

    /// Is a part being let go, or the next moving up?
    pub fn is_busy(&self) -> bool {
        self.state != State::Hold || !self.has_part()
    }

    /// Does something stick, or leave that should not?
    pub const fn has_alarm(&self) -> bool {
        self.stuck.is_overdue() || self.stray.is_overdue()
    }

    /// How often something has.
    pub const fn alarms(&self) -> u32 {
        self.stuck.times().saturating_add(self.stray.times())
    }

    /// One tick; returns whether it has just begun to let a part go, because one is wanted.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick<I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut EscapementPins<I, O>,
        wanted: bool,
    ) -> Result<bool, ErrorKind> {
        let waiting = self.waiting.read(read(&mut pins.waiting)?);
        let leaving = self.leaving.read(read(&mut pins.leaving)?);
        let (stop_is_down, separator_is_down) = (read(&mut pins.stop_is_down)?, read(&mut pins.separator_is_down)?);
        let settled = self.settled.has_lasted(waiting && stop_is_down, SETTLE);
        let before = self.state;
        let are_there = stop_is_down != before.lifts_stop() && separator_is_down == before.lowers_separator();
        self.state = match before {
            State::Hold if are_there && wanted && settled => State::Divide,
            State::Divide if are_there => State::Open,
            State::Open if are_there && leaving => State::Passing,
            State::Passing if are_there && !leaving => {
                self.released = self.released.saturating_add(1);
                State::Close
            }
            State::Close if are_there => State::Hold,
            state => state,
        };
        let is_at_rest = before == State::Hold && are_there;
        self.stuck.tick(self.state == before && !is_at_rest);
        self.stray.tick(leaving && !before.lifts_stop());
        write(&mut pins.lift_stop, self.state.lifts_stop())?;
        write(&mut pins.lower_separator, self.state.lowers_separator())?;
        Ok(before == State::Hold && self.state == State::Divide)
    }
}
