//! Where two shapes touch: up to four points for every pair of shapes; and the ratio metric of convex polyhedra.
//!
//! A world collides its shapes by itself; [`ratio`](ratio()) and [`events`](events()) are here for those who measure.
//!
//! ```text
//! gap  g = max over unit n of  min_{x ∈ a} n·x − max_{x ∈ b} n·x      (m, negative: penetration depth)
//! n    the direction that attains it, from b to a
//! x    midway between the two surfaces
//! ```
//! | pair | gap and normal |
//! | --- | --- |
//! | anything with a half-space; sphere and capsule among themselves; sphere with box or cylinder | closed form |
//! | capsule with box, capsule with cylinder | exact while the capsule's axis stays outside, otherwise as below |
//! | box with box | separating axes; the gap of an edge contact is exact, a face is preferred by at most `FACE_BIAS` |
//! | cylinder with box, cylinder with cylinder | separating axes, then a fixed number of steps uphill (`convex`) |
//! | sphere or capsule with polyhedron | closed form, over all facets and edges |
//! | polyhedron with polyhedron or box | the ratio metric's direction (`ratio`), then facets and edges (`events`); overlapping deep, not the least depth |
//! | cylinder with polyhedron | facets, edges, caps, then uphill |
//!
//! The reported gap is never above the true one (but for rounding): each is measured along a direction that separates that much.
//! Two shapes laid face to face within `FACE_BIAS` of their size get the points of the whole face.
//!
//! Work is bounded: no recursion, every loop has a constant number of passes. Where a direction does not exist (coincident
//! centres, an axis through an axis) a fixed one is taken, named where it happens. Points that would not be finite are left out.
//!
//! Feature ids name vertices, edges and faces, so that they stay while the same features touch. They depend on which shape is
//! `a`: give a pair always in the same order. They are bit fields, put together by shifts and ors: nothing there can overflow.

mod box_box;
pub(crate) mod broad;
mod convex;
mod cylinder;
mod cylinder_hull;
mod events;
mod half_space;
mod hull;
mod patch;
mod ratio;
mod round;
mod round_box;
mod round_cylinder;
mod round_hull;
mod segment;
#[cfg(test)]
mod tests;

pub use events::{Event, events};
pub use ratio::{Ratio, ratio};

use crate::math::{Pose, Real, Vec3, min};
use crate::shape::Shape;
use heapless::Vec;

/// A face is taken as touching, instead of an edge, while it separates less well by no more than this part of the smaller shape's
/// smallest half-width: contacts do not flicker between features.
pub(crate) const FACE_BIAS: f64 = 1e-3;

/// Sine of the angle between two axes that count as parallel: two points instead of one.
const PARALLEL: f64 = 0.01;

/// One point of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub(crate) struct ContactPoint<R> {
    /// Midway between the two surfaces, in the world. m
    pub position: Vec3<R>,
    /// Unit vector from b to a.
    pub normal: Vec3<R>,
    /// Distance of the surfaces along the normal, negative when they penetrate. m
    pub gap: R,
    /// Which features touch; the same from step to step while they do.
    pub feature: u16,
}

/// The points of one pair of shapes.
#[derive(Clone, Debug)]
pub(crate) struct Manifold<R> {
    points: Vec<ContactPoint<R>, 4>,
    /// How often the pair was collided to find them.
    pub(crate) tries: u32,
    /// Looks along a direction that it took, where there is no formula ([`convex`]).
    pub(crate) passes: u32,
    /// Looks at corners of polyhedra that it took ([`hull`]).
    pub(crate) corners: u32,
}

impl<R: Real> Manifold<R> {
    /// No contact.
    pub(crate) const fn new() -> Self {
        Self { points: Vec::new(), tries: 1, passes: 0, corners: 0 }
    }

    /// The points, in an order that stays while the features do.
    pub(crate) fn iter(&self) -> core::slice::Iter<'_, ContactPoint<R>> {
        self.points.iter()
    }

    /// A point where `on_a` and `on_b` face each other along `normal`; left out from `margin` on, and when four are there.
    fn touch(&mut self, on_a: Vec3<R>, on_b: Vec3<R>, normal: Vec3<R>, feature: u16, margin: R) {
        let point = facing(on_a, on_b, normal, feature);
        if point.gap < margin {
            self.push(point);
        }
    }

    fn push(&mut self, point: ContactPoint<R>) {
        if point.gap.is_finite() && point.position.is_finite() && point.normal.is_finite() {
            // full: callers reduce before they push
            let _ = self.points.push(point);
        }
    }
}

/// The contact point of two surface points along a normal.
fn facing<R: Real>(on_a: Vec3<R>, on_b: Vec3<R>, normal: Vec3<R>, feature: u16) -> ContactPoint<R> {
    let gap = (on_a - on_b).dot(normal);
    ContactPoint { position: (on_a + on_b) * R::from_f64(0.5), normal, gap, feature }
}

/// All points closer than `margin` (m), into a manifold without any.
fn collide_into<R: Real>(
    a: &Shape<R>,
    pose_a: &Pose<R>,
    b: &Shape<R>,
    pose_b: &Pose<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    // measure from b's centre: a place far from the world's origin costs no digits
    let origin = pose_b.position;
    match (a, b) {
        // of a ball nothing but its centre counts
        (Shape::Sphere { radius }, Shape::HalfSpace) => {
            let plane = Pose { position: Vec3::default(), orientation: pose_b.orientation };
            half_space::ball(pose_a.position - origin, *radius, &plane, margin, out);
        }
        (Shape::Sphere { radius }, Shape::Sphere { radius: other }) => {
            round::balls((pose_a.position - origin, *radius), (Vec3::default(), *other), margin, out);
        }
        _ => return collide_others(a, pose_a, b, pose_b, margin, out),
    }
    for point in &mut out.points {
        point.position = point.position + origin;
    }
}

/// The same of all others.
#[inline(never)]
fn collide_others<R: Real>(
    a: &Shape<R>,
    pose_a: &Pose<R>,
    b: &Shape<R>,
    pose_b: &Pose<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    let origin = pose_b.position;
    let near_a = Pose { position: pose_a.position - origin, orientation: pose_a.orientation };
    let near_b = Pose { position: Vec3::default(), orientation: pose_b.orientation };
    let flipped = rank(a) > rank(b);
    let (a, near_a, b, near_b) = if flipped { (b, &near_b, a, &near_a) } else { (a, &near_a, b, &near_b) };
    match (*a, *b) {
        // turned round
        (Shape::Sphere { radius }, Shape::HalfSpace) => {
            half_space::ball(near_a.position, radius, near_b, margin, out);
        }
        _ => collide_framed(a, &Frame::new(near_a), b, &Frame::new(near_b), margin, out),
    }
    for point in &mut out.points {
        point.position = point.position + origin;
        if flipped {
            point.normal = -point.normal;
        }
    }
}

/// As [`collide_into`], for shapes of which `a` moves by `travel` (m) against `b` within the step.
///
/// Apart, two flat shapes are separated best by the face that is farthest away, and that need not be the one on which they will meet: a part that slides
/// from one plate to the next, flush one, sunk in by a rounding, would strike its edge. So where they close within the step, and
/// where they will be they are separated best by faces that touch already (up to `slop`, m), those it is.
pub(crate) fn collide_moving<R: Real>(
    a: &Shape<R>,
    pose_a: &Pose<R>,
    b: &Shape<R>,
    pose_b: &Pose<R>,
    margin: R,
    (travel, slop): (Vec3<R>, R),
    out: &mut Manifold<R>,
) {
    collide_into(a, pose_a, b, pose_b, margin, out);
    let flat = |shape: &Shape<R>| matches!(shape, Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Polyhedron(_));
    if !(flat(a) && flat(b)) {
        return;
    }
    // what only falls does not slide on
    let slides = travel.dot(travel) > R::from_f64(16.0) * slop * slop;
    let closes = out.points.iter().any(|point| point.gap > R::ZERO && point.gap + travel.dot(point.normal) < R::ZERO);
    if !(slides && closes) {
        return;
    }
    let there = Pose { position: pose_a.position + travel, orientation: pose_a.orientation };
    let mut then = Manifold::new();
    collide_into(a, &there, b, pose_b, margin, &mut then);
    for point in &mut then.points {
        // a goes back to where it is: half way for what lies midway
        point.gap -= travel.dot(point.normal);
        point.position = point.position - travel * R::from_f64(0.5);
    }
    (out.tries, out.passes) = (2, out.passes.saturating_add(then.passes));
    out.corners = out.corners.saturating_add(then.corners);
    let touches = |point: &ContactPoint<R>| point.gap >= -(slop + slop) && point.gap < margin;
    if !then.points.is_empty() && then.points.iter().all(touches) {
        out.points = then.points;
    }
}

/// Pairs are computed with the lower rank as `a`.
fn rank<R: Real>(shape: &Shape<R>) -> u8 {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Box { .. } => 2,
        Shape::Cylinder { .. } => 3,
        Shape::Polyhedron(_) => 4,
        Shape::HalfSpace => 5,
    }
}

/// Every pair that is not two balls, or a ball and a half-space.
#[inline(never)]
fn collide_framed<R: Real>(
    a: &Shape<R>,
    frame_a: &Frame<R>,
    b: &Shape<R>,
    frame_b: &Frame<R>,
    margin: R,
    out: &mut Manifold<R>,
) {
    use hull::{Cuboid, Hull};
    use round::Round;
    match (*a, *b) {
        (_, Shape::HalfSpace) => half_space::collide(a, frame_a, frame_b, margin, out),
        (Shape::Sphere { radius }, Shape::Capsule { radius: other, half_length }) => {
            let (a, b) = (Round::sphere(frame_a, radius), Round::capsule(frame_b, other, half_length));
            round::collide(&a, &b, margin, out);
        }
        (Shape::Capsule { radius, half_length }, Shape::Capsule { radius: other, half_length: other_length }) => {
            let a = Round::capsule(frame_a, radius, half_length);
            let b = Round::capsule(frame_b, other, other_length);
            round::collide(&a, &b, margin, out);
        }
        (Shape::Sphere { radius }, Shape::Box { half }) => {
            round_box::sphere(frame_a.centre, radius, frame_b, half, margin, out);
        }
        (Shape::Capsule { radius, half_length }, Shape::Box { half }) => {
            let a = Round::capsule(frame_a, radius, half_length);
            round_box::capsule(&a, frame_b, half, margin, out);
        }
        (Shape::Box { half }, Shape::Box { half: other }) => {
            box_box::collide(frame_a, half, frame_b, other, margin, out);
        }
        (Shape::Sphere { radius }, Shape::Cylinder { radius: other, half_length }) => {
            let b = round_cylinder::Drum { radius: other, half_length };
            round_cylinder::sphere(frame_a.centre, radius, frame_b, b, margin, out);
        }
        (Shape::Capsule { radius, half_length }, Shape::Cylinder { radius: other, half_length: other_length }) => {
            let a = Round::capsule(frame_a, radius, half_length);
            let b = round_cylinder::Drum { radius: other, half_length: other_length };
            round_cylinder::capsule(&a, frame_b, b, margin, out);
        }
        (Shape::Box { half }, Shape::Cylinder { radius, half_length }) => {
            let b = round_cylinder::Drum { radius, half_length };
            cylinder::with_box(frame_a, half, frame_b, b, margin, out);
        }
        (Shape::Cylinder { radius, half_length }, Shape::Cylinder { radius: other, half_length: other_length }) => {
            let a = round_cylinder::Drum { radius, half_length };
            let b = round_cylinder::Drum { radius: other, half_length: other_length };
            cylinder::with_cylinder(frame_a, a, frame_b, b, margin, out);
        }
        (Shape::Cylinder { radius, half_length }, Shape::Polyhedron(other)) => {
            let a = round_cylinder::Drum { radius, half_length };
            cylinder_hull::collide(frame_a, a, &Hull::new(frame_b, other), margin, out);
        }
        (Shape::Polyhedron(tables), Shape::Polyhedron(other)) => {
            events::collide(&Hull::new(frame_a, tables), &Hull::new(frame_b, other), margin, out);
        }
        (Shape::Sphere { radius }, Shape::Polyhedron(other)) => {
            round_hull::sphere(frame_a.centre, radius, &Hull::new(frame_b, other), margin, out);
        }
        (Shape::Capsule { radius, half_length }, Shape::Polyhedron(other)) => {
            let a = Round::capsule(frame_a, radius, half_length);
            round_hull::capsule(&a, &Hull::new(frame_b, other), margin, out);
        }
        (Shape::Box { half }, Shape::Polyhedron(other)) => {
            let cuboid = Cuboid::new(half);
            events::collide(&Hull::cuboid(frame_a, &cuboid), &Hull::new(frame_b, other), margin, out);
        }
        // balls have met, a half-space meets no half-space, and the ranks leave nothing else
        _ => {}
    }
}

/// Centre and axes of a shape in the world.
#[derive(Clone, Copy, Debug)]
struct Frame<R> {
    centre: Vec3<R>,
    x: Vec3<R>,
    y: Vec3<R>,
    z: Vec3<R>,
}

impl<R: Real> Frame<R> {
    fn new(pose: &Pose<R>) -> Self {
        let columns = pose.orientation.matrix().transposed();
        Self { centre: pose.position, x: columns.x, y: columns.y, z: columns.z }
    }

    /// Axis 0, 1, 2 (and any further number means 2).
    fn axis(&self, i: usize) -> Vec3<R> {
        match i {
            0 => self.x,
            1 => self.y,
            _ => self.z,
        }
    }

    /// A vector of the world along these axes.
    fn inward(&self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// A vector along these axes in the world.
    fn outward(&self, v: Vec3<R>) -> Vec3<R> {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    /// A point of this frame in the world.
    fn point(&self, v: Vec3<R>) -> Vec3<R> {
        self.centre + self.outward(v)
    }
}

/// The two axes after axis `i`, going round: x, y, z, x, …
fn after(i: usize) -> [usize; 2] {
    match i {
        0 => [1, 2],
        1 => [2, 0],
        _ => [0, 1],
    }
}

/// Component 0, 1, 2 (and any further number means 2).
fn component<R: Real>(v: Vec3<R>, i: usize) -> R {
    match i {
        0 => v.x,
        1 => v.y,
        _ => v.z,
    }
}

/// The unit vector along axis 0, 1, 2, with this sign.
fn along_axis<R: Real>(i: usize, sign: R) -> Vec3<R> {
    match i {
        0 => Vec3::new(sign, R::ZERO, R::ZERO),
        1 => Vec3::new(R::ZERO, sign, R::ZERO),
        _ => Vec3::new(R::ZERO, R::ZERO, sign),
    }
}

/// `+1` from zero up, `−1` below.
fn sign<R: Real>(x: R) -> R {
    if x < R::ZERO { -R::ONE } else { R::ONE }
}

/// The direction of `v` and its length; `otherwise` where v is too short (ε^{3/2}, 4e-11 m in single precision) to have one.
fn unit_or<R: Real>(v: Vec3<R>, otherwise: Vec3<R>) -> (Vec3<R>, R) {
    if v.dot(v) > R::EPSILON * R::EPSILON * R::EPSILON {
        // infinitely far away: no contact, whatever its direction
        v.unit().unwrap_or((otherwise, R::INFINITY))
    } else {
        (otherwise, R::ZERO)
    }
}

fn smallest<R: Real>(v: Vec3<R>) -> R {
    min(v.x, min(v.y, v.z))
}
