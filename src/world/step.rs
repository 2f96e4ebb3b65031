//! The step: `drift → collide → islands → (prepare → solve → store) of every island → integrate → rest`.
//!
//! Contacts and islands are found in `find`, rows made and read back in `island_rows`.

use super::World;
use super::contact::{Contacts, rescaled};
use super::islands::Island;
use super::pace::{Ahead, Pace};
use super::plan::Work;
use super::settings::{Sleep, StepReport, StepSettings};
use crate::body::{Body, BodyRoot, FreeMotion};
use crate::check::{LARGE, positive};
use crate::error::Error;
use crate::math::{Pose, Real, Vec3, Vec6, max};
use crate::rows::MassRoot;
use crate::slots::Slots;
use crate::solve::{Budget, Change, ExactMemory};

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Refuse what a step would refuse, now or with other bodies in the world: a step like it that has been made once is made again.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `h`; [`Error::OutOfRange`]`("h")` above 10⁶ s, the limit of a twin's steps
    /// too: no machine needs longer ones, and sums and squares of shorter ones are far from overflow; what [`StepSettings::check`] says, and [`Error::OutOfRange`]`("plan ticks")` for a plan
    /// in which there is no time even for as many bodies, shapes and joints as there is room for.
    pub fn check_step(&self, h: R, settings: &StepSettings<R>) -> Result<(), Error> {
        positive(h, "h")?;
        if h > R::from_f64(LARGE.into()) {
            return Err(Error::OutOfRange("h"));
        }
        settings.check()?;
        positive(h / R::from_u16(settings.substeps), "h")?;
        let room = [BODIES, COLLIDERS, JOINTS].map(|room| u32::try_from(room).unwrap_or(u32::MAX));
        settings.plan.map_or(Ok(()), |plan| plan.check(room, settings.substeps))
    }

    /// One step of `h` seconds.
    ///
    /// Never panics or allocates. Cost: linear in bodies, shapes, pairs that are near each other, joints and contacts, and in rows times
    /// sweeps. Bounds, should everything be in one place: `COLLIDERS²/2` pairs of balls; each contact costs a look at all that its shape had a step
    /// ago, and each contact too many a look at all `CONTACTS`; an island with too many rows 40 looks at its contacts; an island in which bounces would gain energy is solved
    /// twice.
    ///
    /// # Errors
    /// As [`check_step`](Self::check_step); then nothing has changed.
    pub fn step(&mut self, h: R, settings: &StepSettings<R>) -> Result<StepReport<R>, Error> {
        self.step_watched(h, settings, None, None)
    }

    /// One step of `h` seconds, as [`step`](Self::step), that stops sweeping when time is up.
    ///
    /// Sub-steps share the time evenly, and islands what is left of a sub-step's by their rows. Collision and what goes before the first sweep and after the last are always
    /// done, whatever the time: their bound is [`Costs`](super::Costs) times the counts in [`StepReport::work`]. With a plan ([`StepSettings::plan`]) in ticks of the
    /// same clock the time for what comes after the sweeps is set aside: a step whose every sub-step has time for that much ends before its deadline or, should the clock say so
    /// in the middle of a sweep, no more than the work on [`ROWS_BETWEEN_READINGS`](crate::solve::ROWS_BETWEEN_READINGS) rows after it. Without one, that
    /// work comes on top. The clock is read once a sub-step and up to five times a solve besides; once time is up, nothing is swept.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_within(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        budget: &mut Budget<'_>,
    ) -> Result<StepReport<R>, Error> {
        self.step_watched(h, settings, Some(budget), None)
    }

    /// One step of `h` seconds, as [`step`](Self::step) or, with a budget, as [`step_within`](Self::step_within), with working memory of the exact solver: for
    /// [`Method::Simplex`](crate::Method::Simplex) and [`Method::Hybrid`](crate::Method::Hybrid), which without it, and with a plan, only sweep. With a budget the clock is read on the way to the first pivot and between pivots as
    /// [`Problem::solve_exactly_within`](crate::Problem::solve_exactly_within) reads it; an island that time runs out on is left as its start or as the best found.
    ///
    /// # Errors
    /// As [`step`](Self::step).
    pub fn step_with(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        exact: &mut dyn ExactMemory<R>,
        budget: Option<&mut Budget<'_>>,
    ) -> Result<StepReport<R>, Error> {
        // what a pivot costs is not planned
        let takes_pivots = settings.solve.method.is_exact() && settings.plan.is_none();
        self.step_watched(h, settings, budget, if takes_pivots { Some(exact) } else { None })
    }

    fn step_watched(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        mut budget: Option<&mut Budget<'_>>,
        mut exact: Option<&mut dyn ExactMemory<R>>,
    ) -> Result<StepReport<R>, Error> {
        self.check_step(h, settings)?;
        let part = h / R::from_u16(settings.substeps);
        self.wake_disturbed(settings);
        let mut report = StepReport::NOTHING;
        for substep in 0..settings.substeps {
            let substeps_left = settings.substeps.saturating_sub(substep);
            let mut pace = Pace::new(budget.as_deref_mut(), substeps_left);
            report = report.followed_by(self.substep(part, settings, &mut pace, &mut exact));
        }
        self.bodies.iter_mut().for_each(|(_, body)| body.clear_force());
        Ok(report)
    }

    /// Wake everything where what bodies rest on may have changed.
    fn wake_disturbed(&mut self, settings: &StepSettings<R>) {
        let jumped = self.bodies.iter().any(|(_, body)| body.has_jumped());
        if settings.sleep.is_none() || self.disturbed || jumped || self.gravity != settings.gravity {
            self.bodies.iter_mut().filter(|(_, body)| body.is_asleep()).for_each(|(_, body)| body.wake());
        }
        // what is told to move wakes what it touched: it may be gone when contacts are sought
        let touching = if settings.sleep.is_some() { self.contacts.as_slice() } else { &[] };
        for contact in touching {
            for (of, by) in [(contact.body_a, contact.body_b), (contact.body_b, contact.body_a)] {
                let restless = self.bodies.at(by).is_some_and(|body| !body.is_dynamic() && body.is_restless());
                if restless && let Some(body) = self.bodies.at_mut(of).filter(|body| body.is_asleep()) {
                    body.wake();
                }
            }
        }
        self.disturbed = false;
        self.gravity = settings.gravity;
    }

    fn substep(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        pace: &mut Pace<'_, '_>,
        exact: &mut Option<&mut dyn ExactMemory<R>>,
    ) -> StepReport<R> {
        // impulses of the last step are forces times its length
        let longer = h / self.h;
        let longer = if longer.is_finite() { longer } else { R::ONE };
        let (context, law, motion) = (settings.context(h), settings.contact_law(h), settings.free_motion(h));
        // half of it before and half after at the midpoint, or the step is of first order only
        let mut halted = self.precess(h * settings.beta);
        halted = halted.saturating_add(self.drift(context.drift()));
        self.prepare_bodies(&motion);
        let mut work = self.known_work();
        self.find_contacts(&law, longer, &mut work);
        self.joints.iter_mut().for_each(|(_, held)| held.impulses = rescaled(held.impulses, longer));
        work.levels = self.find_islands(settings.sleep.is_some());
        let islands = 0..self.islands.count();
        let ahead = islands.clone().filter_map(|island| self.islands.get(island)).map(|island| self.ahead(island));
        pace.plan(settings, &work, ahead.fold(Ahead::default(), Ahead::with));

        let mut report = StepReport::NOTHING;
        for island in islands {
            let Some(&island) = self.islands.get(island) else { break };
            if !island.awake {
                continue;
            }
            report.islands = report.islands.saturating_add(1);
            let ahead = self.ahead(&island);
            pace.begin(ahead);
            work.looks = work.looks.saturating_add(ahead.looks);
            self.rows.clear();
            self.loose_rows = 0;
            let dropped = self.prepare_joints(&island, &context);
            report.joints_dropped = report.joints_dropped.saturating_add(dropped);
            self.joint_rows = self.rows.len();
            let room = ROWS.saturating_sub(self.joint_rows);
            self.contacts.keep_deepest(island.first_contact, room);
            self.prepare_contacts(&island, &law);
            if !self.rows.is_empty() {
                let fall = motion.gravity * h;
                let solved = self.solve_island(&island, fall, &settings.solve, pace, exact, &mut work);
                report.solve = report.solve.beside(solved.report);
                report.islands_exact = report.islands_exact.saturating_add(solved.exactly.into());
            }
            self.store_impulses(&island, &context);
        }
        let (stopped, work_done) = self.integrate(h * settings.beta, &motion);
        halted = halted.saturating_add(stopped);
        report.constraint_work = work_done;
        halted = halted.saturating_add(self.precess(context.drift()));
        report.bodies_asleep = self.rest(h, settings.sleep);
        report.bodies_halted = halted;
        self.h = h;

        let contacts = self.contacts.as_slice();
        report.contacts = count(contacts.iter().filter(|contact| contact.rows > 0));
        report.contacts_dropped = self.contacts.dropped();
        report.work = work;
        report.penetration = contacts.iter().fold(R::ZERO, |deepest, contact| max(-contact.point.gap, deepest));
        report
    }

    /// What gyroscopic torques do to spins. Apart from forces, so that what bounces does so from the velocity it really has: it keeps energy.
    /// Returns how many bodies stopped because their spin overflowed.
    fn precess(&mut self, time: R) -> u32 {
        if time <= R::ZERO {
            return 0;
        }
        count(self.bodies.iter_mut().filter_map(|(_, body)| (!body.precess(time)).then_some(())))
    }

    /// Bodies move at their old velocity until rows are measured. Returns how many could not.
    fn drift(&mut self, time: R) -> u32 {
        if time <= R::ZERO {
            return 0;
        }
        count(self.bodies.iter_mut().filter_map(|(_, body)| (!body.integrate(body.velocity(), time)).then_some(())))
    }

    /// `v_free` and `G` of every body, by place.
    fn prepare_bodies(&mut self, motion: &FreeMotion<R>) {
        self.free.clear();
        self.roots.clear();
        // parts of one kind have one root
        let mut known: Option<(&Body<R>, BodyRoot<R>)> = None;
        for index in places(&self.bodies) {
            let body = self.bodies.at(index);
            let v_free = body.map_or(Vec6::ZERO, |body| body.free_velocity(motion));
            let root = match (body, known) {
                (None, _) => BodyRoot::zero(),
                (Some(body), Some((other, root))) if body.is_round_as(other) => root,
                (Some(body), _) => body.mass_root(motion),
            };
            known = body.filter(|body| body.is_dynamic()).map(|body| (body, root)).or(known);
            // as much room as there are places
            let _ = (self.free.push(v_free), self.roots.push(root));
        }
    }

    /// Work that is known before anything is looked at.
    fn known_work(&self) -> Work {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let (bodies, shapes, joints) = (self.bodies.count(), self.colliders.count(), self.joints.count());
        Work { steps: 1, bodies: count(bodies), shapes: count(shapes), joints: count(joints), ..Work::default() }
    }

    /// What an island will ask for, at most; asleep, nothing.
    fn ahead(&self, island: &Island) -> Ahead {
        if !island.awake {
            return Ahead::default();
        }
        let (mut rows, mut loose_rows, mut contacts) = (0_u32, 0_u32, 0_u32);
        for contact in self.contacts.chain(island.first_contact) {
            rows = rows.saturating_add(contact.rows.into());
            loose_rows = loose_rows.saturating_add(contact.loose_rows.into());
            contacts = contacts.saturating_add(1);
        }
        let mut link = island.first_joint;
        for _ in 0..JOINTS {
            let Some(held) = at_link(&self.joints, link) else { break };
            link = held.next;
            let of_joint = u32::try_from(held.joint.max_rows()).unwrap_or(u32::MAX);
            rows = rows.saturating_add(of_joint);
            loose_rows = loose_rows.saturating_add(of_joint);
        }
        let room = u32::try_from(ROWS).unwrap_or(u32::MAX);
        let crowded = rows > room;
        Ahead {
            solves: u32::from(rows > 0),
            rows: if crowded { room } else { rows },
            loose_rows: if loose_rows > room { room } else { loose_rows },
            looks: if crowded { contacts.saturating_mul(Contacts::<R, CONTACTS>::LOOKS) } else { 0 },
        }
    }

    /// Bodies move on for `time` seconds. Returns how many could not, and the work of all contacts and joints in J.
    ///
    /// ```text
    /// Σ p·½ (v' + v)      p: impulse on the body;  v, v': velocity before and after the step
    /// ```
    /// is what they change of `½ m v² + m g (z − (β − ½) h v_z)`, the energy that free flight in these steps keeps exactly.
    fn integrate(&mut self, time: R, motion: &FreeMotion<R>) -> (u32, R) {
        let (mut halted, mut work) = (0_u32, R::ZERO);
        let half = R::from_f64(0.5);
        for (place, body) in self.bodies.iter_mut() {
            let at = usize::from(place);
            let Some((v_free, root)) = self.free.get(at).zip(self.roots.get(at)) else { continue };
            let mut velocity = *v_free;
            let slot = self.islands.slot(place).filter(|_| !body.is_asleep());
            if let Some(Change { z, .. }) = slot.and_then(|slot| self.changes.get(usize::from(slot))) {
                velocity = *v_free + root.unscaled(*z);
                work += body.impulse_work(root, *z, (body.velocity() + velocity) * half);
            }
            if !body.integrate(velocity, time) {
                halted = halted.saturating_add(1);
            }
        }
        for (_, held) in self.joints.iter_mut() {
            let Some(a) = self.bodies.get(held.a.0) else { continue };
            let b = held.b.and_then(|b| self.bodies.get(b.0));
            held.joint.track(a.pose(), b.map_or(&Pose::IDENTITY, Body::pose));
        }
        // G is that of M + hαD (Tournier 2013, eq. 8), which damping makes larger than M
        let work = work / motion.damped;
        // too large for a number, or a difference of such: never taken for a loss
        (halted, if work.is_finite() { work } else { R::INFINITY })
    }

    /// Count time at rest, put to sleep what has rested long enough. Returns how many bodies sleep.
    fn rest(&mut self, h: R, sleep: Option<Sleep<R>>) -> u32 {
        let Self { bodies, islands, .. } = self;
        let Some(Sleep { speed, spin, time }) = sleep else {
            bodies.iter_mut().filter(|(_, body)| !body.is_dynamic()).for_each(|(_, body)| {
                body.count_rest(true, h);
            });
            return 0;
        };
        let within = |v: Vec3<R>, most: R| v.dot(v) <= most * most;
        for (place, body) in bodies.iter_mut().filter(|(_, body)| !body.is_asleep()) {
            let v = body.velocity();
            let slow = !body.is_dynamic() || (within(v.linear, speed) && within(v.angular, spin));
            let rested = body.count_rest(slow, h) >= time;
            if !rested && let Some(island) = islands.of_body_mut(place) {
                island.restless = true;
            }
        }
        let mut asleep = 0_u32;
        for (place, body) in bodies.iter_mut() {
            let Some(island) = islands.of_body(place).and_then(|index| islands.get(index)) else { continue };
            if !island.restless && !body.is_asleep() {
                body.fall_asleep();
            }
            asleep = asleep.saturating_add(u32::from(body.is_asleep()));
        }
        asleep
    }
}

/// What a link leads to.
pub(super) fn at_link<T, const N: usize>(slots: &Slots<T, N>, link: u32) -> Option<&T> {
    slots.at(u16::try_from(link.checked_sub(1)?).ok()?)
}

/// The same, to change it.
pub(super) fn at_link_mut<T, const N: usize>(slots: &mut Slots<T, N>, link: u32) -> Option<&mut T> {
    slots.at_mut(u16::try_from(link.checked_sub(1)?).ok()?)
}

/// Indices of all places.
pub(super) fn places<T, const N: usize>(slots: &Slots<T, N>) -> core::ops::Range<u16> {
    0..u16::try_from(slots.places()).unwrap_or(u16::MAX)
}

fn count(items: impl Iterator) -> u32 {
    items.fold(0_u32, |sum, _| sum.saturating_add(1))
}
