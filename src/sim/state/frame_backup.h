// The state at the start of a frame, restored when the frame is redone or fails.
#pragma once

#include "sim/world/world.h"

namespace coalesce {

class FrameBackup {
public:
    explicit FrameBackup(Exec& exec)
        : m_arrays{
#define ARRAY(T, name, unit, role, about) Buffer<T>(exec),
#include "sim/world/particles.def"
              {}},
          m_solids(exec) {
    }
    void save(const World& world);
    void restore(World& world) const;

private:
    ParticleArrays m_arrays;
    SolidState m_solids;
};

}  // namespace coalesce
