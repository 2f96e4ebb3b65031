//! What a board wrote down, made again here: `boards/support/src/record.rs`.

use crate::firmware::write_down;
use anyhow::{Context, Result, bail, ensure};
use tumble::record::{Record, Verdict, replay};
use tumble_cli::stages::with_stage;

/// Steps that the board is to write down.
const STEPS: u32 = 10_000;

/// Run the firmware, replay its record; and see that a bit flipped in it is found.
pub(crate) fn check() -> Result<()> {
    let text = write_down()?;
    let mut bytes = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("record ")) {
        for digits in line.as_bytes().chunks(2) {
            let digits = str::from_utf8(digits)?;
            bytes.push(u8::from_str_radix(digits, 16).with_context(|| format!("the board says `{line}`"))?);
        }
    }
    let record = Record::open(&bytes)?;
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
        Verdict::Same { .. } => {}
        verdict => bail!("{} on Cortex-M4F: {verdict}", head.name),
    }
    let middle = bytes.len() / 2;
    let mut flipped = bytes.clone();
    flipped[middle] ^= 1;
    ensure!(Record::open(&flipped).is_err(), "a bit flipped in byte {middle} is not found");
    ensure!(Record::open(&bytes[..middle]).is_err(), "a record cut off at byte {middle} is not refused");
    Ok(())
}
