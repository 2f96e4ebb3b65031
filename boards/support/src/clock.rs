//! The boards' counters as clocks: TIMER0, SysTick and the cycle counter, each register block in one place.
//!
//! ```text
//! CmsdkTimer   32 bits, counts down at 25 MHz              !VALUE
//! SysTick      24 bits, counts down with the core's clock  2^24 − 1 − CVR
//! Dwt          32 bits, counts cycles of the core          CYCCNT
//! ```

use core::ptr::{read_volatile, write_volatile};
use cortex_m::peripheral::syst::SystClkSource;
use cortex_m::peripheral::{DCB, DWT, SYST};
use tumble::Clock;

/// TIMER0 of the CMSDK (Arm DDI 0479, §4), which both boards have: a tick is 40 ns.
///
/// All copies read the same counter.
#[derive(Clone, Copy)]
pub struct CmsdkTimer(());

impl CmsdkTimer {
    /// ns
    pub const TICK: u64 = 40;

    const CTRL: *mut u32 = 0x4000_0000 as *mut u32;
    const VALUE: *mut u32 = 0x4000_0004 as *mut u32;
    const RELOAD: *mut u32 = 0x4000_0008 as *mut u32;

    /// Start it anew, without an interrupt: at 0, over its whole range.
    pub fn start() -> Self {
        // SAFETY: on both boards TIMER0's registers lie here and nothing else does; whole, aligned words; any number is good in RELOAD and VALUE, and
        // 1 in CTRL enables no interrupt.
        unsafe {
            write_volatile(Self::RELOAD, u32::MAX);
            write_volatile(Self::VALUE, u32::MAX);
            write_volatile(Self::CTRL, 1);
        }
        Self(())
    }
}

impl Clock for CmsdkTimer {
    #[inline(always)]
    fn ticks(&mut self) -> u32 {
        // SAFETY: TIMER0's VALUE, a whole, aligned word; reading it has no side effect.
        !unsafe { read_volatile(Self::VALUE) }
    }
}

/// The core's system timer; 25 MHz on both boards as emulated.
pub struct SysTick(SYST);

impl SysTick {
    const MASK: u32 = 0xff_ffff;

    /// Start it, without an interrupt: at 0, over its whole range.
    pub fn start(mut syst: SYST) -> Self {
        syst.disable_interrupt();
        syst.set_clock_source(SystClkSource::Core);
        syst.set_reload(Self::MASK);
        // any write clears it; the first tick reloads
        syst.clear_current();
        syst.enable_counter();
        Self(syst)
    }

    /// Stop it, and give it back.
    pub fn stop(mut self) -> SYST {
        self.0.disable_counter();
        self.0
    }
}

impl Clock for SysTick {
    fn ticks(&mut self) -> u32 {
        Self::MASK.wrapping_sub(SYST::get_current()) & Self::MASK
    }

    fn mask(&self) -> u32 {
        Self::MASK
    }
}

/// The core's cycle counter. QEMU's reads 0 for ever, as does a core's whose trace unit is off or missing: a budget reports it
/// [`Frozen`](tumble::ClockHealth::Frozen), and the cap on sweeps holds.
pub struct Dwt(DWT);

impl Dwt {
    /// Turn tracing on, start the counter.
    pub fn start(dcb: &mut DCB, mut dwt: DWT) -> Self {
        dcb.enable_trace();
        dwt.enable_cycle_counter();
        Self(dwt)
    }

    /// Stop it, and give it back.
    pub fn stop(mut self) -> DWT {
        self.0.disable_cycle_counter();
        self.0
    }
}

impl Clock for Dwt {
    fn ticks(&mut self) -> u32 {
        DWT::cycle_count()
    }
}
