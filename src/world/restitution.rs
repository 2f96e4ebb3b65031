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
use crate::solve::{Answer, Change, Report, Settings, Watch, row_velocity, solve_rows};

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Solve the rows of an island, of which those behind `joint_rows` are its contacts'; `fall` is what gravity does to velocities in the
    /// step. m/s
    pub(super) fn solve_island(
        &mut self,
        island: &Island,
        joint_rows: usize,
        fall: Vec3<R>,
        settings: &Settings<R>,
        pace: &mut Pace<'_, '_>,
        work: &mut Work,
    ) -> Report<R> {
        let first_contact = island.first_contact;
        let rows = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let bounces = self.contacts.chain(first_contact).any(|contact| contact.bounce > R::ZERO);
        let settings = pace.settings(settings, bounces);
        let mut count = |report: &Report<R>| {
            work.solves = work.solves.saturating_add(1);
            work.rows = work.rows.saturating_add(rows);
            work.row_sweeps = work.row_sweeps.saturating_add(rows.saturating_mul(report.iterations));
        };
        let report = self.solve_once(island, &settings, &mut pace.watch(rows, bounces));
        count(&report);
        if !bounces {
            return report;
        }
        let with = self.contact_work(island, joint_rows, R::ONE, fall);
        // written so that what is no number does not gain
        let gains = with > R::ZERO;
        if !gains {
            return report;
        }
        self.for_each_impulse(island, |stored, row| *stored = row.gamma);
        self.bounced.clear();
        for change in island_of(&mut self.changes, island) {
            // as much room as there are bodies
            let _ = self.bounced.push(change.z);
        }
        // once more without restitution, from the impulses there are
        self.for_each_normal(first_contact, joint_rows, |normal, bounce| normal.e -= bounce);
        let again = self.solve_once(island, &settings, &mut pace.watch(rows, false));
        count(&again);
        let report = report.followed_by(again);
        let without = self.contact_work(island, joint_rows, R::ZERO, fall);

        let share = if without < R::ZERO { without / (without - with) } else { R::ZERO };
        let rest = R::ONE - share;
        // shares, not one answer plus a part of the difference: what is left of large impulses that cancel may lie outside its set
        self.for_each_impulse(island, |stored, row| row.gamma = row.gamma * rest + *stored * share);
        for (change, bounced) in island_of(&mut self.changes, island).iter_mut().zip(&self.bounced) {
            change.z = change.z * rest + *bounced * share;
        }
        report
    }

    fn solve_once(&mut self, island: &Island, settings: &Settings<R>, watch: &mut Watch<'_, '_>) -> Report<R> {
        let settings = Settings { answer: Answer::Last, ..*settings };
        solve_rows(island_of(&mut self.changes, island), &mut self.rows, &settings, watch)
    }

    /// `D`, with normal rows that ask for `theta` times their bounces.
    fn contact_work(&mut self, island: &Island, joint_rows: usize, theta: R, fall: Vec3<R>) -> R {
        let half = R::from_f64(0.5);
        let changes = island_of(&mut self.changes, island);
        // E h g of one end; of the ground zero
        let felt = |index: u16, scaled: Vec3<R>| {
            let place = self.islands.place(island.first_slot.saturating_add(index));
            let root = place.and_then(|place| self.roots.get(usize::from(place)));
            root.map_or(R::ZERO, |root| scaled.dot(fall) / root.linear())
        };
        let mut rest = self.rows.iter().skip(joint_rows);
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

/// Changes of an island's bodies.
fn island_of<'a, R>(changes: &'a mut [Change<R>], island: &Island) -> &'a mut [Change<R>] {
    let first = usize::from(island.first_slot);
    changes.get_mut(first..first.saturating_add(usize::from(island.bodies))).unwrap_or_default()
}
