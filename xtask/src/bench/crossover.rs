//! Up to which size pivots beat sweeps, for the same accuracy, on this machine: time of one interleaved run, of which only ratios count.

use super::Findings;
use crate::shell::{root, step};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tumble::solve::Exact;
use tumble::{Method, Problem, Settings};
use tumble_scenes::exact::{Shape, settings};

const BENCH: &str = "exact";
/// Energy error to reach, of that at the start.
const ACCURACY: f64 = 1e-8;
/// Sweeps at most: whoever needs more does not get there.
const SWEEPS: u32 = 100_000;
/// Rounds over all methods of a size; of each the fastest counts. One for large sizes, which take seconds.
const ROUNDS: u32 = 5;
const LARGE: u16 = 1_000;
/// Of the smallest size the order of both is a matter of noise.
const SMALLEST: u16 = 16;
/// Where the picture finds the last that were kept, from the root on.
pub(crate) const KEPT: &str = "docs/exact-crossover.csv";

/// A problem, and the time each method took relative to pivots; none where a method did not get there.
struct Size {
    shape: Shape,
    rows: u16,
    sweeps: [u32; 2],
    ratios: [Option<f64>; 2],
}

pub(crate) fn run(findings: &mut Findings) -> Result<()> {
    let mut sizes = Vec::new();
    macro_rules! sizes {
        ($($rows:literal)*) => {$({
            type Memory = (Problem<f64, $rows, $rows>, Exact<f64, $rows, $rows, { $rows * 300 }>);
            static MEMORY: Mutex<Memory> = Mutex::new((Problem::new(), Exact::new()));
            let mut memory = MEMORY.lock().expect("no panic");
            let (problem, exact) = &mut *memory;
            for shape in [Shape::Stack, Shape::Pile] {
                let name = format!("{} of {} rows, by pivots and by sweeps", shape.name(), $rows);
                sizes.push(step(&name, || measure(problem, exact, shape, $rows))?);
            }
        })*};
    }
    sizes! { 16 32 64 128 256 512 1024 2048 }
    findings.line("exact: time of sweeps to an energy error of 1e-8 of the start, in times that of the exact solver; this machine, double precision");
    findings.line("  case       rows     PSOR sweeps   time      default sweeps   time");
    let mut kept = String::from("shape,rows,psor,default\n");
    for Size { shape, rows, sweeps, ratios } in &sizes {
        let shown = |ratio: &Option<f64>| ratio.map_or_else(|| "never".into(), |ratio| format!("{ratio:.3}"));
        let case = format!("{}{rows}", shape.name());
        let [psor, default] = ratios.each_ref().map(shown);
        findings.line(format!("  {case:9}  {rows:>4}  {:>14}  {psor:>5}  {:>18}  {default:>5}", sweeps[0], sweeps[1]));
        for (metric, ratio) in ["psor_time_ratio", "default_time_ratio"].into_iter().zip(ratios) {
            if let Some(ratio) = ratio {
                findings.record(BENCH, &format!("crossover-{case}"), "host", metric, *ratio, "1");
            }
        }
        let number = |ratio: &Option<f64>| ratio.map_or_else(String::new, |ratio| format!("{ratio:.4}"));
        let [psor, default] = ratios.each_ref().map(number);
        writeln!(kept, "{},{rows},{psor},{default}", shape.name())?;
    }
    for shape in [Shape::Stack, Shape::Pile] {
        // the largest size up to which every smaller one goes to pivots
        let to_pivots = |size: &&Size| size.ratios[1].is_none_or(|ratio| ratio > 1.0);
        let of_shape = sizes.iter().filter(|size| size.shape == shape && size.rows > SMALLEST);
        let rows = of_shape.take_while(to_pivots).last().map_or(SMALLEST, |size| size.rows);
        findings.line(format!("  {}: pivots are faster than default sweeps up to {rows} rows", shape.name()));
        findings.record(BENCH, &format!("crossover-{}", shape.name()), "host", "rows", rows.into(), "1");
    }
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(root().join(KEPT), kept).with_context(|| format!("cannot write {KEPT}"))?;
    }
    Ok(())
}

fn measure<const N: usize, const NONZEROS: usize>(
    problem: &mut Problem<f64, N, N>,
    exact: &mut Exact<f64, N, N, NONZEROS>,
    shape: Shape,
    rows: u16,
) -> Result<Size> {
    shape.build(problem, rows, 1)?;
    let start = problem.solve(&Settings { iterations: 0, ..settings() })?.energy;
    let tolerance = ACCURACY * start;
    let methods = [Method::Psor, Method::Anderson];
    let (mut sweeps, mut fastest) = ([0; 2], [Some(Duration::MAX); 2]);
    let mut pivots = Duration::MAX;
    for _ in 0..if rows > LARGE { 1 } else { ROUNDS } {
        let ((), time) = timed(|| problem.solve_exactly(exact, &Settings { tolerance, ..settings() }).map(|_| ()))?;
        pivots = pivots.min(time);
        for ((method, sweeps), fastest) in methods.into_iter().zip(&mut sweeps).zip(&mut fastest) {
            // who did not get there once never will
            let Some(least) = *fastest else { continue };
            let settings = Settings { method, iterations: SWEEPS, tolerance, ..settings() };
            let (report, time) = timed(|| problem.solve(&settings))?;
            *sweeps = report.iterations;
            *fastest = (report.energy <= tolerance).then_some(time.min(least));
        }
    }
    let ratio = |time: Option<Duration>| time.map(|time| time.as_secs_f64() / pivots.as_secs_f64());
    Ok(Size { shape, rows, sweeps, ratios: fastest.map(ratio) })
}

fn timed<T>(work: impl FnOnce() -> Result<T, tumble::Error>) -> Result<(T, Duration)> {
    let started = Instant::now();
    let result = work()?;
    Ok((result, started.elapsed()))
}
