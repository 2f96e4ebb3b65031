//! Polyhedra thrown onto a table, thousands of times: a cube is a fair die, a block of 2 : 1 : 1 is none.
//!
//! ```text
//! throw     orientation evenly over all rotations, 30 to 80 mm up, up to 0.5 m/s and 30 rad/s along each axis
//! table     a half-space, restitution 0.3, μ = 0.3; steps of 2 ms, single precision
//! at rest   on a facet to 0.5°, slower than 10 mm/s and 1 rad/s for 20 steps on end: too slow to tip over
//! fair      χ² = Σ (n_i − n/6)²/(n/6) over six faces, below 15.09 in 99 of 100 tests of a fair die (5 degrees of freedom)
//! ```
//! The seed is fixed, so that the verdict is.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Quat, Vec3, Vec6};
use tumble::shape::{Polyhedron, Shape};
use tumble::world::{Collider, Material, StepSettings, World};
use tumble_scenes::solids::{BLOCK, CUBE};

type Table = World<f32, 2, 16, 48>;

/// A tenth in debug: the same code, slower; χ² does not depend on how many.
const THROWS: u32 = if cfg!(debug_assertions) { 600 } else { 6_000 };
const H: f32 = 2e-3;
/// Far more than any takes: 6 s.
const STEPS: u32 = 3_000;

/// Marsaglia's xorshift, 64 bits.
struct Random(u64);

impl Random {
    /// Evenly between −1 and 1.
    fn within_one(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / 8_388_608.0 - 1.0
    }

    fn vector(&mut self) -> Vec3<f32> {
        Vec3::new(self.within_one(), self.within_one(), self.within_one())
    }

    /// Evenly over all rotations: a direction in four dimensions, from a ball that no corner of the cube is in.
    fn rotation(&mut self) -> Quat<f32> {
        loop {
            let [w, x, y, z] = [(); 4].map(|()| self.within_one());
            if (0.01..1.0).contains(&(w * w + x * x + y * y + z * z)) {
                return Quat::new(w, x, y, z).unwrap();
            }
        }
    }
}

fn table(solid: &'static Polyhedron<f32>) -> (Table, BodyId) {
    let mut world = Table::new();
    let material = Material { friction: 0.3, restitution: 0.3, ..Material::default() };
    let ground = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
    world.add_collider(ground, Collider { material, ..Collider::new(Shape::HalfSpace) }).unwrap();
    let shape = Shape::Polyhedron(solid);
    let motion = Motion::Dynamic(shape.mass_properties(1200.0).unwrap());
    let die = world.add_body(Body::new(motion, Pose::at(Vec3::new(0.0, 0.0, 0.1))).unwrap()).unwrap();
    world.add_collider(die, Collider { material, ..Collider::new(shape) }).unwrap();
    (world, die)
}

/// The facet on which it comes to rest, by its number; `None` where it does not.
fn throw(world: &mut Table, die: BodyId, solid: &Polyhedron<f32>, random: &mut Random) -> Option<usize> {
    let position = Vec3::new(0.0, 0.0, 0.055 + 0.025 * random.within_one());
    let body = world.body_mut(die).unwrap();
    body.set_pose(Pose { position, orientation: random.rotation() }).unwrap();
    body.set_velocity(Vec6::new(random.vector() * 0.5, random.vector() * 30.0)).unwrap();
    let mut still = 0;
    for _ in 0..STEPS {
        let report = world.step(H, &StepSettings::default()).unwrap();
        assert!(report.penetration < 2e-3 && report.contacts_dropped == 0, "{report:?}");
        let body = world.body(die).unwrap();
        let Vec6 { linear: v, angular: w } = body.velocity();
        let down = body.pose().orientation.inverse().turn(Vec3::new(0.0, 0.0, -1.0));
        let along = |i: usize| solid.facets[i].normal.dot(down);
        let lowest = (0..solid.facets.len()).max_by(|&i, &j| along(i).total_cmp(&along(j))).unwrap();
        // cos 0.5°
        let rests = along(lowest) > 0.999_96 && v.dot(v) < 1e-4 && w.dot(w) < 1.0;
        still = if rests { still + 1 } else { 0 };
        if still == 20 {
            return Some(lowest);
        }
    }
    None
}

/// How often each facet is the one it comes to rest on.
fn throws(solid: &'static Polyhedron<f32>, seed: u64) -> Vec<u32> {
    let (mut world, die) = table(solid);
    let mut random = Random(seed);
    let mut often = vec![0; solid.facets.len()];
    for number in 0..THROWS {
        match throw(&mut world, die, solid, &mut random) {
            Some(facet) => often[facet] += 1,
            None => panic!("throw {number} does not come to rest: {:?}", world.body(die).unwrap()),
        }
    }
    often
}

#[test]
fn a_cube_is_a_fair_die() {
    let often = throws(&CUBE, 2007);
    let expected = f64::from(THROWS) / 6.0;
    let chi_squared: f64 = often.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum();
    println!("{THROWS} throws: {often:?}, χ² = {chi_squared:.2}");
    assert!(chi_squared < 15.09, "{often:?}: χ² = {chi_squared}");
}

#[test]
fn a_block_lands_less_often_on_its_small_faces() {
    let often = throws(&BLOCK, 2007);
    let (mut small, mut large) = ((0, 0), (0, 0));
    for (facet, n) in BLOCK.facets.iter().zip(&often) {
        // the ends are the faces farthest from the middle
        let kind = if facet.offset > 0.012 { &mut small } else { &mut large };
        *kind = (kind.0 + 1, kind.1 + n);
    }
    let share = |(faces, n): (u32, u32)| f64::from(n) / f64::from(faces) / f64::from(THROWS);
    println!("{THROWS} throws: {often:?}, per small face {:.4}, per large {:.4}", share(small), share(large));
    assert_eq!((small.0, large.0), (2, 4));
    // seen from the middle an end takes 6.4 % of all directions and a large face 21.8 %: 0.29 if it stuck where it lands; and an end tips over more easily
    assert!(share(small) < 0.29 * share(large), "{often:?}");
    // the four are alike: within four standard deviations of a quarter each
    let mean = f64::from(large.1) / 4.0;
    let alike = |(facet, n): (&tumble::shape::Facet<f32>, &u32)| {
        facet.offset > 0.012 || (f64::from(*n) - mean).abs() < 4.0 * (0.75 * mean).sqrt()
    };
    assert!(BLOCK.facets.iter().zip(&often).all(alike), "{often:?}");
}
