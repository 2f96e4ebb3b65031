//! What the exact solver is measured by, on boards and here alike: spheres that touch, and open chains.
//!
//! Output, a line each: `answer`, `energy`, `v`, `gamma` of either solve as [`write_answer`] writes them, `size` and, with what only a target can count, `cost`:
//! ```text
//! size NAME seed S bodies B rows R nonzeros N bytes E      bytes of `Exact` with just this room
//! cost NAME seed S first I again A                         instructions: with an order to find; the same pattern, other numbers
//! pivot NAME update I from-scratch J                        instructions: one row in or out and a solve; matrix and factor anew
//! ```

mod chain;
mod touching;

pub use chain::HINGE_ROWS;

use crate::problems::write_answer;
use core::fmt::{self, Display, Write};
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, InverseMass, RowInput};
use tumble::solve::Exact;
use tumble::{Error, Problem, Settings, Start};

/// What is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// So many spheres one on the other.
    Stack,
    /// Spheres in a box, so many rows.
    Pile,
    /// So many links and a stop.
    Chain,
}

/// Seeds of every problem; what differs are gaps and pushes.
pub const SEEDS: [u32; 4] = [1, 2, 3, 4];

impl Shape {
    /// Its name before its size.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stack => "stack",
            Self::Pile => "pile",
            Self::Chain => "chain",
        }
    }

    /// Build it anew.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]
    pub fn build<R: Real, const BODIES: usize, const ROWS: usize>(
        self,
        problem: &mut Problem<R, BODIES, ROWS>,
        size: u16,
        seed: u32,
    ) -> Result<(), Error> {
        match self {
            Self::Stack => touching::stack(problem, size, seed),
            Self::Pile => touching::pile(problem, size, seed),
            Self::Chain => chain::chain(problem, size, seed),
        }
    }
}

/// Shape and size, `stack16`.
#[derive(Clone, Copy, Debug)]
pub struct Name(pub Shape, pub u16);

impl Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.name(), self.1)
    }
}

/// To the end, from nothing.
pub fn settings<R: Real>() -> Settings<R> {
    Settings { iterations: 10_000, tolerance: R::ZERO, start: Start::Cold, ..Settings::default() }
}

/// Memory for the towers of `mass-ratio`.
pub type MassRatioExact = Exact<f32, 8, 64, 1200>;
/// Steps of it, by pivots.
pub const MASS_RATIO_STEPS: u32 = 200;

/// A problem with what solves it.
#[derive(Clone, Debug)]
pub struct Bench<const BODIES: usize, const ROWS: usize, const NONZEROS: usize> {
    problem: Problem<f32, BODIES, ROWS>,
    exact: Exact<f32, BODIES, ROWS, NONZEROS>,
}

/// Stack and pile of 16 rows.
pub type Bench16 = Bench<16, 16, 80>;
/// Of 32.
pub type Bench32 = Bench<32, 32, 240>;
/// Of 64.
pub type Bench64 = Bench<64, 64, 1000>;
/// Chain of at most 128 links.
pub type BenchChain = Bench<128, { 128 * HINGE_ROWS + 1 }, { 128 * 40 }>;
/// Links of chains that are measured.
pub const CHAINS: [u16; 5] = [8, 16, 32, 64, 128];

impl<const BODIES: usize, const ROWS: usize, const NONZEROS: usize> Bench<BODIES, ROWS, NONZEROS> {
    /// Empty.
    pub const fn new() -> Self {
        Self { problem: Problem::new(), exact: Exact::new() }
    }

    /// Bytes of the working memory.
    pub const BYTES: usize = size_of::<Exact<f32, BODIES, ROWS, NONZEROS>>();

    /// Solve a problem, and the same with other numbers; `count` does what it is given and says how many instructions that took.
    ///
    /// # Errors
    /// Those of `out`; and when it does not build or solve, which a test rules out.
    pub fn solve(
        &mut self,
        out: &mut impl Write,
        (shape, size): (Shape, u16),
        seed: u32,
        mut count: impl FnMut(&mut dyn FnMut()) -> u64,
    ) -> fmt::Result {
        let name = Name(shape, size);
        self.forget().map_err(|_| fmt::Error)?;
        let first = self.solve_once(out, (shape, size), seed, &mut count)?;
        let again = self.solve_once(out, (shape, size), seed.wrapping_add(100), &mut count)?;
        let (bodies, rows) = (self.problem.body_count(), self.problem.row_count());
        let (nonzeros, bytes) = (self.exact.nonzeros(), Self::BYTES);
        writeln!(out, "size {name} seed {seed} bodies {bodies} rows {rows} nonzeros {nonzeros} bytes {bytes}")?;
        writeln!(out, "cost {name} seed {seed} first {first} again {again}")
    }

    /// Of a problem that was solved: what it takes to put one row in or to leave it out, and to factorise from scratch.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn pivot(
        &mut self,
        out: &mut impl Write,
        (shape, size): (Shape, u16),
        mut count: impl FnMut(&mut dyn FnMut()) -> u64,
    ) -> fmt::Result {
        let exact = &mut self.exact;
        // out and in, or in and out
        let both = count(&mut || (0..2).for_each(|_| exact.toggle_unilateral()));
        let scratch = count(&mut || exact.factorise_again());
        writeln!(out, "pivot {} update {} from-scratch {scratch}", Name(shape, size), both / 2)
    }

    fn solve_once(
        &mut self,
        out: &mut impl Write,
        (shape, size): (Shape, u16),
        seed: u32,
        count: &mut impl FnMut(&mut dyn FnMut()) -> u64,
    ) -> Result<u64, fmt::Error> {
        let Self { problem, exact } = self;
        shape.build(problem, size, seed).map_err(|_| fmt::Error)?;
        let mut report = Err(Error::NoSuchRow);
        let instructions = count(&mut || report = problem.solve_exactly(exact, &settings()));
        let report = report.map_err(|_| fmt::Error)?;
        write_answer(out, Name(shape, size), problem, &report)?;
        Ok(instructions)
    }

    /// Another pattern, so that the next has to find its order.
    fn forget(&mut self) -> Result<(), Error> {
        let Self { problem, exact } = self;
        problem.clear();
        let body = problem.add_body(InverseMass::new(1.0, [1.0; 3])?, Vec6::ZERO)?;
        let up = RowInput::new(Vec6::from([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), Vec6::ZERO);
        problem.add_row(body, None, &up, Admissible::Unilateral)?;
        problem.solve_exactly(exact, &settings()).map(|_| ())
    }
}

impl<const BODIES: usize, const ROWS: usize, const NONZEROS: usize> Default for Bench<BODIES, ROWS, NONZEROS> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test may panic")]
mod tests {
    extern crate std;

    use super::*;

    #[test]
    fn every_case_has_as_many_rows_as_its_name_says_and_solves() {
        static BENCH: std::sync::Mutex<Bench64> = std::sync::Mutex::new(Bench64::new());
        let mut bench = BENCH.lock().unwrap();
        let Bench { problem, exact } = &mut *bench;
        for shape in [Shape::Stack, Shape::Pile] {
            for (rows, seed) in [16, 32, 64].into_iter().flat_map(|rows| SEEDS.map(|seed| (rows, seed))) {
                shape.build(problem, rows, seed).unwrap();
                assert_eq!(problem.row_count(), usize::from(rows));
                let start = problem.solve(&Settings { iterations: 0, ..settings() }).unwrap().energy;
                let report = problem.solve_exactly(exact, &settings()).unwrap();
                // a row is at rest when what it misses is below (64 roundings)² of the start: so much for each
                let most = f32::from(rows) * (64.0 * f32::EPSILON).powi(2) * start;
                std::println!(
                    "{} {seed}: {:.1e} of the start, {} pivots",
                    Name(shape, rows),
                    report.energy / start,
                    report.iterations
                );
                assert!(report.energy <= most, "{}: {} of {start}", Name(shape, rows), report.energy);
            }
        }
    }
}
