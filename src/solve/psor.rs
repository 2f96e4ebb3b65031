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
use crate::rows::{Block, GROUND, Row, next_block_mut};

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
        let gamma = row.gamma;
        add_response(v, row, gamma);
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
pub(super) fn sweep<R: Real>(v: &mut [Vec6<R>], rows: &mut [Row<R>], model: FrictionModel) -> R {
    let mut twice_energy = R::ZERO;
    let mut lead = R::ZERO;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        let (row, lo, hi, leads) = match block {
            Block::Interval { row, lo, hi } => (row, lo, hi, true),
            Block::Friction { row, mu } => {
                let bound = mu * lead.abs();
                (row, -bound, bound, false)
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let moved = match model {
                    FrictionModel::Ccp => sweep_ccp(v, [n, t1, t2], |gamma| project_cone(section, mu, gamma)),
                    FrictionModel::Ncp => {
                        sweep_ncp(v, [n, t1, t2], |normal, gamma| project_section(section, mu * normal, gamma))
                    }
                };
                twice_energy += moved;
                lead = n.gamma;
                continue;
            }
        };
        let w = row_velocity(v, row);
        let gamma = clamp(row.gamma - row.step * w, lo, hi);
        let change = gamma - row.gamma;
        row.gamma = gamma;
        add_response(v, row, change);
        twice_energy += row.diagonal * change * change;
        if leads {
            lead = gamma;
        }
    }
    twice_energy * R::from_f64(0.5)
}

/// Three rows together onto the cone.
#[inline(always)]
fn sweep_ccp<R: Real>(v: &mut [Vec6<R>], [n, t1, t2]: [&mut Row<R>; 3], project: impl Fn([R; 3]) -> [R; 3]) -> R {
    let gamma = project([
        n.gamma - n.step * row_velocity(v, n),
        t1.gamma - t1.step * row_velocity(v, t1),
        t2.gamma - t2.step * row_velocity(v, t2),
    ]);
    let mut moved = R::ZERO;
    for (row, gamma) in [n, t1, t2].into_iter().zip(gamma) {
        let change = gamma - row.gamma;
        row.gamma = gamma;
        add_response(v, row, change);
        moved += row.diagonal * change * change;
    }
    moved
}

/// Normal first, then both tangents onto the section its new impulse allows.
#[inline(always)]
fn sweep_ncp<R: Real>(v: &mut [Vec6<R>], [n, t1, t2]: [&mut Row<R>; 3], project: impl Fn(R, [R; 2]) -> [R; 2]) -> R {
    let normal = max(n.gamma - n.step * row_velocity(v, n), R::ZERO);
    let change = normal - n.gamma;
    n.gamma = normal;
    add_response(v, n, change);
    let mut moved = n.diagonal * change * change;

    let gamma = project(normal, [t1.gamma - t1.step * row_velocity(v, t1), t2.gamma - t2.step * row_velocity(v, t2)]);
    for (row, gamma) in [t1, t2].into_iter().zip(gamma) {
        let change = gamma - row.gamma;
        row.gamma = gamma;
        add_response(v, row, change);
        moved += row.diagonal * change * change;
    }
    moved
}

/// `w_i = E_i v − e_i + c_i γ_i`
#[inline(always)]
pub(super) fn row_velocity<R: Real>(v: &[Vec6<R>], row: &Row<R>) -> R {
    let mut w = row.c * row.gamma - row.e;
    if let Some(va) = v.get(usize::from(row.a)) {
        w += row.ea.dot(*va);
    }
    if row.b != GROUND
        && let Some(vb) = v.get(usize::from(row.b))
    {
        w += row.eb.dot(*vb);
    }
    w
}

/// `v += s_i Δγ`
#[inline(always)]
fn add_response<R: Real>(v: &mut [Vec6<R>], row: &Row<R>, change: R) {
    if let Some(va) = v.get_mut(usize::from(row.a)) {
        *va = *va + row.sa * change;
    }
    if row.b != GROUND
        && let Some(vb) = v.get_mut(usize::from(row.b))
    {
        *vb = *vb + row.sb * change;
    }
}
