// Settings of a world that snapshots keep only in part: the rest is fixed when a scene is built, or derived.
#pragma once

#include <optional>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// Corners of meshes are large and never change.
std::vector<Shape> shapesWithoutCorners(const World& world);
void setShapes(World& world, const std::vector<Shape>& shapes);

std::vector<EmitterProperties> emitterPropertiesOf(const World& world);
void setEmitterProperties(World& world, const std::vector<EmitterProperties>& properties);

// The prefab of the ball comes after those of the scene.
struct SavedBall {
    ThrownBall ball;
    std::optional<Prefab> prefab;
};
SavedBall thrownBallOf(const World& world);
void setThrownBall(World& world, const SavedBall& saved);

}  // namespace coalesce
