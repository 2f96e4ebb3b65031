//! The log of a run: where it began, what went in, and hashes of where it was on the way.
//!
//! ```text
//! head      "TUMR" · version u16 · name · h f32 · settings · exact memory 3 u32 · k u32 · inputs a step u16 · snapshot
//! chunks    1 · inputs · CRC-32         these go in from the next step on; of that step's number and them
//!           2 · n varint                n more steps, of which only the last may have its hash next
//!           3 · hash u64                after the step before
//!           4 · steps u32 · hash u64    the end: of everything, after the last step
//! CRC-32    of all before
//! ```
//! A hash is there after every k-th step, after every step whose inputs are new, and after the last. It is of the step's inputs and the state together. New inputs have a checksum
//! of their own: a wrong bit in them is found at its step, whether or not that step does anything with it, before a step is made. Nothing is held back but a count: a log is written as it happens, on a wire if need be, and
//! ends where power does. One without an end is refused; how many steps of it are whole is said.
//!
//! The form is the only one there is for a run: no chunk of zero steps, no inputs that are the same, no hash too many or too few.

use super::checksum::{Crc, Summed, checksum};
use super::codec::{Fnv, Persist, Reader, Sink};
use crate::check::positive;
use crate::error::Error;
use crate::world::StepSettings;
use core::fmt;

/// A record begins so.
const MAGIC: [u8; 4] = *b"TUMR";
/// Of the format; another is refused.
const VERSION: u16 = 1;
/// Longest name. Bytes
pub const MOST_NAME: usize = 32;

const NEW_INPUTS: u8 = 1;
const RUN: u8 = 2;
const HASH: u8 = 3;
const END: u8 = 4;

/// What a run was: enough to make it again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head<'a> {
    /// Of the scene or plant: whoever replays finds it by this. At most [`MOST_NAME`] bytes.
    pub name: &'a str,
    /// Length of a step. s
    pub h: f32,
    /// How it was stepped.
    pub settings: StepSettings<f32>,
    /// Capacities of the exact solver's memory, bodies, rows and non-zeros of [`Exact`](crate::solve::Exact); zeros where there was none. An island that fits in one and not
    /// in another is solved in another way.
    pub exact: [u32; 3],
    /// There is a hash after every so many steps; at least 1.
    pub hash_every: u32,
    /// Bytes that go in with every step.
    pub inputs: u16,
}

impl Head<'_> {
    /// Are these usable?
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("name")` for one too long; [`Error::NonPositive`]`("hash_every")`; what is wrong with `h` or the settings.
    pub fn check(&self) -> Result<(), Error> {
        if self.name.len() > MOST_NAME {
            return Err(Error::OutOfRange("name"));
        }
        positive(self.h, "h")?;
        self.settings.check()?;
        if self.hash_every == 0 { Err(Error::NonPositive("hash_every")) } else { Ok(()) }
    }

    fn save(&self, out: &mut dyn Sink) {
        let name = self.name.as_bytes();
        u8::try_from(name.len()).unwrap_or(u8::MAX).save(out);
        out.put(name);
        self.h.save(out);
        self.settings.save(out);
        self.exact.save(out);
        self.hash_every.save(out);
        self.inputs.save(out);
    }
}

/// Hash of a step: of what went in and where that led.
pub(super) fn hash_of(inputs: &[u8], state: u64) -> u64 {
    let mut hash = Fnv::new();
    hash.put(inputs);
    state.save(&mut hash);
    hash.finish()
}

/// Checksum of inputs that are new in a step: of its number too, so that they are not another step's.
fn sum_of(step: u32, inputs: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.add(&step.to_le_bytes());
    crc.add(inputs);
    crc.finish()
}

/// Writes a log while the run goes on; at most `INPUTS` bytes go in with every step.
///
/// ```
/// use tumble::record::{Head, Record, Recorder, Verdict, Writer, replay};
/// use tumble::world::StepSettings;
///
/// // a plant whose whole state is a number
/// let step = |state: &mut u64, inputs: &[u8]| *state = 3 * *state + u64::from(inputs[0]);
/// let head = Head { name: "triple", h: 0.001, settings: StepSettings::default(), exact: [0; 3], hash_every: 10, inputs: 1 };
///
/// let (mut buffer, mut state) = ([0; 512], 1);
/// let mut recorder = Recorder::<_, 1>::begin(Writer::new(&mut buffer), &head, |_| Ok(()))?;
/// for k in 0..35 {
///     let inputs = [k / 20];
///     step(&mut state, &inputs);
///     recorder.step(&inputs, || state)?;
/// }
/// let bytes = recorder.end(|| state).finish()?;
///
/// let record = Record::open(bytes).unwrap();
/// let mut state = 1;
/// let verdict = replay(&record, |inputs| {
///     step(&mut state, inputs);
///     Ok(state)
/// });
/// // steps 1, 10, 20, 21, 30 and 35
/// assert_eq!(verdict, Verdict::Same { steps: 35, hashes: 6 });
/// # Ok::<(), tumble::Error>(())
/// ```
pub struct Recorder<S, const INPUTS: usize = 0> {
    out: Summed<S>,
    hash_every: u32,
    /// the last step's; of the first so many bytes
    inputs: [u8; INPUTS],
    length: usize,
    steps: u32,
    /// steps not yet written
    run: u32,
    /// of the last step, if it has been written
    last_hash: Option<u64>,
}

impl<S: Sink, const INPUTS: usize> Recorder<S, INPUTS> {
    /// Write the head, and the snapshot that `save` writes: nothing where the run begins with a reset. `save` is called twice, the first time to count its bytes.
    ///
    /// # Errors
    /// Those of [`Head::check`] and of `save`; [`Error::CapacityExceeded`]`("inputs")` for more than `INPUTS`. Then nothing has been written but what `save` refused half-way.
    pub fn begin(out: S, head: &Head<'_>, save: impl Fn(&mut dyn Sink) -> Result<(), Error>) -> Result<Self, Error> {
        head.check()?;
        let length = usize::from(head.inputs);
        if length > INPUTS {
            return Err(Error::CapacityExceeded("inputs"));
        }
        let mut snapshot = 0_u32;
        save(&mut |bytes: &[u8]| {
            snapshot = snapshot.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        })?;
        let mut out = Summed::new(out);
        MAGIC.save(&mut out);
        VERSION.save(&mut out);
        head.save(&mut out);
        snapshot.save(&mut out);
        save(&mut out)?;
        let hash_every = head.hash_every;
        Ok(Self { out, hash_every, inputs: [0; INPUTS], length, steps: 0, run: 0, last_hash: None })
    }

    /// How many steps there are.
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// A step has been made with these inputs. `state` is the hash of where it led, and is asked for only where one is due.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("inputs")` where they are not as many as the head says; [`Error::CapacityExceeded`]`("steps")` after 2³² − 1. Then nothing has been written.
    pub fn step(&mut self, inputs: &[u8], state: impl FnOnce() -> u64) -> Result<(), Error> {
        let stored = self.inputs.get_mut(..self.length).filter(|stored| stored.len() == inputs.len());
        let stored = stored.ok_or(Error::OutOfRange("inputs"))?;
        let steps = self.steps.checked_add(1).ok_or(Error::CapacityExceeded("steps"))?;
        let fresh = *stored != *inputs || (self.steps == 0 && !inputs.is_empty());
        if fresh {
            stored.iter_mut().zip(inputs).for_each(|(to, from)| *to = *from);
            self.write_run();
            NEW_INPUTS.save(&mut self.out);
            self.out.put(inputs);
            sum_of(steps, inputs).save(&mut self.out);
        }
        self.steps = steps;
        self.run = self.run.saturating_add(1);
        self.last_hash = None;
        if fresh || is_due(steps, self.hash_every) {
            let hash = hash_of(inputs, state());
            self.write_run();
            HASH.save(&mut self.out);
            hash.save(&mut self.out);
            self.last_hash = Some(hash);
        }
        Ok(())
    }

    /// Write the end; `state` is the hash of where the last step led, and is asked for only where that has not been written. Returns what took it all.
    pub fn end(mut self, state: impl FnOnce() -> u64) -> S {
        self.write_run();
        let inputs = self.inputs.get(..self.length).unwrap_or_default();
        let hash = self.last_hash.unwrap_or_else(|| hash_of(inputs, state()));
        END.save(&mut self.out);
        self.steps.save(&mut self.out);
        hash.save(&mut self.out);
        self.out.finish()
    }

    fn write_run(&mut self) {
        let mut run = core::mem::take(&mut self.run);
        if run == 0 {
            return;
        }
        RUN.save(&mut self.out);
        // seven bits a byte, the lowest first: 32 bits are five bytes
        for _ in 0..5 {
            let [low, ..] = run.to_le_bytes();
            run >>= 7;
            if run == 0 {
                (low & 0x7f).save(&mut self.out);
                break;
            }
            (low | 0x80).save(&mut self.out);
        }
    }
}

/// Is there a hash after this step, whatever went in?
fn is_due(step: u32, hash_every: u32) -> bool {
    step.checked_rem(hash_every) == Some(0)
}

/// Why a record was refused. Offsets are bytes from its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum RecordError {
    /// It does not begin as records do.
    NotARecord,
    /// It is of another version of the format.
    UnknownVersion(u16),
    /// It ends before its end: so many whole steps, and its last whole chunk, are before that.
    Truncated {
        /// Steps of whole chunks.
        steps: u32,
        /// Where what is not whole begins.
        at: usize,
    },
    /// The named part is none, or not where it may be.
    Malformed {
        /// What.
        what: &'static str,
        /// Where it begins.
        at: usize,
    },
    /// The inputs of this step are not those that went in: their own checksum is another.
    OtherInputs {
        /// Which.
        step: u32,
        /// Where their chunk begins.
        at: usize,
    },
    /// A value in the head is refused.
    Refused {
        /// Why.
        error: Error,
        /// Where the head begins.
        at: usize,
    },
    /// The checksum is not that of the bytes before it: at least one of them is wrong.
    Corrupted {
        /// In the record.
        expected: u32,
        /// Of the bytes.
        found: u32,
    },
    /// Bytes follow after the end.
    TooLong {
        /// Where they begin.
        at: usize,
    },
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotARecord => f.write_str("this is no record"),
            Self::UnknownVersion(version) => write!(f, "version {version} of the format is not known here"),
            Self::Truncated { steps, at } => {
                write!(f, "the record is cut off at byte {at}, after {steps} whole steps")
            }
            Self::Malformed { what, at } => write!(f, "{what} at byte {at} is none, or in the wrong place"),
            Self::OtherInputs { step, at } => {
                write!(f, "the inputs of step {step}, at byte {at}, are not those that went in")
            }
            Self::Refused { error, at } => write!(f, "in the head, from byte {at} on: {error}"),
            Self::Corrupted { expected, found } => {
                write!(f, "the checksum is {expected:08x}, that of the bytes {found:08x}: at least one is wrong")
            }
            Self::TooLong { at } => write!(f, "bytes follow after the end of the record at byte {at}"),
        }
    }
}

impl core::error::Error for RecordError {}

/// A record that has been looked at from end to end.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    head: Head<'a>,
    snapshot: &'a [u8],
    runs: Runs<'a>,
    steps: u32,
}

impl<'a> Record<'a> {
    /// Look at all of it: structure, counts, checksum.
    ///
    /// # Errors
    /// [`RecordError`]: what is wrong, and where.
    pub fn open(bytes: &'a [u8]) -> Result<Self, RecordError> {
        let mut input = Reader::new(bytes);
        let cut = |at| RecordError::Truncated { steps: 0, at };
        match input.load::<[u8; 4]>() {
            Ok(MAGIC) => {}
            Ok(_) => return Err(RecordError::NotARecord),
            Err(_) => return Err(cut(0)),
        }
        let version = input.load::<u16>().map_err(|_| cut(MAGIC.len()))?;
        if version != VERSION {
            return Err(RecordError::UnknownVersion(version));
        }
        let at = input.position();
        let (head, snapshot) = load_head(&mut input).map_err(|error| match error {
            Error::Truncated => cut(at),
            error => corrupted(bytes).unwrap_or(RecordError::Refused { error, at }),
        })?;
        let mut runs = Runs::new(&head, input);
        let first = runs.clone();
        while runs.advance()?.is_some() {}
        // the end has been read: what was summed up are the bytes to here
        let Runs { mut input, number: steps, .. } = runs;
        let at = input.position();
        let expected = input.load::<u32>().map_err(|_| RecordError::Truncated { steps, at })?;
        let found = checksum(bytes.get(..at).unwrap_or_default());
        if expected != found {
            return Err(RecordError::Corrupted { expected, found });
        }
        if !input.rest().is_empty() {
            return Err(RecordError::TooLong { at: input.position() });
        }
        Ok(Self { head, snapshot, runs: first, steps })
    }

    /// What was run, and how.
    pub const fn head(&self) -> &Head<'a> {
        &self.head
    }

    /// Where it began; empty where it began with a reset.
    pub const fn snapshot(&self) -> &'a [u8] {
        self.snapshot
    }

    /// How many steps the record says it has.
    ///
    /// A forged record of a hundred bytes can claim 2³² − 1. Compare with a limit before replaying a record from elsewhere.
    pub const fn len(&self) -> u32 {
        self.steps
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.steps == 0
    }

    /// Every step, from the first on.
    pub fn steps(&self) -> Steps<'a> {
        Steps { runs: self.runs.clone(), run: None }
    }
}

/// Is the checksum at the end not that of what is before? Then whatever else is wrong comes of it.
fn corrupted(bytes: &[u8]) -> Option<RecordError> {
    let (before, sum) = bytes.split_last_chunk::<4>()?;
    let (expected, found) = (u32::from_le_bytes(*sum), checksum(before));
    (expected != found).then_some(RecordError::Corrupted { expected, found })
}

fn load_head<'a>(input: &mut Reader<'a>) -> Result<(Head<'a>, &'a [u8]), Error> {
    let length = usize::from(input.load::<u8>()?);
    let name = core::str::from_utf8(input.take(length)?).map_err(|_| Error::OutOfRange("name"))?;
    let head = Head {
        name,
        h: input.load()?,
        settings: input.load()?,
        exact: input.load()?,
        hash_every: input.load()?,
        inputs: input.load()?,
    };
    head.check()?;
    let length = usize::try_from(input.load::<u32>()?).map_err(|_| Error::Truncated)?;
    Ok((head, input.take(length)?))
}

/// One step of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// From 1 on.
    pub number: u32,
    /// What went in.
    pub inputs: &'a [u8],
    /// Of these inputs and where they led, if there is one.
    pub hash: Option<u64>,
}

/// Steps of a record, one after the other.
#[derive(Clone, Debug)]
pub struct Steps<'a> {
    runs: Runs<'a>,
    /// what is left of one
    run: Option<Run<'a>>,
}

impl<'a> Iterator for Steps<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        // it has been looked at: nothing is malformed
        let Run { first, last, inputs, hash } = match self.run.take() {
            Some(run) => run,
            None => self.runs.advance().ok()??,
        };
        if first < last {
            self.run = Some(Run { first: first.saturating_add(1), last, inputs, hash });
        }
        Some(Step { number: first, inputs, hash: hash.filter(|_| first == last) })
    }
}

/// Steps in a row with the same inputs.
#[derive(Clone, Copy, Debug)]
struct Run<'a> {
    first: u32,
    last: u32,
    inputs: &'a [u8],
    /// after the last
    hash: Option<u64>,
}

/// The chunks of a record, by runs; refuses every form but the one that a recorder writes.
#[derive(Clone, Debug)]
struct Runs<'a> {
    input: Reader<'a>,
    hash_every: u32,
    inputs_length: usize,
    inputs: Option<&'a [u8]>,
    /// last step so far
    number: u32,
    /// its hash, if that was a chunk of its own
    hash: Option<u64>,
}

impl<'a> Runs<'a> {
    const fn new(head: &Head<'_>, input: Reader<'a>) -> Self {
        let (hash_every, inputs_length) = (head.hash_every, head.inputs as usize);
        Self { input, hash_every, inputs_length, inputs: None, number: 0, hash: None }
    }

    /// The next run; `None` at the end, with all but the checksum read.
    fn advance(&mut self) -> Result<Option<Run<'a>>, RecordError> {
        let (steps, mut at) = (self.number, self.input.position());
        let malformed = |what, at| Err(RecordError::Malformed { what, at });
        let cut = |at| move |_| RecordError::Truncated { steps, at };
        let mut tag = self.input.load::<u8>().map_err(cut(at))?;
        let fresh = tag == NEW_INPUTS;
        if fresh {
            let inputs = self.input.take(self.inputs_length).map_err(cut(at))?;
            let sum = self.input.load::<u32>().map_err(cut(at))?;
            let step = steps.saturating_add(1);
            if sum != sum_of(step, inputs) {
                return Err(RecordError::OtherInputs { step, at });
            }
            if inputs.is_empty() || self.inputs == Some(inputs) {
                return malformed("inputs", at);
            }
            self.inputs = Some(inputs);
            at = self.input.position();
            tag = self.input.load::<u8>().map_err(cut(at))?;
        }
        match tag {
            RUN => {}
            END if !fresh => {
                let (steps_said, hash_said) = load_end(&mut self.input).map_err(cut(at))?;
                let agrees = steps_said == steps && self.hash.is_none_or(|hash| hash == hash_said);
                return if agrees { Ok(None) } else { malformed("the end", at) };
            }
            _ => return malformed("a chunk", at),
        }
        let run = load_varint(&mut self.input).map_err(|error| match error {
            Error::Truncated => cut(at)(error),
            _ => RecordError::Malformed { what: "a count", at },
        })?;
        // two runs in a row are one; the first says what goes in
        let follows = fresh || self.hash.is_some() || steps == 0;
        let knows = self.inputs.is_some() || self.inputs_length == 0;
        let due = if fresh { steps.checked_add(1) } else { next_due(steps, self.hash_every) };
        let Some(last) = steps.checked_add(run).filter(|last| follows && knows && due.is_none_or(|due| *last <= due))
        else {
            return malformed("a run", at);
        };

        let mut ahead = self.input.clone();
        let next = ahead.position();
        let tag = ahead.load::<u8>();
        self.hash = None;
        let mut hash = None;
        if due == Some(last) {
            if tag.map_err(cut(at))? != HASH {
                return malformed("a hash", next);
            }
            hash = Some(ahead.load::<u64>().map_err(cut(at))?);
            (self.input, self.hash) = (ahead, hash);
        } else if tag == Ok(END) {
            hash = load_end(&mut ahead).ok().map(|(_, hash)| hash);
        }
        self.number = last;
        let first = steps.saturating_add(1);
        Ok(Some(Run { first, last, inputs: self.inputs.unwrap_or_default(), hash }))
    }
}

/// The first step after this one that has a hash, whatever goes in.
fn next_due(step: u32, hash_every: u32) -> Option<u32> {
    step.checked_div(hash_every)?.checked_add(1)?.checked_mul(hash_every)
}

fn load_end(input: &mut Reader<'_>) -> Result<(u32, u64), Error> {
    Ok((input.load()?, input.load()?))
}

/// At least 1, and written in no more bytes than it takes.
fn load_varint(input: &mut Reader<'_>) -> Result<u32, Error> {
    let mut value = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let byte = input.load::<u8>()?;
        value |= u64::from(byte & 0x7f).wrapping_shl(shift);
        if byte & 0x80 == 0 {
            let shortest = byte > 0;
            return u32::try_from(value).ok().filter(|_| shortest).ok_or(Error::OutOfRange("count"));
        }
    }
    Err(Error::OutOfRange("count"))
}
