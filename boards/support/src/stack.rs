//! The stack's high-water mark: paint what lies below, work, look how far down the paint is gone.
//!
//! ```text
//! used = stack pointer before the call − lowest word that is no longer paint        bytes, the call's own frame included
//! ```
//! A word that happens to hold the paint's value is taken for paint: off by a few bytes at most, once in 2³². No interrupt is enabled, so nothing else
//! uses the stack meanwhile.

use core::ptr::{read_volatile, write_volatile};

/// How deep it is painted: more than a step takes, in a few thousand instructions; where that is not enough the run fails. Bytes
const DEPTH: usize = 16 * 1024;
/// Left to the painter's own frame. Bytes
const OWN: usize = 64;
const PAINT: u32 = 0xCCCC_CCCC;
const WORD: usize = size_of::<u32>();

unsafe extern "C" {
    /// Where statics end (cortex-m-rt): the stack must not be painted farther down.
    static mut __sheap: u32;
}

/// What `work` returns, and how many bytes of stack it took; none when it took more than was painted.
///
/// Not inlined, and `work` by reference: what it needs is in frames of its own, not in the caller's.
#[inline(never)]
pub fn used<T>(work: &mut dyn FnMut() -> T) -> (T, Option<usize>) {
    let top = pointer();
    let floor = (&raw mut __sheap) as usize;
    let bottom = floor.max(top.saturating_sub(DEPTH)) / WORD * WORD + WORD;
    paint(bottom);
    let result = work();
    // SAFETY: words between the end of statics and the stack pointer are memory of this program.
    let is_paint = |at: &usize| unsafe { read_volatile(*at as *const u32) == PAINT };
    let lowest = (bottom..top).step_by(WORD).find(|at| !is_paint(at)).unwrap_or(top);
    (result, (lowest > bottom).then_some(top - lowest))
}

/// From below this frame down to `bottom`.
#[inline(never)]
fn paint(bottom: usize) {
    let top = pointer().saturating_sub(OWN) / WORD * WORD;
    for at in (bottom..top).step_by(WORD) {
        // SAFETY: below the stack pointer and above all statics lies nothing that anybody needs.
        unsafe { write_volatile(at as *mut u32, PAINT) }
    }
}

/// The stack pointer.
#[inline(always)]
fn pointer() -> usize {
    let pointer;
    // SAFETY: reads a register.
    unsafe { core::arch::asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) }
    pointer
}
