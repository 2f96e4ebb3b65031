//! Conveyor belts with encoders.
//!
//! ```text
//! speed      towards the set point by at most `acceleration`                         m/s
//! encoder    p' = p + 4 · lines · speed · h, in 2⁻⁴⁸ of an edge                      A on for ⌊p⌋ mod 4 in {0, 1}, B for {1, 2}
//! ```
//! It begins in the middle between two edges: a way of a whole number of edges counts as many, however it is rounded, up to some ten million of them.

use super::image::{BeltSetpoint, EncoderSignal};
use super::state::persist;
use super::time::{Moment, Pace, Ramp};
use crate::check::{moderate, non_negative, positive};
use crate::error::Error;
use crate::math::Vec3;
use crate::world::{AnyWorld, ColliderId};

/// A belt: a surface that moves along itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belt {
    /// The belt's surface.
    pub surface: ColliderId,
    /// Which way it goes, in the surface's frame: a unit vector.
    pub direction: Vec3<f32>,
    /// Speed at 100 %. m/s
    pub top_speed: f32,
    /// How fast it starts and brakes. m/s²
    pub acceleration: f32,
    /// Lines of its encoder to a metre of belt; each makes four edges. 1/m
    pub lines_per_metre: f32,
}

/// A belt in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) settings: Belt,
    /// from rest to top speed
    starting: Pace,
    pub(super) state: Run,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// of its top speed, −1 … 1
    speed: Ramp,
    /// whole edges; wraps as counters of 32 bits do
    count: i32,
    /// how far beyond, in 2⁻⁴⁸ edges
    part: i64,
}
persist!(Run { speed, count, part }, |run| {
    if (0..EDGE).contains(&run.part) { Ok(()) } else { Err(Error::OutOfRange("edge")) }
});

/// Of 2⁻⁴⁸: as fine as a sub-step's way is known, and 32 768 of them in one are counted.
const EDGE: i64 = 1 << 48;

impl Running {
    pub(super) fn new(settings: Belt, world: &dyn AnyWorld) -> Result<Self, Error> {
        world.collider(settings.surface)?;
        // as near to a unit vector as rounding makes one
        let square = settings.direction.dot(settings.direction);
        if !(0.999_99..1.000_01).contains(&square) {
            return Err(Error::OutOfRange("direction"));
        }
        non_negative(settings.top_speed, "top_speed")?;
        moderate(settings.top_speed, "top_speed")?;
        positive(settings.acceleration, "acceleration")?;
        non_negative(settings.lines_per_metre, "lines_per_metre")?;
        moderate(settings.lines_per_metre, "lines_per_metre")?;
        let starting = Pace::new(settings.top_speed / settings.acceleration);
        Ok(Self { settings, starting, state: Run { speed: Ramp::default(), count: 0, part: EDGE / 2 } })
    }

    pub(super) fn drive(
        &mut self,
        setpoint: &BeltSetpoint,
        world: &mut dyn AnyWorld,
        now: Moment,
    ) -> Result<(), Error> {
        let Belt { surface, direction, top_speed, lines_per_metre, .. } = self.settings;
        let Run { speed, count, part } = &mut self.state;
        speed.advance(if setpoint.run { 0.01 * setpoint.speed_percent } else { 0.0 }, now.elapsed, &self.starting);
        let speed = speed.share() * top_speed;
        let edges = 4.0 * lines_per_metre * (speed * now.h);
        let way = part.saturating_add((edges * EDGE as f32) as i64);
        *count = count.wrapping_add((way >> 48) as i32);
        *part = way & (EDGE - 1);
        let surface_velocity = direction * speed;
        if world.collider(surface)?.surface_velocity == surface_velocity {
            return Ok(());
        }
        world.set_surface_velocity(surface, surface_velocity)
    }

    pub(super) fn encoder(&self) -> EncoderSignal {
        let count = self.state.count;
        let quarter = count & 3;
        EncoderSignal { a: quarter < 2, b: quarter == 1 || quarter == 2, count }
    }
}
