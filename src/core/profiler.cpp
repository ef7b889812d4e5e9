#include "core/profiler.h"

namespace coalesce {

void Profiler::add(const char* name, double ms) {
    auto found = m_index.find(name);
    if (found == m_index.end()) {
        found = m_index.emplace(name, m_current.size()).first;
        m_current.push_back({name, 0, 0});
    }
    Row& row = m_current[found->second];
    row.launches += 1;
    row.ms += ms;
}

void Profiler::discardFrame() {
    for (Row& row : m_current) row.launches = 0, row.ms = 0;
}

void Profiler::endFrame() {
    m_last = m_current;
    discardFrame();
}

}  // namespace coalesce
