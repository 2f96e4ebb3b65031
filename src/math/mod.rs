//! Scalars and small vectors: the only place that calls libm or micromath, always by path.
//!
//! Every operation here is a fixed sequence of IEEE 754 additions, multiplications, divisions, comparisons and one
//! correctly rounded square root, so host and Cortex-M give the same bits. Nothing fuses a multiply with an add.

mod mat3;
mod pose;
mod quat;
mod real;
mod sym3;
mod unit;
mod vec3;
mod vec6;
pub mod waveform;

pub use mat3::Mat3;
pub use pose::Pose;
pub use quat::Quat;
pub use real::{Real, clamp, float_env_ok, max, min};
pub use sym3::Sym3;
pub use vec3::Vec3;
pub use vec6::Vec6;
