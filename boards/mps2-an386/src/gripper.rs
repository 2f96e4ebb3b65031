//! Cortex-M4F: play gripper, stress-drop and spring-chain, print hashes and costs.
#![no_std]
#![no_main]

use cortex_m as _;
use cortex_m_rt::entry;

#[entry]
fn main() -> ! {
    tumble_board_support::gripper_stress_and_chain()
}
