//! One-step problems, one file a problem, and the list of cases that boards and host run alike.

mod chain;
mod meter;
mod pile;
mod slide;
mod stack;

use core::fmt::{self, Display, Write};
use tumble::math::Real;
use tumble::{Error, FrictionModel, Method, Problem, Report, Settings, Start};

/// Capacity of a case, bodies.
pub const BODIES_MAX: usize = 16;
/// Capacity of a case, rows.
pub const ROWS_MAX: usize = 160;

/// Every case fits into this.
pub type CaseProblem<R> = Problem<R, BODIES_MAX, ROWS_MAX>;

/// A problem with the way to solve it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Unique, short.
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    scene: Scene,
    friction: FrictionModel,
    method: Method,
    iterations: u32,
}

#[derive(Clone, Copy, Debug)]
enum Scene {
    Stack,
    Pile,
    Chain,
    Slide(slide::Shape),
    Meter(meter::Kind),
}

use FrictionModel::{Ccp, Ncp};

/// What boards print and the host must reproduce bit for bit: whole problems first, then one kind of row at a time to count instructions.
pub const CASES: [Case; 22] = [
    Case::new("stack-ncp", "ten boxes on each other, forty contacts", Scene::Stack, Ncp, 60),
    Case::new("stack-ccp", "the same, cone complementarity", Scene::Stack, Ccp, 60),
    Case::new("pile-ncp", "fourteen spheres, pyramid on a plate", Scene::Pile, Ncp, 60),
    Case::new("pile-ccp", "the same, cone complementarity", Scene::Pile, Ccp, 60),
    Case::new("chain", "hanging chain with motor, joint friction, stop", Scene::Chain, Ncp, 60),
    Case::new("slide-cone", "block sliding on three points, cone", Scene::Slide(slide::Shape::Cone), Ncp, 60),
    Case::new("slide-pyramid", "the same, pyramid", Scene::Slide(slide::Shape::Pyramid), Ncp, 60),
    Case::new("slide-box", "the same, box friction", Scene::Slide(slide::Shape::Box), Ncp, 60),
    Case::new("row-two-body", "unilateral rows between two bodies", Scene::Meter(meter::Kind::TwoBodyRow), Ncp, 20),
    Case::new("row-ground", "unilateral rows against the ground", Scene::Meter(meter::Kind::GroundRow), Ncp, 20),
    Case::new("contact-stick-ncp", "two-body contacts that stick", Scene::Meter(meter::Kind::Stick), Ncp, 20),
    Case::new("contact-slide-ncp", "two-body contacts that slide", Scene::Meter(meter::Kind::Slide), Ncp, 20),
    Case::new("contact-stick-ccp", "the same that stick, ccp", Scene::Meter(meter::Kind::Stick), Ccp, 20),
    Case::new("contact-slide-ccp", "the same that slide, ccp", Scene::Meter(meter::Kind::Slide), Ccp, 20),
    Case::new("stack-ncp-psor", "stack-ncp by plain projected SOR", Scene::Stack, Ncp, 60).plain(),
    Case::new("stack-ccp-psor", "stack-ccp by plain projected SOR", Scene::Stack, Ccp, 60).plain(),
    Case::new("row-two-body-psor", "the same rows, plain", Scene::Meter(meter::Kind::TwoBodyRow), Ncp, 20).plain(),
    Case::new("row-ground-psor", "the same rows, plain", Scene::Meter(meter::Kind::GroundRow), Ncp, 20).plain(),
    Case::new("contact-stick-ncp-psor", "the same contacts, plain", Scene::Meter(meter::Kind::Stick), Ncp, 20).plain(),
    Case::new("contact-slide-ncp-psor", "the same contacts, plain", Scene::Meter(meter::Kind::Slide), Ncp, 20).plain(),
    Case::new("contact-stick-ccp-psor", "the same contacts, plain", Scene::Meter(meter::Kind::Stick), Ccp, 20).plain(),
    Case::new("contact-slide-ccp-psor", "the same contacts, plain", Scene::Meter(meter::Kind::Slide), Ccp, 20).plain(),
];

/// Cases that boards run in double precision too, one of each friction model and method: software on a Cortex-M4F, and still the same bits.
pub const DOUBLE_CASES: [Case; 3] = [CASES[5], CASES[13], CASES[21]];

impl Case {
    const fn new(
        name: &'static str,
        about: &'static str,
        scene: Scene,
        friction: FrictionModel,
        iterations: u32,
    ) -> Self {
        Self { name, about, scene, friction, method: Method::Anderson, iterations }
    }

    const fn plain(self) -> Self {
        Self { method: Method::Psor, ..self }
    }

    /// Build the problem anew.
    ///
    /// # Errors
    /// Never, as long as the case fits; a test builds them all.
    pub fn build<R: Real>(&self, problem: &mut CaseProblem<R>) -> Result<(), Error> {
        problem.clear();
        match self.scene {
            Scene::Stack => stack::build(problem),
            Scene::Pile => pile::build(problem),
            Scene::Chain => chain::build(problem),
            Scene::Slide(shape) => slide::build(problem, shape),
            Scene::Meter(kind) => meter::build(problem, kind),
        }
    }

    /// How it is solved: a fixed number of sweeps from a cold start.
    pub fn settings<R: Real>(&self) -> Settings<R> {
        Settings {
            method: self.method,
            iterations: self.iterations,
            tolerance: R::ZERO,
            friction: self.friction,
            start: Start::Cold,
            ..Settings::default()
        }
    }

    /// Is it there to count the instructions of one kind of row?
    pub const fn is_meter(&self) -> bool {
        matches!(self.scene, Scene::Meter(_))
    }
}

/// Solve every case on this machine and write all answers, in the order boards print them.
///
/// # Errors
/// Those of `out`; and when a case does not build or solve, which a test rules out.
pub fn write_all_answers(
    out: &mut impl Write,
    single: &mut CaseProblem<f32>,
    double: &mut CaseProblem<f64>,
) -> fmt::Result {
    for case in &CASES {
        solve_and_write(out, case, single)?;
    }
    for case in &DOUBLE_CASES {
        solve_and_write(out, case, double)?;
    }
    Ok(())
}

fn solve_and_write<R: Real>(out: &mut impl Write, case: &Case, problem: &mut CaseProblem<R>) -> fmt::Result {
    case.build(problem).map_err(|_| fmt::Error)?;
    let report = problem.solve(&case.settings()).map_err(|_| fmt::Error)?;
    write_answer(out, case.name, problem, &report)
}

/// Write the bits of an answer: the same text from every machine, or the answers differ.
///
/// # Errors
/// Those of `out`.
pub fn write_answer<R: Real, const BODIES: usize, const ROWS: usize>(
    out: &mut impl Write,
    name: impl Display,
    problem: &Problem<R, BODIES, ROWS>,
    report: &Report<R>,
) -> fmt::Result {
    let (bodies, rows) = (problem.body_count(), problem.row_count());
    let bits = 8 * size_of::<R>();
    writeln!(out, "answer f{bits} {name} bodies {bodies} rows {rows} {} {}", report.status, report.iterations)?;
    write!(out, "energy")?;
    write_numbers(out, [report.energy, report.violation])?;
    for v in problem.velocities() {
        write!(out, "v")?;
        write_numbers(out, <[R; 6]>::from(v))?;
    }
    for gamma in problem.impulses() {
        write!(out, "gamma")?;
        write_numbers(out, [gamma])?;
    }
    Ok(())
}

fn write_numbers<R: Real>(out: &mut impl Write, numbers: impl IntoIterator<Item = R>) -> fmt::Result {
    for x in numbers {
        // a single widens to a double without loss: equal bits of one are equal bits of the other
        write!(out, " {:016x}", x.to_f64().to_bits())?;
    }
    writeln!(out)
}
