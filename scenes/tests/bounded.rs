//! Velocities stay bounded: a minute of each scene with polyhedra, and never more energy than was put in.
//!
//! ```text
//! nothing moves as told     T + V ≤ T_0 + V_0                                        balance, wheels
//! tray that stops           T ≤ Σ m (½ (ωr)² + g H)                                  pyramid: what it was given, and what it can come down by
//! turntable                 ½ m u² + m g z − ½ m (ωr)² only falls, u as seen from it  setup: so u² ≤ 2gz_0 + u_0² + ω² (r² − r_0²)
//! drum                      T ≤ Σ m (½ (2ωR)² + 2gR)                                 dice: walls give a speed of their own and a height, contacts without bounce take the rest
//! plate, restitution ε      v = V + ε (V + v) → v ≤ V (1 + ε)/(1 − ε)                dice-plate: what bounces off it for ever, and falls from there
//! ```
//! One body may have the energy of all: `v ≤ √(2T/m)`. Pushing parts out of violation does work that none of this counts: a hundredth to spare.
#![allow(clippy::disallowed_methods, reason = "a test may panic, and compare with std's functions")]

use tumble::body::{Body, BodyId, Motion};
use tumble::math::Vec6;
use tumble_scenes::scene::AnyWorld;
use tumble_scenes::{Scene, SmallBalance, SmallDice, SmallDicePlate, SmallPyramid, SmallSetup, SmallWheels};

const G: f64 = 9.81;
/// A minute; in debug a second, the same code.
const STEPS: u32 = if cfg!(debug_assertions) { 1_000 } else { 60_000 };
/// For what stabilisation does.
const SPARE: f64 = 1.01;

fn on<S: Scene + 'static>(stage: S) -> Box<dyn Scene> {
    let mut scene: Box<dyn Scene> = Box::new(stage);
    scene.reset().unwrap();
    scene
}

fn mass(body: &Body<f32>) -> Option<f64> {
    if let Motion::Dynamic(properties) = body.motion() { Some(properties.mass.into()) } else { None }
}

/// Sum over everything that can move; `of` is given mass and body.
fn sum(world: &dyn AnyWorld, of: impl Fn(f64, &Body<f32>) -> f64) -> f64 {
    let mut sum = 0.0;
    world.for_each_body(&mut |_, body| sum += mass(body).map_or(0.0, |m| of(m, body)));
    sum
}

fn kinetic(world: &dyn AnyWorld) -> f64 {
    sum(world, |_, body| body.kinetic_energy().into())
}

fn potential(world: &dyn AnyWorld) -> f64 {
    sum(world, |m, body| m * G * f64::from(body.pose().position.z))
}

/// A minute of it; `meddle` before every step, `bound` says how much kinetic energy there may be after it. Says the most there was, of that.
fn play(
    scene: &mut dyn Scene,
    mut meddle: impl FnMut(&mut dyn AnyWorld, u32),
    bound: impl Fn(&dyn AnyWorld) -> f64,
) -> f64 {
    let (h, settings) = (scene.h(), scene.settings());
    let (mut share, mut fastest) = (0.0_f64, 0.0_f64);
    for step in 0..STEPS {
        let report = scene.step_by(h, &settings, &mut |world, h| {
            meddle(world, step);
            world.step(h, &settings)
        });
        let report = report.unwrap();
        assert_eq!((report.contacts_dropped, report.joints_dropped, report.bodies_halted), (0, 0, 0), "{report:?}");
        let world = scene.world();
        let (energy, most) = (kinetic(world), bound(world));
        assert!(energy <= most * SPARE, "{energy} J after {step} steps, {most} J were put in: {report:?}");
        share = share.max(energy / most);
        world.for_each_body(&mut |_, body| {
            let Some(m) = mass(body) else { return };
            let v = f64::from(body.velocity().linear.dot(body.velocity().linear)).sqrt();
            assert!(v <= (2.0 * most * SPARE / m).sqrt(), "{v} m/s after {step} steps: {body:?}");
            fastest = fastest.max(v);
        });
    }
    println!("{:.3} of the bound, {fastest:.3} m/s at most", share);
    share
}

/// What nobody drives has what it began with, and what it came down by.
fn loses_energy(mut scene: Box<dyn Scene>) {
    // near a turning point hardly anything moves: there a hundredth of what did at first
    let total = SPARE * kinetic(scene.world()) + potential(scene.world());
    play(&mut *scene, |_, _| (), |world| total - potential(world));
}

#[test]
fn balance() {
    loses_energy(on(SmallBalance::new()));
}

#[test]
fn wheels() {
    loses_energy(on(SmallWheels::new()));
}

#[test]
fn pyramid() {
    let mut scene = on(SmallPyramid::new());
    let mut tray: Option<BodyId> = None;
    scene.world().for_each_body(&mut |id, _| tray = tray.or(Some(id)));
    let tray = tray.unwrap();
    // at 10°, 0.6 s: less steep than friction holds
    let stop = |world: &mut dyn AnyWorld, step: u32| {
        if step == 600 {
            world.body_mut(tray).unwrap().set_velocity(Vec6::default()).unwrap();
        }
    };
    let (spin, radius, height) = (0.6, 0.3, 4.0 * 0.016);
    let most = sum(scene.world(), |m, _| m * (0.5 * f64::powi(spin * radius, 2) + G * height));
    play(&mut *scene, stop, |_| most);
}

#[test]
fn dice() {
    let mut scene = on(SmallDice::new());
    // half the diagonal of the drum across its axle
    let (spin, radius) = (4.0, 0.03 * 2.0_f64.sqrt());
    let most = sum(scene.world(), |m, _| m * (0.5 * f64::powi(2.0 * spin * radius, 2) + 2.0 * G * radius));
    play(&mut *scene, |_, _| (), |_| most);
}

#[test]
fn setup() {
    let mut scene = on(SmallSetup::new());
    let spin = 10.0;
    let r_squared = |body: &Body<f32>| f64::from(body.pose().position.x.powi(2) + body.pose().position.y.powi(2));
    // begins at rest on the turntable; the sum over all, as parts strike each other
    let begin = potential(scene.world()) - sum(scene.world(), |m, body| 0.5 * m * spin * spin * r_squared(body));
    // of what moves at u on the table: |v| ≤ |u| + ωr, so T ≤ (√T_u + √T_ωr)²
    play(
        &mut *scene,
        |_, _| (),
        |world| {
            let carried = sum(world, |m, body| 0.5 * m * spin * spin * r_squared(body));
            let seen = begin + carried - potential(world);
            (seen.max(0.0).sqrt() + carried.sqrt()).powi(2)
        },
    );
}

#[test]
fn dice_plate() {
    let mut scene = on(SmallDicePlate::new());
    let (stroke, restitution) = (1.9e-3, 0.3);
    let up_and_across = [20.0 * stroke, 4.0 * stroke].map(|fa| std::f64::consts::TAU * fa);
    let plate = up_and_across[0].hypot(up_and_across[1]);
    let bounced = plate * (1.0 + restitution) / (1.0 - restitution);
    // and down from where the plate is highest to where it is lowest
    let most = sum(scene.world(), |m, _| m * (0.5 * bounced * bounced + G * 2.0 * stroke));
    play(&mut *scene, |_, _| (), |_| most);
}
