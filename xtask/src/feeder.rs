//! The linear feeder on a board, and made again here from what the board wrote down: `boards/support/src/feeder.rs`.

use crate::firmware::{Board, run_feeder};
use anyhow::{Context, Result, bail, ensure};
use std::collections::HashMap;
use std::sync::Mutex;
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

/// The same bits here; and a bit flipped on the way, or an end that is missing, is found.
pub(crate) fn check(board: Board) -> Result<()> {
    replay_here(board)?;
    let Feeder { record, .. } = feed(board)?;
    let middle = record.len() / 2;
    let mut flipped = record.clone();
    flipped[middle] ^= 1;
    ensure!(Record::open(&flipped).is_err(), "a bit flipped in byte {middle} is not found");
    ensure!(Record::open(&record[..middle]).is_err(), "a record cut off at byte {middle} is not refused");
    Ok(())
}
