//! The I/O image: what a controller sets and what it reads, in engineering units.
//!
//! Actuators are latched at the start of a step, sensors are valid at its end. Channels are numbered as their parts were added to the plant; a channel without a part is
//! ignored, and reads as new.

use super::state::persist;
use crate::check::{finite, moderate, non_negative};
use crate::error::Error;
use crate::math::{Pose, Vec3};

/// Vibratory drives.
pub const VIBRATORS: usize = 4;
/// Conveyor belts, each with an encoder.
pub const BELTS: usize = 2;
/// Solenoid valves, each with a cylinder: gates, escapements, pushers, wipers, traps.
pub const VALVES: usize = 8;
/// Hoppers.
pub const HOPPERS: usize = 2;
/// Light barriers.
pub const BARRIERS: usize = 8;
/// Zones: levels, counters, sinks.
pub const ZONES: usize = 8;
/// Weigh cells.
pub const SCALES: usize = 2;
/// Accelerometers.
pub const ACCELEROMETERS: usize = 2;
/// Parts that a camera sees at most.
pub const POSES: usize = 16;

/// What a controller asks of a vibratory drive.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Setpoint {
    /// Enabled: off, it stops softly.
    pub run: bool,
    /// 0 … 100 %.
    pub amplitude_percent: f32,
    /// Up to 1 MHz. Hz
    pub frequency_hz: f32,
}

persist!(Setpoint { run, amplitude_percent, frequency_hz });

impl Setpoint {
    /// Off; 50 Hz once it runs.
    pub const OFF: Self = Self { run: false, amplitude_percent: 0.0, frequency_hz: 50.0 };

    pub(super) fn check(&self) -> Result<(), Error> {
        non_negative(self.amplitude_percent, "amplitude_percent")?;
        if self.amplitude_percent > 100.0 {
            return Err(Error::OutOfRange("amplitude_percent"));
        }
        non_negative(self.frequency_hz, "frequency_hz")?;
        moderate(self.frequency_hz, "frequency_hz")
    }
}

/// What a controller asks of a belt.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BeltSetpoint {
    /// Enabled: off, it brakes.
    pub run: bool,
    /// −100 … 100 % of its top speed.
    pub speed_percent: f32,
}

persist!(BeltSetpoint { run, speed_percent });

/// All that a controller sets.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Actuators {
    /// Vibratory drives: bowl, track, axes of a plate.
    pub vibrators: [Setpoint; VIBRATORS],
    /// Belts.
    pub belts: [BeltSetpoint; BELTS],
    /// Valves: on, the cylinder goes out.
    pub valves: [bool; VALVES],
    /// Hoppers: on, they deliver.
    pub hoppers: [bool; HOPPERS],
}

persist!(Actuators { vibrators, belts, valves, hoppers });

impl Actuators {
    /// Everything off.
    pub const OFF: Self = Self {
        vibrators: [Setpoint::OFF; VIBRATORS],
        belts: [BeltSetpoint { run: false, speed_percent: 0.0 }; BELTS],
        valves: [false; VALVES],
        hoppers: [false; HOPPERS],
    };

    /// Refuse what no actuator can do.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`] or [`Error::OutOfRange`], naming `amplitude_percent`, `frequency_hz` or `speed_percent`.
    pub fn check(&self) -> Result<(), Error> {
        for setpoint in &self.vibrators {
            setpoint.check()?;
        }
        for setpoint in &self.belts {
            finite(setpoint.speed_percent, "speed_percent")?;
            if !(-100.0..=100.0).contains(&setpoint.speed_percent) {
                return Err(Error::OutOfRange("speed_percent"));
            }
        }
        Ok(())
    }
}

impl Default for Setpoint {
    fn default() -> Self {
        Self::OFF
    }
}

impl Default for Actuators {
    fn default() -> Self {
        Self::OFF
    }
}

/// A switching output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SwitchSignal {
    /// Its level at the end of the step.
    pub on: bool,
    /// How often it switched within the step.
    pub edges: u8,
    /// When it switched last within the step, from the step's start; none if it did not. s
    pub edge_time: Option<f32>,
}

persist!(SwitchSignal { on, edges, edge_time });

/// What a zone sees.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ZoneSignal {
    /// Level: as many parts as it asks for are inside.
    pub level: SwitchSignal,
    /// Parts inside at the end of the step.
    pub parts: u16,
    /// Parts that have come in since the start; of a zone that is no sink those up to place 256 of the world.
    pub count: u32,
    /// Throughput: parts a minute, from the last ones' times.
    pub parts_per_minute: f32,
}

persist!(ZoneSignal { level, parts, count, parts_per_minute });

/// An incremental encoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct EncoderSignal {
    /// Track A.
    pub a: bool,
    /// Track B, a quarter of a line behind when the belt goes forward.
    pub b: bool,
    /// Edges of both since the start, four a line; less when the belt goes back. The truth, whatever faults make of the tracks.
    pub count: i32,
}

persist!(EncoderSignal { a, b, count });

/// End switches of a cylinder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct EndSwitches {
    /// It is all the way in.
    pub retracted: bool,
    /// It is all the way out.
    pub extended: bool,
}

persist!(EndSwitches { retracted, extended });

/// What a hopper says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct HopperSignal {
    /// Parts delivered since the start.
    pub delivered: u32,
    /// Parts that were due and found no room, in the world or where they come out.
    pub refused: u32,
}

persist!(HopperSignal { delivered, refused });

/// A frame of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Frames since the start.
    pub number: u32,
    /// Parts seen, in order of their places in the world; poses after so many are none.
    pub seen: u8,
    /// Parts in its field for which there was no room: those with the last places in the world.
    pub unseen: u16,
    /// Where they are, world frame.
    pub poses: [Pose<f32>; POSES],
}

persist!(Frame { number, seen, unseen, poses }, |frame| {
    if usize::from(frame.seen) > POSES { Err(Error::OutOfRange("seen")) } else { Ok(()) }
});

impl Frame {
    pub(super) const NONE: Self = Self { number: 0, seen: 0, unseen: 0, poses: [Pose::IDENTITY; POSES] };
}

/// All that a controller reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensors {
    /// Light barriers.
    pub barriers: [SwitchSignal; BARRIERS],
    /// Zones: levels, counters, sinks.
    pub zones: [ZoneSignal; ZONES],
    /// Encoders of the belts.
    pub encoders: [EncoderSignal; BELTS],
    /// End switches of the cylinders.
    pub cylinders: [EndSwitches; VALVES],
    /// Hoppers.
    pub hoppers: [HopperSignal; HOPPERS],
    /// Weigh cells. N
    pub weights: [f32; SCALES],
    /// Accelerometers, in the frame of what they sit on: at rest they read g upwards. m/s²
    pub accelerations: [Vec3<f32>; ACCELEROMETERS],
    /// The camera's last frame.
    pub camera: Frame,
}

persist!(Sensors { barriers, zones, encoders, cylinders, hoppers, weights, accelerations, camera });

impl Sensors {
    /// Of a plant without parts.
    pub const NEW: Self = Self {
        barriers: [SwitchSignal { on: false, edges: 0, edge_time: None }; BARRIERS],
        zones: [ZoneSignal {
            level: SwitchSignal { on: false, edges: 0, edge_time: None },
            parts: 0,
            count: 0,
            parts_per_minute: 0.0,
        }; ZONES],
        encoders: [EncoderSignal { a: false, b: false, count: 0 }; BELTS],
        cylinders: [EndSwitches { retracted: false, extended: false }; VALVES],
        hoppers: [HopperSignal { delivered: 0, refused: 0 }; HOPPERS],
        weights: [0.0; SCALES],
        accelerations: [Vec3::new(0.0, 0.0, 0.0); ACCELEROMETERS],
        camera: Frame::NONE,
    };
}

impl Default for Sensors {
    fn default() -> Self {
        Self::NEW
    }
}
