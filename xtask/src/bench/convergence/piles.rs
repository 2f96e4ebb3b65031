//! Piles built here, against references solved to the end here.

use super::{FEW, MODELS, SWEEPS, errors_after, heading, tell, variants};
use crate::bench::Findings;
use crate::shell::step;
use anyhow::{Result, ensure};
use std::sync::{Mutex, PoisonError};
use tumble::Settings;
use tumble_scenes::piles::{PILES, PileStage};

/// Further sweeps may move a reference by this much, and no more: errors are read down to a thousand times that.
const MOVED: f64 = 1e-12;

/// Every pile in both models by every variant.
pub(super) fn run(findings: &mut Findings) -> Result<()> {
    // in static memory, as on the target
    static STAGE: Mutex<PileStage> = Mutex::new(PileStage::new());
    let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut references = Vec::new();
    findings.line(heading(&SWEEPS[FEW]));
    for pile in &PILES {
        step(pile.name, || {
            stage.build(pile)?;
            for (friction, model) in MODELS {
                let reference = stage.reference(friction)?;
                let (energy, moved) = (reference.energy, reference.moved);
                ensure!(moved < MOVED, "{} in {model}: the reference is none, it moves by {moved:e}", pile.name);
                references.push(format!(
                    "  {:19}  {model}    {:>8}  {:>6}  {energy:>11.1e}  {moved:>8.1e}  {}",
                    pile.name,
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
                    tell(findings, pile.name, model, variant, &errors);
                }
            }
            Ok(())
        })?;
    }
    findings.line(
        "  their references: energy error over that of the cold start; moved by half as many sweeps again, as above",
    );
    findings
        .line("  (ccp has one answer; ncp may have others than the one that plain sweeps from a cold start arrive at)");
    findings.line("  pile                 model  contacts  sweeps  energy left     moved");
    references.iter().for_each(|line| findings.line(line));
    findings.line("");
    Ok(())
}
