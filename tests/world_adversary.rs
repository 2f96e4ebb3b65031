//! Whatever is done to a world, in whatever order and with whatever numbers:
//!
//! ```text
//! refused     by the right name; no trace now, in the next steps or ever: a twin that was not even asked has the same hash
//! accepted    the twin, told the same, has the same hash and says the same of its step
//! ids         good until removed, refused ever after
//! numbers     poses, velocities, forces finite, orientations of length 1; a report that agrees with what is there
//! ```

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support {
    pub(crate) mod calls;
    pub(crate) mod seeded;
}

use proptest::prelude::*;
use proptest::test_runner::{TestCaseResult, TestRunner};
use std::cell::Cell;
use support::calls::{Call, Pick, call};
use support::seeded::seeded;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Real, Vec3, Vec6};
use tumble::record::Reader;
use tumble::shape::Shape;
use tumble::world::{Collider, ColliderId, JointId, Sleep, StepReport, StepSettings, World};
use tumble::{Error, Status};

// too small for all that is asked of it: every buffer overflows now and then
const BODIES: usize = 6;
const CONTACTS: usize = 9;
const ROWS: usize = 25;
const COLLIDERS: usize = 8;
const JOINTS: usize = 3;

type Small<R> = World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>;

// ---- what the test knows of it ------------------------------------------------------------------------------------------

/// An id that was given out once.
#[derive(Clone, Copy, Debug)]
struct Known<I, T> {
    id: I,
    alive: bool,
    of: T,
}

/// Every id there ever was, so that stale ones are tried as well.
struct Ledger<R> {
    /// and the sum of what pushes it in the next step
    bodies: Vec<Known<BodyId, Vec6<R>>>,
    /// and whose it is
    colliders: Vec<Known<ColliderId, BodyId>>,
    /// and what it joins
    joints: Vec<Known<JointId, [Option<BodyId>; 2]>>,
}

/// What a call gave back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer<R> {
    Done,
    Body(BodyId),
    Collider(ColliderId),
    Joint(JointId),
    Stepped(StepReport<R>),
}

/// Of those alive or of the others, as the pick says; of the others when all are gone.
fn choose<I: Copy, T>(known: &[Known<I, T>], pick: &Pick) -> (I, bool) {
    let alive = !pick.stale && known.iter().any(|known| known.alive);
    let of: Vec<I> = known.iter().filter(|known| known.alive == alive).map(|known| known.id).collect();
    (of[pick.index % of.len()], alive)
}

fn alive<I, T>(known: &[Known<I, T>]) -> usize {
    known.iter().filter(|known| known.alive).count()
}

impl<R: Real> Ledger<R> {
    /// At first only ids of another, larger world: places that this one does not have.
    fn new() -> Self {
        let mut larger = World::<R, { BODIES + 1 }, 1, 3, { COLLIDERS + 1 }, { JOINTS + 1 }>::new();
        let bodies =
            [(); BODIES + 1].map(|()| larger.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap());
        let [.., other, body] = bodies;
        let colliders =
            [(); COLLIDERS + 1].map(|()| larger.add_collider(body, Collider::new(Shape::HalfSpace)).unwrap());
        let ball = Joint::ball(Vec3::default(), Vec3::default()).unwrap();
        let joints = [(); JOINTS + 1].map(|()| larger.add_joint(body, Some(other), ball).unwrap());
        Self {
            bodies: vec![Known { id: body, alive: false, of: Vec6::ZERO }],
            colliders: vec![Known { id: colliders[COLLIDERS], alive: false, of: body }],
            joints: vec![Known { id: joints[JOINTS], alive: false, of: [Some(body), Some(other)] }],
        }
    }

    fn body(&self, pick: &Pick) -> (BodyId, bool) {
        choose(&self.bodies, pick)
    }

    fn force(&self, id: BodyId) -> Vec6<R> {
        self.bodies.iter().find(|body| body.id == id).map_or(Vec6::ZERO, |body| body.of)
    }

    /// Why the world should refuse this; in the order in which the documentation names it.
    fn refusal(&self, world: &Small<R>, call: &Call<R>) -> Result<(), Error> {
        let present = |alive: bool, error: Error| if alive { Ok(()) } else { Err(error) };
        let body = |pick: &Pick| {
            let (id, alive) = self.body(pick);
            present(alive, Error::NoSuchBody).map(|()| id)
        };
        // a copy of the joint says what is wrong with a change
        let joint = |pick: &Pick| {
            let (id, alive) = choose(&self.joints, pick);
            present(alive, Error::NoSuchJoint).map(|()| *world.joint(id).unwrap())
        };
        let room = |taken: usize, most: usize, name| present(taken < most, Error::CapacityExceeded(name));
        match call {
            Call::AddBody(_) => room(alive(&self.bodies), BODIES, "bodies"),
            Call::AddCollider(pick, collider) => {
                body(pick)?;
                usable(collider)?;
                room(alive(&self.colliders), COLLIDERS, "colliders")
            }
            Call::SetCollider(pick, collider) => {
                usable(collider)?;
                present(choose(&self.colliders, pick).1, Error::NoSuchCollider)
            }
            Call::AddJoint(a, b, _) => {
                let a = body(a)?;
                if let Some(b) = b {
                    present(body(b)? != a, Error::SameBody)?;
                }
                room(alive(&self.joints), JOINTS, "joints")
            }
            Call::SetVelocity(pick, velocity) => {
                let id = body(pick)?;
                present(velocity.is_finite(), Error::NonFinite("velocity"))?;
                present(world.body(id)?.motion() != &Motion::Fixed, Error::OutOfRange("velocity"))
            }
            Call::AddForce(pick, force) => {
                let sum = self.force(body(pick)?) + *force;
                present(sum.is_finite(), Error::NonFinite("force"))
            }
            Call::SetPose(pick, pose) => {
                body(pick)?;
                present(pose.is_finite(), Error::NonFinite("pose"))
            }
            Call::SetMotor(pick, coordinate, motor) => joint(pick)?.set_motor(*coordinate, *motor),
            Call::SetLength(pick, length, rate) => joint(pick)?.set_length(*length, *rate),
            Call::RemoveBody(pick) => body(pick).map(|_| ()),
            Call::RemoveCollider(pick) => present(choose(&self.colliders, pick).1, Error::NoSuchCollider),
            Call::RemoveJoint(pick) => present(choose(&self.joints, pick).1, Error::NoSuchJoint),
            Call::Clear => Ok(()),
            Call::Step { h, settings, .. } => {
                // so short that nothing can be divided by it is no length
                let long = |h: R| h > R::ZERO && (R::ONE / h).is_finite();
                present(h.is_finite(), Error::NonFinite("h"))?;
                present(long(*h), Error::NonPositive("h"))?;
                present(*h <= R::from_f64(1e6), Error::OutOfRange("h"))?;
                settings.check()?;
                present(long(*h / R::from_u16(settings.substeps)), Error::NonPositive("h"))
            }
        }
    }

    /// Ask it of a world; of a step, one.
    fn ask(&self, world: &mut Small<R>, call: &Call<R>) -> Result<Answer<R>, Error> {
        let done = |()| Answer::Done;
        let (collider_id, joint_id) =
            (|pick: &Pick| choose(&self.colliders, pick).0, |pick: &Pick| choose(&self.joints, pick).0);
        let body_id = |pick: &Pick| self.body(pick).0;
        match call {
            Call::AddBody(body) => world.add_body(*body).map(Answer::Body),
            Call::AddCollider(pick, collider) => world.add_collider(body_id(pick), *collider).map(Answer::Collider),
            Call::SetCollider(pick, collider) => world.set_collider(collider_id(pick), *collider).map(done),
            Call::AddJoint(a, b, joint) => {
                world.add_joint(body_id(a), b.as_ref().map(body_id), *joint).map(Answer::Joint)
            }
            Call::SetVelocity(pick, velocity) => world.body_mut(body_id(pick))?.set_velocity(*velocity).map(done),
            Call::AddForce(pick, force) => world.body_mut(body_id(pick))?.add_force(*force).map(done),
            Call::SetPose(pick, pose) => world.body_mut(body_id(pick))?.set_pose(*pose).map(done),
            Call::SetMotor(pick, coordinate, motor) => {
                world.joint_mut(joint_id(pick))?.set_motor(*coordinate, *motor).map(done)
            }
            Call::SetLength(pick, length, rate) => {
                world.joint_mut(joint_id(pick))?.set_length(*length, *rate).map(done)
            }
            Call::RemoveBody(pick) => world.remove_body(body_id(pick)).map(done),
            Call::RemoveCollider(pick) => world.remove_collider(collider_id(pick)).map(done),
            Call::RemoveJoint(pick) => world.remove_joint(joint_id(pick)).map(done),
            Call::Clear => {
                world.clear();
                Ok(Answer::Done)
            }
            Call::Step { h, settings, .. } => world.step(*h, settings).map(Answer::Stepped),
        }
    }

    /// Write down what has changed.
    fn note(&mut self, call: &Call<R>, answer: &Answer<R>) {
        match (call, *answer) {
            (_, Answer::Body(id)) => self.bodies.push(Known { id, alive: true, of: Vec6::ZERO }),
            (Call::AddCollider(pick, _), Answer::Collider(id)) => {
                self.colliders.push(Known { id, alive: true, of: self.body(pick).0 });
            }
            (Call::AddJoint(a, b, _), Answer::Joint(id)) => {
                let of = [Some(self.body(a).0), b.as_ref().map(|b| self.body(b).0)];
                self.joints.push(Known { id, alive: true, of });
            }
            (Call::AddForce(pick, force), _) => {
                let id = self.body(pick).0;
                self.bodies.iter_mut().filter(|body| body.id == id).for_each(|body| body.of = body.of + *force);
            }
            (Call::RemoveBody(pick), _) => {
                let id = self.body(pick).0;
                self.bodies.iter_mut().filter(|body| body.id == id).for_each(|body| body.alive = false);
                self.colliders.iter_mut().filter(|shape| shape.of == id).for_each(|shape| shape.alive = false);
                self.joints
                    .iter_mut()
                    .filter(|joint| joint.of.contains(&Some(id)))
                    .for_each(|joint| joint.alive = false);
            }
            (Call::RemoveCollider(pick), _) => {
                let id = choose(&self.colliders, pick).0;
                self.colliders.iter_mut().filter(|shape| shape.id == id).for_each(|shape| shape.alive = false);
            }
            (Call::RemoveJoint(pick), _) => {
                let id = choose(&self.joints, pick).0;
                self.joints.iter_mut().filter(|joint| joint.id == id).for_each(|joint| joint.alive = false);
            }
            // ids from before may find a newcomer: forget them
            (Call::Clear, _) => *self = Self::new(),
            (Call::Step { .. }, _) => self.bodies.iter_mut().for_each(|body| body.of = Vec6::ZERO),
            _ => {}
        }
    }
}

/// What an empty world says of a collider.
fn usable<R: Real>(collider: &Collider<R>) -> Result<(), Error> {
    let mut world = World::<R, 1, 1, 3>::new();
    let id = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
    world.add_collider(id, *collider).map(|_| ())
}

// ---- what has to hold ---------------------------------------------------------------------------------------------------

/// How often it happened, or the test would show nothing.
#[derive(Debug, Default)]
struct Tally {
    refused: Cell<u32>,
    stale: Cell<u32>,
    touched: Cell<u32>,
    dropped: Cell<u32>,
    asleep: Cell<u32>,
    halted: Cell<u32>,
    overflowed: Cell<u32>,
}

fn count(into: &Cell<u32>, often: impl Into<u32>) {
    into.set(into.get().saturating_add(often.into()));
}

/// Something to fall on.
fn floor<R: Real>() -> [Call<R>; 2] {
    let first = Pick { stale: false, index: 0 };
    let body = Body::new(Motion::Fixed, Pose::IDENTITY).unwrap();
    [Call::AddBody(body), Call::AddCollider(first, Collider::new(Shape::HalfSpace))]
}

fn play<R: Real>(calls: &[Call<R>], tally: &Tally) -> TestCaseResult {
    let (mut world, mut twin, mut ledger) = (Small::<R>::new(), Small::<R>::new(), Ledger::new());
    for call in floor().iter().chain(calls) {
        let times = if let Call::Step { times, .. } = call { *times } else { 1 };
        for _ in 0..times {
            let expected = ledger.refusal(&world, call);
            let mut before = world.clone();
            let answer = ledger.ask(&mut world, call);
            prop_assert_eq!(answer.map(|_| ()), expected, "{:?}", call);
            match answer {
                Ok(answer) => {
                    if let Call::Clear = call {
                        // as new, to the bit
                        twin = Small::new();
                    } else {
                        // reports as well: nothing in them is NaN
                        prop_assert_eq!(ledger.ask(&mut twin, call), Ok(answer), "{:?}", call);
                    }
                    ledger.note(call, &answer);
                    if let (Call::Step { settings, .. }, Answer::Stepped(report)) = (call, answer) {
                        check_report(&world, &ledger, settings, &report, tally)?;
                    }
                }
                Err(error) => {
                    count(&tally.refused, 1_u32);
                    count(
                        &tally.stale,
                        matches!(error, Error::NoSuchBody | Error::NoSuchCollider | Error::NoSuchJoint),
                    );
                    // to look at a joint in order to change it wakes its bodies: documented, and no part of the refusal
                    if let Call::SetMotor(pick, ..) | Call::SetLength(pick, ..) = call {
                        let id = choose(&ledger.joints, pick).0;
                        prop_assert_eq!(before.joint_mut(id).is_ok(), twin.joint_mut(id).is_ok());
                    }
                    check_no_trace(world.clone(), before, call)?;
                }
            }
            prop_assert_eq!(world.state_hash(), twin.state_hash(), "{:?}", call);
            check_ids(&world, &ledger)?;
            check_numbers(&world, &ledger)?;
            check_snapshot(&world)?;
        }
    }
    Ok(())
}

/// The hash is the same, and so are the next steps: with sleep, so that what is not hashed shows.
fn check_no_trace<R: Real>(mut world: Small<R>, mut before: Small<R>, call: &Call<R>) -> TestCaseResult {
    let sleep = Some(Sleep { speed: R::from_f64(0.1), spin: R::ONE, time: R::from_f64(0.004) });
    let settings = StepSettings { sleep, ..StepSettings::default() };
    prop_assert_eq!(world.state_hash(), before.state_hash(), "{:?} left a trace", call);
    for _ in 0..2 {
        let [ours, theirs] = [&mut world, &mut before].map(|world| world.step(R::from_f64(1e-3), &settings).unwrap());
        prop_assert_eq!(ours, theirs, "{:?} left a hidden trace", call);
        prop_assert_eq!(world.state_hash(), before.state_hash(), "{:?} left a hidden trace", call);
    }
    Ok(())
}

/// Who is there is found, who is gone is refused by its kind.
fn check_ids<R: Real>(world: &Small<R>, ledger: &Ledger<R>) -> TestCaseResult {
    let found = |alive: bool, error: Error| if alive { Ok(()) } else { Err(error) };
    for body in &ledger.bodies {
        let found = found(body.alive, Error::NoSuchBody);
        prop_assert_eq!(world.body(body.id).map(|_| ()), found);
        prop_assert_eq!(world.contact_force(body.id).map(|_| ()), found);
        prop_assert_eq!(world.body_ids().any(|id| id == body.id), body.alive);
    }
    for collider in &ledger.colliders {
        prop_assert_eq!(world.collider(collider.id).map(|_| ()), found(collider.alive, Error::NoSuchCollider));
    }
    for joint in &ledger.joints {
        prop_assert_eq!(world.joint(joint.id).map(|_| ()), found(joint.alive, Error::NoSuchJoint));
        prop_assert_eq!(world.reaction(joint.id).map(|_| ()), found(joint.alive, Error::NoSuchJoint));
    }
    prop_assert_eq!(world.body_count(), alive(&ledger.bodies));
    prop_assert_eq!(world.body_ids().count(), alive(&ledger.bodies));
    Ok(())
}

fn check_numbers<R: Real>(world: &Small<R>, ledger: &Ledger<R>) -> TestCaseResult {
    for id in world.body_ids() {
        let body = world.body(id).unwrap();
        prop_assert!(body.pose().is_finite() && body.velocity().is_finite(), "{:?}", body);
        prop_assert!(body.motion() != &Motion::Fixed || body.velocity() == Vec6::ZERO, "{:?}", body);
        let length: f64 = body.pose().orientation.components().iter().map(|q| q.to_f64() * q.to_f64()).sum();
        // root, quotient and four squares are rounded: ½ ε each, the first two count twice
        prop_assert!((length - 1.0).abs() <= 4.0 * R::EPSILON.to_f64(), "{} in {:?}", length, body);
        let force = world.contact_force(id).unwrap();
        prop_assert!(force.is_finite(), "{:?} on {:?}", force, body);
    }
    for contact in world.contacts() {
        prop_assert!(world.body(contact.body_a).is_ok() && world.body(contact.body_b).is_ok(), "{:?}", contact);
        prop_assert!(contact.body_a != contact.body_b, "{:?}", contact);
        prop_assert!(world.collider(contact.collider_a).is_ok() && world.collider(contact.collider_b).is_ok());
        prop_assert!(contact.position.is_finite() && contact.gap.is_finite(), "{:?}", contact);
        prop_assert!(contact.force.is_finite() && contact.torque.is_finite(), "{:?}", contact);
        let length = contact.normal.dot(contact.normal).to_f64();
        prop_assert!((length - 1.0).abs() <= 16.0 * R::EPSILON.to_f64(), "{} in {:?}", length, contact);
    }
    for Known { id, .. } in ledger.joints.iter().filter(|joint| joint.alive) {
        let (joint, reaction) = (world.joint(*id).unwrap(), world.reaction(*id).unwrap());
        prop_assert!(reaction.force.is_finite() && reaction.torque.is_finite(), "{:?} of {:?}", reaction, joint);
        prop_assert!(joint.memory().iter().all(|turn| turn.is_finite()), "{:?}", joint);
    }
    Ok(())
}

/// A world restores its own snapshot.
fn check_snapshot<R: Real>(world: &Small<R>) -> TestCaseResult {
    let save = |world: &Small<R>| {
        let mut bytes = Vec::new();
        world.save(&[], &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
        bytes
    };
    let (bytes, mut restored) = (save(world), Small::<R>::new());
    prop_assert_eq!(restored.restore(&[], &mut Reader::new(&bytes)), Ok(()));
    prop_assert_eq!(save(&restored), bytes);
    Ok(())
}

/// Does the verdict agree with itself, with the settings and with what is there?
fn check_report<R: Real>(
    world: &Small<R>,
    ledger: &Ledger<R>,
    settings: &StepSettings<R>,
    report: &StepReport<R>,
    tally: &Tally,
) -> TestCaseResult {
    let size = |n: usize| u32::try_from(n).unwrap();
    let bodies = || world.body_ids().map(|id| world.body(id).unwrap());
    let dynamic = size(bodies().filter(|body| body.is_dynamic()).count());
    let asleep = size(bodies().filter(|body| body.is_asleep()).count());
    let substeps = u32::from(settings.substeps);
    let solve = report.solve;

    prop_assert!(report.contacts <= size(CONTACTS), "{:?}", report);
    // the most of any sub-step, and those of the last
    let last = size(world.contacts().count());
    prop_assert!(last == report.contacts || (last < report.contacts && substeps > 1), "{} in {:?}", last, report);
    prop_assert!(report.islands <= dynamic, "{:?}", report);
    prop_assert!(report.bodies_asleep == asleep && asleep <= dynamic, "{:?}", report);
    prop_assert!(settings.sleep.is_some() || asleep == 0, "{:?}", report);
    prop_assert!(report.joints_dropped <= substeps * size(alive(&ledger.joints)), "{:?}", report);
    // where it drifts, and where it arrives
    prop_assert!(report.bodies_halted <= 2 * substeps * size(world.body_count()), "{:?}", report);
    // an island that would gain energy is solved twice
    prop_assert!(solve.iterations <= 2 * substeps * settings.solve.iterations, "{:?}", report);
    prop_assert!(report.penetration.is_finite() && report.penetration >= R::ZERO, "{:?}", report);
    let overflowed = solve.status == Status::NonFinite;
    for amount in [solve.energy, solve.violation] {
        prop_assert!(amount >= R::ZERO, "{:?}", report);
        prop_assert!(amount.is_finite() || overflowed, "{:?}", report);
    }
    // the tolerance holds for every island of every sub-step; adding them up rounds
    let tolerance = settings.solve.tolerance.to_f64() * f64::from(substeps * report.islands) * 1.001;
    prop_assert!(solve.status != Status::Converged || solve.energy.to_f64() <= tolerance, "{:?}", report);

    count(&tally.touched, report.contacts);
    count(&tally.dropped, report.contacts_dropped);
    count(&tally.asleep, asleep);
    count(&tally.halted, report.bodies_halted);
    count(&tally.overflowed, overflowed);
    Ok(())
}

/// Each of 20 to 60 calls.
const CASES: u32 = 120;

/// Magnitudes from `10^-decades` to `10^decades` among tame ones. Tame numbers may overflow as well: nobody promises that steps which are solved by
/// a sweep or none, or with β < ½, stay small. What is promised is that they say so.
fn attack<R: Real>(decades: f64) -> Tally {
    let tally = Tally::default();
    let calls = prop::collection::vec(call::<R>(decades), 20..60);
    let played = TestRunner::new(seeded(CASES)).run(&calls, |calls| play(&calls, &tally));
    played.unwrap_or_else(|failure| panic!("{failure}"));
    let Tally { refused, stale, touched, dropped, asleep, .. } = &tally;
    for (happened, what) in
        [(refused, "refused"), (stale, "stale"), (touched, "touched"), (dropped, "dropped"), (asleep, "asleep")]
    {
        assert!(happened.get() > CASES / 4, "{what} only {} times", happened.get());
    }
    tally
}

#[test]
fn tame_numbers() {
    attack::<f32>(0.0);
    attack::<f64>(0.0);
}

#[test]
fn six_decades_up_and_down() {
    attack::<f32>(6.0);
    attack::<f64>(6.0);
}

#[test]
fn eighteen_decades_up_and_down() {
    attack::<f32>(18.0);
    attack::<f64>(18.0);
}

#[test]
fn all_decades_of_single_precision() {
    let Tally { halted, overflowed, .. } = attack::<f32>(38.0);
    assert!(halted.get() > 0 && overflowed.get() > 0, "{halted:?} {overflowed:?}");
    attack::<f64>(38.0);
}

#[test]
fn all_decades_of_double_precision() {
    let Tally { halted, overflowed, .. } = attack::<f64>(308.0);
    assert!(halted.get() > 0 && overflowed.get() > 0, "{halted:?} {overflowed:?}");
}
