//! Plain bytes: how a value is written, and how it is read back to the bit.
//!
//! ```text
//! integers     little-endian, as wide as they are
//! floats       their bits, as an integer of that width; never NaN
//! bool, tags   one byte
//! option       0, or 1 and the value
//! arrays       one item after the other, no count
//! ```
//! Writing cannot fail: a [`Sink`] takes what it is given. Reading checks everything, and a value that its own constructor would refuse is refused here too. There is
//! no padding and nothing is skipped: the same value is the same bytes on every machine, so that a hash of the bytes is one of the value.

use crate::error::Error;
use crate::math::{Pose, Quat, Real, Vec3, Vec6};

/// Takes bytes: a buffer, a hash, a wire. Any closure over `&[u8]` is one.
///
/// ```
/// use tumble::record::{Persist, Sink};
/// let mut count = 0;
/// let mut sink = |bytes: &[u8]| count += bytes.len();
/// 1.5_f32.save(&mut sink);
/// [1_u16, 2, 3].save(&mut sink);
/// assert_eq!(count, 4 + 6);
/// ```
pub trait Sink {
    /// Take these bytes. What it cannot take it remembers; it must not panic.
    fn put(&mut self, bytes: &[u8]);
}

impl<F: FnMut(&[u8])> Sink for F {
    fn put(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}

/// What can be written as plain bytes and read back to the bit.
///
/// ```
/// use tumble::Error;
/// use tumble::record::{Persist, Reader, Sink, Writer};
///
/// struct Gate { angle: f32, open: bool }
///
/// impl Persist for Gate {
///     fn save(&self, out: &mut dyn Sink) {
///         self.angle.save(out);
///         self.open.save(out);
///     }
///     fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
///         Ok(Self { angle: input.load()?, open: input.load()? })
///     }
/// }
///
/// let mut buffer = [0; 8];
/// let mut writer = Writer::new(&mut buffer);
/// Gate { angle: 0.25, open: true }.save(&mut writer);
/// let bytes = writer.finish()?;
/// let gate = Gate::load(&mut Reader::new(bytes))?;
/// assert!(gate.open && gate.angle == 0.25);
/// assert_eq!(Gate::load(&mut Reader::new(&bytes[..4])).err(), Some(Error::Truncated));
/// # Ok::<(), Error>(())
/// ```
pub trait Persist: Sized {
    /// Write it.
    fn save(&self, out: &mut dyn Sink);

    /// Read it back, the same bits.
    ///
    /// # Errors
    /// [`Error::Truncated`] where the bytes end too soon; otherwise what is wrong with the value.
    fn load(input: &mut Reader<'_>) -> Result<Self, Error>;
}

/// Writes into a buffer, and remembers when there was no room.
#[derive(Debug)]
pub struct Writer<'a> {
    buffer: &'a mut [u8],
    used: usize,
    full: bool,
}

impl<'a> Writer<'a> {
    /// An empty one.
    pub const fn new(buffer: &'a mut [u8]) -> Self {
        Self { buffer, used: 0, full: false }
    }

    /// What was written.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("bytes")` if there was more than the buffer holds.
    pub fn finish(self) -> Result<&'a [u8], Error> {
        let Self { buffer, used, full } = self;
        let written: &'a [u8] = buffer;
        if full { None } else { written.get(..used) }.ok_or(Error::CapacityExceeded("bytes"))
    }
}

impl Sink for Writer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        let end = self.used.saturating_add(bytes.len());
        match self.buffer.get_mut(self.used..end) {
            // the lengths are equal: not copy_from_slice, which would panic if they were not
            Some(room) if !self.full => {
                room.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                self.used = end;
            }
            _ => self.full = true,
        }
    }
}

/// FNV-1a, 64 bits: the hash of everything put into it.
///
/// ```
/// use tumble::record::{Fnv, Sink};
/// let mut hash = Fnv::new();
/// hash.put(b"a");
/// assert_eq!(hash.finish(), 0xaf63_dc4c_8601_ec8c);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv(u64);

impl Fnv {
    /// Of nothing yet.
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    /// The hash so far.
    pub const fn finish(self) -> u64 {
        self.0
    }
}

impl Default for Fnv {
    fn default() -> Self {
        Self::new()
    }
}

impl Sink for Fnv {
    fn put(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Reads bytes from the front; every read is checked. A clone reads the same bytes again.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    /// From the first byte on.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, position: 0 }
    }

    /// How many bytes have been read.
    pub const fn position(&self) -> usize {
        self.position
    }

    /// The bytes not yet read.
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// The next so many bytes.
    ///
    /// # Errors
    /// [`Error::Truncated`] if there are not as many; then none is read.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Error::Truncated)?;
        self.rest = rest;
        self.position = self.position.saturating_add(count);
        Ok(taken)
    }

    /// The next value.
    ///
    /// # Errors
    /// As [`Persist::load`].
    pub fn load<T: Persist>(&mut self) -> Result<T, Error> {
        T::load(self)
    }

    /// One byte that says which of so many kinds comes next.
    ///
    /// # Errors
    /// [`Error::Truncated`]; [`Error::OutOfRange`] with this name where there is no such kind.
    pub fn tag(&mut self, kinds: u8, name: &'static str) -> Result<u8, Error> {
        let tag = self.load::<u8>()?;
        if tag < kinds { Ok(tag) } else { Err(Error::OutOfRange(name)) }
    }

    /// A number that may be infinite, as bounds are; never NaN.
    ///
    /// # Errors
    /// [`Error::Truncated`]; [`Error::NonFinite`]`("bound")` for NaN.
    pub fn bound<R: Real>(&mut self) -> Result<R, Error> {
        let bound = R::from_le_bytes(self.take(R::BYTES)?).ok_or(Error::Truncated)?;
        if bound.is_finite() || bound.abs() == R::INFINITY { Ok(bound) } else { Err(Error::NonFinite("bound")) }
    }
}

macro_rules! integer {
    ($($integer:ident)*) => {$(
        impl Persist for $integer {
            fn save(&self, out: &mut dyn Sink) {
                out.put(&self.to_le_bytes());
            }

            fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
                let bytes = input.take(size_of::<Self>())?;
                bytes.try_into().map(Self::from_le_bytes).map_err(|_| Error::Truncated)
            }
        }
    )*};
}
integer!(u8 u16 u32 u64 i32 i64);

macro_rules! float {
    ($($float:ident)*) => {$(
        /// Finite when it is read; [`Reader::bound`] reads one that may be infinite.
        impl Persist for $float {
            fn save(&self, out: &mut dyn Sink) {
                out.put(&self.to_le_bytes());
            }

            fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
                let number = input.bound::<Self>()?;
                if number.is_finite() { Ok(number) } else { Err(Error::NonFinite("number")) }
            }
        }
    )*};
}
float!(f32 f64);

impl Persist for bool {
    fn save(&self, out: &mut dyn Sink) {
        u8::from(*self).save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(input.tag(2, "bool")? == 1)
    }
}

impl<T: Persist> Persist for Option<T> {
    fn save(&self, out: &mut dyn Sink) {
        self.is_some().save(out);
        if let Some(value) = self {
            value.save(out);
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(if input.load()? { Some(input.load()?) } else { None })
    }
}

impl<T: Persist + Copy + Default, const N: usize> Persist for [T; N] {
    fn save(&self, out: &mut dyn Sink) {
        self.iter().for_each(|item| item.save(out));
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = input.load()?;
        }
        Ok(items)
    }
}

impl<R: Real> Persist for Vec3<R> {
    fn save(&self, out: &mut dyn Sink) {
        <[R; 3]>::from(*self).save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        input.load::<[R; 3]>().map(Self::from)
    }
}

impl<R: Real> Persist for Vec6<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.linear.save(out);
        self.angular.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self::new(input.load()?, input.load()?))
    }
}

/// Its length is one but for what products of quaternions leave, and it is not made one again: the same bits.
impl<R: Real> Persist for Quat<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.components().save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Self::of_unit(input.load()?).ok_or(Error::OutOfRange("orientation"))
    }
}

impl<R: Real> Persist for Pose<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.position.save(out);
        self.orientation.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { position: input.load()?, orientation: input.load()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;
    use std::vec::Vec;

    fn bytes_of(value: &impl Persist) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.save(&mut |more: &[u8]| bytes.extend_from_slice(more));
        bytes
    }

    fn comes_back<T: Persist + PartialEq + Debug>(value: T) {
        let bytes = bytes_of(&value);
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.load::<T>().as_ref(), Ok(&value));
        assert_eq!((reader.position(), reader.rest().len()), (bytes.len(), 0));
        for end in 0..bytes.len() {
            assert_eq!(T::load(&mut Reader::new(&bytes[..end])), Err(Error::Truncated), "{end} bytes of {value:?}");
        }
    }

    #[test]
    fn values_come_back_and_no_byte_is_superfluous() {
        comes_back((1_u8, -2_i32).1);
        comes_back(0xfedc_ba98_7654_3210_u64);
        comes_back([1.5_f32, -0.0, 1e-40]);
        comes_back(Some(-7.25_f64));
        comes_back([true, false]);
        comes_back(Pose {
            position: Vec3::new(1.0_f32, 2.0, 3.0),
            orientation: Quat::new(0.1, 0.7, -0.3, 0.2).unwrap(),
        });
        comes_back(Vec6::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0_f64]));
        assert_eq!(bytes_of(&0x0102_u16), [2, 1]);
        assert_eq!(bytes_of(&Some(1.0_f32)), [1, 0, 0, 0x80, 0x3f]);
    }

    #[test]
    fn what_is_no_value_is_refused() {
        let load = |x: f32| f32::load(&mut Reader::new(&x.to_le_bytes()));
        assert_eq!(load(f32::INFINITY), Err(Error::NonFinite("number")));
        assert_eq!(load(f32::NAN), Err(Error::NonFinite("bound")));
        assert_eq!(Reader::new(&f32::INFINITY.to_le_bytes()).bound(), Ok(f32::INFINITY));
        assert_eq!(Reader::new(&f32::NAN.to_le_bytes()).bound::<f32>(), Err(Error::NonFinite("bound")));
        assert_eq!(bool::load(&mut Reader::new(&[2])), Err(Error::OutOfRange("bool")));
        assert_eq!(Option::<u8>::load(&mut Reader::new(&[2, 0])), Err(Error::OutOfRange("bool")));
        assert_eq!(Reader::new(&[3]).tag(3, "kind"), Err(Error::OutOfRange("kind")));
        let stretched = bytes_of(&[1.0_f32, 0.5, 0.0, 0.0]);
        assert_eq!(Quat::<f32>::load(&mut Reader::new(&stretched)), Err(Error::OutOfRange("orientation")));
    }

    #[test]
    fn a_product_of_many_turns_keeps_its_bits() {
        let turn = Quat::new(0.9_f32, 0.1, -0.3, 0.2).unwrap();
        let mut product = Quat::IDENTITY;
        for _ in 0..1000 {
            product = product * turn;
            let again = Quat::<f32>::load(&mut Reader::new(&bytes_of(&product))).unwrap();
            assert_eq!(again.components().map(f32::to_bits), product.components().map(f32::to_bits));
        }
    }

    #[test]
    fn a_full_buffer_is_remembered_and_holds_no_half_of_a_value_after() {
        let mut buffer = [9; 6];
        let mut writer = Writer::new(&mut buffer);
        1_u32.save(&mut writer);
        2_u32.save(&mut writer);
        3_u16.save(&mut writer);
        assert_eq!(writer.finish(), Err(Error::CapacityExceeded("bytes")));
        assert_eq!(buffer, [1, 0, 0, 0, 9, 9]);
    }
}
