//! Waveforms of drives: `sin φ` and `cos φ` of a phase in radians.
//!
//! libm by default, so that a drive has the same bits on host and target. With the feature `micromath` its polynomial
//! instead: off by up to 2e-3, smaller and faster where there is no FPU, and still the same bits everywhere. Nothing
//! but a drive may use this module: friction cones and rotations need exact roots and sines.

#[cfg(feature = "micromath")]
use micromath::F32Ext;

/// `sin φ`, φ in radians.
///
/// ```
/// use tumble::math::waveform;
/// assert!((waveform::sin(core::f32::consts::FRAC_PI_2) - 1.0).abs() < 2e-3);
/// ```
pub fn sin(phase: f32) -> f32 {
    #[cfg(feature = "micromath")]
    return F32Ext::sin(phase);
    #[cfg(not(feature = "micromath"))]
    return libm::sinf(phase);
}

/// `cos φ`, φ in radians.
pub fn cos(phase: f32) -> f32 {
    #[cfg(feature = "micromath")]
    return F32Ext::cos(phase);
    #[cfg(not(feature = "micromath"))]
    return libm::cosf(phase);
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_back_ends_stay_within_the_stated_error() {
        let stated = if cfg!(feature = "micromath") { 2e-3 } else { 1e-7 };
        for k in -1000_i16..=1000 {
            let phase = f32::from(k) * 0.01;
            let exact = libm::sin(f64::from(phase));
            assert!((f64::from(super::sin(phase)) - exact).abs() < stated, "sin {phase}");
            let exact = libm::cos(f64::from(phase));
            assert!((f64::from(super::cos(phase)) - exact).abs() < stated, "cos {phase}");
        }
    }
}
