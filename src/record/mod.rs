//! Record and replay: plain bytes, snapshots, input logs.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `codec` | plain bytes: [`Sink`], [`Persist`], [`Reader`], [`Writer`], [`Fnv`] |

mod codec;

pub use codec::{Fnv, Persist, Reader, Sink, Writer};
