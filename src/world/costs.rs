//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 14.2 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 2130,
        body: 1322,
        shape: 3419,
        look: 69,
        round_pair: 1381,
        plane_pair: 0,
        box_pair: 4637,
        cylinder_pair: 5358,
        climb: 1427,
        corner: 17,
        contact: 0,
        level: 109,
        joint: 2814,
        solve: 2563,
        row: 1655,
        row_sweep: 150,
        closing_body: 1322,
    };

    /// Instructions on a Cortex-M7; 14.0 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 3831,
        body: 1112,
        shape: 3447,
        look: 70,
        round_pair: 1251,
        plane_pair: 0,
        box_pair: 4269,
        cylinder_pair: 4820,
        climb: 1280,
        corner: 17,
        contact: 0,
        level: 85,
        joint: 2586,
        solve: 2069,
        row: 1597,
        row_sweep: 125,
        closing_body: 1112,
    };
}
