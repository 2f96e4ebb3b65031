//! `src/world/costs.rs`: the fitted costs as constants of the library.

use crate::shell::{command, execute, root};
use anyhow::Result;
use std::fmt::Write;
use std::path::PathBuf;
use tumble::world::Costs;

/// Costs of one core.
pub(crate) struct Table {
    /// What people call the core.
    pub(crate) core: &'static str,
    pub(crate) costs: Costs,
    /// How much too high they are on average, over scenes.
    pub(crate) excess: f64,
}

/// Are records to be written anew?
pub(crate) fn is_blessed() -> bool {
    std::env::var_os("TUMBLE_BLESS").is_some()
}

/// Is what is published of the compiler that is here?
pub(crate) fn of_this_compiler() -> Result<bool> {
    Ok(std::fs::read_to_string(path())?.contains(&compiler()?))
}

/// Write the library's constants.
pub(crate) fn publish(tables: &[Table]) -> Result<()> {
    let mut text = String::from(
        "//! What work costs on two cores, in instructions: written by `TUMBLE_BLESS=1 cargo xtask bench cost`, not by hand.\n//!\n",
    );
    writeln!(
        text,
        "//! {}, profile `release` of boards/ (opt-level 3, fat LTO), single precision, default method and friction model.",
        compiler()?
    )?;
    text.push_str(
        "//! Fitted so that in every step of every scene that boards play, as it is and with few sweeps, of the small worlds that tell kinds of work apart, and of two
//! hundred of an adversary's attacks, no more instructions were counted than are predicted, with 2 % to spare. A bound that is checked, not proved, and
//! instructions, not cycles: with another compiler, profile or core measure again.\n\nuse super::plan::Costs;\n\nimpl Costs {\n",
    );
    for (place, Table { core, costs, excess }) in tables.iter().enumerate() {
        let (name, space) = (core.to_uppercase().replace('-', "_"), if place == 0 { "" } else { "\n" });
        writeln!(
            text,
            "{space}    /// Instructions on a {core}; {:.1} % more than were counted, on average over scenes.",
            excess * 100.0
        )?;
        writeln!(text, "    pub const {name}: Self = Self {{")?;
        for (kind, cost) in Costs::NAMES.iter().zip(costs.by_kind()).chain([(&"closing_body", costs.closing_body)]) {
            writeln!(text, "        {kind}: {cost},")?;
        }
        text.push_str("    };\n");
    }
    text.push_str("}\n");
    Ok(std::fs::write(path(), text)?)
}

fn path() -> PathBuf {
    root().join("src/world/costs.rs")
}

fn compiler() -> Result<String> {
    Ok(String::from_utf8(execute(command("rustc").arg("--version"))?.stdout)?.trim().to_owned())
}
