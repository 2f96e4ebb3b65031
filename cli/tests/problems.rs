//! Problems and answers that nobody on this project wrote: `<workspace>/../shared/problems/contact`, or where
//! `TUMBLE_PROBLEMS` says. Velocities are compared, impulses never: with redundant contacts those are not unique.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use std::io::Write;
use std::path::PathBuf;
use tumble::math::Real;
use tumble::{FrictionModel, Method, Settings, Start, StepRule};
use tumble_cli::host::{HostReal, reference, relative_error, solve_file};
use tumble_cli::problem_file::{ProblemFile, Row};
use tumble_cli::problems::{MISSING, contact_files};

/// Every problem file, or none with a word about it when the collection is not on this machine.
fn problems() -> Vec<ProblemFile> {
    let Some(paths) = contact_files().unwrap() else {
        // not println: the harness would swallow it
        let _ = writeln!(std::io::stderr(), "skipped: {MISSING}");
        return Vec::new();
    };
    assert!(!paths.is_empty(), "the folder is there and has no problem files");
    println!("{} problem files", paths.len());
    let read = |path: &PathBuf| ProblemFile::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.iter().map(read).collect()
}

/// From a cold start, without a tolerance: exactly this many sweeps.
fn sweeps<R: Real>(iterations: u32, friction: FrictionModel, method: Method) -> Settings<R> {
    // plain as its author writes it, with the averaged step
    let step = if method == Method::Psor { StepRule::Average } else { StepRule::default() };
    Settings { method, iterations, tolerance: R::ZERO, friction, step, start: Start::Cold, ..Settings::default() }
}

/// Error against the reference after at most 20 000 sweeps with the library's choices, as soon as it is within `bound`.
fn check_against_reference<R: HostReal>(friction: FrictionModel, bound: f64) {
    let mut compared = 0;
    let problems = problems();
    for file in &problems {
        let Some((model, reference)) = reference(file, friction) else { continue };
        compared += 1;
        let error_after = |iterations| {
            let solution = solve_file::<R>(file, &sweeps(iterations, friction, Method::default())).unwrap();
            relative_error(file, &solution.v, reference).unwrap()
        };
        // most are there early: ask before sweeping on
        let met = [100, 500, 2_000, 20_000].into_iter().map(|n| (n, error_after(n))).find(|(_, error)| *error <= bound);
        let Some((n, error)) = met else {
            panic!("{}: more than {bound:e} from {model} after 20 000 sweeps", file.name)
        };
        println!("{:42} {model} {error:.1e} after {n}", file.name);
    }
    assert!(compared > 0 || problems.is_empty());
    println!("{compared} compared");
}

#[test]
fn cone_complementarity_and_bounded_rows_in_f64() {
    check_against_reference::<f64>(FrictionModel::Ccp, 1e-7);
}

#[test]
fn exact_coulomb_friction_in_f64() {
    check_against_reference::<f64>(FrictionModel::Ncp, 1e-6);
}

#[test]
fn cone_complementarity_and_bounded_rows_in_f32() {
    check_against_reference::<f32>(FrictionModel::Ccp, 1e-4);
}

#[test]
fn exact_coulomb_friction_in_f32() {
    check_against_reference::<f32>(FrictionModel::Ncp, 1e-4);
}

/// The figures in the collection's README, from somebody else's plain PSOR after 20, 100 and 1000 sweeps, to the digits
/// printed there; what has converged to rounding (`""`) has to be below 1e-9.
#[test]
fn plain_psor_converges_as_an_independent_one() {
    const FIGURES: [(&str, [&str; 3]); 6] = [
        ("FCLIB_Box_Stacks-i0122-82-5", ["1.5e-5", "", ""]),
        ("FCLIB_Spheres-i099-356-679", ["9.3e-2", "6.8e-3", ""]),
        ("FCLIB_spheres-in-a-box-98-i10000-256-10", ["1.9e-1", "9.9e-3", "5.6e-7"]),
        ("SIM_column6_s0055_nc24", ["7.8e-2", "3.0e-4", "3.1e-5"]),
        ("SIM_cubes27_s0302_nc124", ["5.0e-3", "8.0e-5", "5.5e-7"]),
        ("SIM_spheres40_s0274_nc40", ["4.1e-2", "1.9e-6", ""]),
    ];
    let problems = problems();
    for (name, figures) in FIGURES {
        // another collection need not have it
        let Some(file) = problems.iter().find(|file| file.name == name) else { continue };
        for (iterations, figure) in [20, 100, 1000].into_iter().zip(figures) {
            let settings = sweeps::<f64>(iterations, FrictionModel::Ccp, Method::Psor);
            let v = solve_file(file, &settings).unwrap().v;
            let error = relative_error(file, &v, reference(file, FrictionModel::Ccp).unwrap().1).unwrap();
            let agrees = if figure.is_empty() { error < 1e-9 } else { format!("{error:.1e}") == figure };
            assert!(agrees, "{name} after {iterations}: {error:e}, expected {figure}");
        }
    }
}

/// Tasora 2006: at ω ≤ 1 no update of a row raises `½γᵀ(N + diag c)γ + γᵀ(E v_free − e)`.
#[test]
fn dual_objective_of_frictionless_problems_never_rises() {
    for file in problems() {
        let file = without_friction(file);
        for omega in [1.0, 0.7] {
            f64::with_problem(|problem, _| {
                let ids = file.build(problem).unwrap();
                let mut settings = sweeps(0, FrictionModel::Ccp, Method::default());
                settings.omega = omega;
                let mut before = f64::INFINITY;
                for sweep in 0..=1000 {
                    // sweep 0 is the cold start; from then on one at a time from the impulses of the last
                    let _ = problem.solve(&settings).unwrap();
                    (settings.iterations, settings.start) = (1, Start::Warm);
                    let gamma: Vec<f64> = ids.iter().map(|&id| problem.impulse(id).unwrap()).collect();
                    let (after, rounding) = dual_objective(&file, &gamma);
                    assert!(after <= before + rounding, "{} ω = {omega}, sweep {sweep}: {before} → {after}", file.name);
                    before = after;
                }
                assert!(before < 0.0, "{}: nothing happened", file.name);
            });
        }
    }
}

/// Tangents dropped, normals unilateral, all other rows as they are.
fn without_friction(mut file: ProblemFile) -> ProblemFile {
    let mut tangents: Vec<usize> = Vec::new();
    for contact in std::mem::take(&mut file.contacts) {
        (file.rows[contact.n].lo, file.rows[contact.n].hi) = (Some(0.0), None);
        tangents.extend(contact.t);
    }
    let mut index = 0..;
    file.rows.retain(|_| !index.next().is_some_and(|i| tangents.contains(&i)));
    file
}

/// `½γᵀ(N + diag c)γ + γᵀ(E v_free − e)` from the file alone, and what rounding may do to it.
///
/// With `v = v_free + M⁻¹Eᵀγ` it is `½ Σ γ_i (E_i (v + v_free) − 2 e_i + c_i γ_i)`. A sum of n products is off by at most
/// n ε times the sum of their sizes; here n is the rows' share in v, the six of `M⁻¹Eᵀ`, the twelve of `E_i v` and the rows.
fn dual_objective(file: &ProblemFile, gamma: &[f64]) -> (f64, f64) {
    let mut v: Vec<[f64; 6]> = file.bodies.iter().map(|body| body.v_free).collect();
    let mut size: Vec<[f64; 6]> = v.iter().map(|v| v.map(f64::abs)).collect();
    for (row, gamma) in file.rows.iter().zip(gamma) {
        for (body, jacobian) in halves(row) {
            for (k, m) in file.bodies[body].inv_mass.iter().enumerate() {
                v[body][k] += dot(m, &jacobian) * gamma;
                size[body][k] += dot(&m.map(f64::abs), &jacobian.map(f64::abs)) * gamma.abs();
            }
        }
    }
    let (mut twice, mut twice_size) = (0.0, 0.0);
    for (row, gamma) in file.rows.iter().zip(gamma) {
        let (mut w, mut w_size) = (row.c * gamma - 2.0 * row.e, (row.c * gamma).abs() + 2.0 * row.e.abs());
        for (body, jacobian) in halves(row) {
            let free = &file.bodies[body].v_free;
            w += dot(&jacobian, &v[body]) + dot(&jacobian, free);
            w_size += dot(&jacobian.map(f64::abs), &size[body]) + dot(&jacobian.map(f64::abs), &free.map(f64::abs));
        }
        twice += gamma * w;
        twice_size += gamma.abs() * w_size;
    }
    let terms = (2 * file.rows.len() + 6 + 12) as f64;
    (0.5 * twice, 0.5 * twice_size * terms * f64::EPSILON)
}

fn halves(row: &Row) -> impl Iterator<Item = (usize, [f64; 6])> {
    [(row.a, row.ja), (row.b, row.jb)].into_iter().filter_map(|(body, jacobian)| Some((body?, jacobian?)))
}

fn dot(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
