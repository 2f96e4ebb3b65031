//! Making a joint: every input is checked here, once.

use super::angle::Counter;
use super::coordinate::Freedom;
use super::{Coordinate, Joint, Kind, Limit, Motor, Spring};
use crate::check::{finite, positive};
use crate::error::Error;
use crate::math::{Pose, Quat, Real, Vec3};

impl<R: Real> Joint<R> {
    /// A joint of this kind between `frame_a`, fixed in body a, and `frame_b`, fixed in body b or the ground.
    ///
    /// Frames are poses about the body's centre of mass in the body's own axes; of the ground, world poses.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("orientation")` for a frame's whose length is not one; [`Error::NonFinite`] naming `frame_a`, `frame_b`,
    /// `bearing_a`, `bearing_b` or `guide_a`; [`Error::NonFinite`] or [`Error::NonPositive`]`("length")`; [`Error::NonFinite`]`("rate")`; [`Error::NonFinite`] or [`Error::OutOfRange`] (for zero) naming
    /// `pitch`, `ratio` or `radius`.
    pub fn new(kind: Kind<R>, frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        frame_a.check("frame_a")?;
        frame_b.check("frame_b")?;
        match &kind {
            Kind::Ball | Kind::Revolute | Kind::Prismatic | Kind::Cylindrical | Kind::Universal | Kind::Fixed => {}
            Kind::Distance { length, rate } | Kind::Rope { length, rate } => {
                positive(*length, "length")?;
                finite(*rate, "rate")?;
            }
            Kind::Screw { pitch } => non_zero(*pitch, "pitch")?,
            Kind::Gear { ratio, bearing_a, bearing_b } => {
                non_zero(*ratio, "ratio")?;
                bearing_a.check("bearing_a")?;
                bearing_b.check("bearing_b")?;
            }
            Kind::Rack { radius, guide_a, bearing_b } => {
                non_zero(*radius, "radius")?;
                guide_a.check("guide_a")?;
                bearing_b.check("bearing_b")?;
            }
        }
        Ok(Self {
            kind,
            frame_a,
            frame_b,
            turn: Freedom::FREE,
            slide: Freedom::FREE,
            cone: None,
            turns_a: Counter::ZERO,
            turns_b: Counter::ZERO,
        })
    }

    /// The points `at_a` and `at_b` (m) of the bodies coincide.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn ball(at_a: Vec3<R>, at_b: Vec3<R>) -> Result<Self, Error> {
        Self::new(Kind::Ball, Pose::at(at_a), Pose::at(at_b))
    }

    /// A hinge about z of both frames.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn revolute(frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        Self::new(Kind::Revolute, frame_a, frame_b)
    }

    /// A slider along z of both frames.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn prismatic(frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        Self::new(Kind::Prismatic, frame_a, frame_b)
    }

    /// Turns about z of both frames and slides along it.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn cylindrical(frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        Self::new(Kind::Cylindrical, frame_a, frame_b)
    }

    /// A Cardan joint: x of frame a stays perpendicular to y of frame b.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn universal(frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        Self::new(Kind::Universal, frame_a, frame_b)
    }

    /// The frames coincide.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn fixed(frame_a: Pose<R>, frame_b: Pose<R>) -> Result<Self, Error> {
        Self::new(Kind::Fixed, frame_a, frame_b)
    }

    /// A rod of this length (m) between the points `at_a` and `at_b` of the bodies.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn distance(at_a: Vec3<R>, at_b: Vec3<R>, length: R) -> Result<Self, Error> {
        Self::new(Kind::Distance { length, rate: R::ZERO }, Pose::at(at_a), Pose::at(at_b))
    }

    /// A rope of this length (m) between the points `at_a` and `at_b` of the bodies.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn rope(at_a: Vec3<R>, at_b: Vec3<R>, length: R) -> Result<Self, Error> {
        Self::new(Kind::Rope { length, rate: R::ZERO }, Pose::at(at_a), Pose::at(at_b))
    }

    /// A nut that slides `pitch` (m) a turn along z of both frames.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn screw(frame_a: Pose<R>, frame_b: Pose<R>, pitch: R) -> Result<Self, Error> {
        Self::new(Kind::Screw { pitch }, frame_a, frame_b)
    }

    /// Body a turns `ratio` times as fast about the z axis of `axle_a` as body b about that of `axle_b`.
    ///
    /// Axles are world poses, fixed in the ground; `a` and `b` are where the bodies are now, at angle zero. The hinges that hold the
    /// wheels are joints of their own.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn gear(ratio: R, a: &Pose<R>, axle_a: Pose<R>, b: &Pose<R>, axle_b: Pose<R>) -> Result<Self, Error> {
        let kind = Kind::Gear { ratio, bearing_a: axle_a, bearing_b: axle_b };
        Self::new(kind, Self::within(a, &axle_a), Self::within(b, &axle_b))
    }

    /// Body a slides `radius` (m) along z of `guide_a` while body b turns by a radian about z of `axle_b`.
    ///
    /// Guide and axle are world poses, fixed in the ground; `a` and `b` are where the bodies are now, at zero.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn rack(radius: R, a: &Pose<R>, guide_a: Pose<R>, b: &Pose<R>, axle_b: Pose<R>) -> Result<Self, Error> {
        let kind = Kind::Rack { radius, guide_a, bearing_b: axle_b };
        Self::new(kind, Self::within(a, &guide_a), Self::within(b, &axle_b))
    }

    /// A frame at `point` (m) with its z along `axis`, of any length but zero.
    ///
    /// # Errors
    /// [`Error::NonFinite`] naming `point` or `axis`; [`Error::NonPositive`]`("axis")` where it has no length.
    pub fn frame(point: Vec3<R>, axis: Vec3<R>) -> Result<Pose<R>, Error> {
        if !point.is_finite() {
            return Err(Error::NonFinite("point"));
        }
        if !axis.is_finite() {
            return Err(Error::NonFinite("axis"));
        }
        let (n, _) = axis.unit().ok_or(Error::NonPositive("axis"))?;
        // shortest arc from z to n: (1 + z·n, z × n); below the equator from −z, after half a turn about x,
        // so that neither end loses digits
        let orientation = if n.z >= R::ZERO {
            Quat::new(R::ONE + n.z, -n.y, n.x, R::ZERO)
        } else {
            Quat::new(-n.y, R::ONE - n.z, R::ZERO, n.x)
        };
        Ok(Pose { position: point, orientation: orientation.ok_or(Error::NonPositive("axis"))? })
    }

    /// The world pose `world` seen from a body at `body`: the frame to give for a joint that is there now.
    pub fn within(body: &Pose<R>, world: &Pose<R>) -> Pose<R> {
        Pose {
            position: body.point_within(world.position),
            orientation: body.orientation.inverse() * world.orientation,
        }
    }

    /// With stops on a free coordinate: `lo ≤ x ≤ hi`, either may be infinite. m or rad
    ///
    /// # Errors
    /// As [`Limit::new`]; [`Error::OutOfRange`]`("coordinate")` where this kind has no such coordinate.
    pub fn with_limit(mut self, coordinate: Coordinate, lo: R, hi: R) -> Result<Self, Error> {
        let limit = Limit::new(lo, hi)?;
        self.free(coordinate)?.limit = Some(limit);
        Ok(self)
    }

    /// With a motor on a free coordinate.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("coordinate")` where this kind has no such coordinate.
    pub fn with_motor(mut self, coordinate: Coordinate, motor: Motor<R>) -> Result<Self, Error> {
        self.set_motor(coordinate, Some(motor))?;
        Ok(self)
    }

    /// With a spring on a free coordinate. A rod or rope with a spring on [`Coordinate::Slide`] gives way as the spring says.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("coordinate")` where this kind has no such coordinate.
    pub fn with_spring(mut self, coordinate: Coordinate, spring: Spring<R>) -> Result<Self, Error> {
        let freedom = match (self.kind, coordinate) {
            (Kind::Distance { .. } | Kind::Rope { .. }, Coordinate::Slide) => &mut self.slide,
            _ => self.free(coordinate)?,
        };
        freedom.spring = Some(spring);
        Ok(self)
    }

    /// Ball or universal joint with a largest angle (rad) between the z axes of both frames: `0 < angle ≤ π`.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] naming `cone`, or `coordinate` for another kind.
    pub fn with_cone(mut self, angle: R) -> Result<Self, Error> {
        if !matches!(self.kind, Kind::Ball | Kind::Universal) {
            return Err(Error::OutOfRange("coordinate"));
        }
        // written so that NaN is refused
        if !(angle > R::ZERO && angle <= R::from_f64(core::f64::consts::PI)) {
            return Err(Error::OutOfRange("cone"));
        }
        self.cone = Some(angle);
        Ok(self)
    }

    /// What the joint is.
    pub fn kind(&self) -> &Kind<R> {
        &self.kind
    }

    /// Frame in body a.
    pub fn frame_a(&self) -> &Pose<R> {
        &self.frame_a
    }

    /// Frame in body b or the ground.
    pub fn frame_b(&self) -> &Pose<R> {
        &self.frame_b
    }

    /// Give a coordinate another motor, or none.
    ///
    /// # Errors
    /// [`Error::OutOfRange`]`("coordinate")` where this kind has no such coordinate.
    pub fn set_motor(&mut self, coordinate: Coordinate, motor: Option<Motor<R>>) -> Result<(), Error> {
        self.free(coordinate)?.motor = motor;
        Ok(())
    }

    /// Give a rod or rope another length (m) at the beginning of the step and a rate (m/s) during it.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::NonPositive`]`("length")`, [`Error::NonFinite`]`("rate")`;
    /// [`Error::OutOfRange`]`("coordinate")` for another kind.
    pub fn set_length(&mut self, new_length: R, new_rate: R) -> Result<(), Error> {
        positive(new_length, "length")?;
        finite(new_rate, "rate")?;
        match &mut self.kind {
            Kind::Distance { length, rate } | Kind::Rope { length, rate } => {
                (*length, *rate) = (new_length, new_rate);
                Ok(())
            }
            _ => Err(Error::OutOfRange("coordinate")),
        }
    }

    fn free(&mut self, coordinate: Coordinate) -> Result<&mut Freedom<R>, Error> {
        match (self.kind, coordinate) {
            (Kind::Revolute | Kind::Cylindrical | Kind::Screw { .. }, Coordinate::Turn) => Ok(&mut self.turn),
            (Kind::Prismatic | Kind::Cylindrical | Kind::Screw { .. }, Coordinate::Slide) => Ok(&mut self.slide),
            _ => Err(Error::OutOfRange("coordinate")),
        }
    }
}

fn non_zero<R: Real>(x: R, name: &'static str) -> Result<(), Error> {
    finite(x, name)?;
    if x == R::ZERO { Err(Error::OutOfRange(name)) } else { Ok(()) }
}
