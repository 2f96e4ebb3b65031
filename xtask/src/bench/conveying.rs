//! Conveying: the resolved drive against recorded speeds and the closed form of throw conveying, the averaged drive against the resolved one.
//!
//! ```text
//! error    v/v_recorded − 1                                    of every periodic case
//! throw    v = g n² cot ψ / 2f, n = time in flight/cycle       endless friction
//! K        v over the track's peak speed along itself
//! ```
//! Single precision, here: the same numbers on every machine.

use super::Findings;
use super::feeder::BENCH;
use crate::shell::{root, step};
use anyhow::{Context, Result};
use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::num::NonZero;
use tumble::twin::{Drive, FEED_TABLE};
use tumble_cli::problems;
use tumble_scenes::conveying::{GRAVITY, Track, out_of_step};

const CASE: &str = "conveying";
/// What the picture is drawn from.
const KEPT: &str = "docs/conveying.csv";
/// Of the picture: tan 30°, level, 50 Hz; throw numbers in fortieths.
const TANGENT: f32 = 0.577_350_26;
const FRICTIONS: [f32; 4] = [0.1, 0.2, 0.4, 0.8];
const THROWS: std::ops::RangeInclusive<u16> = 1..=128;

/// Samples of a cycle, and what their figures are called.
struct Sampling {
    samples: f32,
    words: &'static str,
    /// Within 5 %, median, nine tenths, worst.
    metrics: [&'static str; 4],
}

/// A recorded case.
struct Recorded {
    track: Track,
    level: bool,
    angle: f64,
    /// m/s
    speed: f64,
}

pub(crate) fn run(findings: &mut Findings) -> Result<()> {
    let recorded = problems::conveying_table()?.map(|text| parse(&text)).transpose()?;
    match &recorded {
        Some(recorded) => against_recorded(findings, recorded)?,
        None => findings.line(format!("feeder: recorded speeds: skipped, {}", problems::MISSING)),
    }
    closed_form(findings)?;
    averaged(findings)?;
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        let curves = step("curves for the picture", || curves(recorded.as_deref().unwrap_or_default()))?;
        std::fs::write(root().join(KEPT), curves).with_context(|| format!("cannot write {KEPT}"))?;
    }
    Ok(())
}

fn parse(text: &str) -> Result<Vec<Recorded>> {
    let mut cases = Vec::new();
    for line in text.lines().skip(1).filter(|line| line.ends_with(",yes")) {
        let numbers = line.split(',').take(9).map(str::parse).collect::<Result<Vec<f64>, _>>();
        let numbers = numbers.with_context(|| format!("`{line}`"))?;
        let [friction, incline, angle, throw, frequency, _, _, _, speed] = numbers[..] else { continue };
        let tangent = |degrees: f64| degrees.to_radians().tan() as f32;
        let track = Track {
            rise: tangent(incline),
            tangent: tangent(angle),
            throw: throw as f32,
            friction: friction as f32,
            frequency: frequency as f32,
        };
        cases.push(Recorded { track, level: incline == 0.0, angle, speed });
    }
    Ok(cases)
}

fn against_recorded(findings: &mut Findings, cases: &[Recorded]) -> Result<()> {
    let samplings = [
        Sampling {
            samples: 200.0,
            words: "200, in step",
            metrics: [
                "within_5_percent_200_in_step",
                "median_error_200_in_step",
                "ninth_decile_error_200_in_step",
                "worst_error_200_in_step",
            ],
        },
        Sampling {
            samples: out_of_step(200),
            words: "200",
            metrics: ["within_5_percent_200", "median_error_200", "ninth_decile_error_200", "worst_error_200"],
        },
        Sampling {
            samples: out_of_step(400),
            words: "400",
            metrics: ["within_5_percent_400", "median_error_400", "ninth_decile_error_400", "worst_error_400"],
        },
        Sampling {
            samples: out_of_step(1000),
            words: "1000",
            metrics: ["within_5_percent_1000", "median_error_1000", "ninth_decile_error_1000", "worst_error_1000"],
        },
        Sampling {
            samples: out_of_step(2000),
            words: "2000",
            metrics: ["within_5_percent_2000", "median_error_2000", "ninth_decile_error_2000", "worst_error_2000"],
        },
    ];
    findings.line(format!(
        "feeder: mean speed on a vibrating track by the resolved drive, {} recorded cases; f32, here",
        cases.len()
    ));
    findings.line(
        "  samples a cycle   within 5 %   error: median   nine tenths      worst   worst, of the track's peak speed",
    );
    for Sampling { samples, words, metrics } in samplings {
        let mut errors = step(&format!("recorded speeds, {words} samples a cycle"), || {
            in_parallel(cases, |case| {
                let off = case.track.resolved_speed(samples)? - case.speed;
                Ok([(off / case.speed).abs(), off.abs() / f64::from(case.track.peak_speed())])
            })
        })?;
        let of_peak = errors.iter().map(|[_, of_peak]| *of_peak).fold(0.0, f64::max);
        errors.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let within = errors.iter().filter(|[error, _]| *error <= 0.05).count() as f64;
        let at = |share: f64| errors.get((share * (errors.len() - 1) as f64) as usize).map_or(0.0, |[error, _]| *error);
        let values = [within, at(0.5), at(0.9), at(1.0)];
        findings.line(format!(
            "  {words:<15}   {within:>10}   {:>13.4}   {:>11.4}   {:>8.3}   {of_peak:>8.4}",
            values[1], values[2], values[3]
        ));
        for (metric, value) in metrics.into_iter().zip(values) {
            findings.record(BENCH, CASE, "host", metric, value, "1");
        }
    }
    Ok(())
}

/// Γ of a part that is in flight for a share n of the cycle, and sticks from landing to leaving.
pub(crate) fn throw_of_flight(n: f64) -> f64 {
    let ratio = (TAU * n).cos() + 2.0 * (PI * n).powi(2) - 1.0;
    (ratio / (TAU * n - (TAU * n).sin())).hypot(1.0)
}

fn closed_form(findings: &mut Findings) -> Result<()> {
    let flights: Vec<f64> = (6_u16..=19).map(|k| f64::from(k) * 0.05).collect();
    let errors = step("closed form of throw conveying", || {
        in_parallel(&flights, |&n| {
            let throw = throw_of_flight(n) as f32;
            let track = Track { rise: 0.0, tangent: TANGENT, throw, friction: 1e3, frequency: 50.0 };
            let exact = f64::from(GRAVITY) * n * n / f64::from(TANGENT) / 100.0;
            Ok((track.resolved_speed(out_of_step(200))? / exact - 1.0).abs())
        })
    })?;
    let worst = errors.iter().copied().fold(0.0, f64::max);
    let long = flights.iter().zip(&errors).filter(|(n, _)| **n > 0.49).map(|(_, e)| *e).fold(0.0, f64::max);
    findings.line("");
    findings.line(format!(
        "feeder: throw conveying at endless friction, 200 samples a cycle, against g n² cot ψ/2f: worst error {worst:.4} in flights of 0.3 to 0.95 cycles, {long:.4} from 0.5 on"
    ));
    findings.record(BENCH, CASE, "host", "closed_form_worst_error_200", worst, "1");
    Ok(())
}

/// In the middle of every cell of the library's table.
fn averaged(findings: &mut Findings) -> Result<()> {
    let middles = |axis: &[f32]| axis.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect::<Vec<_>>();
    let (throws, holds) = (middles(FEED_TABLE.throws), middles(FEED_TABLE.holds));
    findings.line("");
    findings.line("feeder: the averaged drive at 1 ms against the resolved one, midway between the nodes of its table, 50 and 110 Hz");
    findings.line("  tracks   faster than 0.3 of peak speed: within 10 %   median error    worst   slower: median, of peak speed    worst   within 0.03");
    for (words, slopes, metrics) in [
        (
            "level",
            vec![0.0],
            ["averaged_level_median_error", "averaged_level_worst_error", "averaged_level_slow_worst_of_peak"],
        ),
        (
            "slopes",
            middles(FEED_TABLE.slopes),
            ["averaged_slopes_median_error", "averaged_slopes_worst_error", "averaged_slopes_slow_worst_of_peak"],
        ),
    ] {
        let mut tracks = Vec::new();
        for &slope in &slopes {
            for &hold in &holds {
                tracks.extend(throws.iter().map(|&throw| Track::like(throw, hold, slope)));
            }
        }
        tracks.iter_mut().step_by(2).for_each(|track| track.frequency = 110.0);
        let shares = step(&format!("{} {words} tracks, averaged and resolved", tracks.len()), || {
            in_parallel(&tracks, |track| {
                let drive = Drive::Averaged { table: &FEED_TABLE, friction: track.friction };
                let averaged = track.averaged_speed(drive, 1e-3)? / f64::from(track.peak_speed());
                Ok([averaged, track.resolved_share(out_of_step(200))?])
            })
        })?;
        let (fast, slow): (Vec<[f64; 2]>, Vec<[f64; 2]>) = shares.into_iter().partition(|[_, k]| k.abs() > 0.3);
        let sorted = |mut list: Vec<f64>| {
            list.sort_by(f64::total_cmp);
            list
        };
        let fast = sorted(fast.iter().map(|[a, k]| (a / k - 1.0).abs()).collect());
        let slow = sorted(slow.iter().map(|[a, k]| (a - k).abs()).collect());
        let median = |list: &[f64]| list.get(list.len() / 2).copied().unwrap_or(0.0);
        let worst = |list: &[f64]| list.last().copied().unwrap_or(0.0);
        let within = |list: &[f64], most: f64| list.iter().filter(|error| **error <= most).count();
        findings.line(format!(
            "  {words:6}   {:>38} of {:<3}   {:>12.4}   {:>6.3}   {:>29.4}   {:>6.3}   {:>4} of {}",
            within(&fast, 0.1),
            fast.len(),
            median(&fast),
            worst(&fast),
            median(&slow),
            worst(&slow),
            within(&slow, 0.03),
            slow.len()
        ));
        for (metric, value) in metrics.into_iter().zip([median(&fast), worst(&fast), worst(&slow)]) {
            findings.record(BENCH, CASE, "host", metric, value, "1");
        }
    }
    Ok(())
}

/// Speeds against throw numbers, in mm/s, and what is recorded of the same tracks.
fn curves(recorded: &[Recorded]) -> Result<String> {
    let mut kept = String::from("friction,throw,resolved,recorded\n");
    for friction in FRICTIONS {
        let tracks: Vec<Track> = THROWS
            .map(|k| Track { rise: 0.0, tangent: TANGENT, throw: f32::from(k) / 40.0, friction, frequency: 50.0 })
            .collect();
        let speeds = in_parallel(&tracks, |track| track.resolved_speed(out_of_step(200)))?;
        for (track, speed) in tracks.iter().zip(speeds) {
            let same = |case: &&Recorded| {
                let Recorded { track: of, level, angle, .. } = case;
                *level && *angle == 30.0 && of.friction == friction && (of.throw - track.throw).abs() < 1e-6
            };
            let recorded =
                recorded.iter().find(same).map_or_else(String::new, |case| format!("{:.3}", 1e3 * case.speed));
            writeln!(kept, "{friction},{},{:.3},{recorded}", track.throw, 1e3 * speed)?;
        }
    }
    Ok(kept)
}

/// On as many cores as there are, in order.
fn in_parallel<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> Result<U, tumble::Error> + Sync) -> Result<Vec<U>> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let work = &work;
    let parts = std::thread::scope(|scope| {
        let part = |core: usize| {
            scope.spawn(move || items.iter().skip(core).step_by(cores).map(work).collect::<Result<Vec<U>, _>>())
        };
        let parts: Vec<_> = (0..cores).map(part).collect();
        parts.into_iter().map(|part| part.join().expect("no panic")).collect::<Result<Vec<Vec<U>>, _>>()
    })?;
    let mut parts: Vec<_> = parts.into_iter().map(Vec::into_iter).collect();
    Ok((0..items.len()).filter_map(|k| parts[k % cores].next()).collect())
}
