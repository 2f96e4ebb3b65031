//! What a caller can get wrong.

use core::fmt;

/// Why an input was refused. Whatever refuses an input leaves everything as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub enum Error {
    /// The named buffer is full; its capacity is a const generic of the type.
    CapacityExceeded(&'static str),
    /// The named quantity is infinite or not a number.
    NonFinite(&'static str),
    /// The named quantity must be greater than zero.
    NonPositive(&'static str),
    /// The named quantity must not be negative.
    Negative(&'static str),
    /// The named quantity lies outside its documented range.
    OutOfRange(&'static str),
    /// The named matrix must be symmetric.
    NotSymmetric(&'static str),
    /// The lower bound of a row lies above its upper bound, or a bound admits no finite impulse.
    EmptyInterval,
    /// No body has this id here.
    NoSuchBody,
    /// No row has this id here, or a friction row has no row before it to bound it.
    NoSuchRow,
    /// No joint has this id here.
    NoSuchJoint,
    /// No collider has this id here.
    NoSuchCollider,
    /// A body's free velocity cannot change under rows that were built on it.
    HasRows,
    /// A row must join two different bodies, or one body and the ground.
    SameBody,
    /// The facets of a polyhedron do not close it: a side without an edge, a corner without a facet, an edge too many.
    NotClosed,
    /// A corner of a polyhedron lies above one of its facets, or one of a facet's own off its plane or out of turn.
    NotConvex,
    /// A polyhedron's centre of mass is not at its origin, or its principal axes are not along x, y, z.
    NotCentred,
    /// Points that lie in one plane or on one line, or a polyhedron too thin to know its planes: no solid.
    Flat,
    /// Something else moves the named thing already.
    Taken(&'static str),
    /// The bytes end before what they hold does.
    Truncated,
    /// The checksum is not that of the bytes before it.
    Corrupted,
    /// These bytes were saved of another one of the named kind, which is built otherwise.
    Foreign(&'static str),
    /// These bytes do not begin as the named format does, or are of another version of it.
    UnknownFormat(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CapacityExceeded(what) => write!(f, "no room for more {what}"),
            Self::NonFinite(what) => write!(f, "{what} is not a finite number"),
            Self::NonPositive(what) => write!(f, "{what} must be greater than zero"),
            Self::Negative(what) => write!(f, "{what} must not be negative"),
            Self::OutOfRange(what) => write!(f, "{what} is out of its range"),
            Self::NotSymmetric(what) => write!(f, "{what} is not symmetric"),
            Self::EmptyInterval => f.write_str("no impulse lies between the row's bounds"),
            Self::NoSuchBody => f.write_str("no body has this id"),
            Self::NoSuchRow => f.write_str("no row has this id, or none stands before a friction row"),
            Self::NoSuchJoint => f.write_str("no joint has this id"),
            Self::NoSuchCollider => f.write_str("no collider has this id"),
            Self::HasRows => f.write_str("rows were built on this body's free velocity"),
            Self::SameBody => f.write_str("a row must not join a body with itself"),
            Self::NotClosed => f.write_str("the facets do not close a polyhedron"),
            Self::NotConvex => f.write_str("the facets and corners are not those of a convex polyhedron"),
            Self::NotCentred => f.write_str("the centre of mass and the principal axes are not those of the frame"),
            Self::Flat => f.write_str("the points span no solid"),
            Self::Taken(what) => write!(f, "something else moves this {what} already"),
            Self::Truncated => f.write_str("the bytes end too soon"),
            Self::Corrupted => f.write_str("the checksum is not that of the bytes"),
            Self::Foreign(what) => write!(f, "this was saved of another {what}"),
            Self::UnknownFormat(what) => write!(f, "this is no {what} of a version known here"),
        }
    }
}

impl core::error::Error for Error {}

#[cfg(feature = "std")]
impl From<Error> for std::io::Error {
    /// For host programs that speak `io::Result`: everything refused is invalid input.
    fn from(error: Error) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}
