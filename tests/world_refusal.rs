//! What a world cannot use it refuses by name, and it leaves no trace: the same hash, and the same bits in the next step.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Joint, Kind, Limit, Motor, Spring, Target};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, ColliderId, JointId, Material, Sleep, StepSettings, World};
use tumble::{Error, Settings};

/// Room for one body, one collider and one joint more than `scene` holds.
type Small = World<f32, 4, 8, 40, 4, 2>;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;
const BAD: [f32; 3] = [NAN, INF, -INF];

#[derive(Clone, Copy)]
struct Ids {
    floor: BodyId,
    part: BodyId,
    /// of something removed
    gone: BodyId,
    surface: ColliderId,
    surface_gone: ColliderId,
    joint_gone: JointId,
}

/// A part on the floor, one that hangs on a rope, and ids of what was there once.
fn scene() -> (Small, Ids) {
    let mut world = Small::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    let surface = world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let mut part = |x: f32| {
        let shape = Shape::Box { half: Vec3::new(0.01, 0.02, 0.005) };
        let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
        let id = world.add_body(Body::new(motion, Pose::at(Vec3::new(x, 0.0, 0.006))).unwrap()).unwrap();
        (id, world.add_collider(id, Collider::new(shape)).unwrap())
    };
    let ((part_id, _), (hangs, _), (gone, surface_gone)) = (part(0.0), part(0.2), part(0.4));
    let rope = |world: &mut Small, id| {
        let rope = Joint::rope(Vec3::default(), Vec3::new(0.2, 0.0, 0.1), 0.09).unwrap();
        world.add_joint(id, None, rope).unwrap()
    };
    rope(&mut world, hangs);
    let joint_gone = rope(&mut world, gone);
    for _ in 0..20 {
        let _ = world.step(1e-3, &StepSettings::default()).unwrap();
    }
    // with it go its shape and its joint
    world.remove_body(gone).unwrap();
    (world, Ids { floor, part: part_id, gone, surface, surface_gone, joint_gone })
}

/// `attempt` fails with `error`, and nothing else happens, now or later.
fn refuses<T: std::fmt::Debug>(error: Error, attempt: impl FnOnce(&mut Small, Ids) -> Result<T, Error>) {
    let ((mut world, ids), (mut untouched, _)) = (scene(), scene());
    assert_eq!(attempt(&mut world, ids).unwrap_err(), error);
    assert_eq!(world.body_count(), untouched.body_count());
    for _ in 0..3 {
        assert_eq!(world.state_hash(), untouched.state_hash(), "{error:?} left a trace");
        let [ours, theirs] =
            [&mut world, &mut untouched].map(|world| world.step(1e-3, &StepSettings::default()).unwrap());
        assert_eq!(ours, theirs, "{error:?} left a hidden trace");
    }
}

fn refuses_settings(error: Error, change: impl Fn(&mut StepSettings<f32>)) {
    let mut settings = StepSettings::default();
    change(&mut settings);
    assert_eq!(settings.check(), Err(error));
    refuses(error, |world, _| world.step(1e-3, &settings));
}

#[test]
fn step_lengths() {
    for bad in BAD {
        refuses(Error::NonFinite("h"), |world, _| world.step(bad, &StepSettings::default()));
    }
    for bad in [0.0, -0.0, -1e-3] {
        refuses(Error::NonPositive("h"), |world, _| world.step(bad, &StepSettings::default()));
    }
    // long enough, but not when it is divided
    let many = StepSettings { substeps: 1000, ..StepSettings::default() };
    refuses(Error::NonPositive("h"), |world, _| world.step(1e-37, &many));
}

#[test]
fn step_settings() {
    for bad in BAD {
        refuses_settings(Error::NonFinite("gravity"), |s| s.gravity.y = bad);
        refuses_settings(Error::NonFinite("slop"), |s| s.slop = bad);
        refuses_settings(Error::NonFinite("recovery_speed"), |s| s.recovery_speed = bad);
        refuses_settings(Error::NonFinite("bounce_threshold"), |s| s.bounce_threshold = bad);
        refuses_settings(Error::NonFinite("mass_damping"), |s| s.mass_damping = bad);
        refuses_settings(Error::NonFinite("stiffness_damping"), |s| s.stiffness_damping = bad);
        refuses_settings(Error::NonFinite("sleep speed"), |s| s.sleep = Some(Sleep { speed: bad, ..Sleep::default() }));
        refuses_settings(Error::NonFinite("sleep spin"), |s| s.sleep = Some(Sleep { spin: bad, ..Sleep::default() }));
        refuses_settings(Error::NonFinite("sleep time"), |s| s.sleep = Some(Sleep { time: bad, ..Sleep::default() }));
        refuses_settings(Error::NonFinite("omega"), |s| s.solve.omega = bad);
        refuses_settings(Error::NonFinite("tolerance"), |s| s.solve.tolerance = bad);
    }
    // shares: 0 < x ≤ 1
    for bad in [NAN, INF, -INF, -0.5, 0.0, 1.1] {
        refuses_settings(Error::OutOfRange("stabilisation"), |s| s.stabilisation = bad);
        refuses_settings(Error::OutOfRange("alpha"), |s| s.alpha = bad);
        refuses_settings(Error::OutOfRange("beta"), |s| s.beta = bad);
    }
    refuses_settings(Error::Negative("slop"), |s| s.slop = -1e-9);
    refuses_settings(Error::Negative("recovery_speed"), |s| s.recovery_speed = -1e-9);
    refuses_settings(Error::Negative("bounce_threshold"), |s| s.bounce_threshold = -1e-9);
    refuses_settings(Error::Negative("mass_damping"), |s| s.mass_damping = -1e-9);
    refuses_settings(Error::Negative("stiffness_damping"), |s| s.stiffness_damping = -1e-9);
    refuses_settings(Error::NonPositive("substeps"), |s| s.substeps = 0);
    refuses_settings(Error::Negative("sleep speed"), |s| s.sleep = Some(Sleep { speed: -1.0, ..Sleep::default() }));
    refuses_settings(Error::Negative("sleep spin"), |s| s.sleep = Some(Sleep { spin: -1.0, ..Sleep::default() }));
    refuses_settings(Error::NonPositive("sleep time"), |s| s.sleep = Some(Sleep { time: 0.0, ..Sleep::default() }));
    refuses_settings(Error::OutOfRange("pyramid"), |s| s.pyramid = Some(3));
    refuses_settings(Error::OutOfRange("pyramid"), |s| s.pyramid = Some(17));
    refuses_settings(Error::OutOfRange("omega"), |s| s.solve.omega = 2.0);
    refuses_settings(Error::Negative("tolerance"), |s| s.solve.tolerance = -1.0);
}

#[test]
fn the_edges_of_what_is_allowed_are_allowed() {
    let (mut world, _) = scene();
    let zero = StepSettings {
        slop: 0.0,
        recovery_speed: 0.0,
        bounce_threshold: 0.0,
        stabilisation: 1.0,
        alpha: 1.0,
        beta: 1.0,
        sleep: Some(Sleep { speed: 0.0, spin: 0.0, time: f32::MIN_POSITIVE }),
        solve: Settings { iterations: 0, tolerance: 0.0, ..Settings::default() },
        ..StepSettings::default()
    };
    assert!(world.step(1e-3, &zero).is_ok());
}

/// As a new collider, and in place of one that is there.
fn refuses_collider(error: Error, change: impl Fn(&mut Collider<f32>)) {
    let collider = || {
        let mut collider = Collider::new(Shape::Sphere { radius: 0.01 });
        change(&mut collider);
        collider
    };
    refuses(error, |world, ids| world.add_collider(ids.part, collider()));
    refuses(error, |world, ids| world.set_collider(ids.surface, collider()));
}

#[test]
fn materials() {
    type Field = fn(&mut Material<f32>) -> &mut f32;
    let coefficients: [(&str, Field); 3] = [
        ("friction", |m| &mut m.friction),
        ("rolling_friction", |m| &mut m.rolling_friction),
        ("spinning_friction", |m| &mut m.spinning_friction),
    ];
    let others: [(&str, Field); 2] = [("compliance", |m| &mut m.compliance), ("damping", |m| &mut m.damping)];
    for (name, field) in coefficients.into_iter().chain(others) {
        for bad in BAD {
            refuses_collider(Error::NonFinite(name), |c| *field(&mut c.material) = bad);
        }
        refuses_collider(Error::Negative(name), |c| *field(&mut c.material) = -1e-9);
    }
    for (name, field) in coefficients {
        // its square overflows
        refuses_collider(Error::OutOfRange(name), |c| *field(&mut c.material) = 1e20);
    }
    // its stiffness overflows
    refuses_collider(Error::OutOfRange("compliance"), |c| c.material.compliance = 1e-40);
    for bad in [NAN, INF, -INF, -0.1, 1.1] {
        refuses_collider(Error::OutOfRange("restitution"), |c| c.material.restitution = bad);
    }
}

#[test]
fn shapes_and_surfaces() {
    for bad in BAD {
        refuses_collider(Error::NonFinite("radius"), |c| c.shape = Shape::Sphere { radius: bad });
        refuses_collider(Error::NonFinite("half"), |c| c.shape = Shape::Box { half: Vec3::new(1.0, 1.0, bad) });
        refuses_collider(Error::NonFinite("half_length"), |c| {
            c.shape = Shape::Capsule { radius: 1.0, half_length: bad };
        });
        refuses_collider(Error::NonFinite("surface_velocity"), |c| c.surface_velocity.z = bad);
        refuses_collider(Error::NonFinite("pose"), |c| c.pose.position.x = bad);
    }
    for bad in [0.0, -1.0] {
        refuses_collider(Error::NonPositive("radius"), |c| c.shape = Shape::Cylinder { radius: bad, half_length: 1.0 });
        refuses_collider(Error::NonPositive("half"), |c| c.shape = Shape::Box { half: Vec3::new(bad, 1.0, 1.0) });
    }
}

#[test]
fn ids_of_what_is_gone() {
    let ball = || Collider::new(Shape::Sphere { radius: 0.01 });
    refuses(Error::NoSuchCollider, |world, ids| world.collider(ids.surface_gone).copied());
    refuses(Error::NoSuchCollider, |world, ids| world.set_surface_velocity(ids.surface_gone, Vec3::default()));
    for bad in BAD {
        let velocity = Vec3::new(0.0, bad, 0.0);
        refuses(Error::NonFinite("surface_velocity"), |world, ids| world.set_surface_velocity(ids.surface, velocity));
    }
    refuses(Error::NoSuchCollider, |world, ids| world.set_collider(ids.surface_gone, ball()));
    refuses(Error::NoSuchCollider, |world, ids| world.remove_collider(ids.surface_gone));
    refuses(Error::NoSuchBody, |world, ids| world.add_collider(ids.gone, ball()));
    refuses(Error::NoSuchBody, |world, ids| world.body(ids.gone).copied());
    refuses(Error::NoSuchBody, |world, ids| world.body_mut(ids.gone).copied());
    refuses(Error::NoSuchBody, |world, ids| world.remove_body(ids.gone));
    refuses(Error::NoSuchBody, |world, ids| world.contact_force(ids.gone));
    let ball = || Joint::ball(Vec3::default(), Vec3::default()).unwrap();
    refuses(Error::NoSuchBody, |world, ids| world.add_joint(ids.gone, None, ball()));
    refuses(Error::NoSuchBody, |world, ids| world.add_joint(ids.part, Some(ids.gone), ball()));
    refuses(Error::SameBody, |world, ids| world.add_joint(ids.part, Some(ids.part), ball()));
    refuses(Error::NoSuchJoint, |world, ids| world.joint(ids.joint_gone).copied());
    refuses(Error::NoSuchJoint, |world, ids| world.joint_mut(ids.joint_gone).copied());
    refuses(Error::NoSuchJoint, |world, ids| world.reaction(ids.joint_gone));
    refuses(Error::NoSuchJoint, |world, ids| world.remove_joint(ids.joint_gone));
    // an id whose place somebody else has taken is as stale as before
    let (mut world, ids) = scene();
    let newcomer = *world.body(ids.part).unwrap();
    let newcomer = world.add_body(newcomer).unwrap();
    let shape = world.add_collider(newcomer, Collider::new(Shape::Sphere { radius: 0.01 })).unwrap();
    assert_ne!((newcomer, shape), (ids.gone, ids.surface_gone));
    assert_eq!(world.body(ids.gone).err(), Some(Error::NoSuchBody));
    assert_eq!(world.collider(ids.surface_gone).err(), Some(Error::NoSuchCollider));
}

#[test]
fn bodies() {
    for bad in BAD {
        let off = Pose::at(Vec3::new(0.0, bad, 0.0));
        refuses(Error::NonFinite("pose"), |world, ids| world.body_mut(ids.part)?.set_pose(off));
        assert_eq!(Body::new(Motion::Kinematic, off), Err(Error::NonFinite("pose")));
        for k in 0..6 {
            let mut six = [0.0; 6];
            six[k] = bad;
            let six = Vec6::from(six);
            refuses(Error::NonFinite("velocity"), |world, ids| world.body_mut(ids.part)?.set_velocity(six));
            refuses(Error::NonFinite("force"), |world, ids| world.body_mut(ids.part)?.add_force(six));
        }
    }
    refuses(Error::OutOfRange("velocity"), |world, ids| world.body_mut(ids.floor)?.set_velocity(Vec6::ZERO));
    // forces that add up to no number
    let (mut world, ids) = scene();
    let huge = Vec6::from([f32::MAX, 0.0, 0.0, 0.0, 0.0, 0.0]);
    world.body_mut(ids.part).unwrap().add_force(huge).unwrap();
    assert_eq!(world.body_mut(ids.part).unwrap().add_force(huge), Err(Error::NonFinite("force")));
    let body = |mass, x, y, z| {
        Body::new(Motion::Dynamic(MassProperties { mass, inertia: Vec3::new(x, y, z) }), Pose::IDENTITY)
    };
    assert_eq!(body(0.0, 1.0, 1.0, 1.0), Err(Error::NonPositive("mass")));
    assert_eq!(body(NAN, 1.0, 1.0, 1.0), Err(Error::NonFinite("mass")));
    assert_eq!(body(1.0, 1.0, -1.0, 1.0), Err(Error::NonPositive("inertia")));
    assert_eq!(body(1.0, 1.0, 1.0, 2.1), Err(Error::OutOfRange("inertia")));
    assert_eq!(Quat::new(0.0, 0.0, 0.0, 0.0), None::<Quat<f32>>);
}

#[test]
fn one_more_than_there_is_room_for() {
    let (mut world, ids) = scene();
    let body = *world.body(ids.part).unwrap();
    world.add_body(body).unwrap();
    world.add_collider(ids.part, Collider::new(Shape::Sphere { radius: 0.01 })).unwrap();
    let ball = Joint::ball(Vec3::default(), Vec3::default()).unwrap();
    world.add_joint(ids.part, None, ball).unwrap();
    let hash = world.state_hash();
    assert_eq!(world.add_body(body), Err(Error::CapacityExceeded("bodies")));
    let collider = Collider::new(Shape::Sphere { radius: 0.01 });
    assert_eq!(world.add_collider(ids.part, collider), Err(Error::CapacityExceeded("colliders")));
    assert_eq!(world.add_joint(ids.part, None, ball), Err(Error::CapacityExceeded("joints")));
    assert_eq!(world.state_hash(), hash);
}

#[test]
fn joints() {
    let (good, zero) = (Pose::<f32>::IDENTITY, Vec3::default());
    for bad in BAD {
        let off = Pose::at(Vec3::new(bad, 0.0, 0.0));
        for kind in [Kind::Ball, Kind::Revolute, Kind::Prismatic, Kind::Cylindrical, Kind::Universal, Kind::Fixed] {
            assert_eq!(Joint::new(kind, off, good), Err(Error::NonFinite("frame_a")));
            assert_eq!(Joint::new(kind, good, off), Err(Error::NonFinite("frame_b")));
        }
        assert_eq!(Joint::rope(zero, zero, bad), Err(Error::NonFinite("length")));
        assert_eq!(Joint::new(Kind::Rope { length: 1.0, rate: bad }, good, good), Err(Error::NonFinite("rate")));
        assert_eq!(Joint::screw(good, good, bad), Err(Error::NonFinite("pitch")));
        assert_eq!(Spring::new(bad, 0.0, 0.0), Err(Error::NonFinite("stiffness")));
        assert_eq!(Spring::new(1.0, bad, 0.0), Err(Error::NonFinite("damping")));
        assert_eq!(Spring::new(1.0, 0.0, bad), Err(Error::NonFinite("rest")));
        assert_eq!(Motor::velocity(bad, 1.0), Err(Error::NonFinite("velocity")));
        assert_eq!(Motor::position(bad, 1.0), Err(Error::NonFinite("position")));
        let moving = Target::Position { position: 0.0, rate: bad, speed: 1.0 };
        assert_eq!(Motor::new(moving, 1.0), Err(Error::NonFinite("rate")));
    }
    assert_eq!(Joint::distance(zero, zero, 0.0), Err(Error::NonPositive("length")));
    assert_eq!(Joint::screw(good, good, 0.0), Err(Error::OutOfRange("pitch")));
    assert_eq!(Spring::new(0.0_f32, 0.0, 0.0), Err(Error::NonPositive("stiffness")));
    assert_eq!(Motor::velocity(1.0_f32, -1.0), Err(Error::Negative("limit")));
    assert_eq!(Limit::new(1.0_f32, 0.0), Err(Error::EmptyInterval));
    assert_eq!(Limit::new(NAN, 0.0), Err(Error::NonFinite("lo")));
}
