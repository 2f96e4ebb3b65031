//! Instructions per row, per contact and per sweep, exact, on the emulated boards.

use super::Findings;
use crate::firmware::{BOARDS, build, emulate};
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
    }
    findings.line("  cases:");
    for case in CASES.iter().filter(|case| case.is_meter()) {
        findings.line(format!("    {:17}  {}", case.name, case.about));
    }
    Ok(findings)
}
