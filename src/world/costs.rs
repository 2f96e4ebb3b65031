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
        shape: 4277,
        look: 54,
        round_pair: 1281,
        plane_pair: 0,
        box_pair: 4541,
        cylinder_pair: 5225,
        climb: 1449,
        contact: 0,
        level: 118,
        joint: 2935,
        solve: 2170,
        row: 1342,
        row_sweep: 144,
        closing_body: 1385,
    };

    /// Instructions on a Cortex-M7; 14.6 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 3086,
        body: 1159,
        shape: 3815,
        look: 61,
        round_pair: 1206,
        plane_pair: 0,
        box_pair: 4156,
        cylinder_pair: 4762,
        climb: 1298,
        contact: 0,
        level: 102,
        joint: 2681,
        solve: 1822,
        row: 1306,
        row_sweep: 120,
        closing_body: 1159,
    };
}
