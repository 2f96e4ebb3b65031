//! A board's clocks: what `boards/support/src/clocks.rs` prints, held to what is promised.
//!
//! ```text
//! CMSDK timer and SysTick     within 1 % of each other and of what the work takes: I instructions of 128 ns, ticks of 40 ns
//! a good clock                stops a solve at its deadline, before its cap
//! a frozen one (QEMU's DWT)   is said to be; the cap holds
//! many deadlines              missed by no more than 1.5 times what the rows between two readings take
//! ```

use crate::firmware::{Board, try_clocks};
use anyhow::{Context, Result, bail, ensure};

/// Between two readings lie these rows; after them the velocities of all bodies are looked at once.
const OVER: f64 = 1.5;

/// Run the firmware, check every line.
pub(crate) fn check(board: Board) -> Result<()> {
    verify(&try_clocks(board)?).with_context(|| format!("clocks of {}", board.core))
}

fn verify(text: &str) -> Result<()> {
    let (mut works, mut solves, mut deadlines) = (0, 0, 0);
    for line in text.lines() {
        let said = || format!("it says `{line}`");
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["work", "instructions", work, "cmsdk", cmsdk, "systick", systick, "dwt", _] => {
                works += 1;
                let ticks = work.parse::<f64>()? * 128.0 / 40.0;
                for clock in [cmsdk, systick] {
                    ensure!((clock.parse::<f64>()? / ticks - 1.0).abs() < 0.01, said());
                }
            }
            ["solve", clock, _, "ticks", _, "status", status, "sweeps", sweeps, "cap", cap, "clock", health] => {
                solves += 1;
                let (sweeps, cap) = (sweeps.parse::<u32>()?, cap.parse::<u32>()?);
                let as_promised = match (clock, health) {
                    ("dwt", "frozen") => status == "cap" && sweeps == cap,
                    ("cmsdk" | "systick", "good") => status == "deadline" && 0 < sweeps && sweeps < cap,
                    _ => false,
                };
                ensure!(as_promised, said());
            }
            ["deadlines", _, "solves", _, "cut", cut, "late", _, "over", over, "interval", interval] => {
                deadlines += 1;
                ensure!(cut.parse::<u32>()? > 0, said());
                ensure!(over.parse::<f64>()? <= OVER * interval.parse::<f64>()?, said());
            }
            // for people
            ["record", ..] | ["float_env_ok", "true"] | ["calibration", "1000"] => {}
            _ => bail!(said()),
        }
    }
    // two cases, by three clocks each
    ensure!((works, solves, deadlines) == (1, 6, 2), "lines are missing:\n{text}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::verify;

    const GOOD: &str = "float_env_ok true
calibration 1000
work instructions 1000 cmsdk 3201 systick 3190 dwt 0
solve cmsdk a ticks 9 status deadline sweeps 7 cap 60 clock good
solve systick a ticks 9 status deadline sweeps 7 cap 60 clock good
solve dwt a ticks 9 status cap sweeps 60 cap 60 clock frozen
deadlines a solves 9 cut 9 late 1 over 150 interval 100
record of 9
solve cmsdk b ticks 9 status deadline sweeps 7 cap 60 clock good
solve systick b ticks 9 status deadline sweeps 7 cap 60 clock good
solve dwt b ticks 9 status cap sweeps 60 cap 60 clock frozen
deadlines b solves 9 cut 9 late 0 over 0 interval 100
";

    #[test]
    fn what_is_not_promised_is_found() {
        verify(GOOD).unwrap();
        for (good, bad) in [
            ("true", "false"),
            ("calibration 1000", "calibration 999"),
            ("systick 3190", "systick 3100"),
            ("sweeps 7 cap 60 clock good", "sweeps 7 cap 60 clock backward"),
            ("deadline sweeps 7", "cap sweeps 60"),
            ("cap sweeps 60", "deadline sweeps 50"),
            ("clock frozen", "clock good"),
            ("over 150", "over 151"),
            ("cut 9", "cut 0"),
            ("deadlines b", "panicked"),
            ("solve dwt b ticks 9 status cap sweeps 60 cap 60 clock frozen\n", ""),
        ] {
            assert!(GOOD.contains(good) && verify(&GOOD.replacen(good, bad, 1)).is_err(), "{bad}");
        }
    }
}
