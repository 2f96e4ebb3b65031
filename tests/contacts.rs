//! Points of contact as a world tells them: where they are, by closed form; what they exert, by the momentum of what they push.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::rows::{Friction, InverseMass, RowInput};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Material, StepSettings, World};
use tumble::{BodyIndex, FrictionModel, Problem};

type Small = World<f64, 8, 32, 192>;

const H: f64 = 1e-3;
const CUBE: Shape<f64> = Shape::Box { half: Vec3::new(0.01, 0.01, 0.01) };

fn add<const B: usize, const C: usize, const R: usize>(
    world: &mut World<f64, B, C, R>,
    shape: Shape<f64>,
    material: Material<f64>,
    pose: Pose<f64>,
) -> BodyId {
    let motion = shape.mass_properties(1000.0).map_or(Motion::Fixed, Motion::Dynamic);
    let id = world.add_body(Body::new(motion, pose).unwrap()).unwrap();
    world.add_collider(id, Collider { material, ..Collider::new(shape) }).unwrap();
    id
}

fn at(x: f64, z: f64) -> Pose<f64> {
    Pose::at(Vec3::new(x, 0.0, z))
}

fn norm(v: Vec3<f64>) -> f64 {
    v.dot(v).sqrt()
}

/// Two balls side by side on a floor, one a little above it.
fn two_balls() -> (Small, [BodyId; 3]) {
    let (mut world, material) = (Small::new(), Material::default());
    let ball = Shape::Sphere { radius: 0.01 };
    let floor = add(&mut world, Shape::HalfSpace, material, Pose::IDENTITY);
    let left = add(&mut world, ball, material, at(0.0, 0.01));
    let right = add(&mut world, ball, material, at(0.02 + 2e-6, 0.01 + 1e-6));
    (world, [floor, left, right])
}

#[test]
fn points_lie_where_geometry_says() {
    let (mut world, [floor, left, right]) = two_balls();
    assert_eq!(world.contacts().count(), 0, "nothing touches before the first step");
    let report = world.step(H, &StepSettings::default()).unwrap();
    let contacts: Vec<_> = world.contacts().collect();
    assert_eq!((contacts.len(), report.contacts), (3, 3));

    let between = Vec3::new(0.02 + 2e-6, 0.0, 1e-6);
    // from the first to the second; midway between them; the gap
    for (a, b, normal, position, gap) in [
        (floor, left, Vec3::new(0.0, 0.0, 1.0), Vec3::default(), 0.0),
        (floor, right, Vec3::new(0.0, 0.0, 1.0), Vec3::new(0.02 + 2e-6, 0.0, 0.5e-6), 1e-6),
        (
            left,
            right,
            between * (1.0 / norm(between)),
            Vec3::new(0.01 + 1e-6, 0.0, 0.01 + 0.5e-6),
            norm(between) - 0.02,
        ),
    ] {
        let found = contacts.iter().find(|c| [c.body_a, c.body_b] == [a, b] || [c.body_a, c.body_b] == [b, a]);
        let found = found.unwrap_or_else(|| panic!("{a:?} and {b:?} do not touch"));
        let towards = if found.body_a == b { found.normal } else { -found.normal };
        // 20 mm in double precision
        assert!(norm(towards - normal) < 1e-13 && norm(found.position - position) < 1e-16, "{found:?}");
        assert!((found.gap - gap).abs() < 1e-16, "{found:?}");
        let of = [found.collider_a, found.collider_b].map(|id| world.collider(id).unwrap().shape == Shape::HalfSpace);
        assert_eq!(of, [found.body_a == floor, found.body_b == floor], "{found:?}");
    }
}

#[test]
fn what_is_removed_touches_nothing() {
    let (mut world, [_, left, right]) = two_balls();
    let _ = world.step(H, &StepSettings::default()).unwrap();
    world.remove_body(left).unwrap();
    let rest: Vec<_> = world.contacts().collect();
    assert!(rest.len() == 1 && (rest[0].body_a == right || rest[0].body_b == right), "{rest:?}");
    // a newcomer in its place inherits nothing
    let newcomer = add(&mut world, Shape::Sphere { radius: 0.01 }, Material::default(), at(0.0, 0.01));
    assert!(world.contacts().all(|contact| contact.body_a != newcomer && contact.body_b != newcomer));
    world.clear();
    assert_eq!(world.contacts().count(), 0);
}

#[test]
fn what_found_no_room_is_not_among_them() {
    // a cube on four corners, rows for two of them
    let (mut world, material) = (World::<f64, 2, 4, 6>::new(), Material::default());
    add(&mut world, Shape::HalfSpace, material, Pose::IDENTITY);
    add(&mut world, CUBE, material, at(0.0, 0.01));
    let report = world.step(H, &StepSettings::default()).unwrap();
    assert_eq!((report.contacts, report.contacts_dropped, world.contacts().count()), (2, 2, 2));
}

/// Balls and cubes by turns fall onto each other, each surface with another friction against rolling and spinning, unless there is none at all.
/// They are round or cubic: they do not precess.
fn heap(torques: f64) -> Small {
    let mut world = Small::new();
    let surfaces = [(0.0, 0.0), (2e-3, 0.0), (0.0, 1e-3), (2e-3, 1e-3)].map(|(rolling, spinning)| Material {
        friction: 0.4,
        rolling_friction: rolling * torques,
        spinning_friction: spinning * torques,
        ..Material::default()
    });
    add(&mut world, Shape::HalfSpace, surfaces[0], Pose::IDENTITY);
    for (k, surface) in (0..4_u8).zip(surfaces) {
        let level = f64::from(k);
        let ball = add(&mut world, Shape::Sphere { radius: 0.008 }, surface, at(0.004 * level, 0.012 + 0.045 * level));
        let falling = Vec6::new(Vec3::new(0.1, 0.05, -0.5), Vec3::new(3.0, -2.0, 8.0));
        world.body_mut(ball).unwrap().set_velocity(falling).unwrap();
        if k < 3 {
            let position = Vec3::new(0.004 * level, 0.003, 0.035 + 0.045 * level);
            let orientation = Quat::new(1.0, 0.1 * level, 0.05, 0.2).unwrap();
            add(&mut world, CUBE, surface, Pose { position, orientation });
        }
    }
    world
}

/// Every body as it is.
fn bodies(world: &Small) -> Vec<(BodyId, Body<f64>)> {
    world.body_ids().map(|id| (id, *world.body(id).unwrap())).collect()
}

/// A problem put together from the contacts alone, `e = −gap/h` apart and `−K gap/h` in violation, has the velocities of the step for its answer.
#[test]
fn the_problem_of_its_contacts_is_that_of_the_step() {
    let mut world = heap(0.0);
    // no width of touching, nothing held back
    let mut settings = StepSettings { slop: 0.0, recovery_speed: 1e9, ..StepSettings::default() };
    // of this model there is one answer, wherever a solve starts
    settings.solve.friction = FrictionModel::Ccp;
    (settings.solve.iterations, settings.solve.tolerance) = (100_000, 1e-22);
    let mut compared = 0;
    for step in 0..300 {
        let before = bodies(&world);
        let _ = world.step(H, &settings).unwrap();
        if step % 20 != 0 {
            continue;
        }
        let mut problem = Problem::<f64, 8, 192>::new();
        let mut parts: Vec<(BodyId, BodyIndex, Vec3<f64>)> = Vec::new();
        for (id, body) in before {
            let Motion::Dynamic(MassProperties { mass, inertia }) = *body.motion() else { continue };
            let v_free = body.velocity() + Vec6::new(settings.gravity * H, Vec3::default());
            let index = problem.add_body(InverseMass::new(mass, inertia.into()).unwrap(), v_free).unwrap();
            parts.push((id, index, body.pose().position));
        }
        for contact in world.contacts() {
            let part = |id: BodyId| parts.iter().find(|part| part.0 == id);
            let (a, b, normal) = match (part(contact.body_a), part(contact.body_b)) {
                (Some(a), b) => (a, b, contact.normal),
                (None, b) => (b.unwrap(), None, -contact.normal),
            };
            let arm_b = b.map_or(Vec3::default(), |b| contact.position - b.2);
            let mut rows = RowInput::contact(normal, contact.position - a.2, arm_b);
            let share = if contact.gap < 0.0 { settings.stabilisation } else { 1.0 };
            rows[0].target_velocity = -share * contact.gap / H;
            problem.add_contact(a.1, b.map(|b| b.1), &rows, Friction::Cone { mu: 0.4 }).unwrap();
        }
        let _ = problem.solve(&settings.solve).unwrap();
        for (id, index, _) in parts {
            let (theirs, ours) = (world.body(id).unwrap().velocity(), problem.velocity(index).unwrap());
            // 1e-22 J left of parts of 2 g: 3e-10 m/s, and what slow modes make of it
            let apart = norm(theirs.linear - ours.linear) + 0.01 * norm(theirs.angular - ours.angular);
            assert!(apart < 1e-7, "step {step}: {ours:?}, not {theirs:?}");
            compared += problem.row_count() / 3;
        }
    }
    assert!(compared > 500, "{compared} contacts: nothing was tested");
}

/// `m (v' − v − h g) = h Σ F` and `I (ω' − ω) = h Σ (r × F + τ)` for every body of a heap that slides, rolls and spins, in every step: where
/// a point lies, which way its force goes and on whom, and what resists rolling and spinning, must all be right.
#[test]
fn forces_and_torques_make_the_momentum() {
    let mut world = heap(1.0);
    let settings = StepSettings::default();
    let (mut most, mut torques) = (0, 0);
    for step in 0..400 {
        let before = bodies(&world);
        let report = world.step(H, &settings).unwrap();
        assert_eq!(report.contacts_dropped, 0);
        most = report.contacts.max(most);
        torques += world.contacts().filter(|contact| contact.torque != Vec3::default()).count();
        for (id, before) in before {
            let Motion::Dynamic(MassProperties { mass, inertia }) = *before.motion() else { continue };
            let (mut force, mut torque) = (Vec3::default(), Vec3::default());
            for contact in world.contacts() {
                assert!(contact.force.dot(contact.normal) >= -1e-12, "{contact:?}");
                for (body, sign) in [(contact.body_a, 1.0), (contact.body_b, -1.0)] {
                    if body == id {
                        let arm = contact.position - before.pose().position;
                        force = force + contact.force * sign;
                        torque = torque + (arm.cross(contact.force) + contact.torque) * sign;
                    }
                }
            }
            let now = world.body(id).unwrap().velocity();
            let free = before.velocity().linear + settings.gravity * H;
            let (push, turn) = ((now.linear - free) * mass, (now.angular - before.velocity().angular) * inertia.x);
            // impulses up to 1e-2 N·s, arms of 1e-2 m: some hundred roundings
            assert!(norm(push - force * H) < 1e-15, "step {step}: {push:?}, not {:?}", force * H);
            assert!(norm(turn - torque * H) < 1e-17, "step {step}: {turn:?}, not {:?}", torque * H);
            assert!(norm(world.contact_force(id).unwrap() - force) < 1e-12, "step {step}");
        }
    }
    assert!(most > 10 && torques > 100, "{most} contacts, {torques} torques: nothing was tested");
}

#[test]
fn what_turns_about_one_axis_only_rests_with_every_kind_of_friction() {
    let material = Material { rolling_friction: 1e-3, spinning_friction: 1e-3, ..Material::default() };
    for inertia in [Vec3::new(1e38, 1e38, 1e-5), Vec3::new(1e38, 1e-5, 1e38), Vec3::new(1e-5, 1e38, 1e38)] {
        let mut world = World::<f32, 2, 4, 24>::new();
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider { material, ..Collider::new(Shape::HalfSpace) }).unwrap();
        let pose = Pose::at(Vec3::new(0.0, 0.0, 0.01));
        let ball = Body::new(Motion::Dynamic(MassProperties { mass: 0.01, inertia }), pose).unwrap();
        let ball = world.add_body(ball).unwrap();
        world.add_collider(ball, Collider { material, ..Collider::new(Shape::Sphere { radius: 0.01 }) }).unwrap();
        for _ in 0..200 {
            let report = world.step(1e-3, &StepSettings::default()).unwrap();
            assert_eq!((report.contacts, report.contacts_dropped), (1, 0));
        }
        let z = world.body(ball).unwrap().pose().position.z;
        assert!((z - 0.01).abs() < 1e-4, "{inertia:?}: {z} m");
    }
}

#[test]
fn what_does_not_turn_slides_as_a_point_does() {
    // pushed onto a floor with every kind of friction: Coulomb's alone has something to act on
    let (mass, mu, speed, steps) = (0.01, 0.2, 0.5, 100_u32);
    let material = Material { friction: mu, rolling_friction: 1e-3, spinning_friction: 1e-3, ..Material::default() };
    let mut world = Small::new();
    add(&mut world, Shape::HalfSpace, material, Pose::IDENTITY);
    let inertia = Vec3::new(1e38, 1e38, 1e38);
    let body = Body::new(Motion::Dynamic(MassProperties { mass, inertia }), at(0.0, 0.01)).unwrap();
    let id = world.add_body(body).unwrap();
    world.add_collider(id, Collider { material, ..Collider::new(Shape::Sphere { radius: 0.01 }) }).unwrap();
    world.body_mut(id).unwrap().set_velocity(Vec6::new(Vec3::new(speed, 0.0, 0.0), Vec3::default())).unwrap();
    world.body_mut(id).unwrap().add_force(Vec6::new(Vec3::default(), Vec3::new(1.0, 1.0, 1.0))).unwrap();
    let settings = StepSettings::default();
    for _ in 0..steps {
        let report = world.step(H, &settings).unwrap();
        assert_eq!((report.contacts, report.contacts_dropped), (1, 0));
    }
    let v = world.body(id).unwrap().velocity();
    assert_eq!(v.angular, Vec3::default());
    // v = v_0 − μ g t, to what a step of g h makes of it
    let expected = speed - mu * 9.81 * H * f64::from(steps);
    assert!((v.linear.x - expected).abs() < 2e-3, "{v:?}, not {expected}");
    assert!(v.linear.z.abs() < 1e-6, "{v:?}");
}

/// A ball on an arm of 0.5 m at 50 rad/s moves 25 mm in a step: it must find a wall 10 mm ahead,
/// though its body's centre does not move at all.
#[test]
fn shape_off_the_centre_of_a_turning_body_finds_what_it_swings_into() {
    let (mut world, radius) = (Small::new(), 5e-3);
    // face at y = 15 mm, 2 mm thick
    let half = Vec3::new(0.05, 1e-3, 0.05);
    let wall = world.add_body(Body::new(Motion::Fixed, Pose::at(Vec3::new(0.5, 0.016, 0.0))).unwrap()).unwrap();
    world.add_collider(wall, Collider::new(Shape::Box { half })).unwrap();
    let properties = MassProperties { mass: 1.0, inertia: Vec3::new(0.1, 0.1, 0.1) };
    let arm = world.add_body(Body::new(Motion::Dynamic(properties), Pose::IDENTITY).unwrap()).unwrap();
    let tip = Vec3::new(0.5, 0.0, 0.0);
    world.add_collider(arm, Collider { pose: Pose::at(tip), ..Collider::new(Shape::Sphere { radius }) }).unwrap();
    world.body_mut(arm).unwrap().set_velocity(Vec6::from([0.0, 0.0, 0.0, 0.0, 0.0, 50.0])).unwrap();
    let settings = StepSettings { gravity: Vec3::default(), ..StepSettings::default() };
    let report = world.step(H, &settings).unwrap();
    let body = world.body(arm).unwrap();
    let front = body.pose().point(tip).y + radius;
    assert_eq!(report.contacts, 1);
    // it lands on the face, but for the arc that the tip describes
    assert!((front - 0.015).abs() < 5e-4, "{front} m, {:?}", body.velocity());
}

/// A plane that turns at 10 rad/s rises 10 mm in a step 1 m from its axis: it must find a ball 5 mm
/// above it there.
#[test]
fn turning_half_space_finds_what_lies_far_from_its_axis() {
    let (mut world, radius) = (Small::new(), 0.01);
    let plane = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(plane, Collider::new(Shape::HalfSpace)).unwrap();
    world.body_mut(plane).unwrap().set_velocity(Vec6::from([0.0, 0.0, 0.0, 0.0, -10.0, 0.0])).unwrap();
    let ball = add(&mut world, Shape::Sphere { radius }, Material::default(), at(1.0, radius + 5e-3));
    let settings = StepSettings { gravity: Vec3::default(), ..StepSettings::default() };
    let report = world.step(H, &settings).unwrap();
    let gap = world.body(plane).unwrap().pose().point_within(world.body(ball).unwrap().pose().position).z - radius;
    assert_eq!(report.contacts, 1);
    assert!(gap > -1e-4, "{gap} m");
}

/// Balls in the floor by as many tenths of a millimetre, in every order: with room for two contacts
/// the deepest two stay.
#[test]
fn contact_over_capacity_drops_the_shallowest() {
    for depths in orders([1_u8, 2, 3, 4]) {
        let (mut world, material) = (World::<f64, 5, 2, 24>::new(), Material::default());
        add(&mut world, Shape::HalfSpace, material, Pose::IDENTITY);
        for (x, depth) in [0.0, 0.1, 0.2, 0.3].into_iter().zip(depths) {
            add(&mut world, Shape::Sphere { radius: 0.01 }, material, at(x, 0.01 - 1e-4 * f64::from(depth)));
        }
        let report = world.step(H, &StepSettings::default()).unwrap();
        assert_eq!((report.contacts, report.contacts_dropped), (2, 2));
        assert_eq!(tenths_deep(world.contacts().map(|contact| contact.gap)), [3, 4], "{depths:?}");
    }
}

/// The same with room for all contacts and rows for two, of one body.
#[test]
fn contact_over_row_capacity_drops_the_shallowest() {
    for depths in orders([1_u8, 2, 3, 4]) {
        let mut world = World::<f64, 2, 8, 6, 5>::new();
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
        let properties = MassProperties { mass: 1.0, inertia: Vec3::new(0.1, 0.1, 0.1) };
        let part = world.add_body(Body::new(Motion::Dynamic(properties), Pose::IDENTITY).unwrap()).unwrap();
        for (x, depth) in [0.0, 0.1, 0.2, 0.3].into_iter().zip(depths) {
            let pose = at(x, 0.01 - 1e-4 * f64::from(depth));
            world.add_collider(part, Collider { pose, ..Collider::new(Shape::Sphere { radius: 0.01 }) }).unwrap();
        }
        let report = world.step(H, &StepSettings::default()).unwrap();
        assert_eq!((report.contacts, report.contacts_dropped), (2, 2));
        assert_eq!(tenths_deep(world.contacts().map(|contact| contact.gap)), [3, 4], "{depths:?}");
    }
}

/// Penetrations in tenths of a millimetre, sorted.
fn tenths_deep(gaps: impl Iterator<Item = f64>) -> Vec<i32> {
    let mut depths: Vec<i32> = gaps.map(|gap| (-gap * 1e4).round() as i32).collect();
    depths.sort_unstable();
    depths
}

/// All orders of four.
fn orders(of: [u8; 4]) -> Vec<[u8; 4]> {
    let places = 0..4_usize;
    let all = (0..256_usize).map(|code| [code % 4, code / 4 % 4, code / 16 % 4, code / 64]);
    all.filter(|order| places.clone().all(|place| order.contains(&place)))
        .map(|order| order.map(|place| of[place]))
        .collect()
}
