//! Clocks to take: by hand or from an interrupt, by a script for tests, the host's own.
//!
//! ```text
//! ManualClock     t + Σ advance                     mod 2^bits     ticks
//! ScriptedClock   t + n·step (+ 2^(bits−1) − 1 from reading k on)  n: readings so far
//! HostClock       ns or µs since it was made        mod 2^32
//! ```
//! Clocks of a board (SysTick, cycle counter, a timer) are a few lines each; `boards/support/src/clock.rs` in the repository has three.

use crate::error::Error;
use crate::solve::Clock;
use core::sync::atomic::{AtomicU32, Ordering};

/// `2^bits − 1`
const fn mask_of(bits: u32) -> Result<u32, Error> {
    match u32::MAX.checked_shr(u32::BITS.saturating_sub(bits)) {
        Some(mask) if bits <= u32::BITS => Ok(mask),
        _ => Err(Error::OutOfRange("bits")),
    }
}

/// A clock that stands still until it is told to go on: in a test by hand, on a board by the interrupt of a timer.
///
/// Reading and advancing go through `&self`, so that one may be a `static` and advance while a [`Budget`](crate::Budget) reads it. Only one
/// context may advance it: a load and a store, because Cortex-M0 has nothing better; a reader never sees half of it.
///
/// ```
/// use tumble::rig::ManualClock;
/// use tumble::{Budget, Clock};
///
/// static CLOCK: ManualClock = ManualClock::new(); // an interrupt each 10 µs calls CLOCK.advance(1)
///
/// let mut reader = &CLOCK;
/// let mut budget = Budget::new(&mut reader, 100)?;
/// CLOCK.advance(60);
/// assert_eq!(budget.elapsed(), 60);
///
/// // as SysTick does, it wraps at 24 bits
/// let mut clock = ManualClock::with_bits(24)?;
/// clock.advance(0xff_ffff);
/// clock.advance(2);
/// assert_eq!((clock.ticks(), clock.mask()), (1, 0xff_ffff));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Debug)]
pub struct ManualClock {
    now: AtomicU32,
    mask: u32,
}

impl ManualClock {
    /// At 0, 32 bits.
    pub const fn new() -> Self {
        Self { now: AtomicU32::new(0), mask: u32::MAX }
    }

    /// At 0, wraps after `2^bits − 1`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("bits")` unless 1 to 32.
    pub const fn with_bits(bits: u32) -> Result<Self, Error> {
        match mask_of(bits) {
            Ok(mask) => Ok(Self { now: AtomicU32::new(0), mask }),
            Err(error) => Err(error),
        }
    }

    /// So many ticks later.
    pub fn advance(&self, ticks: u32) {
        self.set(self.now.load(Ordering::Relaxed).wrapping_add(ticks));
    }

    /// Set the counter, back too; what does not fit its bits is left out.
    pub fn set(&self, ticks: u32) {
        // relaxed: the counter orders nothing but itself
        self.now.store(ticks & self.mask, Ordering::Relaxed);
    }
}

impl Default for ManualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for ManualClock {
    fn ticks(&mut self) -> u32 {
        *self.now.get_mut()
    }

    fn mask(&self) -> u32 {
        self.mask
    }
}

impl Clock for &ManualClock {
    fn ticks(&mut self) -> u32 {
        self.now.load(Ordering::Relaxed)
    }

    fn mask(&self) -> u32 {
        self.mask
    }
}

/// A clock whose time is a matter of how often it was read: the same deadline at the same place in every run.
///
/// Every reading is a fixed number of ticks later than the one before; at one of them it may [expire](Self::expiring_at), after which no budget has
/// anything left. It counts its readings: what was still read after that one is work done too late.
///
/// ```
/// use tumble::rig::ScriptedClock;
/// use tumble::{Budget, Clock};
///
/// let mut clock = ScriptedClock::new(10).expiring_at(4);
/// let mut budget = Budget::new(&mut clock, 1_000_000)?; // the first reading
/// assert_eq!([budget.elapsed(), budget.elapsed()], [10, 20]);
/// assert!(budget.elapsed() > 1_000_000);
/// assert_eq!((clock.readings(), clock.readings_after_expiry()), (4, 0));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct ScriptedClock {
    now: u32,
    step: u32,
    mask: u32,
    /// reading at which it expires; 0 never
    expires_at: u32,
    readings: u32,
}

impl ScriptedClock {
    /// `step` ticks from reading to reading, 32 bits, never expires. The first reading says `step`.
    ///
    /// A step of 0 is a frozen clock, one of `u32::MAX` goes back by a tick each time.
    pub const fn new(step: u32) -> Self {
        Self { now: 0, step, mask: u32::MAX, expires_at: 0, readings: 0 }
    }

    /// Let it begin at `ticks`: just before it wraps, for instance.
    #[must_use]
    pub const fn starting_at(self, ticks: u32) -> Self {
        Self { now: ticks & self.mask, ..self }
    }

    /// Let it wrap after `2^bits − 1`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("bits")` unless 1 to 32.
    pub const fn with_bits(self, bits: u32) -> Result<Self, Error> {
        match mask_of(bits) {
            Ok(mask) => Ok(Self { now: self.now & mask, mask, ..self }),
            Err(error) => Err(error),
        }
    }

    /// Let half its range go by before reading number `k`, the first being 1: as much as the longest [`Budget`](crate::Budget) has. 0: never.
    ///
    /// A budget that begins with that reading or later notices nothing.
    #[must_use]
    pub const fn expiring_at(self, k: u32) -> Self {
        Self { expires_at: k, ..self }
    }

    /// How often it was read.
    pub const fn readings(&self) -> u32 {
        self.readings
    }

    /// How often it was read after the reading at which it expired; 0 as long as it has not.
    pub const fn readings_after_expiry(&self) -> u32 {
        if self.expires_at == 0 { 0 } else { self.readings.saturating_sub(self.expires_at) }
    }
}

impl Clock for ScriptedClock {
    fn ticks(&mut self) -> u32 {
        self.readings = self.readings.saturating_add(1);
        let late = self.expires_at > 0 && self.readings == self.expires_at;
        // half the range exactly: more would look like going back
        let passed = if late { self.mask / 2 } else { self.step };
        self.now = self.now.wrapping_add(passed) & self.mask;
        self.now
    }

    fn mask(&self) -> u32 {
        self.mask
    }
}

/// The host's monotonic clock, 32 bits of it. (Feature `std`.)
///
/// In nanoseconds it wraps after 4.3 s, and a budget is at most 2.1 s; in microseconds after 71 minutes, and a budget at most 35. A host that is stopped
/// for as long as that between two readings makes a clock that went back of it.
///
/// ```
/// use tumble::rig::HostClock;
/// use tumble::{Budget, Clock, Problem, Settings};
///
/// let mut clock = HostClock::nanoseconds();
/// let before = clock.ticks();
/// assert!(clock.ticks().wrapping_sub(before) < u32::MAX / 2);
///
/// let mut budget = Budget::new(&mut clock, 500_000)?; // half a millisecond
/// let report = Problem::<f32, 1, 3>::new().solve_within(&Settings::default(), &mut budget)?;
/// assert_eq!(report.energy, 0.0);
/// # Ok::<(), tumble::Error>(())
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug)]
pub struct HostClock {
    began: std::time::Instant,
    tick: core::time::Duration,
}

#[cfg(feature = "std")]
impl HostClock {
    /// A tick is a nanosecond. It began now.
    pub fn nanoseconds() -> Self {
        Self { began: std::time::Instant::now(), tick: core::time::Duration::from_nanos(1) }
    }

    /// A tick is a microsecond. It began now.
    pub fn microseconds() -> Self {
        Self { began: std::time::Instant::now(), tick: core::time::Duration::from_micros(1) }
    }

    /// How long a tick is.
    pub const fn tick(&self) -> core::time::Duration {
        self.tick
    }
}

#[cfg(feature = "std")]
impl Clock for HostClock {
    fn ticks(&mut self) -> u32 {
        let ticks = self.began.elapsed().as_nanos().checked_div(self.tick.as_nanos()).unwrap_or(0);
        // the low 32 bits: this is how it wraps
        ticks as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::Budget;

    #[test]
    fn bits_are_one_to_thirty_two() {
        for bits in [0, 33, u32::MAX] {
            assert_eq!(ManualClock::with_bits(bits).unwrap_err(), Error::OutOfRange("bits"));
            assert_eq!(ScriptedClock::new(1).with_bits(bits).unwrap_err(), Error::OutOfRange("bits"));
        }
        for (bits, mask) in [(1, 1), (16, 0xffff), (24, 0xff_ffff), (32, u32::MAX)] {
            assert_eq!(ManualClock::with_bits(bits).unwrap().mask(), mask);
            assert_eq!(ScriptedClock::new(1).with_bits(bits).unwrap().mask(), mask);
        }
    }

    #[test]
    fn by_hand_it_goes_where_it_is_told() {
        let mut clock = ManualClock::with_bits(8).unwrap();
        assert_eq!(clock.ticks(), 0);
        clock.advance(250);
        clock.advance(10);
        let mut reader = &clock;
        assert_eq!((reader.ticks(), Clock::mask(&reader)), (4, 255));
        clock.set(0x1ff);
        assert_eq!((clock.ticks(), clock.mask()), (255, 255));
        assert_eq!((ManualClock::default().ticks(), ManualClock::default().mask()), (0, u32::MAX));
    }

    #[test]
    fn a_script_says_when_it_expires_and_counts() {
        let mut clock = ScriptedClock::new(3).starting_at(0x1_00fe).with_bits(8).unwrap().expiring_at(3);
        assert_eq!([clock.ticks(), clock.ticks()], [1, 4]);
        assert_eq!((clock.readings(), clock.readings_after_expiry()), (2, 0));
        assert_eq!([clock.ticks(), clock.ticks()], [4 + 127, 4 + 127 + 3]);
        assert_eq!((clock.readings(), clock.readings_after_expiry()), (4, 1));
        let mut never = ScriptedClock::new(0);
        assert_eq!([never.ticks(), never.ticks()], [0, 0]);
        assert_eq!((never.readings(), never.readings_after_expiry()), (2, 0));
    }

    /// However long the budget and however few the bits.
    #[test]
    fn what_expires_is_past_any_deadline() {
        for bits in [2, 8, 24, 32] {
            let mut clock = ScriptedClock::new(0).with_bits(bits).unwrap().expiring_at(2);
            let most = clock.mask() / 2;
            let mut budget = Budget::new(&mut clock, most).unwrap();
            assert_eq!(budget.elapsed(), most);
            assert_eq!(budget.health(), crate::ClockHealth::Good);
        }
    }

    #[cfg(feature = "std")]
    #[test]
    fn the_host_never_goes_back() {
        for mut clock in [HostClock::nanoseconds(), HostClock::microseconds()] {
            let mut budget = Budget::new(&mut clock, 1).unwrap();
            let readings: std::vec::Vec<u32> = (0..1000).map(|_| budget.elapsed()).collect();
            assert!(readings.is_sorted());
            assert_ne!(budget.health(), crate::ClockHealth::Backward);
        }
        let ratio = HostClock::microseconds().tick().as_nanos() / HostClock::nanoseconds().tick().as_nanos();
        assert_eq!(ratio, 1000);
    }
}
