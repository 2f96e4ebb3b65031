//! Cortex-M7: play dice-plate and setup, print hashes and costs.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::dice_plate_and_setup()
}
