//! Steel spheres in a shaken box (Tasora 2006, fig. 2).
//!
//! ```text
//! spheres   r = 5 mm, 4.1 g, μ = 0.2, as many as there are places for bodies less one
//! box       n by n spheres with a little play, n³ ≥ their number; walls without end
//! drive     x(t) = A sin 2πft, z(t) = A/4 sin 4πft; A = 5 mm, f = 8 Hz: 1.3 g along x, as much along z
//! ```
//! The box moves as told, at the finite difference of its path over each step, so that it is where the path is. The spheres begin as loose
//! layers and lie close after some 50 ms; then there are about three points of contact a sphere.

use crate::clock::Clock;
use crate::parts::{STEEL, WALLS, add_part, add_walls, lattice, rough};
use crate::scene::{AnyWorld, Script, Stage, follow};
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, max, waveform};
use tumble::shape::Shape;
use tumble::twin::Random;

/// Spheres in a shaken box.
#[derive(Clone, Copy, Debug)]
pub struct Shaker {
    tray: Option<BodyId>,
    /// half the box inside. m
    half: f32,
}

/// 48 spheres: fits a microcontroller.
pub type SmallShaker = Stage<Shaker, 49, 168, 504, { 48 + WALLS }, 0>;
/// 13³ spheres: some 6500 points of contact.
pub type LargeShaker = Stage<Shaker, 2198, 10_000, 30_000, { 2197 + WALLS }, 0>;

const RADIUS: f32 = 5e-3;
/// From centre to centre at first, along x and y; and upwards: so close that they meet within a few steps. m
const PITCH: f32 = 2.1 * RADIUS;
const PITCH_UP: f32 = 2.04 * RADIUS;
const STROKE: f32 = 5e-3;
const FREQUENCY: f32 = 8.0;

impl Script for Shaker {
    const NEW: Self = Self { tray: None, half: 0.0 };
    const STEPS: u32 = 1000;
    const ITERATIONS: u32 = 30;

    fn build(&mut self, world: &mut dyn AnyWorld) -> Result<(), Error> {
        let spheres = world.body_capacity().saturating_sub(1);
        let cube = |side: u16| usize::from(side).saturating_pow(3);
        let side = (1..u16::MAX).find(|&side| cube(side) >= spheres).unwrap_or(u16::MAX);
        self.half = 0.5 * PITCH * f32::from(side);

        let material = rough(0.2);
        let tray = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        self.tray = Some(tray);
        add_walls(world, tray, self.half, self.half, material)?;
        let mut random = Random::new(2006);
        let first = Vec3::new(0.5 * PITCH - self.half, 0.5 * PITCH - self.half, 0.5 * PITCH_UP);
        for place in lattice(side, side).take(spheres) {
            // a little off, or spheres would stand on each other's tips for ever; never into each other
            let off = random.vector() * (0.02 * RADIUS);
            let at = Pose::at(first + Vec3::new(place.x * PITCH, place.y * PITCH, place.z * PITCH_UP) + off);
            add_part(world, Shape::Sphere { radius: RADIUS }, STEEL, material, at)?;
        }
        Ok(())
    }

    fn drive(&mut self, world: &mut dyn AnyWorld, clock: Clock, h: f32) -> Result<(), Error> {
        let Some(tray) = self.tray else { return Ok(()) };
        let (once, twice) = (clock.phase(FREQUENCY), clock.phase(2.0 * FREQUENCY));
        let path = Vec3::new(STROKE * waveform::sin(once), 0.0, 0.25 * STROKE * waveform::sin(twice));
        follow(world, tray, path, h)
    }

    fn kpis(&self, world: &dyn AnyWorld, tell: &mut dyn FnMut(&'static str, f32)) {
        let Some(Ok(tray)) = self.tray.map(|id| world.body(id)) else { return };
        let floor = tray.pose().position;
        let (mut top, mut outside) = (0.0, 0.0);
        world.for_each_body(&mut |id, body| {
            let at = body.pose().position - floor;
            let inside = at.x.abs() < self.half && at.y.abs() < self.half && at.z > 0.0;
            if Some(id) != self.tray {
                top = max(at.z + RADIUS, top);
                outside += if inside { 0.0 } else { 1.0 };
            }
        });
        tell("spheres_outside", outside);
        tell("bed_height_m", top);
    }
}
