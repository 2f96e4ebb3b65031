/// Convex hull of `wedge.obj`, its lengths times 0.001 in metres.
///
/// 6 corners, 5 facets, 9 edges; 2.9999999e-6 m³.
/// Its frame lies in that of the file at (0.11, 0.01, 0.0033333334) m,
/// turned by the quaternion (0.9959803, 0.0, 0.08957246, 0.0), w first. Made by `tumble hull`.
#[rustfmt::skip]
#[allow(clippy::approx_constant, clippy::unreadable_literal)]
pub static WEDGE: tumble::shape::Polyhedron<f32> = {
    use tumble::math::Vec3;
    use tumble::shape::{Edge, Facet, Polyhedron};
    Polyhedron {
        vertices: &[
            Vec3::new(-0.009244787, -0.01, -0.005064093),
            Vec3::new(0.02027382, -0.01, 0.00028865095),
            Vec3::new(-0.011029034, -0.01, 0.004775442),
            Vec3::new(-0.009244787, 0.01, -0.005064093),
            Vec3::new(0.02027382, 0.01, 0.00028865095),
            Vec3::new(-0.011029034, 0.01, 0.004775442),
        ],
        facets: &[
            Facet { normal: Vec3::new(0.0, -1.0, 0.0), offset: 0.01, first: 0, corners: 3 },
            Facet { normal: Vec3::new(-0.98395354, 0.0, -0.1784248), offset: 0.010000001, first: 3, corners: 4 },
            Facet { normal: Vec3::new(0.1784248, 0.0, -0.98395354), offset: 0.0033333332, first: 7, corners: 4 },
            Facet { normal: Vec3::new(0.1418848, 0.0, 0.9898832), offset: 0.0031622776, first: 11, corners: 4 },
            Facet { normal: Vec3::new(0.0, 1.0, 0.0), offset: 0.01, first: 15, corners: 3 },
        ],
        rims: &[
            0, 1, 2,
            0, 2, 5, 3,
            0, 3, 4, 1,
            1, 4, 5, 2,
            3, 5, 4,
        ],
        edges: &[
            Edge { vertices: [0, 1], facets: [0, 2] },
            Edge { vertices: [1, 2], facets: [0, 3] },
            Edge { vertices: [0, 2], facets: [1, 0] },
            Edge { vertices: [2, 5], facets: [1, 3] },
            Edge { vertices: [0, 3], facets: [2, 1] },
            Edge { vertices: [3, 4], facets: [2, 4] },
            Edge { vertices: [1, 4], facets: [3, 2] },
            Edge { vertices: [4, 5], facets: [3, 4] },
            Edge { vertices: [3, 5], facets: [4, 1] },
        ],
        volume: 2.9999999e-6,
        moments: Vec3::new(1.1213329e-10, 1.6666665e-10, 2.5453334e-10),
        radius: 0.022607766,
    }
};
