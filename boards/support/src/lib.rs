//! What the emulated boards share: run every case, print the bits of its answer and what it cost in instructions; play scenes, print
//! hashes and costs of their steps; try their clocks, alone and against an adversary; count what recorded problems cost; write a run down.
//!
//! Output, a line each: `answer`, `energy`, `v`, `gamma` as `tumble_scenes::write_answer` writes them, the same text as on the
//! host; and `cost SCALAR NAME rows N solve T sweeps K instructions I`, which only a target can print: T
//! instructions for the whole solve, I for K of its sweeps; and `stack SCALAR B`, the most bytes of stack that a solve took.
#![no_std]

mod adversary;
pub mod clock;
mod clocks;
mod exact;
mod feeder;
mod instructions;
mod longest;
mod pairs;
mod problems;
mod scenes;
mod stack;
mod trace;

pub use adversary::adversary;
pub use clocks::clocks;
pub use exact::exact;
pub use feeder::feeder;
pub use longest::longest;
pub use pairs::pairs;
pub use problems::problems;
pub use scenes::{
    bowl, cascade_and_bottles, dice_plate_and_setup, gripper_stress_and_chain, linear_feeder_and_reject_conveyor,
    meters, nut_and_mass_ratio, plate_feeder, polyhedra, shaker, weigh_and_dose,
};
pub use tumble::world::Costs;

use core::cell::UnsafeCell;
use core::fmt::Write;
use core::panic::PanicInfo;
use cortex_m_semihosting::{debug, hio};
use instructions::Counter;
use tumble::Settings;
use tumble::math::{Real, float_env_ok};
use tumble_scenes::{CASES, Case, CaseProblem, DOUBLE_CASES, write_answer};

/// A static that only the one thread of a board touches.
struct Single<T>(UnsafeCell<T>);

// SAFETY: boards run one thread, `run` is called once from it, and no interrupt is enabled.
unsafe impl<T> Sync for Single<T> {}

static SINGLE: Single<CaseProblem<f32>> = Single(UnsafeCell::new(CaseProblem::new()));
static DOUBLE: Single<CaseProblem<f64>> = Single(UnsafeCell::new(CaseProblem::new()));

/// Run everything, print it, leave the emulator.
///
/// Called once, from `main`.
pub fn run() -> ! {
    // SAFETY: called once from the only thread, so these are the only references ever made.
    let (single, double) = unsafe { (&mut *SINGLE.0.get(), &mut *DOUBLE.0.get()) };
    leave(|out, counter| {
        writeln!(out, "memory problem {} row {}", size_of::<CaseProblem<f32>>(), CaseProblem::<f32>::ROW_BYTES)?;
        let (mut deepest, mut deepest_double) = (0, 0);
        for case in &CASES {
            deepest = answer(out, case, single, counter)?.max(deepest);
        }
        for case in &DOUBLE_CASES {
            deepest_double = answer(out, case, double, counter)?.max(deepest_double);
        }
        writeln!(out, "stack f32 {deepest}")?;
        writeln!(out, "stack f64 {deepest_double}")
    })
}

/// Print what the board is worth, do the work, leave the emulator.
fn leave(work: impl FnOnce(&mut hio::HostStream, &mut Counter) -> Result<(), core::fmt::Error>) -> ! {
    let print = || {
        let mut out = hio::hstdout().map_err(|()| core::fmt::Error)?;
        let mut counter = Counter::start();
        writeln!(out, "float_env_ok {}", float_env_ok())?;
        writeln!(out, "calibration {}", counter.of_thousand_nops())?;
        work(&mut out, &mut counter)
    };
    debug::exit(if print().is_ok() { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        core::hint::spin_loop();
    }
}

/// Returns how many bytes of stack its solves took.
fn answer<R: Real>(
    out: &mut impl Write,
    case: &Case,
    problem: &mut CaseProblem<R>,
    counter: &mut Counter,
) -> Result<usize, core::fmt::Error> {
    case.build(problem).map_err(|_| core::fmt::Error)?;
    let (name, rows) = (case.name, problem.row_count());
    // cost of k sweeps is linear in k: two solves give the sweep and the rest apart
    let settings = case.settings();
    let mut cost = |sweeps: u32| {
        let settings = Settings { iterations: sweeps, ..settings };
        let ((report, instructions), stack) = stack::used(&mut || counter.count(|| problem.solve(&settings)));
        // deeper than was painted: more than any record, which a debug build has none of
        report.map(|report| (report, instructions, stack.unwrap_or(usize::MAX))).map_err(|_| core::fmt::Error)
    };
    let few = settings.iterations / 4;
    let (short, short_cost, stack_short) = cost(few)?;
    let (report, full_cost, stack) = cost(settings.iterations)?;
    write_answer(out, name, problem, &report)?;
    let (bits, sweeps, instructions) =
        (8 * size_of::<R>(), report.iterations.saturating_sub(short.iterations), full_cost.saturating_sub(short_cost));
    writeln!(out, "cost f{bits} {name} rows {rows} solve {full_cost} sweeps {sweeps} instructions {instructions}")?;
    Ok(stack.max(stack_short))
}

/// Say where, and fail the run.
#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    if let Ok(mut out) = hio::hstdout() {
        // nothing is left to do if even this fails
        let _ = writeln!(out, "{info}");
    }
    debug::exit(debug::EXIT_FAILURE);
    loop {
        core::hint::spin_loop();
    }
}
