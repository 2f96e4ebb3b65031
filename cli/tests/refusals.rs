//! `tumble solve` as a user meets it: what is malformed is refused with place and reason, what is not comes back in its own order.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// Two balls, one upon the other on the ground (rows 0–2 and 3–5), the upper one spun by a motor (row 6). No redundancy: γ is unique.
fn sample() -> Value {
    let body = |v_free: [f64; 6]| {
        let inv_mass: [[f64; 6]; 6] =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { [2.0, 500.0][i / 3] } else { 0.0 }));
        json!({ "inv_mass": inv_mass, "v_free": v_free })
    };
    let row = |a: Value, ja: Value, b: Value, jb: Value, lo: Value| json!({ "a": a, "ja": ja, "b": b, "jb": jb, "e": 0.0, "c": 0.0, "lo": lo, "hi": null });
    let mut file = json!({
        "format": "tumble-problem-1",
        "name": "two balls",
        "source": { "any": ["thing"] },
        "bodies": [
            body([0.4, -0.1, -0.3, 0.0, 0.0, 1.0]),
            body([-0.2, 0.3, -0.5, 2.0, 0.0, -1.0]),
        ],
        "rows": [
            row(json!(0), json!([0, 0, 1, 0, 0, 0]), json!(null), json!(null), json!(0)),
            row(json!(0), json!([1, 0, 0, 0, -0.1, 0]), json!(null), json!(null), json!(null)),
            row(json!(0), json!([0, 1, 0, 0.1, 0, 0]), json!(null), json!(null), json!(null)),
            row(json!(1), json!([0, 0, 1, 0, 0, 0]), json!(0), json!([0, 0, -1, 0, 0, 0]), json!(0)),
            row(json!(1), json!([1, 0, 0, 0, -0.1, 0]), json!(0), json!([-1, 0, 0, 0, -0.1, 0]), json!(null)),
            row(json!(1), json!([0, 1, 0, 0.1, 0, 0]), json!(0), json!([0, -1, 0, 0.1, 0, 0]), json!(null)),
            row(json!(1), json!([0, 0, 0, 0, 0, 1]), json!(null), json!(null), json!(-0.001)),
        ],
        "contacts": [{ "n": 0, "t": [1, 2], "mu": 0.5 }, { "n": 3, "t": [4, 5], "mu": 0.2 }],
    });
    for (key, value) in [("e", 0.5), ("c", 0.01), ("hi", 0.001)] {
        file["rows"][6][key] = json!(value);
    }
    file
}

/// A third body beside the two of the sample.
fn third_body(file: &mut Value) {
    let body = file["bodies"][0].clone();
    file["bodies"].as_array_mut().unwrap().push(body);
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path("problem.json");
        std::fs::write(&path, text).unwrap();
        path
    }
}

fn tumble(file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).arg("solve").arg(file).args(arguments).output().unwrap()
}

/// Solve and read the JSON from stdout, where nothing else may be.
fn solve(file: &Value, arguments: &[&str]) -> Value {
    let folder = Folder::new();
    let path = folder.write(file.to_string());
    let output = tumble(&path, &[&["--json", "-"], arguments].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn numbers(values: &Value) -> Vec<f64> {
    match values {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().unwrap()],
    }
}

fn assert_close(a: &Value, b: &Value, tolerance: f64) {
    let (a, b) = (numbers(a), numbers(b));
    assert_eq!(a.len(), b.len());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= tolerance), "{a:?}\n{b:?}");
}

/// Exit code 2, one line on stderr with this place and reason, nothing else anywhere.
fn assert_refused(folder: &Folder, file: &Path, arguments: &[&str], place: &str, reason: &str) {
    let answer = folder.path("answer.json");
    let output = tumble(file, &[&["--json", answer.to_str().unwrap()], arguments].concat());
    let stderr = String::from_utf8(output.stderr).unwrap();
    println!("{stderr}");
    assert_eq!(output.status.code(), Some(2), "{place}, {reason}: {stderr}");
    assert!(stderr.starts_with(&format!("tumble: {}: {place}: ", file.display())), "expected {place}: {stderr}");
    assert!(stderr.contains(reason), "expected {reason}: {stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert!(output.stdout.is_empty(), "{place}, {reason}");
    assert!(!answer.exists(), "{place}, {reason}");
}

#[test]
fn malformed_text_is_refused() {
    let folder = Folder::new();
    let whole = sample().to_string();
    let deep = "[".repeat(100_000);
    let cut = whole.find("mu").unwrap();
    let cases: [(&[u8], &str, &str); 8] = [
        (b"", "file", "EOF while parsing a value"),
        (&whole.as_bytes()[..cut], "contacts[0]", "EOF while parsing a string"),
        (&[whole.as_bytes(), b" {}"].concat(), "end of file", "trailing characters"),
        (deep.as_bytes(), "[0]", "invalid type: sequence"),
        (&[br#"{"source":"#, deep.as_bytes()].concat(), "source", "EOF while parsing"),
        (&[br#"{"bodies":"#, deep.as_bytes()].concat(), "bodies[0][0][0][0]", "invalid type: sequence"),
        (b"{\"name\": \"\xff\"}", "byte 10", "not UTF-8"),
        (br#"{"bodies": [{"a\u001b\nb": 1}]}"#, "bodies[0].a\u{fffd}\u{fffd}b", "unknown field"),
    ];
    for (text, place, reason) in cases {
        assert_refused(&folder, &folder.write(text), &[], place, reason);
    }
    assert_refused(&folder, &folder.path("missing.json"), &[], "file", "cannot be read: No such file");
    assert_refused(&folder, folder.0.path(), &[], "file", "cannot be read");
}

#[test]
fn file_over_the_size_cap_is_refused() {
    let folder = Folder::new();
    let reason = "larger than 64 MiB (67108864 bytes), the most that is read: give a smaller file";
    #[cfg(unix)]
    assert_refused(&folder, Path::new("/dev/zero"), &[], "file", reason);
    let path = folder.path("large.json");
    let file = std::fs::File::create(&path).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    assert_refused(&folder, &path, &[], "file", reason);
    // of exactly that size it is read, and is no JSON
    file.set_len(64 << 20).unwrap();
    assert_refused(&folder, &path, &[], "file", "expected value");
}

#[test]
fn malformed_problems_are_refused() {
    type Edit = fn(&mut Value);
    let cases: [(Edit, &str, &str); 32] = [
        // the form
        (|file| file["format"] = json!("tumble-problem-2"), "format", "is not \"tumble-problem-1\""),
        (|file| drop(file.as_object_mut().unwrap().remove("format")), "file", "missing field `format`"),
        (|file| drop(file.as_object_mut().unwrap().remove("contacts")), "file", "missing field `contacts`"),
        (|file| drop(file["rows"][1].as_object_mut().unwrap().remove("lo")), "rows[1]", "missing field `lo`"),
        (|file| file["rows"][2]["ja"] = json!(null), "rows[2].ja", "missing although a is body 0"),
        (|file| file["rows"][2]["low"] = json!(0), "rows[2].low", "unknown field `low`"),
        (|file| file["rows"][2]["ja"] = json!([1, 2, 3, 4, 5]), "rows[2].ja", "invalid length 5"),
        (|file| file["rows"][2]["ja"] = json!([1, 2, 3, 4, 5, 6, 7]), "rows[2].ja", "the list must end at line 1"),
        (|file| file["bodies"][1]["inv_mass"][3] = json!([1]), "bodies[1].inv_mass[3]", "invalid length 1"),
        (|file| file["bodies"][1]["v_free"][3] = json!("1"), "bodies[1].v_free[3]", "invalid type: string"),
        (|file| file["contacts"][1]["n"] = json!(-1), "contacts[1].n", "invalid value: integer `-1`"),
        (|file| file["contacts"][1]["n"] = json!(0.5), "contacts[1].n", "invalid type: floating point"),
        (|file| file["rows"][2]["e"] = json!("@1e999"), "rows[2].e", "number out of range"),
        (|file| file["rows"][2]["e"] = json!("@NaN"), "rows[2].e", "expected"),
        // who is joined
        (|file| file["rows"][3]["b"] = json!(2), "rows[3].b", "there is no body 2, only 2"),
        (|file| file["rows"][3]["b"] = json!(1), "rows[3]", "must not join a body with itself"),
        (|file| file["rows"][6]["a"] = json!(null), "rows[6]", "joins no body"),
        (|file| file["rows"][1]["a"] = json!(null), "rows[1]", "joins no body"),
        (|file| file["contacts"][1]["t"][1] = json!(2), "contacts[1].t[1]", "row 2 belongs to contact 0 already"),
        (|file| file["contacts"][1]["t"][1] = json!(3), "contacts[1].t[1]", "row 3 belongs to contact 1 already"),
        (|file| file["contacts"][1]["t"][1] = json!(7), "contacts[1].t[1]", "there is no row 7, only 7"),
        (
            |file| {
                third_body(file);
                file["rows"][5]["b"] = json!(2);
            },
            "contacts[1]",
            "joins 3 bodies",
        ),
        // quantities
        (|file| file["rows"][6]["lo"] = json!(1), "rows[6]", "no impulse lies between"),
        (|file| file["rows"][6]["c"] = json!(-1), "rows[6]", "compliance must not be negative"),
        (|file| file["rows"][5]["c"] = json!(-1), "rows[5]", "compliance must not be negative"),
        (|file| file["rows"][2]["ja"] = json!([0, 0, 0, 0, 0, 0]), "rows[2]", "g + c must be greater than zero"),
        (|file| file["contacts"][1]["mu"] = json!(-0.1), "contacts[1]", "mu must not be negative"),
        (|file| file["bodies"][1]["inv_mass"][0][1] = json!(0.1), "bodies[1]", "inv_mass is not symmetric"),
        (|file| file["bodies"][1]["inv_mass"][5][5] = json!(-1), "bodies[1]", "inv_mass must be greater than zero"),
        (
            |file| {
                // |m_01| > √(m_00 m_11)
                for (i, j) in [(0, 1), (1, 0)] {
                    file["bodies"][1]["inv_mass"][i][j] = json!(2.1);
                }
            },
            "bodies[1]",
            "inv_mass must be greater than zero",
        ),
        (
            |file| file["bodies"] = vec![file["bodies"][0].clone(); 16_385].into(),
            "bodies[16384]",
            "no room for more bodies than 16384",
        ),
        (|file| file["reference"] = json!({ "ncp": { "v": [[0, 0, 0, 0, 0, 0]] } }), "reference.ncp.v", "1 velocities"),
    ];
    let folder = Folder::new();
    for (edit, place, reason) in cases {
        let mut file = sample();
        edit(&mut file);
        // "@text" stands for a text that is no JSON value of this reader
        let text = file.to_string().replace("\"@1e999\"", "1e999").replace("\"@NaN\"", "NaN");
        assert_refused(&folder, &folder.write(text), &[], place, reason);
    }
}

#[test]
fn numbers_that_do_not_fit_f32_are_refused_there_only() {
    let folder = Folder::new();
    let mut file = sample();
    file["rows"][6]["e"] = json!(1e300);
    let path = folder.write(file.to_string());
    assert_refused(&folder, &path, &["--scalar", "f32"], "rows[6]", "target_velocity is not a finite number");
    assert!(tumble(&path, &[]).status.success());
}

#[test]
fn reference_impulses_are_counted_too() {
    let folder = Folder::new();
    let mut file = sample();
    file["reference"] = json!({ "box": { "v": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]], "gamma": [1, 2] } });
    assert_refused(&folder, &folder.write(file.to_string()), &[], "reference.box.gamma", "2 impulses for 7 rows");
}

#[test]
fn unusable_arguments_are_refused() {
    let folder = Folder::new();
    let path = folder.write(sample().to_string());
    for (arguments, reason) in [
        (["--omega", "2"], "omega is out of its range"),
        (["--omega", "-1"], "omega is out of its range"),
        (["--tolerance", "-1e-9"], "tolerance must not be negative"),
        (["--tolerance", "nan"], "tolerance is not a finite number"),
    ] {
        assert_refused(&folder, &path, &arguments, "settings", reason);
    }
    for corners in ["3", "17"] {
        assert_refused(&folder, &path, &["--pyramid", corners], "contacts[0]", "corners is out of its range");
    }
    for arguments in [["--method", "magic"], ["--iterations", "-1"], ["--scalar", "f16"], ["--friction", ""]] {
        let output = tumble(&path, &arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = Folder::new();
    let path = folder.write(sample().to_string());
    let output = tumble(&path, &["--json", folder.path("no/such/folder").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("cannot be written") && stderr.matches('\n').count() == 1, "{stderr}");
    assert!(output.stdout.is_empty());
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    let folder = Folder::new();
    let path = folder.write(sample().to_string());
    for arguments in [&[][..], &["--json", "-"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tumble"));
        let output = command.arg("solve").arg(&path).args(arguments).stdout(writer).stderr(Stdio::piped()).output();
        let output = output.unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}

#[test]
fn json_has_the_documented_keys() {
    let answer = solve(&sample(), &[]);
    let mut keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let documented = "bound energy friction gain gamma iterations method name natural_residual reference reference_error rows scalar \
                      status v violation";
    assert_eq!(keys.join(" "), documented);
    for (key, value) in [
        ("name", json!("two balls")),
        ("method", json!("default")),
        ("friction", json!("ncp")),
        ("scalar", json!("f64")),
        ("rows", json!(7)),
        ("status", json!("converged")),
        ("reference", json!(null)),
        ("reference_error", json!(null)),
    ] {
        assert_eq!(answer[key], value, "{key}");
    }
    assert_eq!(numbers(&answer["v"]).len(), 12);
    assert_eq!(numbers(&answer["gamma"]).len(), 7);
    // both balls rest on what is below them, and the motor is at its limit
    assert!((answer["v"][0][2].as_f64().unwrap()).abs() < 1e-6 && answer["v"][1][2].as_f64().unwrap().abs() < 1e-6);
    assert_eq!(answer["gamma"][6], json!(0.001));
}

#[test]
fn json_file_and_table_come_together() {
    let folder = Folder::new();
    let path = folder.write(sample().to_string());
    let answer = folder.path("answer.json");
    let output = tumble(&path, &["--json", answer.to_str().unwrap(), "--iterations", "3", "--tolerance", "0"]);
    assert!(output.status.success());
    let table = String::from_utf8(output.stdout).unwrap();
    for line in ["two balls", "7 rows, 2 bodies, 2 contacts", "default, friction ncp, f64", "cap after 3 sweeps"] {
        assert!(table.contains(line), "{line}:\n{table}");
    }
    let answer: Value = serde_json::from_slice(&std::fs::read(answer).unwrap()).unwrap();
    assert_eq!((&answer["status"], &answer["iterations"]), (&json!("cap"), &json!(3)));
}

#[test]
fn every_choice_solves_and_the_models_differ() {
    let file = sample();
    for friction in ["ccp", "ncp"] {
        let answer = |arguments: &[&str]| solve(&file, &[&["--friction", friction], arguments].concat());
        let double = answer(&[]);
        let psor = answer(&["--method", "psor"]);
        assert_eq!(psor["method"], "psor");
        assert_close(&double["v"], &psor["v"], 1e-6);
        let single = answer(&["--scalar", "f32"]);
        assert_eq!(single["scalar"], "f32");
        assert_close(&double["v"], &single["v"], 1e-4);
        let relaxed = answer(&["--method", "psor", "--omega", "0.8"]);
        assert_ne!(relaxed["v"], psor["v"]);
        // slower, it stops farther out
        assert_close(&double["v"], &relaxed["v"], 1e-5);
        for method in ["simplex", "hybrid"] {
            let exact = answer(&["--method", method]);
            assert_eq!((&exact["method"], &exact["status"]), (&json!(method), &json!("converged")), "{friction}");
            assert_close(&double["v"], &exact["v"], 1e-6);
        }
        // sixteen corners are nearly a cone, inside it by up to 2 %
        let (sixteen, four) = (answer(&["--pyramid", "16"]), answer(&["--pyramid", "4", "--method", "simplex"]));
        assert_close(&double["v"], &sixteen["v"], 0.15);
        assert_ne!(four["v"], sixteen["v"]);
    }
    let [ccp, ncp] = ["ccp", "ncp"].map(|friction| numbers(&solve(&file, &["--friction", friction])["v"]));
    assert!(ccp.iter().zip(ncp).any(|(ccp, ncp)| (ccp - ncp).abs() > 1e-3));
}

#[test]
fn the_order_of_the_file_does_not_matter() {
    let file = sample();
    let mut permuted = file.clone();
    // scatter the contacts' rows: new row i is old row ORDER[i]
    const ORDER: [usize; 7] = [6, 4, 2, 0, 5, 1, 3];
    let new_index = |old: &Value| json!(ORDER.iter().position(|row| json!(row) == *old).unwrap());
    permuted["rows"] = ORDER.iter().map(|&row| file["rows"][row].clone()).collect();
    for contact in permuted["contacts"].as_array_mut().unwrap() {
        contact["n"] = new_index(&contact["n"]);
        contact["t"] = json!([new_index(&contact["t"][0]), new_index(&contact["t"][1])]);
    }
    // some rows the other way round, which puts the ground first in those that have it
    for row in [0, 2, 4, 5] {
        let row = &mut permuted["rows"][row];
        let old = row.clone();
        for (to, from) in [("a", "b"), ("b", "a"), ("ja", "jb"), ("jb", "ja")] {
            row[to] = old[from].clone();
        }
    }
    let tight = ["--tolerance", "1e-24"];
    let (answer, permuted) = (solve(&file, &tight), solve(&permuted, &tight));
    assert_eq!(permuted["status"], "converged");
    assert_close(&answer["v"], &permuted["v"], 1e-9);
    let gamma: Value = ORDER.iter().map(|&row| answer["gamma"][row].clone()).collect();
    assert_close(&gamma, &permuted["gamma"], 1e-9);
}

#[test]
fn references_are_compared_within_one_model() {
    let mut file = sample();
    let ncp = solve(&file, &["--tolerance", "1e-24"]);
    file["reference"] = json!({ "ncp": { "v": ncp["v"], "gamma": ncp["gamma"] } });
    let answer = solve(&file, &[]);
    assert_eq!(answer["reference"], "ncp");
    assert!(answer["reference_error"].as_f64().unwrap() < 1e-9);
    // one sweep less is further away
    assert!(solve(&file, &["--iterations", "1"])["reference_error"].as_f64().unwrap() > 1e-9);
    let other = solve(&file, &["--friction", "ccp"]);
    assert_eq!((&other["reference"], &other["reference_error"]), (&json!(null), &json!(null)));
    let folder = Folder::new();
    let table = tumble(&folder.write(file.to_string()), &["--friction", "ccp"]).stdout;
    assert!(String::from_utf8(table).unwrap().contains("the file knows only the ncp answer"));
}

#[test]
fn an_empty_problem_is_solved() {
    let mut file = sample();
    (file["rows"], file["contacts"]) = (json!([]), json!([]));
    let answer = solve(&file, &[]);
    assert_eq!(answer["status"], "converged");
    assert_eq!((&answer["energy"], &answer["gamma"]), (&json!(0.0), &json!([])));
    assert_eq!(answer["v"][1], file["bodies"][1]["v_free"]);
    file["bodies"] = json!([]);
    assert_eq!(solve(&file, &["--scalar", "f32"])["v"], json!([]));
}

#[test]
fn an_overflow_says_so() {
    // 1e308 rad/s is a number, its energy is none
    let mut file = sample();
    file["rows"][6]["e"] = json!(1e308);
    (file["rows"][6]["lo"], file["rows"][6]["hi"], file["rows"][6]["c"]) = (json!(null), json!(null), json!(0));
    let folder = Folder::new();
    let output = tumble(&folder.write(file.to_string()), &["--json", "-"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("numbers overflowed"));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&answer["status"], &answer["energy"]), (&json!("non_finite"), &json!(null)));
    assert_eq!(answer["v"][1], file["bodies"][1]["v_free"]);
}
