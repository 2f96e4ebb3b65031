//! Replay: the same inputs again, and every hash compared.

use super::log::{Record, hash_of};
use crate::error::Error;
use core::fmt;

/// What a replay found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use = "a replay may have diverged"]
pub enum Verdict {
    /// Every hash is the same.
    Same {
        /// Steps made.
        steps: u32,
        /// Hashes compared.
        hashes: u32,
    },
    /// A hash is not: it happened after `last_same` and not after `first_different`, which are neighbours where there is a hash after every step.
    Diverged {
        /// The last step after which the hashes were the same; 0 where none was.
        last_same: u32,
        /// The first step after which they were not.
        first_different: u32,
        /// In the record.
        expected: u64,
        /// Of the replay.
        found: u64,
    },
    /// A step was refused, though it was made when it was recorded.
    Refused {
        /// Which.
        step: u32,
        /// Why.
        error: Error,
    },
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same { steps, hashes } => write!(f, "bits identical: {steps} steps, {hashes} hashes compared"),
            Self::Diverged { last_same, first_different, expected, found } => {
                if last_same.checked_add(1) == Some(*first_different) {
                    write!(f, "step {first_different} diverges")?;
                } else {
                    let first = last_same.saturating_add(1);
                    write!(f, "one of the steps {first} to {first_different} diverges")?;
                }
                write!(f, ": hash {found:016x} instead of {expected:016x}")
            }
            Self::Refused { step, error } => write!(f, "step {step} is refused: {error}"),
        }
    }
}

/// Make every step of a record by `step`, which is given the inputs and returns the hash of the state; stop at the first that differs. The state must be that from which
/// the record began: [`Record::snapshot`], or a reset.
pub fn replay(record: &Record<'_>, mut step: impl FnMut(&[u8]) -> Result<u64, Error>) -> Verdict {
    let (mut hashes, mut last_same) = (0_u32, 0);
    for recorded in record.steps() {
        let number = recorded.number;
        let state = match step(recorded.inputs) {
            Ok(state) => state,
            Err(error) => return Verdict::Refused { step: number, error },
        };
        let Some(expected) = recorded.hash else { continue };
        let found = hash_of(recorded.inputs, state);
        if found != expected {
            return Verdict::Diverged { last_same, first_different: number, expected, found };
        }
        (hashes, last_same) = (hashes.saturating_add(1), number);
    }
    Verdict::Same { steps: record.len(), hashes }
}
