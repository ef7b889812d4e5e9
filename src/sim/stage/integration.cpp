#include "sim/stage/integration.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/motion/crossing_time.h"
#include "kernels/motion/force_field.h"
#include "kernels/motion/integrate.h"
#include "kernels/motion/update_velocities.h"

namespace coalesce {

void Integration::applyForceFields(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (device.forceFields.size() == 0 && !device.summary.hasAirDrag) return;
    ParticleArrays& p = world.particles;
    forEach(exec, "force fields", world.count(),
            ApplyForceFields{.x = p.x.view(),
                             .phase = p.phase.view(),
                             .materials = device.materials.view(),
                             .groups = device.groups.view(),
                             .v = p.v.view(),
                             .fields = {device.forceFields.view(), float(step.substep) * step.dt},
                             .gravity = world.parameters.world.gravity,
                             .dt = step.dt});
}

FindRoundingErrors Integration::roundingErrorKernel(const StepContext& step) {
    const ParticleArrays& p = step.world.particles;
    return {.x = p.x.view(),
            .v = p.v.view(),
            .xStar = step.device.xStar.view(),
            .phase = p.phase.view(),
            .materials = step.device.materials.view(),
            .roundingError = step.device.roundingError.view(),
            .dt = step.dt};
}

void Integration::predict(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    device.xStar.resizeDiscard(world.count());
    device.roundingError.resize(0);  // keeps its memory
    forEach(exec, "predict", world.count(),
            Predict{.x = p.x.view(),
                    .id = p.id.view(),
                    .phase = p.phase.view(),
                    .materials = device.materials.view(),
                    .v = p.v.view(),
                    .xStar = device.xStar.view(),
                    .status = device.status.view().data,
                    .gravity = world.parameters.world.gravity,
                    .dt = step.dt,
                    .maxSpeed = world.parameters.solver.maxSpeed,
                    .planar = world.parameters.solver.planar});
}

SubstepEnd substepEnd(const StepContext& step) {
    ParticleArrays& p = step.world.particles;
    const Parameters& parameters = step.world.parameters;
    return {.id = p.id.view(),
            .phase = p.phase.view(),
            .x = p.x.view(),
            .v = p.v.view(),
            .status = step.device.status.view().data,
            .dt = step.dt,
            .maxSpeed = parameters.solver.maxSpeed,
            .sleepSpeed = parameters.contacts.sleepSpeed};
}

UpdateVelocities Integration::updateVelocitiesKernel(const StepContext& step, const Contacts& contacts,
                                                     View<Vec3> accumulatedImpulse) const {
    World& world = step.world;
    DeviceWorld& device = step.device;
    return {.contacts = contacts,
            .end = substepEnd(step),
            .materials = device.materials.view(),
            .xStar = device.xStar.view(),
            .roundingError = device.roundingError.view(),
            .accumulatedImpulse = accumulatedImpulse,
            .gravity = world.parameters.world.gravity,
            .dt = step.dt,
            .bounceSpeed = world.parameters.contacts.bounceSpeed,
            .planar = world.parameters.solver.planar};
}

void Integration::findCrossingTime(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (world.parameters.solver.timeStep != TimeStep::cfl) return;
    Scratch::Scope scratch(exec);
    const View<float> time = scratch.take<float>("integration.crossingTime", world.count());
    forEach(exec, "crossing time", world.count(),
            FindCrossingTime{.v = world.particles.v.view(),
                             .phase = world.particles.phase.view(),
                             .materials = device.materials.view(),
                             .time = time});
    reduceMin(exec, "crossing time", time, View<float>{&device.status.view().data->crossingTime, 1});
}

}  // namespace coalesce
