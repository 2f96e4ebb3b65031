//! Tables that scenes have in flash are what `tumble hull` makes of the meshes beside them. TUMBLE_BLESS=1 writes them anew.
// the program is asked, and a test may panic
#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::Command;

#[test]
fn solids_of_scenes_are_what_the_program_makes() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes");
    let mut made = 0;
    for file in std::fs::read_dir(scenes.join("solids")).unwrap() {
        let mesh = file.unwrap().path();
        let name = mesh.file_stem().unwrap().to_str().unwrap();
        let mut tumble = Command::new(env!("CARGO_BIN_EXE_tumble"));
        let output =
            tumble.arg("hull").arg(&mesh).args(["--scale", "0.001", "--name", &name.to_uppercase()]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let table = scenes.join("src/solids").join(name).with_extension("rs");
        if std::env::var_os("TUMBLE_BLESS").is_some() {
            std::fs::write(&table, &output.stdout).unwrap();
        }
        assert_eq!(String::from_utf8(output.stdout).unwrap(), std::fs::read_to_string(&table).unwrap(), "{name}");
        made += 1;
    }
    assert!(made >= 11, "only {made} meshes");
}
