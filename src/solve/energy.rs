//! The energy error: how wrong an iterate still is, in joule, without knowing the solution (Enzenhöfer eq. 4–6).
//!
//! ```text
//! bounded row   δe = max( a/2 (δ_u² + δ_l²), min(w_l²/2a, a/2 σ_l²), min(w_u²/2a, a/2 σ_u²) )
//! contact       δe = a/2 |γ − P_K(γ − w̃/a)|²       a = mean of the three g + c;  w̃ = w, in ncp w̃_n = w_n + μ|w_t|
//! friction pair δe = a/2 |γ − P_K(γ − w/a)|²       a = mean of the two g + c;  K is the disc of radius μ|γ_lead|
//! δe = Σ δe_i   [J]                                 zero exactly at a solution
//! ```
//!
//! The rigorous bound, for the convex problem `min f(γ) = ½ γᵀ(N + c)γ + qᵀγ, γ ∈ K`, whose gradient is w:
//!
//! ```text
//! f(γ) − f(γ*) = w·(γ − γ*) − ½|γ − γ*|²_{N+c}   and   f(γ) − f(γ*) ≥ ½|γ − γ*|²_{N+c} ≥ ½|v − v*|²_M
//! ½|v − v*|²_M ≤ ½ w·(γ − γ*) ≤ ½ Σ max { w_i·(γ_i − x) : x ∈ K_i, |x| ≤ ceiling }                       [J]
//! ```
//! With w in the dual cone the largest is at x = 0: half the duality gap `γ·w`.
//!
//! The energy that wrong impulses may have added. From `M v = f + Eᵀγ` and `w = E v − e + cγ`:
//!
//! ```text
//! ½|v|²_M = ½|v_free|²_M + γ·e + γ·w − γ·cγ − ½ γᵀNγ  ≤  ½|v_free|²_M + γ·e + max(γ·w, 0)        [J]
//! ```
//! At a solution `γ·w ≤ 0`: friction dissipates, all else is complementary. A positive `γ·w` is the solver's error.
//!
//! Inside the bounds, where sweeps and projections leave every impulse, all forms are one: the natural map's. Friction rows are bounded rows with bounds `±μ|γ_lead|` at the present impulse, as is the
//! radius of a pair.

use super::admissible::{project_cone, project_section, support};
use super::budget::Watch;
use super::state::Change;
use super::sweep::{BLOCKS_A_LOOK, block_velocities, contact_velocities};
use super::{FrictionModel, Settings};
use crate::math::{Real, clamp, max, min};
use crate::rows::{Block, Kind, Row, Section, next_block};

/// What a block may miss its law by, in units in the last place of its impulse: as near as a precision gets.
const ROUNDING: f64 = 8.0;

/// What one pass over the rows, changing nothing, can prove.
#[derive(Clone, Copy)]
pub(super) struct Certificate<R> {
    /// J; infinite when not finite
    pub(super) energy: R,
    /// J; infinite when there is no bound
    pub(super) bound: R,
    /// m/s; infinite when not finite. While summing up: its square
    pub(super) violation: R,
    /// J; infinite when not finite
    pub(super) gain: R,
    /// `Σ a γ²`: what z is made of, squared. J
    pub(super) square: R,
    /// every change of velocity and impulse is a finite number
    pub(super) finite: bool,
    /// no block misses its law by more than its impulse rounds
    pub(super) rounded: bool,
}

impl<R: Real> Certificate<R> {
    /// Of what is no number.
    pub(super) const NONE: Self = Self {
        energy: R::INFINITY,
        bound: R::INFINITY,
        violation: R::INFINITY,
        gain: R::INFINITY,
        square: R::INFINITY,
        finite: false,
        rounded: false,
    };

    /// Rows that were projected together, with `miss = γ − P_K(γ − w̃/a)`; w without De Saxcé's correction.
    #[inline(always)]
    fn add<const N: usize>(&mut self, a: R, gamma: [R; N], w: [R; N], miss: [R; N]) {
        // (a d) d, not a d²: squares of small impulses vanish first
        let energy = |impulse: [R; N]| impulse.into_iter().fold(R::ZERO, |sum, d| sum + a * d * d);
        let twice = energy(miss);
        let rounding = R::from_f64(ROUNDING) * R::EPSILON;
        let square = energy(gamma);
        self.square += square;
        self.rounded &= twice <= rounding * rounding * square;
        self.energy += twice;
        self.violation = max(a * twice, self.violation);
        self.gain = gamma.into_iter().zip(w).fold(self.gain, |sum, (gamma, w)| sum + gamma * w);
    }
}

/// The exact energy error, the rigorous bound and the largest violation of a row; `None` when time runs out on the way.
#[inline(never)]
pub(super) fn certify<R: Real>(
    changes: &[Change<R>],
    rows: &[Row<R>],
    settings: &Settings<R>,
    watch: &mut Watch<'_, '_>,
) -> Option<Certificate<R>> {
    sum_up(rows, settings, &Present(changes), R::INFINITY, || watch.expired())
}

/// The same of `γ = 0`, `v = v_free`, whatever the rows hold; `None` if that is not admissible. Of an energy above `limit` no more is known than that.
pub(super) fn at_rest<R: Real>(rows: &[Row<R>], settings: &Settings<R>, limit: R) -> Option<Certificate<R>> {
    let admissible = rows.iter().all(|row| {
        let [lo, hi] = row.numbers;
        lo <= R::ZERO && hi >= R::ZERO || row.kind != Kind::Interval
    });
    if admissible { sum_up(rows, settings, &Rest, limit, || false) } else { None }
}

/// Gives the rows of one block their `γ` and `w`.
trait State<R> {
    fn of<const N: usize>(&self, rows: [&Row<R>; N]) -> Option<([R; N], [R; N])>;
    fn of_contact(&self, rows: [&Row<R>; 3]) -> Option<([R; 3], [R; 3])>;
}

/// As they are.
struct Present<'a, R>(&'a [Change<R>]);

/// `γ = 0`, `v = v_free`
struct Rest;

impl<R: Real> State<R> for Present<'_, R> {
    #[inline(always)]
    fn of<const N: usize>(&self, rows: [&Row<R>; N]) -> Option<([R; N], [R; N])> {
        Some((rows.map(|row| row.gamma), block_velocities(self.0, rows)?))
    }
    #[inline(always)]
    fn of_contact(&self, rows: [&Row<R>; 3]) -> Option<([R; 3], [R; 3])> {
        Some((rows.map(|row| row.gamma), contact_velocities(self.0, rows)?))
    }
}

impl<R: Real> State<R> for Rest {
    #[inline(always)]
    fn of<const N: usize>(&self, rows: [&Row<R>; N]) -> Option<([R; N], [R; N])> {
        Some(([R::ZERO; N], rows.map(|row| -row.e)))
    }
    #[inline(always)]
    fn of_contact(&self, rows: [&Row<R>; 3]) -> Option<([R; 3], [R; 3])> {
        self.of(rows)
    }
}

#[inline(always)]
fn sum_up<R: Real>(
    rows: &[Row<R>],
    settings: &Settings<R>,
    state: &impl State<R>,
    limit: R,
    mut expired: impl FnMut() -> bool,
) -> Option<Certificate<R>> {
    let zero = R::ZERO;
    let mut sum = Certificate {
        energy: zero,
        bound: zero,
        violation: zero,
        gain: zero,
        square: zero,
        finite: true,
        rounded: true,
    };
    // Σ 0 γ + 0 w: no number as soon as one of them is not finite, which a comparison may lose. Every component of every velocity is part of some w
    let mut nothing = R::ZERO;
    let mut laws = Laws { rest: rows, lead: R::ZERO };
    let mut until_look = BLOCKS_A_LOOK;
    let twice_limit = limit + limit;
    while let Some(law) = laws.next(state) {
        // it only grows
        if sum.energy > twice_limit {
            break;
        }
        if let Some(left) = until_look.checked_sub(1) {
            until_look = left;
        } else if expired() {
            return None;
        } else {
            until_look = BLOCKS_A_LOOK;
        }
        match law {
            Law::Bounded { a, gamma, w, lo, hi, fixed } => {
                nothing += R::ZERO * gamma + R::ZERO * w;
                // in bounds, as all impulses are that come out of a sweep or a projection, `bounded_error` is the natural map's
                sum.add(a, [gamma], [w], [gamma - clamp(gamma - w / a, lo, hi)]);
                sum.bound += if fixed { interval_gap(gamma, w, lo, hi, settings.impulse_ceiling) } else { R::INFINITY };
            }
            Law::Contact { a, gamma, w, mu, section } => {
                nothing += none_of(gamma) + none_of(w);
                // apart and parting: obeyed
                if gamma == [R::ZERO; 3] && within_dual(section, mu, w, settings.friction) {
                    // with exact friction it may still slide faster than it parts, of which the convex problem knows nothing
                    if mu > R::ZERO && !within_dual(section, mu, w, FrictionModel::Ccp) {
                        sum.bound = R::INFINITY;
                    }
                    continue;
                }
                let corrected = correct(section, mu, w, settings.friction);
                sum.add(a, gamma, w, miss(section, mu, gamma, corrected, R::ONE / a));
                // without friction both models are the same convex problem. What is infinite stays so: spare the root
                if sum.bound < R::INFINITY {
                    sum.bound += if settings.friction == FrictionModel::Ccp || mu == R::ZERO {
                        cone_gap(section, mu, gamma, w, settings.impulse_ceiling)
                    } else {
                        R::INFINITY
                    };
                }
            }
            Law::Disc { a, gamma, w, radius } => {
                nothing += none_of(gamma) + none_of(w);
                sum.add(a, gamma, w, disc_miss(radius, gamma, w, R::ONE / a));
                sum.bound = R::INFINITY;
            }
        }
    }
    sum.energy = sum.energy * R::from_f64(0.5);
    sum.violation = sum.violation.sqrt();
    sum.finite = nothing == R::ZERO && sum.energy.is_finite() && sum.violation.is_finite();
    sum.gain = if sum.gain.is_finite() { max(sum.gain, R::ZERO) } else { R::INFINITY };
    // |v − v*|²_M ≤ w·(γ − γ*); ∞ − ∞ is no bound, and rounding may end below zero
    sum.bound = if sum.bound.is_finite() { max(sum.bound * R::from_f64(0.5), R::ZERO) } else { R::INFINITY };
    Some(if sum.finite { sum } else { Certificate::NONE })
}

/// Zero, unless one of them is not finite.
#[inline(always)]
fn none_of<R: Real, const N: usize>(numbers: [R; N]) -> R {
    R::ZERO * numbers.into_iter().fold(R::ZERO, |sum, x| sum + x)
}

/// Is `γ = 0` what the law asks for at this velocity? `w` in the dual cone; with De Saxcé's correction it is as soon as `w_n ≥ 0`.
#[inline(always)]
fn within_dual<R: Real>(section: Section, mu: R, [w0, w1, w2]: [R; 3], model: FrictionModel) -> bool {
    w0 >= R::ZERO
        && match (model, section) {
            (FrictionModel::Ncp, _) => true,
            // a difference, because ∞ ≤ ∞ would let anything in
            (FrictionModel::Ccp, Section::Disc) => mu * mu * (w1 * w1 + w2 * w2) - w0 * w0 <= R::ZERO,
            (FrictionModel::Ccp, Section::Diamond | Section::Polygon(_)) => {
                mu * support(section, [-w1, -w2]) - w0 <= R::ZERO
            }
        }
}

/// `w̃`
#[inline(always)]
fn correct<R: Real>(section: Section, mu: R, [w0, w1, w2]: [R; 3], model: FrictionModel) -> [R; 3] {
    match model {
        FrictionModel::Ncp => [w0 + mu * support(section, [-w1, -w2]), w1, w2],
        FrictionModel::Ccp => [w0, w1, w2],
    }
}

/// `max { w (γ − γ*) : lo ≤ γ* ≤ hi, |γ*| ≤ ceiling }`
#[inline(always)]
fn interval_gap<R: Real>(gamma: R, w: R, lo: R, hi: R, ceiling: R) -> R {
    if w == R::ZERO {
        return R::ZERO;
    }
    let worst = if w > R::ZERO { max(lo, -ceiling) } else { min(hi, ceiling) };
    w * (gamma - worst)
}

/// `max { w·(γ − γ*) : γ* in the cone, γ*_n ≤ ceiling }`
#[inline(always)]
fn cone_gap<R: Real>(section: Section, mu: R, gamma: [R; 3], w: [R; 3], ceiling: R) -> R {
    let ([g0, g1, g2], [w0, w1, w2]) = (gamma, w);
    let beyond = if within_dual(section, mu, w, FrictionModel::Ccp) {
        R::ZERO
    } else {
        max(mu * support(section, [-w1, -w2]) - w0, R::ZERO) * ceiling
    };
    g0 * w0 + g1 * w1 + g2 * w2 + beyond
}

/// `max_i |γ_i − P_K(γ_i − w_i)|`; infinite where a number overflows.
pub(super) fn natural_residual<R: Real>(changes: &[Change<R>], rows: &[Row<R>], model: FrictionModel) -> R {
    let mut residual = R::ZERO;
    let mut count = |miss: R, w: R| {
        residual = if miss.is_finite() && w.is_finite() { max(miss.abs(), residual) } else { R::INFINITY };
    };
    let mut laws = Laws { rest: rows, lead: R::ZERO };
    while let Some(law) = laws.next(&Present(changes)) {
        match law {
            Law::Bounded { gamma, w, lo, hi, .. } => count(gamma - clamp(gamma - w, lo, hi), w),
            Law::Contact { gamma, w, mu, section, .. } => {
                let w = correct(section, mu, w, model);
                miss(section, mu, gamma, w, R::ONE).into_iter().zip(w).for_each(|(miss, w)| count(miss, w));
            }
            Law::Disc { gamma, w, radius, .. } => {
                disc_miss(radius, gamma, w, R::ONE).into_iter().zip(w).for_each(|(miss, w)| count(miss, w));
            }
        }
    }
    residual
}

/// What a block has to obey.
enum Law<R> {
    /// `fixed`: bounds that do not depend on another row
    Bounded {
        a: R,
        gamma: R,
        w: R,
        lo: R,
        hi: R,
        fixed: bool,
    },
    Contact {
        a: R,
        gamma: [R; 3],
        w: [R; 3],
        mu: R,
        section: Section,
    },
    Disc {
        a: R,
        gamma: [R; 2],
        w: [R; 2],
        radius: R,
    },
}

/// Every block in a state.
struct Laws<'a, R> {
    rest: &'a [Row<R>],
    /// impulse of the last row that leads
    lead: R,
}

impl<R: Real> Laws<'_, R> {
    #[inline(always)]
    fn next(&mut self, state: &impl State<R>) -> Option<Law<R>> {
        let (half, third) = (R::from_f64(0.5), R::ONE / R::from_f64(3.0));
        Some(match next_block(&mut self.rest)? {
            Block::Interval { row, lo, hi } => {
                let ([gamma], [w]) = state.of([row])?;
                self.lead = gamma;
                Law::Bounded { a: row.diagonal, gamma, w, lo, hi, fixed: true }
            }
            Block::Friction { row, mu } => {
                let (([gamma], [w]), bound) = (state.of([row])?, mu * self.lead.abs());
                Law::Bounded { a: row.diagonal, gamma, w, lo: -bound, hi: bound, fixed: false }
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let (gamma, w) = state.of_contact([n, t1, t2])?;
                [self.lead, ..] = gamma;
                let a = (n.diagonal + t1.diagonal + t2.diagonal) * third;
                Law::Contact { a, gamma, w, mu, section }
            }
            Block::Disc { r1, r2, mu } => {
                let (gamma, w) = state.of([r1, r2])?;
                let a = (r1.diagonal + r2.diagonal) * half;
                Law::Disc { a, gamma, w, radius: mu * self.lead.abs() }
            }
        })
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

/// How wrong one row with bounds `lo ≤ x ≤ hi` still is, without knowing its solution (Enzenhöfer eq. 4–5). J
///
/// * `a = g + c > 0`: the velocity that the row gains per impulse, compliance included. 1/kg
/// * `x = γ`: its impulse. N·s
/// * `w = E v − e + cγ`: its velocity. m/s
/// * `lo`, `hi`: its bounds, infinite where there is none. `0, ∞` is a contact's normal, `−∞, ∞` a joint, `±μγ_n` friction. N·s
///
/// Zero exactly where the row obeys its law: at rest between the bounds, `w ≥ 0` at `lo`, `w ≤ 0` at `hi`. Elsewhere `a/2 d²`, with d the
/// impulse by which x is out of bounds or, if that is more, by which w would move it: `|w|/a`, at most to the bound that stops it. The unit is one,
/// so errors of rows add up (eq. 6): [`Report::energy`](super::Report::energy) is their sum, contacts and friction pairs measured alike. A row of
/// rad/s has x in N·m·s, a in 1/(kg·m²), and its error in J as well.
///
#[cfg_attr(doc, doc = include_str!("../../docs/energy-error.svg"))]
///
/// ```
/// use tumble::solve::energy_error;
///
/// // a 2 kg part and a stop, which can only push: a = 0.5/kg
/// let stop = |x, w| energy_error(0.5, x, w, 0.0, f64::INFINITY);
/// assert_eq!(stop(3.0, 0.0), 0.0); // pressed on, at rest
/// assert_eq!(stop(0.0, 1.0), 0.0); // parting, let go
/// assert_eq!(stop(0.0, -1.0), 1.0); // running into it: ½ m v²
/// assert_eq!(stop(2.0, 5.0), 1.0); // parting, yet pushed: 2 N·s to take back
/// assert_eq!(stop(-2.0, 0.0), 1.0); // pulled: 2 N·s out of bounds
/// assert_eq!(stop(0.0, f64::NAN), f64::INFINITY);
/// ```
///
/// Never NaN: an a, x or w that is not finite, `a ≤ 0`, bounds that are NaN or have nothing between them are infinitely wrong, and so is what
/// overflows. An error below the least positive number, 1e-45 J in single precision, is zero.
pub fn energy_error<R: Real>(a: R, x: R, w: R, lo: R, hi: R) -> R {
    let error = bounded_error(a, x, w, lo, hi);
    // NaN fails both comparisons; inside `bounded_error` it would lose them, and a w that is no number would pass for zero
    let meant = a > R::ZERO && lo <= hi && x.is_finite() && w.is_finite();
    if meant && error.is_finite() { error } else { R::INFINITY }
}

/// Enzenhöfer eq. 4–5 with σ_u's sign corrected (theory §3).
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
