//! Anderson's acceleration of the sweep, memory two.
//!
//! With `S` the sweep, `γ_k` what it starts from, `S_k = S(γ_k)` and `f_k = S_k − γ_k`:
//!
//! ```text
//! θ = argmin ‖f_k − θ_1 (f_k − f_{k−1}) − θ_2 (f_k − f_{k−2})‖²        over leads, weighted by g + c: J
//! γ_{k+1} = S_k − θ_1 (S_k − S_{k−1}) − θ_2 (S_k − S_{k−2})            and z likewise, which is linear in γ
//! ```
//! Norms are those of normal rows and single rows; friction follows them. Mixed impulses may leave their sets, the next sweep brings them
//! back: only what comes out of a sweep is ever an answer. Forgets everything when the residual grows by half.

use super::mixture::Mixture;
use super::sweep::Sums;
use crate::math::Real;

/// The memory is of another regime when `‖f‖²` grows by more than this.
const GUARD: f64 = 1.5;
/// Share of its own diagonal added to each normal equation.
const RELATIVE: f64 = 1e-4;
/// Share of `‖f_k‖²` added too: differences of squares are no better than this in single precision.
const ABSOLUTE: f64 = 1e-6;

/// Sweeps without a smaller residual after which mixing pauses.
const IN_VAIN: u32 = 20;

/// What is known of the sweeps remembered in rows and bodies.
pub(super) struct Anderson<R> {
    /// how many sweeps are remembered, at most two; none before the first sweep is over, which is unlike all others
    remembered: Option<u8>,
    /// `‖f_{k−1}‖²`, `f_{k−1}·f_{k−2}`, `‖f_{k−2}‖²`
    squares: [R; 3],
    /// least `‖f‖²` so far, and the sweeps since
    least: R,
    in_vain: u32,
    /// sweeps still to be made without mixing, and how many there are next time
    pause: u32,
    next_pause: u32,
}

impl<R: Real> Anderson<R> {
    /// Nothing remembered.
    pub(super) const NEW: Self =
        Self { remembered: None, squares: [R::ZERO; 3], least: R::INFINITY, in_vain: 0, pause: 0, next_pause: IN_VAIN };

    /// After a sweep: what the next one starts from.
    pub(super) fn mix(&mut self, sums: &Sums<R>) -> Mixture<R> {
        self.weigh(sums).map_or(Mixture::NONE, |[theta_1, theta_2]| Mixture { theta_1, theta_2 })
    }

    /// `θ`, if there is any reason to mix.
    fn weigh(&mut self, sums: &Sums<R>) -> Option<[R; 2]> {
        let Sums { square, with_past: [with_1, with_2], .. } = *sums;
        if self.rests(square) {
            return None;
        }
        let Some(remembered) = self.remembered else {
            self.remembered = Some(0);
            return None;
        };
        let [square_1, ..] = self.squares;
        // written so that what is no number counts as grown
        let calm = square <= R::from_f64(GUARD) * square_1;
        let remembered = if calm { remembered } else { 0 };
        let normal = Normal::new(square, [with_1, with_2], self.squares);
        self.remembered = Some(if remembered == 0 { 1 } else { 2 });
        self.squares = [square, with_1, square_1];
        match remembered {
            0 => None,
            1 => normal.one(),
            _ => normal.two().or_else(|| normal.one()),
        }
    }
}

impl<R: Real> Anderson<R> {
    /// Where contacts keep changing between sticking and sliding, mixing may go round in circles for ever. Then it pauses, eight times as long each time: in the
    /// long run nearly all sweeps are by themselves.
    fn rests(&mut self, square: R) -> bool {
        if self.pause > 0 {
            self.pause = self.pause.saturating_sub(1);
            (self.least, self.in_vain) = (square, 0);
            return true;
        }
        if square < self.least {
            (self.least, self.in_vain) = (square, 0);
            return false;
        }
        self.in_vain = self.in_vain.saturating_add(1);
        if self.in_vain < IN_VAIN {
            return false;
        }
        (self.remembered, self.pause, self.next_pause) = (None, self.next_pause, self.next_pause.saturating_mul(8));
        true
    }
}

/// Normal equations of the two differences `f_k − f_{k−1}`, `f_k − f_{k−2}`.
struct Normal<R> {
    a11: R,
    a12: R,
    a22: R,
    b1: R,
    b2: R,
}

impl<R: Real> Normal<R> {
    fn new(square: R, with_past: [R; 2], squares: [R; 3]) -> Self {
        // in units of ‖f_k‖²: squares of squares of small impulses would vanish
        let ([with_1, with_2], [square_1, product_12, square_2]) =
            (with_past.map(|x| x / square), squares.map(|x| x / square));
        let (more, floor) = (R::ONE + R::from_f64(RELATIVE), R::from_f64(ABSOLUTE));
        Self {
            a11: (R::ONE - (with_1 + with_1) + square_1) * more + floor,
            a12: R::ONE - with_1 - with_2 + product_12,
            a22: (R::ONE - (with_2 + with_2) + square_2) * more + floor,
            b1: R::ONE - with_1,
            b2: R::ONE - with_2,
        }
    }

    fn one(&self) -> Option<[R; 2]> {
        usable([self.b1 / self.a11, R::ZERO], self.a11)
    }

    fn two(&self) -> Option<[R; 2]> {
        let Self { a11, a12, a22, b1, b2 } = *self;
        let determinant = a11 * a22 - a12 * a12;
        let inverse = R::ONE / determinant;
        usable([(a22 * b1 - a12 * b2) * inverse, (a11 * b2 - a12 * b1) * inverse], determinant)
    }
}

/// Of a positive definite matrix, and finite.
fn usable<R: Real>(theta: [R; 2], determinant: R) -> Option<[R; 2]> {
    (determinant > R::ZERO && theta[0].is_finite() && theta[1].is_finite()).then_some(theta)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After a sweep with residual `f` in one dimension, of which the last two were `past`.
    fn mix(anderson: &mut Anderson<f64>, f: f64, past: [f64; 2]) -> [f64; 2] {
        let sums = Sums { estimate: 0.0, square: f * f, with_past: past.map(|last| f * last) };
        let Mixture { theta_1, theta_2 } = anderson.mix(&sums);
        [theta_1, theta_2]
    }

    /// Residuals of four sweeps, the last of which is `f`: what the next one starts from.
    fn after(f: f64) -> ([f64; 2], Anderson<f64>) {
        let mut anderson = Anderson::NEW;
        assert_eq!(mix(&mut anderson, 1.0, [0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(mix(&mut anderson, 0.9, [1.0, 0.0]), [0.0, 0.0]);
        assert_ne!(mix(&mut anderson, 0.8, [0.9, 1.0]), [0.0, 0.0]);
        (mix(&mut anderson, f, [0.8, 0.9]), anderson)
    }

    #[test]
    fn residual_that_grows_by_half_discards_the_history() {
        // just below 1.5 times the square: the history still counts
        assert_ne!(after(0.8 * 1.22).0, [0.0, 0.0]);
        for f in [0.8 * 1.23, 8.0, f64::INFINITY, f64::NAN] {
            assert_eq!(after(f).0, [0.0, 0.0], "{f}");
        }
        // the next sweep is mixed with the one that grew, and with none before it
        let [theta_1, theta_2] = mix(&mut after(8.0).1, 4.0, [8.0, 0.8]);
        assert!(theta_1 != 0.0 && theta_2 == 0.0, "{theta_1} {theta_2}");
    }
}
