//! Recorded problems, against the references that come with them.

use super::{BENCH, FLOOR, MODELS, SWEEPS, columns, errors_after, heading, on_board, tell, variants};
use crate::bench::Findings;
use crate::shell::step;
use anyhow::{Context, Result};
use tumble::{FrictionModel, Settings};
use tumble_cli::host::{reference, relative_error, solve_file};
use tumble_cli::problem_file::{ProblemFile, Reference};
use tumble_cli::problems;

/// Sweeps at which variants are compared, with the names of what that gives.
pub(super) const GAIN_AT: u32 = 20;
const MEAN_GAIN: &str = "geometric_mean_gain_20";
const WORST_GAIN: &str = "worst_gain_20";

/// Errors of one variant in one model: of each problem that has a reference for it, after each number of sweeps.
struct Measured {
    model: &'static str,
    variant: &'static str,
    errors: Vec<(String, Vec<f64>)>,
}

/// Every problem in both models by every variant; means and gains.
pub(super) fn run(findings: &mut Findings) -> Result<()> {
    let Some(paths) = problems::contact_files()? else {
        findings.line(format!("  recorded problems: skipped, {}", problems::MISSING));
        return Ok(());
    };
    let mut files = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)?;
        files.push(ProblemFile::parse(&text).with_context(|| format!("{} is no problem file", path.display()))?);
    }
    findings.line(heading(&SWEEPS));
    let mut measured = Vec::new();
    for (friction, model) in MODELS {
        for (variant, settings) in variants() {
            let settings = Settings { friction, ..settings };
            let errors = step(&format!("{variant} on {model}"), || measure(&files, friction, &settings))?;
            errors.iter().for_each(|(name, errors)| tell(findings, name, model, variant, errors));
            measured.push(Measured { model, variant, errors });
        }
    }
    tell_means(findings, &measured);
    tell_gains(findings, &measured);
    on_board::run(findings, &files)
}

fn measure(
    files: &[ProblemFile],
    friction: FrictionModel,
    settings: &Settings<f64>,
) -> Result<Vec<(String, Vec<f64>)>> {
    let known = files.iter().filter_map(|file| Some((file, reference(file, friction)?.1)));
    known
        .map(|(file, v_ref)| {
            let errors = errors_after(&SWEEPS, settings, |settings| error(file, v_ref, settings))?;
            Ok((file.name.clone(), errors))
        })
        .collect()
}

/// The error that solving a problem so leaves.
pub(super) fn error(file: &ProblemFile, v_ref: &Reference, settings: &Settings<f64>) -> Result<f64> {
    let solution = solve_file(file, settings)?;
    relative_error(file, &solution.v, v_ref).context("singular mass")
}

fn tell_means(findings: &mut Findings, measured: &[Measured]) {
    findings.line(format!("  geometric means, errors below {FLOOR:.0e} counted as that:"));
    for Measured { model, variant, errors } in measured {
        let mean = |k: usize| geometric_mean(errors.iter().map(|(_, errors)| errors[k].max(FLOOR)));
        let means: Vec<f64> = (0..SWEEPS.len()).map(mean).collect();
        findings.line(format!("  {:40} {model}    {variant:8}{}", "", columns(&means)));
        for ((_, metric), mean) in SWEEPS.into_iter().zip(means) {
            findings.record(BENCH, &format!("mean-{model}"), variant, metric, mean, "1");
        }
    }
}

fn tell_gains(findings: &mut Findings, measured: &[Measured]) {
    let Some(at) = SWEEPS.iter().position(|(sweeps, _)| *sweeps == GAIN_AT) else { return };
    for (_, model) in MODELS {
        let mut of_model = measured.iter().filter(|measured| measured.model == model);
        let Some(baseline) = of_model.next() else { continue };
        findings.line(format!(
            "  {model}: error of {} at {GAIN_AT} sweeps over that of the variant, below {FLOOR:.0e} counted as that; geometric mean and worst:",
            baseline.variant
        ));
        for Measured { variant, errors, .. } in of_model {
            let pairs = baseline.errors.iter().zip(errors);
            let gains: Vec<(&str, f64)> = pairs
                .map(|((name, base), (_, error))| (name.as_str(), base[at].max(FLOOR) / error[at].max(FLOOR)))
                .collect();
            let mean = geometric_mean(gains.iter().map(|(_, gain)| *gain));
            let Some((name, worst)) = gains.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            findings.line(format!("    {variant:8}  {mean:>8.3}  {worst:>8.3}  ({name})"));
            let case = format!("gain-{model}");
            findings.record(BENCH, &case, variant, MEAN_GAIN, mean, "1");
            findings.record(BENCH, &case, variant, WORST_GAIN, worst, "1");
        }
    }
}

pub(super) fn geometric_mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = numbers.fold((0.0, 0.0), |(sum, count), x| (sum + x.ln(), count + 1.0));
    (sum / count).exp()
}
