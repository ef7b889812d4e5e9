// The surface meshes of liquids for drawing: vertices and triangles of all liquids, in memory of the backend.
#pragma once

#include <vector>

#include "core/buffer.h"
#include "sim/stage/step_context.h"
#include "sim/surface/liquid_meshes.h"

namespace coalesce {

class LiquidSurface : Stage {
public:
    explicit LiquidSurface(Exec& e) : Stage(e), m_mesher(e) {}

    void update(const World& world, const SurfaceOptions& options);
    void clear() { m_parts.clear(); }

    // The triangles of a liquid. They count its vertices from 0.
    struct Part {
        uint32_t material;
        uint32_t firstVertex;     // in position()
        uint32_t first, indices;  // in index()
    };
    const std::vector<Part>& parts() const { return m_parts; }  // liquids without particles have none

    View<const Vec4> position() const { return m_position.view(); }  // [m]
    View<const Vec4> normal() const { return m_normal.view(); }      // unit, out of the liquid
    View<const uint32_t> index() const { return m_index.view(); }

private:
    LiquidMesher m_mesher;
    std::vector<Part> m_parts;
    Buffer<Vec4> m_position{exec}, m_normal{exec};
    Buffer<uint32_t> m_index{exec};
};

}  // namespace coalesce
