//! From poses and velocities to rows.
//!
//! ```text
//! along u   E = (u, rₐ × u | −u, −rᵦ × u)    d/dt (d·u), u fixed in b; both arms go to pₐ
//! about t   E = (0, t | 0, −t)               ω of a relative to b, along t
//! ```

use super::angle::{Twist, atan2, near, tiny};
use super::coordinate::{Reading, reach, reversed, stop};
use super::{Joint, Kind, Spring, StepContext};
use crate::error::Error;
use crate::math::{Mat3, Pose, Quat, Real, Vec3, Vec6};
use crate::rows::{Admissible, RowInput};

/// What a joint does to body a: at the origin of frame a, along the world's axes. Body b feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reaction<R> {
    /// N
    pub force: Vec3<R>,
    /// About the origin of frame a. N·m
    pub torque: Vec3<R>,
}

/// Both joint frames in the world.
struct Frames<R> {
    /// pₐ from the centre of mass of a. m
    arm_a: Vec3<R>,
    /// pᵦ from the centre of mass of b. m
    arm_b: Vec3<R>,
    /// pₐ from the centre of mass of b. m
    across: Vec3<R>,
    /// pₐ − pᵦ. m
    d: Vec3<R>,
    p_a: Vec3<R>,
    q_a: Quat<R>,
    q_b: Quat<R>,
    /// q, on its near branch
    q: [R; 4],
    /// xᵦ, yᵦ, zᵦ
    axes: Mat3<R>,
}

impl<R: Real> Frames<R> {
    fn new(joint: &Joint<R>, a: &Pose<R>, b: &Pose<R>) -> Self {
        let (at_a, at_b) = (a.then(&joint.frame_a), b.then(&joint.frame_b));
        let (q_a, q_b) = (at_a.orientation, at_b.orientation);
        Self {
            arm_a: a.orientation.turn(joint.frame_a.position),
            arm_b: b.orientation.turn(joint.frame_b.position),
            across: at_a.position - b.position,
            d: at_a.position - at_b.position,
            p_a: at_a.position,
            q_a,
            q_b,
            q: near(q_b.inverse() * q_a),
            axes: q_b.matrix().transposed(),
        }
    }

    /// `d/dt (d·u)`, u fixed in b.
    // both arms to one point: force and counter-force lie on one line, even while d is not zero
    fn along(&self, u: Vec3<R>) -> RowInput<R> {
        RowInput::at_point(u, self.arm_a, self.across)
    }

    /// Unit vector from pᵦ to pₐ, and how far that is.
    fn line(&self) -> (Vec3<R>, R) {
        // no direction: any will do, and it pushes apart
        self.d.unit().unwrap_or_else(|| (self.axes.z, self.d.dot(self.d).sqrt()))
    }

    /// Twist about z of b.
    fn twist(&self) -> Twist<R> {
        Twist::of(self.q_b, self.q_a)
    }

    /// Three rows and errors of the whole rotation: axes of b, `2 sin(θ/2) u`.
    fn rotation(&self) -> [(RowInput<R>, R); 3] {
        let [_, x, y, z] = self.q;
        let axes = &self.axes;
        [(about(axes.x), x + x), (about(axes.y), y + y), (about(axes.z), z + z)]
    }

    /// Two rows and errors of the swing of zₐ from zᵦ: unit vectors perpendicular to zₐ, `2 sin(φ/2)` along them.
    fn swing(&self) -> [(RowInput<R>, R); 2] {
        let [w, x, y, z] = self.q;
        // n = zₐ seen from b; 1 + n_z = 2 cos²(φ/2)
        let cos2 = w * w + z * z;
        let (half_x, half_y) = (x * z + w * y, y * z - w * x);
        let (nx, ny, nz) = (half_x + half_x, half_y + half_y, cos2 + cos2 - R::ONE);
        let (kx, ky, ex, ey) = if cos2 > tiny() {
            // sin φ / cos(φ/2) = 2 sin(φ/2)
            let cos = cos2.sqrt();
            (half_x / cos2, half_y / cos2, -ny / cos, nx / cos)
        } else {
            // opposite axes: any way back is as good
            (R::ZERO, R::ZERO, R::ONE + R::ONE, R::ZERO)
        };
        // derivatives of the stereographic (−n_y, n_x)/(1 + n_z) by ω (ṅ = ω × n), scaled to length one
        let t1 = Vec3::new(nz + ky * ny, -ky * nx, -nx);
        let t2 = Vec3::new(-kx * ny, nz + kx * nx, -ny);
        [(about(self.q_b.turn(t1)), ex), (about(self.q_b.turn(t2)), ey)]
    }

    /// Row and error of xₐ·yᵦ = 0: `2 sin(ε/2)`, ε the angle that misses.
    fn cross(&self) -> (RowInput<R>, R) {
        let x_a = self.q_a.turn(Vec3::new(R::ONE, R::ZERO, R::ZERO));
        let (sin, normal) = (x_a.dot(self.axes.y), x_a.cross(self.axes.y));
        let cos = normal.dot(normal).sqrt();
        let t = if cos * cos > tiny() { normal * (R::ONE / cos) } else { self.axes.z };
        // sin ε / cos(ε/2) = 2 sin(ε/2)
        (about(t), sin / ((R::ONE + cos) * R::from_f64(0.5)).sqrt())
    }
}

/// The velocity of a relative to b about `t`.
fn about<R: Real>(t: Vec3<R>) -> RowInput<R> {
    let zero = Vec3::new(R::ZERO, R::ZERO, R::ZERO);
    RowInput::new(Vec6::new(zero, t), Vec6::new(zero, -t))
}

impl<R: Real> Joint<R> {
    /// Most rows that any joint makes: a screw with everything on both coordinates.
    pub const MAX_ROWS: usize = 13;

    /// Most rows that this joint makes in one step.
    pub const fn max_rows(&self) -> usize {
        let rigid = match self.kind {
            Kind::Ball => 3,
            Kind::Revolute | Kind::Prismatic | Kind::Screw { .. } => 5,
            Kind::Cylindrical | Kind::Universal => 4,
            Kind::Fixed => 6,
            // a spring makes this row soft, it does not add one
            Kind::Distance { .. } | Kind::Rope { .. } => return 1,
            Kind::Gear { .. } | Kind::Rack { .. } => 1,
        };
        rigid + self.cone.is_some() as usize + self.turn.max_rows() + self.slide.max_rows()
    }

    /// Angle of a about z of b, over full turns. rad
    pub fn turn(&self, a: &Pose<R>, b: &Pose<R>) -> R {
        self.turns_a.moved(Frames::new(self, a, b).twist().angle).angle()
    }

    /// Distance of a along z of b; of a rod or a rope the distance less its length. m
    pub fn slide(&self, a: &Pose<R>, b: &Pose<R>) -> R {
        let at = Frames::new(self, a, b);
        match self.kind {
            Kind::Distance { length, .. } | Kind::Rope { length, .. } => at.line().1 - length,
            _ => at.d.dot(at.axes.z),
        }
    }

    /// Full turns and last angle of both counters: all that a joint remembers from step to step.
    pub fn memory(&self) -> [R; 4] {
        let ([n_a, last_a], [n_b, last_b]) = (self.turns_a.state(), self.turns_b.state());
        [n_a, last_a, n_b, last_b]
    }

    /// Count full turns: to be called once a step, after the bodies have moved.
    pub fn track(&mut self, a: &Pose<R>, b: &Pose<R>) {
        (self.turns_a, self.turns_b) = match &self.kind {
            Kind::Revolute | Kind::Cylindrical | Kind::Screw { .. } => {
                (self.turns_a.moved(Frames::new(self, a, b).twist().angle), self.turns_b)
            }
            Kind::Gear { bearing_a, bearing_b, .. } => {
                let at = Frames::new(self, a, b);
                let (twist_a, twist_b) =
                    (Twist::of(bearing_a.orientation, at.q_a), Twist::of(bearing_b.orientation, at.q_b));
                (self.turns_a.moved(twist_a.angle), self.turns_b.moved(twist_b.angle))
            }
            Kind::Rack { bearing_b, .. } => {
                let at = Frames::new(self, a, b);
                (self.turns_a, self.turns_b.moved(Twist::of(bearing_b.orientation, at.q_b).angle))
            }
            _ => return,
        };
    }

    /// Hand every row of this joint to `add`, rigid ones first.
    ///
    /// Poses (of the centres of mass) and velocities are those before the step; for the ground [`Pose::IDENTITY`] and zero.
    ///
    /// # Errors
    /// As [`StepContext::check`], and what `add` returns; then rows already handed over stay.
    pub fn rows(
        &self,
        a: &Pose<R>,
        b: &Pose<R>,
        v_a: Vec6<R>,
        v_b: Vec6<R>,
        step: &StepContext<R>,
        add: &mut impl FnMut(RowInput<R>, Admissible<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        step.check()?;
        // errors are those before the step, rows are measured where β says
        let before = Frames::new(self, a, b);
        let drift = step.drift();
        let drifted = (drift > R::ZERO).then(|| Frames::new(self, &a.moved(v_a, drift), &b.moved(v_b, drift)));
        let at = drifted.as_ref().unwrap_or(&before);
        let rate = |row: &RowInput<R>| row.jacobian_a.dot(v_a) + row.jacobian_b.dot(v_b);
        let rigid = |row: RowInput<R>, error| RowInput { target_velocity: step.rigid(error, rate(&row)), ..row };
        let mut hold = |row: RowInput<R>, error: R| add(rigid(row, error), Admissible::Bilateral);
        let place = [(at.axes.x, before.axes.x), (at.axes.y, before.axes.y), (at.axes.z, before.axes.z)];

        match &self.kind {
            Kind::Ball | Kind::Revolute | Kind::Universal | Kind::Fixed => {
                for (u, u_before) in place {
                    hold(at.along(u), before.d.dot(u_before))?;
                }
            }
            Kind::Prismatic | Kind::Cylindrical | Kind::Screw { .. } => {
                for (u, u_before) in place.into_iter().take(2) {
                    hold(at.along(u), before.d.dot(u_before))?;
                }
            }
            Kind::Distance { length, rate: target } => {
                let row = RowInput::at_point(at.line().0, at.arm_a, at.arm_b);
                let x = before.line().1 - *length;
                // E v − ∂length/∂t is the rate of x
                let stretching = rate(&row) - *target;
                let row = match &self.slide.spring {
                    Some(spring) => spring.soften(row, x, stretching, step),
                    None => RowInput { target_velocity: step.rigid(x, stretching), ..row },
                };
                let row = RowInput { target_velocity: row.target_velocity + *target, ..row };
                return add(row, Admissible::Bilateral);
            }
            Kind::Rope { length, rate: target } => {
                let (u, distance) = at.line();
                let row = reversed(RowInput::at_point(u, at.arm_a, at.arm_b));
                // the rope is let out at `target` while bodies drift
                let (gap, closing) = (*length + drift * *target - distance, rate(&row) + *target);
                // less than half out and slow: slack beyond doubt, and u may be anything
                if gap > distance && gap > reach(closing, step) {
                    return Ok(());
                }
                let row = match &self.slide.spring {
                    None => stop(row, gap, step),
                    Some(spring) => {
                        let slack = *length - before.line().1;
                        let Some(spring) = pulling(spring, slack) else { return Ok(()) };
                        if slack - spring.rest() > R::ZERO && spring.stiffness() > R::ZERO {
                            spring.meet(row, gap - spring.rest(), step)
                        } else {
                            spring.soften(row, slack, closing, step)
                        }
                    }
                };
                let row = RowInput { target_velocity: row.target_velocity - *target, ..row };
                return add(row, Admissible::Unilateral);
            }
            Kind::Gear { ratio, bearing_a, bearing_b } => {
                let twists = |at: &Frames<R>| {
                    (Twist::of(bearing_a.orientation, at.q_a), Twist::of(bearing_b.orientation, at.q_b))
                };
                let ((of_a, of_b), (a_before, b_before)) = (twists(at), twists(&before));
                let angles = (self.turns_a.moved(a_before.angle).angle(), self.turns_b.moved(b_before.angle).angle());
                let zero = Vec3::new(R::ZERO, R::ZERO, R::ZERO);
                let row = RowInput::new(Vec6::new(zero, of_a.rate), Vec6::new(zero, of_b.rate * -*ratio));
                return hold(row, angles.0 - *ratio * angles.1);
            }
            Kind::Rack { radius, guide_a, bearing_b } => {
                let u = guide_a.orientation.turn(Vec3::new(R::ZERO, R::ZERO, R::ONE));
                let slide = u.dot(before.p_a - guide_a.position);
                let twist = |at: &Frames<R>| Twist::of(bearing_b.orientation, at.q_b);
                let angle = self.turns_b.moved(twist(&before).angle).angle();
                let zero = Vec3::new(R::ZERO, R::ZERO, R::ZERO);
                let row = RowInput::new(Vec6::along(u, at.arm_a), Vec6::new(zero, twist(at).rate * -*radius));
                return hold(row, slide - *radius * angle);
            }
        }
        match &self.kind {
            Kind::Fixed | Kind::Prismatic => {
                for ((row, _), (_, error)) in at.rotation().into_iter().zip(before.rotation()) {
                    hold(row, error)?;
                }
            }
            Kind::Revolute | Kind::Cylindrical | Kind::Screw { .. } => {
                for ((row, _), (_, error)) in at.swing().into_iter().zip(before.swing()) {
                    hold(row, error)?;
                }
            }
            Kind::Universal => hold(at.cross().0, before.cross().1)?,
            _ => {}
        }

        let turn = || {
            let (twist, count) = (at.twist(), |twist: Twist<R>| self.turns_a.moved(twist.angle).angle());
            let row = about(twist.rate);
            Reading { x: count(before.twist()), ahead: count(twist), rate: rate(&row), row }
        };
        let slide = || {
            let row = at.along(at.axes.z);
            Reading { x: before.d.dot(before.axes.z), ahead: at.d.dot(at.axes.z), rate: rate(&row), row }
        };
        if let Kind::Screw { pitch } = &self.kind {
            let lead = *pitch * R::from_f64(1.0 / core::f64::consts::TAU);
            let (turn, slide) = (turn(), slide());
            let row = RowInput::new(
                slide.row.jacobian_a - turn.row.jacobian_a * lead,
                slide.row.jacobian_b - turn.row.jacobian_b * lead,
            );
            hold(row, slide.x - lead * turn.x)?;
        }
        if let Some(most) = self.cone {
            self.cone_row(at, most, rate, step, add)?;
        }
        if self.turn.max_rows() > 0 {
            self.turn.rows(&turn(), step, add)?;
        }
        if self.slide.max_rows() > 0 {
            self.slide.rows(&slide(), step, add)?;
        }
        Ok(())
    }

    /// Force and torque of this joint in the step in which its rows had these impulses (N·s), in the order of
    /// [`rows`](Self::rows); poses, velocities and step as they were given there.
    ///
    /// # Errors
    /// As [`StepContext::check`].
    pub fn reaction(
        &self,
        a: &Pose<R>,
        b: &Pose<R>,
        v_a: Vec6<R>,
        v_b: Vec6<R>,
        step: &StepContext<R>,
        impulses: &[R],
    ) -> Result<Reaction<R>, Error> {
        // rows act where they are measured
        let arm = a.moved(v_a, step.drift()).orientation.turn(self.frame_a.position);
        let mut sum = Reaction::default();
        let mut impulses = impulses.iter();
        self.rows(a, b, v_a, v_b, step, &mut |row, _| {
            // law: impulse = ∫ force dt over the step, so force = Eᵀγ/h; moved from the centre of mass to pₐ
            let force = impulses.next().copied().unwrap_or(R::ZERO) / step.h;
            let Vec6 { linear, angular } = row.jacobian_a;
            sum.force = sum.force + linear * force;
            sum.torque = sum.torque + (angular - arm.cross(linear)) * force;
            Ok(())
        })?;
        Ok(sum)
    }

    /// `D = most − φ`, φ the angle between zₐ and zᵦ.
    fn cone_row(
        &self,
        at: &Frames<R>,
        most: R,
        rate: impl Fn(&RowInput<R>) -> R,
        step: &StepContext<R>,
        add: &mut impl FnMut(RowInput<R>, Admissible<R>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [w, x, y, z] = at.q;
        let (sin2, cos2) = (x * x + y * y, w * w + z * z);
        let half = atan2(sin2.sqrt(), cos2.sqrt());
        let bend = half + half;
        // φ̇ = ω·u, u = zᵦ × zₐ over its length
        let lean = Vec3::new(x * z + w * y, y * z - w * x, R::ZERO);
        let u = lean.unit().map_or(at.axes.x, |(n, _)| at.q_b.turn(Vec3::new(-n.y, n.x, R::ZERO)));
        let row = reversed(about(u));
        let gap = most - bend;
        // less than half way and slow: u may be anything
        if gap > bend && gap > reach(rate(&row), step) {
            return Ok(());
        }
        add(stop(row, gap, step), Admissible::Unilateral)
    }
}

/// The spring of a rope at this gap (negative: how far it is drawn out), as a law in the gap.
///
/// Slack, it must not brake what approaches its end: without its damper it waits for the end of the step. A damper alone has nothing to
/// wait for.
fn pulling<R: Real>(spring: &Spring<R>, gap: R) -> Option<Spring<R>> {
    let damping = if gap + spring.rest() > R::ZERO { R::ZERO } else { spring.damping() };
    Spring::new(spring.stiffness(), damping, -spring.rest()).ok()
}
