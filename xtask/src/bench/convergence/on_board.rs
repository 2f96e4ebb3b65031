//! Recorded problems at equal instruction count: what whole solves cost on the emulated Cortex-M4F, and what that much work buys.
//!
//! ```text
//! ratio   instructions of the default / of the baseline, 20 sweeps each
//! k       largest cap at which the default takes no more instructions than the baseline with 20 sweeps, the last iterate being its answer
//! gain    error of the baseline at 20 sweeps / error of the default at k, both floored
//! ```
//! Instructions are those of f32 on the board, errors those of f64 here. The best iterate comes in whole rounds of ten sweeps: where instructions are to be used up to the
//! last, it is the last.

use super::files::{GAIN_AT, error, geometric_mean};
use super::{BENCH, FLOOR, MODELS, case, variants};
use crate::bench::Findings;
use crate::firmware::solve_problems;
use crate::setup;
use crate::shell::step;
use anyhow::{Context, Result, bail, ensure};
use tumble::{Answer, FrictionModel, Settings};
use tumble_cli::host::{reference, solve_file};
use tumble_cli::problem_file::{ProblemFile, Refusal};
use tumble_scenes::words::{write_block, write_body};

/// The variants compared: the first is the baseline.
const BASELINE: &str = "psor";
const DEFAULT: &str = "default";
/// The default, every sweep of which counts.
const LAST: &str = "last";

/// One solve on the board.
struct Solve {
    problem: usize,
    model: String,
    variant: String,
    cap: u32,
    sweeps: u32,
    instructions: u64,
    /// bits of the energy error that it reports
    energy: u32,
}

/// What the board found.
#[derive(Default)]
struct Told {
    solves: Vec<Solve>,
    /// by problem, model and variant: instructions that putting rows into the variant's order takes, once
    orders: Vec<(usize, String, String, u64)>,
    too_large: Vec<usize>,
}

/// Ratios and gains of every problem in both models, with means and worst. Where the board cannot be had: a word about it.
pub(super) fn run(findings: &mut Findings, files: &[ProblemFile]) -> Result<()> {
    let ready = setup::targets(&[setup::BOARD_TARGET]).and_then(|()| setup::emulator());
    if let Err(why) = ready {
        findings.line(format!("  at equal instructions: skipped, {why:#}"));
        return Ok(());
    }
    let words = words(files)?;
    let told = step("problems on Cortex-M4F", || Told::parse(&solve_problems(&words)?))?;
    step("same bits as here", || told.solves.iter().try_for_each(|solve| check(&files[solve.problem], solve)))?;

    findings.line("");
    let largest = told.solves.iter().map(|solve| solve.cap).max().unwrap_or(0);
    findings.line(format!(
        "  at equal instructions (Cortex-M4F, emulated, exact, f32; whole solves): {BASELINE} with {GAIN_AT} sweeps against {DEFAULT};"
    ));
    findings.line(format!(
        "  cap: the largest of 0 to {largest} at which {DEFAULT} takes no more, its last iterate being the answer; gain: error of {BASELINE} at {GAIN_AT} over that at this cap"
    ));
    findings.line(format!(
        "  {:40} model  {BASELINE:>12} {GAIN_AT}  {DEFAULT:>9} {GAIN_AT}  ratio   cap  sweeps      gain",
        "problem"
    ));
    for (friction, model) in MODELS {
        let mut compared = Vec::new();
        for (problem, file) in files.iter().enumerate() {
            // as in the tables above: only what has a reference
            if reference(file, friction).is_none() {
                continue;
            }
            if told.too_large.contains(&problem) {
                findings.line(format!("  {:40} {model}    does not fit into the board's memory", file.name));
                continue;
            }
            compared.push(compare(findings, file, (friction, model), &told.of(problem, model)?)?);
        }
        tell_means(findings, model, &compared);
    }
    Ok(())
}

/// Solves of one problem in one model, by the baseline and by the default.
struct Pair<'a> {
    baseline: &'a Solve,
    default: &'a Solve,
    last: Vec<&'a Solve>,
    /// instructions that the default's order takes, once
    order: u64,
}

struct Compared {
    name: String,
    ratio: f64,
    gain: f64,
    /// of the baseline's instructions, what putting rows into order takes
    order: f64,
}

fn compare(
    findings: &mut Findings,
    file: &ProblemFile,
    (friction, model): (FrictionModel, &str),
    pair: &Pair<'_>,
) -> Result<Compared> {
    let (_, v_ref) = reference(file, friction).context("no reference")?;
    let error = |variant, iterations| {
        let settings = settings(variant)?;
        Ok::<f64, anyhow::Error>(error(file, v_ref, &Settings { friction, iterations, ..settings })?.max(FLOOR))
    };
    let baseline = pair.baseline.instructions;
    let at_20 = pair.default.instructions;
    let affordable = pair.last.iter().filter(|solve| solve.instructions <= baseline);
    let at_equal = affordable.max_by_key(|solve| solve.cap).context("no sweep is affordable")?;

    let ratio = at_20 as f64 / baseline as f64;
    let gain = error(BASELINE, GAIN_AT)? / error(LAST, at_equal.cap)?;
    let name = &file.name;
    findings.line(format!(
        "  {name:40} {model}    {baseline:>15}  {at_20:>12}  {ratio:>5.3}  {:>4}  {:>6}  {gain:>8.3}",
        at_equal.cap, at_equal.sweeps
    ));
    let case = case(name, model);
    findings.record(BENCH, &case, BASELINE, "instructions_20", baseline as f64, "instructions");
    findings.record(BENCH, &case, DEFAULT, "instructions_20", at_20 as f64, "instructions");
    findings.record(BENCH, &case, DEFAULT, "gain_at_equal_instructions", gain, "1");
    Ok(Compared { name: name.clone(), ratio, gain, order: pair.order as f64 / baseline as f64 })
}

fn tell_means(findings: &mut Findings, model: &str, compared: &[Compared]) {
    let Some(worst) = compared.iter().min_by(|a, b| a.gain.total_cmp(&b.gain)) else { return };
    let Some(dearest) = compared.iter().max_by(|a, b| a.ratio.total_cmp(&b.ratio)) else { return };
    let ratio = geometric_mean(compared.iter().map(|compared| compared.ratio));
    let gain = geometric_mean(compared.iter().map(|compared| compared.gain));
    let order = compared.iter().map(|compared| compared.order).sum::<f64>() / compared.len() as f64;
    findings.line(format!("  {model}: {} problems, geometric mean and worst:", compared.len()));
    findings.line(format!(
        "    instructions of {DEFAULT} over those of {BASELINE}, {GAIN_AT} sweeps  {ratio:>8.3}  {:>8.3}  ({})",
        dearest.ratio, dearest.name
    ));
    findings.line(format!(
        "    gain at equal instructions                               {gain:>8.3}  {:>8.3}  ({})",
        worst.gain, worst.name
    ));
    findings.line(format!(
        "    not counted: rows are put into the order of {DEFAULT} once, for {order:.3} of what {BASELINE} takes (mean)"
    ));
    let case = format!("gain-{model}");
    findings.record(BENCH, &case, DEFAULT, "geometric_mean_instruction_ratio_20", ratio, "1");
    findings.record(BENCH, &case, DEFAULT, "geometric_mean_gain_at_equal_instructions", gain, "1");
    findings.record(BENCH, &case, DEFAULT, "worst_gain_at_equal_instructions", worst.gain, "1");
}

fn settings<R: tumble::math::Real>(variant: &str) -> Result<Settings<R>> {
    if variant == LAST {
        return Ok(Settings { answer: Answer::Last, ..settings(DEFAULT)? });
    }
    let mut all = variants().into_iter();
    Ok(all.find(|(name, _)| *name == variant).with_context(|| format!("there is no variant {variant}"))?.1)
}

/// It was this problem that the board solved, and so: the answer here has the same bits.
fn check(file: &ProblemFile, solve: &Solve) -> Result<()> {
    let Solve { model, variant, cap, .. } = solve;
    let (friction, _) = MODELS.into_iter().find(|(_, name)| name == model).context("no such model")?;
    let settings = Settings::<f32> { friction, iterations: *cap, ..settings(variant)? };
    let report = solve_file(file, &settings)?.report;
    // an f64 that was an f32 is one again without loss
    let same = (report.iterations, (report.energy as f32).to_bits()) == (solve.sweeps, solve.energy);
    ensure!(same, "{} in {model} by {variant}, cap {cap}: the board has another answer", file.name);
    Ok(())
}

/// All problems as `tumble_scenes::words` has them.
fn words(files: &[ProblemFile]) -> Result<Vec<u32>> {
    let mut words = Vec::new();
    for file in files {
        let mut problem = vec![u32::try_from(file.bodies.len())?];
        let single = |numbers: [f64; 6]| numbers.map(|x| x as f32);
        for body in &file.bodies {
            write_body(&mut problem, &body.inv_mass.map(single), &single(body.v_free));
        }
        file.each_block(|place, _, block| {
            write_block(&mut problem, block).map_err(|error| Refusal { place, reason: error.to_string() })
        })?;
        words.push(u32::try_from(problem.len())?);
        words.append(&mut problem);
    }
    words.push(0);
    Ok(words)
}

impl Told {
    fn parse(text: &str) -> Result<Self> {
        let mut told = Self::default();
        for line in text.lines() {
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [
                    "cost",
                    problem,
                    model,
                    variant,
                    "cap",
                    cap,
                    "sweeps",
                    sweeps,
                    "instructions",
                    instructions,
                    "energy",
                    energy,
                ] => told.solves.push(Solve {
                    problem: problem.parse()?,
                    model: model.into(),
                    variant: variant.into(),
                    cap: cap.parse()?,
                    sweeps: sweeps.parse()?,
                    instructions: instructions.parse()?,
                    energy: u32::from_str_radix(energy, 16)?,
                }),
                ["order", problem, model, variant, "instructions", instructions] => {
                    told.orders.push((problem.parse()?, model.into(), variant.into(), instructions.parse()?));
                }
                ["too-large", problem] => told.too_large.push(problem.parse()?),
                ["float_env_ok", "true"] | ["calibration", "1000"] => {}
                _ => bail!("the board says `{line}`"),
            }
        }
        Ok(told)
    }

    fn of(&self, problem: usize, model: &str) -> Result<Pair<'_>> {
        let by = |variant| {
            self.solves
                .iter()
                .filter(move |solve| solve.problem == problem && solve.model == model && solve.variant == variant)
        };
        let missing = || format!("the board did not solve problem {problem} in {model}");
        let baseline = by(BASELINE).find(|solve| solve.cap == GAIN_AT).with_context(missing)?;
        let ordered = |(of, in_model, by, _): &&(usize, String, String, u64)| {
            *of == problem && in_model == model && by == DEFAULT
        };
        let order = self.orders.iter().find(ordered).with_context(missing)?.3;
        let default = by(DEFAULT).find(|solve| solve.cap == GAIN_AT).with_context(missing)?;
        Ok(Pair { baseline, default, last: by(LAST).collect(), order })
    }
}

#[cfg(test)]
mod tests {
    use super::words;
    use tumble::{Problem, Settings};
    use tumble_cli::problem_file::ProblemFile;
    use tumble_scenes::words::{problems, read};

    /// Two bodies that touch, one held by the ground, one pushed by a motor; rows out of order, bodies either way round.
    const FILE: &str = r#"{
        "format": "tumble-problem-1", "name": "two",
        "bodies": [
            {"inv_mass": [[2,0,0,0.1,0,0],[0,2,0,0,0,0],[0,0,2,0,0,0],[0.1,0,0,9,0,0],[0,0,0,0,8,0],[0,0,0,0,0,7]],
             "v_free": [0.1,0.2,-0.3,0.4,0.5,0.6]},
            {"inv_mass": [[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,5,0,0],[0,0,0,0,5,0],[0,0,0,0,0,5]],
             "v_free": [-0.1,0,-0.7,0,0,0]}
        ],
        "rows": [
            {"a": 1, "ja": [1,0,0,0,0.3,0], "b": 0, "jb": [-1,0,0,0,0.2,0], "lo": null, "hi": null},
            {"a": null, "ja": null, "b": 0, "jb": [0,0,1,0.1,0,0], "e": 0.01, "c": 0.02, "lo": 0, "hi": null},
            {"a": 0, "ja": [0,0,-1,0,0,0], "b": 1, "jb": [0,0,1,0,0,0], "lo": 0, "hi": null},
            {"a": 1, "ja": [0,1,0,0.3,0,0], "b": 0, "jb": [0,-1,0,0.2,0,0], "lo": null, "hi": null},
            {"a": 1, "ja": [0,0,0,0,0,1], "b": null, "jb": null, "e": 0.5, "lo": -0.1, "hi": 0.2}
        ],
        "contacts": [{"n": 2, "t": [0, 3], "mu": 0.4}]
    }"#;

    #[test]
    fn a_problem_in_words_is_the_problem_of_the_file() {
        let file = ProblemFile::parse(FILE).unwrap();
        let words = words(&[file.clone(), file.clone()]).unwrap();
        assert_eq!(problems(&words).count(), 2);
        let [mut of_file, mut of_words] = [Problem::<f32, 2, 5>::new(), Problem::new()];
        file.build(&mut of_file).unwrap();
        for problem in problems(&words) {
            read(problem, &mut of_words).unwrap();
            for iterations in [1, 2, 20] {
                let settings = Settings { iterations, tolerance: 0.0, ..Settings::default() };
                assert_eq!(of_words.solve(&settings), of_file.solve(&settings));
                assert!(of_words.velocities().eq(of_file.velocities()));
                assert!(of_words.impulses().eq(of_file.impulses()));
            }
            of_file.clear();
            file.build(&mut of_file).unwrap();
        }
    }

    #[test]
    fn words_that_are_no_problem_are_refused() {
        let words = words(&[ProblemFile::parse(FILE).unwrap()]).unwrap();
        let problem = problems(&words).next().unwrap();
        // a part of it is one only where a block ends: the bodies; and one, two blocks more
        let good = (0..problem.len()).filter(|n| read(&problem[..*n], &mut Problem::<f32, 2, 5>::new()).is_ok());
        assert_eq!(good.count(), 3);
        assert!(read(problem, &mut Problem::<f32, 1, 5>::new()).is_err());
        assert!(read(problem, &mut Problem::<f32, 2, 4>::new()).is_err());
        // cut off, or longer than it says
        assert_eq!(problems(&words[..words.len() - 2]).count(), 0);
        assert_eq!(problems(&[]).count(), 0);
    }
}
