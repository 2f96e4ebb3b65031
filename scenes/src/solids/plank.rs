/// Convex hull of `plank.obj`, its lengths times 0.001 in metres.
///
/// 8 corners, 6 facets, 12 edges; 1.19999995e-5 m³.
/// Its frame lies in that of the file at (-4.6000946e-19, -1.1482811e-19, -4.5939957e-20) m,
/// turned by the quaternion (1.0, 0.0, 0.0, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static PLANK: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(-0.06, -0.01, -0.0025),
            Vec3::new(-0.06, -0.01, 0.0025),
            Vec3::new(-0.06, 0.01, -0.0025),
            Vec3::new(-0.06, 0.01, 0.0025),
            Vec3::new(0.06, -0.01, -0.0025),
            Vec3::new(0.06, -0.01, 0.0025),
            Vec3::new(0.06, 0.01, -0.0025),
            Vec3::new(0.06, 0.01, 0.0025),
        ],
        facets: &[
            Facet { normal: Vec3::new(-1.0, 0.0, 0.0), offset: 0.06, first: 0, corners: 4 },
            Facet { normal: Vec3::new(0.0, 0.0, -1.0), offset: 0.0025, first: 4, corners: 4 },
            Facet { normal: Vec3::new(0.0, -1.0, 0.0), offset: 0.01, first: 8, corners: 4 },
            Facet { normal: Vec3::new(0.0, 0.0, 1.0), offset: 0.0025, first: 12, corners: 4 },
            Facet { normal: Vec3::new(0.0, 1.0, 0.0), offset: 0.01, first: 16, corners: 4 },
            Facet { normal: Vec3::new(1.0, 0.0, 0.0), offset: 0.06, first: 20, corners: 4 },
        ],
        rims: &[
            0, 1, 3, 2,
            0, 2, 6, 4,
            0, 4, 5, 1,
            1, 5, 7, 3,
            2, 3, 7, 6,
            4, 6, 7, 5,
        ],
        edges: &[
            Edge { vertices: [0, 1], facets: [0, 2] },
            Edge { vertices: [1, 3], facets: [0, 3] },
            Edge { vertices: [0, 2], facets: [1, 0] },
            Edge { vertices: [2, 6], facets: [1, 4] },
            Edge { vertices: [0, 4], facets: [2, 1] },
            Edge { vertices: [4, 5], facets: [2, 5] },
            Edge { vertices: [1, 5], facets: [3, 2] },
            Edge { vertices: [5, 7], facets: [3, 5] },
            Edge { vertices: [2, 3], facets: [4, 0] },
            Edge { vertices: [3, 7], facets: [4, 3] },
            Edge { vertices: [4, 6], facets: [5, 1] },
            Edge { vertices: [6, 7], facets: [5, 4] },
        ],
        volume: 1.19999995e-5,
        moments: Vec3::new(4.2499995e-10, 1.4424998e-8, 1.4799999e-8),
        radius: 0.060878977,
    }
};
