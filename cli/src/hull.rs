//! `tumble hull FILE`: the convex hull of a mesh as tables for flash, Rust source or JSON.

use crate::mesh::Mesh;
use crate::output::{Destination, one_line};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::fmt::{self, Debug};
use std::io::Write;
use std::path::{Path, PathBuf};
use tumble::Error;
use tumble::math::{Real, Vec3};
use tumble::shape::{Edge, Hull};
use tumble_cli::problem_file::Refusal;

/// Make tables of a convex polyhedron from a mesh
///
/// Reads the points of a mesh, finds their convex hull, moves it to its centre of mass and principal axes, and prints a static table that a
/// world takes as Shape::Polyhedron(&NAME). Lengths of the file times the scale are metres.
#[derive(Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// Mesh, at most 256 MiB: .obj (of which only points and faces count), or .stl as text or binary
    file: PathBuf,

    /// Metres in a unit of the file, greater than 0: 0.001 for millimetres
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_hyphen_values = true)]
    scale: f64,

    /// Name of the static: capitals, digits and _ [default: that of the file]
    #[arg(long)]
    name: Option<String>,

    /// Numbers of the table; it is computed in double precision and rounded
    #[arg(long, value_enum, default_value_t = Scalar::F32)]
    scalar: Scalar,

    /// Leave out points that stick out by less than this, for fewer corners; less than the shortest side of the part's bounding box
    #[arg(long, value_name = "METRES", default_value_t = 0.0, allow_hyphen_values = true)]
    tolerance: f64,

    /// Also write the table as JSON; "-" writes it to stdout and nothing else there
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Example:
  tumble hull bracket.stl --scale 0.001 --name BRACKET > src/bracket.rs

A polyhedron has at most 128 corners, 128 facets and 128 edges. A mesh that is not convex loses its hollows: stderr says how much
larger its hull is, where the mesh is closed. For a body of several hulls see tumble::shape::Compound.

JSON keys:
  file, name, scale, scalar, tolerance   what was asked
  volume, moments                        of the hull [m³]; about x, y, z at density 1 [m⁵]
  radius                                 largest distance of a corner from the centre of mass [m]
  position, orientation                  the hull's frame in the file's, scaled [m]; a quaternion w, x, y, z
  vertices                               corners [m]
  facets                                 normal, offset [m], and corners round each, counter-clockwise from outside
  edges                                  two vertices, and the two facets between which it lies
  mesh_volume                            [m³], null where the mesh has no faces or they do not close

Exit code: 0 done; 2 file or arguments refused; 1 anything else.";

#[derive(Clone, Copy, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum Scalar {
    /// Single precision, as on a microcontroller
    F32,
    /// Double precision
    F64,
}

/// The answer as it is written.
#[derive(Serialize)]
struct Output<R> {
    file: String,
    name: String,
    scale: f64,
    scalar: Scalar,
    tolerance: f64,
    volume: R,
    moments: [R; 3],
    radius: R,
    position: [R; 3],
    orientation: [R; 4],
    vertices: Vec<[R; 3]>,
    facets: Vec<Facet<R>>,
    edges: Vec<Between>,
    mesh_volume: Option<f64>,
}

#[derive(Serialize)]
struct Facet<R> {
    normal: [R; 3],
    offset: R,
    corners: Vec<u8>,
}

#[derive(Serialize)]
struct Between {
    vertices: [u8; 2],
    facets: [u8; 2],
}

/// Read, wrap, write.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    check(arguments)?;
    let place = || arguments.file.display().to_string();
    let mesh = Mesh::read(&arguments.file).with_context(place)?;
    match arguments.scalar {
        Scalar::F32 => wrap::<f32>(arguments, &mesh).with_context(place)?.write(arguments, &mesh),
        Scalar::F64 => wrap::<f64>(arguments, &mesh).with_context(place)?.write(arguments, &mesh),
    }
}

fn check(arguments: &Arguments) -> Result<(), Refusal> {
    let refuse = |place: &str, reason: String| Err(Refusal { place: place.into(), reason });
    if !(arguments.scale.is_finite() && arguments.scale > 0.0) {
        return refuse("--scale", format!("must be a finite number greater than 0, not {}", arguments.scale));
    }
    if !(arguments.tolerance.is_finite() && arguments.tolerance >= 0.0) {
        return refuse("--tolerance", format!("must be a finite number, at least 0, not {}", arguments.tolerance));
    }
    let fits = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    match &arguments.name {
        Some(name) if !fits(name) => {
            refuse("--name", format!("must be of capitals, digits and _, a capital first, not {name:?}"))
        }
        _ => Ok(()),
    }
}

/// The file's own name as that of a static.
fn name_of(file: &Path) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
    let name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name } else { format!("PART_{name}") }
}

/// Of the bounding box. m
fn shortest_side(points: &[Vec3<f64>]) -> f64 {
    let points = points.iter().map(|point| <[f64; 3]>::from(*point));
    let side = |axis: usize| {
        let along = points.clone().map(|point| point[axis]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    (0..3).map(side).fold(f64::INFINITY, f64::min)
}

fn wrap<R: Real>(arguments: &Arguments, mesh: &Mesh) -> Result<Output<R>, Refusal> {
    let points: Vec<Vec3<f64>> = mesh.points.iter().map(|point| *point * arguments.scale).collect();
    let hull = Hull::<R, 128, 128, 128>::within(&points, arguments.tolerance).map_err(|error| {
        if error == Error::OutOfRange("tolerance") {
            let (tolerance, limit) = (arguments.tolerance, shortest_side(&points));
            let reason = format!(
                "{tolerance:?} m is too large: it must be less than {limit:?} m, the shortest side of the part's \
                 bounding box; use a smaller one"
            );
            return Refusal { place: "--tolerance".into(), reason };
        }
        let reason = match error {
            Error::CapacityExceeded(_) => format!("{error} than 128 in their hull: --tolerance leaves out small ones"),
            _ => error.to_string(),
        };
        Refusal { place: format!("{} points", points.len()), reason }
    })?;
    let facet = |f: &tumble::shape::Facet<R>| Facet {
        normal: f.normal.into(),
        offset: f.offset,
        corners: hull.rims()[usize::from(f.first)..][..usize::from(f.corners)].to_vec(),
    };
    let between = |edge: &Edge| Between { vertices: edge.vertices, facets: edge.facets };
    let cube = arguments.scale * arguments.scale * arguments.scale;
    Ok(Output {
        file: one_line(&arguments.file.file_name().unwrap_or_default().to_string_lossy()),
        name: arguments.name.clone().unwrap_or_else(|| name_of(&arguments.file)),
        scale: arguments.scale,
        scalar: arguments.scalar,
        tolerance: arguments.tolerance,
        volume: hull.volume(),
        moments: hull.moments().into(),
        radius: hull.radius(),
        position: hull.frame().position.into(),
        orientation: hull.frame().orientation.components(),
        vertices: hull.vertices().iter().map(|v| (*v).into()).collect(),
        facets: hull.facets().iter().map(facet).collect(),
        edges: hull.edges().iter().map(between).collect(),
        mesh_volume: mesh.volume().flatten().map(|volume| volume * cube),
    })
}

impl<R: Real + Serialize> Output<R> {
    /// The table; and a word on what the hull has covered up.
    fn write(&self, arguments: &Arguments, mesh: &Mesh) -> Result<()> {
        Destination::open(arguments.json.as_deref())?.write(self)?;
        let hull = self.volume.to_f64();
        let word = match (mesh.volume(), self.mesh_volume) {
            // less than that is rounding, or corners too small to count
            (_, Some(volume)) if hull - volume > 1e-4 * hull => {
                let share = 100.0 * (1.0 - volume / hull);
                format!("not convex: its volume is {share:.3} % smaller than that of its hull")
            }
            (Some(None), _) => "its faces do not close: whether it is convex is not known".into(),
            _ => return Ok(()),
        };
        // not eprintln: it panics when nobody listens
        let _ = writeln!(std::io::stderr(), "tumble: {}: {word}", one_line(&arguments.file.display().to_string()));
        Ok(())
    }
}

/// Source: numbers as short as they can be and still be the same ones when read again.
impl<R: Debug + Serialize> fmt::Display for Output<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let real = match self.scalar {
            Scalar::F32 => "f32",
            Scalar::F64 => "f64",
        };
        let [w, qx, qy, qz] = &self.orientation;
        let [px, py, pz] = &self.position;
        let counts = [self.vertices.len(), self.facets.len(), self.edges.len()];
        writeln!(f, "/// Convex hull of `{}`, its lengths times {:?} in metres.", self.file, self.scale)?;
        writeln!(f, "///")?;
        writeln!(f, "/// {} corners, {} facets, {} edges; {:?} m³.", counts[0], counts[1], counts[2], self.volume)?;
        writeln!(f, "/// Its frame lies in that of the file at ({px:?}, {py:?}, {pz:?}) m,")?;
        writeln!(f, "/// turned by the quaternion ({w:?}, {qx:?}, {qy:?}, {qz:?}), w first. Made by `tumble hull`.")?;
        writeln!(f, "#[rustfmt::skip]")?;
        writeln!(f, "#[allow(clippy::approx_constant, clippy::unreadable_literal)]")?;
        writeln!(f, "pub static {}: tumble::shape::Polyhedron<{real}> = {{", self.name)?;
        writeln!(f, "    use tumble::math::Vec3;")?;
        writeln!(f, "    use tumble::shape::{{Edge, Facet, Polyhedron}};")?;
        writeln!(f, "    Polyhedron {{")?;
        writeln!(f, "        vertices: &[")?;
        for vertex in &self.vertices {
            writeln!(f, "            {},", Constructor(vertex))?;
        }
        writeln!(f, "        ],\n        facets: &[")?;
        let mut first = 0;
        for Facet { normal, offset, corners } in &self.facets {
            let (normal, count) = (Constructor(normal), corners.len());
            writeln!(
                f,
                "            Facet {{ normal: {normal}, offset: {offset:?}, first: {first}, corners: {count} }},"
            )?;
            first += count;
        }
        writeln!(f, "        ],\n        rims: &[")?;
        for Facet { corners, .. } in &self.facets {
            let corners: Vec<String> = corners.iter().map(u8::to_string).collect();
            writeln!(f, "            {},", corners.join(", "))?;
        }
        writeln!(f, "        ],\n        edges: &[")?;
        for Between { vertices, facets } in &self.edges {
            writeln!(f, "            Edge {{ vertices: {vertices:?}, facets: {facets:?} }},")?;
        }
        writeln!(f, "        ],\n        volume: {:?},", self.volume)?;
        writeln!(f, "        moments: {},\n        radius: {:?},", Constructor(&self.moments), self.radius)?;
        writeln!(f, "    }}\n}};")
    }
}

struct Constructor<'a, R>(&'a [R; 3]);

impl<R: Debug> fmt::Display for Constructor<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(f, "Vec3::new({x:?}, {y:?}, {z:?})")
    }
}
