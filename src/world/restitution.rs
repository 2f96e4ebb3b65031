//! Bounces that never gain energy.
//!
//! Newton's law sets each contact's normal velocity by itself. Where contacts are coupled, through friction (Kane's paradox) or through a
//! body that several of them strike, the answer may hold more energy than there was. The work that contacts do in a step is
//!
//! ```text
//! D = Σ γ_i ½ (u_i' + u_i)   u_i' = E_i v' less what surfaces and recovery are told to do, u_i likewise of v_free − h g    J
//! ```
//! which is what they change of `½ m v² + m g (z − ½ h v_z)`, the energy that free flight in these steps keeps exactly. Without
//! restitution `D ≤ 0`, however bodies are coupled. Should it be positive, the island is solved once more without restitution,
//! and the two answers are mixed:
//!
//! ```text
//! γ = γ_0 + s (γ_1 − γ_0),  v likewise,  s = −D_0/(D_1 − D_0)
//! ```
//! Impulses stay in their sets, for these are convex; `D` is convex in s, so that it is no larger than the line between its ends: zero.

use super::World;
use super::contact::Link;
use super::islands::Island;
use super::pace::Pace;
use super::plan::Work;
use crate::math::{Real, Vec3};
use crate::rows::Row;
use crate::solve::{
    Answer, Change, ExactMemory, Joints, Method, Report, Settings, Start, Status, Watch, row_velocity, solve_rows,
    solve_rows_with,
};

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Solve the rows of an island; `fall` is what gravity does to velocities in the step. m/s
    pub(super) fn solve_island(
        &mut self,
        island: &Island,
        fall: Vec3<R>,
        settings: &Settings<R>,
        pace: &mut Pace<'_, '_>,
        exact: &mut Option<&mut dyn ExactMemory<R>>,
        work: &mut Work,
    ) -> Solved<R> {
        let (first_contact, joint_rows) = (island.first_contact, self.joint_rows);
        let [rows, loose_rows] = [self.rows.len(), self.loose_rows].map(|rows| u32::try_from(rows).unwrap_or(u32::MAX));
        let bounces = self.contacts.chain(first_contact).any(|contact| contact.bounce > R::ZERO);
        let settings = pace.settings(settings, bounces);
        let mut count = |solved: &Solved<R>| {
            work.solves = work.solves.saturating_add(1);
            work.rows = work.rows.saturating_add(rows);
            work.row_sweeps = work.row_sweeps.saturating_add(rows.saturating_mul(solved.sweeps));
            work.loose_sweeps = work.loose_sweeps.saturating_add(loose_rows.saturating_mul(solved.sweeps));
        };
        let solved = self.solve_once(island, &settings, exact, &mut pace.watch(rows, bounces));
        count(&solved);
        if !bounces {
            return solved;
        }
        let with = self.contact_work(island, R::ONE, fall);
        // written so that what is no number does not gain
        let gains = with > R::ZERO;
        if !gains {
            return solved;
        }
        self.for_each_impulse(island, |stored, row| *stored = row.gamma);
        self.bounced.clear();
        for change in island_of(&mut self.changes, island) {
            // as much room as there are bodies
            let _ = self.bounced.push(change.z);
        }
        // once more without restitution, from the impulses there are
        self.for_each_normal(first_contact, joint_rows, |normal, bounce| normal.e -= bounce);
        let again = self.solve_once(island, &settings, exact, &mut pace.watch(rows, false));
        count(&again);
        let report = solved.report.followed_by(again.report);
        let without = self.contact_work(island, R::ZERO, fall);

        let share = if without < R::ZERO { without / (without - with) } else { R::ZERO };
        let rest = R::ONE - share;
        // shares, not one answer plus a part of the difference: what is left of large impulses that cancel may lie outside its set
        self.for_each_impulse(island, |stored, row| row.gamma = row.gamma * rest + *stored * share);
        for (change, bounced) in island_of(&mut self.changes, island).iter_mut().zip(&self.bounced) {
            change.z = change.z * rest + *bounced * share;
        }
        Solved { report, sweeps: 0, exactly: solved.exactly && again.exactly }
    }

    fn solve_once(
        &mut self,
        island: &Island,
        settings: &Settings<R>,
        exact: &mut Option<&mut dyn ExactMemory<R>>,
        watch: &mut Watch<'_, '_>,
    ) -> Solved<R> {
        let settings = Settings { answer: Answer::Last, ..*settings };
        let (changes, rows) = (island_of(&mut self.changes, island), &mut self.rows);
        let hard = || settings.method == Method::Simplex || is_hard(island, rows);
        // out of time: not even to find an order
        let by_pivots = exact.as_mut().filter(|_| hard() && watch.left() > 0);
        let Some(pivoted) = by_pivots.and_then(|exact| exact.solve_if_it_fits(changes, rows, &settings, watch)) else {
            let joints = exact.as_mut().filter(|_| settings.method == Method::Hybrid && self.joint_rows > 0);
            let joints = joints.map(|exact| Joints { exact: &mut **exact, rows: self.joint_rows });
            let report = solve_rows_with(changes, rows, &settings, watch, joints);
            return Solved { report, sweeps: report.iterations, exactly: false };
        };
        if settings.method == Method::Simplex || matches!(pivoted.status, Status::Converged | Status::Deadline) {
            return Solved { report: pivoted, sweeps: 0, exactly: true };
        }
        // sweeps go on from there: they are better at sliding
        let swept = solve_rows(changes, rows, &Settings { start: Start::Warm, ..settings }, watch);
        let iterations = pivoted.iterations.saturating_add(swept.iterations);
        Solved { report: Report { iterations, ..swept }, sweeps: swept.iterations, exactly: true }
    }

    /// `D`, with normal rows that ask for `theta` times their bounces.
    fn contact_work(&mut self, island: &Island, theta: R, fall: Vec3<R>) -> R {
        let half = R::from_f64(0.5);
        let changes = island_of(&mut self.changes, island);
        // E h g of one end; of the ground zero
        let felt = |index: u16, scaled: Vec3<R>| {
            let place = self.islands.place(island.first_slot.saturating_add(index));
            let root = place.and_then(|place| self.roots.get(usize::from(place)));
            root.map_or(R::ZERO, |root| scaled.dot(fall) / root.linear())
        };
        let mut rest = self.rows.iter().skip(self.joint_rows);
        let mut work = R::ZERO;
        for contact in self.contacts.chain(island.first_contact) {
            // the work of what pushes out of violation is not a bounce's
            let mut extra = contact.closing + theta * contact.bounce;
            for row in rest.by_ref().take(usize::from(contact.rows)) {
                // a compliant contact keeps its energy, it does not lose it: leave it out
                let rigid = if row.c > R::ZERO { R::ZERO } else { row.gamma };
                // of v_free − h g: without what gravity does in this step
                let before = -row.e - felt(row.a, row.ea.linear) - felt(row.b, row.eb.linear);
                work += rigid * (half * (row_velocity(changes, row) + before) + extra);
                // only the normal, which comes first, asks for a velocity of its own
                extra = R::ZERO;
            }
        }
        work
    }

    /// Every contact's normal row and what it asks for because it bounces.
    fn for_each_normal(&mut self, first_contact: Link, joint_rows: usize, mut change: impl FnMut(&mut Row<R>, R)) {
        let mut rest = self.rows.iter_mut().skip(joint_rows);
        for contact in self.contacts.chain(first_contact) {
            let mut rows = rest.by_ref().take(usize::from(contact.rows));
            if let Some(normal) = rows.next() {
                change(normal, contact.bounce);
            }
            rows.for_each(drop);
        }
    }
}

/// An island on which sweeps take long: with joints, with bodies of very unlike masses in touch, or high.
fn is_hard<R: Real>(island: &Island, rows: &[Row<R>]) -> bool {
    let ratio = R::from_f64(RATIO);
    let unlike = |row: &Row<R>| {
        let (a, b) = (row.ea.linear.dot(row.ea.linear), row.eb.linear.dot(row.eb.linear));
        b > R::ZERO && (a > ratio * b || b > ratio * a)
    };
    island.first_joint != 0 || island.height >= HEIGHT || rows.iter().any(unlike)
}

/// Masses that are unlike.
const RATIO: f64 = 8.0;
/// So many on the lowest are many.
const HEIGHT: u16 = 4;

/// An island's verdict.
pub(super) struct Solved<R> {
    pub(super) report: Report<R>,
    /// its iterations without pivots
    sweeps: u32,
    /// by pivots, and by sweeps what these left
    pub(super) exactly: bool,
}

/// Changes of an island's bodies.
fn island_of<'a, R>(changes: &'a mut [Change<R>], island: &Island) -> &'a mut [Change<R>] {
    let first = usize::from(island.first_slot);
    changes.get_mut(first..first.saturating_add(usize::from(island.bodies))).unwrap_or_default()
}
