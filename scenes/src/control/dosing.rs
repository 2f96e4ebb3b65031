//! Dosing by weight: a vibrator fills a bucket on a weigh cell, quickly and then slowly, and the bucket is tipped.
//!
//! ```text
//! tare       let the empty bucket come to rest, take its weight W_0; if it is not what it was at first, something is left in it: alarm
//! coarse     amplitude a_c until W − W_0 ≥ target − c
//! fine       amplitude a_f while W − W_0 < target − f, until it has been more for some time       f: what is still in the air
//! settle     let it come to rest; the dose is W − W_0
//! tip        bucket over, wait; bucket back
//! ```
//! W is the mean of the last 32 readings: 32 ms. A part that lands looks heavier than it is while the cell and the mean forget the blow: the feed stops at once,
//! and goes on if that was all. A bucket that does not get where it is sent is an alarm too. Weights are counts of the converter, 24 bits, most significant byte first.

use super::timer::Lasting;
use super::{read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal::spi::SpiDevice;

/// A bucket that is not over or upright after so many ticks does not get there.
const STUCK: u32 = 2000;
/// Readings to a mean.
const READINGS: usize = 32;

/// What it is wired to.
pub struct DosingPins<S, P, I, O> {
    /// Converter of the weigh cell.
    pub scale: S,
    /// Amplitude of the vibrator.
    pub amplitude: P,
    /// End switch: the bucket is all the way over.
    pub is_over: I,
    /// End switch: the bucket is upright.
    pub is_upright: I,
    /// The vibrator's enable.
    pub feed: O,
    /// Valve: high tips the bucket.
    pub tip: O,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Tare,
    Coarse,
    Fine,
    Settle,
    Over,
    Back,
    Alarm,
}

/// How to dose.
#[derive(Clone, Copy, Debug)]
pub struct DosingSettings {
    /// Weight of a dose. Counts
    pub target: i32,
    /// c: so much before the target the feed is fine. Counts
    pub coarse_margin: i32,
    /// f: so much before the target it stops. Counts
    pub fine_margin: i32,
    /// a_c. %
    pub coarse_percent: u8,
    /// a_f. %
    pub fine_percent: u8,
    /// Ticks that the weight must last before the dose is done: longer than a blow is seen.
    pub hold: u32,
    /// Ticks until the bucket has come to rest.
    pub settle: u32,
    /// Ticks in which the bucket empties.
    pub empty: u32,
    /// An empty bucket weighs what it weighed at first, to this. Counts
    pub residue: i32,
}

/// Doses by weight.
#[derive(Clone, Copy, Debug)]
pub struct Dosing {
    /// How.
    pub settings: DosingSettings,
    state: State,
    lasting: Lasting,
    /// how long the bucket has been on its way
    moving: Lasting,
    readings: [i32; READINGS],
    next: usize,
    /// weight of the empty bucket: at first, and now
    first: Option<i32>,
    tare: i32,
    /// Doses weighed.
    pub doses: u32,
    /// What the last one weighed. Counts
    pub dose: i32,
}

impl Dosing {
    /// Before the first dose.
    pub const fn new(settings: DosingSettings) -> Self {
        Self {
            settings,
            state: State::Tare,
            lasting: Lasting::NEW,
            moving: Lasting::NEW,
            readings: [0; READINGS],
            next: 0,
            first: None,
            tare: 0,
            doses: 0,
            dose: 0,
        }
    }

    /// Has it stopped because the bucket did not empty, or did not move?
    pub fn has_alarm(&self) -> bool {
        self.state == State::Alarm
    }

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a bus or a drive that fails.
    pub fn tick<S: SpiDevice, P: SetDutyCycle, I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut DosingPins<S, P, I, O>,
    ) -> Result<(), ErrorKind> {
        let mut bytes = [0; 3];
        pins.scale.read(&mut bytes).map_err(|_| ErrorKind::Other)?;
        let weight = self.mean_with(count_of(bytes));
        let (is_over, is_upright) = (read(&mut pins.is_over)?, read(&mut pins.is_upright)?);
        let net = weight.saturating_sub(self.tare);
        let DosingSettings {
            target,
            coarse_margin,
            fine_margin,
            coarse_percent,
            fine_percent,
            hold,
            settle,
            empty,
            ..
        } = self.settings;
        let is_enough = net >= target.saturating_sub(fine_margin);
        let before = self.state;
        self.state = match before {
            State::Tare if self.lasting.has_lasted(is_upright, settle) => self.begin(weight),
            State::Coarse if net >= target.saturating_sub(coarse_margin) => State::Fine,
            State::Fine if self.lasting.has_lasted(is_enough, hold) => State::Settle,
            State::Settle if self.lasting.has_lasted(true, settle) => {
                (self.doses, self.dose) = (self.doses.saturating_add(1), net);
                State::Over
            }
            State::Over if self.lasting.has_lasted(is_over, empty) => State::Back,
            State::Back if is_upright => State::Tare,
            State::Over | State::Back if self.moving.has_lasted(true, STUCK) => State::Alarm,
            state => state,
        };
        if self.state != before {
            (self.lasting, self.moving) = (Lasting::NEW, Lasting::NEW);
        }
        let percent = if self.state == State::Coarse { coarse_percent } else { fine_percent };
        pins.amplitude.set_duty_cycle_percent(percent.min(100)).map_err(|_| ErrorKind::Other)?;
        // at once, whether it lasts or not: meanwhile the next part may be at the edge
        write(&mut pins.feed, self.state == State::Coarse || self.state == State::Fine && !is_enough)?;
        write(&mut pins.tip, self.state == State::Over)
    }

    /// Tared: fill, unless something is left.
    fn begin(&mut self, weight: i32) -> State {
        self.tare = weight;
        let first = *self.first.get_or_insert(weight);
        if weight.saturating_sub(first) > self.settings.residue { State::Alarm } else { State::Coarse }
    }

    /// The mean after another reading.
    fn mean_with(&mut self, reading: i32) -> i32 {
        if let Some(oldest) = self.readings.get_mut(self.next) {
            *oldest = reading;
        }
        self.next = self.next.saturating_add(1);
        if self.next >= READINGS {
            self.next = 0;
        }
        // 32 times 24 bits
        self.readings.iter().fold(0_i32, |sum, reading| sum.saturating_add(*reading)) / READINGS as i32
    }
}

/// 24 bits, two's complement.
fn count_of([high, middle, low]: [u8; 3]) -> i32 {
    i32::from_be_bytes([high, middle, low, 0]) >> 8
}
