//! Polyhedra as nobody would use them: in one place, far inside each other, a needle, a crumb, a mountain. Steps stay finite, and reports say what is wrong.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{Hull, Polyhedron, Shape};
use tumble::world::{Collider, StepReport, StepSettings, World};
use tumble::{FrictionModel, Settings, Status};
use tumble_scenes::solids::{CUBE, DODECAHEDRON, TETRAHEDRON, WHEEL};

type Yard = World<f32, 5, 32, 96>;

const G: f32 = 9.81;
const H: f32 = 1e-3;
const EDGE: f32 = 0.016;

/// A block of these half edges, made at run time and kept for ever. m
fn block(half: [f32; 3]) -> &'static Polyhedron<f32> {
    let corner = |k: u8| Vec3::from([0, 1, 2].map(|i: usize| if k >> i & 1 == 0 { -half[i] } else { half[i] }));
    let hull: &'static Hull<f32, 8, 6, 12> =
        Box::leak(Box::new(Hull::of(&[0, 1, 2, 3, 4, 5, 6, 7].map(corner)).unwrap()));
    Box::leak(Box::new(hull.polyhedron()))
}

fn yard() -> Yard {
    let mut world = Yard::new();
    let ground = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(ground, Collider::new(Shape::HalfSpace)).unwrap();
    world
}

fn add(world: &mut Yard, solid: &'static Polyhedron<f32>, pose: Pose<f32>) -> BodyId {
    let shape = Shape::Polyhedron(solid);
    let body = Body::new(Motion::Dynamic(shape.mass_properties(1200.0).unwrap()), pose).unwrap();
    let id = world.add_body(body).unwrap();
    world.add_collider(id, Collider::new(shape)).unwrap();
    id
}

fn up(z: f32) -> Pose<f32> {
    Pose::at(Vec3::new(0.0, 0.0, z))
}

/// Default steps, and Hart's, which mend a violation as fast as they can.
fn ways() -> [StepSettings<f32>; 2] {
    [StepSettings::default(), StepSettings::hart(0.5)]
}

/// So many steps, each looked at: numbers that are finite, a report that agrees with itself.
fn run(world: &mut Yard, steps: u32, settings: &StepSettings<f32>, mut see: impl FnMut(&Yard, &StepReport<f32>)) {
    for _ in 0..steps {
        let report = world.step(H, settings).unwrap();
        assert!(report.penetration.is_finite() && report.penetration >= 0.0, "{report:?}");
        assert!(report.solve.energy.is_finite() && report.solve.status != Status::NonFinite, "{report:?}");
        assert_eq!(report.bodies_halted, 0, "{report:?}");
        for id in world.body_ids() {
            let body = world.body(id).unwrap();
            assert!(body.pose().is_finite() && body.velocity().is_finite(), "{body:?}");
        }
        see(world, &report);
    }
}

fn speed(world: &Yard, id: BodyId) -> f32 {
    let v = world.body(id).unwrap().velocity().linear;
    v.dot(v).sqrt()
}

#[test]
fn two_dice_in_one_place_come_apart() {
    for settings in ways() {
        for solid in [&CUBE, &WHEEL, &TETRAHEDRON, &DODECAHEDRON] {
            let mut world = yard();
            let ids = [(); 2].map(|()| add(&mut world, solid, up(0.1)));
            let mut first = None;
            let mut last = 0.0;
            run(&mut world, 2_000, &settings, |_, report| {
                first = first.or(Some((report.penetration, report.contacts)));
                last = report.penetration;
            });
            // centres coincide: each is in the other by as much as it is thick, from one facet to the one across or less
            let (depth, contacts) = first.unwrap();
            let thin = solid.facets.iter().map(|facet| facet.offset).fold(f32::INFINITY, f32::min);
            assert!(depth >= 1.9 * thin && contacts > 0, "{depth} m, {contacts} contacts");
            // 2 s later they lie apart; errors within |g| h² count as touching
            assert!(last < 2e-5 + 1e-3 * thin, "still {last} m in each other");
            let [p, q] = ids.map(|id| world.body(id).unwrap().pose().position);
            assert!((p - q).dot(p - q).sqrt() > 1.9 * thin, "{p:?} {q:?}");
        }
    }
}

#[test]
fn what_is_deep_inside_comes_out_gently() {
    let tilted = Quat::IDENTITY.turned(Vec3::new(0.3, -0.2, 0.5));
    for (a, b) in [(&CUBE, &CUBE), (&CUBE, &WHEEL), (&WHEEL, &WHEEL), (&TETRAHEDRON, &WHEEL), (&DODECAHEDRON, &CUBE)] {
        let mut world = yard();
        let low = add(&mut world, a, up(a.radius));
        let position = Vec3::new(0.002, -0.001, a.radius + 0.004);
        let high = add(&mut world, b, Pose { position, orientation: tilted });
        let settings = StepSettings::default();
        let (mut deepest, mut fastest, mut last) = (0.0_f32, 0.0_f32, 0.0);
        run(&mut world, 2_000, &settings, |world, report| {
            deepest = deepest.max(report.penetration);
            fastest = fastest.max(speed(world, low)).max(speed(world, high));
            last = report.penetration;
        });
        assert!(deepest > 0.004, "it says {deepest} m");
        assert!(last < 5e-5, "still {last} m in each other");
        // 0.2 m/s of recovery, shared or not, and a fall from twice as high as either is
        let fall = (2.0 * G * 2.0 * (a.radius + b.radius)).sqrt();
        assert!(fastest < 0.2 + fall, "{fastest} m/s");
    }
}

#[test]
fn a_needle_is_dropped_and_lies_down() {
    // 1 : 1000, 0.2 mm × 0.2 mm × 200 mm: moments of inertia a million apart
    let needle = block([1e-4, 1e-4, 0.1]);
    for settings in ways() {
        let mut world = yard();
        let orientation = Quat::IDENTITY.turned(Vec3::new(0.4, 0.1, 0.0));
        let id = add(&mut world, needle, Pose { position: Vec3::new(0.0, 0.0, 0.15), orientation });
        let (fall, mut spin) = ((2.0 * G * 0.15_f32).sqrt(), 0.0_f32);
        run(&mut world, 3_000, &settings, |world, _| {
            let v = world.body(id).unwrap().velocity();
            // of its centre; energy that goes into the spin about its own axis may take it far round: T = ½ I ω², I = m (2a)²/6
            assert!(v.linear.dot(v.linear).sqrt() < fall, "{v:?}");
            spin = spin.max(v.angular.dot(v.angular).sqrt());
        });
        assert!(0.5 * spin * spin * 4e-8 / 6.0 < G * 0.15, "{spin} rad/s");
        let Pose { position, orientation } = *world.body(id).unwrap().pose();
        let axis = orientation.turn(Vec3::new(0.0, 0.0, 1.0));
        assert!(position.z < 1e-3 && axis.z.abs() < 0.01, "{position:?} {axis:?}");
    }
}

#[test]
fn needles_across_each_other_stay_finite() {
    let needle = block([1e-4, 1e-4, 0.1]);
    for settings in ways() {
        let mut world = yard();
        for (k, turn) in [(1.0, 0.0), (2.0, 1.0), (3.0, 2.0), (3.0, 2.5)] {
            let orientation = Quat::IDENTITY
                .turned(Vec3::new(core::f32::consts::FRAC_PI_2, 0.0, 0.0))
                .turned(Vec3::new(0.0, turn, 0.0));
            add(&mut world, needle, Pose { position: Vec3::new(0.0, 0.0, 1e-3 * k), orientation });
        }
        run(&mut world, 1_000, &settings, |world, _| assert!(world.kinetic_energy() < 1e-3));
    }
}

#[test]
fn crumbs_and_mountains_rest_where_they_land() {
    // 10 µm, as large as what counts as touching in a step; 100 m
    for half in [5e-6_f32, 5e-5, 5e-3, 0.5, 50.0] {
        let cube = block([half; 3]);
        let mut world = yard();
        let ids = [1.0, 3.1].map(|z| add(&mut world, cube, up(half * z)));
        let settings = StepSettings {
            solve: Settings { friction: FrictionModel::Ncp, ..Settings::default() },
            ..StepSettings::default()
        };
        run(&mut world, 3_000, &settings, |_, _| ());
        for (id, z) in ids.into_iter().zip([1.0, 3.0]) {
            let body = world.body(id).unwrap();
            // |g| h² for each level, and rounding of the size
            let off = (body.pose().position.z - half * z).abs();
            assert!(off < z * (1e-5 + 1e-5 * half), "half edge {half}: off by {off}");
            // a velocity that a place cannot tell stays: half an ulp a step
            let least = 1e-3 + f32::EPSILON * half * z / H;
            assert!(speed(&world, id) < least, "half edge {half}: {:?}", body.velocity());
        }
    }
}

#[test]
fn a_crumb_on_a_mountain_and_a_mountain_on_a_crumb() {
    let (crumb, mountain) = (block([5e-4; 3]), block([5.0; 3]));
    for settings in ways() {
        let mut world = yard();
        add(&mut world, mountain, up(5.0));
        let id = add(&mut world, crumb, up(10.0 + 1e-3));
        run(&mut world, 500, &settings, |_, _| ());
        let z = world.body(id).unwrap().pose().position.z;
        // single precision knows 10 m to 1e-6 m
        assert!((z - 10.0005).abs() < 2e-5, "{z}");

        // 10¹² : 1 in mass: nobody solves that by sweeps; what is squeezed in is told, and the mountain stands on the ground
        let mut world = yard();
        add(&mut world, crumb, up(5e-4));
        let heavy = add(&mut world, mountain, up(5.0 + 1e-3));
        let mut told = 0.0_f32;
        run(&mut world, 500, &settings, |world, report| {
            told = told.max(report.penetration);
            assert!(speed(world, heavy) < 1.0, "{report:?}");
        });
        assert!(told > 1e-4, "it says {told} m");
        let z = world.body(heavy).unwrap().pose().position.z;
        assert!((5.0 - 1e-5..5.0 + 2e-3).contains(&z), "{z}");
    }
}

#[test]
fn shot_through_each_other_they_stay_finite() {
    for settings in ways() {
        let mut world = yard();
        let a = add(&mut world, &CUBE, Pose::at(Vec3::new(-0.1, 0.0, 0.05)));
        let b = add(&mut world, &WHEEL, Pose::at(Vec3::new(0.1, 0.0, 0.05)));
        world
            .body_mut(a)
            .unwrap()
            .set_velocity(Vec6::new(Vec3::new(300.0, 0.0, 0.0), Vec3::new(0.0, 5e3, 0.0)))
            .unwrap();
        world
            .body_mut(b)
            .unwrap()
            .set_velocity(Vec6::new(Vec3::new(-300.0, 0.0, 0.0), Vec3::new(5e3, 0.0, 0.0)))
            .unwrap();
        let energy = world.kinetic_energy();
        run(&mut world, 500, &settings, |world, report| {
            assert!(world.kinetic_energy() < 1.01 * energy, "{report:?}");
            assert!(report.penetration < 4.0 * EDGE, "{report:?}");
        });
    }
}
