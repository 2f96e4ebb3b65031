//! An envelope round a state: other bytes, another version, bytes cut off and any wrong bit are refused before a value is read.
//!
//! ```text
//! magic 4 · version u16 · bytes of a number u8 · length u32 · state · CRC-32 of all before
//! ```

use super::checksum::{Summed, checksum};
use super::codec::{Persist, Reader, Sink};
use crate::error::Error;

/// What stands on an envelope.
///
/// ```
/// use tumble::Error;
/// use tumble::record::{Envelope, Persist, Reader, Sink, Writer};
/// const LAMP: Envelope = Envelope { magic: *b"LAMP", version: 1, number_bytes: 4, name: "lamp" };
/// let mut buffer = [0; 32];
/// let mut writer = Writer::new(&mut buffer);
/// LAMP.save(&mut writer, &|out| 0.5_f32.save(out));
/// let bytes = writer.finish()?;
/// assert_eq!(LAMP.open(&mut Reader::new(bytes))?.load(), Ok(0.5_f32));
/// assert_eq!(LAMP.open(&mut Reader::new(&bytes[1..])).err(), Some(Error::UnknownFormat("lamp")));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// It begins so.
    pub magic: [u8; 4],
    /// Of what is in it; another is refused.
    pub version: u16,
    /// How wide its numbers are, 4 or 8.
    pub number_bytes: u8,
    /// How it is called in errors.
    pub name: &'static str,
}

impl Envelope {
    /// Write what `state` writes, which is called twice: the first time to count its bytes.
    pub fn save(&self, out: &mut dyn Sink, state: &dyn Fn(&mut dyn Sink)) {
        let mut length = 0_u32;
        state(&mut |bytes: &[u8]| {
            length = length.saturating_add(u32::try_from(bytes.len()).unwrap_or(u32::MAX));
        });
        let mut out = Summed::new(|bytes: &[u8]| out.put(bytes));
        self.magic.save(&mut out);
        self.version.save(&mut out);
        self.number_bytes.save(&mut out);
        length.save(&mut out);
        state(&mut out);
        let _ = out.finish();
    }

    /// Read to the end of the envelope and no further; what is in it.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`] with its name, [`Error::Truncated`], [`Error::Corrupted`].
    pub fn open<'a>(&self, input: &mut Reader<'a>) -> Result<Reader<'a>, Error> {
        let all = input.rest();
        let unknown = Err(Error::UnknownFormat(self.name));
        if input.load::<[u8; 4]>()? != self.magic {
            return unknown;
        }
        let (version, number_bytes, length) = (input.load::<u16>()?, input.load::<u8>()?, input.load::<u32>()?);
        if version != self.version || number_bytes != self.number_bytes {
            return unknown;
        }
        let state = input.take(usize::try_from(length).map_err(|_| Error::Truncated)?)?;
        let summed = all.get(..all.len().saturating_sub(input.rest().len())).unwrap_or_default();
        if input.load::<u32>()? != checksum(summed) {
            return Err(Error::Corrupted);
        }
        Ok(Reader::new(state))
    }
}
