//! The energy error: what the paper's equations say of one row, what they say of a whole problem, zero at a solution and nowhere else,
//! and one unit, joule, whatever the units of everything else (Enzenhöfer eq. 4–6, theory §3).
//!
//! Tolerances: small numbers of few binary digits are compared exactly; other rows within the roundings counted at `row_agrees`, whole problems within
//! the forward error bound of `support/bound.rs`; a change of units is compared bit by bit.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::adversary::settings;
use support::bound::{Bound, largest};
use support::oracle::{self, Dense, Set, dot, energy_of_row};
use support::solved::{Choice, choices, solved};
use support::units::{Units, units};
use support::{Block, Body, Built, Law, Scene, contacts, everything, garbage, scenes};
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, Friction, RowInput};
use tumble::solve::energy_error;
use tumble::{FrictionModel, Method, Report, Settings};

const INF: f64 = f64::INFINITY;
const MODELS: [FrictionModel; 2] = [FrictionModel::Ccp, FrictionModel::Ncp];

fn model() -> impl Strategy<Value = FrictionModel> {
    prop_oneof![Just(FrictionModel::Ccp), Just(FrictionModel::Ncp)]
}

/// Look, do not sweep.
fn looking<R: Real>(friction: FrictionModel) -> Settings<R> {
    // plain: at the start it is told
    Settings { method: Method::Psor, iterations: 0, tolerance: R::ZERO, friction, ..Settings::default() }
}

// ---- one row ----------------------------------------------------------------------------------------------------------------------

/// `(a, x, w, lo, hi)` with numbers from `number`: outside, inside and at the bounds, bounds infinite or one point, at rest.
fn rows(
    a: impl Strategy<Value = f64>,
    number: impl Strategy<Value = f64> + Clone + 'static,
) -> impl Strategy<Value = [f64; 5]> {
    let bounds = (number.clone(), number.clone(), 0..5_u8).prop_map(|(p, q, kind)| match kind {
        0 => (p, INF),
        1 => (-INF, p),
        2 => (-INF, INF),
        3 => (p, p),
        _ => (p.min(q), p.max(q)),
    });
    let x = (number.clone(), 0..4_u8);
    let w = prop_oneof![1 => Just(0.0), 4 => number];
    (a, x, w, bounds).prop_map(|(a, (x, place), w, (lo, hi))| match place {
        0 if lo.is_finite() => [a, lo, w, lo, hi],
        1 if hi.is_finite() => [a, hi, w, lo, hi],
        _ => [a, x, w, lo, hi],
    })
}

/// Quarters from −4 to 4: every product of the formula is exact, in single precision too.
fn quarters() -> impl Strategy<Value = f64> + Clone + 'static {
    (-16..=16_i8).prop_map(|quarters| f64::from(quarters) / 4.0)
}

/// Six decades of either sign.
fn decades() -> impl Strategy<Value = f64> + Clone + 'static {
    (any::<bool>(), -3.0..3.0_f64).prop_map(|(minus, x)| if minus { -(10.0_f64.powf(x)) } else { 10.0_f64.powf(x) })
}

/// Within rounding of eq. 4–5 in double precision.
///
/// δ and σ are at most three sums of x and a bound, so off by `s = 2ε(|x| + |bound|)`; from there on six operations, ε/2 each, and two
/// more of d = w/a.
fn row_agrees<R: Real>(row: [f64; 5]) -> Result<(), TestCaseError> {
    let rounded = row.map(R::from_f64);
    let [a, x, w, lo, hi] = rounded;
    let ours = energy_error(a, x, w, lo, hi).to_f64();
    let [a, x, w, lo, hi] = rounded.map(R::to_f64);
    let exact = energy_of_row(a, x, w, lo, hi);
    let epsilon = R::EPSILON.to_f64();
    let bound = [lo, hi].into_iter().filter(|bound| bound.is_finite()).fold(0.0, |most: f64, b| most.max(b.abs()));
    let s = 2.0 * epsilon * (x.abs() + bound);
    let d = (2.0 * exact / a).sqrt();
    let apart = a * s * (d + s) + 4.0 * epsilon * exact;
    prop_assert!((ours - exact).abs() <= apart, "{ours}, not {exact} within {apart:e}");
    Ok(())
}

proptest! {
    #[test]
    fn a_row_has_the_error_of_the_paper(row in rows(decades().prop_map(f64::abs), decades())) {
        row_agrees::<f32>(row)?;
        row_agrees::<f64>(row)?;
    }

    #[test]
    fn numbers_of_few_digits_have_exactly_that_error(
        row in rows((-2..=2_i32).prop_map(|power| 2.0_f64.powi(power)), quarters()),
    ) {
        let [a, x, w, lo, hi] = row;
        let exact = energy_of_row(a, x, w, lo, hi);
        prop_assert_eq!(energy_error(a, x, w, lo, hi), exact);
        let [a, x, w, lo, hi] = row.map(|number| number as f32);
        prop_assert_eq!(f64::from(energy_error(a, x, w, lo, hi)), exact);
        // zero exactly at a solution, by eq. 3 itself
        let solved = lo <= x && x <= hi && (w == 0.0 || (w > 0.0 && x == lo) || (w < 0.0 && x == hi));
        prop_assert_eq!(exact == 0.0, solved);
    }
}

#[test]
fn what_is_no_row_is_infinitely_wrong() {
    let good = [2.0, 0.5, 0.0, -1.0, 1.0];
    let error = |[a, x, w, lo, hi]: [f64; 5]| {
        let [b, y, u, l, h] = [a, x, w, lo, hi].map(|number| number as f32);
        let (double, single) = (energy_error(a, x, w, lo, hi), energy_error(b, y, u, l, h));
        assert_eq!(double, f64::from(single));
        double
    };
    assert_eq!(error(good), 0.0);
    for place in 0..5 {
        for bad in [f64::NAN, INF, -INF, 0.0, -1.0, 2.0] {
            let mut row = good;
            row[place] = bad;
            let [a, x, w, lo, hi] = row;
            let meant =
                a > 0.0 && lo <= hi && [a, x, w].iter().all(|number| number.is_finite()) && lo < INF && hi > -INF;
            assert_eq!(error(row).is_finite(), meant, "{row:?}");
            assert!(!error(row).is_nan(), "{row:?}");
        }
    }
    // bounds with nothing between them, and an error too large to be a number
    assert_eq!(error([2.0, 0.5, 0.0, INF, INF]), INF);
    assert_eq!(error([2.0, 0.5, 0.0, -INF, -INF]), INF);
    assert_eq!(energy_error(1.0, 0.0, -1e200, 0.0, INF), INF);
    assert_eq!(energy_error(1.0_f32, -1e30, 0.0, 0.0, f32::INFINITY), f32::INFINITY);
}

// ---- a whole problem --------------------------------------------------------------------------------------------------------------

/// `P_K(y)` by Lagrange's multiplier, which the library and the oracle do without: the nearest point has its tangents shrunk by λ, all together on a
/// disc, each by itself on a diamond, and its normal raised by μλ, with the least λ ≥ 0 that brings it into K. Found by halving.
fn nearest(set: Set, radius: f64, y: &[f64]) -> Vec<f64> {
    let (mu, normal, t) = match set {
        Set::Cone { mu } | Set::Pyramid { mu } => (mu, Some(y[0]), [y[1], y[2]]),
        Set::Polygon { .. } => unreachable!("no problem here has one"),
        Set::Disc { .. } => (0.0, None, [y[0], y[1]]),
        Set::Interval { .. } | Set::Friction { .. } => unreachable!("a row by itself"),
    };
    let raised = |lambda: f64| normal.map(|normal| (normal + mu * lambda).max(0.0));
    let shrunk = |lambda: f64| match set {
        Set::Pyramid { .. } => t.map(|t| t.signum() * (t.abs() - lambda).max(0.0)),
        _ => t.map(|x| x * (1.0 - lambda / t[0].hypot(t[1])).max(0.0)),
    };
    let inside = |lambda: f64| {
        let [t1, t2] = shrunk(lambda);
        let size = if matches!(set, Set::Pyramid { .. }) { t1.abs() + t2.abs() } else { t1.hypot(t2) };
        // a normal below zero is outside, even with no friction and nothing left to shrink
        size <= normal.map_or(radius, |normal| mu * (normal + mu * lambda))
    };
    if inside(0.0) && normal.is_none_or(|normal| normal >= 0.0) {
        return y.to_vec();
    }
    let (mut outside, mut lambda) = (0.0, 1.0);
    while !inside(lambda) {
        (outside, lambda) = (lambda, 2.0 * lambda);
    }
    for _ in 0..100 {
        let middle = 0.5 * (outside + lambda);
        if inside(middle) { lambda = middle } else { outside = middle }
    }
    raised(lambda).into_iter().chain(shrunk(lambda)).collect()
}

/// The energy error of one block of a problem, from its definition. J
fn energy_of_block(dense: &Dense, block: oracle::Block, gamma: &[f64], w: &[f64]) -> f64 {
    let a = dense.scale(block);
    let radius = match block.set {
        Set::Interval { .. } | Set::Friction { .. } => {
            let (lo, hi) = block.interval(gamma);
            return energy_of_row(a, gamma[block.first], w[block.first], lo, hi);
        }
        Set::Disc { mu, lead } => mu * gamma[lead].abs(),
        Set::Cone { .. } | Set::Pyramid { .. } | Set::Polygon { .. } => 0.0,
    };
    let y: Vec<f64> = block.rows().map(|row| gamma[row] - w[row] / a).collect();
    let miss: Vec<f64> = block.rows().zip(nearest(block.set, radius, &y)).map(|(row, p)| gamma[row] - p).collect();
    a / 2.0 * dot(&miss, &miss)
}

/// What rounding alone may make of the energy at a solution. J
fn rounding(dense: &Dense, bound: &Bound<'_>, model: FrictionModel) -> f64 {
    dense.blocks.iter().map(|block| bound.energy(*block, 0.0, model)).sum()
}

proptest! {
    /// Every kind of row, contact and pair, at impulses nobody solved for.
    #[test]
    fn a_problem_has_the_error_of_its_rows(scene in scenes(everything()), start in garbage(), model in model()) {
        let mut built = scene.build::<f64>();
        built.set_impulses(&start);
        let report = built.solve(&looking(model));
        let (dense, gamma) = (Dense::new(&scene), built.impulses());
        let (bound, w) = (Bound::new(&dense, &gamma, largest(&start)), dense.corrected_w(&gamma, model));
        let (mut energy, mut apart) = (0.0, 0.0);
        for block in &dense.blocks {
            let own = energy_of_block(&dense, *block, &gamma, &w);
            energy += own;
            apart += bound.energy(*block, own, model) + f64::EPSILON * energy;
        }
        prop_assert!((report.energy - energy).abs() <= apart, "{}, not {energy} within {apart:e}", report.energy);
    }
}

// ---- zero at a solution, and only there ---------------------------------------------------------------------------------------------

/// A problem small enough to see through: its impulses solve it, in numbers of few digits.
struct Exact {
    name: &'static str,
    scene: Scene,
    gamma: Vec<f64>,
    /// the models of which it is the solution
    models: Vec<FrictionModel>,
    /// rows that may not move by themselves without leaving their set
    pinned: &'static [usize],
}

impl Exact {
    fn only(self, model: FrictionModel) -> Self {
        Self { models: vec![model], ..self }
    }

    fn pinned(self, pinned: &'static [usize]) -> Self {
        Self { pinned, ..self }
    }
}

/// One body of unit moments of inertia, rows along its axes (0 to 2: linear, 3 to 5: angular) against the ground.
fn exact(name: &'static str, mass: f64, v_free: [f64; 6], rows: &[(Law, &[usize])], gamma: &[f64]) -> Exact {
    let m = 1.0 / mass;
    let diagonal = [m, m, m, 1.0, 1.0, 1.0];
    let six = [0, 1, 2, 3, 4, 5];
    let inverse_mass = six.map(|i| six.map(|j| if i == j { diagonal[i] } else { 0.0 }));
    let along = |axis: &usize| RowInput::new(Vec6::from(six.map(|k| f64::from(u8::from(k == *axis)))), Vec6::ZERO);
    let block = |(law, axes): &(Law, &[usize])| {
        let rows = axes.iter().map(along).collect();
        Block { a: 0, b: None, law: *law, rows }
    };
    let scene = Scene { bodies: vec![Body { inverse_mass, v_free }], blocks: rows.iter().map(block).collect() };
    Exact { name, scene, gamma: gamma.to_vec(), models: MODELS.to_vec(), pinned: &[] }
}

/// 4 kg at 2 m/s, so that 8 N·s stop it, on one row.
fn rows_by_themselves() -> Vec<Exact> {
    let (joint, stop) = (Law::Row(Admissible::Bilateral), Law::Row(Admissible::Unilateral));
    let motor = |lo: f64, hi: f64| Law::Row(Admissible::Bounded { lo, hi });
    let (falls, rises) = ([0.0, 0.0, -2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0, 0.0, 0.0]);
    // a spring gives way: −3 m/s, one more asked for, (1/4 + 1/4)/kg
    let mut spring = exact("spring", 4.0, [0.0, 0.0, -3.0, 0.0, 0.0, 0.0], &[(stop, &[2])], &[8.0]);
    let row = &mut spring.scene.blocks[0].rows[0];
    (row.target_velocity, row.compliance) = (1.0, 0.25);
    vec![
        exact("joint", 4.0, falls, &[(joint, &[2])], &[8.0]),
        exact("joint that turns", 4.0, [0.0, 0.0, 0.0, 3.0, 0.0, 0.0], &[(joint, &[3])], &[-3.0]),
        exact("stop, hit", 4.0, falls, &[(stop, &[2])], &[8.0]),
        exact("stop, left", 4.0, rises, &[(stop, &[2])], &[0.0]),
        exact("motor, within its limits", 4.0, falls, &[(motor(-16.0, 16.0), &[2])], &[8.0]),
        exact("motor, at its upper limit", 4.0, falls, &[(motor(-1.0, 4.0), &[2])], &[4.0]),
        exact("motor, at its lower limit", 4.0, rises, &[(motor(-4.0, INF), &[2])], &[-4.0]),
        exact("motor, just at its limit", 4.0, falls, &[(motor(-8.0, 8.0), &[2])], &[8.0]),
        exact("given impulse", 4.0, falls, &[(motor(3.0, 3.0), &[2])], &[3.0]).pinned(&[0]),
        spring,
    ]
}

/// Friction of every kind, μ = 0.5.
fn rows_that_rub() -> Vec<Exact> {
    use FrictionModel::{Ccp, Ncp};
    let mu = 0.5;
    let (joint, stop) = (Law::Row(Admissible::Bilateral), Law::Row(Admissible::Unilateral));
    let (rub, pair) = (Law::Row(Admissible::Friction { mu }), Law::Pair { mu: 1.0 });
    let [cone, pyramid, square] =
        [Friction::Cone { mu }, Friction::Pyramid { mu }, Friction::Box { mu }].map(Law::Contact);
    let v = |x: f64, y: f64, z: f64| [x, y, z, 0.0, 0.0, 0.0];
    let contact = |name: &'static str, mass: f64, v_free: [f64; 6], law: Law, gamma: [f64; 3]| {
        exact(name, mass, v_free, &[(law, &[2, 0, 1])], &gamma)
    };
    // one on top of the other, 1 kg each: the lower contact carries both and holds the lower one back
    let mut stack = contact("stack", 1.0, v(0.5, 0.0, -2.0), cone, [4.0, -0.5, 0.0]);
    let mut on_top = Block { a: 1, b: Some(0), ..stack.scene.blocks[0].clone() };
    on_top.rows.iter_mut().for_each(|row| row.jacobian_b = -row.jacobian_a);
    stack.scene.blocks.push(on_top);
    stack.scene.bodies.push(Body { v_free: v(0.0, 0.0, -2.0), ..stack.scene.bodies[0] });
    stack.gamma.extend([2.0, 0.0, 0.0]);
    vec![
        // up to 4 N·s on a joint that pulls with 8
        exact("friction, sliding", 4.0, v(3.0, 0.0, 2.0), &[(joint, &[2]), (rub, &[0])], &[-8.0, -4.0]),
        exact("friction, sticking", 4.0, v(0.5, 0.0, 2.0), &[(joint, &[2]), (rub, &[0])], &[-8.0, -2.0]),
        exact("pair, sliding", 1.0, v(6.0, 8.0, 5.0), &[(joint, &[2]), (pair, &[0, 1])], &[-5.0, -3.0, -4.0]),
        exact("pair, sticking", 1.0, v(1.0, 2.0, -5.0), &[(stop, &[2]), (pair, &[0, 1])], &[5.0, -1.0, -2.0]),
        contact("box", 1.0, v(7.0, 0.5, -10.0), square, [10.0, -5.0, -0.5]),
        contact("cone, sticking", 4.0, v(0.5, -0.25, -2.0), cone, [8.0, -2.0, 1.0]),
        contact("cone, left", 4.0, v(0.0, 0.0, 2.0), cone, [0.0; 3]).pinned(&[1, 2]),
        contact("pyramid, sticking", 4.0, v(0.5, -0.25, -2.0), pyramid, [8.0, -2.0, 1.0]),
        contact("pyramid, left", 4.0, v(0.0, 0.0, 2.0), pyramid, [0.0; 3]).pinned(&[1, 2]),
        // slides on at (3, 4) m/s; in ccp it opens, at 2.5 m/s
        contact("cone, sliding", 1.0, v(6.0, 8.0, -10.0), cone, [10.0, -3.0, -4.0]).only(Ncp),
        contact("cone, sliding", 1.0, v(6.0, 8.0, -7.5), cone, [10.0, -3.0, -4.0]).only(Ccp),
        // at (2, 4) m/s: the faster tangent takes it all
        contact("pyramid, corner", 1.0, v(2.0, 9.0, -10.0), pyramid, [10.0, 0.0, -5.0]).only(Ncp).pinned(&[1]),
        contact("pyramid, corner", 1.0, v(2.0, 9.0, -8.0), pyramid, [10.0, 0.0, -5.0]).only(Ccp).pinned(&[1]),
        // at (3, 3) m/s: any share
        contact("pyramid, side", 1.0, v(5.0, 6.0, -10.0), pyramid, [10.0, -2.0, -3.0]).only(Ncp),
        contact("pyramid, side", 1.0, v(5.0, 6.0, -8.5), pyramid, [10.0, -2.0, -3.0]).only(Ccp),
        stack,
    ]
}

/// The report at these impulses, and the impulses after they were projected onto their sets.
fn look<R: Real>(scene: &Scene, gamma: &[f64], model: FrictionModel) -> (Report<R>, Vec<f64>) {
    let mut built: Built<R> = scene.build();
    built.set_impulses(gamma);
    (built.solve(&looking(model)), built.impulses())
}

fn zero_there_alone<R: Real>(case: &Exact, model: FrictionModel) {
    let name = case.name;
    let (report, gamma) = look::<R>(&case.scene, &case.gamma, model);
    assert_eq!(gamma, case.gamma, "{name}, {model:?}");
    assert_eq!((report.energy, report.violation), (R::ZERO, R::ZERO), "{name}, {model:?}");
    for row in 0..gamma.len() {
        let mut moved = false;
        // a quarter of a newton second, and a thousandth
        for change in [0.25, -0.25, f64::exp2(-10.0), -f64::exp2(-10.0)] {
            let mut elsewhere = gamma.clone();
            elsewhere[row] += change;
            let (report, admitted) = look::<R>(&case.scene, &elsewhere, model);
            if admitted == elsewhere {
                moved = true;
                assert!(report.energy > R::ZERO && report.violation > R::ZERO, "{name}, {model:?}: {elsewhere:?}");
            }
        }
        assert_eq!(moved, !case.pinned.contains(&row), "{name}, {model:?}: row {row}");
    }
}

#[test]
fn exact_solutions_have_no_error_and_their_neighbours_have() {
    for case in rows_by_themselves().into_iter().chain(rows_that_rub()) {
        for model in &case.models {
            zero_there_alone::<f32>(&case, *model);
            zero_there_alone::<f64>(&case, *model);
        }
    }
}

/// At the answer it was made around, a problem's energy is what rounding leaves; with one impulse moved inside its set it is more, and a
/// row by itself then has `a/2 δ²`: `γ + δ − P(γ + δ − (w + aδ)/a) = δ`.
fn solved_there(
    scene: Scene,
    choices: &[Choice],
    which: usize,
    by: f64,
    model: FrictionModel,
) -> Result<(), TestCaseError> {
    let (scene, gamma) = solved(scene, choices, model);
    let dense = Dense::new(&scene);
    // e was rounded once more, when it was made to fit
    let rounding = |gamma: &[f64]| 4.0 * rounding(&dense, &Bound::new(&dense, gamma, largest(gamma)), model);
    let (report, admitted) = look::<f64>(&scene, &gamma, model);
    prop_assert!(report.energy <= rounding(&gamma), "{:e} > {:e}", report.energy, rounding(&gamma));

    let row = which % gamma.len();
    for by in [by, -by] {
        let mut moved = admitted.clone();
        moved[row] += by;
        let (report, kept) = look::<f64>(&scene, &moved, model);
        if kept != moved {
            continue;
        }
        prop_assert!(report.energy > rounding(&moved), "moved by {by}: {:e}", report.energy);
        let block = *dense.blocks.iter().find(|block| block.rows().contains(&row)).unwrap();
        if block.rows().len() == 1 {
            let own = dense.scale(block) / 2.0 * by * by;
            let apart = Bound::new(&dense, &moved, largest(&moved)).energy(block, own, model);
            prop_assert!(report.energy >= own - 4.0 * apart, "{} < {own}", report.energy);
        }
    }
    Ok(())
}

/// Every row gives way a little: then there is one solution, and sweeps find it.
fn softened(mut scene: Scene) -> Scene {
    scene.blocks.iter_mut().flat_map(|block| &mut block.rows).for_each(|row| row.compliance += 0.1);
    scene
}

proptest! {
    #[test]
    fn a_problem_made_around_its_answer_has_no_error_there_alone(
        scene in scenes(everything()), choices in choices(), which in 0..24_usize, by in 0.01..0.5_f64, model in model(),
    ) {
        solved_there(scene, &choices, which, by, model)?;
    }

    /// As far as double precision goes, and without being told when to stop.
    #[test]
    fn sweeps_drive_the_error_to_nothing(
        scene in prop_oneof![scenes(contacts(|mu| Friction::Cone { mu })), scenes(contacts(|mu| Friction::Pyramid { mu }))],
    ) {
        let (scene, friction) = (softened(scene), FrictionModel::Ccp);
        let mut built = scene.build::<f64>();
        let start = built.solve(&looking(friction));
        let _ = built.solve(&Settings { iterations: 4000, ..looking(friction) });
        let end = built.solve(&looking(friction));
        let (dense, gamma) = (Dense::new(&scene), built.impulses());
        let rounding = rounding(&dense, &Bound::new(&dense, &gamma, largest(&gamma)), friction);
        prop_assert!(end.energy <= 1e-20 * start.energy + rounding, "{:e} of {:e}", end.energy, start.energy);
    }
}

// ---- one unit -----------------------------------------------------------------------------------------------------------------------

/// A solve in other units is the same solve, bit for bit: energies grow by `m l²/t²`, whatever rows measure.
fn does_not_know_its_units<R: Real>(
    (scene, angular, start): (&Scene, &[bool], &[f64]),
    units: Units,
    settings: &Settings<f64>,
) -> Result<(), TestCaseError> {
    let (expressed, impulses) = units.express(scene, angular);
    let solve = |scene: &Scene, start: &[f64], energy: f64| {
        let mut built = scene.build::<R>();
        built.set_impulses(start);
        let report = built.solve(&Settings {
            method: settings.method,
            omega: R::from_f64(settings.omega),
            iterations: settings.iterations,
            // the tolerance is rounded before it is expressed: 1e-12 has no exact number
            tolerance: R::from_f64(settings.tolerance) * R::from_f64(energy),
            friction: settings.friction,
            step: settings.step,
            start: settings.start,
            ..Settings::default()
        });
        (report, built.impulses(), built.velocities())
    };
    let times =
        |numbers: &[f64], units: &[f64]| numbers.iter().zip(units).map(|(x, unit)| x * unit).collect::<Vec<f64>>();

    let (report, gamma, v) = solve(scene, start, 1.0);
    let (report_there, gamma_there, v_there) = solve(&expressed, &times(start, &impulses), units.energy());
    prop_assert_eq!(report_there.energy.to_f64(), report.energy.to_f64() * units.energy());
    prop_assert_eq!((report_there.status, report_there.iterations), (report.status, report.iterations));
    prop_assert_eq!(gamma_there, times(&gamma, &impulses));
    prop_assert_eq!(v_there, times(&v, &units.velocities().repeat(scene.bodies.len())));
    // one velocity, if rows measure nothing else
    if let Some(same) = angular.first().filter(|first| angular[..scene.blocks.len()].iter().all(|one| one == *first)) {
        prop_assert_eq!(report_there.violation.to_f64(), report.violation.to_f64() * units.velocity(*same));
    }
    Ok(())
}

/// Which blocks measure rad/s: none, any, all.
fn angular() -> impl Strategy<Value = Vec<bool>> {
    let any = prop::collection::vec(any::<bool>(), 8);
    prop_oneof![Just(vec![false; 8]), any, Just(vec![true; 8])]
}

proptest! {
    #[test]
    fn the_error_has_one_unit(
        scene in scenes(everything()), angular in angular(), start in garbage(), units in units(), model in model(),
    ) {
        let problem = (&scene, &angular[..], &start[..scene.row_count()]);
        does_not_know_its_units::<f32>(problem, units, &looking(model))?;
        does_not_know_its_units::<f64>(problem, units, &looking(model))?;
    }

    #[test]
    fn a_solve_does_not_know_its_units(
        scene in scenes(everything()), angular in angular(), start in garbage(), units in units(), settings in settings(),
    ) {
        let problem = (&scene, &angular[..], &start[..scene.row_count()]);
        does_not_know_its_units::<f32>(problem, units, &settings)?;
        does_not_know_its_units::<f64>(problem, units, &settings)?;
    }
}
