//! `cargo xtask demo`: the newcomer's one command.

use crate::cost::Spread;
use crate::firmware::{M4F, Output, Played, build, size};
use crate::shell::step;
use crate::{same_bits, setup};
use anyhow::Result;
use tumble_scenes::{CASES, DOUBLE_CASES, board_steps};

/// What memory.x gives a firmware.
const FLASH: u64 = 1024 * 1024;
const RAM: u64 = 128 * 1024;

/// Clock of an STM32F405, for an idea of time: one instruction a cycle is the least it takes.
const MEGAHERTZ: f64 = 168.0;

pub(crate) fn run() -> Result<()> {
    eprintln!("setting up");
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let elf = step("building the firmware", || build(M4F, "release"))?;
    let output = step("running it on the emulated board, replaying it here", || same_bits::compare(M4F, "release"))?;
    let played = step("playing scenes on it, comparing their last states", || same_bits::scenes(M4F))?;
    print(&output, &size(&elf)?, played);
    Ok(())
}

fn print(output: &Output, size: &crate::firmware::Size, played: &[Played]) {
    println!("\ntumble on an emulated {} with an STM32F405's memory", M4F.core);
    println!("contact problems of one time step, solved by projected SOR in static buffers\n");
    println!("  case           rows  sweeps  energy left    largest miss   instructions     at {MEGAHERTZ} MHz");
    println!("                               (J)            (m/s)          a sweep          a sweep (at best)");
    for answer in output.answers.split("answer ").filter_map(Answer::read) {
        let Some(case) = CASES.iter().find(|case| case.name == answer.case && !case.is_meter()) else { continue };
        let cost = output.costs.iter().find(|cost| cost.case == answer.case && cost.scalar == answer.scalar);
        let Some(cost) = cost.filter(|_| answer.scalar == "f32") else { continue };
        let (instructions, time) = match cost.per_sweep() {
            Some(sweep) => (format!("{sweep:.0}"), format!("{:.3} ms", sweep / MEGAHERTZ / 1000.0)),
            None => ("-".into(), "solved exactly".into()),
        };
        println!(
            "  {:13}  {:>4}  {:>6}  {:<13.1e}  {:<13.1e}  {instructions:<15}  {time:<12}  {}",
            case.name, cost.rows, answer.sweeps, answer.energy, answer.violation, case.about
        );
    }
    let kib = |bytes: u64| bytes as f64 / 1024.0;
    println!(
        "\n  flash {:.0} of {:.0} KiB, RAM {:.0} of {:.0} KiB, the stack has the rest; no heap",
        kib(size.flash),
        kib(FLASH),
        kib(size.ram),
        kib(RAM)
    );
    println!("  a problem of 16 bodies and 160 rows: {} bytes, {} a row", output.problem_bytes, output.row_bytes);
    let numbers = output.answers.split_whitespace().filter(|word| word.len() == 16).count();
    println!(
        "  bits identical: {} solves, {numbers} numbers, {} = this machine\n",
        CASES.len() + DOUBLE_CASES.len(),
        M4F.core
    );
    println!("scenes, whole steps with collision\n");
    println!("  scene          steps  instructions a step     at {MEGAHERTZ} MHz         bytes of world");
    println!("                        mean         most       mean (at best)    and script");
    for one in played {
        let (Played { scene, bytes, .. }, Spread { mean, most, .. }) = (one, one.instructions());
        let milliseconds = mean / MEGAHERTZ / 1000.0;
        let steps = board_steps(scene);
        println!("  {scene:13}  {steps:>5}  {mean:<11.0}  {most:<9}  {milliseconds:>6.2} ms         {bytes}");
    }
    println!("\n  bits identical: {} scenes end in the same state as on this machine\n", played.len());
    println!("  cargo run --release -- run shaker    the same, larger, on this machine");
    println!("  cargo xtask bench rows    instructions by kind of row and contact");
    println!("  cargo run --release -- solve FILE    a problem of your own\n");
}

/// The head of one printed answer.
struct Answer<'a> {
    scalar: &'a str,
    case: &'a str,
    sweeps: &'a str,
    energy: f64,
    violation: f64,
}

impl<'a> Answer<'a> {
    /// `SCALAR CASE bodies B rows N STATUS SWEEPS`, then `energy BITS BITS`.
    fn read(text: &'a str) -> Option<Self> {
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next()?.split_whitespace().collect();
        let [scalar, case, _, _, _, _, _, sweeps] = head[..] else { return None };
        let mut numbers = lines.next()?.strip_prefix("energy ")?.split_whitespace();
        let mut number = || u64::from_str_radix(numbers.next()?, 16).ok().map(f64::from_bits);
        Some(Self { scalar, case, sweeps, energy: number()?, violation: number()? })
    }
}
