//! What a world knows of the exact solver, whatever its size: to solve an island, or its joints in every sweep.

use super::pivot::{End, respond};
use super::{Exact, is_simple, plus_minus, start};
use crate::math::{Real, clamp};
use crate::rows::Row;
use crate::solve::budget::{PLACES_OF_A_ROW, Watch};
use crate::solve::mixture::Mixture;
use crate::solve::state::Change;
use crate::solve::{Report, Settings};

/// Pivots of joints in one sweep, at most.
const JOINT_PIVOTS: u32 = 16;

/// Working memory of the exact solver of whatever size: an [`Exact`], and nothing else.
pub trait ExactMemory<R: Real>: sealed::AnyExact<R> {}

pub(crate) mod sealed {
    use super::{Change, Mixture, Real, Report, Row, Settings, Watch};

    pub trait AnyExact<R: Real> {
        /// Solve, unless there is no room: then nothing has changed.
        #[allow(private_interfaces, reason = "nobody outside can name this trait")]
        fn solve_if_it_fits(
            &mut self,
            changes: &mut [Change<R>],
            rows: &mut [Row<R>],
            settings: &Settings<R>,
            watch: &mut Watch<'_, '_>,
        ) -> Option<Report<R>>;

        /// Get ready to solve these rows, of joints, in every sweep; `energy` is that of the start. False if there is no room, or no time.
        #[allow(private_interfaces, reason = "as above")]
        fn begin_joints(
            &mut self,
            changes: &mut [Change<R>],
            rows: &mut [Row<R>],
            energy: R,
            watch: &mut Watch<'_, '_>,
        ) -> bool;

        /// Solve them, whatever all others carry. Returns the energy error that they had, in J; `None` if they could not be solved.
        #[allow(private_interfaces, reason = "as above")]
        fn sweep_joints(
            &mut self,
            changes: &mut [Change<R>],
            rows: &mut [Row<R>],
            mixture: Mixture<R>,
            watch: &mut Watch<'_, '_>,
        ) -> Option<R>;
    }
}

impl<R: Real, const BODIES: usize, const ROWS: usize, const NONZEROS: usize> ExactMemory<R>
    for Exact<R, BODIES, ROWS, NONZEROS>
{
}

impl<R: Real, const BODIES: usize, const ROWS: usize, const NONZEROS: usize> sealed::AnyExact<R>
    for Exact<R, BODIES, ROWS, NONZEROS>
{
    #[allow(private_interfaces, reason = "as above")]
    fn solve_if_it_fits(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        settings: &Settings<R>,
        watch: &mut Watch<'_, '_>,
    ) -> Option<Report<R>> {
        self.lay_out(rows, watch).ok()?;
        let start = start(changes, rows, settings, watch);
        Some(self.solve(changes, rows, is_simple(rows), settings, start, watch))
    }

    #[allow(private_interfaces, reason = "as above")]
    fn begin_joints(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        energy: R,
        watch: &mut Watch<'_, '_>,
    ) -> bool {
        if self.lay_out(rows, watch).is_err() {
            return false;
        }
        self.energy = energy;
        let _ = self.load(rows);
        let mut tableau = self.tableau(changes, rows, energy);
        tableau.fill(watch) && tableau.factorise_inside(watch)
    }

    #[allow(private_interfaces, reason = "as above")]
    fn sweep_joints(
        &mut self,
        changes: &mut [Change<R>],
        rows: &mut [Row<R>],
        mixture: Mixture<R>,
        watch: &mut Watch<'_, '_>,
    ) -> Option<R> {
        let Self { columns, places, .. } = self;
        let mut lead = R::ZERO;
        for (row, place) in rows.iter_mut().zip(places.iter()) {
            let column = columns.get_mut(usize::from(*place))?;
            let mixed = mixture.begin(row);
            if row.leads() {
                lead = mixed;
            } else {
                // friction in a joint
                [column.lo, column.hi] = plus_minus(row.numbers[0] * lead.abs());
            }
            // what is mixed may lie outside its bounds; bodies have felt it there
            column.gamma = clamp(mixed, column.lo, column.hi);
            row.gamma = column.gamma;
            respond(changes, column, column.gamma - mixed);
            if watch.spend(PLACES_OF_A_ROW) {
                return None;
            }
        }
        let energy = self.energy;
        let mut tableau = self.tableau(changes, rows, energy);
        let end = tableau.run(None, JOINT_PIVOTS, watch);
        // a look that was cut off has told some rows only
        if end == End::Deadline {
            tableau.store();
        }
        let (before, after) = (tableau.missed, tableau.left);
        let good = matches!(end, End::Solved | End::Deadline) && (after <= before || after <= tableau.floor);
        good.then(|| before * R::from_f64(0.5))
    }
}
