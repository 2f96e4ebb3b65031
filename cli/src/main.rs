//! The host program of tumble: what to do is one command, each in a file of its name.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

mod feed_table;
mod friction;
mod hull;
mod interrupt;
mod mesh;
mod method;
mod output;
mod replay;
mod run;
mod scenes;
mod solve;

use clap::{Parser, Subcommand};
use interrupt::Interrupted;
use std::io::Write;
use std::process::ExitCode;
use tumble_cli::problem_file::Refusal;

/// Rigid-body contact dynamics that fits in a microcontroller: the host program
#[derive(Parser)]
#[command(
    version,
    after_help = "A command that fails says why in one sentence on stderr and exits with 1; with 2 when its \
                                 input or its arguments are at fault; with 130 after Ctrl-C."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    FeedTable(feed_table::Arguments),
    Hull(hull::Arguments),
    Replay(replay::Arguments),
    Run(run::Arguments),
    Scenes(scenes::Arguments),
    Solve(solve::Arguments),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::FeedTable(arguments) => feed_table::run(&arguments),
        Command::Hull(arguments) => hull::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Scenes(arguments) => scenes::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
    };
    let Err(error) = done else { return ExitCode::SUCCESS };
    // not eprintln: it panics when nobody listens
    let _ = writeln!(std::io::stderr(), "tumble: {}", output::one_line(&format!("{error:#}")));
    ExitCode::from(if error.is::<Interrupted>() {
        interrupt::EXIT_CODE
    } else if error.is::<Refusal>() {
        2
    } else {
        1
    })
}
