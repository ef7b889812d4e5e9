#include "sim/fluid/surface_tension.h"

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/fluid/pairwise_tension.h"

namespace coalesce {

void SurfaceTension::applyForces(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const bool adheres = device.summary.maxAdhesion > 0 && device.summary.hasSolids;
    const bool tense = device.summary.maxTension > 0;
    if (!tense && !adheres) return;
    const size_t n = world.count();
    ParticleArrays& p = world.particles;
    Scratch::Scope scratch(exec);
    const View<float> material = scratch.take<float>("tension.material", tense ? n : 0);
    const View<Vec4> strength = scratch.take<Vec4>("tension.strength", tense ? n : 0);
    const View<Vec4> normal = scratch.take<Vec4>("tension.normal", tense ? n : 0);
    const View<Vec4> adhesion = scratch.take<Vec4>("tension.adhesion", adheres ? n : 0);
    forEach(exec, "surface tension traits", n,
            GatherTension{.phase = p.phase.view(),
                          .id = p.id.view(),
                          .materials = device.materials.view(),
                          .groups = device.groups.view(),
                          .material = material,
                          .strength = strength,
                          .adhesion = adhesion,
                          .firstNew = world.spawning.firstNew});
    if (tense) {
        forEach(exec, "surface normals", n,
                FindNormals{.xStar = device.xStar.view(),
                            .v = p.v.view(),
                            .material = material,
                            .strength = strength,
                            .neighbors = step.neighbors.lists(),
                            .normal = normal});
        forEach(exec, "surface tension", n,
                ApplySurfaceTension{.xStar = device.xStar.view(),
                                    .normal = normal,
                                    .material = material,
                                    .strength = strength,
                                    .neighbors = step.neighbors.lists(),
                                    .v = p.v.view(),
                                    .dt = step.dt});
    }
    if (adheres)
        forEach(exec, "adhesion", n,
                ApplyAdhesion{.xStar = device.xStar.view(),
                              .adhesion = adhesion,
                              .neighbors = step.neighbors.lists(),
                              .v = p.v.view(),
                              .dt = step.dt});
    forEach(exec, "update prediction", n,
            UpdatePrediction{.x = p.x.view(), .v = p.v.view(), .xStar = device.xStar.view(), .dt = step.dt});
}

void SurfaceTension::applyShapeAdhesion(const StepContext& step, ShapeContacts& shapes) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (device.summary.maxAdhesion == 0) return;
    forEach(exec, "adhesion to shapes", world.count(),
            ApplyShapeAdhesion{.contacts = shapes.view(device, step.substep),
                               .phase = world.particles.phase.view(),
                               .materials = device.materials.view(),
                               .accumulatedImpulse = shapes.accumulatedImpulse(),
                               .xStar = device.xStar.view(),
                               .v = world.particles.v.view(),
                               .dt = step.dt});
}

}  // namespace coalesce
