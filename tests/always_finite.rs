//! Worlds stay finite: whatever extreme but accepted inputs they get, poses and velocities are finite, orientations have length one, and a
//! snapshot restores and steps on to the same bits.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support {
    pub(crate) mod seeded;
}

use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestCaseResult, TestRunner};
use std::cell::Cell;
use std::ops::Range;
use support::seeded::seeded;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Kind, Motor, Spring};
use tumble::math::{Pose, Quat, Real, Vec3, Vec6};
use tumble::record::Reader;
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Landing, Material, Sleep, StepSettings, World};

type Small<R> = World<R, 6, 12, 60, 6, 4>;

/// Longest step that is accepted. s
const LONGEST: f64 = 1e6;

// ---- inputs -------------------------------------------------------------------------------------------------------------

/// `±10^x`, now and then zero.
fn signed(exponents: Range<f64>) -> impl Strategy<Value = f64> + Clone {
    let size =
        (any::<bool>(), exponents).prop_map(|(minus, x)| if minus { -(10.0_f64.powf(x)) } else { 10.0_f64.powf(x) });
    prop_oneof![1 => Just(0.0), 4 => size]
}

/// `10^x`
fn size(exponents: Range<f64>) -> impl Strategy<Value = f64> + Clone {
    exponents.prop_map(|x| 10.0_f64.powf(x))
}

/// Tame, large, or as large as the scalar goes: `10^decades`.
fn extreme(decades: f64) -> impl Strategy<Value = f64> + Clone {
    let most = 0.8 * decades;
    prop_oneof![3 => signed(-3.0..2.0), 2 => signed(-most..most), 1 => signed(most..decades)]
}

fn three<S: Strategy<Value = f64> + Clone>(of: S) -> impl Strategy<Value = [f64; 3]> {
    [of.clone(), of.clone(), of]
}

#[derive(Clone, Debug)]
struct Part {
    /// 0 dynamic with the inertia of its shape, 1 dynamic with one of its own, 2 kinematic, 3 fixed
    motion: u8,
    shape: u8,
    sizes: [f64; 3],
    density: f64,
    stretch: [f64; 2],
    position: [f64; 3],
    orientation: [f64; 4],
    velocity: ([f64; 3], [f64; 3]),
    material: (f64, f64, f64, f64),
    belt: [f64; 3],
}

fn part(decades: f64) -> impl Strategy<Value = Part> {
    let near = || three(prop_oneof![4 => signed(-3.0..-1.0), 1 => extreme(decades)]);
    let sizes = three(prop_oneof![3 => size(-2.0..0.0), 1 => size(-6.0..6.0)]);
    let density = prop_oneof![3 => size(2.0..4.0), 1 => size(-6.0..6.0)];
    let material = (
        prop_oneof![Just(0.5), size(-6.0..6.0)],
        prop_oneof![Just(0.0), size(-6.0..6.0)],
        0.0..1.0,
        prop_oneof![3 => Just(0.0), 1 => size(-12.0..6.0)],
    );
    let stretch = [1.0..1.5_f64, 1.0..1.4_f64];
    // tiny and huge components as well: they are scaled to length one
    let orientation = (prop::array::uniform4(-1.0..1.0), prop_oneof![Just(1.0), size(-40.0..38.0)])
        .prop_map(|(q, by)| q.map(|x: f64| x * by));
    let belt = prop_oneof![3 => Just([0.0; 3]), 1 => three(extreme(decades))];
    (
        0..4_u8,
        0..6_u8,
        sizes,
        density,
        stretch,
        near(),
        orientation,
        (three(extreme(decades)), three(extreme(decades))),
        material,
        belt,
    )
        .prop_map(|(motion, shape, sizes, density, stretch, position, orientation, velocity, material, belt)| {
            Part { motion, shape, sizes, density, stretch, position, orientation, velocity, material, belt }
        })
}

#[derive(Clone, Debug)]
struct Link {
    kind: u8,
    ends: (usize, Option<usize>),
    at: ([f64; 3], [f64; 3]),
    amounts: [f64; 3],
}

fn link(decades: f64) -> impl Strategy<Value = Link> {
    let amount = || prop_oneof![2 => size(-3.0..0.0), 1 => size(-20.0..20.0)];
    let at = || three(prop_oneof![3 => signed(-3.0..-1.0), 1 => extreme(decades)]);
    (0..10_u8, (0..6_usize, prop::option::of(0..6_usize)), (at(), at()), three(amount().boxed()))
        .prop_map(|(kind, ends, at, amounts)| Link { kind, ends, at, amounts })
}

#[derive(Clone, Debug)]
struct Stride {
    h: f64,
    beta: f64,
    alpha: f64,
    gravity: [f64; 3],
    damping: [f64; 2],
    substeps: u16,
    touching: bool,
    sleeps: bool,
    iterations: u32,
    /// of some body, before the step
    push: Option<(usize, [f64; 3], [f64; 3])>,
    spin: Option<(usize, [f64; 3])>,
}

fn stride(decades: f64) -> impl Strategy<Value = Stride> {
    let h = prop_oneof![3 => Just(1e-3), 2 => size(-5.0..0.0), 2 => size(-30.0..6.0), 1 => Just(LONGEST)];
    let share = || prop_oneof![2 => Just(1.0), 2 => Just(0.5), 1 => Just(0.28), 1 => Just(1e-43), 1 => 0.01..1.0_f64];
    let gravity = prop_oneof![3 => Just([0.0, 0.0, -9.81]), 1 => three(extreme(decades))];
    let damping = || prop_oneof![4 => Just(0.0), 1 => size(-6.0..30.0)];
    let push = prop::option::weighted(0.3, (0..6_usize, three(extreme(decades)), three(extreme(decades))));
    let spin = prop::option::weighted(0.3, (0..6_usize, three(signed(0.0..decades))));
    (
        h,
        share(),
        share(),
        gravity,
        [damping(), damping()],
        1..4_u16,
        any::<bool>(),
        any::<bool>(),
        0..30_u32,
        push,
        spin,
    )
        .prop_map(|(h, beta, alpha, gravity, damping, substeps, touching, sleeps, iterations, push, spin)| {
            Stride { h, beta, alpha, gravity, damping, substeps, touching, sleeps, iterations, push, spin }
        })
}

// ---- worlds -------------------------------------------------------------------------------------------------------------

fn vector<R: Real>(x: [f64; 3]) -> Vec3<R> {
    Vec3::from(x.map(R::from_f64))
}

fn add_part<R: Real>(world: &mut Small<R>, part: &Part) -> Result<BodyId, Error> {
    let [a, b, c] = part.sizes.map(R::from_f64);
    let shape = match part.shape {
        0 => Shape::Sphere { radius: a },
        1 => Shape::Capsule { radius: a, half_length: b },
        2 => Shape::Cylinder { radius: a, half_length: b },
        3 | 4 => Shape::Box { half: Vec3::new(a, b, c) },
        _ => Shape::HalfSpace,
    };
    let [w, x, y, z] = part.orientation.map(R::from_f64);
    let orientation = Quat::new(w, x, y, z).ok_or(Error::NonFinite("orientation"))?;
    let motion = match part.motion {
        0 if part.shape < 5 => Motion::Dynamic(shape.mass_properties(R::from_f64(part.density))?),
        0 | 1 => {
            let [y, z] = part.stretch.map(R::from_f64);
            let inertia = Vec3::new(a, a * y, a * z);
            Motion::Dynamic(MassProperties { mass: R::from_f64(part.density), inertia })
        }
        2 => Motion::Kinematic,
        _ => Motion::Fixed,
    };
    let id = world.add_body(Body::new(motion, Pose { position: vector(part.position), orientation })?)?;
    if part.motion < 3 {
        let (linear, angular) = part.velocity;
        // refused where it does not fit the scalar
        let _ = world.body_mut(id)?.set_velocity(Vec6::new(vector(linear), vector(angular)));
    }
    let (friction, rolling, restitution, compliance) = part.material;
    let material = Material {
        friction: R::from_f64(friction),
        rolling_friction: R::from_f64(rolling),
        restitution: R::from_f64(restitution),
        compliance: R::from_f64(compliance),
        ..Material::default()
    };
    let collider = Collider { material, surface_velocity: vector(part.belt), ..Collider::new(shape) };
    let _ = world.add_collider(id, collider);
    Ok(id)
}

fn add_link<R: Real>(world: &mut Small<R>, bodies: &[BodyId], link: &Link) -> Result<(), Error> {
    let [x, y, z] = link.amounts.map(R::from_f64);
    let [a, b] = [link.at.0, link.at.1].map(vector::<R>);
    // axes as long or short as the numbers are
    let frame_a = Joint::frame(a, Vec3::new(x, y, R::ZERO))?;
    let frame_b = Joint::frame(b, Vec3::new(R::ZERO, y, z))?;
    let joint = match link.kind {
        0 => Joint::ball(a, b)?.with_cone(R::ONE)?,
        1 => Joint::revolute(frame_a, frame_b)?.with_motor(Coordinate::Turn, Motor::velocity(x, y)?)?,
        2 => Joint::prismatic(frame_a, frame_b)?.with_spring(Coordinate::Slide, Spring::new(x, y, z)?)?,
        3 => Joint::cylindrical(frame_a, frame_b)?.with_limit(Coordinate::Slide, -x, y)?,
        4 => Joint::universal(frame_a, frame_b)?,
        5 => Joint::fixed(frame_a, frame_b)?,
        6 => Joint::distance(a, b, x)?,
        7 => Joint::rope(a, b, x)?,
        8 => Joint::screw(frame_a, frame_b, x)?,
        _ => Joint::new(Kind::Gear { ratio: x, bearing_a: frame_a, bearing_b: frame_b }, frame_a, frame_b)?,
    };
    let pick = |index: usize| bodies[index % bodies.len()];
    world.add_joint(pick(link.ends.0), link.ends.1.map(pick), joint).map(drop)
}

fn bytes_of<R: Real>(world: &Small<R>) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.save(&[], &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
    bytes
}

fn settings_of<R: Real>(stride: &Stride) -> StepSettings<R> {
    let number = R::from_f64;
    let mut settings = StepSettings {
        gravity: vector(stride.gravity),
        alpha: number(stride.alpha),
        beta: number(stride.beta),
        mass_damping: number(stride.damping[0]),
        stiffness_damping: number(stride.damping[1]),
        landing: if stride.touching { Landing::Touching } else { Landing::Ahead },
        substeps: stride.substeps,
        sleep: stride.sleeps.then(|| Sleep { speed: number(0.1), spin: number(1.0), time: number(2e-3) }),
        ..StepSettings::default()
    };
    settings.solve.iterations = stride.iterations;
    settings
}

/// How often it happened, or the test would show nothing.
#[derive(Debug, Default)]
struct Tally {
    stepped: Cell<u32>,
    halted: Cell<u32>,
    touched: Cell<u32>,
    refused: Cell<u32>,
}

fn count(into: &Cell<u32>, often: u32) {
    into.set(into.get().saturating_add(often));
}

fn play<R: Real>(parts: &[Part], links: &[Link], strides: &[Stride], tally: &Tally) -> TestCaseResult {
    let mut world = Small::<R>::new();
    // a part or link of numbers that are refused is left away
    let bodies: Vec<BodyId> = parts.iter().filter_map(|part| add_part(&mut world, part).ok()).collect();
    if bodies.is_empty() {
        return Ok(());
    }
    for link in links {
        let _ = add_link(&mut world, &bodies, link);
    }
    for stride in strides {
        let pick = |index: usize| bodies[index % bodies.len()];
        if let Some((index, linear, angular)) = stride.push {
            let _ = world.body_mut(pick(index)).unwrap().add_force(Vec6::new(vector(linear), vector(angular)));
        }
        if let Some((index, spin)) = stride.spin {
            let body = world.body_mut(pick(index)).unwrap();
            let _ = body.set_velocity(Vec6::new(body.velocity().linear, vector(spin)));
        }
        let settings = settings_of::<R>(stride);
        let (h, before) = (R::from_f64(stride.h), bytes_of(&world));
        check_restored(&world, &before)?;
        let Ok(report) = world.step(h, &settings) else {
            count(&tally.refused, 1);
            prop_assert_eq!(before, bytes_of(&world), "a refused step left a trace: {:?}", stride);
            continue;
        };
        count(&tally.stepped, 1);
        count(&tally.halted, report.bodies_halted);
        count(&tally.touched, report.contacts);
        check_finite(&world, stride)?;
        prop_assert!(!report.constraint_work.to_f64().is_nan() && report.penetration.is_finite(), "{:?}", report);
        // from the snapshot the same step has the same bits
        let mut again = Small::<R>::new();
        again.restore(&[], &mut Reader::new(&before)).unwrap();
        let repeated = again.step(h, &settings).unwrap();
        prop_assert_eq!(bytes_of(&again), bytes_of(&world), "{:?}", stride);
        prop_assert_eq!(repeated.bodies_halted, report.bodies_halted);
        check_restored(&world, &bytes_of(&world))?;
    }
    Ok(())
}

fn check_restored<R: Real>(world: &Small<R>, bytes: &[u8]) -> TestCaseResult {
    let mut other = Small::<R>::new();
    let restored = other.restore(&[], &mut Reader::new(bytes));
    restored.map_err(|error| TestCaseError::fail(format!("the world's own snapshot is refused: {error:?}")))?;
    prop_assert_eq!(other.state_hash(), world.state_hash());
    prop_assert_eq!(bytes_of(&other), bytes);
    Ok(())
}

fn check_finite<R: Real>(world: &Small<R>, stride: &Stride) -> TestCaseResult {
    for id in world.body_ids() {
        let body = world.body(id).unwrap();
        prop_assert!(body.pose().is_finite() && body.velocity().is_finite(), "{:?} after {:?}", body, stride);
        let square: f64 = body.pose().orientation.components().iter().map(|q| q.to_f64() * q.to_f64()).sum();
        prop_assert!((square - 1.0).abs() <= 4.0 * R::EPSILON.to_f64(), "{} in {:?}", square, body);
        prop_assert!(world.contact_force(id).unwrap().is_finite(), "{:?}", body);
    }
    for contact in world.contacts() {
        let square = <[R; 3]>::from(contact.normal).iter().map(|n| n.to_f64() * n.to_f64()).sum::<f64>();
        prop_assert!((square - 1.0).abs() <= 16.0 * R::EPSILON.to_f64(), "{} in {:?}", square, contact);
        prop_assert!(contact.position.is_finite() && contact.gap.is_finite(), "{:?}", contact);
        prop_assert!(contact.force.is_finite() && contact.torque.is_finite(), "{:?}", contact);
    }
    Ok(())
}

fn fuzz<R: Real>(cases: u32, decades: f64) {
    let tally = Tally::default();
    let input = (
        prop::collection::vec(part(decades), 1..=6),
        prop::collection::vec(link(decades), 0..=4),
        prop::collection::vec(stride(decades), 3..=8),
    );
    let played = TestRunner::new(seeded(cases))
        .run(&input, |(parts, links, strides)| play::<R>(&parts, &links, &strides, &tally));
    played.unwrap_or_else(|failure| panic!("{failure}"));
    let Tally { stepped, halted, touched, refused } = &tally;
    assert!(
        stepped.get() > cases && touched.get() > cases && halted.get() > 0,
        "{stepped:?} {touched:?} {halted:?} {refused:?}"
    );
}

#[test]
fn extreme_inputs_step_to_finite_states_that_restore_in_single_precision() {
    fuzz::<f32>(2000, 38.5);
}

#[test]
fn extreme_inputs_step_to_finite_states_that_restore_in_double_precision() {
    fuzz::<f64>(1000, 308.2);
}

// ---- one by one ---------------------------------------------------------------------------------------------------------

/// A body with three different moments of inertia that spins as told.
fn spinning(spin: [f32; 3]) -> (Small<f32>, BodyId) {
    let mut world = Small::new();
    let inertia = Vec3::new(1.0, 1.4, 1.9);
    let orientation = Quat::new(0.5, 0.1, -0.7, 0.3).unwrap();
    let pose = Pose { position: Vec3::default(), orientation };
    let body = Body::new(Motion::Dynamic(MassProperties { mass: 1.0, inertia }), pose).unwrap();
    let id = world.add_body(body).unwrap();
    world.body_mut(id).unwrap().set_velocity(Vec6::new(Vec3::default(), Vec3::from(spin))).unwrap();
    (world, id)
}

#[test]
fn overflowing_spin_stops_the_body_and_is_counted() {
    for beta in [1.0, 0.5, 0.28, 1e-43] {
        for spin in [[3e38; 3], [3e38, -3e38, 3e38], [-3.4e38, 3.4e38, 0.0], [1e30, 2e30, 3e30]] {
            for h in [1e-30, 1e-3, 1e6] {
                let (mut world, id) = spinning(spin);
                let settings = StepSettings { beta, ..StepSettings::default() };
                let mut halted = 0;
                for _ in 0..4 {
                    halted += world.step(h, &settings).unwrap().bodies_halted;
                    let velocity = world.body(id).unwrap().velocity();
                    assert!(velocity.is_finite(), "beta {beta}, h {h}, spin {spin:?}: {velocity:?}");
                    let stopped = velocity.angular == Vec3::default();
                    assert!(!stopped || halted > 0, "beta {beta}, h {h}, spin {spin:?}");
                }
                check_restored(&world, &bytes_of(&world)).unwrap();
            }
        }
    }
}

#[test]
fn step_longer_than_the_limit_is_refused_and_changes_nothing() {
    let (mut world, _) = spinning([1.0, 2.0, 3.0]);
    let before = bytes_of(&world);
    for h in [1.000_001e6, 1e30, f32::MAX] {
        assert_eq!(world.step(h, &StepSettings::default()), Err(Error::OutOfRange("h")));
        assert_eq!(bytes_of(&world), before);
    }
    assert!(world.step(1e6, &StepSettings::default()).is_ok());
}

#[test]
fn world_restores_whatever_step_length_it_accepted() {
    for h in [1e6, 1e30, 1e38] {
        let mut world = Small::<f32>::new();
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
        let settings = StepSettings { sleep: Some(Sleep::default()), ..StepSettings::default() };
        for _ in 0..20 {
            // time at rest adds up
            let _ = world.step(h, &settings);
        }
        check_restored(&world, &bytes_of(&world)).unwrap();
    }
}

#[test]
fn impulses_that_overflow_in_a_longer_step_are_dropped() {
    // a sleeping part keeps its impulses, each step for its length
    let mut world = Small::<f32>::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let shape = Shape::Sphere { radius: 0.1 };
    let motion = Motion::Dynamic(shape.mass_properties(1e36).unwrap());
    let part = world.add_body(Body::new(motion, Pose::at(Vec3::new(0.0, 0.0, 0.1))).unwrap()).unwrap();
    world.add_collider(part, Collider::new(shape)).unwrap();
    let settings = StepSettings { sleep: Some(Sleep { time: 2e-3, ..Sleep::default() }), ..StepSettings::default() };
    for _ in 0..10 {
        let _ = world.step(1e-3, &settings).unwrap();
    }
    assert!(world.body(part).unwrap().is_asleep() && world.contact_force(part).unwrap().z > 0.0);
    for h in [1e6, 1e-30, 1e-3] {
        let _ = world.step(h, &settings).unwrap();
        assert!(world.contact_force(part).unwrap().is_finite());
        check_restored(&world, &bytes_of(&world)).unwrap();
    }
}

#[test]
fn orientation_that_is_not_of_length_one_is_refused() {
    let mut q = Quat::<f32>::new(0.5, 0.1, -0.7, 0.3).unwrap();
    // every square doubles the error of the length
    for _ in 0..24 {
        q = q * q;
    }
    let pose = Pose { position: Vec3::default(), orientation: q };
    assert!(
        matches!(Body::new(Motion::Fixed, pose), Err(Error::OutOfRange("orientation") | Error::NonFinite("pose"))),
        "{q:?}"
    );
    assert!(matches!(
        Joint::fixed(pose, Pose::IDENTITY),
        Err(Error::OutOfRange("orientation") | Error::NonFinite("frame_a"))
    ));
}
