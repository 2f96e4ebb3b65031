//! Where a beam meets a shape: `x(s) = from + s (to − from)`, `0 ≤ s ≤ 1`, in the shape's own frame.
//!
//! ```text
//! sphere, capsule, cylinder   roots of a s² + 2 b s + c
//! box, polyhedron             n_i·x(s) ≤ b_i cuts the interval of s, facet by facet
//! ```
//! A beam that begins inside meets the shape at once. Grazing counts or does not, as rounding has it.

use super::{Polyhedron, Shape};
use crate::math::{Real, Vec3, max, min};

/// Where the beam is inside; empty when it ends before it begins.
#[derive(Clone, Copy)]
struct Span<R> {
    begin: R,
    end: R,
}

impl<R: Real> Span<R> {
    const WHOLE: Self = Self { begin: R::ZERO, end: R::ONE };

    /// What is left of it where `value + s · slope ≤ 0`.
    fn below(self, value: R, slope: R) -> Option<Self> {
        let at = -value / slope;
        let left = if slope > R::ZERO {
            Self { end: min(at, self.end), ..self }
        } else if slope < R::ZERO {
            Self { begin: max(at, self.begin), ..self }
        } else if value <= R::ZERO {
            self
        } else {
            return None;
        };
        (left.begin <= left.end).then_some(left)
    }

    /// What is left of it where `a s² + 2 b s + c ≤ 0`, a ≥ 0.
    fn within_round(self, a: R, b: R, c: R) -> Option<Self> {
        let discriminant = b * b - a * c;
        if a <= R::ZERO || discriminant < R::ZERO {
            return (a <= R::ZERO && c <= R::ZERO).then_some(self);
        }
        let root = discriminant.sqrt();
        let left = Self { begin: max((-b - root) / a, self.begin), end: min((root - b) / a, self.end) };
        (left.begin <= left.end).then_some(left)
    }
}

impl<R: Real> Shape<R> {
    /// How far along a beam from `from` to `to` (m, the shape's frame) it first meets the shape: 0 at its beginning, 1 at its end; none if it passes.
    ///
    /// ```
    /// use tumble::math::Vec3;
    /// use tumble::shape::Shape;
    /// let ball = Shape::Sphere { radius: 0.5_f32 };
    /// let [left, right] = [-2.0, 2.0].map(|x| Vec3::new(x, 0.0, 0.0));
    /// assert_eq!(ball.first_hit(left, right), Some(0.375));
    /// assert_eq!(ball.first_hit(left + Vec3::new(0.0, 0.6, 0.0), right + Vec3::new(0.0, 0.6, 0.0)), None);
    /// ```
    pub fn first_hit(&self, from: Vec3<R>, to: Vec3<R>) -> Option<R> {
        let along = to - from;
        let ball = |centre: Vec3<R>, radius: R| {
            let at = from - centre;
            Span::WHOLE.within_round(along.dot(along), at.dot(along), at.dot(at) - radius * radius)
        };
        let barrel = |radius: R, half_length: R| {
            Span::WHOLE
                .within_round(
                    along.x * along.x + along.y * along.y,
                    from.x * along.x + from.y * along.y,
                    from.x * from.x + from.y * from.y - radius * radius,
                )?
                .below(from.z - half_length, along.z)?
                .below(-from.z - half_length, -along.z)
        };
        let inside = match *self {
            Self::Sphere { radius } => ball(Vec3::default(), radius)?,
            Self::Capsule { radius, half_length } => {
                let end = Vec3::new(R::ZERO, R::ZERO, half_length);
                let hits = [barrel(radius, half_length), ball(end, radius), ball(-end, radius)];
                let first = hits.into_iter().flatten().map(|span| span.begin).fold(R::INFINITY, min);
                return first.is_finite().then_some(first);
            }
            Self::Cylinder { radius, half_length } => barrel(radius, half_length)?,
            Self::Box { half } => Span::WHOLE
                .below(from.x - half.x, along.x)?
                .below(-from.x - half.x, -along.x)?
                .below(from.y - half.y, along.y)?
                .below(-from.y - half.y, -along.y)?
                .below(from.z - half.z, along.z)?
                .below(-from.z - half.z, -along.z)?,
            Self::Polyhedron(Polyhedron { facets, .. }) => {
                let mut span = Span::WHOLE;
                for facet in *facets {
                    span = span.below(facet.normal.dot(from) - facet.offset, facet.normal.dot(along))?;
                }
                span
            }
            Self::HalfSpace => Span::WHOLE.below(from.z, along.z)?,
        };
        Some(inside.begin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shapes() -> [Shape<f64>; 5] {
        [
            Shape::Sphere { radius: 0.7 },
            Shape::Capsule { radius: 0.4, half_length: 0.6 },
            Shape::Cylinder { radius: 0.5, half_length: 0.8 },
            Shape::Box { half: Vec3::new(0.3, 0.5, 0.9) },
            Shape::HalfSpace,
        ]
    }

    /// By definition.
    fn contains(shape: &Shape<f64>, Vec3 { x, y, z }: Vec3<f64>) -> bool {
        let across = x * x + y * y;
        match *shape {
            Shape::Sphere { radius } => across + z * z <= radius * radius,
            Shape::Capsule { radius, half_length } => {
                let above = z.abs() - half_length;
                across + if above > 0.0 { above * above } else { 0.0 } <= radius * radius
            }
            Shape::Cylinder { radius, half_length } => across <= radius * radius && z.abs() <= half_length,
            Shape::Box { half } => x.abs() <= half.x && y.abs() <= half.y && z.abs() <= half.z,
            Shape::Polyhedron(solid) => {
                solid.facets.iter().all(|facet| facet.normal.dot(Vec3::new(x, y, z)) <= facet.offset)
            }
            Shape::HalfSpace => z <= 0.0,
        }
    }

    proptest! {
        #[test]
        fn a_beam_meets_what_a_walk_along_it_finds(ends in prop::array::uniform6(-2.0..2.0)) {
            let [a, b, c, d, e, f] = ends;
            let (from, to) = (Vec3::new(a, b, c), Vec3::new(d, e, f));
            for shape in shapes() {
                // an oracle that is obviously right: small paces
                let walked = (0..=4000).map(|k| f64::from(k) / 4000.0).find(|&s| contains(&shape, from + (to - from) * s));
                match (shape.first_hit(from, to), walked) {
                    (Some(hit), Some(walked)) => prop_assert!((hit - walked).abs() < 3e-4, "{shape:?} {hit} {walked}"),
                    (None, Some(walked)) => prop_assert!(false, "{shape:?} missed at {walked}"),
                    // grazed between two paces
                    (Some(hit), None) => prop_assert!(contains(&shape, (from + (to - from) * (hit + 1e-9)) * (1.0 - 1e-6)), "{shape:?} {hit}"),
                    (None, None) => {}
                }
            }
        }
    }
}
