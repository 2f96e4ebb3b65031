//! Rows against finite differences of constraint functions that are written down a second time, with matrices and libm.

use super::*;

/// Orientation of frame a seen from frame b, by columns: its axes.
fn relative(base: &Pose<f64>, moved: &Pose<f64>) -> [Vec3<f64>; 3] {
    let m = (base.orientation.inverse() * moved.orientation).matrix().transposed();
    [m.x, m.y, m.z]
}

/// Twist of the shortest swing's rest: angle of xₐ, swung back, against xᵦ.
fn twist(base: &Pose<f64>, moved: &Pose<f64>) -> f64 {
    let [x, y, z] = relative(base, moved);
    // swing about (−z_y, z_x, 0) takes ẑ to z; undone, x lies in the plane
    let k = 1.0 / (1.0 + z.z);
    let back = |u: Vec3<f64>| {
        // Rodrigues' formula for the rotation that takes z to ẑ
        let axis = Vec3::new(z.y, -z.x, 0.0);
        u * z.z + axis.cross(u) + axis * (axis.dot(u) * k)
    };
    let (x, y) = (back(x), back(y));
    assert!((x.z.abs() + y.z.abs()) < 1e-12);
    libm::atan2(x.y, x.x)
}

/// `C(q)` of the module's table. Rotations as `4 tan(θ/4) u` by angle and axis.
fn constraint(joint: &Joint<f64>, a: &Pose<f64>, b: &Pose<f64>) -> Vec<f64> {
    let (at_a, at_b) = (a.then(joint.frame_a()), b.then(joint.frame_b()));
    let d = at_a.position - at_b.position;
    let axes = at_b.orientation.matrix().transposed();
    let along = |u: Vec3<f64>| d.dot(u);
    let lateral = [along(axes.x), along(axes.y)];
    let [x, y, z] = relative(&at_b, &at_a);
    let rotation = || {
        let u = Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
        let (sin, cos) = (0.5 * u.dot(u).sqrt(), 0.5 * (x.x + y.y + z.z - 1.0));
        let scale = 4.0 * libm::tan(0.25 * libm::atan2(sin, cos)) / (2.0 * sin);
        [u.x * scale, u.y * scale, u.z * scale]
    };
    let swing = || {
        let sin = (z.x * z.x + z.y * z.y).sqrt();
        let scale = 4.0 * libm::tan(0.25 * libm::atan2(sin, z.z)) / sin;
        [-z.y * scale, z.x * scale]
    };
    let mut c = Vec::new();
    match joint.kind() {
        Kind::Ball => c.extend([lateral[0], lateral[1], along(axes.z)]),
        Kind::Revolute => {
            c.extend([lateral[0], lateral[1], along(axes.z)]);
            c.extend(swing());
        }
        Kind::Prismatic => {
            c.extend(lateral);
            c.extend(rotation());
        }
        Kind::Cylindrical => {
            c.extend(lateral);
            c.extend(swing());
        }
        Kind::Universal => {
            c.extend([lateral[0], lateral[1], along(axes.z)]);
            let sin = at_a.orientation.matrix().transposed().x.dot(axes.y);
            c.push(4.0 * libm::tan(0.25 * libm::asin(sin)));
        }
        Kind::Fixed => {
            c.extend([lateral[0], lateral[1], along(axes.z)]);
            c.extend(rotation());
        }
        Kind::Distance { length, .. } => c.push(d.dot(d).sqrt() - length),
        Kind::Rope { length, .. } => c.push(length - d.dot(d).sqrt()),
        Kind::Screw { pitch } => {
            c.extend(lateral);
            c.extend(swing());
            c.push(along(axes.z) - pitch * twist(&at_b, &at_a) / core::f64::consts::TAU);
        }
        Kind::Gear { ratio, bearing_a, bearing_b } => c.push(twist(bearing_a, &at_a) - ratio * twist(bearing_b, &at_b)),
        Kind::Rack { radius, guide_a, bearing_b } => {
            let slide = (at_a.position - guide_a.position).dot(guide_a.orientation.matrix().transposed().z);
            c.push(slide - radius * twist(bearing_b, &at_b));
        }
    }
    c
}

fn twelve(row: &RowInput<f64>) -> [f64; 12] {
    let (a, b): ([f64; 6], [f64; 6]) = (row.jacobian_a.into(), row.jacobian_b.into());
    core::array::from_fn(|k| if k < 6 { a[k] } else { b[k - 6] })
}

/// `∂C/∂q` by central differences, one velocity at a time.
fn differences(joint: &Joint<f64>, a: &Pose<f64>, b: &Pose<f64>) -> Vec<[f64; 12]> {
    let mut jacobian = std::vec![[0.0; 12]; constraint(joint, a, b).len()];
    for k in 0..12 {
        let mut unit = [0.0; 12];
        unit[k] = 1.0;
        let v = |j: usize| Vec6::from(core::array::from_fn::<f64, 6, _>(|i| unit[j + i]));
        let c = |h: f64| constraint(joint, &moved(a, v(0), h), &moved(b, v(6), h));
        for (row, (plus, minus)) in jacobian.iter_mut().zip(c(STEP).iter().zip(c(-STEP))) {
            let mut change = plus - minus;
            // an angle may cross its cut between the two
            let period = match joint.kind() {
                Kind::Screw { pitch } => *pitch,
                Kind::Rack { radius, .. } => radius * core::f64::consts::TAU,
                _ => f64::INFINITY,
            };
            if change.abs() > 0.5 * period {
                change -= period.copysign(change);
            }
            row[k] = change / (2.0 * STEP);
        }
    }
    jacobian
}

const STEP: f64 = 1e-5;
/// Central differences leave `STEP²/6 |C‴| + ε|C|/STEP`; the poses that are let through have |C‴| < 1e2 and |C| < 20.
const TOLERANCE: f64 = STEP * STEP / 6.0 * 1e2 + 20.0 * f64::EPSILON / STEP * 2.0;

/// Solve `M G = B` for M, G symmetric positive definite: Gauss with pivots.
fn divide(mut g: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = g.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| g[i][k].abs().total_cmp(&g[j][k].abs())).unwrap();
        g.swap(k, p);
        b.swap(k, p);
        for i in 0..n {
            if i != k {
                let f = g[i][k] / g[k][k];
                let (gk, bk) = (g[k].clone(), b[k].clone());
                g[i].iter_mut().zip(gk).for_each(|(x, y)| *x -= f * y);
                b[i].iter_mut().zip(bk).for_each(|(x, y)| *x -= f * y);
            }
        }
    }
    for k in 0..n {
        let f = g[k][k];
        b[k].iter_mut().for_each(|x| *x /= f);
    }
    b
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Rows are `∂C/∂q` up to an invertible mix M (scales of angular rows), and their errors are C up to the same mix, so that
/// `E v = −(K/h) error` means `Ċ = −(K/h) C` exactly, however large the error.
#[test]
fn rows_are_the_derivative_of_the_constraint() {
    let mut random = Random(1);
    let step = StepContext::implicit(1.0, 1.0);
    let mut seen = 0;
    for round in 0..200 {
        for joint in each_kind(&mut random) {
            // small errors and any errors in turn
            let world = random.pose();
            let size = if round % 2 == 0 { 0.3 } else { 3.0 };
            let (at_a, at_b) = (random.nudged(&world, size), random.nudged(&world, size));
            let (a, b) = (carrying(joint.frame_a(), &at_a), carrying(joint.frame_b(), &at_b));
            // stay away from what no map of a sphere can do: opposite axes; and from Cardan's own singularity
            let z = |p: &Pose<f64>| p.orientation.turn(Vec3::new(0.0, 0.0, 1.0));
            let mut cosines = std::vec![z(&at_a).dot(z(&at_b))];
            match joint.kind() {
                Kind::Gear { bearing_a, bearing_b, .. } => {
                    cosines = std::vec![z(&at_a).dot(z(bearing_a)), z(&at_b).dot(z(bearing_b))]
                }
                Kind::Rack { bearing_b, .. } => cosines = std::vec![z(&at_b).dot(z(bearing_b))],
                Kind::Universal => {
                    let (x, y) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 1.0, 0.0));
                    let sin = at_a.orientation.turn(x).dot(at_b.orientation.turn(y));
                    // |sin ε| < 0.5
                    cosines = std::vec![if sin.abs() < 0.5 { 1.0 } else { -1.0 }];
                }
                _ => {}
            }
            let w = (at_b.orientation.inverse() * at_a.orientation).components()[0];
            if cosines.iter().any(|c| *c < -0.6) || w.abs() < 0.1 {
                continue;
            }
            let d = at_a.position - at_b.position;
            if d.dot(d) < 0.09 {
                continue;
            }
            seen += 1;
            let rows = collect(&joint, [&a, &b], [Vec6::ZERO; 2], &step);
            let exact = differences(&joint, &a, &b);
            assert_eq!(rows.len(), exact.len(), "{joint:?}");
            let jacobian: Vec<[f64; 12]> = rows.iter().map(|(row, _)| twelve(row)).collect();
            let gram = jacobian.iter().map(|x| jacobian.iter().map(|y| dot(x, y)).collect()).collect();
            let mixed = jacobian.iter().map(|x| exact.iter().map(|y| dot(x, y)).collect()).collect();
            // Mᵀ = (J Jᵀ)⁻¹ J J_exactᵀ
            let mix = divide(gram, mixed);
            let c = constraint(&joint, &a, &b);
            for (i, exact) in exact.iter().enumerate() {
                for k in 0..12 {
                    let row: f64 = (0..rows.len()).map(|j| mix[j][i] * jacobian[j][k]).sum();
                    assert!((row - exact[k]).abs() < TOLERANCE, "{} {:?} row {i}.{k}", row - exact[k], joint.kind());
                }
                let error: f64 = (0..rows.len()).map(|j| -mix[j][i] * rows[j].0.target_velocity).sum();
                // a screw's, gear's or rack's angle may be another by full turns: same rows, other branch
                let period = match joint.kind() {
                    Kind::Screw { pitch } if i == 4 => *pitch,
                    Kind::Gear { .. } => core::f64::consts::PI,
                    Kind::Rack { radius, .. } => radius * core::f64::consts::TAU,
                    _ => f64::INFINITY,
                };
                let miss = error - c[i];
                let miss = if period.is_finite() { miss - period * libm::round(miss / period) } else { miss };
                // the mix multiplies errors up to 10 by differences
                assert!(miss.abs() < 10.0 * TOLERANCE, "{miss} {:?} error {i}", joint.kind());
            }
            // rows of coordinates and points need no mix
            if matches!(joint.kind(), Kind::Ball | Kind::Distance { .. } | Kind::Rope { .. } | Kind::Rack { .. }) {
                for (i, row) in mix.iter().enumerate() {
                    assert!(row.iter().enumerate().all(|(j, m)| (m - f64::from(i == j)).abs() < 10.0 * TOLERANCE));
                }
            }
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// Angular rows are unit vectors at right angles up to half a turn.
#[test]
fn angular_rows_stay_perfectly_conditioned() {
    let mut random = Random(2);
    let step = StepContext::implicit(1.0, 1.0);
    for _ in 0..500 {
        let (a, b) = (random.pose(), random.pose());
        for kind in [Kind::Fixed, Kind::Revolute, Kind::Universal] {
            let joint = Joint::new(kind, random.pose(), random.pose()).unwrap();
            let rows = collect(&joint, [&a, &b], [Vec6::ZERO; 2], &step);
            for (i, (row, _)) in rows.iter().enumerate().skip(3) {
                assert!(row.target_velocity.abs() <= 2.0 + 1e-12);
                for (j, (other, _)) in rows.iter().enumerate().skip(3) {
                    let product = row.jacobian_a.angular.dot(other.jacobian_a.angular);
                    // a few roundings; swing divides by cos² of the half angle
                    assert!((product - f64::from(i == j)).abs() < 1e-11, "{kind:?} {product}");
                }
            }
        }
    }
    // opposite axes, exactly: finite, and it knows a way back
    let up = Joint::frame(Vec3::default(), Vec3::new(0.0, 0.0, 1.0)).unwrap();
    let down = Joint::frame(Vec3::default(), Vec3::new(0.0, 0.0, -1.0)).unwrap();
    let joint = Joint::revolute(up, down).unwrap();
    let rows = collect(&joint, [&Pose::IDENTITY; 2], [Vec6::ZERO; 2], &step);
    assert!(rows.iter().any(|(row, _)| row.target_velocity.abs() == 2.0));
    assert!(rows.iter().all(|(row, _)| row.jacobian_a.is_finite()));
}

/// The other sign of a quaternion is the same rotation: rows must not tell.
#[test]
fn the_double_cover_does_not_show() {
    let mut random = Random(3);
    let step = StepContext::implicit(1e-3, 0.2);
    for _ in 0..50 {
        for joint in each_kind(&mut random) {
            let (a, b) = (random.pose(), random.pose());
            let [w, x, y, z] = a.orientation.components();
            let other = Pose { orientation: Quat::new(-w, -x, -y, -z).unwrap(), ..a };
            let v = [random.velocity(), random.velocity()];
            let (one, two) = (collect(&joint, [&a, &b], v, &step), collect(&joint, [&other, &b], v, &step));
            for ((one, _), (two, _)) in one.iter().zip(&two) {
                assert!((one.target_velocity - two.target_velocity).abs() < 1e-9);
                assert!(twelve(one).iter().zip(twelve(two)).all(|(x, y)| (x - y).abs() < 1e-12));
            }
        }
    }
}

/// Degrees of freedom are 6 (or 12) less the rank of the rigid rows, where the joint is satisfied.
#[test]
fn rank_is_what_the_table_says() {
    let mut random = Random(4);
    let step = StepContext::implicit(1.0, 1.0);
    let ranks = [3, 5, 5, 4, 4, 6, 1, 1, 5, 1, 1];
    for _ in 0..20 {
        for (joint, expected) in each_kind(&mut random).iter().zip(ranks) {
            let world = random.pose();
            let mut at_a = world;
            if let Kind::Distance { length, .. } | Kind::Rope { length, .. } = joint.kind() {
                at_a.position = at_a.position + Vec3::new(*length, 0.0, 0.0);
            }
            let (a, b) = (carrying(joint.frame_a(), &at_a), carrying(joint.frame_b(), &world));
            let mut m: Vec<[f64; 12]> =
                collect(joint, [&a, &b], [Vec6::ZERO; 2], &step).iter().map(|(row, _)| twelve(row)).collect();
            let mut rank = 0;
            for column in 0..6 {
                // the columns of body a alone: motion relative to a body b at rest
                let Some(p) = (rank..m.len()).max_by(|&i, &j| m[i][column].abs().total_cmp(&m[j][column].abs())) else {
                    break;
                };
                if m[p][column].abs() < 1e-9 {
                    continue;
                }
                m.swap(rank, p);
                for i in rank + 1..m.len() {
                    let f = m[i][column] / m[rank][column];
                    let pivot = m[rank];
                    m[i].iter_mut().zip(pivot).for_each(|(x, y)| *x -= f * y);
                }
                rank += 1;
            }
            assert_eq!(rank, expected, "{:?}", joint.kind());
        }
    }
}

/// Squares of these axes underflow, overflow, or lose digits.
#[test]
fn axis_length_does_not_tilt_the_joint_frame() {
    fn check<R: Real>(size: f64) {
        let size = R::from_f64(size);
        for [x, y, z] in [[1.0, 1.0, 0.0], [1.0, -2.0, 0.5], [-0.3, 0.1, -1.0]] {
            let direction = Vec3::new(x, y, z);
            let axis = Vec3::from([x, y, z].map(R::from_f64)) * size;
            let frame = Joint::frame(Vec3::default(), axis).unwrap();
            let n = frame.orientation.turn(Vec3::new(R::ZERO, R::ZERO, R::ONE));
            let n = Vec3::new(n.x.to_f64(), n.y.to_f64(), n.z.to_f64());
            let miss = n * direction.dot(direction).sqrt() - direction;
            assert!(miss.dot(miss).sqrt() < 32.0 * R::EPSILON.to_f64(), "{size}: {n:?}");
        }
    }
    [4e-38, 4e-30, 4e-23, 4e-20, 1e-12, 1e10, 1e20, 1e38].into_iter().for_each(check::<f32>);
    [1e-300, 1e-200, 4e-162, 1e-155, 1.0, 1e155, 1e200, 1e307].into_iter().for_each(check::<f64>);
}

/// `frame` and `within` put a joint where they say.
#[test]
fn frames_are_where_they_were_asked_for() {
    let mut random = Random(5);
    for k in 0..100 {
        let axis = match k {
            0 => Vec3::new(0.0, 0.0, 2.0),
            1 => Vec3::new(0.0, 0.0, -2.0),
            _ => random.vector(3.0),
        };
        let frame = Joint::frame(random.vector(1.0), axis).unwrap();
        let z = frame.orientation.turn(Vec3::new(0.0, 0.0, 1.0));
        let miss = z * axis.dot(axis).sqrt() - axis;
        assert!(miss.dot(miss).sqrt() < 1e-14 * 6.0, "{axis:?}");
        let body = random.pose();
        let back = body.then(&Joint::within(&body, &frame));
        let miss = back.position - frame.position;
        assert!(miss.dot(miss).sqrt() < 1e-14);
    }
}
