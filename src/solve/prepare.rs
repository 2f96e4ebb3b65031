//! Step sizes of every row and what solves each contact by itself, once a solve.

use super::admissible::support;
use super::local::{Local, own_block};
use super::{FrictionModel, Method, Settings, StepRule};
use crate::math::{Real, max};
use crate::rows::{Block, Row, Section, next_block_mut};

/// Largest `step · λ_max` that the safe rule allows; a projected step descends while it is below 2.
const SAFE: f64 = 1.5;

/// Write every row's step for these settings. Does any of them turn a body?
pub(super) fn prepare<R: Real>(rows: &mut [Row<R>], settings: &Settings<R>) -> bool {
    let mut turns = false;
    let blocks = settings.method != Method::Psor;
    // solved by itself, a contact needs neither relaxation nor an average
    let omega = if blocks { R::ONE } else { settings.omega };
    let safe = blocks || settings.step == StepRule::Safe;
    let mut lead: Option<Lead<'_, R>> = None;
    let mut rest = rows;
    while let Some(block) = next_block_mut(&mut rest) {
        turns |= !matches!(&block, Block::Contact { n, .. } if n.pushes_only);
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
                r1.step = plane_step(r1.diagonal, r2.diagonal, r1.couple(r2), omega, safe);
                r2.step = r1.step;
                if let Some(lead) = &mut lead {
                    lead.drag(omega, mu * support(Section::Disc, [lead.row.couple(r1), lead.row.couple(r2)]));
                }
            }
            Block::Contact { n, t1, t2, mu, section } => {
                let own = own_block(n, t1, t2);
                if blocks {
                    Local::new(&own).store(t1, t2);
                }
                match settings.friction {
                    FrictionModel::Ccp => {
                        let mean = own.trace() / R::from_f64(3.0);
                        let bound = omega * own.largest_eigenvalue_bound() / R::from_f64(SAFE);
                        n.step = omega
                            / if blocks {
                                bound * R::from_f64(SAFE)
                            } else if safe {
                                max(mean, bound)
                            } else {
                                mean
                            };
                        (t1.step, t2.step) = (n.step, n.step);
                        // one step for three rows: it is not the normal's alone to change
                        lead = None;
                    }
                    FrictionModel::Ncp => {
                        t1.step = plane_step(own.yy, own.zz, own.yz, omega, safe);
                        t2.step = t1.step;
                        n.step = omega / n.diagonal;
                        let friction = mu * support(section, [own.xy, own.xz]);
                        lead = safe.then_some(Lead { row: n, friction: R::ZERO });
                        if let Some(lead) = &mut lead {
                            lead.drag(omega, friction);
                        }
                    }
                }
            }
        }
    }
    turns
}

/// The one step of two rows that are projected together.
fn plane_step<R: Real>(n11: R, n22: R, n12: R, omega: R, safe: bool) -> R {
    // Gershgorin: the two are close to orthogonal, so this is close to λ_max
    let bound = max(n11, n22) + n12.abs();
    let mean = (n11 + n22) / R::from_f64(2.0);
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
