//! Polyhedra: how far bodies are in each other against the step, with and without stabilisation (Hart 2007, slides 55–63), and what their pairs cost.
//!
//! ```text
//! I(q) = max Φ⁻, mean over 0.6 s and four ways to play; slope of log I over log h, least squares
//! ```
//! Double precision, here: the same numbers on every machine.

use super::Findings;
use crate::shell::{root, step};
use anyhow::{Context, Result};
use std::fmt::Write as _;
use tumble_cli::plays::mean_infeasibility;
use tumble_scenes::hart::STABILISATION;

const BENCH: &str = "polyhedra";

/// The scenes of his that are looked at.
const PLAYS: [&str; 4] = ["balance", "pyramid", "dice", "setup"];
/// s
const STEPS: [f64; 5] = [2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4];
/// As good as none; none at all is refused.
const UNSTABILISED: f64 = 1e-9;
/// What the picture is drawn from.
const KEPT: &str = "docs/infeasibility.csv";

pub(crate) fn run() -> Result<Findings> {
    let mut findings = Findings::default();
    findings.line("polyhedra: mean of I(q) = max Φ⁻ over 0.6 s of Hart's scenes, in m, by step; f64, here");
    let columns: String = STEPS.iter().map(|h| format!("  {:>8}", format!("{} ms", 1e3 * h))).collect();
    findings.line(format!("  scene    stabilisation{columns}   slope"));
    let mut kept = String::from("scene,stabilised,h,infeasibility\n");
    for name in PLAYS {
        for (stabilisation, variant) in [(f64::from(STABILISATION), "host"), (UNSTABILISED, "unstabilised")] {
            let means = step(&format!("{name}, stabilisation {stabilisation}"), || {
                STEPS.iter().map(|h| Ok(mean_infeasibility(name, *h, stabilisation)?)).collect::<Result<Vec<f64>>>()
            })?;
            let slope = slope(&means);
            let columns: String = means.iter().map(|mean| format!("  {mean:>8.1e}")).collect();
            let shown = if variant == "host" { format!("{stabilisation}") } else { "none".into() };
            findings.line(format!("  {name:8} {shown:>13}{columns}  {slope:>6.2}"));
            findings.record(BENCH, name, variant, "infeasibility_slope", slope, "1");
            for (h, mean) in STEPS.iter().zip(&means) {
                writeln!(kept, "{name},{},{h},{mean:.3e}", variant == "host")?;
            }
            if let Some(mean) = means.get(1) {
                findings.record(BENCH, name, variant, "mean_infeasibility_1ms", *mean, "m");
            }
        }
    }
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(root().join(KEPT), kept).with_context(|| format!("cannot write {KEPT}"))?;
    }
    Ok(findings)
}

/// Of the line through the logarithms that misses them least.
fn slope(means: &[f64]) -> f64 {
    let points: Vec<[f64; 2]> = STEPS.iter().zip(means).map(|(h, mean)| [h.ln(), mean.ln()]).collect();
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let sum = |f: fn(f64, f64) -> f64| points.iter().map(|[p, q]| f(p - x, q - y)).sum::<f64>();
    sum(|dx, dy| dx * dy) / sum(|dx, _| dx * dx)
}
