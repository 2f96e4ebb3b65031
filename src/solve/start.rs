//! Where an iteration begins: `γ = P_K(γ⁰)`, `z = Σ Ē_iᵀ γ_i`, the better of a warm and a cold start.

use super::admissible::{project_cone, project_section};
use super::budget::Watch;
use super::energy::{Certificate, at_rest};
use super::state::{Change, keep, restore};
use super::sweep::{BLOCKS_A_LOOK, respond, respond_contact};
use super::{Method, Settings, Start};
use crate::math::{Real, Vec6, clamp};
use crate::rows::{Block, Row, Section, next_block, next_block_mut};

/// Always done, whatever the time.
fn certify<R: Real>(changes: &[Change<R>], rows: &[Row<R>], settings: &Settings<R>) -> Certificate<R> {
    super::energy::certify(changes, rows, settings, &mut Watch::none()).unwrap_or(Certificate::NONE)
}

/// Begin with the impulses the rows hold or without any, whichever is nearer the solution; plain, as told.
pub(super) fn start<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>], settings: &Settings<R>) -> Certificate<R> {
    let warm = match settings.start {
        Start::Cold => None,
        Start::Warm | Start::Trusted => {
            begin(changes, rows);
            Some(certify(changes, rows, settings))
        }
    };
    if let (Some(warm), Method::Psor) = (warm, settings.method) {
        return warm;
    }
    // of a row that must push there is no state at rest; how much worse than warm it is does not matter
    let resting = at_rest(rows, settings, warm.map_or(R::INFINITY, |warm| warm.energy));
    match (warm, resting) {
        (Some(warm), Some(resting)) if warm.energy <= resting.energy => warm,
        (Some(warm), None) => {
            keep(changes, rows);
            begin_cold(changes, rows);
            let cold = certify(changes, rows, settings);
            if warm.energy <= cold.energy {
                restore(changes, rows);
                return warm;
            }
            cold
        }
        (_, Some(resting)) => {
            // admissible as it is
            changes.iter_mut().for_each(|change| change.z = Vec6::ZERO);
            rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
            resting
        }
        (None, None) => {
            begin_cold(changes, rows);
            certify(changes, rows, settings)
        }
    }
}

/// Begin with the impulses the rows hold, however good they are.
pub(super) fn trust<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) -> Certificate<R> {
    begin(changes, rows);
    Certificate { finite: true, ..Certificate::NONE }
}

/// `γ = P_K(γ)`, and velocities to match.
pub(super) fn begin<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    project(rows);
    let _always = refresh(changes, rows, &mut Watch::none());
}

/// `γ = P_K(0)`
fn begin_cold<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    rows.iter_mut().for_each(|row| row.gamma = R::ZERO);
    begin(changes, rows);
}

/// Recomputes `z = Σ Ē_iᵀ γ_i`; `None` when time runs out on the way, which leaves z incomplete.
#[inline(never)]
pub(super) fn refresh<R: Real>(changes: &mut [Change<R>], rows: &[Row<R>], watch: &mut Watch<'_, '_>) -> Option<()> {
    // read before and after: the passes on either side count their rows anew
    if watch.expired() {
        return None;
    }
    changes.iter_mut().for_each(|change| change.z = Vec6::ZERO);
    let mut rest = rows;
    let mut until_look = BLOCKS_A_LOOK;
    while let Some(block) = next_block(&mut rest) {
        match block {
            Block::Interval { row, .. } | Block::Friction { row, .. } => respond(changes, [row]),
            Block::Disc { r1, r2, .. } => respond(changes, [r1, r2]),
            Block::Contact { n, t1, t2, .. } => respond_contact(changes, [n, t1, t2]),
        }
        if let Some(left) = until_look.checked_sub(1) {
            until_look = left;
        } else if watch.expired() {
            return None;
        } else {
            until_look = BLOCKS_A_LOOK;
        }
    }
    (!watch.expired()).then_some(())
}

/// The defined safe answer: `γ = P_K(0)`, `v = v_free`.
pub(super) fn fall_back<R: Real>(changes: &mut [Change<R>], rows: &mut [Row<R>]) {
    changes.iter_mut().for_each(|change| change.z = Vec6::ZERO);
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
            Block::Disc { r1, r2, mu } => {
                [r1.gamma, r2.gamma] = project_section(Section::Disc, mu * lead.abs(), [r1.gamma, r2.gamma]);
            }
        }
    }
}
