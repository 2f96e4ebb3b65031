//! Polyhedra: how far bodies are in each other against the step, with and without stabilisation (Hart 2007, slides 55–63), and what their pairs cost.
//!
//! ```text
//! I(q) = max Φ⁻, mean over 0.6 s and four ways to play; slope of log I over log h, least squares
//! ```
//! Double precision, here: the same numbers on every machine.

use super::Findings;
use crate::firmware::look_at_pairs;
use crate::setup;
use crate::shell::{root, step};
use anyhow::{Context, Result, ensure};
use std::fmt::Write as _;
use tumble_cli::plays::mean_infeasibility;
use tumble_scenes::hart::STABILISATION;
use tumble_scenes::pairs::look;

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
    infeasibility(&mut findings)?;
    pairs(&mut findings)?;
    Ok(findings)
}

/// What pairs cost on Cortex-M4F.
fn pairs(findings: &mut Findings) -> Result<()> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let costs = step("pairs on Cortex-M4F, same bits as here", measure_pairs)?;
    findings.line("");
    findings.line("polyhedra: instructions a pair on Cortex-M4F, f32, each solid with itself, half of them laid flat; facets of both");
    findings.line("  solid         facets   ratio   per facet   all events   per facet      most");
    for PairCost { name, facets, ratio, events, most } in &costs {
        let per = |instructions: f64| instructions / facets;
        findings.line(format!(
            "  {name:12}  {facets:>6}  {ratio:>6.0}  {:>10.0}  {events:>11.0}  {:>10.0}  {most:>8.0}",
            per(*ratio),
            per(*events)
        ));
        let mut record = |metric, value| findings.record(BENCH, name, "m4f", metric, value, "instructions");
        record("instructions_ratio", *ratio);
        record("instructions_pair", *events);
        record("instructions_pair_max", *most);
    }
    Ok(())
}

pub(crate) struct PairCost {
    pub(crate) name: String,
    facets: f64,
    pub(crate) ratio: f64,
    pub(crate) events: f64,
    most: f64,
}

/// Run the firmware, compare its answers with this machine's, read what it counted.
pub(crate) fn measure_pairs() -> Result<Vec<PairCost>> {
    let text = look_at_pairs()?;
    let mut here = String::new();
    look(&mut here, |work| {
        work();
        0
    })?;
    let answers =
        |text: &str| text.lines().filter(|line| line.starts_with("pair ")).map(str::to_owned).collect::<Vec<_>>();
    let (board, host) = (answers(&text), answers(&here));
    ensure!(board == host && !host.is_empty(), "pairs differ on Cortex-M4F:\n{board:#?}\n{host:#?}");
    let cost = |line: &str, answer: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["cost", name, "ratio", ratio, "events", events, "most", most] = words[..] else { return None };
        let facets = answer.split_whitespace().nth(3)?.parse().ok()?;
        let [ratio, events, most] = [ratio, events, most].map(|word| word.parse().ok());
        Some(PairCost { name: name.into(), facets, ratio: ratio?, events: events?, most: most? })
    };
    let costs = text.lines().filter(|line| line.starts_with("cost "));
    costs
        .zip(&board)
        .map(|(line, answer)| cost(line, answer).with_context(|| format!("the board says `{line}`")))
        .collect()
}

fn infeasibility(findings: &mut Findings) -> Result<()> {
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
    Ok(())
}

/// Of the line through the logarithms that misses them least.
fn slope(means: &[f64]) -> f64 {
    let points: Vec<[f64; 2]> = STEPS.iter().zip(means).map(|(h, mean)| [h.ln(), mean.ln()]).collect();
    let mean = |k: usize| points.iter().map(|point| point[k]).sum::<f64>() / points.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let sum = |f: fn(f64, f64) -> f64| points.iter().map(|[p, q]| f(p - x, q - y)).sum::<f64>();
    sum(|dx, dy| dx * dy) / sum(|dx, _| dx * dx)
}
