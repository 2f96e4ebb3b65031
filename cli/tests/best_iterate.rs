//! The best iterate on problems that nobody on this project wrote (`cli/tests/problems.rs`), both friction models, single and double precision:
//!
//! ```text
//! cap     energy(k + 1) ≤ energy(k), k = 0 … 60       from four up by construction, before that as measured here
//! start   energy(k) ≤ energy(P_K(γ⁰)), energy(0)      from garbage
//! set     every impulse in its set, after any number of sweeps
//! bound   ½|v − v*|²_M ≤ Report::bound                convex problems whose impulses are below the ceiling; v* is somebody else's
//! ```
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use std::io::Write;
use tumble::math::Real;
use tumble::{FrictionModel, Method, Report, Settings, Start};
use tumble_cli::host::{HostReal, distance_squared, reference, solve_file};
use tumble_cli::problem_file::ProblemFile;
use tumble_cli::problems::{MISSING, contact_files};

const MODELS: [FrictionModel; 2] = [FrictionModel::Ccp, FrictionModel::Ncp];

fn problems() -> Vec<ProblemFile> {
    let Some(paths) = contact_files().unwrap() else {
        // not println: the harness would swallow it
        let _ = writeln!(std::io::stderr(), "skipped: {MISSING}");
        return Vec::new();
    };
    assert!(!paths.is_empty(), "the folder is there and has no problem files");
    paths.iter().map(|path| ProblemFile::read(path).unwrap()).collect()
}

fn settings<R: Real>(friction: FrictionModel, iterations: u32) -> Settings<R> {
    Settings { friction, iterations, tolerance: R::ZERO, ..Settings::default() }
}

/// Up to the first round all; then caps that make a difference, and some that do not.
fn caps() -> impl Iterator<Item = u32> {
    (0..=12).chain([19, 20, 29, 30, 40, 50, 59, 60])
}

/// Is every impulse in its set? A projection ends in at most eight roundings.
fn check_feasible<R: Real>(file: &ProblemFile, gamma: &[f64], what: &str) {
    let name = &file.name;
    let slack = 1.0 + 8.0 * R::EPSILON.to_f64();
    let mut cone = vec![false; file.rows.len()];
    for contact in &file.contacts {
        let [n, t1, t2] = [contact.n, contact.t[0], contact.t[1]];
        [n, t1, t2].into_iter().for_each(|row| cone[row] = true);
        let mu = R::from_f64(contact.mu).to_f64();
        let inside = gamma[n] >= 0.0 && gamma[t1].hypot(gamma[t2]) <= mu * gamma[n] * slack + 1e-22;
        assert!(inside, "{name}, {what}: {} {} {} with μ = {mu}", gamma[n], gamma[t1], gamma[t2]);
    }
    for ((row, gamma), _) in file.rows.iter().zip(gamma).zip(cone).filter(|(_, cone)| !cone) {
        let rounded = |bound: f64| R::from_f64(bound).to_f64();
        let inside = row.lo.is_none_or(|lo| *gamma >= rounded(lo)) && row.hi.is_none_or(|hi| *gamma <= rounded(hi));
        assert!(inside, "{name}, {what}: {gamma} in {:?} … {:?}", row.lo, row.hi);
    }
}

fn more_sweeps_are_never_worse<R: HostReal>() {
    for file in problems() {
        for friction in MODELS {
            let mut before = f64::INFINITY;
            for cap in caps() {
                let solution = solve_file::<R>(&file, &settings(friction, cap)).unwrap();
                let what = format!("{friction:?} after {cap}");
                check_feasible::<R>(&file, &solution.gamma, &what);
                let energy = solution.report.energy;
                assert!(energy <= before, "{}, {what}: {energy:e}, with a smaller cap {before:e}", file.name);
                assert!(solution.report.iterations <= cap);
                before = energy;
            }
        }
    }
}

#[test]
fn more_sweeps_are_never_worse_in_f64() {
    more_sweeps_are_never_worse::<f64>();
}

#[test]
fn more_sweeps_are_never_worse_in_f32() {
    more_sweeps_are_never_worse::<f32>();
}

/// A solve from the impulses given, in file order; what it said, and its impulses.
fn solve_from<R: HostReal>(file: &ProblemFile, start: &[f64], settings: &Settings<R>) -> (Report<R>, Vec<f64>) {
    R::with_problem(|problem, _| {
        let ids = file.build(problem).unwrap();
        for (id, impulse) in ids.iter().zip(start) {
            problem.set_impulse(*id, R::from_f64(*impulse)).unwrap();
        }
        let report = problem.solve(settings).unwrap();
        (report, ids.iter().map(|id| problem.impulse(*id).unwrap().to_f64()).collect())
    })
}

/// Garbage as large as the answer, a thousandth of it, and a thousand times: projected, the first may be a good start, and the last never is.
fn never_worse_than_its_start<R: HostReal>() {
    let (mut from_garbage, mut from_nothing) = (0, 0);
    for file in problems() {
        let answer = solve_file::<R>(&file, &settings(FrictionModel::Ccp, 60)).unwrap().gamma;
        let size = answer.iter().fold(0.0, |most: f64, gamma| most.max(gamma.abs()));
        for (friction, scale) in MODELS.into_iter().flat_map(|model| [(model, 1e-3), (model, 1.0), (model, 1e3)]) {
            // every fourth of the other sign: of a contact's three now one, now another
            let sign = |row: usize| if row.is_multiple_of(4) { -1.0 } else { 1.0 };
            let garbage: Vec<f64> = (0..answer.len()).map(|row| sign(row) * size * scale).collect();
            // plain begins as it is told
            let plain = |start| Settings { method: Method::Psor, start, ..settings::<R>(friction, 0) };
            let [warm, cold] = [Start::Warm, Start::Cold]
                .map(|start| solve_from::<R>(&file, &garbage, &plain(start)).0.energy.to_f64());
            from_garbage += u32::from(warm < cold);
            from_nothing += u32::from(cold < warm);
            for cap in [0, 1, 2, 3, 4, 5, 20] {
                let (report, gamma) = solve_from::<R>(&file, &garbage, &settings(friction, cap));
                let what = format!("{friction:?} from {scale} after {cap}");
                check_feasible::<R>(&file, &gamma, &what);
                // rows in another order: sums of a thousand positive terms, each of velocities of a dozen products
                let (energy, most) = (report.energy.to_f64(), warm.min(cold) * (1.0 + 1e4 * R::EPSILON.to_f64()));
                assert!(energy <= most, "{}, {what}: {energy:e}, the start {warm:e}, nothing {cold:e}", file.name);
            }
        }
    }
    println!("{from_garbage} garbage better than nothing, {from_nothing} worse");
    assert!(from_garbage + from_nothing == 0 || from_garbage > 0 && from_nothing > 0);
}

#[test]
fn never_worse_than_its_start_in_f64() {
    never_worse_than_its_start::<f64>();
}

#[test]
fn never_worse_than_its_start_in_f32() {
    never_worse_than_its_start::<f32>();
}

/// With a ceiling of twice the largest impulse of the reference, in double precision.
#[test]
fn the_bound_bounds_the_distance_from_the_reference() {
    let (mut compared, mut tightest) = (0, f64::INFINITY);
    let problems = problems();
    for file in &problems {
        let Some((_, reference)) = reference(file, FrictionModel::Ccp) else { continue };
        let Some(gamma) = &reference.gamma else { continue };
        let impulse_ceiling = 2.0 * gamma.iter().fold(0.0, |most: f64, gamma| most.max(gamma.abs()));
        let v_free: Vec<[f64; 6]> = file.bodies.iter().map(|body| body.v_free).collect();
        let all = distance_squared(file, &v_free, reference).unwrap();
        for cap in [0, 1, 3, 5, 10, 20, 60, 200] {
            let settings = Settings { impulse_ceiling, ..settings::<f64>(FrictionModel::Ccp, cap) };
            let solution = solve_file(file, &settings).unwrap();
            let distance = 0.5 * distance_squared(file, &solution.v, reference).unwrap();
            let bound = solution.report.bound;
            // the reference itself is known to 1e-12 of all there was to change
            assert!(bound.is_finite() && distance <= bound + 1e-12 * all, "{}: {distance:e} > {bound:e}", file.name);
            if distance > 1e-9 * all {
                tightest = tightest.min(bound / distance);
            }
            compared += 1;
        }
        // without a ceiling there is none, unless all velocities are in their dual cones
        let open = solve_file(file, &settings::<f64>(FrictionModel::Ccp, 5)).unwrap().report;
        let closed = solve_file(file, &Settings { impulse_ceiling, ..settings(FrictionModel::Ccp, 5) }).unwrap().report;
        assert!(open.bound >= closed.bound);
    }
    println!("{compared} compared, bound at least {tightest:.3} times the distance");
    assert!(compared > 0 || problems.is_empty());
    // of no use if it were far above
    assert!(tightest < 1e3 || problems.is_empty(), "{tightest}");
}
