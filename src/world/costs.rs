//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 14.7 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 18056,
        body: 0,
        shape: 1046,
        look: 104,
        ball_pair: 383,
        round_pair: 1288,
        plane_pair: 0,
        box_pair: 3784,
        cylinder_pair: 5601,
        climb: 1213,
        corner: 17,
        contact: 0,
        level: 18,
        joint: 2285,
        solve: 3649,
        row: 1077,
        row_sweep: 140,
        loose_sweep: 74,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 14.7 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 16297,
        body: 91,
        shape: 1076,
        look: 97,
        ball_pair: 344,
        round_pair: 1158,
        plane_pair: 0,
        box_pair: 3138,
        cylinder_pair: 5007,
        climb: 1098,
        corner: 16,
        contact: 0,
        level: 22,
        joint: 2113,
        solve: 3629,
        row: 982,
        row_sweep: 122,
        loose_sweep: 58,
        closing_body: 91,
    };
}
