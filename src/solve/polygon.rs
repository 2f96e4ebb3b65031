//! Regular polygons with their corners on a circle, the first at (1, 0), and pyramids over them.
//!
//! ```text
//! corner     d_k = (cos 2πk/m, sin 2πk/m)                     k = 0 … m − 1,  4 ≤ m ≤ 16
//! polygon    r · hull of all d_k                              pyramid   Σ β_k (1, μ d_k),  β ≥ 0
//! ```
//! Never inlined: the kernels of cones and discs are hot, these are not.
//!
//! A mirror goes through every corner and through the middle of every side: the nearest point of a symmetric convex set lies between the same mirrors.

use crate::math::{Real, clamp, max};

/// Most corners.
const MOST: usize = 16;

/// Corners by m and k.
type Table<T> = [[[T; 2]; MOST]; MOST + 1];

/// Double precision; error below 2e-16.
static CORNERS_F64: Table<f64> = corners();

/// The same, rounded. A table of its own, because converting doubles is a library call on Cortex-M.
static CORNERS_F32: Table<f32> = round(&corners());

/// Corner k of m, in the precision of `R`.
#[inline(always)]
pub(super) fn corner<R: Real>(m: u8, k: u8) -> [R; 2] {
    // BYTES is a constant: only one of the tables is linked for each precision
    if R::BYTES == size_of::<f32>() {
        lookup(&CORNERS_F32, m, k).map_or([R::ZERO; 2], |corner| corner.map(|x| R::from_f64(f64::from(x))))
    } else {
        lookup(&CORNERS_F64, m, k).map_or([R::ZERO; 2], |corner| corner.map(R::from_f64))
    }
}

#[inline(always)]
fn lookup<T: Copy>(table: &Table<T>, m: u8, k: u8) -> Option<[T; 2]> {
    table.get(usize::from(m)).and_then(|corners| corners.get(usize::from(k))).copied()
}

/// The corner that is farthest this way.
pub(super) fn farthest<R: Real>(m: u8, [x, y]: [R; 2]) -> u8 {
    let (mut best, mut most) = (0, -R::INFINITY);
    for k in 0..m {
        let [d1, d2] = corner::<R>(m, k);
        let along = d1 * x + d2 * y;
        if along > most {
            (best, most) = (k, along);
        }
    }
    best
}

/// `max_k d_k·w`
#[inline(never)]
pub(super) fn support<R: Real>(m: u8, w: [R; 2]) -> R {
    let [d1, d2] = corner::<R>(m, farthest(m, w));
    d1 * w[0] + d2 * w[1]
}

/// Size of the polygon on whose boundary γ lies.
#[inline(never)]
pub(super) fn reach<R: Real>(m: u8, gamma: [R; 2]) -> R {
    let Side { a, b } = Side::of(m, gamma);
    // γ = s a + t b, both at least 0: its size is s + t
    let area = a[0] * b[1] - a[1] * b[0];
    ((gamma[0] * b[1] - gamma[1] * b[0]) + (a[0] * gamma[1] - a[1] * gamma[0])) / area
}

/// `P(γ)` onto the polygon of size `radius ≥ 0`.
#[inline(never)]
pub(super) fn project_section<R: Real>(m: u8, radius: R, gamma: [R; 2]) -> [R; 2] {
    if reach(m, gamma) - radius <= R::ZERO {
        return gamma;
    }
    let Side { a, b } = Side::of(m, gamma);
    let [e1, e2] = [b[0] - a[0], b[1] - a[1]];
    let off = [gamma[0] - radius * a[0], gamma[1] - radius * a[1]];
    let along = clamp((off[0] * e1 + off[1] * e2) / (e1 * e1 + e2 * e2), R::ZERO, radius);
    [radius * a[0] + along * e1, radius * a[1] + along * e2]
}

/// `P(γ)` onto the pyramid.
#[inline(never)]
pub(super) fn project_cone<R: Real>(m: u8, mu: R, gamma: [R; 3]) -> [R; 3] {
    let [n, t1, t2] = gamma;
    if n >= R::ZERO && reach(m, [t1, t2]) - mu * n <= R::ZERO {
        return gamma;
    }
    let Side { a: [a1, a2], b: [b1, b2] } = Side::of(m, [t1, t2]);
    // onto the face of two rays, γ ≈ s g_a + t g_b, with the normal μ c = g_a × g_b: s = γ·(g_b × c)/μ|c|². By products of rays alone, all nearly 1, a small μ would be lost
    let (c0, c1, c2) = (mu * (a1 * b2 - a2 * b1), a2 - b2, b1 - a1);
    let across =
        |[x1, x2]: [R; 2]| n * mu * (x1 * c2 - x2 * c1) + t1 * (mu * (x2 * c0) - c2) + t2 * (c1 - mu * (x1 * c0));
    let scale = R::ONE / (mu * (c0 * c0 + c1 * c1 + c2 * c2));
    let (s, t) = (across([b1, b2]) * scale, -across([a1, a2]) * scale);
    // with μ = 0 all rays are one, and these no numbers
    if t > R::ZERO && s > R::ZERO && s + t < R::INFINITY {
        return [s + t, mu * (s * a1 + t * b1), mu * (s * a2 + t * b2)];
    }
    // onto the nearer ray, or to the tip
    let s = max((n + mu * (a1 * t1 + a2 * t2)) / (R::ONE + mu * mu * (a1 * a1 + a2 * a2)), R::ZERO);
    [s, mu * (s * a1), mu * (s * a2)]
}

/// The side of a polygon that lies this way; `a` is the nearer corner.
struct Side<R> {
    a: [R; 2],
    b: [R; 2],
}

impl<R: Real> Side<R> {
    fn of(m: u8, gamma: [R; 2]) -> Self {
        let k = farthest(m, gamma);
        let a = corner::<R>(m, k);
        let left = a[0] * gamma[1] - a[1] * gamma[0] >= R::ZERO;
        Self { a, b: corner(m, neighbour(m, k, left)) }
    }
}

/// The corner beside corner k.
pub(super) fn neighbour(m: u8, k: u8, left: bool) -> u8 {
    let next = k.wrapping_add(if left { 1 } else { m.wrapping_sub(1) });
    next.checked_sub(m).unwrap_or(next)
}

const fn corners() -> Table<f64> {
    let mut table = [[[0.0; 2]; MOST]; MOST + 1];
    let mut m = 1;
    while m <= MOST {
        let mut k = 0;
        while k < m {
            // sin 2πk/m = cos 2π(k/m + 3/4)
            table[m][k] = [cos_turns(4 * k, 4 * m), cos_turns((4 * k + 3 * m) % (4 * m), 4 * m)];
            k += 1;
        }
        m += 1;
    }
    table
}

const fn round(corners: &Table<f64>) -> Table<f32> {
    let mut table = [[[0.0; 2]; MOST]; MOST + 1];
    let mut m = 1;
    while m <= MOST {
        let mut k = 0;
        while k < m {
            let [x, y] = corners[m][k];
            table[m][k] = [x as f32, y as f32];
            k += 1;
        }
        m += 1;
    }
    table
}

/// `cos 2πk/m`, m a multiple of four, folded into the first eighth, so that mirrored corners have the same numbers.
const fn cos_turns(k: usize, m: usize) -> f64 {
    let k = if 2 * k > m { m - k } else { k };
    let (k, negative) = if 4 * k > m { (m / 2 - k, true) } else { (k, false) };
    let value = if 8 * k > m { series(m / 4 - k, m, 1) } else { series(k, m, 0) };
    if negative { -value } else { value }
}

/// Taylor's series at 2πk/m: of cos (`first` 0) or sin (`first` 1).
const fn series(k: usize, m: usize, first: usize) -> f64 {
    let x = core::f64::consts::TAU * k as f64 / m as f64;
    let mut term = if first == 0 { 1.0 } else { x };
    let mut sum = 0.0;
    let mut n = first;
    while n < first + 24 {
        sum += term;
        term = -term * x * x / ((n + 1) * (n + 2)) as f64;
        n += 2;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_are_where_they_should_be() {
        for m in 4..=16_u8 {
            for k in 0..m {
                let angle = core::f64::consts::TAU * f64::from(k) / f64::from(m);
                let [x, y] = corner::<f64>(m, k);
                assert!((x - libm::cos(angle)).abs() < 6e-8 && (y - libm::sin(angle)).abs() < 6e-8, "{k} of {m}");
            }
        }
        assert_eq!(corner::<f64>(4, 1), [0.0, 1.0]);
        assert_eq!(corner::<f64>(8, 5), [-corner::<f64>(8, 1)[0]; 2]);
    }

    #[test]
    fn f64_corners_are_accurate_to_double_precision() {
        for m in 4..=16_u8 {
            for k in 0..m {
                // the reference angle itself rounds by up to 1.4e-15
                let angle = core::f64::consts::TAU * f64::from(k) / f64::from(m);
                let [x, y] = corner::<f64>(m, k);
                assert!((x - libm::cos(angle)).abs() < 2e-15 && (y - libm::sin(angle)).abs() < 2e-15, "{k} of {m}");
                assert!((x * x + y * y - 1.0).abs() < 5e-16, "{k} of {m} is not of unit length");
            }
        }
        assert!((corner::<f64>(8, 1)[0] - core::f64::consts::FRAC_1_SQRT_2).abs() < 2e-16);
    }

    #[test]
    fn f32_corners_keep_their_bits() {
        use crate::record::{Fnv, Sink};
        let mut hash = Fnv::new();
        for m in 4..=16_u8 {
            for k in 0..m {
                let single = corner::<f32>(m, k);
                assert_eq!(single, corner::<f64>(m, k).map(|x| x as f32));
                single.into_iter().for_each(|x| hash.put(&x.to_le_bytes()));
            }
        }
        // taken when both precisions used the f32 table
        assert_eq!(hash.finish(), 0x7f82_6276_ccf3_5861);
    }
}
