//! Broad phase: which balls round shapes may meet within a step.
//!
//! A hashed grid over balls of similar size, rebuilt every step in buffers of fixed capacity, without a sort; the few that are
//! much larger (or have no end) are looked at by everyone.
//!
//! ```text
//! edge of a cell   4 × the largest ball in the grid, so that a ball meets others in its own cell and in the nearer neighbour along each
//!                  axis: 8 cells
//! large            more than twice the mean of what can move, or infinite
//! ```
//! Cost: linear in balls, and in pairs that are near each other, as long as few are large and they do not overlap; in the worst
//! case, all in one place, every pair is looked at once: `N²/2`.

use crate::math::{Real, Vec3, max};
use heapless::Vec;

/// A ball round a shape, with all places it can get to within the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball<R> {
    /// m
    pub(crate) centre: Vec3<R>,
    /// With travel; infinite for a half-space, negative where there is nothing. m
    pub(crate) radius: R,
    /// No point of the shape moves farther than this. m
    pub(crate) travel: R,
    /// Does it count for the size of a cell: can it move by itself?
    pub(crate) movable: bool,
    /// Of a half-space, which has no end, that does not turn: the side on which others are. Otherwise zero.
    pub(crate) normal: Vec3<R>,
}

impl<R: Real> Ball<R> {
    /// Of a place where nothing is.
    pub(crate) fn nothing() -> Self {
        Self { centre: Vec3::default(), radius: -R::ONE, travel: R::ZERO, movable: false, normal: Vec3::default() }
    }

    fn is_there(&self) -> bool {
        self.radius >= R::ZERO
    }

    fn meets(&self, other: &Self) -> bool {
        let (apart, near) = (self.centre - other.centre, self.radius + other.radius);
        apart.dot(apart) <= near * near
    }

    /// The same of a large one; one without end meets everything, but for what is clearly above it.
    fn meets_large(&self, large: &Self) -> bool {
        if large.radius.is_finite() {
            return self.meets(large);
        }
        let apart = self.centre - large.centre;
        let rounding = R::from_f64(16.0) * R::EPSILON * (apart.x.abs() + apart.y.abs() + apart.z.abs());
        apart.dot(large.normal) <= self.radius + large.travel + rounding
    }
}

/// One more than an index, or 0 for none.
type Link = u16;

/// Which cells along each axis balls of the grid are in, so far.
pub(crate) struct Extent {
    lowest: [i16; 3],
    highest: [i16; 3],
}

impl Extent {
    /// No ball yet.
    pub(crate) const NONE: Self = Self { lowest: [i16::MAX; 3], highest: [i16::MIN; 3] };

    // axis by axis: a loop over three would be one on the target, too
    #[inline(always)]
    fn add(&mut self, [x, y, z]: [i16; 3]) {
        let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (self.lowest, self.highest);
        self.lowest = [x.min(low_x), y.min(low_y), z.min(low_z)];
        self.highest = [x.max(high_x), y.max(high_y), z.max(high_z)];
    }

    /// How many of a cell and its neighbour along each axis are worth a look: parts on a track are in one layer, and above and below it is nothing.
    #[inline(always)]
    fn worth(&self, [x, y, z]: [i16; 3]) -> [usize; 3] {
        let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (self.lowest, self.highest);
        [(x, low_x, high_x), (y, low_y, high_y), (z, low_z, high_z)]
            .map(|(near, low, high)| if near < low || near > high { 1 } else { 2 })
    }
}

/// Balls by place, and the grid over them.
#[derive(Clone, Debug)]
pub(crate) struct BroadPhase<R, const N: usize> {
    pub(crate) balls: Vec<Ball<R>, N>,
    /// Cell of each ball, each coordinate wrapped to 16 bits.
    cells: Vec<[i16; 3], N>,
    /// First ball of each bucket.
    buckets: Vec<Link, N>,
    /// Next ball in the same bucket, or in the list of large ones.
    next: Vec<Link, N>,
    first_large: Link,
    /// Half the edge of a cell, inverse. 1/m
    inverse_half_edge: R,
    /// Larger balls are not in the grid. m
    largest: R,
}

impl<R: Real, const N: usize> BroadPhase<R, N> {
    pub(crate) const fn new() -> Self {
        Self {
            balls: Vec::new(),
            cells: Vec::new(),
            buckets: Vec::new(),
            next: Vec::new(),
            first_large: 0,
            inverse_half_edge: R::ZERO,
            largest: R::ZERO,
        }
    }

    /// Take the balls as they are, choose the size of a cell, list the large ones.
    pub(crate) fn prepare(&mut self) {
        let (mut sum, mut count) = (R::ZERO, R::ZERO);
        for ball in self.balls.iter().filter(|ball| ball.movable && ball.is_there() && ball.radius.is_finite()) {
            sum += ball.radius;
            count += R::ONE;
        }
        let twice_mean = (sum + sum) / max(count, R::ONE);
        self.largest = R::ZERO;
        for ball in self.balls.iter().filter(|ball| ball.radius <= twice_mean) {
            self.largest = max(ball.radius, self.largest);
        }
        // nothing in the grid, or all of no size: one cell
        let inverse = R::ONE / (self.largest + self.largest);
        self.inverse_half_edge = if inverse.is_finite() { inverse } else { R::ZERO };

        self.cells.clear();
        self.buckets.clear();
        self.next.clear();
        for ball in &self.balls {
            // as much room as there are balls
            let _ = (self.cells.push(self.cell(ball.centre).0), self.buckets.push(0), self.next.push(0));
        }
        self.first_large = 0;
        for (index, ball) in (0..u16::MAX).zip(&self.balls).rev() {
            if ball.is_there()
                && ball.radius > self.largest
                && let Some(next) = self.next.get_mut(usize::from(index))
            {
                *next = self.first_large;
                self.first_large = index.saturating_add(1);
            }
        }
    }

    /// Tell `found` of every ball that may meet ball `index`: the large ones, and those of the grid that were here before it. To be
    /// called for every index in order, with the extent of those before it: each pair is found once, and always by the same of the two. Returns how many balls were looked at.
    pub(crate) fn visit(&mut self, index: u16, extent: &mut Extent, mut found: impl FnMut(u16, &Ball<R>)) -> u32 {
        let mut looks = 0_u32;
        let Some(&ball) = self.balls.get(usize::from(index)) else { return looks };
        if !ball.is_there() {
            return looks;
        }
        let is_large = ball.radius > self.largest;
        self.follow(self.first_large, |other, ball_b| {
            looks = looks.saturating_add(1);
            // two large ones are a pair of the later
            if (!is_large || other < index) && ball.meets_large(ball_b) {
                found(other, ball_b);
            }
        });
        if is_large {
            return looks;
        }
        let (cell, near) = self.cell(ball.centre);
        let ([x, y, z], [near_x, near_y, near_z]) = (cell, near);
        // each axis's part of a hash once, not in every cell
        let [xs, ys, zs] = [([x, near_x], 0x9e37_79b1), ([y, near_y], 0x85eb_ca77), ([z, near_z], 0xc2b2_ae3d)]
            .map(|(cells, factor)| cells.map(|cell| hashed(cell, factor)));
        let [some_x, some_y, some_z] = extent.worth(near);
        for &(z, hash_z) in zs.iter().take(some_z) {
            for &(y, hash_y) in ys.iter().take(some_y) {
                for &(x, hash_x) in xs.iter().take(some_x) {
                    let first = self.buckets.get(self.bucket(hash_x ^ hash_y ^ hash_z)).copied().unwrap_or(0);
                    if first == 0 {
                        continue;
                    }
                    let (there, cells) = ([x, y, z], &self.cells);
                    self.follow(first, |other, ball_b| {
                        looks = looks.saturating_add(1);
                        // a bucket may hold several cells: look only at this one, or a pair would be found twice
                        if cells.get(usize::from(other)) == Some(&there) && ball.meets(ball_b) {
                            found(other, ball_b);
                        }
                    });
                }
            }
        }
        extent.add(cell);
        let [[(_, hash_x), _], [(_, hash_y), _], [(_, hash_z), _]] = [xs, ys, zs];
        let bucket = self.bucket(hash_x ^ hash_y ^ hash_z);
        if let (Some(first), Some(next)) = (self.buckets.get_mut(bucket), self.next.get_mut(usize::from(index))) {
            *next = *first;
            *first = index.saturating_add(1);
        }
        looks
    }

    /// Walk along a chain.
    fn follow(&self, first: Link, mut see: impl FnMut(u16, &Ball<R>)) {
        let mut link = first;
        // as many as there are places: a chain never closes, and the loop knows its end
        for _ in 0..N {
            let Some(index) = link.checked_sub(1) else { return };
            let at = usize::from(index);
            let (Some(ball), Some(next)) = (self.balls.get(at), self.next.get(at)) else { return };
            see(index, ball);
            link = *next;
        }
    }

    /// The cell of a point, and the neighbour that is nearer along each axis.
    fn cell(&self, point: Vec3<R>) -> ([i16; 3], [i16; 3]) {
        let axis = |x: R| {
            let half = (x * self.inverse_half_edge).floor_to_i32();
            // lower half: the neighbour is below
            let cell = half >> 1;
            let near = if half & 1 == 0 { cell.wrapping_sub(1) } else { cell.wrapping_add(1) };
            // wrapped: far-away cells share a name, their balls do not meet
            (cell as i16, near as i16)
        };
        let [(x, near_x), (y, near_y), (z, near_z)] = <[R; 3]>::from(point).map(axis);
        ([x, y, z], [near_x, near_y, near_z])
    }

    /// The bucket of a cell, by its hash.
    #[inline(always)]
    fn bucket(&self, hash: u32) -> usize {
        let mixed = hash ^ (hash >> 15);
        usize::try_from(mixed).ok().and_then(|hash| hash.checked_rem(self.buckets.len())).unwrap_or(0)
    }
}

/// A cell along one axis, and its part of the hash.
#[inline(always)]
fn hashed(cell: i16, factor: u32) -> (i16, u32) {
    (cell, u32::from(cell.cast_unsigned()).wrapping_mul(factor))
}
