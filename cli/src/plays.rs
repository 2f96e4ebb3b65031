//! Hart's scenes in double precision, to look at violations far below what single precision can tell: the same plays, hulls and masses made anew.

use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{Compound, Hull, Part, Polyhedron, Shape};
use tumble::world::{Collider, Material, StepSettings, World};
use tumble::{Answer, Settings};
use tumble_scenes::balance::Balance;
use tumble_scenes::dice::Dice;
use tumble_scenes::hart::{FRICTION, House, Piece, Play, WOOD};
use tumble_scenes::pyramid::Pyramid;
use tumble_scenes::setup::Setup;

/// Room for any of them.
pub type PlayWorld = World<f64, 12, 128, 384, 24, 0>;

/// Time that is looked at. s
pub const SECONDS: f64 = 0.6;
/// The theory asks for solved steps: sweeps enough for these.
const SWEEPS: u32 = 200;

/// A play by its name, in a world of its own.
///
/// # Errors
/// What the world refuses; [`Error::OutOfRange`]`("scene")` where there is no such play.
pub fn world_of(name: &str) -> Result<Box<PlayWorld>, Error> {
    match name {
        "balance" => build::<Balance>(),
        "pyramid" => build::<Pyramid>(),
        "dice" => build::<Dice>(),
        "setup" => build::<Setup>(),
        _ => Err(Error::OutOfRange("scene")),
    }
}

/// How gravity leans aside, so that one scene can be played in many ways. (1)
const LEANS: [[f64; 2]; 4] = [[0.0, 0.0], [0.005, 0.003], [-0.004, 0.007], [0.006, -0.008]];

/// Hart's way to step, solved, with gravity leaning aside by so much.
pub fn settings(stabilisation: f64, [x, y]: [f64; 2]) -> StepSettings<f64> {
    let hart = StepSettings::hart(stabilisation);
    let solve = Settings { iterations: SWEEPS, tolerance: 1e-20, answer: Answer::Last, ..hart.solve };
    StepSettings { gravity: Vec3::new(x, y, -1.0) * 9.81, solve, ..hart }
}

/// Mean of `I(q) = max Φ⁻` over [`SECONDS`] in steps of `h` (s), in metres, and over four ways to play it.
///
/// # Errors
/// Those of [`world_of`] and of a step.
pub fn mean_infeasibility(name: &str, h: f64, stabilisation: f64) -> Result<f64, Error> {
    // to the nearest: h is a share of it that may round
    let steps = (SECONDS / h + 0.5) as u32;
    let mut sum = 0.0;
    for lean in LEANS {
        let settings = settings(stabilisation, lean);
        let mut world = world_of(name)?;
        for _ in 0..steps {
            sum += world.step(h, &settings)?.penetration;
        }
    }
    Ok(sum / (f64::from(steps) * LEANS.len() as f64))
}

fn build<P: Play>() -> Result<Box<PlayWorld>, Error> {
    let mut world = Box::new(PlayWorld::new());
    let house = P::house();
    let (pose, spin) = (pose(&house.pose), vector(house.spin));
    add_house(&mut world, &house)?;
    let material = Material { friction: FRICTION.into(), ..Material::default() };
    for placed in P::cast() {
        let drawing = pose.then(&self::pose(&placed.pose));
        let parts: Vec<_> = placed.pieces.iter().map(part).collect::<Result<_, _>>()?;
        let whole = Compound::of(&parts)?;
        let mut body = Body::new(Motion::Dynamic(whole.mass), drawing.then(&whole.frame))?;
        // with the house, and as it is told
        let told = Vec6::from(<[f32; 6]>::from(placed.velocity).map(f64::from));
        let at_drawing = told + Vec6::new(spin.cross(drawing.position - pose.position), spin);
        let off = body.pose().position - drawing.position;
        body.set_velocity(Vec6::new(at_drawing.linear + at_drawing.angular.cross(off), at_drawing.angular))?;
        let body = world.add_body(body)?;
        for part in &parts {
            world.add_collider(
                body,
                Collider { pose: whole.place(&part.pose), material, ..Collider::new(part.shape) },
            )?;
        }
    }
    Ok(world)
}

fn add_house(world: &mut PlayWorld, house: &House) -> Result<(), Error> {
    let still = house.spin == Vec3::default();
    let mut body = Body::new(if still { Motion::Fixed } else { Motion::Kinematic }, pose(&house.pose))?;
    if !still {
        body.set_velocity(Vec6::new(Vec3::default(), vector(house.spin)))?;
    }
    let body = world.add_body(body)?;
    let material = Material { friction: FRICTION.into(), ..Material::default() };
    for (point, inwards) in house.walls {
        let pose = Joint::frame(vector(*point), vector(*inwards))?;
        world.add_collider(body, Collider { pose, material, ..Collider::new(Shape::HalfSpace) })?;
    }
    for piece in house.solids {
        let Part { shape, pose, .. } = part(piece)?;
        world.add_collider(body, Collider { pose, material, ..Collider::new(shape) })?;
    }
    Ok(())
}

fn part((solid, at): &Piece) -> Result<Part<f64>, Error> {
    Ok(Part { shape: Shape::Polyhedron(double(solid)?), pose: Pose::at(vector(*at)), density: WOOD.into() })
}

/// A solid's corners as they are, everything else anew. A program has few of them: they are kept for ever.
fn double(solid: &Polyhedron<f32>) -> Result<&'static Polyhedron<f64>, Error> {
    let hull: &'static Hull<f64, 128, 128, 128> = Box::leak(Box::new(Hull::of(solid.vertices)?));
    Ok(Box::leak(Box::new(hull.polyhedron())))
}

fn vector(v: Vec3<f32>) -> Vec3<f64> {
    <[f32; 3]>::from(v).map(f64::from).into()
}

fn pose(pose: &Pose<f32>) -> Pose<f64> {
    let [w, x, y, z] = pose.orientation.components().map(f64::from);
    Pose { position: vector(pose.position), orientation: Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY) }
}
