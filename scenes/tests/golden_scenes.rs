//! Golden: a hash of every scene's state after so many steps, the same on every machine, compiler and profile. A change of any bit shows
//! here, to be reviewed: `TUMBLE_BLESS=1 cargo test -p tumble-scenes` writes the file anew.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::sync::Mutex;
use tumble_scenes::{
    BOARD_SCENES, BOARD_TWINS, LargeBottles, LargeBrazilNut, LargeCascade, LargeDicePlate, LargePlateFeeder,
    LargeShaker, SmallBalance, SmallBottles, SmallBowl, SmallBrazilNut, SmallCascade, SmallDice, SmallDicePlate,
    SmallGripper, SmallLinearFeeder, SmallMassRatio, SmallPlateFeeder, SmallPyramid, SmallRejectConveyor, SmallSetup,
    SmallShaker, SmallSpringChain, SmallStressDrop, SmallWeighAndDose, SmallWheels, board_steps, write_hash,
};

#[test]
fn scenes_have_the_bits_on_record() {
    let mut table = String::new();
    macro_rules! golden {
        ($($name:literal $stage:ident $steps:expr;)*) => {
            $({
                static STAGE: Mutex<$stage> = Mutex::new($stage::new());
                write_hash(&mut table, $name, &mut *STAGE.lock().unwrap(), $steps, |step| step()).unwrap();
            })*
        };
    }
    // first what boards play, line by line as they write it
    golden! {
        "shaker" SmallShaker board_steps("shaker");
        "gripper" SmallGripper board_steps("gripper");
        "cascade" SmallCascade board_steps("cascade");
        "bottles" SmallBottles board_steps("bottles");
        "spring-chain" SmallSpringChain board_steps("spring-chain");
        "mass-ratio" SmallMassRatio board_steps("mass-ratio");
        "stress-drop" SmallStressDrop board_steps("stress-drop");
        "brazil-nut" SmallBrazilNut board_steps("brazil-nut");
        "dice-plate" SmallDicePlate board_steps("dice-plate");
        "balance" SmallBalance board_steps("balance");
        "pyramid" SmallPyramid board_steps("pyramid");
        "dice" SmallDice board_steps("dice");
        "setup" SmallSetup board_steps("setup");
        "wheels" SmallWheels board_steps("wheels");
        "linear-feeder" SmallLinearFeeder board_steps("linear-feeder");
        "reject-conveyor" SmallRejectConveyor board_steps("reject-conveyor");
        "weigh-and-dose" SmallWeighAndDose board_steps("weigh-and-dose");
        "bowl" SmallBowl board_steps("bowl");
        "plate-feeder" SmallPlateFeeder board_steps("plate-feeder");
    }
    let names: Vec<_> = table.lines().map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect();
    let expected: Vec<_> = BOARD_SCENES.iter().chain(&BOARD_TWINS).map(|(name, _)| *name).collect();
    assert_eq!(names, expected, "every scene of the boards is here");
    golden! {
        "large-plate-feeder" LargePlateFeeder 100;
        "large-shaker" LargeShaker 40;
        "large-cascade" LargeCascade 500;
        "large-bottles" LargeBottles 1500;
        "large-brazil-nut" LargeBrazilNut 300;
        "large-dice-plate" LargeDicePlate 300;
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_scenes.txt");
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let on_record = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(table, on_record, "states have changed; if that is meant, run again with TUMBLE_BLESS=1");
}
