// From a body's description to its particles.
#pragma once

#include "scene/scene.h"

namespace coalesce {

// Particles of a body when its material has this spacing [m]; a double, for it may exceed every integer.
double countBody(const Body& body, float spacing);

// Calls add(position) for each particle of the body, in the order of their ids; without jitter.
std::vector<Vec3> fillBody(const Body& body, float spacing);

// Particles of a body that start exactly where a particle of its own or of an earlier body does.
struct Coincidence {
    std::string body, other;  // names
    size_t count = 0;
    Vec3 first{};  // [m]
};
// One for each pair of bodies; bodies with jitter are left out, and scenes of more than 2^22 particles.
std::vector<Coincidence> coincidences(const Scene& scene);

// Lower and upper corner of everything in the scene.
void sceneExtent(const Scene& scene, Vec3& low, Vec3& high);
// A view from the front, somewhat from above, that shows all particles.
CameraView defaultCamera(const Scene& scene);

}  // namespace coalesce
