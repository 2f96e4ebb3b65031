//! Numbers that overflow in a step: the body stops where it is, the step says so, and everything
//! stays finite.

// tests may panic
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::twin::{Actuators, Drive, FEED_TABLE, Setpoint, Twin, Vibrator};
use tumble::world::{Collider, StepSettings, World};

type Small = World<f32, 1, 0, 0>;

const PLACE: Vec3<f32> = Vec3::new(1.0, 2.0, 3.0);

fn light_body(velocity: Vec6<f32>) -> (Small, BodyId) {
    let mut world = Small::new();
    let properties = MassProperties { mass: 1e-6, inertia: Vec3::new(1e-6, 1e-6, 1e-6) };
    let mut body = Body::new(Motion::Dynamic(properties), Pose::at(PLACE)).unwrap();
    body.set_velocity(velocity).unwrap();
    let id = world.add_body(body).unwrap();
    (world, id)
}

/// One step of `h` seconds stops the body in its place and counts it; the next one goes on.
fn stops((mut world, id): (Small, BodyId), force: Vec6<f32>, h: f32, settings: &StepSettings<f32>) {
    world.body_mut(id).unwrap().add_force(force).unwrap();
    let report = world.step(h, settings).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!(body.velocity(), Vec6::ZERO, "{force:?}");
    assert_eq!((*body.pose(), report.bodies_halted), (Pose::at(PLACE), 1), "{force:?}");
    assert_eq!(world.step(1e-3, settings).unwrap().bodies_halted, 0);
    let fall = world.body(id).unwrap().velocity().linear.z;
    assert!((fall / (settings.gravity.z * 1e-3) - 1.0).abs() < 1e-3, "{fall}");
}

/// An infinite spin leaves the pose finite, for a rotation too large to compute is skipped: only
/// the check of the velocity sees it.
#[test]
fn torque_that_overflows_the_spin_stops_the_body() {
    for axis in 3..6 {
        let mut force = [0.0; 6];
        force[axis] = 1e35;
        stops(light_body(Vec6::ZERO), Vec6::from(force), 1e-1, &StepSettings::default());
    }
}

#[test]
fn force_that_overflows_the_velocity_stops_the_body() {
    for axis in 0..3 {
        let mut force = [0.0; 6];
        force[axis] = 1e35;
        stops(light_body(Vec6::ZERO), Vec6::from(force), 1e-1, &StepSettings::default());
    }
}

#[test]
fn velocity_that_overflows_the_position_stops_the_body() {
    let fast = Vec6::from([3e38, 0.0, 0.0, 0.0, 0.0, 0.0]);
    stops(light_body(fast), Vec6::ZERO, 100.0, &StepSettings::default());
    // at the midpoint rule it stops before the forces act; then gravity makes it fall within the
    // same step
    let (mut world, id) = light_body(fast);
    let report = world.step(100.0, &StepSettings { beta: 0.5, ..StepSettings::default() }).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!((report.bodies_halted, body.pose().position.x), (1, PLACE.x));
    assert!((body.velocity().linear.z + 981.0).abs() < 0.1, "{:?}", body.velocity());
}

/// A track turns to and fro; one of its surfaces is so far out that its velocity overflows.
#[test]
fn surface_velocity_that_overflows_is_skipped_and_the_plant_steps_on() {
    for drive in [Drive::Resolved, Drive::Averaged { table: &FEED_TABLE, friction: 0.3 }] {
        let mut twin = Twin::<1, 0, 0, 1, 0>::new();
        let track = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        let far = Collider { pose: Pose::at(Vec3::new(3e38, 0.0, 0.0)), ..Collider::new(Shape::HalfSpace) };
        let surface = twin.world.add_collider(track, far).unwrap();
        let swing = Vec6::from([0.0, 0.0, 1e-4, 0.0, 0.1, 0.1]);
        let vibrator = Vibrator { body: track, swing, phase: 0.0, ramp_time: 0.0, drive };
        twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
        let mut run = Actuators::OFF;
        run.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
        for _ in 0..10 {
            let _ = twin.step(1e-3, &StepSettings::default(), &run).unwrap();
            assert_eq!(twin.world.collider(surface).unwrap().surface_velocity, Vec3::default());
        }
    }
}
