//! The library's table of conveying speeds is what `tumble feed-table` makes. TUMBLE_BLESS=1 writes it anew.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tumble::twin::{FEED_TABLE, FeedTable};

fn tumble(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).arg("feed-table").args(arguments).output().unwrap()
}

fn made(arguments: &[&str]) -> String {
    let output = tumble(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/twin/feed_table.rs")
}

/// Some rows of it: all of it takes a minute, and more in a debug build.
#[test]
fn the_table_is_what_the_program_makes() {
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(kept(), made(&[])).unwrap();
    }
    let table = std::fs::read_to_string(kept()).unwrap();
    let help = made(&["--help"]);
    let FeedTable { throws, holds, slopes, .. } = FEED_TABLE;
    for axis in [throws, holds, slopes] {
        let list = axis.iter().map(f32::to_string).collect::<Vec<_>>().join(",");
        assert!(help.contains(&format!("[default: {list}]")), "{list}");
    }
    for (slope, hold) in [("0", "0.1"), ("0.4", "0.25"), ("-0.2", "0.7"), ("-0.5", "0.6")] {
        let row = made(&["--slopes", slope, "--holds", hold]);
        let at = row.find("        // slope").unwrap();
        let row = row[at..].strip_suffix("    ],\n};\n").unwrap();
        assert_eq!(row.lines().count(), 2);
        assert!(table.contains(row), "{row}");
    }
}

#[test]
#[ignore = "a minute in a release build"]
fn all_of_the_table_is_what_the_program_makes() {
    assert_eq!(std::fs::read_to_string(kept()).unwrap(), made(&[]));
}

#[test]
fn json_has_the_same_numbers() {
    let json: serde_json::Value = serde_json::from_str(&made(&[
        "--slopes",
        "0",
        "--holds",
        "0.1,0.2",
        "--throws",
        "0,1.5",
        "--samples",
        "50",
        "--json",
        "-",
    ]))
    .unwrap();
    let speeds: Vec<f64> = json["speeds"].as_array().unwrap().iter().map(|k| k.as_f64().unwrap()).collect();
    assert_eq!(speeds.len(), 4);
    // level, and hardly thrown: as far back as forth
    assert!(speeds[0].abs() < 1e-3 && speeds[2].abs() < 1e-3, "{speeds:?}");
    assert!(speeds[1] > 0.2 && speeds[3] > speeds[1], "{speeds:?}");
}

#[test]
fn what_is_no_table_is_refused() {
    for (arguments, place, reason) in [
        (["--throws", "1,0.5"], "--throws", "must rise"),
        (["--throws", "0,nan"], "--throws", "is not between 0 and 100"),
        (["--holds", "0"], "--holds", "0 is not between 0.001 and 0.99"),
        (["--slopes", "-1,0"], "--slopes", "-1 is not between -1 and 1"),
        (["--samples", "7"], "--samples", "20 to 10000, not 7"),
        (["--name", "table"], "--name", "capitals"),
    ] {
        let output = tumble(&arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
        assert!(said.contains(place) && said.contains(reason) && said.lines().count() == 1, "{said}");
    }
}
