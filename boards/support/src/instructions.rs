//! Exact instruction counts under `-icount shift=7`.
//!
//! There every instruction takes 2⁷ = 128 ns of the emulator's time, and TIMER0 ticks each 40 ns, 32 bits: instructions = ticks · 40 / 128, up to a
//! thousand million of them.

use crate::clock::CmsdkTimer;
use tumble::Clock;
use tumble::world::Costs;

const NS_PER_INSTRUCTION: u64 = 128;

/// The board's timer, counting instructions.
pub(crate) struct Counter {
    timer: CmsdkTimer,
    /// what reading the timer twice costs by itself
    overhead: u64,
}

impl Counter {
    /// Start the timer.
    pub(crate) fn start() -> Self {
        let mut counter = Self { timer: CmsdkTimer::start(), overhead: 0 };
        counter.overhead = counter.count(|| ()).1;
        counter
    }

    /// The timer it counts by.
    pub(crate) fn timer(&self) -> CmsdkTimer {
        self.timer
    }

    /// What `work` returns and how many instructions it took.
    #[inline(never)]
    pub(crate) fn count<T>(&mut self, work: impl FnOnce() -> T) -> (T, u64) {
        let before = self.timer.ticks();
        let result = work();
        let ticks = self.timer.ticks().wrapping_sub(before);
        (result, instructions(ticks.into()).saturating_sub(self.overhead))
    }

    /// A known quantity, to be printed and checked: 1000.
    pub(crate) fn of_thousand_nops(&mut self) -> u64 {
        self.count(thousand_nops).1
    }
}

/// To the nearest instruction: a reading is off by less than one tick.
pub(crate) fn instructions(ticks: u64) -> u64 {
    (ticks * CmsdkTimer::TICK + NS_PER_INSTRUCTION / 2) / NS_PER_INSTRUCTION
}

/// Costs in instructions as ticks of the board's timer, rounded up.
pub(crate) fn in_ticks(costs: &Costs) -> Costs {
    let ticks = |instructions: u32| {
        let ticks = (u64::from(instructions) * NS_PER_INSTRUCTION).div_ceil(CmsdkTimer::TICK);
        u32::try_from(ticks).unwrap_or(u32::MAX)
    };
    Costs { closing_body: ticks(costs.closing_body), ..Costs::from(costs.by_kind().map(ticks)) }
}

/// A piece of work of known length.
#[inline(always)]
pub(crate) fn thousand_nops() {
    // SAFETY: a thousand times nothing.
    unsafe { core::arch::asm!(".rept 1000", "nop", ".endr") }
}
