//! Where recorded problems lie: `TUMBLE_PROBLEMS`, or `../shared/problems` beside the repository. None is part of it.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// What to say where there are none.
pub const MISSING: &str = "no problem files in ../shared/problems (TUMBLE_PROBLEMS names another place)";

/// All contact problems, by name; `None` where the default place does not exist.
///
/// # Errors
/// When `TUMBLE_PROBLEMS` names a place that cannot be read.
pub fn contact_files() -> Result<Option<Vec<PathBuf>>> {
    let (named, folder) = place("contact");
    match std::fs::read_dir(&folder) {
        Ok(entries) => {
            let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
            paths.sort();
            Ok(Some(paths))
        }
        Err(error) => none(named, &folder, &error),
    }
}

/// Recorded speeds of parts on vibrating tracks; `None` where the default place does not exist.
///
/// # Errors
/// As [`contact_files`].
pub fn conveying_table() -> Result<Option<String>> {
    let (named, file) = place("feeder/vib_conveyor_table.csv");
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(Some(text)),
        Err(error) => none(named, &file, &error),
    }
}

/// The problem file of this name that was once solved wrongly; `None` where the default place does not exist.
///
/// # Errors
/// As [`contact_files`].
pub fn regression_file(name: &str) -> Result<Option<PathBuf>> {
    let (named, file) = place("regression");
    let file = file.join(name);
    match std::fs::metadata(&file) {
        Ok(_) => Ok(Some(file)),
        Err(error) => none(named, &file, &error),
    }
}

/// Where something would lie, and whether somebody said so.
fn place(name: &str) -> (bool, PathBuf) {
    let named = std::env::var_os("TUMBLE_PROBLEMS");
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/problems");
    (named.is_some(), named.map_or_else(default, PathBuf::from).join(name))
}

fn none<T>(named: bool, path: &Path, error: &Error) -> Result<Option<T>> {
    if named {
        return Err(Error::new(error.kind(), format!("TUMBLE_PROBLEMS: {}: {error}", path.display())));
    }
    Ok(None)
}
