//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 14.4 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 23259,
        body: 0,
        shape: 2549,
        look: 80,
        round_pair: 1490,
        plane_pair: 1343,
        box_pair: 6864,
        cylinder_pair: 5182,
        climb: 1483,
        contact: 0,
        level: 53,
        joint: 2322,
        solve: 1737,
        row: 1490,
        row_sweep: 147,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 14.1 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 21679,
        body: 0,
        shape: 2660,
        look: 77,
        round_pair: 1347,
        plane_pair: 1442,
        box_pair: 5989,
        cylinder_pair: 4737,
        climb: 1335,
        contact: 0,
        level: 56,
        joint: 2218,
        solve: 753,
        row: 1352,
        row_sweep: 124,
        closing_body: 0,
    };
}
