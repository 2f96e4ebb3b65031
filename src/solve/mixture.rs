//! What a sweep starts from: a mixture of what the last three came to.
//!
//! ```text
//! γ_{k+1} = S_k − θ_1 (S_k − S_{k−1}) − θ_2 (S_k − S_{k−2})        and z likewise, which is linear in γ
//! ```
//! Bodies have theirs before the sweep, a row gets its own at its turn: one pass over rows less. Between sweeps rows and bodies hold `S_k`, or what was
//! mixed is thrown away: a mixture may lie outside the sets and is never an answer.

use super::state::Change;
use crate::math::{Real, Vec3};
use crate::rows::Row;

/// `θ`
#[derive(Clone, Copy)]
pub(super) struct Mixture<R> {
    pub(super) theta_1: R,
    pub(super) theta_2: R,
}

// differences, not shares of all three: where sweeps agree, so does what is mixed of them, to the last bit
impl<R: Real> Mixture<R> {
    /// The last sweep as it is.
    pub(super) const NONE: Self = Self { theta_1: R::ZERO, theta_2: R::ZERO };

    /// A row's impulse to start from; its memory moves on.
    #[inline(always)]
    pub(super) fn begin(&self, row: &mut Row<R>) -> R {
        let (now, [last, before]) = (row.gamma, row.past);
        row.past = [now, last];
        now + (last - now) * self.theta_1 + (before - now) * self.theta_2
    }

    /// The same of all bodies; of those that nothing turns only the linear half.
    pub(super) fn begin_bodies(&self, changes: &mut [Change<R>], turns: bool) {
        let mixed = |now: Vec3<R>, last: Vec3<R>, before: Vec3<R>| {
            now + (last - now) * self.theta_1 + (before - now) * self.theta_2
        };
        for Change { z, past: [last, before], .. } in changes {
            let now = *z;
            z.linear = mixed(now.linear, last.linear, before.linear);
            (before.linear, last.linear) = (last.linear, now.linear);
            if turns {
                z.angular = mixed(now.angular, last.angular, before.angular);
                (before.angular, last.angular) = (last.angular, now.angular);
            }
        }
    }
}
