// What kernels know of the shapes of a world during one substep.
#pragma once

#include <cstdint>

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/search/bvh.h"

namespace coalesce {

enum class ShapeKind : int32_t { plane, box, sphere, capsule, convex, field, mesh };

struct ShapePose {
    Vec3 position;  // [m]
    Quat rotation;  // world from shape
};
HD Vec3 toShape(const ShapePose& pose, Vec3 x) {
    return inverseRotate(pose.rotation, x - pose.position);
}
HD Vec3 toWorld(const ShapePose& pose, Vec3 x) {
    return rotate(pose.rotation, x) + pose.position;
}

constexpr uint32_t kAllCollisionBits = 0xff;  // eight of them

// A shape during one substep.
struct ShapeState {
    ShapeKind kind;
    int32_t container;    // 1: keeps particles inside
    float radius;         // [m] sphere, capsule
    float halfLength;     // [m] capsule, along its y axis
    Vec3 halfExtents;     // [m] box
    float friction;       // multiplies the material's
    int32_t first = 0;    // convex: its planes; field: its grid; mesh: its nodes
    int32_t count = 0;    // convex: planes; mesh: nodes
    Vec3 scale{1, 1, 1};  // convex, field, mesh: along the axes of its frame
    uint32_t attributes = kAllCollisionBits;
    ShapePose previous, present;  // at the start and the end of the substep
};

// A grid of signed distances [m] in a shape's frame, before scaling; x runs fastest.
struct FieldGrid {
    Vec3 origin;  // [m] of node (0, 0, 0)
    float cell;   // [m]
    int32_t nx, ny, nz;
    uint32_t first;  // its first node among the distances
};
struct MeshTriangle {
    Vec3 a, b, c;  // [m] before scaling
};

// What convex, field and mesh shapes are made of. Shapes of one form share it.
struct ShapeTables {
    View<const Vec4> planes;  // of convex hulls: outward unit normal, offset; inside dot(n, x) ≤ offset
    View<const FieldGrid> grids;
    View<const float> distances;
    View<const BvhNode> nodes;
    View<const MeshTriangle> triangles;  // in the order of the leaves
};

HD Vec3 scaled(Vec3 scale, Vec3 a) {
    return {scale.x * a.x, scale.y * a.y, scale.z * a.z};
}
HD Vec3 unscaled(Vec3 scale, Vec3 a) {
    return {a.x / scale.x, a.y / scale.y, a.z / scale.z};
}

constexpr uint32_t kNoShape = 0xffffffffu;

// All shapes that push, during one substep.
struct ShapeSet {
    View<const ShapeState> states;
    View<const uint32_t> everywhere;  // planes and containers, ascending
    View<const BvhNode>
        tree;  // over the others, one in a leaf: the boxes that they pass through in the substep
    ShapeTables tables;

    // Calls visit(s) for all shapes whose box meets around(), in ascending order, so that the tree decides
    // nothing but the time it takes. Asks for around() again after each visit.
    template <class Around, class Visit>
    HD void forEachNear(Around&& around, Visit&& visit) const {
        size_t next = 0;  // of everywhere
        for (uint32_t from = 0;;) {
            uint32_t s = next < everywhere.size ? everywhere[next] : kNoShape;
            if (tree.size > 0) {
                const Bounds here = around();
                walk(
                    tree, 0, static_cast<int>(tree.size),
                    [&](const Bounds& box) { return overlap(box, here); },
                    [&](int k) {
                        const auto found = static_cast<uint32_t>(k);
                        if (found >= from && found < s) s = found;
                    });
            }
            if (s == kNoShape) return;
            next += next < everywhere.size && everywhere[next] == s;
            from = s + 1;
            visit(s);
        }
    }
};

// Where a point of the shape that is at world position p now was at the start of the substep.
HD Vec3 previousPosition(const ShapeState& shape, Vec3 p) {
    return toWorld(shape.previous, toShape(shape.present, p));
}

// A half space a particle's center must stay in: dot(normal, x) ≥ offset.
struct ContactPlane {
    Vec3 normal;   // unit, away from the solid
    float offset;  // [m]
};

// Along a surface that is not convex a way may graze the particle's own distance from it and go through
// further on. The ball that is swept there is smaller by this, so that grazing does not count as the first
// hit; how near the end of the way may come is another matter.
constexpr float kSweptShare = 0.5f;

// a container box shows up to all of its faces, a mesh as many triangles; a convex container may show more
constexpr int kMaxPlanesPerShape = 6;

}  // namespace coalesce
