// A world as it was between two frames, kept in host memory.
#pragma once

#include <any>
#include <cstddef>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// Everything that frames, users and timelines change; not what is fixed when a scene is built (meshes,
// prefabs, attributes).
class WorldSnapshot {
public:
    explicit WorldSnapshot(const World& world);
    // Puts it back into the world that it was taken of. The solver of that world must be reset: it knows
    // the storage order of the particles.
    void restore(World& world) const;

    // Memory that a snapshot of this world takes.
    static size_t bytesOf(const World& world);

    uint64_t frame() const { return m_frame; }
    double time() const { return m_time; }  // [s]
    size_t bytes() const { return m_bytes; }

private:
    std::vector<std::any> m_items;  // in the order of visitState
    uint64_t m_frame = 0;
    double m_time = 0;
    size_t m_bytes = 0;
};

}  // namespace coalesce
