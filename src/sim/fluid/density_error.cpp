#include "sim/fluid/density_error.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "kernels/fluid/density_error_terms.h"

namespace coalesce {

void DensityError::find(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!world.watchConvergence || !device.summary.hasFluid) return;
    for (Buffer<double>* values : {&m_error, &m_liquid}) values->resizeDiscard(world.count());
    m_negative.resizeDiscard(world.count());
    forEach(exec, "density error", world.count(),
            FindDensityErrors{.v = world.particles.v.view(),
                              .phase = world.particles.phase.view(),
                              .materials = device.materials.view(),
                              .error = m_error.view(),
                              .liquid = m_liquid.view(),
                              .negative = m_negative.view()});
    reduceSum(exec, "density error", m_error.view(), m_errorSum.view());
    reduceSum(exec, "density error", m_liquid.view(), m_liquidSum.view());
    reduceMin(exec, "density error", m_negative.view(), m_least.view());
    forEach(
        exec, "density error", 1,
        NoteDensityError{m_errorSum.view(), m_liquidSum.view(), m_least.view(), device.status.view().data});
}

}  // namespace coalesce
