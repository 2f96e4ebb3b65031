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
        /// Run one part only
        part: Option<test::Part>,
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
    Attack {
        target: attack::Target,
        /// Random problems of each kind, each solved by every method in either precision
        #[arg(long, default_value_t = 33_334)]
        problems: u32,
        /// Passive chains, each at steps of 1, 2 and 5 ms
        #[arg(long, default_value_t = 1000)]
        chains: u32,
    },
    /// Draw the pictures in docs/ that are computed
    Figures,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Demo => demo::run(),
        Command::Test { part } => test::run(part),
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
