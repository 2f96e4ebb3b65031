//! Rigid-body contact dynamics that fits in a microcontroller and is always on time.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod error;
pub mod math;
#[cfg(feature = "embedded-hal")]
pub mod rig;
pub mod rows;
pub mod solve;

pub use error::Error;
pub use rows::{BodyId, Problem, RowId};
pub use solve::{FrictionModel, Report, Settings, Start, Status, StepRule};
