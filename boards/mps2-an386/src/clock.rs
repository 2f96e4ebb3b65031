//! Cortex-M4F: try the clocks, print what they say.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::clocks()
}
