//! Cylinders: whatever a valve moves between two ends. A gate, an escapement, a pusher, a wiper, a trap.
//!
//! ```text
//! place     p' = p ± h/travel time, 0 … 1: out while the valve is on, in while it is off; there in the sub-step in which that time is over
//! pose      q = q_0 + p · stroke                                      m along, rad about the world's axes
//! ```

use super::image::EndSwitches;
use super::state::persist;
use super::time::{Moment, Pace, Ramp};
use super::vibrator::{follow, rest_of};
use crate::body::BodyId;
use crate::check::{from_zero_to_one, moderate_vector, non_negative};
use crate::error::Error;
use crate::math::{Pose, Vec3, Vec6};
use crate::world::AnyWorld;
use core::f32::consts::PI;

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
    extending: Pace,
    retracting: Pace,
    pub(super) state: Travel,
    /// In this step it sticks where it is: a fault.
    pub(super) is_jammed: bool,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    /// 0 in, 1 out
    place: Ramp,
}
persist!(Travel { place }, |travel| from_zero_to_one(travel.place.share(), "place"));

impl Travelling {
    pub(super) fn new(settings: Cylinder, world: &dyn AnyWorld) -> Result<Self, Error> {
        let Vec6 { linear, angular } = settings.stroke;
        moderate_vector(linear, "stroke")?;
        moderate_vector(angular, "stroke")?;
        if angular.dot(angular) >= PI * PI {
            return Err(Error::OutOfRange("stroke"));
        }
        non_negative(settings.extend_time, "extend_time")?;
        non_negative(settings.retract_time, "retract_time")?;
        let rest = rest_of(world, settings.body)?;
        let [extending, retracting] = [settings.extend_time, settings.retract_time].map(Pace::new);
        Ok(Self { settings, rest, extending, retracting, state: Travel::default(), is_jammed: false })
    }

    pub(super) fn drive(&mut self, valve: bool, world: &mut dyn AnyWorld, now: Moment) -> Result<(), Error> {
        let Cylinder { body, stroke, .. } = self.settings;
        let was = stroke * self.state.place.share();
        if !self.is_jammed {
            let (target, pace) = if valve { (1.0, &self.extending) } else { (0.0, &self.retracting) };
            self.state.place.advance(target, now.elapsed, pace);
        }
        let off = stroke * self.state.place.share();
        let Pose { position, orientation } = self.rest;
        // most only slide
        let orientation =
            if stroke.angular == Vec3::default() { orientation } else { orientation.turned_far(was.angular) };
        follow(world, body, &Pose { position: position + was.linear, orientation }, off - was, now.h)
    }

    pub(super) fn ends(&self) -> EndSwitches {
        EndSwitches { retracted: self.state.place.is_zero(), extended: self.state.place.is_full() }
    }
}
