// Collision shapes as kernels see them during one substep.
#pragma once

#include <cstdint>

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/search/bvh.h"

namespace coalesce {

enum class ShapeKind : int32_t { plane, box, sphere, capsule, convex, sdf, mesh };

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

constexpr uint32_t kAllCollisionBits = 0xff;  // eight bits

// A shape during one substep.
struct ShapeState {
    ShapeKind kind;
    int32_t container;    // 1: keeps particles inside
    float radius;         // [m] sphere, capsule
    float halfLength;     // [m] capsule, along its y axis
    Vec3 halfExtents;     // [m] box
    float friction;       // [-] factor on the material's friction
    int32_t first = 0;    // convex: first plane; field: grid; mesh: first node
    int32_t count = 0;    // convex: planes; mesh: nodes
    Vec3 scale{1, 1, 1};  // convex, field, mesh: scale along the axes of its frame
    uint32_t collisionMask = kAllCollisionBits;
    ShapePose previous, present;  // at the start and the end of the substep
    // field: share of the frame's deformation after the start, and after the end, of the substep [-]; of one
    // that flows in place times [s], see shape_sdf.h
    float aheadAtStart = 0, aheadAtEnd = 0;
};

// A grid of signed distances [m] in a shape's frame, before scaling; x runs fastest.
struct SdfGrid {
    Vec3 origin;  // [m] of node (0, 0, 0)
    float cell;   // [m]
    int32_t nx, ny, nz;
    uint32_t first;        // index of its first node in the distances
    uint32_t firstMotion;  // the same in the motions; kRigid: none
};
constexpr uint32_t kRigid = 0xffffffffu;
struct MeshTriangle {
    Vec3 a, b, c;  // [m] before scaling
};

// Data of convex, SDF and mesh shapes. Shapes of the same form share it.
struct ShapeTables {
    View<const Vec4> planes;  // of convex hulls: outward unit normal, offset; inside dot(n, x) ≤ offset
    View<const SdfGrid> grids;
    View<const float> distances;
    View<const Vec3> motions;  // [m] of deforming surfaces during the frame, before scaling
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

// All colliding shapes during one substep.
struct ShapeSet {
    View<const ShapeState> states;
    View<const uint32_t> everywhere;  // planes and containers, ascending
    View<const BvhNode> tree;  // over the other shapes, one per leaf: bounds of their motion in the substep
    ShapeTables tables;

    // Calls visit(s) for all shapes whose bounds overlap around(), in ascending order, so that results do not
    // depend on the tree. Evaluates around() again after each visit.
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

// World position, at the start of the substep, of the point of the shape that is now at p. deformed: its
// displacement by deformation [m], in the shape's frame.
HD Vec3 previousPosition(const ShapeState& shape, Vec3 p, Vec3 deformed = {0, 0, 0}) {
    return toWorld(shape.previous, toShape(shape.present, p) - deformed);
}

// Half space for the center of a particle: dot(normal, x) ≥ offset.
struct ContactPlane {
    Vec3 normal;             // unit, away from the solid
    float offset;            // [m]
    Vec3 deformed{0, 0, 0};  // [m] displacement of the surface by deformation in the substep, shape's frame
};

// Radius factor of swept balls against non-convex surfaces: a path may graze the surface at the particle's
// radius and pass through it later. The smaller ball does not report grazing as the first hit; the distance
// at the end of the path is checked separately.
constexpr float kSweptShare = 0.5f;

// a container box may have a plane for each face, a mesh as many triangles; convex containers may have more
constexpr int kMaxPlanesPerShape = 6;

}  // namespace coalesce
