//! Piles that nobody would build on purpose, and settings that nobody would choose: what a deadline must survive (assurance: G4, G7).
//!
//! ```text
//! masses      1 g … 1 t, a ratio of 10⁶          friction      0, 10, or any of 0, ½, 10
//! shapes      ball, grain, cube, needle, plate,  restitution   0, 1, or either
//!             coin, rod                          rolling, spinning, compliant, on a belt: now and then
//! places      all in one point · each within its neighbours · all touching · a tower, heavy on light · shot into a corner
//! joints      up to four, torn apart from the start
//! ```
//! A seed is an attack: [`build`](Adversary::build) fills an empty world, [`settings`](Adversary::settings) says how to step it, and
//! before every step [`meddle`](Adversary::meddle) may kick a body or put it into another. The same seed gives the same attack everywhere; nothing in it is
//! refused by the library. What every step must leave, whatever the time it had, [`check`] knows:
//!
//! ```text
//! sweeps      up to the cap, twice that where bounces would gain energy
//! state       poses, velocities, energies finite; orientations of length one
//! contacts    0 ≤ F_n, |F_t| ≤ μ F_n, |τ_t| ≤ ρ F_n, |τ_n| ≤ σ F_n
//! ```

use crate::parts::{WALLS, add_walls};
use crate::scene::AnyWorld;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Real, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::{Collider, Landing, Material, PointOfContact, Sleep, StepReport, StepSettings, World};
use tumble::{ClockHealth, Error, FrictionModel, Method, Settings, Start, Status};

/// Bodies that can move.
const PARTS: usize = 12;
/// Joints at most.
const JOINTS: usize = 4;
/// Room for every part and the bin, and for fewer contacts than a heap of needles and plates has. 29 KB
pub type AdversaryWorld = World<f32, { PARTS + 1 }, 40, 120, { PARTS + WALLS }, JOINTS>;

/// So many steps of an attack are the worst of it; then everything has flown apart or lies still.
pub const STEPS: u32 = 10;

/// Half the bin's width. m
const BIN: f32 = 0.05;
/// Half the size of a part. m
const SIZE: f32 = 0.01;

/// An attack under way.
#[derive(Clone, Copy, Debug)]
pub struct Adversary {
    random: Random,
}

/// Where parts are put.
#[derive(Clone, Copy, Debug)]
enum Places {
    Coincident,
    Lattice { pitch: f32 },
    Tower,
    Shot,
}

/// What all surfaces of an attack have in common.
#[derive(Clone, Copy, Debug)]
struct Surfaces {
    friction: &'static [f32],
    restitution: &'static [f32],
    resistance: &'static [f32],
    compliance: &'static [f32],
}

impl Adversary {
    /// Every seed is another attack.
    pub const fn new(seed: u32) -> Self {
        // neighbouring seeds would begin alike
        Self { random: Random::new(seed.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995) }
    }

    /// Fill an empty world: a bin, and as many parts as there is room for.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`] where there is no room for the shapes of a bin and a part for every body.
    pub fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let random = &mut self.random;
        let surfaces = Surfaces {
            friction: random.one_of(&[&[0.0][..], &[10.0], &[0.0, 0.5, 10.0]], &[]),
            restitution: random.one_of(&[&[0.0][..], &[1.0], &[0.0, 1.0]], &[]),
            resistance: random.one_of(&[&[0.0][..], &[0.0], &[0.0, 1e-3]], &[]),
            compliance: random.one_of(&[&[0.0][..], &[0.0], &[0.0], &[0.0, 1e-6]], &[]),
        };
        let bin = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        add_walls(world, bin, BIN, BIN, surface(random, &surfaces))?;

        // at a pitch of 2 neighbours touch, at less they overlap
        let lattice = |pitch| Places::Lattice { pitch };
        let places =
            [lattice(0.2), lattice(1.0), lattice(1.8), lattice(2.0), Places::Coincident, Places::Tower, Places::Shot];
        let places = random.one_of(&places, Places::Tower);
        // one of a kind in half of the attacks: everything touches everywhere at once
        let kind = shape(random);
        let kind = random.one_of(&[None, Some(kind)], None);
        let joints = random.one_of(&[0, 0, 1, JOINTS], 0);
        let mut last: Option<BodyId> = None;
        for index in 0..world.body_capacity().saturating_sub(world.body_count()) {
            let shape = kind.unwrap_or_else(|| shape(random));
            let pose = place(random, places, index);
            let part = world.add_body(Body::new(
                Motion::Dynamic(shape.mass_properties(density(random, &shape, places, index)?)?),
                pose,
            )?)?;
            let material = surface(random, &surfaces);
            let surface_velocity = Vec3::new(random.one_of(&[0.0, 0.0, 0.0, 1.0], 0.0), 0.0, 0.0);
            world.add_collider(part, Collider { material, surface_velocity, ..Collider::new(shape) })?;
            if let Places::Shot = places {
                world.body_mut(part)?.set_velocity(Vec6::new(random.vector() * 50.0, random.vector() * 500.0))?;
            }
            if let Some(last) = last.filter(|_| index <= joints) {
                world.add_joint(part, Some(last), joint(random)?)?;
            }
            last = Some(part);
        }
        Ok(())
    }

    /// How long a step is (s), and how to make it: drawn anew at every call.
    pub fn settings(&mut self) -> (f32, StepSettings<f32>) {
        let random = &mut self.random;
        let solve = Settings {
            method: random.one_of(&[Method::Anderson, Method::Anderson, Method::Psor], Method::default()),
            // over-relaxed or with averaged steps the plain method may diverge, as it says: then there is nothing to hold it to
            omega: random.one_of(&[1.0, 0.5], 1.0),
            iterations: random.one_of(&[0, 1, 3, 5, 12, 20, 50], 0),
            tolerance: random.one_of(&[0.0, 1e-12, 1e-6], 0.0),
            friction: random.one_of(&[FrictionModel::Ncp, FrictionModel::Ccp], FrictionModel::default()),
            start: random.one_of(&[Start::Warm, Start::Warm, Start::Cold], Start::default()),
            ..Settings::default()
        };
        let sleep = Sleep { speed: 1.0, spin: 10.0, time: 1e-3 };
        let settings = StepSettings {
            landing: random.one_of(&[Landing::Ahead, Landing::Touching], Landing::default()),
            recovery_speed: random.one_of(&[0.2, 10.0], 0.2),
            substeps: random.one_of(&[1, 1, 1, 2, 3], 1),
            sleep: random.one_of(&[None, None, Some(sleep)], None),
            solve,
            ..StepSettings::default()
        };
        (random.one_of(&[1e-4, 1e-3, 1e-3, 1e-2], 1e-3), settings)
    }

    /// One step in four: a body is kicked, or put where another is.
    ///
    /// # Errors
    /// What the world refuses.
    pub fn meddle(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let random = &mut self.random;
        let (mut first, mut last) = (None, None);
        // not the bin, which comes first
        world.for_each_body(&mut |id, body| {
            if body.is_dynamic() {
                (first, last) = (first.or(Some(id)), Some(id));
            }
        });
        let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
        match random.one_of(&[0_u8, 1, 2, 2, 2, 2, 2, 2], 2) {
            0 => world.body_mut(last)?.set_velocity(Vec6::new(random.vector() * 20.0, random.vector() * 200.0)),
            1 => {
                let pose = *world.body(first)?.pose();
                world.body_mut(last)?.set_pose(pose)
            }
            _ => Ok(()),
        }
    }

    /// A number from 0 to `most`, small ones as likely as large ones: a half of all is below an eighth of it.
    pub fn up_to(&mut self, most: u32) -> u32 {
        let x = (self.random.within_one() + 1.0) * 0.5;
        // not negative and below 2³²: a cast that cannot saturate
        (most as f32 * (x * x * x)) as u32
    }
}

/// Solves of a step at most: all islands of all sub-steps, twice.
pub fn most_solves(report: &StepReport<f32>, settings: &StepSettings<f32>) -> u32 {
    report.islands.saturating_mul(u32::from(settings.substeps).saturating_mul(2))
}

/// Is what a step left finite, feasible and as it was reported? Returns how many contacts slide.
///
/// # Errors
/// What is wrong.
pub fn check(
    world: &AdversaryWorld,
    report: &StepReport<f32>,
    settings: &StepSettings<f32>,
) -> Result<u32, &'static str> {
    for id in world.body_ids() {
        let body = world.body(id).map_err(|_| "a body is gone")?;
        ensure(body.pose().is_finite() && body.velocity().is_finite(), "a body is nowhere")?;
        let length: f32 = body.pose().orientation.components().iter().map(|x| x * x).sum();
        ensure((length - 1.0).abs() < 1e-5, "an orientation is not of length one")?;
    }
    ensure(world.kinetic_energy().is_finite(), "kinetic energy is not finite")?;
    let (mut contacts, mut slid) = (0_u32, 0_u32);
    for contact in world.contacts() {
        contacts = contacts.saturating_add(1);
        slid = slid.saturating_add(u32::from(check_contact(world, &contact)?));
    }
    // the most of any sub-step against those of the last
    let fewer = contacts < report.contacts && settings.substeps > 1;
    ensure(contacts == report.contacts || fewer, "contacts are not those reported")?;

    let solve = &report.solve;
    ensure(solve.status != Status::NonFinite, "numbers overflowed")?;
    ensure(solve.energy.is_finite() && solve.energy >= 0.0, "the energy error is none")?;
    ensure(solve.clock == ClockHealth::Good, "the clock is not good")?;
    let (cap, substeps) = (settings.solve.iterations, u32::from(settings.substeps));
    let most = cap.saturating_mul(2).saturating_mul(substeps);
    ensure(solve.iterations <= most, "more sweeps than the cap")?;
    ensure(report.work.row_sweeps <= cap.saturating_mul(report.work.rows), "more rows swept than the cap")?;
    // as many sums as solves
    let most = settings.solve.tolerance * most_solves(report, settings) as f32 * (1.0 + 1e-5);
    ensure(solve.status != Status::Converged || solve.energy <= most, "converged, but not to the tolerance")?;
    Ok(slid)
}

/// Is its force within its cone, its torque within its bounds? Returns whether it slides.
fn check_contact(world: &AdversaryWorld, contact: &PointOfContact<f32>) -> Result<bool, &'static str> {
    let material = |id| world.collider(id).map(|on| on.material).map_err(|_| "a shape is gone");
    let (a, b) = (material(contact.collider_a)?, material(contact.collider_b)?);
    let size = |v: Vec3<f32>| Real::sqrt(v.dot(v));
    let (force, torque) = (contact.force, contact.torque);
    ensure(force.is_finite() && torque.is_finite(), "a force is not finite")?;
    let normal = force.dot(contact.normal);
    let tangential = size(force - contact.normal * normal);
    // an impulse whose square vanishes cannot be seen; a force is that over a time step
    let unseen = Real::sqrt(f32::MIN_POSITIVE) * 1e5;
    // a sum of three vectors, a unit vector that is one to rounding, a projection of eight roundings: 32 ε of its size
    let rounding = 32.0 * f32::EPSILON * size(force) + unseen;
    ensure(normal >= -rounding, "a contact pulls")?;
    let mu: f32 = Real::sqrt(a.friction * b.friction);
    ensure(tangential <= mu * normal + (1.0 + mu) * rounding, "friction is out of its cone")?;
    let spin = torque.dot(contact.normal);
    let roll = size(torque - contact.normal * spin);
    let (rho, sigma) = (max(a.rolling_friction, b.rolling_friction), max(a.spinning_friction, b.spinning_friction));
    let rounding = 32.0 * f32::EPSILON * size(torque) + (rho + sigma) * rounding + unseen;
    ensure(roll <= rho * normal + rounding, "rolling friction is out of its disc")?;
    ensure(spin.abs() <= sigma * normal + rounding, "spinning friction is out of its bounds")?;
    Ok(mu > 0.0 && normal > 0.0 && tangential > 0.999 * mu * normal)
}

fn ensure(holds: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(otherwise) }
}

fn shape(random: &mut Random) -> Shape<f32> {
    let ball = Shape::Sphere { radius: SIZE };
    let shapes = [
        ball,
        Shape::Sphere { radius: SIZE / 20.0 },
        Shape::Box { half: Vec3::new(SIZE, SIZE, SIZE) },
        Shape::Capsule { radius: SIZE / 30.0, half_length: 2.0 * SIZE },
        Shape::Box { half: Vec3::new(2.0 * SIZE, SIZE, SIZE / 100.0) },
        Shape::Cylinder { radius: SIZE, half_length: SIZE / 20.0 },
        Shape::Cylinder { radius: SIZE / 5.0, half_length: 2.0 * SIZE },
    ];
    random.one_of(&shapes, ball)
}

/// Of a part that has one of seven masses, a gram to a ton; in a tower by turns one and the other. kg/m³
fn density(random: &mut Random, shape: &Shape<f32>, places: Places, index: usize) -> Result<f32, Error> {
    let mass = match places {
        Places::Tower if index.is_multiple_of(2) => 1e-3,
        Places::Tower => 1e3,
        _ => random.one_of(&[1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3], 1.0),
    };
    Ok(mass / shape.mass_properties(1.0)?.mass)
}

fn surface(random: &mut Random, surfaces: &Surfaces) -> Material<f32> {
    Material {
        friction: random.one_of(surfaces.friction, 0.0),
        rolling_friction: random.one_of(surfaces.resistance, 0.0),
        spinning_friction: random.one_of(surfaces.resistance, 0.0),
        restitution: random.one_of(surfaces.restitution, 0.0),
        compliance: random.one_of(surfaces.compliance, 0.0),
        damping: random.one_of(&[0.0, 100.0], 0.0),
    }
}

fn place(random: &mut Random, places: Places, index: usize) -> Pose<f32> {
    let index = u16::try_from(index).unwrap_or(u16::MAX);
    // on the floor, upright
    let floor = Vec3::new(0.0, 0.0, SIZE);
    match places {
        Places::Coincident => Pose::at(floor),
        Places::Lattice { pitch } => {
            let [i, j, k] = [index % 3, index / 3 % 2, index / 6].map(f32::from);
            Pose::at(floor + Vec3::new(i - 1.0, j - 0.5, k) * (pitch * SIZE))
        }
        Places::Tower => Pose::at(floor + Vec3::new(0.0, 0.0, f32::from(index) * 2.0 * SIZE)),
        Places::Shot => {
            let Vec3 { x, y, z } = random.vector();
            let orientation = Quat::new(random.within_one(), x, y, z).unwrap_or(Quat::IDENTITY);
            Pose { position: (random.vector() + Vec3::new(0.0, 0.0, 1.0)) * BIN, orientation }
        }
    }
}

/// Between points of the bodies that are nowhere near each other.
fn joint(random: &mut Random) -> Result<Joint<f32>, Error> {
    let (a, b) = (random.vector() * SIZE, random.vector() * SIZE);
    let joints = [
        Joint::ball(a, b)?,
        Joint::revolute(Pose::at(a), Pose::at(b))?,
        Joint::prismatic(Pose::at(a), Pose::at(b))?,
        Joint::fixed(Pose::at(a), Pose::at(b))?,
        Joint::distance(a, b, 1e-4)?,
        Joint::rope(a, b, 1e-4)?,
    ];
    Ok(random.one_of(&joints, joints[0]))
}
