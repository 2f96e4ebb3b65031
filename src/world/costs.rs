//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, and of the small worlds that tell kinds of work apart, no more instructions were
//! counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and instructions, not cycles: with another compiler, profile or core
//! measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 11.1 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 1000,
        body: 1394,
        shape: 3121,
        look: 73,
        round_pair: 361,
        plane_pair: 0,
        box_pair: 4832,
        cylinder_pair: 5503,
        climb: 1325,
        contact: 0,
        level: 47,
        joint: 2596,
        solve: 0,
        row: 1588,
        row_sweep: 147,
        closing_body: 1394,
    };

    /// Instructions on a Cortex-M7; 11.7 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 987,
        body: 1310,
        shape: 1878,
        look: 92,
        round_pair: 727,
        plane_pair: 0,
        box_pair: 4687,
        cylinder_pair: 5008,
        climb: 1224,
        contact: 0,
        level: 52,
        joint: 2224,
        solve: 1927,
        row: 1517,
        row_sweep: 125,
        closing_body: 1310,
    };
}
