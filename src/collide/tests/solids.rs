//! Polyhedra for tests: tables from corners and rims, in either precision. Origin is any point inside, not the centre of mass: nothing here
//! weighs them.

use super::*;
use crate::shape::{Edge, Facet, Polyhedron};
use std::boxed::Box;
use std::vec;

pub(super) type Tables = &'static Polyhedron<f64>;

/// From corners and the corners round every facet, counter-clockwise from outside.
pub(super) fn tables(points: List<V>, facets: List<List<u8>>) -> Tables {
    let mut made = List::new();
    let (mut rims, mut edges): (List<u8>, List<Edge>) = (List::new(), List::new());
    for (number, rim) in facets.iter().enumerate() {
        let at = |i: usize| points[usize::from(rim[i % rim.len()])];
        // Newell's normal: good for any number of corners
        let sum = (0..rim.len()).fold(V::default(), |sum, i| sum + at(i).cross(at(i + 1)));
        let normal = sum * (1.0 / length(sum));
        let offset = (0..rim.len()).fold(0.0, |sum, i| sum + at(i).dot(normal)) / rim.len() as f64;
        assert!(offset > 0.0, "the origin is inside");
        made.push(Facet { normal, offset, first: rims.len() as u16, corners: rim.len() as u8 });
        for i in 0..rim.len() {
            let (p, q) = (rim[i], rim[(i + 1) % rim.len()]);
            match edges.iter_mut().find(|edge| edge.vertices == [q, p]) {
                Some(edge) => edge.facets[1] = number as u8,
                None => edges.push(Edge { vertices: [p, q], facets: [number as u8, u8::MAX] }),
            }
        }
        rims.extend(rim);
    }
    assert!(edges.iter().all(|edge| edge.facets[1] != u8::MAX), "closed");
    assert_eq!(points.len() + facets.len(), edges.len() + 2, "Euler");
    let radius = points.iter().fold(0.0, |most, p| f64::max(most, length(*p)));
    Box::leak(Box::new(Polyhedron {
        vertices: Box::leak(points.into_boxed_slice()),
        facets: Box::leak(made.into_boxed_slice()),
        rims: Box::leak(rims.into_boxed_slice()),
        edges: Box::leak(edges.into_boxed_slice()),
        volume: 1.0,
        moments: v(1.0, 1.0, 1.0),
        radius,
    }))
}

pub(super) fn cuboid(half: V) -> Tables {
    let corner = |i: u8| {
        let side = |bit: u8, h: f64| if i & bit == 0 { -h } else { h };
        v(side(1, half.x), side(2, half.y), side(4, half.z))
    };
    let rims: [[u8; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    tables((0..8).map(corner).collect(), rims.iter().map(|rim| rim.to_vec()).collect())
}

/// `n` sides round z.
pub(super) fn prism(n: u8, radius: f64, half: f64) -> Tables {
    let ring = |z: f64| {
        (0..n).map(move |i| {
            let angle = core::f64::consts::TAU * f64::from(i) / f64::from(n);
            v(radius * libm::cos(angle), radius * libm::sin(angle), z)
        })
    };
    let mut facets = vec![(0..n).rev().collect(), (n..2 * n).collect()];
    facets.extend((0..n).map(|i| {
        let next = (i + 1) % n;
        vec![i, next, n + next, n + i]
    }));
    tables(ring(-half).chain(ring(half)).collect(), facets)
}

pub(super) fn tetrahedron(points: [V; 4]) -> Tables {
    hull(points.to_vec())
}

/// The convex hull: every triangle with all points on one side. Slow, and for points in general position.
pub(super) fn hull(points: List<V>) -> Tables {
    let centre = points.iter().fold(V::default(), |sum, p| sum + *p) * (1.0 / points.len() as f64);
    let all: List<V> = points.iter().map(|p| *p - centre).collect();
    let mut triangles: List<[usize; 3]> = List::new();
    let n = all.len();
    for i in 0..n {
        for j in i + 1..n {
            for k in j + 1..n {
                let normal = (all[j] - all[i]).cross(all[k] - all[i]);
                let side = |p: &V| (*p - all[i]).dot(normal);
                if all.iter().all(|p| side(p) <= 1e-12) {
                    triangles.push([i, j, k]);
                } else if all.iter().all(|p| side(p) >= -1e-12) {
                    triangles.push([i, k, j]);
                }
            }
        }
    }
    let used: List<usize> = (0..n).filter(|i| triangles.iter().flatten().any(|j| i == j)).collect();
    let number = |i: &usize| used.iter().position(|j| i == j).unwrap() as u8;
    let rims = triangles.iter().map(|triangle| triangle.iter().map(number).collect()).collect();
    tables(used.iter().map(|i| all[*i]).collect(), rims)
}

/// The same tables in single precision.
pub(super) fn single_tables(from: &Polyhedron<f64>) -> &'static Polyhedron<f32> {
    let r = |x: f64| x as f32;
    let rv = |x: V| Vec3::new(r(x.x), r(x.y), r(x.z));
    let vertices: List<Vec3<f32>> = from.vertices.iter().map(|x| rv(*x)).collect();
    let facet =
        |f: &Facet<f64>| Facet { normal: rv(f.normal), offset: r(f.offset), first: f.first, corners: f.corners };
    let facets: List<Facet<f32>> = from.facets.iter().map(facet).collect();
    Box::leak(Box::new(Polyhedron {
        vertices: Box::leak(vertices.into_boxed_slice()),
        facets: Box::leak(facets.into_boxed_slice()),
        rims: from.rims,
        edges: from.edges,
        volume: r(from.volume),
        moments: rv(from.moments),
        radius: r(from.radius),
    }))
}

impl Lcg {
    /// Cuboid, prism, tetrahedron or hull of eight points, of size about one; thinner by up to `thin`.
    pub(super) fn tables(&mut self, kind: usize, thin: f64) -> Tables {
        let mut size = || self.between(0.5, 1.5);
        let (x, y, z) = (size(), size(), size() * thin);
        match kind % 4 {
            0 => cuboid(v(x, y, z)),
            1 => prism(3 + (x * 4.0) as u8, y, z),
            2 => {
                let tip = v(0.0, 0.0, 1.5 * z);
                let base = |angle: f64| v(x * libm::cos(angle), y * libm::sin(angle), -0.5 * z);
                tetrahedron([base(0.1), base(2.2), base(4.3), tip])
            }
            _ => loop {
                let points: List<V> = (0..8).map(|_| self.direction()).map(|p| v(p.x * x, p.y * y, p.z * z)).collect();
                // no sliver, and its middle well inside
                let inside = std::panic::catch_unwind(|| hull(points));
                if let Ok(made) = inside
                    && made.facets.iter().all(|f| f.offset > 0.1 * thin)
                {
                    return made;
                }
            },
        }
    }
}
