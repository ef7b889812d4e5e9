#include "sim/stage/particle_bounds.h"

#include "core/for_each.h"
#include "kernels/search/position_bounds.h"

namespace coalesce {

namespace {

template <class Kernel>
std::optional<Bounds> boundsBy(const World& world, const Kernel& kernel, Buffer<IntegerBox>& box) {
    const IntegerBox nothing = IntegerBox::identity();
    box.upload({&nothing, 1});
    forEachReduce(world.exec, "find bounds", world.count(), kernel);
    const IntegerBox found = box.download()[0];
    if (found.low[0] > found.high[0]) return {};
    const auto value = [](int32_t bits) { return asFloat(orderedBits(bits)); };
    return Bounds{{value(found.low[0]), value(found.low[1]), value(found.low[2])},
                  {value(found.high[0]), value(found.high[1]), value(found.high[2])}};
}

}  // namespace

std::optional<Bounds> boundsOfParticles(const World& world, Buffer<IntegerBox>& box) {
    box.resizeDiscard(1);
    return boundsBy(world, FindBounds{world.particles.x.view(), box.view().data}, box);
}

std::optional<Bounds> boundsOfGroups(const World& world, uint32_t first, uint32_t count) {
    Buffer<IntegerBox> box(world.exec, 1);
    return boundsBy(
        world,
        FindBoundsOfGroups{
            {world.particles.x.view(), box.view().data}, world.particles.phase.view(), first, count},
        box);
}

}  // namespace coalesce
