//! What a caller can get wrong, by name.

use super::*;
use Error::{EmptyInterval, Negative, NonFinite, NonPositive, OutOfRange};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

fn bad_pose() -> Pose<f64> {
    Pose::at(Vec3::new(0.0, NAN, 0.0))
}

#[test]
fn joints_refuse_by_name() {
    let good = Pose::IDENTITY;
    let zero = Vec3::default();
    assert_eq!(Joint::revolute(bad_pose(), good).unwrap_err(), NonFinite("frame_a"));
    assert_eq!(Joint::revolute(good, bad_pose()).unwrap_err(), NonFinite("frame_b"));
    assert_eq!(Joint::distance(zero, zero, 0.0).unwrap_err(), NonPositive("length"));
    assert_eq!(Joint::rope(zero, zero, -1.0).unwrap_err(), NonPositive("length"));
    assert_eq!(Joint::rope(zero, zero, INF).unwrap_err(), NonFinite("length"));
    assert_eq!(Joint::new(Kind::Rope { length: 1.0, rate: NAN }, good, good).unwrap_err(), NonFinite("rate"));
    assert_eq!(Joint::screw(good, good, 0.0).unwrap_err(), OutOfRange("pitch"));
    assert_eq!(Joint::screw(good, good, NAN).unwrap_err(), NonFinite("pitch"));
    assert_eq!(Joint::gear(0.0, &good, good, &good, good).unwrap_err(), OutOfRange("ratio"));
    assert_eq!(Joint::rack(0.0, &good, good, &good, good).unwrap_err(), OutOfRange("radius"));
    let gear = Kind::Gear { ratio: 1.0, bearing_a: good, bearing_b: bad_pose() };
    assert_eq!(Joint::new(gear, good, good).unwrap_err(), NonFinite("bearing_b"));
    let rack = Kind::Rack { radius: 1.0, guide_a: bad_pose(), bearing_b: good };
    assert_eq!(Joint::new(rack, good, good).unwrap_err(), NonFinite("guide_a"));
    assert_eq!(Joint::frame(zero, zero).unwrap_err(), NonPositive("axis"));
    assert_eq!(Joint::frame(zero, Vec3::new(0.0, NAN, 1.0)).unwrap_err(), NonFinite("axis"));
    assert_eq!(Joint::frame(Vec3::new(INF, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0)).unwrap_err(), NonFinite("point"));
}

#[test]
fn drives_refuse_by_name() {
    assert_eq!(Limit::new(1.0, 0.0).unwrap_err(), EmptyInterval);
    assert_eq!(Limit::new(INF, INF).unwrap_err(), EmptyInterval);
    assert_eq!(Limit::new(NAN, 0.0).unwrap_err(), NonFinite("lo"));
    assert_eq!(Limit::new(0.0, NAN).unwrap_err(), NonFinite("hi"));
    assert!(Limit::new(-INF, 0.0).is_ok());
    assert_eq!(Motor::velocity(NAN, 1.0).unwrap_err(), NonFinite("velocity"));
    assert_eq!(Motor::velocity(1.0, -1.0).unwrap_err(), Negative("limit"));
    assert_eq!(Motor::velocity(1.0, NAN).unwrap_err(), NonFinite("limit"));
    assert_eq!(Motor::velocity(1.0, -INF).unwrap_err(), NonFinite("limit"));
    assert!(Motor::velocity(1.0, INF).is_ok());
    assert_eq!(Motor::position(INF, 1.0).unwrap_err(), NonFinite("position"));
    let target = |rate, speed| Target::Position { position: 0.0, rate, speed };
    assert_eq!(Motor::new(target(NAN, 1.0), 1.0).unwrap_err(), NonFinite("rate"));
    assert_eq!(Motor::new(target(0.0, -1.0), 1.0).unwrap_err(), Negative("speed"));
    assert_eq!(Spring::new(-1.0, 0.0, 0.0).unwrap_err(), Negative("stiffness"));
    assert_eq!(Spring::new(1.0, -1.0, 0.0).unwrap_err(), Negative("damping"));
    assert_eq!(Spring::new(0.0, 0.0, 0.0).unwrap_err(), NonPositive("stiffness"));
    assert_eq!(Spring::new(INF, 0.0, 0.0).unwrap_err(), NonFinite("stiffness"));
    assert_eq!(Spring::new(1.0, 0.0, NAN).unwrap_err(), NonFinite("rest"));
}

#[test]
fn coordinates_that_are_not_free_are_refused() {
    let mut random = Random(21);
    let motor = Motor::velocity(1.0, 1.0).unwrap();
    let spring = Spring::new(1.0, 0.0, 0.0).unwrap();
    for joint in each_kind(&mut random) {
        for coordinate in [Coordinate::Turn, Coordinate::Slide] {
            let free = match coordinate {
                Coordinate::Turn => matches!(joint.kind(), Kind::Revolute | Kind::Cylindrical | Kind::Screw { .. }),
                Coordinate::Slide => matches!(joint.kind(), Kind::Prismatic | Kind::Cylindrical | Kind::Screw { .. }),
            };
            let string = matches!(joint.kind(), Kind::Distance { .. } | Kind::Rope { .. });
            assert_eq!(joint.with_limit(coordinate, 0.0, 1.0).is_ok(), free);
            assert_eq!(joint.with_motor(coordinate, motor).is_ok(), free);
            let soft = free || (string && coordinate == Coordinate::Slide);
            assert_eq!(joint.with_spring(coordinate, spring).is_ok(), soft);
        }
        let bends = matches!(joint.kind(), Kind::Ball | Kind::Universal);
        assert_eq!(joint.with_cone(1.0).is_ok(), bends);
        for angle in [0.0, -1.0, 3.2, NAN] {
            assert!(joint.with_cone(angle).is_err());
        }
    }
}

#[test]
fn steps_refuse_by_name_and_hand_over_nothing() {
    let good = StepContext::implicit(1e-3, 0.2);
    let joint = Joint::revolute(Pose::IDENTITY, Pose::IDENTITY).unwrap();
    for (step, error) in [
        (StepContext { h: 0.0, ..good }, NonPositive("h")),
        (StepContext { h: NAN, ..good }, NonFinite("h")),
        (StepContext { stabilisation: 0.0, ..good }, OutOfRange("stabilisation")),
        (StepContext { stabilisation: 1.5, ..good }, OutOfRange("stabilisation")),
        (StepContext { alpha: NAN, ..good }, OutOfRange("alpha")),
        (StepContext { beta: 0.0, ..good }, OutOfRange("beta")),
    ] {
        let mut count = 0;
        let result = joint.rows(&Pose::IDENTITY, &Pose::IDENTITY, Vec6::ZERO, Vec6::ZERO, &step, &mut |_, _| {
            count += 1;
            Ok(())
        });
        assert_eq!((result, count), (Err(error), 0));
    }
    // what the receiver refuses comes back
    let full = Error::CapacityExceeded("rows");
    let result = joint.rows(&Pose::IDENTITY, &Pose::IDENTITY, Vec6::ZERO, Vec6::ZERO, &good, &mut |_, _| Err(full));
    assert_eq!(result, Err(full));
}

#[test]
fn max_rows_is_kept_with_everything_on() {
    let mut random = Random(22);
    let good = StepContext::implicit(1.0, 0.2);
    let motor = Motor::velocity(1.0, 1.0).unwrap();
    let spring = Spring::new(1.0, 0.0, 0.0).unwrap();
    let mut most = 0;
    for _ in 0..20 {
        for mut joint in each_kind(&mut random) {
            for coordinate in [Coordinate::Turn, Coordinate::Slide] {
                joint = joint.with_limit(coordinate, -0.1, 0.1).unwrap_or(joint);
                joint = joint.with_motor(coordinate, motor).unwrap_or(joint);
                joint = joint.with_spring(coordinate, spring).unwrap_or(joint);
            }
            joint = joint.with_cone(0.5).unwrap_or(joint);
            let v = [random.velocity() * 100.0, random.velocity()];
            // `collect` asserts the promise
            let rows = collect(&joint, [&random.pose(), &random.pose()], v, &good);
            assert!(rows.iter().all(|(row, _)| row.jacobian_a.is_finite() && row.target_velocity.is_finite()));
            most = if rows.len() > most { rows.len() } else { most };
        }
    }
    assert_eq!(most, Joint::<f64>::MAX_ROWS);
}
