//! Mechanisms: the factor of a tree is linear in its joints, also where one body has very many, and joints alone are solved directly, as dense elimination does.
//!
//! Tolerance: masses and arms of size one, so that v is right to the condition of a chain of joints, some hundred at this length: 1e-10.

// tests may panic, and compare with std's functions
#![allow(clippy::disallowed_methods, missing_docs)]

mod support;

use proptest::prelude::*;
use support::exact::{apart, by_elimination, to_the_end};
use support::{Block, Body, Built, Law, Scene};
use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Admissible, RowInput};
use tumble::solve::Exact;
use tumble::{FrictionModel, Report, Settings};

type Large<R> = Built<R, 256, 1400>;
type Room<R> = Exact<R, 256, 1600, 40_000>;

fn body(k: usize) -> Body {
    let mut inverse_mass = [[0.0; 6]; 6];
    (0..6).for_each(|i| inverse_mass[i][i] = 1.0 / (1.0 + (k * 5 % 7) as f64));
    Body { inverse_mass, v_free: std::array::from_fn(|i| ((k * 3 + i * 5) % 7) as f64 - 3.0) }
}

/// A ball joint of three rows, or with two more a hinge, whose place depends on k.
fn joint(k: usize, a: usize, b: Option<usize>, rows: usize) -> impl Iterator<Item = Block> {
    let place = move |s: usize| {
        Vec3::new(((k * 7 + s) % 5) as f64 - 2.0, ((k * 3 + s) % 4) as f64 - 1.5, ((k + s) % 3) as f64 - 1.0) * 0.5
    };
    let axis = |i: usize| Vec3::from(std::array::from_fn::<f64, 3, _>(|j| if i % 3 == j { 1.0 } else { 0.0 }));
    (0..rows).map(move |i| {
        let row = if i < 3 {
            RowInput::at_point(axis(i), place(0), place(1))
        } else {
            RowInput::new(Vec6::new(Vec3::default(), axis(i)), Vec6::new(Vec3::default(), -axis(i)))
        };
        let row = RowInput { target_velocity: 0.01 * (k % 5) as f64, ..row };
        Block { a, b, law: Law::Row(Admissible::Bilateral), rows: vec![row] }
    })
}

/// Joints of so many rows between these bodies.
fn mechanism(bodies: usize, rows: usize, joints: impl Iterator<Item = (usize, Option<usize>)>) -> Scene {
    let blocks = joints.enumerate().flat_map(|(k, (a, b))| joint(k, a, b, rows));
    Scene { bodies: (0..bodies).map(body).collect(), blocks: blocks.collect() }
}

fn star(n: usize, rows: usize) -> Scene {
    mechanism(n + 1, rows, (1..=n).map(|k| (k, Some(0))))
}

fn chain(n: usize, rows: usize) -> Scene {
    mechanism(n, rows, (0..n).map(|k: usize| (k, k.checked_sub(1))))
}

/// A chain, each link with two legs.
fn caterpillar(n: usize, rows: usize) -> Scene {
    let link = |k: usize| if k < n { k.checked_sub(1) } else { Some((k - n) / 2) };
    mechanism(3 * n, rows, (0..3 * n).map(move |k| (k, link(k))))
}

/// Every body hangs on one before it.
fn tree(n: usize, rows: usize, seed: &[usize]) -> Scene {
    mechanism(n, rows, (0..n).map(|k| (k, (k > 0).then(|| seed[k % seed.len()] % k.max(1)))))
}

/// Report, velocities, places of the factor, energy of the start.
fn solve<R: Real + Send>(scene: &Scene) -> (Report<R>, Vec<f64>, usize, R) {
    let work = || {
        let mut exact = Room::<R>::new();
        let mut built: Large<R> = scene.build_in();
        let settings = to_the_end(FrictionModel::Ccp);
        let start = built.solve(&Settings { iterations: 0, ..settings }).energy;
        let report = built.problem.solve_exactly(&mut exact, &settings).unwrap();
        (report, built.velocities(), exact.nonzeros(), start)
    };
    // megabytes of buffers, more than a test's stack has
    std::thread::scope(|scope| {
        std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

fn agrees(name: &str, scene: &Scene) {
    let expected = by_elimination(scene).unwrap_or_else(|| panic!("{name}: rows depend on each other"));
    let (report, v, ..) = solve::<f64>(scene);
    let off = apart(&v, &expected);
    assert!(off < 1e-10, "{name}: off by {off:e}, {report:?}");
    assert_eq!(report.iterations, 0, "{name}");
    let (report, v, ..) = solve::<f32>(scene);
    let off = apart(&v, &expected);
    assert!(off < 1e-3, "{name}, f32: off by {off:e}, {report:?}");
}

#[test]
fn hubs_as_dense_elimination() {
    // 37 rows make a hub
    for n in [11, 12, 13, 20, 40] {
        agrees("star", &star(n, 3));
        // the hub itself is held, by as many joints as it takes no part
        let held = |n: usize| (1..=n).map(|k| (k, Some(0))).chain([(0, None)]);
        agrees("held star", &mechanism(n + 1, 3, held(n)));
        agrees(
            "held star, hub second",
            &mechanism(n + 1, 3, held(n).map(|(a, b)| if b == Some(0) { (0, Some(a)) } else { (a, b) })),
        );
        // two hubs with arms of their own, joined; through one body, two, five; by two joints at once
        for between in [0, 1, 2, 5] {
            let first_arm = 2 + between;
            let arms = (0..2 * n).map(|k| (first_arm + k, Some(k % 2)));
            let link = |k: usize| if k == 0 { 0 } else { 1 + k };
            let last = (link(between), Some(1));
            let links = (0..between).map(|k| (2 + k, Some(link(k)))).chain([last]);
            agrees("two hubs", &mechanism(first_arm + 2 * n, 3, arms.clone().chain(links.clone())));
            agrees(
                "two hubs, one held",
                &mechanism(first_arm + 2 * n, 3, arms.clone().chain(links.clone()).chain([(0, None)])),
            );
            agrees("two hubs, held", &mechanism(first_arm + 2 * n, 3, links.chain([(1, None)]).chain(arms)));
        }
        // arms that stand on both hubs: each closes a loop
        let both = (0..n).flat_map(|k| [(2 + k, Some(0)), (2 + k, Some(1))]);
        agrees("ladder", &mechanism(n + 2, 2, both));
    }
}

/// 34 hubs in a line, each with six hinged arms: more than there is room for. Joints that are all obeyed by a v that impulses of these joints alone have changed: no
/// other v does that.
#[test]
fn more_hubs_than_there_is_room_for() {
    let joints = (0..34_usize).flat_map(|hub| {
        let spine = (hub, hub.checked_sub(1));
        (0..6).map(move |k| (34 + 6 * hub + k, Some(hub))).chain([spine])
    });
    let scene = mechanism(34 * 7, 5, joints);
    let (report, .., start) = solve::<f64>(&scene);
    // (64 ε)² for each of 1190 rows
    assert!(report.energy <= 1190.0 * (64.0 * f64::EPSILON).powi(2) * start, "{report:?} {start:?}");
}

/// Rows between hubs and the ground alone, of all kinds there are: their pivots must not vanish.
#[test]
fn hubs_without_arms() {
    // 6 of 7 rows hold it, three times six of them are compliant: no dependence
    let mut scene = mechanism(3, 3, (0..14).flat_map(|_| [(0, None), (0, Some(1)), (1, Some(2)), (2, None)]));
    scene.blocks.iter_mut().enumerate().for_each(|(k, block)| block.rows[0].compliance = 0.5 + (k % 3) as f64);
    agrees("hubs and the ground", &scene);
}

// ---- fill -------------------------------------------------------------------------------------------------------------------------------

/// Places of the factor for each row.
fn fill(scene: &Scene) -> f64 {
    let (_, _, nonzeros, _) = solve::<f32>(scene);
    nonzeros as f64 / scene.row_count() as f64
}

/// A joint's r rows feel each other, (r − 1)/2 places each, and one joint above them, r; a hub instead, 6. So a tree should need at most `(r − 1)/2 + r + 6` places a row,
/// whatever its size.
#[test]
fn the_factor_of_a_tree_is_linear() {
    for rows in [3, 5] {
        let most = (rows as f64 - 1.0) / 2.0 + rows as f64 + 6.0;
        for n in [8, 16, 32, 64, 128, 250] {
            let star = fill(&star(n, rows));
            let chain = fill(&chain(n, rows));
            // up to 36 rows on a body all feel each other
            assert!(star <= if n * rows > 36 { most } else { 17.5 }, "star of {n}: {star}");
            assert!(chain <= most - 6.0, "chain of {n}: {chain}");
        }
        for n in [8, 16, 32, 64, 80] {
            let caterpillar = fill(&caterpillar(n, rows));
            // legs first, each felt by the other leg or the link, and by one neighbour
            assert!(caterpillar <= (rows as f64 - 1.0) / 2.0 + 2.0 * rows as f64, "caterpillar of {n}: {caterpillar}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_trees(n in 2..250_usize, seed in prop::collection::vec(0..1_000_000_usize, 250), rows in 1..=5_usize) {
        let scene = tree(n, rows, &seed);
        let most = (rows as f64 - 1.0) / 2.0 + rows as f64 + 6.0;
        let fill = fill(&scene);
        // up to 36 rows on a body that is no hub feel each other: what a body with b joints costs is b²/2 of r² for its b r rows
        prop_assert!(fill <= most + 18.0, "{n} {rows}: {fill}");
        if n < 40 {
            agrees("tree", &scene);
        }
    }
}
