//! What a step costs: work counted by kind, times what each kind costs. A bound, where the costs are.
//!
//! ```text
//! ticks ≥ c_0 + Σ count_i · cost_i                 instructions, cycles or ticks of any clock
//! sweeps = (ticks − all but sweeps) / cost of one sweep of all rows
//! ```
//! Planned so, the number of sweeps depends on counts and costs alone: the same inputs and the same plan give the same bits, whatever a clock would say. A clock
//! ([`World::step_within`](super::World::step_within)) adapts to what really passes, caches and interrupts included, and gives other bits whenever time
//! does. Plan where runs are to be repeated, on the host or after the fact; watch the clock where only the deadline counts; give both to a
//! controller: the plan decides, and the clock is there should the plan be wrong.

use crate::collide::Manifold;
use crate::error::Error;
use crate::math::Real;
use crate::shape::Shape;

/// Work of a step, counted. Sub-steps add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Work {
    /// Steps: one, or as many as sub-steps.
    pub steps: u32,
    /// Bodies there were.
    pub bodies: u32,
    /// Shapes there were.
    pub shapes: u32,
    /// Looks at pairs of bounding balls; and where there are more contacts or rows than fit, at contacts to find the deepest.
    pub looks: u32,
    /// Pairs of two spheres, and of a sphere and a half-space, that were collided.
    pub ball_pairs: u32,
    /// Pairs of a sphere and anything else, and of two capsules.
    pub round_pairs: u32,
    /// Other pairs with a half-space.
    pub plane_pairs: u32,
    /// Other pairs with a box; twice where they were collided twice, now and where they will be.
    pub box_pairs: u32,
    /// Other pairs with a cylinder, counted likewise.
    pub cylinder_pairs: u32,
    /// Passes on the way to the direction in which a pair is nearest, where there is no formula for it.
    pub climbs: u32,
    /// Looks at corners of polyhedra; facets, edges and whatever else is done to one of these counts as so many of them.
    pub corners: u32,
    /// Points of contact that were found.
    pub contacts: u32,
    /// Looks at contacts and joints to find out how far each is from what cannot move: the higher they are piled, the more.
    pub levels: u32,
    /// Joints there were.
    pub joints: u32,
    /// Islands that were solved; twice when they were solved twice.
    pub solves: u32,
    /// Rows that were solved; twice when they were solved twice.
    pub rows: u32,
    /// Sum over all solves of rows times sweeps.
    pub row_sweeps: u32,
    /// The same of loose rows alone. A row is loose that joins two bodies and is none of the three of a rigid contact: of a joint, against rolling or spinning, of a
    /// contact that gives way.
    pub loose_sweeps: u32,
}

/// What each kind of [`Work`] costs. Ticks of a clock, or instructions
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Costs {
    /// Of a step without anything in it.
    pub step: u32,
    /// Of a body.
    pub body: u32,
    /// Of a shape.
    pub shape: u32,
    /// Of a look at two bounding balls, or at a contact among too many.
    pub look: u32,
    /// Of a pair of two spheres, or of a sphere and a half-space.
    pub ball_pair: u32,
    /// Of a pair of a sphere and anything else, or of two capsules.
    pub round_pair: u32,
    /// Of another pair with a half-space.
    pub plane_pair: u32,
    /// Of another pair with a box.
    pub box_pair: u32,
    /// Of another pair with a cylinder.
    pub cylinder_pair: u32,
    /// Of a pass on the way to the direction in which a pair is nearest.
    pub climb: u32,
    /// Of a look at a corner of a polyhedron.
    pub corner: u32,
    /// Of a point of contact, its rows aside.
    pub contact: u32,
    /// Of a look at a contact or joint to find out how far it is from what cannot move.
    pub level: u32,
    /// Of a joint, its rows aside.
    pub joint: u32,
    /// Of an island, its rows aside.
    pub solve: u32,
    /// Of a row, sweeps aside: to prepare, to start, to certify.
    pub row: u32,
    /// Of a row in one sweep.
    pub row_sweep: u32,
    /// What a loose row costs more than that.
    pub loose_sweep: u32,
    /// The part of a body's cost that comes after the last sweep.
    pub closing_body: u32,
}

/// How many kinds of work are told apart.
pub const KINDS: usize = 18;

impl Costs {
    /// Names of all kinds, in the order of [`Work::counts`].
    pub const NAMES: [&'static str; KINDS] = [
        "step",
        "body",
        "shape",
        "look",
        "ball_pair",
        "round_pair",
        "plane_pair",
        "box_pair",
        "cylinder_pair",
        "climb",
        "corner",
        "contact",
        "level",
        "joint",
        "solve",
        "row",
        "row_sweep",
        "loose_sweep",
    ];

    /// What comes after the last sweep, at most: contacts are looked at once more, of a joint it may be all.
    pub(super) const fn closing(&self, work: &Work) -> u32 {
        let bodies = work.bodies.saturating_mul(self.closing_body);
        let contacts = work.contacts.saturating_mul(self.level);
        self.step.saturating_add(bodies).saturating_add(contacts).saturating_add(work.joints.saturating_mul(self.joint))
    }

    /// All work together.
    ///
    /// ```
    /// use tumble::world::{Costs, Work};
    /// let costs = Costs { step: 1000, body: 500, row: 300, row_sweep: 120, ..Costs::default() };
    /// let work = Work { steps: 1, bodies: 2, rows: 12, row_sweeps: 12 * 20, ..Work::default() };
    /// assert_eq!(costs.of(&work), 1000 + 2 * 500 + 12 * 300 + 240 * 120);
    /// ```
    pub const fn of(&self, work: &Work) -> u32 {
        let (counts, costs) = (work.counts(), self.by_kind());
        let mut sum = 0_u32;
        let (mut counts, mut costs): (&[u32], &[u32]) = (&counts, &costs);
        while let ([count, next_counts @ ..], [cost, next_costs @ ..]) = (counts, costs) {
            sum = sum.saturating_add(count.saturating_mul(*cost));
            (counts, costs) = (next_counts, next_costs);
        }
        sum
    }

    /// By kind, in the order of [`Work::counts`].
    pub const fn by_kind(&self) -> [u32; KINDS] {
        [
            self.step,
            self.body,
            self.shape,
            self.look,
            self.ball_pair,
            self.round_pair,
            self.plane_pair,
            self.box_pair,
            self.cylinder_pair,
            self.climb,
            self.corner,
            self.contact,
            self.level,
            self.joint,
            self.solve,
            self.row,
            self.row_sweep,
            self.loose_sweep,
        ]
    }
}

/// By kind, in the order of [`Work::counts`]. Of a body everything may come after the last sweep: that is more than does.
impl From<[u32; KINDS]> for Costs {
    fn from(
        [
            step,
            body,
            shape,
            look,
            ball_pair,
            round_pair,
            plane_pair,
            box_pair,
            cylinder_pair,
            climb,
            corner,
            contact,
            level,
            joint,
            solve,
            row,
            row_sweep,
            loose_sweep,
        ]: [u32; KINDS],
    ) -> Self {
        Self {
            step,
            body,
            shape,
            look,
            ball_pair,
            round_pair,
            plane_pair,
            box_pair,
            cylinder_pair,
            climb,
            corner,
            contact,
            level,
            joint,
            solve,
            row,
            row_sweep,
            loose_sweep,
            closing_body: body,
        }
    }
}

/// How long a step may take, by costs that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Plan {
    /// What work costs. Ticks
    pub costs: Costs,
    /// How long the step may take, sub-steps together. Ticks
    pub ticks: u32,
}

impl Plan {
    /// Is there time for so many bodies, shapes and joints, not one of them touching another?
    pub(super) fn check(&self, [bodies, shapes, joints]: [u32; 3], substeps: u16) -> Result<(), Error> {
        let least = self.costs.of(&Work { steps: 1, bodies, shapes, joints, ..Work::NONE });
        if self.ticks < least.saturating_mul(substeps.into()) { Err(Error::OutOfRange("plan ticks")) } else { Ok(()) }
    }

    /// Sweeps there is time for in one of `substeps`, with this work already known and so many rows, and among them loose ones, in every sweep.
    pub(super) fn sweeps(&self, work: &Work, (rows, loose_rows): (u32, u32), substeps: u16) -> u32 {
        let ticks = self.ticks.checked_div(substeps.into()).unwrap_or(0);
        let left = ticks.saturating_sub(self.costs.of(work));
        let sweep = Work { row_sweeps: rows, loose_sweeps: loose_rows, ..Work::NONE };
        // nothing to sweep: no limit
        left.checked_div(self.costs.of(&sweep)).unwrap_or(u32::MAX)
    }
}

impl Work {
    /// Nothing.
    pub const NONE: Self = Self::of_counts([0; KINDS]);

    /// By kind, in the order in which the fields stand.
    pub const fn counts(&self) -> [u32; KINDS] {
        [
            self.steps,
            self.bodies,
            self.shapes,
            self.looks,
            self.ball_pairs,
            self.round_pairs,
            self.plane_pairs,
            self.box_pairs,
            self.cylinder_pairs,
            self.climbs,
            self.corners,
            self.contacts,
            self.levels,
            self.joints,
            self.solves,
            self.rows,
            self.row_sweeps,
            self.loose_sweeps,
        ]
    }

    /// Of counts in that order.
    pub const fn of_counts(counts: [u32; KINDS]) -> Self {
        let [
            steps,
            bodies,
            shapes,
            looks,
            ball_pairs,
            round_pairs,
            plane_pairs,
            box_pairs,
            cylinder_pairs,
            climbs,
            corners,
            contacts,
            levels,
            joints,
            solves,
            rows,
            row_sweeps,
            loose_sweeps,
        ] = counts;
        Self {
            steps,
            bodies,
            shapes,
            looks,
            ball_pairs,
            round_pairs,
            plane_pairs,
            box_pairs,
            cylinder_pairs,
            climbs,
            corners,
            contacts,
            levels,
            joints,
            solves,
            rows,
            row_sweeps,
            loose_sweeps,
        }
    }

    pub(super) fn followed_by(self, next: Self) -> Self {
        let mut sum = self.counts();
        sum.iter_mut().zip(next.counts()).for_each(|(sum, next)| *sum = sum.saturating_add(next));
        Self::of_counts(sum)
    }

    /// One more pair of these shapes, and what it took to collide it.
    pub(super) fn count_pair<R: Real>(&mut self, a: &Shape<R>, b: &Shape<R>, manifold: &Manifold<R>) {
        let is = |kind: fn(&Shape<R>) -> bool| kind(a) || kind(b);
        let all = |kind: fn(&Shape<R>) -> bool| kind(a) && kind(b);
        let count = if all(|shape| matches!(shape, Shape::Sphere { .. } | Shape::HalfSpace)) {
            &mut self.ball_pairs
        } else if is(|shape| matches!(shape, Shape::HalfSpace)) {
            &mut self.plane_pairs
        } else if is(|shape| matches!(shape, Shape::Sphere { .. })) {
            &mut self.round_pairs
        } else if is(|shape| matches!(shape, Shape::Cylinder { .. })) {
            &mut self.cylinder_pairs
        } else if is(|shape| matches!(shape, Shape::Box { .. })) {
            &mut self.box_pairs
        } else {
            &mut self.round_pairs
        };
        *count = count.saturating_add(manifold.tries);
        self.climbs = self.climbs.saturating_add(manifold.passes);
        self.corners = self.corners.saturating_add(manifold.corners);
    }
}
