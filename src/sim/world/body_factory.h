// Adds solid bodies, cloth and ropes to a world.
#pragma once

#include <span>

#include "sim/world/world.h"

namespace coalesce {

// Adds bodies, each with a group of its own; returns the index of the first in World::bodies. Fails
// (Exit::Scene) as World::addParticles does, and for a body without particles, and changes nothing then.
uint32_t addBodies(World& world, std::span<const BodyDef> bodies);

// Adds a copy of a prefab, in a free slot for emitted bodies or in a new one; returns the index of the slot.
// Fails as addBodies does.
uint32_t addPrefabCopy(World& world, const SpawnPoint& copy);

// Replaces the slots for emitted bodies and their parts of the tables, which are still to be filled. For
// saved states.
void setBodySlots(World& world, std::span<const BodySlot> slots);

// Joins rows of bodies. The material of each constraint is cloth or rope.
void addSprings(World& world, std::span<const DistanceConstraint> springs);

}  // namespace coalesce
