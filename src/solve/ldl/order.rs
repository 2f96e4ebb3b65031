//! An order of elimination with little fill, before any number is known.
//!
//! Rows between the same two bodies are one group. With velocities scaled by mass (`rows`) every body's own block is the identity: bodies are eliminated
//! first, without a trace but that all rows on one body now feel each other. To eliminate a group is then to make one class of its two bodies: whatever is left on either feels
//! it, and everything on both feels each other. The next is always the group that the fewest feel.
//!
//! A body with very many rows is a hub. To eliminate it first would make all of them feel each other; it stays an unknown, six numbers, and comes after the rows
//! between it and others: a star of n arms costs n. Rows that hang on hubs and the ground alone come behind a hub of theirs, or their pivots would vanish.

use super::few::{self, Words};
use crate::rows::GROUND;
use crate::solve::budget::Watch;
use heapless::Vec;

/// A body with more rows than this is a hub.
pub(super) const HUB_ROWS: u32 = 36;
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
    /// how many feel it, as far as lists tell them apart, and who stands before and behind it among those with as many
    felt_by: u16,
    queue: [u16; 2],
    size: u16,
    position: u16,
    /// unknowns before it that each of its rows feels
    felt: u16,
    /// how many groups and hubs behind it feel it
    meets: u16,
    /// the last one that it feels, counted from one
    met: u16,
    /// hubs it is on
    hubs: u32,
    live: bool,
}

impl Node {
    const NEW: Self = Self {
        classes: [NONE; 2],
        next: [NONE; 2],
        felt_by: NONE,
        queue: [NONE; 2],
        size: 0,
        position: 0,
        felt: 0,
        meets: 0,
        met: 0,
        hubs: 0,
        live: true,
    };
}

/// Bodies that are one by now, and what is left on them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// false once it is part of another
    live: bool,
    head: u16,
    /// rows left, those with both ends here twice
    pub(super) weight: u32,
    /// hubs that it feels; of few groups: which of them are on it
    pub(super) hubs: u32,
}

impl Class {
    pub(super) const NEW: Self = Self { live: true, head: NONE, weight: 0, hubs: 0 };
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

/// Unknowns that stand side by side: a group's, or a hub's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// the first of them
    pub(crate) position: u16,
    pub(crate) size: u16,
    /// unknowns before it that each of them feels
    pub(crate) felt: u16,
    /// groups and hubs behind it that feel it
    pub(crate) meets: u16,
}

/// Why there is no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// No room for a body, or for all unknowns.
    Rows,
    /// No room for all places.
    Places,
    /// Time is up.
    Late,
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

    /// Find the order. `meet` is told who feels each group or hub, in turn, and says whether there is room to remember it.
    pub(crate) fn analyse(
        &mut self,
        mut meet: impl FnMut(u16) -> bool,
        watch: &mut Watch<'_, '_>,
    ) -> Result<(), Failure> {
        self.forget();
        let found = self.connect().and_then(|()| {
            self.line_up();
            self.eliminate_all(&mut meet, watch)
        });
        if found.is_err() {
            self.forget();
        }
        found
    }

    /// The same of few groups without hubs: what each feels of those before it, by their places in order. None if they are not of that kind, or there is no room.
    pub(super) fn analyse_few(&mut self, watch: &mut Watch<'_, '_>) -> Option<Result<Words, Failure>> {
        self.forget();
        let Self { groups, classes, sequence, hub_bodies, .. } = self;
        let feel = few::connect(groups, classes)?;
        hub_bodies.clear();
        let tell = |group| {
            // as much room as for groups
            let _ = sequence.push(group);
        };
        Some(few::eliminate(groups.len(), feel, tell, watch))
    }

    /// Groups in order; of few.
    pub(super) fn groups(&self) -> impl Iterator<Item = (u16, &Group)> + Clone {
        self.sequence.iter().filter_map(|group| Some((*group, self.groups.get(usize::from(*group))?)))
    }

    /// Unknowns in order, each group's or hub's at once.
    pub(crate) fn unknowns(&self) -> impl Iterator<Item = Unknown> + '_ {
        self.sequence.iter().filter_map(|node| match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hub_bodies.get(usize::from(hub)).copied().map(Unknown::Hub),
            None => self.groups.get(usize::from(*node)).copied().map(Unknown::Rows),
        })
    }

    /// The same by where they stand.
    pub(crate) fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        self.sequence.iter().filter_map(|node| self.side(*node))
    }

    /// Where a group or hub stands.
    pub(crate) fn side(&self, node: u16) -> Option<Side> {
        let of = match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hubs.get(usize::from(hub)),
            None => self.nodes.get(usize::from(node)),
        };
        of.map(|&Node { position, size, felt, meets, .. }| Side { position, size, felt, meets })
    }

    /// Everything as it is before anything is eliminated: lists of every body's groups, and bodies with very many rows, lowest first.
    fn connect(&mut self) -> Result<(), Failure> {
        let Self { groups, nodes, classes, hubs, hub_bodies, .. } = self;
        classes.clear();
        nodes.clear();
        hubs.clear();
        hub_bodies.clear();
        let mut unknowns = 0_usize;
        for (index, group) in (0..NONE).zip(&*groups) {
            let mut node = Node { classes: group.bodies, size: group.size, ..Node::NEW };
            unknowns = unknowns.saturating_add(group.size.into());
            for (side, body) in (0..2_u16).zip(group.bodies) {
                if body == GROUND {
                    continue;
                }
                while classes.len() <= usize::from(body) {
                    classes.push(Class::NEW).map_err(|_| Failure::Rows)?;
                }
                if let Some(class) = classes.get_mut(usize::from(body)) {
                    class.weight = class.weight.saturating_add(group.size.into());
                    let next = core::mem::replace(&mut class.head, entry(index, side));
                    set_side(&mut node.next, side, next);
                }
            }
            // as much room as for groups
            let _ = nodes.push(node);
        }
        for (body, class) in (0..NONE).zip(classes.iter()) {
            if class.weight > HUB_ROWS && hub_bodies.push(body).is_ok() {
                let _ = hubs.push(Node { size: HUB_SIZE, ..Node::NEW });
                unknowns = unknowns.saturating_add(HUB_SIZE.into());
            }
        }
        if unknowns > ROWS {
            return Err(Failure::Rows);
        }
        self.detach_hubs();
        Ok(())
    }

    /// Groups on hubs are on no class there.
    fn detach_hubs(&mut self) {
        let Self { nodes, classes, hub_bodies, .. } = self;
        for (hub, body) in (0..HUBS).zip(&*hub_bodies) {
            let Some(class) = classes.get_mut(usize::from(*body)) else { continue };
            let mut at = core::mem::replace(&mut class.head, NONE);
            class.weight = 0;
            for _ in 0..nodes.len() {
                let (index, side) = parts(at);
                let Some(node) = nodes.get_mut(index) else { break };
                node.hubs |= bit(hub);
                set_side(&mut node.classes, side, NONE);
                at = of_side(node.next, side);
                set_side(&mut node.next, side, NONE);
            }
        }
    }

    /// Every group in its queue, the first one in front.
    fn line_up(&mut self) {
        self.queues.clear();
        // as much room as for groups
        let _ = self.queues.resize(self.nodes.len(), NONE);
        self.least = NONE;
        for index in (0..FIRST_HUB).take(self.nodes.len()).rev() {
            self.enqueue(index);
        }
    }

    /// One after the other.
    fn eliminate_all(&mut self, meet: &mut impl FnMut(u16) -> bool, watch: &mut Watch<'_, '_>) -> Result<(), Failure> {
        let (mut position, mut turn) = (0_u16, 0_u16);
        // every group and every hub once
        for _ in 0..self.groups.len().saturating_add(self.hubs.len()) {
            let Some(node) = self.next_node() else { break };
            // no more of them than unknowns
            let _ = self.sequence.push(node);
            turn = turn.saturating_add(1);
            let class = match node.checked_sub(FIRST_HUB) {
                Some(hub) => self.free_hub(hub),
                None => self.contract(node),
            };
            let size = self.side(node).map_or(0, |side| side.size);
            let walked = self.list(class, turn);
            let meets = self.tell(class, size, meet).ok_or(Failure::Places)?;
            if let Some(at) = self.node_mut(node) {
                (at.position, at.meets) = (position, meets);
            }
            position = position.saturating_add(size);
            if watch.spend(walked) {
                return Err(Failure::Late);
            }
        }
        Ok(())
    }

    fn node_mut(&mut self, node: u16) -> Option<&mut Node> {
        match node.checked_sub(FIRST_HUB) {
            Some(hub) => self.hubs.get_mut(usize::from(hub)),
            None => self.nodes.get_mut(usize::from(node)),
        }
    }

    /// To the front of the queue of those that as many feel.
    fn enqueue(&mut self, group: u16) {
        let Self { nodes, classes, queues, least, .. } = self;
        let Some(&Node { classes: [a, b], hubs, felt_by, .. }) = nodes.get(usize::from(group)) else { return };
        let of = |class: u16| classes.get(usize::from(class)).map_or((0, 0), |class| (class.weight, class.hubs));
        let (weight_a, hubs_a) = of(a);
        let (weight_b, hubs_b) = if a == b { (0, 0) } else { of(b) };
        // one that hangs on hubs alone waits for them
        if a == NONE && b == NONE {
            return;
        }
        let hubs = hubs | hubs_a | hubs_b;
        let hubs = if hubs == 0 { 0 } else { hubs.count_ones().saturating_mul(HUB_SIZE.into()) };
        let felt = weight_a.saturating_add(weight_b).saturating_add(hubs);
        let last = queues.len().saturating_sub(1);
        let now = usize::try_from(felt).unwrap_or(last);
        let now = u16::try_from(if now < last { now } else { last }).unwrap_or(NONE);
        if now == felt_by {
            return;
        }
        dequeue(nodes, queues, group);
        let Some(first) = queues.get_mut(usize::from(now)) else { return };
        let behind = core::mem::replace(first, group);
        if let Some(behind) = nodes.get_mut(usize::from(behind)) {
            behind.queue[0] = group;
        }
        if let Some(node) = nodes.get_mut(usize::from(group)) {
            (node.felt_by, node.queue) = (now, [NONE, behind]);
        }
        if now < *least {
            *least = now;
        }
    }

    /// One that the fewest feel; a hub when nothing else is left.
    fn next_node(&mut self) -> Option<u16> {
        let Self { nodes, queues, least, hubs, .. } = self;
        let waiting = queues.get(usize::from(*least)..).unwrap_or_default();
        let found = (*least..NONE).zip(waiting).find(|(_, first)| **first != NONE);
        if let Some((felt_by, &group)) = found {
            *least = felt_by;
            dequeue(nodes, queues, group);
            return Some(group);
        }
        // nothing: the hubs' turn
        (FIRST_HUB..NONE).zip(&*hubs).find(|(_, hub)| hub.live).map(|(node, _)| node)
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
        if hubs != 0
            && let Some(class) = self.classes.get_mut(usize::from(class))
        {
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
        let Self { nodes, classes, .. } = self;
        let Some(at) = classes.get_mut(usize::from(class)) else { return class };
        at.hubs &= !bit(index);
        for (group, node) in (0..FIRST_HUB).zip(nodes) {
            if node.live && node.hubs & bit(index) != 0 {
                node.hubs &= !bit(index);
                // nothing else was left, so that it has no class yet
                node.classes = [class, NONE];
                node.next = [core::mem::replace(&mut at.head, entry(group, 0)), NONE];
            }
        }
        class
    }

    /// Two classes become one: the first one's list behind the second's.
    fn join(&mut self, a: u16, b: u16) {
        if a == b {
            return;
        }
        let Self { nodes, classes, .. } = self;
        let Ok([into, from]) = classes.get_disjoint_mut([usize::from(a), usize::from(b)]) else { return };
        from.live = false;
        into.hubs |= from.hubs;
        if from.head == NONE {
            return;
        }
        let behind = core::mem::replace(&mut into.head, from.head);
        if behind == NONE {
            return;
        }
        let mut at = from.head;
        // an entry for each side of each group at most
        for _ in 0..nodes.len().saturating_mul(2) {
            let (index, side) = parts(at);
            let Some(node) = nodes.get_mut(index) else { break };
            at = of_side(node.next, side);
            if at == NONE {
                set_side(&mut node.next, side, behind);
                break;
            }
        }
    }

    /// Whoever is left on a class, each once; the list forgets all others. Returns how many entries it had.
    fn list(&mut self, class: u16, turn: u16) -> u32 {
        let Self { nodes, classes, .. } = self;
        let Some(of) = classes.get_mut(usize::from(class)) else { return 0 };
        let (mut at, mut first, mut last, mut weight, mut walked) = (of.head, NONE, NONE, 0_u32, 0_u32);
        // an entry for each side of each group at most
        for _ in 0..nodes.len().saturating_mul(2) {
            let (index, side) = parts(at);
            // none is no group's entry
            let Some(node) = nodes.get_mut(index) else { break };
            let next = of_side(node.next, side);
            walked = walked.saturating_add(1);
            if node.live {
                // of one with both ends here the second entry goes, and with it that side: nobody would tell it when this class becomes part of another
                let again = node.met == turn;
                set_side(&mut node.classes, side, if again { NONE } else { class });
                if !again {
                    node.met = turn;
                    weight = weight.saturating_add(node.size.into());
                    set_next(nodes, last, &mut first, at);
                    last = at;
                }
            }
            at = next;
        }
        set_next(nodes, last, &mut first, NONE);
        (of.head, of.weight) = (first, weight);
        walked
    }

    /// All of a class's list feel `size` unknowns more. Returns how many they are, hubs included; none if there is no room to remember one.
    fn tell(&mut self, class: u16, size: u16, meet: &mut impl FnMut(u16) -> bool) -> Option<u16> {
        let Some(&Class { head, hubs, .. }) = self.classes.get(usize::from(class)) else { return Some(0) };
        let (mut at, mut meets) = (head, 0_u16);
        for _ in 0..self.nodes.len() {
            let (index, side) = parts(at);
            let Some(node) = self.nodes.get_mut(index) else { break };
            node.felt = node.felt.saturating_add(size);
            at = of_side(node.next, side);
            let group = u16::try_from(index).unwrap_or(NONE);
            if !meet(group) {
                return None;
            }
            meets = meets.saturating_add(1);
            self.enqueue(group);
        }
        if hubs == 0 {
            return Some(meets);
        }
        for ((index, hub), node) in (0..HUBS).zip(FIRST_HUB..NONE).zip(&mut self.hubs) {
            if hubs & bit(index) != 0 {
                node.felt = node.felt.saturating_add(size);
                if !meet(hub) {
                    return None;
                }
                meets = meets.saturating_add(1);
            }
        }
        Some(meets)
    }
}

/// Out of its queue.
fn dequeue(nodes: &mut [Node], queues: &mut [u16], group: u16) {
    let Some(&Node { felt_by, queue: [before, behind], .. }) = nodes.get(usize::from(group)) else { return };
    if let Some(before) = nodes.get_mut(usize::from(before)) {
        before.queue[1] = behind;
    } else if let Some(first) = queues.get_mut(usize::from(felt_by)) {
        *first = behind;
    }
    if let Some(behind) = nodes.get_mut(usize::from(behind)) {
        behind.queue[0] = before;
    }
}

/// An entry behind another, or in front of all.
fn set_next(nodes: &mut [Node], of: u16, first: &mut u16, to: u16) {
    let (index, side) = parts(of);
    match nodes.get_mut(index) {
        Some(node) => set_side(&mut node.next, side, to),
        None => *first = to,
    }
}

fn of_side([a, b]: [u16; 2], side: u16) -> u16 {
    if side == 0 { a } else { b }
}

fn set_side([a, b]: &mut [u16; 2], side: u16, to: u16) {
    *(if side == 0 { a } else { b }) = to;
}

fn bit(hub: usize) -> u32 {
    u32::try_from(hub).ok().and_then(|hub| 1_u32.checked_shl(hub)).unwrap_or(0)
}

/// Entry of a group in the list of the class on one of its sides.
fn entry(group: u16, side: u16) -> u16 {
    group.wrapping_mul(2).wrapping_add(side)
}

/// Group and side of an entry; of none a group that is none.
fn parts(entry: u16) -> (usize, u16) {
    (usize::from(entry / 2), entry % 2)
}
