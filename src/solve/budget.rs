//! Time: a clock given by the caller, and how long a solve or a step may take by it.
//!
//! ```text
//! elapsed = Σ (now − last) mod 2^bits     over all readings, backward ones left out    ticks
//! ```
//! A clock is never trusted alone: the cap on sweeps holds whatever it says, and what is wrong with it is reported.

use super::sweep::ROWS_A_LOOK;
use crate::error::Error;

/// A counter of ticks, read by the solver.
///
/// ```
/// use tumble::Clock;
///
/// /// A 24-bit counter that counts down, such as SysTick, as a clock that counts up.
/// struct SysTick(fn() -> u32);
/// impl Clock for SysTick {
///     fn ticks(&mut self) -> u32 {
///         0xff_ffff - (self.0)()
///     }
///     fn mask(&self) -> u32 {
///         0xff_ffff
///     }
/// }
/// assert_eq!(SysTick(|| 0xff_fff0).ticks(), 15);
/// ```
pub trait Clock {
    /// The counter now: it counts up, and wraps to 0 after [`mask`](Clock::mask).
    fn ticks(&mut self) -> u32;

    /// The largest value of the counter, `2^bits − 1`. Default: 32 bits.
    ///
    /// A timer that reloads at another number is no clock; let it count its reloads, or reload at its largest number.
    fn mask(&self) -> u32 {
        u32::MAX
    }
}

/// What is known of a clock after it was used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ClockHealth {
    /// It advanced, or was not asked.
    #[default]
    Good,
    /// It said the same [`Budget::FROZEN`] times in a row: a counter that is not enabled, or too coarse for this budget.
    Frozen,
    /// It went back, or wrapped before its mask: some of the time that passed is not known.
    Backward,
}

/// A span of time that began when it was made.
///
/// ```
/// use tumble::{Budget, Clock};
///
/// struct ByHand(u32);
/// impl Clock for ByHand {
///     fn ticks(&mut self) -> u32 {
///         self.0 = self.0.wrapping_add(10);
///         self.0
///     }
/// }
/// let mut clock = ByHand(u32::MAX - 15);
/// let mut budget = Budget::new(&mut clock, 100)?;
/// assert_eq!(budget.elapsed(), 10); // it wrapped on the way
/// assert_eq!(budget.elapsed(), 20);
/// # Ok::<(), tumble::Error>(())
/// ```
pub struct Budget<'c> {
    clock: &'c mut dyn Clock,
    mask: u32,
    ticks: u32,
    last: u32,
    elapsed: u32,
    /// readings in a row that did not advance
    still: u32,
    health: ClockHealth,
}

impl<'c> Budget<'c> {
    /// A clock is frozen when it says the same this many times in a row; between two readings there are at least a few hundred instructions.
    pub const FROZEN: u32 = 64;

    /// `ticks` of `clock` from now.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("mask")` for a mask that is not `2^bits − 1`; `("ticks")` for more than half the clock's range: after that forward
    /// and backward look the same.
    pub fn new(clock: &'c mut dyn Clock, ticks: u32) -> Result<Self, Error> {
        let mask = clock.mask();
        if mask & mask.wrapping_add(1) != 0 {
            return Err(Error::OutOfRange("mask"));
        }
        if ticks > mask / 2 {
            return Err(Error::OutOfRange("ticks"));
        }
        let last = clock.ticks() & mask;
        Ok(Self { clock, mask, ticks, last, elapsed: 0, still: 0, health: ClockHealth::Good })
    }

    /// How long it is in all. Ticks
    pub const fn ticks(&self) -> u32 {
        self.ticks
    }

    /// Read the clock: what has passed since it began. Ticks
    pub fn elapsed(&mut self) -> u32 {
        let now = self.clock.ticks() & self.mask;
        let passed = now.wrapping_sub(self.last) & self.mask;
        self.last = now;
        if passed > self.mask / 2 {
            self.health = ClockHealth::Backward;
            return self.elapsed;
        }
        self.still = if passed == 0 { self.still.saturating_add(1) } else { 0 };
        if self.still >= Self::FROZEN && self.health == ClockHealth::Good {
            self.health = ClockHealth::Frozen;
        }
        self.elapsed = self.elapsed.saturating_add(passed);
        self.elapsed
    }

    /// Read the clock: what is left, negative what it is over. Ticks
    pub fn slack(&mut self) -> i32 {
        let left = i64::from(self.ticks).saturating_sub(self.elapsed().into());
        i32::try_from(left).unwrap_or(i32::MIN)
    }

    /// What its readings have shown of the clock so far.
    pub const fn health(&self) -> ClockHealth {
        self.health
    }
}

impl core::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { ticks, elapsed, health, .. } = self;
        f.debug_struct("Budget").field("ticks", ticks).field("elapsed", elapsed).field("health", health).finish()
    }
}

/// A solve's look at the clock, if there is one.
pub(crate) struct Watch<'b, 'c> {
    budget: Option<&'b mut Budget<'c>>,
    /// elapsed ticks at which to stop
    deadline: u32,
    /// places seen since the last reading
    spent: u32,
}

impl<'b, 'c> Watch<'b, 'c> {
    /// Nobody is in a hurry.
    pub(crate) const fn none() -> Self {
        Self { budget: None, deadline: u32::MAX, spent: 0 }
    }

    /// Stop when so many ticks of the budget have passed.
    pub(crate) fn until(budget: &'b mut Budget<'c>, deadline: u32) -> Self {
        Self { budget: Some(budget), deadline, spent: 0 }
    }

    /// Is there a clock at all?
    pub(super) fn is_running(&self) -> bool {
        self.budget.is_some()
    }

    /// Ticks left; as many as there can be without a clock.
    pub(crate) fn left(&mut self) -> u32 {
        match &mut self.budget {
            Some(budget) => self.deadline.saturating_sub(budget.elapsed()),
            None => u32::MAX,
        }
    }

    /// Is time up?
    pub(super) fn expired(&mut self) -> bool {
        self.left() == 0
    }

    /// So much of the exact solver's work was done: is time up? The clock is read once in [`PLACES_BETWEEN_READINGS`].
    #[inline(always)]
    pub(super) fn spend(&mut self, places: u32) -> bool {
        if self.budget.is_none() {
            return false;
        }
        self.spent = self.spent.saturating_add(places);
        if self.spent < PLACES_BETWEEN_READINGS {
            return false;
        }
        self.spent = 0;
        self.expired()
    }

    /// Stop so much earlier: for what is still to be done then. Ticks
    pub(super) fn set_aside(&mut self, ticks: u32) {
        self.deadline = self.deadline.saturating_sub(ticks);
    }

    pub(super) fn health(&self) -> ClockHealth {
        self.budget.as_ref().map_or(ClockHealth::Good, |budget| budget.health())
    }
}

/// How long the parts of an iteration take, the dearest of each so far: what is not read on the way is begun only where there is time for it. Ticks
#[derive(Default)]
pub(super) struct Pace {
    sweep: u32,
    /// a certificate and what follows it until the next sweep
    certificate: Option<u32>,
    /// from sweep to sweep without a certificate
    between: Option<u32>,
    /// what was left after the last sweep
    left: Option<u32>,
    certified: bool,
}

impl Pace {
    /// A sweep begins with so much left.
    pub(super) fn begin(&mut self, left: u32) {
        if let Some(before) = self.left.take() {
            let part = if self.certified { &mut self.certificate } else { &mut self.between };
            *part = Some(part.unwrap_or(0).max(before.saturating_sub(left)));
        }
    }

    /// It began and ended with so much left.
    pub(super) fn swept(&mut self, before: u32, after: u32) {
        self.sweep = self.sweep.max(before.saturating_sub(after));
        (self.left, self.certified) = (Some(after), false);
    }

    /// It is followed by a certificate.
    pub(super) fn certifies(&mut self) {
        self.certified = true;
    }

    /// A certificate. Until one was made it counts as a sweep: on a Cortex-M it takes a little less. Should it take more, it is given up in time.
    pub(super) fn certificate(&self) -> u32 {
        self.certificate.unwrap_or(self.sweep)
    }

    /// A certificate of the next sweep; until it is known what comes between two, that counts as an eighth of a sweep.
    /// To sum z up anew before the certificate, which `refreshes`, takes less than a sweep.
    pub(super) fn certificate_of_next(&self, refreshes: bool) -> u32 {
        let refresh = if refreshes { self.sweep } else { 0 };
        let next = self.between.unwrap_or(self.sweep / 8).saturating_add(self.sweep);
        next.saturating_add(refresh).saturating_add(self.certificate())
    }
}

/// At most so many rows are worked on between two readings of the clock.
pub const ROWS_BETWEEN_READINGS: usize = ROWS_A_LOOK;

/// The exact solver sees at most so many places of its factor between two readings of the clock, and those of one row more; a row that is looked at counts as
/// eight.
pub const PLACES_BETWEEN_READINGS: u32 = 128;
/// What a row counts as.
pub(super) const PLACES_OF_A_ROW: u32 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    /// Says what it is told, one after the other; then the last for ever.
    struct Told<'a>(&'a [u32], u32);
    impl Clock for Told<'_> {
        fn ticks(&mut self) -> u32 {
            let (now, rest) = self.0.split_first().unwrap();
            if !rest.is_empty() {
                self.0 = rest;
            }
            *now
        }
        fn mask(&self) -> u32 {
            self.1
        }
    }

    #[test]
    fn half_the_range_and_a_whole_mask() {
        for (mask, most) in [(u32::MAX, u32::MAX / 2), (0xff_ffff, 0x7f_ffff), (1, 0), (0, 0)] {
            assert!(Budget::new(&mut Told(&[7], mask), most).is_ok());
            let refused = Budget::new(&mut Told(&[7], mask), most + 1).map(|_| ());
            assert_eq!(refused, Err(Error::OutOfRange("ticks")));
        }
        for mask in [2, 9999, 0xff_fffe, u32::MAX - 1] {
            let refused = Budget::new(&mut Told(&[7], mask), 0).map(|_| ());
            assert_eq!(refused, Err(Error::OutOfRange("mask")));
        }
    }

    #[test]
    fn forward_up_to_half_the_range_backward_beyond() {
        let mut clock = Told(&[0xf0, 0x1_0010, 0x8f, 0x0f, 0x10], 0xff);
        let mut budget = Budget::new(&mut clock, 100).unwrap();
        // bits above the mask are none of it; half the range is forward
        assert_eq!([budget.elapsed(), budget.elapsed()], [0x20, 0x20 + 0x7f]);
        assert_eq!((budget.slack(), budget.health()), (100 - 0x9f, ClockHealth::Backward));
        assert_eq!((budget.elapsed(), budget.ticks()), (0xa0, 100));
    }

    #[test]
    fn frozen_after_so_many_in_a_row_and_not_before() {
        let mut readings = std::vec![5; Budget::FROZEN as usize];
        readings.push(6);
        let again = [6; Budget::FROZEN as usize];
        readings.extend(again);
        let mut clock = Told(&readings, u32::MAX);
        let mut budget = Budget::new(&mut clock, 100).unwrap();
        // the first of them begins the budget: one less did not advance
        (0..Budget::FROZEN - 1).for_each(|_| assert_eq!(budget.elapsed(), 0));
        assert_eq!((budget.elapsed(), budget.health()), (1, ClockHealth::Good));
        (0..Budget::FROZEN - 1).for_each(|_| assert_eq!(budget.elapsed(), 1));
        assert_eq!(budget.health(), ClockHealth::Good);
        assert_eq!((budget.elapsed(), budget.health()), (1, ClockHealth::Frozen));
    }

    #[test]
    fn a_clock_that_went_back_stays_known_for_it() {
        let mut clock = Told(&[5, 4], u32::MAX);
        let mut budget = Budget::new(&mut clock, 100).unwrap();
        (0..2 * Budget::FROZEN).for_each(|_| assert_eq!(budget.elapsed(), 0));
        assert_eq!(budget.health(), ClockHealth::Backward);
    }

    #[test]
    fn what_is_over_adds_up_without_end() {
        let most = u32::MAX / 2;
        let mut clock = Told(&[0, most, 2 * most, most - 2], u32::MAX);
        let mut budget = Budget::new(&mut clock, 10).unwrap();
        assert_eq!((budget.slack(), budget.slack()), (10 - most as i32, i32::MIN));
        // three halves of the range
        assert_eq!((budget.elapsed(), budget.slack()), (u32::MAX, i32::MIN));
    }

    #[test]
    fn the_pace_is_that_of_the_dearest_so_far() {
        let mut pace = Pace::default();
        pace.begin(1000);
        pace.swept(1000, 900);
        assert_eq!((pace.certificate(), pace.certificate_of_next(false)), (100, 12 + 100 + 100));
        pace.begin(890);
        pace.swept(890, 810);
        assert_eq!((pace.certificate(), pace.certificate_of_next(false)), (100, 10 + 100 + 100));
        pace.certifies();
        pace.begin(660);
        pace.swept(660, 540);
        assert_eq!((pace.certificate(), pace.certificate_of_next(false)), (150, 10 + 120 + 150));
        assert_eq!(pace.certificate_of_next(true), 10 + 120 + 120 + 150);
        // cheaper parts change nothing, and a clock that stands costs nothing
        pace.begin(535);
        pace.swept(535, 535);
        pace.certifies();
        pace.begin(530);
        assert_eq!((pace.certificate(), pace.certificate_of_next(false)), (150, 280));
    }

    #[test]
    fn a_watch_stops_at_its_own_deadline() {
        let mut none = Watch::none();
        assert!(!none.is_running() && !none.expired() && none.left() == u32::MAX);
        assert_eq!(none.health(), ClockHealth::Good);
        let mut clock = Told(&[0, 10, 20, 30, 25], u32::MAX);
        let mut budget = Budget::new(&mut clock, 50).unwrap();
        let mut watch = Watch::until(&mut budget, 40);
        assert!(watch.is_running() && watch.left() == 30);
        watch.set_aside(10);
        assert!(!watch.expired() && watch.expired() && watch.expired());
        assert_eq!(watch.health(), ClockHealth::Backward);
        watch.set_aside(1000);
        assert_eq!(watch.left(), 0);
    }
}
