//! A reject conveyor: boxes ride on a belt past two beams; those that are too tall are pushed off, the others ride on to its end.
//!
//! ```text
//! good box     40 × 30 × 20 mm, 24 g; from a hopper at x = 0, about 2.2 a second, only into gaps
//! bad box      40 × 30 × 40 mm, 48 g; from a hopper at x = −300 mm, about 0.6 a second
//! belt         along x, 100 mm wide, 0.6 m/s; encoder of 250 lines a metre, a count a millimetre: 0.6 counts a tick
//! beams        across the belt at x = 150 mm, 8 mm and 30 mm high; one for gaps at x = −160 mm
//! pusher       at x = 350 mm, 20 mm wide, 70 mm along −y in 60 ms and back in as many; as deep as it goes far: nothing gets behind it
//! ends         good ones where the belt ends at x = 550 mm, rejected ones beside it
//! ```
//! The gap beam keeps good boxes from coming down on bad ones, and from running into the pusher behind them: none comes from when a bad box is 180 mm before their
//! hopper until it is 160 mm past it. That is more than it takes, and it costs a third of what the hopper could deliver. A box that finds another in its place is spoilt:
//! the hopper refuses it, and it counts against the yield. So a beam that sees nothing makes a faster machine with a worse yield; boxes that run into the
//! pusher only wait until it is in again.
//!
//! The pusher meets a box as long as middles are within 30 mm of each other. A valve that is 40 ms late lets most of the bad boxes pass, one that is
//! 60 ms late all of them.

use crate::control::{ConveyorControl, ConveyorPins, Merge, RejectPins, Rejector};
use crate::key_figures::{of_hoppers, parts_inside, per_minute, share};
use crate::parts::{block, rough};
use crate::scene::AnyWorld;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Belt, Cylinder, Duty, Hopper, Input, LightBarrier, Output, PartKind, Plant, Region, Sensors, Switching,
    Terminals, Zone,
};
use tumble::world::StepReport;

/// A reject conveyor with its controller.
#[derive(Clone, Copy, Debug)]
pub struct RejectConveyor<C = ConveyorControl> {
    /// Its controller.
    pub control: C,
    tally: Tally,
}

/// Ten boxes: fits a microcontroller.
pub type SmallRejectConveyor = TwinStage<RejectConveyor, 12, 64, 192, 13>;

/// Controls a reject conveyor through its pins.
pub trait ControlConveyor {
    /// Before the first tick.
    const NEW: Self;

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself.
    fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind>;

    /// What it knows of boxes and of its pusher.
    fn rejector(&self) -> &Rejector;

    /// Does it keep the belt from running?
    fn has_alarm(&self) -> bool;

    /// How often two edges of the encoder came at once.
    fn encoder_lost(&self) -> u32;
}

const DENSITY: f32 = 1000.0;
const FRICTION: f32 = 0.5;
/// Half the edges of a good box and of a bad one. m
const GOOD: Vec3<f32> = Vec3::new(0.02, 0.015, 0.01);
const BAD: Vec3<f32> = Vec3::new(0.02, 0.015, 0.02);
/// Boxes heavier than this are bad. kg
const LIMIT_MASS: f32 = 0.036;
/// m/s
const TOP_SPEED: f32 = 0.8;
const SPEED_PERCENT: u8 = 75;
const SPEED: f32 = 0.6;
/// 1/m
const LINES: f32 = 250.0;
const COUNTS_PER_METRE: f32 = 4.0 * LINES;
/// Half the belt's width. m
const BELT_HALF: f32 = 0.05;
/// Places along the belt. m
const BELT_START: f32 = -0.35;
const BAD_OUTLET: f32 = -0.3;
const GAP_BEAM: f32 = -0.16;
const GOOD_OUTLET: f32 = 0.0;
const BEAMS: f32 = 0.15;
const PUSHER: f32 = 0.35;
const BELT_END: f32 = 0.55;
/// Face of the pusher when it is in. m
const FACE: f32 = 0.025;
const STROKE: f32 = 0.07;
/// s
const STROKE_TIME: f32 = 0.06;
/// Boxes that are gone from before here have been pushed off. m
const PAST_PUSHER: f32 = 0.5;

/// Channels of terminals.
pub mod channel {
    /// The belt.
    pub const BELT: usize = 0;
    /// Good boxes.
    pub const GOOD_HOPPER: usize = 0;
    /// Bad boxes.
    pub const BAD_HOPPER: usize = 1;
    /// The pusher.
    pub const PUSHER: usize = 0;
    /// Beam that every box interrupts.
    pub const LOW: usize = 0;
    /// Beam that only bad boxes interrupt.
    pub const HIGH: usize = 1;
    /// Beam before the good boxes' hopper.
    pub const GAP: usize = 2;
    /// Zone at the belt's end.
    pub const OUT: usize = 0;
    /// Zone beside the belt.
    pub const REJECTED: usize = 1;
}

impl<C: ControlConveyor> TwinScript for RejectConveyor<C> {
    const NEW: Self = Self { control: C::NEW, tally: Tally::NEW };
    const STEPS: u32 = 30_000;
    const ITERATIONS: u32 = 12;

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        let machine = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        let half = Vec3::new(0.5 * (BELT_END - BELT_START), BELT_HALF, 0.01);
        let middle = Vec3::new(0.5 * (BELT_END + BELT_START), 0.0, -half.z);
        let surface = world.add_collider(machine, block(middle, half, rough(FRICTION)))?;
        let direction = Vec3::new(1.0, 0.0, 0.0);
        plant.add_belt(
            world,
            Belt { surface, direction, top_speed: TOP_SPEED, acceleration: 4.0, lines_per_metre: LINES },
        )?;

        // its face meets boxes of both kinds below their middles: they slide and do not tip
        let half = Vec3::new(0.01, 0.5 * STROKE + 2e-3, 4e-3);
        let place = Vec3::new(PUSHER, FACE + half.y, 1e-3 + half.z);
        let pusher = world.add_body(Body::new(Motion::Kinematic, Pose::at(place))?)?;
        world.add_collider(pusher, block(Vec3::default(), half, rough(0.1)))?;
        let stroke = Vec6::new(Vec3::new(0.0, -STROKE, 0.0), Vec3::default());
        plant.add_cylinder(
            world,
            Cylinder { body: pusher, stroke, extend_time: STROKE_TIME, retract_time: STROKE_TIME },
        )?;

        let mut add_hopper = |half: Vec3<f32>, x: f32, parts_per_second: f32, jitter: f32, number: u32| {
            let shape = Shape::Box { half };
            let part = PartKind { shape, density: DENSITY, material: rough(FRICTION), is_guided: false };
            plant.add_hopper(Hopper {
                part,
                outlet: Vec3::new(x, 0.0, half.z + 1e-3),
                spread: Vec3::new(0.0, 4e-3, 0.0),
                velocity: Vec3::new(SPEED, 0.0, 0.0),
                parts_per_second,
                jitter,
                tumbles: false,
                seed: seed.wrapping_add(number),
            })
        };
        add_hopper(GOOD, GOOD_OUTLET, 2.2, 0.3, 1)?;
        add_hopper(BAD, BAD_OUTLET, 0.6, 0.4, 2)?;

        for (x, z) in [(BEAMS, 0.008), (BEAMS, 0.03), (GAP_BEAM, 0.008)] {
            let [from, to] = [-0.06, 0.06].map(|y| Vec3::new(x, y, z));
            let (hysteresis, output) = (Vec3::new(0.2e-3, 0.0, 0.0), Switching::default());
            plant.add_barrier(LightBarrier { hysteresis, output, ..LightBarrier::new(from, to) })?;
        }
        let end = Region { centre: Vec3::new(BELT_END + 0.5, 0.0, 0.0), half: Vec3::new(0.5, 1.0, 1.0) };
        let beside = Region { centre: Vec3::new(0.0, -BELT_HALF - 0.5, 0.0), half: Vec3::new(2.0, 0.495, 1.0) };
        for region in [end, beside] {
            plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output: Switching::default(), is_sink: true })?;
        }
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.control.tick(&mut pins(terminals)?).map_err(pin_failed)
    }

    fn watch(&mut self, world: &dyn AnyWorld, _actuators: &Actuators, _sensors: &Sensors, _report: &StepReport<f32>) {
        self.tally.watch(world, self.control.rejector().measured);
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        let Tally { good_out, good_off, bad_out, bad_off, miscounted, .. } = self.tally;
        let [good, off, missed, rejected] = [good_out, good_off, bad_out, bad_off].map(|count| count as f32);
        let [delivered, refused] = of_hoppers(plant);
        tell("parts_per_minute", per_minute(good, plant));
        // delivered = good_out + false_rejects + rejected + misses + inside
        tell("delivered", delivered);
        tell("good_out", good);
        tell("false_rejects", off);
        tell("rejected", rejected);
        tell("misses", missed);
        tell("inside", parts_inside(world));
        let spoilt = plant.sensors().hoppers.get(channel::GOOD_HOPPER).map_or(0.0, |hopper| hopper.refused as f32);
        tell("yield_share", share(good, good + off + spoilt));
        tell("miscounted", miscounted as f32);
        let rejector = self.control.rejector();
        tell("pusher_failed", rejector.failed as f32);
        tell("encoder_lost", self.control.encoder_lost() as f32);
        tell("alarm", if self.control.has_alarm() { 1.0 } else { 0.0 });
        tell("refused", refused);
    }
}

/// Boxes at a time that the tally tells apart.
const BOXES: usize = 16;

/// What has become of boxes: sinks count them, and do not tell good from bad.
#[derive(Clone, Copy, Debug)]
struct Tally {
    boxes: [Option<Seen>; BOXES],
    good_out: u32,
    good_off: u32,
    bad_out: u32,
    bad_off: u32,
    /// boxes that are past the beams
    passed: u32,
    /// by how many the controller's count is off, at most
    miscounted: u32,
}

/// A box as it was seen last.
#[derive(Clone, Copy, Debug)]
struct Seen {
    id: BodyId,
    is_bad: bool,
    /// m
    x: f32,
    is_there: bool,
}

impl Tally {
    const NEW: Self =
        Self { boxes: [None; BOXES], good_out: 0, good_off: 0, bad_out: 0, bad_off: 0, passed: 0, miscounted: 0 };

    fn watch(&mut self, world: &dyn AnyWorld, measured: u32) {
        self.boxes.iter_mut().flatten().for_each(|seen| seen.is_there = false);
        // by then the last edge has been told, debounced
        let behind = BEAMS + GOOD.x + 0.02;
        world.for_each_body(&mut |id, body| {
            let Motion::Dynamic(properties) = body.motion() else { return };
            let x = body.pose().position.x;
            if let Some(seen) = self.boxes.iter_mut().flatten().find(|seen| seen.id == id) {
                if seen.x < behind && x >= behind {
                    self.passed = self.passed.saturating_add(1);
                    self.miscounted = self.miscounted.max(self.passed.abs_diff(measured));
                }
                (seen.x, seen.is_there) = (x, true);
            } else if let Some(place) = self.boxes.iter_mut().find(|place| place.is_none()) {
                *place = Some(Seen { id, is_bad: properties.mass > LIMIT_MASS, x, is_there: true });
            }
        });
        for place in &mut self.boxes {
            let Some(Seen { is_bad, x, is_there: false, .. }) = *place else { continue };
            *place = None;
            let count = match (is_bad, x > PAST_PUSHER) {
                (false, true) => &mut self.good_out,
                (false, false) => &mut self.good_off,
                (true, true) => &mut self.bad_out,
                (true, false) => &mut self.bad_off,
            };
            *count = count.saturating_add(1);
        }
    }
}

/// From the beams to a box's middle when the pusher is to start: 6 mm before it, for it takes 10 ms to get to the box. Counts
pub const PUSH_DISTANCE: i32 = ((PUSHER - BEAMS - 0.006) * COUNTS_PER_METRE) as i32;
/// So much later it still pushes a box well clear. Counts
pub const PUSH_REACH: i32 = (0.015 * COUNTS_PER_METRE) as i32;

impl ControlConveyor for ConveyorControl {
    const NEW: Self = Self::new(SPEED_PERCENT, Merge::new(300), Rejector::new(PUSH_DISTANCE, PUSH_REACH, 5));

    fn tick<I: InputPin, O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut ConveyorPins<I, O, D>,
    ) -> Result<(), ErrorKind> {
        Self::tick(self, pins)
    }

    fn rejector(&self) -> &Rejector {
        &self.rejector
    }

    fn has_alarm(&self) -> bool {
        Self::has_alarm(self)
    }

    fn encoder_lost(&self) -> u32 {
        self.encoder.lost
    }
}

/// How the controller is wired.
fn pins(terminals: &Terminals) -> Result<ConveyorPins<Input<'_>, Output<'_>, Duty<'_>>, Error> {
    Ok(ConveyorPins {
        encoder: terminals.encoder(channel::BELT)?,
        speed: terminals.speed(channel::BELT)?,
        run: terminals.belt(channel::BELT)?,
        gap: terminals.barrier(channel::GAP)?,
        supply: terminals.hopper(channel::GOOD_HOPPER)?,
        supply_first: terminals.hopper(channel::BAD_HOPPER)?,
        reject: RejectPins {
            low: terminals.barrier(channel::LOW)?,
            high: terminals.barrier(channel::HIGH)?,
            pusher_is_in: terminals.retracted(channel::PUSHER)?,
            pusher_is_out: terminals.extended(channel::PUSHER)?,
            push: terminals.valve(channel::PUSHER)?,
        },
    })
}
