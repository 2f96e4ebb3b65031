//! Sleep and islands: what rests is left out and keeps its forces, wakes in the very step in which something happens to it, and does so in the
//! same way every time.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::joint::{Coordinate, Joint, Motor};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::world::{Collider, ColliderId, Landing, Sleep, StepReport, StepSettings, World};

type Yard = World<f64, 8, 32, 96, 8, 1>;

const G: f64 = 9.81;
const H: f64 = 1e-3;
const SIZE: f64 = 0.02;

fn sleepy() -> StepSettings<f64> {
    StepSettings { sleep: Some(Sleep::default()), ..StepSettings::default() }
}

/// Three boxes on a plate that moves as told, and what they weigh.
struct Pile {
    world: Yard,
    plate: BodyId,
    plate_collider: ColliderId,
    boxes: [BodyId; 3],
    weight: f64,
}

fn add_box(world: &mut Yard, x: f64, z: f64) -> BodyId {
    let shape = Shape::Box { half: Vec3::new(SIZE / 2.0, SIZE / 2.0, SIZE / 2.0) };
    let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
    let id = world.add_body(Body::new(motion, Pose::at(Vec3::new(x, 0.0, z))).unwrap()).unwrap();
    world.add_collider(id, Collider::new(shape)).unwrap();
    id
}

impl Pile {
    fn new() -> Self {
        let mut world = Yard::new();
        let plate = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        let plate_collider = world.add_collider(plate, Collider::new(Shape::HalfSpace)).unwrap();
        let boxes = [0.5, 1.5, 2.5].map(|layer| add_box(&mut world, 0.0, layer * SIZE));
        Self { world, plate, plate_collider, boxes, weight: 3.0 * 2700.0 * SIZE * SIZE * SIZE * G }
    }

    fn asleep() -> Self {
        let mut pile = Self::new();
        // twice the time of rest: a box that begins on its place settles at once
        for _ in 0..1000 {
            let _ = pile.step();
        }
        assert!(pile.sleeps(), "still awake after a second");
        pile
    }

    fn step(&mut self) -> StepReport<f64> {
        self.world.step(H, &sleepy()).unwrap()
    }

    fn sleeps(&self) -> bool {
        self.boxes.iter().all(|id| self.world.body(*id).unwrap().is_asleep())
    }

    fn awake(&self) -> bool {
        self.boxes.iter().all(|id| !self.world.body(*id).unwrap().is_asleep())
    }

    fn load(&self) -> f64 {
        -self.world.contact_force(self.plate).unwrap().z
    }

    fn top(&self) -> Body<f64> {
        *self.world.body(self.boxes[2]).unwrap()
    }
}

#[test]
fn a_pile_falls_asleep_together_and_keeps_its_forces() {
    let mut pile = Pile::new();
    let mut first = None;
    for step in 1..=1000 {
        let report = pile.step();
        // all of them or none
        assert_eq!(report.bodies_asleep, if pile.sleeps() { 3 } else { 0 });
        assert!(pile.sleeps() || pile.awake());
        if pile.sleeps() && first.is_none() {
            first = Some(step);
        }
    }
    // slow from the beginning, it sleeps as soon as it has rested long enough
    let time = H * f64::from(first.unwrap());
    assert!((time - 0.5).abs() < 2.0 * H, "asleep after {time} s");
    let bodies = |pile: &Pile| pile.boxes.map(|id| *pile.world.body(id).unwrap());
    let (before, load) = (bodies(&pile), pile.load());
    // solved to 1e-12 J a step: √(2e-12 · 65 g)/1 ms
    assert!((load - pile.weight).abs() < 0.4e-3, "{load}, not {}", pile.weight);
    for _ in 0..100 {
        let report = pile.step();
        assert_eq!((report.islands, report.bodies_asleep, report.solve.iterations), (0, 3, 0));
    }
    // what sleeps stands, bit by bit, and presses on
    assert_eq!(pile.load(), load);
    assert!(before.iter().all(|body| body.velocity() == Vec6::ZERO));
    assert_eq!(bodies(&pile), before);
}

#[test]
fn without_settings_for_it_nothing_sleeps() {
    let mut pile = Pile::asleep();
    let report = pile.world.step(H, &StepSettings::default()).unwrap();
    assert_eq!((report.bodies_asleep, report.islands), (0, 1));
    assert!(pile.awake());
}

#[test]
fn what_moves_too_fast_stays_awake() {
    let mut world = Yard::new();
    let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
    let shape = Shape::Sphere { radius: 0.01 };
    let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
    let rolls = world.add_body(Body::new(motion, Pose::at(Vec3::new(0.0, 0.0, 0.01))).unwrap()).unwrap();
    world.add_collider(rolls, Collider::new(shape)).unwrap();
    // twice as fast as what sleeps; it rolls for ever
    let v = 2.0 * Sleep::<f64>::default().speed;
    world.body_mut(rolls).unwrap().set_velocity(Vec6::from([v, 0.0, 0.0, 0.0, v / 0.01, 0.0])).unwrap();
    for _ in 0..2000 {
        assert_eq!(world.step(H, &sleepy()).unwrap().bodies_asleep, 0);
    }
}

/// What happens to a sleeping pile, and what must have come of it after so many steps.
type Event = (&'static str, fn(&mut Pile), u32, fn(&Pile) -> bool);

const EVENTS: [Event; 11] = [
    (
        "hit",
        |pile| {
            // a ball that arrives within 20 steps
            let shape = Shape::Sphere { radius: 0.005 };
            let at = Pose::at(Vec3::new(SIZE / 2.0 + 0.015, 0.0, 1.5 * SIZE));
            let motion = Motion::Dynamic(shape.mass_properties(7850.0).unwrap());
            let mut ball = Body::new(motion, at).unwrap();
            ball.set_velocity(Vec6::from([-1.0, 0.0, 0.1, 0.0, 0.0, 0.0])).unwrap();
            let ball = pile.world.add_body(ball).unwrap();
            pile.world.add_collider(ball, Collider::new(shape)).unwrap();
        },
        20,
        |pile| pile.awake() && pile.world.body(pile.boxes[1]).unwrap().velocity().linear.x < -0.01,
    ),
    (
        "the plate rises",
        |pile| {
            let up = Vec6::from([0.0, 0.0, 0.1, 0.0, 0.0, 0.0]);
            pile.world.body_mut(pile.plate).unwrap().set_velocity(up).unwrap();
        },
        1,
        |pile| pile.awake() && pile.world.body(pile.boxes[0]).unwrap().velocity().linear.z > 0.05,
    ),
    (
        "the plate sinks faster than they fall",
        |pile| {
            let down = Vec6::from([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
            pile.world.body_mut(pile.plate).unwrap().set_velocity(down).unwrap();
        },
        50,
        // they fall freely
        |pile| pile.awake() && (pile.top().velocity().linear.z + G * 50.0 * H).abs() < 1e-2 && pile.load() == 0.0,
    ),
    (
        "the plate is put elsewhere",
        |pile| {
            let below = Pose::at(Vec3::new(0.0, 0.0, -0.1));
            pile.world.body_mut(pile.plate).unwrap().set_pose(below).unwrap();
        },
        1,
        |pile| pile.awake() && pile.top().velocity().linear.z < -0.9 * G * H,
    ),
    (
        "the plate is taken away",
        |pile| pile.world.remove_body(pile.plate).unwrap(),
        1,
        |pile| pile.awake() && pile.top().velocity().linear.z < -0.9 * G * H,
    ),
    (
        "its surface is taken away",
        |pile| pile.world.remove_collider(pile.plate_collider).unwrap(),
        1,
        |pile| pile.awake() && pile.top().velocity().linear.z < -0.9 * G * H,
    ),
    (
        "the box in the middle is taken away",
        |pile| pile.world.remove_body(pile.boxes[1]).unwrap(),
        5,
        |pile| pile.top().velocity().linear.z < -3.0 * G * H,
    ),
    (
        "the plate's surface begins to move",
        |pile| {
            let belt = *pile.world.collider(pile.plate_collider).unwrap();
            let surface_velocity = Vec3::new(0.5, 0.0, 0.0);
            pile.world.set_collider(pile.plate_collider, Collider { surface_velocity, ..belt }).unwrap();
        },
        10,
        |pile| pile.awake() && pile.world.body(pile.boxes[0]).unwrap().velocity().linear.x > 0.01,
    ),
    (
        "a force",
        |pile| {
            let push = Vec6::from([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            pile.world.body_mut(pile.boxes[2]).unwrap().add_force(push).unwrap();
        },
        1,
        |pile| pile.awake() && pile.top().velocity().linear.x > 0.01,
    ),
    (
        "a velocity",
        |pile| {
            let push = Vec6::from([0.0, 0.3, 0.0, 0.0, 0.0, 0.0]);
            pile.world.body_mut(pile.boxes[2]).unwrap().set_velocity(push).unwrap();
        },
        1,
        |pile| pile.awake() && pile.top().velocity().linear.y > 0.1,
    ),
    (
        "a joint with a motor",
        |pile| {
            let at = pile.top();
            let rail = Joint::frame(at.pose().position, Vec3::new(0.0, 0.0, 1.0)).unwrap();
            let motor = Motor::velocity(0.2, f64::INFINITY).unwrap();
            let lift = Joint::prismatic(Joint::within(at.pose(), &rail), rail).unwrap();
            let lift = lift.with_motor(Coordinate::Slide, motor).unwrap();
            pile.world.add_joint(pile.boxes[2], None, lift).unwrap();
        },
        2,
        |pile| pile.awake() && pile.top().velocity().linear.z > 0.19,
    ),
];

#[test]
fn a_sleeping_pile_wakes_at_once_whatever_happens() {
    for (name, happens, steps, came_of_it) in EVENTS {
        let run = || {
            let mut pile = Pile::asleep();
            happens(&mut pile);
            for step in 0..steps {
                let _ = pile.step();
                // where nothing has to arrive first, it is the first step that wakes it
                assert!(
                    name == "hit" || pile.boxes.iter().all(|id| !pile.world.body(*id).is_ok_and(Body::is_asleep)),
                    "{name}, step {step}"
                );
            }
            pile
        };
        let pile = run();
        assert!(came_of_it(&pile), "{name}: {:?}, load {}", pile.top().velocity(), pile.load());
        assert_eq!(run().world.state_hash(), pile.world.state_hash(), "{name}: another run, another end");
    }
}

#[test]
fn another_gravity_wakes_and_the_same_does_not() {
    let mut pile = Pile::asleep();
    let moon = StepSettings { gravity: Vec3::new(0.0, 0.0, -1.62), ..sleepy() };
    let _ = pile.world.step(H, &moon).unwrap();
    assert!(pile.awake());
    for _ in 0..1000 {
        let _ = pile.world.step(H, &moon).unwrap();
    }
    assert!(pile.sleeps());
    assert!((pile.load() - pile.weight * 1.62 / G).abs() < 0.4e-3);
    let _ = pile.world.step(H, &moon).unwrap();
    assert!(pile.sleeps());
}

#[test]
fn what_hangs_asleep_wakes_with_its_rope() {
    for cut in [true, false] {
        let mut world = Yard::new();
        let weight = add_box(&mut world, 0.0, -0.5);
        let rope = Joint::rope(Vec3::default(), Vec3::default(), 0.5).unwrap();
        let rope = world.add_joint(weight, None, rope).unwrap();
        for _ in 0..1000 {
            let _ = world.step(H, &sleepy()).unwrap();
        }
        assert!(world.body(weight).unwrap().is_asleep());
        let pull = world.reaction(rope).unwrap().force.z;
        assert!((pull - 2700.0 * SIZE * SIZE * SIZE * G).abs() < 1e-3, "{pull}");
        if cut {
            world.remove_joint(rope).unwrap();
        } else {
            // a winch that lets out at 1 m/s
            world.joint_mut(rope).unwrap().set_length(0.5, 1.0).unwrap();
        }
        let _ = world.step(H, &sleepy()).unwrap();
        let fall = world.body(weight).unwrap().velocity().linear.z;
        assert!((fall + G * H).abs() < 1e-9, "cut {cut}: {fall}");
    }
}

#[test]
fn what_happens_elsewhere_does_not_wake_a_pile() {
    let mut pile = Pile::asleep();
    let bodies = |pile: &Pile| pile.boxes.map(|id| *pile.world.body(id).unwrap());
    let before = bodies(&pile);
    // another box falls on the same plate, far away; telling a sleeper's colliders what they are already changes nothing
    let other = add_box(&mut pile.world, 1.0, 0.1);
    let same = *pile.world.collider(pile.plate_collider).unwrap();
    pile.world.set_collider(pile.plate_collider, same).unwrap();
    for _ in 0..2000 {
        let report = pile.step();
        assert!(pile.sleeps());
        assert!(report.islands <= 1);
    }
    assert_eq!(bodies(&pile), before);
    assert!(pile.world.body(other).unwrap().is_asleep());
    // and the plate bears both
    assert!((pile.load() - pile.weight * 4.0 / 3.0).abs() < 0.5e-3);
}

#[test]
fn islands_are_counted_and_solved_apart() {
    // a tall pile that takes many sweeps, and a box by itself that takes few
    let build = |tall: bool, single: bool| {
        let mut world = Yard::new();
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
        let mut ids = Vec::new();
        if tall {
            ids.extend([0.5, 1.5, 2.5, 3.5].map(|layer| add_box(&mut world, 0.0, layer * SIZE)));
        }
        if single {
            ids.push(add_box(&mut world, 0.2, 0.5 * SIZE));
        }
        (world, ids)
    };
    let ((mut both, all), (mut tall, pile), (mut single, alone)) =
        (build(true, true), build(true, false), build(false, true));
    let mut differed = 0;
    for step in 0..100 {
        let [of_both, of_tall, of_single] =
            [&mut both, &mut tall, &mut single].map(|world| world.step(H, &StepSettings::default()).unwrap());
        assert_eq!((of_both.islands, of_tall.islands, of_single.islands), (2, 1, 1));
        // the most sweeps of any, the sum of what is left
        assert_eq!(of_both.solve.iterations, of_tall.solve.iterations.max(of_single.solve.iterations), "step {step}");
        assert_eq!(of_both.solve.energy, of_tall.solve.energy + of_single.solve.energy);
        assert_eq!(of_both.contacts, of_tall.contacts + of_single.contacts);
        differed += u32::from(of_tall.solve.iterations > of_single.solve.iterations);
        // each moves, bit by bit, as if the other were not there: none is swept longer than it needs
        let state = |world: &Yard, id: &BodyId| *world.body(*id).unwrap();
        assert!(all.iter().zip(&pile).all(|(a, b)| state(&both, a) == state(&tall, b)), "step {step}");
        assert_eq!(state(&both, all.last().unwrap()), state(&single, &alone[0]), "step {step}");
    }
    assert!(differed > 0, "both took as many sweeps: nothing shown");
}

#[test]
fn islands_join_and_part() {
    let mut pile = Pile::new();
    assert_eq!(pile.world.step(H, &StepSettings::default()).unwrap().islands, 1);
    // beside it: one more; the plate between them joins nothing, as nothing moves it
    let other = add_box(&mut pile.world, 2.0 * SIZE, 0.5 * SIZE);
    assert_eq!(pile.world.step(H, &StepSettings::default()).unwrap().islands, 2);
    // touching: one
    pile.world.body_mut(other).unwrap().set_pose(Pose::at(Vec3::new(SIZE, 0.0, 0.5 * SIZE))).unwrap();
    assert_eq!(pile.world.step(H, &StepSettings::default()).unwrap().islands, 1);
    // in the air: each by itself
    pile.world.remove_body(pile.plate).unwrap();
    for (k, id) in (1..).zip(pile.boxes) {
        let apart = Pose::at(Vec3::new(0.1 * f64::from(k), 0.0, 1.0));
        pile.world.body_mut(id).unwrap().set_pose(apart).unwrap();
    }
    assert_eq!(pile.world.step(H, &StepSettings::default()).unwrap().islands, 4);
    // a rope joins two
    let rope = Joint::rope(Vec3::default(), Vec3::default(), 1.0).unwrap();
    pile.world.add_joint(pile.boxes[0], Some(pile.boxes[2]), rope).unwrap();
    assert_eq!(pile.world.step(H, &StepSettings::default()).unwrap().islands, 3);
}

#[test]
fn a_sleeper_weighs_the_same_whatever_the_step() {
    let mut pile = Pile::asleep();
    for (h, substeps) in [(H, 1), (4.0 * H, 1), (H, 4), (0.25 * H, 1), (H, 1)] {
        let _ = pile.world.step(h, &StepSettings { substeps, ..sleepy() }).unwrap();
        // three roundings a change
        assert!(pile.sleeps() && (pile.load() / pile.weight - 1.0).abs() < 1e-3, "{h} {substeps}: {} N", pile.load());
    }
}

#[test]
fn a_refused_joint_wakes_nobody() {
    let mut pile = Pile::asleep();
    let rope = Joint::rope(Vec3::default(), Vec3::default(), 1.0).unwrap();
    // the only place for a joint, far from the pile
    let elsewhere = add_box(&mut pile.world, 1.0, SIZE / 2.0);
    pile.world.add_joint(elsewhere, None, rope).unwrap();
    let hash = pile.world.state_hash();
    assert!(pile.world.add_joint(pile.boxes[0], None, rope).is_err());
    assert_eq!(pile.world.state_hash(), hash);
    assert!(pile.sleeps());
}

#[test]
fn another_body_in_the_place_of_the_plate_wakes() {
    let mut pile = Pile::asleep();
    let lower = Pose::at(Vec3::new(0.0, 0.0, -0.1));
    *pile.world.body_mut(pile.plate).unwrap() = Body::new(Motion::Fixed, lower).unwrap();
    let _ = pile.step();
    assert!(pile.awake() && pile.top().velocity().linear.z < -0.9 * G * H);
}

#[test]
fn a_plate_that_leaves_wakes_what_lay_on_it_however_contacts_are_sought() {
    for (landing, beta) in
        [(Landing::Ahead, 1.0), (Landing::Ahead, 0.5), (Landing::Touching, 1.0), (Landing::Touching, 0.5)]
    {
        let settings = StepSettings { landing, beta, ..sleepy() };
        let mut pile = Pile::new();
        for _ in 0..3000 {
            let _ = pile.world.step(H, &settings).unwrap();
        }
        assert!(pile.sleeps(), "{landing:?} {beta}");
        let leave = Vec6::from([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        pile.world.body_mut(pile.plate).unwrap().set_velocity(leave).unwrap();
        let _ = pile.world.step(H, &settings).unwrap();
        assert!(pile.awake(), "{landing:?} {beta}");
    }
}

#[test]
fn slow_drives_do_not_fall_asleep() {
    // both below the speed at which bodies may sleep
    let speed = 0.004;
    let mut pile = Pile::new();
    let belt =
        Collider { surface_velocity: Vec3::new(speed, 0.0, 0.0), ..*pile.world.collider(pile.plate_collider).unwrap() };
    pile.world.set_collider(pile.plate_collider, belt).unwrap();
    let mut driven = Yard::new();
    let slider = add_box(&mut driven, 0.0, 0.5);
    let along_x = Joint::frame(Vec3::new(0.0, 0.0, 0.5), Vec3::new(1.0, 0.0, 0.0)).unwrap();
    let at = *driven.body(slider).unwrap().pose();
    let motor = Joint::prismatic(Joint::within(&at, &along_x), along_x)
        .unwrap()
        .with_motor(Coordinate::Slide, Motor::velocity(speed, 10.0).unwrap())
        .unwrap();
    driven.add_joint(slider, None, motor).unwrap();
    for _ in 0..3000 {
        let _ = pile.step();
        let _ = driven.step(H, &sleepy()).unwrap();
    }
    // three seconds; the belt takes a moment to catch the pile
    let carried = pile.top().pose().position.x;
    assert!((carried / (3.0 * speed) - 1.0).abs() < 0.02, "{carried}");
    let slid = driven.body(slider).unwrap().pose().position.x;
    assert!((slid / (3.0 * speed) - 1.0).abs() < 1e-3, "{slid}");
}

#[test]
fn support_put_elsewhere_wakes_what_lay_on_it() {
    let mut pile = Pile::asleep();
    let aside = Pose::at(Vec3::new(0.5, 0.0, SIZE / 2.0));
    pile.world.body_mut(pile.boxes[1]).unwrap().set_pose(aside).unwrap();
    let _ = pile.step();
    assert!(pile.awake() && pile.top().velocity().linear.z < -0.9 * G * H, "{:?}", pile.top().velocity());
}

#[test]
fn body_put_elsewhere_is_awake_at_once_and_counts_its_time_at_rest_anew() {
    let mut pile = Pile::asleep();
    let (id, pose) = (pile.boxes[2], *pile.top().pose());
    pile.world.body_mut(id).unwrap().set_pose(pose).unwrap();
    assert!(!pile.top().is_asleep());
    // it sleeps after half a second of rest: not if it jumps once in 0.4 s
    for step in 0..1200 {
        if step % 400 == 0 {
            pile.world.body_mut(id).unwrap().set_pose(pose).unwrap();
        }
        let _ = pile.step();
        assert!(pile.awake(), "step {step}");
    }
    for _ in 0..200 {
        let _ = pile.step();
    }
    assert!(pile.sleeps());
}

/// A kinematic pusher 5 mm away comes at 0.1 m/s, whichever of the two bodies has been added first.
#[test]
fn kinematic_body_that_arrives_wakes_what_it_touches() {
    for pusher_first in [true, false] {
        let mut world = Yard::new();
        let half = Vec3::new(SIZE / 2.0, SIZE / 2.0, SIZE / 2.0);
        let add_pusher = |world: &mut Yard| {
            let place = Pose::at(Vec3::new(-SIZE - 5e-3, 0.0, SIZE / 2.0));
            let id = world.add_body(Body::new(Motion::Kinematic, place).unwrap()).unwrap();
            world.add_collider(id, Collider::new(Shape::Box { half })).unwrap();
            id
        };
        let early = pusher_first.then(|| add_pusher(&mut world));
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
        let part = add_box(&mut world, 0.0, SIZE / 2.0);
        let pusher = early.unwrap_or_else(|| add_pusher(&mut world));
        for _ in 0..1000 {
            let _ = world.step(H, &sleepy()).unwrap();
        }
        assert!(world.body(part).unwrap().is_asleep());
        let push = Vec6::from([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]);
        world.body_mut(pusher).unwrap().set_velocity(push).unwrap();
        for step in 1..=100 {
            let _ = world.step(H, &sleepy()).unwrap();
            // 5 mm at 0.1 m/s: it arrives within step 50
            assert_eq!(world.body(part).unwrap().is_asleep(), step < 50, "step {step}");
        }
        let moved = world.body(part).unwrap().pose().position.x;
        assert!((moved - 5e-3).abs() < 2e-4, "{moved} m");
    }
}

/// A weight hangs on a kinematic hook.
#[test]
fn kinematic_body_that_moves_wakes_what_is_joined_to_it() {
    for hook_is_a in [true, false] {
        let mut world = Yard::new();
        let hook = world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
        let weight = add_box(&mut world, 0.0, -0.5);
        let rod = Joint::distance(Vec3::default(), Vec3::default(), 0.5).unwrap();
        let (a, b) = if hook_is_a { (hook, weight) } else { (weight, hook) };
        world.add_joint(a, Some(b), rod).unwrap();
        for _ in 0..1000 {
            let _ = world.step(H, &sleepy()).unwrap();
        }
        assert!(world.body(weight).unwrap().is_asleep());
        let up = Vec6::from([0.0, 0.0, 0.1, 0.0, 0.0, 0.0]);
        world.body_mut(hook).unwrap().set_velocity(up).unwrap();
        let _ = world.step(H, &sleepy()).unwrap();
        let speed = world.body(weight).unwrap().velocity().linear.z;
        assert!((speed - 0.1).abs() < 1e-3, "{speed} m/s");
    }
}

/// Moreau's midpoint rule looks for contacts when the support has already left by half a step: the
/// box wakes by the contact of the step before.
#[test]
fn kinematic_support_that_leaves_wakes_what_lay_on_it_in_whichever_order_they_came() {
    let settings = StepSettings { landing: Landing::Touching, beta: 0.5, ..sleepy() };
    for support_first in [true, false] {
        let mut world = Yard::new();
        let add_support = |world: &mut Yard| {
            let place = Pose::at(Vec3::new(0.0, 0.0, -SIZE / 2.0));
            let id = world.add_body(Body::new(Motion::Kinematic, place).unwrap()).unwrap();
            world.add_collider(id, Collider::new(Shape::Box { half: Vec3::new(SIZE, SIZE, SIZE / 2.0) })).unwrap();
            id
        };
        let early = support_first.then(|| add_support(&mut world));
        let part = add_box(&mut world, 0.0, SIZE / 2.0);
        let support = early.unwrap_or_else(|| add_support(&mut world));
        for _ in 0..3000 {
            let _ = world.step(H, &settings).unwrap();
        }
        assert!(world.body(part).unwrap().is_asleep());
        let down = Vec6::from([0.0, 0.0, -1.0, 0.0, 0.0, 0.0]);
        world.body_mut(support).unwrap().set_velocity(down).unwrap();
        let _ = world.step(H, &settings).unwrap();
        assert!(!world.body(part).unwrap().is_asleep(), "support first: {support_first}");
    }
}
