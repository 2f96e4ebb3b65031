//! `tumble run --record` and `tumble replay` as a user meets them.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use tumble::record::Record;
use tumble_scenes::SCENES;

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
