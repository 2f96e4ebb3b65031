//! The bowl does what it is for; bugs planted in its controller are caught; faults show in its key figures. All of it for several seeds.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, play};
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3};
use tumble::shape::Shape;
use tumble::twin::track::BowlTrack;
use tumble::twin::{Fault, Plant, Signal, Terminals};
use tumble::world::{AnyWorld, Collider, Material};
use tumble_scenes::Scene;
use tumble_scenes::bowl::{Bowl, BowlStage};
use tumble_scenes::control::{BowlControl, BowlPins, ControlBowl, Handover, TrackControl};
use tumble_scenes::twin_stage::{TwinScript, TwinStage};

/// As shipped, and four other days; unoptimised it would take minutes.
const SEEDS: &[u32] = if cfg!(debug_assertions) { &[0] } else { &[0, 1, 2, 3, 4] };
/// The same for what needs many runs.
const SOME_SEEDS: &[u32] = if cfg!(debug_assertions) { &[0] } else { &[0, 1, 2] };
/// More days, on which nothing may jam.
const MORE_SEEDS: core::ops::Range<u32> = if cfg!(debug_assertions) { 100..101 } else { 100..112 };
/// Channels as the scene wires them.
const BOWL: u8 = 0;
const FLOOR: u8 = 1;
const WAITING: u8 = 1;
const BEFORE: usize = 2;
const AFTER: usize = 4;
const WIPER: u8 = 0;
const PUSHER: u8 = 1;
const ALARM: usize = 2;
/// As many show the first parts at the end of the track and four demands: at 9 s, 9.9 s, …
const STEPS: u32 = 12_500;

fn stage<C: ControlBowl>(seed: u32) -> Box<BowlStage<C>> {
    let mut stage = BowlStage::new();
    stage.set_seed(seed);
    begun(stage)
}

/// A run with a fault from the beginning.
fn with_fault(seed: u32, fault: Fault, steps: u32) -> Kpis {
    let mut stage = stage::<BowlControl>(seed);
    stage.add_fault(fault, 0..u32::MAX).unwrap();
    play(&mut *stage, steps)
}

#[test]
fn parts_climb_at_the_speed_of_the_drive() {
    let mut stage = stage::<BowlControl>(0);
    let (h, settings) = (stage.h(), stage.settings());
    let mut first_at = [None; 2];
    for step in 0_u16..8000 {
        let _ = stage.step(h, &settings).unwrap();
        for (at, zone) in first_at.iter_mut().zip([BEFORE, AFTER]) {
            if stage.sensors().zones[zone].count > 0 {
                at.get_or_insert(f32::from(step) * h);
            }
        }
        if first_at[1].is_some() {
            break;
        }
    }
    // half a turn at the wall, 15 mm up; plates of 50 Hz, 0.28 mm by 0.6 mm, μ = 0.4 convey at 0.99 of 0.6 mm · 2π · 50 Hz; the slope of 2.5° and the wall take some
    let way = core::f32::consts::PI * 0.116;
    let speed = way / (first_at[1].unwrap() - first_at[0].unwrap());
    assert!((0.15..0.19).contains(&speed), "{speed} m/s");
}

#[test]
fn parts_come_out_flat_whenever_one_is_wanted() {
    let mut starved = 0.0;
    for &seed in SEEDS {
        let mut stage = stage::<BowlControl>(seed);
        let steps = if cfg!(debug_assertions) { 14_000 } else { stage.steps() };
        let kpis = play(&mut *stage, steps);
        assert_eq!(kpis["passed_too_high"], 0.0, "{seed}: {kpis:?}");
        starved += kpis["starved"];
        // demands at 9 s, 9.9 s, …; the last may still be on its way, and one that had to wait delays the next
        let demands = ((steps - 9000) as f32 / 900.0).ceil();
        assert!((demands - 1.0 - kpis["starved"]..=demands).contains(&kpis["out"]), "{seed}: {kpis:?}");
        // two at once, or one that nobody took, would not be counted
        assert_eq!((kpis["miscounted"], kpis["alarms"]), (0.0, 0.0), "{seed}: {kpis:?}");
        assert_eq!(kpis["delivered"], kpis["out"] + kpis["inside"], "{seed}: {kpis:?}");
        assert_eq!(kpis["lost"], 0.0, "{seed}: {kpis:?}");
        // some lie too high or in a second row, and go back to the floor
        assert!(kpis["past_wiper"] < kpis["to_wiper"], "{seed}: {kpis:?}");
        assert!(kpis["past_trap"] < kpis["past_wiper"], "{seed}: {kpis:?}");
        // it stops when it is full: for a second and more, however long the run
        let stopped_s = (1.0 - kpis["bowl_on_share"]) * steps as f32 * stage.h();
        assert!(stopped_s > 1.0, "{seed}: {kpis:?}");
    }
    // how parts tumble differs with every bit of a step: on one of all days one may come late
    assert!(starved <= 1.0, "{starved}");
}

#[test]
fn nothing_jams_on_the_way_to_the_stop() {
    for seed in MORE_SEEDS {
        let mut stage = stage::<BowlControl>(seed);
        let steps = if cfg!(debug_assertions) { 14_000 } else { stage.steps() };
        let kpis = play(&mut *stage, steps);
        assert_eq!((kpis["alarms"], kpis["miscounted"], kpis["lost"]), (0.0, 0.0, 0.0), "{seed}: {kpis:?}");
        // the last may still be on its way; one may have had to wait for a part to climb
        let demands = ((steps - 9000) as f32 / 900.0).ceil();
        assert!((demands - 2.0..=demands).contains(&kpis["out"]), "{seed}: {kpis:?}");
    }
}

/// A bowl with three parts on its last plate, the first turned by 3° a seed, as a wiper or another part may leave it.
struct Crooked(Bowl);

impl TwinScript for Crooked {
    const NEW: Self = {
        let mut bowl = Bowl::<BowlControl>::NEW;
        bowl.control.demand.wait = u32::MAX;
        Self(bowl)
    };
    const STEPS: u32 = 700;
    const ITERATIONS: u32 = Bowl::<BowlControl>::ITERATIONS;

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        self.0.build(world, plant, seed)?;
        let (radius, width) = (0.11, 0.02);
        let track = BowlTrack { radius, width, wall: 0.015, rise: 0.03, turns: 1.25, bank: 0.0, plates: 20 };
        let length = core::f32::consts::TAU * radius * track.turns;
        let half = Vec3::new(6e-3, 4.5e-3, 3.5e-3);
        let material = Material { friction: 0.4, ..Material::default() };
        for (before, turned) in [(0.039, (3.0 * seed as f32).to_radians()), (0.0545, 0.0), (0.07, 0.0)] {
            let at = track.place(1.0 - before / length);
            let orientation = at.orientation.turned_far(at.orientation.turn(Vec3::new(0.0, 0.0, turned)));
            // a millimetre from the wall
            let off_wall = half.x * turned.sin().abs() + half.y * turned.cos().abs() + 1e-3;
            let position = at.point(Vec3::new(0.0, off_wall - 0.5 * width, half.z + 0.5e-3));
            let shape = Shape::Box { half };
            let motion = Motion::Dynamic(shape.mass_properties(2700.0)?);
            let part = world.add_body(Body::new(motion, Pose { position, orientation })?)?;
            world.add_collider(part, Collider { material, ..Collider::new(shape) })?;
        }
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.0.control(terminals)
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        self.0.kpis(world, plant, tell);
    }
}

#[test]
fn a_part_gets_to_the_stop_however_it_lies() {
    for seed in 0..60 {
        let mut stage = TwinStage::<Crooked, 20, 164, 492, 93>::new();
        stage.set_seed(seed);
        let mut stage = begun(stage);
        stage.add_fault(Fault::StuckAt(Signal::Hopper(0), false), 0..u32::MAX).unwrap();
        let (h, settings) = (stage.h(), stage.settings());
        // 35 mm at 0.15 m/s and more take a quarter of a second
        let arrives = (0..stage.steps()).any(|_| {
            let _ = stage.step(h, &settings).unwrap();
            stage.sensors().barriers[usize::from(WAITING)].on
        });
        assert!(arrives, "turned by {}°", 3 * seed);
    }
}

/// The example controller that leaves the wiper where it is.
struct WiperForgotten(BowlControl);

impl ControlBowl for WiperForgotten {
    const NEW: Self = {
        let mut control = BowlControl::NEW;
        control.wipes = false;
        Self(control)
    };

    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut BowlPins<I, O, P>,
    ) -> Result<(), ErrorKind> {
        self.0.tick(pins)
    }

    fn handover(&self) -> Handover {
        self.0.handover()
    }
}

/// The example controller, but that the full beam alone decides whether the bowl runs.
struct FullMeansStop(BowlControl, TrackControl);

impl ControlBowl for FullMeansStop {
    const NEW: Self = Self(BowlControl::NEW, TrackControl::new(300, 400));

    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut BowlPins<I, O, P>,
    ) -> Result<(), ErrorKind> {
        self.0.tick(pins)?;
        self.1.tick(&mut pins.full, &mut pins.run_bowl, false)
    }

    fn handover(&self) -> Handover {
        self.0.handover()
    }
}

/// Nothing may pass too high, and nobody may starve while the bowl is full.
fn feeds_well(kpis: &Kpis) -> Result<(), String> {
    let (high, starved) = (kpis["passed_too_high"], kpis["starved"]);
    if high > 0.0 {
        return Err(format!("{high} passed too high"));
    }
    if starved > 0.0 { Err(format!("it starved {starved} times")) } else { Ok(()) }
}

#[test]
fn a_wiper_that_is_not_lowered_is_caught() {
    for &seed in SEEDS {
        let caught = feeds_well(&play(&mut *stage::<WiperForgotten>(seed), 20_000)).unwrap_err();
        assert!(caught.contains("too high"), "{seed}: {caught}");
    }
}

#[test]
fn a_queue_that_stops_before_it_has_reached_the_stop_is_caught() {
    for &seed in SEEDS {
        // a gap in the queue: the full beam sees parts, the stop none
        let caught = feeds_well(&play(&mut *stage::<FullMeansStop>(seed), 15_000)).unwrap_err();
        assert!(caught.contains("starved"), "{seed}: {caught}");
    }
}

#[test]
fn faults_of_the_drive_show_in_the_key_figures() {
    for &seed in SOME_SEEDS {
        let sound = play(&mut *stage::<BowlControl>(seed), STEPS);
        assert!(sound["out"] >= 3.0 && sound["starved"] == 0.0, "{seed}: {sound:?}");
        // half the swing, slippery plates: parts climb slower, and are not there in time
        for fault in [Fault::AmplitudeLoss(BOWL, 0.5), Fault::FrictionDrift(BOWL, -0.15)] {
            let kpis = with_fault(seed, fault, STEPS);
            assert!(kpis["past_trap"] < sound["past_trap"], "{seed}, {fault:?}: {kpis:?}");
            assert!(kpis["parts_per_minute"] < sound["parts_per_minute"], "{seed}, {fault:?}: {kpis:?}");
            assert!(kpis["starved"] > 0.0 && kpis["starved_s"] > 1.0, "{seed}, {fault:?}: {kpis:?}");
            // it has no time to stand
            assert_eq!(kpis["bowl_on_share"], 1.0, "{seed}, {fault:?}: {kpis:?}");
        }
    }
}

#[test]
fn a_pusher_that_jams_raises_an_alarm_until_it_moves() {
    for &seed in SOME_SEEDS {
        let mut stage = stage::<BowlControl>(seed);
        stage.add_fault(Fault::Jam(PUSHER), 0..11_500).unwrap();
        let jammed = play(&mut *stage, 11_500);
        assert!(jammed["alarms"] == 1.0 && stage.actuators().valves[ALARM], "{seed}: {jammed:?}");
        // nothing comes out, and the track is full
        assert!(jammed["out"] == 0.0 && jammed["starved"] > 0.0 && jammed["starved_s"] > 1.0, "{seed}: {jammed:?}");
        let mended = play(&mut *stage, 2000);
        assert!(mended["alarms"] == 1.0 && !stage.actuators().valves[ALARM], "{seed}: {mended:?}");
        assert!(mended["out"] >= 2.0 && mended["miscounted"] == 0.0, "{seed}: {mended:?}");
    }
}

#[test]
fn a_pusher_that_is_not_where_it_is_sent_raises_an_alarm_at_rest() {
    for (signal, stuck) in [
        (Signal::Valve(PUSHER), true),
        (Signal::Retracted(PUSHER), false),
        // at both ends at once
        (Signal::Extended(PUSHER), true),
    ] {
        let mut stage = stage::<BowlControl>(0);
        stage.add_fault(Fault::StuckAt(signal, stuck), 0..u32::MAX).unwrap();
        let idle = play(&mut *stage, 3000);
        assert!(idle["alarms"] == 1.0 && stage.actuators().valves[ALARM], "{signal:?}: {idle:?}");
        // no stroke on trust: it starves, and says so
        let kpis = play(&mut *stage, STEPS - 3000);
        assert!(kpis["out"] == 0.0 && kpis["starved"] > 2.0 && kpis["starved_s"] > 3.0, "{signal:?}: {kpis:?}");
    }
    // the switch that says in while the pusher is out: told at the first part
    let kpis = with_fault(0, Fault::StuckAt(Signal::Retracted(PUSHER), true), STEPS);
    assert!(kpis["alarms"] == 1.0 && kpis["starved"] > 0.0, "{kpis:?}");
}

#[test]
fn faults_of_signals_and_of_the_wiper_show_in_the_key_figures() {
    for &seed in SOME_SEEDS {
        // the wiper does not come down
        let kpis = with_fault(seed, Fault::Jam(WIPER), STEPS);
        assert!(kpis["passed_too_high"] > 0.0, "{seed}: {kpis:?}");
        // nothing seems to wait at the stop: nothing is taken, the bowl never stands, and a full track without a part at its end is told
        let kpis = with_fault(seed, Fault::StuckAt(Signal::Barrier(WAITING), false), 18_000);
        assert!(kpis["out"] == 0.0 && kpis["starved"] > 0.0 && kpis["bowl_on_share"] == 1.0, "{seed}: {kpis:?}");
        assert_eq!(kpis["alarms"], 1.0, "{seed}: {kpis:?}");
        // one always seems to wait: a stroke that takes nothing is told, and not counted
        let kpis = with_fault(seed, Fault::StuckAt(Signal::Barrier(WAITING), true), STEPS);
        assert!(kpis["alarms"] == 1.0 && kpis["starved"] > 0.0 && kpis["miscounted"] <= 0.0, "{seed}: {kpis:?}");
        // the floor seems full: no parts but the first
        let kpis = with_fault(seed, Fault::StuckAt(Signal::Level(FLOOR), true), STEPS);
        assert!(kpis["delivered"] <= 2.0 && kpis["starved"] > 0.0, "{seed}: {kpis:?}");
        // the floor seems empty: it delivers all there is room for, and more
        let [sound, kpis] = [false, true].map(|blind| {
            if blind {
                with_fault(seed, Fault::StuckAt(Signal::Level(FLOOR), false), 6000)
            } else {
                play(&mut *stage::<BowlControl>(seed), 6000)
            }
        });
        assert!(kpis["inside"] == 16.0 && kpis["refused"] > sound["refused"] + 3.0, "{seed}: {sound:?} {kpis:?}");
    }
}
