//! Counters, levels and sinks against parts counted by hand.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::record::Reader;
use tumble::shape::Shape;
use tumble::twin::{Actuators, Drive, Hopper, PartKind, Region, Setpoint, Switching, Twin, Vibrator, Zone};
use tumble::world::{Collider, Material, StepSettings};

/// Room for two parts: every one that comes takes the place of one that has gone.
type Tight = Twin<2, 4, 12, 2, 0>;

const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);

fn weightless() -> StepSettings<f32> {
    StepSettings { gravity: ORIGIN, ..StepSettings::default() }
}

/// Balls that fly along x at 1 m/s.
fn hopper(parts_per_second: f32) -> Hopper {
    let shape = Shape::Sphere { radius: 5e-3 };
    let part = PartKind { shape, density: 1000.0, material: Material::default(), is_guided: false };
    let velocity = Vec3::new(1.0, 0.0, 0.0);
    Hopper { part, outlet: ORIGIN, spread: ORIGIN, velocity, parts_per_second, jitter: 0.0, tumbles: false, seed: 1 }
}

/// All there is from x − half to x + half.
fn zone(x: f32, half: f32, is_sink: bool) -> Zone {
    let region = Region { centre: Vec3::new(x, 0.0, 0.0), half: Vec3::new(half, 1.0, 1.0) };
    Zone { region, level: 1, hysteresis: 0.0, output: Switching::default(), is_sink }
}

/// On a track that swings, a part at a zone's edge comes in with every cycle, unless the zone has more hysteresis than that.
#[test]
fn a_part_that_swings_at_the_edge_comes_in_once() {
    let swing = Vec6::new(Vec3::new(0.1e-3, 0.0, 0.02e-3), ORIGIN);
    for (hysteresis, most) in [(0.0, 99), (0.5e-3, 1)] {
        let mut twin = Twin::<2, 4, 12, 2, 0>::new();
        let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        twin.world.add_collider(body, Collider::new(Shape::HalfSpace)).unwrap();
        let drive = Drive::Resolved;
        twin.plant.add_vibrator(&twin.world, Vibrator { body, swing, phase: 0.0, ramp_time: 0.0, drive }).unwrap();
        twin.plant.set_substeps(10).unwrap();
        let part = PartKind { shape: Shape::Box { half: Vec3::new(5e-3, 5e-3, 2e-3) }, ..hopper(1.0).part };
        part.add(&mut twin.world, Pose::at(Vec3::new(0.0, 0.0, 2e-3)), Vec6::ZERO).unwrap();
        // creeps over the edge at 2 mm, and is far beyond in the end
        twin.plant.add_zone(Zone { hysteresis, ..zone(1.002, 1.0, false) }).unwrap();
        let mut on = Actuators::OFF;
        on.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
        for _ in 0..4000 {
            let _ = twin.step(1e-3, &StepSettings::default(), &on).unwrap();
        }
        let zone = twin.plant.sensors().zones[0];
        assert_eq!(zone.parts, 1);
        let often = zone.count;
        assert!(if most == 1 { often == 1 } else { (2..=most).contains(&often) }, "{hysteresis}: {often}");
    }
}

/// Whichever was added first: a counter sees what a sink takes.
#[test]
fn a_sink_takes_parts_when_all_have_seen_them() {
    for [first, second] in [[true, false], [false, true]] {
        let mut twin = Tight::new();
        twin.plant.add_hopper(hopper(20.0)).unwrap();
        for is_sink in [first, second] {
            twin.plant.add_zone(zone(0.1, 0.05, is_sink)).unwrap();
        }
        let mut on = Actuators::OFF;
        on.hoppers[0] = true;
        for _ in 0..520 {
            let _ = twin.step(1e-3, &weightless(), &on).unwrap();
        }
        let [one, other, ..] = twin.plant.sensors().zones.map(|zone| zone.count);
        assert_eq!((one, other), (10, 10), "sink first: {first}");
    }
}

/// A sink in the middle of what two counters look at, the one before it, the other after it; snapshots on the way.
#[test]
fn a_counter_tells_parts_apart_that_follow_each_other_in_one_place() {
    let build = || {
        let mut twin = Tight::new();
        twin.plant.add_hopper(hopper(100.0)).unwrap();
        for zone in [zone(0.0, 10.0, false), zone(0.1, 0.05, true), zone(0.0, 10.0, false)] {
            twin.plant.add_zone(zone).unwrap();
        }
        twin
    };
    let mut on = Actuators::OFF;
    on.hoppers[0] = true;
    let (mut twin, mut other) = (build(), build());
    for _ in 0..20 {
        for _ in 0..97 {
            let _ = twin.step(1e-3, &weightless(), &on).unwrap();
        }
        let mut bytes = Vec::new();
        let mut out = |more: &[u8]| bytes.extend_from_slice(more);
        twin.world.save(&[], &mut out).unwrap();
        twin.plant.save(&mut out);
        let mut input = Reader::new(&bytes);
        other.world.restore(&[], &mut input).unwrap();
        other.plant.restore(&mut input).unwrap();
        core::mem::swap(&mut twin, &mut other);
    }
    let sensors = *twin.plant.sensors();
    let delivered = sensors.hoppers[0].delivered;
    assert!(delivered > 50, "{delivered}");
    assert_eq!([0, 2].map(|zone| sensors.zones[zone].count), [delivered; 2]);
    // a part that somebody puts in another's place is another, too
    let old = twin.world.body_ids().last().unwrap();
    let body = *twin.world.body(old).unwrap();
    twin.world.remove_body(old).unwrap();
    twin.world.add_body(body).unwrap();
    let _ = twin.step(1e-3, &weightless(), &Actuators::OFF).unwrap();
    assert_eq!(twin.plant.sensors().zones[0].count, delivered + 1);
}

/// With ten sub-steps a part goes in any of them: at the end of its step the level is on, and off after the next.
#[test]
fn the_level_of_a_sink_lasts_until_the_end_of_the_step() {
    let mut twin = Tight::new();
    twin.plant.add_hopper(hopper(10.03)).unwrap();
    twin.plant.add_zone(zone(0.1, 0.05, true)).unwrap();
    twin.plant.set_substeps(10).unwrap();
    let mut on = Actuators::OFF;
    on.hoppers[0] = true;
    let mut count = 0;
    for number in 0..2000 {
        let signal = twin.step(1e-3, &weightless(), &on).unwrap().0.zones[0];
        assert_eq!(signal.level.on, signal.count > count, "{number}");
        count = signal.count;
    }
    assert!(count > 15, "{count}");
}
