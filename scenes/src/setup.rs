//! Six polyhedra of as many kinds in a bin on a turntable: they slide to its outer wall (Hart 2007, Setup6).
//!
//! ```text
//! bin       80 mm × 80 mm, its middle 80 mm from the axle, turns about it at 10 rad/s: 0.8 g outwards, twice what friction holds
//! parts     tetrahedron, octahedron, dodecahedron, nut, block, wedge: 16 to 32 mm
//! ```

use crate::hart::{House, Piece, Placed, Play, Staged};
use crate::parts::lattice;
use crate::scene::Stage;
use crate::solids::{BLOCK, DODECAHEDRON, NUT, OCTAHEDRON, TETRAHEDRON, WEDGE};
use tumble::math::{Pose, Quat, Vec3};
use tumble::twin::Random;

/// The bin and one of each.
#[derive(Clone, Copy, Debug)]
pub struct Setup;

/// Bin and six parts.
pub type SmallSetup = Stage<Staged<Setup>, 7, 100, 300, 11, 0>;

const HALF: f32 = 0.04;
/// From the axle to the bin's middle. m
const ARM: f32 = 0.08;
/// rad/s
const SPIN: f32 = 10.0;
/// m
const PITCH: f32 = 0.036;

static WALLS: [(Vec3<f32>, Vec3<f32>); 5] = [
    (Vec3::new(0.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0)),
    (Vec3::new(ARM - HALF, 0.0, 0.0), Vec3::new(1.0, 0.0, 0.0)),
    (Vec3::new(ARM + HALF, 0.0, 0.0), Vec3::new(-1.0, 0.0, 0.0)),
    (Vec3::new(ARM, -HALF, 0.0), Vec3::new(0.0, 1.0, 0.0)),
    (Vec3::new(ARM, HALF, 0.0), Vec3::new(0.0, -1.0, 0.0)),
];
static SOLIDS: [[Piece; 1]; 6] = {
    const HERE: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);
    [
        [(&TETRAHEDRON, HERE)],
        [(&OCTAHEDRON, HERE)],
        [(&DODECAHEDRON, HERE)],
        [(&NUT, HERE)],
        [(&BLOCK, HERE)],
        [(&WEDGE, HERE)],
    ]
};

impl Play for Setup {
    fn house() -> House {
        House { pose: Pose::IDENTITY, spin: Vec3::new(0.0, 0.0, SPIN), walls: &WALLS, solids: &[] }
    }

    fn cast() -> impl Iterator<Item = Placed> {
        let mut random = Random::new(6);
        lattice(2, 2).zip(&SOLIDS).map(move |(place, solid)| {
            let position = Vec3::new(ARM - 0.5 * PITCH, -0.5 * PITCH, 0.021) + place * PITCH;
            Placed::at(solid, Pose { position, orientation: Quat::IDENTITY.turned(random.vector() * 3.0) })
        })
    }
}
