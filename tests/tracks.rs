//! Tracks hold what lies on them, and are built whole or not at all.
#![allow(clippy::disallowed_methods, reason = "tests may panic")]

use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::shape::Shape;
use tumble::twin::{Actuators, PartKind, Twin, track};
use tumble::world::{AnyWorld, Material, StepSettings};

type Bench = Twin<12, 32, 96, 16, 0>;

const RADIUS: f32 = 5e-3;

#[test]
fn tracks_hold_what_lies_on_them() {
    let settings = StepSettings::default();
    type Build = fn(&mut Bench, BodyId) -> Result<(), Error>;
    let tracks: [(&str, Build, Vec3<f32>); 5] = [
        (
            "flat",
            |twin, body| track::add_flat(&mut twin.world, body, (0.2, 0.1), Material::default()),
            Vec3::new(0.1, 0.0, 0.006),
        ),
        (
            "rail",
            |twin, body| track::add_rail(&mut twin.world, body, (0.2, 0.011), 0.01, Material::default()),
            Vec3::new(0.1, 0.0, 0.006),
        ),
        (
            "channel",
            |twin, body| track::add_channel(&mut twin.world, body, 0.011, Material::default()),
            Vec3::new(0.1, 0.0, 0.006),
        ),
        (
            "groove",
            |twin, body| track::add_groove(&mut twin.world, body, 0.8, Material::default()),
            Vec3::new(0.1, 0.0, 0.009),
        ),
        (
            "bowl",
            |twin, body| {
                let bowl = track::BowlTrack {
                    radius: 0.1,
                    width: 0.02,
                    wall: 0.01,
                    rise: 0.03,
                    turns: 0.5,
                    bank: 0.0,
                    plates: 6,
                };
                assert!((bowl.place(0.5).position - Vec3::new(0.0, 0.1, 0.0075)).z.abs() < 1e-6);
                bowl.add(&mut twin.world, body, Material::default())
            },
            // 45° round, three eighths of the way up
            Vec3::new(0.0, 0.1, 0.0145),
        ),
    ];
    for (name, build, place) in tracks {
        let mut twin = Bench::new();
        let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        build(&mut twin, body).unwrap_or_else(|error| panic!("{name}: {error}"));
        let part = PartKind {
            shape: Shape::Sphere { radius: RADIUS },
            density: 1000.0,
            material: Material::default(),
            is_guided: true,
        };
        part.add(&mut twin.world, Pose::at(place), Vec6::ZERO).unwrap();
        (0..300).for_each(|_| {
            let _ = twin.step(1e-3, &settings, &Actuators::OFF).unwrap();
        });
        let part = twin.world.body_ids().last().unwrap();
        let off = twin.world.body(part).unwrap().pose().position - place;
        assert!(off.dot(off).sqrt() < 3e-3, "{name}: {off:?}");
    }
}

#[test]
fn a_bowl_is_built_plate_by_plate() {
    let bowl = track::BowlTrack { radius: 0.1, width: 0.02, wall: 0.01, rise: 0.03, turns: 0.5, bank: 0.0, plates: 6 };
    let built = |from: u16, between: u16, to: u16| {
        let mut twin = Bench::new();
        let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        for range in [from..between, between..to] {
            bowl.add_plates(&mut twin.world, body, range, Material::default()).unwrap();
        }
        assert_eq!(
            bowl.add_plates(&mut twin.world, body, 5..7, Material::default()),
            Err(Error::OutOfRange("numbers"))
        );
        let mut shapes = Vec::new();
        twin.world.for_each_collider(&mut |_, _, collider| shapes.push((collider.shape, collider.pose)));
        shapes
    };
    // on the circle, with every feature
    for share in [0.1, 0.35, 0.8] {
        let Vec3 { x, y, .. } = bowl.place(share).position;
        assert!(((x * x + y * y).sqrt() - bowl.radius).abs() < 1e-7, "{share}");
    }
    // where a plate is does not depend on who else is there
    let whole = built(0, 0, 6);
    assert_eq!(whole.len(), 12);
    assert_eq!(whole, built(0, 2, 6));
    assert_eq!(whole[4..8], built(2, 4, 4));
}

/// Room for one shape less than each of them has; then for all of them.
#[test]
fn bowls_that_are_none_are_refused() {
    let good = track::BowlTrack { radius: 0.1, width: 0.02, wall: 0.01, rise: 0.03, turns: 0.5, bank: 0.1, plates: 6 };
    let mut twin = Twin::<1, 1, 3, 12, 0>::new();
    let body = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY).unwrap()).unwrap();
    for (bowl, name) in [
        (track::BowlTrack { bank: f32::NAN, ..good }, "bank"),
        (track::BowlTrack { bank: f32::INFINITY, ..good }, "bank"),
        (track::BowlTrack { bank: -1.0, ..good }, "bank"),
        (track::BowlTrack { rise: 1e6, ..good }, "rise"),
        (track::BowlTrack { rise: f32::NAN, ..good }, "rise"),
        (track::BowlTrack { turns: 10.0, ..good }, "plates"),
        (track::BowlTrack { width: 0.2, ..good }, "width"),
    ] {
        let refused = bowl.add(&mut twin.world, body, Material::default());
        assert_eq!(refused, Err(Error::OutOfRange(name)));
        assert_eq!(AnyWorld::collider_count(&twin.world), 0);
    }
    good.add(&mut twin.world, body, Material::default()).unwrap();
    // banked, its plates are higher inside: parts are thrown against the wall
    let mut seen = 0;
    twin.world.for_each_collider(&mut |_, _, plate| {
        let Vec3 { x, y, .. } = plate.pose.position;
        let outwards = Vec3::new(x, y, 0.0) * (1.0 / (x * x + y * y).sqrt());
        let up = plate.pose.orientation.turn(Vec3::new(0.0, 0.0, 1.0));
        assert!((up.dot(outwards) - 0.1_f32.sin()).abs() < 2e-3, "{up:?} {outwards:?}");
        seen += 1;
    });
    assert_eq!(seen, 12);
}

#[test]
fn a_track_that_does_not_fit_leaves_nothing() {
    type Add = fn(&mut dyn AnyWorld, BodyId, f32) -> Result<(), Error>;
    fn tracks() -> [(usize, Add); 5] {
        fn rough(friction: f32) -> Material<f32> {
            Material { friction, ..Material::default() }
        }
        fn bowl() -> track::BowlTrack {
            track::BowlTrack { radius: 0.1, width: 0.02, wall: 0.01, rise: 0.03, turns: 0.5, bank: 0.0, plates: 6 }
        }
        [
            (1, |world, body, mu| track::add_flat(world, body, (0.2, 0.1), rough(mu))),
            (3, |world, body, mu| track::add_rail(world, body, (0.2, 0.1), 0.01, rough(mu))),
            (3, |world, body, mu| track::add_channel(world, body, 0.1, rough(mu))),
            (2, |world, body, mu| track::add_groove(world, body, 0.8, rough(mu))),
            (12, |world, body, mu| bowl().add(world, body, rough(mu))),
        ]
    }
    for (shapes, add) in tracks() {
        let mut twin = Bench::new();
        let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        // 16 places
        for _ in 0..17 - shapes {
            track::add_flat(&mut twin.world, body, (0.1, 0.1), Material::default()).unwrap();
        }
        let before = twin.world.state_hash();
        assert_eq!(add(&mut twin.world, body, 0.3), Err(Error::CapacityExceeded("colliders")));
        assert_eq!((twin.world.state_hash(), AnyWorld::collider_count(&twin.world)), (before, 17 - shapes));
        let mut twin = Bench::new();
        let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        assert_eq!(add(&mut twin.world, body, -1.0), Err(Error::Negative("friction")));
        assert_eq!(AnyWorld::collider_count(&twin.world), 0);
        add(&mut twin.world, body, 0.3).unwrap();
        assert_eq!(AnyWorld::collider_count(&twin.world), shapes);
    }
    // a wall that is none, after a plate that is one
    let mut twin = Bench::new();
    let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    assert!(track::add_rail(&mut twin.world, body, (0.2, 0.1), 5e-39, Material::default()).is_err());
    assert_eq!(AnyWorld::collider_count(&twin.world), 0);
}

/// x of a place goes along the helix, however steep, and no plate begins higher than the one before ends.
#[test]
fn a_bowl_is_as_steep_as_its_helix() {
    for rise in [0.0_f32, 0.03, 0.2, 0.6] {
        let bowl = track::BowlTrack { radius: 0.1, width: 0.02, wall: 0.01, rise, turns: 0.5, bank: 0.0, plates: 12 };
        let along = bowl.place(0.3).orientation.turn(Vec3::new(1.0, 0.0, 0.0));
        let way = bowl.place(0.301).position - bowl.place(0.299).position;
        let cosine = along.dot(way) / way.dot(way).sqrt();
        assert!(cosine > 1.0 - 1e-5, "{rise}: {cosine}");

        let mut twin = Twin::<1, 1, 3, 24, 0>::new();
        let body = twin.world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        bowl.add(&mut twin.world, body, Material::default()).unwrap();
        let mut plates = Vec::new();
        twin.world.for_each_collider(&mut |_, _, collider| {
            if let Shape::Box { half } = collider.shape {
                plates.push((collider.pose, half));
            }
        });
        // walls stand between them
        let tops: Vec<_> = plates.iter().step_by(2).collect();
        for pair in tops.windows(2) {
            let [(lower, half), (upper, _)] = [*pair[0], *pair[1]];
            let end = lower.point(Vec3::new(half.x, 0.0, half.z));
            let begin = upper.point(Vec3::new(-half.x, 0.0, half.z));
            // in the middle of the track they overlap by what the outer side needs
            let overlap = 2.0 * half.x * along.z * 0.01 / 0.11;
            let step = end.z - begin.z - overlap;
            assert!((-0.1e-3..0.4e-3).contains(&step), "{rise}: {step}");
        }
    }
}
