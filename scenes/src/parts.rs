//! What several scenes are built of: parts of one shape, blocks, boxes without a lid, places in layers.

use crate::scene::AnyWorld;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Vec3};
use tumble::shape::Shape;
use tumble::world::{Collider, Material};

/// kg/m³
pub(crate) const STEEL: f32 = 7850.0;

/// A surface that rubs and does not bounce.
pub(crate) fn rough(friction: f32) -> Material<f32> {
    Material { friction, ..Material::default() }
}

/// A solid part of one shape.
pub(crate) fn add_part(
    world: &mut dyn AnyWorld,
    shape: Shape<f32>,
    density: f32,
    material: Material<f32>,
    pose: Pose<f32>,
) -> Result<BodyId, Error> {
    let part = world.add_body(Body::new(Motion::Dynamic(shape.mass_properties(density)?), pose)?)?;
    world.add_collider(part, Collider { material, ..Collider::new(shape) })?;
    Ok(part)
}

/// A block on a body, its middle at `centre` (m) of the body's frame.
pub(crate) fn block(centre: Vec3<f32>, half: Vec3<f32>, material: Material<f32>) -> Collider<f32> {
    Collider { pose: Pose::at(centre), material, ..Collider::new(Shape::Box { half }) }
}

/// Whole numbers (i, j, k): a row along x, rows across to a layer, layer upon layer without end.
pub(crate) fn lattice(along: u16, across: u16) -> impl Iterator<Item = Vec3<f32>> {
    let row = move |j: u16, k: u16| (0..along).map(move |i| Vec3::new(i.into(), j.into(), k.into()));
    (0..=u16::MAX).flat_map(move |k| (0..across).flat_map(move |j| row(j, k)))
}

/// Floor and four walls without end round `|x| ≤ half_x, |y| ≤ half_y, z ≥ 0` (m) of a body's frame: nothing gets out at the top.
pub(crate) fn add_walls(
    world: &mut dyn AnyWorld,
    body: BodyId,
    half_x: f32,
    half_y: f32,
    material: Material<f32>,
) -> Result<(), Error> {
    let (x, y) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
    let up = Vec3::new(0.0, 0.0, 1.0);
    for (point, inwards) in
        [(Vec3::default(), up), (x * -half_x, x), (x * half_x, -x), (y * -half_y, y), (y * half_y, -y)]
    {
        let pose = Joint::frame(point, inwards)?;
        world.add_collider(body, Collider { pose, material, ..Collider::new(Shape::HalfSpace) })?;
    }
    Ok(())
}

/// Colliders that [`add_walls`] needs.
pub(crate) const WALLS: usize = 5;
