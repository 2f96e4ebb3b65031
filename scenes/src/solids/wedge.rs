/// Convex hull of `wedge.obj`, its lengths times 0.001 in metres.
///
/// 6 corners, 5 facets, 9 edges; 8.999999e-6 m³.
/// Its frame lies in that of the file at (0.0, -3.6763582e-19, 0.006666667) m,
/// turned by the quaternion (1.0, 0.0, 0.0, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static WEDGE: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(-0.015, -0.015, -0.006666667),
            Vec3::new(-0.015, 0.015, -0.006666667),
            Vec3::new(0.015, -0.015, -0.006666667),
            Vec3::new(0.015, 0.015, -0.006666667),
            Vec3::new(0.0, -0.015, 0.013333334),
            Vec3::new(0.0, 0.015, 0.013333334),
        ],
        facets: &[
            Facet { normal: Vec3::new(0.0, 0.0, -1.0), offset: 0.006666667, first: 0, corners: 4 },
            Facet { normal: Vec3::new(0.0, -1.0, 0.0), offset: 0.015, first: 4, corners: 3 },
            Facet { normal: Vec3::new(-0.8, 0.0, 0.6), offset: 0.008, first: 7, corners: 4 },
            Facet { normal: Vec3::new(0.0, 1.0, 0.0), offset: 0.015, first: 11, corners: 3 },
            Facet { normal: Vec3::new(0.8, 0.0, 0.6), offset: 0.008, first: 14, corners: 4 },
        ],
        rims: &[
            0, 1, 3, 2,
            0, 2, 4,
            0, 4, 5, 1,
            1, 5, 3,
            2, 3, 5, 4,
        ],
        edges: &[
            Edge { vertices: [0, 1], facets: [0, 2] },
            Edge { vertices: [1, 3], facets: [0, 3] },
            Edge { vertices: [0, 2], facets: [1, 0] },
            Edge { vertices: [2, 4], facets: [1, 4] },
            Edge { vertices: [0, 4], facets: [2, 1] },
            Edge { vertices: [4, 5], facets: [2, 4] },
            Edge { vertices: [1, 5], facets: [3, 2] },
            Edge { vertices: [2, 3], facets: [4, 0] },
            Edge { vertices: [3, 5], facets: [4, 3] },
        ],
        volume: 8.999999e-6,
        moments: Vec3::new(8.7499996e-10, 5.375e-10, 1.0125e-9),
        radius: 0.022236107,
    }
};
