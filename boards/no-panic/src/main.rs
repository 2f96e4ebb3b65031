//! The proof that the solver path cannot panic: the panic handler calls a function that exists nowhere. As long as one panic
//! is reachable the linker needs it and fails; when the optimiser has shown that none is, nobody asks for it.
//!
//! Inputs come through `black_box`, so that nothing is known of them when this compiles.
#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;
use cortex_m_rt::entry;
use tumble::math::{Real, Vec6, float_env_ok};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyId, Error, FrictionModel, Problem, Settings, Start, StepRule};

#[entry]
fn main() -> ! {
    loop {
        let _ = black_box(exercise::<f32, 4, 24>());
        let _ = black_box(exercise::<f64, 5, 30>());
        #[cfg(feature = "waveform")]
        black_box(tumble::math::waveform::sin(black_box(1.0)) + tumble::math::waveform::cos(black_box(1.0)));
        black_box(float_env_ok());
        #[cfg(feature = "planted-panic")]
        black_box([1, 2, 3][black_box(3)]);
    }
}

/// Everything a caller can do with a problem, with inputs nobody knows.
#[inline(never)]
fn exercise<R: Real, const BODIES: usize, const ROWS: usize>() -> Result<R, Error> {
    let mut problem = Problem::<R, BODIES, ROWS>::new();
    let number = || black_box(R::ONE);
    let six = || Vec6::from([number(), number(), number(), number(), number(), number()]);

    let mut bodies: [Option<BodyId>; 3] = [None; 3];
    for body in &mut bodies {
        *body = Some(problem.add_body(InverseMass::new(number(), [number(), number(), number()])?, six())?);
    }
    problem.add_body(InverseMass::from_matrix([six().into(); 6])?, six())?;
    let (Some(a), b) = (bodies[0], black_box(bodies[1])) else { return Err(Error::NoSuchBody) };

    let input = RowInput { jacobian_a: six(), jacobian_b: six(), target_velocity: number(), compliance: number() };
    let contact = RowInput::contact(six().linear, six().linear, six().angular);
    let mu = number();
    let mut row = problem.add_row(a, b, &input, Admissible::Bilateral)?;
    for admissible in
        [Admissible::Unilateral, Admissible::Bounded { lo: number(), hi: number() }, Admissible::Friction { mu }]
    {
        row = problem.add_row(a, black_box(b), &input, admissible)?;
    }
    for friction in [Friction::Cone { mu }, Friction::Pyramid { mu }, Friction::Box { mu }] {
        problem.add_contact(a, black_box(b), &contact, friction)?;
    }
    problem.set_impulse(row, number())?;

    let mut sum = R::ZERO;
    for friction in [FrictionModel::Ccp, FrictionModel::Ncp] {
        let settings = Settings {
            omega: number(),
            iterations: black_box(10),
            tolerance: number(),
            friction: black_box(friction),
            step: black_box(StepRule::Safe),
            start: black_box(Start::Warm),
        };
        let report = problem.solve(&settings)?;
        sum += report.energy + report.violation + problem.natural_residual(black_box(friction));
    }
    sum += problem.impulse(row)? + problem.velocity(a)?.linear.x;
    sum += problem.impulses().chain(problem.velocities().map(|v| v.angular.z)).fold(R::ZERO, |sum, x| sum + x);
    problem.clear_rows();
    problem.set_free_velocity(a, six())?;
    problem.clear();
    Ok(sum)
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe extern "C" {
        fn a_panic_is_reachable() -> !;
    }
    // SAFETY: never linked: the function does not exist.
    unsafe { a_panic_is_reachable() }
}
