//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 15.6 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 18019,
        body: 0,
        shape: 1088,
        look: 98,
        ball_pair: 0,
        round_pair: 1297,
        plane_pair: 866,
        box_pair: 4325,
        cylinder_pair: 5714,
        climb: 1194,
        corner: 17,
        contact: 896,
        level: 51,
        joint: 2377,
        solve: 1812,
        row: 830,
        row_sweep: 139,
        loose_sweep: 88,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 16.0 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 18670,
        body: 0,
        shape: 965,
        look: 105,
        ball_pair: 0,
        round_pair: 1181,
        plane_pair: 801,
        box_pair: 3950,
        cylinder_pair: 5118,
        climb: 1079,
        corner: 15,
        contact: 580,
        level: 48,
        joint: 2088,
        solve: 1965,
        row: 809,
        row_sweep: 121,
        loose_sweep: 72,
        closing_body: 0,
    };
}
