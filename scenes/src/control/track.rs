//! Track control: a light barrier decides whether a vibrator runs.
//!
//! ```text
//! parts interrupt the beam for t_off   → the queue has reached it: stop
//! the beam is clear for t_on           → there is room: run
//! ```

use super::timer::Lasting;
use super::{read, write};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};

/// Track control with on and off timers.
#[derive(Clone, Copy, Debug)]
pub struct TrackControl {
    /// Ticks of a clear beam before it starts.
    pub t_on: u32,
    /// Ticks of an interrupted beam before it stops.
    pub t_off: u32,
    clear: Lasting,
    full: Lasting,
    runs: bool,
}

impl TrackControl {
    /// At first it runs.
    pub const fn new(t_on: u32, t_off: u32) -> Self {
        Self { t_on, t_off, clear: Lasting::NEW, full: Lasting::NEW, runs: true }
    }

    /// One tick. `beam` is high while it is interrupted, `drive` high while the drive is to run: when there is room, or when it is `needed` anyway.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick(
        &mut self,
        beam: &mut impl InputPin,
        drive: &mut impl OutputPin,
        needed: bool,
    ) -> Result<(), ErrorKind> {
        let runs = self.decide(read(beam)?);
        write(drive, runs || needed)
    }

    /// The same where more than this decides: one tick with the beam as it is; returns whether there is room.
    pub fn decide(&mut self, interrupted: bool) -> bool {
        if self.full.has_lasted(interrupted, self.t_off) {
            self.runs = false;
        }
        if self.clear.has_lasted(!interrupted, self.t_on) {
            self.runs = true;
        }
        self.runs
    }
}
