//! Ten thousand adversarial steps by clocks made for it: a step stops when it is told to, and what it leaves is finite and feasible.
//!
//! ```text
//! readings    a sweep lies between two readings of the clock: r readings before the deadline, at most r/2 sweeps
//!             past it a sub-step reads the clock once, a solve at most LATE times, and neither sweeps
//! ```

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::world::{StepReport, StepSettings};
use tumble::{Budget, Clock, Status};
use tumble_scenes::adversary::{self, Adversary, AdversaryWorld, STEPS, most_solves};

/// A tenth in debug: the same code, slower.
const ATTACKS: u32 = if cfg!(debug_assertions) { 100 } else { 1_000 };
/// Readings of the clock by a solve whose time is up before it begins.
const LATE: u32 = 5;

/// Every reading takes so many ticks.
struct Steady {
    each: u32,
    readings: u32,
}

impl Clock for Steady {
    fn ticks(&mut self) -> u32 {
        self.readings += 1;
        self.readings * self.each
    }
}

/// Hardly any time passes up to the k-th reading, and then too much.
struct Expires {
    at: u32,
    readings: u32,
}

/// The time of a step by that clock.
const TIME: u32 = 1 << 20;

impl Clock for Expires {
    fn ticks(&mut self) -> u32 {
        self.readings += 1;
        // the first reading begins the budget
        self.readings + if self.readings > self.at { TIME } else { 0 }
    }
}

/// How often it happened, or the test would show nothing.
#[derive(Debug, Default)]
struct Tally {
    steps: u32,
    touched: u32,
    dropped: u32,
    asleep: u32,
    slid: u32,
    cut: u32,
    cut_in_the_middle: u32,
}

/// Readings past the deadline at most, should it be missed from the start.
fn late(report: &StepReport<f32>, settings: &StepSettings<f32>) -> u32 {
    LATE * most_solves(report, settings) + u32::from(settings.substeps)
}

fn check(world: &AdversaryWorld, report: &StepReport<f32>, settings: &StepSettings<f32>, tally: &mut Tally) {
    match adversary::check(world, report, settings) {
        Ok(slid) => tally.slid += slid,
        Err(wrong) => panic!("{wrong}: {report:?} {settings:?} {:?}", world.contacts().collect::<Vec<_>>()),
    }
    let solve = &report.solve;
    tally.touched += u32::from(report.contacts > 0);
    tally.dropped += u32::from(report.contacts_dropped > 0);
    tally.asleep += u32::from(report.bodies_asleep > 0);
    tally.cut += u32::from(solve.status == Status::Deadline);
    tally.cut_in_the_middle += u32::from(solve.status == Status::Deadline && solve.iterations > 0);
}

/// A step by a clock that expires at its `k`-th reading; says how many it made, and what came of it.
fn step_until(world: &mut AdversaryWorld, h: f32, settings: &StepSettings<f32>, k: u32) -> (u32, StepReport<f32>) {
    let mut clock = Expires { at: k, readings: 0 };
    let mut budget = Budget::new(&mut clock, TIME).unwrap();
    let report = world.step_within(h, settings, &mut budget).unwrap();
    let readings = clock.readings - 1;
    let solve = &report.solve;
    assert!(readings <= k + late(&report, settings), "{readings} readings, {k} before the deadline: {report:?}");
    assert!(2 * solve.iterations <= k, "{k}: {report:?}");
    assert!(solve.status != Status::Deadline || readings >= k, "{readings} of {k}: {report:?}");
    (readings, report)
}

/// A step by a clock by which every reading takes as long.
fn step_steadily(
    world: &mut AdversaryWorld,
    h: f32,
    settings: &StepSettings<f32>,
    (each, ticks): (u32, u32),
) -> StepReport<f32> {
    let mut clock = Steady { each, readings: 0 };
    let mut budget = Budget::new(&mut clock, ticks).unwrap();
    let report = world.step_within(h, settings, &mut budget).unwrap();
    let (readings, in_time) = (clock.readings - 1, ticks.div_ceil(each));
    assert!(readings <= in_time + late(&report, settings), "{readings} readings, {in_time} in time: {report:?}");
    assert!(2 * report.solve.iterations <= in_time, "{in_time}: {report:?}");
    report
}

#[test]
fn ten_thousand_adversarial_steps_end_in_time() {
    let mut world = AdversaryWorld::new();
    let mut tally = Tally::default();
    for seed in 0..ATTACKS {
        let mut adversary = Adversary::new(seed);
        world.clear();
        adversary.build(&mut world).unwrap();
        let (h, settings) = adversary.settings();
        for _ in 0..STEPS {
            adversary.meddle(&mut world).unwrap();
            let report = if seed.is_multiple_of(2) {
                step_until(&mut world, h, &settings, 1 + adversary.up_to(300)).1
            } else {
                let each = 1 + adversary.up_to(1_000);
                step_steadily(&mut world, h, &settings, (each, adversary.up_to(100_000)))
            };
            check(&world, &report, &settings, &mut tally);
            tally.steps += 1;
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.steps, ATTACKS * STEPS);
    let often = |count: u32, share: u32| assert!(count * share > tally.steps, "{tally:?}");
    often(tally.touched, 2);
    often(tally.cut, 4);
    often(tally.cut_in_the_middle, 10);
    often(tally.dropped, 20);
    often(tally.asleep, 50);
    often(tally.slid, 20);
}

/// The prefix of a step up to the k-th reading does not know of k: one reading more allows one sweep more, and no other work is lost.
#[test]
fn wherever_time_runs_out_nothing_is_swept_afterwards() {
    let mut tally = Tally::default();
    let mut expiries = 0;
    for seed in 0..ATTACKS / 50 {
        let mut adversary = Adversary::new(seed);
        let mut world = AdversaryWorld::new();
        adversary.build(&mut world).unwrap();
        let (h, settings) = adversary.settings();
        // on the way, impulses to start from
        for _ in 0..seed % 4 {
            let _ = world.step(h, &settings).unwrap();
        }
        let mut swept = 0;
        for k in 1.. {
            let mut world = world.clone();
            let (readings, report) = step_until(&mut world, h, &settings, k);
            check(&world, &report, &settings, &mut tally);
            let now = report.work.row_sweeps;
            assert!(k > 1 || now == 0, "swept before the clock was read: {report:?}");
            assert!(swept <= now && now <= swept + 120, "{swept} rows swept by reading {k}, {now} by the next");
            swept = now;
            if readings < k {
                assert_ne!(report.solve.status, Status::Deadline);
                break;
            }
            expiries += 1;
        }
    }
    println!("{expiries} expiries, {tally:?}");
    assert!(tally.cut_in_the_middle * 4 > expiries, "{tally:?}");
}
