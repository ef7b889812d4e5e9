// From a body's description to its particles.
#pragma once

#include "geometry/math/quatd.h"
#include "geometry/mesh/mesh.h"
#include "scene/build/body_form.h"
#include "scene/format/scene.h"
#include "sim/solver/memory_estimate.h"

namespace coalesce {

uint32_t copiesOf(const Body& body);
// "bunny.3" of copies, otherwise the name of the body.
std::string nameOf(const Body& body, uint32_t copy);
// Where a copy of the scene's b-th body starts.
struct BodyPose {
    Vec3d center;
    Quatd rotation{1, 0, 0, 0};
};
BodyPose poseOf(const Scene& scene, size_t b, uint32_t copy);

// The places [m] of the particles of one copy: its form in its pose, with deform and jitter when `disturbed`.
std::vector<Vec3> placesOf(const Scene& scene, size_t b, uint32_t copy, const BodyForm& form,
                           bool disturbed = true);

// Adds all copies of the b-th body to the world, each as a group of its own. Bodies come in birthOrder().
void addBody(const Scene& scene, size_t b, World& world);

// Bytes that the scene will need on the machine, with all that is born later.
SolverMemory estimateMemory(const Scene& scene);
// Particles of each material that emitters may have in the world at once, in a run of the scene's duration:
// what they emit in it, or in the life that they give. Sinks may leave far fewer.
std::vector<double> mostEmitted(const Scene& scene);
// The same with these.
SolverMemory estimateMemoryWithEmitted(const Scene& scene);

// A box about each copy of the b-th body at the start.
std::vector<Box> boxesOf(const Scene& scene, size_t b);

// Lower and upper corner of everything in the scene.
void sceneExtent(const Scene& scene, Vec3& low, Vec3& high);
// A view from the front, somewhat from above, that shows all particles.
CameraView defaultCamera(const Scene& scene);

}  // namespace coalesce
