// When particles were spawned, for display of their age. Not part of the state.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/world/emitters.h"

namespace coalesce {

class SpawnRecord {
public:
    // Particles that are added from now on have ids of nextId and above. Drops timestamps of ids that are not
    // given yet: an earlier state was restored, or a frame is redone.
    void stamp(double time, uint32_t nextId);
    // [s] since a particle was spawned. Particles of a loaded state count as there from the start of the run.
    double ageOf(uint32_t id, double now) const;

    const std::vector<SpawnTimestamp>& timestamps() const { return m_timestamps; }
    size_t bytes() const { return m_timestamps.size() * sizeof(SpawnTimestamp); }

private:
    std::vector<SpawnTimestamp> m_timestamps;  // ascending
};

}  // namespace coalesce
