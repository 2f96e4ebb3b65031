//! The scenes on the host: each on the largest stage there is for it, in static memory as on the target.

use std::sync::{Mutex, PoisonError};
use tumble_scenes::{
    LargeBottles, LargeBrazilNut, LargeCascade, LargeDicePlate, LargeShaker, Scene, SmallBalance, SmallDice,
    SmallGripper, SmallLinearFeeder, SmallMassRatio, SmallPyramid, SmallSetup, SmallSpringChain, SmallStressDrop,
    SmallWheels,
};

/// Play with the scene of this name, whatever was played before: reset it first. `None` where there is no such scene.
pub fn with_scene<T>(name: &str, play: impl FnOnce(&mut dyn Scene) -> T) -> Option<T> {
    macro_rules! on_stage {
        ($stage:ty) => {{
            // megabytes that need neither heap nor stack
            static STAGE: Mutex<$stage> = Mutex::new(<$stage>::new());
            // a reset clears it: what a panicking thread left behind does no harm
            play(&mut *STAGE.lock().unwrap_or_else(PoisonError::into_inner))
        }};
    }
    Some(match name {
        "shaker" => on_stage!(LargeShaker),
        "gripper" => on_stage!(SmallGripper),
        "cascade" => on_stage!(LargeCascade),
        "bottles" => on_stage!(LargeBottles),
        "spring-chain" => on_stage!(SmallSpringChain),
        "mass-ratio" => on_stage!(SmallMassRatio),
        "stress-drop" => on_stage!(SmallStressDrop),
        "brazil-nut" => on_stage!(LargeBrazilNut),
        "balance" => on_stage!(SmallBalance),
        "pyramid" => on_stage!(SmallPyramid),
        "dice" => on_stage!(SmallDice),
        "setup" => on_stage!(SmallSetup),
        "wheels" => on_stage!(SmallWheels),
        "linear-feeder" => on_stage!(SmallLinearFeeder),
        "dice-plate" => on_stage!(LargeDicePlate),
        _ => return None,
    })
}
