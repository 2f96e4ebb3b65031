//! What Hart's scenes share: his way to step, how far bodies are in each other on average, and who is on stage.
//!
//! A [`Play`] is told in single precision: a [`Script`] puts it into its world, and a study of his claims the same into worlds of double precision.
//!
//! What moves straight, or turns about its own middle on a plane that stands still, violates nothing: gaps along a normal are linear in places, and corners turn
//! inwards. It is motion on a curve that a step leaves at a tangent, by `½ω²r h²`; so in each of these scenes something turns, or is turned.

use crate::parts::{add_part, rough};
use crate::scene::{AnyWorld, Script};
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Real, Vec3, Vec6};
use tumble::shape::{Compound, Part, Polyhedron, Shape};
use tumble::world::{Collider, StepReport, StepSettings};
use tumble::{Error, Settings};

/// Share of a violation that is mended in a step.
pub const STABILISATION: f32 = 0.5;
/// kg/m³
pub const WOOD: f32 = 700.0;
/// Of everything on everything.
pub const FRICTION: f32 = 0.4;

/// What a scene of his is made of.
pub trait Play {
    /// Floor and walls.
    fn house() -> House;
    /// Everybody on stage.
    fn cast() -> impl Iterator<Item = Placed>;
}

/// What stands, or turns at a constant rate.
#[derive(Clone, Copy, Debug)]
pub struct House {
    /// Where it is at first; it turns about its origin.
    pub pose: Pose<f32>,
    /// rad/s
    pub spin: Vec3<f32>,
    /// Planes: a point of each and the direction inwards, in its own frame.
    pub walls: &'static [(Vec3<f32>, Vec3<f32>)],
    /// Solids that belong to it, in its own frame.
    pub solids: &'static [Piece],
}

/// A solid, and where it is in the frame of its body, or of the drawing of that.
pub type Piece = (&'static Polyhedron<f32>, Vec3<f32>);

/// One body of a cast.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// What it is made of.
    pub pieces: &'static [Piece],
    /// Where its drawing lies in the frame of the house at first.
    pub pose: Pose<f32>,
    /// Beside what the house's motion gives it, at the drawing's origin. m/s, rad/s
    pub velocity: Vec6<f32>,
}

impl Placed {
    /// Moving with the house.
    pub(crate) fn at(pieces: &'static [Piece], pose: Pose<f32>) -> Self {
        Self { pieces, pose, velocity: Vec6::default() }
    }
}

/// His way to step, with so many sweeps.
pub(crate) fn settings(iterations: u32) -> StepSettings<f32> {
    let hart = StepSettings::hart(STABILISATION);
    StepSettings { solve: Settings { iterations, tolerance: 1e-15, ..hart.solve }, ..hart }
}

/// A play as a script.
#[derive(Clone, Copy, Debug)]
pub struct Staged<P> {
    play: core::marker::PhantomData<P>,
    house: Option<BodyId>,
    infeasibility: Infeasibility,
}

impl<P: Play> Script for Staged<P> {
    const NEW: Self = Self { play: core::marker::PhantomData, house: None, infeasibility: Infeasibility::NONE };
    const STEPS: u32 = 600;
    const ITERATIONS: u32 = 100;

    fn settings() -> StepSettings<f32> {
        settings(Self::ITERATIONS)
    }

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let house = P::house();
        self.house = Some(add_house(world, &house)?);
        P::cast().try_for_each(|placed| add_placed(world, &house, &placed).map(drop))
    }

    fn sense(&mut self, _world: &dyn AnyWorld, report: &StepReport<f32>) {
        self.infeasibility.add(report.penetration);
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let (mut bodies, mut fastest) = (0.0, 0.0);
        world.for_each_body(&mut |id, body| {
            if Some(id) != self.house {
                let v = body.velocity().linear;
                bodies += 1.0;
                fastest = if v.dot(v) > fastest { v.dot(v) } else { fastest };
            }
        });
        tell("bodies", bodies);
        tell("fastest_m_s", Real::sqrt(fastest));
        tell("mean_infeasibility_m", self.infeasibility.mean());
    }
}

/// Mean of what steps found of `I(q)`, here in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Infeasibility {
    sum: f32,
    steps: f32,
}

impl Infeasibility {
    pub(crate) const NONE: Self = Self { sum: 0.0, steps: 0.0 };

    /// So much in this step. m
    pub(crate) fn add(&mut self, infeasibility: f32) {
        self.sum += infeasibility;
        self.steps += 1.0;
    }

    /// m
    pub(crate) fn mean(&self) -> f32 {
        if self.steps > 0.0 { self.sum / self.steps } else { 0.0 }
    }
}

pub(crate) fn add_house(world: &mut dyn AnyWorld, house: &House) -> Result<BodyId, Error> {
    let still = house.spin == Vec3::default();
    let body = world.add_body(Body::new(if still { Motion::Fixed } else { Motion::Kinematic }, house.pose)?)?;
    if !still {
        world.body_mut(body)?.set_velocity(Vec6::new(Vec3::default(), house.spin))?;
    }
    let material = rough(FRICTION);
    for &(point, inwards) in house.walls {
        let pose = Joint::frame(point, inwards)?;
        world.add_collider(body, Collider { pose, material, ..Collider::new(Shape::HalfSpace) })?;
    }
    for &(solid, at) in house.solids {
        world
            .add_collider(body, Collider { pose: Pose::at(at), material, ..Collider::new(Shape::Polyhedron(solid)) })?;
    }
    Ok(body)
}

/// A wooden body, moving with the house and as it is told.
pub(crate) fn add_placed(world: &mut dyn AnyWorld, house: &House, placed: &Placed) -> Result<BodyId, Error> {
    let Placed { pieces, pose, velocity } = *placed;
    let material = rough(FRICTION);
    let pose = house.pose.then(&pose);
    let arm = pose.position - house.pose.position;
    let velocity = velocity + Vec6::new(house.spin.cross(arm), house.spin);
    let body = match *pieces {
        [(solid, at)] => {
            let pose = Pose { position: pose.point(at), ..pose };
            add_part(world, Shape::Polyhedron(solid), WOOD, material, pose)?
        }
        [first, second, third] => {
            let part = |(solid, at): Piece| Part { shape: Shape::Polyhedron(solid), pose: Pose::at(at), density: WOOD };
            let parts = [part(first), part(second), part(third)];
            let whole = Compound::of(&parts)?;
            let body = world.add_body(Body::new(Motion::Dynamic(whole.mass), pose.then(&whole.frame))?)?;
            for part in parts {
                let collider = Collider { pose: whole.place(&part.pose), material, ..Collider::new(part.shape) };
                world.add_collider(body, collider)?;
            }
            body
        }
        _ => return Err(Error::OutOfRange("pieces")),
    };
    // of the centre of mass
    let off = world.body(body)?.pose().position - pose.position;
    let velocity = Vec6::new(velocity.linear + velocity.angular.cross(off), velocity.angular);
    world.body_mut(body)?.set_velocity(velocity)?;
    Ok(body)
}
