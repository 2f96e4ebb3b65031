//! Closed forms, an oracle, invariants.
//!
//! The oracle is the definition: the gap is the largest `s(n)` over all directions. It tries a thousand directions spread over
//! the sphere and refines the best ones by polling around them, in f64, with farthest points written down a second time. Any
//! direction bounds the gap from below, so the oracle can only be too small: by its last polling radius.

use super::*;
use crate::math::Quat;
use std::vec::Vec as List;

mod closed;
mod events;
mod random;
mod ratio;
mod rest;
mod solids;

type V = Vec3<f64>;

/// All points closer than `margin` (m).
fn collide<R: Real>(a: &Shape<R>, pose_a: &Pose<R>, b: &Shape<R>, pose_b: &Pose<R>, margin: R) -> Manifold<R> {
    let mut manifold = Manifold::new();
    collide_into(a, pose_a, b, pose_b, margin, &mut manifold);
    manifold
}

fn v(x: f64, y: f64, z: f64) -> V {
    Vec3::new(x, y, z)
}

fn length(a: V) -> f64 {
    libm::sqrt(a.dot(a))
}

fn turn(axis: V, angle: f64) -> Quat<f64> {
    let s = libm::sin(angle / 2.0) / length(axis);
    Quat::new(libm::cos(angle / 2.0), axis.x * s, axis.y * s, axis.z * s).unwrap()
}

/// Numbers in [0, 1) that look random. (Knuth's MMIX constants)
struct Lcg(u64);

impl Lcg {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    fn direction(&mut self) -> V {
        loop {
            let d = v(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0));
            if (0.01..1.0).contains(&d.dot(d)) {
                return d * (1.0 / length(d));
            }
        }
    }
    fn rotation(&mut self) -> Quat<f64> {
        loop {
            let [w, x, y, z] = [0; 4].map(|_| self.between(-1.0, 1.0));
            if (0.01..1.0).contains(&(w * w + x * x + y * y + z * z)) {
                return Quat::new(w, x, y, z).unwrap();
            }
        }
    }
    fn shape(&mut self, kind: usize) -> Shape<f64> {
        let mut size = || self.between(0.5, 1.5);
        match kind {
            0 => Shape::Sphere { radius: size() },
            1 => Shape::Capsule { radius: size(), half_length: size() },
            2 => Shape::Box { half: v(size(), size(), size()) },
            3 => Shape::Cylinder { radius: size(), half_length: size() },
            4 => Shape::HalfSpace,
            _ => Shape::Polyhedron(self.tables(kind, 1.0)),
        }
    }
}

/// max of n·x over the shape, infinite for a half-space but along its normal.
fn highest(shape: &Shape<f64>, pose: &Pose<f64>, n: V) -> f64 {
    let l = pose.orientation.inverse().turn(n);
    n.dot(pose.position)
        + match *shape {
            Shape::Sphere { radius } => radius,
            Shape::Capsule { radius, half_length } => radius + half_length * l.z.abs(),
            Shape::Cylinder { radius, half_length } => {
                radius * libm::sqrt(l.x * l.x + l.y * l.y) + half_length * l.z.abs()
            }
            Shape::Box { half } => half.x * l.x.abs() + half.y * l.y.abs() + half.z * l.z.abs(),
            Shape::Polyhedron(p) => p.vertices.iter().fold(-f64::INFINITY, |m, x| f64::max(m, x.dot(l))),
            Shape::HalfSpace if l.z > 1.0 - 1e-12 => 0.0,
            Shape::HalfSpace => f64::INFINITY,
        }
}

/// s(n)
fn separates(a: (&Shape<f64>, &Pose<f64>), b: (&Shape<f64>, &Pose<f64>), n: V) -> f64 {
    -highest(a.0, a.1, -n) - highest(b.0, b.1, n)
}

/// max s(n)
fn oracle(a: (&Shape<f64>, &Pose<f64>), b: (&Shape<f64>, &Pose<f64>)) -> (f64, V) {
    for (half_space, n) in [(b, 1.0), (a, -1.0)] {
        if *half_space.0 == Shape::HalfSpace {
            let n = half_space.1.orientation.turn(v(0.0, 0.0, n));
            return (separates(a, b, n), n);
        }
    }
    const N: usize = 1000;
    let mut starts: List<(f64, V)> = (0..N)
        .map(|i| {
            // a spiral of equal areas
            let z = 1.0 - (2.0 * i as f64 + 1.0) / N as f64;
            let r = libm::sqrt(1.0 - z * z);
            let angle = i as f64 * 2.399_963_229_728_653;
            let n = v(r * libm::cos(angle), r * libm::sin(angle), z);
            (separates(a, b, n), n)
        })
        .collect();
    starts.sort_by(|p, q| q.0.total_cmp(&p.0));
    let mut best = starts[0];
    for &start in starts.iter().take(12) {
        let (mut s, mut n) = start;
        let mut radius = 0.05;
        let mut phase = 0.0;
        for _ in 0..400 {
            let (t, u) = n.tangents();
            let mut found = (s, n);
            for k in 0..12 {
                let angle = phase + f64::from(k) * core::f64::consts::PI / 6.0;
                let m = n + t * (radius * libm::cos(angle)) + u * (radius * libm::sin(angle));
                let m = m * (1.0 / length(m));
                let value = separates(a, b, m);
                if value > found.0 {
                    found = (value, m);
                }
            }
            phase += 0.7;
            radius *= if found.0 > s { 1.2 } else { 0.7 };
            if radius < 1e-9 {
                break;
            }
            (s, n) = found;
        }
        if s > best.0 {
            best = (s, n);
        }
    }
    best
}

/// How far a point is outside a shape (an upper bound of 0 inside), by its own formula.
fn outside(shape: &Shape<f64>, pose: &Pose<f64>, x: V) -> f64 {
    let l = pose.point_within(x);
    let over = |a: f64, b: f64| if a > b { a - b } else { 0.0 };
    match *shape {
        Shape::Sphere { radius } => over(length(l), radius),
        Shape::Capsule { radius, half_length } => over(length(v(l.x, l.y, over(l.z.abs(), half_length))), radius),
        Shape::Cylinder { radius, half_length } => {
            length(v(over(libm::sqrt(l.x * l.x + l.y * l.y), radius), over(l.z.abs(), half_length), 0.0))
        }
        Shape::Box { half } => length(v(over(l.x.abs(), half.x), over(l.y.abs(), half.y), over(l.z.abs(), half.z))),
        // no farther than this: a bound, exact over facets
        Shape::Polyhedron(p) => p.facets.iter().fold(0.0, |m, f| f64::max(m, f.normal.dot(l) - f.offset)),
        Shape::HalfSpace => over(l.z, 0.0),
    }
}

fn smallest_gap<R: Real>(manifold: &Manifold<R>) -> Option<ContactPoint<R>> {
    manifold.iter().copied().reduce(|p, q| if q.gap < p.gap { q } else { p })
}

fn single(shape: &Shape<f64>) -> Shape<f32> {
    let r = |x: f64| x as f32;
    match *shape {
        Shape::Sphere { radius } => Shape::Sphere { radius: r(radius) },
        Shape::Capsule { radius, half_length } => Shape::Capsule { radius: r(radius), half_length: r(half_length) },
        Shape::Cylinder { radius, half_length } => Shape::Cylinder { radius: r(radius), half_length: r(half_length) },
        Shape::Box { half } => Shape::Box { half: Vec3::new(r(half.x), r(half.y), r(half.z)) },
        Shape::Polyhedron(tables) => Shape::Polyhedron(solids::single_tables(tables)),
        Shape::HalfSpace => Shape::HalfSpace,
    }
}

fn single_pose(pose: &Pose<f64>) -> Pose<f32> {
    let [w, x, y, z] = pose.orientation.components().map(|c| c as f32);
    let p = pose.position;
    Pose { position: Vec3::new(p.x as f32, p.y as f32, p.z as f32), orientation: Quat::new(w, x, y, z).unwrap() }
}
