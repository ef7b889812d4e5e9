#include "sim/state/frame_backup.h"

namespace coalesce {

void FrameBackup::save(const World& world) {
#define ARRAY(T, name, unit, role, about) m_arrays.name.copyFrom(world.particles.name);
#include "sim/world/particles.def"
    copyAttributes(m_arrays.attributes, world.particles.attributes, world.exec);
#define TABLE(T, name, of, unit, about) m_solids.name.copyFrom(world.solids.name);
#include "sim/world/solids.def"
}

void FrameBackup::restore(World& world) const {
#define ARRAY(T, name, unit, role, about) world.particles.name.copyFrom(m_arrays.name);
#include "sim/world/particles.def"
    copyAttributes(world.particles.attributes, m_arrays.attributes, world.exec);
#define TABLE(T, name, of, unit, about) world.solids.name.copyFrom(m_solids.name);
#include "sim/world/solids.def"
}

}  // namespace coalesce
