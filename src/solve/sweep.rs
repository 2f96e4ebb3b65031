//! The sweep: every block of rows in turn (Tasora 2006, Alg. 4.1).
//!
//! ```text
//! z    = Σ Ē_iᵀ γ_i                        v = v_free + G z
//! w_i  = Ē_i z − ē_i + c_i γ_i             m/s
//! γ_i' = P_K(γ_i − ω/(g_i + c_i) · w_i)    N·s
//! z   += Ē_iᵀ (γ_i' − γ_i)
//! ```
//! Accelerated methods start every row from a mixture of what the last sweeps made of it, of which bodies have theirs already (`mixture`).
//!
//! A contact is one block. `Method::Psor`, `ccp`: the three rows together, one step size, onto the cone. `ncp`: the normal row, then both
//! tangents together onto the section of radius `μ γ_n'`; where nothing moves any more, `0 ≤ γ_n ⊥ w_n ≥ 0` and `γ_t` opposes
//! `w_t` as strongly as it may, which is Coulomb's law and De Saxcé's form of it. All other methods: see `local`. A friction pair is one
//! block in either: both rows together onto the disc of radius `μ |γ_lead'|`.

use super::FrictionModel;
use super::admissible::{project_cone, project_section, within_cone};
use super::budget::Watch;
use super::joined::{
    Bodies, Joined, OnGround, One, OnePushed, Pair, PushedOnGround, PushedPair, Tied, TiedPair, Two, TwoPushed,
};
use super::local::Local;
use super::mixture::Mixture;
use super::state::Change;
use crate::math::{Real, clamp, max};
use crate::rows::{Block, GROUND, Row, Section, next_block_mut};
use core::hint::black_box;

/// After so many blocks, and one more, comes a look at the clock.
pub(super) const BLOCKS_A_LOOK: usize = 4;
/// Rows between two looks at the clock, at most: a block has three.
pub(super) const ROWS_A_LOOK: usize = 3 * (BLOCKS_A_LOOK + 1);

/// What a sweep adds up.
#[derive(Clone, Copy)]
pub(super) struct Sums<R> {
    /// Running estimate of the energy error: `½ a |Δγ|²` of each block at the moment it was visited, which for ω = 1 inside its bounds
    /// is its energy error then. Leads that are remembered are part of `square` already. J
    pub(super) estimate: R,
    /// `Σ (g + c) f²` over leads, f being what the sweep changed
    pub(super) square: R,
    /// `Σ (g + c) f f'` over leads, f' being what the last sweep changed, and the one before it
    pub(super) with_past: [R; 2],
}

impl<R: Real> Sums<R> {
    /// A lead's part; its memory moves on.
    #[inline(always)]
    fn remember<const MIXES: bool>(&mut self, lead: &mut Row<R>, change: R) {
        let weighted = lead.diagonal * change;
        self.square += weighted * change;
        if !MIXES {
            return;
        }
        let [last, before] = lead.aside;
        self.with_past[0] += weighted * last;
        self.with_past[1] += weighted * before;
        lead.aside = [change, last];
    }
}

/// One sweep over all rows; `None` when time runs out on the way.
///
/// `REMEMBER`: contacts are solved by themselves, and leads add to the sums. `MIXES`: rows start from a mixture, and sums are those of Anderson's method; else from where
/// they are, and memories stay as they are. `PUSHES`: all rows are of contacts that only push; a sweep of its own, because who has both kernels has registers for neither.
#[inline(never)]
pub(super) fn sweep<R: Real, const REMEMBER: bool, const MIXES: bool, const PUSHES: bool>(
    changes: &mut [Change<R>],
    rows: &mut [Row<R>],
    model: FrictionModel,
    mixture: Mixture<R>,
    watch: &mut Watch<'_, '_>,
) -> Option<Sums<R>> {
    let mut sums = Sums { estimate: R::ZERO, square: R::ZERO, with_past: [R::ZERO; 2] };
    let mut twice_energy = R::ZERO;
    let mut lead = R::ZERO;
    let mut rest = rows;
    let mut until_look = BLOCKS_A_LOOK;
    let begin = |row: &mut Row<R>| if MIXES { mixture.begin(row) } else { row.gamma };
    while let Some(block) = next_block_mut(&mut rest) {
        twice_energy += match block {
            Block::Interval { row, lo, hi } => {
                let before = begin(row);
                let moved = update(changes, row.a, row.b, RowUpdate { row, before, lo, hi })?;
                lead = row.gamma;
                if REMEMBER {
                    sums.remember::<MIXES>(row, lead - before);
                    R::ZERO
                } else {
                    moved
                }
            }
            Block::Friction { row, mu } => {
                let (before, bound) = (begin(row), mu * lead.abs());
                update(changes, row.a, row.b, RowUpdate { row, before, lo: -bound, hi: bound })?
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let before = [begin(n), begin(t1), begin(t2)];
                let contact = Contact { n: &mut *n, t1, t2, before, mu, section };
                // cones have a kernel of their own: nothing asks for their section in there
                let moved = if section == Section::Disc && PUSHES {
                    update_pushing(changes, Contact { section: Section::Disc, ..contact }, model)
                } else if section == Section::Disc {
                    update_contact::<R, REMEMBER>(changes, Contact { section: Section::Disc, ..contact }, model)
                } else {
                    update_pyramid::<R, REMEMBER>(changes, contact, model)
                }?;
                lead = n.gamma;
                if REMEMBER {
                    sums.remember::<MIXES>(n, lead - before[0]);
                }
                moved
            }
            Block::Disc { r1, r2, mu } => {
                let (before, radius) = ([begin(r1), begin(r2)], mu * lead.abs());
                update(changes, r1.a, r1.b, DiscUpdate { r1, r2, before, radius })?
            }
        };
        // at the end, where all paths meet: in front of the match it would branch twice
        if let Some(left) = until_look.checked_sub(1) {
            until_look = left;
        } else if !rest.is_empty() && watch.expired() {
            return None;
        } else {
            until_look = BLOCKS_A_LOOK;
        }
    }
    // a benchmark leaves out what adds up for the estimate alone, to see what that costs
    let twice_energy = match cfg!(tumble_without_estimate) {
        true if REMEMBER => R::ZERO,
        true => R::ONE,
        false => twice_energy,
    };
    sums.estimate = (twice_energy + sums.square) * R::from_f64(0.5);
    Some(sums)
}

/// `z += Ē_iᵀ γ_i`: the impulses of a block of rows felt for the first time.
pub(super) fn respond<R: Real, const N: usize>(changes: &mut [Change<R>], rows: [&Row<R>; N]) {
    if let Some(row) = rows.first() {
        let _nothing = update(changes, row.a, row.b, Respond { rows });
    }
}

/// The same of a contact, of which nothing turns if it only pushes.
pub(super) fn respond_contact<R: Real>(changes: &mut [Change<R>], rows: [&Row<R>; 3]) {
    let [n, ..] = rows;
    if !n.pushes_only {
        return respond(changes, rows);
    }
    let pushing = || rows.into_iter().filter(|row| row.gamma != R::ZERO);
    if let Some(change) = changes.get_mut(usize::from(n.a)) {
        change.z.linear = pushing().fold(change.z.linear, |z, row| z + row.ea.linear * row.gamma);
    }
    // of the ground there is none
    if let Some(change) = changes.get_mut(usize::from(n.b)) {
        change.z.linear = pushing().fold(change.z.linear, |z, row| z + row.eb.linear * row.gamma);
    }
}

/// One block's turn. Returns `a |Δγ|²`, a being what stands for the `g + c` of its rows; of a contact by itself without its lead's.
trait Update<R: Real> {
    fn run<B: Bodies<R>>(self, bodies: B) -> R;
}

/// `z += Ē_iᵀ γ_i`
struct Respond<'a, R, const N: usize> {
    rows: [&'a Row<R>; N],
}

/// A row by itself.
struct RowUpdate<'a, R> {
    row: &'a mut Row<R>,
    before: R,
    lo: R,
    hi: R,
}

/// Three rows that are one contact.
struct Contact<'a, R> {
    n: &'a mut Row<R>,
    t1: &'a mut Row<R>,
    t2: &'a mut Row<R>,
    /// impulses to start from
    before: [R; 3],
    mu: R,
    section: Section,
}

/// Plain, three rows together onto the cone.
struct PsorCcp<'a, R>(Contact<'a, R>);

/// Plain, normal first, then both tangents onto the section its new impulse allows.
struct PsorNcp<'a, R>(Contact<'a, R>);

/// Solved by itself.
struct ByItself<'a, R>(Contact<'a, R>, FrictionModel);

/// Two rows together onto a disc.
struct DiscUpdate<'a, R> {
    r1: &'a mut Row<R>,
    r2: &'a mut Row<R>,
    before: [R; 2],
    radius: R,
}

impl<R: Real, const N: usize> Update<R> for Respond<'_, R, N> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let mut z = bodies.pick_up();
        for row in self.rows.iter().filter(|row| row.gamma != R::ZERO) {
            z.respond(row, row.gamma);
        }
        bodies.put_down(z);
        R::ZERO
    }
}

impl<R: Real> Update<R> for RowUpdate<'_, R> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let mut z = bodies.pick_up();
        let Self { row, before, lo, hi } = self;
        let gamma = clamp(before - row.step * z.row_velocity(row, before), lo, hi);
        let change = z.set_impulse(row, before, gamma);
        bodies.put_down(z);
        row.diagonal * change * change
    }
}

impl<R: Real> Update<R> for PsorCcp<'_, R> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let mut z = bodies.pick_up();
        let Contact { n, t1, t2, before: [g0, g1, g2], mu, section } = self.0;
        let [normal, tangent1, tangent2] = project_cone(
            section,
            mu,
            [
                g0 - n.step * z.row_velocity(n, g0),
                g1 - t1.step * z.row_velocity(t1, g1),
                g2 - t2.step * z.row_velocity(t2, g2),
            ],
        );
        let d0 = z.set_impulse(n, g0, normal);
        let d1 = z.set_impulse(t1, g1, tangent1);
        let d2 = z.set_impulse(t2, g2, tangent2);
        bodies.put_down(z);
        n.diagonal * d0 * d0 + n.diagonal * d1 * d1 + n.diagonal * d2 * d2
    }
}

impl<R: Real> Update<R> for PsorNcp<'_, R> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let mut z = bodies.pick_up();
        let Contact { n, t1, t2, before: [g0, g1, g2], mu, section } = self.0;
        let normal = max(g0 - n.step * z.row_velocity(n, g0), R::ZERO);
        let d0 = z.set_impulse(n, g0, normal);
        let [tangent1, tangent2] = project_section(
            section,
            mu * normal,
            [g1 - t1.step * z.row_velocity(t1, g1), g2 - t2.step * z.row_velocity(t2, g2)],
        );
        let d1 = z.set_impulse(t1, g1, tangent1);
        let d2 = z.set_impulse(t2, g2, tangent2);
        bodies.put_down(z);
        n.diagonal * d0 * d0 + n.diagonal * d1 * d1 + n.diagonal * d2 * d2
    }
}

impl<R: Real> Update<R> for ByItself<'_, R> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let Self(Contact { n, t1, t2, before: [g0, g1, g2], mu, section }, model) = self;
        let z = bodies.pick_up();
        let w0 = z.row_velocity(n, g0);
        // apart and parting: tangents need no look
        if w0 >= R::ZERO && [g0, g1, g2] == [R::ZERO; 3] && model == FrictionModel::Ncp {
            (n.gamma, t1.gamma, t2.gamma) = (R::ZERO, R::ZERO, R::ZERO);
            return R::ZERO;
        }
        let (w1, w2) = (z.row_velocity(t1, g1), z.row_velocity(t2, g2));
        let local = Local::load(t1, t2);
        let stuck = local.stick([g0, g1, g2], [w0, w1, w2]);
        let [x0, x1, x2] = if within_cone(section, mu, stuck) {
            stuck
        } else {
            // in numbers, not in arrays: these would be in memory even for who sticks
            let [x0, x1, x2] = match model {
                FrictionModel::Ncp => local.slide_ncp(n, t1, section, mu, [g0, g1, g2], [w0, w1, w2]),
                FrictionModel::Ccp => local.slide_ccp((n, t1, t2), section, mu, [g0, g1, g2], [w0, w1, w2]),
            };
            [x0, x1, x2]
        };
        let (d0, d1, d2) = (x0 - g0, x1 - g1, x2 - g2);
        (n.gamma, t1.gamma, t2.gamma) = (x0, x1, x2);
        // black_box: twelve numbers in registers all the way would drive everything else onto the stack; to read them again is cheaper
        let bodies = black_box(bodies);
        let mut z = bodies.pick_up();
        z.respond(n, d0);
        z.respond(t1, d1);
        z.respond(t2, d2);
        bodies.put_down(z);
        // its lead is remembered
        local.mean() * (d1 * d1 + d2 * d2)
    }
}

impl<R: Real> Update<R> for DiscUpdate<'_, R> {
    #[inline(always)]
    fn run<B: Bodies<R>>(self, bodies: B) -> R {
        let mut z = bodies.pick_up();
        let Self { r1, r2, before: [g1, g2], radius } = self;
        let [first, second] = project_section(
            Section::Disc,
            radius,
            [g1 - r1.step * z.row_velocity(r1, g1), g2 - r2.step * z.row_velocity(r2, g2)],
        );
        let d1 = z.set_impulse(r1, g1, first);
        let d2 = z.set_impulse(r2, g2, second);
        bodies.put_down(z);
        r1.diagonal * d1 * d1 + r1.diagonal * d2 * d2
    }
}

/// Give the block its turn with bodies `a` and `b`. `None` if they are not there or are one: rows are not made of such.
#[inline(always)]
fn update<R: Real>(changes: &mut [Change<R>], a: u16, b: u16, block: impl Update<R>) -> Option<R> {
    Some(if b == GROUND {
        block.run(One(&mut changes.get_mut(usize::from(a))?.z))
    } else {
        let [a, b] = changes.get_disjoint_mut([usize::from(a), usize::from(b)]).ok()?;
        block.run(Two(&mut a.z, &mut b.z))
    })
}

/// The same with two bodies that are tied.
#[inline(always)]
fn update_tied<R: Real>(changes: &mut [Change<R>], a: u16, b: u16, tie: R, block: impl Update<R>) -> Option<R> {
    let [a, b] = changes.get_disjoint_mut([usize::from(a), usize::from(b)]).ok()?;
    Some(block.run(Tied(&mut a.z, &mut b.z, tie)))
}

/// A contact's turn.
#[inline(always)]
fn update_contact<R: Real, const BY_ITSELF: bool>(
    changes: &mut [Change<R>],
    contact: Contact<'_, R>,
    model: FrictionModel,
) -> Option<R> {
    let (a, b, tie) = (contact.n.a, contact.n.b, contact.n.tie());
    match (model, BY_ITSELF) {
        (FrictionModel::Ccp, false) => update(changes, a, b, PsorCcp(contact)),
        (FrictionModel::Ncp, false) => update(changes, a, b, PsorNcp(contact)),
        (model, true) if tie == R::ZERO => update(changes, a, b, ByItself(contact, model)),
        (model, true) => update_tied(changes, a, b, tie, ByItself(contact, model)),
    }
}

/// The turn of a contact by itself that only pushes.
#[inline(always)]
fn update_pushing<R: Real>(changes: &mut [Change<R>], contact: Contact<'_, R>, model: FrictionModel) -> Option<R> {
    let (a, b, tie) = (usize::from(contact.n.a), contact.n.b, contact.n.tie());
    Some(if b == GROUND {
        ByItself(contact, model).run(OnePushed(&mut changes.get_mut(a)?.z))
    } else {
        let [a, b] = changes.get_disjoint_mut([a, usize::from(b)]).ok()?;
        ByItself(contact, model).run(TwoPushed(&mut a.z, &mut b.z, tie))
    })
}

/// The same, of whichever section.
#[inline(never)]
fn update_pyramid<R: Real, const BY_ITSELF: bool>(
    changes: &mut [Change<R>],
    contact: Contact<'_, R>,
    model: FrictionModel,
) -> Option<R> {
    update_contact::<R, BY_ITSELF>(changes, contact, model)
}

/// `w_i = Ē_i z − ē_i + c_i γ_i` of any row, for a look at it.
#[inline(always)]
pub(crate) fn row_velocity<R: Real>(changes: &[Change<R>], row: &Row<R>) -> R {
    block_velocities(changes, [row]).map_or(R::ZERO, |[w]| w)
}

/// The same of rows that join the same bodies. `None` if they are not there: rows are not made of such.
#[inline(always)]
pub(super) fn block_velocities<R: Real, const N: usize>(changes: &[Change<R>], rows: [&Row<R>; N]) -> Option<[R; N]> {
    let z = |body: u16| changes.get(usize::from(body)).map(|change| change.z);
    let (a, b) = rows.first().map(|row| (row.a, row.b))?;
    Some(if b == GROUND {
        let z = OnGround { za: z(a)? };
        rows.map(|row| z.row_velocity(row, row.gamma))
    } else {
        let z = Pair { za: z(a)?, zb: z(b)? };
        rows.map(|row| z.row_velocity(row, row.gamma))
    })
}

/// The same of a contact, as the sweep sees it.
#[inline(always)]
pub(super) fn contact_velocities<R: Real>(changes: &[Change<R>], rows: [&Row<R>; 3]) -> Option<[R; 3]> {
    let [n, ..] = rows;
    let tie = n.tie();
    let z = |body: u16| changes.get(usize::from(body)).map(|change| change.z);
    Some(if n.pushes_only && n.b == GROUND {
        let z = PushedOnGround { za: z(n.a)?.linear };
        rows.map(|row| z.row_velocity(row, row.gamma))
    } else if n.pushes_only {
        let z = PushedPair::new(&z(n.a)?, &z(n.b)?, tie);
        rows.map(|row| z.row_velocity(row, row.gamma))
    } else if tie == R::ZERO {
        return block_velocities(changes, rows);
    } else {
        let z = TiedPair::new(&z(n.a)?, &z(n.b)?, tie);
        rows.map(|row| z.row_velocity(row, row.gamma))
    })
}
