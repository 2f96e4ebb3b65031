//! Cortex-M4F: the linear feeder, the longest of its steps.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::longest()
}
