#include "checks/cloth_state.h"

namespace coalesce {

std::shared_ptr<const ClothState> readClothState(const World& world) {
    const SolidTables& solids = world.solids;
    if (solids.springs.size() == 0) return nullptr;
    auto state = std::make_shared<ClothState>();
    state->idOf.resize(solids.rows());
    for (const SolidBody& body : world.bodies) {
        const uint32_t firstId = world.groups[body.group].first;
        for (uint32_t k = 0; k < body.rows; ++k) state->idOf[body.firstRow + k] = firstId + k;
        if (isSprung(world.materials[world.groups[body.group].material].properties))
            state->bodies.push_back({body.group, firstId, body.firstRow, body.rows, body.spares,
                                     body.firstTriangle, body.triangles});
    }
    state->springs = solids.springs.download();
    state->triangles = solids.triangles.download();
    state->restPosition = solids.restPosition.download();
    return state;
}

}  // namespace coalesce
