//! The linear feeder on a board, and made again here from what the board wrote down: `boards/support/src/feeder.rs`.

use crate::firmware::{Board, M4F, run_feeder, run_longest};
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};
use tumble::record::{Record, Verdict, replay};
use tumble_cli::stages::with_stage;

/// Steps that a board is to write down.
pub(crate) const STEPS: u32 = 10_000;

/// What a board says of ten thousand steps.
#[derive(Clone)]
pub(crate) struct Feeder {
    /// What it wrote down.
    pub(crate) record: Vec<u8>,
    /// `bytes`, `parts`, `mean`, `most` (instructions), `stack` (bytes), `energy` (J).
    figures: HashMap<String, f64>,
    /// Key figures, in the order of the scene.
    pub(crate) kpis: Vec<(String, f64)>,
}

impl Feeder {
    /// A figure by its name.
    pub(crate) fn figure(&self, name: &str) -> Result<f64> {
        self.figures.get(name).copied().with_context(|| format!("the board says nothing of {name}"))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut feeder = Self { record: Vec::new(), figures: HashMap::new(), kpis: Vec::new() };
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["record", digits] => {
                    for byte in digits.as_bytes().chunks(2) {
                        let byte = u8::from_str_radix(str::from_utf8(byte)?, 16);
                        feeder.record.push(byte.with_context(|| format!("the board says `{line}`"))?);
                    }
                }
                ["twin", ref figures @ ..] => {
                    for pair in figures.chunks_exact(2) {
                        feeder.figures.insert(pair[0].into(), pair[1].parse()?);
                    }
                }
                ["kpi", name, value] => feeder.kpis.push((name.into(), value.parse()?)),
                ["float_env_ok", "true"] | ["calibration", "1000"] => {}
                _ => bail!("the board says `{line}`"),
            }
        }
        Ok(feeder)
    }
}

/// Run the firmware, once a board however often it is asked for.
pub(crate) fn feed(board: Board) -> Result<Feeder> {
    static FED: Mutex<Vec<(&str, Feeder)>> = Mutex::new(Vec::new());
    let mut fed = FED.lock().expect("no panic");
    if let Some((_, feeder)) = fed.iter().find(|(name, _)| *name == board.name) {
        return Ok(feeder.clone());
    }
    let feeder = Feeder::parse(&run_feeder(board)?)?;
    fed.push((board.name, feeder.clone()));
    Ok(feeder)
}

/// A millisecond of an STM32F405 at 168 MHz. Instructions
const BUDGET: u64 = 168_000;

/// Steps with one order of caps on the M4F.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) seed: u32,
    pub(crate) steps: u64,
    /// Instructions.
    pub(crate) mean: u64,
    pub(crate) most: u64,
    /// The step that took the most.
    pub(crate) at: u64,
}

/// What whole steps take on the M4F with several orders of caps, counted once however often it is asked for.
pub(crate) fn longest() -> Result<&'static [Run]> {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    if let Some(runs) = RUNS.get() {
        return Ok(runs);
    }
    let mut runs = Vec::new();
    for line in run_longest()?.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["longest", "seed", seed, "steps", steps, "parts", _, "mean", mean, "most", most, "at", at] => {
                let (seed, steps, mean) = (seed.parse()?, steps.parse()?, mean.parse()?);
                runs.push(Run { seed, steps, mean, most: most.parse()?, at: at.parse()? });
            }
            ["float_env_ok", "true"] | ["calibration", "1000"] => {}
            _ => bail!("the board says `{line}`"),
        }
    }
    Ok(RUNS.get_or_init(|| runs))
}

/// The run with the longest step of all.
pub(crate) fn longest_run() -> Result<&'static Run> {
    longest()?.iter().max_by_key(|run| run.most).context("the board counted nothing")
}

/// No step takes longer than the millisecond it stands for.
fn check_budget() -> Result<()> {
    let Run { seed, most, at, .. } = longest_run()?;
    ensure!(*most <= BUDGET, "step {at} with seed {seed} takes {most} instructions, more than {BUDGET}");
    // what was written down is counted with the stack painted, and is no longer
    let written = feed(M4F)?.figure("most")?;
    ensure!(written <= BUDGET as f64, "a step that was written down takes {written} instructions, more than {BUDGET}");
    Ok(())
}

/// Replay what a board wrote down; returns how many hashes were compared.
pub(crate) fn replay_here(board: Board) -> Result<u32> {
    let feeder = feed(board)?;
    let record = Record::open(&feeder.record)?;
    let head = record.head();
    ensure!(record.len() == STEPS, "the board wrote {} steps down, not {STEPS}", record.len());
    let verdict = with_stage(head.name, |scene| {
        scene.reset()?;
        Ok::<_, anyhow::Error>(replay(&record, |inputs| {
            scene.set_inputs(inputs)?;
            scene.step(head.h, &head.settings).map(|_| scene.state_hash())
        }))
    });
    match verdict.with_context(|| format!("there is no scene {:?} here", head.name))?? {
        Verdict::Same { hashes, .. } => Ok(hashes),
        verdict => bail!("{} on {}: {verdict}", head.name, board.core),
    }
}

/// The same bits here; a bit flipped on the way, or an end that is missing, is found; and on the M4F every step is on time.
pub(crate) fn check(board: Board) -> Result<()> {
    replay_here(board)?;
    let Feeder { record, .. } = feed(board)?;
    let middle = record.len() / 2;
    let mut flipped = record.clone();
    flipped[middle] ^= 1;
    ensure!(Record::open(&flipped).is_err(), "a bit flipped in byte {middle} is not found");
    ensure!(Record::open(&record[..middle]).is_err(), "a record cut off at byte {middle} is not refused");
    if board == M4F { check_budget() } else { Ok(()) }
}
