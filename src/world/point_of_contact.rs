//! What touches what, where, and how hard: the contacts of the last step, to look at.
//!
//! ```text
//! force    F = (n γ_n + t_1 γ_1 + t_2 γ_2)/h           on a; on b the opposite     N
//! torque   τ = (t_1 γ_r1 + t_2 γ_r2 + n γ_s)/h         rolling, spinning           N·m
//! ```

use super::contact::Contact;
use super::{ColliderId, World};
use crate::body::BodyId;
use crate::collide::ContactPoint;
use crate::error::Error;
use crate::math::{Real, Vec3};

/// A point where two bodies touched in the last step, or were so near that they might have within it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointOfContact<R> {
    /// One body.
    pub body_a: BodyId,
    /// The other.
    pub body_b: BodyId,
    /// The shape of the one that touches.
    pub collider_a: ColliderId,
    /// The shape of the other.
    pub collider_b: ColliderId,
    /// Midway between the two surfaces, world frame, where the step measured it: before the bodies moved on. m
    pub position: Vec3<R>,
    /// Unit vector from b to a, world frame.
    pub normal: Vec3<R>,
    /// Distance of the surfaces there along the normal, negative when they penetrate. m
    pub gap: R,
    /// Force of b on a, friction and all, world frame; of a on b the opposite. Its part along the normal is never negative. N
    pub force: Vec3<R>,
    /// Torque of b on a against rolling and spinning, beside what the force does by its lever arm, world frame. N·m
    pub torque: Vec3<R>,
}

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Every point of contact that took part in the last step (its last sub-step), in the order in which they were found: as many as
    /// [`StepReport::contacts`](super::StepReport::contacts) says, less those of bodies and shapes removed since. Those that found no room are not among them.
    ///
    /// ```
    /// use tumble::body::{Body, Motion};
    /// use tumble::math::{Pose, Vec3};
    /// use tumble::shape::Shape;
    /// use tumble::world::{Collider, StepSettings, World};
    ///
    /// // a block of 80 g lies on the floor
    /// let mut world = World::<f64, 2, 4, 12>::new();
    /// let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
    /// world.add_collider(floor, Collider::new(Shape::HalfSpace))?;
    /// let shape = Shape::Box { half: Vec3::new(0.02, 0.02, 0.005) };
    /// let block = Body::new(Motion::Dynamic(shape.mass_properties(5000.0)?), Pose::at(Vec3::new(0.0, 0.0, 0.005)))?;
    /// let block = world.add_body(block)?;
    /// world.add_collider(block, Collider::new(shape))?;
    /// let report = world.step(0.001, &StepSettings::default())?;
    ///
    /// let mut weight = 0.0;
    /// for contact in world.contacts() {
    ///     // at its four corners, pressed upwards
    ///     assert!((contact.position.x.abs() - 0.02).abs() < 1e-9 && contact.gap.abs() < 1e-9);
    ///     let on_block = if contact.body_a == block { contact.force } else { -contact.force };
    ///     assert!(on_block.z > 0.0);
    ///     weight += on_block.z;
    /// }
    /// assert_eq!((world.contacts().count(), report.contacts), (4, 4));
    /// // to what the solver leaves, 1e-12 J
    /// assert!((weight - 0.08 * 9.81).abs() < 1e-3);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = PointOfContact<R>> + '_ {
        let took_part = self.contacts.as_slice().iter().filter(|contact| contact.rows > 0);
        took_part.filter_map(|contact| {
            let (a, b) = (self.colliders.get(contact.touch.a)?, self.colliders.get(contact.touch.b)?);
            let ContactPoint { position, normal, gap, .. } = contact.point;
            Some(PointOfContact {
                body_a: a.body,
                body_b: b.body,
                collider_a: ColliderId(contact.touch.a),
                collider_b: ColliderId(contact.touch.b),
                position,
                normal,
                gap,
                force: self.over_time(contact.impulse()),
                torque: self.over_time(contact.angular_impulse()),
            })
        })
    }

    /// Force that contacts exerted on a body in the last step (its last sub-step), world frame: what a weigh cell reads. N
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]
    pub fn contact_force(&self, id: BodyId) -> Result<Vec3<R>, Error> {
        self.body(id)?;
        let mut sum = Vec3::default();
        for contact in self.contacts.as_slice() {
            let impulse = contact.impulse();
            // the colliders know which generation of a body touched
            let on = |key| self.colliders.get(key).is_some_and(|owned| owned.body == id);
            if on(contact.touch.a) {
                sum = sum + impulse;
            }
            if on(contact.touch.b) {
                sum = sum - impulse;
            }
        }
        Ok(self.over_time(sum))
    }

    /// An impulse of the last step as a force. A force too large for a number is none that a scale could show; before the first step
    /// nothing touches.
    fn over_time(&self, impulse: Vec3<R>) -> Vec3<R> {
        let force = impulse * (R::ONE / self.h);
        if force.is_finite() { force } else { Vec3::default() }
    }
}

impl<R: Real> Contact<R> {
    /// On a, world frame. N·s
    fn impulse(&self) -> Vec3<R> {
        let [n, t1, t2, ..] = self.impulses;
        let (u1, u2) = self.point.normal.tangents();
        self.point.normal * n + u1 * t1 + u2 * t2
    }

    /// Against rolling and spinning, on a, world frame. N·m·s
    fn angular_impulse(&self) -> Vec3<R> {
        let [_, _, _, first, second, third] = self.impulses;
        // three rows of force; two against rolling, if any, come before the one against spinning
        let (roll, spin) = match self.rows {
            4 => ([R::ZERO; 2], first),
            5 => ([first, second], R::ZERO),
            6 => ([first, second], third),
            _ => return Vec3::default(),
        };
        let (u1, u2) = self.point.normal.tangents();
        u1 * roll[0] + u2 * roll[1] + self.point.normal * spin
    }
}
