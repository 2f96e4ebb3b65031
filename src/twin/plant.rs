//! The plant: parts and sensors by channel, and the step that takes a controller's image through the world and back.
//!
//! Order of a sub-step: vibrators, belts, cylinders, hoppers; the world; barriers, weigh cells, accelerometers, zones, sinks last. The camera, encoders and end switches are read at
//! the end of the step.

use super::barrier::{LightBarrier, Near, Watching};
use super::belt::{Belt, Running};
use super::built::Built;
use super::cylinder::{Cylinder, Travelling};
use super::gauges::{Accelerating, Accelerometer, Camera, Filming, WeighCell, Weighing};
use super::hopper::{Delivering, Hopper};
use super::image::{
    ACCELEROMETERS, Actuators, BARRIERS, BELTS, HOPPERS, SCALES, Sensors, SwitchSignal, VALVES, VIBRATORS, ZONES,
};
use super::time::{Moment, nanoseconds};
use super::vibrator::{self, Vibrating, Vibrator};
use super::zone::{Zone, Zoned};
use crate::body::BodyId;
use crate::check::{LARGE, positive};
use crate::error::Error;
use crate::math::Vec3;
use crate::record::{Envelope, Fnv, Persist, Reader, Sink};
use crate::world::{AnyWorld, ColliderId, StepReport, StepSettings};
use heapless::Vec;

/// What makes a world's part of a sub-step of so many seconds: [`AnyWorld::step`], or one with a deadline, or one that is counted.
pub type StepWorld<'a> = dyn FnMut(&mut dyn AnyWorld, f32) -> Result<StepReport<f32>, Error> + 'a;

/// A sub-step is no shorter: time is counted in these. s
const SHORTEST: f32 = 1e-9;

/// Round what changes as it steps.
const ENVELOPE: Envelope = Envelope { magic: *b"TUMP", version: 1, number_bytes: 4, name: "plant" };

/// Parts and sensors of a plant, by channel.
#[derive(Clone, Debug)]
pub struct Plant {
    pub(super) vibrators: Vec<Vibrating, VIBRATORS>,
    belts: Vec<Running, BELTS>,
    pub(super) cylinders: Vec<Travelling, VALVES>,
    pub(super) hoppers: Vec<Delivering, HOPPERS>,
    pub(super) barriers: Vec<Watching, BARRIERS>,
    pub(super) zones: Vec<Zoned, ZONES>,
    scales: Vec<Weighing, SCALES>,
    accelerometers: Vec<Accelerating, ACCELEROMETERS>,
    camera: Option<Filming>,
    /// one less than the sub-steps, so that a new plant is all zeros
    more_substeps: u16,
    /// since the start
    nanoseconds: u64,
    /// of the world when the last step was over: another number then says that somebody has changed surfaces, perhaps of what vibrates
    collider_changes: u16,
    sensors: Sensors,
    /// faults may have a share in those
    is_spoilt: bool,
}

impl Plant {
    /// Nothing yet.
    #[allow(clippy::new_without_default, reason = "a default would go through the stack")]
    pub const fn new() -> Self {
        Self {
            vibrators: Vec::new(),
            belts: Vec::new(),
            cylinders: Vec::new(),
            hoppers: Vec::new(),
            barriers: Vec::new(),
            zones: Vec::new(),
            scales: Vec::new(),
            accelerometers: Vec::new(),
            camera: None,
            more_substeps: 0,
            nanoseconds: 0,
            collider_changes: 0,
            sensors: Sensors::NEW,
            is_spoilt: false,
        }
    }

    /// As new, in place.
    pub fn clear(&mut self) {
        self.vibrators.clear();
        self.belts.clear();
        self.cylinders.clear();
        self.hoppers.clear();
        self.barriers.clear();
        self.zones.clear();
        self.scales.clear();
        self.accelerometers.clear();
        self.camera = None;
        (self.more_substeps, self.nanoseconds, self.collider_changes) = (0, 0, 0);
        (self.sensors, self.is_spoilt) = (Sensors::NEW, false);
    }

    /// What the last step's sensors said; before the first, of outputs, encoders and end switches what they say of a machine that has been switched on.
    pub const fn sensors(&self) -> &Sensors {
        &self.sensors
    }

    /// Time since the start. s
    pub fn seconds(&self) -> f32 {
        self.nanoseconds as f32 * 1e-9
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
    /// [`Error::CapacityExceeded`]`("vibrators")`, [`Error::NoSuchBody`], [`Error::Taken`] of a body that a cylinder moves or a belt is on, and the name of what is wrong with it.
    pub fn add_vibrator(&mut self, world: &dyn AnyWorld, vibrator: Vibrator) -> Result<usize, Error> {
        let has_belt = self.belts.iter().any(|belt| owner_of(world, belt.settings.surface) == Some(vibrator.body));
        if has_belt || self.cylinders.iter().any(|cylinder| cylinder.settings.body == vibrator.body) {
            return Err(Error::Taken("body"));
        }
        add(&mut self.vibrators, Vibrating::new(vibrator, world)?, "vibrators")
    }

    /// Add a belt; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("belts")`, [`Error::NoSuchCollider`], [`Error::Taken`] of a surface that another belt or a vibrator moves, and the name of what is wrong with it.
    pub fn add_belt(&mut self, world: &dyn AnyWorld, belt: Belt) -> Result<usize, Error> {
        let vibrates = self.vibrators.iter().any(|part| owner_of(world, belt.surface) == Some(part.settings.body));
        if vibrates || self.belts.iter().any(|other| other.settings.surface == belt.surface) {
            return Err(Error::Taken("surface"));
        }
        let belt = Running::new(belt, world)?;
        let channel = add(&mut self.belts, belt, "belts")?;
        show(&mut self.sensors.encoders, channel, |signal| *signal = belt.encoder());
        Ok(channel)
    }

    /// Add a cylinder; returns the channel of its valve.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("cylinders")`, [`Error::NoSuchBody`], [`Error::Taken`] of a body that another cylinder or a vibrator moves, and the name of what is wrong with it.
    pub fn add_cylinder(&mut self, world: &dyn AnyWorld, cylinder: Cylinder) -> Result<usize, Error> {
        if self.moved().any(|body| body == cylinder.body) {
            return Err(Error::Taken("body"));
        }
        let cylinder = Travelling::new(cylinder, world)?;
        let channel = add(&mut self.cylinders, cylinder, "cylinders")?;
        show(&mut self.sensors.cylinders, channel, |signal| *signal = cylinder.ends());
        Ok(channel)
    }

    /// Add a hopper; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("hoppers")`, and the name of what is wrong with it.
    pub fn add_hopper(&mut self, hopper: Hopper) -> Result<usize, Error> {
        add(&mut self.hoppers, Delivering::new(hopper)?, "hoppers")
    }

    /// Add a light barrier; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("barriers")`, and the name of what is wrong with it.
    pub fn add_barrier(&mut self, barrier: LightBarrier) -> Result<usize, Error> {
        let channel = add(&mut self.barriers, Watching::new(barrier)?, "barriers")?;
        show(&mut self.sensors.barriers, channel, |signal| signal.on = barrier.output.normally_closed);
        Ok(channel)
    }

    /// Add a zone; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("zones")`, and the name of what is wrong with it.
    pub fn add_zone(&mut self, zone: Zone) -> Result<usize, Error> {
        let channel = add(&mut self.zones, Zoned::new(zone)?, "zones")?;
        show(&mut self.sensors.zones, channel, |signal| signal.level.on = zone.output.normally_closed);
        Ok(channel)
    }

    /// Add a weigh cell; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("scales")`, [`Error::NoSuchBody`], and the name of what is wrong with it.
    pub fn add_scale(&mut self, world: &dyn AnyWorld, scale: WeighCell) -> Result<usize, Error> {
        add(&mut self.scales, Weighing::new(scale, world)?, "scales")
    }

    /// Add an accelerometer; returns its channel.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("accelerometers")`, [`Error::NoSuchBody`], and the name of what is wrong with it.
    pub fn add_accelerometer(&mut self, world: &dyn AnyWorld, sensor: Accelerometer) -> Result<usize, Error> {
        add(&mut self.accelerometers, Accelerating::new(sensor, world)?, "accelerometers")
    }

    /// The camera; another takes its place.
    ///
    /// # Errors
    /// The name of what is wrong with it.
    pub fn set_camera(&mut self, camera: Camera) -> Result<(), Error> {
        self.camera = Some(Filming::new(camera)?);
        Ok(())
    }

    /// Refuse a step that [`step`](Self::step) would refuse, whatever the actuators.
    ///
    /// # Errors
    /// What [`World::check_step`](crate::world::World::check_step) says of sub-steps; [`Error::OutOfRange`]`("h")`: sub-steps are a nanosecond long or more, and
    /// steps no more than 10⁶ s; [`Error::OutOfRange`]`("substeps")`: those of a plant are its own ([`set_substeps`](Self::set_substeps)), and its sensors look at all of them;
    /// [`Error::NoSuchBody`], [`Error::NoSuchCollider`] or [`Error::OutOfRange`]`("motion")` where what the plant moves has been removed from the world, or made another.
    pub fn check_step(&self, world: &dyn AnyWorld, h: f32, settings: &StepSettings<f32>) -> Result<(), Error> {
        positive(h, "h")?;
        let substeps = f32::from(self.substeps());
        if !(SHORTEST * substeps..=LARGE).contains(&h) {
            return Err(Error::OutOfRange("h"));
        }
        world.check_step(h / substeps, settings)?;
        if settings.substeps != 1 {
            return Err(Error::OutOfRange("substeps"));
        }
        self.moved().try_for_each(|id| vibrator::rest_of(world, id).map(drop))?;
        self.belts.iter().try_for_each(|belt| world.collider(belt.settings.surface).map(drop))
    }

    /// Bodies that it moves.
    fn moved(&self) -> impl Iterator<Item = BodyId> {
        let vibrating = self.vibrators.iter().map(|part| part.settings.body);
        vibrating.chain(self.cylinders.iter().map(|part| part.settings.body))
    }

    fn substeps(&self) -> u16 {
        self.more_substeps.saturating_add(1)
    }

    /// One step of `h` seconds: latch the actuators; drive, step and sense as often as there are sub-steps.
    ///
    /// # Errors
    /// What [`Actuators::check`] and [`check_step`](Self::check_step) say; then nothing has changed. What `step_world` refuses besides.
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
        self.check_step(world, h, settings)?;
        self.step_checked(world, h, settings, actuators, step_world)
    }

    /// The same, of what has been looked at.
    pub(super) fn step_checked(
        &mut self,
        world: &mut dyn AnyWorld,
        h: f32,
        settings: &StepSettings<f32>,
        actuators: &Actuators,
        step_world: &mut StepWorld<'_>,
    ) -> Result<(Sensors, StepReport<f32>), Error> {
        let substeps = self.substeps();
        let dt = h / f32::from(substeps);

        if core::mem::take(&mut self.is_spoilt) {
            self.forget_faults();
        }
        for signal in &mut self.sensors.barriers {
            (signal.edges, signal.edge_time) = (0, None);
        }
        for signal in &mut self.sensors.zones {
            (signal.level.edges, signal.level.edge_time) = (0, None);
        }
        self.zones.iter_mut().for_each(|zone| zone.taken = 0);
        if world.collider_changes() != self.collider_changes {
            self.vibrators.iter_mut().for_each(Vibrating::forget);
        }
        let (whole, mut ended) = (nanoseconds(h), 0);
        let mut sum: Option<StepReport<f32>> = None;
        for number in 1..=substeps {
            let at = dt * f32::from(number);
            let end = if number == substeps { whole } else { nanoseconds(at) };
            let now = Moment { at, h: dt, elapsed: end.saturating_sub(ended) };
            ended = end;
            self.drive(world, settings.gravity, actuators, now)?;
            let report = step_world(world, dt)?;
            self.nanoseconds = self.nanoseconds.saturating_add(now.elapsed);
            self.sense(world, settings.gravity, now)?;
            sum = Some(match sum {
                Some(before) => before.followed_by(report),
                None => report,
            });
        }
        self.read(world, whole);
        self.collider_changes = world.collider_changes();
        // there is at least one sub-step
        let report = sum.ok_or(Error::NonPositive("substeps"))?;
        Ok((self.sensors, report))
    }

    /// Nothing is broken: faults tell anew what is, for every step.
    pub(super) fn mend(&mut self) {
        self.vibrators.iter_mut().for_each(|vibrator| vibrator.health = 1.0);
        self.cylinders.iter_mut().for_each(|cylinder| cylinder.is_jammed = false);
        self.hoppers.iter_mut().for_each(|hopper| hopper.doubles = 0.0);
    }

    /// What a controller is shown, which may not be what the sensors saw.
    pub(super) fn show(&mut self, sensors: &Sensors) {
        (self.sensors, self.is_spoilt) = (*sensors, true);
    }

    /// A channel without a sensor reads as new, whatever a fault made of it; others are about to be read.
    #[cold]
    fn forget_faults(&mut self) {
        self.sensors.barriers = Sensors::NEW.barriers;
        for signal in &mut self.sensors.zones {
            signal.level = SwitchSignal::default();
        }
        self.sensors.weights = Sensors::NEW.weights;
        self.sensors.cylinders = Sensors::NEW.cylinders;
        self.sensors.encoders = Sensors::NEW.encoders;
    }

    // a frame of its own, as `sense` has: not on the stack while the world steps
    #[inline(never)]
    fn drive(
        &mut self,
        world: &mut dyn AnyWorld,
        gravity: Vec3<f32>,
        actuators: &Actuators,
        now: Moment,
    ) -> Result<(), Error> {
        for (vibrator, setpoint) in self.vibrators.iter_mut().zip(&actuators.vibrators) {
            vibrator.advance(setpoint, now);
        }
        vibrator::drive(&mut self.vibrators, world, gravity, now.h)?;
        for (belt, setpoint) in self.belts.iter_mut().zip(&actuators.belts) {
            belt.drive(setpoint, world, now)?;
        }
        for (cylinder, valve) in self.cylinders.iter_mut().zip(actuators.valves) {
            cylinder.drive(valve, world, now)?;
        }
        for (hopper, on) in self.hoppers.iter_mut().zip(actuators.hoppers) {
            hopper.drive(on, world, now.elapsed)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn sense(&mut self, world: &mut dyn AnyWorld, gravity: Vec3<f32>, now: Moment) -> Result<(), Error> {
        {
            let mut near = [const { Near::NONE }; BARRIERS];
            Near::find(world, &self.barriers, now.h, &mut near);
            for ((barrier, near), signal) in self.barriers.iter_mut().zip(&near).zip(&mut self.sensors.barriers) {
                barrier.sense(world, near, now, signal);
            }
        }
        for scale in &mut self.scales {
            scale.sense(world, now.h);
        }
        for (sensor, reading) in self.accelerometers.iter_mut().zip(&mut self.sensors.accelerations) {
            *reading = sensor.sense(world, gravity, now.h);
        }
        // wraps after 52 days, as times of zones do
        let ticks = (self.nanoseconds >> 20) as u32;
        // sinks last: they take parts away that others are to see
        for sinks in [false, true] {
            for (zone, signal) in self.zones.iter_mut().zip(&mut self.sensors.zones) {
                if zone.settings.is_sink == sinks {
                    zone.sense(world, ticks, now, signal)?;
                }
            }
        }
        Ok(())
    }

    /// What is read once a step.
    fn read(&mut self, world: &dyn AnyWorld, elapsed: u64) {
        let sensors = &mut self.sensors;
        for (belt, signal) in self.belts.iter().zip(&mut sensors.encoders) {
            *signal = belt.encoder();
        }
        for (cylinder, signal) in self.cylinders.iter().zip(&mut sensors.cylinders) {
            *signal = cylinder.ends();
        }
        for (hopper, signal) in self.hoppers.iter().zip(&mut sensors.hoppers) {
            *signal = hopper.signal();
        }
        for (scale, weight) in self.scales.iter_mut().zip(&mut sensors.weights) {
            *weight = scale.read();
        }
        if let Some(camera) = &mut self.camera {
            camera.sense(world, elapsed, &mut sensors.camera);
        }
    }

    /// Hash of how it is built: of all parts in the order in which they were added, and of the sub-steps.
    fn built(&self) -> u64 {
        let mut hash = Fnv::new();
        self.vibrators.as_slice().tell(&mut hash);
        self.belts.as_slice().tell(&mut hash);
        self.cylinders.as_slice().tell(&mut hash);
        self.hoppers.as_slice().tell(&mut hash);
        self.barriers.as_slice().tell(&mut hash);
        self.zones.as_slice().tell(&mut hash);
        self.scales.as_slice().tell(&mut hash);
        self.accelerometers.as_slice().tell(&mut hash);
        self.camera.as_slice().tell(&mut hash);
        self.more_substeps.save(&mut hash);
        hash.finish()
    }

    /// Hash of what changes as it steps, the same on every machine.
    pub fn state_hash(&self) -> u64 {
        let mut hash = Fnv::new();
        self.save_states(&mut hash);
        hash.finish()
    }

    /// Save what changes as it steps. How it is built is not saved, only a hash of it: it is restored into a plant that was built in the same way.
    pub fn save(&self, out: &mut dyn Sink) {
        let built = self.built();
        ENVELOPE.save(out, &|out| {
            built.save(out);
            self.save_states(out);
        });
    }

    fn save_states(&self, out: &mut dyn Sink) {
        self.nanoseconds.save(out);
        self.vibrators.iter().for_each(|part| part.state.save(out));
        self.belts.iter().for_each(|part| part.state.save(out));
        self.cylinders.iter().for_each(|part| part.state.save(out));
        self.hoppers.iter().for_each(|part| part.state.save(out));
        self.barriers.iter().for_each(|part| part.state.save(out));
        self.zones.iter().for_each(|part| part.state.save(out));
        self.scales.iter().for_each(|part| part.state.save(out));
        self.accelerometers.iter().for_each(|part| part.state.save(out));
        self.camera.iter().for_each(|part| part.state.save(out));
        self.sensors.save(out);
    }

    /// Restore what [`save`](Self::save) saved of a plant that was built in the same way.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`]`("plant")`, [`Error::Truncated`] and [`Error::Corrupted`] for other bytes; [`Error::Foreign`]`("plant")` for those of one that was built
    /// otherwise, and what is wrong with a state; then nothing has changed, and nothing has been read.
    pub fn restore(&mut self, input: &mut Reader<'_>) -> Result<(), Error> {
        let mut after = input.clone();
        let states = self.look_at(&mut after)?;
        self.take_states(states)?;
        *input = after;
        Ok(())
    }

    /// Read all that was saved; returns the states in it, which [`take_states`](Self::take_states) cannot refuse. Changes nothing.
    pub(super) fn look_at<'a>(&mut self, input: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
        let mut states = ENVELOPE.open(input)?;
        if states.load::<u64>()? != self.built() {
            return Err(Error::Foreign("plant"));
        }
        let mut looked_at = states.clone();
        self.states(&mut looked_at, false)?;
        if looked_at.rest().is_empty() { Ok(states) } else { Err(Error::OutOfRange("length")) }
    }

    /// The same again, to keep it.
    pub(super) fn take_states(&mut self, mut input: Reader<'_>) -> Result<(), Error> {
        // the world that belongs to it may have other surfaces
        self.vibrators.iter_mut().for_each(Vibrating::forget);
        self.is_spoilt = true;
        self.states(&mut input, true)
    }

    /// Read all states; keep them or not.
    fn states(&mut self, input: &mut Reader<'_>, keep: bool) -> Result<(), Error> {
        fn read<T: Persist>(input: &mut Reader<'_>, keep: bool, into: &mut T) -> Result<(), Error> {
            let state = input.load()?;
            if keep {
                *into = state;
            }
            Ok(())
        }
        read(input, keep, &mut self.nanoseconds)?;
        self.vibrators.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.belts.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.cylinders.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.hoppers.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.barriers.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.zones.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.scales.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.accelerometers.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        self.camera.iter_mut().try_for_each(|part| read(input, keep, &mut part.state))?;
        read(input, keep, &mut self.sensors)
    }
}

/// Whose surface it is.
fn owner_of(world: &dyn AnyWorld, surface: ColliderId) -> Option<BodyId> {
    let mut owner = None;
    world.for_each_collider(&mut |id, body, _| {
        if id == surface {
            owner = Some(body);
        }
    });
    owner
}

/// Show what a channel says before anything has been seen.
fn show<T>(signals: &mut [T], channel: usize, set: impl FnOnce(&mut T)) {
    if let Some(signal) = signals.get_mut(channel) {
        set(signal);
    }
}

/// Add to a list of channels.
fn add<T, const N: usize>(list: &mut Vec<T, N>, item: T, name: &'static str) -> Result<usize, Error> {
    let channel = list.len();
    list.push(item).map_err(|_| Error::CapacityExceeded(name))?;
    Ok(channel)
}
