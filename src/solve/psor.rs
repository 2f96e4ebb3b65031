//! Projected SOR (Tasora 2006, Alg. 4.1), plain.
//!
//! ```text
//! v    = v_free + Σ s_i γ_i
//! w_i  = E_i v − e_i + c_i γ_i            m/s
//! γ_i' = P_K(γ_i − ω/(g_i + c_i) · w_i)   N·s
//! v   += s_i (γ_i' − γ_i)
//! ```
//!
//! A contact is one block. `ccp`: the three rows together, one step size, onto the cone. `ncp`: the normal row, then both
//! tangents together onto the section of radius `μ γ_n'`; where nothing moves any more, `0 ≤ γ_n ⊥ w_n ≥ 0` and `γ_t` opposes
//! `w_t` as strongly as it may, which is Coulomb's law and De Saxcé's form of it.

use super::admissible::{project_cone, project_section};
use super::{FrictionModel, Settings, Start, StepRule};
use crate::math::{Real, Sym3, Vec6, clamp, max};
use crate::rows::{Block, GROUND, Row, Section, next_block_mut};

/// Write every row's step for these settings.
pub(super) fn prepare<R: Real>(rows: &mut [Row<R>], settings: &Settings<R>) {
    let omega = settings.omega;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        match block {
            Block::Interval { row, .. } | Block::Friction { row, .. } => row.step = omega / row.diagonal,
            Block::Contact { n, t1, t2, .. } => {
                let (normal, tangent) = match settings.friction {
                    FrictionModel::Ccp => {
                        let own = own_block(n, t1, t2);
                        let mean = own.trace() / R::from_f64(3.0);
                        let all = match settings.step {
                            // a projected step descends while step·λ_max < 2; the mean is faster where it keeps that
                            StepRule::Safe => max(mean, omega * own.largest_eigenvalue_bound() / R::from_f64(1.5)),
                            StepRule::Average => mean,
                        };
                        (all, all)
                    }
                    FrictionModel::Ncp => {
                        let both = match settings.step {
                            // Gershgorin: the two tangents are close to orthogonal, so this is close to λ_max
                            StepRule::Safe => max(t1.diagonal, t2.diagonal) + t1.couple(t2).abs(),
                            StepRule::Average => (t1.diagonal + t2.diagonal) / R::from_f64(2.0),
                        };
                        (n.diagonal, both)
                    }
                };
                n.step = omega / normal;
                t1.step = omega / tangent;
                t2.step = t1.step;
            }
        }
    }
}

/// `N_ii + diag(c)` of one contact.
fn own_block<R: Real>(n: &Row<R>, t1: &Row<R>, t2: &Row<R>) -> Sym3<R> {
    Sym3 { xx: n.diagonal, yy: t1.diagonal, zz: t2.diagonal, xy: n.couple(t1), xz: n.couple(t2), yz: t1.couple(t2) }
}

/// `γ = P_K(γ⁰)`, `v = v_free + Σ s_i γ_i`.
pub(super) fn warm_start<R: Real>(free: &[Vec6<R>], v: &mut [Vec6<R>], rows: &mut [Row<R>], start: Start) {
    v.iter_mut().zip(free).for_each(|(v, free)| *v = *free);
    if start == Start::Cold {
        rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
    }
    project(rows);
    for row in rows {
        update(v, row.a, row.b, Respond { row });
    }
}

/// The defined safe answer: `γ = P_K(0)`, `v = v_free`.
pub(super) fn fall_back<R: Real>(free: &[Vec6<R>], v: &mut [Vec6<R>], rows: &mut [Row<R>]) {
    v.iter_mut().zip(free).for_each(|(v, free)| *v = *free);
    rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
    project(rows);
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
        }
    }
}

/// One sweep over all rows. Returns the running estimate of the energy error, `Σ (g + c)/2 Δγ²`: that of each row at the
/// moment it was visited, for ω = 1. J
#[inline(never)]
pub(super) fn sweep<R: Real>(v: &mut [Vec6<R>], rows: &mut [Row<R>], model: FrictionModel) -> R {
    let mut twice_energy = R::ZERO;
    let mut lead = R::ZERO;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        twice_energy += match block {
            Block::Interval { row, lo, hi } => {
                let moved = update(v, row.a, row.b, RowUpdate { row, lo, hi });
                lead = row.gamma;
                moved
            }
            Block::Friction { row, mu } => {
                let bound = mu * lead.abs();
                update(v, row.a, row.b, RowUpdate { row, lo: -bound, hi: bound })
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let moved = match model {
                    FrictionModel::Ccp => update(v, n.a, n.b, CcpUpdate { n, t1, t2, mu, section }),
                    FrictionModel::Ncp => update(v, n.a, n.b, NcpUpdate { n, t1, t2, mu, section }),
                };
                lead = n.gamma;
                moved
            }
        };
    }
    twice_energy * R::from_f64(0.5)
}

/// One block's turn. Returns `Σ (g + c) Δγ²`.
trait Update<R: Real> {
    fn run(self, bodies: &mut impl Bodies<R>) -> R;
}

/// `v += s_i γ_i`: a row's impulse felt for the first time.
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

/// Velocities of the bodies a block joins, held in registers while it is their turn.
trait Bodies<R: Real> {
    /// `w_i = E_i v − e_i + c_i γ_i`
    fn row_velocity(&self, row: &Row<R>) -> R;

    /// `v += s_i Δγ`
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
    va: Vec6<R>,
}

struct Pair<R> {
    va: Vec6<R>,
    vb: Vec6<R>,
}

impl<R: Real> Bodies<R> for OnGround<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>) -> R {
        row.ea.dot(self.va) + (row.c * row.gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.va = self.va + row.sa * change;
    }
}

impl<R: Real> Bodies<R> for Pair<R> {
    #[inline(always)]
    fn row_velocity(&self, row: &Row<R>) -> R {
        row.ea.dot(self.va) + row.eb.dot(self.vb) + (row.c * row.gamma - row.e)
    }
    #[inline(always)]
    fn respond(&mut self, row: &Row<R>, change: R) {
        self.va = self.va + row.sa * change;
        self.vb = self.vb + row.sb * change;
    }
}

/// Load the velocities of bodies `a` and `b`, give the block its turn, store them.
#[inline(always)]
fn update<R: Real>(v: &mut [Vec6<R>], a: u16, b: u16, block: impl Update<R>) -> R {
    if b == GROUND {
        let Some(slot) = v.get_mut(usize::from(a)) else { return R::ZERO };
        let mut bodies = OnGround { va: *slot };
        let moved = block.run(&mut bodies);
        *slot = bodies.va;
        moved
    } else {
        let (Some(&va), Some(&vb)) = (v.get(usize::from(a)), v.get(usize::from(b))) else { return R::ZERO };
        let mut bodies = Pair { va, vb };
        let moved = block.run(&mut bodies);
        if let Some(slot) = v.get_mut(usize::from(a)) {
            *slot = bodies.va;
        }
        if let Some(slot) = v.get_mut(usize::from(b)) {
            *slot = bodies.vb;
        }
        moved
    }
}

/// `w_i = E_i v − e_i + c_i γ_i` of any row, for a look at it.
#[inline(always)]
pub(super) fn row_velocity<R: Real>(v: &[Vec6<R>], row: &Row<R>) -> R {
    let velocity = |body: u16| v.get(usize::from(body)).copied().unwrap_or(Vec6::ZERO);
    if row.b == GROUND {
        OnGround { va: velocity(row.a) }.row_velocity(row)
    } else {
        Pair { va: velocity(row.a), vb: velocity(row.b) }.row_velocity(row)
    }
}
