//! Piles built here, against references solved to the end here; rough as real parts are, and polished to see what that does.

use super::files::{GAIN_AT, geometric_mean};
use super::{BENCH, FEW, MODELS, SWEEPS, errors_after, heading, tell, variants};
use crate::bench::Findings;
use crate::shell::step;
use anyhow::{Result, ensure};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use tumble::{FrictionModel, Settings};
use tumble_scenes::piles::{PILES, Pile, PileStage, SEED};

/// Further sweeps may move a reference by this much, and no more: errors are read down to a thousand times that.
const MOVED: f64 = 1e-12;
/// The same of polished piles, on which hardly anything says which points carry.
const POLISHED_MOVED: f64 = 1e-6;
/// Has no goal and, polished, no reference: 200 000 sweeps later it still moves by 1e-5.
const STILL: &str = "stack10-heavy-still";
/// Piles of which chance makes most, and how often they are put up, polished.
const BY_CHANCE: [&str; 2] = ["spheres30", "spheres100"];
const SEEDS: Range<u32> = SEED..SEED + 8;

/// Every pile in both models by every variant; polished, in the convex one only, which has one answer.
pub(super) fn run(findings: &mut Findings) -> Result<()> {
    // in static memory, as on the target
    static STAGE: Mutex<PileStage> = Mutex::new(PileStage::new());
    let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut references = Vec::new();
    findings.line(heading(&SWEEPS[FEW]));
    for pile in &PILES {
        let name = pile.name;
        step(name, || measure(findings, &mut references, &mut stage, (pile, name), &MODELS, MOVED))?;
    }
    let polished = PILES.map(Pile::polished);
    let models = &MODELS[..1];
    for pile in polished.iter().filter(|pile| pile.name != STILL) {
        let name = format!("{}-smooth", pile.name);
        step(&name, || measure(findings, &mut references, &mut stage, (pile, &name), models, POLISHED_MOVED))?;
    }
    for pile in polished.iter().filter(|pile| BY_CHANCE.contains(&pile.name)) {
        step(&format!("{} by chance", pile.name), || spread(findings, &mut stage, pile))?;
    }
    findings.line(
        "  their references: energy error over that of the cold start; moved by half as many sweeps again, as above",
    );
    findings
        .line("  (ccp has one answer; ncp may have others than the one that plain sweeps from a cold start arrive at)");
    findings.line("  pile                  model  contacts  sweeps  energy left     moved");
    references.iter().for_each(|line| findings.line(line));
    findings.line("");
    Ok(())
}

/// Errors that every variant leaves of a pile, and a line about its reference.
fn measure(
    findings: &mut Findings,
    references: &mut Vec<String>,
    stage: &mut PileStage,
    (pile, name): (&Pile, &str),
    models: &[(FrictionModel, &str)],
    may_move: f64,
) -> Result<()> {
    stage.build(pile)?;
    for (friction, model) in models.iter().copied() {
        let reference = stage.reference(friction)?;
        let (energy, moved) = (reference.energy, reference.moved);
        ensure!(moved < may_move, "{name} in {model}: the reference is none, it moves by {moved:e}");
        references.push(format!(
            "  {name:20}  {model}    {:>8}  {:>6}  {energy:>11.1e}  {moved:>8.1e}  {}",
            stage.contact_count(),
            reference.sweeps,
            pile.about
        ));
        for (variant, settings) in variants() {
            let settings = Settings { friction, ..settings };
            let errors = errors_after(&SWEEPS[FEW], &settings, |settings| {
                let _ = stage.problem_mut().solve(settings)?;
                Ok(stage.relative_error(&reference))
            })?;
            tell(findings, name, model, variant, &errors);
        }
    }
    Ok(())
}

/// What chance does to a pile: least, mean and largest error that every variant leaves, `ccp`.
fn spread(findings: &mut Findings, stage: &mut PileStage, pile: &Pile) -> Result<()> {
    let (friction, model) = MODELS[0];
    let variants = variants();
    let mut errors = vec![Vec::new(); variants.len()];
    for seed in SEEDS {
        stage.build(&pile.by_chance(seed))?;
        let reference = stage.reference(friction)?;
        let moved = reference.moved;
        ensure!(moved < POLISHED_MOVED, "{} by seed {seed}: the reference is none, it moves by {moved:e}", pile.name);
        for ((_, settings), errors) in variants.iter().zip(&mut errors) {
            let _ = stage.problem_mut().solve(&Settings { friction, iterations: GAIN_AT, ..*settings })?;
            errors.push(stage.relative_error(&reference));
        }
    }
    let case = format!("{}-smooth", pile.name);
    findings.line(format!(
        "  {case}, put up {} times, {model}, {GAIN_AT} sweeps: least, geometric mean, most",
        SEEDS.len()
    ));
    for ((variant, _), errors) in variants.iter().zip(&errors) {
        let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
        let most = errors.iter().copied().fold(0.0, f64::max);
        let mean = geometric_mean(errors.iter().copied());
        findings.line(format!("  {:40} {model}    {variant:8}  {least:8.1e}  {mean:8.1e}  {most:8.1e}", ""));
        for (metric, error) in [
            ("least_relative_energy_error_20", least),
            ("mean_relative_energy_error_20", mean),
            ("most_relative_energy_error_20", most),
        ] {
            findings.record(BENCH, &case, variant, metric, error, "1");
        }
    }
    Ok(())
}
