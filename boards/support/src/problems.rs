//! Recorded problems, handed over in the board's external memory as `tumble_scenes::words`: what solving them costs by each method, in instructions.
//!
//! Output, problems counted from 0; whole solves from a cold start, with rows in the order the method wants already; energy as the bits of an f32:
//! ```text
//! order PROBLEM MODEL METHOD instructions I           once, before the first of them: what putting rows into that order takes
//! cost PROBLEM MODEL METHOD cap C sweeps K instructions I energy E
//! too-large PROBLEM
//! refused PROBLEM why
//! ```

use crate::instructions::Counter;
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use tumble::{Answer, FrictionModel, Method, Problem, Report, Settings, Start, StepRule};
use tumble_scenes::words;

/// External memory of mps2-an386, where the emulator puts the words. What it does not write is zero.
const WORDS: *const u32 = 0x2100_0000 as *const u32;
/// 16 MiB of it.
const WORD_COUNT: usize = 4 << 20;

/// As large as fits into the board's memory beside a stack of 16 KiB.
type BoardProblem = Problem<f32, 100, 768>;
const _: () = assert!(size_of::<BoardProblem>() <= 112 * 1024);

const MODELS: [(FrictionModel, &str); 2] = [(FrictionModel::Ccp, "ccp"), (FrictionModel::Ncp, "ncp")];
/// Caps at which methods are compared.
const FEW: &[u32] = &[0, 10, 20];
/// Caps from which the one that costs as much is chosen: more than 20, in case it can afford more.
const ALL: &[u32] = &{
    let mut caps = [0; 31];
    let mut cap = 0;
    while cap < caps.len() {
        caps[cap] = cap as u32;
        cap += 1;
    }
    caps
};

/// Solve every problem that was handed over, leave the emulator. Only on mps2-an386: other boards have their memory elsewhere.
///
/// Called once, from `main`.
pub fn problems() -> ! {
    static PROBLEM: Single<BoardProblem> = Single(UnsafeCell::new(BoardProblem::new()));
    // SAFETY: called once from the only thread, so this is the only reference ever made.
    let problem = unsafe { &mut *PROBLEM.0.get() };
    // SAFETY: memory of this board that is aligned, that nothing else uses, and that nobody writes while this runs.
    let words = unsafe { core::slice::from_raw_parts(WORDS, WORD_COUNT) };
    leave(|out, counter| {
        for (number, words) in words::problems(words).enumerate() {
            match words::read(words, problem) {
                Ok(()) => solve(out, counter, number, problem)?,
                Err(tumble::Error::CapacityExceeded(_)) => writeln!(out, "too-large {number}")?,
                Err(why) => writeln!(out, "refused {number} {why}")?,
            }
        }
        Ok(())
    })
}

/// In both models, by each method, up to each cap.
fn solve(out: &mut impl Write, counter: &mut Counter, number: usize, problem: &mut BoardProblem) -> Result<(), Error> {
    for (friction, model) in MODELS {
        let from_cold = Settings { tolerance: 0.0, friction, start: Start::Cold, iterations: 0, ..Settings::default() };
        let plain = Settings { method: Method::Psor, step: StepRule::Average, ..from_cold };
        let mut cost = |settings: &Settings<f32>| -> Result<(Report<f32>, u64), Error> {
            let (report, instructions) = counter.count(|| problem.solve(settings));
            Ok((report.map_err(|_| Error)?, instructions))
        };
        let last = Settings { answer: Answer::Last, ..from_cold };
        for (method, settings, caps) in [("psor", plain, FEW), ("default", from_cold, FEW), ("last", last, ALL)] {
            // also puts rows into the method's order, which is done once
            let (_, first) = cost(&settings)?;
            let (_, second) = cost(&settings)?;
            writeln!(out, "order {number} {model} {method} instructions {}", first.saturating_sub(second))?;
            for &cap in caps {
                let (report, instructions) = cost(&Settings { iterations: cap, ..settings })?;
                let (sweeps, energy) = (report.iterations, report.energy.to_bits());
                write!(out, "cost {number} {model} {method} cap {cap} ")?;
                writeln!(out, "sweeps {sweeps} instructions {instructions} energy {energy:08x}")?;
            }
        }
    }
    Ok(())
}
