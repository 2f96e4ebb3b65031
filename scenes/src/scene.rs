//! A scene: a world with room for it, what stands in it, what moves it, and what to read off.
//!
//! ```text
//! reset   build everything anew, the same bits every time
//! step    drive (what moves as told, from t to t + h) → world.step → sense
//! kpis    numbers that say whether the scene shows what it is for, unit in the name
//! ```
//! A [`Script`] says what a scene is, a [`Stage`] is a world of stated capacities with a script in it; one script plays on stages of any size that
//! holds it. Nothing but the scene and the arguments of a step goes in: no clock, no global. SI, single precision.

use crate::clock::Clock;
use crate::solids;
use tumble::body::BodyId;
use tumble::joint::StepContext;
use tumble::math::{Vec3, Vec6};
use tumble::record::{Reader, Sink};
pub use tumble::twin::StepWorld;
pub use tumble::world::AnyWorld;
use tumble::world::{StepReport, StepSettings, World};
use tumble::{Error, Settings};

/// A scene of any kind and size.
pub trait Scene {
    /// Build everything anew, in place; whatever happened before, the same steps then give the same bits.
    ///
    /// # Errors
    /// What the world refuses: [`Error::CapacityExceeded`] on a stage too small for the script.
    fn reset(&mut self) -> Result<(), Error>;

    /// The step it is made for. s
    fn h(&self) -> f32;

    /// As many steps of that length show what it is for.
    fn steps(&self) -> u32;

    /// The settings it is made for.
    fn settings(&self) -> StepSettings<f32>;

    /// One step of `h` seconds.
    ///
    /// # Errors
    /// What [`World::step`] refuses; then nothing has changed.
    fn step(&mut self, h: f32, settings: &StepSettings<f32>) -> Result<StepReport<f32>, Error> {
        self.step_by(h, settings, &mut |world, h| world.step(h, settings))
    }

    /// The same, with `step_world` to make the world's part of it, which is to call [`AnyWorld::step`] with the length it is given: to count what that takes, the
    /// script aside. A twin calls it once a sub-step.
    ///
    /// # Errors
    /// As [`step`](Self::step), and those of `step_world`.
    fn step_by(
        &mut self,
        h: f32,
        settings: &StepSettings<f32>,
        step_world: &mut StepWorld<'_>,
    ) -> Result<StepReport<f32>, Error>;

    /// How many bytes go into every step from outside: none, where a scene plays by itself.
    fn input_bytes(&self) -> u16 {
        0
    }

    /// Write what went into the last step, as many bytes as it says: what a record keeps.
    fn inputs(&self, _out: &mut dyn Sink) {}

    /// What is to go into the next step, in place of what would: a replay.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("inputs")` where they are not as many bytes as it says; what is wrong with them; then nothing has changed.
    fn set_inputs(&mut self, inputs: &[u8]) -> Result<(), Error> {
        if inputs.is_empty() { Ok(()) } else { Err(Error::OutOfRange("inputs")) }
    }

    /// Write a snapshot of all that inputs act on: of a twin the plant, its faults, and both sides of its terminals too. What controls it, or drives a script, is not in it: with
    /// that copied, or with recorded inputs, it goes on as if it had never stopped.
    ///
    /// # Errors
    /// As [`World::save`].
    fn save(&self, out: &mut dyn Sink) -> Result<(), Error> {
        self.world().save(&solids::ALL, out)
    }

    /// Become what was saved, built in the same way.
    ///
    /// # Errors
    /// As [`World::restore`], and of a twin [`Twin::restore`](tumble::twin::Twin::restore); then nothing has changed.
    fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error>;

    /// Its world.
    fn world(&self) -> &dyn AnyWorld;

    /// Tell every key figure: its name, which ends in its unit unless it is a number, and its value now.
    fn kpis(&self, tell: &mut dyn FnMut(&'static str, f32));

    /// How many bodies there are.
    fn body_count(&self) -> usize {
        self.world().body_count()
    }

    /// Kinetic energy of all bodies. J
    fn kinetic_energy(&self) -> f32 {
        self.world().kinetic_energy()
    }

    /// Hash of the state, the same on every machine.
    fn state_hash(&self) -> u64 {
        self.world().state_hash()
    }
}

/// What stands in a scene and what moves it.
pub trait Script {
    /// Before anything is built: all zeros where possible, so that a static takes no flash.
    const NEW: Self;

    /// The step it is made for. s
    const H: f32 = 1e-3;

    /// As many steps of that length show what it is for.
    const STEPS: u32;

    /// The cap on sweeps it is made for.
    const ITERATIONS: u32;

    /// The settings it is made for: the defaults, but for the cap.
    fn settings() -> StepSettings<f32> {
        let usual = StepSettings::default();
        StepSettings { solve: Settings { iterations: Self::ITERATIONS, ..usual.solve }, ..usual }
    }

    /// Fill an empty world.
    ///
    /// # Errors
    /// What the world refuses.
    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error>;

    /// Tell what moves as told how to move until `clock`, `h` seconds from now.
    ///
    /// # Errors
    /// What the world refuses.
    fn drive(&mut self, _world: &mut dyn AnyWorld, _clock: Clock, _h: f32) -> Result<(), Error> {
        Ok(())
    }

    /// Look at what a step did.
    fn sense(&mut self, _world: &dyn AnyWorld, _report: &StepReport<f32>) {}

    /// Tell every key figure.
    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32));
}

/// A world of these capacities with a script in it. `const` to make, so that it can be a `static`.
///
/// ```
/// use tumble_scenes::{Scene, SmallShaker};
/// static SHAKER: std::sync::Mutex<SmallShaker> = std::sync::Mutex::new(SmallShaker::new());
/// let mut shaker = SHAKER.lock().unwrap();
/// shaker.reset()?;
/// let (h, settings) = (shaker.h(), shaker.settings());
/// for _ in 0..100 {
///     let report = shaker.step(h, &settings)?;
///     assert_eq!(report.contacts_dropped, 0);
/// }
/// shaker.kpis(&mut |name, value| println!("{name} {value}"));
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stage<
    S,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> {
    world: World<f32, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>,
    script: S,
    clock: Clock,
}

impl<
    S: Script,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> Stage<S, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// An empty stage: [`reset`](Scene::reset) it before the first step.
    #[allow(clippy::new_without_default, reason = "a default would go through the stack")]
    pub const fn new() -> Self {
        Self { world: World::new(), script: S::NEW, clock: Clock::ZERO }
    }
}

impl<
    S: Script,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> Scene for Stage<S, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    fn reset(&mut self) -> Result<(), Error> {
        self.world.clear();
        (self.script, self.clock) = (S::NEW, Clock::ZERO);
        self.script.build(&mut self.world)
    }

    fn h(&self) -> f32 {
        S::H
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
        // before anything is driven: what is refused must change nothing
        settings.check()?;
        StepContext::implicit(h, settings.stabilisation).check()?;
        let then = self.clock.after(h);
        self.script.drive(&mut self.world, then, h)?;
        let report = step_world(&mut self.world, h)?;
        self.clock = then;
        self.script.sense(&self.world, &report);
        Ok(report)
    }

    fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        self.world.restore(&solids::ALL, input)
    }

    fn world(&self) -> &dyn AnyWorld {
        &self.world
    }

    fn kpis(&self, tell: &mut dyn FnMut(&'static str, f32)) {
        self.script.kpis(&self.world, tell);
    }
}

/// Move a kinematic body so that it is at `target` (m) after the step: `v = (target − x)/h`, no error adds up.
pub(crate) fn follow(world: &mut dyn AnyWorld, id: BodyId, target: Vec3<f32>, h: f32) -> Result<(), Error> {
    let body = world.body_mut(id)?;
    let velocity = (target - body.pose().position) * (1.0 / h);
    body.set_velocity(Vec6::new(velocity, Vec3::default()))
}
