#include "sim/stage/integration.h"

#include "core/for_each.h"
#include "kernels/motion/force_field.h"
#include "kernels/motion/integrate.h"

namespace coalesce {

void Motion::applyFields(World& world, DeviceWorld& device, int substep, float dt) {
    if (device.fields.size() == 0 && !device.hasAirDrag) return;
    ParticleArrays& p = world.particles;
    forEach(world.exec, "force fields", static_cast<int64_t>(world.count()),
            ApplyFields{.x = p.x.view(),
                        .phase = p.phase.view(),
                        .materials = device.materials.view(),
                        .groups = device.groups.view(),
                        .v = p.v.view(),
                        .fields = {device.fields.view(), static_cast<float>(substep) * dt},
                        .gravity = world.parameters.world.gravity,
                        .dt = dt});
}

void Motion::predict(World& world, DeviceWorld& device, float dt) {
    ParticleArrays& p = world.particles;
    device.xStar.resizeDiscard(world.count());
    forEach(world.exec, "predict", static_cast<int64_t>(world.count()),
            Predict{.x = p.x.view(),
                    .id = p.id.view(),
                    .phase = p.phase.view(),
                    .materials = device.materials.view(),
                    .v = p.v.view(),
                    .xStar = device.xStar.view(),
                    .status = device.status.view().data,
                    .gravity = world.parameters.world.gravity,
                    .dt = dt,
                    .maxSpeed = world.parameters.solver.maxSpeed,
                    .planar = world.parameters.solver.planar});
}

void Motion::finalize(World& world, DeviceWorld& device, const Contacts& contacts,
                      View<Vec3> accumulatedImpulse, float dt) {
    ParticleArrays& p = world.particles;
    forEach(world.exec, "finalize", static_cast<int64_t>(world.count()),
            Finalize{.contacts = contacts,
                     .id = p.id.view(),
                     .phase = p.phase.view(),
                     .materials = device.materials.view(),
                     .xStar = device.xStar.view(),
                     .accumulatedImpulse = accumulatedImpulse,
                     .x = p.x.view(),
                     .v = p.v.view(),
                     .status = device.status.view().data,
                     .gravity = world.parameters.world.gravity,
                     .dt = dt,
                     .maxSpeed = world.parameters.solver.maxSpeed,
                     .bounceSpeed = world.parameters.contacts.bounceSpeed,
                     .sleepSpeed = world.parameters.contacts.sleepSpeed,
                     .planar = world.parameters.solver.planar});
}

}  // namespace coalesce
