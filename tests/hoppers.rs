//! Hoppers: where there is room for a part, and where there is none.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::Shape;
use tumble::twin::{Actuators, Fault, Faults, Hopper, HopperSignal, PartKind, Twin};
use tumble::world::{AnyWorld, Collider, Material, StepSettings};

type Bench = Twin<12, 32, 96, 16, 0>;

const H: f32 = 1e-3;
const RADIUS: f32 = 5e-3;
const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);
const PART: PartKind = PartKind {
    shape: Shape::Sphere { radius: RADIUS },
    density: 1000.0,
    material: Material {
        friction: 0.5,
        rolling_friction: 0.0,
        spinning_friction: 0.0,
        restitution: 0.0,
        compliance: 0.0,
        damping: 0.0,
    },
    is_guided: false,
};

fn weightless() -> StepSettings<f32> {
    StepSettings { gravity: ORIGIN, ..StepSettings::default() }
}

fn step(twin: &mut Bench, actuators: &Actuators) -> HopperSignal {
    twin.step(H, &weightless(), actuators).unwrap().0.hoppers[0]
}

fn running() -> Actuators {
    let mut on = Actuators::OFF;
    on.hoppers[0] = true;
    on
}

/// A part every 10 ms.
fn hopper(outlet: Vec3<f32>, velocity: Vec3<f32>) -> Hopper {
    Hopper {
        part: PART,
        outlet,
        spread: ORIGIN,
        velocity,
        parts_per_second: 100.0,
        jitter: 0.0,
        tumbles: true,
        seed: 3,
    }
}

/// A ball of 8 mm beside the outlet, for a part of 5 mm: they would touch up to 13 mm apart.
#[test]
fn hopper_refuses_a_part_that_would_touch_another_at_the_outlet() {
    let shape = Shape::Sphere { radius: 8e-3 };
    let dynamic = Motion::Dynamic(shape.mass_properties(1000.0).unwrap());
    let aside = Vec3::new(0.1, 0.0, 0.0);
    // turned by a quarter about z: x of the body is y of the world
    let turned = Pose { position: -Vec3::new(0.0, 0.1, 0.0), orientation: Quat::new(1.0, 0.0, 0.0, 1.0).unwrap() };
    for direction in [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)] {
        for (distance, motion, offset, delivered) in [
            (12.9e-3, dynamic, ORIGIN, 0),
            (13.1e-3, dynamic, ORIGIN, 1),
            (12.9e-3, dynamic, aside, 0),
            (13.1e-3, dynamic, aside, 1),
            // machine parts do not count: an outlet may lie within one
            (0.0, Motion::Kinematic, ORIGIN, 1),
            (0.0, Motion::Fixed, ORIGIN, 1),
        ] {
            let mut twin = Bench::new();
            let place = direction * distance;
            let pose =
                if offset == ORIGIN { Pose::at(place) } else { Pose { position: turned.position + place, ..turned } };
            let body = twin.world.add_body(Body::new(motion, pose).unwrap()).unwrap();
            twin.world.add_collider(body, Collider { pose: Pose::at(offset), ..Collider::new(shape) }).unwrap();
            twin.plant.add_hopper(hopper(ORIGIN, ORIGIN)).unwrap();
            let found = step(&mut twin, &running());
            let expected = HopperSignal { delivered, refused: 1 - delivered };
            assert_eq!(found, expected, "{distance} m along {direction:?}, {motion:?}, {offset:?}");
        }
    }
}

#[test]
fn hopper_goes_on_once_the_outlet_is_clear() {
    let mut twin = Bench::new();
    // 0.45 m/s: a part is clear of the outlet after 22 ms, so every third one comes out
    twin.plant.add_hopper(hopper(ORIGIN, Vec3::new(0.45, 0.0, 0.0))).unwrap();
    let mut found = HopperSignal::default();
    for _ in 0..121 {
        found = step(&mut twin, &running());
    }
    assert_eq!((found.delivered, found.refused), (5, 8));
}

/// The second part of two comes out above the first, clear of it.
#[test]
fn two_parts_at_once_both_find_room() {
    let mut twin = Bench::new();
    twin.plant.add_hopper(hopper(ORIGIN, ORIGIN)).unwrap();
    let mut faults = Faults::new(1);
    faults.add(Fault::DoublePart(0, 1.0), 0..u32::MAX).unwrap();
    let Twin { world, plant } = &mut twin;
    let settings = weightless();
    let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
    let (sensors, _) = faults.step(plant, world, H, &settings, &running(), step_world).unwrap();
    assert_eq!((sensors.hoppers[0].delivered, sensors.hoppers[0].refused), (2, 0));
    assert_eq!(world.contacts().count(), 0);
}

#[test]
fn hopper_refuses_parts_beyond_the_capacity_of_the_world() {
    let mut twin = Bench::new();
    // parts stay where they come out
    twin.plant.add_hopper(hopper(ORIGIN, ORIGIN)).unwrap();
    for _ in 0..101 {
        step(&mut twin, &running());
    }
    let signal = twin.plant.sensors().hoppers[0];
    assert_eq!(signal.delivered, 1);
    assert!((9..=10).contains(&signal.refused), "{signal:?}");
    // the other's world is full after twelve bodies
    twin.plant.add_hopper(hopper(Vec3::new(0.0, 0.1, 0.0), Vec3::new(2.0, 0.0, 0.0))).unwrap();
    let mut on = Actuators::OFF;
    on.hoppers = [false, true];
    for _ in 0..200 {
        step(&mut twin, &on);
    }
    let signal = twin.plant.sensors().hoppers[1];
    assert_eq!((signal.delivered, twin.world.body_count()), (11, 12));
    assert!(signal.refused > 0);
}
