//! The feeder twin: how fast tracks convey, and what a whole step of the linear feeder takes on boards, controller and all.

use super::{Findings, conveying};
use crate::feeder::{Run, feed, longest, longest_run};
use crate::firmware::{BOARDS, M4F, feeder_elf, size};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

pub(crate) const BENCH: &str = "feeder";
const CASE: &str = "linear-feeder";

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    on_boards(&mut findings)?;
    conveying::run(&mut findings)?;
    Ok(findings)
}

fn on_boards(findings: &mut Findings) -> Result<()> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    findings.line("feeder: linear-feeder, ten thousand whole steps");
    findings.line("  board  parts  instructions, mean and most  bytes of the twin  stack  RAM   flash");
    for board in BOARDS {
        let (feeder, size) = step(&format!("linear-feeder on {}", board.core), || {
            Ok::<_, anyhow::Error>((feed(board)?, size(&feeder_elf(board)?)?))
        })?;
        let mut record = |metric, value, unit| findings.record(BENCH, CASE, board.variant, metric, value, unit);
        let figures = ["parts", "mean", "most", "bytes", "stack", "energy"].map(|name| feeder.figure(name));
        let [parts, mean, most, bytes, stack, energy] = figures;
        let (parts, mean, mut most, bytes, stack) = (parts?, mean?, most?, bytes?, stack?);
        if board == M4F {
            let longest = step("linear-feeder with other orders of caps", longest_run)?;
            most = most.max(longest.most as f64);
        }
        record("parts_max", parts, "1");
        record("instructions_mean", mean, "1");
        record("instructions_max", most, "1");
        record("twin_bytes", bytes, "B");
        record("stack_bytes", stack, "B");
        record("ram_bytes", size.ram as f64, "B");
        record("flash_bytes", size.flash as f64, "B");
        record("energy_max", energy?, "J");
        for (name, value) in &feeder.kpis {
            if name == "parts_per_minute" {
                record("parts_per_minute", *value, "1/min");
            }
        }
        findings.line(format!(
            "  {:5}  {parts:>5}  {mean:>8}  {most:>8}            {bytes:>8}           {stack:>5}  {}  {}",
            board.variant, size.ram, size.flash
        ));
    }
    findings.line("");
    findings.line("  m4f, one order of caps after another: the most above is the most of all these");
    findings.line("  seed   steps  instructions, mean and most  at step");
    for Run { seed, steps, mean, most, at } in longest()? {
        findings.line(format!("  {seed:>4}  {steps:>6}  {mean:>8}  {most:>8}            {at:>6}"));
    }
    findings.line("");
    Ok(())
}
