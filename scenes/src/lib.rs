//! Problems built only from tumble's public API, shared by tests, boards and benchmarks.
//!
//! Small enough for a microcontroller, each a single time step: what goes in is written here in code, what comes out must have
//! the same bits everywhere.
#![no_std]
#![forbid(unsafe_code)]

pub mod problems;

pub use problems::{CASES, Case, CaseProblem, DOUBLE_CASES, write_all_answers, write_answer};
