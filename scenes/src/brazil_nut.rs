//! A large sphere rises through small ones under shaking (Hart 2007, future work).
//!
//! ```text
//! grains    r = 4 mm, as many as there are places for bodies less two
//! nut       r = 12 mm (9 mm among fewer than 100 grains), of the same stuff, at first on the floor
//! box       as wide as two nuts
//! drive     taps, five a second: z(t) = A (1 − cos 2πft)/2 for one cycle, then rest; A = 17 mm, f = 12 Hz: 4.9 g
//! stuff     μ = 0.7, restitution 0.5, 1200 kg/m³
//! ```
//! Each tap throws everything up; while it comes down grains get below the nut, and rough walls carry those beside them down. With
//! μ = 0.3 or less the nut stays where it is.

use crate::clock::Clock;
use crate::parts::{WALLS, add_part, add_walls, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage, follow};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, max, waveform};
use tumble::shape::Shape;
use tumble::twin::Random;
use tumble::world::Material;

/// A nut among grains.
#[derive(Clone, Copy, Debug)]
pub struct BrazilNut {
    tray: Option<BodyId>,
    nut: Option<BodyId>,
    /// m
    nut_radius: f32,
}

/// 34 grains: fits a microcontroller.
pub type SmallBrazilNut = Stage<BrazilNut, 36, 160, 480, { 35 + WALLS }, 0>;
/// 200 grains.
pub type LargeBrazilNut = Stage<BrazilNut, 202, 900, 2700, { 201 + WALLS }, 0>;

const GRAIN: f32 = 4e-3;
const DENSITY: f32 = 1200.0;
const STROKE: f32 = 0.017;
const FREQUENCY: f32 = 12.0;
/// From tap to tap. s
const PERIOD: f32 = 0.2;

impl Script for BrazilNut {
    const NEW: Self = Self { tray: None, nut: None, nut_radius: 0.0 };
    const STEPS: u32 = 4000;
    const ITERATIONS: u32 = 30;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let grains = world.body_capacity().saturating_sub(2);
        // as many layers as the nut is high, or more; with room for grains to pass on either side; grains begin apart
        let (nut, side) = if grains < 100 { (2.25 * GRAIN, 4) } else { (3.0 * GRAIN, 5) };
        let half = 2.0 * nut;
        let pitch = 2.0 * half / f32::from(side);

        let material = Material { restitution: 0.5, ..rough(0.7) };
        let tray = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        add_walls(world, tray, half, half, material)?;
        let middle = Vec3::new(0.0, 0.0, nut);
        let large = add_part(world, Shape::Sphere { radius: nut }, DENSITY, material, Pose::at(middle))?;
        (self.tray, self.nut, self.nut_radius) = (Some(tray), Some(large), nut);

        let mut random = Random::new(2007);
        let first = Vec3::new(0.5 * pitch - half, 0.5 * pitch - half, 0.5 * pitch);
        let places = lattice(side, side).map(|place| first + place * pitch + random.vector() * (0.1 * GRAIN));
        let beside_nut = |at: &Vec3<f32>| {
            let (d, apart) = (*at - middle, nut + GRAIN);
            d.dot(d) > apart * apart
        };
        for at in places.filter(beside_nut).take(grains) {
            add_part(world, Shape::Sphere { radius: GRAIN }, DENSITY, material, Pose::at(at))?;
        }
        Ok(())
    }

    fn drive(&mut self, world: &mut dyn AnyWorld, clock: Clock, h: f32) -> Result<(), Error> {
        let Some(tray) = self.tray else { return Ok(()) };
        let tap = clock.within(PERIOD);
        let moving = tap.seconds() * FREQUENCY < 1.0;
        let lift = if moving { 0.5 * STROKE * (1.0 - waveform::cos(tap.phase(FREQUENCY))) } else { 0.0 };
        follow(world, tray, Vec3::new(0.0, 0.0, lift), h)
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let body = |id: Option<BodyId>| id.and_then(|id| world.body(id).ok());
        let (Some(tray), Some(nut)) = (body(self.tray), body(self.nut)) else { return };
        let (floor, nut) = (tray.pose().position.z, nut.pose().position.z);
        let (mut top, mut above) = (0.0, 0.0);
        world.for_each_body(&mut |id, body| {
            let z = body.pose().position.z;
            if Some(id) != self.tray && Some(id) != self.nut {
                top = max(z - floor + GRAIN, top);
                above += if z > nut { 1.0 } else { 0.0 };
            }
        });
        tell("nut_height_m", nut - floor - self.nut_radius);
        tell("grains_above_nut", above);
        tell("bed_height_m", top);
    }
}
