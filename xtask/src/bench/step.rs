//! Instructions of a whole step of the world, collision and all, exact, on the emulated boards; what published costs predict; how well it was solved.

use super::Findings;
use crate::cost::{self, Spread};
use crate::firmware::{BOARDS, Played};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

const BENCH: &str = "step";

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    findings.line("step: instructions of a step on emulated boards (release, exact counts); predicted: the most by published costs;");
    findings.line("  jitter: most over mean of steps with as many contacts, rows and sweeps; sweeps and energy error: mean, most;");
    findings.line("  bytes of world and script; stack: most bytes");
    findings.line(
        "  board  scene             least       mean       most  predicted  jitter  sweeps          energy (J)         bytes  stack",
    );
    for board in BOARDS {
        let costs = cost::published(board);
        let evidence = step(&format!("scenes and meters on {}", board.core), || cost::evidence(board))?;
        for played in &evidence.scenes {
            let Played { scene, bytes, steps, .. } = played;
            let Spread { least, mean, most } = played.instructions();
            let predicted = f64::from(played.predicted_most(&costs));
            let sweeps = Spread::of(steps.iter().map(|step| step.sweeps.into()));
            let energy = Spread::of(steps.iter().map(|step| step.energy.into()));
            let jitter = played.jitter();
            findings.line(format!(
                "  {:5}  {scene:12}  {least:>9}  {mean:>9.0}  {most:>9}  {predicted:>9}  {:>6}  {:>6.1}  {:>5}  {:>8.1e}  {:>8.1e}  {bytes:>6}  {:>5}",
                board.variant,
                jitter.map_or("-".into(), |jitter| format!("{jitter:.3}")),
                sweeps.mean,
                sweeps.most,
                energy.mean,
                energy.most,
                played.stack()
            ));
            let mut record = |metric, value, unit| findings.record(BENCH, scene, board.variant, metric, value, unit);
            record("instructions_min", least, "instructions");
            record("instructions_mean", mean, "instructions");
            record("instructions_max", most, "instructions");
            record("instructions_predicted_max", predicted, "instructions");
            if let Some(jitter) = jitter {
                record("jitter", jitter, "1");
            }
            record("sweeps_mean", sweeps.mean, "1");
            record("sweeps_max", sweeps.most, "1");
            record("energy_error_mean", energy.mean, "J");
            record("energy_error_max", energy.most, "J");
            record("size", *bytes as f64, "bytes");
        }
        let stack = evidence.scenes.iter().map(Played::stack).max().unwrap_or(0);
        findings.record("stack", "step", board.variant, "high_water", stack as f64, "bytes");
    }
    Ok(findings)
}
