#include "view/rewind.h"

#include <algorithm>
#include <utility>

namespace coalesce {

namespace {
constexpr double kSlack = 1e-6;  // [s] times are sums of steps
}

bool Rewind::isDue(double time) const {
    if (!(limits.seconds > 0) || !(limits.perSecond > 0)) return false;
    if (m_states.empty()) return true;
    // large states are not taken ten times as often as there is room for: most would be thinned out again
    const PastState& last = m_states.back();
    const double even = double{limits.seconds} * static_cast<double>(last.world.bytes()) /
                        (1e6 * std::max(double{limits.megabytes}, 1e-3));
    return time >= last.world.time() + std::max(1 / double{limits.perSecond}, 0.1 * even) - kSlack;
}

void Rewind::giveUp(size_t index) {
    m_bytes -= m_states[index].world.bytes();
    m_states.erase(m_states.begin() + static_cast<ptrdiff_t>(index));
}

void Rewind::keep(PastState state) {
    cutAfter(state.world.frame());
    if (!m_states.empty() && m_states.back().world.frame() == state.world.frame())
        giveUp(m_states.size() - 1);
    m_bytes += state.world.bytes();
    m_states.push_back(std::move(state));

    const double now = m_states.back().world.time();
    const auto timeOf = [&](size_t k) { return m_states[k].world.time(); };
    while (m_states.size() > 1 && timeOf(0) < now - double{limits.seconds} - kSlack) giveUp(0);
    // gap over age: a second is little after ten, and much after one
    while (m_states.size() > 2 && static_cast<double>(m_bytes) > 1e6 * double{limits.megabytes}) {
        size_t least = 1;
        double leastGap = 1e300;
        for (size_t k = 1; k + 1 < m_states.size(); ++k) {
            const double gap = (timeOf(k + 1) - timeOf(k - 1)) / (now - timeOf(k) + kSlack);
            if (gap < leastGap) leastGap = gap, least = k;
        }
        giveUp(least);
    }
}

void Rewind::cutAfter(uint64_t frame) {
    while (!m_states.empty() && m_states.back().world.frame() > frame) giveUp(m_states.size() - 1);
}

const PastState* Rewind::find(uint64_t frame) const {
    if (m_states.empty()) return nullptr;
    const PastState* found = &m_states.front();
    for (const PastState& state : m_states)
        if (state.world.frame() <= frame) found = &state;
    return found;
}

}  // namespace coalesce
