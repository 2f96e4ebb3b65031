//! Faults: a wrapper round the step of a plant. What it does to signals a controller cannot tell from a broken machine.
//!
//! ```text
//! controller → [actuators] → faults → plant → faults → [sensors] → controller
//! ```
//! Each fault holds for some steps; what looks random comes from a seed, so that a run with faults can be repeated; a record
//! that begins with a snapshot has them in it, and replays by itself. Of several that break the same thing at
//! the same time the worst counts, those of a signal act one after the other, and drifts of friction multiply. After its window a fault leaves nothing behind, but for drifted
//! friction: what is worn stays worn.

use super::fault::{Fault, Latched, Signal};
use super::image::{Actuators, Sensors, SwitchSignal};
use super::plant::{Plant, StepWorld};
use super::random::Random;
use super::state::persist;
use super::time::nanoseconds;
use super::vibrator::{Vibrating, for_each_surface};
use crate::body::BodyId;
use crate::check::{moderate, non_negative};
use crate::error::Error;
use crate::math::{Pose, max, min};
use crate::record::{Envelope, Fnv, Persist, Reader, Sink};
use crate::world::{AnyWorld, Collider, Material, StepReport, StepSettings};
use core::ops::Range;
use heapless::Vec;

/// Most faults at a time.
pub const FAULTS: usize = 8;

/// A fault and when it holds.
#[derive(Clone, Debug)]
struct Armed {
    fault: Fault,
    steps: Range<u32>,
    memory: Memory,
}

/// What a fault remembers.
#[derive(Clone, Copy, Debug)]
struct Memory {
    /// the signal a step ago, and before that; none before it has seen any
    history: Option<u64>,
    /// this pulse is lost
    is_lost: bool,
    /// steps of bouncing left
    bounces: u8,
    /// how long it has held. ns
    held: u64,
    /// by how much friction has been changed so far. (1)
    factor: f32,
}
persist!(Memory { history, is_lost, bounces, held, factor }, |memory| non_negative(memory.factor, "factor"));

/// Friction changes by so much at a time: what changes by less than it rounds would not change at all. (1)
const DRIFT: f32 = 1.0 / 4096.0;

impl Persist for Armed {
    fn save(&self, out: &mut dyn Sink) {
        let Self { fault, steps, memory } = self;
        fault.save(out);
        [steps.start, steps.end].save(out);
        memory.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { fault: input.load()?, steps: input.load()?..input.load()?, memory: input.load()? })
    }
}

/// Round the faults and how far they are.
const ENVELOPE: Envelope = Envelope { magic: *b"TUMF", version: 1, number_bytes: 4, name: "faults" };

/// Faults of a plant.
///
/// ```
/// use tumble::twin::{Actuators, Fault, Faults, Signal, Twin};
/// use tumble::world::StepSettings;
/// let mut twin = Twin::<2, 4, 12, 2, 0>::new();
/// let mut faults = Faults::new(7);
/// // from step 10 on the first light barrier looks interrupted
/// faults.add(Fault::StuckAt(Signal::Barrier(0), true), 10..u32::MAX)?;
/// for step in 0..20 {
///     let settings = StepSettings::default();
///     let Twin { world, plant } = &mut twin;
///     let step_world = &mut |world: &mut dyn tumble::world::AnyWorld, h| world.step(h, &settings);
///     let (sensors, _) = faults.step(plant, world, 1e-3, &settings, &Actuators::OFF, step_world)?;
///     assert_eq!(sensors.barriers[0].on, step >= 10);
/// }
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Faults {
    list: Vec<Armed, FAULTS>,
    random: Random,
    step: u32,
    /// what the last step made the plant do
    latched: Latched,
}

impl Faults {
    /// None yet.
    pub const fn new(seed: u32) -> Self {
        Self { list: Vec::new(), random: Random::new(seed), step: 0, latched: Latched::OFF }
    }

    /// Add a fault that holds for these steps, counted from the first. Those added first act first.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("faults")`; [`Error::OutOfRange`]`("channel")` for one that the image does not have; [`Error::NonFinite`], [`Error::Negative`] or
    /// [`Error::OutOfRange`], naming what else is wrong with it.
    pub fn add(&mut self, fault: Fault, steps: Range<u32>) -> Result<(), Error> {
        fault.check()?;
        let memory = Memory { history: None, is_lost: false, bounces: 0, held: 0, factor: 1.0 };
        self.list.push(Armed { fault, steps, memory }).map_err(|_| Error::CapacityExceeded("faults"))
    }

    /// [`Plant::step`], with faults.
    ///
    /// # Errors
    /// As [`Plant::step`].
    pub fn step(
        &mut self,
        plant: &mut Plant,
        world: &mut dyn AnyWorld,
        h: f32,
        settings: &StepSettings<f32>,
        actuators: &Actuators,
        step_world: &mut StepWorld<'_>,
    ) -> Result<(Sensors, StepReport<f32>), Error> {
        if self.list.is_empty() {
            // handed on as it is: an image is large
            let stepped = plant.step(world, h, settings, actuators, step_world);
            if stepped.is_ok() {
                (self.step, self.latched) = (self.step.saturating_add(1), Latched::of(actuators));
            }
            return stepped;
        }
        self.step_spoiled(plant, world, h, settings, actuators, step_world)
    }

    #[inline(never)]
    fn step_spoiled(
        &mut self,
        plant: &mut Plant,
        world: &mut dyn AnyWorld,
        h: f32,
        settings: &StepSettings<f32>,
        actuators: &Actuators,
        step_world: &mut StepWorld<'_>,
    ) -> Result<(Sensors, StepReport<f32>), Error> {
        // before anything is meddled with: what is refused must change nothing
        actuators.check()?;
        plant.check_step(world, h, settings)?;
        let (mut actuators, random) = (*actuators, &mut self.random);
        // a plant that ran without these: what it was told before is not known, and is taken to be what it is told now
        let is_unknown = self.step == 0 && plant.seconds() > 0.0;
        for armed in &mut self.list {
            let holds = armed.steps.contains(&self.step);
            let Some(signal) = armed.signal() else { continue };
            if let Some(level) = signal.of_actuators(&mut actuators) {
                let was = if is_unknown { *level } else { signal.is_latched(&self.latched) };
                *level = armed.spoil(Levels { on: *level, edges: 0, was, rest: false }, holds, random).on;
            }
        }
        let mut shown = [false; FAULTS];
        for (shown, armed) in shown.iter_mut().zip(&self.list) {
            let signal = armed.signal().and_then(|signal| signal.of_sensors(plant.sensors()));
            *shown = signal.is_some_and(|signal| signal.on);
        }
        let mut holding = self.list.iter_mut().filter(|armed| armed.steps.contains(&self.step));
        let meddled = holding.try_for_each(|armed| armed.meddle(plant, world, h));
        let stepped = meddled.and_then(|()| plant.step_checked(world, h, settings, &actuators, step_world));
        // whether or not that was refused: what is broken is broken for a step
        plant.mend();
        let (mut sensors, report) = stepped?;
        let before = self.step.checked_sub(1);
        for (armed, was) in self.list.iter_mut().zip(shown) {
            let holds = armed.steps.contains(&self.step);
            if let Some(signal) = armed.signal()
                && let Some(truth) = signal.of_sensors(&sensors)
            {
                let levels = Levels { on: truth.on, edges: truth.edges, was, rest: rest(plant, signal) };
                let shown = armed.spoil(levels, holds, random);
                // the step after its last as well: back to the truth may be an edge
                if holds || before.is_some_and(|before| armed.steps.contains(&before)) {
                    signal.show(&mut sensors, spoilt(truth, was, shown));
                }
            }
            if let Fault::Noise(channel, deviation) = armed.fault
                && holds
                && let Some(weight) = sensors.weights.get_mut(usize::from(channel))
            {
                *weight += deviation * random.normal();
            }
        }
        (self.step, self.latched) = (self.step.saturating_add(1), Latched::of(&actuators));
        plant.show(&sensors);
        Ok((sensors, report))
    }

    /// Hash of them and of how far they are, the same on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::new();
        self.save_all(&mut hash);
        hash.finish()
    }

    /// Save all of them, and how far they are.
    pub fn save(&self, out: &mut dyn Sink) {
        ENVELOPE.save(out, &|out| self.save_all(out));
    }

    fn save_all(&self, out: &mut dyn Sink) {
        self.random.save(out);
        self.step.save(out);
        self.latched.save(out);
        u8::try_from(self.list.len()).unwrap_or(u8::MAX).save(out);
        self.list.iter().for_each(|armed| armed.save(out));
    }

    /// Become the faults that were saved, whatever these are, as far as they were.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`]`("faults")`, [`Error::Truncated`] and [`Error::Corrupted`] for other bytes, and what is wrong with a fault; then nothing has changed, and nothing has been read.
    pub fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        let mut after = input.clone();
        let all = Self::look_at(&mut after)?;
        self.take_all(all)?;
        *input = after;
        Ok(())
    }

    /// Read all that was saved; returns what is in it, which [`take_all`](Self::take_all) cannot refuse.
    pub(super) fn look_at<'a>(input: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
        let all = ENVELOPE.open(input)?;
        let mut looked_at = all.clone();
        let _: (Random, u32, Latched) = (looked_at.load()?, looked_at.load()?, looked_at.load()?);
        let count = looked_at.load::<u8>()?;
        if usize::from(count) > FAULTS {
            return Err(Error::CapacityExceeded("faults"));
        }
        (0..count).try_for_each(|_| looked_at.load::<Armed>().map(drop))?;
        if looked_at.rest().is_empty() { Ok(all) } else { Err(Error::OutOfRange("length")) }
    }

    /// The same again, to keep it.
    pub(super) fn take_all(&mut self, mut input: Reader<'_>) -> Result<(), Error> {
        (self.random, self.step, self.latched) = (input.load()?, input.load()?, input.load()?);
        self.list.clear();
        for _ in 0..input.load::<u8>()? {
            self.list.push(input.load()?).map_err(|_| Error::CapacityExceeded("faults"))?;
        }
        Ok(())
    }
}

impl Armed {
    /// The digital signal it spoils.
    const fn signal(&self) -> Option<Signal> {
        match self.fault {
            Fault::StuckAt(signal, _)
            | Fault::Dropout(signal, _)
            | Fault::Delay(signal, _)
            | Fault::Bounce(signal, _) => Some(signal),
            _ => None,
        }
    }

    /// What comes of a signal.
    fn spoil(&mut self, Levels { on: signal, edges, was, rest }: Levels, holds: bool, random: &mut Random) -> Shown {
        let memory = &mut self.memory;
        let history = memory.history.unwrap_or(if was { u64::MAX } else { 0 });
        let before = history & 1 == 1;
        let history = history << 1 | u64::from(signal);
        memory.history = Some(history);
        let truth = Shown { on: signal, is_true: true };
        let spoilt = match self.fault {
            Fault::StuckAt(_, on) => Shown { on, is_true: false },
            Fault::Dropout(_, share) => {
                // one that is over within the step is a pulse, too
                let is_pulse = signal != rest || edges > 1;
                if is_pulse && before == rest {
                    memory.is_lost = holds && random.chance(share);
                }
                if is_pulse && memory.is_lost { Shown { on: rest, is_true: false } } else { truth }
            }
            Fault::Delay(_, 0) => truth,
            Fault::Delay(_, steps) => Shown { on: history >> u32::from(steps.min(63)) & 1 == 1, is_true: false },
            Fault::Bounce(_, steps) => {
                if signal != before || edges > 0 {
                    memory.bounces = steps;
                }
                let bounces = memory.bounces > 0;
                memory.bounces = memory.bounces.saturating_sub(1);
                let on = if bounces && holds { random.chance(0.5) } else { signal };
                Shown { on, is_true: on == signal }
            }
            _ => truth,
        };
        if holds { spoilt } else { truth }
    }

    /// What goes wrong with the plant itself in the next step; others may break the same.
    fn meddle(&mut self, plant: &mut Plant, world: &mut dyn AnyWorld, h: f32) -> Result<(), Error> {
        match self.fault {
            Fault::AmplitudeLoss(channel, share) => {
                if let Some(vibrator) = plant.vibrators.get_mut(usize::from(channel)) {
                    vibrator.health = min(share, vibrator.health);
                }
            }
            Fault::FrictionDrift(channel, drift) => {
                let Some(vibrator) = plant.vibrators.get(usize::from(channel)) else { return Ok(()) };
                let body = vibrator.settings.body;
                self.memory.held = self.memory.held.saturating_add(nanoseconds(h));
                let factor = max(1.0 + drift * (self.memory.held as f32 * 1e-9), 0.0);
                let was = self.memory.factor;
                if (factor - was).abs() <= DRIFT * was {
                    return Ok(());
                }
                let change = if was > 0.0 { factor / was } else { 1.0 };
                // the same surfaces, whichever of its axes moves them
                let of_body = |vibrator: &Vibrating| vibrator.settings.body == body;
                let mut worn = plant.vibrators.iter().filter(|vibrator| of_body(vibrator));
                // there is friction beyond all measure already
                if !(factor.is_finite() && worn.all(|vibrator| (vibrator.state.wear * change).is_finite())) {
                    return Ok(());
                }
                self.memory.factor = factor;
                for vibrator in plant.vibrators.iter_mut().filter(|vibrator| of_body(vibrator)) {
                    vibrator.state.wear *= change;
                }
                scale_friction(world, body, change)?;
            }
            Fault::Jam(channel) => {
                if let Some(cylinder) = plant.cylinders.get_mut(usize::from(channel)) {
                    cylinder.is_jammed = true;
                }
            }
            Fault::DoublePart(channel, share) => {
                if let Some(hopper) = plant.hoppers.get_mut(usize::from(channel)) {
                    hopper.doubles = max(share, hopper.doubles);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// A signal that a fault sees.
struct Levels {
    on: bool,
    /// within the step
    edges: u8,
    /// a step ago, to a fault that is new
    was: bool,
    /// while nothing happens
    rest: bool,
}

/// Is a sensor's signal on while it sees nothing?
fn rest(plant: &Plant, signal: Signal) -> bool {
    let output = match signal {
        Signal::Barrier(channel) => plant.barriers.get(usize::from(channel)).map(|barrier| barrier.settings.output),
        Signal::Level(channel) => plant.zones.get(usize::from(channel)).map(|zone| zone.settings.output),
        _ => None,
    };
    output.is_some_and(|output| output.normally_closed)
}

/// What a fault makes of it.
#[derive(Clone, Copy)]
struct Shown {
    on: bool,
    /// the fault let it pass: its edges are true
    is_true: bool,
}

/// A signal that was shown to be at `was`: where a fault has spoilt it, or had until now, an edge is where that changes, and has a time only where the true one led there.
fn spoilt(truth: SwitchSignal, was: bool, Shown { on, is_true }: Shown) -> SwitchSignal {
    let truly_was = truth.on != (truth.edges % 2 == 1);
    if is_true && was == truly_was {
        return truth;
    }
    let edges = u8::from(on != was);
    let edge_time = if on != was && is_true { truth.edge_time } else { None };
    SwitchSignal { on, edges, edge_time }
}

/// Multiply the friction of a body's surfaces.
fn scale_friction(world: &mut dyn AnyWorld, body: BodyId, change: f32) -> Result<(), Error> {
    for_each_surface(world, body, &Pose::IDENTITY, &mut |world, surface| {
        let friction = surface.friction * change;
        // as rough as a surface gets
        if moderate(friction, "friction").is_err() {
            return Ok(());
        }
        let collider = *world.collider(surface.id)?;
        world.set_collider(surface.id, Collider { material: Material { friction, ..collider.material }, ..collider })
    })
}
