//! One row of the problem, and the blocks in which rows are solved together.
//!
//! A row that leads decides its impulse by itself (an interval) or with the two tangent rows that follow it (a contact). Friction
//! rows, each by itself or two together, follow the row whose impulse bounds them and never lead. So one walk from front to back
//! meets everything it needs in order.

use crate::error::Error;
use crate::math::{Real, Vec3, Vec6};
use core::hint::black_box;

/// One row as its author writes it: the velocity `E_a v_a + E_b v_b` is asked to be `target_velocity`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RowInput<R> {
    /// `E_a`: the row's velocity per velocity of the first body.
    pub jacobian_a: Vec6<R>,
    /// `E_b`: the row's velocity per velocity of the second body; of no effect when that is the ground.
    pub jacobian_b: Vec6<R>,
    /// `e`: the velocity the row asks for. m/s (rad/s for a purely angular row)
    pub target_velocity: R,
    /// `c ≥ 0`: how far the row gives way, in m/s per N·s. 0 is rigid. 1/kg
    pub compliance: R,
}

impl<R: Real> RowInput<R> {
    /// A rigid row that asks for velocity zero.
    pub const fn new(jacobian_a: Vec6<R>, jacobian_b: Vec6<R>) -> Self {
        Self { jacobian_a, jacobian_b, target_velocity: R::ZERO, compliance: R::ZERO }
    }

    /// The velocity along `direction` of a point of body a relative to the same point of body b; arms (m) go from each
    /// body's centre of mass to the point.
    pub fn at_point(direction: Vec3<R>, arm_a: Vec3<R>, arm_b: Vec3<R>) -> Self {
        Self::new(Vec6::along(direction, arm_a), -Vec6::along(direction, arm_b))
    }

    /// Normal and two tangent rows of a contact point, for [`Problem::add_contact`](crate::Problem::add_contact). The unit
    /// vector `normal` points from b to a.
    ///
    /// ```
    /// use tumble::{math::Vec3, rows::RowInput};
    /// let [n, t1, t2] = RowInput::contact(Vec3::new(0.0_f32, 0.0, 1.0), Vec3::new(0.0, 0.0, -0.01), Vec3::default());
    /// assert_eq!(n.jacobian_a.linear.z, 1.0);
    /// assert_eq!((t1.jacobian_a.linear.x, t2.jacobian_a.linear.y), (1.0, 1.0));
    /// ```
    pub fn contact(normal: Vec3<R>, arm_a: Vec3<R>, arm_b: Vec3<R>) -> [Self; 3] {
        let (t1, t2) = normal.tangents();
        let row = |direction: Vec3<R>| Self::at_point(direction, arm_a, arm_b);
        [row(normal), row(t1), row(t2)]
    }

    /// Why no row can be made of it.
    #[cold]
    fn refusal(&self, has_b: bool, Unusable { e, diagonal }: Unusable<R>) -> Error {
        if !(self.jacobian_a.is_finite() && (!has_b || self.jacobian_b.is_finite())) {
            Error::NonFinite("jacobian")
        } else if !self.target_velocity.is_finite() {
            Error::NonFinite("target_velocity")
        } else if !self.compliance.is_finite() {
            Error::NonFinite("compliance")
        } else if self.compliance < R::ZERO {
            Error::Negative("compliance")
        } else if !e.is_finite() {
            Error::NonFinite("E v_free")
        } else if !diagonal.is_finite() {
            Error::NonFinite("g + c")
        } else {
            Error::NonPositive("g + c")
        }
    }
}

/// Which impulses a single row may take.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Admissible<R> {
    /// Any impulse: a joint.
    Bilateral,
    /// `γ ≥ 0`: a frictionless contact, a stop.
    Unilateral,
    /// `lo ≤ γ ≤ hi`, N·s; either may be infinite: a motor with a force limit.
    Bounded {
        /// Least impulse. N·s
        lo: R,
        /// Largest impulse. N·s
        hi: R,
    },
    /// `|γ| ≤ mu · |γ_lead|`, the lead being the last row added that is not friction itself (of a contact: its normal
    /// row), with its impulse as it is at that moment: box, spinning or joint friction. Where two such rows are one friction
    /// that has no favourite direction, as against rolling, see
    /// [`Problem::add_friction_pair`](crate::Problem::add_friction_pair).
    Friction {
        /// Coefficient ≥ 0. (1, or m for spinning friction)
        mu: R,
    },
}

impl<R: Real> Admissible<R> {
    /// As stored, its numbers checked.
    pub(crate) fn set(self) -> Result<Set<R>, Error> {
        match self {
            Self::Bilateral => Ok(Set::Interval { lo: -R::INFINITY, hi: R::INFINITY }),
            Self::Unilateral => Ok(Set::Interval { lo: R::ZERO, hi: R::INFINITY }),
            Self::Bounded { lo, hi } => interval(lo, hi),
            Self::Friction { mu } => Ok(Set::Friction { mu: coefficient(mu)? }),
        }
    }
}

/// Friction of a contact: which tangential impulses its normal impulse allows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Friction<R> {
    /// Coulomb's cone `√(γ_1² + γ_2²) ≤ mu γ_n`.
    Cone {
        /// Coefficient of friction ≥ 0.
        mu: R,
    },
    /// The pyramid with its four edges along ±t1 and ±t2: `|γ_1| + |γ_2| ≤ mu γ_n` (Hart 2007, slides 37–40).
    Pyramid {
        /// Coefficient of friction ≥ 0.
        mu: R,
    },
    /// The pyramid over a regular polygon whose corners lie on Coulomb's circle, the first along t1: inside the cone, and the nearer to it the more corners
    /// (a side of sixteen is at least 0.98 mu γ_n out).
    Polygon {
        /// Coefficient of friction ≥ 0.
        mu: R,
        /// Corners, 4 to 16.
        corners: u8,
    },
    /// Each tangent by itself, `|γ_1|, |γ_2| ≤ mu γ_n`, with the current normal impulse: the same under both friction models.
    Box {
        /// Coefficient of friction ≥ 0.
        mu: R,
    },
}

/// `K_i` as its author gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Set<R> {
    /// `lo ≤ γ ≤ hi`
    Interval { lo: R, hi: R },
    /// `|γ| ≤ mu |γ_lead|`
    Friction { mu: R },
    /// Normal row of a contact with a cone; two tangent rows follow.
    Cone { mu: R },
    /// Normal row of a contact with a pyramid; two tangent rows follow.
    Pyramid { mu: R },
    /// Normal row of a contact with a pyramid over a polygon; two tangent rows follow.
    Polygon { mu: R, corners: u8 },
    /// Second or third row of a contact, second row of a pair.
    Tangent,
    /// First of two rows with `√(γ_1² + γ_2²) ≤ mu |γ_lead|`; one tangent row follows.
    Disc { mu: R },
}

impl<R: Real> Set<R> {
    /// A second or third row.
    pub(crate) const TANGENT: Self = Self::Tangent;

    /// As stored with each row: what it is, and its numbers.
    #[inline(always)]
    fn stored(self) -> (Kind, [R; 2]) {
        match self {
            Self::Interval { lo, hi } => (Kind::Interval, [lo, hi]),
            Self::Friction { mu } => (Kind::Friction, [mu, R::ZERO]),
            Self::Cone { mu } => (Kind::Cone, [mu, R::ZERO]),
            Self::Pyramid { mu } => (Kind::Pyramid, [mu, R::ZERO]),
            Self::Polygon { mu, corners } => (Kind::Polygon(corners), [mu, R::ZERO]),
            Self::Tangent => (Kind::Tangent, [R::ZERO; 2]),
            Self::Disc { mu } => (Kind::Disc, [mu, R::ZERO]),
        }
    }
}

/// What a row is: a [`Set`] without its numbers. Apart from them, so that whoever knows the kind reads numbers without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Interval,
    Friction,
    Cone,
    Pyramid,
    Polygon(u8),
    Tangent,
    Disc,
}

/// Index of the body that is none.
pub(crate) const GROUND: u16 = u16::MAX;

/// What answers an impulse: some body's `G`, with `M⁻¹ = G Gᵀ`.
pub(crate) trait MassRoot<R> {
    /// `Ē = E G` of one half row.
    fn scaled(&self, half: Vec6<R>) -> Vec6<R>;
    /// `G z`
    fn unscaled(&self, z: Vec6<R>) -> Vec6<R>;
}

/// One end of a row.
pub(crate) struct End<'a, R, G> {
    /// Index of its body.
    pub(crate) body: u16,
    pub(crate) root: &'a G,
    pub(crate) v_free: &'a Vec6<R>,
}

/// What comes of numbers that are too extreme for a row: its `ē` and `g + c`.
pub(crate) struct Unusable<R> {
    e: R,
    diagonal: R,
}

impl<R: Real> Unusable<R> {
    /// All its numbers are some, but nothing it does could move anything.
    pub(crate) fn moves_nothing(&self) -> bool {
        self.e.is_finite() && self.diagonal == R::ZERO
    }
}

/// One row with everything a sweep needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<R> {
    /// `Ē_i`, half of the first body
    pub(crate) ea: Vec6<R>,
    /// `Ē_i`, half of the second body; zero for the ground
    pub(crate) eb: Vec6<R>,
    /// index of the first body
    pub(crate) a: u16,
    /// index of the second body, or `GROUND`
    pub(crate) b: u16,
    /// `ē_i = e_i − E_i v_free`
    pub(crate) e: R,
    /// `c_i`
    pub(crate) c: R,
    /// `g_i + c_i`, the row's own element of `N + diag(c)`
    pub(crate) diagonal: R,
    /// `ω/(g_i + c_i)`, or what the step rule of a block says; written by `prepare`
    pub(crate) step: R,
    /// `γ_i`
    pub(crate) gamma: R,
    pub(crate) kind: Kind,
    /// made of ends that nothing turns: its angular halves are zero. Of a contact's normal row: all three are, and it is with the ground, or tied
    pub(crate) pushes_only: bool,
    /// numbers of its set: `lo, hi`, or `mu` and, of a contact, what `prepare` leaves there; of a contact's tangent: a share of what solves it by itself
    pub(crate) numbers: [R; 2],
    /// `γ_i` of the best iterate so far
    pub(crate) best: R,
    /// `γ_i` after the last sweep and the one before it
    pub(crate) past: [R; 2],
    /// of a lead: what the last two sweeps changed; of a contact's tangent: a share of what solves it by itself
    pub(crate) aside: [R; 2],
}

impl<R: Real> Row<R> {
    /// As its author writes it.
    pub(crate) fn new<G: MassRoot<R>>(
        a: &End<'_, R, G>,
        b: Option<&End<'_, R, G>>,
        input: &RowInput<R>,
        set: Set<R>,
    ) -> Result<Self, Error> {
        let RowInput { jacobian_a, jacobian_b, target_velocity, compliance } = input;
        let row = Self::between((a, jacobian_a), b.map(|b| (b, jacobian_b)), *target_velocity, *compliance, set);
        row.map_err(|unusable| input.refusal(b.is_some(), unusable))
    }

    /// Precompute `Ē_i`, `ē_i` and `g_i` (Tasora 2006, Alg. 4.1, first line) of ends and their halves `E`.
    // inlined where it is stored: handed on as a result, a row would be copied on the way
    #[inline(always)]
    pub(crate) fn between<G: MassRoot<R>>(
        (a, jacobian_a): (&End<'_, R, G>, &Vec6<R>),
        b: Option<(&End<'_, R, G>, &Vec6<R>)>,
        target_velocity: R,
        c: R,
        set: Set<R>,
    ) -> Result<Self, Unusable<R>> {
        let ea = a.root.scaled(*jacobian_a);
        let mut e = target_velocity - jacobian_a.dot(*a.v_free);
        let (b, eb) = match b {
            Some((b, jacobian_b)) => {
                e -= jacobian_b.dot(*b.v_free);
                (b.body, b.root.scaled(*jacobian_b))
            }
            None => (GROUND, Vec6::ZERO),
        };
        Self::of((a.body, ea), (b, eb), (e, ea.dot(ea) + eb.dot(eb), c), set, false)
    }

    /// The same of ends that nothing turns, along directions: arms have no part in it.
    #[inline(always)]
    pub(crate) fn pushing<G: MassRoot<R>>(
        (a, along_a): (&End<'_, R, G>, Vec3<R>),
        b: Option<(&End<'_, R, G>, Vec3<R>)>,
        target_velocity: R,
        c: R,
        set: Set<R>,
    ) -> Result<Self, Unusable<R>> {
        // black_box: to store nine numbers is cheaper than to call who clears memory
        let zero = black_box(R::ZERO);
        let still = Vec3::new(zero, zero, zero);
        let push = |linear: Vec3<R>| Vec6::new(linear, still);
        let ea = a.root.scaled(push(along_a)).linear;
        let mut e = target_velocity - along_a.dot(a.v_free.linear);
        let mut g = ea.dot(ea);
        let (b, eb) = match b {
            Some((b, along_b)) => {
                e -= along_b.dot(b.v_free.linear);
                let eb = b.root.scaled(push(along_b)).linear;
                g += eb.dot(eb);
                (b.body, eb)
            }
            None => (GROUND, still),
        };
        Self::of((a.body, push(ea)), (b, push(eb)), (e, g, c), set, true)
    }

    #[inline(always)]
    fn of(
        (a, ea): (u16, Vec6<R>),
        (b, eb): (u16, Vec6<R>),
        (e, g, c): (R, R, R),
        set: Set<R>,
        pushes_only: bool,
    ) -> Result<Self, Unusable<R>> {
        let diagonal = g + c;
        let step = R::ONE / diagonal;
        // 0 x is no number where x is not finite, and what is not finite in the input is not in these either
        let nothing = R::ZERO * e + R::ZERO * diagonal + R::ZERO * step;
        // a diagonal of zero: nothing this row does could move anything
        if !(nothing == R::ZERO && diagonal > R::ZERO && c >= R::ZERO) {
            return Err(Unusable { e, diagonal });
        }
        let (gamma, best, past, aside) = (R::ZERO, R::ZERO, [R::ZERO; 2], [R::ZERO; 2]);
        let (kind, numbers) = set.stored();
        Ok(Self { ea, eb, a, b, e, c, diagonal, step, gamma, kind, pushes_only, numbers, best, past, aside })
    }

    /// Does it decide its impulse by itself?
    pub(crate) fn leads(&self) -> bool {
        matches!(self.kind, Kind::Interval | Kind::Cone | Kind::Pyramid | Kind::Polygon(_))
    }

    /// Of a contact's normal row: how many times the first body's linear half of each of its three rows is the second's, if it is one number and
    /// no row gives way; else, and of the ground, 0. Of a contact between rigid bodies it is `−√(m_a/m_b)`.
    pub(crate) fn tie(&self) -> R {
        self.numbers[1]
    }

    /// Find out, and whether it only pushes.
    pub(crate) fn set_tie(&mut self, t1: &Self, t2: &Self) {
        if self.b != GROUND {
            self.find_tie(t1, t2);
        }
        let one = self.b == GROUND || self.tie() != R::ZERO;
        self.pushes_only &= one && t1.pushes_only && t2.pushes_only;
    }

    fn find_tie(&mut self, t1: &Self, t2: &Self) {
        let (a, b) = (self.ea.linear, self.eb.linear);
        let tie = a.dot(b) / a.dot(a);
        let rounding = R::from_f64(8.0) * R::EPSILON;
        let tied = |row: &Self| {
            let off = row.eb.linear - row.ea.linear * tie;
            row.c == R::ZERO && off.dot(off) <= rounding * rounding * row.eb.linear.dot(row.eb.linear)
        };
        // of box friction the normal is an interval, whose numbers are its bounds
        if matches!(self.kind, Kind::Cone | Kind::Pyramid | Kind::Polygon(_)) {
            self.numbers[1] = if tied(self) && tied(t1) && tied(t2) { tie } else { R::ZERO };
        }
    }

    /// Of a contact's normal row in the exact solver: what friction adds to its velocity. m/s
    pub(crate) fn shift(&self) -> R {
        self.aside[0]
    }

    /// Set it.
    pub(crate) fn set_shift(&mut self, shift: R) {
        self.aside[0] = shift;
    }

    /// `N_ij = Ē_i Ē_jᵀ` of two rows, over the bodies they share.
    pub(crate) fn couple(&self, other: &Self) -> R {
        // the ground's halves are zero: it may count as shared
        let half = |body: u16| {
            if body == other.a {
                other.ea
            } else if body == other.b {
                other.eb
            } else {
                Vec6::ZERO
            }
        };
        self.ea.dot(half(self.a)) + self.eb.dot(half(self.b))
    }
}

fn interval<R: Real>(lo: R, hi: R) -> Result<Set<R>, Error> {
    // x != x only for NaN
    #[allow(clippy::eq_op)]
    if lo != lo {
        return Err(Error::NonFinite("lo"));
    }
    #[allow(clippy::eq_op)]
    if hi != hi {
        return Err(Error::NonFinite("hi"));
    }
    if lo > hi || lo == R::INFINITY || hi == -R::INFINITY {
        return Err(Error::EmptyInterval);
    }
    Ok(Set::Interval { lo, hi })
}

/// A coefficient of friction, checked.
pub(crate) fn coefficient<R: Real>(mu: R) -> Result<R, Error> {
    if !mu.is_finite() {
        return Err(Error::NonFinite("mu"));
    }
    if mu < R::ZERO {
        return Err(Error::Negative("mu"));
    }
    if !(mu * mu).is_finite() {
        return Err(Error::OutOfRange("mu"));
    }
    Ok(mu)
}

/// Rows that are solved together.
pub(crate) enum Block<Row, R> {
    /// One row and its interval.
    Interval { row: Row, lo: R, hi: R },
    /// One row bounded by `mu` times the lead's impulse.
    Friction { row: Row, mu: R },
    /// Normal and two tangents of a contact.
    Contact { n: Row, t1: Row, t2: Row, mu: R, section: Section },
    /// Two rows bounded together by `mu` times the lead's impulse.
    Disc { r1: Row, r2: Row, mu: R },
}

/// What a contact's friction set looks like at a given normal impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Section {
    /// `√(γ_1² + γ_2²) ≤ mu γ_n`
    Disc,
    /// `|γ_1| + |γ_2| ≤ mu γ_n`
    Diamond,
    /// A regular polygon of so many corners on the circle of radius `mu γ_n`.
    Polygon(u8),
}

impl Section {
    /// How many corners it has; none if it is round.
    pub(crate) const fn corners(self) -> Option<u8> {
        match self {
            Self::Disc => None,
            Self::Diamond => Some(4),
            Self::Polygon(corners) => Some(corners),
        }
    }
}

macro_rules! block_walk {
    ($(#[$doc:meta])* $name:ident, $split:ident $(, $mutable:tt)?) => {
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<'a, R: Real>(rest: &mut &'a $($mutable)? [Row<R>]) -> Option<Block<&'a $($mutable)? Row<R>, R>> {
            let (row, after) = core::mem::take(rest).$split()?;
            let [mu, _] = row.numbers;
            let section = match row.kind {
                Kind::Interval => {
                    *rest = after;
                    let [lo, hi] = row.numbers;
                    return Some(Block::Interval { row, lo, hi });
                }
                Kind::Friction => {
                    *rest = after;
                    return Some(Block::Friction { row, mu });
                }
                Kind::Cone => Section::Disc,
                Kind::Pyramid => Section::Diamond,
                Kind::Polygon(corners) => Section::Polygon(corners),
                Kind::Disc => {
                    let (r2, after) = after.$split()?;
                    *rest = after;
                    return Some(Block::Disc { r1: row, r2, mu });
                }
                // a tangent without the row before it: the constructors never store one
                Kind::Tangent => return None,
            };
            let (t1, after) = after.$split()?;
            let (t2, after) = after.$split()?;
            *rest = after;
            Some(Block::Contact { n: row, t1, t2, mu, section })
        }
    };
}
block_walk!(
    /// Take the next block off the front of `rest`.
    next_block,
    split_first
);
block_walk!(
    /// Take the next block off the front of `rest`, to change it.
    next_block_mut,
    split_first_mut,
    mut
);
