//! Scenes on boards: together they do not fit into 128 KiB, so each firmware plays some of them.
//!
//! Output, two lines a scene: `HASH NAME STEPS` as `tumble_scenes::write_hash` writes it, the same text as on the host; and
//! `steps NAME instructions LEAST MEAN MOST bytes B`, which only a target can print: instructions of a step, bytes of the scene's world and
//! script.

use crate::instructions::Counter;
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use tumble_scenes::{
    Scene, SmallBottles, SmallBrazilNut, SmallCascade, SmallGripper, SmallMassRatio, SmallShaker, SmallSpringChain,
    SmallStressDrop, board_steps, write_hash,
};

macro_rules! firmware {
    ($(#[$doc:meta])* $firmware:ident: $($name:literal $stage:ident),+) => {
        $(#[$doc])*
        ///
        /// Called once, from `main`.
        pub fn $firmware() -> ! {
            leave(|out, counter| {
                $({
                    static STAGE: Single<$stage> = Single(UnsafeCell::new($stage::new()));
                    // SAFETY: called once from the only thread, so this is the only reference ever made.
                    let stage = unsafe { &mut *STAGE.0.get() };
                    play(out, counter, $name, stage, size_of::<$stage>())?;
                })+
                Ok(())
            })
        }
    };
}
firmware!(
    /// Play shaker and gripper, leave the emulator.
    shaker_and_gripper: "shaker" SmallShaker, "gripper" SmallGripper
);
firmware!(
    /// Play the scenes that fit beside each other, leave the emulator.
    rest: "cascade" SmallCascade, "bottles" SmallBottles, "spring-chain" SmallSpringChain, "mass-ratio" SmallMassRatio
);
firmware!(
    /// Play stress-drop and brazil-nut, leave the emulator.
    stress_and_nut: "stress-drop" SmallStressDrop, "brazil-nut" SmallBrazilNut
);

fn play(
    out: &mut impl Write,
    counter: &mut Counter,
    name: &str,
    scene: &mut dyn Scene,
    bytes: usize,
) -> Result<(), Error> {
    let steps = board_steps(name);
    let (mut least, mut sum, mut most) = (u64::MAX, 0, 0);
    write_hash(out, name, scene, steps, |step| {
        let ((), instructions) = counter.count(step);
        least = least.min(instructions);
        sum += instructions;
        most = most.max(instructions);
    })?;
    let mean = sum.checked_div(steps.into()).unwrap_or(0);
    writeln!(out, "steps {name} instructions {least} {mean} {most} bytes {bytes}")
}
