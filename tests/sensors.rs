//! Every sensor and plant part against a case computed by hand.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::record::{Fnv, Reader};
use tumble::shape::Shape;
use tumble::twin::{
    Accelerometer, Actuators, Belt, BeltSetpoint, Camera, Cylinder, Drive, Hopper, LightBarrier, PartKind, Region,
    Sensors, Setpoint, Switching, Twin, Vibrator, WeighCell, Zone,
};
use tumble::world::{Collider, Material, StepSettings};

type Bench = Twin<12, 32, 96, 16, 0>;

const H: f32 = 1e-3;
const RADIUS: f32 = 5e-3;
const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);

fn weightless() -> StepSettings<f32> {
    StepSettings { gravity: ORIGIN, ..StepSettings::default() }
}

fn step(twin: &mut Bench, settings: &StepSettings<f32>, actuators: &Actuators) -> Sensors {
    twin.step(H, settings, actuators).unwrap().0
}

fn along_x(x: f32) -> Vec3<f32> {
    Vec3::new(x, 0.0, 0.0)
}

/// A body at rest with one collider.
fn add_still(twin: &mut Bench, motion: Motion<f32>, place: Vec3<f32>, collider: Collider<f32>) -> BodyId {
    let id = twin.world.add_body(Body::new(motion, Pose::at(place)).unwrap()).unwrap();
    twin.world.add_collider(id, collider).unwrap();
    id
}

/// A ball at `x` that flies along x.
fn flying(twin: &mut Bench, x: f32, speed: f32) -> BodyId {
    let shape = Shape::Sphere { radius: RADIUS };
    let motion = Motion::Dynamic(shape.mass_properties(1000.0).unwrap());
    let id = add_still(twin, motion, along_x(x), Collider::new(shape));
    twin.world.body_mut(id).unwrap().set_velocity(Vec6::new(along_x(speed), ORIGIN)).unwrap();
    id
}

fn beam(x: f32, hysteresis: f32, output: Switching) -> LightBarrier {
    let [from, to] = [-0.1, 0.1].map(|y| Vec3::new(x, y, 0.0));
    LightBarrier { hysteresis: along_x(hysteresis), output, ..LightBarrier::new(from, to) }
}

/// Times of edges of the first barrier, on or off. s
fn edges(twin: &mut Bench, steps: u16) -> Vec<(bool, f32)> {
    let mut edges = Vec::new();
    for number in 0..steps {
        let signal = step(twin, &weightless(), &Actuators::OFF).barriers[0];
        if let Some(time) = signal.edge_time {
            assert_eq!(signal.edges, 1);
            edges.push((signal.on, f32::from(number) * H + time));
        }
    }
    edges
}

/// A beam at x = 20.3 mm and a ball r = 5 mm at 0.5 m/s: it enters after (20.3 − 5)/0.5 = 30.6 ms and leaves after 50.6 ms.
#[test]
fn a_beam_knows_when_within_a_step_it_was_crossed() {
    let crossings = |hysteresis: f32, output: Switching, substeps: u16| {
        let mut twin = Bench::new();
        flying(&mut twin, 0.0, 0.5);
        twin.plant.add_barrier(beam(20.3e-3, hysteresis, output)).unwrap();
        twin.plant.set_substeps(substeps).unwrap();
        edges(&mut twin, 80)
    };
    let check = |found: Vec<(bool, f32)>, expected: [(bool, f32); 2]| {
        assert_eq!(found.len(), 2, "{found:?}");
        for ((on, time), (to, at)) in found.into_iter().zip(expected) {
            assert_eq!(on, to);
            // a thousandth of a step, and rounding of positions
            assert!((time - at).abs() < 3e-6, "{time} {at}");
        }
    };
    let plain = Switching::default();
    check(crossings(0.0, plain, 1), [(true, 30.6e-3), (false, 50.6e-3)]);
    check(crossings(0.0, plain, 4), [(true, 30.6e-3), (false, 50.6e-3)]);
    // normally closed: the other way round
    check(crossings(0.0, Switching { normally_closed: true, ..plain }, 1), [(false, 30.6e-3), (true, 50.6e-3)]);
    // clear only when the beam 1 mm ahead is clear, too: 2 ms later
    check(crossings(1e-3, plain, 1), [(true, 30.6e-3), (false, 52.6e-3)]);
    // on after 3.3 ms, off after 7 ms
    let delayed = Switching { on_delay: 3.3e-3, off_delay: 7e-3, ..plain };
    check(crossings(0.0, delayed, 1), [(true, 33.9e-3), (false, 57.6e-3)]);
    // 20 ms of shadow are too short for this one
    assert_eq!(crossings(0.0, Switching { on_delay: 21e-3, ..plain }, 1), []);
}

#[test]
fn beams_see_parts_of_every_shape_and_no_fixed_body() {
    let mut twin = Bench::new();
    let half = Vec3::new(2e-3, 2e-3, 2e-3);
    add_still(&mut twin, Motion::Fixed, ORIGIN, Collider::new(Shape::Box { half }));
    twin.plant.add_barrier(beam(0.0, 0.0, Switching::default())).unwrap();
    assert!(!step(&mut twin, &weightless(), &Actuators::OFF).barriers[0].on);
    for shape in [
        Shape::Box { half },
        Shape::Capsule { radius: 2e-3, half_length: 3e-3 },
        Shape::Cylinder { radius: 2e-3, half_length: 3e-3 },
    ] {
        let motion = Motion::Dynamic(shape.mass_properties(1000.0).unwrap());
        let part = add_still(&mut twin, motion, Vec3::new(0.0, 0.05, 0.0), Collider::new(shape));
        assert!(step(&mut twin, &weightless(), &Actuators::OFF).barriers[0].on, "{shape:?}");
        twin.world.remove_body(part).unwrap();
        assert!(!step(&mut twin, &weightless(), &Actuators::OFF).barriers[0].on);
    }
}

/// A blade 4 mm thick at 0.5 m/s, and a ball on an arm of 50 mm that turns at 50 rad/s: 2
/// asin(5/100) rad on either side of a quarter turn it meets the beam.
#[test]
fn kinematic_body_crossing_a_beam_switches_it_with_the_right_edge_times() {
    let crossings = |collider: Collider<f32>, velocity: Vec6<f32>, barrier: LightBarrier| {
        let mut twin = Bench::new();
        let blade = add_still(&mut twin, Motion::Kinematic, ORIGIN, collider);
        twin.world.body_mut(blade).unwrap().set_velocity(velocity).unwrap();
        twin.plant.add_barrier(barrier).unwrap();
        edges(&mut twin, 60)
    };
    let blade = Collider::new(Shape::Box { half: Vec3::new(2e-3, 2e-3, 2e-3) });
    let slides = crossings(blade, Vec6::new(along_x(0.5), ORIGIN), beam(20.3e-3, 0.0, Switching::default()));
    let ball = Collider { pose: Pose::at(along_x(0.05)), ..Collider::new(Shape::Sphere { radius: RADIUS }) };
    let [from, to] = [-0.1, 0.1].map(|z| Vec3::new(0.0, 0.05, z));
    let turns = crossings(ball, Vec6::new(ORIGIN, Vec3::new(0.0, 0.0, 50.0)), LightBarrier::new(from, to));
    let half = 2.0 * 0.05_f32.asin();
    let quarter = core::f32::consts::FRAC_PI_2;
    for (found, times) in [(slides, [36.6e-3, 44.6e-3]), (turns, [(quarter - half) / 50.0, (quarter + half) / 50.0])] {
        assert_eq!(found.iter().map(|edge| edge.0).collect::<Vec<_>>(), [true, false], "{found:?}");
        for ((_, time), expected) in found.into_iter().zip(times) {
            assert!((time - expected).abs() < 3e-6, "{time} {expected}");
        }
    }
}

/// A blade of 4 mm comes to a stop when its rear is 0.5 mm, and then 1.5 mm, past a beam with 1 mm
/// of hysteresis.
#[test]
fn kinematic_body_that_stops_within_the_hysteresis_keeps_the_beam_interrupted() {
    let mut twin = Bench::new();
    let blade = Collider::new(Shape::Box { half: Vec3::new(2e-3, 2e-3, 2e-3) });
    let blade = add_still(&mut twin, Motion::Kinematic, ORIGIN, blade);
    twin.plant.add_barrier(beam(3e-3, 1e-3, Switching::default())).unwrap();
    for (steps, speed, expected) in [(11, 0.5, true), (20, 0.0, true), (2, 0.5, false), (20, 0.0, false)] {
        twin.world.body_mut(blade).unwrap().set_velocity(Vec6::new(along_x(speed), ORIGIN)).unwrap();
        for _ in 0..steps {
            step(&mut twin, &weightless(), &Actuators::OFF);
        }
        assert_eq!(twin.plant.sensors().barriers[0].on, expected, "{:?}", twin.world.body(blade).unwrap().pose());
    }
}

#[test]
fn barrier_options_choose_whether_kinematic_and_fixed_bodies_are_seen() {
    let blade = Collider::new(Shape::Box { half: Vec3::new(2e-3, 2e-3, 2e-3) });
    // with ten parts near the beam, more than a barrier remembers, it searches the whole world
    for (motion, parts) in [(Motion::Kinematic, 0_u8), (Motion::Kinematic, 10), (Motion::Fixed, 0), (Motion::Fixed, 10)]
    {
        for (sees_kinematic, sees_fixed) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut twin = Bench::new();
            add_still(&mut twin, motion, Vec3::new(0.0, 0.08, 0.0), blade);
            for number in 0..parts {
                let part = flying(&mut twin, 0.0, 5.0);
                let place = Vec3::new(3e-3, 0.0105 * f32::from(number) - 0.06, 0.0);
                twin.world.body_mut(part).unwrap().set_pose(Pose::at(place)).unwrap();
            }
            let beam = LightBarrier { sees_kinematic, sees_fixed, ..beam(0.0, 0.0, Switching::default()) };
            let opposite = LightBarrier { sees_kinematic: !sees_kinematic, sees_fixed: !sees_fixed, ..beam };
            let seen = if motion == Motion::Fixed { sees_fixed } else { sees_kinematic };
            twin.plant.add_barrier(beam).unwrap();
            twin.plant.add_barrier(opposite).unwrap();
            let [first, second, ..] = step(&mut twin, &weightless(), &Actuators::OFF).barriers;
            assert_eq!((first.on, second.on), (seen, !seen), "{motion:?} {beam:?}");
        }
    }
}

/// Four parts a second at 1 m/s into a sink 0.5 m away: the first is due at once, so that after 10.6 s there were 41.
#[test]
fn a_sink_counts_what_a_hopper_delivers() {
    let mut twin = Bench::new();
    let part = PartKind {
        shape: Shape::Sphere { radius: RADIUS },
        density: 1000.0,
        material: Material::default(),
        is_guided: false,
    };
    let hopper = Hopper {
        part,
        outlet: ORIGIN,
        spread: ORIGIN,
        velocity: along_x(1.0),
        parts_per_second: 4.0,
        jitter: 0.0,
        tumbles: false,
        seed: 1,
    };
    twin.plant.add_hopper(hopper).unwrap();
    let region = Region { centre: along_x(0.6), half: Vec3::new(0.1, 1.0, 1.0) };
    twin.plant
        .add_zone(Zone { region, level: 1, hysteresis: 0.0, output: Switching::default(), is_sink: true })
        .unwrap();
    // looks at what flies by between 0.2 m and 0.3 m
    let region = Region { centre: along_x(0.25), half: Vec3::new(0.05, 1.0, 1.0) };
    let output = Switching { on_delay: 20e-3, ..Switching::default() };
    twin.plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output, is_sink: false }).unwrap();
    let mut on = Actuators::OFF;
    on.hoppers[0] = true;
    let (mut occupied, mut level) = (0_u32, 0_u32);
    for _ in 0..10_600 {
        let sensors = step(&mut twin, &weightless(), &on);
        occupied += u32::from(sensors.zones[1].parts);
        level += u32::from(sensors.zones[1].level.on);
    }
    let sensors = *twin.plant.sensors();
    assert_eq!((sensors.hoppers[0].delivered, sensors.hoppers[0].refused), (43, 0));
    assert_eq!((sensors.zones[0].count, sensors.zones[1].count), (41, 42));
    assert!((sensors.zones[0].parts_per_minute - 240.0).abs() < 1.0, "{}", sensors.zones[0].parts_per_minute);
    // 100 ms of every 250, less 20 ms of delay; to two steps at either end
    assert!((i64::from(occupied) - 42 * 100).abs() <= 42 * 2, "{occupied}");
    assert!((i64::from(level) - 42 * 80).abs() <= 42 * 2, "{level}");
    // nothing comes any more: throughput falls
    for _ in 0..4000 {
        step(&mut twin, &weightless(), &Actuators::OFF);
    }
    let late = twin.plant.sensors().zones[0].parts_per_minute;
    assert!(late < 120.0 && late > 0.0, "{late}");
}

/// 0.25 m/s and 100 lines a metre: 25 lines or 100 edges a second. It starts and brakes at 0.5 m/s²: 0.5 s, 62.5 mm or 25 edges.
#[test]
fn encoders_count_what_the_belt_has_moved() {
    let mut twin = Bench::new();
    let machine = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    let surface = twin.world.add_collider(machine, Collider::new(Shape::HalfSpace)).unwrap();
    let direction = along_x(1.0);
    let belt = Belt { surface, direction, top_speed: 0.5, acceleration: 0.5, lines_per_metre: 100.0 };
    twin.plant.add_belt(&twin.world, belt).unwrap();
    let mut run = Actuators::OFF;
    run.belts[0] = BeltSetpoint { run: true, speed_percent: 50.0 };
    let (mut count, mut seen) = (0, [false; 4]);
    for number in 0..1500 {
        let signal = step(&mut twin, &weightless(), &run).encoders[0];
        // one edge at a time, in the order of Gray's code
        let quarter = match (signal.a, signal.b) {
            (true, false) => 0,
            (true, true) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        assert!(signal.count == count || signal.count == count + 1, "{number}");
        assert_eq!(signal.count.rem_euclid(4), quarter);
        seen[usize::try_from(quarter).unwrap()] = true;
        count = signal.count;
    }
    assert_eq!(seen, [true; 4]);
    // half a second of start, one at speed
    assert!((count - 125).abs() <= 1, "{count}");
    let speed = twin.world.collider(surface).unwrap().surface_velocity.x;
    assert!((speed - 0.25).abs() < 1e-6);
    // brakes: another 25
    (0..600).for_each(|_| {
        step(&mut twin, &weightless(), &Actuators::OFF);
    });
    assert!((twin.plant.sensors().encoders[0].count - 150).abs() <= 1);
    assert_eq!(twin.world.collider(surface).unwrap().surface_velocity.x, 0.0);
    // and back
    run.belts[0].speed_percent = -50.0;
    (0..1500).for_each(|_| {
        step(&mut twin, &weightless(), &run);
    });
    assert!((twin.plant.sensors().encoders[0].count - 25).abs() <= 1);
}

/// 0.08 kg lie on the platform: 0.7848 N. The filter has got there by 1 − (τ/(τ + h))ⁿ after n steps.
#[test]
fn a_weigh_cell_reads_m_g() {
    let reading = |filter_time: f32, noise: f32, steps: u32, substeps: u16| {
        let mut twin = Bench::new();
        let platform = add_still(&mut twin, Motion::Fixed, ORIGIN, Collider::new(Shape::HalfSpace));
        twin.plant.add_scale(&twin.world, WeighCell { platform, filter_time, noise, seed: 5 }).unwrap();
        twin.plant.set_substeps(substeps).unwrap();
        let shape = Shape::Box { half: Vec3::new(0.02, 0.01, 0.01) };
        let motion = Motion::Dynamic(shape.mass_properties(5000.0).unwrap());
        add_still(&mut twin, motion, Vec3::new(0.0, 0.0, 0.01), Collider::new(shape));
        (0..steps).map(|_| step(&mut twin, &StepSettings::default(), &Actuators::OFF).weights[0]).collect::<Vec<_>>()
    };
    let weight = 0.08 * 9.81;
    // to what the solver leaves
    assert!((reading(0.0, 0.0, 50, 1)[49] - weight).abs() < 1e-4 * weight);
    let filtered = reading(0.1, 0.0, 500, 1);
    for n in [10_u8, 100, 250] {
        let share = 1.0 - (0.1_f32 / 0.101).powi(i32::from(n));
        let got = filtered[usize::from(n) - 1];
        assert!((got - weight * share).abs() < 2e-3 * weight, "{n} {got}");
    }
    assert!((filtered[499] - weight).abs() < 0.01 * weight);
    // a filter so slow that its steps are lost in rounding comes there all the same
    let slow = reading(10.0, 0.0, 200_000, 1);
    assert!((slow[199_999] - weight).abs() < 1e-4 * weight, "{} N", slow[199_999]);
    // sub-steps add up to the same filter, nearly
    assert!((reading(0.1, 0.0, 100, 5)[99] / filtered[99] - 1.0).abs() < 5e-3);
    // noise: mean and standard deviation of 4000 readings, to four of their own deviations
    let noisy = &reading(0.0, 0.01, 4050, 1)[50..];
    let mean = noisy.iter().sum::<f32>() / 4000.0;
    let deviation = (noisy.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 4000.0).sqrt();
    assert!((mean - weight).abs() < 4.0 * 0.01 / 4000_f32.sqrt(), "{mean}");
    assert!((deviation - 0.01).abs() < 4.0 * 0.01 / 8000_f32.sqrt(), "{deviation}");
}

/// Numbers, whatever the body does.
#[test]
fn an_accelerometer_reads_numbers_only() {
    let mut twin = Bench::new();
    let body = flying(&mut twin, 0.0, 1.0);
    twin.plant.add_accelerometer(&twin.world, Accelerometer { body, point: ORIGIN }).unwrap();
    for speed in [0.0, 1e34, -1e34] {
        twin.world.body_mut(body).unwrap().set_velocity(Vec6::new(along_x(speed), ORIGIN)).unwrap();
        let (sensors, _) = twin.step(1e-6, &weightless(), &Actuators::OFF).unwrap();
        assert!(sensors.accelerations[0].is_finite(), "{:?}", sensors.accelerations[0]);
    }
}

/// A track that swings by A sin ωt: the second difference of its path is −A (2/h)² sin²(ωh/2) sin ωt, to the bit but for rounding.
#[test]
fn an_accelerometer_reads_the_swing_and_gravity() {
    let mut twin = Bench::new();
    // leans back by 30°
    let orientation = Quat::IDENTITY.turned_far(Vec3::new(0.0, -core::f32::consts::FRAC_PI_6, 0.0));
    let leaning = Pose { position: ORIGIN, orientation };
    let still = twin.world.add_body(Body::new(Motion::Kinematic, leaning).unwrap()).unwrap();
    let track = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let (amplitude, frequency) = (1e-3, 50.0);
    let swing = Vec6::new(Vec3::new(0.0, 0.0, amplitude), ORIGIN);
    let vibrator = Vibrator { body: track, swing, phase: 0.0, ramp_time: 0.0, drive: Drive::Resolved };
    twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
    for body in [track, still] {
        twin.plant.add_accelerometer(&twin.world, Accelerometer { body, point: along_x(0.1) }).unwrap();
    }
    twin.plant.set_substeps(10).unwrap();
    let settings = StepSettings::default();
    let off = step(&mut twin, &settings, &Actuators::OFF).accelerations;
    assert_eq!(off[0], Vec3::new(0.0, 0.0, 9.81));
    // nose up: gravity pulls towards the tail, so the sensor feels a push forward
    let expected = Vec3::new(9.81 * 0.5, 0.0, 9.81 * 0.866_025_4);
    let miss = off[1] - expected;
    assert!(miss.dot(miss) < 1e-8, "{off:?}");

    let mut run = Actuators::OFF;
    run.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: frequency };
    step(&mut twin, &settings, &run);
    let dt = 1e-4_f64;
    let omega = core::f64::consts::TAU * f64::from(frequency);
    let factor = f64::from(amplitude) * (2.0 / dt).powi(2) * (0.5 * omega * dt).sin().powi(2);
    let mut worst = 0.0_f64;
    for number in 1..40 {
        let got = f64::from(step(&mut twin, &settings, &run).accelerations[0].z) - 9.81;
        // between the last two sub-steps: one before the end. Two steps were made before, and the phase goes on while it stands
        let t = 1e-3 * f64::from(number + 2) - dt;
        worst = worst.max((got + factor * (omega * t).sin()).abs());
    }
    // of 98.7 m/s²: positions of 1 mm are rounded to 1e-10 m, which is 1e-10/dt² = 0.01 m/s²
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn cylinders_take_their_time_and_say_where_they_are() {
    let mut twin = Bench::new();
    let gate = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let flap = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let stroke = Vec6::new(Vec3::new(0.0, 0.0, 0.03), ORIGIN);
    twin.plant
        .add_cylinder(&twin.world, Cylinder { body: gate, stroke, extend_time: 0.02, retract_time: 0.05 })
        .unwrap();
    let stroke = Vec6::new(ORIGIN, Vec3::new(core::f32::consts::FRAC_PI_2, 0.0, 0.0));
    twin.plant.add_cylinder(&twin.world, Cylinder { body: flap, stroke, extend_time: 0.1, retract_time: 0.1 }).unwrap();
    let mut out = Actuators::OFF;
    (out.valves[0], out.valves[1]) = (true, true);
    let ends = step(&mut twin, &weightless(), &Actuators::OFF).cylinders[0];
    assert!(ends.retracted && !ends.extended);
    for number in 1..=20 {
        let ends = step(&mut twin, &weightless(), &out).cylinders[0];
        assert_eq!((ends.retracted, ends.extended), (false, number == 20), "{number}");
        let z = twin.world.body(gate).unwrap().pose().position.z;
        assert!((z - 0.0015 * number as f32).abs() < 1e-6, "{number} {z}");
    }
    (0..90).for_each(|_| {
        step(&mut twin, &weightless(), &out);
    });
    assert!(twin.plant.sensors().cylinders[0].extended && twin.plant.sensors().cylinders[1].extended);
    let up = twin.world.body(flap).unwrap().pose().orientation.turn(Vec3::new(0.0, 1.0, 0.0));
    assert!((up.z - 1.0).abs() < 1e-5, "{up:?}");
    (0..25).for_each(|_| {
        step(&mut twin, &weightless(), &Actuators::OFF);
    });
    let z = twin.world.body(gate).unwrap().pose().position.z;
    assert!((z - 0.015).abs() < 1e-6, "half the way after half the time: {z}");
}

#[test]
fn a_camera_shows_what_was_in_its_field_once_a_period() {
    let mut twin = Bench::new();
    flying(&mut twin, 0.0, 1.0);
    flying(&mut twin, 10.0, 0.0);
    let field = Region { centre: along_x(0.1), half: Vec3::new(0.05, 0.1, 0.1) };
    twin.plant.set_camera(Camera { field, period: 0.02 }).unwrap();
    let mut seen = Vec::new();
    for number in 1..=200 {
        let frame = step(&mut twin, &weightless(), &Actuators::OFF).camera;
        assert_eq!(frame.number, 1 + (number - 1) / 20);
        if (number - 1) % 20 == 0 && frame.seen > 0 {
            seen.push((number, frame.poses[0].position.x));
        }
    }
    // in the field from 50 ms to 150 ms: frames after 61, 81, … 141 ms
    assert_eq!(seen.iter().map(|frame| frame.0).collect::<Vec<_>>(), [61, 81, 101, 121, 141]);
    assert!(seen.iter().all(|(number, x)| (x - 1e-3 * *number as f32).abs() < 1e-6));
}

/// Twenty parts in the field, poses for sixteen: the first in order of place, and a count of the others.
#[test]
fn a_camera_says_how_many_it_had_no_room_for() {
    let mut twin = Twin::<20, 4, 12, 20, 0>::new();
    let part = PartKind {
        shape: Shape::Sphere { radius: RADIUS },
        density: 1000.0,
        material: Material::default(),
        is_guided: false,
    };
    for number in 0..20_u8 {
        part.add(&mut twin.world, Pose::at(along_x(0.02 * f32::from(number))), Vec6::ZERO).unwrap();
    }
    let field = Region { centre: ORIGIN, half: Vec3::new(1.0, 1.0, 1.0) };
    twin.plant.set_camera(Camera { field, period: 0.02 }).unwrap();
    let frame = twin.step(H, &weightless(), &Actuators::OFF).unwrap().0.camera;
    assert_eq!((frame.seen, frame.unseen), (16, 4));
    assert!(frame.poses.iter().zip(0_u8..).all(|(pose, number)| pose.position.x == 0.02 * f32::from(number)));
}

/// A machine that has been switched on and has not moved shows the same before the first step as after it.
#[test]
fn the_image_is_right_before_the_first_step() {
    let mut twin = Bench::new();
    // below the beams
    let below = Pose::at(Vec3::new(0.0, 0.0, -1e-3));
    let machine = twin.world.add_body(Body::new(Motion::Kinematic, below).unwrap()).unwrap();
    let surface = twin.world.add_collider(machine, Collider::new(Shape::HalfSpace)).unwrap();
    let belt = Belt { surface, direction: along_x(1.0), top_speed: 0.5, acceleration: 0.5, lines_per_metre: 100.0 };
    twin.plant.add_belt(&twin.world, belt).unwrap();
    let cylinder = Cylinder { body: machine, stroke: Vec6::ZERO, extend_time: 0.1, retract_time: 0.1 };
    twin.plant.add_cylinder(&twin.world, cylinder).unwrap();
    let region = Region { centre: ORIGIN, half: Vec3::new(1.0, 1.0, 1.0) };
    for normally_closed in [false, true] {
        let output = Switching { normally_closed, ..Switching::default() };
        twin.plant.add_barrier(beam(0.0, 0.0, output)).unwrap();
        twin.plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output, is_sink: false }).unwrap();
    }
    let before = *twin.plant.sensors();
    assert!(before.encoders[0].a && before.cylinders[0].retracted && before.barriers[1].on && before.zones[1].level.on);
    assert_eq!(step(&mut twin, &weightless(), &Actuators::OFF), before);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut twin = Bench::new();
    flying(&mut twin, 0.0, 0.5);
    let before = hash(&twin);
    let with = |change: fn(&mut Actuators)| {
        let mut actuators = Actuators::OFF;
        change(&mut actuators);
        actuators
    };
    for (actuators, error) in [
        (with(|a| a.vibrators[1].amplitude_percent = 101.0), Error::OutOfRange("amplitude_percent")),
        (with(|a| a.vibrators[1].amplitude_percent = f32::NAN), Error::NonFinite("amplitude_percent")),
        (with(|a| a.vibrators[3].frequency_hz = -1.0), Error::Negative("frequency_hz")),
        (with(|a| a.belts[1].speed_percent = -100.1), Error::OutOfRange("speed_percent")),
    ] {
        assert_eq!(twin.step(H, &weightless(), &actuators).unwrap_err(), error);
    }
    let bad = StepSettings { stabilisation: 0.0, ..weightless() };
    assert_eq!(twin.step(H, &bad, &Actuators::OFF).unwrap_err(), Error::OutOfRange("stabilisation"));
    for h in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(twin.step(h, &weightless(), &Actuators::OFF).is_err());
    }
    assert_eq!(hash(&twin), before);
    let gone = flying(&mut twin, 1.0, 0.0);
    twin.world.remove_body(gone).unwrap();
    let (swing, stroke) = (Vec6::ZERO, Vec6::ZERO);
    let vibrator = Vibrator { body: gone, swing, phase: 0.0, ramp_time: 0.0, drive: Drive::Resolved };
    assert_eq!(twin.plant.add_vibrator(&twin.world, vibrator), Err(Error::NoSuchBody));
    let cylinder = Cylinder { body: gone, stroke, extend_time: 0.0, retract_time: 0.0 };
    assert_eq!(twin.plant.add_cylinder(&twin.world, cylinder), Err(Error::NoSuchBody));
    assert_eq!(twin.plant.set_substeps(0), Err(Error::NonPositive("substeps")));
    let zone = |half| Zone {
        region: Region { centre: ORIGIN, half },
        level: 1,
        hysteresis: 0.0,
        output: Switching::default(),
        is_sink: false,
    };
    assert_eq!(twin.plant.add_zone(zone(ORIGIN)), Err(Error::NonPositive("region")));
    for channel in 0..8 {
        assert_eq!(twin.plant.add_zone(zone(Vec3::new(1.0, 1.0, 1.0))), Ok(channel));
    }
    assert_eq!(twin.plant.add_zone(zone(Vec3::new(1.0, 1.0, 1.0))), Err(Error::CapacityExceeded("zones")));
}

fn hash(twin: &Bench) -> u64 {
    let mut hash = Fnv::new();
    twin.plant.save(&mut hash);
    hash.finish() ^ twin.world.state_hash()
}

#[test]
fn a_plant_goes_on_where_it_was_saved() {
    let build = || {
        let mut twin = Bench::new();
        let platform = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        twin.world.add_collider(platform, Collider::new(Shape::HalfSpace)).unwrap();
        let swing = Vec6::new(Vec3::new(1e-4, 0.0, 1e-4), ORIGIN);
        let vibrator = Vibrator { body: platform, swing, phase: 0.0, ramp_time: 0.05, drive: Drive::Resolved };
        twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
        twin.plant.add_barrier(beam(0.01, 1e-3, Switching { on_delay: 2e-3, ..Switching::default() })).unwrap();
        let part = PartKind {
            shape: Shape::Sphere { radius: RADIUS },
            density: 1000.0,
            material: Material::default(),
            is_guided: false,
        };
        let hopper = Hopper {
            part,
            outlet: Vec3::new(0.0, 0.0, 0.02),
            spread: along_x(0.02),
            velocity: ORIGIN,
            parts_per_second: 40.0,
            jitter: 0.8,
            tumbles: true,
            seed: 9,
        };
        twin.plant.add_hopper(hopper).unwrap();
        let scale = WeighCell { platform, filter_time: 0.02, noise: 1e-3, seed: 4 };
        twin.plant.add_scale(&twin.world, scale).unwrap();
        twin.plant.set_substeps(4).unwrap();
        twin
    };
    let mut on = Actuators::OFF;
    on.hoppers[0] = true;
    on.vibrators[0] = Setpoint { run: true, amplitude_percent: 60.0, frequency_hz: 47.0 };
    let settings = StepSettings::default();
    let mut twin = build();
    (0..137).for_each(|_| {
        step(&mut twin, &settings, &on);
    });
    let mut bytes = Vec::new();
    let mut out = |more: &[u8]| bytes.extend_from_slice(more);
    twin.world.save(&[], &mut out).unwrap();
    twin.plant.save(&mut out);
    let mut other = build();
    let mut input = Reader::new(&bytes);
    other.world.restore(&[], &mut input).unwrap();
    let plant_at = input.position();
    other.plant.restore(&mut input).unwrap();
    assert!(input.rest().is_empty());
    assert_eq!(hash(&other), hash(&twin));
    for _ in 0..200 {
        assert_eq!(step(&mut other, &settings, &on), step(&mut twin, &settings, &on));
        assert_eq!(hash(&other), hash(&twin));
    }
    // cut off anywhere, or of another plant: refused, and as it was
    let before = hash(&other);
    for end in plant_at..bytes.len() {
        assert!(other.plant.restore(&mut Reader::new(&bytes[plant_at..end])).is_err());
    }
    assert_eq!(hash(&other), before);
    let mut bare = Bench::new();
    assert_eq!(bare.plant.restore(&mut Reader::new(&bytes[plant_at..])), Err(Error::Foreign("plant")));
}
