// Pins, attachments to shapes, and springs between bodies.
#pragma once

#include "scene/build/body_form.h"
#include "scene/build/groups.h"

namespace coalesce {

// Which particles of one copy are pinned or attached; positions: initial [m].
std::vector<bool> heldOf(const Body& body, std::span<const Vec3> positions);

// Attaches particles of a body that was just added to shapes. positions: initial, of one copy [m]; firstRow:
// of that copy.
void addAnchors(const Scene& scene, const Body& body, std::span<const Vec3> positions, uint32_t firstRow,
                World& world);

// Adds the springs of the scene that join the b-th body, which was just added, to itself or to earlier
// bodies.
void addJoints(const Scene& scene, size_t b, World& world);

// The material that defines the stretch of a spring; empty: neither the spring nor its ends have one.
std::optional<uint32_t> materialOf(const Scene& scene, const Joint& joint);

// The particle of a body that starts nearest to a point. group: as in GroupNames.
struct NamedParticle {
    uint32_t group, index;
    Vec3 position;  // [m] initial
};
NamedParticle nearestAtStart(const Scene& scene, const std::string& body, Vec3 point);

}  // namespace coalesce
