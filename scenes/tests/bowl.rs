//! The bowl does what it is for; bugs planted in its controller are caught; faults show in its key figures. All of it for several seeds.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, play};
use tumble::twin::{Fault, Signal};
use tumble_scenes::Scene;
use tumble_scenes::bowl::BowlStage;
use tumble_scenes::control::{BowlControl, BowlPins, ControlBowl, Handover, TrackControl};

/// As shipped, and four other days; unoptimised it would take minutes.
const SEEDS: &[u32] = if cfg!(debug_assertions) { &[0] } else { &[0, 1, 2, 3, 4] };
/// The same for what needs many runs.
const SOME_SEEDS: &[u32] = if cfg!(debug_assertions) { &[0] } else { &[0, 1, 2] };
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
    for &seed in SEEDS {
        let mut stage = stage::<BowlControl>(seed);
        let steps = if cfg!(debug_assertions) { 14_000 } else { stage.steps() };
        let kpis = play(&mut *stage, steps);
        assert_eq!(feeds_well(&kpis), Ok(()), "{seed}");
        // demands at 9 s, 9.9 s, …; the last may still be on its way
        let demands = ((steps - 9000) as f32 / 900.0).ceil();
        assert!((demands - 1.0..=demands).contains(&kpis["out"]), "{seed}: {kpis:?}");
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
fn faults_of_signals_and_of_the_wiper_show_in_the_key_figures() {
    for &seed in SOME_SEEDS {
        // the wiper does not come down
        let kpis = with_fault(seed, Fault::Jam(WIPER), STEPS);
        assert!(kpis["passed_too_high"] > 0.0, "{seed}: {kpis:?}");
        // nothing seems to wait at the stop: nothing is taken, and the bowl never stands
        let kpis = with_fault(seed, Fault::StuckAt(Signal::Barrier(WAITING), false), STEPS);
        assert!(kpis["out"] == 0.0 && kpis["starved"] > 0.0 && kpis["bowl_on_share"] == 1.0, "{seed}: {kpis:?}");
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
