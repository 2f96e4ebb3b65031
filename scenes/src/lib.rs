//! Scenes and problems built only from tumble's public API, shared by tests, boards, benchmarks and the host program.
//!
//! A [problem](problems) is a single time step; a [`Scene`] is a world with what drives it, one file a scene; [`piles`] are the steps of larger worlds
//! that benchmarks of the solver look at, for the host; an [`adversary`] builds what nobody would on purpose. What goes in is written here in code, or handed over as [`words`]; what comes out must have the same bits everywhere.
//!
//! | scene | small: fits a microcontroller | large: for the host |
//! | --- | --- | --- |
//! | [`shaker`] | [`SmallShaker`] | [`LargeShaker`] |
//! | [`gripper`] | [`SmallGripper`] | the same |
//! | [`cascade`] | [`SmallCascade`] | [`LargeCascade`] |
//! | [`bottles`] | [`SmallBottles`] | [`LargeBottles`] |
//! | [`spring_chain`] | [`SmallSpringChain`] | the same |
//! | [`mass_ratio`] | [`SmallMassRatio`] | the same |
//! | [`stress_drop`] | [`SmallStressDrop`] | the same |
//! | [`brazil_nut`] | [`SmallBrazilNut`] | [`LargeBrazilNut`] |
//! | [`balance`] | [`SmallBalance`] | the same |
//! | [`pyramid`] | [`SmallPyramid`] | the same |
//! | [`dice`] | [`SmallDice`] | the same |
//! | [`setup`] | [`SmallSetup`] | the same |
//! | [`wheels`] | [`SmallWheels`] | the same |
//! | [`dice_plate`] | [`SmallDicePlate`] | [`LargeDicePlate`] |
//! | [`linear_feeder`] | [`SmallLinearFeeder`] | the same |
//! | [`reject_conveyor`] | [`SmallRejectConveyor`] | the same |
//! | [`weigh_and_dose`] | [`SmallWeighAndDose`] | the same |
//! | [`bowl`] | [`SmallBowl`] | the same |
//! | [`plate_feeder`] | [`SmallPlateFeeder`] | [`LargePlateFeeder`] |
#![no_std]
#![forbid(unsafe_code)]

pub mod adversary;
pub mod balance;
pub mod board;
pub mod bottles;
pub mod bowl;
pub mod brazil_nut;
pub mod cascade;
pub mod clock;
pub mod consistency;
pub mod control;
pub mod conveying;
pub mod dice;
pub mod dice_plate;
pub mod exact;
pub mod gripper;
pub mod hart;
mod key_figures;
pub mod linear_feeder;
pub mod mass_ratio;
pub mod meters;
pub mod pairs;
mod parts;
pub mod passive_chain;
pub mod piles;
pub mod plate_feeder;
pub mod problems;
pub mod pyramid;
pub mod reject_conveyor;
pub mod scene;
pub mod setup;
pub mod shaker;
pub mod solids;
pub mod spring_chain;
pub mod stress_drop;
pub mod twin_stage;
pub mod weigh_and_dose;
pub mod wheels;
pub mod words;

pub use balance::SmallBalance;
pub use board::{BOARD_SCENES, BOARD_TWINS, board_steps, write_hash, write_hybrid_hash};
pub use bottles::{LargeBottles, SmallBottles};
pub use bowl::SmallBowl;
pub use brazil_nut::{LargeBrazilNut, SmallBrazilNut};
pub use cascade::{LargeCascade, SmallCascade};
pub use dice::SmallDice;
pub use dice_plate::{LargeDicePlate, SmallDicePlate};
pub use gripper::SmallGripper;
pub use linear_feeder::SmallLinearFeeder;
pub use mass_ratio::SmallMassRatio;
pub use plate_feeder::{LargePlateFeeder, SmallPlateFeeder};
pub use problems::{CASES, Case, CaseProblem, DOUBLE_CASES, write_all_answers, write_answer};
pub use pyramid::SmallPyramid;
pub use reject_conveyor::SmallRejectConveyor;
pub use scene::Scene;
pub use setup::SmallSetup;
pub use shaker::{LargeShaker, SmallShaker};
pub use spring_chain::SmallSpringChain;
pub use stress_drop::SmallStressDrop;
pub use weigh_and_dose::SmallWeighAndDose;
pub use wheels::SmallWheels;

/// Every scene: the name users type, and what it shows in a line.
pub const SCENES: [(&str, &str); 19] = [
    ("shaker", "steel spheres in a shaken box, about 6500 points of contact"),
    ("gripper", "an annular cam closes eight fingers on a part and centres it"),
    ("cascade", "blocks, pins, balls and discs pour down over boards into a bin"),
    ("bottles", "packaging machine: bottles queue up on a belt and are pushed off in rows"),
    ("spring-chain", "masses on springs, let go, swing and come to hang"),
    ("mass-ratio", "20 kg on 20 g, and 2 kg on a stack of them"),
    ("stress-drop", "every capacity is hit at once: steps go on and say what they dropped"),
    ("brazil-nut", "a large sphere rises through small ones under taps"),
    ("balance", "a balancing toy with two dice on it rocks on the edge of a wedge"),
    ("pyramid", "a pyramid of ten dice on a tray that hangs from an axle and is tilted"),
    ("dice", "three dice tumble in a turning drum"),
    ("setup", "six polyhedra of as many kinds in a bin on a turntable"),
    ("wheels", "two wheels of 24 sides, at a fixed distance, roll down a ramp"),
    ("dice-plate", "dice dance on a vibrating plate with walls"),
    ("linear-feeder", "caps queue up in a vibrating rail, an escapement lets one go at a time"),
    ("reject-conveyor", "boxes on a belt: those that are too tall are pushed off, by encoder and beams"),
    ("weigh-and-dose", "a trough doses balls into a bucket on a weigh cell: coarse, fine, tip"),
    ("bowl", "parts climb a vibratory bowl's track past a wiper and a trap, a pusher takes them"),
    ("plate-feeder", "dice on a plate that feeds, centres and flips them under a camera"),
];
