// The tubes of ropes for drawing: vertices and triangles of all bodies of rope.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "kernels/draw/rope_tube.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class RopeTubes : Stage {
public:
    using Stage::Stage;

    // slotOf: for the current storage order of the particles
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

    uint64_t m_topology = 0;  // of which the tables were made
    std::vector<Part> m_parts;
    Buffer<uint32_t> m_row{exec}, m_flags{exec}, m_start{exec};
    Buffer<float> m_radius{exec};
    Buffer<Vec4> m_center{exec}, m_across{exec}, m_along{exec}, m_vertex{exec};
    Buffer<uint32_t> m_index{exec};
};

}  // namespace coalesce
