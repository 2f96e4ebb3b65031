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
//! | `quadrature` | nothing: counts what an encoder's two tracks say |
//! | `reject` | a pusher beside a belt that takes bad parts off it; what may come onto the belt |
//! | `dosing` | a vibrator and a tipping bucket on a weigh cell: coarse, fine, stop, empty |
//! | `plate` | the modes of a flexible feeder's plate, and its cycle by what a camera sees |
//! | `transfer` | a pusher that takes the part at a stop |

mod dosing;
mod escapement;
mod plate;
mod quadrature;
mod reject;
mod timer;
mod track;
mod transfer;

pub use dosing::{Dosing, DosingPins, DosingSettings};
pub use escapement::{Escapement, EscapementPins};
pub use plate::{DrivePins, PlateAmplitudes, PlateControl, PlateError, PlateMode, PlatePins, PlateView};
pub use quadrature::Quadrature;
pub use reject::{Merge, RejectPins, Rejector};
pub use timer::{Debounced, Lasting};
pub use track::TrackControl;
pub use transfer::{Transfer, TransferPins};

use embedded_hal::digital::{Error, ErrorKind, ErrorType, InputPin, OutputPin, PinState};

/// Read a pin.
pub(crate) fn read<P: InputPin>(pin: &mut P) -> Result<bool, ErrorKind> {
    pin.is_high().map_err(|error| error.kind())
}

/// Write a pin.
pub(crate) fn write<P: OutputPin>(pin: &mut P, high: bool) -> Result<(), ErrorKind> {
    pin.set_state(PinState::from(high)).map_err(|error| error.kind())
}

/// Two outputs that are always set alike.
#[derive(Clone, Copy, Debug)]
pub struct Both<O>(pub O, pub O);

impl<O: ErrorType> ErrorType for Both<O> {
    type Error = O::Error;
}

impl<O: OutputPin> OutputPin for Both<O> {
    fn set_low(&mut self) -> Result<(), O::Error> {
        self.0.set_low()?;
        self.1.set_low()
    }

    fn set_high(&mut self) -> Result<(), O::Error> {
        self.0.set_high()?;
        self.1.set_high()
    }
}
