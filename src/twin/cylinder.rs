//! Cylinders: whatever a valve moves between two ends. A gate, an escapement, a pusher, a wiper, a trap.
//!
//! ```text
//! place     p' = p ± h/travel time, 0 … 1: out while the valve is on, in while it is off
//! pose      q = q_0 + p · stroke                                      m along, rad about the world's axes
//! ```

use super::image::EndSwitches;
use super::state::persist;
use super::vibrator::{follow, ramped};
use crate::body::BodyId;
use crate::check::{from_zero_to_one, non_negative};
use crate::error::Error;
use crate::math::{Pose, Vec3, Vec6};
use crate::world::AnyWorld;

/// Something that a valve moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// What moves: a kinematic body; where it is when it is added is all the way in.
    pub body: BodyId,
    /// How far it goes: along and about the world's axes, a flap by less than half a turn. m, rad
    pub stroke: Vec6<f32>,
    /// How long it takes to go out. s
    pub extend_time: f32,
    /// How long it takes to come in. s
    pub retract_time: f32,
}

/// A cylinder in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Travelling {
    pub(super) settings: Cylinder,
    pub(super) rest: Pose<f32>,
    pub(super) state: Travel,
    /// In this step it sticks where it is: a fault.
    pub(super) is_jammed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    /// 0 in, 1 out
    place: f32,
}
persist!(Travel { place }, |travel| from_zero_to_one(travel.place, "place"));

impl Travelling {
    pub(super) fn new(settings: Cylinder, world: &dyn AnyWorld) -> Result<Self, Error> {
        if !settings.stroke.is_finite() {
            return Err(Error::NonFinite("stroke"));
        }
        non_negative(settings.extend_time, "extend_time")?;
        non_negative(settings.retract_time, "retract_time")?;
        let rest = *world.body(settings.body)?.pose();
        Ok(Self { settings, rest, state: Travel::default(), is_jammed: false })
    }

    pub(super) fn drive(&mut self, valve: bool, world: &mut dyn AnyWorld, h: f32) -> Result<(), Error> {
        let Cylinder { body, stroke, extend_time, retract_time } = self.settings;
        if !self.is_jammed {
            let (target, time) = if valve { (1.0, extend_time) } else { (0.0, retract_time) };
            self.state.place = ramped(self.state.place, target, h, time);
        }
        let off = stroke * self.state.place;
        let Pose { position, orientation } = self.rest;
        // most only slide
        let orientation =
            if stroke.angular == Vec3::default() { orientation } else { orientation.turned_far(off.angular) };
        follow(world, body, &Pose { position: position + off.linear, orientation }, h)
    }

    pub(super) fn ends(&self) -> EndSwitches {
        EndSwitches { retracted: self.state.place <= 0.0, extended: self.state.place >= 1.0 }
    }
}
