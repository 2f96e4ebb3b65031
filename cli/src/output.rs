//! What every command writes: text to stdout, JSON where it was asked for, one line of what a stranger wrote.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;

/// The table to stdout; with a path the JSON there too, or, where that is "-", the JSON to stdout and nothing else.
pub(crate) fn write(answer: &(impl Serialize + Display), json: Option<&Path>) -> Result<()> {
    let Some(path) = json else { return print(&answer.to_string()) };
    let text = serde_json::to_string(answer)? + "\n";
    if path == Path::new("-") {
        return print(&text);
    }
    std::fs::write(path, text).with_context(|| format!("{}: cannot be written", path.display()))?;
    print(&answer.to_string())
}

/// To stdout; a reader that went away has had enough.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context("stdout: cannot be written"),
        _ => Ok(()),
    }
}

/// Text out of a file or an argument must not break lines or steer a terminal.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
