#include "sim/stage/row_index.h"

#include "core/for_each.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

void indexRows(const World& world, View<const GroupConstants> groups, View<uint32_t> slotOf) {
    world.exec.fillBytes(slotOf, 0xff);  // kNoSlot
    const ParticleArrays& p = world.particles;
    forEach(world.exec, "index particles", world.count(),
            IndexParticles{p.id.view(), p.phase.view(), groups, slotOf});
}

void indexRows(World& world, const DeviceWorld& device) {
    indexRows(world, device.groups.view(), world.solids.slotOf.view());
}

}  // namespace coalesce
