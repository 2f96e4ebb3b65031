//! Problems as words of 32 bits: how a host hands them to a firmware, in memory that both can reach.
//!
//! ```text
//! words     problems, one after the other; 0
//! problem   how many words follow; how many bodies; bodies; blocks to its end
//! body      M⁻¹ (36 numbers, row by row), v_free (6)
//! block     1  a  b  lo  hi  row             a row by itself, lo ≤ γ ≤ hi
//!           3  a  b  mu  row  row  row       a contact: normal, two tangents, Coulomb's cone
//! a, b      bodies as counted from 0; b = 0xFFFF_FFFF is the ground
//! row       E_a (6), E_b (6), e, c
//! number    the bits of an f32
//! ```

use tumble::math::Vec6;
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error, Problem};

const GROUND: u32 = u32::MAX;
const ROW: u32 = 1;
const CONTACT: u32 = 3;
/// What is no problem in words.
const MALFORMED: Error = Error::OutOfRange("words");

/// Rows that are added together, between body `a` and body `b` or the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block<R> {
    /// First body, as counted from 0.
    pub a: usize,
    /// Second body, or the ground.
    pub b: Option<usize>,
    /// What joins them.
    pub rows: Rows<R>,
}

/// The rows of a [`Block`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows<R> {
    /// One by itself.
    Single {
        /// The row.
        input: RowInput<R>,
        /// Least impulse. N·s
        lo: R,
        /// Largest impulse. N·s
        hi: R,
    },
    /// A contact with Coulomb's cone.
    Contact {
        /// Normal and two tangents.
        inputs: [RowInput<R>; 3],
        /// Coefficient of friction.
        mu: R,
    },
}

/// Write a body: `M⁻¹` and `v_free`.
pub fn write_body(out: &mut impl Extend<u32>, inv_mass: &[[f32; 6]; 6], v_free: &[f32; 6]) {
    out.extend(inv_mass.iter().chain([v_free]).flatten().map(|x| x.to_bits()));
}

/// Write a block.
///
/// # Errors
/// [`Error::NoSuchBody`] when a body's number needs more than 32 bits.
pub fn write_block(out: &mut impl Extend<u32>, block: &Block<f32>) -> Result<(), Error> {
    let number = |body: usize| u32::try_from(body).map_err(|_| Error::NoSuchBody);
    let (a, b) = (number(block.a)?, block.b.map_or(Ok(GROUND), number)?);
    match &block.rows {
        Rows::Single { input, lo, hi } => {
            out.extend([ROW, a, b, lo.to_bits(), hi.to_bits()]);
            write_row(out, input);
        }
        Rows::Contact { inputs, mu } => {
            out.extend([CONTACT, a, b, mu.to_bits()]);
            inputs.iter().for_each(|input| write_row(out, input));
        }
    }
    Ok(())
}

fn write_row(out: &mut impl Extend<u32>, input: &RowInput<f32>) {
    let halves: [[f32; 6]; 2] = [input.jacobian_a.into(), input.jacobian_b.into()];
    let numbers = halves.into_iter().flatten().chain([input.target_velocity, input.compliance]);
    out.extend(numbers.map(f32::to_bits));
}

/// The words of each problem.
pub fn problems(words: &[u32]) -> impl Iterator<Item = &[u32]> {
    let mut left = words;
    core::iter::from_fn(move || {
        let (&length, rest) = left.split_first()?;
        let (problem, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        left = rest;
        (length > 0).then_some(problem)
    })
}

/// Build the problem that these words are; it is cleared first.
///
/// # Errors
/// What [`Problem`] refuses; [`Error::OutOfRange`]`("words")` when they are no problem.
pub fn read<const BODIES: usize, const ROWS: usize>(
    words: &[u32],
    problem: &mut Problem<f32, BODIES, ROWS>,
) -> Result<(), Error> {
    problem.clear();
    let mut words = Words(words);
    let mut bodies = [None; BODIES];
    let count = words.count()?;
    for slot in bodies.get_mut(..count).ok_or(Error::CapacityExceeded("bodies"))? {
        let mut inv_mass = [[0.0; 6]; 6];
        for row in &mut inv_mass {
            *row = words.numbers()?;
        }
        let v_free = Vec6::from(words.numbers()?);
        *slot = Some(problem.add_body(InverseMass::from_matrix(inv_mass)?, v_free)?);
    }
    let find =
        |body: usize| -> Result<BodyIndex, Error> { bodies.get(body).copied().flatten().ok_or(Error::NoSuchBody) };
    while !words.0.is_empty() {
        let block = words.block()?;
        let (a, b) = (find(block.a)?, block.b.map(find).transpose()?);
        match &block.rows {
            Rows::Single { input, lo, hi } => {
                problem.add_row(a, b, input, Admissible::Bounded { lo: *lo, hi: *hi })?;
            }
            Rows::Contact { inputs, mu } => {
                problem.add_contact(a, b, inputs, Friction::Cone { mu: *mu })?;
            }
        }
    }
    Ok(())
}

/// What has not been read yet.
struct Words<'a>(&'a [u32]);

impl Words<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u32; N], Error> {
        let (taken, left) = self.0.split_first_chunk().ok_or(MALFORMED)?;
        self.0 = left;
        Ok(*taken)
    }

    fn count(&mut self) -> Result<usize, Error> {
        let [count] = self.take()?;
        usize::try_from(count).map_err(|_| MALFORMED)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[f32; N], Error> {
        Ok(self.take()?.map(f32::from_bits))
    }

    fn block(&mut self) -> Result<Block<f32>, Error> {
        let ([kind], a, [b]) = (self.take()?, self.count()?, self.take()?);
        let b = if b == GROUND { None } else { Some(usize::try_from(b).map_err(|_| MALFORMED)?) };
        let rows = match kind {
            ROW => {
                let [lo, hi] = self.numbers()?;
                Rows::Single { input: self.row()?, lo, hi }
            }
            CONTACT => {
                let [mu] = self.numbers()?;
                Rows::Contact { inputs: [self.row()?, self.row()?, self.row()?], mu }
            }
            _ => return Err(MALFORMED),
        };
        Ok(Block { a, b, rows })
    }

    fn row(&mut self) -> Result<RowInput<f32>, Error> {
        let (jacobian_a, jacobian_b) = (Vec6::from(self.numbers()?), Vec6::from(self.numbers()?));
        let [target_velocity, compliance] = self.numbers()?;
        Ok(RowInput { jacobian_a, jacobian_b, target_velocity, compliance })
    }
}
