//! Integrals over what triangles enclose, exactly: a sum over the tetrahedra between the origin and each triangle.
//!
//! ```text
//! tetrahedron 0abc      d = a·(b × c),  s = a + b + c
//! ∫ 1 = d/6             ∫ x = d/24 s             ∫ x xᵀ = d/120 (a aᵀ + b bᵀ + c cᵀ + s sᵀ)
//! moment about x        ∫ y² + z²                and in turn
//! ```
//! Density 1: m³, m⁴, m⁵.

use crate::math::{Real, Sym3, Vec3, max};

/// Volume, first and second moments; or the same of a surface, see [`Integrals::of_surface`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Integrals<R> {
    pub(super) volume: R,
    pub(super) first: Vec3<R>,
    pub(super) second: Sym3<R>,
}

impl<R: Real> Integrals<R> {
    /// Over the tetrahedron between the origin and a triangle, positive where the triangle turns its front away from the origin.
    pub(super) fn of_tetrahedron([a, b, c]: [Vec3<R>; 3]) -> Self {
        let d = a.dot(b.cross(c));
        let s = a + b + c;
        let product = |[a, b, c, s]: [R; 4], [p, q, r, t]: [R; 4]| a * p + b * q + c * r + s * t;
        let (x, y, z) = ([a, b, c, s].map(|v| v.x), [a, b, c, s].map(|v| v.y), [a, b, c, s].map(|v| v.z));
        let share = d * R::from_f64(1.0 / 120.0);
        Self {
            volume: d * R::from_f64(1.0 / 6.0),
            first: s * (d * R::from_f64(1.0 / 24.0)),
            second: Sym3 {
                xx: product(x, x) * share,
                yy: product(y, y) * share,
                zz: product(z, z) * share,
                xy: product(x, y) * share,
                xz: product(x, z) * share,
                yz: product(y, z) * share,
            },
        }
    }

    /// Bounds of `∫ 1`, `∫ |x|` and `∫ |x xᵀ|` over a triangle: what the integrals change by, at most, per metre by which it moves.
    pub(super) fn of_surface([a, b, c]: [Vec3<R>; 3], normal: Vec3<R>) -> Self {
        let area = normal.dot((b - a).cross(c - a)).abs() * R::from_f64(0.5);
        let most = |f: fn(Vec3<R>) -> R| max(f(a).abs(), max(f(b).abs(), f(c).abs()));
        let (x, y, z) = (most(|v| v.x), most(|v| v.y), most(|v| v.z));
        Self {
            volume: area,
            first: Vec3::new(x, y, z) * area,
            second: Sym3 {
                xx: x * x * area,
                yy: y * y * area,
                zz: z * z * area,
                xy: x * y * area,
                xz: x * z * area,
                yz: y * z * area,
            },
        }
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        Self {
            volume: self.volume + other.volume,
            first: self.first + other.first,
            second: sum(self.second, other.second),
        }
    }

    /// Moments of inertia about x, y, z.
    pub(super) fn moments(&self) -> Vec3<R> {
        let Sym3 { xx, yy, zz, .. } = self.second;
        Vec3::new(yy + zz, xx + zz, xx + yy)
    }
}

pub(super) fn sum<R: Real>(a: Sym3<R>, b: Sym3<R>) -> Sym3<R> {
    Sym3 { xx: a.xx + b.xx, yy: a.yy + b.yy, zz: a.zz + b.zz, xy: a.xy + b.xy, xz: a.xz + b.xz, yz: a.yz + b.yz }
}
