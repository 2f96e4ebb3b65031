//! Shared by the integration tests: contact problems as plain numbers, generators of them, and what "admissible" means.

// each test program uses its own part of this; none of it is an interface
#![allow(dead_code, unreachable_pub)]

pub mod adversary;
pub mod bound;
pub mod exact;
pub mod oracle;
pub mod solved;
pub mod units;

use proptest::prelude::*;
use tumble::math::{Real, Vec6};
use tumble::rows::{Admissible, Friction, InverseMass, RowInput};
use tumble::{BodyIndex, Error, Problem, Report, RowIndex, Settings};

/// A contact problem before any solver has seen it.
#[derive(Clone, Debug)]
pub struct Scene {
    pub bodies: Vec<Body>,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
pub struct Body {
    pub inverse_mass: [[f64; 6]; 6],
    pub v_free: [f64; 6],
}

/// What is added by one call: a row, a friction pair, or a contact of three.
#[derive(Clone, Debug)]
pub struct Block {
    pub a: usize,
    /// `None`: the ground.
    pub b: Option<usize>,
    pub law: Law,
    /// As many as the law has.
    pub rows: Vec<RowInput<f64>>,
}

#[derive(Clone, Copy, Debug)]
pub enum Law {
    Row(Admissible<f64>),
    Contact(Friction<f64>),
    /// Two rows, `√(γ_1² + γ_2²) ≤ mu |γ_lead|`.
    Pair {
        mu: f64,
    },
}

impl Law {
    pub fn rows(&self) -> usize {
        match self {
            Self::Row(_) => 1,
            Self::Pair { .. } => 2,
            Self::Contact(_) => 3,
        }
    }

    /// May what follows rub on it? If not, it needs a row before it.
    pub fn leads(&self) -> bool {
        !matches!(self, Self::Row(Admissible::Friction { .. }) | Self::Pair { .. })
    }
}

/// A scene inside the library; most are small.
#[derive(Clone)]
pub struct Built<R, const BODIES: usize = 8, const ROWS: usize = 64> {
    pub problem: Problem<R, BODIES, ROWS>,
    pub bodies: Vec<BodyIndex>,
    pub rows: Vec<RowIndex>,
}

impl Scene {
    pub fn row_count(&self) -> usize {
        self.blocks.iter().map(|block| block.rows.len()).sum()
    }

    /// The scene in the library; a refusal is a failure of the test.
    pub fn build<R: Real>(&self) -> Built<R> {
        self.build_in()
    }

    /// The same in a problem of any size.
    pub fn build_in<R: Real, const BODIES: usize, const ROWS: usize>(&self) -> Built<R, BODIES, ROWS> {
        let mut built = Built::with_bodies(&self.bodies);
        for block in &self.blocks {
            built.add(block).unwrap();
        }
        built
    }
}

impl<R: Real> Built<R> {
    pub fn new(bodies: &[Body]) -> Self {
        Self::with_bodies(bodies)
    }
}

impl<R: Real, const BODIES: usize, const ROWS: usize> Built<R, BODIES, ROWS> {
    pub fn with_bodies(bodies: &[Body]) -> Self {
        let mut problem = Problem::new();
        let ids = bodies.iter().map(|body| {
            let inverse_mass = InverseMass::from_matrix(body.inverse_mass.map(|row| row.map(R::from_f64))).unwrap();
            problem.add_body(inverse_mass, Vec6::from(body.v_free.map(R::from_f64))).unwrap()
        });
        Self { bodies: ids.collect(), problem, rows: Vec::new() }
    }

    pub fn add(&mut self, block: &Block) -> Result<(), Error> {
        let (a, b) = (self.bodies[block.a], block.b.map(|b| self.bodies[b]));
        match block.law {
            Law::Row(admissible) => {
                self.rows.push(self.problem.add_row(a, b, &round_row(&block.rows[0]), round_set(admissible))?);
            }
            Law::Contact(friction) => {
                let inputs = [0, 1, 2].map(|k| round_row(&block.rows[k]));
                self.rows.extend(self.problem.add_contact(a, b, &inputs, round_friction(friction))?);
            }
            Law::Pair { mu } => {
                let inputs = [0, 1].map(|k| round_row(&block.rows[k]));
                self.rows.extend(self.problem.add_friction_pair(a, b, &inputs, R::from_f64(mu))?);
            }
        }
        Ok(())
    }

    pub fn set_impulses(&mut self, impulses: &[f64]) {
        for (row, impulse) in self.rows.iter().zip(impulses) {
            self.problem.set_impulse(*row, R::from_f64(*impulse)).unwrap();
        }
    }

    pub fn solve(&mut self, settings: &Settings<R>) -> Report<R> {
        self.problem.solve(settings).unwrap()
    }

    /// γ, N·s
    pub fn impulses(&self) -> Vec<f64> {
        self.problem.impulses().map(R::to_f64).collect()
    }

    /// v of all bodies in a row, m/s and rad/s
    pub fn velocities(&self) -> Vec<f64> {
        self.problem.velocities().flat_map(|v| <[R; 6]>::from(v).map(R::to_f64)).collect()
    }

    /// All of the answer, to the last bit.
    pub fn bits(&self) -> Vec<u64> {
        self.velocities().into_iter().chain(self.impulses()).map(f64::to_bits).collect()
    }
}

/// Is every impulse inside its set, as far as R can tell?
///
/// A projection ends in at most eight roundings, so ε·8 of the bound. A square below R's least positive number vanishes, so a
/// tangential impulse below its root cannot be seen.
pub fn check_admissible<R: Real>(blocks: &[Block], gamma: &[f64]) -> Result<(), TestCaseError> {
    let relative = 1.0 + 8.0 * R::EPSILON.to_f64();
    let least = least::<R>();
    let unseen = 2.0 * least.sqrt();
    let (mut lead, mut rest) = (0.0, gamma);
    for block in blocks {
        let (own, after) = rest.split_at(block.rows.len());
        rest = after;
        let inside = match block.law {
            Law::Row(admissible) => match round_set::<R>(admissible) {
                Admissible::Friction { mu } => own[0].abs() <= mu.to_f64() * f64::abs(lead) * relative + least,
                Admissible::Bilateral => true,
                Admissible::Unilateral => own[0] >= 0.0,
                Admissible::Bounded { lo, hi } => lo.to_f64() <= own[0] && own[0] <= hi.to_f64(),
            },
            Law::Contact(friction) => {
                let (size, mu) = match round_friction::<R>(friction) {
                    Friction::Cone { mu } => (own[1].hypot(own[2]), mu),
                    Friction::Pyramid { mu } => (own[1].abs() + own[2].abs(), mu),
                    Friction::Polygon { mu, corners } => (reach_in::<R>(corners, [own[1], own[2]]), mu),
                    Friction::Box { mu } => (own[1].abs().max(own[2].abs()), mu),
                };
                own[0] >= 0.0 && size <= mu.to_f64() * own[0] * relative + unseen
            }
            Law::Pair { mu } => own[0].hypot(own[1]) <= R::from_f64(mu).to_f64() * f64::abs(lead) * relative + unseen,
        };
        prop_assert!(inside, "{own:?} (lead {lead}) is outside {:?}", block.law);
        if block.law.leads() {
            lead = own[0];
        }
    }
    Ok(())
}

/// Corner k of a regular polygon of m corners on the unit circle, in double precision.
pub fn corner(m: u8, k: u8) -> [f64; 2] {
    corner_in::<f64>(m, k)
}

/// The same, rounded to R as the library rounds it.
fn corner_in<R: Real>(m: u8, k: u8) -> [f64; 2] {
    let angle = std::f64::consts::TAU * f64::from(k % m) / f64::from(m);
    // cos 90° is 6e-17 in f64 and 0 in the library
    [angle.cos(), angle.sin()].map(|x| if x.abs() < 1e-9 { 0.0 } else { R::from_f64(x).to_f64() })
}

/// Size of the polygon on whose boundary x lies: over all its sides the largest `n·x / n·d`, n being normal to the side and d a corner of it.
pub fn reach(m: u8, x: [f64; 2]) -> f64 {
    reach_in::<f64>(m, x)
}

fn reach_in<R: Real>(m: u8, x: [f64; 2]) -> f64 {
    let sides = (0..m).map(|k| {
        let ([a1, a2], [b1, b2]) = (corner_in::<R>(m, k), corner_in::<R>(m, k + 1));
        let (n1, n2) = (b2 - a2, a1 - b1);
        (n1 * x[0] + n2 * x[1]) / (n1 * a1 + n2 * a2)
    });
    sides.fold(0.0, f64::max)
}

/// R's least positive number.
fn least<R: Real>() -> f64 {
    let halves = std::iter::successors(Some(R::ONE), |x| Some(*x * R::from_f64(0.5)));
    halves.take_while(|x| *x > R::ZERO).last().map_or(0.0, R::to_f64)
}

fn round_row<R: Real>(row: &RowInput<f64>) -> RowInput<R> {
    let half = |half: Vec6<f64>| Vec6::from(<[f64; 6]>::from(half).map(R::from_f64));
    RowInput {
        jacobian_a: half(row.jacobian_a),
        jacobian_b: half(row.jacobian_b),
        target_velocity: R::from_f64(row.target_velocity),
        compliance: R::from_f64(row.compliance),
    }
}

fn round_set<R: Real>(admissible: Admissible<f64>) -> Admissible<R> {
    match admissible {
        Admissible::Bilateral => Admissible::Bilateral,
        Admissible::Unilateral => Admissible::Unilateral,
        Admissible::Bounded { lo, hi } => Admissible::Bounded { lo: R::from_f64(lo), hi: R::from_f64(hi) },
        Admissible::Friction { mu } => Admissible::Friction { mu: R::from_f64(mu) },
    }
}

fn round_friction<R: Real>(friction: Friction<f64>) -> Friction<R> {
    match friction {
        Friction::Cone { mu } => Friction::Cone { mu: R::from_f64(mu) },
        Friction::Pyramid { mu } => Friction::Pyramid { mu: R::from_f64(mu) },
        Friction::Polygon { mu, corners } => Friction::Polygon { mu: R::from_f64(mu), corners },
        Friction::Box { mu } => Friction::Box { mu: R::from_f64(mu) },
    }
}

// ---- generators -----------------------------------------------------------------------------------------------------------

/// 2 to 6 bodies with full, coupled 6×6 inverse masses, 1 to 8 blocks obeying `laws`, on two bodies or on the ground. Numbers of
/// size one, so that a test's scales are plain to see.
pub fn scenes(laws: impl Strategy<Value = Law> + Clone) -> impl Strategy<Value = Scene> {
    let block = (0..6_usize, prop::option::of(0..6_usize), laws, prop::array::uniform3(row()));
    (prop::collection::vec(body(), 2..=6), prop::collection::vec(block, 1..=8)).prop_map(|(bodies, blocks)| {
        let blocks = blocks.into_iter().map(|(a, b, law, rows)| block_of(bodies.len(), a, b, law, &rows)).collect();
        with_a_lead(Scene { bodies, blocks })
    })
}

/// A block whose bodies exist and differ.
pub fn block_of(bodies: usize, a: usize, b: Option<usize>, law: Law, rows: &[RowInput<f64>; 3]) -> Block {
    let a = a % bodies;
    let b = b.filter(|_| bodies > 1).map(|b| (a + 1 + b % (bodies - 1)) % bodies);
    Block { a, b, law, rows: rows[..law.rows()].to_vec() }
}

/// Friction needs a row before it.
pub fn with_a_lead(mut scene: Scene) -> Scene {
    if let Some(first) = scene.blocks.first_mut()
        && !first.law.leads()
    {
        first.law = Law::Row(Admissible::Unilateral);
        first.rows.truncate(1);
    }
    scene
}

/// `M⁻¹ = BBᵀ/5 + 0.3`: positive definite, every element coupled.
fn body() -> impl Strategy<Value = Body> {
    let six = || prop::array::uniform6(-1.0..1.0_f64);
    (prop::array::uniform6(six()), prop::array::uniform6(-2.0..2.0_f64)).prop_map(|(b, v_free)| {
        let element = |i: usize, j: usize| (0..6).map(|k| b[i][k] * b[j][k]).sum::<f64>() / 5.0;
        let inverse_mass =
            [0, 1, 2, 3, 4, 5].map(|i| [0, 1, 2, 3, 4, 5].map(|j| element(i, j) + if i == j { 0.3 } else { 0.0 }));
        Body { inverse_mass, v_free }
    })
}

fn row() -> impl Strategy<Value = RowInput<f64>> {
    let six = prop::array::uniform6(-1.0..1.0_f64);
    // never all zero, also when proptest shrinks it: such a row is refused
    let half = move || {
        (six.clone(), 0.1..1.0_f64).prop_map(|([_, j1, j2, j3, j4, j5], j0)| Vec6::from([j0, j1, j2, j3, j4, j5]))
    };
    (half(), half(), -1.0..1.0_f64, prop_oneof![Just(0.0), 0.0..0.5_f64]).prop_map(
        |(jacobian_a, jacobian_b, target_velocity, compliance)| RowInput {
            jacobian_a,
            jacobian_b,
            target_velocity,
            compliance,
        },
    )
}

/// Bilateral, unilateral and bounded rows; bounds on either side of zero, equal, or infinite.
pub fn frictionless() -> impl Strategy<Value = Law> + Clone {
    prop_oneof![
        Just(Admissible::Bilateral),
        Just(Admissible::Unilateral),
        (-0.5..0.5_f64, 0.0..0.5_f64).prop_map(|(lo, width)| Admissible::Bounded { lo, hi: lo + width }),
        (-0.5..0.5_f64).prop_map(|x| Admissible::Bounded { lo: x, hi: x }),
        (-0.5..0.5_f64).prop_map(|hi| Admissible::Bounded { lo: f64::NEG_INFINITY, hi }),
    ]
    .prop_map(Law::Row)
}

/// Contacts among frictionless rows.
pub fn contacts(friction: fn(f64) -> Friction<f64>) -> impl Strategy<Value = Law> + Clone {
    prop_oneof![frictionless(), coefficient().prop_map(move |mu| Law::Contact(friction(mu)))]
}

/// Contacts with a pyramid over a polygon among frictionless rows.
pub fn polygons(corners: u8) -> impl Strategy<Value = Law> + Clone {
    prop_oneof![frictionless(), coefficient().prop_map(move |mu| Law::Contact(Friction::Polygon { mu, corners }))]
}

/// Friction pairs behind rows of every kind that lead, and behind one another.
pub fn pairs() -> impl Strategy<Value = Law> + Clone {
    prop_oneof![frictionless(), coefficient().prop_map(|mu| Law::Pair { mu })]
}

/// Everything at once, friction rows and pairs led by any kind of row included.
pub fn everything() -> impl Strategy<Value = Law> + Clone {
    prop_oneof![
        contacts(|mu| Friction::Cone { mu }),
        contacts(|mu| Friction::Pyramid { mu }),
        contacts(|mu| Friction::Box { mu }),
        coefficient().prop_map(|mu| Law::Row(Admissible::Friction { mu })),
        coefficient().prop_map(|mu| Law::Pair { mu }),
    ]
}

fn coefficient() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![Just(0.0), 0.0..2.0_f64]
}

/// Impulses nobody solved for.
pub fn garbage() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-3.0..3.0_f64, 24)
}
