//! The rows of an island: made of its joints and contacts before the solve, read back into them after it.

use super::contact::Asked;
use super::islands::{Island, Islands};
use super::settings::ContactLaw;
use super::step::at_link_mut;
use super::{Held, World};
use crate::body::{Body, BodyRoot};
use crate::collide::ContactPoint;
use crate::error::Error;
use crate::joint::{Reaction, StepContext};
use crate::math::{Pose, Real, Vec3, Vec6};
use crate::rows::{self, GROUND, Row, RowInput, Set, Unusable};
use crate::slots::Slots;
use heapless::VecView;

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Rows of every joint of a chain, all of them or none. Returns how many joints found no room.
    pub(super) fn prepare_joints(&mut self, island: &Island, context: &StepContext<R>) -> u32 {
        let Self { bodies, joints, rows, loose_rows, roots, free, islands, .. } = self;
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
                add_row(rows, &a, b.as_ref(), &input, set.set()?, R::ZERO)
            });
            if made.is_err() {
                // numbers too extreme for a row: the joint holds nothing, and is counted
                rows.truncate(first_row);
                dropped = dropped.saturating_add(1);
                continue;
            }
            held.rows = rows.len().saturating_sub(first_row);
            if rows.get(first_row).is_some_and(|row| row.b != GROUND) {
                *loose_rows = loose_rows.saturating_add(held.rows);
            }
            // the same rows as in the last step start from what they carried
            if held.rows == warm.1 {
                rows.iter_mut().skip(first_row).zip(warm.0).for_each(|(row, gamma)| row.gamma = gamma);
            }
        }
        dropped
    }

    /// Rows of every contact of a chain that has any.
    pub(super) fn prepare_contacts(&mut self, island: &Island, law: &ContactLaw<R>) {
        let Self { bodies, colliders, contacts, rows, loose_rows, roots, free, islands, .. } = self;
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
            let mut pair = on_a.material.pair(&on_b.material);
            if !(a.of_row.root.turns() || b.of_row.root.turns()) {
                // nothing there for what resists rolling and spinning
                (pair.rolling_friction, pair.spinning_friction) = (R::ZERO, R::ZERO);
            }
            let belt = |body: &Body<R>, on: &super::Collider<R>| match on.surface_velocity {
                still if still == Vec3::default() => still,
                velocity => body.pose().orientation.turn(on.pose.orientation.turn(velocity)),
            };
            let surface = belt(b.body, on_b) - belt(a.body, on_a);
            let first_row = rows.len();
            let ContactPoint { position, normal, .. } = contact.point;
            let along = |direction: Vec3<R>| {
                let (arm_a, arm_b) = (position - a.body.pose().position, position - b.body.pose().position);
                RowInput::at_point(direction, arm_a, arm_b)
            };
            // nothing turns: arms have no part in it
            let still = a.is_still() && b.is_still();
            let approach = if still {
                normal.dot(a.body.velocity().linear) + (-normal).dot(b.body.velocity().linear)
            } else {
                let RowInput { jacobian_a, jacobian_b, .. } = along(normal);
                jacobian_a.dot(a.body.velocity()) + jacobian_b.dot(b.body.velocity())
            };
            let asked = contact.asks(approach, &pair, surface, law);
            let [g_n, g_1, g_2, ..] = contact.impulses;
            let made = if still {
                add_pushes(rows, (&a, &b), &asked, [g_n, g_1, g_2])
            } else {
                let Asked { directions: [n, t1, t2], targets: [e_n, e_1, e_2], compliance, set } = asked;
                let mut add = |direction, target_velocity, compliance, set, gamma| {
                    let input = RowInput { target_velocity, compliance, ..along(direction) };
                    add_row(rows, &a, Some(&b), &input, set, gamma)
                };
                add(n, e_n, compliance, set, g_n)
                    .and_then(|()| add(t1, e_1, R::ZERO, Set::TANGENT, g_1))
                    .and_then(|()| add(t2, e_2, R::ZERO, Set::TANGENT, g_2))
            };
            let made = made.and_then(|()| {
                contact.resists(&pair, asked.directions, |axis, set, gamma| {
                    let zero = Vec3::default();
                    let input = RowInput::new(Vec6::new(zero, axis), Vec6::new(zero, -axis));
                    add_row(rows, &a, Some(&b), &input, set, gamma)
                })
            });
            if let (Ok(()), Some([n, t1, t2, rest @ ..])) = (&made, rows.get_mut(first_row..)) {
                n.set_tie(t1, t2);
                if n.b != GROUND {
                    let untied = if n.tie() == R::ZERO { 3 } else { 0 };
                    *loose_rows = loose_rows.saturating_add(untied).saturating_add(rest.len());
                }
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
    pub(super) fn store_impulses(&mut self, island: &Island, context: &StepContext<R>) {
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
    body: &'a Body<R>,
    /// its index is that in its island; of a body that cannot move of no meaning
    of_row: rows::End<'a, R, BodyRoot<R>>,
}

impl<'a, R: Real, const BODIES: usize> Bodies<'a, R, BODIES> {
    fn end(&self, place: u16) -> Option<End<'a, R>> {
        let at = usize::from(place);
        let index = self.islands.slot(place).map_or(GROUND, |slot| slot.saturating_sub(self.first_slot));
        let of_row = rows::End { body: index, root: self.roots.get(at)?, v_free: self.free.get(at)? };
        Some(End { body: self.bodies.at(place)?, of_row })
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

impl<R: Real> End<'_, R> {
    /// Neither turns nor can be turned.
    fn is_still(&self) -> bool {
        !self.of_row.root.turns() && self.body.velocity().angular == Vec3::default()
    }
}

/// Pose and velocity of a body before the step: before it drifted.
fn before<R: Real>(end: Option<&End<'_, R>>, context: &StepContext<R>) -> (Pose<R>, Vec6<R>) {
    let Some(End { body, .. }) = end else { return (Pose::IDENTITY, Vec6::ZERO) };
    let (drift, velocity) = (context.drift(), body.velocity());
    (if drift > R::ZERO { body.pose().moved(velocity, -drift) } else { *body.pose() }, velocity)
}

/// One row between two bodies, or a body and the ground; what nothing moves goes into the right-hand side.
#[inline(never)]
fn add_row<R: Real>(
    rows: &mut VecView<Row<R>>,
    a: &End<'_, R>,
    b: Option<&End<'_, R>>,
    input: &RowInput<R>,
    set: Set<R>,
    gamma: R,
) -> Result<(), Error> {
    let RowInput { jacobian_a, jacobian_b, target_velocity, compliance } = input;
    let mut target = *target_velocity;
    let movable = |end: &End<'_, R>| end.body.is_dynamic();
    let (first, second) = match (movable(a), b) {
        (true, Some(b)) if movable(b) => ((&a.of_row, jacobian_a), Some((&b.of_row, jacobian_b))),
        (true, Some(b)) => {
            target -= jacobian_b.dot(b.body.velocity());
            ((&a.of_row, jacobian_a), None)
        }
        (true, None) => ((&a.of_row, jacobian_a), None),
        (false, Some(b)) if movable(b) => {
            target -= jacobian_a.dot(a.body.velocity());
            ((&b.of_row, jacobian_b), None)
        }
        (false, _) => return Err(Error::NonPositive("g + c")),
    };
    let nothing = Vec6::ZERO;
    let row = Row::between(first, second, target, *compliance, set);
    let row = match row {
        // of what does not turn nothing turns: a row that asks for nothing keeps its place
        Err(unusable) if unusable.moves_nothing() => {
            Row::between((first.0, &nothing), second.map(|(b, _)| (b, &nothing)), R::ZERO, R::ONE, set)
        }
        row => row,
    };
    let row = row.map_err(|_| Error::OutOfRange("row"))?;
    rows.push(Row { gamma, ..row }).map_err(|_| Error::CapacityExceeded("rows"))
}

/// The three rows of a contact of bodies that are still.
#[inline(never)]
fn add_pushes<R: Real>(
    rows: &mut VecView<Row<R>>,
    (a, b): (&End<'_, R>, &End<'_, R>),
    asked: &Asked<R>,
    warm: [R; 3],
) -> Result<(), Error> {
    let (of_a, of_b) = (&a.of_row, &b.of_row);
    let linear = |end: &End<'_, R>| end.body.velocity().linear;
    match (a.body.is_dynamic(), b.body.is_dynamic()) {
        (true, true) => add_three(rows, asked, warm, |along, target, compliance, set| {
            Row::pushing((of_a, along), Some((of_b, -along)), target, compliance, set)
        }),
        (true, false) => {
            let v = linear(b);
            add_three(rows, asked, warm, |along, target, compliance, set| {
                Row::pushing((of_a, along), None, target - (-along).dot(v), compliance, set)
            })
        }
        (false, true) => {
            let v = linear(a);
            add_three(rows, asked, warm, |along, target, compliance, set| {
                Row::pushing((of_b, -along), None, target - along.dot(v), compliance, set)
            })
        }
        (false, false) => Err(Error::NonPositive("g + c")),
    }
}

/// Rows along a contact's three directions, each with its target, compliance and set, as `row` makes them.
#[inline(always)]
fn add_three<R: Real>(
    rows: &mut VecView<Row<R>>,
    asked: &Asked<R>,
    warm: [R; 3],
    row: impl Fn(Vec3<R>, R, R, Set<R>) -> Result<Row<R>, Unusable<R>>,
) -> Result<(), Error> {
    let Asked { directions: [n, t1, t2], targets: [e_n, e_1, e_2], compliance, set } = *asked;
    let [g_n, g_1, g_2] = warm;
    push(rows, row(n, e_n, compliance, set), g_n)?;
    push(rows, row(t1, e_1, R::ZERO, Set::TANGENT), g_1)?;
    push(rows, row(t2, e_2, R::ZERO, Set::TANGENT), g_2)
}

/// Add a row, if it is one.
// inlined: a row is made where it stays
#[inline(always)]
fn push<R: Real>(rows: &mut VecView<Row<R>>, row: Result<Row<R>, Unusable<R>>, gamma: R) -> Result<(), Error> {
    let row = row.map_err(|_| Error::OutOfRange("row"))?;
    rows.push(Row { gamma, ..row }).map_err(|_| Error::CapacityExceeded("rows"))
}
