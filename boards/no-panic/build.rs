//! Link against the memory.x of this folder, whatever the working directory.

fn main() {
    let here = env!("CARGO_MANIFEST_DIR");
    println!("cargo:rustc-link-search={here}");
    println!("cargo:rerun-if-changed={here}/memory.x");
    println!("cargo:rustc-link-arg-bins=-Tlink.x");
}
