//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 18.7 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 17901,
        body: 0,
        shape: 1276,
        look: 100,
        ball_pair: 1249,
        round_pair: 1249,
        plane_pair: 0,
        box_pair: 3941,
        cylinder_pair: 5400,
        climb: 1351,
        corner: 19,
        contact: 0,
        level: 45,
        joint: 2707,
        solve: 4915,
        row: 953,
        row_sweep: 155,
        loose_sweep: 0,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 17.5 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 17658,
        body: 0,
        shape: 994,
        look: 100,
        ball_pair: 1160,
        round_pair: 1160,
        plane_pair: 0,
        box_pair: 3519,
        cylinder_pair: 4840,
        climb: 1188,
        corner: 16,
        contact: 0,
        level: 41,
        joint: 2407,
        solve: 4722,
        row: 952,
        row_sweep: 131,
        loose_sweep: 0,
        closing_body: 0,
    };
}
