//! The feeder twin.

use super::{Findings, conveying};
use anyhow::Result;

pub(crate) const BENCH: &str = "feeder";

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    conveying::run(&mut findings)?;
    Ok(findings)
}
