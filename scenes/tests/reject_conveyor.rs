//! The reject conveyor does what it is for, planted bugs of its controller are caught, and faults show where they should.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

mod playing;

use embedded_hal::digital::{InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, kpis, play};
use tumble::Error;
use tumble::twin::{Fault, Sensors, Signal, Terminals};
use tumble_scenes::control::{Quadrature, Rejector};
use tumble_scenes::reject_conveyor::{ControlConveyor, ConveyorControl, PUSH_DISTANCE, RejectConveyor, channel};
use tumble_scenes::twin_stage::TwinStage;
use tumble_scenes::{Scene, SmallRejectConveyor};

type Stage<C> = TwinStage<RejectConveyor<C>, 12, 64, 192, 13>;

/// The good ones' hopper is as fast as the belt allows: 10 s show six bad boxes.
const STEPS: u32 = 10_000;
const ALWAYS: std::ops::Range<u32> = 0..u32::MAX;
const PUSHER: u8 = channel::PUSHER as u8;
const LOW: Signal = Signal::Barrier(channel::LOW as u8);
const HIGH: Signal = Signal::Barrier(channel::HIGH as u8);
const PUSH: Signal = Signal::Valve(PUSHER);

/// Step it with these faults; returns the stage for a look inside.
fn run<C: ControlConveyor>(
    steps: u32,
    faults: &[(Fault, std::ops::Range<u32>)],
    tweak: impl FnOnce(&mut C),
) -> Box<Stage<C>> {
    let mut stage = begun(Stage::<C>::new());
    tweak(&mut stage.script_mut().control);
    for (fault, steps) in faults {
        stage.add_fault(*fault, steps.clone()).unwrap();
    }
    play(&mut *stage, steps);
    stage
}

fn with_faults(faults: &[(Fault, std::ops::Range<u32>)]) -> Kpis {
    kpis(&*run::<ConveyorControl>(STEPS, faults, |_| ()))
}

/// What a controller must do on this conveyor, whatever else it does.
fn check<C: ControlConveyor>(faults: &[(Fault, std::ops::Range<u32>)]) -> Result<(), String> {
    let found = kpis(&*run::<C>(STEPS, faults, |_| ()));
    let say = |what: &str| Err(format!("{what}: {found:?}"));
    if found["misses"] > 0.0 {
        return say("bad boxes reach the good end");
    }
    if found["false_rejects"] > 0.0 {
        return say("good boxes are pushed off");
    }
    if found["miscounted"] > 0.0 {
        return say("boxes are counted that are not there, or not counted that are");
    }
    if found["rejected"] < 4.0 || found["good_out"] < 10.0 {
        return say("boxes do not come through");
    }
    Ok(())
}

#[test]
fn bad_boxes_are_pushed_off_and_good_ones_are_not() {
    let stage = run::<ConveyorControl>(20_000, &[], |_| ());
    let found = kpis(&*stage);
    // hoppers: 0.6 bad ones a second; 2.2 good ones, which wait 0.57 s for each bad one: 1.4. Two a second, less the first's 1.5 s on the belt
    assert!((90.0..130.0).contains(&found["parts_per_minute"]), "{found:?}");
    assert!(found["rejected"] >= 10.0 && found["good_out"] >= 25.0, "{found:?}");
    assert_eq!((found["misses"], found["false_rejects"], found["miscounted"], found["yield"]), (0.0, 0.0, 0.0, 1.0));
    let control = &stage.script().control;
    // one count a tick at most: none is lost, and the decoder has what the encoder has
    assert_eq!(control.encoder.lost, 0);
    let truth = stage.sensors().encoders[channel::BELT].count;
    assert!((control.encoder.count - truth).abs() <= 1, "{} {truth}", control.encoder.count);
    assert_eq!((control.rejector.failed, control.rejector.forgotten), (0, 0));
    // 12 m of belt in 20 s at 0.6 m/s, but for the start
    assert!((11_900..12_000).contains(&truth), "{truth}");
}

#[test]
fn it_fits_a_microcontroller_and_begins_anew_with_the_same_bits() {
    let bytes = size_of::<SmallRejectConveyor>();
    println!("reject-conveyor: {bytes} bytes");
    assert!(bytes < 100_000, "{bytes}");
    let mut stage = run::<ConveyorControl>(3000, &[], |_| ());
    let hash = stage.state_hash();
    stage.reset().unwrap();
    let (h, settings) = (stage.h(), stage.settings());
    for _ in 0..3000 {
        let _ = stage.step(h, &settings).unwrap();
    }
    assert_eq!(stage.state_hash(), hash);
}

#[test]
fn a_decoder_that_looks_before_the_first_step_counts_nothing() {
    let stage = run::<ConveyorControl>(0, &[], |_| ());
    let signal = stage.sensors().encoders[channel::BELT];
    assert!(signal.a && !signal.b && signal.count == 0);
    assert!(stage.sensors().cylinders[channel::PUSHER].retracted);
}

#[test]
fn misses_rise_with_latency() {
    // the belt goes 0.6 mm a tick, the pusher meets boxes within 30 mm of its middle
    let found = [0, 20, 40, 60].map(|latency| {
        let found = kpis(&*run::<ConveyorControl>(STEPS, &[], |control| control.rejector.latency = latency));
        println!("latency {latency} ms: {found:?}");
        found
    });
    let [none, little, some, all] = &found;
    // 12 mm late is near enough
    assert_eq!((none["misses"], little["misses"]), (0.0, 0.0), "{found:?}");
    // 24 mm late it is up to how far a box stands off the middle of the belt
    assert!(some["misses"] >= 1.0 && some["rejected"] >= 1.0, "{found:?}");
    // 36 mm is too late for all
    assert!(all["misses"] > some["misses"] && all["rejected"] == 0.0, "{found:?}");
}

/// Counts the edges of track A alone, and takes two of them for a line.
struct HalfDecoder {
    rest: ConveyorControl,
    a: bool,
    count: i32,
}

impl ControlConveyor for HalfDecoder {
    const NEW: Self = Self { rest: ConveyorControl::NEW, a: false, count: 0 };

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        let [mut a, _] = terminals.encoder(channel::BELT)?;
        let a = a.is_high().unwrap();
        self.count += i32::from(a != self.a);
        self.a = a;
        self.rest.act(terminals, self.count)
    }

    fn measured(&self) -> u32 {
        self.rest.measured()
    }
}

/// Does not look at the encoder: believes that the belt always goes at its speed.
struct ByTheClock {
    rest: ConveyorControl,
    ticks: i32,
}

impl ControlConveyor for ByTheClock {
    const NEW: Self = Self { rest: ConveyorControl::NEW, ticks: 0 };

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.ticks += 1;
        self.rest.act(terminals, self.ticks * 3 / 5)
    }

    fn measured(&self) -> u32 {
        self.rest.measured()
    }
}

/// Takes beams as they come.
struct WithoutDebounce(ConveyorControl);

impl ControlConveyor for WithoutDebounce {
    const NEW: Self = Self(ConveyorControl { rejector: Rejector::new(PUSH_DISTANCE, 1), ..ConveyorControl::NEW });

    fn tick(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.0.tick(terminals)
    }

    fn measured(&self) -> u32 {
        self.0.measured()
    }
}

#[test]
fn an_encoder_decoded_by_one_track_is_caught() {
    assert_eq!(check::<ConveyorControl>(&[]), Ok(()));
    let reason = check::<HalfDecoder>(&[]).unwrap_err();
    println!("{reason}");
    // half the counts: boxes are past the pusher long before it is told
    assert!(reason.starts_with("bad boxes reach"), "{reason}");
}

#[test]
fn a_controller_that_goes_by_the_clock_is_caught_when_the_belt_does_not() {
    // the belt's enable drops out for 0.1 s every 1.2 s: each time 40 mm less than the clock says
    let dips: Vec<_> =
        (0..7).map(|n| (Fault::StuckAt(Signal::Belt(0), false), 1500 + 1200 * n..1600 + 1200 * n)).collect();
    assert_eq!(check::<ByTheClock>(&[]), Ok(()), "it works as long as the belt does");
    assert_eq!(check::<ConveyorControl>(&dips), Ok(()));
    let reason = check::<ByTheClock>(&dips).unwrap_err();
    println!("{reason}");
}

#[test]
fn a_missing_debounce_is_caught_when_beams_bounce() {
    let bounce = [(Fault::Bounce(LOW, 4), ALWAYS)];
    assert_eq!(check::<WithoutDebounce>(&[]), Ok(()), "without bounces nobody sees it");
    assert_eq!(check::<ConveyorControl>(&bounce), Ok(()));
    let reason = check::<WithoutDebounce>(&bounce).unwrap_err();
    println!("{reason}");
}

#[test]
fn a_blind_high_beam_lets_bad_boxes_pass() {
    let stuck = with_faults(&[(Fault::StuckAt(HIGH, false), ALWAYS)]);
    assert!(stuck["rejected"] == 0.0 && stuck["misses"] >= 4.0, "{stuck:?}");
    assert_eq!((stuck["false_rejects"], stuck["miscounted"]), (0.0, 0.0), "{stuck:?}");
    // of six pulses some are lost, and some are not
    let lossy = with_faults(&[(Fault::Dropout(HIGH, 0.5), ALWAYS)]);
    assert!(lossy["rejected"] >= 1.0 && lossy["misses"] >= 1.0 && lossy["misses"] < stuck["misses"], "{lossy:?}");
}

#[test]
fn a_high_beam_that_is_always_interrupted_costs_yield() {
    let stuck = with_faults(&[(Fault::StuckAt(HIGH, true), ALWAYS)]);
    assert!(stuck["misses"] == 0.0 && stuck["good_out"] == 0.0 && stuck["yield"] == 0.0, "{stuck:?}");
    assert!(stuck["false_rejects"] >= 10.0, "{stuck:?}");
}

#[test]
fn delays_make_misses() {
    // 63 ms are 38 mm of belt
    for signal in [PUSH, LOW] {
        let late = with_faults(&[(Fault::Delay(signal, 63), ALWAYS)]);
        assert!(late["misses"] >= 1.0, "{signal:?}: {late:?}");
    }
}

#[test]
fn a_jammed_pusher_is_noticed() {
    let stage = run::<ConveyorControl>(STEPS, &[(Fault::Jam(PUSHER), 4000..u32::MAX)], |_| ());
    let found = kpis(&*stage);
    assert!(found["rejected"] >= 1.0 && found["misses"] >= 1.0, "{found:?}");
    // each stroke since then
    assert!(stage.script().control.rejector.failed as f32 >= found["misses"], "{found:?}");
}

#[test]
fn a_pin_turns_the_belt_round() {
    let terminals = Terminals::new();
    terminals.speed(1).unwrap().set_duty_cycle_percent(30).unwrap();
    let speed = || terminals.actuators().belts[1].speed_percent;
    assert!((speed() - 30.0).abs() < 1e-4);
    terminals.reverse(1).unwrap().set_high().unwrap();
    assert!((speed() + 30.0).abs() < 1e-4 && terminals.actuators().belts[0].speed_percent == 0.0);
}

#[test]
fn the_decoder_counts_both_ways_and_says_what_it_lost() {
    let terminals = Terminals::new();
    let mut encoder = Quadrature::NEW;
    let mut look = |a: bool, b: bool| {
        let mut sensors = Sensors::NEW;
        (sensors.encoders[0].a, sensors.encoders[0].b) = (a, b);
        terminals.show(&sensors);
        encoder.tick(&mut terminals.encoder(0).unwrap()).unwrap();
        (encoder.count, encoder.lost)
    };
    let forward = [(true, false), (true, true), (false, true), (false, false), (true, false)];
    assert_eq!(forward.map(|(a, b)| look(a, b).0), [0, 1, 2, 3, 4]);
    let back = [(false, false), (false, true), (true, true), (true, false)];
    assert_eq!(back.map(|(a, b)| look(a, b).0), [3, 2, 1, 0]);
    assert_eq!(look(true, false), (0, 0), "nothing has moved");
    assert_eq!(look(false, true), (0, 1), "two at once");
}
