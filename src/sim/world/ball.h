// The ball that a user throws: a prefab of the world, made when the first one is thrown.
#pragma once

#include <string>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// Material of the balls in a world without rigid bodies: wood, at the resolution of the other materials.
Material ballMaterial(const std::vector<Material>& others);
// True: makeBall() will add ballMaterial() to the world's materials.
bool needsBallMaterial(const World& world);
// [m] radius of the balls that are thrown in this world, including the first.
float ballRadius(const World& world);
// Why a ball of this radius [m] is impossible; empty: it is possible.
std::string validateBall(const World& world, float radius);
// Makes the prefab of the ball if there is none yet, of the first rigid material or of ballMaterial();
// removes it again, which requires that it has no copies.
void makeBall(World& world, float radius);
void removeBall(World& world);

}  // namespace coalesce
