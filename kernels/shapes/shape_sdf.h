// Signed distance fields on a grid, in the shape's frame; of rigid surfaces, and of surfaces that deform.
//
// The field of a deforming surface is that at the end of the frame. Each node also has the displacement u, in
// the frame, of the point of the surface closest to it ([VFX15] section 4 stores its velocity). A point p at
// a time when the share s of the frame is still ahead is carried along to q = p + s u(q), where it meets the
// field: in these coordinates the surface rests during the frame, like a rigid shape in its own frame.
//
// Of a surface that flows in place, like a conveyor belt, u is its velocity and s a time: the
// length of the substep at its start, 0 at its end. So it moves by u in the substep, and is
// where the field says when contacts are solved.
#pragma once

#include "kernels/shapes/shape_state.h"

namespace coalesce {

// The cell of a grid that holds the point of the grid closest to p.
struct SdfCell {
    Vec3 out;       // [m] from that point to p; zero within the grid
    float u, v, w;  // [-] place in the cell
    size_t node;    // lowest corner, counted from the first node of the grid
    size_t layer;   // nodes of a plane of constant z
};

HD SdfCell cellAt(const SdfGrid& grid, Vec3 p) {
    const Vec3 at = (1 / grid.cell) * (p - grid.origin);
    const Vec3 last{toFloat(grid.nx - 1), toFloat(grid.ny - 1), toFloat(grid.nz - 1)};
    const Vec3 in = max(min(at, last), Vec3{0, 0, 0});
    const int i = in.x < last.x ? static_cast<int>(in.x) : grid.nx - 2,
              j = in.y < last.y ? static_cast<int>(in.y) : grid.ny - 2,
              k = in.z < last.z ? static_cast<int>(in.z) : grid.nz - 2;
    const size_t layer = static_cast<size_t>(grid.nx) * grid.ny;
    return {grid.cell * (at - in),
            in.x - toFloat(i),
            in.y - toFloat(j),
            in.z - toFloat(k),
            k * layer + static_cast<size_t>(j) * grid.nx + i,
            layer};
}

// Trilinear distance at p and its gradient, both before scaling. Outside the grid: the distance to the
// closest point of the grid and the value there, combined as orthogonal, which never overestimates, because
// the solid is inside the grid.
HD float sampleSdf(const SdfGrid& grid, const ShapeTables& tables, Vec3 p, Vec3& gradient) {
    const float inverse = 1 / grid.cell;
    const SdfCell cell = cellAt(grid, p);
    const float u = cell.u, v = cell.v, w = cell.w;
    const size_t layer = cell.layer, node = grid.first + cell.node;
    const View<const float> d = tables.distances;
    // edges along x at the four corners in y and z
    const float a00 = d[node], a10 = d[node + grid.nx], a01 = d[node + layer],
                a11 = d[node + layer + grid.nx];
    const float b00 = d[node + 1], b10 = d[node + grid.nx + 1], b01 = d[node + layer + 1],
                b11 = d[node + layer + grid.nx + 1];
    const float x00 = fma(u, b00 - a00, a00), x10 = fma(u, b10 - a10, a10), x01 = fma(u, b01 - a01, a01),
                x11 = fma(u, b11 - a11, a11);
    const float y0 = fma(v, x10 - x00, x00), y1 = fma(v, x11 - x01, x01);
    const float dx0 = fma(v, (b10 - a10) - (b00 - a00), b00 - a00),
                dx1 = fma(v, (b11 - a11) - (b01 - a01), b01 - a01);
    gradient = inverse * Vec3{fma(w, dx1 - dx0, dx0), fma(w, (x11 - x01) - (x10 - x00), x10 - x00), y1 - y0};
    const float distance = fma(w, y1 - y0, y0);

    const float out2 = dot(cell.out, cell.out);
    if (out2 == 0) return distance;
    const float inside = max(distance, 0.0f);
    gradient = cell.out + inside * normalizeOr(gradient, {0, 1, 0});
    return sqrt(fma(inside, inside, out2));
}

// Signed distance [m] of p and its unit gradient. Negative where particles must not be. Exact up to grid
// resolution for uniform scale; else first order: exact at the surface.
HD float sdfDistance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, Vec3& normal) {
    const float sign = shape.container ? -1.0f : 1.0f;
    const float d = sampleSdf(tables.grids[shape.first], tables, unscaled(shape.scale, p), normal);
    // gradients transform by the inverse scale
    const Vec3 g = unscaled(shape.scale, normalizeOr(normal, {0, 1, 0}));
    const float inverse = 1 / length(g);
    normal = (sign * inverse) * g;
    return sign * inverse * d;
}

// Displacement u [m] of the surface near p in the frame; trilinear, constant outside the grid.
HD Vec3 motionAt(const ShapeState& shape, const ShapeTables& tables, Vec3 p) {
    const SdfGrid& grid = tables.grids[shape.first];
    const SdfCell cell = cellAt(grid, unscaled(shape.scale, p));
    const float u = cell.u, v = cell.v, w = cell.w;
    Vec3 sum{0, 0, 0};
    for (int corner = 0; corner < 8; ++corner) {
        const size_t node = grid.firstMotion + cell.node + (corner & 1) + (corner >> 1 & 1) * grid.nx +
                            (corner >> 2) * cell.layer;
        sum += ((corner & 1 ? u : 1 - u) * (corner >> 1 & 1 ? v : 1 - v) * (corner >> 2 ? w : 1 - w)) *
               tables.motions[node];
    }
    return scaled(shape.scale, sum);
}

HD bool deforms(const ShapeState& shape, const ShapeTables& tables) {
    return tables.grids[shape.first].firstMotion != kRigid;
}

// q = p + s u(q), where p is carried to by the end of the frame; by fixed-point iteration.
HD Vec3 carriedToEnd(const ShapeState& shape, const ShapeTables& tables, Vec3 p, float ahead) {
    constexpr int kRounds = 4;
    if (ahead == 0 || !deforms(shape, tables)) return p;
    Vec3 q = p;
    for (int round = 0; round < kRounds; ++round) q = p + ahead * motionAt(shape, tables, q);
    return q;
}

// First point on the segment a → b, a outside, nearer than r, by sphere tracing. Steps are at least half a
// cell, so that grazing paths terminate. Returns the parameter on the segment, negative for none.
HD float sweepSdf(const ShapeState& shape, const ShapeTables& tables, float r, Vec3 a, Vec3 b) {
    constexpr int kMostSteps = 512;
    const SdfGrid& grid = tables.grids[shape.first];
    const float way = length(b - a);
    if (way == 0) return -1;
    const Vec3 s = shape.scale;
    const float smallest = min(s.x, min(s.y, s.z)), largest = max(s.x, max(s.y, s.z));
    const float least = 0.5f * grid.cell * smallest;
    const float sureness =
        smallest / largest;  // lower bound of a safe step relative to the distance, for non-uniform scale
    float t = 0;
    for (int step = 0; step < kMostSteps; ++step) {
        Vec3 normal;
        const float distance = sdfDistance(shape, tables, a + t * (b - a), normal);
        if (distance < r) return t;
        if (t == 1) return -1;
        t = min(t + max(sureness * (distance - r), least) / way, 1.0f);
    }
    return t;  // out of steps along the surface: stop here
}

}  // namespace coalesce
