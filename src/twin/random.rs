//! Numbers that look random and are the same everywhere: `x ^= x << 13, x ^= x >> 17, x ^= x << 5` (Marsaglia 2003, 32 bits).

use crate::error::Error;
use crate::math::Vec3;
use crate::record::{Persist, Reader, Sink};

/// A source of such numbers.
///
/// ```
/// use tumble::twin::Random;
/// let (mut a, mut b) = (Random::new(7), Random::new(7));
/// assert_eq!(a.within_one(), b.within_one());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(u32);

impl Persist for Random {
    fn save(&self, out: &mut dyn Sink) {
        self.0.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        // none that a step leads to
        let state = input.load()?;
        if state == 0 { Err(Error::OutOfRange("random")) } else { Ok(Self(state)) }
    }
}

impl Random {
    /// Begins anew; another seed gives other numbers from the first one on.
    pub const fn new(seed: u32) -> Self {
        // seeds are small and alike, and the first numbers of such states are, too: every bit is to depend on all (the end of MurmurHash3, one to one)
        let mut x = seed ^ 0x9e37_79b9;
        x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
        x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
        x ^= x >> 16;
        Self::from_state(x)
    }

    /// Begins in this state, as it is, or in 1 for 0: goes on where a source was, or as one that is on record began.
    pub const fn from_state(state: u32) -> Self {
        // zero goes nowhere
        Self(if state == 0 { 1 } else { state })
    }

    /// 24 bits: every one of them is a single-precision number of its own.
    fn bits(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 >> 8
    }

    /// Evenly between −1 and 1.
    pub fn within_one(&mut self) -> f32 {
        self.bits() as f32 * (2.0 / 16_777_216.0) - 1.0
    }

    /// Mean 0, standard deviation 1, never beyond ±3: the sum of three of the above.
    pub fn normal(&mut self) -> f32 {
        let first = self.within_one();
        first + self.within_one() + self.within_one()
    }

    /// True so often: with a probability of `share`. (1)
    pub fn chance(&mut self, share: f32) -> bool {
        0.5 * (1.0 + self.within_one()) < share
    }

    /// One of these, each as likely as any other; `default` of none.
    pub fn one_of<T: Copy>(&mut self, choices: &[T], default: T) -> T {
        let index = usize::try_from(self.bits()).unwrap_or(0).checked_rem(choices.len()).unwrap_or(0);
        choices.get(index).copied().unwrap_or(default)
    }

    /// Each component evenly between −1 and 1.
    pub fn vector(&mut self) -> Vec3<f32> {
        let x = self.within_one();
        let y = self.within_one();
        Vec3::new(x, y, self.within_one())
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn every_choice_comes_up_as_often() {
        let mut random = Random::new(7);
        let mut often = [0_i32; 3];
        (0..9_000).for_each(|_| often[random.one_of(&[0, 1, 2], 0)] += 1);
        // 3000 ± √2000: three standard deviations
        assert!(often.iter().all(|often| (often - 3_000).abs() < 135), "{often:?}");
        assert_eq!(random.one_of(&[], 4), 4);
    }

    #[test]
    fn first_numbers_of_small_seeds_are_not_alike() {
        let first: std::vec::Vec<_> = (0..1000).map(|seed| Random::new(seed).within_one()).collect();
        // 0 ± 1/√(3n): three standard deviations
        assert!((first.iter().sum::<f32>() / 1e3).abs() < 0.055, "{first:?}");
        // 100 ± √90
        let often = (0..1000).filter(|seed| Random::new(*seed).chance(0.1)).count();
        assert!((72..=128).contains(&often), "{often}");
    }

    #[test]
    fn numbers_fill_their_range_evenly() {
        let mut random = Random::new(7);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..10_000 {
            let x = random.within_one();
            assert!((-1.0..1.0).contains(&x));
            (sum, squares) = (sum + x, squares + x * x);
        }
        // mean 0 ± 1/√(3n), variance 1/3: three standard deviations
        assert!((sum / 1e4).abs() < 0.018 && (squares / 1e4 - 1.0 / 3.0).abs() < 0.009, "{sum} {squares}");
    }
}
