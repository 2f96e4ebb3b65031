//! Golden: a hash of every scene's state after so many steps, the same on every machine, compiler and profile. A change of any bit shows
//! here, to be reviewed: `TUMBLE_BLESS=1 cargo test -p tumble-scenes` writes the file anew.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::fmt::Write;
use std::sync::Mutex;
use tumble_scenes::{
    LargeBottles, LargeBrazilNut, LargeCascade, LargeShaker, Scene, SmallBottles, SmallBrazilNut, SmallCascade,
    SmallGripper, SmallMassRatio, SmallShaker, SmallSpringChain, SmallStressDrop,
};

/// Play from the start and write a line: hash, name, steps.
fn play(table: &mut String, name: &str, scene: &mut dyn Scene, steps: u32) {
    scene.reset().unwrap();
    let (h, settings) = (scene.h(), scene.settings());
    for _ in 0..steps {
        let _ = scene.step(h, &settings).unwrap();
    }
    writeln!(table, "{:016x} {name} {steps}", scene.state_hash()).unwrap();
}

#[test]
fn scenes_have_the_bits_on_record() {
    let mut table = String::new();
    macro_rules! golden {
        ($($stage:ident $steps:literal)*) => {
            $({
                static STAGE: Mutex<$stage> = Mutex::new($stage::new());
                play(&mut table, stringify!($stage), &mut *STAGE.lock().unwrap(), $steps);
            })*
        };
    }
    golden! {
        SmallShaker 1000
        SmallGripper 1000
        SmallCascade 1000
        SmallBottles 1500
        SmallSpringChain 1000
        SmallMassRatio 300
        SmallStressDrop 1000
        SmallBrazilNut 1000
        LargeShaker 40
        LargeCascade 500
        LargeBottles 1500
        LargeBrazilNut 300
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_scenes.txt");
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let on_record = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(table, on_record, "states have changed; if that is meant, run again with TUMBLE_BLESS=1");
}
