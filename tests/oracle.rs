//! Projected SOR agrees with the dense oracle of `support/oracle.rs`, iterate by iterate: impulses and velocities after 0, 1, 2, …
//! sweeps, and energy error, violation and natural residual of each of these iterates, on random problems.
//!
//! Tolerances: the running forward error bound of `support/bound.rs`, worked out anew for every number of every problem. Being a
//! bound on the worst case it grows from sweep to sweep; before it passes 1e-6 of the impulses, far below what a wrong formula
//! changes, the oracle takes over the solver's last iterate and goes on from there.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::bound::{Bound, largest};
use support::oracle::Dense;
use support::{Built, Scene, contacts, everything, frictionless, garbage, pairs, polygons, scenes};
use tumble::rows::Friction;
use tumble::{FrictionModel, Method, Report, Settings, Start, StepRule};

const SWEEPS: u32 = 12;

fn settings(friction: FrictionModel, step: StepRule, omega: f64) -> Settings<f64> {
    let (method, start) = (Method::Psor, Start::Cold);
    Settings { method, omega, iterations: 0, tolerance: 0.0, friction, step, start, ..Settings::default() }
}

fn omega() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(0.7), Just(1.3)]
}

fn model() -> impl Strategy<Value = FrictionModel> {
    prop_oneof![Just(FrictionModel::Ccp), Just(FrictionModel::Ncp)]
}

fn close(name: &str, ours: &[f64], theirs: &[f64], bound: impl Fn(usize) -> f64) -> Result<(), TestCaseError> {
    prop_assert_eq!(ours.len(), theirs.len());
    for (i, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        prop_assert!((ours - theirs).abs() <= bound(i), "{name}[{i}] = {ours}, oracle {theirs}, bound {:e}", bound(i));
    }
    Ok(())
}

/// Solve with 0, 1, 2, … sweeps; compare each answer with the oracle's. With `start`, from that warm start.
fn agrees(scene: &Scene, settings: &Settings<f64>, start: Option<&[f64]>) -> Result<(), TestCaseError> {
    let dense = Dense::new(scene);
    let mut gamma = start.map_or(vec![0.0; scene.row_count()], |start| start[..scene.row_count()].to_vec());
    let size = largest(&gamma);
    dense.project(&mut gamma);
    let mut bound = Bound::new(&dense, &gamma, size);
    let mut ours = gamma.clone();
    for sweep in 0..=SWEEPS {
        if sweep > 0 {
            dense.sweep(&mut gamma, settings);
            bound.sweep(&gamma, settings);
            if largest(&bound.impulse) > 1e-6 * (1.0 + largest(&gamma)) {
                gamma.clone_from(&ours);
                bound.forget();
                dense.sweep(&mut gamma, settings);
                bound.sweep(&gamma, settings);
            }
        }
        let mut built = scene.build::<f64>();
        built.set_impulses(start.unwrap_or(&[]));
        let report = built.solve(&Settings { iterations: sweep, ..*settings });
        ours = built.impulses();
        close("γ", &ours, &gamma, |i| bound.impulse[i])?;
        close("v", &built.velocities(), &dense.velocity(&gamma), |k| bound.velocity(k))?;
        certified(&dense, &bound, &built, &report, settings.friction)?;
    }
    Ok(())
}

/// Energy, violation and natural residual of the solver's own answer, from their definitions.
fn certified(
    dense: &Dense,
    bound: &Bound<'_>,
    built: &Built<f64>,
    report: &Report<f64>,
    model: FrictionModel,
) -> Result<(), TestCaseError> {
    let gamma = built.impulses();
    let w = dense.corrected_w(&gamma, model);
    let (mut energy, mut energy_bound) = (0.0, 0.0);
    let (mut violation, mut violation_bound) = (0.0_f64, 0.0_f64);
    let (mut residual, mut residual_bound) = (0.0_f64, 0.0_f64);
    for block in &dense.blocks {
        let a = dense.scale(*block);
        let miss = dense.miss(*block, &gamma, &w, 1.0 / a);
        let apart = bound.miss(*block, 1.0 / a, model);
        let own = dense.energy(*block, &gamma, &w);
        energy += own;
        energy_bound += bound.energy(*block, own, model) + f64::EPSILON * energy;
        let length = miss.iter().map(|d| d * d).sum::<f64>().sqrt();
        violation = violation.max(a * length);
        // each of up to three is off by so much; squares, their sum, the root and a round five times
        violation_bound = violation_bound.max(a * (3.0_f64.sqrt() * apart + 8.0 * f64::EPSILON * length));
        residual = residual.max(largest(&dense.miss(*block, &gamma, &w, 1.0)));
        residual_bound = residual_bound.max(bound.miss(*block, 1.0, model));
    }
    close("energy", &[report.energy], &[energy], |_| energy_bound)?;
    close("violation", &[report.violation], &[violation], |_| violation_bound)?;
    close("natural residual", &[built.problem.natural_residual(model)], &[residual], |_| residual_bound)
}

proptest! {
    #[test]
    fn plain_psor_on_coulomb_cones(scene in scenes(contacts(|mu| Friction::Cone { mu })), omega in omega()) {
        agrees(&scene, &settings(FrictionModel::Ccp, StepRule::Average, omega), None)?;
    }

    #[test]
    fn exact_coulomb_friction(scene in scenes(contacts(|mu| Friction::Cone { mu })), omega in omega()) {
        agrees(&scene, &settings(FrictionModel::Ncp, StepRule::Average, omega), None)?;
    }

    #[test]
    fn pyramids(scene in scenes(contacts(|mu| Friction::Pyramid { mu })), model in model(), omega in omega()) {
        agrees(&scene, &settings(model, StepRule::Average, omega), None)?;
    }

    #[test]
    fn pyramids_over_polygons(scene in (4..=16_u8).prop_flat_map(|corners| scenes(polygons(corners))), model in model(),
                              omega in omega()) {
        agrees(&scene, &settings(model, StepRule::Average, omega), None)?;
    }

    #[test]
    fn box_friction(scene in scenes(contacts(|mu| Friction::Box { mu })), model in model(), omega in omega()) {
        agrees(&scene, &settings(model, StepRule::Average, omega), None)?;
    }

    #[test]
    fn friction_pairs(scene in scenes(pairs()), model in model(), omega in omega(),
                      step in prop_oneof![Just(StepRule::Average), Just(StepRule::Safe)]) {
        agrees(&scene, &settings(model, step, omega), None)?;
    }

    #[test]
    fn frictionless_rows_under_the_safe_rule(scene in scenes(frictionless()), model in model(), omega in omega()) {
        agrees(&scene, &settings(model, StepRule::Safe, omega), None)?;
    }

    #[test]
    fn everything_under_the_safe_rule(scene in scenes(everything()), model in model(), omega in omega()) {
        agrees(&scene, &settings(model, StepRule::Safe, omega), None)?;
    }

    #[test]
    fn warm_starts_are_projected_first(scene in scenes(everything()), model in model(), omega in omega(),
                                       start in garbage()) {
        let settings = Settings { start: Start::Warm, ..settings(model, StepRule::Average, omega) };
        agrees(&scene, &settings, Some(&start))?;
    }
}
