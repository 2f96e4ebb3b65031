//! `M⁻¹` of one body: symmetric 6×6, linear before angular; kept as its Cholesky factor, `M⁻¹ = L Lᵀ`.

use crate::error::Error;
use crate::math::{Real, Vec3, Vec6};
use crate::rows::MassRoot;

/// Inverse mass matrix of one body, in the world frame and about its centre of mass unless rows are written otherwise.
///
/// Zeros are allowed: they lock a direction of motion. A body that cannot move at all is the ground, which is no body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct InverseMass<R> {
    /// 1/√kg
    linear: Lower3<R>,
    /// Lower left of L, by rows; zero about the centre of mass. 1/(√kg·m)
    coupling: [Vec3<R>; 3],
    /// 1/(√kg·m)
    angular: Lower3<R>,
}

/// Relative asymmetry below which a matrix counts as symmetric: a few roundings of single precision.
const SYMMETRY: f64 = 1e-6;

impl<R: Real> InverseMass<R> {
    /// From a mass (kg) and the principal moments of inertia (kg·m²) along the world's axes.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `mass` or `inertia`.
    ///
    /// ```
    /// use tumble::{Error, rows::InverseMass};
    /// assert!(InverseMass::new(0.02_f32, [4e-7; 3]).is_ok());
    /// assert_eq!(InverseMass::new(0.0_f32, [4e-7; 3]), Err(Error::NonPositive("mass")));
    /// ```
    pub fn new(mass: R, inertia: [R; 3]) -> Result<Self, Error> {
        let [x, y, z] = inertia;
        Ok(Self {
            linear: {
                let m = inverse_root(mass, "mass")?;
                Lower3::diagonal(m, m, m)
            },
            coupling: [Vec3::default(); 3],
            angular: Lower3::diagonal(
                inverse_root(x, "inertia")?,
                inverse_root(y, "inertia")?,
                inverse_root(z, "inertia")?,
            ),
        })
    }

    /// From the full 6×6 matrix `M⁻¹`, which must be symmetric and positive semi-definite.
    ///
    /// # Errors
    /// [`Error::NonFinite`], [`Error::NotSymmetric`] or [`Error::NonPositive`], naming `inv_mass`.
    pub fn from_matrix(m: [[R; 6]; 6]) -> Result<Self, Error> {
        const NAME: &str = "inv_mass";
        if !m.iter().flatten().all(|x| x.is_finite()) {
            return Err(Error::NonFinite(NAME));
        }
        let (unit, size) = scaled(&m).ok_or(Error::NonPositive(NAME))?;
        if !symmetric(&unit) {
            return Err(Error::NotSymmetric(NAME));
        }
        if !positive_semi_definite(unit) {
            return Err(Error::NonPositive(NAME));
        }
        let mut l = cholesky(&unit);
        for (row, size) in l.iter_mut().zip(size) {
            row.iter_mut().for_each(|x| *x = *x * size);
        }
        let [x, y, z, rx, ry, rz] = l;
        Ok(Self {
            linear: Lower3 { xx: x[0], yy: y[1], zz: z[2], yx: y[0], zx: z[0], zy: z[1] },
            coupling: [Vec3::new(rx[0], rx[1], rx[2]), Vec3::new(ry[0], ry[1], ry[2]), Vec3::new(rz[0], rz[1], rz[2])],
            angular: Lower3 { xx: rx[3], yy: ry[4], zz: rz[5], yx: ry[3], zx: rz[3], zy: rz[4] },
        })
    }
}

impl<R: Real> MassRoot<R> for InverseMass<R> {
    fn scaled(&self, half: Vec6<R>) -> Vec6<R> {
        // Lᵀ E: columns of L
        let (l, a) = (half.linear, half.angular);
        let [cx, cy, cz] = self.coupling;
        Vec6::new(self.linear.transposed_times(l) + (cx * a.x + cy * a.y + cz * a.z), self.angular.transposed_times(a))
    }

    fn unscaled(&self, z: Vec6<R>) -> Vec6<R> {
        let [cx, cy, cz] = self.coupling;
        let l = z.linear;
        Vec6::new(self.linear.times(l), Vec3::new(cx.dot(l), cy.dot(l), cz.dot(l)) + self.angular.times(z.angular))
    }
}

/// A lower triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
struct Lower3<R> {
    xx: R,
    yy: R,
    zz: R,
    yx: R,
    zx: R,
    zy: R,
}

impl<R: Real> Lower3<R> {
    const fn diagonal(xx: R, yy: R, zz: R) -> Self {
        Self { xx, yy, zz, yx: R::ZERO, zx: R::ZERO, zy: R::ZERO }
    }

    fn times(&self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(self.xx * v.x, self.yx * v.x + self.yy * v.y, self.zx * v.x + self.zy * v.y + self.zz * v.z)
    }

    fn transposed_times(&self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(self.xx * v.x + self.yx * v.y + self.zx * v.z, self.yy * v.y + self.zy * v.z, self.zz * v.z)
    }
}

/// `1/√x`
fn inverse_root<R: Real>(x: R, name: &'static str) -> Result<R, Error> {
    if !x.is_finite() {
        return Err(Error::NonFinite(name));
    }
    let inverse = R::ONE / x;
    // a subnormal mass is as good as none: its inverse overflows
    if x <= R::ZERO || !inverse.is_finite() {
        return Err(Error::NonPositive(name));
    }
    Ok(inverse.sqrt())
}

/// `D^-½ M D^-½`, the matrix with a diagonal of ones (and zeros), so that metres and radians compare, and `D^½`. `None` where the
/// diagonal has a negative element, or a zero in a row that is not all zero.
#[allow(clippy::type_complexity, reason = "a matrix and its scale")]
fn scaled<R: Real>(m: &[[R; 6]; 6]) -> Option<([[R; 6]; 6], [R; 6])> {
    let (mut scale, mut size) = ([R::ZERO; 6], [R::ZERO; 6]);
    for (((k, row), scale), size) in (0..6).zip(m).zip(&mut scale).zip(&mut size) {
        let diagonal = row.get(k).copied()?;
        if diagonal > R::ZERO {
            *size = diagonal.sqrt();
            *scale = R::ONE / *size;
        } else if diagonal < R::ZERO || row.iter().any(|x| *x != R::ZERO) {
            return None;
        }
    }
    let mut m = *m;
    for (row, down) in m.iter_mut().zip(scale) {
        for (x, across) in row.iter_mut().zip(scale) {
            *x = *x * down * across;
        }
    }
    Some((m, size))
}

/// `L` of a positive semi-definite matrix with a diagonal of ones (and zeros). A direction that nothing moves gets a column of zeros.
fn cholesky<R: Real>(unit: &[[R; 6]; 6]) -> [[R; 6]; 6] {
    let rounding = R::from_f64(32.0) * R::EPSILON;
    let mut l = [[R::ZERO; 6]; 6];
    for k in 0..6 {
        // no indexing: at opt-level "z" its bounds checks stay, and with them a panic
        let Some(l_k) = l.get(k).copied() else { break };
        let sum = |(row, l_i): (&[R; 6], &[R; 6])| {
            let start = row.get(k).copied().unwrap_or(R::ZERO);
            l_i.iter().zip(l_k).take(k).fold(start, |sum, (a, b)| sum - *a * b)
        };
        let pivot = unit.iter().zip(&l).nth(k).map_or(R::ZERO, sum);
        let scale = if pivot > rounding { R::ONE / pivot.sqrt() } else { R::ZERO };
        let mut column = [R::ZERO; 6];
        column.iter_mut().zip(unit.iter().zip(&l)).skip(k).for_each(|(x, of)| *x = sum(of) * scale);
        for (row, x) in l.iter_mut().zip(column) {
            if let Some(element) = row.get_mut(k) {
                *element = x;
            }
        }
    }
    l
}

fn symmetric<R: Real>(unit: &[[R; 6]; 6]) -> bool {
    (0..6).all(|i| (0..i).all(|j| (unit[i][j] - unit[j][i]).abs() <= R::from_f64(SYMMETRY)))
}

/// Cholesky's elimination of a matrix with a diagonal of ones, largest pivot first; where no pivot is left, nothing else may be.
fn positive_semi_definite<R: Real>(mut unit: [[R; 6]; 6]) -> bool {
    // six eliminations of numbers up to one
    let rounding = R::from_f64(32.0) * R::EPSILON;
    let mut left = [true; 6];
    for _ in 0..6 {
        let (mut k, mut pivot) = (0, R::ZERO);
        for i in 0..6 {
            if left[i] && unit[i][i] > pivot {
                (k, pivot) = (i, unit[i][i]);
            }
        }
        if pivot <= rounding {
            break;
        }
        let Some(across) = unit.get(k).copied() else { return false };
        if let Some(left) = left.get_mut(k) {
            *left = false;
        }
        for (row, below) in unit.iter_mut().zip(across) {
            let factor = below / pivot;
            for (x, across) in row.iter_mut().zip(across) {
                *x -= factor * across;
            }
        }
    }
    let rest = |i: usize| (0..6).all(|j| !left[i] || !left[j] || unit[i][j].abs() <= rounding);
    (0..6).all(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagonal(d: [f64; 6]) -> [[f64; 6]; 6] {
        core::array::from_fn(|i| core::array::from_fn(|j| if i == j { d[i] } else { 0.0 }))
    }

    /// Equal up to the roundings of two products with a triangle.
    fn near(a: [f64; 6], b: [f64; 6]) {
        let size = b.iter().fold(0.0_f64, |size, x| size + x.abs());
        a.into_iter().zip(b).for_each(|(x, y)| assert!((x - y).abs() < 100.0 * f64::EPSILON * size, "{a:?} {b:?}"));
    }

    #[test]
    fn both_constructors_answer_alike() {
        let principal = InverseMass::new(2.0, [0.5, 0.25, 0.125]).unwrap();
        let full = InverseMass::from_matrix(diagonal([0.5, 0.5, 0.5, 2.0, 4.0, 8.0])).unwrap();
        assert_eq!(principal, full);
        let half = Vec6::from([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        near(principal.unscaled(principal.scaled(half)).into(), [0.5, 1.0, 1.5, 8.0, 20.0, 48.0]);
    }

    #[test]
    fn the_root_squared_is_the_matrix() {
        // any BᵀB is positive semi-definite; small integers make every product exact
        let b: [[f64; 6]; 6] = core::array::from_fn(|i| {
            core::array::from_fn(|j| [1.0, -2.0, 0.0, 3.0, 1.0, -1.0, 2.0][(i * 5 + j * 3) % 7])
        });
        let m: [[f64; 6]; 6] =
            core::array::from_fn(|i| core::array::from_fn(|j| (0..6).map(|k| b[k][i] * b[k][j]).sum()));
        let x = [1.0, -1.0, 2.0, 3.0, -2.0, 1.0];
        let product: [f64; 6] = core::array::from_fn(|i| (0..6).map(|j| m[i][j] * x[j]).sum());
        let root = InverseMass::from_matrix(m).unwrap();
        near(root.unscaled(root.scaled(Vec6::from(x))).into(), product);
    }

    #[test]
    fn refuses_by_name() {
        let good = [1.0, 1.0, 1.0, 9.0, 9.0, 9.0];
        let mut nan = diagonal(good);
        nan[3][4] = f64::NAN;
        assert_eq!(InverseMass::from_matrix(nan), Err(Error::NonFinite("inv_mass")));
        let mut skew = diagonal(good);
        skew[3][4] = 1.0;
        assert_eq!(InverseMass::from_matrix(skew), Err(Error::NotSymmetric("inv_mass")));
        let mut indefinite = diagonal(good);
        (indefinite[0][1], indefinite[1][0]) = (2.0, 2.0);
        assert_eq!(InverseMass::from_matrix(indefinite), Err(Error::NonPositive("inv_mass")));
        let negative = diagonal([1.0, 1.0, 1.0, -9.0, 9.0, 9.0]);
        assert_eq!(InverseMass::from_matrix(negative), Err(Error::NonPositive("inv_mass")));
        let mut hidden = diagonal([0.0, 1.0, 1.0, 9.0, 9.0, 9.0]);
        (hidden[0][1], hidden[1][0]) = (0.1, 0.1);
        assert_eq!(InverseMass::from_matrix(hidden), Err(Error::NonPositive("inv_mass")));
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert!(InverseMass::new(mass, [1.0; 3]).is_err(), "{mass}");
            assert!(InverseMass::new(1.0, [1.0, mass, 1.0]).is_err(), "{mass}");
        }
    }

    #[test]
    fn a_little_indefinite_is_indefinite() {
        // x and y move as one, and z goes with y but not with x: an eigenvalue of −1e-3
        let mut m = diagonal([1.0; 6]).map(|row| row.map(|x| x as f32));
        (m[0][1], m[1][0]) = (1.0, 1.0);
        assert!(InverseMass::from_matrix(m).is_ok());
        (m[1][2], m[2][1]) = (2.7e-3, 2.7e-3);
        assert_eq!(InverseMass::from_matrix(m), Err(Error::NonPositive("inv_mass")));
        // products of large elements overflow: no excuse
        let mut skew = diagonal([1e20; 6]).map(|row| row.map(|x| x as f32));
        skew[0][1] = 0.5e20;
        assert_eq!(InverseMass::from_matrix(skew), Err(Error::NotSymmetric("inv_mass")));
    }

    #[test]
    fn locked_directions_are_allowed() {
        assert!(InverseMass::from_matrix(diagonal([1.0, 0.0, 1.0, 0.0, 0.0, 9.0])).is_ok());
        // rank one: a bead on a skew wire
        let wire: [[f64; 6]; 6] =
            core::array::from_fn(|i| core::array::from_fn(|j| if i < 3 && j < 3 { 1.0 / 3.0 } else { 0.0 }));
        let wire = InverseMass::from_matrix(wire).unwrap();
        let along = wire.unscaled(wire.scaled(Vec6::from([3.0, 0.0, 0.0, 5.0, 5.0, 5.0])));
        near(along.into(), [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
    }
}
