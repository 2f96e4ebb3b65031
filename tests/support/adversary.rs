//! Inputs nobody would send on purpose: masses twelve decades apart, huge and tiny Jacobians, no friction and endless friction,
//! duplicate rows, velocities at the end of the number range, intervals of one point.

use super::{Block, Body, Law, block_of};
use proptest::prelude::*;
use std::ops::Range;
use tumble::math::Vec6;
use tumble::rows::{Admissible, Friction, RowInput};
use tumble::{Answer, FrictionModel, Method, Settings, Start, StepRule};

#[derive(Clone, Debug)]
pub struct Attack {
    pub bodies: Vec<Body>,
    /// May be refused one by one.
    pub blocks: Vec<Block>,
    pub impulses: Vec<f64>,
    pub settings: Settings<f64>,
}

/// `decades`: how far up the number range goes, 38 for f32 and 308 for f64. Most attacks keep away from its end, or all would
/// overflow and test nothing but the safe answer.
pub fn attacks(decades: f64) -> impl Strategy<Value = Attack> {
    prop_oneof![4 => Just(4.0), 2 => Just(decades / 4.0), 1 => Just(decades)].prop_flat_map(attacks_up_to)
}

fn attacks_up_to(decades: f64) -> impl Strategy<Value = Attack> {
    let block =
        (0..4_usize, prop::option::of(0..4_usize), law(decades), prop::array::uniform3(row(decades)), 1..=2_usize);
    (
        prop::collection::vec(body(decades), 1..=4),
        prop::collection::vec(block, 0..=6),
        prop::collection::vec(prop_oneof![Just(0.0), wide(-decades..decades), wide(-3.0..3.0)], 36),
        settings(),
    )
        .prop_map(|(bodies, blocks, impulses, settings)| {
            let copies = blocks.into_iter().flat_map(|(a, b, law, rows, copies)| {
                std::iter::repeat_n(block_of(bodies.len(), a, b, law, &rows), copies)
            });
            Attack { blocks: copies.collect(), bodies, impulses, settings }
        })
}

/// `±10^x`
fn wide(exponents: Range<f64>) -> impl Strategy<Value = f64> + Clone {
    (any::<bool>(), exponents).prop_map(|(minus, x)| if minus { -(10.0_f64.powf(x)) } else { 10.0_f64.powf(x) })
}

fn anything(decades: f64) -> impl Strategy<Value = f64> + Clone {
    prop_oneof![2 => Just(0.0), 3 => wide(-3.0..3.0), 1 => wide(-decades..decades), 1 => wide(decades - 1.0..decades)]
}

fn body(decades: f64) -> impl Strategy<Value = Body> {
    (-6.0..6.0_f64, prop::array::uniform3(-6.0..6.0_f64), prop::array::uniform6(anything(decades))).prop_map(
        |(mass, [x, y, z], v_free)| {
            let exponents = [mass, mass, mass, mass + x, mass + y, mass + z];
            let mut inverse_mass = [[0.0; 6]; 6];
            (0..6).for_each(|i| inverse_mass[i][i] = 10.0_f64.powf(exponents[i]));
            Body { inverse_mass, v_free }
        },
    )
}

fn row(decades: f64) -> impl Strategy<Value = RowInput<f64>> {
    let element = || prop_oneof![Just(0.0), Just(1.0), Just(-1.0), -1.0..1.0_f64];
    let half = move || prop::array::uniform6(element());
    let scale = prop_oneof![Just(1.0), wide(-decades / 3.0..decades / 3.0)];
    let compliance = prop_oneof![3 => Just(0.0), 1 => (-9.0..9.0_f64).prop_map(|x| 10.0_f64.powf(x))];
    (half(), half(), scale, anything(decades), compliance).prop_map(|(a, b, scale, target_velocity, compliance)| {
        RowInput {
            jacobian_a: Vec6::from(a.map(|x| x * scale)),
            jacobian_b: Vec6::from(b.map(|x| x * scale)),
            target_velocity,
            compliance,
        }
    })
}

fn law(decades: f64) -> impl Strategy<Value = Law> {
    let mu = || prop_oneof![Just(0.0), Just(0.3), Just(1.0), Just(1e9), Just(1e-9)];
    prop_oneof![
        Just(Law::Row(Admissible::Bilateral)),
        Just(Law::Row(Admissible::Unilateral)),
        anything(decades).prop_map(|x| Law::Row(Admissible::Bounded { lo: x, hi: x })),
        (anything(decades), anything(decades))
            .prop_map(|(x, y)| Law::Row(Admissible::Bounded { lo: x.min(y), hi: x.max(y) })),
        mu().prop_map(|mu| Law::Row(Admissible::Friction { mu })),
        mu().prop_map(|mu| Law::Pair { mu }),
        mu().prop_map(|mu| Law::Contact(Friction::Cone { mu })),
        mu().prop_map(|mu| Law::Contact(Friction::Pyramid { mu })),
        mu().prop_map(|mu| Law::Contact(Friction::Box { mu })),
    ]
}

/// All of them valid: refusals have their own tests.
pub fn settings() -> impl Strategy<Value = Settings<f64>> {
    (
        prop_oneof![Just(1.0), Just(1e-3), Just(1.999), 0.01..1.99_f64],
        prop_oneof![Just(0), 1..20_u32],
        prop_oneof![Just(0.0), Just(1e-12), Just(1e9)],
        prop_oneof![Just(FrictionModel::Ccp), Just(FrictionModel::Ncp)],
        prop_oneof![Just(StepRule::Safe), Just(StepRule::Average)],
        prop_oneof![Just(Start::Warm), Just(Start::Cold), Just(Start::Trusted)],
        (
            prop_oneof![Just(Method::Psor), Just(Method::Block), Just(Method::Nesterov), Just(Method::Anderson)],
            prop_oneof![Just(Answer::Best), Just(Answer::Last)],
            prop_oneof![Just(f64::INFINITY), Just(1e-3)],
        ),
    )
        .prop_map(|(omega, iterations, tolerance, friction, step, start, (method, answer, impulse_ceiling))| {
            Settings { method, answer, impulse_ceiling, omega, iterations, tolerance, friction, step, start }
        })
}
