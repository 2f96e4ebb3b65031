//! How wrong answers were when time ran out: solves by sweeps made, energy error and ticks left.
//!
//! ```text
//! done     converged or stalled: more time would not have helped
//! cut      cap, deadline or overflow: stopped with the energy error it had
//! slack    ticks left at the end of a solve; negative: over
//! class    sweeps 0, 1, 2–3, 4–7, …, 512–1023, more
//! decade   energy error below 1e-15 J, 1e-15 ≤ E < 1e-14, …, 0.1 ≤ E < 1, from 1 J up
//! ```
//! After a shift it answers: how often is a solve cut, how wrong was the worst of these, would a sweep more have helped, how close was it to being late.

use crate::error::Error;
use crate::math::{Real, max, min};
use crate::solve::{ClockHealth, Report, Status};
use core::fmt;

/// Classes of sweeps.
const CLASSES: usize = 12;

/// Lower edges of the decades of energy, the first aside. J
const EDGES: [f64; 16] =
    [1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0];

/// Classes of energy.
const DECADES: usize = 17;

/// Energy errors and ticks left of some solves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Tally<R> {
    solves: u32,
    least: R,
    most: R,
    slack: i32,
}

impl<R: Real> Tally<R> {
    const NONE: Self = Self { solves: 0, least: R::INFINITY, most: R::ZERO, slack: i32::MAX };

    /// How many.
    pub const fn solves(&self) -> u32 {
        self.solves
    }

    /// Least energy error; `None` of no solve. J
    pub fn min_energy(&self) -> Option<R> {
        (self.solves > 0).then_some(self.least)
    }

    /// Largest energy error; `None` of no solve. J
    pub fn max_energy(&self) -> Option<R> {
        (self.solves > 0).then_some(self.most)
    }

    /// Fewest ticks left, negative where one was late; `None` of no solve. Ticks
    pub fn min_slack(&self) -> Option<i32> {
        (self.solves > 0).then_some(self.slack)
    }

    fn add(&mut self, energy: R, slack: i32) {
        self.solves = self.solves.saturating_add(1);
        self.least = min(self.least, energy);
        self.most = max(self.most, energy);
        self.slack = self.slack.min(slack);
    }

    fn with(self, other: Self) -> Self {
        Self {
            solves: self.solves.saturating_add(other.solves),
            least: min(self.least, other.least),
            most: max(self.most, other.most),
            slack: self.slack.min(other.slack),
        }
    }
}

/// Residual against deadline, over as many solves as there are: a fixed 556 bytes in single precision. Counts saturate.
///
/// ```
/// use tumble::rig::{ManualClock, SolveRecord};
/// use tumble::rows::{Friction, InverseMass, RowInput};
/// use tumble::{Budget, Problem, Settings, Start, Status, math::{Vec3, Vec6}};
///
/// let mut problem = Problem::<f32, 1, 3>::new();
/// let part = problem.add_body(InverseMass::new(0.02, [4e-7; 3])?, Vec6::from([0.5, 0.0, -0.01, 0.0, 0.0, 0.0]))?;
/// let up = Vec3::new(0.0, 0.0, 1.0);
/// let zero = Vec3::default();
/// problem.add_contact(part, None, &RowInput::contact(up, zero, zero), Friction::Cone { mu: 0.3 })?;
///
/// let mut record = SolveRecord::new();
/// let mut clock = ManualClock::new();
/// for ticks in [1000, 0] {
///     let mut budget = Budget::new(&mut clock, ticks)?;
///     let report = problem.solve_within(&Settings { start: Start::Cold, ..Settings::default() }, &mut budget)?;
///     record.record(&report, budget.slack());
/// }
/// assert_eq!((record.solves(), record.count(Status::Converged), record.count(Status::Deadline)), (2, 1, 1));
/// assert_eq!(record.min_slack(), Some(0));
/// // without time there is no sweep, and the part would fall on: ½ · 20 g · (10 mm/s)²
/// assert!(record.cut(0).is_some_and(|tally| tally.max_energy() > Some(0.9e-6)));
/// println!("{record}");
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SolveRecord<R> {
    /// in the order of `STATUSES`
    by_status: [u32; STATUSES.len()],
    /// by class of sweeps
    done: [Tally<R>; CLASSES],
    cut: [Tally<R>; CLASSES],
    /// by decade of energy
    done_decades: [u32; DECADES],
    cut_decades: [u32; DECADES],
    late: u32,
    frozen: u32,
    backward: u32,
}

/// As they are shown.
const STATUSES: [Status; 6] =
    [Status::Converged, Status::Stalled, Status::Cap, Status::Deadline, Status::Infeasible, Status::NonFinite];

impl<R: Real> SolveRecord<R> {
    /// Nothing recorded yet.
    pub const fn new() -> Self {
        Self {
            by_status: [0; STATUSES.len()],
            done: [Tally::NONE; CLASSES],
            cut: [Tally::NONE; CLASSES],
            done_decades: [0; DECADES],
            cut_decades: [0; DECADES],
            late: 0,
            frozen: 0,
            backward: 0,
        }
    }

    /// Solves recorded.
    pub fn solves(&self) -> u32 {
        self.by_status.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Solves that ended so.
    pub fn count(&self, status: Status) -> u32 {
        STATUSES.iter().zip(&self.by_status).find(|(shown, _)| **shown == status).map_or(0, |(_, count)| *count)
    }

    /// Solves that ended after their deadline.
    pub const fn late(&self) -> u32 {
        self.late
    }

    /// Solves whose clock was found frozen, and gone back.
    pub const fn clock_faults(&self) -> (u32, u32) {
        (self.frozen, self.backward)
    }

    /// Fewest ticks left, negative where a solve was late; `None` before the first. Ticks
    pub fn min_slack(&self) -> Option<i32> {
        self.all(&self.done).with(self.all(&self.cut)).min_slack()
    }

    /// Solves that ended by themselves after so many sweeps, with all that are in the same class; `None` where there are none.
    pub fn done(&self, sweeps: u32) -> Option<&Tally<R>> {
        self.done.get(class_of(sweeps)).filter(|tally| tally.solves > 0)
    }

    /// Solves that were cut off after so many sweeps, with all that are in the same class; `None` where there are none.
    pub fn cut(&self, sweeps: u32) -> Option<&Tally<R>> {
        self.cut.get(class_of(sweeps)).filter(|tally| tally.solves > 0)
    }

    /// All solves that ended by themselves.
    pub fn all_done(&self) -> Tally<R> {
        self.all(&self.done)
    }

    /// All solves that were cut off.
    pub fn all_cut(&self) -> Tally<R> {
        self.all(&self.cut)
    }

    /// Solves that were cut off, by energy error: element 0 counts those below 1e-15 J, element k those of `10^(k−16) ≤ E < 10^(k−15)` J, the last those
    /// from 1 J up and those without a number.
    pub const fn cut_histogram(&self) -> &[u32; 17] {
        &self.cut_decades
    }

    /// The same of those that ended by themselves.
    pub const fn done_histogram(&self) -> &[u32; 17] {
        &self.done_decades
    }

    /// The power of ten below which the energy error of at least `percent` of the cut solves lies: 1e-6 reads "99 % were better than a microjoule". Infinite
    /// where more than the rest are from 1 J up; `None` where none was cut. J
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("percent")` above 100.
    pub fn cut_energy_below(&self, percent: u32) -> Result<Option<R>, Error> {
        if percent > 100 {
            return Err(Error::OutOfRange("percent"));
        }
        let total = self.cut_decades.iter().fold(0_u64, |sum, count| sum.saturating_add((*count).into()));
        if total == 0 {
            return Ok(None);
        }
        // compared without a division: 100 · so far ≥ percent · total
        let enough = total.saturating_mul(percent.into());
        let mut so_far = 0_u64;
        for (count, edge) in self.cut_decades.iter().zip(EDGES) {
            so_far = so_far.saturating_add((*count).into());
            if so_far.saturating_mul(100) >= enough {
                return Ok(Some(R::from_f64(edge)));
            }
        }
        Ok(Some(R::INFINITY))
    }

    /// Record a solve with so many ticks left at its end, negative when it was late ([`Budget::slack`](crate::Budget::slack)); 0 where nobody waits.
    pub fn record(&mut self, report: &Report<R>, slack: i32) {
        let status = STATUSES.iter().zip(&mut self.by_status).find(|(shown, _)| **shown == report.status);
        if let Some((_, count)) = status {
            *count = count.saturating_add(1);
        }
        // a NaN is as wrong as can be
        let energy = if report.energy >= R::ZERO { report.energy } else { R::INFINITY };
        let (tallies, decades) = match report.status {
            Status::Converged | Status::Stalled => (&mut self.done, &mut self.done_decades),
            Status::Cap | Status::Deadline | Status::Infeasible | Status::NonFinite => {
                (&mut self.cut, &mut self.cut_decades)
            }
        };
        if let Some(tally) = tallies.get_mut(class_of(report.iterations)) {
            tally.add(energy, slack);
        }
        if let Some(decade) = decades.get_mut(decade_of(energy)) {
            *decade = decade.saturating_add(1);
        }
        self.late = self.late.saturating_add((slack < 0).into());
        self.frozen = self.frozen.saturating_add((report.clock == ClockHealth::Frozen).into());
        self.backward = self.backward.saturating_add((report.clock == ClockHealth::Backward).into());
    }

    /// Begin anew.
    pub fn reset(&mut self) {
        *self = Self::new();
    }

    fn all(&self, tallies: &[Tally<R>]) -> Tally<R> {
        tallies.iter().fold(Tally::NONE, |all, tally| all.with(*tally))
    }
}

impl<R: Real> Default for SolveRecord<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// 0, 1, 2–3, 4–7, …
fn class_of(sweeps: u32) -> usize {
    let bits = u32::BITS.saturating_sub(sweeps.leading_zeros());
    usize::try_from(bits).map_or(CLASSES, |bits| bits).min(CLASSES.saturating_sub(1))
}

/// Edges at or below it.
fn decade_of<R: Real>(energy: R) -> usize {
    EDGES.iter().take_while(|edge| energy >= R::from_f64(**edge)).count()
}

/// A table: a line each of statuses and of time, then a line for each class of sweeps that occurred.
impl<R: Real + fmt::LowerExp> fmt::Display for SolveRecord<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "solves {}:", self.solves())?;
        for (status, count) in STATUSES.iter().zip(&self.by_status) {
            write!(f, " {status} {count}")?;
        }
        write!(f, "\nlate {}", self.late)?;
        if let Some(slack) = self.min_slack() {
            write!(f, ", ticks left at least {slack}")?;
        }
        writeln!(f, "; clock frozen {}, backward {}", self.frozen, self.backward)?;
        let [done, cut, left] = ["done", "cut", "energy / J"];
        writeln!(f, "   sweeps {done:>10} {left:>17} {cut:>10} {left:>17}  ticks left")?;
        let mut from = 0_u32;
        for (class, (done, cut)) in (0..u32::BITS).zip(self.done.iter().zip(&self.cut)) {
            if done.solves > 0 || cut.solves > 0 {
                write!(f, "{from:>8}+")?;
                for tally in [done, cut] {
                    write!(f, " {:>10}", tally.solves)?;
                    match tally.solves {
                        0 => write!(f, " {:>17}", "-")?,
                        _ => write!(f, " {:>8.1e}{:>9.1e}", tally.least, tally.most)?,
                    }
                }
                writeln!(f, " {:>11}", done.slack.min(cut.slack))?;
            }
            from = 1_u32.checked_shl(class).unwrap_or(u32::MAX);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    fn report(status: Status, iterations: u32, energy: f32) -> Report<f32> {
        Report { status, iterations, energy, ..Report::NOTHING }
    }

    #[test]
    fn sweeps_fall_into_powers_of_two() {
        let classes = [0, 1, 2, 3, 4, 7, 8, 1023, 1024, u32::MAX].map(class_of);
        assert_eq!(classes, [0, 1, 2, 2, 3, 3, 4, 10, 11, 11]);
    }

    #[test]
    fn energies_fall_into_decades() {
        let decades = [0.0, 9e-16, 1e-15, 9.9e-15, 1e-12, 0.99, 1.0, 1e30, f32::INFINITY].map(decade_of);
        assert_eq!(decades, [0, 0, 1, 1, 4, 15, 16, 16, 16]);
        // every edge is the first of its decade, in both scalars
        for (k, edge) in (1..).zip(EDGES) {
            assert_eq!((decade_of(edge), decade_of(edge as f32)), (k, k));
            assert_eq!((decade_of(edge * 0.999), decade_of(edge as f32 * 0.999)), (k - 1, k - 1));
        }
    }

    #[test]
    fn what_is_recorded_can_be_read_off() {
        let mut record = SolveRecord::new();
        assert_eq!((record.solves(), record.min_slack(), record.cut(3).is_none()), (0, None, true));
        assert_eq!(record.cut_energy_below(99), Ok(None));
        record.record(&report(Status::Converged, 5, 1e-13), 400);
        record.record(&report(Status::Stalled, 6, 3e-11), 300);
        record.record(&report(Status::Deadline, 2, 2e-4), 7);
        record.record(&report(Status::Deadline, 3, 5e-6), -20);
        record.record(&report(Status::Cap, 100, 4e-9), 50);
        record.record(&report(Status::NonFinite, 0, f32::INFINITY), 500);
        record.record(&Report { clock: ClockHealth::Frozen, ..report(Status::Cap, 100, 2e-9) }, 0);
        record.record(&Report { clock: ClockHealth::Backward, ..report(Status::Deadline, 9, f32::NAN) }, 1);
        let counts = STATUSES.map(|status| record.count(status));
        assert_eq!((record.solves(), counts), (8, [1, 1, 2, 3, 0, 1]));
        assert_eq!((record.late(), record.min_slack(), record.clock_faults()), (1, Some(-20), (1, 1)));

        let done = *record.done(7).unwrap();
        assert_eq!((done.solves(), done.min_energy(), done.max_energy()), (2, Some(1e-13), Some(3e-11)));
        assert_eq!((done.min_slack(), record.all_done()), (Some(300), done));
        let cut = *record.cut(2).unwrap();
        assert_eq!((cut.solves(), cut.min_energy(), cut.max_energy()), (2, Some(5e-6), Some(2e-4)));
        assert_eq!((cut.min_slack(), record.done(2), record.cut(50)), (Some(-20), None, None));
        assert_eq!(record.cut(8).unwrap().max_energy(), Some(f32::INFINITY));
        assert_eq!((record.all_cut().solves(), record.all_cut().max_energy()), (6, Some(f32::INFINITY)));
        // 1e-9 ≤ E < 1e-8, then 1e-6 and 1e-4, the rest no number
        let histogram = record.cut_histogram();
        assert_eq!((histogram[7], histogram[10], histogram[12], histogram[16]), (2, 1, 1, 2));
        assert_eq!((histogram.iter().sum::<u32>(), record.done_histogram().iter().sum::<u32>()), (6, 2));
        record.reset();
        assert_eq!(record, SolveRecord::default());
    }

    #[test]
    fn a_percentile_is_the_edge_that_many_lie_below() {
        let mut record = SolveRecord::new();
        for _ in 0..98 {
            record.record(&report(Status::Deadline, 4, 2e-8), 0);
        }
        record.record(&report(Status::Deadline, 4, 2e-6), 0);
        record.record(&report(Status::Deadline, 4, 2.0), 0);
        let below = |percent| record.cut_energy_below(percent);
        assert_eq!([below(1), below(50), below(98)], [Ok(Some(1e-7)); 3]);
        assert_eq!((below(99), below(100)), (Ok(Some(1e-5)), Ok(Some(f32::INFINITY))));
        assert_eq!(below(101), Err(Error::OutOfRange("percent")));
        // of nothing at all the first edge is enough
        assert_eq!(below(0), Ok(Some(1e-15)));
    }

    #[test]
    fn the_table_shows_what_occurred() {
        let mut record = SolveRecord::new();
        record.record(&report(Status::Converged, 5, 1e-13), 400);
        record.record(&report(Status::Deadline, 3, 2e-4), -7);
        record.record(&report(Status::Deadline, 2, 5e-6), 12);
        let table = "solves 3: converged 1 stalled 0 cap 0 deadline 2 infeasible 0 non_finite 0
late 1, ticks left at least -7; clock frozen 0, backward 0
   sweeps       done        energy / J        cut        energy / J  ticks left
       2+          0                 -          2   5.0e-6   2.0e-4          -7
       4+          1  1.0e-13  1.0e-13          0                 -         400
";
        assert_eq!(record.to_string(), table);
        assert_eq!(SolveRecord::<f32>::new().to_string().lines().count(), 3);
    }

    #[test]
    fn it_is_as_large_as_documented() {
        assert_eq!(size_of::<SolveRecord<f32>>(), 556);
    }
}
