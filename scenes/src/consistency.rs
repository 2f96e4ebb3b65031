//! Random problems, and whether what a solve reports of its answer is true.
//!
//! ```text
//! joints      a chain of 2 … 8 bodies on ball joints, sometimes closed to a loop, masses 1 g … 30 kg
//! contacts    up to 12 between random bodies and the ground: cones, pyramids, boxes, some compliant
//! both        and motors with a force limit, friction bounded by other rows
//! ```
//! The judge recomputes everything from the impulses γ alone, in double precision:
//!
//! ```text
//! inconsistency   ½ |v − v_free − M⁻¹Eᵀγ|²_M                              J
//! energy error    of v = v_free + M⁻¹Eᵀγ, by a solver in double precision that makes no sweep
//! energy          ½|v|²_M ≤ ½|v_free|²_M + γ·e + gain
//! rounding        ½ (32 ε)² Σ (s_a + s_b)² over rows,  s_b = |v_free,b|_M + |v_b|_M + Σ |E_i|_{M⁻¹} |γ_i|
//! ```
//! s_b is what body b's velocity is summed up from; ε is the machine epsilon of the solve. A report is true if its energy error is no
//! less than a tenth of either recomputed one, up to rounding, and the energy bound holds.

use tumble::math::{Real, Vec3, Vec6, max};
use tumble::rows::{Admissible, BodyIndex, Friction, InverseMass, RowInput};
use tumble::solve::Exact;
use tumble::twin::Random;
use tumble::{Answer, Error, FrictionModel, Method, Problem, Report, Settings, Start, Status};

/// Bodies at most.
pub const BODIES: usize = 8;
/// Blocks of up to three rows at most.
const BLOCKS: usize = 24;
/// Rows at most.
pub const ROWS: usize = 3 * BLOCKS;
/// Roundings that the sums over the rows of a body may add up to.
pub const ROUNDINGS: f64 = 32.0;

/// Memory of the direct solver for every problem made here.
pub type Direct<R> = Exact<R, BODIES, 96, 3000>;

/// Kind of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Ball joints.
    Joints,
    /// Contacts.
    Contacts,
    /// Ball joints, contacts, motors, friction rows.
    Both,
}

/// All kinds.
pub const KINDS: [Kind; 3] = [Kind::Joints, Kind::Contacts, Kind::Both];

#[derive(Clone, Copy)]
struct Body {
    /// kg
    mass: f32,
    /// kg·m²
    inertia: [f32; 3],
    /// m/s, rad/s
    v_free: [f32; 6],
}

#[derive(Clone, Copy)]
enum Law {
    /// so many rows, each by itself
    Rows(usize, Admissible<f32>),
    Contact(Friction<f32>),
}

#[derive(Clone, Copy)]
struct Block {
    a: usize,
    b: Option<usize>,
    rows: [RowInput<f32>; 3],
    law: Law,
}

impl Block {
    fn row_count(&self) -> usize {
        match self.law {
            Law::Rows(count, _) => count,
            Law::Contact(_) => 3,
        }
    }
}

/// A random problem, its numbers the same in either precision.
#[derive(Clone)]
pub struct RandomProblem {
    bodies: [Body; BODIES],
    body_count: usize,
    blocks: [Block; BLOCKS],
    block_count: usize,
    /// impulses of a warm start
    warm: [f32; ROWS],
}

/// How to solve it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Way {
    /// By sweeps, of this method.
    Sweeps(Method),
    /// By the direct solver.
    Direct,
}

/// All ways.
pub const WAYS: [Way; 5] = [
    Way::Sweeps(Method::Anderson),
    Way::Sweeps(Method::Nesterov),
    Way::Sweeps(Method::Block),
    Way::Sweeps(Method::Psor),
    Way::Direct,
];

/// Findings of the judge.
#[derive(Clone, Copy, Debug)]
pub struct Verdict {
    /// Status of the solve.
    pub status: Status,
    /// Sweeps or pivots.
    pub iterations: u32,
    /// Energy error as reported. J
    pub reported: f64,
    /// `½ |v − v_free − M⁻¹Eᵀγ|²_M` J
    pub inconsistency: f64,
    /// Energy error recomputed from γ. J
    pub energy: f64,
    /// Allowance for rounding in both. J
    pub rounding: f64,
    /// [`Report::gain`] J
    pub gain: f64,
    /// Kinetic energy of the answer above its stated bound `½|v_free|²_M + γ·e + gain`; what of that may be rounding. J
    pub excess: [f64; 2],
    /// `½|v|²_M` of the answer. J
    pub kinetic: f64,
    /// The same of `v_free`. J
    pub kinetic_free: f64,
}

impl Verdict {
    /// Is the report true? Of a solve whose numbers overflowed nothing is claimed.
    pub fn is_true(&self) -> bool {
        let [excess, excess_rounding] = self.excess;
        !self.reported.is_finite()
            || (0.1 * self.inconsistency <= self.reported + self.rounding
                && 0.1 * self.energy <= self.reported + self.rounding
                && excess <= excess_rounding)
    }
}

/// `1/16 … 2` times a power of two between these.
fn spread(random: &mut Random, powers: [i32; 2]) -> f32 {
    let [lo, hi] = powers;
    let steps = (hi - lo) as f32;
    let power = lo + (0.5 * (1.0 + random.within_one()) * steps) as i32;
    let mut x = 1.5 + 0.5 * random.within_one();
    for _ in 0..power.unsigned_abs() {
        x *= if power > 0 { 2.0 } else { 0.5 };
    }
    x
}

/// A unit vector.
fn direction(random: &mut Random) -> Vec3<f32> {
    let along = random.vector();
    let square = along.dot(along);
    if square > 1e-3 { along * (1.0 / Real::sqrt(square)) } else { Vec3::new(0.0, 0.0, 1.0) }
}

impl RandomProblem {
    /// The problem of a seed.
    pub fn new(kind: Kind, seed: u32) -> Self {
        let mut random = Random::new(seed);
        let zero = RowInput::new(Vec6::ZERO, Vec6::ZERO);
        let mut problem = Self {
            bodies: [Body { mass: 1.0, inertia: [1.0; 3], v_free: [0.0; 6] }; BODIES],
            body_count: random.one_of(&[2, 3, 4, 5, 6, 8], 2),
            blocks: [Block { a: 0, b: None, rows: [zero; 3], law: Law::Rows(3, Admissible::Bilateral) }; BLOCKS],
            block_count: 0,
            warm: [0.0; ROWS],
        };
        // one problem in four has masses far apart
        let powers = if random.chance(0.25) { [-10, 4] } else { [-2, 2] };
        for body in &mut problem.bodies {
            body.mass = spread(&mut random, powers);
            body.inertia = [(); 3].map(|()| body.mass * 0.01 * (1.0 + 0.9 * random.within_one()));
            body.v_free = [(); 6].map(|()| random.within_one());
        }
        if kind != Kind::Contacts {
            problem.add_chain(&mut random);
        }
        if kind != Kind::Joints {
            problem.add_contacts(&mut random, kind == Kind::Both);
        }
        problem.warm = [(); ROWS].map(|()| random.within_one());
        problem
    }

    fn add(&mut self, block: Block) {
        if let Some(place) = self.blocks.get_mut(self.block_count) {
            *place = block;
            self.block_count += 1;
        }
    }

    fn add_chain(&mut self, random: &mut Random) {
        let axes = [Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, 1.0)];
        let law = Law::Rows(3, Admissible::Bilateral);
        let arm = |random: &mut Random| random.vector() * 0.3;
        for a in 0..self.body_count {
            let (arm_a, arm_b) = (arm(random), arm(random));
            let rows = axes.map(|axis| RowInput::at_point(axis, arm_a, arm_b));
            self.add(Block { a, b: a.checked_sub(1), rows, law });
        }
        if random.chance(0.3) {
            let (a, arm_a) = (self.body_count - 1, arm(random));
            let rows = axes.map(|axis| RowInput::at_point(axis, arm_a, Vec3::default()));
            self.add(Block { a, b: None, rows, law });
        }
    }

    fn add_contacts(&mut self, random: &mut Random, with_others: bool) {
        for _ in 0..random.one_of(&[1, 2, 4, 8, 12], 1) {
            let a = random.one_of(&[0, 1, 2, 3, 4, 5, 6, 7], 0) % self.body_count;
            let b = random.one_of(&[0, 1, 2, 3, 4, 5, 6, 7], 0) % self.body_count;
            let b = (a != b && random.chance(0.8)).then_some(b);
            let normal = direction(random);
            let mut rows = RowInput::contact(normal, random.vector() * 0.1, random.vector() * 0.1);
            rows[0].target_velocity = random.one_of(&[0.0, 0.0, 0.1, -0.1], 0.0);
            if random.chance(0.1) {
                rows[0].compliance = spread(random, [-8, 0]);
            }
            let mu = random.one_of(&[0.0, 0.3, 0.6, 1.0], 0.3);
            let choices = [
                Friction::Cone { mu },
                Friction::Cone { mu },
                Friction::Pyramid { mu },
                Friction::Polygon { mu, corners: 6 },
                Friction::Box { mu },
            ];
            let law = Law::Contact(random.one_of(&choices, Friction::Cone { mu }));
            self.add(Block { a, b, rows, law });
            if with_others && random.chance(0.2) {
                let spin = Vec6::new(Vec3::default(), normal);
                rows[0] = RowInput::new(spin, -spin);
                self.add(Block { a, b, rows, law: Law::Rows(1, Admissible::Friction { mu: 0.1 * mu }) });
            }
            if with_others && random.chance(0.2) {
                let along = Vec6::new(direction(random), Vec3::default());
                rows[0] = RowInput { target_velocity: random.within_one(), ..RowInput::new(along, -along) };
                let hi = spread(random, [-6, 0]);
                self.add(Block { a, b, rows, law: Law::Rows(1, Admissible::Bounded { lo: -hi, hi }) });
            }
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().take(self.block_count)
    }

    fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().take(self.body_count)
    }

    /// The problem with these impulses, in the order in which rows were added.
    fn build<R: Real>(&self, impulses: impl Iterator<Item = f64>) -> Result<Problem<R, BODIES, ROWS>, Error> {
        let number = |x: f32| R::from_f64(f64::from(x));
        let mut problem = Problem::new();
        let mut ids: [Option<BodyIndex>; BODIES] = [None; BODIES];
        for (id, body) in ids.iter_mut().zip(self.bodies()) {
            let inverse_mass = InverseMass::new(number(body.mass), body.inertia.map(number))?;
            *id = Some(problem.add_body(inverse_mass, Vec6::from(body.v_free.map(number)))?);
        }
        let vector = |v: Vec6<f32>| Vec6::from(<[f32; 6]>::from(v).map(number));
        let mut impulses = impulses;
        for block in self.blocks() {
            let Some(a) = ids.get(block.a).copied().flatten() else { continue };
            let b = block.b.and_then(|b| ids.get(b).copied().flatten());
            let rows = block.rows.map(|row| RowInput {
                jacobian_a: vector(row.jacobian_a),
                jacobian_b: vector(row.jacobian_b),
                target_velocity: number(row.target_velocity),
                compliance: number(row.compliance),
            });
            match block.law {
                Law::Rows(count, set) => {
                    let set = match set {
                        Admissible::Bilateral => Admissible::Bilateral,
                        Admissible::Unilateral => Admissible::Unilateral,
                        Admissible::Bounded { lo, hi } => Admissible::Bounded { lo: number(lo), hi: number(hi) },
                        Admissible::Friction { mu } => Admissible::Friction { mu: number(mu) },
                    };
                    for row in rows.iter().take(count) {
                        let row = problem.add_row(a, b, row, set)?;
                        impulses.next().map_or(Ok(()), |impulse| problem.set_impulse(row, R::from_f64(impulse)))?;
                    }
                }
                Law::Contact(friction) => {
                    let friction = match friction {
                        Friction::Cone { mu } => Friction::Cone { mu: number(mu) },
                        Friction::Pyramid { mu } => Friction::Pyramid { mu: number(mu) },
                        Friction::Polygon { mu, corners } => Friction::Polygon { mu: number(mu), corners },
                        Friction::Box { mu } => Friction::Box { mu: number(mu) },
                    };
                    for row in problem.add_contact(a, b, &rows, friction)? {
                        impulses.next().map_or(Ok(()), |impulse| problem.set_impulse(row, R::from_f64(impulse)))?;
                    }
                }
            }
        }
        Ok(problem)
    }

    /// Solves it and judges the report.
    ///
    /// # Errors
    /// Those of building and solving a problem: none, for settings that are usable.
    pub fn judge<R: Real>(&self, way: Way, settings: &Settings<R>, direct: &mut Direct<R>) -> Result<Verdict, Error> {
        let mut problem = self.build::<R>(self.warm.iter().map(|impulse| f64::from(*impulse)))?;
        let report = match way {
            Way::Sweeps(method) => problem.solve(&Settings { method, ..*settings })?,
            Way::Direct => problem.solve_exactly(direct, settings)?,
        };
        let mut gamma = [0.0; ROWS];
        for (gamma, impulse) in gamma.iter_mut().zip(problem.impulses()) {
            *gamma = impulse.to_f64();
        }
        let mut v = [[0.0; 6]; BODIES];
        for (v, velocity) in v.iter_mut().zip(problem.velocities()) {
            *v = <[R; 6]>::from(velocity).map(Real::to_f64);
        }
        self.recompute(&report, &gamma, &v, settings.friction)
    }

    fn recompute<R: Real>(
        &self,
        report: &Report<R>,
        gamma: &[f64; ROWS],
        v: &[[f64; 6]; BODIES],
        friction: FrictionModel,
    ) -> Result<Verdict, Error> {
        let masses = |body: &Body| {
            let [x, y, z] = body.inertia.map(f64::from);
            let m = f64::from(body.mass);
            [m, m, m, x, y, z]
        };
        let norm = |mass: [f64; 6], x: [f64; 6]| Real::sqrt(dot(mass, x.map(|x| x * x)));
        // p: momentum that impulses make; s: what a body's velocity is summed up from
        let (mut p, mut s) = ([[0.0; 6]; BODIES], [0.0; BODIES]);
        let (mut kinetic_free, mut kinetic) = (0.0, 0.0);
        for ((body, s), v) in self.bodies().zip(&mut s).zip(v) {
            let (free, now) = (norm(masses(body), body.v_free.map(f64::from)), norm(masses(body), *v));
            *s = free + now;
            kinetic_free += 0.5 * free * free;
            kinetic += 0.5 * now * now;
        }
        let mut asked = 0.0;
        let rows =
            || self.blocks().flat_map(|block| block.rows.iter().take(block.row_count()).map(move |row| (block, row)));
        for ((block, row), gamma) in rows().zip(gamma) {
            asked += f64::from(row.target_velocity) * gamma;
            let ends = [(Some(block.a), row.jacobian_a), (block.b, row.jacobian_b)];
            for (body, jacobian) in ends.into_iter().filter_map(|(body, jacobian)| Some((body?, jacobian))) {
                let jacobian = <[f32; 6]>::from(jacobian).map(f64::from);
                let Some(((p, s), body)) = p.get_mut(body).zip(s.get_mut(body)).zip(self.bodies.get(body)) else {
                    continue;
                };
                let mass = masses(body);
                p.iter_mut().zip(jacobian).for_each(|(p, j)| *p += j * gamma);
                *s += norm(mass.map(|mass| 1.0 / mass), jacobian) * gamma.abs();
            }
        }
        let inconsistency: f64 = self
            .bodies()
            .zip(v)
            .zip(p)
            .map(|((body, v), p)| {
                let mut off = [0.0; 6];
                for ((((off, v), free), p), mass) in off.iter_mut().zip(v).zip(body.v_free).zip(p).zip(masses(body)) {
                    *off = v - f64::from(free) - p / mass;
                }
                0.5 * dot(masses(body), off.map(|off| off * off))
            })
            .sum();
        let sums = |block: &Block| s.get(block.a).unwrap_or(&0.0) + block.b.and_then(|b| s.get(b)).unwrap_or(&0.0);
        let epsilon = ROUNDINGS * R::EPSILON.to_f64();
        let squares: f64 = rows().map(|(block, _)| sums(block) * sums(block)).sum();
        let plain =
            Settings { method: Method::Psor, start: Start::Warm, iterations: 0, friction, ..Settings::default() };
        let energy = self.build::<f64>(gamma.iter().copied())?.solve(&plain)?.energy;
        Ok(Verdict {
            status: report.status,
            iterations: report.iterations,
            reported: report.energy.to_f64(),
            inconsistency,
            energy,
            rounding: 0.5 * epsilon * epsilon * squares,
            gain: report.gain.to_f64(),
            excess: [kinetic - kinetic_free - asked - report.gain.to_f64(), epsilon * squares],
            kinetic,
            kinetic_free,
        })
    }
}

fn dot(a: [f64; 6], b: [f64; 6]) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Settings of a seed: sweeps from 1 to 1000, every start, either answer and friction model.
pub fn settings<R: Real>(seed: u32) -> Settings<R> {
    let mut random = Random::new(seed ^ 0x5eed);
    let (sweeps, few) =
        (random.one_of(&[1_u16, 2, 4, 10, 20, 30, 100, 200, 1000], 10), 0.5 + 0.5 * random.within_one());
    Settings {
        iterations: 1 + u32::from((f32::from(sweeps) * max(few, 0.5)) as u16),
        tolerance: R::from_f64(random.one_of(&[0.0, 1e-12, 1e-9], 0.0)),
        start: random.one_of(&[Start::Cold, Start::Warm, Start::Trusted], Start::Cold),
        answer: random.one_of(&[Answer::Best, Answer::Last], Answer::Best),
        friction: random.one_of(&[FrictionModel::Ncp, FrictionModel::Ccp], FrictionModel::Ncp),
        ..Settings::default()
    }
}
