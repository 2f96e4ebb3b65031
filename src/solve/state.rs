//! What a solver keeps of each body; of each row it is in the row.

use crate::math::{Real, Vec6};
use crate::rows::Row;

/// A body's change of velocity, `v = v_free + G z`, now and as it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change<R> {
    /// `z` now
    pub(crate) z: Vec6<R>,
    /// `z` of the best iterate so far
    pub(super) best: Vec6<R>,
    /// `z` after the last sweep and the one before it
    pub(super) past: [Vec6<R>; 2],
}

impl<R: Real> Change<R> {
    /// Of a body that moves freely.
    pub(crate) const ZERO: Self = Self { z: Vec6::ZERO, best: Vec6::ZERO, past: [Vec6::ZERO; 2] };
}

/// The iterate as it is becomes the best, and nothing was before it.
pub(super) fn begin<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| (change.best, change.past) = (change.z, [Vec6::ZERO; 2]));
    rows.iter_mut().for_each(|row| (row.best, row.past) = (row.gamma, [R::ZERO; 2]));
}

/// The iterate as it is becomes the best.
pub(super) fn keep<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| change.best = change.z);
    rows.iter_mut().for_each(|row| row.best = row.gamma);
}

/// What there is before a solve begins. Until [`begin`] it can be brought back.
pub(super) fn set_aside<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| change.past[0] = change.z);
    rows.iter_mut().for_each(|row| row.past[0] = row.gamma);
}

/// As if no solve had begun.
pub(super) fn bring_back<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| change.z = change.past[0]);
    rows.iter_mut().for_each(|row| row.gamma = row.past[0]);
}

/// Back to the best.
pub(super) fn restore<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| change.z = change.best);
    rows.iter_mut().for_each(|row| row.gamma = row.best);
}
