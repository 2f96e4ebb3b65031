//! Every case of `analytic.json`: mechanics of the textbooks, with inputs and expected values from the file.
//!
//! Where acceleration is constant the scheme is exact but for rounding; elsewhere an event is known to the step in which it happens. Tolerances
//! follow from that, said at the place.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support {
    pub(crate) mod bench;
    pub(crate) mod recorded;
}

use serde_json::Value;
use support::bench::{
    Bench, G, Shaker, X, Y, Z, about, add, add_incline, ball, exact, point_mass, position, rubbing, run, solved,
    velocity,
};
use support::recorded::{read, recorded};
use tumble::FrictionModel;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Material, StepSettings};

/// A solve stops at 1e-24 J: bodies of 1 kg are then known to √2e-24 = 1.4e-12 m/s, and a thousand steps add up to no more than this. m/s
const SOLVED: f64 = 2e-9;

/// One case of the file.
struct Case<'a> {
    id: &'a str,
    inputs: &'a Value,
    expected: &'a Value,
}

impl Case<'_> {
    fn input(&self, name: &str) -> f64 {
        self.inputs[name].as_f64().unwrap_or_else(|| panic!("{} has no input {name}", self.id))
    }

    fn number(&self, name: &str) -> f64 {
        self.expected[name].as_f64().unwrap_or_else(|| panic!("{} expects no {name}", self.id))
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        let list = self.expected[name].as_array().unwrap_or_else(|| panic!("{} expects no {name}", self.id));
        list.iter().map(|x| x.as_f64().unwrap()).collect()
    }

    fn flag(&self, name: &str) -> bool {
        self.expected[name].as_bool().unwrap_or_else(|| panic!("{} expects no {name}", self.id))
    }

    fn close(&self, what: &str, ours: f64, expected: f64, tolerance: f64) {
        println!("{:24} {what}: {ours:.9} ({expected:.9}, ± {tolerance:.1e})", self.id);
        assert!((ours - expected).abs() <= tolerance, "{} {what}: {ours}, not {expected} ± {tolerance:e}", self.id);
    }
}

#[test]
fn every_case_of_the_textbooks() {
    let Some(path) = recorded("analytic.json") else { return };
    let file: Value = serde_json::from_str(&read(&path)).unwrap();
    let cases = file.as_array().unwrap();
    for case in cases {
        let case = Case { id: case["id"].as_str().unwrap(), inputs: &case["inputs"], expected: &case["expected"] };
        let check = match case.id {
            "incline_block_15" | "incline_block_20" | "incline_block_16.6" | "incline_block_16.8" => incline_block,
            "roll_solid_sphere_20" | "roll_solid_sphere_40" | "roll_hollow_sphere_20" | "roll_hollow_sphere_40" => {
                roll_sphere
            }
            "roll_solid_cylinder_20" | "roll_solid_cylinder_40" | "roll_ring_20" | "roll_ring_40" => roll_cylinder,
            "bowling_ball" => bowling_ball,
            "bouncing_ball" => bouncing_ball,
            "cradle3_newton_e1" => |case: &Case<'_>| cradle(case, 3, 1.0),
            "cradle3_e0" => |case: &Case<'_>| cradle(case, 3, 0.0),
            "cradle_n_e0" => |case: &Case<'_>| cradle(case, case.input("n") as usize, 0.0),
            "belt" | "belt_incline" => belt,
            "tip_or_slide" => tip_or_slide,
            "ladder" => ladder,
            "painleve_rod" => painleve_rod,
            "pendulum_10" | "pendulum_90" | "pendulum_150" => pendulum,
            "slider_crank" => slider_crank,
            "ccp_lift" => ccp_lift,
            "sphere_vgroove" => sphere_in_groove,
            "disk_stack" => stack,
            "boothroyd_thresholds" => boothroyd,
            "vdi2333_n0.2" | "vdi2333_n0.4" | "vdi2333_n0.6" | "vdi2333_n0.8" | "vdi2333_n1.0" => vdi2333,
            other => panic!("{other} is new: nothing checks it"),
        };
        check(&case);
    }
    assert_eq!(cases.len(), 35);
}

/// Speed down the slope after half a second.
fn speed_of_block(angle: f64, half: Vec3<f64>, mu: f64) -> f64 {
    let mut world = Bench::new();
    let (_, tilt) = add_incline(&mut world, Motion::Fixed, angle, mu);
    let shape = Shape::Box { half };
    let start = Pose { position: tilt.turn(Z * half.z), orientation: tilt };
    let properties = shape.mass_properties(1.0 / (8.0 * half.x * half.y * half.z)).unwrap();
    let block = add(&mut world, shape, properties, start, mu);
    run(&mut world, 500, 1e-3);
    -velocity(&world, block).linear.dot(tilt.turn(X))
}

fn incline_block(case: &Case<'_>) {
    let (theta, mu, half) = (case.input("theta_deg"), case.input("mu"), Vec3::new(0.02, 0.02, 0.01));
    let rate = speed_of_block(theta.to_radians(), half, mu) / 0.5;
    case.close("acceleration", rate, case.number("accel"), SOLVED);
    assert_eq!(case.flag("sticks"), rate.abs() < 1e-6);
    // a hundredth of a degree on either side
    let threshold = case.number("threshold_deg");
    for degrees in [threshold - 0.01, threshold + 0.01] {
        let angle = degrees.to_radians();
        let due = G * (angle.sin() - mu * angle.cos());
        let rate = speed_of_block(angle, half, mu) / 0.5;
        case.close(&format!("at {degrees:.3}°"), rate, if due > 0.0 { due } else { 0.0 }, SOLVED);
    }
}

fn roll_sphere(case: &Case<'_>) {
    let radius = case.input("R");
    roll(case, Shape::Sphere { radius }, Quat::IDENTITY);
}

fn roll_cylinder(case: &Case<'_>) {
    let radius = case.input("R");
    // z of the cylinder across the slope
    roll(case, Shape::Cylinder { radius, half_length: 0.03 }, about(X, std::f64::consts::FRAC_PI_2));
}

fn roll(case: &Case<'_>, shape: Shape<f64>, lying: Quat<f64>) {
    let (k, mu, radius) = (case.input("k"), case.input("mu"), case.input("R"));
    let mut world = Bench::new();
    let (_, tilt) = add_incline(&mut world, Motion::Fixed, case.input("theta_deg").to_radians(), mu);
    let start = Pose { position: tilt.turn(Z * radius), orientation: tilt * lying };
    let body = add(&mut world, shape, ball(k, radius), start, mu);
    let (h, n) = (1e-3, 500_u32);
    run(&mut world, n, h);
    let t = h * f64::from(n);
    let Vec6 { linear, angular } = velocity(&world, body);
    let (speed, spin) = (-linear.dot(tilt.turn(X)), -angular.dot(Y));
    case.close("acceleration", speed / t, case.number("accel"), SOLVED);
    if case.flag("rolls") {
        assert!(mu > case.number("mu_min"));
        case.close("slip", speed - spin * radius, 0.0, SOLVED);
    } else {
        assert!(mu < case.number("mu_min"));
        case.close("spin", spin / t, case.number("alpha"), SOLVED / radius);
    }
}

fn bowling_ball(case: &Case<'_>) {
    let (v0, mu, radius) = (case.input("v0"), case.input("mu"), case.input("R"));
    let mut world = Bench::new();
    let _ = add_incline(&mut world, Motion::Fixed, 0.0, mu);
    let shape = Shape::Sphere { radius };
    let bowl = add(&mut world, shape, ball(0.4, radius), Pose::at(Z * radius), mu);
    world.body_mut(bowl).unwrap().set_velocity(Vec6::new(X * v0, Vec3::default())).unwrap();
    let (start, h) = (world.kinetic_energy(), 1e-4);
    let mut rolls = None;
    for step in 1..=6000 {
        run(&mut world, 1, h);
        let v = velocity(&world, bowl);
        if rolls.is_none() && (v.linear.x - v.angular.y * radius).abs() < 1e-9 {
            rolls = Some((h * f64::from(step), position(&world, bowl).x));
        }
    }
    let (t, x) = rolls.unwrap();
    // known to the step in which it happens; x is a sum of v h, off by half a step's change of v as well
    case.close("t_roll", t, case.number("t_roll"), h);
    case.close("x_roll", x, case.number("x_roll"), v0 * h);
    case.close("v", velocity(&world, bowl).linear.x, case.number("v_final"), SOLVED);
    case.close("spin", velocity(&world, bowl).angular.y, case.number("omega_final"), SOLVED / radius);
    let lost = 1.0 - world.kinetic_energy() / start;
    case.close("energy lost", lost, case.number("energy_loss_fraction"), SOLVED);
}

fn bouncing_ball(case: &Case<'_>) {
    let (height, e, radius) = (case.input("h"), case.input("e"), 0.05);
    let mut world = Bench::new();
    let _ = add_incline(&mut world, Motion::Fixed, 0.0, 0.5);
    let shape = Shape::Sphere { radius };
    let start = Pose::at(Z * (height + radius));
    let body = world.add_body(Body::new(Motion::Dynamic(ball(0.4, radius)), start).unwrap()).unwrap();
    let material = Material { restitution: e, ..Material::default() };
    world.add_collider(body, Collider { material, ..Collider::new(shape) }).unwrap();

    // the midpoint rule follows the parabola exactly
    let (h, threshold) = (1e-5, 1e-3);
    let settings = StepSettings { beta: 0.5, bounce_threshold: threshold, ..exact() };
    let (mut impacts, mut peaks, mut moving) = (Vec::new(), Vec::new(), 0.0);
    let mut before = 0.0;
    for step in 1..=420_000 {
        let _ = solved(world.step(h, &settings).unwrap());
        let (t, v) = (h * f64::from(step), velocity(&world, body).linear.z);
        if before < 0.0 && v > 0.0 {
            impacts.push(t);
        }
        if before > 0.0 && v <= 0.0 {
            peaks.push(position(&world, body).z - radius);
        }
        if v.abs() > threshold {
            moving = t;
        }
        before = v;
    }
    // an impact comes within a step of its time; v at it is off by g h, so the flight after it by 2h, and heights by v h
    let fall = (2.0 * G * height).sqrt();
    for (n, (ours, due)) in (1..).zip(impacts.iter().zip(case.numbers("impact_times"))) {
        case.close(&format!("impact {n}"), *ours, due, f64::from(3 * n) * h);
    }
    for (n, (ours, due)) in (1..).zip(peaks.iter().zip(case.numbers("heights"))) {
        case.close(&format!("height {n}"), *ours, due, f64::from(n) * 2.0 * fall * h);
    }
    case.close("first impact", impacts[0], case.number("first_impact"), h);
    // slower than the threshold it does not bounce: that takes 2 v/g (1 + e + e² + …) off its time; 40 bounces before it
    let cut = 2.0 * threshold / G / (1.0 - e);
    assert!(impacts.len() > 20 && impacts.len() < 50, "{}", impacts.len());
    case.close("t_rest", moving, case.number("t_rest") - cut, cut + 3.0 * h * impacts.len() as f64);
}

fn cradle(case: &Case<'_>, n: usize, restitution: f64) {
    let (v, radius) = (case.input("v"), 0.02);
    let after = swing(n, restitution, v, radius);
    for (k, (ours, due)) in after.iter().zip(case.numbers("v_after")).enumerate() {
        case.close(&format!("ball {}", k + 1), *ours, due, SOLVED);
    }
    assert_eq!(after.len(), case.numbers("v_after").len());
}

/// Velocities of balls in a row that touch, after the first hits the second.
fn swing(n: usize, restitution: f64, v: f64, radius: f64) -> Vec<f64> {
    let mut world = Bench::new();
    let material = Material { restitution, ..Material::default() };
    let balls: Vec<BodyId> = (0..n)
        .map(|k| {
            // they touch beyond doubt: what is mended of 1e-13 m in a step, 2e-11 m/s, is less than what a solve leaves
            let at = Pose::at(X * ((2.0 * radius - 1e-13) * k as f64));
            let id = world.add_body(Body::new(Motion::Dynamic(ball(0.4, radius)), at).unwrap()).unwrap();
            world.add_collider(id, Collider { material, ..Collider::new(Shape::Sphere { radius }) }).unwrap();
            id
        })
        .collect();
    world.body_mut(balls[0]).unwrap().set_velocity(Vec6::new(X * v, Vec3::default())).unwrap();
    let settings = StepSettings { gravity: Vec3::default(), ..exact() };
    let _ = solved(world.step(1e-3, &settings).unwrap());
    balls.iter().map(|id| velocity(&world, *id).linear.x).collect()
}

fn belt(case: &Case<'_>) {
    let (speed, mu, radius, h) = (case.input("V"), case.input("mu"), 0.01, 1e-5);
    let angle = if case.id == "belt" { 0.0 } else { case.input("theta_deg").to_radians() };
    let mut world = Bench::new();
    let tilt = about(Y, -angle);
    let frame = Body::new(Motion::Fixed, Pose { position: Vec3::default(), orientation: tilt }).unwrap();
    let frame = world.add_body(frame).unwrap();
    let surface_velocity = X * speed;
    let collider = Collider { material: rubbing(mu), surface_velocity, ..Collider::new(Shape::HalfSpace) };
    world.add_collider(frame, collider).unwrap();
    let part = add(&mut world, Shape::Sphere { radius }, point_mass(), Pose::at(tilt.turn(Z * radius)), mu);
    let mut sticks = None;
    for step in 1..=30_000 {
        run(&mut world, 1, h);
        if sticks.is_none() && (velocity(&world, part).linear.dot(tilt.turn(X)) - speed).abs() < 1e-9 {
            sticks = Some((h * f64::from(step), position(&world, part).dot(tilt.turn(X))));
        }
    }
    let (t, x) = sticks.unwrap();
    // known to the step; x is a sum of v h: ahead by half a step's travel at the end, and known to one more
    case.close("t_slip", t, case.number("t_slip"), h);
    case.close("x_part", x, case.number("x_part"), 1.5 * speed * h);
    if case.id == "belt" {
        case.close("slip_distance", speed * t - x, case.number("slip_distance"), 1.5 * speed * h);
    } else {
        assert!(case.flag("carried"));
    }
    case.close("carried at", velocity(&world, part).linear.dot(tilt.turn(X)), speed, SOLVED);
}

/// How far a block on a slope turned, and how far its lower edge slid, within a second.
fn lean(angle: f64, half: Vec3<f64>, mu: f64) -> (f64, f64) {
    let mut world = Bench::new();
    let (_, tilt) = add_incline(&mut world, Motion::Fixed, angle, mu);
    let shape = Shape::Box { half };
    let start = Pose { position: tilt.turn(Z * half.z), orientation: tilt };
    let block = add(&mut world, shape, shape.mass_properties(1000.0).unwrap(), start, mu);
    let lower_edge = Vec3::new(-half.x, 0.0, -half.z);
    let (mut turned, mut slid) = (0.0, 0.0);
    for _ in 0..1000 {
        run(&mut world, 1, 1e-3);
        let pose = world.body(block).unwrap().pose();
        turned = pose.orientation.turn(Z).dot(tilt.turn(Z)).min(1.0).acos();
        slid = (pose.point(lower_edge) - start.point(lower_edge)).dot(tilt.turn(X)).abs();
        if turned > 0.1 {
            break;
        }
    }
    (turned, slid)
}

fn tip_or_slide(case: &Case<'_>) {
    let (b, h, mu) = (case.input("b"), case.input("h"), case.input("mu"));
    let half = Vec3::new(b / 2.0, b / 2.0, h / 2.0);
    let (tips, slides) = (case.number("tips_at_deg").to_radians(), case.number("slides_at_deg").to_radians());
    let by = 0.05_f64.to_radians();
    let (turned, slid) = lean(tips - by, half, mu);
    println!("{:24} stands: {turned:.1e} rad, {slid:.1e} m", case.id);
    assert!(turned < 1e-6 && slid < 1e-7);
    // what tips at √(g r/I) = 17/s grows from 1e-3 rad past 0.1 rad within the second; its edge stays where it is
    let (turned, slid) = lean(tips + by, half, mu);
    println!("{:24} tips: {turned:.1e} rad, {slid:.1e} m", case.id);
    assert!(turned > 0.1 && slid < 1e-5);
    assert_eq!(case.expected["first"], "tips");
    // laid on its side it cannot tip before it slides
    let flat = Vec3::new(h / 2.0, b / 2.0, b / 2.0);
    let (turned, slid) = lean(slides - by, flat, mu);
    assert!(turned < 1e-6 && slid < 1e-7, "{turned} {slid}");
    let (turned, slid) = lean(slides + by, flat, mu);
    // a sum of v h is ahead of ½ a t² by h/t, a thousandth
    let due = 0.5 * G * (slides + by).sin() - 0.5 * G * mu * (slides + by).cos();
    assert!(turned < 1e-6 && (slid - due).abs() < 1.1e-3 * due, "{turned} {slid} {due}");
}

fn ladder(case: &Case<'_>) {
    let (mu, length, radius) = (case.input("mu"), 1.0, 1e-5);
    // how far the foot moves within half a second
    let slid = |angle: f64| {
        let mut world = Bench::new();
        let _ = add_incline(&mut world, Motion::Fixed, 0.0, mu);
        let wall = Pose { position: Vec3::default(), orientation: about(Y, std::f64::consts::FRAC_PI_2) };
        let wall = world.add_body(Body::new(Motion::Fixed, wall).unwrap()).unwrap();
        let smooth = Collider { material: rubbing(0.0), ..Collider::new(Shape::HalfSpace) };
        world.add_collider(wall, smooth).unwrap();
        // z of the rod upwards along it, its head against the wall at x = 0
        let middle = Vec3::new(length / 2.0 * angle.cos() + radius, 0.0, length / 2.0 * angle.sin() + radius);
        let lean = Pose { position: middle, orientation: about(Y, angle - std::f64::consts::FRAC_PI_2) };
        let i = length * length / 12.0;
        let rod = MassProperties { mass: 1.0, inertia: Vec3::new(i, i, i / 100.0) };
        let rod = add(&mut world, Shape::Capsule { radius, half_length: length / 2.0 }, rod, lean, mu);
        let foot = |world: &Bench| world.body(rod).unwrap().pose().point(Z * (-length / 2.0)).x;
        let start = foot(&world);
        run(&mut world, 500, 1e-3);
        foot(&world) - start
    };
    let least = case.number("min_angle_deg");
    // friction acts the radius below the rod's end: 1e-5 rad
    let [holds, slides] = [0.02, -0.02].map(|by| slid((least + by).to_radians()));
    println!("{:24} foot moves {holds:.1e} m above {least}°, {slides:.1e} m below", case.id);
    // 0.02° too little is 1.6e-4 of g: 1e-4 m in half a second
    assert!(holds.abs() < 1e-8 && slides > 2e-5);
}

fn painleve_rod(case: &Case<'_>) {
    // a thin rod of length 2l that slides along −x on its lower end, leaning back over the way it came from
    let (l, radius) = (0.5, 1e-6);
    let slide = |theta: f64, mu: f64, speed: f64| {
        let mut world = Bench::new();
        let _ = add_incline(&mut world, Motion::Fixed, 0.0, mu);
        let at = Vec3::new(l * theta.cos(), 0.0, l * theta.sin() + radius);
        let pose = Pose { position: at, orientation: about(Y, std::f64::consts::FRAC_PI_2 - theta) };
        let i = l * l / 3.0;
        let rod = MassProperties { mass: 1.0, inertia: Vec3::new(i, i, i) };
        let rod = add(&mut world, Shape::Capsule { radius, half_length: l }, rod, pose, mu);
        world.body_mut(rod).unwrap().set_velocity(Vec6::new(X * -speed, Vec3::default())).unwrap();
        (world, rod)
    };
    let (mu_c, theta_c) = (case.number("mu_critical"), case.number("theta_critical_deg").to_radians());
    let determinant = |theta: f64, mu: f64| 1.0 + 3.0 * theta.cos() * (theta.cos() - mu * theta.sin());
    case.close("determinant", determinant(theta_c, mu_c), 0.0, 1e-12);
    // while the determinant is positive the ground presses with m g/det, more and more
    for (mu, theta) in
        [(0.5, 60.0_f64), (1.0, 60.0), (0.9 * mu_c, theta_c.to_degrees()), (0.99 * mu_c, theta_c.to_degrees())]
    {
        let theta = theta.to_radians();
        let (mut world, rod) = slide(theta, mu, 1.0);
        // so short a step that friction does not stop it
        let _ = solved(world.step(1e-5, &exact()).unwrap());
        let force = world.contact_force(rod).unwrap();
        // the rod's end is round: its arm is longer by the radius, the determinant off by 3 (1 + μ) radius/l
        let (det, off) = (determinant(theta, mu), 3.0 * (1.0 + mu) * radius / l);
        case.close(&format!("μ {mu:.3}: N"), force.z, G / det, G / det * off / det);
        case.close(&format!("μ {mu:.3}: friction"), force.x, mu * force.z, 1e-9 * force.z);
    }
    // beyond it there is no solution with finite forces; a step has one with finite impulses: the end jams
    for (mu, speed) in [(1.5 * mu_c, 1.0), (1.5 * mu_c, 5.0), (3.0 * mu_c, 1.0)] {
        let (mut world, rod) = slide(theta_c, mu, speed);
        assert!(determinant(theta_c, mu) < 0.0);
        let mut energy = world.kinetic_energy() + G * position(&world, rod).z;
        for step in 0..200 {
            let report = world.step(1e-3, &StepSettings::default()).unwrap();
            let now = world.kinetic_energy() + G * position(&world, rod).z;
            let force = world.contact_force(rod).unwrap();
            assert!(now.is_finite() && report.bodies_halted == 0, "{report:?}");
            // inside the cone, pushing, and without a source of energy
            assert!(force.z >= 0.0 && force.x.hypot(force.y) <= mu * force.z * (1.0 + 1e-12), "{force:?}");
            assert!(now <= energy + 1e-6, "step {step}: {energy} → {now}");
            energy = now;
        }
    }
}

fn pendulum(case: &Case<'_>) {
    let (angle, length, g) = (case.input("theta0_deg").to_radians(), case.input("L"), case.input("g"));
    let mut world = Bench::new();
    let start = Vec3::new(angle.sin(), 0.0, -angle.cos()) * length;
    let bob = MassProperties { mass: 1.0, inertia: Vec3::new(1e-6, 1e-6, 1e-6) };
    let bob = world.add_body(Body::new(Motion::Dynamic(bob), Pose::at(start)).unwrap()).unwrap();
    world.add_joint(bob, None, Joint::distance(Vec3::default(), Vec3::default(), length).unwrap()).unwrap();
    let h = 1e-3;
    let settings = StepSettings { gravity: Z * -g, beta: 0.5, stabilisation: 1.0, ..exact() };
    let (mut crossings, mut before) = (Vec::new(), start.x);
    for step in 1..=8000 {
        let _ = solved(world.step(h, &settings).unwrap());
        let x = position(&world, bob).x;
        if before > 0.0 && x <= 0.0 {
            // where the line between the two steps crosses zero
            crossings.push(h * (f64::from(step) - x / (x - before)));
        }
        before = x;
    }
    // second order: the fastest rate, 2 sin(θ/2) √(g/L), times h squared, of a period
    let period = case.number("period");
    let rate = 2.0 * (angle / 2.0).sin() * (g / length).sqrt();
    let due = (rate * h).powi(2).max(g / length * h * h) * period;
    case.close("period", crossings[1] - crossings[0], period, due);
}

fn slider_crank(case: &Case<'_>) {
    let (r, l) = (case.input("r"), case.input("l"));
    let mut world = Bench::new();
    let rod = MassProperties { mass: 0.1, inertia: Vec3::new(1e-3, 1e-3, 1e-3) };
    let pin = |x: f64| Pose::at(X * x);
    // one degree in ten steps
    let (h, spin) = (1e-3, 0.1_f64.to_radians() / 1e-3);
    let crank = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    world.body_mut(crank).unwrap().set_velocity(Vec6::new(Vec3::default(), Z * spin)).unwrap();
    let link = world.add_body(Body::new(Motion::Dynamic(rod), pin(r + l / 2.0)).unwrap()).unwrap();
    let slider = world.add_body(Body::new(Motion::Dynamic(rod), pin(r + l)).unwrap()).unwrap();
    world.add_joint(link, Some(crank), Joint::revolute(pin(-l / 2.0), pin(r)).unwrap()).unwrap();
    world.add_joint(link, Some(slider), Joint::revolute(pin(l / 2.0), Pose::IDENTITY).unwrap()).unwrap();
    let rail = Joint::frame(Vec3::default(), X).unwrap();
    let on_slider = Pose { position: Vec3::default(), orientation: rail.orientation };
    world.add_joint(slider, None, Joint::prismatic(on_slider, rail).unwrap()).unwrap();
    let v = Vec6::new(Y * (spin * r / 2.0), Z * (-spin * r / l));
    world.body_mut(link).unwrap().set_velocity(v).unwrap();
    let expected = case.expected["x_at_deg"].as_object().unwrap();
    let settings = StepSettings { gravity: Vec3::default(), stabilisation: 1.0, ..exact() };
    // a joint that is mended whole lags by what a step's turn bends the path, r (ω h)²; its rate by r ω · ω h
    let (lag, late) = (r * (spin * h).powi(2), r * spin * spin * h);
    for degree in 0..=180 {
        let x = position(&world, slider).x;
        if let Some(due) = expected.get(&degree.to_string()) {
            case.close(&format!("x at {degree}°"), x, due.as_f64().unwrap(), lag);
        }
        let phi = f64::from(degree).to_radians();
        let reach = (l * l - (r * phi.sin()).powi(2)).sqrt();
        assert!((x - (r * phi.cos() + reach)).abs() < lag, "x at {degree}°: {x}");
        let rate = -r * spin * phi.sin() * (1.0 + r * phi.cos() / reach);
        let v = velocity(&world, slider).linear.x;
        assert!((v - rate).abs() < late, "v at {degree}°: {v}, not {rate}");
        for _ in 0..10 {
            let _ = solved(world.step(h, &settings).unwrap());
        }
    }
    assert_eq!(expected.len(), 5);
}

fn ccp_lift(case: &Case<'_>) {
    let (mu, radius) = (case.input("mu"), 0.01);
    for friction in [FrictionModel::Ccp, FrictionModel::Ncp] {
        let mut world = Bench::new();
        let _ = add_incline(&mut world, Motion::Fixed, 0.0, mu);
        let part = add(&mut world, Shape::Sphere { radius }, point_mass(), Pose::at(Z * radius), mu);
        world.body_mut(part).unwrap().set_velocity(Vec6::new(X, Vec3::default())).unwrap();
        let mut settings = exact();
        settings.solve.friction = friction;
        let _ = solved(world.step(1e-3, &settings).unwrap());
        let v = velocity(&world, part).linear;
        let lift = if friction == FrictionModel::Ccp { mu * v.x } else { 0.0 };
        case.close(&format!("{friction:?} lifts at"), v.z, lift, SOLVED);
        assert!(v.x > 0.9);
    }
}

fn sphere_in_groove(case: &Case<'_>) {
    let (half_angle, radius) = (case.input("a_deg").to_radians(), 0.01);
    let mut world = Bench::new();
    // sides rise by 90° − a
    let rise = std::f64::consts::FRAC_PI_2 - half_angle;
    let sides = [rise, -rise].map(|angle| add_incline(&mut world, Motion::Fixed, angle, 0.0).0);
    let at = Pose::at(Z * (radius / half_angle.sin()));
    let _ = add(&mut world, Shape::Sphere { radius }, ball(0.4, radius), at, 0.0);
    run(&mut world, 100, 1e-3);
    for side in sides {
        let force = world.contact_force(side).unwrap();
        case.close("N/mg", force.dot(force).sqrt() / G, case.number("N_each_over_mg"), SOLVED);
    }
}

fn stack(case: &Case<'_>) {
    let (n, mass, g) = (case.input("n") as usize, case.input("m"), case.input("g"));
    let mut world = Bench::new();
    let (floor, _) = add_incline(&mut world, Motion::Fixed, 0.0, 0.5);
    let shape = Shape::Box { half: Vec3::new(0.05, 0.05, 0.05) };
    let blocks: Vec<BodyId> = (0..n)
        .map(|k| {
            let at = Pose::at(Z * (0.05 + 0.1 * k as f64));
            add(&mut world, shape, shape.mass_properties(mass / 1e-3).unwrap(), at, 0.5)
        })
        .collect();
    run(&mut world, 200, 1e-3);
    // a solve of 24 points with 1e-24 J left: √(2e-24 · 6 kg)/1 ms a point
    let tolerance = 1e-6;
    assert!(g == G);
    let due = case.numbers("normal_force_between_k_and_below");
    case.close("on the floor", -world.contact_force(floor).unwrap().z, due[0], tolerance);
    // what is below block k bears all that the blocks from k on are held up by
    let mut above = 0.0;
    for k in (0..n).rev() {
        above += world.contact_force(blocks[k]).unwrap().z;
        case.close(&format!("below {k}"), above, due[k], tolerance);
        let z = position(&world, blocks[k]).z;
        assert!((z - (0.05 + 0.1 * k as f64)).abs() < 1e-6, "block {k} at {z}");
    }
}

fn boothroyd(case: &Case<'_>) {
    let (theta, psi) = (case.input("theta_deg").to_radians(), case.input("psi_deg").to_radians());
    let mu = case.input("mu");
    // fastest slip either way while pressed, and steps in the air, over the third period
    let watch = |throw: f64| {
        let mut shaker = Shaker::new(throw, theta, psi, mu, 50.0, 2000);
        let (mut forward, mut backward, mut flight) = (0.0_f64, 0.0_f64, 0);
        for step in 0..3 * shaker.steps {
            let (slip, pressed) = shaker.step();
            if step >= 2 * shaker.steps {
                flight += u32::from(!pressed);
                if pressed {
                    (forward, backward) = (forward.max(slip), backward.max(-slip));
                }
            }
        }
        println!("{:24} Γ {throw:.4}: forward {forward:.1e}, backward {backward:.1e} m/s, flies {flight}", case.id);
        (forward > SOLVED, backward > SOLVED, flight > 0)
    };
    // half a per cent on either side: (ω h)² = 1e-5 is what steps do to the track's acceleration
    let around = |name: &str| [0.995, 1.005].map(|share| share * case.number(name));
    let [below, above] = around("forward_An_gn");
    assert_eq!((watch(below), watch(above)), ((false, false, false), (true, false, false)));
    let [below, above] = around("backward_An_gn");
    assert_eq!((watch(below), watch(above)), ((true, false, false), (true, true, false)));
    let [below, above] = around("hop_An_gn");
    assert_eq!((watch(below), watch(above)), ((true, true, false), (true, true, true)));
}

fn vdi2333(case: &Case<'_>) {
    let (n, frequency, psi) = (case.input("n"), case.input("f"), case.input("beta_deg").to_radians());
    assert!(case.input("g") == G);
    let mut shaker = Shaker::new(case.number("Gamma"), 0.0, psi, 1e3, frequency, 2000);
    let (settle, count) = (5, 5);
    for _ in 0..settle * shaker.steps {
        let _ = shaker.step();
    }
    let start = position(&shaker.world, shaker.part).x;
    for _ in 0..count * shaker.steps {
        let _ = shaker.step();
    }
    let speed = (position(&shaker.world, shaker.part).x - start) * frequency / f64::from(count);
    // take-off and landing are each known to a step of the n T that a flight takes; v goes as n²
    let due = case.number("v");
    case.close("speed", speed, due, due * 4.0 / (n * f64::from(shaker.steps)));
}
