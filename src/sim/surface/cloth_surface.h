// The surface of cloth as it is drawn: vertices, normals and triangles of all bodies that have triangles.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "kernels/draw/cloth_shell.h"
#include "sim/world/world.h"

namespace coalesce {

class ClothSurface {
public:
    explicit ClothSurface(Exec& exec)
        : m_row(exec),
          m_fanStart(exec),
          m_fanOthers(exec),
          m_corners(exec),
          m_position(exec),
          m_normal(exec),
          m_rest(exec),
          m_index(exec) {}

    // slotOf: of the world's particles as they are stored now
    void update(World& world, View<const uint32_t> slotOf);

    // The triangles of a body: first those of its front, then as many of its back, then the rim between them.
    struct Part {
        uint32_t body;                          // of World::bodies
        uint32_t first, frontIndices, indices;  // in index()
    };
    const std::vector<Part>& parts() const { return m_parts; }

    View<const Vec4> position() const { return m_position.view(); }  // [m]; w: 1 where there is a particle
    View<const Vec4> normal() const { return m_normal.view(); }      // unit; w: share of the thickness
    View<const Vec4> rest() const { return m_rest.view(); }          // [m] rest place in the body's frame
    View<const uint32_t> index() const { return m_index.view(); }    // see clothCorner

private:
    void plan(const World& world);

    uint64_t m_topology = 0;  // for which the tables were made
    std::vector<Part> m_parts;
    Buffer<uint32_t> m_row, m_fanStart, m_fanOthers, m_corners;
    Buffer<Vec4> m_position, m_normal, m_rest;
    Buffer<uint32_t> m_index;
};

// The edges of a mesh that one triangle alone has, in the direction of that triangle.
std::vector<std::array<uint32_t, 2>> boundaryEdges(std::span<const Triangle> triangles);

}  // namespace coalesce
