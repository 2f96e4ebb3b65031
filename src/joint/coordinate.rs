//! What drives a free coordinate: limits, motors, springs, each a row along the coordinate's rate.
//!
//! ```text
//! limit   x ≥ lo, x ≤ hi                E v ≥ −(K/h) D, D = x − lo or hi − x; a gap D > 0 uses K = 1
//! motor   ẋ = rate, |force| ≤ limit     E v = rate + (K/h)(target − x), |γ| ≤ limit · h
//! spring  f = −k (x − rest) − d ẋ       E v = e − c γ, Tournier's scheme with damping, below
//! ```
//! x in m or rad, force in N or N·m, stiffness in N/m or N·m/rad, damping in N·s/m or N·m·s/rad.

use super::StepContext;
use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::{Real, clamp};
use crate::rows::{Admissible, RowInput};

/// A coordinate that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Coordinate {
    /// The angle about z, counted over full turns: revolute, cylindrical, screw. rad
    Turn,
    /// The distance along z: prismatic, cylindrical, screw; of a rod or a rope the distance less its length. m
    Slide,
}

/// Where a coordinate has to stay.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Limit<R> {
    lo: R,
    hi: R,
}

impl<R: Real> Limit<R> {
    /// `lo ≤ x ≤ hi`; either may be infinite. Equal bounds lock the coordinate. m or rad
    ///
    /// # Errors
    /// [`Error::NonFinite`] naming `lo` or `hi` where it is not a number; [`Error::EmptyInterval`].
    pub fn new(lo: R, hi: R) -> Result<Self, Error> {
        for (bound, name) in [(lo, "lo"), (hi, "hi")] {
            if !bound.is_finite() && bound.abs() != R::INFINITY {
                return Err(Error::NonFinite(name));
            }
        }
        if lo > hi || lo == R::INFINITY || hi == -R::INFINITY {
            return Err(Error::EmptyInterval);
        }
        Ok(Self { lo, hi })
    }

    /// Both bounds. m or rad
    pub fn bounds(&self) -> [R; 2] {
        [self.lo, self.hi]
    }
}

/// What a motor is after.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Target<R> {
    /// This rate; zero with a force limit is dry friction. m/s or rad/s
    Velocity(R),
    /// This place.
    Position {
        /// Where to be at the beginning of the step. m or rad
        position: R,
        /// ∂position/∂t, for a target that moves: (next − this)/h follows it without lag. m/s or rad/s
        rate: R,
        /// Largest speed at which an error is made good, ≥ 0, may be infinite. m/s or rad/s
        speed: R,
    },
}

/// A drive with a force limit.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Motor<R> {
    target: Target<R>,
    limit: R,
}

impl<R: Real> Motor<R> {
    /// Keeps a rate (m/s or rad/s) with up to `limit` (N or N·m, ≥ 0, may be infinite).
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("velocity")`; [`Error::NonFinite`] or [`Error::Negative`]`("limit")`.
    pub fn velocity(velocity: R, limit: R) -> Result<Self, Error> {
        Self::new(Target::Velocity(velocity), limit)
    }

    /// Goes to a place (m or rad) and holds it, with up to `limit` (N or N·m, ≥ 0, may be infinite).
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("position")`; [`Error::NonFinite`] or [`Error::Negative`]`("limit")`.
    pub fn position(position: R, limit: R) -> Result<Self, Error> {
        Self::new(Target::Position { position, rate: R::ZERO, speed: R::INFINITY }, limit)
    }

    /// A motor with this target. With an infinite `limit` it is a rheonomic constraint.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Negative`] naming `velocity`, `position`, `rate`, `speed` or `limit`.
    pub fn new(target: Target<R>, limit: R) -> Result<Self, Error> {
        match target {
            Target::Velocity(velocity) => finite(velocity, "velocity")?,
            Target::Position { position, rate, speed } => {
                finite(position, "position")?;
                finite(rate, "rate")?;
                or_infinite(speed, "speed")?;
            }
        }
        or_infinite(limit, "limit")?;
        Ok(Self { target, limit })
    }

    /// What it is after.
    pub fn target(&self) -> Target<R> {
        self.target
    }

    /// Largest force. N or N·m
    pub fn limit(&self) -> R {
        self.limit
    }

    /// `e`, the rate to ask for at `x`.
    fn rate(&self, x: R, step: &StepContext<R>) -> R {
        match self.target {
            Target::Velocity(velocity) => velocity,
            // C = x − target(t)  →  Ċ = −(K/h) C  →  ẋ = ∂target/∂t + (K/h)(target − x)
            Target::Position { position, rate, speed } => {
                rate + clamp(step.stabilisation / step.h * (position - x), -speed, speed)
            }
        }
    }
}

/// A spring with a damper beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Spring<R> {
    stiffness: R,
    damping: R,
    rest: R,
}

impl<R: Real> Spring<R> {
    /// `f = −stiffness (x − rest) − damping ẋ`, not both zero.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::Negative`] naming `stiffness`, `damping` or `rest`; [`Error::NonPositive`]`("stiffness")` where
    /// there is neither stiffness nor damping.
    pub fn new(stiffness: R, damping: R, rest: R) -> Result<Self, Error> {
        non_negative(stiffness, "stiffness")?;
        non_negative(damping, "damping")?;
        finite(rest, "rest")?;
        if stiffness + damping <= R::ZERO {
            return Err(Error::NonPositive("stiffness"));
        }
        Ok(Self { stiffness, damping, rest })
    }

    /// N/m or N·m/rad
    pub fn stiffness(&self) -> R {
        self.stiffness
    }

    /// N·s/m or N·m·s/rad
    pub fn damping(&self) -> R {
        self.damping
    }

    /// Where it pulls to. m or rad
    pub fn rest(&self) -> R {
        self.rest
    }

    /// `e` and `c` of a row whose coordinate is `x` and whose rate before the step is `rate`.
    pub(crate) fn soften(&self, row: RowInput<R>, x: R, rate: R, step: &StepContext<R>) -> RowInput<R> {
        let StepContext { h, alpha, beta, .. } = *step;
        let (k, g) = (self.stiffness, x - self.rest);
        let d = self.damping + step.stiffness_damping * k;
        // law        f = −k g − d ẋ
        // forces     γ = h ((1 − α) f + α f'),  positions g' = g + h ((1 − β) ẋ + β ẋ')     (Tournier eq. 8, 11)
        // so         γ = −G ẋ' − h k g − h ((1 − α) d + h α (1 − β) k) ẋ,   G = h α (h β k + d)
        // as a row   ẋ' = e − c γ with c = 1/G and e = −(h/G) (k g + ((1 − α) d + h α (1 − β) k) ẋ)
        // d = 0      c = (1/k)/(h²αβ), e = −(g/(hαβ) + ((1 − β)/β) ẋ): Tournier's eq. 38
        let c = R::ONE / (h * alpha * (h * beta * k + d));
        let lag = (R::ONE - alpha) * d + h * alpha * (R::ONE - beta) * k;
        RowInput { target_velocity: -(c * h * (k * g + lag * rate)), compliance: c, ..row }
    }

    /// `e` and `c` of a one-sided spring that was not touched before the step, `gap` away where rows are measured.
    pub(crate) fn meet(&self, row: RowInput<R>, gap: R, step: &StepContext<R>) -> RowInput<R> {
        let StepContext { h, alpha, beta, .. } = *step;
        // law        f = −k g where g < 0, else nothing: the old force is none, whatever α     (soften would pull, and gain energy)
        // so         γ = −h α k (g_ahead + h β ẋ')
        // as a row   ẋ' = e − c γ with c = 1/(h²αβk) and e = −g_ahead/(hβ)
        let c = R::ONE / (h * alpha * h * beta * self.stiffness);
        RowInput { target_velocity: -gap / (h * beta), compliance: c, ..row }
    }
}

/// All that drives one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(super) struct Freedom<R> {
    pub(super) spring: Option<Spring<R>>,
    pub(super) motor: Option<Motor<R>>,
    pub(super) limit: Option<Limit<R>>,
}

/// Where a coordinate is, how fast it changes, and the row that measures this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<R> {
    /// before the step. m or rad
    pub(super) x: R,
    /// where rows are measured. m or rad
    pub(super) ahead: R,
    /// before the step. m/s or rad/s
    pub(super) rate: R,
    /// rigid, target zero
    pub(super) row: RowInput<R>,
}

impl<R: Real> Freedom<R> {
    /// Nothing drives it.
    pub(super) const FREE: Self = Self { spring: None, motor: None, limit: None };

    /// Has it a motor that wants to move?
    pub(super) fn is_driven(&self) -> bool {
        self.motor.is_some_and(|motor| match motor.target {
            Target::Velocity(rate) | Target::Position { rate, .. } => rate != R::ZERO,
        })
    }

    /// Most rows it can make.
    pub(super) const fn max_rows(&self) -> usize {
        self.spring.is_some() as usize + self.motor.is_some() as usize + 2 * self.limit.is_some() as usize
    }

    /// Spring, motor, then limits: those that come and go are last, so that warm starts find the others where they were.
    pub(super) fn rows(
        &self,
        at: &Reading<R>,
        step: &StepContext<R>,
        add: &mut impl FnMut(RowInput<R>, Admissible<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(spring) = &self.spring {
            add(spring.soften(at.row, at.x, at.rate, step), Admissible::Bilateral)?;
        }
        if let Some(motor) = &self.motor {
            let most = motor.limit * step.h;
            let row = RowInput { target_velocity: motor.rate(at.x, step), ..at.row };
            add(row, Admissible::Bounded { lo: -most, hi: most })?;
        }
        if let Some(Limit { lo, hi }) = self.limit {
            if lo >= hi {
                let row = RowInput { target_velocity: step.rigid(at.x - lo, at.rate), ..at.row };
                return add(row, Admissible::Bilateral);
            }
            let (below, above) = (at.ahead - lo, hi - at.ahead);
            // the nearer stop always; the other only where two steps at the present rate would reach it
            let reach = reach(at.rate, step);
            if below.is_finite() && (below <= above || below <= reach) {
                add(stop(at.row, below, step), Admissible::Unilateral)?;
            }
            if above.is_finite() && (above < below || above <= reach) {
                add(stop(reversed(at.row), above, step), Admissible::Unilateral)?;
            }
        }
        Ok(())
    }
}

/// How far two steps at this rate go.
pub(super) fn reach<R: Real>(rate: R, step: &StepContext<R>) -> R {
    let h = step.h;
    (h + h) * rate.abs()
}

/// A row whose gap is `gap` where rows are measured, violated where that is negative.
pub(super) fn stop<R: Real>(row: RowInput<R>, gap: R, step: &StepContext<R>) -> RowInput<R> {
    // D' = D + hβ E v ≥ (1 − K) D; a gap may close within the step, or an approaching body would be braked early
    let k = if gap > R::ZERO { R::ONE } else { step.stabilisation };
    RowInput { target_velocity: -(k * gap) / (step.h * step.beta), ..row }
}

/// The same row, counted the other way.
pub(super) fn reversed<R: Real>(row: RowInput<R>) -> RowInput<R> {
    RowInput { jacobian_a: -row.jacobian_a, jacobian_b: -row.jacobian_b, ..row }
}

/// Not negative and a number; infinity is one.
fn or_infinite<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    if x == R::INFINITY { Ok(()) } else { non_negative(x, name) }
}
