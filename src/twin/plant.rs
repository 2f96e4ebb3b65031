//! The plant: parts and sensors by channel, and the step that takes a controller's image through the world and back.

use super::image::{Actuators, Sensors, VIBRATORS};
use super::vibrator::{self, Vibrating, Vibrator};
use crate::error::Error;
use crate::joint::StepContext;
use crate::world::{AnyWorld, StepReport, StepSettings};
use heapless::Vec;

/// What makes a world's part of a sub-step of so many seconds: [`AnyWorld::step`], or one with a deadline, or one that is counted.
pub type StepWorld<'a> = dyn FnMut(&mut dyn AnyWorld, f32) -> Result<StepReport<f32>, Error> + 'a;

/// Parts and sensors of a plant, by channel.
#[derive(Clone, Debug)]
pub struct Plant {
    vibrators: Vec<Vibrating, VIBRATORS>,
    /// one less than the sub-steps, so that a new plant is all zeros
    more_substeps: u16,
    sensors: Sensors,
}

impl Plant {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "a default would go through the stack")]
    pub const fn new() -> Self {
        Self { vibrators: Vec::new(), more_substeps: 0, sensors: Sensors::NEW }
    }

    /// As new, in place.
    pub fn clear(&mut self) {
        self.vibrators.clear();
        self.more_substeps = 0;
        self.sensors = Sensors::NEW;
    }

    /// What the last step's sensors said.
    pub const fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// Divide every step into so many: a resolved drive needs 200 a cycle.
    ///
    /// # Errors
    /// [`Error::NonPositive`]`("substeps")`
    pub fn set_substeps(&mut self, substeps: u16) -> Result<(), Error> {
        self.more_substeps = substeps.checked_sub(1).ok_or(Error::NonPositive("substeps"))?;
        Ok(())
    }

    /// Add a vibratory drive; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("vibrators")`, [`Error::NoSuchBody`], and the name of what is wrong with it.
    pub fn add_vibrator(&mut self, world: &dyn AnyWorld, vibrator: Vibrator) -> Result<usize, Error> {
        let vibrating = Vibrating::new(vibrator, world)?;
        add(&mut self.vibrators, vibrating, "vibrators")
    }

    /// One step of `h` seconds: latch the actuators; drive, step and sense as often as there are sub-steps.
    ///
    /// # Errors
    /// What [`Actuators::check`] and [`StepSettings::check`] say, and what `step_world` refuses.
    pub fn step(
        &mut self,
        world: &mut dyn AnyWorld,
        h: f32,
        settings: &StepSettings<f32>,
        actuators: &Actuators,
        step_world: &mut StepWorld<'_>,
    ) -> Result<(Sensors, StepReport<f32>), Error> {
        // before anything is driven: what is refused must change nothing
        actuators.check()?;
        settings.check()?;
        let substeps = self.more_substeps.saturating_add(1);
        let dt = h / f32::from(substeps);
        StepContext::implicit(dt, settings.stabilisation).check()?;
        let mut sum: Option<StepReport<f32>> = None;
        for _ in 0..substeps {
            for (vibrator, setpoint) in self.vibrators.iter_mut().zip(&actuators.vibrators) {
                vibrator.advance(setpoint, dt);
            }
            vibrator::drive(&self.vibrators, world, settings.gravity, dt)?;
            let report = step_world(world, dt)?;
            sum = Some(match sum {
                Some(before) => before.followed_by(report),
                None => report,
            });
        }
        // there is at least one sub-step
        let report = sum.ok_or(Error::NonPositive("substeps"))?;
        Ok((self.sensors, report))
    }
}

/// Add to a list of channels.
fn add<T, const N: usize>(list: &mut Vec<T, N>, item: T, name: &'static str) -> Result<usize, Error> {
    let channel = list.len();
    list.push(item).map_err(|_| Error::CapacityExceeded(name))?;
    Ok(channel)
}
