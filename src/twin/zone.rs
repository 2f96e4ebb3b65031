//! Zones: boxes that know which parts are inside. A level switch, a counter, a sink, all in one.
//!
//! ```text
//! inside      the part's centre is in the box; it has left when it is farther out than the hysteresis
//! count       goes up when a part comes in; a sink takes it away at once
//! throughput  (n − 1) parts over the time of the last n that came in; falls as the next one stays away
//! ```

use super::image::ZoneSignal;
use super::state::persist;
use super::switch::{Switch, Switching};
use super::time::Moment;
use crate::body::BodyId;
use crate::check::{finite, non_negative};
use crate::error::Error;
use crate::math::Vec3;
use crate::world::AnyWorld;
use heapless::Vec;

/// A box along the world's axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// Its middle. m
    pub centre: Vec3<f32>,
    /// Half its edges. m
    pub half: Vec3<f32>,
}

impl Region {
    /// Is the point in it?
    pub fn contains(&self, point: Vec3<f32>) -> bool {
        self.is_within(point, 0.0)
    }

    /// Is the point in it, or no farther off than so many metres along any axis?
    fn is_within(&self, point: Vec3<f32>, off: f32) -> bool {
        let Vec3 { x, y, z } = point - self.centre;
        x.abs() <= self.half.x + off && y.abs() <= self.half.y + off && z.abs() <= self.half.z + off
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        for x in <[f32; 3]>::from(self.centre) {
            finite(x, "region")?;
        }
        // a side may be without end
        if <[f32; 3]>::from(self.half).into_iter().all(|x| x > 0.0) {
            Ok(())
        } else {
            Err(Error::NonPositive("region"))
        }
    }
}

/// A zone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    /// Where.
    pub region: Region,
    /// Parts inside from which on its level switch is on; at least 1. Of a sink: parts that it takes in a step, on until the step's end.
    pub level: u16,
    /// A part that has come in is inside until its centre is so far out: more than parts swing on a track that vibrates, or one at the edge comes in with every cycle. m
    pub hysteresis: f32,
    /// Its level switch.
    pub output: Switching,
    /// Parts that come in are taken out of the world.
    pub is_sink: bool,
}

/// A zone in a plant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Zoned {
    pub(super) settings: Zone,
    /// parts that a sink has taken in this step
    pub(super) taken: u32,
    pub(super) state: Seen,
}

/// Bodies up to this place are told apart from step to step; parts beyond are seen, and not counted.
const PLACES: usize = 256;
type Places = [u32; PLACES / 32];
/// Parts whose times make the throughput.
const TIMES: usize = 8;
/// Ticks of 2²⁰ ns: about milliseconds, and no division of 64 bits.
const TICKS_A_MINUTE: f32 = 60e9 / 1_048_576.0;
/// Parts that a sink takes away in a sub-step; others go in the next.
const SUNK: usize = 8;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// a bit a place
    inside: Places,
    /// the last bit of each one's generation: whoever takes a part's place in the world is another part. Sinks and hoppers pass a place on once between two looks
    odd: Places,
    count: u32,
    /// when the last ones came in, the latest first, ticks of the plant's time
    times: [u32; TIMES],
    switch: Switch,
}
persist!(Seen { inside, odd, count, times, switch });

impl Zoned {
    pub(super) fn new(settings: Zone) -> Result<Self, Error> {
        settings.region.check()?;
        settings.output.check()?;
        non_negative(settings.hysteresis, "hysteresis")?;
        if settings.level == 0 {
            return Err(Error::NonPositive("level"));
        }
        Ok(Self { settings, taken: 0, state: Seen::default() })
    }

    /// Look at the world at the end of a sub-step, so many ticks after the plant's start.
    pub(super) fn sense(
        &mut self,
        world: &mut dyn AnyWorld,
        ticks: u32,
        now: Moment,
        signal: &mut ZoneSignal,
    ) -> Result<(), Error> {
        let Zone { region, level, hysteresis, output, is_sink } = self.settings;
        let (mut inside, mut odd): (Places, Places) = ([0; _], [0; _]);
        let (mut parts, mut arrived) = (0_u16, 0_u32);
        let mut sunk = Vec::<BodyId, SUNK>::new();
        let state = &mut self.state;
        world.for_each_body(&mut |id, body| {
            let place = body.pose().position;
            if !body.is_dynamic() || !region.is_within(place, hysteresis) {
                return;
            }
            if is_sink {
                if region.contains(place) {
                    arrived = arrived.saturating_add(u32::from(sunk.push(id).is_ok()));
                }
                return;
            }
            let (word, bit) = (usize::from(id.0.index / 32), 1_u32 << (id.0.index % 32));
            let is_odd = if id.0.generation & 1 == 1 { bit } else { 0 };
            let (was_inside, was_odd) =
                (state.inside.get(word).copied().unwrap_or(0), state.odd.get(word).copied().unwrap_or(0));
            let was_here = was_inside & !(was_odd ^ is_odd) & bit != 0;
            if !was_here && !region.contains(place) {
                return;
            }
            parts = parts.saturating_add(1);
            if let (Some(inside), Some(odd)) = (inside.get_mut(word), odd.get_mut(word)) {
                *inside |= bit;
                *odd |= is_odd;
                arrived = arrived.saturating_add(u32::from(!was_here));
            }
        });
        (state.inside, state.odd) = (inside, odd);
        for &id in &sunk {
            world.remove_body(id)?;
        }
        for _ in 0..arrived {
            state.count = state.count.saturating_add(1);
            state.times.rotate_right(1);
            if let Some(latest) = state.times.first_mut() {
                *latest = ticks;
            }
        }
        self.taken = self.taken.saturating_add(arrived);
        // a sink has parts in it as they go: until the step is over, so that whoever looks once a step sees them
        let level_reached = if is_sink { self.taken >= u32::from(level) } else { parts >= level };
        state.switch.see(level_reached, 0.0, now, &output, &mut signal.level);
        signal.parts = parts;
        signal.count = state.count;
        signal.parts_per_minute = state.parts_per_minute(ticks);
        Ok(())
    }
}

impl Seen {
    fn parts_per_minute(&self, now: u32) -> f32 {
        let known = usize::try_from(self.count).unwrap_or(TIMES).min(TIMES);
        let (Some(&latest), Some(&first)) = (self.times.first(), self.times.get(known.saturating_sub(1))) else {
            return 0.0;
        };
        // at most 8
        let n = known as f32;
        let span = latest.wrapping_sub(first) as f32;
        // as if the next one came now
        let waited = now.wrapping_sub(first) as f32 * ((n - 1.0) / n);
        let time = if waited > span { waited } else { span };
        if known > 1 && time > 0.0 { (n - 1.0) * TICKS_A_MINUTE / time } else { 0.0 }
    }
}
