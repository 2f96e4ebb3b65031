//! The factor against dense elimination, on patterns as rows between bodies make them, hubs included; rows that come and go against a factor made from scratch.
//!
//! Tolerance: `A = E Eᵀ + 0.1` with at most twelve numbers of size one in a row of E has a condition of some thousands: 1e-9 of the solution is a thousand times what is
//! lost to rounding, and nothing to what a wrong element does.

use super::*;
use crate::rows::GROUND;
use proptest::prelude::*;
use std::vec;
use std::vec::Vec as List;

const BODIES: usize = 8;
const UNKNOWNS: usize = 96;
type Place = Ldl<f64, UNKNOWNS, 4560>;

/// Rows by the bodies they join, and numbers for their Jacobians.
#[derive(Clone, Debug)]
struct Pattern {
    rows: List<[u16; 2]>,
    numbers: List<f64>,
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let end = prop_oneof![8 => 0..BODIES as u16, 1 => Just(0), 1 => Just(GROUND)];
    // groups of one to six; with luck body 0 is a hub
    let groups = prop::collection::vec((0..BODIES as u16, end, 1..=6_usize), 1..=12);
    let crowd = prop_oneof![Just(0_usize), 0..=8_usize];
    (groups, crowd, prop::collection::vec(-1.0..1.0_f64, 12 * UNKNOWNS)).prop_map(|(groups, crowd, numbers)| {
        let many = (0..crowd).map(|k| (1 + k as u16 % 7, 0, 5));
        let one = [(1, GROUND, 1)];
        let rows = one.into_iter().chain(groups).chain(many).filter(|(a, b, _)| a != b);
        let rows = rows.flat_map(|(a, b, size)| vec![[a, b]; size]).take(UNKNOWNS - 12).collect();
        Pattern { rows, numbers }
    })
}

/// An order, a factor with its numbers, and the same matrix dense, in the factor's order.
fn lay_out(pattern: &Pattern) -> (std::boxed::Box<Place>, List<List<f64>>, List<bool>) {
    let mut order = std::boxed::Box::new(Order::<BODIES, UNKNOWNS>::new());
    order.begin();
    for (index, bodies) in (0..).zip(&pattern.rows) {
        assert!(order.add(index, *bodies));
    }
    assert!(!order.is_known());
    let mut place = std::boxed::Box::new(Place::new());
    place.lay_out(&mut order, &mut Watch::none()).unwrap();
    let mut unknowns: List<(Option<u16>, u16)> = vec![];
    for unknown in order.unknowns() {
        match unknown {
            Unknown::Rows(group) => unknowns.extend((0..group.size).map(|k| (None, group.first_row + k))),
            Unknown::Hub(body) => unknowns.extend((0..6).map(|number| (Some(body), number))),
        }
    }
    let is_hub = |body: u16| unknowns.iter().any(|(hub, _)| *hub == Some(body));
    let half = |row: u16, body: u16| -> [f64; 6] {
        let side = pattern.rows[usize::from(row)].iter().position(|end| *end == body && body != GROUND);
        let from = |side: usize| 12 * usize::from(row) + 6 * side;
        core::array::from_fn(|k| side.map_or(0.0, |side| pattern.numbers[from(side) + k]))
    };
    let element = |i: usize, j: usize| match (unknowns[i], unknowns[j]) {
        ((Some(_), _), (Some(_), _)) => {
            if i == j {
                -1.0
            } else {
                0.0
            }
        }
        ((Some(body), k), (None, row)) | ((None, row), (Some(body), k)) => half(row, body)[usize::from(k)],
        ((None, p), (None, q)) => {
            let shared = (0..BODIES as u16)
                .filter(|body| !is_hub(*body))
                .map(|body| half(p, body).iter().zip(half(q, body)).map(|(x, y)| x * y).sum::<f64>());
            shared.sum::<f64>() + if i == j { 0.1 } else { 0.0 }
        }
    };
    let size = unknowns.len();
    let dense: List<List<f64>> = (0..size).map(|i| (0..size).map(|j| element(i, j)).collect()).collect();
    assert_eq!(place.pivots.len(), size);
    // every number of A has its place
    let mut factor = place.view();
    let mut places = vec![vec![false; size]; size];
    for (i, places) in places.iter_mut().enumerate() {
        let columns: List<u16> = factor.entries[factor.span(i as u16)].iter().map(|entry| entry.column).collect();
        assert!(columns.is_sorted_by(|x, y| x < y) && columns.iter().all(|column| usize::from(*column) < i));
        columns.iter().for_each(|column| places[usize::from(*column)] = true);
    }
    for i in 0..size {
        for j in 0..i {
            assert!(places[i][j] || dense[i][j] == 0.0, "{i}, {j} has no place");
        }
        let _ = factor.set_row(i as u16, dense[i][i], |j| dense[i][usize::from(j)]);
    }
    let hubs = unknowns.iter().map(|(hub, _)| hub.is_some()).collect();
    (place, dense, hubs)
}

/// `A x = b` over those that are in; zero for all others.
fn solve_dense(dense: &[List<f64>], within: &[bool], b: &[f64]) -> List<f64> {
    let chosen: List<usize> = (0..b.len()).filter(|&i| within[i]).collect();
    let mut rows: List<List<f64>> =
        chosen.iter().map(|&i| chosen.iter().map(|&j| dense[i][j]).chain([b[i]]).collect()).collect();
    let n = chosen.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap();
        rows.swap(k, best);
        let pivot = rows[k].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != k {
                let factor = row[k] / pivot[k];
                row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    let mut x = vec![0.0; b.len()];
    chosen.iter().enumerate().for_each(|(k, &i)| x[i] = rows[k][n] / rows[k][k]);
    x
}

fn agrees(factor: &mut Factor<'_, f64>, dense: &[List<f64>], within: &[bool]) -> Result<(), TestCaseError> {
    let b: List<f64> = (0..dense.len()).map(|i| (i * 7 % 11) as f64 - 5.0).collect();
    let expected = solve_dense(dense, within, &b);
    let mut x = b;
    let mut sums = vec![f64::NAN; x.len()];
    assert!(factor.solve(&mut x, &mut sums, &mut Watch::none()));
    let size = expected.iter().fold(1.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
    for (i, (ours, theirs)) in x.iter().zip(&expected).enumerate() {
        prop_assert!((ours - theirs).abs() <= 1e-9 * size, "x_{i} = {ours}, dense {theirs}");
        prop_assert_eq!(factor.has(i as u16), within[i]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn as_dense_elimination(pattern in patterns(), left_out in prop::collection::vec(any::<bool>(), UNKNOWNS)) {
        let (mut place, dense, hubs) = lay_out(&pattern);
        let mut factor = place.view();
        let all = vec![true; dense.len()];
        assert!(factor.factorise(&mut Watch::none(), |_| true));
        agrees(&mut factor, &dense, &all)?;
        // hubs are always in
        let some: List<bool> = hubs.iter().zip(&left_out).map(|(hub, out)| *hub || !out).collect();
        assert!(factor.factorise(&mut Watch::none(), |i| some[usize::from(i)]));
        agrees(&mut factor, &dense, &some)?;
    }

    /// Rows come and go, some with other numbers than before.
    #[test]
    fn updates_as_from_scratch(pattern in patterns(), moves in prop::collection::vec((0..UNKNOWNS, any::<bool>()), 1..60)) {
        let (mut place, mut dense, hubs) = lay_out(&pattern);
        let mut factor = place.view();
        let mut within = hubs.clone();
        assert!(factor.factorise(&mut Watch::none(), |i| hubs[usize::from(i)]));
        for (k, turns) in moves {
            let k = k % dense.len();
            if hubs[k] {
                continue;
            }
            if within[k] {
                assert!(factor.leave_out(k as u16, &mut Watch::none()));
            } else {
                if turns {
                    // another ray of the same contact: still positive definite
                    for (j, row) in dense.iter_mut().enumerate() {
                        row[k] *= if j == k { 0.25 } else { -0.5 };
                    }
                    dense[k] = dense.iter().map(|row| row[k]).collect();
                    let row = &dense[k];
                    factor.set(k as u16, row[k], |j| row[usize::from(j)]);
                }
                assert!(factor.put_in(k as u16, &mut Watch::none()));
            }
            within[k] = !within[k];
            agrees(&mut factor, &dense, &within)?;
        }
        let mut x: List<f64> = (0..dense.len()).map(|i| i as f64).collect();
        let mut y = x.clone();
        let mut sums = x.clone();
        assert!(factor.solve(&mut x, &mut sums, &mut Watch::none()));
        assert!(factor.factorise(&mut Watch::none(), |i| within[usize::from(i)]));
        assert!(factor.solve(&mut y, &mut sums, &mut Watch::none()));
        let size = y.iter().fold(1.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
        for (updated, anew) in x.iter().zip(&y) {
            prop_assert!((updated - anew).abs() <= 1e-10 * size, "{updated}, anew {anew}");
        }
    }
}

/// What an unknown that is left out held before is nobody's business, even if it was no number.
#[test]
fn no_trace_of_what_was_no_number() {
    let pattern = Pattern {
        rows: vec![[0, 1], [0, 1], [1, 2], [2, 3]],
        numbers: (0..48).map(|k| f64::from(k % 7) - 2.5).collect(),
    };
    let (mut place, dense, _) = lay_out(&pattern);
    let mut factor = place.view();
    for bad in [f64::NAN, f64::INFINITY] {
        for out in 0..4 {
            for i in 0..4_u16 {
                factor.set_row(i, bad, |_| bad);
            }
            assert!(factor.factorise(&mut Watch::none(), |_| true));
            for i in 0..4_u16 {
                let row = &dense[usize::from(i)];
                factor.set_row(i, row[usize::from(i)], |j| row[usize::from(j)]);
            }
            let within: List<bool> = (0..4).map(|i| i != out).collect();
            assert!(factor.factorise(&mut Watch::none(), |i| within[usize::from(i)]));
            agrees(&mut factor, &dense, &within).unwrap();
        }
    }
}
