//! A world as plain bytes, and back: restored, the next step has the bits it would have had.
//!
//! ```text
//! envelope "TUMS" · h · gravity · disturbed · bodies · shapes · joints · contacts
//! ```
//! Saved is what the next step reads, and what the last one left to look at; what a step writes before it reads is not. Polyhedra lie in flash: saved is their place in a
//! list that both sides have, and their volume, to find out a list that is another. Byte by byte: `docs/recording.md`.
//!
//! A snapshot is read twice: once to look at everything, once to take it. So there need not be room for a second world, and one that is refused has changed nothing.

use super::collider::{Collider, Filter, Material, Owned};
use super::contact::{Contact, MAX_ROWS, Touch};
use super::{ColliderId, Held, JointId, MAX_JOINT_ROWS, World};
use crate::body::{Body, BodyId};
use crate::check::non_negative;
use crate::collide::ContactPoint;
use crate::error::Error;
use crate::math::{Real, Vec3};
use crate::record::{Envelope, Persist, Reader, Sink};
use crate::shape::{Polyhedron, Shape};
use crate::slots::Places;

const fn envelope<R: Real>() -> Envelope {
    Envelope { magic: *b"TUMS", version: 1, number_bytes: R::BYTES as u8, name: "snapshot" }
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
    /// Write everything that the next step depends on, and what [`contacts`](Self::contacts), [`contact_force`](Self::contact_force) and [`reaction`](Self::reaction)
    /// show. `solids` are the polyhedra there may be: their order is part of the format.
    ///
    /// ```
    /// use tumble::body::{Body, Motion};
    /// use tumble::math::{Pose, Vec3};
    /// use tumble::record::{Reader, Writer};
    /// use tumble::shape::Shape;
    /// use tumble::world::{Collider, StepSettings, World};
    ///
    /// let mut world = World::<f32, 2, 4, 12>::new();
    /// let shape = Shape::Sphere { radius: 0.005 };
    /// let ball = world.add_body(Body::new(Motion::Dynamic(shape.mass_properties(7850.0)?), Pose::IDENTITY)?)?;
    /// world.add_collider(ball, Collider::new(shape))?;
    /// let settings = StepSettings::default();
    /// let _ = world.step(0.001, &settings)?;
    ///
    /// let mut buffer = [0; 512];
    /// let mut writer = Writer::new(&mut buffer);
    /// world.save(&[], &mut writer)?;
    /// let snapshot = writer.finish()?;
    ///
    /// // elsewhere, and with more room
    /// let mut other = World::<f32, 8, 16, 48>::new();
    /// other.restore(&[], &mut Reader::new(snapshot))?;
    /// let _ = (world.step(0.001, &settings)?, other.step(0.001, &settings)?);
    /// assert_eq!(other.state_hash(), world.state_hash());
    /// assert_eq!(other.body(ball)?, world.body(ball)?);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("solid")` for a polyhedron that is not among `solids`; then nothing has been written.
    pub fn save(&self, solids: &[&'static Polyhedron<R>], out: &mut dyn Sink) -> Result<(), Error> {
        for (_, owned) in self.colliders.iter() {
            place_of(&owned.collider.shape, solids)?;
        }
        envelope::<R>().save(out, &|out| self.save_state(solids, out));
        Ok(())
    }

    // by its name the proof finds it
    #[inline(never)]
    fn save_state(&self, solids: &[&'static Polyhedron<R>], out: &mut dyn Sink) {
        self.h.save(out);
        self.gravity.save(out);
        self.disturbed.save(out);
        self.bodies.save(out, |body, out| body.save(out));
        self.colliders.save(out, |owned, out| save_collider(owned, solids, out));
        self.joints.save(out, |held, out| held.save(out));
        let contacts = self.contacts.as_slice();
        u32::try_from(contacts.len()).unwrap_or(u32::MAX).save(out);
        contacts.iter().for_each(|contact| contact.save(out));
    }

    /// Become the world that was saved, ids and all; `solids` as they were then. Capacities may differ: steps have the same bits as long as neither world drops anything
    /// for want of room. Reads to the end of the snapshot and no further. Looks at every solid's tables once a shape: as long as many steps.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`]`("snapshot")` for other bytes, another version, or numbers of another precision; [`Error::Truncated`]; [`Error::Corrupted`];
    /// [`Error::CapacityExceeded`] with what there is no room for; and what is wrong with a body, shape or joint. Then nothing has changed, and nothing has been read.
    pub fn restore(&mut self, solids: &[&'static Polyhedron<R>], input: &mut Reader<'_>) -> Result<(), Error> {
        let mut after = input.clone();
        // look at everything first: what is refused must change nothing
        let state = Self::look_at(solids, &mut after)?;
        self.take_state(solids, state)?;
        *input = after;
        Ok(())
    }

    /// Read a whole snapshot; returns the state in it, which [`take_state`](Self::take_state) cannot refuse.
    pub(crate) fn look_at<'a>(solids: &[&'static Polyhedron<R>], input: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
        let state = envelope::<R>().open(input)?;
        Self::check_state(solids, state.clone())?;
        Ok(state)
    }

    /// Everything is there, fits, and hangs together.
    fn check_state(solids: &[&'static Polyhedron<R>], mut input: Reader<'_>) -> Result<(), Error> {
        non_negative(input.load::<R>()?, "h")?;
        let _ = (input.load::<Vec3<R>>()?, input.load::<bool>()?);
        let bodies = Places::load(&mut input, BODIES, "bodies")?;
        for _ in 0..bodies.taken() {
            input.load::<Body<R>>()?;
        }
        let has = |id: BodyId| if bodies.has(id.0) { Ok(()) } else { Err(Error::NoSuchBody) };
        let colliders = Places::load(&mut input, COLLIDERS, "colliders")?;
        for _ in 0..colliders.taken() {
            has(load_collider(&mut input, solids)?.body)?;
        }
        let joints = Places::load(&mut input, JOINTS, "joints")?;
        for _ in 0..joints.taken() {
            let Held { a, b, .. } = input.load::<Held<R>>()?;
            has(a)?;
            b.map_or(Ok(()), has)?;
            if b == Some(a) {
                return Err(Error::SameBody);
            }
        }
        let contacts = input.load::<u32>()?;
        if usize::try_from(contacts).map_or(true, |contacts| contacts > CONTACTS) {
            return Err(Error::CapacityExceeded("contacts"));
        }
        for _ in 0..contacts {
            let Contact { touch, body_a, body_b, .. } = input.load::<Contact<R>>()?;
            // bodies and shapes may be gone, their places are not
            let known = |index: u16, places: &Places<'_>| index < places.len();
            let shapes_known = known(touch.a.index, &colliders) && known(touch.b.index, &colliders);
            if !(shapes_known && known(body_a, &bodies) && known(body_b, &bodies)) {
                return Err(Error::OutOfRange("contact"));
            }
        }
        if input.rest().is_empty() { Ok(()) } else { Err(Error::OutOfRange("length")) }
    }

    /// The same again, to keep it. Cannot fail: it has been looked at.
    pub(crate) fn take_state(&mut self, solids: &[&'static Polyhedron<R>], mut input: Reader<'_>) -> Result<(), Error> {
        self.clear();
        (self.h, self.gravity, self.disturbed) = (input.load()?, input.load()?, input.load()?);
        let places = Places::load(&mut input, BODIES, "bodies")?;
        self.bodies.restore(&places, || input.load())?;
        let places = Places::load(&mut input, COLLIDERS, "colliders")?;
        self.colliders.restore(&places, || load_collider(&mut input, solids))?;
        let places = Places::load(&mut input, JOINTS, "joints")?;
        self.joints.restore(&places, || input.load())?;
        for _ in 0..input.load::<u32>()? {
            let contact = input.load()?;
            self.contacts.add(|| contact);
        }
        Ok(())
    }
}

/// Where a shape's polyhedron is in the list; 0 for a shape that is none.
fn place_of<R: Real>(shape: &Shape<R>, solids: &[&'static Polyhedron<R>]) -> Result<u16, Error> {
    let Shape::Polyhedron(polyhedron) = shape else { return Ok(0) };
    let same = |solid: &&'static Polyhedron<R>| core::ptr::eq(*solid, *polyhedron) || *solid == *polyhedron;
    (0..u16::MAX).zip(solids).find(|(_, solid)| same(solid)).map(|(place, _)| place).ok_or(Error::OutOfRange("solid"))
}

fn save_collider<R: Real>(owned: &Owned<R>, solids: &[&'static Polyhedron<R>], out: &mut dyn Sink) {
    let Owned { collider: Collider { shape, pose, material, surface_velocity, filter }, body } = owned;
    body.save(out);
    let mut tag = |tag: u8| tag.save(out);
    match shape {
        Shape::Sphere { radius } => {
            tag(0);
            radius.save(out);
        }
        Shape::Capsule { radius, half_length } => {
            tag(1);
            [*radius, *half_length].save(out);
        }
        Shape::Cylinder { radius, half_length } => {
            tag(2);
            [*radius, *half_length].save(out);
        }
        Shape::Box { half } => {
            tag(3);
            half.save(out);
        }
        Shape::Polyhedron(polyhedron) => {
            tag(4);
            // it has a place: that was looked at before the first byte
            place_of(shape, solids).unwrap_or(u16::MAX).save(out);
            polyhedron.volume.save(out);
        }
        Shape::HalfSpace => tag(5),
    }
    pose.save(out);
    let Material { friction, rolling_friction, spinning_friction, restitution, compliance, damping } = *material;
    [friction, rolling_friction, spinning_friction, restitution, compliance, damping].save(out);
    surface_velocity.save(out);
    [filter.groups, filter.touches].save(out);
}

fn load_collider<R: Real>(input: &mut Reader<'_>, solids: &[&'static Polyhedron<R>]) -> Result<Owned<R>, Error> {
    let body = input.load()?;
    let shape = match input.tag(6, "shape")? {
        0 => Shape::Sphere { radius: input.load()? },
        1 => Shape::Capsule { radius: input.load()?, half_length: input.load()? },
        2 => Shape::Cylinder { radius: input.load()?, half_length: input.load()? },
        3 => Shape::Box { half: input.load()? },
        4 => {
            let (place, volume) = (input.load::<u16>()?, input.load::<R>()?);
            let solid = solids.get(usize::from(place)).filter(|solid| solid.volume == volume);
            Shape::Polyhedron(*solid.ok_or(Error::OutOfRange("solid"))?)
        }
        _ => Shape::HalfSpace,
    };
    let collider = Collider {
        shape,
        pose: input.load()?,
        material: Material {
            friction: input.load()?,
            rolling_friction: input.load()?,
            spinning_friction: input.load()?,
            restitution: input.load()?,
            compliance: input.load()?,
            damping: input.load()?,
        },
        surface_velocity: input.load()?,
        filter: Filter { groups: input.load()?, touches: input.load()? },
    };
    collider.check()?;
    Ok(Owned { collider, body })
}

/// Links to others of its island are found anew in every step.
impl<R: Real> Persist for Held<R> {
    fn save(&self, out: &mut dyn Sink) {
        let Self { joint, a, b, impulses, rows, next: _, reaction } = self;
        joint.save(out);
        a.save(out);
        b.save(out);
        impulses.save(out);
        u8::try_from(*rows).unwrap_or(u8::MAX).save(out);
        reaction.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let held = Self {
            joint: input.load()?,
            a: input.load()?,
            b: input.load()?,
            impulses: input.load()?,
            rows: input.load::<u8>()?.into(),
            next: 0,
            reaction: input.load()?,
        };
        if held.rows > MAX_JOINT_ROWS { Err(Error::OutOfRange("rows")) } else { Ok(held) }
    }
}

/// Links, and what a step reckons with, are found anew in every step.
impl<R: Real> Persist for Contact<R> {
    fn save(&self, out: &mut dyn Sink) {
        let Self { touch, body_a, body_b, rows, loose_rows: _, next: _, point, closing: _, bounce: _, impulses } = self;
        touch.a.save(out);
        touch.b.save(out);
        touch.feature.save(out);
        [*body_a, *body_b].save(out);
        rows.save(out);
        point.position.save(out);
        point.normal.save(out);
        point.gap.save(out);
        impulses.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let touch = Touch { a: input.load()?, b: input.load()?, feature: input.load()? };
        let (body_a, body_b, rows) = (input.load()?, input.load()?, input.load::<u8>()?);
        if usize::from(rows) > MAX_ROWS {
            return Err(Error::OutOfRange("rows"));
        }
        let point =
            ContactPoint { position: input.load()?, normal: input.load()?, gap: input.load()?, feature: touch.feature };
        let (loose_rows, next, closing, bounce) = (0, 0, R::ZERO, R::ZERO);
        let impulses = input.load()?;
        Ok(Self { touch, body_a, body_b, rows, loose_rows, next, point, closing, bounce, impulses })
    }
}

/// An id stays valid in a world that is restored.
impl Persist for ColliderId {
    fn save(&self, out: &mut dyn Sink) {
        self.0.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.load().map(Self)
    }
}

/// An id stays valid in a world that is restored.
impl Persist for JointId {
    fn save(&self, out: &mut dyn Sink) {
        self.0.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.load().map(Self)
    }
}
