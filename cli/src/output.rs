//! What every command writes: text to stdout, JSON where it was asked for, one line of what a stranger wrote.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fmt::Display;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::Path;
use tumble_cli::problem_file::Refusal;

/// Where an answer goes: the table to stdout; with `--json` and a path the JSON there too, or, where that is "-", the JSON to stdout and nothing else.
pub(crate) enum Destination<'a> {
    Table,
    Json,
    Both(Target<'a>),
}

impl<'a> Destination<'a> {
    /// Before the work begins.
    pub(crate) fn open(json: Option<&'a Path>) -> Result<Self, Refusal> {
        match json {
            None => Ok(Self::Table),
            Some(path) if path == Path::new("-") => Ok(Self::Json),
            Some(path) => Target::open("--json", path).map(Self::Both),
        }
    }

    /// When it is done.
    pub(crate) fn write(self, answer: &(impl Serialize + Display)) -> Result<()> {
        let json = || Ok::<_, serde_json::Error>(serde_json::to_string(answer)? + "\n");
        match self {
            Self::Table => print(&answer.to_string()),
            Self::Json => print(&json()?),
            Self::Both(target) => {
                // should the file fail, the answer is not lost
                print(&answer.to_string())?;
                target.write(json()?.as_bytes())
            }
        }
    }
}

/// A file to write to when the work is done, known to be one before it begins. What is in it stays until then; where there was none, work that fails leaves none.
pub(crate) struct Target<'a> {
    file: File,
    path: &'a Path,
    is_new: bool,
}

impl<'a> Target<'a> {
    /// For the argument of this name.
    pub(crate) fn open(argument: &str, path: &'a Path) -> Result<Self, Refusal> {
        let new = File::options().write(true).create_new(true).open(path);
        let is_new = new.is_ok();
        let opened = new.or_else(|_| File::options().write(true).create(true).truncate(false).open(path));
        let cannot = |error| Refusal {
            place: argument.into(),
            reason: format!("{}: cannot be written: {error}", path.display()),
        };
        Ok(Self { file: opened.map_err(cannot)?, path, is_new })
    }

    pub(crate) fn write(mut self, bytes: &[u8]) -> Result<()> {
        self.write_anew(bytes).with_context(|| format!("{}: cannot be written", self.path.display()))?;
        self.is_new = false;
        Ok(())
    }

    fn write_anew(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        // a pipe has no length
        if self.file.metadata()?.is_file() {
            self.file.set_len(0)?;
        }
        self.file.write_all(bytes)
    }
}

impl Drop for Target<'_> {
    fn drop(&mut self) {
        if self.is_new {
            // there is a reason already why the work failed
            let _ = std::fs::remove_file(self.path);
        }
    }
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
