//! A small world to measure in: slopes, parts, a shaker; every step is solved to the end.

// each test program uses its own part of this; none of it is an interface
#![allow(dead_code, unreachable_pub)]

use tumble::Settings;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Material, StepReport, StepSettings, World};

pub const G: f64 = 9.81;
pub const X: Vec3<f64> = Vec3::new(1.0, 0.0, 0.0);
pub const Y: Vec3<f64> = Vec3::new(0.0, 1.0, 0.0);
pub const Z: Vec3<f64> = Vec3::new(0.0, 0.0, 1.0);

pub type Bench = World<f64, 8, 32, 128, 8, 4>;

/// Steps that are solved to the end, whatever it takes.
pub fn exact() -> StepSettings<f64> {
    StepSettings {
        solve: Settings { iterations: 20_000, tolerance: 1e-24, ..Settings::default() },
        ..StepSettings::default()
    }
}

pub fn rubbing(friction: f64) -> Material<f64> {
    Material { friction, ..Material::default() }
}

pub fn about(axis: Vec3<f64>, angle: f64) -> Quat<f64> {
    let v = axis * (angle / 2.0).sin();
    Quat::new((angle / 2.0).cos(), v.x, v.y, v.z).unwrap()
}

/// A surface through the origin that rises along x by `angle`; returns it and its tilt.
pub fn add_incline(world: &mut Bench, motion: Motion<f64>, angle: f64, friction: f64) -> (BodyId, Quat<f64>) {
    let tilt = about(Y, -angle);
    let ground = Pose { position: Vec3::default(), orientation: tilt };
    let ground = world.add_body(Body::new(motion, ground).unwrap()).unwrap();
    let collider = Collider { material: rubbing(friction), ..Collider::new(Shape::HalfSpace) };
    world.add_collider(ground, collider).unwrap();
    (ground, tilt)
}

pub fn add(
    world: &mut Bench,
    shape: Shape<f64>,
    properties: MassProperties<f64>,
    pose: Pose<f64>,
    friction: f64,
) -> BodyId {
    let body = world.add_body(Body::new(Motion::Dynamic(properties), pose).unwrap()).unwrap();
    world.add_collider(body, Collider { material: rubbing(friction), ..Collider::new(shape) }).unwrap();
    body
}

/// 1 kg that does not turn: a part without extent.
pub fn point_mass() -> MassProperties<f64> {
    MassProperties { mass: 1.0, inertia: Vec3::new(1e6, 1e6, 1e6) }
}

pub fn ball(k: f64, radius: f64) -> MassProperties<f64> {
    let i = k * radius * radius;
    MassProperties { mass: 1.0, inertia: Vec3::new(i, i, i) }
}

pub fn run(world: &mut Bench, steps: u32, h: f64) {
    for _ in 0..steps {
        let _ = solved(world.step(h, &exact()).unwrap());
    }
}

pub fn solved(report: StepReport<f64>) -> StepReport<f64> {
    assert_eq!((report.contacts_dropped, report.joints_dropped), (0, 0), "{report:?}");
    assert_eq!(report.solve.status, tumble::Status::Converged, "{report:?}");
    report
}

pub fn velocity(world: &Bench, id: BodyId) -> Vec6<f64> {
    world.body(id).unwrap().velocity()
}

pub fn position(world: &Bench, id: BodyId) -> Vec3<f64> {
    world.body(id).unwrap().pose().position
}

/// A part on a track that shakes by `a0 (cos ψ, sin ψ) sin ωt` in its own plane.
pub struct Shaker {
    pub world: Bench,
    track: BodyId,
    pub part: BodyId,
    tilt: Quat<f64>,
    /// m, rad, 1/s
    amplitude: f64,
    psi: f64,
    frequency: f64,
    step: u32,
    /// of a period
    pub steps: u32,
}

impl Shaker {
    /// Thrown with `Γ = a0 ω² sin ψ/(g cos θ)`.
    pub fn new(throw: f64, theta: f64, psi: f64, mu: f64, frequency: f64, steps: u32) -> Self {
        let mut world = Bench::new();
        let (track, tilt) = add_incline(&mut world, Motion::Kinematic, theta, mu);
        let radius = 0.005;
        let part = add(&mut world, Shape::Sphere { radius }, point_mass(), Pose::at(tilt.turn(Z * radius)), mu);
        let omega = std::f64::consts::TAU * frequency;
        let amplitude = throw * G * theta.cos() / (omega * omega * psi.sin());
        let mut shaker = Self { world, track, part, tilt, amplitude, psi, frequency, step: 0, steps };
        // the part begins with the track
        let start = shaker.tilt.turn(shaker.direction()) * (amplitude * omega);
        shaker.world.body_mut(part).unwrap().set_velocity(Vec6::new(start, Vec3::default())).unwrap();
        shaker
    }

    pub fn direction(&self) -> Vec3<f64> {
        Vec3::new(self.psi.cos(), 0.0, self.psi.sin())
    }

    pub fn h(&self) -> f64 {
        1.0 / (self.frequency * f64::from(self.steps))
    }

    /// One step; returns how fast the part slides up the track, and whether it is pressed.
    pub fn step(&mut self) -> (f64, bool) {
        let h = self.h();
        let at = |step: u32| {
            let phase = std::f64::consts::TAU * f64::from(step % self.steps) / f64::from(self.steps);
            self.amplitude * phase.sin()
        };
        // over the step from one place on the sine to the next
        let velocity_of_track = self.tilt.turn(self.direction()) * ((at(self.step + 1) - at(self.step)) / h);
        let v = Vec6::new(velocity_of_track, Vec3::default());
        self.world.body_mut(self.track).unwrap().set_velocity(v).unwrap();
        let _ = solved(self.world.step(h, &exact()).unwrap());
        self.step += 1;
        let slip = velocity(&self.world, self.part).linear - velocity_of_track;
        let force = self.world.contact_force(self.part).unwrap();
        (slip.dot(self.tilt.turn(X)), force.dot(self.tilt.turn(Z)) > 0.0)
    }
}
