//! Demand: what takes parts wants one every so many ticks, and waits where none comes.
//!
//! It is met when a part is let go. Should that part stick on its way, those who let it go raise an alarm and let no other go: the next demand, and all after it, are missed.

/// When parts are wanted, and how often they were not there.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// Ticks from demand to demand.
    pub cycle: u32,
    /// Ticks until the next demand.
    pub wait: u32,
    wanted: bool,
    /// Demands at which the part before was still wanted.
    pub missed: u32,
    /// Ticks in which a part was wanted and did not come.
    pub waited: u32,
}

impl Demand {
    /// The first after `wait` ticks, then one every `cycle`.
    pub const fn new(wait: u32, cycle: u32) -> Self {
        Self { cycle, wait, wanted: false, missed: 0, waited: 0 }
    }

    /// One tick; returns whether a part is wanted.
    pub fn tick(&mut self) -> bool {
        self.waited = self.waited.saturating_add(self.wanted.into());
        self.wait = self.wait.saturating_sub(1);
        if self.wait == 0 {
            self.wait = self.cycle;
            self.missed = self.missed.saturating_add(self.wanted.into());
            self.wanted = true;
        }
        self.wanted
    }

    /// A part is let go.
    pub fn meet(&mut self) {
        self.wanted = false;
    }
}

/// What a controller that hands parts over believes to have done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Handover {
    /// Parts seen to go.
    pub parts: u32,
    /// Demands at which the part before was still wanted.
    pub missed: u32,
    /// Ticks in which a part was wanted and did not come.
    pub waited: u32,
    /// Times that it has raised an alarm.
    pub alarms: u32,
}
