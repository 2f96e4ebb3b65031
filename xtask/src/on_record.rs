//! What the firmware cost when somebody last looked: `boards/on_record.txt`. Growth is to be reviewed, not to creep in.

use crate::bench::polyhedra::{PairCost, measure_pairs};
use crate::cost::{self, Spread};
use crate::exact::{self, Measured, Pivot};
use crate::feeder;
use crate::firmware::{BOARDS, Played, build, emulate, size};
use crate::shell::{command, execute, root};
use anyhow::{Context, Result, bail};
use std::fmt::Write;

/// What a figure may grow by before somebody must look. The same compiler gives the same figures in every folder.
const GROWTH: f64 = 1.02;

/// Compare instructions per sweep and bytes of each firmware with the record; `TUMBLE_BLESS=1` writes it anew.
pub(crate) fn check() -> Result<()> {
    let path = root().join("boards/on_record.txt");
    let now = measure()?;
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(&path, &now)?;
    }
    let record = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut then, mut now) = (record.lines(), now.lines());
    let (compiler, compiler_now) = (then.next(), now.next());
    if compiler != compiler_now {
        // figures of another compiler say nothing of this change
        println!("    skipped: boards/on_record.txt is of {}", compiler.unwrap_or("no compiler"));
        return Ok(());
    }
    for now in now {
        let (name, value) = figure(now)?;
        let Some(then) = then.next() else { bail!("`{name}` is not on record; run again with TUMBLE_BLESS=1") };
        let (name_then, value_then) = figure(then)?;
        if name != name_then {
            bail!("`{name}` stands where `{name_then}` is on record; run again with TUMBLE_BLESS=1");
        }
        if value > value_then * GROWTH {
            bail!("{name} has grown from {value_then} to {value}; if that is meant, run again with TUMBLE_BLESS=1");
        }
    }
    Ok(())
}

/// One figure a line, its name before its value; the compiler first.
fn measure() -> Result<String> {
    let mut text = String::from_utf8(execute(command("rustc").arg("--version"))?.stdout)?;
    for board in BOARDS {
        let elf = build(board, "release")?;
        let size = size(&elf)?;
        let variant = board.variant;
        writeln!(text, "{variant} flash bytes {}", size.flash)?;
        writeln!(text, "{variant} ram bytes {}", size.ram)?;
        let output = emulate(board, &elf)?;
        writeln!(text, "{variant} solve stack bytes, f32 {}", output.stack[0])?;
        writeln!(text, "{variant} solve stack bytes, f64 {}", output.stack[1])?;
        for cost in output.costs {
            let Some(sweep) = cost.per_sweep() else { continue };
            writeln!(text, "{variant} {} {} instructions per sweep {sweep:.0}", cost.scalar, cost.case)?;
        }
        let evidence = cost::evidence(board)?;
        for played in &evidence.scenes {
            let (Played { scene, bytes, .. }, Spread { mean, most, .. }) = (played, played.instructions());
            writeln!(text, "{variant} {scene} bytes {bytes}")?;
            writeln!(text, "{variant} {scene} instructions per step, mean {mean:.0}")?;
            writeln!(text, "{variant} {scene} instructions per step, most {most}")?;
        }
        let stack = evidence.scenes.iter().map(Played::stack).max().unwrap_or(0);
        writeln!(text, "{variant} step stack bytes {stack}")?;
    }
    for PairCost { name, ratio, events, .. } in measure_pairs()? {
        writeln!(text, "m4f pair {name} instructions, ratio {ratio}")?;
        writeln!(text, "m4f pair {name} instructions, events {events}")?;
    }
    let (spheres, chains) = exact::measure()?;
    for Measured { case, seed, bytes, first, again, .. } in spheres {
        writeln!(text, "m4f exact {case} seed {seed} bytes {bytes}")?;
        writeln!(text, "m4f exact {case} seed {seed} instructions {first}")?;
        writeln!(text, "m4f exact {case} seed {seed} instructions again {again}")?;
    }
    for Pivot { case, update, scratch, .. } in chains {
        writeln!(text, "m4f exact {case} instructions per pivot {update}")?;
        writeln!(text, "m4f exact {case} instructions from scratch {scratch}")?;
    }
    let (runs, longest) = (feeder::longest()?, feeder::longest_run()?);
    let steps: u64 = runs.iter().map(|run| run.steps).sum();
    let mean = runs.iter().map(|run| run.mean * run.steps).sum::<u64>() / steps.max(1);
    writeln!(text, "m4f linear-feeder instructions per step, mean {mean}")?;
    writeln!(text, "m4f linear-feeder instructions per step, most {}", longest.most)?;
    Ok(text)
}

fn figure(line: &str) -> Result<(&str, f64)> {
    let (name, value) = line.rsplit_once(' ').with_context(|| format!("`{line}` is no figure"))?;
    Ok((name, value.parse().with_context(|| format!("`{line}` has no number"))?))
}
