//! The step: `drift → collide → islands → (prepare → solve → store) of every island → integrate → rest`.

use super::collider::Owned;
use super::contact::{Contact, Contacts, Touch};
use super::islands::{Island, Islands};
use super::pace::{Ahead, Pace};
use super::plan::{Plan, Work};
use super::settings::{ContactLaw, Landing, Sleep, StepReport, StepSettings};
use super::{Held, World};
use crate::body::{Body, BodyRoot, FreeMotion};
use crate::check::positive;
use crate::collide::broad::Ball;
use crate::collide::collide_moving;
use crate::error::Error;
use crate::joint::{Reaction, StepContext};
use crate::math::{Pose, Real, Vec3, Vec6, max};
use crate::rows::{self, GROUND, LEVELS, MassRoot, Row, RowInput, Set};
use crate::shape::Shape;
use crate::slots::Slots;
use crate::solve::{Budget, Change};

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// One step of `h` seconds.
    ///
    /// Never panics or allocates. Cost: linear in bodies, shapes, pairs that are near each other, joints and contacts, and in rows times
    /// sweeps. Bounds, should everything be in one place: `COLLIDERS²/2` pairs of balls; each contact costs a look at all that its shape had a step
    /// ago, and each contact too many a look at all `CONTACTS`; an island with too many rows 40 looks at its contacts; an island in which bounces would gain energy is solved
    /// twice.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`], naming `h`, what [`StepSettings::check`] says, and [`Error::OutOfRange`]`("plan ticks")` for a plan
    /// in which there is no time even for bodies and shapes; then nothing has changed.
    pub fn step(&mut self, h: R, settings: &StepSettings<R>) -> Result<StepReport<R>, Error> {
        self.step_watched(h, settings, None)
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
        self.step_watched(h, settings, Some(budget))
    }

    fn step_watched(
        &mut self,
        h: R,
        settings: &StepSettings<R>,
        mut budget: Option<&mut Budget<'_>>,
    ) -> Result<StepReport<R>, Error> {
        positive(h, "h")?;
        settings.check()?;
        let part = h / R::from_u16(settings.substeps);
        positive(part, "h")?;
        if let Some(Plan { costs, ticks }) = settings.plan {
            // not even without a contact
            let least = costs.of(&self.known_work()).saturating_mul(settings.substeps.into());
            if ticks < least {
                return Err(Error::OutOfRange("plan ticks"));
            }
        }
        self.wake_disturbed(settings);
        let mut report = StepReport::NOTHING;
        for substep in 0..settings.substeps {
            let substeps_left = settings.substeps.saturating_sub(substep);
            let mut pace = Pace::new(budget.as_deref_mut(), substeps_left);
            report = report.followed_by(self.substep(part, settings, &mut pace));
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
        for contact in self.contacts.as_slice() {
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

    fn substep(&mut self, h: R, settings: &StepSettings<R>, pace: &mut Pace<'_, '_>) -> StepReport<R> {
        // impulses of the last step are forces times its length
        let longer = h / self.h;
        let longer = if longer.is_finite() { longer } else { R::ONE };
        let (context, law, motion) = (settings.context(h), settings.contact_law(h), settings.free_motion(h));
        // half of it before and half after at the midpoint, or the step is of first order only
        self.precess(h * settings.beta);
        let mut halted = self.drift(context.drift());
        self.prepare_bodies(&motion);
        let mut work = self.known_work();
        self.find_contacts(&law, longer, &mut work);
        self.joints.iter_mut().for_each(|(_, held)| held.impulses = held.impulses.map(|impulse| impulse * longer));
        work.levels = self.find_islands();
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
            let dropped = self.prepare_joints(&island, &context);
            report.joints_dropped = report.joints_dropped.saturating_add(dropped);
            let joint_rows = self.rows.len();
            let room = ROWS.saturating_sub(joint_rows);
            self.contacts.keep_deepest(island.first_contact, room);
            self.prepare_contacts(&island, &law);
            if !self.rows.is_empty() {
                let solved =
                    self.solve_island(&island, joint_rows, motion.gravity * h, &settings.solve, pace, &mut work);
                report.solve = report.solve.beside(solved);
            }
            self.store_impulses(&island, &context);
        }
        halted = halted.saturating_add(self.integrate(h * settings.beta));
        self.precess(context.drift());
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
    fn precess(&mut self, time: R) {
        if time > R::ZERO {
            self.bodies.iter_mut().for_each(|(_, body)| body.precess(time));
        }
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
        for index in places(&self.bodies) {
            let body = self.bodies.at(index);
            let v_free = body.map_or(Vec6::ZERO, |body| body.free_velocity(motion));
            let root = body.map_or_else(BodyRoot::zero, |body| body.mass_root(motion));
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
        let (mut rows, mut contacts) = (0_u32, 0_u32);
        for contact in self.contacts.chain(island.first_contact) {
            rows = rows.saturating_add(contact.rows.into());
            contacts = contacts.saturating_add(1);
        }
        let mut link = island.first_joint;
        for _ in 0..JOINTS {
            let Some(held) = at_link(&self.joints, link) else { break };
            link = held.next;
            rows = rows.saturating_add(u32::try_from(held.joint.max_rows()).unwrap_or(u32::MAX));
        }
        let room = u32::try_from(ROWS).unwrap_or(u32::MAX);
        let crowded = rows > room;
        Ahead {
            solves: u32::from(rows > 0),
            rows: if crowded { room } else { rows },
            looks: if crowded { contacts.saturating_mul(Contacts::<R, CONTACTS>::LOOKS) } else { 0 },
        }
    }

    /// Every pair of colliders of different bodies of which one can move.
    fn find_contacts(&mut self, law: &ContactLaw<R>, longer: R, work: &mut Work) {
        let Self { bodies, colliders, contacts, broad, free, .. } = self;
        let h = law.context.h;
        let v_free = |owned: &Owned<R>| free.get(usize::from(owned.body.0.index)).copied().unwrap_or(Vec6::ZERO);
        broad.balls.clear();
        for index in places(colliders) {
            let ball = colliders.at(index).and_then(|owned| {
                let body = bodies.get(owned.body.0)?;
                let radius = owned.collider.shape.bounding_radius();
                Some(ball_round(body, &owned.collider.pose, radius, v_free(owned), h))
            });
            // as much room as there are places
            let _ = broad.balls.push(ball.unwrap_or_else(Ball::nothing));
        }
        broad.prepare();
        contacts.begin(longer);
        let mut cursor = 0;
        for index_a in places(colliders) {
            let Some((key_a, a)) = colliders.entry(index_a) else { continue };
            let Some(body_a) = bodies.get(a.body.0) else { continue };
            let travel_a = broad.travel(index_a);
            let pose_a = body_a.pose().then(&a.collider.pose);
            let looks = broad.visit(index_a, |index_b, travel_b| {
                let Some((key_b, b)) = colliders.entry(index_b) else { return };
                let Some(body_b) = bodies.get(b.body.0) else { return };
                let movable = body_a.is_dynamic() || body_b.is_dynamic();
                if !movable || a.body == b.body || !a.collider.filter.admits(b.collider.filter) {
                    return;
                }
                let pose_b = body_b.pose().then(&b.collider.pose);
                // a turning plane is the faster the farther out
                let swing = |plane: &Owned<R>, body: &Body<R>, other: &Pose<R>| match plane.collider.shape {
                    Shape::HalfSpace => {
                        distance(v_free(plane).angular) * distance(other.position - body.pose().position)
                    }
                    _ => R::ZERO,
                };
                let swing = swing(a, body_a, &pose_b) + swing(b, body_b, &pose_a);
                let margin = match law.landing {
                    Landing::Ahead => travel_a + travel_b + h * swing,
                    Landing::Touching => R::ZERO,
                };
                if !reaches_plane(&b.collider.shape, &pose_b, &pose_a, a.collider.shape.bounding_radius() + margin) {
                    return;
                }
                let (shape_a, shape_b) = (&a.collider.shape, &b.collider.shape);
                let travel = (v_free(a) - v_free(b)).linear * h;
                let manifold = collide_moving(shape_a, &pose_a, shape_b, &pose_b, margin, (travel, law.slop));
                work.count_pair(shape_a, shape_b, &manifold);
                let rows = Contact::rows_of(&a.collider.material, &b.collider.material);
                for point in manifold.iter() {
                    let touch = Touch { a: key_a, b: key_b, feature: point.feature };
                    let impulses = contacts.recall(touch, &mut cursor);
                    let (body_a, body_b) = (a.body.0.index, b.body.0.index);
                    let (closing, bounce) = (R::ZERO, R::ZERO);
                    let point = *point;
                    let contact = Contact { touch, body_a, body_b, rows, next: 0, point, closing, bounce, impulses };
                    let crowded = contacts.add(contact);
                    work.looks = work.looks.saturating_add(crowded);
                    work.contacts = work.contacts.saturating_add(1);
                }
            });
            work.looks = work.looks.saturating_add(looks);
        }
    }

    /// Who is connected with whom, and who is awake. Returns how many looks it took to find how far out everything is.
    fn find_islands(&mut self) -> u32 {
        let Self { bodies, colliders, joints, contacts, islands, free, changes, .. } = self;
        let body = |place: u16| bodies.at(place);
        let dynamic = |place: u16| body(place).is_some_and(Body::is_dynamic);
        islands.begin(u16::try_from(bodies.places()).unwrap_or(u16::MAX));
        for contact in contacts.as_slice() {
            if dynamic(contact.body_a) && dynamic(contact.body_b) {
                islands.join(contact.body_a, contact.body_b);
            }
        }
        for (_, held) in joints.iter() {
            if let Some(b) = held.b
                && dynamic(held.a.0.index)
                && dynamic(b.0.index)
            {
                islands.join(held.a.0.index, b.0.index);
            }
        }
        islands.name(dynamic);
        changes.clear();
        for _ in 0..islands.slots() {
            // as much room as there are bodies
            let _ = changes.push(Change::ZERO);
        }

        // what is awake wakes its island; so does what is told to move and touches it
        for (place, _) in bodies.iter().filter(|(_, body)| body.is_dynamic() && !body.is_asleep()) {
            if let Some(island) = islands.of_body_mut(place) {
                island.awake = true;
            }
        }
        let mut disturb = |of: u16, by: u16| {
            let restless = body(by).is_some_and(|body| !body.is_dynamic() && body.is_restless());
            if restless && let Some(island) = islands.of_body_mut(of) {
                (island.awake, island.restless) = (true, true);
            }
        };
        for contact in contacts.as_slice() {
            disturb(contact.body_a, contact.body_b);
            disturb(contact.body_b, contact.body_a);
        }
        for (_, held) in joints.iter() {
            if let Some(b) = held.b {
                disturb(held.a.0.index, b.0.index);
                disturb(b.0.index, held.a.0.index);
            }
        }
        // a slow drive is still a drive: what it moves does not fall asleep
        let belt =
            |key| colliders.get(key).is_some_and(|on: &Owned<R>| on.collider.surface_velocity != Vec3::default());
        for contact in contacts.as_slice().iter().filter(|contact| belt(contact.touch.a) || belt(contact.touch.b)) {
            for place in [contact.body_a, contact.body_b] {
                if let Some(island) = islands.of_body_mut(place) {
                    island.restless = true;
                }
            }
        }
        for (_, held) in joints.iter().filter(|(_, held)| held.joint.is_driven()) {
            for body in [Some(held.a), held.b].into_iter().flatten() {
                if let Some(island) = islands.of_body_mut(body.0.index) {
                    island.restless = true;
                }
            }
        }

        // outwards from what cannot move: what it holds is known first, and what rests on that next
        let pair = |a: u16, b: u16| match (dynamic(a), dynamic(b)) {
            (true, true) => Some((a, Some(b))),
            (true, false) => Some((a, None)),
            (false, true) => Some((b, None)),
            (false, false) => None,
        };
        let all = contacts.as_slice();
        let mut looks = islands.find_levels(|| {
            let joined = joints.iter().filter_map(|(_, held)| match held.b {
                Some(b) => pair(held.a.0.index, b.0.index),
                None => dynamic(held.a.0.index).then_some((held.a.0.index, None)),
            });
            all.iter().filter_map(|contact| pair(contact.body_a, contact.body_b)).chain(joined)
        });
        let mut farther = true;
        for level in 0..=LEVELS {
            if !core::mem::replace(&mut farther, false) {
                break;
            }
            let mut link = 0;
            for _ in 0..CONTACTS {
                link = u32::saturating_add(link, 1);
                let Some(contact) = contacts.at(link) else { break };
                looks = looks.saturating_add(1);
                let Some((of, other)) = pair(contact.body_a, contact.body_b) else { continue };
                let own = other.map_or(0, |other| islands.level(of).min(islands.level(other)).saturating_add(1));
                farther |= own > level;
                if own != level {
                    continue;
                }
                let Some(island) = islands.of_body_mut(of) else { continue };
                let last = core::mem::replace(&mut island.last_contact, link);
                match contacts.at_mut(last) {
                    Some(last) => last.next = link,
                    None => island.first_contact = link,
                }
            }
        }
        for place in places(joints) {
            let Some(held) = joints.at(place) else { continue };
            let link = u32::from(place).saturating_add(1);
            let of = if dynamic(held.a.0.index) { Some(held.a) } else { held.b };
            let Some(island) = of.and_then(|body| islands.of_body_mut(body.0.index)) else { continue };
            let last = core::mem::replace(&mut island.last_joint, link);
            match at_link_mut(joints, last) {
                Some(last) => last.next = link,
                None => island.first_joint = link,
            }
            if let Some(held) = joints.at_mut(place) {
                held.next = 0;
            }
        }

        for (place, body) in self.bodies.iter_mut() {
            let Some(island) = islands.of_body(place).and_then(|index| islands.get(index)) else { continue };
            if island.awake && body.is_asleep() {
                body.wake();
            }
            if !island.awake
                && let Some(free) = free.get_mut(usize::from(place))
            {
                *free = Vec6::ZERO;
            }
        }
        looks
    }

    /// Rows of every joint of a chain, all of them or none. Returns how many joints found no room.
    fn prepare_joints(&mut self, island: &Island, context: &StepContext<R>) -> u32 {
        let Self { bodies, joints, rows, roots, free, islands, .. } = self;
        let bodies = Bodies { bodies, roots, free, islands, first_slot: island.first_slot };
        let mut dropped = 0_u32;
        let mut link = island.first_joint;
        for _ in 0..JOINTS {
            let Some(held) = at_link_mut(joints, link) else { break };
            link = held.next;
            let Some((a, b)) = bodies.ends(held) else { continue };
            let warm = (held.impulses, held.rows);
            held.rows = 0;
            if ROWS.saturating_sub(rows.len()) < held.joint.max_rows() {
                dropped = dropped.saturating_add(1);
                continue;
            }
            let (before_a, before_b) = (before(Some(&a), context), before(b.as_ref(), context));
            let first_row = rows.len();
            let made = held.joint.rows(&before_a.0, &before_b.0, before_a.1, before_b.1, context, &mut |input, set| {
                let row = make_row(&a, b.as_ref(), input, set.set()?, R::ZERO)?;
                rows.push(row).map_err(|_| Error::CapacityExceeded("rows"))
            });
            if made.is_err() {
                // numbers too extreme for a row: the joint holds nothing, and is counted
                rows.truncate(first_row);
                dropped = dropped.saturating_add(1);
                continue;
            }
            held.rows = rows.len().saturating_sub(first_row);
            // the same rows as in the last step start from what they carried
            if held.rows == warm.1 {
                rows.iter_mut().skip(first_row).zip(warm.0).for_each(|(row, gamma)| row.gamma = gamma);
            }
        }
        dropped
    }

    /// Rows of every contact of a chain that has any.
    fn prepare_contacts(&mut self, island: &Island, law: &ContactLaw<R>) {
        let Self { bodies, colliders, contacts, rows, roots, free, islands, .. } = self;
        let bodies = Bodies { bodies, roots, free, islands, first_slot: island.first_slot };
        let mut extreme = 0_u32;
        contacts.for_each_in_chain(island.first_contact, |contact| {
            let (Some(a), Some(b)) = (bodies.end(contact.body_a), bodies.end(contact.body_b)) else {
                return contact.leave_out();
            };
            let (Some(on_a), Some(on_b)) = (colliders.get(contact.touch.a), colliders.get(contact.touch.b)) else {
                return contact.leave_out();
            };
            if contact.rows == 0 {
                return;
            }
            let (on_a, on_b) = (&on_a.collider, &on_b.collider);
            let pair = on_a.material.pair(&on_b.material);
            let belt = |body: &Body<R>, on: &super::Collider<R>| {
                body.pose().orientation.turn(on.pose.orientation.turn(on.surface_velocity))
            };
            let surface = belt(b.body, on_b) - belt(a.body, on_a);
            let first_row = rows.len();
            let made = contact.rows((a.body, b.body), &pair, surface, law, |input, set, gamma| {
                let row = make_row(&a, Some(&b), input, set, gamma)?;
                rows.push(row).map_err(|_| Error::CapacityExceeded("rows"))
            });
            if let (Ok(()), Some([n, t1, t2, ..])) = (&made, rows.get_mut(first_row..)) {
                n.set_tie(t1, t2);
            }
            if made.is_err() {
                // numbers too extreme for a row: it carries nothing, and is counted
                rows.truncate(first_row);
                contact.leave_out();
                extreme = extreme.saturating_add(1);
            }
        });
        contacts.count_dropped(extreme);
    }

    /// What rows carried, back to joints and contacts.
    fn store_impulses(&mut self, island: &Island, context: &StepContext<R>) {
        self.for_each_impulse(island, |stored, row| *stored = row.gamma);
        let Self { bodies, joints, roots, free, islands, .. } = self;
        let bodies = Bodies { bodies, roots, free, islands, first_slot: island.first_slot };
        let mut link = island.first_joint;
        for _ in 0..JOINTS {
            let Some(held) = at_link_mut(joints, link) else { break };
            link = held.next;
            held.reaction = Reaction::default();
            let Some((a, b)) = bodies.ends(held) else { continue };
            let (before_a, before_b) = (before(Some(&a), context), before(b.as_ref(), context));
            let carried = held.impulses.get(..held.rows).unwrap_or_default();
            let reaction = held.joint.reaction(&before_a.0, &before_b.0, before_a.1, before_b.1, context, carried);
            if let Ok(reaction) = reaction
                && reaction.force.is_finite()
                && reaction.torque.is_finite()
            {
                held.reaction = reaction;
            }
        }
    }

    /// Every row of an island with the place where its impulse is stored, in the order in which rows were prepared.
    pub(super) fn for_each_impulse(&mut self, island: &Island, mut see: impl FnMut(&mut R, &mut Row<R>)) {
        let Self { joints, contacts, rows, .. } = self;
        let mut rows = rows.iter_mut();
        let mut link = island.first_joint;
        for _ in 0..JOINTS {
            let Some(held) = at_link_mut(joints, link) else { break };
            link = held.next;
            let of_joint = rows.by_ref().take(held.rows);
            held.impulses.iter_mut().zip(of_joint).for_each(|(stored, row)| see(stored, row));
        }
        contacts.for_each_in_chain(island.first_contact, |contact| {
            let of_contact = rows.by_ref().take(usize::from(contact.rows));
            contact.impulses.iter_mut().zip(of_contact).for_each(|(stored, row)| see(stored, row));
        });
    }

    /// Bodies move on. Returns how many could not.
    fn integrate(&mut self, time: R) -> u32 {
        let mut halted = 0_u32;
        for (place, body) in self.bodies.iter_mut() {
            let at = usize::from(place);
            let Some((v_free, root)) = self.free.get(at).zip(self.roots.get(at)) else { continue };
            let change = self.islands.slot(place).and_then(|slot| self.changes.get(usize::from(slot)));
            let velocity = change.map_or(*v_free, |change| *v_free + root.unscaled(change.z));
            if !body.integrate(velocity, time) {
                halted = halted.saturating_add(1);
            }
        }
        for (_, held) in self.joints.iter_mut() {
            let Some(a) = self.bodies.get(held.a.0) else { continue };
            let b = held.b.and_then(|b| self.bodies.get(b.0));
            held.joint.track(a.pose(), b.map_or(&Pose::IDENTITY, Body::pose));
        }
        halted
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

/// Bodies with what a step knows of them, by place; an island's are counted from its first slot.
struct Bodies<'a, R, const BODIES: usize> {
    bodies: &'a Slots<Body<R>, BODIES>,
    roots: &'a [BodyRoot<R>],
    free: &'a [Vec6<R>],
    islands: &'a Islands<BODIES>,
    first_slot: u16,
}

/// One end of a row.
struct End<'a, R> {
    /// in its island; of a body that cannot move of no meaning
    index: u16,
    body: &'a Body<R>,
    root: &'a BodyRoot<R>,
    v_free: Vec6<R>,
}

impl<'a, R: Real, const BODIES: usize> Bodies<'a, R, BODIES> {
    fn end(&self, place: u16) -> Option<End<'a, R>> {
        let at = usize::from(place);
        let index = self.islands.slot(place).map_or(GROUND, |slot| slot.saturating_sub(self.first_slot));
        Some(End { index, body: self.bodies.at(place)?, root: self.roots.get(at)?, v_free: *self.free.get(at)? })
    }

    /// The ends of a joint; of the ground none.
    fn ends(&self, held: &Held<R>) -> Option<(End<'a, R>, Option<End<'a, R>>)> {
        let b = match held.b {
            Some(b) => Some(self.end(b.0.index)?),
            None => None,
        };
        Some((self.end(held.a.0.index)?, b))
    }
}

impl<'a, R: Real> End<'a, R> {
    fn of_row(&self) -> rows::End<'a, R, BodyRoot<R>> {
        rows::End { body: self.index, root: self.root, v_free: self.v_free }
    }
}

/// Pose and velocity of a body before the step: before it drifted.
fn before<R: Real>(end: Option<&End<'_, R>>, context: &StepContext<R>) -> (Pose<R>, Vec6<R>) {
    let Some(End { body, .. }) = end else { return (Pose::IDENTITY, Vec6::ZERO) };
    let (drift, velocity) = (context.drift(), body.velocity());
    (if drift > R::ZERO { body.pose().moved(velocity, -drift) } else { *body.pose() }, velocity)
}

/// One row between two bodies, or a body and the ground; what nothing moves goes into the right-hand side.
fn make_row<R: Real>(
    a: &End<'_, R>,
    b: Option<&End<'_, R>>,
    mut input: RowInput<R>,
    set: Set<R>,
    gamma: R,
) -> Result<Row<R>, Error> {
    let movable_b = b.filter(|b| b.body.is_dynamic());
    let velocity_b = b.map_or(Vec6::ZERO, |b| b.body.velocity());
    let mut row = if a.body.is_dynamic() {
        if movable_b.is_none() {
            input.target_velocity -= input.jacobian_b.dot(velocity_b);
        }
        Row::new(a.of_row(), movable_b.map(End::of_row), &input, set)
    } else if let Some(b) = movable_b {
        input.target_velocity -= input.jacobian_a.dot(a.body.velocity());
        input.jacobian_a = input.jacobian_b;
        Row::new(b.of_row(), None, &input, set)
    } else {
        Err(Error::NonPositive("g + c"))
    }?;
    row.gamma = gamma;
    Ok(row)
}

/// A ball round a collider, as far as it gets within a step. Free velocities count: what rests is about to fall.
fn ball_round<R: Real>(body: &Body<R>, pose: &Pose<R>, radius: R, v: Vec6<R>, h: R) -> Ball<R> {
    // of a half-space only as far as is known without the other
    let swing = if radius.is_finite() { distance(v.angular) * (distance(pose.position) + radius) } else { R::ZERO };
    let travel = h * (distance(v.linear) + swing);
    Ball { centre: body.pose().point(pose.position), radius: radius + travel, travel, movable: body.is_dynamic() }
}

fn distance<R: Real>(v: Vec3<R>) -> R {
    v.dot(v).sqrt()
}

/// Does a ball of this radius at `ball` reach the shape, if that is a half-space? Of others the broad phase has said so.
fn reaches_plane<R: Real>(shape: &Shape<R>, plane: &Pose<R>, ball: &Pose<R>, radius: R) -> bool {
    *shape != Shape::HalfSpace || plane.point_within(ball.position).z <= radius
}

/// What a link leads to.
fn at_link<T, const N: usize>(slots: &Slots<T, N>, link: u32) -> Option<&T> {
    slots.at(u16::try_from(link.checked_sub(1)?).ok()?)
}

/// The same, to change it.
fn at_link_mut<T, const N: usize>(slots: &mut Slots<T, N>, link: u32) -> Option<&mut T> {
    slots.at_mut(u16::try_from(link.checked_sub(1)?).ok()?)
}

/// Indices of all places.
fn places<T, const N: usize>(slots: &Slots<T, N>) -> core::ops::Range<u16> {
    0..u16::try_from(slots.places()).unwrap_or(u16::MAX)
}

fn count(items: impl Iterator) -> u32 {
    items.fold(0_u32, |sum, _| sum.saturating_add(1))
}
