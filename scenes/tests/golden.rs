//! Golden: a hash of the bits of every case's answer, the same on every machine, compiler and profile. A change of any bit
//! shows here, to be reviewed: `TUMBLE_BLESS=1 cargo test -p tumble-scenes` writes the file anew.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::fmt::Write;
use std::sync::Mutex;
use tumble_scenes::{CASES, CaseProblem, DOUBLE_CASES, write_all_answers};

/// FNV-1a, 64 bits.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn answers_have_the_bits_on_record() {
    static SINGLE: Mutex<CaseProblem<f32>> = Mutex::new(CaseProblem::new());
    static DOUBLE: Mutex<CaseProblem<f64>> = Mutex::new(CaseProblem::new());
    let mut text = String::new();
    write_all_answers(&mut text, &mut SINGLE.lock().unwrap(), &mut DOUBLE.lock().unwrap()).unwrap();
    let answers: Vec<&str> = text.split("answer ").skip(1).collect();
    assert_eq!(answers.len(), CASES.len() + DOUBLE_CASES.len());

    let mut table = String::new();
    for answer in answers {
        writeln!(table, "{:016x} {}", hash(answer), answer.lines().next().unwrap()).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let on_record = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(table, on_record, "answers have changed; if that is meant, run again with TUMBLE_BLESS=1");
}

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CASES.len());
}
