//! Projected SOR (Tasora 2006, Alg. 4.1), plain.
//!
//! ```text
//! z    = Σ Ē_iᵀ γ_i                        v = v_free + G z
//! w_i  = Ē_i z − ē_i + c_i γ_i             m/s
//! γ_i' = P_K(γ_i − ω/(g_i + c_i) · w_i)    N·s
//! z   += Ē_iᵀ (γ_i' − γ_i)
//! ```
//!
//! A contact is one block. `ccp`: the three rows together, one step size, onto the cone. `ncp`: the normal row, then both
//! tangents together onto the section of radius `μ γ_n'`; where nothing moves any more, `0 ≤ γ_n ⊥ w_n ≥ 0` and `γ_t` opposes
//! `w_t` as strongly as it may, which is Coulomb's law and De Saxcé's form of it. A friction pair is one block in either: both rows
//! together onto the disc of radius `μ |γ_lead'|`.

use super::admissible::{project_cone, project_section, support};
use super::{FrictionModel, Settings, Start, StepRule};
use crate::math::{Real, Sym3, Vec6, clamp, max};
use crate::rows::{Block, GROUND, Row, Section, next_block_mut};

/// Largest `step · λ_max` that the safe rule allows; a projected step descends while it is below 2.
const SAFE: f64 = 1.5;

/// Write every row's step for these settings.
pub(super) fn prepare<R: Real>(rows: &mut [Row<R>], settings: &Settings<R>) {
    let (omega, safe) = (settings.omega, settings.step == StepRule::Safe);
    let mut lead: Option<Lead<'_, R>> = None;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        match block {
            Block::Interval { row, .. } => {
                row.step = omega / row.diagonal;
                lead = safe.then_some(Lead { row, friction: R::ZERO });
            }
            Block::Friction { row, mu } => {
                row.step = omega / row.diagonal;
                if let Some(lead) = &mut lead {
                    lead.drag(omega, mu * lead.row.couple(row).abs());
                }
            }
            Block::Disc { r1, r2, mu } => {
                r1.step = plane_step(r1, r2, omega, safe);
                r2.step = r1.step;
                if let Some(lead) = &mut lead {
                    lead.drag(omega, mu * support(Section::Disc, [lead.row.couple(r1), lead.row.couple(r2)]));
                }
            }
            Block::Contact { n, t1, t2, mu, section } => match settings.friction {
                FrictionModel::Ccp => {
                    let own = own_block(n, t1, t2);
                    let mean = own.trace() / R::from_f64(3.0);
                    let bound = omega * own.largest_eigenvalue_bound() / R::from_f64(SAFE);
                    n.step = omega / if safe { max(mean, bound) } else { mean };
                    (t1.step, t2.step) = (n.step, n.step);
                    // one step for three rows: it is not the normal's alone to change
                    lead = None;
                }
                FrictionModel::Ncp => {
                    t1.step = plane_step(t1, t2, omega, safe);
                    t2.step = t1.step;
                    n.step = omega / n.diagonal;
                    let friction = mu * support(section, [n.couple(t1), n.couple(t2)]);
                    lead = safe.then_some(Lead { row: n, friction: R::ZERO });
                    if let Some(lead) = &mut lead {
                        lead.drag(omega, friction);
                    }
                }
            },
        }
    }
}

/// The one step of two rows that are projected together.
fn plane_step<R: Real>(t1: &Row<R>, t2: &Row<R>, omega: R, safe: bool) -> R {
    // Gershgorin: the two are close to orthogonal, so this is close to λ_max
    let bound = max(t1.diagonal, t2.diagonal) + t1.couple(t2).abs();
    let mean = (t1.diagonal + t2.diagonal) / R::from_f64(2.0);
    omega / if safe { bound } else { mean }
}

/// A row whose impulse bounds friction.
///
/// Sliding friction follows its lead, `γ_t = ±μ γ_n`, so that the lead feels not `N_nn` but up to `N_nn + Σ μ |N_nt|` of itself. Where that is
/// more than `2 N_nn` the plain step goes back and forth for ever between too much and too little.
struct Lead<'a, R> {
    row: &'a mut Row<R>,
    /// `Σ μ |N_nt|` so far
    friction: R,
}

impl<R: Real> Lead<'_, R> {
    fn drag(&mut self, omega: R, friction: R) {
        self.friction += friction;
        let felt = self.row.diagonal + self.friction;
        self.row.step = omega / max(self.row.diagonal, omega * felt / R::from_f64(SAFE));
    }
}

/// `N_ii + diag(c)` of one contact.
fn own_block<R: Real>(n: &Row<R>, t1: &Row<R>, t2: &Row<R>) -> Sym3<R> {
    Sym3 { xx: n.diagonal, yy: t1.diagonal, zz: t2.diagonal, xy: n.couple(t1), xz: n.couple(t2), yz: t1.couple(t2) }
}

/// `γ = P_K(γ⁰)`, `z = Σ Ē_iᵀ γ_i`; `z` comes in as zero.
pub(super) fn warm_start<R: Real>(z: &mut [Vec6<R>], rows: &mut [Row<R>], start: Start) {
    if start == Start::Cold {
        rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
    }
    project(rows);
    for row in rows {
        update(z, row.a, row.b, Respond { row });
    }
}

/// The defined safe answer: `γ = P_K(0)`, `v = v_free`.
pub(super) fn fall_back<R: Real>(z: &mut [Vec6<R>], rows: &mut [Row<R>]) {
    start_again(z, rows);
    rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
    project(rows);
}

/// `v = v_free` for all bodies of these rows.
pub(crate) fn start_again<R: Real>(z: &mut [Vec6<R>], rows: &[Row<R>]) {
    for row in rows {
        for body in [row.a, row.b] {
            // the ground has no place
            if let Some(z) = z.get_mut(usize::from(body)) {
                *z = Vec6::ZERO;
            }
        }
    }
}

/// `γ = P_K(γ)`, row by row and contact by contact.
fn project<R: Real>(rows: &mut [Row<R>]) {
    let mut lead = R::ZERO;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        match block {
            Block::Interval { row, lo, hi } => {
                row.gamma = clamp(row.gamma, lo, hi);
                lead = row.gamma;
            }
            Block::Friction { row, mu } => {
                let bound = mu * lead.abs();
                row.gamma = clamp(row.gamma, -bound, bound);
            }
            Block::Contact { n, t1, t2, mu, section } => {
                [n.gamma, t1.gamma, t2.gamma] = project_cone(section, mu, [n.gamma, t1.gamma, t2.gamma]);
                lead = n.gamma;
            }
            Block::Disc { r1, r2, mu } => {
                [r1.gamma, r2.gamma] = project_section(Section::Disc, mu * lead.abs(), [r1.gamma, r2.gamma]);
            }
        }
    }
}

/// One sweep over all rows. Returns the running estimate of the energy error, `Σ (g + c)/2 Δγ²`: that of each row at the
/// moment it was visited, for ω = 1. J
#[inline(never)]
pub(super) fn sweep<R: Real>(z: &mut [Vec6<R>], rows: &mut [Row<R>], model: FrictionModel) -> R {
    let mut twice_energy = R::ZERO;
    let mut lead = R::ZERO;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        twice_energy += match block {
            Block::Interval { row, lo, hi } => {
                let moved = update(z, row.a, row.b, RowUpdate { row, lo, hi });
                lead = row.gamma;
                moved
            }
            Block::Friction { row, mu } => {
                let bound = mu * lead.abs();
                update(z, row.a, row.b, RowUpdate { row, lo: -bound, hi: bound })
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let moved = match model {
                    FrictionModel::Ccp => update(z, n.a, n.b, CcpUpdate { n, t1, t2, mu, section }),
                    FrictionModel::Ncp => update(z, n.a, n.b, NcpUpdate { n, t1, t2, mu, section }),
                };
                lead = n.gamma;
                moved
            }
            Block::Disc { r1, r2, mu } => {
                let radius = mu * lead.abs();
                update(z, r1.a, r1.b, DiscUpdate { r1, r2, radius })
            }
        };
    }
    twice_energy * R::from_f64(0.5)
}

/// One block's turn. Returns `Σ (g + c) Δγ²`.
trait Update<R: Real> {
    fn run(self, bodies: &mut impl Bodies<R>) -> R;
}

/// `z += Ē_iᵀ γ_i`: a row's impulse felt for the first time.
struct Respond<'a, R> {
    row: &'a Row<R>,
}

/// A row by itself.
struct RowUpdate<'a, R> {
    row: &'a mut Row<R>,
    lo: R,
    hi: R,
}

/// A contact, three rows together onto the cone.
struct CcpUpdate<'a, R> {
    n: &'a mut Row<R>,
    t1: &'a mut Row<R>,
    t2: &'a mut Row<R>,
    mu: R,
    section: Section,
}

/// A contact, normal first, then both tangents onto the section its new impulse allows.
struct NcpUpdate<'a, R> {
    n: &'a mut Row<R>,
    t1: &'a mut Row<R>,
    t2: &'a mut Row<R>,
    mu: R,
    section: Section,
}

/// Two rows together onto a disc.
struct DiscUpdate<'a, R> {
    r1: &'a mut Row<R>,
    r2: &'a mut Row<R>,
    radius: R,
}

impl<R: Real> Update<R> for Respond<'_, R> {
    #[inline(always)]
    fn run(self, bodies: &mut impl Bodies<R>) -> R {
        bodies.respond(self.row, self.row.gamma);
        R::ZERO
    }
}

impl<R: Real> Update<R> for RowUpdate<'_, R> {
    #[inline(always)]
    fn run(self, bodies: &mut impl Bodies<R>) -> R {
        let row = self.row;
        let gamma = clamp(row.gamma - row.step * bodies.row_velocity(row), self.lo, self.hi);
        bodies.set_impulse(row, gamma)
    }
}

impl<R: Real> Update<R> for CcpUpdate<'_, R> {
    #[inline(always)]
    fn run(self, bodies: &mut impl Bodies<R>) -> R {
        let Self { n, t1, t2, mu, section } = self;
        let [normal, tangent1, tangent2] = project_cone(
            section,
            mu,
            [
                n.gamma - n.step * bodies.row_velocity(n),
                t1.gamma - t1.step * bodies.row_velocity(t1),
                t2.gamma - t2.step * bodies.row_velocity(t2),
            ],
        );
        bodies.set_impulse(n, normal) + bodies.set_impulse(t1, tangent1) + bodies.set_impulse(t2, tangent2)
    }
}

impl<R: Real> Update<R> for NcpUpdate<'_, R> {
    #[inline(always)]
    fn run(self, bodies: &mut impl Bodies<R>) -> R {
        let Self { n, t1, t2, mu, section } = self;
        let normal = max(n.gamma - n.step * bodies.row_velocity(n), R::ZERO);
        let moved = bodies.set_impulse(n, normal);
        let [tangent1, tangent2] = project_section(
            section,
            mu * normal,
            [t1.gamma - t1.step * bodies.row_velocity(t1), t2.gamma - t2.step * bodies.row_velocity(t2)],
        );
        moved + bodies.set_impulse(t1, tangent1) + bodies.set_impulse(t2, tangent2)
    }
}

impl<R: Real> Update<R> for DiscUpdate<'_, R> {
    #[inline(always)]
    fn run(self, bodies: &mut impl Bodies<R>) -> R {
        let Self { r1, r2, radius } = self;
        let [first, second] = project_section(
            Section::Disc,
            radius,
            [r1.gamma - r1.step * bodies.row_velocity(r1), r2.gamma - r2.step * bodies.row_velocity(r2)],
        );
        bodies.set_impulse(r1, first) + bodies.set_impulse(r2, second)
    }
}

/// `z` of the bodies a block joins, held in registers while it is their turn.
trait Bodies<R: Real> {
    /// `w_i = Ē_i z − ē_i + c_i γ_i`
    fn row_velocity(&self, row: &Row<R>) -> R;

    /// `z += Ē_iᵀ Δγ`
    fn respond(&mut self, row: &Row<R>, change: R);

    /// `γ_i' = γ`, with its response. Returns `(g + c) Δγ²`.
    #[inline(always)]
    fn set_impulse(&mut self, row: &mut Row<R>, gamma: R) -> R {
        let change = gamma - row.gamma;
        row.gamma = gamma;
        self.respond(row, change);
        row.diagonal * change * change
    }
}

struct OnGround<R> {
    za: Vec6<R>,
}

struct Pair<R> {
    za: Vec6<R>,
    zb: Vec6<R>,
}

impl<R: Real> Bodies<R> for OnGround<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>) -> R {
        row.ea.dot(self.za) + (row.c * row.gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.za = self.za + row.ea * change;
    }
}

impl<R: Real> Bodies<R> for Pair<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>) -> R {
        row.ea.dot(self.za) + row.eb.dot(self.zb) + (row.c * row.gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.za = self.za + row.ea * change;
        self.zb = self.zb + row.eb * change;
    }
}

/// Load `z` of bodies `a` and `b`, give the block its turn, store them.
#[inline(always)]
fn update<R: Real>(z: &mut [Vec6<R>], a: u16, b: u16, block: impl Update<R>) -> R {
    if b == GROUND {
        let Some(slot) = z.get_mut(usize::from(a)) else { return R::ZERO };
        let mut bodies = OnGround { za: *slot };
        let moved = block.run(&mut bodies);
        *slot = bodies.za;
        moved
    } else {
        let (Some(&za), Some(&zb)) = (z.get(usize::from(a)), z.get(usize::from(b))) else { return R::ZERO };
        let mut bodies = Pair { za, zb };
        let moved = block.run(&mut bodies);
        if let Some(slot) = z.get_mut(usize::from(a)) {
            *slot = bodies.za;
        }
        if let Some(slot) = z.get_mut(usize::from(b)) {
            *slot = bodies.zb;
        }
        moved
    }
}

/// `w_i = Ē_i z − ē_i + c_i γ_i` of any row, for a look at it.
#[inline(always)]
pub(crate) fn row_velocity<R: Real>(z: &[Vec6<R>], row: &Row<R>) -> R {
    let change = |body: u16| z.get(usize::from(body)).copied().unwrap_or(Vec6::ZERO);
    if row.b == GROUND {
        OnGround { za: change(row.a) }.row_velocity(row)
    } else {
        Pair { za: change(row.a), zb: change(row.b) }.row_velocity(row)
    }
}
