// State of soft bodies, read back from the device: clusters, rest positions, skins.
#pragma once

#include <memory>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

struct SoftState {
    struct Body {
        uint32_t group = 0;
        uint32_t firstId = 0, firstRow = 0;
        uint32_t firstCluster = 0, clusters = 0;
        std::shared_ptr<const Skin> skin;  // may be null
    };
    std::vector<Body> bodies;
    // tables of World::solids
    std::vector<uint32_t> memberRow, memberCluster;
    std::vector<Vec4> memberRestPosition, restPosition, clusterRestCenter;
    std::vector<ClusterPose> pose;
};

// Null in a world without bodies of more than one cluster.
std::shared_ptr<const SoftState> readSoftState(const World& world);

// Current vertices of a body's skin [m], by linear blend skinning; see Skin.
std::vector<Vec3> skinnedVertices(const SoftState& state, const SoftState::Body& body);

}  // namespace coalesce
