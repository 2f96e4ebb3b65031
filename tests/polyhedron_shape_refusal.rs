//! Points that span nothing and tables that contradict themselves are refused by name; points that merely look bad are not.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Real, Vec3};
use tumble::shape::{Edge, Facet, Hull, Polyhedron, Shape};
use tumble::world::{Collider, World};

type Any<R> = Hull<R, 128, 128, 128>;

fn vec3<R: Real>([x, y, z]: [f64; 3]) -> Vec3<R> {
    Vec3::new(R::from_f64(x), R::from_f64(y), R::from_f64(z))
}

/// Both scalars, as they are and turned.
fn hulls(points: &[[f64; 3]], mut assert: impl FnMut(Result<[usize; 3], Error>, f64)) {
    fn one<R: Real>(points: &[Vec3<f64>]) -> (Result<[usize; 3], Error>, f64) {
        let points: Vec<Vec3<R>> = points.iter().map(|p| vec3([p.x, p.y, p.z])).collect();
        let hull = Any::<R>::of(&points);
        if let Ok(hull) = &hull {
            assert_eq!(kept(hull.clone()).check(), Ok(()));
        }
        let volume = hull.as_ref().map_or(0.0, |hull| hull.volume().to_f64());
        (hull.map(|h| [h.vertices().len(), h.facets().len(), h.edges().len()]), volume)
    }
    let turned = Pose { position: Vec3::new(0.3, 0.1, -0.2), orientation: Quat::new(0.3, -0.5, 0.7, 0.2).unwrap() };
    for pose in [Pose::IDENTITY, turned] {
        let moved: Vec<Vec3<f64>> = points.iter().map(|p| pose.point(Vec3::from(*p))).collect();
        let (counts, volume) = one::<f32>(&moved);
        assert(counts, volume);
        let (counts, volume) = one::<f64>(&moved);
        assert(counts, volume);
    }
}

fn kept<R: Real>(hull: Any<R>) -> Polyhedron<R> {
    let hull: &'static Any<R> = Box::leak(Box::new(hull));
    hull.polyhedron()
}

fn refused(points: &[[f64; 3]], error: Error) {
    hulls(points, |found, _| assert_eq!(found, Err(error)));
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

/// Corners of a box.
fn corners(half: [f64; 3]) -> Vec<[f64; 3]> {
    (0..8).map(|k| [0, 1, 2].map(|i| if k >> i & 1 == 0 { -half[i] } else { half[i] })).collect()
}

#[test]
fn too_few_the_same_in_line_and_in_plane() {
    refused(&[], Error::OutOfRange("points"));
    let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    refused(&[a], Error::OutOfRange("points"));
    refused(&[a, b, c], Error::OutOfRange("points"));
    refused(&[b; 50], Error::Flat);
    refused(&[a, b, c, c, b, a], Error::Flat);
    let mut next = random(1);
    let line: Vec<[f64; 3]> = (0..40).map(|_| next()).map(|t| [t, 2.0 * t, -t]).collect();
    refused(&line, Error::Flat);
    let plane: Vec<[f64; 3]> = (0..40).map(|_| (next(), next())).map(|(s, t)| [s, t, 0.5 * s - 0.3 * t]).collect();
    refused(&plane, Error::Flat);
    // and a plane that noise makes thick: less than 2⁻¹³ of its radius
    let sheet: Vec<[f64; 3]> = plane.iter().map(|[x, y, z]| [*x, *y, z + 2e-5 * next()]).collect();
    refused(&sheet, Error::Flat);
}

#[test]
fn what_is_no_number_or_too_large_or_too_small() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for at in 0..8 {
            let mut points: Vec<Vec3<f64>> = corners([1.0, 1.0, 1.0]).into_iter().map(Vec3::from).collect();
            points[at].y = bad;
            assert_eq!(Any::<f64>::of(&points).unwrap_err(), Error::NonFinite("points"));
            let points: Vec<Vec3<f32>> = points.iter().map(|p| vec3([p.x, p.y, p.z])).collect();
            assert_eq!(Any::<f32>::of(&points).unwrap_err(), Error::NonFinite("points"));
        }
    }
    let block = |half: f64| corners([half; 3]).into_iter().map(Vec3::<f64>::from).collect::<Vec<_>>();
    assert_eq!(Any::<f64>::of(&block(1e308)).unwrap_err(), Error::OutOfRange("points"));
    // the points are numbers, the moments are not
    assert!(Any::<f64>::of(&block(1e100)).is_err());
    assert!(Any::<f64>::of(&block(1e-120)).is_err());
    assert!(Any::<f64>::of(&block(5e-324)).is_err());
    assert!(Any::<f32>::of(&block(1e10)).is_err());
    assert!(Any::<f32>::of(&block(1e-10)).is_err());
    // what a microcontroller meets is far within
    assert!(Any::<f32>::of(&block(1e-5)).is_ok() && Any::<f32>::of(&block(1e4)).is_ok());
    let cube = block(1.0);
    assert_eq!(Any::<f64>::within(&cube, f64::NAN).unwrap_err(), Error::NonFinite("tolerance"));
    assert_eq!(Any::<f64>::within(&cube, -1.0).unwrap_err(), Error::Negative("tolerance"));
}

#[test]
fn points_on_facets_on_edges_and_twice_do_not_count() {
    let mut next = random(2);
    let cube = corners([1.0, 1.0, 1.0]);
    let mut points: Vec<[f64; 3]> = Vec::new();
    // a thousand on the faces, some of them on edges; corners come last and twice
    for k in 0..1000 {
        let mut point = [next(), next(), next()].map(|x| 2.0 * x - 1.0);
        point[k % 3] = if k % 2 == 0 { 1.0 } else { -1.0 };
        if k % 5 == 0 {
            point[(k + 1) % 3] = if k % 4 < 2 { 1.0 } else { -1.0 };
        }
        points.push(point);
    }
    points.extend(cube.iter().chain(&cube));
    hulls(&points, |found, volume| {
        assert_eq!(found, Ok([8, 6, 12]));
        assert!((volume - 8.0).abs() < 1e-5, "{volume}");
    });
    // a lattice, every second of its points, in any order
    let lattice: Vec<[f64; 3]> =
        (0..343).map(|k| k * 2 % 343).map(|k| [k % 7, k / 7 % 7, k / 49].map(f64::from)).collect();
    hulls(&lattice, |found, _| assert_eq!(found, Ok([8, 6, 12])));
}

#[test]
fn needles_sheets_and_noise() {
    // 1 : 1000, and the limit, where a facet is 2⁻¹³ of the radius from the centre
    for (half, solid) in [
        ([1.0, 1e-3, 1e-3], true),
        ([1.0, 1.0, 1e-3], true),
        ([1.0, 2e-4, 2e-4], true),
        ([1.0, 1e-4, 1e-4], false),
        ([1.0, 1.0, 1e-4], false),
    ] {
        let exact = 8.0 * half[0] * half[1] * half[2];
        hulls(&corners(half), |found, volume| match (found, solid) {
            (Ok(counts), true) => {
                assert_eq!(counts, [8, 6, 12], "{half:?}");
                // corners are off by a rounding of single precision, of a thickness of 2e-4
                assert!((volume / exact - 1.0).abs() < 2e-3, "{half:?}: {volume}");
            }
            (Err(Error::Flat), false) => {}
            (found, _) => panic!("{half:?}: {found:?}"),
        });
    }
    // noise from far below to far above what is told apart, 2⁻²⁰: valid tables, whichever corners it takes
    let mut next = random(3);
    for noise in [1e-12, 1e-9, 1e-7, 3e-7, 1e-6, 3e-6, 1e-5, 1e-4] {
        for _ in 0..10 {
            let mut points = corners([1.0, 1.0, 1.0]);
            for k in 0..30 {
                let mut point = [next(), next(), next()].map(|x| 2.0 * x - 1.0);
                point[k % 3] = 1.0;
                points.push(point);
            }
            points.iter_mut().flatten().for_each(|x| *x += noise * (2.0 * next() - 1.0));
            hulls(&points, |found, volume| match found {
                Ok(_) => assert!((volume - 8.0).abs() < 30.0 * noise + 2e-5, "{noise}: {volume}"),
                Err(Error::CapacityExceeded(_)) => assert!(noise > 1e-7, "{noise}"),
                Err(error) => panic!("{noise}: {error}"),
            });
            // single precision's own noise adds 1e-7
            if noise < 1e-7 {
                hulls(&points, |found, _| assert_eq!(found, Ok([8, 6, 12]), "{noise}"));
            }
        }
    }
}

#[test]
fn noise_as_large_as_what_is_told_apart_makes_no_dents() {
    // blocks of all proportions, their points on faces and edges: what nearly lies in one plane with three others may not with a fourth
    let mut next = random(2);
    for k in 0..120 {
        let size = [1.0, [1.0, 0.1, 0.01][k % 3], [1.0, 0.1, 0.01, 0.002][k % 4]];
        let noise = [1e-6, 2e-6, 4e-6, 1e-5, 2e-5][k % 5];
        let points: Vec<[f64; 3]> = (0..50)
            .map(|j| {
                let mut point = [next(), next(), next()];
                point[j % 3] = point[j % 3].round();
                if j % 2 == 0 {
                    point[(j + 1) % 3] = point[(j + 1) % 3].round();
                }
                [0, 1, 2].map(|i| point[i] * size[i] + noise * (next() - 0.5))
            })
            .collect();
        hulls(&points, |found, _| assert!(found.is_ok(), "{size:?}, {noise}: {found:?}"));
    }
}

#[test]
fn a_tolerance_makes_a_fine_mesh_coarse() {
    // 600 points on a ball have 1794 edges: too many by far; to 5 % they have not
    let mut next = random(4);
    let ball: Vec<Vec3<f64>> = (0..600)
        .map(|_| {
            let (z, angle) = (2.0 * next() - 1.0, std::f64::consts::TAU * next());
            let r = (1.0 - z * z).sqrt();
            Vec3::new(r * angle.cos(), r * angle.sin(), z)
        })
        .collect();
    assert_eq!(Any::<f64>::of(&ball).unwrap_err(), Error::CapacityExceeded("vertices"));
    let hull = Any::<f64>::within(&ball, 0.12).unwrap();
    let outside = |p: &Vec3<f64>| {
        let p = hull.frame().point_within(*p);
        hull.facets().iter().map(|f| f.normal.dot(p) - f.offset).fold(f64::NEG_INFINITY, f64::max)
    };
    let most = ball.iter().map(outside).fold(f64::NEG_INFINITY, f64::max);
    assert!(most > 0.01 && most <= 0.12, "{most}");
    println!("{} corners, {} edges", hull.vertices().len(), hull.edges().len());
}

/// A block's tables, to be spoilt.
#[derive(Clone)]
struct Spoilt<R> {
    vertices: Vec<Vec3<R>>,
    facets: Vec<Facet<R>>,
    rims: Vec<u8>,
    edges: Vec<Edge>,
    volume: R,
    moments: Vec3<R>,
    radius: R,
}

fn spoil<R: Real>(change: impl FnOnce(&mut Spoilt<R>)) -> Result<(), Error> {
    let hull = Any::<R>::cuboid(vec3([0.3, 0.2, 0.1])).unwrap();
    let mut tables = Spoilt {
        vertices: hull.vertices().to_vec(),
        facets: hull.facets().to_vec(),
        rims: hull.rims().to_vec(),
        edges: hull.edges().to_vec(),
        volume: hull.volume(),
        moments: hull.moments(),
        radius: hull.radius(),
    };
    change(&mut tables);
    let polyhedron = Polyhedron {
        vertices: tables.vertices.leak(),
        facets: tables.facets.leak(),
        rims: tables.rims.leak(),
        edges: tables.edges.leak(),
        volume: tables.volume,
        moments: tables.moments,
        radius: tables.radius,
    };
    // a world says the same as the shape
    let shape = Shape::Polyhedron(Box::leak(Box::new(polyhedron)));
    let mut world = World::<R, 1, 1, 3>::new();
    let body = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    assert_eq!(world.add_collider(body, Collider::new(shape)).map(drop), shape.check());
    assert_eq!(shape.mass_properties(R::ONE).map(drop), shape.check());
    shape.check()
}

fn tables_that_contradict_themselves<R: Real>() {
    let r = R::from_f64;
    let bad = |x: f64| move |y: &mut R| *y = R::from_f64(x);
    assert_eq!(spoil::<R>(|_| ()), Ok(()));

    // counts
    assert_eq!(spoil::<R>(|t| t.vertices.truncate(3)), Err(Error::OutOfRange("vertices")));
    assert_eq!(spoil::<R>(|t| t.facets.truncate(3)), Err(Error::OutOfRange("facets")));
    assert_eq!(spoil::<R>(|t| t.edges.truncate(5)), Err(Error::OutOfRange("edges")));
    assert_eq!(spoil::<R>(|t| t.vertices.resize(129, t.vertices[0])), Err(Error::CapacityExceeded("vertices")));
    assert_eq!(spoil::<R>(|t| t.facets.resize(129, t.facets[0])), Err(Error::CapacityExceeded("facets")));
    assert_eq!(spoil::<R>(|t| t.edges.resize(129, t.edges[0])), Err(Error::CapacityExceeded("edges")));
    assert_eq!(spoil::<R>(|t| t.vertices.push(t.vertices[0])), Err(Error::NotClosed));
    assert_eq!(spoil::<R>(|t| t.edges.truncate(11)), Err(Error::NotClosed));
    assert_eq!(spoil::<R>(|t| t.rims.truncate(23)), Err(Error::NotClosed));
    assert_eq!(
        spoil::<R>(|t| *t = Spoilt { vertices: vec![], facets: vec![], rims: vec![], edges: vec![], ..t.clone() }),
        Err(Error::OutOfRange("vertices"))
    );

    // rims
    assert_eq!(spoil::<R>(|t| t.facets[2].first = 9), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.facets[5].first = u16::MAX), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.facets[0].corners = 2), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.facets[5].corners = 255), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.facets[5].corners = 3), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.rims[3] = 8), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.rims[3] = 255), Err(Error::OutOfRange("rims")));
    assert_eq!(spoil::<R>(|t| t.rims[1] = t.rims[0]), Err(Error::OutOfRange("rims")));
    // a corner that no facet has, another in its place
    let gone = |t: &mut Spoilt<R>| {
        let other = |rim: &[u8]| (0..8).find(|c| !rim.contains(c)).unwrap();
        for rim in t.rims.chunks_mut(4) {
            if let Some(at) = rim.iter().position(|c| *c == 7) {
                rim[at] = other(rim);
            }
        }
    };
    assert_eq!(spoil(gone), Err(Error::NotClosed));

    // edges
    assert_eq!(spoil::<R>(|t| t.edges[4].facets[1] = 6), Err(Error::OutOfRange("edges")));
    assert_eq!(spoil::<R>(|t| t.edges[4].facets[0] = 255), Err(Error::OutOfRange("edges")));
    assert_eq!(spoil::<R>(|t| t.edges[4].vertices[0] = 200), Err(Error::NotClosed));
    assert_eq!(spoil::<R>(|t| t.edges[4].facets.reverse()), Err(Error::NotClosed));
    assert_eq!(spoil::<R>(|t| t.edges[4].vertices.reverse()), Err(Error::NotClosed));
    assert_eq!(spoil::<R>(|t| t.edges[4] = t.edges[5]), Err(Error::NotClosed));
    // both ways round is the same edge
    let turned = |t: &mut Spoilt<R>| {
        t.edges[4].facets.reverse();
        t.edges[4].vertices.reverse();
    };
    assert_eq!(spoil(turned), Ok(()));
    // a rim the other way round
    assert_eq!(spoil::<R>(|t| t.rims[..4].reverse()), Err(Error::NotClosed));

    // numbers
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.vertices[6].z)), Err(Error::NonFinite("vertices")));
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.facets[3].normal.y)), Err(Error::NonFinite("facets")));
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.facets[3].offset)), Err(Error::NonFinite("facets")));
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.volume)), Err(Error::NonFinite("volume")));
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.moments.z)), Err(Error::NonFinite("moments")));
        assert_eq!(spoil::<R>(|t| bad(x)(&mut t.radius)), Err(Error::NonFinite("radius")));
    }
    assert_eq!(spoil::<R>(|t| t.volume = R::ZERO), Err(Error::NonPositive("volume")));
    assert_eq!(spoil::<R>(|t| t.moments.x = r(-1.0)), Err(Error::NonPositive("moments")));
    assert_eq!(spoil::<R>(|t| t.radius = R::ZERO), Err(Error::NonPositive("radius")));
    // what does not follow from the corners: 64 roundings of every corner are up to 1100 of a moment
    let more = R::ONE + r(2000.0) * R::EPSILON;
    for less in [more, R::ONE / more] {
        assert_eq!(spoil::<R>(|t| t.volume = t.volume * less), Err(Error::OutOfRange("volume")));
        assert_eq!(spoil::<R>(|t| t.moments.x = t.moments.x * less), Err(Error::OutOfRange("moments")));
        assert_eq!(spoil::<R>(|t| t.moments.y = t.moments.y * less), Err(Error::OutOfRange("moments")));
        assert_eq!(spoil::<R>(|t| t.moments.z = t.moments.z * less), Err(Error::OutOfRange("moments")));
        assert_eq!(spoil::<R>(|t| t.radius = t.radius * less), Err(Error::OutOfRange("radius")));
        assert_eq!(spoil::<R>(|t| t.facets[1].normal = t.facets[1].normal * less), Err(Error::OutOfRange("normal")));
    }

    // planes: off by 2⁻¹⁷ of the radius, 2.9e-6, they are accepted
    assert_eq!(spoil::<R>(|t| t.facets[2].offset += r(2e-6)), Ok(()));
    assert_eq!(spoil::<R>(|t| t.facets[2].offset += r(5e-6)), Err(Error::NotConvex));
    assert_eq!(spoil::<R>(|t| t.facets[2].offset += r(-5e-6)), Err(Error::NotConvex));
    assert_eq!(spoil::<R>(|t| t.facets[2].offset = R::ZERO), Err(Error::NotCentred));
    assert_eq!(spoil::<R>(|t| t.facets[2].offset = r(1e-5)), Err(Error::Flat));
    assert_eq!(spoil::<R>(|t| t.facets[2].normal = -t.facets[2].normal), Err(Error::NotConvex));
    // a corner pulled in or out: off the planes of its facets
    assert_eq!(spoil::<R>(|t| t.vertices[0].x = t.vertices[0].x * r(0.9)), Err(Error::NotConvex));
    // corners of one facet swapped, and of its neighbours with it: closed, but crossed
    let crossed = |t: &mut Spoilt<R>| {
        let (a, b) = (t.rims[0], t.rims[1]);
        let swap = |c: &mut u8| {
            if *c == a || *c == b {
                *c = a + b - *c;
            }
        };
        t.rims.iter_mut().for_each(swap);
        t.edges.iter_mut().flat_map(|edge| &mut edge.vertices).for_each(swap);
    };
    assert_eq!(spoil(crossed), Err(Error::NotConvex));

    // inside out: every rim the other way round, and with them the edges
    let inside_out = |t: &mut Spoilt<R>| {
        t.rims.chunks_mut(4).for_each(<[u8]>::reverse);
        t.edges.iter_mut().for_each(|edge| edge.vertices.reverse());
    };
    assert_eq!(spoil(inside_out), Err(Error::NotConvex));

    // moved as a whole, or turned: everything fits but the frame. What a corner may be off, 2⁻¹⁷, is no offence
    let shift = |by: f64| {
        move |t: &mut Spoilt<R>| {
            let d = vec3::<R>([0.0, by, 0.0]);
            t.vertices.iter_mut().for_each(|v| *v = *v + d);
            t.facets.iter_mut().for_each(|f| f.offset += f.normal.dot(d));
            t.radius =
                t.vertices.iter().fold(R::ZERO, |most, v| if v.dot(*v) > most { v.dot(*v) } else { most }).sqrt();
            // about the new origin
            let more = t.volume * r(by * by);
            t.moments = t.moments + Vec3::new(more, R::ZERO, more);
        }
    };
    assert_eq!(spoil(shift(2e-6)), Ok(()));
    assert_eq!(spoil(shift(1e-4)), Err(Error::NotCentred));
    let turn = |by: f64| {
        move |t: &mut Spoilt<R>| {
            let q = Quat::new(R::ONE, R::ZERO, R::ZERO, r(0.5 * by)).unwrap();
            t.vertices.iter_mut().for_each(|v| *v = q.turn(*v));
            t.facets.iter_mut().for_each(|f| f.normal = q.turn(f.normal));
            // I_x cos² + I_y sin², the sine by half the angle's tangent
            let s = (by / (1.0 + 0.25 * by * by)).powi(2);
            let (x, y) = (t.moments.x, t.moments.y);
            (t.moments.x, t.moments.y) = (x + (y - x) * r(s), y + (x - y) * r(s));
        }
    };
    assert_eq!(spoil(turn(1e-6)), Ok(()));
    assert_eq!(spoil(turn(1e-3)), Err(Error::NotCentred));
}

#[test]
fn tables_that_contradict_themselves_are_refused() {
    tables_that_contradict_themselves::<f32>();
    tables_that_contradict_themselves::<f64>();
}

#[test]
fn any_one_bit_of_a_table_is_refused_or_harmless() {
    // bit flips anywhere: never a panic; what passes has a volume and planes that are those of the block, to what is allowed
    let (mut accepted, mut seen) = (0, 0);
    for at in 0..24 * 8 {
        let found = spoil::<f32>(|t| t.rims[at / 8] ^= 1 << (at % 8));
        assert!(found.is_err(), "rims[{}], bit {}", at / 8, at % 8);
    }
    for at in 0..12 * 32 {
        let (edge, word, bit) = (at / 32, at / 8 % 4, at % 8);
        let flip = |t: &mut Spoilt<f32>| {
            let Edge { vertices: [a, b], facets: [f, g] } = &mut t.edges[edge];
            *[a, b, f, g][word] ^= 1 << bit;
        };
        assert!(spoil(flip).is_err(), "edges[{edge}], word {word}, bit {bit}");
    }
    for at in 0..6 * 4 * 32 {
        let flip = |t: &mut Spoilt<f32>| {
            let facet = &mut t.facets[at / 128];
            let number = [&mut facet.normal.x, &mut facet.normal.y, &mut facet.normal.z, &mut facet.offset];
            let number = number.into_iter().nth(at / 32 % 4).unwrap();
            *number = f32::from_bits(number.to_bits() ^ 1 << (at % 32));
        };
        seen += 1;
        accepted += u32::from(spoil(flip).is_ok());
    }
    // the last few bits of a number, all but the first few of a zero
    assert!(accepted < seen * 6 / 10, "{accepted} of {seen}");
}
