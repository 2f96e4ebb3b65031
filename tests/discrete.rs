//! Springs, dampers and friction in whole steps against the scheme's own discrete solution, which is met to rounding, and against the
//! continuous one, which is met as closely as the scheme's order says.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::Settings;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Spring};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Material, StepSettings, World};

type Bench = World<f64, 8, 16, 96, 8, 2>;

const G: f64 = 9.81;
const X: Vec3<f64> = Vec3::new(1.0, 0.0, 0.0);
const Y: Vec3<f64> = Vec3::new(0.0, 1.0, 0.0);
const Z: Vec3<f64> = Vec3::new(0.0, 0.0, 1.0);
/// Every corner and a point between: implicit in forces, in positions.
const RULES: [(f64, f64); 5] = [(1.0, 1.0), (0.5, 0.5), (1.0, 0.5), (0.5, 1.0), (0.7, 0.6)];

/// Steps that are solved to the end, whatever it takes.
fn exact(alpha: f64, beta: f64) -> StepSettings<f64> {
    StepSettings {
        alpha,
        beta,
        gravity: Vec3::default(),
        solve: Settings { iterations: 10_000, tolerance: 1e-28, ..Settings::default() },
        ..StepSettings::default()
    }
}

fn heavy() -> StepSettings<f64> {
    StepSettings { gravity: Z * -G, ..exact(1.0, 1.0) }
}

fn ball(mass: f64, radius: f64) -> MassProperties<f64> {
    let i = 0.4 * mass * radius * radius;
    MassProperties { mass, inertia: Vec3::new(i, i, i) }
}

fn along_x(world: &Bench, id: BodyId) -> [f64; 2] {
    let body = world.body(id).unwrap();
    [body.pose().position.x, body.velocity().linear.x]
}

/// A mass with a spring and a damper, one step at a time (Tournier 2013, eq. 8 and 11).
#[derive(Clone, Copy)]
struct Oscillator {
    mass: f64,
    stiffness: f64,
    damping: f64,
    h: f64,
    alpha: f64,
    beta: f64,
}

impl Oscillator {
    /// `m (v' − v) = h ((1 − α) f + α f')`, `x' = x + h ((1 − β) v + β v')`, `f = −k x − d v`, solved for v' and x'.
    fn step(&self, [x, v]: [f64; 2]) -> [f64; 2] {
        let Self { mass: m, stiffness: k, damping: d, h, alpha: a, beta: b } = *self;
        let implicit = m + h * a * (d + h * b * k);
        let next = (m * v - h * (k * x + ((1.0 - a) * d + h * a * (1.0 - b) * k) * v)) / implicit;
        [x + h * ((1.0 - b) * v + b * next), next]
    }

    /// The two eigenvalues of a step are `r e^{±iφ}`: what is left of an amplitude, and the angle it turns by.
    fn eigenvalue(&self) -> (f64, f64) {
        let ([a, c], [b, d]) = (self.step([1.0, 0.0]), self.step([0.0, 1.0]));
        let (half_trace, determinant) = ((a + d) / 2.0, a * d - b * c);
        assert!(determinant > half_trace * half_trace, "does not swing");
        (determinant.sqrt(), (half_trace / determinant.sqrt()).acos())
    }
}

#[test]
fn a_spring_swings_and_decays_as_its_own_difference_equation_does() {
    for (alpha, beta) in RULES {
        for (damping, rayleigh) in [(0.0, 0.0), (3.0, 0.0), (0.0, 5e-3), (1.0, 2e-3)] {
            let (mass, stiffness, h, start) = (2.0, 800.0, 2e-3, 0.05);
            let mut world = Bench::new();
            let cart = Motion::Dynamic(ball(mass, 0.1));
            let cart = world.add_body(Body::new(cart, Pose::at(X * start)).unwrap()).unwrap();
            // z of the joint along x of the world
            let rail = Joint::frame(Vec3::default(), X).unwrap();
            let on_cart = Pose { position: Vec3::default(), orientation: rail.orientation };
            let spring = Spring::new(stiffness, damping, 0.0).unwrap();
            let joint = Joint::prismatic(on_cart, rail).unwrap().with_spring(Coordinate::Slide, spring).unwrap();
            world.add_joint(cart, None, joint).unwrap();
            let settings = StepSettings { stiffness_damping: rayleigh, ..exact(alpha, beta) };
            let damping = damping + rayleigh * stiffness;
            let model = Oscillator { mass, stiffness, damping, h, alpha, beta };

            let mut due = [start, 0.0];
            let (r, phi) = model.eigenvalue();
            let mut crossings = Vec::new();
            for step in 0..1000 {
                let _ = world.step(h, &settings).unwrap();
                due = model.step(due);
                let ours = along_x(&world, cart);
                // 1000 sums of numbers of up to 1 m/s
                for (ours, due) in ours.into_iter().zip(due) {
                    assert!(
                        (ours - due).abs() < 1e-12,
                        "α {alpha} β {beta} d {damping} step {step}: {ours}, not {due}"
                    );
                }
                crossings.push(ours[0]);
            }
            // so frequency and decay are those of the eigenvalue, and near to those of the continuous spring
            let omega = (stiffness / mass - (damping / (2.0 * mass)).powi(2)).sqrt();
            let decay = damping / (2.0 * mass);
            let turns = crossings.windows(2).filter(|w| w[0] > 0.0 && w[1] <= 0.0).count();
            assert!((turns as f64 - 1000.0 * phi / std::f64::consts::TAU).abs() <= 1.0, "{turns} turns");
            // ln λ/h = s + O(s² h), s = −δ ± iω, with ωh = 0.04: rates are off by ω² h/2, angles by δ h; at the midpoint by s³ h² alone
            let natural = (stiffness / mass).sqrt();
            let first_order = if (alpha, beta) == (0.5, 0.5) { 0.0 } else { 1.0 };
            let second = (natural * h).powi(2);
            let slower = -r.ln() / h - decay;
            assert!(
                slower.abs() <= first_order * natural * natural * h + second * decay + 1e-12,
                "α {alpha} β {beta}: {slower}"
            );
            let faster = phi / h / omega - 1.0;
            assert!(faster.abs() <= first_order * decay * h + second / 2.0, "α {alpha} β {beta} d {damping}: {faster}");
            if damping == 0.0 && alpha == 0.5 && beta == 0.5 {
                assert!((r - 1.0).abs() < 1e-15, "keeps its amplitude");
                assert!((phi - 2.0 * (natural * h / 2.0).atan()).abs() < 1e-14);
            }
            if damping == 0.0 && alpha == 1.0 && beta == 1.0 {
                assert!((r - 1.0 / (1.0 + (natural * h).powi(2)).sqrt()).abs() < 1e-15, "damps what it cannot resolve");
            }
        }
    }
}

#[test]
fn a_compliant_contact_gives_way_and_throws_back_as_its_own_difference_equation_does() {
    for (alpha, beta) in RULES {
        for (damping, rayleigh) in [(0.0, 0.0), (8.0, 0.0), (0.0, 1e-3)] {
            let (mass, stiffness, h, radius, speed) = (2.0, 800.0, 2e-3, 0.1, 1.0);
            let mut world = Bench::new();
            let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
            // a pair has the sum of compliances, and the larger damper
            let soft = |share: f64| Material { compliance: share / stiffness, damping, ..Material::default() };
            world.add_collider(floor, Collider { material: soft(0.25), ..Collider::new(Shape::HalfSpace) }).unwrap();
            let body = Motion::Dynamic(ball(mass, radius));
            let start = -1e-9;
            let body = world.add_body(Body::new(body, Pose::at(Z * (radius + start))).unwrap()).unwrap();
            let collider = Collider { material: soft(0.75), ..Collider::new(Shape::Sphere { radius }) };
            world.add_collider(body, collider).unwrap();
            world.body_mut(body).unwrap().set_velocity(Vec6::new(Z * -speed, Vec3::default())).unwrap();
            let settings = StepSettings { stiffness_damping: rayleigh, ..exact(alpha, beta) };

            let model = |damping| Oscillator { mass, stiffness, damping, h, alpha, beta };
            let (with, without) = (model(damping + rayleigh * stiffness), model(rayleigh * stiffness));
            let mut due = [start, -speed];
            let mut touching = 0;
            for step in 0..200 {
                let _ = world.step(h, &settings).unwrap();
                // apart where it is measured it is not damped, and never pulled
                let [x, v] = due;
                let next = if x + (1.0 - beta) * h * v > 0.0 { without } else { with }.step(due);
                let pushed = next[1] > v;
                due = if pushed { next } else { [x + h * v, v] };
                touching += u32::from(pushed);
                let now = world.body(body).unwrap();
                let ours = [now.pose().position.z - radius, now.velocity().linear.z];
                for (ours, due) in ours.into_iter().zip(due) {
                    assert!(
                        (ours - due).abs() < 1e-12,
                        "α {alpha} β {beta} d {damping} step {step}: {ours}, not {due}"
                    );
                }
            }
            let omega = (stiffness / mass).sqrt();
            if damping == 0.0 && rayleigh == 0.0 {
                // half a swing, and off again as fast as it came: to what a half-swing loses
                let half_swing = std::f64::consts::PI / omega;
                assert!(
                    (f64::from(touching) * h - half_swing).abs() < 2.0 * h + half_swing * omega * h,
                    "{touching} steps"
                );
                let lost = if (alpha, beta) == (0.5, 0.5) { (omega * h).powi(2) } else { 2.0 * omega * h };
                assert!((due[1] - speed).abs() < speed * lost, "α {alpha} β {beta}: off at {}", due[1]);
            } else {
                assert!(due[1] > 0.0 && due[1] < speed);
            }
        }
    }
}

#[test]
fn a_compliant_floor_bears_the_weight_where_the_spring_says() {
    let (mass, compliance, radius) = (2.0, 1e-4, 0.1);
    let mut world = Bench::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    let soft = Material { compliance, damping: 200.0, ..Material::default() };
    world.add_collider(floor, Collider { material: soft, ..Collider::new(Shape::HalfSpace) }).unwrap();
    let body = Body::new(Motion::Dynamic(ball(mass, radius)), Pose::at(Z * radius)).unwrap();
    let body = world.add_body(body).unwrap();
    world.add_collider(body, Collider::new(Shape::Sphere { radius })).unwrap();
    for _ in 0..2000 {
        let _ = world.step(1e-3, &heavy()).unwrap();
    }
    // m g C; 2 s are 50 times as long as it swings on
    let sunk = radius - world.body(body).unwrap().pose().position.z;
    assert!((sunk - mass * G * compliance).abs() < 1e-9, "{sunk}");
    assert!((world.contact_force(floor).unwrap().z + mass * G).abs() < 1e-6);
}

#[test]
fn mass_damping_is_its_own_difference_equation_too() {
    for (alpha, _) in RULES {
        let (a, h, g) = (3.0, 0.01, 9.81);
        let mut world = Bench::new();
        let body = world.add_body(Body::new(Motion::Dynamic(ball(2.0, 0.1)), Pose::IDENTITY).unwrap()).unwrap();
        let spin = Vec3::new(1.0, -2.0, 5.0);
        world.body_mut(body).unwrap().set_velocity(Vec6::new(X * 4.0, spin)).unwrap();
        let settings = StepSettings { mass_damping: a, gravity: Z * -g, ..exact(alpha, 1.0) };
        let (kept, damped) = (1.0 - h * (1.0 - alpha) * a, 1.0 + h * alpha * a);
        let mut due = [4.0, 0.0, 1.0];
        for step in 0..400 {
            let _ = world.step(h, &settings).unwrap();
            // (1 + hαa) v' = (1 − h(1 − α)a) v + h g
            due = [due[0] * kept / damped, (due[1] * kept - h * g) / damped, due[2] * kept / damped];
            let v = world.body(body).unwrap().velocity();
            for (ours, due) in [(v.linear.x, due[0]), (v.linear.z, due[1]), (v.angular.x, due[2])] {
                assert!((ours - due).abs() < 1e-13, "α {alpha} step {step}: {ours}, not {due}");
            }
            assert!((v.angular.z - 5.0 * v.angular.x).abs() < 1e-13);
        }
        // e^{−a t}, and the fall that damping allows
        assert!((due[0] - 4.0 * (-a * 4.0_f64).exp()).abs() < 4.0 * a * h * a * 4.0 * (-a * 4.0_f64).exp());
        assert!((due[1] + g / a).abs() < g / a * 1e-4, "{}", due[1]);
    }
}

/// Headings of the plane, in degrees from x.
const HEADINGS: [f64; 6] = [0.0, 22.5, 45.0, 70.0, 90.0, -135.0];

/// The unit vector of a heading, and the one to its left.
fn heading(degrees: f64) -> (Vec3<f64>, Vec3<f64>) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    (X * cos + Y * sin, Y * cos - X * sin)
}

/// A ball of 1 kg on a slope that rises by `angle` along a heading, with rolling and spinning friction.
fn rolling_ball(angle: f64, along: f64, radius: f64, rolling: f64, spinning: f64) -> (Bench, BodyId, Quat<f64>) {
    let mut world = Bench::new();
    let axis = heading(along).1 * -(angle / 2.0).sin();
    let tilt = Quat::new((angle / 2.0).cos(), axis.x, axis.y, axis.z).unwrap();
    let ground = Body::new(Motion::Fixed, Pose { position: Vec3::default(), orientation: tilt }).unwrap();
    let ground = world.add_body(ground).unwrap();
    let felt =
        Material { friction: 0.8, rolling_friction: rolling, spinning_friction: spinning, ..Material::default() };
    world.add_collider(ground, Collider { material: felt, ..Collider::new(Shape::HalfSpace) }).unwrap();
    let body = Body::new(Motion::Dynamic(ball(1.0, radius)), Pose::at(tilt.turn(Z * radius))).unwrap();
    let body = world.add_body(body).unwrap();
    // a pair has the larger: the ball's own are zero
    let smooth = Material { friction: 0.8, ..Material::default() };
    world.add_collider(body, Collider { material: smooth, ..Collider::new(Shape::Sphere { radius }) }).unwrap();
    (world, body, tilt)
}

#[test]
fn rolling_friction_slows_a_ball_and_holds_it_on_a_slope() {
    let (radius, rho, v0, h) = (0.05, 1e-3, 0.3, 1e-3);
    // m v' = −f, I ω' = f R − ρ m g, v = ω R: v' = −g (ρ/R)/(1 + 2/5)
    let rate = G * rho / radius / 1.4;
    let (mut world, body, _) = rolling_ball(0.0, 0.0, radius, rho, 0.0);
    world.body_mut(body).unwrap().set_velocity(Vec6::new(X * v0, Y * (v0 / radius))).unwrap();
    let mut rolled_for = 0;
    for step in 1..=3000 {
        let _ = world.step(h, &heavy()).unwrap();
        let v = world.body(body).unwrap().velocity();
        let due = (v0 - rate * h * f64::from(step)).max(0.0);
        // constant deceleration is exact; the solve stops at 1e-28 J, 1.4e-14 m/s a step
        assert!((v.linear.x - due).abs() < 1e-10, "step {step}: {}, not {due}", v.linear.x);
        assert!((v.linear.x - v.angular.y * radius).abs() < 1e-10, "slips");
        rolled_for += u32::from(v.linear.x > 1e-10);
    }
    assert!((f64::from(rolled_for) * h - v0 / rate).abs() <= h);

    // on a slope it stays below atan(ρ/R), and rolls at g (sin θ − ρ/R cos θ)/(1 + 2/5) above
    let threshold = (rho / radius).atan();
    for (by, along) in [-0.01_f64, 0.01, 1.0].into_iter().flat_map(|by| HEADINGS.map(|along| (by, along))) {
        let angle = threshold + by.to_radians();
        let (mut world, body, tilt) = rolling_ball(angle, along, radius, rho, 0.0);
        for _ in 0..500 {
            let _ = world.step(h, &heavy()).unwrap();
        }
        let (up, left) = heading(along);
        let v = world.body(body).unwrap().velocity().linear;
        let due = (G * (angle.sin() - rho / radius * angle.cos()) / 1.4).max(0.0) * 0.5;
        let speed = -v.dot(tilt.turn(up));
        assert!((speed - due).abs() < 1e-10, "{by}° along {along}°: {speed}, not {due}");
        assert!(v.dot(tilt.turn(left)).abs() < 1e-10, "{by}° along {along}°: leaves the slope's line by {v:?}");
    }
}

/// The tangents of a floor are x and y: rolling friction must not know them.
#[test]
fn rolling_friction_is_the_same_in_every_direction() {
    let (radius, rho, sigma, v0, w0, h) = (0.05, 1e-3, 2e-4, 0.3, 10.0, 1e-3);
    // as above; and I ω_n' = −σ m g, for which rolling makes no difference, nor the other way round
    let (rate, spin_rate) = (G * rho / radius / 1.4, sigma * G / (0.4 * radius * radius));
    for (along, spin) in HEADINGS.into_iter().flat_map(|along| [(along, 0.0), (along, w0)]) {
        let (ahead, left) = heading(along);
        let (mut world, body, _) = rolling_ball(0.0, 0.0, radius, rho, sigma);
        let v = Vec6::new(ahead * v0, left * (v0 / radius) + Z * spin);
        world.body_mut(body).unwrap().set_velocity(v).unwrap();
        let mut due_at = 0.0;
        for step in 1..=2500 {
            let _ = world.step(h, &heavy()).unwrap();
            let after = h * f64::from(step);
            let (due, spins) = ((v0 - rate * after).max(0.0), (spin - spin_rate * after).max(0.0));
            due_at += h * due;
            let (v, at) = (world.body(body).unwrap().velocity(), world.body(body).unwrap().pose().position);
            // constant deceleration is exact. The solve stops at 1e-28 J: √(2 δe/m) = 1.4e-14 m/s and R √(2 δe/I) = 2.2e-14 m/s a step,
            // and while it rolls (2140 steps) they may add up
            let miss = v.linear - ahead * due;
            assert!(miss.dot(miss).sqrt() < 1e-10, "{along}° step {step}: {:?}, not {due} ahead", v.linear);
            let miss = v.angular - left * (due / radius) - Z * spins;
            assert!(miss.dot(miss).sqrt() * radius < 1e-10, "{along}° step {step}: {:?}", v.angular);
            // its way is that of the due velocities: 1e-10 m/s for as long
            assert!((at - Z * radius - ahead * due_at).dot(left).abs() < 1e-10 * after, "{along}° step {step}: turns");
            assert!((at.dot(ahead) - due_at).abs() < 1e-10 * after, "{along}° step {step}: {at:?}, not {due_at}");
        }
    }
}

#[test]
fn spinning_friction_slows_a_top() {
    let (radius, sigma, w0, h) = (0.05, 2e-4, 10.0, 1e-3);
    let (mut world, body, _) = rolling_ball(0.0, 0.0, radius, 0.0, sigma);
    world.body_mut(body).unwrap().set_velocity(Vec6::new(Vec3::default(), Z * w0)).unwrap();
    // I ω' = −σ m g
    let rate = sigma * G / (0.4 * radius * radius);
    let mut spun_for = 0;
    for step in 1..=6000 {
        let _ = world.step(h, &heavy()).unwrap();
        let v = world.body(body).unwrap().velocity();
        let due = (w0 - rate * h * f64::from(step)).max(0.0);
        assert!((v.angular.z - due).abs() < 1e-9, "step {step}: {}, not {due}", v.angular.z);
        assert!(v.linear.dot(v.linear).sqrt() < 1e-10, "walks");
        spun_for += u32::from(v.angular.z > 1e-9);
    }
    assert!((f64::from(spun_for) * h - w0 / rate).abs() <= h);
}

#[test]
fn sub_steps_are_steps_bit_for_bit_and_a_force_lasts_all_of_them() {
    let build = || {
        let (mut world, rolls, _) = rolling_ball(0.1, 0.0, 0.05, 1e-3, 1e-4);
        let rod = MassProperties { mass: 0.5, inertia: Vec3::new(1e-3, 2e-3, 1.5e-3) };
        let rod = world.add_body(Body::new(Motion::Dynamic(rod), Pose::at(X * 0.4 + Z * 0.3)).unwrap()).unwrap();
        let shape = Shape::Box { half: Vec3::new(0.05, 0.03, 0.02) };
        world.add_collider(rod, Collider::new(shape)).unwrap();
        let held = Joint::ball(Vec3::new(-0.1, 0.0, 0.0), X * 0.3 + Z * 0.3).unwrap();
        world.add_joint(rod, None, held).unwrap();
        (world, [rolls, rod])
    };
    for (substeps, beta) in [(1, 1.0), (4, 1.0), (7, 1.0), (4, 0.5)] {
        let h: f64 = 4e-3;
        let part = h / f64::from(substeps);
        let one = StepSettings { gravity: Z * -G, beta, ..StepSettings::default() };
        let many = StepSettings { substeps, ..one };
        let ((mut coarse, ids), (mut fine, _)) = (build(), build());
        for step in 0..100 {
            let force = Vec6::new(Vec3::new(0.1, 0.2, 0.3), Vec3::new(1e-3, 0.0, 2e-3)) * f64::from(step % 3);
            ids.iter().for_each(|id| coarse.body_mut(*id).unwrap().add_force(force).unwrap());
            let report = coarse.step(h, &many).unwrap();
            let mut sweeps = 0;
            for _ in 0..substeps {
                ids.iter().for_each(|id| fine.body_mut(*id).unwrap().add_force(force).unwrap());
                sweeps += fine.step(part, &one).unwrap().solve.iterations;
            }
            assert_eq!(report.solve.iterations, sweeps);
            assert_eq!(coarse.state_hash(), fine.state_hash(), "{substeps} sub-steps, step {step}");
        }
    }
}

/// Balls in a row with this gap; velocities after `steps`, the first having hit the second with 1 m/s.
fn cradle(n: usize, gap: f64, restitution: f64, steps: u32) -> Vec<f64> {
    let radius = 0.02;
    let mut world = Bench::new();
    let material = Material { restitution, ..Material::default() };
    let balls: Vec<BodyId> = (0..n)
        .map(|k| {
            let at = Pose::at(X * ((2.0 * radius + gap) * k as f64));
            let id = world.add_body(Body::new(Motion::Dynamic(ball(1.0, radius)), at).unwrap()).unwrap();
            world.add_collider(id, Collider { material, ..Collider::new(Shape::Sphere { radius }) }).unwrap();
            id
        })
        .collect();
    world.body_mut(balls[0]).unwrap().set_velocity(Vec6::new(X, Vec3::default())).unwrap();
    for _ in 0..steps {
        let _ = world.step(1e-4, &exact(1.0, 1.0)).unwrap();
    }
    balls.iter().map(|id| along_x(&world, *id)[1]).collect()
}

#[test]
fn newtons_cradle() {
    let close = |ours: &[f64], due: &[f64], tolerance: f64| {
        let near = ours.iter().zip(due).all(|(ours, due)| (ours - due).abs() < tolerance);
        assert!(near && ours.len() == due.len(), "{ours:?}, not {due:?}");
    };
    // touching beyond doubt: all at once, and what Newton's law on all contacts together gives: v₁ = 2/n − 1, the others 2/n. Mending 1e-13 m
    // in a step of 0.1 ms moves them at 2e-10 m/s
    close(&cradle(5, -1e-13, 1.0, 1), &[-0.6, 0.4, 0.4, 0.4, 0.4], 1e-9);
    close(&cradle(5, -1e-13, 0.0, 1), &[0.2; 5], 1e-9);
    // apart: one after the other, as in the toy; a hit takes place within the step in which the balls meet
    close(&cradle(5, 1e-3, 1.0, 100), &[0.0, 0.0, 0.0, 0.0, 1.0], 1e-12);
    // half-way: ε = ½ halves each ball's loss: v ((1 − ε)/2, (1 + ε)/2)
    close(&cradle(2, 1e-3, 0.5, 100), &[0.25, 0.75], 1e-12);
    // plastic: they end together, whatever the order
    close(&cradle(5, 1e-3, 0.0, 400), &[0.2; 5], 1e-9);
}
