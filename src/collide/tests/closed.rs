//! Closed forms by hand, and inputs without a direction.

use super::*;

const UP: V = Vec3::new(0.0, 0.0, 1.0);

fn at(x: f64, y: f64, z: f64) -> Pose<f64> {
    Pose::at(v(x, y, z))
}

fn lying(position: V) -> Pose<f64> {
    // z along the world's x
    Pose { position, orientation: turn(v(0.0, 1.0, 0.0), core::f64::consts::FRAC_PI_2) }
}

/// Points found, each checked for gap and normal to rounding.
fn expect(m: &Manifold<f64>, count: usize, gap: f64, normal: V) {
    assert_eq!(m.iter().count(), count, "{m:?}");
    for p in m.iter() {
        assert!((p.gap - gap).abs() < 1e-14 && length(p.normal - normal) < 1e-14, "{p:?}");
    }
}

/// Area spanned by the points, seen along z.
fn area(m: &Manifold<f64>) -> f64 {
    let p: List<V> = m.iter().map(|p| p.position).collect();
    let mut largest = 0.0_f64;
    for i in 0..p.len() {
        for j in 0..i {
            for k in 0..j {
                largest = largest.max((p[i] - p[k]).cross(p[j] - p[k]).z.abs() / 2.0);
            }
        }
    }
    largest
}

const BALL: Shape<f64> = Shape::Sphere { radius: 0.5 };
const CAPSULE: Shape<f64> = Shape::Capsule { radius: 0.5, half_length: 1.0 };
const CUBE: Shape<f64> = Shape::Box { half: Vec3::new(1.0, 1.0, 1.0) };
const CAN: Shape<f64> = Shape::Cylinder { radius: 0.5, half_length: 1.0 };

#[test]
fn on_the_ground() {
    let ground = at(0.0, 0.0, 0.0);
    let on = |shape: &Shape<f64>, pose: &Pose<f64>| collide(shape, pose, &Shape::HalfSpace, &ground, 0.1);
    expect(&on(&BALL, &at(3.0, 0.0, 0.49)), 1, -0.01, UP);
    expect(&on(&CAPSULE, &at(0.0, 0.0, 1.55)), 1, 0.05, UP);
    expect(&on(&CAPSULE, &lying(v(0.0, 0.0, 0.45))), 2, -0.05, UP);
    expect(&on(&CUBE, &at(0.0, 0.0, 1.05)), 4, 0.05, UP);
    expect(&on(&CAN, &at(0.0, 0.0, 0.99)), 4, -0.01, UP);
    expect(&on(&CAN, &lying(v(0.0, 0.0, 0.49))), 2, -0.01, UP);
    // tilted by 30°: the lowest point of the rim
    let tilted = Pose { position: v(0.0, 0.0, 1.2), orientation: turn(v(1.0, 0.0, 0.0), 30.0_f64.to_radians()) };
    let m = on(&CAN, &tilted);
    let gap = 1.2 - libm::cos(30.0_f64.to_radians()) - 0.25;
    expect(&m, 1, gap, UP);
    // the middle between both surfaces
    let p = m.iter().next().unwrap();
    assert!((p.position.z - gap / 2.0).abs() < 1e-14);
}

#[test]
fn one_on_another() {
    let origin = at(0.0, 0.0, 0.0);
    let on = |a: &Shape<f64>, pose: &Pose<f64>, b: &Shape<f64>| collide(a, pose, b, &origin, 0.1);
    expect(&on(&BALL, &at(0.0, 0.0, 1.05), &BALL), 1, 0.05, UP);
    expect(&on(&BALL, &at(0.3, -0.2, 1.49), &CUBE), 1, -0.01, UP);
    expect(&on(&BALL, &at(0.1, 0.0, 1.45), &CAN), 1, -0.05, UP);
    expect(&on(&CUBE, &at(0.0, 0.0, 1.98), &CUBE), 4, -0.02, UP);
    expect(&on(&CUBE, &at(0.5, -0.3, 1.98), &CUBE), 4, -0.02, UP);
    expect(&on(&CAPSULE, &lying(v(0.0, 0.0, 1.45)), &CUBE), 2, -0.05, UP);
    expect(&on(&CAPSULE, &lying(v(0.0, 0.0, 1.45)), &CAN), 2, -0.05, UP);
    expect(&on(&CAPSULE, &at(0.99, 0.0, 0.3), &CAPSULE), 2, -0.01, v(1.0, 0.0, 0.0));
    expect(&on(&CAPSULE, &at(0.0, 0.0, 3.05), &CAPSULE), 1, 0.05, UP);
    // standing on a box: four points, a square in the rim: half of it 0.25
    let m = on(&CAN, &at(0.2, 0.0, 1.99), &CUBE);
    expect(&m, 4, -0.01, UP);
    assert!(area(&m) > 0.249);
    expect(&on(&CAN, &lying(v(0.0, 0.0, 1.49)), &CUBE), 2, -0.01, UP);
    // crossed edges of two cubes, 45° each: the diagonals meet
    let eighth = core::f64::consts::FRAC_PI_4;
    let top = Pose { position: v(0.0, 0.0, 2.0 * libm::sqrt(2.0)), orientation: turn(v(1.0, 0.0, 0.0), eighth) };
    let bottom = Pose { position: V::default(), orientation: turn(v(0.0, 1.0, 0.0), eighth) };
    expect(&collide(&CUBE, &top, &CUBE, &bottom, 0.1), 1, 0.0, UP);
}

#[test]
fn bottles() {
    let below = at(0.0, 0.0, 0.0);
    // stacked, turned and shifted by anything up to half the radius: at least three points, well apart
    for k in 0..40 {
        let shift = 0.25 * f64::from(k) / 40.0;
        let top = Pose { position: v(shift, -0.2 * shift, 1.999), orientation: turn(UP, f64::from(k)) };
        let m = collide(&CAN, &top, &CAN, &below, 0.01);
        assert!((3..=4).contains(&m.iter().count()), "{k}: {m:?}");
        // half the square in a circle of radius 0.4
        assert!(area(&m) > 0.16, "{k}: {} {m:?}", area(&m));
        for p in m.iter() {
            assert!((p.gap + 0.001).abs() < 1e-13 && length(p.normal - UP) < 1e-13, "{p:?}");
        }
    }
    // side by side: both ends of the common height, the exact normal
    let n = v(0.6, 0.8, 0.0);
    let m = collide(&CAN, &Pose::at(n * 0.99 + UP * 0.5), &CAN, &below, 0.1);
    expect(&m, 2, -0.01, n);
    let z: List<f64> = m.iter().map(|p| p.position.z).collect();
    assert!((z[0] - z[1]).abs() > 1.499, "{z:?}");
}

#[test]
fn corner_to_corner_is_the_distance() {
    let m = collide(&CUBE, &at(2.03, 2.04, 2.05), &CUBE, &at(0.0, 0.0, 0.0), 0.1);
    let p = m.iter().next().unwrap();
    assert!((p.gap - length(v(0.03, 0.04, 0.05))).abs() < 1e-9, "{p:?}");
    let apart = collide(&CUBE, &at(2.07, 2.08, 2.05), &CUBE, &at(0.0, 0.0, 0.0), 0.1);
    assert_eq!(apart.iter().count(), 0);
}

#[test]
fn no_direction_still_gives_finite_points() {
    let die = Shape::Polyhedron(solids::cuboid(v(1.0, 1.0, 1.0)));
    let nut = Shape::Polyhedron(solids::prism(6, 0.7, 0.3));
    let shapes = [BALL, CAPSULE, CUBE, CAN, Shape::HalfSpace, die, nut];
    let flat = [
        Shape::Capsule { radius: 0.5, half_length: 0.0 },
        Shape::Box { half: v(1.0, 1.0, 0.0) },
        Shape::Cylinder { radius: 0.5, half_length: 0.0 },
    ];
    let poses = [at(0.0, 0.0, 0.0), lying(V::default()), at(0.0, 0.0, 1e-12), at(0.0, 1e-30, 0.5), at(1e6, 0.0, 0.0)];
    for a in shapes.iter().chain(&flat) {
        for b in shapes.iter().chain(&flat) {
            for pa in &poses {
                for pb in &poses {
                    let m = collide(a, pa, b, pb, 0.1);
                    let s = collide(&single(a), &single_pose(pa), &single(b), &single_pose(pb), 0.1_f32);
                    for p in m.iter() {
                        assert!((p.normal.dot(p.normal) - 1.0).abs() < 1e-12, "{a:?} {b:?} {p:?}");
                        assert!(p.position.is_finite() && p.gap < 0.1);
                    }
                    for p in s.iter() {
                        assert!((p.normal.dot(p.normal) - 1.0).abs() < 1e-5, "{a:?} {b:?} {p:?}");
                        assert!(p.position.is_finite() && p.gap < 0.1);
                    }
                    // coincident centres overlap: something must be said
                    let solid = [a, b].iter().all(|s| shapes.contains(s) && **s != Shape::HalfSpace);
                    assert!(pa != pb || !solid || m.iter().count() > 0, "{a:?} {b:?}");
                }
            }
        }
    }
    // numbers too large to square: no point rather than a wrong one
    let far = Pose::at(Vec3::new(1e30_f32, 0.0, 0.0));
    let cube = single(&CUBE);
    assert!(collide(&cube, &far, &cube, &Pose::IDENTITY, 0.1).iter().all(|p| p.position.is_finite()));
}
