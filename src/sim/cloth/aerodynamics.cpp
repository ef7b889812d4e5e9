#include "sim/cloth/aerodynamics.h"

#include "core/for_each.h"
#include "kernels/cloth/lift_and_drag.h"

namespace coalesce {

void Aerodynamics::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    std::vector<uint32_t> share(world.solids.rows(), 0);
    for (const ClothTriangle& t : world.solids.triangles.download()) {
        if (t.material & kCut) continue;
        for (const uint32_t row : {t.a, t.b, t.c}) ++share[row];
    }
    m_share.upload(share);
    m_sums.resizeDiscard(3 * share.size());
    m_sums.fillZero();
}

void Aerodynamics::apply(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    SolidTables& solids = world.solids;
    const float density = world.parameters.world.airDensity;
    if (solids.triangles.size() == 0 || !device.summary.hasAerodynamics || density == 0) return;
    plan(world);
    constexpr float kPerMeterPerSecond = 4294967296.0f;  // sums of up to 2·10⁹ m/s, to 2⁻³² m/s
    const FixedPointSums sums{m_sums.view(), kPerMeterPerSecond};
    ParticleArrays& p = world.particles;
    forEach(exec, "lift and drag", solids.triangles.size(),
            AccumulateAirImpulses{.triangles = solids.triangles.view(),
                                  .slotOf = solids.slotOf.view(),
                                  .share = m_share.view(),
                                  .x = p.x.view(),
                                  .v = p.v.view(),
                                  .phase = p.phase.view(),
                                  .materials = device.materials.view(),
                                  .groups = device.groups.view(),
                                  .change = sums,
                                  .fields = {device.forceFields.view(), float(step.substep) * step.dt},
                                  .gravity = world.parameters.world.gravity,
                                  .density = density,
                                  .dt = step.dt});
    forEach(exec, "apply lift and drag", m_share.size(),
            ApplyAirImpulses{solids.slotOf.view(), sums, p.v.view()});
}

}  // namespace coalesce
