#include "sim/interaction/group_bounds.h"

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"
#include "kernels/search/select_coordinate.h"

namespace coalesce {

std::optional<Bounds> boundsOfGroups(const World& world, uint32_t first, uint32_t count) {
    Exec& exec = world.exec;
    const size_t n = world.count();
    Scratch::Scope scratch(exec);
    const View<float> coordinate = scratch.take<float>("group bounds.coordinate", n);
    Buffer<float> least(exec, 6);  // x, y, z, −x, −y, −z
    for (int k = 0; k < 6; ++k) {
        forEach(exec, "group bounds", n,
                SelectCoordinate{.x = world.particles.x.view(),
                                 .phase = world.particles.phase.view(),
                                 .first = first,
                                 .count = count,
                                 .axis = k % 3,
                                 .sign = k < 3 ? 1.0f : -1.0f,
                                 .coordinate = coordinate});
        reduceMin(exec, "group bounds", View<const float>(coordinate), View<float>{least.view().data + k, 1});
    }
    const std::vector<float> at = least.download();
    if (!(at[0] < kOutsideGroups)) return {};
    return Bounds{{at[0], at[1], at[2]}, {-at[3], -at[4], -at[5]}};
}

}  // namespace coalesce
