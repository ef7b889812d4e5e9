#include "session/snapshot_history.h"

#include <algorithm>

namespace coalesce {

namespace {
constexpr double kTimeEpsilon = 1e-6;  // [s] times are sums of steps
}

void SnapshotHistory::clear() {
    m_states.clear(), m_played.clear();
    m_bytes = m_tooLarge = 0;
}

void SnapshotHistory::setShare(float share) {
    if (share == m_share) return;
    m_share = share;
    trim();
}

void SnapshotHistory::setLimits(const RewindLimits& limits) {
    if (limits == m_limits) return;
    m_limits = limits;
    trim();
}

void SnapshotHistory::see(const World& world) {
    const size_t bytes = WorldSnapshot::bytesOf(world);
    const bool tooLarge = !keepsNothing() && static_cast<double>(bytes) > limitBytes();
    // frames are written down only from a kept state on
    if (tooLarge || keepsNothing()) clear();
    m_tooLarge = tooLarge ? bytes : 0;
}

bool SnapshotHistory::isDue(const World& world) const {
    const auto bytes = static_cast<double>(WorldSnapshot::bytesOf(world));
    if (keepsNothing() || bytes > limitBytes()) return false;
    if (m_states.empty()) return true;
    // large states are not taken ten times as often as there is room for: most would be thinned out again
    const double even = double{m_limits.seconds} * bytes / limitBytes();
    return world.time >=
           m_states.back().world.time() + std::max(1 / double{m_limits.perSecond}, 0.1 * even) - kTimeEpsilon;
}

bool SnapshotHistory::hasRoomFor(const World& world) const {
    const size_t oldest = m_states.empty() ? 0 : m_states.front().world.bytes();
    return static_cast<double>(oldest + WorldSnapshot::bytesOf(world)) <= limitBytes();
}

void SnapshotHistory::giveUp(size_t index) {
    m_bytes -= m_states[index].world.bytes();
    m_states.erase(m_states.begin() + static_cast<ptrdiff_t>(index));
    // what leads on from nowhere leads nowhere
    const uint64_t first = m_states.empty() ? lastFrame() + 1 : m_states.front().world.frame();
    while (!m_played.empty() && m_firstPlayed < first) m_played.pop_front(), ++m_firstPlayed;
}

void SnapshotHistory::keep(SessionSnapshot state) {
    if (!m_states.empty() && m_states.back().world.frame() == state.world.frame()) {
        m_bytes -= m_states.back().world.bytes();
        m_states.pop_back();
    }
    m_bytes += state.world.bytes();
    m_states.push_back(std::move(state));
    trim();
}

void SnapshotHistory::trim() {
    if (keepsNothing()) clear();
    if (m_states.empty()) return;
    const double now = m_states.back().world.time();
    const auto timeOf = [&](size_t k) { return m_states[k].world.time(); };
    const auto isOver = [&] { return static_cast<double>(m_bytes) > limitBytes(); };
    while (m_states.size() > 1 && timeOf(0) < now - double{m_limits.seconds} - kTimeEpsilon) giveUp(0);
    // gap over age: a second is little after ten, and much after one
    while (m_states.size() > 2 && isOver()) {
        size_t least = 1;
        double leastGap = 1e300;
        for (size_t k = 1; k + 1 < m_states.size(); ++k) {
            const double gap = (timeOf(k + 1) - timeOf(k - 1)) / (now - timeOf(k) + kTimeEpsilon);
            if (gap < leastGap) leastGap = gap, least = k;
        }
        giveUp(least);
    }
    while (!m_states.empty() && isOver()) giveUp(0);
}

void SnapshotHistory::cutAfter(uint64_t frame, size_t changes) {
    while (!m_states.empty() && m_states.back().world.frame() > frame) giveUp(m_states.size() - 1);
    while (!m_played.empty() && m_firstPlayed + m_played.size() > frame + 1) m_played.pop_back();
    if (m_played.empty() || m_firstPlayed + m_played.size() != frame + 1) return;
    RecordedFrame& next = m_played.back();
    next.changes.resize(std::min(next.changes.size(), changes));
    next.commands.clear();
    next.done = false;
}

const SessionSnapshot* SnapshotHistory::find(uint64_t frame) const {
    if (m_states.empty()) return nullptr;
    const SessionSnapshot* found = &m_states.front();
    for (const SessionSnapshot& state : m_states)
        if (state.world.frame() <= frame) found = &state;
    return found;
}

RecordedFrame* SnapshotHistory::open(uint64_t frame, size_t events) {
    if (m_states.empty()) return nullptr;
    if (m_played.empty()) m_firstPlayed = frame;
    if (frame == m_firstPlayed + m_played.size()) m_played.push_back({.events = events});
    CHECK_EQ(frame + 1, m_firstPlayed + m_played.size());
    return &m_played.back();
}

const RecordedFrame* SnapshotHistory::played(uint64_t frame) const {
    return frame < m_firstPlayed || frame >= m_firstPlayed + m_played.size()
               ? nullptr
               : &m_played[frame - m_firstPlayed];
}

uint64_t SnapshotHistory::lastFrame() const {
    uint64_t last = m_states.empty() ? 0 : m_states.back().world.frame();
    if (!m_played.empty())
        last = std::max(last, m_firstPlayed + m_played.size() - (m_played.back().done ? 0 : 1));
    return last;
}

double SnapshotHistory::lastTime() const {
    if (m_states.empty()) return 0;
    const SessionSnapshot& state = m_states.back();
    const uint64_t last = lastFrame();
    return last == state.world.frame() ? state.world.time() : played(last - 1)->end;
}

std::optional<uint64_t> SnapshotHistory::frameAt(double time) const {
    if (m_states.empty()) return {};
    uint64_t frame = m_states.front().world.frame();
    double begin = m_states.front().world.time();
    for (const RecordedFrame* next; (next = played(frame)) && next->done && (begin + next->end) / 2 <= time;
         ++frame)
        begin = next->end;
    return frame;
}

}  // namespace coalesce
