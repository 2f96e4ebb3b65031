//! Recorded problems, handed over in the board's external memory as `tumble_scenes::words`: what solving them costs by each method, in instructions.
//!
//! Output, problems counted from 0; whole solves from a cold start, with rows in the order the method wants already; energy as the bits of an f32:
//! ```text
//! order PROBLEM MODEL METHOD instructions I           once, before the first of them: what putting rows into that order takes
//! cost PROBLEM MODEL METHOD cap C sweeps K instructions I energy E
//! within PROBLEM MODEL instructions I sweeps K over O V V V …   the default, given the time that the plain method took for its last: its order, too;
//!                                                               by how much it was late; velocities, six numbers a body, bits of an f32
//! too-large PROBLEM
//! refused PROBLEM why
//! ```

use crate::instructions::{Counter, instructions, ticks};
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use tumble::{Budget, FrictionModel, Method, Problem, Report, Settings, Start, StepRule};
use tumble_scenes::words;

/// External memory of mps2-an386, where the emulator puts the words. What it does not write is zero.
const WORDS: *const u32 = 0x2100_0000 as *const u32;
/// 16 MiB of it.
const WORD_COUNT: usize = 4 << 20;

/// As large as fits into the board's memory beside a stack of 16 KiB.
type BoardProblem = Problem<f32, 100, 768>;
const _: () = assert!(size_of::<BoardProblem>() <= 112 * 1024);

const MODELS: [(FrictionModel, &str); 2] = [(FrictionModel::Ccp, "ccp"), (FrictionModel::Ncp, "ncp")];
/// Caps of the plain method, whose cost is linear in them.
const PLAIN: [u32; 4] = [0, 5, 10, 20];
/// Largest cap of the default, whose cost is not: some are rounded down. More than the 20 it is compared with, in case it can afford more.
const LARGEST: u32 = 30;
/// More than there is time for.
const ENDLESS: u32 = 10_000;

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

/// In both models, by both methods, up to each cap; and by the default within the time of the plain one.
fn solve(out: &mut impl Write, counter: &mut Counter, number: usize, problem: &mut BoardProblem) -> Result<(), Error> {
    for (friction, model) in MODELS {
        let from_cold = Settings { tolerance: 0.0, friction, start: Start::Cold, iterations: 0, ..Settings::default() };
        let plain = Settings { method: Method::Psor, step: StepRule::Average, ..from_cold };
        let mut cost = |settings: &Settings<f32>| -> Result<(Report<f32>, u64), Error> {
            let (report, instructions) = counter.count(|| problem.solve(settings));
            Ok((report.map_err(|_| Error)?, instructions))
        };
        let mut baseline = 0;
        for (method, settings) in [("psor", plain), ("default", from_cold)] {
            // also puts rows into the method's order, which is done once
            let (_, first) = cost(&settings)?;
            let (_, second) = cost(&settings)?;
            writeln!(out, "order {number} {model} {method} instructions {}", first.saturating_sub(second))?;
            for cap in (0..=LARGEST).filter(|cap| method == "default" || PLAIN.contains(cap)) {
                let (report, instructions) = cost(&Settings { iterations: cap, ..settings })?;
                let (sweeps, energy) = (report.iterations, report.energy.to_bits());
                write!(out, "cost {number} {model} {method} cap {cap} ")?;
                writeln!(out, "sweeps {sweeps} instructions {instructions} energy {energy:08x}")?;
                if method == "psor" {
                    baseline = instructions;
                }
            }
        }
        // rows as they were added: the default has to order them within its time
        cost(&plain)?;
        within(out, counter, (number, model), problem, &from_cold, baseline)?;
    }
    Ok(())
}

fn within(
    out: &mut impl Write,
    counter: &mut Counter,
    (number, model): (usize, &str),
    problem: &mut BoardProblem,
    settings: &Settings<f32>,
    baseline: u64,
) -> Result<(), Error> {
    let mut timer = counter.timer();
    let mut budget = Budget::new(&mut timer, ticks(baseline)).map_err(|_| Error)?;
    let report =
        problem.solve_within(&Settings { iterations: ENDLESS, ..*settings }, &mut budget).map_err(|_| Error)?;
    let over = instructions(budget.slack().min(0).unsigned_abs().into());
    write!(out, "within {number} {model} instructions {baseline} sweeps {} over {over}", report.iterations)?;
    for x in problem.velocities().flat_map(<[f32; 6]>::from) {
        write!(out, " {:08x}", x.to_bits())?;
    }
    writeln!(out)
}
