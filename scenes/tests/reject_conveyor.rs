//! The reject conveyor does what it is for, planted bugs of its controller are caught, and faults show where they should: whatever the seed.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

mod playing;

use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, kpis, play};
use std::ops::Range;
use std::sync::OnceLock;
use tumble::twin::{Fault, Sensors, Signal, Terminals};
use tumble_scenes::control::{ConveyorControl, ConveyorPins, Quadrature, RejectPins, Rejector};
use tumble_scenes::reject_conveyor::{ControlConveyor, PUSH_DISTANCE, PUSH_REACH, RejectConveyor, channel};
use tumble_scenes::twin_stage::TwinStage;
use tumble_scenes::{Scene, SmallRejectConveyor};

type Stage<C> = TwinStage<RejectConveyor<C>, 12, 64, 192, 13>;

/// The good ones' hopper is as fast as the belt allows: 10 s show six bad boxes.
const STEPS: u32 = 10_000;
const ALWAYS: Range<u32> = 0..u32::MAX;
const SEEDS: [u32; 4] = [0, 10, 20, 30];
const PUSHER: u8 = channel::PUSHER as u8;
const LOW: Signal = Signal::Barrier(channel::LOW as u8);
const HIGH: Signal = Signal::Barrier(channel::HIGH as u8);
const GAP: Signal = Signal::Barrier(channel::GAP as u8);
const PUSH: Signal = Signal::Valve(PUSHER);

/// Step it with these faults; returns the stage for a look inside.
fn run<C: ControlConveyor>(seed: u32, steps: u32, faults: &[(Fault, Range<u32>)]) -> Box<Stage<C>> {
    let mut stage = Stage::<C>::new();
    stage.set_seed(seed);
    let mut stage = begun(stage);
    for (fault, steps) in faults {
        stage.add_fault(*fault, steps.clone()).unwrap();
    }
    play(&mut *stage, steps);
    stage
}

/// Key figures with a fault that is always there, for every seed.
fn with_fault(fault: Fault) -> [Kpis; SEEDS.len()] {
    SEEDS.map(|seed| {
        let found = kpis(&*run::<ConveyorControl>(seed, STEPS, &[(fault, ALWAYS)]));
        println!("{fault:?}, seed {seed}: {found:?}");
        found
    })
}

/// Without any.
fn usual() -> &'static [Kpis; SEEDS.len()] {
    static USUAL: OnceLock<[Kpis; SEEDS.len()]> = OnceLock::new();
    USUAL.get_or_init(|| SEEDS.map(|seed| kpis(&*run::<ConveyorControl>(seed, STEPS, &[]))))
}

fn sum(found: &[Kpis], name: &str) -> f32 {
    found.iter().map(|found| found[name]).sum()
}

/// What a controller must do on this conveyor, whatever else it does.
fn check<C: ControlConveyor>(seed: u32, faults: &[(Fault, Range<u32>)]) -> Result<(), String> {
    let found = kpis(&*run::<C>(seed, STEPS, faults));
    let say = |what: &str| Err(format!("{what}: seed {seed}, {found:?}"));
    if found["miscounted"] > 0.0 {
        return say("boxes are counted that are not there, or not counted that are");
    }
    if found["misses"] > 0.0 {
        return say("bad boxes reach the good end");
    }
    if found["false_rejects"] > 0.0 {
        return say("good boxes are pushed off");
    }
    if found["rejected"] < 4.0 || found["good_out"] < 8.0 {
        return say("boxes do not come through");
    }
    Ok(())
}

/// It finds nothing, whatever the seed.
fn passes<C: ControlConveyor>(faults: &[(Fault, Range<u32>)]) {
    for seed in SEEDS {
        assert_eq!(check::<C>(seed, faults), Ok(()));
    }
}

/// It finds this, whatever the seed.
fn is_caught<C: ControlConveyor>(faults: &[(Fault, Range<u32>)], reason: &str) {
    for seed in SEEDS {
        let found = check::<C>(seed, faults).unwrap_err();
        assert!(found.starts_with(reason), "{found}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn bad_boxes_are_pushed_off_and_good_ones_are_not() {
    for seed in SEEDS {
        let stage = run::<ConveyorControl>(seed, 20_000, &[]);
        let found = kpis(&*stage);
        // hoppers: 0.6 bad ones a second; 2.2 good ones, which wait 0.57 s for each bad one: 1.4 a second, less the first's 0.9 s on the belt
        assert!((60.0..95.0).contains(&found["parts_per_minute"]), "{found:?}");
        assert!(found["rejected"] >= 9.0 && found["good_out"] >= 20.0, "{found:?}");
        assert_eq!((found["misses"], found["false_rejects"], found["miscounted"]), (0.0, 0.0, 0.0), "{found:?}");
        assert_eq!((found["yield_share"], found["alarm"]), (1.0, 0.0), "{found:?}");
        let out = found["good_out"] + found["rejected"] + found["misses"] + found["false_rejects"];
        assert_eq!(found["delivered"], out + found["inside"], "{found:?}");
        let control = &stage.script().control;
        // one count a tick at most: none is lost, and the decoder has what the encoder has
        assert_eq!(control.encoder.lost, 0);
        let truth = stage.sensors().encoders[channel::BELT].count;
        assert!((control.encoder.count - truth).abs() <= 1, "{} {truth}", control.encoder.count);
        let Rejector { failed, forgotten, missed, .. } = control.rejector;
        assert_eq!((failed, forgotten, missed), (0, 0, 0));
        // 12 m of belt in 20 s at 0.6 m/s, but for the start
        assert!((11_900..12_000).contains(&truth), "{truth}");
    }
}

#[test]
fn it_fits_a_microcontroller_and_begins_anew_with_the_same_bits() {
    let bytes = size_of::<SmallRejectConveyor>();
    println!("reject-conveyor: {bytes} bytes");
    assert!(bytes <= 96 * 1024, "{bytes}");
    let mut stage = run::<ConveyorControl>(5, 3000, &[]);
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
    let stage = run::<ConveyorControl>(5, 0, &[]);
    let signal = stage.sensors().encoders[channel::BELT];
    assert!(signal.a && !signal.b && signal.count == 0);
    assert!(stage.sensors().cylinders[channel::PUSHER].retracted);
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn misses_rise_with_latency() {
    // the belt goes 0.6 mm a step, the pusher meets boxes within 30 mm of its middle
    let [little, some, all] = [20, 40, 60].map(|steps| with_fault(Fault::Delay(PUSH, steps)));
    // 12 mm late is near enough
    assert_eq!((sum(usual(), "misses"), sum(&little, "misses")), (0.0, 0.0), "{little:?}");
    // 24 mm late it is up to how far a box stands off the middle of the belt
    assert!(sum(&some, "misses") > 0.0 && sum(&some, "rejected") > 0.0, "{some:?}");
    // 36 mm is too late for all
    assert!(sum(&all, "misses") > sum(&some, "misses"), "{all:?}");
    assert_eq!(all.each_ref().map(|found| found["rejected"]), [0.0; SEEDS.len()], "{all:?}");
}

/// Counts the edges of track A alone, and takes two of them for a line.
struct HalfDecoder {
    rest: ConveyorControl,
    a: bool,
    count: i32,
}

impl ControlConveyor for HalfDecoder {
    const NEW: Self = Self { rest: ConveyorControl::NEW, a: false, count: 0 };

    fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind> {
        let a = pins.encoder[0].is_high().unwrap();
        self.count += i32::from(a != self.a);
        self.a = a;
        self.rest.act(pins, self.count)
    }

    fn rejector(&self) -> &Rejector {
        &self.rest.rejector
    }

    fn has_alarm(&self) -> bool {
        self.rest.has_alarm()
    }

    fn encoder_lost(&self) -> u32 {
        0
    }
}

/// Does not look at the encoder: believes that the belt always goes at its speed.
struct ByTheClock {
    rest: ConveyorControl,
    ticks: i32,
}

impl ControlConveyor for ByTheClock {
    const NEW: Self = Self { rest: ConveyorControl::NEW, ticks: 0 };

    fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind> {
        self.ticks += 1;
        self.rest.act(pins, self.ticks * 3 / 5)
    }

    fn rejector(&self) -> &Rejector {
        &self.rest.rejector
    }

    fn has_alarm(&self) -> bool {
        self.rest.has_alarm()
    }

    fn encoder_lost(&self) -> u32 {
        0
    }
}

/// Takes beams as they come.
struct WithoutDebounce(ConveyorControl);

impl ControlConveyor for WithoutDebounce {
    const NEW: Self = {
        let mut control = <ConveyorControl as ControlConveyor>::NEW;
        control.rejector = Rejector::new(PUSH_DISTANCE, PUSH_REACH, 1);
        Self(control)
    };

    fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind> {
        self.0.tick(pins)
    }

    fn rejector(&self) -> &Rejector {
        &self.0.rejector
    }

    fn has_alarm(&self) -> bool {
        self.0.has_alarm()
    }

    fn encoder_lost(&self) -> u32 {
        self.0.encoder.lost
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn an_encoder_decoded_by_one_track_is_caught() {
    passes::<ConveyorControl>(&[]);
    // half the counts: boxes are past the pusher long before it is told
    is_caught::<HalfDecoder>(&[], "bad boxes reach");
}

/// Steps after which the first bad box has been measured.
fn first_bad(seed: u32) -> u32 {
    let mut stage = run::<ConveyorControl>(seed, 0, &[]);
    let mut measured = 0;
    while stage.script().control.rejector.bad == 0 {
        play(&mut *stage, 1);
        measured += 1;
    }
    measured
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_controller_that_goes_by_the_clock_is_caught_when_the_belt_does_not() {
    // as long as the belt goes it works
    passes::<ByTheClock>(&[]);
    for seed in SEEDS {
        let measured = first_bad(seed);
        // between the beams and the pusher the belt's enable drops out for 0.2 s: 120 mm less than the clock says
        let dip = [(Fault::StuckAt(Signal::Belt(0), false), measured..measured + 200)];
        assert_eq!(check::<ConveyorControl>(seed, &dip), Ok(()));
        // pushed too soon
        let found = check::<ByTheClock>(seed, &dip).unwrap_err();
        assert!(found.starts_with("bad boxes reach"), "{found}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_missing_debounce_is_caught_when_beams_bounce() {
    let bounce = [(Fault::Bounce(LOW, 4), ALWAYS)];
    // without bounces nobody sees it
    passes::<WithoutDebounce>(&[]);
    passes::<ConveyorControl>(&bounce);
    is_caught::<WithoutDebounce>(&bounce, "boxes are counted");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_blind_high_beam_lets_bad_boxes_pass() {
    let stuck = with_fault(Fault::StuckAt(HIGH, false));
    for stuck in &stuck {
        assert!(stuck["rejected"] == 0.0 && stuck["misses"] >= 4.0, "{stuck:?}");
        assert_eq!((stuck["false_rejects"], stuck["miscounted"]), (0.0, 0.0), "{stuck:?}");
    }
    // some of the pulses are lost, and some are not
    let lossy = with_fault(Fault::Dropout(HIGH, 0.5));
    assert!((1.0..sum(&stuck, "misses")).contains(&sum(&lossy, "misses")), "{lossy:?}");
    assert!((1.0..sum(usual(), "rejected")).contains(&sum(&lossy, "rejected")), "{lossy:?}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_high_beam_that_is_always_interrupted_costs_yield() {
    for stuck in with_fault(Fault::StuckAt(HIGH, true)) {
        assert!(stuck["misses"] == 0.0 && stuck["good_out"] == 0.0 && stuck["yield_share"] == 0.0, "{stuck:?}");
        assert!(stuck["false_rejects"] >= 8.0, "{stuck:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_low_beam_that_sees_nothing_counts_nothing() {
    for blind in with_fault(Fault::StuckAt(LOW, false)) {
        assert!(blind["rejected"] == 0.0 && blind["misses"] >= 4.0 && blind["miscounted"] >= 12.0, "{blind:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_late_low_beam_makes_misses() {
    // 63 ms are 38 mm of belt
    for late in with_fault(Fault::Delay(LOW, 63)) {
        assert!(late["misses"] >= 1.0, "{late:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn an_encoder_with_a_broken_wire_is_told_and_stops_the_belt() {
    for usual in usual() {
        assert_eq!((usual["encoder_lost"], usual["alarm"]), (0.0, 0.0), "{usual:?}");
    }
    for wire in [Signal::EncoderA(0), Signal::EncoderB(0)] {
        // one track goes up and down by itself: the belt seems to stand
        for stuck in [Fault::StuckAt(wire, false), Fault::StuckAt(wire, true)] {
            for broken in with_fault(stuck) {
                assert_eq!((broken["alarm"], broken["misses"], broken["false_rejects"]), (1.0, 0.0, 0.0), "{broken:?}");
            }
        }
        // edges come together: nobody knows which way
        for bouncing in with_fault(Fault::Bounce(wire, 1)) {
            assert!(bouncing["alarm"] == 1.0 && bouncing["encoder_lost"] > 4.0, "{bouncing:?}");
            assert_eq!((bouncing["misses"], bouncing["false_rejects"]), (0.0, 0.0), "{bouncing:?}");
        }
    }
    // the same for a belt that is told to run and does not
    for stands in with_fault(Fault::StuckAt(Signal::Belt(0), false)) {
        assert_eq!((stands["alarm"], stands["encoder_lost"]), (1.0, 0.0), "{stands:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_wire_that_breaks_under_way_lets_no_bad_box_out() {
    for seed in SEEDS {
        let measured = first_bad(seed);
        // from the beams to the pusher it is 0.32 s: before, while and after it pushes
        for later in (0..480).step_by(40) {
            let faults = [(Fault::StuckAt(Signal::EncoderB(0), false), measured + later..u32::MAX)];
            let mut stage = run::<ConveyorControl>(seed, measured + later + 500, &faults);
            // 200 ms to notice, 150 ms to stop: 165 mm, and it is 200 mm from the pusher to the belt's end
            let truth = |stage: &Stage<ConveyorControl>| stage.sensors().encoders[channel::BELT].count;
            let stopped = truth(&stage);
            let found = play(&mut *stage, 500);
            assert_eq!((found["alarm"], found["misses"]), (1.0, 0.0), "{later}: {found:?}");
            assert_eq!(truth(&stage), stopped, "{later}: the belt goes on");
        }
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_gap_beam_that_is_always_interrupted_lets_no_good_box_on() {
    for (found, usual) in with_fault(Fault::StuckAt(GAP, true)).iter().zip(usual()) {
        // but for the one in the first tick, before which no beam has been seen
        assert!(found["good_out"] <= 1.0 && usual["good_out"] >= 8.0, "{found:?}");
        assert!(found["rejected"] == usual["rejected"] && found["misses"] == 0.0, "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_gap_beam_that_sees_nothing_spoils_good_boxes() {
    for (found, usual) in with_fault(Fault::StuckAt(GAP, false)).iter().zip(usual()) {
        // a bad box keeps 2 · 59 mm of the belt from good ones, which come every 270 mm: two in five of six bad ones are met, in 10 s
        assert!(found["refused"] >= 1.0 && usual["refused"] == 0.0, "{found:?}");
        assert!(found["yield_share"] < 0.96 && usual["yield_share"] == 1.0, "{found:?}");
        // it waits for nothing; what gets onto the belt is far enough apart for beams and pusher
        assert!(found["parts_per_minute"] > usual["parts_per_minute"], "{found:?}");
        assert_eq!((found["misses"], found["false_rejects"], found["miscounted"]), (0.0, 0.0, 0.0), "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_box_on_top_of_another_is_too_tall() {
    for found in with_fault(Fault::DoublePart(channel::GOOD_HOPPER as u8, 1.0)) {
        assert!(found["yield_share"] < 0.7 && found["false_rejects"] >= 8.0, "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_valve_that_loses_pulses_is_noticed() {
    let found = with_fault(Fault::Dropout(PUSH, 0.5));
    for found in &found {
        assert!(found["pusher_failed"] == found["misses"] && found["false_rejects"] == 0.0, "{found:?}");
    }
    assert!(sum(&found, "misses") >= 4.0 && sum(&found, "rejected") >= 4.0, "{found:?}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_pusher_that_does_not_come_out_is_noticed() {
    for seed in SEEDS {
        let found = kpis(&*run::<ConveyorControl>(seed, STEPS, &[(Fault::Jam(PUSHER), 4000..u32::MAX)]));
        assert!(found["rejected"] >= 1.0 && found["misses"] >= 1.0 && found["alarm"] == 0.0, "{found:?}");
        // each stroke since then
        assert!(found["pusher_failed"] >= found["misses"], "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_pusher_that_stays_out_stops_the_belt_until_it_is_back() {
    for (seed, usual) in SEEDS.into_iter().zip(usual()) {
        let mut stage = run::<ConveyorControl>(seed, 0, &[]);
        let mut out = 0;
        while !stage.sensors().cylinders[channel::PUSHER].extended {
            play(&mut *stage, 1);
            out += 1;
        }
        stage.add_fault(Fault::Jam(PUSHER), out..out + 2000).unwrap();
        let found = play(&mut *stage, 2000);
        // 150 ms to notice, 150 ms for the belt to stop: no box has come that far
        assert_eq!((found["alarm"], found["pusher_failed"], found["misses"]), (1.0, 1.0, 0.0), "{found:?}");
        let count = stage.script().control.encoder.count;
        play(&mut *stage, 60);
        assert_eq!(stage.script().control.encoder.count, count, "it goes on before the pusher is in");
        assert_eq!(play(&mut *stage, 40)["alarm"], 0.0);
        // boxes are where they were, and what was due is pushed
        let found = play(&mut *stage, STEPS - out - 2100);
        assert_eq!((found["misses"], found["false_rejects"], found["miscounted"]), (0.0, 0.0, 0.0), "{found:?}");
        assert!(found["rejected"] >= 2.0 && found["parts_per_minute"] < usual["parts_per_minute"], "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_valve_that_stays_on_is_an_alarm() {
    for seed in SEEDS {
        let found = kpis(&*run::<ConveyorControl>(seed, STEPS, &[(Fault::StuckAt(PUSH, true), 4000..u32::MAX)]));
        assert!(found["alarm"] == 1.0 && found["pusher_failed"] == 1.0 && found["misses"] == 0.0, "{found:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn an_end_switch_that_stays_on_is_told() {
    let [inner, outer] = [Signal::Retracted(PUSHER), Signal::Extended(PUSHER)].map(|end| Fault::StuckAt(end, true));
    // out while it is in: the belt does not start
    for found in with_fault(outer) {
        assert_eq!((found["alarm"], found["pusher_failed"], found["misses"]), (1.0, 1.0, 0.0), "{found:?}");
        assert_eq!(found["rejected"] + found["good_out"], 0.0, "{found:?}");
    }
    // in while it is out: at every stroke, which goes well all the same
    for found in with_fault(inner) {
        assert!(found["rejected"] >= 4.0 && found["misses"] == 0.0, "{found:?}");
        assert_eq!(found["pusher_failed"], found["rejected"], "{found:?}");
    }
    for seed in SEEDS {
        let measured = first_bad(seed);
        // before, while and after it pushes
        for later in (200..480).step_by(20) {
            let found =
                kpis(&*run::<ConveyorControl>(seed, measured + later + 1000, &[(outer, measured + later..u32::MAX)]));
            assert!(found["alarm"] == 1.0 && found["pusher_failed"] == 1.0, "{later}: {found:?}");
            assert_eq!(found["misses"], 0.0, "{later}: {found:?}");
        }
    }
}

/// Bad parts, so many ticks apart, by hand: a count a tick, the pusher takes `stroke` ticks each way. Returns counts at which it starts, and what it knows then.
fn push_by_hand(parts: i32, apart: i32, stroke: i32) -> (Vec<i32>, Rejector) {
    let terminals = Terminals::new();
    let mut rejector = Rejector::new(200, 15, 1);
    let (mut place, mut starts) = (0, Vec::new());
    for count in 0..600 {
        let mut sensors = Sensors::NEW;
        let is_part = count / apart < parts && count % apart < 10;
        (sensors.barriers[0].on, sensors.barriers[1].on) = (is_part, is_part);
        (sensors.cylinders[0].retracted, sensors.cylinders[0].extended) = (place == 0, place == stroke);
        terminals.show(&sensors);
        let was = terminals.actuators().valves[0];
        let mut pins = RejectPins {
            low: terminals.barrier(0).unwrap(),
            high: terminals.barrier(1).unwrap(),
            pusher_is_in: terminals.retracted(0).unwrap(),
            pusher_is_out: terminals.extended(0).unwrap(),
            push: terminals.valve(0).unwrap(),
        };
        rejector.tick(&mut pins, count).unwrap();
        let push = terminals.actuators().valves[0];
        if push && !was {
            starts.push(count);
        }
        place = if push { (place + 1).min(stroke) } else { (place - 1).max(0) };
    }
    (starts, rejector)
}

#[test]
fn a_part_that_is_due_while_the_pusher_is_out_is_not_lost() {
    // the first's middle passes at 5
    let (starts, _) = push_by_hand(3, 50, 10);
    assert_eq!(starts, [205, 255, 305]);
    // at whatever tick of the stroke the second is due, among them that in which the pusher is seen out
    for apart in 11..30 {
        let (starts, rejector) = push_by_hand(2, apart, 12);
        assert_eq!((starts.len(), rejector.missed, rejector.failed), (2, 0, 0), "{apart}: {starts:?}");
    }
    // 40 ticks out and back: the second is gone by then
    let (starts, rejector) = push_by_hand(3, 20, 20);
    assert_eq!((starts.len(), rejector.missed, rejector.failed), (2, 1, 0), "{starts:?}");
    let (starts, rejector) = push_by_hand(3, 50, 200);
    // it does not get there in time; by when it is back the others are gone
    assert_eq!((starts, rejector.missed, rejector.failed), (vec![205], 2, 1));
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
