//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 12.6 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 12631,
        body: 702,
        shape: 2814,
        look: 77,
        round_pair: 1488,
        plane_pair: 0,
        box_pair: 4168,
        cylinder_pair: 5717,
        climb: 1352,
        corner: 18,
        contact: 0,
        level: 67,
        joint: 2868,
        solve: 1449,
        row: 1800,
        row_sweep: 152,
        closing_body: 702,
    };

    /// Instructions on a Cortex-M7; 12.4 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 9127,
        body: 827,
        shape: 2628,
        look: 83,
        round_pair: 1353,
        plane_pair: 0,
        box_pair: 3853,
        cylinder_pair: 5168,
        climb: 1204,
        corner: 17,
        contact: 0,
        level: 67,
        joint: 2594,
        solve: 2267,
        row: 1680,
        row_sweep: 127,
        closing_body: 827,
    };
}
