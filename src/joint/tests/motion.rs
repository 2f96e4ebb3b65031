//! Joints in motion: rows solved on two bodies, positions moved on, `q' = q + h v'`.

use super::*;
use crate::math::clamp;
use crate::rows::InverseMass;
use crate::{Problem, Settings, Start};
use core::f64::consts::{PI, TAU};

const H: f64 = 1e-3;
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.05;

/// Two equal bodies, or one and the ground, and their joints.
struct Pair {
    poses: [Pose<f64>; 2],
    velocities: [Vec6<f64>; 2],
    ground: bool,
    /// force and torque on each. N, N·m
    load: [Vec6<f64>; 2],
    step: StepContext<f64>,
    impulses: Vec<f64>,
}

impl Pair {
    fn new(poses: [Pose<f64>; 2], ground: bool) -> Self {
        Self {
            poses,
            velocities: [Vec6::ZERO; 2],
            ground,
            load: [Vec6::ZERO; 2],
            step: StepContext::implicit(H, 0.2),
            impulses: Vec::new(),
        }
    }

    /// One step; answers with the rows of all joints.
    fn step(&mut self, joints: &mut [Joint<f64>]) -> Vec<(RowInput<f64>, Admissible<f64>)> {
        let mut problem = Problem::<f64, 2, 40>::new();
        let h = self.step.h;
        let free = |k: usize| {
            let Vec6 { linear, angular } = self.load[k];
            self.velocities[k] + Vec6::new(linear * (h / MASS), angular * (h / INERTIA))
        };
        let mass = InverseMass::new(MASS, [INERTIA; 3]).unwrap();
        let a = problem.add_body(mass, free(0)).unwrap();
        let b = if self.ground { None } else { Some(problem.add_body(mass, free(1)).unwrap()) };
        let mut rows = Vec::new();
        for joint in joints.iter() {
            rows.extend(collect(joint, [&self.poses[0], &self.poses[1]], self.velocities, &self.step));
        }
        for (row, admissible) in &rows {
            problem.add_row(a, b, row, *admissible).unwrap();
        }
        let settings = Settings { iterations: 20_000, tolerance: 1e-28, start: Start::Cold, ..Settings::default() };
        let report = problem.solve(&settings).unwrap();
        assert!(report.energy < 1e-20, "{report:?}");
        self.velocities[0] = problem.velocity(a).unwrap();
        if let Some(b) = b {
            self.velocities[1] = problem.velocity(b).unwrap();
        }
        for (pose, v) in self.poses.iter_mut().zip(self.velocities) {
            *pose = moved(pose, v, h);
        }
        self.impulses = problem.impulses().collect();
        for joint in joints {
            joint.track(&self.poses[0], &self.poses[1]);
        }
        rows
    }
}

fn errors(joint: &Joint<f64>, poses: &[Pose<f64>; 2]) -> Vec<f64> {
    // K = h = 1: the target is the error itself
    let rows = collect(joint, [&poses[0], &poses[1]], [Vec6::ZERO; 2], &StepContext::implicit(1.0, 1.0));
    rows.iter().map(|(row, _)| row.target_velocity).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// What is wrong shrinks by 1 − K a step, for every kind.
#[test]
fn a_violated_joint_comes_back_by_its_share_a_step() {
    let mut random = Random(11);
    for round in 0..10 {
        for mut joint in each_kind(&mut random) {
            let world = random.pose();
            let mut at_a = world;
            let mut at_b = world;
            match *joint.kind() {
                Kind::Distance { length, .. } | Kind::Rope { length, .. } => {
                    at_a.position = at_a.position + Vec3::new(length, 0.0, 0.0);
                }
                Kind::Gear { bearing_a, bearing_b, .. } => (at_a, at_b) = (bearing_a, bearing_b),
                Kind::Rack { guide_a, bearing_b, .. } => (at_a, at_b) = (guide_a, bearing_b),
                _ => {}
            }
            // off by a millimetre and a milliradian; a rope outwards
            let size = 1e-3;
            let poses = [carrying(joint.frame_a(), &random.nudged(&at_a, size)), carrying(joint.frame_b(), &at_b)];
            let mut pair =
                Pair::new(poses, round % 2 == 0 && !matches!(joint.kind(), Kind::Gear { .. } | Kind::Rack { .. }));
            let before = errors(&joint, &pair.poses);
            if matches!(joint.kind(), Kind::Rope { .. }) && before[0] < 0.0 {
                continue;
            }
            pair.step(core::slice::from_mut(&mut joint));
            let after = errors(&joint, &pair.poses);
            let left: Vec<f64> = after.iter().zip(&before).map(|(after, before)| after - 0.8 * before).collect();
            // rows are linear in what the step changes: second order in an error of 2e-3, times arms of up to 3 m
            assert!(norm(&left) < 10.0 * size * size, "{:?}: {before:?} → {after:?}", joint.kind());
        }
    }
}

/// Half a turn wrong is not too much: all kinds find home, by the near branch.
#[test]
fn large_errors_find_home() {
    let mut random = Random(12);
    for round in 0..20 {
        for mut joint in each_kind(&mut random).into_iter().take(6) {
            let (a, b) = (random.pose(), random.pose());
            let mut pair = Pair::new([a, b], round % 2 == 0);
            for _ in 0..150 {
                // first-order: no momentum, so that only positions count
                pair.velocities = [Vec6::ZERO; 2];
                pair.step(core::slice::from_mut(&mut joint));
            }
            // 0.8¹⁵⁰ = 3e-15 of an error of about 3
            assert!(norm(&errors(&joint, &pair.poses)) < 1e-9, "{:?} {:?}", joint.kind(), errors(&joint, &pair.poses));
        }
    }
}

/// Rows act on one line: a closed pair keeps its momenta whatever the joint, even while it is violated.
#[test]
fn momentum_is_conserved_while_violated() {
    let mut random = Random(13);
    for _ in 0..10 {
        for mut joint in each_kind(&mut random).into_iter().take(9) {
            let mut pair = Pair::new([random.pose(), random.pose()], false);
            pair.velocities = [random.velocity(), random.velocity()];
            let momenta = |poses: [Pose<f64>; 2], v: [Vec6<f64>; 2]| {
                let mut p = Vec3::default();
                let mut l = Vec3::default();
                for k in 0..2 {
                    p = p + v[k].linear * MASS;
                    l = l + poses[k].position.cross(v[k].linear * MASS) + v[k].angular * INERTIA;
                }
                [p.x, p.y, p.z, l.x, l.y, l.z]
            };
            // before and after the impulses, at the same place
            let place = pair.poses;
            let before = momenta(place, pair.velocities);
            pair.step(core::slice::from_mut(&mut joint));
            let after = momenta(place, pair.velocities);
            let most = pair.impulses.iter().fold(1.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
            for (x, y) in before.iter().zip(after) {
                // roundings of impulses with arms of some metres
                assert!((x - y).abs() < 1e-13 * most, "{:?} {x} {y}", joint.kind());
            }
        }
    }
}

fn axis_z() -> Pose<f64> {
    Pose::IDENTITY
}

#[test]
fn a_velocity_motor_reaches_its_speed_or_its_limit() {
    // 0.1 N·m on 0.05 kg·m²: 2 rad/s², 3 rad/s after 1.5 s
    let motor = Motor::velocity(3.0, 0.1).unwrap();
    let mut joint = [Joint::revolute(axis_z(), axis_z()).unwrap().with_motor(Coordinate::Turn, motor).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    for k in 1..=2000 {
        pair.step(&mut joint);
        let speed = pair.velocities[0].angular.z;
        let exact = if k <= 1500 { 2.0 * H * f64::from(k) } else { 3.0 };
        assert!((speed - exact).abs() < 1e-9, "{k}: {speed}");
    }
    // ∫ of the speed, summed at the ends of steps: 3 · 0.5 + Σ 2hk h
    let exact = 3.0 * 0.5 + 2.0 * H * H * 1500.0 * 1501.0 / 2.0;
    assert!((joint[0].turn(&pair.poses[0], &pair.poses[1]) - exact).abs() < 1e-8);
    // against 0.3 N·m it can do nothing: all of its 0.1 N·m are in the reaction
    pair.load[0].angular.z = -0.3;
    let before = (pair.poses, pair.velocities, pair.step, joint[0]);
    pair.step(&mut joint);
    assert!((pair.velocities[0].angular.z - (3.0 - 0.2 / INERTIA * H)).abs() < 1e-9);
    let (poses, v, step, joint) = before;
    let reaction = joint.reaction(&poses[0], &poses[1], v[0], v[1], &step, &pair.impulses).unwrap();
    assert!((reaction.torque.z - 0.1).abs() < 1e-9, "{reaction:?}");
}

#[test]
fn a_position_motor_goes_there_and_holds() {
    let target = Target::Position { position: 0.3, rate: 0.0, speed: 0.5 };
    let motor = Motor::new(target, 100.0).unwrap();
    let mut joint = [Joint::prismatic(axis_z(), axis_z()).unwrap().with_motor(Coordinate::Slide, motor).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    pair.load[0].linear.z = -9.81 * MASS;
    for _ in 0..500 {
        pair.step(&mut joint);
        // its limit lets it reach 0.5 m/s in 12 ms; never faster
        assert!(pair.velocities[0].linear.z < 0.5 + 1e-9);
    }
    assert!((pair.poses[0].position.z - 0.23).abs() < 0.02);
    for _ in 0..1000 {
        pair.step(&mut joint);
    }
    // 0.8ⁿ of the rest: held against gravity
    assert!((pair.poses[0].position.z - 0.3).abs() < 1e-9, "{}", pair.poses[0].position.z);
}

#[test]
fn a_rheonomic_target_is_followed_without_lag() {
    // over several turns, by the counter: θ(t) = 8 t² with an unlimited motor
    let mut joint = [Joint::cylindrical(axis_z(), axis_z()).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    let theta = |k: i32| 8.0 * (H * f64::from(k)) * (H * f64::from(k));
    for k in 0..2000 {
        let target = Target::Position { position: theta(k), rate: (theta(k + 1) - theta(k)) / H, speed: f64::INFINITY };
        joint[0].set_motor(Coordinate::Turn, Some(Motor::new(target, f64::INFINITY).unwrap())).unwrap();
        pair.step(&mut joint);
        let turn = joint[0].turn(&pair.poses[0], &pair.poses[1]);
        // turned() is off by (θ̇h)⁵/120 ≤ 3e-10 a step, of which K leaves five
        assert!((turn - theta(k + 1)).abs() < 2e-9, "{k} {turn}");
    }
    assert_eq!(joint[0].memory()[0], libm::round(theta(2000) / TAU));

    // a rod whose length changes
    let mut rod = [Joint::distance(Vec3::default(), Vec3::default(), 1.0).unwrap()];
    let mut pair = Pair::new([Pose::at(Vec3::new(1.0, 0.0, 0.0)), Pose::IDENTITY], true);
    for k in 0..500 {
        let length = |k: i32| 1.0 + 0.2 * libm::sin(3.0 * H * f64::from(k));
        rod[0].set_length(length(k), (length(k + 1) - length(k)) / H).unwrap();
        pair.step(&mut rod);
        assert!((pair.poses[0].position.x - length(k + 1)).abs() < 1e-12);
    }
}

#[test]
fn limits_stop_and_do_not_brake_early() {
    let limits = [-0.25, 0.4];
    let joint = Joint::revolute(axis_z(), axis_z()).unwrap();
    let mut joint = [joint.with_limit(Coordinate::Turn, limits[0], limits[1]).unwrap()];
    for direction in [1.0, -1.0] {
        let mut pair = Pair::new([Pose::IDENTITY; 2], true);
        pair.load[0].angular.z = direction * 0.05;
        let stop = if direction > 0.0 { limits[1] } else { limits[0] };
        let mut free = (0.0, 0.0);
        for k in 0..2000 {
            free.1 += direction * H;
            free.0 += free.1 * H;
            pair.step(&mut joint);
            let turn = joint[0].turn(&pair.poses[0], &pair.poses[1]);
            let exact = clamp(free.0, limits[0], limits[1]);
            // free as a bird until the step in which it arrives, then exactly there
            assert!((turn - exact).abs() < 1e-9, "{k}: {turn} {exact}");
            if free.0 != exact {
                assert_eq!(exact, stop);
                // the stop carries the load: 0.05 N·m for h, after it has taken the momentum
                let carried = pair.impulses[5] / H;
                assert!(carried > 0.05 - 1e-6);
            }
        }
    }
    // equal bounds lock, and limits beyond half a turn work by the counter
    let beyond = Joint::revolute(axis_z(), axis_z()).unwrap();
    let mut beyond = [beyond.with_limit(Coordinate::Turn, -1.0, 3.0 * PI).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    pair.load[0].angular.z = 0.5;
    for _ in 0..3000 {
        pair.step(&mut beyond);
    }
    assert!((beyond[0].turn(&pair.poses[0], &pair.poses[1]) - 3.0 * PI).abs() < 1e-9);
    let mut lock = [Joint::revolute(axis_z(), axis_z()).unwrap().with_limit(Coordinate::Turn, 0.1, 0.1).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    for _ in 0..100 {
        pair.step(&mut lock);
    }
    assert!((lock[0].turn(&pair.poses[0], &pair.poses[1]) - 0.1).abs() < 1e-9);
}

#[test]
fn a_slack_rope_applies_nothing_and_a_taut_one_holds() {
    let mut rope = [Joint::rope(Vec3::default(), Vec3::default(), 0.5).unwrap()];
    let mut pair = Pair::new([Pose::at(Vec3::new(0.1, 0.0, 0.0)), Pose::IDENTITY], true);
    pair.load[0].linear.x = MASS * 1.0;
    let (mut x, mut v) = (0.1, 0.0);
    let mut taut = false;
    for k in 0..2000 {
        let rows = pair.step(&mut rope);
        (v, x) = (v + H, x + (v + H) * H);
        if x <= 0.5 {
            assert!(pair.impulses.iter().all(|impulse| *impulse == 0.0), "{k}");
            assert!((pair.poses[0].position.x - x).abs() < 1e-12);
            // less than half out: no row at all
            assert!(rows.is_empty() || x >= 0.25 - 1e-3);
        } else {
            taut = true;
            assert!((pair.poses[0].position.x - 0.5).abs() < 1e-12);
        }
    }
    assert!(taut);
    assert!((pair.impulses[0] / H - MASS).abs() < 1e-9);
    // a winch draws it in
    for k in 0..500 {
        rope[0].set_length(0.5 - 0.1 * H * f64::from(k), -0.1).unwrap();
        pair.step(&mut rope);
    }
    assert!((pair.poses[0].position.x - 0.45).abs() < 1e-12);
}

#[test]
fn a_cone_keeps_a_ball_joint_from_bending_too_far() {
    let mut joint = [Joint::ball(Vec3::default(), Vec3::default()).unwrap().with_cone(0.6).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    pair.load[0].angular = Vec3::new(0.03, 0.04, 0.02);
    let bend = |pair: &Pair| {
        let z = pair.poses[0].orientation.turn(Vec3::new(0.0, 0.0, 1.0));
        libm::acos(z.z)
    };
    let mut most = 0.0_f64;
    for _ in 0..3000 {
        pair.step(&mut joint);
        if bend(&pair) > most {
            most = bend(&pair);
        }
    }
    // it spins on about z: each step leaves the cone by h²ω²/2, K gives back a fifth
    assert!(most > 0.599 && most < 0.601, "{most}");
}

#[test]
fn gears_racks_and_screws_keep_their_ratio_over_many_turns() {
    let bearing = |x: f64| Pose::at(Vec3::new(x, 0.0, 0.0));
    let (a, b) = (bearing(0.0), bearing(1.0));
    let ratio = -2.0;
    // the hinges of the wheels hold them to the ground: both bodies spin in place anyway, so no rows are needed
    let mut joints = [Joint::gear(ratio, &a, bearing(0.0), &b, bearing(1.0)).unwrap()];
    let mut pair = Pair::new([a, b], false);
    pair.load[1].angular.z = 0.5;
    for _ in 0..3000 {
        pair.step(&mut joints);
    }
    let [turns_a, last_a, turns_b, last_b] = joints[0].memory();
    let (turn_a, turn_b) = (turns_a * TAU + last_a, turns_b * TAU + last_b);
    // τ on b: θ̈_b = τ/(I + ratio² I) = 2 rad/s², after 3 s about 9 rad
    assert!((turn_b - 9.0).abs() < 0.01, "{turn_b}");
    assert!((turn_a - ratio * turn_b).abs() < 1e-8, "{turn_a}");

    let mut joints = [Joint::rack(0.1, &a, bearing(0.0), &b, bearing(1.0)).unwrap()];
    let mut pair = Pair::new([a, b], false);
    pair.load[1].angular.z = 0.5;
    for _ in 0..3000 {
        pair.step(&mut joints);
    }
    let [_, _, turns_b, last_b] = joints[0].memory();
    let turn_b = turns_b * TAU + last_b;
    // I + m r² = 0.07
    assert!((turn_b - 0.5 * 0.5 / 0.07 * 9.0).abs() < 0.02, "{turn_b}");
    assert!((pair.poses[0].position.z - 0.1 * turn_b).abs() < 1e-8);

    let mut joints = [Joint::screw(axis_z(), axis_z(), 0.02).unwrap()];
    let mut pair = Pair::new([Pose::IDENTITY; 2], true);
    pair.load[0].linear.z = 1000.0;
    for _ in 0..1000 {
        pair.step(&mut joints);
    }
    let turn = joints[0].turn(&pair.poses[0], &pair.poses[1]);
    let lead = 0.02 / TAU;
    // z̈ = F/(m + I/lead²), z = lead θ
    let exact = 0.5 * 1000.0 / (MASS + INERTIA / (lead * lead)) / lead;
    assert!((turn - exact).abs() < 2e-3 * exact, "{turn} {exact}");
    assert!(turn > TAU);
    assert!((pair.poses[0].position.z - lead * turn).abs() < 1e-9);
}

/// A mass on a spring, against the scheme of Tournier eq. 11 written out: `(m + hαd + h²αβk) v' = m v − h k g − …`.
#[test]
fn a_spring_row_is_the_implicit_scheme() {
    for (alpha, beta) in [(1.0, 1.0), (0.5, 0.5), (0.7, 1.0), (1.0, 0.6)] {
        for (k, d) in [(500.0, 0.0), (500.0, 3.0), (0.0, 4.0), (1e7, 100.0)] {
            let spring = Spring::new(k, d, 0.05).unwrap();
            let joint = Joint::prismatic(axis_z(), axis_z()).unwrap().with_spring(Coordinate::Slide, spring).unwrap();
            let mut pair = Pair::new([Pose::at(Vec3::new(0.0, 0.0, 0.2)), Pose::IDENTITY], true);
            pair.velocities[0].linear.z = -0.3;
            pair.step = StepContext { alpha, beta, ..StepContext::implicit(H, 0.2) };
            let (mut x, mut v) = (0.2, -0.3);
            // 1e-12 of the largest speed there can be: that of the undamped swing
            let swing = 0.3 + 0.15 * (k / MASS).sqrt();
            let tolerance = 1e-12 * if swing > 1.0 { swing } else { 1.0 };
            for n in 0..500 {
                let old = pair.velocities[0].linear.z;
                let place = pair.poses[0];
                pair.step(&mut [joint]);
                // the world's own part of the scheme: q' = q + h ((1 − β) v + β v')
                let mean = (1.0 - beta) * old + beta * pair.velocities[0].linear.z;
                pair.poses[0] = moved(&place, Vec6::from([0.0, 0.0, mean, 0.0, 0.0, 0.0]), H);

                let left = MASS + H * alpha * d + H * H * alpha * beta * k;
                let right =
                    MASS * v - H * k * (x - 0.05) - H * (1.0 - alpha) * d * v - alpha * (1.0 - beta) * H * H * k * v;
                let next = right / left;
                x += H * ((1.0 - beta) * v + beta * next);
                v = next;
                assert!((pair.velocities[0].linear.z - v).abs() < tolerance, "{alpha} {beta} {k} {d} {n}");
                assert!((pair.poses[0].position.z - x).abs() < 1e-12);
            }
        }
    }
}

#[test]
fn a_rod_with_a_spring_bounces_and_a_bungee_only_pulls() {
    let spring = Spring::new(2000.0, 0.0, 0.0).unwrap();
    let rod =
        Joint::distance(Vec3::default(), Vec3::default(), 1.0).unwrap().with_spring(Coordinate::Slide, spring).unwrap();
    assert_eq!(rod.max_rows(), 1);
    let mut pair = Pair::new([Pose::at(Vec3::new(0.0, 0.0, -1.0)), Pose::IDENTITY], true);
    pair.load[0].linear.z = -9.81 * MASS;
    // overdamped by the implicit step alone in the long run: hangs at m g/k
    for _ in 0..20_000 {
        pair.step(&mut [rod]);
    }
    assert!((pair.poses[0].position.z + 1.0 + 9.81 * MASS / 2000.0).abs() < 1e-4, "{}", pair.poses[0].position.z);

    let spring = Spring::new(2000.0, 50.0, 0.0).unwrap();
    let bungee =
        Joint::rope(Vec3::default(), Vec3::default(), 1.0).unwrap().with_spring(Coordinate::Slide, spring).unwrap();
    let mut pair = Pair::new([Pose::at(Vec3::new(0.0, 0.0, -0.7)), Pose::IDENTITY], true);
    pair.load[0].linear.z = -9.81 * MASS;
    let (mut z, mut v, mut slack) = (-0.7, 0.0, true);
    for k in 0..3000 {
        pair.step(&mut [bungee]);
        (v, z) = (v - 9.81 * H, z + (v - 9.81 * H) * H);
        slack &= z > -1.0;
        if slack {
            assert!((pair.poses[0].position.z - z).abs() < 1e-12, "{k}");
        }
        assert!(pair.impulses.iter().all(|impulse| *impulse >= 0.0));
    }
    assert!((pair.poses[0].position.z + 1.0 + 9.81 * MASS / 2000.0).abs() < 1e-6);
}

/// A pendulum at rest: the hinge carries the weight, and a beam's bending moment about the joint.
#[test]
fn reactions_are_weight_and_moment() {
    let beam = Pose::at(Vec3::new(0.4, 0.0, 0.0));
    let joint = Joint::fixed(Joint::within(&beam, &Pose::IDENTITY), Pose::IDENTITY).unwrap();
    let mut pair = Pair::new([beam, Pose::IDENTITY], true);
    pair.load[0].linear.z = -9.81 * MASS;
    pair.step(&mut [joint]);
    let reaction = joint.reaction(&beam, &Pose::IDENTITY, Vec6::ZERO, Vec6::ZERO, &pair.step, &pair.impulses).unwrap();
    assert!((reaction.force.z - 9.81 * MASS).abs() < 1e-8, "{reaction:?}");
    assert!((reaction.torque.y + 9.81 * MASS * 0.4).abs() < 1e-8, "{reaction:?}");
}
