//! Rigid-body contact dynamics that fits in a microcontroller and is always on time.
//!
//! `tumble` moves bodies, shapes and joints through time, and solves the contact problem of every step with an O(n) projected SOR
//! iteration in static buffers: no heap, no recursion, no reachable panic, at most the sweeps you allow. It runs as
//! firmware on a Cortex-M, and the very same code gives the very same bits in a unit test on the host.
//!
#![doc = include_str!("../docs/pipeline.svg")]
//!
//! # Where things are
//! | module | what it holds |
//! | --- | --- |
//! | [`math`] | the scalar [`Real`](math::Real), small vectors; the only caller of libm |
//! | [`rows`] | [`Problem`]: bodies and rows of one time step in buffers of fixed capacity |
//! | [`world`] | [`World`](world::World): bodies, shapes, joints and contacts, stepped |
//! | [`body`], [`shape`], [`joint`] | what a world is made of |
//! | [`collide`] | how far two convex polyhedra are from touching: the ratio metric, and events |
//! | [`solve`] | [`Problem::solve`], [`Settings`], [`Report`]: projected SOR, both friction models, the energy error; [`Exact`](solve::Exact): pivots |
//! | [`twin`] | the feeder twin: drives, plant parts, sensors, the I/O image |
//! | [`record`] | snapshots, input logs and their replay, in plain bytes |
//! | [`rig`] | glue to the board: clocks, task timing, residual against deadline; pins with feature `embedded-hal` |
//! | [`error`] | the one [`Error`] |
//!
//! # Twenty lines
//! See [`World`](world::World); a feeder twin: [`Twin`](twin::Twin). What follows is the solver by itself.
//!
//! # A solve with a verdict
//! ```
//! use tumble::rows::{Friction, InverseMass, RowInput};
//! use tumble::{Problem, Settings, Status, math::{Vec3, Vec6}};
//!
//! // a 20 g part slides at 0.5 m/s over a fixed plate; one millisecond of gravity presses it on
//! let mut problem = Problem::<f32, 1, 3>::new();
//! let part = problem.add_body(
//!     InverseMass::new(0.02, [4e-7; 3])?,
//!     Vec6::from([0.5, 0.0, -9.81e-3, 0.0, 0.0, 0.0]),
//! )?;
//! let up = Vec3::new(0.0, 0.0, 1.0);
//! let contact = RowInput::contact(up, Vec3::default(), Vec3::default());
//! let [normal, along, _] = problem.add_contact(part, None, &contact, Friction::Cone { mu: 0.3 })?;
//!
//! let report = problem.solve(&Settings::default())?;
//! assert_eq!(report.status, Status::Converged);
//! assert!(report.energy <= 1e-12); // joule
//! // friction is μ times the normal impulse, and the contact stays closed
//! assert!((problem.impulse(along)? + 0.3 * problem.impulse(normal)?).abs() < 1e-9);
//! assert!(problem.velocity(part)?.linear.z.abs() < 1e-6);
//! # Ok::<(), tumble::Error>(())
//! ```
//!
//! # What is promised
//! * **Time**: a solve makes at most [`Settings::iterations`] sweeps; its cost is linear in rows and sweeps. Running out is a
//!   [`Status`], not an error, and [`Report::energy`] says in joule how wrong the answer still is.
//! * **Memory**: capacities are const generics, [`Problem::new`] is `const`, `size_of` is the budget. Nothing is allocated.
//! * **Bits**: the same on x86-64 and Cortex-M, debug and release, checked by a test on emulated boards.
//! * **No panic**: every input is checked where it comes in and refused with an [`Error`] that changes nothing. Firmware that links
//!   only without a reachable panic is part of the test command, with integer overflow checks on and off.
//! * **Units**: SI everywhere.
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests may panic; the library is checked without them too")
)]

#[cfg(any(test, feature = "std"))]
extern crate std;

// tables that the host program writes say whose type they are of
extern crate self as tumble;

pub mod body;
mod check;
pub mod collide;
pub mod error;
pub mod joint;
pub mod math;
pub mod record;
pub mod rig;
pub mod rows;
pub mod shape;
mod slots;
pub mod solve;
pub mod twin;
pub mod world;

pub use error::Error;
pub use rows::{BodyIndex, Problem, RowIndex};
pub use solve::{Answer, Budget, Clock, ClockHealth, FrictionModel, Method, Report, Settings, Start, Status, StepRule};

/// The README's examples are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// So is that of controllers.
#[cfg(all(doctest, feature = "embedded-hal"))]
#[doc = include_str!("../docs/controller.md")]
struct Controllers;
