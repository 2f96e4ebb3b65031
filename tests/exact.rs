//! The exact solver is right: on rows with bounds it agrees with a search through every active set, on joints with dense elimination, on
//! problems that make pivoting methods visit 2ⁿ corners with their known answers.
//!
//! Tolerances. A row is at rest when its velocity is within 16 roundings of the sum of its parts; what that does to v is the condition of the rows that carry. The
//! generators draw numbers of size one, so that parts are of size ten, and keep pivots above 1e-9 of the largest in the search: 1e-9 in v is some ten
//! thousand roundings above what is expected and some ten thousand times below what a wrong active set changes. In single precision there is no such gap for every
//! problem: there the energy error is asserted, and v where rows are well apart.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::exact::{apart, by_elimination, by_every_active_set, to_the_end};
use support::oracle::Dense;
use support::solved::{choices, solved};
use support::{Block, Body, Law, Scene, check_admissible, frictionless, scenes};
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, RowInput};
use tumble::{FrictionModel, Report, Settings, Status};

const CCP: FrictionModel = FrictionModel::Ccp;

/// Report, velocities and impulses.
type Solved<R> = (Report<R>, Vec<f64>, Vec<f64>);

/// The cap, numbers, sets and the start are respected, whatever the answer.
fn sound<R: Real>(scene: &Scene, settings: &Settings<R>) -> Result<Solved<R>, TestCaseError> {
    let mut built = scene.build::<R>();
    let start = built.energy_of_start(settings);
    let report = built.solve_exactly(settings);
    prop_assert!(built.velocities().iter().chain(&built.impulses()).all(|x| x.is_finite()));
    prop_assert!(report.iterations <= settings.iterations, "{report:?}");
    prop_assert!(report.energy.to_f64() <= start, "{report:?}, start {start:e}");
    check_admissible::<R>(&scene.blocks, &built.impulses())?;
    Ok((report, built.velocities(), built.impulses()))
}

// ---- every active set -----------------------------------------------------------------------------------------------------------

/// How a row depends on others before it.
#[derive(Clone, Copy, Debug)]
enum Copied {
    /// the same row again, another law or the same
    Again,
    /// times a number
    Times(f64),
    /// sum of two, where both are on the same bodies
    Sum,
}

fn copied() -> impl Strategy<Value = (Copied, usize, usize, bool)> {
    let how = prop_oneof![
        Just(Copied::Again),
        prop_oneof![Just(-1.0), 0.2..3.0_f64].prop_map(Copied::Times),
        Just(Copied::Sum)
    ];
    (how, 0..12_usize, 0..12_usize, any::<bool>())
}

/// At most twelve rows, at most four of them with two bounds, some made of others.
fn redundant(rigid: bool) -> impl Strategy<Value = Scene> {
    (scenes(frictionless()), prop::collection::vec(copied(), 0..=4)).prop_map(move |(mut scene, copies)| {
        for (how, first, second, same_law) in copies {
            let (first, second) = (first % scene.blocks.len(), second % scene.blocks.len());
            let mut copy = scene.blocks[first].clone();
            let other = scene.blocks[second].clone();
            let scale = |row: &mut RowInput<f64>, factor: f64| {
                row.jacobian_a = row.jacobian_a * factor;
                row.jacobian_b = row.jacobian_b * factor;
                row.target_velocity *= factor;
            };
            match how {
                Copied::Again => {}
                Copied::Times(factor) => scale(&mut copy.rows[0], factor),
                Copied::Sum if first != second && (copy.a, copy.b) == (other.a, other.b) => {
                    let more = other.rows[0];
                    let sum = RowInput {
                        jacobian_a: copy.rows[0].jacobian_a + more.jacobian_a,
                        jacobian_b: copy.rows[0].jacobian_b + more.jacobian_b,
                        target_velocity: copy.rows[0].target_velocity + more.target_velocity,
                        ..more
                    };
                    // a row and what undoes it leave nothing
                    if sum.jacobian_a.dot(sum.jacobian_a) > 0.1 {
                        copy.rows[0] = sum;
                    }
                }
                Copied::Sum => {}
            }
            if !same_law {
                copy.law = other.law;
            }
            scene.blocks.push(copy);
        }
        let mut bounded = 0;
        for block in &mut scene.blocks {
            if rigid {
                block.rows[0].compliance = 0.0;
            }
            if matches!(block.law, Law::Row(Admissible::Bounded { lo, hi }) if lo.is_finite() && lo < hi) {
                bounded += 1;
                if bounded > 4 {
                    block.law = Law::Row(Admissible::Unilateral);
                }
            }
        }
        scene
    })
}

fn agrees_with_every_active_set(scene: &Scene) -> Result<(), TestCaseError> {
    let dense = Dense::new(scene);
    let (report, v, _) = sound::<f64>(scene, &to_the_end(CCP))?;
    let Some((gamma, miss)) = by_every_active_set(&dense).filter(|(_, miss)| *miss < 1e-9) else {
        // no impulses obey all laws
        prop_assert!(matches!(report.status, Status::Infeasible | Status::Stalled | Status::Cap), "{report:?}");
        prop_assert!(report.energy > 1e-9, "{report:?}, but no active set solves it");
        return Ok(());
    };
    let expected = dense.velocity(&gamma);
    let off = apart(&v, &expected);
    prop_assert!(off < 1e-9, "v is off by {off:e} (search: {miss:e}): {report:?}");
    prop_assert!(matches!(report.status, Status::Stalled | Status::Converged), "{report:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// As drawn: with many rows on few bodies some of these contradict each other.
    #[test]
    fn as_a_search_through_all_active_sets(scene in redundant(false)) {
        agrees_with_every_active_set(&scene)?;
    }

    /// Made around an answer, so that there is one, however many rows depend on each other.
    #[test]
    fn as_a_search_where_rows_depend_on_each_other(scene in redundant(true), choices in choices()) {
        let (scene, _) = solved(scene, &choices, CCP);
        agrees_with_every_active_set(&scene)?;
    }

    /// The same without any search: v is unique, and known.
    #[test]
    fn as_the_answer_it_was_made_around(scene in redundant(true), choices in choices()) {
        let (scene, gamma) = solved(scene, &choices, CCP);
        let (report, v, _) = sound::<f64>(&scene, &to_the_end(CCP))?;
        let off = apart(&v, &Dense::new(&scene).velocity(&gamma));
        prop_assert!(off < 1e-9, "off by {off:e}: {report:?}");
    }

    /// With compliance in every row impulses are unique, too.
    #[test]
    fn impulses_where_they_are_unique(scene in redundant(false), choices in choices(), give in 0.05..0.5_f64) {
        let mut scene = scene;
        scene.blocks.iter_mut().for_each(|block| block.rows[0].compliance += give);
        let (scene, gamma) = solved(scene, &choices, CCP);
        let (report, _, ours) = sound::<f64>(&scene, &to_the_end(CCP))?;
        // N + c is at least 0.05
        let off = apart(&ours, &gamma);
        prop_assert!(off < 1e-10, "off by {off:e}: {report:?}");
    }

    /// Single precision: energy is what can be promised, (64 roundings)² of the start's, with room for redundant rows whose impulses grow; v to its root.
    #[test]
    fn in_single_precision(scene in redundant(true), choices in choices()) {
        let (scene, gamma) = solved(scene, &choices, CCP);
        let settings = to_the_end::<f32>(CCP);
        let start = scene.build::<f32>().energy_of_start(&settings);
        let (report, v, _) = sound::<f32>(&scene, &settings)?;
        prop_assert!(f64::from(report.energy) <= 1e-8 * start + 1e-12, "{report:?} start {start:e}");
        let off = apart(&v, &Dense::new(&scene).velocity(&gamma));
        prop_assert!(off < 1e-2, "off by {off:e}: {report:?}");
    }

    /// Joints only, any that do not depend on each other: a direct solver, without a single pivot.
    #[test]
    fn joints_alone_as_dense_elimination(scene in scenes(Just(Law::Row(Admissible::Bilateral)))) {
        let Some(expected) = by_elimination(&scene) else { return Ok(()) };
        let (report, v, _) = sound::<f64>(&scene, &to_the_end(CCP))?;
        let off = apart(&v, &expected);
        prop_assert!(off < 1e-8, "off by {off:e}: {report:?}");
        prop_assert_eq!(report.iterations, 0);
    }
}

// ---- problems that are hard for pivoting methods -----------------------------------------------------------------------------------

/// Rows `j·x` on the twelve numbers of two bodies of unit mass: `N = J Jᵀ`, and `w = Nγ + q` with `e = −q`.
fn on_two_bodies(rows: &[(Vec<f64>, f64)], v_free: [f64; 12], law: Admissible<f64>) -> Scene {
    let mut one = [[0.0; 6]; 6];
    (0..6).for_each(|i| one[i][i] = 1.0);
    let body = |half: usize| Body { inverse_mass: one, v_free: std::array::from_fn(|i| v_free[6 * half + i]) };
    let blocks = rows.iter().map(|(j, target_velocity)| {
        let half =
            |half: usize| Vec6::from(std::array::from_fn::<f64, 6, _>(|i| j.get(6 * half + i).copied().unwrap_or(0.0)));
        let row = RowInput { target_velocity: *target_velocity, ..RowInput::new(half(0), half(1)) };
        Block { a: 0, b: Some(1), law: Law::Row(law), rows: vec![row] }
    });
    Scene { bodies: vec![body(0), body(1)], blocks: blocks.collect() }
}

/// Impulses to start from: every row, none, every other one, …, so many at once.
fn starts(rows: usize) -> Vec<Vec<f64>> {
    let patterns: [fn(usize) -> bool; 6] =
        [|_| false, |_| true, |i| i % 2 == 0, |i| i % 2 == 1, |i| i % 3 == 0, |i| i > 5];
    patterns.iter().map(|p| (0..rows).map(|i| if p(i) { 1.0 + i as f64 } else { 0.0 }).collect()).collect()
}

/// Fathi's problem (Computational complexity of LCPs associated with positive definite symmetric matrices, 1979): Murty's exponential problem made symmetric,
/// `M = L Lᵀ` with 1 on the diagonal of L and 2 below, `q = −1`. Its answer is `γ = (1, 0, …, 0)`; Murty's and Lemke's methods take 2ⁿ pivots.
#[test]
fn fathis_exponential_problem() {
    for n in 2..=12_usize {
        let row = |i: usize| (0..=i).map(|j| if i == j { 1.0 } else { 2.0 }).collect::<Vec<f64>>();
        for reversed in [false, true] {
            let mut rows: Vec<(Vec<f64>, f64)> = (0..n).map(|i| (row(i), 1.0)).collect();
            if reversed {
                rows.reverse();
            }
            let scene = on_two_bodies(&rows, [0.0; 12], Admissible::Unilateral);
            for start in starts(n) {
                let mut built = scene.build::<f64>();
                built.set_impulses(&start);
                let settings = Settings { start: tumble::Start::Warm, ..to_the_end(CCP) };
                let report = built.solve_exactly(&settings);
                // L has no small singular value to speak of, N's least is above 1e-2: γ to a hundred roundings
                let first = if reversed { n - 1 } else { 0 };
                for (i, gamma) in built.impulses().into_iter().enumerate() {
                    let expected = if i == first { 1.0 } else { 0.0 };
                    assert!((gamma - expected).abs() < 1e-12, "{n}: γ_{i} = {gamma}, {report:?}");
                }
                assert!(report.iterations <= 4 * n as u32, "{n}: {report:?}");
            }
        }
    }
}

/// Klee and Minty's cube, `ε x_(j−1) ≤ x_j ≤ 1 − ε x_(j−1)`, and a body that wants far up along the last axis. The nearest point is the vertex that the linear
/// program ends at, `(0, …, 0, 1)`, for any speed above 1.
#[test]
fn klee_and_mintys_cube() {
    for n in 2..=12_usize {
        for epsilon in [0.1, 0.3, 0.49] {
            for speed in [1.5, 100.0, 1e4] {
                let (mut rows, mut v_free) = (Vec::new(), [0.0; 12]);
                for j in 0..n {
                    let mut lower = vec![0.0; n];
                    lower[j] = 1.0;
                    let mut upper = vec![0.0; n];
                    upper[j] = -1.0;
                    if j > 0 {
                        lower[j - 1] = -epsilon;
                        upper[j - 1] = -epsilon;
                    }
                    rows.extend([(lower, 0.0), (upper, -1.0)]);
                }
                v_free[n - 1] = speed;
                let scene = on_two_bodies(&rows, v_free, Admissible::Unilateral);
                for start in starts(2 * n) {
                    let mut built = scene.build::<f64>();
                    built.set_impulses(&start);
                    let report = built.solve_exactly(&Settings { start: tumble::Start::Warm, ..to_the_end(CCP) });
                    for (i, v) in built.velocities().into_iter().enumerate() {
                        let expected = if i == n - 1 { 1.0 } else { 0.0 };
                        // v_free rounds, and so does what takes it away
                        assert!((v - expected).abs() < 1e-13 * speed, "{n} {epsilon} {speed}: v_{i} = {v}, {report:?}");
                    }
                    assert!(report.iterations <= 8 * n as u32, "{n} {epsilon} {speed}: {report:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Forty half-spaces through one point in twelve dimensions, each up to three times, and a velocity that wants out: whatever comes in, hardly anything moves.
    #[test]
    fn degenerate_corners(rows in prop::collection::vec((prop::collection::vec(-1.0..1.0_f64, 12), 1..=3_usize), 2..=20),
                          integer in any::<bool>(), v_free in prop::collection::vec(-2.0..2.0_f64, 12)) {
        let round = |x: f64| if integer { (2.0 * x).round() } else { x };
        let rows = rows.into_iter().flat_map(|(row, times)| {
            let mut row: Vec<f64> = row.into_iter().map(round).collect();
            row[0] += 0.125;
            std::iter::repeat_n((row, 0.0), times)
        });
        let v_free: Vec<f64> = v_free.into_iter().map(round).collect();
        let scene = on_two_bodies(&rows.collect::<Vec<_>>(), std::array::from_fn(|i| v_free[i]), Admissible::Unilateral);
        let settings = to_the_end::<f64>(CCP);
        let start = scene.build::<f64>().energy_of_start(&settings);
        let (report, ..) = sound::<f64>(&scene, &settings)?;
        // (64 ε)² of the start is what the solver calls rounding, for each of up to sixty rows
        prop_assert!(report.energy <= 60.0 * (64.0 * f64::EPSILON).powi(2) * start, "{:e} {report:?}", start);
        prop_assert!(report.iterations <= 200, "{report:?}");
    }
}
