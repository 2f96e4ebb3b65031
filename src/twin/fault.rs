//! What can go wrong, and as which bytes it is saved: a tag, a channel or a signal, a number.

use super::image::{Actuators, BARRIERS, BELTS, HOPPERS, SCALES, Sensors, SwitchSignal, VALVES, VIBRATORS, ZONES};
use crate::check::{from_zero_to_one, moderate, non_negative};
use crate::error::Error;
use crate::record::{Persist, Reader, Sink};

/// A digital signal of the image, by channel.
///
/// Of a sensor's signal that a fault spoils, edges are where the level shown is another than the one shown a step before, one a step at most. Such an edge has the time of the
/// true one in the same step that led there, or none: of an edge that comes late, or that is not there, nobody knows when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A light barrier's output.
    Barrier(u8),
    /// A zone's level switch.
    Level(u8),
    /// A valve.
    Valve(u8),
    /// Whether a vibrator runs.
    Vibrator(u8),
    /// Whether a belt runs.
    Belt(u8),
    /// Whether a hopper delivers.
    Hopper(u8),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The signal stays at this, whatever it should be.
    StuckAt(Signal, bool),
    /// Each pulse of the signal is lost with this probability. (1)
    Dropout(Signal, f32),
    /// The signal comes so many steps late, at most 63.
    Delay(Signal, u8),
    /// After every edge the signal is one or the other at random, for so many steps.
    Bounce(Signal, u8),
    /// The weigh cell's noise is larger by this standard deviation. N
    Noise(u8, f32),
    /// The vibrator has only this share of its amplitude left, 0 … 1. (1)
    AmplitudeLoss(u8, f32),
    /// Friction of all surfaces that the vibrator moves grows by this share of what it was a second, or falls where it is negative, to nothing at most. It stays as it is when
    /// the fault's steps are over, and when the fault is taken away. 1/s
    FrictionDrift(u8, f32),
    /// The cylinder sticks where it is.
    Jam(u8),
    /// The hopper delivers two parts at once with this probability. (1)
    DoublePart(u8, f32),
}

impl Fault {
    pub(super) fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Dropout(_, share) | Self::AmplitudeLoss(_, share) | Self::DoublePart(_, share) => {
                from_zero_to_one(share, "share")?;
            }
            Self::Delay(_, steps) if steps > 63 => return Err(Error::OutOfRange("delay")),
            Self::Noise(_, deviation) => {
                non_negative(deviation, "noise")?;
                moderate(deviation, "noise")?;
            }
            Self::FrictionDrift(_, drift) => moderate(drift, "drift")?,
            Self::StuckAt(..) | Self::Delay(..) | Self::Bounce(..) | Self::Jam(_) => {}
        }
        let (channel, channels) = match *self {
            Self::StuckAt(signal, _) | Self::Dropout(signal, _) | Self::Delay(signal, _) | Self::Bounce(signal, _) => {
                signal.channel()
            }
            Self::Noise(channel, _) => (channel, SCALES),
            Self::AmplitudeLoss(channel, _) | Self::FrictionDrift(channel, _) => (channel, VIBRATORS),
            Self::Jam(channel) => (channel, VALVES),
            Self::DoublePart(channel, _) => (channel, HOPPERS),
        };
        if usize::from(channel) < channels { Ok(()) } else { Err(Error::OutOfRange("channel")) }
    }
}

impl Signal {
    /// Its channel, and how many of its kind the image has.
    const fn channel(self) -> (u8, usize) {
        match self {
            Self::Barrier(channel) => (channel, BARRIERS),
            Self::Level(channel) => (channel, ZONES),
            Self::Valve(channel) => (channel, VALVES),
            Self::Vibrator(channel) => (channel, VIBRATORS),
            Self::Belt(channel) => (channel, BELTS),
            Self::Hopper(channel) => (channel, HOPPERS),
        }
    }

    pub(super) fn of_actuators(self, actuators: &mut Actuators) -> Option<&mut bool> {
        match self {
            Self::Valve(channel) => actuators.valves.get_mut(usize::from(channel)),
            Self::Vibrator(channel) => Some(&mut actuators.vibrators.get_mut(usize::from(channel))?.run),
            Self::Belt(channel) => Some(&mut actuators.belts.get_mut(usize::from(channel))?.run),
            Self::Hopper(channel) => actuators.hoppers.get_mut(usize::from(channel)),
            Self::Barrier(_) | Self::Level(_) => None,
        }
    }

    /// Its level in what a controller was shown last.
    pub(super) fn is_shown(self, sensors: &Sensors) -> bool {
        let signal = match self {
            Self::Barrier(channel) => sensors.barriers.get(usize::from(channel)),
            Self::Level(channel) => sensors.zones.get(usize::from(channel)).map(|zone| &zone.level),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => None,
        };
        signal.is_some_and(|signal| signal.on)
    }

    pub(super) fn of_sensors(self, sensors: &mut Sensors) -> Option<&mut SwitchSignal> {
        match self {
            Self::Barrier(channel) => sensors.barriers.get_mut(usize::from(channel)),
            Self::Level(channel) => Some(&mut sensors.zones.get_mut(usize::from(channel))?.level),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => None,
        }
    }
}

impl Persist for Signal {
    fn save(&self, out: &mut dyn Sink) {
        let (tag, channel) = match *self {
            Self::Barrier(channel) => (0, channel),
            Self::Level(channel) => (1, channel),
            Self::Valve(channel) => (2, channel),
            Self::Vibrator(channel) => (3, channel),
            Self::Belt(channel) => (4, channel),
            Self::Hopper(channel) => (5, channel),
        };
        [tag, channel].save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let (tag, channel) = (input.tag(6, "signal")?, input.load()?);
        Ok(match tag {
            0 => Self::Barrier(channel),
            1 => Self::Level(channel),
            2 => Self::Valve(channel),
            3 => Self::Vibrator(channel),
            4 => Self::Belt(channel),
            _ => Self::Hopper(channel),
        })
    }
}

impl Persist for Fault {
    fn save(&self, out: &mut dyn Sink) {
        fn put(out: &mut dyn Sink, tag: u8, of: impl Persist, value: impl Persist) {
            tag.save(out);
            of.save(out);
            value.save(out);
        }
        match *self {
            Self::StuckAt(signal, level) => put(out, 0, signal, level),
            Self::Dropout(signal, share) => put(out, 1, signal, share),
            Self::Delay(signal, steps) => put(out, 2, signal, steps),
            Self::Bounce(signal, steps) => put(out, 3, signal, steps),
            Self::Noise(channel, deviation) => put(out, 4, channel, deviation),
            Self::AmplitudeLoss(channel, share) => put(out, 5, channel, share),
            Self::FrictionDrift(channel, drift) => put(out, 6, channel, drift),
            Self::Jam(channel) => put(out, 7, channel, [0_u8; 0]),
            Self::DoublePart(channel, share) => put(out, 8, channel, share),
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let fault = match input.tag(9, "fault")? {
            0 => Self::StuckAt(input.load()?, input.load()?),
            1 => Self::Dropout(input.load()?, input.load()?),
            2 => Self::Delay(input.load()?, input.load()?),
            3 => Self::Bounce(input.load()?, input.load()?),
            4 => Self::Noise(input.load()?, input.load()?),
            5 => Self::AmplitudeLoss(input.load()?, input.load()?),
            6 => Self::FrictionDrift(input.load()?, input.load()?),
            7 => Self::Jam(input.load()?),
            _ => Self::DoublePart(input.load()?, input.load()?),
        };
        fault.check()?;
        Ok(fault)
    }
}
