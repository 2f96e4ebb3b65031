//! The plate feeder does what it is for; bugs planted in its controller are caught; faults show in its key figures: whatever the seed.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

mod playing;

use embedded_hal::digital::{ErrorKind, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use playing::{Kpis, begun, play};
use std::sync::OnceLock;
use tumble::twin::{Actuators, Fault, Signal, Terminals};
use tumble_scenes::control::{DrivePins, PlateControl, PlateLooks, PlateMode, PlatePins, PlateView};
use tumble_scenes::plate_feeder::{AMPLITUDES, ControlPlate, PlateFeeder};
use tumble_scenes::twin_stage::TwinStage;
use tumble_scenes::{LargePlateFeeder, Scene};

type Stage<C> = TwinStage<PlateFeeder<C>, 17, 128, 384, 21>;

/// Channels as the scene wires them.
const RISE: u8 = 0;
const ALONG: u8 = 2;
/// Frames of the camera, in steps.
const PERIOD: u32 = 20;
/// As many show two looks.
const STEPS: u32 = 5600;
const SEEDS: [u32; 4] = [0, 10, 20, 30];

fn stage<C: ControlPlate>(seed: u32) -> Box<Stage<C>> {
    let mut stage = Stage::new();
    stage.set_seed(seed);
    begun(stage)
}

/// Without a fault, for every seed.
fn usual() -> &'static [Kpis; SEEDS.len()] {
    static USUAL: OnceLock<[Kpis; SEEDS.len()]> = OnceLock::new();
    USUAL.get_or_init(|| SEEDS.map(|seed| play(&mut *stage::<PlateControl>(seed), STEPS)))
}

/// The same runs with a fault, from the beginning.
fn with_fault(fault: Fault) -> [Kpis; SEEDS.len()] {
    SEEDS.map(|seed| {
        let mut stage = stage::<PlateControl>(seed);
        stage.add_fault(fault, 0..u32::MAX).unwrap();
        let found = play(&mut *stage, STEPS);
        println!("{fault:?}, seed {seed}: {found:?}");
        found
    })
}

fn sum(found: &[Kpis], name: &str) -> f32 {
    found.iter().map(|found| found[name]).sum()
}

/// A plate in one mode.
struct Always<const MODE: u8>;

const MODES: [PlateMode; 4] = [PlateMode::Forward, PlateMode::Backward, PlateMode::Left, PlateMode::Right];

impl<const MODE: u8> ControlPlate for Always<MODE> {
    const NEW: Self = Self;

    fn set_dice(&mut self, _dice: u8) {}

    fn tick<O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut PlatePins<O, D>,
        _view: &PlateView,
    ) -> Result<(), ErrorKind> {
        pins.set(MODES[usize::from(MODE)], &AMPLITUDES)
    }

    fn looks(&self) -> PlateLooks {
        PlateLooks::NEW
    }
}

/// How far the dice have gone on the mean, ahead and to the left, in m.
fn way<C: ControlPlate>(seed: u32) -> [f32; 2] {
    let mut stage = stage::<C>(seed);
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
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn each_way_to_feed_goes_its_way() {
    // 1.6 mm · 2π · 30 Hz, 80 % of that at most: 0.1 m in 0.4 s, less the start and what the walls hold back
    let far = 0.02;
    for seed in SEEDS {
        let [forward, backward] = [way::<Always<0>>(seed), way::<Always<1>>(seed)];
        let [left, right] = [way::<Always<2>>(seed), way::<Always<3>>(seed)];
        let all = [forward, backward, left, right];
        assert!(forward[0] > far && backward[0] < -far, "{all:?}");
        assert!(left[1] > far && right[1] < -far, "{all:?}");
        // and not across
        for (x, y) in [(0, 1), (1, 1), (2, 0), (3, 0)] {
            assert!(all[x][y].abs() < 0.5 * far, "{all:?}");
        }
    }
}

#[test]
fn dice_begin_with_any_face_up() {
    let mut wanted = 0;
    for seed in 0..12 {
        stage::<PlateControl>(seed).world().for_each_body(&mut |_, body| {
            let up = body.pose().orientation.inverse().turn(tumble::math::Vec3::new(0.0, 0.0, 1.0));
            let most = up.x.abs().max(up.y.abs()).max(up.z.abs());
            assert!(!body.is_dynamic() || most > 0.9999, "{up:?}");
            wanted += i32::from(body.is_dynamic() && up.z > 0.9999);
        });
    }
    // a sixth of 192, to three standard deviations
    assert!((32_i32 - wanted).abs() <= 15, "{wanted}");
}

/// What drives are in: those that run, with their amplitudes, as the table of modes has it.
fn mode_of(actuators: &Actuators) -> PlateMode {
    let percent = |channel: usize| {
        let drive = &actuators.vibrators[channel];
        if drive.run { (drive.amplitude_percent + 0.5) as u8 } else { 0 }
    };
    match [0, 1, 2, 3].map(percent) {
        [0, 0, 0, 0] => PlateMode::Still,
        [100, 0, 0, 0] => PlateMode::Flip,
        [20, 0, 80, 0] => PlateMode::Forward,
        [0, 20, 80, 0] => PlateMode::Backward,
        [20, 0, 0, 80] => PlateMode::Left,
        [0, 20, 0, 80] => PlateMode::Right,
        drives => panic!("{drives:?}"),
    }
}

/// Moves that the example controller makes in so many ticks, by hand, with ticks that each lasts. A frame every 20 ticks, what it shows as told by tick.
fn by_hand(ticks: u32, show: impl Fn(u32) -> PlateView) -> (Vec<(PlateMode, u32)>, PlateLooks) {
    let terminals = Terminals::new();
    let mut control = PlateControl::new(AMPLITUDES, 10);
    let (mut view, mut before) = (PlateView::default(), PlateMode::Still);
    let mut moves: Vec<(PlateMode, u32)> = Vec::new();
    for tick in 0..ticks {
        if tick % PERIOD == 0 {
            view = PlateView { frame: tick / PERIOD, ..show(tick) };
        }
        let drive = |channel: usize| DrivePins {
            run: terminals.vibrator(channel).unwrap(),
            amplitude: terminals.amplitude(channel).unwrap(),
        };
        let mut pins = PlatePins { rise: drive(0), rise_opposite: drive(1), along: drive(2), across: drive(3) };
        control.tick(&mut pins, &view).unwrap();
        let mode = mode_of(&terminals.actuators());
        if mode != PlateMode::Still {
            if mode == before {
                moves.last_mut().unwrap().1 += 1;
            } else {
                moves.push((mode, 1));
            }
        }
        before = mode;
    }
    (moves, control.looks)
}

/// Few dice in the window, so far to the left.
fn few(left: f32) -> PlateView {
    PlateView { in_window: 4, seen: 4, face_up: 1, left, ..PlateView::default() }
}

/// As many as are enough.
fn enough() -> PlateView {
    PlateView { in_window: 10, seen: 10, face_up: 2, ..PlateView::default() }
}

/// 400 + 1200 + 150 + 500 ticks of moves, 250 after each, and up to a frame for the look.
const CYCLE: u32 = 3280;

#[test]
fn dice_off_the_middle_are_sent_back_to_it() {
    use PlateMode::{Backward, Flip, Forward, Left, Right};
    // on the left to the right, on the right to the left; 15 mm to either side are left alone
    for (left, to) in [(0.016, Some(Right)), (-0.016, Some(Left)), (0.014, None), (-0.014, None)] {
        let (moves, looks) = by_hand(CYCLE, |_| few(left));
        let centre = to.map(|to| (to, 150));
        let cycle = [Some((Flip, 400)), Some((Forward, 1200)), centre, Some((Backward, 500))];
        let whole = moves.iter().take(cycle.iter().flatten().count()).copied();
        assert!(whole.eq(cycle.into_iter().flatten()), "{left}: {moves:?}");
        assert_eq!(looks, PlateLooks { count: 1, in_window: 4, seen: 4, ready: 1 }, "{left}");
    }
}

#[test]
fn it_feeds_until_there_are_enough() {
    use PlateMode::{Backward, Flip, Forward};
    let forward = |show: &dyn Fn(u32) -> PlateView| {
        let (moves, looks) = by_hand(CYCLE, show);
        assert!(moves[0] == (Flip, 400) && looks.count >= 1, "{moves:?}");
        moves
    };
    // dice are in the back: as long as it may
    assert_eq!(forward(&|_| few(0.0))[1], (Forward, 1200));
    // it begins after 400 + 250 ticks and the one that ends them: the tick that shows enough is the first that it stands
    let came = 1000;
    let fed = forward(&|tick| if tick < came { few(0.0) } else { enough() });
    assert_eq!(fed[1..3], [(Forward, came - 651), (Backward, 500)], "{fed:?}");
    // dice that roll out of the window again do not start it again
    let rolled = forward(&|tick| if tick == came { enough() } else { few(0.0) });
    assert_eq!(rolled[1..3], fed[1..3], "{rolled:?}");
    // they are all in the front: it need not feed
    assert_eq!(forward(&|_| enough())[1], (Backward, 500));
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn the_yield_is_of_dice_with_poses_and_they_are_centred_the_way_the_camera_says() {
    let (mut seen, mut ready, mut centred) = (0.0, 0.0, 0);
    for seed in SEEDS {
        let mut stage = Box::new(LargePlateFeeder::new());
        stage.set_seed(seed);
        stage.reset().unwrap();
        let (h, settings) = (stage.h(), stage.settings());
        let (mut looks, mut left, mut of_seed) = (0, 0.0, [0.0; 2]);
        // two looks
        for _ in 0..5600 {
            let _ = stage.step(h, &settings).unwrap();
            let now = stage.script().control.looks().count;
            if now > looks {
                looks = now;
                // the frame that was looked at: the next one is 20 ms off
                let frame = stage.sensors().camera;
                let poses = &frame.poses[..frame.seen.into()];
                // more in the window than there are poses for
                assert!(poses.len() == 16 && frame.unseen > 0, "{seed}: {} {}", frame.seen, frame.unseen);
                let up = |pose: &&tumble::math::Pose<f32>| {
                    pose.orientation.turn(tumble::math::Vec3::new(0.0, 0.0, 1.0)).z > 0.9962
                };
                of_seed[0] += 16.0;
                of_seed[1] += poses.iter().filter(up).count() as f32;
                left = poses.iter().map(|pose| pose.position.y).sum::<f32>() / 16.0;
            }
            match mode_of(stage.actuators()) {
                PlateMode::Left => assert!(left < -0.015, "{seed}: {left}"),
                PlateMode::Right => assert!(left > 0.015, "{seed}: {left}"),
                _ => continue,
            }
            centred += 1;
        }
        let kpis = playing::kpis(&*stage);
        println!("{seed}: {of_seed:?} {kpis:?}");
        assert_eq!((kpis["yield_share"], kpis["seen_per_look"]), (of_seed[1] / of_seed[0], 16.0), "{kpis:?}");
        // what has no pose is in the window all the same
        assert!(kpis["window_per_look"] > 16.0, "{kpis:?}");
        (seen, ready) = (seen + of_seed[0], ready + of_seed[1]);
    }
    assert!(centred > 0, "never off the middle");
    // fair dice, turned between looks: a sixth, to three standard deviations of as many as had poses
    let (share, deviation) = (ready / seen, (5.0 / 36.0 / seen).sqrt());
    assert!((share - 1.0 / 6.0).abs() < 3.0 * deviation, "{share} ± {deviation}");
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn forty_dice_are_fed_and_turned() {
    for seed in SEEDS {
        let mut stage = Box::new(LargePlateFeeder::new());
        stage.set_seed(seed);
        stage.reset().unwrap();
        // until the first look
        let kpis = play(&mut *stage, 2400);
        println!("{seed}: {kpis:?}");
        assert_eq!((kpis["delivered"], kpis["inside"]), (40.0, 40.0), "{kpis:?}");
        // five of six turn, if they fall as they like
        assert!((15.0..=38.0).contains(&kpis["turned_per_flip"]), "{kpis:?}");
        // the window is a quarter of the plate: dice are brought there
        assert!(kpis["looks"] >= 1.0 && kpis["window_per_look"] >= 18.0, "{kpis:?}");
        assert!(kpis["forward_m"] > 0.02, "{kpis:?}");
        // whichever way the controller sent them, that way they went
        for way in ["backward_m", "left_m", "right_m"] {
            assert!(kpis[way] == 0.0 || kpis[way] > 0.005, "{way}: {kpis:?}");
        }
        assert!(kpis["penetration_m"] < 0.2e-3, "{kpis:?}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_cycle_brings_dice_into_the_window_and_back() {
    for kpis in usual() {
        println!("{kpis:?}");
        assert_eq!((kpis["delivered"], kpis["inside"]), (16.0, 16.0), "{kpis:?}");
        assert!(kpis["forward_m"] > 0.02 && kpis["backward_m"] > 0.02, "{kpis:?}");
        assert!(kpis["looks"] >= 2.0 && kpis["flips"] >= 1.0 && kpis["turned_per_flip"] > 5.0, "{kpis:?}");
        // twice as many as lie in a quarter of the plate by themselves
        assert!(kpis["window_per_look"] > 8.0, "{kpis:?}");
        assert_eq!(kpis["frames"], (STEPS / PERIOD) as f32, "{kpis:?}");
    }
    // a die in six lies as wanted: to three standard deviations of as many as were seen
    let seen = usual().iter().map(|kpis| kpis["seen_per_look"] * kpis["looks"]).sum::<f32>();
    let ready = usual().iter().map(|kpis| kpis["yield_share"] * kpis["seen_per_look"] * kpis["looks"]).sum::<f32>();
    assert!((ready - seen / 6.0).abs() < 3.0 * (seen * 5.0 / 36.0).sqrt(), "{ready} of {seen}");
}

/// The example controller with another time for dice to come to rest, which a bug comes to.
struct Settles<const TICKS: u32>(PlateControl);

impl<const TICKS: u32> ControlPlate for Settles<TICKS> {
    const NEW: Self = {
        let mut control = <PlateControl as ControlPlate>::NEW;
        control.t_settle = TICKS;
        Self(control)
    };

    fn set_dice(&mut self, dice: u8) {
        self.0.set_dice(dice);
    }

    fn tick<O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut PlatePins<O, D>,
        view: &PlateView,
    ) -> Result<(), ErrorKind> {
        self.0.tick(pins, view)
    }

    fn looks(&self) -> PlateLooks {
        self.0.looks
    }
}

/// Every look must be at a frame that was made while no die moved.
fn looks_at_dice_at_rest<C: ControlPlate>(seed: u32) -> Result<(), String> {
    let mut stage = stage::<C>(seed);
    let (h, settings) = (stage.h(), stage.settings());
    let (mut fastest, mut looks) = (0.0_f32, 0);
    for tick in 0..2400 {
        let _ = stage.step(h, &settings).unwrap();
        let now = stage.script().control.looks().count;
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
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn a_look_at_dice_that_still_move_is_caught() {
    for seed in SEEDS {
        assert_eq!(looks_at_dice_at_rest::<PlateControl>(seed), Ok(()), "{seed}");
        let caught = looks_at_dice_at_rest::<Settles<0>>(seed).unwrap_err();
        assert!(caught.contains("dice moved"), "{caught}");
    }
}

#[test]
#[cfg_attr(debug_assertions, ignore = "several seeds: in a release build")]
fn faults_of_drives_cost_throughput() {
    // a third of the rise: dice hardly jump, and do not turn
    let weak = Fault::AmplitudeLoss(RISE, 0.3);
    let faults = [
        weak,
        // nothing swings along: dice jump on the spot
        Fault::StuckAt(Signal::Vibrator(ALONG), false),
        // friction is gone when it begins to feed
        Fault::FrictionDrift(RISE, -1.5),
    ];
    for fault in faults {
        let found = with_fault(fault);
        for (found, usual) in found.iter().zip(usual()) {
            assert!(found["forward_m"] < 0.8 * usual["forward_m"], "{fault:?}: {found:?} {usual:?}");
            assert!(found["window_per_look"] < 0.8 * usual["window_per_look"], "{fault:?}: {found:?} {usual:?}");
            assert_eq!(found["inside"], 16.0, "{fault:?}: {found:?}");
            if fault == weak {
                assert!(found["turned_per_flip"] < 0.5 * usual["turned_per_flip"], "{found:?} {usual:?}");
            }
        }
        let [with, without] = [sum(&found, "parts_per_minute"), sum(usual(), "parts_per_minute")];
        println!("{fault:?}: {with} of {without}");
        assert!(with < without, "{fault:?}: {with} {without} {found:?}");
    }
}
