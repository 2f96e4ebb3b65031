//! What rests keeps its points: under a tremble of 1e-5 m and 1e-4 rad the same features touch at the same places.

use super::*;

/// How far beyond touching points are looked for, and how deep things lie or how far they are from touching. m
const MARGIN: f64 = 1e-3;
const GAPS: [f64; 2] = [-1e-5, 3e-5];
/// m, rad
const SHIFT: f64 = 1e-5;
const TILT: f64 = 1e-4;

/// A part of a few centimetres, and what it stands on.
const CARTON: Shape<f64> = Shape::Box { half: Vec3::new(0.05, 0.04, 0.03) };
const BOTTLE: Shape<f64> = Shape::Cylinder { radius: 0.03, half_length: 0.05 };

/// How large what it stands on is: a fixture, a conveyor, a floor.
const SCALES: [f64; 3] = [1.0, 5.0, 30.0];

fn table(scale: f64) -> Shape<f64> {
    Shape::Box { half: v(0.08, 0.07, 0.05) * scale }
}

fn drum(scale: f64) -> Shape<f64> {
    Shape::Cylinder { radius: 0.08 * scale, half_length: 0.05 * scale }
}

/// Features and their places.
fn points<R: Real>(manifold: &Manifold<R>) -> List<(u16, V)> {
    let at = |p: &ContactPoint<R>| v(p.position.x.to_f64(), p.position.y.to_f64(), p.position.z.to_f64());
    manifold.iter().map(|p| (p.feature, at(p))).collect()
}

/// Lay `top` on `base`, turned about z and moved along x; then tremble, in either precision and with either shape as a.
fn keeps(count: usize, top: Shape<f64>, base: Shape<f64>, orientation: Quat<f64>, x: f64) {
    for gap in GAPS {
        keeps_at(gap, count, top, base, orientation, x);
    }
}

fn keeps_at(gap: f64, count: usize, top: Shape<f64>, base: Shape<f64>, orientation: Quat<f64>, x: f64) {
    let below = Pose::IDENTITY;
    let mut rest = Pose { position: v(x, 0.0, 0.0), orientation };
    rest.position.z = gap - separates((&top, &rest), (&base, &below), v(0.0, 0.0, 1.0));
    type Touch<'a> = &'a dyn Fn(&Pose<f64>) -> List<(u16, V)>;
    let single_below = single_pose(&below);
    let ways: [Touch<'_>; 4] = [
        &|pose| points(&collide(&top, pose, &base, &below, MARGIN)),
        &|pose| points(&collide(&base, &below, &top, pose, MARGIN)),
        &|pose| points(&collide(&single(&top), &single_pose(pose), &single(&base), &single_below, MARGIN as f32)),
        &|pose| points(&collide(&single(&base), &single_below, &single(&top), &single_pose(pose), MARGIN as f32)),
    ];
    for (way, touch) in ways.iter().enumerate() {
        let name = std::format!("{top:?} on {base:?}, x = {x}, gap {gap}, way {way}");
        let before = touch(&rest);
        assert_eq!(before.len(), count, "{name}: {before:?}");
        let mut lcg = Lcg(6);
        for _ in 0..100 {
            let tremble = Pose {
                position: rest.position + lcg.direction() * (SHIFT * lcg.unit()),
                orientation: orientation.turned(lcg.direction() * (TILT * lcg.unit())),
            };
            let after = touch(&tremble);
            assert_eq!(after.len(), count, "{name}: {before:?} {after:?}");
            for (feature, place) in &before {
                let moved = after.iter().find(|(other, _)| other == feature).map(|(_, now)| length(*now - *place));
                // a shift and a turn about the centre, 0.06 away; where outlines cross at a slant some times more
                assert!(moved.is_some_and(|moved| moved < 1e-4), "{name}: {before:?} {after:?}");
            }
        }
    }
}

/// What a box is, as a polyhedron.
fn tables(shape: Shape<f64>) -> Shape<f64> {
    match shape {
        Shape::Box { half } => Shape::Polyhedron(solids::cuboid(half)),
        other => other,
    }
}

fn upright(angle: f64) -> Quat<f64> {
    turn(v(0.0, 0.0, 1.0), angle)
}

#[test]
fn a_box_keeps_its_four_points() {
    for angle in [0.0, 0.3] {
        for x in [0.0, 0.02] {
            keeps(4, CARTON, Shape::HalfSpace, upright(angle), x);
            for scale in SCALES {
                keeps(4, CARTON, table(scale), upright(angle), x * scale);
            }
        }
    }
    // stacked flush
    keeps(4, CARTON, CARTON, upright(0.0), 0.0);
    keeps(4, CARTON, CARTON, upright(core::f64::consts::PI), 0.0);
    // crossed: four of eight corners
    let square = Shape::Box { half: v(0.05, 0.05, 0.03) };
    keeps(4, square, square, upright(core::f64::consts::FRAC_PI_4), 0.0);
    keeps(4, CARTON, CARTON, upright(1.0), 0.003);
    // and of more, on a rim
    keeps(4, CARTON, Shape::Cylinder { radius: 0.05, half_length: 0.05 }, upright(0.3), 0.0);
}

#[test]
fn a_cylinder_keeps_its_four_points_standing_and_two_lying() {
    for angle in [0.0, 0.3] {
        let lying = turn(v(libm::cos(angle), libm::sin(angle), 0.0), core::f64::consts::FRAC_PI_2);
        for x in [0.0, 0.02] {
            keeps(4, BOTTLE, Shape::HalfSpace, upright(angle), x);
            keeps(2, BOTTLE, Shape::HalfSpace, lying, x);
            for scale in SCALES {
                keeps(4, BOTTLE, table(scale), upright(angle), x * scale);
                keeps(4, BOTTLE, drum(scale), upright(angle), x * scale);
                keeps(2, BOTTLE, table(scale), lying, x * scale);
            }
        }
    }
}

#[test]
fn a_polyhedron_keeps_its_four_points() {
    let carton = tables(CARTON);
    for angle in [0.0, 0.3] {
        for x in [0.0, 0.02] {
            keeps(4, carton, Shape::HalfSpace, upright(angle), x);
            for scale in SCALES {
                keeps(4, carton, tables(table(scale)), upright(angle), x * scale);
                keeps(4, carton, table(scale), upright(angle), x * scale);
                keeps(4, CARTON, tables(table(scale)), upright(angle), x * scale);
            }
        }
    }
    // stacked flush
    keeps(4, carton, carton, upright(0.0), 0.0);
    keeps(4, carton, carton, upright(core::f64::consts::PI), 0.0);
    // crossed: four of eight corners
    let square = Shape::Polyhedron(solids::cuboid(v(0.05, 0.05, 0.03)));
    keeps(4, square, square, upright(core::f64::consts::FRAC_PI_4), 0.0);
    keeps(4, carton, carton, upright(1.0), 0.003);
    // four of six, of twenty-four
    let nut = Shape::Polyhedron(solids::prism(6, 0.05, 0.02));
    keeps(4, nut, Shape::HalfSpace, upright(0.3), 0.0);
    keeps(4, nut, tables(table(5.0)), upright(0.3), 0.02);
    keeps(4, nut, nut, upright(0.2), 0.005);
    let coin = Shape::Polyhedron(solids::prism(24, 0.05, 0.02));
    keeps(4, coin, Shape::HalfSpace, upright(0.3), 0.0);
    keeps(4, coin, tables(table(5.0)), upright(0.3), 0.02);
}
