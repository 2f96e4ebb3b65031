//! embedded-hal 1.0: the twin's side of the terminals to which a controller's pins are wired.
//!
//! Code written against `InputPin`, `OutputPin`, `SetDutyCycle` and `SpiDevice` runs on these as it does on the machine.
//!
//! ```text
//! controller.tick()   reads and writes pins
//! twin.step(&terminals.actuators())  →  terminals.show(&sensors)
//! ```

use super::image::{
    Actuators, BARRIERS, BELTS, BeltSetpoint, HOPPERS, SCALES, Sensors, Setpoint, VALVES, VIBRATORS, ZONES,
};
use crate::error::Error;
use crate::math::clamp;
use core::cell::Cell;
use core::convert::Infallible;
use embedded_hal::digital::{ErrorType, InputPin, OutputPin, StatefulOutputPin};
use embedded_hal::pwm::{self, SetDutyCycle};
use embedded_hal::spi::{self, Operation, SpiDevice};

/// Duty of 100 %.
const FULL_DUTY: u16 = 1000;

/// Newton to a count of a [`WeighPort`].
pub const NEWTON_PER_COUNT: f32 = 1e-4;

/// Terminals of a twin.
///
/// ```
/// use embedded_hal::digital::{InputPin, OutputPin};
/// use tumble::twin::{Actuators, Sensors, Terminals};
///
/// let terminals = Terminals::new();
/// let (mut beam, mut gate) = (terminals.barrier(0)?, terminals.valve(2)?);
/// let mut sensors = Sensors::NEW;
/// sensors.barriers[0].on = true;
/// terminals.show(&sensors);
/// // a controller: opens the gate when the beam is interrupted
/// if beam.is_high().unwrap() {
///     gate.set_high().unwrap();
/// }
/// assert!(terminals.actuators().valves[2]);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Debug)]
pub struct Terminals {
    vibrator_runs: [Cell<bool>; VIBRATORS],
    amplitudes: [Cell<u16>; VIBRATORS],
    frequencies: [Cell<f32>; VIBRATORS],
    belt_runs: [Cell<bool>; BELTS],
    speeds: [Cell<u16>; BELTS],
    reverses: [Cell<bool>; BELTS],
    valves: [Cell<bool>; VALVES],
    hoppers: [Cell<bool>; HOPPERS],
    barriers: [Cell<bool>; BARRIERS],
    levels: [Cell<bool>; ZONES],
    retracted: [Cell<bool>; VALVES],
    extended: [Cell<bool>; VALVES],
    encoders_a: [Cell<bool>; BELTS],
    encoders_b: [Cell<bool>; BELTS],
    weights: [Cell<f32>; SCALES],
}

impl Terminals {
    /// Everything off; drives at 50 Hz.
    #[allow(clippy::new_without_default, reason = "const, for a static")]
    pub const fn new() -> Self {
        Self {
            vibrator_runs: [const { Cell::new(false) }; VIBRATORS],
            amplitudes: [const { Cell::new(0) }; VIBRATORS],
            frequencies: [const { Cell::new(Setpoint::OFF.frequency_hz) }; VIBRATORS],
            belt_runs: [const { Cell::new(false) }; BELTS],
            speeds: [const { Cell::new(0) }; BELTS],
            reverses: [const { Cell::new(false) }; BELTS],
            valves: [const { Cell::new(false) }; VALVES],
            hoppers: [const { Cell::new(false) }; HOPPERS],
            barriers: [const { Cell::new(false) }; BARRIERS],
            levels: [const { Cell::new(false) }; ZONES],
            retracted: [const { Cell::new(false) }; VALVES],
            extended: [const { Cell::new(false) }; VALVES],
            encoders_a: [const { Cell::new(false) }; BELTS],
            encoders_b: [const { Cell::new(false) }; BELTS],
            weights: [const { Cell::new(0.0) }; SCALES],
        }
    }

    /// What is set: the image for the next step.
    pub fn actuators(&self) -> Actuators {
        let mut actuators = Actuators::OFF;
        let percent = |duty: &Cell<u16>| f32::from(duty.get()) * (100.0 / FULL_DUTY as f32);
        let setpoints = self.vibrator_runs.iter().zip(&self.amplitudes).zip(&self.frequencies);
        for (setpoint, ((run, amplitude), frequency)) in actuators.vibrators.iter_mut().zip(setpoints) {
            let (amplitude_percent, frequency_hz) = (percent(amplitude), frequency.get());
            *setpoint = Setpoint { run: run.get(), amplitude_percent, frequency_hz };
        }
        let setpoints = self.belt_runs.iter().zip(&self.speeds).zip(&self.reverses);
        for (setpoint, ((run, speed), reverse)) in actuators.belts.iter_mut().zip(setpoints) {
            let speed_percent = if reverse.get() { -percent(speed) } else { percent(speed) };
            *setpoint = BeltSetpoint { run: run.get(), speed_percent };
        }
        for (valve, cell) in actuators.valves.iter_mut().zip(&self.valves) {
            *valve = cell.get();
        }
        for (hopper, cell) in actuators.hoppers.iter_mut().zip(&self.hoppers) {
            *hopper = cell.get();
        }
        actuators
    }

    /// Set every output as in this image, to the nearest thousandth of a duty; a belt's direction is the sign of its speed, −0 % is a standing belt that is to go back.
    pub fn set(&self, actuators: &Actuators) {
        // a cast truncates, and saturates
        let duty = |percent: f32| ((percent * (FULL_DUTY as f32 / 100.0) + 0.5) as u16).min(FULL_DUTY);
        let setpoints = self.vibrator_runs.iter().zip(&self.amplitudes).zip(&self.frequencies);
        for (((run, amplitude), frequency), setpoint) in setpoints.zip(&actuators.vibrators) {
            run.set(setpoint.run);
            amplitude.set(duty(setpoint.amplitude_percent));
            frequency.set(setpoint.frequency_hz);
        }
        let setpoints = self.belt_runs.iter().zip(&self.speeds).zip(&self.reverses);
        for (((run, speed), reverse), setpoint) in setpoints.zip(&actuators.belts) {
            run.set(setpoint.run);
            speed.set(duty(setpoint.speed_percent.abs()));
            reverse.set(setpoint.speed_percent.is_sign_negative());
        }
        for (cell, &valve) in self.valves.iter().zip(&actuators.valves) {
            cell.set(valve);
        }
        for (cell, &hopper) in self.hoppers.iter().zip(&actuators.hoppers) {
            cell.set(hopper);
        }
    }

    /// Show what the sensors said at the end of a step.
    pub fn show(&self, sensors: &Sensors) {
        for (cell, signal) in self.barriers.iter().zip(&sensors.barriers) {
            cell.set(signal.on);
        }
        for (cell, signal) in self.levels.iter().zip(&sensors.zones) {
            cell.set(signal.level.on);
        }
        for ((retracted, extended), ends) in self.retracted.iter().zip(&self.extended).zip(&sensors.cylinders) {
            retracted.set(ends.retracted);
            extended.set(ends.extended);
        }
        for ((a, b), encoder) in self.encoders_a.iter().zip(&self.encoders_b).zip(&sensors.encoders) {
            a.set(encoder.a);
            b.set(encoder.b);
        }
        for (cell, &weight) in self.weights.iter().zip(&sensors.weights) {
            cell.set(weight);
        }
    }

    /// The frequency at which a vibrator is to run: no pin has that. Hz
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`, and what [`Actuators::check`] would say of the frequency.
    pub fn set_frequency(&self, channel: usize, frequency_hz: f32) -> Result<(), Error> {
        Setpoint { frequency_hz, ..Setpoint::OFF }.check()?;
        channel_of(&self.frequencies, channel)?.set(frequency_hz);
        Ok(())
    }

    /// A light barrier.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn barrier(&self, channel: usize) -> Result<Input<'_>, Error> {
        channel_of(&self.barriers, channel).map(Input)
    }

    /// A zone's level switch.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn level(&self, channel: usize) -> Result<Input<'_>, Error> {
        channel_of(&self.levels, channel).map(Input)
    }

    /// A cylinder's end switch: all the way in.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn retracted(&self, channel: usize) -> Result<Input<'_>, Error> {
        channel_of(&self.retracted, channel).map(Input)
    }

    /// A cylinder's end switch: all the way out.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn extended(&self, channel: usize) -> Result<Input<'_>, Error> {
        channel_of(&self.extended, channel).map(Input)
    }

    /// Tracks A and B of a belt's encoder.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn encoder(&self, channel: usize) -> Result<[Input<'_>; 2], Error> {
        Ok([Input(channel_of(&self.encoders_a, channel)?), Input(channel_of(&self.encoders_b, channel)?)])
    }

    /// A weigh cell's converter.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn scale(&self, channel: usize) -> Result<WeighPort<'_>, Error> {
        channel_of(&self.weights, channel).map(WeighPort)
    }

    /// A valve.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn valve(&self, channel: usize) -> Result<Output<'_>, Error> {
        channel_of(&self.valves, channel).map(Output)
    }

    /// A hopper's enable.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn hopper(&self, channel: usize) -> Result<Output<'_>, Error> {
        channel_of(&self.hoppers, channel).map(Output)
    }

    /// A vibrator's enable.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn vibrator(&self, channel: usize) -> Result<Output<'_>, Error> {
        channel_of(&self.vibrator_runs, channel).map(Output)
    }

    /// A vibrator's amplitude: duty 0 … 100 %.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn amplitude(&self, channel: usize) -> Result<Duty<'_>, Error> {
        channel_of(&self.amplitudes, channel).map(Duty)
    }

    /// A belt's enable.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn belt(&self, channel: usize) -> Result<Output<'_>, Error> {
        channel_of(&self.belt_runs, channel).map(Output)
    }

    /// A belt's speed: duty 0 … 100 %.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn speed(&self, channel: usize) -> Result<Duty<'_>, Error> {
        channel_of(&self.speeds, channel).map(Duty)
    }

    /// A belt's direction: high, it goes back.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("channel")`
    pub fn reverse(&self, channel: usize) -> Result<Output<'_>, Error> {
        channel_of(&self.reverses, channel).map(Output)
    }
}

fn channel_of<T>(cells: &[T], channel: usize) -> Result<&T, Error> {
    cells.get(channel).ok_or(Error::OutOfRange("channel"))
}

/// What a controller reads.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a>(&'a Cell<bool>);

impl ErrorType for Input<'_> {
    type Error = Infallible;
}

impl InputPin for Input<'_> {
    fn is_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0.get())
    }

    fn is_low(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0.get())
    }
}

/// What a controller sets.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a>(&'a Cell<bool>);

impl ErrorType for Output<'_> {
    type Error = Infallible;
}

impl OutputPin for Output<'_> {
    fn set_low(&mut self) -> Result<(), Infallible> {
        self.0.set(false);
        Ok(())
    }

    fn set_high(&mut self) -> Result<(), Infallible> {
        self.0.set(true);
        Ok(())
    }
}

impl StatefulOutputPin for Output<'_> {
    fn is_set_high(&mut self) -> Result<bool, Infallible> {
        Ok(self.0.get())
    }

    fn is_set_low(&mut self) -> Result<bool, Infallible> {
        Ok(!self.0.get())
    }
}

/// What a controller sets in steps of a thousandth.
#[derive(Clone, Copy, Debug)]
pub struct Duty<'a>(&'a Cell<u16>);

impl pwm::ErrorType for Duty<'_> {
    type Error = Infallible;
}

impl SetDutyCycle for Duty<'_> {
    fn max_duty_cycle(&self) -> u16 {
        FULL_DUTY
    }

    fn set_duty_cycle(&mut self, duty: u16) -> Result<(), Infallible> {
        self.0.set(duty.min(FULL_DUTY));
        Ok(())
    }
}

/// A weigh cell's converter, as a device on a bus: every read begins with 24 bits, two's complement, most significant byte first, of
/// [`NEWTON_PER_COUNT`] each, the nearest; zeros follow. What is written to it is ignored.
#[derive(Clone, Copy, Debug)]
pub struct WeighPort<'a>(&'a Cell<f32>);

impl spi::ErrorType for WeighPort<'_> {
    type Error = Infallible;
}

impl SpiDevice for WeighPort<'_> {
    fn transaction(&mut self, operations: &mut [Operation<'_, u8>]) -> Result<(), Infallible> {
        let [_, bytes @ ..] = count(self.0.get()).to_be_bytes();
        let mut bytes = bytes.into_iter();
        for operation in operations {
            if let Operation::Read(into) | Operation::Transfer(into, _) | Operation::TransferInPlace(into) = operation {
                into.iter_mut().for_each(|byte| *byte = bytes.next().unwrap_or(0));
            }
        }
        Ok(())
    }
}

/// The nearest count, within 24 bits.
fn count(weight: f32) -> i32 {
    // converters saturate
    let counts = clamp(weight * (1.0 / NEWTON_PER_COUNT), -8_388_608.0, 8_388_607.0);
    // towards zero, and what is left, to the bit: half a count added before would carry what is just below a half
    let whole = counts as i32;
    let rest = counts - whole as f32;
    whole.saturating_add(i32::from(rest >= 0.5)).saturating_sub(i32::from(rest <= -0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_set_as_in_the_image_they_come_from() {
        for duty in 0..=FULL_DUTY {
            let [from, to] = [(); 2].map(|()| Terminals::new());
            from.amplitudes[1].set(duty);
            from.speeds[1].set(FULL_DUTY - duty);
            from.frequencies[2].set(f32::from(duty) * 0.1);
            let is_odd = duty % 2 == 1;
            for cell in
                [&from.vibrator_runs[3], &from.belt_runs[0], &from.reverses[1], &from.valves[7], &from.hoppers[1]]
            {
                cell.set(is_odd);
            }
            to.set(&from.actuators());
            assert_eq!(to.actuators(), from.actuators());
        }
    }

    #[test]
    fn a_belts_direction_is_the_sign_of_its_speed() {
        let terminals = Terminals::new();
        let mut image = Actuators::OFF;
        for (percent, duty, reverse) in [(-50.0, 500, true), (50.0, 500, false), (-0.0, 0, true), (0.0, 0, false)] {
            image.belts[1].speed_percent = percent;
            terminals.set(&image);
            assert_eq!((terminals.speeds[1].get(), terminals.reverses[1].get()), (duty, reverse), "{percent} %");
            let back = terminals.actuators().belts.map(|belt| belt.speed_percent.to_bits());
            assert_eq!(back, [0.0, percent].map(f32::to_bits), "{percent} %");
        }
    }

    #[test]
    fn a_count_is_the_nearest() {
        let read = |weight: f32| {
            let (cell, mut bytes) = (Cell::new(weight), [0xff; 4]);
            WeighPort(&cell).read(&mut bytes).unwrap();
            let [high, middle, low, zero] = bytes;
            assert_eq!(zero, 0);
            i32::from_be_bytes([high, middle, low, 0]) >> 8
        };
        for (counts, nearest) in [
            (0.0, 0),
            (0.4, 0),
            (-0.4, 0),
            (0.6, 1),
            (-0.6, -1),
            (1.4, 1),
            (-1.6, -2),
            (99_999.6, 100_000),
            (1e9, 8_388_607),
            (-1e9, -8_388_608),
        ] {
            assert_eq!(read(counts * NEWTON_PER_COUNT), nearest, "{counts}");
        }
        // as far from either neighbour as it gets, and just below
        assert_eq!([0.5, -0.5, 0.499_999_97, -0.499_999_97].map(|x| count(x * NEWTON_PER_COUNT)), [1, -1, 0, 0]);
        assert_eq!(read(f32::NAN), 0);
    }
}
