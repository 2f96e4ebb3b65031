//! Error left after a number of sweeps, by several ways of solving: on piles built here, and on recorded problems with the references that come
//! with them.
//!
//! ```text
//! error   |v − v_ref|²_M / |v_free − v_ref|²_M           share of kinetic energy that is wrong; f64, cold start
//! gain    error of the baseline / error of the variant   both floored; at equal sweeps, and at equal instructions
//! ```

mod files;
mod on_board;
mod piles;

use super::Findings;
use anyhow::Result;
use std::ops::Range;
use tumble::math::Real;
use tumble::{FrictionModel, Method, Settings, Start, StepRule};

const BENCH: &str = "convergence";

/// Where a mean is taken, an error below this counts as this: no user could tell them apart.
const FLOOR: f64 = 1e-9;

/// The ways of solving that are compared, each a name and its settings; the first is the baseline of the others' gains. Friction model and sweeps
/// are the table's to choose.
fn variants<R: Real>() -> Vec<(&'static str, Settings<R>)> {
    let from_cold = Settings { tolerance: R::ZERO, start: Start::Cold, ..Settings::default() };
    let plain = Settings { method: Method::Psor, ..from_cold };
    let by = |method| Settings { method, ..from_cold };
    vec![
        ("psor", Settings { step: StepRule::Average, ..plain }),
        ("psor-safe", plain),
        ("block", by(Method::Block)),
        ("nesterov", by(Method::Nesterov)),
        ("default", from_cold),
    ]
}

const MODELS: [(FrictionModel, &str); 2] = [(FrictionModel::Ccp, "ccp"), (FrictionModel::Ncp, "ncp")];

/// Sweeps at which the error is read, with the name of its record.
const SWEEPS: [(u32, &str); 8] = [
    (5, "relative_energy_error_5"),
    (10, "relative_energy_error_10"),
    (20, "relative_energy_error_20"),
    (50, "relative_energy_error_50"),
    (100, "relative_energy_error_100"),
    (500, "relative_energy_error_500"),
    (2000, "relative_energy_error_2000"),
    (20_000, "relative_energy_error_20000"),
];

/// Of those, what a step can afford.
const FEW: Range<usize> = 0..4;

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    findings.line("convergence: |v - v_ref|²_M / |v_free - v_ref|²_M after that many sweeps (f64, cold start)");
    piles::run(&mut findings)?;
    files::run(&mut findings)?;
    Ok(findings)
}

/// The error after each of these numbers of sweeps, by one variant.
fn errors_after(
    sweeps: &[(u32, &str)],
    settings: &Settings<f64>,
    mut error: impl FnMut(&Settings<f64>) -> Result<f64>,
) -> Result<Vec<f64>> {
    sweeps.iter().map(|(iterations, _)| error(&Settings { iterations: *iterations, ..*settings })).collect()
}

/// What records call a problem: in `ccp` by its name, in the other model with that behind it.
fn case(name: &str, model: &str) -> String {
    if model == MODELS[0].1 { name.into() } else { format!("{name}-{model}") }
}

/// A line of errors, and a record of each.
fn tell(findings: &mut Findings, name: &str, model: &str, variant: &str, errors: &[f64]) {
    findings.line(format!("  {name:40} {model}    {variant:8}{}", columns(errors)));
    for ((_, metric), error) in SWEEPS.into_iter().zip(errors) {
        findings.record(BENCH, &case(name, model), variant, metric, *error, "1");
    }
}

/// What stands above such lines.
fn heading(sweeps: &[(u32, &str)]) -> String {
    let columns: String = sweeps.iter().map(|(sweeps, _)| format!("  {sweeps:>8}")).collect();
    format!("  {:40} model  variant {columns}", "problem")
}

fn columns(errors: &[f64]) -> String {
    errors.iter().map(|error| format!("  {error:8.1e}")).collect()
}
