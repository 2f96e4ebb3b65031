//! An order of elimination with little fill, before any number is known.
//!
//! Rows between the same two bodies are one group. With velocities scaled by mass (`rows`) every body's own block is the identity: bodies are eliminated
//! first, without a trace but that all rows on one body now feel each other. To eliminate a group is then to make one class of its two bodies: whatever is left on either feels
//! it, and everything on both feels each other. The next is always the group that the fewest feel.
//!
//! A body with very many rows is a hub. To eliminate it first would make all of them feel each other; it stays an unknown, six numbers, and comes after the rows
//! between it and others: a star of n arms costs n. Rows that hang on hubs and the ground alone come behind a hub of theirs, or their pivots would vanish.

use crate::rows::GROUND;
use heapless::Vec;

/// A body with more rows than this is a hub.
const HUB_ROWS: u32 = 36;
/// At most so many hubs; further ones are bodies like others, and cost fill.
pub(crate) const HUBS: usize = 32;
/// What a hub is: six numbers.
const HUB_SIZE: u16 = 6;
/// Node of the first hub; groups are below.
const FIRST_HUB: u16 = 0x8000;
/// No class, no entry.
const NONE: u16 = u16::MAX;

/// Rows between the same bodies, eliminated one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// its rows are this and the next ones
    pub(crate) first_row: u16,
    /// how many unknowns
    pub(crate) size: u16,
    /// bodies, or [`GROUND`]
    pub(crate) bodies: [u16; 2],
}

/// Who stands where.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unknown {
    /// The rows of a group.
    Rows(Group),
    /// The six numbers of this body.
    Hub(u16),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// class on either side, or none
    classes: [u16; 2],
    /// entry behind this one in the list of the class on either side
    next: [u16; 2],
    /// hubs it is on
    hubs: u32,
    size: u16,
    position: u16,
    /// unknowns before it that each of its rows feels
    felt: u32,
    /// how many feel it, as far as lists tell them apart, and who stands before and behind it among those with as many
    felt_by: u16,
    queue: [u16; 2],
    live: bool,
    met: bool,
}

impl Node {
    const NEW: Self = Self {
        classes: [NONE; 2],
        next: [NONE; 2],
        hubs: 0,
        size: 0,
        position: 0,
        felt: 0,
        felt_by: NONE,
        queue: [NONE; 2],
        live: true,
        met: false,
    };
}

/// Bodies that are one by now, and what is left on them.
#[derive(Clone, Copy, Debug)]
struct Class {
    /// false once it is part of another
    live: bool,
    head: u16,
    tail: u16,
    /// rows left, those with both ends here twice
    weight: u32,
    hubs: u32,
}

/// Scratch of the analysis and its result.
#[derive(Clone, Debug)]
pub(crate) struct Order<const BODIES: usize, const ROWS: usize> {
    groups: Vec<Group, ROWS>,
    nodes: Vec<Node, ROWS>,
    classes: Vec<Class, BODIES>,
    hubs: Vec<Node, HUBS>,
    hub_bodies: Vec<u16, HUBS>,
    sequence: Vec<u16, ROWS>,
    met: Vec<u16, ROWS>,
    /// first group of those that so many feel; the last place is for all that more feel
    queues: Vec<u16, ROWS>,
    /// no group is felt by fewer
    least: u16,
    /// how many groups were told since the beginning, and the size that the last one had before
    told: usize,
    size: u16,
    /// they are not those of the last analysis
    unlike: bool,
}

impl<const BODIES: usize, const ROWS: usize> Order<BODIES, ROWS> {
    pub(crate) const fn new() -> Self {
        const { assert!(ROWS < FIRST_HUB as usize, "unknowns are counted in 15 bits") }
        Self {
            groups: Vec::new(),
            nodes: Vec::new(),
            classes: Vec::new(),
            hubs: Vec::new(),
            hub_bodies: Vec::new(),
            sequence: Vec::new(),
            met: Vec::new(),
            queues: Vec::new(),
            least: 0,
            told: 0,
            size: 0,
            unlike: true,
        }
    }

    /// Rows are to be told anew.
    pub(crate) fn begin(&mut self) {
        (self.told, self.unlike) = (0, self.sequence.is_empty());
    }

    /// One more row; joins the last group if that is on the same bodies. False if there is no room.
    pub(crate) fn add(&mut self, row: u16, bodies: [u16; 2]) -> bool {
        let last = self.told.checked_sub(1).and_then(|last| self.groups.get_mut(last));
        if let Some(last) = last.filter(|last| last.bodies == bodies) {
            last.size = last.size.saturating_add(1);
            return true;
        }
        self.close();
        let group = Group { first_row: row, size: 1, bodies };
        let added = match self.groups.get_mut(self.told) {
            Some(known) => {
                self.size = known.size;
                self.unlike |= (known.first_row, known.bodies) != (row, bodies);
                *known = group;
                true
            }
            None => {
                self.unlike = true;
                self.groups.push(group).is_ok()
            }
        };
        self.told = self.told.saturating_add(1);
        added
    }

    /// Are all rows that were told the same as those of the last analysis?
    pub(crate) fn is_known(&mut self) -> bool {
        self.close();
        self.unlike |= self.told != self.groups.len();
        self.groups.truncate(self.told);
        !self.unlike
    }

    /// The last analysis is of no use.
    pub(crate) fn forget(&mut self) {
        self.sequence.clear();
    }

    /// The group at hand has all its rows.
    fn close(&mut self) {
        let last = self.told.checked_sub(1).and_then(|last| self.groups.get(last));
        self.unlike |= last.is_some_and(|last| last.size != self.size);
    }

    /// Find the order. False if there is no room for a body, or for all unknowns.
    pub(crate) fn analyse(&mut self) -> bool {
        self.sequence.clear();
        if !self.find_hubs() || !self.connect() {
            return false;
        }
        self.line_up();
        let mut position = 0_u16;
        // every group and every hub once
        for _ in 0..self.groups.len().saturating_add(self.hubs.len()) {
            let Some(node) = self.next_node() else { break };
            let Some(at) = self.node_mut(node) else { break };
            at.position = position;
            let size = at.size;
            position = position.saturating_add(size);
            if self.sequence.push(node).is_err() {
                self.forget();
                return false;
            }
            self.eliminate(node);
            for index in 0..self.met.len() {
                let Some(&met) = self.met.get(index) else { break };
                if let Some(at) = self.node_mut(met) {
                    at.felt = at.felt.saturating_add(size.into());
                }
                self.enqueue(met);
            }
        }
        let fits = usize::from(position) <= ROWS;
        if !fits {
            self.forget();
        }
        fits
    }

    /// How many unknowns there are.
    pub(crate) fn unknown_count(&self) -> usize {
        let sizes = self.sequence.iter().filter_map(|node| self.node(*node));
        sizes.fold(0_usize, |count, node| count.saturating_add(node.size.into()))
    }

    /// Unknowns in order, each group's or hub's at once.
    pub(crate) fn unknowns(&self) -> impl Iterator<Item = Unknown> + '_ {
        self.sequence.iter().filter_map(|node| match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hub_bodies.get(usize::from(hub)).copied().map(Unknown::Hub),
            None => self.groups.get(usize::from(*node)).copied().map(Unknown::Rows),
        })
    }

    /// Places below the diagonal in each unknown's row, in order.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = u32> + '_ {
        let sequence = self.sequence.iter().filter_map(|node| self.node(*node));
        // a group's rows feel each other, too
        sequence.flat_map(|node| (0..u32::from(node.size)).map(|own| node.felt.saturating_add(own)))
    }

    /// Every place below the diagonal, `(row, column)`; columns of a row in ascending order.
    pub(crate) fn for_each_place(&mut self, mut see: impl FnMut(u16, u16)) {
        if !self.connect() {
            return;
        }
        for index in 0..self.sequence.len() {
            let Some(&node) = self.sequence.get(index) else { break };
            let Some(&Node { position, size, .. }) = self.node(node) else { break };
            self.eliminate(node);
            let columns = position..position.saturating_add(size);
            for column in columns.clone() {
                (column.saturating_add(1)..columns.end).for_each(|row| see(row, column));
            }
            for index in 0..self.met.len() {
                let Some(&met) = self.met.get(index) else { break };
                let Some(&Node { position, size, .. }) = self.node(met) else { break };
                for row in position..position.saturating_add(size) {
                    columns.clone().for_each(|column| see(row, column));
                }
            }
        }
    }

    fn node(&self, node: u16) -> Option<&Node> {
        match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hubs.get(usize::from(hub)),
            None => self.nodes.get(usize::from(node)),
        }
    }

    fn node_mut(&mut self, node: u16) -> Option<&mut Node> {
        match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hubs.get_mut(usize::from(hub)),
            None => self.nodes.get_mut(usize::from(node)),
        }
    }

    /// Bodies with very many rows, lowest first.
    fn find_hubs(&mut self) -> bool {
        self.classes.clear();
        self.nodes.clear();
        self.hubs.clear();
        self.hub_bodies.clear();
        for group in &self.groups {
            for body in group.bodies.into_iter().filter(|body| *body != GROUND) {
                let class = Class { live: true, head: NONE, tail: NONE, weight: 0, hubs: 0 };
                while self.classes.len() <= usize::from(body) {
                    if self.classes.push(class).is_err() {
                        return false;
                    }
                }
                if let Some(class) = self.classes.get_mut(usize::from(body)) {
                    class.weight = class.weight.saturating_add(group.size.into());
                }
            }
            // as much room as for groups
            let _ = self.nodes.push(Node::NEW);
        }
        for (body, class) in (0..NONE).zip(&self.classes) {
            if class.weight > HUB_ROWS && self.hub_bodies.push(body).is_ok() {
                let _ = self.hubs.push(Node { size: HUB_SIZE, ..Node::NEW });
            }
        }
        true
    }

    /// Everything as it is before anything is eliminated; positions stay.
    fn connect(&mut self) -> bool {
        for class in &mut self.classes {
            *class = Class { live: true, head: NONE, tail: NONE, weight: 0, hubs: 0 };
        }
        self.hubs.iter_mut().for_each(|hub| hub.live = true);
        for index in (0..NONE).take(self.groups.len()) {
            let Some(&Group { size, bodies, .. }) = self.groups.get(usize::from(index)) else { return false };
            let mut hubs = 0_u32;
            let mut sides = [NONE; 2];
            for (side, body) in sides.iter_mut().zip(bodies) {
                match (0..HUBS).zip(&self.hub_bodies).find(|(_, hub)| **hub == body) {
                    Some((hub, _)) => hubs |= bit(hub),
                    None if body != GROUND => *side = body,
                    None => {}
                }
            }
            let Some(node) = self.nodes.get_mut(usize::from(index)) else { return false };
            (node.classes, node.next, node.hubs, node.size) = (sides, [NONE; 2], hubs, size);
            (node.live, node.met) = (true, false);
            for (side, class) in (0..2_u16).zip(sides) {
                self.append(class, entry(index, side), size.into());
            }
        }
        true
    }

    /// An entry behind the last of a class's list.
    fn append(&mut self, class: u16, entry: u16, weight: u32) {
        let Some(at) = self.classes.get_mut(usize::from(class)) else { return };
        at.weight = at.weight.saturating_add(weight);
        let last = core::mem::replace(&mut at.tail, entry);
        if last == NONE {
            at.head = entry;
        } else {
            self.set_next(last, entry);
        }
    }

    fn set_next(&mut self, of: u16, to: u16) {
        let (index, side) = parts(of);
        if let Some(next) = self.nodes.get_mut(index).and_then(|node| node.next.get_mut(side)) {
            *next = to;
        }
    }

    /// Every group in its queue, the first one in front.
    fn line_up(&mut self) {
        self.queues.clear();
        // as much room as for groups
        let _ = self.queues.resize(self.nodes.len(), NONE);
        self.nodes.iter_mut().for_each(|node| node.felt_by = NONE);
        for index in (0..FIRST_HUB).take(self.nodes.len()).rev() {
            self.enqueue(index);
        }
    }

    /// To the front of the queue of those that as many feel.
    fn enqueue(&mut self, group: u16) {
        let Some(&Node { classes: [a, b], hubs, felt_by, .. }) = self.nodes.get(usize::from(group)) else { return };
        let of = |class: u16| self.classes.get(usize::from(class)).map_or((0, 0), |class| (class.weight, class.hubs));
        let (weight_a, hubs_a) = of(a);
        let (weight_b, hubs_b) = if a == b { (0, 0) } else { of(b) };
        // one that hangs on hubs alone waits for them
        if a == NONE && b == NONE {
            return;
        }
        let hubs = (hubs | hubs_a | hubs_b).count_ones().saturating_mul(HUB_SIZE.into());
        let last = u16::try_from(self.queues.len().saturating_sub(1)).unwrap_or(NONE);
        let now = u16::try_from(weight_a.saturating_add(weight_b).saturating_add(hubs)).unwrap_or(last).min(last);
        if now == felt_by {
            return;
        }
        self.dequeue(group);
        let Some(first) = self.queues.get_mut(usize::from(now)) else { return };
        let behind = core::mem::replace(first, group);
        if let Some(behind) = self.nodes.get_mut(usize::from(behind)) {
            behind.queue[0] = group;
        }
        if let Some(node) = self.nodes.get_mut(usize::from(group)) {
            (node.felt_by, node.queue) = (now, [NONE, behind]);
        }
        self.least = self.least.min(now);
    }

    fn dequeue(&mut self, group: u16) {
        let Some(&Node { felt_by, queue: [before, behind], .. }) = self.nodes.get(usize::from(group)) else { return };
        if let Some(before) = self.nodes.get_mut(usize::from(before)) {
            before.queue[1] = behind;
        } else if let Some(first) = self.queues.get_mut(usize::from(felt_by)) {
            *first = behind;
        }
        if let Some(behind) = self.nodes.get_mut(usize::from(behind)) {
            behind.queue[0] = before;
        }
    }

    /// One that the fewest feel; a hub when nothing else is left.
    fn next_node(&mut self) -> Option<u16> {
        let start = usize::from(self.least);
        let queues = self.queues.get(start..).unwrap_or_default();
        let found = (self.least..NONE).zip(queues).find(|(_, first)| **first != NONE);
        if let Some((felt_by, &group)) = found {
            self.least = felt_by;
            self.dequeue(group);
            return Some(group);
        }
        // nothing: the hubs' turn
        (FIRST_HUB..NONE).zip(&self.hubs).find(|(_, hub)| hub.live).map(|(node, _)| node)
    }

    /// Take it away; `met` are those that feel it.
    fn eliminate(&mut self, node: u16) {
        self.met.clear();
        let class = match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.free_hub(hub),
            None => self.contract(node),
        };
        self.list(class);
    }

    /// Its two sides become one.
    fn contract(&mut self, group: u16) -> u16 {
        let Some(node) = self.nodes.get_mut(usize::from(group)) else { return NONE };
        node.live = false;
        let Node { classes: [a, b], hubs, .. } = *node;
        let class = match (a, b) {
            (NONE, only) | (only, NONE) => only,
            (a, b) => {
                self.join(a, b);
                a
            }
        };
        if let Some(class) = self.classes.get_mut(usize::from(class)) {
            class.hubs |= hubs;
        }
        class
    }

    /// What stood on a hub stands on a class from now on.
    fn free_hub(&mut self, hub: u16) -> u16 {
        let index = usize::from(hub);
        let class = self.hub_bodies.get(index).copied().unwrap_or(NONE);
        if let Some(node) = self.hubs.get_mut(index) {
            node.live = false;
        }
        for other in (0..NONE).take(self.classes.len()) {
            let on_hub = |class: &Class| class.live && class.hubs & bit(index) != 0;
            if other != class && self.classes.get(usize::from(other)).is_some_and(on_hub) {
                self.join(class, other);
            }
        }
        if let Some(class) = self.classes.get_mut(usize::from(class)) {
            class.hubs &= !bit(index);
        }
        for group in (0..FIRST_HUB).take(self.nodes.len()) {
            let Some(node) = self.nodes.get_mut(usize::from(group)) else { break };
            if !node.live || node.hubs & bit(index) == 0 {
                continue;
            }
            node.hubs &= !bit(index);
            let size = node.size;
            // nothing else was left, so that it has no class yet
            node.classes = [class, NONE];
            node.next = [NONE; 2];
            self.append(class, entry(group, 0), size.into());
        }
        class
    }

    /// Two classes become one.
    fn join(&mut self, a: u16, b: u16) {
        if a == b {
            return;
        }
        let Some(&Class { head, tail, weight, hubs, .. }) = self.classes.get(usize::from(b)) else { return };
        if let Some(class) = self.classes.get_mut(usize::from(b)) {
            class.live = false;
        }
        let Some(class) = self.classes.get_mut(usize::from(a)) else { return };
        class.weight = class.weight.saturating_add(weight);
        class.hubs |= hubs;
        if head == NONE {
            return;
        }
        let last = core::mem::replace(&mut class.tail, tail);
        if last == NONE {
            class.head = head;
        } else {
            self.set_next(last, head);
        }
    }

    /// Write down who is left on a class, each once; the list forgets all others.
    fn list(&mut self, class: u16) {
        let Some(&Class { head, hubs, .. }) = self.classes.get(usize::from(class)) else { return };
        let (mut at, mut first, mut last, mut weight) = (head, NONE, NONE, 0_u32);
        // an entry for each side of each group at most
        for _ in 0..self.nodes.len().saturating_mul(2) {
            let (index, side) = parts(at);
            let Some(node) = self.nodes.get_mut(index).filter(|_| at != NONE) else { break };
            let next = node.next.get(side).copied().unwrap_or(NONE);
            // of one with both ends here the second entry goes, and with it that side: nobody would tell it when this class becomes part of another
            let again = node.live && node.met;
            if let Some(of) = node.classes.get_mut(side) {
                *of = if again { NONE } else { class };
            }
            if node.live && !node.met {
                node.met = true;
                weight = weight.saturating_add(node.size.into());
                // as much room as for groups
                let _ = self.met.push(u16::try_from(index).unwrap_or(NONE));
                if last == NONE {
                    first = at;
                } else {
                    self.set_next(last, at);
                }
                last = at;
            }
            at = next;
        }
        if last != NONE {
            self.set_next(last, NONE);
        }
        for index in 0..self.met.len() {
            let Some(&met) = self.met.get(index) else { break };
            if let Some(node) = self.node_mut(met) {
                node.met = false;
            }
        }
        if let Some(class) = self.classes.get_mut(usize::from(class)) {
            (class.head, class.tail, class.weight) = (first, last, weight);
        }
        if hubs == 0 {
            return;
        }
        for (index, hub) in (0..HUBS).zip(FIRST_HUB..NONE) {
            if hubs & bit(index) != 0 {
                let _ = self.met.push(hub);
            }
        }
    }
}

fn bit(hub: usize) -> u32 {
    u32::try_from(hub).ok().and_then(|hub| 1_u32.checked_shl(hub)).unwrap_or(0)
}

/// Entry of a group in the list of the class on one of its sides.
fn entry(group: u16, side: u16) -> u16 {
    group.wrapping_mul(2).wrapping_add(side)
}

/// Group and side of an entry.
fn parts(entry: u16) -> (usize, usize) {
    (usize::from(entry / 2), usize::from(entry % 2))
}
