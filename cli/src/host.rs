//! Solving a problem file on the host: the same static buffers a firmware has, only larger.

use crate::problem_file::{ProblemFile, Reference, Refusal};
use std::sync::{Mutex, PoisonError};
use tumble::math::Real;
use tumble::rows::Friction;
use tumble::solve::Exact;
use tumble::{Error, FrictionModel, Problem, Report, Settings, Start, Status};

/// Largest number of bodies.
pub const BODIES: usize = 16_384;
/// Largest number of rows.
pub const ROWS: usize = 65_536;

/// A problem as large as the host program takes.
pub type HostProblem<R> = Problem<R, BODIES, ROWS>;

/// Largest number of unknowns of an exact solve, and of places in its factor.
pub const UNKNOWNS: usize = 8192;
/// Largest number of places in the factor of an exact solve.
pub const NONZEROS: usize = 4 << 20;

/// As much working memory as the host program takes for an exact solve.
pub type HostExact<R> = Exact<R, BODIES, UNKNOWNS, NONZEROS>;

/// A scalar with a static problem of its own.
pub trait HostReal: Real {
    /// Work with the one static problem of this scalar.
    fn with_problem<T>(work: impl FnOnce(&mut HostProblem<Self>, &mut HostExact<Self>) -> T) -> T;
}

macro_rules! host_real {
    ($real:ident) => {
        impl HostReal for $real {
            fn with_problem<T>(work: impl FnOnce(&mut HostProblem<Self>, &mut HostExact<Self>) -> T) -> T {
                // statics as on the target: megabytes that need neither heap nor stack
                static STAGE: Mutex<(HostProblem<$real>, HostExact<$real>)> =
                    Mutex::new((HostProblem::new(), HostExact::new()));
                // every use starts by clearing it: what a panicking thread left behind does no harm
                let (problem, exact) = &mut *STAGE.lock().unwrap_or_else(PoisonError::into_inner);
                work(problem, exact)
            }
        }
    };
}
host_real!(f32);
host_real!(f64);

/// Answer to a problem file, in file order and double precision.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The solver's verdict.
    pub report: Report<f64>,
    /// `max_i |γ_i − P_K(γ_i − w_i)|`
    pub natural_residual: f64,
    /// Velocities. m/s, rad/s
    pub v: Vec<[f64; 6]>,
    /// Impulses. N·s
    pub gamma: Vec<f64>,
}

/// Which problem a file is to be, and by which solver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Way {
    /// Corners of a pyramid in place of Coulomb's cone.
    pub corners: Option<u8>,
    /// By the exact solver instead of sweeps.
    pub exactly: bool,
    /// By sweeps if there is no room for that, or from where it has ended without an answer.
    pub else_by_sweeps: bool,
}

impl Way {
    fn friction<R: Real>(self, mu: R) -> Friction<R> {
        match self.corners {
            None => Friction::Cone { mu },
            Some(4) => Friction::Pyramid { mu },
            Some(corners) => Friction::Polygon { mu, corners },
        }
    }
}

/// Build and solve by sweeps. `tolerance` in the settings is taken as given.
///
/// # Errors
/// A [`Refusal`] of the file or of the settings.
pub fn solve_file<R: HostReal>(file: &ProblemFile, settings: &Settings<R>) -> Result<Solution, Refusal> {
    solve_file_by(file, settings, Way::default())
}

/// Build and solve in this way.
///
/// # Errors
/// A [`Refusal`] of the file or of the settings.
pub fn solve_file_by<R: HostReal>(file: &ProblemFile, settings: &Settings<R>, way: Way) -> Result<Solution, Refusal> {
    R::with_problem(|problem, exact| {
        let ids = file.build_with(problem, |mu| way.friction(mu))?;
        let exactly = way.exactly.then(|| problem.solve_exactly(exact, settings));
        let report = match exactly {
            Some(Err(Error::CapacityExceeded(_))) if way.else_by_sweeps => problem.solve(settings),
            Some(Ok(pivoted)) if way.else_by_sweeps && pivoted.status != Status::Converged => {
                let swept = problem.solve(&Settings { start: Start::Warm, ..*settings });
                swept.map(|swept| Report { iterations: pivoted.iterations + swept.iterations, ..swept })
            }
            Some(exactly) => exactly,
            None => problem.solve(settings),
        };
        let report = report.map_err(|error| Refusal { place: "settings".into(), reason: error.to_string() })?;
        let impulses: Vec<f64> = problem.impulses().map(Real::to_f64).collect();
        Ok(Solution {
            report: Report {
                status: report.status,
                iterations: report.iterations,
                energy: report.energy.to_f64(),
                bound: report.bound.to_f64(),
                clock: report.clock,
                violation: report.violation.to_f64(),
                gain: report.gain.to_f64(),
            },
            natural_residual: problem.natural_residual(settings.friction).to_f64(),
            v: problem.velocities().map(|v| <[R; 6]>::from(v).map(Real::to_f64)).collect(),
            gamma: ids.iter().map(|id| impulses[id.index()]).collect(),
        })
    })
}

/// Energy error of the cold start, before any sweep: the scale for a tolerance. J
///
/// # Errors
/// A [`Refusal`] of the file.
pub fn cold_start_energy<R: HostReal>(file: &ProblemFile, friction: FrictionModel, way: Way) -> Result<f64, Refusal> {
    let settings =
        Settings::<R> { iterations: 0, tolerance: R::ZERO, friction, start: Start::Cold, ..Default::default() };
    Ok(solve_file_by(file, &settings, Way { exactly: false, ..way })?.report.energy)
}

/// The reference answer for this friction model, and its name; one for bounded rows alone serves both.
pub fn reference(file: &ProblemFile, friction: FrictionModel) -> Option<(&'static str, &Reference)> {
    let references = file.reference.as_ref()?;
    match friction {
        FrictionModel::Ccp => references.ccp.as_ref().map(|reference| ("ccp", reference)),
        FrictionModel::Ncp => references.ncp.as_ref().map(|reference| ("ncp", reference)),
    }
    .or_else(|| references.bounded.as_ref().map(|reference| ("box", reference)))
}

/// `‖v − v_ref‖_M² / ‖v_free − v_ref‖_M²`: the share of kinetic energy that is still wrong. `None` where a body's `M⁻¹` is singular.
pub fn relative_error(file: &ProblemFile, v: &[[f64; 6]], reference: &Reference) -> Option<f64> {
    let v_free: Vec<[f64; 6]> = file.bodies.iter().map(|body| body.v_free).collect();
    let (error, start) = (distance_squared(file, v, reference)?, distance_squared(file, &v_free, reference)?);
    // where nothing has to change, not changing it is no error
    Some(if error == 0.0 { 0.0 } else { error / start })
}

/// `‖v − v_ref‖_M²`: twice the kinetic energy of the difference. J. `None` where a body's `M⁻¹` is singular.
pub fn distance_squared(file: &ProblemFile, v: &[[f64; 6]], reference: &Reference) -> Option<f64> {
    let differences = v.iter().zip(&reference.v).map(|(v, v_ref)| std::array::from_fn(|i| v[i] - v_ref[i]));
    file.bodies.iter().zip(differences).map(|(body, difference)| mass_norm_squared(&body.inv_mass, difference)).sum()
}

/// `xᵀ M x` from `M⁻¹ = L D Lᵀ` (positive definite: no pivoting): with `y = L⁻¹x` it is `Σ y_k²/d_k`.
fn mass_norm_squared(inv_mass: &[[f64; 6]; 6], x: [f64; 6]) -> Option<f64> {
    let (mut m, mut y) = (*inv_mass, x);
    let mut norm = 0.0;
    for k in 0..6 {
        let pivot = m[k];
        if pivot[k] <= 0.0 {
            return None;
        }
        norm += y[k] * y[k] / pivot[k];
        for i in k + 1..6 {
            let factor = m[i][k] / pivot[k];
            m[i].iter_mut().zip(pivot).for_each(|(x, p)| *x -= factor * p);
            y[i] -= factor * y[k];
        }
    }
    Some(norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mass_norm_inverts_the_inverse_mass() {
        // two directions coupled: M⁻¹ = [2 1; 1 1], M = [1 −1; −1 2]; the rest 1/4 kg⁻¹
        let mut inv_mass: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 0.25 } else { 0.0 }));
        inv_mass[0] = [2.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        inv_mass[3] = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let norm = |x| mass_norm_squared(&inv_mass, x);
        assert_eq!(norm([3.0, 0.0, 0.0, 5.0, 0.0, 0.0]), Some(9.0 - 30.0 + 50.0));
        assert_eq!(norm([0.0, 1.0, 2.0, 0.0, 3.0, 0.0]), Some(4.0 * 14.0));
        inv_mass[3][3] = 0.5;
        assert_eq!(mass_norm_squared(&inv_mass, [0.0; 6]), None, "singular");
    }
}
