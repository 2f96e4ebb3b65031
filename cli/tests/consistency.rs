//! A chain of five bodies on ball joints whose answer was once certified with velocities of 1e10 m/s.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use std::io::Write;
use tumble::{Answer, Method, Settings, Start, Status};
use tumble_cli::host::{HostReal, Way, distance_squared, solve_file_by};
use tumble_cli::problem_file::{ProblemFile, Reference};
use tumble_cli::problems::{MISSING, regression_file};

/// Kinetic energy of velocities by every method that converges within 1000 sweeps, against those of the direct solver in double precision: the distance as a share.
fn methods_agree<R: HostReal>(file: &ProblemFile, relative_tolerance: f64, share: f64) {
    let direct = Way { exactly: true, ..Way::default() };
    let v = solve_file_by(file, &Settings::<f64>::default(), direct).unwrap().v;
    let exact = Reference { v, gamma: None };
    let kinetic = distance_squared(file, &vec![[0.0; 6]; exact.v.len()], &exact).unwrap();
    let cold = Settings::<R> { start: Start::Cold, iterations: 1000, ..Settings::default() };
    let start = solve_file_by(file, &Settings { iterations: 0, ..cold }, Way::default()).unwrap().report.energy;
    let mut converged = 0;
    for (method, way) in [
        (Method::Anderson, Way::default()),
        (Method::Nesterov, Way::default()),
        (Method::Block, Way::default()),
        (Method::Psor, Way::default()),
        (Method::Simplex, direct),
    ] {
        for answer in [Answer::Best, Answer::Last] {
            let settings = Settings { method, answer, tolerance: R::from_f64(relative_tolerance * start), ..cold };
            let solution = solve_file_by(file, &settings, way).unwrap();
            if solution.report.status == Status::Converged {
                converged += 1;
                let off = distance_squared(file, &solution.v, &exact).unwrap() / kinetic;
                assert!(off <= share, "{method:?}, {answer:?}: {off:e} of the kinetic energy, {:?}", solution.report);
            }
        }
    }
    assert!(converged >= 8, "{converged} of 10 converged");
}

#[test]
fn every_method_that_converges_on_a_chain_finds_the_same_velocities() {
    let Some(path) = regression_file("chain-1755.json").unwrap() else {
        let _ = writeln!(std::io::stderr(), "skipped: {MISSING}");
        return;
    };
    let file = ProblemFile::read(&path).unwrap();
    methods_agree::<f64>(&file, 1e-12, 1e-9);
    methods_agree::<f32>(&file, 1e-9, 1e-4);
}
