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
    let named = std::env::var_os("TUMBLE_PROBLEMS");
    let folder = match &named {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/problems"),
    }
    .join("contact");
    match std::fs::read_dir(&folder) {
        Ok(entries) => {
            let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
            paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
            paths.sort();
            Ok(Some(paths))
        }
        Err(_) if named.is_none() => Ok(None),
        Err(error) => Err(Error::new(error.kind(), format!("TUMBLE_PROBLEMS: {}: {error}", folder.display()))),
    }
}
