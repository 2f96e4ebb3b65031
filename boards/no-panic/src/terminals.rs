//! Terminals set to an image that nobody knows, shown sensors that nobody knows, every pin used as a controller does.

use core::hint::black_box;
use embedded_hal::digital::{InputPin, OutputPin, StatefulOutputPin};
use embedded_hal::pwm::SetDutyCycle;
use embedded_hal::spi::{Operation, SpiDevice};
use tumble::Error;
use tumble::twin::{Actuators, Sensors, Terminals};

#[inline(never)]
pub(crate) fn exercise() -> Result<Actuators, Error> {
    let terminals = Terminals::new();
    terminals.set(black_box(&Actuators::OFF));
    terminals.show(black_box(&Sensors::NEW));
    let channel = || black_box(1);
    let [a, b] = terminals.encoder(channel())?;
    let inputs = [
        a,
        b,
        terminals.barrier(channel())?,
        terminals.level(channel())?,
        terminals.retracted(channel())?,
        terminals.extended(channel())?,
    ];
    for mut input in inputs {
        // pins of a twin do not fail
        let Ok(is_high) = input.is_high();
        let Ok(is_low) = input.is_low();
        black_box((is_high, is_low));
    }
    let outputs = [
        terminals.valve(channel())?,
        terminals.hopper(channel())?,
        terminals.vibrator(channel())?,
        terminals.belt(channel())?,
        terminals.reverse(channel())?,
    ];
    for mut output in outputs {
        let Ok(()) = output.set_high();
        let Ok(()) = output.set_low();
        let Ok(()) = output.set_state(black_box(true).into());
        let Ok(()) = output.toggle();
        let Ok(is_set) = output.is_set_high();
        black_box(is_set);
    }
    for mut duty in [terminals.amplitude(channel())?, terminals.speed(channel())?] {
        let Ok(()) = duty.set_duty_cycle(black_box(7));
        let Ok(()) = duty.set_duty_cycle_percent(black_box(7));
        let Ok(()) = duty.set_duty_cycle_fully_on();
        black_box(duty.max_duty_cycle());
    }
    terminals.set_frequency(channel(), black_box(50.0))?;
    let (mut bytes, mut more) = ([0; 3], [0; 5]);
    let operations = &mut [
        Operation::Write(black_box(&[1])),
        Operation::Read(&mut bytes),
        Operation::Transfer(&mut more, black_box(&[2])),
        Operation::DelayNs(black_box(9)),
    ];
    let Ok(()) = terminals.scale(channel())?.transaction(black_box(operations));
    black_box((bytes, more));
    Ok(terminals.actuators())
}
