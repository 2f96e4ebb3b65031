//! Projections `P_K` onto the admissible sets of a contact or a friction pair: γ (N·s) in, nearest admissible γ out.
//!
//! ```text
//! cone      √(γ_1² + γ_2²) ≤ μ γ_n        disc     √(γ_1² + γ_2²) ≤ r
//! pyramid   |γ_1| + |γ_2| ≤ μ γ_n         diamond  |γ_1| + |γ_2| ≤ r
//! polygon   see `polygon`
//! ```

use super::polygon;
use crate::math::{Real, max};
use crate::rows::Section;

/// `P_K(γ_n, γ_1, γ_2)` onto the cone over `section`, all three together.
#[inline(always)]
pub(crate) fn project_cone<R: Real>(section: Section, mu: R, gamma: [R; 3]) -> [R; 3] {
    match section {
        Section::Disc => cone(mu, gamma),
        Section::Diamond => pyramid(mu, gamma),
        Section::Polygon(corners) => polygon::project_cone(corners, mu, gamma),
    }
}

/// `P(γ_1, γ_2)` onto the section of size `radius ≥ 0`.
#[inline(always)]
pub(crate) fn project_section<R: Real>(section: Section, radius: R, gamma: [R; 2]) -> [R; 2] {
    match section {
        Section::Disc => disc(radius, gamma),
        Section::Diamond => diamond(radius, gamma),
        Section::Polygon(corners) => polygon::project_section(corners, radius, gamma),
    }
}

/// Is γ in the cone over `section`? Not if it is no number.
#[inline(always)]
pub(crate) fn within_cone<R: Real>(section: Section, mu: R, [n, t1, t2]: [R; 3]) -> bool {
    let radius = mu * n;
    n >= R::ZERO
        && match section {
            // a difference, because ∞ ≤ ∞ would let anything in
            Section::Disc => t1 * t1 + t2 * t2 - radius * radius <= R::ZERO,
            Section::Diamond => t1.abs() + t2.abs() - radius <= R::ZERO,
            Section::Polygon(corners) => polygon::reach(corners, [t1, t2]) - radius <= R::ZERO,
        }
}

/// `max { γ·w : γ in the section of size 1 }`: the `|w_t|` of De Saxcé's correction.
#[inline(always)]
pub(crate) fn support<R: Real>(section: Section, [w1, w2]: [R; 2]) -> R {
    match section {
        Section::Disc => (w1 * w1 + w2 * w2).sqrt(),
        Section::Diamond => max(w1.abs(), w2.abs()),
        Section::Polygon(corners) => polygon::support(corners, [w1, w2]),
    }
}

#[inline(always)]
fn cone<R: Real>(mu: R, [n, t1, t2]: [R; 3]) -> [R; 3] {
    let squared = t1 * t1 + t2 * t2;
    let radius = mu * n;
    // inside: no root needed. A difference, because ∞ ≤ ∞ would let anything in
    if n >= R::ZERO && squared - radius * radius <= R::ZERO {
        return [n, t1, t2];
    }
    // nearest point of the generator in the plane of γ: s (1, μ)
    let t = squared.sqrt();
    let s = (n + mu * t) / (R::ONE + mu * mu);
    if s <= R::ZERO {
        return [R::ZERO; 3];
    }
    // only with μ = 0 can t vanish here, and then there is nothing to scale
    let shrink = if t > R::ZERO { mu * s / t } else { R::ZERO };
    [s, t1 * shrink, t2 * shrink]
}

#[inline(always)]
fn disc<R: Real>(radius: R, [t1, t2]: [R; 2]) -> [R; 2] {
    let squared = t1 * t1 + t2 * t2;
    if squared - radius * radius <= R::ZERO {
        return [t1, t2];
    }
    let shrink = radius / squared.sqrt();
    [t1 * shrink, t2 * shrink]
}

#[inline(always)]
fn pyramid<R: Real>(mu: R, [n, t1, t2]: [R; 3]) -> [R; 3] {
    let (x, y, unfold) = fold(t1, t2);
    if n >= R::ZERO && x + y <= mu * n {
        return [n, t1, t2];
    }
    // the face x + y = μ n, on which x − y stays; x − λ would cancel and leave the face when sliding fast
    let lambda = (x + y - mu * n) / (R::ONE + R::ONE + mu * mu);
    let face_n = n + mu * lambda;
    let (sum, difference) = (mu * face_n, x - y);
    if difference <= sum && face_n >= R::ZERO {
        let half = R::from_f64(0.5);
        let [t1, t2] = unfold.apply(half * (sum + difference), half * (sum - difference));
        return [face_n, t1, t2];
    }
    // the edge s (1, μ, 0), or the apex
    let s = (n + mu * x) / (R::ONE + mu * mu);
    if s <= R::ZERO {
        return [R::ZERO; 3];
    }
    let [t1, t2] = unfold.apply(mu * s, R::ZERO);
    [s, t1, t2]
}

#[inline(always)]
fn diamond<R: Real>(radius: R, [t1, t2]: [R; 2]) -> [R; 2] {
    let (x, y, unfold) = fold(t1, t2);
    if x + y <= radius {
        return [t1, t2];
    }
    // the side x + y = radius, on which x − y stays, or its corner
    let difference = x - y;
    if difference <= radius {
        let half = R::from_f64(0.5);
        unfold.apply(half * (radius + difference), half * (radius - difference))
    } else {
        unfold.apply(radius, R::ZERO)
    }
}

/// The diamond has mirrors at both axes and both diagonals: look at one eighth, `x ≥ y ≥ 0`. The nearest point of a symmetric
/// convex set lies in the same eighth.
#[inline(always)]
fn fold<R: Real>(t1: R, t2: R) -> (R, R, Unfold) {
    let (x, y) = (t1.abs(), t2.abs());
    let swapped = y > x;
    let (x, y) = if swapped { (y, x) } else { (x, y) };
    (x, y, Unfold { swapped, negative1: t1 < R::ZERO, negative2: t2 < R::ZERO })
}

struct Unfold {
    swapped: bool,
    negative1: bool,
    negative2: bool,
}

impl Unfold {
    #[inline(always)]
    fn apply<R: Real>(&self, x: R, y: R) -> [R; 2] {
        let (t1, t2) = if self.swapped { (y, x) } else { (x, y) };
        [if self.negative1 { -t1 } else { t1 }, if self.negative2 { -t2 } else { t2 }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn inside(section: Section, mu: f64, [n, t1, t2]: [f64; 3]) -> bool {
        // projections round: a few units in the last place of what was projected
        let slack = 1e-13 * (1.0 + mu) * (1.0 + n.abs() + t1.abs() + t2.abs());
        let size = match section {
            Section::Disc => Real::sqrt(t1 * t1 + t2 * t2),
            Section::Diamond => t1.abs() + t2.abs(),
            Section::Polygon(corners) => sides(corners).iter().fold(0.0, |m, s| max(m, s[0] * t1 + s[1] * t2)),
        };
        n >= 0.0 && size <= mu * n + slack
    }

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    /// Of each side of a polygon of size 1 the vector that is 1 along all of it.
    fn sides(corners: u8) -> std::vec::Vec<[f64; 2]> {
        let side = |k: u8| {
            let [[a1, a2], [b1, b2]] = [k, (k + 1) % corners].map(|k| polygon::corner::<f64>(corners, k));
            let area = a1 * b2 - a2 * b1;
            [(b2 - a2) / area, (a1 - b1) / area]
        };
        (0..corners).map(side).collect()
    }

    /// Directions that generate the cone, its edges or finely spaced generators.
    fn generators(section: Section, mu: f64) -> std::vec::Vec<[f64; 3]> {
        if let Section::Polygon(corners) = section {
            let ray = |[x, y]: [f64; 2]| [1.0, mu * x, mu * y];
            return (0..corners).map(|k| ray(polygon::corner(corners, k))).collect();
        }
        let directions = if section == Section::Diamond { 4 } else { 720 };
        (0..directions)
            .map(|k| {
                let angle = f64::from(k) * core::f64::consts::TAU / f64::from(directions);
                [1.0, mu * libm::cos(angle), mu * libm::sin(angle)]
            })
            .collect()
    }

    fn section() -> impl Strategy<Value = Section> {
        prop_oneof![Just(Section::Disc), Just(Section::Diamond), (4..=16_u8).prop_map(Section::Polygon)]
    }

    proptest! {
        /// p = P_K(x) for a closed convex cone exactly when p ∈ K, (x − p)·p = 0 and (x − p)·k ≤ 0 for all k ∈ K (Moreau).
        #[test]
        fn cone_projection_obeys_moreau(section in section(), mu in prop_oneof![Just(0.0), 0.0..3.0_f64],
                                        x in prop::array::uniform3(-2.0..2.0_f64)) {
            let p = project_cone(section, mu, x);
            prop_assert!(inside(section, mu, p), "{p:?} is outside");
            let d = [x[0] - p[0], x[1] - p[1], x[2] - p[2]];
            prop_assert!(dot(d, p).abs() < 1e-12);
            for k in generators(section, mu) {
                prop_assert!(dot(d, k) < 1e-12, "{p:?} is not nearest: {k:?} is on the side of {x:?}");
            }
        }

        /// In single precision it is as near as numbers round, however flat the cone: γ itself rounds by half an ε, and so does what comes out, some ten times on the way.
        #[test]
        fn cone_projection_in_single_precision(section in section(), mu in prop_oneof![1e-4..1e-2_f32, 1e-2..3.0_f32],
                                               n in -2.0..2.0_f32, angle in 0.0..7.0_f64, size in 0.0..4.0_f64) {
            // about the cone's own size: what is far outside ends at its tip or on a ray
            let t = size * f64::from(mu) * f64::from(n.abs());
            let x = [n, (t * libm::cos(angle)) as f32, (t * libm::sin(angle)) as f32];
            let p = project_cone(section, mu, x).map(f64::from);
            let exact = project_cone(section, f64::from(mu), x.map(f64::from));
            let (slack, mu) = (16.0 * f64::from(f32::EPSILON) * f64::from(n.abs()), f64::from(mu));
            // of a steep cone the normal rounds as its tangents do
            prop_assert!((p[0] - exact[0]).abs() <= slack * max(mu, 1.0), "{p:?} for {exact:?}");
            let tangents = |[_, t1, t2]: [f64; 3]| [t1, t2];
            for (p, exact) in tangents(p).into_iter().zip(tangents(exact)) {
                prop_assert!((p - exact).abs() <= slack * mu, "tangent {p} for {exact}");
            }
        }

        /// The section at height n is where the cone over it is cut: p is nearest when (x − p)·(k − p) ≤ 0.
        #[test]
        fn section_projection_is_nearest(section in section(), radius in prop_oneof![Just(0.0), 0.0..3.0_f64],
                                         x in prop::array::uniform2(-2.0..2.0_f64)) {
            let p = project_section(section, radius, x);
            prop_assert!(inside(section, 1.0, [radius, p[0], p[1]]));
            for [_, k1, k2] in generators(section, radius) {
                let side = (x[0] - p[0]) * (k1 - p[0]) + (x[1] - p[1]) * (k2 - p[1]);
                prop_assert!(side < 1e-12);
            }
        }

        /// The support function is attained on the section's boundary.
        #[test]
        fn support_is_the_largest_product(section in section(), w in prop::array::uniform2(-2.0..2.0_f64)) {
            let most = generators(section, 1.0).iter().fold(0.0, |m, g| max(m, g[1] * w[0] + g[2] * w[1]));
            // 720 directions miss the best one by at most 1 − cos(0.25°) = 1e-5
            prop_assert!(most <= support(section, w) + 1e-12);
            prop_assert!(support(section, w) <= most * (1.0 + 1e-5) + 1e-12);
        }
    }

    #[test]
    fn corner_cases_of_zero_friction() {
        let polygons = (4..=16_u8).map(Section::Polygon);
        for section in [Section::Disc, Section::Diamond].into_iter().chain(polygons) {
            assert_eq!(project_cone(section, 0.0, [-1.0, 0.0, 0.0]), [0.0; 3]);
            assert_eq!(project_cone(section, 0.0, [-1.0, 0.5, 0.5]), [0.0; 3]);
            assert_eq!(project_cone(section, 0.0, [2.0, 0.5, 0.5]), [2.0, 0.0, 0.0]);
            assert_eq!(project_cone(section, 0.0, [2.0, 0.0, 0.0]), [2.0, 0.0, 0.0]);
            assert_eq!(project_section(section, 0.0, [0.5, 0.5]), [0.0, 0.0]);
        }
    }
}
