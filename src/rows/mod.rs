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
//! Precomputed once per row: `s_i = M⁻¹E_iᵀ`, the velocity one N·s gives, and `g_i = E_i s_i`, so that a sweep costs one
//! 12-element dot product and one 12-element update a row. `N = E M⁻¹ Eᵀ` is never stored.

mod inverse_mass;
mod problem;
mod row;

pub use inverse_mass::InverseMass;
pub use problem::{BodyIndex, Problem, RowIndex};
pub use row::{Admissible, Friction, RowInput};

pub(crate) use row::{Block, GROUND, Response, Row, Section, Set, coefficient, next_block, next_block_mut};
