//! Small worlds that tell kinds of work apart which scenes have only together: to measure what each costs.
//!
//! ```text
//! nothing                                            a step
//! bodies without shapes, with one, with two          a body, a shape
//! spheres in one place, all of one body              looks at balls
//! parts side by side that do not touch               pairs without contact
//! needles, each near all others                      pairs without contact, many
//! flat parts over many planes that do not touch      pairs with planes without contact, many
//! every two shapes, turned at random, at any depth   pairs, passes on the way to where they are nearest
//! every two shapes, flat or on edge, barely deep     pairs with as many contacts as there can be
//! ```

use crate::parts::{STEEL, rough};
use crate::solids::{CUBE, WHEEL};
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::{Collider, World};

/// Room for any of them.
pub type MeterWorld = World<f32, 17, 8, 24, 129>;

/// How many there are.
pub const METERS: u32 = ALONE + PAIRS * POSES;

/// Those of many bodies.
const ALONE: u32 = 17;
/// Shapes to make pairs of, in either order.
const KINDS: u32 = 7;
const PAIRS: u32 = KINDS * KINDS;
/// Poses of each pair.
const POSES: u32 = 16;
/// Bodies in a row.
const BODIES: u16 = 16;
/// Shapes in one place.
const CROWD: u16 = 128;
/// m
const SIZE: f32 = 5e-3;
const APART: f32 = 1.0;
const THIN: f32 = 0.2 * SIZE;
/// Planes one above the other.
const PLANES: u16 = 8;

const SPHERE: Shape<f32> = Shape::Sphere { radius: SIZE };
const SHAPES: [Shape<f32>; KINDS as usize] = [
    SPHERE,
    Shape::Capsule { radius: 0.5 * SIZE, half_length: SIZE },
    Shape::Box { half: Vec3 { x: SIZE, y: 0.8 * SIZE, z: 0.6 * SIZE } },
    Shape::Cylinder { radius: 0.8 * SIZE, half_length: SIZE },
    Shape::Polyhedron(&CUBE),
    Shape::Polyhedron(&WHEEL),
    Shape::HalfSpace,
];

/// Build one of them, by its number below [`METERS`].
///
/// # Errors
/// What the world refuses, which tests rule out.
pub fn build_meter(world: &mut MeterWorld, number: u32) -> Result<(), Error> {
    world.clear();
    match number {
        0 => Ok(()),
        1 => row(world, SPHERE, APART, 0),
        2 => row(world, SPHERE, APART, 1),
        3 => row(world, SPHERE, APART, 2),
        4 => crowd(world),
        9 | 10 => needles(world, number == 10),
        5..9 | 11 | 12 => {
            let [sphere, capsule, block, cylinder, cube, wheel, _] = SHAPES;
            let (shape, width) = match number {
                5 => (sphere, 2.0 * SIZE),
                6 => (capsule, SIZE),
                7 => (block, 2.0 * SIZE),
                8 => (cylinder, 1.6 * SIZE),
                11 => (cube, 0.016),
                _ => (wheel, 0.040),
            };
            row(world, shape, 1.1 * width, 1)
        }
        13 => over_planes(world, Shape::Box { half: Vec3::new(SIZE, SIZE, THIN) }, Quat::IDENTITY),
        14 => over_planes(world, Shape::Cylinder { radius: SIZE, half_length: THIN }, Quat::IDENTITY),
        15 => over_planes(world, Shape::Capsule { radius: THIN, half_length: SIZE }, lying()),
        16 => over_planes(world, Shape::Polyhedron(&CUBE), Quat::IDENTITY),
        _ => pair(world, number.saturating_sub(ALONE)),
    }
}

/// Bodies in a row, each with as many shapes.
fn row(world: &mut MeterWorld, shape: Shape<f32>, pitch: f32, each: u16) -> Result<(), Error> {
    for i in 0..BODIES {
        let at = Pose::at(Vec3::new(pitch * f32::from(i), 0.0, 0.0));
        let body = world.add_body(Body::new(Motion::Dynamic(shape.mass_properties(STEEL)?), at)?)?;
        for k in 0..each {
            let pose = Pose::at(Vec3::new(0.0, 3.0 * SIZE * f32::from(k), 0.0));
            world.add_collider(body, Collider { pose, ..Collider::new(shape) })?;
        }
    }
    Ok(())
}

/// Many shapes of one body.
fn crowd(world: &mut MeterWorld) -> Result<(), Error> {
    let mass = SPHERE.mass_properties(STEEL)?;
    let body = world.add_body(Body::new(Motion::Dynamic(mass), Pose::IDENTITY)?)?;
    (0..CROWD).try_for_each(|_| world.add_collider(body, Collider::new(SPHERE)).map(drop))
}

/// Needles side by side or across, each near all others, which touch none.
fn needles(world: &mut MeterWorld, across: bool) -> Result<(), Error> {
    let (radius, half_length) = (SIZE / 30.0, 2.0 * SIZE);
    let shape = Shape::Capsule { radius, half_length };
    for i in 0..BODIES {
        let turn = if across { Vec3::new(0.7 * f32::from(i), 0.0, 0.0) } else { Vec3::default() };
        let position = Vec3::new(3.0 * radius * f32::from(i), 0.0, 0.0);
        let pose = Pose { position, orientation: Quat::IDENTITY.turned(turn) };
        let body = world.add_body(Body::new(Motion::Dynamic(shape.mass_properties(STEEL)?), pose)?)?;
        world.add_collider(body, Collider::new(shape))?;
    }
    Ok(())
}

/// z becomes y.
fn lying() -> Quat<f32> {
    Quat::IDENTITY.turned(Vec3::new(core::f32::consts::FRAC_PI_2, 0.0, 0.0))
}

/// Parts over planes, lower than they are long: to be looked at, and off all of them.
fn over_planes(world: &mut MeterWorld, shape: Shape<f32>, orientation: Quat<f32>) -> Result<(), Error> {
    let fixed = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
    for k in 0..PLANES {
        let pose = Pose::at(Vec3::new(0.0, 0.0, -1e-5 * f32::from(k)));
        world.add_collider(fixed, Collider { pose, ..Collider::new(Shape::HalfSpace) })?;
    }
    let [stands, lies] = height(&shape);
    let height = if orientation == Quat::IDENTITY { stands } else { lies };
    for i in 0..BODIES {
        let position = Vec3::new(APART * f32::from(i), 0.0, height + 0.1 * SIZE);
        let motion = Motion::Dynamic(shape.mass_properties(STEEL)?);
        let body = world.add_body(Body::new(motion, Pose { position, orientation })?)?;
        world.add_collider(body, Collider::new(shape))?;
    }
    Ok(())
}

/// How far a shape reaches along z, standing; and lying, its y upwards. m
fn height(shape: &Shape<f32>) -> [f32; 2] {
    match *shape {
        Shape::Sphere { radius } => [radius; 2],
        Shape::Capsule { radius, half_length } => [radius + half_length, radius],
        Shape::Box { half } => [half.z, half.y],
        Shape::Cylinder { radius, half_length } => [half_length, radius],
        Shape::Polyhedron(solid) => {
            solid.vertices.iter().fold([0.0; 2], |[z, y], corner| [max(corner.z, z), max(corner.y, y)])
        }
        Shape::HalfSpace => [0.0; 2],
    }
}

/// Two shapes, the second of a body that can move; nothing, if it cannot.
fn pair(world: &mut MeterWorld, number: u32) -> Result<(), Error> {
    let mut random = Random::new(number.saturating_add(1).wrapping_mul(0x9e37_79b1));
    let shape = |index: u32| SHAPES.into_iter().nth(usize::try_from(index).unwrap_or(0)).unwrap_or(Shape::HalfSpace);
    let which = number.checked_div(POSES).unwrap_or(0);
    let (a, b) = (shape(which / KINDS), shape(which % KINDS));
    let Ok(mass) = b.mass_properties(STEEL) else { return Ok(()) };
    let up = Vec3::new(0.0, 0.0, 1.0);
    let mut somehow = || Quat::IDENTITY.turned(random.vector() * core::f32::consts::PI);
    let (turn_a, turn_b, towards, distance) = if number.is_multiple_of(2) {
        let (turn_a, turn_b, towards) = (somehow(), somehow(), somehow().turn(up));
        // from inside each other to just apart
        let reach = |shape: &Shape<f32>| if *shape == Shape::HalfSpace { 0.0 } else { shape.bounding_radius() };
        (turn_a, turn_b, towards, (0.6 + 0.4 * random.within_one()) * (reach(&a) + reach(&b)))
    } else {
        let (lies, beside) = (number / 2 % 2 == 1, number / 4 % 2 == 1);
        let ([stands_a, _], [stands_b, lies_b]) = (height(&a), height(&b));
        let (turn_b, height_b) = if lies { (lying(), lies_b) } else { (Quat::IDENTITY, stands_b) };
        // aside, so that outlines cross
        let aside = if beside { random.vector() * 0.3 } else { Vec3::default() };
        (Quat::IDENTITY, turn_b, up + aside, stands_a + height_b - 0.01 * SIZE)
    };
    let pose_a = Pose { position: Vec3::default(), orientation: turn_a };
    let pose_b = Pose { position: towards * distance, orientation: turn_b };
    let fixed = world.add_body(Body::new(Motion::Fixed, pose_a)?)?;
    world.add_collider(fixed, Collider { material: rough(0.3), ..Collider::new(a) })?;
    let part = world.add_body(Body::new(Motion::Dynamic(mass), pose_b)?)?;
    world.add_collider(part, Collider { material: rough(0.3), ..Collider::new(b) })?;
    // fast enough that what is just apart meets within the step
    world.body_mut(part)?.set_velocity(Vec6::new(towards * -1.0, random.vector() * 50.0))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test may panic")]
mod tests {
    extern crate std;
    use super::*;
    use tumble::world::StepSettings;

    #[test]
    fn every_kind_of_pair_is_met_and_nothing_is_refused() {
        static WORLD: std::sync::Mutex<MeterWorld> = std::sync::Mutex::new(MeterWorld::new());
        let mut world = WORLD.lock().unwrap();
        let (mut met, mut climbs, mut corners) = ([0_u32; 5], 0, 0);
        for number in 0..METERS {
            build_meter(&mut world, number).unwrap();
            let work = world.step(1e-3, &StepSettings::default()).unwrap().work;
            let pairs = [work.ball_pairs, work.round_pairs, work.plane_pairs, work.box_pairs, work.cylinder_pairs];
            met.iter_mut().zip(pairs).for_each(|(met, pairs)| *met += pairs);
            (climbs, corners) = (climbs + work.climbs, corners + work.corners);
            // every two of sixteen, apart
            assert!(!(9..11).contains(&number) || (work.round_pairs, work.contacts) == (120, 0), "{work:?}");
            // all of them with every plane
            assert!(!(13..17).contains(&number) || (work.plane_pairs, work.contacts) == (128, 0), "{number} {work:?}");
        }
        assert!(met.iter().all(|met| *met > 20) && climbs > 100 && corners > 10_000, "{met:?} {climbs} {corners}");
    }
}
