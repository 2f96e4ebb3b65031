//! Installing what is missing on a machine that has only rustup's Rust and a Debian-like system.

use crate::shell::{command, execute, step};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Stdio;

/// The boards' target.
pub(crate) const BOARD_TARGET: &str = "thumbv7em-none-eabihf";

/// Every target the library is built for.
pub(crate) const TARGETS: [&str; 6] = [
    "thumbv6m-none-eabi",
    "thumbv7m-none-eabi",
    "thumbv7em-none-eabi",
    BOARD_TARGET,
    "thumbv8m.main-none-eabihf",
    "wasm32-unknown-unknown",
];

/// The emulator's program, and the line that installs it.
pub(crate) const EMULATOR: &str = "qemu-system-arm";
const EMULATOR_INSTALL: &str = "apt-get install -y --no-install-recommends qemu-system-arm";

/// Make sure these Rust targets are installed.
pub(crate) fn targets(targets: &[&str]) -> Result<()> {
    let missing: Vec<&str> = targets.iter().copied().filter(|target| !has_target(target)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!("rustup target add {}", missing.join(" "));
    step(&line, || execute(command("rustup").args(["target", "add"]).args(&missing)))
        .with_context(|| format!("Rust targets are missing; type: {line}"))?;
    Ok(())
}

fn has_target(target: &str) -> bool {
    execute(command("rustc").args(["--print", "target-libdir", "--target", target]))
        .is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).exists())
}

/// Make sure rustfmt and clippy are installed.
pub(crate) fn components() -> Result<()> {
    for (component, program) in [("rustfmt", "rustfmt"), ("clippy", "clippy-driver")] {
        if !starts(program) {
            let line = format!("rustup component add {component}");
            step(&line, || execute(command("rustup").args(["component", "add", component])))
                .with_context(|| format!("{component} is missing; type: {line}"))?;
        }
    }
    Ok(())
}

/// Make sure the emulator is installed: by apt-get as root or with passwordless sudo.
pub(crate) fn emulator() -> Result<()> {
    if starts(EMULATOR) {
        return Ok(());
    }
    // sudo -n fails at once where it would ask for a password
    let root = execute(command("id").arg("-u")).is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let prefix = match (root, starts("apt-get"), succeeds("sudo", &["-n", "true"])) {
        (true, true, _) => "",
        (false, true, true) => "sudo -n ",
        _ => return require_emulator(),
    };
    // the first install fails where package lists are missing or old
    let line = format!("{prefix}{EMULATOR_INSTALL}");
    let script = format!("{line} || {{ {prefix}apt-get update && {line}; }}");
    step(&line, || execute(command("sh").args(["-c", &script]).env("DEBIAN_FRONTEND", "noninteractive")))?;
    require_emulator()
}

/// Fail with the line to type where the emulator is missing.
pub(crate) fn require_emulator() -> Result<()> {
    if !starts(EMULATOR) {
        bail!("the emulator {EMULATOR} is missing; type: sudo {EMULATOR_INSTALL}");
    }
    Ok(())
}

fn starts(program: &str) -> bool {
    succeeds(program, &["--version"])
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    command(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}
