//! The energy error: how wrong an iterate still is, in joule, without knowing the solution (Enzenhöfer eq. 4–6).
//!
//! ```text
//! bounded row   δe = max( a/2 (δ_u² + δ_l²), min(w_l²/2a, a/2 σ_l²), min(w_u²/2a, a/2 σ_u²) )
//! contact       δe = a/2 |γ − P_K(γ − w̃/a)|²       a = mean of the three g + c;  w̃ = w, in ncp w̃_n = w_n + μ|w_t|
//! friction pair δe = a/2 |γ − P_K(γ − w/a)|²       a = mean of the two g + c;  K is the disc of radius μ|γ_lead|
//! δe = Σ δe_i   [J]                                 zero exactly at a solution
//! ```
//!
//! Inside the bounds all forms are one. Friction rows are bounded rows with bounds `±μ|γ_lead|` at the present impulse, as is the
//! radius of a pair.

use super::FrictionModel;
use super::admissible::{project_cone, project_section, support};
use super::psor::row_velocity;
use crate::math::{Real, Vec6, clamp, max, min};
use crate::rows::{Block, Row, Section, next_block};

/// What one pass over the rows, changing nothing, can prove.
#[derive(Clone, Copy)]
pub(super) struct Certificate<R> {
    /// J; infinite when not finite
    pub(super) energy: R,
    /// m/s; infinite when not finite
    pub(super) violation: R,
    /// every change of velocity and impulse is a finite number
    pub(super) finite: bool,
}

impl<R: Real> Certificate<R> {
    /// Rows that were projected together, with `miss = γ − P_K(γ − w̃/a)`.
    #[inline(always)]
    fn add<const N: usize>(&mut self, a: R, miss: [R; N], gamma: [R; N], w: [R; N]) {
        let half = R::from_f64(0.5);
        for ((d, gamma), w) in miss.into_iter().zip(gamma).zip(w) {
            // (a d) d, not a d²: squares of small impulses vanish first
            self.energy += half * (a * d) * d;
            self.violation = max(a * d.abs(), self.violation);
            self.finite &= gamma.is_finite() && w.is_finite();
        }
    }
}

/// The exact energy error and the largest violation of a row.
pub(super) fn certify<R: Real>(z: &[Vec6<R>], rows: &[Row<R>], model: FrictionModel) -> Certificate<R> {
    // every component of every velocity is part of some w: one that is not finite shows there
    let mut sum = Certificate { energy: R::ZERO, violation: R::ZERO, finite: true };
    for_each_block(z, rows, model, |law| match law {
        Law::Bounded { a, gamma, w, lo, hi } => {
            sum.energy += bounded_error(a, gamma, w, lo, hi);
            sum.violation = max(a * (gamma - clamp(gamma - w / a, lo, hi)).abs(), sum.violation);
            // a w that is not a number loses every comparison above; here it shows
            sum.finite &= gamma.is_finite() && w.is_finite();
        }
        Law::Contact { a, gamma, w, mu, section } => {
            sum.add(a, miss(section, mu, gamma, w, R::ONE / a), gamma, w);
        }
        Law::Disc { a, gamma, w, radius } => sum.add(a, disc_miss(radius, gamma, w, R::ONE / a), gamma, w),
    });
    sum.finite &= sum.energy.is_finite() && sum.violation.is_finite();
    if sum.finite { sum } else { Certificate { energy: R::INFINITY, violation: R::INFINITY, finite: false } }
}

/// `max_i |γ_i − P_K(γ_i − w_i)|`; infinite where a number overflows.
pub(super) fn natural_residual<R: Real>(z: &[Vec6<R>], rows: &[Row<R>], model: FrictionModel) -> R {
    let mut residual = R::ZERO;
    let mut count = |miss: R, w: R| {
        residual = if miss.is_finite() && w.is_finite() { max(miss.abs(), residual) } else { R::INFINITY };
    };
    for_each_block(z, rows, model, |law| match law {
        Law::Bounded { gamma, w, lo, hi, .. } => count(gamma - clamp(gamma - w, lo, hi), w),
        Law::Contact { gamma, w, mu, section, .. } => {
            miss(section, mu, gamma, w, R::ONE).into_iter().zip(w).for_each(|(miss, w)| count(miss, w));
        }
        Law::Disc { gamma, w, radius, .. } => {
            disc_miss(radius, gamma, w, R::ONE).into_iter().zip(w).for_each(|(miss, w)| count(miss, w));
        }
    });
    residual
}

/// What a block has to obey, with its velocity already corrected for the friction model.
enum Law<R> {
    Bounded { a: R, gamma: R, w: R, lo: R, hi: R },
    Contact { a: R, gamma: [R; 3], w: [R; 3], mu: R, section: Section },
    Disc { a: R, gamma: [R; 2], w: [R; 2], radius: R },
}

#[inline(always)]
fn for_each_block<R: Real>(z: &[Vec6<R>], rows: &[Row<R>], model: FrictionModel, mut look: impl FnMut(Law<R>)) {
    let (half, third) = (R::from_f64(0.5), R::ONE / R::from_f64(3.0));
    let mut lead = R::ZERO;
    let mut rest = rows;
    while let Some(block) = next_block(&mut rest) {
        let (row, lo, hi) = match block {
            Block::Interval { row, lo, hi } => {
                lead = row.gamma;
                (row, lo, hi)
            }
            Block::Friction { row, mu } => {
                let bound = mu * lead.abs();
                (row, -bound, bound)
            }
            Block::Contact { n, t1, t2, mu, section } => {
                lead = n.gamma;
                let [mut wn, w1, w2] = [row_velocity(z, n), row_velocity(z, t1), row_velocity(z, t2)];
                if model == FrictionModel::Ncp {
                    wn += mu * support(section, [w1, w2]);
                }
                look(Law::Contact {
                    a: (n.diagonal + t1.diagonal + t2.diagonal) * third,
                    gamma: [n.gamma, t1.gamma, t2.gamma],
                    w: [wn, w1, w2],
                    mu,
                    section,
                });
                continue;
            }
            Block::Disc { r1, r2, mu } => {
                look(Law::Disc {
                    a: (r1.diagonal + r2.diagonal) * half,
                    gamma: [r1.gamma, r2.gamma],
                    w: [row_velocity(z, r1), row_velocity(z, r2)],
                    radius: mu * lead.abs(),
                });
                continue;
            }
        };
        look(Law::Bounded { a: row.diagonal, gamma: row.gamma, w: row_velocity(z, row), lo, hi });
    }
}

/// `γ − P_K(γ − step·w̃)` of a contact.
#[inline(always)]
fn miss<R: Real>(section: Section, mu: R, gamma: [R; 3], w: [R; 3], step: R) -> [R; 3] {
    let ([n, t1, t2], [wn, w1, w2]) = (gamma, w);
    let [pn, p1, p2] = project_cone(section, mu, [n - step * wn, t1 - step * w1, t2 - step * w2]);
    [n - pn, t1 - p1, t2 - p2]
}

/// `γ − P(γ − step·w)` of a friction pair.
#[inline(always)]
fn disc_miss<R: Real>(radius: R, [g1, g2]: [R; 2], [w1, w2]: [R; 2], step: R) -> [R; 2] {
    let [p1, p2] = project_section(Section::Disc, radius, [g1 - step * w1, g2 - step * w2]);
    [g1 - p1, g2 - p2]
}

/// Enzenhöfer eq. 4–6 with σ_u's sign corrected (theory §3).
#[inline(always)]
fn bounded_error<R: Real>(a: R, x: R, w: R, lo: R, hi: R) -> R {
    let half = R::from_f64(0.5);
    let w_lower = max(w, R::ZERO);
    let w_upper = max(-w, R::ZERO);
    let x_inside = clamp(x, lo, hi);
    let d_upper = max(x - hi, R::ZERO);
    let d_lower = max(lo - x, R::ZERO);
    // distances to the bounds; infinite for a bound that is none
    let s_lower = x_inside + d_upper - lo;
    let s_upper = hi - (x_inside - d_lower);
    // w_l pushes x down until it meets the lower bound, w_u up until the upper; x is outside at most one of them
    let moved = max(min(w_lower / a, s_lower), min(w_upper / a, s_upper));
    let distance = max(d_upper + d_lower, moved);
    // (a d) d, not a d²: squares of small impulses vanish first
    half * (a * distance) * distance
}

#[cfg(test)]
mod tests {
    use super::*;

    const INF: f64 = f64::INFINITY;

    #[test]
    fn bounded_error_by_hand() {
        // unilateral, free, separating or touching: solved
        assert_eq!(bounded_error(2.0, 0.0, 3.0, 0.0, INF), 0.0);
        assert_eq!(bounded_error(2.0, 5.0, 0.0, 0.0, INF), 0.0);
        // approaching at 3 m/s with 1/a = 1/2 kg: w²/2a
        assert_eq!(bounded_error(2.0, 0.0, -3.0, 0.0, INF), 9.0 / 4.0);
        // pulling apart with an impulse left of 0.5 N·s: it can only be taken back, a/2 x²
        assert_eq!(bounded_error(2.0, 0.5, 3.0, 0.0, INF), 0.25);
        // bilateral
        assert_eq!(bounded_error(2.0, -7.0, -3.0, -INF, INF), 9.0 / 4.0);
        // outside its bounds by 2
        assert_eq!(bounded_error(2.0, 3.0, 0.0, -1.0, 1.0), 4.0);
        assert_eq!(bounded_error(2.0, -3.0, 0.0, -1.0, 1.0), 4.0);
        // x = −3 below lo = −1 with w < 0, which pushes up: σ_u = hi − x = 4 (the print's sign would give 0)
        assert_eq!(bounded_error(2.0, -3.0, -100.0, -1.0, 1.0), 16.0);
        // at a bound and pushed against it: solved
        assert_eq!(bounded_error(2.0, 1.0, -3.0, -1.0, 1.0), 0.0);
        assert_eq!(bounded_error(2.0, -1.0, 3.0, -1.0, 1.0), 0.0);
    }

    #[test]
    fn inside_the_bounds_it_is_the_natural_map() {
        for x in [-1.0, -0.3, 0.0, 0.7, 1.0] {
            for w in [-4.0, -0.1, 0.0, 0.2, 5.0] {
                let a = 1.5;
                let d: f64 = x - clamp(x - w / a, -1.0, 1.0);
                assert!((bounded_error(a, x, w, -1.0, 1.0) - 0.5 * a * d * d).abs() < 1e-15);
            }
        }
    }
}
