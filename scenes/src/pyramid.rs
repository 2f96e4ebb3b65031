//! A pyramid of dice on a tray that hangs from an axle and is tilted (Hart 2007, Pyramid1).
//!
//! ```text
//! pyramid   dice of 16 mm, 4 + 3 + 2 + 1, each over the gap between two
//! tray      0.3 m below the axle, turns about it at 0.6 rad/s: from −10° to 10° in 0.6 s, less than friction holds
//! ```

use crate::hart::{House, Piece, Placed, Play, Staged};
use crate::scene::Stage;
use crate::solids::CUBE;
use tumble::math::{Pose, Quat, Vec3};

/// The tray and what stands on it.
#[derive(Clone, Copy, Debug)]
pub struct Pyramid;

/// Tray and ten dice.
pub type SmallPyramid = Stage<Staged<Pyramid>, 11, 100, 300, 11, 0>;

/// Dice in the lowest row.
const ROWS: u16 = 4;
/// m
const EDGE: f32 = 0.016;
/// From die to die. m
const PITCH: f32 = 0.020;
/// From the axle to the tray. m
const ARM: f32 = 0.3;
/// rad/s
const SPIN: f32 = 0.6;

static WALLS: [(Vec3<f32>, Vec3<f32>); 1] = [(Vec3::new(0.0, 0.0, -ARM), Vec3::new(0.0, 0.0, 1.0))];
static DIE: [Piece; 1] = [(&CUBE, Vec3::new(0.0, 0.0, 0.0))];

impl Play for Pyramid {
    fn house() -> House {
        let orientation = Quat::IDENTITY.turned(Vec3::new(0.0, -0.3 * SPIN, 0.0));
        let pose = Pose { position: Vec3::new(0.0, 0.0, ARM), orientation };
        House { pose, spin: Vec3::new(0.0, SPIN, 0.0), walls: &WALLS, solids: &[] }
    }

    fn cast() -> impl Iterator<Item = Placed> {
        (0..ROWS).flat_map(|row| {
            let dice = ROWS.saturating_sub(row);
            let z = EDGE * (f32::from(row) + 0.5) - ARM;
            let x = move |die: u16| PITCH * (f32::from(die) - 0.5 * f32::from(dice.saturating_sub(1)));
            (0..dice).map(move |die| Placed::at(&DIE, Pose::at(Vec3::new(x(die), 0.0, z))))
        })
    }
}
