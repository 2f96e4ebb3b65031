//! Bodies of several shapes: their mass and frame by closed form, against sums over a grid, and as a world sees them.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use proptest::prelude::*;
use tumble::Error;
use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Real, Vec3};
use tumble::shape::{Compound, Hull, Part, Polyhedron, Shape};
use tumble::world::{Collider, World};

fn block<R: Real>(half: [f64; 3], at: [f64; 3], density: f64) -> Part<R> {
    let r = |v: [f64; 3]| Vec3::new(R::from_f64(v[0]), R::from_f64(v[1]), R::from_f64(v[2]));
    Part { shape: Shape::Box { half: r(half) }, pose: Pose::at(r(at)), density: R::from_f64(density) }
}

fn length<R: Real>(v: Vec3<R>) -> f64 {
    v.dot(v).to_f64().sqrt()
}

/// `A diag(I) Aᵀ`, which does not depend on how axes are named.
fn tensor<R: Real>(compound: &Compound<R>) -> [f64; 6] {
    let t = compound.frame.orientation.matrix().turn_diagonal(compound.mass.inertia);
    [t.xx, t.yy, t.zz, t.xy, t.xz, t.yz].map(Real::to_f64)
}

#[test]
fn a_block_cut_into_blocks_is_the_block() {
    fn both<R: Real>() {
        // an 8th at each corner; turned as a whole
        let pose = Pose {
            position: Vec3::new(R::from_f64(0.1), R::from_f64(-0.2), R::from_f64(0.3)),
            orientation: Quat::new(R::from_f64(0.3), R::from_f64(-0.5), R::from_f64(0.7), R::from_f64(0.2)).unwrap(),
        };
        let eighths: Vec<Part<R>> = (0..8)
            .map(|k| [0, 1, 2].map(|i| [0.03, 0.02, 0.01][i] * f64::from((k >> i & 1) * 2 - 1)))
            .map(|at| block([0.03, 0.02, 0.01], at, 1000.0))
            .map(|part| Part { pose: pose.then(&part.pose), ..part })
            .collect();
        let whole =
            block::<R>([0.06, 0.04, 0.02], [0.0; 3], 1000.0).shape.mass_properties(R::from_f64(1000.0)).unwrap();
        let found = Compound::of(&eighths).unwrap();
        // sums of eight, poses that are rounded
        let tolerance = 64.0 * R::EPSILON.to_f64();
        assert!((found.mass.mass / whole.mass - R::ONE).abs().to_f64() < tolerance);
        assert!(length(found.frame.position - pose.position) < tolerance);
        let whole = Compound { mass: whole, frame: pose };
        for (a, b) in tensor(&found).into_iter().zip(tensor(&whole)) {
            assert!((a - b).abs() < tolerance * whole.mass.inertia.z.to_f64(), "{a}, not {b}");
        }
        // one part alone: its own frame
        let alone = Compound::of(&eighths[..1]).unwrap();
        assert!(length(alone.frame.position - eighths[0].pose.position) < tolerance);
        assert!(length(alone.place(&eighths[0].pose).position) < tolerance);
    }
    both::<f32>();
    both::<f64>();
}

#[test]
fn two_balls_on_a_stick_lie_along_it() {
    // m a² across, 2/5 m r² along for each; different densities move the centre to the heavier
    let ball = |z: f64, density: f64| Part {
        shape: Shape::Sphere { radius: 0.1 },
        pose: Pose::at(Vec3::new(z, z, 0.0)),
        density,
    };
    let found = Compound::of(&[ball(0.0, 3000.0), ball(1.0, 1000.0)]).unwrap();
    assert!(length(found.frame.position - Vec3::new(0.25, 0.25, 0.0)) < 1e-15);
    let m = 4.0 / 3.0 * std::f64::consts::PI * 1e-3 * 1000.0;
    let along = 0.4 * 4.0 * m * 0.01;
    // reduced mass 3/4 m, distance² 2
    let across = along + 0.75 * m * 2.0;
    let mut inertia = <[f64; 3]>::from(found.mass.inertia);
    inertia.sort_by(f64::total_cmp);
    for (found, exact) in inertia.into_iter().zip([along, across, across]) {
        assert!((found / exact - 1.0).abs() < 1e-13, "{found}, not {exact}");
    }
    // the axis of the least moment is that of the stick
    let axes = found.frame.orientation.matrix();
    let stick = Vec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0);
    let own = axes.transposed() * stick;
    assert!((own.x.abs() - 1.0).abs() < 1e-14 || (own.y.abs() - 1.0).abs() < 1e-14, "{own:?}");
}

#[test]
fn mass_that_moves_is_the_sum_over_its_parts() {
    // an L of a cylinder, a box and a polyhedron, each turned; a million cells
    let hull: &'static Hull<f64, 12, 8, 18> = Box::leak(Box::new(Hull::prism(6, 0.1, 0.2).unwrap()));
    let prism: &'static Polyhedron<f64> = Box::leak(Box::new(hull.polyhedron()));
    let turned = |w, x, y, z| Quat::new(w, x, y, z).unwrap();
    let parts = [
        Part {
            shape: Shape::Cylinder { radius: 0.1, half_length: 0.3 },
            pose: Pose { position: Vec3::new(0.0, 0.1, 0.0), orientation: turned(0.9, 0.1, 0.3, 0.0) },
            density: 1.0,
        },
        Part {
            shape: Shape::Box { half: Vec3::new(0.3, 0.05, 0.1) },
            pose: Pose { position: Vec3::new(0.3, 0.0, 0.2), orientation: turned(0.5, -0.2, 0.1, 0.7) },
            density: 2.0,
        },
        Part {
            shape: Shape::Polyhedron(prism),
            pose: Pose { position: Vec3::new(-0.2, -0.3, 0.1), orientation: turned(0.2, 0.7, 0.1, 0.4) },
            density: 4.0,
        },
    ];
    let density = |p: Vec3<f64>| -> f64 {
        let inside = |part: &Part<f64>| {
            let q = part.pose.point_within(p);
            match part.shape {
                Shape::Cylinder { radius, half_length } => q.z.abs() <= half_length && q.x.hypot(q.y) <= radius,
                Shape::Box { half } => q.x.abs() <= half.x && q.y.abs() <= half.y && q.z.abs() <= half.z,
                Shape::Polyhedron(p) => p.facets.iter().all(|f| f.normal.dot(q) <= f.offset),
                _ => unreachable!(),
            }
        };
        parts.iter().filter(|part| inside(part)).map(|part| part.density).sum()
    };
    let compound = Compound::of(&parts).unwrap();
    // in the body's own frame
    let (n, cell) = (120, 1.8 / 120.0);
    let at = |k: i32| (f64::from(k) + 0.5) * cell - 0.9;
    let (mut mass, mut first, mut squares, mut products) =
        (0.0, Vec3::default(), Vec3::default(), Vec3::<f64>::default());
    for p in (0..n * n * n).map(|k| Vec3::new(at(k % n), at(k / n % n), at(k / n / n))) {
        let m = density(compound.frame.point(p)) * cell * cell * cell;
        mass += m;
        first = first + p * m;
        squares = squares + Vec3::new(p.x * p.x, p.y * p.y, p.z * p.z) * m;
        products = products + Vec3::new(p.y * p.z, p.x * p.z, p.x * p.y) * m;
    }
    // a part is 14 cells across and more: a percent, as for one shape
    let properties = compound.mass;
    assert!((mass / properties.mass - 1.0).abs() < 1e-2, "{mass} {properties:?}");
    let moments = Vec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    for (sum, exact) in <[f64; 3]>::from(moments).into_iter().zip(<[f64; 3]>::from(properties.inertia)) {
        assert!((sum / exact - 1.0).abs() < 1e-2, "{sum}, not {exact}");
    }
    assert!(length(first) < 3e-3 * mass, "{first:?}");
    assert!(length(products) < 3e-3 * properties.inertia.z, "{products:?}");
}

#[test]
fn the_shapes_of_an_l_stay_where_they_were_drawn() {
    let parts = [
        block::<f64>([0.03, 0.01, 0.002], [0.03, 0.0, 0.002], 2700.0),
        block([0.002, 0.01, 0.02], [0.002, 0.0, 0.024], 2700.0),
    ];
    let bracket = Compound::of(&parts).unwrap();
    // y is an axis of symmetry; the other two lie in the plane of the L, turned against it
    let axis = bracket.frame.orientation.turn(Vec3::new(1.0, 0.0, 0.0));
    assert!(axis.y.abs() < 1e-15 && axis.z.abs() > 0.1, "{axis:?}");
    let mut world = World::<f64, 1, 4, 12, 2, 0>::new();
    let id = world.add_body(Body::new(Motion::Dynamic(bracket.mass), bracket.frame).unwrap()).unwrap();
    for part in &parts {
        let pose = bracket.place(&part.pose);
        world.add_collider(id, Collider { pose, ..Collider::new(part.shape) }).unwrap();
        let seen = world.body(id).unwrap().pose().then(&pose);
        assert!(length(seen.position - part.pose.position) < 1e-16);
        let probe = Vec3::new(0.3, 0.2, 0.1);
        assert!(length(seen.orientation.turn(probe) - part.pose.orientation.turn(probe)) < 1e-15);
    }
}

#[test]
fn what_is_no_body_is_refused() {
    let part = block::<f32>([0.1; 3], [0.0; 3], 1000.0);
    assert_eq!(Compound::<f32>::of(&[]), Err(Error::OutOfRange("parts")));
    let nowhere = Part { pose: Pose::at(Vec3::new(f32::NAN, 0.0, 0.0)), ..part };
    assert_eq!(Compound::of(&[part, nowhere]), Err(Error::NonFinite("pose")));
    assert_eq!(Compound::of(&[part, Part { shape: Shape::HalfSpace, ..part }]), Err(Error::OutOfRange("mass")));
    assert_eq!(Compound::of(&[part, Part { density: 0.0, ..part }]), Err(Error::NonPositive("density")));
    assert_eq!(
        Compound::of(&[Part { shape: Shape::Sphere { radius: -1.0 }, ..part }]),
        Err(Error::NonPositive("radius"))
    );
    // so far apart that the moment is no number
    let far = |x: f32| Part { pose: Pose::at(Vec3::new(x, 0.0, 0.0)), ..part };
    assert_eq!(Compound::of(&[far(1e30), far(-1e30)]), Err(Error::OutOfRange("mass")));
}

proptest! {
    #[test]
    fn nothing_depends_on_the_order_or_on_where_it_is_drawn(
        places in prop::collection::vec((prop::array::uniform3(-1.0..1.0_f64), prop::array::uniform3(0.01..0.3_f64), 100.0..8000.0_f64), 2..6),
        turn in prop::array::uniform4(-1.0..1.0_f64),
    ) {
        let Some(orientation) = Quat::new(turn[0], turn[1], turn[2], turn[3]) else { return Ok(()) };
        let drawn = Pose { position: Vec3::new(3.0, -2.0, 1.0), orientation };
        let parts: Vec<Part<f64>> = places.iter().map(|(at, half, density)| block(*half, *at, *density)).collect();
        let moved: Vec<Part<f64>> = parts.iter().rev().map(|p| Part { pose: drawn.then(&p.pose), ..*p }).collect();
        let (a, b) = (Compound::of(&parts).unwrap(), Compound::of(&moved).unwrap());
        prop_assert!(length(drawn.point(a.frame.position) - b.frame.position) < 1e-14);
        let (a, b) = (Compound { frame: drawn.then(&a.frame), ..a }, b);
        for (x, y) in tensor(&a).into_iter().zip(tensor(&b)) {
            // squares of distances of 4 m, with a few dozen roundings
            prop_assert!((x - y).abs() < 1e-12 * a.mass.mass, "{} {}", x, y);
        }
    }
}
