//! A run written down on a board as it happens, for the host to make again. Output: `record HEX`, the bytes of the record, 32 a line.
//!
//! Half-way the world is saved, taken to pieces and restored: the host makes the same steps without, so that equal bits show that nothing was lost.

use crate::{Single, leave};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use cortex_m_semihosting::hio::HostStream;
use tumble::record::{Head, Reader, Recorder, Sink, Writer};
use tumble_scenes::{Scene, SmallBalance};

/// Steps that are written down.
const STEPS: u32 = 10_000;
/// A hash after every so many.
const HASH_EVERY: u32 = 100;

/// Writes bytes as text, a line when there are enough; remembers what went wrong.
struct Lines {
    out: HostStream,
    line: [u8; 32],
    used: usize,
    written: Result<(), Error>,
}

impl Sink for Lines {
    fn put(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(place) = self.line.get_mut(self.used) {
                *place = *byte;
                self.used += 1;
            }
            if self.used == self.line.len() {
                self.write_line();
            }
        }
    }
}

impl Lines {
    fn write_line(&mut self) {
        // one call to the host a line: each stops the emulator
        let mut text = [0; 64];
        let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble & 15)];
        for (byte, digits) in self.line.iter().zip(text.chunks_exact_mut(2)) {
            digits.copy_from_slice(&[digit(byte >> 4), digit(*byte)]);
        }
        let text = text.get(..2 * self.used).and_then(|text| core::str::from_utf8(text).ok());
        let line = text.ok_or(Error).and_then(|text| writeln!(self.out, "record {text}"));
        self.written = self.written.and(line);
        self.used = 0;
    }
}

/// Write ten thousand steps down, leave the emulator.
///
/// Called once, from `main`.
pub fn record() -> ! {
    static STAGE: Single<SmallBalance> = Single(UnsafeCell::new(SmallBalance::new()));
    static SNAPSHOT: Single<[u8; 8192]> = Single(UnsafeCell::new([0; 8192]));
    // SAFETY: called once from the only thread, so these are the only references ever made.
    let (scene, snapshot) = unsafe { (&mut *STAGE.0.get(), &mut *SNAPSHOT.0.get()) };
    leave(|out, _| {
        let lines = Lines { out: *out, line: [0; 32], used: 0, written: Ok(()) };
        let mut lines = write_down(scene, snapshot, lines).map_err(|_| Error)?;
        lines.write_line();
        lines.written
    })
}

fn write_down(scene: &mut dyn Scene, snapshot: &mut [u8], lines: Lines) -> Result<Lines, tumble::Error> {
    scene.reset()?;
    let (h, settings) = (scene.h(), scene.settings());
    let head = Head { name: "balance", h, settings, exact: [0; 3], hash_every: HASH_EVERY, inputs: 0 };
    let mut recorder = Recorder::<_>::begin(lines, &head, |_| Ok(()))?;
    for step in 0..STEPS {
        let _ = scene.step_by(h, &settings, &mut |world, h| {
            if step == STEPS / 2 {
                let mut writer = Writer::new(snapshot);
                world.save(&tumble_scenes::solids::ALL, &mut writer)?;
                let saved = writer.finish()?;
                // anything but what it was
                let _ = world.step(3.0 * h, &settings)?;
                world.restore(&tumble_scenes::solids::ALL, &mut Reader::new(saved))?;
            }
            world.step(h, &settings)
        })?;
        recorder.step(&[], || scene.state_hash())?;
    }
    Ok(recorder.end(|| scene.state_hash()))
}
