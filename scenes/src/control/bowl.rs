//! A vibratory bowl: bowl and hopper by a beam and a level, a wiper that is lowered, a transfer that takes parts, an alarm where something sticks:
//! the pusher, or parts on a full track at whose end none arrives.

use super::timer::Overdue;
use super::{Demand, Handover, TrackControl, Transfer, TransferPins, duty, read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;

/// Ticks in which parts come from the full beam to the stop many times over.
const BLOCKED: u32 = 3000;

/// What it is wired to.
pub struct BowlPins<I, O, P> {
    /// Amplitude of the bowl.
    pub amplitude: P,
    /// Beam across the track: high while parts have queued up to it.
    pub full: I,
    /// The bowl's enable.
    pub run_bowl: O,
    /// Level of the floor: high while enough parts are on it.
    pub floor: I,
    /// The hopper's enable.
    pub run_hopper: O,
    /// Valve: high lowers the wiper.
    pub wipe: O,
    /// At the track's end.
    pub transfer: TransferPins<I, O>,
    /// Lamp: high while something sticks.
    pub alarm: O,
}

/// Controls a bowl.
pub trait ControlBowl {
    /// Before the first tick.
    const NEW: Self;

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a drive that fails.
    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut BowlPins<I, O, P>,
    ) -> Result<(), ErrorKind>;

    /// What it believes to have done.
    fn handover(&self) -> Handover;
}

/// The example controller.
#[derive(Clone, Copy, Debug)]
pub struct BowlControl {
    /// Bowl by the full beam; it runs anyway while a part is taken or moves up.
    pub bowl: TrackControl,
    /// Hopper by the level of the floor: the same control.
    pub hopper: TrackControl,
    /// One part at a time.
    pub transfer: Transfer,
    /// Whether it lowers the wiper.
    pub wipes: bool,
    /// When parts are wanted.
    pub demand: Demand,
    /// Full, but no part at the stop.
    pub blocked: Overdue,
}

impl ControlBowl for BowlControl {
    const NEW: Self = Self {
        bowl: TrackControl::new(300, 400),
        hopper: TrackControl::new(100, 200),
        transfer: Transfer::new(50),
        wipes: true,
        // time for the first to climb
        demand: Demand::new(9000, 900),
        blocked: Overdue::new(BLOCKED),
    };

    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut BowlPins<I, O, P>,
    ) -> Result<(), ErrorKind> {
        duty(&mut pins.amplitude, 100)?;
        write(&mut pins.wipe, self.wipes)?;
        let track_has_room = self.bowl.decide(read(&mut pins.full)?);
        let runs = track_has_room || self.transfer.is_busy();
        write(&mut pins.run_bowl, runs)?;
        let has_room = self.hopper.decide(read(&mut pins.floor)?);
        write(&mut pins.run_hopper, has_room)?;
        let wanted = self.demand.tick();
        if self.transfer.tick(&mut pins.transfer, wanted)? {
            self.demand.meet();
        }
        self.blocked.tick(!track_has_room && !self.transfer.has_part());
        write(&mut pins.alarm, self.transfer.has_alarm() || self.blocked.is_overdue())
    }

    fn handover(&self) -> Handover {
        let Demand { missed, waited, .. } = self.demand;
        let alarms = self.transfer.alarms().saturating_add(self.blocked.times());
        Handover { parts: self.transfer.taken, missed, waited, alarms }
    }
}
