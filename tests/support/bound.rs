//! How far two computations of the same iterate may lie apart when each only rounds: a running forward error bound.
//!
//! ```text
//! w_i is a sum of terms whose magnitudes add up to    reach_i = |E_i||M⁻¹||Eᵀ| γ_max + |E_i||v_free| + |e_i| + c_i γ_max
//! each of the p roundings on its way costs at most    ε/2 · reach_i
//! x_i = γ_i − step·w_i carries what γ already carried |1 − step·N_ii| δ_i + Σ_j |step·N_ij| δ_j
//! a projection onto a convex set moves two points no further apart; one onto a set of size μγ_lead adds μ δ_lead
//! ```
//!
//! Nothing here is tuned: the bound follows from the problem's numbers and from ε.

use super::oracle::{Block, Dense, Matrix, Set, sandwich};
use tumble::{FrictionModel, Settings};

pub struct Bound<'a> {
    dense: &'a Dense,
    /// `|E||M⁻¹||Eᵀ| + c`
    magnitude: Matrix,
    /// `|E||v_free| + |e|`
    offset: Vec<f64>,
    /// largest |γ_i| so far
    most: Vec<f64>,
    /// roundings on the way of one number so far
    roundings: f64,
    /// δ: how far the two γ may lie apart
    pub impulse: Vec<f64>,
}

impl<'a> Bound<'a> {
    /// Both begin at `gamma`, just projected from impulses no larger than `size`.
    pub fn new(dense: &'a Dense, gamma: &[f64], size: f64) -> Self {
        let absolute =
            |m: &Matrix| m.iter().map(|row| row.iter().map(|x| x.abs()).collect()).collect::<Vec<Vec<f64>>>();
        let jacobian = absolute(&dense.jacobian);
        let mut magnitude = sandwich(&jacobian, &absolute(&dense.inverse_mass));
        (0..dense.c.len()).for_each(|i| magnitude[i][i] += dense.c[i]);
        let offset = jacobian.iter().zip(&dense.e).map(|(row, e)| {
            row.iter().zip(&dense.v_free).map(|(jacobian, v)| jacobian * v.abs()).sum::<f64>() + e.abs()
        });
        Self {
            dense,
            magnitude,
            offset: offset.collect(),
            most: gamma.iter().map(|gamma| gamma.abs()).collect(),
            // 12 products, two 6×6 responses, a projection of at most 16 operations
            roundings: 12.0 + 24.0 + 16.0 + gamma.len() as f64,
            impulse: vec![16.0 * f64::EPSILON * size; gamma.len()],
        }
    }

    /// One takes over the other's impulses.
    pub fn forget(&mut self) {
        self.impulse.fill(0.0);
    }

    /// Rounding of `w_i`, in one computation and the other. m/s
    pub fn velocity_of_row(&self, i: usize) -> f64 {
        let reach: f64 =
            self.magnitude[i].iter().zip(&self.most).map(|(m, most)| m * most).sum::<f64>() + self.offset[i];
        2.0 * 0.5 * f64::EPSILON * self.roundings * reach
    }

    /// Distance of the two velocities, component k. m/s, rad/s
    pub fn velocity(&self, k: usize) -> f64 {
        let responses = self.dense.jacobian.iter().map(|row| {
            row.iter().zip(&self.dense.inverse_mass[k]).map(|(jacobian, m)| (jacobian * m).abs()).sum::<f64>()
        });
        let (mut carried, mut reach) = (0.0, self.dense.v_free[k].abs());
        for (i, response) in responses.enumerate() {
            carried += response * self.impulse[i];
            reach += response * self.most[i];
        }
        carried + f64::EPSILON * self.roundings * reach
    }

    /// Rounding of the dual objective, in its evaluation and in the updates that should lower it: `Σ γ_max δw`. J
    pub fn objective(&self) -> f64 {
        (0..self.most.len()).map(|i| self.most[i] * self.velocity_of_row(i)).sum()
    }

    /// One more sweep ended at `gamma`.
    pub fn visit(&mut self, gamma: &[f64]) {
        (0..gamma.len()).for_each(|i| self.most[i] = self.most[i].max(gamma[i].abs()));
        // v is updated once a row and sweep
        self.roundings += gamma.len() as f64;
    }

    /// One more sweep ended at `gamma`: how far apart may the two be now?
    pub fn sweep(&mut self, gamma: &[f64], settings: &Settings<f64>) {
        self.visit(gamma);
        for block in &self.dense.blocks {
            let steps = self.dense.steps(*block, settings);
            let i = block.first;
            match (block.set, settings.friction) {
                (Set::Interval { .. }, _) => self.update(&[i], &steps, 0.0),
                (Set::Friction { mu, lead }, _) => self.update(&[i], &steps, mu * self.impulse[lead]),
                (Set::Disc { mu, lead }, _) => self.update(&[i, i + 1], &steps, mu * self.impulse[lead]),
                (Set::Cone { .. } | Set::Pyramid { .. } | Set::Polygon { .. }, FrictionModel::Ccp) => {
                    self.update(&[i, i + 1, i + 2], &steps, 0.0);
                }
                (Set::Cone { mu } | Set::Pyramid { mu } | Set::Polygon { mu, .. }, FrictionModel::Ncp) => {
                    self.update(&[i], &steps, 0.0);
                    self.update(&[i + 1, i + 2], &steps[1..], mu * self.impulse[i]);
                }
            }
        }
    }

    /// Distance of the two `γ − P_K(γ − step·w̃)` of a block at one and the same γ. N·s
    pub fn miss(&self, block: Block, step: f64, model: FrictionModel) -> f64 {
        let correction = match (block.set, model) {
            (Set::Cone { mu } | Set::Pyramid { mu } | Set::Polygon { mu, .. }, FrictionModel::Ncp) => mu,
            _ => 0.0,
        };
        let w: f64 = block.rows().map(|i| self.velocity_of_row(i)).sum::<f64>() * (1.0 + correction);
        let gamma: f64 = block.rows().map(|i| self.most[i]).sum();
        step * w * self.cancelled(block.rows()) + 16.0 * f64::EPSILON * gamma
    }

    /// Distance of the two energies of a block at one and the same γ, if one of them is `energy`. J
    pub fn energy(&self, block: Block, energy: f64, model: FrictionModel) -> f64 {
        let a = self.dense.scale(block);
        let (miss, apart) = ((2.0 * energy / a).sqrt(), self.miss(block, 1.0 / a, model));
        // δ(a/2 Σ d²) over up to three components
        3.0 * a * apart * (miss + apart) + 16.0 * f64::EPSILON * energy
    }

    /// A step rounds too: g is a sum whose terms may have cancelled, to so small a part.
    fn cancelled(&self, rows: impl Iterator<Item = usize>) -> f64 {
        rows.map(|i| self.magnitude[i][i] / self.dense.n[i][i]).fold(1.0, f64::max)
    }

    /// These rows, projected together onto a set whose size may differ by `size`.
    fn update(&mut self, rows: &[usize], steps: &[f64], size: f64) {
        let cancelled = self.cancelled(rows.iter().copied());
        let mut squared = 0.0;
        for (&i, step) in rows.iter().zip(steps) {
            let carried: f64 = (0..self.impulse.len())
                .map(|j| (if i == j { 1.0 } else { 0.0 } - step * self.dense.n[i][j]).abs() * self.impulse[j])
                .sum();
            let rounding = step * self.velocity_of_row(i) * cancelled + 16.0 * f64::EPSILON * self.most[i];
            squared += (carried + rounding) * (carried + rounding);
        }
        rows.iter().for_each(|&i| self.impulse[i] = squared.sqrt() + size);
    }
}

pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |most, x| most.max(x.abs()))
}
