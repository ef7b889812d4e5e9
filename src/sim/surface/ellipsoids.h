// Ellipsoids that draw a liquid's surface: of the particles as they are stored now.
#pragma once

#include "core/buffer.h"
#include "kernels/search/neighbor_lists.h"
#include "sim/world/world.h"

namespace coalesce {

class Surface {
public:
    explicit Surface(Exec& exec)
        : m_materials(exec),
          m_smooth(exec),
          m_axis{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<Vec4>(exec)} {}

    // neighbors: of the same storage order as the world's particles (Solver::neighborLists after a step)
    void fit(World& world, const NeighborLists& neighbors);

    View<const Vec4> smooth() const { return m_smooth.view(); }      // position for drawing [m], neighbors
    View<const Vec4> axis(int k) const { return m_axis[k].view(); }  // unit axis, half-length [m]

private:
    Buffer<MaterialConstants> m_materials;
    Buffer<Vec4> m_smooth, m_axis[3];
};

}  // namespace coalesce
