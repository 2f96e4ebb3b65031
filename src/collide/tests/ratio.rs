//! The ratio metric against its definition, and against distance and depth.
//!
//! The oracle is the dual program's every basis: four facets with weights λ ≥ 0, Σ λ = 1, Σ λ_i a_i = 0 (a = n/β) bound r from below by
//! `g·(c_b − c_a)`, g the sum over a's; the largest is r.

use super::solids::{Tables, single_tables};
use super::*;
use crate::collide::Ratio;

/// r by trying every four facets.
fn oracle_ratio(a: (Tables, &Pose<f64>), b: (Tables, &Pose<f64>)) -> f64 {
    let d = b.1.position - a.1.position;
    let of = |(tables, pose): (Tables, &Pose<f64>), c: V| -> List<(V, f64)> {
        tables
            .facets
            .iter()
            .map(|f| (pose.orientation.turn(f.normal) * (1.0 / f.offset), c))
            .map(|(n, c)| (n, n.dot(c)))
            .collect()
    };
    // n·c: what a facet of a adds to the bound
    let all: List<(V, f64)> = of(a, d).into_iter().chain(of(b, V::default())).collect();
    let n = all.len();
    let mut best = 0.0_f64;
    let det = |x: V, y: V, z: V| x.dot(y.cross(z));
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let (p, q, r) = (all[i].0, all[j].0, all[k].0);
                let last = det(p, q, r);
                for &(s, s_bound) in &all[k + 1..] {
                    // Cramer: Σ λ a = 0 up to a factor
                    let weights = [det(q, r, s), -det(p, r, s), det(p, q, s), -last];
                    let sum: f64 = weights.iter().sum();
                    let size: f64 = weights.iter().map(|w| w.abs()).sum();
                    let lambda = weights.map(|w| w / sum);
                    // four normals in a plane have no weights but rounding
                    if size > 1e-9 && sum.abs() > 1e-9 * size && lambda.iter().all(|l| *l >= -1e-13) {
                        let bound =
                            lambda[0] * all[i].1 + lambda[1] * all[j].1 + lambda[2] * all[k].1 + lambda[3] * s_bound;
                        best = best.max(bound);
                    }
                }
            }
        }
    }
    best
}

/// Two polyhedra and how they lie.
struct Case {
    a: Tables,
    pose_a: Pose<f64>,
    b: Tables,
    pose_b: Pose<f64>,
}

const REGIMES: [&str; 9] =
    ["far", "near", "touching", "overlapping", "deep", "face on face", "edge on edge", "corner on corner", "centres"];

impl Case {
    fn random(lcg: &mut Lcg, stock: &[Tables], regime: usize) -> Self {
        let pick = |lcg: &mut Lcg| stock[(lcg.unit() * stock.len() as f64) as usize];
        let (a, b) = (pick(lcg), pick(lcg));
        let pose_b = Pose { position: lcg.direction(), orientation: lcg.rotation() };
        let mut pose_a = Pose { position: pose_b.position, orientation: lcg.rotation() };
        let mut n = lcg.direction();
        let mut offset = V::default();
        let gap = match regime {
            0 => lcg.between(3.0, 30.0),
            1 => lcg.between(0.0, 0.1),
            2 => 0.0,
            3 => lcg.between(-0.1, 0.0),
            4 => lcg.between(-1.0, -0.1),
            5 => {
                // a's first facet against b's
                n = pose_b.orientation.turn(b.facets[0].normal);
                let m = pose_a.orientation.turn(a.facets[0].normal);
                pose_a.orientation = turn_onto(m, -n) * pose_a.orientation;
                offset = lcg.direction() * 0.3;
                lcg.between(-0.01, 0.01)
            }
            6 => {
                // their first edges cross, n in the middle between the facets of each
                let edge = |tables: Tables, pose: &Pose<f64>| {
                    let edge = tables.edges[0];
                    let [i, j] = edge.facets.map(|f| tables.facets[usize::from(f)].normal);
                    pose.orientation.turn((i + j) * (1.0 / length(i + j)))
                };
                n = edge(b, &pose_b);
                pose_a.orientation = turn_onto(edge(a, &pose_a), -n) * pose_a.orientation;
                lcg.between(-0.01, 0.01)
            }
            7 => {
                let tip = |tables: Tables, pose: &Pose<f64>| pose.orientation.turn(tables.vertices[0]);
                n = tip(b, &pose_b) * (1.0 / length(tip(b, &pose_b)));
                let m = tip(a, &pose_a) * (1.0 / length(tip(a, &pose_a)));
                pose_a.orientation = turn_onto(m, -n) * pose_a.orientation;
                lcg.between(-0.01, 0.01)
            }
            _ => {
                pose_a.position = pose_b.position + n * libm::pow(10.0, lcg.between(-9.0, -3.0));
                return Self { a, pose_a, b, pose_b };
            }
        };
        pose_a.position = pose_a.position + offset;
        let s = separates((&Shape::Polyhedron(a), &pose_a), (&Shape::Polyhedron(b), &pose_b), n);
        pose_a.position = pose_a.position + n * (gap - s);
        Self { a, pose_a, b, pose_b }
    }

    fn ratio(&self) -> Ratio<f64> {
        crate::collide::ratio(self.a, &self.pose_a, self.b, &self.pose_b)
    }
}

/// The turn that takes unit vector m onto n.
fn turn_onto(m: V, n: V) -> Quat<f64> {
    let w = 1.0 + m.dot(n);
    let axis = m.cross(n);
    if w < 1e-9 {
        let t = m.tangents().0;
        return Quat::new(0.0, t.x, t.y, t.z).unwrap();
    }
    Quat::new(w, axis.x, axis.y, axis.z).unwrap()
}

fn double_pose(pose: &Pose<f32>) -> Pose<f64> {
    let [w, x, y, z] = pose.orientation.components().map(f64::from);
    let p = pose.position;
    Pose { position: v(p.x.into(), p.y.into(), p.z.into()), orientation: Quat::new(w, x, y, z).unwrap() }
}

fn stock(lcg: &mut Lcg) -> List<Tables> {
    (0..40).map(|kind| lcg.tables(kind, 1.0)).collect()
}

/// 10 000 pairs; the error of ρ relative to max(1, |ρ|), the oracle's in double precision from the same numbers.
#[test]
fn rho_is_the_oracles() {
    let mut lcg = Lcg(11);
    let stock = stock(&mut lcg);
    let singles: List<_> = stock.iter().map(|tables| single_tables(tables)).collect();
    for (regime, name) in REGIMES.iter().enumerate() {
        let (mut worst, mut worst_single, mut most) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..1112 {
            let mut case = Case::random(&mut lcg, &stock, regime);
            // what single precision can say of it is all that either is told
            let (pose_a, pose_b) = (single_pose(&case.pose_a), single_pose(&case.pose_b));
            let of = |tables: Tables| singles[stock.iter().position(|t| core::ptr::eq(*t, tables)).unwrap()];
            let single = crate::collide::ratio(of(case.a), &pose_a, of(case.b), &pose_b);
            (case.pose_a, case.pose_b) = (double_pose(&pose_a), double_pose(&pose_b));
            let found = case.ratio();
            let r = oracle_ratio((case.a, &case.pose_a), (case.b, &case.pose_b));
            if case.pose_a.position == case.pose_b.position {
                assert!(found.r == 0.0 && found.rho.is_finite() && single.r == 0.0 && single.rho.is_finite());
                continue;
            }
            let rho = (r - 1.0) / r;
            let error = |found: f64| (found - rho).abs() / rho.abs().max(1.0);
            worst = worst.max(error(found.rho));
            worst_single = worst_single.max(error(single.rho.into()));
            most = most.max(found.exchanges).max(single.exchanges);
            assert!(error(found.rho) < 1e-12, "{name}: {found:?}, not {rho}");
            assert!(error(single.rho.into()) < 1e-5, "{name}: {single:?}, not {rho}");
        }
        std::println!("{name:>16}: f64 {worst:.1e}, f32 {worst_single:.1e}, at most {most} exchanges");
    }
}
