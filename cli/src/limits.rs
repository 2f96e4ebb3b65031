//! Limits of the host program: largest files, longest step, longest replay.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest problem file; those on record have at most 0.6 MB.
pub const MAX_PROBLEM_BYTES: u64 = 64 << 20;
/// Largest mesh: five million triangles as binary STL.
pub const MAX_MESH_BYTES: u64 = 256 << 20;
/// Largest record.
pub const MAX_RECORD_BYTES: u64 = 256 << 20;
/// Longest step, s. Contacts are looked for as far as parts move within a step: beyond 20 ms nearly every pair of parts is one, and a step of 2000 parts takes
/// minutes. Scenes are made for 1 ms.
pub const MAX_H: f32 = 0.02;
/// Steps of a record that are replayed unless more are asked for: a thousand seconds at 1 kHz.
pub const MAX_REPLAY_STEPS: u32 = 1_000_000;

/// Why a file could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// The system refused.
    Io(std::io::Error),
    /// The file has more bytes than the cap.
    TooLarge {
        /// Most bytes that are read.
        cap: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot be read: {error}"),
            Self::TooLarge { cap } => {
                write!(f, "larger than {} MiB ({cap} bytes), the most that is read: give a smaller file", cap >> 20)
            }
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a file of at most `cap` bytes. Of a larger one, or a device without end, no more than `cap + 1` bytes are read.
///
/// # Errors
/// [`ReadError`].
pub fn read_capped(path: &Path, cap: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(ReadError::Io)?;
    file.take(cap.saturating_add(1)).read_to_end(&mut bytes).map_err(ReadError::Io)?;
    if bytes.len() as u64 > cap { Err(ReadError::TooLarge { cap }) } else { Ok(bytes) }
}

/// Is `h` (s) a usable length of a step? The reason if not.
///
/// # Errors
/// A sentence with the value, the limit and what to do.
pub fn check_h(h: f32) -> Result<(), String> {
    let least = f32::MIN_POSITIVE;
    if !(least..=f32::MAX).contains(&h) {
        return Err(format!("must be a finite number of seconds greater than 0 ({least:.1e} or more), not {h:?}"));
    }
    if h > MAX_H {
        return Err(format!("{h:?} s is too long: a step is at most {MAX_H:?} s; use a shorter step"));
    }
    Ok(())
}
