// The state of a run in host memory, as a state file holds it: validated before a world takes it over.
#pragma once

#include <variant>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// What a run has done to a shape: commands and timelines move it, triggers count what enters.
struct ShapeProgress {
    double since = 0;      // [s] Shape::since; 0: it is where the scene says
    uint64_t entered = 0;  // ShapeReport::entered
    Vec3 position{};       // [m]
    Quat rotation{};
    uint32_t unused = 0;  // no gap: gaps would make equal states differ in a file
};

// The arrays of particles.def and the attributes of a world.
struct HostParticles {
#define ARRAY(T, name, unit, role, about) std::vector<T> name;
#include "sim/world/particles.def"
    struct HostAttribute {
        AttributeInfo info;
        std::variant<std::vector<float>, std::vector<Vec4>, std::vector<uint32_t>> values;
    };
    std::vector<HostAttribute> attributes;
};

// The arrays of passive_particles.def.
struct HostPassive {
#define ARRAY(T, name, unit, about) std::vector<T> name;
#include "sim/world/passive_particles.def"
};

struct HostState : RunState {
    explicit HostState(const World& world);

    const World& world;  // whose state it is to become
    HostParticles particles;
    HostTables solids;
    HostPassive passive;
    std::vector<ShapeProgress> shapes;
    std::vector<uint32_t> laterIds;
};

// The same questions to a world and to a state in host memory, for visitRunState.
inline const World& worldOf(const World& world) {
    return world;
}
inline const World& worldOf(const HostState& state) {
    return state.world;
}
std::vector<ShapeProgress> shapeProgressOf(const World& world);
inline std::vector<ShapeProgress> shapeProgressOf(const HostState& state) {
    return state.shapes;
}
// Shapes that follow keys, or that nothing has moved, stay where the scene has them.
void setShapeProgress(World& world, const std::vector<ShapeProgress>& progress);
inline void setShapeProgress(HostState& state, const std::vector<ShapeProgress>& progress) {
    state.shapes = progress;
}
inline std::vector<float> ballRadiusOf(const RunState& state) {
    return {state.spawning.ball.radius};
}
// The first ids of the bodies that the timeline has added, in the order of World::laterBodies.
std::vector<uint32_t> laterIdsOf(const World& world);
inline std::vector<uint32_t> laterIdsOf(const HostState& state) {
    return state.laterIds;
}
// A world has its bodies before.
inline void setLaterIds(World&, const std::vector<uint32_t>&) {}
inline void setLaterIds(HostState& state, const std::vector<uint32_t>& ids) {
    state.laterIds = ids;
}
// A world has its ball made by makeBall() before.
inline void setBallRadius(World&, const std::vector<float>&) {}
void setBallRadius(HostState& state, const std::vector<float>& radius);

}  // namespace coalesce
