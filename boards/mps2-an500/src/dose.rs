//! Cortex-M7: play weigh-and-dose, print hashes.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::weigh_and_dose()
}
