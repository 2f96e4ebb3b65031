//! Hulls and their tables against closed forms, against brute force and against sums over a grid; whatever comes in, what comes out is checked.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::math::{Pose, Quat, Real, Vec3};
use tumble::shape::{Hull, Polyhedron};

type Any<R> = Hull<R, 128, 128, 128>;

fn vec3<R: Real>([x, y, z]: [f64; 3]) -> Vec3<R> {
    Vec3::new(R::from_f64(x), R::from_f64(y), R::from_f64(z))
}

/// Built at run time, kept for ever.
fn kept<R: Real, const V: usize, const F: usize, const E: usize>(hull: Hull<R, V, F, E>) -> &'static Polyhedron<R> {
    let hull: &'static Hull<R, V, F, E> = Box::leak(Box::new(hull));
    Box::leak(Box::new(hull.polyhedron()))
}

fn length<R: Real>(v: Vec3<R>) -> f64 {
    Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64()).dot(Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())).sqrt()
}

fn assert_close(a: f64, b: f64, relative: f64, what: &str) {
    assert!((a / b - 1.0).abs() <= relative, "{what}: {a}, not {b}");
}

/// Corners of a box.
fn corners(half: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 0 { -half[i] } else { half[i] })).collect()
}

/// A turn that is nowhere near an axis, and a shift.
fn somewhere() -> Pose<f64> {
    Pose { position: Vec3::new(0.7, -1.3, 2.1), orientation: Quat::new(0.3, -0.5, 0.7, 0.2).unwrap() }
}

/// Moved there and rounded.
fn moved<R: Real>(points: &[[f64; 3]], pose: &Pose<f64>) -> Vec<Vec3<R>> {
    points.iter().map(|p| vec3(pose.point(Vec3::from(*p)).into())).collect()
}

/// Volume and moments of a body that is known, wherever it lies; moments in ascending order.
fn assert_known<R: Real>(points: &[[f64; 3]], counts: [usize; 3], volume: f64, moments: [f64; 3]) {
    // the corners come rounded: an integral is off by the surface times that, which for these bodies is a few roundings of distances
    // to the origin, twice as far as the body is large
    let tolerance = 64.0 * R::EPSILON.to_f64();
    for pose in [Pose::IDENTITY, somewhere()] {
        let hull = Any::<R>::of(&moved::<R>(points, &pose)).unwrap();
        assert_eq!([hull.vertices().len(), hull.facets().len(), hull.edges().len()], counts);
        assert_close(hull.volume().to_f64(), volume, tolerance, "volume");
        let mut found = <[R; 3]>::from(hull.moments()).map(Real::to_f64);
        found.sort_by(f64::total_cmp);
        for (found, exact) in found.into_iter().zip(moments) {
            assert_close(found, exact, tolerance, "moment");
        }
        assert_eq!(kept(hull).check(), Ok(()));
    }
}

#[test]
fn boxes_tetrahedra_octahedra_and_prisms_have_their_closed_forms() {
    fn both(points: &[[f64; 3]], counts: [usize; 3], volume: f64, moments: [f64; 3]) {
        assert_known::<f32>(points, counts, volume, moments);
        assert_known::<f64>(points, counts, volume, moments);
    }
    // m (b² + c²)/3 with half edges
    both(&corners([0.3, 0.2, 0.1]), [8, 6, 12], 0.048, [0.05, 0.1, 0.13].map(|x| x * 0.048 / 3.0));
    // regular, edge a: a³/(6√2), m a²/20
    let a = 8.0_f64.sqrt();
    let tetrahedron = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let volume = a.powi(3) / (6.0 * 2.0_f64.sqrt());
    both(&tetrahedron, [4, 4, 6], volume, [volume * a * a / 20.0; 3]);
    // regular, edge a: √2/3 a³, m a²/10
    let octahedron: Vec<[f64; 3]> =
        (0..6).map(|k| [0, 1, 2].map(|i| if k / 2 == i { f64::from(k % 2) * 2.0 - 1.0 } else { 0.0 })).collect();
    let a = 2.0_f64.sqrt();
    let volume = 2.0_f64.sqrt() / 3.0 * a.powi(3);
    both(&octahedron, [6, 8, 12], volume, [volume * a * a / 10.0; 3]);
    // hexagon of edge r, height 2h: A = 3√3/2 r²; along its axis m 5/12 r², across m (5/24 r² + h²/3)
    let (r, h) = (0.5, 0.4);
    let hexagon: Vec<[f64; 3]> = (0..12)
        .map(|k| {
            let angle = f64::from(k / 2) * std::f64::consts::FRAC_PI_3;
            [r * angle.cos(), r * angle.sin(), if k % 2 == 0 { -h } else { h }]
        })
        .collect();
    let volume = 1.5 * 3.0_f64.sqrt() * r * r * 2.0 * h;
    let (along, across) = (5.0 / 12.0 * r * r, 5.0 / 24.0 * r * r + h * h / 3.0);
    let mut moments = [across, across, along].map(|x| x * volume);
    moments.sort_by(f64::total_cmp);
    both(&hexagon, [12, 8, 18], volume, moments);
}

/// Every plane through three points that has all others on one side, as the set of points in it: O(n⁴), and plain to see.
fn facets_by_force(points: &[Vec3<f64>], tolerance: f64) -> Vec<Vec<usize>> {
    let n = points.len();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for (a, b, c) in (0..n).flat_map(|a| (0..n).flat_map(move |b| (0..n).map(move |c| (a, b, c)))) {
        let normal = (points[b] - points[a]).cross(points[c] - points[a]);
        let area = length(normal);
        if a < b && a < c && area > tolerance {
            let height = |p: &Vec3<f64>| normal.dot(*p - points[a]) / area;
            if points.iter().all(|p| height(p) <= tolerance) {
                let on: Vec<usize> = (0..n).filter(|k| height(&points[*k]) >= -tolerance).collect();
                if !found.contains(&on) {
                    found.push(on);
                }
            }
        }
    }
    found.sort();
    found
}

/// Where a hull's corners were among the points.
fn indices<R: Real, S: Real>(hull: &Any<R>, points: &[Vec3<S>], tolerance: f64) -> Vec<usize> {
    let exact = |p: Vec3<S>| vec3::<R>([p.x.to_f64(), p.y.to_f64(), p.z.to_f64()]);
    let at = |v: &Vec3<R>| points.iter().position(|p| length(exact(*p) - hull.frame().point(*v)) < tolerance);
    hull.vertices().iter().map(|v| at(v).unwrap()).collect()
}

/// Hull of random points against brute force; how many facets.
fn assert_as_by_force<R: Real>(points: &[Vec3<R>], tolerance: f64) -> usize {
    let hull = Any::<R>::of(points).unwrap();
    // single precision: the frame itself is rounded
    let from = indices(&hull, points, 32.0 * R::EPSILON.to_f64());
    let exact: Vec<Vec3<f64>> = points.iter().map(|p| Vec3::new(p.x.to_f64(), p.y.to_f64(), p.z.to_f64())).collect();
    let by_force = facets_by_force(&exact, tolerance);
    let mut facets: Vec<Vec<usize>> = hull
        .facets()
        .iter()
        .map(|f| {
            hull.rims()[usize::from(f.first)..][..usize::from(f.corners)]
                .iter()
                .map(|c| from[usize::from(*c)])
                .collect()
        })
        .collect();
    facets.iter_mut().for_each(|facet: &mut Vec<usize>| facet.sort_unstable());
    facets.sort();
    assert_eq!(facets, by_force);
    facets.len()
}

/// Numbers in [0, 1), always the same.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn facets_are_those_found_by_trying_all() {
    for seed in 1..40 {
        let mut next = random(seed);
        let cloud: Vec<[f64; 3]> = (0..22).map(|_| [next() - 0.5, next() - 0.5, next() - 0.5]).collect();
        // triangles only: the tolerance need only tell what is in a plane from what is not
        let facets = assert_as_by_force::<f64>(&moved(&cloud, &Pose::IDENTITY), 1e-12);
        assert!(facets >= 10);
        assert_as_by_force::<f32>(&moved(&cloud, &Pose::IDENTITY), 1e-12);
        // whole numbers: many in one plane, in line, or the same
        let grid: Vec<[f64; 3]> = (0..22).map(|_| [next(), next(), next()].map(|x| (x * 4.0).trunc() - 1.5)).collect();
        let points: Vec<Vec3<f64>> = moved(&grid, &Pose::IDENTITY);
        let hull = Any::<f64>::of(&points).unwrap();
        let by_force = facets_by_force(&points, 1e-9);
        assert_eq!(hull.facets().len(), by_force.len(), "{grid:?}");
        let mut sizes: Vec<usize> = hull.facets().iter().map(|f| usize::from(f.corners)).collect();
        assert!(sizes.iter().sum::<usize>() <= by_force.iter().map(Vec::len).sum());
        sizes.sort_unstable();
        // every corner by force is one here: in three planes that meet in a point
        let meets = |p: &Vec3<f64>| by_force.iter().filter(|f| f.iter().any(|k| points[*k] == *p)).count() >= 3;
        let mut distinct: Vec<Vec3<f64>> = Vec::new();
        points.iter().filter(|p| meets(p)).for_each(|p| {
            if !distinct.contains(p) {
                distinct.push(*p)
            }
        });
        assert_eq!(hull.vertices().len(), distinct.len(), "{grid:?}");
    }
}
