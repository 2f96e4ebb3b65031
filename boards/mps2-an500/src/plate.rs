//! Cortex-M7: play plate-feeder, print hashes.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::plate_feeder()
}
