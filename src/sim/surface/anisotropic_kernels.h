// Anisotropic kernels: ellipsoids of liquid particles, from which the surface is drawn. [YT13] In storage
// order.
#pragma once

#include "core/buffer.h"
#include "core/mirror.h"
#include "kernels/search/neighbor_lists.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class AnisotropicKernels : Stage {
public:
    using Stage::Stage;

    // neighbors: in the storage order of the world's particles (Solver::neighborLists after a step)
    void fit(World& world, const NeighborLists& neighbors);

    View<const Vec4> smooth() const { return m_smooth.view(); }      // position for drawing [m], neighbors
    View<const Vec4> axis(int k) const { return m_axis[k].view(); }  // unit axis, half-length [m]

private:
    Mirror<MaterialConstants> m_materials{exec};
    Buffer<Vec4> m_smooth{exec};
    Buffer<Vec4> m_axis[3]{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<Vec4>(exec)};
};

}  // namespace coalesce
