// From the emitters of a scene to those of a world.
#pragma once

#include <span>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/format/scene.h"

namespace coalesce {

// Prefabs and emitters, each with the group of what it emits; before any body.
void addEmitters(const Scene& scene, World& world);
// The places of a volume [m], in the emitter's frame: a lattice of its material's spacing. Throws what
// makeSolid() and the samplers throw.
std::vector<Vec3> placesOf(const Scene& scene, const Emitter& emitter);

}  // namespace coalesce
