// The surface mesh of cloth for drawing: vertices, normals and triangles of all bodies that have triangles.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "kernels/draw/cloth_shell.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ClothSurface : Stage {
public:
    using Stage::Stage;

    // slotOf: for the current storage order of the particles
    void update(World& world, View<const uint32_t> slotOf);

    // The triangles of a body: first the front, then as many of the back, then the rim between them.
    struct Part {
        uint32_t body;                          // of World::bodies
        uint32_t first, frontIndices, indices;  // in index()
    };
    const std::vector<Part>& parts() const { return m_parts; }

    View<const Vec4> position() const { return m_position.view(); }  // [m]; w: 1 where the particle exists
    View<const Vec4> normal() const { return m_normal.view(); }      // unit; w: share of the thickness
    View<const Vec4> rest() const { return m_rest.view(); }          // [m] rest position in the body's frame
    View<const uint32_t> index() const { return m_index.view(); }    // see clothCorner

private:
    void plan(const World& world);

    uint64_t m_topology = 0;  // of which the tables were made
    std::vector<Part> m_parts;
    Buffer<uint32_t> m_row{exec}, m_fanStart{exec}, m_fanOthers{exec}, m_corners{exec};
    Buffer<Vec4> m_position{exec}, m_normal{exec}, m_rest{exec};
    Buffer<uint32_t> m_index{exec};
};

// The boundary edges of a mesh (those of a single triangle), in the direction of their triangle.
std::vector<std::array<uint32_t, 2>> boundaryEdges(std::span<const Triangle> triangles);

}  // namespace coalesce
