//! Pairs of polyhedra, each solid with itself: what the ratio metric says of them and which events there are, on boards and here alike.
//!
//! Output, a line each:
//! ```text
//! pair NAME facets M events E answer HASH         M of both together; events of all poses; hash of ρ and of every gap
//! cost NAME ratio I events J most K               instructions, which only a target can count: means over poses, and the most that events took
//! ```

use crate::solids::{BLOCK, CUBE, DODECAHEDRON, NUT, OCTAHEDRON, TETRAHEDRON, WHEEL};
use core::fmt::{self, Write};
use tumble::collide::{events, ratio};
use tumble::math::{Pose, Quat, Vec3};
use tumble::shape::Polyhedron;
use tumble::twin::Random;

/// Who is looked at.
const SOLIDS: [(&str, &Polyhedron<f32>); 7] = [
    ("tetrahedron", &TETRAHEDRON),
    ("cube", &CUBE),
    ("block", &BLOCK),
    ("octahedron", &OCTAHEDRON),
    ("nut", &NUT),
    ("dodecahedron", &DODECAHEDRON),
    ("wheel", &WHEEL),
];
/// Of each pair: every other one laid flat on each other, all others somehow, from inside each other to just apart.
const POSES: u16 = 64;
/// Nearer than this they touch. m
const MARGIN: f32 = 1e-3;

/// Look at all pairs; `count` does what it is given and says how many instructions that took.
///
/// # Errors
/// Those of `out`.
pub fn look(out: &mut impl Write, mut count: impl FnMut(&mut dyn FnMut()) -> u64) -> fmt::Result {
    for (name, solid) in SOLIDS {
        let mut random = Random::new(1);
        let (mut answer, mut found) = (Hash::NEW, 0_u32);
        let [mut for_ratio, mut for_events, mut most] = [0_u64; 3];
        for pose in 0..POSES {
            let (a, b) = poses(solid, &mut random, pose % 2 == 0);
            let mut rho = 0.0;
            for_ratio = for_ratio.saturating_add(count(&mut || rho = ratio(solid, &a, solid, &b).rho));
            answer.add(rho);
            let instructions = count(&mut || {
                events((solid, &a), (solid, &b), MARGIN, |event| {
                    answer.add(event.gap());
                    found = found.saturating_add(1);
                });
            });
            for_events = for_events.saturating_add(instructions);
            most = most.max(instructions);
        }
        let facets = solid.facets.len().saturating_mul(2);
        writeln!(out, "pair {name} facets {facets} events {found} answer {:016x}", answer.0)?;
        let mean = |sum: u64| sum / u64::from(POSES);
        writeln!(out, "cost {name} ratio {} events {} most {most}", mean(for_ratio), mean(for_events))?;
    }
    Ok(())
}

/// Where both are.
fn poses(solid: &Polyhedron<f32>, random: &mut Random, flat: bool) -> (Pose<f32>, Pose<f32>) {
    let turned = |v: Vec3<f32>| Quat::IDENTITY.turned(v * 2.0);
    if flat {
        // the lowest facet of one on the highest of the other, turned about the normal
        let highest = solid.facets.iter().fold((0.0, 0.0), |(z, offset), facet| {
            if facet.normal.z > z { (facet.normal.z, facet.offset) } else { (z, offset) }
        });
        let up = Vec3::new(0.0, 0.0, 2.0 * highest.1 + 2e-5 * random.within_one());
        let orientation = turned(Vec3::new(0.0, 0.0, random.within_one()));
        return (Pose { position: up, orientation }, Pose::IDENTITY);
    }
    let (a, b) = (turned(random.vector()), turned(random.vector()));
    let towards = turned(random.vector()).turn(Vec3::new(0.0, 0.0, 1.0));
    let position = towards * (solid.radius * (1.5 + 0.5 * random.within_one()));
    (Pose { position, orientation: a }, Pose { position: Vec3::default(), orientation: b })
}

/// FNV-1a, 64 bits.
struct Hash(u64);

impl Hash {
    const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    fn add(&mut self, number: f32) {
        for byte in number.to_bits().to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}
