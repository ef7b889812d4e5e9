#include "sim/velocity/velocity_integration.h"

#include "core/for_each.h"
#include "kernels/velocity/integrate_velocity.h"
#include "sim/stage/integration.h"

namespace coalesce {

void VelocityIntegration::moveAnchored(const StepContext& step) {
    if (step.world.solids.anchors.size() == 0) return;
    ParticleArrays& p = step.world.particles;
    forEach(exec, "move anchors", step.world.count(),
            VelocitiesOfAnchored{p.x.view(), step.device.xStar.view(), p.v.view(), 1 / step.dt});
}

void VelocityIntegration::beginElastic(const StepContext& step) {
    ParticleArrays& p = step.world.particles;
    m_before.resizeDiscard(step.world.count());
    forEach(exec, "positions from velocities", step.world.count(),
            IntegrateVelocities{p.x.view(), p.v.view(), step.device.xStar.view(), m_before.view(), step.dt,
                                true});
}

void VelocityIntegration::endElastic(const StepContext& step, View<const float> massScale) {
    ParticleArrays& p = step.world.particles;
    forEach(exec, "velocities from positions", step.world.count(),
            VelocitiesFromDisplacements{p.x.view(), step.device.xStar.view(), m_before.view(), massScale,
                                        p.v.view(), 1 / step.dt});
}

void VelocityIntegration::integrate(const StepContext& step, ShapeMatching& bodies) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    m_before.resizeDiscard(world.count());
    forEach(exec, "integrate positions", world.count(),
            IntegrateVelocities{p.x.view(), p.v.view(), device.xStar.view(), {}, step.dt, false});
    bodies.moveRigid(step);
    m_before.copyFrom(device.xStar);
}

void VelocityIntegration::finish(const StepContext& step, ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    forEach(exec, "finish velocities", world.count(),
            FinishVelocities{.contacts = shapes.view(device, step.substep),
                             .end = substepEnd(step),
                             .materials = device.materials.view(),
                             .xStar = device.xStar.view(),
                             .integrated = m_before.view(),
                             .accumulatedImpulse = shapes.accumulatedImpulse(),
                             .dt = step.dt,
                             .planar = world.parameters.solver.planar});
}

}  // namespace coalesce
