/// Convex hull of `octahedron.obj`, its lengths times 0.001 in metres.
///
/// 6 corners, 8 facets, 12 edges; 2.304e-6 m³.
/// Its frame lies in that of the file at (-2.1050152e-19, -3.0991837e-20, -3.0991837e-20) m,
/// turned by the quaternion (1.0, 0.0, 0.0, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static OCTAHEDRON: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(0.012, 3.0991837e-20, 3.0991837e-20),
            Vec3::new(-0.012, 3.0991837e-20, 3.0991837e-20),
            Vec3::new(2.1050152e-19, 0.012, 3.0991837e-20),
            Vec3::new(2.1050152e-19, -0.012, 3.0991837e-20),
            Vec3::new(2.1050152e-19, 3.0991837e-20, 0.012),
            Vec3::new(2.1050152e-19, 3.0991837e-20, -0.012),
        ],
        facets: &[
            Facet { normal: Vec3::new(0.57735026, 0.57735026, 0.57735026), offset: 0.006928203, first: 0, corners: 3 },
            Facet { normal: Vec3::new(0.57735026, -0.57735026, -0.57735026), offset: 0.006928203, first: 3, corners: 3 },
            Facet { normal: Vec3::new(0.57735026, -0.57735026, 0.57735026), offset: 0.006928203, first: 6, corners: 3 },
            Facet { normal: Vec3::new(0.57735026, 0.57735026, -0.57735026), offset: 0.006928203, first: 9, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, 0.57735026, -0.57735026), offset: 0.006928203, first: 12, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, -0.57735026, 0.57735026), offset: 0.006928203, first: 15, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, 0.57735026, 0.57735026), offset: 0.006928203, first: 18, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, -0.57735026, -0.57735026), offset: 0.006928203, first: 21, corners: 3 },
        ],
        rims: &[
            0, 2, 4,
            0, 3, 5,
            0, 4, 3,
            0, 5, 2,
            1, 2, 5,
            1, 3, 4,
            1, 4, 2,
            1, 5, 3,
        ],
        edges: &[
            Edge { vertices: [0, 2], facets: [0, 3] },
            Edge { vertices: [2, 4], facets: [0, 6] },
            Edge { vertices: [0, 3], facets: [1, 2] },
            Edge { vertices: [3, 5], facets: [1, 7] },
            Edge { vertices: [0, 4], facets: [2, 0] },
            Edge { vertices: [0, 5], facets: [3, 1] },
            Edge { vertices: [1, 2], facets: [4, 6] },
            Edge { vertices: [2, 5], facets: [4, 3] },
            Edge { vertices: [1, 3], facets: [5, 7] },
            Edge { vertices: [3, 4], facets: [5, 2] },
            Edge { vertices: [1, 4], facets: [6, 5] },
            Edge { vertices: [1, 5], facets: [7, 4] },
        ],
        volume: 2.304e-6,
        moments: Vec3::new(6.6355206e-11, 6.6355206e-11, 6.6355206e-11),
        radius: 0.012,
    }
};
