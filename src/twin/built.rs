//! How a plant is built, as bytes to be hashed: a snapshot is of one plant and of no other that has as many parts.

use super::barrier::{LightBarrier, Watching};
use super::belt::{Belt, Running};
use super::cylinder::{Cylinder, Travelling};
use super::feed::FeedTable;
use super::gauges::{Accelerating, Accelerometer, Camera, Filming, WeighCell, Weighing};
use super::hopper::{Delivering, Hopper, PartKind};
use super::switch::Switching;
use super::vibrator::{Drive, Vibrating, Vibrator};
use super::zone::{Region, Zone, Zoned};
use crate::record::{Persist, Sink};
use crate::shape::Shape;
use crate::world::Material;

/// What a part is, as far as it stays.
pub(super) trait Built {
    fn tell(&self, out: &mut dyn Sink);
}

/// Values are their bytes.
impl<T: Persist> Built for T {
    fn tell(&self, out: &mut dyn Sink) {
        self.save(out);
    }
}

/// Settings are all of their fields: one that is forgotten does not compile.
macro_rules! settings {
    ($($settings:ty { $($field:ident),+ })+) => {$(
        impl Built for $settings {
            fn tell(&self, out: &mut dyn Sink) {
                let Self { $($field),+ } = self;
                $($field.tell(out);)+
            }
        }
    )+};
}

settings! {
    Vibrator { body, swing, phase, ramp_time, drive }
    Belt { surface, direction, top_speed, acceleration, lines_per_metre }
    Cylinder { body, stroke, extend_time, retract_time }
    Hopper { part, outlet, spread, velocity, parts_per_second, jitter, tumbles, seed }
    PartKind { shape, density, material, is_guided }
    Material<f32> { friction, rolling_friction, spinning_friction, restitution, compliance, damping }
    LightBarrier { from, to, hysteresis, output, sees_kinematic, sees_fixed }
    Switching { normally_closed, on_delay, off_delay }
    Zone { region, level, hysteresis, output, is_sink }
    Region { centre, half }
    WeighCell { platform, filter_time, noise, seed }
    Accelerometer { body, point }
    Camera { field, period }
    FeedTable { slopes, holds, throws, speeds }
}

/// Parts are their settings, and where they stood when they were added.
macro_rules! parts {
    ($($part:ty { $($field:ident),+ })+) => {$(
        impl Built for $part {
            fn tell(&self, out: &mut dyn Sink) {
                $(self.$field.tell(out);)+
            }
        }
    )+};
}

parts! {
    Vibrating { settings, rest }
    Running { settings }
    Travelling { settings, rest }
    Delivering { settings }
    Watching { settings }
    Zoned { settings }
    Weighing { settings }
    Accelerating { settings }
    Filming { settings }
}

/// Lists begin with how many there are.
impl<T: Built> Built for [T] {
    fn tell(&self, out: &mut dyn Sink) {
        u32::try_from(self.len()).unwrap_or(u32::MAX).save(out);
        self.iter().for_each(|item| item.tell(out));
    }
}

impl Built for Drive {
    fn tell(&self, out: &mut dyn Sink) {
        match self {
            Self::Resolved => 0_u8.save(out),
            Self::Averaged { table, friction } => {
                1_u8.save(out);
                table.tell(out);
                friction.save(out);
            }
        }
    }
}

impl Built for Shape<f32> {
    fn tell(&self, out: &mut dyn Sink) {
        let (kind, sizes) = match *self {
            Self::Sphere { radius } => (0_u8, [radius, 0.0, 0.0]),
            Self::Capsule { radius, half_length } => (1, [radius, half_length, 0.0]),
            Self::Cylinder { radius, half_length } => (2, [radius, half_length, 0.0]),
            Self::Box { half } => (3, half.into()),
            // as in a world's snapshot
            Self::Polyhedron(polyhedron) => (4, [polyhedron.volume, 0.0, 0.0]),
            Self::HalfSpace => (5, [0.0; 3]),
        };
        kind.save(out);
        sizes.save(out);
    }
}
