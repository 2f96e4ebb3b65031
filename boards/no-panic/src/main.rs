//! The proof that neither solver nor world nor record nor twin nor its terminals can panic: the panic handler calls a function that exists nowhere. As long as one panic
//! is reachable the linker needs it and fails; when the optimiser has shown that none is, nobody asks for it.
//!
//! Inputs come through `black_box`, so that nothing is known of them when this compiles.
#![no_std]
#![no_main]

mod terminals;
#[cfg(feature = "unchecked")]
mod twin;

use core::hint::black_box;
use core::panic::PanicInfo;
use cortex_m_rt::entry;
use tumble::body::{Body, Motion};
use tumble::collide::{events, ratio};
use tumble::joint::{Coordinate, Joint, Motor, Spring};
use tumble::math::{Pose, Quat, Real, Vec3, Vec6, float_env_ok};
use tumble::record::{Head, Reader, Record, Recorder, Sink, Verdict, Writer, replay};
use tumble::rig::{ScriptedClock, SolveRecord};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::shape::{Compound, Edge, Facet, Hull, Part, Polyhedron, Shape};
use tumble::solve::Exact;
use tumble::world::{Collider, Costs, Landing, Material, Plan, Sleep, StepSettings, World};
use tumble::{Answer, BodyIndex, Budget, Error, FrictionModel, Method, Problem, Settings, Start, StepRule};

#[entry]
fn main() -> ! {
    loop {
        let _ = black_box(exercise::<f32, 4, 32>());
        let _ = black_box(exercise::<f64, 5, 40>());
        let _ = black_box((exercise_world::<f32>(black_box(&SINGLE)), exercise_world::<f64>(black_box(&DOUBLE))));
        let _ = black_box((exercise_shapes::<f32>(), exercise_shapes::<f64>()));
        black_box((exercise_metric::<f32>(black_box(&SINGLE)), exercise_metric::<f64>(black_box(&DOUBLE))));
        let _ = black_box((exercise_snapshot::<f32>(black_box(&SINGLE)), exercise_snapshot::<f64>(black_box(&DOUBLE))));
        let _ = black_box(exercise_record());
        let _ = black_box(terminals::exercise());
        black_box(float_env_ok());
        #[cfg(feature = "unchecked")]
        let _ = black_box(twin::exercise());
        #[cfg(feature = "planted-panic")]
        black_box([1, 2, 3][black_box(3)]);
    }
}

/// Tables behind a reference that nobody knows: any there can be.
static SINGLE: Polyhedron<f32> = Polyhedron {
    vertices: &[],
    facets: &[],
    rims: &[],
    edges: &[],
    volume: 1.0,
    moments: Vec3::new(1.0, 1.0, 1.0),
    radius: 1.0,
};
static DOUBLE: Polyhedron<f64> = Polyhedron {
    vertices: &[],
    facets: &[],
    rims: &[],
    edges: &[],
    volume: 1.0,
    moments: Vec3::new(1.0, 1.0, 1.0),
    radius: 1.0,
};

/// Everything a caller can do with a problem, with inputs nobody knows.
#[inline(never)]
fn exercise<R: Real, const BODIES: usize, const ROWS: usize>() -> Result<R, Error> {
    let mut problem = Problem::<R, BODIES, ROWS>::new();
    let number = || black_box(R::ONE);
    let six = || Vec6::from([number(), number(), number(), number(), number(), number()]);

    let mut bodies: [Option<BodyIndex>; 3] = [None; 3];
    for body in &mut bodies {
        *body = Some(problem.add_body(InverseMass::new(number(), [number(), number(), number()])?, six())?);
    }
    problem.add_body(InverseMass::from_matrix([six().into(); 6])?, six())?;
    let (Some(a), b) = (bodies[0], black_box(bodies[1])) else { return Err(Error::NoSuchBody) };

    let input = RowInput { jacobian_a: six(), jacobian_b: six(), target_velocity: number(), compliance: number() };
    let contact = RowInput::contact(six().linear, six().linear, six().angular);
    let mu = number();
    let mut row = problem.add_row(a, b, &input, Admissible::Bilateral)?;
    for admissible in
        [Admissible::Unilateral, Admissible::Bounded { lo: number(), hi: number() }, Admissible::Friction { mu }]
    {
        row = problem.add_row(a, black_box(b), &input, admissible)?;
    }
    let corners = black_box(8);
    for friction in
        [Friction::Cone { mu }, Friction::Pyramid { mu }, Friction::Polygon { mu, corners }, Friction::Box { mu }]
    {
        problem.add_contact(a, black_box(b), &contact, friction)?;
        problem.add_friction_pair(a, black_box(b), &[input, contact[1]], mu)?;
    }
    problem.set_impulse(row, number())?;

    let mut exact = Exact::<R, BODIES, ROWS, 400>::new();
    let (mut sum, mut record) = (R::ZERO, SolveRecord::new());
    for (friction, method) in [(FrictionModel::Ccp, Method::Psor), (FrictionModel::Ncp, Method::Anderson)] {
        let settings = Settings {
            method: black_box(method),
            impulse_ceiling: number(),
            omega: number(),
            iterations: black_box(10),
            tolerance: number(),
            friction: black_box(friction),
            step: black_box(StepRule::Safe),
            start: black_box(Start::Warm),
            answer: black_box(Answer::Best),
        };
        let report = problem.solve(&settings)?;
        let mut clock = ScriptedClock::new(black_box(1)).with_bits(black_box(24))?.expiring_at(black_box(9));
        let mut budget = Budget::new(&mut clock, black_box(1000))?;
        record.record(&problem.solve_within(&settings, &mut budget)?, budget.slack());
        sum += report.energy + report.violation + problem.natural_residual(black_box(friction));
        sum += problem.solve_exactly(&mut exact, &settings)?.energy;
        let mut budget = Budget::new(&mut clock, black_box(1000))?;
        record.record(&problem.solve_exactly_within(&mut exact, &settings, &mut budget)?, budget.slack());
    }
    black_box(exact.nonzeros());
    black_box((record.all_cut(), record.cut_energy_below(black_box(99))?));
    sum += problem.impulse(row)? + problem.velocity(a)?.linear.x;
    sum += problem.impulses().chain(problem.velocities().map(|v| v.angular.z)).fold(R::ZERO, |sum, x| sum + x);
    problem.clear_rows();
    problem.set_free_velocity(a, six())?;
    problem.clear();
    Ok(sum)
}

/// Everything that makes shapes, and tables that nobody knows.
#[inline(never)]
fn exercise_shapes<R: Real>() -> Result<R, Error> {
    let number = || black_box(R::ONE);
    let three = || Vec3::new(number(), number(), number());
    let points = [three(), three(), three(), three(), three(), three()];
    let many = black_box(&points[..]);
    let hull = Hull::<R, 8, 8, 14>::of(many)?;
    let mut sum = hull.volume() + hull.radius() + hull.moments().x + hull.frame().position.x;
    sum += Hull::<R, 8, 6, 12>::within(black_box(&[[1.0_f32; 3].into(); 9][..]), black_box(1.0))?.volume();
    sum += Hull::<R, 8, 6, 12>::cuboid(three())?.volume();
    sum += Hull::<R, 12, 8, 18>::prism(black_box(6), number(), number())?.volume();
    sum += Hull::<R, 24, 14, 36>::die(number(), number())?.volume();
    black_box((hull.vertices(), hull.facets(), hull.rims(), hull.edges()));

    let facet =
        |first| Facet { normal: black_box(Vec3::default()), offset: black_box(R::ONE), first, corners: black_box(3) };
    let polyhedron = Polyhedron {
        vertices: black_box(&[]),
        facets: black_box(&[]),
        rims: black_box(&[0; 12]),
        edges: black_box(&[Edge { vertices: [0; 2], facets: [0; 2] }; 6]),
        volume: number(),
        moments: three(),
        radius: number(),
    };
    polyhedron.check()?;
    black_box(polyhedron.rim(&facet(black_box(3))));
    let pose = Pose {
        position: three(),
        orientation: Quat::new(number(), number(), number(), number()).unwrap_or(Quat::IDENTITY),
    };
    let part = Part { shape: black_box(Shape::Box { half: three() }), pose, density: number() };
    let compound = Compound::of(black_box(&[part; 3][..]))?;
    Ok(sum + compound.mass.mass + compound.place(&pose).position.x)
}

/// Everything a caller can do with a world.
#[inline(never)]
fn exercise_world<R: Real>(polyhedron: &'static Polyhedron<R>) -> Result<R, Error> {
    let mut world = World::<R, 6, 8, 160, 12, 12>::new();
    let number = || black_box(R::ONE);
    let three = || Vec3::new(number(), number(), number());
    let pose = || Pose {
        position: three(),
        orientation: Quat::new(number(), number(), number(), number()).unwrap_or(Quat::IDENTITY),
    };
    let shapes = [
        Shape::Sphere { radius: number() },
        Shape::Capsule { radius: number(), half_length: number() },
        Shape::Cylinder { radius: number(), half_length: number() },
        Shape::Box { half: three() },
        Shape::Polyhedron(polyhedron),
        Shape::HalfSpace,
    ];
    let (mut first, mut last) = (None, None);
    for shape in shapes {
        let motion = match shape.mass_properties(number()) {
            Ok(properties) => Motion::Dynamic(properties),
            Err(_) => black_box(Motion::Kinematic),
        };
        let id = world.add_body(Body::new(motion, pose())?)?;
        let material = Material {
            friction: number(),
            rolling_friction: number(),
            spinning_friction: number(),
            restitution: number(),
            compliance: number(),
            damping: number(),
        };
        for _ in 0..2 {
            let made = Collider { shape, pose: pose(), material, surface_velocity: three(), ..Collider::new(shape) };
            let on_body = world.add_collider(id, made)?;
            world.set_collider(on_body, black_box(*world.collider(on_body)?))?;
        }
        let body = world.body_mut(id)?;
        body.set_velocity(Vec6::new(three(), three()))?;
        body.add_force(Vec6::new(three(), three()))?;
        body.set_pose(pose())?;
        first = first.or(Some(id));
        last = Some(id);
    }
    let settings = StepSettings {
        gravity: three(),
        stabilisation: number(),
        slop: number(),
        recovery_speed: number(),
        bounce_threshold: number(),
        alpha: number(),
        beta: number(),
        mass_damping: number(),
        stiffness_damping: number(),
        landing: black_box(Landing::Ahead),
        pyramid: black_box(Some(8)),
        substeps: black_box(2),
        sleep: black_box(Some(Sleep { speed: number(), spin: number(), time: number() })),
        solve: Settings::default(),
        plan: black_box(Some(Plan { costs: Costs::CORTEX_M4F, ticks: 1_000_000 })),
    };
    let (frame_a, frame_b) = (pose(), pose());
    let joints = [
        Joint::ball(three(), three())?.with_cone(number())?,
        Joint::revolute(frame_a, frame_b)?.with_motor(Coordinate::Turn, Motor::velocity(number(), number())?)?,
        Joint::prismatic(frame_a, frame_b)?
            .with_spring(Coordinate::Slide, Spring::new(number(), number(), number())?)?,
        Joint::cylindrical(frame_a, frame_b)?.with_limit(Coordinate::Turn, number(), number())?,
        Joint::universal(frame_a, frame_b)?,
        Joint::fixed(frame_a, frame_b)?,
        Joint::distance(three(), three(), number())?,
        Joint::rope(three(), three(), number())?,
        Joint::screw(frame_a, frame_b, number())?,
        Joint::gear(number(), &frame_a, frame_a, &frame_b, frame_b)?,
        Joint::rack(number(), &frame_a, frame_a, &frame_b, frame_b)?,
    ];
    let mut joint = None;
    if let Some(a) = first {
        for made in joints {
            joint = Some(world.add_joint(a, black_box(last), made)?);
        }
    }
    let mut clock = ScriptedClock::new(black_box(1));
    let _ = world.step_within(number(), &settings, &mut Budget::new(&mut clock, black_box(1000))?)?;
    let mut exact = Exact::<R, 6, 60, 600>::new();
    let unplanned = StepSettings { plan: black_box(None), ..settings };
    let mut budget = Budget::new(&mut clock, black_box(1000))?;
    let _ = world.step_with(number(), &unplanned, &mut exact, black_box(Some(&mut budget)))?;
    let report = world.step(number(), &settings)?;
    let mut sum = report.penetration + report.solve.energy + world.kinetic_energy();
    for id in world.body_ids() {
        let body = world.body(id)?;
        sum += body.point_velocity(three()).x + body.angular_momentum().y + world.contact_force(id)?.z;
    }
    for contact in world.contacts() {
        sum += contact.position.x + contact.normal.y + contact.gap + contact.force.z + contact.torque.x;
    }
    if let Some(id) = joint {
        sum += world.reaction(id)?.force.x
            + world.joint(id)?.turn(&pose(), &pose())
            + world.joint(id)?.slide(&pose(), &pose());
        world.joint_mut(id)?.set_motor(Coordinate::Turn, None)?;
        world.remove_joint(id)?;
    }
    if let Some(id) = last {
        world.remove_body(id)?;
    }
    black_box(world.state_hash());
    world.clear();
    Ok(sum)
}

/// A world of nobody knows what, out of bytes that nobody knows, and back.
#[inline(never)]
fn exercise_snapshot<R: Real>(polyhedron: &'static Polyhedron<R>) -> Result<(), Error> {
    let mut world = World::<R, 6, 8, 160, 12, 12>::new();
    let solids = black_box([polyhedron; 2]);
    let mut buffer = [0; 64];
    let mut input = Reader::new(black_box(&buffer[..]));
    world.restore(black_box(&solids), &mut input)?;
    black_box(input.position());
    let mut writer = Writer::new(black_box(&mut buffer));
    world.save(black_box(&solids), &mut writer)?;
    black_box(writer.finish()?);
    Ok(())
}

/// A run written down, and one that nobody knows replayed.
#[inline(never)]
fn exercise_record() -> Result<Verdict, Error> {
    let head = Head {
        name: black_box("name"),
        h: black_box(1.0),
        settings: black_box(StepSettings::default()),
        exact: black_box([0; 3]),
        hash_every: black_box(10),
        inputs: black_box(4),
    };
    let mut buffer = [0; 256];
    let save = |out: &mut dyn Sink| {
        out.put(black_box(&[1, 2, 3]));
        black_box(Ok(()))
    };
    let mut recorder = Recorder::<_, 8>::begin(Writer::new(&mut buffer), &head, save)?;
    for _ in 0..black_box(9) {
        recorder.step(black_box(&[1, 2, 3, 4][..]), || black_box(7))?;
    }
    let bytes = recorder.end(|| black_box(8)).finish()?;
    let Ok(record) = Record::open(black_box(bytes)) else { return Err(Error::Truncated) };
    black_box((record.head().name, record.snapshot(), record.len()));
    Ok(replay(&record, |inputs| {
        black_box(inputs);
        black_box(Ok(9))
    }))
}

/// The ratio metric, by itself.
#[inline(never)]
fn exercise_metric<R: Real>(polyhedron: &'static Polyhedron<R>) -> R {
    let number = || black_box(R::ONE);
    let pose = || Pose::at(Vec3::new(number(), number(), number()));
    let found = ratio(polyhedron, &pose(), polyhedron, &pose());
    let mut sum = found.r + found.rho + found.gap + found.point.x + found.normal.y;
    events((polyhedron, &pose()), (polyhedron, &pose()), number(), |event| {
        let [a, b] = event.row();
        sum += event.phi() + event.gap() + a.linear.x + b.angular.z + event.position().y + event.normal().z;
    });
    sum
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe extern "C" {
        fn a_panic_is_reachable() -> !;
    }
    // SAFETY: never linked: the function does not exist.
    unsafe { a_panic_is_reachable() }
}
