//! The oracle: the same iteration, obviously correct and slow. Dense f64 matrices, nothing stored but γ, `w` worked out from scratch
//! for every block, projections found by trying every face, edge and corner.
//!
//! ```text
//! N = E M⁻¹Eᵀ + diag(c)     r = E v_free − e     w = Nγ + r     v = v_free + M⁻¹Eᵀγ
//! ```

use super::{Law, Scene, corner, reach};
use std::iter::once;
use tumble::rows::{Admissible, Friction};
use tumble::{FrictionModel, Settings, StepRule};

pub type Matrix = Vec<Vec<f64>>;

pub struct Dense {
    pub jacobian: Matrix,
    /// `M⁻¹`, block diagonal
    pub inverse_mass: Matrix,
    /// `N + diag(c)`
    pub n: Matrix,
    pub r: Vec<f64>,
    pub v_free: Vec<f64>,
    pub e: Vec<f64>,
    pub c: Vec<f64>,
    pub blocks: Vec<Block>,
}

/// Rows that are projected together: from `first` on, one of an interval or of friction, two of a friction pair, three of a
/// contact.
#[derive(Clone, Copy)]
pub struct Block {
    pub first: usize,
    pub set: Set,
}

#[derive(Clone, Copy)]
pub enum Set {
    Interval { lo: f64, hi: f64 },
    Friction { mu: f64, lead: usize },
    Cone { mu: f64 },
    Pyramid { mu: f64 },
    Polygon { mu: f64, corners: u8 },
    Disc { mu: f64, lead: usize },
}

impl Dense {
    pub fn new(scene: &Scene) -> Self {
        let width = 6 * scene.bodies.len();
        let mut inverse_mass = vec![vec![0.0; width]; width];
        let mut v_free = Vec::new();
        for (k, body) in scene.bodies.iter().enumerate() {
            for (i, row) in body.inverse_mass.iter().enumerate() {
                inverse_mass[6 * k + i][6 * k..6 * k + 6].copy_from_slice(row);
            }
            v_free.extend(body.v_free);
        }
        let (mut jacobian, mut e, mut c) = (Matrix::new(), Vec::new(), Vec::new());
        for block in &scene.blocks {
            for input in &block.rows {
                let mut row = vec![0.0; width];
                row[6 * block.a..6 * block.a + 6].copy_from_slice(&<[f64; 6]>::from(input.jacobian_a));
                if let Some(b) = block.b {
                    row[6 * b..6 * b + 6].copy_from_slice(&<[f64; 6]>::from(input.jacobian_b));
                }
                jacobian.push(row);
                e.push(input.target_velocity);
                c.push(input.compliance);
            }
        }
        let mut n = sandwich(&jacobian, &inverse_mass);
        (0..c.len()).for_each(|i| n[i][i] += c[i]);
        let r = jacobian.iter().zip(&e).map(|(row, e)| dot(row, &v_free) - e).collect();
        Self { jacobian, inverse_mass, n, r, v_free, e, c, blocks: blocks(scene) }
    }

    pub fn w(&self, gamma: &[f64]) -> Vec<f64> {
        self.n.iter().zip(&self.r).map(|(row, r)| dot(row, gamma) + r).collect()
    }

    pub fn velocity(&self, gamma: &[f64]) -> Vec<f64> {
        let width = self.v_free.len();
        let impulse: Vec<f64> =
            (0..width).map(|k| self.jacobian.iter().zip(gamma).map(|(row, gamma)| row[k] * gamma).sum()).collect();
        (0..width).map(|k| self.v_free[k] + dot(&self.inverse_mass[k], &impulse)).collect()
    }

    /// The dual objective `½γᵀNγ + γᵀr` (Tasora 2005 eq. 2.9). J
    pub fn objective(&self, gamma: &[f64]) -> f64 {
        (0..gamma.len()).map(|i| gamma[i] * (0.5 * dot(&self.n[i], gamma) + self.r[i])).sum()
    }

    /// `N_ii` of a contact.
    pub fn own_block(&self, first: usize) -> Matrix {
        self.n[first..first + 3].iter().map(|row| row[first..first + 3].to_vec()).collect()
    }

    /// The step of every row of a block (docs of `tumble::solve`).
    pub fn steps(&self, block: Block, settings: &Settings<f64>) -> Vec<f64> {
        let i = block.first;
        let diagonal = |k: usize| self.n[i + k][i + k];
        let plane = |k: usize| match settings.step {
            StepRule::Average => (diagonal(k) + diagonal(k + 1)) / 2.0,
            StepRule::Safe => diagonal(k).max(diagonal(k + 1)) + self.n[i + k][i + k + 1].abs(),
        };
        if matches!(block.set, Set::Disc { .. }) {
            return vec![settings.omega / plane(0); 2];
        }
        // what a row feels of itself through the friction it allows
        let felt = diagonal(0) + self.friction_led_by(block);
        let lead = match settings.step {
            StepRule::Average => diagonal(0),
            StepRule::Safe => diagonal(0).max(settings.omega * felt / 1.5),
        };
        if !block.is_contact() {
            return vec![settings.omega / lead];
        }
        let tangents = plane(1);
        let mean = (diagonal(0) + diagonal(1) + diagonal(2)) / 3.0;
        let all = match settings.step {
            StepRule::Average => mean,
            StepRule::Safe => mean.max(settings.omega * trace_of_eighth_power(&self.own_block(i)).powf(0.125) / 1.5),
        };
        match settings.friction {
            FrictionModel::Ccp => vec![settings.omega / all; 3],
            FrictionModel::Ncp => {
                vec![settings.omega / lead, settings.omega / tangents, settings.omega / tangents]
            }
        }
    }

    /// `Σ μ |N_nt|` over everything that slides with a block's first row.
    fn friction_led_by(&self, block: Block) -> f64 {
        let i = block.first;
        let own = match block.set {
            Set::Cone { mu } => mu * self.n[i][i + 1].hypot(self.n[i][i + 2]),
            Set::Pyramid { mu } => mu * self.n[i][i + 1].abs().max(self.n[i][i + 2].abs()),
            Set::Polygon { mu, corners } => mu * support(corners, [self.n[i][i + 1], self.n[i][i + 2]]),
            Set::Interval { .. } | Set::Friction { .. } | Set::Disc { .. } => 0.0,
        };
        let following = self.blocks.iter().map(|other| match other.set {
            Set::Friction { mu, lead } if lead == i => mu * self.n[i][other.first].abs(),
            Set::Disc { mu, lead } if lead == i => mu * self.n[i][other.first].hypot(self.n[i][other.first + 1]),
            _ => 0.0,
        });
        own + following.sum::<f64>()
    }

    /// `γ = P_K(γ)`
    pub fn project(&self, gamma: &mut [f64]) {
        for block in &self.blocks {
            let projected = block.project(gamma, &gamma[block.rows()]);
            gamma[block.rows()].copy_from_slice(&projected);
        }
    }

    /// Tasora 2006, Alg. 4.1, on γ alone.
    pub fn sweep(&self, gamma: &mut [f64], settings: &Settings<f64>) {
        for block in &self.blocks {
            let i = block.first;
            let step = self.steps(*block, settings);
            if block.is_contact() && settings.friction == FrictionModel::Ncp {
                // the normal row, then the tangents on the section that it allows
                gamma[i] = (gamma[i] - step[0] * self.w(gamma)[i]).max(0.0);
                let w = self.w(gamma);
                let wanted = [gamma[i + 1] - step[1] * w[i + 1], gamma[i + 2] - step[2] * w[i + 2]];
                let projected = block.set.project_section(gamma[i], wanted);
                gamma[i + 1..i + 3].copy_from_slice(&projected);
            } else {
                let w = self.w(gamma);
                let wanted: Vec<f64> = block.rows().zip(step).map(|(row, step)| gamma[row] - step * w[row]).collect();
                let projected = block.project(gamma, &wanted);
                gamma[block.rows()].copy_from_slice(&projected);
            }
        }
    }

    /// `w` with De Saxcé's correction in ncp: what complementarity is asked of.
    pub fn corrected_w(&self, gamma: &[f64], model: FrictionModel) -> Vec<f64> {
        let mut w = self.w(gamma);
        for block in &self.blocks {
            let i = block.first;
            w[i] += match (model, block.set) {
                (FrictionModel::Ncp, Set::Cone { mu }) => mu * w[i + 1].hypot(w[i + 2]),
                (FrictionModel::Ncp, Set::Pyramid { mu }) => mu * w[i + 1].abs().max(w[i + 2].abs()),
                (FrictionModel::Ncp, Set::Polygon { mu, corners }) => mu * support(corners, [-w[i + 1], -w[i + 2]]),
                _ => 0.0,
            };
        }
        w
    }

    /// `γ − P_K(γ − w̃·step)` of a block.
    pub fn miss(&self, block: Block, gamma: &[f64], w: &[f64], step: f64) -> Vec<f64> {
        let wanted: Vec<f64> = block.rows().map(|row| gamma[row] - step * w[row]).collect();
        block.rows().zip(block.project(gamma, &wanted)).map(|(row, nearest)| gamma[row] - nearest).collect()
    }

    /// `g + c` of a row, their mean for rows projected together: the `a` of the energy error.
    pub fn scale(&self, block: Block) -> f64 {
        block.rows().map(|row| self.n[row][row]).sum::<f64>() / block.rows().len() as f64
    }

    /// The energy error of a block as defined (theory §3). J
    pub fn energy(&self, block: Block, gamma: &[f64], w: &[f64]) -> f64 {
        let a = self.scale(block);
        if block.rows().len() > 1 {
            let miss = self.miss(block, gamma, w, 1.0 / a);
            return 0.5 * a * dot(&miss, &miss);
        }
        let (l, u) = block.interval(gamma);
        energy_of_row(a, gamma[block.first], w[block.first], l, u)
    }
}

impl Block {
    pub fn is_contact(&self) -> bool {
        matches!(self.set, Set::Cone { .. } | Set::Pyramid { .. } | Set::Polygon { .. })
    }

    pub fn rows(&self) -> std::ops::Range<usize> {
        let count = match self.set {
            Set::Interval { .. } | Set::Friction { .. } => 1,
            Set::Disc { .. } => 2,
            Set::Cone { .. } | Set::Pyramid { .. } | Set::Polygon { .. } => 3,
        };
        self.first..self.first + count
    }

    pub fn interval(&self, gamma: &[f64]) -> (f64, f64) {
        match self.set {
            Set::Interval { lo, hi } => (lo, hi),
            Set::Friction { mu, lead } => (-mu * gamma[lead].abs(), mu * gamma[lead].abs()),
            Set::Cone { .. } | Set::Pyramid { .. } | Set::Polygon { .. } | Set::Disc { .. } => {
                unreachable!("rows projected together have no interval")
            }
        }
    }

    /// `P_K(x)`, with the impulses of leads taken from `gamma`.
    fn project(&self, gamma: &[f64], x: &[f64]) -> Vec<f64> {
        match self.set {
            Set::Interval { .. } | Set::Friction { .. } => {
                let (lo, hi) = self.interval(gamma);
                vec![x[0].clamp(lo, hi)]
            }
            Set::Disc { mu, lead } => onto_disc(mu * gamma[lead].abs(), [x[0], x[1]]),
            Set::Cone { mu } => {
                if x[0] >= 0.0 && x[1].hypot(x[2]) <= mu * x[0] {
                    return x.to_vec();
                }
                // the generator nearest to x lies in the plane of x and the axis
                let along = x[1].atan2(x[2]);
                nearest(x, once(on_ray(x, [1.0, mu * along.sin(), mu * along.cos()])))
            }
            Set::Pyramid { mu } => {
                if x[0] >= 0.0 && x[1].abs() + x[2].abs() <= mu * x[0] {
                    return x.to_vec();
                }
                let edges = [[1.0, mu, 0.0], [1.0, -mu, 0.0], [1.0, 0.0, mu], [1.0, 0.0, -mu]];
                // a face lies between two edges: outward normal (−μ, ±1, ±1)
                let faces = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)].map(|(s1, s2)| {
                    let normal = [-mu, s1, s2];
                    let over = dot(x, &normal) / dot(&normal, &normal);
                    let foot: Vec<f64> = x.iter().zip(normal).map(|(x, n)| x - over * n).collect();
                    (foot[0] >= 0.0 && s1 * foot[1] >= 0.0 && s2 * foot[2] >= 0.0).then_some(foot)
                });
                nearest(x, edges.iter().map(|edge| on_ray(x, *edge)).chain(faces.into_iter().flatten()))
            }
            Set::Polygon { mu, corners } => {
                if x[0] >= 0.0 && reach(corners, [x[1], x[2]]) <= mu * x[0] {
                    return x.to_vec();
                }
                let ray = |k: u8| {
                    let [d1, d2] = corner(corners, k);
                    [1.0, mu * d1, mu * d2]
                };
                // a face lies between two neighbouring rays: outward normal q × p
                let faces = (0..corners).filter_map(|k| {
                    let (p, q) = (ray(k), ray(k + 1));
                    let normal = cross(q, p);
                    let over = dot(x, &normal) / dot(&normal, &normal);
                    let foot = [0, 1, 2].map(|i| x[i] - over * normal[i]);
                    let between = dot(&cross(normal, p), &foot) <= 0.0 && dot(&cross(normal, q), &foot) >= 0.0;
                    (mu > 0.0 && between).then(|| foot.to_vec())
                });
                nearest(x, (0..corners).map(|k| on_ray(x, ray(k))).chain(faces))
            }
        }
    }
}

impl Set {
    /// The tangential impulses nearest to `x` that the normal impulse `normal` allows.
    fn project_section(&self, normal: f64, x: [f64; 2]) -> Vec<f64> {
        match *self {
            Set::Cone { mu } => onto_disc(mu * normal, x),
            Set::Pyramid { mu } => {
                let r = mu * normal;
                if x[0].abs() + x[1].abs() <= r {
                    return x.to_vec();
                }
                // the four sides, each from corner to corner
                let sides = [(r, r), (r, -r), (-r, r), (-r, -r)].map(|(p, q)| {
                    let share = if r > 0.0 { ((x[0] / p - x[1] / q + 1.0) / 2.0).clamp(0.0, 1.0) } else { 0.0 };
                    vec![p * share, q * (1.0 - share)]
                });
                nearest(&x, sides.into_iter())
            }
            Set::Polygon { mu, corners } => {
                let r = mu * normal;
                if reach(corners, x) <= r {
                    return x.to_vec();
                }
                let sides = (0..corners).map(|k| {
                    let (a, b) = (corner(corners, k), corner(corners, k + 1));
                    let (off, along) = ([x[0] - r * a[0], x[1] - r * a[1]], [b[0] - a[0], b[1] - a[1]]);
                    let share = (dot(&off, &along) / dot(&along, &along)).clamp(0.0, r);
                    vec![r * a[0] + share * along[0], r * a[1] + share * along[1]]
                });
                nearest(&x, sides)
            }
            Set::Interval { .. } | Set::Friction { .. } | Set::Disc { .. } => {
                unreachable!("only contacts have sections")
            }
        }
    }
}

/// `max_k d_k·w`
pub fn support(corners: u8, w: [f64; 2]) -> f64 {
    (0..corners).map(|k| dot(&corner(corners, k), &w)).fold(f64::NEG_INFINITY, f64::max)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn onto_disc(radius: f64, x: [f64; 2]) -> Vec<f64> {
    let size = x[0].hypot(x[1]);
    if size <= radius { x.to_vec() } else { x.iter().map(|x| x / size * radius).collect() }
}

/// The point of the ray `{s·direction : s ≥ 0}` nearest to `x`.
fn on_ray(x: &[f64], direction: [f64; 3]) -> Vec<f64> {
    let s = (dot(x, &direction) / dot(&direction, &direction)).max(0.0);
    direction.iter().map(|d| s * d).collect()
}

fn nearest(x: &[f64], candidates: impl Iterator<Item = Vec<f64>>) -> Vec<f64> {
    let distance = |p: &Vec<f64>| x.iter().zip(p).map(|(x, p)| (x - p) * (x - p)).sum::<f64>();
    candidates.min_by(|p, q| distance(p).total_cmp(&distance(q))).unwrap()
}

/// Flatten a scene into blocks; box friction is a unilateral row with two friction rows behind it.
fn blocks(scene: &Scene) -> Vec<Block> {
    let (mut first, mut lead, mut blocks) = (0, 0, Vec::new());
    for block in &scene.blocks {
        let mut push = |offset: usize, set: Set| blocks.push(Block { first: first + offset, set });
        match block.law {
            Law::Row(Admissible::Friction { mu }) => push(0, Set::Friction { mu, lead }),
            Law::Row(Admissible::Bilateral) => push(0, Set::Interval { lo: f64::NEG_INFINITY, hi: f64::INFINITY }),
            Law::Row(Admissible::Unilateral) => push(0, Set::Interval { lo: 0.0, hi: f64::INFINITY }),
            Law::Row(Admissible::Bounded { lo, hi }) => push(0, Set::Interval { lo, hi }),
            Law::Pair { mu } => push(0, Set::Disc { mu, lead }),
            Law::Contact(Friction::Cone { mu }) => push(0, Set::Cone { mu }),
            Law::Contact(Friction::Pyramid { mu }) => push(0, Set::Pyramid { mu }),
            Law::Contact(Friction::Polygon { mu, corners }) => push(0, Set::Polygon { mu, corners }),
            Law::Contact(Friction::Box { mu }) => {
                push(0, Set::Interval { lo: 0.0, hi: f64::INFINITY });
                push(1, Set::Friction { mu, lead: first });
                push(2, Set::Friction { mu, lead: first });
            }
        }
        if block.law.leads() {
            lead = first;
        }
        first += block.rows.len();
    }
    blocks
}

/// Enzenhöfer eq. 4 and 5 line by line, σ_u's sign corrected (theory §3). J
pub fn energy_of_row(a: f64, x: f64, w: f64, l: f64, u: f64) -> f64 {
    let (w_l, w_u) = (w.max(0.0), (-w).max(0.0));
    let x_0 = x.min(u).max(l);
    let (d_u, d_l) = ((x - u).max(0.0), (l - x).max(0.0));
    let (s_l, s_u) = (x_0 + d_u - l, u - (x_0 - d_l));
    let lower = (w_l * w_l / (2.0 * a)).min(a / 2.0 * s_l * s_l);
    let upper = (w_u * w_u / (2.0 * a)).min(a / 2.0 * s_u * s_u);
    (a / 2.0 * (d_u * d_u + d_l * d_l)).max(lower).max(upper)
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// `A B Aᵀ`
pub fn sandwich(a: &Matrix, b: &Matrix) -> Matrix {
    let ab: Matrix = a.iter().map(|row| b.iter().map(|column| dot(row, column)).collect()).collect();
    ab.iter().map(|row| a.iter().map(|other| dot(row, other)).collect()).collect()
}

/// `Σ λ⁸`; its eighth root is the solver's bound on λ_max.
fn trace_of_eighth_power(a: &Matrix) -> f64 {
    let square = |a: &Matrix| sandwich(a, &vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]]);
    let eighth = square(&square(&square(a)));
    eighth[0][0] + eighth[1][1] + eighth[2][2]
}
