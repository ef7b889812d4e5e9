// Motion of solid bodies, read back from a world.
#pragma once

#include <vector>

#include "sim/world/world.h"

namespace coalesce::test {

// Where a body is, how it moves, and what acts on it.
struct BodyState {
    double mass = 0;         // [kg]
    Vec3 center{};           // [m] of mass
    Quat rotation{};         // of its first cluster; world from body
    Vec3 velocity{};         // [m/s]
    Vec3 angularVelocity{};  // [rad/s], of the best rigid motion
    Vec3 momentum{};         // [kg m/s]
    Vec3 angularMomentum{};  // [kg m²/s] about the center
};
// Reads back every body, in the order of World::bodies. Slow: for measurements and tools.
std::vector<BodyState> bodyStates(const World& world);

// Mean force [N], and torque [N m] about the center of mass, of all that touched a body between two
// read-backs `seconds` apart: the change of its momenta by time, without what gravity [m/s²] gave it. A body
// at rest reads its weight, upwards.
struct BodyLoad {
    Vec3 force{}, torque{};
};
BodyLoad loadBetween(const BodyState& before, const BodyState& after, double seconds, Vec3 gravity);

}  // namespace coalesce::test
