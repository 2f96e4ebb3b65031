//! Bodies, shapes, joints and contacts together, one step after the other.
//!
//! ```text
//! drift → collide → islands → prepare rows → solve → integrate
//! q_β = q + (1 − β) h v     f = M v + h Q,  M v' = f + Eᵀγ     q' = q_β + β h v'
//! ```
//! Everything is stored here, at capacities known when it compiles; a world is a `static`. A step reads nothing but the world and its
//! arguments: no clock, no global.
//!
//! # Why touching has a width
//! A step starts from the impulses of the last one. Solved to the end that changes nothing; cut off, a mode of which a step mends only the
//! share ε sees its impulses as an integrator: with δ the impulses' error, u the rows' velocity and y the gap over h,
//!
//! ```text
//! δ' = δ − ε (δ + u + K y),  u' = u + δ',  y' = y + u'        s³ + ε s² + ε s + ε K = 0, stable only for ε > K
//! ```
//! A stack of ten boxes has modes with ε of a few thousandths at 20 sweeps; it sways and falls. Within `slop` K is zero, which is stable for every ε.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `any` | worlds of all sizes as one type |
//! | `collider` | shapes on bodies, materials, filters |
//! | `settings` | how to step; the verdict |
//! | `contact` | points that touch, what they carried, their rows |
//! | `point_of_contact` | the same, to look at |
//! | `islands` | what is connected |
//! | `plan` | what a step costs |
//! | `costs` | what work costs on two cores, written by a program |
//! | `pace` | how many sweeps there is time for |
//! | `restitution` | bounces that never gain energy |
//! | `step` | the step |
//! | `snapshot` | a world as plain bytes, and back |

mod any;
mod collider;
mod contact;
mod costs;
mod find;
mod island_rows;
mod islands;
mod pace;
mod plan;
mod point_of_contact;
mod restitution;
mod settings;
mod snapshot;
mod step;

pub use any::AnyWorld;
pub use collider::{Collider, Filter, Material};
pub use plan::{Costs, KINDS, Plan, Work};
pub use point_of_contact::PointOfContact;
pub use settings::{Landing, Sleep, StepReport, StepSettings};

use crate::body::{Body, BodyId, BodyRoot};
use crate::collide::broad::BroadPhase;
use crate::error::Error;
use crate::joint::{Joint, Reaction};
use crate::math::{Pose, Real, Vec3, Vec6};
use crate::record::{Fnv, Sink};
use crate::rows::Row;
use crate::slots::{Key, Slots};
use crate::solve::Change;
use collider::Owned;
use contact::{Contacts, Link};
use heapless::Vec;
use islands::Islands;

/// A shape on a body of a world. Goes stale when the shape or its body is removed; a stale id is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(Key);

/// A joint of a world. Goes stale when the joint or one of its bodies is removed; a stale id is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(Key);

/// A joint, what it holds together, and what it carried in the last step.
#[derive(Clone, Copy, Debug)]
struct Held<R> {
    joint: Joint<R>,
    a: BodyId,
    b: Option<BodyId>,
    /// N·s, in the order of its rows; how many there are
    impulses: [R; MAX_JOINT_ROWS],
    rows: usize,
    /// next of the same island
    next: Link,
    reaction: Reaction<R>,
}

/// The same for every scalar.
const MAX_JOINT_ROWS: usize = Joint::<f32>::MAX_ROWS;

/// At most `BODIES` bodies, `COLLIDERS` shapes on them, `JOINTS` between them, `CONTACTS` points of contact and `ROWS` rows in one
/// island (three a contact, up to six with rolling and spinning friction; [`Joint::max_rows`] a joint).
///
/// Its size in bytes, in single precision: 248 and 346 a body, 138 a shape, 120 a contact, 104 a row, 352 a joint.
///
/// ```
/// use tumble::body::{Body, Motion};
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::Shape;
/// use tumble::world::{Collider, StepSettings, World};
///
/// // a steel ball falls onto the floor
/// static WORLD: std::sync::Mutex<World<f32, 2, 4, 12>> = std::sync::Mutex::new(World::new());
/// let mut world = WORLD.lock().unwrap();
/// let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
/// world.add_collider(floor, Collider::new(Shape::HalfSpace))?;
/// let shape = Shape::Sphere { radius: 0.005 };
/// let steel = Motion::Dynamic(shape.mass_properties(7850.0)?);
/// let ball = world.add_body(Body::new(steel, Pose::at(Vec3::new(0.0, 0.0, 0.02)))?)?;
/// world.add_collider(ball, Collider::new(shape))?;
///
/// for _ in 0..200 {
///     let report = world.step(0.001, &StepSettings::default())?;
///     assert_eq!(report.contacts_dropped, 0);
/// }
/// assert!((world.body(ball)?.pose().position.z - 0.005).abs() < 1e-5);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct World<
    R: 'static,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize = BODIES,
    const JOINTS: usize = 0,
> {
    bodies: Slots<Body<R>, BODIES>,
    colliders: Slots<Owned<R>, COLLIDERS>,
    joints: Slots<Held<R>, JOINTS>,
    contacts: Contacts<R, CONTACTS>,
    // what a step writes before it reads
    broad: BroadPhase<R, COLLIDERS>,
    islands: Islands<BODIES>,
    rows: Vec<Row<R>, ROWS>,
    /// the first so many rows are joints', the others contacts'
    joint_rows: usize,
    /// How many rows of the island are loose.
    loose_rows: usize,
    free: Vec<Vec6<R>, BODIES>,
    roots: Vec<BodyRoot<R>, BODIES>,
    /// velocities become `v_free + G z`; by slot, an island's bodies side by side
    changes: Vec<Change<R>, BODIES>,
    bounced: Vec<Vec6<R>, BODIES>,
    /// length of the last sub-step. s
    h: R,
    /// gravity of the last step. m/s²
    gravity: Vec3<R>,
    /// something was taken away since the last step: whoever leaned on it may fall
    disturbed: bool,
    /// for whoever keeps what it has made of shapes
    collider_changes: u16,
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
    /// An empty world; `const`, so that it can be a `static`.
    pub const fn new() -> Self {
        Self {
            bodies: Slots::new(),
            colliders: Slots::new(),
            joints: Slots::new(),
            contacts: Contacts::new(),
            broad: BroadPhase::new(),
            islands: Islands::new(),
            rows: Vec::new(),
            joint_rows: 0,
            loose_rows: 0,
            free: Vec::new(),
            roots: Vec::new(),
            changes: Vec::new(),
            bounced: Vec::new(),
            h: R::ZERO,
            gravity: Vec3::new(R::ZERO, R::ZERO, R::ZERO),
            disturbed: false,
            collider_changes: 0,
        }
    }

    /// As new, in place, to the bit: every body, shape and joint is forgotten, and so is which ids there were. An id from before may find a
    /// newcomer.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.colliders.clear();
        self.joints.clear();
        self.contacts.clear();
        (self.h, self.gravity, self.disturbed) = (R::ZERO, Vec3::default(), false);
        self.change_colliders();
    }

    /// How many bodies there are.
    pub const fn body_count(&self) -> usize {
        self.bodies.count()
    }

    /// Ids of all bodies, in order of their places.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> {
        self.bodies.keys().map(BodyId)
    }

    /// A body.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`] for an id of a removed body.
    pub fn body(&self, id: BodyId) -> Result<&Body<R>, Error> {
        self.bodies.get(id.0).ok_or(Error::NoSuchBody)
    }

    /// A body, to change it.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`] for an id of a removed body.
    pub fn body_mut(&mut self, id: BodyId) -> Result<&mut Body<R>, Error> {
        self.bodies.get_mut(id.0).ok_or(Error::NoSuchBody)
    }

    /// Kinetic energy of all bodies. J
    pub fn kinetic_energy(&self) -> R {
        self.bodies.iter().fold(R::ZERO, |sum, (_, body)| sum + body.kinetic_energy())
    }

    /// A hash (FNV-1a, 64 bits) of every body's place, pose, velocity and time at rest, and of the joints' turns: equal states have equal hashes, on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::new();
        let mut add = |word: u64| hash.put(&word.to_le_bytes());
        for (index, body) in self.bodies.iter() {
            add(u64::from(index));
            let Pose { position, orientation } = *body.pose();
            // a single widens to a double without loss
            <[R; 3]>::from(position).into_iter().for_each(|x| add(x.to_f64().to_bits()));
            orientation.components().into_iter().for_each(|x| add(x.to_f64().to_bits()));
            <[R; 6]>::from(body.velocity()).into_iter().for_each(|x| add(x.to_f64().to_bits()));
            add(body.rest().to_f64().to_bits());
        }
        for (index, held) in self.joints.iter() {
            add(u64::from(index));
            held.joint.memory().into_iter().for_each(|x| add(x.to_f64().to_bits()));
        }
        hash.finish()
    }

    /// A joint, to read its coordinates.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`] for an id of a removed joint.
    pub fn joint(&self, id: JointId) -> Result<&Joint<R>, Error> {
        self.joints.get(id.0).map(|held| &held.joint).ok_or(Error::NoSuchJoint)
    }

    /// A joint, to change its motor or length. Wakes the bodies it joins.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`] for an id of a removed joint.
    pub fn joint_mut(&mut self, id: JointId) -> Result<&mut Joint<R>, Error> {
        let held = self.joints.get_mut(id.0).ok_or(Error::NoSuchJoint)?;
        for body in [Some(held.a), held.b].into_iter().flatten() {
            if let Some(body) = self.bodies.get_mut(body.0) {
                body.wake();
            }
        }
        Ok(&mut held.joint)
    }

    /// Force (N) and torque (N·m) of a joint on its body a in the last step, at frame a's origin, world axes.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`] for an id of a removed joint.
    pub fn reaction(&self, id: JointId) -> Result<Reaction<R>, Error> {
        self.joints.get(id.0).map(|held| held.reaction).ok_or(Error::NoSuchJoint)
    }

    /// Join body `a` to body `b`, or to the ground when `b` is `None`.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], [`Error::SameBody`], [`Error::CapacityExceeded`]`("joints")`
    pub fn add_joint(&mut self, a: BodyId, b: Option<BodyId>, joint: Joint<R>) -> Result<JointId, Error> {
        self.body(a)?;
        if let Some(b) = b {
            self.body(b)?;
        }
        if b == Some(a) {
            return Err(Error::SameBody);
        }
        let held =
            Held { joint, a, b, impulses: [R::ZERO; MAX_JOINT_ROWS], rows: 0, next: 0, reaction: Reaction::default() };
        let id = JointId(self.joints.add(held, "joints")?);
        for body in [Some(a), b].into_iter().flatten() {
            self.body_mut(body)?.wake();
        }
        Ok(id)
    }

    /// Remove a joint; its id goes stale.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`]
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), Error> {
        self.joints.remove(id.0).ok_or(Error::NoSuchJoint)?;
        self.disturbed = true;
        Ok(())
    }

    /// Add a body.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("bodies")`
    pub fn add_body(&mut self, body: Body<R>) -> Result<BodyId, Error> {
        self.bodies.add(body.arrived(), "bodies").map(BodyId)
    }

    /// Give a body another shape to touch with: several make a compound.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], [`Error::CapacityExceeded`]`("colliders")`, and the name of what is wrong with the collider.
    pub fn add_collider(&mut self, id: BodyId, collider: Collider<R>) -> Result<ColliderId, Error> {
        self.body(id)?;
        collider.check()?;
        let key = self.colliders.add(Owned { collider, body: id }, "colliders")?;
        self.body_mut(id)?.wake();
        self.change_colliders();
        Ok(ColliderId(key))
    }

    /// A shape with its surface.
    ///
    /// # Errors
    /// [`Error::NoSuchCollider`] for an id of a removed shape.
    pub fn collider(&self, id: ColliderId) -> Result<&Collider<R>, Error> {
        self.colliders.get(id.0).map(|owned| &owned.collider).ok_or(Error::NoSuchCollider)
    }

    /// Change a shape or its surface: start a belt, swap a material. Wakes everything.
    ///
    /// # Errors
    /// [`Error::NoSuchCollider`], and the name of what is wrong with the collider; then nothing has changed.
    pub fn set_collider(&mut self, id: ColliderId, collider: Collider<R>) -> Result<(), Error> {
        collider.check()?;
        let owned = self.colliders.get_mut(id.0).ok_or(Error::NoSuchCollider)?;
        self.disturbed |= owned.collider != collider;
        owned.collider = collider;
        self.change_colliders();
        Ok(())
    }

    /// Set how fast a surface moves along itself, in the collider's frame: a belt's speed, at no more than the cost of three numbers. m/s
    ///
    /// Wakes everything if that is another speed than before.
    ///
    /// # Errors
    /// [`Error::NoSuchCollider`]; [`Error::NonFinite`]`("surface_velocity")`; then nothing has changed.
    pub fn set_surface_velocity(&mut self, id: ColliderId, velocity: Vec3<R>) -> Result<(), Error> {
        let owned = self.colliders.get_mut(id.0).ok_or(Error::NoSuchCollider)?;
        if !velocity.is_finite() {
            return Err(Error::NonFinite("surface_velocity"));
        }
        self.disturbed |= owned.collider.surface_velocity != velocity;
        owned.collider.surface_velocity = velocity;
        self.change_colliders();
        Ok(())
    }

    /// Remove a shape; its id goes stale.
    ///
    /// # Errors
    /// [`Error::NoSuchCollider`]
    pub fn remove_collider(&mut self, id: ColliderId) -> Result<(), Error> {
        self.colliders.remove(id.0).ok_or(Error::NoSuchCollider)?;
        self.disturbed = true;
        self.change_colliders();
        Ok(())
    }

    /// Remove a body with all its shapes and joints; their ids go stale.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), Error> {
        self.bodies.remove(id.0).ok_or(Error::NoSuchBody)?;
        self.colliders.remove_where(|owned| owned.body == id);
        self.joints.remove_where(|held| held.a == id || held.b == Some(id));
        self.disturbed = true;
        self.change_colliders();
        Ok(())
    }

    const fn change_colliders(&mut self) {
        self.collider_changes = self.collider_changes.wrapping_add(1);
    }
}

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> Default for World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    fn default() -> Self {
        Self::new()
    }
}
