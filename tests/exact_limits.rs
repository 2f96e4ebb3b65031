//! The exact solver at its limits: rows that contradict, repeat or move nothing, masses decades apart, caps, clocks and capacities that run out, working memory that has seen
//! other problems. Whatever comes, an answer is finite, inside its sets, no worse than its start, within the cap, and says what stopped it.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use std::cmp::Ordering;
use support::adversary::{attacks, settings as any_settings};
use support::exact::{Small, apart, to_the_end};
use support::{Block, Body, Built, Law, Scene, check_admissible, everything, scenes};
use tumble::math::{Real, Vec3, Vec6};
use tumble::rig::ScriptedClock;
use tumble::rows::{Admissible, Friction, RowInput};
use tumble::solve::Exact;
use tumble::{Budget, Error, FrictionModel, Problem, Report, Settings, Start, Status};

const CCP: FrictionModel = FrictionModel::Ccp;
const NCP: FrictionModel = FrictionModel::Ncp;

fn body(mass: f64, v_free: [f64; 6]) -> Body {
    let mut inverse_mass = [[0.0; 6]; 6];
    (0..6).for_each(|i| inverse_mass[i][i] = 1.0 / mass);
    Body { inverse_mass, v_free }
}

fn along(axis: usize, size: f64) -> Vec6<f64> {
    let mut half = [0.0; 6];
    half[axis] = size;
    Vec6::from(half)
}

/// Velocity of a body along an axis, to the ground or to the body before it.
fn row(a: usize, b: Option<usize>, axis: usize, e: f64, law: Admissible<f64>) -> Block {
    let row = RowInput { target_velocity: e, ..RowInput::new(along(axis, 1.0), along(axis, -1.0)) };
    Block { a, b, law: Law::Row(law), rows: vec![row] }
}

/// What holds of every answer.
fn check<R: Real, const B: usize, const N: usize>(
    blocks: &[Block],
    built: &Built<R, B, N>,
    report: &Report<R>,
    settings: &Settings<R>,
) -> Result<(), TestCaseError> {
    prop_assert!(built.velocities().iter().chain(&built.impulses()).all(|x| x.is_finite()), "{report:?}");
    prop_assert!(
        !report.energy.to_f64().is_nan() && !report.violation.to_f64().is_nan() && !report.bound.to_f64().is_nan()
    );
    prop_assert!(report.iterations <= settings.iterations, "{report:?}");
    check_admissible::<R>(blocks, &built.impulses())
}

// ---- contradictions ----------------------------------------------------------------------------------------------------------------

/// Each of these asks for what cannot be; a second body, far from it all, lands on the floor.
fn contradictions() -> Vec<(&'static str, Scene)> {
    use Admissible::{Bilateral, Unilateral};
    let scene = |blocks: Vec<Block>| {
        let landing = row(1, None, 2, 0.0, Unilateral);
        let bodies = vec![body(1.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]), body(2.0, [0.0, 0.0, -3.0, 0.0, 0.0, 0.0])];
        Scene { bodies, blocks: blocks.into_iter().chain([landing]).collect() }
    };
    let pushed = |mut block: Block| {
        block.rows[0].jacobian_a = -block.rows[0].jacobian_a;
        block
    };
    vec![
        ("two joints, two speeds", scene(vec![row(0, None, 0, 1.0, Bilateral), row(0, None, 0, -1.0, Bilateral)])),
        (
            "three joints of which two agree",
            scene(vec![
                row(0, None, 0, 1.0, Bilateral),
                row(0, None, 0, 1.0, Bilateral),
                row(0, None, 0, -1.0, Bilateral),
            ]),
        ),
        (
            "stops that close on a part",
            scene(vec![row(0, None, 2, 1.0, Unilateral), pushed(row(0, None, 2, 1.0, Unilateral))]),
        ),
        ("a joint against a stop", scene(vec![row(0, None, 2, -1.0, Bilateral), row(0, None, 2, 1.0, Unilateral)])),
    ]
}

#[test]
fn contradictions_are_found_out() {
    for (name, scene) in contradictions() {
        for model in [CCP, NCP] {
            let settings = to_the_end::<f64>(model);
            let mut built = scene.build::<f64>();
            let start = built.energy_of_start(&settings);
            let report = built.solve_exactly(&settings);
            check(&scene.blocks, &built, &report, &settings).unwrap();
            assert_eq!(report.status, Status::Infeasible, "{name}: {report:?}");
            assert!(report.energy > 0.1 && report.energy <= start, "{name}: {report:?}, start {start}");
            // what has nothing to do with it is obeyed
            let landed = built.velocities()[8];
            assert!(landed.abs() < 1e-14, "{name}: {landed}");

            let settings = to_the_end::<f32>(model);
            let mut built = scene.build::<f32>();
            let report = built.solve_exactly(&settings);
            check(&scene.blocks, &built, &report, &settings).unwrap();
            assert_eq!(report.status, Status::Infeasible, "{name}, f32: {report:?}");
            assert!(built.velocities()[8].abs() < 1e-6, "{name}, f32");
        }
    }
}

/// With compliance nothing contradicts: springs share it out. Two joints at ±1 m/s: v = 0 by symmetry.
#[test]
fn what_gives_way_contradicts_nothing() {
    for (name, mut scene) in contradictions() {
        scene.blocks.iter_mut().for_each(|block| block.rows[0].compliance = 0.01);
        let settings = to_the_end::<f64>(CCP);
        let mut built = scene.build::<f64>();
        let start = built.energy_of_start(&settings);
        let report = built.solve_exactly(&settings);
        check(&scene.blocks, &built, &report, &settings).unwrap();
        assert!(report.energy <= (64.0 * f64::EPSILON).powi(2) * start, "{name}: {report:?}");
    }
}

// ---- rows that move nothing or repeat -------------------------------------------------------------------------------------------------

#[test]
fn rows_that_move_nothing() {
    // w = c γ − e: a spring on nothing
    let nothing = |e: f64, law: Admissible<f64>| {
        let row = RowInput { target_velocity: e, compliance: 0.5, ..RowInput::new(Vec6::ZERO, Vec6::ZERO) };
        Block { a: 0, b: None, law: Law::Row(law), rows: vec![row] }
    };
    let blocks = vec![
        nothing(2.0, Admissible::Bilateral),
        nothing(2.0, Admissible::Unilateral),
        nothing(-2.0, Admissible::Unilateral),
        nothing(2.0, Admissible::Bounded { lo: -1.0, hi: 1.0 }),
        row(0, None, 2, 0.0, Admissible::Unilateral),
    ];
    let scene = Scene { bodies: vec![body(1.0, [0.0, 0.0, -1.0, 0.0, 0.0, 0.0])], blocks };
    let settings = to_the_end::<f64>(CCP);
    let mut built = scene.build::<f64>();
    let report = built.solve_exactly(&settings);
    check(&scene.blocks, &built, &report, &settings).unwrap();
    for (ours, expected) in built.impulses().into_iter().zip([4.0, 4.0, 0.0, 1.0, 1.0]) {
        assert!((ours - expected).abs() < 1e-14, "{ours} for {expected}: {report:?}");
    }
}

/// A body that cannot move along x or turn about z: its rows see the other one alone.
#[test]
fn bodies_that_are_immovable_some_ways() {
    let mut held = body(1.0, [0.5, -1.0, -1.0, 0.0, 0.0, 3.0]);
    held.inverse_mass[0][0] = 0.0;
    held.inverse_mass[5][5] = 0.0;
    let blocks = vec![
        row(1, Some(0), 0, 0.0, Admissible::Bilateral),
        row(1, Some(0), 5, 0.0, Admissible::Bilateral),
        row(0, None, 1, 0.0, Admissible::Unilateral),
        row(1, Some(0), 2, 0.0, Admissible::Unilateral),
    ];
    let scene = Scene { bodies: vec![held, body(2.0, [0.0, 0.0, -4.0, 0.0, 0.0, 0.0])], blocks };
    let mut built = scene.build::<f64>();
    let settings = to_the_end::<f64>(CCP);
    let report = built.solve_exactly(&settings);
    check(&scene.blocks, &built, &report, &settings).unwrap();
    // along z: 1 kg at −1 and 2 kg at −4 go on together at −3
    let expected = [0.5, 0.0, -3.0, 0.0, 0.0, 3.0, 0.5, 0.0, -3.0, 0.0, 0.0, 3.0];
    assert!(apart(&built.velocities(), &expected) < 1e-14, "{:?} {report:?}", built.velocities());
}

#[test]
fn a_contact_a_hundred_times() {
    let contact = |k: usize| {
        let friction =
            [Friction::Cone { mu: 0.5 }, Friction::Polygon { mu: 0.5, corners: 8 }, Friction::Pyramid { mu: 0.5 }]
                [k % 3];
        let rows = RowInput::contact(Vec3::new(0.0, 0.0, 1.0), Vec3::default(), Vec3::default()).to_vec();
        Block { a: 0, b: None, law: Law::Contact(friction), rows }
    };
    let scene =
        Scene { bodies: vec![body(1.0, [0.1, -0.05, -1.0, 0.0, 0.0, 0.0])], blocks: (0..20).map(contact).collect() };
    for model in [CCP, NCP] {
        let settings = to_the_end::<f64>(model);
        let mut built = scene.build::<f64>();
        let report = built.solve_exactly(&settings);
        check(&scene.blocks, &built, &report, &settings).unwrap();
        // it sticks, whoever carries it
        assert!(apart(&built.velocities(), &[0.0; 6]) < 1e-13, "{:?} {report:?}", built.velocities());
    }
}

// ---- masses ---------------------------------------------------------------------------------------------------------------------------

/// n parts on top of each other, masses by turns 1 and `ratio`, or growing from one to `ratio`, that fall at 1 cm/s onto the floor.
fn tower(n: usize, ratio: f64, growing: bool) -> Scene {
    let fall = [0.0, 0.0, -0.01, 0.0, 0.0, 0.0];
    let mass = |k: usize| match growing {
        true => ratio.powf(k as f64 / (n - 1) as f64),
        false => {
            if k.is_multiple_of(2) {
                1.0
            } else {
                ratio
            }
        }
    };
    let blocks = (0..n).map(|k| row(k, k.checked_sub(1), 2, 0.0, Admissible::Unilateral));
    Scene { bodies: (0..n).map(|k| body(mass(k), fall)).collect(), blocks: blocks.collect() }
}

#[test]
fn masses_decades_apart() {
    for n in [2, 3, 6] {
        for growing in [true, false] {
            for ratio in [1e3, 1e6] {
                let scene = tower(n, ratio, growing);
                let settings = to_the_end::<f64>(CCP);
                let mut built = scene.build::<f64>();
                let report = built.solve_exactly(&settings);
                check(&scene.blocks, &built, &report, &settings).unwrap();
                let speed = built.velocities().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                // a heavy part's impulse rounds, and a light one takes it up: ratio · ε of the speed
                assert!(speed <= 4.0 * ratio * f64::EPSILON * 0.01, "{n} {ratio:e} {growing}: {speed:e} {report:?}");

                let settings = to_the_end::<f32>(CCP);
                let mut built = scene.build::<f32>();
                let report = built.solve_exactly(&settings);
                check(&scene.blocks, &built, &report, &settings).unwrap();
                let speed = built.velocities().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                let right = speed <= 4.0 * ratio * f64::from(f32::EPSILON) * 0.01;
                // at 1e6 a δ of 2e-5 hides the light part: then it must say that it is not there yet
                let said =
                    matches!(report.status, Status::Infeasible | Status::Stalled | Status::Cap) && report.energy > 1e-9;
                assert!(right || ratio > 1e3 && said, "{n} {ratio:e} {growing}: {speed:e}, {report:?}");
            }
        }
    }
}

// ---- caps, clocks ------------------------------------------------------------------------------------------------------------------------

/// Rows of every kind: a leaning pile of six parts, with a joint, a motor, a belt and rolling friction.
fn pile() -> Scene {
    let up = Vec3::new(0.0, 0.0, 1.0);
    let mut scene = Scene { bodies: Vec::new(), blocks: Vec::new() };
    for i in 0..6_usize {
        let drift = 0.3 * ((i * 7 % 5) as f64 - 2.0);
        scene.bodies.push(body([1.0, 0.1, 5.0][i % 3], [drift, 0.2, -1.0, drift, -drift, 0.5]));
        for (k, (x, y)) in [(0.5, 0.1), (-0.4, 0.5), (-0.1, -0.6)].into_iter().enumerate() {
            let rows = RowInput::contact(up, Vec3::new(x, y, -0.5), Vec3::new(x, y, 0.5)).to_vec();
            let friction = match (i + k) % 4 {
                0 => Friction::Cone { mu: 0.4 },
                1 => Friction::Pyramid { mu: 0.3 },
                2 => Friction::Polygon { mu: 0.5, corners: 7 },
                _ => Friction::Box { mu: 0.2 },
            };
            scene.blocks.push(Block { a: i, b: i.checked_sub(1), law: Law::Contact(friction), rows });
        }
    }
    scene.blocks.push(row(5, Some(3), 0, 0.1, Admissible::Bilateral));
    scene.blocks.push(row(4, None, 1, 0.5, Admissible::Bounded { lo: -0.2, hi: 0.1 }));
    let pair = row(4, None, 3, 0.0, Admissible::Bilateral);
    let rows = vec![pair.rows[0], RowInput::new(along(4, 1.0), Vec6::ZERO)];
    scene.blocks.push(Block { law: Law::Pair { mu: 0.3 }, rows, ..pair });
    scene
}

#[test]
fn every_cap() {
    let scene = pile();
    for model in [CCP, NCP] {
        let settings = to_the_end::<f64>(model);
        let start = scene.build::<f64>();
        let energy_of_start = start.energy_of_start(&settings);
        let uncapped = start.clone().solve_exactly(&settings);
        assert!(uncapped.iterations > 10, "so few pivots show nothing: {uncapped:?}");
        for iterations in 0..uncapped.iterations + 2 {
            let settings = Settings { iterations, ..settings };
            let mut built = start.clone();
            let report = built.solve_exactly(&settings);
            check(&scene.blocks, &built, &report, &settings).unwrap();
            assert!(report.energy <= energy_of_start, "{iterations}: {report:?}, start {energy_of_start:e}");
            // at the very cap something may be left to refine
            let expected = match iterations.cmp(&uncapped.iterations) {
                Ordering::Less => report.status == Status::Cap,
                Ordering::Equal => report.status == Status::Cap || report.status == uncapped.status,
                Ordering::Greater => report == uncapped,
            };
            assert!(expected, "{iterations}: {report:?} {uncapped:?}");
            // what is reported is that of the answer
            let again = Settings { method: tumble::Method::Psor, start: Start::Warm, iterations: 0, ..settings };
            let energy = built.solve(&again).energy;
            assert!((energy - report.energy).abs() <= 1e-9 * energy + 1e-25, "{energy:e} {report:?}");
        }
    }
}

fn every_reading<R: Real>() {
    let scene = pile();
    for model in [CCP, NCP] {
        let settings = to_the_end::<R>(model);
        let start = scene.build::<R>();
        let energy_of_start = start.energy_of_start(&settings);
        let in_time = start.clone().solve_exactly(&settings);
        let mut exact = Box::new(Small::<R>::new());
        // every one of the first hundred, then one in so many
        for k in (1..100).chain((100..).step_by(if model == CCP { 7 } else { 61 })) {
            let mut clock = ScriptedClock::new(1).expiring_at(k);
            let mut built = start.clone();
            let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
            let report = built.problem.solve_exactly_within(&mut exact, &settings, &mut budget).unwrap();
            check(&scene.blocks, &built, &report, &settings).unwrap();
            assert!(report.energy.to_f64() <= energy_of_start, "{k}: {report:?}");
            if clock.readings() < k {
                assert!(k > 10, "so few readings show nothing");
                assert_eq!((report.status, report.iterations), (in_time.status, in_time.iterations));
                break;
            }
            let expected = if k == 1 { in_time.status } else { Status::Deadline };
            assert_eq!(report.status, expected, "{k}: {report:?}");
            assert!(k == 1 || clock.readings_after_expiry() <= 2, "{k}: {} readings", clock.readings_after_expiry());
        }
    }
}

#[test]
fn time_may_run_out_at_every_reading() {
    every_reading::<f64>();
    every_reading::<f32>();
}

/// Spheres one on the other without friction, three rows between any two, every other one heavy: few moves solve it, and any of them may be cut off.
fn simple_tower(bodies: usize) -> Scene {
    let fall = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
    let rows = |k: usize| (0..3).map(move |_| row(k, k.checked_sub(1), 2, 0.0, Admissible::Unilateral));
    let mass = |k: usize| if k.is_multiple_of(2) { 1.0 } else { 1000.0 };
    Scene { bodies: (0..bodies).map(|k| body(mass(k), fall)).collect(), blocks: (0..bodies).flat_map(rows).collect() }
}

#[test]
fn what_is_cut_off_is_what_its_report_says() {
    let mut exact = Box::new(Small::<f32>::new());
    for scene in (1..=5).map(simple_tower) {
        let settings = to_the_end::<f32>(CCP);
        let start = scene.build::<f32>();
        let energy_of_start = start.energy_of_start(&settings);
        for k in 1.. {
            let mut clock = ScriptedClock::new(1).expiring_at(k);
            let mut built = start.clone();
            let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
            let report = built.problem.solve_exactly_within(&mut exact, &settings, &mut budget).unwrap();
            check(&scene.blocks, &built, &report, &settings).unwrap();
            // impulses as they are, and velocities made of them anew
            let again = Settings { method: tumble::Method::Psor, start: Start::Warm, iterations: 0, ..settings };
            let energy = f64::from(built.solve(&again).energy);
            // velocities round by ε a thousand times, masses being so unlike: their energy by the square of it, 1e-8
            let rounding = 1e-7 * energy_of_start;
            assert!((energy - f64::from(report.energy)).abs() <= rounding, "{k}: {energy:e} J, {report:?}");
            if clock.readings() < k {
                break;
            }
        }
    }
}

/// Speeds whose squares overflow in `R`: the energy of every start is infinite.
fn overflowing<R: Real>(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    let fast = if R::BYTES == 4 { 1e25 } else { 1e200 };
    for block in &mut scene.blocks {
        block.rows.iter_mut().for_each(|row| row.target_velocity = fast);
    }
    scene
}

fn deadline_energy_is_finite_for<R: Real>(scene: &Scene) {
    let mut deadlines = 0;
    for (model, warm) in [(CCP, false), (CCP, true), (NCP, false), (NCP, true)] {
        let settings = to_the_end::<R>(model);
        let mut start = scene.build::<R>();
        if warm {
            let _ = start.solve(&Settings { iterations: 3, start: Start::Cold, ..settings });
        }
        let settings = Settings { start: if warm { Start::Warm } else { Start::Cold }, ..settings };
        for k in (1..120).chain((120..).step_by(211)) {
            // empty memory each time, so that the deadline may fall into the ordering
            let mut exact = Box::new(Small::<R>::new());
            let mut clock = ScriptedClock::new(1).expiring_at(k);
            let mut built = start.clone();
            let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
            let report = built.problem.solve_exactly_within(&mut exact, &settings, &mut budget).unwrap();
            check(&scene.blocks, &built, &report, &settings).unwrap();
            let finite = report.energy.is_finite() && report.violation.is_finite() && report.gain.is_finite();
            assert_eq!(finite, report.status != Status::NonFinite, "{k}, warm {warm}: {report:?}");
            deadlines += u32::from(report.status == Status::Deadline);
            if clock.readings() < k {
                break;
            }
        }
    }
    // an overflow is never called a deadline
    let overflows = scene.blocks.iter().any(|block| block.rows[0].target_velocity > 1e20);
    assert_eq!(deadlines == 0, overflows, "{deadlines}");
}

#[test]
fn deadline_always_reports_a_finite_energy_error() {
    for scene in [pile(), simple_tower(5)] {
        deadline_energy_is_finite_for::<f32>(&scene);
        deadline_energy_is_finite_for::<f64>(&scene);
        deadline_energy_is_finite_for::<f32>(&overflowing::<f32>(&scene));
        deadline_energy_is_finite_for::<f64>(&overflowing::<f64>(&scene));
    }
}

// ---- capacities --------------------------------------------------------------------------------------------------------------------------

/// Refused, and nothing has changed: now or later.
fn refuses<const UNKNOWNS: usize, const NONZEROS: usize>(error: Error, scene: &Scene) {
    let mut exact = Box::new(Exact::<f64, 8, UNKNOWNS, NONZEROS>::new());
    for settings in
        [to_the_end(CCP), Settings { method: tumble::Method::Psor, ..Settings::default() }, Settings::default()]
    {
        let mut untouched = scene.build::<f64>();
        let _ = untouched.solve(&Settings { iterations: 3, ..settings });
        let mut built = untouched.clone();
        assert_eq!(built.problem.solve_exactly(&mut exact, &settings), Err(error));
        assert_eq!(built.bits(), untouched.bits(), "{error:?} left a trace");
        for built in [&mut built, &mut untouched] {
            let _ = built.solve(&settings);
        }
        assert_eq!(built.bits(), untouched.bits(), "{error:?} left a hidden trace");
    }
    // what refused it is as good as new for something smaller
    let small = tower(2, 1.0, true);
    let (mut ours, mut fresh) = (small.build::<f64>(), small.build::<f64>());
    let report = ours.problem.solve_exactly(&mut exact, &to_the_end(CCP)).unwrap();
    assert_eq!(report, fresh.solve_exactly(&to_the_end(CCP)));
    assert_eq!(ours.bits(), fresh.bits());
}

#[test]
fn too_little_room() {
    let scene = pile();
    let rows = scene.row_count();
    assert_eq!(rows, 58);
    refuses::<57, 3200>(Error::CapacityExceeded("rows of the exact solver"), &scene);
    refuses::<2, 3200>(Error::CapacityExceeded("rows of the exact solver"), &scene);
    let mut exact = Box::new(Small::<f64>::new());
    let mut built = scene.build::<f64>();
    let _ = built.problem.solve_exactly(&mut exact, &to_the_end(CCP)).unwrap();
    // as many as it said, and one less
    assert_eq!(exact.nonzeros(), 705);
    let mut just = Box::new(Exact::<f64, 8, 58, 705>::new());
    let mut again = scene.build::<f64>();
    let _ = again.problem.solve_exactly(&mut just, &to_the_end(CCP)).unwrap();
    assert_eq!(again.bits(), built.bits());
    refuses::<58, 704>(Error::CapacityExceeded("non-zeros"), &scene);
    refuses::<58, 1>(Error::CapacityExceeded("non-zeros"), &scene);
}

/// A hub takes six unknowns more than its rows.
#[test]
fn a_hub_needs_room_too() {
    let blocks = (0..40_usize).map(|k| row(k % 7 + 1, Some(0), k % 6, 0.1, Admissible::Unilateral));
    let scene = Scene { bodies: (0..8).map(|_| body(1.0, [-1.0; 6])).collect(), blocks: blocks.collect() };
    refuses::<45, 3200>(Error::CapacityExceeded("rows of the exact solver"), &scene);
    let mut exact = Box::new(Exact::<f64, 8, 46, 3200>::new());
    let report = scene.build::<f64>().problem.solve_exactly(&mut exact, &to_the_end(CCP)).unwrap();
    assert!(report.energy < 1e-25, "{report:?}");
}

#[test]
fn nothing_to_solve() {
    let mut exact = Exact::<f32, 0, 0, 0>::new();
    let report = Problem::<f32, 0, 0>::new().solve_exactly(&mut exact, &Settings::default()).unwrap();
    assert_eq!((report.status, report.energy, report.iterations), (Status::Converged, 0.0, 0));
    let unusable = Settings { tolerance: f32::NAN, ..Settings::default() };
    let refused = Problem::<f32, 0, 0>::new().solve_exactly(&mut exact, &unusable);
    assert_eq!(refused, Err(Error::NonFinite("tolerance")));
}

// ---- memory that has seen other problems ----------------------------------------------------------------------------------------------------

/// Solved in `exact` and in new memory: the same bits.
fn as_if_new<R: Real>(exact: &mut Small<R>, built: &Built<R>, settings: &Settings<R>) -> Result<(), TestCaseError> {
    let (mut ours, mut fresh) = (built.clone(), built.clone());
    let report = ours.problem.solve_exactly(exact, settings).unwrap();
    let new = fresh.solve_exactly(settings);
    prop_assert_eq!((report.status, report.iterations), (new.status, new.iterations));
    prop_assert_eq!(report.energy.to_f64().to_bits(), new.energy.to_f64().to_bits());
    prop_assert_eq!(ours.bits(), fresh.bits());
    Ok(())
}

/// Rows moved from one group to its neighbour, bodies swapped, rows of one contact told one by one: patterns that look alike.
fn look_alikes() -> Vec<Scene> {
    use Admissible::{Bilateral, Unilateral};
    let bodies = |n: usize| (0..n).map(|k| body(1.0 + k as f64, [0.1, -0.2, -1.0, 0.3, 0.0, 0.2])).collect::<Vec<_>>();
    let scene = |ends: &[(usize, Option<usize>)], law: Admissible<f64>| {
        let blocks = ends.iter().enumerate().map(|(k, &(a, b))| row(a, b, k % 6, 0.1 * k as f64, law));
        Scene { bodies: bodies(4), blocks: blocks.collect() }
    };
    let (x, y, z, g) = ((0, Some(1)), (1, Some(2)), (2, Some(3)), (0, None));
    let up = RowInput::contact(Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.1, 0.2, -0.5), Vec3::new(0.1, 0.2, 0.5)).to_vec();
    let contact = |mu| Block { a: 1, b: Some(0), law: Law::Contact(Friction::Cone { mu }), rows: up.clone() };
    let single = |k: usize| Block { a: 1, b: Some(0), law: Law::Row(Unilateral), rows: vec![up[k]] };
    vec![
        scene(&[x, x, y, z], Bilateral),
        scene(&[x, y, y, z], Bilateral),
        scene(&[x, y, z, z], Bilateral),
        scene(&[x, y, z, z], Unilateral),
        scene(&[x, x, y, z, g], Bilateral),
        scene(&[x, x, y], Bilateral),
        scene(&[x, x], Bilateral),
        scene(&[x], Bilateral),
        scene(&[], Bilateral),
        scene(&[x, x, x], Unilateral),
        scene(&[x, x, y, y, z, z, x, x], Bilateral),
        scene(&[x, x, y, y, y, z, x, x], Bilateral),
        scene(&[(1, Some(0)), y, z], Bilateral),
        Scene { bodies: bodies(4), blocks: vec![contact(0.5), single(0)] },
        Scene { bodies: bodies(4), blocks: vec![single(0), single(1), single(2), single(0)] },
        Scene { bodies: bodies(4), blocks: vec![single(0), contact(0.2)] },
    ]
}

#[test]
fn any_problem_after_any_other() {
    let scenes = look_alikes();
    for model in [CCP, NCP] {
        for first in &scenes {
            for second in &scenes {
                let mut exact = Box::new(Small::<f64>::new());
                for scene in [first, second, first] {
                    as_if_new(&mut exact, &scene.build(), &to_the_end(model)).unwrap();
                }
            }
        }
    }
}

/// A layout that fails on the way must not be taken for known when the same problem comes again, nor spoil the one before.
#[test]
fn any_problem_after_one_that_had_no_room() {
    let settings = to_the_end::<f64>(CCP);
    let scenes = look_alikes();
    let large = pile();
    for scene in &scenes {
        let mut exact = Box::new(Exact::<f64, 8, 58, 60>::new());
        for _ in 0..2 {
            let mut ours = scene.build::<f64>();
            let mut fresh = ours.clone();
            let report = ours.problem.solve_exactly(&mut exact, &settings).unwrap();
            assert_eq!(report, fresh.solve_exactly(&settings));
            assert_eq!(ours.bits(), fresh.bits());
            for _ in 0..2 {
                let refused = large.build::<f64>().problem.solve_exactly(&mut exact, &settings);
                assert_eq!(refused, Err(Error::CapacityExceeded("non-zeros")));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_same_bits_in_used_memory(scenes in prop::collection::vec(scenes(everything()), 2..5), again in 0..4_usize) {
        let mut exact = Box::new(Small::<f64>::new());
        for scene in scenes.iter().chain([&scenes[again % scenes.len()]]) {
            for model in [CCP, NCP] {
                as_if_new(&mut exact, &scene.build(), &to_the_end(model))?;
            }
        }
    }

    /// The same pattern with other numbers: first such as overflow.
    #[test]
    fn the_same_bits_after_an_overflow(attack in attacks(308.0), scale in 0..3_u8, settings in any_settings()) {
        let mut exact = Box::new(Small::<f64>::new());
        let mut built = Built::<f64>::new(&attack.bodies);
        let blocks: Vec<Block> = attack.blocks.iter().filter(|block| built.add(block).is_ok()).cloned().collect();
        built.set_impulses(&attack.impulses);
        let settings = Settings { iterations: settings.iterations * 10, ..settings };
        let report = built.problem.solve_exactly(&mut exact, &settings).unwrap();
        check(&blocks, &built, &report, &settings)?;
        // tame numbers in the same places
        let mut tame = Scene { bodies: attack.bodies.iter().map(|_| body(1.0, [1.0, 0.5, -1.0, 0.3, -0.1, 0.2])).collect(), blocks };
        for (k, block) in tame.blocks.iter_mut().enumerate() {
            for (j, row) in block.rows.iter_mut().enumerate() {
                let half = |s: usize| Vec6::from(std::array::from_fn::<f64, 6, _>(|i| ((i * 5 + k * 3 + j * 7 + s + usize::from(scale)) % 9) as f64 - 3.5));
                *row = RowInput { target_velocity: 0.1 * j as f64, ..RowInput::new(half(0), half(4)) };
            }
            if let Law::Row(Admissible::Bounded { .. }) = block.law {
                block.law = Law::Row(Admissible::Unilateral);
            }
        }
        as_if_new(&mut exact, &tame.build(), &to_the_end(CCP))?;
    }

    #[test]
    fn attacks_in_single_precision(attack in attacks(38.0), settings in any_settings()) {
        let mut exact = Box::new(Small::<f32>::new());
        let mut built = Built::<f32>::new(&attack.bodies);
        let blocks: Vec<Block> = attack.blocks.iter().filter(|block| built.add(block).is_ok()).cloned().collect();
        built.set_impulses(&attack.impulses.iter().map(|x| x.clamp(-1e38, 1e38)).collect::<Vec<f64>>());
        let settings = Settings {
            iterations: settings.iterations * 10,
            tolerance: settings.tolerance as f32,
            friction: settings.friction,
            start: settings.start,
            ..Settings::default()
        };
        let report = built.problem.solve_exactly(&mut exact, &settings).unwrap();
        check(&blocks, &built, &report, &settings)?;
    }

    /// Whatever the numbers and whenever the clock expires.
    #[test]
    fn attacked_deadlines_report_a_finite_energy_error(attack in attacks(38.0), model in prop_oneof![Just(CCP), Just(NCP)], k in 1..80_u32) {
        let mut exact = Box::new(Small::<f32>::new());
        let mut built = Built::<f32>::new(&attack.bodies);
        let blocks: Vec<Block> = attack.blocks.iter().filter(|block| built.add(block).is_ok()).cloned().collect();
        built.set_impulses(&attack.impulses.iter().map(|x| x.clamp(-1e38, 1e38)).collect::<Vec<f64>>());
        let settings = to_the_end::<f32>(model);
        let mut clock = ScriptedClock::new(1).expiring_at(k);
        let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
        let report = built.problem.solve_exactly_within(&mut exact, &settings, &mut budget).unwrap();
        check(&blocks, &built, &report, &settings)?;
        prop_assert!(report.energy.is_finite() || report.status == Status::NonFinite, "{report:?}");
    }
}
