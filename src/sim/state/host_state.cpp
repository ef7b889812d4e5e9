#include "sim/state/host_state.h"

namespace coalesce {

HostState::HostState(const World& w) : world(w) {
    for (const Attribute& attribute : world.particles.attributes)
        std::visit(
            [&]<class T>(const Buffer<T>&) {
                particles.attributes.push_back({attribute.info, std::vector<T>()});
            },
            attribute.values);
}

std::vector<ShapeProgress> shapeProgressOf(const World& world) {
    std::vector<ShapeProgress> progress;
    for (size_t s = 0; s < world.shapes.size(); ++s) {
        const Shape& shape = world.shapes[s];
        // no reports before the first frame
        const uint64_t entered = s < world.shapeReports.size() ? world.shapeReports[s].entered : 0;
        progress.push_back({shape.since, entered, shape.position, shape.rotation});
    }
    return progress;
}

void setShapeProgress(World& world, const std::vector<ShapeProgress>& progress) {
    CHECK_EQ(progress.size(), world.shapes.size());
    world.shapeReports.assign(progress.size(), {});
    for (size_t s = 0; s < progress.size(); ++s) {
        world.shapeReports[s].entered = progress[s].entered;
        Shape& shape = world.shapes[s];
        if (progress[s].since == 0 || !shape.keys.empty()) continue;
        shape.position = progress[s].position;
        shape.rotation = progress[s].rotation;
        shape.since = progress[s].since;
    }
}

std::vector<uint32_t> laterIdsOf(const World& world) {
    std::vector<uint32_t> ids;
    for (const LaterBody& later : world.laterBodies)
        if (later.group < world.groups.size()) ids.push_back(world.groups[later.group].first);
    return ids;
}

void setBallRadius(HostState& state, const std::vector<float>& radius) {
    state.spawning.ball.radius = radius.size() == 1 ? radius[0] : -1;  // invalid
}

}  // namespace coalesce
