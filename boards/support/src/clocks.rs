//! The clocks of a board put to use: how long a known piece of work takes by each, what a solve with a deadline does by each, and by how much the latest of many
//! deadlines is missed.
//!
//! Output:
//! ```text
//! work instructions I cmsdk T systick T dwt T          ticks by each clock, from before to after
//! solve CLOCK CASE ticks B status S sweeps K cap C clock H
//! deadlines CASE solves N cut C late L over O interval I   instructions: most over a deadline; of the rows between two readings
//! record …                                            the SolveRecord of these, a table
//! ```

use crate::clock::{Dwt, SysTick};
use crate::instructions::{Counter, instructions, thousand_nops};
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use cortex_m::Peripherals;
use tumble::rig::SolveRecord;
use tumble::solve::ROWS_BETWEEN_READINGS;
use tumble::{Budget, Clock, ClockHealth, Report, Settings};
use tumble_scenes::{CASES, Case, CaseProblem};

/// Of a thousand nops.
const WORK: u32 = 200;
/// Deadlines between the time that starting takes and that of the whole solve.
const DEADLINES: u32 = 500;

/// Try the board's clocks, leave the emulator.
///
/// Called once, from `main`.
pub fn clocks() -> ! {
    static PROBLEM: Single<CaseProblem<f32>> = Single(UnsafeCell::new(CaseProblem::new()));
    // SAFETY: called once from the only thread, so this is the only reference ever made.
    let problem = unsafe { &mut *PROBLEM.0.get() };
    leave(|out, counter| {
        let mut core = Peripherals::take().ok_or(Error)?;
        let (mut timer, mut systick) = (counter.timer(), SysTick::start(core.SYST));
        let mut dwt = Dwt::start(&mut core.DCB, core.DWT);
        let mut clocks: [(&str, &mut dyn Clock); 3] =
            [("cmsdk", &mut timer), ("systick", &mut systick), ("dwt", &mut dwt)];

        let mut passed = [0_u32; 3];
        let mut read = || {
            for ((_, clock), passed) in clocks.iter_mut().zip(&mut passed) {
                *passed = clock.ticks().wrapping_sub(*passed) & clock.mask();
            }
        };
        read();
        (0..WORK).for_each(|_| thousand_nops());
        read();
        let [cmsdk, systick, dwt] = passed;
        writeln!(out, "work instructions {} cmsdk {cmsdk} systick {systick} dwt {dwt}", 1000 * WORK)?;

        for case in [&CASES[0], &CASES[14]] {
            case.build(problem).map_err(|_| Error)?;
            let settings = case.settings();
            // half of what the whole solve takes
            let whole = ticks_of(problem, &settings, clocks[0].1)?;
            for (name, clock) in &mut clocks {
                let (report, _) = solve_within(problem, &settings, *clock, whole / 2)?;
                let Report { status, iterations, .. } = report;
                let (name_of_case, cap, health) = (case.name, settings.iterations, health(report.clock));
                writeln!(
                    out,
                    "solve {name} {name_of_case} ticks {} status {status} sweeps {iterations} cap {cap} clock {health}",
                    whole / 2
                )?;
            }
            deadlines(out, case, problem, counter, whole)?;
        }
        Ok(())
    })
}

/// Many deadlines, evenly from when a solve could begin to sweep to when it is done.
fn deadlines(
    out: &mut impl Write,
    case: &Case,
    problem: &mut CaseProblem<f32>,
    counter: &mut Counter,
    whole: u32,
) -> Result<(), Error> {
    let settings = case.settings();
    let mut timer = counter.timer();
    let start = ticks_of(problem, &Settings { iterations: 0, ..settings }, &mut timer)?;
    let cap = settings.iterations;
    let rows = u32::try_from(problem.row_count()).map_err(|_| Error)?;
    let interval = whole.saturating_sub(start) / cap * ROWS_BETWEEN_READINGS as u32 / rows;
    // keeping the start and going back to it take a few instructions a row each
    let first = start + start / 4;
    let mut record = SolveRecord::new();
    for k in 0..DEADLINES {
        let ticks = first + (whole - first) / DEADLINES * k;
        let (report, slack) = solve_within(problem, &settings, &mut timer, ticks)?;
        record.record(&report, slack);
    }
    let over = record.min_slack().map_or(0, |slack| slack.min(0).unsigned_abs());
    writeln!(
        out,
        "deadlines {} solves {} cut {} late {} over {} interval {}",
        case.name,
        record.solves(),
        record.all_cut().solves(),
        record.late(),
        instructions(over.into()),
        instructions(interval.into()),
    )?;
    // a table of several lines, each marked as part of it
    write!(Marked { out, at_start: true }, "{record}")
}

/// Writes `record ` before every line.
struct Marked<'a, W> {
    out: &'a mut W,
    at_start: bool,
}

impl<W: Write> Write for Marked<'_, W> {
    fn write_str(&mut self, text: &str) -> Result<(), Error> {
        for line in text.split_inclusive('\n') {
            if self.at_start {
                self.out.write_str("record ")?;
            }
            self.out.write_str(line)?;
            self.at_start = line.ends_with('\n');
        }
        Ok(())
    }
}

fn solve_within(
    problem: &mut CaseProblem<f32>,
    settings: &Settings<f32>,
    clock: &mut dyn Clock,
    ticks: u32,
) -> Result<(Report<f32>, i32), Error> {
    let mut budget = Budget::new(clock, ticks).map_err(|_| Error)?;
    let report = problem.solve_within(settings, &mut budget).map_err(|_| Error)?;
    Ok((report, budget.slack()))
}

/// How long a solve with a clock takes that is never cut off.
fn ticks_of(problem: &mut CaseProblem<f32>, settings: &Settings<f32>, clock: &mut dyn Clock) -> Result<u32, Error> {
    let endless = i32::MAX;
    let (_, slack) = solve_within(problem, settings, clock, endless.unsigned_abs())?;
    Ok(endless.abs_diff(slack))
}

fn health(health: ClockHealth) -> &'static str {
    match health {
        ClockHealth::Good => "good",
        ClockHealth::Frozen => "frozen",
        ClockHealth::Backward => "backward",
        _ => "unknown",
    }
}
