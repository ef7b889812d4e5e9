#include "sim/fluid/gas.h"

#include <algorithm>

#include "core/for_each.h"
#include "kernels/fluid/gas_forces.h"

namespace coalesce {

void Gas::applyBuoyancy(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    if (device.summary.hasVirtualMass && step.substep == 0)
        forEach(exec, "virtual mass", world.count(),
                SetVirtualMass{p.phase.view(), device.materials.view(), p.x.view()});
    if (!device.summary.hasBuoyancy) return;
    const View<float> temperature = viewOf<float>(p.attributes, kTemperature);
    if (temperature.size == 0) return;
    const auto info =
        std::ranges::find(p.attributes, kTemperature, [](const Attribute& a) { return a.info.name; });
    forEach(exec, "buoyancy", world.count(),
            ApplyBuoyancy{.x = p.x.view(),
                          .phase = p.phase.view(),
                          .materials = device.materials.view(),
                          .temperature = temperature,
                          .v = p.v.view(),
                          .gravity = world.parameters.world.gravity,
                          .ambient = float(info->info.initial[0]),
                          .dt = step.dt});
}

void Gas::applyTurbulence(const StepContext& step, const DensityConstraint& density) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (device.summary.maxTurbulence == 0) return;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    const View<Vec4> vorticity = viewOf<Vec4>(p.attributes, kGasVorticity);
    if (vorticity.size == 0) return;
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "gas vorticity", n,
                AdvanceVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                   .v = p.v.view(),
                                                   .wall = device.wall.view(),
                                                   .neighbors = step.neighbors.lists(),
                                                   .pairs = pairs,
                                                   .phase = p.phase.view(),
                                                   .materials = device.materials.view(),
                                                   .vorticity = vorticity,
                                                   .gravity = world.parameters.world.gravity,
                                                   .dt = step.dt});
        forEach(exec, "gas turbulence", n,
                ApplyTurbulence<isUniform<Pairs>>{.x = p.x.view(),
                                                  .vorticity = vorticity,
                                                  .neighbors = step.neighbors.lists(),
                                                  .pairs = pairs,
                                                  .phase = p.phase.view(),
                                                  .materials = device.materials.view(),
                                                  .v = p.v.view(),
                                                  .dt = step.dt});
    });
}

}  // namespace coalesce
