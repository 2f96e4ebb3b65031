//! Chains of bodies on ball joints that hang and swing, and nothing drives: their energy must not grow.
//!
//! ```text
//! E = Σ ½ m v² + ½ ω·Iω + m g (z − ½ h v_z)        J
//! ```
//! This energy is what free fall in steps of h keeps exactly; it is counted from that of the chain at rest, straight down. Joints may brake. What they add
//! when a violation is pulled back, or a solve was cut off, the step must report
//! ([`StepReport::constraint_work`](tumble::world::StepReport::constraint_work)): start plus the sum of all reports is the energy at any time.
//!
//! Even seeds are tame: links of 10 to 20 cm of one material. Odd ones are wild: 4 to 50 cm, densities up to 40 : 1, so that a light last link whips around
//! faster than a step resolves.

use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::solve::Exact;
use tumble::twin::Random;
use tumble::world::{StepReport, StepSettings, World};
use tumble::{Error, Settings};

/// Links at most.
pub const LINKS: usize = 6;
/// Steps by these. s
pub const STEPS: [f32; 3] = [1e-3, 2e-3, 5e-3];

/// The world of a chain.
pub type ChainWorld = World<f32, LINKS, 1, { 3 * LINKS }, 1, LINKS>;

/// Memory of the direct solver for every chain.
pub type ChainSolver = Exact<f32, LINKS, { 3 * LINKS }, 400>;

/// A chain that swings.
pub struct PassiveChain {
    world: ChainWorld,
    links: [Option<(BodyId, MassProperties<f32>)>; LINKS],
    /// potential energy of the chain that hangs straight down. J
    lowest: f64,
    settings: StepSettings<f32>,
    h: f32,
}

impl PassiveChain {
    /// The chain of a seed: 2 to 6 boxes at any angle to each other, with spins up to 5 rad/s. `sweeps` is the cap of a step.
    ///
    /// # Errors
    /// None, for caps that are usable.
    pub fn new(seed: u32, h: f32, sweeps: u32) -> Result<Self, Error> {
        let (mut random, wild) = (Random::new(seed), seed % 2 == 1);
        let mut world = ChainWorld::new();
        let mut links = [None; LINKS];
        let count = random.one_of(&[2, 3, 4, 5, 6], 2);
        let (mut at, mut before, mut length, mut lowest) = (Vec3::default(), None, 0.0_f32, 0.0);
        for link in links.iter_mut().take(count) {
            let [middle, spread] = if wild { [0.135, 0.115] } else { [0.075, 0.025] };
            let half_length = middle + spread * random.within_one();
            let thick = half_length * (0.3 + 0.2 * random.within_one());
            let shape = Shape::Box { half: Vec3::new(thick, 0.7 * thick, half_length) };
            let density = if wild { random.one_of(&[200.0, 1000.0, 1000.0, 8000.0], 1000.0) } else { 1000.0 };
            let properties = shape.mass_properties(density)?;
            let [w, x, y, z] = [(); 4].map(|()| random.within_one());
            let turn = Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY);
            // the link hangs on its upper end
            let top = Vec3::new(0.0, 0.0, half_length);
            let centre = at - turn.turn(top);
            let mut body = Body::new(Motion::Dynamic(properties), Pose { position: centre, orientation: turn })?;
            body.set_velocity(Vec6::new(Vec3::default(), random.vector() * 5.0))?;
            let id = world.add_body(body)?;
            let (on, on_at) = before.map_or((None, Vec3::default()), |(id, bottom)| (Some(id), bottom));
            world.add_joint(id, on, Joint::ball(top, on_at)?)?;
            lowest -= f64::from(properties.mass) * G * f64::from(length + half_length);
            length += 2.0 * half_length;
            *link = Some((id, properties));
            (at, before) = (centre - turn.turn(top), Some((id, -top)));
        }
        let solve = Settings { iterations: sweeps, ..Settings::default() };
        Ok(Self { world, links, lowest, settings: StepSettings { solve, ..StepSettings::default() }, h })
    }

    /// One step, by sweeps.
    ///
    /// # Errors
    /// None.
    pub fn step(&mut self) -> Result<StepReport<f32>, Error> {
        self.world.step(self.h, &self.settings)
    }

    /// One step, by the direct solver.
    ///
    /// # Errors
    /// None.
    pub fn step_with(&mut self, direct: &mut ChainSolver) -> Result<StepReport<f32>, Error> {
        self.world.step_with(self.h, &self.settings, direct, None)
    }

    /// Kinetic energy. J
    pub fn kinetic_energy(&self) -> f64 {
        self.bodies().map(|(body, _)| f64::from(body.kinetic_energy())).sum()
    }

    /// Energy above the least possible of a chain whose joints hold. J
    pub fn energy(&self) -> f64 {
        let potential = |(body, mass): (&Body<f32>, f32)| {
            let (z, speed) = (f64::from(body.pose().position.z), f64::from(body.velocity().linear.z));
            f64::from(mass) * G * (z - 0.5 * f64::from(self.h) * speed)
        };
        self.kinetic_energy() + self.bodies().map(potential).sum::<f64>() - self.lowest
    }

    fn bodies(&self) -> impl Iterator<Item = (&Body<f32>, f32)> {
        self.links.iter().flatten().filter_map(|(id, of)| Some((self.world.body(*id).ok()?, of.mass)))
    }
}

/// m/s²
const G: f64 = 9.81;
