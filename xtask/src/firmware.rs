//! Building firmware, running it in the emulator, reading what it prints and how large it is.

use crate::cost::trace::Step;
use crate::setup::{BOARD_TARGET, EMULATOR, require_emulator};
use crate::shell::{cargo, command, execute, root};
use anyhow::{Context, Result, bail};
use object::{Object, ObjectSegment, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::Command;
use tumble::FrictionModel;

/// An emulated board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Board {
    /// Name of the machine, of its folder and its crate.
    pub(crate) name: &'static str,
    /// What benchmarks call it.
    pub(crate) variant: &'static str,
    /// What people call its core.
    pub(crate) core: &'static str,
}

/// Cortex-M4F.
pub(crate) const M4F: Board = Board { name: "mps2-an386", variant: "m4f", core: "Cortex-M4F" };
/// Cortex-M7.
pub(crate) const M7: Board = Board { name: "mps2-an500", variant: "m7", core: "Cortex-M7" };
/// All of them.
pub(crate) const BOARDS: [Board; 2] = [M4F, M7];

/// Cargo in a folder of boards/, building into boards/target whatever the caller's environment or configuration says.
pub(crate) fn board_cargo(folder: &str) -> Command {
    let mut cargo = cargo();
    cargo.current_dir(root().join("boards").join(folder)).env("CARGO_TARGET_DIR", root().join("boards/target"));
    cargo
}

/// Where cargo puts a firmware.
pub(crate) fn elf(target: &str, profile: &str, name: &str) -> PathBuf {
    let folder = if profile == "dev" { "debug" } else { profile };
    root().join("boards/target").join(target).join(folder).join(name)
}

/// Build a board's firmware; `profile` is `dev` or `release`.
pub(crate) fn build(board: Board, profile: &str) -> Result<PathBuf> {
    let mut cargo = board_cargo(board.name);
    cargo.args(["build", "--profile", profile]);
    // unoptimised, not every firmware fits into the board's flash
    if profile == "dev" {
        cargo.args(["--bin", board.name]);
    }
    execute(&mut cargo)?;
    Ok(elf(BOARD_TARGET, profile, board.name))
}

/// The same firmware without the running estimate of the energy error, in a folder of its own: what does that cost?
pub(crate) fn build_without_estimate(board: Board) -> Result<PathBuf> {
    let folder = root().join("boards/target/without-estimate");
    let mut cargo = board_cargo(board.name);
    cargo.args(["build", "--profile", "release", "--bin", board.name]);
    // by configuration, not by RUSTFLAGS: these would take the place of the board's own
    let flag = format!("target.{BOARD_TARGET}.rustflags=['--cfg=tumble_without_estimate']");
    execute(cargo.args(["--config", &flag]).env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join(BOARD_TARGET).join("release").join(board.name))
}

/// Firmware of a board that plays scenes, by what is added to the board's name: together they do not fit into its memory. The last
/// plays none: its steps are those of small worlds that tell kinds of work apart, and of an adversary.
const SCENE_FIRMWARE: [&str; 7] = ["shaker", "nut", "gripper", "cascade", "dice", "polyhedra", "meters"];

/// The same for twins.
const TWIN_FIRMWARE: [&str; 4] = ["feeders", "dose", "bowl", "plate"];

/// Play every twin on a board: `HASH NAME STEPS`, lines that the host must reproduce to the letter.
pub(crate) fn play_twins(board: Board) -> Result<Vec<String>> {
    // bits are the same however it is built, and this takes a fifth of the time
    let names = TWIN_FIRMWARE.map(|firmware| format!("{}-{firmware}", board.name));
    let mut cargo = board_cargo(board.name);
    cargo.args(["build", "--profile", "dev", "--features", "twins"]);
    execute(cargo.args(names.iter().flat_map(|name| ["--bin", name])))?;
    let mut hashes = Vec::new();
    for name in names {
        let text = run(board, &elf(BOARD_TARGET, "dev", &name))?;
        let told = |line: &&str| !matches!(*line, "float_env_ok true" | "calibration 1000");
        hashes.extend(text.lines().filter(told).map(str::to_owned));
    }
    Ok(hashes)
}

/// What a scene came to on a board.
pub(crate) struct Played {
    /// Its name.
    pub(crate) scene: String,
    /// `HASH NAME STEPS`, a line that the host must reproduce to the letter.
    pub(crate) hash: String,
    /// Bytes of its world and script.
    pub(crate) bytes: u64,
    /// It has the default friction model, that of published costs.
    pub(crate) is_usual: bool,
    /// Every step of it.
    pub(crate) steps: Vec<Step>,
}

/// Play every scene on a board, and make the steps that tell kinds of work apart: of scenes in haste, of small worlds, of an adversary.
pub(crate) fn play(board: Board) -> Result<(Vec<Played>, Vec<Step>)> {
    build(board, "release")?;
    let (mut played, mut steps, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for firmware in SCENE_FIRMWARE {
        let text = run(board, &elf(BOARD_TARGET, "release", &format!("{}-{firmware}", board.name)))?;
        let mut hash = None;
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["float_env_ok", "true"] | ["calibration", "1000"] => {}
                ["step", ..] => steps.push(Step::parse(&words)?),
                ["scene", scene, "bytes", bytes, "friction", friction] => {
                    let hash: &str = hash.take().with_context(|| format!("{scene} has no hash"))?;
                    played.push(Played {
                        scene: scene.into(),
                        hash: hash.into(),
                        bytes: bytes.parse()?,
                        is_usual: friction == format!("{:?}", FrictionModel::default()),
                        steps: std::mem::take(&mut steps),
                    });
                }
                ["hurried", _] => others.append(&mut steps),
                [_, _, _] => hash = Some(line),
                _ => bail!("{} {firmware} says `{line}`", board.core),
            }
        }
    }
    others.append(&mut steps);
    Ok((played, others))
}

/// Run a firmware that solves every case.
pub(crate) fn emulate(board: Board, elf: &Path) -> Result<Output> {
    Output::parse(&run(board, elf)?)
}

/// Run the firmware that tries a board's clocks.
pub(crate) fn try_clocks(board: Board) -> Result<String> {
    build(board, "release")?;
    run(board, &elf(BOARD_TARGET, "release", &format!("{}-clock", board.name)))
}

/// Run the firmware that solves problems handed over in memory, words as `tumble_scenes::words` has them. Only this board has it.
pub(crate) fn solve_problems(words: &[u32]) -> Result<String> {
    /// Where the firmware looks for them.
    const ADDRESS: &str = "0x21000000";
    build(M4F, "release")?;
    // relative to the root, where the emulator starts: no folder's name can break its option
    let file = "boards/target/problems.bin";
    std::fs::write(root().join(file), words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())?;
    let loader = format!("loader,file={file},addr={ADDRESS},force-raw=on");
    run_with(M4F, &elf(BOARD_TARGET, "release", &format!("{}-problems", M4F.name)), &["-device", &loader])
}

/// Run the firmware that solves exactly. Only this board has it.
pub(crate) fn solve_exactly() -> Result<String> {
    build(M4F, "release")?;
    run(M4F, &elf(BOARD_TARGET, "release", &format!("{}-exact", M4F.name)))
}

/// Run the firmware that looks at pairs of polyhedra. Only this board has it.
pub(crate) fn look_at_pairs() -> Result<String> {
    build(M4F, "release")?;
    run(M4F, &elf(BOARD_TARGET, "release", &format!("{}-pairs", M4F.name)))
}

/// The firmware of the linear feeder.
pub(crate) fn feeder_elf(board: Board) -> Result<PathBuf> {
    let name = format!("{}-feeder", board.name);
    execute(board_cargo(board.name).args(["build", "--profile", "release", "--bin", &name]))?;
    Ok(elf(BOARD_TARGET, "release", &name))
}

/// Run it.
pub(crate) fn run_feeder(board: Board) -> Result<String> {
    run(board, &feeder_elf(board)?)
}

/// Run the firmware that looks for its longest step. Only this board has it.
pub(crate) fn run_longest() -> Result<String> {
    let name = format!("{}-longest", M4F.name);
    execute(board_cargo(M4F.name).args(["build", "--profile", "release", "--bin", &name]))?;
    run(M4F, &elf(BOARD_TARGET, "release", &name))
}

/// Run the firmware that lets an adversary at a board's timer.
pub(crate) fn attack(board: Board) -> Result<String> {
    build(board, "release")?;
    run(board, &elf(BOARD_TARGET, "release", &format!("{}-adversary", board.name)))
}

fn run(board: Board, elf: &Path) -> Result<String> {
    run_with(board, elf, &[])
}

/// Run a firmware in the emulator. Every instruction takes 2⁷ ns there, so that counts are exact.
fn run_with(board: Board, elf: &Path, options: &[&str]) -> Result<String> {
    require_emulator()?;
    // a firmware that hangs would hang the test: the emulator has no time limit of its own
    let output = execute(
        command("timeout")
            .args(["600", EMULATOR, "-machine", board.name, "-nographic", "-monitor", "none", "-serial", "none"])
            .args(["-icount", "shift=7", "-semihosting-config", "enable=on,target=native"])
            .args(options)
            .arg("-kernel")
            .arg(elf),
    )?;
    // semihosting text goes to one or the other, depending on the emulator's version
    let text = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    Ok(String::from_utf8(text)?)
}

/// What a board's firmware printed.
pub(crate) struct Output {
    /// Lines the host must reproduce to the letter.
    pub(crate) answers: String,
    /// What each case cost.
    pub(crate) costs: Vec<Cost>,
    /// Bytes of a problem with its buffers.
    pub(crate) problem_bytes: u64,
    /// Bytes of one row.
    pub(crate) row_bytes: u64,
    /// Most bytes of stack that a solve took, `f32` and `f64`.
    pub(crate) stack: [u64; 2],
}

/// Cost of one case.
pub(crate) struct Cost {
    /// `f32` or `f64`.
    pub(crate) scalar: String,
    /// Name of the case.
    pub(crate) case: String,
    /// Its rows.
    pub(crate) rows: u64,
    /// Instructions of the whole solve.
    pub(crate) solve: u64,
    /// Sweeps over which `instructions` were counted; zero when the case converged too early to tell.
    pub(crate) sweeps: u64,
    /// Instructions of these sweeps.
    pub(crate) instructions: u64,
}

impl Cost {
    /// Instructions of one sweep over the whole problem.
    pub(crate) fn per_sweep(&self) -> Option<f64> {
        (self.sweeps > 0).then(|| self.instructions as f64 / self.sweeps as f64)
    }
}

impl Output {
    fn parse(text: &str) -> Result<Self> {
        let mut output =
            Self { answers: String::new(), costs: Vec::new(), problem_bytes: 0, row_bytes: 0, stack: [0; 2] };
        let number = |word: &str| word.parse::<u64>().with_context(|| format!("`{word}` is not a number"));
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [
                    "cost",
                    scalar,
                    case,
                    "rows",
                    rows,
                    "solve",
                    solve,
                    "sweeps",
                    sweeps,
                    "instructions",
                    instructions,
                ] => {
                    output.costs.push(Cost {
                        scalar: scalar.into(),
                        case: case.into(),
                        rows: number(rows)?,
                        solve: number(solve)?,
                        sweeps: number(sweeps)?,
                        instructions: number(instructions)?,
                    });
                }
                ["memory", "problem", problem, "row", row] => {
                    (output.problem_bytes, output.row_bytes) = (number(problem)?, number(row)?);
                }
                ["stack", "f32", bytes] => output.stack[0] = number(bytes)?,
                ["stack", "f64", bytes] => output.stack[1] = number(bytes)?,
                ["float_env_ok", ok] if ok != "true" => bail!("the board's floating point is not IEEE 754"),
                ["calibration", nops] if nops != "1000" => bail!("1000 nops count as {nops} instructions"),
                ["float_env_ok" | "calibration", _] => {}
                _ => {
                    output.answers.push_str(line);
                    output.answers.push('\n');
                }
            }
        }
        if output.costs.is_empty() {
            bail!("the firmware printed no costs:\n{text}");
        }
        Ok(output)
    }
}

/// What a firmware takes of the board.
pub(crate) struct Size {
    /// Code, constants and initial values. Bytes
    pub(crate) flash: u64,
    /// Statics. Bytes; the stack takes what is left
    pub(crate) ram: u64,
}

/// Read a firmware's size.
pub(crate) fn size(elf: &Path) -> Result<Size> {
    let data = std::fs::read(elf)?;
    let file = object::File::parse(&*data)?;
    let (mut flash, mut ram) = (0, 0);
    for segment in file.segments() {
        // what is in the file is written to flash, initial values of statics too
        flash += segment.file_range().1;
        // RAM starts here in memory.x
        if segment.address() >= 0x2000_0000 {
            ram += segment.size();
        }
    }
    Ok(Size { flash, ram })
}

/// Names of all symbols.
pub(crate) fn symbols(elf: &Path) -> Result<Vec<String>> {
    let data = std::fs::read(elf)?;
    let file = object::File::parse(&*data)?;
    Ok(file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned)).collect())
}
