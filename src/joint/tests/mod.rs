//! Joints in double precision: geometry against finite differences, then in motion, then refused.

mod geometry;
mod motion;
mod refusal;

use super::*;
use crate::math::{Quat, Vec3, Vec6};
use crate::rows::{Admissible, RowInput};
use std::vec::Vec;

/// Numbers in [−1, 1) from a linear congruential generator (Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3<f64> {
        Vec3::new(self.next() * size, self.next() * size, self.next() * size)
    }

    fn pose(&mut self) -> Pose<f64> {
        let position = self.vector(1.0);
        let [w, x, y, z] = [self.next(), self.next(), self.next(), self.next()];
        Pose { position, orientation: Quat::new(w, x, y, z).unwrap() }
    }

    fn velocity(&mut self) -> Vec6<f64> {
        Vec6::new(self.vector(1.0), self.vector(1.0))
    }

    /// `pose` moved and turned by up to about `size`.
    fn nudged(&mut self, pose: &Pose<f64>, size: f64) -> Pose<f64> {
        moved(pose, Vec6::new(self.vector(size), self.vector(size)), 1.0)
    }
}

fn moved(pose: &Pose<f64>, v: Vec6<f64>, h: f64) -> Pose<f64> {
    Pose { position: pose.position + v.linear * h, orientation: pose.orientation.turned(v.angular * h) }
}

fn collect(
    joint: &Joint<f64>,
    at: [&Pose<f64>; 2],
    v: [Vec6<f64>; 2],
    step: &StepContext<f64>,
) -> Vec<(RowInput<f64>, Admissible<f64>)> {
    let mut rows = Vec::new();
    joint
        .rows(at[0], at[1], v[0], v[1], step, &mut |row, admissible| {
            rows.push((row, admissible));
            Ok(())
        })
        .unwrap();
    assert!(rows.len() <= joint.max_rows());
    assert!(joint.max_rows() <= Joint::<f64>::MAX_ROWS);
    rows
}

/// One of each kind, all with different frames.
fn each_kind(random: &mut Random) -> Vec<Joint<f64>> {
    let poses: [Pose<f64>; 2] = [random.pose(), random.pose()];
    let kinds = [
        Kind::Ball,
        Kind::Revolute,
        Kind::Prismatic,
        Kind::Cylindrical,
        Kind::Universal,
        Kind::Fixed,
        Kind::Distance { length: 0.7, rate: 0.0 },
        Kind::Rope { length: 0.1, rate: 0.0 },
        Kind::Screw { pitch: 0.3 },
        Kind::Gear { ratio: -2.5, bearing_a: poses[0], bearing_b: poses[1] },
        Kind::Rack { radius: 0.2, guide_a: poses[0], bearing_b: poses[1] },
    ];
    kinds.into_iter().map(|kind| Joint::new(kind, random.pose(), random.pose()).unwrap()).collect()
}

/// Where a body with `frame` must be for the frame to be at `world`.
fn carrying(frame: &Pose<f64>, world: &Pose<f64>) -> Pose<f64> {
    let orientation = world.orientation * frame.orientation.inverse();
    Pose { position: world.position - orientation.turn(frame.position), orientation }
}
