//! `tumble scenes`: what there is to run, a line each.

use crate::output::print;
use anyhow::Result;
use clap::Args;
use tumble_scenes::SCENES;

/// List the scenes that "tumble run" plays
#[derive(Args)]
pub(crate) struct Arguments {}

/// Name and what it shows.
pub(crate) fn run(_arguments: &Arguments) -> Result<()> {
    print(&SCENES.map(|(name, about)| format!("{name:16}{about}\n")).concat())
}
