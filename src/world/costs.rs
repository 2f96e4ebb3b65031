//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, and of the small worlds that tell kinds of work apart, no more instructions were
//! counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and instructions, not cycles: with another compiler, profile or core
//! measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 12.1 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 23276,
        body: 0,
        shape: 4014,
        look: 56,
        round_pair: 0,
        plane_pair: 191,
        box_pair: 5471,
        cylinder_pair: 4967,
        climb: 1170,
        contact: 3180,
        level: 34,
        joint: 3292,
        solve: 806,
        row: 577,
        row_sweep: 155,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 12.1 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 21935,
        body: 0,
        shape: 3189,
        look: 68,
        round_pair: 192,
        plane_pair: 0,
        box_pair: 4804,
        cylinder_pair: 4552,
        climb: 1067,
        contact: 2438,
        level: 43,
        joint: 2761,
        solve: 1205,
        row: 763,
        row_sweep: 130,
        closing_body: 0,
    };
}
