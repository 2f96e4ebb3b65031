//! A plant and its faults as plain bytes: any wrong bit is refused, another plant's bytes are, and faults come along.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use std::ops::Range;
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::record::Reader;
use tumble::shape::Shape;
use tumble::twin::{
    Accelerometer, Actuators, Belt, BeltSetpoint, Camera, Cylinder, Drive, FEED_TABLE, Fault, Faults, FeedTable,
    Hopper, LightBarrier, PartKind, Plant, Region, Setpoint, Signal, Switching, Twin, Vibrator, WeighCell, Zone,
};
use tumble::world::{AnyWorld, Collider, Material, StepSettings};

type Bench = Twin<16, 64, 192, 16, 0>;

const ORIGIN: Vec3<f32> = Vec3::new(0.0, 0.0, 0.0);
const ASIDE: Vec3<f32> = Vec3::new(0.01, 0.0, 0.0);
/// A table with another speed.
static OTHER_TABLE: FeedTable = FeedTable { slopes: &[0.0], holds: &[0.1], throws: &[0.0, 1.0], speeds: &[0.0, 0.5] };

/// One of each, to be built as it is or otherwise.
#[derive(Clone, Copy)]
struct Parts {
    place: Vec3<f32>,
    vibrator: Vibrator,
    belt: Belt,
    cylinder: Cylinder,
    hopper: Hopper,
    barrier: LightBarrier,
    zone: Zone,
    scale: WeighCell,
    accelerometer: Accelerometer,
    camera: Option<Camera>,
    substeps: u16,
}

/// What the parts stand on, and the parts.
fn parts_in(world: &mut dyn AnyWorld) -> Parts {
    let body = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(body, Collider::new(Shape::HalfSpace)).unwrap();
    let under = world.add_body(Body::new(Motion::Fixed, Pose::at(Vec3::new(0.0, 0.0, -0.01))).unwrap()).unwrap();
    let surface = world.add_collider(under, Collider::new(Shape::HalfSpace)).unwrap();
    let pusher = world.add_body(Body::new(Motion::Kinematic, Pose::at(Vec3::new(0.0, 9.0, 0.0))).unwrap()).unwrap();
    let along = Vec6::new(Vec3::new(1e-4, 0.0, 1e-4), ORIGIN);
    let region = Region { centre: ORIGIN, half: Vec3::new(0.1, 0.1, f32::INFINITY) };
    Parts {
        place: ORIGIN,
        vibrator: Vibrator {
            body,
            swing: along,
            phase: 0.0,
            ramp_time: 0.05,
            drive: Drive::Averaged { table: &FEED_TABLE, friction: 0.3 },
        },
        belt: Belt {
            surface,
            direction: Vec3::new(1.0, 0.0, 0.0),
            top_speed: 0.1,
            acceleration: 1.0,
            lines_per_metre: 1000.0,
        },
        cylinder: Cylinder { body: pusher, stroke: along, extend_time: 0.05, retract_time: 0.1 },
        hopper: Hopper {
            part: PartKind {
                shape: Shape::Sphere { radius: 5e-3 },
                density: 1000.0,
                material: Material::default(),
                is_guided: false,
            },
            outlet: Vec3::new(0.0, 0.0, 0.02),
            spread: ASIDE,
            velocity: ORIGIN,
            parts_per_second: 40.0,
            jitter: 0.8,
            tumbles: true,
            seed: 9,
        },
        barrier: LightBarrier::new(ORIGIN, ASIDE),
        zone: Zone { region, level: 2, hysteresis: 0.0, output: Switching::default(), is_sink: false },
        scale: WeighCell { platform: body, filter_time: 0.02, noise: 1e-3, seed: 4 },
        accelerometer: Accelerometer { body, point: ORIGIN },
        camera: Some(Camera { field: region, period: 0.01 }),
        substeps: 2,
    }
}

/// Built, but for what `change` makes of it.
fn built(change: fn(&mut Parts)) -> Box<Bench> {
    let mut twin = Box::new(Bench::new());
    let Twin { world, plant } = &mut *twin;
    let mut parts = parts_in(world);
    let pusher = parts.cylinder.body;
    change(&mut parts);
    world.body_mut(pusher).unwrap().set_pose(Pose::at(Vec3::new(0.0, 9.0, 0.0) + parts.place)).unwrap();
    plant.add_vibrator(world, parts.vibrator).unwrap();
    plant.add_belt(world, parts.belt).unwrap();
    plant.add_cylinder(world, parts.cylinder).unwrap();
    plant.add_hopper(parts.hopper).unwrap();
    plant.add_barrier(parts.barrier).unwrap();
    plant.add_zone(parts.zone).unwrap();
    plant.add_scale(world, parts.scale).unwrap();
    plant.add_accelerometer(world, parts.accelerometer).unwrap();
    parts.camera.into_iter().for_each(|camera| plant.set_camera(camera).unwrap());
    plant.set_substeps(parts.substeps).unwrap();
    twin
}

fn step(twin: &mut Bench, faults: &mut Faults, count: u32) {
    let settings = StepSettings::default();
    let mut on = Actuators::OFF;
    (on.hoppers[0], on.valves[0]) = (true, true);
    on.vibrators[0] = Setpoint { run: true, amplitude_percent: 60.0, frequency_hz: 47.0 };
    on.belts[0] = BeltSetpoint { run: true, speed_percent: 50.0 };
    let Twin { world, plant } = twin;
    let step_world = &mut |world: &mut dyn AnyWorld, h| world.step(h, &settings);
    for _ in 0..count {
        let _ = faults.step(plant, world, 1e-3, &settings, &on, step_world).unwrap();
    }
}

fn saved(save: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Vec<u8> {
    let mut bytes = Vec::new();
    save(&mut |more: &[u8]| bytes.extend_from_slice(more));
    bytes
}

fn plant_bytes(plant: &Plant) -> Vec<u8> {
    saved(|out| plant.save(&mut |more: &[u8]| out(more)))
}

fn fault_bytes(faults: &Faults) -> Vec<u8> {
    saved(|out| faults.save(&mut |more: &[u8]| out(more)))
}

/// CRC-32 as in the standard, bit by bit, over what has been changed.
fn mended(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.truncate(bytes.len() - 4);
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    bytes.extend((!crc).to_le_bytes());
    bytes
}

/// Every bit the other way round, and every end too soon.
fn any_wrong_bit(good: &[u8], mut refused: impl FnMut(&[u8]) -> bool) {
    for bit in 0..8 * good.len() {
        let mut bytes = good.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        assert!(refused(&bytes), "bit {bit} of {}", 8 * good.len());
    }
    assert!((0..good.len()).all(|end| refused(&good[..end])));
}

#[test]
fn any_wrong_bit_of_a_plant_is_refused() {
    let (mut twin, mut other) = (built(|_| ()), built(|_| ()));
    step(&mut twin, &mut Faults::new(1), 80);
    let good = plant_bytes(&twin.plant);
    let new = plant_bytes(&other.plant);
    any_wrong_bit(&good, |bytes| {
        let mut input = Reader::new(bytes);
        let refused = other.plant.restore(&mut input).is_err();
        refused && input.position() == 0 && plant_bytes(&other.plant) == new
    });
    other.plant.restore(&mut Reader::new(&good)).unwrap();
    assert_eq!(plant_bytes(&other.plant), good);
}

#[test]
fn another_plants_bytes_are_refused() {
    let changes: &[fn(&mut Parts)] = &[
        |parts| parts.place = ASIDE,
        |parts| parts.vibrator.swing.linear.z *= 2.0,
        |parts| parts.vibrator.phase = 0.5,
        |parts| parts.vibrator.ramp_time = 0.1,
        |parts| parts.vibrator.drive = Drive::Resolved,
        |parts| parts.vibrator.drive = Drive::Averaged { table: &FEED_TABLE, friction: 0.4 },
        |parts| parts.vibrator.drive = Drive::Averaged { table: &OTHER_TABLE, friction: 0.3 },
        |parts| parts.belt.direction = Vec3::new(0.0, 1.0, 0.0),
        |parts| parts.belt.top_speed = 0.2,
        |parts| parts.belt.acceleration = 2.0,
        |parts| parts.belt.lines_per_metre = 500.0,
        |parts| std::mem::swap(&mut parts.cylinder.body, &mut parts.vibrator.body),
        |parts| parts.cylinder.stroke.linear.x = 0.5,
        |parts| parts.cylinder.extend_time = 0.06,
        |parts| parts.cylinder.retract_time = 0.06,
        |parts| parts.hopper.part.shape = Shape::Box { half: Vec3::new(5e-3, 5e-3, 5e-3) },
        |parts| parts.hopper.part.density = 1001.0,
        |parts| parts.hopper.part.material.friction = 0.1,
        |parts| parts.hopper.part.is_guided = true,
        |parts| parts.hopper.outlet = ASIDE,
        |parts| parts.hopper.spread = ORIGIN,
        |parts| parts.hopper.velocity = ASIDE,
        |parts| parts.hopper.parts_per_second = 41.0,
        |parts| parts.hopper.jitter = 0.0,
        |parts| parts.hopper.tumbles = false,
        |parts| parts.hopper.seed = 10,
        |parts| parts.barrier.from = ASIDE,
        |parts| parts.barrier.to = ORIGIN,
        |parts| parts.barrier.hysteresis = ASIDE,
        |parts| parts.barrier.output.normally_closed = true,
        |parts| parts.barrier.output.on_delay = 0.1,
        |parts| parts.barrier.output.off_delay = 0.1,
        |parts| parts.barrier.sees_kinematic = false,
        |parts| parts.barrier.sees_fixed = true,
        |parts| parts.zone.region.centre = ASIDE,
        |parts| parts.zone.region.half.z = 1.0,
        |parts| parts.zone.level = 3,
        |parts| parts.zone.hysteresis = 1e-3,
        |parts| parts.zone.output.on_delay = 0.1,
        |parts| parts.zone.is_sink = true,
        |parts| parts.scale.platform = parts.cylinder.body,
        |parts| parts.scale.filter_time = 0.03,
        |parts| parts.scale.noise = 0.0,
        |parts| parts.scale.seed = 5,
        |parts| parts.accelerometer.body = parts.cylinder.body,
        |parts| parts.accelerometer.point = ASIDE,
        |parts| parts.camera = parts.camera.map(|camera| Camera { period: 0.02, ..camera }),
        |parts| parts.camera = None,
        |parts| parts.substeps = 3,
    ];
    let good = plant_bytes(&built(|_| ()).plant);
    for (number, change) in changes.iter().enumerate() {
        let mut other = built(*change);
        assert_eq!(other.plant.restore(&mut Reader::new(&good)), Err(Error::Foreign("plant")), "{number}");
    }
    assert_eq!(built(|_| ()).plant.restore(&mut Reader::new(&good)), Ok(()));
}

/// The document gives the bytes of every part.
#[test]
fn parts_take_as_many_bytes_as_documented() {
    let documented = |part: &str| {
        let row = include_str!("../docs/recording.md").lines().find(|line| line.starts_with(&format!("| {part} |")));
        let bytes = row.and_then(|row| row.split('|').nth(2)).unwrap_or_else(|| panic!("{part} is not documented"));
        bytes.split([' ', ',']).find(|word| !word.is_empty()).unwrap().parse::<usize>().unwrap()
    };
    type Add = fn(&mut Plant, &dyn AnyWorld, &Parts) -> Result<(), Error>;
    let kinds: [(&str, Add); 9] = [
        ("vibrator", |plant, world, parts| plant.add_vibrator(world, parts.vibrator).map(drop)),
        ("belt", |plant, world, parts| plant.add_belt(world, parts.belt).map(drop)),
        ("cylinder", |plant, world, parts| plant.add_cylinder(world, parts.cylinder).map(drop)),
        ("hopper", |plant, _, parts| plant.add_hopper(parts.hopper).map(drop)),
        ("barrier", |plant, _, parts| plant.add_barrier(parts.barrier).map(drop)),
        ("zone", |plant, _, parts| plant.add_zone(parts.zone).map(drop)),
        ("weigh cell", |plant, world, parts| plant.add_scale(world, parts.scale).map(drop)),
        ("accelerometer", |plant, world, parts| plant.add_accelerometer(world, parts.accelerometer).map(drop)),
        ("camera", |plant, _, parts| plant.set_camera(parts.camera.unwrap())),
    ];
    // envelope with checksum, hash, time
    let nothing = plant_bytes(&Plant::new()).len();
    assert_eq!(nothing, 15 + 8 + 8 + documented("sensors"));
    let mut twin = Box::new(Bench::new());
    let parts = parts_in(&mut twin.world);
    for (part, add) in kinds {
        let mut plant = Plant::new();
        add(&mut plant, &twin.world, &parts).unwrap();
        assert_eq!(plant_bytes(&plant).len() - nothing, documented(part), "{part}");
    }
}

#[test]
fn states_that_no_step_leads_to_are_refused() {
    let mut twin = built(|_| ());
    let good = plant_bytes(&twin.plant);
    // envelope 11, built 8, nanoseconds 8, turn 4: then level, in 2⁻⁶¹, and wear; the belt's 20; the cylinder's place, in 2⁻⁶¹
    let refused = |plant: &mut Plant, at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        plant.restore(&mut Reader::new(&mended(bytes))).err()
    };
    let plant = &mut twin.plant;
    let number = |value: f32| value.to_le_bytes();
    let halves = |halves: i64| (halves << 60).to_le_bytes();
    assert_eq!(refused(plant, 31, &halves(3)), Some(Error::OutOfRange("share")));
    assert_eq!(refused(plant, 31, &halves(-1)), Some(Error::Negative("level")));
    assert_eq!(refused(plant, 31, &halves(1)), None);
    assert_eq!(refused(plant, 39, &number(-1.0)), Some(Error::Negative("wear")));
    assert_eq!(refused(plant, 39, &number(f32::INFINITY)), Some(Error::NonFinite("number")));
    assert_eq!(refused(plant, 63, &halves(3)), Some(Error::OutOfRange("share")));
    assert_eq!(refused(plant, 63, &halves(-1)), Some(Error::Negative("place")));
    assert_eq!(refused(plant, 63, &halves(1)), None);
    // how many parts a camera sees, before how many it does not, sixteen poses and the checksum
    let mut bytes = good.clone();
    let seen = good.len() - 4 - 16 * 28 - 2 - 1;
    bytes[seen] = 17;
    assert_eq!(plant.restore(&mut Reader::new(&mended(bytes))), Err(Error::OutOfRange("seen")));
    // bytes that nobody reads
    let mut bytes = good.clone();
    bytes.insert(good.len() - 4, 0);
    let length = u32::try_from(good.len() - 15 + 1).unwrap();
    bytes[7..11].copy_from_slice(&length.to_le_bytes());
    assert_eq!(plant.restore(&mut Reader::new(&mended(bytes))), Err(Error::OutOfRange("length")));
}

/// One of each kind that fits.
fn list() -> [(Fault, Range<u32>); 8] {
    [
        (Fault::StuckAt(Signal::Barrier(0), true), 5..7),
        (Fault::Dropout(Signal::Level(0), 0.5), 0..u32::MAX),
        (Fault::Delay(Signal::Valve(0), 9), 0..u32::MAX),
        (Fault::Bounce(Signal::Barrier(0), 3), 0..u32::MAX),
        (Fault::Noise(0, 0.5), 0..100),
        (Fault::AmplitudeLoss(0, 0.5), 20..60),
        (Fault::FrictionDrift(0, -0.1), 0..u32::MAX),
        (Fault::DoublePart(0, 0.5), 0..u32::MAX),
    ]
}

fn faults(list: &[(Fault, Range<u32>)]) -> Faults {
    let mut faults = Faults::new(7);
    list.iter().for_each(|(fault, steps)| faults.add(*fault, steps.clone()).unwrap());
    faults
}

#[test]
fn any_wrong_bit_of_faults_is_refused() {
    let mut spoiling = faults(&list());
    step(&mut built(|_| ()), &mut spoiling, 40);
    let good = fault_bytes(&spoiling);
    let mut other = faults(&[(Fault::Jam(0), 1..2)]);
    let before = fault_bytes(&other);
    any_wrong_bit(&good, |bytes| {
        let mut input = Reader::new(bytes);
        other.restore(&mut input).is_err() && input.position() == 0 && fault_bytes(&other) == before
    });
    // what `add` would refuse: a channel beyond, in the first fault, after 11 bytes of envelope, 25 of state and two tags
    let mut bytes = good.clone();
    bytes[38] = 8;
    assert_eq!(other.restore(&mut Reader::new(&mended(bytes))), Err(Error::OutOfRange("channel")));
    let mut bytes = good.clone();
    bytes[35] = 9;
    assert_eq!(other.restore(&mut Reader::new(&mended(bytes))), Err(Error::CapacityExceeded("faults")));
    assert_eq!(fault_bytes(&other), before);
}

#[test]
fn faults_come_along_whatever_there_were() {
    let (mut twin, mut spoiling) = (built(|_| ()), faults(&list()));
    step(&mut twin, &mut spoiling, 40);
    let bytes = saved(|out| twin.save(&spoiling, &[], &mut |more: &[u8]| out(more)).unwrap());
    step(&mut twin, &mut spoiling, 60);
    for mut others in [Faults::new(1), faults(&[(Fault::Jam(0), 0..u32::MAX), (Fault::Noise(1, 3.0), 0..9)])] {
        let mut other = built(|_| ());
        other.restore(&mut others, &[], &mut Reader::new(&bytes)).unwrap();
        step(&mut other, &mut others, 60);
        assert_eq!(other.world.state_hash(), twin.world.state_hash());
        assert_eq!(other.plant.state_hash(), twin.plant.state_hash());
        assert_eq!(others.state_hash(), spoiling.state_hash());
    }
    // each by itself, with what found no room
    let signals = [
        Signal::Vibrator(3),
        Signal::Belt(1),
        Signal::Hopper(1),
        Signal::Retracted(7),
        Signal::Extended(6),
        Signal::EncoderA(1),
        Signal::EncoderB(0),
    ];
    let more = signals.map(|signal| (Fault::StuckAt(signal, true), 3..5));
    for (fault, steps) in list().into_iter().chain(more).chain([(Fault::Jam(0), 3..5)]) {
        let one = faults(&[(fault, steps)]);
        let mut other = Faults::new(1);
        other.restore(&mut Reader::new(&fault_bytes(&one))).unwrap();
        assert_eq!((format!("{other:?}"), other.state_hash()), (format!("{one:?}"), one.state_hash()));
    }
}
