#include "sim/state/world_settings.h"

namespace coalesce {

std::vector<Shape> shapesWithoutCorners(const World& world) {
    std::vector<Shape> shapes = world.shapes;
    for (Shape& shape : shapes) shape.corners = {};
    return shapes;
}

void setShapes(World& world, const std::vector<Shape>& shapes) {
    CHECK_EQ(shapes.size(), world.shapes.size());
    for (size_t s = 0; s < shapes.size(); ++s) {
        std::vector<Vec3> corners = std::move(world.shapes[s].corners);
        world.shapes[s] = shapes[s];
        world.shapes[s].corners = std::move(corners);
    }
}

std::vector<EmitterProperties> emitterPropertiesOf(const World& world) {
    std::vector<EmitterProperties> properties;
    for (const Emitter& e : world.emitters) properties.push_back(e.properties);
    return properties;
}

void setEmitterProperties(World& world, const std::vector<EmitterProperties>& properties) {
    CHECK_EQ(properties.size(), world.emitters.size());
    for (size_t e = 0; e < properties.size(); ++e) world.emitters[e].properties = properties[e];
}

SavedBall thrownBallOf(const World& world) {
    SavedBall saved{.ball = world.spawning.ball, .prefab = {}};
    if (saved.ball.prefab) saved.prefab = world.prefabs[*saved.ball.prefab];
    return saved;
}

void setThrownBall(World& world, const SavedBall& saved) {
    ThrownBall& ball = world.spawning.ball;
    if (ball.prefab) world.prefabs.resize(*ball.prefab);
    ball = saved.ball;
    if (!saved.prefab) return;
    CHECK_EQ(*ball.prefab, world.prefabs.size());
    world.prefabs.push_back(*saved.prefab);
}

}  // namespace coalesce
