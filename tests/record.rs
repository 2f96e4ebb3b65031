//! Logs of runs: replayed they have the same bits; what differs is named by its step; what is cut off, corrupted or made up is refused with a reason.

// tests may panic
#![allow(clippy::disallowed_methods, missing_docs)]

use proptest::prelude::*;
use tumble::Error;
use tumble::body::{Body, BodyId, Motion};
use tumble::math::{Pose, Vec3, Vec6};
use tumble::record::{
    Head, Persist, Reader, Record, RecordError, Recorder, Sink, Step, Verdict, Writer, replay, replay_live,
};
use tumble::shape::Shape;
use tumble::world::{Collider, StepSettings, World};
use tumble_scenes::{Scene, SmallGripper, SmallSpringChain};

/// A block on the floor, pushed by a force that two bytes say.
#[derive(Clone)]
struct Plant {
    world: World<f32, 2, 8, 24>,
    block: BodyId,
}

fn head(hash_every: u32) -> Head<'static> {
    let settings = StepSettings::default();
    Head { name: "block", h: 1e-3, settings, exact: [0; 3], hash_every, inputs: 2 }
}

impl Plant {
    fn new() -> Self {
        let mut world = World::new();
        let floor = world.add_body(Body::new(Motion::Fixed, Pose::IDENTITY).unwrap()).unwrap();
        world.add_collider(floor, Collider::new(Shape::HalfSpace)).unwrap();
        let shape = Shape::Box { half: Vec3::new(0.02, 0.02, 0.01) };
        let motion = Motion::Dynamic(shape.mass_properties(2700.0).unwrap());
        let block = world.add_body(Body::new(motion, Pose::at(Vec3::new(0.0, 0.0, 0.01))).unwrap()).unwrap();
        world.add_collider(block, Collider::new(shape)).unwrap();
        Self { world, block }
    }

    fn step(&mut self, inputs: &[u8], head: &Head<'_>) -> Result<u64, Error> {
        let [x, y] = <[u8; 2]>::try_from(inputs).unwrap().map(f32::from);
        let force = Vec6::new(Vec3::new(x * 0.02, y * 0.02, 0.0), Vec3::default());
        self.world.body_mut(self.block)?.add_force(force)?;
        let _ = self.world.step(head.h, &head.settings)?;
        Ok(self.world.state_hash())
    }

    fn state(&self) -> u64 {
        self.world.state_hash()
    }
}

/// What goes in at a step: new at 1, 13, 14 and 40.
fn inputs_at(step: u32) -> [u8; 2] {
    match step {
        0..13 => [0, 0],
        13 => [200, 3],
        14..40 => [0, 100],
        _ => [1, 100],
    }
}

/// So many steps of a plant, written down.
fn recorded(hash_every: u32, steps: u32) -> Vec<u8> {
    let (mut plant, mut bytes, head) = (Plant::new(), Vec::new(), head(hash_every));
    let sink = |more: &[u8]| bytes.extend_from_slice(more);
    let mut recorder = Recorder::<_, 4>::begin(sink, &head, |_| Ok(())).unwrap();
    for step in 1..=steps {
        let inputs = inputs_at(step);
        plant.step(&inputs, &head).unwrap();
        recorder.step(&inputs, || plant.state()).unwrap();
    }
    assert_eq!(recorder.steps(), steps);
    let _ = recorder.end(|| plant.state());
    bytes
}

fn replayed(bytes: &[u8]) -> Verdict {
    let record = Record::open(bytes).unwrap();
    let mut plant = Plant::new();
    replay(&record, |inputs| plant.step(inputs, record.head()))
}

/// Steps of the plant after which there is a hash.
fn hashed(hash_every: u32, steps: u32) -> Vec<u32> {
    (1..=steps).filter(|step| step % hash_every == 0 || [1, 13, 14, 40, steps].contains(step)).collect()
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 })
    });
    (!crc).to_le_bytes()
}

/// With a checksum that is right again.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let body = &bytes[..bytes.len() - 4];
    [body, &checksum(body)].concat()
}

/// The chunk of inputs that are new in a step.
fn chunk(step: u32, inputs: &[u8]) -> Vec<u8> {
    [&[1], inputs, &checksum(&[&step.to_le_bytes(), inputs].concat())].concat()
}

/// Where these bytes are.
fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    flipped[bit / 8] ^= 1 << (bit % 8);
    flipped
}

#[test]
fn a_replay_has_the_same_bits() {
    for hash_every in [1, 7, 10, 1000, u32::MAX] {
        for steps in [0, 1, 2, 13, 39, 40, 50, 100] {
            let bytes = recorded(hash_every, steps);
            let record = Record::open(&bytes).unwrap();
            assert_eq!((record.len(), record.is_empty(), record.snapshot().len()), (steps, steps == 0, 0));
            assert_eq!(*record.head(), head(hash_every));
            let read: Vec<_> = record.steps().collect();
            let numbers: Vec<_> = read.iter().map(|step| step.number).collect();
            assert_eq!(numbers, (1..=steps).collect::<Vec<_>>());
            assert!(read.iter().all(|step| step.inputs == inputs_at(step.number)));
            let with_hash: Vec<_> = read.iter().filter(|step| step.hash.is_some()).map(|step| step.number).collect();
            let expected: Vec<_> = hashed(hash_every, steps).into_iter().filter(|step| *step <= steps).collect();
            assert_eq!(with_hash, expected, "every {hash_every}, {steps} steps");
            let hashes = u32::try_from(expected.len()).unwrap();
            // of none, whatever its end says, nothing is the same
            let verdict = if steps > 0 { Verdict::Same { steps, hashes } } else { Verdict::Empty };
            assert_eq!(replayed(&bytes), verdict);
        }
    }
}

#[test]
fn a_log_is_as_small_as_documented() {
    let bytes = |steps| recorded(10, steps).len();
    // head with a name of five letters, settings without sleep or plan, no snapshot; end
    assert_eq!(bytes(0), 6 + 6 + 4 + 71 + 12 + 4 + 2 + 4 + 17);
    // a run and a hash every ten steps
    assert_eq!(bytes(12) - bytes(2), 2 + 9);
    // inputs with their sum, a run and a hash; the run of two before has no hash
    assert_eq!(bytes(13) - bytes(12), 3 + 4 + 2 + 9);
}

#[test]
fn a_flipped_input_bit_is_reported_at_its_step() {
    for hash_every in [1, 10, 1000] {
        let bytes = recorded(hash_every, 60);
        for (step, inputs) in [(1, [0, 0]), (13, [200, 3]), (14, [0, 100]), (40, [1, 100])] {
            let chunk = chunk(step, &inputs);
            let at = find(&bytes, &chunk);
            // of the inputs, and of their sum
            for bit in 8 * (at + 1)..8 * (at + chunk.len()) {
                let flipped = flipped(&bytes, bit);
                let refused = RecordError::OtherInputs { step, at };
                assert_eq!(Record::open(&flipped).unwrap_err(), refused, "bit {bit}");
                assert_eq!(Record::open(&mended(&flipped)).unwrap_err(), refused, "bit {bit}");
                let text = format!("the inputs of step {step}, at byte {at}, are not those that went in");
                assert_eq!(refused.to_string(), text);
            }
        }
    }
}

#[test]
fn inputs_of_another_step_are_none_of_this_one() {
    let bytes = recorded(1000, 60);
    let run = [&[2, 11][..], &chunk(13, &[200, 3])].concat();
    let at = find(&bytes, &run);
    // a step less before them
    let mut sooner = bytes;
    sooner[at + 1] = 10;
    assert_eq!(Record::open(&mended(&sooner)).unwrap_err(), RecordError::OtherInputs { step: 12, at: at + 2 });
}

#[test]
fn inputs_made_up_with_their_sum_are_another_run() {
    // one that does nothing with them
    let head = Head { inputs: 1, ..head(100) };
    let mut bytes = Vec::new();
    let mut recorder = Recorder::<_, 1>::begin(|more: &[u8]| bytes.extend_from_slice(more), &head, |_| Ok(())).unwrap();
    for step in 1..=30 {
        recorder.step(&[u8::from(step >= 20)], || 7).unwrap();
    }
    let _ = recorder.end(|| 7);
    let at = find(&bytes, &chunk(20, &[1]));
    bytes[at..at + 6].copy_from_slice(&chunk(20, &[9]));
    let bytes = mended(&bytes);
    let verdict = replay(&Record::open(&bytes).unwrap(), |_| Ok(7));
    assert!(matches!(verdict, Verdict::Diverged { last_same: 1, first_different: 20, .. }), "{verdict}");
}

#[test]
fn a_run_made_again_with_another_input_is_told_by_its_step() {
    for hash_every in [1, 10, 1000] {
        let bytes = recorded(hash_every, 60);
        let record = Record::open(&bytes).unwrap();
        let made_again = |at: u32, inputs: [u8; 2], with: fn(&mut Plant) -> u64| {
            let (mut plant, mut step) = (Plant::new(), 0);
            replay_live(&record, |went_in| {
                step += 1;
                let inputs = if step == at { inputs } else { inputs_at(step) };
                plant.step(&inputs, record.head())?;
                inputs.save(went_in);
                Ok(with(&mut plant))
            })
        };
        let hashes = u32::try_from(hashed(hash_every, 60).len()).unwrap();
        assert_eq!(made_again(0, [0; 2], |plant| plant.state()), Verdict::Same { steps: 60, hashes });
        // where inputs are new, where they are not, where there is no hash near
        for at in [1, 2, 13, 14, 25, 39, 40, 60] {
            let [x, y] = inputs_at(at);
            let last_same = hashed(hash_every, 60).into_iter().filter(|step| *step < at).max().unwrap_or(0);
            let verdict = made_again(at, [x ^ 1, y], |plant| plant.state());
            assert_eq!(verdict, Verdict::OtherInputs { step: at, last_same });
            assert_eq!(verdict.to_string(), format!("step {at}: other inputs went in than those on record"));
        }
        // inputs first: what they lead to differs as well
        assert!(matches!(made_again(1, [9, 9], |_| 0), Verdict::OtherInputs { step: 1, .. }));
        assert!(matches!(made_again(0, [0; 2], |_| 0), Verdict::Diverged { first_different: 1, .. }));
        // fewer of them, or more
        for inputs in [&[0][..], &[0, 0, 0], &[]] {
            let verdict = replay_live(&record, |went_in| {
                went_in.put(inputs);
                Ok(0)
            });
            assert_eq!(verdict, Verdict::OtherInputs { step: 1, last_same: 0 });
        }
    }
    let nothing = recorded(10, 0);
    assert_eq!(replay_live(&Record::open(&nothing).unwrap(), |_| Ok(0)), Verdict::Empty);
    assert_eq!(Verdict::Empty.to_string(), "no steps: nothing was compared");
}

#[test]
fn whatever_else_differs_is_reported_between_two_hashes() {
    for (hash_every, same, different) in [(1, 24, 25), (10, 20, 30), (1000, 14, 40)] {
        let bytes = recorded(hash_every, 60);
        let record = Record::open(&bytes).unwrap();
        let (mut plant, mut number) = (Plant::new(), 0);
        let verdict = replay(&record, |inputs| {
            number += 1;
            if number == 25 {
                // the least there is
                let body = plant.world.body_mut(plant.block)?;
                let v = body.velocity();
                let nudged = f32::from_bits(v.linear.x.to_bits() ^ 1);
                body.set_velocity(Vec6::new(Vec3::new(nudged, v.linear.y, v.linear.z), v.angular))?;
            }
            plant.step(inputs, record.head())
        });
        let Verdict::Diverged { last_same, first_different, expected, found } = verdict else { panic!("{verdict:?}") };
        assert_eq!((last_same, first_different), (same, different));
        assert_ne!(expected, found);
        let text = verdict.to_string();
        let says = if same + 1 == different { "step 25 diverges" } else { "one of the steps" };
        assert!(text.starts_with(says), "{text}");
    }
    let bytes = recorded(10, 20);
    let record = Record::open(&bytes).unwrap();
    let mut number = 0;
    let verdict = replay(&record, |_| {
        number += 1;
        if number < 5 { Ok(0) } else { Err(Error::NoSuchBody) }
    });
    assert!(matches!(verdict, Verdict::Diverged { last_same: 0, first_different: 1, .. }));
    let verdict = replay(&record, |_| Err(Error::NoSuchBody));
    assert_eq!(verdict, Verdict::Refused { step: 1, error: Error::NoSuchBody });
    assert_eq!(verdict.to_string(), "step 1 is refused: no body has this id");
}

#[test]
fn every_truncation_is_refused_with_the_steps_that_are_whole() {
    for hash_every in [1, 10, 1000] {
        let bytes = recorded(hash_every, 60);
        let mut last = 0;
        for end in 0..bytes.len() {
            let error = Record::open(&bytes[..end]).unwrap_err();
            let RecordError::Truncated { steps, at } = error else { panic!("{end} bytes: {error}") };
            assert!(steps >= last && at <= end, "{error}");
            last = steps;
        }
        assert_eq!(last, 60);
        // all but the end
        let error = Record::open(&bytes[..bytes.len() - 17]).unwrap_err();
        assert_eq!(error, RecordError::Truncated { steps: 60, at: bytes.len() - 17 });
        let text = format!("the record is cut off at byte {}, after 60 whole steps", bytes.len() - 17);
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn every_flipped_bit_is_refused() {
    for hash_every in [1, 10] {
        let bytes = recorded(hash_every, 60);
        let head_length = recorded(hash_every, 0).len() - 17;
        for bit in 0..8 * bytes.len() {
            let flipped = flipped(&bytes, bit);
            assert!(Record::open(&flipped).is_err(), "bit {bit}");
            // with a sum to match it is refused, or it is another run: never a panic, never the same
            let flipped = mended(&flipped);
            if bit < 8 * (bytes.len() - 4)
                && let Ok(record) = Record::open(&flipped)
            {
                let mut plant = Plant::new();
                let verdict = replay(&record, |inputs| plant.step(inputs, record.head()));
                let same = matches!(verdict, Verdict::Same { .. });
                // a name, or a setting that does nothing here
                assert!(!same || bit / 8 < head_length, "bit {bit}: {verdict:?}");
            }
        }
    }
}

#[test]
fn records_are_refused_with_a_reason() {
    let bytes = recorded(10, 60);
    let refused = |bytes: &[u8]| Record::open(bytes).unwrap_err();
    assert_eq!(refused(b"TUMSnapshot"), RecordError::NotARecord);
    let mut other = bytes.clone();
    other[4] = 9;
    assert_eq!(refused(&other), RecordError::UnknownVersion(9));
    assert_eq!(refused(&other).to_string(), "version 9 of the format is not known here");
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(refused(&longer), RecordError::TooLong { at: bytes.len() });
    // h is behind magic, version and name
    let mut bad = bytes.clone();
    bad[12..16].copy_from_slice(&(-1.0_f32).to_le_bytes());
    assert_eq!(refused(&mended(&bad)), RecordError::Refused { error: Error::NonPositive("h"), at: 6 });
    let mut bad = bytes.clone();
    bad[6] = 33;
    assert!(matches!(refused(&mended(&bad)), RecordError::Refused { .. } | RecordError::Truncated { .. }));
    // another number of steps at the end
    let mut bad = bytes.clone();
    let end = bytes.len() - 17;
    bad[end + 1] += 1;
    assert_eq!(refused(&mended(&bad)), RecordError::Malformed { what: "the end", at: end });
    let mut bad = bytes;
    bad[end] = 7;
    assert_eq!(refused(&mended(&bad)), RecordError::Malformed { what: "a chunk", at: end });
}

#[test]
fn every_other_form_is_refused() {
    let mut start = recorded(10, 0);
    start.truncate(start.len() - 17);
    let (hash, other) = ([3, 1, 2, 3, 4, 5, 6, 7, 8], [3, 8, 7, 6, 5, 4, 3, 2, 1]);
    let end = |steps: u32, hash: &[u8]| [&[4][..], &steps.to_le_bytes(), &hash[1..]].concat();
    let (push, pull, again) = (chunk(1, &[5, 5]), chunk(12, &[6, 6]), [2, 1]);
    let push_again = chunk(2, &[5, 5]);
    let opened = |chunks: &[&[u8]]| {
        let bytes = mended(&[&start[..], &chunks.concat(), &[0; 4]].concat());
        Record::open(&bytes).map(|record| record.len()).map_err(|error| match error {
            RecordError::Malformed { what, at } => (what, at - start.len()),
            error => panic!("{error}"),
        })
    };
    // what is right, so that the others are wrong for one reason only
    assert_eq!(opened(&[&push, &again, &hash, &[2, 9], &hash, &again, &pull, &again, &hash, &end(12, &hash)]), Ok(12));
    assert_eq!(opened(&[&push, &again, &hash, &[2, 3], &end(4, &other)]), Ok(4));
    assert_eq!(opened(&[&end(0, &hash)]), Ok(0));

    assert_eq!(opened(&[&again, &hash, &end(1, &hash)]), Err(("a run", 0)));
    assert_eq!(opened(&[&push, &push, &again, &hash, &end(1, &hash)]), Err(("a chunk", 7)));
    assert_eq!(opened(&[&push, &end(0, &hash)]), Err(("a chunk", 7)));
    assert_eq!(opened(&[&hash, &push, &again, &hash, &end(1, &hash)]), Err(("a chunk", 0)));
    assert_eq!(opened(&[&[9], &end(0, &hash)]), Err(("a chunk", 0)));
    assert_eq!(opened(&[&push, &again, &hash, &push_again, &again, &hash, &end(2, &hash)]), Err(("inputs", 18)));
    assert_eq!(opened(&[&push, &again, &hash, &again, &again, &end(3, &hash)]), Err(("a run", 20)));
    // a hash is missing, is too many, comes too late; the end is of another run
    assert_eq!(opened(&[&push, &again, &end(1, &hash)]), Err(("a hash", 9)));
    assert_eq!(opened(&[&push, &again, &hash, &again, &hash, &end(2, &hash)]), Err(("a chunk", 20)));
    assert_eq!(opened(&[&push, &[2, 2], &hash, &end(2, &hash)]), Err(("a run", 7)));
    assert_eq!(opened(&[&push, &again, &hash, &[2, 10], &hash, &end(11, &hash)]), Err(("a run", 18)));
    assert_eq!(opened(&[&push, &again, &hash, &end(2, &hash)]), Err(("the end", 18)));
    assert_eq!(opened(&[&push, &again, &hash, &end(1, &other)]), Err(("the end", 18)));
    // counts of nothing, longer than they need be, too large
    for count in [&[2, 0][..], &[2, 0x83, 0], &[2, 0xff, 0xff, 0xff, 0xff, 0x1f], &[2, 0x80, 0x80, 0x80, 0x80, 0x80, 1]]
    {
        assert_eq!(opened(&[&push, count, &hash, &end(1, &hash)]), Err(("a count", 7)));
    }
}

#[test]
fn a_run_of_billions_is_looked_at_at_once() {
    let mut bytes = recorded(u32::MAX, 1);
    // inputs, a run, a hash; then all but two of the others, and two more
    bytes.truncate(bytes.len() - 17);
    let more = |bytes: &[u8], last: u8, steps: u32| {
        let hash = [9; 8];
        mended(&[bytes, &[2, 0xfd, 0xff, 0xff, 0xff, last, 4], &steps.to_le_bytes(), &hash, &[0; 4]].concat())
    };
    let whole = more(&bytes, 0x0f, u32::MAX - 1);
    let record = Record::open(&whole).unwrap();
    assert_eq!((record.len(), record.steps().nth(5).unwrap().number), (u32::MAX - 1, 6));
    assert!(Record::open(&more(&bytes, 0x1f, u32::MAX)).is_err());
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    fn begin(head: &Head<'_>) -> Option<Error> {
        Recorder::<_, 4>::begin(|_: &[u8]| panic!("nothing is written"), head, |_| Ok(())).err()
    }
    let usual = head(10);
    assert_eq!(begin(&Head { inputs: 5, ..usual }), Some(Error::CapacityExceeded("inputs")));
    assert_eq!(begin(&Head { hash_every: 0, ..usual }), Some(Error::NonPositive("hash_every")));
    assert_eq!(begin(&Head { h: f32::NAN, ..usual }), Some(Error::NonFinite("h")));
    assert_eq!(begin(&Head { name: "a name of more than thirty-two bytes", ..usual }), Some(Error::OutOfRange("name")));
    let refuses = Recorder::<_, 4>::begin(|_: &[u8]| (), &usual, |_| Err(Error::OutOfRange("solid")));
    assert_eq!(refuses.err(), Some(Error::OutOfRange("solid")));

    let mut written = 0;
    let mut recorder = Recorder::<_, 4>::begin(|bytes: &[u8]| written += bytes.len(), &usual, |_| Ok(())).unwrap();
    assert_eq!(recorder.step(&[1], || 0), Err(Error::OutOfRange("inputs")));
    assert_eq!(recorder.step(&[1, 2, 3], || 0), Err(Error::OutOfRange("inputs")));
    assert_eq!(recorder.steps(), 0);
    // only where a hash is due is it asked for
    recorder.step(&[1, 2], || 7).unwrap();
    for _ in 2..10 {
        recorder.step(&[1, 2], || panic!("none is due")).unwrap();
    }
    recorder.step(&[1, 2], || 8).unwrap();
    let _ = recorder.end(|| panic!("it has been written"));
}

#[test]
fn a_run_can_begin_in_the_middle() {
    let mut before = Plant::new();
    for _ in 0..30 {
        before.step(&[200, 7], &head(5)).unwrap();
    }
    let mut buffer = vec![0; 4096];
    let mut plant = before.clone();
    let save = |out: &mut dyn Sink| before.world.save(&[], out);
    let mut recorder = Recorder::<_, 2>::begin(Writer::new(&mut buffer), &head(5), save).unwrap();
    for k in 0..40 {
        let inputs = [k, 0];
        plant.step(&inputs, &head(5)).unwrap();
        recorder.step(&inputs, || plant.state()).unwrap();
    }
    let bytes = recorder.end(|| plant.state()).finish().unwrap();

    let record = Record::open(bytes).unwrap();
    let mut again = Plant::new();
    again.world.restore(&[], &mut Reader::new(record.snapshot())).unwrap();
    let verdict = replay(&record, |inputs| again.step(inputs, record.head()));
    assert_eq!(verdict, Verdict::Same { steps: 40, hashes: 40 });
    // from anywhere else it is another run
    let mut elsewhere = Plant::new();
    let verdict = replay(&record, |inputs| elsewhere.step(inputs, record.head()));
    assert!(matches!(verdict, Verdict::Diverged { last_same: 0, first_different: 1, .. }));
}

#[test]
fn scenes_replay_ten_thousand_steps() {
    let recorded = |scene: &mut dyn Scene, name: &str| {
        scene.reset().unwrap();
        let (h, settings) = (scene.h(), scene.settings());
        let head = Head { name, h, settings, exact: [0; 3], hash_every: 100, inputs: 0 };
        let mut bytes = Vec::new();
        let sink = |more: &[u8]| bytes.extend_from_slice(more);
        let mut recorder = Recorder::<_>::begin(sink, &head, |_| Ok(())).unwrap();
        for _ in 0..10_000 {
            let _ = scene.step(h, &settings).unwrap();
            recorder.step(&[], || scene.state_hash()).unwrap();
        }
        let _ = recorder.end(|| scene.state_hash());
        bytes
    };
    let mut gripper = Box::new(SmallGripper::new());
    let mut chain = Box::new(SmallSpringChain::new());
    for (scene, name) in [(&mut *gripper as &mut dyn Scene, "gripper"), (&mut *chain, "spring-chain")] {
        let bytes = recorded(scene, name);
        assert!(bytes.len() < 1300, "{}", bytes.len());
        let record = Record::open(&bytes).unwrap();
        scene.reset().unwrap();
        let verdict = replay(&record, |_| {
            let _ = scene.step(record.head().h, &record.head().settings)?;
            Ok(scene.state_hash())
        });
        assert_eq!(verdict, Verdict::Same { steps: 10_000, hashes: 100 });
    }
}

proptest! {
    #[test]
    fn garbage_is_refused(garbage in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(Record::open(&garbage).is_err());
        // behind a head that is right
        let mut bytes = recorded(10, 0);
        bytes.truncate(bytes.len() - 17);
        bytes.extend(&garbage);
        bytes.extend([0; 4]);
        let _ = Record::open(&bytes);
        let _ = Record::open(&mended(&bytes));
    }

    #[test]
    fn any_inputs_come_back(
        inputs in prop::collection::vec((any::<[u8; 3]>(), 1..300_u32), 0..20),
        hash_every in 1..200_u32,
    ) {
        let head = Head { inputs: 3, ..head(hash_every) };
        let mut bytes = Vec::new();
        let sink = |more: &[u8]| bytes.extend_from_slice(more);
        let mut recorder = Recorder::<_, 3>::begin(sink, &head, |_| Ok(())).unwrap();
        let all: Vec<_> = inputs.into_iter().flat_map(|(inputs, times)| (0..times).map(move |_| inputs)).collect();
        for (state, inputs) in (1..).zip(&all) {
            recorder.step(inputs, || state).unwrap();
        }
        let _ = recorder.end(|| all.len() as u64);
        let record = Record::open(&bytes).unwrap();
        let back: Vec<_> = record.steps().map(|Step { inputs, .. }| <[u8; 3]>::try_from(inputs).unwrap()).collect();
        prop_assert_eq!(&back, &all);
        let mut state = 0;
        let verdict = replay(&record, |_| {
            state += 1;
            Ok(state)
        });
        let same = matches!(verdict, Verdict::Same { .. }) || (all.is_empty() && verdict == Verdict::Empty);
        prop_assert!(same, "{}", verdict);
    }
}
