//! Quadrature: how far a belt has gone, from the two tracks of its encoder.
//!
//! ```text
//! forward    A B = 10 → 11 → 01 → 00 → 10     each arrow one count
//! back       the same the other way round
//! ```
//! Both tracks at once have changed by two counts, nobody knows which way: that is lost and counted, for who uses the count to judge. At one look a tick, a belt must not make more than one
//! count a tick.

use super::read;
use embedded_hal::digital::{ErrorKind, InputPin};

/// Counts the edges of an encoder.
#[derive(Clone, Copy, Debug)]
pub struct Quadrature {
    /// which quarter of a line, 0 … 3; none before the first look
    quarter: Option<u8>,
    /// Where the belt is: four counts a line; wraps.
    pub count: i32,
    /// How often two edges came at once.
    pub lost: u32,
}

impl Quadrature {
    /// At zero, wherever the belt is.
    pub const NEW: Self = Self { quarter: None, count: 0, lost: 0 };

    /// The count after another look at tracks A and B.
    ///
    /// # Errors
    /// What a pin says of itself.
    pub fn tick<I: InputPin>(&mut self, [a, b]: &mut [I; 2]) -> Result<i32, ErrorKind> {
        let quarter = match (read(a)?, read(b)?) {
            (true, false) => 0_u8,
            (true, true) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        let before = self.quarter.replace(quarter).unwrap_or(quarter);
        match quarter.wrapping_sub(before) & 3 {
            1 => self.count = self.count.wrapping_add(1),
            3 => self.count = self.count.wrapping_sub(1),
            2 => self.lost = self.lost.saturating_add(1),
            _ => {}
        }
        Ok(self.count)
    }
}
