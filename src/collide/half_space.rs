//! Anything on a half-space, whose surface is the plane z = 0 of its frame.
//!
//! ```text
//! g = n·(x − x_plane),  n the plane's normal, x the lowest points of the shape
//! ```
//! Exact. Sphere 1 point, capsule up to 2 (its ends), box and polyhedron up to 4 (their lowest vertices), cylinder as [`cylinder::lowest`](super::cylinder::lowest).

use super::hull::CANDIDATE;
use super::patch::Candidates;
use super::{ContactPoint, Frame, Manifold, cylinder, round_cylinder::Drum};
use crate::math::{Pose, Real, Vec3};
use crate::shape::Shape;

pub(super) fn collide<R: Real>(shape: &Shape<R>, frame: &Frame<R>, plane: &Frame<R>, margin: R, out: &mut Manifold<R>) {
    let normal = plane.z;
    let facing = |x: Vec3<R>, feature: u16| facing(x, plane.centre, normal, feature);
    let mut candidates = Candidates::new();
    match *shape {
        Shape::Sphere { radius } => candidates.add(facing(frame.centre - normal * radius, 0), margin),
        Shape::Capsule { radius, half_length } => {
            let bottom = frame.centre - normal * radius;
            candidates.add(facing(bottom - frame.z * half_length, 0), margin);
            candidates.add(facing(bottom + frame.z * half_length, 1), margin);
        }
        Shape::Cylinder { radius, half_length } => {
            for &(x, feature) in &cylinder::lowest(frame, Drum { radius, half_length }, normal) {
                candidates.add(facing(x, feature), margin);
            }
        }
        Shape::Box { half } => {
            for vertex in 0..8_u16 {
                let side = |bit: u16, h: R| if vertex & bit == 0 { -h } else { h };
                let corner = Vec3::new(side(1, half.x), side(2, half.y), side(4, half.z));
                candidates.add(facing(frame.point(corner), vertex), margin);
            }
        }
        Shape::Polyhedron(tables) => {
            // and back, to choose among those below
            out.corners = u32::try_from(tables.vertices.len()).unwrap_or(u32::MAX).saturating_mul(2);
            let up = frame.inward(normal);
            let (t1, t2) = up.tangents();
            let axes = [frame.outward(t1), frame.outward(t2)];
            // nothing is formed of corners that are too high
            let base = (frame.centre - plane.centre).dot(normal);
            for (i, v) in (0..u16::MAX).zip(tables.vertices) {
                if base + v.dot(up) < margin {
                    out.corners = out.corners.saturating_add(CANDIDATE / 2);
                    candidates.add_spread(facing(frame.point(*v), i), margin, axes);
                }
            }
        }
        Shape::HalfSpace => {}
    }
    candidates.reduce_into(out);
}

/// A ball on a half-space.
pub(super) fn ball<R: Real>(centre: Vec3<R>, radius: R, plane: &Pose<R>, margin: R, out: &mut Manifold<R>) {
    let normal = Frame::new(plane).z;
    let point = facing(centre - normal * radius, plane.position, normal, 0);
    if point.gap < margin {
        out.push(point);
    }
}

/// The contact point of a point of the shape.
#[inline(always)]
fn facing<R: Real>(x: Vec3<R>, on_plane: Vec3<R>, normal: Vec3<R>, feature: u16) -> ContactPoint<R> {
    let gap = (x - on_plane).dot(normal);
    ContactPoint { position: x - normal * (gap * R::from_f64(0.5)), normal, gap, feature }
}
