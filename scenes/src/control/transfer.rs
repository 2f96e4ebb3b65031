//! A transfer: a pusher takes the part that waits at a stop, whenever one is wanted.
//!
//! ```text
//! home     pusher in; a part has waited at the stop for t_settle and one is wanted:
//! out      pusher goes out; once it is there:
//! back     pusher comes in; once it is there, and the beam has been clear since home, it is home again
//! ```
//! A part is taken once the beam is clear: where it never is, no stroke has taken anything. A pusher that is not where it should be after a while, or at both ends at once, is an
//! alarm until it is, at rest too; so is a part that is still there.

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
    /// the part that this stroke is for has gone
    gone: bool,
    /// Ticks that a part waits at the stop before it is taken.
    pub t_settle: u32,
    /// Parts it has taken.
    pub taken: u32,
}

impl Transfer {
    /// At home.
    pub const fn new(t_settle: u32) -> Self {
        Self {
            state: State::Home,
            waits: false,
            settled: Lasting::NEW,
            stuck: Overdue::new(STUCK),
            gone: false,
            t_settle,
            taken: 0,
        }
    }

    /// Does a part wait at the stop?
    pub const fn has_part(&self) -> bool {
        self.waits
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
        let pushes = before == State::Out;
        let is_there = is_out == pushes && is_in != pushes;
        let begins = before == State::Home && is_there && settled && wanted;
        if before != State::Home && !self.waits && !self.gone {
            self.gone = true;
            self.taken = self.taken.saturating_add(1);
        }
        self.state = match before {
            State::Home if begins => {
                self.gone = false;
                State::Out
            }
            State::Out if is_there => State::Back,
            State::Back if is_there && self.gone => State::Home,
            state => state,
        };
        let is_at_rest = before == State::Home && is_there;
        self.stuck.tick(self.state == before && !is_at_rest);
        write(&mut pins.push, self.state == State::Out)?;
        Ok(begins)
    }
}
