//! `cargo xtask attack`: random problems until a report is found that is not true.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::thread;
use tumble_scenes::consistency::{Direct, KINDS, Kind, RandomProblem, Verdict, WAYS, Way, settings};
use tumble_scenes::passive_chain::{self, ChainSolver, PassiveChain};

/// What is attacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Target {
    /// Reports of single solves, and the energy of passive chains
    Consistency,
}

/// Time that a chain swings. s
const TIME: f32 = 10.0;
/// Caps on sweeps of chains: the default, and steps that are cut off. `None`: the direct solver.
const CAPS: [Option<u32>; 4] = [None, Some(100), Some(10), Some(4)];
/// What a chain may gain without its steps reporting it, as a share of its energy. (1)
const EXCESS: f64 = 1e-3;

pub(crate) fn run(target: Target, problems: u32, chains: u32) -> Result<()> {
    match target {
        Target::Consistency => consistency(problems, chains),
    }
}

/// So many random problems of each kind, and so many passive chains.
pub(crate) fn consistency(problems: u32, chains: u32) -> Result<()> {
    let single = solves(problems)?;
    let energy = swings(chains)?;
    if single + energy > 0 {
        bail!("{single} reports of solves and {energy} chains are not what they should be");
    }
    println!("\n{} solves and {} runs of chains, none untrue", 30 * u64::from(problems), 12 * u64::from(chains));
    Ok(())
}

/// Shares seeds among all cores, each with a stack for the solvers' buffers. Adds up what they find.
fn share<T: Send>(
    seeds: u32,
    work: impl Fn(u32, &mut T) + Sync,
    new: impl Fn() -> T + Sync,
    add: impl Fn(&mut T, T),
) -> Result<T> {
    let workers = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    thread::scope(|scope| {
        let each = (0..workers).map(|worker| {
            let (work, new) = (&work, &new);
            let run = move || {
                let mut found = new();
                (worker..seeds).step_by(workers as usize).for_each(|seed| work(seed, &mut found));
                found
            };
            thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, run)
        });
        let mut sum = new();
        for worker in each.collect::<Vec<_>>() {
            add(&mut sum, worker?.join().ok().context("a worker panicked")?);
        }
        Ok(sum)
    })
}

/// One line of the table: a kind of problem, a way to solve it, a precision.
#[derive(Clone, Copy, Default)]
struct Line {
    solves: u32,
    converged: u32,
    /// largest inconsistency as a share of the kinetic energy, with or without impulses, of converged answers
    worst: f64,
    lies: u32,
}

fn solves(problems: u32) -> Result<u32> {
    println!(
        "attack: {problems} random problems of each kind, f32 and f64, every method, start and answer, 1 to 1000 sweeps"
    );
    println!("  kind      by                       precision  solves  converged  inconsistency/kinetic  not true");
    let mut lies = 0;
    for kind in KINDS {
        for way in WAYS {
            let lines = share(problems, |seed, lines| judge(kind, way, seed, lines), || [Line::default(); 2], add)?;
            for (Line { solves, converged, worst, lies: found }, precision) in lines.into_iter().zip(["f32", "f64"]) {
                let by = format!("{way:?}");
                println!(
                    "  {:8}  {by:24} {precision:9}  {solves:6}  {converged:9}  {worst:21.1e}  {found:8}",
                    format!("{kind:?}")
                );
                lies += found;
            }
        }
    }
    Ok(lies)
}

fn add(sum: &mut [Line; 2], lines: [Line; 2]) {
    for (sum, line) in sum.iter_mut().zip(lines) {
        sum.solves += line.solves;
        sum.converged += line.converged;
        sum.worst = sum.worst.max(line.worst);
        sum.lies += line.lies;
    }
}

fn judge(kind: Kind, way: Way, seed: u32, lines: &mut [Line; 2]) {
    let problem = RandomProblem::new(kind, seed);
    let [single, double] = lines;
    count(problem.judge(way, &settings::<f32>(seed), &mut Direct::new()), single, || {
        format!("{kind:?} {way:?} f32 seed {seed}")
    });
    count(problem.judge(way, &settings::<f64>(seed), &mut Direct::new()), double, || {
        format!("{kind:?} {way:?} f64 seed {seed}")
    });
}

fn count(verdict: Result<Verdict, tumble::Error>, line: &mut Line, name: impl Fn() -> String) {
    line.solves += 1;
    match verdict {
        Ok(verdict) => {
            if verdict.status == tumble::Status::Converged {
                line.converged += 1;
                line.worst = line.worst.max(verdict.inconsistency / verdict.kinetic.max(verdict.kinetic_free));
            }
            if !verdict.is_true() {
                line.lies += 1;
                println!("    {}: {verdict:?}", name());
            }
        }
        Err(error) => {
            line.lies += 1;
            println!("    {}: {error}", name());
        }
    }
}

/// One line of the table of chains.
#[derive(Clone, Copy, Default)]
struct Swung {
    /// chains whose energy rose by more than `EXCESS`: tame and wild ones
    gained: [u32; 2],
    /// largest energy over that at the start, less one
    worst: f64,
    /// largest gain that no step reported, as a share of the larger of start and kinetic energy
    unsaid: f64,
    lies: u32,
}

fn swings(chains: u32) -> Result<u32> {
    println!("\nattack: {chains} passive chains of 2 to 6 links, {TIME} s each, f32; energy against that at the start");
    println!("  step  solver      gained over 0.1 %: tame  wild  largest gain  not reported  not true");
    let mut lies = 0;
    for h in passive_chain::STEPS {
        for cap in CAPS {
            let add = |sum: &mut Swung, one: Swung| {
                sum.gained = [sum.gained[0] + one.gained[0], sum.gained[1] + one.gained[1]];
                (sum.worst, sum.unsaid) = (sum.worst.max(one.worst), sum.unsaid.max(one.unsaid));
                sum.lies += one.lies;
            };
            let sum = share(chains, |seed, sum| swing(seed, h, cap, sum), Swung::default, add)?;
            let Swung { gained: [tame, wild], worst, unsaid, lies: found } = sum;
            let (ms, solver) = (h * 1e3, solver(cap));
            println!("  {ms} ms  {solver:10}  {tame:23}  {wild:4}  {worst:12.1e}  {unsaid:12.1e}  {found:8}");
            lies += found;
        }
    }
    Ok(lies)
}

fn solver(cap: Option<u32>) -> String {
    cap.map_or("direct".into(), |cap| format!("{cap} sweeps"))
}

/// Swings one chain and compares every change of its energy with what the step reports.
fn swing(seed: u32, h: f32, cap: Option<u32>, sum: &mut Swung) {
    let mut chain = PassiveChain::new(seed, h, cap.unwrap_or(100)).expect("a chain that can be built");
    let mut direct = ChainSolver::new();
    let start = chain.energy();
    let (mut before, mut excess, mut worst, mut unsaid) = (start, 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..(TIME / h) as u32 {
        let report = if cap.is_some() { chain.step() } else { chain.step_with(&mut direct) };
        let report = report.expect("a step that can be made");
        let energy = chain.energy();
        // what spins too fast for a step loses energy: a loss earlier does not excuse a gain now
        excess = (excess + energy - before - f64::from(report.constraint_work)).max(0.0);
        worst = worst.max(energy / start - 1.0);
        unsaid = unsaid.max(excess / start.max(chain.kinetic_energy()));
        before = energy;
    }
    sum.gained[(seed % 2) as usize] += u32::from(worst > EXCESS);
    (sum.worst, sum.unsaid) = (sum.worst.max(worst), sum.unsaid.max(unsaid));
    // `f64::max` drops a NaN: look at the energy itself
    if unsaid > EXCESS || !before.is_finite() {
        sum.lies += 1;
        let (ms, solver) = (h * 1e3, solver(cap));
        println!("    chain {seed}, {ms} ms, {solver}: gained {worst:.1e}, of it not reported {unsaid:.1e}");
    }
}
