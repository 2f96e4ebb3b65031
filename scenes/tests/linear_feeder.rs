//! The linear feeder does what it is for; bugs planted in its controller are caught; faults show in its key figures. All of it for several seeds.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, kpis, play};
use tumble::twin::{Fault, Signal};
use tumble_scenes::Scene;
use tumble_scenes::control::{ControlFeeder, Demand, Escapement, FeederControl, FeederPins, Handover, TrackControl};
use tumble_scenes::linear_feeder::FeederStage;

/// As shipped, and four other days; unoptimised it would take minutes.
const SEEDS: &[u32] = if cfg!(debug_assertions) { &[0, 1] } else { &[0, 1, 2, 3, 4] };
/// Channels as the scene wires them.
const FULL: u8 = 0;
const INLET: u8 = 1;
const WAITING: u8 = 2;
const LEAVING: u8 = 3;
const STOP: u8 = 0;
const SEPARATOR: u8 = 1;
const ALARM: usize = 2;
/// The controller's timers, in ticks of a millisecond.
const T_ON: u32 = 300;
const T_OFF: u32 = 400;
/// The controller's debounce, and a bounce that is shorter.
const DEBOUNCE: u32 = 5;
const BOUNCE: u8 = 4;
/// As many show a full rail and ten demands: at 5 s, 5.7 s, … 11.3 s.
const STEPS: u32 = 12_000;

fn stage<C: ControlFeeder>(seed: u32) -> Box<FeederStage<C>> {
    let mut stage = FeederStage::new();
    stage.set_seed(seed);
    begun(stage)
}

/// A run with faults from the beginning.
fn with(seed: u32, faults: &[Fault]) -> Kpis {
    let mut stage = stage::<FeederControl>(seed);
    faults.iter().for_each(|fault| stage.add_fault(*fault, 0..u32::MAX).unwrap());
    play(&mut *stage, STEPS)
}

/// Every cap that came in is somewhere.
fn adds_up(kpis: &Kpis) -> bool {
    kpis["delivered"] == kpis["out"] + kpis["inside"] + kpis["lost"]
}

#[test]
fn one_cap_at_a_time_whenever_one_is_wanted() {
    for &seed in SEEDS {
        let mut stage = stage::<FeederControl>(seed);
        let mut most = 0.0;
        for _ in 0..20 {
            let kpis = play(&mut *stage, 1000);
            assert!(adds_up(&kpis) && kpis["lost"] == 0.0, "{seed}: {kpis:?}");
            most = kpis["inside"].max(most);
        }
        let kpis = kpis(&*stage);
        // demands at 5 s, 5.7 s, … 19.7 s: 22; the last may still be on its way
        assert!((21.0..=22.0).contains(&kpis["out"]), "{seed}: {kpis:?}");
        assert!((kpis["parts_per_minute"] - 3.0 * kpis["out"]).abs() < 1e-3, "{seed}: {kpis:?}");
        for none in ["starved", "starved_s", "miscounted", "struck", "alarms"] {
            assert_eq!(kpis[none], 0.0, "{seed}, {none}: {kpis:?}");
        }
        // it does fill up, and it does stop when it is full
        assert!(most >= 16.0, "{seed}: {most}");
        assert!((0.3..0.95).contains(&kpis["rail_on_share"]), "{seed}: {kpis:?}");
        // the hopper waits until there is room
        assert_eq!(kpis["refused"], 0.0, "{seed}: {kpis:?}");
    }
}

/// The rail must stop when the full beam has been interrupted for t_off ticks, at that tick.
fn stops_on_time<C: ControlFeeder>(seed: u32) -> Result<(), String> {
    let mut stage = stage::<C>(seed);
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

/// The rail must start when the full beam has been clear for t_on ticks, at that tick.
fn starts_on_time<C: ControlFeeder>(seed: u32) -> Result<(), String> {
    let mut stage = stage::<C>(seed);
    let (h, settings) = (stage.h(), stage.settings());
    for _ in 0..15_000 {
        let _ = stage.step(h, &settings).unwrap();
        if !stage.actuators().vibrators[0].run {
            break;
        }
    }
    if stage.actuators().vibrators[0].run {
        return Err("it never was full".into());
    }
    // nothing moves: only the beam is to clear. It does so at the end of a step, and the controller sees it at the next tick
    stage.add_fault(Fault::StuckAt(Signal::Barrier(FULL), false), 0..u32::MAX).unwrap();
    for clear in 0..=T_ON {
        let _ = stage.step(h, &settings).unwrap();
        match (stage.actuators().vibrators[0].run, clear) {
            (false, T_ON..) => return Err(format!("clear for {clear} ticks, and it stands")),
            (true, ..T_ON) => return Err(format!("clear for {clear} ticks only, and it runs")),
            _ => {}
        }
    }
    Ok(())
}

/// The example controller with other settings, which a bug comes to.
struct Planted<const T_OFF_TICKS: u32, const DEBOUNCE_TICKS: u32, const FIRST_DEMAND: u32, const T_ON_TICKS: u32 = T_ON>(
    FeederControl,
);

impl<const T_OFF_TICKS: u32, const DEBOUNCE_TICKS: u32, const FIRST_DEMAND: u32, const T_ON_TICKS: u32> ControlFeeder
    for Planted<T_OFF_TICKS, DEBOUNCE_TICKS, FIRST_DEMAND, T_ON_TICKS>
{
    const NEW: Self = {
        let mut control = FeederControl::NEW;
        control.rail = TrackControl::new(T_ON_TICKS, T_OFF_TICKS);
        control.escapement = Escapement::new(DEBOUNCE_TICKS);
        control.demand = Demand::new(FIRST_DEMAND, 700);
        Self(control)
    };

    fn tick<I: InputPin, O: OutputPin, P: SetDutyCycle>(
        &mut self,
        pins: &mut FeederPins<I, O, P>,
    ) -> Result<(), ErrorKind> {
        self.0.tick(pins)
    }

    fn handover(&self) -> Handover {
        self.0.handover()
    }
}

#[test]
fn a_timer_that_is_off_by_one_is_caught() {
    for &seed in SEEDS {
        // nothing is wanted: nothing but the beam decides
        assert_eq!(stops_on_time::<Planted<T_OFF, DEBOUNCE, 100_000>>(seed), Ok(()), "{seed}");
        let caught = stops_on_time::<Planted<{ T_OFF + 1 }, DEBOUNCE, 100_000>>(seed).unwrap_err();
        assert!(caught.contains("full for 400 ticks, and it runs"), "{seed}: {caught}");
        let caught = stops_on_time::<Planted<{ T_OFF - 1 }, DEBOUNCE, 100_000>>(seed).unwrap_err();
        assert!(caught.contains("full for 399 ticks only, and it stands"), "{seed}: {caught}");
        assert_eq!(starts_on_time::<Planted<T_OFF, DEBOUNCE, 100_000>>(seed), Ok(()), "{seed}");
        let caught = starts_on_time::<Planted<T_OFF, DEBOUNCE, 100_000, { T_ON + 1 }>>(seed).unwrap_err();
        assert!(caught.contains("clear for 300 ticks, and it stands"), "{seed}: {caught}");
        let caught = starts_on_time::<Planted<T_OFF, DEBOUNCE, 100_000, { T_ON - 1 }>>(seed).unwrap_err();
        assert!(caught.contains("clear for 299 ticks only, and it runs"), "{seed}: {caught}");
    }
}

/// With beams that bounce the stop must not come down on a cap, and every cap counts once.
fn lets_go_through_bounces<C: ControlFeeder>(seed: u32) -> Result<(), String> {
    let mut stage = stage::<C>(seed);
    for beam in [WAITING, LEAVING] {
        stage.add_fault(Fault::Bounce(Signal::Barrier(beam), BOUNCE), 0..u32::MAX).unwrap();
    }
    let kpis = play(&mut *stage, STEPS);
    assert!(kpis["out"] >= 9.0, "{seed}: {kpis:?}");
    let (struck, miscounted) = (kpis["struck"], kpis["miscounted"]);
    if struck > 0.0 {
        return Err(format!("the stop struck {struck} caps"));
    }
    if miscounted == 0.0 { Ok(()) } else { Err(format!("{miscounted} more were counted than came out")) }
}

#[test]
fn a_missing_debounce_is_caught() {
    for &seed in SEEDS {
        assert_eq!(lets_go_through_bounces::<Planted<T_OFF, DEBOUNCE, 5000>>(seed), Ok(()), "{seed}");
        let caught = lets_go_through_bounces::<Planted<T_OFF, 1, 5000>>(seed).unwrap_err();
        assert!(caught.contains("the stop struck"), "{seed}: {caught}");
    }
}

/// Caps that come out in the same time when the next is always wanted, and the exit beam is so many ticks late.
fn as_fast_as_it_goes(seed: u32, late: u8) -> f32 {
    let mut stage = stage::<FeederControl>(seed);
    stage.script_mut().control.demand.cycle = 1;
    stage.add_fault(Fault::Delay(Signal::Barrier(LEAVING), late), 0..u32::MAX).unwrap();
    play(&mut *stage, 20_000)["out"]
}

#[test]
fn a_late_exit_beam_costs_caps() {
    for &seed in SEEDS {
        // one cap takes c ticks, and c + late: the stop comes down later, and the next cap goes later
        let [sound, late, later] = [0, 20, 60].map(|late| as_fast_as_it_goes(seed, late));
        assert!(later < late && late < sound, "{seed}: {sound} {late} {later}");
    }
}

#[test]
fn faults_of_signals_show_in_the_key_figures() {
    for &seed in SEEDS {
        let sound = with(seed, &[]);
        assert!(sound["out"] >= 9.0 && sound["starved"] == 0.0 && sound["alarms"] == 0.0, "{seed}: {sound:?}");
        // nothing seems to wait: nothing is let go, the machine starves, and a full rail without a cap at its end is told
        let kpis = with(seed, &[Fault::StuckAt(Signal::Barrier(WAITING), false)]);
        assert!(kpis["starved"] >= 8.0 && kpis["starved_s"] > 6.0 && kpis["out"] == 0.0, "{seed}: {kpis:?}");
        assert_eq!(kpis["alarms"], 1.0, "{seed}: {kpis:?}");
        // it seems full: the rail runs only as a cap is let go
        let kpis = with(seed, &[Fault::StuckAt(Signal::Barrier(FULL), true)]);
        assert!(kpis["rail_on_share"] < sound["rail_on_share"], "{seed}: {kpis:?}");
        // the inlet seems clear: caps come that find no room
        let kpis = with(seed, &[Fault::StuckAt(Signal::Barrier(INLET), false)]);
        assert!(kpis["refused"] >= sound["refused"] + 8.0, "{seed}: {kpis:?}");
        // the inlet seems taken: hardly a cap comes
        let kpis = with(seed, &[Fault::StuckAt(Signal::Barrier(INLET), true)]);
        assert!(kpis["delivered"] <= 2.0 && kpis["starved_s"] > 5.0, "{seed}: {kpis:?}");
        // a cap passes unseen: the stop stays up, the count is short, and the lamp is lit
        let kpis = with(seed, &[Fault::Dropout(Signal::Barrier(LEAVING), 1.0)]);
        assert!(kpis["out"] < sound["out"] && kpis["miscounted"] < 0.0, "{seed}: {kpis:?}");
        assert!(kpis["alarms"] > 0.0 && kpis["starved_s"] > 1.0, "{seed}: {kpis:?}");
    }
}

#[test]
fn faults_of_the_drive_show_in_the_key_figures() {
    for &seed in SEEDS {
        let sound = with(seed, &[]);
        // less than half the swing; a slippery rail: slower, or not at all
        for fault in [Fault::AmplitudeLoss(0, 0.4), Fault::FrictionDrift(0, -0.15)] {
            let kpis = with(seed, &[fault]);
            assert!(kpis["out"] < sound["out"], "{seed}, {fault:?}: {kpis:?}");
            assert!(kpis["parts_per_minute"] < sound["parts_per_minute"], "{seed}, {fault:?}: {kpis:?}");
            assert!(kpis["starved"] > 0.0 && kpis["starved_s"] > 1.0, "{seed}, {fault:?}: {kpis:?}");
        }
    }
}

#[test]
fn a_cylinder_that_jams_raises_an_alarm_until_it_moves() {
    for (seed, cylinder) in [(0, STOP), (1, SEPARATOR), (2, STOP)] {
        let mut stage = stage::<FeederControl>(seed);
        // from the second demand on, for two and a half seconds
        stage.add_fault(Fault::Jam(cylinder), 5600..8200).unwrap();
        let before = play(&mut *stage, 5600);
        assert!(before["alarms"] == 0.0 && !stage.actuators().valves[ALARM], "{seed}: {before:?}");
        let jammed = play(&mut *stage, 2500);
        assert!(jammed["alarms"] == 1.0 && stage.actuators().valves[ALARM], "{seed}: {jammed:?}");
        assert!(jammed["out"] == 1.0 && jammed["starved"] >= 2.0 && jammed["starved_s"] > 1.0, "{seed}: {jammed:?}");
        let mended = play(&mut *stage, 3000);
        assert!(mended["alarms"] == 1.0 && !stage.actuators().valves[ALARM], "{seed}: {mended:?}");
        assert!(mended["out"] >= 4.0 && mended["miscounted"] == 0.0, "{seed}: {mended:?}");
    }
}

#[test]
fn a_cylinder_that_is_not_where_it_is_sent_raises_an_alarm_at_rest() {
    let faults = [
        (Signal::Valve(STOP), true),
        (Signal::Retracted(STOP), false),
        (Signal::Valve(SEPARATOR), true),
        (Signal::Extended(SEPARATOR), true),
    ];
    for (signal, stuck) in faults {
        // between the second demand's cap and the third demand: nothing is under way
        for from in [0, 6200] {
            let mut stage = stage::<FeederControl>(0);
            stage.add_fault(Fault::StuckAt(signal, stuck), from..u32::MAX).unwrap();
            let before = play(&mut *stage, from);
            assert_eq!(before["alarms"], 0.0, "{signal:?}: {before:?}");
            let kpis = play(&mut *stage, 3000);
            assert!(kpis["alarms"] > 0.0 && stage.actuators().valves[ALARM], "{signal:?} from {from}: {kpis:?}");
            // none is let go on trust
            let end = play(&mut *stage, 6000);
            assert!(end["starved"] > 3.0 && end["starved_s"] > 3.0, "{signal:?} from {from}: {end:?}");
        }
    }
    // the switch that says down while the stop is up: told at the first cap
    let kpis = with(0, &[Fault::StuckAt(Signal::Retracted(STOP), true)]);
    assert!(kpis["alarms"] > 0.0 && kpis["starved"] > 6.0, "{kpis:?}");
}

#[test]
fn a_cap_that_nobody_let_go_raises_an_alarm() {
    for &seed in SEEDS {
        let mut stage = stage::<FeederControl>(seed);
        // the stop goes up for a moment, while the rail fills and nothing is wanted: not long enough to be a stop that sticks
        stage.add_fault(Fault::StuckAt(Signal::Valve(STOP), true), 2500..3100).unwrap();
        let before = play(&mut *stage, 2500);
        assert!(before["alarms"] == 0.0 && before["out"] == 0.0, "{seed}: {before:?}");
        let kpis = play(&mut *stage, 900);
        assert!(kpis["out"] > 0.0 && kpis["miscounted"] == -kpis["out"] && kpis["alarms"] > 0.0, "{seed}: {kpis:?}");
    }
}

#[test]
fn double_parts_fill_the_rail_sooner_and_still_leave_one_by_one() {
    for &seed in SEEDS {
        let run = |faults: &[Fault]| {
            let mut stage = stage::<FeederControl>(seed);
            faults.iter().for_each(|fault| stage.add_fault(*fault, 0..u32::MAX).unwrap());
            [2000, STEPS - 2000].map(|steps| play(&mut *stage, steps))
        };
        let [[early, end], [early_doubled, doubled]] = [run(&[]), run(&[Fault::DoublePart(0, 1.0)])];
        assert!(early_doubled["delivered"] >= early["delivered"] + 2.0, "{seed}: {early:?} {early_doubled:?}");
        assert!(doubled["rail_on_share"] < end["rail_on_share"], "{seed}: {end:?} {doubled:?}");
        // the lid keeps one that lies on another from going over the stop
        assert_eq!(doubled["out"], end["out"], "{seed}: {doubled:?}");
        assert!(adds_up(&doubled) && doubled["lost"] == 0.0, "{seed}: {doubled:?}");
        assert_eq!((doubled["miscounted"], doubled["starved"]), (0.0, 0.0), "{seed}: {doubled:?}");
    }
}
