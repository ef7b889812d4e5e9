#include "sim/interaction/pick.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/search/ray_pick.h"

namespace coalesce {

std::optional<Picked> pick(const World& world, Vec3 origin, Vec3 direction) {
    const float size = length(direction);
    CHECK(isFinite(origin) && isFinite(direction) && size > 0);
    const size_t n = world.count();
    if (n == 0) return {};
    Exec& exec = world.exec;
    Buffer<MaterialConstants> materials(exec);
    materials.upload(materialConstants(world));

    Scratch::Scope scratch(exec);
    const View<float> distance = scratch.take<float>("pick.distance", n);
    const View<int32_t> name = scratch.take<int32_t>("pick.name", n);
    Buffer<float> least(exec, 1);
    Buffer<int32_t> nearest(exec, 1);
    forEach(exec, "pick", n,
            IntersectRay{.x = world.particles.x.view(),
                         .phase = world.particles.phase.view(),
                         .materials = materials.view(),
                         .origin = origin,
                         .direction = 1 / size * direction,
                         .distance = distance});
    reduceMin(exec, "pick", View<const float>(distance), least.view());
    forEach(exec, "pick", n, SelectNearest{distance, least.view(), world.particles.id.view(), name});
    reduceMin(exec, "pick", View<const int32_t>(name), nearest.view());
    const float at = least.download()[0];
    if (!(at < kPickMiss)) return {};
    return Picked{uint32_t(nearest.download()[0]) ^ 0x80000000u, at};
}

std::optional<Vec3> placeOf(const World& world, uint32_t id) {
    Buffer<Vec4> position(world.exec);
    const Vec4 nowhere{0, 0, 0, -1};  // no inverse mass is negative
    position.upload({&nowhere, 1});
    forEach(world.exec, "pick", world.count(),
            FindPosition{world.particles.x.view(), world.particles.id.view(), id, position.view()});
    const Vec4 found = position.download()[0];
    if (found.w < 0) return {};
    return xyz(found);
}

}  // namespace coalesce
