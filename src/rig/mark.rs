//! A mark around a piece of work, for what has no embedded-hal pin: a register, a trace channel, a counter in a test.

/// Call `mark(true)`, do the work, call `mark(false)`.
///
/// ```
/// use tumble::rig::while_marked;
///
/// let mut trace = Vec::new();
/// assert_eq!(while_marked(|busy| trace.push(busy), || 6 * 7), 42);
/// assert_eq!(trace, [true, false]);
/// ```
pub fn while_marked<T>(mut mark: impl FnMut(bool), work: impl FnOnce() -> T) -> T {
    mark(true);
    let result = work();
    mark(false);
    result
}
