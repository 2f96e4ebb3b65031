//! Running other programs, with progress that can be seen.

use anyhow::{Context, Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// The folder with the root Cargo.toml.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root")
}

/// The cargo that runs this.
pub(crate) fn cargo() -> Command {
    let mut cargo = command(std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from));
    // flags for the host break builds for boards, and figures are for the flags in this repository
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_TARGET"] {
        cargo.env_remove(variable);
    }
    cargo
}

/// A program to run in the root folder.
pub(crate) fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Run to the end; an error carries everything the program said.
pub(crate) fn execute(command: &mut Command) -> Result<Output> {
    let name = shown(command);
    let output = command.output().with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        bail!(
            "`{name}` failed ({})\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(output)
}

/// The command as one would type it.
fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// Say what begins and how it ended, on stderr.
pub(crate) fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprint!("  {name} … ");
    // a progress line that cannot be shown is no reason to stop
    let _ = std::io::stderr().flush();
    let start = Instant::now();
    let result = work();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{} ({seconds:.1} s)", if result.is_ok() { "ok" } else { "FAILED" });
    result
}
