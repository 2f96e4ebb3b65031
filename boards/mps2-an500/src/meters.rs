//! Cortex-M7: small worlds that tell kinds of work apart, and what their steps cost.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::meters()
}
