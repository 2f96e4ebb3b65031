//! A linear feeder: rail and hopper by their beams, an escapement that hands parts over, an alarm where something sticks.
//!
//! ```text
//! rail      track control by the full beam; runs anyway while a part is let go or moves up
//! hopper    track control by the beam at the inlet, clear for as long as the rail has run; stands while the rail does, for nothing makes room then
//! alarm     the escapement's, and a full rail at whose end no part arrives: parts are stuck in between
//! ```

use super::timer::Overdue;
use super::{Demand, Escapement, EscapementPins, Handover, TrackControl, duty, read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;

/// Ticks in which parts come from the full beam to the stop many times over.
const BLOCKED: u32 = 3000;

/// What it is wired to.
pub struct FeederPins<I, O, P> {
    /// Amplitude of the rail.
    pub amplitude: P,
    /// Beam across the rail: high while parts have queued up to it.
    pub full: I,
    /// The rail's enable.
    pub run_rail: O,
    /// Beam at the inlet: high while a part is there.
    pub inlet: I,
    /// The hopper's enable.
    pub run_hopper: O,
    /// At the rail's end.
    pub escapement: EscapementPins<I, O>,
    /// Lamp: high while something sticks.
    pub alarm: O,
}

/// Controls a linear feeder.
pub trait ControlFeeder {
    /// Before the first tick.
    const NEW: Self;

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a drive that fails.
    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut FeederPins<I, O, P>,
    ) -> Result<(), ErrorKind>;

    /// What it believes to have done.
    fn handover(&self) -> Handover;
}

/// The example controller.
#[derive(Clone, Copy, Debug)]
pub struct FeederControl {
    /// Rail by the full beam.
    pub rail: TrackControl,
    /// Hopper by the beam at the inlet: the same control.
    pub hopper: TrackControl,
    /// One part at a time.
    pub escapement: Escapement,
    /// When parts are wanted.
    pub demand: Demand,
    /// Full, but no part at the stop.
    pub blocked: Overdue,
}

impl ControlFeeder for FeederControl {
    const NEW: Self = Self {
        rail: TrackControl::new(300, 400),
        // sooner than the next part comes: 100 ms at least
        hopper: TrackControl::new(50, 90),
        escapement: Escapement::new(5),
        // time to fill the rail
        demand: Demand::new(5000, 700),
        blocked: Overdue::new(BLOCKED),
    };

    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut FeederPins<I, O, P>,
    ) -> Result<(), ErrorKind> {
        duty(&mut pins.amplitude, 100)?;
        let rail_has_room = self.rail.decide(read(&mut pins.full)?);
        let runs = rail_has_room || self.escapement.is_busy();
        write(&mut pins.run_rail, runs)?;
        let has_room = self.hopper.decide(read(&mut pins.inlet)? || !runs);
        write(&mut pins.run_hopper, has_room && runs)?;
        let wanted = self.demand.tick();
        if self.escapement.tick(&mut pins.escapement, wanted)? {
            self.demand.meet();
        }
        self.blocked.tick(!rail_has_room && !self.escapement.has_part());
        write(&mut pins.alarm, self.escapement.has_alarm() || self.blocked.is_overdue())
    }

    fn handover(&self) -> Handover {
        let Demand { missed, waited, .. } = self.demand;
        let alarms = self.escapement.alarms().saturating_add(self.blocked.times());
        Handover { parts: self.escapement.released, missed, waited, alarms }
    }
}
