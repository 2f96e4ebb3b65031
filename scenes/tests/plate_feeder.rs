//! The plate feeder does what it is for; bugs planted in its controller are caught; faults show in its key figures.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use playing::{Kpis, begun, play};
use tumble::Error;
use tumble::twin::{Fault, Signal, Terminals};
use tumble_scenes::control::{PlateControl, PlateMode, PlateView};
use tumble_scenes::plate_feeder::{AMPLITUDES, ControlPlate, PlateFeeder, pins, plate_failed};
use tumble_scenes::twin_stage::TwinStage;
use tumble_scenes::{LargePlateFeeder, Scene};

type Stage<C> = TwinStage<PlateFeeder<C>, 17, 128, 384, 21>;

/// Channels as the scene wires them.
const RISE: u8 = 0;
const ALONG: u8 = 2;
/// Frames of the camera, in steps.
const PERIOD: u32 = 20;
/// As many show a whole cycle.
const STEPS: u32 = 3600;

fn stage<C: ControlPlate>() -> Box<Stage<C>> {
    begun(Stage::new())
}

/// The same run with a fault, from the beginning.
fn with_fault(fault: Fault) -> Kpis {
    let mut stage = stage::<PlateControl>();
    stage.add_fault(fault, 0..u32::MAX).unwrap();
    play(&mut *stage, STEPS)
}

/// A plate in one mode.
struct Always<const MODE: u8>;

const MODES: [PlateMode; 4] = [PlateMode::Forward, PlateMode::Backward, PlateMode::Left, PlateMode::Right];

impl<const MODE: u8> ControlPlate for Always<MODE> {
    const NEW: Self = Self;

    fn tick(&mut self, terminals: &Terminals, _view: &PlateView) -> Result<(), Error> {
        pins(terminals)?.set(MODES[usize::from(MODE)], &AMPLITUDES).map_err(plate_failed)
    }

    fn looks_and_ready(&self) -> (u32, u32) {
        (0, 0)
    }
}

/// How far the dice have gone on the mean, ahead and to the left, in m.
fn way<C: ControlPlate>() -> [f32; 2] {
    let mut stage = stage::<C>();
    let middle = |stage: &Stage<C>| {
        let (mut x, mut y, mut dice) = (0.0, 0.0, 0.0);
        stage.world().for_each_body(&mut |_, body| {
            if body.is_dynamic() {
                (x, y, dice) = (x + body.pose().position.x, y + body.pose().position.y, dice + 1.0);
            }
        });
        [x / dice, y / dice]
    };
    let before = middle(&stage);
    play(&mut *stage, 400);
    let after = middle(&stage);
    [after[0] - before[0], after[1] - before[1]]
}

#[test]
fn each_way_to_feed_goes_its_way() {
    // 1.6 mm · 2π · 30 Hz, 80 % of that at most: 0.1 m in 0.4 s, less the start and what the walls hold back
    let far = 0.02;
    let [forward, backward] = [way::<Always<0>>(), way::<Always<1>>()];
    let [left, right] = [way::<Always<2>>(), way::<Always<3>>()];
    let all = [forward, backward, left, right];
    assert!(forward[0] > far && backward[0] < -far, "{all:?}");
    assert!(left[1] > far && right[1] < -far, "{all:?}");
    // and not across
    for (x, y) in [(0, 1), (1, 1), (2, 0), (3, 0)] {
        assert!(all[x][y].abs() < 0.5 * far, "{all:?}");
    }
}

#[test]
fn forty_dice_are_fed_and_turned() {
    let mut stage = Box::new(LargePlateFeeder::new());
    stage.reset().unwrap();
    let kpis = play(&mut *stage, 2500);
    assert_eq!((kpis["dice"], kpis["dice_on_plate"]), (40.0, 40.0), "{kpis:?}");
    // five of six turn, if they fall as they like
    assert!((15.0..=38.0).contains(&kpis["dice_turned_per_flip"]), "{kpis:?}");
    // whichever way the controller sent them, that way they went; the window is a quarter of the plate, and dice are brought there
    let ways = ["forward_per_feed_m", "backward_per_feed_m", "left_per_feed_m", "right_per_feed_m"];
    let fed: Vec<f32> = ways.iter().map(|way| kpis[way]).filter(|way| *way != 0.0).collect();
    assert!(!fed.is_empty() && fed.iter().all(|way| *way > 0.005), "{kpis:?}");
    assert!(kpis["dice_in_window_per_frame"] > 6.0 && kpis["share_in_window"] > 0.15, "{kpis:?}");
    assert!(kpis["deepest_penetration_m"] < 0.2e-3, "{kpis:?}");
}

#[test]
fn a_cycle_brings_dice_into_the_window_and_back() {
    let kpis = play(&mut *stage::<PlateControl>(), STEPS);
    assert!(kpis["forward_per_feed_m"] > 0.02 && kpis["backward_per_feed_m"] > 0.02, "{kpis:?}");
    assert!(kpis["looks"] >= 1.0 && kpis["flips"] >= 1.0 && kpis["dice_turned_per_flip"] > 5.0, "{kpis:?}");
    // what is ready was seen
    assert!(kpis["ready_per_look"] <= 16.0 && kpis["frames"] == 180.0, "{kpis:?}");
}

/// The example controller with another time for dice to come to rest, which a bug comes to.
struct Settles<const TICKS: u32>(PlateControl);

impl<const TICKS: u32> ControlPlate for Settles<TICKS> {
    const NEW: Self = {
        let mut control = <PlateControl as ControlPlate>::NEW;
        control.t_settle = TICKS;
        Self(control)
    };

    fn tick(&mut self, terminals: &Terminals, view: &PlateView) -> Result<(), Error> {
        ControlPlate::tick(&mut self.0, terminals, view)
    }

    fn looks_and_ready(&self) -> (u32, u32) {
        self.0.looks_and_ready()
    }
}

/// Every look must be at a frame that was made while no die moved.
fn looks_at_dice_at_rest<C: ControlPlate>() -> Result<(), String> {
    let mut stage = stage::<C>();
    let (h, settings) = (stage.h(), stage.settings());
    let (mut fastest, mut looks) = (0.0_f32, 0);
    for tick in 0..STEPS {
        let _ = stage.step(h, &settings).unwrap();
        let now = stage.script().control.looks_and_ready().0;
        if now > looks {
            looks = now;
            // no die goes further than a tenth of a millimetre while the shutter is open for 10 ms
            if fastest > 0.01 {
                return Err(format!("tick {tick}: dice moved at {fastest} m/s when the frame was made"));
            }
        }
        // the frame that the controller sees at its next tick
        if tick % PERIOD == 0 {
            fastest = 0.0;
            stage.world().for_each_body(&mut |_, body| {
                let v = body.velocity().linear;
                fastest = if body.is_dynamic() { fastest.max(v.dot(v).sqrt()) } else { fastest };
            });
        }
    }
    if looks > 0 { Ok(()) } else { Err("it never looked".into()) }
}

#[test]
fn a_look_at_dice_that_still_move_is_caught() {
    assert_eq!(looks_at_dice_at_rest::<PlateControl>(), Ok(()));
    let caught = looks_at_dice_at_rest::<Settles<0>>().unwrap_err();
    assert!(caught.contains("dice moved"), "{caught}");
}

#[test]
fn faults_show_in_the_key_figures() {
    let sound = play(&mut *stage::<PlateControl>(), STEPS);
    // a third of the rise: dice hardly jump, and do not turn; nor do they go far
    let weak = with_fault(Fault::AmplitudeLoss(RISE, 0.3));
    assert!(weak["dice_turned_per_flip"] < 0.5 * sound["dice_turned_per_flip"], "{weak:?}");
    assert!(weak["forward_per_feed_m"] < sound["forward_per_feed_m"], "{weak:?}");
    // nothing swings along: dice jump on the spot
    let kpis = with_fault(Fault::StuckAt(Signal::Vibrator(ALONG), false));
    assert!(kpis["forward_per_feed_m"].abs() < 0.02, "{kpis:?}");
}
