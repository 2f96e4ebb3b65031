//! Scenes on boards: together they do not fit into 128 KiB, so each firmware plays some of them.
//!
//! Output of a scene: a line for every step as `trace` writes it; then `HASH NAME STEPS` as `tumble_scenes::write_hash` writes it, the same text as
//! on the host; of a twin nothing else; `scene NAME bytes B friction F`, bytes of its world and script; more lines of steps, with few sweeps, and `hurried NAME`. Of worlds that tell kinds of work
//! apart, and of an adversary's: a line for every step.

use crate::instructions::Counter;
use crate::trace::trace;
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use cortex_m_semihosting::hio::HostStream;
use tumble::world::StepSettings;
use tumble::{FrictionModel, Settings};
use tumble_scenes::adversary::{Adversary, AdversaryWorld, STEPS};
use tumble_scenes::meters::{METERS, MeterWorld, build_meter};
use tumble_scenes::{
    Scene, SmallBalance, SmallBottles, SmallBowl, SmallBrazilNut, SmallCascade, SmallDice, SmallDicePlate,
    SmallGripper, SmallLinearFeeder, SmallMassRatio, SmallPlateFeeder, SmallPyramid, SmallRejectConveyor, SmallSetup,
    SmallShaker, SmallSpringChain, SmallStressDrop, SmallWeighAndDose, SmallWheels, board_steps, write_hash,
};

macro_rules! firmware {
    ($(#[$doc:meta])* $firmware:ident by $play:ident: $($name:literal $stage:ident),+) => {
        $(#[$doc])*
        ///
        /// Called once, from `main`.
        pub fn $firmware() -> ! {
            leave(|out, counter| {
                $({
                    static STAGE: Single<$stage> = Single(UnsafeCell::new($stage::new()));
                    // SAFETY: called once from the only thread, so this is the only reference ever made.
                    let stage = unsafe { &mut *STAGE.0.get() };
                    $play(out, counter, $name, stage, size_of::<$stage>())?;
                })+
                Ok(())
            })
        }
    };
}
firmware!(
    /// Play shaker, leave the emulator.
    shaker by play: "shaker" SmallShaker
);
firmware!(
    /// Play brazil-nut and mass-ratio, leave the emulator.
    nut_and_mass_ratio by play: "brazil-nut" SmallBrazilNut, "mass-ratio" SmallMassRatio
);
firmware!(
    /// Play gripper, stress-drop and spring-chain, leave the emulator.
    gripper_stress_and_chain by play: "gripper" SmallGripper, "stress-drop" SmallStressDrop, "spring-chain" SmallSpringChain
);
firmware!(
    /// Play cascade and bottles, leave the emulator.
    cascade_and_bottles by play: "cascade" SmallCascade, "bottles" SmallBottles
);
firmware!(
    /// Play dice-plate and setup, leave the emulator.
    dice_plate_and_setup by play: "dice-plate" SmallDicePlate, "setup" SmallSetup
);
firmware!(
    /// Play balance, pyramid, dice and wheels, leave the emulator.
    polyhedra by play: "balance" SmallBalance, "pyramid" SmallPyramid, "dice" SmallDice, "wheels" SmallWheels
);

firmware!(
    /// Play linear-feeder and reject-conveyor, leave the emulator.
    linear_feeder_and_reject_conveyor by play_twin: "linear-feeder" SmallLinearFeeder, "reject-conveyor" SmallRejectConveyor
);
firmware!(
    /// Play weigh-and-dose, leave the emulator.
    weigh_and_dose by play_twin: "weigh-and-dose" SmallWeighAndDose
);
firmware!(
    /// Play bowl, leave the emulator.
    bowl by play_twin: "bowl" SmallBowl
);
firmware!(
    /// Play plate-feeder, leave the emulator.
    plate_feeder by play_twin: "plate-feeder" SmallPlateFeeder
);

/// Steps of a scene that is played once more, in haste.
const HURRIED: u32 = 200;
/// Attacks among the steps that costs may not be too low for: with half as many, steps of other attacks take up to 3 % more than these foretell.
const ATTACKS: u32 = 200;

/// Make two steps in every world that tells kinds of work apart, and the adversary's without a deadline, leave the emulator.
///
/// Called once, from `main`.
pub fn meters() -> ! {
    static WORLD: Single<MeterWorld> = Single(UnsafeCell::new(MeterWorld::new()));
    // SAFETY: called once from the only thread, so this is the only reference ever made.
    let world = unsafe { &mut *WORLD.0.get() };
    static ATTACKED: Single<AdversaryWorld> = Single(UnsafeCell::new(AdversaryWorld::new()));
    // SAFETY: as above.
    let attacked = unsafe { &mut *ATTACKED.0.get() };
    leave(|out, counter| {
        for number in 0..METERS {
            build_meter(world, number).map_err(|_| Error)?;
            for _ in 0..2 {
                trace(out, counter, &mut || world.step(1e-3, &StepSettings::default())).1?;
            }
        }
        for seed in 0..ATTACKS {
            let mut adversary = Adversary::new(seed);
            attacked.clear();
            adversary.build(attacked).map_err(|_| Error)?;
            let (h, mut settings) = adversary.settings();
            // published costs are of this one
            settings.solve.friction = FrictionModel::default();
            for _ in 0..STEPS {
                adversary.meddle(attacked).map_err(|_| Error)?;
                trace(out, counter, &mut || attacked.step(h, &settings)).1?;
            }
        }
        Ok(())
    })
}

fn play(
    out: &mut HostStream,
    counter: &mut Counter,
    name: &str,
    scene: &mut dyn Scene,
    bytes: usize,
) -> Result<(), Error> {
    let (mut lines, mut written) = (*out, Ok(()));
    write_hash(out, name, scene, board_steps(name), |step| {
        let (report, line) = trace(&mut lines, counter, step);
        written = written.and(line);
        report
    })?;
    written?;
    writeln!(out, "scene {name} bytes {bytes} friction {:?}", scene.settings().solve.friction)?;
    hurry(out, counter, scene)?;
    writeln!(out, "hurried {name}")
}

/// A twin by its controller: what counts is that its bits are those of the host.
fn play_twin(out: &mut HostStream, _: &mut Counter, name: &str, scene: &mut dyn Scene, _: usize) -> Result<(), Error> {
    write_hash(out, name, scene, board_steps(name), |step| step())
}

/// Play its beginning once more, every other step with next to no sweeps: with as many as a scene has, costs of rows may hide in those of their sweeps, and a
/// step that is cut off would take longer than predicted.
fn hurry(out: &mut HostStream, counter: &mut Counter, scene: &mut dyn Scene) -> Result<(), Error> {
    scene.reset().map_err(|_| Error)?;
    let (h, mut settings) = (scene.h(), scene.settings());
    // published costs are of this one
    settings.solve.friction = FrictionModel::default();
    for step in 0..HURRIED {
        let iterations = if step % 2 == 0 { settings.solve.iterations } else { step / 2 % 4 };
        let settings = StepSettings { solve: Settings { iterations, ..settings.solve }, ..settings };
        let mut written = Ok(());
        let report = scene.step_by(h, &settings, &mut |world, h| {
            let (report, line) = trace(out, counter, &mut || world.step(h, &settings));
            written = line;
            report
        });
        report.map(drop).map_err(|_| Error)?;
        written?;
    }
    Ok(())
}
