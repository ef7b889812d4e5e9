#include "sim/fluid/surface_tension.h"

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/fluid/pairwise_tension.h"

namespace coalesce {

void SurfaceTension::pull(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt) {
    const auto n = static_cast<int64_t>(world.count());
    const bool adheres = device.largestAdhesion > 0 && device.hasSolids;
    if (device.largestTension == 0 && !adheres) return;
    ParticleArrays& p = world.particles;
    Scratch::Scope scratch(world.exec);
    const bool tense = device.largestTension > 0;
    const View<float> material = scratch.take<float>("tension.material", tense ? n : 0);
    const View<Vec4> strength = scratch.take<Vec4>("tension.strength", tense ? n : 0);
    const View<Vec4> normal = scratch.take<Vec4>("tension.normal", tense ? n : 0);
    const View<Vec4> hold = scratch.take<Vec4>("tension.hold", adheres ? n : 0);
    forEach(world.exec, "gather tension", n,
            GatherTension{.phase = p.phase.view(),
                          .materials = device.materials.view(),
                          .groups = device.groups.view(),
                          .material = material,
                          .strength = strength,
                          .hold = hold});
    if (tense) {
        forEach(world.exec, "find normals", n,
                FindNormals{.xStar = device.xStar.view(),
                            .v = p.v.view(),
                            .material = material,
                            .strength = strength,
                            .neighbors = neighbors.lists(),
                            .normal = normal});
        forEach(world.exec, "surface tension", n,
                PullTogether{.xStar = device.xStar.view(),
                             .normal = normal,
                             .material = material,
                             .strength = strength,
                             .neighbors = neighbors.lists(),
                             .v = p.v.view(),
                             .dt = dt});
    }
    if (adheres)
        forEach(world.exec, "adhesion", n,
                Adhere{.xStar = device.xStar.view(),
                       .hold = hold,
                       .neighbors = neighbors.lists(),
                       .v = p.v.view(),
                       .dt = dt});
    forEach(world.exec, "predict again", n,
            PredictAgain{.x = p.x.view(), .v = p.v.view(), .xStar = device.xStar.view(), .dt = dt});
}

void SurfaceTension::adhere(World& world, DeviceWorld& device, ShapeContacts& shapes, int substep, float dt) {
    if (device.largestAdhesion == 0) return;
    forEach(world.exec, "adhesion to shapes", static_cast<int64_t>(world.count()),
            AdhereToShapes{.contacts = shapes.view(device, substep),
                           .phase = world.particles.phase.view(),
                           .materials = device.materials.view(),
                           .given = shapes.accumulatedImpulse(),
                           .xStar = device.xStar.view(),
                           .v = world.particles.v.view(),
                           .dt = dt});
}

}  // namespace coalesce
