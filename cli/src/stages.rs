//! The scenes on the host: each on the largest stage there is for it, in static memory as on the target; and on the stage that a record was made on.

use std::sync::{Mutex, PoisonError};
use tumble_scenes::{
    LargeBottles, LargeBrazilNut, LargeCascade, LargeDicePlate, LargePlateFeeder, LargeShaker, Scene, SmallBalance,
    SmallBottles, SmallBowl, SmallBrazilNut, SmallCascade, SmallDice, SmallDicePlate, SmallGripper, SmallLinearFeeder,
    SmallMassRatio, SmallPlateFeeder, SmallPyramid, SmallRejectConveyor, SmallSetup, SmallShaker, SmallSpringChain,
    SmallStressDrop, SmallWeighAndDose, SmallWheels,
};

/// Scenes whose stage on the host is larger than that of boards.
const LARGE: [(&str, &str); 6] = [
    ("shaker", "large-shaker"),
    ("cascade", "large-cascade"),
    ("bottles", "large-bottles"),
    ("brazil-nut", "large-brazil-nut"),
    ("dice-plate", "large-dice-plate"),
    ("plate-feeder", "large-plate-feeder"),
];

/// Play with the scene of this name, whatever was played before: reset it first. `None` where there is no such scene.
pub fn with_scene<T>(name: &str, play: impl FnOnce(&mut dyn Scene) -> T) -> Option<T> {
    // stages are no scenes
    if LARGE.iter().any(|(_, stage)| *stage == name) {
        return None;
    }
    with_stage(stage_of(name), play)
}

/// What records call the stage on which the host plays a scene. Boards play on the small one, which is called as the scene.
pub fn stage_of(scene: &str) -> &str {
    LARGE.iter().find(|(name, _)| *name == scene).map_or(scene, |(_, stage)| stage)
}

/// Play on the stage that a record names. `None` where there is no such stage.
pub fn with_stage<T>(stage: &str, play: impl FnOnce(&mut dyn Scene) -> T) -> Option<T> {
    macro_rules! on_stage {
        ($stage:ty) => {{
            // megabytes that need neither heap nor stack
            static STAGE: Mutex<$stage> = Mutex::new(<$stage>::new());
            // a reset clears it: what a panicking thread left behind does no harm
            play(&mut *STAGE.lock().unwrap_or_else(PoisonError::into_inner))
        }};
    }
    Some(match stage {
        "shaker" => on_stage!(SmallShaker),
        "large-shaker" => on_stage!(LargeShaker),
        "gripper" => on_stage!(SmallGripper),
        "cascade" => on_stage!(SmallCascade),
        "large-cascade" => on_stage!(LargeCascade),
        "bottles" => on_stage!(SmallBottles),
        "large-bottles" => on_stage!(LargeBottles),
        "spring-chain" => on_stage!(SmallSpringChain),
        "mass-ratio" => on_stage!(SmallMassRatio),
        "stress-drop" => on_stage!(SmallStressDrop),
        "brazil-nut" => on_stage!(SmallBrazilNut),
        "large-brazil-nut" => on_stage!(LargeBrazilNut),
        "balance" => on_stage!(SmallBalance),
        "pyramid" => on_stage!(SmallPyramid),
        "dice" => on_stage!(SmallDice),
        "setup" => on_stage!(SmallSetup),
        "wheels" => on_stage!(SmallWheels),
        "linear-feeder" => on_stage!(SmallLinearFeeder),
        "reject-conveyor" => on_stage!(SmallRejectConveyor),
        "weigh-and-dose" => on_stage!(SmallWeighAndDose),
        "bowl" => on_stage!(SmallBowl),
        "plate-feeder" => on_stage!(SmallPlateFeeder),
        "large-plate-feeder" => on_stage!(LargePlateFeeder),
        "dice-plate" => on_stage!(SmallDicePlate),
        "large-dice-plate" => on_stage!(LargeDicePlate),
        _ => return None,
    })
}
