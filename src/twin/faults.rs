//! Faults: a wrapper round the step of a plant. What it does to signals a controller cannot tell from a broken machine.
//!
//! ```text
//! controller → [actuators] → faults → plant → faults → [sensors] → controller
//! ```
//! Each fault holds for some steps; what looks random comes from a seed, so that a run with faults can be repeated and replayed. Of several that break the same thing at
//! the same time the worst counts, those of a signal act one after the other, and drifts of friction multiply. After its window a fault leaves nothing behind, but for drifted
//! friction: what is worn stays worn.

use super::image::{Actuators, BARRIERS, BELTS, HOPPERS, SCALES, Sensors, SwitchSignal, VALVES, VIBRATORS, ZONES};
use super::plant::{Plant, StepWorld};
use super::random::Random;
use super::state::persist;
use super::vibrator::for_each_surface;
use crate::body::BodyId;
use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::joint::StepContext;
use crate::math::{Pose, max, min};
use crate::record::{Persist, Reader, Sink};
use crate::world::{AnyWorld, Collider, Material, StepReport, StepSettings};
use core::ops::Range;
use heapless::Vec;

/// Most faults at a time.
pub const FAULTS: usize = 8;

/// A digital signal of the image, by channel.
///
/// Of a sensor's signal that a fault spoils, edges are where the level shown is another than the one shown a step before, one a step at most. Such an edge has the time of the
/// true one in the same step that led there, or none: of an edge that comes late, or that is not there, nobody knows when it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A light barrier's output.
    Barrier(u8),
    /// A zone's level switch.
    Level(u8),
    /// A valve.
    Valve(u8),
    /// Whether a vibrator runs.
    Vibrator(u8),
    /// Whether a belt runs.
    Belt(u8),
    /// Whether a hopper delivers.
    Hopper(u8),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// The signal stays at this, whatever it should be.
    StuckAt(Signal, bool),
    /// Each pulse of the signal is lost with this probability. (1)
    Dropout(Signal, f32),
    /// The signal comes so many steps late, at most 63.
    Delay(Signal, u8),
    /// After every edge the signal is one or the other at random, for so many steps.
    Bounce(Signal, u8),
    /// The weigh cell's noise is larger by this standard deviation. N
    Noise(u8, f32),
    /// The vibrator has only this share of its amplitude left, 0 … 1. (1)
    AmplitudeLoss(u8, f32),
    /// Friction of all surfaces that the vibrator moves grows by this share of what it was a second, or falls where it is negative, to nothing at most. It stays as it is when
    /// the fault's steps are over, and when the fault is taken away. 1/s
    FrictionDrift(u8, f32),
    /// The cylinder sticks where it is.
    Jam(u8),
    /// The hopper delivers two parts at once with this probability. (1)
    DoublePart(u8, f32),
}

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
    /// the signal a step ago, and before that
    history: u64,
    /// this pulse is lost
    is_lost: bool,
    /// steps of bouncing left
    bounces: u8,
    /// by how much friction has been changed so far. (1)
    factor: f32,
}
persist!(Memory { history, is_lost, bounces, factor });

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
}

impl Faults {
    /// None yet.
    pub const fn new(seed: u32) -> Self {
        Self { list: Vec::new(), random: Random::new(seed), step: 0 }
    }

    /// Add a fault that holds for these steps, counted from the first. Those added first act first.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("faults")`; [`Error::OutOfRange`]`("channel")` for one that the image does not have; [`Error::NonFinite`], [`Error::Negative`] or
    /// [`Error::OutOfRange`], naming what else is wrong with it.
    pub fn add(&mut self, fault: Fault, steps: Range<u32>) -> Result<(), Error> {
        fault.check()?;
        let memory = Memory { history: 0, is_lost: false, bounces: 0, factor: 1.0 };
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
            self.step = self.step.saturating_add(u32::from(stepped.is_ok()));
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
        settings.check()?;
        StepContext::implicit(h, settings.stabilisation).check()?;
        let (mut actuators, random) = (*actuators, &mut self.random);
        for armed in &mut self.list {
            let holds = armed.steps.contains(&self.step);
            if let Some(signal) = armed.signal().and_then(|signal| signal.of_actuators(&mut actuators)) {
                *signal = armed.spoil(*signal, holds, random);
            }
        }
        let mut shown = [false; FAULTS];
        for (shown, armed) in shown.iter_mut().zip(&self.list) {
            *shown = armed.signal().is_some_and(|signal| signal.is_shown(plant.sensors()));
        }
        let mut holding = self.list.iter_mut().filter(|armed| armed.steps.contains(&self.step));
        let meddled = holding.try_for_each(|armed| armed.meddle(plant, world, h));
        let stepped = meddled.and_then(|()| plant.step(world, h, settings, &actuators, step_world));
        // whether or not that was refused: what is broken is broken for a step
        plant.mend();
        let (mut sensors, report) = stepped?;
        let before = self.step.checked_sub(1);
        for (armed, was) in self.list.iter_mut().zip(shown) {
            let holds = armed.steps.contains(&self.step);
            if let Some(signal) = armed.signal().and_then(|signal| signal.of_sensors(&mut sensors)) {
                let on = armed.spoil(signal.on, holds, random);
                // the step after its last as well: back to the truth may be an edge
                if holds || before.is_some_and(|before| armed.steps.contains(&before)) {
                    *signal = spoilt(*signal, was, on);
                }
            }
            if let Fault::Noise(channel, deviation) = armed.fault
                && holds
                && let Some(weight) = sensors.weights.get_mut(usize::from(channel))
            {
                *weight += deviation * random.normal();
            }
        }
        self.step = self.step.saturating_add(1);
        plant.show(&sensors);
        Ok((sensors, report))
    }

    /// Save what changes as it steps.
    pub fn save(&self, out: &mut dyn Sink) {
        u8::try_from(self.list.len()).unwrap_or(u8::MAX).save(out);
        self.random.save(out);
        self.step.save(out);
        self.list.iter().for_each(|armed| armed.memory.save(out));
    }

    /// Restore what [`save`](Self::save) saved of the same faults.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("faults")` where there were as many others, and what is wrong with the bytes; then nothing has changed, and nothing has been read.
    pub fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        let mut after = input.clone();
        let states = self.look_at(&mut after)?;
        self.take_states(states)?;
        *input = after;
        Ok(())
    }

    /// Read all that was saved; returns the states in it, which [`take_states`](Self::take_states) cannot refuse.
    pub(super) fn look_at<'a>(&self, input: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
        let count: u8 = input.load()?;
        if usize::from(count) != self.list.len() {
            return Err(Error::OutOfRange("faults"));
        }
        let states = input.clone();
        let _: (Random, u32) = (input.load()?, input.load()?);
        self.list.iter().try_for_each(|_| input.load::<Memory>().map(drop))?;
        Ok(states)
    }

    /// The same again, to keep it.
    pub(super) fn take_states(&mut self, mut input: Reader<'_>) -> Result<(), Error> {
        (self.random, self.step) = (input.load()?, input.load()?);
        for armed in &mut self.list {
            armed.memory = input.load()?;
        }
        Ok(())
    }
}

impl Fault {
    fn check(&self) -> Result<(), Error> {
        match *self {
            Self::Dropout(_, share) | Self::AmplitudeLoss(_, share) | Self::DoublePart(_, share) => {
                non_negative(share, "share")?;
                if share > 1.0 {
                    return Err(Error::OutOfRange("share"));
                }
            }
            Self::Delay(_, steps) if steps > 63 => return Err(Error::OutOfRange("delay")),
            Self::Noise(_, deviation) => non_negative(deviation, "noise")?,
            Self::FrictionDrift(_, drift) => finite(drift, "drift")?,
            Self::StuckAt(..) | Self::Delay(..) | Self::Bounce(..) | Self::Jam(_) => {}
        }
        let (channel, channels) = match *self {
            Self::StuckAt(signal, _) | Self::Dropout(signal, _) | Self::Delay(signal, _) | Self::Bounce(signal, _) => {
                signal.channel()
            }
            Self::Noise(channel, _) => (channel, SCALES),
            Self::AmplitudeLoss(channel, _) | Self::FrictionDrift(channel, _) => (channel, VIBRATORS),
            Self::Jam(channel) => (channel, VALVES),
            Self::DoublePart(channel, _) => (channel, HOPPERS),
        };
        if usize::from(channel) < channels { Ok(()) } else { Err(Error::OutOfRange("channel")) }
    }
}

impl Signal {
    /// Its channel, and how many of its kind the image has.
    const fn channel(self) -> (u8, usize) {
        match self {
            Self::Barrier(channel) => (channel, BARRIERS),
            Self::Level(channel) => (channel, ZONES),
            Self::Valve(channel) => (channel, VALVES),
            Self::Vibrator(channel) => (channel, VIBRATORS),
            Self::Belt(channel) => (channel, BELTS),
            Self::Hopper(channel) => (channel, HOPPERS),
        }
    }

    fn of_actuators(self, actuators: &mut Actuators) -> Option<&mut bool> {
        match self {
            Self::Valve(channel) => actuators.valves.get_mut(usize::from(channel)),
            Self::Vibrator(channel) => Some(&mut actuators.vibrators.get_mut(usize::from(channel))?.run),
            Self::Belt(channel) => Some(&mut actuators.belts.get_mut(usize::from(channel))?.run),
            Self::Hopper(channel) => actuators.hoppers.get_mut(usize::from(channel)),
            Self::Barrier(_) | Self::Level(_) => None,
        }
    }

    /// Its level in what a controller was shown last.
    fn is_shown(self, sensors: &Sensors) -> bool {
        let signal = match self {
            Self::Barrier(channel) => sensors.barriers.get(usize::from(channel)),
            Self::Level(channel) => sensors.zones.get(usize::from(channel)).map(|zone| &zone.level),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => None,
        };
        signal.is_some_and(|signal| signal.on)
    }

    fn of_sensors(self, sensors: &mut Sensors) -> Option<&mut SwitchSignal> {
        match self {
            Self::Barrier(channel) => sensors.barriers.get_mut(usize::from(channel)),
            Self::Level(channel) => Some(&mut sensors.zones.get_mut(usize::from(channel))?.level),
            Self::Valve(_) | Self::Vibrator(_) | Self::Belt(_) | Self::Hopper(_) => None,
        }
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
    fn spoil(&mut self, signal: bool, holds: bool, random: &mut Random) -> bool {
        let memory = &mut self.memory;
        let before = memory.history & 1 == 1;
        memory.history = memory.history << 1 | u64::from(signal);
        let spoilt = match self.fault {
            Fault::StuckAt(_, level) => level,
            Fault::Dropout(_, share) => {
                if signal && !before {
                    memory.is_lost = holds && random.chance(share);
                }
                signal && !memory.is_lost
            }
            Fault::Delay(_, steps) => memory.history >> u32::from(steps.min(63)) & 1 == 1,
            Fault::Bounce(_, steps) => {
                if signal != before {
                    memory.bounces = steps;
                }
                let bounces = memory.bounces > 0;
                memory.bounces = memory.bounces.saturating_sub(1);
                if bounces && holds { random.chance(0.5) } else { signal }
            }
            _ => signal,
        };
        if holds { spoilt } else { signal }
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
                let Some(vibrator) = plant.vibrators.get_mut(usize::from(channel)) else { return Ok(()) };
                let factor = max(self.memory.factor + drift * h, 0.0);
                let change = if self.memory.factor > 0.0 { factor / self.memory.factor } else { 1.0 };
                let wear = vibrator.state.wear * change;
                // there is friction beyond all measure already
                if !(factor.is_finite() && wear.is_finite()) {
                    return Ok(());
                }
                (self.memory.factor, vibrator.state.wear) = (factor, wear);
                scale_friction(world, vibrator.settings.body, change)?;
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

/// A signal that was shown to be at `was` and is at `on` now, whatever it should be: an edge is where that changes, and has a time where it is a true one.
fn spoilt(truth: SwitchSignal, was: bool, on: bool) -> SwitchSignal {
    let edges = u8::from(on != was);
    let edge_time = if on != was && on == truth.on { truth.edge_time } else { None };
    SwitchSignal { on, edges, edge_time }
}

/// Multiply the friction of a body's surfaces.
fn scale_friction(world: &mut dyn AnyWorld, body: BodyId, change: f32) -> Result<(), Error> {
    for_each_surface(world, body, &Pose::IDENTITY, &mut |world, surface| {
        let friction = surface.friction * change;
        if !friction.is_finite() {
            return Ok(());
        }
        let collider = *world.collider(surface.id)?;
        world.set_collider(surface.id, Collider { material: Material { friction, ..collider.material }, ..collider })
    })
}
