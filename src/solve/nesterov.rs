//! Nesterov's acceleration of the sweep, to compare with.
//!
//! ```text
//! γ_{k+1} = S_k + β (S_k − S_{k−1})       β = (j − 1)/(j + 2), j sweeps after the last restart
//! restart when f_k·(S_k − S_{k−1}) < 0     over leads, weighted by g + c: the sweep turns back
//! ```

use super::mixture::Mixture;
use crate::math::Real;
use crate::rows::Row;

/// Sweeps since the last restart; none before the first is over, which is unlike all others.
pub(super) struct Nesterov(Option<u16>);

impl Nesterov {
    /// Before the first sweep.
    pub(super) const NEW: Self = Self(None);

    /// After a sweep: what the next one starts from.
    pub(super) fn mix<R: Real>(&mut self, rows: &[Row<R>]) -> Mixture<R> {
        let Some(since) = self.0 else {
            self.0 = Some(0);
            return Mixture::NONE;
        };
        let along = rows.iter().filter(|row| row.leads()).fold(R::ZERO, |sum, row| {
            let [change, _] = row.aside;
            sum + row.diagonal * change * (row.gamma - row.past[0])
        });
        // written so that what is no number turns back
        let since = if along >= R::ZERO { since.saturating_add(1) } else { 0 };
        self.0 = Some(since);
        let beta = R::from_u16(since.saturating_sub(1)) / R::from_u16(since.saturating_add(2));
        Mixture { theta_1: -beta, theta_2: R::ZERO }
    }
}
