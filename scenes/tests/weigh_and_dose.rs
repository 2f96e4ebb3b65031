//! Dosing by weight does what it is for, planted bugs of its controller are caught, and faults show where they should.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

mod playing;

use playing::{Kpis, begun, kpis, play};
use std::sync::OnceLock;
use tumble::Error;
use tumble::twin::{Fault, Sensors, Signal, Terminals};
use tumble_scenes::control::{Dosing, DosingPins, DosingSettings};
use tumble_scenes::twin_stage::TwinStage;
use tumble_scenes::weigh_and_dose::{ControlDoses, DoseControl, WeighAndDose, channel};
use tumble_scenes::{Scene, SmallWeighAndDose};

type Stage<C> = TwinStage<WeighAndDose<C>, 42, 128, 520, 53>;

/// Six doses.
const STEPS: u32 = 40_000;
const ALWAYS: std::ops::Range<u32> = 0..u32::MAX;
const TROUGH: u8 = channel::TROUGH as u8;
/// What the largest ball weighs. g
const BALL: f32 = 4.11;
/// What a dose is weighed to: noise of 0.5 g a reading is 0.1 g in a mean of 32, and the tare has as much. g
const ROUGHLY: f32 = 0.5;

/// Step it with these faults.
fn run<C: ControlDoses>(steps: u32, faults: &[Fault]) -> Box<Stage<C>> {
    let mut stage = begun(Stage::<C>::new());
    for fault in faults {
        stage.add_fault(*fault, ALWAYS).unwrap();
    }
    play(&mut *stage, steps);
    stage
}

fn with_faults(faults: &[Fault]) -> Kpis {
    let found = kpis(&*run::<DoseControl>(STEPS, faults));
    println!("{faults:?}: {found:?}");
    found
}

/// Without any.
fn usual() -> &'static Kpis {
    static USUAL: OnceLock<Kpis> = OnceLock::new();
    USUAL.get_or_init(|| with_faults(&[]))
}

/// What a controller must do on this machine, whatever else it does.
fn check<C: ControlDoses>() -> Result<(), String> {
    let found = kpis(&*run::<C>(STEPS, &[]));
    println!("{found:?}");
    let say = |what: &str| Err(format!("{what}: {found:?}"));
    if found["doses"] < 5.0 || found["alarm"] > 0.0 {
        return say("doses do not come");
    }
    if found["overshoot_min_g"] < -ROUGHLY {
        return say("doses are too light");
    }
    // the ball that made it enough
    if found["overshoot_max_g"] > BALL + ROUGHLY {
        return say("doses are too heavy");
    }
    Ok(())
}

#[test]
fn doses_are_what_they_should_weigh() {
    let found = usual();
    assert!(found["doses"] >= 5.0 && found["alarm"] == 0.0, "{found:?}");
    assert!(found["overshoot_min_g"] > -ROUGHLY && found["overshoot_max_g"] < BALL + ROUGHLY, "{found:?}");
    assert!(found["overshoot_mean_g"] > 0.0 && found["overshoot_mean_g"] < BALL, "{found:?}");
    assert!(found["weighing_error_max_g"] < ROUGHLY, "{found:?}");
    assert!((3.0..8.0).contains(&found["time_per_dose_s"]), "{found:?}");
    // about 20 balls a dose
    assert!(found["parts_per_minute"] > 100.0, "{found:?}");
}

#[test]
#[ignore = "a minute in a release build"]
fn no_dose_of_fifty_is_heavier_than_its_last_ball_makes_it() {
    let found = play(&mut *begun(Stage::<DoseControl>::new()), 300_000);
    println!("{found:?}");
    assert!(found["doses"] >= 45.0 && found["alarm"] == 0.0, "{found:?}");
    assert!(found["overshoot_min_g"] > -ROUGHLY && found["overshoot_max_g"] < BALL + ROUGHLY, "{found:?}");
}

#[test]
fn it_fits_a_microcontroller_and_begins_anew_with_the_same_bits() {
    let bytes = size_of::<SmallWeighAndDose>();
    println!("weigh-and-dose: {bytes} bytes");
    assert!(bytes < 100_000, "{bytes}");
    let mut stage = run::<DoseControl>(2000, &[]);
    let hash = stage.state_hash();
    stage.reset().unwrap();
    let (h, settings) = (stage.h(), stage.settings());
    for _ in 0..2000 {
        let _ = stage.step(h, &settings).unwrap();
    }
    assert_eq!(stage.state_hash(), hash);
}

/// The example controller with other settings.
macro_rules! bug {
    ($(#[$about:meta])* $name:ident $field:ident $value:expr) => {
        $(#[$about])*
        struct $name(DoseControl);

        impl ControlDoses for $name {
            const NEW: Self = {
                let mut control = DoseControl::NEW;
                control.dosing.settings.$field = $value;
                Self(control)
            };

            fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
                self.0.tick(terminals)
            }

            fn weighed(&self) -> (u32, f32) {
                self.0.weighed()
            }

            fn has_alarm(&self) -> bool {
                self.0.has_alarm()
            }
        }
    };
}
bug! {
    /// The amplitude stays at 100 %.
    NeverFine fine_percent 100
}
bug! {
    /// The first reading that is enough stops it: the blow of a ball that lands.
    NoHold hold 1
}

#[test]
fn a_fine_feed_that_never_comes_is_caught() {
    assert_eq!(check::<DoseControl>(), Ok(()));
    let reason = check::<NeverFine>().unwrap_err();
    assert!(reason.starts_with("doses are too heavy"), "{reason}");
}

#[test]
fn a_controller_that_weighs_blows_is_caught() {
    let reason = check::<NoHold>().unwrap_err();
    assert!(reason.starts_with("doses are too light"), "{reason}");
}

#[test]
fn noise_spreads_doses() {
    let (usual, noisy) = (usual(), with_faults(&[Fault::Noise(0, 0.1)]));
    // 10 g a reading, 2 g in the mean
    assert!(noisy["weighing_error_max_g"] > 2.0 * usual["weighing_error_max_g"], "{usual:?} {noisy:?}");
    let spread = |found: &Kpis| found["overshoot_max_g"] - found["overshoot_min_g"];
    assert!(spread(&noisy) > spread(usual), "{usual:?} {noisy:?}");
}

#[test]
fn a_weak_trough_takes_longer() {
    let (usual, weak) = (usual(), with_faults(&[Fault::AmplitudeLoss(TROUGH, 0.6)]));
    assert!(weak["doses"] >= 2.0 && weak["doses"] < usual["doses"], "{usual:?} {weak:?}");
    assert!(weak["parts_per_minute"] < 0.8 * usual["parts_per_minute"], "{usual:?} {weak:?}");
    assert!(weak["time_per_dose_s"] > usual["time_per_dose_s"], "{usual:?} {weak:?}");
}

#[test]
fn a_slippery_trough_conveys_no_more() {
    let (usual, slippery) = (usual(), with_faults(&[Fault::FrictionDrift(TROUGH, -0.2)]));
    // friction is gone after 5 s
    assert!(slippery["doses"] <= 2.0 && usual["doses"] >= 5.0, "{usual:?} {slippery:?}");
    assert!(slippery["parts_per_minute"] < 0.3 * usual["parts_per_minute"], "{usual:?} {slippery:?}");
}

#[test]
fn double_parts_make_doses_quicker_and_heavier() {
    let (usual, double) = (usual(), with_faults(&[Fault::DoublePart(channel::LARGE_HOPPER as u8, 1.0)]));
    // large balls push in at the mouth: they are more, and come sooner one after the other
    assert!(double["parts_per_minute"] > usual["parts_per_minute"] && double["alarm"] == 0.0, "{usual:?} {double:?}");
    assert!(double["overshoot_min_g"] > -ROUGHLY, "{usual:?} {double:?}");
    assert!(double["overshoot_mean_g"] > usual["overshoot_mean_g"], "{usual:?} {double:?}");
}

#[test]
fn a_bucket_that_does_not_tip_is_an_alarm() {
    // a dose takes 6 s, the bucket has 2 s to get there
    for fault in [Fault::StuckAt(Signal::Valve(channel::TIP as u8), false), Fault::Jam(channel::TIP as u8)] {
        let found = kpis(&*run::<DoseControl>(10_000, &[fault]));
        assert_eq!((found["doses"], found["alarm"]), (1.0, 1.0), "{fault:?}: {found:?}");
    }
}

/// What is left in the bucket is noticed, without a machine: weights by hand.
#[test]
fn what_is_left_in_the_bucket_is_an_alarm() {
    for (left, alarm) in [(0.0, false), (0.09, false), (0.11, true)] {
        let settings = DosingSettings {
            target: 5000,
            coarse_margin: 1000,
            fine_margin: 0,
            coarse_percent: 100,
            fine_percent: 30,
            hold: 40,
            settle: 50,
            empty: 50,
            residue: 1000,
        };
        let mut dosing = Dosing::new(settings);
        let terminals = Terminals::new();
        let mut sensors = Sensors::NEW;
        let mut tick = |weight: f32, over: bool| {
            sensors.weights[0] = weight;
            (sensors.cylinders[0].extended, sensors.cylinders[0].retracted) = (over, !over);
            terminals.show(&sensors);
            let mut pins = DosingPins {
                scale: terminals.scale(0).unwrap(),
                amplitude: terminals.amplitude(0).unwrap(),
                is_over: terminals.extended(0).unwrap(),
                is_upright: terminals.retracted(0).unwrap(),
                feed: terminals.vibrator(0).unwrap(),
                tip: terminals.valve(0).unwrap(),
            };
            dosing.tick(&mut pins).unwrap();
            (terminals.actuators(), dosing.has_alarm(), dosing.doses)
        };
        let mut ticks = |count: u32, weight: f32, over: bool| (0..count).map(|_| tick(weight, over)).last().unwrap();
        // a bucket of minus 0.2 N: converters have two's complements
        let (on, ..) = ticks(60, -0.2, false);
        assert!(on.vibrators[0].run && on.vibrators[0].amplitude_percent == 100.0);
        let (on, ..) = ticks(60, 0.25, false);
        assert!(on.vibrators[0].run && on.vibrators[0].amplitude_percent == 30.0, "0.45 N of 0.5 N");
        // a blow stops it, and when that has passed it goes on
        let (on, ..) = ticks(20, 0.4, false);
        assert!(!on.vibrators[0].run);
        let (on, ..) = ticks(32, 0.25, false);
        assert!(on.vibrators[0].run);
        // the mean has it after 32 ticks, it must last for 40, and rest for 50
        let (on, _, doses) = ticks(70, 0.3001, false);
        assert!(!on.vibrators[0].run && !on.valves[0] && doses == 0);
        let (on, _, doses) = ticks(60, 0.3001, false);
        assert!(!on.vibrators[0].run && on.valves[0] && doses == 1);
        let (on, ..) = ticks(60, 0.0, true);
        assert!(!on.valves[0], "back");
        let (on, found, _) = ticks(110, left - 0.2, false);
        assert_eq!((found, on.vibrators[0].run), (alarm, !alarm), "{left}");
    }
}
