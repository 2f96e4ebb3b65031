//! Cortex-M7: a thousand adversarial steps against its timer, print by how much they miss their deadlines.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::adversary(&tumble_board_support::Costs::CORTEX_M7)
}
