//! Parts as they stand or hang before they settle.
//!
//! ```text
//! cubes      20 mm, aluminium, 22 g, put on each other by hand: up to 1 mm off sideways, 3° turned about the vertical
//! spheres    r = 5 mm, steel, 4.1 g, in loose layers of n by n over the floor of a box
//! bricks     40 mm × 20 mm × 10 mm, aluminium, 22 g, turned at random, in three loose layers over a bin of 200 mm × 200 mm
//! ```

use super::PileWorld;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::{Collider, Material};

/// What a pile is made of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts {
    /// Ten cubes on each other, the top one so many times as heavy.
    Stack { top: f64 },
    /// Cubes in a plane, each on two.
    Pyramid,
    /// So many spheres, in layers of `side` by `side`.
    Spheres { count: u16, side: u16 },
    /// So many bricks.
    Bricks { count: u16 },
}

/// Colliders of a floor and four walls.
pub(super) const WALLS: usize = 5;

/// kg/m³
const ALUMINIUM: f64 = 2700.0;
const STEEL: f64 = 7850.0;
/// Half the edge of a cube. m
const HALF: f64 = 0.01;
const CUBE: Shape<f64> = Shape::Box { half: Vec3::new(HALF, HALF, HALF) };
const CUBES: u8 = 10;
/// Levels of the pyramid, and cubes of its lowest; half of what is free between two of them. m
const LEVELS: u8 = 8;
const PLAY: f64 = 1e-3;
/// m
const RADIUS: f64 = 5e-3;
/// From one sphere's centre to the next's. m
const SPHERE_PITCH: f64 = 2.1 * RADIUS;
const BRICK: Shape<f64> = Shape::Box { half: Vec3::new(0.02, 0.01, 0.005) };
/// No two bricks touch at this distance, whichever way they are turned. m
const BRICK_PITCH: f64 = 0.046;
const BRICKS_ALONG: u16 = 4;
/// Half the bin. m
const BIN_HALF: f64 = 0.1;

/// Fill an empty world.
pub(super) fn put_up(world: &mut PileWorld, parts: Parts, friction: f64, seed: u32) -> Result<(), Error> {
    let mut site = Site {
        ground: world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?,
        world,
        material: Material { friction, ..Material::default() },
        // not mixed: figures of these piles are on record
        random: Random::from_state(seed),
    };
    site.add_wall(Vec3::default(), Vec3::new(0.0, 0.0, 1.0))?;
    match parts {
        Parts::Stack { top } => site.stack(top),
        Parts::Pyramid => site.pyramid(),
        Parts::Spheres { count, side } => site.spheres(count, side),
        Parts::Bricks { count } => site.bricks(count),
    }
}

/// Where a pile is put up.
struct Site<'a> {
    world: &'a mut PileWorld,
    ground: BodyId,
    material: Material<f64>,
    random: Random,
}

impl Site<'_> {
    fn stack(&mut self, top: f64) -> Result<(), Error> {
        for level in 0..CUBES {
            let heavier = if level == CUBES - 1 { top } else { 1.0 };
            let pose = self.by_hand(Vec3::new(0.0, 0.0, height(level)));
            self.add_part(CUBE, ALUMINIUM * heavier, pose)?;
        }
        Ok(())
    }

    fn pyramid(&mut self) -> Result<(), Error> {
        for level in 0..LEVELS {
            for k in level..LEVELS {
                let x = (2.0 * f64::from(k) - f64::from(level)) * (HALF + PLAY);
                let pose = self.by_hand(Vec3::new(x, 0.0, height(level)));
                self.add_part(CUBE, ALUMINIUM, pose)?;
            }
        }
        Ok(())
    }

    fn spheres(&mut self, count: u16, side: u16) -> Result<(), Error> {
        self.add_side_walls(0.5 * SPHERE_PITCH * f64::from(side))?;
        for k in 0..count {
            // never into each other: off by less than half of what is free between two
            let off = self.chance() * (0.04 * RADIUS);
            self.add_part(Shape::Sphere { radius: RADIUS }, STEEL, Pose::at(place(k, side, SPHERE_PITCH) + off))?;
        }
        Ok(())
    }

    fn bricks(&mut self, count: u16) -> Result<(), Error> {
        self.add_side_walls(BIN_HALF)?;
        for k in 0..count {
            let Vec3 { x, y, z } = self.chance();
            let w = f64::from(self.random.within_one());
            let orientation = Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY);
            let position = place(k, BRICKS_ALONG, BRICK_PITCH);
            self.add_part(BRICK, ALUMINIUM, Pose { position, orientation })?;
        }
        Ok(())
    }

    /// Each component evenly between −1 and 1.
    fn chance(&mut self) -> Vec3<f64> {
        let Vec3 { x, y, z } = self.random.vector();
        Vec3::new(x.into(), y.into(), z.into())
    }

    fn by_hand(&mut self, at: Vec3<f64>) -> Pose<f64> {
        let Vec3 { x, y, z } = self.chance();
        let position = at + Vec3::new(x, y, 0.0) * 1e-3;
        Pose { position, orientation: Quat::IDENTITY.turned(Vec3::new(0.0, 0.0, 0.05 * z)) }
    }

    fn add_part(&mut self, shape: Shape<f64>, density: f64, pose: Pose<f64>) -> Result<(), Error> {
        let motion = Motion::Dynamic(shape.mass_properties(density)?);
        let part = self.world.add_body(Body::new(motion, pose)?)?;
        self.world.add_collider(part, Collider { material: self.material, ..Collider::new(shape) })?;
        Ok(())
    }

    /// Four walls without end round `|x|, |y| ≤ half` (m).
    fn add_side_walls(&mut self, half: f64) -> Result<(), Error> {
        let (x, y) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
        [x, -x, y, -y].into_iter().try_for_each(|inwards| self.add_wall(inwards * -half, inwards))
    }

    fn add_wall(&mut self, point: Vec3<f64>, inwards: Vec3<f64>) -> Result<(), Error> {
        let pose = Joint::frame(point, inwards)?;
        let wall = Collider { pose, material: self.material, ..Collider::new(Shape::HalfSpace) };
        self.world.add_collider(self.ground, wall)?;
        Ok(())
    }
}

/// Of the middle of a cube. m
fn height(level: u8) -> f64 {
    (2.0 * f64::from(level) + 1.0) * HALF
}

/// The k-th place in layers of `side` by `side` over the origin. m
fn place(k: u16, side: u16, pitch: f64) -> Vec3<f64> {
    let (along, across, up) = (k % side, k / side % side, k / side / side);
    let centred = |k: u16| f64::from(k) - 0.5 * (f64::from(side) - 1.0);
    Vec3::new(centred(along), centred(across), f64::from(up) + 0.5) * pitch
}
