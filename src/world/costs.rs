//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 14.9 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 1127,
        body: 1385,
        shape: 3949,
        look: 59,
        round_pair: 1330,
        plane_pair: 0,
        box_pair: 4545,
        cylinder_pair: 5275,
        climb: 1440,
        contact: 0,
        level: 116,
        joint: 2889,
        solve: 1977,
        row: 1379,
        row_sweep: 145,
        closing_body: 1385,
    };

    /// Instructions on a Cortex-M7; 14.7 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 2882,
        body: 1172,
        shape: 3490,
        look: 66,
        round_pair: 1244,
        plane_pair: 0,
        box_pair: 4144,
        cylinder_pair: 4797,
        climb: 1283,
        contact: 0,
        level: 101,
        joint: 2609,
        solve: 1831,
        row: 1339,
        row_sweep: 121,
        closing_body: 1172,
    };
}
