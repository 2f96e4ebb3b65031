//! A flexible feeder: dice on a plate that vibrates along three axes; a camera looks at a pick window, and the plate feeds, centres and flips until dice lie as wanted.
//!
//! ```text
//! dice      16 mm, 4.9 g, as many as there are places for bodies less one, any face up; μ = 0.4, restitution 0.2
//! plate     36 mm of each way a die, walls without end; x ahead, y to the left
//! drives    30 Hz, resolved, 5 sub-steps of 0.2 ms a step: 167 a cycle; soft start 50 ms
//!           rise ±3 mm, the same half a turn behind, along ±2 mm, across ±2 mm; with the rise it rocks by ±8 mrad
//! feed      rise at 20 %, along or across at 80 %: throw number 2.2; flip: rise at 100 %: throw number 11
//! window    the front quarter of the plate; 50 frames a second, with poses of 16 dice at most; 5 of 8 dice in it are enough
//! ```
//! A move is a mode of the plate and the time it stands after it. What dice did in it is read when the next move begins.
//!
//! Of more than 16 dice in the window the camera counts the others and knows no more of them: they are never ready, and no part of the yield. With 40 dice on the plate
//! `parts_per_minute`, `ready_per_look` and `wanted_per_frame` are what such a camera finds, less than what lies there.

use crate::control::{DrivePins, PlateAmplitudes, PlateControl, PlateLooks, PlateMode, PlatePins, PlateView};
use crate::key_figures::{per_minute, share};
use crate::parts::{WALLS, add_part, add_walls, lattice, rough};
use crate::scene::AnyWorld;
use crate::solids::CUBE;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use core::f32::consts::{FRAC_PI_2, PI};
use embedded_hal::digital::{ErrorKind, OutputPin};
use embedded_hal::pwm::SetDutyCycle;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Camera, Drive, Duty, Frame, Output, Plant, Random, Region, Sensors, Terminals, Vibrator,
};
use tumble::world::{Material, StepReport};

/// A flexible feeder with its controller.
#[derive(Clone, Copy, Debug)]
pub struct PlateFeeder<C = PlateControl> {
    /// Its controller.
    pub control: C,
    plate: Option<BodyId>,
    /// half the plate. m
    half: [f32; 2],
    view: PlateView,
    mode: PlateMode,
    /// when the move began
    before: Sight,
    moves: [Move; MODES],
    frames: u32,
    /// of all frames
    in_window: u32,
    face_up: u32,
    /// m
    penetration: f32,
}

/// 16 dice: fits a microcontroller.
pub type SmallPlateFeeder = TwinStage<PlateFeeder, 17, 128, 384, { 16 + WALLS }>;
/// 40 dice.
pub type LargePlateFeeder = TwinStage<PlateFeeder, 41, 400, 1200, { 40 + WALLS }>;

/// Controls a plate through its pins and what its camera says.
pub trait ControlPlate {
    /// Before the first tick.
    const NEW: Self;

    /// So many dice are on the plate.
    fn set_dice(&mut self, dice: u8);

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself.
    fn tick<O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut PlatePins<O, D>,
        view: &PlateView,
    ) -> Result<(), ErrorKind>;

    /// What it has seen so far.
    fn looks(&self) -> PlateLooks;
}

/// kg/m³
const DENSITY: f32 = 1200.0;
/// m
const HALF_EDGE: f32 = 8e-3;
/// What each die has of the plate, along and across. m
const PITCH: f32 = 0.036;
/// Cosine of the tilt up to which a die lies on a face: 5°.
const FLAT: f32 = 0.9962;
/// Of all drives. Hz
const FREQUENCY: f32 = 30.0;
/// How much the plate rocks about both axes as it rises, at 100 %: no drive sits in the very middle. rad
const ROCK: f32 = 8e-3;
/// Frames. s
const PERIOD: f32 = 0.02;
/// Dice that are told apart.
const MOST_DICE: usize = 40;

/// Turns that get each of a die's faces up. rad
const FACES: [Vec3<f32>; 6] = [
    Vec3::new(0.0, 0.0, 0.0),
    Vec3::new(PI, 0.0, 0.0),
    Vec3::new(FRAC_PI_2, 0.0, 0.0),
    Vec3::new(-FRAC_PI_2, 0.0, 0.0),
    Vec3::new(0.0, FRAC_PI_2, 0.0),
    Vec3::new(0.0, -FRAC_PI_2, 0.0),
];

/// Modes that move parts, and one that does not.
const MODES: usize = 6;

/// Channels of terminals.
mod channel {
    pub(super) const RISE: usize = 0;
    pub(super) const RISE_OPPOSITE: usize = 1;
    pub(super) const ALONG: usize = 2;
    pub(super) const ACROSS: usize = 3;
}

/// Where the dice are and which of their faces are up.
#[derive(Clone, Copy, Debug)]
struct Sight {
    /// on the mean. m
    middle: Vec3<f32>,
    faces: [u8; MOST_DICE],
}

/// What a mode did to the dice.
#[derive(Clone, Copy, Debug)]
struct Move {
    times: u32,
    /// over all times. m
    way: Vec3<f32>,
    /// over all times
    turned: u32,
}

impl Sight {
    const NEW: Self = Self { middle: Vec3::new(0.0, 0.0, 0.0), faces: [0; MOST_DICE] };

    fn of(world: &dyn AnyWorld) -> Self {
        let (mut sum, mut dice) = (Vec3::default(), 0.0);
        let mut faces = [0; MOST_DICE];
        let mut free = faces.iter_mut();
        world.for_each_body(&mut |_, body| {
            if body.is_dynamic() {
                sum = sum + body.pose().position;
                dice += 1.0;
                if let Some(face) = free.next() {
                    *face = face_up(body.pose());
                }
            }
        });
        Self { middle: if dice > 0.0 { sum * (1.0 / dice) } else { sum }, faces }
    }
}

/// The die's z in its own frame: up.
fn up_of(pose: &Pose<f32>) -> Vec3<f32> {
    pose.orientation.inverse().turn(Vec3::new(0.0, 0.0, 1.0))
}

/// Which of the six faces is up, as far as one is.
fn face_up(pose: &Pose<f32>) -> u8 {
    let up = up_of(pose);
    let (mut face, mut most) = (0, 0.0);
    for (number, x) in (0_u8..).zip([up.x, -up.x, up.y, -up.y, up.z, -up.z]) {
        if x > most {
            (face, most) = (number, x);
        }
    }
    face
}

/// What a frame shows, with z as the face that is wanted up.
fn view_of(frame: &Frame) -> PlateView {
    let (mut face_up, mut left) = (0_u8, 0.0);
    for pose in frame.poses.iter().take(frame.seen.into()) {
        face_up = face_up.saturating_add(u8::from(up_of(pose).z > FLAT));
        left += pose.position.y;
    }
    let left = if frame.seen > 0 { left / f32::from(frame.seen) } else { 0.0 };
    // what there is no pose of is there all the same
    let in_window = frame.seen.saturating_add(u8::try_from(frame.unseen).unwrap_or(u8::MAX));
    PlateView { frame: frame.number, in_window, seen: frame.seen, face_up, left }
}

/// The mode that the drives are in.
fn mode_of(actuators: &Actuators) -> PlateMode {
    let runs = |channel: usize| actuators.vibrators.get(channel).is_some_and(|drive| drive.run);
    let [up, down] = [channel::RISE, channel::RISE_OPPOSITE].map(runs);
    match (up || down, runs(channel::ALONG), runs(channel::ACROSS)) {
        (true, false, false) => PlateMode::Flip,
        (true, true, _) => {
            if up {
                PlateMode::Forward
            } else {
                PlateMode::Backward
            }
        }
        (true, false, true) => {
            if up {
                PlateMode::Left
            } else {
                PlateMode::Right
            }
        }
        (false, _, _) => PlateMode::Still,
    }
}

impl<C: ControlPlate> TwinScript for PlateFeeder<C> {
    const NEW: Self = Self {
        control: C::NEW,
        plate: None,
        half: [0.0; 2],
        view: PlateView { frame: 0, in_window: 0, seen: 0, face_up: 0, left: 0.0 },
        mode: PlateMode::Still,
        before: Sight::NEW,
        moves: [Move { times: 0, way: Vec3::new(0.0, 0.0, 0.0), turned: 0 }; MODES],
        frames: 0,
        in_window: 0,
        face_up: 0,
        penetration: 0.0,
    };
    const STEPS: u32 = 12_000;
    const ITERATIONS: u32 = 12;

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        let dice = world.body_capacity().saturating_sub(1);
        self.control.set_dice(u8::try_from(dice).unwrap_or(u8::MAX));
        // 8 by 5, or as near as it gets
        let rows_of = |columns: u16| columns.saturating_mul(5).div_ceil(8);
        let fits = |columns: &u16| usize::from(*columns).saturating_mul(rows_of(*columns).into()) >= dice;
        let columns = (1..u16::MAX).find(fits).unwrap_or(u16::MAX);
        let rows = rows_of(columns);
        let [half_x, half_y] = [columns, rows].map(|count| 0.5 * PITCH * f32::from(count));
        self.half = [half_x, half_y];

        let material = Material { restitution: 0.2, ..rough(0.4) };
        let plate = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        self.plate = Some(plate);
        add_walls(world, plate, half_x, half_y, material)?;
        let mut add = |linear: Vec3<f32>, rock: f32, phase: f32| {
            let swing = Vec6::new(linear, Vec3::new(rock, -rock, 0.0));
            let vibrator = Vibrator { body: plate, swing, phase, ramp_time: 0.05, drive: Drive::Resolved };
            plant.add_vibrator(world, vibrator).map(drop)
        };
        add(Vec3::new(0.0, 0.0, 3e-3), ROCK, 0.0)?;
        add(Vec3::new(0.0, 0.0, 3e-3), ROCK, 0.5)?;
        add(Vec3::new(2e-3, 0.0, 0.0), 0.0, 0.0)?;
        add(Vec3::new(0.0, 2e-3, 0.0), 0.0, 0.0)?;
        plant.set_substeps(5)?;
        let quarter = 0.25 * half_x;
        let field = Region { centre: Vec3::new(3.0 * quarter, 0.0, 0.0), half: Vec3::new(quarter, half_y, 1.0) };
        plant.set_camera(Camera { field, period: PERIOD })?;

        let mut random = Random::new(seed.wrapping_add(40));
        let first = Vec3::new(0.5 * PITCH - half_x, 0.5 * PITCH - half_y, HALF_EDGE);
        for place in lattice(columns, rows).take(dice) {
            let (face, turn) = (random.one_of(&FACES, Vec3::default()), 1.5 * random.within_one());
            let orientation = Quat::IDENTITY.turned_far(face).turned_far(Vec3::new(0.0, 0.0, turn));
            let pose = Pose { position: first + place * PITCH, orientation };
            add_part(world, Shape::Polyhedron(&CUBE), DENSITY, material, pose)?;
        }
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        self.control.tick(&mut pins(terminals)?, &self.view).map_err(pin_failed)
    }

    fn watch(&mut self, world: &dyn AnyWorld, actuators: &Actuators, sensors: &Sensors, report: &StepReport<f32>) {
        self.penetration = max(report.penetration, self.penetration);
        if sensors.camera.number != self.view.frame {
            self.view = view_of(&sensors.camera);
            self.frames = self.frames.saturating_add(1);
            self.in_window = self.in_window.saturating_add(self.view.in_window.into());
            self.face_up = self.face_up.saturating_add(self.view.face_up.into());
        }
        let mode = mode_of(actuators);
        if mode != PlateMode::Still && mode != self.mode {
            let now = Sight::of(world);
            if let Some(made) = self.moves.get_mut(self.mode as usize) {
                let faces = self.before.faces.iter().zip(&now.faces);
                let turned = faces.fold(0_u32, |sum, (a, b)| sum.saturating_add(u32::from(a != b)));
                made.times = made.times.saturating_add(1);
                made.way = made.way + (now.middle - self.before.middle);
                made.turned = made.turned.saturating_add(turned);
            }
            (self.mode, self.before) = (mode, now);
        }
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        let floor =
            self.plate.and_then(|id| world.body(id).ok()).map_or_else(Vec3::default, |body| body.pose().position);
        let [half_x, half_y] = self.half;
        let (mut dice, mut inside) = (0.0, 0.0);
        world.for_each_body(&mut |_, body| {
            let at = body.pose().position - floor;
            if body.is_dynamic() {
                dice += 1.0;
                inside += if at.x.abs() < half_x && at.y.abs() < half_y && at.z > 0.0 { 1.0 } else { 0.0 };
            }
        });
        let per = |sum: f32, times: u32| share(sum, times as f32);
        let made = |mode: PlateMode| {
            self.moves.get(mode as usize).copied().unwrap_or(Move { times: 0, way: Vec3::default(), turned: 0 })
        };
        let (forward, backward, flip) = (made(PlateMode::Forward), made(PlateMode::Backward), made(PlateMode::Flip));
        let (left, right) = (made(PlateMode::Left), made(PlateMode::Right));
        let PlateLooks { count: looks, in_window, seen, ready } = self.control.looks();
        // as if what is ready were picked and put back
        tell("parts_per_minute", per_minute(ready as f32, plant));
        tell("delivered", dice);
        tell("inside", inside);
        // of dice with poses, those that lie as wanted: a sixth of fair ones
        tell("yield_share", per(ready as f32, seen));
        tell("looks", looks as f32);
        tell("window_per_look", per(in_window as f32, looks));
        tell("seen_per_look", per(seen as f32, looks));
        tell("ready_per_look", per(ready as f32, looks));
        tell("forward_m", per(forward.way.x, forward.times));
        tell("backward_m", per(-backward.way.x, backward.times));
        tell("left_m", per(left.way.y, left.times));
        tell("right_m", per(-right.way.y, right.times));
        tell("flips", flip.times as f32);
        tell("turned_per_flip", per(flip.turned as f32, flip.times));
        tell("frames", self.frames as f32);
        tell("window_per_frame", per(self.in_window as f32, self.frames));
        tell("window_share", share(per(self.in_window as f32, self.frames), dice));
        tell("wanted_per_frame", per(self.face_up as f32, self.frames));
        tell("penetration_m", self.penetration);
    }
}

/// How the controller is wired.
fn pins(terminals: &Terminals) -> Result<PlatePins<Output<'_>, Duty<'_>>, Error> {
    let drive = |channel: usize| {
        // no pin has that
        terminals.set_frequency(channel, FREQUENCY)?;
        Ok(DrivePins { run: terminals.vibrator(channel)?, amplitude: terminals.amplitude(channel)? })
    };
    Ok(PlatePins {
        rise: drive(channel::RISE)?,
        rise_opposite: drive(channel::RISE_OPPOSITE)?,
        along: drive(channel::ALONG)?,
        across: drive(channel::ACROSS)?,
    })
}

/// The amplitudes that the plate is made for.
pub const AMPLITUDES: PlateAmplitudes = PlateAmplitudes { rise: 20, swing: 80, flip: 100 };

impl ControlPlate for PlateControl {
    const NEW: Self = Self::new(AMPLITUDES, 0);

    fn set_dice(&mut self, dice: u8) {
        // a quarter of them is in the window after a flip: more than twice that has been fed there
        self.enough = dice.saturating_sub(dice / 8 * 3);
    }

    fn tick<O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut PlatePins<O, D>,
        view: &PlateView,
    ) -> Result<(), ErrorKind> {
        Self::tick(self, pins, view)
    }

    fn looks(&self) -> PlateLooks {
        self.looks
    }
}
