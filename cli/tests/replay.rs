//! `tumble run --record` and `tumble replay` as a user meets them.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use serde_json::{Value, json};
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tumble::record::{Head, Record, Recorder, Sink};
use tumble::twin::{Fault, Signal};
use tumble_scenes::{SCENES, Scene, SmallLinearFeeder, SmallMassRatio, SmallRejectConveyor};

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

fn tumble(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).args(arguments).output().unwrap()
}

/// Run and write down, read the JSON.
fn record(file: &Path, arguments: &[&str]) -> Value {
    let file = file.to_str().unwrap();
    let output = tumble(&[&["run"], arguments, &["--record", file, "--json", "-"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Exit code, what is said, what goes wrong.
fn replay(file: &Path) -> (Option<i32>, String, String) {
    let output = tumble(&["replay", file.to_str().unwrap()]);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn every_scene_replays() {
    let folder = TempDir::new().unwrap();
    for (name, _) in SCENES {
        let file = folder.path().join(name);
        record(&file, &[name, "--steps", "3", "--hash-every", "2"]);
        let (code, stdout, stderr) = replay(&file);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{name}: {stdout}");
        assert!(stdout.ends_with("verdict            bits identical\n"), "{stdout}");
        // after step 2 and at the end; of a twin also after the first, whose inputs are new
        let compared =
            |hashes: u32| stdout.contains(&format!("hashes             {hashes} compared, one every 2 steps\n"));
        assert!(compared(2) || compared(3), "{name}: {stdout}");
    }
}

#[test]
fn a_replay_is_made_as_the_run_was() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let ways: [&[&str]; 5] = [
        &["mass-ratio"],
        &["mass-ratio", "--h", "0.0005", "--iterations", "7"],
        &["mass-ratio", "--method", "hybrid"],
        &["mass-ratio", "--method", "psor", "--friction", "ccp"],
        &["bottles"],
    ];
    let mut hashes = Vec::new();
    for way in ways {
        let ran = record(&file, &[way, &["--steps", "60"]].concat());
        let output = tumble(&["replay", file.to_str().unwrap(), "--json", "-"]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success() && answer["bits_identical"] == json!(true), "{answer}");
        assert_eq!((&answer["first_step"], &answer["last_step"]), (&Value::Null, &Value::Null));
        assert_eq!((&answer["hash"], &answer["steps"], &answer["h"]), (&ran["hash"], &json!(60), &ran["h"]));
        assert_eq!((&answer["hashes"], &answer["hash_every"]), (&json!(1), &json!(100)));
        hashes.push(answer["hash"].to_string());
    }
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), ways.len());
}

#[test]
fn the_first_step_that_differs_is_named() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    record(&file, &["gripper", "--steps", "50", "--hash-every", "10"]);
    let mut bytes = std::fs::read(&file).unwrap();
    // another hash after step 30: behind its tag and that of a run of ten steps
    let steps = [2, 10, 3];
    let at = bytes.windows(3).enumerate().filter(|(_, window)| *window == steps).nth(2).unwrap().0;
    bytes[at + 3] ^= 1;
    let end = bytes.len() - 4;
    bytes.truncate(end);
    bytes.extend(checksum(&bytes).to_le_bytes());
    std::fs::write(&file, &bytes).unwrap();
    assert!(Record::open(&bytes).is_ok());
    let (code, stdout, stderr) = replay(&file);
    assert_eq!(code, Some(1));
    assert!(stdout.contains("verdict            one of the steps 21 to 30 diverges: hash "), "{stdout}");
    assert!(stdout.contains("hashes             3 compared"), "{stdout}");
    assert!(stderr.starts_with("tumble: gripper: one of the steps 21 to 30 diverges: hash "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
}

/// A record of the conveyor whose controller's image is changed in some steps, by changing a byte of it.
fn meddled(file: &Path, name: &str, change: impl Fn(u32, &mut Vec<u8>)) {
    let mut stage = Box::new(SmallRejectConveyor::new());
    stage.reset().unwrap();
    let (h, settings) = (stage.h(), stage.settings());
    let head = Head { name, h, settings, exact: [0; 3], hash_every: 100, inputs: stage.input_bytes() };
    let mut recorder = Recorder::<_, 256>::begin(Bytes(Vec::new()), &head, |_| Ok(())).unwrap();
    // what it sets by itself
    let mut usual = Box::new(SmallRejectConveyor::new());
    usual.reset().unwrap();
    for step in 1..=60 {
        let _ = usual.step(h, &settings).unwrap();
        let mut inputs = Bytes(Vec::new());
        usual.inputs(&mut inputs);
        change(step, &mut inputs.0);
        // an image that is refused is written down with the state before
        if stage.set_inputs(&inputs.0).is_ok() {
            let _ = stage.step(h, &settings).unwrap();
        }
        recorder.step(&inputs.0, || stage.state_hash()).unwrap();
    }
    std::fs::write(file, recorder.end(|| stage.state_hash()).0).unwrap();
}

/// The last valve, which moves nothing there, and the first vibrator's amplitude.
const VALVE: usize = 4 * 9 + 2 * 5 + 7;
const AMPLITUDE: Range<usize> = 1..5;

#[test]
fn an_input_that_differs_is_named_by_its_step() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    meddled(&file, "reject-conveyor", |_, _| ());
    let said = |arguments: &[&str]| {
        let output = tumble(&[&["replay", file.to_str().unwrap()], arguments].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), stderr)
    };
    for arguments in [&[][..], &["--live"]] {
        let (code, stdout, stderr) = said(arguments);
        assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    }
    // one step of the record is another than the controller's: by itself it is a run as any other
    meddled(&file, "reject-conveyor", |step, inputs| inputs[VALVE] ^= u8::from(step == 25));
    assert_eq!(said(&[]).0, Some(0));
    let (code, stdout, stderr) = said(&["--live"]);
    assert_eq!((code, stderr.lines().count()), (Some(1), 1));
    assert!(stdout.contains("verdict            step 25: other inputs went in than those on record\n"), "{stdout}");
    assert_eq!(stderr, "tumble: reject-conveyor: step 25: other inputs went in than those on record\n");
    let output = tumble(&["replay", "--live", file.to_str().unwrap(), "--json", "-"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["bits_identical"], &answer["hashes"]), (&json!(false), &json!(1)));
    assert_eq!((&answer["first_step"], &answer["last_step"]), (&json!(25), &json!(25)));
    assert_eq!(answer["verdict"], json!("step 25: other inputs went in than those on record"));

    // a bit of these inputs flipped in the record itself, with or without a checksum to match
    let mut bytes = std::fs::read(&file).unwrap();
    let mut image = Vec::new();
    Record::open(&bytes).unwrap().steps().nth(24).unwrap().inputs.clone_into(&mut image);
    let at = bytes.windows(image.len()).position(|window| window == image).unwrap();
    bytes[at + VALVE] ^= 1;
    for _ in 0..2 {
        std::fs::write(&file, &bytes).unwrap();
        let (code, stdout, stderr) = said(&[]);
        assert_eq!((code, stdout.as_str()), (Some(2), ""));
        let reason = format!("the inputs of step 25, at byte {}, are not those that went in\n", at - 1);
        assert!(stderr.ends_with(&reason) && stderr.lines().count() == 1, "{stderr}");
        bytes.truncate(bytes.len() - 4);
        bytes.extend(checksum(&bytes).to_le_bytes());
    }
}

#[test]
fn an_input_that_is_refused_is_with_its_reason() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    meddled(&file, "reject-conveyor", |step, inputs| {
        if step == 7 {
            inputs[AMPLITUDE].copy_from_slice(&150.0_f32.to_le_bytes());
        }
    });
    let (code, _, stderr) = replay(&file);
    assert_eq!(code, Some(1));
    assert_eq!(stderr, "tumble: reject-conveyor: step 7 is refused: amplitude_percent is out of its range\n");
}

#[test]
fn a_record_without_steps_is_not_the_same_as_anything() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let mut stack = Box::new(SmallMassRatio::new());
    stack.reset().unwrap();
    record_on(&mut *stack, "mass-ratio", 0, &file);
    let (code, stdout, stderr) = replay(&file);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.ends_with("it has no steps: there is nothing to compare\n"), "{stderr}");
}

#[test]
fn a_controller_is_in_no_snapshot() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let mut stage = Box::new(SmallRejectConveyor::new());
    stage.reset().unwrap();
    record_on(&mut *stage, "reject-conveyor", 3, &file);
    let output = tumble(&["replay", "--live", file.to_str().unwrap()]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
    assert!(stderr.contains("snapshot") && stderr.lines().count() == 1, "{stderr}");
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    })
}

#[test]
fn what_is_no_record_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    record(&file, &["spring-chain", "--steps", "20", "--hash-every", "10"]);
    let whole = std::fs::read(&file).unwrap();
    let refused = |bytes: &[u8], reason: &str| {
        std::fs::write(&file, bytes).unwrap();
        let (code, stdout, stderr) = replay(&file);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        assert!(stderr.contains(reason) && stderr.lines().count() == 1, "{stderr}");
    };
    refused(b"{}", "cut off at byte 0, after 0 whole steps");
    refused(b"nothing of the kind", "this is no record");
    refused(&whole[..whole.len() - 5], "after 20 whole steps");
    let mut flipped = whole.clone();
    flipped[80] ^= 4;
    refused(&flipped, "");
    // even of the name's length: what follows is read as something else
    let mut flipped = whole.clone();
    flipped[6] ^= 1;
    refused(&flipped, "checksum");
    let renamed = |name: &[u8]| {
        let mut bytes = whole.clone();
        bytes[7..7 + name.len()].copy_from_slice(name);
        let end = bytes.len() - 4;
        bytes.truncate(end);
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    };
    refused(&renamed(b"spring-chair"), "there is no scene \"spring-chair\" here");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(replay(&file).0, Some(2));
    for arguments in
        [&["run", "gripper", "--hash-every", "3"][..], &["run", "gripper", "--record", "f", "--hash-every", "0"]]
    {
        assert_eq!(tumble(arguments).status.code(), Some(2));
    }
}

/// A record of `mass-ratio` that claims this many steps in about a hundred bytes: one hash, at the end.
fn forged(steps: u32, h: f32) -> Vec<u8> {
    let mut scene = Box::new(SmallMassRatio::new());
    scene.reset().unwrap();
    let head =
        Head { name: "mass-ratio", h, settings: scene.settings(), exact: [0; 3], hash_every: u32::MAX, inputs: 0 };
    let mut recorder = Recorder::<_, 0>::begin(Bytes(Vec::new()), &head, |_| Ok(())).unwrap();
    recorder.step(&[], || 0).unwrap();
    let mut bytes = recorder.end(|| 0).0;
    // run of one step, end (tag, steps, hash), checksum
    bytes.truncate(bytes.len() - 2 - 13 - 4);
    bytes.push(2);
    let mut rest = steps;
    while rest > 0x7f {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
    bytes.push(4);
    bytes.extend(steps.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(checksum(&bytes).to_le_bytes());
    assert_eq!(Record::open(&bytes).unwrap().len(), steps);
    bytes
}

#[test]
fn record_of_more_steps_than_the_cap_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("forged.tumr");
    std::fs::write(&file, forged(4_000_000_000, 0.001)).unwrap();
    let (code, stdout, stderr) = replay(&file);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    let reason = "it has 4000000000 steps: more than 1000000; raise --max-steps to replay them all\n";
    assert!(stderr.ends_with(reason) && stderr.lines().count() == 1, "{stderr}");
    // the cap is inclusive, and may be lowered too
    record(&file, &["mass-ratio", "--steps", "5"]);
    for (cap, code) in [("4", 2), ("5", 0)] {
        let output = tumble(&["replay", file.to_str().unwrap(), "--max-steps", cap]);
        assert_eq!(output.status.code(), Some(code), "{cap}");
    }
}

#[test]
fn record_with_a_step_over_the_limit_is_refused() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("forged.tumr");
    std::fs::write(&file, forged(5, 3e38)).unwrap();
    let (code, stdout, stderr) = replay(&file);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("its h: 3e38 s is too long: a step is at most 0.02 s"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn record_over_the_size_cap_is_refused() {
    let (code, stdout, stderr) = replay(Path::new("/dev/zero"));
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("/dev/zero: larger than 256 MiB (268435456 bytes), the most that is read"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn interrupted_replay_exits_with_130_and_leaves_no_file() {
    let folder = TempDir::new().unwrap();
    let (file, json) = (folder.path().join("forged.tumr"), folder.path().join("answer.json"));
    std::fs::write(&file, forged(4_000_000_000, 0.001)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tumble"));
    command.args(["replay", file.to_str().unwrap(), "--max-steps", "4000000000", "--json", json.to_str().unwrap()]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // it is there as soon as Ctrl-C is watched
    let begun = (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        json.exists()
    });
    assert!(begun, "the file was not opened within a minute");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{stderr}");
    assert!(stderr.starts_with("tumble: interrupted after ") && stderr.ends_with(" of 4000000000 steps\n"), "{stderr}");
    assert!(!json.exists());
}

/// What a board or a test may write: a run that begins with a snapshot of where the scene is.
fn record_on(scene: &mut dyn Scene, name: &str, steps: u32, file: &Path) -> u64 {
    let (h, settings) = (scene.h(), scene.settings());
    let head = Head { name, h, settings, exact: [0; 3], hash_every: 10, inputs: scene.input_bytes() };
    let mut recorder = Recorder::<_, 256>::begin(Bytes(Vec::new()), &head, |out| scene.save(out)).unwrap();
    for _ in 0..steps {
        let _ = scene.step(h, &settings).unwrap();
        let mut inputs = Bytes(Vec::new());
        scene.inputs(&mut inputs);
        recorder.step(&inputs.0, || scene.state_hash()).unwrap();
    }
    std::fs::write(file, recorder.end(|| scene.state_hash()).0).unwrap();
    scene.state_hash()
}

fn made_again(file: &Path, hash: u64) {
    let (code, stdout, stderr) = replay(file);
    assert_eq!((code, stderr.as_str()), (Some(0), ""), "{stdout}");
    assert!(stdout.contains(&format!("hash               {hash:016x}\n")), "{stdout}");
    assert!(stdout.ends_with("verdict            bits identical\n"), "{stdout}");
}

fn steps(scene: &mut dyn Scene, count: u32) {
    let (h, settings) = (scene.h(), scene.settings());
    for _ in 0..count {
        let _ = scene.step(h, &settings).unwrap();
    }
}

#[test]
fn a_run_with_faults_replays_from_its_record_alone() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let mut stage = Box::new(SmallRejectConveyor::new());
    let mut hashes = Vec::new();
    for is_faulty in [false, true] {
        stage.reset().unwrap();
        if is_faulty {
            stage.add_fault(Fault::Bounce(Signal::Barrier(0), 4), 0..u32::MAX).unwrap();
            stage.add_fault(Fault::DoublePart(0, 0.5), 0..u32::MAX).unwrap();
            stage.add_fault(Fault::StuckAt(Signal::Belt(0), false), 1200..1300).unwrap();
        }
        // from the beginning, and on from the middle
        for count in [1000, 1000] {
            hashes.push(record_on(&mut *stage, "reject-conveyor", count, &file));
            made_again(&file, hashes[hashes.len() - 1]);
        }
    }
    assert!(hashes[0] != hashes[2] && hashes[1] != hashes[3], "faults show");
}

#[test]
fn records_that_begin_with_a_snapshot_replay() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let mut feeder = Box::new(SmallLinearFeeder::new());
    feeder.reset().unwrap();
    steps(&mut *feeder, 1500);
    made_again(&file, record_on(&mut *feeder, "linear-feeder", 700, &file));
    // nothing drives these: the world is all there is
    let mut stack = Box::new(SmallMassRatio::new());
    stack.reset().unwrap();
    steps(&mut *stack, 20);
    made_again(&file, record_on(&mut *stack, "mass-ratio", 60, &file));
}

#[test]
fn a_snapshot_of_something_else_is_refused_with_a_reason() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("run.tumr");
    let mut feeder = Box::new(SmallLinearFeeder::new());
    feeder.reset().unwrap();
    record_on(&mut *feeder, "reject-conveyor", 5, &file);
    let (code, stdout, stderr) = replay(&file);
    assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert!(stderr.contains("in the snapshot it begins with: "), "{stderr}");
}

#[test]
fn a_record_that_cannot_be_written_is_refused_before_the_run() {
    let folder = TempDir::new().unwrap();
    for file in [folder.path().join("none").join("run.tumr"), folder.path().to_owned()] {
        // as long as that would take
        let file = file.to_str().unwrap();
        let output = tumble(&["run", "bottles", "--steps", "100000000", "--record", file]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains("--record") && stderr.contains("cannot be written"), "{stderr}");
        assert_eq!((output.stdout.len(), stderr.lines().count()), (0, 1), "{stderr}");
    }
    // one that is longer than the next is no rest behind it
    let file = folder.path().join("run.tumr");
    record(&file, &["mass-ratio", "--steps", "50", "--hash-every", "1"]);
    record(&file, &["mass-ratio", "--steps", "5"]);
    assert_eq!(replay(&file).0, Some(0));
    // of a run that fails nothing is left, and what there was before stays
    let old = std::fs::read(&file).unwrap();
    for (file, left) in [(&file, Some(old)), (&folder.path().join("other.tumr"), None)] {
        let output = tumble(&["run", "linear-feeder", "--h", "1e-12", "--record", file.to_str().unwrap()]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        assert_eq!(
            stderr,
            "tumble: --h: 1e-12 s is nothing for linear-feeder, whose steps are 0.001 s: h is out of its range\n"
        );
        assert_eq!(std::fs::read(file).ok(), left);
    }
    // what is no file of a length will do as well
    #[cfg(unix)]
    record(Path::new("/dev/null"), &["mass-ratio", "--steps", "5"]);
}
