//! Isolines by marching squares: the border of `{f < level}` on a grid, as closed polygons.
//!
//! Each cell of the grid has four corners inside or outside. Where two neighbours differ the border crosses their edge, linearly between their
//! values; within a cell it goes straight from crossing to crossing, with the inside on its left. The rim of the grid counts as outside, so that
//! every border closes.

use super::svg::Point;
use std::collections::BTreeMap;

/// Values on a grid.
pub(super) struct Field {
    from: Point,
    step: Point,
    /// Nodes along x and y.
    nodes: [usize; 2],
    values: Vec<f64>,
}

/// The edge from node (i, j) to the next one along x or y.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    i: usize,
    j: usize,
    along_y: bool,
}

impl Field {
    /// `f` on `cells` times `cells` cells.
    pub(super) fn new(from: Point, to: Point, cells: u16, f: impl Fn(Point) -> f64) -> Self {
        let step = [0, 1].map(|k| (to[k] - from[k]) / f64::from(cells));
        let nodes = usize::from(cells) + 1;
        let mut field = Self { from, step, nodes: [nodes; 2], values: Vec::new() };
        for j in 0..nodes {
            for i in 0..nodes {
                let rim = [i, j].iter().any(|k| *k == 0 || *k == nodes - 1);
                field.values.push(if rim { f64::INFINITY } else { f(field.place(i, j)) });
            }
        }
        field
    }

    /// The border of `{f < level}`: counter-clockwise, holes clockwise.
    pub(super) fn below(&self, level: f64) -> Vec<Vec<Point>> {
        let mut next = BTreeMap::new();
        for j in 0..self.nodes[1] - 1 {
            for i in 0..self.nodes[0] - 1 {
                self.cross(i, j, level, |enter, leave| {
                    next.insert(enter, leave);
                });
            }
        }
        let mut polygons = Vec::new();
        while let Some((start, mut edge)) = next.pop_first() {
            let mut polygon = vec![self.crossing(start, level)];
            while edge != start {
                polygon.push(self.crossing(edge, level));
                edge = next.remove(&edge).expect("a border closes");
            }
            polygon.push(polygon[0]);
            polygons.push(polygon);
        }
        polygons
    }

    /// The border's ways through one cell.
    fn cross(&self, i: usize, j: usize, level: f64, mut segment: impl FnMut(Edge, Edge)) {
        // corners and the edges that follow them, counter-clockwise from the lower left
        let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| self.value(i, j));
        let edges = [(i, j, false), (i + 1, j, true), (i, j + 1, false), (i, j, true)];
        let edges = edges.map(|(i, j, along_y)| Edge { i, j, along_y });
        let inside = corners.map(|value| value < level);
        // it enters where, going round, the inside ends, and leaves where it begins
        let ends: Vec<usize> = (0..4).filter(|k| inside[*k] && !inside[(k + 1) % 4]).collect();
        let begin = (0..4).find(|k| !inside[*k] && inside[(k + 1) % 4]);
        match (&ends[..], begin) {
            ([end], Some(begin)) => segment(edges[*end], edges[begin]),
            // two opposite corners inside: the middle decides whether they are joined
            (ends, _) => {
                let turn = if corners.iter().sum::<f64>() < 4.0 * level { 1 } else { 3 };
                ends.iter().for_each(|end| segment(edges[*end], edges[(end + turn) % 4]));
            }
        }
    }

    /// Where the border crosses an edge.
    fn crossing(&self, edge: Edge, level: f64) -> Point {
        let Edge { i, j, along_y } = edge;
        let (k, l) = if along_y { (i, j + 1) } else { (i + 1, j) };
        let (mut inner, mut outer) = ((i, j), (k, l));
        if self.value(i, j) >= level {
            (inner, outer) = (outer, inner);
        }
        let (low, high) = (self.value(inner.0, inner.1), self.value(outer.0, outer.1));
        // an infinite value outside is met at once
        let share = (level - low) / (high - low);
        let (p, q) = (self.place(inner.0, inner.1), self.place(outer.0, outer.1));
        [p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])]
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.nodes[0] + i]
    }

    fn place(&self, i: usize, j: usize) -> Point {
        [self.from[0] + i as f64 * self.step[0], self.from[1] + j as f64 * self.step[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed: negative for holes.
    fn area(polygon: &[Point]) -> f64 {
        polygon.windows(2).map(|pq| 0.5 * (pq[0][0] * pq[1][1] - pq[1][0] * pq[0][1])).sum()
    }

    fn areas(f: impl Fn(Point) -> f64, level: f64) -> Vec<f64> {
        let mut areas: Vec<f64> =
            Field::new([-2.0; 2], [2.0; 2], 200, f).below(level).iter().map(|polygon| area(polygon)).collect();
        areas.sort_by(f64::total_cmp);
        areas
    }

    fn close(areas: &[f64], expected: &[f64]) {
        assert_eq!(areas.len(), expected.len(), "{areas:?}");
        // cells of 0.02: corners cut off and curves straightened
        areas.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 0.005, "{areas:?}, not {expected:?}"));
    }

    #[test]
    fn a_circle_has_its_area_and_a_ring_its_hole() {
        let pi = std::f64::consts::PI;
        let r2 = |[x, y]: Point| x * x + y * y;
        close(&areas(r2, 1.0), &[pi]);
        close(&areas(|p| (r2(p) - 1.0).abs(), 0.5), &[-0.5 * pi, 1.5 * pi]);
        close(&areas(r2, -1.0), &[]);
    }

    #[test]
    fn the_rim_closes_what_goes_on() {
        // the lower half, up to one cell from the rim
        close(&areas(|[_, y]| y, 0.0), &[3.96 * 1.98]);
    }

    #[test]
    fn a_saddle_is_two_parts_or_one_as_its_middle_says() {
        let saddle = |[x, y]: Point| (x - 0.01) * (y - 0.01);
        assert_eq!(areas(saddle, -1e-6).len(), 2);
        assert_eq!(areas(saddle, 1e-6).len(), 1);
    }
}
