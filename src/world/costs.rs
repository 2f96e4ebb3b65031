//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.
//!
//! rustc 1.95.0 (59807616e 2026-04-14), profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.
//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.

use super::plan::Costs;

impl Costs {
    /// Instructions on a Cortex-M4F; 14.6 % more than were counted, on average over scenes.
    pub const CORTEX_M4F: Self = Self {
        step: 1127,
        body: 1385,
        shape: 2191,
        look: 87,
        round_pair: 1525,
        plane_pair: 0,
        box_pair: 4519,
        cylinder_pair: 5681,
        climb: 1421,
        contact: 0,
        level: 87,
        joint: 2381,
        solve: 2014,
        row: 1579,
        row_sweep: 151,
        closing_body: 1385,
    };

    /// Instructions on a Cortex-M7; 14.6 % more than were counted, on average over scenes.
    pub const CORTEX_M7: Self = Self {
        step: 1105,
        body: 1283,
        shape: 2422,
        look: 83,
        round_pair: 1370,
        plane_pair: 0,
        box_pair: 4248,
        cylinder_pair: 5017,
        climb: 1292,
        contact: 0,
        level: 108,
        joint: 2202,
        solve: 2919,
        row: 1379,
        row_sweep: 126,
        closing_body: 1283,
    };
}
