//! Scenes that are feeder twins: a plant in a world, a controller wired to its terminals, faults between the two.
//!
//! ```text
//! step    control (terminals → terminals) → plant.step(actuators) → terminals show sensors → watch
//! ```
//! Replayed, the recorded actuators take the controller's place.

use crate::scene::{AnyWorld, Scene};
use crate::solids;
use core::ops::Range;
use embedded_hal::digital::ErrorKind;
use tumble::record::{Envelope, Fnv, Persist, Reader, Sink};
use tumble::twin::{Actuators, Fault, Faults, Plant, Sensors, StepWorld, Terminals, Twin};
use tumble::world::{StepReport, StepSettings};
use tumble::{Error, Settings};

/// A plant, what controls it, and what to read off.
pub trait TwinScript {
    /// Before anything is built.
    const NEW: Self;

    /// As many milliseconds show what it is for; a step is a millisecond long, as a controller's tick is, and other steps are refused.
    const STEPS: u32;

    /// The cap on sweeps it is made for.
    const ITERATIONS: u32;

    /// The settings it is made for: the defaults, but for the cap.
    fn settings() -> StepSettings<f32> {
        let usual = StepSettings::default();
        StepSettings { solve: Settings { iterations: Self::ITERATIONS, ..usual.solve }, ..usual }
    }

    /// Fill an empty world and plant; `seed` is added to every seed in it.
    ///
    /// # Errors
    /// What the world or the plant refuses.
    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error>;

    /// One tick of the controller.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`: no such terminal; pins of a twin do not fail.
    fn control(&mut self, terminals: &Terminals) -> Result<(), Error>;

    /// Look at what a step did.
    fn watch(&mut self, _world: &dyn AnyWorld, _actuators: &Actuators, _sensors: &Sensors, _report: &StepReport<f32>) {}

    /// Tell every key figure.
    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32));
}

/// Length of a step: a controller's tick, in which its timers count. s
const TICK: f32 = 1e-3;

/// A pin that failed, as an error of the library.
pub(crate) fn pin_failed(_: ErrorKind) -> Error {
    Error::OutOfRange("pin")
}

/// A twin of these capacities with a script in it. `const` to make, so that it can be a `static`.
#[derive(Debug)]
pub struct TwinStage<
    S,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize = 0,
> {
    twin: Twin<BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>,
    terminals: Terminals,
    faults: Faults,
    script: S,
    seed: u32,
    /// what the last step latched
    latched: Actuators,
    /// what the next step is to latch, in a replay
    recorded: Option<Actuators>,
}

/// Round what was latched and what the pins are set to, which come before the twin.
const TERMINALS: Envelope = Envelope { magic: *b"TUMT", version: 1, number_bytes: 4, name: "terminals" };

/// An image that actuators can do.
fn load_actuators(input: &mut Reader<'_>) -> Result<Actuators, Error> {
    let actuators: Actuators = input.load()?;
    actuators.check()?;
    Ok(actuators)
}

/// Seed of what is random in faults, to which the stage's is added.
const SEED: u32 = 2026;

impl<
    S: TwinScript,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> TwinStage<S, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// An empty stage: [`reset`](Scene::reset) it before the first step.
    #[allow(clippy::new_without_default, reason = "a default would go through the stack")]
    pub const fn new() -> Self {
        Self {
            twin: Twin::new(),
            terminals: Terminals::new(),
            faults: Faults::new(SEED),
            script: S::NEW,
            seed: 0,
            latched: Actuators::OFF,
            recorded: None,
        }
    }

    /// Another seed for what is random in it, from the next reset on: the same machine on another day. 0 is as shipped.
    pub const fn set_seed(&mut self, seed: u32) {
        self.seed = seed;
    }

    /// Let something go wrong in these steps after a reset, which forgets faults. A record of such a run is to begin with a snapshot, in which they are.
    ///
    /// # Errors
    /// As [`Faults::add`].
    pub fn add_fault(&mut self, fault: Fault, steps: Range<u32>) -> Result<(), Error> {
        self.faults.add(fault, steps)
    }

    /// What the last step's sensors said.
    pub const fn sensors(&self) -> &Sensors {
        self.twin.plant.sensors()
    }

    /// What the last step latched.
    pub const fn actuators(&self) -> &Actuators {
        &self.latched
    }

    /// What controls it and what it has seen.
    pub const fn script(&self) -> &S {
        &self.script
    }

    /// The same, to change a setting after a reset.
    pub const fn script_mut(&mut self) -> &mut S {
        &mut self.script
    }

    fn step_latched(
        &mut self,
        actuators: Actuators,
        h: f32,
        settings: &StepSettings<f32>,
        step_world: &mut StepWorld<'_>,
    ) -> Result<StepReport<f32>, Error> {
        let Twin { world, plant } = &mut self.twin;
        let (sensors, report) = self.faults.step(plant, world, h, settings, &actuators, step_world)?;
        self.latched = actuators;
        self.terminals.show(&sensors);
        self.script.watch(&self.twin.world, &actuators, &sensors, &report);
        Ok(report)
    }
}

impl<
    S: TwinScript,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> Scene for TwinStage<S, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    fn reset(&mut self) -> Result<(), Error> {
        self.twin.clear();
        (self.terminals, self.faults) = (Terminals::new(), Faults::new(SEED.wrapping_add(self.seed)));
        (self.script, self.latched, self.recorded) = (S::NEW, Actuators::OFF, None);
        self.script.build(&mut self.twin.world, &mut self.twin.plant, self.seed)?;
        // a controller looks before the first step
        self.terminals.show(self.twin.plant.sensors());
        Ok(())
    }

    fn h(&self) -> f32 {
        TICK
    }

    fn steps(&self) -> u32 {
        S::STEPS
    }

    fn settings(&self) -> StepSettings<f32> {
        S::settings()
    }

    fn step_by(
        &mut self,
        h: f32,
        settings: &StepSettings<f32>,
        step_world: &mut StepWorld<'_>,
    ) -> Result<StepReport<f32>, Error> {
        // before a tick is lost: what is refused must change nothing
        self.twin.plant.check_step(&self.twin.world, h, settings)?;
        // a controller's timers would run fast or slow without a word
        if h != TICK {
            return Err(Error::OutOfRange("h"));
        }
        let actuators = match self.recorded.take() {
            Some(recorded) => recorded,
            None => {
                self.script.control(&self.terminals)?;
                self.terminals.actuators()
            }
        };
        self.step_latched(actuators, h, settings, step_world)
    }

    fn input_bytes(&self) -> u16 {
        let mut bytes = 0_usize;
        self.latched.save(&mut |more: &[u8]| bytes = bytes.saturating_add(more.len()));
        u16::try_from(bytes).unwrap_or(u16::MAX)
    }

    fn inputs(&self, out: &mut dyn Sink) {
        self.latched.save(out);
    }

    fn set_inputs(&mut self, inputs: &[u8]) -> Result<(), Error> {
        if inputs.len() != usize::from(self.input_bytes()) {
            return Err(Error::OutOfRange("inputs"));
        }
        self.recorded = Some(load_actuators(&mut Reader::new(inputs))?);
        Ok(())
    }

    fn save(&self, out: &mut dyn Sink) -> Result<(), Error> {
        TERMINALS.save(out, &|out| {
            self.latched.save(out);
            self.terminals.actuators().save(out);
        });
        self.twin.save(&self.faults, &solids::ALL, out)
    }

    fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        let mut after = input.clone();
        let mut terminals = TERMINALS.open(&mut after)?;
        let (latched, set) = (load_actuators(&mut terminals)?, load_actuators(&mut terminals)?);
        if !terminals.rest().is_empty() {
            return Err(Error::OutOfRange("length"));
        }
        // whole or not at all; then nothing is refused any more
        self.twin.restore(&mut self.faults, &solids::ALL, &mut after)?;
        (self.latched, self.recorded) = (latched, None);
        self.terminals.set(&set);
        self.terminals.show(self.twin.plant.sensors());
        *input = after;
        Ok(())
    }

    fn world(&self) -> &dyn AnyWorld {
        &self.twin.world
    }

    fn kpis(&self, tell: &mut dyn FnMut(&'static str, f32)) {
        self.script.kpis(&self.twin.world, &self.twin.plant, tell);
    }

    /// Of the world, the plant, faults and what the last step latched.
    fn state_hash(&self) -> u64 {
        let mut hash = Fnv::new();
        self.latched.save(&mut hash);
        self.twin.world.state_hash().save(&mut hash);
        self.twin.plant.state_hash().save(&mut hash);
        self.faults.state_hash().save(&mut hash);
        hash.finish()
    }
}
