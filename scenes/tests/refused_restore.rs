//! A twin refuses a snapshot whole: whichever of its parts is wrong, world, plant or faults, none has changed, and it steps on with the bits of one that was never asked.
#![allow(clippy::disallowed_methods, reason = "a test may panic")]

use std::ops::Range;
use tumble::record::Reader;
use tumble::twin::{Fault, Signal};
use tumble_scenes::twin_stage::{TwinScript, TwinStage};
use tumble_scenes::{
    Scene, SmallBowl, SmallLinearFeeder, SmallPlateFeeder, SmallRejectConveyor, SmallWeighAndDose, solids,
};

/// Just reset, with faults that remember something.
fn faulty<S: TwinScript, const B: usize, const C: usize, const R: usize, const K: usize, const J: usize>(
    stage: TwinStage<S, B, C, R, K, J>,
) -> Box<TwinStage<S, B, C, R, K, J>> {
    let mut stage = Box::new(stage);
    stage.reset().unwrap();
    for fault in [Fault::Bounce(Signal::Barrier(0), 3), Fault::FrictionDrift(0, -0.01)] {
        stage.add_fault(fault, 0..u32::MAX).unwrap();
    }
    stage
}

fn steps(stage: &mut dyn Scene, count: u32) -> Vec<u64> {
    let (h, settings) = (stage.h(), stage.settings());
    let hash_after = |_| {
        let _ = stage.step(h, &settings).unwrap();
        stage.state_hash()
    };
    (0..count).map(hash_after).collect()
}

fn saved(stage: &dyn Scene) -> Vec<u8> {
    let mut bytes = Vec::new();
    stage.save(&mut |more: &[u8]| bytes.extend_from_slice(more)).unwrap();
    bytes
}

/// Where the world's own snapshot is, after the terminals' and before the others.
fn world_within(stage: &dyn Scene, saved: &[u8]) -> Range<usize> {
    let mut world = Vec::new();
    stage.world().save(&solids::ALL, &mut |more: &[u8]| world.extend_from_slice(more)).unwrap();
    let start = saved.windows(world.len()).position(|window| window == world).unwrap();
    start..start + world.len()
}

/// Make the checksum at the end right again, bit by bit, as in the standard.
fn mend(world: &mut [u8]) {
    let (summed, checksum) = world.split_at_mut(world.len() - 4);
    let mut crc = u32::MAX;
    for byte in summed {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    checksum.copy_from_slice(&(!crc).to_le_bytes());
}

/// Some `before` steps are saved; `after` as many more, one of two twins is asked to become everything that this is not.
fn refused_changes_nothing<S: Scene>(new: fn() -> Box<S>, before: u32, after: u32) {
    let [mut asked, mut untouched, mut scratch] = [(); 3].map(|()| new());
    steps(&mut *asked, before);
    let good = saved(&*asked);
    let world = world_within(&*asked, &good);
    for stage in [&mut asked, &mut untouched, &mut scratch] {
        steps(&mut **stage, after);
    }
    steps(&mut *untouched, before);
    scratch.restore(&mut Reader::new(&good)).unwrap();
    let kept = saved(&*asked);
    assert_ne!(kept, good);

    let mut refused = |bytes: &[u8]| {
        let mut input = Reader::new(bytes);
        // what another can become is no example
        if scratch.restore(&mut Reader::new(bytes)).is_ok() {
            return false;
        }
        asked.restore(&mut input).unwrap_err();
        assert_eq!(input.position(), 0);
        assert!(saved(&*asked) == kept);
        true
    };
    // every byte of terminals, plant and faults, of the world as many as time allows
    let stride = if cfg!(debug_assertions) { 397 } else { 1 };
    let places = || (0..world.start).chain(world.clone().step_by(stride)).chain(world.end..good.len());
    for end in places() {
        assert!(refused(&good[..end]), "{end} of {} bytes", good.len());
    }
    for at in places() {
        for wrong in [0x02, 0xff] {
            let mut bytes = good.clone();
            bytes[at] ^= wrong;
            assert!(refused(&bytes), "byte {at} of {}", good.len());
            // with a checksum to match it may be another world; if not, it is refused for what it says
            if world.contains(&at) {
                mend(&mut bytes[world.clone()]);
                let _ = refused(&bytes);
            }
        }
    }
    println!("{} bytes, {} of them the world's", good.len(), world.len());
    assert_eq!(steps(&mut *asked, 300), steps(&mut *untouched, 300));
}

#[test]
fn a_linear_feeder_refuses_whole() {
    refused_changes_nothing(|| faulty(SmallLinearFeeder::new()), 700, 900);
}

#[test]
fn a_reject_conveyor_refuses_whole() {
    refused_changes_nothing(|| faulty(SmallRejectConveyor::new()), 700, 900);
}

#[test]
fn a_dosing_trough_refuses_whole() {
    refused_changes_nothing(|| faulty(SmallWeighAndDose::new()), 700, 900);
}

#[test]
fn a_bowl_refuses_whole() {
    refused_changes_nothing(|| faulty(SmallBowl::new()), 300, 200);
}

#[test]
fn a_plate_feeder_refuses_whole() {
    refused_changes_nothing(|| faulty(SmallPlateFeeder::new()), 50, 50);
}
