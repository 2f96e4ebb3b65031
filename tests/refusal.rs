//! Every input that cannot be used is refused with an error that names it, and leaves no trace: velocities, impulses and counts keep their
//! bits, and the next solve gives the bits it would have given. Nothing here has a tolerance.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::math::Vec6;
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error, Problem, RowIndex, Settings};

/// Room for one body and three rows more than `small` holds.
type Small = Problem<f32, 3, 7>;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

fn along(axis: usize) -> Vec6<f32> {
    let mut half = [0.0; 6];
    half[axis] = 1.0;
    Vec6::from(half)
}

fn contact() -> [RowInput<f32>; 3] {
    [2, 0, 1].map(|axis| RowInput::new(along(axis), -along(axis)))
}

fn pair() -> [RowInput<f32>; 2] {
    [3, 4].map(|axis| RowInput::new(along(axis), -along(axis)))
}

fn mass() -> InverseMass<f32> {
    InverseMass::new(0.5, [0.1, 0.2, 0.3]).unwrap()
}

/// Two bodies, a contact between them and a motor on one, solved.
fn small() -> (Small, [BodyIndex; 2], RowIndex) {
    let mut problem = Small::new();
    let a = problem.add_body(mass(), Vec6::from([0.3, 0.1, -1.0, 0.0, 0.0, 2.0])).unwrap();
    let b = problem.add_body(mass(), Vec6::ZERO).unwrap();
    problem.add_contact(a, Some(b), &contact(), Friction::Cone { mu: 0.4 }).unwrap();
    let motor = RowInput { target_velocity: 3.0, ..RowInput::new(along(5), Vec6::ZERO) };
    let motor = problem.add_row(a, None, &motor, Admissible::Bounded { lo: -0.05, hi: 0.05 }).unwrap();
    let _ = problem.solve(&Settings::default()).unwrap();
    (problem, [a, b], motor)
}

/// Everything there is to see of a problem.
fn trace(problem: &Small) -> (usize, usize, Vec<u32>) {
    let velocities = problem.velocities().flat_map(<[f32; 6]>::from);
    let bits = velocities.chain(problem.impulses()).map(f32::to_bits).collect();
    (problem.body_count(), problem.row_count(), bits)
}

/// `attempt` fails with `error`, and nothing else happens, now or later.
fn refuses<T: std::fmt::Debug>(
    error: Error,
    attempt: impl FnOnce(&mut Small, [BodyIndex; 2], RowIndex) -> Result<T, Error>,
) {
    let (mut problem, bodies, row) = small();
    assert_eq!(attempt(&mut problem, bodies, row).unwrap_err(), error);
    let (mut untouched, ..) = small();
    assert_eq!(trace(&problem), trace(&untouched), "{error:?} left a trace");
    for problem in [&mut problem, &mut untouched] {
        let _ = problem.solve(&Settings::default()).unwrap();
    }
    assert_eq!(trace(&problem), trace(&untouched), "{error:?} left a hidden trace");
}

fn refuses_row(error: Error, change: impl Fn(&mut RowInput<f32>)) {
    // by itself
    refuses(error, |problem, [a, b], _| {
        let mut row = contact()[0];
        change(&mut row);
        problem.add_row(a, Some(b), &row, Admissible::Bilateral)
    });
    // as each row of a contact: all three are refused
    for k in 0..3 {
        refuses(error, |problem, [a, b], _| {
            let mut rows = contact();
            change(&mut rows[k]);
            problem.add_contact(a, Some(b), &rows, Friction::Cone { mu: 0.4 })
        });
    }
    // as each row of a friction pair: both are refused
    for k in 0..2 {
        refuses(error, |problem, [a, b], _| {
            let mut rows = pair();
            change(&mut rows[k]);
            problem.add_friction_pair(a, Some(b), &rows, 0.4)
        });
    }
}

#[test]
fn row_numbers() {
    for bad in [NAN, INF, -INF] {
        refuses_row(Error::NonFinite("jacobian"), |row| row.jacobian_a.angular.y = bad);
        refuses_row(Error::NonFinite("jacobian"), |row| row.jacobian_b.linear.x = bad);
        refuses_row(Error::NonFinite("target_velocity"), |row| row.target_velocity = bad);
        refuses_row(Error::NonFinite("compliance"), |row| row.compliance = bad);
    }
    refuses_row(Error::Negative("compliance"), |row| row.compliance = -1e-9);
    let scale = |row: &mut RowInput<f32>, factor: f32| {
        row.jacobian_a = row.jacobian_a * factor;
        row.jacobian_b = row.jacobian_b * factor;
    };
    // a row that moves nothing; one whose g underflows; one whose 1/g overflows; one whose g overflows
    refuses_row(Error::NonPositive("g + c"), |row| scale(row, 0.0));
    refuses_row(Error::NonPositive("g + c"), |row| scale(row, 1e-30));
    refuses_row(Error::NonPositive("g + c"), |row| scale(row, 1e-20));
    refuses_row(Error::NonFinite("g + c"), |row| scale(row, 1e30));
}

#[test]
fn a_half_row_on_the_ground_has_no_effect() {
    let (mut problem, [a, _], _) = small();
    let row = RowInput { jacobian_b: Vec6::from([NAN; 6]), ..contact()[0] };
    assert!(problem.add_row(a, None, &row, Admissible::Unilateral).is_ok());
}

#[test]
fn sets() {
    let row = contact()[0];
    let bounded = |error, lo, hi| {
        refuses(error, |problem, [a, b], _| problem.add_row(a, Some(b), &row, Admissible::Bounded { lo, hi }));
    };
    bounded(Error::NonFinite("lo"), NAN, 1.0);
    bounded(Error::NonFinite("hi"), 0.0, NAN);
    bounded(Error::EmptyInterval, 1.0, 0.5);
    bounded(Error::EmptyInterval, INF, INF);
    bounded(Error::EmptyInterval, -INF, -INF);

    // the square of 1e20 overflows
    let coefficients = [
        (NAN, Error::NonFinite("mu")),
        (INF, Error::NonFinite("mu")),
        (-0.1, Error::Negative("mu")),
        (1e20, Error::OutOfRange("mu")),
    ];
    for (mu, error) in coefficients {
        refuses(error, |problem, [a, b], _| problem.add_row(a, Some(b), &row, Admissible::Friction { mu }));
        refuses(error, |problem, [a, b], _| problem.add_friction_pair(a, Some(b), &pair(), mu));
        for friction in [Friction::Cone { mu }, Friction::Pyramid { mu }, Friction::Box { mu }] {
            refuses(error, |problem, [a, b], _| problem.add_contact(a, Some(b), &contact(), friction));
        }
    }
}

#[test]
fn friction_with_nothing_to_rub_on() {
    let mut problem = Problem::<f32, 1, 3>::new();
    let a = problem.add_body(mass(), Vec6::ZERO).unwrap();
    let friction = Admissible::Friction { mu: 0.5 };
    for _ in 0..2 {
        assert_eq!(problem.add_row(a, None, &contact()[0], friction), Err(Error::NoSuchRow));
        assert_eq!(problem.add_friction_pair(a, None, &pair(), 0.5), Err(Error::NoSuchRow));
        assert_eq!(problem.row_count(), 0);
        // what has been cleared is no lead either
        problem.add_row(a, None, &contact()[0], Admissible::Bilateral).unwrap();
        problem.add_friction_pair(a, None, &pair(), 0.5).unwrap();
        problem.clear_rows();
    }
}

#[test]
fn bodies_and_rows_that_are_not_there() {
    let mut crowd = Problem::<f32, 9, 9>::new();
    let stranger = [(); 9].map(|()| crowd.add_body(mass(), Vec6::ZERO).unwrap())[8];
    let strange_row = [(); 9].map(|()| crowd.add_row(stranger, None, &contact()[0], Admissible::Bilateral).unwrap())[8];
    let (row, cone) = (contact()[0], Friction::Cone { mu: 0.5 });

    refuses(Error::NoSuchBody, |p, _, _| p.add_row(stranger, None, &row, Admissible::Bilateral));
    refuses(Error::NoSuchBody, |p, [a, _], _| p.add_row(a, Some(stranger), &row, Admissible::Bilateral));
    refuses(Error::NoSuchBody, |p, [a, _], _| p.add_contact(a, Some(stranger), &contact(), cone));
    refuses(Error::SameBody, |p, [a, _], _| p.add_row(a, Some(a), &row, Admissible::Bilateral));
    refuses(Error::SameBody, |p, [_, b], _| p.add_contact(b, Some(b), &contact(), cone));
    refuses(Error::NoSuchBody, |p, [a, _], _| p.add_friction_pair(a, Some(stranger), &pair(), 0.5));
    refuses(Error::SameBody, |p, [_, b], _| p.add_friction_pair(b, Some(b), &pair(), 0.5));
    refuses(Error::NoSuchBody, |p, _, _| p.velocity(stranger));
    refuses(Error::NoSuchRow, |p, _, _| p.impulse(strange_row));
    refuses(Error::NoSuchRow, |p, _, _| p.set_impulse(strange_row, 1.0));
}

#[test]
fn bodies_impulses_and_settings() {
    for bad in [NAN, INF, -INF] {
        for axis in 0..6 {
            refuses(Error::NonFinite("v_free"), |problem, _, _| {
                let mut v_free = [0.0; 6];
                v_free[axis] = bad;
                problem.add_body(mass(), Vec6::from(v_free))
            });
        }
        refuses(Error::NonFinite("impulse"), |problem, _, row| problem.set_impulse(row, bad));
        refuses(Error::NonFinite("omega"), |p, _, _| p.solve(&Settings { omega: bad, ..Settings::default() }));
        refuses(Error::NonFinite("tolerance"), |p, _, _| p.solve(&Settings { tolerance: bad, ..Settings::default() }));
    }
    for omega in [0.0, -0.0, -1.0, 2.0, 3.0] {
        refuses(Error::OutOfRange("omega"), |p, _, _| p.solve(&Settings { omega, ..Settings::default() }));
    }
    refuses(Error::Negative("tolerance"), |p, _, _| p.solve(&Settings { tolerance: -1e-9, ..Settings::default() }));
}

/// Fill what is left, then one more: the one more is refused whole.
#[test]
fn one_more_than_there_is_room_for() {
    let (mut full, [a, b], _) = small();
    full.add_body(mass(), Vec6::ZERO).unwrap();
    full.add_row(a, Some(b), &contact()[0], Admissible::Unilateral).unwrap();
    let before = trace(&full);
    // two rows are left: too few for a contact of any kind
    for friction in [Friction::Cone { mu: 0.5 }, Friction::Pyramid { mu: 0.5 }, Friction::Box { mu: 0.5 }] {
        assert_eq!(full.add_contact(a, Some(b), &contact(), friction), Err(Error::CapacityExceeded("rows")));
        assert_eq!(trace(&full), before);
    }
    assert_eq!(full.add_body(mass(), Vec6::ZERO), Err(Error::CapacityExceeded("bodies")));
    assert_eq!(trace(&full), before);
    full.add_row(a, Some(b), &contact()[1], Admissible::Friction { mu: 0.5 }).unwrap();
    let before = trace(&full);
    // one row is left: too few for a pair
    assert_eq!(full.add_friction_pair(a, Some(b), &pair(), 0.5), Err(Error::CapacityExceeded("rows")));
    assert_eq!(trace(&full), before);
    full.add_row(a, Some(b), &contact()[2], Admissible::Friction { mu: 0.5 }).unwrap();
    let before = trace(&full);
    assert_eq!(before.1, 7);
    assert_eq!(full.add_row(a, None, &contact()[0], Admissible::Bilateral), Err(Error::CapacityExceeded("rows")));
    assert_eq!(trace(&full), before);
    let _ = full.solve(&Settings::default()).unwrap();
}

#[test]
fn an_empty_problem_is_solved() {
    for iterations in [0, 5] {
        let report = Problem::<f32, 0, 0>::new().solve(&Settings { iterations, ..Settings::default() }).unwrap();
        assert_eq!((report.status, report.energy, report.violation), (tumble::Status::Converged, 0.0, 0.0));
        assert!(report.iterations <= iterations);
    }
}

#[test]
fn clearing_makes_room_again() {
    let (mut problem, [a, b], motor) = small();
    problem.clear_rows();
    assert_eq!((problem.body_count(), problem.row_count()), (2, 0));
    assert_eq!(problem.impulse(motor), Err(Error::NoSuchRow));
    for _ in 0..2 {
        problem.add_contact(a, Some(b), &contact(), Friction::Cone { mu: 0.4 }).unwrap();
    }
    problem.clear();
    assert_eq!((problem.body_count(), problem.row_count()), (0, 0));
    assert_eq!(problem.velocity(a), Err(Error::NoSuchBody));
    for _ in 0..3 {
        problem.add_body(mass(), Vec6::ZERO).unwrap();
    }
}
