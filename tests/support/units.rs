//! The same problem in other units.
//!
//! ```text
//! row of     w      γ        E linear  E angular  c          v      ω     M⁻¹ linear, coupled, angular
//! m/s        l/t    m l/t    1         l          1/m        l/t    1/t   1/m, 1/(m l), 1/(m l²)
//! rad/s      1/t    m l²/t   1/l       1          1/(m l²)   energy m l²/t²
//! ```

use super::{Body, Law, Scene};
use proptest::prelude::*;
use tumble::math::Vec6;
use tumble::rows::{Admissible, RowInput};

/// What one old unit is in new ones.
#[derive(Clone, Copy, Debug)]
pub struct Units {
    mass: f64,
    length: f64,
    time: f64,
}

/// Factors that change no digit: powers of two; of four for masses, because rows are scaled by `M^-½`.
pub fn units() -> impl Strategy<Value = Units> {
    let power = |base: f64| (-4..=4_i32).prop_map(move |exponent| base.powi(exponent));
    let mass = (-2..=2_i32).prop_map(|exponent| 4.0_f64.powi(exponent));
    (mass, power(2.0), power(2.0)).prop_map(|(mass, length, time)| Units { mass, length, time })
}

impl Units {
    pub fn energy(self) -> f64 {
        self.mass * self.length * self.length / (self.time * self.time)
    }

    /// m/s or rad/s
    pub fn velocity(self, angular: bool) -> f64 {
        if angular { 1.0 / self.time } else { self.length / self.time }
    }

    /// N·s or N·m·s
    pub fn impulse(self, angular: bool) -> f64 {
        self.energy() / self.velocity(angular)
    }

    /// The scene in new units, and the unit of each row's impulse; `angular` says which blocks measure rad/s.
    pub fn express(self, scene: &Scene, angular: &[bool]) -> (Scene, Vec<f64>) {
        let (mut scene, mut impulses, mut lead) = (scene.clone(), Vec::new(), 1.0);
        scene.bodies.iter_mut().for_each(|body| *body = self.body(body));
        for (block, &angular) in scene.blocks.iter_mut().zip(angular) {
            let impulse = self.impulse(angular);
            match &mut block.law {
                Law::Row(Admissible::Bounded { lo, hi }) => (*lo, *hi) = (*lo * impulse, *hi * impulse),
                // rolling friction is a length
                Law::Row(Admissible::Friction { mu }) | Law::Pair { mu } => *mu *= impulse / lead,
                Law::Row(Admissible::Bilateral | Admissible::Unilateral) | Law::Contact(_) => {}
            }
            if block.law.leads() {
                lead = impulse;
            }
            block.rows.iter_mut().for_each(|row| *row = self.row(row, angular));
            impulses.extend(block.rows.iter().map(|_| impulse));
        }
        (scene, impulses)
    }

    /// Three linear, three angular: how each component of a body's velocity grows.
    pub fn velocities(self) -> [f64; 6] {
        [false, false, false, true, true, true].map(|angular| self.velocity(angular))
    }

    fn body(self, body: &Body) -> Body {
        let v = self.velocities();
        let scale = |i: usize, j: usize| body.inverse_mass[i][j] * v[i] * v[j] / self.energy();
        let six = [0, 1, 2, 3, 4, 5];
        Body { inverse_mass: six.map(|i| six.map(|j| scale(i, j))), v_free: six.map(|i| body.v_free[i] * v[i]) }
    }

    fn row(self, row: &RowInput<f64>, angular: bool) -> RowInput<f64> {
        let velocity = self.velocity(angular);
        let half = |half: Vec6<f64>| {
            let (e, v) = (<[f64; 6]>::from(half), self.velocities());
            Vec6::from([0, 1, 2, 3, 4, 5].map(|k| e[k] * velocity / v[k]))
        };
        RowInput {
            jacobian_a: half(row.jacobian_a),
            jacobian_b: half(row.jacobian_b),
            target_velocity: row.target_velocity * velocity,
            compliance: row.compliance * velocity / self.impulse(angular),
        }
    }
}
