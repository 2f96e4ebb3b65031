//! The linear feeder does what it is for; bugs planted in its controller are caught; faults show in its key figures.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use playing::{Kpis, begun, play};
use tumble::Error;
use tumble::twin::{Fault, Signal, Terminals};
use tumble_scenes::Scene;
use tumble_scenes::control::{Escapement, TrackControl};
use tumble_scenes::linear_feeder::{ControlFeeder, FeederControl, LinearFeeder};
use tumble_scenes::twin_stage::TwinStage;

type Stage<C> = TwinStage<LinearFeeder<C>, 19, 44, 132, 22>;

/// Channels as the scene wires them.
const FULL: u8 = 0;
const WAITING: u8 = 2;
const LEAVING: u8 = 3;
/// The controller's timer, in ticks of a millisecond.
const T_OFF: u32 = 400;
/// As many show a full rail and six demands.
const STEPS: u32 = 9500;

fn stage<C: ControlFeeder>() -> Box<Stage<C>> {
    begun(Stage::new())
}

/// The same run with a fault, from the beginning.
fn with_fault(fault: Fault) -> Kpis {
    let mut stage = stage::<FeederControl>();
    stage.add_fault(fault, 0..u32::MAX).unwrap();
    play(&mut *stage, STEPS)
}

#[test]
fn one_cap_at_a_time_whenever_one_is_wanted() {
    let mut stage = stage::<FeederControl>();
    let kpis = play(&mut *stage, 20_000);
    // demands at 5 s, 5.7 s, … 19.7 s: 22; the last may still be on its way
    assert!((20.0..=22.0).contains(&kpis["caps_out"]), "{kpis:?}");
    assert_eq!((kpis["starved"], kpis["miscounted"]), (0.0, 0.0), "{kpis:?}");
    assert!(kpis["caps_in_rail"] >= 16.0, "{kpis:?}");
    // it does stop when it is full
    assert!(kpis["rail_on_share"] < 0.95, "{kpis:?}");
}

/// The rail must stop when the full beam has been interrupted for t_off ticks, at that tick.
fn stops_on_time<C: ControlFeeder>() -> Result<(), String> {
    let mut stage = stage::<C>();
    let (h, settings) = (stage.h(), stage.settings());
    let mut interrupted = 0;
    for tick in 0..15_000 {
        // what the controller sees at this tick
        interrupted = if stage.sensors().barriers[usize::from(FULL)].on { interrupted + 1 } else { 0 };
        let _ = stage.step(h, &settings).unwrap();
        let runs = stage.actuators().vibrators[0].run;
        match (runs, interrupted) {
            (true, T_OFF..) => return Err(format!("tick {tick}: full for {interrupted} ticks, and it runs")),
            (false, ..T_OFF) => return Err(format!("tick {tick}: full for {interrupted} ticks only, and it stands")),
            (false, _) => return Ok(()),
            (true, _) => {}
        }
    }
    Err("it never was full".into())
}

/// The example controller with other settings, which a bug comes to.
struct Planted<const T_OFF_TICKS: u32, const DEBOUNCE: u32, const FIRST_DEMAND: u32>(FeederControl);

impl<const T_OFF_TICKS: u32, const DEBOUNCE: u32, const FIRST_DEMAND: u32> ControlFeeder
    for Planted<T_OFF_TICKS, DEBOUNCE, FIRST_DEMAND>
{
    const NEW: Self = {
        let mut control = FeederControl::NEW;
        control.rail = TrackControl::new(300, T_OFF_TICKS);
        control.escapement = Escapement::new(DEBOUNCE);
        control.wait = FIRST_DEMAND;
        Self(control)
    };

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.0.tick(terminals)
    }

    fn released_and_missed(&self) -> (u32, u32) {
        self.0.released_and_missed()
    }
}

#[test]
fn a_timer_that_is_off_by_one_is_caught() {
    // nothing is wanted: nothing but the beam decides
    assert_eq!(stops_on_time::<Planted<T_OFF, 3, 100_000>>(), Ok(()));
    let caught = stops_on_time::<Planted<{ T_OFF + 1 }, 3, 100_000>>().unwrap_err();
    assert!(caught.contains("full for 400 ticks, and it runs"), "{caught}");
}

/// With beams that bounce for two milliseconds it must count every cap once, and the stop must not come down on one.
fn lets_go_through_bounces<C: ControlFeeder>() -> Result<(), String> {
    let mut stage = stage::<C>();
    for beam in [WAITING, LEAVING] {
        stage.add_fault(Fault::Bounce(Signal::Barrier(beam), 2), 0..u32::MAX).unwrap();
    }
    let kpis = play(&mut *stage, STEPS);
    let (out, miscounted, deep) = (kpis["caps_out"], kpis["miscounted"], kpis["deepest_penetration_m"]);
    if out >= 5.0 && miscounted == 0.0 && deep < 0.2e-3 {
        return Ok(());
    }
    Err(format!("{out} caps came out, {miscounted} more were counted, squeezed by {deep} m"))
}

#[test]
fn a_missing_debounce_is_caught() {
    assert_eq!(lets_go_through_bounces::<Planted<T_OFF, 3, 5000>>(), Ok(()));
    let caught = lets_go_through_bounces::<Planted<T_OFF, 1, 5000>>();
    assert!(caught.is_err(), "{caught:?}");
}

/// Caps that come out in the same time when the next is always wanted, and the exit beam is so many ticks late.
fn as_fast_as_it_goes(late: u8) -> f32 {
    let mut stage = stage::<FeederControl>();
    stage.script_mut().control.cycle = 1;
    stage.add_fault(Fault::Delay(Signal::Barrier(LEAVING), late), 0..u32::MAX).unwrap();
    play(&mut *stage, 20_000)["caps_out"]
}

#[test]
fn a_late_exit_beam_costs_caps() {
    // one cap takes c ticks, and c + late: the stop comes down later, and the next cap goes later
    let [sound, late, later] = [0, 20, 60].map(as_fast_as_it_goes);
    assert!(later < late && late < sound, "{sound} {late} {later}");
}

#[test]
fn each_fault_shows_in_the_key_figures() {
    let sound = play(&mut *stage::<FeederControl>(), STEPS);
    assert!(sound["caps_out"] >= 5.0 && sound["starved"] == 0.0, "{sound:?}");
    let fewer = |name: &str, fault: Fault| {
        let kpis = with_fault(fault);
        assert!(kpis["caps_out"] < sound["caps_out"], "{name}: {kpis:?}");
        kpis
    };
    // nothing seems to wait: nothing is let go, and the machine starves
    let kpis = fewer("stuck at", Fault::StuckAt(Signal::Barrier(WAITING), false));
    assert!(kpis["starved"] > 0.0 && kpis["caps_out"] == 0.0, "{kpis:?}");
    // it seems full: the rail never fills up
    let kpis = with_fault(Fault::StuckAt(Signal::Barrier(FULL), true));
    assert!(kpis["rail_on_share"] < sound["rail_on_share"], "{kpis:?}");
    // caps pass unseen: the stop stays up and the count is short
    let kpis = fewer("dropout", Fault::Dropout(Signal::Barrier(LEAVING), 1.0));
    assert!(kpis["miscounted"] < 0.0, "{kpis:?}");
    // half the swing: slower, or not at all
    fewer("amplitude loss", Fault::AmplitudeLoss(0, 0.4));
    // the stop does not move
    let kpis = fewer("jam", Fault::Jam(0));
    assert_eq!(kpis["caps_out"], 0.0, "{kpis:?}");
    // a slippery rail
    fewer("friction drift", Fault::FrictionDrift(0, -0.15));
    // two at once fill the rail sooner, or find no room
    let doubled = with_fault(Fault::DoublePart(0, 1.0));
    let offered = |kpis: &Kpis| kpis["caps_in_rail"] + kpis["caps_out"] + kpis["hopper_refused"];
    assert!(offered(&doubled) > offered(&sound), "{doubled:?}");
}
