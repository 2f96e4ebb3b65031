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

/// Something that must not last too long: an alarm while it does.
#[derive(Clone, Copy, Debug)]
pub struct Overdue {
    ticks: u32,
    lasting: Lasting,
    is_overdue: bool,
    times: u32,
}

impl Overdue {
    /// More than so many ticks are too long.
    pub const fn new(ticks: u32) -> Self {
        Self { ticks, lasting: Lasting::NEW, is_overdue: false, times: 0 }
    }

    /// Does it last too long now?
    pub const fn is_overdue(&self) -> bool {
        self.is_overdue
    }

    /// How often it has.
    pub const fn times(&self) -> u32 {
        self.times
    }

    /// One tick: is it so still?
    pub fn tick(&mut self, is_so: bool) {
        let is_overdue = self.lasting.has_lasted(is_so, self.ticks.saturating_add(1));
        self.times = self.times.saturating_add(u32::from(is_overdue && !self.is_overdue));
        self.is_overdue = is_overdue;
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
