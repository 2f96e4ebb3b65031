//! `--method`: how to iterate, as users type it.

use clap::ValueEnum;
use serde::Serialize;
use tumble::StepRule;

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Method {
    /// What the library chooses without further memory: every contact solved by itself, sweeps accelerated by Anderson's method
    Default,
    /// The same, accelerated by Nesterov's method with restarts
    Nesterov,
    /// The same, not accelerated
    Block,
    /// Exact, by pivots (Tasora 2005) where there is room
    Simplex,
    /// By pivots where that pays and there is room, else as default
    Hybrid,
    /// Plain projected SOR (Tasora 2006, Alg. 4.1) with the averaged diagonal of a contact; may diverge
    Psor,
}

impl Method {
    /// Does it take memory of the exact solver?
    pub(crate) fn is_exact(self) -> bool {
        matches!(self, Self::Simplex | Self::Hybrid)
    }

    /// With the step rule that belongs to it.
    pub(crate) fn method(self) -> (tumble::Method, StepRule) {
        match self {
            Self::Default => (tumble::Method::default(), StepRule::default()),
            Self::Nesterov => (tumble::Method::Nesterov, StepRule::default()),
            Self::Block => (tumble::Method::Block, StepRule::default()),
            Self::Simplex => (tumble::Method::Simplex, StepRule::default()),
            Self::Hybrid => (tumble::Method::Hybrid, StepRule::default()),
            Self::Psor => (tumble::Method::Psor, StepRule::Average),
        }
    }
}
