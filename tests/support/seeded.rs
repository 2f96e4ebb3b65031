//! Cases that are drawn, but the same ones in every run.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

pub(crate) fn seeded(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(2006), failure_persistence: None, ..ProptestConfig::default() }
}
