#include "sim/velocity/splashes.h"

#include "core/for_each.h"
#include "kernels/velocity/splash.h"

namespace coalesce {

bool hasSplashes(const World& world) {
    return world.parameters.velocity.splashes && world.parameters.solver.method == Method::velocity;
}

void Splashes::clearFormer(World& world) {
    if (world.method != uint32_t(Method::velocity) || hasSplashes(world)) return;
    forEach(exec, "clear drops", world.count(), ClearDrops{world.particles.phase.view()});
}

void Splashes::findDrops(const StepContext& step, const ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!hasSplashes(world) || !device.summary.hasFluid) return;
    ParticleArrays& p = world.particles;
    m_phase.resizeDiscard(world.count());
    forEach(exec, "find drops", world.count(),
            FindDrops{.x = p.x.view(),
                      .phase = p.phase.view(),
                      .materials = device.materials.view(),
                      .neighbors = step.neighbors.lists(),
                      .contacts = shapes.view(device, step.substep),
                      .newPhase = m_phase.view(),
                      .v = p.v.view(),
                      .enough = world.parameters.velocity.splashNeighbors,
                      .kept = 1 / (1 + step.dt * world.parameters.velocity.splashDrag)});
    p.phase.swap(m_phase);
}

}  // namespace coalesce
