//! Events of polyhedra: where they are, their derivatives, and inputs that have few digits or no direction.

use super::solids::{Tables, cuboid, hull, prism, single_tables};
use super::*;
use crate::collide::{Event, events, ratio};
use crate::math::Vec6;
use std::vec;

const EIGHTH: f64 = core::f64::consts::FRAC_PI_4;
const UP: V = Vec3::new(0.0, 0.0, 1.0);

fn cube() -> Tables {
    cuboid(v(1.0, 1.0, 1.0))
}

fn touching(a: Tables, pose_a: &Pose<f64>, b: Tables, pose_b: &Pose<f64>) -> Manifold<f64> {
    collide(&Shape::Polyhedron(a), pose_a, &Shape::Polyhedron(b), pose_b, 0.1)
}

fn all(a: (Tables, &Pose<f64>), b: (Tables, &Pose<f64>)) -> List<Event<f64>> {
    let mut found = List::new();
    events(a, b, 0.1, |event| found.push(*event));
    found
}

/// Area of the hull of points seen along z: they come in order round it, or nearly.
fn area(points: &[V]) -> f64 {
    let mut sorted = points.to_vec();
    let centre = points.iter().fold(V::default(), |sum, p| sum + *p) * (1.0 / points.len() as f64);
    sorted.sort_by(|p, q| {
        let angle = |p: &V| libm::atan2(p.y - centre.y, p.x - centre.x);
        angle(p).total_cmp(&angle(q))
    });
    (0..sorted.len()).map(|i| sorted[i].cross(sorted[(i + 1) % sorted.len()]).z / 2.0).sum()
}

#[test]
fn cubes_face_on_face_touch_at_corners() {
    let below = Pose::IDENTITY;
    for gap in [0.0, -1e-3, 1e-3] {
        let above = Pose::at(UP * (2.0 + gap));
        let m = touching(cube(), &above, cube(), &below);
        let places: List<V> = m.iter().map(|p| p.position).collect();
        assert_eq!(places.len(), 4);
        assert!((area(&places) - 4.0).abs() < 1e-12, "{places:?}");
        assert!(m.iter().all(|p| (p.gap - gap).abs() < 1e-15 && p.normal == UP));
        // shifted: a rectangle of a corner of each and two crossings
        let m = touching(cube(), &Pose::at(v(0.5, 0.3, 2.0 + gap)), cube(), &below);
        let places: List<V> = m.iter().map(|p| p.position).collect();
        assert!(places.len() == 4 && (area(&places) - 1.5 * 1.7).abs() < 0.01, "{places:?}");
    }
    // a quarter turned by half: eight crossings, of which four are kept
    let turned = Pose { position: UP * 2.0, orientation: turn(UP, EIGHTH) };
    let found: List<V> = all((cube(), &turned), (cube(), &below)).iter().map(Event::position).collect();
    let octagon = 8.0 * (libm::sqrt(2.0) - 1.0);
    assert_eq!(found.len(), 8);
    assert!((area(&found) - octagon).abs() < 0.02, "{found:?}");
    let kept: List<V> = touching(cube(), &turned, cube(), &below).iter().map(|p| p.position).collect();
    let share = area(&kept) / octagon;
    std::println!("four of eight crossings keep {:.1} % of the octagon's area", 100.0 * share);
    // the square in a regular octagon has 1/√2 of its area
    assert!(kept.len() == 4 && share > 0.7, "{share}");
}

#[test]
fn crossed_edges_touch_at_one_point() {
    let top = Pose { position: UP * (2.0 * libm::sqrt(2.0)), orientation: turn(v(1.0, 0.0, 0.0), EIGHTH) };
    let bottom = Pose { position: V::default(), orientation: turn(v(0.0, 1.0, 0.0), EIGHTH) };
    let m = touching(cube(), &top, cube(), &bottom);
    let p = m.iter().next().unwrap();
    assert_eq!(m.iter().count(), 1);
    assert!(p.gap.abs() < 1e-14 && length(p.normal - UP) < 1e-14, "{p:?}");
    assert!(length(p.position - UP * libm::sqrt(2.0)) < 1e-14);
    let found = all((cube(), &top), (cube(), &bottom));
    assert!(found.len() == 1 && found[0].phi().abs() < 1e-14);
}

/// Φ of an event of the same features, bodies moved: found again by its place among all, then by feature.
fn moved(pose: &Pose<f64>, by: Vec6<f64>) -> Pose<f64> {
    Pose { position: pose.position + by.linear, orientation: pose.orientation.turned(by.angular) }
}

#[test]
fn rows_are_derivatives() {
    let mut lcg = Lcg(21);
    let step = 1e-5;
    let (mut corners, mut crossed, mut worst) = (0, 0, 0.0_f64);
    for round in 0..400 {
        let (a, b) = (lcg.tables(round, 1.0), lcg.tables(round / 4, 1.0));
        let pose_b = Pose { position: lcg.direction(), orientation: lcg.rotation() };
        let n = lcg.direction();
        let mut pose_a = Pose { position: pose_b.position, orientation: lcg.rotation() };
        let s = separates((&Shape::Polyhedron(a), &pose_a), (&Shape::Polyhedron(b), &pose_b), n);
        pose_a.position = pose_a.position + n * (lcg.between(-0.05, 0.0) - s);
        for event in all((a, &pose_a), (b, &pose_b)) {
            // the same features elsewhere: in whatever order they are found there
            let phi = |pose_a: &Pose<f64>, pose_b: &Pose<f64>| {
                all((a, pose_a), (b, pose_b)).iter().find(|e| e.feature() == event.feature()).map(Event::phi)
            };
            let rows = event.row();
            let flat = |row: Vec6<f64>| <[f64; 6]>::from(row);
            for (body, rows) in rows.into_iter().enumerate() {
                for axis in 0..6 {
                    let mut unit = [0.0; 6];
                    unit[axis] = step;
                    let (plus, minus) = (Vec6::from(unit), Vec6::from(unit.map(|x| -x)));
                    let at = |by: Vec6<f64>| match body {
                        0 => phi(&moved(&pose_a, by), &pose_b),
                        _ => phi(&pose_a, &moved(&pose_b, by)),
                    };
                    let (Some(high), Some(low)) = (at(plus), at(minus)) else { continue };
                    let slope = (high - low) / (2.0 * step);
                    let row = flat(rows)[axis];
                    let size = flat(rows).iter().fold(1.0_f64, |m, x| m.max(x.abs()));
                    let error = (slope - row).abs() / size;
                    worst = worst.max(error);
                    // step² times the third derivative, and rounding over the step
                    assert!(error < 1e-6, "{event:?}: {slope}, not {row}");
                    if event.feature() >> 15 == 0 { corners += 1 } else { crossed += 1 }
                }
            }
        }
    }
    std::println!("{corners} derivatives of corners on faces, {crossed} of edges on edges, worst {worst:.1e}");
    assert!(corners > 400 && crossed > 400);
}

#[test]
fn a_touching_event_pushes_as_its_contact_does() {
    // at gap 0 the row is the contact's, over the distance of the centres along the normal
    let above = Pose::at(v(0.4, -0.2, 2.0));
    for event in all((cube(), &above), (cube(), &Pose::IDENTITY)) {
        let n = event.normal();
        let apart = n.dot(above.position);
        let along = |arm: V| Vec6::along(n, arm) * (1.0 / apart);
        let [a, b] = event.row();
        let (other_a, other_b) = (along(event.position() - above.position), -along(event.position()));
        let off = [a - other_a, b - other_b].map(|x| x.dot(x));
        // crossings lie up to the room off their edges
        assert!(off[0] < 1e-5 && off[1] < 1e-5, "{event:?}: {a:?} {other_a:?}");
    }
}

/// Every direction that can have the least depth: facets, and edges across edges.
fn directions(a: (Tables, &Pose<f64>), b: (Tables, &Pose<f64>)) -> List<V> {
    let normals = |(tables, pose): (Tables, &Pose<f64>), side: f64| -> List<V> {
        tables.facets.iter().map(|f| pose.orientation.turn(f.normal) * side).collect()
    };
    let edges = |(tables, pose): (Tables, &Pose<f64>)| -> List<V> {
        let ends = tables.edges.iter().map(|e| e.vertices.map(|i| tables.vertices[usize::from(i)]));
        ends.map(|[p, q]| pose.orientation.turn(q - p)).collect()
    };
    let mut found = normals(a, -1.0);
    found.extend(normals(b, 1.0));
    for e in edges(a) {
        for f in edges(b) {
            let cross = e.cross(f);
            if length(cross) > 1e-9 {
                let n = cross * (1.0 / length(cross));
                found.extend([n, -n]);
            }
        }
    }
    found
}

#[test]
fn metric_equivalence() {
    // apart: s/D ≤ ρ ≤ s/(what s is of the reach: h);  overlapping, with n* the direction of least depth s:
    // −s/(D·n*) ≤ ρ ≤ −s/D
    let mut lcg = Lcg(22);
    for round in 0..300 {
        let (a, b) = (lcg.tables(round, 1.0), lcg.tables(round / 4, 1.0));
        let pose_b = Pose { position: lcg.direction(), orientation: lcg.rotation() };
        let n = lcg.direction();
        let mut pose_a = Pose { position: pose_b.position, orientation: lcg.rotation() };
        let (shape_a, shape_b) = (Shape::Polyhedron(a), Shape::Polyhedron(b));
        let s = separates((&shape_a, &pose_a), (&shape_b, &pose_b), n);
        pose_a.position = pose_a.position + n * (lcg.between(-0.2, 0.2) - s);
        let (mut s, mut best) = oracle((&shape_a, &pose_a), (&shape_b, &pose_b));
        for n in directions((a, &pose_a), (b, &pose_b)) {
            let other = separates((&shape_a, &pose_a), (&shape_b, &pose_b), n);
            if other > s {
                (s, best) = (other, n);
            }
        }
        let found = ratio(a, &pose_a, b, &pose_b);
        let d = pose_a.position - pose_b.position;
        // the oracle's own error, 1e-7 of a distance, over a reach of at least 0.1
        let room = 1e-5;
        if s > 0.0 {
            assert!(found.rho >= s / length(d) - room, "{found:?} {s}");
            // ρ D = s' ≤ s·D/(n·D): with n·D at least the reach of both, ε
            let reach = found.normal.dot(d) - found.gap;
            assert!(found.rho <= s / reach + room, "{found:?} {s} {reach}");
        } else {
            assert!(found.rho <= s / length(d) + room, "{found:?} {s}");
            assert!(found.rho >= s / best.dot(d) - room, "{found:?} {s}");
        }
        assert!(found.gap <= s + 1e-12 && found.gap * found.rho >= -1e-12, "{found:?} {s}");
    }
}

#[test]
fn moving_both_moves_the_contact() {
    let mut lcg = Lcg(23);
    for round in 0..200 {
        let (a, b) = (lcg.tables(round, 1.0), lcg.tables(round / 4, 1.0));
        let pose_b = Pose { position: lcg.direction(), orientation: lcg.rotation() };
        let n = lcg.direction();
        let mut pose_a = Pose { position: pose_b.position, orientation: lcg.rotation() };
        let s = separates((&Shape::Polyhedron(a), &pose_a), (&Shape::Polyhedron(b), &pose_b), n);
        pose_a.position = pose_a.position + n * (lcg.between(-0.05, 0.05) - s);
        let motion = Pose { position: lcg.direction() * 3.0, orientation: lcg.rotation() };
        let here = touching(a, &pose_a, b, &pose_b);
        let there = touching(a, &motion.then(&pose_a), b, &motion.then(&pose_b));
        assert_eq!(here.iter().count(), there.iter().count());
        for (p, q) in here.iter().zip(there.iter()) {
            assert!(p.feature == q.feature && (p.gap - q.gap).abs() < 1e-9, "{p:?} {q:?}");
            assert!(length(motion.point(p.position) - q.position) < 1e-6, "{p:?} {q:?}");
        }
        let (r, s) = (ratio(a, &pose_a, b, &pose_b), ratio(a, &motion.then(&pose_a), b, &motion.then(&pose_b)));
        assert!((r.rho - s.rho).abs() < 1e-13, "{r:?} {s:?}");
    }
}

/// Needles, plates, coincident centres, all at once: finite numbers and unit normals, in both precisions; and bounded work.
#[test]
fn what_is_thin_or_deep_stays_finite() {
    let mut lcg = Lcg(24);
    let thin = [
        cuboid(v(1.0, 1e-3, 1e-3)),
        cuboid(v(1.0, 1.0, 1e-3)),
        prism(60, 1.0, 1e-3),
        prism(3, 1e-3, 1.0),
        hull(vec![v(1.0, 0.0, 0.0), v(-1.0, 1e-3, 0.0), v(-1.0, -1e-3, 1e-3), v(-1.0, 0.0, -1e-3)]),
        cube(),
    ];
    let single: List<_> = thin.iter().map(|tables| single_tables(tables)).collect();
    let (mut found, mut most) = (0, 0);
    for round in 0..4000 {
        let pick = |lcg: &mut Lcg| (lcg.unit() * thin.len() as f64) as usize;
        let (i, j) = (pick(&mut lcg), pick(&mut lcg));
        let apart = [0.0, 1e-12, 1e-6, 1e-3, 0.3, 1.0][round % 6];
        let plain = round % 5 == 0;
        let mut pose = |apart: f64| Pose {
            position: lcg.direction() * apart,
            orientation: if plain { Quat::IDENTITY } else { lcg.rotation() },
        };
        let (pose_a, pose_b) = (pose(apart), pose(0.0));
        let m = touching(thin[i], &pose_a, thin[j], &pose_b);
        for p in m.iter() {
            assert!((p.normal.dot(p.normal) - 1.0).abs() < 1e-12 && p.position.is_finite() && p.gap < 0.1, "{p:?}");
            assert!(p.gap > -3.0 && length(p.position) < 5.0, "{p:?}");
        }
        let (a, b) = (Shape::Polyhedron(single[i]), Shape::Polyhedron(single[j]));
        let (pose_a, pose_b) = (single_pose(&pose_a), single_pose(&pose_b));
        let s = collide(&a, &pose_a, &b, &pose_b, 0.1_f32);
        for p in s.iter() {
            assert!((p.normal.dot(p.normal) - 1.0).abs() < 1e-5 && p.position.is_finite() && p.gap < 0.1, "{p:?}");
            assert!(p.gap > -3.0, "{p:?}");
        }
        let rho = ratio(single[i], &pose_a, single[j], &pose_b);
        assert!(rho.rho.is_finite() && rho.r.is_finite() && rho.point.is_finite() && rho.exchanges < 40, "{rho:?}");
        most = most.max(rho.exchanges).max(m.passes).max(s.passes);
        // all exchanges, all planes, all steps uphill, of 120 corners each
        assert!(m.passes < 1100 && s.passes < 1100);
        assert!(apart > 1e-3 || (m.iter().count() > 0 && s.iter().count() > 0), "{i} {j} {apart}");
        found += m.iter().count();
    }
    std::println!("{found} points, at most {most} passes");
}

#[test]
fn exchanges_do_not_grow_with_facets() {
    let mut lcg = Lcg(25);
    for sides in [6, 14, 30, 62, 118] {
        let (a, b) = (prism(sides, 1.0, 0.7), prism(sides, 0.8, 1.1));
        let (single_a, single_b) = (single_tables(a), single_tables(b));
        let (mut sum, mut most) = (0, 0);
        for _ in 0..500 {
            let pose_b = Pose { position: V::default(), orientation: lcg.rotation() };
            let pose_a = Pose { position: lcg.direction() * lcg.between(0.1, 3.0), orientation: lcg.rotation() };
            let exact = ratio(a, &pose_a, b, &pose_b);
            let single = ratio(single_a, &single_pose(&pose_a), single_b, &single_pose(&pose_b));
            sum += single.exchanges;
            most = most.max(exact.exchanges).max(single.exchanges);
        }
        let mean = f64::from(sum) / 500.0;
        std::println!("{:>3} facets: {mean:.1} exchanges, at most {most}", sides + 2);
        // a few for the way there, then as many as halvings of the angle between facets
        assert!(mean < 15.0 && most < 32);
    }
}
