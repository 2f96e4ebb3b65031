//! The bowl does what it is for; bugs planted in its controller are caught; faults show in its key figures.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use playing::{Kpis, begun, play};
use tumble::Error;
use tumble::twin::{Fault, Signal, Terminals};
use tumble_scenes::Scene;
use tumble_scenes::bowl::{Bowl, BowlControl, ControlBowl};
use tumble_scenes::control::TrackControl;
use tumble_scenes::twin_stage::TwinStage;

type Stage<C> = TwinStage<Bowl<C>, 20, 164, 492, 92>;

/// Channels as the scene wires them.
const BOWL: u8 = 0;
const FULL: u8 = 0;
const HIGH: u8 = 2;
const FLOOR: u8 = 1;
const BEFORE: usize = 2;
const AFTER: usize = 4;
const WIPER: u8 = 0;
const PUSHER: u8 = 1;
/// As many show the first parts at the end of the track and three demands.
const STEPS: u32 = 11_500;

fn stage<C: ControlBowl>() -> Box<Stage<C>> {
    begun(Stage::new())
}

/// The same run with a fault, from the beginning.
fn with_fault(fault: Fault, steps: u32) -> Kpis {
    let mut stage = stage::<BowlControl>();
    stage.add_fault(fault, 0..u32::MAX).unwrap();
    play(&mut *stage, steps)
}

#[test]
fn parts_climb_at_the_speed_of_the_drive() {
    let mut stage = stage::<BowlControl>();
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
    let kpis = play(&mut *stage::<BowlControl>(), 14_000);
    assert_eq!(feeds_well(&kpis), Ok(()));
    // demands at 9 s, 9.9 s, … 13.5 s: 6; the last may still be on its way
    assert!((5.0..=6.0).contains(&kpis["parts_out"]) && kpis["miscounted"] == 0.0, "{kpis:?}");
    // some lie too high or in a second row, and go back to the floor
    assert!(kpis["parts_past_wiper"] < kpis["parts_to_wiper"], "{kpis:?}");
    assert!(kpis["parts_past_trap"] < kpis["parts_past_wiper"], "{kpis:?}");
    // it stops when it is full
    assert!(kpis["bowl_on_share"] < 0.9, "{kpis:?}");
}

/// The example controller that leaves the wiper where it is.
struct WiperForgotten(BowlControl);

impl ControlBowl for WiperForgotten {
    const NEW: Self = {
        let mut control = BowlControl::NEW;
        control.wipes = false;
        Self(control)
    };

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.0.tick(terminals)
    }

    fn taken_and_missed(&self) -> (u32, u32) {
        self.0.taken_and_missed()
    }
}

/// The example controller, but that the full beam alone decides whether the bowl runs.
struct FullMeansStop(BowlControl, TrackControl);

impl ControlBowl for FullMeansStop {
    const NEW: Self = Self(BowlControl::NEW, TrackControl::new(300, 400));

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.0.tick(terminals)?;
        let (mut beam, mut run) = (terminals.barrier(FULL.into())?, terminals.vibrator(BOWL.into())?);
        self.1.tick(&mut beam, &mut run, false).map_err(|_| Error::OutOfRange("pin"))
    }

    fn taken_and_missed(&self) -> (u32, u32) {
        self.0.taken_and_missed()
    }
}

/// Nothing may pass too high, and nobody may starve while the bowl is full.
fn feeds_well(kpis: &Kpis) -> Result<(), String> {
    let (high, starved) = (kpis["too_high_past_wiper"], kpis["starved"]);
    if high > 0.0 {
        return Err(format!("{high} passed too high"));
    }
    if starved > 0.0 { Err(format!("it starved {starved} times")) } else { Ok(()) }
}

#[test]
fn a_wiper_that_is_not_lowered_is_caught() {
    let caught = feeds_well(&play(&mut *stage::<WiperForgotten>(), STEPS)).unwrap_err();
    assert!(caught.contains("too high"), "{caught}");
}

#[test]
fn a_queue_that_stops_before_it_has_reached_the_stop_is_caught() {
    // a gap in the queue: the full beam sees parts, the stop none
    let caught = feeds_well(&play(&mut *stage::<FullMeansStop>(), STEPS)).unwrap_err();
    assert!(caught.contains("starved"), "{caught}");
}

#[test]
fn faults_of_the_drive_show_in_the_key_figures() {
    let sound = play(&mut *stage::<BowlControl>(), STEPS);
    assert!(sound["parts_out"] >= 2.0 && sound["starved"] == 0.0, "{sound:?}");
    // half the swing, slippery plates: parts climb slower, and are not there in time
    for fault in [Fault::AmplitudeLoss(BOWL, 0.5), Fault::FrictionDrift(BOWL, -0.15)] {
        let kpis = with_fault(fault, STEPS);
        assert!(kpis["parts_past_trap"] < sound["parts_past_trap"], "{fault:?} {kpis:?}");
        assert!(kpis["parts_out"] < sound["parts_out"] && kpis["starved"] > 0.0, "{fault:?} {kpis:?}");
        // it has no time to stand
        assert_eq!(kpis["bowl_on_share"], 1.0, "{fault:?} {kpis:?}");
    }
}

#[test]
fn faults_of_signals_and_cylinders_show_in_the_key_figures() {
    // the pusher does not move: nothing comes out, and the track is full
    let kpis = with_fault(Fault::Jam(PUSHER), STEPS);
    assert!(kpis["parts_out"] == 0.0 && kpis["starved"] > 0.0, "{kpis:?}");
    // the wiper does not come down
    let kpis = with_fault(Fault::Jam(WIPER), STEPS);
    assert!(kpis["too_high_past_wiper"] > 0.0, "{kpis:?}");
    // and the beam that would see it is blind: the figure is of the parts
    let mut stage = stage::<BowlControl>();
    stage.add_fault(Fault::Jam(WIPER), 0..u32::MAX).unwrap();
    stage.add_fault(Fault::StuckAt(Signal::Barrier(HIGH), false), 0..u32::MAX).unwrap();
    assert_eq!(play(&mut *stage, STEPS)["too_high_past_wiper"], kpis["too_high_past_wiper"]);
    // the floor seems full: no parts but the first
    let kpis = with_fault(Fault::StuckAt(Signal::Level(FLOOR), true), STEPS);
    assert!(kpis["hopper_delivered"] <= 2.0 && kpis["starved"] > 0.0, "{kpis:?}");
    // the floor seems empty: it delivers all there is room for
    let kpis = with_fault(Fault::StuckAt(Signal::Level(FLOOR), false), 6000);
    assert_eq!(kpis["parts_in_bowl"], 16.0, "{kpis:?}");
}
