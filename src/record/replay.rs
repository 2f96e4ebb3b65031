//! Replay: the same inputs again, and every hash compared; or whatever drives it again, and every input compared too.

use super::codec::Sink;
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
    /// Other inputs went into this step than into the recorded one, the first of which that is so.
    OtherInputs {
        /// Which.
        step: u32,
        /// The last step before it after which the hashes were the same; 0 where none was. What drives the run may have gone by a state that differed since.
        last_same: u32,
    },
    /// A step was refused, though it was made when it was recorded.
    Refused {
        /// Which.
        step: u32,
        /// Why.
        error: Error,
    },
    /// The record has no steps: nothing was compared.
    Empty,
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
            Self::OtherInputs { step, .. } => write!(f, "step {step}: other inputs went in than those on record"),
            Self::Empty => f.write_str("no steps: nothing was compared"),
            Self::Refused { step, error } => write!(f, "step {step} is refused: {error}"),
        }
    }
}

/// Make every step of a record by `step`, which is given the inputs and returns the hash of the state; stop at the first that differs. The state must be that from which
/// the record began: [`Record::snapshot`], or a reset.
pub fn replay(record: &Record<'_>, mut step: impl FnMut(&[u8]) -> Result<u64, Error>) -> Verdict {
    follow(record, |inputs, went_in| {
        went_in.put(inputs);
        step(inputs)
    })
}

/// Make every step of a record with whatever drives the run now, a controller in the loop: `step` makes one, puts what went in, and returns the hash of the state; stop at the
/// first that differs, be it in what went in. The state must be that from which the record began, of what drives it too.
///
/// ```
/// use tumble::record::{Head, Record, Recorder, Verdict, Writer, replay_live};
/// use tumble::world::StepSettings;
///
/// let head = Head { name: "lamp", h: 0.001, settings: StepSettings::default(), exact: [0; 3], hash_every: 100, inputs: 1 };
/// let mut buffer = [0; 512];
/// let mut recorder = Recorder::<_, 1>::begin(Writer::new(&mut buffer), &head, |_| Ok(()))?;
/// for step in 1..=50 {
///     recorder.step(&[u8::from(step >= 20)], || 0)?;
/// }
/// let bytes = recorder.end(|| 0).finish()?;
///
/// // made again by a controller that is one step late
/// let mut step = 0;
/// let verdict = replay_live(&Record::open(bytes).unwrap(), |went_in| {
///     step += 1;
///     went_in.put(&[u8::from(step >= 21)]);
///     Ok(0)
/// });
/// assert_eq!(verdict, Verdict::OtherInputs { step: 20, last_same: 1 });
/// # Ok::<(), tumble::Error>(())
/// ```
pub fn replay_live(record: &Record<'_>, mut step: impl FnMut(&mut dyn Sink) -> Result<u64, Error>) -> Verdict {
    follow(record, |_, went_in| step(went_in))
}

fn follow(record: &Record<'_>, mut step: impl FnMut(&[u8], &mut Compared<'_>) -> Result<u64, Error>) -> Verdict {
    if record.is_empty() {
        return Verdict::Empty;
    }
    let (mut hashes, mut last_same) = (0_u32, 0);
    for recorded in record.steps() {
        let number = recorded.number;
        let mut went_in = Compared { rest: recorded.inputs, same: true };
        let state = match step(recorded.inputs, &mut went_in) {
            Ok(state) => state,
            Err(error) => return Verdict::Refused { step: number, error },
        };
        if !(went_in.same && went_in.rest.is_empty()) {
            return Verdict::OtherInputs { step: number, last_same };
        }
        let Some(expected) = recorded.hash else { continue };
        let found = hash_of(recorded.inputs, state);
        if found != expected {
            return Verdict::Diverged { last_same, first_different: number, expected, found };
        }
        (hashes, last_same) = (hashes.saturating_add(1), number);
    }
    Verdict::Same { steps: record.len(), hashes }
}

/// Takes what went in, and compares.
struct Compared<'a> {
    /// what is still to come
    rest: &'a [u8],
    same: bool,
}

impl Sink for Compared<'_> {
    fn put(&mut self, bytes: &[u8]) {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => self.rest = rest,
            None => self.same = false,
        }
    }
}
