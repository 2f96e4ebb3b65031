//! A world as plain bytes: restored it goes on to the bit, whatever it was in the middle of; and bytes that are not a snapshot change nothing.

// tests may panic
#![allow(clippy::disallowed_methods, missing_docs)]

use proptest::prelude::*;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Kind, Motor, Spring, Target};
use tumble::math::{Pose, Quat, Real, Vec3, Vec6};
use tumble::record::{Persist, Reader, Writer};
use tumble::shape::Shape;
use tumble::world::Costs;
use tumble::world::{Collider, Landing, Material, Plan, Sleep, StepSettings, World};
use tumble_scenes::scene::AnyWorld;
use tumble_scenes::solids::{ALL, CUBE, NUT};
use tumble_scenes::{
    Scene, SmallBottles, SmallCascade, SmallDicePlate, SmallGripper, SmallSetup, SmallSpringChain, SmallStressDrop,
    SmallWheels,
};

/// Larger than any small scene in every way.
type Roomy = World<f32, 70, 400, 1200, 120, 30>;

fn bytes_of(world: &dyn AnyWorld) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.save(&ALL, &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
    bytes
}

/// Step a scene on its own; and a copy of it whose world, at the moment `at`, is taken away, knocked about, and restored.
fn goes_on(mut scene: impl Scene + Clone, sleep: bool, moments: &[u32], after: u32) {
    scene.reset().unwrap();
    let h = scene.h();
    let settings = StepSettings { sleep: sleep.then(|| Sleep { time: 0.05, ..Sleep::default() }), ..scene.settings() };
    let odd = StepSettings { gravity: Vec3::new(3.0, 0.0, 2.0), substeps: 2, ..settings };
    let mut now = 0;
    for &at in moments {
        for _ in now..at {
            let _ = scene.step(h, &settings).unwrap();
        }
        now = at;
        let (mut kept, mut restored) = (scene.clone(), scene.clone());
        let snapshot = bytes_of(scene.world());
        for step in 0..after {
            let a = kept.step(h, &settings).unwrap();
            let b = restored.step_by(h, &settings, &mut |world, h| {
                if step == 0 {
                    // driven already: what is saved now is what the step begins with
                    let driven = bytes_of(world);
                    for _ in 0..3 {
                        let _ = world.step(2.0 * h, &odd)?;
                    }
                    assert_ne!(bytes_of(world), snapshot);
                    world.restore(&ALL, &mut Reader::new(&driven))?;
                    assert_eq!(bytes_of(world), driven);
                }
                world.step(h, &settings)
            });
            assert_eq!((a, kept.state_hash()), (b.unwrap(), restored.state_hash()), "{step} steps after {at}");
        }
        assert_eq!(bytes_of(kept.world()), bytes_of(restored.world()));
    }
}

/// Every step is made in a larger world, between two snapshots.
fn plays_elsewhere(mut scene: impl Scene + Clone, steps: u32) {
    scene.reset().unwrap();
    let mut guest = scene.clone();
    let (h, settings) = (scene.h(), scene.settings());
    let mut elsewhere = Box::new(Roomy::new());
    for step in 0..steps {
        let a = scene.step(h, &settings).unwrap();
        let b = guest.step_by(h, &settings, &mut |world, h| {
            AnyWorld::restore(&mut *elsewhere, &ALL, &mut Reader::new(&bytes_of(world)))?;
            let report = AnyWorld::step(&mut *elsewhere, h, &settings)?;
            world.restore(&ALL, &mut Reader::new(&bytes_of(&*elsewhere)))?;
            Ok(report)
        });
        assert_eq!((a, scene.state_hash()), (b.unwrap(), guest.state_hash()), "step {step}");
    }
}

#[test]
fn joints_go_on() {
    goes_on(SmallGripper::new(), false, &[0, 1, 150, 400], 120);
    goes_on(SmallSpringChain::new(), true, &[0, 1, 300], 120);
    goes_on(SmallStressDrop::new(), false, &[3, 250], 60);
}

#[test]
fn polyhedra_go_on() {
    goes_on(SmallSetup::new(), true, &[0, 40, 200], 60);
    goes_on(SmallDicePlate::new(), false, &[1, 150], 60);
    goes_on(SmallWheels::new(), false, &[90], 60);
}

#[test]
fn belts_and_heaps_go_on() {
    goes_on(SmallBottles::new(), true, &[200, 900], 60);
    goes_on(SmallCascade::new(), true, &[300, 900], 60);
}

#[test]
fn steps_are_the_same_in_a_larger_world() {
    plays_elsewhere(SmallGripper::new(), 120);
    plays_elsewhere(SmallSetup::new(), 60);
    plays_elsewhere(SmallCascade::new(), 150);
    plays_elsewhere(SmallSpringChain::new(), 120);
}

type Yard = World<f32, 6, 32, 96, 8, 3>;
const H: f32 = 1e-3;

fn sleepy() -> StepSettings<f32> {
    StepSettings { sleep: Some(Sleep { time: 0.05, ..Sleep::default() }), ..StepSettings::default() }
}

fn add<const B: usize, const C: usize, const N: usize, const S: usize, const J: usize>(
    world: &mut World<f32, B, C, N, S, J>,
    shape: Shape<f32>,
    at: Vec3<f32>,
) -> BodyId {
    let body = Body::new(Motion::Dynamic(shape.mass_properties(2700.0).unwrap()), Pose::at(at)).unwrap();
    let id = world.add_body(body).unwrap();
    world.add_collider(id, Collider::new(shape)).unwrap();
    id
}

fn cube(half: f32) -> Shape<f32> {
    Shape::Box { half: Vec3::new(half, half, half) }
}

fn floor<const B: usize, const C: usize, const N: usize, const S: usize, const J: usize>(
    world: &mut World<f32, B, C, N, S, J>,
) {
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
}

/// Boxes that rest and fall asleep, one that was there and one that came in its place, a free place, and a rod to the ground.
fn yard() -> (Box<Yard>, [BodyId; 3]) {
    let mut world = Box::new(Yard::new());
    floor(&mut world);
    let gone = add(&mut *world, cube(0.01), Vec3::new(0.2, 0.0, 0.01));
    let below = add(&mut *world, cube(0.01), Vec3::new(0.0, 0.0, 0.01));
    let above = add(&mut *world, cube(0.01), Vec3::new(0.0, 0.0, 0.0301));
    let also_gone = add(&mut *world, cube(0.01), Vec3::new(-0.2, 0.0, 0.01));
    for _ in 0..20 {
        let _ = world.step(H, &sleepy()).unwrap();
    }
    world.remove_body(gone).unwrap();
    world.remove_body(also_gone).unwrap();
    let hangs = add(&mut *world, Shape::Sphere { radius: 0.02 }, Vec3::new(0.5, 0.0, 0.5));
    let rod = Joint::distance(Vec3::default(), Vec3::new(0.3, 0.0, 0.6), 0.22).unwrap();
    world.add_joint(hangs, None, rod).unwrap();
    (world, [below, above, hangs])
}

fn saved(world: &Yard) -> Vec<u8> {
    bytes_of(world)
}

#[test]
fn sleepers_sleep_on_and_ids_stay_valid() {
    let (mut world, [below, above, hangs]) = yard();
    let mut slept = 0;
    for step in 0..300 {
        let mut restored = Box::new(Roomy::new());
        AnyWorld::restore(&mut *restored, &ALL, &mut Reader::new(&saved(&world))).unwrap();
        let (a, b) = (world.step(H, &sleepy()).unwrap(), restored.step(H, &sleepy()).unwrap());
        assert_eq!((a, world.state_hash()), (b, restored.state_hash()), "step {step}");
        for id in [below, above, hangs] {
            assert_eq!(restored.body(id), world.body(id));
            assert_eq!(restored.contact_force(id), world.contact_force(id));
        }
        assert!(restored.contacts().eq(world.contacts()));
        slept += u32::from(a.bodies_asleep == 2);
    }
    assert!(slept > 100, "{slept}");
    // the next body takes the same place in both, with the same generation
    let mut restored = Box::new(Roomy::new());
    AnyWorld::restore(&mut *restored, &ALL, &mut Reader::new(&saved(&world))).unwrap();
    for _ in 0..3 {
        let at = Vec3::new(-0.2, 0.0, 0.5);
        if world.body_count() < 6 {
            assert_eq!(add(&mut *world, cube(0.01), at), add(&mut *restored, cube(0.01), at));
        }
    }
    assert_eq!(world.remove_body(below), restored.remove_body(below));
    let (a, b) = (world.step(H, &sleepy()).unwrap(), restored.step(H, &sleepy()).unwrap());
    // everything wakes: something was taken away
    assert_eq!((a, a.bodies_asleep, world.state_hash()), (b, 0, restored.state_hash()));
}

#[test]
fn a_snapshot_is_as_small_as_documented() {
    let mut world = Box::new(Yard::new());
    let empty = saved(&world).len();
    // head and sum; h, gravity and whether it is disturbed; three counts of places, one of contacts
    assert_eq!(empty, 11 + 4 + 17 + 3 * 4 + 4);
    floor(&mut world);
    assert_eq!(saved(&world).len() - empty, 87 + 77);
    let before = saved(&world).len();
    add(&mut *world, cube(0.01), Vec3::new(0.0, 0.0, 0.01));
    assert_eq!(saved(&world).len() - before, 103 + 89);
    let before = saved(&world).len();
    assert_eq!(world.step(H, &sleepy()).unwrap().contacts, 4);
    assert_eq!(saved(&world).len() - before, 4 * 67);
}

#[test]
fn what_was_said_before_the_step_is_kept() {
    let (mut world, [below, above, hangs]) = yard();
    for _ in 0..200 {
        let _ = world.step(H, &sleepy()).unwrap();
    }
    let say: [&dyn Fn(&mut Yard); 6] = [
        // those that sleep do not touch it, and wake all the same
        &|world| world.body_mut(hangs).unwrap().set_pose(Pose::at(Vec3::new(0.5, 0.0, 0.51))).unwrap(),
        &|world| {
            world.body_mut(above).unwrap().add_force(Vec6::new(Vec3::new(1.0, 0.0, 0.3), Vec3::default())).unwrap()
        },
        &|world| world.body_mut(below).unwrap().set_pose(Pose::at(Vec3::new(0.001, 0.0, 0.02))).unwrap(),
        &|world| {
            world.body_mut(hangs).unwrap().set_velocity(Vec6::new(Vec3::default(), Vec3::new(0.0, 9.0, 0.0))).unwrap()
        },
        &|world| world.remove_body(above).unwrap(),
        &|_| {},
    ];
    for said in say {
        let mut world = world.clone();
        said(&mut world);
        let mut restored = Box::new(Yard::new());
        AnyWorld::restore(&mut *restored, &ALL, &mut Reader::new(&saved(&world))).unwrap();
        assert!(restored.contacts().eq(world.contacts()));
        // gravity is compared with that of the last step, impulses are those of its length
        for (h, gravity) in [(2.0 * H, -9.81), (H, -9.81), (H, 5.0)] {
            let settings = StepSettings { gravity: Vec3::new(0.0, 0.0, gravity), ..sleepy() };
            let (a, b) = (world.step(h, &settings).unwrap(), restored.step(h, &settings).unwrap());
            assert_eq!((a, world.state_hash()), (b, restored.state_hash()));
        }
    }
}

/// One of every shape, joint and drive, in either precision.
fn menagerie<R: Real>() -> World<R, 20, 60, 300, 20, 20> {
    let r = R::from_f64;
    let three = |x, y, z| Vec3::new(r(x), r(y), r(z));
    let mut world = World::new();
    let shapes = [
        Shape::Sphere { radius: r(0.02) },
        Shape::Capsule { radius: r(0.01), half_length: r(0.02) },
        Shape::Cylinder { radius: r(0.02), half_length: r(0.01) },
        Shape::Box { half: three(0.01, 0.02, 0.03) },
    ];
    let turned = Quat::new(r(0.9), r(0.1), r(-0.2), r(0.3)).unwrap();
    let mut ids = Vec::new();
    for (k, shape) in (0..12).zip(shapes.into_iter().cycle()) {
        let pose = Pose { position: three(0.1 * f64::from(k), 0.0, 0.02), orientation: turned };
        let motion = match k {
            10 => Motion::Kinematic,
            _ => Motion::Dynamic(shape.mass_properties(r(1000.0)).unwrap()),
        };
        let id = world.add_body(Body::new(motion, pose).unwrap()).unwrap();
        let material = Material {
            friction: r(0.3),
            rolling_friction: r(0.001 * f64::from(k % 2)),
            spinning_friction: r(0.002 * f64::from(k % 3)),
            restitution: r(0.5),
            compliance: r(if k == 7 { 1e-4 } else { 0.0 }),
            damping: r(0.1),
        };
        let pose = Pose { position: three(0.001, 0.0, 0.002), orientation: turned };
        let surface_velocity = three(0.0, 0.01, 0.0);
        world.add_collider(id, Collider { pose, material, surface_velocity, ..Collider::new(shape) }).unwrap();
        ids.push(id);
    }
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let axle = |k: usize| *world.body(ids[k]).unwrap().pose();
    let (a, b) = (axle(0), axle(1));
    let frame = Joint::frame(three(0.01, 0.0, 0.0), three(0.0, 1.0, 1.0)).unwrap();
    let here = Pose::at(three(-0.09, 0.0, 0.0));
    let place = Target::Position { position: r(0.1), rate: r(0.2), speed: R::INFINITY };
    let joints = [
        Joint::ball(three(0.05, 0.0, 0.0), three(-0.05, 0.0, 0.0)).unwrap().with_cone(r(1.0)).unwrap(),
        Joint::revolute(frame, here)
            .and_then(|joint| joint.with_motor(Coordinate::Turn, Motor::velocity(r(20.0), R::INFINITY)?))
            .and_then(|joint| joint.with_limit(Coordinate::Turn, -R::INFINITY, r(50.0)))
            .unwrap(),
        Joint::prismatic(frame, here)
            .and_then(|joint| joint.with_motor(Coordinate::Slide, Motor::new(place, r(3.0))?))
            .unwrap(),
        Joint::cylindrical(frame, here)
            .and_then(|joint| joint.with_spring(Coordinate::Slide, Spring::new(r(10.0), r(0.1), r(0.01))?))
            .unwrap(),
        Joint::universal(frame, here).unwrap(),
        Joint::fixed(frame, here).unwrap(),
        Joint::new(Kind::Distance { length: r(0.1), rate: r(0.01) }, frame, here).unwrap(),
        Joint::new(Kind::Rope { length: r(0.12), rate: r(-0.01) }, frame, here)
            .and_then(|joint| joint.with_spring(Coordinate::Slide, Spring::new(r(10.0), r(0.0), r(0.0))?))
            .unwrap(),
        Joint::screw(frame, here, r(0.01)).unwrap(),
        Joint::gear(r(-2.0), &a, a, &b, b).unwrap(),
        Joint::rack(r(0.1), &a, a, &b, b).unwrap(),
    ];
    for (joint, pair) in joints.into_iter().zip(ids.windows(2)) {
        world.add_joint(pair[0], Some(pair[1]), joint).unwrap();
    }
    world
}

#[test]
fn every_shape_joint_and_drive_comes_back_in_both_precisions() {
    fn check<R: Real>() {
        let (h, settings) = (R::from_f64(1e-3), StepSettings::<R>::default());
        let mut world = menagerie::<R>();
        for step in 0..100 {
            let mut bytes = Vec::new();
            world.save(&[], &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
            let mut restored = menagerie::<R>();
            restored.restore(&[], &mut Reader::new(&bytes)).unwrap();
            let mut again = Vec::new();
            restored.save(&[], &mut |more: &[u8]| again.extend_from_slice(more)).unwrap();
            assert_eq!(bytes, again);
            let (a, b) = (world.step(h, &settings).unwrap(), restored.step(h, &settings).unwrap());
            assert_eq!((a, world.state_hash()), (b, restored.state_hash()), "step {step}");
            assert!(restored.contacts().eq(world.contacts()));
        }
    }
    check::<f32>();
    check::<f64>();
    let mut bytes = Vec::new();
    menagerie::<f64>().save(&[], &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
    let single = menagerie::<f32>().restore(&[], &mut Reader::new(&bytes));
    assert_eq!(single, Err(Error::UnknownFormat("snapshot")));
}

#[test]
fn settings_come_back() {
    let plan = Plan { costs: Costs { closing_body: 7, ..Costs::CORTEX_M4F }, ticks: 123_456 };
    let odd = StepSettings::<f32> {
        landing: Landing::Touching,
        pyramid: Some(8),
        substeps: 3,
        sleep: Some(Sleep::default()),
        plan: Some(plan),
        ..StepSettings::hart(0.5)
    };
    for settings in [StepSettings::default(), odd] {
        let mut bytes = Vec::new();
        settings.save(&mut |more: &[u8]| bytes.extend_from_slice(more));
        assert_eq!(StepSettings::load(&mut Reader::new(&bytes)), Ok(settings));
        for end in 0..bytes.len() {
            assert_eq!(StepSettings::<f32>::load(&mut Reader::new(&bytes[..end])), Err(Error::Truncated));
        }
    }
    let mut bytes = Vec::new();
    StepSettings { alpha: 2.0_f32, ..odd }.save(&mut |more: &[u8]| bytes.extend_from_slice(more));
    assert_eq!(StepSettings::<f32>::load(&mut Reader::new(&bytes)), Err(Error::OutOfRange("alpha")));
}

/// What a restore says, having changed nothing.
fn refused(world: &mut Yard, bytes: &[u8]) -> Error {
    let before = saved(world);
    let mut reader = Reader::new(bytes);
    let error = AnyWorld::restore(world, &ALL, &mut reader).unwrap_err();
    assert_eq!(reader.position(), 0);
    assert_eq!(saved(world), before);
    error
}

/// With a checksum that is right again.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len() - 4];
    // bit by bit, as in the standard
    let mut crc = u32::MAX;
    for byte in body {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    [body, &(!crc).to_le_bytes()].concat()
}

#[test]
fn every_truncation_and_every_flipped_bit_is_refused() {
    let (mut world, _) = yard();
    let _ = world.step(H, &sleepy()).unwrap();
    let bytes = saved(&world);
    assert_eq!(mended(&bytes), bytes);
    for end in 0..bytes.len() {
        assert_eq!(refused(&mut world, &bytes[..end]), Error::Truncated, "{end} bytes");
    }
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let error = refused(&mut world, &flipped);
        let at = bit / 8;
        let expected: &[Error] = match at {
            0..7 => &[Error::UnknownFormat("snapshot")],
            // another length: too long, or a checksum that is none
            7..11 => &[Error::Truncated, Error::Corrupted],
            _ => &[Error::Corrupted],
        };
        assert!(expected.contains(&error), "bit {bit}: {error}");
    }
}

#[test]
fn a_flipped_bit_with_a_checksum_to_match_is_refused_or_is_another_world() {
    let (mut world, _) = yard();
    let _ = world.step(H, &sleepy()).unwrap();
    let bytes = saved(&world);
    let mut accepted = 0;
    for bit in 8 * 11..8 * (bytes.len() - 4) {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let flipped = mended(&flipped);
        let mut other = world.clone();
        match AnyWorld::restore(&mut *other, &ALL, &mut Reader::new(&flipped)) {
            // what was taken is what was said, to the bit, and can be stepped
            Ok(()) => {
                assert_eq!(saved(&other), flipped);
                accepted += 1;
                if bit % 16 == 0 {
                    let _ = other.step(H, &sleepy()).unwrap();
                }
            }
            Err(_) => assert_eq!(saved(&other), bytes),
        }
    }
    // mantissas of positions may be anything
    assert!(accepted > 1000);
}

#[test]
fn worlds_that_do_not_fit_or_hang_together_are_refused_by_name() {
    let (mut world, _) = yard();
    let _ = world.step(H, &sleepy()).unwrap();
    let bytes = saved(&world);
    let into = |error: Result<(), Error>| error.unwrap_err();
    assert_eq!(
        into(World::<f32, 4, 32, 96, 8, 3>::new().restore(&[], &mut Reader::new(&bytes))),
        Error::CapacityExceeded("bodies")
    );
    assert_eq!(
        into(World::<f32, 6, 32, 96, 4, 3>::new().restore(&[], &mut Reader::new(&bytes))),
        Error::CapacityExceeded("colliders")
    );
    assert_eq!(
        into(World::<f32, 6, 32, 96, 8, 0>::new().restore(&[], &mut Reader::new(&bytes))),
        Error::CapacityExceeded("joints")
    );
    assert_eq!(
        into(World::<f32, 6, 3, 96, 8, 3>::new().restore(&[], &mut Reader::new(&bytes))),
        Error::CapacityExceeded("contacts")
    );
    // more bytes may follow: they are not read
    let longer = [&bytes[..], &[1, 2, 3]].concat();
    let mut reader = Reader::new(&longer);
    AnyWorld::restore(&mut *world, &ALL, &mut reader).unwrap();
    assert_eq!((reader.position(), reader.rest()), (bytes.len(), &[1, 2, 3][..]));

    let edited = |at: usize, value: u16| {
        let mut bytes = bytes.clone();
        bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        mended(&bytes)
    };
    // head 11, h 4, gravity 12, disturbed 1; then the first free place and how many there are
    let bodies = 11 + 17;
    assert_eq!(&bytes[bodies..bodies + 4], [2, 0, 5, 0]);
    assert_eq!(refused(&mut world, &edited(bodies, 0)), Error::OutOfRange("bodies"));
    assert_eq!(refused(&mut world, &edited(bodies, 1)), Error::OutOfRange("bodies"));
    // a free place that leads to itself
    assert_eq!(refused(&mut world, &edited(bodies + 4 + 4 + 2, 2)), Error::OutOfRange("bodies"));
    // another generation: a shape belongs to nobody
    assert_eq!(refused(&mut world, &edited(bodies + 4 + 8, 7)), Error::NoSuchBody);
}

/// Two worlds that differ in nothing but which body of a joint is the first: their snapshots differ
/// in the two ids.
#[test]
fn snapshot_with_a_joint_of_a_body_with_itself_is_refused() {
    let with_joint = |swapped: bool| {
        let mut world = Box::new(Yard::new());
        let [left, right] = [-0.1, 0.1].map(|x| add(&mut *world, cube(0.01), Vec3::new(x, 0.0, 0.0)));
        let (a, b) = if swapped { (right, left) } else { (left, right) };
        world.add_joint(a, Some(b), Joint::ball(Vec3::default(), Vec3::default()).unwrap()).unwrap();
        saved(&world)
    };
    let (mut bytes, other) = (with_joint(false), with_joint(true));
    // but for the checksum
    let ids: Vec<usize> = (0..bytes.len() - 4).filter(|at| bytes[*at] != other[*at]).collect();
    assert_eq!(ids.len(), 2, "one byte of either id");
    bytes[ids[0]] = other[ids[0]];
    assert_eq!(refused(&mut Yard::new(), &mended(&bytes)), Error::SameBody);
    // both are another joint, and a good one
    bytes[ids[1]] = other[ids[1]];
    AnyWorld::restore(&mut Yard::new(), &ALL, &mut Reader::new(&mended(&bytes))).unwrap();
}

#[test]
fn polyhedra_are_known_by_their_list() {
    let mut world = World::<f32, 2, 16, 48>::new();
    add(&mut world, Shape::Polyhedron(&CUBE), Vec3::default());
    let mut none = |_: &[u8]| panic!("nothing is written");
    assert_eq!(world.save(&[&NUT], &mut none), Err(Error::OutOfRange("solid")));
    let mut buffer = [0; 512];
    let mut writer = Writer::new(&mut buffer);
    world.save(&[&NUT, &CUBE], &mut writer).unwrap();
    let bytes = writer.finish().unwrap();
    let mut other = World::<f32, 2, 16, 48>::new();
    other.restore(&[&NUT, &CUBE], &mut Reader::new(bytes)).unwrap();
    // another list, in another order or shorter
    for solids in [&[&CUBE, &NUT][..], &[&NUT]] {
        assert_eq!(other.restore(solids, &mut Reader::new(bytes)), Err(Error::OutOfRange("solid")));
    }
    let mut small = [0; 64];
    let mut writer = Writer::new(&mut small);
    world.save(&[&NUT, &CUBE], &mut writer).unwrap();
    assert_eq!(writer.finish(), Err(Error::CapacityExceeded("bytes")));
}

proptest! {
    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..600)) {
        let (mut world, _) = yard();
        refused(&mut world, &garbage);
        // with a head and a sum that are right
        let length = u32::try_from(garbage.len()).unwrap().to_le_bytes();
        let framed = mended(&[b"TUMS\x01\0\x04", &length[..], &garbage, &[0; 4]].concat());
        let mut other = world.clone();
        if AnyWorld::restore(&mut *other, &ALL, &mut Reader::new(&framed)).is_err() {
            prop_assert_eq!(saved(&other), saved(&world));
        }
    }

    #[test]
    fn a_patch_of_garbage_never_panics(
        at in 11_usize..1200,
        patch in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let (mut world, _) = yard();
        let mut bytes = saved(&world);
        let end = bytes.len() - 4;
        for (k, byte) in patch.into_iter().enumerate() {
            bytes[(at + k) % (end - 11) + 11] = byte;
        }
        let before = saved(&world);
        match AnyWorld::restore(&mut *world, &ALL, &mut Reader::new(&mended(&bytes))) {
            Ok(()) => {
                for _ in 0..3 {
                    let _ = world.step(H, &sleepy()).unwrap();
                }
            }
            Err(_) => prop_assert_eq!(saved(&world), before),
        }
    }
}
