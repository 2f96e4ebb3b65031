//! Steps as boards write them: `step I stack B sweeps K energy E work N N N …` (boards/support/src/trace.rs).

use anyhow::{Context, Result};
use tumble::world::{KINDS, Work};

/// One step on a board.
pub(crate) struct Step {
    pub(crate) instructions: u64,
    /// High-water mark. Bytes
    pub(crate) stack: u64,
    /// Sweeps of the island that took most.
    pub(crate) sweeps: u32,
    /// Energy error. J
    pub(crate) energy: f32,
    pub(crate) work: Work,
}

impl Step {
    /// Of the words of a line.
    pub(crate) fn parse(words: &[&str]) -> Result<Self> {
        let (["step", instructions, "stack", stack, "sweeps", sweeps, "energy", energy, "work"], counts) =
            words.split_at_checked(9).context("a step's line is too short")?
        else {
            anyhow::bail!("`{}` is no step", words.join(" "));
        };
        let counts = counts.iter().map(|count| count.parse()).collect::<Result<Vec<u32>, _>>()?;
        let counts: [u32; KINDS] = counts.try_into().ok().context("a step counts other kinds of work")?;
        Ok(Self {
            instructions: instructions.parse()?,
            stack: stack.parse()?,
            sweeps: sweeps.parse()?,
            energy: f32::from_bits(u32::from_str_radix(energy, 16)?),
            work: Work::of_counts(counts),
        })
    }
}
