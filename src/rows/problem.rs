//! Owner of the buffers: bodies and rows with capacities known when it compiles.

use crate::error::Error;
use crate::math::{Real, Vec6};
use crate::rows::order::Order;
use crate::rows::row::{End, MassRoot, Row, Set, coefficient};
use crate::rows::{Admissible, Friction, InverseMass, RowInput};
use crate::solve::Change;
use heapless::Vec;

/// A body of one [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BodyIndex(u16);

/// A row of one [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct RowIndex(u32);

impl BodyIndex {
    /// Bodies are counted from 0 in the order they were added.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl RowIndex {
    /// Rows are counted from 0 in the order they were added.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The contact problem of one time step, at most `BODIES` bodies and `ROWS` rows, in static buffers.
///
/// Build it, then [`solve`](Problem::solve) it, then read velocities and impulses. A refused input changes nothing.
///
/// ```
/// use tumble::{Problem, Settings, Status, math::Vec6, rows::{Admissible, InverseMass, RowInput}};
///
/// // a 4 kg part falls at 0.3 m/s onto a frictionless stop
/// let mut problem = Problem::<f32, 1, 1>::new();
/// let part = problem.add_body(InverseMass::new(4.0, [0.01; 3])?, Vec6::from([0.0, 0.0, -0.3, 0.0, 0.0, 0.0]))?;
/// let up = RowInput::new(Vec6::from([0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), Vec6::ZERO);
/// let stop = problem.add_row(part, None, &up, Admissible::Unilateral)?;
///
/// let report = problem.solve(&Settings::default())?;
/// assert_eq!(report.status, Status::Converged);
/// assert_eq!(problem.velocity(part)?.linear.z, 0.0);
/// assert_eq!(problem.impulse(stop)?, 1.2); // N·s
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Problem<R, const BODIES: usize, const ROWS: usize> {
    inverse_masses: Vec<InverseMass<R>, BODIES>,
    free: Vec<Vec6<R>, BODIES>,
    /// `z`: velocities are `v_free + G z`
    changes: Vec<Change<R>, BODIES>,
    rows: Vec<Row<R>, ROWS>,
    order: Order<BODIES, ROWS>,
}

impl<R: Real, const BODIES: usize, const ROWS: usize> Problem<R, BODIES, ROWS> {
    /// An empty problem; `const`, so that it can be a `static`.
    pub const fn new() -> Self {
        const {
            assert!(BODIES < u16::MAX as usize, "a body's index is 16 bits, and one value means the ground");
            assert!(ROWS < u32::MAX as usize, "a row's index is 32 bits");
        }
        Self {
            inverse_masses: Vec::new(),
            free: Vec::new(),
            changes: Vec::new(),
            rows: Vec::new(),
            order: Order::new(),
        }
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.changes.len()
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// Bytes of one row; a problem's size is about `ROWS` times this.
    pub const ROW_BYTES: usize = size_of::<Row<R>>();

    /// Velocity of a body after the last solve; `v_free` before the first. m/s, rad/s
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]
    pub fn velocity(&self, body: BodyIndex) -> Result<Vec6<R>, Error> {
        self.velocities().nth(body.index()).ok_or(Error::NoSuchBody)
    }

    /// Velocities of all bodies in the order they were added. m/s, rad/s
    pub fn velocities(&self) -> impl ExactSizeIterator<Item = Vec6<R>> + '_ {
        let bodies = self.inverse_masses.iter().zip(&self.free).zip(&self.changes);
        bodies.map(|((root, free), change)| *free + root.unscaled(change.z))
    }

    /// Impulse of a row after the last solve. N·s
    ///
    /// # Errors
    /// [`Error::NoSuchRow`]
    pub fn impulse(&self, row: RowIndex) -> Result<R, Error> {
        self.rows.get(self.order.place(row.index())).map(|row| row.gamma).ok_or(Error::NoSuchRow)
    }

    /// Impulses of all rows in the order they were added. N·s
    pub fn impulses(&self) -> impl ExactSizeIterator<Item = R> + '_ {
        let at = |index| self.rows.get(self.order.place(index)).map_or(R::ZERO, |row| row.gamma);
        (0..self.rows.len()).map(at)
    }

    /// Add a body that would move at `v_free = M⁻¹f` if nothing constrained it. m/s, rad/s
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("bodies")`, [`Error::NonFinite`]`("v_free")`
    pub fn add_body(&mut self, inverse_mass: InverseMass<R>, v_free: Vec6<R>) -> Result<BodyIndex, Error> {
        const FULL: Error = Error::CapacityExceeded("bodies");
        if !v_free.is_finite() {
            return Err(Error::NonFinite("v_free"));
        }
        let id = BodyIndex(u16::try_from(self.changes.len()).map_err(|_| FULL)?);
        // three buffers of one capacity and one length: if the first has room, all have
        self.inverse_masses.push(inverse_mass).map_err(|_| FULL)?;
        self.free.push(v_free).map_err(|_| FULL)?;
        self.changes.push(Change::ZERO).map_err(|_| FULL)?;
        Ok(id)
    }

    /// Give a body another `v_free`, for the next solve; until then it is also its velocity. Rows are built on it: call
    /// [`clear_rows`](Self::clear_rows) first. m/s, rad/s
    ///
    /// # Errors
    /// [`Error::NoSuchBody`], [`Error::NonFinite`]`("v_free")`, [`Error::HasRows`]
    pub fn set_free_velocity(&mut self, body: BodyIndex, v_free: Vec6<R>) -> Result<(), Error> {
        if !v_free.is_finite() {
            return Err(Error::NonFinite("v_free"));
        }
        let (free, change) = (self.free.get_mut(body.index()), self.changes.get_mut(body.index()));
        let (free, change) = free.zip(change).ok_or(Error::NoSuchBody)?;
        if self.rows.iter().any(|row| row.a == body.0 || row.b == body.0) {
            return Err(Error::HasRows);
        }
        (*free, *change) = (v_free, Change::ZERO);
        Ok(())
    }

    /// Add a single row between body `a` and body `b`, or the ground when `b` is `None`.
    ///
    /// # Errors
    /// [`Error::CapacityExceeded`]`("rows")`; [`Error::NoSuchBody`], [`Error::SameBody`]; [`Error::NonFinite`],
    /// [`Error::Negative`] or [`Error::NonPositive`] with the name of the quantity; [`Error::EmptyInterval`];
    /// [`Error::NoSuchRow`] for friction with no row before it.
    pub fn add_row(
        &mut self,
        a: BodyIndex,
        b: Option<BodyIndex>,
        input: &RowInput<R>,
        admissible: Admissible<R>,
    ) -> Result<RowIndex, Error> {
        if matches!(admissible, Admissible::Friction { .. }) && self.rows.is_empty() {
            return Err(Error::NoSuchRow);
        }
        let set = admissible.set()?;
        let [id] = self.push([self.row(a, b, input, set)?])?;
        Ok(id)
    }

    /// Add a contact: normal row and two tangent rows between the same bodies, in this order.
    ///
    /// Rows are written so that `w_n > 0` means the bodies part: `E_a` along the normal that points from b to a.
    ///
    /// # Errors
    /// As [`add_row`](Self::add_row), and [`Error::OutOfRange`]`("mu")` when `mu²` overflows, or `("corners")`.
    pub fn add_contact(
        &mut self,
        a: BodyIndex,
        b: Option<BodyIndex>,
        inputs: &[RowInput<R>; 3],
        friction: Friction<R>,
    ) -> Result<[RowIndex; 3], Error> {
        let (normal, tangent) = match friction {
            Friction::Cone { mu } => (Set::Cone { mu: coefficient(mu)? }, Set::TANGENT),
            Friction::Pyramid { mu } => (Set::Pyramid { mu: coefficient(mu)? }, Set::TANGENT),
            Friction::Polygon { corners, .. } if !(4..=16).contains(&corners) => {
                return Err(Error::OutOfRange("corners"));
            }
            Friction::Polygon { mu, corners } => (Set::Polygon { mu: coefficient(mu)?, corners }, Set::TANGENT),
            Friction::Box { mu } => {
                (Set::Interval { lo: R::ZERO, hi: R::INFINITY }, Set::Friction { mu: coefficient(mu)? })
            }
        };
        let [n, t1, t2] = inputs;
        let (mut n, t1, t2) = (self.row(a, b, n, normal)?, self.row(a, b, t1, tangent)?, self.row(a, b, t2, tangent)?);
        n.set_tie(&t1, &t2);
        self.push([n, t1, t2])
    }

    /// Add friction in a plane: two rows between the same bodies whose impulses obey `√(γ_1² + γ_2²) ≤ mu · |γ_lead|` together, the lead
    /// being the same row as for [`Admissible::Friction`], with its impulse as it is at that moment. It opposes the motion whatever its direction;
    /// two friction rows by themselves are a box, √2 times as strong across its corners.
    ///
    /// Rolling friction is such a pair, about both tangents of a contact, with `mu` in m; what is added after it still rubs on the contact's normal
    /// row.
    ///
    /// ```
    /// use tumble::{Problem, Settings, math::{Vec3, Vec6}, rows::{Friction, InverseMass, RowInput}};
    ///
    /// // a 2 kg ball that lands at 1 m/s and turns about (3, 4, 0)/5: 2 N·s of normal impulse, 1 mm of rolling friction
    /// let mut problem = Problem::<f64, 1, 5>::new();
    /// let ball = problem.add_body(InverseMass::new(2.0, [1e-3; 3])?, Vec6::from([0.0, 0.0, -1.0, 3.0, 4.0, 0.0]))?;
    /// let (up, zero) = (Vec3::new(0.0, 0.0, 1.0), Vec3::default());
    /// problem.add_contact(ball, None, &RowInput::contact(up, zero, zero), Friction::Cone { mu: 0.5 })?;
    /// let about = |axis| RowInput::new(Vec6::new(zero, axis), Vec6::ZERO);
    /// let (t1, t2) = up.tangents();
    /// let rolling = problem.add_friction_pair(ball, None, &[about(t1), about(t2)], 1e-3)?;
    ///
    /// let _ = problem.solve(&Settings::default())?;
    /// // 2e-3 N·m·s against its turning, which goes on about the same axis at 5 − 2 rad/s
    /// let left = problem.velocity(ball)?.angular;
    /// assert!((left.x - 1.8).abs() < 1e-12 && (left.y - 2.4).abs() < 1e-12);
    /// assert!((problem.impulse(rolling[0])? + 1.2e-3).abs() < 1e-15);
    /// # Ok::<(), tumble::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`add_row`](Self::add_row), and [`Error::OutOfRange`]`("mu")` when `mu²` overflows; [`Error::NoSuchRow`] with no row before it.
    pub fn add_friction_pair(
        &mut self,
        a: BodyIndex,
        b: Option<BodyIndex>,
        inputs: &[RowInput<R>; 2],
        mu: R,
    ) -> Result<[RowIndex; 2], Error> {
        // friction is never first, so that the first row leads at the least
        if self.rows.is_empty() {
            return Err(Error::NoSuchRow);
        }
        let set = Set::Disc { mu: coefficient(mu)? };
        let [r1, r2] = inputs;
        self.push([self.row(a, b, r1, set)?, self.row(a, b, r2, Set::TANGENT)?])
    }

    /// Give a row the impulse from which a warm start begins. N·s
    ///
    /// Need not be admissible: the solve projects it first.
    ///
    /// # Errors
    /// [`Error::NoSuchRow`], [`Error::NonFinite`]`("impulse")`
    pub fn set_impulse(&mut self, row: RowIndex, impulse: R) -> Result<(), Error> {
        let row = self.rows.get_mut(self.order.place(row.index())).ok_or(Error::NoSuchRow)?;
        if !impulse.is_finite() {
            return Err(Error::NonFinite("impulse"));
        }
        row.gamma = impulse;
        Ok(())
    }

    /// Forget all rows, keep the bodies and their velocities: the next contacts of the same bodies, which
    /// [`set_free_velocity`](Self::set_free_velocity) moves on.
    pub fn clear_rows(&mut self) {
        self.rows.clear();
        self.order.clear();
    }

    /// Forget everything.
    pub fn clear(&mut self) {
        self.clear_rows();
        self.inverse_masses.clear();
        self.free.clear();
        self.changes.clear();
    }

    /// Rows in the order in which a sweep should meet them.
    pub(crate) fn order_outwards(&mut self) {
        self.order.outwards(&mut self.rows, self.changes.len());
    }

    /// Rows in the order in which they were added.
    pub(crate) fn order_as_added(&mut self) {
        self.order.restore(&mut self.rows);
    }

    /// What a solver works on: changes and rows.
    pub(crate) fn buffers(&mut self) -> (&mut [Change<R>], &mut [Row<R>]) {
        (&mut self.changes, &mut self.rows)
    }

    /// What a certificate looks at: changes and rows.
    pub(crate) fn state(&self) -> (&[Change<R>], &[Row<R>]) {
        (&self.changes, &self.rows)
    }

    fn row(&self, a: BodyIndex, b: Option<BodyIndex>, input: &RowInput<R>, set: Set<R>) -> Result<Row<R>, Error> {
        if b == Some(a) {
            return Err(Error::SameBody);
        }
        let end = |id: BodyIndex| {
            let body = self.inverse_masses.get(id.index()).zip(self.free.get(id.index()));
            body.map(|(root, v_free)| End { body: id.0, root, v_free }).ok_or(Error::NoSuchBody)
        };
        Row::new(&end(a)?, b.map(end).transpose()?.as_ref(), input, set)
    }

    /// All of them or none.
    fn push<const N: usize>(&mut self, rows: [Row<R>; N]) -> Result<[RowIndex; N], Error> {
        const FULL: Error = Error::CapacityExceeded("rows");
        let mut next = u32::try_from(self.rows.len()).map_err(|_| FULL)?;
        if ROWS.saturating_sub(self.rows.len()) < N {
            return Err(FULL);
        }
        // friction belongs to the row added last
        self.order.restore(&mut self.rows);
        let mut ids = [RowIndex(0); N];
        for (id, row) in ids.iter_mut().zip(rows) {
            *id = RowIndex(next);
            next = next.wrapping_add(1);
            self.rows.push(row).map_err(|_| FULL)?;
        }
        Ok(ids)
    }
}

impl<R: Real, const BODIES: usize, const ROWS: usize> Default for Problem<R, BODIES, ROWS> {
    fn default() -> Self {
        Self::new()
    }
}
