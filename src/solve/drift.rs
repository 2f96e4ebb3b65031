//! How far z may have drifted from `Σ Ē_iᵀ γ_i`.
//!
//! Sweeps update z, and the accelerated methods mix it apart from γ. What z rounds by is therefore not
//! in γ: no sweep removes it, and no row sees its part in the null space of E. With `r_k` what sweep k
//! rounds by, the drift `d = z − Σ Ēᵀγ` follows from the weights alone:
//!
//! ```text
//! d_{k+1} = (1 − θ_1 − θ_2) d_k + θ_1 d_{k−1} + θ_2 d_{k−2} + r_{k+1}
//! P' = A P Aᵀ + Q        P: covariance of (d_k, d_{k−1}, d_{k−2}); roundings independent, of variance 1
//! ```
//! Large weights make it grow exponentially. P costs some thirty operations a sweep, whatever the number
//! of rows. z is summed up anew before the drift is as large as the error that a certificate finds.

use super::mixture::Mixture;
use crate::math::{Real, max};

/// Variance of what one sweep adds to the drift, as a share of `ε² Σ a γ²`: many rows act on a body.
const ROUNDINGS: f64 = 16.0;
/// A drift of this variance is no more than the 32 roundings that a report allows for.
const SMALL: f64 = 256.0;

/// `P`, in roundings.
pub(super) struct Drift<R> {
    /// of `d_k` with itself, `d_{k−1}` and `d_{k−2}`
    now: [R; 3],
    /// of `d_{k−1}` with itself and `d_{k−2}`
    last: [R; 2],
    /// of `d_{k−2}`
    before: R,
    /// largest `Σ a Δγ²` of a sweep: impulses have been as large as that, at least
    largest_square: R,
}

impl<R: Real> Drift<R> {
    /// Of z as it was summed up.
    pub(super) const NEW: Self =
        Self { now: [R::ZERO; 3], last: [R::ZERO; 2], before: R::ZERO, largest_square: R::ZERO };

    /// z was summed up anew; what it was before stays in memory.
    pub(super) fn reset(&mut self) {
        self.now = [R::ZERO; 3];
    }

    /// One sweep more, from this mixture; `square` is its `Σ a Δγ²`, of all rows.
    pub(super) fn sweep(&mut self, Mixture { theta_1, theta_2 }: Mixture<R>, square: R) {
        let ([p00, p01, p02], [p11, p12], p22) = (self.now, self.last, self.before);
        let largest_square = max(square, self.largest_square);
        // no mixing: one rounding more
        if theta_1 == R::ZERO && theta_2 == R::ZERO {
            *self = Self { now: [p00 + R::ONE, p00, p01], last: [p00, p01], before: p11, largest_square };
            return;
        }
        let (w0, w1, w2) = (R::ONE - theta_1 - theta_2, theta_1, theta_2);
        // P times the weights: covariances of the mixture with each of the three
        let with_now = w0 * p00 + w1 * p01 + w2 * p02;
        let with_last = w0 * p01 + w1 * p11 + w2 * p12;
        let with_before = w0 * p02 + w1 * p12 + w2 * p22;
        let mixed = w0 * with_now + w1 * with_last + w2 * with_before;
        // rounding may make it negative; NaN stays
        let mixed = if mixed < R::ZERO { R::ONE } else { mixed + R::ONE };
        *self = Self { now: [mixed, with_now, with_last], last: [p00, p01], before: p11, largest_square };
    }

    /// Is it more than √ε of z, or not a number? Sweeps would then mend the drift, not the answer.
    pub(super) fn is_too_large(&self) -> bool {
        let is_small = self.now[0] * R::EPSILON <= R::ONE;
        !is_small
    }

    /// Is it no more than the roundings that a report allows for, if impulses are as large as they have been?
    pub(super) fn is_small(&self) -> bool {
        self.now[0] <= R::from_f64(SMALL)
    }

    /// [`is_within`](Self::is_within) before the impulses are known: likely they are as large as they have been.
    pub(super) fn is_likely_within(&self, estimate: R) -> bool {
        self.is_within(self.largest_square, estimate)
    }

    /// Is the drift no more than impulses of `square = Σ a γ²` round by, or its energy no more than
    /// `energy`, in J?
    pub(super) fn is_within(&self, square: R, energy: R) -> bool {
        let largest = max(square, self.largest_square);
        self.now[0] * largest <= R::from_f64(SMALL) * square || self.energy(largest) <= energy
    }

    /// Energy of the drift of impulses of this `Σ a γ²`. J
    fn energy(&self, square: R) -> R {
        self.now[0] * (R::from_f64(ROUNDINGS) * R::EPSILON * R::EPSILON * square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The drift of many runs of the same sweeps, by the recurrence with random roundings.
    fn spread(weights: &[[f64; 2]]) -> f64 {
        let runs = 20_000;
        let mut seed = 1_u64;
        let mut rounding = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // uniform, of variance one
            ((seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * 12_f64.sqrt()
        };
        let squares = (0..runs).map(|_| {
            let mut d = [0.0; 3];
            for &[theta_1, theta_2] in weights {
                let mixed = (1.0 - theta_1 - theta_2) * d[0] + theta_1 * d[1] + theta_2 * d[2];
                d = [mixed + rounding(), d[0], d[1]];
            }
            d[0] * d[0]
        });
        squares.sum::<f64>() / f64::from(runs)
    }

    fn followed(weights: &[[f64; 2]]) -> Drift<f64> {
        let mut drift = Drift::NEW;
        for &[theta_1, theta_2] in weights {
            drift.sweep(Mixture { theta_1, theta_2 }, 1.0);
        }
        drift
    }

    #[test]
    fn the_variance_followed_is_that_of_the_recurrence() {
        let cases: [&[[f64; 2]]; 4] = [
            &[[0.0, 0.0]; 7],
            &[[0.0, 0.0], [-0.5, 0.0], [-1.3, 0.4], [2.0, -0.7], [-0.9, 0.0]],
            &[[-0.8, 0.0]; 9],
            &[[0.0, 0.0], [0.0, 0.0], [3.0, -5.0], [-7.0, 2.0], [1.0, 1.0]],
        ];
        for weights in cases {
            let (found, expected) = (followed(weights).now[0], spread(weights));
            assert!((found / expected - 1.0).abs() < 0.04, "{weights:?}: {found} {expected}");
        }
        // without mixing, roundings add up
        assert!((followed(cases[0]).now[0] - 7.0).abs() < 1e-12);
    }

    #[test]
    fn large_weights_or_nan_ask_for_a_new_sum() {
        assert!(!followed(&[[0.0, 0.0]; 1000]).is_too_large());
        assert!(followed(&[[-40.0, 30.0]; 60]).is_too_large());
        assert!(followed(&[[f64::NAN, 0.0]; 2]).is_too_large());
        assert!(!followed(&[[f64::NAN, 0.0]; 2]).is_within(1.0, 1.0));
    }

    #[test]
    fn a_drift_counts_against_the_energy_error_of_the_same_impulses() {
        let mut drift = followed(&[[-4.0, 3.0]; 8]);
        let energy = drift.energy(1.0);
        assert!(energy > 0.0 && drift.now[0] > SMALL, "{energy}");
        assert!(drift.is_within(1.0, 2.0 * energy) && !drift.is_within(1.0, energy / 2.0));
        // impulses that have grown smaller since leave their drift behind
        assert!(!drift.is_within(1e-6, energy / 2.0));
        assert!(drift.is_within(1e-6, 2.0 * energy) && drift.is_likely_within(2.0 * energy));
        drift.reset();
        assert!(drift.is_within(1.0, 0.0));
    }
}
