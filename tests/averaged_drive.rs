//! The averaged drive, 1 ms steps and a table in flash, against the resolved one it stands for: at the table's nodes and midway between them, at two
//! frequencies, on level tracks and on slopes; in grooves, on banks, on worn tracks; and in a bowl, whose floor is the slower the nearer the middle.
//!
//! A relative error says nothing where friction all but holds a part, or where it goes as far back as forth. So: within 10 % of the resolved speed, or within 3 % of the track's peak speed where parts are slower than 30 % of it.

#![allow(clippy::disallowed_methods, missing_docs, reason = "tests may panic, and compare with std's functions")]

use std::f32::consts::TAU;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::twin::{Actuators, Drive, FEED_TABLE, Fault, Faults, Setpoint, Twin, Vibrator};
use tumble::world::{Collider, Material, StepSettings};
use tumble_scenes::conveying::{Track, out_of_step};

const H: f32 = 1e-3;

/// K of both drives.
fn shares(track: &Track) -> [f64; 2] {
    let drive = Drive::Averaged { table: &FEED_TABLE, friction: track.friction };
    let averaged = track.averaged_speed(drive, H).unwrap() / f64::from(track.peak_speed());
    [averaged, track.resolved_share(out_of_step(200)).unwrap()]
}

/// How much larger than allowed the error of each is, on two threads; the worst first.
fn misses(tracks: &[Track]) -> Vec<(f64, Track)> {
    let miss = |track: &Track| {
        let [averaged, resolved] = shares(track);
        ((averaged - resolved).abs() / (0.1 * resolved.abs()).max(0.03), *track)
    };
    let mut misses: Vec<(f64, Track)> = std::thread::scope(|scope| {
        let halves: Vec<_> = tracks
            .chunks(tracks.len().div_ceil(2))
            .map(|half| scope.spawn(move || half.iter().map(miss).collect::<Vec<_>>()))
            .collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    });
    misses.sort_by(|a, b| b.0.total_cmp(&a.0));
    misses
}

fn middles(axis: &[f32]) -> Vec<f32> {
    axis.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect()
}

/// Every so many of all combinations; every other one at another frequency than 50 Hz.
fn grid(throws: &[f32], holds: &[f32], slopes: &[f32], every: usize) -> Vec<Track> {
    let all = slopes.iter().flat_map(|&slope| {
        holds.iter().flat_map(move |&hold| throws.iter().map(move |&throw| Track::like(throw, hold, slope)))
    });
    all.step_by(every)
        .zip([50.0, 110.0].into_iter().cycle())
        .map(|(track, frequency)| Track { frequency, ..track })
        .collect()
}

/// A surface that is added or changed while the drive runs steadily moves with the others from the next step on.
#[test]
fn a_surface_that_is_added_or_changed_later_moves_too() {
    use tumble::world::AnyWorld;
    let mut twin = Twin::<2, 4, 12, 4, 0>::new();
    let track = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let swing = Vec6::new(Vec3::new(1e-3, 0.0, 0.3e-3), Vec3::default());
    let drive = Drive::Averaged { table: &FEED_TABLE, friction: 0.3 };
    twin.plant.add_vibrator(&twin.world, Vibrator { body: track, swing, phase: 0.0, ramp_time: 0.0, drive }).unwrap();
    let mut on = Actuators::OFF;
    on.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
    let moving = |twin: &mut Twin<2, 4, 12, 4, 0>| {
        let _ = twin.step(1e-3, &StepSettings::default(), &on).unwrap();
        let mut moving = 0;
        twin.world.for_each_collider(&mut |_, _, shape| moving += i32::from(shape.surface_velocity.x > 0.05));
        moving
    };
    let plane = Collider::new(Shape::HalfSpace);
    let [mut first, second, _] = [1, 2, 3].map(|surfaces| {
        let id = twin.world.add_collider(track, plane).unwrap();
        assert_eq!(moving(&mut twin), surfaces);
        id
    });
    // as many as before, but another one
    for _ in 0..2 {
        twin.world.remove_collider(first).unwrap();
        first = twin.world.add_collider(track, plane).unwrap();
        assert_eq!(moving(&mut twin), 3);
    }
    twin.world.set_collider(second, plane).unwrap();
    assert_eq!(moving(&mut twin), 3);
    // what somebody else sets is overwritten
    twin.world.set_surface_velocity(second, Vec3::new(-1.0, 0.0, 0.0)).unwrap();
    assert_eq!(moving(&mut twin), 3);
}

/// A swing along x and z (m), a phase and a frequency.
type Axis = ([f32; 2], f32, f32);

/// A plate that friction of 0.3 holds parts on, driven along some axes.
struct Plate {
    twin: Twin<2, 4, 12, 4, 0>,
    faults: Faults,
    on: Actuators,
    settings: StepSettings<f32>,
}

const FRICTION: f32 = 0.3;

/// A plane that is tilted by this about x: its left side up. rad
fn tilted(tilt: f32) -> Collider<f32> {
    let material = Material { friction: FRICTION, ..Material::default() };
    let orientation = Quat::IDENTITY.turned_far(Vec3::new(tilt, 0.0, 0.0));
    Collider { pose: Pose { orientation, ..Pose::IDENTITY }, material, ..Collider::new(Shape::HalfSpace) }
}

impl Plate {
    fn new(axes: &[Axis], drive: Drive) -> Self {
        Self::of(&[tilted(0.0)], axes, drive)
    }

    /// Of these surfaces.
    fn of(surfaces: &[Collider<f32>], axes: &[Axis], drive: Drive) -> Self {
        let mut twin = Twin::new();
        let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        for surface in surfaces {
            twin.world.add_collider(body, *surface).unwrap();
        }
        let mut on = Actuators::OFF;
        for &([x, z], phase, frequency_hz) in axes {
            let swing = Vec6::new(Vec3::new(x, 0.0, z), Vec3::default());
            let vibrator = Vibrator { body, swing, phase, ramp_time: 0.0, drive };
            let channel = twin.plant.add_vibrator(&twin.world, vibrator).unwrap();
            on.vibrators[channel] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz };
        }
        Self { twin, faults: Faults::new(1), on, settings: StepSettings::default() }
    }

    /// As if it rose by this along x.
    fn climbing(self, rise: f32) -> Self {
        let gravity = Vec3::new(-rise, 0.0, -1.0) * (9.81 / 1_f32.hypot(rise));
        Self { settings: StepSettings { gravity, ..self.settings }, ..self }
    }

    /// Friction drifts for a second of steps of `h`.
    fn wearing(mut self, drift: f32, channel: u8, h: f32) -> Self {
        self.faults.add(Fault::FrictionDrift(channel, drift), 0..(1.0 / h).round() as u32).unwrap();
        self
    }

    fn step(&mut self, h: f32) {
        let Self { twin: Twin { world, plant }, faults, on, settings } = self;
        let _ = faults.step(plant, world, h, settings, on, &mut |world, h| world.step(h, settings)).unwrap();
    }

    /// m/s
    fn surface_velocity(mut self) -> Vec3<f32> {
        use tumble::world::AnyWorld;
        self.step(H);
        let mut velocity = Vec3::default();
        self.twin.world.for_each_collider(&mut |_, _, collider| velocity = collider.surface_velocity);
        velocity
    }

    /// Mean speed of a part along x, after half a second that of most of another, by steps of `h`. m/s
    fn speed(self, h: f32) -> f64 {
        self.speed_after(0.5, RADIUS, h)
    }

    /// The same after so many seconds, of a part that begins so high.
    fn speed_after(mut self, seconds: f32, height: f32, h: f32) -> f64 {
        let (radius, inertia) = (RADIUS, Vec3::new(1e3, 1e3, 1e3));
        let motion = Motion::Dynamic(MassProperties { mass: 1.0, inertia });
        let part = Body::new(motion, Pose::at(Vec3::new(0.0, 0.0, height))).unwrap();
        let part = self.twin.world.add_body(part).unwrap();
        let material = Material { friction: FRICTION, ..Material::default() };
        let ball = Shape::Sphere { radius };
        self.twin.world.add_collider(part, Collider { material, ..Collider::new(ball) }).unwrap();
        let mut place = |steps: u32| {
            (0..steps).for_each(|_| self.step(h));
            f64::from(self.twin.world.body(part).unwrap().pose().position.x)
        };
        // 34 cycles of 50 Hz: as many steps as make nearly none left over
        let (settle, steps) = ((seconds / h) as u32, (0.68 / h).round() as u32);
        let from = place(settle);
        (place(steps) - from) / (f64::from(steps) * f64::from(h))
    }
}

/// Of a part. m
const RADIUS: f32 = 2e-3;
const AVERAGED: Drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION };

/// They are one swing: speeds of each alone say nothing about it.
#[test]
fn vibrators_of_one_frequency_convey_as_one() {
    let velocity = |axes: &[Axis]| Plate::new(axes, AVERAGED).surface_velocity();
    let (x, z, f) = (0.28e-3, 0.12e-3, 50.0);
    let forth = velocity(&[([x, z], 0.0, f)]);
    let back = velocity(&[([x, -z], 0.0, f)]);
    assert!((forth.x - 0.0253).abs() < 1e-3 && (back.x + forth.x).abs() < 1e-6, "{forth:?} {back:?}");
    for (axes, expected) in [
        (vec![([x, 0.0], 0.0, f), ([0.0, z], 0.0, f)], forth),
        (vec![([x, 0.0], 0.5, f), ([0.0, z], 0.5, f)], forth),
        (vec![([x, 0.0], 1.0, f), ([0.0, z], 0.0, f)], forth),
        (vec![([x, 0.0], 0.0, f), ([0.0, z], 0.5, f)], back),
        (vec![([0.0, z], 0.0, f), ([x, 0.0], 0.5, f)], back),
        // halves of a whole, and what takes a third of it away
        (vec![([x / 2.0, z / 2.0], 0.0, f); 2], forth),
        (vec![([1.5 * x, 1.5 * z], 0.0, f), ([0.5 * x, 0.5 * z], 0.5, f)], forth),
        (vec![([x, z], 0.0, f), ([x, z], 0.5, f)], Vec3::default()),
    ] {
        let off = velocity(&axes) - expected;
        assert!(off.dot(off) < 1e-12, "{axes:?}: {off:?}");
    }
}

/// Those of other frequencies are other swings, each for itself, whichever comes first.
#[test]
fn vibrators_of_two_frequencies_add_up_as_speeds() {
    let velocity = |axes: &[Axis]| Plate::new(axes, AVERAGED).surface_velocity();
    let [x, z, other] = [([0.28e-3, 0.0], 0.0, 50.0), ([0.0, 0.12e-3], 0.0, 50.0), ([0.1e-3, 0.05e-3], 0.0, 70.0)];
    let sum = velocity(&[x, z]) + velocity(&[other]);
    for axes in [[x, z, other], [x, other, z], [other, x, z]] {
        let off = velocity(&axes) - sum;
        assert!(off.dot(off) < 1e-12, "{axes:?}: {off:?}");
    }
}

#[test]
fn two_vibrators_convey_as_two_resolved_ones_do() {
    let (x, z, f) = (0.28e-3, 0.12e-3, 50.0);
    for phase in [0.0, 0.5] {
        let axes = [([x, 0.0], 0.0, f), ([0.0, z], phase, f)];
        let averaged = Plate::new(&axes, AVERAGED).speed(H);
        let resolved = Plate::new(&axes, Drive::Resolved).speed(1.0 / (f * out_of_step(200)));
        println!("phase {phase}: {averaged:.5} m/s, resolved {resolved:.5}");
        assert!((averaged / resolved - 1.0).abs() < 0.1, "{averaged} {resolved}");
    }
}

/// Whichever of a body's vibrators has a fault, friction of the body's surfaces is what drifts.
#[test]
fn friction_that_drifts_drifts_for_all_vibrators_of_a_body() {
    let axes = [([0.28e-3, 0.0], 0.0, 50.0), ([0.0, 0.12e-3], 0.0, 50.0)];
    let drifting = [0, 1].map(|channel| {
        let mut plate = Plate::new(&axes, AVERAGED).wearing(-0.5, channel, H);
        (0..1000).for_each(|_| plate.step(H));
        plate.surface_velocity().x
    });
    let steady = Plate::new(&axes, AVERAGED).surface_velocity().x;
    assert!(drifting[0] < 0.9 * steady && drifting[1] == drifting[0], "{drifting:?} {steady}");
}

/// Two frictions make their geometric mean: of what a track loses parts feel the root.
#[test]
fn a_worn_track_conveys_as_a_resolved_one_does() {
    let axes = [([0.28e-3, 0.12e-3], 0.0, 50.0)];
    for drift in [-0.75, -0.5, 2.0] {
        let [averaged, resolved] = [(AVERAGED, H), (Drive::Resolved, 1.0 / (50.0 * out_of_step(200)))]
            .map(|(drive, h)| Plate::new(&axes, drive).wearing(drift, 0, h).speed_after(1.5, RADIUS, h));
        println!("drift {drift}: {averaged:.5} m/s, resolved {resolved:.5}");
        assert!((averaged / resolved - 1.0).abs() < 0.1, "{averaged} {resolved}");
    }
}

/// What leans to the side does not climb. Parts are pressed on more than on a level track: in a groove from both sides, on a bank by its wall too.
#[test]
fn grooves_and_banks_convey_as_resolved_ones_do() {
    let axes = [([0.28e-3, 0.12e-3], 0.0, 50.0)];
    let quarter = 0.25 * TAU;
    let groove = |tilt: f32| ([tilted(-tilt), tilted(tilt)], 1.0 / tilt.cos());
    // the wall stands on the lower side, square to the bank
    let bank = |tilt: f32| ([tilted(tilt), tilted(tilt - quarter)], tilt.cos() + tilt.sin());
    for (name, tilt, (surfaces, pressed)) in [
        ("groove", 0.2, groove(0.2)),
        ("groove", 0.44, groove(0.44)),
        ("groove", 0.46, groove(0.46)),
        ("groove", 1.0, groove(1.0)),
        ("bank", 0.1, bank(0.1)),
        ("bank", 0.2, bank(0.2)),
        ("bank", 0.4, bank(0.4)),
        ("bank", 0.6, bank(0.6)),
    ] {
        let drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION * pressed };
        let [averaged, resolved] = [(drive, H), (Drive::Resolved, 1.0 / (50.0 * out_of_step(200)))]
            .map(|(drive, h)| Plate::of(&surfaces, &axes, drive).speed_after(0.5, 1.5 * RADIUS, h));
        println!("{name} {tilt}: {averaged:.5} m/s, resolved {resolved:.5}");
        assert!((averaged / resolved - 1.0).abs() < 0.1, "{name} {tilt}: {averaged} {resolved}");
    }
}

/// A swing along a track has no front: what rises one way falls the other, and the table must know both as well.
#[test]
fn a_swing_along_a_slope_is_the_same_told_either_way_round() {
    for (rise, x) in [(0.12, 0.28e-3), (0.12, 0.1e-3), (0.05, 0.28e-3), (0.16, 0.5e-3)] {
        let peak = f64::from(TAU * 50.0 * x);
        let ways = |drive| [x, -x].map(|x| Plate::new(&[([x, 0.0], 0.0, 50.0)], drive).climbing(rise));
        let [one, other] = ways(AVERAGED).map(|plate| plate.speed(H));
        let [resolved, _] = ways(Drive::Resolved).map(|plate| plate.speed(1.0 / (50.0 * out_of_step(200))));
        println!("rising {rise}, {x} m: {one:.5} and {other:.5} m/s, resolved {resolved:.5}");
        let allowed = (0.1 * resolved.abs()).max(0.03 * peak);
        assert!((one - other).abs() < allowed, "{one} {other}");
        assert!((one - resolved).abs() < allowed && (other - resolved).abs() < allowed, "{one} {other} {resolved}");
    }
}

#[test]
fn at_its_nodes_it_conveys_as_the_resolved_drive_does() {
    let tracks =
        grid(FEED_TABLE.throws, FEED_TABLE.holds, FEED_TABLE.slopes, if cfg!(debug_assertions) { 47 } else { 11 });
    let misses = misses(&tracks);
    println!("{} nodes: worst {:?}, median {:.3}", misses.len(), misses[0], misses[misses.len() / 2].0);
    assert!(misses[0].0 < 1.0, "{:?}", misses[0]);
}

#[test]
fn between_its_nodes_it_does_too() {
    let (throws, holds) = (middles(FEED_TABLE.throws), middles(FEED_TABLE.holds));
    let level = misses(&grid(&throws, &holds, &[0.0], if cfg!(debug_assertions) { 7 } else { 1 }));
    let within = |misses: &[(f64, Track)]| misses.iter().filter(|(miss, _)| *miss < 1.0).count();
    println!("level: {} of {} within, worst {:?}", within(&level), level.len(), level[0]);
    let slopes =
        misses(&grid(&throws, &holds, &middles(FEED_TABLE.slopes), if cfg!(debug_assertions) { 47 } else { 1 }));
    println!("slopes: {} of {} within, worst {:?}", within(&slopes), slopes.len(), slopes[0]);
    // all of them, every cell's middle, where a line is farthest from a curve
    assert!(level[0].0 < 1.0 && slopes[0].0 < 1.0, "{:?} {:?}", level[0], slopes[0]);
}

/// Mean speed along the first of eight plates round a middle, which climb by this, of a bowl that turns by 4 mrad as it rises by 0.2 mm; and that of a track that is such a plate. m/s
fn speeds_in_a_bowl(radius: f32, climb: f32) -> [f64; 2] {
    let (friction, frequency, turn, rise) = (0.3_f32, 50.0_f32, 4e-3_f32, 0.2e-3_f32);
    let material = Material { friction, ..Material::default() };
    let mut twin = Box::new(Twin::<2, 16, 48, 10, 0>::new());
    let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    let half = Vec3::new(0.02, 0.4 * radius, 5e-3);
    let plate = |angle: f32| {
        let level = Quat::IDENTITY.turned(Vec3::new(0.0, 0.0, angle));
        let orientation = level.turned(level.turn(Vec3::new(climb.atan(), 0.0, 0.0)));
        Pose { position: Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0), orientation }
    };
    for k in 0_u8..8 {
        let pose = plate(f32::from(k) * TAU / 8.0);
        twin.world.add_collider(body, Collider { pose, material, ..Collider::new(Shape::Box { half }) }).unwrap();
    }
    let swing = Vec6::new(Vec3::new(0.0, 0.0, rise), Vec3::new(0.0, 0.0, turn));
    let drive = Drive::Averaged { table: &FEED_TABLE, friction };
    twin.plant.add_vibrator(&twin.world, Vibrator { body, swing, phase: 0.0, ramp_time: 0.05, drive }).unwrap();
    // begins near where the first plate does, and goes along it
    let inertia = Vec3::new(1e3, 1e3, 1e3);
    let start = Pose::at(plate(0.0).point(Vec3::new(0.0, -0.9 * half.y, half.z + 2e-3)));
    let part = Body::new(Motion::Dynamic(MassProperties { mass: 1.0, inertia }), start).unwrap();
    let part = twin.world.add_body(part).unwrap();
    let ball = Shape::Sphere { radius: 2e-3 };
    twin.world.add_collider(part, Collider { material, ..Collider::new(ball) }).unwrap();
    let mut actuators = Actuators::OFF;
    actuators.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: frequency };
    let along = plate(0.0).orientation.turn(Vec3::new(0.0, 1.0, 0.0));
    let mut place = |steps: u32| {
        for _ in 0..steps {
            let _ = twin.step(H, &StepSettings::default(), &actuators).unwrap();
        }
        f64::from(twin.world.body(part).unwrap().pose().position.dot(along))
    };
    let from = place(150);
    let speed = (place(150) - from) / 0.15;

    let (normal, tangential) = (rise - turn * radius * climb, turn * radius + rise * climb);
    let throw = normal * (TAU * frequency).powi(2) / 9.81;
    let track = Track { rise: climb, tangent: normal / tangential, throw, friction, frequency };
    let resolved = track.resolved_speed(out_of_step(200)).unwrap();
    println!("radius {radius}, climbing {climb}: {speed:.5} m/s, resolved {resolved:.5}, {track:?}");
    [speed, resolved]
}

#[test]
fn a_bowl_conveys_the_faster_the_farther_out() {
    let [inner, outer] = [0.06, 0.12].map(|radius| {
        let [speed, resolved] = speeds_in_a_bowl(radius, 0.0);
        assert!((speed / resolved - 1.0).abs() < 0.1, "{speed} {resolved}");
        speed
    });
    assert!(outer > 1.5 * inner);
}

/// The plates' own slope counts, not that of the bowl, which stands level.
#[test]
fn a_bowl_conveys_the_slower_the_more_it_climbs() {
    let [level, climbing] = [0.0, 0.03].map(|climb| {
        let [speed, resolved] = speeds_in_a_bowl(0.12, climb);
        assert!((speed / resolved - 1.0).abs() < 0.1, "{speed} {resolved}");
        speed
    });
    assert!(climbing < 0.8 * level);
}
