//! Runs of Siconos against ours: a bouncing ball to the last digit, and a slider-crank with clearance up to its first impacts.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support {
    pub(crate) mod recorded;
}

use std::f64::consts::TAU;
use support::recorded::{recorded, table};
use tumble::Settings;
use tumble::body::{Body, BodyId, Motion};
use tumble::joint::Joint;
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Landing, Material, StepSettings, World};

const G: f64 = 9.81;

#[test]
fn a_ball_bounces_as_in_siconos_to_the_last_digits() {
    let Some(path) = recorded("trajectories/BouncingBallTS.ref") else { return };
    // Moreau–Jean with θ = ½: t, height of the lowest point, velocity, impulse, impulse again
    let rows = table(&path, 1);
    assert_eq!(rows.len(), 2001);
    let (h, radius, restitution) = (0.005, 0.1, 0.9);
    let mut world = World::<f64, 2, 2, 6>::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let i = 0.6 * radius * radius;
    let mass = MassProperties { mass: 1.0, inertia: Vec3::new(i, i, i) };
    let start = Pose::at(Vec3::new(0.0, 0.0, rows[0][1] + radius));
    let ball = world.add_body(Body::new(Motion::Dynamic(mass), start).unwrap()).unwrap();
    let material = Material { restitution, ..Material::default() };
    world.add_collider(ball, Collider { material, ..Collider::new(Shape::Sphere { radius }) }).unwrap();
    // Moreau's rule knows no threshold and mends nothing
    let settings = StepSettings {
        beta: 0.5,
        landing: Landing::Touching,
        bounce_threshold: 0.0,
        recovery_speed: 0.0,
        solve: Settings { tolerance: 1e-30, ..Settings::default() },
        ..StepSettings::default()
    };
    let mut bounces = 0;
    for row in rows.iter().skip(1) {
        let _ = world.step(h, &settings).unwrap();
        let body = world.body(ball).unwrap();
        let ours =
            [body.pose().position.z - radius, body.velocity().linear.z, world.contact_force(ball).unwrap().z * h];
        bounces += u32::from(row[3] > 1.0);
        for (ours, theirs) in ours.into_iter().zip(&row[1..4]) {
            // sums of 2000 numbers of up to 4.4, whose roundings are as often up as down: √2000 · 4.4 · ε = 4e-14
            assert!((ours - theirs).abs() < 1e-13, "t {}: {ours}, not {theirs}", row[0]);
        }
    }
    // until the impulse of one is no more than the weight's in 0.1 s
    assert_eq!(bounces, 20);
}

/// Crank, rod and slider (Flores, Leine, Glocker 2010). SI
const L1: f64 = 0.153;
const L2: f64 = 0.306;
const M1: f64 = 0.038;
const M2: f64 = 0.038;
const M3: f64 = 0.076;
const J1: f64 = 7.4e-5;
const J2: f64 = 5.9e-4;
const J3: f64 = 2.7e-6;
/// half the slider's length and height, clearance on either side
const A: f64 = 0.05;
const B: f64 = 0.025;
const C: f64 = 0.001;
const RESTITUTION: f64 = 0.4;
const FRICTION: f64 = 0.01;

/// Angles and rates of crank and rod, seen from the ground; the slider hangs in its middle and does not turn.
#[derive(Clone, Copy, Debug)]
struct Angles {
    q: [f64; 2],
    v: [f64; 2],
}

impl Angles {
    const START: Self = Self { q: [0.0; 2], v: [150.0, -75.0] };

    /// `[[a, b], [b, d]]`
    fn mass(&self) -> [f64; 3] {
        let k = (0.5 * M2 + M3) * L1 * L2;
        let a = J1 + M1 * L1 * L1 / 4.0 + (M2 + M3) * L1 * L1;
        [a, k * (self.q[0] - self.q[1]).cos(), J2 + M2 * L2 * L2 / 4.0 + M3 * L2 * L2]
    }

    fn respond(&self, f: [f64; 2]) -> [f64; 2] {
        let [a, b, d] = self.mass();
        let determinant = a * d - b * b;
        [(d * f[0] - b * f[1]) / determinant, (a * f[1] - b * f[0]) / determinant]
    }

    /// Lagrange's equations.
    fn acceleration(&self) -> [f64; 2] {
        let Self { q, v } = self;
        let k = (0.5 * M2 + M3) * L1 * L2 * (q[0] - q[1]).sin();
        self.respond([
            -k * v[1] * v[1] - (0.5 * M1 + M2 + M3) * G * L1 * q[0].cos(),
            k * v[0] * v[0] - (0.5 * M2 + M3) * G * L2 * q[1].cos(),
        ])
    }

    /// Runge–Kutta of order four.
    fn step(self, h: f64) -> Self {
        let moved = |by: f64, v: [f64; 2], a: [f64; 2]| Self {
            q: [self.q[0] + by * v[0], self.q[1] + by * v[1]],
            v: [self.v[0] + by * a[0], self.v[1] + by * a[1]],
        };
        let a1 = self.acceleration();
        let s2 = moved(h / 2.0, self.v, a1);
        let a2 = s2.acceleration();
        let s3 = moved(h / 2.0, s2.v, a2);
        let a3 = s3.acceleration();
        let s4 = moved(h, s3.v, a3);
        let a4 = s4.acceleration();
        let mean = |w: [f64; 2], x: [f64; 2], y: [f64; 2], z: [f64; 2]| {
            [0, 1].map(|k| (w[k] + 2.0 * x[k] + 2.0 * y[k] + z[k]) / 6.0)
        };
        moved(h, mean(self.v, s2.v, s3.v, s4.v), mean(a1, a2, a3, a4))
    }

    fn after(self, time: f64) -> Self {
        // 1 µs steps: off by (ω h)⁴, 1e-15
        let n = (time / 1e-6).ceil();
        (0..n as usize).fold(self, |state, _| state.step(time / n))
    }

    /// Height of the slider and its rate. m, m/s
    fn height(&self) -> [f64; 2] {
        let Self { q, v } = self;
        [L1 * q[0].sin() + L2 * q[1].sin(), L1 * v[0] * q[0].cos() + L2 * v[1] * q[1].cos()]
    }

    /// Until the slider meets the upper guide, and how long that takes.
    fn until_impact(self) -> (Self, f64) {
        let (mut state, mut time, h) = (self, 0.0, 1e-6);
        loop {
            let next = state.step(h);
            if next.height()[0] >= C && next.height()[1] > 0.0 {
                break;
            }
            (state, time) = (next, time + h);
        }
        // Newton, from less than a microsecond away
        for _ in 0..4 {
            let [y, rate] = state.height();
            let by = (C - y) / rate;
            (state, time) = (state.step(by), time + by);
        }
        (state, time)
    }

    /// Newton's law at both upper corners, with the friction of a slider that slides on.
    fn bounced(self) -> Self {
        let Self { q, v } = self;
        let n = [L1 * q[0].cos(), L2 * q[1].cos()];
        let t = [-L1 * q[0].sin(), -L2 * q[1].sin()];
        let against = -(t[0] * v[0] + t[1] * v[1]).signum();
        // pressed down by p, held back by μ p
        let by = self.respond([0, 1].map(|k| -n[k] + against * FRICTION * t[k]));
        let p = -(1.0 + RESTITUTION) * self.height()[1] / (n[0] * by[0] + n[1] * by[1]);
        Self { q, v: [v[0] + p * by[0], v[1] + p * by[1]] }
    }
}

struct Crank {
    world: World<f64, 5, 16, 64, 3, 3>,
    crank: BodyId,
    rod: BodyId,
    slider: BodyId,
}

impl Crank {
    fn new() -> Self {
        let mut world = World::new();
        let along = |x: f64| Pose::at(Vec3::new(x, 0.0, 0.0));
        let mut link = |mass: f64, j: f64, x: f64, [rate, spin]: [f64; 2]| {
            let properties = MassProperties { mass, inertia: Vec3::new(j, j, j) };
            let mut body = Body::new(Motion::Dynamic(properties), along(x)).unwrap();
            body.set_velocity(Vec6::from([0.0, rate, 0.0, 0.0, 0.0, spin])).unwrap();
            world.add_body(body).unwrap()
        };
        let [w1, w2] = Angles::START.v;
        let crank = link(M1, J1, L1 / 2.0, [L1 / 2.0 * w1, w1]);
        let rod = link(M2, J2, L1 + L2 / 2.0, [L1 * w1 + L2 / 2.0 * w2, w2]);
        let slider = link(M3, J3, L1 + L2, [L1 * w1 + L2 * w2, 0.0]);
        let pin = |a: f64, b: f64| Joint::revolute(along(a), along(b)).unwrap();
        world.add_joint(crank, None, pin(-L1 / 2.0, 0.0)).unwrap();
        world.add_joint(crank, Some(rod), pin(L1 / 2.0, -L2 / 2.0)).unwrap();
        world.add_joint(rod, Some(slider), pin(L2 / 2.0, 0.0)).unwrap();

        let material = Material { friction: FRICTION, restitution: RESTITUTION, ..Material::default() };
        let shape = Shape::Box { half: Vec3::new(A, B, 0.01) };
        world.add_collider(slider, Collider { material, ..Collider::new(shape) }).unwrap();
        // inner sides of the guide: z of a half-space points out of it
        for side in [-1.0_f64, 1.0] {
            let orientation = Quat::new(1.0, side, 0.0, 0.0).unwrap();
            let wall = Pose { position: Vec3::new(0.0, side * (B + C), 0.0), orientation };
            let wall = world.add_body(Body::new(Motion::Fixed, wall).unwrap()).unwrap();
            world.add_collider(wall, Collider { material, ..Collider::new(Shape::HalfSpace) }).unwrap();
        }
        Self { world, crank, rod, slider }
    }

    /// A step; returns the impulse of the guide. N·s
    fn step(&mut self, h: f64) -> f64 {
        let settings = StepSettings {
            gravity: Vec3::new(0.0, -G, 0.0),
            beta: 0.5,
            stabilisation: 1.0,
            bounce_threshold: 0.0,
            solve: Settings { iterations: 20_000, tolerance: 1e-22, ..Settings::default() },
            ..StepSettings::default()
        };
        let report = self.world.step(h, &settings).unwrap();
        assert_eq!((report.contacts_dropped, report.joints_dropped), (0, 0));
        assert_eq!(report.solve.status, tumble::Status::Converged, "{report:?}");
        self.world.contact_force(self.slider).unwrap().y * h
    }

    fn angles(&self) -> Angles {
        let [crank, rod] = [self.crank, self.rod].map(|id| self.world.body(id).unwrap());
        let angle = |body: &Body<f64>| {
            let x = body.pose().orientation.turn(Vec3::new(1.0, 0.0, 0.0));
            x.y.atan2(x.x)
        };
        Angles { q: [angle(crank), angle(rod)], v: [crank.velocity().angular.z, rod.velocity().angular.z] }
    }

    fn height(&self) -> [f64; 2] {
        let slider = self.world.body(self.slider).unwrap();
        [slider.pose().position.y, slider.velocity().linear.y]
    }
}

#[test]
fn a_slider_crank_turns_as_lagrange_says_and_siconos_nearly() {
    let Some(path) = recorded("trajectories/SliderCrankMoreauJeanDirectProjectionOSI.ref") else { return };
    let rows = table(&path, 1);
    assert_eq!((rows.len(), rows[0].len()), (2001, 32));
    let far = |a: &Angles, b: &Angles| (a.q[0] - b.q[0]).abs().max((a.q[1] - b.q[1]).abs());
    let fast = |a: &Angles, b: &Angles| (a.v[0] - b.v[0]).abs().max((a.v[1] - b.v[1]).abs());
    // until 2.6 ms nothing touches; at a step of 0.1 ms, theirs, and at half of it
    let (mut coarse, mut fine, mut exact) = (Crank::new(), Crank::new(), Angles::START);
    for row in rows.iter().take(27).skip(1) {
        exact = exact.after(1e-4);
        assert_eq!([coarse.step(1e-4), fine.step(5e-5), fine.step(5e-5)], [0.0; 3]);
        // theirs: gaps of both upper and both lower corners follow from the angles, and nothing touches
        let [y, _] = recorded_angles(row).height();
        for (gap, expected) in row[13..17].iter().zip([C - y, C - y, C + y, C + y]) {
            assert!((gap - expected).abs() < 1e-12, "{gap}, not {expected}");
        }
        assert!(row[21..25].iter().all(|impulse| *impulse == 0.0));
    }
    let off = [coarse.angles(), fine.angles(), recorded_angles(&rows[26])].map(|ours| far(&ours, &exact));
    let too_fast = [coarse.angles(), recorded_angles(&rows[26])].map(|ours| fast(&ours, &exact));
    println!(
        "after 2.6 ms, rad: {:.1e}, at h/2 {:.1e}, theirs {:.1e}; rad/s: {:.1e}, theirs {:.1e}",
        off[0], off[1], off[2], too_fast[0], too_fast[1]
    );
    // second order, to ω h = 1.5 %; theirs takes the mass matrix of the end of the step and is of first
    assert!((off[0] / off[1] / 4.0 - 1.0).abs() < 0.05);
    assert!(off[0] < off[2] / 4.0 && too_fast[0] < too_fast[1] / 4.0);
    // (ω h)² of the angle turned, 0.35 rad: 8e-5
    assert!(off[0] < 8e-5);
}

#[test]
fn a_slider_crank_hits_its_guide_when_and_as_it_should() {
    let (first, t1) = Angles::START.until_impact();
    let (second, flight) = first.bounced().until_impact();
    let t2 = t1 + flight;
    println!("due: {t1:.6} s at {:.5} m/s, {t2:.6} s at {:.5} m/s", first.height()[1], second.height()[1]);

    let h = 1e-5;
    let mut ours = Crank::new();
    let impacts: Vec<[f64; 4]> = (1..580)
        .filter_map(|step| {
            let approach = ours.height()[1];
            let impulse = ours.step(h);
            (impulse != 0.0).then(|| [h * f64::from(step), approach, ours.height()[1], impulse])
        })
        .collect();
    println!("ours: {impacts:?}");
    assert_eq!(impacts.len(), 2, "{impacts:?}");
    for (k, [time, approach, leave, impulse]) in impacts.iter().enumerate() {
        let (due, at) = [(t1, first), (t2, second)][k];
        // known to a step, in which the slider changes its speed by this
        let change = (at.height()[1] - at.step(-h).height()[1]).abs();
        // the first is met within the step; what that is off by, a step and its bounce, makes the flight longer or shorter by two more
        assert!((time - due).abs() <= h * [1.0, 3.0][k], "{time}, not {due}");
        let expected = at.height()[1];
        assert!((approach - expected).abs() < change * [1.0, 3.0][k], "{approach}, not {expected}");
        // Newton's law, to the solve: √(2 · 1e-22 J/1e-2 kg) and what the joints turn by within a step
        assert!((leave + RESTITUTION * approach).abs() < 1e-6, "{leave} after {approach}");
        assert!(*impulse < 0.0, "pulled by {impulse}");
    }

    // theirs is 0.1 to 0.2 ms late, two steps of its own
    let Some(path) = recorded("trajectories/SliderCrankMoreauJeanDirectProjectionOSI.ref") else { return };
    let rows = table(&path, 1);
    let hit = rows.iter().position(|row| row[21] > 0.0).unwrap();
    assert!(rows[hit][0] > t1 && rows[hit][0] - t1 < 3e-4, "{}", rows[hit][0]);
    // its gap's rate turns round with the same restitution; over a step gravity and turning links change it by 0.03 m/s
    assert!((rows[hit][17] + RESTITUTION * rows[hit - 1][17]).abs() < 0.03);
}

fn recorded_angles(row: &[f64]) -> Angles {
    // turns of the crank, angle of the rod; their rates
    Angles { q: [row[1] * TAU, row[2]], v: [row[4], row[5]] }
}
