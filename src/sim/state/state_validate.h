// Checks a saved state before a world takes it over.
#pragma once

#include "sim/state/host_state.h"
#include "sim/state/state_image.h"

namespace coalesce {

// What a saved state expects of its scene: names of materials, shapes, emitters, sinks and attributes,
// resolution of the materials, sizes of the prefabs.
uint64_t sceneFingerprint(const World& world);
// The bodies that the world has from its scene: groups, ids, rows, clusters. Without emitted ones.
uint64_t bodiesFingerprint(const World& world);

constexpr const char* kOtherBodies = "the scene has other bodies now";

// [m] of the ball that users have thrown; 0: none. Refuses one that this world cannot have.
float validBallRadius(const HostState& state, const RefuseState& refuse);

// Refuses a state that the world it is for cannot take over: values that are not finite, counts, ids and
// indices out of range.
void validateState(const HostState& state, const RefuseState& refuse);

}  // namespace coalesce
