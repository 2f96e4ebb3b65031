//! Cortex-M4F: look at pairs of polyhedra, print what each costs.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::pairs()
}
