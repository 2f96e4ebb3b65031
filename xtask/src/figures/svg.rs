//! Plain SVG text: a white sheet, polylines, words, and axes that turn quantities into pixels. Coordinates are tenths of a pixel, so that no
//! digit depends on more than arithmetic.

use std::fmt::Write;

/// Colours of everything that is not the subject.
pub(super) const INK: &str = "#27303d";
pub(super) const FAINT: &str = "#7a8699";

pub(super) type Point = [f64; 2];

/// A drawing under way.
pub(super) struct Sheet {
    text: String,
}

impl Sheet {
    /// `label` says what it shows to who cannot see it.
    pub(super) fn new(width: u32, height: u32, label: &str) -> Self {
        let mut sheet = Self { text: String::new() };
        sheet.line(&format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{label}" font-family="sans-serif" font-size="12" fill="none">"#
        ));
        // pages may be dark
        sheet.line(&format!(r##"<rect width="{width}" height="{height}" fill="#fff"/>"##));
        sheet
    }

    /// One line of SVG as it is; never an empty one, which would end it where it stands in documentation.
    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Open polyline.
    pub(super) fn polyline(&mut self, points: &[Point], style: &str) {
        self.line(&format!(r#"<path {style} d="{}"/>"#, path(points)));
    }

    /// Closed polygons, holes where they overlap.
    pub(super) fn polygons(&mut self, polygons: &[Vec<Point>], style: &str) {
        let d: String = polygons.iter().map(|points| path(points) + "z").collect();
        self.line(&format!(r#"<path fill-rule="evenodd" {style} d="{d}"/>"#));
    }

    /// A ring, so that what it marks shows in it.
    pub(super) fn ring(&mut self, [x, y]: Point, style: &str) {
        let (x, y) = (tenths(x), tenths(y));
        self.line(&format!(r#"<circle cx="{}" cy="{}" r="3.5" {style}/>"#, shown(x), shown(y)));
    }

    pub(super) fn rectangle(&mut self, [left, top]: Point, [right, bottom]: Point, style: &str) {
        let corners = [[left, top], [right, top], [right, bottom], [left, bottom]];
        self.polygons(&[corners.to_vec()], style);
    }

    pub(super) fn text(&mut self, [x, y]: Point, style: &str, words: &str) {
        let (x, y) = (tenths(x), tenths(y));
        self.line(&format!(r#"<text x="{}" y="{}" {style}>{words}</text>"#, shown(x), shown(y)));
    }

    /// What each line is, beside its end at this height, apart far enough to be read.
    pub(super) fn labels(&mut self, x: f64, mut ends: Vec<(f64, String, &str)>) {
        ends.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut free = 0.0_f64;
        for (y, words, colour) in ends {
            let y = y.max(free);
            free = y + 16.0;
            self.text([x, y + 4.0], &format!(r#"fill="{colour}""#), &words);
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.line("</svg>");
        self.text
    }
}

/// One quantity along an axis.
pub(super) struct Axis {
    pub(super) label: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    /// Distance of two ticks.
    pub(super) tick: f64,
}

/// A frame with its top left corner and size in pixels.
pub(super) struct Axes {
    pub(super) corner: Point,
    pub(super) size: Point,
    pub(super) x: Axis,
    pub(super) y: Axis,
}

impl Axes {
    /// Pixels of a pair of quantities.
    pub(super) fn at(&self, [x, y]: Point) -> Point {
        let share = |axis: &Axis, value: f64| (value - axis.from) / (axis.to - axis.from);
        let ([left, top], [width, height]) = (self.corner, self.size);
        [left + width * share(&self.x, x), top + height * (1.0 - share(&self.y, y))]
    }

    pub(super) fn all_at(&self, points: &[Point]) -> Vec<Point> {
        points.iter().map(|point| self.at(*point)).collect()
    }

    /// Outer corners, top left and bottom right.
    pub(super) fn corners(&self) -> [Point; 2] {
        [self.at([self.x.from, self.y.to]), self.at([self.x.to, self.y.from])]
    }

    /// What is drawn until `end_clip` shows only inside the frame.
    pub(super) fn clip(&self, sheet: &mut Sheet, id: &str) {
        sheet.line(&format!(r#"<clipPath id="{id}">"#));
        let [top_left, bottom_right] = self.corners();
        sheet.rectangle(top_left, bottom_right, "");
        sheet.line(&format!(r#"</clipPath><g clip-path="url(#{id})">"#));
    }

    pub(super) fn end_clip(&self, sheet: &mut Sheet) {
        sheet.line("</g>");
    }

    /// The frame, its ticks and what they measure.
    pub(super) fn frame(&self, sheet: &mut Sheet) {
        let [[left, top], [right, bottom]] = self.corners();
        let line = format!(r#"stroke="{INK}""#);
        for x in ticks(&self.x) {
            let [px, _] = self.at([x, self.y.from]);
            sheet.polyline(&[[px, bottom], [px, bottom + 5.0]], &line);
            sheet.text([px, bottom + 18.0], &format!(r#"fill="{INK}" text-anchor="middle""#), &number(x));
        }
        for y in ticks(&self.y) {
            let [_, py] = self.at([self.x.from, y]);
            sheet.polyline(&[[left - 5.0, py], [left, py]], &line);
            sheet.text([left - 8.0, py + 4.0], &format!(r#"fill="{INK}" text-anchor="end""#), &number(y));
        }
        sheet.rectangle([left, top], [right, bottom], &line);
        let (middle, beside) = (0.5 * (top + bottom), left - 34.0);
        sheet.text(
            [0.5 * (left + right), bottom + 36.0],
            &format!(r#"fill="{INK}" text-anchor="middle""#),
            self.x.label,
        );
        let turned = format!(r#"fill="{INK}" text-anchor="middle" transform="rotate(-90 {beside} {middle})""#);
        sheet.text([beside, middle], &turned, self.y.label);
    }
}

fn ticks(axis: &Axis) -> impl Iterator<Item = f64> {
    let (from, to, tick) = (axis.from, axis.to, axis.tick);
    let first = (from / tick).ceil() as i32;
    (first..).map(move |k| f64::from(k) * tick).take_while(move |x| *x <= to)
}

/// With a minus as wide as a plus.
pub(super) fn number(x: f64) -> String {
    x.to_string().replace('-', "−")
}

/// `M x y L x y …`, without points that lie on the way from one to the next.
fn path(points: &[Point]) -> String {
    let mut kept: Vec<[i64; 2]> = Vec::new();
    for point in points {
        let next = point.map(tenths);
        if kept.last() == Some(&next) {
            continue;
        }
        if let [.., before, last] = kept[..]
            && straight(before, last, next)
        {
            kept.pop();
        }
        kept.push(next);
    }
    let mut d = String::new();
    for (k, [x, y]) in kept.into_iter().enumerate() {
        let verb = if k == 0 { "M" } else { "L" };
        write!(d, "{verb}{} {}", shown(x), shown(y)).expect("text has room");
    }
    d
}

/// Does `b` lie between `a` and `c`?
fn straight(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> bool {
    let ([ux, uy], [vx, vy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
    ux * vy == uy * vx && ux * vx + uy * vy >= 0
}

fn tenths(pixels: f64) -> i64 {
    (10.0 * pixels).round() as i64
}

fn shown(tenths: i64) -> String {
    (tenths as f64 / 10.0).to_string()
}
