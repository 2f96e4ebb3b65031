//! Cortex-M4F: play linear-feeder and reject-conveyor, print hashes.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::linear_feeder_and_reject_conveyor()
}
