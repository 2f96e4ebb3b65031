//! `--friction`: the choice of a friction model, as users type it.

use clap::ValueEnum;
use serde::Serialize;
use tumble::FrictionModel;

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Friction {
    /// Cone complementarity: convex, a sliding contact opens
    Ccp,
    /// Exact Coulomb friction: a sliding contact stays closed
    Ncp,
}

impl Friction {
    pub(crate) fn model(self) -> FrictionModel {
        match self {
            Self::Ccp => FrictionModel::Ccp,
            Self::Ncp => FrictionModel::Ncp,
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Self::Ccp => Self::Ncp,
            Self::Ncp => Self::Ccp,
        }
    }
}
