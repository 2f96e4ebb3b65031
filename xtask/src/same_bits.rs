//! The promise of the same bits: what a board answers, this machine answers to the letter.

use crate::cost;
use crate::firmware::{Board, Played, play_twins};
use crate::shell::root;
use anyhow::{Context, Result, bail};
use tumble_scenes::{BOARD_SCENES, BOARD_TWINS};

/// Every scene has the state on this board that it has here: `scenes/tests/golden_scenes.txt`, which host tests check in debug and release.
pub(crate) fn scenes(board: Board) -> Result<&'static [Played]> {
    let played = &cost::evidence(board)?.scenes;
    for Played { hash, .. } in played {
        is_golden(hash).with_context(|| board.core)?;
    }
    if played.len() != BOARD_SCENES.len() {
        bail!("{} played {} scenes, not {}", board.core, played.len(), BOARD_SCENES.len());
    }
    Ok(played)
}

/// And so has every twin.
pub(crate) fn twins(board: Board) -> Result<()> {
    let hashes = play_twins(board)?;
    for hash in &hashes {
        is_golden(hash).with_context(|| board.core)?;
    }
    if hashes.len() != BOARD_TWINS.len() {
        bail!("{} played {} twins, not {}", board.core, hashes.len(), BOARD_TWINS.len());
    }
    Ok(())
}

/// Does a run end so here, too?
fn is_golden(hash: &str) -> Result<()> {
    let golden = std::fs::read_to_string(root().join("scenes/tests/golden_scenes.txt"))?;
    if !golden.lines().any(|line| line == hash) {
        bail!("a run ends as `{hash}`, which is not in scenes/tests/golden_scenes.txt");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::firmware::{Board, M4F, M7, build, emulate};
    use std::sync::Mutex;
    use tumble_scenes::{CaseProblem, write_all_answers};

    /// Answers of this machine, as compiled now.
    fn host_answers() -> Result<String> {
        static SINGLE: Mutex<CaseProblem<f32>> = Mutex::new(CaseProblem::new());
        static DOUBLE: Mutex<CaseProblem<f64>> = Mutex::new(CaseProblem::new());
        let mut answers = String::new();
        let (mut single, mut double) = (SINGLE.lock().expect("no panic"), DOUBLE.lock().expect("no panic"));
        write_all_answers(&mut answers, &mut single, &mut double).context("a case does not solve on this machine")?;
        Ok(answers)
    }

    /// Build and run a board's firmware and compare; an error names the first line that differs.
    fn compare(board: Board, profile: &str) -> Result<()> {
        let output = emulate(board, &build(board, profile)?)?;
        let host = host_answers()?;
        let mut case = "";
        for (on_board, on_host) in output.answers.lines().zip(host.lines()) {
            if on_host.starts_with("answer") {
                case = on_host;
            }
            if on_board != on_host {
                bail!("{} ({profile}) differs in `{case}`:\n  board {on_board}\n  host  {on_host}", board.core);
            }
        }
        let (on_board, on_host) = (output.answers.lines().count(), host.lines().count());
        if on_board != on_host {
            bail!("{} ({profile}) printed {on_board} lines, this machine {on_host}", board.core);
        }
        Ok(())
    }

    #[test]
    fn cortex_m4f_release() {
        compare(M4F, "release").unwrap();
    }

    #[test]
    fn cortex_m4f_debug() {
        compare(M4F, "dev").unwrap();
    }

    #[test]
    fn cortex_m7_release() {
        compare(M7, "release").unwrap();
    }

    #[test]
    fn cortex_m7_debug() {
        compare(M7, "dev").unwrap();
    }
}
