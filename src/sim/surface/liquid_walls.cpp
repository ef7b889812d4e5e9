#include "sim/surface/liquid_walls.h"

#include <algorithm>

namespace coalesce {

bool isFlatWall(const Shape& shape) {
    return !shape.trigger &&
           (shape.kind == ShapeKind::plane || (shape.kind == ShapeKind::box && shape.container));
}

// Groups without a name collide with all shapes.
static bool holdsAll(const World& world, const Shape& shape, uint32_t material) {
    return shape.collisionMask != 0 && std::ranges::all_of(world.groups, [&](const Group& group) {
               return group.material != material || (group.collisionMask & shape.collisionMask) != 0;
           });
}

SurfaceWalls wallsOf(const World& world, uint32_t material) {
    SurfaceWalls walls{};
    const auto add = [&](Vec3 normal, Vec3 point) {
        if (walls.count < kMostWalls) walls.plane[walls.count++] = vec4(normal, -dot(normal, point));
    };
    for (const Shape& shape : world.shapes) {
        if (!isFlatWall(shape) || !holdsAll(world, shape, material)) continue;
        const Pose pose = poseAt(shape, world.time);
        if (shape.kind == ShapeKind::plane) {
            add(rotate(pose.rotation, {0, 1, 0}), pose.position);
            continue;
        }
        for (int axis = 0; axis < 3; ++axis)
            for (const float side : {-1.0f, 1.0f}) {
                const Vec3 inward{axis == 0 ? -side : 0, axis == 1 ? -side : 0, axis == 2 ? -side : 0};
                const Vec3 face{-shape.halfExtents.x * inward.x, -shape.halfExtents.y * inward.y,
                                -shape.halfExtents.z * inward.z};
                add(rotate(pose.rotation, inward), pose.position + rotate(pose.rotation, face));
            }
    }
    return walls;
}

}  // namespace coalesce
