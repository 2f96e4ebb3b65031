//! Link against the root's memory.x, whatever the working directory.

fn main() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    println!("cargo:rustc-link-search={root}");
    println!("cargo:rerun-if-changed={root}/memory.x");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
}
