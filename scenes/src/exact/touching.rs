//! Spheres that touch without friction, after one step of gravity: a stack, and a pile in a box.
//!
//! ```text
//! w = n·(v_a − v_b) + φ/h + c γ ≥ 0   ⊥   γ ≥ 0       φ gap, of either sign;  c = 1e-3 of the mean of n·M⁻¹n over all rows
//! ```

use tumble::math::{Real, Vec3, Vec6};
use tumble::rows::{Admissible, InverseMass, RowInput};
use tumble::twin::Random;
use tumble::{BodyIndex, Error, Problem};

/// Steel, 10 mm. m, kg
const RADIUS: f64 = 5e-3;
const MASS: f64 = 4.1e-3;
/// s
const STEP: f64 = 2e-3;
const GRAVITY: f64 = 9.81;
/// Largest gap. m
const GAP: f64 = 5e-6;
/// Share of the mean diagonal by which every row gives way.
const SOFTNESS: f64 = 1e-3;
/// `(aside, aside, up)` to each of the four spheres whose hollow one rests in; a little more than ½, so that neighbours in a layer do not touch.
const ASIDE: f64 = 0.52;
const UP: f64 = 0.677_642_751_3;
/// Widest box, in spheres.
const SIDE_MAX: u16 = 10;
/// Spheres remembered: a layer and a little more.
const REMEMBERED: usize = 128;

/// A sphere, which one it lies on or `None` for floor and walls, and the direction from there.
struct Touch {
    sphere: u16,
    on: Option<u16>,
    normal: [f64; 3],
}

/// As many spheres as rows, one on the other.
pub(super) fn stack<R: Real, const BODIES: usize, const ROWS: usize>(
    problem: &mut Problem<R, BODIES, ROWS>,
    rows: u16,
    seed: u32,
) -> Result<(), Error> {
    let touch = |sphere: u16| Touch { sphere, on: sphere.checked_sub(1), normal: [0.0, 0.0, 1.0] };
    build(problem, (0..rows).map(touch), seed)
}

/// Layers in a box about as wide as high, each sphere in the hollow of those below it or of some and a wall, as far as there are rows.
pub(super) fn pile<R: Real, const BODIES: usize, const ROWS: usize>(
    problem: &mut Problem<R, BODIES, ROWS>,
    rows: u16,
    seed: u32,
) -> Result<(), Error> {
    // some three rows a sphere
    let side = (1..SIDE_MAX).find(|side| 3 * u32::from(*side).pow(3) >= rows.into()).unwrap_or(SIDE_MAX);
    let touches = (0..rows).flat_map(move |sphere| touches_in_box(sphere, side));
    build(problem, touches.take(rows.into()), seed)
}

/// What a sphere of a pile touches. Every other layer is set off by half a sphere towards +x and +y, where it meets the walls; the others meet those across.
fn touches_in_box(sphere: u16, side: u16) -> impl Iterator<Item = Touch> + Clone {
    let (layer, place) = (sphere / (side * side), sphere % (side * side));
    let (x, y) = (place % side, place / side);
    let odd = layer % 2 == 1;
    // ahead in x or y: towards the wall that this layer meets
    let ahead = move |at: u16| if odd { at.checked_add(1).filter(|at| *at < side) } else { at.checked_sub(1) };
    let sign = if odd { 1.0 } else { -1.0 };
    let floor = (layer == 0).then_some([0.0, 0.0, 1.0]);
    let wall_x = ahead(x).is_none().then_some([-sign, 0.0, 0.0]);
    let wall_y = ahead(y).is_none().then_some([0.0, -sign, 0.0]);
    let fixed = [floor, wall_x, wall_y].into_iter().flatten().map(move |normal| Touch { sphere, on: None, normal });
    let below = [(false, false), (true, false), (false, true), (true, true)].into_iter().filter_map(move |(dx, dy)| {
        let step = |at: u16, goes: bool| if goes { ahead(at) } else { Some(at) };
        let (x, y) = (step(x, dx)?, step(y, dy)?);
        let on = layer.checked_sub(1)?.checked_mul(side * side)?.checked_add(y * side + x)?;
        // away from who lies ahead
        let aside = |goes: bool| if goes { -sign * ASIDE } else { sign * ASIDE };
        Some(Touch { sphere, on: Some(on), normal: [aside(dx), aside(dy), UP] })
    });
    fixed.chain(below)
}

fn build<R: Real, const BODIES: usize, const ROWS: usize>(
    problem: &mut Problem<R, BODIES, ROWS>,
    touches: impl Iterator<Item = Touch> + Clone,
    seed: u32,
) -> Result<(), Error> {
    let r = R::from_f64;
    problem.clear();
    let mut random = Random::new(seed);
    // 1/m for each sphere that a row is on
    let (rows, ends) = touches
        .clone()
        .fold((0.0, 0.0), |(rows, ends), touch| (rows + 1.0, ends + if touch.on.is_some() { 2.0 } else { 1.0 }));
    let compliance = r(SOFTNESS / MASS * ends / rows);
    let inverse_mass = InverseMass::new(r(MASS), [r(0.4 * MASS * RADIUS * RADIUS); 3])?;
    let fall = Vec6::from([0.0, 0.0, -GRAVITY * STEP, 0.0, 0.0, 0.0].map(r));
    let mut known: [Option<BodyIndex>; REMEMBERED] = [None; REMEMBERED];
    for Touch { sphere, on, normal: [x, y, z] } in touches {
        while problem.body_count() <= usize::from(sphere) {
            let index = problem.body_count() % REMEMBERED;
            let body = problem.add_body(inverse_mass, fall)?;
            if let Some(known) = known.get_mut(index) {
                *known = Some(body);
            }
        }
        let find = |sphere: u16| known.get(usize::from(sphere) % REMEMBERED).copied().flatten();
        let body = find(sphere).ok_or(Error::NoSuchBody)?;
        let normal = Vec3::new(r(x), r(y), r(z));
        let gap = GAP * f64::from(random.within_one());
        let input = RowInput {
            target_velocity: r(-gap / STEP),
            compliance,
            ..RowInput::at_point(normal, normal * r(-RADIUS), normal * r(RADIUS))
        };
        problem.add_row(body, on.and_then(find), &input, Admissible::Unilateral)?;
    }
    Ok(())
}
