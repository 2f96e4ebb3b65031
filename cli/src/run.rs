//! `tumble run SCENE`: a scene step by step, a short table or JSON out.

use crate::friction::Friction;
use crate::interrupt::{self, Interrupted};
use crate::method::Method;
use crate::output::{Destination, Target};
use crate::replay::{Log, Memory};
use anyhow::{Result, ensure};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tumble::world::{StepReport, StepSettings};
use tumble::{Error, Status};
use tumble_cli::limits::check_h;
use tumble_cli::problem_file::Refusal;
use tumble_cli::stages::with_scene;
use tumble_scenes::{SCENES, Scene};

/// Run a scene
///
/// Builds the scene, steps it as often as asked, and says how it went: contacts, sweeps, the energy error of its solves in joule, the
/// deepest penetration, and the key figures of the scene. The same command gives the same hash on every machine.
#[derive(Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Name of the scene; "tumble scenes" lists them
    scene: String,

    /// Number of steps, at least 1 [default: as many as show what the scene is for]
    #[arg(long, value_name = "N")]
    steps: Option<u32>,

    /// Cap on the number of sweeps a step, at least 1 [default: the scene's]
    #[arg(long, value_name = "R")]
    iterations: Option<u32>,

    /// Length of a step, greater than 0 and at most 0.02; of a feeder twin 0.001, the tick of its controller [default: the scene's]
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    h: Option<f32>,

    /// Friction model: two different problems with different answers [default: the scene's]
    #[arg(long, value_enum)]
    friction: Option<Friction>,

    /// How to iterate [default: what the library chooses]
    #[arg(long, value_enum)]
    method: Option<Method>,

    /// Write the run down, for "tumble replay" here or elsewhere
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// With --record: a hash of the state after every K steps, at least 1
    #[arg(long, value_name = "K", default_value_t = 100, requires = "record")]
    hash_every: u32,

    /// Also write the answer as JSON; "-" writes it to stdout and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Examples:
  tumble run brazil-nut --json - | jq .kpi
  tumble run gripper --record gripper.tumr && tumble replay gripper.tumr

JSON keys:
  scene, steps, h                  what was asked; h in s
  bodies                           bodies of the scene
  contacts_mean, contacts_max      points of contact a step
  contacts_dropped                 points of contact that found no room, of all steps
  iterations_mean                  sweeps a step, or pivots where there are any
  energy_mean, energy_max          energy error of the solves [J]
  penetration_max                  deepest penetration [m]
  kinetic_energy                   after the last step [J]
  status                           how many steps ended \"converged\", at the \"cap\", at the \"deadline\", \"stalled\", \"infeasible\" (rows
                                   that contradict each other) or \"non_finite\"
  hash                             of the state after the last step, 16 hexadecimal digits: the same on every machine
  kpi                              key figures of the scene after the last step, unit at the end of the name
  A number that is not finite is written as null.

Exit code: 0 the scene ran; 2 arguments refused; 130 interrupted by Ctrl-C, nothing is written; 1 anything else, an overflow among it.";

/// What a step can end in, in the order of the table.
const STATUSES: [&str; 6] = ["converged", "cap", "deadline", "stalled", "infeasible", "non_finite"];

/// The answer as it is written.
#[derive(Serialize)]
struct Output {
    scene: String,
    steps: u32,
    h: f32,
    bodies: usize,
    contacts_mean: f64,
    contacts_max: u32,
    contacts_dropped: u64,
    iterations_mean: f64,
    energy_mean: f64,
    energy_max: f32,
    penetration_max: f32,
    kinetic_energy: f32,
    #[serde(serialize_with = "as_map")]
    status: Vec<(String, u32)>,
    hash: String,
    #[serde(serialize_with = "as_map")]
    kpi: Vec<(&'static str, f32)>,
    #[serde(skip)]
    joints_dropped: u64,
    #[serde(skip)]
    overflows: u32,
    #[serde(skip)]
    time_mean: Duration,
    #[serde(skip)]
    time_max: Duration,
}

/// In their own order.
fn as_map<S: Serializer, V: Serialize>(pairs: &[(impl Serialize, V)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
}

/// Check, play, write.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    check(arguments)?;
    interrupt::watch();
    let answer = Destination::open(arguments.json.as_deref())?;
    let names = || SCENES.map(|(name, _)| name).join(", ");
    let unknown = || refusal("SCENE", format!("there is no {:?}, only {}", arguments.scene, names()));
    let output = with_scene(&arguments.scene, |scene| play(arguments, scene)).ok_or_else(unknown)??;
    answer.write(&output)?;
    require_finite(&output)
}

fn require_finite(output: &Output) -> Result<()> {
    ensure!(
        output.overflows == 0,
        "{}: numbers overflowed in {} of {} steps",
        output.scene,
        output.overflows,
        output.steps
    );
    Ok(())
}

fn refusal(place: &str, reason: impl fmt::Display) -> Refusal {
    Refusal { place: place.into(), reason: reason.to_string() }
}

/// What the scene itself would refuse later, or do nothing with.
fn check(arguments: &Arguments) -> Result<(), Refusal> {
    let positive = |count: Option<u32>, place| match count {
        Some(0) => Err(refusal(place, "must be at least 1, not 0")),
        _ => Ok(()),
    };
    positive(arguments.steps, "--steps")?;
    positive(arguments.iterations, "--iterations")?;
    positive(Some(arguments.hash_every), "--hash-every")?;
    if let Some(record) = &arguments.record {
        if record == Path::new("-") {
            return Err(refusal("--record", "a record is a file, not stdout"));
        }
        if arguments.json.as_ref() == Some(record) {
            return Err(refusal("--record", "the same file as --json"));
        }
    }
    arguments.h.map_or(Ok(()), |h| check_h(h).map_err(|reason| refusal("--h", reason)))
}

fn play(arguments: &Arguments, scene: &mut dyn Scene) -> Result<Output> {
    scene.reset()?;
    let mut settings: StepSettings<f32> = scene.settings();
    settings.solve.iterations = arguments.iterations.unwrap_or(settings.solve.iterations);
    if let Some(method) = arguments.method {
        (settings.solve.method, settings.solve.step) = method.method();
    }
    let exactly = arguments.method.is_some_and(Method::is_exact);
    settings.solve.friction = arguments.friction.map_or(settings.solve.friction, Friction::model);
    let usual = scene.h();
    let (steps, h) = (arguments.steps.unwrap_or(scene.steps()), arguments.h.unwrap_or(usual));

    let mut log = None;
    if let Some(path) = &arguments.record {
        let begun = Log::begin(&arguments.scene, scene, h, &settings, exactly, arguments.hash_every)?;
        log = Some((begun, Target::open("--record", path)?));
    }
    let mut memory = Memory::lock();
    let bar = progress_bar(steps, &arguments.scene);
    let mut sums = Sums::default();
    for done in 0..steps {
        if interrupt::requested() {
            bar.finish_and_clear();
            return Err(Interrupted { done, steps }.into());
        }
        let began = Instant::now();
        let report = memory.step(scene, h, &settings, exactly).map_err(|error| refused(arguments, usual, error))?;
        sums.add(&report, began.elapsed());
        if let Some((log, _)) = &mut log {
            log.step(scene)?;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    if let Some((log, target)) = log {
        target.write(&log.end(scene))?;
    }

    let mut kpi = Vec::new();
    scene.kpis(&mut |name, value| kpi.push((name, value)));
    Ok(Output {
        scene: arguments.scene.clone(),
        steps,
        h,
        bodies: scene.body_count(),
        contacts_mean: sums.contacts as f64 / f64::from(steps),
        contacts_max: sums.contacts_max,
        contacts_dropped: sums.contacts_dropped,
        iterations_mean: sums.iterations as f64 / f64::from(steps),
        energy_mean: sums.energy / f64::from(steps),
        energy_max: sums.energy_max,
        penetration_max: sums.penetration_max,
        kinetic_energy: scene.kinetic_energy(),
        status: sums.status,
        hash: format!("{:016x}", scene.state_hash()),
        kpi,
        joints_dropped: sums.joints_dropped,
        overflows: sums.overflows,
        time_mean: sums.time / steps,
        time_max: sums.time_max,
    })
}

/// What a scene with such steps says of one: of its length, that is the argument.
fn refused(arguments: &Arguments, usual: f32, error: Error) -> anyhow::Error {
    match (arguments.h, error) {
        (Some(h), Error::NonFinite("h") | Error::NonPositive("h") | Error::OutOfRange("h")) => {
            refusal("--h", format!("{h:?} s is nothing for {}, whose steps are {usual:?} s: {error}", arguments.scene))
                .into()
        }
        _ => error.into(),
    }
}

/// On stderr, and only where that is a terminal.
pub(crate) fn progress_bar(steps: u32, scene: &str) -> ProgressBar {
    let bar = ProgressBar::new(steps.into()).with_message(scene.to_owned());
    match ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} steps, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What adds up over the steps.
struct Sums {
    contacts: u64,
    contacts_max: u32,
    contacts_dropped: u64,
    joints_dropped: u64,
    /// steps in which numbers ended
    overflows: u32,
    iterations: u64,
    energy: f64,
    energy_max: f32,
    penetration_max: f32,
    status: Vec<(String, u32)>,
    time: Duration,
    time_max: Duration,
}

impl Default for Sums {
    fn default() -> Self {
        Self {
            contacts: 0,
            contacts_max: 0,
            contacts_dropped: 0,
            joints_dropped: 0,
            overflows: 0,
            iterations: 0,
            energy: 0.0,
            energy_max: 0.0,
            penetration_max: 0.0,
            status: STATUSES.map(|name| (name.to_owned(), 0)).to_vec(),
            time: Duration::ZERO,
            time_max: Duration::ZERO,
        }
    }
}

impl Sums {
    fn add(&mut self, report: &StepReport<f32>, time: Duration) {
        self.contacts += u64::from(report.contacts);
        self.contacts_max = self.contacts_max.max(report.contacts);
        self.contacts_dropped += u64::from(report.contacts_dropped);
        self.joints_dropped += u64::from(report.joints_dropped);
        self.overflows += u32::from(report.solve.status == Status::NonFinite || report.bodies_halted > 0);
        self.iterations += u64::from(report.solve.iterations);
        self.energy += f64::from(report.solve.energy);
        self.energy_max = self.energy_max.max(report.solve.energy);
        self.penetration_max = self.penetration_max.max(report.penetration);
        let status = report.solve.status.to_string();
        match self.status.iter_mut().find(|(name, _)| *name == status) {
            Some((_, count)) => *count += 1,
            None => self.status.push((status, 1)),
        }
        self.time += time;
        self.time_max = self.time_max.max(time);
    }
}

/// The table for people.
impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| 1e3 * time.as_secs_f64();
        let ended = self.status.iter().filter(|(_, count)| *count > 0);
        let ended: Vec<String> = ended.map(|(name, count)| format!("{name} {count}")).collect();
        let (mean, most) = (self.contacts_mean, self.contacts_max);
        writeln!(f, "scene              {}, {} bodies", self.scene, self.bodies)?;
        writeln!(f, "steps              {} of {:?} s: {}", self.steps, self.h, ended.join(", "))?;
        writeln!(f, "contacts           {mean:.1} mean, {most} most, {} dropped", self.contacts_dropped)?;
        if self.joints_dropped > 0 {
            writeln!(f, "joints             {} dropped", self.joints_dropped)?;
        }
        writeln!(f, "iterations         {:.1} mean", self.iterations_mean)?;
        writeln!(f, "energy error       {:.2e} J mean, {:.2e} J most", self.energy_mean, self.energy_max)?;
        writeln!(f, "penetration        {:.2e} m deepest", self.penetration_max)?;
        writeln!(f, "kinetic energy     {:.2e} J at the end", self.kinetic_energy)?;
        let (mean, most) = (milliseconds(self.time_mean), milliseconds(self.time_max));
        writeln!(f, "time per step      {mean:.3} ms mean, {most:.3} ms longest")?;
        writeln!(f, "hash               {}", self.hash)?;
        for (name, value) in &self.kpi {
            writeln!(f, "{name:18} {}", short(*value))?;
        }
        Ok(())
    }
}

/// Whole numbers whole, others to four digits.
fn short(value: f32) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e7 {
        format!("{value}")
    } else if (1e-2..1e4).contains(&size) {
        format!("{value:.4}")
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_that_overflow_are_counted() {
        let arguments = Arguments {
            scene: "gripper".into(),
            steps: Some(5),
            iterations: None,
            h: None,
            friction: None,
            method: None,
            record: None,
            hash_every: 100,
            json: None,
        };
        let mut output = with_scene("gripper", |scene| play(&arguments, scene)).unwrap().unwrap();
        assert!(require_finite(&output).is_ok() && output.steps == 5);
        // no step within the limit on h overflows in this scene
        output.overflows = 2;
        let error = require_finite(&output).unwrap_err().to_string();
        assert!(error.starts_with("gripper: numbers overflowed in ") && error.ends_with(" of 5 steps"), "{error}");
    }
}
