//! Contacts of one step: which points touch, how much, and what they carried a step ago.
//!
//! ```text
//! normal    w_n = n·(v_a − v_b) − e ≥ 0,  e = −gap/h apart,  −K gap/h in violation      m/s
//! restitution                             e = −ε v_n before, where that is larger
//! tangents  w_t = t·(v_a − v_b) − e,      e = t·(surface velocity of b − that of a)
//! ```
//! A positive gap must not brake an approaching body early, so K is for violation only (theory §1).

use crate::body::BodyId;
use crate::collide::ContactPoint;
use crate::math::{Real, Vec3, max};
use heapless::Vec;

/// What touches: two colliders and their features. The ids are those of this generation: whoever takes the place of a removed body
/// inherits none of its impulses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    pub(crate) body_a: BodyId,
    pub(crate) body_b: BodyId,
    pub(crate) collider_a: u16,
    pub(crate) collider_b: u16,
    pub(crate) feature: u16,
}

/// A point where two bodies touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact<R> {
    pub(crate) touch: Touch,
    pub(crate) point: ContactPoint<R>,
    /// Coefficients of this pair of materials. (1)
    pub(crate) friction: R,
    pub(crate) restitution: R,
    /// Surface velocity of b less that of a. m/s
    pub(crate) surface: Vec3<R>,
    /// N·s along normal and tangents
    pub(crate) impulses: [R; 3],
    /// It has no rows in this step.
    pub(crate) skip: bool,
}

/// Contacts of a step, at most `N`, in the order in which bodies were looked at.
#[derive(Clone, Debug)]
pub(crate) struct Contacts<R, const N: usize> {
    list: Vec<Contact<R>, N>,
    dropped: u32,
}

impl<R: Real, const N: usize> Contacts<R, N> {
    pub(crate) const fn new() -> Self {
        Self { list: Vec::new(), dropped: 0 }
    }

    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.dropped = 0;
    }

    pub(crate) fn as_slice(&self) -> &[Contact<R>] {
        &self.list
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [Contact<R>] {
        &mut self.list
    }

    /// What a touch carried; nothing when it is new. N·s
    pub(crate) fn impulses(&self, touch: Touch) -> [R; 3] {
        self.list.iter().find(|contact| contact.touch == touch).map_or([R::ZERO; 3], |contact| contact.impulses)
    }

    /// How many found no room.
    pub(crate) const fn dropped(&self) -> u32 {
        self.dropped
    }

    /// Add a contact; where there is no room, the shallowest of all goes.
    pub(crate) fn add(&mut self, contact: Contact<R>) {
        let Err(contact) = self.list.push(contact) else { return };
        self.dropped = self.dropped.saturating_add(1);
        let mut shallowest = None;
        for (index, other) in (0..N).zip(&self.list) {
            let gap = shallowest.map_or(contact.point.gap, |(_, gap)| gap);
            if other.point.gap > gap {
                shallowest = Some((index, other.point.gap));
            }
        }
        if let Some((index, _)) = shallowest {
            // shift, not swap: contacts stay in order
            let mut carried = contact;
            for slot in self.list.iter_mut().skip(index).rev() {
                core::mem::swap(slot, &mut carried);
            }
        }
    }
}

impl<R: Real> Contact<R> {
    /// `e` of the normal row. m/s
    pub(crate) fn normal_target(&self, h: R, stabilisation: R, approach: R, threshold: R) -> R {
        let gap = self.point.gap;
        let factor = if gap < R::ZERO { stabilisation } else { R::ONE };
        let target = -(factor * gap) / h;
        // it bounces if it arrives within this step, and faster than noise
        if approach < -threshold && gap + approach * h < R::ZERO {
            max(-(self.restitution * approach), target)
        } else {
            target
        }
    }
}
