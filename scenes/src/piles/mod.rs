//! Piles, and the contact problem of one of their steps: what convergence of the solver is measured on.
//!
//! ```text
//! put up    cubes one on the other, or parts dropped into a bin, a little off by chance
//! settle    some steps of a world
//! record    of one more step: bodies as they were before it, contacts as it found them
//!
//! v_free = v + h g                                     m/s
//! e_n    = −gap/h apart, −K gap/h in violation         m/s   (theory §1: no width of touching, no restitution)
//! e_t    = 0,  c = 0,  Coulomb's cone
//! ```
//! Double precision, SI, sizes for the host. Piles hang on the solver by which they settle: how is spelled out in `settling`, and a test knows the
//! problems by their hash.
//!
//! # Why surfaces are rough
//! A body on four points needs three. Where gaps agree to a rounding, so that it stands on all four, nothing says which three carry, and impulses
//! move from one to the other at the speed of that rounding: for a million sweeps. Gaps are true to [`ROUGHNESS`] only, as those of real parts are. To see
//! what that does, a pile can be [polished](Pile::polished); to see what chance does, [put up otherwise](Pile::by_chance).

mod put_up;

use put_up::{Parts, put_up};
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Vec3, Vec6};
use tumble::rows::{Friction, InverseMass, RowInput};
use tumble::shape::MassProperties;
use tumble::twin::Random;
use tumble::world::{PointOfContact, StepSettings, World};
use tumble::{BodyIndex, Error, FrictionModel, Method, Problem, Report, Settings, Start, StepRule};

/// Most parts of a pile.
pub const PARTS_MAX: usize = 100;
const CONTACTS_MAX: usize = 300;
/// Most rows of a problem, three a contact.
pub const ROWS_MAX: usize = 3 * CONTACTS_MAX;

/// A problem with room for every pile.
pub type PileProblem = Problem<f64, PARTS_MAX, ROWS_MAX>;
/// Beside the parts the ground, with floor and walls.
type PileWorld = World<f64, { PARTS_MAX + 1 }, CONTACTS_MAX, ROWS_MAX, { PARTS_MAX + put_up::WALLS }, 0>;

/// Step. s
const H: f64 = 2e-3;
/// K, the share of a violation that a step mends. (1)
const STABILISATION: f64 = 0.2;
/// Gaps of the problem are off by up to this much, unless polished. m
pub const ROUGHNESS: f64 = 5e-6;
/// The same of polished parts: not much, yet references of `ccp` are known to 1e-6. m
const POLISHED: f64 = 5e-8;
/// What piles are put up by, unless told otherwise.
pub const SEED: u32 = 2006;

/// A reference is done when its energy error is this share of that of the cold start (1) …
const DONE: f64 = 1e-16;
/// … or after so many sweeps: what moves on then are impulses that bodies do not feel.
const DONE_SWEEPS: u32 = 200_000;

/// A pile to put up.
#[derive(Clone, Copy, Debug)]
pub struct Pile {
    /// Unique, short.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    parts: Parts,
    /// Coefficient of friction. (1)
    friction: f64,
    /// Steps before the one on record, and most sweeps of each.
    steps: u32,
    sweeps: u32,
    /// m
    roughness: f64,
    seed: u32,
}

/// Six of different kinds, and the second at rest: there the light cubes carry the heavy one, and no sweep gets anywhere soon.
pub const PILES: [Pile; 7] = [
    Pile::new("stack10", "10 cubes on each other", Parts::Stack { top: 1.0 }, 0.4, (20, 1000)),
    // twenty sweeps do not hold it up: it swings, and is on its way up here
    Pile::new("stack10-heavy", "the same, the top one ×100, swinging", Parts::Stack { top: 100.0 }, 0.4, (24, 20)),
    Pile::new("pyramid36", "36 cubes, 8 + 7 + … + 1", Parts::Pyramid, 0.4, (40, 200)),
    Pile::new("spheres30", "30 spheres in a box", Parts::Spheres { count: 30, side: 4 }, 0.3, (200, 200)),
    Pile::new("spheres100", "100 spheres in a box", Parts::Spheres { count: 100, side: 5 }, 0.3, (200, 200)),
    Pile::new("bricks40", "40 bricks dropped in a bin", Parts::Bricks { count: 40 }, 0.4, (130, 200)),
    Pile::new(
        "stack10-heavy-still",
        "the stack, the top one ×100, at rest",
        Parts::Stack { top: 100.0 },
        0.4,
        (20, 1000),
    ),
];

impl Pile {
    const fn new(
        name: &'static str,
        about: &'static str,
        parts: Parts,
        friction: f64,
        (steps, sweeps): (u32, u32),
    ) -> Self {
        Self { name, about, parts, friction, steps, sweeps, roughness: ROUGHNESS, seed: SEED }
    }

    /// The same of parts that are polished: gaps are true to 50 nm.
    pub const fn polished(self) -> Self {
        Self { roughness: POLISHED, ..self }
    }

    /// The same put up by another throw of the dice; [`SEED`] gives the one on record.
    pub const fn by_chance(self, seed: u32) -> Self {
        Self { seed, ..self }
    }

    /// How it settles. Nothing is left to the defaults of the solver: a better one would make other piles.
    fn settling(&self) -> StepSettings<f64> {
        StepSettings {
            stabilisation: STABILISATION,
            // as in the problem: what touches is what has no gap
            slop: 0.0,
            solve: Settings {
                // the plain method: piles are to stay what they are when others get better
                method: Method::Psor,
                iterations: self.sweeps,
                tolerance: 1e-14,
                friction: FrictionModel::Ncp,
                step: StepRule::Safe,
                start: Start::Warm,
                ..Settings::default()
            },
            ..StepSettings::default()
        }
    }
}

/// A part as it was before the step on record.
#[derive(Clone, Copy, Debug)]
struct Part {
    id: BodyId,
    index: BodyIndex,
    before: Body<f64>,
}

/// The answer to which others are compared, and how far it can be trusted.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// of every part. m/s, rad/s
    velocities: [Vec6<f64>; PARTS_MAX],
    /// Sweeps it took.
    pub sweeps: u32,
    /// Its energy error over that of the cold start. (1)
    pub energy: f64,
    /// By how much half as many sweeps again move it: as a relative error. (1)
    pub moved: f64,
}

/// Room for one pile: its world, its parts, and the contact problem of its last step. `const` to make, so that it can be a `static`.
///
/// ```
/// use tumble::{FrictionModel, Settings, Start};
/// use tumble_scenes::piles::{PILES, PileStage};
/// static STAGE: std::sync::Mutex<PileStage> = std::sync::Mutex::new(PileStage::new());
/// let mut stage = STAGE.lock().unwrap();
/// let spheres = PILES.iter().find(|pile| pile.name == "spheres30").unwrap();
/// stage.build(spheres)?;
///
/// let friction = FrictionModel::Ccp;
/// let reference = stage.reference(friction)?;
/// let few = Settings { iterations: 20, tolerance: 0.0, friction, start: Start::Cold, ..Settings::default() };
/// let _ = stage.problem_mut().solve(&few)?;
/// assert!(stage.relative_error(&reference) < 0.1);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PileStage {
    world: PileWorld,
    parts: [Option<Part>; PARTS_MAX],
    problem: PileProblem,
}

impl PileStage {
    /// Nothing there yet.
    pub const fn new() -> Self {
        Self { world: World::new(), parts: [None; PARTS_MAX], problem: Problem::new() }
    }

    /// The contact problem, to read its answer.
    pub const fn problem(&self) -> &PileProblem {
        &self.problem
    }

    /// Points of contact.
    pub fn contact_count(&self) -> usize {
        self.problem.row_count() / 3
    }

    /// `|v − v_ref|²_M / |v_free − v_ref|²_M` of the present answer: the share of kinetic energy that is wrong. (1)
    pub fn relative_error(&self, reference: &Reference) -> f64 {
        let (mut error, mut start) = (0.0, 0.0);
        for ((part, v), v_ref) in self.parts.iter().flatten().zip(self.problem.velocities()).zip(reference.velocities) {
            error += mass_norm_squared(&part.before, v - v_ref);
            start += mass_norm_squared(&part.before, v_free(&part.before) - v_ref);
        }
        error / start
    }

    /// Put up a pile, let it settle, and write down the contact problem of the step after that.
    ///
    /// # Errors
    /// Never, as long as the pile fits; a test builds them all.
    pub fn build(&mut self, pile: &Pile) -> Result<(), Error> {
        let settling = pile.settling();
        self.world.clear();
        put_up(&mut self.world, pile.parts, pile.friction, pile.seed)?;
        for _ in 0..pile.steps {
            let _ = self.world.step(H, &settling)?;
        }

        self.problem.clear();
        self.parts = [None; PARTS_MAX];
        let mut slots = self.parts.iter_mut();
        for id in self.world.body_ids() {
            let before = *self.world.body(id)?;
            let Motion::Dynamic(properties) = before.motion() else { continue };
            let index = self.problem.add_body(inverse_mass(&before, properties)?, v_free(&before))?;
            if let Some(slot) = slots.next() {
                *slot = Some(Part { id, index, before });
            }
        }
        if self.world.step(H, &settling)?.contacts_dropped > 0 {
            return Err(Error::CapacityExceeded("contacts"));
        }
        let Self { world, parts, problem } = self;
        let mut random = Random::from_state(4711);
        world.contacts().try_for_each(|mut contact| {
            contact.gap += pile.roughness * f64::from(random.within_one());
            add_contact(problem, parts, &contact, pile.friction)
        })
    }

    /// The problem, to solve it.
    pub const fn problem_mut(&mut self) -> &mut PileProblem {
        &mut self.problem
    }

    /// Solve it to the end, by plain sweeps from a cold start. In `ccp` there is one answer; in `ncp` there may be others than this one.
    ///
    /// # Errors
    /// None that a caller could cause.
    pub fn reference(&mut self, friction: FrictionModel) -> Result<Reference, Error> {
        let step = StepRule::Safe;
        let (method, start) = (Method::Psor, Start::Cold);
        let cold = Settings { method, iterations: 0, tolerance: 0.0, friction, step, start, ..Settings::default() };
        let start = self.problem.solve(&cold)?.energy;
        let to_the_end = Settings { iterations: DONE_SWEEPS, tolerance: DONE * start, ..cold };
        let Report { energy, iterations, .. } = self.problem.solve(&to_the_end)?;
        let mut velocities = [Vec6::ZERO; PARTS_MAX];
        velocities.iter_mut().zip(self.problem.velocities()).for_each(|(slot, v)| *slot = v);

        let mut reference = Reference { velocities, sweeps: iterations, energy: energy / start, moved: 0.0 };
        let further = Settings { iterations: iterations / 2, start: Start::Warm, ..cold };
        let _ = self.problem.solve(&further)?;
        reference.moved = self.relative_error(&reference);
        Ok(reference)
    }
}

impl Default for PileStage {
    fn default() -> Self {
        Self::new()
    }
}

fn v_free(before: &Body<f64>) -> Vec6<f64> {
    let gravity = StepSettings::default().gravity;
    before.velocity() + Vec6::new(gravity * H, Vec3::default())
}

/// `xᵀ M x`: twice the kinetic energy that the body would have at that velocity.
fn mass_norm_squared(body: &Body<f64>, x: Vec6<f64>) -> f64 {
    let mut body = *body;
    // a part takes every velocity that is a number; what is none is as wrong as can be
    match body.set_velocity(x) {
        Ok(()) => 2.0 * body.kinetic_energy(),
        Err(_) => f64::INFINITY,
    }
}

/// `M⁻¹` about the centre of mass, world frame.
fn inverse_mass(body: &Body<f64>, properties: &MassProperties<f64>) -> Result<InverseMass<f64>, Error> {
    let MassProperties { mass, inertia: Vec3 { x, y, z } } = *properties;
    let m = 1.0 / mass;
    let i = body.pose().orientation.matrix().turn_diagonal(Vec3::new(1.0 / x, 1.0 / y, 1.0 / z));
    InverseMass::from_matrix([
        [m, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, m, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, m, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, i.xx, i.xy, i.xz],
        [0.0, 0.0, 0.0, i.xy, i.yy, i.yz],
        [0.0, 0.0, 0.0, i.xz, i.yz, i.zz],
    ])
}

fn add_contact(
    problem: &mut PileProblem,
    parts: &[Option<Part>],
    contact: &PointOfContact<f64>,
    mu: f64,
) -> Result<(), Error> {
    let part = |id: BodyId| parts.iter().flatten().find(|part| part.id == id);
    let (a, b, normal) = match (part(contact.body_a), part(contact.body_b)) {
        (Some(a), b) => (a, b, contact.normal),
        // the first body of a row is one that can move
        (None, Some(b)) => (b, None, -contact.normal),
        (None, None) => return Err(Error::NoSuchBody),
    };
    let arm = |part: &Part| contact.position - part.before.pose().position;
    let mut inputs = RowInput::contact(normal, arm(a), b.map(arm).unwrap_or_default());
    // K is for violation only: a positive gap must not brake an approaching body early
    let share = if contact.gap < 0.0 { STABILISATION } else { 1.0 };
    inputs[0].target_velocity = -share * contact.gap / H;
    problem.add_contact(a.index, b.map(|b| b.index), &inputs, Friction::Cone { mu })?;
    Ok(())
}
