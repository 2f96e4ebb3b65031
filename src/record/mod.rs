//! Record and replay: snapshots, a log of what went in, and hashes on the way, in plain bytes.
//!
//! ```text
//! save → bytes → restore → step                     the same bits as without
//! state, inputs → step → hash → log                 on the target, as it happens
//! log → the same inputs → hashes compared           on the host: "bits identical", or the first step that differs
//! ```
//! What is promised: a step reads nothing but the world and its arguments, so a world restored from [`World::save`](crate::world::World::save) steps on with the bits it would have had, on any
//! machine whose floating point keeps to IEEE 754 ([`float_env_ok`](crate::math::float_env_ok)). Steps that look at a clock ([`step_within`](crate::world::World::step_within)) depend on
//! time, and do not replay; steps that keep to a plan do. Formats, byte by byte: `docs/recording.md`.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `codec` | plain bytes: [`Sink`], [`Persist`], [`Reader`], [`Writer`], [`Fnv`] |
//! | `checksum` | CRC-32 |
//! | `envelope` | [`Envelope`]: magic, version, length and checksum round a state |
//! | `settings` | [`StepSettings`](crate::world::StepSettings) as plain bytes |
//! | `log` | [`Recorder`] writes a run down as it happens, [`Record`] reads it |
//! | `replay` | [`replay()`] and [`replay_live`], and their [`Verdict`] |

mod checksum;
mod codec;
mod envelope;
mod log;
mod replay;
mod settings;

pub use codec::{Fnv, Persist, Reader, Sink, Writer};
pub use envelope::Envelope;
pub use log::{Head, MOST_NAME, Record, RecordError, Recorder, Step, Steps};
pub use replay::{Verdict, replay, replay_live};
