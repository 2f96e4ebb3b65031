//! The unknowns of the pivoting method: one for each row, and three rays for each contact.
//!
//! ```text
//! γ = Σ_k β_k g_k,  β_k ≥ 0,   g_k = (1, μ cos φ_k, μ sin φ_k)       a cone or pyramid is what its rays span
//! w·g_k ≥ 0 ⊥ β_k ≥ 0                                                for every ray: w in the dual cone, γ·w = 0
//! ```
//! Three rays span any γ of a contact, and where three carry nothing moves: so three unknowns are enough, each any ray of the cone, taken and left as needed.

use crate::math::{Real, Vec6, max};
use crate::rows::{GROUND, Row, Section};
use crate::solve::polygon::{corner, farthest, neighbour};

/// What an unknown is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind<R> {
    /// A row with its bounds.
    Row,
    /// A ray of a contact: μ times its direction.
    Ray([R; 2]),
    /// One of six numbers of a body.
    Hub(u8),
}

/// One unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column<R> {
    pub(super) kind: Kind<R>,
    /// its row; of a ray that of its contact's normal
    pub(super) row: u16,
    pub(super) a: u16,
    pub(super) b: u16,
    /// `Ē`, half of each body
    pub(super) ea: Vec6<R>,
    pub(super) eb: Vec6<R>,
    /// compliance of the row; of a ray of normal and tangents
    pub(super) c: [R; 3],
    /// `g + c`
    pub(super) diagonal: R,
    pub(super) lo: R,
    pub(super) hi: R,
    /// impulse. N·s
    pub(super) gamma: R,
    /// velocity. m/s
    pub(super) w: R,
    /// it was left out at the last look, and misses its law
    pub(super) waits: bool,
}

impl<R: Real> Column<R> {
    /// Become a row by itself. In place: a column is too long to be copied for nothing.
    pub(super) fn set(&mut self, row: &Row<R>, index: u16, [lo, hi]: [R; 2]) {
        (self.kind, self.row, self.a, self.b) = (Kind::Row, index, row.a, row.b);
        (self.ea, self.eb) = (row.ea, row.eb);
        self.c = [row.c, R::ZERO, R::ZERO];
        self.diagonal = row.diagonal;
        (self.lo, self.hi) = (lo, hi);
        self.gamma = row.gamma;
        // if nothing carries
        self.w = -row.e;
    }

    /// One of a body's six numbers.
    pub(super) fn of_hub(body: u16, number: u8) -> Self {
        Self {
            kind: Kind::Hub(number),
            row: 0,
            a: body,
            b: GROUND,
            ea: Vec6::ZERO,
            eb: Vec6::ZERO,
            c: [R::ZERO; 3],
            diagonal: -R::ONE,
            lo: -R::INFINITY,
            hi: R::INFINITY,
            gamma: R::ZERO,
            w: R::ZERO,
            waits: false,
        }
    }

    /// Become the ray of this direction.
    pub(super) fn turn(&mut self, [n, t1, t2]: [&Row<R>; 3], mu: R, direction: [R; 2]) {
        let [d1, d2] = direction.map(|d| mu * d);
        self.kind = Kind::Ray([d1, d2]);
        self.ea = n.ea + t1.ea * d1 + t2.ea * d2;
        self.eb = n.eb + t1.eb * d1 + t2.eb * d2;
        self.c = [n.c, t1.c, t2.c];
        self.diagonal = self.ea.dot(self.ea) + self.eb.dot(self.eb) + self.yield_with(self);
    }

    /// Is it one of the six numbers of a body?
    pub(super) fn is_hub(&self) -> bool {
        matches!(self.kind, Kind::Hub(_))
    }

    fn is_ray(&self) -> bool {
        matches!(self.kind, Kind::Ray(_))
    }

    /// Where between its bounds? Strictly inside, it wants to be at rest.
    pub(super) fn is_inside(&self) -> bool {
        self.gamma > self.lo && self.gamma < self.hi
    }

    /// Element of the matrix between two unknowns; `is_hub`: bodies that are unknowns themselves.
    pub(super) fn element(&self, other: &Self, is_hub: &impl Fn(u16) -> bool) -> R {
        match (self.kind, other.kind) {
            (Kind::Hub(_), Kind::Hub(_)) => R::ZERO,
            (Kind::Hub(number), _) => other.half(self.a, number),
            (_, Kind::Hub(number)) => self.half(other.a, number),
            _ => {
                let half = |body: u16| {
                    if body == other.a {
                        other.ea
                    } else if body == other.b {
                        other.eb
                    } else {
                        Vec6::ZERO
                    }
                };
                let felt = |body: u16, own: Vec6<R>| if is_hub(body) { R::ZERO } else { own.dot(half(body)) };
                // the ground's halves are zero: it may count as shared
                let shared = felt(self.a, self.ea) + felt(self.b, self.eb);
                let one_contact = self.is_ray() && other.is_ray() && self.row == other.row;
                if one_contact { shared + self.yield_with(other) } else { shared }
            }
        }
    }

    /// Its own element, with δ; of a row that gives way by as much it is there already.
    pub(super) fn own_element(&self, is_hub: &impl Fn(u16) -> bool) -> R {
        let felt = |body: u16, own: Vec6<R>| if is_hub(body) { own.dot(own) } else { R::ZERO };
        let more = delta::<R>() * self.diagonal;
        let more = match self.kind {
            Kind::Hub(_) => return -R::ONE,
            Kind::Row => max(more - self.c[0], R::ZERO),
            Kind::Ray(_) => more,
        };
        self.diagonal + more - felt(self.a, self.ea) - felt(self.b, self.eb)
    }

    /// What two rays of one contact share of its compliance.
    fn yield_with(&self, other: &Self) -> R {
        let [c0, c1, c2] = self.c;
        match (self.kind, other.kind) {
            (Kind::Ray([x1, x2]), Kind::Ray([y1, y2])) => c0 + c1 * x1 * y1 + c2 * x2 * y2,
            _ => c0,
        }
    }

    fn half(&self, body: u16, number: u8) -> R {
        let half: [R; 6] = if body == self.a {
            self.ea.into()
        } else if body == self.b {
            self.eb.into()
        } else {
            return R::ZERO;
        };
        half.get(usize::from(number)).copied().unwrap_or(R::ZERO)
    }
}

/// δ: 1e-10 in double and 2e-5 in single precision. The larger, the more refinement; the smaller, the more rounding.
fn delta<R: Real>() -> R {
    R::from_f64(if R::EPSILON < R::from_f64(1e-10) { 1e-10 } else { 2e-5 })
}

/// The ray along which a contact's velocity is least: the one that would help most.
pub(super) fn steepest<R: Real>(section: Section, [w1, w2]: [R; 2]) -> [R; 2] {
    match section.corners() {
        None => {
            // on the scale of the larger: squares of small numbers vanish
            let larger = max(w1.abs(), w2.abs());
            let (x, y) = (w1 / larger, w2 / larger);
            let inverse = R::ONE / (x * x + y * y).sqrt();
            if inverse > R::ZERO { [-x * inverse, -y * inverse] } else { [R::ONE, R::ZERO] }
        }
        Some(corners) => corner(corners, farthest(corners, [-w1, -w2])),
    }
}

/// Up to three rays, each with its impulse, that make up γ, which is in the cone.
pub(super) fn rays<R: Real>(section: Section, mu: R, [n, t1, t2]: [R; 3]) -> [([R; 2], R); 3] {
    let none = ([R::ONE, R::ZERO], R::ZERO);
    let reach = mu * n;
    if n <= R::ZERO {
        return [none; 3];
    }
    if reach <= R::ZERO {
        return [([R::ONE, R::ZERO], n), none, none];
    }
    // on the section of size one
    let (x, y) = (t1 / reach, t2 / reach);
    match section.corners() {
        None => {
            let radius = (x * x + y * y).sqrt();
            let [c, s] = if radius > R::ZERO { [x / radius, y / radius] } else { [R::ONE, R::ZERO] };
            if radius >= R::ONE - R::from_f64(ON_CONE) * R::EPSILON {
                return [([c, s], n), none, none];
            }
            // a triangle with one corner this way
            let (half, root) = (R::from_f64(-0.5), R::from_f64(0.866_025_403_784_438_6));
            let third = n / R::from_f64(3.0);
            let (ahead, behind) = (third * (R::ONE + radius + radius), third * (R::ONE - radius));
            [
                ([c, s], ahead),
                ([half * c - root * s, half * s + root * c], behind),
                ([half * c + root * s, half * s - root * c], behind),
            ]
        }
        Some(corners) => {
            let at = farthest(corners, [x, y]);
            let [a1, a2] = corner::<R>(corners, at);
            let left = a1 * y - a2 * x >= R::ZERO;
            // the neighbour on its side, and the corner across the middle from both
            let next = neighbour(corners, at, left);
            let half = if left { corners.wrapping_add(1) } else { corners } / 2;
            let across = at.wrapping_add(half);
            let across = across.checked_sub(corners).unwrap_or(across);
            let ([b1, b2], [c1, c2]) = (corner::<R>(corners, next), corner::<R>(corners, across));
            // barycentric: areas of the three triangles
            let area = |[p1, p2]: [R; 2], [q1, q2]: [R; 2], [r1, r2]: [R; 2]| {
                ((q1 - p1) * (r2 - p2) - (q2 - p2) * (r1 - p1)).abs()
            };
            let (a, b, c, p) = ([a1, a2], [b1, b2], [c1, c2], [x, y]);
            let (of_a, of_b, of_c) = (area(p, b, c), area(a, p, c), area(a, b, p));
            let scale = n / (of_a + of_b + of_c);
            let small = R::from_f64(ON_CONE) * R::EPSILON * n;
            let share = |area: R| if area * scale > small { area * scale } else { R::ZERO };
            [(a, share(of_a)), (b, share(of_b)), (c, share(of_c))]
        }
    }
}

/// Nearer than so many roundings is on the boundary.
const ON_CONE: f64 = 16.0;
