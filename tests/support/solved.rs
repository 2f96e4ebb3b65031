//! Problems made around their answer: impulses and velocities that obey every law are drawn first, then each row is made to ask for
//! the velocity that fits, `e += Nγ + r − w`. So the answer is known whatever the law, without any solver.

use super::Scene;
use super::oracle::{Block, Dense, Set};
use proptest::prelude::*;
use tumble::FrictionModel;

/// How one block is solved.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// which side of complementarity: 0 and 1 are the bounds, or a contact that parts and one that slides; 2 is at rest inside
    side: u8,
    /// how far inside, 0 to 1
    place: f64,
    /// m/s
    speed: f64,
    /// of what slides, rad
    angle: f64,
}

/// Enough for any scene.
pub fn choices() -> impl Strategy<Value = Vec<Choice>> {
    let choice = (0..3_u8, 0.05..0.95_f64, 0.05..1.0_f64, 0.0..std::f64::consts::TAU);
    prop::collection::vec(choice.prop_map(|(side, place, speed, angle)| Choice { side, place, speed, angle }), 24)
}

/// The scene with other target velocities, and the impulses that solve it.
pub fn solved(mut scene: Scene, choices: &[Choice], model: FrictionModel) -> (Scene, Vec<f64>) {
    let dense = Dense::new(&scene);
    let (mut gamma, mut w) = (vec![0.0; scene.row_count()], vec![0.0; scene.row_count()]);
    for (block, choice) in dense.blocks.iter().zip(choices) {
        for (row, (impulse, velocity)) in block.rows().zip(choice.answer(*block, &gamma, model)) {
            (gamma[row], w[row]) = (impulse, velocity);
        }
    }
    let asked = dense.w(&gamma);
    let rows = scene.blocks.iter_mut().flat_map(|block| &mut block.rows);
    rows.enumerate().for_each(|(i, row)| row.target_velocity += asked[i] - w[i]);
    (scene, gamma)
}

impl Choice {
    /// `(γ, w)` of each row of a block that obey its law, with leads as in `gamma`.
    fn answer(self, block: Block, gamma: &[f64], model: FrictionModel) -> Vec<(f64, f64)> {
        let Self { side, place, speed, .. } = self;
        let at_rest = |impulse: f64| (impulse, 0.0);
        match block.set {
            Set::Interval { .. } | Set::Friction { .. } => {
                let (lo, hi) = block.interval(gamma);
                let inside = match (lo.is_finite(), hi.is_finite()) {
                    (true, true) => lo + place * (hi - lo),
                    (true, false) => lo + place,
                    (false, true) => hi - place,
                    (false, false) => place,
                };
                vec![match side {
                    0 if lo.is_finite() => (lo, speed),
                    1 if hi.is_finite() => (hi, -speed),
                    _ => at_rest(inside),
                }]
            }
            Set::Disc { mu, lead } => {
                let (radius, ([g1, g2], [w1, w2], _)) = (mu * gamma[lead].abs(), self.slide(block.set));
                let inside = vec![at_rest(place * radius * g1), at_rest(place * radius * g2)];
                if side == 2 { inside } else { vec![(radius * g1, w1), (radius * g2, w2)] }
            }
            Set::Cone { mu } | Set::Pyramid { mu } | Set::Polygon { mu, .. } => {
                let ([g1, g2], [w1, w2], size) = self.slide(block.set);
                // ccp: what slides opens
                let opens = if model == FrictionModel::Ccp { mu * size } else { 0.0 };
                let (normal, most) = (1.0 + place, mu * (1.0 + place));
                match side {
                    0 => vec![(0.0, opens + place), (0.0, w1), (0.0, w2)],
                    1 => vec![(normal, opens), (most * g1, w1), (most * g2, w2)],
                    _ => vec![at_rest(normal), at_rest(place * most * g1), at_rest(place * most * g2)],
                }
            }
        }
    }

    /// A velocity `w_t`, the impulse of size 1 that opposes it most, and their product's size, `|w_t|` in the set's own measure.
    fn slide(self, set: Set) -> ([f64; 2], [f64; 2], f64) {
        let Self { place, speed, angle, .. } = self;
        let [c, s] = [angle.cos(), angle.sin()];
        if let Set::Polygon { corners, .. } = set {
            // the corner that opposes it most
            let along = |k: &u8| super::oracle::dot(&super::corner(corners, *k), &[-c, -s]);
            let k = (0..corners).max_by(|k, l| along(k).total_cmp(&along(l))).unwrap_or(0);
            return (super::corner(corners, k), [speed * c, speed * s], speed * along(&k));
        }
        if !matches!(set, Set::Pyramid { .. }) {
            return ([-c, -s], [speed * c, speed * s], speed);
        }
        // equally fast along both tangents: anywhere on a side; or else at a corner
        if self.side == 1 && speed > 0.5 {
            return (
                [-place * c.signum(), -(1.0 - place) * s.signum()],
                [speed * c.signum(), speed * s.signum()],
                speed,
            );
        }
        let corner = if c.abs() > s.abs() { [-c.signum(), 0.0] } else { [0.0, -s.signum()] };
        (corner, [speed * c, speed * s], speed * c.abs().max(s.abs()))
    }
}
