//! `tumble run` and `tumble scenes` as a user meets them.
#![allow(clippy::disallowed_methods, reason = "host code: its arithmetic does not reach the solver")]

use serde_json::{Value, json};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tumble_cli::stages::with_scene;
use tumble_scenes::SCENES;

fn tumble(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tumble")).args(arguments).output().unwrap()
}

/// Run and read the JSON from stdout, where nothing else may be; nor is there a bar on what is no terminal.
fn run(arguments: &[&str]) -> Value {
    let output = tumble(&[&["run"], arguments, &["--json", "-"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn every_scene_is_listed_and_runs() {
    let listed = String::from_utf8(tumble(&["scenes"]).stdout).unwrap();
    assert_eq!(listed.lines().count(), SCENES.len());
    for (line, (name, about)) in listed.lines().zip(SCENES) {
        assert!(line.starts_with(&format!("{name} ")) && line.ends_with(about), "{line}");
        let answer = run(&[name, "--steps", "2"]);
        assert_eq!((&answer["scene"], &answer["steps"]), (&json!(name), &json!(2)));
        assert!(answer["bodies"].as_u64().unwrap() > 1, "{name}");
        assert!(!answer["kpi"].as_object().unwrap().is_empty(), "{name}");
    }
}

#[test]
fn json_has_the_documented_keys() {
    let answer = run(&["gripper", "--steps", "50"]);
    let mut keys: Vec<&str> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let documented = "bodies contacts_dropped contacts_max contacts_mean energy_max energy_mean h hash iterations_mean \
                      kinetic_energy kpi penetration_max scene status steps";
    assert_eq!(keys.join(" "), documented);
    let mut statuses: Vec<&str> = answer["status"].as_object().unwrap().keys().map(String::as_str).collect();
    statuses.sort_unstable();
    assert_eq!(statuses.join(" "), "cap converged deadline infeasible non_finite stalled");
    let ended: u64 = answer["status"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(ended, 50);
    assert_eq!((&answer["h"], &answer["bodies"], &answer["contacts_dropped"]), (&json!(0.001), &json!(19), &json!(0)));
    // a part on a table and eight rollers on the cam
    assert!(answer["contacts_mean"].as_f64().unwrap() <= answer["contacts_max"].as_f64().unwrap());
    assert!(answer["contacts_max"].as_u64().unwrap() >= 12);
    assert!(answer["energy_mean"].as_f64().unwrap() <= answer["energy_max"].as_f64().unwrap());
    assert!(answer["kpi"]["off_centre_m"].as_f64().unwrap() > 2e-3);
}

#[test]
fn scenes_run_by_every_method() {
    // parts of the cascade fall for a while before any touch
    for (scene, steps) in [("gripper", "20"), ("mass-ratio", "20"), ("cascade", "150"), ("bottles", "20")] {
        let mut hashes = Vec::new();
        for method in ["psor", "block", "nesterov", "default", "simplex", "hybrid"] {
            let answer = run(&[scene, "--steps", steps, "--method", method]);
            assert!(answer["penetration_max"].as_f64().unwrap() < 1e-3, "{scene} by {method}: {answer}");
            assert_eq!(answer["status"]["non_finite"], 0, "{scene} by {method}");
            hashes.push(answer["hash"].clone());
        }
        hashes.dedup();
        assert!(hashes.len() > 3, "{scene} is the same by every method: {hashes:?}");
    }
    // heavy on light: twenty sweeps do not hold it, pivots do
    let held = run(&["mass-ratio", "--method", "hybrid", "--steps", "300", "--iterations", "20"]);
    assert!(held["penetration_max"].as_f64().unwrap() < 1e-5, "{held}");
    assert_eq!(held["status"]["converged"], 300);
}

#[test]
fn the_hash_is_that_of_the_library() {
    let answer = run(&["spring-chain", "--steps", "40"]);
    let expected = with_scene("spring-chain", |scene| {
        scene.reset().unwrap();
        let (h, settings) = (scene.h(), scene.settings());
        for _ in 0..40 {
            let _ = scene.step(h, &settings).unwrap();
        }
        format!("{:016x}", scene.state_hash())
    });
    assert_eq!(answer["hash"].as_str(), expected.as_deref());
}

#[test]
fn every_argument_counts() {
    let plain = run(&["mass-ratio", "--steps", "20"]);
    assert_eq!(run(&["mass-ratio", "--steps", "20"]), plain);
    for arguments in [["--iterations", "3"], ["--h", "0.002"], ["--friction", "ccp"]] {
        let other = run(&[&["mass-ratio", "--steps", "20"], &arguments[..]].concat());
        assert_ne!(other["hash"], plain["hash"], "{arguments:?}");
    }
    assert_eq!(run(&["mass-ratio", "--steps", "20", "--friction", "ncp"]), plain);
    let short = run(&["mass-ratio", "--steps", "20", "--iterations", "3"]);
    assert!(short["iterations_mean"].as_f64().unwrap() <= 3.0);
    assert_eq!(run(&["mass-ratio", "--steps", "20", "--h", "0.002"])["h"], json!(0.002));
    assert_eq!(run(&["spring-chain"])["steps"], json!(with_scene("spring-chain", |scene| scene.steps())));
}

#[test]
fn table_and_json_file_come_together() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer.json");
    let output = tumble(&["run", "stress-drop", "--steps", "300", "--json", path.to_str().unwrap()]);
    assert!(output.status.success() && output.stderr.is_empty());
    let table = String::from_utf8(output.stdout).unwrap();
    let answer: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let dropped = answer["contacts_dropped"].as_u64().unwrap();
    assert!(dropped > 0);
    for text in [
        "stress-drop, 25 bodies",
        "300 of 0.001 s: ",
        &format!("{dropped} dropped"),
        "iterations ",
        "energy error ",
        "penetration ",
        "kinetic energy ",
        "time per step ",
        answer["hash"].as_str().unwrap(),
        "refused            3\n",
    ] {
        assert!(table.contains(text), "{text}:\n{table}");
    }
}

#[test]
fn unusable_arguments_are_refused_in_a_sentence() {
    for (arguments, reason) in [
        (&["carousel"][..], "SCENE: there is no \"carousel\", only shaker, gripper, cascade, bottles, "),
        (&["\u{1b}\n"], "SCENE: there is no \"\\u{1b}\\n\", only "),
        (&["gripper", "--steps", "0"], "--steps: must be at least 1, not 0"),
        (&["gripper", "--iterations", "0"], "--iterations: must be at least 1, not 0"),
        (&["gripper", "--h", "0"], "--h: must be a finite number of seconds greater than 0"),
        (&["gripper", "--h", "-0.001"], ", not -0.001"),
        (&["gripper", "--h", "nan"], ", not NaN"),
        (&["gripper", "--h", "inf"], ", not inf"),
        (&["gripper", "--h", "1e-45"], ", not 1e-45"),
        (
            &["reject-conveyor", "--h", "1e-12"],
            "--h: 1e-12 s is nothing for reject-conveyor, whose steps are 0.001 s: h is out of its range",
        ),
        (&["bowl", "--h", "0.01"], "--h: 0.01 s is nothing for bowl, "),
        (
            &["linear-feeder", "--h", "0.0005"],
            "--h: 0.0005 s is nothing for linear-feeder, whose steps are 0.001 s: h is out",
        ),
        (&["gripper", "--record", "-"], "--record: a record is a file"),
    ] {
        let output = tumble(&[&["run", "--json", "-"], arguments].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.starts_with("tumble: ") && stderr.contains(reason), "{arguments:?}: {stderr}");
        assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    for arguments in [["--friction", "glue"], ["--steps", "many"], ["--h", "short"], ["--iterations", "-1"]] {
        let output = tumble(&[&["run", "gripper"], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn step_longer_than_the_limit_is_refused() {
    for h in ["3e38", "1", "0.0201"] {
        let output = tumble(&["run", "shaker", "--h", h]);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{stderr}");
        let value = h.parse::<f32>().unwrap();
        let reason = format!("tumble: --h: {value:?} s is too long: a step is at most 0.02 s; use a shorter step\n");
        assert_eq!(stderr, reason);
    }
    assert!(tumble(&["run", "gripper", "--steps", "5", "--h", "0.02"]).status.success());
}

#[cfg(unix)]
#[test]
fn interrupted_run_exits_with_130_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.tumr");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tumble"));
    let arguments = ["run", "mass-ratio", "--steps", "1000000000", "--record", path.to_str().unwrap()];
    let child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = (0..6000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        path.exists()
    });
    assert!(begun, "the file was not opened within a minute");
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{stderr}");
    assert!(stderr.starts_with("tumble: interrupted after ") && stderr.ends_with(" of 1000000000 steps\n"), "{stderr}");
    assert!(!path.exists());
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let output = tumble(&["run", "spring-chain", "--steps", "1", "--json", "/no/such/folder/answer.json"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("cannot be written") && stderr.matches('\n').count() == 1, "{stderr}");
    assert!(output.stdout.is_empty());
    // one would overwrite the other
    let output = tumble(&["run", "spring-chain", "--steps", "1", "--record", "same", "--json", "same"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), stderr.as_str()), (Some(2), "tumble: --record: the same file as --json\n"));
}

#[test]
fn a_reader_that_went_away_is_no_failure() {
    for arguments in [&["scenes"][..], &["run", "spring-chain", "--steps", "1"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = Command::new(env!("CARGO_BIN_EXE_tumble"));
        let output = command.args(arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    }
}
