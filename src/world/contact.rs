//! Contacts of one step: which points touch, how much, what they carried a step ago, and the rows they make.
//!
//! ```text
//! normal    w_n = n·(v_a − v_b) − e + c γ_n ≥ 0
//!   apart                   e = −(gap − slop)/hβ                                    m/s
//!   touching                e = 0                           slop = |g| h²: what gravity moves in a step
//!   in violation            e = −K (gap + slop)/hβ, at most the recovery speed
//!   restitution             e = −ε v_n before, where that is larger
//!   compliant               e and c of a spring with damper (Tournier 2013, eq. 38)
//! tangents  w_t = t·(v_a − v_b) − e,  e = t·(surface velocity of b − that of a)
//! rolling   w_r = t·(ω_a − ω_b), for both t together;  spinning  w_s = n·(ω_a − ω_b)  rad/s
//! ```
//! A positive gap must not brake an approaching body early, so K is for violation only (theory §1).

use super::collider::Material;
use super::settings::{ContactLaw, Landing};
use crate::collide::ContactPoint;
use crate::joint::Spring;
use crate::math::{Real, Vec3, Vec6, max, min};
use crate::rows::{RowInput, Set};
use crate::slots::Key;
use heapless::Vec;

/// What touches: two colliders and their features. The ids are those of this generation: whoever takes the place of a removed collider
/// inherits none of its impulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    /// The one that finds the other; contacts are in order of its place.
    pub(super) a: Key,
    pub(super) b: Key,
    pub(super) feature: u16,
}

/// Most rows of a contact: normal, two tangents, two against rolling, one against spinning.
pub(super) const MAX_ROWS: usize = 6;

/// A point where two bodies touch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact<R> {
    pub(super) touch: Touch,
    /// Places of the bodies.
    pub(super) body_a: u16,
    pub(super) body_b: u16,
    /// How many rows it makes; none when there is no room.
    pub(super) rows: u8,
    /// How many of them are loose ([`Work::loose_sweeps`](super::Work::loose_sweeps)), should it join two bodies.
    pub(super) loose_rows: u8,
    /// Next of the same island.
    pub(super) next: Link,
    pub(super) point: ContactPoint<R>,
    /// How fast it may close within the step, ≤ 0. m/s
    pub(super) closing: R,
    /// What its normal row asks for beyond what it would ask for without restitution. m/s
    pub(super) bounce: R,
    /// N·s along normal and tangents, N·m·s against rolling and spinning, in the order of its rows
    pub(super) impulses: [R; MAX_ROWS],
}

/// One more than an index, or 0 for none.
pub(super) type Link = u32;

/// What a touch carried.
#[derive(Clone, Copy, Debug)]
struct Carried<R> {
    touch: Touch,
    impulses: [R; MAX_ROWS],
}

/// Where in what was carried a search is.
#[derive(Default)]
pub(super) struct Cursor {
    /// The first of the same `a`, or one before it.
    first: usize,
    /// The one after what was found last.
    next: usize,
}

/// Contacts of a step, at most `N`, in order of the colliders that found them; and what was carried a step ago.
#[derive(Clone, Debug)]
pub(super) struct Contacts<R, const N: usize> {
    list: Vec<Contact<R>, N>,
    carried: Vec<Carried<R>, N>,
    dropped: u32,
}

impl<R: Real, const N: usize> Contacts<R, N> {
    pub(super) const fn new() -> Self {
        Self { list: Vec::new(), carried: Vec::new(), dropped: 0 }
    }

    /// Forget everything.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.carried.clear();
        self.dropped = 0;
    }

    /// Begin a new step: what there was is remembered by what it carried, times how much longer this step is.
    pub(super) fn begin(&mut self, longer: R) {
        self.carried.clear();
        for contact in &self.list {
            let impulses = rescaled(contact.impulses, longer);
            // as much room as there are contacts
            let _ = self.carried.push(Carried { touch: contact.touch, impulses });
        }
        self.list.clear();
        self.dropped = 0;
    }

    pub(super) fn as_slice(&self) -> &[Contact<R>] {
        &self.list
    }

    /// By link.
    pub(super) fn at(&self, link: Link) -> Option<&Contact<R>> {
        self.list.get(index(link)?)
    }

    /// By link, to change it.
    pub(super) fn at_mut(&mut self, link: Link) -> Option<&mut Contact<R>> {
        self.list.get_mut(index(link)?)
    }

    /// Contacts along a chain.
    pub(super) fn chain(&self, first: Link) -> impl Iterator<Item = &Contact<R>> {
        core::iter::successors(self.at(first), |contact| self.at(contact.next)).take(N)
    }

    /// Change the contacts along a chain.
    pub(super) fn for_each_in_chain(&mut self, first: Link, mut change: impl FnMut(&mut Contact<R>)) {
        let mut link = first;
        for _ in 0..N {
            let Some(contact) = self.at_mut(link) else { return };
            change(contact);
            link = contact.next;
        }
    }

    /// What a touch carried; nothing when it is new. Touches are asked for in order of `a`, with a new cursor for the first.
    pub(super) fn recall(&self, touch: Touch, cursor: &mut Cursor) -> [R; MAX_ROWS] {
        // most often what touches is what touched, in the same order
        if let Some(carried) = self.carried.get(cursor.next)
            && carried.touch == touch
        {
            cursor.next = cursor.next.saturating_add(1);
            return carried.impulses;
        }
        let rest = self.carried.get(cursor.first..).unwrap_or_default();
        let skipped = rest.iter().take_while(|carried| carried.touch.a.index < touch.a.index).count();
        cursor.first = cursor.first.saturating_add(skipped);
        let of_a = self.carried.get(cursor.first..).unwrap_or_default();
        let of_a = of_a.iter().take_while(|carried| carried.touch.a.index == touch.a.index);
        let Some((place, carried)) =
            (cursor.first..self.carried.len()).zip(of_a).find(|(_, carried)| carried.touch == touch)
        else {
            return [R::ZERO; MAX_ROWS];
        };
        cursor.next = place.saturating_add(1);
        carried.impulses
    }

    /// How many found no room.
    pub(super) const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Add a contact; where there is no room, the shallowest of all goes. Returns how many of the others were looked at or moved for that.
    #[inline(always)]
    pub(super) fn add(&mut self, contact: impl Fn() -> Contact<R>) -> u32 {
        if self.list.is_full() {
            return self.crowd_in(contact());
        }
        // made where it stays
        let _ = self.list.push(contact());
        0
    }

    #[cold]
    fn crowd_in(&mut self, contact: Contact<R>) -> u32 {
        self.dropped = self.dropped.saturating_add(1);
        let mut shallowest = None;
        for (index, other) in (0..N).zip(&self.list) {
            let gap = shallowest.map_or(contact.point.gap, |(_, gap)| gap);
            if other.point.gap > gap {
                shallowest = Some((index, other.point.gap));
            }
        }
        let mut looks = u32::try_from(N).unwrap_or(u32::MAX);
        if let Some((index, _)) = shallowest {
            // shift, not swap: contacts stay in order
            let mut carried = contact;
            for slot in self.list.iter_mut().skip(index).rev() {
                core::mem::swap(slot, &mut carried);
                looks = looks.saturating_add(1);
            }
        }
        looks
    }

    /// Looks at every contact of a chain by [`keep_deepest`](Self::keep_deepest), at most.
    pub(super) const LOOKS: u32 = 40;

    /// Take the rows of the shallowest contacts of a chain until no more than `room` are left.
    pub(super) fn keep_deepest(&mut self, first: Link, room: usize) {
        let rows_to = |contacts: &Self, gap: R| {
            contacts
                .chain(first)
                .filter(|contact| contact.point.gap <= gap)
                .fold(0_usize, |sum, contact| sum.saturating_add(usize::from(contact.rows)))
        };
        let gaps = |contacts: &Self, start: R, choose: fn(R, R) -> R| {
            contacts.chain(first).fold(start, |gap, contact| choose(contact.point.gap, gap))
        };
        if rows_to(self, R::INFINITY) <= room {
            return;
        }
        let (mut lo, mut hi) = (gaps(self, R::INFINITY, min), gaps(self, -R::INFINITY, max));
        // everything up to `lo` has room, everything up to `hi` has not; `lo` itself may be too much already
        if rows_to(self, lo) > room {
            (lo, hi) = (-R::INFINITY, lo);
        } else {
            for _ in 0..32 {
                let middle = (lo + hi) * R::from_f64(0.5);
                if rows_to(self, middle) <= room {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
        }
        // what lies between is as deep as makes no difference: first come, first served
        let mut left = room.saturating_sub(rows_to(self, lo));
        let mut dropped = 0_u32;
        self.for_each_in_chain(first, |contact| {
            let rows = usize::from(contact.rows);
            if contact.point.gap <= lo {
            } else if contact.point.gap <= hi && rows <= left {
                left = left.saturating_sub(rows);
            } else {
                contact.leave_out();
                dropped = dropped.saturating_add(1);
            }
        });
        self.dropped = self.dropped.saturating_add(dropped);
    }

    /// Count contacts that make no rows.
    pub(super) fn count_dropped(&mut self, dropped: u32) {
        self.dropped = self.dropped.saturating_add(dropped);
    }
}

/// Impulses of the last step for one `longer` times as long: the warm start of the next. A cold one where they overflow.
#[inline(always)]
pub(super) fn rescaled<R: Real, const N: usize>(impulses: [R; N], longer: R) -> [R; N] {
    // steps are of one length in nearly every run
    if longer == R::ONE {
        return impulses;
    }
    let impulses = impulses.map(|impulse| impulse * longer);
    if impulses.iter().all(|impulse| impulse.is_finite()) { impulses } else { [R::ZERO; N] }
}

fn index(link: Link) -> Option<usize> {
    usize::try_from(link.checked_sub(1)?).ok()
}

/// What a contact asks of the velocity of a less that of b at its point.
pub(super) struct Asked<R> {
    /// Normal and tangents.
    pub(super) directions: [Vec3<R>; 3],
    /// Velocities along them. m/s
    pub(super) targets: [R; 3],
    /// How the normal gives way. 1/kg
    pub(super) compliance: R,
    /// Which impulses.
    pub(super) set: Set<R>,
}

impl<R: Real> Contact<R> {
    /// It carries nothing in this step.
    pub(super) fn leave_out(&mut self) {
        (self.rows, self.loose_rows) = (0, 0);
        self.impulses = [R::ZERO; MAX_ROWS];
    }

    /// How many rows two materials make, and how many of them loose, without the square root that their friction takes. Where nothing `turns` there is nothing to resist.
    pub(super) fn rows_of(a: &Material<R>, b: &Material<R>, turns: impl Fn() -> bool) -> (u8, u8) {
        let rolls = a.rolling_friction > R::ZERO || b.rolling_friction > R::ZERO;
        let spins = a.spinning_friction > R::ZERO || b.spinning_friction > R::ZERO;
        let gives_way = a.compliance > R::ZERO || b.compliance > R::ZERO;
        let resisting = if rolls { 2 } else { 0 } + u8::from(spins);
        let resisting = if resisting > 0 && turns() { resisting } else { 0 };
        (3 + resisting, resisting + if gives_way { 3 } else { 0 })
    }

    /// What its first three rows ask for. `approach` is the velocity of a less that of b along the normal, `surface` the surface velocity of b less
    /// that of a. m/s
    pub(super) fn asks(&mut self, approach: R, pair: &Material<R>, surface: Vec3<R>, law: &ContactLaw<R>) -> Asked<R> {
        let normal = self.point.normal;
        let (t1, t2) = normal.tangents();
        let RowInput { target_velocity, compliance, .. } = self.normal(approach, pair, law);
        let mu = pair.friction;
        let set = law.pyramid.map_or(Set::Cone { mu }, |corners| Set::Polygon { mu, corners });
        let targets = [target_velocity, surface.dot(t1), surface.dot(t2)];
        Asked { directions: [normal, t1, t2], targets, compliance, set }
    }

    /// Hand its other rows to `add`, with their axes, sets and warm starts: what resists rolling and spinning. Stops where `add` refuses.
    pub(super) fn resists<E>(
        &self,
        pair: &Material<R>,
        [normal, t1, t2]: [Vec3<R>; 3],
        mut add: impl FnMut(Vec3<R>, Set<R>, R) -> Result<(), E>,
    ) -> Result<(), E> {
        let [_, _, _, warm @ ..] = self.impulses;
        let mut warm = warm.into_iter();
        let mut resist = |axis: Vec3<R>, set: Set<R>| add(axis, set, warm.next().unwrap_or(R::ZERO));
        if pair.rolling_friction > R::ZERO {
            resist(t1, Set::Disc { mu: pair.rolling_friction })?;
            resist(t2, Set::TANGENT)?;
        }
        if pair.spinning_friction > R::ZERO {
            resist(normal, Set::Friction { mu: pair.spinning_friction })?;
        }
        Ok(())
    }

    /// `e` and `c` of the normal row.
    fn normal(&mut self, approach: R, pair: &Material<R>, law: &ContactLaw<R>) -> RowInput<R> {
        let row = RowInput::new(Vec6::ZERO, Vec6::ZERO);
        let ContactLaw { context, slop, .. } = law;
        let (gap, slop, ahead) = (self.point.gap, *slop, context.h * context.beta);
        if pair.compliance > R::ZERO {
            // before it touches there is nothing to damp, and a damper must not brake what is still apart
            let damping = if gap > R::ZERO { R::ZERO } else { pair.damping };
            if let Ok(spring) = Spring::new(R::ONE / pair.compliance, damping, R::ZERO) {
                let before = gap - context.drift() * approach;
                return if before > R::ZERO {
                    spring.meet(row, gap, context)
                } else {
                    spring.soften(row, before, approach, context)
                };
            }
        }
        let recovery = if gap > slop {
            (slop - gap) / ahead
        } else if gap < -slop {
            min(-(context.stabilisation * (gap + slop)) / ahead, law.recovery_speed)
        } else {
            R::ZERO
        };
        let rebound = -(pair.restitution * approach);
        // within this step, and faster than noise
        let arrives = approach < -law.bounce_threshold && gap + approach * ahead < slop;
        let target = match law.landing {
            // what does not bounce lands on the surface, not above it
            Landing::Ahead if arrives && pair.restitution > R::ZERO => max(rebound, recovery),
            Landing::Ahead => recovery,
            // Moreau's law: v_n' ≥ −ε v_n, whichever way it goes; what leaves slowly may be pressed back
            Landing::Touching if approach.abs() <= law.bounce_threshold => recovery,
            Landing::Touching if recovery > R::ZERO => max(rebound, recovery),
            Landing::Touching => rebound,
        };
        (self.closing, self.bounce) = (min(recovery, R::ZERO), max(target - recovery, R::ZERO));
        RowInput { target_velocity: target, ..row }
    }
}
