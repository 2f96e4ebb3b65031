//! Principal axes: the frame in which a symmetric matrix is diagonal, by Jacobi's rotations.
//!
//! ```text
//! C = ∫ x xᵀ      in the plane of p, q:   ϑ = (c_qq − c_pp)/(2 c_pq),   t = tan θ = ±1/(|ϑ| + √(ϑ² + 1))
//! c_pp' = c_pp − t c_pq,    c_qq' = c_qq + t c_pq,    c_pq' = 0;    |θ| ≤ 45°
//! ```
//! The small angle of the two that would do: axes that are principal already stay as they are, none changes its name. `∫ x xᵀ` and not the
//! moments of inertia: of a needle these are two large numbers and one small, which then would be lost in their difference.

use crate::math::{Quat, Real, Sym3, Vec3};

/// Convergence is quadratic: four sweeps do in double precision, two more for good measure.
const SWEEPS: u8 = 6;

/// The principal axes of `∫ x xᵀ`, as a turn from them to the given axes, and the diagonal along them.
///
/// Where moments are the same but for `noise`, relative to `√(c_pp c_qq)`, and products no more than that, axes stay: a cube with rounded
/// corners keeps its own.
pub(super) fn principal_axes<R: Real>(second: Sym3<R>, noise: R) -> (Quat<R>, Vec3<R>) {
    let Sym3 { mut xx, mut yy, mut zz, mut xy, mut xz, mut yz } = second;
    let (x, y, z) =
        (Vec3::new(R::ONE, R::ZERO, R::ZERO), Vec3::new(R::ZERO, R::ONE, R::ZERO), Vec3::new(R::ZERO, R::ZERO, R::ONE));
    let mut axes = Quat::IDENTITY;
    for _ in 0..SWEEPS {
        axes = turned(axes, z, rotate([&mut xx, &mut yy, &mut xy], [&mut xz, &mut yz], noise));
        axes = turned(axes, x, rotate([&mut yy, &mut zz, &mut yz], [&mut xy, &mut xz], noise));
        axes = turned(axes, y, rotate([&mut zz, &mut xx, &mut xz], [&mut yz, &mut xy], noise));
    }
    (axes, Vec3::new(xx, yy, zz))
}

/// One rotation in the plane of p and q; `[c_rp, c_rq]` belong to the third axis. Returns tan θ.
fn rotate<R: Real>([pp, qq, pq]: [&mut R; 3], [rp, rq]: [&mut R; 2], noise: R) -> R {
    let product = *pq;
    let most = pp.sqrt() * qq.sqrt();
    // nothing to see; or two axes that only noise tells apart
    let alike = (*qq - *pp).abs() <= noise * most;
    if product == R::ZERO || product.abs() <= R::EPSILON * most || (alike && product.abs() <= noise * most) {
        return R::ZERO;
    }
    let ratio = (*qq - *pp) / (product + product);
    let t = R::ONE / (ratio.abs() + (ratio * ratio + R::ONE).sqrt());
    let t = if ratio < R::ZERO { -t } else { t };
    let (c, s) = cos_sin(t);
    (*pp, *qq, *pq) = (*pp - t * product, *qq + t * product, R::ZERO);
    (*rp, *rq) = (c * *rp - s * *rq, s * *rp + c * *rq);
    t
}

fn cos_sin<R: Real>(t: R) -> (R, R) {
    let c = R::ONE / (R::ONE + t * t).sqrt();
    (c, t * c)
}

/// `axes`, turned by −θ about one of its own axes.
fn turned<R: Real>(axes: Quat<R>, axis: Vec3<R>, t: R) -> Quat<R> {
    if t == R::ZERO {
        return axes;
    }
    // half the angle: cos² = (1 + cos θ)/2, sin = sin θ / (2 cos)
    let (c, s) = cos_sin(t);
    let half = R::from_f64(0.5);
    let half_cos = ((R::ONE + c) * half).sqrt();
    let v = axis * (-s * half / half_cos);
    let Some(step) = Quat::new(half_cos, v.x, v.y, v.z) else { return axes };
    let [w, x, y, z] = (axes * step).components();
    Quat::new(w, x, y, z).unwrap_or(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turned by `axes`, a diagonal matrix is this again: it was its diagonal.
    fn assert_principal(second: Sym3<f64>, noise: f64, tolerance: f64) -> Quat<f64> {
        let (axes, diagonal) = principal_axes(second, noise);
        let again = axes.matrix().turn_diagonal(diagonal);
        let pairs = [
            (again.xx, second.xx),
            (again.yy, second.yy),
            (again.zz, second.zz),
            (again.xy, second.xy),
            (again.xz, second.xz),
            (again.yz, second.yz),
        ];
        for (a, b) in pairs {
            assert!((a - b).abs() <= tolerance * second.trace(), "{second:?}: {again:?}");
        }
        axes
    }

    #[test]
    fn any_matrix_is_made_diagonal() {
        // a few dozen roundings
        let tolerance = 32.0 * f64::EPSILON;
        for (diagonal, turn) in [
            (Vec3::new(1.0, 2.0, 3.0), [0.3, -0.5, 0.7, 0.2]),
            (Vec3::new(3.0, 1.0, 1e-6), [0.9, 0.1, 0.1, 0.4]),
            (Vec3::new(1.0, 1.0, 5.0), [0.1, 0.2, -0.4, 0.9]),
            (Vec3::new(2.0, 1e-9, 1e-9), [0.5, 0.5, 0.5, 0.5]),
            (Vec3::new(1.0, 1.0, 1.0), [0.5, 0.1, 0.2, 0.5]),
        ] {
            let turn = Quat::new(turn[0], turn[1], turn[2], turn[3]).unwrap();
            assert_principal(turn.matrix().turn_diagonal(diagonal), 0.0, tolerance);
        }
        // zero eigenvalues: a plane, a line
        assert_principal(Sym3 { xx: 1.0, yy: 1.0, zz: 0.0, xy: 1.0, xz: 0.0, yz: 0.0 }, 0.0, tolerance);
        assert_principal(Sym3 { xx: 1.0, yy: 1.0, zz: 1.0, xy: 1.0, xz: 1.0, yz: 1.0 }, 0.0, tolerance);
    }

    #[test]
    fn principal_axes_keep_their_names() {
        let diagonal = Sym3::diagonal(1.0, 3.0, 2.0);
        assert_eq!(principal_axes(diagonal, 0.0), (Quat::IDENTITY, Vec3::new(1.0, 3.0, 2.0)));
        // what noise would turn by 45°
        let noisy = Sym3 { xy: 1e-9, ..Sym3::diagonal(1.0, 1.0, 1.0) };
        assert_eq!(assert_principal(noisy, 1e-6, 1e-9), Quat::IDENTITY);
        assert_ne!(assert_principal(noisy, 0.0, 1e-15), Quat::IDENTITY);
        // nearly principal: a small turn
        let near = Sym3 { xy: 1e-3, xz: -2e-3, ..Sym3::diagonal(1.0, 3.0, 2.0) };
        assert!(assert_principal(near, 0.0, 1e-15).components()[0] > 0.999);
    }
}
