//! Parts of the host program that tests and benchmarks use too.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

pub mod host;
pub mod limits;
pub mod plays;
pub mod problem_file;
pub mod problems;
pub mod stages;
