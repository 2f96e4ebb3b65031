//! The exact solver on spheres that touch, on chains, and in a world: answers as on the host, and what they cost. Output: `tumble_scenes::exact`.

use crate::{Single, leave};
use core::cell::UnsafeCell;
use tumble_scenes::exact::{
    Bench16, Bench32, Bench64, BenchChain, CHAINS, MASS_RATIO_STEPS, MassRatioExact, SEEDS, Shape,
};
use tumble_scenes::{SmallMassRatio, write_hybrid_hash};

/// External memory of mps2-an386, 16 MiB: a chain of 128 links is more than the board's own memory holds.
const EXTERNAL: *mut BenchChain = 0x2100_0000 as *mut BenchChain;

/// Solve all of them, leave the emulator. Only on mps2-an386: other boards have their memory elsewhere.
///
/// Called once, from `main`.
pub fn exact() -> ! {
    static SMALL: Single<Bench16> = Single(UnsafeCell::new(Bench16::new()));
    static MIDDLE: Single<Bench32> = Single(UnsafeCell::new(Bench32::new()));
    static LARGE: Single<Bench64> = Single(UnsafeCell::new(Bench64::new()));
    // SAFETY: called once from the only thread, so these are the only references ever made.
    let (small, middle, large) = unsafe { (&mut *SMALL.0.get(), &mut *MIDDLE.0.get(), &mut *LARGE.0.get()) };
    leave(|out, counter| {
        let mut count = |work: &mut dyn FnMut()| counter.count(work).1;
        for shape in [Shape::Stack, Shape::Pile] {
            for seed in SEEDS {
                small.solve(out, (shape, 16), seed, &mut count)?;
                middle.solve(out, (shape, 32), seed, &mut count)?;
                large.solve(out, (shape, 64), seed, &mut count)?;
            }
        }
        static TOWERS: Single<(SmallMassRatio, MassRatioExact)> =
            Single(UnsafeCell::new((SmallMassRatio::new(), MassRatioExact::new())));
        // SAFETY: as above.
        let (towers, exact) = unsafe { &mut *TOWERS.0.get() };
        write_hybrid_hash(out, "mass-ratio", towers, exact, MASS_RATIO_STEPS)?;
        // SAFETY: aligned memory of this board that nothing else uses, the only reference ever made to it, and zero as the emulator leaves it: buffers of
        // length zero and no flag set, an empty bench. (To write one here would put it on the stack first.)
        let chain = unsafe { &mut *EXTERNAL };
        for links in CHAINS {
            chain.solve(out, (Shape::Chain, links), SEEDS[0], &mut count)?;
            chain.pivot(out, (Shape::Chain, links), &mut count)?;
        }
        Ok(())
    })
}
