#include "session/snapshot_history.h"

#include <algorithm>

namespace coalesce {

namespace {
constexpr double kTimeEpsilon = 1e-6;  // [s] rounding of times, which are sums of steps
}

void SnapshotHistory::clear() {
    m_snapshots.clear(), m_frames.clear();
    m_bytes = m_oversizedBytes = 0;
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

void SnapshotHistory::update(const World& world) {
    const size_t bytes = WorldSnapshot::bytesOf(world);
    const bool isOversized = !isDisabled() && double(bytes) > limitBytes();
    // frames are recorded only after a snapshot
    if (isOversized || isDisabled()) clear();
    m_oversizedBytes = isOversized ? bytes : 0;
}

bool SnapshotHistory::isDue(const World& world) const {
    const auto bytes = double(WorldSnapshot::bytesOf(world));
    if (isDisabled() || bytes > limitBytes()) return false;
    if (m_snapshots.empty()) return true;
    // large snapshots: at most ten times as many as fit, most of them would be thinned out again
    const double even = double{m_limits.seconds} * bytes / limitBytes();
    return world.time >= m_snapshots.back().world.time() +
                             std::max(1 / double{m_limits.perSecond}, 0.1 * even) - kTimeEpsilon;
}

bool SnapshotHistory::fits(const World& world) const {
    const size_t oldest = m_snapshots.empty() ? 0 : m_snapshots.front().world.bytes();
    return double(oldest + WorldSnapshot::bytesOf(world)) <= limitBytes();
}

void SnapshotHistory::drop(size_t index) {
    m_bytes -= m_snapshots[index].world.bytes();
    m_snapshots.erase(m_snapshots.begin() + ptrdiff_t(index));
    // frames before the first snapshot cannot be resimulated
    const uint64_t first = m_snapshots.empty() ? lastFrame() + 1 : m_snapshots.front().world.frame();
    while (!m_frames.empty() && m_firstFrame < first) m_frames.pop_front(), ++m_firstFrame;
}

void SnapshotHistory::add(SessionSnapshot snapshot) {
    if (!m_snapshots.empty() && m_snapshots.back().world.frame() == snapshot.world.frame()) {
        m_bytes -= m_snapshots.back().world.bytes();
        m_snapshots.pop_back();
    }
    m_bytes += snapshot.world.bytes();
    m_snapshots.push_back(std::move(snapshot));
    trim();
}

void SnapshotHistory::trim() {
    if (isDisabled()) clear();
    if (m_snapshots.empty()) return;
    const double now = m_snapshots.back().world.time();
    const auto timeOf = [&](size_t k) { return m_snapshots[k].world.time(); };
    const auto isOver = [&] { return double(m_bytes) > limitBytes(); };
    while (m_snapshots.size() > 1 && timeOf(0) < now - double{m_limits.seconds} - kTimeEpsilon) drop(0);
    // thin out by gap relative to age: one second matters little 10 s ago, much 1 s ago
    while (m_snapshots.size() > 2 && isOver()) {
        size_t least = 1;
        double leastGap = 1e300;
        for (size_t k = 1; k + 1 < m_snapshots.size(); ++k) {
            const double gap = (timeOf(k + 1) - timeOf(k - 1)) / (now - timeOf(k) + kTimeEpsilon);
            if (gap < leastGap) leastGap = gap, least = k;
        }
        drop(least);
    }
    while (!m_snapshots.empty() && isOver()) drop(0);
}

void SnapshotHistory::replaceEdits(
    const std::function<std::vector<Edit>(const std::vector<Edit>&)>& replace) {
    for (SessionSnapshot& snapshot : m_snapshots) snapshot.edits = replace(snapshot.edits);
}

void SnapshotHistory::forEachEdit(const std::function<void(Edit&)>& visit) {
    for (SessionSnapshot& snapshot : m_snapshots)
        for (Edit& edit : snapshot.edits) visit(edit);
    for (RecordedFrame& frame : m_frames)
        for (Change& change : frame.changes) visit(change.edit);
}

void SnapshotHistory::truncateAfter(uint64_t frame, size_t changes) {
    const auto isAfter = [&](const SessionSnapshot& snapshot) {
        return std::pair(snapshot.world.frame(), snapshot.changes) > std::pair(frame, changes);
    };
    while (!m_snapshots.empty() && isAfter(m_snapshots.back())) drop(m_snapshots.size() - 1);
    while (!m_frames.empty() && m_firstFrame + m_frames.size() > frame + 1) m_frames.pop_back();
    if (m_frames.empty() || m_firstFrame + m_frames.size() != frame + 1) return;
    RecordedFrame& next = m_frames.back();
    next.changes.resize(std::min(next.changes.size(), changes));
    next.commands.clear();
    next.done = false;
}

const SessionSnapshot* SnapshotHistory::find(uint64_t frame) const {
    if (m_snapshots.empty()) return nullptr;
    const SessionSnapshot* found = &m_snapshots.front();
    for (const SessionSnapshot& snapshot : m_snapshots)
        if (snapshot.world.frame() <= frame) found = &snapshot;
    return found;
}

RecordedFrame* SnapshotHistory::recordFrame(uint64_t frame, size_t events) {
    if (m_snapshots.empty()) return nullptr;
    if (m_frames.empty()) m_firstFrame = frame;
    if (frame == m_firstFrame + m_frames.size()) m_frames.push_back({.events = events});
    CHECK_EQ(frame + 1, m_firstFrame + m_frames.size());
    return &m_frames.back();
}

const RecordedFrame* SnapshotHistory::recordedFrame(uint64_t frame) const {
    return frame < m_firstFrame || frame >= m_firstFrame + m_frames.size() ? nullptr
                                                                           : &m_frames[frame - m_firstFrame];
}

bool SnapshotHistory::reaches(uint64_t frame) const {
    return !m_snapshots.empty() && m_snapshots.front().world.frame() <= frame && frame <= lastFrame();
}

uint64_t SnapshotHistory::lastFrame() const {
    uint64_t last = m_snapshots.empty() ? 0 : m_snapshots.back().world.frame();
    if (!m_frames.empty())
        last = std::max(last, m_firstFrame + m_frames.size() - (m_frames.back().done ? 0 : 1));
    return last;
}

double SnapshotHistory::lastTime() const {
    if (m_snapshots.empty()) return 0;
    const SessionSnapshot& snapshot = m_snapshots.back();
    const uint64_t last = lastFrame();
    return last == snapshot.world.frame() ? snapshot.world.time() : recordedFrame(last - 1)->end;
}

std::optional<uint64_t> SnapshotHistory::frameAt(double time) const {
    if (m_snapshots.empty()) return {};
    uint64_t frame = m_snapshots.front().world.frame();
    double begin = m_snapshots.front().world.time();
    for (const RecordedFrame* next;
         (next = recordedFrame(frame)) && next->done && (begin + next->end) / 2 <= time; ++frame)
        begin = next->end;
    return frame;
}

}  // namespace coalesce
