//! CRC-32 (IEEE 802.3, as in Ethernet and zip): finds every error of one or two bits, and every burst of up to 32.
//!
//! ```text
//! P = x³² + x²⁶ + x²³ + x²² + x¹⁶ + x¹² + x¹¹ + x¹⁰ + x⁸ + x⁷ + x⁵ + x⁴ + x² + x + 1, the lowest bit first
//! ```
//! By hand: of the `crc` crate it cannot be shown that it does not panic where overflows are checked, for its shifts depend on a width known only when it runs.

use super::codec::Sink;

/// P without its highest power, mirrored.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// What four bits come to: 64 bytes of flash instead of 1 KiB for eight, at a dozen instructions a byte.
const OF_NIBBLE: [u32; 16] = {
    let mut table = [0; 16];
    let mut nibble = 0;
    while nibble < 16 {
        let (mut rest, mut bit) = (nibble, 0);
        while bit < 4 {
            rest = if rest & 1 == 1 { rest >> 1 ^ POLYNOMIAL } else { rest >> 1 };
            bit += 1;
        }
        table[nibble as usize] = rest;
        nibble += 1;
    }
    table
};

/// A sum to which bytes are added.
#[derive(Clone, Copy)]
pub(super) struct Crc(u32);

impl Crc {
    pub(super) const fn new() -> Self {
        Self(u32::MAX)
    }

    pub(super) fn add(&mut self, bytes: &[u8]) {
        let four_bits = |rest: u32| {
            let [low, ..] = rest.to_le_bytes();
            // a nibble has a place in the table
            rest >> 4 ^ OF_NIBBLE.get(usize::from(low & 15)).copied().unwrap_or(0)
        };
        for byte in bytes {
            self.0 = four_bits(four_bits(self.0 ^ u32::from(*byte)));
        }
    }

    pub(super) const fn finish(self) -> u32 {
        !self.0
    }
}

/// Of these bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.add(bytes);
    crc.finish()
}

/// Hands bytes on, and sums them up.
pub(crate) struct Summed<S> {
    out: S,
    crc: Crc,
}

impl<S: Sink> Summed<S> {
    pub(crate) const fn new(out: S) -> Self {
        Self { out, crc: Crc::new() }
    }

    /// Hand the sum on as well; what took it all.
    pub(crate) fn finish(self) -> S {
        let Self { mut out, crc } = self;
        out.put(&crc.finish().to_le_bytes());
        out
    }
}

impl<S: Sink> Sink for Summed<S> {
    fn put(&mut self, bytes: &[u8]) {
        self.crc.add(bytes);
        self.out.put(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_one_everybody_has() {
        // the catalogue's check, and what zip has for a byte of each kind
        assert_eq!((checksum(b"123456789"), checksum(b"")), (0xcbf4_3926, 0));
        let all: std::vec::Vec<u8> = (0..=255).collect();
        assert_eq!(checksum(&all), 0x2905_8c73);
        let mut bytes = std::vec::Vec::new();
        let mut summed = Summed::new(|more: &[u8]| bytes.extend_from_slice(more));
        summed.put(b"1234");
        summed.put(b"56789");
        let _ = summed.finish();
        assert_eq!(bytes, b"123456789\x26\x39\xf4\xcb");
    }
}
