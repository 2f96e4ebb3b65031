//! Every pile is what its name says, has the bits on record, and a reference that is one.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tumble::FrictionModel::{Ccp, Ncp};
use tumble::{FrictionModel, Method, Settings, Start, StepRule};
use tumble_scenes::piles::{PARTS_MAX, PILES, Pile, PileStage, ROWS_MAX};

/// One after the other: a megabyte that needs no stack.
fn stage() -> MutexGuard<'static, PileStage> {
    static STAGE: Mutex<PileStage> = Mutex::new(PileStage::new());
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many plain sweeps from a cold start.
fn sweeps(iterations: u32, friction: FrictionModel) -> Settings<f64> {
    let (method, step, start) = (Method::Psor, StepRule::Average, Start::Cold);
    Settings { method, iterations, tolerance: 0.0, friction, step, start, ..Settings::default() }
}

/// FNV-1a, 64 bits, over every bit of velocities and impulses after five sweeps, which look at every number of the problem.
fn hash(stage: &mut PileStage) -> u64 {
    let _ = stage.problem_mut().solve(&sweeps(5, Ccp)).unwrap();
    let problem = stage.problem();
    let numbers = problem.velocities().flat_map(<[f64; 6]>::from).chain(problem.impulses());
    let bytes = numbers.flat_map(|x| x.to_bits().to_le_bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn piles_have_the_bits_on_record() {
    let mut stage = stage();
    let mut table = String::new();
    for pile in &PILES {
        stage.build(pile).unwrap();
        let (parts, contacts) = (stage.problem().body_count(), stage.contact_count());
        writeln!(table, "{:016x} {} parts {parts} contacts {contacts}", hash(&mut stage), pile.name).unwrap();
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden_piles.txt");
    if std::env::var_os("TUMBLE_BLESS").is_some() {
        std::fs::write(path, &table).unwrap();
    }
    let on_record = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(table, on_record, "piles have changed; if that is meant, run again with TUMBLE_BLESS=1");
    // whatever was there before, the same again
    stage.build(&PILES[0]).unwrap();
    assert!(on_record.starts_with(&format!("{:016x}", hash(&mut stage))));
}

#[test]
fn piles_are_what_their_names_say() {
    let mut stage = stage();
    for (pile, parts, contacts) in [
        // four corners a cube; fewer where one is about to leave
        ("stack10", 10, 32..=40),
        ("stack10-heavy", 10, 32..=44),
        // 8 on the floor, 28 on two others, four corners each; a few that touch their neighbours
        ("pyramid36", 36, 225..=275),
        // two to three a part
        ("spheres30", 30, 60..=90),
        ("spheres100", 100, 220..=280),
        // most lie flat on the floor or on others
        ("bricks40", 40, 130..=170),
        ("stack10-heavy-still", 10, 40..=40),
    ] {
        stage.build(find(pile)).unwrap();
        let (bodies, rows) = (stage.problem().body_count(), stage.problem().row_count());
        assert!(bodies == parts && bodies <= PARTS_MAX, "{pile}: {bodies} parts");
        assert!(contacts.contains(&stage.contact_count()), "{pile}: {} contacts", stage.contact_count());
        assert!(rows == 3 * stage.contact_count() && rows <= ROWS_MAX, "{pile}: {rows} rows");
    }
    let mut names = PILES.map(|pile| pile.name);
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

#[test]
fn the_free_motion_is_all_wrong_and_sweeps_mend_it() {
    let mut stage = stage();
    stage.build(find("bricks40")).unwrap();
    for friction in [Ccp, Ncp] {
        let reference = stage.reference(friction).unwrap();
        let mut last = f64::INFINITY;
        for iterations in [0, 5, 10, 20, 50, 200] {
            let _ = stage.problem_mut().solve(&sweeps(iterations, friction)).unwrap();
            let error = stage.relative_error(&reference);
            assert!(error < 0.7 * last, "{friction:?}: {error:e} after {iterations} sweeps, {last:e} before");
            assert!(iterations > 0 || error == 1.0, "{error:e}");
            last = error;
        }
    }
}

#[test]
fn references_are_converged() {
    let mut stage = stage();
    for pile in &PILES {
        // a million sweeps over 774 rows: in release only
        if cfg!(debug_assertions) && pile.name == "pyramid36" {
            continue;
        }
        stage.build(pile).unwrap();
        for friction in [Ccp, Ncp] {
            let reference = stage.reference(friction).unwrap();
            let (energy, moved) = (reference.energy, reference.moved);
            println!(
                "{} {friction:?}: {} sweeps, {energy:.1e} left, moves by {moved:.1e}",
                pile.name, reference.sweeps
            );
            // what tables floor at 1e-9 must be known much better; six of seven are known to 1e-13
            let allowed = if pile.name == "stack10-heavy-still" { 1e-11 } else { 1e-13 };
            assert!(energy < allowed && moved < 1e-13, "{} {friction:?}: {energy:e} {moved:e}", pile.name);
            // another way leads to the same end; in ncp that need not be, and is
            let other = Settings { omega: 1.3, step: StepRule::Safe, ..sweeps(reference.sweeps, friction) };
            let _ = stage.problem_mut().solve(&other).unwrap();
            let apart = stage.relative_error(&reference);
            assert!(apart < 1e-12, "{} {friction:?}: {apart:e} apart", pile.name);
        }
    }
}

fn find(name: &str) -> &'static Pile {
    PILES.iter().find(|pile| pile.name == name).unwrap()
}
