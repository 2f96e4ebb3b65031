//! Everything a person types: `cargo xtask demo`, `cargo xtask test`, `cargo xtask bench`, `cargo xtask figures`.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

mod adversary;
mod attack;
mod bench;
mod clocks;
mod cost;
mod demo;
mod exact;
mod feeder;
mod figures;
mod firmware;
mod on_record;
mod same_bits;
mod setup;
mod shell;
mod test;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// tumble's chores. Each sets up what it needs (Rust targets, the emulator) and says what it does.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the firmware on an emulated Cortex-M4F, replay it on this machine, print one report
    Demo,
    /// Formatting, lints, host tests, doc tests, every target, no-panic proofs, on-target tests in the emulator
    Test {
        /// Run one part only, all of it
        part: Option<test::Part>,
        /// Everything, not only what fits into a quarter of an hour
        #[arg(long)]
        full: bool,
    },
    /// Run the benchmarks and print their tables
    Bench {
        /// Run one group only
        group: Option<bench::Group>,
        /// Also write all figures as a flat JSON array; `-` is stdout, and then nothing else goes there
        #[arg(long, value_name = "FILE")]
        json: Option<PathBuf>,
    },
    /// Look for reports that are not true, on random problems; fails if it finds one
    ///
    /// A report of a solve is not true if its energy error is less than a tenth of ½|v − v_free − M⁻¹Eᵀγ|² or of the energy error
    /// recomputed from the impulses in f64, up to the rounding that the documentation of `solve` states, or if the kinetic energy exceeds
    /// the bound by `gain`. Passive chains may gain energy (README, Limits); the reports of a chain are not true if more than 0.1 % of
    /// it, or of its kinetic energy, was gained without `constraint_work` saying so. Tame chains: links of 10 to 20 cm, one
    /// material; wild ones: 4 to 50 cm, densities 40 : 1. A problem or chain is known by its seed, which is printed.
    Attack {
        target: attack::Target,
        /// Random problems of each of three kinds (joints, contacts, both), each solved in five ways in f32 and f64
        #[arg(long, default_value_t = 33_334, value_parser = clap::value_parser!(u32).range(1..))]
        problems: u32,
        /// Passive chains, half of them tame, half wild, each at steps of 1, 2 and 5 ms, solved in four ways
        #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
        chains: u32,
    },
    /// Draw the pictures in docs/ that are computed
    Figures,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Demo => demo::run(),
        Command::Test { part, full } => test::run(part, full),
        Command::Bench { group, json } => bench::run(group, json.as_deref()),
        Command::Attack { target, problems, chains } => attack::run(target, problems, chains),
        Command::Figures => figures::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // the reason, not where in this program it came up
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
