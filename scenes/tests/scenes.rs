//! Every scene shows what it is for, and shows it again bit for bit.
//!
//! Small stages only, so that a debug build is quick; the large ones are golden (`golden_scenes.rs`).
#![allow(clippy::disallowed_methods, reason = "a test may panic, and compare with std's functions")]

use tumble::Error;
use tumble::world::StepReport;
use tumble_scenes::{
    LargeShaker, Scene, SmallBalance, SmallBottles, SmallBowl, SmallBrazilNut, SmallCascade, SmallDice, SmallDicePlate,
    SmallGripper, SmallLinearFeeder, SmallMassRatio, SmallPlateFeeder, SmallPyramid, SmallRejectConveyor, SmallSetup,
    SmallShaker, SmallSpringChain, SmallStressDrop, SmallWeighAndDose, SmallWheels,
};

/// A scene just reset.
fn on<S: Scene + 'static>(stage: S) -> Box<dyn Scene> {
    let mut scene: Box<dyn Scene> = Box::new(stage);
    scene.reset().unwrap();
    scene
}

fn all() -> [(&'static str, Box<dyn Scene>); 19] {
    [
        ("shaker", on(SmallShaker::new())),
        ("gripper", on(SmallGripper::new())),
        ("cascade", on(SmallCascade::new())),
        ("bottles", on(SmallBottles::new())),
        ("spring-chain", on(SmallSpringChain::new())),
        ("mass-ratio", on(SmallMassRatio::new())),
        ("stress-drop", on(SmallStressDrop::new())),
        ("brazil-nut", on(SmallBrazilNut::new())),
        ("dice-plate", on(SmallDicePlate::new())),
        ("balance", on(SmallBalance::new())),
        ("pyramid", on(SmallPyramid::new())),
        ("dice", on(SmallDice::new())),
        ("setup", on(SmallSetup::new())),
        ("wheels", on(SmallWheels::new())),
        ("linear-feeder", on(SmallLinearFeeder::new())),
        ("reject-conveyor", on(SmallRejectConveyor::new())),
        ("weigh-and-dose", on(SmallWeighAndDose::new())),
        ("bowl", on(SmallBowl::new())),
        ("plate-feeder", on(SmallPlateFeeder::new())),
    ]
}

/// So many steps as the scene is meant to be stepped; `see` each.
fn run(scene: &mut dyn Scene, steps: u32, mut see: impl FnMut(&StepReport<f32>)) {
    let (h, settings) = (scene.h(), scene.settings());
    for _ in 0..steps {
        see(&scene.step(h, &settings).unwrap());
    }
}

/// The same, where nothing may find no room.
fn run_with_room(scene: &mut dyn Scene, steps: u32) {
    run(scene, steps, |report| assert_eq!((report.contacts_dropped, report.joints_dropped), (0, 0)));
}

fn kpi(scene: &dyn Scene, wanted: &str) -> f32 {
    let mut found = None;
    scene.kpis(&mut |name, value| found = if name == wanted { Some(value) } else { found });
    found.unwrap_or_else(|| panic!("no {wanted}"))
}

#[test]
fn a_scene_begins_anew_with_the_same_bits() {
    for (name, mut scene) in all() {
        let start = scene.state_hash();
        run(&mut *scene, 120, |_| ());
        let end = scene.state_hash();
        assert_ne!(start, end, "{name} does not move");
        scene.reset().unwrap();
        assert_eq!(scene.state_hash(), start, "{name}: another start");
        run(&mut *scene, 120, |_| ());
        assert_eq!(scene.state_hash(), end, "{name}: another end");
    }
}

#[test]
fn another_seed_is_another_run_of_a_twin() {
    macro_rules! differ {
        ($($stage:ty),*) => {$({
            let mut stage = Box::new(<$stage>::new());
            let [shipped, other, again] = [0, 1, 0].map(|seed| {
                stage.set_seed(seed);
                stage.reset().unwrap();
                // a second part has come
                run(&mut *stage, 800, |_| ());
                stage.world().state_hash()
            });
            assert_ne!(other, shipped, stringify!($stage));
            assert_eq!(again, shipped, stringify!($stage));
        })*};
    }
    differ!(SmallLinearFeeder, SmallRejectConveyor, SmallWeighAndDose, SmallBowl, SmallPlateFeeder);
}

#[test]
fn every_state_and_figure_is_finite() {
    for (name, mut scene) in all() {
        run(&mut *scene, 200, |report| {
            assert!(report.solve.energy.is_finite() && report.penetration.is_finite(), "{name}: {report:?}");
        });
        assert!(scene.kinetic_energy().is_finite(), "{name}");
        let mut bodies = 0;
        scene.world().for_each_body(&mut |_, body| {
            assert!(body.pose().is_finite() && body.velocity().is_finite(), "{name}: {body:?}");
            bodies += 1;
        });
        assert_eq!(bodies, scene.body_count(), "{name}");
        let mut names = Vec::new();
        scene.kpis(&mut |kpi, value| {
            assert!(value.is_finite(), "{name}: {kpi} {value}");
            names.push(kpi);
        });
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert!(count > 0 && names.len() == count, "{name}: {names:?}");
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    for (name, mut scene) in all() {
        run(&mut *scene, 5, |_| ());
        let (hash, good) = (scene.state_hash(), scene.settings());
        for (h, error) in [
            (0.0, Error::NonPositive("h")),
            (-1e-3, Error::NonPositive("h")),
            (f32::NAN, Error::NonFinite("h")),
            (f32::INFINITY, Error::NonFinite("h")),
        ] {
            assert_eq!(scene.step(h, &good), Err(error), "{name}");
        }
        let mut bad = good;
        bad.solve.omega = 2.0;
        assert_eq!(scene.step(1e-3, &bad), Err(Error::OutOfRange("omega")), "{name}");
        assert_eq!(scene.state_hash(), hash, "{name}");
        // the steps refused left no trace in what moves as told either
        run(&mut *scene, 5, |_| ());
        let after = scene.state_hash();
        scene.reset().unwrap();
        run(&mut *scene, 10, |_| ());
        assert_eq!(scene.state_hash(), after, "{name}");
    }
}

#[test]
fn small_stages_fit_a_microcontroller() {
    // 128 KiB less a quarter for stack, drivers and the application
    let budget = 96 * 1024;
    for (name, size) in [
        ("shaker", size_of::<SmallShaker>()),
        ("gripper", size_of::<SmallGripper>()),
        ("cascade", size_of::<SmallCascade>()),
        ("bottles", size_of::<SmallBottles>()),
        ("spring-chain", size_of::<SmallSpringChain>()),
        ("mass-ratio", size_of::<SmallMassRatio>()),
        ("stress-drop", size_of::<SmallStressDrop>()),
        ("brazil-nut", size_of::<SmallBrazilNut>()),
        ("dice-plate", size_of::<SmallDicePlate>()),
        ("balance", size_of::<SmallBalance>()),
        ("pyramid", size_of::<SmallPyramid>()),
        ("dice", size_of::<SmallDice>()),
        ("setup", size_of::<SmallSetup>()),
        ("wheels", size_of::<SmallWheels>()),
        ("linear-feeder", size_of::<SmallLinearFeeder>()),
        ("reject-conveyor", size_of::<SmallRejectConveyor>()),
        ("weigh-and-dose", size_of::<SmallWeighAndDose>()),
        ("bowl", size_of::<SmallBowl>()),
        ("plate-feeder", size_of::<SmallPlateFeeder>()),
    ] {
        println!("{name}: {size} bytes");
        assert!(size <= budget, "{name}: {size} bytes");
    }
}

#[test]
fn the_shaker_follows_its_path_and_keeps_its_spheres() {
    let mut scene = on(SmallShaker::new());
    let (mut contacts, mut steps) = (0, 0);
    run(&mut *scene, 100, |_| ());
    run(&mut *scene, 431, |report| {
        assert_eq!(report.contacts_dropped, 0);
        (contacts, steps) = (contacts + report.contacts, steps + 1);
    });
    // the box is the first body; singles: the phase is known to 1e-6, 5 mm to 5e-10 m
    let phase = std::f64::consts::TAU * 8.0 * 0.531;
    let mut tray = None;
    scene.world().for_each_body(&mut |_, body| tray = tray.or(Some(body.pose().position)));
    let tray = tray.unwrap();
    assert!((f64::from(tray.x) - 5e-3 * phase.sin()).abs() < 1e-8, "{tray:?}");
    assert!((f64::from(tray.z) - 1.25e-3 * (2.0 * phase).sin()).abs() < 1e-8, "{tray:?}");
    assert_eq!(kpi(&*scene, "spheres_outside"), 0.0);
    // three layers of 10 mm at most, and about three points of contact a sphere
    assert!(kpi(&*scene, "bed_height_m") < 0.032, "{}", kpi(&*scene, "bed_height_m"));
    let per_sphere = f64::from(contacts) / f64::from(steps) / 48.0;
    assert!((1.5..3.5).contains(&per_sphere), "{per_sphere}");
}

#[test]
fn the_large_shaker_has_thousands_of_points_of_contact() {
    static SHAKER: std::sync::Mutex<LargeShaker> = std::sync::Mutex::new(LargeShaker::new());
    let mut scene = SHAKER.lock().unwrap();
    scene.reset().unwrap();
    let mut most = 0;
    // they have just come to lie close; 6500 a little later. All of it in release, unoptimised it would take minutes
    let steps = if cfg!(debug_assertions) { 60 } else { 500 };
    run(&mut *scene, steps, |report| {
        assert_eq!(report.contacts_dropped, 0);
        most = report.contacts.max(most);
    });
    assert!(most > 5500, "{most}");
}

#[test]
fn the_gripper_centres_the_part_and_holds_it() {
    let mut scene = on(SmallGripper::new());
    run_with_room(&mut *scene, 200);
    // still open: 2.0 mm and 1.2 mm off
    assert!((kpi(&*scene, "off_centre_m") - 2.332e-3).abs() < 1e-5);
    assert_eq!(kpi(&*scene, "fingers_holding"), 0.0);
    run_with_room(&mut *scene, 600);
    assert_eq!(kpi(&*scene, "fingers_holding"), 8.0);
    let closed = kpi(&*scene, "off_centre_m");
    run_with_room(&mut *scene, 700);
    // the table has gone, the part stays where it was; a hundredth of what it was off at first
    let off_centre = kpi(&*scene, "off_centre_m");
    assert!(closed < 2e-5 && off_centre < 2e-5, "{closed} {off_centre}");
    assert!(kpi(&*scene, "drop_m").abs() < 1e-5, "{}", kpi(&*scene, "drop_m"));
    // N cos β less the spring, 8 N sin β = 20 N + 0.4 kg · g, tan β = 0.4; friction of the rollers aside
    let expected = (20.0 + 0.4 * 9.81) / (8.0 * 0.4) - 100.0 * (0.01 + 0.005);
    let grip = kpi(&*scene, "grip_force_mean_n");
    assert!((grip / expected - 1.0).abs() < 0.01, "{grip} N, not {expected}");
}

#[test]
fn the_cascade_ends_in_the_bin() {
    let mut scene = on(SmallCascade::new());
    assert!(kpi(&*scene, "mean_height_m") > 0.35);
    run_with_room(&mut *scene, 2500);
    assert_eq!((kpi(&*scene, "parts"), kpi(&*scene, "parts_in_bin")), (20.0, 20.0));
}

#[test]
fn bottles_queue_up_and_are_packed_upright() {
    let mut scene = on(SmallBottles::new());
    run_with_room(&mut *scene, 850);
    assert_eq!((kpi(&*scene, "bottles_queued"), kpi(&*scene, "bottles_packed")), (6.0, 0.0));
    // six of 60 mm; side by side they take turns by the play between the rails: 6 · (d − √(d² − (2 · 1 mm)²)) = 0.2 mm
    let length = kpi(&*scene, "queue_length_m");
    assert!((length - 0.36).abs() < 1e-3, "{length}");
    run_with_room(&mut *scene, 1250);
    assert_eq!((kpi(&*scene, "bottles_queued"), kpi(&*scene, "bottles_packed")), (0.0, 6.0));
    assert_eq!(kpi(&*scene, "bottles_upright"), 6.0);
}

#[test]
fn the_spring_chain_swings_and_comes_to_hang() {
    let mut scene = on(SmallSpringChain::new());
    let at_rest = kpi(&*scene, "static_sag_m");
    assert!((at_rest - 0.1 * 9.81 * 16.0 * 17.0 / 2.0 / 400.0).abs() < 1e-6);
    let mut most = 0.0;
    for _ in 0..100 {
        run_with_room(&mut *scene, 10);
        most = kpi(&*scene, "sag_m").max(most);
    }
    assert!(most > 1.2 * at_rest, "{most}");
    run_with_room(&mut *scene, 2000);
    // the slowest mode, 6 rad/s and 0.3 of critical damping, has gone down by e^−5 to less than 1 %
    let sag = kpi(&*scene, "sag_m");
    assert!((sag / at_rest - 1.0).abs() < 0.01, "{sag}, not {at_rest}");
}

#[test]
fn heavy_bodies_stand_on_light_ones() {
    let mut scene = on(SmallMassRatio::new());
    let steps = scene.steps();
    run_with_room(&mut *scene, steps);
    for tower in ["pair", "stack"] {
        // 10 µm a level count as touching: five of them in the stack
        let (now, worst) = (kpi(&*scene, &format!("{tower}_sink_m")), kpi(&*scene, &format!("{tower}_sink_max_m")));
        assert!(now.abs() < 5e-5 && worst < 1e-4, "{tower}: {now} {worst}");
    }
}

#[test]
fn stress_drops_what_finds_no_room_and_goes_on() {
    let mut scene = on(SmallStressDrop::new());
    // bodies, colliders, joints
    assert_eq!(kpi(&*scene, "refused"), 3.0);
    let (mut dropped, mut want_contacts, mut want_rows) = (0, 0, 0);
    run(&mut *scene, 600, |report| {
        assert_eq!(report.joints_dropped, 0);
        assert!(report.contacts <= 64);
        dropped += report.contacts_dropped;
        // there are more than 64 points; there are not even rows for 64
        want_contacts += u32::from(report.contacts + report.contacts_dropped > 64);
        want_rows += u32::from(report.contacts < 64 && report.contacts_dropped > 0);
    });
    assert!(dropped > 1000 && want_contacts > 100 && want_rows > 100, "{dropped} {want_contacts} {want_rows}");
    assert_eq!(kpi(&*scene, "contacts_dropped"), dropped as f32);
    assert_eq!(kpi(&*scene, "bodies_finite"), 25.0);
    // the deepest contacts act: nothing has left the bin by more than a cube
    assert!(kpi(&*scene, "lowest_m") > -0.02, "{}", kpi(&*scene, "lowest_m"));
}

#[test]
fn the_nut_rises() {
    let mut scene = on(SmallBrazilNut::new());
    // once everything has fallen together, before the second tap
    run_with_room(&mut *scene, 199);
    let above = kpi(&*scene, "grains_above_nut");
    assert!(above > 10.0, "{above}");
    run_with_room(&mut *scene, 3801);
    // the bed is about 20 mm high, the nut 18 mm: it lies on a grain at least
    let (height, still_above) = (kpi(&*scene, "nut_height_m"), kpi(&*scene, "grains_above_nut"));
    assert!(height > 5e-3 && still_above < above / 2.0, "{height} m, {still_above} of {above} above");
}

#[test]
fn dice_stay_on_the_plate_and_turn_over() {
    let mut scene = on(SmallDicePlate::new());
    let dice = kpi(&*scene, "dice");
    assert_eq!((dice, kpi(&*scene, "dice_on_a_face"), kpi(&*scene, "dice_turned")), (16.0, 16.0, 0.0));
    let steps = scene.steps();
    for _ in 0..steps / 100 {
        run_with_room(&mut *scene, 100);
        assert_eq!(kpi(&*scene, "dice_on_plate"), dice);
        // none is lower than on a face, none upon another, but for what they jump: (2πfA)²/2g = 3 mm, and a half more off an edge
        let height = kpi(&*scene, "mean_height_m");
        assert!((0.0079..0.0145).contains(&height), "{height}");
    }
    // a step at 0.5 m/s is 0.5 mm: what is knocked on within it goes that far at most
    let deepest = kpi(&*scene, "deepest_penetration_m");
    assert!(deepest < 5e-4, "{deepest}");
    assert!(kpi(&*scene, "dice_turned") >= 4.0, "{}", kpi(&*scene, "dice_turned"));
}
