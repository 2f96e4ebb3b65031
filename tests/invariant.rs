//! What holds for every problem, whatever its numbers: the dual objective falls, impulses stay in their sets, answers are finite, the
//! same question gets the same bits, and redundant rows change nothing.
//!
//! Tolerances: roundings of the objective are bounded by `support/bound.rs`; those of membership are counted at
//! `support::check_admissible`; the distance of two approximate solutions is bounded by their violations (`apart`). What is
//! not mentioned there is compared bit by bit.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::adversary::{Attack, attacks, settings};
use support::bound::{Bound, largest};
use support::oracle::{Dense, Set};
use support::{
    Block, Body, Built, Law, Scene, check_admissible, contacts, everything, frictionless, garbage, pairs, scenes,
};
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, Friction, RowInput};
use tumble::{FrictionModel, Method, Settings, Start, Status, StepRule};

fn rounded<R: Real>(settings: &Settings<f64>) -> Settings<R> {
    Settings {
        method: settings.method,
        omega: R::from_f64(settings.omega),
        iterations: settings.iterations,
        tolerance: R::from_f64(settings.tolerance),
        friction: settings.friction,
        step: settings.step,
        start: settings.start,
        impulse_ceiling: R::from_f64(settings.impulse_ceiling),
        answer: settings.answer,
    }
}

// ---- the dual objective ---------------------------------------------------------------------------------------------------

/// `½γᵀ(N + c)γ + γᵀr` after 1, 2, 3, … sweeps never rises by more than it rounds.
fn falls(scene: &Scene, settings: &Settings<f64>) -> Result<(), TestCaseError> {
    const SWEEPS: u32 = 24;
    let dense = Dense::new(scene);
    let mut bound = Bound::new(&dense, &vec![0.0; scene.row_count()], 0.0);
    let mut built = scene.build::<f64>();
    let mut before = f64::INFINITY;
    for iterations in 0..=SWEEPS {
        let plain = Settings { method: Method::Psor, iterations, tolerance: 0.0, start: Start::Cold, ..*settings };
        let _ = built.solve(&plain);
        let gamma = built.impulses();
        bound.visit(&gamma);
        let after = dense.objective(&gamma);
        prop_assert!(after <= before + bound.objective(), "sweep {iterations}: {before} J, then {after} J");
        before = after;
    }
    Ok(())
}

proptest! {
    #[test]
    fn frictionless_sweeps_lower_the_dual_objective(scene in scenes(frictionless()), omega in 0.01..=1.0_f64,
                                                    settings in settings()) {
        falls(&scene, &Settings { omega, ..settings })?;
    }

    /// The claim of the docs of `tumble::solve`: with the safe step whatever ω.
    #[test]
    fn safe_cone_sweeps_lower_the_dual_objective(scene in scenes(contacts(|mu| Friction::Cone { mu })),
                                                 omega in prop_oneof![0.01..1.99_f64, Just(1.999)]) {
        falls(&scene, &Settings { omega, friction: FrictionModel::Ccp, step: StepRule::Safe, ..Settings::default() })?;
    }

    #[test]
    fn safe_pyramid_sweeps_lower_the_dual_objective(scene in scenes(contacts(|mu| Friction::Pyramid { mu })),
                                                    omega in prop_oneof![0.01..1.99_f64, Just(1.999)]) {
        falls(&scene, &Settings { omega, friction: FrictionModel::Ccp, step: StepRule::Safe, ..Settings::default() })?;
    }
}

// ---- friction pairs ----------------------------------------------------------------------------------------------------------

/// Every lead pressed to an impulse of its own: the discs of the pairs behind them stand still.
fn with_constant_leads(mut scene: Scene) -> Scene {
    for block in &mut scene.blocks {
        if let Law::Row(set) = &mut block.law {
            let x = if let Admissible::Bounded { lo, .. } = set { lo.max(-0.5) } else { 0.4 };
            *set = Admissible::Bounded { lo: x, hi: x };
        }
    }
    scene
}

proptest! {
    /// With discs that stand still, the problem is convex, and the safe step lowers its objective whatever ω and friction model.
    #[test]
    fn safe_pair_sweeps_lower_the_dual_objective(scene in scenes(pairs()), settings in settings(),
                                                 omega in prop_oneof![0.01..1.99_f64, Just(1.999)]) {
        falls(&with_constant_leads(scene), &Settings { omega, step: StepRule::Safe, ..settings })?;
    }

    /// No impulse of the disc takes more out of the motion than that of a solved pair.
    ///
    /// With `d = γ − P(γ − w/a)`, `|d| ≤ √(2δe/a)`, P's variational inequality at γ − d is
    /// `w·γ ≤ w·k + |w||d| + a|d||k − γ + d|` for every k of the disc, the one that opposes w most included: `w·k = −r|w|`.
    #[test]
    fn solved_pairs_oppose_the_motion_as_strongly_as_they_may(scene in scenes(pairs())) {
        let mut built = scene.build::<f64>();
        // a lead that friction drags may have no answer
        prop_assume!(built.solve(&patient()).status == Status::Converged);
        // v from γ afresh, without what thousands of sweeps have rounded
        let report = built.solve(&Settings { iterations: 0, ..patient() });
        let (dense, gamma) = (Dense::new(&scene), built.impulses());
        let bound = Bound::new(&dense, &gamma, 0.0);
        let w = dense.w(&gamma);
        for block in &dense.blocks {
            let Set::Disc { mu, lead } = block.set else { continue };
            let (i, j, r) = (block.first, block.first + 1, mu * gamma[lead].abs());
            let (a, speed) = (dense.scale(*block), w[i].hypot(w[j]));
            let d = (2.0 * report.energy / a).sqrt() + bound.miss(*block, 1.0 / a, FrictionModel::Ccp);
            let most = speed * d + a * d * (2.0 * r + d);
            let work = w[i] * gamma[i] + w[j] * gamma[j];
            prop_assert!(work <= -r * speed + most, "{work}, not {} within {most:e}", -r * speed);
        }
    }

    /// Sweep for sweep and bit for bit: a cone in ncp is a unilateral row with a pair behind it.
    #[test]
    fn a_coulomb_contact_is_a_unilateral_row_and_a_pair(scene in scenes(contacts(|mu| Friction::Cone { mu })),
                                                        settings in settings()) {
        let apart = scene.blocks.iter().flat_map(|block| match block.law {
            Law::Contact(Friction::Cone { mu }) => {
                let part = |law: Law, rows: &[RowInput<f64>]| Block { law, rows: rows.to_vec(), ..*block };
                vec![
                    part(Law::Row(Admissible::Unilateral), &block.rows[..1]),
                    part(Law::Pair { mu }, &block.rows[1..]),
                ]
            }
            _ => vec![block.clone()],
        });
        let apart = Scene { bodies: scene.bodies.clone(), blocks: apart.collect() };
        let (method, friction, start) = (Method::Psor, FrictionModel::Ncp, Start::Cold);
        let settings = Settings { method, friction, start, tolerance: 0.0, ..settings };
        let answer = |scene: &Scene| {
            let mut built = scene.build::<f64>();
            let _ = built.solve(&settings);
            built.bits()
        };
        prop_assert_eq!(answer(&scene), answer(&apart));
    }

    /// The basis of a pair's plane is nobody's business: turned by any angle, the same rows give the same velocities.
    #[test]
    fn a_pair_does_not_know_its_basis(scene in scenes(pairs()), angle in 0.0..6.3_f64) {
        let mut turned = with_constant_leads(scene);
        // compliance is of a row, not of the plane: the same for both, or it knows the basis
        for block in &mut turned.blocks {
            block.rows.iter_mut().for_each(|row| row.compliance = 0.0);
        }
        let scene = turned.clone();
        for block in turned.blocks.iter_mut().filter(|block| matches!(block.law, Law::Pair { .. })) {
            let (sin, cos) = angle.sin_cos();
            let turn = |p: &RowInput<f64>, c: f64, q: &RowInput<f64>, s: f64| RowInput {
                jacobian_a: p.jacobian_a * c + q.jacobian_a * s,
                jacobian_b: p.jacobian_b * c + q.jacobian_b * s,
                target_velocity: p.target_velocity * c + q.target_velocity * s,
                compliance: 0.0,
            };
            let [r1, r2] = [block.rows[0], block.rows[1]];
            block.rows = vec![turn(&r1, cos, &r2, sin), turn(&r2, cos, &r1, -sin)];
        }
        let mut answers = Vec::new();
        for scene in [&scene, &turned] {
            let mut built = scene.build::<f64>();
            prop_assume!(built.solve(&patient()).status == Status::Converged);
            let apart = apart(scene, &mut built);
            answers.push((built.velocities(), apart));
        }
        same_velocities(&scene, &answers)?;
    }
}

// ---- always admissible, always finite (G4) ------------------------------------------------------------------------------------

fn stays_admissible<R: Real>(scene: &Scene, start: &[f64], settings: &Settings<f64>) -> Result<(), TestCaseError> {
    let mut built = scene.build::<R>();
    built.set_impulses(start);
    let report = built.solve(&rounded(settings));
    prop_assert!(report.status != Status::NonFinite);
    check_admissible::<R>(&scene.blocks, &built.impulses())
}

/// Whatever is accepted gets a finite, admissible answer within the cap; whatever is refused leaves no trace.
fn withstands<R: Real>(attack: &Attack) -> Result<(), TestCaseError> {
    let mut built = Built::<R>::new(&attack.bodies);
    let mut accepted: Vec<Block> = Vec::new();
    for block in &attack.blocks {
        let before = (built.problem.row_count(), built.bits());
        match built.add(block) {
            Ok(()) => accepted.push(block.clone()),
            Err(_) => prop_assert_eq!(before, (built.problem.row_count(), built.bits())),
        }
    }
    let free = built.velocities();
    built.set_impulses(&attack.impulses);
    let settings = rounded::<R>(&attack.settings);
    let report = built.solve(&settings);

    let (gamma, v) = (built.impulses(), built.velocities());
    prop_assert!(v.iter().chain(&gamma).all(|x| x.is_finite()), "{report:?} {v:?} {gamma:?}");
    check_admissible::<R>(&accepted, &gamma)?;
    prop_assert!(report.iterations <= settings.iterations);
    match report.status {
        // overflowed at once: the safe answer; on the way: the best before that
        Status::NonFinite if report.energy == R::INFINITY => {
            prop_assert_eq!(v, free, "not the safe answer");
            prop_assert!(report.violation == R::INFINITY && report.bound == R::INFINITY);
        }
        Status::NonFinite => prop_assert!(report.energy.is_finite() && report.violation.is_finite(), "{report:?}"),
        status => {
            prop_assert!(report.energy.is_finite() && report.violation.is_finite(), "{report:?}");
            prop_assert_eq!(status == Status::Converged, report.energy <= settings.tolerance, "{:?}", report);
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn impulses_stay_in_their_sets(scene in scenes(everything()), start in garbage(), settings in settings()) {
        stays_admissible::<f32>(&scene, &start, &settings)?;
        stays_admissible::<f64>(&scene, &start, &settings)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8 * ProptestConfig::default().cases, ..ProptestConfig::default() })]

    #[test]
    fn single_precision_withstands_anything(attack in attacks(38.0)) {
        withstands::<f32>(&attack)?;
    }

    #[test]
    fn double_precision_withstands_anything(attack in attacks(308.0)) {
        withstands::<f64>(&attack)?;
    }
}

/// `|γ_t|²` and `(μγ_n)²` both overflow; `∞ ≤ ∞` must not pass for "inside the cone". Targets make w vanish, so that nothing else
/// gives the impulse away.
#[test]
fn overflowing_squares_do_not_widen_the_cone() {
    let inverse_mass = [0, 1, 2, 3, 4, 5].map(|i| [0, 1, 2, 3, 4, 5].map(|j| if i == j { 1e-6 } else { 0.0 }));
    let row = |axis: usize, target_velocity: f64| {
        let mut jacobian = [0.0; 6];
        jacobian[axis] = 1.0;
        RowInput { jacobian_a: Vec6::from(jacobian), target_velocity, ..RowInput::default() }
    };
    let cone = vec![Law::Contact(Friction::Cone { mu: 1.0 })];
    let pyramid = vec![Law::Contact(Friction::Pyramid { mu: 1.0 })];
    let pair = vec![Law::Row(Admissible::Unilateral), Law::Pair { mu: 1.0 }];
    for laws in [cone, pyramid, pair] {
        let mut rows = [row(2, 1e14), row(0, 1e19), row(1, 0.0)].into_iter();
        let block = |law: &Law| Block { a: 0, b: None, law: *law, rows: rows.by_ref().take(law.rows()).collect() };
        let scene =
            Scene { bodies: vec![Body { inverse_mass, v_free: [0.0; 6] }], blocks: laws.iter().map(block).collect() };
        for friction in [FrictionModel::Ccp, FrictionModel::Ncp] {
            for iterations in 0..3 {
                let mut built = scene.build::<f32>();
                built.set_impulses(&[1e20, 1e25, 0.0]);
                let _ = built.solve(&Settings { iterations, friction, ..Settings::default() });
                check_admissible::<f32>(&scene.blocks, &built.impulses()).unwrap();
            }
        }
    }
}

/// A start whose response overflows at both bodies, `E_a v_a = ∞` and `E_b v_b = −∞`: w is not a number, and must not be taken for a solved row.
#[test]
fn overflow_is_never_called_converged() {
    let inverse_mass = [0, 1, 2, 3, 4, 5].map(|i| [0, 1, 2, 3, 4, 5].map(|j| if i == j { 1.0 } else { 0.0 }));
    let body = |speed: f64| Body { inverse_mass, v_free: [speed, 0.0, 0.0, 0.0, 0.0, 0.0] };
    let ten = Vec6::from([10.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for law in [Admissible::Bilateral, Admissible::Unilateral, Admissible::Bounded { lo: -1.0, hi: 3e38 }] {
        let rows = vec![RowInput::new(ten, -ten)];
        let scene = Scene {
            bodies: vec![body(1.0), body(-1.0)],
            blocks: vec![Block { a: 0, b: Some(1), law: Law::Row(law), rows }],
        };
        for iterations in 0..3 {
            let mut built = scene.build::<f32>();
            built.set_impulses(&[3e38]);
            let plain = Settings { method: Method::Psor, iterations, ..Settings::default() };
            let report = built.solve(&plain);
            assert_eq!(report.status, Status::NonFinite, "{law:?}, {report:?}");
            // of two starts the default takes the one that is a number
            built.set_impulses(&[3e38]);
            let report = built.solve(&Settings { iterations, ..Settings::default() });
            assert!(iterations == 0 || report.status == Status::Converged, "{law:?}, {report:?}");
            assert!(report.energy <= 1.0 && built.velocities().iter().all(|v| v.abs() <= 1.0), "{law:?}, {report:?}");
        }
    }
}

// ---- the same question, the same answer -----------------------------------------------------------------------------------------

fn repeats<R: Real>(scene: &Scene, start: &[f64], settings: &Settings<f64>) -> Result<(), TestCaseError> {
    let settings = rounded::<R>(settings);
    let answer = |built: &mut Built<R>| {
        built.set_impulses(start);
        let report = built.solve(&settings);
        (built.bits(), report.iterations, report.energy.to_f64().to_bits(), report.violation.to_f64().to_bits())
    };
    let mut built = scene.build::<R>();
    let first = answer(&mut built);
    prop_assert_eq!(&first, &answer(&mut built), "solved again");
    prop_assert_eq!(&first, &answer(&mut scene.build::<R>()), "built again");
    built.problem.clear_rows();
    built.rows.clear();
    scene.blocks.iter().for_each(|block| built.add(block).unwrap());
    prop_assert_eq!(&first, &answer(&mut built), "rows added again");
    Ok(())
}

/// Settings under which a frictionless or `ccp` problem of a few rows is solved down to rounding.
fn patient() -> Settings<f64> {
    Settings { iterations: 50_000, tolerance: 1e-26, friction: FrictionModel::Ccp, ..Settings::default() }
}

/// How far the velocities of the present answer may lie from the solution, `‖v − v*‖_M`, from what the answer says of itself.
///
/// With `d = γ − P_K(γ − w/a)` the variational inequalities of P_K and of the solution add up to
/// `‖v − v*‖²_M ≤ Σ d (a (γ − γ*) + w − w*)`, and `a|d| ≤ violation`. γ* and w* are taken to be no larger than γ and w.
fn apart(scene: &Scene, built: &mut Built<f64>) -> f64 {
    // v from γ afresh, without what thousands of sweeps have rounded
    let report = built.solve(&Settings { iterations: 0, friction: FrictionModel::Ccp, ..Settings::default() });
    let (dense, gamma) = (Dense::new(scene), built.impulses());
    let bound = Bound::new(&dense, &gamma, 0.0);
    let violation = report.violation + (0..gamma.len()).map(|i| bound.velocity_of_row(i)).fold(0.0, f64::max);
    let least = (0..gamma.len()).map(|i| dense.n[i][i]).fold(f64::INFINITY, f64::min);
    let reach = 2.0 * (largest(&gamma) + largest(&dense.w(&gamma)) / least);
    (gamma.len() as f64 * violation * reach).sqrt()
}

/// Two answers, each with how far it may lie from the solution (`apart`), have the same velocities.
fn same_velocities(scene: &Scene, answers: &[(Vec<f64>, f64)]) -> Result<(), TestCaseError> {
    let (one, other) = (&answers[0], &answers[1]);
    let difference: Vec<f64> = one.0.iter().zip(&other.0).map(|(a, b)| a - b).collect();
    // M ≥ 1/‖M⁻¹‖ ≥ 1/trace
    let trace = scene.bodies.iter().map(|body| (0..6).map(|i| body.inverse_mass[i][i]).sum()).fold(0.0, f64::max);
    let bound = (one.1 + other.1) * trace.sqrt();
    prop_assert!(largest(&difference) <= bound, "{:e} > {bound:e}", largest(&difference));
    Ok(())
}

proptest! {
    #[test]
    fn the_same_problem_gives_the_same_bits(scene in scenes(everything()), start in garbage(), settings in settings()) {
        repeats::<f32>(&scene, &start, &settings)?;
        repeats::<f64>(&scene, &start, &settings)?;
    }

    #[test]
    fn a_solved_problem_takes_one_sweep(scene in scenes(contacts(|mu| Friction::Cone { mu }))) {
        let mut built = scene.build::<f64>();
        prop_assume!(built.solve(&patient()).status == Status::Converged);
        let again = built.solve(&Settings { friction: FrictionModel::Ccp, ..Settings::default() });
        prop_assert_eq!((again.status, again.iterations), (Status::Converged, 1));
    }

    #[test]
    fn redundant_rows_change_no_velocity(scene in scenes(contacts(|mu| Friction::Cone { mu })), which in 0..8_usize) {
        // a bounded row twice has twice the range, a compliant one half the compliance: not the same problem
        let mut scene = scene;
        let which = which % scene.blocks.len();
        let twice = &mut scene.blocks[which];
        twice.rows.iter_mut().for_each(|row| row.compliance = 0.0);
        if matches!(twice.law, Law::Row(Admissible::Bounded { .. })) {
            twice.law = Law::Row(Admissible::Unilateral);
        }
        let mut doubled = scene.clone();
        doubled.blocks.push(scene.blocks[which].clone());

        let mut answers = Vec::new();
        for scene in [&scene, &doubled] {
            let mut built = scene.build::<f64>();
            // more rows than freedoms may have no solution
            prop_assume!(built.solve(&patient()).status == Status::Converged);
            let apart = apart(scene, &mut built);
            answers.push((built.velocities(), apart));
        }
        same_velocities(&scene, &answers)?;
    }
}
