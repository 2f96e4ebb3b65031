//! CRC-32 (IEEE 802.3, as in Ethernet and zip): finds every error of one or two bits, and every burst of up to 32.

use super::codec::Sink;
use crc::{CRC_32_ISO_HDLC, Crc, Digest, NoTable};

/// Without a table: some forty instructions a byte instead of 1 KiB of flash.
static CRC: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// Of these bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}

/// Hands bytes on, and sums them up.
pub(crate) struct Summed<S> {
    out: S,
    digest: Digest<'static, u32, NoTable>,
}

impl<S: Sink> Summed<S> {
    pub(crate) fn new(out: S) -> Self {
        Self { out, digest: CRC.digest() }
    }

    /// Hand the sum on as well; what took it all.
    pub(crate) fn finish(self) -> S {
        let Self { mut out, digest } = self;
        out.put(&digest.finalize().to_le_bytes());
        out
    }
}

impl<S: Sink> Sink for Summed<S> {
    fn put(&mut self, bytes: &[u8]) {
        self.digest.update(bytes);
        self.out.put(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_one_everybody_has() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        let mut bytes = std::vec::Vec::new();
        let mut summed = Summed::new(|more: &[u8]| bytes.extend_from_slice(more));
        summed.put(b"1234");
        summed.put(b"56789");
        summed.finish();
        assert_eq!(bytes, b"123456789\x26\x39\xf4\xcb");
    }
}
