// Ropes as they are drawn: vertices and triangles of the tubes of all bodies of rope.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "kernels/draw/rope_tube.h"
#include "sim/world/world.h"

namespace coalesce {

class RopeTubes {
public:
    explicit RopeTubes(Exec& exec)
        : m_row(exec),
          m_flags(exec),
          m_start(exec),
          m_radius(exec),
          m_center(exec),
          m_across(exec),
          m_along(exec),
          m_vertex(exec),
          m_index(exec) {}

    // slotOf: of the world's particles as they are stored now
    void update(World& world, View<const uint32_t> slotOf);

    // The triangles of a body.
    struct Part {
        uint32_t body;            // of World::bodies
        uint32_t first, indices;  // in index()
    };
    const std::vector<Part>& parts() const { return m_parts; }

    View<const Vec4> vertex() const { return m_vertex.view(); }    // see ExtrudeRopes
    View<const uint32_t> index() const { return m_index.view(); }  // see ropeCorner

private:
    void plan(const World& world);

    uint64_t m_topology = 0;  // for which the tables were made
    std::vector<Part> m_parts;
    Buffer<uint32_t> m_row, m_flags, m_start;
    Buffer<float> m_radius;
    Buffer<Vec4> m_center, m_across, m_along, m_vertex;
    Buffer<uint32_t> m_index;
};

}  // namespace coalesce
