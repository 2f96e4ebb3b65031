//! A balancing toy: a plank with two weights under its ends rocks on the edge of a wedge (Hart 2007, Balance2).
//!
//! ```text
//! wedge     fixed, its edge along y, 60 mm above the floor
//! toy       plank of 120 mm × 20 mm × 5 mm on the edge, blocks of 16 mm × 16 mm × 32 mm under its ends: its centre of mass lies below the edge
//! dice      16 mm, two, ride on the plank
//! ```

use crate::hart::{House, Piece, Placed, Play, Staged};
use crate::scene::Stage;
use crate::solids::{CUBE, PLANK, POST, WEDGE};
use tumble::math::{Pose, Vec3, Vec6};

/// The toy.
#[derive(Clone, Copy, Debug)]
pub struct Balance;

/// House, toy, two dice.
pub type SmallBalance = Stage<Staged<Balance>, 4, 40, 120, 7, 0>;

/// The edge's height. m
const EDGE: f32 = 0.06;
const UP: Vec3<f32> = Vec3::new(0.0, 0.0, 1.0);

static WALLS: [(Vec3<f32>, Vec3<f32>); 1] = [(Vec3::new(0.0, 0.0, 0.0), UP)];
/// Its centre of mass lies a third of 20 mm above its base.
static SUPPORT: [Piece; 1] = [(&WEDGE, Vec3::new(0.0, 0.0, EDGE - 2.0 / 3.0 * 0.02))];
/// From the edge's middle.
static TOY: [Piece; 3] = [
    (&PLANK, Vec3::new(0.0, 0.0, 2.5e-3)),
    (&POST, Vec3::new(-0.052, 0.0, -0.016)),
    (&POST, Vec3::new(0.052, 0.0, -0.016)),
];
static DIE: [Piece; 1] = [(&CUBE, Vec3::new(0.0, 0.0, 0.0))];

impl Play for Balance {
    fn house() -> House {
        House { pose: Pose::IDENTITY, spin: Vec3::default(), walls: &WALLS, solids: &SUPPORT }
    }

    fn cast() -> impl Iterator<Item = Placed> {
        // turning about the edge, all three
        let spin = Vec3::new(0.0, 1.5, 0.0);
        [(&TOY[..], 0.0, 0.0), (&DIE, -0.025, 0.013), (&DIE, 0.025, 0.013)].into_iter().map(move |(pieces, x, z)| {
            let arm = Vec3::new(x, 0.0, z);
            let velocity = Vec6::new(spin.cross(arm), spin);
            Placed { velocity, ..Placed::at(pieces, Pose::at(Vec3::new(0.0, 0.0, EDGE) + arm)) }
        })
    }
}
