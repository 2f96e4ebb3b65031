//! Cortex-M4F: play stress-drop and brazil-nut, print hashes and costs.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::stress_and_nut()
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    tumble_board_support::report_panic(info)
}
