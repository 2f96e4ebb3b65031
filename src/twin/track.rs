//! Tracks to build: shapes for a body that a vibrator swings or that stands.
//!
//! ```text
//! flat      a plate, top at z = 0, from x = 0 to its length, y = 0 its middle
//! rail      a plate between two walls
//! channel   a floor and two walls without end
//! groove    two planes without end that meet in the x axis, each tilted by the same angle
//! bowl      a helix round z, of plates with a wall outside: parts climb with rising angle
//! ```
//! All in the body's frame, whole or not at all: what is refused adds nothing. Plates of a bowl overlap like shingles: each ends a little higher than the next begins, so that parts that climb meet no edge.

use crate::body::BodyId;
use crate::check::positive;
use crate::error::Error;
use crate::math::{Pose, Quat, Vec3};
use crate::shape::Shape;
use crate::world::{AnyWorld, Collider, Material};
use core::f32::consts::TAU;
use core::ops::Range;

/// Half as thick as plates and walls are. m
const HALF_PLATE: f32 = 2e-3;
/// From a plate of a bowl down to the next. m
const SHINGLE: f32 = 0.2e-3;

/// A flat plate.
///
/// # Errors
/// [`Error::NonPositive`] naming `length` or `width`, and what the world refuses.
pub fn add_flat(
    world: &mut dyn AnyWorld,
    body: BodyId,
    (length, width): (f32, f32),
    material: Material<f32>,
) -> Result<(), Error> {
    positive(length, "length")?;
    positive(width, "width")?;
    add_all(world, body, core::iter::once(plate(length, width, material)))
}

/// A flat plate of this width between walls of this height.
///
/// # Errors
/// [`Error::NonPositive`] naming `length`, `width` or `wall`, and what the world refuses.
pub fn add_rail(
    world: &mut dyn AnyWorld,
    body: BodyId,
    (length, width): (f32, f32),
    wall: f32,
    material: Material<f32>,
) -> Result<(), Error> {
    positive(wall, "wall")?;
    positive(length, "length")?;
    positive(width, "width")?;
    let half = Vec3::new(0.5 * length, HALF_PLATE, 0.5 * wall);
    let [left, right] = [1.0, -1.0].map(|side| {
        let middle = Vec3::new(half.x, side * (0.5 * width + HALF_PLATE), half.z);
        block(Pose::at(middle), half, material)
    });
    add_all(world, body, [plate(length, width, material), right, left].into_iter())
}

/// A floor and two walls without end, this wide: the cheapest of all for round parts.
///
/// # Errors
/// [`Error::NonPositive`]`("width")`, and what the world refuses.
pub fn add_channel(world: &mut dyn AnyWorld, body: BodyId, width: f32, material: Material<f32>) -> Result<(), Error> {
    positive(width, "width")?;
    let quarter = 0.25 * TAU;
    let planes = [(0.0, 0.0), (-0.5 * width, -quarter), (0.5 * width, quarter)];
    add_all(world, body, planes.map(|(y, turn)| plane(y, turn, material)).into_iter())
}

/// Two planes that meet in the x axis, each rising to its side by `tilt`, between 0 and a right angle (rad).
///
/// # Errors
/// [`Error::OutOfRange`]`("tilt")`, and what the world refuses.
pub fn add_groove(world: &mut dyn AnyWorld, body: BodyId, tilt: f32, material: Material<f32>) -> Result<(), Error> {
    if !(tilt > 0.0 && tilt < 0.25 * TAU) {
        return Err(Error::OutOfRange("tilt"));
    }
    add_all(world, body, [-tilt, tilt].map(|turn| plane(0.0, turn, material)).into_iter())
}

/// The track of a bowl.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BowlTrack {
    /// Of the track's middle. m
    pub radius: f32,
    /// m
    pub width: f32,
    /// Height of its outer wall. m
    pub wall: f32,
    /// How much it rises in a full turn. m
    pub rise: f32,
    /// How far it goes round; it begins at angle 0, on the x axis, at z = 0. Turns
    pub turns: f32,
    /// It leans outwards by this, so that parts stay at the wall. rad
    pub bank: f32,
    /// Plates it is made of, each with a wall: twice as many shapes.
    pub plates: u16,
}

impl BowlTrack {
    /// Its middle at `share` of its length, 0 … 1, and how it lies there: x the way parts climb, z up. (m, body's frame)
    pub fn place(&self, share: f32) -> Pose<f32> {
        let angle = TAU * self.turns * share;
        let middle = Vec3::new(
            // where a plate is is no waveform: the same with every feature
            self.radius * libm::cosf(angle),
            self.radius * libm::sinf(angle),
            self.rise * self.turns * share,
        );
        // x along the tangent: a quarter ahead; its slope is that of the helix
        let slope = self.slope();
        let flat = Quat::IDENTITY.turned_far(Vec3::new(0.0, 0.0, angle + 0.25 * TAU));
        let outwards = flat.turn(Vec3::new(0.0, -1.0, 0.0));
        let forward = flat.turn(Vec3::new(1.0, 0.0, 0.0));
        // turning about `outwards` lifts what is ahead, about `forward` what is on the left, that is inside
        let orientation = flat.turned_far(outwards * slope).turned_far(forward * self.bank);
        Pose { position: middle, orientation }
    }

    /// How steep it is. rad
    fn slope(&self) -> f32 {
        libm::atanf(self.rise / (TAU * self.radius))
    }

    /// Add it to a body.
    ///
    /// # Errors
    /// [`Error::NonPositive`] naming `radius`, `width`, `wall`, `turns` or `plates`; [`Error::OutOfRange`] naming `width` where it reaches the axis, `rise` where the track is steeper
    /// than 45°, `bank` beyond 45°, `plates` where there are fewer than six to a turn; and what the world refuses.
    pub fn add(&self, world: &mut dyn AnyWorld, body: BodyId, material: Material<f32>) -> Result<(), Error> {
        self.add_plates(world, body, 0..self.plates, material)
    }

    /// Add only these of its plates, each with its wall: the others are to be of another width, or missing.
    ///
    /// # Errors
    /// As [`add`](Self::add), and [`Error::OutOfRange`]`("numbers")` for plates that it does not have.
    pub fn add_plates(
        &self,
        world: &mut dyn AnyWorld,
        body: BodyId,
        numbers: Range<u16>,
        material: Material<f32>,
    ) -> Result<(), Error> {
        for (x, name) in [(self.radius, "radius"), (self.width, "width"), (self.wall, "wall"), (self.turns, "turns")] {
            positive(x, name)?;
        }
        let plates = f32::from(self.plates);
        positive(plates, "plates")?;
        // written so that what is no number is in no range
        let in_range = [
            (self.width < 2.0 * self.radius, "width"),
            (self.rise.abs() <= TAU * self.radius, "rise"),
            (self.bank.abs() <= 0.125 * TAU, "bank"),
            (plates >= 6.0 * self.turns, "plates"),
        ];
        if let Some((_, name)) = in_range.into_iter().find(|(is_in_range, _)| !is_in_range) {
            return Err(Error::OutOfRange(name));
        }
        if numbers.end > self.plates {
            return Err(Error::OutOfRange("numbers"));
        }
        // long enough to close the outer corners of the polygon: r tan α, with tan α = α + α³/3
        let half_arc = 0.5 * TAU * self.turns / plates;
        let half_length =
            half_arc * (1.0 + half_arc * half_arc / 3.0) * (self.radius + 0.5 * self.width) / libm::cosf(self.slope());
        let plates = numbers.flat_map(|number| {
            let Pose { position, orientation } = self.place((f32::from(number) + 0.5) / plates);
            let outwards = orientation.turn(Vec3::new(0.0, -1.0, 0.0));
            let orientation = orientation.turned(outwards * (0.5 * SHINGLE / half_length));
            let pose = Pose { position, orientation };
            let plate = Pose { position: pose.point(Vec3::new(0.0, 0.0, -HALF_PLATE)), orientation };
            let plate = block(plate, Vec3::new(half_length, 0.5 * self.width, HALF_PLATE), material);
            let at_wall = Vec3::new(0.0, -0.5 * self.width - HALF_PLATE, 0.5 * self.wall);
            let wall = Pose { position: pose.point(at_wall), orientation };
            [plate, block(wall, Vec3::new(half_length, HALF_PLATE, 0.5 * self.wall), material)]
        });
        add_all(world, body, plates)
    }
}

/// The flat plate.
fn plate(length: f32, width: f32, material: Material<f32>) -> Collider<f32> {
    let half = Vec3::new(0.5 * length, 0.5 * width, HALF_PLATE);
    block(Pose::at(Vec3::new(half.x, 0.0, -HALF_PLATE)), half, material)
}

/// A plane without end that is turned about x.
fn plane(y: f32, turn: f32, material: Material<f32>) -> Collider<f32> {
    let orientation = Quat::IDENTITY.turned_far(Vec3::new(turn, 0.0, 0.0));
    let pose = Pose { position: Vec3::new(0.0, y, 0.0), orientation };
    Collider { pose, material, ..Collider::new(Shape::HalfSpace) }
}

fn block(pose: Pose<f32>, half: Vec3<f32>, material: Material<f32>) -> Collider<f32> {
    Collider { pose, material, ..Collider::new(Shape::Box { half }) }
}

/// Give a body all of these, once nothing is wrong with any of them and there is room for all.
fn add_all(
    world: &mut dyn AnyWorld,
    body: BodyId,
    shapes: impl Iterator<Item = Collider<f32>> + Clone,
) -> Result<(), Error> {
    world.body(body)?;
    let mut room = world.collider_capacity().saturating_sub(world.collider_count());
    for shape in shapes.clone() {
        shape.check()?;
        room = room.checked_sub(1).ok_or(Error::CapacityExceeded("colliders"))?;
    }
    for shape in shapes {
        world.add_collider(body, shape)?;
    }
    Ok(())
}
