//! Joints as plain bytes: kind, frames, what drives them, and turns counted; read back through the same constructors that made them.

use super::{Coordinate, Joint, Kind, Limit, Motor, Reaction, Spring, Target};
use crate::error::Error;
use crate::joint::coordinate::Freedom;
use crate::math::Real;
use crate::record::{Persist, Reader, Sink};

impl<R: Real> Persist for Joint<R> {
    fn save(&self, out: &mut dyn Sink) {
        let Self { kind, frame_a, frame_b, turn, slide, cone, turns_a, turns_b } = self;
        kind.save(out);
        frame_a.save(out);
        frame_b.save(out);
        turn.save(out);
        slide.save(out);
        cone.save(out);
        turns_a.save(out);
        turns_b.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let mut joint = Self::new(input.load()?, input.load()?, input.load()?)?;
        for coordinate in [Coordinate::Turn, Coordinate::Slide] {
            let Freedom { spring, motor, limit } = input.load()?;
            if let Some(spring) = spring {
                joint = joint.with_spring(coordinate, spring)?;
            }
            if let Some(motor) = motor {
                joint = joint.with_motor(coordinate, motor)?;
            }
            if let Some(limit) = limit {
                let [lo, hi] = limit.bounds();
                joint = joint.with_limit(coordinate, lo, hi)?;
            }
        }
        if let Some(angle) = input.load()? {
            joint = joint.with_cone(angle)?;
        }
        Ok(Self { turns_a: input.load()?, turns_b: input.load()?, ..joint })
    }
}

impl<R: Real> Persist for Kind<R> {
    fn save(&self, out: &mut dyn Sink) {
        let mut tag = |tag: u8| tag.save(out);
        match self {
            Self::Ball => tag(0),
            Self::Revolute => tag(1),
            Self::Prismatic => tag(2),
            Self::Cylindrical => tag(3),
            Self::Universal => tag(4),
            Self::Fixed => tag(5),
            Self::Distance { length, rate } => {
                tag(6);
                [*length, *rate].save(out);
            }
            Self::Rope { length, rate } => {
                tag(7);
                [*length, *rate].save(out);
            }
            Self::Screw { pitch } => {
                tag(8);
                pitch.save(out);
            }
            Self::Gear { ratio, bearing_a, bearing_b } => {
                tag(9);
                ratio.save(out);
                bearing_a.save(out);
                bearing_b.save(out);
            }
            Self::Rack { radius, guide_a, bearing_b } => {
                tag(10);
                radius.save(out);
                guide_a.save(out);
                bearing_b.save(out);
            }
        }
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(match input.tag(11, "joint")? {
            0 => Self::Ball,
            1 => Self::Revolute,
            2 => Self::Prismatic,
            3 => Self::Cylindrical,
            4 => Self::Universal,
            5 => Self::Fixed,
            6 => Self::Distance { length: input.load()?, rate: input.load()? },
            7 => Self::Rope { length: input.load()?, rate: input.load()? },
            8 => Self::Screw { pitch: input.load()? },
            9 => Self::Gear { ratio: input.load()?, bearing_a: input.load()?, bearing_b: input.load()? },
            _ => Self::Rack { radius: input.load()?, guide_a: input.load()?, bearing_b: input.load()? },
        })
    }
}

impl<R: Real> Persist for Freedom<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.spring.save(out);
        self.motor.save(out);
        self.limit.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { spring: input.load()?, motor: input.load()?, limit: input.load()? })
    }
}

impl<R: Real> Persist for Spring<R> {
    fn save(&self, out: &mut dyn Sink) {
        [self.stiffness(), self.damping(), self.rest()].save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Self::new(input.load()?, input.load()?, input.load()?)
    }
}

impl<R: Real> Persist for Motor<R> {
    fn save(&self, out: &mut dyn Sink) {
        match self.target() {
            Target::Velocity(velocity) => {
                0_u8.save(out);
                velocity.save(out);
            }
            Target::Position { position, rate, speed } => {
                1_u8.save(out);
                [position, rate, speed].save(out);
            }
        }
        self.limit().save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        let target = match input.tag(2, "motor")? {
            0 => Target::Velocity(input.load()?),
            _ => Target::Position { position: input.load()?, rate: input.load()?, speed: input.bound()? },
        };
        Self::new(target, input.bound()?)
    }
}

impl<R: Real> Persist for Limit<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.bounds().save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Self::new(input.bound()?, input.bound()?)
    }
}

impl<R: Real> Persist for Reaction<R> {
    fn save(&self, out: &mut dyn Sink) {
        self.force.save(out);
        self.torque.save(out);
    }

    fn load(input: &mut Reader<'_>) -> Result<Self, Error> {
        Ok(Self { force: input.load()?, torque: input.load()? })
    }
}
