//! A step as one line: what it cost, how well it was solved, what was to do.
//!
//! ```text
//! step I stack B sweeps K energy E work N N N …        instructions, bytes, 1, J (bits of an f32 as hex), counts in the order of `Work::counts`
//! ```
//! The line is gathered first: each semihosting call stops the emulator.

use crate::instructions::Counter;
use crate::stack;
use core::fmt::{Error, Write};
use tumble::world::StepReport;

/// Room for one line.
const ROOM: usize = 256;

/// A line of text.
struct Line {
    text: [u8; ROOM],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> Result<(), Error> {
        let end = self.length + text.len();
        self.text.get_mut(self.length..end).ok_or(Error)?.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Make a step, write its line.
pub(crate) fn trace(
    out: &mut impl Write,
    counter: &mut Counter,
    step: &mut dyn FnMut() -> Result<StepReport<f32>, tumble::Error>,
) -> (Result<StepReport<f32>, tumble::Error>, Result<(), Error>) {
    let ((report, instructions), stack) = stack::used(&mut || counter.count(&mut *step));
    let written = match (&report, stack) {
        (Ok(report), Some(stack)) => write_line(out, instructions, stack, report),
        // refused, or the stack is deeper than was painted
        _ => Err(Error),
    };
    (report, written)
}

fn write_line(out: &mut impl Write, instructions: u64, stack: usize, report: &StepReport<f32>) -> Result<(), Error> {
    let mut line = Line { text: [0; ROOM], length: 0 };
    let (sweeps, energy) = (report.solve.iterations, report.solve.energy.to_bits());
    write!(line, "step {instructions} stack {stack} sweeps {sweeps} energy {energy:08x} work")?;
    for count in report.work.counts() {
        write!(line, " {count}")?;
    }
    writeln!(line)?;
    let text = line.text.get(..line.length).and_then(|text| core::str::from_utf8(text).ok()).ok_or(Error)?;
    out.write_str(text)
}
