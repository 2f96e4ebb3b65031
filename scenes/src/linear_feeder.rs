//! A linear feeder: round caps queue up in a vibrating rail, an escapement hands them over one by one, a hopper fills up what has gone.
//!
//! ```text
//! cap          round outline r = 8 mm, 2 g, μ = 0.3; the rail keeps it upright
//! rail         channel along x, 17 mm wide, 50 Hz, averaged drive, soft start 0.1 s; full beam at x = 52 mm, escapement at x = 252 mm
//! hopper       5 caps a second into the rail at x = 0, while the rail runs and the beam there is clear
//! lid          over the rail behind the inlet: a cap that lies on another waits there until there is room below
//! escapement   stop and separator, 20 ms each; beams in front of the stop and behind it
//! demand       one cap every 700 ms; where none waits at its time, the machine starves until one does
//! ```
//! The queue has reached the full beam with 13 caps, the inlet with 16; there is room for 18. Track control stops the rail when the beam has been interrupted for t_off
//! and starts it when it has been clear for t_on.

use crate::control::{ControlFeeder, EscapementPins, FeederControl, FeederPins};
use crate::key_figures::{share, tell_feeding};
use crate::parts::block;
use crate::scene::AnyWorld;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::{
    Actuators, Cylinder, Drive, FEED_TABLE, Hopper, LightBarrier, PartKind, Plant, Region, Sensors, Switching,
    Terminals, Vibrator, Zone, track,
};
use tumble::world::{Collider, Material, StepReport, StepSettings};
use tumble::{Error, Method, Settings, Start};

/// A linear feeder with its controller.
#[derive(Clone, Copy, Debug)]
pub struct LinearFeeder<C = FeederControl> {
    /// Its controller.
    pub control: C,
    stop: Option<BodyId>,
    steps: u32,
    track_steps: u32,
    /// caps that the stop came down on
    struck: u32,
    /// it is on one
    strikes: bool,
    /// m
    penetration: f32,
}

/// A stage for a linear feeder with room for 18 caps: fits a microcontroller.
pub type FeederStage<C> = TwinStage<LinearFeeder<C>, 22, 44, 132, 25>;

/// With the example controller.
pub type SmallLinearFeeder = FeederStage<FeederControl>;

/// Radius of a cap. m
pub const RADIUS: f32 = 8e-3;
const DENSITY: f32 = 932.0;
const FRICTION: f32 = 0.3;
/// The rail's closed end. m
const BACK: f32 = -0.014;
/// Height of a cap's centre over the floor of the rail. m
const CENTRE: f32 = RADIUS;
/// Face of the stop. m
const STOP: f32 = 0.252;
/// In the middle of the thirteenth cap. m
const FULL_BEAM: f32 = 0.052;
/// A cap that comes in interrupts it until there is room for the next. m
const INLET_BEAM: f32 = 7.5e-3;
/// From here to there the rail has a lid, so far over the floor. Whatever lies on a cap touches it before it is ahead of that cap: the cap would not come out below. m
const LID: (f32, f32, f32) = (0.009, 0.039, 17e-3);
/// Half the edges of the stop. m
const HALF_STOP: Vec3<f32> = Vec3::new(1e-3, 4e-3, 4e-3);
/// Where caps are that are neither out nor lost. m
const MACHINE: Region =
    Region { centre: Vec3::new(0.5 * STOP, 0.0, 0.03), half: Vec3::new(0.5 * STOP + 0.03, 0.02, 0.04) };
/// How far the stop goes up. m
const LIFT: f32 = 0.02;
/// The separator comes down between two caps to so much above their centres, where they are 2.8 mm apart; it is 2 mm thick. m
const SEPARATOR: (f32, f32) = (4.5e-3, 1e-3);

/// Channels of terminals.
mod channel {
    pub(super) const RAIL: usize = 0;
    pub(super) const HOPPER: usize = 0;
    pub(super) const STOP: usize = 0;
    pub(super) const SEPARATOR: usize = 1;
    /// a valve's terminal with a lamp on it
    pub(super) const ALARM: usize = 2;
    pub(super) const FULL: usize = 0;
    pub(super) const INLET: usize = 1;
    pub(super) const WAITING: usize = 2;
    pub(super) const LEAVING: usize = 3;
    pub(super) const OUT: usize = 0;
}

impl<C: ControlFeeder> TwinScript for LinearFeeder<C> {
    const NEW: Self =
        Self { control: C::NEW, stop: None, steps: 0, track_steps: 0, struck: 0, strikes: false, penetration: 0.0 };
    const STEPS: u32 = 30_000;
    const ITERATIONS: u32 = 3;

    /// Few sweeps, each of them cheap: a queue goes on from the impulses of the step before, without a look at them, and acceleration has nothing to work on in
    /// three sweeps.
    fn settings() -> StepSettings<f32> {
        let usual = StepSettings::default();
        let (method, start) = (Method::Block, Start::Trusted);
        let solve = Settings { iterations: Self::ITERATIONS, method, start, ..usual.solve };
        StepSettings { solve, ..usual }
    }

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        let surface = Material { friction: FRICTION, ..Material::default() };
        let rail = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
        track::add_channel(world, rail, 2.0 * RADIUS + 1e-3, surface)?;
        let (back, half) = (Pose::at(Vec3::new(BACK, 0.0, 0.0)), Vec3::new(1e-3, 0.03, 0.05));
        world.add_collider(rail, Collider { pose: back, material: surface, ..Collider::new(Shape::Box { half }) })?;
        let swing = Vec6::new(Vec3::new(0.6e-3, 0.0, 0.22e-3), Vec3::default());
        let drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION };
        plant.add_vibrator(world, Vibrator { body: rail, swing, phase: 0.0, ramp_time: 0.1, drive })?;

        let smooth = Material { friction: 0.1, ..Material::default() };
        let lid = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY)?)?;
        let (from, to, over) = LID;
        let half = Vec3::new(0.5 * (to - from), 0.01, 8e-3);
        world.add_collider(lid, block(Vec3::new(0.5 * (from + to), 0.0, over + half.z), half, smooth))?;
        let mut add_pin = |x: f32, z: f32, half: Vec3<f32>, stroke: f32| {
            let body = world.add_body(Body::new(Motion::Kinematic, Pose::at(Vec3::new(x, 0.0, z)))?)?;
            let collider = Collider { material: smooth, ..Collider::new(Shape::Box { half }) };
            world.add_collider(body, collider)?;
            let stroke = Vec6::new(Vec3::new(0.0, 0.0, stroke), Vec3::default());
            plant.add_cylinder(world, Cylinder { body, stroke, extend_time: 0.02, retract_time: 0.02 })?;
            Ok::<_, Error>(body)
        };
        self.stop = Some(add_pin(STOP + HALF_STOP.x, CENTRE, HALF_STOP, LIFT)?);
        let (above, half) = SEPARATOR;
        let depth = 4e-3;
        let down = CENTRE + above + depth;
        let _ = add_pin(STOP - 2.0 * RADIUS, down + LIFT, Vec3::new(half, 4e-3, depth), -LIFT)?;

        let material = surface;
        let shape = Shape::Sphere { radius: RADIUS };
        let part = PartKind { shape, density: DENSITY, material, is_guided: true };
        plant.add_hopper(Hopper {
            part,
            outlet: Vec3::new(0.0, 0.0, CENTRE),
            spread: Vec3::new(0.5e-3, 0.0, 0.0),
            velocity: Vec3::default(),
            parts_per_second: 5.0,
            jitter: 0.5,
            tumbles: false,
            seed: seed.wrapping_add(1),
        })?;
        // just before the stop: a cap there is within a millimetre of it, and the separator comes down behind it, not on it
        for x in [FULL_BEAM, INLET_BEAM, STOP - 1e-3, STOP + 1.25 * RADIUS] {
            let [from, to] = [-0.03, 0.03].map(|y| Vec3::new(x, y, CENTRE));
            let (hysteresis, output) = (Vec3::new(0.2e-3, 0.0, 0.0), Switching::default());
            // the beam passes through holes in the kinematic walls, modelled without the holes
            plant.add_barrier(LightBarrier {
                hysteresis,
                output,
                sees_kinematic: false,
                ..LightBarrier::new(from, to)
            })?;
        }
        let region = Region { centre: Vec3::new(STOP + 0.1185, 0.0, 0.0), half: Vec3::new(0.1, 1.0, 1.0) };
        plant.add_zone(Zone { region, level: 1, hysteresis: 0.0, output: Switching::default(), is_sink: true })?;
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        let mut pins = FeederPins {
            amplitude: terminals.amplitude(channel::RAIL)?,
            full: terminals.barrier(channel::FULL)?,
            run_rail: terminals.vibrator(channel::RAIL)?,
            inlet: terminals.barrier(channel::INLET)?,
            run_hopper: terminals.hopper(channel::HOPPER)?,
            escapement: EscapementPins {
                waiting: terminals.barrier(channel::WAITING)?,
                leaving: terminals.barrier(channel::LEAVING)?,
                stop_is_down: terminals.retracted(channel::STOP)?,
                separator_is_down: terminals.extended(channel::SEPARATOR)?,
                lift_stop: terminals.valve(channel::STOP)?,
                lower_separator: terminals.valve(channel::SEPARATOR)?,
            },
            alarm: terminals.valve(channel::ALARM)?,
        };
        self.control.tick(&mut pins).map_err(pin_failed)
    }

    fn watch(&mut self, world: &dyn AnyWorld, actuators: &Actuators, _sensors: &Sensors, report: &StepReport<f32>) {
        self.penetration = max(report.penetration, self.penetration);
        self.steps = self.steps.saturating_add(1);
        if actuators.vibrators.get(channel::RAIL).is_some_and(|rail| rail.run) {
            self.track_steps = self.track_steps.saturating_add(1);
        }
        let strikes = self.stop.is_some_and(|stop| comes_down_on_a_cap(world, stop));
        self.struck = self.struck.saturating_add(u32::from(strikes && !self.strikes));
        self.strikes = strikes;
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        tell_feeding(world, plant, channel::OUT, &MACHINE, &self.control.handover(), tell);
        tell("struck", self.struck as f32);
        tell("rail_on_share", share(self.track_steps as f32, self.steps as f32));
        tell("penetration_m", self.penetration);
    }
}

/// Does the stop move down, with a cap in its way that it has reached?
fn comes_down_on_a_cap(world: &dyn AnyWorld, stop: BodyId) -> bool {
    let Ok(stop) = world.body(stop) else { return false };
    let place = stop.pose().position;
    if stop.velocity().linear.z >= 0.0 {
        return false;
    }
    let mut is_hit = false;
    world.for_each_body(&mut |_, body| {
        let off = body.pose().position - place;
        let (beside, below) = (max(off.x.abs() - HALF_STOP.x, 0.0), max(-HALF_STOP.z - off.z, 0.0));
        let near = RADIUS + 0.5e-3;
        let reaches = beside * beside + below * below < near * near;
        // one that just touches its side stands before it
        is_hit |= body.is_dynamic() && reaches && beside < 0.75 * RADIUS;
    });
    is_hit
}
