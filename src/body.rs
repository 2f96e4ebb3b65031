//! Rigid bodies: where they are, how they move, what moves them.
//!
//! ```text
//! dynamic     moved by forces, contacts and joints
//! kinematic   moves as told, nothing moves it: a track, a pusher
//! fixed       does not move
//!
//! without constraints, over one step h (theory §1: v_free = M⁻¹ f):
//! v' = v + h (g + F/m)                                     m/s
//! ω' = ω_gyro + h I⁻¹ τ                                    rad/s
//! I (ω_gyro − ω) = −h ω_m × I ω_m,  ω_m = (ω + ω_gyro)/2   in the body's frame
//! ```
//!
//! The last line is the implicit midpoint rule: multiplied by ω_m it says that kinetic energy stays, however fast the body spins. The explicit
//! rule gains energy in every step. Turning the body about ω' afterwards leaves ω' in place in the body's frame, so the energy stays then too.
//!
//! A body's frame lies at its centre of mass along its principal axes. World frame, SI.

use crate::error::Error;
use crate::math::{Mat3, Pose, Real, Vec3, Vec6};
use crate::record::{Persist, Reader, Sink};
use crate::rows::MassRoot;
use crate::shape::MassProperties;
use crate::slots::Key;

/// A body of a world. Goes stale when the body is removed; a stale id is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) Key);

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Motion<R> {
    /// Forces, contacts and joints.
    Dynamic(MassProperties<R>),
    /// Its velocity, as set; nothing else.
    Kinematic,
    /// Nothing.
    Fixed,
}

/// A body of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Body<R> {
    pose: Pose<R>,
    velocity: Vec6<R>,
    motion: Motion<R>,
    /// 1/kg and 1/(kg·m²) along the body's axes; zero for what nothing moves
    inverse_mass: R,
    inverse_inertia: Vec3<R>,
    /// N and N·m in the world's frame, for the next step
    force: Vec6<R>,
    /// how long it has been slow enough to sleep; of what is not dynamic: how long it has moved as it does. s
    rest: R,
    asleep: bool,
    /// put elsewhere since the last step, or put in another's place: whoever leaned on it may fall
    jumped: bool,
}

/// What a step does to bodies that nothing constrains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeMotion<R> {
    /// s
    pub(crate) h: R,
    /// m/s²
    pub(crate) gravity: Vec3<R>,
    /// what is left of the old velocity before forces act, and what damping divides by: `1 − h(1 − α)a` and `1/(1 + hαa)`
    pub(crate) kept: R,
    pub(crate) damped: R,
}

/// A moment of inertia above this is one about which nothing turns. kg·m²
const UNTURNED: f64 = 1e37;

impl<R: Real> Body<R> {
    /// A body at rest.
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("pose")`; [`Error::OutOfRange`]`("orientation")` for one whose length is off by 1 %, as very many products make it:
    /// [`Quat::new`](crate::math::Quat::new) scales it; what
    /// [`MassProperties::check`] says.
    pub fn new(motion: Motion<R>, pose: Pose<R>) -> Result<Self, Error> {
        pose.check("pose")?;
        let (inverse_mass, inverse_inertia) = match motion {
            Motion::Dynamic(properties) => {
                properties.check()?;
                let Vec3 { x, y, z } = properties.inertia;
                // exactly none, so that its contacts are those of what only moves
                let inverse = |moment: R| if moment > R::from_f64(UNTURNED) { R::ZERO } else { R::ONE / moment };
                (R::ONE / properties.mass, Vec3::new(inverse(x), inverse(y), inverse(z)))
            }
            Motion::Kinematic | Motion::Fixed => (R::ZERO, Vec3::default()),
        };
        Ok(Self {
            pose,
            velocity: Vec6::ZERO,
            motion,
            inverse_mass,
            inverse_inertia,
            force: Vec6::ZERO,
            rest: R::ZERO,
            asleep: false,
            jumped: true,
        })
    }

    /// Position (m) and orientation.
    pub const fn pose(&self) -> &Pose<R> {
        &self.pose
    }

    /// Velocity of the centre of mass (m/s) and angular velocity (rad/s), world frame.
    pub const fn velocity(&self) -> Vec6<R> {
        self.velocity
    }

    /// What moves it.
    pub const fn motion(&self) -> &Motion<R> {
        &self.motion
    }

    /// Do forces, contacts and joints move it?
    pub const fn is_dynamic(&self) -> bool {
        matches!(self.motion, Motion::Dynamic(_))
    }

    /// Has it been put to sleep? A force, a velocity or a touch wakes it.
    pub const fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Velocity of a point given in the world's frame. m/s
    pub fn point_velocity(&self, point: Vec3<R>) -> Vec3<R> {
        self.velocity.linear + self.velocity.angular.cross(point - self.pose.position)
    }

    /// `½ m v² + ½ ω·I ω`; zero for what nothing moves. J
    pub fn kinetic_energy(&self) -> R {
        let Motion::Dynamic(MassProperties { mass, inertia }) = self.motion else { return R::ZERO };
        let half = R::from_f64(0.5);
        let v = self.velocity.linear;
        half * mass * v.dot(v) + spin_energy(inertia, self.pose.orientation.inverse().turn(self.velocity.angular))
    }

    /// Angular momentum about the centre of mass, world frame; zero for what nothing moves. kg·m²/s
    pub fn angular_momentum(&self) -> Vec3<R> {
        let Motion::Dynamic(MassProperties { inertia, .. }) = self.motion else { return Vec3::default() };
        let orientation = self.pose.orientation;
        orientation.turn(times(inertia, orientation.inverse().turn(self.velocity.angular)))
    }

    /// Work of the impulses `p = G⁻ᵀ z` at the mean velocity v̄: `p·v̄ = z·G⁻¹ v̄`, and `G⁻¹ = Gᵀ M`. J
    pub(crate) fn impulse_work(&self, root: &BodyRoot<R>, z: Vec6<R>, mean: Vec6<R>) -> R {
        let Motion::Dynamic(MassProperties { mass, inertia }) = self.motion else { return R::ZERO };
        let linear = z.linear.dot(mean.linear) * (mass * root.linear);
        if !root.turns() {
            return linear;
        }
        // M is diagonal in the body's frame, where Gᵀ v̄ is
        linear + times(inertia, root.scaled(mean).angular).dot(z.angular)
    }

    /// Set the velocity: of a dynamic body at this moment, of a kinematic one until it is set again. m/s, rad/s
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("velocity")`; [`Error::OutOfRange`]`("velocity")` for a fixed body.
    pub fn set_velocity(&mut self, velocity: Vec6<R>) -> Result<(), Error> {
        if !velocity.is_finite() {
            return Err(Error::NonFinite("velocity"));
        }
        if self.motion == Motion::Fixed {
            return Err(Error::OutOfRange("velocity"));
        }
        if self.is_dynamic() || self.velocity != velocity {
            self.wake();
        }
        self.velocity = velocity;
        Ok(())
    }

    /// Put the body elsewhere.
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("pose")`; [`Error::OutOfRange`]`("orientation")` for one whose length is off by 1 %, as very many products make it:
    /// [`Quat::new`](crate::math::Quat::new) scales it.
    pub fn set_pose(&mut self, pose: Pose<R>) -> Result<(), Error> {
        pose.check("pose")?;
        self.pose = pose;
        self.jumped = true;
        self.wake();
        Ok(())
    }

    /// Add a force (N) and torque (N·m) about the centre of mass for the next step, world frame.
    ///
    /// # Errors
    /// [`Error::NonFinite`]`("force")`
    pub fn add_force(&mut self, force: Vec6<R>) -> Result<(), Error> {
        let sum = self.force + force;
        if !sum.is_finite() {
            return Err(Error::NonFinite("force"));
        }
        self.force = sum;
        if force != Vec6::ZERO {
            self.wake();
        }
        Ok(())
    }

    /// Turn the spin as a free body's turns within `h` seconds, seen from the body; it stays where it is. Where the spin overflows, the
    /// body stops; returns whether it did not.
    pub(crate) fn precess(&mut self, h: R) -> bool {
        if let Motion::Dynamic(MassProperties { inertia, .. }) = self.motion
            && !self.asleep
            && self.velocity.angular != Vec3::default()
        {
            let orientation = self.pose.orientation;
            let spin = precess(inertia, orientation.inverse().turn(self.velocity.angular), h);
            self.velocity.angular = orientation.turn(spin);
            if !self.velocity.angular.is_finite() {
                self.velocity = Vec6::ZERO;
                return false;
            }
        }
        true
    }

    /// The velocity after the step if nothing constrained it; it has precessed already. m/s, rad/s
    pub(crate) fn free_velocity(&self, step: &FreeMotion<R>) -> Vec6<R> {
        if !self.is_dynamic() {
            return self.velocity;
        }
        let (v, orientation, h) = (self.velocity, self.pose.orientation, step.h);
        // most often there is none
        let spin = if self.force.angular == Vec3::default() {
            Vec3::default()
        } else {
            let torque = orientation.inverse().turn(self.force.angular);
            orientation.turn(times(self.inverse_inertia, torque))
        };
        // Rayleigh damping D = a M: (1 + hαa) v' = (1 − h(1 − α)a) v + h M⁻¹ f   (Tournier 2013, eq. 8)
        let v = Vec6::new(
            v.linear * step.kept + (step.gravity + self.force.linear * self.inverse_mass) * h,
            v.angular * step.kept + spin * h,
        );
        v * step.damped
    }

    /// `G` with `G Gᵀ = (M + hαD)⁻¹`: diagonal in the body's frame; zero for what nothing moves.
    pub(crate) fn mass_root(&self, step: &FreeMotion<R>) -> BodyRoot<R> {
        if !self.is_dynamic() {
            return BodyRoot::zero();
        }
        let Vec3 { x, y, z } = self.inverse_inertia * step.damped;
        let angular = if x == y && y == z {
            // what is round looks the same from all sides
            AngularRoot::Round(x.sqrt())
        } else {
            let diagonal = Vec3::new(x.sqrt(), y.sqrt(), z.sqrt());
            let Mat3 { x, y, z } = self.pose.orientation.matrix();
            AngularRoot::Turned(Mat3 { x: times(diagonal, x), y: times(diagonal, y), z: times(diagonal, z) })
        };
        BodyRoot { linear: (self.inverse_mass * step.damped).sqrt(), angular }
    }

    /// Has it the `G` of another body, whichever way they are turned?
    pub(crate) fn is_round_as(&self, other: &Self) -> bool {
        let Vec3 { x, y, z } = self.inverse_inertia;
        let alike = self.inverse_mass == other.inverse_mass && self.inverse_inertia == other.inverse_inertia;
        alike && x == y && y == z && self.is_dynamic() && other.is_dynamic()
    }

    /// Move on at `velocity` for `h` seconds. Where the numbers end, it stays and stands; returns whether it moved.
    pub(crate) fn integrate(&mut self, velocity: Vec6<R>, h: R) -> bool {
        if self.motion == Motion::Fixed || self.asleep {
            return true;
        }
        let pose = self.pose.moved(velocity, h);
        if velocity.is_finite() && pose.is_finite() {
            (self.velocity, self.pose) = (velocity, pose);
            return true;
        }
        self.velocity = Vec6::ZERO;
        false
    }

    /// Forces have had their turn.
    pub(crate) fn clear_force(&mut self) {
        self.force = Vec6::ZERO;
        self.jumped = false;
    }

    /// Does it disturb what it touches: moved as told, put elsewhere or told something new since the last step?
    pub(crate) fn is_restless(&self) -> bool {
        self.jumped || self.rest == R::ZERO || (!self.is_dynamic() && self.velocity != Vec6::ZERO)
    }

    /// Has it been put elsewhere since the last step?
    pub(crate) const fn has_jumped(&self) -> bool {
        self.jumped
    }

    /// As it is when it has just come into a world: awake; nobody leans on it yet.
    pub(crate) fn arrived(mut self) -> Self {
        self.wake();
        self.jumped = false;
        self
    }

    pub(crate) fn wake(&mut self) {
        (self.asleep, self.rest) = (false, R::ZERO);
    }

    /// Asleep it keeps its place, and stands.
    pub(crate) fn fall_asleep(&mut self) {
        (self.asleep, self.velocity) = (true, Vec6::ZERO);
    }

    /// Count another `h` seconds of rest, or begin anew; returns how long it has been. s
    // Cannot overflow: h is limited, and a sum 2^24 times as large no longer grows.
    pub(crate) fn count_rest(&mut self, slow: bool, h: R) -> R {
        self.rest = if slow { self.rest + h } else { R::ZERO };
        self.rest
    }

    /// How long it has been at rest. s
    pub(crate) const fn rest(&self) -> R {
        self.rest
    }
}

/// An id stays valid in a world that is restored from a snapshot of the one it was made in.
impl Persist for BodyId {
    fn save(&self, out: &mut dyn Sink) {
        self.0.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.load().map(Self)
    }
}

impl<R: Real> Persist for Motion<R> {
    fn save(&self, out: &mut dyn Sink) {
        match self {
            Self::Dynamic(MassProperties { mass, inertia }) => {
                0_u8.save(out);
                mass.save(out);
                inertia.save(out);
            }
            Self::Kinematic => 1_u8.save(out),
            Self::Fixed => 2_u8.save(out),
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(match input.tag(3, "motion")? {
            0 => Self::Dynamic(MassProperties { mass: input.load()?, inertia: input.load()? }),
            1 => Self::Kinematic,
            _ => Self::Fixed,
        })
    }
}

/// As it is within a world: forces for the next step, time at rest and sleep included.
impl<R: Real> Persist for Body<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.motion.save(out);
        self.pose.save(out);
        self.velocity.save(out);
        self.force.save(out);
        self.rest.save(out);
        self.asleep.save(out);
        self.jumped.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let (motion, pose) = (input.load()?, input.load()?);
        // inverse masses are made anew, by the same divisions
        let body = Self {
            velocity: input.load()?,
            force: input.load()?,
            rest: input.load()?,
            asleep: input.load()?,
            jumped: input.load()?,
            ..Self::new(motion, pose)?
        };
        let still = body.velocity == Vec6::ZERO;
        if body.motion == Motion::Fixed && !still {
            return Err(Error::OutOfRange("velocity"));
        }
        if body.asleep && !(still && body.is_dynamic()) {
            return Err(Error::OutOfRange("asleep"));
        }
        if body.rest < R::ZERO { Err(Error::Negative("rest")) } else { Ok(body) }
    }
}

/// `G` of a body about its centre of mass: `v = G z` in the world's frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyRoot<R> {
    /// 1/√kg
    linear: R,
    /// 1/(√kg·m)
    angular: AngularRoot<R>,
}

#[derive(Clone, Copy, Debug)]
enum AngularRoot<R> {
    /// The same about every axis.
    Round(R),
    Turned(Mat3<R>),
}

impl<R: Real> BodyRoot<R> {
    /// Of what nothing moves.
    pub(crate) fn zero() -> Self {
        Self { linear: R::ZERO, angular: AngularRoot::Round(R::ZERO) }
    }

    /// `1/√m`
    pub(crate) const fn linear(&self) -> R {
        self.linear
    }

    /// Can it be turned?
    pub(crate) fn turns(&self) -> bool {
        !matches!(self.angular, AngularRoot::Round(root) if root == R::ZERO)
    }
}

impl<R: Real> MassRoot<R> for BodyRoot<R> {
    #[inline(always)]
    fn scaled(&self, half: Vec6<R>) -> Vec6<R> {
        let a = half.angular;
        let angular = match &self.angular {
            AngularRoot::Round(root) => a * *root,
            AngularRoot::Turned(Mat3 { x, y, z }) => *x * a.x + *y * a.y + *z * a.z,
        };
        Vec6::new(half.linear * self.linear, angular)
    }

    #[inline(always)]
    fn unscaled(&self, z: Vec6<R>) -> Vec6<R> {
        let angular = match &self.angular {
            AngularRoot::Round(root) => z.angular * *root,
            AngularRoot::Turned(matrix) => *matrix * z.angular,
        };
        Vec6::new(z.linear * self.linear, angular)
    }
}

/// One step of a free body's spin in its own frame, by the implicit midpoint rule; never gains energy.
fn precess<R: Real>(inertia: Vec3<R>, before: Vec3<R>, h: R) -> Vec3<R> {
    // a ball does not precess
    if inertia.x == inertia.y && inertia.y == inertia.z {
        return before;
    }
    let half = R::from_f64(0.5);
    let mut after = before;
    // Newton on f(ω') = I (ω' − ω) + h ω_m × I ω_m; quadratic, and the start is off by O(h): two steps leave O(h⁴)
    for _ in 0..2 {
        let middle = (before + after) * half;
        let momentum = times(inertia, middle);
        let f = times(inertia, after - before) + middle.cross(momentum) * h;
        // f' = I + h/2 ([ω_m]× I − [I ω_m]×)
        let (w, l, k) = (middle, momentum, h * half);
        let jacobian = Mat3 {
            x: Vec3::new(inertia.x, k * (l.z - w.z * inertia.y), k * (w.y * inertia.z - l.y)),
            y: Vec3::new(k * (w.z * inertia.x - l.z), inertia.y, k * (l.x - w.x * inertia.z)),
            z: Vec3::new(k * (l.y - w.y * inertia.x), k * (w.x * inertia.y - l.x), inertia.z),
        };
        after = after - solve(&jacobian, f);
    }
    let (energy, energy_before) = (spin_energy(inertia, after), spin_energy(inertia, before));
    // a spin too fast for two Newton steps, or for numbers at all: keep the energy, or the spin
    if !energy.is_finite() || energy <= R::ZERO {
        return before;
    }
    if energy > energy_before { after * (energy_before / energy).sqrt() } else { after }
}

/// `A⁻¹ b` by Cramer's rule.
fn solve<R: Real>(a: &Mat3<R>, b: Vec3<R>) -> Vec3<R> {
    let (yz, zx, xy) = (a.y.cross(a.z), a.z.cross(a.x), a.x.cross(a.y));
    let inverse_determinant = R::ONE / a.x.dot(yz);
    (yz * b.x + zx * b.y + xy * b.z) * inverse_determinant
}

/// `½ ω·I ω`
fn spin_energy<R: Real>(inertia: Vec3<R>, spin: Vec3<R>) -> R {
    R::from_f64(0.5) * spin.dot(times(inertia, spin))
}

/// `diag(d) v`
#[inline(always)]
fn times<R: Real>(d: Vec3<R>, v: Vec3<R>) -> Vec3<R> {
    Vec3::new(d.x * v.x, d.y * v.y, d.z * v.z)
}
