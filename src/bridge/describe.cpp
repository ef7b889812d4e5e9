#include "bridge/describe.h"

namespace coalesce {

namespace {

std::array<float, 3> triple(Vec3 a) {
    return {a.x, a.y, a.z};
}

DrawShape::Kind kindOf(ShapeKind kind) {
    switch (kind) {
        case ShapeKind::plane:
            return DrawShape::Kind::Plane;
        case ShapeKind::box:
            return DrawShape::Kind::Box;
        case ShapeKind::sphere:
            return DrawShape::Kind::Sphere;
        case ShapeKind::capsule:
            return DrawShape::Kind::Capsule;
    }
    return DrawShape::Kind::Plane;
}

DrawMaterial::Kind kindOf(MaterialKind kind) {
    switch (kind) {
        case MaterialKind::fluid:
            return DrawMaterial::Kind::Fluid;
    }
    return DrawMaterial::Kind::Fluid;
}

}  // namespace

void describeWorld(const World& world, RenderFrame& frame) {
    frame.step = world.step;
    frame.time = world.time;
    frame.particles = static_cast<uint32_t>(world.count());
    frame.materials.clear();
    for (const Material& material : world.materials) {
        const MaterialProperties& p = material.properties;
        frame.materials.push_back({.name = material.name,
                                   .kind = kindOf(p.kind),
                                   .spacing = p.spacing,
                                   .color = triple(p.color),
                                   .absorption = triple(p.absorption),
                                   .scatter = triple(p.scatter)});
    }
    frame.shapes.clear();
    for (const Shape& shape : world.shapes) {
        const Pose pose = poseAt(shape, world.time);
        frame.shapes.push_back(
            {.kind = kindOf(shape.kind),
             .container = shape.container,
             .visible = shape.visible,
             .position = triple(pose.position),
             .rotation = {pose.rotation.x, pose.rotation.y, pose.rotation.z, pose.rotation.w},
             .halfExtents = triple(shape.halfExtents),
             .radius = shape.radius,
             .halfLength = shape.halfLength,
             .color = triple(shape.color)});
    }
}

}  // namespace coalesce
