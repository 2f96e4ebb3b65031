//! The exact solver on an emulated Cortex-M4F: stacks and piles beside DAQP, chains by pivots and from scratch; on this machine beside sweeps.

use super::{Findings, crossover, methods};
use crate::exact::{Measured, Pivot, measure};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

const BENCH: &str = "exact";
const M4F: &str = "m4f";

/// Instructions of DAQP (C, f32) on the same board, least and most, its matrix given; as measured in November 2026.
const DAQP: [(&str, f64, f64); 6] = [
    ("stack16", 27e3, 27e3),
    ("stack32", 145e3, 145e3),
    ("stack64", 951e3, 951e3),
    ("pile16", 27e3, 33e3),
    ("pile32", 154e3, 181e3),
    ("pile64", 1.04e6, 1.33e6),
];
/// And to assemble that matrix, for 16, 32 and 64 rows.
const DAQP_MATRIX: [(&str, f64); 3] = [("16", 4e3), ("32", 13e3), ("64", 47e3)];

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    let (spheres, chains) = step("stacks, piles and chains on Cortex-M4F, the same bits as here", measure)?;
    solves(&mut findings, &spheres);
    pivots(&mut findings, &chains);
    methods::run(&mut findings)?;
    crossover::run(&mut findings)?;
    Ok(findings)
}

fn solves(findings: &mut Findings, measured: &[Measured]) {
    findings
        .line("exact: instructions on Cortex-M4F, single precision, from a cold start; least and most of all seeds");
    findings.line(
        "  (first: with an order to find; again: the same pattern, other numbers; DAQP with its matrix to assemble)",
    );
    findings.line(
        "  case      rows  nonzeros  bytes  pivots            first              again               DAQP   of DAQP",
    );
    for (case, least, most) in DAQP {
        let of: Vec<&Measured> = measured.iter().filter(|measured| measured.case == case).collect();
        let Some(one) = of.first() else { continue };
        let matrix = DAQP_MATRIX.iter().find(|(rows, _)| case.ends_with(rows)).map_or(0.0, |(_, matrix)| *matrix);
        let spread = |of_one: fn(&Measured) -> u64| {
            let all = || of.iter().map(|measured| of_one(measured));
            (all().min().unwrap_or(0) as f64, all().max().unwrap_or(0) as f64)
        };
        let (first, again, pivots) = (spread(|m| m.first), spread(|m| m.again), spread(|m| m.pivots));
        let range = |(least, most): (f64, f64)| format!("{:.1} – {:.1} k", least / 1e3, most / 1e3);
        findings.line(format!(
            "  {case:8}  {:>4}  {:>8}  {:>5}  {:>6}  {:>15}  {:>17}  {:>17}  {:>8.2}",
            one.rows,
            one.nonzeros,
            one.bytes,
            format!("{}–{}", pivots.0, pivots.1),
            range(first),
            range(again),
            range((least + matrix, most + matrix)),
            first.1 / (most + matrix)
        ));
        let mut record = |variant, metric, value, unit| findings.record(BENCH, case, variant, metric, value, unit);
        record(M4F, "instructions", first.1, "instructions");
        record(M4F, "instructions_least", first.0, "instructions");
        record(M4F, "instructions_again", again.1, "instructions");
        record(M4F, "pivots", pivots.1, "1");
        record(M4F, "nonzeros", one.nonzeros as f64, "1");
        record(M4F, "bytes", one.bytes as f64, "bytes");
        record("daqp", "instructions", most, "instructions");
        record("daqp", "instructions_with_matrix", most + matrix, "instructions");
    }
    findings.record(BENCH, "pile64", "daqp", "bytes", 38e3, "bytes");
}

fn pivots(findings: &mut Findings, pivots: &[Pivot]) {
    findings.line("");
    findings.line("exact: an open chain of n links on hinges; instructions on Cortex-M4F to put a row in or leave it out, and solve,");
    findings.line("  against its matrix and factor from scratch");
    findings.line("  case      rows  nonzeros   a pivot   per link   from scratch   per link   pivots for one");
    for Pivot { case, links, rows, nonzeros, update, scratch } in pivots {
        let links = *links as f64;
        let (update, scratch) = (*update as f64, *scratch as f64);
        findings.line(format!(
            "  {case:8}  {rows:>4}  {nonzeros:>8}  {update:>8.0}  {:>9.0}  {scratch:>13.0}  {:>9.0}  {:>15.1}",
            update / links,
            scratch / links,
            scratch / update
        ));
        let mut record = |metric, value| findings.record(BENCH, case, M4F, metric, value, "instructions");
        record("instructions_per_pivot", update);
        record("instructions_per_pivot_and_link", update / links);
        record("instructions_from_scratch", scratch);
    }
    findings.line("");
}
