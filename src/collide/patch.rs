//! Many points of one flat contact, reduced to four.
//!
//! ```text
//! first   the deepest, ties to the one that comes first
//! second  the farthest from it
//! third   largest triangle with both
//! fourth  what adds most area to the triangle
//! ```
//! More than there is room for: the extremes in eight directions along the patch, and the deepest, make room for the rest.
//!
//! A point deeper than all four by more than 1e-4 of the patch's width takes the place of its nearest: the smallest gap stays, and a tilt
//! by less than 1e-4 rad changes nothing.

use super::{ContactPoint, Manifold, sign};
use crate::math::{Real, Vec3, max, min};
use heapless::Vec;

/// Points before the reduction: a disc and a rectangle give at most 16.
const CAPACITY: usize = 16;

pub(super) struct Candidates<R> {
    points: Vec<ContactPoint<R>, CAPACITY>,
}

impl<R: Real> Candidates<R> {
    pub(super) const fn new() -> Self {
        Self { points: Vec::new() }
    }

    /// Smallest gap of all; infinite without a point. m
    pub(super) fn smallest_gap(&self) -> R {
        self.points.iter().fold(R::INFINITY, |least, point| min(point.gap, least))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Take the point if it is closer than `margin`.
    pub(super) fn add(&mut self, point: ContactPoint<R>, margin: R) {
        if point.gap < margin {
            let _ = self.points.push(point);
        }
    }

    /// As [`add`](Self::add), for any number of points; `axes` are two directions along the patch.
    pub(super) fn add_spread(&mut self, point: ContactPoint<R>, margin: R, axes: [Vec3<R>; 2]) {
        if self.points.is_full() && point.gap < margin {
            self.thin_out(axes);
        }
        self.add(point, margin);
    }

    /// Keep the farthest in each of eight directions, and the deepest if it clearly is: nine at most.
    fn thin_out(&mut self, [t1, t2]: [Vec3<R>; 2]) {
        let Some(anchor) = self.points.first().copied() else { return };
        let wide = |w: R, p: &ContactPoint<R>| max((p.position - anchor.position).dot(t1).abs(), w);
        // clearly, not by rounding: the choice shall not flicker
        let step = self.points.iter().fold(R::ZERO, wide) * R::from_f64(1e-3);
        let (across, back) = (t1 + t2, t2 - t1);
        let directions = [t1, across, t2, back, -t1, -across, -t2, -back, Vec3::default()];
        let mut keep = 0_u32;
        // the last has no direction: there it is depth that counts
        for (along, depth) in directions.into_iter().zip([R::ZERO; 8].into_iter().chain([R::ONE])) {
            let mut best = (-R::INFINITY, 0);
            for (bit, point) in (0..u32::BITS).zip(&self.points) {
                let value = (point.position - anchor.position).dot(along) - point.gap * depth;
                if value > best.0 + step {
                    best = (value, bit);
                }
            }
            keep |= 1_u32.wrapping_shl(best.1);
        }
        let mut kept = Vec::new();
        for (bit, point) in (0..u32::BITS).zip(&self.points) {
            if keep.wrapping_shr(bit) & 1 != 0 {
                let _ = kept.push(*point);
            }
        }
        self.points = kept;
    }

    pub(super) fn reduce_into(&self, out: &mut Manifold<R>) {
        if self.points.len() <= 4 {
            self.points.iter().for_each(|&point| out.push(point));
        } else if let Some(four) = self.four() {
            four.into_iter().flatten().for_each(|point| out.push(point));
        }
    }

    fn four(&self) -> Option<[Option<ContactPoint<R>>; 4]> {
        let anchor = *self.points.first()?;
        let span = |p: Vec3<R>, q: Vec3<R>| (p - q).dot(p - q);
        let width_squared = self.points.iter().fold(R::ZERO, |w, p| max(span(p.position, anchor.position), w));
        let width = width_squared.sqrt();
        // clearly deeper, not by rounding: the choice shall not flicker
        let clearly = width * R::from_f64(1e-3);
        let deepest = self.points.iter().fold(anchor, |best, p| if p.gap < best.gap - clearly { *p } else { best });
        let (p0, normal) = (deepest.position, deepest.normal);
        let mut four = [Some(deepest), None, None, None];

        if let Some(second) = self.best(width_squared, |x| span(p0, x)) {
            let p1 = second.position;
            let area = |p: Vec3<R>, q: Vec3<R>, x: Vec3<R>| (q - p).cross(x - p).dot(normal);
            four[1] = Some(second);
            if let Some(third) = self.best(width_squared, |x| area(p0, p1, x).abs()) {
                let p2 = third.position;
                let turn = sign(area(p0, p1, p2));
                // outside the triangle: on the far side of one of its edges
                let gained =
                    |x: Vec3<R>| -min(turn * area(p0, p1, x), min(turn * area(p1, p2, x), turn * area(p2, p0, x)));
                four[2] = Some(third);
                four[3] = self.best(width_squared, gained);
            }
        }

        let least = four.iter().flatten().fold(R::INFINITY, |least, p| min(p.gap, least));
        let truly = self.points.iter().fold(anchor, |best, p| if p.gap < best.gap { *p } else { best });
        if truly.gap < least - width * R::from_f64(1e-4) {
            let mut nearest = (R::INFINITY, None);
            for slot in &mut four {
                let distance = slot.map_or(R::ZERO, |p| span(p.position, truly.position));
                if distance < nearest.0 {
                    nearest = (distance, Some(slot));
                }
            }
            if let Some(slot) = nearest.1 {
                *slot = Some(truly);
            }
        }
        Some(four)
    }

    /// The point of the largest positive measure; of those that differ by a thousandth of `scale`, the first.
    fn best(&self, scale: R, measure: impl Fn(Vec3<R>) -> R) -> Option<ContactPoint<R>> {
        let step = scale * R::from_f64(1e-3);
        let mut best = (R::ZERO, None);
        for point in &self.points {
            let value = measure(point.position);
            if value > best.0 + step {
                best = (value, Some(*point));
            }
        }
        best.1
    }
}
