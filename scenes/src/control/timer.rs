//! Time in ticks of a controller, 1 ms each.

/// How long something has been so.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lasting {
    ticks: u32,
}

impl Lasting {
    /// Never yet.
    pub const NEW: Self = Self { ticks: 0 };

    /// Is it so now, and has it been for `ticks` ticks, this one included?
    pub fn has_lasted(&mut self, is_so: bool, ticks: u32) -> bool {
        self.ticks = if is_so { self.ticks.saturating_add(1) } else { 0 };
        is_so && self.ticks >= ticks
    }
}

/// An input that must stay as it is for some ticks before it counts.
#[derive(Clone, Copy, Debug)]
pub struct Debounced {
    ticks: u32,
    differs: Lasting,
    level: bool,
}

impl Debounced {
    /// Changes count once they have lasted for so many ticks; one takes them as they come.
    pub const fn new(ticks: u32) -> Self {
        Self { ticks, differs: Lasting::NEW, level: false }
    }

    /// The level that counts.
    pub const fn level(&self) -> bool {
        self.level
    }

    /// The level after another reading.
    pub fn read(&mut self, reading: bool) -> bool {
        if self.differs.has_lasted(reading != self.level, self.ticks) {
            (self.level, self.differs) = (reading, Lasting::NEW);
        }
        self.level
    }
}
