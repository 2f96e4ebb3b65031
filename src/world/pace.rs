//! How many sweeps there is time for: by plan, by the clock, by the cap.
//!
//! ```text
//! a sub-step ends   (ticks − elapsed when it begins) / sub-steps left after it has begun        ticks
//! time of a solve = (left of the sub-step − set aside) · its rows / rows not yet solved         ticks
//! set aside       = other islands' rows to prepare, a second solve to prepare, closing work     known only with a plan's costs
//! ```
//! What is set aside is always done, whatever the time; so nothing runs late unless that alone does.

use super::plan::{Costs, Work};
use super::settings::StepSettings;
use crate::math::Real;
use crate::solve::{Budget, Settings, Watch};

/// What is left of one sub-step's time.
pub(super) struct Pace<'b, 'c> {
    budget: Option<&'b mut Budget<'c>>,
    /// elapsed ticks at which this sub-step has had its share
    end: u32,
    /// sweeps the plan has time for; none without a plan
    planned: Option<u32>,
    /// nothing costs anything without a plan. Ticks
    costs: Costs,
    ahead: Ahead,
    /// for what comes after all solves. Ticks
    closing: u32,
}

/// What islands that are not yet solved will ask for, at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ahead {
    pub(super) solves: u32,
    pub(super) rows: u32,
    /// among them
    pub(super) loose_rows: u32,
    /// at contacts of which there are too many
    pub(super) looks: u32,
}

impl Ahead {
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            solves: self.solves.saturating_add(other.solves),
            rows: self.rows.saturating_add(other.rows),
            loose_rows: self.loose_rows.saturating_add(other.loose_rows),
            looks: self.looks.saturating_add(other.looks),
        }
    }

    fn without(self, other: Self) -> Self {
        Self {
            solves: self.solves.saturating_sub(other.solves),
            rows: self.rows.saturating_sub(other.rows),
            loose_rows: self.loose_rows.saturating_sub(other.loose_rows),
            looks: self.looks.saturating_sub(other.looks),
        }
    }
}

impl<'b, 'c> Pace<'b, 'c> {
    /// A sub-step begins; it is the first of so many that are left.
    pub(super) fn new(mut budget: Option<&'b mut Budget<'c>>, substeps_left: u16) -> Self {
        let end = budget.as_deref_mut().map_or(0, |budget| {
            let elapsed = budget.elapsed();
            let left = budget.ticks().saturating_sub(elapsed);
            elapsed.saturating_add(left.checked_div(substeps_left.into()).unwrap_or(0))
        });
        let (costs, ahead) = (Costs::default(), Ahead::default());
        Self { budget, end, planned: None, costs, ahead, closing: 0 }
    }

    /// Once contacts are known.
    pub(super) fn plan<R: Real>(&mut self, settings: &StepSettings<R>, work: &Work, ahead: Ahead) {
        self.ahead = ahead;
        if let Some(plan) = &settings.plan {
            // should all of them bounce, all are solved twice
            let (solves, rows) = (ahead.solves.saturating_mul(2), ahead.rows.saturating_mul(2));
            let known = Work { solves, rows, looks: work.looks.saturating_add(ahead.looks), ..*work };
            self.planned = Some(plan.sweeps(&known, (ahead.rows, ahead.loose_rows), settings.substeps));
            self.closing = plan.costs.closing(work);
            self.costs = plan.costs;
        }
    }

    /// Settings for one solve of an island, which may need a second one.
    pub(super) fn settings<R: Real>(&self, settings: &Settings<R>, twice: bool) -> Settings<R> {
        let planned = self.planned.map_or(u32::MAX, |sweeps| if twice { sweeps / 2 } else { sweeps });
        let iterations = if planned < settings.iterations { planned } else { settings.iterations };
        Settings { iterations, ..*settings }
    }

    /// An island's turn, of which this much was expected.
    pub(super) fn begin(&mut self, expected: Ahead) {
        self.ahead = self.ahead.without(expected);
    }

    /// The clock for one solve of the island with so many rows: its share of what is left, of two solves the first has half.
    pub(super) fn watch(&mut self, rows: u32, twice: bool) -> Watch<'_, 'c> {
        let Some(budget) = self.budget.as_deref_mut() else { return Watch::none() };
        let elapsed = budget.elapsed();
        let again = if twice { Ahead { solves: 1, rows, ..Ahead::default() } } else { Ahead::default() };
        let Ahead { solves, rows: to_prepare, looks, .. } = self.ahead.with(again);
        let always = Work { solves, rows: to_prepare, looks, ..Work::NONE };
        let set_aside = self.costs.of(&always).saturating_add(self.closing);
        let left = self.end.saturating_sub(elapsed).saturating_sub(set_aside);
        let all = self.ahead.rows.saturating_add(rows);
        let part = u64::from(left).saturating_mul(rows.into()).checked_div(all.into()).unwrap_or(0);
        let part = u32::try_from(part).unwrap_or(left);
        Watch::until(budget, elapsed.saturating_add(if twice { part / 2 } else { part }))
    }
}
