//! The feeder twin: plant parts and sensors round a world, used through an I/O image.
//!
//! ```text
//! actuators latched → (drive → world.step → sense) of every sub-step → sensors valid
//! ```
//! A [`Plant`] knows which bodies of a world are tracks, belts, gates and parts, and what watches them. It is stepped together with its world, of whatever
//! capacities; a [`Twin`] is both in one. Nothing but the image and the arguments of a step goes in: no clock, no global; what looks random comes from seeds.
//!
//! | file | what it holds |
//! | --- | --- |
//! | `image` | [`Actuators`] and [`Sensors`] |
//! | `plant` | [`Plant`]: parts and sensors by channel, the step |
//! | `vibrator`, `feed`, `feed_table` | vibratory drives, resolved and averaged |
//! | `belt`, `cylinder`, `hopper`, `track` | conveyor belts; whatever valves move; sources of parts; tracks to build |
//! | `barrier`, `zone`, `gauges`, `switch` | light barriers; levels, counters and sinks; what measures; delays of outputs |
//! | `fault`, `faults` | what can go wrong; a wrapper round the step that lets it |
//! | `embedded_hal` | pins that a controller under test is wired to, with the feature of that name |
//! | `time`, `random`, `state`, `built` | times in whole numbers; numbers from seeds; what is saved and hashed; how a plant is told from another |

mod barrier;
mod belt;
mod built;
mod cylinder;
#[cfg(feature = "embedded-hal")]
mod embedded_hal;
mod fault;
mod faults;
mod feed;
mod feed_table;
mod gauges;
mod hopper;
mod image;
mod plant;
mod random;
mod state;
mod switch;
mod time;
pub mod track;
mod vibrator;
mod zone;

pub use barrier::LightBarrier;
pub use belt::Belt;
pub use cylinder::Cylinder;
#[cfg(feature = "embedded-hal")]
pub use embedded_hal::{Duty, Input, NEWTON_PER_COUNT, Output, Terminals, WeighPort};
pub use fault::{Fault, Signal};
pub use faults::{FAULTS, Faults};
pub use feed::{FeedTable, Footing, Swing};
pub use feed_table::FEED_TABLE;
pub use gauges::{Accelerometer, Camera, WeighCell};
pub use hopper::{Hopper, PartKind};
pub use image::{
    ACCELEROMETERS, Actuators, BARRIERS, BELTS, BeltSetpoint, EncoderSignal, EndSwitches, Frame, HOPPERS, HopperSignal,
    POSES, SCALES, Sensors, Setpoint, SwitchSignal, VALVES, VIBRATORS, ZONES, ZoneSignal,
};
pub use plant::{Plant, StepWorld};
pub use random::Random;
pub use switch::Switching;
pub use vibrator::{Drive, Vibrator};
pub use zone::{Region, Zone};

use crate::error::Error;
use crate::record::{Reader, Sink};
use crate::shape::Polyhedron;
use crate::world::{StepReport, StepSettings, World};

/// A world and the plant in it.
///
/// ```
/// use tumble::body::{Body, Motion};
/// use tumble::math::{Pose, Vec3, Vec6};
/// use tumble::shape::Shape;
/// use tumble::twin::{Actuators, Drive, Setpoint, Twin, Vibrator};
/// use tumble::world::{Collider, StepSettings};
///
/// // a linear track that swings by 0.3 mm at 20° from the horizontal, and a part on it
/// let mut twin = Twin::<2, 4, 12, 2, 0>::new();
/// let track = twin.world.add_body(Body::new(Motion::Kinematic, Pose::IDENTITY)?)?;
/// twin.world.add_collider(track, Collider::new(Shape::HalfSpace))?;
/// let swing = Vec6::new(Vec3::new(0.28e-3, 0.0, 0.10e-3), Vec3::default());
/// twin.plant.add_vibrator(&twin.world, Vibrator { body: track, swing, phase: 0.0, ramp_time: 0.1, drive: Drive::Resolved })?;
/// let shape = Shape::Box { half: Vec3::new(5e-3, 5e-3, 3e-3) };
/// let steel = Motion::Dynamic(shape.mass_properties(7850.0)?);
/// let part = twin.world.add_body(Body::new(steel, Pose::at(Vec3::new(0.0, 0.0, 3e-3)))?)?;
/// twin.world.add_collider(part, Collider::new(shape))?;
///
/// // 50 Hz, 200 sub-steps a cycle
/// twin.plant.set_substeps(10)?;
/// let mut actuators = Actuators::OFF;
/// actuators.vibrators[0] = Setpoint { run: true, amplitude_percent: 100.0, frequency_hz: 50.0 };
/// for _ in 0..300 {
///     let (_sensors, report) = twin.step(1e-3, &StepSettings::default(), &actuators)?;
///     assert_eq!(report.contacts_dropped, 0);
/// }
/// assert!(twin.world.body(part)?.pose().position.x > 1e-3);
/// # Ok::<(), tumble::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Twin<
    const BODIES: usize,
    const CONTACTS: usize,
    const ROWS: usize,
    const COLLIDERS: usize,
    const JOINTS: usize,
> {
    /// What moves.
    pub world: World<f32, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>,
    /// What drives it and what watches it.
    pub plant: Plant,
}

impl<const BODIES: usize, const CONTACTS: usize, const ROWS: usize, const COLLIDERS: usize, const JOINTS: usize>
    Twin<BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>
{
    /// Nothing yet; `const`, so that it can be a `static`.
    #[allow(clippy::new_without_default, reason = "a default would go through the stack")]
    pub const fn new() -> Self {
        Self { world: World::new(), plant: Plant::new() }
    }

    /// As new, in place.
    pub fn clear(&mut self) {
        self.world.clear();
        self.plant.clear();
    }

    /// One step of `h` seconds; see [`Plant::step`].
    ///
    /// # Errors
    /// As [`Plant::step`].
    pub fn step(
        &mut self,
        h: f32,
        settings: &StepSettings<f32>,
        actuators: &Actuators,
    ) -> Result<(Sensors, StepReport<f32>), Error> {
        self.plant.step(&mut self.world, h, settings, actuators, &mut |world, h| world.step(h, settings))
    }

    /// Save world, plant and these faults of it, one after the other, each in an envelope of its own; `solids` as [`World::save`] has them.
    ///
    /// # Errors
    /// As [`World::save`].
    pub fn save(&self, faults: &Faults, solids: &[&'static Polyhedron<f32>], out: &mut dyn Sink) -> Result<(), Error> {
        self.world.save(solids, out)?;
        self.plant.save(out);
        faults.save(out);
        Ok(())
    }

    /// Become what was saved of a twin that was built in the same way; `faults` become those that were saved with it, as far as they were.
    ///
    /// # Errors
    /// As [`World::restore`], [`Plant::restore`] and [`Faults::restore`]; then nothing of any of them has changed, and nothing has been read.
    pub fn restore(
        &mut self,
        faults: &mut Faults,
        solids: &[&'static Polyhedron<f32>],
        input: &mut Reader<'_>,
    ) -> Result<(), Error> {
        let Self { world, plant } = self;
        let mut after = input.clone();
        let of_world = World::<f32, BODIES, CONTACTS, ROWS, COLLIDERS, JOINTS>::look_at(solids, &mut after)?;
        let of_plant = plant.look_at(&mut after)?;
        let of_faults = Faults::look_at(&mut after)?;
        // all of it has been looked at: nothing is refused any more
        world.take_state(solids, of_world)?;
        plant.take_states(of_plant)?;
        faults.take_all(of_faults)?;
        *input = after;
        Ok(())
    }
}
