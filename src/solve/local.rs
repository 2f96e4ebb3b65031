//! A contact by itself: its own block `N_ii + diag(c)`, factorised once, and the impulses that solve its law while all others stay.
//!
//! ```text
//! N_ii + diag(c) = L D Lᵀ          rows n, t1, t2
//! stick   γ' = γ − (L D Lᵀ)⁻¹ w     w = 0 afterwards; the answer if γ' is in the cone, in either model
//! slide   ncp: the normal row by itself, then both tangents onto the section of its new impulse
//!         ccp: no impulse if the velocity without it is in the dual cone, else on the cone's boundary, the direction by one step of Newton's method a sweep;
//!         pyramid: projected gradient steps of length 1/λ_max. All a fixed number
//! ```
//! Everything happens on six numbers: bodies are read once before and written once after.

use super::admissible::{project_cone, project_section};
use crate::math::{Real, Sym3, Vec3, max};
use crate::rows::{Row, Section};

/// Projected gradient steps of a contact with a pyramid that slides, `ccp`.
const STEPS: usize = 8;

/// What a contact on its cone is computed to, in units in the last place of its normal impulse.
const ROUNDING: f64 = 4.0;

/// A pivot is at least this many units in the last place of its diagonal element. Larger pivots are shorter steps: safe.
const LEAST_PIVOT: f64 = 64.0;

/// What solves a contact by itself.
#[derive(Clone, Copy)]
pub(super) struct Local<R> {
    /// below the diagonal of `L`: 21, 31, 32
    l: [R; 3],
    /// `1/D`
    inverse: [R; 3],
    /// mean of the diagonal: the `a` of its energy error
    mean: R,
    /// `N_12`, between the tangents
    n12: R,
}

/// `N_ii + diag(c)` of one contact.
pub(super) fn own_block<R: Real>(n: &Row<R>, t1: &Row<R>, t2: &Row<R>) -> Sym3<R> {
    // of the same bodies: nothing to look up
    let couple = |i: &Row<R>, j: &Row<R>| {
        if n.pushes_only {
            i.ea.linear.dot(j.ea.linear) + i.eb.linear.dot(j.eb.linear)
        } else {
            i.ea.dot(j.ea) + i.eb.dot(j.eb)
        }
    };
    Sym3 { xx: n.diagonal, yy: t1.diagonal, zz: t2.diagonal, xy: couple(n, t1), xz: couple(n, t2), yz: couple(t1, t2) }
}

impl<R: Real> Local<R> {
    pub(super) fn new(own: &Sym3<R>) -> Self {
        let least = R::from_f64(LEAST_PIVOT) * R::EPSILON;
        let i1 = R::ONE / own.xx;
        let (l21, l31) = (own.xy * i1, own.xz * i1);
        let d2 = max(own.yy - l21 * own.xy, least * own.yy);
        let i2 = R::ONE / d2;
        let l32 = (own.yz - l31 * own.xy) * i2;
        let d3 = max(own.zz - l31 * own.xz - l32 * l32 * d2, least * own.zz);
        let mean = own.trace() / R::from_f64(3.0);
        Self { l: [l21, l31, l32], inverse: [i1, i2, R::ONE / d3], mean, n12: own.yz }
    }

    /// Into the tangents' rows.
    pub(super) fn store(self, t1: &mut Row<R>, t2: &mut Row<R>) {
        let Self { l: [l21, l31, l32], inverse: [i1, i2, i3], mean, n12 } = self;
        (t1.numbers, t1.aside) = ([l21, l31], [i1, i2]);
        (t2.numbers, t2.aside) = ([l32, i3], [mean, n12]);
    }

    /// Out of the tangents' rows.
    #[inline(always)]
    pub(super) fn load(t1: &Row<R>, t2: &Row<R>) -> Self {
        let ([l21, l31], [l32, i3], [i1, i2], [mean, n12]) = (t1.numbers, t2.numbers, t1.aside, t2.aside);
        Self { l: [l21, l31, l32], inverse: [i1, i2, i3], mean, n12 }
    }

    /// `a`: mean of the diagonal. 1/kg
    #[inline(always)]
    pub(super) fn mean(&self) -> R {
        self.mean
    }

    /// `γ' = γ − (L D Lᵀ)⁻¹ w`
    #[inline(always)]
    pub(super) fn stick(&self, [g0, g1, g2]: [R; 3], [w0, w1, w2]: [R; 3]) -> [R; 3] {
        let ([l21, l31, l32], [i1, i2, i3]) = (self.l, self.inverse);
        let y1 = w1 - l21 * w0;
        let y2 = w2 - l31 * w0 - l32 * y1;
        let x2 = i3 * y2;
        let x1 = i2 * y1 - l32 * x2;
        let x0 = i1 * w0 - l21 * x1 - l31 * x2;
        [g0 - x0, g1 - x1, g2 - x2]
    }

    /// `N_n1`, `N_n2`
    #[inline(always)]
    fn normal_couplings(&self, n: &Row<R>) -> [R; 2] {
        [self.l[0] * n.diagonal, self.l[1] * n.diagonal]
    }

    /// Normal first, then both tangents.
    #[inline(always)]
    pub(super) fn slide_ncp(
        &self,
        n: &Row<R>,
        t1: &Row<R>,
        section: Section,
        mu: R,
        gamma: [R; 3],
        w: [R; 3],
    ) -> [R; 3] {
        let ([g0, g1, g2], [w0, w1, w2]) = (gamma, w);
        let normal = max(g0 - n.step * w0, R::ZERO);
        let change = normal - g0;
        let [n1, n2] = self.normal_couplings(n);
        let tangents = [g1 - t1.step * (w1 + n1 * change), g2 - t1.step * (w2 + n2 * change)];
        let [x1, x2] = project_section(section, mu * normal, tangents);
        [normal, x1, x2]
    }

    /// All three together.
    #[inline(always)]
    pub(super) fn slide_ccp(
        &self,
        (n, t1, t2): (&Row<R>, &Row<R>, &Row<R>),
        section: Section,
        mu: R,
        gamma: [R; 3],
        w: [R; 3],
    ) -> [R; 3] {
        let [xy, xz] = self.normal_couplings(n);
        let own = Sym3 { xx: n.diagonal, yy: t1.diagonal, zz: t2.diagonal, xy, xz, yz: self.n12 };
        match section {
            Section::Disc => on_cone(&own, n.step, mu, gamma, w),
            Section::Diamond | Section::Polygon(_) => descend(section, &own, n.step, mu, gamma, w),
        }
    }
}

/// On the boundary of the cone, `γ = s u` with `u = (1, μ cos φ, μ sin φ)`: for any φ the best s is `−q·u / u·Nu`, q being the velocity without this
/// contact's impulse; φ by a step of Newton's method.
#[inline(never)]
fn on_cone<R: Real>(own: &Sym3<R>, step: R, mu: R, gamma: [R; 3], w: [R; 3]) -> [R; 3] {
    let half = R::from_f64(0.5);
    let ([g0, g1, g2], [w0, w1, w2]) = (gamma, w);
    let own_velocity = *own * Vec3::new(g0, g1, g2);
    let q = [w0 - own_velocity.x, w1 - own_velocity.y, w2 - own_velocity.z];
    let [q0, q1, q2] = q;
    // in the dual cone: no impulse at all
    if q0 >= R::ZERO && mu * mu * (q1 * q1 + q2 * q2) - q0 * q0 <= R::ZERO {
        return [R::ZERO; 3];
    }
    // the direction of a gradient step, unless the cone rises there
    let [mut cos, mut sin] = direction([g1 - step * w1, g2 - step * w2]);
    if q0 + mu * (q1 * cos + q2 * sin) >= R::ZERO {
        [cos, sin] = direction([-q1, -q2]);
    }
    let Ray { s, inverse, m1, m2 } = Ray::new(own, mu, q, [cos, sin]);
    let (v1, v2) = (q1 + s * m1, q2 + s * m2);
    // across the direction, per μ s
    let slope = v2 * cos - v1 * sin;
    let across = m2 * cos - m1 * sin;
    let own_across = own.yy * sin * sin + own.zz * cos * cos - (own.yz + own.yz) * sin * cos;
    // positive near the solution: the velocity opposes the impulse
    let curvature = mu * s * (own_across - across * across * inverse) - (v1 * cos + v2 * sin);
    let turn = if curvature > slope.abs() {
        slope / curvature
    } else if slope > R::ZERO {
        R::ONE
    } else {
        -R::ONE
    };
    // by 2 atan(turn/2): a rotation without a root
    let h = half * turn;
    let k = R::ONE / (R::ONE + h * h);
    let (c, d) = ((R::ONE - h * h) * k, turn * k);
    [cos, sin] = [cos * c + sin * d, sin * c - cos * d];
    let mut ray = Ray::new(own, mu, q, [cos, sin]);
    if ray.s <= R::ZERO {
        // turned too far, to where the cone rises: against the velocity it falls, or no impulse would be the answer
        [cos, sin] = direction([-q1, -q2]);
        ray = Ray::new(own, mu, q, [cos, sin]);
    }
    let s = ray.s;
    let [x1, x2] = [mu * s * cos, mu * s * sin];
    // no further than it rounds: at rest, so that the end of the iteration shows
    let slack = R::from_f64(ROUNDING) * R::EPSILON * s;
    let near = |x: R, g: R, slack: R| (x - g).abs() <= slack;
    if near(s, g0, slack) && near(x1, g1, mu * slack) && near(x2, g2, mu * slack) { gamma } else { [s, x1, x2] }
}

/// The cone's boundary in one direction.
struct Ray<R> {
    /// `−q·u / u·Nu`, at least 0
    s: R,
    /// `1 / u·Nu`
    inverse: R,
    /// `(N u)_1`
    m1: R,
    /// `(N u)_2`
    m2: R,
}

impl<R: Real> Ray<R> {
    #[inline(always)]
    fn new(own: &Sym3<R>, mu: R, [q0, q1, q2]: [R; 3], [cos, sin]: [R; 2]) -> Self {
        let least = R::from_f64(LEAST_PIVOT) * R::EPSILON;
        let (u1, u2) = (mu * cos, mu * sin);
        let m0 = own.xx + own.xy * u1 + own.xz * u2;
        let m1 = own.xy + own.yy * u1 + own.yz * u2;
        let m2 = own.xz + own.yz * u1 + own.zz * u2;
        let inverse = R::ONE / max(m0 + m1 * u1 + m2 * u2, least * own.xx);
        Self { s: max(-(q0 + q1 * u1 + q2 * u2), R::ZERO) * inverse, inverse, m1, m2 }
    }
}

/// The unit vector this way.
#[inline(always)]
fn direction<R: Real>([x, y]: [R; 2]) -> [R; 2] {
    // on the scale of the larger: squares of small numbers lose their digits before they vanish
    let larger = max(x.abs(), y.abs());
    let (x, y) = (x / larger, y / larger);
    let inverse = R::ONE / (x * x + y * y).sqrt();
    if inverse > R::ZERO { [x * inverse, y * inverse] } else { [R::ONE, R::ZERO] }
}

/// Projected gradient steps of length `step` onto the pyramid.
#[inline(never)]
fn descend<R: Real>(section: Section, own: &Sym3<R>, step: R, mu: R, gamma: [R; 3], w: [R; 3]) -> [R; 3] {
    let ([g0, g1, g2], [w0, w1, w2]) = (gamma, w);
    let mut x = gamma;
    for _ in 0..STEPS {
        let v = *own * Vec3::new(x[0] - g0, x[1] - g1, x[2] - g2);
        let [v0, v1, v2] = [w0 + v.x, w1 + v.y, w2 + v.z];
        x = project_cone(section, mu, [x[0] - step * v0, x[1] - step * v1, x[2] - step * v2]);
    }
    x
}
