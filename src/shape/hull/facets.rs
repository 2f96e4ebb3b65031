//! From triangles to facets: what lies in one plane is one facet, what is in line is no corner.
//!
//! ```text
//! facet    the largest triangle left, and whatever adjoins it with all its corners in its plane
//! corner   where three facets and more meet
//! edge     from corner to corner, between two facets
//! ```

use super::super::polyhedron::Edge;
use super::super::tables::{Corners, LIMIT, sides};
use super::skin::{Skin, TRIANGLES, around};
use crate::error::Error;
use heapless::Vec;

/// In no facet yet.
const NONE: u8 = u8::MAX;

/// Which triangle is in which facet.
#[derive(Debug)]
pub(super) struct Facets<'a> {
    skin: &'a Skin,
    /// by triangle; a facet has the number of its largest
    facet: [u8; TRIANGLES],
    corners: Corners,
}

/// Rims one after the other, and where each begins.
#[derive(Debug)]
pub(super) struct Rims {
    pub(super) corners: Vec<u8, { 2 * LIMIT }>,
    pub(super) lengths: Vec<u8, LIMIT>,
}

impl<'a> Facets<'a> {
    /// Triangles whose corners are `close` (cells) to one plane are one facet.
    pub(super) fn of(skin: &'a Skin, close: f64) -> Self {
        let mut facets = Self { skin, facet: [NONE; TRIANGLES], corners: Corners::default() };
        while let Some(seed) = facets.largest_left() {
            facets.flood(seed, close);
        }
        facets.find_corners();
        facets
    }

    /// Triangles and the facets they are in.
    fn pairs(&self) -> impl Iterator<Item = ([u8; 3], u8)> {
        self.skin.triangles().zip(self.facet)
    }

    fn facet_at(&self, triangle: u8) -> u8 {
        self.facet.get(usize::from(triangle)).copied().unwrap_or(NONE)
    }

    fn largest_left(&self) -> Option<u8> {
        let mut most = (None, -1.0);
        for (at, (corners, facet)) in (0..u8::MAX).zip(self.pairs()) {
            let area = self.skin.area(corners);
            if facet == NONE && area > most.1 {
                most = (Some(at), area);
            }
        }
        most.0
    }

    /// Everything in the plane of `seed` that adjoins it.
    fn flood(&mut self, seed: u8, close: f64) {
        let Some(corners) = self.skin.triangle(seed) else { return };
        let in_plane = self.skin.in_plane(corners, close);
        let mut waiting: Vec<u8, TRIANGLES> = Vec::new();
        self.take(seed, seed, &mut waiting);
        while let Some(corners) = waiting.pop().and_then(|at| self.skin.triangle(at)) {
            for side in around(corners) {
                let Some(next) = self.skin.across(side) else { continue };
                let fits = self.skin.triangle(next).is_some_and(|c| c.into_iter().all(|c| in_plane.contains(c)));
                if fits && self.facet_at(next) == NONE {
                    self.take(next, seed, &mut waiting);
                }
            }
        }
    }

    fn take(&mut self, triangle: u8, facet: u8, waiting: &mut Vec<u8, TRIANGLES>) {
        if let Some(place) = self.facet.get_mut(usize::from(triangle)) {
            *place = facet;
        }
        // every triangle waits once: there is room
        let _ = waiting.push(triangle);
    }

    fn find_corners(&mut self) {
        self.corners = Corners::default();
        for (corner, _) in (0..u8::MAX).zip(self.skin.points()) {
            let (mut seen, mut count) = ([NONE; 3], 0_u8);
            for (corners, facet) in self.pairs() {
                if corners.contains(&corner) && !seen.contains(&facet) && count < 3 {
                    if let Some(place) = seen.get_mut(usize::from(count)) {
                        *place = facet;
                    }
                    count = count.saturating_add(1);
                }
            }
            if count == 3 {
                self.corners.insert(corner);
            }
        }
    }

    /// Each once, named after its largest triangle.
    fn facets(&self) -> impl Iterator<Item = u8> {
        (0..NONE).zip(self.facet).filter(|(at, facet)| at == facet).map(|(at, _)| at)
    }

    /// Sides between a facet and others, in no order.
    fn borders(&self, facet: u8) -> impl Iterator<Item = [u8; 2]> {
        let own = self.pairs().filter(move |(_, other)| *other == facet);
        own.flat_map(|(corners, _)| around(corners)).filter(move |side| self.beyond(*side) != facet)
    }

    /// The facet on the other side of a side.
    fn beyond(&self, side: [u8; 2]) -> u8 {
        self.skin.across(side).map_or(NONE, |at| self.facet_at(at))
    }

    pub(super) fn is_corner(&self, corner: u8) -> bool {
        self.corners.contains(corner)
    }

    pub(super) fn corner_count(&self) -> usize {
        self.corners.count()
    }

    /// A corner's number among corners, in the order of the points.
    pub(super) fn number(&self, corner: u8) -> u8 {
        let own = self.skin.points().nth(usize::from(corner)).unwrap_or_default();
        let before = (0..u8::MAX).zip(self.skin.points()).filter(|(c, point)| self.is_corner(*c) && *point < own);
        // not count(): its sum could overflow, for all the compiler knows
        before.fold(0_u8, |count, _| count.saturating_add(1))
    }

    /// The rims, in corners' numbers: each from its least on, all in the order of their first two.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("facets")` or `("edges")`; [`Error::NotClosed`] where a rim is no ring, [`Error::NotConvex`] where it has no
    /// three corners.
    pub(super) fn rims(&self) -> Result<Rims, Error> {
        let mut rims = Rims { corners: Vec::new(), lengths: Vec::new() };
        let mut last = None;
        // no two facets have a side the same way round: its ends order them
        while let Some((key, start)) = self.after(last) {
            last = Some(key);
            let before = rims.corners.len();
            let (mut corner, mut left) = (start, TRIANGLES);
            loop {
                if self.is_corner(corner) {
                    rims.corners.push(self.number(corner)).map_err(|_| Error::CapacityExceeded("edges"))?;
                }
                let next = self.borders(key.2).find(|[a, _]| *a == corner);
                corner = next.ok_or(Error::NotClosed)?[1];
                left = left.checked_sub(1).ok_or(Error::NotClosed)?;
                if corner == start {
                    break;
                }
            }
            let length = rims.corners.len().saturating_sub(before);
            if length < 3 {
                return Err(Error::NotConvex);
            }
            rims.lengths.push(length as u8).map_err(|_| Error::CapacityExceeded("facets"))?;
        }
        Ok(rims)
    }

    /// The facet that follows: its key, the least number of its corners and what follows that, and where its rim begins.
    fn after(&self, last: Option<(u8, u8, u8)>) -> Option<((u8, u8, u8), u8)> {
        let keys = self.facets().filter_map(|facet| {
            let corners = self.borders(facet).filter(|[a, _]| self.is_corner(*a));
            let [start, next] = corners.min_by_key(|[a, _]| self.number(*a))?;
            let key = (self.number(start), self.following(facet, next), facet);
            (last < Some(key)).then_some((key, start))
        });
        keys.min()
    }

    /// The next corner of a facet, from `at` on.
    fn following(&self, facet: u8, at: u8) -> u8 {
        let mut corner = at;
        for _ in 0..TRIANGLES {
            if self.is_corner(corner) {
                return self.number(corner);
            }
            let Some([_, next]) = self.borders(facet).find(|[a, _]| *a == corner) else { break };
            corner = next;
        }
        NONE
    }
}

impl Rims {
    /// Each rim with where it begins.
    pub(super) fn each(&self) -> impl Iterator<Item = (u16, &[u8])> + Clone {
        self.lengths.iter().scan(0_u16, |next, &length| {
            let first = *next;
            *next = first.saturating_add(u16::from(length));
            Some((first, self.corners.get(usize::from(first)..usize::from(*next)).unwrap_or_default()))
        })
    }

    /// Each edge once, from its lesser corner on.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> {
        let all = (0..u8::MAX).zip(self.each()).flat_map(|(facet, (_, rim))| sides(rim).map(move |side| (facet, side)));
        all.filter(|(_, [a, b])| a < b).filter_map(|(facet, [a, b])| {
            let mut others = (0..u8::MAX).zip(self.each());
            let (other, _) = others.find(|(_, (_, rim))| sides(rim).any(|side| side == [b, a]))?;
            Some(Edge { vertices: [a, b], facets: [facet, other] })
        })
    }
}
