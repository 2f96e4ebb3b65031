//! The bowl does what it is for; bugs planted in its controller are caught; faults show in its key figures.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble_scenes::{Scene, SmallBowl};

#[test]
fn explore() {
    let mut scene = Box::new(SmallBowl::new());
    scene.reset().unwrap();
    let (h, settings) = (scene.h(), scene.settings());
    let start = std::time::Instant::now();
    let steps = 30_000;
    let (mut most, mut dropped) = (0, 0);
    for step in 0..steps {
        let report = scene.step(h, &settings).unwrap();
        most = most.max(report.contacts);
        dropped += report.contacts_dropped;
        if step % 2000 == 1999 {
            println!("--- {step} {:?}", scene.sensors().zones.map(|zone| (zone.parts, zone.count)));
            scene.world().for_each_body(&mut |_, body| {
                if body.is_dynamic() {
                    let p = body.pose().position;
                    print!(" [{:.0}° r{:.0} z{:.1}]", p.y.atan2(p.x).to_degrees(), p.x.hypot(p.y) * 1e3, p.z * 1e3);
                }
            });
            println!();
        }
    }
    println!("{:?} a step, contacts {most} dropped {dropped} size {}", start.elapsed() / steps, size_of::<SmallBowl>());
    scene.kpis(&mut |name, value| println!("{name} {value}"));
}
