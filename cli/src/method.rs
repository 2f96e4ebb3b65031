//! `--method`: how to iterate, as users type it.

use clap::ValueEnum;
use serde::Serialize;
use tumble::StepRule;

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Method {
    /// What the library chooses: every contact solved by itself, sweeps accelerated by Anderson's method
    Default,
    /// The same, accelerated by Nesterov's method with restarts
    Nesterov,
    /// The same, not accelerated
    Block,
    /// Plain projected SOR (Tasora 2006, Alg. 4.1) with the averaged diagonal of a contact; may diverge
    Psor,
}

impl Method {
    /// With the step rule that belongs to it.
    pub(crate) fn method(self) -> (tumble::Method, StepRule) {
        match self {
            Self::Default => (tumble::Method::default(), StepRule::default()),
            Self::Nesterov => (tumble::Method::Nesterov, StepRule::default()),
            Self::Block => (tumble::Method::Block, StepRule::default()),
            Self::Psor => (tumble::Method::Psor, StepRule::Average),
        }
    }
}
