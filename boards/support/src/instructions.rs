//! Exact instruction counts under `-icount shift=7`.
//!
//! There every instruction takes 2⁷ = 128 ns of the emulator's time. TIMER0 of the CMSDK (Arm DDI 0479, §4) counts down at
//! 25 MHz, a tick each 40 ns, 32 bits: instructions = ticks · 40 / 128, up to a thousand million of them.

use core::ptr::{read_volatile, write_volatile};

const CTRL: *mut u32 = 0x4000_0000 as *mut u32;
const VALUE: *mut u32 = 0x4000_0004 as *mut u32;
const RELOAD: *mut u32 = 0x4000_0008 as *mut u32;

const NS_PER_TICK: u64 = 40;
const NS_PER_INSTRUCTION: u64 = 128;

/// The board's timer, counting instructions.
pub struct Counter {
    /// what reading the timer twice costs by itself
    overhead: u64,
}

impl Counter {
    /// Start the timer.
    pub fn start() -> Self {
        // SAFETY: TIMER0's registers on both boards; nothing else in the firmware uses them.
        unsafe {
            write_volatile(RELOAD, u32::MAX);
            write_volatile(VALUE, u32::MAX);
            write_volatile(CTRL, 1);
        }
        let mut counter = Self { overhead: 0 };
        counter.overhead = counter.count(|| ()).1;
        counter
    }

    /// What `work` returns and how many instructions it took.
    #[inline(never)]
    pub fn count<T>(&mut self, work: impl FnOnce() -> T) -> (T, u64) {
        let before = now();
        let result = work();
        let ticks = u64::from(before.wrapping_sub(now()));
        // to the nearest instruction: a reading is off by less than one tick
        let instructions = (ticks * NS_PER_TICK + NS_PER_INSTRUCTION / 2) / NS_PER_INSTRUCTION;
        (result, instructions.saturating_sub(self.overhead))
    }

    /// A known quantity, to be printed and checked: 1000.
    pub fn of_thousand_nops(&mut self) -> u64 {
        self.count(|| {
            // SAFETY: a thousand times nothing.
            unsafe { core::arch::asm!(".rept 1000", "nop", ".endr") }
        })
        .1
    }
}

fn now() -> u32 {
    // SAFETY: reading TIMER0's VALUE has no side effect.
    unsafe { read_volatile(VALUE) }
}
