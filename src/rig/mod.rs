//! Glue between a twin and the board or rig it runs on: task timing; with feature `embedded-hal` pins.

#[cfg(feature = "embedded-hal")]
mod embedded_hal;
mod task;

#[cfg(feature = "embedded-hal")]
pub use embedded_hal::while_busy;
pub use task::{Cycle, Policy, TaskSettings, TaskTimes};
