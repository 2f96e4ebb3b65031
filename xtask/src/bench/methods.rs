//! Scenes by sweeps alone and with memory for pivots: what the default was decided by.

use super::Findings;
use crate::shell::step;
use anyhow::{Context, Result};
use std::sync::{Mutex, PoisonError};
use tumble::Method;
use tumble::solve::Exact;
use tumble_cli::stages::with_scene;
use tumble_scenes::SCENES;

const BENCH: &str = "exact";
const METHODS: [(&str, Method); 3] =
    [("sweeps", Method::Anderson), ("hybrid", Method::Hybrid), ("simplex", Method::Simplex)];
/// Of every scene; of some that is the time until parts touch and a little more.
const STEPS: u32 = 500;

/// Energy error, penetration and iterations of every scene on the host by each method.
pub(super) fn run(findings: &mut Findings) -> Result<()> {
    static EXACT: Mutex<Exact<f32, 64, 256, 16_384>> = Mutex::new(Exact::new());
    let mut exact = EXACT.lock().unwrap_or_else(PoisonError::into_inner);
    findings.line(format!(
        "exact: {STEPS} steps of every scene here, with memory for islands of 256 rows; simplex by pivots alone"
    ));
    findings.line("  scene         method   energy mean    energy most   penetration  iterations");
    for (scene, _) in SCENES {
        for (variant, method) in METHODS {
            let played = step(&format!("{scene} by {variant}"), || {
                let played = with_scene(scene, |scene| -> Result<_, tumble::Error> {
                    scene.reset()?;
                    let (h, mut settings) = (scene.h(), scene.settings());
                    settings.solve.method = method;
                    let (mut sum, mut most, mut penetration, mut iterations) = (0.0_f64, 0.0_f64, 0.0_f64, 0_u64);
                    for _ in 0..STEPS {
                        let report =
                            scene.step_by(h, &settings, &mut |world, h| world.step_with(h, &settings, &mut *exact))?;
                        sum += f64::from(report.solve.energy);
                        most = most.max(report.solve.energy.into());
                        penetration = penetration.max(report.penetration.into());
                        iterations += u64::from(report.solve.iterations);
                    }
                    let steps = f64::from(STEPS);
                    Ok([sum / steps, most, penetration, iterations as f64 / steps])
                });
                Ok(played.context("no such scene")??)
            })?;
            let [mean, most, penetration, iterations] = played;
            findings.line(format!(
                "  {scene:12}  {variant:7}  {mean:>9.1e} J  {most:>11.1e} J  {penetration:>9.1e} m  {iterations:>10.1}"
            ));
            let mut record = |metric, value, unit| findings.record(BENCH, scene, variant, metric, value, unit);
            record("energy_error_mean", mean, "J");
            record("energy_error_max", most, "J");
            record("penetration_max", penetration, "m");
            record("iterations_mean", iterations, "1");
        }
    }
    Ok(())
}
