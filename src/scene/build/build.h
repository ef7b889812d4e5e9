// Builds a world from a scene: particles of bodies, memory estimates, bounds.
#pragma once

#include "geometry/math/quatd.h"
#include "geometry/mesh/mesh.h"
#include "scene/build/body_form.h"
#include "scene/format/scene.h"
#include "sim/solver/memory_estimate.h"

namespace coalesce {

constexpr double kTimeEpsilon = 1e-6;  // [s] times are sums of rounded steps

// Number of particles of the scene at the start, without building them.
size_t countParticles(const Scene& scene);

// Fills an empty world. Fails with the numbers (Exit::Simulation) when the estimated memory exceeds that of
// the device.
void buildWorld(const Scene& scene, World& world);

uint32_t copiesOf(const Body& body);
// "bunny.3" of copies, otherwise the name of the body.
std::string nameOf(const Body& body, uint32_t copy);
// Initial pose of a copy of the scene's b-th body.
struct BodyPose {
    Vec3d center;
    Quatd rotation{1, 0, 0, 0};
};
BodyPose poseOf(const Scene& scene, size_t b, uint32_t copy);

// Initial positions [m] of the particles of one copy: its form in its pose, with deform and jitter when
// `disturbed`.
std::vector<Vec3> positionsOf(const Scene& scene, size_t b, uint32_t copy, const BodyForm& form,
                              bool disturbed = true);

// Adds all copies of the b-th body to the world, each as a group of its own. Add bodies in spawnOrder().
void addBody(const Scene& scene, size_t b, World& world);

// Device memory of the scene [bytes], including bodies that are added later and the grids of its fields. Throws
// what makeSolid() throws.
SolverMemory estimateMemory(const Scene& scene);
// Upper bound of the particles of each material that emitters have in the world at once, in a run of the
// scene's duration or of the particles' life. Ignores the positions of sinks, which may remove far more.
std::vector<double> mostEmitted(const Scene& scene);
// The same, including emitted particles.
SolverMemory estimateMemoryWithEmitted(const Scene& scene);

// Initial bounding box of each copy of the b-th body.
std::vector<Box> boxesOf(const Scene& scene, size_t b);

// Bounding box of the scene.
void sceneExtent(const Scene& scene, Vec3& low, Vec3& high);
// A view from the front, slightly from above, that shows all particles.
CameraView defaultCamera(const Scene& scene);

}  // namespace coalesce
