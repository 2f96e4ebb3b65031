//! What the tests of the exact solver share: ways to call it, and answers by dense elimination and by trying every active set.

use super::oracle::{Dense, Matrix, Set, dot};
use super::{Built, Scene};
use tumble::math::Real;
use tumble::solve::Exact;
use tumble::{FrictionModel, Report, Settings, Start};

/// Room for every scene of `support`: 64 rows, two hubs, all places.
pub type Small<R> = Exact<R, 8, 80, 3200>;

/// To the last bit that helps, from zero impulses.
pub fn to_the_end<R: Real>(friction: FrictionModel) -> Settings<R> {
    Settings { iterations: 2000, tolerance: R::ZERO, friction, start: Start::Cold, ..Settings::default() }
}

impl<R: Real> Built<R> {
    pub fn solve_exactly(&mut self, settings: &Settings<R>) -> Report<R> {
        let mut exact = Box::new(Small::<R>::new());
        self.problem.solve_exactly(&mut exact, settings).unwrap()
    }

    /// Energy error before anything is done.
    pub fn energy_of_start(&self, settings: &Settings<R>) -> f64 {
        let mut start = self.clone();
        start.solve(&Settings { iterations: 0, ..*settings }).energy.to_f64()
    }
}

/// `A x = b` by elimination with full pivoting; `None` where a pivot is below `least` of the largest: rank is not full.
pub fn eliminate(a: &Matrix, b: &[f64], least: f64) -> Option<Vec<f64>> {
    let n = b.len();
    let mut rows: Matrix = a.iter().zip(b).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    let mut columns: Vec<usize> = (0..n).collect();
    let mut largest = 0.0_f64;
    for k in 0..n {
        let places = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let (i, j) = places.max_by(|&(i, j), &(p, q)| rows[i][j].abs().total_cmp(&rows[p][q].abs()))?;
        rows.swap(k, i);
        rows.iter_mut().for_each(|row| row.swap(k, j));
        columns.swap(k, j);
        let pivot = rows[k].clone();
        largest = largest.max(pivot[k].abs());
        if pivot[k].abs() <= least * largest {
            return None;
        }
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * x[columns[j]]).sum();
        x[columns[k]] = (rows[k][n] - known) / rows[k][k];
    }
    Some(x)
}

/// Impulses of a problem of rows with intervals that obey every law, and by how much they miss it (m/s or N·s): every active set is tried, each row either at one
/// of its bounds (without bounds: at zero) or free. Free rows of full rank are enough: if the answer is not unique, one of them has no more.
pub fn by_every_active_set(dense: &Dense) -> Option<(Vec<f64>, f64)> {
    let bounds: Vec<(f64, f64)> = dense
        .blocks
        .iter()
        .map(|block| match block.set {
            Set::Interval { lo, hi } => (lo, hi),
            _ => unreachable!("only rows with bounds of their own"),
        })
        .collect();
    let places: Vec<Vec<Option<f64>>> = bounds
        .iter()
        .map(|&(lo, hi)| {
            let fixed = [lo, hi].into_iter().filter(|bound| bound.is_finite());
            let mut fixed: Vec<f64> = if lo.is_infinite() && hi.is_infinite() { vec![0.0] } else { fixed.collect() };
            fixed.dedup();
            fixed.into_iter().map(Some).chain([None]).collect()
        })
        .collect();
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut at = vec![0; bounds.len()];
    loop {
        let state: Vec<Option<f64>> = at.iter().zip(&places).map(|(at, places)| places[*at]).collect();
        if let Some((gamma, miss)) = with_active_set(dense, &bounds, &state)
            && best.as_ref().is_none_or(|(_, least)| miss < *least)
        {
            best = Some((gamma, miss));
        }
        // count on
        let Some(digit) = (0..at.len()).find(|&i| at[i] + 1 < places[i].len()) else { break };
        at[digit] += 1;
        at[..digit].iter_mut().for_each(|at| *at = 0);
    }
    best
}

fn with_active_set(dense: &Dense, bounds: &[(f64, f64)], state: &[Option<f64>]) -> Option<(Vec<f64>, f64)> {
    let free: Vec<usize> = (0..state.len()).filter(|&i| state[i].is_none()).collect();
    let mut gamma: Vec<f64> = state.iter().map(|fixed| fixed.unwrap_or(0.0)).collect();
    let w = dense.w(&gamma);
    let own: Matrix = free.iter().map(|&i| free.iter().map(|&j| dense.n[i][j]).collect()).collect();
    let x = eliminate(&own, &free.iter().map(|&i| -w[i]).collect::<Vec<f64>>(), 1e-9)?;
    free.iter().zip(x).for_each(|(&i, x)| gamma[i] = x);
    let w = dense.w(&gamma);
    let miss = (0..gamma.len()).map(|i| {
        let (lo, hi) = bounds[i];
        // inside: at rest; the natural map is all there is to complementarity
        (gamma[i] - (gamma[i] - w[i]).clamp(lo, hi)).abs()
    });
    let miss = miss.fold(0.0, f64::max);
    Some((gamma, miss))
}

/// Velocities when all rows are bilateral, from `[M Eᵀ; E −c][v; −γ] = [f; e]`, dense. `None` where rows depend on each other.
pub fn by_elimination(scene: &Scene) -> Option<Vec<f64>> {
    let dense = Dense::new(scene);
    let negative: Vec<f64> = dense.r.iter().map(|r| -r).collect();
    let gamma = eliminate(&dense.n, &negative, 1e-12)?;
    Some(dense.velocity(&gamma))
}

/// `½ |v − v'|²_M` needs masses; this is the largest difference, relative to the largest velocity. (1)
pub fn apart(ours: &[f64], theirs: &[f64]) -> f64 {
    assert_eq!(ours.len(), theirs.len());
    let size = ours.iter().chain(theirs).fold(1.0_f64, |most, x| most.max(x.abs()));
    ours.iter().zip(theirs).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max) / size
}

/// `γᵀ N γ` and the like: a quadratic form.
pub fn quadratic(n: &Matrix, x: &[f64]) -> f64 {
    n.iter().zip(x).map(|(row, xi)| xi * dot(row, x)).sum()
}
