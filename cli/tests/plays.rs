//! Hart's claims (2007, slides 50–63) in his scenes, in double precision: violations fall as h² with stabilisation and not without; what stands still violates nothing.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use tumble_cli::plays::{mean_infeasibility, settings, world_of};

const PLAYS: [&str; 4] = ["balance", "pyramid", "dice", "setup"];

#[test]
fn half_the_step_leaves_a_quarter_of_the_violation() {
    for name in PLAYS {
        let [long, short] = [2e-3, 1e-3].map(|h| mean_infeasibility(name, h, 0.5).unwrap());
        // slope 2 ± 0.2; that of five steps is in `cargo xtask bench polyhedra`
        let slope = (long / short).log2();
        assert!((slope - 2.0).abs() < 0.2, "{name}: {long:e} m and {short:e} m, slope {slope}");
    }
}

#[test]
fn without_stabilisation_violations_add_up() {
    for name in PLAYS {
        let [with, without] = [0.5, 1e-9].map(|stabilisation| mean_infeasibility(name, 1e-3, stabilisation).unwrap());
        // every step's error stays: some hundred of them on average over 0.6 s
        assert!(without > 20.0 * with, "{name}: {with:e} m with, {without:e} m without");
    }
}

#[test]
fn what_stands_still_violates_nothing() {
    // the toy swings at about 3.7 rad/s: damped by twice that, critically, it is at rest in 10 s
    let mut world = world_of("balance").unwrap();
    let settings = tumble::world::StepSettings { mass_damping: 7.0, ..settings(0.5, [0.0; 2]) };
    let mut last = None;
    for _ in 0..10_000 {
        last = Some(world.step(1e-3, &settings).unwrap());
    }
    let speed = world
        .body_ids()
        .map(|id| world.body(id).unwrap().velocity())
        .fold(0.0_f64, |most, v| most.max(v.linear.dot(v.linear).sqrt()).max(v.angular.dot(v.angular).sqrt()));
    assert!(speed < 1e-9, "it still moves: {speed:e}");
    // places round at 1e-17 m, sweeps end at 1e-20 J
    let penetration = last.unwrap().penetration;
    assert!(penetration < 1e-12, "{penetration:e} m");
}
