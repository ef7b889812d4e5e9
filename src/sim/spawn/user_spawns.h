// What hands bring into the world: balls that they throw, liquid and grains that they pour.
#pragma once

#include "sim/world/world.h"

namespace coalesce {

// What the commands of the coming frame ask for. One that cannot be done refuses them all, before anything is
// done: Exit::Simulation. The first throw makes the ball: a prefab of the first rigid material, or of one
// that is added to the world's.
std::vector<SpawnRequest> collectUserSpawns(World& world);

// Of the balls in a world without rigid bodies: wood, of the resolution that the others have.
Material ballMaterial(const std::vector<Material>& others);
// [m] of the balls that are thrown in this world, also of the first.
float ballRadius(const World& world);
// Why there can be no ball of this radius [m]; empty: there can.
std::string obstacleToBall(const World& world, float radius);
// Makes the ball where there is none yet, and takes it out again where no copy of it is in the world.
void readyBall(World& world, float radius);
void forgetBall(World& world);

}  // namespace coalesce
