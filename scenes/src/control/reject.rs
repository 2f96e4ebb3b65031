//! Rejection on a belt: measure where parts pass two beams, remember where bad ones are, push each off when it is in front of the pusher.
//!
//! ```text
//! part       low beam interrupted: from count p_0 to count p_1; its middle passes at (p_0 + p_1)/2
//! bad        high beam interrupted meanwhile
//! push       at count (p_0 + p_1)/2 + distance, or as soon as the pusher is in; `reach` counts later it is too late: the part is missed
//! pusher     out until its switch says so, back until the other one does; an end it does not get to in time is a failure, and so are both ends at once
//! encoder    failed once it does not come ahead for 200 ticks while the belt is to run, or has lost more than 4 times two edges
//! ```
//! Positions are counts of the belt's encoder: stop the belt or change its speed, and parts are still where they are believed to be. A pusher that stays out is in the
//! way, and one whose switches contradict each other may be: the belt and what comes onto it stop until it is back. Without its encoder nobody knows where parts are:
//! the belt stops for good. A track that loses single pulses is not noticed as long as both change in turn.

use super::quadrature::Quadrature;
use super::timer::{Debounced, Lasting};
use super::{duty, read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;

/// Most bad parts between the beams and the pusher.
const PLACES: usize = 8;
/// A pusher that is not at an end after so many ticks does not get there.
const STUCK: u32 = 150;
/// Ticks in which a belt that is to run comes ahead: it starts within 150, and what is on it gets less far than from the pusher to the belt's end.
const STANDSTILL: u32 = 200;
/// A track that goes up and down by itself makes one count, ahead and back: more is a way. Counts
const JITTER: i32 = 2;
/// Pairs of edges that may be lost: 8 counts, about half of what a pusher reaches. More, and it may push beside a part.
const LOST: u32 = 4;

/// What it is wired to.
#[derive(Debug)]
pub struct RejectPins<I, O> {
    /// Low beam: high while any part is in it.
    pub low: I,
    /// High beam, above the low one: high while a bad part is in it.
    pub high: I,
    /// End switch: the pusher is all the way in.
    pub pusher_is_in: I,
    /// End switch: the pusher is all the way out.
    pub pusher_is_out: I,
    /// Valve: high pushes.
    pub push: O,
}

/// Where the pusher is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Home,
    Out,
    Back,
}

/// Pushes bad parts off a belt.
#[derive(Clone, Copy, Debug)]
pub struct Rejector {
    /// From the beams to where a part's middle is to be when the pusher starts. Counts
    pub distance: i32,
    /// So much further it may be: the pusher still meets it. Counts
    pub reach: i32,
    low: Debounced,
    high: Debounced,
    /// count at which the part in the beam came
    came: i32,
    /// the part in the beam is bad
    is_bad: bool,
    /// counts at which bad parts are to be pushed, the first is the next; none behind the last
    due: [Option<i32>; PLACES],
    state: State,
    /// how long the pusher has not been where it is sent
    late: Lasting,
    has_failed: bool,
    alarm: bool,
    /// Parts measured.
    pub measured: u32,
    /// Bad ones among them.
    pub bad: u32,
    /// Bad parts that there was no place for.
    pub forgotten: u32,
    /// Bad parts that went by while the pusher was not in.
    pub missed: u32,
    /// How often the pusher was not out, or not in again, in time, or at both ends at once.
    pub failed: u32,
}

impl Rejector {
    /// Beams count once they have not changed for `debounce` ticks.
    pub const fn new(distance: i32, reach: i32, debounce: u32) -> Self {
        Self {
            distance,
            reach,
            low: Debounced::new(debounce),
            high: Debounced::new(debounce),
            came: 0,
            is_bad: false,
            due: [None; PLACES],
            state: State::Home,
            late: Lasting::NEW,
            has_failed: false,
            alarm: false,
            measured: 0,
            bad: 0,
            forgotten: 0,
            missed: 0,
            failed: 0,
        }
    }

    /// Does the pusher stay out, or does one of its switches lie?
    pub const fn has_alarm(&self) -> bool {
        self.alarm
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
        let (is_in, is_out) = (read(&mut pins.pusher_is_in)?, read(&mut pins.pusher_is_out)?);
        let is_there = if self.state == State::Out { is_out } else { is_in };
        let is_stuck = self.late.has_lasted(!is_there, STUCK);
        // at both ends at once: one of the switches lies
        let has_failed = is_stuck || (is_in && is_out);
        // told once, however long it lasts
        if has_failed && !self.has_failed {
            self.failed = self.failed.saturating_add(1);
        }
        self.has_failed = has_failed;
        self.alarm = has_failed && self.state != State::Out;
        while self.is_gone(count) {
            self.forget_first();
            self.missed = self.missed.saturating_add(1);
        }
        let before = self.state;
        self.state = match before {
            // not while it seems to be out already: it would be called back at once
            State::Home if is_in && !is_out && self.is_due(count) => {
                self.forget_first();
                State::Out
            }
            State::Out if is_out || is_stuck => State::Back,
            State::Back if is_in => State::Home,
            state => state,
        };
        if self.state != before {
            self.late = Lasting::NEW;
        }
        write(&mut pins.push, self.state == State::Out)
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
        match self.due.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(due),
            None => self.forgotten = self.forgotten.saturating_add(1),
        }
    }

    /// How far the next bad part is past where it is to be pushed. Counts
    fn past_due(&self, count: i32) -> Option<i32> {
        self.due.first().copied().flatten().map(|due| count.wrapping_sub(due))
    }

    /// Is it time to push the next one?
    fn is_due(&self, count: i32) -> bool {
        self.past_due(count).is_some_and(|past| past >= 0)
    }

    /// Is it too late for the next one?
    fn is_gone(&self, count: i32) -> bool {
        self.past_due(count).is_some_and(|past| past > self.reach)
    }

    fn forget_first(&mut self) {
        self.due = core::array::from_fn(|place| self.due.get(place.saturating_add(1)).copied().flatten());
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

    /// Is there room, with the belt at `count`? `comes` while a part is in the beam ahead.
    pub fn has_room(&mut self, comes: bool, count: i32) -> bool {
        if comes {
            self.busy = Some(count);
        }
        self.busy.is_none_or(|busy| count.wrapping_sub(busy) >= self.gap)
    }
}

/// What a reject conveyor is wired to.
#[derive(Debug)]
pub struct ConveyorPins<I, O, D> {
    /// Tracks A and B of the belt's encoder.
    pub encoder: [I; 2],
    /// The belt's speed.
    pub speed: D,
    /// The belt's enable.
    pub run: O,
    /// Beam ahead of where parts are let on: high while one comes.
    pub gap: I,
    /// High while parts may be let on there.
    pub supply: O,
    /// High while parts may come that are on the belt before them.
    pub supply_first: O,
    /// Beams and pusher.
    pub reject: RejectPins<I, O>,
}

/// Controls a reject conveyor.
#[derive(Clone, Copy, Debug)]
pub struct ConveyorControl {
    /// The belt's speed. %
    pub percent: u8,
    /// The belt's encoder.
    pub encoder: Quadrature,
    /// Parts only into gaps.
    pub merge: Merge,
    /// Bad parts off the belt.
    pub rejector: Rejector,
    /// count that the belt is to come ahead of
    from: i32,
    /// how long it has not, though it is to run
    stands: Lasting,
    /// the encoder, or the belt itself
    has_failed: bool,
}

impl ConveyorControl {
    /// With a belt at this speed, in %.
    pub const fn new(percent: u8, merge: Merge, rejector: Rejector) -> Self {
        let encoder = Quadrature::NEW;
        Self { percent, encoder, merge, rejector, from: 0, stands: Lasting::NEW, has_failed: false }
    }

    /// Does it keep the belt from running?
    pub const fn has_alarm(&self) -> bool {
        self.has_failed || self.rejector.has_alarm()
    }

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a drive that fails.
    pub fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind> {
        let count = self.encoder.tick(&mut pins.encoder)?;
        self.act(pins, count)
    }

    /// All of a tick but the encoder: with the belt at `count`.
    ///
    /// # Errors
    /// As [`tick`](Self::tick).
    pub fn act<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
        count: i32,
    ) -> Result<(), ErrorKind> {
        self.rejector.tick(&mut pins.reject, count)?;
        self.watch_belt(count);
        let may_run = !self.has_alarm();
        duty(&mut pins.speed, self.percent)?;
        write(&mut pins.run, may_run)?;
        let has_room = self.merge.has_room(read(&mut pins.gap)?, count);
        write(&mut pins.supply, may_run && has_room)?;
        write(&mut pins.supply_first, may_run)
    }

    /// Can its count be believed still? Once it cannot, where parts are is not known again.
    fn watch_belt(&mut self, count: i32) {
        let is_ahead = count.wrapping_sub(self.from) > JITTER;
        if is_ahead {
            self.from = count;
        }
        let stands = self.stands.has_lasted(!is_ahead && !self.rejector.has_alarm(), STANDSTILL);
        self.has_failed |= stands || self.encoder.lost > LOST;
    }
}
