//! Time of sweeps over time of pivots, for the same accuracy, against the number of rows: `docs/exact-crossover.csv`, as `cargo xtask bench exact` kept it.

use super::svg::{Axes, Axis, FAINT, INK, Point, Sheet};

/// Of sizes and ratios the logarithms are drawn: to base 2 and 10.
const SIZES: [i32; 2] = [4, 11];
const DECADES: [i32; 2] = [-4, 3];

/// A method's colour, by shape: stack, pile.
const METHODS: [(&str, &str); 2] = [("PSOR", "#1f5fd0"), ("default sweeps", "#c2660c")];
const KEPT: &str = include_str!("../../../docs/exact-crossover.csv");

pub(super) fn draw() -> String {
    let mut sheet = Sheet::new(
        720,
        470,
        "Time of sweeps over time of the exact solver against the number of rows, for stacks and piles: the exact solver is faster for small problems, sweeps for large ones",
    );
    let axis = |[from, to]: [i32; 2]| Axis { label: "", from: from.into(), to: to.into(), tick: 1.0 };
    let axes = Axes { corner: [84.0, 40.0], size: [440.0, 360.0], x: axis(SIZES), y: axis(DECADES) };
    frame(&mut sheet, &axes);
    axes.clip(&mut sheet, "exact-crossover");
    let one = axes.all_at(&[[SIZES[0].into(), 0.0], [SIZES[1].into(), 0.0]]);
    sheet.polyline(&one, &format!(r#"stroke="{INK}" stroke-width="1.5""#));
    let mut ends: Vec<(f64, String, &str)> = Vec::new();
    for (shape, dash) in [("stack", ""), ("pile", r#"stroke-dasharray="7 4""#)] {
        for (k, (method, colour)) in METHODS.into_iter().enumerate() {
            let points = curve(shape, k);
            sheet.polyline(&axes.all_at(&points), &format!(r#"stroke="{colour}" stroke-width="2" {dash}"#));
            if let Some(&end) = points.last() {
                let [_, y] = axes.at(end);
                ends.push((y, format!("{shape}, {method}"), colour));
            }
        }
    }
    axes.end_clip(&mut sheet);
    let [_, [right, _]] = axes.corners();
    sheet.labels(right + 8.0, ends);
    sheet.text(
        [84.0, 24.0],
        &format!(r#"fill="{INK}" font-size="14""#),
        "time to an energy error of 1e-8 of the start: sweeps ÷ pivots",
    );
    let [_, y] = axes.at([0.0, 0.0]);
    let faint = format!(r#"fill="{FAINT}" text-anchor="end""#);
    sheet.text([516.0, y - 110.0], &faint, "pivots are faster");
    sheet.text([220.0, y + 110.0], &faint, "sweeps are faster");
    sheet.finish()
}

/// Logarithms of sizes and ratios; where a method did not get there, nothing.
fn curve(shape: &str, method: usize) -> Vec<Point> {
    let point = |line: &str| {
        let mut words = line.split(',');
        if words.next()? != shape {
            return None;
        }
        let rows: f64 = words.next()?.parse().ok()?;
        let ratio: f64 = words.nth(method)?.parse().ok()?;
        // what rounds to nothing is below the frame
        Some([rows.log2(), ratio.max(1e-9).log10()])
    };
    KEPT.lines().filter_map(point).collect()
}

/// Sizes and ratios, not their logarithms, at the ticks.
fn frame(sheet: &mut Sheet, axes: &Axes) {
    let [[left, top], [right, bottom]] = axes.corners();
    let (line, grid) = (format!(r#"stroke="{INK}""#), format!(r#"stroke="{FAINT}" stroke-opacity="0.3""#));
    for size in SIZES[0]..=SIZES[1] {
        let [x, _] = axes.at([size.into(), 0.0]);
        sheet.polyline(&[[x, top], [x, bottom]], &grid);
        sheet.polyline(&[[x, bottom], [x, bottom + 5.0]], &line);
        sheet.text([x, bottom + 18.0], &format!(r#"fill="{INK}" text-anchor="middle""#), &(1 << size).to_string());
    }
    for decade in DECADES[0]..=DECADES[1] {
        let [_, y] = axes.at([0.0, decade.into()]);
        sheet.polyline(&[[left, y], [right, y]], &grid);
        sheet.polyline(&[[left - 5.0, y], [left, y]], &line);
        let ratio = if decade < 0 {
            format!("1/{}", 10_i32.pow(decade.unsigned_abs()))
        } else {
            10_i32.pow(decade.unsigned_abs()).to_string()
        };
        sheet.text([left - 8.0, y + 4.0], &format!(r#"fill="{INK}" text-anchor="end""#), &ratio);
    }
    sheet.rectangle([left, top], [right, bottom], &line);
    sheet.text(
        [0.5 * (left + right), bottom + 38.0],
        &format!(r#"fill="{INK}" text-anchor="middle""#),
        "unilateral rows",
    );
}
