// Clusters of soft bodies, and the skinning of surfaces to them.
#pragma once

#include <span>
#include <vector>

#include "sim/world/body_def.h"

namespace coalesce {

// Overlapping clusters for a soft body: centers at least `spacing` apart, each holding the samples within
// `radius` [m], which is raised where a sample would be left out. In order of the samples.
std::vector<Cluster> makeClusters(std::span<const BodySample> samples, float spacing, float radius);

// Binds each vertex of a mesh to the four clusters that hold most of the samples near it.
Skin makeSkin(TriangleMesh mesh, std::span<const BodySample> samples, std::span<const Cluster> clusters);

// [m] mean position of a cluster's samples.
Vec3 centerOf(std::span<const BodySample> samples, const Cluster& cluster);

}  // namespace coalesce
