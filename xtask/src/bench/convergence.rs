//! Error left after a number of sweeps on recorded problems, against the references that come with them.

use super::Findings;
use crate::shell::step;
use anyhow::{Context, Result};
use tumble::{FrictionModel, Settings, Start, StepRule};
use tumble_cli::host::{reference, relative_error, solve_file};
use tumble_cli::problem_file::ProblemFile;
use tumble_cli::problems;

const BENCH: &str = "convergence";

/// Sweeps at which the error is read, with the name of its record.
const SWEEPS: [(u32, &str); 5] = [
    (20, "relative_energy_error_20"),
    (100, "relative_energy_error_100"),
    (500, "relative_energy_error_500"),
    (2000, "relative_energy_error_2000"),
    (20_000, "relative_energy_error_20000"),
];

/// Where a mean is taken, an error below this counts as this: no user could tell them apart.
const FLOOR: f64 = 1e-9;

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    let Some(paths) = problems::contact_files()? else {
        findings.line(format!("convergence: skipped, {}", problems::MISSING));
        return Ok(findings);
    };
    findings.line("convergence: |v - v_ref|²_M / |v_free - v_ref|²_M after that many sweeps (f64, cold start)");
    findings.line(format!("  {:40} model  variant       20       100       500      2000     20000", "problem"));
    let mut means = Vec::new();
    for (friction, model) in [(FrictionModel::Ccp, "ccp"), (FrictionModel::Ncp, "ncp")] {
        for (rule, variant) in [(StepRule::Average, "psor"), (StepRule::Safe, "default")] {
            let name = format!("{variant} on {model}");
            let mean = step(&name, || problems_of(&mut findings, &paths, friction, model, rule, variant))?;
            means.push((model, variant, mean));
        }
    }
    findings.line(format!("  geometric means, errors below {FLOOR:.0e} counted as that:"));
    for (model, variant, mean) in means {
        findings.line(format!("  {:40} {model}    {variant:8}{}", "", errors(&mean)));
        for ((_, metric), value) in SWEEPS.into_iter().zip(mean) {
            findings.record(BENCH, &format!("mean-{model}"), variant, metric, value, "1");
        }
    }
    Ok(findings)
}

/// One variant on every problem that has a reference for the model; returns the geometric means.
fn problems_of(
    findings: &mut Findings,
    paths: &[std::path::PathBuf],
    friction: FrictionModel,
    model: &str,
    rule: StepRule,
    variant: &str,
) -> Result<[f64; SWEEPS.len()]> {
    let mut logarithms = [0.0; SWEEPS.len()];
    let mut count = 0.0;
    for path in paths {
        let file = ProblemFile::parse(&std::fs::read_to_string(path)?)
            .with_context(|| format!("{} is no problem file", path.display()))?;
        let Some((_, v_ref)) = reference(&file, friction) else { continue };
        let mut error = [0.0; SWEEPS.len()];
        for ((iterations, metric), error) in SWEEPS.into_iter().zip(&mut error) {
            let settings = Settings {
                iterations,
                tolerance: 0.0,
                friction,
                step: rule,
                start: Start::Cold,
                ..Settings::<f64>::default()
            };
            let solution = solve_file(&file, &settings)?;
            *error = relative_error(&file, &solution.v, v_ref).context("singular mass")?;
            findings.record(BENCH, &format!("{}-{model}", file.name), variant, metric, *error, "1");
        }
        findings.line(format!("  {:40} {model}    {variant:8}{}", file.name, errors(&error)));
        count += 1.0;
        for (sum, error) in logarithms.iter_mut().zip(error) {
            *sum += error.max(FLOOR).ln();
        }
    }
    Ok(logarithms.map(|sum| (sum / count).exp()))
}

fn errors(errors: &[f64]) -> String {
    errors.iter().map(|error| format!("  {error:8.1e}")).collect()
}
