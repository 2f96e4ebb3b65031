//! How a world steps, and what a step says of itself.

use super::plan::{Plan, Work};
use crate::body::FreeMotion;
use crate::check::{non_negative, positive, share};
use crate::error::Error;
use crate::joint::StepContext;
use crate::math::{Real, Vec3, max};
use crate::solve::{FrictionModel, Report, Settings};

/// Faster than anything here, and far from overflow. m/s
const UNLIMITED: f64 = 1e6;

/// How a world steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StepSettings<R> {
    /// Acceleration of free fall. m/s² Default (0, 0, −9.81).
    pub gravity: Vec3<R>,
    /// K: the share of a violation to be mended in one step, `0 < K ≤ 1`. (1) Default 0.2.
    pub stabilisation: R,
    /// Gaps and violations up to this many times `|g| h²`, what gravity moves a body within a step, count as touching. (1) Default 1: 10 µm
    /// at 1 kHz. With 0 every error is fed back into the impulses from which the next step starts, and a tall stack that is not solved to
    /// the end starts to sway (see [`world`](super)).
    pub slop: R,
    /// A contact's violation is mended no faster than this: what was put into another body comes out gently. m/s Default 0.2.
    pub recovery_speed: R,
    /// Slower impacts do not bounce. m/s Default 0.01.
    pub bounce_threshold: R,
    /// α: how implicit springs, dampers and damping are in forces, `0 < α ≤ 1` (Tournier 2013, eq. 8). (1) Default 1, which damps
    /// what a step cannot resolve; ½ keeps energy best.
    pub alpha: R,
    /// β: how implicit positions are, `0 < β ≤ 1` (Tournier 2013, eq. 11). (1) Default 1. With ½ the step is Moreau's midpoint rule: bodies
    /// drift for half a step, contacts and joints are measured there, and smooth motion is met to second order.
    /// Impulses of rigid joints then answer an error of velocity by its opposite: they do not damp it.
    pub beta: R,
    /// Rayleigh damping a: every body loses this share of its momentum a second. 1/s Default 0.
    pub mass_damping: R,
    /// Rayleigh damping b: every spring and every compliant contact has a damper of this much per stiffness. s Default 0.
    pub stiffness_damping: R,
    /// When contacts act.
    pub landing: Landing,
    /// Corners, 4 to 16, of the pyramid that takes the place of every contact's cone: friction by plane faces, as linear complementarity problems have it and as pivots
    /// solve in few steps. Default none: cones.
    pub pyramid: Option<u8>,
    /// Steps that one call is divided into, at least 1; each collides and solves anew. Default 1.
    pub substeps: u16,
    /// When bodies at rest are left out. Default never.
    pub sleep: Option<Sleep<R>>,
    /// How the rows are solved; cap and tolerance hold for every island by itself. An island in which bounces would gain energy is solved a
    /// second time, with the same cap.
    pub solve: Settings<R>,
    /// How long a step may take by what work costs: fewer sweeps than the cap where there is no time for more. Default none.
    pub plan: Option<Plan>,
}

/// When a contact acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Landing {
    /// As soon as it would close within the step: parts land on surfaces, not in them.
    #[default]
    Ahead,
    /// When it is closed where it is measured (Moreau's rule): parts sink in by up to a step's travel first, and bounce from there. A compliant
    /// contact is met as late: stiff ones then give back more than they took.
    Touching,
}

/// When an island of bodies is put to sleep: all of them slower than this for as long as this.
///
/// Asleep, an island costs its collision and nothing else; its contacts keep their forces. What a motor, a belt or a body that moves as told
/// drives does not fall asleep, however slow it is. An island wakes, all of it in the same step, when a body that is awake or moves as told touches it, when
/// one of its bodies or joints is told anything, when any body, shape or joint is removed, changed or put elsewhere, when gravity
/// changes, or when a step is made without sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Sleep<R> {
    /// Largest speed of a centre of mass. m/s Default 0.005.
    pub speed: R,
    /// Largest spin. rad/s Default 0.2.
    pub spin: R,
    /// s Default 0.5.
    pub time: R,
}

impl<R: Real> Default for Sleep<R> {
    fn default() -> Self {
        Self { speed: R::from_f64(0.005), spin: R::from_f64(0.2), time: R::from_f64(0.5) }
    }
}

impl<R: Real> Default for StepSettings<R> {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(R::ZERO, R::ZERO, R::from_f64(-9.81)),
            stabilisation: R::from_f64(0.2),
            slop: R::ONE,
            recovery_speed: R::from_f64(0.2),
            bounce_threshold: R::from_f64(0.01),
            alpha: R::ONE,
            beta: R::ONE,
            mass_damping: R::ZERO,
            stiffness_damping: R::ZERO,
            landing: Landing::Ahead,
            pyramid: None,
            substeps: 1,
            sleep: None,
            solve: Settings::default(),
            plan: None,
        }
    }
}

impl<R: Real> StepSettings<R> {
    /// Constraint-stabilised time stepping (Hart 2007, slides 37–49), with stabilisation `0 < γ ≤ 1`:
    ///
    /// ```text
    /// n·v + (γ/h) Φ ≥ 0 ⊥ c_n ≥ 0      every event that is active or nearly so, gaps with γ = 1
    /// ν·v + (γ/h) Θ = 0                joints
    /// friction                         relaxed (`ccp`): with w_n − μ|w_t| in place of w_n the step is one convex problem
    /// q' = q + h v
    /// ```
    /// Φ is a contact's gap, in metres along its normal: zero where the ratio metric of the two features is (see [`collide`](crate::collide)), and better, for it is linear in
    /// places. Of a pair the four points count that keep most of the contact's region.
    ///
    /// Active set, one complementarity problem, no going back in time: what violates its bounds is fed back in full, with neither slop nor a limit to
    /// recovery. Then `I(q) = max(Φ⁻, |Θ|) ≤ C |v|² h²`: half the step leaves a quarter of the violation, and what stands still violates nothing.
    /// A contact that slides opens by `μ |w_t| h`, as relaxed ones do; set `solve.friction` to [`FrictionModel::Ncp`] for Coulomb's law, and
    /// [`pyramid`](Self::pyramid) for his pyramids. The theory asks for solved steps: give them sweeps, or memory for pivots
    /// ([`World::step_with`](super::World::step_with)).
    ///
    /// ```
    /// use tumble::world::StepSettings;
    /// let settings = StepSettings { pyramid: Some(8), ..StepSettings::<f32>::hart(0.5) };
    /// assert!(settings.check().is_ok());
    /// ```
    pub fn hart(stabilisation: R) -> Self {
        Self {
            stabilisation,
            slop: R::ZERO,
            recovery_speed: R::from_f64(UNLIMITED),
            solve: Settings { friction: FrictionModel::Ccp, ..Settings::default() },
            ..Self::default()
        }
    }

    /// Are these settings usable?
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`], [`Error::NonPositive`] or [`Error::OutOfRange`] with the name, and what
    /// [`Settings::check`] says.
    pub fn check(&self) -> Result<(), Error> {
        if !self.gravity.is_finite() {
            return Err(Error::NonFinite("gravity"));
        }
        share(self.stabilisation, "stabilisation")?;
        non_negative(self.slop, "slop")?;
        non_negative(self.recovery_speed, "recovery_speed")?;
        non_negative(self.bounce_threshold, "bounce_threshold")?;
        share(self.alpha, "alpha")?;
        share(self.beta, "beta")?;
        non_negative(self.mass_damping, "mass_damping")?;
        non_negative(self.stiffness_damping, "stiffness_damping")?;
        if self.pyramid.is_some_and(|corners| !(4..=16).contains(&corners)) {
            return Err(Error::OutOfRange("pyramid"));
        }
        if self.substeps == 0 {
            return Err(Error::NonPositive("substeps"));
        }
        if let Some(Sleep { speed, spin, time }) = self.sleep {
            non_negative(speed, "sleep speed")?;
            non_negative(spin, "sleep spin")?;
            positive(time, "sleep time")?;
        }
        self.solve.check()
    }

    pub(super) fn context(&self, h: R) -> StepContext<R> {
        StepContext {
            h,
            stabilisation: self.stabilisation,
            alpha: self.alpha,
            beta: self.beta,
            stiffness_damping: self.stiffness_damping,
        }
    }

    pub(super) fn contact_law(&self, h: R) -> ContactLaw<R> {
        let g = self.gravity;
        ContactLaw {
            context: self.context(h),
            slop: self.slop * g.dot(g).sqrt() * h * h,
            recovery_speed: self.recovery_speed,
            bounce_threshold: self.bounce_threshold,
            landing: self.landing,
            pyramid: self.pyramid,
        }
    }

    pub(super) fn free_motion(&self, h: R) -> FreeMotion<R> {
        let damping = h * self.mass_damping;
        FreeMotion {
            h,
            gravity: self.gravity,
            kept: R::ONE - (R::ONE - self.alpha) * damping,
            damped: R::ONE / (R::ONE + self.alpha * damping),
        }
    }
}

/// What of the settings contacts need, for one sub-step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactLaw<R> {
    pub(super) context: StepContext<R>,
    /// m
    pub(super) slop: R,
    /// m/s
    pub(super) recovery_speed: R,
    /// m/s
    pub(super) bounce_threshold: R,
    pub(super) landing: Landing,
    pub(super) pyramid: Option<u8>,
}

/// Verdict of one step; of its sub-steps together.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a step may have been cut off or have dropped contacts"]
pub struct StepReport<R> {
    /// The solver's verdict: the worst status and violation of all islands, the most sweeps that any of them took, the sums of their
    /// energy errors, bounds and gains. Sweeps, energies, bounds and gains of sub-steps add up.
    pub solve: Report<R>,
    /// Points of contact that took part, those of sleeping islands included; the most in any sub-step.
    pub contacts: u32,
    /// Points of contact for which there was no room: the shallowest.
    pub contacts_dropped: u32,
    /// Joints for whose rows there was no room: they held nothing.
    pub joints_dropped: u32,
    /// Groups of bodies that touch or are joined, awake ones; the most in any sub-step.
    pub islands: u32,
    /// Of these, how many were solved by pivots; the most in any sub-step.
    pub islands_exact: u32,
    /// Bodies asleep when the step was over.
    pub bodies_asleep: u32,
    /// Bodies whose pose or velocity overflowed: they stay where they are, with velocity zero. Counted once or twice a sub-step: when
    /// they drift, and when they arrive.
    pub bodies_halted: u32,
    /// Deepest penetration where contacts were measured. m
    pub penetration: R,
    /// Work that contacts and joints did on bodies, summed over sub-steps; infinite where it overflows. J
    ///
    /// Without damping and other forces than gravity the sum over steps is the change of
    /// `Σ ½ m v² + ½ ω·Iω + m g (z − (β − ½) h v_z)`, up to rounding, apart from spins that a step does not resolve, which lose energy.
    ///
    /// The sign of one step says little: a joint on an arc is violated a little and corrected in every step. Look at the sum over a swing.
    /// Where nothing drives and it keeps growing, compare [`Report::gain`]. If that is as large, solves were cut off: more sweeps, or the
    /// direct solver. If it is far smaller, stabilisation pulls on bodies that move too far within a step: shorter steps.
    pub constraint_work: R,
    /// What was done.
    pub work: Work,
}

impl<R: Real> StepReport<R> {
    pub(super) const NOTHING: Self = Self {
        solve: Report::NOTHING,
        contacts: 0,
        contacts_dropped: 0,
        joints_dropped: 0,
        islands: 0,
        islands_exact: 0,
        bodies_asleep: 0,
        bodies_halted: 0,
        penetration: R::ZERO,
        constraint_work: R::ZERO,
        work: Work::NONE,
    };

    /// Of this and the next sub-step together.
    pub(crate) fn followed_by(self, next: Self) -> Self {
        Self {
            solve: self.solve.followed_by(next.solve),
            contacts: self.contacts.max(next.contacts),
            contacts_dropped: self.contacts_dropped.saturating_add(next.contacts_dropped),
            joints_dropped: self.joints_dropped.saturating_add(next.joints_dropped),
            islands: self.islands.max(next.islands),
            islands_exact: self.islands_exact.max(next.islands_exact),
            bodies_asleep: next.bodies_asleep,
            bodies_halted: self.bodies_halted.saturating_add(next.bodies_halted),
            penetration: max(next.penetration, self.penetration),
            constraint_work: self.constraint_work + next.constraint_work,
            work: self.work.followed_by(next.work),
        }
    }
}
