#include "sim/surface/anisotropic_kernels.h"

#include "core/for_each.h"
#include "kernels/draw/ellipsoid.h"

namespace coalesce {

void AnisotropicKernels::fit(World& world, const NeighborLists& neighbors) {
    const size_t n = world.count();
    CHECK_EQ(neighbors.count.size, n);
    m_materials.set(materialConstants(world));
    m_smooth.resizeDiscard(n);
    for (Buffer<Vec4>& axis : m_axis) axis.resizeDiscard(n);
    forEach(exec, "fit ellipsoids", n,
            FitEllipsoids{.x = world.particles.x.view(),
                          .v = world.particles.v.view(),
                          .phase = world.particles.phase.view(),
                          .neighbors = neighbors,
                          .materials = m_materials.view(),
                          .planar = world.parameters.solver.planar,
                          .smooth = m_smooth.view(),
                          .axis = {m_axis[0].view(), m_axis[1].view(), m_axis[2].view()}});
}

}  // namespace coalesce
