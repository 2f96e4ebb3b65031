//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 16.8 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 18973,
        body: 0,
        shape: 884,
        look: 104,
        ball_pair: 0,
        round_pair: 1360,
        plane_pair: 902,
        box_pair: 4518,
        cylinder_pair: 5801,
        climb: 1193,
        corner: 17,
        contact: 531,
        level: 48,
        joint: 2141,
        solve: 2190,
        row: 973,
        row_sweep: 147,
        loose_sweep: 97,
        closing_body: 0,
    };

    /// Instructions on a Cortex-M7; 16.8 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 16482,
        body: 95,
        shape: 781,
        look: 107,
        ball_pair: 0,
        round_pair: 1253,
        plane_pair: 849,
        box_pair: 4229,
        cylinder_pair: 5251,
        climb: 1079,
        corner: 15,
        contact: 995,
        level: 55,
        joint: 2127,
        solve: 2476,
        row: 696,
        row_sweep: 127,
        loose_sweep: 89,
        closing_body: 95,
    };
}
