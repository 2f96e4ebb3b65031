//! A vibratory bowl: parts climb its track from the floor, past a wiper that lets nothing high pass and a trap that drops what lies in a second row; a pusher takes them
//! at the end, a hopper fills up what has gone.
//!
//! ```text
//! part     box 12 × 9 × 7 mm, 2 g, μ = 0.4: flat it is 7 mm high, on edge 9 mm, on end 12 mm
//! floor    a polished dome, and a flat ring round it, r = 80 … 120 mm: parts slide off the dome and go round on the ring
//! track    helix r = 100 … 120 mm, 1.25 turns of 30 mm: it rises by 2.5°; from 1/16 of a turn behind the wiper on only 11 mm are left of its width
//! drive    50 Hz, 0.28 mm up and 0.6 mm round at r = 110 mm, averaged, soft start 0.1 s
//! wiper    a slanted blade 8 mm over the track at 5/8 of a turn, lowered by a valve
//! outlet   stop at the end of the track, beam before it, pusher across; a slanted guard on the inside keeps the next part where it is; the full beam is 45 mm before the
//!          stop
//! demand   one part every 900 ms from 9 s on; where none waits at its time, the machine starves until one does
//! hopper   4 parts a second onto the dome, while fewer than 7 parts are on the floor
//! ```

use crate::control::{BowlControl, BowlPins, ControlBowl, TransferPins};
use crate::key_figures::{share, tell_feeding};
use crate::scene::AnyWorld;
use crate::twin_stage::{TwinScript, TwinStage, pin_failed};
use core::f32::consts::FRAC_PI_2;
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6, max};
use tumble::shape::Shape;
use tumble::twin::track::BowlTrack;
use tumble::twin::{
    Actuators, Cylinder, Drive, FEED_TABLE, Hopper, LightBarrier, PartKind, Plant, Region, Sensors, Switching,
    Terminals, Vibrator, Zone,
};
use tumble::world::{Collider, Material, StepReport};

/// A bowl with its controller.
#[derive(Clone, Copy, Debug)]
pub struct Bowl<C = BowlControl> {
    /// Its controller.
    pub control: C,
    steps: u32,
    bowl_steps: u32,
    too_high: TooHigh,
    /// m
    penetration: f32,
}

/// A stage for a bowl with 16 parts: fits a microcontroller.
pub type BowlStage<C> = TwinStage<Bowl<C>, 20, 164, 492, 93>;

/// With the example controller.
pub type SmallBowl = BowlStage<BowlControl>;

/// Half the edges of a part. m
const HALF_PART: Vec3<f32> = Vec3::new(6e-3, 4.5e-3, 3.5e-3);
/// kg/m³
const DENSITY: f32 = 2700.0;
const FRICTION: f32 = 0.4;
/// Inner face of the outer wall. m
const WALL: f32 = 0.12;
/// Plates in a turn.
const PLATES: u16 = 16;
/// The track goes round so far. Turns
const TURNS: f32 = 1.25;
/// m
const WIDTH: f32 = 0.02;
const NARROW: f32 = 0.011;
/// Plates of full width.
const WIDE_PLATES: u16 = 11;
/// Radius of the dome. m
const DOME: f32 = 0.2;
/// Where the ring begins. m
const RING: f32 = 0.08;
/// Where the wiper is. Turns
const WIPER: f32 = 0.625;
/// What is higher over the track is too high. m
const CLEARANCE: f32 = 8e-3;
/// How far up the wiper is when it is not lowered. m
const LIFT: f32 = 0.02;
/// Face of the stop, before the end of the track. m
const STOP: f32 = 4e-3;
/// The full beam, before the stop. m
const FULL_BEAM: f32 = 0.045;
/// How far the pusher goes across the track. m
const PUSH: f32 = 0.02;
/// The guard is a rod, so far before the stop, so long, this thick, its face in its middle so far from the wall. m
const GUARD: (f32, f32, f32, f32) = (0.0135, 0.024, 4e-3, 16.5e-3);
/// It comes closer to the wall the way parts go, to 14.4 mm: parts, which are 15 mm from corner to corner, turn along it. They would wedge at an end that stands in their way. rad
const GUARD_SLANT: f32 = 0.21;
/// Where parts are that are neither out nor lost. m
const MACHINE: Region = Region { centre: Vec3::new(0.0, 0.0, 0.04), half: Vec3::new(WALL, WALL, 0.05) };

/// Channels of terminals.
mod channel {
    pub(super) const BOWL: usize = 0;
    pub(super) const HOPPER: usize = 0;
    pub(super) const WIPER: usize = 0;
    pub(super) const PUSHER: usize = 1;
    /// a valve's terminal with a lamp on it
    pub(super) const ALARM: usize = 2;
    pub(super) const FULL: usize = 0;
    pub(super) const WAITING: usize = 1;
    pub(super) const OUT: usize = 0;
    pub(super) const FLOOR: usize = 1;
    pub(super) const BEFORE: usize = 2;
    pub(super) const BETWEEN: usize = 3;
    pub(super) const AFTER: usize = 4;
}

/// The track, of this width from the wall.
fn track(width: f32) -> BowlTrack {
    let plates = PLATES.saturating_add(PLATES / 4);
    BowlTrack { radius: WALL - 0.5 * width, width, wall: 0.015, rise: 0.03, turns: TURNS, bank: 0.0, plates }
}

/// A place of the track: so many turns from its beginning, so far ahead of there (m).
fn place(turns: f32, ahead: f32) -> Pose<f32> {
    let track = track(WIDTH);
    let length = core::f32::consts::TAU * track.radius * TURNS;
    track.place(turns / TURNS + ahead / length)
}

impl<C: ControlBowl> TwinScript for Bowl<C> {
    const NEW: Self = Self { control: C::NEW, steps: 0, bowl_steps: 0, too_high: TooHigh::NEW, penetration: 0.0 };
    const STEPS: u32 = 45_000;
    const ITERATIONS: u32 = 12;

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        build_bowl(world, plant, seed)?;
        build_tools(world, plant)?;
        build_sensors(plant)?;
        // over the track behind the wiper, in the middle of a plate, for parts hop where two meet: only what is too high meets it
        self.too_high.beam = across(&place(WIPER + 0.21875, 0.0), CLEARANCE + 0.5e-3);
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        let mut pins = BowlPins {
            amplitude: terminals.amplitude(channel::BOWL)?,
            full: terminals.barrier(channel::FULL)?,
            run_bowl: terminals.vibrator(channel::BOWL)?,
            floor: terminals.level(channel::FLOOR)?,
            run_hopper: terminals.hopper(channel::HOPPER)?,
            wipe: terminals.valve(channel::WIPER)?,
            transfer: TransferPins {
                waiting: terminals.barrier(channel::WAITING)?,
                is_in: terminals.retracted(channel::PUSHER)?,
                is_out: terminals.extended(channel::PUSHER)?,
                push: terminals.valve(channel::PUSHER)?,
            },
            alarm: terminals.valve(channel::ALARM)?,
        };
        self.control.tick(&mut pins).map_err(pin_failed)
    }

    fn watch(&mut self, world: &dyn AnyWorld, actuators: &Actuators, _sensors: &Sensors, report: &StepReport<f32>) {
        self.penetration = max(report.penetration, self.penetration);
        self.steps = self.steps.saturating_add(1);
        let runs = actuators.vibrators.get(channel::BOWL).is_some_and(|bowl| bowl.run);
        self.bowl_steps = self.bowl_steps.saturating_add(runs.into());
        self.too_high.watch(world);
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        let sensors = plant.sensors();
        let count = |zone: usize| sensors.zones.get(zone).map_or(0.0, |zone| zone.count as f32);
        let [before, between, after] = [channel::BEFORE, channel::BETWEEN, channel::AFTER].map(count);
        tell_feeding(world, plant, channel::OUT, &MACHINE, &self.control.handover(), tell);
        tell("to_wiper", before);
        tell("past_wiper", between);
        tell("past_trap", after);
        tell("yield_share", share(after, before));
        tell("passed_too_high", self.too_high.parts as f32);
        tell("bowl_on_share", share(self.bowl_steps as f32, self.steps as f32));
        tell("penetration_m", self.penetration);
    }
}

/// Floor, track, and what moves them.
fn build_bowl(world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
    let surface = Material { friction: FRICTION, ..Material::default() };
    let bowl = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
    let wide = track(WIDTH);
    wide.add_plates(world, bowl, 0..WIDE_PLATES, surface)?;
    let narrow = track(NARROW);
    narrow.add_plates(world, bowl, WIDE_PLATES..narrow.plates, surface)?;
    let width = WALL - RING;
    let ring =
        BowlTrack { radius: WALL - 0.5 * width, width, wall: 0.012, rise: 0.0, turns: 1.0, bank: 0.0, plates: PLATES };
    ring.add(world, bowl, surface)?;
    // it meets the ring where that begins: √(R² − r²) below the middle of that circle
    let below = tumble::math::Real::sqrt(DOME * DOME - RING * RING);
    let polished = Material { friction: 0.02, ..Material::default() };
    let (pose, shape) = (Pose::at(Vec3::new(0.0, 0.0, -below)), Shape::Sphere { radius: DOME });
    world.add_collider(bowl, Collider { pose, material: polished, ..Collider::new(shape) })?;

    let swing = Vec6::new(Vec3::new(0.0, 0.0, 0.28e-3), Vec3::new(0.0, 0.0, 0.6e-3 / wide.radius));
    let drive = Drive::Averaged { table: &FEED_TABLE, friction: FRICTION };
    plant.add_vibrator(world, Vibrator { body: bowl, swing, phase: 0.0, ramp_time: 0.1, drive })?;

    let shape = Shape::Box { half: HALF_PART };
    let part = PartKind { shape, density: DENSITY, material: surface, is_guided: false };
    plant
        .add_hopper(Hopper {
            part,
            outlet: Vec3::new(-0.05, 0.0, 0.03),
            spread: Vec3::new(0.015, 0.03, 0.0),
            velocity: Vec3::default(),
            parts_per_second: 4.0,
            jitter: 0.5,
            tumbles: true,
            seed: seed.wrapping_add(3),
        })
        .map(drop)
}

/// Wiper, pusher, stop.
fn build_tools(world: &mut dyn AnyWorld, plant: &mut Plant) -> Result<(), Error> {
    let smooth = Material { friction: 0.05, ..Material::default() };
    let mut add = |pose: Pose<f32>, half: Vec3<f32>| {
        let body = world.add_body(Body::new(Motion::Kinematic, pose)?)?;
        world.add_collider(body, Collider { material: smooth, ..Collider::new(Shape::Box { half }) })?;
        Ok::<_, Error>(body)
    };
    // slanted inwards the way parts go
    let at = place(WIPER, 0.0);
    let half = Vec3::new(0.02, 1e-3, 6e-3);
    let up = at.orientation.turn(Vec3::new(0.0, 0.0, 1.0));
    let orientation = at.orientation.turned_far(up * 0.6);
    let wiper = add(Pose { position: at.point(Vec3::new(0.0, 0.0, CLEARANCE + half.z + LIFT)), orientation }, half)?;
    // as deep as it goes far: nothing gets behind it
    // no wider than a part that lies across: the next one is not to go with it
    let at = place(TURNS, -STOP - HALF_PART.y);
    let half = Vec3::new(0.8 * HALF_PART.y, 0.5 * PUSH + 2e-3, 3e-3);
    let outside = Vec3::new(0.0, -0.5 * WIDTH - 1e-3 - half.y, half.z + 1e-3);
    let pusher = add(Pose { position: at.point(outside), orientation: at.orientation }, half)?;
    let at = place(TURNS, -STOP);
    let half = Vec3::new(1e-3, 0.5 * WIDTH, 4e-3);
    let pose = Pose { position: at.point(Vec3::new(half.x, 0.0, half.z + 1e-3)), orientation: at.orientation };
    let stop = add(pose, half)?;
    // a part that is pushed drags the next one along by its side
    let (ahead, length, thick, face) = GUARD;
    let radius = 0.5 * thick;
    let shape = Shape::Capsule { radius, half_length: 0.5 * length - radius };
    let along = place(TURNS, -STOP - ahead - 0.5 * length);
    let middle = along.point(Vec3::new(0.0, face + radius - 0.5 * WIDTH, HALF_PART.z));
    // a capsule is long along z
    let lying = along.orientation.turned_far(along.orientation.turn(Vec3::new(0.0, FRAC_PI_2, 0.0)));
    let slanted = lying.turned_far(along.orientation.turn(Vec3::new(0.0, 0.0, -GUARD_SLANT)));
    let rod = Pose { position: pose.point_within(middle), orientation: pose.orientation.inverse() * slanted };
    world.add_collider(stop, Collider { pose: rod, material: smooth, ..Collider::new(shape) })?;

    let down = Vec6::new(up * -LIFT, Vec3::default());
    plant.add_cylinder(world, Cylinder { body: wiper, stroke: down, extend_time: 0.2, retract_time: 0.2 })?;
    let inwards = Vec6::new(at.orientation.turn(Vec3::new(0.0, PUSH, 0.0)), Vec3::default());
    plant
        .add_cylinder(world, Cylinder { body: pusher, stroke: inwards, extend_time: 0.08, retract_time: 0.08 })
        .map(drop)
}

/// From one side of the track to the other.
fn across(at: &Pose<f32>, height: f32) -> [Vec3<f32>; 2] {
    [-0.5 * WIDTH + 0.5e-3, 0.5 * WIDTH + 5e-3].map(|y| at.point(Vec3::new(0.0, y, height)))
}

/// What passes the wiper too high: parts as they are, which no sensor of the machine sees.
#[derive(Clone, Copy, Debug)]
struct TooHigh {
    parts: u32,
    beam: [Vec3<f32>; 2],
    /// one is passing
    passing: bool,
    /// steps for which that has been otherwise
    otherwise: u32,
}

impl TooHigh {
    const NEW: Self = Self { parts: 0, beam: [Vec3::new(0.0, 0.0, 0.0); 2], passing: false, otherwise: 0 };

    fn watch(&mut self, world: &dyn AnyWorld) {
        let [from, to] = self.beam;
        let mut meets = false;
        world.for_each_collider(&mut |_, of, collider| {
            let Ok(body) = world.body(of) else { return };
            if body.is_dynamic() {
                let pose = body.pose().then(&collider.pose);
                meets |= collider.shape.first_hit(pose.point_within(from), pose.point_within(to)).is_some();
            }
        });
        self.otherwise = if meets == self.passing { 0 } else { self.otherwise.saturating_add(1) };
        // a part that rocks is not one that stands; one that does takes 40 ms and more to pass
        if self.otherwise > 30 {
            (self.passing, self.otherwise) = (meets, 0);
            self.parts = self.parts.saturating_add(meets.into());
        }
    }
}

/// Beams and zones.
fn build_sensors(plant: &mut Plant) -> Result<(), Error> {
    let output = Switching::default();
    for before in [FULL_BEAM, 1e-3] {
        let [from, to] = across(&place(TURNS, -STOP - before), 2.5e-3);
        // parts only: the pusher crosses the second beam at every stroke
        plant.add_barrier(LightBarrier { output, sees_kinematic: false, ..LightBarrier::new(from, to) })?;
    }
    // taken: off the track to the inside, at the end
    let end = place(TURNS, -STOP).position;
    let mut add = |centre: Vec3<f32>, half: Vec3<f32>, level: u16, is_sink: bool| {
        plant.add_zone(Zone { region: Region { centre, half }, level, hysteresis: 0.0, output, is_sink }).map(drop)
    };
    let inside = 0.5 * WIDTH + 4e-3;
    add(end + Vec3::new(4e-3, -inside - 6e-3, 0.0), Vec3::new(0.018, 9e-3, 0.015), 1, true)?;
    add(Vec3::new(0.0, 0.0, 0.0), Vec3::new(WALL, WALL, 0.012), 7, false)?;
    // before the wiper, between wiper and trap, behind the trap
    for turns in [0.5, 0.675, 1.0] {
        let half = Vec3::new(0.5 * WIDTH + 2e-3, 0.5 * WIDTH + 2e-3, 0.012);
        add(place(turns, 0.0).position + Vec3::new(0.0, 0.0, 6e-3), half, 1, false)?;
    }
    Ok(())
}
