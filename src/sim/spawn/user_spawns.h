// Spawns by users: thrown balls, poured liquid and grains.
#pragma once

#include "sim/world/world.h"

namespace coalesce {

// Requests of the commands for the coming frame. If one of them is invalid, none is executed:
// Exit::Simulation. The first throw makes the ball, see makeBall().
std::vector<SpawnRequest> collectUserSpawns(World& world);

// Why this world cannot execute a Throw or a Pour, and what can be done about that. Empty: it can, or the
// command is another.
std::string validateSpawnCommand(const World& world, const UserCommand& command);

}  // namespace coalesce
