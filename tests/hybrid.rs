//! Worlds with memory for the exact solver: what iteration cannot hold stands, everything else is as it was.

#![allow(clippy::disallowed_methods)] // a test may panic

use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Vec3, Vec6};
use tumble::rig::ScriptedClock;
use tumble::shape::Shape;
use tumble::solve::{Exact, ExactMemory};
use tumble::world::{Collider, Material, StepReport, StepSettings, World};
use tumble::{Budget, Method, Settings, Status};

/// Half a cube's edge. m
const HALF: f32 = 0.01;
/// Aluminium. kg/m³
const DENSITY: f32 = 2700.0;
const H: f32 = 1e-3;

type Tower = World<f32, 16, 64, 192, 16, 8>;
type TowerExact = Exact<f32, 16, 192, 6000>;

fn by(method: Method, iterations: u32) -> StepSettings<f32> {
    StepSettings { solve: Settings { method, iterations, ..Settings::default() }, ..StepSettings::default() }
}

fn add_floor(world: &mut Tower) {
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
}

fn add(world: &mut Tower, shape: Shape<f32>, density: f32, position: Vec3<f32>) -> BodyId {
    let motion = Motion::Dynamic(shape.mass_properties(density).unwrap());
    let id = world.add_body(Body::new(motion, Pose::at(position)).unwrap()).unwrap();
    world.add_collider(id, Collider { material: Material::default(), ..Collider::new(shape) }).unwrap();
    id
}

fn cube(half: f32) -> Shape<f32> {
    Shape::Box { half: Vec3::new(half, half, half) }
}

/// `count` cubes on each other, the top one `heavier` times as heavy.
fn tower(count: u8, heavier: f32) -> Tower {
    let mut world = Tower::new();
    add_floor(&mut world);
    for k in 0..count {
        let density = if k + 1 == count { heavier * DENSITY } else { DENSITY };
        add(&mut world, cube(HALF), density, Vec3::new(0.0, 0.0, HALF * (1.0 + 2.0 * f32::from(k))));
    }
    world
}

/// Farthest that any body is from where it was. m
fn run(
    world: &mut Tower,
    exact: &mut TowerExact,
    settings: &StepSettings<f32>,
    steps: u32,
    mut see: impl FnMut(u32, &StepReport<f32>),
) -> f32 {
    let starts: Vec<(BodyId, Vec3<f32>)> =
        world.body_ids().map(|id| (id, world.body(id).unwrap().pose().position)).collect();
    let mut drift = 0.0_f32;
    for step in 0..steps {
        let report = world.step_with(H, settings, exact, None).unwrap();
        see(step, &report);
        for (id, start) in &starts {
            let off = world.body(*id).unwrap().pose().position - *start;
            drift = drift.max(off.dot(off).sqrt());
        }
    }
    drift
}

/// Where a well-known Dantzig code gives up with "s <= 0": solved in every step of ten seconds.
#[test]
fn ten_boxes_are_solved_in_every_step() {
    for method in [Method::Simplex, Method::Hybrid] {
        let (mut world, mut exact) = (tower(10, 1.0), TowerExact::new());
        let (mut pivots, mut penetration) = (0, 0.0_f32);
        let drift = run(&mut world, &mut exact, &by(method, 100), 10_000, |step, report| {
            assert_eq!((report.solve.status, report.islands_exact), (Status::Converged, 1), "step {step}: {report:?}");
            pivots += report.solve.iterations;
            penetration = penetration.max(report.penetration);
        });
        println!("{method:?}: drift {drift:.1e} m, penetration {penetration:.1e} m, {pivots} pivots in 10 000 steps");
        // goals: 0.05 mm and 0.01 mm
        assert!(drift < 5e-6 && penetration < 1e-6, "{drift} {penetration}");
    }
}

/// Sweeps alone let it sink, sway and fall.
#[test]
fn heavy_on_light_holds() {
    for (count, heavier) in [(10, 100.0), (2, 1000.0), (5, 1000.0)] {
        let (mut world, mut exact) = (tower(count, heavier), TowerExact::new());
        let mut penetration = 0.0_f32;
        // the default: nothing is asked for but the memory
        let settings = StepSettings::default();
        let drift = run(&mut world, &mut exact, &settings, 2000, |step, report| {
            assert_eq!(report.islands_exact, 1, "step {step}");
            penetration = penetration.max(report.penetration);
        });
        println!("{heavier} on {}: drift {drift:.1e} m, penetration {penetration:.1e} m", count - 1);
        assert!(penetration < 1e-5 && drift < 1e-5, "{heavier} on {}: {penetration} m, {drift} m", count - 1);
        // what a control cycle has time for
        let mut swept = tower(count, heavier);
        let few = by(Method::Anderson, 20);
        let deepest = (0..2000).fold(0.0_f32, |deepest, _| deepest.max(swept.step(H, &few).unwrap().penetration));
        println!("    twenty sweeps: penetration {deepest:.1e} m");
        assert!(deepest > 2e-5, "sweeps alone hold {heavier} on {}: {deepest} m", count - 1);
    }
}

/// Without memory the default only sweeps; with memory, what is not hard is swept too: the same bits.
#[test]
fn what_is_not_hard_is_swept_as_ever() {
    let low = || {
        let mut world = tower(3, 1.0);
        for k in 0..4_u8 {
            let at = Vec3::new(0.1 + 0.0101 * f32::from(k), 0.0, 0.005);
            let id = add(&mut world, Shape::Sphere { radius: 0.005 }, DENSITY, at);
            world.body_mut(id).unwrap().set_velocity(Vec6::from([0.1, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
        }
        world
    };
    let (mut with, mut without, mut by_name) = (low(), low(), low());
    let mut exact = TowerExact::new();
    for _ in 0..300 {
        let report = with.step_with(H, &by(Method::Hybrid, 20), &mut exact, None).unwrap();
        assert_eq!(report.islands_exact, 0);
        let _ = without.step(H, &by(Method::Hybrid, 20)).unwrap();
        let _ = by_name.step(H, &by(Method::Anderson, 20)).unwrap();
    }
    assert_eq!(with.state_hash(), without.state_hash());
    assert_eq!(by_name.state_hash(), without.state_hash());
}

/// A memory that is too small for a tower sweeps it, and says so: the same bits as without.
#[test]
fn what_does_not_fit_is_swept() {
    let (mut with, mut without) = (tower(8, 1.0), tower(8, 1.0));
    let (mut few_rows, mut few_places) = (Exact::<f32, 16, 64, 6000>::new(), Exact::<f32, 16, 192, 100>::new());
    let mut few_bodies = Exact::<f32, 4, 192, 6000>::new();
    let settings = by(Method::Simplex, 20);
    for _ in 0..20 {
        for exact in [&mut few_rows as &mut dyn tumble::solve::ExactMemory<f32>, &mut few_places, &mut few_bodies] {
            let report = with.step_with(H, &settings, exact, None).unwrap();
            assert_eq!((report.islands, report.islands_exact), (1, 0));
            let _ = without.step(H, &settings).unwrap();
        }
    }
    assert_eq!(with.state_hash(), without.state_hash());
}

/// A chain of rods that carries 100 times its mass, and lies on a plate with its end: too many rows for the memory, but its joints fit.
#[test]
fn joints_are_solved_in_every_sweep() {
    let chain = || {
        let mut world = Tower::new();
        add_floor(&mut world);
        let rod = Shape::Capsule { radius: 0.004, half_length: 0.01 };
        let mut last = None;
        for k in 0..6_u8 {
            let at = Vec3::new(0.03 * f32::from(k), 0.0, 0.05);
            let density = if k == 5 { 100.0 * DENSITY } else { DENSITY };
            let id = add(&mut world, rod, density, at);
            let arm = Vec3::new(0.015, 0.0, 0.0);
            match last {
                None => world.add_joint(id, None, Joint::ball(-arm, at - arm).unwrap()).unwrap(),
                Some(last) => world.add_joint(id, Some(last), Joint::ball(-arm, arm).unwrap()).unwrap(),
            };
            last = Some(id);
        }
        world
    };
    let errors = |exact: Option<&mut Exact<f32, 16, 20, 300>>| {
        let mut world = chain();
        let settings = by(Method::Hybrid, 10);
        let mut in_touch = vec![];
        let mut exact = exact;
        for _ in 0..300 {
            let report = match exact.as_deref_mut() {
                Some(exact) => world.step_with(H, &settings, exact, None).unwrap(),
                None => world.step(H, &settings).unwrap(),
            };
            if report.contacts > 0 {
                assert_eq!(report.islands_exact, 0, "too many rows");
                in_touch.push(report.solve.energy);
            }
        }
        // the mean is that of a few steps in which the end strikes: another height, and it is another
        in_touch.sort_by(f32::total_cmp);
        in_touch[in_touch.len() * 3 / 4]
    };
    let (with, without) = (errors(Some(&mut Exact::new())), errors(None));
    println!(
        "energy error of three steps in four below {with:.1e} J with joints exactly in every sweep, {without:.1e} J swept"
    );
    // three steps in four end with far less, from this height by a factor of thousands; a step in which the end strikes may end with more than swept
    assert!(with < 0.25 * without, "{with} {without}");
}

/// Time is up at any reading, finding an order, factorising, guessing, pivoting or sweeping: finite numbers, no more than a few readings after it, and no step is worse than one
/// that had no time at all.
#[test]
fn pivots_stop_in_time() {
    // a tower by pivots; one that has no room but for an order; a chain, its joints in every sweep
    let chain = || {
        let mut world = tower(3, 1.0);
        let (mut last, arm) = (None, Vec3::new(0.015, 0.0, 0.0));
        for k in 0..5_u8 {
            let at = Vec3::new(0.1 + 0.03 * f32::from(k), 0.0, 0.005);
            let id = add(&mut world, Shape::Capsule { radius: 0.004, half_length: 0.01 }, DENSITY, at);
            let _ = match last {
                None => world.add_joint(id, None, Joint::ball(-arm, at - arm).unwrap()).unwrap(),
                Some(last) => world.add_joint(id, Some(last), Joint::ball(-arm, arm).unwrap()).unwrap(),
            };
            last = Some(id);
        }
        world
    };
    stops_in_time(&tower(6, 100.0), &mut TowerExact::new(), 40);
    stops_in_time(&tower(6, 100.0), &mut Exact::<f32, 8, 100, 300>::new(), 20);
    stops_in_time(&chain(), &mut Exact::<f32, 16, 20, 300>::new(), 20);
}

fn stops_in_time(world: &Tower, exact: &mut dyn ExactMemory<f32>, readings: u32) {
    let mut settled = world.clone();
    for _ in 0..20 {
        let _ = settled.step(H, &by(Method::Hybrid, 4)).unwrap();
    }
    let nothing = StepSettings { solve: Settings { iterations: 0, ..Settings::default() }, ..StepSettings::default() };
    let start = settled.clone().step(H, &nothing).unwrap().solve.energy;
    for expires in 1.. {
        let mut world = settled.clone();
        let mut clock = ScriptedClock::new(1).expiring_at(expires);
        let mut budget = Budget::new(&mut clock, 1_000_000).unwrap();
        let report = world.step_with(H, &StepSettings::default(), exact, Some(&mut budget)).unwrap();
        assert!(report.solve.energy.is_finite() && report.bodies_halted == 0, "{report:?}");
        for id in world.body_ids().collect::<Vec<_>>() {
            assert!(world.body(id).unwrap().velocity().is_finite());
        }
        if clock.readings() < expires {
            assert!(expires > readings, "{expires} readings show nothing");
            break;
        }
        // two of the solve, and for each of two islands the share of its time, whether there is any, and two of its start
        let after = clock.readings_after_expiry();
        assert!(expires == 1 || after <= 10, "{expires}: {after} readings after time was up, {report:?}");
        assert!(report.solve.energy <= start * 1.0001, "{expires}: {} J, at the start {start} J", report.solve.energy);
    }
}

/// Three blocks on each other, each between two ropes that are just tight, pushed to and fro: too many rows for the memory, but the ropes fit. Ropes pull, whatever
/// Anderson's method makes of them on the way.
#[test]
fn ropes_never_push() {
    let mut world = Tower::new();
    add_floor(&mut world);
    let (mut blocks, mut ropes) = (Vec::new(), Vec::new());
    for k in 0..3_u8 {
        let z = HALF * (1.0 + 2.0 * f32::from(k));
        let block = add(&mut world, cube(HALF), DENSITY, Vec3::new(0.0, 0.0, z));
        for side in [-1.0_f32, 1.0] {
            let anchor = Vec3::new(0.05 * side, 0.0, z + 0.005);
            let rope = Joint::rope(Vec3::new(0.0, 0.0, 0.005), anchor, 0.0501).unwrap();
            ropes.push((side, world.add_joint(block, None, rope).unwrap()));
        }
        blocks.push(block);
    }
    let mut exact = Exact::<f32, 8, 8, 60>::new();
    let mut strongest = 0.0_f32;
    for step in 0..2000 {
        for (k, block) in blocks.iter().enumerate() {
            let push = if (step / 37 + k) % 2 == 0 { 2.0 } else { -2.0 };
            world.body_mut(*block).unwrap().add_force(Vec6::from([push, 0.0, 0.0, 0.0, 0.0, 0.0])).unwrap();
        }
        let _ = world.step_with(H, &by(Method::Hybrid, 10), &mut exact, None).unwrap();
        for (side, rope) in &ropes {
            let pull = world.reaction(*rope).unwrap().force.x * side;
            assert!(pull > -1e-6, "step {step}: a rope pushes by {} N", -pull);
            strongest = strongest.max(pull);
        }
    }
    assert!(strongest > 1.0, "{strongest} N");
}
