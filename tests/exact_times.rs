//! Times and ways of plant parts to the step, however many sub-steps there are and however long it takes.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Belt, BeltSetpoint, Camera, Cylinder, Drive, Hopper, PartKind, Region, Sensors, Setpoint, Switching,
    Twin, Vibrator, Zone,
};
use tumble::world::{Collider, Material, StepSettings};

type Bench = Twin<4, 4, 12, 4, 0>;

const H: f32 = 1e-3;
const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);
const EVERYWHERE: Region = Region { centre: ORIGIN, half: Vec3::new(10.0, 10.0, 10.0) };

fn step(twin: &mut Bench, actuators: &Actuators) -> Sensors {
    let settings = StepSettings { gravity: ORIGIN, ..StepSettings::default() };
    twin.step(H, &settings, actuators).unwrap().0
}

fn bench(substeps: u16) -> Bench {
    let mut twin = Bench::new();
    twin.plant.set_substeps(substeps).unwrap();
    twin
}

/// A part that stays where it is.
fn add_part(twin: &mut Bench) {
    let shape = Shape::Sphere { radius: 5e-3 };
    let part = PartKind { shape, density: 1000.0, material: Material::default(), is_guided: false };
    part.add(&mut twin.world, Pose::IDENTITY, Vec6::ZERO).unwrap();
}

/// Seen at the end of the first sub-step, it is on a delay later: in the first sub-step of the step after as many as make the delay.
#[test]
fn delays_are_over_in_the_very_step() {
    for (on_delay, substeps, steps) in [(0.0, 10, 1), (0.1, 1, 101), (10.0, 10, 10_001), (10.0, 3, 10_001)] {
        let mut twin = bench(substeps);
        add_part(&mut twin);
        let output = Switching { on_delay, ..Switching::default() };
        twin.plant.add_zone(Zone { region: EVERYWHERE, level: 1, hysteresis: 0.0, output, is_sink: false }).unwrap();
        for number in 1..=steps {
            let level = step(&mut twin, &Actuators::OFF).zones[0].level;
            assert_eq!(level.on, number == steps, "{on_delay} s, {substeps} sub-steps: {number}");
            if let Some(time) = level.edge_time {
                let sub_step = H / f32::from(substeps);
                assert!((time - sub_step).abs() < 1e-6, "{on_delay} s, {substeps} sub-steps: {time}");
            }
        }
    }
}

#[test]
fn cylinders_take_the_time_they_are_told() {
    for (extend_time, retract_time, substeps, out, back) in
        [(0.1, 0.7, 1, 100, 700), (0.1, 0.2, 7, 100, 200), (10.0, 0.0, 100, 10_000, 1), (0.0, 0.3, 1, 1, 300)]
    {
        let mut twin = bench(substeps);
        let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        let stroke = Vec6::new(Vec3::new(0.1, 0.0, 0.0), ORIGIN);
        twin.plant.add_cylinder(&twin.world, Cylinder { body, stroke, extend_time, retract_time }).unwrap();
        let mut on = Actuators::OFF;
        on.valves[0] = true;
        for number in 1..=out {
            assert_eq!(step(&mut twin, &on).cylinders[0].extended, number == out, "{number} of {out}");
        }
        assert!((twin.world.body(body).unwrap().pose().position.x - 0.1).abs() < 1e-7);
        for number in 1..=back {
            assert_eq!(step(&mut twin, &Actuators::OFF).cylinders[0].retracted, number == back, "{number} of {back}");
        }
        assert!(twin.world.body(body).unwrap().pose().position.x.abs() < 1e-7);
    }
}

/// Counts at constant speed: the way in edges, whatever a sub-step has of one.
#[test]
fn encoders_lose_nothing() {
    for (lines_per_metre, speed, substeps, seconds, counts) in [
        // five thousandths of an edge a step
        (250.0, 5e-3, 10, 60, 300),
        (20.0, 1e-3, 10, 50, 4),
        (20.0, 1e-3, 200, 13, 1),
        (250.0, 0.6, 1, 100, 60_000),
        (1000.0, 20.0, 1, 30, 2_400_000),
    ] {
        let mut twin = bench(substeps);
        let machine = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        let surface = twin.world.add_collider(machine, Collider::new(Shape::HalfSpace)).unwrap();
        let direction = Vec3::new(0.6, 0.8, 0.0);
        let belt = Belt { surface, direction, top_speed: speed, acceleration: 1e9, lines_per_metre };
        twin.plant.add_belt(&twin.world, belt).unwrap();
        let mut run = Actuators::OFF;
        run.belts[0] = BeltSetpoint { run: true, speed_percent: 100.0 };
        (0..seconds * 1000).for_each(|_| {
            step(&mut twin, &run);
        });
        assert_eq!(twin.plant.sensors().encoders[0].count, counts, "{lines_per_metre} lines, {speed} m/s");
        run.belts[0].speed_percent = -100.0;
        (0..seconds * 1000).for_each(|_| {
            step(&mut twin, &run);
        });
        assert_eq!(twin.plant.sensors().encoders[0].count, 0, "{lines_per_metre} lines, {speed} m/s and back");
    }
}

/// At 0.1 m/s² it takes 5 s to 0.5 m/s; a sub-step's share of that is some units in the last place of the speed.
#[test]
fn belts_get_up_to_speed_in_time() {
    let mut twin = bench(100);
    let machine = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    let surface = twin.world.add_collider(machine, Collider::new(Shape::HalfSpace)).unwrap();
    let direction = Vec3::new(1.0, 0.0, 0.0);
    let belt = Belt { surface, direction, top_speed: 0.5, acceleration: 0.1, lines_per_metre: 100.0 };
    twin.plant.add_belt(&twin.world, belt).unwrap();
    let mut run = Actuators::OFF;
    run.belts[0] = BeltSetpoint { run: true, speed_percent: 100.0 };
    for number in 1..=5001 {
        step(&mut twin, &run);
        let speed = twin.world.collider(surface).unwrap().surface_velocity.x;
        assert_eq!(speed >= 0.5, number >= 5000, "{number} {speed}");
    }
}

/// Every part in the step that begins nearest to its time.
#[test]
fn hoppers_keep_time() {
    for (parts_per_second, substeps, period, parts) in [(0.02, 20, 50_000, 3), (5.0, 1, 200, 100), (3.0, 3, 0, 100)] {
        let mut twin = bench(substeps);
        let shape = Shape::Sphere { radius: 5e-3 };
        let part = PartKind { shape, density: 1000.0, material: Material::default(), is_guided: false };
        let (outlet, velocity) = (ORIGIN, ORIGIN);
        let spread = ORIGIN;
        let hopper = Hopper { part, outlet, spread, velocity, parts_per_second, jitter: 0.0, tumbles: false, seed: 1 };
        twin.plant.add_hopper(hopper).unwrap();
        twin.plant
            .add_zone(Zone {
                region: EVERYWHERE,
                level: 1,
                hysteresis: 0.0,
                output: Switching::default(),
                is_sink: true,
            })
            .unwrap();
        let mut on = Actuators::OFF;
        on.hoppers[0] = true;
        let mut number = 0;
        for part in 0..parts {
            while step(&mut twin, &on).hoppers[0].delivered == part {
                number += 1;
            }
            // of three a second every third is on a whole step; the others are due a third and two thirds into one, and so are sub-steps
            let due = if period > 0 { part * period } else { part * 1000 / 3 };
            assert_eq!(number, due, "{parts_per_second} a second: part {part}");
            number += 1;
        }
    }
}

#[test]
fn cameras_keep_time() {
    // 29.97 frames a second: 33.3667 ms
    let (mut twin, period) = (bench(1), 1.0 / 29.97);
    twin.plant.set_camera(Camera { field: EVERYWHERE, period }).unwrap();
    for number in 0..100_000_u32 {
        let frames = step(&mut twin, &Actuators::OFF).camera.number;
        // those whose time, in whole nanoseconds, is nearest to this step's or to one before
        let expected = ((f64::from(number) + 0.5) * 1e6 / (f64::from(period) * 1e9).round()).floor() as u32 + 1;
        assert_eq!(frames, expected, "{number}");
    }
}

/// A soft start of ten seconds, in a million sub-steps.
#[test]
fn soft_starts_are_over_in_time() {
    let mut twin = bench(100);
    let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let swing = Vec6::new(Vec3::new(1e-3, 0.0, 0.0), ORIGIN);
    // at rest a quarter of a turn ahead: it stands at the amplitude
    let vibrator = Vibrator { body, swing, phase: 0.25, ramp_time: 10.0, drive: Drive::Resolved };
    twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
    let mut run = Actuators::OFF;
    run.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 0.0 };
    let mut path = Vec::new();
    for _ in 1..=10_001 {
        step(&mut twin, &run);
        path.push(twin.world.body(body).unwrap().pose().position.x);
    }
    let amplitude = path[10_000];
    assert!((amplitude / 1e-3 - 1.0).abs() < 2e-3);
    assert!(path[9_998] < amplitude && path[9_999] == amplitude, "{:?}", &path[9_995..]);
}
