//! Random pairs against the oracle, and what must hold for all of them.

use super::*;

const NAMES: [&str; 9] =
    ["sphere", "capsule", "box", "cylinder", "half-space", "prism", "tetrahedron", "hull", "cuboid"];
const MARGIN: f64 = 0.3;
const CASES: usize = 60;

struct Pair {
    a: Shape<f64>,
    pose_a: Pose<f64>,
    b: Shape<f64>,
    pose_b: Pose<f64>,
}

impl Pair {
    /// Two shapes about `gap` apart along a random direction.
    fn random(lcg: &mut Lcg, kinds: (usize, usize), gap: f64) -> Self {
        let (a, b) = (lcg.shape(kinds.0), lcg.shape(kinds.1));
        let pose_b = Pose { position: lcg.direction(), orientation: lcg.rotation() };
        let mut pose_a = Pose { position: pose_b.position, orientation: lcg.rotation() };
        let n = match (a, b) {
            (_, Shape::HalfSpace) => pose_b.orientation.turn(v(0.0, 0.0, 1.0)),
            (Shape::HalfSpace, _) => pose_a.orientation.turn(v(0.0, 0.0, -1.0)),
            _ => lcg.direction(),
        };
        let s = separates((&a, &pose_a), (&b, &pose_b), n);
        pose_a.position = pose_a.position + n * (gap - s);
        Self { a, pose_a, b, pose_b }
    }

    /// Axes in simple positions to each other: faces, edges and sides lie along each other.
    fn aligned(lcg: &mut Lcg, kinds: (usize, usize), gap: f64, tilt: f64) -> Self {
        let mut pair = Self::random(lcg, kinds, gap);
        let quarter = |lcg: &mut Lcg| {
            let axis = match (lcg.unit() * 3.0) as u8 {
                0 => v(1.0, 0.0, 0.0),
                1 => v(0.0, 1.0, 0.0),
                _ => v(0.0, 0.0, 1.0),
            };
            turn(axis, core::f64::consts::FRAC_PI_2 * f64::from((lcg.unit() * 4.0) as u8))
        };
        let small = lcg.direction() * tilt;
        pair.pose_b.orientation = quarter(lcg);
        pair.pose_a.orientation = quarter(lcg).turned(small);
        let axis = v(0.0, 0.0, 1.0);
        let offset = lcg.direction() * 0.4;
        let n = match (pair.a, pair.b) {
            (_, Shape::HalfSpace) => pair.pose_b.orientation.turn(axis),
            (Shape::HalfSpace, _) => pair.pose_a.orientation.turn(-axis),
            _ => axis,
        };
        pair.pose_a.position = pair.pose_b.position + offset - n * offset.dot(n);
        let s = separates((&pair.a, &pair.pose_a), (&pair.b, &pair.pose_b), n);
        pair.pose_a.position = pair.pose_a.position + n * (gap - s);
        pair
    }

    fn collide(&self) -> Manifold<f64> {
        collide(&self.a, &self.pose_a, &self.b, &self.pose_b, MARGIN)
    }

    fn oracle(&self) -> (f64, V) {
        oracle((&self.a, &self.pose_a), (&self.b, &self.pose_b))
    }

    fn separates(&self, n: V) -> f64 {
        separates((&self.a, &self.pose_a), (&self.b, &self.pose_b), n)
    }
}

fn kinds() -> impl Iterator<Item = (usize, usize)> {
    let primitive = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|&pair| pair != (4, 4));
    // polyhedra with everything, either way round
    primitive.chain((5..9).flat_map(|a| (0..9).map(move |b| (a, b)))).chain((5..9).map(|b| (4, b)))
}

/// How far the gap may be off: 0 for closed forms but rounding and the oracle's own error; shapes are of size one.
fn tolerance((a, b): (usize, usize)) -> f64 {
    match (a.min(b), a.max(b)) {
        // a cap that counts as flat: 3e-5 of at most 1.5
        (3, 4) => 5e-5,
        // four points of many: 1e-4 of the width, at most 3
        (4, 5..) => 3e-4,
        (_, 4) | (0, _) | (1, 1) => 1e-7,
        // a face is preferred by 1e-3 of at most 1.5
        _ => 1.6 * FACE_BIAS,
    }
}

fn check(pair: &Pair, kinds: (usize, usize), worst: &mut f64) {
    let name = (NAMES[kinds.0], NAMES[kinds.1]);
    let manifold = pair.collide();
    let (mut truth, n) = pair.oracle();
    let tolerance = tolerance(kinds);
    let Some(least) = smallest_gap(&manifold) else {
        assert!(truth > MARGIN - tolerance, "{name:?}: nothing found at gap {truth}, n {n:?}");
        return;
    };
    truth = truth.max(pair.separates(least.normal));
    let error = least.gap - truth;
    *worst = worst.max(error.abs());
    // overlapping polyhedra: the ratio metric's direction overlaps more than the best, by no more than D·n over D·(best n)
    let d = pair.pose_a.position - pair.pose_b.position;
    let ratio = (kinds.0 > 4 || kinds.0 == 2) && (kinds.1 > 4 || kinds.1 == 2) && kinds != (2, 2);
    let deep = ratio && truth < 0.0 && least.gap * d.dot(n) > truth * d.dot(least.normal) - tolerance;
    assert!(
        error.abs() < tolerance || (deep && error < tolerance),
        "{name:?}: gap {} n {:?}, should be {truth} n {n:?}\n{:?} {:?} {:?} {:?}\n{manifold:?}",
        least.gap,
        least.normal,
        pair.a,
        pair.pose_a,
        pair.b,
        pair.pose_b
    );
    let mut features = List::new();
    for p in manifold.iter() {
        assert!((p.normal.dot(p.normal) - 1.0).abs() < 1e-12, "{name:?}: {p:?}");
        assert!(p.gap < MARGIN);
        assert!(!features.contains(&p.feature), "{name:?}: {manifold:?}");
        features.push(p.feature);
        // the surfaces' points belong to the shapes, and a lies on the normal's side
        let half = p.normal * (p.gap / 2.0);
        let (on_a, on_b) = (p.position + half, p.position - half);
        let off = outside(&pair.a, &pair.pose_a, on_a).max(outside(&pair.b, &pair.pose_b, on_b));
        // within parallel's sine times the length 3 for stretches, the face's bias for clipped faces
        assert!(
            off < 2.0 * 3.0 * PARALLEL,
            "{name:?}: {off} outside\n{:?} {:?} {:?} {:?}\n{manifold:?}",
            pair.a,
            pair.pose_a,
            pair.b,
            pair.pose_b
        );
    }
}

#[test]
fn random_pairs_have_the_oracles_gap() {
    let mut lcg = Lcg(1);
    for kinds in kinds() {
        let mut worst = 0.0;
        for _ in 0..CASES {
            let gap = lcg.between(-0.4, 0.2);
            check(&Pair::random(&mut lcg, kinds, gap), kinds, &mut worst);
        }
        std::println!("{:>10} {:<10} {worst:.1e}", NAMES[kinds.0], NAMES[kinds.1]);
    }
}

#[test]
fn aligned_pairs_have_the_oracles_gap() {
    let mut lcg = Lcg(2);
    for kinds in kinds() {
        let mut worst = 0.0;
        for i in 0..CASES {
            let gap = lcg.between(-0.2, 0.1);
            let tilt = [0.0, 1e-9, 1e-5, 1e-3, 0.02][i % 5];
            check(&Pair::aligned(&mut lcg, kinds, gap, tilt), kinds, &mut worst);
        }
        std::println!("{:>10} {:<10} {worst:.1e}", NAMES[kinds.0], NAMES[kinds.1]);
    }
}

#[test]
fn swapped_order_turns_the_normal_round() {
    let mut lcg = Lcg(3);
    for kinds in kinds() {
        for i in 0..100 {
            let gap = lcg.between(-0.2, 0.1);
            let p =
                if i % 2 == 0 { Pair::random(&mut lcg, kinds, gap) } else { Pair::aligned(&mut lcg, kinds, gap, 0.0) };
            let there = p.collide();
            let back = collide(&p.b, &p.pose_b, &p.a, &p.pose_a, MARGIN);
            let (Some(q), Some(r)) = (smallest_gap(&there), smallest_gap(&back)) else {
                assert!(there.iter().count() == 0 && back.iter().count() == 0);
                continue;
            };
            let same_kind = kinds.0 == kinds.1 || kinds.0.min(kinds.1) > 4;
            // two of a kind: the other one may be the reference, the gap within the bias; a climb: 1e-6 of the size 3
            let room = match tolerance(kinds) {
                exact if exact < 1e-6 => 1e-9,
                _ if same_kind => 2.0 * tolerance(kinds),
                _ => 3e-6,
            };
            assert!((q.gap - r.gap).abs() < room, "{} {}: {q:?} {r:?}", NAMES[kinds.0], NAMES[kinds.1]);
            if !same_kind {
                assert_eq!(there.iter().count(), back.iter().count());
                for (q, r) in there.iter().zip(back.iter()) {
                    // a climb ends where the gap is flat: the square root of its error
                    assert!(length(q.normal + r.normal) < 1e-3 && q.feature == r.feature, "{q:?} {r:?}");
                    // and a rim along an edge slides far for little
                    let room = if kinds.0 > 4 && kinds.1 == 3 { 0.05 } else { 1e-3 };
                    let moved = length(q.position - r.position);
                    assert!(moved < room, "{} {}: {q:?} {r:?}", NAMES[kinds.0], NAMES[kinds.1]);
                }
            }
        }
    }
}

#[test]
fn small_motion_keeps_the_features() {
    let mut lcg = Lcg(4);
    for kinds in kinds() {
        let (mut kept, mut all) = (0, 0);
        for i in 0..200 {
            let gap = lcg.between(-0.02, 0.01);
            let mut p =
                if i % 2 == 0 { Pair::random(&mut lcg, kinds, gap) } else { Pair::aligned(&mut lcg, kinds, gap, 1e-6) };
            let before: List<u16> = p.collide().iter().map(|p| p.feature).collect();
            p.pose_a.position = p.pose_a.position + lcg.direction() * 1e-4;
            let after: List<u16> = p.collide().iter().map(|p| p.feature).collect();
            all += before.len();
            kept += before.iter().filter(|f| after.contains(f)).count();
        }
        let share = f64::from(kept as u32) / f64::from(all as u32);
        std::println!("{:>10} {:<10} {:.1} %", NAMES[kinds.0], NAMES[kinds.1], 100.0 * share);
        // some features are left for good within 1e-4 of their size: about that share
        assert!(share > 0.98, "{} {}: {share}", NAMES[kinds.0], NAMES[kinds.1]);
    }
}

#[test]
fn single_precision_agrees_with_double() {
    let mut lcg = Lcg(5);
    for kinds in kinds() {
        let mut worst = 0.0_f64;
        for i in 0..200 {
            let gap = lcg.between(-0.3, 0.2);
            let p =
                if i % 2 == 0 { Pair::random(&mut lcg, kinds, gap) } else { Pair::aligned(&mut lcg, kinds, gap, 1e-3) };
            let double = p.collide();
            let m = collide(&single(&p.a), &single_pose(&p.pose_a), &single(&p.b), &single_pose(&p.pose_b), 0.3);
            let (Some(q), Some(r)) = (smallest_gap(&double), smallest_gap(&m)) else {
                assert!(
                    smallest_gap(&double)
                        .or_else(|| smallest_gap(&m).map(|p| ContactPoint {
                            position: V::default(),
                            normal: V::default(),
                            gap: f64::from(p.gap),
                            feature: 0
                        }))
                        .is_none_or(|p| p.gap > 0.29)
                );
                continue;
            };
            worst = worst.max((q.gap - f64::from(r.gap)).abs());
        }
        std::println!("{:>10} {:<10} {worst:.1e}", NAMES[kinds.0], NAMES[kinds.1]);
        // sizes of one, some ten roundings; a face may be preferred in one precision and not in the other
        let room = if tolerance(kinds) < 1e-6 { 32.0 * f64::from(f32::EPSILON) } else { 2.0 * tolerance(kinds) };
        assert!(worst < room, "{} {}: {worst}", NAMES[kinds.0], NAMES[kinds.1]);
    }
}
