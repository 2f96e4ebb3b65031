//! Dice tumble in a turning drum (Hart 2007, Dice3).
//!
//! ```text
//! drum      a box of 60 mm × 40 mm × 60 mm, turns about y at 4 rad/s
//! dice      16 mm, three
//! ```

use crate::hart::{House, Piece, Placed, Play, Staged};
use crate::scene::Stage;
use crate::solids::CUBE;
use tumble::math::{Pose, Quat, Vec3};
use tumble::twin::Random;

/// The drum and what tumbles in it.
#[derive(Clone, Copy, Debug)]
pub struct Dice;

/// Drum and three dice.
pub type SmallDice = Stage<Staged<Dice>, 4, 60, 180, 9, 0>;

const HALF: f32 = 0.03;
const HALF_Y: f32 = 0.02;
/// rad/s
const SPIN: f32 = 4.0;

const X: Vec3<f32> = Vec3::new(1.0, 0.0, 0.0);
const Y: Vec3<f32> = Vec3::new(0.0, 1.0, 0.0);
const Z: Vec3<f32> = Vec3::new(0.0, 0.0, 1.0);
static WALLS: [(Vec3<f32>, Vec3<f32>); 6] = [
    (Vec3::new(-HALF, 0.0, 0.0), X),
    (Vec3::new(HALF, 0.0, 0.0), Vec3::new(-1.0, 0.0, 0.0)),
    (Vec3::new(0.0, -HALF_Y, 0.0), Y),
    (Vec3::new(0.0, HALF_Y, 0.0), Vec3::new(0.0, -1.0, 0.0)),
    (Vec3::new(0.0, 0.0, -HALF), Z),
    (Vec3::new(0.0, 0.0, HALF), Vec3::new(0.0, 0.0, -1.0)),
];
static DIE: [Piece; 1] = [(&CUBE, Vec3::new(0.0, 0.0, 0.0))];

impl Play for Dice {
    fn house() -> House {
        let pose = Pose::at(Vec3::new(0.0, 0.0, 0.05));
        House { pose, spin: Y * SPIN, walls: &WALLS, solids: &[] }
    }

    fn cast() -> impl Iterator<Item = Placed> {
        let mut random = Random::new(2007);
        [-1.0, 0.0, 1.0].into_iter().map(move |place: f32| {
            let position = Vec3::new(0.0185 * place, 0.0, -0.015 * place.abs());
            // a little, so that they do not touch
            let orientation = Quat::IDENTITY.turned(random.vector() * 0.15);
            Placed::at(&DIE, Pose { position, orientation })
        })
    }
}
