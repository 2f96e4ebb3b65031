//! What the firmware takes: flash, RAM, bytes of a row.

use super::Findings;
use crate::firmware::{BOARDS, build, emulate, size};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

const BENCH: &str = "size";

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    findings.line("size: firmware with all cases, f32 and f64 kernels, printing (release); bytes");
    findings
        .line("  board      flash     RAM  problem (16 bodies, 160 rows, f32)  row (f32)  stack of a solve (f32, f64)");
    for board in BOARDS {
        let (size, output) = step(&format!("{} firmware", board.core), || {
            let elf = build(board, "release")?;
            Ok((size(&elf)?, emulate(board, &elf)?))
        })?;
        findings.line(format!(
            "  {:5}  {:>9}  {:>6}  {:>34}  {:>9}  {:>5} {:>5}",
            board.variant,
            size.flash,
            size.ram,
            output.problem_bytes,
            output.row_bytes,
            output.stack[0],
            output.stack[1]
        ));
        let mut record = |case, metric, value: u64| {
            findings.record(BENCH, case, board.variant, metric, value as f64, "bytes");
        };
        record("firmware", "flash", size.flash);
        record("firmware", "ram", size.ram);
        record("problem-16-160-f32", "size", output.problem_bytes);
        record("row-f32", "size", output.row_bytes);
        for (case, bytes) in ["solve-f32", "solve-f64"].into_iter().zip(output.stack) {
            findings.record("stack", case, board.variant, "high_water", bytes as f64, "bytes");
        }
    }
    Ok(findings)
}
