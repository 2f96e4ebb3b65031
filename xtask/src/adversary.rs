//! An adversary against a board's timer: what `boards/support/src/adversary.rs` prints, held to what is promised.
//!
//! ```text
//! a thousand steps     finite and feasible, each
//! unavoidable work     fits by what it costs: late by no more than the rows between two readings of the clock take
//!                      does not fit: late by no more than it is too much, and nothing is swept
//! budgets              from hopeless to ample: some are refused, some steps are cut off in time, some are late
//! ```

use crate::firmware::{Board, attack};
use anyhow::{Context, Result, bail, ensure};

/// Attacks, of ten steps each.
const ATTACKS: u32 = 100;

/// Run the firmware, check every line.
pub(crate) fn check(board: Board) -> Result<()> {
    verify(&attack(board)?).with_context(|| format!("an adversary on {}", board.core))
}

fn verify(text: &str) -> Result<()> {
    let (mut attacks, mut sums) = (0, 0);
    for line in text.lines() {
        let said = || format!("it says `{line}`");
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["attack", _, "by", "plan" | "clock", "refused", _, "cut", _, "late", _] => attacks += 1,
            [
                "adversary",
                "steps",
                steps,
                "refused",
                refused,
                "cut",
                cut,
                "late",
                late,
                "kept",
                kept,
                "latest",
                latest,
                "over",
                over,
                "interval",
                interval,
                "hash",
                _,
            ] => {
                sums += 1;
                ensure!(steps.parse::<u32>()? == 10 * ATTACKS, said());
                // or it would show nothing
                for count in [refused, cut, late, kept] {
                    ensure!(count.parse::<u32>()? > 0, said());
                }
                ensure!(latest.parse::<i64>()? <= interval.parse::<i64>()?, said());
                ensure!(over.parse::<u64>()? == 0, said());
            }
            ["float_env_ok", "true"] | ["calibration", "1000"] => {}
            // an overrun, or what is wrong with what a step left
            _ => bail!(said()),
        }
    }
    ensure!((attacks, sums) == (ATTACKS, 1), "lines are missing:\n{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{ATTACKS, verify};

    #[test]
    fn what_is_not_promised_is_found() {
        let attacks: String = (0..ATTACKS).map(|k| format!("attack {k} by clock refused 0 cut 2 late 1\n")).collect();
        let good = format!(
            "float_env_ok true\ncalibration 1000\n{attacks}adversary steps 1000 refused 40 cut 200 late 300 kept 50 latest 2300 over 0 interval 2300 hash 0f\n"
        );
        verify(&good).unwrap();
        verify(&good.replace("latest 2300", "latest -9000")).unwrap();
        for (right, wrong) in [
            ("true", "false"),
            ("calibration 1000", "calibration 999"),
            ("steps 1000", "steps 999"),
            ("refused 40", "refused 0"),
            ("cut 200", "cut 0"),
            ("late 300", "late 0"),
            ("kept 50", "kept 0"),
            ("latest 2300", "latest 2301"),
            ("over 0", "over 1"),
            ("attack 7 by clock refused 0 cut 2 late 1\n", ""),
            ("attack 7 by clock", "wrong 7 3 a contact pulls\nattack 7 by clock"),
            ("attack 7 by clock", "overrun 7 3 substeps 1 budget 5 took 9 bound 8 work 1\nattack 7 by clock"),
            ("adversary", "panicked"),
        ] {
            assert!(good.contains(right) && verify(&good.replacen(right, wrong, 1)).is_err(), "{wrong}");
        }
    }
}
