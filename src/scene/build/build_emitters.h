// Builds the emitters of a world from those of a scene.
#pragma once

#include <span>
#include <vector>

#include "geometry/math/vec3d.h"
#include "scene/format/scene.h"

namespace coalesce {

// Adds prefabs and emitters, each with the group of its particles. Call before adding bodies.
void addEmitters(const Scene& scene, World& world);
// Spawn positions of a volume [m], in the emitter's frame: a lattice of its material's spacing. Throws what
// makeSolid() and the samplers throw.
std::vector<Vec3> positionsOf(const Scene& scene, const Emitter& emitter);

}  // namespace coalesce
