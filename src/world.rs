//! Bodies, shapes and contacts together, one step after the other.
//!
//! ```text
//! collide → prepare rows → solve → integrate           f = M v + h Q,  M v' = f + Eᵀγ,  q' = q + h v'
//! ```
//! Everything is stored here, at capacities known when it compiles; a world is a `static`. A step reads nothing but the world and its
//! arguments: no clock, no global.

use crate::body::{Body, BodyId, Motion};
use crate::collide::collide;
use crate::contact::{Contact, Contacts, Touch};
use crate::error::Error;
use crate::joint::{Joint, Reaction, StepContext};
use crate::math::{Pose, Real, Vec3, Vec6, max};
use crate::rows::{Row, RowInput, Set};
use crate::shape::Shape;
use crate::slots::{Key, Slots};
use crate::solve::{Report, Settings, solve_rows};
use heapless::Vec;

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Material<R> {
    /// Coefficient of friction ≥ 0; a pair has the geometric mean. (1) Default 0.5.
    pub friction: R,
    /// Coefficient of restitution, 0 … 1; a pair has the larger. (1) Default 0.
    pub restitution: R,
}

/// A shape on a body, with its surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Collider<R> {
    /// Its shape.
    pub shape: Shape<R>,
    /// Where it is in the body's frame.
    pub pose: Pose<R>,
    /// Its surface.
    pub material: Material<R>,
    /// Velocity of the surface along itself, in the collider's frame: a conveyor belt. m/s
    pub surface_velocity: Vec3<R>,
    /// Whom it touches.
    pub filter: Filter,
}

/// Two colliders touch when each is in a group that the other touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Filter {
    /// Groups it is in, a bit each. Default the first.
    pub groups: u16,
    /// Groups it touches, a bit each. Default all.
    pub touches: u16,
}

impl Default for Filter {
    fn default() -> Self {
        Self { groups: 1, touches: u16::MAX }
    }
}

impl Filter {
    const fn admits(self, other: Self) -> bool {
        self.groups & other.touches != 0 && other.groups & self.touches != 0
    }
}

/// A collider and whose it is.
#[derive(Clone, Copy, Debug)]
struct Owned<R> {
    collider: Collider<R>,
    body: BodyId,
}

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
    reaction: Reaction<R>,
}

/// The same for every scalar.
const MAX_JOINT_ROWS: usize = Joint::<f32>::MAX_ROWS;

/// How a world steps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct StepSettings<R> {
    /// Acceleration of free fall. m/s² Default (0, 0, −9.81).
    pub gravity: Vec3<R>,
    /// K: the share of a violation to be mended in one step, `0 < K ≤ 1`. (1) Default 0.2.
    pub stabilisation: R,
    /// Slower impacts do not bounce. m/s Default 0.01.
    pub bounce_threshold: R,
    /// How the rows are solved.
    pub solve: Settings<R>,
}

/// Verdict of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a step may have been cut off or have dropped contacts"]
pub struct StepReport<R> {
    /// The solver's verdict.
    pub solve: Report<R>,
    /// Points of contact that took part.
    pub contacts: u32,
    /// Points of contact for which there was no room: the shallowest.
    pub contacts_dropped: u32,
    /// Joints for whose rows there was no room: they held nothing.
    pub joints_dropped: u32,
    /// Deepest penetration at the start of the step. m
    pub penetration: R,
}

/// At most `BODIES` bodies, `COLLIDERS` shapes on them, `JOINTS` between them, `CONTACTS` points of contact and `ROWS` rows (three a
/// contact; [`Joint::max_rows`] a joint).
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
    R,
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
    previous: Contacts<R, CONTACTS>,
    rows: Vec<Row<R>, ROWS>,
    free: Vec<Vec6<R>, BODIES>,
    velocities: Vec<Vec6<R>, BODIES>,
}

impl<R: Real> Default for Material<R> {
    fn default() -> Self {
        Self { friction: R::from_f64(0.5), restitution: R::ZERO }
    }
}

impl<R: Real> Collider<R> {
    /// A shape in the body's frame with a default surface that stands still.
    pub fn new(shape: Shape<R>) -> Self {
        Self {
            shape,
            pose: Pose::IDENTITY,
            material: Material::default(),
            surface_velocity: Vec3::default(),
            filter: Filter::default(),
        }
    }

    fn check(&self) -> Result<(), Error> {
        self.shape.check()?;
        let Material { friction, restitution } = self.material;
        if !self.pose.is_finite() {
            return Err(Error::NonFinite("pose"));
        }
        if !self.surface_velocity.is_finite() {
            return Err(Error::NonFinite("surface_velocity"));
        }
        if !friction.is_finite() {
            return Err(Error::NonFinite("friction"));
        }
        if friction < R::ZERO {
            return Err(Error::Negative("friction"));
        }
        if !(friction * friction).is_finite() {
            return Err(Error::OutOfRange("friction"));
        }
        if !(R::ZERO..=R::ONE).contains(&restitution) {
            return Err(Error::OutOfRange("restitution"));
        }
        Ok(())
    }
}

impl<R: Real> Default for StepSettings<R> {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(R::ZERO, R::ZERO, R::from_f64(-9.81)),
            stabilisation: R::from_f64(0.2),
            bounce_threshold: R::from_f64(0.01),
            solve: Settings::default(),
        }
    }
}

impl<R: Real> StepSettings<R> {
    /// Are these settings usable?
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::Negative`] or [`Error::OutOfRange`] with the name, and what [`Settings::check`] says.
    pub fn check(&self) -> Result<(), Error> {
        if !self.gravity.is_finite() {
            return Err(Error::NonFinite("gravity"));
        }
        if !(self.stabilisation > R::ZERO && self.stabilisation <= R::ONE) {
            return Err(Error::OutOfRange("stabilisation"));
        }
        if !self.bounce_threshold.is_finite() {
            return Err(Error::NonFinite("bounce_threshold"));
        }
        if self.bounce_threshold < R::ZERO {
            return Err(Error::Negative("bounce_threshold"));
        }
        self.solve.check()
    }
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
            previous: Contacts::new(),
            rows: Vec::new(),
            free: Vec::new(),
            velocities: Vec::new(),
        }
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

    /// A hash (FNV-1a, 64 bits) of every body's place, pose and velocity, and of the joints' turns: equal states have equal hashes, on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |word: u64| {
            for byte in word.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        for (index, body) in self.bodies.iter() {
            add(u64::from(index));
            let Pose { position, orientation } = *body.pose();
            // a single widens to a double without loss
            <[R; 3]>::from(position).into_iter().for_each(|x| add(x.to_f64().to_bits()));
            orientation.components().into_iter().for_each(|x| add(x.to_f64().to_bits()));
            <[R; 6]>::from(body.velocity()).into_iter().for_each(|x| add(x.to_f64().to_bits()));
        }
        for (index, held) in self.joints.iter() {
            add(u64::from(index));
            held.joint.memory().into_iter().for_each(|x| add(x.to_f64().to_bits()));
        }
        hash
    }

    /// Force that contacts exerted on a body in the last step of `h` seconds, world frame: what a weigh cell reads. N
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]; [`Error::NonPositive`]`("h")`
    pub fn contact_force(&self, id: BodyId, h: R) -> Result<Vec3<R>, Error> {
        self.body(id)?;
        crate::shape::positive(h, "h")?;
        let mut sum = Vec3::default();
        for contact in self.contacts.as_slice() {
            let [n, t1, t2] = contact.impulses;
            let (u1, u2) = contact.point.normal.tangents();
            let impulse = contact.point.normal * n + u1 * t1 + u2 * t2;
            if contact.touch.body_a == id {
                sum = sum + impulse;
            }
            if contact.touch.body_b == id {
                sum = sum - impulse;
            }
        }
        Ok(sum * (R::ONE / h))
    }

    /// A joint, to read its coordinates.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`] for an id of a removed joint.
    pub fn joint(&self, id: JointId) -> Result<&Joint<R>, Error> {
        self.joints.get(id.0).map(|held| &held.joint).ok_or(Error::NoSuchJoint)
    }

    /// A joint, to change its motor or length.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`] for an id of a removed joint.
    pub fn joint_mut(&mut self, id: JointId) -> Result<&mut Joint<R>, Error> {
        self.joints.get_mut(id.0).map(|held| &mut held.joint).ok_or(Error::NoSuchJoint)
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
        let held = Held { joint, a, b, impulses: [R::ZERO; MAX_JOINT_ROWS], rows: 0, reaction: Reaction::default() };
        self.joints.add(held, "joints").map(JointId)
    }

    /// Remove a joint; its id goes stale.
    ///
    /// # Errors
    /// [`Error::NoSuchJoint`]
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), Error> {
        self.joints.remove(id.0).map(|_| ()).ok_or(Error::NoSuchJoint)
    }

    /// Add a body.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("bodies")`
    pub fn add_body(&mut self, body: Body<R>) -> Result<BodyId, Error> {
        self.bodies.add(body, "bodies").map(BodyId)
    }

    /// Give a body another shape to touch with: several make a compound.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], [`Error::CapacityExceeded`]`("colliders")`, and the name of what is wrong with the collider.
    pub fn add_collider(&mut self, id: BodyId, collider: Collider<R>) -> Result<(), Error> {
        self.body(id)?;
        collider.check()?;
        self.colliders.add(Owned { collider, body: id }, "colliders")?;
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
        Ok(())
    }

    /// One step of `h` seconds.
    ///
    /// Never panics or allocates. Cost: every pair of colliders is looked at once (`COLLIDERS²/2` in the worst case, a few instructions
    /// for a pair that is far apart), and the cost of [`Problem::solve`](crate::Problem::solve) on its rows.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `h`, and what [`StepSettings::check`] says; then nothing has changed.
    pub fn step(&mut self, h: R, settings: &StepSettings<R>) -> Result<StepReport<R>, Error> {
        crate::shape::positive(h, "h")?;
        settings.check()?;
        self.prepare_bodies(h, settings.gravity);
        self.find_contacts(h);
        let context = StepContext::implicit(h, settings.stabilisation);
        self.rows.clear();
        let joints_dropped = self.prepare_joints(&context);
        let unrowed = self.prepare_contacts(h, settings);
        let report = solve_rows(&self.free, &mut self.velocities, &mut self.rows, &settings.solve);
        self.store_impulses(&context);
        self.integrate(h);
        let contacts = self.contacts.as_slice();
        Ok(StepReport {
            solve: report,
            contacts: u32::try_from(contacts.len()).unwrap_or(u32::MAX).saturating_sub(unrowed),
            contacts_dropped: self.contacts.dropped().saturating_add(unrowed),
            joints_dropped,
            penetration: contacts.iter().fold(R::ZERO, |deepest, contact| max(-contact.point.gap, deepest)),
        })
    }

    /// Every pair of colliders of different bodies of which one can move.
    fn find_contacts(&mut self, h: R) {
        core::mem::swap(&mut self.contacts, &mut self.previous);
        self.contacts.clear();
        for (index_a, a) in self.colliders.iter() {
            let Some(body_a) = self.bodies.get(a.body.0) else { continue };
            let (pose_a, reach_a) = reach(body_a, &a.collider, self.free_velocity(a.body), h);
            for (index_b, b) in self.colliders.iter().filter(|(index_b, _)| *index_b > index_a) {
                let Some(body_b) = self.bodies.get(b.body.0) else { continue };
                let dynamic = |body: &Body<R>| matches!(body.motion(), Motion::Dynamic(_));
                let admitted = a.collider.filter.admits(b.collider.filter);
                if a.body == b.body || !admitted || !(dynamic(body_a) || dynamic(body_b)) {
                    continue;
                }
                let (pose_b, reach_b) = reach(body_b, &b.collider, self.free_velocity(b.body), h);
                let apart = pose_a.position - pose_b.position;
                let near = reach_a.radius + reach_b.radius + reach_a.travel + reach_b.travel;
                // broad phase: two balls that cannot meet within this step. Half-spaces have no end
                if near.is_finite() && apart.dot(apart) > near * near {
                    continue;
                }
                let margin = reach_a.travel + reach_b.travel;
                for point in collide(&a.collider.shape, &pose_a, &b.collider.shape, &pose_b, margin).iter() {
                    let touch = Touch {
                        body_a: a.body,
                        body_b: b.body,
                        collider_a: index_a,
                        collider_b: index_b,
                        feature: point.feature,
                    };
                    let (ma, mb) = (a.collider.material, b.collider.material);
                    self.contacts.add(Contact {
                        touch,
                        point: *point,
                        friction: (ma.friction * mb.friction).sqrt(),
                        restitution: max(ma.restitution, mb.restitution),
                        surface: pose_b.orientation.turn(b.collider.surface_velocity)
                            - pose_a.orientation.turn(a.collider.surface_velocity),
                        impulses: self.previous.impulses(touch),
                        skip: false,
                    });
                }
            }
        }
    }

    /// `v_free` of a body that is there.
    fn free_velocity(&self, id: BodyId) -> Vec6<R> {
        self.free.get(usize::from(id.0.index)).copied().unwrap_or(Vec6::ZERO)
    }

    /// `v_free` of every body, by place.
    fn prepare_bodies(&mut self, h: R, gravity: Vec3<R>) {
        self.free.clear();
        self.velocities.clear();
        for index in 0..u16::try_from(self.bodies.places()).unwrap_or(u16::MAX) {
            let v_free = self.bodies.at(index).map_or(Vec6::ZERO, |body| body.free_velocity(h, gravity));
            // as many places as capacity: there is room
            let _ = self.free.push(v_free);
            let _ = self.velocities.push(v_free);
        }
    }

    /// Rows of every joint, all of them or none. Returns how many joints found no room.
    fn prepare_joints(&mut self, context: &StepContext<R>) -> u32 {
        let mut dropped = 0_u32;
        for (_, held) in self.joints.iter_mut() {
            let Some((a, b)) = ends(&self.bodies, held) else { continue };
            let warm = (held.impulses, held.rows);
            held.rows = 0;
            let movable = a.response().is_some() || b.is_some_and(|b| b.response().is_some());
            if !movable {
                continue;
            }
            if ROWS.saturating_sub(self.rows.len()) < held.joint.max_rows() {
                dropped = dropped.saturating_add(1);
                continue;
            }
            let (id_a, end_b) = (held.a, held.b.zip(b));
            let (pose_b, v_b) = b.map_or((Pose::IDENTITY, Vec6::ZERO), |b| (*b.pose(), b.velocity()));
            let before = self.rows.len();
            let rows = &mut self.rows;
            let made = held.joint.rows(a.pose(), &pose_b, a.velocity(), v_b, context, &mut |input, admissible| {
                let row = make_row((id_a, a), end_b, input, admissible.set()?, R::ZERO)?;
                rows.push(row).map_err(|_| Error::CapacityExceeded("rows"))
            });
            if made.is_err() {
                // numbers too extreme for a row: the joint holds nothing, and is counted
                self.rows.truncate(before);
                dropped = dropped.saturating_add(1);
                continue;
            }
            held.rows = self.rows.len().saturating_sub(before);
            // the same rows as in the last step start from what they carried
            if held.rows == warm.1 {
                self.rows.iter_mut().skip(before).zip(warm.0).for_each(|(row, gamma)| row.gamma = gamma);
            }
        }
        dropped
    }

    /// Three rows a contact, as long as there is room. Returns how many contacts found none.
    fn prepare_contacts(&mut self, h: R, settings: &StepSettings<R>) -> u32 {
        let mut unrowed = 0_u32;
        for contact in self.contacts.as_mut_slice() {
            let bodies = (self.bodies.get(contact.touch.body_a.0), self.bodies.get(contact.touch.body_b.0));
            let (Some(a), Some(b)) = bodies else { continue };
            let room = ROWS.saturating_sub(self.rows.len()) >= 3;
            match contact_rows(contact, a, b, h, settings) {
                Ok(rows) if room => rows.into_iter().for_each(|row| {
                    let _ = self.rows.push(row);
                }),
                _ => {
                    // no room, or numbers too extreme for a row: it carries nothing, and is counted
                    contact.impulses = [R::ZERO; 3];
                    contact.skip = true;
                    unrowed = unrowed.saturating_add(1);
                }
            }
        }
        unrowed
    }

    /// What rows carried, back to joints and contacts, in the order in which they were prepared.
    fn store_impulses(&mut self, context: &StepContext<R>) {
        let mut rest = &self.rows[..];
        for (_, held) in self.joints.iter_mut() {
            held.impulses = [R::ZERO; MAX_JOINT_ROWS];
            held.reaction = Reaction::default();
            let Some((rows, after)) = rest.split_at_checked(held.rows) else { return };
            rest = after;
            held.impulses.iter_mut().zip(rows).for_each(|(impulse, row)| *impulse = row.gamma);
            let Some((a, b)) = ends(&self.bodies, held) else { continue };
            let (pose_b, v_b) = b.map_or((Pose::IDENTITY, Vec6::ZERO), |b| (*b.pose(), b.velocity()));
            let impulses = held.impulses.get(..held.rows).unwrap_or_default();
            if let Ok(reaction) = held.joint.reaction(a.pose(), &pose_b, a.velocity(), v_b, context, impulses) {
                held.reaction = reaction;
            }
        }
        for contact in self.contacts.as_mut_slice().iter_mut().filter(|contact| !contact.skip) {
            let [n, t1, t2, after @ ..] = rest else { return };
            contact.impulses = [n.gamma, t1.gamma, t2.gamma];
            rest = after;
        }
    }

    fn integrate(&mut self, h: R) {
        for (index, body) in self.bodies.iter_mut() {
            if let Some(velocity) = self.velocities.get(usize::from(index)) {
                body.integrate(*velocity, h);
            }
        }
        for (_, held) in self.joints.iter_mut() {
            let Some((a, b)) = ends(&self.bodies, held) else { continue };
            held.joint.track(a.pose(), b.map_or(&Pose::IDENTITY, Body::pose));
        }
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

/// The bodies a joint holds; of the ground none.
fn ends<'a, R: Real, const BODIES: usize>(
    bodies: &'a Slots<Body<R>, BODIES>,
    held: &Held<R>,
) -> Option<(&'a Body<R>, Option<&'a Body<R>>)> {
    let b = match held.b {
        Some(b) => Some(bodies.get(b.0)?),
        None => None,
    };
    Some((bodies.get(held.a.0)?, b))
}

/// How far a collider can get within a step.
struct Reach<R> {
    /// of the ball round it. m
    radius: R,
    /// no point of it moves farther than this. m
    travel: R,
}

/// Free velocities count: what rests is about to fall.
fn reach<R: Real>(body: &Body<R>, collider: &Collider<R>, v: Vec6<R>, h: R) -> (Pose<R>, Reach<R>) {
    let length = |v: Vec3<R>| v.dot(v).sqrt();
    let radius = collider.shape.bounding_radius();
    let spin = length(v.angular);
    // 0 · ∞: a half-space that does not turn
    let swing = if spin > R::ZERO { spin * (length(collider.pose.position) + radius) } else { R::ZERO };
    let travel = h * (length(v.linear) + swing);
    (body.pose().then(&collider.pose), Reach { radius, travel })
}

/// Normal and tangents of a contact as rows.
fn contact_rows<R: Real>(
    contact: &Contact<R>,
    a: &Body<R>,
    b: &Body<R>,
    h: R,
    settings: &StepSettings<R>,
) -> Result<[Row<R>; 3], Error> {
    let point = &contact.point;
    let (arm_a, arm_b) = (point.position - a.pose().position, point.position - b.pose().position);
    let [mut n, mut t1, mut t2] = RowInput::contact(point.normal, arm_a, arm_b);
    let approach = n.jacobian_a.dot(a.velocity()) + n.jacobian_b.dot(b.velocity());
    n.target_velocity = contact.normal_target(h, settings.stabilisation, approach, settings.bounce_threshold);
    t1.target_velocity = contact.surface.dot(t1.jacobian_a.linear);
    t2.target_velocity = contact.surface.dot(t2.jacobian_a.linear);

    let (end_a, end_b) = ((contact.touch.body_a, a), (contact.touch.body_b, b));
    let row = |input, set, gamma| make_row(end_a, Some(end_b), input, set, gamma);
    let [gn, g1, g2] = contact.impulses;
    Ok([row(n, Set::Cone { mu: contact.friction }, gn)?, row(t1, Set::Tangent, g1)?, row(t2, Set::Tangent, g2)?])
}

/// One row between two bodies, or a body and the ground; what nothing moves goes into the right-hand side.
fn make_row<R: Real>(
    (id_a, a): (BodyId, &Body<R>),
    b: Option<(BodyId, &Body<R>)>,
    mut input: RowInput<R>,
    set: Set<R>,
    gamma: R,
) -> Result<Row<R>, Error> {
    let response_b = b.and_then(|(id, b)| Some((id.0.index, b.response()?)));
    let velocity_b = b.map_or(Vec6::ZERO, |(_, b)| b.velocity());
    let mut row = match (a.response(), response_b) {
        (Some(a), Some((index_b, b))) => Row::new((id_a.0.index, &a), Some((index_b, &b)), &input, set),
        (Some(a), None) => {
            input.target_velocity -= input.jacobian_b.dot(velocity_b);
            Row::new((id_a.0.index, &a), None, &input, set)
        }
        (None, Some((index_b, b))) => {
            input.target_velocity -= input.jacobian_a.dot(a.velocity());
            input.jacobian_a = input.jacobian_b;
            Row::new((index_b, &b), None, &input, set)
        }
        (None, None) => Err(Error::NonPositive("g + c")),
    }?;
    row.gamma = gamma;
    Ok(row)
}
