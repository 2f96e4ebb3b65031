//! `tumble feed-table`: how fast a vibrating track conveys, by the resolved drive, as a table for flash that the averaged drive reads.

use crate::output::Destination;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::fmt;
use std::num::NonZero;
use tumble_cli::problem_file::Refusal;
use tumble_scenes::conveying::{Track, out_of_step};

/// Make a table of conveying speeds of a vibrating track
///
/// Lets a part be conveyed by the resolved drive at every node of a grid, and prints a static table that an averaged drive takes as
/// Drive::Averaged { table: &NAME, .. }. The defaults make tumble::twin::FEED_TABLE, in a minute or two.
#[derive(Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Throw numbers Γ = a_n ω² / (g cos θ) of the nodes, rising, from 0 on
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = THROWS)]
    throws: Vec<f32>,

    /// Holds κ = μ g cos θ / (μ g cos θ + a_t ω²) of the nodes, rising, between 0 and 1
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = HOLDS)]
    holds: Vec<f32>,

    /// Slopes s = tan θ / μ of the nodes, rising, between -1 and 1
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = SLOPES, allow_hyphen_values = true)]
    slopes: Vec<f32>,

    /// Steps of a cycle, 20 to 10000
    #[arg(long, value_name = "N", default_value_t = 400)]
    samples: u16,

    /// Name of the static: capitals, digits and _
    #[arg(long, default_value = "FEED_TABLE")]
    name: String,

    /// Also write the table as JSON; "-" writes it to stdout and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<std::path::PathBuf>,
}

/// Where kinks of K are: a cell's worth of each axis is as far as K can be taken for linear, to a tenth.
const THROWS: &str = "0,0.15,0.35,0.5,0.65,0.8,1,1.15,1.35,1.45,1.5,1.575,1.65,1.7,1.8,1.85,1.95,2.2,2.6,3.2";
const HOLDS: &str = "0.004,0.03,0.1,0.16,0.2,0.25,0.3,0.325,0.35,0.4,0.5,0.55,0.6,0.65,0.7";
const SLOPES: &str = "-0.6,-0.5,-0.4,-0.2,0,0.1,0.2,0.3,0.4,0.5,0.6";
/// Nodes at most: what a speed's place in a table is counted with, and an hour or two.
const NODES: usize = 65_536;

const AFTER_HELP: &str = "\
Examples:
  tumble feed-table > src/twin/feed_table.rs
  tumble feed-table --slopes 0 --holds 0.05,0.1,0.15,0.2 --name LEVEL_TRACK > src/level_track.rs

Amplitude, frequency, vibration angle ψ, friction μ and incline θ come down to three numbers, Γ, κ and s; what they give is K, the mean speed
of a part in times the track's peak speed along itself. κ = m/(m + Γ) with m = μ tan ψ: angles of 10° to 45° and frictions of 0.1 to 0.8 are m of 0.018 to
0.8. At Γ = 0 K is the limit from above.

JSON keys:
  name, samples            what was asked
  throws, holds, slopes    the nodes
  speeds                   K at the nodes: throws run fastest, then holds, then slopes

Exit code: 0 done; 2 arguments refused; 1 anything else.";

/// The table as it is written.
#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    samples: u16,
    slopes: &'a [f32],
    holds: &'a [f32],
    throws: &'a [f32],
    speeds: Vec<f32>,
}

/// Check, convey, write.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    check(arguments)?;
    let Arguments { throws, holds, slopes, samples, name, json } = arguments;
    let answer = Destination::open(json.as_deref())?;
    let nodes: Vec<Track> = slopes
        .iter()
        .flat_map(|&slope| holds.iter().map(move |&hold| (slope, hold)))
        .flat_map(|(slope, hold)| throws.iter().map(move |&throw| Track::like(throw, hold, slope)))
        .collect();
    let speeds = shares(&nodes, out_of_step(*samples)).context("a track that cannot be built")?;
    answer.write(&Output { name, samples: *samples, slopes, holds, throws, speeds })
}

fn check(arguments: &Arguments) -> Result<(), Refusal> {
    let refuse = |place: &str, reason: String| Err(Refusal { place: place.into(), reason });
    let inside = |place: &str, list: &[f32], fits: fn(f32) -> bool, range: &str| match list.iter().find(|&&x| !fits(x))
    {
        Some(x) => refuse(place, format!("{x} is not {range}")),
        None if list.windows(2).any(|pair| pair[0] >= pair[1]) => {
            refuse(place, "must rise from one to the next".into())
        }
        None => Ok(()),
    };
    inside("--throws", &arguments.throws, |x| (0.0..=100.0).contains(&x), "between 0 and 100")?;
    inside("--holds", &arguments.holds, |x| (1e-3..=0.99).contains(&x), "between 0.001 and 0.99")?;
    inside("--slopes", &arguments.slopes, |x| x > -1.0 && x < 1.0, "between -1 and 1")?;
    if !(20..=10_000).contains(&arguments.samples) {
        return refuse("--samples", format!("must be 20 to 10000, not {}", arguments.samples));
    }
    let nodes = arguments.throws.len().saturating_mul(arguments.holds.len()).saturating_mul(arguments.slopes.len());
    if nodes > NODES {
        return refuse("--throws, --holds, --slopes", format!("are {nodes} nodes: more than {NODES}"));
    }
    let name = &arguments.name;
    let fits = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    if fits {
        Ok(())
    } else {
        refuse("--name", format!("must be of capitals, digits and _, a capital first, not {name:?}"))
    }
}

/// K of every node, to four decimals: the resolved drive knows no more. On as many cores as there are.
fn shares(nodes: &[Track], samples: f32) -> Result<Vec<f32>, tumble::Error> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = |node: &Track| node.resolved_share(samples).map(|k| ((k * 1e4).round() / 1e4) as f32);
    // turn by turn: neighbours take about as long
    let of_core = |core: usize| nodes.iter().skip(core).step_by(cores).map(share).collect::<Result<Vec<_>, _>>();
    let parts = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..cores).map(|core| scope.spawn(move || of_core(core))).collect();
        handles.into_iter().map(|handle| handle.join().expect("no panic")).collect::<Result<Vec<_>, _>>()
    })?;
    // no −0.0 in a table
    Ok((0..nodes.len()).map(|k| parts[k % cores][k / cores] + 0.0).collect())
}

/// Source.
impl fmt::Display for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, samples, slopes, holds, throws, speeds } = self;
        let list = |list: &[f32]| list.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
        writeln!(
            f,
            "/// Conveying speeds by the resolved drive of {samples} steps a cycle, in times the track's peak speed."
        )?;
        writeln!(f, "///")?;
        writeln!(f, "/// {} nodes, {} bytes. Made by `tumble feed-table`.", speeds.len(), 4 * speeds.len())?;
        writeln!(f, "#[rustfmt::skip]")?;
        writeln!(f, "#[allow(clippy::approx_constant, clippy::unreadable_literal)]")?;
        writeln!(f, "pub static {name}: tumble::twin::FeedTable = tumble::twin::FeedTable {{")?;
        writeln!(f, "    slopes: &[{}],", list(slopes))?;
        writeln!(f, "    holds: &[{}],", list(holds))?;
        writeln!(f, "    throws: &[{}],", list(throws))?;
        writeln!(f, "    speeds: &[")?;
        let mut rows = speeds.chunks(throws.len().max(1));
        for slope in *slopes {
            for (hold, row) in holds.iter().zip(&mut rows) {
                writeln!(f, "        // slope {slope:?}, hold {hold:?}")?;
                writeln!(f, "        {},", list(row))?;
            }
        }
        writeln!(f, "    ],\n}};")
    }
}
