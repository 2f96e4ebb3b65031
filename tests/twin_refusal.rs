//! What a plant refuses it refuses where it is built, and a step that is refused changes nothing: checked case by case, then with plants, inputs and settings
//! that nobody has thought of.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use core::f32::consts::PI;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::record::Reader;
use tumble::shape::Shape;
use tumble::twin::{
    Accelerometer, Actuators, Belt, BeltSetpoint, Camera, Cylinder, Drive, FEED_TABLE, Fault, Faults, Hopper,
    LightBarrier, PartKind, Plant, Random, Region, Setpoint, Signal, Switching, Twin, Vibrator, WeighCell, Zone,
};
use tumble::world::{AnyWorld, Collider, ColliderId, Costs, Material, Plan, StepSettings};

type Bench = Twin<8, 16, 64, 12, 0>;

const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);
const X: Vec3<f32> = Vec3::new(1.0, 0.0, 0.0);

/// Bodies that are fixed, move as told, move by forces; the last has been removed.
fn bench() -> (Bench, [BodyId; 4], ColliderId) {
    let mut twin = Bench::new();
    let shape = Shape::Sphere { radius: 5e-3 };
    let dynamic = Motion::Dynamic(shape.mass_properties(1000.0).unwrap());
    let bodies = [Motion::Fixed, Motion::Kinematic, dynamic, Motion::Fixed]
        .map(|motion| twin.world.add_body(Body::new(motion, Pose::IDENTITY).unwrap()).unwrap());
    let surface = twin.world.add_collider(bodies[0], Collider::new(Shape::HalfSpace)).unwrap();
    let at = Pose::at(Vec3::new(0.1, 0.0, 0.0));
    let plate = Shape::Box { half: Vec3::new(0.05, 0.05, 1e-3) };
    twin.world.add_collider(bodies[1], Collider { pose: at, ..Collider::new(plate) }).unwrap();
    twin.world.add_collider(bodies[2], Collider::new(shape)).unwrap();
    twin.world.remove_body(bodies[3]).unwrap();
    (twin, bodies, surface)
}

fn vibrator(body: BodyId) -> Vibrator {
    let swing = Vec6::new(X * 1e-3, ORIGIN);
    Vibrator { body, swing, phase: 0.0, ramp_time: 0.1, drive: Drive::Resolved }
}

fn cylinder(body: BodyId) -> Cylinder {
    Cylinder { body, stroke: Vec6::new(X * 0.1, ORIGIN), extend_time: 0.1, retract_time: 0.1 }
}

fn hopper(material: Material<f32>) -> Hopper {
    let part = PartKind { shape: Shape::Sphere { radius: 5e-3 }, density: 1000.0, material, is_guided: false };
    let (outlet, spread, velocity) = (ORIGIN, ORIGIN, ORIGIN);
    Hopper { part, outlet, spread, velocity, parts_per_second: 10.0, jitter: 0.0, tumbles: true, seed: 1 }
}

#[test]
fn what_a_step_would_refuse_is_not_added() {
    let (mut twin, [fixed, told, dynamic, gone], surface) = bench();
    let Twin { world, plant } = &mut twin;
    let before = bytes(plant);
    for (body, error) in
        [(fixed, Error::OutOfRange("motion")), (dynamic, Error::OutOfRange("motion")), (gone, Error::NoSuchBody)]
    {
        assert_eq!(plant.add_vibrator(world, vibrator(body)), Err(error));
        assert_eq!(plant.add_cylinder(world, cylinder(body)), Err(error));
    }
    for phase in [-0.1, 1.1, 3e38, f32::NAN] {
        assert_eq!(
            plant.add_vibrator(world, Vibrator { phase, ..vibrator(told) }),
            Err(Error::OutOfRange("phase")),
            "{phase}"
        );
    }
    let averaged = |friction| Drive::Averaged { table: &FEED_TABLE, friction };
    // an ellipse, which no table has
    for phase in [0.25, 0.499, 0.75, 1e-3] {
        let vibrator = Vibrator { phase, drive: averaged(0.3), ..vibrator(told) };
        assert_eq!(plant.add_vibrator(world, vibrator), Err(Error::OutOfRange("phase")), "{phase}");
    }
    for (swing, drive, error) in [
        (X * 1e7, Drive::Resolved, Error::OutOfRange("swing")),
        (X * 0.51, Drive::Resolved, Error::OutOfRange("swing")),
        (X * f32::NAN, Drive::Resolved, Error::NonFinite("swing")),
        (X * 0.5, averaged(3e38), Error::OutOfRange("friction")),
    ] {
        let swing = Vec6::new(ORIGIN, swing);
        assert_eq!(plant.add_vibrator(world, Vibrator { swing, drive, ..vibrator(told) }), Err(error));
    }
    for angle in [PI, 7.0, -7.0] {
        let stroke = Vec6::new(ORIGIN, X * angle);
        assert_eq!(
            plant.add_cylinder(world, Cylinder { stroke, ..cylinder(told) }),
            Err(Error::OutOfRange("stroke")),
            "{angle}"
        );
    }
    let belt = Belt { surface, direction: X, top_speed: 1.0, acceleration: 1.0, lines_per_metre: 100.0 };
    for direction in [ORIGIN, X * 3.0, X * 0.999, X * f32::NAN, X * f32::INFINITY] {
        assert_eq!(
            plant.add_belt(world, Belt { direction, ..belt }),
            Err(Error::OutOfRange("direction")),
            "{direction:?}"
        );
    }
    let bad = |friction, restitution| Material { friction, restitution, ..Material::default() };
    assert_eq!(plant.add_hopper(hopper(bad(f32::NAN, 0.0))), Err(Error::NonFinite("friction")));
    assert_eq!(plant.add_hopper(hopper(bad(0.3, 2.0))), Err(Error::OutOfRange("restitution")));
    let outlet = X * 3e38;
    assert_eq!(plant.add_hopper(Hopper { outlet, ..hopper(Material::default()) }), Err(Error::OutOfRange("outlet")));
    let scale = WeighCell { platform: fixed, filter_time: 0.0, noise: 3e38, seed: 1 };
    assert_eq!(plant.add_scale(world, scale), Err(Error::OutOfRange("noise")));
    assert_eq!(Faults::new(1).add(Fault::Noise(0, 3e38), 0..9), Err(Error::OutOfRange("noise")));
    assert_eq!(Faults::new(1).add(Fault::FrictionDrift(0, 3e38), 0..9), Err(Error::OutOfRange("drift")));
    assert_eq!(bytes(plant), before);

    // what is nearly a unit vector is one
    let diagonal = Vec3::new(1.0, 1.0, 1.0) * (1.0 / 3_f32.sqrt());
    assert_eq!(plant.add_belt(world, Belt { direction: diagonal, ..belt }), Ok(0));

    // what moves already is moved by nothing else, but for vibrators of several axes
    assert_eq!(plant.add_belt(world, belt), Err(Error::Taken("surface")));
    assert_eq!(plant.add_cylinder(world, cylinder(told)), Ok(0));
    assert_eq!(plant.add_cylinder(world, cylinder(told)), Err(Error::Taken("body")));
    assert_eq!(plant.add_vibrator(world, vibrator(told)), Err(Error::Taken("body")));
    plant.clear();
    assert_eq!([(); 2].map(|()| plant.add_vibrator(world, vibrator(told))), [Ok(0), Ok(1)]);
    assert_eq!(plant.add_cylinder(world, cylinder(told)), Err(Error::Taken("body")));
    let mut of_told = surface;
    world.for_each_collider(&mut |id, body, _| of_told = if body == told { id } else { of_told });
    assert_eq!(plant.add_belt(world, Belt { surface: of_told, ..belt }), Err(Error::Taken("surface")));
    plant.clear();
    assert_eq!(plant.add_belt(world, Belt { surface: of_told, ..belt }), Ok(0));
    assert_eq!(plant.add_vibrator(world, vibrator(told)), Err(Error::Taken("body")));
    // what is weighed lies on what does not move by itself
    let scale = WeighCell { platform: dynamic, filter_time: 0.01, noise: 0.0, seed: 1 };
    assert_eq!(plant.add_scale(world, scale), Err(Error::OutOfRange("motion")));
}

#[test]
fn a_step_that_is_refused_changes_nothing_and_later_ones_know_all() {
    let (mut twin, [_, told, ..], _) = bench();
    let drive = Drive::Averaged { table: &FEED_TABLE, friction: 0.3 };
    let swing = Vec6::new(Vec3::new(1e-3, 0.0, 0.3e-3), ORIGIN);
    twin.plant.add_vibrator(&twin.world, Vibrator { swing, ramp_time: 0.0, drive, ..vibrator(told) }).unwrap();
    twin.plant.set_substeps(10).unwrap();
    let mut faults = Faults::new(1);
    faults.add(Fault::FrictionDrift(0, 0.5), 0..100).unwrap();
    let settings = StepSettings::default();
    let mut on = Actuators::OFF;
    on.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 3e38 };
    let before = state(&twin, &faults);
    assert_eq!(step(&mut twin, &mut faults, 1e-3, &settings, &on), Err(Error::OutOfRange("frequency_hz")));
    on.vibrators[0].frequency_hz = 50.0;
    // a tenth of it is too short
    for h in [1e-38, 5e-9, 2e6] {
        assert_eq!(step(&mut twin, &mut faults, h, &settings, &on), Err(Error::OutOfRange("h")), "{h}");
    }
    // a plant's sub-steps are its own: weigh cells would miss what others weigh
    let halved = StepSettings { substeps: 2, ..settings };
    assert_eq!(step(&mut twin, &mut faults, 1e-3, &halved, &on), Err(Error::OutOfRange("substeps")));
    assert_eq!(state(&twin, &faults), before);
    step(&mut twin, &mut faults, 1e-3, &settings, &on).unwrap();
    // its track is gone: so is nothing else
    let mut without = twin.clone();
    without.world.remove_body(told).unwrap();
    let before = state(&without, &faults);
    assert_eq!(step(&mut without, &mut faults, 1e-3, &settings, &on), Err(Error::NoSuchBody));
    assert_eq!(state(&without, &faults), before);
    // or another body is in its place, with its id, that nothing moves
    without.world.clear();
    for _ in 0..2 {
        without.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    }
    let before = state(&without, &faults);
    assert_eq!(step(&mut without, &mut faults, 1e-3, &settings, &on), Err(Error::OutOfRange("motion")));
    assert_eq!(state(&without, &faults), before);
    // or it is at the end of the world, and stays there
    let mut far = twin.clone();
    far.world.body_mut(told).unwrap().set_pose(Pose::at(X * 1e36)).unwrap();
    step(&mut far, &mut faults.clone(), 1e-6, &settings, &on).unwrap();
    let mut speed = 0.0;
    twin.world.for_each_collider(&mut |_, of, collider| {
        if of == told {
            speed = collider.surface_velocity.x;
        }
    });
    assert!(speed > 0.05, "{speed}");
}

/// A plan has time for all that may come into the world, or is refused before anything moves: not once a hopper has delivered one part too many.
#[test]
fn a_plan_is_refused_at_once_or_never() {
    let (mut twin, [_, told, ..], _) = bench();
    twin.plant.add_vibrator(&twin.world, vibrator(told)).unwrap();
    twin.plant.add_hopper(Hopper { parts_per_second: 500.0, spread: X, ..hopper(Material::default()) }).unwrap();
    twin.plant.set_substeps(10).unwrap();
    let mut on = Actuators::OFF;
    on.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
    on.hoppers[0] = true;
    let mut faults = Faults::new(1);
    let costs = Costs { step: 1000, body: 100, shape: 10, ..Costs::default() };
    // of a sub-step: room for 8 bodies and 12 shapes
    let least = 1000 + 8 * 100 + 12 * 10;
    let within = |ticks| StepSettings { plan: Some(Plan { costs, ticks }), ..StepSettings::default() };
    let before = state(&twin, &faults);
    let refused = Err(Error::OutOfRange("plan ticks"));
    assert_eq!(step(&mut twin, &mut faults, 1e-3, &within(least - 1), &on), refused);
    assert_eq!(state(&twin, &faults), before);
    for _ in 0..20 {
        step(&mut twin, &mut faults, 1e-3, &within(least), &on).unwrap();
    }
    assert_eq!(twin.world.body_count(), 8);
}

/// A number that is sensible, or not at all.
fn number(random: &mut Random) -> f32 {
    let sensible = 10.0_f32.powf(3.0 * random.within_one() - 2.0);
    let absurd = [0.0, -1.0, 1.0, 1e6, -1e6, 1e7, 1e-9, 1e-38, 1e-45, 1e20, 3e38, -3e38, f32::NAN, f32::INFINITY];
    if random.chance(0.8) { sensible } else { random.one_of(&absurd, 0.0) }
}

fn vector(random: &mut Random) -> Vec3<f32> {
    let far = random.chance(0.1);
    let mut next = || if far { number(random) } else { 0.1 * random.within_one() };
    Vec3::new(next(), next(), next())
}

fn flip(random: &mut Random) -> bool {
    random.chance(0.5)
}

fn channel(random: &mut Random) -> u8 {
    random.one_of(&[0, 1, 2, 9], 0)
}

/// Add a part of some kind to the plant.
fn add_something(random: &mut Random, twin: &mut Bench, bodies: &[BodyId], surface: ColliderId) -> Result<(), Error> {
    let Twin { world, plant } = twin;
    // the one that moves as told most often
    let body = if flip(random) { bodies[1] } else { random.one_of(bodies, bodies[0]) };
    let output = Switching { normally_closed: flip(random), on_delay: number(random), off_delay: number(random) };
    let region = Region { centre: vector(random), half: Vec3::new(number(random), number(random), number(random)) };
    let material = Material { friction: number(random), restitution: 0.3, ..Material::default() };
    match random.one_of(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 0) {
        0 => {
            let averaged = Drive::Averaged { table: &FEED_TABLE, friction: number(random) };
            let drive = if flip(random) { Drive::Resolved } else { averaged };
            // small enough to be taken now and then
            let swing = Vec6::new(vector(random), vector(random) * if flip(random) { 0.1 } else { 1.0 });
            let (phase, ramp_time) = (number(random), number(random));
            plant.add_vibrator(world, Vibrator { body, swing, phase, ramp_time, drive }).map(drop)
        }
        1 => {
            let direction = random.one_of(&[X, X, ORIGIN, Vec3::new(0.6, 0.8, 0.0), X * 3.0], X);
            let (top_speed, acceleration) = (number(random), number(random));
            let belt = Belt { surface, direction, top_speed, acceleration, lines_per_metre: number(random) };
            plant.add_belt(world, belt).map(drop)
        }
        2 => {
            let stroke = Vec6::new(vector(random), vector(random));
            let (extend_time, retract_time) = (number(random), number(random));
            plant.add_cylinder(world, Cylinder { body, stroke, extend_time, retract_time }).map(drop)
        }
        3 => {
            let part = PartKind { material, density: number(random), ..hopper(Material::default()).part };
            let (outlet, spread, velocity) = (vector(random), vector(random), vector(random));
            let (parts_per_second, jitter) = (number(random), number(random));
            let (tumbles, seed) = (flip(random), 3);
            let hopper = Hopper { part, outlet, spread, velocity, parts_per_second, jitter, tumbles, seed };
            plant.add_hopper(hopper).map(drop)
        }
        4 => {
            let (from, to, hysteresis) = (vector(random), vector(random), vector(random));
            plant.add_barrier(LightBarrier { hysteresis, output, ..LightBarrier::new(from, to) }).map(drop)
        }
        5 => plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output, is_sink: flip(random) }).map(drop),
        6 => {
            let (filter_time, noise) = (number(random), number(random));
            plant.add_scale(world, WeighCell { platform: body, filter_time, noise, seed: 7 }).map(drop)
        }
        7 => plant.add_accelerometer(world, Accelerometer { body, point: vector(random) }).map(drop),
        _ => plant.set_camera(Camera { field: region, period: number(random) }),
    }
}

fn some_fault(random: &mut Random) -> Fault {
    let (signal, number) = (channel(random), number(random));
    let signals = [Signal::Barrier, Signal::Level, Signal::Valve, Signal::Vibrator, Signal::Belt, Signal::Hopper];
    let signal_of = random.one_of(&signals, Signal::Barrier)(signal);
    match random.one_of(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 0) {
        0 => Fault::StuckAt(signal_of, flip(random)),
        1 => Fault::Dropout(signal_of, number),
        2 => Fault::Delay(signal_of, signal),
        3 => Fault::Bounce(signal_of, signal),
        4 => Fault::Noise(signal, number),
        5 => Fault::AmplitudeLoss(signal, number),
        6 => Fault::FrictionDrift(signal, number),
        7 => Fault::Jam(signal),
        _ => Fault::DoublePart(signal, number),
    }
}

/// Actuators as a controller gone mad would set them, now and then.
fn some_actuators(random: &mut Random) -> Actuators {
    let mut actuators = Actuators::OFF;
    let mad = random.chance(0.2);
    for setpoint in &mut actuators.vibrators {
        let frequency_hz = if mad { number(random) } else { 50.0 * (1.0 + random.within_one()) };
        let amplitude_percent = if mad { number(random) } else { 50.0 * (1.0 + random.within_one()) };
        *setpoint = Setpoint { run: flip(random), amplitude_percent, frequency_hz };
    }
    for setpoint in &mut actuators.belts {
        let speed_percent = if mad { number(random) } else { 100.0 * random.within_one() };
        *setpoint = BeltSetpoint { run: flip(random), speed_percent };
    }
    actuators.valves = actuators.valves.map(|_| flip(random));
    actuators.hoppers = actuators.hoppers.map(|_| random.chance(0.8));
    actuators
}

fn step(
    twin: &mut Bench,
    faults: &mut Faults,
    h: f32,
    settings: &StepSettings<f32>,
    actuators: &Actuators,
) -> Result<(), Error> {
    let Twin { world, plant } = twin;
    faults.step(plant, world, h, settings, actuators, &mut |world, h| world.step(h, settings)).map(drop)
}

fn bytes(plant: &Plant) -> Vec<u8> {
    let mut bytes = Vec::new();
    plant.save(&mut |more: &[u8]| bytes.extend_from_slice(more));
    bytes
}

fn state(twin: &Bench, faults: &Faults) -> Vec<u8> {
    let mut bytes = Vec::new();
    twin.save(faults, &[], &mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
    bytes
}

/// No panic; what is refused changes nothing; whatever comes of a step can be saved and restored.
#[test]
fn nothing_that_is_asked_of_a_plant_breaks_it() {
    let (mut refused, mut made) = (0, 0);
    for seed in 1..=600 {
        let mut random = Random::new(seed * 7919);
        let (mut twin, bodies, surface) = bench();
        for _ in 0..14 {
            let before = bytes(&twin.plant);
            if add_something(&mut random, &mut twin, &bodies, surface).is_err() {
                assert_eq!(bytes(&twin.plant), before, "{seed}");
            }
        }
        twin.plant.set_substeps(random.one_of(&[1, 1, 2, 7], 1)).unwrap();
        let mut faults = Faults::new(seed);
        for _ in 0..random.one_of(&[0, 2, 6], 0) {
            let _ = faults.add(some_fault(&mut random), 2..20);
        }
        let mut again = twin.clone();
        for number_of_step in 0..30 {
            let h = if random.chance(0.9) { 1e-3 } else { number(&mut random) };
            let gravity = if random.chance(0.95) { Vec3::new(0.0, 0.0, -9.81) } else { vector(&mut random) };
            let ticks = random.one_of(&[0, 20_000, 40_000, 400_000], 0);
            let plan = random.chance(0.1).then_some(Plan { costs: Costs::CORTEX_M4F, ticks });
            let settings = StepSettings { gravity, plan, ..StepSettings::default() };
            let actuators = some_actuators(&mut random);
            let before = state(&twin, &faults);
            match step(&mut twin, &mut faults, h, &settings, &actuators) {
                Err(error) => {
                    assert!(state(&twin, &faults) == before, "{seed}, step {number_of_step}: {error}");
                    refused += 1;
                }
                Ok(()) => {
                    let saved = state(&twin, &faults);
                    let mut of_again = faults.clone();
                    again
                        .restore(&mut of_again, &[], &mut Reader::new(&saved))
                        .unwrap_or_else(|error| panic!("{seed}, step {number_of_step}: {error}"));
                    assert!(state(&again, &of_again) == saved, "{seed}, step {number_of_step}");
                    made += 1;
                }
            }
        }
    }
    println!("{made} steps made, {refused} refused");
    assert!(refused > 1000 && made > 10_000, "{made} {refused}");
}
