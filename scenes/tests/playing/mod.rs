//! What tests of twins share: begin, play, read off.

use std::collections::HashMap;
use tumble_scenes::Scene;

/// A stage just reset.
pub(crate) fn begun<S: Scene>(stage: S) -> Box<S> {
    let mut stage = Box::new(stage);
    stage.reset().unwrap();
    stage
}

/// Key figures by name.
pub(crate) type Kpis = HashMap<&'static str, f32>;

/// All that a stage tells now.
pub(crate) fn kpis(stage: &dyn Scene) -> Kpis {
    let mut kpis = Kpis::new();
    stage.kpis(&mut |name, value| {
        kpis.insert(name, value);
    });
    kpis
}

/// Make so many steps, in which nothing may find no room; returns the key figures.
pub(crate) fn play(stage: &mut dyn Scene, steps: u32) -> Kpis {
    let (h, settings) = (stage.h(), stage.settings());
    for step in 0..steps {
        let report = stage.step(h, &settings).unwrap();
        assert_eq!(report.contacts_dropped, 0, "step {step}");
    }
    kpis(stage)
}
