//! The longest step of the linear feeder on a board, with one order of caps after another: counted, not written down.
//!
//! Output: `longest seed S steps N parts P mean I most I at STEP`, of whole steps, controller and all.

use crate::instructions::Counter;
use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use tumble_scenes::{Scene, SmallLinearFeeder};

/// Orders of caps, and steps of each: all that the scene is made for as shipped, of others until the rail has been full and caps have left it.
const RUNS: [(u32, u32); 6] = [(0, 30_000), (1, 8_000), (2, 8_000), (3, 8_000), (4, 8_000), (5, 8_000)];

/// Play linear-feeder with every seed, leave the emulator.
///
/// Called once, from `main`.
pub fn longest() -> ! {
    static STAGE: Single<SmallLinearFeeder> = Single(UnsafeCell::new(SmallLinearFeeder::new()));
    // SAFETY: called once from the only thread, so this is the only reference ever made.
    let scene = unsafe { &mut *STAGE.0.get() };
    leave(|out, counter| {
        for (seed, steps) in RUNS {
            scene.set_seed(seed);
            let Longest { parts, sum, most, at } = play(scene, steps, counter).map_err(|_| Error)?;
            let mean = sum / u64::from(steps);
            writeln!(out, "longest seed {seed} steps {steps} parts {parts} mean {mean} most {most} at {at}")?;
        }
        Ok(())
    })
}

/// What whole steps took.
#[derive(Default)]
struct Longest {
    /// most there were at a time
    parts: usize,
    /// instructions
    sum: u64,
    most: u64,
    /// step
    at: u32,
}

fn play(scene: &mut dyn Scene, steps: u32, counter: &mut Counter) -> Result<Longest, tumble::Error> {
    scene.reset()?;
    let machine = scene.body_count();
    let (h, settings) = (scene.h(), scene.settings());
    let mut longest = Longest::default();
    for step in 0..steps {
        let (report, instructions) = counter.count(|| scene.step(h, &settings));
        let _ = report?;
        longest.sum += instructions;
        longest.parts = longest.parts.max(scene.body_count().saturating_sub(machine));
        if instructions > longest.most {
            (longest.most, longest.at) = (instructions, step);
        }
    }
    Ok(longest)
}
