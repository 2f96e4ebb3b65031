//! What boards play of each scene, and how they say what came out.

use crate::scene::Scene;
use core::fmt::{self, Write};
use tumble::Error;
use tumble::solve::ExactMemory;
use tumble::world::StepReport;

/// Scenes on their small stages, by name, and the steps that boards make. Hosts make as many: the hashes must be equal.
pub const BOARD_SCENES: [(&str, u32); 14] = [
    ("shaker", 2000),
    ("gripper", 1000),
    ("cascade", 500),
    ("bottles", 500),
    ("spring-chain", 1000),
    ("mass-ratio", 50),
    ("stress-drop", 500),
    ("brazil-nut", 500),
    ("dice-plate", 1000),
    ("balance", 300),
    ("pyramid", 300),
    ("dice", 300),
    ("setup", 300),
    ("wheels", 300),
];

/// The same of twins, each with its controller.
pub const BOARD_TWINS: [(&str, u32); 5] = [
    ("linear-feeder", 2000),
    ("reject-conveyor", 2000),
    ("weigh-and-dose", 1000),
    ("bowl", 500),
    ("plate-feeder", 200),
];

/// How many steps boards make of a scene; none of one that they do not know.
pub fn board_steps(name: &str) -> u32 {
    BOARD_SCENES.iter().chain(&BOARD_TWINS).find(|scene| scene.0 == name).map_or(0, |scene| scene.1)
}

/// Play from the start and write a line, the same on every machine: hash of the last state, name, steps. `count` is given each step of the world to
/// make, its script aside, so that a board can count its instructions.
///
/// # Errors
/// Those of `out`; and where a scene does not build or step, which tests rule out.
pub fn write_hash(
    out: &mut impl Write,
    name: &str,
    scene: &mut dyn Scene,
    steps: u32,
    mut count: impl FnMut(&mut dyn FnMut() -> Result<StepReport<f32>, Error>) -> Result<StepReport<f32>, Error>,
) -> fmt::Result {
    scene.reset().map_err(|_| fmt::Error)?;
    let (h, settings) = (scene.h(), scene.settings());
    for _ in 0..steps {
        let report = scene.step_by(h, &settings, &mut |world, h| count(&mut || world.step(h, &settings)));
        // what it says of itself is for `count` to look at
        report.map(drop).map_err(|_| fmt::Error)?;
    }
    writeln!(out, "{:016x} {name} {steps}", scene.state_hash())
}

/// The same with memory of the exact solver. The line also has how many pivots there were.
///
/// # Errors
/// As [`write_hash`].
pub fn write_hybrid_hash(
    out: &mut impl Write,
    name: &str,
    scene: &mut dyn Scene,
    exact: &mut dyn ExactMemory<f32>,
    steps: u32,
) -> fmt::Result {
    scene.reset().map_err(|_| fmt::Error)?;
    let (h, settings) = (scene.h(), scene.settings());
    let mut pivots = 0_u32;
    for _ in 0..steps {
        let report = scene.step_by(h, &settings, &mut |world, h| world.step_with(h, &settings, exact));
        pivots = pivots.saturating_add(report.map_err(|_| fmt::Error)?.solve.iterations);
    }
    writeln!(out, "{:016x} {name}-hybrid {steps} pivots {pivots}", scene.state_hash())
}
