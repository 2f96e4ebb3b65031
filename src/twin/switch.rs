//! Switching outputs of sensors: delays, and which way round they are wired.
//!
//! ```text
//! raw      what the sensor sees, with the moment at which it changed
//! on       raw, once it has lasted for the delay: at the end of the first sub-step by which it has
//! output   on, or the opposite where it is normally closed
//! ```

use super::image::SwitchSignal;
use super::state::persist;
use super::time::{Moment, fewest_nanoseconds, nanoseconds};
use crate::check::non_negative;
use crate::error::Error;

/// How a switching output behaves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Switching {
    /// Normally closed: on while the sensor sees nothing. Default no: normally open.
    pub normally_closed: bool,
    /// What lasts shorter than this does not switch it on. s Default 0.
    pub on_delay: f32,
    /// Gaps shorter than this do not switch it off. s Default 0.
    pub off_delay: f32,
}

impl Switching {
    pub(super) fn check(&self) -> Result<(), Error> {
        non_negative(self.on_delay, "on_delay")?;
        non_negative(self.off_delay, "off_delay")
    }
}

/// Where an output is between what it sees and what it says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Switch {
    raw: bool,
    /// how long raw has been so. ns
    since: u64,
    on: bool,
}
persist!(Switch { raw, since, on });

impl Switch {
    /// What the sensor saw last.
    pub(super) const fn raw(&self) -> bool {
        self.raw
    }

    /// The sensor sees `raw`, since `age` seconds before `now` if that is news.
    pub(super) fn see(&mut self, raw: bool, age: f32, now: Moment, settings: &Switching, signal: &mut SwitchSignal) {
        let age = if raw == self.raw { 0 } else { nanoseconds(age).min(now.elapsed) };
        self.since = self.since.saturating_add(now.elapsed.saturating_sub(age));
        // before it changed it may have lasted long enough
        self.settle(age, now, settings, signal);
        if raw != self.raw {
            (self.raw, self.since) = (raw, age);
            self.settle(0, now, settings, signal);
        }
        signal.on = self.on != settings.normally_closed;
    }

    /// Switch if what was seen until so many nanoseconds before `now` has lasted for its delay.
    fn settle(&mut self, before: u64, now: Moment, settings: &Switching, signal: &mut SwitchSignal) {
        // most of the time nothing is under way
        if self.on == self.raw {
            return;
        }
        let delay = fewest_nanoseconds(if self.raw { settings.on_delay } else { settings.off_delay });
        if let Some(over) = self.since.checked_sub(delay) {
            self.on = self.raw;
            signal.edges = signal.edges.saturating_add(1);
            signal.edge_time = Some(now.at - over.saturating_add(before) as f32 * 1e-9);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Moment = Moment { at: 1e-3, h: 1e-3, elapsed: 1_000_000 };

    /// Steps of 1 ms; what is seen changes in the middle of a step. Returns the step and time of every edge.
    fn edges(settings: &Switching, seen: &[bool]) -> std::vec::Vec<(usize, bool, f32)> {
        let (mut switch, mut edges) = (Switch::default(), std::vec::Vec::new());
        for (step, &raw) in seen.iter().enumerate() {
            let mut signal = SwitchSignal::default();
            switch.see(raw, 0.5e-3, MILLISECOND, settings, &mut signal);
            if let Some(time) = signal.edge_time {
                edges.push((step, signal.on, time));
            }
        }
        edges
    }

    #[test]
    fn edges_come_when_delays_have_passed() {
        let seen = [false, true, true, true, true, false, false, false];
        let off = Switching::default();
        let whole = |edges: std::vec::Vec<(usize, bool, f32)>| {
            edges.into_iter().map(|(step, on, time)| (step, on, nanoseconds(time))).collect::<std::vec::Vec<_>>()
        };
        assert_eq!(whole(edges(&off, &seen)), [(1, true, 500_000), (5, false, 500_000)]);
        // 2 ms after the middle of step 1 is the middle of step 3; 0.25 ms after the middle of step 5 is within it
        let delayed = Switching { on_delay: 2e-3, off_delay: 0.25e-3, ..off };
        let got = edges(&delayed, &seen);
        assert_eq!(got.len(), 2);
        for ((step, on, time), (at, to, when)) in got.into_iter().zip([(3, true, 0.5e-3), (5, false, 0.75e-3)]) {
            assert_eq!((step, on), (at, to));
            assert!((time - when).abs() < 1e-9);
        }
        let closed = edges(&Switching { normally_closed: true, ..off }, &seen);
        assert_eq!(whole(closed), [(1, false, 500_000), (5, true, 500_000)]);
    }

    #[test]
    fn what_is_too_short_is_not_seen() {
        let seen = [false, true, false, true, true, false, true, true];
        // one step is too short, two are long enough
        let delayed = edges(&Switching { on_delay: 1.2e-3, ..Switching::default() }, &seen);
        assert_eq!(delayed.iter().map(|edge| edge.0).collect::<std::vec::Vec<_>>(), [4, 5, 7]);
        // once on, a gap of a step is bridged
        let bridged = edges(&Switching { off_delay: 1.2e-3, ..Switching::default() }, &seen);
        assert_eq!(bridged.iter().map(|edge| edge.0).collect::<std::vec::Vec<_>>(), [1]);
    }

    /// What lasts longer than the delay switches, wherever in a step it begins and ends; what does not, does not.
    #[test]
    fn a_pulse_is_seen_by_its_length_not_by_where_steps_end() {
        let settings = Switching { on_delay: 2.2e-3, ..Switching::default() };
        for tenths in 0_u8..10 {
            for (length, edges_expected) in [(2.1e-3, 0), (2.3e-3, 2), (2.9e-3, 2)] {
                let (begin, mut switch, mut edges) = (2e-3 + 1e-4 * f32::from(tenths), Switch::default(), 0);
                let end = begin + length;
                for step in 1_u8..=9 {
                    let at = 1e-3 * f32::from(step);
                    let (raw, since) = if at < begin {
                        (false, 0.0)
                    } else if at < end {
                        (true, begin)
                    } else {
                        (false, end)
                    };
                    let mut signal = SwitchSignal::default();
                    switch.see(raw, at - since, MILLISECOND, &settings, &mut signal);
                    edges += i32::from(signal.edges);
                    if signal.edges == 1 && raw {
                        let when = at - 1e-3 + signal.edge_time.unwrap();
                        assert!((when - begin - 2.2e-3).abs() < 1e-6, "{when} {begin}");
                    }
                }
                assert_eq!(edges, edges_expected, "{begin} {length}");
            }
        }
    }

    /// On since 0.5 ms, off again at 2.9 ms: the delay of 2.2 ms is over at 2.7 ms, in the sub-step
    /// in which the sensor has already changed back.
    #[test]
    fn delay_that_ends_before_the_sensor_changes_back_has_its_own_edge_time() {
        let settings = Switching { on_delay: 2.2e-3, off_delay: 5e-3, ..Switching::default() };
        let mut switch = Switch::default();
        let mut signal = SwitchSignal::default();
        for (raw, age) in [(true, 0.5e-3), (true, 0.0), (false, 0.1e-3)] {
            assert_eq!(signal, SwitchSignal::default());
            switch.see(raw, age, MILLISECOND, &settings, &mut signal);
        }
        assert!(signal.on && signal.edges == 1);
        let time = signal.edge_time.unwrap();
        assert!((time - 0.7e-3).abs() < 1e-9, "{time}");
    }

    #[test]
    fn a_delay_is_over_in_the_sub_step_in_which_it_should() {
        // sub-steps of 0.1 ms, from the very first on
        for (on_delay, sub_steps) in
            [(0.0, 1), (0.1, 1_001), (0.7, 7_001), (10.0, 100_001), (45.7, 457_001), (60.0, 600_001)]
        {
            let settings = Switching { on_delay, ..Switching::default() };
            let (mut switch, mut signal, mut count) = (Switch::default(), SwitchSignal::default(), 0);
            while !signal.on {
                switch.see(true, 0.0, Moment { at: 1e-4, h: 1e-4, elapsed: 100_000 }, &settings, &mut signal);
                count += 1;
            }
            assert_eq!(count, sub_steps, "{on_delay} s");
            // at its end, but for how long a second is in single precision
            let early = 1e-4 - signal.edge_time.unwrap();
            assert!((0.0..=3e-6).contains(&early), "{on_delay} s: {early}");
        }
    }
}
