//! Cortex-M7: play shaker and gripper, print hashes and costs.
#![no_std]
#![no_main]

use core::panic::PanicInfo;
use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::shaker_and_gripper()
}

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    tumble_board_support::report_panic(info)
}
