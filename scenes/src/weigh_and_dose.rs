//! Weigh and dose: a vibrating trough drops steel balls into a bucket on a weigh cell, quickly at first, then slowly; at 60 g the bucket tips.
//!
//! ```text
//! balls        r = 5 mm, 4.1 g, and r = 4.2 mm, 2.4 g; about as many of each, from two hoppers
//! trough       160 mm long, 24 mm wide, 50 Hz, averaged drive: 0.10 m/s at 100 %, 0.018 m/s at 30 %; soft start 0.1 s
//! mouth        11 mm of its width at the right wall, where a slanted plate leads; a bar before it lets one layer pass: balls go over the edge one by one, but for a few
//! bucket       60 × 60 × 25 mm, 55 mm below the trough's end; tips by 2.2 rad in 0.4 s
//! weigh cell   under the bucket, τ = 20 ms, noise 5 mN: half a gram a reading, a tenth in the mean of 32
//! dose         60 g and as little more as balls allow; coarse until 12 g before it, then fine
//! ```
//! A ball takes 0.1 s to fall, the cell and the mean 40 ms to tell, and as it lands at 1 m/s it looks 8 g heavier for 50 ms. What comes over the edge before the feed
//! stops is overshoot: at coarse feed three balls; at fine feed they are 0.5 s apart, and it is none: a dose is too heavy by less than its last ball. Now and then the slanted
//! plate lifts a ball onto others, and it goes over the edge with the next: of ten doses one at most is heavier than that, and none by more than the last two.

use crate::control::{Both, DoseControl, DosePins, Dosing, DosingPins, DosingSettings, TrackControl};
use crate::key_figures::{of_hoppers, parts_inside, per_minute, share};
use crate::parts::{STEEL, block};
use crate::scene::AnyWorld;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use embedded_hal::digital::{ErrorKind, InputPin, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal::spi::SpiDevice;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6, max, min};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Cylinder, Drive, Duty, FEED_TABLE, Hopper, Input, LightBarrier, NEWTON_PER_COUNT, Output, PartKind,
    Plant, Region, Sensors, Switching, Terminals, Vibrator, WeighCell, WeighPort, Zone, track,
};
use tumble::world::{Collider, Material, StepReport};

/// A trough, a bucket, a weigh cell and their controller.
#[derive(Clone, Copy, Debug)]
pub struct WeighAndDose<C = DoseControl> {
    /// Its controller.
    pub control: C,
    tally: Tally,
}

/// 40 balls: fits a microcontroller.
pub type SmallWeighAndDose = TwinStage<WeighAndDose, 42, 128, 520, 53>;

/// Controls doses through its pins.
pub trait ControlDoses {
    /// Before the first tick.
    const NEW: Self;

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself.
    fn tick<S: SpiDevice, P: SetDutyCycle, I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut DosePins<S, P, I, O>,
    ) -> Result<(), ErrorKind>;

    /// What it knows of doses.
    fn dosing(&self) -> &Dosing;
}

/// Radii of balls. m
const LARGE: f32 = 5e-3;
const SMALL: f32 = 4.2e-3;
const FRICTION: f32 = 0.3;
/// The trough: length, width, height of its walls. m
const TROUGH: (f32, f32, f32) = (0.16, 0.024, 0.016);
/// Its mouth, at the right wall: width, length. m
const MOUTH: (f32, f32) = (0.011, 0.012);
/// Where a bar holds back what rides on others. m
const LEVEL: f32 = 0.115;
/// Middle of the bucket's floor. m
const BUCKET: Vec3<f32> = Vec3::new(0.185, 0.0, -0.055);
/// Half its inner width and its depth. m
const INNER: f32 = 0.03;
const DEPTH: f32 = 0.025;
/// Half as thick as its walls are. m
const WALL: f32 = 2e-3;
/// rad
const TIP: f32 = 2.2;
/// What the largest ball weighs, and a little more. g
const LARGE_GRAM: f32 = 4.2;
/// Counts to a gram of weight.
const COUNTS_PER_GRAM: f32 = 9.81e-3 / NEWTON_PER_COUNT;
/// What a dose is to weigh. g
pub const TARGET_GRAM: f32 = 60.0;

/// Channels of terminals.
pub mod channel {
    /// The trough.
    pub const TROUGH: usize = 0;
    /// Large balls.
    pub const LARGE_HOPPER: usize = 0;
    /// Small balls.
    pub const SMALL_HOPPER: usize = 1;
    /// What tips the bucket.
    pub const TIP: usize = 0;
    /// Beam where balls come into the trough.
    pub const FULL: usize = 0;
    /// The weigh cell.
    pub const SCALE: usize = 0;
    /// Zone below the bucket.
    pub const OUT: usize = 0;
}

impl<C: ControlDoses> TwinScript for WeighAndDose<C> {
    const NEW: Self = Self { control: C::NEW, tally: Tally::NEW };
    const STEPS: u32 = 40_000;
    const ITERATIONS: u32 = 16;

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        // balls of a heap that have dents: they roll when pushed, and do not roll away
        let surface = Material { friction: FRICTION, rolling_friction: 0.5e-3, ..Material::default() };
        let trough = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        let (length, width, wall) = TROUGH;
        track::add_rail(world, trough, (length, width), wall, surface)?;
        let back = Vec3::new(WALL, 0.5 * width, 0.5 * wall);
        world.add_collider(trough, block(Vec3::new(-WALL, 0.0, back.z), back, surface))?;
        add_mouth(world, trough)?;
        let swing = Vec6::new(Vec3::new(0.8e-3, 0.0, 0.29e-3), Vec3::default());
        let drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION };
        plant.add_vibrator(world, Vibrator { body: trough, swing, phase: 0.0, ramp_time: 0.1, drive })?;

        let bucket = world.add_body(Body::new(Motion::Kinematic, Pose::at(BUCKET))?)?;
        let floor = Vec3::new(INNER, INNER, WALL);
        world.add_collider(bucket, block(Vec3::new(0.0, 0.0, -WALL), floor, surface))?;
        let (along, across) = (Vec3::new(INNER, WALL, 0.5 * DEPTH), Vec3::new(WALL, INNER, 0.5 * DEPTH));
        for side in [-1.0, 1.0] {
            let off = side * (INNER + WALL);
            world.add_collider(bucket, block(Vec3::new(0.0, off, along.z), along, surface))?;
            world.add_collider(bucket, block(Vec3::new(off, 0.0, across.z), across, surface))?;
        }
        let stroke = Vec6::new(Vec3::default(), Vec3::new(TIP, 0.0, 0.0));
        plant.add_cylinder(world, Cylinder { body: bucket, stroke, extend_time: 0.4, retract_time: 0.4 })?;
        self.tally.bucket = Some(bucket);
        plant.add_scale(
            world,
            WeighCell { platform: bucket, filter_time: 0.02, noise: 5e-3, seed: seed.wrapping_add(3) },
        )?;

        for (radius, x, number) in [(LARGE, 0.02, 1), (SMALL, 0.035, 2)] {
            let shape = Shape::Sphere { radius };
            let material = Material { friction: FRICTION, ..Material::default() };
            plant.add_hopper(Hopper {
                part: PartKind { shape, density: STEEL, material, is_guided: false },
                outlet: Vec3::new(x, 0.0, 0.015),
                spread: Vec3::new(5e-3, 0.5 * width - 1.1 * LARGE, 0.0),
                velocity: Vec3::default(),
                parts_per_second: 6.0,
                jitter: 0.5,
                tumbles: false,
                seed: seed.wrapping_add(number),
            })?;
        }
        let [from, to] = [-0.02, 0.02].map(|y| Vec3::new(0.05, y, SMALL));
        let (hysteresis, output) = (Vec3::new(0.2e-3, 0.0, 0.0), Switching::default());
        // the beam passes through holes in the kinematic walls, modelled without the holes
        plant.add_barrier(LightBarrier { hysteresis, output, sees_kinematic: false, ..LightBarrier::new(from, to) })?;
        let region = Region { centre: Vec3::new(0.0, 0.0, -0.66), half: Vec3::new(1.0, 1.0, 0.5) };
        plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output: Switching::default(), is_sink: true })?;
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.control.tick(&mut pins(terminals)?).map_err(pin_failed)
    }

    fn watch(&mut self, world: &dyn AnyWorld, _actuators: &Actuators, sensors: &Sensors, _report: &StepReport<f32>) {
        let Dosing { doses, dose, .. } = *self.control.dosing();
        self.tally.watch(world, doses, dose as f32 / COUNTS_PER_GRAM);
        self.tally.watch_fallen(world, fallen(sensors));
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        let Tally { doses, least, most, sum, error, first, last, heavy, balls, out, .. } = self.tally;
        let [delivered, refused] = of_hoppers(plant);
        let spilled = fallen(plant.sensors()).saturating_sub(out);
        let out = out as f32;
        tell("parts_per_minute", per_minute(out, plant));
        // delivered = out + spilled + inside; out: with a dose, spilled: beside the bucket, or out of it before they were weighed
        tell("delivered", delivered);
        tell("out", out);
        tell("spilled", spilled as f32);
        tell("inside", parts_inside(world));
        tell("doses", doses as f32);
        tell("parts_per_dose", share(balls as f32, doses as f32));
        tell("overshoot_mean_g", share(sum, doses as f32));
        tell("overshoot_max_g", if doses > 0 { most } else { 0.0 });
        tell("overshoot_min_g", if doses > 0 { least } else { 0.0 });
        tell("heavy_doses", heavy as f32);
        tell("weigh_error_max_g", error);
        tell("time_per_dose_s", share(last.saturating_sub(first) as f32 * 1e-3, doses.saturating_sub(1) as f32));
        tell("alarm", if self.control.dosing().alarm().is_some() { 1.0 } else { 0.0 });
        tell("refused", refused);
    }
}

/// Balls that have fallen out of everything: a sink's count, which no fault changes.
fn fallen(sensors: &Sensors) -> u32 {
    sensors.zones.get(channel::OUT).map_or(0, |zone| zone.count)
}

/// Polished plates from the left wall to the mouth and along it, and the bar. Slanted by 45°, balls slide off the first: at half of that two could wedge each other.
fn add_mouth(world: &mut dyn AnyWorld, trough: BodyId) -> Result<(), Error> {
    let polished = Material { friction: 0.05, ..Material::default() };
    let (length, width, wall) = TROUGH;
    let (open, along) = MOUTH;
    let across = width - open;
    let (begin, side) = (length - along, open - 0.5 * width);
    let middle = Vec3::new(begin - 0.5 * across, side + 0.5 * across, 0.5 * wall);
    let half = Vec3::new(core::f32::consts::FRAC_1_SQRT_2 * across, 1e-3, 0.5 * wall);
    let orientation = Quat::IDENTITY.turned_far(Vec3::new(0.0, 0.0, -core::f32::consts::FRAC_PI_4));
    let slanted = Pose { position: middle, orientation };
    // its face, not its middle, is where it should be
    let slanted = Pose { position: slanted.point(Vec3::new(0.0, half.y, 0.0)), ..slanted };
    world.add_collider(trough, Collider { pose: slanted, ..block(middle, half, polished) })?;
    let half = Vec3::new(0.5 * along, 1e-3, 0.5 * wall);
    world.add_collider(trough, block(Vec3::new(begin + half.x, side + half.y, half.z), half, polished))?;
    // what rides on others waits for a gap. A lid as far as the edge would wedge balls that the slanted plate lifts: nothing would come any more
    let half = Vec3::new(2e-3, 0.5 * width, 2.5e-3);
    let bar = Vec3::new(LEVEL, 0.0, open + half.z);
    world.add_collider(trough, block(bar, half, polished)).map(drop)
}

/// What doses really weigh.
#[derive(Clone, Copy, Debug)]
struct Tally {
    doses: u32,
    /// true weight less the target. g
    least: f32,
    most: f32,
    sum: f32,
    /// between what was weighed and what is true, at most. g
    error: f32,
    /// doses that are too heavy by more than the largest ball
    heavy: u32,
    /// balls in all doses
    balls: u32,
    steps: u32,
    /// steps at which doses were weighed: the first, the last
    first: u32,
    last: u32,
    bucket: Option<BodyId>,
    /// steps for which it has been upright
    upright: u32,
    /// balls that have fallen so far; those of them that fell with doses
    fallen: u32,
    out: u32,
    /// balls of the last dose that have not fallen yet
    due: u32,
}

/// Steps in which balls that a bucket throws out have fallen, and more.
const FALL: u32 = 400;

impl Tally {
    const NEW: Self = Self {
        doses: 0,
        least: f32::INFINITY,
        most: f32::NEG_INFINITY,
        sum: 0.0,
        error: 0.0,
        heavy: 0,
        balls: 0,
        steps: 0,
        first: 0,
        last: 0,
        bucket: None,
        upright: 0,
        fallen: 0,
        out: 0,
        due: 0,
    };

    /// From a bucket that is tipped as many balls fall with the dose as were weighed in it. What else falls was spilled: beside it, through it, or before it was weighed.
    fn watch_fallen(&mut self, world: &dyn AnyWorld, fallen: u32) {
        // where it is, not what its switch says; one that leans by less than 8° lets nothing out
        let bucket = self.bucket.and_then(|bucket| world.body(bucket).ok());
        let is_upright = bucket.is_some_and(|bucket| bucket.pose().orientation.turn(Vec3::new(0.0, 0.0, 1.0)).z > 0.99);
        self.upright = if is_upright { self.upright.saturating_add(1) } else { 0 };
        if self.upright <= FALL {
            let out = fallen.saturating_sub(self.fallen).min(self.due);
            (self.out, self.due) = (self.out.saturating_add(out), self.due.saturating_sub(out));
        }
        self.fallen = fallen;
    }

    /// Once the controller has weighed a dose, and before the bucket has moved, look into it.
    fn watch(&mut self, world: &dyn AnyWorld, weighed: u32, grams: f32) {
        self.steps = self.steps.saturating_add(1);
        if weighed <= self.doses {
            return;
        }
        // to the outer edge: a ball may come to lie on the rim
        let outer = INNER + 2.0 * WALL;
        let inside =
            Region { centre: BUCKET + Vec3::new(0.0, 0.0, DEPTH), half: Vec3::new(outer, outer, DEPTH + WALL) };
        let mut kilograms = 0.0;
        // what the last dose left in it is of this one
        self.due = 0;
        world.for_each_body(&mut |_, body| {
            if let Motion::Dynamic(properties) = body.motion()
                && inside.contains(body.pose().position)
            {
                kilograms += properties.mass;
                self.due = self.due.saturating_add(1);
            }
        });
        self.balls = self.balls.saturating_add(self.due);
        let truth = 1e3 * kilograms;
        let overshoot = truth - TARGET_GRAM;
        self.sum += overshoot;
        (self.least, self.most) = (min(overshoot, self.least), max(overshoot, self.most));
        self.error = max((grams - truth).abs(), self.error);
        self.heavy = self.heavy.saturating_add(u32::from(overshoot > LARGE_GRAM));
        if self.doses == 0 {
            self.first = self.steps;
        }
        (self.doses, self.last) = (weighed, self.steps);
    }
}

/// Weight in counts.
const fn counts(grams: f32) -> i32 {
    (grams * COUNTS_PER_GRAM) as i32
}

impl ControlDoses for DoseControl {
    const NEW: Self = Self {
        dosing: Dosing::new(DosingSettings {
            target: counts(TARGET_GRAM),
            coarse_margin: counts(12.0),
            fine_margin: 0,
            coarse_percent: 100,
            fine_percent: 30,
            hold: 150,
            settle: 300,
            empty: 300,
            residue: counts(3.0),
            part: counts(1.5),
            // at fine feed balls may hold each other up for 4 s
            patience: 7000,
        }),
        supply: TrackControl::new(20, 60),
    };

    fn tick<S: SpiDevice, P: SetDutyCycle, I: InputPin, O: OutputPin>(
        &mut self,
        pins: &mut DosePins<S, P, I, O>,
    ) -> Result<(), ErrorKind> {
        Self::tick(self, pins)
    }

    fn dosing(&self) -> &Dosing {
        &self.dosing
    }
}

/// How the controller is wired.
fn pins(terminals: &Terminals) -> Result<DosePins<WeighPort<'_>, Duty<'_>, Input<'_>, Output<'_>>, Error> {
    Ok(DosePins {
        full: terminals.barrier(channel::FULL)?,
        supply: Both(terminals.hopper(channel::LARGE_HOPPER)?, terminals.hopper(channel::SMALL_HOPPER)?),
        dosing: DosingPins {
            scale: terminals.scale(channel::SCALE)?,
            amplitude: terminals.amplitude(channel::TROUGH)?,
            is_over: terminals.extended(channel::TIP)?,
            is_upright: terminals.retracted(channel::TIP)?,
            feed: terminals.vibrator(channel::TROUGH)?,
            tip: terminals.valve(channel::TIP)?,
        },
    })
}
