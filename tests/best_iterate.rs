//! The best iterate: whatever the cap, impulses are feasible, and the energy error is no larger than that of the start, of no impulses, and of a smaller cap.
//!
//! ```text
//! start   energy(0) ≤ energy(P_K(γ⁰)), energy(P_K(0))        compared within rounding: another order of rows
//! cap     energy(k) ≤ energy(0),  energy(10 (j + 1)) ≤ energy(10 j) ≤ energy(4)   exactly: the same sweeps up to there
//! between a cap from ten up is rounded down to whole rounds of ten, and 5 to 9 to 4: the same bits
//! ```
//! On recorded problems see `cli/tests/best_iterate.rs`.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::{Built, Scene, check_admissible, contacts, everything, garbage, scenes};
use tumble::math::Real;
use tumble::rows::Friction;
use tumble::{Answer, FrictionModel, Method, Report, Settings, Start, Status};

/// Of numbers of size one, 24 rows and up to 16 roundings in each of their velocities.
fn rounding<R: Real>(energy: f64) -> f64 {
    24.0 * 16.0 * R::EPSILON.to_f64() * (1.0 + energy)
}

fn model() -> impl Strategy<Value = FrictionModel> {
    prop_oneof![Just(FrictionModel::Ccp), Just(FrictionModel::Ncp)]
}

/// From these impulses, up to this cap and no tolerance.
fn solve<R: Real>(
    scene: &Scene,
    start: Option<&[f64]>,
    (method, friction): (Method, FrictionModel),
    cap: u32,
) -> (Report<R>, Built<R>) {
    let mut built: Built<R> = scene.build();
    if let Some(impulses) = start {
        built.set_impulses(impulses);
    }
    let begin = if start.is_some() { Start::Warm } else { Start::Cold };
    let settings =
        Settings { method, friction, iterations: cap, tolerance: R::ZERO, start: begin, ..Settings::default() };
    let report = built.solve(&settings);
    (report, built)
}

fn never_worse<R: Real>(scene: &Scene, garbage: &[f64], friction: FrictionModel) -> Result<(), TestCaseError> {
    let ours = (Method::Anderson, friction);
    let plain = (Method::Psor, friction);
    // plain begins as it is told
    let warm = solve::<R>(scene, Some(garbage), plain, 0).0.energy.to_f64();
    let cold = solve::<R>(scene, None, plain, 0).0.energy.to_f64();
    let at = |cap: u32| -> Result<(f64, Vec<u64>), TestCaseError> {
        let (report, built) = solve::<R>(scene, Some(garbage), ours, cap);
        check_admissible::<R>(&scene.blocks, &built.impulses())?;
        prop_assert!(report.iterations <= cap && report.status != Status::NonFinite, "{report:?}");
        Ok((report.energy.to_f64(), built.bits()))
    };
    let (start, _) = at(0)?;
    prop_assert!(start <= warm + rounding::<R>(warm), "{start:e} is worse than the warm start, {warm:e}");
    prop_assert!(start <= cold + rounding::<R>(cold), "{start:e} is worse than no impulses, {cold:e}");
    // a solve that stops within the first round has the energy of a start or of its last sweep
    prop_assert_eq!(at(4)?.1, at(9)?.1);
    for cap in 1..=4 {
        let (energy, _) = at(cap)?;
        prop_assert!(energy <= start, "{energy:e} after {cap} is worse than {start:e} at the start");
    }
    let mut before = at(4)?.0;
    for cap in [10, 20, 30, 60] {
        let (energy, bits) = at(cap)?;
        prop_assert!(energy <= before, "{energy:e} after {cap}, {before:e} with a smaller cap");
        prop_assert_eq!(at(cap + 9)?.1, bits);
        before = energy;
    }
    Ok(())
}

proptest! {
    #[test]
    fn never_worse_than_start_or_nothing_or_a_smaller_cap(
        scene in prop_oneof![scenes(everything()), scenes(contacts(|mu| Friction::Cone { mu }))], garbage in garbage(), model in model(),
    ) {
        let garbage = &garbage[..scene.row_count()];
        never_worse::<f32>(&scene, garbage, model)?;
        never_worse::<f64>(&scene, garbage, model)?;
    }

    /// From a solution nothing leads away, however few sweeps there are.
    #[test]
    fn a_solution_is_left_alone(scene in scenes(contacts(|mu| Friction::Cone { mu })), cap in 0..30_u32) {
        let soft = softened(scene);
        let ours = (Method::Anderson, FrictionModel::Ccp);
        let (solved, built) = solve::<f64>(&soft, None, ours, 4000);
        let gamma = built.impulses();
        let (again, _) = solve::<f64>(&soft, Some(&gamma), ours, cap);
        prop_assert!(again.energy <= solved.energy + rounding::<f64>(0.0) * 1e-12, "{again:?} {solved:?}");
    }
}

/// Every row gives way a little: then there is one solution, and sweeps find it.
fn softened(mut scene: Scene) -> Scene {
    scene.blocks.iter_mut().flat_map(|block| &mut block.rows).for_each(|row| row.compliance += 0.1);
    scene
}

/// Sweeps of blocks from these impulses.
fn sweep_blocks(
    scene: &Scene,
    impulses: &[f64],
    (start, answer, iterations): (Start, Answer, u32),
) -> (Report<f64>, Built<f64>) {
    let mut built: Built<f64> = scene.build();
    built.set_impulses(impulses);
    let settings = Settings { method: Method::Block, iterations, tolerance: 0.0, start, answer, ..Settings::default() };
    let report = built.solve(&settings);
    (report, built)
}

proptest! {
    /// Trusted is warm without the comparison with no impulses: from the impulses of a solution there is no difference; nor where the start must be known.
    #[test]
    fn trust_differs_from_warm_only_where_it_may(scene in scenes(contacts(|mu| Friction::Cone { mu })), garbage in garbage()) {
        let (_, solved) = solve::<f64>(&scene, None, (Method::Anderson, FrictionModel::Ncp), 200);
        let good = solved.impulses();
        let mut garbage = garbage[..scene.row_count()].to_vec();
        let starts = |answer, iterations| [Start::Warm, Start::Trusted].map(|start| (start, answer, iterations));
        let [warm, trusted] = starts(Answer::Last, 3).map(|how| sweep_blocks(&scene, &good, how));
        let (rest, cold) = solve::<f64>(&scene, None, (Method::Psor, FrictionModel::Ncp), 0);
        // otherwise none is the better start, or as good
        if warm.0.energy < 0.5 * rest.energy {
            // or the last has gone astray: warm comes back to its start
            prop_assert!(warm.1.bits() == trusted.1.bits() || trusted.0.energy > 16.0 * warm.0.energy, "{:?} {:?}", warm.0, trusted.0);
        }
        for (answer, iterations) in [(Answer::Best, 3), (Answer::Last, 0)] {
            let [warm, trusted] = starts(answer, iterations).map(|how| sweep_blocks(&scene, &garbage, how));
            prop_assert_eq!((warm.0, warm.1.bits()), (trusted.0, trusted.1.bits()));
        }
        // what overflows is the safe answer, not what it started from
        garbage.fill(f64::MAX);
        let (report, built) = sweep_blocks(&scene, &garbage, (Start::Trusted, Answer::Last, 3));
        if report.status == Status::NonFinite {
            prop_assert!(report.energy == f64::INFINITY);
            prop_assert_eq!(built.impulses(), cold.impulses());
        } else {
            prop_assert!(report.energy.is_finite());
        }
    }
}
