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
//! and goes on if that was all. A bucket that does not get where it is sent, or does not stay there, is an alarm too, and so is a feed of which nothing comes. Weights are counts of the converter, 24 bits, most significant byte first.

use super::timer::Lasting;
use super::track::TrackControl;
use super::{Both, duty, read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal::spi::SpiDevice;

/// A bucket that is not over or upright after so many ticks does not get there.
const STUCK: u32 = 2000;
/// One that has not been upright for so many ticks is not where it is filled; less may be a switch that chatters.
const ASTRAY: u32 = 50;
/// Readings to a mean.
const READINGS: usize = 32;

/// What it is wired to.
#[derive(Debug)]
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
    Alarm(DosingAlarm),
}

/// Why it has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DosingAlarm {
    /// Something is left in the bucket.
    NotEmpty,
    /// The bucket is not where it was sent.
    Stuck,
    /// It feeds and nothing comes.
    NoPart,
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
    /// Something has come once the weight has changed by this. Counts
    pub part: i32,
    /// Ticks of filling in which something must come.
    pub patience: u32,
}

/// Doses by weight.
#[derive(Clone, Copy, Debug)]
pub struct Dosing {
    /// How.
    pub settings: DosingSettings,
    state: State,
    lasting: Lasting,
    /// how long the bucket has been on its way, or, where it is to be upright, has not been
    moving: Lasting,
    /// how long nothing has come, since it weighed this
    waiting: Lasting,
    mark: i32,
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
            waiting: Lasting::NEW,
            mark: 0,
            readings: [0; READINGS],
            next: 0,
            first: None,
            tare: 0,
            doses: 0,
            dose: 0,
        }
    }

    /// Why it has stopped, if it has.
    pub fn alarm(&self) -> Option<DosingAlarm> {
        if let State::Alarm(why) = self.state { Some(why) } else { None }
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
            patience,
            ..
        } = self.settings;
        let is_enough = net >= target.saturating_sub(fine_margin);
        let before = self.state;
        // to get there, and to stay for as long as it must
        let allowed = STUCK.saturating_add(match before {
            State::Tare => settle,
            State::Over => empty,
            _ => 0,
        });
        let has_come = self.has_come(net);
        self.state = match before {
            // before anything else: parts would go past it
            State::Coarse | State::Fine | State::Settle if self.moving.has_lasted(!is_upright, ASTRAY) => {
                State::Alarm(DosingAlarm::Stuck)
            }
            State::Coarse | State::Fine if self.waiting.has_lasted(!has_come, patience) => {
                State::Alarm(DosingAlarm::NoPart)
            }
            State::Tare if self.lasting.has_lasted(is_upright, settle) => self.begin(weight),
            State::Coarse if net >= target.saturating_sub(coarse_margin) => State::Fine,
            State::Fine if self.lasting.has_lasted(is_enough, hold) => State::Settle,
            State::Settle if self.lasting.has_lasted(is_upright, settle) => {
                (self.doses, self.dose) = (self.doses.saturating_add(1), net);
                State::Over
            }
            State::Over if self.lasting.has_lasted(is_over, empty) => State::Back,
            State::Back if is_upright => State::Tare,
            State::Tare | State::Over | State::Back if self.moving.has_lasted(true, allowed) => {
                State::Alarm(DosingAlarm::Stuck)
            }
            state => state,
        };
        if self.state != before {
            (self.lasting, self.moving, self.waiting) = (Lasting::NEW, Lasting::NEW, Lasting::NEW);
        }
        let percent = if self.state == State::Coarse { coarse_percent } else { fine_percent };
        duty(&mut pins.amplitude, percent)?;
        // at once, whether it lasts or not: meanwhile the next part may be at the edge
        write(&mut pins.feed, self.state == State::Coarse || self.state == State::Fine && !is_enough)?;
        write(&mut pins.tip, self.state == State::Over)
    }

    /// Tared: fill, unless something is left.
    fn begin(&mut self, weight: i32) -> State {
        (self.tare, self.mark) = (weight, 0);
        let first = *self.first.get_or_insert(weight);
        let is_empty = weight.saturating_sub(first) <= self.settings.residue;
        if is_empty { State::Coarse } else { State::Alarm(DosingAlarm::NotEmpty) }
    }

    /// Has something come since this was last so?
    fn has_come(&mut self, net: i32) -> bool {
        // either way: a blow fades, and the next part is not to be as heavy as that was
        let has_come = net.saturating_sub(self.mark).saturating_abs() >= self.settings.part;
        if has_come {
            self.mark = net;
        }
        has_come
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

/// What a doser is wired to.
#[derive(Debug)]
pub struct DosePins<S, P, I, O> {
    /// Beam in the trough: high while parts are there.
    pub full: I,
    /// High while both hoppers are to deliver.
    pub supply: Both<O>,
    /// Trough, bucket and weigh cell.
    pub dosing: DosingPins<S, P, I, O>,
}

/// Doses by weight from a trough that is kept full.
#[derive(Clone, Copy, Debug)]
pub struct DoseControl {
    /// Doses.
    pub dosing: Dosing,
    /// Hoppers by the beam.
    pub supply: TrackControl,
}

impl DoseControl {
    /// One tick.
    ///
    /// # Errors
    /// As [`Dosing::tick`].
    pub fn tick<S: SpiDevice, P: SetDutyCycle, I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut DosePins<S, P, I, O>,
    ) -> Result<(), ErrorKind> {
        self.supply.tick(&mut pins.full, &mut pins.supply, false)?;
        self.dosing.tick(&mut pins.dosing)
    }
}
