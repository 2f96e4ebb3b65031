//! `tumble solve FILE`: one problem file in, a short table or JSON out.

use crate::friction::Friction;
use crate::method::Method;
use crate::output::{Destination, one_line};
use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use tumble::{Answer, Settings, Start};
use tumble_cli::host::{HostReal, Solution, Way, cold_start_energy, reference, relative_error, solve_file_by};
use tumble_cli::problem_file::{ProblemFile, Refusal};

/// Solve a contact problem of one time step from a file
///
/// Reads a problem in the JSON format "tumble-problem-1", solves it by projected SOR or exactly by pivots, from a cold start, and says how good the
/// answer is: the energy error in joule, which needs no reference, and, where the file brings a reference answer for the same
/// friction model, the share of kinetic energy that is still wrong, |v - v_ref|² / |v_free - v_ref|² in the mass norm.
#[derive(Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Problem file (JSON, format "tumble-problem-1"), at most 64 MiB
    file: PathBuf,

    /// How to iterate
    #[arg(long, value_enum, default_value_t = Method::Default)]
    method: Method,

    /// Friction model: two different problems with different answers
    #[arg(long, value_enum, default_value_t = Friction::Ncp)]
    friction: Friction,

    /// Numbers to compute with
    #[arg(long, value_enum, default_value_t = Scalar::F64)]
    scalar: Scalar,

    /// Pyramids with so many corners, 4 to 16, in place of Coulomb's cones: another problem, close to it
    #[arg(long, value_name = "CORNERS")]
    pyramid: Option<u8>,

    /// Cap on the number of sweeps, of simplex on that of pivots; 0 only looks at the cold start
    #[arg(long, value_name = "R", default_value_t = 20_000)]
    iterations: u32,

    /// Energy error at which to stop before the cap, ≥ 0 [default: that of the cold start times 1e-12 (f64) or 1e-9 (f32)]
    #[arg(long, value_name = "JOULE", allow_hyphen_values = true)]
    tolerance: Option<f64>,

    /// Relaxation of psor, between 0 and 2
    #[arg(long, default_value_t = 1.0, allow_hyphen_values = true)]
    omega: f64,

    /// Answer with the last sweep, not with the best of whole rounds of ten
    #[arg(long)]
    last: bool,

    /// Also write the answer as JSON; "-" writes it to stdout and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Example:
  tumble solve box-stack.json --friction ccp --json - | jq .energy

JSON keys:
  name, method, friction, scalar   what was asked
  rows, iterations                 rows of the problem, sweeps made, of simplex pivots
  status                           \"converged\", \"cap\" (cut off: the best iterate), \"stalled\" (a sweep moves
                                   nothing any more, above the tolerance), \"infeasible\" (rows contradict each other) or
                                   \"non_finite\" (overflow: v is v_free)
  energy, bound, violation         energy error [J]; rigorous bound of the distance from the solution [J], null where
                                   there is none; largest velocity by which a row misses its law [m/s]
  gain                             max(γ·w, 0): kinetic energy is at most that of v_free + γ·e + gain [J]
  natural_residual                 max_i |γ_i - P_K(γ_i - w_i)|
  reference, reference_error       \"ccp\", \"ncp\" or \"box\" and the error against it; null when the file has none that fits
  v, gamma                         velocities, 6 a body [m/s, rad/s]; impulses in the file's row order [N·s]
  A number that is not finite is written as null.

Exit code: 0 solved, stalled or cut off by the cap; 2 file or arguments refused; 1 anything else.";

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Scalar {
    /// Single precision, as on a microcontroller
    F32,
    /// Double precision
    F64,
}

/// The name users type.
fn name(value: impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The answer as it is written.
#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    method: Method,
    friction: Friction,
    scalar: Scalar,
    rows: usize,
    iterations: u32,
    status: String,
    energy: f64,
    bound: f64,
    violation: f64,
    gain: f64,
    natural_residual: f64,
    reference: Option<&'static str>,
    reference_error: Option<f64>,
    v: Vec<[f64; 6]>,
    gamma: Vec<f64>,
    #[serde(skip)]
    file: &'a ProblemFile,
}

/// Read, solve, write.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let place = || arguments.file.display().to_string();
    let file = ProblemFile::read(&arguments.file).with_context(place)?;
    let output = match arguments.scalar {
        Scalar::F32 => solve::<f32>(arguments, &file, 1e-9),
        Scalar::F64 => solve::<f64>(arguments, &file, 1e-12),
    }
    .with_context(place)?;

    Destination::open(arguments.json.as_deref())?.write(&output)?;
    ensure!(output.energy.is_finite(), "{}: numbers overflowed, the answer is only v = v_free", place());
    Ok(())
}

fn solve<'a, R: HostReal>(
    arguments: &Arguments,
    file: &'a ProblemFile,
    relative_tolerance: f64,
) -> Result<Output<'a>, Refusal> {
    let friction = arguments.friction.model();
    let (exactly, else_by_sweeps) = (arguments.method.is_exact(), matches!(arguments.method, Method::Hybrid));
    let way = Way { corners: arguments.pyramid, exactly, else_by_sweeps };
    let tolerance = match arguments.tolerance {
        Some(tolerance) => tolerance,
        // an overflow already at the start is for the solve to report
        None => Some(relative_tolerance * cold_start_energy::<R>(file, friction, way)?)
            .filter(|x| x.is_finite())
            .unwrap_or(0.0),
    };
    let (method, step) = arguments.method.method();
    let settings = Settings {
        method,
        omega: R::from_f64(arguments.omega),
        iterations: arguments.iterations,
        tolerance: R::from_f64(tolerance),
        friction,
        step,
        start: Start::Cold,
        answer: if arguments.last { Answer::Last } else { Answer::Best },
        impulse_ceiling: R::INFINITY,
    };
    let Solution { report, natural_residual, v, gamma } = solve_file_by(file, &settings, way)?;
    // of a pyramid the file knows no answer
    let reference = reference(file, friction).filter(|_| arguments.pyramid.is_none() || file.contacts.is_empty());
    Ok(Output {
        name: &file.name,
        method: arguments.method,
        friction: arguments.friction,
        scalar: arguments.scalar,
        rows: file.rows.len(),
        iterations: report.iterations,
        status: report.status.to_string(),
        energy: report.energy,
        bound: report.bound,
        violation: report.violation,
        gain: report.gain,
        natural_residual,
        reference: reference.map(|(name, _)| name),
        reference_error: reference.and_then(|(_, reference)| relative_error(file, &v, reference)),
        v,
        gamma,
        file,
    })
}

/// The table for people.
impl fmt::Display for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (bodies, contacts) = (self.file.bodies.len(), self.file.contacts.len());
        let [method, friction, scalar] = [name(self.method), name(self.friction), name(self.scalar)];
        writeln!(f, "problem            {}", one_line(self.name))?;
        writeln!(f, "size               {} rows, {bodies} bodies, {contacts} contacts", self.rows)?;
        writeln!(f, "method             {method}, friction {friction}, {scalar}")?;
        let unit = match self.method {
            Method::Simplex => "pivots",
            Method::Hybrid => "pivots and sweeps",
            _ => "sweeps",
        };
        writeln!(f, "status             {} after {} {unit}", self.status, self.iterations)?;
        writeln!(f, "energy error       {:.2e} J", self.energy)?;
        if self.bound.is_finite() {
            writeln!(f, "rigorous bound     {:.2e} J", self.bound)?;
        }
        writeln!(f, "energy gain        {:.2e} J at most", self.gain)?;
        writeln!(f, "largest violation  {:.2e} m/s", self.violation)?;
        writeln!(f, "natural residual   {:.2e}", self.natural_residual)?;
        match (self.reference, self.reference_error) {
            (Some(name), Some(error)) => writeln!(f, "reference error    {error:.2e} ({name})"),
            (Some(name), None) => writeln!(f, "reference error    none: a body has no mass norm ({name})"),
            (None, _) => match reference(self.file, self.friction.other().model()) {
                Some((other, _)) => writeln!(f, "reference error    none: the file knows only the {other} answer"),
                None => Ok(()),
            },
        }
    }
}
