// Boundary particles: samples of the surfaces of shapes, which count in the density of liquids. [AIA12]
//
//     V_b = 1 / Σ_k W_bk                         over the samples k of all shapes, itself included
//     φ_boundary,i = c Σ_b V_b W(x_i − x_b, h_i)
//
// A surface has one layer of samples, at the contact distance r in front of which liquid comes to rest;
// [AIA12] keeps it farther away. The factor c makes φ of a lattice flush with a flat wall 1 there. The mean
// over all positions at the distance z from a flat layer is
//     mean of Σ_b V_b W = t ∫ W dA = t slope(z),   t = Σ_b V_b / area [m],   slope: see halfSpaceSlope
// and so c = Φ(r + wallShift) / (t slope(r)), with Φ of the wall term, see FindWallDensity.
//
// Samples lie in the frame of their shape, in a grid of cells, and need no update when it moves.
#pragma once

#include "kernels/fluid/boundary_tables.h"
#include "kernels/math/smoothing_kernel.h"
#include "kernels/shapes/shape.h"

namespace coalesce {

// visit(b, d, r²) for the samples of shape s within `reach` of p (in the shape's frame), d = p − x_b
template <class Visit>
HD void forEachSample(const BoundaryTables& tables, uint32_t s, Vec3 p, float reach, Visit&& visit) {
    const SampleCells& cells = tables.shapes[s];
    const Vec3 at = cells.inverseCell * (p - cells.low);
    const float r = reach * cells.inverseCell;
    const auto cellOf = [](float along, int n) {
        return static_cast<uint32_t>(clamp(along, 0.0f, toFloat(n - 1)));
    };
    // [cells] from the position to the layer k … k + 1
    const auto gap = [](float along, uint32_t k) {
        const float low = toFloat(static_cast<int>(k));
        return max(max(low - along, along - (low + 1)), 0.0f);
    };
    const uint32_t x0 = cellOf(at.x - r, cells.nx), x1 = cellOf(at.x + r, cells.nx),
                   y0 = cellOf(at.y - r, cells.ny), y1 = cellOf(at.y + r, cells.ny),
                   z0 = cellOf(at.z - r, cells.nz), z1 = cellOf(at.z + r, cells.nz);
    for (uint32_t z = z0; z <= z1; ++z)
        for (uint32_t y = y0; y <= y1; ++y) {
            const float dy = gap(at.y, y), dz = gap(at.z, z);
            if (dy * dy + dz * dz > r * r) continue;
            // the cells of a row lie one after the other
            const uint32_t row = cells.firstCell + (z * cells.ny + y) * cells.nx;
            const uint32_t end = tables.cellStart[row + x1 + 1];
            for (uint32_t b = tables.cellStart[row + x0]; b < end; ++b) {
                const Vec3 d = p - tables.samples[b];
                const float r2 = dot(d, d);
                if (r2 < reach * reach) visit(b, d, r2);
            }
        }
}

// V_b of every sample, at the present poses of the shapes. Samples inside another shape count as nothing: no
// liquid sees them. So do those on a surface that has no samples, whose wall term already counts.
template <bool Forms>
struct FindSampleVolumes {
    BoundaryTables tables;
    View<const uint32_t> shapeOf;  // by sample
    ShapeSet shapes;
    float support;        // h [m]
    float tolerance;      // [m] of surfaces that touch
    View<float> volumes;  // written [m³]

    HD void operator()(int i) const {
        const uint32_t mine = shapeOf[i];
        const ShapeState& own = shapes.states[mine];
        const Vec3 x = toWorld(own.present, tables.samples[i]);
        const Smoothing kernel = smoothing(support);
        float sum = 0;
        bool hidden = false;
        shapes.forEachNear(
            [&] { return boundsOfPath(x, x, support); },
            [&](uint32_t s) {
                const ShapeState& shape = shapes.states[s];
                // a shape that lets some of the liquid through hides nothing from it
                if ((shape.collisionMask & own.collisionMask) != own.collisionMask) return;
                if (s != mine) hidden |= depthIn(s, x) > (tables.has(s) ? tolerance : -tolerance);
                if (!tables.has(s)) return;
                forEachSample(tables, s, s == mine ? tables.samples[i] : toShape(shape.present, x), support,
                              [&](uint32_t, const Vec3&, float r2) { sum += spiky(kernel, r2).weight; });
            });
        volumes[i] = hidden || !(sum > 0) ? 0 : 1 / sum;
    }

private:
    // [m] of x below the surface of a shape; meshes have no inside
    HD float depthIn(uint32_t s, Vec3 x) const {
        const ShapeState& shape = shapes.states[s];
        if (is<Forms>(shape, ShapeKind::mesh)) return -1e30f;
        Vec3 unused;
        const float depth =
            -solidDistance<Forms>(shape, shapes.tables, endInShape<Forms>(shape, shapes.tables, x), unused);
        return shape.container && !is<Forms>(shape, ShapeKind::sdf) ? -depth : depth;
    }
};

}  // namespace coalesce
