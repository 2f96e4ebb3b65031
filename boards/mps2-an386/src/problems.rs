//! Cortex-M4F: solve the problems that were handed over in memory, print what each costs.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::problems()
}
