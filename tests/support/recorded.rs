//! Where the recorded runs lie: `TUMBLE_PROBLEMS`, or `../shared/problems` beside the repository. None is part of it.

// each test program uses its own part of this; none of it is an interface
#![allow(dead_code, unreachable_pub)]

use std::path::{Path, PathBuf};

/// A file or folder among the recorded problems; `None` where they are not on this machine.
pub fn recorded(name: &str) -> Option<PathBuf> {
    let named = std::env::var_os("TUMBLE_PROBLEMS");
    let path = named
        .as_ref()
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/problems"), PathBuf::from)
        .join(name);
    if path.exists() {
        return Some(path);
    }
    assert!(named.is_none(), "TUMBLE_PROBLEMS names no place with {}", path.display());
    eprintln!("skipped: no {name} in ../shared/problems (TUMBLE_PROBLEMS names another place)");
    None
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rows of numbers behind some lines of header.
pub fn table(path: &Path, header: usize) -> Vec<Vec<f64>> {
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{}: {word:?} is no number", path.display()));
    read(path)
        .lines()
        .skip(header)
        .map(|line| line.split_whitespace().map(number).collect())
        .filter(|row: &Vec<f64>| !row.is_empty())
        .collect()
}
