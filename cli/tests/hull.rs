//! `tumble hull` as a user meets it: tables that compile and pass, whichever format the mesh has; what is malformed is refused with place and reason.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use tumble::math::Vec3;
use tumble::shape::{Edge, Facet, Polyhedron, Shape};

// what the command printed for `WEDGE_OBJ`, as a user would have it
include!("hull/wedge.rs");

/// 30 × 20 × 10, half of a block, away from the origin. Of all else a point in the middle of a side.
const WEDGE_OBJ: &str = "\
# a comment, mm
o wedge
v 100 0 0
v 130 0 0
v 100 0 10
v 100 20 0 1.0
v 130 20 0\t
v 100 20 10
v 115 10 0
vn 0 0 1
f 1//1 2//1 3//1
f 4 6 5
f 1 4 5 2
f -7/1/1 -5 -2 -4
f 2 5 6 3
";

/// The same as triangles.
const WEDGE_TRIANGLES: [[[f32; 3]; 3]; 8] = {
    const P: [[f32; 3]; 6] = [
        [100.0, 0.0, 0.0],
        [130.0, 0.0, 0.0],
        [100.0, 0.0, 10.0],
        [100.0, 20.0, 0.0],
        [130.0, 20.0, 0.0],
        [100.0, 20.0, 10.0],
    ];
    [
        [P[0], P[1], P[2]],
        [P[3], P[5], P[4]],
        [P[0], P[3], P[4]],
        [P[0], P[4], P[1]],
        [P[0], P[2], P[5]],
        [P[0], P[5], P[3]],
        [P[1], P[4], P[5]],
        [P[1], P[5], P[2]],
    ]
};

fn stl_text(triangles: &[[[f32; 3]; 3]]) -> String {
    let vertex = |[x, y, z]: &[f32; 3]| format!("      vertex {x:e} {y:e} {z:e}\n");
    let facet = |t: &[[f32; 3]; 3]| {
        let points = t.iter().map(vertex).collect::<String>();
        format!("  facet normal 0 0 0\n    outer loop\n{points}    endloop\n  endfacet\n")
    };
    format!("solid wedge\n{}endsolid wedge\n", triangles.iter().map(facet).collect::<String>())
}

fn stl_binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    // a title that would be a text's first word
    let mut bytes = b"solid, but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn tumble(file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).arg("hull").arg(file).args(arguments).output().unwrap()
}

/// JSON from stdout, and what stderr says.
fn hull(file: &Path, arguments: &[&str]) -> (Value, String) {
    let output = tumble(file, &[&["--json", "-"], arguments].concat());
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    (serde_json::from_slice(&output.stdout).unwrap(), stderr)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The table in a JSON as a polyhedron.
fn polyhedron(json: &Value) -> Polyhedron<f32> {
    let real = |value: &Value| value.to_string().parse::<f32>().unwrap();
    let three = |value: &Value| Vec3::new(real(&value[0]), real(&value[1]), real(&value[2]));
    let list = |value: &Value| value.as_array().unwrap().clone();
    let byte = |value: &Value| value.as_u64().unwrap() as u8;
    let two = |value: &Value| [byte(&value[0]), byte(&value[1])];
    let mut rims: Vec<u8> = Vec::new();
    let mut facets = Vec::new();
    for facet in list(&json["facets"]) {
        let (first, corners) = (rims.len() as u16, list(&facet["corners"]));
        rims.extend(corners.iter().map(byte));
        let corners = corners.len() as u8;
        facets.push(Facet { normal: three(&facet["normal"]), offset: real(&facet["offset"]), first, corners });
    }
    let edge = |edge: &Value| Edge { vertices: two(&edge["vertices"]), facets: two(&edge["facets"]) };
    Polyhedron {
        vertices: list(&json["vertices"]).iter().map(three).collect::<Vec<_>>().leak(),
        facets: facets.leak(),
        rims: rims.leak(),
        edges: list(&json["edges"]).iter().map(edge).collect::<Vec<_>>().leak(),
        volume: real(&json["volume"]),
        moments: three(&json["moments"]),
        radius: real(&json["radius"]),
    }
}

#[test]
fn a_table_in_the_source_is_what_the_command_prints() {
    let folder = Folder::new();
    let file = folder.write("wedge.obj", WEDGE_OBJ);
    let output = tumble(&file, &["--scale", "0.001"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
    let on_record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/hull/wedge.rs");
    // to record a new one: tumble hull wedge.obj --scale 0.001 > cli/tests/hull/wedge.rs
    assert_eq!(printed, std::fs::read_to_string(on_record).unwrap(), "{printed}");

    assert_eq!(WEDGE.check(), Ok(()));
    let steel = Shape::Polyhedron(&WEDGE).mass_properties(7850.0).unwrap();
    assert!((steel.mass - 0.02355).abs() < 1e-8, "{steel:?}");
    // and JSON says the same, to the bit
    let (json, stderr) = hull(&file, &["--scale", "0.001"]);
    assert_eq!((polyhedron(&json), stderr.as_str()), (WEDGE, ""));
}

#[test]
fn every_format_gives_the_same_body() {
    let folder = Folder::new();
    let files = [
        folder.write("wedge.obj", WEDGE_OBJ),
        folder.write("text.stl", stl_text(&WEDGE_TRIANGLES)),
        folder.write("BINARY.STL", stl_binary(&WEDGE_TRIANGLES)),
    ];
    for file in files {
        let (json, stderr) = hull(&file, &["--scalar", "f64"]);
        assert_eq!(stderr, "");
        let rounded = |x: f64, exact: f64| assert!((x / exact - 1.0).abs() < 1e-14, "{x}, not {exact}");
        rounded(number(&json["volume"]), 3000.0);
        rounded(number(&json["mesh_volume"]), 3000.0);
        // a third of the legs from the right angle
        rounded(number(&json["position"][0]), 110.0);
        rounded(number(&json["position"][1]), 10.0);
        rounded(number(&json["position"][2]), 10.0 / 3.0);
        assert_eq!(json["vertices"].as_array().unwrap().len(), 6);
    }
}

#[test]
fn a_mesh_that_is_not_convex_is_told_by_how_much() {
    // an L of three cubes, its sides as polygons: 3 of the 3.5 that its hull has
    let mut text = String::new();
    for z in [0, 1] {
        for [x, y] in [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]] {
            text += &format!("v {x} {y} {z}\n");
        }
    }
    for k in 0..6 {
        let next = (k + 1) % 6;
        text += &format!("f {} {} {} {}\n", k + 1, next + 1, next + 7, k + 7);
    }
    // the top and bottom in convex pieces, whose sides meet
    text += "f 1 6 5 4\nf 1 4 3 2\nf 7 10 11 12\nf 7 8 9 10\n";
    let folder = Folder::new();
    let file = folder.write("l.obj", &text);
    let (json, stderr) = hull(&file, &[]);
    let expected =
        format!("tumble: {}: not convex: its volume is 14.286 % smaller than that of its hull\n", file.display());
    assert_eq!(stderr, expected);
    assert_eq!(json["vertices"].as_array().unwrap().len(), 10);

    // one side left out: nobody knows
    let open = text.replacen("f 1 2 8 7\n", "", 1);
    let (json, stderr) = hull(&folder.write("open.obj", open), &[]);
    assert!(stderr.contains("its faces do not close"), "{stderr}");
    assert_eq!(json["mesh_volume"], Value::Null);
    // faces that are none are nobody's business, and neither are none at all
    let (_, stderr) = hull(&folder.write("odd.obj", format!("{text}f 1 2 99\n")), &[]);
    assert_eq!(stderr, "");
}

#[test]
fn rounded_tables_pass_the_check() {
    let folder = Folder::new();
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    for k in 0..20 {
        // from round to long and thin, in millimetres, somewhere
        let thin = 0.5_f64.powi(k / 2);
        let text: String = (0..24)
            .map(|_| format!("v {} {} {}\n", 40.0 + 30.0 * next(), -20.0 + 30.0 * thin * next(), 30.0 * thin * next()))
            .collect();
        let (json, _) = hull(&folder.write("cloud.obj", text), &["--scale", "0.001"]);
        assert_eq!(polyhedron(&json).check(), Ok(()), "{json}");
    }
}

#[test]
fn options_do_what_they_say() {
    let folder = Folder::new();
    let file = folder.write("2nd-try.obj", WEDGE_OBJ);
    let text = |arguments: &[&str]| String::from_utf8(tumble(&file, arguments).stdout).unwrap();
    assert!(text(&[]).contains("pub static PART_2ND_TRY: tumble::shape::Polyhedron<f32>"));
    assert!(text(&["--name", "W_2", "--scalar", "f64"]).contains("pub static W_2: tumble::shape::Polyhedron<f64>"));
    // a pencil of 30 sides whose ends are blunt; to a tenth it is coarser
    let pencil: String = (0..60)
        .map(|k| (f64::from(k / 2) * std::f64::consts::TAU / 30.0, k % 2))
        .map(|(angle, z)| format!("v {} {} {z}\n", angle.cos(), angle.sin()))
        .collect();
    let file = folder.write("pencil.obj", pencil);
    let corners = |arguments: &[&str]| hull(&file, arguments).0["vertices"].as_array().unwrap().len();
    let (fine, coarse) = (corners(&[]), corners(&["--tolerance", "0.1"]));
    assert_eq!(fine, 60);
    assert!(coarse < 40, "{coarse}");
    // JSON to a file leaves the source on stdout
    let json = folder.0.path().join("pencil.json");
    let output = tumble(&file, &["--json", json.to_str().unwrap()]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("/// Convex hull of `pencil.obj`"));
    assert_eq!(serde_json::from_slice::<Value>(&std::fs::read(json).unwrap()).unwrap()["name"], "PENCIL");
}

/// Exit code 2, one line on stderr with this place and reason, nothing on stdout.
fn assert_refused(file: &Path, arguments: &[&str], place: &str, reason: &str) {
    let output = tumble(file, arguments);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{place}, {reason}: {stderr}");
    assert!(stderr.contains(&format!("{place}: ")), "expected {place}: {stderr}");
    assert!(stderr.contains(reason), "expected {reason}: {stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert!(output.stdout.is_empty(), "{place}, {reason}");
}

#[test]
fn malformed_files_are_refused() {
    let folder = Folder::new();
    let with = |old: &str, new: &str| WEDGE_OBJ.replacen(old, new, 1).into_bytes();
    let text = stl_text(&WEDGE_TRIANGLES);
    let binary = stl_binary(&WEDGE_TRIANGLES);
    let mut infinite = binary.clone();
    infinite[84 + 50 + 12..][..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let spoilt = |old: &str, new: &str| text.replacen(old, new, 1).into_bytes();
    let cut = &binary[..binary.len() - 1];
    let cases = [
        ("a.obj", b"".to_vec(), "file", "has no points"),
        ("a.obj", b"\xff\xfe nothing".to_vec(), "file", "has no points"),
        ("a.obj", with("v 130 0 0", "v 130 0"), "line 4", "z is missing"),
        ("a.obj", with("v 130 0 0", "v 130 zero 0"), "line 4", "y is not a finite number but \"zero\""),
        ("a.obj", with("v 130 0 0", "v nan 0 0"), "line 4", "x is not a finite number"),
        ("a.obj", with("v 130 0 0", "v 1e999 0 0"), "line 4", "x is not a finite number"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec(), "3 points", "points is out of its range"),
        ("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n".to_vec(), "4 points", "the points span no solid"),
        ("a.obj", b"v 0 0 0\nv 1 1 1\nv 2 2 2\nv 5 5 5\n".to_vec(), "4 points", "the points span no solid"),
        ("a.stl", b"".to_vec(), "file", "neither a text that begins with \"solid\""),
        ("a.stl", b"solid\nendsolid\n".to_vec(), "file", "has no points"),
        ("a.stl", spoilt("endsolid", "endsolids"), "line 58", "\"endsolids\" where no loop has begun"),
        ("a.stl", spoilt("endsolid wedge\n", ""), "end of file", "comes before \"endsolid\""),
        ("a.stl", spoilt("endloop", "facet"), "line 7", "\"facet\" within a loop"),
        ("a.stl", spoilt("outer loop", ""), "line 4", "\"vertex\" where no loop has begun"),
        ("a.stl", spoilt("    endloop", "vertex 1 2 3\nendloop"), "line 8", "a loop of 4 points"),
        ("a.stl", spoilt("vertex 1.3e2", "vertex x"), "line 5", "x is not a finite number but \"x\""),
        ("a.stl", [b"STL", &cut[3..]].concat(), "byte 80", "8 triangles take 484 bytes, and the file has 483"),
        ("a.stl", infinite, "triangle 1", "not a finite number"),
        ("a.ply", b"ply".to_vec(), "file", "neither .obj nor .stl"),
    ];
    for (name, bytes, place, reason) in cases {
        assert_refused(&folder.write(name, bytes), &[], place, reason);
    }
    assert_refused(&folder.0.path().join("missing.obj"), &[], "file", "cannot be read: No such file");

    // a ball has more corners than an id has numbers
    let ball: String = (0..500)
        .map(f64::from)
        .map(|k| ((k + 0.5) / 250.0 - 1.0, k * 2.4))
        .map(|(z, angle)| ((1.0 - z * z).sqrt(), angle, z))
        .map(|(r, angle, z)| format!("v {} {} {z}\n", r * angle.cos(), r * angle.sin()))
        .collect();
    let ball = folder.write("ball.obj", ball);
    assert_refused(&ball, &[], "500 points", "than 128 in their hull: --tolerance leaves out small ones");
    assert!(tumble(&ball, &["--tolerance", "0.15"]).status.success());
}

#[test]
fn tolerance_as_large_as_the_part_is_refused() {
    let folder = Folder::new();
    // 30 × 20 × 10 of the file's units
    let file = folder.write("wedge.obj", WEDGE_OBJ);
    let too_large =
        |limit: &str| format!("it must be less than {limit} m, the shortest side of the part's bounding box");
    for tolerance in ["1e300", "11", "10"] {
        assert_refused(&file, &["--tolerance", tolerance], "--tolerance", &too_large("10.0"));
    }
    assert_refused(&file, &["--tolerance", "10", "--scale", "0.001"], "--tolerance", &too_large("0.01"));
    assert!(tumble(&file, &["--tolerance", "1"]).status.success());
    // flat points are refused as such, whatever the tolerance
    let flat = folder.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
    assert_refused(&flat, &["--tolerance", "1e300"], "4 points", "the points span no solid");
}

#[cfg(unix)]
#[test]
fn mesh_over_the_size_cap_is_refused() {
    let folder = Folder::new();
    let endless = folder.0.path().join("zero.stl");
    std::os::unix::fs::symlink("/dev/zero", &endless).unwrap();
    assert_refused(&endless, &[], "file", "larger than 256 MiB (268435456 bytes), the most that is read");
}

#[test]
fn a_mark_before_text_costs_no_point() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("marked.obj");
    let points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(&path, ["\u{feff}", points].concat()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tumble")).arg("hull").arg(&path).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("4 corners"), "{output:?}");
}

#[test]
fn arguments_out_of_range_are_refused() {
    let folder = Folder::new();
    let file = folder.write("wedge.obj", WEDGE_OBJ);
    for scale in ["0", "-1", "nan", "inf"] {
        assert_refused(&file, &["--scale", scale], "--scale", "greater than 0");
    }
    for tolerance in ["-1", "nan", "inf", "-inf"] {
        assert_refused(&file, &["--tolerance", tolerance], "--tolerance", "at least 0");
    }
    for name in ["", "lower", "2ND", "WITH SPACE", "_X", "A-B"] {
        assert_refused(&file, &["--name", name], "--name", "capitals");
    }
    // too small and too large for single precision
    assert_refused(&file, &["--scale", "1e-12"], "7 points", "must be greater than zero");
    assert_refused(&file, &["--scale", "1e9"], "7 points", "finite");
    assert!(tumble(&file, &["--scale", "1e9", "--scalar", "f64"]).status.success());
}
