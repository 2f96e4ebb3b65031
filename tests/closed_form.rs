//! Cases small enough for pencil and paper.
//!
//! Tolerances: `FEW` roundings of numbers of size one where a sweep is exact; where an iteration only approaches the answer, the
//! tolerance follows from the energy error at which it stopped, said at the place.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use support::bound::largest;
use support::oracle::{Dense, dot};
use support::{Block, Body, Law, Scene};
use tumble::math::{Vec3, Vec6};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{Error, FrictionModel, Method, Problem, Settings, Start, Status, StepRule};

/// A handful of roundings of numbers of size one, those of mixed iterates included.
const FEW: f64 = 64.0 * f64::EPSILON;
const MODELS: [FrictionModel; 2] = [FrictionModel::Ccp, FrictionModel::Ncp];

type Small = Problem<f64, 2, 8>;

fn close(ours: f64, exact: f64) {
    assert!((ours - exact).abs() <= FEW, "{ours}, not {exact}");
}

fn all_close(ours: &[f64], exact: &[f64]) {
    ours.iter().zip(exact).for_each(|(ours, exact)| close(*ours, *exact));
}

fn at_rest(v: Vec3<f64>) {
    [v.x, v.y, v.z].into_iter().for_each(|v| close(v, 0.0));
}

fn with(friction: FrictionModel) -> Settings<f64> {
    Settings { friction, ..Settings::default() }
}

/// `(E_a, 0)` of unit length along one of the six axes.
fn along(axis: usize) -> RowInput<f64> {
    let mut half = [0.0; 6];
    half[axis] = 1.0;
    RowInput::new(Vec6::from(half), Vec6::ZERO)
}

/// A 2 kg block that touches the ground at its centre, normal z, with the velocity it would have: `N = 1/2`, one sweep is exact.
fn block(v_free: [f64; 3], friction: Friction<f64>, model: FrictionModel) -> (Vec3<f64>, [f64; 3]) {
    let mut problem = Small::new();
    let mass = InverseMass::new(2.0, [1.0; 3]).unwrap();
    let [x, y, z] = v_free;
    let body = problem.add_body(mass, Vec6::from([x, y, z, 0.0, 0.0, 0.0])).unwrap();
    let rows = problem.add_contact(body, None, &[along(2), along(0), along(1)], friction).unwrap();
    let report = problem.solve(&with(model)).unwrap();
    // one sweep to the answer, one to see that it is
    assert_eq!((report.status, report.iterations), (Status::Converged, 2), "{report:?}");
    (problem.velocity(body).unwrap().linear, rows.map(|row| problem.impulse(row).unwrap()))
}

#[test]
fn head_on_collision_ends_in_a_common_velocity() {
    let mut problem = Small::new();
    let body = |mass: f64| InverseMass::new(mass, [1.0; 3]).unwrap();
    let a = problem.add_body(body(2.0), Vec6::from([3.0, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
    let b = problem.add_body(body(1.0), Vec6::from([-1.0, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
    // the normal points from b to a: −x
    let row = RowInput::at_point(Vec3::new(-1.0, 0.0, 0.0), Vec3::default(), Vec3::default());
    let stop = problem.add_row(a, Some(b), &row, Admissible::Unilateral).unwrap();
    assert_eq!(problem.solve(&Settings::default()).unwrap().status, Status::Converged);
    // (2·3 − 1·1)/3, and the reduced mass 2/3 times the closing speed 4
    close(problem.velocity(a).unwrap().linear.x, 5.0 / 3.0);
    close(problem.velocity(b).unwrap().linear.x, 5.0 / 3.0);
    close(problem.impulse(stop).unwrap(), 8.0 / 3.0);
}

#[test]
fn bodies_that_part_are_left_alone() {
    let mut problem = Small::new();
    let v_free = Vec6::from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    let body = problem.add_body(InverseMass::new(2.0, [1.0; 3]).unwrap(), v_free).unwrap();
    let row = problem.add_row(body, None, &along(2), Admissible::Unilateral).unwrap();
    let contact = problem.add_contact(body, None, &[along(2), along(0), along(1)], Friction::Cone { mu: 1.0 }).unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!((report.status, report.iterations, report.energy), (Status::Converged, 1, 0.0));
    assert_eq!(problem.velocity(body), Ok(v_free));
    for row in contact.into_iter().chain([row]) {
        assert_eq!(problem.impulse(row), Ok(0.0));
    }
}

/// A block on an incline of slope tan θ = 3/4, seen in the incline's frame, after `h g = 1` m/s of gravity.
#[test]
fn block_on_an_incline_sticks_below_the_friction_angle_and_slides_above() {
    let (sin, cos) = (0.6, 0.8);
    let gravity = [sin, 0.0, -cos];
    for model in MODELS {
        let (v, gamma) = block(gravity, Friction::Cone { mu: 0.751 }, model);
        at_rest(v);
        close(gamma[0], 2.0 * cos);
        close(gamma[1], -2.0 * sin);
    }
    let mu = 0.5;
    // ncp: closed, and held back by μ cos θ
    let (v, gamma) = block(gravity, Friction::Cone { mu }, FrictionModel::Ncp);
    close(v.z, 0.0);
    close(v.x, sin - mu * cos);
    close(gamma[1], -mu * gamma[0]);
    // ccp: the impulse nearest to −m v_free on the cone; it opens at w_n = μ|w_t|
    let (v, gamma) = block(gravity, Friction::Cone { mu }, FrictionModel::Ccp);
    let normal = (cos + mu * sin) / (1.0 + mu * mu);
    close(gamma[0], 2.0 * normal);
    close(v.x, sin - mu * normal);
    close(v.z, mu * v.x);
    close(v.z, 0.08);
}

/// Sliding askew: the cone opposes the motion, the box saturates each axis, the pyramid the axis that is faster.
#[test]
fn friction_sets_differ_when_sliding_askew() {
    let (mu, pressed) = (0.25, [3.0, 4.0, -1.0]);
    let (_, cone) = block(pressed, Friction::Cone { mu }, FrictionModel::Ncp);
    close(cone[1], -0.5 * 0.6);
    close(cone[2], -0.5 * 0.8);
    for model in MODELS {
        let (v, gamma) = block(pressed, Friction::Box { mu }, model);
        all_close(&gamma, &[2.0, -0.5, -0.5]);
        all_close(&[v.x, v.y, v.z], &[2.75, 3.75, 0.0]);
    }
    let (_, pyramid) = block(pressed, Friction::Pyramid { mu }, FrictionModel::Ncp);
    all_close(&pyramid, &[2.0, 0.0, -0.5]);
    // equally fast: half of it each
    let (_, pyramid) = block([-3.0, 3.0, -1.0], Friction::Pyramid { mu }, FrictionModel::Ncp);
    all_close(&pyramid, &[2.0, 0.25, -0.25]);
    // and slow enough to hold inside the box but not inside the pyramid
    for model in MODELS {
        let (v, _) = block([0.2, 0.2, -1.0], Friction::Box { mu }, model);
        at_rest(v);
    }
    let (v, _) = block([0.2, 0.2, -1.0], Friction::Pyramid { mu }, FrictionModel::Ncp);
    close(v.x, 0.2 - 0.125);
    // ccp: onto the face |γ_1| + |γ_2| = μγ_n: λ = (x + y − μn)/(2 + μ²), opening at w_n = μ max|w_t|
    let (v, gamma) = block([0.2, 0.2, -1.0], Friction::Pyramid { mu }, FrictionModel::Ccp);
    let lambda = (0.8 - 2.0 * mu) / (2.0 + mu * mu);
    close(gamma[0], 2.0 + mu * lambda);
    close(gamma[1], -(0.4 - lambda));
    close(v.z, mu * v.x);
}

/// 1 m/s over a plate, one microsecond of gravity: what the contact would need to stop is 1e5 times what friction may give. In single
/// precision that must not spoil the friction set by more than the few roundings of its own size.
#[test]
fn fast_sliding_keeps_friction_on_its_set_in_single_precision() {
    for (model, friction) in MODELS
        .into_iter()
        .flat_map(|model| [Friction::Cone { mu: 0.3 }, Friction::Pyramid { mu: 0.3 }].map(|friction| (model, friction)))
    {
        let mut problem = Problem::<f32, 1, 3>::new();
        let body = problem
            .add_body(InverseMass::new(0.02, [1e-6; 3]).unwrap(), Vec6::from([1.0, 1.0, -1e-5, 0.0, 0.0, 0.0]))
            .unwrap();
        let up = Vec3::new(0.0, 0.0, 1.0);
        let rows = RowInput::contact(up, Vec3::default(), Vec3::default());
        let rows = problem.add_contact(body, None, &rows, friction).unwrap();
        let _ = problem.solve(&Settings { friction: model, ..Settings::default() }).unwrap();
        let [n, t1, t2] = rows.map(|row| f64::from(problem.impulse(row).unwrap()));
        let (size, mu) = match friction {
            Friction::Cone { mu } => (t1.hypot(t2), f64::from(mu)),
            Friction::Pyramid { mu } | Friction::Polygon { mu, .. } | Friction::Box { mu } => {
                (t1.abs() + t2.abs(), f64::from(mu))
            }
        };
        let relative = (size / (mu * n) - 1.0).abs();
        assert!(relative <= 8.0 * f64::from(f32::EPSILON), "{model:?} {friction:?}: {relative:e}");
    }
}

#[test]
fn a_motor_reaches_its_speed_or_its_limit() {
    let inertia = 0.25;
    for (limit, speed, impulse) in [(1.0, 3.0, 0.75), (0.5, 2.0, 0.5)] {
        for sign in [1.0, -1.0] {
            let mut problem = Small::new();
            let mass = InverseMass::new(1.0, [1.0, 1.0, inertia]).unwrap();
            let rotor = problem.add_body(mass, Vec6::ZERO).unwrap();
            let row = RowInput { target_velocity: sign * 3.0, ..along(5) };
            let limits = Admissible::Bounded { lo: -limit, hi: limit };
            let motor = problem.add_row(rotor, None, &row, limits).unwrap();
            let report = problem.solve(&Settings::default()).unwrap();
            assert_eq!((report.status, report.energy), (Status::Converged, 0.0));
            assert_eq!(problem.velocity(rotor).unwrap().angular.z, sign * speed);
            assert_eq!(problem.impulse(motor), Ok(sign * impulse));
        }
    }
}

/// `γ = −w_0/(g + c)`: the spring gives way by `c γ`.
#[test]
fn a_compliant_row_gives_way() {
    for compliance in [0.0, 0.5, 7.5] {
        let mut problem = Small::new();
        let mass = InverseMass::new(2.0, [1.0; 3]).unwrap();
        let body = problem.add_body(mass, Vec6::from([0.0, 0.0, -1.5, 0.0, 0.0, 0.0])).unwrap();
        let input = RowInput { target_velocity: 0.5, compliance, ..along(2) };
        let row = problem.add_row(body, None, &input, Admissible::Bilateral).unwrap();
        let _ = problem.solve(&Settings::default()).unwrap();
        let gamma = 2.0 / (0.5 + compliance);
        close(problem.impulse(row).unwrap(), gamma);
        close(problem.velocity(body).unwrap().linear.z, 0.5 - compliance * gamma);
    }
}

/// Rolling friction of 2 mm at a normal impulse of 2 N·s brakes by 4e-3 N·m·s, whichever friction the contact itself has.
#[test]
fn rolling_friction_is_bounded_by_the_normal_impulse() {
    let (inertia, arm) = (1e-3, 2e-3);
    for (spin, left) in [(10.0, 6.0), (3.0, 0.0), (-10.0, -6.0)] {
        for friction in [Friction::Cone { mu: 0.5 }, Friction::Pyramid { mu: 0.5 }, Friction::Box { mu: 0.5 }] {
            let mut problem = Small::new();
            let mass = InverseMass::new(2.0, [inertia; 3]).unwrap();
            let body = problem.add_body(mass, Vec6::from([0.0, 0.0, -1.0, spin, 0.0, 0.0])).unwrap();
            problem.add_contact(body, None, &[along(2), along(0), along(1)], friction).unwrap();
            let row = problem.add_row(body, None, &along(3), Admissible::Friction { mu: arm }).unwrap();
            assert_eq!(problem.solve(&Settings::default()).unwrap().status, Status::Converged);
            close(problem.velocity(body).unwrap().angular.x, left);
            close(problem.impulse(row).unwrap(), inertia * (left - spin));
        }
    }
}

/// Whichever way it turns, and whatever the friction of the contact, 2e-3 m at 2 N·s take 4 rad/s off its turning and leave its axis alone;
/// and what is added behind the pair still rubs on the normal row.
#[test]
fn a_friction_pair_is_as_strong_in_every_direction() {
    let (inertia, arm, spin) = (1e-3, 2e-3, 10.0);
    for angle in [0.0_f64, 22.5, 45.0, 60.0, 90.0, 135.0, 200.0, -30.0] {
        let (sin, cos) = angle.to_radians().sin_cos();
        for friction in [Friction::Cone { mu: 0.5 }, Friction::Pyramid { mu: 0.5 }, Friction::Box { mu: 0.5 }] {
            for model in MODELS {
                let mut problem = Small::new();
                let mass = InverseMass::new(2.0, [inertia; 3]).unwrap();
                let v_free = Vec6::from([0.0, 0.0, -1.0, spin * cos, spin * sin, 5.0]);
                let body = problem.add_body(mass, v_free).unwrap();
                problem.add_contact(body, None, &[along(2), along(0), along(1)], friction).unwrap();
                let rows = problem.add_friction_pair(body, None, &[along(3), along(4)], arm).unwrap();
                let spinning = problem.add_row(body, None, &along(5), Admissible::Friction { mu: 1e-3 }).unwrap();
                assert_eq!(problem.solve(&with(model)).unwrap().status, Status::Converged);
                let v = problem.velocity(body).unwrap();
                all_close(&<[f64; 3]>::from(v.angular), &[6.0 * cos, 6.0 * sin, 3.0]);
                all_close(
                    &[rows[0], rows[1], spinning].map(|row| problem.impulse(row).unwrap()),
                    &[-4e-3 * cos, -4e-3 * sin, -2e-3],
                );
            }
        }
    }
}

/// 1 kg at (6, 8) m/s rubs with μ = 1 on a row that pulls with 5 N·s: −(3, 4) N·s are the answer.
#[test]
fn the_energy_error_of_a_friction_pair_by_hand() {
    let mut problem = Small::new();
    let mass = InverseMass::new(1.0, [1.0; 3]).unwrap();
    let body = problem.add_body(mass, Vec6::from([6.0, 8.0, 5.0, 0.0, 0.0, 0.0])).unwrap();
    let lead = problem.add_row(body, None, &along(2), Admissible::Bilateral).unwrap();
    let [r1, r2] = problem.add_friction_pair(body, None, &[along(0), along(1)], 1.0).unwrap();
    // a = 1 and γ − w = −(6, 8) whatever γ is, so that d = γ + (3, 4): zero at the answer alone
    let cases =
        [([-3.0, -4.0], 0.0), ([-4.0, -3.0], 1.0), ([-1.5, -2.0], 3.125), ([0.0, 0.0], 12.5), ([3.0, 4.0], 50.0)];
    for (start, energy) in cases {
        for friction in MODELS {
            for (row, impulse) in [(lead, -5.0), (r1, start[0]), (r2, start[1])] {
                problem.set_impulse(row, impulse).unwrap();
            }
            // plain: from the start it is told
            let look = Settings { method: Method::Psor, iterations: 0, tolerance: 0.0, ..with(friction) };
            let report = problem.solve(&look).unwrap();
            assert_eq!([r1, r2].map(|row| problem.impulse(row).unwrap()), start, "inside the disc: kept");
            let [d1, d2] = [start[0] + 3.0, start[1] + 4.0];
            assert_eq!((report.energy, report.violation), (energy, (d1 * d1 + d2 * d2).sqrt()), "{start:?}");
            assert_eq!(problem.natural_residual(friction), d1.abs().max(d2.abs()));
            assert_eq!(report.status == Status::Converged, energy == 0.0);
            // and one sweep finds the answer from anywhere
            let report = problem.solve(&Settings { tolerance: 0.0, ..with(friction) }).unwrap();
            assert_eq!((report.status, report.energy), (Status::Converged, 0.0));
            assert_eq!([r1, r2].map(|row| problem.impulse(row).unwrap()), [-3.0, -4.0]);
        }
    }
    // a start outside is scaled onto the disc
    for (row, impulse) in [(lead, -5.0), (r1, 30.0), (r2, -40.0)] {
        problem.set_impulse(row, impulse).unwrap();
    }
    let _ = problem.solve(&Settings { method: Method::Psor, iterations: 0, ..Settings::default() }).unwrap();
    all_close(&[r1, r2].map(|row| problem.impulse(row).unwrap()), &[3.0, -4.0]);
}

/// Joint friction: bounded by the size of a pull, too.
#[test]
fn friction_follows_a_bilateral_row_of_either_sign() {
    for sign in [1.0, -1.0] {
        let mut problem = Small::new();
        let mass = InverseMass::new(2.0, [1.0; 3]).unwrap();
        let body = problem.add_body(mass, Vec6::from([1.0, 1.0, sign, 0.0, 0.0, 0.0])).unwrap();
        problem.add_row(body, None, &along(2), Admissible::Bilateral).unwrap();
        // two friction rows behind one another rub on the same lead
        let first = problem.add_row(body, None, &along(0), Admissible::Friction { mu: 0.25 }).unwrap();
        let second = problem.add_row(body, None, &along(1), Admissible::Friction { mu: 0.125 }).unwrap();
        let _ = problem.solve(&Settings::default()).unwrap();
        close(problem.impulse(first).unwrap(), -0.5);
        close(problem.impulse(second).unwrap(), -0.25);
    }
}

// ---- the trap of the averaged step ------------------------------------------------------------------------------------------------

/// A 20 g pin, easy to spin about its axis x, on a bent foot: one direction of its contact is far softer than the others.
fn pin(v_free: [f64; 6], mu: f64) -> Scene {
    let (mass, spin, tumble, arm) = (0.02, 6e-7, 1e-3, Vec3::new(0.0, 0.01, -0.01));
    let diagonal = [mass, mass, mass, spin, tumble, tumble];
    let mut inverse_mass = [[0.0; 6]; 6];
    (0..6).for_each(|i| inverse_mass[i][i] = 1.0 / diagonal[i]);
    let rows = RowInput::contact(Vec3::new(0.0, 0.0, 1.0), arm, Vec3::default()).to_vec();
    Scene {
        bodies: vec![Body { inverse_mass, v_free }],
        blocks: vec![Block { a: 0, b: None, law: Law::Contact(Friction::Cone { mu }), rows }],
    }
}

/// Least and largest eigenvalue and mean diagonal of the pin's `N`: [[p, 0, q], [0, r, 0], [q, 0, p]].
fn spectrum(dense: &Dense) -> (f64, f64, f64) {
    let (p, q, r) = (dense.n[0][0], dense.n[0][2], dense.n[1][1]);
    assert!(dense.n[0][1] == 0.0 && dense.n[1][2] == 0.0 && (dense.n[2][2] - p).abs() <= FEW * p);
    ((p - q).min(r), (p + q).max(r), (p + p + r) / 3.0)
}

/// `|γ − γ*|` of a `ccp` answer with this energy error: `(1 + λ_max/a)/(λ_min/a) · |d|`, the error bound of a strongly monotone
/// problem, with `|d| = √(2 energy/a)`. In `ncp`, when sticking, `|w| ≤ 2a|d|` gives less.
fn apart((least, most, a): (f64, f64, f64), energy: f64) -> f64 {
    (1.0 + most / a) / (least / a) * (2.0 * energy / a).sqrt()
}

/// It sticks, and the impulse that holds it has a part along the soft direction. v_free is chosen for that impulse, so it is known.
fn sticking_pin() -> (Scene, [f64; 3]) {
    let exact = [1e-3, 1e-4, 3e-4];
    let response = Dense::new(&pin([0.0; 6], 0.5)).velocity(&exact);
    (pin([0, 1, 2, 3, 4, 5].map(|i| -response[i]), 0.5), exact)
}

#[test]
fn the_averaged_step_never_converges_where_one_direction_is_soft() {
    let (scene, exact) = sticking_pin();
    let (_, most, mean) = spectrum(&Dense::new(&scene));
    assert!(most / mean > 2.0, "no trap: {}", most / mean);
    let mut built = scene.build::<f64>();
    let mut sweeps = |iterations: u32| {
        let (method, step, start) = (Method::Psor, StepRule::Average, Start::Cold);
        let settings = Settings { method, step, iterations, start, ..with(FrictionModel::Ccp) };
        (built.solve(&settings), built.impulses())
    };
    let (begin, _) = sweeps(0);
    for iterations in [1, 2, 10, 100, 1000, 10_000, 10_001] {
        let (report, gamma) = sweeps(iterations);
        assert_eq!(report.status, Status::Cap);
        // thrown from side to side across the cone: neither energy nor impulse come any closer
        assert!(report.energy > 0.5 * begin.energy, "{report:?}");
        assert!(largest(&difference(&gamma, &exact)) > 0.3 * exact[0], "{gamma:?}");
    }
}

#[test]
fn the_default_step_converges_where_one_direction_is_soft() {
    let (scene, exact) = sticking_pin();
    let spectrum = spectrum(&Dense::new(&scene));
    let (least, most, mean) = spectrum;
    // |γ − γ*| shrinks by max |1 − step·λ| a sweep, step ≥ 1.5/(3^⅛ λ_max); the energy error is at most (λ_max |γ − γ*|)²/2a
    let rate = 1.0 - 1.5 / 3.0_f64.powf(0.125) * least / most;
    let begin = most * most * dot(&exact, &exact) / (2.0 * mean);
    for tolerance in [1e-12, 1e-24] {
        let enough = (f64::ln(begin / tolerance) / (-2.0 * rate.ln())).ceil();
        assert!(enough < 200.0, "{enough}");
        for friction in MODELS {
            let mut built = scene.build::<f64>();
            let report = built.solve(&Settings { iterations: enough as u32, tolerance, ..with(friction) });
            assert_eq!(report.status, Status::Converged, "{friction:?} in {enough} sweeps: {report:?}");
            let error = largest(&difference(&built.impulses(), &exact));
            assert!(error <= apart(spectrum, report.energy) + FEW * exact[0], "{error:e}");
        }
    }
}

/// The same pin sliding: `ccp` against a dense projected gradient of tiny steps, `ncp` against Coulomb's law itself.
#[test]
fn the_soft_pin_slides_as_each_law_says() {
    let (mu, tolerance) = (0.5, 1e-24);
    let scene = pin([1.0, 0.5, -0.5, 0.0, 0.0, 0.0], mu);
    let dense = Dense::new(&scene);
    let spectrum = spectrum(&dense);
    let (_, most, a) = spectrum;

    let mut exact = vec![0.0; 3];
    for _ in 0..20_000 {
        let w = dense.w(&exact);
        (0..3).for_each(|i| exact[i] -= 0.1 / most * w[i]);
        dense.project(&mut exact);
    }
    let mut built = scene.build::<f64>();
    let report = built.solve(&Settings { tolerance, ..with(FrictionModel::Ccp) });
    assert_eq!(report.status, Status::Converged);
    let error = largest(&difference(&built.impulses(), &exact));
    assert!(error <= apart(spectrum, report.energy) + FEW * exact[0], "{error:e}");

    let report = built.solve(&Settings { tolerance, start: Start::Cold, ..with(FrictionModel::Ncp) });
    assert_eq!(report.status, Status::Converged);
    let gamma = built.impulses();
    let w = dense.w(&gamma);
    let (friction, speed) = (gamma[1].hypot(gamma[2]), w[1].hypot(w[2]));
    assert!(speed > 0.1, "it slides");
    // γ − d is the projection of γ − w̃/a: closed, on the cone and opposed up to first order in |d|
    let d = (2.0 * report.energy / a).sqrt() + FEW * gamma[0];
    assert!(w[0].abs() <= 2.0 * (1.0 + mu) * a * d, "opens at {:e}", w[0]);
    assert!((friction - mu * gamma[0]).abs() <= (1.0 + mu) * d);
    assert!((gamma[1] * w[2] - gamma[2] * w[1]).abs() <= (a * friction + speed) * d);
    assert!(gamma[1] * w[1] + gamma[2] * w[2] < 0.0);
}

/// A 20 g nail dragged by its point, 10 mm ahead of its centre and 50 mm below: at μ = 0.4 its normal row feels more of itself
/// through friction, `μ|N_nt|`, than directly, `N_nn`.
fn nail(friction: Friction<f64>, settings: &Settings<f64>) -> (Status, [f64; 3], [f64; 3]) {
    let mut problem = Small::new();
    let mass = InverseMass::new(0.02, [2e-6; 3]).unwrap();
    let nail = problem.add_body(mass, Vec6::from([-0.5, 0.0, -9.81e-3, 0.0, 0.0, 0.0])).unwrap();
    let arm = Vec3::new(0.01, 0.0, -0.05);
    let inputs = RowInput::contact(Vec3::new(0.0, 0.0, 1.0), arm, Vec3::default());
    let rows = problem.add_contact(nail, None, &inputs, friction).unwrap();
    let report = problem.solve(settings).unwrap();
    let v = problem.velocity(nail).unwrap();
    let point = v.linear + v.angular.cross(arm);
    (report.status, rows.map(|row| problem.impulse(row).unwrap()), point.into())
}

#[test]
fn the_default_step_converges_where_friction_drags_the_normal() {
    let mu = 0.4;
    let settings = Settings { iterations: 100, tolerance: 1e-20, ..Settings::default() };
    for friction in [Friction::Cone { mu }, Friction::Pyramid { mu }, Friction::Box { mu }] {
        let (status, [n, t1, t2], [vx, vy, vz]) = nail(friction, &settings);
        assert_eq!(status, Status::Converged, "{friction:?}");
        // it slides on along −x: friction is μ γ_n along +x, and the contact is closed. The error in w is √(2 a δe), with
        // a = g + c below 2000/kg: 7e-9 m/s
        assert!(vx < -0.1 && vy.abs() < 1e-8 && vz.abs() < 1e-8, "{friction:?}: {vx} {vy} {vz}");
        assert!(n > 0.0 && (t1 - mu * n).abs() < 1e-9 && t2.abs() < 1e-9, "{friction:?}: {n} {t1} {t2}");
        // the plain step, which knows nothing of that, goes back and forth for ever
        let plain = Settings { method: Method::Psor, step: StepRule::Average, iterations: 10_000, ..settings };
        assert_eq!(nail(friction, &plain).0, Status::Cap, "{friction:?}");
    }
}

#[test]
fn a_velocity_that_is_not_a_number_is_never_converged() {
    // impulses to start from, each finite, whose responses are not
    let mut problem = Problem::<f32, 1, 3>::new();
    let mass = InverseMass::new(1.0, [1.0; 3]).unwrap();
    let body = problem.add_body(mass, Vec6::from([1.0, -1.0, -1.0, 0.0, 0.0, 0.0])).unwrap();
    let row = |half: [f32; 6]| RowInput::new(Vec6::from(half), Vec6::ZERO);
    let inputs = [
        row([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        row([0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        row([1e18, 1e18, 0.0, 0.0, 0.0, 0.0]),
    ];
    let [normal, _, tangent] = problem.add_contact(body, None, &inputs, Friction::Pyramid { mu: 0.5 }).unwrap();
    for friction in MODELS {
        problem.set_impulse(normal, 1e30).unwrap();
        problem.set_impulse(tangent, 1e25).unwrap();
        let report = problem.solve(&Settings { method: Method::Psor, friction, ..Settings::default() }).unwrap();
        assert_eq!((report.status, report.energy), (Status::NonFinite, f32::INFINITY));
        assert_eq!(
            (problem.impulse(normal), problem.velocity(body).unwrap().linear.x),
            (Ok(0.0), 1.0),
            "the safe answer"
        );
    }
}

#[test]
fn a_velocity_too_large_for_a_row_is_refused_with_it() {
    let mut problem = Small::new();
    let mass = InverseMass::new(1.0, [1.0; 3]).unwrap();
    let fast = problem.add_body(mass, Vec6::from([1e300, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
    let steep = RowInput::new(Vec6::from([1e10, 0.0, 0.0, 0.0, 0.0, 0.0]), Vec6::ZERO);
    assert_eq!(problem.add_row(fast, None, &steep, Admissible::Bilateral), Err(Error::NonFinite("E v_free")));
    assert_eq!(problem.row_count(), 0);
}

#[test]
fn a_free_velocity_does_not_change_under_its_rows() {
    let mut problem = Small::new();
    let mass = InverseMass::new(1.0, [1.0; 3]).unwrap();
    let body = problem.add_body(mass, Vec6::ZERO).unwrap();
    problem.add_row(body, None, &along(2), Admissible::Unilateral).unwrap();
    let falling = Vec6::from([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
    assert_eq!(problem.set_free_velocity(body, falling), Err(Error::HasRows));
    assert_eq!(problem.velocity(body), Ok(Vec6::ZERO));
    problem.clear_rows();
    problem.set_free_velocity(body, falling).unwrap();
    assert_eq!(problem.velocity(body), Ok(falling));
}

#[test]
fn a_solve_ends_when_nothing_moves_any_more_or_nothing_can() {
    let mut problem = Small::new();
    let body = problem
        .add_body(InverseMass::new(3.0, [1.0; 3]).unwrap(), Vec6::from([0.0, 0.0, -0.1, 0.0, 0.0, 0.0]))
        .unwrap();
    problem.add_row(body, None, &along(2), Admissible::Unilateral).unwrap();
    // −0.1 + 0.3/3 is not zero in binary: no sweep can better what the first one found
    let report = problem.solve(&Settings { iterations: u32::MAX, tolerance: 0.0, ..Settings::default() }).unwrap();
    assert!(matches!(report.status, Status::Stalled | Status::Converged) && report.iterations <= 3, "{report:?}");
    // a step so small that it rounds away stalls far from the answer, and says so
    let (method, start) = (Method::Psor, Start::Cold);
    let tiny = Settings { method, omega: 1e-300, tolerance: 0.0, start, ..Settings::default() };
    let report = problem.solve(&tiny).unwrap();
    assert_eq!((report.status, report.energy > 1e-3), (Status::Stalled, true));
    // 1e300 N·s to start from on a row of 1e10 overflow before the first sweep
    let fast =
        problem.add_body(InverseMass::new(1.0, [1.0; 3]).unwrap(), Vec6::from([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
    let steep = RowInput::new(Vec6::from([1e10, 0.0, 0.0, 0.0, 0.0, 0.0]), Vec6::ZERO);
    let steep = problem.add_row(fast, None, &steep, Admissible::Bilateral).unwrap();
    problem.set_impulse(steep, 1e300).unwrap();
    let report = problem.solve(&Settings { method, iterations: u32::MAX, ..Settings::default() }).unwrap();
    assert_eq!((report.status, report.iterations), (Status::NonFinite, 0));
    assert_eq!(problem.velocity(fast).unwrap().linear.x, 1.0, "the safe answer");
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[test]
fn a_velocity_that_overflows_at_the_end_is_not_an_answer() {
    // the scaled change is a number, the velocity it means is not
    let mut problem = Problem::<f32, 1, 1>::new();
    let body = problem.add_body(InverseMass::new(1e-6, [1.0; 3]).unwrap(), Vec6::ZERO).unwrap();
    let mut fast = RowInput::new(Vec6::from([1e-3, 0.0, 0.0, 0.0, 0.0, 0.0]), Vec6::ZERO);
    fast.target_velocity = 3e37;
    let row = problem.add_row(body, None, &fast, Admissible::Bilateral).unwrap();
    let report = problem.solve(&Settings::default()).unwrap();
    assert_eq!((report.status, report.energy), (Status::NonFinite, f32::INFINITY));
    assert_eq!((problem.velocity(body), problem.impulse(row)), (Ok(Vec6::ZERO), Ok(0.0)));
}

/// A part that slides past the floor faster than it parts from it, without an impulse: obeyed by exact friction, and no bound of the convex problem holds.
#[test]
fn a_contact_that_slides_away_has_no_bound_with_exact_friction() {
    let mut problem = Problem::<f64, 1, 4>::new();
    let v_free = Vec6::from([10.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
    let part = problem.add_body(InverseMass::new(1.0, [1.0; 3]).unwrap(), v_free).unwrap();
    let (up, zero) = (Vec3::new(0.0, 0.0, 1.0), Vec3::default());
    problem.add_contact(part, None, &RowInput::contact(up, zero, zero), Friction::Cone { mu: 1.0 }).unwrap();
    // a ramp that lifts it off the floor
    let ramp = RowInput::new(Vec6::from([0.1, 0.0, 0.99_f64.sqrt(), 0.0, 0.0, 0.0]), Vec6::ZERO);
    let lifted = problem.add_row(part, None, &ramp, Admissible::Unilateral).unwrap();
    problem.set_impulse(lifted, 1.01).unwrap();
    let look = Settings { method: Method::Psor, iterations: 0, friction: FrictionModel::Ncp, ..Settings::default() };
    let report = problem.solve(&look).unwrap();
    assert!(report.energy.is_finite() && report.bound == f64::INFINITY, "{report:?}");
}
