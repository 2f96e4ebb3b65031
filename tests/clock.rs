//! Time that runs out anywhere, and clocks that lie: whatever the clock says, an answer is finite, inside its sets, no worse than its start, within
//! the cap, and says what stopped it and what was seen of the clock.
//!
//! Nothing here takes time: clocks are read, not waited for. Energies are compared as they are reported; where one is computed again, with
//! another order of the same sum, the tolerance is named there.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::adversary::{attacks, settings};
use support::{Block, Body, Built, Law, Scene, check_admissible};
use tumble::math::{Real, Vec3, Vec6};
use tumble::rig::{ManualClock, ScriptedClock};
use tumble::rows::{Admissible, Friction, RowInput};
use tumble::{
    Answer, Budget, Clock, ClockHealth, Error, FrictionModel, Method, Report, Settings, Start, Status, StepRule,
};

type Large<R> = Built<R, 24, 400>;

/// Three leaning towers of eight boxes, tied to each other, driven and braked: 316 rows of every kind.
fn towers() -> Scene {
    let up = Vec3::new(0.0, 0.0, 1.0);
    let mut scene = Scene { bodies: Vec::new(), blocks: Vec::new() };
    for i in 0..24_usize {
        let (tower, level) = (i / 8, i % 8);
        let mass = [1.0, 0.2, 5.0][tower];
        let mut inverse_mass = [[0.0; 6]; 6];
        // a cube's inertia is m a²/6
        (0..6).for_each(|k| inverse_mass[k][k] = if k < 3 { 1.0 / mass } else { 600.0 / mass });
        let drift = 0.003 * ((i * 7 % 11) as f64 - 5.0);
        scene.bodies.push(Body { inverse_mass, v_free: [drift, -0.7 * drift, -0.02, drift, -drift, 2.0 * drift] });
        let below = (level > 0).then(|| i - 1);
        for (corner, (x, y)) in [(0.05, 0.05), (-0.05, 0.05), (-0.05, -0.05), (0.05, -0.05)].into_iter().enumerate() {
            let arm = |z: f64| Vec3::new(x, y, z);
            let rows = RowInput::contact(up, arm(-0.05), arm(0.05)).to_vec();
            let friction = match (corner + i) % 4 {
                0 => Friction::Pyramid { mu: 0.3 },
                1 => Friction::Box { mu: 0.2 },
                _ => Friction::Cone { mu: 0.4 },
            };
            scene.blocks.push(Block { a: i, b: below, law: Law::Contact(friction), rows });
        }
        let along = |linear: [f64; 3], angular: [f64; 3]| {
            let half = |sign: f64| Vec6::new(Vec3::from(linear) * sign, Vec3::from(angular) * sign);
            RowInput { target_velocity: 0.01, ..RowInput::new(half(1.0), half(-1.0)) }
        };
        let neighbour = (tower < 2).then_some(i + 8);
        if tower < 2 {
            let law = match level % 4 {
                0 => Law::Row(Admissible::Bilateral),
                1 => Law::Row(Admissible::Bounded { lo: -0.002, hi: 0.003 }),
                2 => Law::Row(Admissible::Friction { mu: 0.1 }),
                _ => Law::Pair { mu: 0.05 },
            };
            let rows = [along([1.0, 0.0, 0.0], [0.0; 3]), along([0.0, 1.0, 0.0], [0.0, 0.0, 0.02])];
            scene.blocks.push(Block { a: i, b: neighbour, law, rows: rows[..law.rows()].to_vec() });
        } else {
            let rows = vec![RowInput { compliance: 0.1, ..along([0.0; 3], [0.0, 0.0, 1.0]) }];
            scene.blocks.push(Block { a: i, b: None, law: Law::Row(Admissible::Unilateral), rows });
        }
    }
    // neighbours must be there before what ties them
    scene.blocks.sort_by_key(|block| block.b.is_some_and(|b| b > block.a));
    scene
}

/// Ways to solve it that stop at no tolerance; the last one diverges.
fn ways<R: Real>() -> [Settings<R>; 6] {
    let plain = Settings { iterations: 12, tolerance: R::ZERO, ..Settings::default() };
    let ccp = Settings { friction: FrictionModel::Ccp, ..plain };
    [
        plain,
        ccp,
        Settings { start: Start::Cold, ..plain },
        Settings { method: Method::Psor, ..plain },
        // without a clock it would begin otherwise
        Settings { start: Start::Trusted, answer: Answer::Last, ..plain },
        Settings { method: Method::Psor, step: StepRule::Average, omega: R::from_f64(1.99), ..ccp },
    ]
}

/// The towers with impulses of no meaning in their rows.
fn built<R: Real>(scene: &Scene) -> Large<R> {
    let mut built: Large<R> = scene.build_in();
    let impulses: Vec<f64> = (0..scene.row_count()).map(|i| 0.001 * ((i * 13 % 17) as f64 - 8.0)).collect();
    built.set_impulses(&impulses);
    built
}

/// What holds of every answer.
fn check<R: Real>(scene: &Scene, built: &Large<R>, report: &Report<R>, settings: &Settings<R>, start: R) {
    assert!(built.velocities().iter().chain(&built.impulses()).all(|x| x.is_finite()));
    check_admissible::<R>(&scene.blocks, &built.impulses()).unwrap();
    assert!(report.energy <= start, "{report:?}, at the start {start}");
    assert!(report.iterations <= settings.iterations);
}

fn energy_of_start<R: Real>(start: &Large<R>, settings: &Settings<R>) -> R {
    start.clone().solve(&Settings { iterations: 0, ..*settings }).energy
}

// ---- time runs out -----------------------------------------------------------------------------------------------------------

fn expires_at_every_reading<R: Real>() {
    let scene = towers();
    let start = built::<R>(&scene);
    assert_eq!((start.problem.body_count(), start.problem.row_count()), (24, 316));
    for settings in ways::<R>() {
        let energy_of_start = energy_of_start(&start, &settings);
        let in_time = start.clone().solve(&settings);
        let mut before = energy_of_start;
        for k in 1.. {
            let mut clock = ScriptedClock::new(1).expiring_at(k);
            let mut solved = start.clone();
            let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
            let report = solved.problem.solve_within(&settings, &mut budget).unwrap();
            check(&scene, &solved, &report, &settings, energy_of_start);
            assert_eq!(report.clock, ClockHealth::Good);
            if clock.readings() < k {
                // past the end: nobody noticed that there is a clock
                assert!(k > 100, "so few readings show nothing");
                assert_eq!((report.status, report.iterations), (in_time.status, in_time.iterations));
                break;
            }
            // what begins after it has all the time
            let expected = if k == 1 { in_time.status } else { Status::Deadline };
            assert_eq!(report.status, expected, "{k}: {report:?}");
            // before anything could be done about it: the start is kept, the first sweep would begin
            let still = [clock.readings() - 1, 2, 1].get(k as usize - 1).map_or(0, |still| *still);
            assert_eq!(clock.readings_after_expiry(), still, "reading {k}");
            if k > 1 {
                assert!(report.energy <= before, "{k}: longer, and worse: {before}, then {}", report.energy);
                before = report.energy;
            }
        }
    }
}

#[test]
fn time_may_run_out_at_every_reading_f32() {
    expires_at_every_reading::<f32>();
}

#[test]
fn time_may_run_out_at_every_reading_f64() {
    expires_at_every_reading::<f64>();
}

/// What is reported is the energy error of what is returned, not of something that was swept on since.
#[test]
fn the_energy_reported_is_that_of_the_answer() {
    let scene = towers();
    let start = built::<f64>(&scene);
    for settings in ways::<f64>() {
        for k in (2..200).step_by(7) {
            let mut clock = ScriptedClock::new(1).expiring_at(k);
            let mut solved = start.clone();
            let mut budget = Budget::new(&mut clock, 1000).unwrap();
            let report = solved.problem.solve_within(&settings, &mut budget).unwrap();
            let again = Settings { method: Method::Psor, start: Start::Warm, iterations: 0, ..settings };
            let energy = solved.solve(&again).energy;
            // 316 terms and the velocities in them, each summed in two orders; nothing here is smaller than a thousandth of the largest term
            assert!((energy - report.energy).abs() <= 1e-9 * energy, "{k}: {energy}, reported {}", report.energy);
        }
    }
}

/// Plain SOR with a step that diverges, from an answer that is nearly right: it makes things worse, and goes back when time is up.
#[test]
fn plain_sweeps_that_diverge_are_taken_back() {
    let scene = towers();
    let mut start = built::<f64>(&scene);
    let [_, ccp, .., wild] = ways::<f64>();
    let _ = start.solve(&Settings { iterations: 500, ..ccp });
    let wild = Settings { iterations: 40, ..wild };
    let energy_of_start = energy_of_start(&start, &wild);
    let at_cap = start.clone().solve(&wild);
    assert!(at_cap.energy > energy_of_start, "it does not diverge: {at_cap:?}");
    for k in (2..1000).step_by(5) {
        let mut clock = ScriptedClock::new(1).expiring_at(k);
        let mut solved = start.clone();
        let mut budget = Budget::new(&mut clock, u32::MAX / 2).unwrap();
        let report = solved.problem.solve_within(&wild, &mut budget).unwrap();
        assert_eq!(report.status, Status::Deadline);
        check(&scene, &solved, &report, &wild, energy_of_start);
    }
    // with time enough it is plain SOR, clock or not: its last sweep, however wrong
    let mut solved = start.clone();
    let mut clock = ScriptedClock::new(1);
    let report = solved.problem.solve_within(&wild, &mut Budget::new(&mut clock, 1_000_000).unwrap()).unwrap();
    assert_eq!(report, at_cap);
}

/// One tick a reading, a deadline at every tick: found with the reading at which it passes, and the two after it.
#[test]
fn a_deadline_at_every_tick_is_kept() {
    let scene = towers();
    let start = built::<f32>(&scene);
    let settings = ways()[0];
    let energy_of_start = energy_of_start(&start, &settings);
    for ticks in 0.. {
        let mut clock = ScriptedClock::new(1);
        let mut solved = start.clone();
        let mut budget = Budget::new(&mut clock, ticks).unwrap();
        let report = solved.problem.solve_within(&settings, &mut budget).unwrap();
        // this reading is one more
        let slack = budget.slack();
        assert!(slack >= -4, "{ticks}: over by {slack}");
        check(&scene, &solved, &report, &settings, energy_of_start);
        if report.status == Status::Cap {
            assert!(ticks > 100 && report.iterations == 10, "{ticks}: {report:?}");
            break;
        }
        assert_eq!(report.status, Status::Deadline);
    }
}

/// Too small for a look within a sweep, and a clock that stands when time is up.
#[test]
fn a_small_problem_stops_too() {
    let mut scene = towers();
    scene.blocks.truncate(3);
    scene.bodies.truncate(1);
    let settings = Settings { iterations: 1000, tolerance: 0.0, ..Settings::default() };
    for method in [Method::Anderson, Method::Psor] {
        let settings = Settings { method, ..settings };
        let start = scene.build::<f64>();
        let clock = ManualClock::new();
        let mut reader = &clock;
        let mut budget = Budget::new(&mut reader, 0).unwrap();
        let report = start.clone().problem.solve_within(&settings, &mut budget).unwrap();
        assert_eq!((report.status, report.iterations), (Status::Deadline, 0));

        for k in 2..100 {
            let mut clock = ScriptedClock::new(0).expiring_at(k);
            let mut budget = Budget::new(&mut clock, 1000).unwrap();
            let report = start.clone().problem.solve_within(&settings, &mut budget).unwrap();
            assert!(clock.readings() < k || clock.readings_after_expiry() <= 2, "{k}");
            assert!(clock.readings() < k || report.iterations <= k / 2, "{k}: {report:?}");
        }
    }
}

/// Two solves share a budget: the second begins where the first left it.
#[test]
fn a_budget_goes_on_from_solve_to_solve() {
    let scene = towers();
    let mut built = built::<f32>(&scene);
    let settings = ways()[0];
    let clock = ManualClock::new();
    let mut reader = &clock;
    let mut budget = Budget::new(&mut reader, 100).unwrap();
    let first = built.problem.solve_within(&settings, &mut budget).unwrap();
    assert_eq!(first.status, Status::Cap);
    clock.advance(100);
    let second = built.problem.solve_within(&settings, &mut budget).unwrap();
    assert_eq!((second.status, second.iterations), (Status::Deadline, 0));
    // v is afresh from γ, without what ten sweeps have rounded
    assert!(second.energy <= 1.0001 * first.energy, "{second:?} {first:?}");
}

// ---- clocks that lie ---------------------------------------------------------------------------------------------------------

/// A counter of `bits` that says it has `said`.
struct Mistaken {
    now: u32,
    step: u32,
    bits: u32,
    said: u32,
}

impl Clock for Mistaken {
    fn ticks(&mut self) -> u32 {
        self.now = self.now.wrapping_add(self.step) & self.bits;
        self.now
    }
    fn mask(&self) -> u32 {
        self.said
    }
}

/// Numbers of no meaning (xorshift).
struct Noise(u32);

impl Clock for Noise {
    fn ticks(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
}

/// Solve with a clock; the answer is checked, and compared with that of a solve without one.
fn solve_by(clock: &mut dyn Clock, ticks: u32, settings: &Settings<f32>) -> (Report<f32>, bool) {
    let scene = towers();
    let start = built::<f32>(&scene);
    let (mut solved, mut timeless) = (start.clone(), start.clone());
    let mut budget = Budget::new(clock, ticks).unwrap();
    let report = solved.problem.solve_within(settings, &mut budget).unwrap();
    check(&scene, &solved, &report, settings, energy_of_start(&start, settings));
    assert_eq!(report.clock, budget.health());
    let without = timeless.solve(settings);
    let same = solved.bits() == timeless.bits() && report == Report { clock: report.clock, ..without };
    (report, same)
}

/// The cap is all there is then, and it holds.
#[test]
fn a_clock_that_does_not_go_forward_is_found_out_and_changes_nothing() {
    for settings in &ways()[..4] {
        for ticks in [1, 1000, u32::MAX / 2] {
            let (report, same) = solve_by(&mut ScriptedClock::new(0), ticks, settings);
            assert_eq!((report.status, report.clock, same), (Status::Cap, ClockHealth::Frozen, true));
            for back in [1, 1000, u32::MAX / 2] {
                let mut clock = ScriptedClock::new(back.wrapping_neg());
                let (report, same) = solve_by(&mut clock, ticks, settings);
                assert_eq!((report.status, report.clock, same), (Status::Cap, ClockHealth::Backward, true));
            }
        }
    }
}

/// As a counter whose trace unit is switched off by a debugger.
#[test]
fn a_clock_that_stops_on_the_way_is_found_out() {
    struct Stops(u32);
    impl Clock for Stops {
        fn ticks(&mut self) -> u32 {
            self.0 = (self.0 + 1).min(50);
            self.0
        }
    }
    let (report, same) = solve_by(&mut Stops(0), 1000, &ways()[0]);
    assert_eq!((report.status, report.clock, same), (Status::Cap, ClockHealth::Frozen, true));
}

#[test]
fn a_counter_may_wrap_where_it_says() {
    for bits in [8, 16, 24, 32] {
        let mask = u32::MAX >> (32 - bits);
        for ticks in [20, 60, 127] {
            let (plain, _) = solve_by(&mut ScriptedClock::new(1), ticks, &ways()[0]);
            for before in [0, 1, 2, 30, 59] {
                let clock = ScriptedClock::new(1).with_bits(bits).unwrap();
                let (wrapped, _) = solve_by(&mut clock.starting_at(mask - before), ticks, &ways()[0]);
                assert_eq!((wrapped.status, wrapped), (Status::Deadline, plain));
            }
        }
    }
    // fewer bits than there are: good as long as it is read within half of what it says
    let mut narrow = Mistaken { now: 0xfff0, step: 1, bits: 0xff_ffff, said: 0xffff };
    let (report, _) = solve_by(&mut narrow, 60, &ways()[0]);
    assert_eq!((report.status, report.clock), (Status::Deadline, ClockHealth::Good));
}

/// 24 bits taken for 32: one wrap is a step of unknown length, and said to be.
#[test]
fn a_counter_that_wraps_before_its_mask_is_found_out() {
    for step in [1_u32, 1000, 0x10_0000] {
        let mut clock = Mistaken { now: (20 * step).wrapping_neg() & 0xff_ffff, step, bits: 0xff_ffff, said: u32::MAX };
        let (report, _) = solve_by(&mut clock, 60 * step, &ways()[0]);
        // a wrap or some cost some steps: the deadline is that much later, and it is kept
        assert_eq!((report.status, report.clock), (Status::Deadline, ClockHealth::Backward), "{step}: {report:?}");
    }
    let refused = |said| {
        let mut clock = Mistaken { now: 0, step: 1, bits: 9999, said };
        Budget::new(&mut clock, 10).map(|_| ()).unwrap_err()
    };
    assert_eq!([refused(9999), refused(0xff_fffe)], [Error::OutOfRange("mask"); 2]);
}

#[test]
fn the_cap_holds_by_a_clock_that_says_anything() {
    let mut seen = [0_u32; 2];
    for seed in 1..200_u32 {
        let (report, _) =
            solve_by(&mut Noise(seed.wrapping_mul(0x9e37_79b9)), [1000, u32::MAX / 2][seed as usize % 2], &ways()[0]);
        seen[usize::from(report.status == Status::Deadline)] += 1;
    }
    // half the steps look as if they led forward, a quarter of the range each: any deadline passes soon
    assert!(seen[1] > 150, "{seen:?}");
}

proptest! {
    /// Masses twelve decades apart, numbers at the end of their range, any settings, any time.
    #[test]
    fn attacks_end_in_time_too(attack in attacks(308.0), settings in settings(), k in 1..40_u32, step in any::<u32>()) {
        let mut built = Built::<f64>::new(&attack.bodies);
        let blocks: Vec<Block> = attack.blocks.iter().filter(|block| built.add(block).is_ok()).cloned().collect();
        built.set_impulses(&attack.impulses);
        let mut clock = ScriptedClock::new(step).expiring_at(k);
        let mut budget = Budget::new(&mut clock, 1000).unwrap();
        let report = built.problem.solve_within(&settings, &mut budget).unwrap();
        prop_assert!(built.velocities().iter().chain(&built.impulses()).all(|x| x.is_finite()));
        prop_assert!(report.iterations <= settings.iterations);
        check_admissible::<f64>(&blocks, &built.impulses())?;
        prop_assert!(k == 1 || clock.readings_after_expiry() <= 2);
    }
}
