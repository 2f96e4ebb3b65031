//! A plant of everything there is, of settings that nobody knows, stepped with faults, saved and restored.

use core::hint::black_box;
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::record::{Persist, Reader, Writer};
use tumble::shape::Shape;
use tumble::twin::{
    Accelerometer, Actuators, Belt, Camera, Cylinder, Drive, FEED_TABLE, Fault, Faults, Hopper, LightBarrier, PartKind,
    Random, Region, Sensors, Signal, Switching, Twin, Vibrator, WeighCell, Zone, track,
};
use tumble::world::{AnyWorld, Collider, Material, StepSettings};

/// A number that nobody knows.
fn x() -> f32 {
    black_box(1.0)
}

fn vector() -> Vec3<f32> {
    Vec3::new(x(), x(), x())
}

#[inline(never)]
pub(crate) fn exercise() -> Result<Sensors, Error> {
    let mut twin = Twin::<6, 8, 160, 12, 12>::new();
    let Twin { world, plant } = &mut twin;
    let track = world.add_body(Body::new(Motion::Kinematic, Pose::at(vector()))?)?;
    let surface = world.add_collider(track, Collider::new(black_box(Shape::HalfSpace)))?;
    let material = Material { friction: x(), ..Material::default() };
    track::add_flat(world, track, (x(), x()), material)?;
    track::add_rail(world, track, (x(), x()), x(), material)?;
    track::add_channel(world, track, x(), material)?;
    track::add_groove(world, track, x(), material)?;
    let plates = black_box(3);
    track::BowlTrack { radius: x(), width: x(), wall: x(), rise: x(), turns: x(), bank: x(), plates }
        .add(world, track, material)?;
    let swing = Vec6::new(vector(), vector());
    for drive in [Drive::Resolved, Drive::Averaged { table: black_box(&FEED_TABLE), friction: x() }] {
        plant.add_vibrator(world, Vibrator { body: track, swing, phase: x(), ramp_time: x(), drive })?;
    }
    let direction = Vec3::new(x(), 0.0, 0.0);
    let belt = Belt { surface, direction, top_speed: x(), acceleration: x(), lines_per_metre: x() };
    plant.add_belt(world, belt)?;
    let cylinder = Cylinder { body: track, stroke: swing, extend_time: x(), retract_time: x() };
    plant.add_cylinder(world, cylinder)?;
    let part = PartKind {
        shape: black_box(Shape::Sphere { radius: 1.0 }),
        density: x(),
        material,
        is_guided: black_box(true),
    };
    plant.add_hopper(Hopper {
        part,
        outlet: vector(),
        spread: vector(),
        velocity: vector(),
        parts_per_second: x(),
        jitter: x(),
        tumbles: black_box(true),
        seed: black_box(1),
    })?;
    let output = Switching { normally_closed: black_box(true), on_delay: x(), off_delay: x() };
    let mut barrier = LightBarrier::new(vector(), vector());
    (barrier.hysteresis, barrier.output) = (vector(), output);
    (barrier.sees_kinematic, barrier.sees_fixed) = (black_box(true), black_box(true));
    plant.add_barrier(barrier)?;
    let region = Region { centre: vector(), half: vector() };
    plant.add_zone(Zone {
        region,
        level: black_box(1),
        hysteresis: black_box(1e-3),
        output,
        is_sink: black_box(true),
    })?;
    plant.add_scale(world, WeighCell { platform: track, filter_time: x(), noise: x(), seed: black_box(1) })?;
    plant.add_accelerometer(world, Accelerometer { body: track, point: vector() })?;
    plant.set_camera(Camera { field: region, period: x() })?;
    plant.set_substeps(black_box(2))?;

    let mut faults = Faults::new(black_box(7));
    let signal = black_box(Signal::Barrier(1));
    let (channel, steps) = (black_box(0), black_box(0)..black_box(9));
    for fault in [
        Fault::StuckAt(signal, black_box(true)),
        Fault::Dropout(signal, x()),
        Fault::Delay(signal, black_box(3)),
        Fault::Bounce(signal, black_box(3)),
        Fault::Noise(channel, x()),
        Fault::AmplitudeLoss(channel, x()),
        Fault::FrictionDrift(channel, x()),
        Fault::Jam(channel),
        Fault::DoublePart(channel, x()),
    ] {
        faults.add(black_box(fault), steps.clone())?;
    }
    let actuators: Actuators = Reader::new(black_box(&[0; 64])).load()?;
    let settings = StepSettings::default();
    let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
    let (sensors, _) = faults.step(plant, world, x(), &settings, &actuators, step_world)?;

    let mut buffer = [0; 64];
    let mut writer = Writer::new(&mut buffer);
    actuators.save(&mut writer);
    sensors.save(&mut writer);
    twin.save(&faults, &[], &mut writer)?;
    let bytes = black_box(writer.finish()?);
    twin.restore(&mut faults, &[], &mut Reader::new(bytes))?;
    twin.plant.restore(&mut Reader::new(bytes))?;
    faults.restore(&mut Reader::new(bytes))?;
    twin.plant.clear();
    let mut random = Random::new(black_box(1));
    black_box(random.one_of(black_box(&[1, 2]), 3));
    Ok(sensors)
}
