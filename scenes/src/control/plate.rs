//! A flexible feeder's plate: flip, feed, look, feed back; and what a mode of the plate asks of its drives.
//!
//! ```text
//! flip       rise alone, large: parts are thrown up and turn
//! forward    along and rise swing in phase: parts are thrown ahead
//! backward   along and the opposite of rise
//! left       across and rise; right: across and the opposite of rise
//!
//! cycle      flip → forward, until the camera sees enough parts or it has taken too long → look → centre → backward
//! ```
//! After every move the plate stands still until parts have come to rest. A look is the first frame after that: parts of it that lie as wanted are ready to be picked.

use super::{duty, write};
use embedded_hal::digital::{ErrorKind, OutputPin};
use embedded_hal::pwm::SetDutyCycle;

/// What a plate does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PlateMode {
    /// It stands.
    #[default]
    Still,
    /// Parts are thrown up and turn.
    Flip,
    /// Parts go ahead.
    Forward,
    /// Parts go back.
    Backward,
    /// Parts go to the left, seen the way ahead.
    Left,
    /// Parts go to the right.
    Right,
}

/// Amplitudes of a feeding plate, and of one that flips. %
#[derive(Clone, Copy, Debug)]
pub struct PlateAmplitudes {
    /// Of what rises, to feed.
    pub rise: u8,
    /// Of what swings along or across, to feed.
    pub swing: u8,
    /// Of what rises, to flip.
    pub flip: u8,
}

/// What the camera says of its last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlateView {
    /// Frames since the start.
    pub frame: u32,
    /// Parts in the pick window.
    pub in_window: u8,
    /// Those that it has poses of: of the others nobody knows how they lie.
    pub seen: u8,
    /// Those of them that lie as wanted.
    pub face_up: u8,
    /// How far to the left of the middle those with poses are on the mean. m
    pub left: f32,
}

/// A drive: whether it runs and how much.
#[derive(Debug)]
pub struct DrivePins<O, D> {
    /// High while it is to run.
    pub run: O,
    /// Its amplitude.
    pub amplitude: D,
}

/// What a plate is wired to.
#[derive(Debug)]
pub struct PlatePins<O, D> {
    /// Up and down.
    pub rise: DrivePins<O, D>,
    /// Up and down, half a turn behind the others.
    pub rise_opposite: DrivePins<O, D>,
    /// Forward and backward.
    pub along: DrivePins<O, D>,
    /// Left and right.
    pub across: DrivePins<O, D>,
}

impl<O: OutputPin, D: SetDutyCycle> DrivePins<O, D> {
    fn set(&mut self, percent: u8) -> Result<(), ErrorKind> {
        // a drive that stops keeps its amplitude until it stands: it ramps down by itself
        if percent > 0 {
            duty(&mut self.amplitude, percent)?;
        }
        write(&mut self.run, percent > 0)
    }
}

impl<O: OutputPin, D: SetDutyCycle> PlatePins<O, D> {
    /// Ask the drives for a mode.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a drive that fails.
    pub fn set(&mut self, mode: PlateMode, amplitudes: &PlateAmplitudes) -> Result<(), ErrorKind> {
        let PlateAmplitudes { rise, swing, flip } = *amplitudes;
        let [up, down, along, across] = match mode {
            PlateMode::Still => [0, 0, 0, 0],
            PlateMode::Flip => [flip, 0, 0, 0],
            PlateMode::Forward => [rise, 0, swing, 0],
            PlateMode::Backward => [0, rise, swing, 0],
            PlateMode::Left => [rise, 0, 0, swing],
            PlateMode::Right => [0, rise, 0, swing],
        };
        self.rise.set(up)?;
        self.rise_opposite.set(down)?;
        self.along.set(along)?;
        self.across.set(across)
    }
}

/// Where it is in its cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Flip,
    Forward,
    Look,
    Centre,
    Backward,
}

/// Goes through the cycle of a plate, in ticks.
#[derive(Clone, Copy, Debug)]
pub struct PlateControl {
    /// Amplitudes of its modes.
    pub amplitudes: PlateAmplitudes,
    /// How long it flips.
    pub t_flip: u32,
    /// How long it feeds forward at most.
    pub t_forward: u32,
    /// How long it centres.
    pub t_centre: u32,
    /// How long it feeds backward.
    pub t_backward: u32,
    /// How long the plate stands until parts are at rest.
    pub t_settle: u32,
    /// Parts in the window that are enough.
    pub enough: u8,
    /// How far off the middle parts may be before it centres them. m
    pub off_centre: f32,
    phase: Phase,
    /// ticks in this phase
    ticks: u32,
    /// ticks since the plate was told to stand
    still: u32,
    /// the frame that was there when parts had come to rest
    seen: Option<u32>,
    /// where to, once parts have been looked at
    centre: PlateMode,
    /// What it has seen so far.
    pub looks: PlateLooks,
}

/// What a controller has seen when it looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlateLooks {
    /// How often it looked.
    pub count: u32,
    /// Parts in the window, over all looks.
    pub in_window: u32,
    /// Those that there were poses of, over all looks.
    pub seen: u32,
    /// Parts that were ready to be picked, over all looks: what has no pose cannot be.
    pub ready: u32,
}

impl PlateLooks {
    /// None yet.
    pub const NEW: Self = Self { count: 0, in_window: 0, seen: 0, ready: 0 };

    fn add(&mut self, view: &PlateView) {
        self.count = self.count.saturating_add(1);
        self.in_window = self.in_window.saturating_add(view.in_window.into());
        self.seen = self.seen.saturating_add(view.seen.into());
        self.ready = self.ready.saturating_add(view.face_up.into());
    }
}

impl PlateControl {
    /// Flips first.
    pub const fn new(amplitudes: PlateAmplitudes, enough: u8) -> Self {
        Self {
            amplitudes,
            t_flip: 400,
            t_forward: 1200,
            t_centre: 150,
            t_backward: 500,
            t_settle: 250,
            enough,
            off_centre: 0.015,
            phase: Phase::Flip,
            ticks: 0,
            still: 0,
            seen: None,
            centre: PlateMode::Still,
            looks: PlateLooks::NEW,
        }
    }

    /// One tick.
    ///
    /// # Errors
    /// What a pin says of itself; [`ErrorKind::Other`] for a drive that fails.
    pub fn tick<O: OutputPin, D: SetDutyCycle>(
        &mut self,
        pins: &mut PlatePins<O, D>,
        view: &PlateView,
    ) -> Result<(), ErrorKind> {
        self.ticks = self.ticks.saturating_add(1);
        let (mode, lasts) = match self.phase {
            Phase::Flip => (PlateMode::Flip, self.t_flip),
            Phase::Forward if view.in_window >= self.enough => (PlateMode::Forward, 0),
            Phase::Forward => (PlateMode::Forward, self.t_forward),
            Phase::Look => (PlateMode::Still, 0),
            Phase::Centre => (self.centre, self.t_centre),
            Phase::Backward => (PlateMode::Backward, self.t_backward),
        };
        // once it has stopped, it has: dice that roll out of the window do not start it again
        let moves = self.still == 0 && self.ticks <= lasts;
        if moves {
            return pins.set(mode, &self.amplitudes);
        }
        self.still = self.still.saturating_add(1);
        pins.set(PlateMode::Still, &self.amplitudes)?;
        if self.still <= self.t_settle {
            return Ok(());
        }
        let next = match self.phase {
            Phase::Flip => Phase::Forward,
            Phase::Forward => Phase::Look,
            Phase::Look => {
                // the frame there is may be from before
                let before = *self.seen.get_or_insert(view.frame);
                if view.frame == before {
                    return Ok(());
                }
                self.looks.add(view);
                self.seen = None;
                self.centre = match view.left {
                    left if left > self.off_centre => PlateMode::Right,
                    left if left < -self.off_centre => PlateMode::Left,
                    _ => PlateMode::Still,
                };
                if self.centre == PlateMode::Still { Phase::Backward } else { Phase::Centre }
            }
            Phase::Centre => Phase::Backward,
            Phase::Backward => Phase::Flip,
        };
        // a look stands still as it is: it need not settle again
        self.still = if next == Phase::Look { self.still } else { 0 };
        (self.phase, self.ticks) = (next, 0);
        Ok(())
    }
}
