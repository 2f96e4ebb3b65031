//! How long a periodic task takes, and what happens when it takes too long.
//!
//! ```text
//! task execution time   ticks from release to end; min, mean, max and a histogram by powers of two
//! overrun               execution time > period
//! start-up grace        so many first cycles count, but neither overrun nor trip
//! trip                  so many overruns in a row: the rig should go to its safe state, and says so until reset
//! ```
//! Ticks are those of the caller's clock, 32 bits; nothing here reads a clock.

use crate::error::Error;

/// What becomes of the schedule after an overrun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Policy {
    /// Slip: the next cycle begins at once, and every later one that much later.
    Slip,
    /// Drop: cycles whose time has gone by are left out, later ones begin when they should have.
    Drop,
}

/// How a task is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TaskSettings {
    /// From release to release, positive. Ticks
    pub period: u32,
    /// First cycles that may overrun: caches, first contacts. Default 0.
    pub start_up_grace: u32,
    /// So many overruns in a row trip; 0 never. Default 0.
    pub max_consecutive_overruns: u32,
    /// Default [`Policy::Slip`].
    pub policy: Policy,
}

impl TaskSettings {
    /// A task of this period (ticks) without grace that never trips.
    pub const fn new(period: u32) -> Self {
        Self { period, start_up_grace: 0, max_consecutive_overruns: 0, policy: Policy::Slip }
    }
}

/// What one cycle came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Cycle {
    /// Done, with so many ticks to spare.
    OnTime {
        /// Ticks left of the period.
        margin: u32,
    },
    /// Too late, within the start-up grace.
    Grace,
    /// Too late.
    Overrun {
        /// Ticks over the period.
        by: u32,
        /// Releases that are left out under [`Policy::Drop`]; 0 under [`Policy::Slip`].
        dropped: u32,
    },
    /// Too late too often in a row, now or before.
    Tripped,
}

/// Statistics of a periodic task.
///
/// ```
/// use tumble::rig::{Cycle, Policy, TaskSettings, TaskTimes};
///
/// // 1 ms at 168 MHz, two bad cycles in a row trip
/// let settings = TaskSettings { max_consecutive_overruns: 2, policy: Policy::Drop, ..TaskSettings::new(168_000) };
/// let mut times = TaskTimes::new(settings)?;
/// assert_eq!(times.record(100_000), Cycle::OnTime { margin: 68_000 });
/// assert_eq!(times.record(400_000), Cycle::Overrun { by: 232_000, dropped: 2 });
/// assert_eq!(times.record(170_000), Cycle::Tripped);
/// assert_eq!((times.overruns(), times.min(), times.max()), (2, Some(100_000), Some(400_000)));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct TaskTimes {
    settings: TaskSettings,
    least: u32,
    most: u32,
    sum: u64,
    count: u32,
    /// cycles of `2^(k−1) ≤ ticks < 2^k`; the first of none
    histogram: [u32; 33],
    overruns: u32,
    dropped: u32,
    consecutive: u32,
    tripped: bool,
}

impl TaskTimes {
    /// Nothing recorded yet.
    ///
    /// # Errors
    /// [`Error::NonPositive`]`("period")`
    pub const fn new(settings: TaskSettings) -> Result<Self, Error> {
        if settings.period == 0 {
            return Err(Error::NonPositive("period"));
        }
        Ok(Self {
            settings,
            least: u32::MAX,
            most: 0,
            sum: 0,
            count: 0,
            histogram: [0; 33],
            overruns: 0,
            dropped: 0,
            consecutive: 0,
            tripped: false,
        })
    }

    /// Cycles recorded.
    pub const fn cycles(&self) -> u32 {
        self.count
    }

    /// Shortest execution time; `None` before the first cycle. Ticks
    pub fn min(&self) -> Option<u32> {
        (self.count > 0).then_some(self.least)
    }

    /// Mean execution time, rounded down; `None` before the first cycle. Ticks
    pub fn mean(&self) -> Option<u32> {
        self.sum.checked_div(self.count.into()).and_then(|mean| u32::try_from(mean).ok())
    }

    /// Longest execution time; `None` before the first cycle. Ticks
    pub fn max(&self) -> Option<u32> {
        (self.count > 0).then_some(self.most)
    }

    /// Cycles by execution time: element k counts those of `2^(k−1) ≤ ticks < 2^k`, element 0 those of 0.
    pub const fn histogram(&self) -> &[u32; 33] {
        &self.histogram
    }

    /// Overruns, start-up grace aside.
    pub const fn overruns(&self) -> u32 {
        self.overruns
    }

    /// Releases left out under [`Policy::Drop`].
    pub const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Has it tripped?
    pub const fn is_tripped(&self) -> bool {
        self.tripped
    }

    /// Record a cycle of so many ticks. Counts saturate.
    pub fn record(&mut self, ticks: u32) -> Cycle {
        let in_grace = self.count < self.settings.start_up_grace;
        self.least = self.least.min(ticks);
        self.most = self.most.max(ticks);
        self.sum = self.sum.saturating_add(ticks.into());
        self.count = self.count.saturating_add(1);
        let bits = u32::BITS.saturating_sub(ticks.leading_zeros());
        if let Some(bucket) = usize::try_from(bits).ok().and_then(|bits| self.histogram.get_mut(bits)) {
            *bucket = bucket.saturating_add(1);
        }

        let Some(margin) = self.settings.period.checked_sub(ticks) else {
            return self.overrun(ticks, in_grace);
        };
        self.consecutive = 0;
        if self.tripped { Cycle::Tripped } else { Cycle::OnTime { margin } }
    }

    fn overrun(&mut self, ticks: u32, in_grace: bool) -> Cycle {
        if in_grace {
            return if self.tripped { Cycle::Tripped } else { Cycle::Grace };
        }
        self.overruns = self.overruns.saturating_add(1);
        self.consecutive = self.consecutive.saturating_add(1);
        let dropped = match self.settings.policy {
            Policy::Slip => 0,
            // releases at period, 2 periods, … that lie before the end; a period is positive
            Policy::Drop => ticks.saturating_sub(1).checked_div(self.settings.period).unwrap_or(0),
        };
        self.dropped = self.dropped.saturating_add(dropped);
        let most = self.settings.max_consecutive_overruns;
        self.tripped |= most > 0 && self.consecutive >= most;
        if self.tripped {
            Cycle::Tripped
        } else {
            Cycle::Overrun { by: ticks.saturating_sub(self.settings.period), dropped }
        }
    }

    /// Begin anew, grace and all.
    pub fn reset(&mut self) {
        if let Ok(new) = Self::new(self.settings) {
            *self = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_cycles() {
        let mut times = TaskTimes::new(TaskSettings::new(100)).unwrap();
        assert_eq!((times.min(), times.mean(), times.max()), (None, None, None));
        for ticks in [0, 1, 7, 8, 100] {
            assert!(matches!(times.record(ticks), Cycle::OnTime { margin } if margin == 100 - ticks));
        }
        assert_eq!((times.min(), times.mean(), times.max(), times.cycles()), (Some(0), Some(23), Some(100), 5));
        let histogram = times.histogram();
        assert_eq!((histogram[0], histogram[1], histogram[3], histogram[4], histogram[7]), (1, 1, 1, 1, 1));
        assert_eq!(histogram.iter().sum::<u32>(), 5);
        assert!(matches!(times.record(u32::MAX), Cycle::Overrun { by, dropped: 0 } if by == u32::MAX - 100));
        assert_eq!(times.histogram()[32], 1);
    }

    #[test]
    fn grace_is_for_the_first_cycles_only() {
        let settings = TaskSettings { start_up_grace: 2, max_consecutive_overruns: 1, ..TaskSettings::new(10) };
        let mut times = TaskTimes::new(settings).unwrap();
        assert_eq!([times.record(11), times.record(99)], [Cycle::Grace; 2]);
        assert_eq!((times.overruns(), times.is_tripped()), (0, false));
        assert_eq!(times.record(11), Cycle::Tripped);
        times.reset();
        assert_eq!((times.record(11), times.is_tripped()), (Cycle::Grace, false));
    }

    #[test]
    fn only_overruns_in_a_row_trip_and_a_trip_stays() {
        let settings = TaskSettings { max_consecutive_overruns: 3, ..TaskSettings::new(10) };
        let mut times = TaskTimes::new(settings).unwrap();
        for _ in 0..5 {
            times.record(11);
            times.record(11);
            assert_eq!(times.record(10), Cycle::OnTime { margin: 0 });
        }
        assert_eq!([11, 11, 11, 5].map(|ticks| times.record(ticks) == Cycle::Tripped), [false, false, true, true]);
        assert_eq!(times.overruns(), 13);
    }

    #[test]
    fn dropped_releases_are_those_whose_time_has_gone_by() {
        let mut times = TaskTimes::new(TaskSettings { policy: Policy::Drop, ..TaskSettings::new(10) }).unwrap();
        for (ticks, dropped) in [(11, 1), (20, 1), (21, 2), (40, 3)] {
            assert_eq!(times.record(ticks), Cycle::Overrun { by: ticks - 10, dropped });
        }
        assert_eq!(times.dropped(), 7);
        assert_eq!(TaskTimes::new(TaskSettings::new(0)), Err(Error::NonPositive("period")));
    }
}
