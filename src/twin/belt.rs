//! Conveyor belts with encoders.
//!
//! ```text
//! speed      towards the set point by at most `acceleration`                         m/s
//! encoder    p' = p + 4 · lines · speed · h, in 2⁻¹⁶ of an edge                      A on for p mod 4 in {0, 1}, B for {1, 2}
//! ```

use super::image::{BeltSetpoint, EncoderSignal};
use super::state::persist;
use crate::check::{finite, non_negative, positive};
use crate::error::Error;
use crate::math::{Vec3, clamp};
use crate::world::{AnyWorld, Collider, ColliderId};

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
    pub(super) state: Run,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    /// m/s
    speed: f32,
    /// 2⁻¹⁶ edges
    edges: i64,
}
persist!(Run { speed, edges });

impl Running {
    pub(super) fn new(settings: Belt, world: &dyn AnyWorld) -> Result<Self, Error> {
        world.collider(settings.surface)?;
        for x in <[f32; 3]>::from(settings.direction) {
            finite(x, "direction")?;
        }
        non_negative(settings.top_speed, "top_speed")?;
        positive(settings.acceleration, "acceleration")?;
        non_negative(settings.lines_per_metre, "lines_per_metre")?;
        Ok(Self { settings, state: Run::default() })
    }

    pub(super) fn drive(&mut self, setpoint: &BeltSetpoint, world: &mut dyn AnyWorld, h: f32) -> Result<(), Error> {
        let Belt { surface, direction, top_speed, acceleration, lines_per_metre } = self.settings;
        let target = if setpoint.run { 0.01 * setpoint.speed_percent * top_speed } else { 0.0 };
        let most = acceleration * h;
        let speed = self.state.speed + clamp(target - self.state.speed, -most, most);
        self.state.speed = speed;
        let edges = 4.0 * 65536.0 * lines_per_metre * (speed * h);
        self.state.edges = self.state.edges.wrapping_add(edges as i64);
        let surface_velocity = direction * speed;
        let collider = *world.collider(surface)?;
        if collider.surface_velocity != surface_velocity {
            world.set_collider(surface, Collider { surface_velocity, ..collider })?;
        }
        Ok(())
    }

    pub(super) fn encoder(&self) -> EncoderSignal {
        // wraps as counters of 32 bits do
        let count = (self.state.edges >> 16) as i32;
        let quarter = count & 3;
        EncoderSignal { a: quarter < 2, b: quarter == 1 || quarter == 2, count }
    }
}
