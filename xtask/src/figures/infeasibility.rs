//! How far bodies are in each other against the step, in Hart's scenes: `docs/infeasibility.csv`, as `cargo xtask bench polyhedra` kept it.

use super::svg::{Axes, Axis, FAINT, INK, Point, Sheet};

/// Steps in s and violations in m: exponents of ten.
const STEPS: [i32; 2] = [-4, -2];
const DECADES: [i32; 2] = [-10, -2];
const SCENES: [(&str, &str); 4] =
    [("balance", "#1f5fd0"), ("pyramid", "#c2660c"), ("dice", "#2a8a3e"), ("setup", "#a3338f")];
const KEPT: &str = include_str!("../../../docs/infeasibility.csv");

pub(super) fn draw() -> String {
    let mut sheet = Sheet::new(
        640,
        560,
        "Mean violation against the step in four scenes, both logarithmic: lines of slope two with stabilisation, far higher without",
    );
    let axis = |[from, to]: [i32; 2]| Axis { label: "", from: from.into(), to: to.into(), tick: 1.0 };
    let axes = Axes { corner: [84.0, 40.0], size: [400.0, 460.0], x: axis(STEPS), y: axis(DECADES) };
    frame(&mut sheet, &axes);
    axes.clip(&mut sheet, "infeasibility");
    // slope two, through 1 µm at 1 ms
    let guide = axes.all_at(&[[-4.0, -8.0], [-2.0, -4.0]]);
    sheet.polyline(&guide, &format!(r#"stroke="{FAINT}" stroke-width="6" stroke-opacity="0.25""#));
    for (scene, colour) in SCENES {
        for (stabilised, dash) in [(true, ""), (false, r#"stroke-dasharray="5 4""#)] {
            let points = curve(scene, stabilised);
            sheet.polyline(&axes.all_at(&points), &format!(r#"stroke="{colour}" stroke-width="2" {dash}"#));
        }
    }
    axes.end_clip(&mut sheet);
    let end = |scene, stabilised| curve(scene, stabilised).first().map(|end| axes.at(*end)[1]);
    let ends = SCENES.into_iter().flat_map(|(scene, colour)| {
        let with = end(scene, true).map(|y| (y, scene.to_string(), colour));
        let without = end(scene, false).map(|y| (y, format!("{scene}, without"), colour));
        [with, without].into_iter().flatten()
    });
    let [x, _] = axes.at([(2e-3_f64).log10(), 0.0]);
    sheet.labels(x + 8.0, ends.collect());
    let title = format!(r#"fill="{INK}" font-size="14""#);
    sheet.text([84.0, 24.0], &title, "mean of I(q) = max Φ⁻ by step; dashed: without stabilisation");
    let [x, y] = axes.at([-3.95, -7.45]);
    sheet.text([x, y], &format!(r#"fill="{FAINT}""#), "slope 2");
    sheet.finish()
}

/// Logarithms of step and violation.
fn curve(scene: &str, stabilised: bool) -> Vec<Point> {
    let point = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        let [of, stable, h, violation] = words[..] else { return None };
        if of != scene || stable != stabilised.to_string() {
            return None;
        }
        let [h, violation] = [h, violation].map(|word| word.parse::<f64>().ok());
        // so near to a tick that no digit shows
        Some([h?.log10(), violation?.log10()])
    };
    KEPT.lines().filter_map(point).collect()
}

/// Powers of ten at the ticks.
fn frame(sheet: &mut Sheet, axes: &Axes) {
    let [[left, top], [right, bottom]] = axes.corners();
    let (line, grid) = (format!(r#"stroke="{INK}""#), format!(r#"stroke="{FAINT}" stroke-opacity="0.3""#));
    for exponent in STEPS[0]..=STEPS[1] {
        let [x, _] = axes.at([exponent.into(), 0.0]);
        sheet.polyline(&[[x, top], [x, bottom]], &grid);
        let words = ["0.1 ms", "1 ms", "10 ms"];
        let word = usize::try_from(exponent - STEPS[0]).ok().and_then(|k| words.get(k)).copied().unwrap_or_default();
        sheet.text([x, bottom + 18.0], &format!(r#"fill="{INK}" text-anchor="middle""#), word);
    }
    for exponent in DECADES[0]..=DECADES[1] {
        let [_, y] = axes.at([0.0, exponent.into()]);
        sheet.polyline(&[[left, y], [right, y]], &grid);
        let word = match exponent {
            -9 => "1 nm",
            -6 => "1 µm",
            -3 => "1 mm",
            _ => continue,
        };
        sheet.polyline(&[[left - 5.0, y], [left, y]], &line);
        sheet.text([left - 8.0, y + 4.0], &format!(r#"fill="{INK}" text-anchor="end""#), word);
    }
    sheet.rectangle([left, top], [right, bottom], &line);
    sheet.text([0.5 * (left + right), bottom + 38.0], &format!(r#"fill="{INK}" text-anchor="middle""#), "step h");
}
