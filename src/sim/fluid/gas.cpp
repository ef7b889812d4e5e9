#include "sim/fluid/gas.h"

#include "core/for_each.h"
#include "kernels/fluid/gas_forces.h"

namespace coalesce {

namespace {

Attribute* attributeOf(World& world, const char* name) {
    for (Attribute& attribute : world.particles.attributes)
        if (attribute.info.name == name) return &attribute;
    return nullptr;
}

}  // namespace

void Gas::applyBuoyancy(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    if (device.summary.hasVirtualMass && step.substep == 0)
        forEach(exec, "virtual mass", world.count(),
                SetVirtualMass{p.phase.view(), device.materials.view(), p.x.view()});
    if (!device.summary.hasBuoyancy) return;
    Attribute* temperature = attributeOf(world, kTemperature);
    auto* values = temperature ? std::get_if<Buffer<float>>(&temperature->values) : nullptr;
    if (!values) return;
    forEach(exec, "buoyancy", world.count(),
            ApplyBuoyancy{.x = p.x.view(),
                          .phase = p.phase.view(),
                          .materials = device.materials.view(),
                          .temperature = values->view(),
                          .v = p.v.view(),
                          .gravity = world.parameters.world.gravity,
                          .ambient = float(temperature->info.initial[0]),
                          .dt = step.dt});
}

void Gas::applyTurbulence(const StepContext& step, const DensityConstraint& density) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (device.summary.maxTurbulence == 0) return;
    Attribute* attribute = attributeOf(world, kGasVorticity);
    auto* vorticity = attribute ? std::get_if<Buffer<Vec4>>(&attribute->values) : nullptr;
    if (!vorticity) return;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "gas vorticity", n,
                AdvanceVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                   .v = p.v.view(),
                                                   .wall = device.wall.view(),
                                                   .neighbors = step.neighbors.lists(),
                                                   .pairs = pairs,
                                                   .phase = p.phase.view(),
                                                   .materials = device.materials.view(),
                                                   .vorticity = vorticity->view(),
                                                   .gravity = world.parameters.world.gravity,
                                                   .dt = step.dt});
        forEach(exec, "gas turbulence", n,
                ApplyTurbulence<isUniform<Pairs>>{.x = p.x.view(),
                                                  .vorticity = vorticity->view(),
                                                  .neighbors = step.neighbors.lists(),
                                                  .pairs = pairs,
                                                  .phase = p.phase.view(),
                                                  .materials = device.materials.view(),
                                                  .v = p.v.view(),
                                                  .dt = step.dt});
    });
}

}  // namespace coalesce
