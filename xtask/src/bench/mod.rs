//! `cargo xtask bench`: every figure as a record, printed as tables and, on request, as JSON.

mod convergence;
pub(crate) mod conveying;
mod cost;
mod crossover;
mod exact;
mod feeder;
mod methods;
pub(crate) mod polyhedra;
mod rows;
mod scale;
mod size;
mod step;

use anyhow::{Context, Result};
use clap::ValueEnum;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::Path;

/// A group of benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Group {
    /// Instructions of a row and of a contact, per sweep, on the boards
    Rows,
    /// Error left after 5 to 20 000 sweeps on piles and recorded problems
    Convergence,
    /// Instructions of a step of every scene, on the boards
    Step,
    /// What each kind of work costs on the boards, and how well that predicts every step; TUMBLE_BLESS=1 publishes it
    Cost,
    /// Time per constraint from 100 to 100 000 constraints, on this machine
    Scale,
    /// The exact solver: instructions of stacks, piles and pivots on Cortex-M4F, and up to which size it beats sweeps here; TUMBLE_BLESS=1 keeps the latter for the picture
    Exact,
    /// Polyhedra: violation against the step in Hart's scenes; TUMBLE_BLESS=1 keeps it for the picture
    Polyhedra,
    /// The feeder twin: conveying speeds against recorded ones, the averaged drive against the resolved one; TUMBLE_BLESS=1 keeps curves for the picture
    Feeder,
    /// Flash and RAM of the firmware, bytes of a row
    Size,
}

/// One figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Record {
    bench: &'static str,
    case: String,
    variant: String,
    metric: &'static str,
    value: f64,
    unit: &'static str,
}

/// What a group found: a table for people, records for programs.
#[derive(Default)]
pub(crate) struct Findings {
    table: String,
    records: Vec<Record>,
}

impl Findings {
    /// Add a line to the table.
    fn line(&mut self, line: impl AsRef<str>) {
        // writing to a String cannot fail
        let _ = writeln!(self.table, "{}", line.as_ref().trim_end());
    }

    /// Add a figure.
    fn record(
        &mut self,
        bench: &'static str,
        case: &str,
        variant: &str,
        metric: &'static str,
        value: f64,
        unit: &'static str,
    ) {
        self.records.push(Record { bench, case: case.into(), variant: variant.into(), metric, value, unit });
    }
}

/// Run one group, or all.
pub(crate) fn run(group: Option<Group>, json: Option<&Path>) -> Result<()> {
    let groups = group.map_or_else(|| Group::value_variants().to_vec(), |group| vec![group]);
    let to_stdout = json == Some(Path::new("-"));
    let mut records = Vec::new();
    for group in groups {
        let findings = match group {
            Group::Rows => rows::run(),
            Group::Convergence => convergence::run(),
            Group::Step => step::run(),
            Group::Cost => cost::run(),
            Group::Scale => scale::run(),
            Group::Exact => exact::run(),
            Group::Polyhedra => polyhedra::run(),
            Group::Feeder => feeder::run(),
            Group::Size => size::run(),
        }?;
        if !to_stdout {
            println!("\n{}", findings.table);
        }
        records.extend(findings.records);
    }
    if let Some(path) = json {
        let text = serde_json::to_string_pretty(&records)?;
        if to_stdout {
            println!("{text}");
        } else {
            std::fs::write(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}
