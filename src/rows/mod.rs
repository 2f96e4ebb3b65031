//! The problem of one time step in static buffers (theory: Tasora 2006 eq. 1–2).
//!
//! ```text
//! M v = f + Eᵀγ          v_free = M⁻¹f   velocity without any constraint    m/s, rad/s
//! w   = E v − e + c γ    E_i             one row: 6 numbers for each of at most two bodies
//! γ_i in K_i,            e_i             velocity the row asks for           m/s
//! w_i in its dual cone,  c_i             compliance in the velocity equation 1/kg
//! complementary          γ_i             impulse of the row                  N·s
//! ```
//!
//! # Mass-scaled rows
//! With `M⁻¹ = G Gᵀ` and velocities written as `v = v_free + G z`, a row and the velocity that one N·s gives (Tasora's `E_i` and `s_i`) are the
//! same numbers: half the memory, half the loads, the same iterates.
//!
//! ```text
//! Ē_i = E_i G,   ē_i = e_i − E_i v_free,   g_i = |Ē_i|²         once a row
//! w_i = Ē_i z − ē_i + c_i γ_i,             z += Ē_iᵀ Δγ_i        in every sweep: one 12-element dot product, one 12-element update
//! ```
//! `N = E M⁻¹ Eᵀ` is never stored.

mod inverse_mass;
mod order;
mod problem;
mod row;

pub use inverse_mass::InverseMass;
pub use problem::{BodyIndex, Problem, RowIndex};
pub use row::{Admissible, Friction, RowInput};

pub(crate) use order::LEVELS;
pub(crate) use row::{
    Block, End, GROUND, Kind, MassRoot, Row, Section, Set, Unusable, coefficient, next_block, next_block_mut,
};
