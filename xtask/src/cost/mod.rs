//! What work costs on the boards: measured step by step, fitted, published in `src/world/costs.rs`, checked.
//!
//! ```text
//! measured ≤ predicted = c_0 + Σ count_i · cost_i        every step of every scene with the default friction model, meter and attack; instructions
//! published = fitted · (1 + MARGIN)                      so that a small change of the kernel does not break it
//! ```
//! A bound that is checked, not proved: a step unlike all of these may take more.

mod fit;
mod publish;
pub(crate) mod trace;

use crate::firmware::{BOARDS, Board, M7, Played, play};
use anyhow::{Context, Result, bail};
use std::sync::OnceLock;
use trace::Step;
use tumble::world::Costs;

pub(crate) use publish::{Table, is_blessed, of_this_compiler, publish};

/// What published costs are above fitted ones.
const MARGIN: f64 = 0.02;
/// Predictions are to be within this of what is measured, on average over the steps of all scenes.
pub(crate) const MEAN_EXCESS: f64 = 0.17;
/// Steps with as many contacts, rows and sweeps, from which their spread is told.
const ALIKE: usize = 8;

/// Everything that a board has shown of what its steps cost.
pub(crate) struct Evidence {
    pub(crate) scenes: Vec<Played>,
    /// Steps that tell kinds of work apart: of scenes in haste, of small worlds, of an adversary.
    pub(crate) meters: Vec<Step>,
}

/// Play every scene and meter on a board; once, however often it is asked for.
pub(crate) fn evidence(board: Board) -> Result<&'static Evidence> {
    static EVIDENCE: [OnceLock<Evidence>; 2] = [OnceLock::new(), OnceLock::new()];
    let [m4f, m7] = &EVIDENCE;
    let of_board = if board.name == M7.name { m7 } else { m4f };
    if of_board.get().is_none() {
        let (scenes, meters) = play(board)?;
        // only this thread asks
        let _ = of_board.set(Evidence { scenes, meters });
    }
    of_board.get().context("there is no evidence")
}

impl Evidence {
    /// Scenes with the friction model that costs are of.
    pub(crate) fn usual(&self) -> impl Iterator<Item = &Played> {
        self.scenes.iter().filter(|played| played.is_usual)
    }

    /// Costs that are never too low, as integers and with a margin; of all scenes but one, should one be named.
    pub(crate) fn fit(&self, without: Option<&str>) -> Result<Costs> {
        let scenes: Vec<&Played> = self.usual().filter(|played| without != Some(&*played.scene)).collect();
        // every scene weighs the same, however many steps or instructions it has, and meters together a quarter of that: else one kind of work would
        // pay for others that always come with it, and worlds unlike all of these would be predicted too cheap
        let of_scenes = scenes.iter().flat_map(|played| {
            let weight = 1.0 / played.steps.len() as f64;
            played.steps.iter().map(move |step| (step, weight))
        });
        let all: Vec<fit::Step> = of_scenes
            .chain(self.meters.iter().map(|step| (step, 0.25 / self.meters.len() as f64)))
            .map(|(step, weight)| {
                let (counts, measured) = (step.work.counts().map(f64::from).to_vec(), step.instructions as f64);
                fit::Step { counts, measured, weight: weight / measured }
            })
            .collect();
        let costs = fit::fit(&all).context("no costs explain what was measured")?;
        let mut rounded = [0; tumble::world::KINDS];
        for (rounded, cost) in rounded.iter_mut().zip(costs) {
            // up, but not for a rounding error
            *rounded = (cost * (1.0 + MARGIN) - 1e-6).ceil() as u32;
        }
        Ok(Costs::from(rounded))
    }

    /// Are these costs too low anywhere, or too high on average? Returns by how much they are at least and on average too high.
    pub(crate) fn check(&self, costs: &Costs) -> Result<(f64, f64)> {
        let mut least = f64::INFINITY;
        for (name, steps) in
            self.usual().map(|played| (&*played.scene, &played.steps)).chain([("meters", &self.meters)])
        {
            let ratios = Spread::of(steps.iter().map(|step| step.ratio(costs)));
            if ratios.least < 1.0 {
                bail!(
                    "a step of {name} took {:.4} times what is predicted; if that is meant, run again with TUMBLE_BLESS=1",
                    1.0 / ratios.least
                );
            }
            least = least.min(ratios.least);
        }
        let mean = self.mean_ratio(costs);
        if mean > 1.0 + MEAN_EXCESS {
            bail!("predictions are {mean:.3} times what is measured; if that is meant, run again with TUMBLE_BLESS=1");
        }
        Ok((least - 1.0, mean - 1.0))
    }

    /// Predicted over measured: mean over scenes of the mean over steps.
    pub(crate) fn mean_ratio(&self, costs: &Costs) -> f64 {
        Spread::of(self.usual().map(|played| played.ratios(costs).mean)).mean
    }
}

impl Step {
    /// Predicted over measured.
    pub(crate) fn ratio(&self, costs: &Costs) -> f64 {
        f64::from(costs.of(&self.work)) / self.instructions as f64
    }
}

impl Played {
    /// Instructions of a step.
    pub(crate) fn instructions(&self) -> Spread {
        Spread::of(self.steps.iter().map(|step| step.instructions as f64))
    }

    /// Predicted over measured instructions of a step.
    pub(crate) fn ratios(&self, costs: &Costs) -> Spread {
        Spread::of(self.steps.iter().map(|step| step.ratio(costs)))
    }

    /// The largest prediction. Instructions
    pub(crate) fn predicted_most(&self, costs: &Costs) -> u32 {
        self.steps.iter().map(|step| costs.of(&step.work)).max().unwrap_or(0)
    }

    /// Most bytes of stack that a step took.
    pub(crate) fn stack(&self) -> u64 {
        self.steps.iter().map(|step| step.stack).max().unwrap_or(0)
    }

    /// Most over mean instructions of steps with as many contacts, rows and sweeps: the worst of all such groups; `None` where too few are alike.
    pub(crate) fn jitter(&self) -> Option<f64> {
        let alike = |step: &&Step| (step.work.contacts, step.work.rows, step.work.row_sweeps);
        let mut steps: Vec<&Step> = self.steps.iter().collect();
        steps.sort_by_key(alike);
        let groups = steps.chunk_by(|a, b| alike(a) == alike(b)).filter(|group| group.len() >= ALIKE);
        let jitter = |group: &[&Step]| {
            let spread = Spread::of(group.iter().map(|step| step.instructions as f64));
            spread.most / spread.mean
        };
        groups.map(jitter).max_by(f64::total_cmp)
    }
}

/// Least, mean and most of some numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) mean: f64,
    pub(crate) most: f64,
}

impl Spread {
    pub(crate) fn of(numbers: impl Iterator<Item = f64>) -> Self {
        let (mut least, mut sum, mut most, mut count) = (f64::INFINITY, 0.0, f64::NEG_INFINITY, 0.0);
        for number in numbers {
            (least, sum, most, count) = (least.min(number), sum + number, most.max(number), count + 1.0);
        }
        Self { least, mean: sum / count, most }
    }
}

/// Is what is published never too low, and not too high on average? `TUMBLE_BLESS=1` publishes anew.
pub(crate) fn check() -> Result<()> {
    let mut tables = Vec::new();
    for board in BOARDS {
        let evidence = evidence(board)?;
        let costs = if is_blessed() { evidence.fit(None)? } else { published(board) };
        if !is_blessed() && !of_this_compiler()? {
            // instructions of another compiler say nothing of this change
            println!("    skipped: src/world/costs.rs is of another compiler");
            return Ok(());
        }
        let (least, excess) = evidence.check(&costs)?;
        println!(
            "    {}: predicted is {:.1} % above measured at least, {:.1} % on average",
            board.core,
            least * 100.0,
            excess * 100.0
        );
        tables.push(Table { core: board.core, costs, excess });
    }
    if is_blessed() { publish(&tables) } else { Ok(()) }
}

/// What is published for a board.
pub(crate) fn published(board: Board) -> Costs {
    if board.name == M7.name { Costs::CORTEX_M7 } else { Costs::CORTEX_M4F }
}
