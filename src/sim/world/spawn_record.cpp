#include "sim/world/spawn_record.h"

#include <algorithm>

namespace coalesce {

void SpawnRecord::stamp(double time, uint32_t nextId) {
    while (!m_timestamps.empty() && m_timestamps.back().first >= nextId) m_timestamps.pop_back();
    if (m_timestamps.empty() || m_timestamps.back().time != time) m_timestamps.push_back({time, nextId});
}

double SpawnRecord::ageOf(uint32_t id, double now) const {
    const auto after = std::ranges::upper_bound(m_timestamps, uint64_t{id}, {}, &SpawnTimestamp::first);
    return now - (after == m_timestamps.begin() ? 0 : std::prev(after)->time);
}

}  // namespace coalesce
