//! Record and replay: plain bytes, snapshots, input logs.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `codec` | plain bytes: [`Sink`], [`Persist`], [`Reader`], [`Writer`], [`Fnv`] |
//! | `checksum` | CRC-32 |
//! | `settings` | [`StepSettings`](crate::world::StepSettings) as plain bytes |

mod checksum;
mod codec;
mod settings;

pub(crate) use checksum::{Summed, checksum};

pub use codec::{Fnv, Persist, Reader, Sink, Writer};
