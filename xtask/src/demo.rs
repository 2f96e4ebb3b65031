//! `cargo xtask demo`: the newcomer's one command.

use crate::feeder::{Feeder, STEPS, feed, replay_here};
use crate::firmware::{M4F, Size, feeder_elf, size};
use crate::setup;
use crate::shell::step;
use anyhow::Result;

/// What memory.x gives a firmware.
const FLASH: u64 = 1024 * 1024;
const RAM: u64 = 128 * 1024;

/// Clock of an STM32F405, for an idea of time: one instruction a cycle is the least it takes.
const MEGAHERTZ: f64 = 168.0;
/// What a step may take at that clock and 1 kHz.
pub(crate) const BUDGET: f64 = 1000.0 * MEGAHERTZ;

pub(crate) fn run() -> Result<()> {
    eprintln!("setting up");
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let elf = step("building the firmware", || feeder_elf(M4F))?;
    let feeder = step("running it on the emulated board", || feed(M4F))?;
    let hashes = step("replaying here what the board wrote down", || replay_here(M4F))?;
    print(&feeder, hashes, &size(&elf)?)
}

fn print(feeder: &Feeder, hashes: u32, size: &Size) -> Result<()> {
    println!("\nlinear-feeder on an emulated {} with an STM32F405's memory", M4F.core);
    println!(
        "caps queue up in a vibrating rail, an escapement lets one go at a time; the controller runs on embedded-hal pins\n"
    );
    let seconds = f64::from(STEPS) / 1000.0;
    println!("  time simulated      {seconds} s, {STEPS} steps of 1 ms, up to {} caps", feeder.figure("parts")?);
    for (name, value) in &feeder.kpis {
        println!("  {:18}  {}", name.replace('_', " "), (value * 1e7).round() / 1e7);
    }
    let (mean, most) = (feeder.figure("mean")?, feeder.figure("most")?);
    let milliseconds = |instructions: f64| instructions / MEGAHERTZ / 1000.0;
    println!("\n  step, mean          {mean} instructions, {:.2} ms at {MEGAHERTZ} MHz (at best)", milliseconds(mean));
    println!("  step, longest       {most} instructions, {:.2} ms", milliseconds(most));
    let margin = 100.0 * (1.0 - most / BUDGET);
    println!("  deadline margin     {margin:.0} % of a millisecond at that clock, in the longest step");
    println!("  error left          {:.1e} J in the worst step", feeder.figure("energy")?);
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    println!(
        "  memory              flash {:.0} of {:.0} KiB; RAM {:.0} of {:.0} KiB, of these the twin {:.0} KiB; stack {:.1} KiB; no heap",
        kib(size.flash),
        kib(FLASH),
        kib(size.ram),
        kib(RAM),
        feeder.figure("bytes")? / 1024.0,
        feeder.figure("stack")? / 1024.0
    );
    println!("  record              {} bytes: inputs and {hashes} hashes of the state", feeder.record.len());
    println!("  bits identical      {} = this machine, replayed from the record\n", M4F.core);
    println!("  cargo run --release -- run linear-feeder    the same on this machine");
    println!("  cargo run --release -- scenes               other scenes");
    println!("  cargo xtask bench step                      what steps of scenes cost on boards\n");
    Ok(())
}
