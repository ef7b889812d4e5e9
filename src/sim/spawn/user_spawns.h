// Spawns by users: thrown balls, poured liquid and grains.
#pragma once

#include "sim/world/world.h"

namespace coalesce {

// Requests of the commands for the coming frame. If one of them is invalid, none is executed:
// Exit::Simulation. The first throw makes the ball: a prefab of the first rigid material, or of wood, which
// is added to the world's materials.
std::vector<SpawnRequest> collectUserSpawns(World& world);

// Why this world cannot execute a Throw or a Pour, and what can be done about that. Empty: it can, or the
// command is another.
std::string validateSpawnCommand(const World& world, const UserCommand& command);

// Material of the balls in a world without rigid bodies: wood, at the resolution of the other materials.
Material ballMaterial(const std::vector<Material>& others);
// [m] radius of the balls that are thrown in this world, including the first.
float ballRadius(const World& world);
// Why a ball of this radius [m] is impossible; empty: it is possible.
std::string validateBall(const World& world, float radius);
// Makes the prefab of the ball if there is none yet; removes it again, which requires that it has no copies.
void makeBall(World& world, float radius);
void removeBall(World& world);

}  // namespace coalesce
