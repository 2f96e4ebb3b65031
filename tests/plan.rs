//! A step by plan and by the clock: never more than was planned, the same bits from the same plan, nothing changed where there is time for all.

#![allow(clippy::disallowed_methods)] // a test may panic

use tumble::body::{Body, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::world::{Collider, Costs, Material, Plan, StepReport, StepSettings, World};
use tumble::{Budget, Clock, ClockHealth, Error, Method, Settings, Status};

type Pile = World<f32, 9, 64, 256>;

/// Costs of the size they have on a Cortex-M4F. Instructions
const COSTS: Costs = Costs {
    step: 3000,
    body: 1500,
    shape: 400,
    look: 40,
    ball_pair: 500,
    round_pair: 500,
    plane_pair: 700,
    box_pair: 4000,
    cylinder_pair: 6000,
    climb: 1000,
    corner: 15,
    contact: 700,
    level: 60,
    joint: 2000,
    solve: 1000,
    row: 500,
    row_sweep: 200,
    loose_sweep: 60,
    closing_body: 600,
};

/// Four boxes on each other and four balls beside them, a little apart; what bounces and what does not.
fn pile() -> Pile {
    let mut world = Pile::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    for k in 0..4_u8 {
        let up = f32::from(k);
        let cube = Shape::Box { half: Vec3::new(0.01, 0.01, 0.01) };
        add(&mut world, cube, Vec3::new(1e-4 * up, 0.0, 0.0101 + 0.0201 * up), 0.0);
        let ball = Shape::Sphere { radius: 0.005 };
        add(&mut world, ball, Vec3::new(0.05, 1e-4 * up, 0.006 + 0.0105 * up), 0.5);
    }
    world
}

fn add(world: &mut Pile, shape: Shape<f32>, position: Vec3<f32>, restitution: f32) {
    let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
    let id = world.add_body(Body::new(motion, Pose::at(position)).unwrap()).unwrap();
    let material = Material { restitution, ..Material::default() };
    world.add_collider(id, Collider { material, ..Collider::new(shape) }).unwrap();
}

fn settings(substeps: u16, ticks: u32) -> StepSettings<f32> {
    let solve = Settings { iterations: 40, tolerance: 0.0, ..Settings::default() };
    StepSettings { solve, substeps, plan: Some(Plan { costs: COSTS, ticks }), ..StepSettings::default() }
}

fn run(world: &mut Pile, steps: u32, settings: &StepSettings<f32>, mut see: impl FnMut(StepReport<f32>)) -> u64 {
    for _ in 0..steps {
        see(world.step(1e-3, settings).unwrap());
    }
    world.state_hash()
}

#[test]
fn a_planned_step_costs_no_more_than_its_plan() {
    for substeps in [1, 2] {
        // all of them time enough for collision
        for ticks in [150_000, 250_000, 400_000, 1_600_000].map(|ticks| ticks * u32::from(substeps)) {
            let settings = settings(substeps, ticks);
            let (mut cut, mut most) = (0, 0);
            run(&mut pile(), 300, &settings, |report| {
                let cost = COSTS.of(&report.work);
                assert!(cost <= ticks, "{cost} of {ticks}: {report:?}");
                let capped = report.solve.status == Status::Cap;
                cut += u32::from(capped && report.solve.iterations < 40 * u32::from(substeps));
                most = most.max(cost);
            });
            // the smallest has no time for all sweeps, the largest has
            let plenty = ticks >= 1_600_000;
            assert!(plenty || cut > 0, "{ticks}: {cut} steps cut");
            assert!(!plenty || substeps > 1 || cut == 0, "{ticks}: {cut} steps cut");
            // what is planned is used: rows are planned for twice as often as they are solved, which is what is left
            assert!(plenty || most > ticks / 2, "{most} of {ticks}");
        }
    }
}

#[test]
fn the_same_plan_gives_the_same_bits_and_a_generous_one_changes_nothing() {
    let tight = settings(1, 200_000);
    assert_eq!(run(&mut pile(), 200, &tight, |_| ()), run(&mut pile(), 200, &tight, |_| ()));
    let free = StepSettings { plan: None, ..tight };
    let generous = settings(1, u32::MAX);
    assert_eq!(run(&mut pile(), 200, &free, |_| ()), run(&mut pile(), 200, &generous, |_| ()));
    assert_ne!(run(&mut pile(), 200, &free, |_| ()), run(&mut pile(), 200, &tight, |_| ()));
}

#[test]
fn a_plan_without_time_for_the_bodies_is_refused_and_one_without_time_for_a_sweep_is_not() {
    let mut world = pile();
    let before = world.state_hash();
    let least = COSTS.step + 9 * (COSTS.body + COSTS.shape);
    assert_eq!(world.step(1e-3, &settings(1, least - 1)), Err(Error::OutOfRange("plan ticks")));
    assert_eq!(world.step(1e-3, &settings(2, 2 * least - 1)), Err(Error::OutOfRange("plan ticks")));
    assert_eq!(world.state_hash(), before);
    // until all touch
    run(&mut world, 100, &settings(1, u32::MAX), |_| ());
    let report = world.step(1e-3, &settings(1, least)).unwrap();
    assert_eq!((report.solve.status, report.solve.iterations), (Status::Cap, 0));

    // of what there is room for, not of what is there: nothing that comes into the world makes a plan too short
    let mut empty = World::<f32, 9, 64, 256, 12, 2>::new();
    let least = COSTS.step + 9 * COSTS.body + 12 * COSTS.shape + 2 * COSTS.joint;
    assert_eq!(empty.check_step(1e-3, &settings(1, least - 1)), Err(Error::OutOfRange("plan ticks")));
    assert_eq!(empty.step(1e-3, &settings(1, least - 1)), Err(Error::OutOfRange("plan ticks")));
    assert_eq!(empty.check_step(1e-3, &settings(1, least)), Ok(()));
    assert!(empty.step(1e-3, &settings(1, least)).is_ok());
}

/// A thousand ticks pass at every reading.
struct Ticking {
    now: u32,
    readings: u32,
}

impl Clock for Ticking {
    fn ticks(&mut self) -> u32 {
        self.readings += 1;
        self.now = self.now.wrapping_add(1000);
        self.now
    }
}

#[test]
fn a_clock_cuts_sweeps_and_changes_nothing_while_there_is_time() {
    let settings = StepSettings { plan: None, ..settings(1, 0) };
    let (mut free, mut watched) = (pile(), pile());
    let mut clock = Ticking { now: u32::MAX - 10_000, readings: 0 };
    for _ in 0..100 {
        let there = free.step(1e-3, &settings).unwrap();
        let mut budget = Budget::new(&mut clock, 1_000_000_000).unwrap();
        let here = watched.step_within(1e-3, &settings, &mut budget).unwrap();
        assert_eq!((there, ClockHealth::Good), (here, budget.health()));
    }
    assert_eq!(free.state_hash(), watched.state_hash());

    // thirty readings are not enough for the sweeps over a hundred rows that it takes
    let mut cut = 0;
    for _ in 0..100 {
        let before = clock.readings;
        let mut budget = Budget::new(&mut clock, 30_000).unwrap();
        let report = watched.step_within(1e-3, &settings, &mut budget).unwrap();
        cut += u32::from(report.solve.status == Status::Deadline);
        assert!(report.solve.energy.is_finite() && report.solve.iterations <= 40, "{report:?}");
        // one more at every island's start and end
        assert!(clock.readings - before <= 30 + 8 * 9, "{} readings", clock.readings - before);
    }
    assert!(cut > 50, "{cut} steps cut");
}

/// A cube on the floor, and how many looks at balls and contacts its first step took with room for so many of its four contacts.
fn looks_of_cube<const CONTACTS: usize>(tilt: f32) -> (u32, u32) {
    let mut world = World::<f32, 2, CONTACTS, 12>::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let shape = Shape::Box { half: Vec3::new(0.01, 0.01, 0.01) };
    let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
    let orientation = Quat::new(1.0, tilt, 0.0, 0.0).unwrap();
    let cube = Body::new(motion, Pose { position: Vec3::new(0.0, 0.0, 0.0099), orientation }).unwrap();
    let cube = world.add_body(cube).unwrap();
    world.add_collider(cube, Collider::new(shape)).unwrap();
    let report = world.step(1e-3, &StepSettings::default()).unwrap();
    assert_eq!(report.work.contacts, 4);
    (report.work.looks, report.contacts_dropped)
}

#[test]
fn a_contact_too_many_is_a_look_at_all_there_are_and_at_those_it_moves() {
    let (looks, dropped) = looks_of_cube::<4>(0.0);
    assert_eq!(dropped, 0);
    // none is deeper than another: nothing moves
    assert_eq!(looks_of_cube::<3>(0.0), (looks + 3, 1));
    assert_eq!(looks_of_cube::<2>(0.0), (looks + 2 * 2, 2));
    // one side is deeper: of its two contacts those that find no room take that of others
    let both = [1e-3, -1e-3].map(looks_of_cube::<2>);
    assert!(both.iter().all(|(found, dropped)| *dropped == 2 && (looks + 4..=looks + 8).contains(found)), "{both:?}");
    assert!(both.iter().any(|(found, _)| *found > looks + 4), "{both:?}");
}

/// Eight elastic balls on the floor, one on the other, by turns on their way up and down: Newton's
/// law would gain energy, so the island is solved twice.
fn elastic_column() -> Pile {
    let mut world = Pile::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    for number in 0..8_u8 {
        add(&mut world, Shape::Sphere { radius: 0.01 }, Vec3::new(0.0, 0.0, 0.01 + 0.02 * f32::from(number)), 1.0);
    }
    let balls: Vec<_> = world.body_ids().skip(1).collect();
    for (ball, speed) in balls.into_iter().zip([1.0, -2.0].into_iter().cycle()) {
        let velocity = Vec6::from([0.0, 0.0, speed, 0.0, 100.0, 0.0]);
        world.body_mut(ball).unwrap().set_velocity(velocity).unwrap();
    }
    world
}

/// Of [`elastic_column`] after a step.
fn speeds(world: &Pile) -> Vec<f32> {
    world.body_ids().map(|id| world.body(id).unwrap().velocity().linear.z).collect()
}

/// Block sweeps converge slowly here: neither solve ends before its time is up. Were all of it the
/// first one's, the second would end where it starts.
#[test]
fn deadline_leaves_half_the_time_to_the_second_solve_of_a_bouncing_island() {
    let solve = Settings { method: Method::Block, iterations: 2000, tolerance: 0.0, ..Settings::default() };
    let settings = StepSettings { gravity: Vec3::default(), solve, ..StepSettings::default() };
    let mut free = elastic_column();
    let report = free.step(1e-4, &settings).unwrap();
    assert_eq!(report.work.solves, 2);
    let expected = speeds(&free);
    for readings in (600..1000).step_by(17) {
        let mut world = elastic_column();
        let mut clock = Ticking { now: 0, readings: 0 };
        let mut budget = Budget::new(&mut clock, 1000 * readings).unwrap();
        let report = world.step_within(1e-4, &settings, &mut budget).unwrap();
        assert_eq!((report.work.solves, report.solve.status), (2, Status::Deadline), "{readings} readings");
        let found = speeds(&world);
        let near = found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 2e-2);
        assert!(near, "{readings} readings: {found:?}, not {expected:?}");
    }
}

#[test]
fn plan_is_kept_by_an_island_that_is_solved_twice() {
    let mut cut = 0;
    for ticks in (60..200).map(|thousands| 1000 * thousands) {
        let mut world = elastic_column();
        let report = world.step(1e-4, &StepSettings { gravity: Vec3::default(), ..settings(1, ticks) }).unwrap();
        let cost = COSTS.of(&report.work);
        assert!(cost <= ticks, "{cost} of {ticks}: {report:?}");
        cut += u32::from(report.work.solves == 2 && report.solve.status == Status::Cap);
    }
    assert!(cut > 50, "{cut} steps with two solves cut");
}
