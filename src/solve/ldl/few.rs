//! The order of few groups, on bits: one word says who feels a group, and to eliminate it is to tell all of them of each other.
//!
//! What `order` does for any number, at a third of the price: with 32 groups and without hubs there are no lists to keep.

use super::order::{Class, Failure, Group, HUB_ROWS};
use crate::rows::GROUND;
use crate::solve::budget::Watch;
use heapless::Vec;

/// At most so many groups.
pub(super) const FEW: usize = 32;

/// By group, or by whatever is counted alike.
pub(super) type Words = [u32; FEW];

/// Who feels whom before anything is eliminated; none if they are not few, or one of the bodies is a hub, or too many. `classes` are scratch, one for each body.
pub(super) fn connect<const BODIES: usize>(groups: &[Group], classes: &mut Vec<Class, BODIES>) -> Option<Words> {
    if groups.len() > FEW {
        return None;
    }
    classes.clear();
    for (index, group) in (0..u32::MAX).zip(groups) {
        let (bit, size) = (bit(index), u32::from(group.size));
        for body in group.bodies {
            if body == GROUND {
                continue;
            }
            let place = usize::from(body);
            while classes.len() <= place {
                classes.push(Class::NEW).ok()?;
            }
            let class = classes.get_mut(place)?;
            class.hubs |= bit;
            class.weight = class.weight.saturating_add(size);
            if class.weight > HUB_ROWS {
                return None;
            }
        }
    }
    let mut feel = [0; FEW];
    for ((index, group), feel) in (0..u32::MAX).zip(groups).zip(&mut feel) {
        let [a, b] = group.bodies.map(|body| classes.get(usize::from(body)).map_or(0, |class| class.hubs));
        *feel = (a | b) & !bit(index);
    }
    Some(feel)
}

/// Eliminate them all, always one that the fewest feel. `see` is told each in turn. Returns, by group, the places before it that it feels.
pub(super) fn eliminate(
    count: usize,
    mut feel: Words,
    mut see: impl FnMut(u16),
    watch: &mut Watch<'_, '_>,
) -> Result<Words, Failure> {
    // those that so many feel
    let mut queues = [0; FEW];
    for (index, feel) in (0..u32::MAX).zip(&feel).take(count) {
        *at(&mut queues, feel.count_ones()) |= bit(index);
    }
    let mut felt = [0; FEW];
    let mut least = 0;
    for place in (0..u32::MAX).take(count) {
        // one is there
        while *at(&mut queues, least) == 0 && least < 31 {
            least = least.wrapping_add(1);
        }
        let queue = at(&mut queues, least);
        let group = queue.trailing_zeros();
        *queue &= !bit(group);
        see(u16::try_from(group).unwrap_or(0));
        let met = core::mem::take(at(&mut feel, group));
        let mut rest = met;
        while rest != 0 {
            let other = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            *at(&mut felt, other) |= bit(place);
            let feel = at(&mut feel, other);
            let (before, after) = (*feel, (*feel | met) & !(bit(group) | bit(other)));
            *feel = after;
            let (before, after) = (before.count_ones(), after.count_ones());
            if before != after {
                *at(&mut queues, before) &= !bit(other);
                *at(&mut queues, after) |= bit(other);
            }
            least = if after < least { after } else { least };
        }
        if watch.spend(met.count_ones()) {
            return Err(Failure::Late);
        }
    }
    Ok(felt)
}

fn at(words: &mut Words, index: u32) -> &mut u32 {
    // no index is larger: a word has as many bits
    let index = index % 32;
    &mut words[index as usize]
}

pub(super) fn bit(index: u32) -> u32 {
    1_u32.wrapping_shl(index)
}
