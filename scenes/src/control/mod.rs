//! Example controllers, written against embedded-hal alone: they run unchanged on a machine's pins and on a twin's terminals.
//!
//! A controller is ticked once a millisecond, after the sensors' image is valid and before the actuators' is latched. It owns no pins: whoever ticks it hands
//! them over.
//!
//! | file | what it controls |
//! | --- | --- |
//! | `timer` | time in ticks; a debounced input |
//! | `track` | a vibrator by a light barrier: stop when parts queue up, start when they are gone |
//! | `escapement` | two cylinders that let one part go at a time |
//! | `plate` | the modes of a flexible feeder's plate, and its cycle by what a camera sees |
//! | `transfer` | a pusher that takes the part at a stop |

mod escapement;
mod plate;
mod timer;
mod track;
mod transfer;

pub use escapement::{Escapement, EscapementPins};
pub use plate::{DrivePins, PlateAmplitudes, PlateControl, PlateError, PlateMode, PlatePins, PlateView};
pub use timer::{Debounced, Lasting};
pub use track::TrackControl;
pub use transfer::{Transfer, TransferPins};

use embedded_hal::digital::{Error, ErrorKind, InputPin, OutputPin, PinState};

/// Read a pin.
pub(crate) fn read<P: InputPin>(pin: &mut P) -> Result<bool, ErrorKind> {
    pin.is_high().map_err(|error| error.kind())
}

/// Write a pin.
pub(crate) fn write<P: OutputPin>(pin: &mut P, high: bool) -> Result<(), ErrorKind> {
    pin.set_state(PinState::from(high)).map_err(|error| error.kind())
}
