// What holds particles of bodies: to where they are, to shapes, to each other.
#pragma once

#include "scene/build/body_form.h"
#include "scene/build/groups.h"

namespace coalesce {

// Which particles of one copy do not move by themselves; places: where they start [m].
std::vector<bool> heldOf(const Body& body, std::span<const Vec3> places);

// Lets particles of a body that was just born go with shapes. places: where those of one copy start [m];
// firstRow: of that copy.
void addAnchors(const Scene& scene, const Body& body, std::span<const Vec3> places, uint32_t firstRow,
                World& world);

// Adds the springs of the scene that join the b-th body, just born, to itself or to one born before.
void addJoints(const Scene& scene, size_t b, World& world);

// The material whose stretch a spring has; empty: neither it nor its ends name one.
std::optional<uint32_t> materialOf(const Scene& scene, const Joint& joint);

// The particle, of a copy of a body, that starts nearest to a point; both counted as GroupNames does.
struct NamedParticle {
    uint32_t group, index;
    Vec3 place;  // [m] where it starts
};
NamedParticle nearestAtStart(const Scene& scene, const std::string& body, Vec3 point);

}  // namespace coalesce
