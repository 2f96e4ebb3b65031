//! Glue between a twin and the board or rig it runs on.

mod embedded_hal;

pub use embedded_hal::while_busy;
