//! The ratio metric of two convex polyhedra. (Hart 2007)
//!
//! ```text
//! r = min { t : A scaled by t about its centre meets B scaled by t about its own }        ρ = (r − 1)/r
//!   = max over n of n·D / h(n)      D = c_a − c_b,  h(n) = max_{v ∈ B} n·v − min_{u ∈ A} n·u
//! ```
//! The linear program in four unknowns (x, t) with a row for every facet, solved from its dual: M = B − A, all differences v − u of corners, has
//! the reach h(n); the ray from the origin along D leaves M at D/r, through the triangle of three differences. So
//!
//! ```text
//! basis     three corner pairs q_i = v_i − u_i whose triangle the ray goes through, with weights μ_i ≥ 0: Σ μ_i q_i = D/r
//! price     n across the triangle; the pair w farthest along n, by a look at every corner, O(m_a + m_b)
//! stop      w no farther out than the triangle, up to rounding (or already in it)
//! exchange  w for the corner of the triangle without which the ray still goes through: 1/r never falls
//! ```
//! The pairs name the event: three corners of a facet against one corner, or two of an edge against two (or more, where faces lie flat on each other
//! and events coincide). Every triangle lies within M, so `r ≤` its ratio; every n bounds r and the gap from below: as soon as
//! `n·D − h(n)` reaches the margin nothing closer can be found. At most [`EXCHANGES`] exchanges; then both bounds hold still.
//!
//! Three points well inside M start it: they cannot be part of an optimal triangle. No warm start: what touched a step ago names a basis for corners and
//! edges, but seldom for flat contacts, and those are the ones that last; it would save about two fifths of such a pair. Coincident centres have no ray: that along a's z, and ρ is
//! as low as 1 − 1/ε².
//!
//! Everything is measured in parts of the sum of both radii: slivers of millimetre parts do not underflow.

use super::hull::Hull;
use super::{Frame, unit_or};
use crate::math::{Pose, Real, Vec3, max};
use crate::shape::Polyhedron;

/// Exchanges, at most. Random pairs take 6 with 8 facets each and 12 with 120; none in the tests takes more than 22.
pub(super) const EXCHANGES: u32 = 64;

/// A corner of a and one of b, by their numbers.
pub(super) type Pair = [u8; 2];

/// How far two polyhedra are from touching, as a ratio and along a direction.
#[derive(Clone, Copy, Debug)]
pub struct Ratio<R> {
    /// Scale at which they touch: above 1 apart, below 1 overlapping, 0 for coincident centres.
    pub r: R,
    /// (r − 1)/r, never below 1 − 1/ε².
    pub rho: R,
    /// Where they touch, scaled by r. m
    pub point: Vec3<R>,
    /// Direction of the dual solution, a unit vector from b to a.
    pub normal: Vec3<R>,
    /// How far the normal separates them; a bound of their distance from below. m
    pub gap: R,
    /// The corners that touch, scaled by r; none where it was cut short.
    pub(super) pairs: Option<[Pair; 3]>,
    /// Exchanges, and a look at all corners for each and one more.
    pub exchanges: u32,
}

/// A point of M, in parts of the size.
#[derive(Clone, Copy)]
struct Corner<R> {
    q: Vec3<R>,
    /// Seen along the ray.
    flat: [R; 2],
    /// Of what corners it is the difference; none for a point to start from.
    pair: Option<Pair>,
}

/// Twice the area of the triangle with the ray, positive counter-clockwise.
fn area<R: Real>(p: &Corner<R>, q: &Corner<R>) -> R {
    p.flat[0] * q.flat[1] - p.flat[1] * q.flat[0]
}

/// The ratio metric of two polyhedra.
///
/// At most 64 exchanges, each with a look at every corner; never panics.
///
/// ```
/// use tumble::collide::ratio;
/// use tumble::math::{Pose, Vec3};
/// use tumble::shape::{Facet, Polyhedron};
/// # use tumble::shape::Edge;
/// # let v = |i: u8| Vec3::from([1, 2, 4].map(|bit| if i & bit == 0 { -1.0 } else { 1.0 }));
/// # let n = |x: f64, y: f64, z: f64, first: u16| Facet { normal: Vec3::new(x, y, z), offset: 1.0, first, corners: 4 };
/// # let vertices = Box::leak(Box::new([0, 1, 2, 3, 4, 5, 6, 7].map(v)));
/// # let facets = Box::leak(Box::new([n(-1., 0., 0., 0), n(1., 0., 0., 4), n(0., -1., 0., 8), n(0., 1., 0., 12),
/// #     n(0., 0., -1., 16), n(0., 0., 1., 20)]));
/// # let cube = Polyhedron { vertices, facets, rims: &[0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6],
/// #     edges: &[], volume: 8.0, moments: Vec3::new(1.0, 1.0, 1.0), radius: 1.7321 };
/// // two cubes of 2 m, their centres 4 m apart: both grow to twice their size before they touch
/// let found = ratio(&cube, &Pose::at(Vec3::new(0.0, 0.0, 4.0)), &cube, &Pose::IDENTITY);
/// assert_eq!((found.r, found.rho, found.gap), (2.0, 0.5, 2.0));
/// ```
pub fn ratio<R: Real>(a: &Polyhedron<R>, pose_a: &Pose<R>, b: &Polyhedron<R>, pose_b: &Pose<R>) -> Ratio<R> {
    // measured from b's centre, as contacts are
    let near = Pose { position: pose_a.position - pose_b.position, orientation: pose_a.orientation };
    let here = Pose { position: Vec3::default(), orientation: pose_b.orientation };
    let (a, b) = (Hull::new(&Frame::new(&near), a), Hull::new(&Frame::new(&here), b));
    let found = of_hulls(&a, &b, R::INFINITY);
    Ratio { point: found.point + pose_b.position, ..found }
}

/// ρ of two polyhedra, unless they are found to be `margin` (m) apart before: then only normal and gap count.
pub(super) fn of_hulls<R: Real>(a: &Hull<'_, R>, b: &Hull<'_, R>, margin: R) -> Ratio<R> {
    let size = a.radius + b.radius;
    let scale = R::ONE / size;
    let d = (a.frame.centre - b.frame.centre) * scale;
    let (ray, distance) = unit_or(d, a.frame.z);
    let (t1, t2) = ray.tangents();
    let corner = |q: Vec3<R>, pair: Option<Pair>| Corner { q, flat: [q.dot(t1), q.dot(t2)], pair };

    // half of the ball that M holds
    let w = (a.width() + b.width()) * scale * R::from_f64(0.5);
    let mut basis = [t1 * w, (t2 - t1) * w, (-t1 - t2) * w].map(|q| corner(q, None));
    let tolerance = R::from_f64(8.0) * R::EPSILON;
    let (mut normal, mut gap) = (ray, -size);
    let mut exchanges = 0;
    let mut settled = false;
    for _ in 0..EXCHANGES {
        let [p, q, r] = basis;
        // a triangle without an area: what is known is known
        let Some(n) = across(q.q - p.q, r.q - p.q) else { break };
        let (i, u) = a.farthest(-n);
        let (j, v) = b.farthest(n);
        let w = corner((v - u) * scale, Some([i, j]));
        let reach = n.dot(w.q);
        (normal, gap) = (n, (n.dot(d) - reach) * size);
        settled = reach - n.dot(p.q) <= tolerance || basis.iter().any(|c| c.pair == w.pair);
        if settled || gap >= margin {
            break;
        }
        let [above_p, above_q, above_r] = [area(&w, &p), area(&w, &q), area(&w, &r)];
        basis = if above_p >= R::ZERO && above_q <= R::ZERO {
            [p, q, w]
        } else if above_q >= R::ZERO && above_r <= R::ZERO {
            [q, r, w]
        } else if above_r >= R::ZERO && above_p <= R::ZERO {
            [r, p, w]
        } else {
            // the ray along an edge, by rounding on neither side
            break;
        };
        exchanges = u32::saturating_add(exchanges, 1);
    }

    let [p, q, r] = basis;
    // a ray along the rim of the triangle is inside, by rounding outside
    let areas = [area(&q, &r), area(&r, &p), area(&p, &q)].map(|area| max(area, R::ZERO));
    let whole = areas[0] + areas[1] + areas[2];
    let weights = if whole > R::ZERO { areas.map(|area| area / whole) } else { [R::from_f64(1.0 / 3.0); 3] };
    let mut out = Vec3::default();
    let mut on_b = Vec3::default();
    for (c, weight) in basis.iter().zip(weights) {
        out = out + c.q * weight;
        on_b = on_b + c.pair.map_or(Vec3::default(), |[_, j]| b.vertex(j)) * weight;
    }
    let exit = out.dot(ray);
    let ratio = distance / exit;
    let pairs = match basis.map(|c| c.pair) {
        [Some(p), Some(q), Some(r)] if settled => Some([p, q, r]),
        _ => None,
    };
    Ratio {
        r: ratio,
        // (r − 1)/r, without the difference of large numbers
        rho: (distance - exit) / max(distance, exit * R::EPSILON * R::EPSILON),
        point: b.frame.centre + b.frame.outward(on_b) * ratio,
        normal,
        gap,
        pairs,
        exchanges,
    }
}

/// The unit vector across two sides of a triangle.
fn across<R: Real>(e: Vec3<R>, f: Vec3<R>) -> Option<Vec3<R>> {
    let cross = e.cross(f);
    let square = cross.dot(cross);
    // below, rounding has all of it
    let least = R::EPSILON * R::EPSILON;
    if square > least * least { cross.unit().map(|(normal, _)| normal) } else { None }
}
