//! A [`World`] of whatever capacities, as one type: one copy of the code that works on worlds, whatever their sizes.

use super::{Collider, ColliderId, JointId, PointOfContact, StepReport, StepSettings, World};
use crate::body::{Body, BodyId};
use crate::error::Error;
use crate::joint::Joint;
use crate::math::{Real, Vec3};
use crate::record::{Reader, Sink};
use crate::shape::Polyhedron;
use crate::solve::ExactMemory;

/// A [`World`] through its methods of the same names.
///
/// ```
/// use tumble::world::{AnyWorld, World};
/// fn is_full(world: &dyn AnyWorld) -> bool {
///     world.body_count() == world.body_capacity()
/// }
/// assert!(!is_full(&World::<f32, 2, 4, 12>::new()));
/// ```
pub trait AnyWorld<R: Real = f32> {
    /// How many bodies there can be.
    fn body_capacity(&self) -> usize;
    /// How many bodies there are.
    fn body_count(&self) -> usize;
    /// How many shapes there can be.
    fn collider_capacity(&self) -> usize;
    /// How many shapes there are.
    fn collider_count(&self) -> usize;
    /// How often shapes have come, gone or been changed, the speed of their surfaces included; wraps.
    fn collider_changes(&self) -> u16;
    /// See every body, in order of place.
    fn for_each_body(&self, see: &mut dyn FnMut(BodyId, &Body<R>));
    /// See every shape and whose it is, in order of place.
    fn for_each_collider(&self, see: &mut dyn FnMut(ColliderId, BodyId, &Collider<R>));
    /// See every point of contact of the last step, in the order in which they were found.
    fn for_each_contact(&self, see: &mut dyn FnMut(&PointOfContact<R>));
    /// A body.
    ///
    /// # Errors
    /// As [`World::body`].
    fn body(&self, id: BodyId) -> Result<&Body<R>, Error>;
    /// A body, to change it.
    ///
    /// # Errors
    /// As [`World::body_mut`].
    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body<R>, Error>;
    /// Add a body.
    ///
    /// # Errors
    /// As [`World::add_body`].
    fn add_body(&mut self, body: Body<R>) -> Result<BodyId, Error>;
    /// Remove a body with its shapes and joints.
    ///
    /// # Errors
    /// As [`World::remove_body`].
    fn remove_body(&mut self, id: BodyId) -> Result<(), Error>;
    /// Give a body another shape to touch with.
    ///
    /// # Errors
    /// As [`World::add_collider`].
    fn add_collider(&mut self, id: BodyId, collider: Collider<R>) -> Result<ColliderId, Error>;
    /// A shape with its surface.
    ///
    /// # Errors
    /// As [`World::collider`].
    fn collider(&self, id: ColliderId) -> Result<&Collider<R>, Error>;
    /// Change a shape or its surface.
    ///
    /// # Errors
    /// As [`World::set_collider`].
    fn set_collider(&mut self, id: ColliderId, collider: Collider<R>) -> Result<(), Error>;
    /// Set how fast a surface moves along itself.
    ///
    /// # Errors
    /// As [`World::set_surface_velocity`].
    fn set_surface_velocity(&mut self, id: ColliderId, velocity: Vec3<R>) -> Result<(), Error>;
    /// Join two bodies, or a body and the ground.
    ///
    /// # Errors
    /// As [`World::add_joint`].
    fn add_joint(&mut self, a: BodyId, b: Option<BodyId>, joint: Joint<R>) -> Result<JointId, Error>;
    /// Refuse what a step would refuse.
    ///
    /// # Errors
    /// As [`World::check_step`].
    fn check_step(&self, h: R, settings: &StepSettings<R>) -> Result<(), Error>;
    /// One step.
    ///
    /// # Errors
    /// As [`World::step`].
    fn step(&mut self, h: R, settings: &StepSettings<R>) -> Result<StepReport<R>, Error>;
    /// One step with memory of the exact solver.
    ///
    /// # Errors
    /// As [`World::step_with`].
    fn step_with(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        exact: &mut dyn ExactMemory<R>,
    ) -> Result<StepReport<R>, Error>;
    /// Force that contacts exerted on a body in the last step. N
    ///
    /// # Errors
    /// As [`World::contact_force`].
    fn contact_force(&self, id: BodyId) -> Result<Vec3<R>, Error>;
    /// Kinetic energy of all bodies. J
    fn kinetic_energy(&self) -> R;
    /// Hash of the state, the same on every machine.
    fn state_hash(&self) -> u64;
    /// Write a snapshot; polyhedra are known by their places among `solids`.
    ///
    /// # Errors
    /// As [`World::save`].
    fn save(&self, solids: &[&'static Polyhedron<R>], out: &mut dyn Sink) -> Result<(), Error>;
    /// Become the world that was saved.
    ///
    /// # Errors
    /// As [`World::restore`].
    fn restore(&mut self, solids: &[&'static Polyhedron<R>], input: &mut Reader<'_>) -> Result<(), Error>;
}

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> AnyWorld<R> for World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    fn body_capacity(&self) -> usize {
        BODIES
    }

    fn body_count(&self) -> usize {
        self.body_count()
    }

    fn collider_capacity(&self) -> usize {
        COLLIDERS
    }

    fn collider_count(&self) -> usize {
        self.colliders.count()
    }

    fn collider_changes(&self) -> u16 {
        self.collider_changes
    }

    fn for_each_body(&self, see: &mut dyn FnMut(BodyId, &Body<R>)) {
        self.bodies.entries().for_each(|(key, body)| see(BodyId(key), body));
    }

    fn for_each_collider(&self, see: &mut dyn FnMut(ColliderId, BodyId, &Collider<R>)) {
        self.colliders.entries().for_each(|(key, owned)| see(ColliderId(key), owned.body, &owned.collider));
    }

    fn for_each_contact(&self, see: &mut dyn FnMut(&PointOfContact<R>)) {
        self.contacts().for_each(|point| see(&point));
    }

    fn body(&self, id: BodyId) -> Result<&Body<R>, Error> {
        self.body(id)
    }

    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body<R>, Error> {
        self.body_mut(id)
    }

    fn add_body(&mut self, body: Body<R>) -> Result<BodyId, Error> {
        self.add_body(body)
    }

    fn remove_body(&mut self, id: BodyId) -> Result<(), Error> {
        self.remove_body(id)
    }

    fn add_collider(&mut self, id: BodyId, collider: Collider<R>) -> Result<ColliderId, Error> {
        self.add_collider(id, collider)
    }

    fn collider(&self, id: ColliderId) -> Result<&Collider<R>, Error> {
        self.collider(id)
    }

    fn set_collider(&mut self, id: ColliderId, collider: Collider<R>) -> Result<(), Error> {
        self.set_collider(id, collider)
    }

    fn set_surface_velocity(&mut self, id: ColliderId, velocity: Vec3<R>) -> Result<(), Error> {
        self.set_surface_velocity(id, velocity)
    }

    fn add_joint(&mut self, a: BodyId, b: Option<BodyId>, joint: Joint<R>) -> Result<JointId, Error> {
        self.add_joint(a, b, joint)
    }

    fn check_step(&self, h: R, settings: &StepSettings<R>) -> Result<(), Error> {
        self.check_step(h, settings)
    }

    fn step(&mut self, h: R, settings: &StepSettings<R>) -> Result<StepReport<R>, Error> {
        self.step(h, settings)
    }

    fn step_with(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        exact: &mut dyn ExactMemory<R>,
    ) -> Result<StepReport<R>, Error> {
        self.step_with(h, settings, exact, None)
    }

    fn contact_force(&self, id: BodyId) -> Result<Vec3<R>, Error> {
        self.contact_force(id)
    }

    fn kinetic_energy(&self) -> R {
        self.kinetic_energy()
    }

    fn state_hash(&self) -> u64 {
        self.state_hash()
    }

    fn save(&self, solids: &[&'static Polyhedron<R>], out: &mut dyn Sink) -> Result<(), Error> {
        self.save(solids, out)
    }

    fn restore(&mut self, solids: &[&'static Polyhedron<R>], input: &mut Reader<'_>) -> Result<(), Error> {
        self.restore(solids, input)
    }
}
