//! Joints in whole steps: pendulums against the elliptic integral, joints that come and go. One body on each kind of joint: `adams.rs`.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Vec3};
use tumble::shape::MassProperties;
use tumble::world::{StepSettings, World};
use tumble::{Error, Settings};

type Linkage = World<f64, 2, 0, 16, 0, 2>;

fn settings(g: f64) -> StepSettings<f64> {
    StepSettings {
        gravity: Vec3::new(0.0, 0.0, -g),
        stabilisation: 0.5,
        solve: Settings { iterations: 500, tolerance: 1e-22, ..Settings::default() },
        ..StepSettings::default()
    }
}

#[test]
fn a_pendulum_keeps_its_period() {
    // a point mass on a rod of 1 m: a ball joint and a body too small to matter
    for (degrees, period) in [(10.0_f64, 2.009_892_627_298_601), (90.0, 2.367_841_947_576_237_3)] {
        let mut world = Linkage::new();
        let angle = degrees.to_radians();
        let start = Vec3::new(angle.sin(), 0.0, -angle.cos());
        let bob = MassProperties { mass: 1.0, inertia: Vec3::new(1e-6, 1e-6, 1e-6) };
        let bob = world.add_body(Body::new(Motion::Dynamic(bob), Pose::at(start)).unwrap()).unwrap();
        world.add_joint(bob, None, Joint::distance(Vec3::default(), Vec3::default(), 1.0).unwrap()).unwrap();
        let h = 1e-4;
        let (mut crossings, mut before) = (Vec::new(), start.x);
        for step in 1..60_000 {
            let _ = world.step(h, &settings(9.81)).unwrap();
            let x = world.body(bob).unwrap().pose().position.x;
            if before > 0.0 && x <= 0.0 {
                // where the line between the two steps crosses zero
                crossings.push(h * (f64::from(step) - x / (x - before)));
            }
            before = x;
        }
        let measured = crossings[1] - crossings[0];
        // first order: a fraction h/T of the period, twice
        assert!((measured - period).abs() < 2.0 * h, "{degrees}°: {measured}, not {period}");
    }
}

#[test]
fn joints_come_and_go_with_their_bodies() {
    let mut world = Linkage::new();
    let rod = MassProperties { mass: 1.0, inertia: Vec3::new(0.1, 0.1, 0.01) };
    let body = || Body::new(Motion::Dynamic(rod), Pose::IDENTITY).unwrap();
    let (a, b) = (world.add_body(body()).unwrap(), world.add_body(body()).unwrap());
    let ball = Joint::ball(Vec3::default(), Vec3::default()).unwrap();
    assert_eq!(world.add_joint(a, Some(a), ball), Err(Error::SameBody));
    let joint = world.add_joint(a, Some(b), ball).unwrap();
    let held = world.add_joint(a, None, ball).unwrap();
    assert_eq!(world.add_joint(b, None, ball), Err(Error::CapacityExceeded("joints")));
    world.remove_body(b).unwrap();
    assert_eq!(world.joint(joint).map(|_| ()), Err(Error::NoSuchJoint));
    assert_eq!(world.remove_joint(joint), Err(Error::NoSuchJoint));
    // what is left still holds: the weight hangs on it
    for _ in 0..10 {
        let report = world.step(1e-3, &settings(9.81)).unwrap();
        assert_eq!(report.joints_dropped, 0);
    }
    let force = world.reaction(held).unwrap().force;
    assert!((force.z - 9.81).abs() < 1e-6, "{force:?}");
    world.remove_joint(held).unwrap();
}

/// Whatever keeps a part from turning, all of it or about some axes: its joints hold.
#[test]
fn what_does_not_turn_is_held_by_its_joints() {
    let frame = Pose::IDENTITY;
    let joints = [Joint::revolute(frame, frame), Joint::prismatic(frame, frame), Joint::fixed(frame, frame)];
    for joint in joints.map(|joint| joint.unwrap()) {
        for inertia in [Vec3::new(1e38, 1e38, 1e38), Vec3::new(1e38, 1e38, 1e-5), Vec3::new(1e38, 1e-5, 1e38)] {
            let mut world = World::<f32, 1, 0, 8, 0, 1>::new();
            let body = Body::new(Motion::Dynamic(MassProperties { mass: 0.1, inertia }), Pose::IDENTITY).unwrap();
            let id = world.add_body(body).unwrap();
            world.add_joint(id, None, joint).unwrap();
            // across the axis along which some of them slide
            let settings = StepSettings { gravity: Vec3::new(-9.81, 0.0, 0.0), ..StepSettings::default() };
            for _ in 0..100 {
                assert_eq!(world.step(1e-3, &settings).unwrap().joints_dropped, 0);
            }
            let x = world.body(id).unwrap().pose().position.x;
            assert!(x.abs() < 1e-6, "{inertia:?}: {x} m");
        }
    }
}

#[test]
fn a_joint_without_room_for_its_rows_is_counted() {
    let mut world = World::<f64, 1, 0, 5, 0, 2>::new();
    let rod = MassProperties { mass: 1.0, inertia: Vec3::new(0.1, 0.1, 0.01) };
    let body = world.add_body(Body::new(Motion::Dynamic(rod), Pose::IDENTITY).unwrap()).unwrap();
    let ball = Joint::ball(Vec3::default(), Vec3::default()).unwrap();
    world.add_joint(body, None, ball).unwrap();
    world.add_joint(body, None, ball).unwrap();
    assert_eq!(world.step(1e-3, &settings(9.81)).unwrap().joints_dropped, 1);
}

/// Six weights hang on rods, one below the other. A step of another length needs impulses of
/// another size; a single sweep along six rods does not find them.
#[test]
fn joint_impulses_are_scaled_when_the_step_length_changes() {
    for h in [4e-3, 0.25e-3] {
        let mut world = World::<f64, 6, 0, 16, 0, 6>::new();
        let mut above = None;
        let mut weights = Vec::new();
        for number in 1..=6_u8 {
            let weight = MassProperties { mass: 1.0, inertia: Vec3::new(1e-3, 1e-3, 1e-3) };
            let place = Pose::at(Vec3::new(0.0, 0.0, -0.1 * f64::from(number)));
            let weight = world.add_body(Body::new(Motion::Dynamic(weight), place).unwrap()).unwrap();
            let rod = Joint::distance(Vec3::default(), Vec3::default(), 0.1).unwrap();
            world.add_joint(weight, above, rod).unwrap();
            above = Some(weight);
            weights.push(weight);
        }
        for _ in 0..100 {
            let _ = world.step(1e-3, &settings(9.81)).unwrap();
        }
        let solve = Settings { iterations: 1, ..Settings::default() };
        let _ = world.step(h, &StepSettings { solve, ..settings(9.81) }).unwrap();
        for weight in weights {
            let speed = world.body(weight).unwrap().velocity().linear.z;
            assert!(speed.abs() < 1e-6, "{speed} m/s after a step of {h} s");
        }
    }
}
