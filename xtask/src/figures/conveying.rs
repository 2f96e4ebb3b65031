//! Mean speed of a part against the throw number, by the resolved drive: `docs/conveying.csv`, as `cargo xtask bench feeder` kept it, with recorded speeds and the closed
//! form of throw conveying beside it.

use super::svg::{Axes, Axis, FAINT, INK, Point, Sheet};
use crate::bench::conveying::throw_of_flight;

/// Friction as it stands in the file, and its colour.
const FRICTIONS: [(&str, &str); 4] = [("0.8", "#a3338f"), ("0.4", "#2a8a3e"), ("0.2", "#c2660c"), ("0.1", "#1f5fd0")];
const KEPT: &str = include_str!("../../../docs/conveying.csv");

pub(super) fn draw() -> String {
    let mut sheet = Sheet::new(
        680,
        470,
        "Mean conveying speed against the throw number for four coefficients of friction: computed curves run through recorded speeds, and lie a little above the closed form for parts that never slide at high throw numbers",
    );
    let axes = Axes {
        corner: [64.0, 40.0],
        size: [440.0, 370.0],
        x: Axis { label: "throw number Γ", from: 0.0, to: 3.2, tick: 0.5 },
        y: Axis { label: "mm/s", from: 0.0, to: 180.0, tick: 20.0 },
    };
    axes.frame(&mut sheet);
    axes.clip(&mut sheet, "conveying");
    // from here on parts are thrown
    let threshold = axes.all_at(&[[1.0, 0.0], [1.0, 180.0]]);
    sheet.polyline(&threshold, &format!(r#"stroke="{FAINT}" stroke-opacity="0.5""#));
    let throw = axes.all_at(&throw_conveying());
    sheet.polyline(&throw, &format!(r#"stroke="{INK}" stroke-width="1.5" stroke-dasharray="6 4""#));
    for (friction, colour) in FRICTIONS {
        let curve = axes.all_at(&column(friction, 2));
        sheet.polyline(&curve, &format!(r#"stroke="{colour}" stroke-width="2""#));
        for mark in axes.all_at(&column(friction, 3)) {
            sheet.ring(mark, &format!(r#"stroke="{colour}" fill="white""#));
        }
    }
    axes.end_clip(&mut sheet);
    sheet.text(
        [64.0, 24.0],
        &format!(r#"fill="{INK}" font-size="14""#),
        "mean speed of a part; level track, vibration angle 30°, 50 Hz",
    );
    key(&mut sheet);
    let [x, y] = axes.at([1.0, 172.0]);
    sheet.text([x + 6.0, y + 4.0], &format!(r#"fill="{FAINT}""#), "parts leave the track");
    sheet.finish()
}

/// What lines and rings are, beside the frame.
fn key(sheet: &mut Sheet) {
    let (left, mut y) = (522.0, 60.0);
    let words = format!(r#"fill="{INK}""#);
    for (friction, colour) in FRICTIONS {
        sheet.polyline(&[[left, y], [left + 26.0, y]], &format!(r#"stroke="{colour}" stroke-width="2""#));
        sheet.text([left + 34.0, y + 4.0], &words, &format!("μ = {friction}"));
        y += 20.0;
    }
    let dashed = format!(r#"stroke="{INK}" stroke-width="1.5" stroke-dasharray="6 4""#);
    sheet.polyline(&[[left, y], [left + 26.0, y]], &dashed);
    sheet.text([left + 34.0, y + 4.0], &words, "never slides,");
    sheet.text([left + 34.0, y + 19.0], &words, "closed form");
    y += 40.0;
    sheet.ring([left + 13.0, y], &format!(r#"stroke="{INK}" fill="white""#));
    sheet.text([left + 34.0, y + 4.0], &words, "recorded");
}

/// Throw numbers and a column of a friction, where there is something in it.
fn column(friction: &str, column: usize) -> Vec<Point> {
    let point = |line: &str| {
        let words: Vec<&str> = line.split(',').collect();
        if *words.first()? != friction {
            return None;
        }
        Some([words.get(1)?.parse().ok()?, words.get(column)?.parse().ok()?])
    };
    KEPT.lines().filter_map(point).collect()
}

/// `v = g n² cot ψ / 2f` in mm/s, over the throw number at which a part flies for n of a cycle.
fn throw_conveying() -> Vec<Point> {
    let point = |k: u16| {
        let n = f64::from(k) / 100.0;
        [throw_of_flight(n), 1e3 * 9.81 * n * n * 3_f64.sqrt() / 100.0]
    };
    (5..=100).map(point).collect()
}
