//! What the exact solver comes to on Cortex-M4F, and that it answers there as here.

use crate::firmware::solve_exactly;
use anyhow::{Context, Result, bail};
use std::sync::Mutex;
use tumble_scenes::exact::{
    Bench16, Bench32, Bench64, BenchChain, CHAINS, MASS_RATIO_STEPS, MassRatioExact, SEEDS, Shape,
};
use tumble_scenes::{SmallMassRatio, write_hybrid_hash};

/// A stack or a pile.
pub(crate) struct Measured {
    pub(crate) case: String,
    pub(crate) seed: u64,
    pub(crate) rows: u64,
    pub(crate) nonzeros: u64,
    /// of working memory
    pub(crate) bytes: u64,
    /// of the first solve
    pub(crate) pivots: u64,
    /// instructions with an order to find
    pub(crate) first: u64,
    /// instructions when the order is known
    pub(crate) again: u64,
}

/// A chain.
pub(crate) struct Pivot {
    pub(crate) case: String,
    pub(crate) links: u64,
    pub(crate) rows: u64,
    pub(crate) nonzeros: u64,
    /// instructions
    pub(crate) update: u64,
    pub(crate) scratch: u64,
}

/// Run the firmware, compare its answers with this machine's, read what it counted.
pub(crate) fn measure() -> Result<(Vec<Measured>, Vec<Pivot>)> {
    let text = solve_exactly()?;
    let counted = |line: &&str| line.starts_with("cost") || line.starts_with("pivot");
    let (mut host, board) = (here()?, text.lines().filter(|line| !counted(line)).skip(2));
    // only a target's memory is of interest
    host.retain(|line| !counted(&line.as_str()));
    let mut lines = 0;
    for (on_board, on_host) in board.zip(&host) {
        lines += 1;
        if !on_board.starts_with("size") && on_board != on_host {
            bail!("the exact solver differs on Cortex-M4F:\n  board {on_board}\n  host  {on_host}");
        }
    }
    if lines != host.len() {
        bail!("Cortex-M4F printed {lines} lines of answers, this machine {}", host.len());
    }
    parse(&text)
}

/// All answers of this machine.
fn here() -> Result<Vec<String>> {
    static MEMORY: Mutex<(Bench16, Bench32, Bench64, BenchChain)> =
        Mutex::new((Bench16::new(), Bench32::new(), Bench64::new(), BenchChain::new()));
    let mut memory = MEMORY.lock().expect("no panic");
    let (small, middle, large, chain) = &mut *memory;
    static TOWERS: Mutex<(SmallMassRatio, MassRatioExact)> = Mutex::new((SmallMassRatio::new(), MassRatioExact::new()));
    let (towers, exact) = &mut *TOWERS.lock().expect("no panic");
    let mut out = String::new();
    let mut count = |work: &mut dyn FnMut()| {
        work();
        0
    };
    let mut solve = || -> std::fmt::Result {
        for shape in [Shape::Stack, Shape::Pile] {
            for seed in SEEDS {
                small.solve(&mut out, (shape, 16), seed, &mut count)?;
                middle.solve(&mut out, (shape, 32), seed, &mut count)?;
                large.solve(&mut out, (shape, 64), seed, &mut count)?;
            }
        }
        write_hybrid_hash(&mut out, "mass-ratio", towers, exact, MASS_RATIO_STEPS)?;
        for links in CHAINS {
            chain.solve(&mut out, (Shape::Chain, links), SEEDS[0], &mut count)?;
        }
        Ok(())
    };
    solve().context("a case does not solve on this machine")?;
    Ok(out.lines().map(str::to_owned).collect())
}

fn parse(text: &str) -> Result<(Vec<Measured>, Vec<Pivot>)> {
    let number = |word: &str| word.parse::<u64>().with_context(|| format!("`{word}` is not a number"));
    let (mut spheres, mut chains) = (Vec::new(), Vec::new());
    let (mut answers, mut size) = (Vec::new(), [0; 3]);
    for line in text.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["answer", _, _, "bodies", _, "rows", _, .., pivots] => answers.push(number(pivots)?),
            ["size", _, "seed", _, "bodies", _, "rows", rows, "nonzeros", nonzeros, "bytes", bytes] => {
                size = [number(rows)?, number(nonzeros)?, number(bytes)?];
            }
            ["cost", case, "seed", seed, "first", first, "again", again] => {
                let [rows, nonzeros, bytes] = size;
                let (case, seed, first, again) = (case.to_owned(), number(seed)?, number(first)?, number(again)?);
                let pivots = answers.first().copied().unwrap_or(0);
                spheres.push(Measured { case, seed, rows, nonzeros, bytes, pivots, first, again });
                answers.clear();
            }
            ["pivot", case, "update", update, "from-scratch", scratch] => {
                let [rows, nonzeros, _] = size;
                let links = number(case.trim_start_matches(Shape::Chain.name()))?;
                let (case, update, scratch) = (case.to_owned(), number(update)?, number(scratch)?);
                chains.push(Pivot { case, links, rows, nonzeros, update, scratch });
            }
            ["float_env_ok", "false"] => bail!("the board's floating point is not IEEE 754"),
            _ => {}
        }
    }
    if spheres.is_empty() || chains.is_empty() {
        bail!("the firmware printed no costs:\n{text}");
    }
    Ok((spheres, chains))
}
