//! Meshes from files: OBJ, and STL as text or bytes.
//!
//! ```text
//! V = Σ a·(b × c)/6      over its triangles, if every side of one is a side of exactly one other, the other way round
//! ```

use std::collections::HashMap;
use std::path::Path;
use tumble::math::Vec3;
use tumble_cli::limits::{MAX_MESH_BYTES, read_capped};
use tumble_cli::problem_file::Refusal;

/// Points, and faces between them where the file has any that can be read.
#[derive(Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) points: Vec<Vec3<f64>>,
    faces: Vec<Vec<usize>>,
    /// points by their bits: what coincides is one
    numbers: HashMap<[u64; 3], usize>,
}

impl Mesh {
    /// Read a file, by the end of its name.
    pub(crate) fn read(path: &Path) -> Result<Self, Refusal> {
        let kind = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        let read = match kind.as_deref() {
            Some("obj") => Self::read_obj,
            Some("stl") => Self::read_stl,
            _ => return refuse("file", "neither .obj nor .stl ends its name"),
        };
        let bytes = read_capped(path, MAX_MESH_BYTES).or_else(|error| refuse("file", error.to_string()))?;
        // the mark that some programs put before text: a first point behind it would be lost
        let mesh = read(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes))?;
        if mesh.points.is_empty() {
            return refuse("file", "has no points");
        }
        Ok(mesh)
    }

    /// `v x y z` is a point, `f 1/2/3 …` a face; anything else is none of our business.
    fn read_obj(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut mesh = Self::default();
        // in the order of the file, which faces count by
        let mut numbers: Vec<usize> = Vec::new();
        let (mut faces, mut readable) = (Vec::new(), true);
        for (line, text) in String::from_utf8_lossy(bytes).lines().enumerate() {
            let mut words = text.split_whitespace();
            match words.next() {
                Some("v") => numbers.push(mesh.add(coordinates(words, line)?)),
                Some("f") => {
                    // from 1 on, or back from the latest
                    let corner = |word: &str| {
                        let number: i64 = word.split('/').next()?.parse().ok()?;
                        let from = if number < 0 { i64::try_from(numbers.len()).ok()? } else { -1 };
                        usize::try_from(from.checked_add(number)?).ok()
                    };
                    let corners: Option<Vec<usize>> = words.map(corner).collect();
                    readable &= corners.as_ref().is_some_and(|corners| corners.len() >= 3);
                    faces.extend(corners);
                }
                _ => {}
            }
        }
        let merged = |face: Vec<usize>| face.into_iter().map(|at| numbers.get(at).copied()).collect();
        let merged: Option<Vec<Vec<usize>>> = faces.into_iter().map(merged).collect();
        mesh.faces = merged.filter(|_| readable).unwrap_or_default();
        Ok(mesh)
    }

    fn read_stl(bytes: &[u8]) -> Result<Self, Refusal> {
        const HEAD: usize = 84;
        const TRIANGLE: usize = 50;
        let count = bytes.get(80..HEAD).and_then(|count| count.try_into().ok()).map(u32::from_le_bytes);
        let size = |count: u32| TRIANGLE as u64 * u64::from(count) + HEAD as u64;
        match count {
            // a text may begin with "solid", and so may a binary's title: the length decides
            Some(count) if size(count) == bytes.len() as u64 => Self::read_binary(bytes.split_at(HEAD).1),
            _ if bytes.trim_ascii_start().starts_with(b"solid") => Self::read_text(bytes),
            Some(count) => refuse(
                "byte 80",
                format!("{count} triangles take {} bytes, and the file has {}", size(count), bytes.len()),
            ),
            None => refuse("file", "neither a text that begins with \"solid\" nor long enough to be anything else"),
        }
    }

    /// Triangles of a normal, three points and two bytes.
    fn read_binary(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut mesh = Self::default();
        for (triangle, bytes) in bytes.chunks_exact(50).enumerate() {
            let numbers: Vec<f64> =
                bytes.chunks_exact(4).map(|x| f64::from(f32::from_le_bytes([x[0], x[1], x[2], x[3]]))).collect();
            if numbers[3..12].iter().any(|x| !x.is_finite()) {
                return refuse(format!("triangle {triangle}"), "a coordinate is not a finite number");
            }
            let face = numbers[3..12].chunks_exact(3).map(|p| mesh.add(Vec3::new(p[0], p[1], p[2]))).collect();
            mesh.faces.push(face);
        }
        Ok(mesh)
    }

    /// `vertex x y z`, three to a loop.
    fn read_text(bytes: &[u8]) -> Result<Self, Refusal> {
        let mut mesh = Self::default();
        let (mut face, mut whole): (Option<Vec<usize>>, bool) = (None, false);
        for (line, text) in String::from_utf8_lossy(bytes).lines().enumerate() {
            let place = || format!("line {}", line + 1);
            let mut words = text.split_whitespace();
            match (words.next(), &mut face) {
                (Some("outer"), None) => face = Some(Vec::new()),
                (Some("vertex"), Some(face)) => face.push(mesh.add(coordinates(words, line)?)),
                (Some("endloop"), Some(corners)) if corners.len() == 3 => mesh.faces.extend(face.take()),
                (Some("endloop"), Some(corners)) => {
                    return refuse(place(), format!("a loop of {} points, not 3", corners.len()));
                }
                (Some("solid" | "facet" | "endfacet") | None, None) => {}
                (Some("endsolid"), None) => whole = true,
                (Some(word), Some(_)) => return refuse(place(), format!("{word:?} within a loop")),
                (Some(word), None) => return refuse(place(), format!("{word:?} where no loop has begun")),
                (None, Some(_)) => {}
            }
        }
        if whole { Ok(mesh) } else { refuse("end of file", "comes before \"endsolid\"") }
    }

    /// A point; the number of the same one if it is there already.
    fn add(&mut self, point: Vec3<f64>) -> usize {
        // + 0.0: there are two zeros
        let bits = <[f64; 3]>::from(point).map(|x| (x + 0.0).to_bits());
        *self.numbers.entry(bits).or_insert_with(|| {
            self.points.push(point);
            self.points.len() - 1
        })
    }

    /// How large it is; nothing if it has no faces, `Some(None)` if they do not close. In cubes of the file's unit.
    pub(crate) fn volume(&self) -> Option<Option<f64>> {
        if self.faces.is_empty() {
            return None;
        }
        let mut sides: HashMap<(usize, usize), u32> = HashMap::new();
        for face in &self.faces {
            for (&a, &b) in face.iter().zip(face.iter().cycle().skip(1)) {
                *sides.entry((a, b)).or_default() += 1;
            }
        }
        let closed = sides.iter().all(|(&(a, b), &count)| count == 1 && sides.get(&(b, a)) == Some(&1));
        // from a point of its own, where numbers are small
        let origin = self.points.first().copied().unwrap_or_default();
        let at = |corner: usize| self.points[corner] - origin;
        let fan = |face: &Vec<usize>| -> f64 {
            face[1..].windows(2).map(|side| at(face[0]).dot(at(side[0]).cross(at(side[1])))).sum()
        };
        let volume = self.faces.iter().map(fan).sum::<f64>() / 6.0;
        // inside out is the same body
        Some(closed.then_some(volume.abs()))
    }
}

fn coordinates<'a>(mut words: impl Iterator<Item = &'a str>, line: usize) -> Result<Vec3<f64>, Refusal> {
    let place = || format!("line {}", line + 1);
    let mut point = [0.0; 3];
    for (name, x) in ["x", "y", "z"].into_iter().zip(&mut point) {
        let Some(word) = words.next() else { return refuse(place(), format!("{name} is missing")) };
        *x = match word.parse::<f64>() {
            Ok(number) if number.is_finite() => number,
            _ => return refuse(place(), format!("{name} is not a finite number but {word:?}")),
        };
    }
    Ok(Vec3::from(point))
}

fn refuse<T>(place: impl Into<String>, reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { place: place.into(), reason: reason.into() })
}
