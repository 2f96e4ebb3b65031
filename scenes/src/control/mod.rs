//! Example controllers, written against embedded-hal alone: they run unchanged on a machine's pins and on a twin's terminals.
//!
//! A controller is ticked once a millisecond, after the sensors' image is valid and before the actuators' is latched. It owns no pins: whoever ticks it hands
//! them over.
//!
//! | file | what it controls |
//! | --- | --- |
//! | `timer` | time in ticks; a debounced input; what lasts too long |
//! | `demand` | nothing: says when a part is wanted, and counts how often none came |
//! | `track` | a vibrator by a light barrier: stop when parts queue up, start when they are gone |
//! | `escapement` | two cylinders that let one part go at a time |
//! | `transfer` | a pusher that takes the part at a stop |
//! | `feeder` | a linear feeder: rail, hopper, escapement |
//! | `bowl` | a vibratory bowl: bowl, hopper, wiper, transfer |
//! | `quadrature` | nothing: counts what an encoder's two tracks say |
//! | `reject` | a belt, what may come onto it, and a pusher beside it that takes bad parts off |
//! | `dosing` | a vibrator and a tipping bucket on a weigh cell: coarse, fine, stop, empty |
//! | `plate` | the modes of a flexible feeder's plate, and its cycle by what a camera sees |

mod bowl;
mod demand;
mod dosing;
mod escapement;
mod feeder;
mod plate;
mod quadrature;
mod reject;
mod timer;
mod track;
mod transfer;

pub use bowl::{BowlControl, BowlPins, ControlBowl};
pub use demand::{Demand, Handover};
pub use dosing::{DoseControl, DosePins, Dosing, DosingAlarm, DosingPins, DosingSettings};
pub use escapement::{Escapement, EscapementPins};
pub use feeder::{ControlFeeder, FeederControl, FeederPins};
pub use plate::{DrivePins, PlateAmplitudes, PlateControl, PlateLooks, PlateMode, PlatePins, PlateView};
pub use quadrature::Quadrature;
pub use reject::{ConveyorControl, ConveyorPins, Merge, RejectPins, Rejector};
pub use timer::{Debounced, Lasting, Overdue};
pub use track::TrackControl;
pub use transfer::{Transfer, TransferPins};

use embedded_hal::digital::{Error, ErrorKind, ErrorType, InputPin, OutputPin, PinState};
use embedded_hal::pwm::SetDutyCycle;

/// Read a pin.
pub(crate) fn read<P: InputPin>(pin: &mut P) -> Result<bool, ErrorKind> {
    pin.is_high().map_err(|error| error.kind())
}

/// Write a pin.
pub(crate) fn write<P: OutputPin>(pin: &mut P, high: bool) -> Result<(), ErrorKind> {
    pin.set_state(PinState::from(high)).map_err(|error| error.kind())
}

/// Set a drive's amplitude. %
pub(crate) fn duty<P: SetDutyCycle>(pin: &mut P, percent: u8) -> Result<(), ErrorKind> {
    pin.set_duty_cycle_percent(percent.min(100)).map_err(|_| ErrorKind::Other)
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
