//! Hulls and their tables against closed forms, against brute force and against sums over a grid; whatever comes in, what comes out is checked.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use proptest::prelude::*;
use tumble::Error;
use tumble::math::{Pose, Quat, Real, Vec3};
use tumble::shape::{Hull, Polyhedron, Shape};

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

#[test]
fn integrals_are_the_sums_over_a_grid() {
    for seed in 1..6 {
        let mut next = random(seed);
        let cloud: Vec<Vec3<f64>> = (0..14).map(|_| Vec3::new(next(), 0.7 * next(), 0.5 * next())).collect();
        let hull = Any::<f64>::of(&cloud).unwrap();
        // midpoints of cells a hundredth of the size: a cell at the surface counts by half, give or take, and signs are random: what is left
        // is some 1e-3 of the sum
        let (n, cell) = (100, 2.0 * hull.radius() / 100.0);
        let centre = |k: i32| (f64::from(k) + 0.5) * cell - hull.radius();
        let (mut volume, mut first, mut squares, mut products) =
            (0.0, Vec3::default(), Vec3::default(), Vec3::<f64>::default());
        for p in (0..n * n * n).map(|k| Vec3::new(centre(k % n), centre(k / n % n), centre(k / n / n))) {
            if hull.facets().iter().all(|f| f.normal.dot(p) <= f.offset) {
                volume += 1.0;
                first = first + p;
                squares = squares + Vec3::new(p.x * p.x, p.y * p.y, p.z * p.z);
                products = products + Vec3::new(p.y * p.z, p.x * p.z, p.x * p.y);
            }
        }
        let cells = 1.0 / (cell * cell * cell);
        assert_close(volume, hull.volume() * cells, 4e-3, "volume");
        let moments = Vec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
        for (sum, exact) in <[f64; 3]>::from(moments).into_iter().zip(<[f64; 3]>::from(hull.moments())) {
            assert_close(sum, exact * cells, 8e-3, "moment");
        }
        // the frame: centre and axes
        assert!(length(first) < 4e-3 * volume * hull.radius(), "{first:?}");
        assert!(length(products) < 4e-3 * volume * hull.radius() * hull.radius(), "{products:?}");
    }
}

#[test]
fn the_frame_says_where_the_points_were() {
    // asymmetric, so that no axis can be mistaken for another
    let points = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]];
    for pose in [Pose::IDENTITY, somewhere()] {
        let moved: Vec<Vec3<f64>> = moved(&points, &pose);
        let hull = Any::<f64>::of(&moved).unwrap();
        // a tetrahedron's centre of mass is the mean of its corners
        let mean = pose.point(Vec3::new(0.75, 0.5, 0.25));
        assert!(length(hull.frame().position - mean) < 1e-14);
        // corners keep their order
        for (vertex, point) in hull.vertices().iter().zip(&moved) {
            assert!(length(hull.frame().point(*vertex) - *point) < 1e-14);
        }
    }
}

#[test]
fn measures_make_solids() {
    fn both<R: Real>() {
        let r = R::from_f64;
        let tolerance = 64.0 * R::EPSILON.to_f64();
        let half = vec3([0.1, 0.2, 0.3]);
        let cuboid = Hull::<R, 8, 6, 12>::cuboid(half).unwrap();
        let known = Shape::Box { half }.mass_properties(r(3.0)).unwrap();
        let found = Shape::Polyhedron(kept(cuboid.clone())).mass_properties(r(3.0)).unwrap();
        assert_close(found.mass.to_f64(), known.mass.to_f64(), tolerance, "mass");
        assert_close(found.inertia.x.to_f64(), known.inertia.x.to_f64(), tolerance, "about x");
        assert_close(found.inertia.z.to_f64(), known.inertia.z.to_f64(), tolerance, "about z");
        assert_eq!(cuboid.frame().orientation, Quat::IDENTITY);
        assert!(length(cuboid.frame().position) < 1e-16);
        assert_close(cuboid.radius().to_f64(), 0.14_f64.sqrt(), tolerance, "radius");
        assert!(cuboid.facets().iter().all(|f| f.corners == 4));

        for sides in 3..=42 {
            let prism = Any::<R>::prism(sides, r(0.01), r(0.02)).unwrap();
            let n = f64::from(sides);
            let volume = 0.5 * n * (std::f64::consts::TAU / n).sin() * 0.01 * 0.01 * 0.04;
            assert_close(prism.volume().to_f64(), volume, tolerance, "prism");
            assert_eq!(prism.facets().len(), usize::from(sides) + 2);
            assert_eq!(kept(prism).check(), Ok(()));
        }
        // eight corners of cut³/6 each
        let die = Hull::<R, 24, 14, 36>::die(r(0.01), r(0.002)).unwrap();
        assert_close(die.volume().to_f64(), 8e-6 - 8.0 * 8e-9 / 6.0, tolerance, "die");
        assert_eq!(Any::<R>::die(r(0.01), r(0.0)).unwrap().facets().len(), 6);
        // cut to the middle of every edge: a cuboctahedron
        assert_eq!(Any::<R>::die(r(0.01), r(0.01)).unwrap().vertices().len(), 12);

        assert_eq!(Any::<R>::prism(2, r(1.0), r(1.0)).unwrap_err(), Error::OutOfRange("sides"));
        assert_eq!(Any::<R>::prism(43, r(1.0), r(1.0)).unwrap_err(), Error::OutOfRange("sides"));
        assert_eq!(Any::<R>::prism(5, r(0.0), r(1.0)).unwrap_err(), Error::NonPositive("radius"));
        assert_eq!(Any::<R>::prism(5, r(1.0), r(f64::NAN)).unwrap_err(), Error::NonFinite("half_length"));
        assert_eq!(Any::<R>::cuboid(vec3([1.0, -1.0, 1.0])).unwrap_err(), Error::NonPositive("half"));
        assert_eq!(Any::<R>::die(r(1.0), r(1.5)).unwrap_err(), Error::OutOfRange("cut"));
        assert_eq!(Any::<R>::die(r(1.0), r(-0.5)).unwrap_err(), Error::Negative("cut"));
        assert_eq!(Hull::<R, 7, 6, 12>::cuboid(half).unwrap_err(), Error::CapacityExceeded("vertices"));
        assert_eq!(Hull::<R, 8, 5, 12>::cuboid(half).unwrap_err(), Error::CapacityExceeded("facets"));
        assert_eq!(Hull::<R, 8, 6, 11>::cuboid(half).unwrap_err(), Error::CapacityExceeded("edges"));
    }
    both::<f32>();
    both::<f64>();
}

/// No point lies farther outside than `tolerance`, and the tables are in order.
fn assert_hull_of<R: Real>(points: &[Vec3<R>], tolerance: f64) -> Any<R> {
    let hull = Any::<R>::of(points).unwrap();
    for point in points {
        let p = hull.frame().point_within(*point);
        for facet in hull.facets() {
            let above = (facet.normal.dot(p) - facet.offset).to_f64();
            assert!(above <= tolerance, "{point:?} is {above} m outside");
        }
    }
    // the corners themselves, but for the rounding of the offset, not at all
    let exact = |v: Vec3<R>| Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64());
    for (facet, vertex) in hull.facets().iter().flat_map(|f| hull.vertices().iter().map(move |v| (f, v))) {
        let above = exact(facet.normal).dot(exact(*vertex)) - facet.offset.to_f64();
        assert!(above <= R::EPSILON.to_f64() * hull.radius().to_f64(), "a corner is {above} m outside");
    }
    assert_eq!(kept(hull.clone()).check(), Ok(()));
    hull
}

#[test]
fn the_hull_of_a_hulls_corners_is_that_hull() {
    fn both<R: Real>() {
        for seed in 1..30 {
            let mut next = random(seed);
            let whole = seed % 2 == 0;
            let cloud: Vec<[f64; 3]> = (0..30)
                .map(|_| [next(), next(), next()].map(|x| if whole { (x * 5.0).trunc() } else { x * 4.0 }))
                .collect();
            let hull = Any::<R>::of(&moved::<R>(&cloud, &somewhere())).unwrap();
            let again = Any::<R>::of(hull.vertices()).unwrap();
            assert_eq!((again.rims(), again.edges()), (hull.rims(), hull.edges()));
            // and in the same frame: rounding moves the centre and turns the axes, more where two moments are close
            let off = length(again.frame().position)
                + length(again.frame().orientation.turn(vec3([1.0, 1.0, 1.0])) - vec3([1.0, 1.0, 1.0]));
            assert!(off <= 500.0 * R::EPSILON.to_f64(), "{off}");
            assert_close(again.volume().to_f64(), hull.volume().to_f64(), 32.0 * R::EPSILON.to_f64(), "volume");
        }
    }
    both::<f32>();
    both::<f64>();
}

/// The hull of a hull's corners is the same solid, but for what may be left out: in another box, that may be another corner.
fn assert_same_solid<R: Real>(hull: &Any<R>, left_out: f64) {
    let again = assert_hull_of(hull.vertices(), 1.5 * left_out);
    let surface = 12.0 * hull.radius().to_f64() * hull.radius().to_f64();
    let change = (again.volume() - hull.volume()).to_f64().abs();
    assert!(change <= 4.0 * left_out * surface, "{change}");
}

/// Clouds of all sorts: round, long, flat, on a grid, with points in line and in plane.
fn cloud() -> impl Strategy<Value = Vec<[f64; 3]>> {
    let scale =
        prop_oneof![Just([1.0, 1.0, 1.0]), Just([1.0, 0.1, 0.01]), Just([1.0, 0.003, 0.003]), Just([1.0, 1.0, 0.003])];
    let random = prop::collection::vec(prop::array::uniform3(-1.0..1.0), 5..30);
    let grid = prop::collection::vec(prop::array::uniform3((-2..3).prop_map(|k| f64::from(k) * 0.5)), 12..60);
    (prop_oneof![random, grid], scale)
        .prop_map(|(points, scale)| points.into_iter().map(|p| [0, 1, 2].map(|i| p[i] * scale[i])).collect())
}

fn turn() -> impl Strategy<Value = Quat<f64>> {
    prop::array::uniform4(-1.0..1.0).prop_filter_map("a direction", |[w, x, y, z]: [f64; 4]| Quat::new(w, x, y, z))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_hull_holds_every_point_and_is_its_own(points in cloud(), orientation in turn(), turned in any::<bool>()) {
        let pose = if turned { Pose { position: Vec3::new(0.5, -0.5, 0.2), orientation } } else { Pose::IDENTITY };
        // left out: 2⁻²⁰ of a box's side of at most 3.5 m; and a frame in single precision puts points there to some roundings
        let left_out = 3.5 / f64::from(1 << 20);
        let double: Vec<Vec3<f64>> = moved(&points, &pose);
        match Any::<f64>::of(&double) {
            Ok(_) => {
                let hull = assert_hull_of(&double, 1.5 * left_out);
                assert_same_solid(&hull, left_out);
            }
            Err(error) => prop_assert!(matches!(error, Error::Flat | Error::CapacityExceeded(_)), "{error}"),
        }
        let single: Vec<Vec3<f32>> = moved(&points, &pose);
        match Any::<f32>::of(&single) {
            Ok(_) => {
                let hull = assert_hull_of(&single, 1.5 * left_out + 32.0 * f64::from(f32::EPSILON));
                assert_same_solid(&hull, left_out + 32.0 * f64::from(f32::EPSILON));
            }
            Err(error) => prop_assert!(matches!(error, Error::Flat | Error::CapacityExceeded(_)), "{error}"),
        }
    }

    #[test]
    fn whatever_the_bits_a_hull_is_checked_or_refused(bits in prop::collection::vec(any::<[u32; 3]>(), 0..12)) {
        let points: Vec<Vec3<f32>> = bits.iter().map(|p| Vec3::from(p.map(f32::from_bits))).collect();
        if let Ok(hull) = Any::<f32>::of(&points) {
            prop_assert_eq!(kept(hull).check(), Ok(()));
        }
        let points: Vec<Vec3<f64>> = bits.iter().map(|p| Vec3::from(p.map(|x| f64::from(f32::from_bits(x)) * 1e200))).collect();
        if let Ok(hull) = Any::<f64>::of(&points) {
            prop_assert_eq!(kept(hull).check(), Ok(()));
        }
    }
}
