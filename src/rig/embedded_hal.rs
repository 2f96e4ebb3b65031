//! embedded-hal 1.0 pins.

use embedded_hal::digital::OutputPin;

/// Hold `pin` high while `work` runs: its task execution time on an oscilloscope, at the cost of two pin writes.
///
/// A pin that fails does not stop the work; its first error is returned beside the result.
///
/// ```
/// use embedded_hal::digital::{ErrorType, OutputPin};
/// use tumble::rig::while_busy;
///
/// #[derive(Default)]
/// struct Trace(Vec<bool>);
/// impl ErrorType for Trace {
///     type Error = core::convert::Infallible;
/// }
/// impl OutputPin for Trace {
///     fn set_high(&mut self) -> Result<(), Self::Error> { self.0.push(true); Ok(()) }
///     fn set_low(&mut self) -> Result<(), Self::Error> { self.0.push(false); Ok(()) }
/// }
///
/// let mut pin = Trace::default();
/// let (answer, pin_result) = while_busy(&mut pin, || 6 * 7);
/// assert_eq!((answer, pin_result), (42, Ok(())));
/// assert_eq!(pin.0, [true, false]);
/// ```
pub fn while_busy<P: OutputPin, T>(pin: &mut P, work: impl FnOnce() -> T) -> (T, Result<(), P::Error>) {
    let raised = pin.set_high();
    let result = work();
    let lowered = pin.set_low();
    (result, raised.and(lowered))
}
