//! Faults do what they say for as long as they say, alone and together, and leave nothing behind but wear.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use std::ops::Range;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Cylinder, Drive, Fault, Faults, Hopper, LightBarrier, PartKind, Sensors, Setpoint, Signal, SwitchSignal,
    Switching, Twin, Vibrator, WeighCell,
};
use tumble::world::{AnyWorld, Collider, ColliderId, Material, StepSettings};

const H: f32 = 1e-3;
const ALWAYS: Range<u32> = 0..u32::MAX;
/// A beam that parts interrupt.
const BEAM: Signal = Signal::Barrier(0);
const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);

/// A pusher, a track that swings, a hopper, a beam and a scale; nothing touches anything.
struct Bench {
    twin: Twin<40, 8, 24, 40, 0>,
    faults: Faults,
    pusher: BodyId,
    track: BodyId,
    surface: ColliderId,
}

impl Bench {
    fn new(faults: &[(Fault, Range<u32>)]) -> Box<Self> {
        let mut twin = Twin::new();
        let Twin { world, plant } = &mut twin;
        let [pusher, track] = [1.0, 2.0].map(|y| {
            let pose = Pose::at(Vec3::new(0.0, y, 0.0));
            world.add_body(Body::new(Motion::Kinematic, pose).unwrap()).unwrap()
        });
        let material = Material { friction: 0.5, ..Material::default() };
        let ball = Shape::Sphere { radius: 1e-3 };
        let surface = world.add_collider(track, Collider { material, ..Collider::new(ball) }).unwrap();
        let along = Vec6::new(Vec3::new(1.0, 0.0, 0.0), ORIGIN);
        // 10 ms each way
        let cylinder = Cylinder { body: pusher, stroke: along, extend_time: 0.01, retract_time: 0.01 };
        plant.add_cylinder(world, cylinder).unwrap();
        let swing = Vibrator { body: track, swing: along, phase: 0.0, ramp_time: 0.0, drive: Drive::Resolved };
        plant.add_vibrator(world, swing).unwrap();
        let part = PartKind { shape: ball, density: 1000.0, material, is_guided: false };
        // a part every 10 ms, gone before the next
        let hopper = Hopper {
            part,
            outlet: Vec3::new(0.0, 5.0, 0.0),
            spread: ORIGIN,
            velocity: Vec3::new(0.0, 3.0, 0.0),
            parts_per_second: 100.0,
            jitter: 0.0,
            tumbles: false,
            seed: 1,
        };
        plant.add_hopper(hopper).unwrap();
        let [from, to] = [-0.1, 0.1].map(|z| Vec3::new(0.0, 0.0, z));
        plant.add_barrier(LightBarrier { from, to, hysteresis: ORIGIN, output: Switching::default() }).unwrap();
        plant.add_scale(world, WeighCell { platform: track, filter_time: 0.0, noise: 0.0, seed: 1 }).unwrap();
        let mut bench = Box::new(Self { twin, faults: Faults::new(7), pusher, track, surface });
        for (fault, steps) in faults {
            bench.faults.add(*fault, steps.clone()).unwrap();
        }
        bench
    }

    /// A ball that interrupts the beam for ten milliseconds, so many from now.
    fn throw(&mut self, milliseconds: f32) {
        let (radius, speed) = (5e-3, 1.0);
        let shape = Shape::Sphere { radius };
        let steel = Motion::Dynamic(shape.mass_properties(7850.0).unwrap());
        let mut body = Body::new(steel, Pose::at(Vec3::new(-radius - speed * milliseconds * 1e-3, 0.0, 0.0))).unwrap();
        body.set_velocity(Vec6::new(Vec3::new(speed, 0.0, 0.0), ORIGIN)).unwrap();
        let id = self.twin.world.add_body(body).unwrap();
        self.twin.world.add_collider(id, Collider::new(shape)).unwrap();
    }

    fn step(&mut self) -> Sensors {
        let settings = StepSettings { gravity: ORIGIN, ..StepSettings::default() };
        let mut actuators = Actuators::OFF;
        actuators.valves[0] = true;
        actuators.hoppers[0] = true;
        actuators.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 250.0 };
        let Twin { world, plant } = &mut self.twin;
        let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
        self.faults.step(plant, world, H, &settings, &actuators, step_world).unwrap().0
    }

    fn steps(&mut self, count: u32) -> Vec<Sensors> {
        (0..count).map(|_| self.step()).collect()
    }

    /// How far out the pusher is. m
    fn pushed(&self) -> f32 {
        self.twin.world.body(self.pusher).unwrap().pose().position.x
    }

    /// How far the track swings within a turn of four steps. m
    fn swing(&mut self) -> f32 {
        let place = |bench: &Self| bench.twin.world.body(bench.track).unwrap().pose().position.x.abs();
        (0..4).fold(0.0, |most, _| {
            self.step();
            f32::max(most, place(self))
        })
    }

    fn friction(&self) -> f32 {
        self.twin.world.collider(self.surface).unwrap().material.friction
    }
}

#[test]
fn a_later_window_does_not_undo_an_earlier_one() {
    let windows = |fault| [(fault, 0..50), (fault, 200..250)];
    let mut bench = Bench::new(&windows(Fault::Jam(0)));
    bench.steps(50);
    assert_eq!(bench.pushed(), 0.0);
    bench.steps(20);
    assert!((bench.pushed() - 1.0).abs() < 1e-5);

    let mut bench = Bench::new(&windows(Fault::AmplitudeLoss(0, 0.25)));
    assert!((bench.swing() - 0.25).abs() < 1e-3);
    bench.steps(60);
    assert!((bench.swing() - 1.0).abs() < 1e-3);

    let delivered = |faults: &[_]| Bench::new(faults).steps(50).last().unwrap().hoppers[0].delivered;
    assert_eq!((delivered(&[]), delivered(&windows(Fault::DoublePart(0, 1.0)))), (5, 10));
}

#[test]
fn of_two_at_once_the_worst_counts() {
    for shares in [[0.25, 0.5], [0.5, 0.25]] {
        let mut bench = Bench::new(&shares.map(|share| (Fault::AmplitudeLoss(0, share), ALWAYS)));
        assert!((bench.swing() - 0.25).abs() < 1e-3);
        let mut bench = Bench::new(&shares.map(|share| (Fault::DoublePart(0, 2.0 * share), ALWAYS)));
        assert_eq!(bench.steps(50)[49].hoppers[0].delivered, 10);
    }
}

#[test]
fn drifts_multiply_and_stay() {
    // 0.1 s at 50 %/s, and at −20 %/s as long; the second half of each together with the other's first
    let mut bench = Bench::new(&[(Fault::FrictionDrift(0, 0.5), 0..100), (Fault::FrictionDrift(0, -0.2), 50..150)]);
    bench.steps(150);
    let worn = 0.5 * 1.05 * 0.98;
    assert!((bench.friction() - worn).abs() < 1e-5, "{}", bench.friction());
    let format = format!("{:?}", bench.twin.plant);
    let wear: f32 = format.split("wear: ").nth(1).unwrap().split([' ', ',']).next().unwrap().parse().unwrap();
    assert!((wear - 1.05 * 0.98).abs() < 1e-5, "{wear}");
    bench.faults = Faults::new(1);
    bench.steps(50);
    assert!((bench.friction() - worn).abs() < 1e-5);
}

#[test]
fn taken_away_they_leave_nothing_behind() {
    let mut bench = Bench::new(&[
        (Fault::Jam(0), ALWAYS),
        (Fault::AmplitudeLoss(0, 0.25), ALWAYS),
        (Fault::DoublePart(0, 1.0), ALWAYS),
        // no sensor has these channels
        (Fault::StuckAt(Signal::Barrier(5), true), ALWAYS),
        (Fault::StuckAt(Signal::Level(5), true), ALWAYS),
        (Fault::Noise(1, 1.0), ALWAYS),
    ]);
    let spoilt = bench.steps(50)[49];
    assert!(spoilt.barriers[5].on && spoilt.zones[5].level.on && spoilt.weights[1].abs() <= 3.0);
    bench.faults = Faults::new(1);
    let sound = bench.steps(50)[49];
    assert!((bench.pushed() - 1.0).abs() < 1e-5 && (bench.swing() - 1.0).abs() < 1e-3);
    assert_eq!(sound.hoppers[0].delivered, spoilt.hoppers[0].delivered + 5);
    assert!(!sound.barriers[5].on && !sound.zones[5].level.on && sound.weights[1] == 0.0);
}

#[test]
fn a_signal_nobody_drives_is_stuck_for_its_steps_only() {
    let mut bench = Bench::new(&[(Fault::StuckAt(Signal::Barrier(5), true), 3..6), (Fault::Noise(1, 1.0), 3..6)]);
    let sensors = bench.steps(9);
    let stuck: Vec<_> = sensors.iter().map(|sensors| sensors.barriers[5].on).collect();
    assert_eq!(stuck, [false, false, false, true, true, true, false, false, false]);
    let noisy: Vec<_> = sensors.iter().map(|sensors| sensors.weights[1] != 0.0).collect();
    assert_eq!(noisy, stuck);
}

#[test]
fn a_channel_that_the_image_does_not_have_is_refused() {
    let channels = [
        (Fault::Noise(1, 1.0), Fault::Noise(2, 1.0)),
        (Fault::AmplitudeLoss(3, 1.0), Fault::AmplitudeLoss(4, 1.0)),
        (Fault::FrictionDrift(3, 1.0), Fault::FrictionDrift(4, 1.0)),
        (Fault::Jam(7), Fault::Jam(200)),
        (Fault::DoublePart(1, 1.0), Fault::DoublePart(2, 1.0)),
        (Fault::StuckAt(Signal::Barrier(7), true), Fault::StuckAt(Signal::Barrier(8), true)),
        (Fault::Dropout(Signal::Level(7), 1.0), Fault::Dropout(Signal::Level(8), 1.0)),
        (Fault::Delay(Signal::Valve(7), 1), Fault::Delay(Signal::Valve(8), 1)),
        (Fault::Bounce(Signal::Vibrator(3), 1), Fault::Bounce(Signal::Vibrator(4), 1)),
        (Fault::StuckAt(Signal::Belt(1), true), Fault::StuckAt(Signal::Belt(2), true)),
        (Fault::StuckAt(Signal::Hopper(1), true), Fault::StuckAt(Signal::Hopper(2), true)),
    ];
    for (last, beyond) in channels {
        let mut faults = Faults::new(7);
        assert_eq!(faults.add(last, ALWAYS), Ok(()), "{last:?}");
        assert_eq!(faults.add(beyond, ALWAYS), Err(Error::OutOfRange("channel")), "{beyond:?}");
    }
}

/// What the beam shows in 40 steps, as a ball interrupts it in the middle of step 10 and leaves it in the middle of step 20.
fn shown(faults: &[(Fault, Range<u32>)]) -> Vec<SwitchSignal> {
    let mut bench = Bench::new(faults);
    bench.throw(10.5);
    bench.steps(40).iter().map(|sensors| sensors.barriers[0]).collect()
}

/// Step, level and whether its time is known, of every edge.
fn edges(signals: &[SwitchSignal]) -> Vec<(usize, bool, bool)> {
    let mut was = false;
    let mut edges = Vec::new();
    for (step, signal) in signals.iter().enumerate() {
        // levels and edges say the same
        assert_eq!(signal.edges, u8::from(signal.on != was), "step {step}: {signal:?}");
        assert!(signal.edges == 1 || signal.edge_time.is_none(), "step {step}: {signal:?}");
        if signal.edges == 1 {
            edges.push((step, signal.on, signal.edge_time.is_some()));
        }
        was = signal.on;
    }
    edges
}

#[test]
fn edges_are_where_the_level_shown_changes() {
    let truth = shown(&[]);
    assert_eq!(edges(&truth), [(10, true, true), (20, false, true)]);
    assert!((truth[10].edge_time.unwrap() - 0.5e-3).abs() < 1e-5);
    let of = |faults: &[_]| edges(&shown(faults));

    assert_eq!(of(&[(Fault::StuckAt(BEAM, false), ALWAYS)]), []);
    assert_eq!(of(&[(Fault::StuckAt(BEAM, true), 1..40)]), [(1, true, false)]);
    assert_eq!(of(&[(Fault::Dropout(BEAM, 1.0), ALWAYS)]), []);
    assert_eq!(of(&[(Fault::Delay(BEAM, 7), ALWAYS)]), [(17, true, false), (27, false, false)]);
    // what is there is timed, to the bit
    assert_eq!(shown(&[(Fault::Delay(BEAM, 0), ALWAYS)]), truth);
    assert_eq!(shown(&[(Fault::Dropout(BEAM, 0.0), ALWAYS)]), truth);
    // outside its steps nothing is touched
    assert_eq!(shown(&[(Fault::StuckAt(BEAM, true), 50..60)]), truth);
    let bounces = of(&[(Fault::Bounce(BEAM, 4), ALWAYS)]);
    assert!(bounces.len() >= 4 && bounces.iter().all(|edge| !edge.2 || edge.0 == 10 || edge.0 == 20), "{bounces:?}");
}

#[test]
fn the_way_in_and_out_of_a_window_is_an_edge() {
    let of = |faults: &[_]| edges(&shown(faults));
    let stuck = |level, steps| [(Fault::StuckAt(BEAM, level), steps)];
    // within a pulse, over its end, and to the step before a true edge
    let gap = [(10, true, true), (13, false, false), (16, true, false), (20, false, true)];
    assert_eq!(of(&stuck(false, 13..16)), gap);
    assert_eq!(of(&stuck(true, 15..25)), [(10, true, true), (25, false, false)]);
    assert_eq!(of(&stuck(true, 5..20)), [(5, true, false), (20, false, true)]);
    // one after the other: late, and then stuck for some steps
    let both = [(Fault::Delay(BEAM, 7), ALWAYS), (Fault::StuckAt(BEAM, false), 20..22)];
    let late = [(17, true, false), (20, false, false), (22, true, false), (27, false, false)];
    assert_eq!(of(&both), late);
}
