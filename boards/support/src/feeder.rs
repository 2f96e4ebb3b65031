//! The linear feeder on a board: ten thousand steps with its controller, counted and written down as they happen, for the host to make again.
//!
//! Half-way the twin is saved, stepped on and restored: the host makes the same steps without, so that equal bits show that nothing was lost.
//!
//! Output: `record HEX`, the bytes of the record, 32 a line; `twin bytes B parts N mean I most I stack B energy E`, of whole steps, controller and all; `kpi NAME VALUE`.

use crate::instructions::Counter;
use crate::{Single, leave, stack};
use core::cell::UnsafeCell;
use core::fmt::{Error, Write};
use cortex_m_semihosting::hio::HostStream;
use tumble::math::max;
use tumble::record::{Head, Reader, Recorder, Sink, Writer};
use tumble_scenes::{Scene, SmallLinearFeeder};

/// Steps that are written down.
const STEPS: u32 = 10_000;
/// Room for the inputs of a step.
const INPUTS: usize = 128;
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

/// Write ten thousand steps of linear-feeder down, leave the emulator.
///
/// Called once, from `main`.
pub fn feeder() -> ! {
    static STAGE: Single<SmallLinearFeeder> = Single(UnsafeCell::new(SmallLinearFeeder::new()));
    static SNAPSHOT: Single<[u8; 24 * 1024]> = Single(UnsafeCell::new([0; 24 * 1024]));
    // SAFETY: called once from the only thread, so these are the only references ever made.
    let (scene, snapshot) = unsafe { (&mut *STAGE.0.get(), &mut *SNAPSHOT.0.get()) };
    leave(|out, counter| {
        let lines = Lines { out: *out, line: [0; 32], used: 0, written: Ok(()) };
        let mut counts = Counts::default();
        let mut lines = write_down(scene, snapshot, lines, counter, &mut counts).map_err(|_| Error)?;
        lines.write_line();
        lines.written?;
        let Counts { most, sum, stack, parts, energy } = counts;
        let (mean, bytes) = (sum / u64::from(STEPS), size_of::<SmallLinearFeeder>());
        writeln!(out, "twin bytes {bytes} parts {parts} mean {mean} most {most} stack {stack} energy {energy:e}")?;
        let mut written = Ok(());
        scene.kpis(&mut |name, value| written = written.and_then(|()| writeln!(out, "kpi {name} {value}")));
        written
    })
}

/// What whole steps took, controller and all.
#[derive(Default)]
struct Counts {
    /// instructions
    most: u64,
    sum: u64,
    /// bytes
    stack: usize,
    /// most there were at a time
    parts: usize,
    /// the largest that a step left. J
    energy: f32,
}

fn write_down(
    scene: &mut dyn Scene,
    snapshot: &mut [u8],
    lines: Lines,
    counter: &mut Counter,
    counts: &mut Counts,
) -> Result<Lines, tumble::Error> {
    scene.reset()?;
    let machine = scene.body_count();
    let (h, settings) = (scene.h(), scene.settings());
    let inputs = scene.input_bytes();
    let head = Head { name: "linear-feeder", h, settings, exact: [0; 3], hash_every: HASH_EVERY, inputs };
    let mut recorder = Recorder::<_, INPUTS>::begin(lines, &head, |_| Ok(()))?;
    for step in 0..STEPS {
        if step == STEPS / 2 {
            let mut writer = Writer::new(snapshot);
            scene.save(&mut writer)?;
            let saved = writer.finish()?;
            // on by a step that is in no record, and back
            let mut latched = [0; INPUTS];
            let mut writer = Writer::new(&mut latched);
            scene.inputs(&mut writer);
            scene.set_inputs(writer.finish()?)?;
            let _ = scene.step(h, &settings)?;
            scene.restore(&mut Reader::new(saved))?;
        }
        let ((report, instructions), stack) = stack::used(&mut || counter.count(|| scene.step(h, &settings)));
        counts.energy = max(report?.solve.energy, counts.energy);
        counts.most = counts.most.max(instructions);
        counts.sum += instructions;
        counts.stack = counts.stack.max(stack.unwrap_or(usize::MAX));
        counts.parts = counts.parts.max(scene.body_count().saturating_sub(machine));
        let mut latched = [0; INPUTS];
        let mut writer = Writer::new(&mut latched);
        scene.inputs(&mut writer);
        recorder.step(writer.finish()?, || scene.state_hash())?;
    }
    Ok(recorder.end(|| scene.state_hash()))
}
