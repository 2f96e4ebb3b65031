//! Contacts of a world: as many as there are pairs that touch, by trying them all.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support {
    pub(crate) mod seeded;
}

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::Cell;
use std::ops::Range;
use support::seeded::seeded;
use tumble::Settings;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Real, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, ColliderId, Filter, Landing, StepSettings, World};

const CROWD: usize = 40;

/// Room for a contact of every pair; rows for a few, which is quick: the others are dropped, and counted.
type Crowd<R> = World<R, CROWD, { CROWD * (CROWD - 1) / 2 }, 24>;

/// Balls of `10^radius` within `spread` of a place `far` from the origin. m
#[derive(Clone, Debug)]
struct Swarm {
    spread: f64,
    radius: Range<f64>,
    far: f64,
}

#[derive(Clone, Debug)]
struct Ball {
    /// share of the spread
    at: [f64; 3],
    /// share of the spread, per step
    velocity: [f64; 3],
    /// decades of the swarm's
    radius: f64,
    motion: u8,
    filter: Filter,
}

fn ball() -> impl Strategy<Value = Ball> {
    let share = || prop::array::uniform3(-1.0..1.0_f64);
    let filter = prop_oneof![3 => Just((1, u16::MAX)), 1 => (1..4_u16, 1..4_u16)];
    (share(), share(), 0.0..1.0_f64, 0..5_u8, filter).prop_map(|(at, velocity, radius, motion, (groups, touches))| {
        Ball { at, velocity, radius, motion, filter: Filter { groups, touches } }
    })
}

/// Pairs that touch for certain, and those that may: gaps within rounding count as either.
fn touching<R: Real>(world: &Crowd<R>, balls: &[(BodyId, ColliderId)]) -> (u32, u32) {
    let (mut certain, mut possible) = (0, 0);
    for (i, (body_a, on_a)) in balls.iter().enumerate() {
        for (body_b, on_b) in &balls[..i] {
            let [a, b] = [body_a, body_b].map(|id| world.body(*id).unwrap());
            let [on_a, on_b] = [on_a, on_b].map(|id| world.collider(*id).unwrap());
            let admitted =
                on_a.filter.groups & on_b.filter.touches != 0 && on_b.filter.groups & on_a.filter.touches != 0;
            if !admitted || !(a.is_dynamic() || b.is_dynamic()) {
                continue;
            }
            let [at_a, at_b] = [a, b].map(|body| <[R; 3]>::from(body.pose().position).map(R::to_f64));
            let distance = (0..3).map(|k| (at_a[k] - at_b[k]).powi(2)).sum::<f64>().sqrt();
            let reach = on_a.shape.bounding_radius().to_f64() + on_b.shape.bounding_radius().to_f64();
            // measured from one to the other: being far out costs no digits
            let rounding = 4.0 * R::EPSILON.to_f64() * reach;
            certain += u32::from(distance < reach - rounding);
            possible += u32::from(distance < reach + rounding);
        }
    }
    (certain, possible)
}

/// Balls fly about; between steps one is put elsewhere and one goes.
fn swarm<R: Real>(swarm: &Swarm, balls: &[Ball]) -> Result<u32, TestCaseError> {
    let h = 1e-3;
    let vector = |share: [f64; 3], unit: f64| Vec3::from(share.map(|x| R::from_f64(x * unit)));
    let far = Vec3::from([swarm.far, -swarm.far, 0.0].map(R::from_f64));
    let mut world = Box::new(Crowd::<R>::new());
    let mut ids = Vec::new();
    for Ball { at, velocity, radius, motion, filter } in balls {
        let decade = swarm.radius.start + (swarm.radius.end - swarm.radius.start) * radius;
        let shape = Shape::Sphere { radius: R::from_f64(10.0_f64.powf(decade)) };
        let mass = MassProperties { mass: R::ONE, inertia: Vec3::new(R::ONE, R::ONE, R::ONE) };
        let motion = match motion {
            0 => Motion::Fixed,
            1 => Motion::Kinematic,
            _ => Motion::Dynamic(mass),
        };
        let mut body = Body::new(motion, Pose::at(far + vector(*at, swarm.spread))).unwrap();
        if motion != Motion::Fixed {
            body.set_velocity(Vec6::new(vector(*velocity, 0.1 * swarm.spread / h), Vec3::default())).unwrap();
        }
        let id = world.add_body(body).unwrap();
        ids.push((id, world.add_collider(id, Collider { filter: *filter, ..Collider::new(shape) }).unwrap()));
    }
    // closed is what overlaps, now: nothing is met ahead, and nothing has a width
    let solve = Settings { iterations: 4, ..Settings::default() };
    let settings =
        StepSettings { gravity: Vec3::default(), landing: Landing::Touching, solve, ..StepSettings::default() };
    let mut touched = 0;
    for round in 0..6 {
        let (certain, possible) = touching(&world, &ids);
        let report = world.step(R::from_f64(h), &settings).unwrap();
        let found = report.contacts + report.contacts_dropped;
        prop_assert!((certain..=possible).contains(&found), "{certain} {found} {possible}: {swarm:?}, round {round}");
        touched += certain;
        world.remove_body(ids.swap_remove(round).0).unwrap();
        let elsewhere = Pose::at(far + vector(balls[round].velocity, swarm.spread));
        world.body_mut(ids[round].0).unwrap().set_pose(elsewhere).unwrap();
    }
    Ok(touched)
}

#[test]
fn every_pair_that_touches_is_found() {
    let swarms = [
        // all of one size; of all sizes; each in most others
        (0.1, -2.0..-1.5, 0.0),
        (1.0, -1.0..-0.9, 0.0),
        (1.0, -3.0..-0.3, 0.0),
        (3000.0, -2.0..3.5, 0.0),
        (1.0, 1.0..3.0, 0.0),
        // far out, as far as a single still tells them apart, and where cells of a grid run out of integers
        (1.0, -1.0..-0.5, 1e3),
        (10.0, -0.3..0.5, 3.2e4),
        (10.0, 0.0..0.5, 2.6e5),
        (1.0, -1.0..-0.5, 1e6),
        (100.0, 0.7..1.5, 1e6),
        (1e4, 2.5..3.5, 1e9),
        (1e-4, -5.0..-4.5, 1.0),
    ];
    for (spread, radius, far) in swarms {
        let place = Swarm { spread, radius, far };
        for double in [false, true] {
            let touched = Cell::new(0);
            let balls = prop::collection::vec(ball(), CROWD);
            let played = TestRunner::new(seeded(8)).run(&balls, |balls| {
                let more = if double { swarm::<f64>(&place, &balls)? } else { swarm::<f32>(&place, &balls)? };
                touched.set(touched.get() + more);
                Ok(())
            });
            played.unwrap_or_else(|failure| panic!("{failure}"));
            assert!(touched.get() >= 50, "{place:?}: {} touched", touched.get());
        }
    }
}
