//! Who touches whom, and who is connected with whom: `collide → islands` of a step.

use super::collider::Owned;
use super::contact::{Contact, Cursor, Touch};
use super::plan::Work;
use super::settings::{ContactLaw, Landing};
use super::step::{at_link_mut, places};
use super::{Collider, World};
use crate::body::{Body, BodyRoot};
use crate::collide::broad::{Ball, Extent};
use crate::collide::{Manifold, collide_moving};
use crate::math::{Pose, Real, Vec3, Vec6};
use crate::rows::LEVELS;
use crate::shape::Shape;
use crate::solve::Change;

impl<
    R: Real,
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> World<R, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Every pair of colliders of different bodies of which one can move.
    pub(super) fn find_contacts(&mut self, law: &ContactLaw<R>, longer: R, work: &mut Work) {
        let Self { bodies, colliders, contacts, broad, free, roots, .. } = self;
        let h = law.context.h;
        let root = |owned: &Owned<R>| roots.get(usize::from(owned.body.0.index));
        let v_free = |owned: &Owned<R>| free.get(usize::from(owned.body.0.index)).copied().unwrap_or(Vec6::ZERO);
        broad.balls.clear();
        for index in places(colliders) {
            let ball = colliders.at(index).and_then(|owned| {
                let body = bodies.get(owned.body.0)?;
                Some(ball_round(body, &owned.collider, v_free(owned), h))
            });
            // as much room as there are places
            let _ = broad.balls.push(ball.unwrap_or_else(Ball::nothing));
        }
        broad.prepare();
        contacts.begin(longer);
        let (mut cursor, mut extent) = (Cursor::default(), Extent::NONE);
        for (key_a, a) in colliders.entries() {
            let Some(body_a) = bodies.get(a.body.0) else { continue };
            let Some(&ball_a) = broad.balls.get(usize::from(key_a.index)) else { continue };
            let pose_a = pose_of(body_a, a, &ball_a);
            let v_a = v_free(a);
            let looks = broad.visit(key_a.index, &mut extent, |index_b, ball_b| {
                let Some((key_b, b)) = colliders.entry(index_b) else { return };
                let Some(body_b) = bodies.get(b.body.0) else { return };
                let movable = body_a.is_dynamic() || body_b.is_dynamic();
                if !movable || a.body == b.body || !a.collider.filter.admits(b.collider.filter) {
                    return;
                }
                let pose_b = pose_of(body_b, b, ball_b);
                let v_b = v_free(b);
                let margin = match law.landing {
                    Landing::Ahead => {
                        let swing = swing(&a.collider.shape, body_a, v_a, &pose_b)
                            + swing(&b.collider.shape, body_b, v_b, &pose_a);
                        ball_a.travel + ball_b.travel + h * swing
                    }
                    Landing::Touching => R::ZERO,
                };
                if !reaches_plane(&b.collider.shape, &pose_b, &pose_a, a.collider.shape.bounding_radius() + margin) {
                    return;
                }
                let (shape_a, shape_b) = (&a.collider.shape, &b.collider.shape);
                let travel = (v_a - v_b).linear * h;
                let mut manifold = Manifold::new();
                collide_moving(shape_a, &pose_a, shape_b, &pose_b, margin, (travel, law.slop), &mut manifold);
                work.count_pair(shape_a, shape_b, &manifold);
                let turns = || [a, b].into_iter().any(|owned| root(owned).is_some_and(BodyRoot::turns));
                let (rows, loose_rows) = Contact::rows_of(&a.collider.material, &b.collider.material, turns);
                for point in manifold.iter() {
                    // its place in the world may overflow where that between the bodies did not
                    // (zero times a sum: four comparisons in one)
                    let Vec3 { x, y, z } = point.position;
                    if R::ZERO * (x + y + z + point.gap) != R::ZERO {
                        contacts.count_dropped(1);
                        continue;
                    }
                    let touch = Touch { a: key_a, b: key_b, feature: point.feature };
                    let impulses = contacts.recall(touch, &mut cursor);
                    let (body_a, body_b) = (a.body.0.index, b.body.0.index);
                    let (closing, bounce) = (R::ZERO, R::ZERO);
                    let point = *point;
                    let crowded = contacts.add(|| Contact {
                        touch,
                        body_a,
                        body_b,
                        rows,
                        loose_rows,
                        next: 0,
                        point,
                        closing,
                        bounce,
                        impulses,
                    });
                    work.looks = work.looks.saturating_add(crowded);
                    work.contacts = work.contacts.saturating_add(1);
                }
            });
            work.looks = work.looks.saturating_add(looks);
        }
    }

    /// Who is connected with whom, and who is awake. Returns how many looks it took to find how far out everything is.
    /// Where nothing ever sleeps, nobody asks who is disturbed.
    pub(super) fn find_islands(&mut self, may_sleep: bool) -> u32 {
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
        // as much room as there are bodies; what solvers keep besides z they write before they read it
        let _ = changes.resize(islands.slots(), Change::ZERO);
        changes.iter_mut().for_each(|change| change.z = Vec6::ZERO);

        // what is awake wakes its island; so does what is told to move and touches it
        for (place, _) in bodies.iter().filter(|(_, body)| body.is_dynamic() && !body.is_asleep()) {
            if let Some(island) = islands.of_body_mut(place) {
                island.awake = true;
            }
        }
        if may_sleep {
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
        }

        // outwards from what cannot move: what it holds is known first, and what rests on that next
        let all = contacts.as_slice();
        let mut looks = islands.find_levels(|| {
            let joined = joints.iter().map(|(_, held)| (held.a.0.index, held.b.map(|b| b.0.index)));
            all.iter().map(|contact| (contact.body_a, Some(contact.body_b))).chain(joined)
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
                let Some((of, own)) = islands.level_of_pair(contact.body_a, contact.body_b) else { continue };
                farther |= own > level;
                if own != level {
                    continue;
                }
                let Some(island) = islands.of_body_mut(of) else { continue };
                island.height = level;
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
}

/// A ball round a collider, as far as it gets within a step. Free velocities count: what rests is about to fall.
fn ball_round<R: Real>(body: &Body<R>, collider: &Collider<R>, v: Vec6<R>, h: R) -> Ball<R> {
    let (radius, pose) = (collider.shape.bounding_radius(), &collider.pose);
    // of a half-space only as far as is known without the other
    let swing = if radius.is_finite() { distance(v.angular) * (distance(pose.position) + radius) } else { R::ZERO };
    let travel = h * (distance(v.linear) + swing);
    let still = v.angular == Vec3::default();
    let normal = match collider.shape {
        Shape::HalfSpace if still => {
            (body.pose().orientation * pose.orientation).turn(Vec3::new(R::ZERO, R::ZERO, R::ONE))
        }
        _ => Vec3::default(),
    };
    // most are where their bodies are: nothing to turn, and the same to the last bit
    let centre = if pose.position == Vec3::default() {
        body.pose().position + pose.position
    } else {
        body.pose().point(pose.position)
    };
    Ball { centre, radius: radius + travel, travel, movable: body.is_dynamic(), normal }
}

/// Where a collider is, of which the ball round it knows the middle. What is round looks the same however it is turned.
#[inline(always)]
fn pose_of<R: Real>(body: &Body<R>, owned: &Owned<R>, ball: &Ball<R>) -> Pose<R> {
    match owned.collider.shape {
        Shape::Sphere { .. } => Pose::at(ball.centre),
        _ => Pose { position: ball.centre, orientation: body.pose().orientation * owned.collider.pose.orientation },
    }
}

/// How fast a turning plane moves at some place: the faster the farther out. m/s
#[inline(always)]
fn swing<R: Real>(shape: &Shape<R>, body: &Body<R>, v: Vec6<R>, other: &Pose<R>) -> R {
    match shape {
        Shape::HalfSpace if v.angular != Vec3::default() => {
            distance(v.angular) * distance(other.position - body.pose().position)
        }
        _ => R::ZERO,
    }
}

/// Most things do not turn, and most shapes are where their bodies are: no root of nothing.
#[inline(always)]
fn distance<R: Real>(v: Vec3<R>) -> R {
    let square = v.dot(v);
    if square == R::ZERO { R::ZERO } else { square.sqrt() }
}

/// Does a ball of this radius at `ball` reach the shape, if that is a half-space? Of others the broad phase has said so.
#[inline(always)]
fn reaches_plane<R: Real>(shape: &Shape<R>, plane: &Pose<R>, ball: &Pose<R>, radius: R) -> bool {
    !matches!(shape, Shape::HalfSpace) || plane.point_within(ball.position).z <= radius
}
