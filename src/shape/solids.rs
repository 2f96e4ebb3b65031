//! Polyhedra by their measures: blocks, prisms, dice.
//!
//! ```text
//! block    (±a, ±b, ±c)                                       V = 8, F = 6,  E = 12
//! prism    n-gon in a circle of radius r, along z, |z| ≤ a    V = 2n, F = n + 2, E = 3n        n ≤ 42
//! die      |x|, |y|, |z| ≤ a, every corner cut off            V = 24, F = 14, E = 36
//! ```

use super::hull::Hull;
use crate::check::{non_negative, positive};
use crate::error::Error;
use crate::math::{Real, Vec3};
use heapless::Vec;

/// The most sides of a prism: 3n edges, of which there are at most 128.
const MOST_SIDES: u8 = 42;

impl<R: Real, const VERTICES: usize, const FACETS: usize, const EDGES: usize> Hull<R, VERTICES, FACETS, EDGES> {
    /// A block with these half edges (m), as `Hull<R, 8, 6, 12>`. [`Shape::Box`](super::Shape::Box) is smaller and faster.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `half`, and those of [`Hull::of`].
    pub fn cuboid(half: Vec3<R>) -> Result<Self, Error> {
        for x in [half.x, half.y, half.z] {
            positive(x, "half")?;
        }
        let mut points = [half; 8];
        for (k, point) in (0..u8::MAX).zip(&mut points) {
            *point = reflected(half, k);
        }
        Self::of(&points)
    }

    /// A regular prism along z of 3 to 42 sides, its corners on a cylinder of this radius and half length (m).
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("sides")`; [`Error::NonFinite`] or [`Error::NonPositive`], naming `radius` or `half_length`; and those of
    /// [`Hull::of`].
    ///
    /// ```
    /// use tumble::shape::Hull;
    /// let nut = Hull::<f32, 12, 8, 18>::prism(6, 0.005, 0.002)?;
    /// assert_eq!(nut.facets().len(), 8);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    pub fn prism(sides: u8, radius: R, half_length: R) -> Result<Self, Error> {
        if !(3..=MOST_SIDES).contains(&sides) {
            return Err(Error::OutOfRange("sides"));
        }
        positive(radius, "radius").and(positive(half_length, "half_length"))?;
        let (c, s) = cos_sin(core::f64::consts::TAU / f64::from(sides));
        let (mut x, mut y, z) = (radius.to_f64(), 0.0, half_length.to_f64());
        let mut points: Vec<Vec3<f64>, { 2 * MOST_SIDES as usize }> = Vec::new();
        for _ in 0..sides {
            for z in [-z, z] {
                points.push(Vec3::new(x, y, z)).map_err(|_| Error::OutOfRange("sides"))?;
            }
            (x, y) = (c * x - s * y, s * x + c * y);
        }
        Self::of(&points)
    }

    /// A cube with these half edges, every corner cut off at this distance along its edges (m), as `Hull<R, 24, 14, 36>`.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::NonPositive`] or [`Error::Negative`], naming `half` or `cut`; [`Error::OutOfRange`]`("cut")` for more
    /// than half the edge; and those of [`Hull::of`].
    pub fn die(half: R, cut: R) -> Result<Self, Error> {
        positive(half, "half").and(non_negative(cut, "cut"))?;
        if cut > half {
            return Err(Error::OutOfRange("cut"));
        }
        let left = half - cut;
        let about = [Vec3::new(left, half, half), Vec3::new(half, left, half), Vec3::new(half, half, left)];
        let mut points = [about; 8];
        for (k, corner) in (0..u8::MAX).zip(&mut points) {
            *corner = about.map(|point| reflected(point, k));
        }
        Self::of(points.as_flattened())
    }
}

/// In one of the eight octants.
fn reflected<R: Real>(v: Vec3<R>, octant: u8) -> Vec3<R> {
    let sign = |bit: u8, x: R| if octant & bit == 0 { -x } else { x };
    Vec3::new(sign(1, v.x), sign(2, v.y), sign(4, v.z))
}

/// Taylor's series up to x²⁷: below 2.1 rad, a third of a turn, what is left out is 1e-21.
fn cos_sin(x: f64) -> (f64, f64) {
    let (mut cos, mut sin) = (1.0, x);
    let (mut even, mut odd) = (1.0, x);
    for k in 1..=13_u8 {
        let n = 2.0 * f64::from(k);
        even = -even * x * x / ((n - 1.0) * n);
        odd = -odd * x * x / (n * (n + 1.0));
        (cos, sin) = (cos + even, sin + odd);
    }
    (cos, sin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_cosine_and_sine() {
        for n in 3..=MOST_SIDES {
            let x = core::f64::consts::TAU / f64::from(n);
            let (c, s) = cos_sin(x);
            // sums of terms up to 2.2: two roundings
            assert!((c - libm::cos(x)).abs() < 1e-15 && (s - libm::sin(x)).abs() < 1e-15, "{n}");
        }
    }
}
