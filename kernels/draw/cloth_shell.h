// Render mesh of cloth: a closed shell of the cloth's thickness around its triangles. A vertex corresponds to
// the particle of a row; the shell has a front and a back copy, offset by half the thickness along the
// normal.
//
//     n = Σ e_b × e_c / (|e_b|² |e_c|²), normalized;   e_b = x_b − x_a, over the triangles (a, b, c) at a
//
// These weights are exact for particles on a sphere, however uneven the triangles are [MAX99]; area weights
// are not. Every vertex gathers its own sum, so nothing depends on the order of threads.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

// Encoding of a corner of a drawn triangle: vertex << 2 | side of the shell.
constexpr uint32_t kClothBack = 1;  // offset against the normal; else along it
constexpr float kClothHem = 0.3f;   // thickness at the border of a cloth, as a share of its full thickness
constexpr uint32_t kClothRim = 2;   // on the strip between front and back; flat-shaded
HD uint32_t clothCorner(uint32_t vertex, uint32_t where) {
    return vertex << 2 | where;
}
HD uint32_t vertexOfClothCorner(uint32_t corner) {
    return corner >> 2;
}

struct GatherClothVertices {
    View<const uint32_t> row;     // by vertex
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const Vec4> x;           // [m] by slot
    View<Vec4> position;          // [m]; w: 1, or 0 without a particle; written
    HD void operator()(int i) const {
        const uint32_t slot = slotOf[row[i]];
        position[i] = slot == kNoSlot ? Vec4{0, 0, 0, 0} : vec4(xyz(x[slot]), 1.0f);
    }
};

// Triangles around each vertex, as their two other corners in triangle order.
struct ClothFans {
    View<const uint32_t> start;   // by vertex; vertices + 1 elements
    View<const uint32_t> others;  // two for each triangle at a vertex
};

struct GatherClothNormals {
    ClothFans fans;
    View<const Vec4> position;  // [m]; w: 0 without a particle
    View<const Vec4> rest;      // w: share of the thickness, smaller at the hem
    View<Vec4> normal;          // unit, w: share of the thickness; written
    HD void operator()(int i) const {
        const Vec3 here = xyz(position[i]);
        Vec3 sum{0, 0, 0};
        for (uint32_t k = fans.start[i]; k < fans.start[i + 1]; ++k) {
            const Vec4 b = position[fans.others[2 * k]], c = position[fans.others[2 * k + 1]];
            if (b.w == 0 || c.w == 0) continue;
            const Vec3 eb = xyz(b) - here, ec = xyz(c) - here;
            const float size = dot(eb, eb) * dot(ec, ec);
            if (size > 1e-30f) sum += 1 / size * cross(eb, ec);
        }
        normal[i] = vec4(normalizeOr(sum, Vec3{0, 1, 0}), rest[i].w);
    }
};

// Index buffer of the shell; triangles with a removed particle become degenerate.
struct WriteClothTriangles {
    View<const uint32_t> corners;  // three for each triangle
    View<const Vec4> position;     // [m]; w: 0 without a particle
    View<uint32_t> index;          // same layout as corners; written
    HD void operator()(int i) const {
        bool whole = true;
        for (int k = 0; k < 3; ++k) whole = whole && position[vertexOfClothCorner(corners[3 * i + k])].w > 0;
        for (int k = 0; k < 3; ++k) index[3 * i + k] = whole ? corners[3 * i + k] : 0;
    }
};

}  // namespace coalesce
