//! Figure 1 of Enzenhöfer: isolines of the energy error of one row over its impulse x and its velocity w, for a contact's normal (0 ≤ x) and for
//! friction (−1 ≤ x ≤ 1 N·s), a = 1/kg.
//!
//! ```text
//! solid    δe = 0: x between the bounds and w = 0, or x at a bound and w against it
//! dashed   w = a (x − bound), where x and w are equally wrong: δe = a/2 (x − bound)², and isolines turn
//! ```

use super::contour::Field;
use super::svg::{Axes, Axis, FAINT, INK, Point, Sheet, number};
use tumble::solve::energy_error;

/// 1/kg
const A: f64 = 1.0;
/// Both axes go from −REACH to REACH. N·s, m/s
const REACH: f64 = 3.0;
/// J, and the colour of what is below.
const LEVELS: [(f64, &str); 6] =
    [(4.0, "#fdd5a4"), (2.0, "#fde0ba"), (1.0, "#fee9cd"), (0.5, "#fff1de"), (0.25, "#fff8ed"), (0.125, "#ffffff")];
const BEYOND: &str = "#fbc98b";
const ISOLINE: &str = "#c2660c";
const SOLUTION: &str = "#1f5fd0";
/// Name of the pattern over impulses that may not be.
const OUTSIDE: &str = "energy-error-outside";

/// One kind of row.
struct Row {
    title: &'static str,
    lo: f64,
    hi: f64,
}

const ROWS: [Row; 2] = [
    Row { title: "normal of a contact: 0 ≤ x", lo: 0.0, hi: f64::INFINITY },
    Row { title: "friction: −1 N·s ≤ x ≤ 1 N·s", lo: -1.0, hi: 1.0 },
];

pub(super) fn draw() -> String {
    let mut sheet = Sheet::new(
        860,
        478,
        "Isolines of the energy error of a row over its impulse and its velocity; it is zero on the solutions alone",
    );
    sheet.line(&format!(
        r#"<pattern id="{OUTSIDE}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0V7" stroke="{FAINT}" stroke-opacity="0.45"/></pattern>"#
    ));
    for ((k, row), left) in (0..).zip(ROWS).zip([64.0, 500.0]) {
        panel(&mut sheet, k, &row, [left, 48.0]);
    }
    legend(&mut sheet);
    sheet.finish()
}

fn panel(sheet: &mut Sheet, k: u8, row: &Row, corner: Point) {
    let axis = |label: &'static str| Axis { label, from: -REACH, to: REACH, tick: 1.0 };
    let axes = Axes { corner, size: [336.0; 2], x: axis("impulse x [N·s]"), y: axis("velocity w [m/s]") };
    let [top_left, bottom_right] = axes.corners();
    axes.clip(sheet, &format!("energy-error-{k}"));

    sheet.rectangle(top_left, bottom_right, &format!(r#"fill="{BEYOND}""#));
    // beyond the frame, so that a border along the rim does not show
    let field = Field::new([-1.05 * REACH; 2], [1.05 * REACH; 2], 630, |[x, w]| row.error(x, w));
    for (level, colour) in LEVELS {
        let polygons: Vec<Vec<Point>> = field.below(level).iter().map(|polygon| axes.all_at(polygon)).collect();
        sheet.polygons(&polygons, &format!(r#"fill="{colour}" stroke="{ISOLINE}""#));
    }
    for [from, to] in row.outside() {
        sheet.rectangle(axes.at([from, REACH]), axes.at([to, -REACH]), &format!(r#"fill="url(#{OUTSIDE})""#));
    }
    for bound in row.bounds() {
        let far = 2.0 * REACH;
        sheet.polyline(&axes.all_at(&[[bound, far], [bound, -far]]), &format!(r#"stroke="{FAINT}""#));
        sheet.polyline(&axes.all_at(&[[bound - far, -A * far], [bound + far, A * far]]), &dashed());
    }
    sheet.polyline(&axes.all_at(&row.solutions()), &thick());
    axes.end_clip(sheet);

    axes.frame(sheet);
    for (level, place) in row.labels() {
        let [x, y] = axes.at(place);
        let style = format!(
            r##"fill="{ISOLINE}" font-size="10.5" text-anchor="middle" stroke="#fff" stroke-width="6" stroke-linejoin="round" paint-order="stroke""##
        );
        sheet.text([x, y + 3.5], &style, &format!("{}\u{202f}J", number(level)));
    }
    let [left, top] = corner;
    let title = format!(r#"fill="{INK}" font-size="14" font-weight="bold" text-anchor="middle""#);
    sheet.text([left + 168.0, top - 16.0], &title, row.title);
}

impl Row {
    /// J
    fn error(&self, x: f64, w: f64) -> f64 {
        energy_error(A, x, w, self.lo, self.hi)
    }

    fn bounds(&self) -> impl Iterator<Item = f64> {
        [self.lo, self.hi].into_iter().filter(|bound| bound.is_finite())
    }

    /// Where no impulse may be: from, to.
    fn outside(&self) -> impl Iterator<Item = [f64; 2]> {
        [[-REACH, self.lo], [self.hi, REACH]].into_iter().filter(|[from, to]| from < to)
    }

    /// Down along the lower bound, across, and down along the upper one.
    fn solutions(&self) -> Vec<Point> {
        let far = 2.0 * REACH;
        let mut line = vec![[self.lo, far], [self.lo, 0.0]];
        if self.hi.is_finite() {
            line.extend([[self.hi, 0.0], [self.hi, -far]])
        } else {
            line.push([far, 0.0])
        }
        line
    }

    /// A number for each piece of each isoline that has room for it.
    fn labels(&self) -> Vec<(f64, Point)> {
        let mut labels = Vec::new();
        for (k, (level, _)) in (0..).zip(LEVELS) {
            // δe = a/2 d², where w = a d
            let d = (2.0 * level / A).sqrt();
            let places = if self.hi.is_finite() {
                // clear of the bounds; the lower one's lines are the upper one's after half a turn
                let x = if d <= 1.0 { d - 0.4 } else { f64::max(d - 0.4, 1.5) };
                [[x, A * d], [-x, -A * d]]
            } else {
                // lines that are close have their numbers side by side
                let x = 2.0 + 0.5 * f64::from(k % 2);
                [[x, A * d], [x, -A * d]]
            };
            let there = |[x, w]: &Point| (self.error(*x, *w) - level).abs() < 1e-9;
            labels.extend(places.into_iter().filter(there).map(|place| (level, place)));
        }
        labels
    }
}

fn thick() -> String {
    format!(r#"stroke="{SOLUTION}" stroke-width="3.5" stroke-linejoin="round""#)
}

fn dashed() -> String {
    format!(r#"stroke="{INK}" stroke-dasharray="5 4""#)
}

fn legend(sheet: &mut Sheet) {
    let (y, words) = (458.0, format!(r#"fill="{INK}""#));
    let sample = |left: f64| [[left, y - 4.0], [left + 28.0, y - 4.0]];
    sheet.polyline(&sample(64.0), &thick());
    sheet.text([100.0, y], &words, "solved, δe = 0");
    sheet.polyline(&sample(214.0), &format!(r#"stroke="{ISOLINE}""#));
    sheet.text([250.0, y], &words, "δe, each line twice the one before");
    sheet.polyline(&sample(478.0), &dashed());
    sheet.text([514.0, y], &words, "w = a (x − bound), a = 1/kg");
    sheet.rectangle([704.0, y - 11.0], [732.0, y + 3.0], &format!(r#"fill="url(#{OUTSIDE})" stroke="{FAINT}""#));
    sheet.text([740.0, y], &words, "out of bounds");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places along a line, its corners included.
    fn along(line: &[Point]) -> impl Iterator<Item = Point> {
        line.windows(2).flat_map(|pq| {
            let (p, q) = (pq[0], pq[1]);
            (0..=64).map(move |k| [0, 1].map(|i| p[i] + f64::from(k) / 64.0 * (q[i] - p[i])))
        })
    }

    #[test]
    fn what_is_drawn_as_solved_is() {
        for row in ROWS {
            for [x, w] in along(&row.solutions()) {
                assert_eq!(row.error(x, w), 0.0, "{}: {x} {w}", row.title);
            }
        }
    }

    #[test]
    fn along_the_dashed_lines_the_error_is_a_square() {
        for row in ROWS {
            for (bound, x) in row.bounds().flat_map(|bound| (-24..=24).map(move |k| (bound, f64::from(k) / 8.0))) {
                let d = x - bound;
                assert_eq!(row.error(x, A * d), 0.5 * A * d * d, "{}: {x}", row.title);
            }
        }
    }
}
