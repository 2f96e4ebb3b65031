//! Instructions per row, per contact and per sweep, exact, on the emulated boards.

use super::Findings;
use crate::firmware::{BOARDS, M4F, Output, build, build_without_estimate, emulate};
use crate::setup;
use crate::shell::step;
use anyhow::Result;
use tumble_scenes::CASES;

const BENCH: &str = "rows";

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    findings.line("rows: instructions on emulated boards (release, exact counts); a contact is three rows");
    findings.line("  board  scalar  case                    rows  insn/sweep  insn/row  insn/contact  insn/solve");
    let mut with = None;
    for board in BOARDS {
        let output = step(&format!("{} firmware", board.core), || emulate(board, &build(board, "release")?))?;
        for cost in &output.costs {
            // the table has room for one scalar where it matters
            let Some(sweep) = cost.per_sweep() else { continue };
            let row = sweep / cost.rows as f64;
            let contacts = cost.case.starts_with("contact");
            let contact = if contacts { format!("{:.0}", row * 3.0) } else { String::new() };
            findings.line(format!(
                "  {:5}  {:6}  {:22}  {:>4}  {sweep:>10.0}  {row:>8.1}  {contact:>12}  {:>10}",
                board.variant, cost.scalar, cost.case, cost.rows, cost.solve
            ));
            let case = if cost.scalar == "f32" { cost.case.clone() } else { format!("{}-{}", cost.case, cost.scalar) };
            let mut record =
                |metric, value| findings.record(BENCH, &case, board.variant, metric, value, "instructions");
            record("instructions_per_sweep", sweep);
            record("instructions_per_row_sweep", row);
            record("instructions_per_solve", cost.solve as f64);
            if contacts {
                record("instructions_per_contact_sweep", row * 3.0);
            }
        }
        if board == M4F {
            with = Some(output);
        }
    }
    findings.line("  cases:");
    for case in CASES.iter().filter(|case| case.is_meter()) {
        findings.line(format!("    {:17}  {}", case.name, case.about));
    }
    if let Some(with) = with {
        estimate(&mut findings, &with)?;
    }
    Ok(findings)
}

/// What the running estimate of the energy error adds to a sweep on Cortex-M4F.
fn estimate(findings: &mut Findings, with: &Output) -> Result<()> {
    let without =
        step("Cortex-M4F firmware without the running estimate", || emulate(M4F, &build_without_estimate(M4F)?))?;
    findings.line("");
    findings.line("rows: what the running estimate of the energy error adds to a sweep, f32 on Cortex-M4F");
    findings.line("  case                      insn/sweep   without  share");
    let sweeps = with.costs.iter().zip(&without.costs).filter(|(cost, _)| cost.scalar == "f32");
    let (mut plain, mut default) = (Vec::new(), Vec::new());
    for (cost, other) in sweeps {
        let (Some(sweep), Some(without)) = (cost.per_sweep(), other.per_sweep()) else { continue };
        let share = sweep / without - 1.0;
        findings.line(format!("  {:24}  {sweep:>10.0}  {without:>8.0}  {:>4.1} %", cost.case, 100.0 * share));
        findings.record(BENCH, &cost.case, M4F.variant, "estimate_share", share, "1");
        if cost.case.ends_with("-psor") { &mut plain } else { &mut default }.push(share);
    }
    for (name, shares) in [("default", default), ("plain", plain)] {
        let mean = shares.iter().sum::<f64>() / shares.len() as f64;
        findings.line(format!("  mean, {name:18}  {:>28.1} %", 100.0 * mean));
        findings.record(BENCH, &format!("estimate-{name}"), M4F.variant, "mean_estimate_share", mean, "1");
    }
    Ok(())
}
