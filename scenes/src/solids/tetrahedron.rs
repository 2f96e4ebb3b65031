/// Convex hull of `tetrahedron.obj`, its lengths times 0.001 in metres.
///
/// 4 corners, 4 facets, 6 edges; 2.6666664e-6 m³.
/// Its frame lies in that of the file at (0.0, 0.0, 0.0) m,
/// turned by the quaternion (1.0, 0.0, 0.0, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static TETRAHEDRON: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(0.01, 0.01, 0.01),
            Vec3::new(0.01, -0.01, -0.01),
            Vec3::new(-0.01, 0.01, -0.01),
            Vec3::new(-0.01, -0.01, 0.01),
        ],
        facets: &[
            Facet { normal: Vec3::new(0.57735026, 0.57735026, -0.57735026), offset: 0.0057735024, first: 0, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, 0.57735026, 0.57735026), offset: 0.0057735024, first: 3, corners: 3 },
            Facet { normal: Vec3::new(0.57735026, -0.57735026, 0.57735026), offset: 0.0057735024, first: 6, corners: 3 },
            Facet { normal: Vec3::new(-0.57735026, -0.57735026, -0.57735026), offset: 0.0057735024, first: 9, corners: 3 },
        ],
        rims: &[
            0, 1, 2,
            0, 2, 3,
            0, 3, 1,
            1, 3, 2,
        ],
        edges: &[
            Edge { vertices: [0, 1], facets: [0, 2] },
            Edge { vertices: [1, 2], facets: [0, 3] },
            Edge { vertices: [0, 2], facets: [1, 0] },
            Edge { vertices: [2, 3], facets: [1, 3] },
            Edge { vertices: [0, 3], facets: [2, 1] },
            Edge { vertices: [1, 3], facets: [3, 2] },
        ],
        volume: 2.6666664e-6,
        moments: Vec3::new(1.06666655e-10, 1.06666655e-10, 1.06666655e-10),
        radius: 0.017320508,
    }
};
