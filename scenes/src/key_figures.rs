//! Key figures that several twins tell, by the same names.

use crate::control::Handover;
use crate::scene::AnyWorld;
use tumble::twin::{HopperSignal, Plant, Region};

/// Part of a whole; nothing of nothing.
pub(crate) fn share(of: f32, all: f32) -> f32 {
    if all > 0.0 { of / all } else { 0.0 }
}

/// Of so many events in a run, how many a minute.
pub(crate) fn per_minute(events: f32, plant: &Plant) -> f32 {
    share(events, plant.seconds() / 60.0)
}

/// What all hoppers of a plant did: parts delivered, and those that found no room.
pub(crate) fn of_hoppers(plant: &Plant) -> [f32; 2] {
    let add = |[delivered, refused]: [f32; 2], hopper: &HopperSignal| {
        [delivered + hopper.delivered as f32, refused + hopper.refused as f32]
    };
    plant.sensors().hoppers.iter().fold([0.0; 2], add)
}

/// Parts that are still in the world.
pub(crate) fn parts_inside(world: &dyn AnyWorld) -> f32 {
    let mut inside = 0.0;
    world.for_each_body(&mut |_, body| inside += if body.is_dynamic() { 1.0 } else { 0.0 });
    inside
}

/// Of a feeder that hands parts over: where they are, delivered = out + inside + lost, and what its controller believes. `out`: the zone that takes them; `machine`: where
/// parts are that are neither out nor lost.
///
/// `miscounted` is off by one while a part goes: a controller counts it by its own sensors, some ticks before or after the zone does. What lasts longer is an error.
pub(crate) fn tell_feeding(
    world: &dyn AnyWorld,
    plant: &Plant,
    out: usize,
    machine: &Region,
    handover: &Handover,
    tell: &mut dyn FnMut(&'static str, f32),
) {
    let out = plant.sensors().zones.get(out).map_or(0.0, |zone| zone.count as f32);
    let [delivered, refused] = of_hoppers(plant);
    let [mut inside, mut lost] = [0.0; 2];
    world.for_each_body(&mut |_, body| {
        if body.is_dynamic() {
            *if machine.contains(body.pose().position) { &mut inside } else { &mut lost } += 1.0;
        }
    });
    let &Handover { parts, missed, waited, alarms } = handover;
    tell("parts_per_minute", per_minute(out, plant));
    tell("starved", missed as f32);
    tell("starved_s", waited as f32 * 1e-3);
    tell("miscounted", parts as f32 - out);
    tell("delivered", delivered);
    tell("out", out);
    tell("inside", inside);
    tell("lost", lost);
    tell("refused", refused);
    tell("alarms", alarms as f32);
}
