//! `cargo xtask test`: what every change must pass, in the order in which it fails soonest, in a quarter of an hour.
//! `cargo xtask test --full`: everything.

use crate::bench::polyhedra::measure_pairs;
use crate::firmware::{BOARDS, Board, M4F, board_cargo, build, elf, symbols};
use crate::setup::{self, BOARD_TARGET, TARGETS};
use crate::shell::{cargo, execute, step};
use crate::{adversary, attack, clocks, cost, exact, feeder, figures, on_record, same_bits};
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::process::Command;
use std::sync::Mutex;
use std::time::Instant;

/// Features of the library that a host program can link. (defmt needs a logger: it is built for targets below.)
const HOST_FEATURES: &str = "embedded-hal,micromath,serde,std";

/// Profiles in which no panic may be reachable, and whether drive waveforms (libm's sine adds integers) are part of the proof.
const PROOFS: [(&str, bool); 5] =
    [("release", true), ("small", true), ("smallest", true), ("release-checked", false), ("small-checked", false)];

/// All of them on the boards' target; on the others one with checks and one without, which takes half as long.
fn proofs(target: &str) -> impl Iterator<Item = (&'static str, bool)> {
    let everything = target == BOARD_TARGET;
    PROOFS.into_iter().filter(move |(profile, _)| everything || ["small", "release-checked"].contains(profile))
}

/// A part of the tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// Formatting, lints, documentation, pictures
    Style,
    /// Tests on this machine, debug and release
    Host,
    /// Builds for every target
    Targets,
    /// No reachable panic
    Proofs,
    /// What runs in the emulator
    Boards,
    /// Costs, instructions and bytes on record, `--full` only; `TUMBLE_BLESS=1` writes them anew
    Records,
    /// Reports on random problems; `--full` only
    Attack,
}

/// Run what every change must pass; all there is with `full`, or of one part.
pub(crate) fn run(part: Option<Part>, full: bool) -> Result<()> {
    let full = full || part.is_some();
    eprintln!("setting up");
    setup::components()?;
    setup::targets(&TARGETS)?;
    setup::emulator()?;

    let mut steps = Steps { full, passed: 0, skipped: 0 };
    for one in Part::value_variants().iter().filter(|one| part.is_none_or(|part| part == **one)) {
        match one {
            Part::Style => style(&mut steps),
            Part::Host => host(&mut steps),
            Part::Targets => targets(&mut steps),
            Part::Proofs => proofs_of_all(&mut steps),
            Part::Boards => boards(&mut steps),
            Part::Records => records(&mut steps),
            Part::Attack => attacks(&mut steps),
        }?;
    }
    println!("steps: {} passed, 0 failed, {} skipped", steps.passed, steps.skipped);
    Ok(())
}

/// How it is written.
fn style(steps: &mut Steps) -> Result<()> {
    eprintln!("style");
    steps.cargo("formatting", &["fmt", "--all", "--check"])?;
    steps.board_cargo("formatting of boards", "", &["fmt", "--all", "--check"])?;
    steps.cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])?;
    let with_features = ["clippy", "-p", "tumble", "--all-targets", "--features", HOST_FEATURES];
    steps.cargo("lints, all features", &[&with_features[..], &["--", "-D", "warnings"]].concat())?;
    steps.board_cargo("lints of boards", "", &["clippy", "--target", BOARD_TARGET, "--", "-D", "warnings"])?;
    steps.add("documentation", cargo().args(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    steps.check("pictures in docs/ are what the command draws", figures::check)?;
    Ok(())
}

/// On this machine.
fn host(steps: &mut Steps) -> Result<()> {
    eprintln!("host");
    steps.cargo("tests and doc tests", &["test", "--workspace", "--exclude", "xtask"])?;
    // scenes of twins are played with more seeds than unoptimised code has time for
    steps.cargo("tests of scenes, release", &["test", "--release", "-p", "tumble-scenes", "--lib", "--tests"])?;
    if !steps.full {
        return Ok(());
    }
    // no test under tests/ knows of features
    steps.cargo("unit tests, all features", &["test", "-p", "tumble", "--lib", "--features", HOST_FEATURES])?;
    steps.cargo("doc tests, all features", &["test", "-p", "tumble", "--doc", "--features", HOST_FEATURES])?;
    steps.cargo("tests, release", &["test", "--release", "-p", "tumble", "--lib", "--tests"])?;
    // too slow for every run of theirs: each takes a minute
    let table = ["test", "--release", "-p", "tumble-cli", "--test", "feed_table", "--", "--ignored"];
    steps.cargo("the whole feed table is what the program makes", &table)?;
    let doses = ["test", "--release", "-p", "tumble-scenes", "--test", "weigh_and_dose", "--", "--ignored"];
    steps.cargo("ten minutes of doses", &doses)?;
    let roots = ["test", "--release", "-p", "tumble", "--lib", "--", "--ignored", "square_root"];
    steps.cargo("the square root of every single", &roots)?;
    Ok(())
}

/// Whatever it is for, it builds.
fn targets(steps: &mut Steps) -> Result<()> {
    eprintln!("targets");
    for target in TARGETS {
        steps.cargo(
            &format!("build for {target}"),
            &["build", "-p", "tumble", "-p", "tumble-scenes", "--target", target],
        )?;
    }
    if !steps.full {
        return Ok(());
    }
    for feature in ["defmt", "micromath", "serde", "embedded-hal"] {
        let arguments = ["build", "-p", "tumble", "--target", BOARD_TARGET, "--features", feature];
        steps.cargo(&format!("build for {BOARD_TARGET} with {feature}"), &arguments)?;
    }
    Ok(())
}

/// Firmware that links only without a panic.
fn proofs_of_all(steps: &mut Steps) -> Result<()> {
    eprintln!("no reachable panic: each firmware links only if the optimiser finds none");
    let full = steps.full;
    let targets = TARGETS.into_iter().filter(|target| target.starts_with("thumb") && (full || *target == BOARD_TARGET));
    steps.side_by_side(
        targets.flat_map(|target| proofs(target).map(move |(profile, unchecked)| (target, profile, unchecked))).map(
            |(target, profile, unchecked)| {
                (format!("{target}, {profile}"), proof(target, profile, if unchecked { "unchecked" } else { "" }))
            },
        ),
    )?;
    steps.check("the proof covers solver, world and snapshots, both scalars", both_scalars)?;
    steps.check("a planted panic is found", planted_panic)?;
    Ok(())
}

/// In the emulator; without `--full` on M4F alone.
fn boards(steps: &mut Steps) -> Result<()> {
    eprintln!("boards");
    let boards: &[Board] = if steps.full { &BOARDS } else { &[M4F] };
    let on_each = |check: fn(Board) -> Result<()>| boards.iter().copied().try_for_each(check);
    steps.check("no heap in the firmware", || on_each(no_heap))?;
    steps.check("every scene has the same bits as here", || on_each(|board| same_bits::scenes(board).map(drop)))?;
    steps.check("every twin has, with its controller", || on_each(same_bits::twins))?;
    steps.check("ten thousand steps of a feeder, written down on the board, replay here bit for bit; none is longer than a millisecond", || {
        on_each(feeder::check)
    })?;
    if !steps.full {
        return Ok(());
    }
    steps.check("the exact solver has the same bits on M4F as here, by itself and in a world", || {
        exact::measure().map(drop)
    })?;
    steps.check("pairs of polyhedra have the same bits on M4F as here", || measure_pairs().map(drop))?;
    steps.check("clocks agree, a frozen one is found out, deadlines are kept", || on_each(clocks::check))?;
    steps.check("a thousand adversarial steps keep their deadlines", || on_each(adversary::check))?;
    steps.cargo("same bits on M4F and M7 as here, debug", &["test", "-p", "xtask", "--profile", "dev"])?;
    steps.cargo("same bits on M4F and M7 as here, release", &["test", "-p", "xtask", "--release"])?;
    Ok(())
}

/// In the emulator, compared with what is on record.
fn records(steps: &mut Steps) -> Result<()> {
    if !steps.full {
        return Ok(());
    }
    eprintln!("records");
    steps.check("no step takes more instructions than published costs predict", cost::check)?;
    steps.check("instructions and bytes are those on record", on_record::check)?;
    Ok(())
}

/// Random problems, until a report is found that is not true.
fn attacks(steps: &mut Steps) -> Result<()> {
    if !steps.full {
        return Ok(());
    }
    eprintln!("attack");
    steps.check("no report of a solve or of a passive chain is untrue", || attack::consistency(33_334, 200))
}

struct Steps {
    /// everything, not only what fits into a quarter of an hour
    full: bool,
    passed: u32,
    /// what tests say they could not do on this machine
    skipped: usize,
}

impl Steps {
    fn check(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        step(name, work)?;
        self.passed += 1;
        Ok(())
    }

    fn add(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let mut results = String::new();
        self.check(name, || {
            let output = execute(command)?;
            results = test_results(&output.stdout) + &test_results(&output.stderr);
            Ok(())
        })?;
        self.skipped += results.matches("skipped:").count();
        print!("{results}");
        Ok(())
    }

    /// Commands that have nothing to do with each other, each on one core: as many at a time as there are cores, in any order.
    fn side_by_side(&mut self, commands: impl Iterator<Item = (String, Command)>) -> Result<()> {
        let left: Mutex<Vec<_>> = Mutex::new(commands.collect());
        let total = left.lock().expect("no panic").len();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let work = || -> Result<()> {
            loop {
                let Some((name, mut command)) = left.lock().expect("no panic").pop() else { return Ok(()) };
                let start = Instant::now();
                execute(&mut command).with_context(|| format!("{name} FAILED"))?;
                eprintln!("  {name} … ok ({:.1} s)", start.elapsed().as_secs_f64());
            }
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("no panic"))
        })?;
        self.passed += u32::try_from(total)?;
        Ok(())
    }

    fn cargo(&mut self, name: &str, arguments: &[&str]) -> Result<()> {
        self.add(name, cargo().args(arguments))
    }

    fn board_cargo(&mut self, name: &str, folder: &str, arguments: &[&str]) -> Result<()> {
        self.add(name, board_cargo(folder).args(arguments))
    }
}

/// What the test runner said of how many ran, and what a test says it left out.
fn test_results(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let told = |line: &&str| {
        line.starts_with("test result") && !line.contains(" 0 passed; 0 failed") || line.starts_with("skipped")
    };
    text.lines().filter(told).map(|line| format!("    {line}\n")).collect()
}

fn proof(target: &str, profile: &str, features: &str) -> Command {
    let mut cargo = board_cargo("no-panic");
    cargo.args(["build", "--target", target, "--profile", profile, "--features", features]);
    cargo
}

/// What the optimiser threw away is not proved: these must be in the firmware, for f32 and f64, the sweep for either method.
fn both_scalars() -> Result<()> {
    for (profile, _) in PROOFS {
        let symbols = symbols(&elf(BOARD_TARGET, profile, "no-panic"))?;
        let functions = [("sweep", 4), ("substep", 2), ("collide_framed", 2), ("save_state", 2), ("load_collider", 2)];
        for (function, expected) in functions {
            // the end of a mangled name: the function itself, not what lies in a module or closure of that name
            let end = format!("{}{function}17h", function.len());
            let copies = symbols.iter().filter(|name| name.starts_with("_ZN") && name.contains(&end)).count();
            // the optimiser may make more
            if copies < expected {
                bail!("{profile}: {copies} copies of {function}, not {expected}");
            }
        }
    }
    Ok(())
}

/// The proof must be able to fail, and for the right reason.
fn planted_panic() -> Result<()> {
    match execute(&mut proof(BOARD_TARGET, "release", "planted-panic")) {
        Ok(_) => bail!("a firmware with a reachable panic links"),
        Err(error) if error.to_string().contains("a_panic_is_reachable") => Ok(()),
        Err(error) => Err(error),
    }
}

fn no_heap(board: Board) -> Result<()> {
    let symbols = symbols(&build(board, "release")?)?;
    let heap = |name: &&String| name.contains("__rust_alloc") || name.contains("__rg_alloc") || *name == "malloc";
    match symbols.iter().find(heap) {
        Some(symbol) => bail!("{} needs a heap: {symbol}", board.name),
        None => Ok(()),
    }
}
