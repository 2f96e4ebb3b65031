//! A stack of ten boxes stands for a minute in single precision with twenty sweeps a step.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::Settings;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3};
use tumble::shape::Shape;
use tumble::world::{Collider, StepSettings, World};

#[test]
fn ten_boxes_stand_for_a_minute() {
    let mut world = World::<f32, 11, 48, 144>::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    // 20 mm, of aluminium
    let shape = Shape::Box { half: Vec3::new(0.01, 0.01, 0.01) };
    let starts: Vec<Vec3<f32>> = (0..10_u8).map(|k| Vec3::new(0.0, 0.0, 0.01 + 0.02 * f32::from(k))).collect();
    let boxes: Vec<BodyId> = starts
        .iter()
        .map(|start| {
            let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
            let id = world.add_body(Body::new(motion, Pose::at(*start)).unwrap()).unwrap();
            world.add_collider(id, Collider::new(shape)).unwrap();
            id
        })
        .collect();
    let solve = Settings { iterations: 20, ..Settings::default() };
    let settings = StepSettings { solve, ..StepSettings::default() };
    let (mut drift, mut penetration, mut sweeps, mut lean) = (0.0_f32, 0.0_f32, 0_u64, 0.0_f32);
    for step in 0..60_000 {
        let report = world.step(0.001, &settings).unwrap();
        assert_eq!((report.contacts, report.contacts_dropped), (40, 0), "step {step}");
        sweeps += u64::from(report.solve.iterations);
        penetration = penetration.max(report.penetration);
        for (id, start) in boxes.iter().zip(&starts) {
            let pose = world.body(*id).unwrap().pose();
            let off = pose.position - *start;
            drift = drift.max(off.dot(off).sqrt());
            lean = lean.max(pose.orientation.turn(Vec3::new(0.0, 0.0, 1.0)).z.clamp(-1.0, 1.0).acos());
        }
        if step % 10_000 == 9_999 {
            println!(
                "{} s: drift {drift:.2e} m, penetration {penetration:.2e} m, lean {lean:.1e} rad, {sweeps} sweeps",
                (step + 1) / 1000
            );
        }
    }
    assert!(drift < 1e-3, "{drift} m");
    assert!(penetration < 1e-4, "{penetration} m");
    let weight = world.contact_force(floor).unwrap().z;
    // ten of 21.6 g, to what 20 sweeps leave
    assert!((weight + 10.0 * 0.0216 * 9.81).abs() < 1e-3, "{weight} N");
}
