//! An adversary against the board's own timer: steps with budgets from hopeless to ample, what they leave, and by how much each misses its deadline.
//!
//! A step of n sub-steps in T ticks begins sub-step k at e_k and, by what work costs (U_k: everything but sweeps; I: the rows between two readings of the clock), ends
//! it at
//!
//! ```text
//! e_{k+1} ≤ max( e_k + U_k,  e_k + (T − e_k)/(n − k) + I )     the second only if e_k < T: past the deadline nothing is swept
//! ```
//! for the sweeps stop early enough to leave time for what always follows. Of n sub-steps only ΣU_k is reported. Time flows on from one to the next at a rate of
//! one where work is done and of less than one where it is swept away, so the latest end is that of all work in the last, save what every sub-step has.
//!
//! Output, instructions where not a number of steps:
//! ```text
//! overrun SEED STEP substeps N budget B took E bound X work W…    later than that; should never be
//! wrong SEED STEP WHAT                                            not finite or not feasible; should never be
//! attack SEED by D refused R cut C late L                         D: plan and clock, or the clock alone
//! adversary steps S refused R cut C late L kept K latest M over O interval I hash H
//! ```
//! Refused are plans without time for bodies and shapes; these steps are made without a deadline. Late are steps past their deadline. Kept are those that the clock cut
//! off, of one sub-step, with time for their unavoidable work by what it costs; the last of these ended `latest` after its deadline, negative before it.

use crate::instructions::{Counter, in_ticks, instructions};
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use tumble::solve::ROWS_BETWEEN_READINGS;
use tumble::world::{Costs, Plan, StepReport, StepSettings, Work};
use tumble::{Budget, Clock, Status};
use tumble_scenes::adversary::{Adversary, AdversaryWorld, STEPS, check};

/// Of [`STEPS`] steps each.
const ATTACKS: u32 = 100;
/// The first of them; costs were fitted to others.
const FIRST: u32 = 1_000;
/// Time of a sub-step at most: enough for most heaps with all their sweeps. Instructions
const AMPLE: u32 = 4_000_000;
/// More than any step takes. Ticks
const ENDLESS: u32 = i32::MAX.unsigned_abs();

/// Let the adversary loose, leave the emulator. `costs` are the core's, in instructions.
///
/// Called once, from `main`.
pub fn adversary(costs: &Costs) -> ! {
    static WORLD: Single<AdversaryWorld> = Single(UnsafeCell::new(AdversaryWorld::new()));
    // SAFETY: called once from the only thread, so this is the only reference ever made.
    let world = unsafe { &mut *WORLD.0.get() };
    leave(|out, counter| {
        let costs = in_ticks(costs);
        let (mut all, mut hash) = (Tally::NONE, 0_u64);
        for seed in FIRST..FIRST + ATTACKS {
            all.add(&attack(out, world, counter, &costs, seed)?);
            hash = hash.rotate_left(1) ^ world.state_hash();
        }
        let Tally { steps, refused, cut, late, kept, latest, over } = all;
        let early = if latest < 0 { "-" } else { "" };
        let [latest, over, interval] = [latest.unsigned_abs(), over, interval(&costs)].map(instructions);
        write!(
            out,
            "adversary steps {steps} refused {refused} cut {cut} late {late} kept {kept} latest {early}{latest} "
        )?;
        writeln!(out, "over {over} interval {interval} hash {hash:016x}")
    })
}

/// Numbers of steps; times in ticks.
struct Tally {
    steps: u32,
    /// plans without time for bodies and shapes
    refused: u32,
    /// stopped by the clock
    cut: u32,
    /// past the deadline
    late: u32,
    /// cut, of one sub-step, and there is time for what is unavoidable
    kept: u32,
    /// how late the latest of these is
    latest: i64,
    /// most beyond the bound
    over: u64,
}

impl Tally {
    const NONE: Self = Self { steps: 0, refused: 0, cut: 0, late: 0, kept: 0, latest: i64::MIN, over: 0 };

    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.refused += other.refused;
        self.cut += other.cut;
        self.late += other.late;
        self.kept += other.kept;
        self.latest = self.latest.max(other.latest);
        self.over = self.over.max(other.over);
    }
}

fn attack(
    out: &mut impl Write,
    world: &mut AdversaryWorld,
    counter: &Counter,
    costs: &Costs,
    seed: u32,
) -> Result<Tally, Error> {
    let mut timer = counter.timer();
    let mut tally = Tally::NONE;
    let mut adversary = Adversary::new(seed);
    world.clear();
    adversary.build(world).map_err(|_| Error)?;
    let (h, settings) = adversary.settings();
    // by turns the plan decides, and the clock is there should it be wrong; or the clock alone, and costs say what to set aside
    let planned = seed.is_multiple_of(2);
    let most = in_ticks(&Costs { step: AMPLE, ..Costs::default() }).step * u32::from(settings.substeps);
    // of the last step: what it needed besides sweeps, and what all sweeps would have
    let mut last = None;
    for step in 0..STEPS {
        adversary.meddle(world).map_err(|_| Error)?;
        let mut ticks = match last {
            // so that there is time for some sweeps: where deadlines may be kept or missed
            Some((needed, sweeps)) if step % 4 != 0 => needed + adversary.up_to(sweeps),
            _ => adversary.up_to(most),
        };
        let settings_for = |ticks| {
            let plan = Plan { costs: *costs, ticks: if planned { ticks } else { ENDLESS } };
            StepSettings { plan: Some(plan), ..settings }
        };
        let mut made = step_within(world, h, &settings_for(ticks), &mut timer, ticks);
        if let Err(tumble::Error::OutOfRange("plan ticks")) = made {
            tally.refused += 1;
            ticks = ENDLESS;
            made = step_within(world, h, &settings_for(ticks), &mut timer, ticks);
        }
        let (report, slack) = made.map_err(|_| Error)?;
        tally.steps += 1;
        let cut = report.solve.status == Status::Deadline;
        tally.cut += u32::from(cut);
        tally.late += u32::from(slack < 0);
        if let Err(wrong) = check(world, &report, &settings) {
            writeln!(out, "wrong {seed} {step} {wrong}")?;
        }

        let (substeps, took) = (settings.substeps, u64::from(ticks.wrapping_add_signed(-slack)));
        if cut && substeps == 1 && unavoidable(costs, &report) <= u64::from(ticks) {
            tally.kept += 1;
            tally.latest = tally.latest.max(-i64::from(slack));
        }
        let sweeps = Work { row_sweeps: report.work.rows * settings.solve.iterations, ..Work::NONE };
        last = Some((costs.of(&Work { row_sweeps: 0, ..report.work }), costs.of(&sweeps)));
        let bound = latest_end(costs, &report, substeps, ticks);
        if took > bound {
            tally.over = tally.over.max(took - bound);
            let [budget, took, bound] = [u64::from(ticks), took, bound].map(instructions);
            write!(out, "overrun {seed} {step} substeps {substeps} budget {budget} took {took} bound {bound} work")?;
            report.work.counts().iter().try_for_each(|count| write!(out, " {count}"))?;
            writeln!(out)?;
        }
    }
    let by = if planned { "plan" } else { "clock" };
    writeln!(out, "attack {seed} by {by} refused {} cut {} late {}", tally.refused, tally.cut, tally.late)?;
    Ok(tally)
}

/// A step, and what is left of its time when it is back. Ticks
fn step_within(
    world: &mut AdversaryWorld,
    h: f32,
    settings: &StepSettings<f32>,
    timer: &mut dyn Clock,
    ticks: u32,
) -> Result<(StepReport<f32>, i32), tumble::Error> {
    let mut budget = Budget::new(timer, ticks)?;
    let report = world.step_within(h, settings, &mut budget)?;
    Ok((report, budget.slack()))
}

/// Everything but sweeps.
fn unavoidable(costs: &Costs, report: &StepReport<f32>) -> u64 {
    costs.of(&Work { row_sweeps: 0, ..report.work }).into()
}

/// The rows between two readings of the clock.
fn interval(costs: &Costs) -> u64 {
    u64::from(costs.row_sweep) * ROWS_BETWEEN_READINGS as u64
}

/// When a step is over at the latest, by what its work costs. Ticks
fn latest_end(costs: &Costs, report: &StepReport<f32>, substeps: u16, ticks: u32) -> u64 {
    let (substeps, ticks) = (u32::from(substeps), u64::from(ticks));
    let Work { bodies, shapes, joints, .. } = report.work;
    let [bodies, shapes, joints] = [bodies, shapes, joints].map(|count| count / substeps);
    let least = u64::from(costs.of(&Work { steps: 1, bodies, shapes, joints, ..Work::NONE }));
    let mut left = unavoidable(costs, report);
    let mut elapsed = 0;
    for ahead in (1..=substeps).rev() {
        let work = if ahead == 1 { left } else { least };
        left -= work;
        let swept = if elapsed < ticks { elapsed + (ticks - elapsed) / u64::from(ahead) + interval(costs) } else { 0 };
        elapsed = swept.max(elapsed + work);
    }
    elapsed
}
