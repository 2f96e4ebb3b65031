//! A twin that is saved and restored elsewhere goes on as if it had never stopped: with its controller copied, and by its recorded inputs without.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use embedded_hal::digital::{OutputPin, StatefulOutputPin};
use embedded_hal::pwm::SetDutyCycle;
use std::ops::Range;
use tumble::Error;
use tumble::math::Vec3;
use tumble::record::Reader;
use tumble::twin::{ACCELEROMETERS, Accelerometer, Actuators, Fault, Plant, Sensors, Signal, Terminals};
use tumble::world::{AnyWorld, StepReport, StepSettings};
use tumble_scenes::twin_stage::{TwinScript, TwinStage};
use tumble_scenes::{Scene, SmallBowl, SmallLinearFeeder, SmallPlateFeeder, SmallRejectConveyor, SmallWeighAndDose};

/// Steps made after a restore.
const AFTER: u32 = 500;
const ALWAYS: Range<u32> = 0..u32::MAX;

/// A scene with what none of them has: accelerometers, on the last parts of the machine that move; a controller that sets some pins once, and others by what they are.
#[derive(Clone)]
struct Measured<S> {
    script: S,
    is_set: bool,
}

/// Channels that no scene has a part for.
const SPARE_VALVE: usize = 7;
const SPARE_VIBRATOR: usize = 3;
const SPARE_BELT: usize = 1;

impl<S: TwinScript> TwinScript for Measured<S> {
    const NEW: Self = Self { script: S::NEW, is_set: false };
    const STEPS: u32 = S::STEPS;
    const ITERATIONS: u32 = S::ITERATIONS;

    fn settings() -> StepSettings<f32> {
        S::settings()
    }

    fn build(&mut self, world: &mut dyn AnyWorld, plant: &mut Plant, seed: u32) -> Result<(), Error> {
        self.script.build(world, plant, seed)?;
        let mut moving = Vec::new();
        world.for_each_body(&mut |id, body| moving.extend((!body.is_dynamic()).then_some(id)));
        for &body in moving.iter().rev().take(ACCELEROMETERS) {
            plant.add_accelerometer(world, Accelerometer { body, point: Vec3::new(0.01, 0.0, 0.0) })?;
        }
        Ok(())
    }

    fn control(&mut self, terminals: &Terminals) -> Result<(), Error> {
        if !core::mem::replace(&mut self.is_set, true) {
            terminals.set_frequency(SPARE_VIBRATOR, 61.5)?;
            terminals.amplitude(SPARE_VIBRATOR)?.set_duty_cycle(123).unwrap();
            terminals.speed(SPARE_BELT)?.set_duty_cycle(321).unwrap();
            terminals.reverse(SPARE_BELT)?.set_high().unwrap();
        }
        terminals.valve(SPARE_VALVE)?.toggle().unwrap();
        self.script.control(terminals)
    }

    fn watch(&mut self, world: &dyn AnyWorld, actuators: &Actuators, sensors: &Sensors, report: &StepReport<f32>) {
        self.script.watch(world, actuators, sensors, report);
    }

    fn kpis(&self, world: &dyn AnyWorld, plant: &Plant, tell: &mut dyn FnMut(&'static str, f32)) {
        self.script.kpis(world, plant, tell);
    }
}

/// None, those of signals, those of the plant; of windows some are over, some hold and some are to come whenever it is saved.
fn fault_sets() -> [Vec<(Fault, Range<u32>)>; 3] {
    let signals = vec![
        (Fault::Dropout(Signal::Barrier(0), 0.5), ALWAYS),
        (Fault::Bounce(Signal::Barrier(1), 3), ALWAYS),
        (Fault::Delay(Signal::Barrier(2), 40), ALWAYS),
        (Fault::Delay(Signal::Level(0), 5), ALWAYS),
        (Fault::Delay(Signal::Valve(0), 60), ALWAYS),
        (Fault::Delay(Signal::Hopper(0), 20), ALWAYS),
        (Fault::StuckAt(Signal::Barrier(0), true), 310..350),
        (Fault::StuckAt(Signal::Vibrator(0), false), 900..1200),
    ];
    let plant = vec![
        (Fault::Noise(0, 0.05), ALWAYS),
        (Fault::AmplitudeLoss(0, 0.5), 200..1400),
        (Fault::FrictionDrift(0, -0.1), ALWAYS),
        (Fault::Jam(0), 0..1050),
        (Fault::Jam(1), 400..1400),
        (Fault::DoublePart(0, 0.5), ALWAYS),
        (Fault::DoublePart(1, 0.5), ALWAYS),
        (Fault::Delay(Signal::Belt(0), 20), ALWAYS),
    ];
    [Vec::new(), signals, plant]
}

fn bytes_of(write: impl FnOnce(&mut dyn FnMut(&[u8]))) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut |more: &[u8]| bytes.extend_from_slice(more));
    bytes
}

fn step(stage: &mut dyn Scene) -> u64 {
    let (h, settings) = (stage.h(), stage.settings());
    let _ = stage.step(h, &settings).unwrap();
    stage.state_hash()
}

/// Play it on, to some steps after the last of these moments; at each of them save it, and restore it into another.
fn goes_on<S: TwinScript + Clone, const B: usize, const C: usize, const R: usize, const K: usize, const J: usize>(
    _: TwinStage<S, B, C, R, K, J>,
    moments: &[u32],
) {
    let fresh = || {
        let mut stage = Box::new(TwinStage::<Measured<S>, B, C, R, K, J>::new());
        stage.reset().unwrap();
        stage
    };
    for (set, faults) in fault_sets().into_iter().enumerate() {
        let mut stage = fresh();
        faults.into_iter().for_each(|(fault, steps)| stage.add_fault(fault, steps).unwrap());
        let (mut hashes, mut inputs, mut saved) = (Vec::new(), Vec::new(), Vec::new());
        for made in 0..=moments.last().unwrap() + AFTER {
            if moments.contains(&made) {
                let snapshot = bytes_of(|out| stage.save(&mut |more: &[u8]| out(more)).unwrap());
                saved.push((made, snapshot, stage.script().clone(), stage.state_hash()));
            }
            hashes.push(step(&mut *stage));
            inputs.push(bytes_of(|out| stage.inputs(&mut |more: &[u8]| out(more))));
        }
        for (made, snapshot, script, hash) in saved {
            let restored = || {
                let mut other = fresh();
                other.restore(&mut Reader::new(&snapshot)).unwrap();
                assert_eq!(other.state_hash(), hash, "faults {set}, after {made}");
                other
            };
            let (mut controlled, mut replayed) = (restored(), restored());
            *controlled.script_mut() = script;
            let first = usize::try_from(made).unwrap();
            for (number, (hash, inputs)) in hashes.iter().zip(&inputs).enumerate().skip(first).take(AFTER as usize) {
                assert_eq!(step(&mut *controlled), *hash, "faults {set}, step {number}, restored after {made}");
                replayed.set_inputs(inputs).unwrap();
                assert_eq!(step(&mut *replayed), *hash, "faults {set}, step {number}, replayed after {made}");
            }
        }
    }
}

#[test]
fn a_linear_feeder_goes_on() {
    goes_on(SmallLinearFeeder::new(), &[0, 1, 320, 1003, 5100]);
}

#[test]
fn a_reject_conveyor_goes_on() {
    goes_on(SmallRejectConveyor::new(), &[0, 1, 320, 1003, 2200]);
}

#[test]
fn a_dosing_trough_goes_on() {
    goes_on(SmallWeighAndDose::new(), &[0, 1, 320, 1003]);
}

#[test]
fn a_bowl_goes_on() {
    goes_on(SmallBowl::new(), &[1, 320, 1003]);
}

#[test]
fn a_plate_feeder_goes_on() {
    goes_on(SmallPlateFeeder::new(), &[1, 320]);
}
