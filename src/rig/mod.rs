//! Glue between a twin and the board or rig it runs on.
//!
//! | what | for |
//! | --- | --- |
//! | [`ManualClock`] | a [`Clock`](crate::Clock) by hand, or from the interrupt of a timer |
//! | [`ScriptedClock`] | a clock for tests: expires at its k-th reading |
//! | `HostClock` | the host's clock (feature `std`) |
//! | [`TaskTimes`] | how long a periodic task takes, what happens when it takes too long |
//! | [`SolveRecord`] | how wrong answers were when time ran out |
//! | [`while_marked`], `while_busy` | a mark, or a pin (feature `embedded-hal`), while work is done |

mod clock;
#[cfg(feature = "embedded-hal")]
mod embedded_hal;
mod mark;
mod record;
mod task;

#[cfg(feature = "std")]
pub use clock::HostClock;
pub use clock::{ManualClock, ScriptedClock};
#[cfg(feature = "embedded-hal")]
pub use embedded_hal::while_busy;
pub use mark::while_marked;
pub use record::{SolveRecord, Tally};
pub use task::{Cycle, Policy, TaskSettings, TaskTimes};
