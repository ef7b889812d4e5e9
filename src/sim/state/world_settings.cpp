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

ThrownBall thrownBallOf(const World& world) {
    ThrownBall ball{.prefab = {}, .radius = world.ballRadius, .addedMaterial = world.ballAdded};
    if (world.ball) ball.prefab = world.prefabs[*world.ball];
    return ball;
}

void setThrownBall(World& world, const ThrownBall& ball) {
    if (world.ball) world.prefabs.resize(*world.ball);
    world.ball.reset();
    if (ball.prefab) {
        world.ball = uint32_t(world.prefabs.size());
        world.prefabs.push_back(*ball.prefab);
    }
    world.ballRadius = ball.radius;
    world.ballAdded = ball.addedMaterial;
}

}  // namespace coalesce
