//! The convex hull as triangles, grown corner by corner; every decision in whole numbers, so that none contradicts another.
//!
//! ```text
//! x → k       points on a grid of 2⁴⁰ cells along the longest side of their bounding box
//! abc sees p  for  (b − a) × (c − a) · (p − a) > 0      41 bits a difference, 124 bits a product of three: i128 holds it exactly
//! p added     triangles that see p make way for triangles from p to each side of the hole they leave
//! ```
//! Only the outermost point in the direction of a triangle is added, and only if it is farther out than the tolerance: a corner for sure. Whatever
//! is in line or in plane with others gives triangles in one plane, to be joined later; none of it is a special case here.

use super::super::tables::{Corners, LIMIT};
use crate::error::Error;
use crate::math::{Real, Vec3, max};
use heapless::Vec;

/// Cells along the longest side of the bounding box.
const CELLS: f64 = 1_099_511_627_776.0;

/// What is closer than this is in line or in plane: 2⁻²⁰ of the longest side, eight roundings of single precision. In cells.
pub(super) const CLOSE: f64 = CELLS / 1_048_576.0;

/// So many triangles join 128 corners: 2V − 4, and room to spare.
pub(super) const TRIANGLES: usize = 2 * LIMIT;

/// A point in cells of the grid.
type Cell = [i64; 3];

/// The grid that points are moved to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// least coordinates. m
    low: Vec3<f64>,
    /// cells per metre
    scale: f64,
    /// of the points' bounding box. m
    shortest_side: f64,
}

#[derive(Clone, Copy, Debug)]
struct Corner {
    cell: Cell,
    /// which of the points it is
    point: usize,
}

/// Corners counter-clockwise as seen from outside.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [u8; 3],
    /// no point lies farther out
    outermost: bool,
}

/// A closed surface of triangles. Five kilobytes: made in one place and left there.
#[derive(Debug)]
pub(super) struct Skin {
    corners: Vec<Corner, LIMIT>,
    triangles: Vec<Triangle, TRIANGLES>,
}

impl Grid {
    /// # Errors
    /// [`Error::NonFinite`]`("points")`; [`Error::Flat`] for points that are one.
    pub(super) fn over<S: Real>(points: &[Vec3<S>]) -> Result<Self, Error> {
        let (mut low, mut high) = (as_f64(points.first().copied().unwrap_or_default()), Vec3::default());
        high = high + low;
        // a select: what is not less stays
        let least = |a: f64, b: f64| if b < a { b } else { a };
        for point in points {
            let p = as_f64(*point);
            if !p.is_finite() {
                return Err(Error::NonFinite("points"));
            }
            low = Vec3::new(least(low.x, p.x), least(low.y, p.y), least(low.z, p.z));
            high = Vec3::new(max(high.x, p.x), max(high.y, p.y), max(high.z, p.z));
        }
        let sides = high - low;
        let scale = CELLS / max(sides.x, max(sides.y, sides.z));
        if !scale.is_finite() {
            return Err(Error::Flat);
        }
        let shortest_side = least(sides.x, least(sides.y, sides.z));
        // sides too long to be a number leave no cells
        if scale > 0.0 { Ok(Self { low, scale, shortest_side }) } else { Err(Error::OutOfRange("points")) }
    }

    /// A point relative to the corner of the box, where numbers are small. m
    pub(super) fn relative<S: Real>(&self, point: Vec3<S>) -> Vec3<f64> {
        as_f64(point) - self.low
    }

    /// Where the corner of the box is. m
    pub(super) const fn low(&self) -> Vec3<f64> {
        self.low
    }

    /// Shortest side of the points' bounding box. m
    pub(super) const fn shortest_side(&self) -> f64 {
        self.shortest_side
    }

    /// A length in cells.
    pub(super) fn cells(&self, length: f64) -> f64 {
        length * self.scale
    }

    fn cell<S: Real>(&self, point: Vec3<S>) -> Cell {
        let Vec3 { x, y, z } = self.relative(point) * self.scale;
        // to the nearest; `as` keeps to the range of i64
        [x, y, z].map(|x| (x + 0.5) as i64)
    }
}

impl Skin {
    pub(super) const fn new() -> Self {
        Self { corners: Vec::new(), triangles: Vec::new() }
    }

    /// Grow round the points, but for those that lie less than `tolerance` cells outside.
    ///
    /// # Errors
    /// [`Error::Flat`] for points in one plane or on one line; [`Error::CapacityExceeded`]`("vertices")` for more than 128 corners.
    pub(super) fn grow<S: Real>(&mut self, points: &[Vec3<S>], grid: &Grid, tolerance: f64) -> Result<(), Error> {
        self.first_tetrahedron(points, grid)?;
        // each turn finds a triangle outermost or adds one of 128 corners
        while let Some((at, corners)) = self.next_to_do() {
            let plane = self.plane(corners);
            match plane.outermost(points, grid).filter(|(_, height)| *height > tolerance) {
                Some((corner, _)) => self.add(corner)?,
                None => {
                    if let Some(triangle) = self.triangles.get_mut(at) {
                        triangle.outermost = true;
                    }
                }
            }
        }
        Ok(())
    }

    fn next_to_do(&self) -> Option<(usize, [u8; 3])> {
        let todo = (0..usize::MAX).zip(&self.triangles).find(|(_, triangle)| !triangle.outermost);
        todo.map(|(at, triangle)| (at, triangle.corners))
    }

    /// Four corners that span something.
    fn first_tetrahedron<S: Real>(&mut self, points: &[Vec3<S>], grid: &Grid) -> Result<(), Error> {
        let thick = 8.0 * CLOSE;
        let farthest = |distance: &dyn Fn(Cell) -> f64| {
            let mut most = (Corner { cell: [0; 3], point: 0 }, -1.0);
            for (point, p) in (0..usize::MAX).zip(points) {
                let cell = grid.cell(*p);
                let d = distance(cell);
                most = if d > most.1 { (Corner { cell, point }, d) } else { most };
            }
            most
        };
        // the farthest of all from any one point is a corner, and so is the farthest from that
        let start = points.first().map_or([0; 3], |p| grid.cell(*p));
        let (a, _) = farthest(&|p| length(from(start, p)));
        let (b, ab) = farthest(&|p| length(from(a.cell, p)));
        if ab < thick {
            return Err(Error::Flat);
        }
        let along = from(a.cell, b.cell) * (1.0 / ab);
        let across = |p: Cell| from(a.cell, p) - along * along.dot(from(a.cell, p));
        let (beside, ac) = farthest(&|p| length(across(p)));
        if ac < thick {
            return Err(Error::Flat);
        }
        // of all that are as far from the line, the outermost
        let sideways = Plane::towards(across(beside.cell), a.cell);
        let c = sideways.outermost(points, grid).map_or(beside, |(corner, _)| corner);
        for corner in [a, b, c] {
            self.push_corner(corner)?;
        }
        let [up, down] = [[0, 1, 2], [0, 2, 1]].map(|corners| self.plane(corners).outermost(points, grid));
        let height = |end: &Option<(Corner, f64)>| end.map_or(0.0, |(_, height)| height);
        let (end, base) = if height(&up) < height(&down) { (down, [0, 1, 2]) } else { (up, [0, 2, 1]) };
        match end {
            Some((d, height)) if height >= thick => {
                let [p, q, r] = base;
                let d = self.push_corner(d)?;
                [[p, q, r], [q, p, d], [r, q, d], [p, r, d]].into_iter().try_for_each(|corners| self.push(corners))
            }
            _ => Err(Error::Flat),
        }
    }

    fn push_corner(&mut self, corner: Corner) -> Result<u8, Error> {
        let number = self.corners.len() as u8;
        self.corners.push(corner).map_err(|_| Error::CapacityExceeded("vertices"))?;
        Ok(number)
    }

    fn push(&mut self, corners: [u8; 3]) -> Result<(), Error> {
        let triangle = Triangle { corners, outermost: false };
        self.triangles.push(triangle).map_err(|_| Error::CapacityExceeded("vertices"))
    }

    /// A corner outside: what it sees goes, what it joins comes.
    fn add(&mut self, corner: Corner) -> Result<(), Error> {
        let mut seen: Vec<[u8; 3], TRIANGLES> = Vec::new();
        let mut at = 0;
        while let Some(triangle) = self.triangles.get(at).copied() {
            if self.plane(triangle.corners).above(corner.cell) <= 0 {
                at = at.saturating_add(1);
                continue;
            }
            let _ = seen.push(triangle.corners);
            // the last one takes its place
            if let (Some(last), here) = (self.triangles.pop(), self.triangles.get_mut(at))
                && let Some(here) = here
            {
                *here = last;
            }
        }
        let apex = self.push_corner(corner)?;
        for [p, q] in seen.iter().flat_map(|corners| around(*corners)) {
            let inside = seen.iter().any(|corners| around(*corners).contains(&[q, p]));
            if !inside {
                self.push([p, q, apex])?;
            }
        }
        Ok(())
    }

    /// Corners of every triangle.
    pub(super) fn triangles(&self) -> impl Iterator<Item = [u8; 3]> + Clone {
        self.triangles.iter().map(|triangle| triangle.corners)
    }

    pub(super) fn triangle(&self, at: u8) -> Option<[u8; 3]> {
        self.triangles.get(usize::from(at)).map(|triangle| triangle.corners)
    }

    /// The triangle on the other side of a side.
    pub(super) fn across(&self, [p, q]: [u8; 2]) -> Option<u8> {
        let other = (0..u8::MAX).zip(self.triangles()).find(|(_, corners)| around(*corners).contains(&[q, p]));
        other.map(|(at, _)| at)
    }

    /// Which point each corner is.
    pub(super) fn points(&self) -> impl Iterator<Item = usize> + Clone {
        self.corners.iter().map(|corner| corner.point)
    }

    /// Twice its area, in cells squared.
    pub(super) fn area(&self, corners: [u8; 3]) -> f64 {
        self.plane(corners).length
    }

    /// Corners in the plane of a triangle, or so close to it, in cells.
    pub(super) fn in_plane(&self, corners: [u8; 3], close: f64) -> Corners {
        let (plane, mut set) = (self.plane(corners), Corners::default());
        for (number, corner) in (0..u8::MAX).zip(&self.corners) {
            if plane.height(corner.cell).abs() <= close {
                set.insert(number);
            }
        }
        set
    }

    fn cell(&self, corner: u8) -> Cell {
        self.corners.get(usize::from(corner)).map_or([0; 3], |corner| corner.cell)
    }

    fn plane(&self, corners: [u8; 3]) -> Plane {
        let [a, b, c] = corners.map(|corner| self.cell(corner));
        let (u, v) = (minus(b, a), minus(c, a));
        let cross = |i: usize, j: usize| {
            let get = |w: &[i128; 3], k: usize| w.get(k).copied().unwrap_or_default();
            get(&u, i).wrapping_mul(get(&v, j)).wrapping_sub(get(&u, j).wrapping_mul(get(&v, i)))
        };
        Plane::new(a, [cross(1, 2), cross(2, 0), cross(0, 1)])
    }
}

/// A plane through a point of the grid, its normal exact.
#[derive(Clone, Copy, Debug)]
struct Plane {
    through: Cell,
    normal: [i128; 3],
    /// of the normal
    length: f64,
}

impl Plane {
    fn new(through: Cell, normal: [i128; 3]) -> Self {
        let [x, y, z] = normal.map(|x| x as f64);
        Self { through, normal, length: length(Vec3::new(x, y, z)) }
    }

    /// About normal to a direction given in cells.
    fn towards(direction: Vec3<f64>, through: Cell) -> Self {
        Self::new(through, <[f64; 3]>::from(direction).map(|x| x as i128))
    }

    /// Positive above it; a height times the length of the normal.
    fn above(&self, p: Cell) -> i128 {
        let terms = self.normal.into_iter().zip(minus(p, self.through));
        terms.fold(0_i128, |sum, (n, d)| sum.wrapping_add(n.wrapping_mul(d)))
    }

    /// In cells.
    fn height(&self, p: Cell) -> f64 {
        self.above(p) as f64 / self.length
    }

    /// The point farthest out, and how far; of points about as far out a corner of what they span: the one farthest along a first
    /// direction in the plane, of those the one along a second.
    fn outermost<S: Real>(&self, points: &[Vec3<S>], grid: &Grid) -> Option<(Corner, f64)> {
        let [x, y, z] = self.normal.map(|n| n as f64 / self.length);
        let (t1, t2) = Vec3::new(x, y, z).tangents();
        let measure = |cell: Cell, level: u8| match level {
            0 => self.height(cell),
            1 => t1.dot(from(self.through, cell)),
            _ => t2.dot(from(self.through, cell)),
        };
        let mut most = [f64::NEG_INFINITY; 3];
        let mut found = None;
        for level in 0..3_u8 {
            for (point, p) in (0..usize::MAX).zip(points) {
                let cell = grid.cell(*p);
                let kept = (0..level).zip(most).all(|(level, most)| measure(cell, level) >= most - 0.5 * CLOSE);
                let here = measure(cell, level);
                if let Some(most) = most.get_mut(usize::from(level))
                    && kept
                    && here > *most
                {
                    *most = here;
                    found = Some(Corner { cell, point });
                }
            }
        }
        found.map(|corner| (corner, self.height(corner.cell)))
    }
}

/// The sides of a triangle, in turn.
pub(super) const fn around([a, b, c]: [u8; 3]) -> [[u8; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

fn minus([x, y, z]: Cell, [u, v, w]: Cell) -> [i128; 3] {
    [x.wrapping_sub(u), y.wrapping_sub(v), z.wrapping_sub(w)].map(i128::from)
}

fn from(a: Cell, b: Cell) -> Vec3<f64> {
    let [x, y, z] = minus(b, a).map(|x| x as f64);
    Vec3::new(x, y, z)
}

/// By path: with std there is another root.
pub(super) fn length(v: Vec3<f64>) -> f64 {
    Real::sqrt(v.dot(v))
}

fn as_f64<S: Real>(v: Vec3<S>) -> Vec3<f64> {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
}
