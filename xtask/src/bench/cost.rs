//! What each kind of work costs on the boards, fitted, and how well that predicts the instructions of every step.
//!
//! `TUMBLE_BLESS=1` publishes the fit in `src/world/costs.rs`.

use super::Findings;
use crate::cost::{self, Evidence, MEAN_EXCESS, Spread, Table};
use crate::firmware::{BOARDS, Board, Played};
use crate::setup;
use crate::shell::step;
use anyhow::{Result, bail};
use tumble::world::Costs;

const BENCH: &str = "cost";

pub(crate) fn run() -> Result<Findings> {
    setup::targets(&[setup::BOARD_TARGET])?;
    setup::emulator()?;
    let mut findings = Findings::default();
    let mut tables = Vec::new();
    for board in BOARDS {
        let evidence = step(&format!("scenes and meters on {}", board.core), || cost::evidence(board))?;
        let costs = evidence.fit(None)?;
        let excess = evidence.mean_ratio(&costs) - 1.0;
        describe(&mut findings, board, evidence, &costs)?;
        if excess > MEAN_EXCESS {
            bail!("on {} predictions are {:.1} % too high on average", board.core, excess * 100.0);
        }
        tables.push(Table { core: board.core, costs, excess });
    }
    if cost::is_blessed() {
        step("writing src/world/costs.rs", || cost::publish(&tables))?;
    }
    Ok(findings)
}

fn describe(findings: &mut Findings, board: Board, evidence: &Evidence, costs: &Costs) -> Result<()> {
    let variant = board.variant;
    findings.line(format!(
        "cost: instructions on {} by kind of work; published now, fitted now with 2 % to spare",
        board.core
    ));
    findings.line("  kind             published     fitted");
    let published = cost::published(board).by_kind();
    for ((kind, cost), published) in Costs::NAMES.into_iter().zip(costs.by_kind()).zip(published) {
        findings.line(format!("  {kind:15}  {published:>9}  {cost:>9}"));
        findings.record(BENCH, kind, variant, "instructions", cost.into(), "instructions");
    }
    findings.line(format!(
        "cost: predicted over measured instructions of a step on {}; \"unseen\": the least, fitted without the scene",
        board.core
    ));
    findings.line("  scene         steps   least    mean    most  unseen  jitter");
    for played in evidence.usual() {
        let Played { scene, steps, .. } = played;
        let Spread { least, mean, most } = played.ratios(costs);
        let unseen = played.ratios(&evidence.fit(Some(scene))?).least;
        let jitter = played.jitter().map_or("-".into(), |jitter| format!("{jitter:.3}"));
        findings.line(format!(
            "  {scene:12}  {:>5}  {least:>6.3}  {mean:>6.3}  {most:>6.3}  {unseen:>6.3}  {jitter:>6}",
            steps.len()
        ));
        let mut record = |metric, value| findings.record(BENCH, scene, variant, metric, value, "1");
        record("predicted_over_measured_min", least);
        record("predicted_over_measured_mean", mean);
        record("predicted_over_measured_max", most);
        record("predicted_over_measured_min_unseen", unseen);
    }
    let meters = Spread::of(evidence.meters.iter().map(|step| step.ratio(costs)));
    let steps = evidence.meters.len();
    findings.line(format!(
        "  {:12}  {steps:>5}  {:>6.3}  {:>6.3}  {:>6.3}",
        "meters", meters.least, meters.mean, meters.most
    ));
    let mean = evidence.mean_ratio(costs);
    findings.line(format!("  on average over scenes {:.1} % too high", (mean - 1.0) * 100.0));
    findings.record(BENCH, "all", variant, "predicted_over_measured_mean", mean, "1");
    Ok(())
}
