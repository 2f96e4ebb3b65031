//! What can be asked of a world, with numbers nobody would send on purpose: most tame, 1e-3 to 1, some as far as the given decades go,
//! some of the wrong sign, some no numbers at all.

// none of it is an interface
#![allow(unreachable_pub)]

use proptest::prelude::*;
use std::ops::Range;
use tumble::body::{Body, Motion};
use tumble::joint::{Coordinate, Joint, Kind, Motor, Spring};
use tumble::math::{Pose, Quat, Real, Vec3, Vec6};
use tumble::shape::{MassProperties, Shape};
use tumble::world::{Collider, Filter, Landing, Material, Sleep, StepSettings};
use tumble::{FrictionModel, Method, Settings, Start, StepRule};

#[derive(Clone, Debug)]
pub enum Call<R: 'static> {
    AddBody(Body<R>),
    AddCollider(Pick, Collider<R>),
    SetCollider(Pick, Collider<R>),
    AddJoint(Pick, Option<Pick>, Joint<R>),
    SetVelocity(Pick, Vec6<R>),
    AddForce(Pick, Vec6<R>),
    SetPose(Pick, Pose<R>),
    SetMotor(Pick, Coordinate, Option<Motor<R>>),
    SetLength(Pick, R, R),
    RemoveBody(Pick),
    RemoveCollider(Pick),
    RemoveJoint(Pick),
    Clear,
    Step { h: R, settings: StepSettings<R>, times: usize },
}

/// Something that is there, or that was; chosen when the call is made.
#[derive(Clone, Copy, Debug)]
pub struct Pick {
    pub stale: bool,
    pub index: usize,
}

pub fn call<R: Real>(decades: f64) -> impl Strategy<Value = Call<R>> {
    let h = or(R::from_f64(1e-3), amount(decades, 0.01));
    prop_oneof![
        32 => body(decades).prop_map(Call::AddBody),
        40 => (pick(), collider(decades)).prop_map(|(body, collider)| Call::AddCollider(body, collider)),
        16 => (pick(), collider(decades)).prop_map(|(id, collider)| Call::SetCollider(id, collider)),
        16 => (pick(), prop::option::of(pick()), joint(decades)).prop_map(|(a, b, joint)| Call::AddJoint(a, b, joint)),
        16 => (pick(), twist(decades, 1.0, 10.0)).prop_map(|(body, velocity)| Call::SetVelocity(body, velocity)),
        16 => (pick(), twist(decades, 1.0, 0.1)).prop_map(|(body, force)| Call::AddForce(body, force)),
        12 => (pick(), pose(decades, 0.1)).prop_map(|(body, pose)| Call::SetPose(body, pose)),
        8 => (pick(), coordinate(), prop::option::of(motor(decades)))
            .prop_map(|(joint, coordinate, motor)| Call::SetMotor(joint, coordinate, motor)),
        4 => (pick(), number(decades, 0.1), number(decades, 1.0))
            .prop_map(|(joint, length, rate)| Call::SetLength(joint, length, rate)),
        8 => pick().prop_map(Call::RemoveBody),
        6 => pick().prop_map(Call::RemoveCollider),
        6 => pick().prop_map(Call::RemoveJoint),
        1 => Just(Call::Clear),
        64 => (h, settings(decades), 1..8_usize).prop_map(|(h, settings, times)| Call::Step { h, settings, times }),
    ]
}

fn pick() -> impl Strategy<Value = Pick> {
    (prop::bool::weighted(0.1), 0..100_usize).prop_map(|(stale, index)| Pick { stale, index })
}

/// `10^x`
fn wide(exponents: Range<f64>) -> impl Strategy<Value = f64> {
    exponents.prop_map(|x| 10.0_f64.powf(x))
}

/// Positive: most from 1e-3 to 1, some as far as `decades` go.
fn size<R: Real>(decades: f64, unit: f64) -> impl Strategy<Value = R> {
    prop_oneof![2 => wide(-3.0..0.0), 1 => wide(-decades.max(3.0)..decades)].prop_map(move |x| R::from_f64(x * unit))
}

/// What must not be negative, and seldom is.
fn amount<R: Real>(decades: f64, unit: f64) -> impl Strategy<Value = R> {
    prop_oneof![15 => size(decades, unit), 1 => number(decades, unit)]
}

/// Of either sign, zero, and once in a while no number at all.
fn number<R: Real>(decades: f64, unit: f64) -> impl Strategy<Value = R> {
    let signed = (any::<bool>(), size(decades, unit)).prop_map(|(minus, x): (_, R)| if minus { -x } else { x });
    let none = prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)].prop_map(R::from_f64);
    prop_oneof![3 => Just(R::ZERO), 40 => signed, 1 => none]
}

fn vector<R: Real>(decades: f64, unit: f64) -> impl Strategy<Value = Vec3<R>> {
    prop::array::uniform3(number(decades, unit)).prop_map(Vec3::from)
}

fn twist<R: Real>(decades: f64, linear: f64, angular: f64) -> impl Strategy<Value = Vec6<R>> {
    (vector(decades, linear), vector(decades, angular)).prop_map(|(linear, angular)| Vec6::new(linear, angular))
}

fn pose<R: Real>(decades: f64, unit: f64) -> impl Strategy<Value = Pose<R>> {
    let turn = prop::array::uniform4(-1.0..1.0_f64).prop_map(|q| {
        let [w, x, y, z] = q.map(R::from_f64);
        Quat::new(w, x, y, z).unwrap_or(Quat::IDENTITY)
    });
    let orientation = prop_oneof![Just(Quat::IDENTITY), turn];
    (vector(decades, unit), orientation).prop_map(|(position, orientation)| Pose { position, orientation })
}

fn body<R: Real>(decades: f64) -> impl Strategy<Value = Body<R>> {
    let mass = (size(decades, 1.0), size(decades, 1e-3), 1.0..1.5_f64, 1.0..1.4_f64).prop_map(|(mass, i, y, z)| {
        let i: R = mass * i;
        let inertia = Vec3::new(i, i * R::from_f64(y), i * R::from_f64(z));
        Motion::Dynamic(MassProperties { mass, inertia })
    });
    let motion = prop_oneof![3 => mass, 1 => Just(Motion::Kinematic), 1 => Just(Motion::Fixed)];
    // what no body can be, `Body::new` refuses by itself
    (motion, pose(decades, 0.05)).prop_filter_map("no such body", |(motion, pose)| Body::new(motion, pose).ok())
}

fn shape<R: Real>(decades: f64) -> impl Strategy<Value = Shape<R>> {
    let size = || size(decades, 0.2);
    prop_oneof![
        Just(Shape::HalfSpace),
        size().prop_map(|radius| Shape::Sphere { radius }),
        (size(), size()).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
        (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
        [size(), size(), size()].prop_map(|half| Shape::Box { half: Vec3::from(half) }),
        amount(decades, 0.1).prop_map(|radius| Shape::Sphere { radius }),
    ]
}

/// `usual`, and one time in three something else.
fn or<T: Clone + std::fmt::Debug + 'static>(usual: T, other: impl Strategy<Value = T> + 'static) -> BoxedStrategy<T> {
    prop_oneof![2 => Just(usual), 1 => other].boxed()
}

fn material<R: Real>(decades: f64) -> impl Strategy<Value = Material<R>> {
    let usual = Material::default();
    (
        or(usual.friction, amount(decades, 1.0)),
        or(usual.rolling_friction, size(decades, 1e-3)),
        or(usual.spinning_friction, size(decades, 1e-3)),
        or(usual.restitution, (0.0..1.01_f64).prop_map(R::from_f64)),
        or(usual.compliance, amount(decades, 1e-3)),
        or(usual.damping, amount(decades, 1.0)),
    )
        .prop_map(|(friction, rolling_friction, spinning_friction, restitution, compliance, damping)| Material {
            friction,
            rolling_friction,
            spinning_friction,
            restitution,
            compliance,
            damping,
        })
}

fn collider<R: Real>(decades: f64) -> impl Strategy<Value = Collider<R>> {
    let filter = (1..4_u16, 0..4_u16).prop_map(|(groups, touches)| Filter { groups, touches });
    (
        shape(decades),
        or(Pose::IDENTITY, pose(decades, 0.05)),
        material(decades),
        or(Vec3::default(), vector(decades, 1.0)),
        prop_oneof![8 => Just(Filter::default()), 1 => filter],
    )
        .prop_map(|(shape, pose, material, surface_velocity, filter)| Collider {
            shape,
            pose,
            material,
            surface_velocity,
            filter,
        })
}

fn coordinate() -> impl Strategy<Value = Coordinate> {
    prop_oneof![Just(Coordinate::Turn), Just(Coordinate::Slide)]
}

fn motor<R: Real>(decades: f64) -> impl Strategy<Value = Motor<R>> {
    (any::<bool>(), number(decades, 1.0), size(decades, 1.0)).prop_filter_map("no such motor", |(to, target, limit)| {
        if to { Motor::position(target, limit).ok() } else { Motor::velocity(target, limit).ok() }
    })
}

fn joint<R: Real>(decades: f64) -> impl Strategy<Value = Joint<R>> {
    let frame = || pose(decades, 0.1);
    let (number, size) = (|| number(decades, 1.0), || size(decades, 0.1));
    let kind = prop_oneof![
        5 => prop::sample::select(vec![
            Kind::Ball, Kind::Revolute, Kind::Prismatic, Kind::Cylindrical, Kind::Universal, Kind::Fixed,
        ]),
        1 => (size(), number()).prop_map(|(length, rate)| Kind::Distance { length, rate }),
        1 => (size(), number()).prop_map(|(length, rate)| Kind::Rope { length, rate }),
        1 => number().prop_map(|pitch| Kind::Screw { pitch }),
        1 => (number(), frame(), frame())
            .prop_map(|(ratio, bearing_a, bearing_b)| Kind::Gear { ratio, bearing_a, bearing_b }),
        1 => (number(), frame(), frame())
            .prop_map(|(radius, guide_a, bearing_b)| Kind::Rack { radius, guide_a, bearing_b }),
    ];
    let limit = (coordinate(), number(), number());
    let spring = (coordinate(), size(), size(), number());
    let extras = (
        prop::option::of(limit),
        prop::option::of((coordinate(), motor(decades))),
        prop::option::of(spring),
        prop::option::of(0.0..3.2_f64),
    );
    (kind, frame(), frame(), extras).prop_filter_map("no such joint", |(kind, frame_a, frame_b, extras)| {
        let joint = Joint::new(kind, frame_a, frame_b).ok()?;
        let (limit, motor, spring, cone) = extras;
        // an extra that this joint cannot have is left away
        let joint = limit.map_or(joint, |(at, lo, hi)| joint.with_limit(at, lo, hi).unwrap_or(joint));
        let joint = motor.map_or(joint, |(at, motor)| joint.with_motor(at, motor).unwrap_or(joint));
        let spring = spring.and_then(|(at, k, d, rest)| Some((at, Spring::new(k, d, rest).ok()?)));
        let joint = spring.map_or(joint, |(at, spring)| joint.with_spring(at, spring).unwrap_or(joint));
        Some(cone.map_or(joint, |angle| joint.with_cone(R::from_f64(angle)).unwrap_or(joint)))
    })
}

fn settings<R: Real>(decades: f64) -> impl Strategy<Value = StepSettings<R>> {
    let usual = StepSettings::<R>::default();
    let share = |usual| or(usual, prop_oneof![4 => Just(0.5), 1 => 0.01..1.01_f64].prop_map(R::from_f64));
    let sleep = (size(decades, 1.0), size(decades, 10.0), size(decades, 0.01));
    let sleep = prop_oneof![
        Just(Some(Sleep { speed: R::from_f64(0.1), spin: R::ONE, time: R::from_f64(0.004) })),
        sleep.prop_map(|(speed, spin, time)| Some(Sleep { speed, spin, time })),
    ];
    let solve = (
        or(R::ONE, (0.1..2.02_f64).prop_map(R::from_f64)),
        0..40_u32,
        or(R::from_f64(1e-12), amount(decades, 1e-6)),
        prop_oneof![Just(FrictionModel::Ncp), Just(FrictionModel::Ccp)],
        prop_oneof![3 => Just(StepRule::Safe), 1 => Just(StepRule::Average)],
        prop_oneof![3 => Just(Start::Warm), 1 => Just(Start::Cold), 1 => Just(Start::Trusted)],
        (prop_oneof![3 => Just(Method::Anderson), 1 => Just(Method::Psor)], or(R::INFINITY, amount(decades, 1.0))),
    )
        .prop_map(|(omega, iterations, tolerance, friction, step, start, (method, impulse_ceiling))| Settings {
            method,
            impulse_ceiling,
            omega,
            iterations,
            tolerance,
            friction,
            step,
            start,
            answer: tumble::Answer::default(),
        });
    let lengths = (
        or(usual.gravity, vector(decades, 1.0)),
        or(usual.slop, amount(decades, 1.0)),
        or(usual.recovery_speed, amount(decades, 1.0)),
        or(usual.bounce_threshold, amount(decades, 1.0)),
    );
    let damping = (or(usual.mass_damping, amount(decades, 1.0)), or(usual.stiffness_damping, amount(decades, 1.0)));
    let shares = (share(usual.stabilisation), share(usual.alpha), share(usual.beta));
    let landing = prop_oneof![Just(Landing::Ahead), Just(Landing::Touching)];
    // some too few and some too many
    let pyramid = prop_oneof![8 => 4..=16_u8, 1 => 0..32_u8].prop_map(Some);
    let contacts = (landing, or(None, pyramid));
    (lengths, damping, shares, contacts, or(1, prop_oneof![20 => 2..4_u16, 1 => Just(0)]), or(None, sleep), solve)
        .prop_map(|(lengths, damping, shares, (landing, pyramid), substeps, sleep, solve)| {
            let (gravity, slop, recovery_speed, bounce_threshold) = lengths;
            let (mass_damping, stiffness_damping) = damping;
            let (stabilisation, alpha, beta) = shares;
            StepSettings {
                gravity,
                stabilisation,
                slop,
                recovery_speed,
                bounce_threshold,
                alpha,
                beta,
                mass_damping,
                stiffness_damping,
                landing,
                pyramid,
                substeps,
                sleep,
                solve,
                plan: None,
            }
        })
}
