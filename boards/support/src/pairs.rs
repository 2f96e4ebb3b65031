//! Pairs of polyhedra: answers as on the host, and what they cost. Output: `tumble_scenes::pairs`.

use crate::leave;
use tumble_scenes::pairs::look;

/// Look at all of them, leave the emulator.
///
/// Called once, from `main`.
pub fn pairs() -> ! {
    leave(|out, counter| look(out, |work| counter.count(work).1))
}
