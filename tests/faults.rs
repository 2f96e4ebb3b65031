//! Faults do what they say for as long as they say, alone and together, and leave nothing behind but wear.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use std::ops::Range;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Belt, BeltSetpoint, Cylinder, Drive, EncoderSignal, EndSwitches, FEED_TABLE, Fault, Faults, Hopper,
    LightBarrier, PartKind, Sensors, Setpoint, Signal, SwitchSignal, Switching, Twin, Vibrator, WeighCell,
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
    valve: bool,
}

impl Bench {
    fn new(faults: &[(Fault, Range<u32>)]) -> Box<Self> {
        Self::with_beam(Switching::default(), faults)
    }

    fn with_beam(output: Switching, faults: &[(Fault, Range<u32>)]) -> Box<Self> {
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
        plant.add_barrier(LightBarrier { output, ..LightBarrier::new(from, to) }).unwrap();
        plant.add_scale(world, WeighCell { platform: track, filter_time: 0.0, noise: 0.0, seed: 1 }).unwrap();
        let mut bench = Box::new(Self { twin, faults: Faults::new(7), pusher, track, surface, valve: true });
        for (fault, steps) in faults {
            bench.faults.add(*fault, steps.clone()).unwrap();
        }
        bench
    }

    /// A ball that interrupts the beam for ten milliseconds, so many from now.
    fn throw(&mut self, milliseconds: f32) {
        self.throw_ball(5e-3, milliseconds);
    }

    fn throw_ball(&mut self, radius: f32, milliseconds: f32) {
        let speed = 1.0;
        let shape = Shape::Sphere { radius };
        let steel = Motion::Dynamic(shape.mass_properties(7850.0).unwrap());
        let mut body = Body::new(steel, Pose::at(Vec3::new(-radius - speed * milliseconds * 1e-3, 0.0, 0.0))).unwrap();
        body.set_velocity(Vec6::new(Vec3::new(speed, 0.0, 0.0), ORIGIN)).unwrap();
        let id = self.twin.world.add_body(body).unwrap();
        self.twin.world.add_collider(id, Collider::new(shape)).unwrap();
    }

    fn step(&mut self) -> Sensors {
        self.step_with(true)
    }

    fn step_with(&mut self, hopper: bool) -> Sensors {
        let settings = StepSettings { gravity: ORIGIN, ..StepSettings::default() };
        let mut actuators = Actuators::OFF;
        actuators.valves[0] = self.valve;
        actuators.hoppers[0] = hopper;
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

/// How fast the averaged drives of two axes of a plate move its surface, of this friction to begin with, after 150 steps with faults and some more without.
fn speeds(friction: f32, faults: &[(Fault, Range<u32>)]) -> Vec3<f32> {
    let mut twin = Twin::<1, 1, 3, 1, 0>::new();
    let Twin { world, plant } = &mut twin;
    let body = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let surface = world.add_collider(body, Collider::new(Shape::HalfSpace)).unwrap();
    for along in [Vec3::new(2e-4, 0.0, 1e-4), Vec3::new(0.0, 2e-4, 1e-4)] {
        let (swing, drive) = (Vec6::new(along, ORIGIN), Drive::Averaged { table: &FEED_TABLE, friction });
        plant.add_vibrator(world, Vibrator { body, swing, phase: 0.0, ramp_time: 0.0, drive }).unwrap();
    }
    let mut actuators = Actuators::OFF;
    actuators.vibrators = [Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 }; 4];
    let mut going_wrong = Faults::new(7);
    faults.iter().for_each(|(fault, steps)| going_wrong.add(*fault, steps.clone()).unwrap());
    let settings = StepSettings::default();
    for step in 0..200 {
        if step == 150 {
            going_wrong = Faults::new(1);
        }
        let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
        let _ = going_wrong.step(plant, world, H, &settings, &actuators, step_world).unwrap();
    }
    twin.world.collider(surface).unwrap().surface_velocity
}

fn assert_close(a: Vec3<f32>, b: Vec3<f32>) {
    let off = a - b;
    // friction drifts by 1/4096 at a time
    assert!(off.dot(off) <= 1e-7 * b.dot(b), "{a:?} is not {b:?}");
}

#[test]
fn drifts_multiply_and_stay() {
    // 0.1 s at 50 %/s, and at −20 %/s as long; the second half of each together with the other's first
    let drifts = [(Fault::FrictionDrift(0, 0.5), 0..100), (Fault::FrictionDrift(0, -0.2), 50..150)];
    let mut bench = Bench::new(&drifts);
    bench.steps(150);
    let wear = 1.05_f32 * 0.98;
    let friction = bench.friction();
    assert!((friction / (0.5 * wear) - 1.0).abs() < 2.0 / 4096.0, "{friction}");
    bench.faults = Faults::new(1);
    bench.steps(50);
    assert_eq!(bench.friction(), friction);
    // the averaged drive goes by what is worn: two frictions make their geometric mean
    assert_close(speeds(0.2, &drifts), speeds(0.2 * wear.sqrt(), &[]));
}

/// As small as its steps are, it comes to what it should.
#[test]
fn friction_drifts_however_slowly() {
    for drift in [1e-3, -1e-3, 2.5e-4, -2.5e-4, 6e-5] {
        let mut bench = Bench::new(&[(Fault::FrictionDrift(0, drift), ALWAYS)]);
        // a hopper's parts would fill the bench
        for _ in 0..20_000 {
            bench.step_with(false);
        }
        let expected = 1.0 + 20.0 * drift;
        let found = bench.friction() / 0.5;
        assert!((found - expected).abs() < 1.1 / 4096.0, "{drift}: {found}, not {expected}");
    }
}

#[test]
fn friction_drifts_for_every_axis_of_a_plate() {
    let usual = speeds(0.2, &[]);
    assert!(usual.x > 0.0 && (usual.x - usual.y).abs() < 1e-6 * usual.x, "{usual:?}");
    // 0.15 s at −200 %/s, by whichever axis
    let worn = speeds(0.2 * 0.7_f32.sqrt(), &[]);
    assert!((worn.x - usual.x).abs() > 0.01 * usual.x, "{worn:?}");
    for channel in [0, 1] {
        assert_close(speeds(0.2, &[(Fault::FrictionDrift(channel, -2.0), ALWAYS)]), worn);
    }
    // by both, 0.15 s at −100 %/s each
    let both = [0, 1].map(|channel| (Fault::FrictionDrift(channel, -1.0), ALWAYS));
    assert_close(speeds(0.2, &both), speeds(0.2 * 0.85, &[]));
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
        (Fault::StuckAt(Signal::Extended(5), true), ALWAYS),
        (Fault::StuckAt(Signal::EncoderB(1), true), ALWAYS),
        (Fault::Noise(1, 1.0), ALWAYS),
    ]);
    let spoilt = bench.steps(50)[49];
    assert!(spoilt.barriers[5].on && spoilt.zones[5].level.on && spoilt.weights[1].abs() <= 3.0);
    assert_eq!(spoilt.cylinders[5], EndSwitches { retracted: false, extended: true });
    assert_eq!(spoilt.encoders[1], EncoderSignal { b: true, ..EncoderSignal::default() });
    bench.faults = Faults::new(1);
    let sound = bench.steps(50)[49];
    assert!((bench.pushed() - 1.0).abs() < 1e-5 && (bench.swing() - 1.0).abs() < 1e-3);
    assert_eq!(sound.hoppers[0].delivered, spoilt.hoppers[0].delivered + 5);
    assert!(!sound.barriers[5].on && !sound.zones[5].level.on && sound.weights[1] == 0.0);
    assert_eq!(sound.cylinders[5], EndSwitches::default());
    assert_eq!(sound.encoders[1], EncoderSignal::default());
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
        (Fault::StuckAt(Signal::Retracted(7), true), Fault::StuckAt(Signal::Retracted(8), true)),
        (Fault::Delay(Signal::Extended(7), 1), Fault::Delay(Signal::Extended(8), 1)),
        (Fault::Bounce(Signal::EncoderA(1), 1), Fault::Bounce(Signal::EncoderA(2), 1)),
        (Fault::Dropout(Signal::EncoderB(1), 1.0), Fault::Dropout(Signal::EncoderB(2), 1.0)),
    ];
    for (last, beyond) in channels {
        let mut faults = Faults::new(7);
        assert_eq!(faults.add(last, ALWAYS), Ok(()), "{last:?}");
        assert_eq!(faults.add(beyond, ALWAYS), Err(Error::OutOfRange("channel")), "{beyond:?}");
    }
}

/// What the beam shows in 40 steps, as a ball interrupts it in the middle of step 10 and leaves it in the middle of step 20.
fn shown(faults: &[(Fault, Range<u32>)]) -> Vec<SwitchSignal> {
    shown_by(Switching::default(), faults)
}

fn shown_by(output: Switching, faults: &[(Fault, Range<u32>)]) -> Vec<SwitchSignal> {
    let mut bench = Bench::with_beam(output, faults);
    bench.throw(10.5);
    beams(&bench.steps(40))
}

fn beams(sensors: &[Sensors]) -> Vec<SwitchSignal> {
    sensors.iter().map(|sensors| sensors.barriers[0]).collect()
}

/// Step, level and whether its time is known, of every edge.
fn edges(signals: &[SwitchSignal]) -> Vec<(usize, bool, bool)> {
    edges_from(false, signals)
}

/// The same of a signal that was at this before.
fn edges_from(mut was: bool, signals: &[SwitchSignal]) -> Vec<(usize, bool, bool)> {
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

/// A ball that is through the beam within a step makes two edges of it, which a fault lets pass or not.
#[test]
fn a_pulse_within_a_step_passes_what_lets_it_pass() {
    let of = |faults: &[_]| {
        let mut bench = Bench::new(faults);
        bench.twin.plant.set_substeps(10).unwrap();
        // 0.4 mm at 1 m/s, in the middle of step 10
        bench.throw_ball(0.2e-3, 10.3);
        beams(&bench.steps(20))
    };
    let truth = of(&[]);
    assert!(truth[10].edges == 2 && truth[10].edge_time.is_some() && truth.iter().all(|signal| !signal.on));
    for fault in [Fault::Delay(BEAM, 0), Fault::Dropout(BEAM, 0.0), Fault::Bounce(BEAM, 0)] {
        assert_eq!(of(&[(fault, ALWAYS)]), truth, "{fault:?}");
    }
    for fault in [Fault::Dropout(BEAM, 1.0), Fault::StuckAt(BEAM, false), Fault::Delay(BEAM, 3)] {
        assert_eq!(edges(&of(&[(fault, ALWAYS)])), [], "{fault:?}");
    }
    let bounces = of(&[(Fault::Bounce(BEAM, 8), ALWAYS)]);
    assert!(bounces[10..18].iter().any(|signal| signal.on) && bounces[18..].iter().all(|signal| !signal.on));
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

#[test]
fn what_comes_late_has_no_time_though_another_edge_comes_with_it() {
    let mut bench = Bench::new(&[(Fault::Delay(BEAM, 17), ALWAYS)]);
    // the second interrupts the beam in the step in which the first is said to
    bench.throw(10.5);
    bench.throw(27.5);
    let late = [(27, true, false), (37, false, false), (44, true, false), (54, false, false)];
    assert_eq!(edges(&beams(&bench.steps(60))), late);
}

#[test]
fn a_normally_closed_output_has_no_pulse_of_its_own() {
    let closed = Switching { normally_closed: true, ..Switching::default() };
    let of = |faults: &[_]| edges_from(true, &shown_by(closed, faults));
    assert_eq!(of(&[]), [(10, false, true), (20, true, true)]);
    assert_eq!(of(&[(Fault::Delay(BEAM, 7), ALWAYS)]), [(17, false, false), (27, true, false)]);
    // what is lost is that the beam was interrupted
    assert_eq!(of(&[(Fault::Dropout(BEAM, 1.0), ALWAYS)]), []);
    assert_eq!(shown_by(closed, &[(Fault::Dropout(BEAM, 0.0), ALWAYS)]), shown_by(closed, &[]));
    let bounces = of(&[(Fault::Bounce(BEAM, 9), ALWAYS)]);
    assert!(bounces.len() > 4 && bounces.iter().all(|edge| (10..30).contains(&edge.0)), "{bounces:?}");
}

#[test]
fn a_fault_that_is_new_takes_a_signal_as_it_was() {
    let added = |at: u32, fault| {
        let mut bench = Bench::new(&[]);
        bench.throw(10.5);
        let mut sensors = bench.steps(at);
        bench.faults.add(fault, ALWAYS).unwrap();
        sensors.extend(bench.steps(40 - at));
        edges(&beams(&sensors))
    };
    // within the pulse
    assert_eq!(added(15, Fault::Delay(BEAM, 7)), [(10, true, true), (27, false, false)]);
    assert_eq!(added(15, Fault::Dropout(BEAM, 1.0)), [(10, true, true), (20, false, true)]);
    let bounces = added(15, Fault::Bounce(BEAM, 4));
    assert!(bounces.len() >= 2 && bounces[0].0 == 10 && bounces[1..].iter().all(|edge| (20..=24).contains(&edge.0)));
    // in the step in which it begins
    assert_eq!(added(10, Fault::Delay(BEAM, 7)), [(17, true, false), (27, false, false)]);
    assert_eq!(added(10, Fault::Dropout(BEAM, 1.0)), []);
}

/// Steps in which the pusher moves, of so many.
fn moving(bench: &mut Bench, steps: u32) -> Vec<u32> {
    let moves = |bench: &mut Bench| {
        let before = bench.pushed();
        bench.step();
        // more than a rounding
        (bench.pushed() - before).abs() > 1e-3
    };
    (0..steps).filter(|_| moves(bench)).collect()
}

#[test]
fn an_actuator_was_what_the_last_step_latched() {
    let late = Fault::Delay(Signal::Valve(0), 5);
    // before any step everything is off
    let mut bench = Bench::new(&[(late, ALWAYS)]);
    assert_eq!(moving(&mut bench, 30), (5..15).collect::<Vec<_>>());
    // out, it stays out: with new faults, and with the first of a plant that ran before
    let mut bench = Bench::new(&[]);
    bench.steps(30);
    bench.faults.add(late, ALWAYS).unwrap();
    assert_eq!(moving(&mut bench, 30), []);
    bench.faults = Faults::new(1);
    bench.faults.add(late, ALWAYS).unwrap();
    assert_eq!(moving(&mut bench, 30), []);
    bench.valve = false;
    assert_eq!(moving(&mut bench, 30), (5..15).collect::<Vec<_>>());
    // told to go out as the fault begins; one more comes on top of it
    let mut bench = Bench::new(&[]);
    bench.valve = false;
    bench.steps(30);
    bench.faults.add(late, ALWAYS).unwrap();
    bench.faults.add(Fault::Delay(Signal::Valve(0), 2), ALWAYS).unwrap();
    bench.valve = true;
    assert_eq!(moving(&mut bench, 30), (7..17).collect::<Vec<_>>());
}

/// What the end switches show in 40 steps, as the pusher goes out from the first on and comes back from the twentieth on: ten steps each.
fn ends(faults: &[(Fault, Range<u32>)]) -> Vec<EndSwitches> {
    let mut bench = Bench::new(faults);
    let mut sensors = bench.steps(20);
    bench.valve = false;
    sensors.extend(bench.steps(20));
    sensors.iter().map(|sensors| sensors.cylinders[0]).collect()
}

#[test]
fn end_switches_go_wrong_too() {
    let steps = |ends: &[EndSwitches], is_on: fn(&EndSwitches) -> bool| -> Vec<usize> {
        (0..ends.len()).filter(|step| is_on(&ends[*step])).collect()
    };
    let of = |fault| {
        let ends = ends(&[(fault, ALWAYS)]);
        (steps(&ends, |ends| ends.retracted), steps(&ends, |ends| ends.extended))
    };
    let range = |range: Range<usize>| range.collect::<Vec<_>>();
    let (inside, outside) = (Signal::Retracted(0), Signal::Extended(0));
    let truth = of(Fault::StuckAt(Signal::Extended(3), true));
    assert_eq!(truth, (range(29..40), range(9..20)));

    assert_eq!(of(Fault::StuckAt(inside, true)), (range(0..40), truth.1.clone()));
    assert_eq!(of(Fault::StuckAt(outside, false)), (truth.0.clone(), vec![]));
    // it was in before the first step
    assert_eq!(of(Fault::Delay(inside, 3)), ([range(0..3), range(32..40)].concat(), truth.1.clone()));
    assert_eq!(of(Fault::Delay(outside, 3)), (truth.0.clone(), range(12..23)));
    assert_eq!(of(Fault::Dropout(inside, 1.0)), (vec![], truth.1.clone()));
    assert_eq!(of(Fault::Dropout(outside, 1.0)), (truth.0.clone(), vec![]));
    let (retracted, extended) = of(Fault::Bounce(outside, 5));
    assert_eq!(retracted, truth.0);
    assert!(extended != truth.1 && range(14..20).iter().all(|step| extended.contains(step)), "{extended:?}");
    assert!(extended.iter().all(|step| (9..25).contains(step)), "{extended:?}");
    // for its steps only
    let stuck = ends(&[(Fault::StuckAt(outside, true), 3..6)]);
    assert_eq!(steps(&stuck, |ends| ends.extended), [range(3..6), range(9..20)].concat());
}

/// What the encoder of a belt shows in 40 steps that go on by half an edge each.
fn tracks(faults: &[(Fault, Range<u32>)]) -> Vec<EncoderSignal> {
    let mut twin = Twin::<1, 1, 3, 1, 0>::new();
    let Twin { world, plant } = &mut twin;
    let frame = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    let surface = world.add_collider(frame, Collider::new(Shape::HalfSpace)).unwrap();
    let direction = Vec3::new(1.0, 0.0, 0.0);
    // at once; half a millimetre a step
    let belt = Belt { surface, direction, top_speed: 0.5, acceleration: 1e6, lines_per_metre: 250.0 };
    plant.add_belt(world, belt).unwrap();
    let mut spoiling = Faults::new(7);
    faults.iter().for_each(|(fault, steps)| spoiling.add(*fault, steps.clone()).unwrap());
    let (settings, mut actuators) = (StepSettings::default(), Actuators::OFF);
    actuators.belts[0] = BeltSetpoint { run: true, speed_percent: 100.0 };
    let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
    (0..40).map(|_| spoiling.step(plant, world, H, &settings, &actuators, step_world).unwrap().0.encoders[0]).collect()
}

#[test]
fn encoders_go_wrong_too_and_count_on() {
    let (a, b) = (Signal::EncoderA(0), Signal::EncoderB(0));
    let of = |fault| tracks(&[(fault, ALWAYS)]);
    let truth = tracks(&[]);
    assert_eq!((truth[0].count, truth[39].count), (1, 20));
    for (step, (stuck, truth)) in of(Fault::StuckAt(a, true)).iter().zip(&truth).enumerate() {
        assert_eq!(*stuck, EncoderSignal { a: true, ..*truth }, "{step}");
    }
    // three steps late, and before the first as it was: A on, B off
    let late = of(Fault::Delay(b, 3));
    for step in 0..40 {
        let was = step >= 3 && truth[step - 3].b;
        assert_eq!(late[step], EncoderSignal { b: was, ..truth[step] }, "{step}");
    }
    // a pulse that is under way is not lost
    let first_off = truth.iter().position(|tracks| !tracks.a).unwrap();
    for (step, (lost, truth)) in of(Fault::Dropout(a, 1.0)).iter().zip(&truth).enumerate() {
        assert_eq!(*lost, EncoderSignal { a: truth.a && step < first_off, ..*truth }, "{step}");
    }
    let bounces = of(Fault::Bounce(b, 1));
    assert!(bounces.iter().zip(&truth).any(|(shown, truth)| shown.b != truth.b));
    assert!(bounces.iter().zip(&truth).all(|(shown, truth)| (shown.a, shown.count) == (truth.a, truth.count)));
    // for its steps only
    let stuck = tracks(&[(Fault::StuckAt(b, true), 3..6)]);
    let right = |step: usize| stuck[step] == truth[step];
    assert!((0..3).chain(6..40).all(right) && (3..6).all(|step| stuck[step].b));
}
