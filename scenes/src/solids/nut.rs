/// Convex hull of `nut.obj`, its lengths times 0.001 in metres.
///
/// 12 corners, 8 facets, 18 edges; 2.078461e-6 m³.
/// Its frame lies in that of the file at (-4.2927895e-19, -4.331928e-20, 1.1794006e-19) m,
/// turned by the quaternion (1.0, 0.0, 0.0, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static NUT: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(0.01, 4.331928e-20, -0.004),
            Vec3::new(0.01, 4.331928e-20, 0.004),
            Vec3::new(0.005, 0.008660254, -0.004),
            Vec3::new(0.005, 0.008660254, 0.004),
            Vec3::new(-0.005, 0.008660254, -0.004),
            Vec3::new(-0.005, 0.008660254, 0.004),
            Vec3::new(-0.01, 1.7780427e-18, -0.004),
            Vec3::new(-0.01, 1.7780427e-18, 0.004),
            Vec3::new(-0.005, -0.008660254, -0.004),
            Vec3::new(-0.005, -0.008660254, 0.004),
            Vec3::new(0.005, -0.008660254, -0.004),
            Vec3::new(0.005, -0.008660254, 0.004),
        ],
        facets: &[
            Facet { normal: Vec3::new(0.8660254, -0.5, 0.0), offset: 0.008660254, first: 0, corners: 4 },
            Facet { normal: Vec3::new(0.8660254, 0.5, 0.0), offset: 0.008660254, first: 4, corners: 4 },
            Facet { normal: Vec3::new(0.0, 0.0, -1.0), offset: 0.004, first: 8, corners: 6 },
            Facet { normal: Vec3::new(0.0, 0.0, 1.0), offset: 0.004, first: 14, corners: 6 },
            Facet { normal: Vec3::new(0.0, 1.0, 0.0), offset: 0.008660254, first: 20, corners: 4 },
            Facet { normal: Vec3::new(-0.8660254, 0.5, 0.0), offset: 0.008660254, first: 24, corners: 4 },
            Facet { normal: Vec3::new(-0.8660254, -0.5, 0.0), offset: 0.008660254, first: 28, corners: 4 },
            Facet { normal: Vec3::new(0.0, -1.0, 0.0), offset: 0.008660254, first: 32, corners: 4 },
        ],
        rims: &[
            0, 1, 11, 10,
            0, 2, 3, 1,
            0, 10, 8, 6, 4, 2,
            1, 3, 5, 7, 9, 11,
            2, 4, 5, 3,
            4, 6, 7, 5,
            6, 8, 9, 7,
            8, 10, 11, 9,
        ],
        edges: &[
            Edge { vertices: [0, 1], facets: [0, 1] },
            Edge { vertices: [1, 11], facets: [0, 3] },
            Edge { vertices: [0, 2], facets: [1, 2] },
            Edge { vertices: [2, 3], facets: [1, 4] },
            Edge { vertices: [0, 10], facets: [2, 0] },
            Edge { vertices: [1, 3], facets: [3, 1] },
            Edge { vertices: [3, 5], facets: [3, 4] },
            Edge { vertices: [5, 7], facets: [3, 5] },
            Edge { vertices: [7, 9], facets: [3, 6] },
            Edge { vertices: [9, 11], facets: [3, 7] },
            Edge { vertices: [2, 4], facets: [4, 2] },
            Edge { vertices: [4, 5], facets: [4, 5] },
            Edge { vertices: [4, 6], facets: [5, 2] },
            Edge { vertices: [6, 7], facets: [5, 6] },
            Edge { vertices: [6, 8], facets: [6, 2] },
            Edge { vertices: [8, 9], facets: [6, 7] },
            Edge { vertices: [8, 10], facets: [7, 2] },
            Edge { vertices: [10, 11], facets: [7, 0] },
        ],
        volume: 2.078461e-6,
        moments: Vec3::new(5.4386398e-11, 5.4386395e-11, 8.6602545e-11),
        radius: 0.010770329,
    }
};
