//! What can go wrong, and as which bytes it is saved: a tag, a channel or a signal, a number.

use super::image::{Actuators, BARRIERS, BELTS, HOPPERS, SCALES, Sensors, SwitchSignal, VALVES, VIBRATORS, ZONES};
use super::state::persist;
use crate::check::{from_zero_to_one, moderate, non_negative};
use crate::error::Error;
use crate::record::{Persist, Reader, Sink};

/// A digital signal of the image, by channel.
///
/// A sensor's signal that a fault lets pass has its true edges. Of one that it spoils, edges are where the level shown is another than the one shown a step before, one a step
/// at most. Such an edge has the time of the true one in the same step that led there, or none: of an edge that comes late, or that is not there, nobody knows when it
/// was. End switches and encoders are levels without edges; an encoder's [`count`](super::EncoderSignal::count) is how far the belt has gone, whatever its tracks show.
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
    /// A cylinder's end switch: all the way in.
    Retracted(u8),
    /// A cylinder's end switch: all the way out.
    Extended(u8),
    /// Track A of a belt's encoder.
    EncoderA(u8),
    /// Track B of a belt's encoder.
    EncoderB(u8),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The signal stays at this, whatever it should be.
    StuckAt(Signal, bool),
    /// Each pulse of the signal is lost with this probability: a phase in which it is on, or off where the sensor's output is normally closed. One under way when the fault
    /// begins is not. (1)
    Dropout(Signal, f32),
    /// The signal comes so many steps late, at most 63; what came before the fault was added is not late.
    Delay(Signal, u8),
    /// After every edge the signal is one or the other at random, for so many steps.
    Bounce(Signal, u8),
    /// The weigh cell's noise is larger by this standard deviation. N
    Noise(u8, f32),
    /// The vibrator has only this share of its amplitude left, 0 … 1. (1)
    AmplitudeLoss(u8, f32),
    /// Friction of all surfaces that the vibrator moves grows by this share of what it was a second, or falls where it is negative, to nothing at most. It stays as it is when
    /// the fault's steps are over, and when the fault is taken away. It changes by 1/4096 at a time; of parts on the surface by the root of that. 1/s
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
            Self::Valve(channel) | Self::Retracted(channel) | Self::Extended(channel) => (channel, VALVES),
            Self::Vibrator(channel) => (channel, VIBRATORS),
            Self::Belt(channel) | Self::EncoderA(channel) | Self::EncoderB(channel) => (channel, BELTS),
            Self::Hopper(channel) => (channel, HOPPERS),
        }
    }

    pub(super) fn of_actuators(self, actuators: &mut Actuators) -> Option<&mut bool> {
        match self {
            Self::Valve(channel) => actuators.valves.get_mut(usize::from(channel)),
            Self::Vibrator(channel) => Some(&mut actuators.vibrators.get_mut(usize::from(channel))?.run),
            Self::Belt(channel) => Some(&mut actuators.belts.get_mut(usize::from(channel))?.run),
            Self::Hopper(channel) => actuators.hoppers.get_mut(usize::from(channel)),
            _ => None,
        }
    }

    /// Was it on in the last step?
    pub(super) fn is_latched(self, latched: &Latched) -> bool {
        let level = match self {
            Self::Valve(channel) => latched.valves.get(usize::from(channel)),
            Self::Vibrator(channel) => latched.vibrators.get(usize::from(channel)),
            Self::Belt(channel) => latched.belts.get(usize::from(channel)),
            Self::Hopper(channel) => latched.hoppers.get(usize::from(channel)),
            _ => None,
        };
        level.is_some_and(|on| *on)
    }

    pub(super) fn of_sensors(self, sensors: &Sensors) -> Option<SwitchSignal> {
        let level = |on| SwitchSignal { on, ..SwitchSignal::default() };
        match self {
            Self::Barrier(channel) => sensors.barriers.get(usize::from(channel)).copied(),
            Self::Level(channel) => sensors.zones.get(usize::from(channel)).map(|zone| zone.level),
            Self::Retracted(channel) => sensors.cylinders.get(usize::from(channel)).map(|ends| level(ends.retracted)),
            Self::Extended(channel) => sensors.cylinders.get(usize::from(channel)).map(|ends| level(ends.extended)),
            Self::EncoderA(channel) => sensors.encoders.get(usize::from(channel)).map(|tracks| level(tracks.a)),
            Self::EncoderB(channel) => sensors.encoders.get(usize::from(channel)).map(|tracks| level(tracks.b)),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => None,
        }
    }

    /// Show this in its place; of end switches and encoders only the level.
    pub(super) fn show(self, sensors: &mut Sensors, signal: SwitchSignal) {
        let channel = usize::from(self.channel().0);
        match self {
            Self::Barrier(_) => put(&mut sensors.barriers, channel, |shown| *shown = signal),
            Self::Level(_) => put(&mut sensors.zones, channel, |zone| zone.level = signal),
            Self::Retracted(_) => put(&mut sensors.cylinders, channel, |ends| ends.retracted = signal.on),
            Self::Extended(_) => put(&mut sensors.cylinders, channel, |ends| ends.extended = signal.on),
            Self::EncoderA(_) => put(&mut sensors.encoders, channel, |tracks| tracks.a = signal.on),
            Self::EncoderB(_) => put(&mut sensors.encoders, channel, |tracks| tracks.b = signal.on),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => {}
        }
    }
}

fn put<T>(signals: &mut [T], channel: usize, change: impl FnOnce(&mut T)) {
    if let Some(signal) = signals.get_mut(channel) {
        change(signal);
    }
}

/// Levels of all signals of actuators.
#[derive(Clone, Copy, Debug)]
pub(super) struct Latched {
    vibrators: [bool; VIBRATORS],
    belts: [bool; BELTS],
    valves: [bool; VALVES],
    hoppers: [bool; HOPPERS],
}
persist!(Latched { vibrators, belts, valves, hoppers });

impl Latched {
    pub(super) const OFF: Self = Self {
        vibrators: [false; VIBRATORS],
        belts: [false; BELTS],
        valves: [false; VALVES],
        hoppers: [false; HOPPERS],
    };

    pub(super) fn of(actuators: &Actuators) -> Self {
        let Actuators { vibrators, belts, valves, hoppers } = *actuators;
        Self { vibrators: vibrators.map(|setpoint| setpoint.run), belts: belts.map(|belt| belt.run), valves, hoppers }
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
            Self::Retracted(channel) => (6, channel),
            Self::Extended(channel) => (7, channel),
            Self::EncoderA(channel) => (8, channel),
            Self::EncoderB(channel) => (9, channel),
        };
        [tag, channel].save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let (tag, channel) = (input.tag(10, "signal")?, input.load()?);
        Ok(match tag {
            0 => Self::Barrier(channel),
            1 => Self::Level(channel),
            2 => Self::Valve(channel),
            3 => Self::Vibrator(channel),
            4 => Self::Belt(channel),
            5 => Self::Hopper(channel),
            6 => Self::Retracted(channel),
            7 => Self::Extended(channel),
            8 => Self::EncoderA(channel),
            _ => Self::EncoderB(channel),
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
