//! `cargo xtask figures`: the pictures in `docs/` that are computed, drawn as plain SVG from the library's own functions.
//!
//! The same program draws the same text on every machine, so that a picture which no longer shows what the library does is found by
//! comparing files.

mod contour;
mod conveying;
mod crossover;
mod energy_error;
mod infeasibility;
mod svg;

use crate::shell::root;
use anyhow::{Context, Result, bail};

struct Figure {
    /// From the root on.
    path: &'static str,
    draw: fn() -> String,
}

const FIGURES: [Figure; 4] = [
    Figure { path: "docs/conveying.svg", draw: conveying::draw },
    Figure { path: "docs/energy-error.svg", draw: energy_error::draw },
    Figure { path: "docs/exact-crossover.svg", draw: crossover::draw },
    Figure { path: "docs/infeasibility.svg", draw: infeasibility::draw },
];

pub(crate) fn run() -> Result<()> {
    for Figure { path, draw } in FIGURES {
        std::fs::write(root().join(path), draw()).with_context(|| format!("cannot write {path}"))?;
        println!("{path}");
    }
    Ok(())
}

/// Is every file what the command draws?
pub(crate) fn check() -> Result<()> {
    for Figure { path, draw } in FIGURES {
        let file = std::fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
        if file != draw() {
            bail!("{path} is not what `cargo xtask figures` draws; draw it again and look at it");
        }
    }
    Ok(())
}
