//! Cost of a step against its size: shakers of 13 to 35 937 spheres, from about 100 to 100 000 constraints.
//!
//! Time on this machine, of one interleaved run: only ratios count.

use super::Findings;
use crate::shell::step;
use anyhow::{Context, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tumble_scenes::Scene;
use tumble_scenes::scene::Stage;
use tumble_scenes::shaker::Shaker;

const BENCH: &str = "scale";

/// Walls of the box.
const WALLS: usize = 5;
/// Sweeps of every step, however small it is.
const SWEEPS: u32 = 20;
/// Until the spheres lie close.
const SETTLING: u32 = 60;
/// Rounds over all sizes; of each the fastest counts, for what else this machine does only adds.
const ROUNDS: u32 = 5;

/// What a size took.
struct Cost {
    spheres: usize,
    contacts: f64,
    step: Duration,
}

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    findings.line(format!(
        "scale: time of a step on this machine, {SWEEPS} sweeps; three constraints (rows) a contact; fastest of {ROUNDS} rounds"
    ));
    findings.line("  spheres  contacts  constraints     ms a step  ns a constraint and sweep  of the least");
    let mut costs: Vec<Cost> = Vec::new();
    macro_rules! sizes {
        ($($spheres:literal)*) => {
            let mut stages: Vec<(usize, &Mutex<dyn Scene + Send>)> = Vec::new();
            $({
                // in static memory, as on the target
                type Sized = Stage<Shaker, { $spheres + 1 }, { 4 * $spheres + 40 }, { 12 * $spheres + 120 }, { $spheres + WALLS }, 0>;
                static STAGE: Mutex<Sized> = Mutex::new(Sized::new());
                stages.push(($spheres, &STAGE));
            })*
            measure(&stages, &mut costs)?;
        };
    }
    sizes! { 13 48 150 500 1728 5832 15625 35937 }
    let per = |cost: &Cost| cost.step.as_secs_f64() * 1e9 / (3.0 * cost.contacts * f64::from(SWEEPS));
    let least = costs.iter().map(per).fold(f64::INFINITY, f64::min);
    for cost in &costs {
        let (constraints, each) = (3.0 * cost.contacts, per(cost));
        findings.line(format!(
            "  {:>7}  {:>8.0}  {constraints:>11.0}  {:>12.4}  {each:>25.1}  {:>12.2}",
            cost.spheres,
            cost.contacts,
            cost.step.as_secs_f64() * 1e3,
            each / least
        ));
        let case = format!("shaker-{}", cost.spheres);
        findings.record(BENCH, &case, "host", "constraints", constraints, "1");
        findings.record(BENCH, &case, "host", "time_per_constraint_ratio", each / least, "1");
    }
    Ok(findings)
}

/// Settle every size, then time a few steps of each in turns.
fn measure(stages: &[(usize, &Mutex<dyn Scene + Send>)], costs: &mut Vec<Cost>) -> Result<()> {
    for (spheres, stage) in stages {
        step(&format!("{spheres} spheres settle"), || {
            let mut scene = stage.lock().expect("no panic");
            scene.reset()?;
            advance(&mut *scene, SETTLING).map(|_| ())
        })?;
        costs.push(Cost { spheres: *spheres, contacts: 0.0, step: Duration::MAX });
    }
    step("timing all sizes in turns", || {
        for _ in 0..ROUNDS {
            for ((spheres, stage), cost) in stages.iter().zip(&mut *costs) {
                let mut scene = stage.lock().expect("no panic");
                // as much work for each
                let steps = u32::try_from((60_000 / spheres).clamp(2, 200))?;
                let started = Instant::now();
                let contacts = advance(&mut *scene, steps)?;
                let each = started.elapsed() / steps;
                if each < cost.step {
                    (cost.step, cost.contacts) = (each, contacts);
                }
            }
        }
        Ok(())
    })
}

/// Make steps; returns the mean number of contacts.
fn advance(scene: &mut dyn Scene, steps: u32) -> Result<f64> {
    let (h, mut settings) = (scene.h(), scene.settings());
    (settings.solve.iterations, settings.solve.tolerance) = (SWEEPS, 0.0);
    let mut contacts = 0.0;
    for _ in 0..steps {
        let report = scene.step(h, &settings).context("a shaker does not step")?;
        contacts += f64::from(report.contacts) / f64::from(steps);
    }
    Ok(contacts)
}
