#include "checks/soft_state.h"

namespace coalesce {

std::shared_ptr<const SoftState> readSoftState(const World& world) {
    auto state = std::make_shared<SoftState>();
    for (const SolidBody& body : world.bodies)
        if (body.clusters > 1 && !body.gone)
            state->bodies.push_back({body.group, world.groups[body.group].first, body.firstRow,
                                     body.firstCluster, body.clusters, body.skin});
    if (state->bodies.empty()) return nullptr;
    const SolidTables& solids = world.solids;
    state->memberRow = solids.memberRow.download();
    state->memberCluster = solids.memberCluster.download();
    state->memberRestPosition = solids.memberRestPosition.download();
    state->restPosition = solids.restPosition.download();
    state->clusterRestCenter = solids.clusterRestCenter.download();
    state->pose = solids.pose.download();
    return state;
}

std::vector<Vec3> skinnedVertices(const SoftState& state, const SoftState::Body& body) {
    const Skin& skin = *body.skin;
    std::vector<Vec3> vertices;
    vertices.reserve(skin.mesh.vertices.size());
    for (size_t i = 0; i < skin.mesh.vertices.size(); ++i) {
        Vec3 x{0, 0, 0};
        for (size_t k = 0; k < 4; ++k) {
            const uint32_t cluster = body.firstCluster + skin.clusters[i][k];
            const ClusterPose& pose = state.pose[cluster];
            x += skin.weights[i][k] *
                 (rotate(pose.rotation, skin.mesh.vertices[i] - xyz(state.clusterRestCenter[cluster])) +
                  pose.center);
        }
        vertices.push_back(x);
    }
    return vertices;
}

}  // namespace coalesce
