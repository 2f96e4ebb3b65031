//! Any two convex solids: uphill to the direction that separates best.
//!
//! ```text
//! s(n) = min_{x ∈ a} n·x − max_{x ∈ b} n·x        a lower bound of the gap for every unit n; the gap is its maximum
//! step: move a by δ n so that s = τ, then n' = direction between the nearest points (GJK), and
//!       s(n') = d − δ n·n' ≥ s(n) + δ (1 − n·n') ≥ s(n)        because d ≥ s(n) + δ
//! ```
//! The bound only rises, apart or overlapping, and stays where n' = n: at a local maximum. τ = 4 √ε of the size keeps the nearest points' direction
//! good to √ε. [`STEPS`] steps of at most [`PASSES`] passes each. Two corners less than τ apart keep a direction between theirs
//! and the first: the gap is then too small by less than τ.
//!
//! Apart, there is only one maximum with s > 0 and no lower one within 90° of it. Overlapping, a lower maximum at the angle α from the best
//! has s ≥ s_best / cos α: what is missed is a part of the depth, so small where contacts are kept small; from [`DEEP`] on all directions are tried.

use super::hull::Hull;
use super::round_cylinder::Drum;
use super::{Frame, sign, unit_or};
use crate::math::{Real, Vec3};
use heapless::Vec;

/// Steps uphill.
const STEPS: usize = 4;
/// Passes of GJK in each.
const PASSES: usize = 24;

/// Overlap, as a part of the smaller width, from which every first direction is climbed from.
const DEEP: f64 = 0.02;

/// A convex solid by its farthest points.
pub(super) struct Solid<'a, R> {
    frame: Frame<R>,
    core: Core<'a, R>,
}

enum Core<'a, R> {
    /// Between ±half along the frame's z.
    Segment(R),
    Drum(Drum<R>),
    Cuboid(Vec3<R>),
    Hull(&'a Hull<'a, R>),
}

impl<'a, R: Real> Solid<'a, R> {
    pub(super) fn segment(frame: &Frame<R>, half_length: R) -> Self {
        Self { frame: *frame, core: Core::Segment(half_length) }
    }

    pub(super) fn drum(frame: &Frame<R>, drum: Drum<R>) -> Self {
        Self { frame: *frame, core: Core::Drum(drum) }
    }

    pub(super) fn cuboid(frame: &Frame<R>, half: Vec3<R>) -> Self {
        Self { frame: *frame, core: Core::Cuboid(half) }
    }

    pub(super) fn hull(hull: &'a Hull<'a, R>) -> Self {
        Self { frame: hull.frame, core: Core::Hull(hull) }
    }

    /// The point farthest along `direction`; the cap's centre where a whole cap is.
    pub(super) fn farthest(&self, direction: Vec3<R>) -> Vec3<R> {
        let l = self.frame.inward(direction);
        let x = match self.core {
            Core::Segment(half) => Vec3::new(R::ZERO, R::ZERO, half * sign(l.z)),
            Core::Drum(drum) => {
                let across = (l.x * l.x + l.y * l.y).sqrt();
                let rim = if across > R::EPSILON * l.z.abs() { drum.radius / across } else { R::ZERO };
                Vec3::new(l.x * rim, l.y * rim, drum.half_length * sign(l.z))
            }
            Core::Cuboid(half) => Vec3::new(half.x * sign(l.x), half.y * sign(l.y), half.z * sign(l.z)),
            Core::Hull(hull) => hull.farthest_within(l).1,
        };
        self.frame.point(x)
    }

    /// Largest distance from its centre. m
    fn radius(&self) -> R {
        match self.core {
            Core::Segment(half) => half,
            Core::Drum(drum) => (drum.radius * drum.radius + drum.half_length * drum.half_length).sqrt(),
            Core::Cuboid(half) => half.dot(half).sqrt(),
            Core::Hull(hull) => hull.radius,
        }
    }
}

/// s(n)
pub(super) fn separation<R: Real>(a: &Solid<'_, R>, b: &Solid<'_, R>, n: Vec3<R>) -> R {
    (a.farthest(-n) - b.farthest(n)).dot(n)
}

/// Where two solids are nearest, or overlap least.
pub(super) struct Nearest<R> {
    pub(super) normal: Vec3<R>,
    /// s(n), m
    pub(super) gap: R,
    pub(super) on_a: Vec3<R>,
    pub(super) on_b: Vec3<R>,
    /// Looks along a direction that it took to get here.
    pub(super) passes: u32,
}

/// Uphill from the best of these directions; overlapping by more than [`DEEP`] of `width`, from each of them.
pub(super) fn ascend_from<R: Real, const N: usize>(
    a: &Solid<'_, R>,
    b: &Solid<'_, R>,
    directions: [Vec3<R>; N],
    width: R,
    margin: R,
) -> Nearest<R> {
    ascend_from_known(a, b, directions.map(|direction| best_of(a, b, [direction])), width, margin)
}

/// As [`ascend_from`], from directions whose separations are known: what is not symmetric has no better sign.
pub(super) fn ascend_from_known<R: Real, const N: usize>(
    a: &Solid<'_, R>,
    b: &Solid<'_, R>,
    starts: [(Vec3<R>, R); N],
    width: R,
    margin: R,
) -> Nearest<R> {
    let (n, s) = starts.into_iter().fold((Vec3::new(R::ZERO, R::ZERO, R::ONE), -R::INFINITY), |best, start| {
        if start.1 > best.1 { start } else { best }
    });
    if s >= margin {
        return Nearest { normal: n, gap: s, on_a: a.farthest(-n), on_b: b.farthest(n), passes: 0 };
    }
    let mut best = ascend(a, b, n, s);
    let mut passes = best.passes;
    if best.gap < -R::from_f64(DEEP) * width {
        for (n, s) in starts {
            let other = ascend(a, b, n, s);
            passes = passes.saturating_add(other.passes);
            // clearly better: an exact first direction stays exact
            if other.gap > best.gap * R::from_f64(1.0 - 1e-3) {
                best = other;
            }
        }
    }
    Nearest { passes, ..best }
}

/// The direction that separates best, the first on a tie, and its separation.
pub(super) fn best_of<R: Real, const N: usize>(
    a: &Solid<'_, R>,
    b: &Solid<'_, R>,
    directions: [Vec3<R>; N],
) -> (Vec3<R>, R) {
    let mut best = (Vec3::new(R::ZERO, R::ZERO, R::ONE), -R::INFINITY);
    for direction in directions {
        // every solid here is symmetric about its centre: the sign towards a is the better one
        let n = direction * sign((a.frame.centre - b.frame.centre).dot(direction));
        let s = separation(a, b, n);
        if s > best.1 {
            best = (n, s);
        }
    }
    best
}

/// Uphill from direction `n` with separation `s`.
pub(super) fn ascend<R: Real>(a: &Solid<'_, R>, b: &Solid<'_, R>, n: Vec3<R>, s: R) -> Nearest<R> {
    let size = a.radius() + b.radius();
    let tau = R::from_f64(4.0) * R::EPSILON.sqrt() * size;
    let noise = R::from_f64(8.0) * R::EPSILON * size;
    let mut best = Nearest { normal: n, gap: s, on_a: a.farthest(-n), on_b: b.farthest(n), passes: 0 };
    let mut passes = 0;
    for step in 0..STEPS {
        let delta = if best.gap < tau { tau - best.gap } else { R::ZERO };
        let shift = best.normal * delta;
        let Some((normal, on_a, on_b)) = nearest(a, b, shift, best.normal, &mut passes) else { break };
        let gap = separation(a, b, normal);
        let gained = gap - best.gap;
        // more than rounding: an exact first direction stays exact
        if gained > noise {
            best = Nearest { normal, gap, on_a, on_b, passes };
        } else {
            if step == 0 {
                (best.on_a, best.on_b) = (on_a, on_b);
            }
            break;
        }
    }
    // both points along the normal through their middle: their distance is the gap, to the last step's change
    let half = R::from_f64(0.5);
    let middle = (best.on_a + best.on_b) * half;
    let reach = best.normal * (best.gap * half);
    Nearest { on_a: middle + reach, on_b: middle - reach, passes, ..best }
}

/// A corner of the simplex: x = x_a − x_b.
#[derive(Clone, Copy)]
struct Corner<R> {
    x: Vec3<R>,
    on_a: Vec3<R>,
    on_b: Vec3<R>,
    weight: R,
}

/// Direction between the nearest points of a, moved by `shift`, and b; and these points, a's moved back. (Gilbert, Johnson and Keerthi)
/// Counts its passes.
fn nearest<R: Real>(
    a: &Solid<'_, R>,
    b: &Solid<'_, R>,
    shift: Vec3<R>,
    n: Vec3<R>,
    passes: &mut u32,
) -> Option<(Vec3<R>, Vec3<R>, Vec3<R>)> {
    let corner = |direction: Vec3<R>| {
        let (on_a, on_b) = (a.farthest(-direction), b.farthest(direction));
        Corner { x: on_a + shift - on_b, on_a, on_b, weight: R::ONE }
    };
    let first = corner(n);
    let mut simplex: Vec<Corner<R>, 4> = Vec::new();
    let _ = simplex.push(first);
    let mut v = first.x;
    for _ in 0..PASSES {
        *passes = passes.saturating_add(1);
        let vv = v.dot(v);
        let w = corner(v);
        // |v|² − v·w bounds the error of |v|²
        if vv - v.dot(w.x) <= R::from_f64(16.0) * R::EPSILON * vv {
            break;
        }
        let (next, nearer) = reduce(&simplex, w);
        if nearer.dot(nearer) < vv {
            (simplex, v) = (next, nearer);
        } else {
            break;
        }
    }
    let (normal, length) = unit_or(v, n);
    let point = |of: fn(&Corner<R>) -> Vec3<R>| simplex.iter().fold(Vec3::default(), |sum, c| sum + of(c) * c.weight);
    (length > R::ZERO).then(|| (normal, point(|c| c.on_a), point(|c| c.on_b)))
}

/// The part of the simplex with `newest` that is nearest to the origin, at most a triangle, and its nearest point.
///
/// Every corner, edge and triangle with the newest corner is tried: slower than a decision tree, and no rounding leads it astray.
fn reduce<R: Real>(simplex: &Vec<Corner<R>, 4>, newest: Corner<R>) -> (Vec<Corner<R>, 4>, Vec3<R>) {
    let p = newest.x;
    let mut best = (p.dot(p), p, [(R::ONE, newest), (R::ZERO, newest), (R::ZERO, newest)]);
    let mut offer = |weights: [(R, Corner<R>); 3]| {
        let v = weights.iter().fold(Vec3::default(), |sum, (weight, c)| sum + c.x * *weight);
        if weights.iter().all(|(weight, _)| *weight >= R::ZERO) && v.dot(v) < best.0 {
            best = (v.dot(v), v, weights);
        }
    };
    let mut rest = simplex.as_slice();
    while let [q, others @ ..] = rest {
        // edge: p + β e, β = −p·e / e·e
        let e = q.x - p;
        let beta = -p.dot(e) / e.dot(e);
        offer([(R::ONE - beta, newest), (beta, *q), (R::ZERO, newest)]);
        for r in others {
            // triangle: p + β e + γ f, both from the areas seen from the origin
            let f = r.x - p;
            let m = e.cross(f);
            let mm = m.dot(m);
            let beta = m.dot(f.cross(p)) / mm;
            let gamma = m.dot(p.cross(e)) / mm;
            offer([(R::ONE - beta - gamma, newest), (beta, *q), (gamma, *r)]);
        }
        rest = others;
    }
    let mut kept = Vec::new();
    for (weight, corner) in best.2 {
        if weight > R::ZERO {
            let _ = kept.push(Corner { weight, ..corner });
        }
    }
    (kept, best.1)
}
