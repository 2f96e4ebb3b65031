//! Joints in whole steps: pendulums against the elliptic integral and, where the recorded runs are there, one body on each joint against
//! MSC ADAMS.
//!
//! Time stepping is of first order: RMS errors are those that Project Chrono asks of its own solver on the same runs, at a step of 0.1 ms.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use std::path::{Path, PathBuf};
use tumble::body::{Body, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3};
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

fn about_x(degrees: f64) -> Quat<f64> {
    let half = degrees.to_radians() / 2.0;
    Quat::new(half.cos(), half.sin(), 0.0, 0.0).unwrap()
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

/// The folder of recorded runs; `None` where it is not on this machine.
fn recorded() -> Option<PathBuf> {
    let named = std::env::var_os("TUMBLE_PROBLEMS");
    let folder = named
        .as_ref()
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/problems"), PathBuf::from)
        .join("adams_joints");
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(named.is_none(), "TUMBLE_PROBLEMS names no place with {}", folder.display());
    eprintln!("skipped: no recorded joints in ../shared/problems (TUMBLE_PROBLEMS names another place)");
    None
}

/// Rows of numbers behind three lines of header.
fn table(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .skip(3)
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap()).collect())
        .filter(|row: &Vec<f64>| !row.is_empty())
        .collect()
}

#[test]
fn one_body_on_each_joint_moves_as_in_adams() {
    let Some(folder) = recorded() else { return };
    let elsewhere = Vec3::new(1.0, 2.0, 3.0);
    type Make = fn(Pose<f64>, Pose<f64>) -> Result<Joint<f64>, Error>;
    let ball: Make = |a, b| Joint::ball(a.position, b.position);
    let cases: [(&str, Make, Vec3<f64>, f64); 10] = [
        ("Revolute_Case01", Joint::revolute, Vec3::default(), -90.0),
        ("Revolute_Case02", Joint::revolute, elsewhere, -45.0),
        ("Spherical_Case01", ball, Vec3::default(), 0.0),
        ("Spherical_Case02", ball, elsewhere, -45.0),
        ("Prismatic_Case01", Joint::prismatic, Vec3::default(), 0.0),
        ("Prismatic_Case02", Joint::prismatic, elsewhere, -45.0),
        ("Prismatic_Case03", Joint::prismatic, elsewhere, -90.0),
        ("Cylindrical_Case01", Joint::cylindrical, Vec3::default(), 0.0),
        ("Cylindrical_Case02", Joint::cylindrical, Vec3::default(), -90.0),
        ("Cylindrical_Case03", Joint::cylindrical, elsewhere, -45.0),
    ];
    let (h, substeps) = (1e-4, 100);
    for (name, make, origin, degrees) in cases {
        let frame = Pose { position: origin, orientation: about_x(degrees) };
        let start = Pose { position: frame.point(Vec3::new(2.0, 0.0, 0.0)), orientation: frame.orientation };
        let mut world = Linkage::new();
        let properties = MassProperties { mass: 1.0, inertia: Vec3::new(0.04, 0.1, 0.1) };
        let body = world.add_body(Body::new(Motion::Dynamic(properties), start).unwrap()).unwrap();
        world.add_joint(body, None, make(Joint::within(&start, &frame), frame).unwrap()).unwrap();

        let positions = table(&folder.join(format!("{name}_ADAMS_Pos.txt")));
        let (mut squares, mut count) = (0.0, 0.0);
        for row in positions.iter().skip(1) {
            for _ in 0..substeps {
                let _ = world.step(h, &settings(9.80665)).unwrap();
            }
            let [t, x, y, z] = row[..] else { panic!("{name}: {row:?}") };
            assert!(t > 0.0);
            let off = world.body(body).unwrap().pose().position - Vec3::new(x, y, z);
            squares += off.dot(off);
            count += 1.0;
        }
        let rms = (squares / count).sqrt();
        // what falls freely (prismatic along z) is first order too: g h t/2 = 2.5 mm after 5 s, 1.4 mm RMS
        let tolerance = if name.starts_with("Prismatic") || name.starts_with("Cylindrical") { 2e-3 } else { 1e-3 };
        println!("{name}: {rms:.1e} m RMS");
        assert!(rms < tolerance, "{name}: {rms:e} m RMS");
    }
}
