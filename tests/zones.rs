//! Counters, levels and sinks against parts counted by hand.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::math::Vec3;
use tumble::record::Reader;
use tumble::shape::Shape;
use tumble::twin::{Actuators, Hopper, PartKind, Region, Switching, Twin, Zone};
use tumble::world::{Material, StepSettings};

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
    Zone { region, level: 1, output: Switching::default(), is_sink }
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
