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
use tumble::body::{Body, BodyId};
use tumble::joint::{Joint, StepContext};
use tumble::math::{Vec3, Vec6};
use tumble::record::{Reader, Sink};
use tumble::solve::ExactMemory;
use tumble::world::{Collider, ColliderId, JointId, StepReport, StepSettings, World};
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
        self.step_by(h, settings, &mut |world| world.step(h, settings))
    }

    /// The same, with `step_world` to make the world's part of it, which is to call [`AnyWorld::step`]: to count what that takes, the script aside.
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
    /// [`Error::OutOfRange`]`("inputs")` where they are not as many bytes as it says, or none that it knows; then nothing has changed.
    fn set_inputs(&mut self, inputs: &[u8]) -> Result<(), Error> {
        if inputs.is_empty() { Ok(()) } else { Err(Error::OutOfRange("inputs")) }
    }

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

/// What makes a world's part of a step.
pub type StepWorld<'a> = dyn FnMut(&mut dyn AnyWorld) -> Result<StepReport<f32>, Error> + 'a;

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
        let report = step_world(&mut self.world)?;
        self.clock = then;
        self.script.sense(&self.world, &report);
        Ok(report)
    }

    fn world(&self) -> &dyn AnyWorld {
        &self.world
    }

    fn kpis(&self, tell: &mut dyn FnMut(&'static str, f32)) {
        self.script.kpis(&self.world, tell);
    }
}

/// A [`World`] of whatever capacities, through its methods of the same names: one copy of a script's code for all sizes.
pub trait AnyWorld {
    /// How many bodies there can be.
    fn body_capacity(&self) -> usize;
    /// How many bodies there are.
    fn body_count(&self) -> usize;
    /// See every body, in order of place.
    fn for_each_body(&self, see: &mut dyn FnMut(BodyId, &Body<f32>));
    /// A body.
    ///
    /// # Errors
    /// As [`World::body`].
    fn body(&self, id: BodyId) -> Result<&Body<f32>, Error>;
    /// A body, to change it.
    ///
    /// # Errors
    /// As [`World::body_mut`].
    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body<f32>, Error>;
    /// Add a body.
    ///
    /// # Errors
    /// As [`World::add_body`].
    fn add_body(&mut self, body: Body<f32>) -> Result<BodyId, Error>;
    /// Give a body another shape to touch with.
    ///
    /// # Errors
    /// As [`World::add_collider`].
    fn add_collider(&mut self, id: BodyId, collider: Collider<f32>) -> Result<ColliderId, Error>;
    /// Join two bodies, or a body and the ground.
    ///
    /// # Errors
    /// As [`World::add_joint`].
    fn add_joint(&mut self, a: BodyId, b: Option<BodyId>, joint: Joint<f32>) -> Result<JointId, Error>;
    /// One step.
    ///
    /// # Errors
    /// As [`World::step`].
    fn step(&mut self, h: f32, settings: &StepSettings<f32>) -> Result<StepReport<f32>, Error>;
    /// One step with memory of the exact solver.
    ///
    /// # Errors
    /// As [`World::step_with`].
    fn step_with(
        &mut self,
        h: f32,
        settings: &StepSettings<f32>,
        exact: &mut dyn ExactMemory<f32>,
    ) -> Result<StepReport<f32>, Error>;
    /// Force that contacts exerted on a body in the last step. N
    ///
    /// # Errors
    /// As [`World::contact_force`].
    fn contact_force(&self, id: BodyId) -> Result<Vec3<f32>, Error>;
    /// Kinetic energy of all bodies. J
    fn kinetic_energy(&self) -> f32;
    /// Hash of the state, the same on every machine.
    fn state_hash(&self) -> u64;
    /// Write a snapshot; polyhedra are known by their places in [`solids::ALL`].
    ///
    /// # Errors
    /// As [`World::save`].
    fn save(&self, out: &mut dyn Sink) -> Result<(), Error>;
    /// Become the world that was saved.
    ///
    /// # Errors
    /// As [`World::restore`].
    fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error>;
}

impl<const BODIES: usize, const CONTACTS: usize, const ROWS: usize, const COLLIDERS: usize, const JOINTS: usize>
    AnyWorld for World<f32, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    fn body_capacity(&self) -> usize {
        BODIES
    }

    fn body_count(&self) -> usize {
        self.body_count()
    }

    fn for_each_body(&self, see: &mut dyn FnMut(BodyId, &Body<f32>)) {
        for id in self.body_ids() {
            if let Ok(body) = self.body(id) {
                see(id, body);
            }
        }
    }

    fn body(&self, id: BodyId) -> Result<&Body<f32>, Error> {
        self.body(id)
    }

    fn body_mut(&mut self, id: BodyId) -> Result<&mut Body<f32>, Error> {
        self.body_mut(id)
    }

    fn add_body(&mut self, body: Body<f32>) -> Result<BodyId, Error> {
        self.add_body(body)
    }

    fn add_collider(&mut self, id: BodyId, collider: Collider<f32>) -> Result<ColliderId, Error> {
        self.add_collider(id, collider)
    }

    fn add_joint(&mut self, a: BodyId, b: Option<BodyId>, joint: Joint<f32>) -> Result<JointId, Error> {
        self.add_joint(a, b, joint)
    }

    fn step(&mut self, h: f32, settings: &StepSettings<f32>) -> Result<StepReport<f32>, Error> {
        self.step(h, settings)
    }

    fn step_with(
        &mut self,
        h: f32,
        settings: &StepSettings<f32>,
        exact: &mut dyn ExactMemory<f32>,
    ) -> Result<StepReport<f32>, Error> {
        self.step_with(h, settings, exact, None)
    }

    fn contact_force(&self, id: BodyId) -> Result<Vec3<f32>, Error> {
        self.contact_force(id)
    }

    fn kinetic_energy(&self) -> f32 {
        self.kinetic_energy()
    }

    fn state_hash(&self) -> u64 {
        self.state_hash()
    }

    fn save(&self, out: &mut dyn Sink) -> Result<(), Error> {
        self.save(&solids::ALL, out)
    }

    fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        self.restore(&solids::ALL, input)
    }
}

/// Move a kinematic body so that it is at `target` (m) after the step: `v = (target − x)/h`, no error adds up.
pub(crate) fn follow(world: &mut dyn AnyWorld, id: BodyId, target: Vec3<f32>, h: f32) -> Result<(), Error> {
    let body = world.body_mut(id)?;
    let velocity = (target - body.pose().position) * (1.0 / h);
    body.set_velocity(Vec6::new(velocity, Vec3::default()))
}
