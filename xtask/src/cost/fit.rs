//! The cheapest costs that are never too low: a linear program.
//!
//! ```text
//! min  Σ_j weight_j (n_j·c − m_j)    such that  n_j·c ≥ m_j  of every step j,  c ≥ 0        n: counts, m: measured
//! dual: max m·y    such that  Σ_j n_j y_j ≤ b = Σ_j weight_j n_j,  y ≥ 0
//! ```
//! The dual has as few rows as there are kinds of work, and `y = 0` to begin with: a dense tableau and Dantzig's simplex do. The costs are the prices of its
//! rows, which stand at the end in the objective's line under the slacks.

/// One step: kinds of work are few, steps are many.
pub(crate) struct Step {
    /// Counts by kind.
    pub(crate) counts: Vec<f64>,
    /// What was measured, more than zero.
    pub(crate) measured: f64,
    /// What over-prediction of it weighs; zero where it only must not be predicted too cheap.
    pub(crate) weight: f64,
}

/// Below this a reduced cost is zero: everything is scaled to about one.
const TOLERANCE: f64 = 1e-9;

/// Costs by kind; `None` if there are none, because a step has no work at all, or if rounding errors win.
pub(crate) fn fit(steps: &[Step]) -> Option<Vec<f64>> {
    let kinds = steps.first()?.counts.len();
    // each step in units of what it measured, each kind in units of its largest share
    let share = |step: &Step, kind: usize| step.counts[kind] / step.measured;
    let largest: Vec<f64> =
        (0..kinds).map(|kind| steps.iter().map(|step| share(step, kind)).fold(0.0, f64::max)).collect();
    // what never occurs costs nothing
    let used: Vec<usize> = (0..kinds).filter(|&kind| largest[kind] > 0.0).collect();
    let width = steps.len() + used.len() + 1;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for (place, &kind) in used.iter().enumerate() {
        let scaled = |step: &Step| share(step, kind) / largest[kind];
        let mut row: Vec<f64> = steps.iter().map(scaled).collect();
        row.extend((0..used.len()).map(|slack| if slack == place { 1.0 } else { 0.0 }));
        row.push(steps.iter().map(|step| step.weight * step.measured * scaled(step)).sum());
        rows.push(row);
    }
    // right-hand sides of about one
    let unit = rows.iter().map(|row| row[width - 1]).fold(0.0, f64::max);
    rows.iter_mut().for_each(|row| row[width - 1] /= unit);
    let mut objective: Vec<f64> = vec![-1.0; steps.len()];
    objective.resize(width, 0.0);
    // far more than it ever takes
    for _ in 0..10_000 {
        let (enter, least) = (0..width - 1).map(|at| (at, objective[at])).min_by(|a, b| a.1.total_cmp(&b.1))?;
        if least > -TOLERANCE {
            let mut costs = vec![0.0; kinds];
            for (place, &kind) in used.iter().enumerate() {
                costs[kind] = f64::max(objective[steps.len() + place], 0.0) / largest[kind];
            }
            return Some(costs);
        }
        // a step without work has no row to stop at: nothing pays for it
        let (leave, _) = (0..rows.len())
            .filter(|&row| rows[row][enter] > TOLERANCE)
            .map(|row| (row, rows[row][width - 1] / rows[row][enter]))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        let pivot = rows[leave][enter];
        rows[leave].iter_mut().for_each(|x| *x /= pivot);
        let lead = rows[leave].clone();
        let others = rows.iter_mut().enumerate().filter(|(row, _)| *row != leave).map(|(_, row)| row);
        for row in others.chain([&mut objective]) {
            let factor = row[enter];
            if factor != 0.0 {
                row.iter_mut().zip(&lead).for_each(|(x, lead)| *x -= factor * lead);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(counts: &[f64], measured: f64) -> Step {
        Step { counts: counts.to_vec(), measured, weight: 1.0 / measured }
    }

    #[test]
    fn costs_that_explain_everything_are_found() {
        let truth = [1000.0, 50.0, 7.0];
        let steps: Vec<Step> = (1..40_u32)
            .map(|i| {
                let counts = [1.0, f64::from(i % 7), f64::from(i * i % 31)];
                step(&counts, counts.iter().zip(truth).map(|(n, c)| n * c).sum())
            })
            .collect();
        let costs = fit(&steps).unwrap();
        assert!(costs.iter().zip(truth).all(|(found, truth)| (found - truth).abs() < 1e-6 * truth), "{costs:?}");
    }

    #[test]
    fn no_step_is_predicted_too_cheap_and_as_many_are_met_as_there_are_costs() {
        // a line above three points, less of a share above the third than the line through that one is above the first
        let steps = [step(&[1.0, 1.0], 20.0), step(&[1.0, 2.0], 30.0), step(&[1.0, 3.0], 32.0)];
        let costs = fit(&steps).unwrap();
        let over = steps.each_ref().map(|step| costs[0] + costs[1] * step.counts[1] - step.measured);
        assert!(over.iter().all(|over| *over > -1e-9) && over[0] < 1e-9 && over[1] < 1e-9, "{costs:?} {over:?}");
    }

    #[test]
    fn a_kind_that_never_occurs_costs_nothing_and_a_step_without_work_has_no_costs() {
        assert_eq!(fit(&[step(&[2.0, 0.0], 10.0)]), Some(vec![5.0, 0.0]));
        assert_eq!(fit(&[step(&[0.0], 10.0)]), None);
        assert_eq!(fit(&[]), None);
    }
}
