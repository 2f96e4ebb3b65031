//! A transfer: a pusher takes the part that waits at a stop, whenever one is wanted.
//!
//! ```text
//! home     pusher in; a part has waited at the stop for t_settle and one is wanted:
//! out      pusher goes out; once it is there:
//! back     pusher comes in; once it is there it is home again
//! ```
//! A pusher that is not where it should be after a while is an alarm until it is.

use super::timer::{Lasting, Overdue};
use super::{read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};

/// Ticks in which a pusher has moved many times over.
const STUCK: u32 = 1000;

/// What it is wired to.
#[derive(Debug)]
pub struct TransferPins<I, O> {
    /// Beam in front of the stop: high while a part waits there.
    pub waiting: I,
    /// End switch: the pusher is all the way in.
    pub is_in: I,
    /// End switch: the pusher is all the way out.
    pub is_out: I,
    /// Valve: high pushes.
    pub push: O,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Home,
    Out,
    Back,
}

/// Takes one part at a time.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    state: State,
    waits: bool,
    settled: Lasting,
    stuck: Overdue,
    /// Ticks that a part waits at the stop before it is taken.
    pub t_settle: u32,
    /// Parts it has taken.
    pub taken: u32,
}

impl Transfer {
    /// At home.
    pub const fn new(t_settle: u32) -> Self {
        Self { state: State::Home, waits: false, settled: Lasting::NEW, stuck: Overdue::new(STUCK), t_settle, taken: 0 }
    }

    /// Is a part being taken, or the next still moving up?
    pub fn is_busy(&self) -> bool {
        self.state != State::Home || !self.waits
    }

    /// Does it stick?
    pub const fn has_alarm(&self) -> bool {
        self.stuck.is_overdue()
    }

    /// How often it has.
    pub const fn alarms(&self) -> u32 {
        self.stuck.times()
    }

    /// One tick; returns whether it has just begun to take a part, because one is wanted.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick<I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut TransferPins<I, O>,
        wanted: bool,
    ) -> Result<bool, ErrorKind> {
        self.waits = read(&mut pins.waiting)?;
        let settled = self.settled.has_lasted(self.waits && self.state == State::Home, self.t_settle);
        let (is_in, is_out) = (read(&mut pins.is_in)?, read(&mut pins.is_out)?);
        let before = self.state;
        let begins = before == State::Home && settled && wanted;
        self.state = match before {
            State::Home if begins => State::Out,
            State::Out if is_out => {
                self.taken = self.taken.saturating_add(1);
                State::Back
            }
            State::Back if is_in => State::Home,
            state => state,
        };
        self.stuck.tick(self.state == before && before != State::Home);
        write(&mut pins.push, self.state == State::Out)?;
        Ok(begins)
    }
}
