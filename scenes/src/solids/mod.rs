//! Polyhedra that scenes are made of, tables in flash: `tumble hull` made each from the file of the same name in `scenes/solids`, whose lengths are millimetres.

mod block;
mod cube;
mod dodecahedron;
mod nut;
mod octahedron;
mod plank;
mod post;
mod tetrahedron;
mod wedge;
mod wheel;

pub use block::BLOCK;
pub use cube::CUBE;
pub use dodecahedron::DODECAHEDRON;
pub use nut::NUT;
pub use octahedron::OCTAHEDRON;
pub use plank::PLANK;
pub use post::POST;
pub use tetrahedron::TETRAHEDRON;
pub use wedge::WEDGE;
pub use wheel::WHEEL;

use tumble::shape::Polyhedron;

/// All of them, in the order by which snapshots know them: new ones go to the end.
pub static ALL: [&Polyhedron<f32>; 10] =
    [&BLOCK, &CUBE, &DODECAHEDRON, &NUT, &OCTAHEDRON, &PLANK, &POST, &TETRAHEDRON, &WEDGE, &WHEEL];
