//! Ctrl-C: long commands stop between two steps, remove unfinished files and exit with 130.

use std::fmt;
use std::process::exit;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a command that was interrupted: 128 + SIGINT, as shells have it.
pub(crate) const EXIT_CODE: u8 = 130;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The command was interrupted by Ctrl-C.
#[derive(Debug)]
pub(crate) struct Interrupted {
    /// steps made, of so many
    pub(crate) done: u32,
    pub(crate) steps: u32,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "interrupted after {} of {} steps", self.done, self.steps)
    }
}

impl std::error::Error for Interrupted {}

/// Notes Ctrl-C from now on instead of ending at once; a second one still ends at once.
pub(crate) fn watch() {
    // without a handler Ctrl-C does what it does by default, which is good enough
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            exit(EXIT_CODE.into());
        }
    });
}

/// Was Ctrl-C pressed?
pub(crate) fn requested() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}
