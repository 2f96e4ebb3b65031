//! `tumble run --record FILE` and `tumble replay FILE`: a run written down, and made again.

use crate::interrupt::{self, Interrupted};
use crate::output::Destination;
use crate::run::progress_bar;
use anyhow::{Result, bail};
use clap::Args;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tumble::Error;
use tumble::record::{Head, Reader, Record, Recorder, Sink, Verdict, replay, replay_live};
use tumble::solve::Exact;
use tumble::world::{StepReport, StepSettings};
use tumble_cli::limits::{MAX_RECORD_BYTES, MAX_REPLAY_STEPS, check_h, read_capped};
use tumble_cli::problem_file::Refusal;
use tumble_cli::stages::{stage_of, with_stage};
use tumble_scenes::Scene;

/// Replay a record
///
/// Makes every step of a recorded run again, on a board or on another machine, and compares all hashes. Says "bits identical", or which step is the first that differs.
/// A run that began with a snapshot begins with it again: of a twin with its faults.
#[derive(Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The record, as "tumble run --record" or a board wrote it; at most 256 MiB
    file: PathBuf,

    /// Refuse a record of more steps than this: a forged one of 100 bytes can claim four billion
    #[arg(long, value_name = "N", default_value_t = MAX_REPLAY_STEPS)]
    max_steps: u32,

    /// Let what controls the scene drive it again, not the recorded inputs: also says which step is the first into which something else goes
    #[arg(long)]
    live: bool,

    /// Also write the answer as JSON; "-" writes it to stdout and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  tumble run gripper --record gripper.tumr && tumble replay gripper.tumr
  tumble replay --live feeder.tumr # after a change of its controller: where does that show first?

JSON keys:
  scene, steps, h                  what was recorded; h in s
  hashes, hash_every               hashes compared; one after every so many steps, and after every step with new inputs
  bits_identical                   whether all were the same
  verdict                          the same in words, or what differs
  first_step, last_step            between these is the first step that differs, both included, or that is refused; null where none is
  hash                             of the state after the last step made, 16 hexadecimal digits

Exit code: 0 bits identical; 1 a step differs or is refused, or anything else; 130 interrupted by Ctrl-C; 2 no record that can be replayed:
  it cannot be read, is no record, of another version, cut off, corrupted, malformed; its inputs are not those that went in; it has no steps
  it has more steps than --max-steps, or steps longer than 0.02 s
  it is of a scene that is not known here, or one with inputs of another length
  it was made with memory of the exact solver other than the one here
  it begins with a snapshot that is refused; with --live, with any, for a controller is in none";

/// Memory of the exact solver that runs on the host have: as much as the larger microcontrollers have. What is larger is swept.
const EXACT: [u32; 3] = [64, 256, 16_384];

/// That memory; the compiler says where these numbers and those above differ.
pub(crate) struct Memory(
    MutexGuard<'static, Exact<f32, { EXACT[0] as usize }, { EXACT[1] as usize }, { EXACT[2] as usize }>>,
);

impl Memory {
    pub(crate) fn lock() -> Self {
        static MEMORY: Mutex<Exact<f32, { EXACT[0] as usize }, { EXACT[1] as usize }, { EXACT[2] as usize }>> =
            Mutex::new(Exact::new());
        Self(MEMORY.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One step, with this memory or without.
    pub(crate) fn step(
        &mut self,
        scene: &mut dyn Scene,
        h: f32,
        settings: &StepSettings<f32>,
        exactly: bool,
    ) -> Result<StepReport<f32>, Error> {
        if exactly {
            scene.step_by(h, settings, &mut |world, h| world.step_with(h, settings, &mut *self.0))
        } else {
            scene.step(h, settings)
        }
    }
}

/// A run being written down.
pub(crate) struct Log(Recorder<Bytes, MOST_INPUTS>);

/// A record in memory: some bytes a step at most.
struct Bytes(Vec<u8>);

/// As many bytes as any scene is given with a step.
const MOST_INPUTS: usize = 256;

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

impl Log {
    /// Before the first step.
    pub(crate) fn begin(
        name: &str,
        scene: &dyn Scene,
        h: f32,
        settings: &StepSettings<f32>,
        exactly: bool,
        hash_every: u32,
    ) -> Result<Self, Error> {
        let exact = if exactly { EXACT } else { [0; 3] };
        let head =
            Head { name: stage_of(name), h, settings: *settings, exact, hash_every, inputs: scene.input_bytes() };
        Recorder::begin(Bytes(Vec::new()), &head, |_| Ok(())).map(Self)
    }

    /// A step has been made.
    pub(crate) fn step(&mut self, scene: &dyn Scene) -> Result<(), Error> {
        let mut inputs = Bytes(Vec::new());
        scene.inputs(&mut inputs);
        self.0.step(&inputs.0, || scene.state_hash())
    }

    /// All of it.
    pub(crate) fn end(self, scene: &dyn Scene) -> Vec<u8> {
        self.0.end(|| scene.state_hash()).0
    }
}

/// The answer as it is written.
#[derive(Serialize)]
struct Output {
    scene: String,
    steps: u32,
    h: f32,
    hashes: usize,
    hash_every: u32,
    bits_identical: bool,
    #[serde(serialize_with = "in_words")]
    verdict: Verdict,
    first_step: Option<u32>,
    last_step: Option<u32>,
    hash: String,
    #[serde(skip)]
    bodies: usize,
    /// steps made before Ctrl-C
    #[serde(skip)]
    interrupted_after: Option<u32>,
}

fn in_words<S: Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(verdict)
}

/// First and last step of those among which the first is that differs.
fn differing(verdict: &Verdict) -> Option<(u32, u32)> {
    match *verdict {
        Verdict::Same { .. } | Verdict::Empty => None,
        Verdict::Diverged { last_same, first_different, .. } => Some((last_same.saturating_add(1), first_different)),
        Verdict::OtherInputs { step, .. } | Verdict::Refused { step, .. } => Some((step, step)),
    }
}

/// Read, replay, write.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    interrupt::watch();
    let answer = Destination::open(arguments.json.as_deref())?;
    let file = arguments.file.display().to_string();
    let refusal = |reason: String| Refusal { place: file.clone(), reason };
    let bytes = read_capped(&arguments.file, MAX_RECORD_BYTES).map_err(|error| refusal(error.to_string()))?;
    let record = Record::open(&bytes).map_err(|error| refusal(error.to_string()))?;
    check(&record, arguments.max_steps).map_err(refusal)?;
    let name = record.head().name;
    let unknown = || refusal(format!("there is no scene {name:?} here"));
    let output =
        with_stage(name, |scene| play(&record, scene, arguments.live)).ok_or_else(unknown)?.map_err(refusal)?;
    if let Some(done) = output.interrupted_after {
        return Err(Interrupted { done, steps: record.len() }.into());
    }
    answer.write(&output)?;
    match output.verdict {
        Verdict::Same { .. } => Ok(()),
        verdict => bail!("{name}: {verdict}"),
    }
}

/// Limits that the format itself does not have.
fn check(record: &Record<'_>, max_steps: u32) -> Result<(), String> {
    if record.len() > max_steps {
        let steps = record.len();
        return Err(format!("it has {steps} steps: more than {max_steps}; raise --max-steps to replay them all"));
    }
    check_h(record.head().h).map_err(|reason| format!("its h: {reason}"))
}

fn play(record: &Record<'_>, scene: &mut dyn Scene, is_live: bool) -> Result<Output, String> {
    let head = record.head();
    if record.is_empty() {
        return Err("it has no steps: there is nothing to compare".into());
    }
    if is_live && !record.snapshot().is_empty() {
        return Err("it begins with a snapshot, in which there is no controller for --live".into());
    }
    if head.inputs != scene.input_bytes() {
        return Err(format!("{} bytes go into a step, into the scene here {}", head.inputs, scene.input_bytes()));
    }
    let exactly = head.exact != [0; 3];
    if exactly && head.exact != EXACT {
        return Err(format!(
            "it was made with memory for {:?} of the exact solver, here there is {EXACT:?}",
            head.exact
        ));
    }
    begin(record, scene)?;
    let mut memory = Memory::lock();
    let (mut steps, mut interrupted) = (0, false);
    let bar = progress_bar(record.len(), head.name);
    let mut step = |scene: &mut dyn Scene| {
        if interrupt::requested() {
            interrupted = true;
            // only an error ends a replay early; it is not shown
            return Err(Error::OutOfRange("interrupted"));
        }
        bar.inc(1);
        let _ = memory.step(scene, head.h, &head.settings, exactly)?;
        steps += 1;
        Ok(scene.state_hash())
    };
    let verdict = if is_live {
        replay_live(record, |went_in| {
            let hash = step(scene)?;
            scene.inputs(went_in);
            Ok(hash)
        })
    } else {
        replay(record, |inputs| {
            scene.set_inputs(inputs)?;
            step(scene)
        })
    };
    bar.finish_and_clear();
    // where other inputs went in, the hash was not compared
    let compared = steps - usize::from(matches!(verdict, Verdict::OtherInputs { .. }));
    let hashes = record.steps().take(compared).filter(|step| step.hash.is_some()).count();
    Ok(Output {
        scene: head.name.to_owned(),
        steps: record.len(),
        h: head.h,
        hashes,
        hash_every: head.hash_every,
        bits_identical: matches!(verdict, Verdict::Same { .. }),
        verdict,
        first_step: differing(&verdict).map(|(first, _)| first),
        last_step: differing(&verdict).map(|(_, last)| last),
        hash: format!("{:016x}", scene.state_hash()),
        bodies: scene.body_count(),
        interrupted_after: interrupted.then_some(u32::try_from(steps).unwrap_or(u32::MAX)),
    })
}

/// A reset; where it began with a snapshot, that as well, which takes the faults of a twin along.
fn begin(record: &Record<'_>, scene: &mut dyn Scene) -> Result<(), String> {
    scene.reset().map_err(|error| error.to_string())?;
    if record.snapshot().is_empty() {
        return Ok(());
    }
    let mut input = Reader::new(record.snapshot());
    scene.restore(&mut input).map_err(|error| format!("in the snapshot it begins with: {error}"))?;
    match input.rest().len() {
        0 => Ok(()),
        bytes => Err(format!("{bytes} bytes follow after the snapshot it begins with")),
    }
}

/// The table for people.
impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "scene              {}, {} bodies", self.scene, self.bodies)?;
        writeln!(f, "steps              {} of {:?} s", self.steps, self.h)?;
        writeln!(f, "hashes             {} compared, one every {} steps", self.hashes, self.hash_every)?;
        writeln!(f, "hash               {}", self.hash)?;
        let verdict = if self.bits_identical { "bits identical".to_owned() } else { self.verdict.to_string() };
        writeln!(f, "verdict            {verdict}")
    }
}
