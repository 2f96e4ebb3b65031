//! Instructions of a whole step, collision and all, exact, on the emulated boards.

use super::Findings;
use crate::firmware::{BOARDS, Played, play};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

const BENCH: &str = "step";

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    findings.line("step: instructions of a step on emulated boards (release, exact counts); bytes of world and script");
    findings.line("  board  scene             least       mean       most    bytes");
    for board in BOARDS {
        for Played { scene, instructions: [least, mean, most], bytes, .. } in
            step(&format!("scenes on {}", board.core), || play(board))?
        {
            findings.line(format!("  {:5}  {scene:12}  {least:>9}  {mean:>9}  {most:>9}  {bytes:>7}", board.variant));
            let mut record = |metric, value: u64, unit| {
                findings.record(BENCH, &scene, board.variant, metric, value as f64, unit);
            };
            record("instructions_min", least, "instructions");
            record("instructions_mean", mean, "instructions");
            record("instructions_max", most, "instructions");
            record("size", bytes, "bytes");
        }
    }
    Ok(findings)
}
